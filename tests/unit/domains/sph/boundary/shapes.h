/* shapes.h - forms for tests: a tank open at the top, a plate, a closed cube, as meshes; and one of every kind. */
#pragma once
#include "tank.h"

static const kin_vec3 cube_vertices[8] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}};
static const uint32_t cube_corners[24] = {0, 3, 2, 1, 4, 5, 6, 7, 0, 4, 7, 3, 1, 2, 6, 5, 0, 1, 5, 4, 3, 7, 6, 2}; /* the last: the top */
static const uint32_t four[6] = {4, 4, 4, 4, 4, 4};

/* Faces of a cube of side 2, times scale; five of them: without its top. */
static inline kin_shape cube_mesh(size_t faces, double scale)
{
    return (kin_shape){.kind = KIN_SHAPE_MESH,
                       .mesh = {.vertices = cube_vertices, .vertex_count = 8, .face_sizes = four, .corners = cube_corners, .face_count = faces},
                       .scale = {scale, scale, scale}};
}

static const kin_vec3 plate_vertices[4] = {{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}};
static const uint32_t plate_corners[4] = {0, 3, 2, 1};
static inline kin_shape plate_mesh(double scale)
{
    return (kin_shape){.kind = KIN_SHAPE_MESH,
                       .mesh = {.vertices = plate_vertices, .vertex_count = 4, .face_sizes = four, .corners = plate_corners, .face_count = 1},
                       .scale = {scale, scale, scale}};
}

enum { KIT = 11 };
static const double low_hills[16] = {0, 0, 0, 0, 0, 0.02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

/* One of every kind but planes, with something to touch at `top` above its middle. */
static inline kin_shape kit_shape(int kind, double* top)
{
    static const kin_shape parts[2] = {{.kind = KIN_SHAPE_BOX, .size = {1, 0.5, 1}}, {.kind = KIN_SHAPE_SPHERE, .radius = 0.3, .offset = {0.9, 0, 0}}};
    static const kin_shape kit[KIT] = {
        {.kind = KIN_SHAPE_SPHERE, .radius = 0.6},
        {.kind = KIN_SHAPE_BOX, .size = {1, 1, 1}},
        {.kind = KIN_SHAPE_CAPSULE, .radius = 0.3, .length = 0.5},
        {.kind = KIN_SHAPE_CYLINDER, .radius = 0.6, .length = 0.8},
        {.kind = KIN_SHAPE_CONE, .radius = 0.8, .length = 1},
        {.kind = KIN_SHAPE_HULL, .points = {cube_vertices, 8}, .scale = {0.5, 0.5, 0.5}},
        {.kind = KIN_SHAPE_HEIGHTS, .heights = {.values = {low_hills, 16}, .columns = 4, .size = {3, 1, 3}}},
        {.kind = KIN_SHAPE_FIELD, .resolution = 32},
        {.kind = KIN_SHAPE_MESH},
        {.kind = KIN_SHAPE_COMPOUND, .parts = parts, .part_count = 2},
        {.kind = KIN_SHAPE_ELLIPSOID, .semi_axes = {0.8, 0.5, 0.6}},
    };
    static const double tops[KIT] = {0.6, 0.5, 0.55, 0.4, 0.5, 0.5, 0, 0.5, 0.5, 0.25, 0.5};
    kin_shape shape = kit[kind];
    if (shape.kind == KIN_SHAPE_FIELD || shape.kind == KIN_SHAPE_MESH) {
        shape.mesh = cube_mesh(6, 1).mesh;
        shape.scale = kin_v(0.5, 0.5, 0.5);
    }
    *top = tops[kind];
    return shape;
}
