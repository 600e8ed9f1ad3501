/* zoo.h - one frame with every kind of layer and surface, motion and a lens. */
#pragma once
#include "frames.h"

/* A square of two triangles in the plane z = 0. */
static const float square[12] = {-0.5f, -0.5f, 0, 0.5f, -0.5f, 0, 0.5f, 0.5f, 0, -0.5f, 0.5f, 0};
static const uint32_t square_triangles[6] = {0, 1, 2, 0, 2, 3};

static inline kin_layer* hand_square(hand_frame* h)
{
    kin_layer* layer = hand_layer(h, KIN_LAYER_MESH, KIN_SURFACE_MATTE, 0.7f, 0.05f, 0.05f);
    hand_array(h, layer, "position", KIN_F32, 3, 4, square);
    hand_array(h, layer, "triangle", KIN_U32, 3, 2, square_triangles);
    return layer;
}

/* Puffs in front of a cloud that glows, and a sphere one can look through. */
static inline void fill_soft(hand_frame* h)
{
    static const float puffs[6] = {-1, 1.5f, 3, 1, 1.5f, 3}, radius[2] = {0.5f, 0.6f}, drift[6] = {2, 0, 0, 0, 0, 0}, half[2] = {0.5f, 0.7f};
    static const float texture[8] = {1, 0.5f, 0.2f, 1, 1, 1, 1, 0.2f}, box[6] = {-2, 0, -2, 2, 3, -1}, clear_place[3] = {0, 0.5f, 4};
    static const uint32_t texture_size[2] = {2, 1}, dims[3] = {3, 2, 2};
    static const float density[12] = {0, 1, 2, 1, 0.5f, 0, 0, 0.3f, 1, 2, 1, 0}, glow[12] = {0, 1, 0, 0.5f, 0, 0, 0, 0, 0.2f, 0, 1, 0};
    kin_layer* sprites = hand_layer(h, KIN_LAYER_SPRITES, KIN_SURFACE_MATTE, 0.8f, 0.8f, 0.8f);
    hand_array(h, sprites, "position", KIN_F32, 3, 2, puffs);
    hand_array(h, sprites, "radius", KIN_F32, 1, 2, radius);
    hand_array(h, sprites, "velocity", KIN_F32, 3, 2, drift);
    hand_array(h, sprites, "opacity", KIN_F32, 1, 2, half);
    hand_array(h, sprites, "texture", KIN_F32, 4, 2, texture);
    hand_array(h, sprites, "texture_size", KIN_U32, 2, 1, texture_size);
    kin_layer* cloud = hand_layer(h, KIN_LAYER_VOLUME, KIN_SURFACE_MATTE, 0.9f, 0.9f, 0.9f);
    cloud->look.anisotropy = 0.3f;
    hand_array(h, cloud, "dims", KIN_U32, 3, 1, dims);
    hand_array(h, cloud, "box", KIN_F32, 3, 2, box);
    hand_array(h, cloud, "density", KIN_F32, 1, 12, density);
    hand_array(h, cloud, "glow", KIN_F32, 1, 12, glow);
    kin_layer* clear = hand_sphere(h, KIN_SURFACE_MATTE, 0.2f, 0.2f, 0.8f, clear_place, radius);
    hand_array(h, clear, "opacity", KIN_F32, 1, 1, half);
}

/* One of everything: every surface, every kind of layer, everything that moves, and a lens. */
static inline void fill_zoo(hand_frame* h)
{
    static const float places[15] = {-2.4f, 1, 0, -1.2f, 1, 0, 0, 1, 0, 1.2f, 1, 0, 2.4f, 1, 0}, radius = 0.5f;
    static const float velocity[3] = {3, 0, 0}, pose[7] = {0, 2.2f, 0, 0, 0, 0, 1}, pose_end[7] = {0, 2.2f, 0, 0, 0, 0.5f, 0.866f};
    static const float sparks[6] = {-1, 0.4f, 2, 1, 0.4f, 2}, spark_radius[2] = {0.03f, 0.03f}, spark_velocity[6] = {1, 8, 0, -1, 8, 0};
    hand_begin(h);
    hand_ground(h);
    h->frame.camera.shutter = 0.5;
    h->frame.camera.aperture = 0.1;
    for (int i = 0; i < 5; ++i) {
        kin_layer* layer = hand_sphere(h, (kin_surface)i, 0.8f, 0.5f, 0.3f, places + 3 * i, &radius);
        layer->look.glow = 3;
        if (i == 1) hand_array(h, layer, "velocity", KIN_F32, 3, 1, velocity);
    }
    kin_layer* mesh = hand_square(h);
    hand_array(h, mesh, "pose", KIN_F32, 7, 1, pose);
    hand_array(h, mesh, "pose_end", KIN_F32, 7, 1, pose_end);
    kin_layer* streaks = hand_layer(h, KIN_LAYER_POINTS, KIN_SURFACE_EMISSIVE, 1, 0.6f, 0.2f);
    streaks->look.glow = 10;
    streaks->look.streak = 0.05f;
    hand_array(h, streaks, "position", KIN_F32, 3, 2, sparks);
    hand_array(h, streaks, "radius", KIN_F32, 1, 2, spark_radius);
    hand_array(h, streaks, "velocity", KIN_F32, 3, 2, spark_velocity);
    fill_soft(h);
}
