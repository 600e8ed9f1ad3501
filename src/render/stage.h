/* stage.h - inside the stage: what scene.c (rays) and geometry.c (layers to Embree) share. */
#pragma once
#include "render/plane.h"
#include "render/scene.h"
#include <embree3/rtcore.h>

enum { KIN_MASK_SOLID = 1, KIN_MASK_GLASS = 2 };

/* A layer while its frame is shown. Pointers are into the frame. */
typedef struct kin_exhibit {
    const kin_layer* layer;
    kin_vec color;
    const float* colors;    /* f32x3 an element or vertex; NULL: color */
    size_t map;             /* where this layer's part of the stage's map begins; spheres and curves */
    const float* normals;   /* meshes; NULL: flat */
    const float* positions; /* meshes that do not deform; else NULL */
    const uint32_t* triangles;
    const uint32_t* lines;
} kin_exhibit;

/* What a geometry number of the top scene stands for. */
typedef struct kin_piece {
    size_t exhibit;
    RTCGeometry instance; /* NULL for spheres and curves; the top scene owns it */
    bool moving;
    float frame[12]; /* of an instance at time 0: columns x, y, z, position */
} kin_piece;

/* A mesh kept from frame to frame. */
typedef struct kin_kept_mesh {
    uint64_t position_hash, triangle_hash; /* 0: not to be kept */
    RTCScene scene;
    bool used; /* by this frame */
} kin_kept_mesh;

struct kin_stage {
    kin_allocator allocator;
    RTCDevice device;
    RTCScene top;
    bool has_glass;
    float shutter; /* s: from time 0 to time 1 of a ray */
    kin_exhibit* exhibits;
    size_t exhibit_count, exhibit_capacity;
    kin_piece* pieces;
    size_t piece_count, piece_capacity;
    kin_plane* planes;
    size_t plane_count, plane_capacity;
    kin_kept_mesh* kept;
    size_t kept_count, kept_capacity;
    uint32_t* map; /* primitive to element: elements that cannot be drawn are left out */
    size_t map_count, map_capacity;
    kin_lamps lamps;
};

/* How bright a streak is, s from tail 0 to head 1. */
static inline float kin_streak_fade(float s) { return 0.04f + 0.96f * s * s; }
#define KIN_STREAK_MEAN 0.36f

/* One layer into the top scene. What cannot be drawn (wrong arrays, NaN, no size) is left out. False: out of memory. */
bool kin_stage_add(kin_stage* stage, const kin_frame* frame, const kin_layer* layer);
