/* height.h - ground given by heights over a grid: two triangles a cell, solid below, and what a mesh of them would answer, without making it.
 *
 * y is up. Heights are kept as floats over a double origin: 4 bytes a sample, half a millimetre over 8 km of relief; what everybody sees, kin_height_vertex,
 * is that rounded sample. Beside them one byte a sample (sharp edges, holes) and a pyramid of least and greatest heights, 2.7 bytes: a mesh would take 200.
 *
 * Cell (i, j) has corners a (i, j), b (i + 1, j), c (i, j + 1), d (i + 1, j + 1); its triangles are 2 (j (nx - 1) + i): a c b, and the next: b c d. The diagonal is
 * always b c. A hole has no triangles, but their numbers are kept free. The solid is what lies below the surface, to any depth, but not in the columns
 * below holes; beside the grid there is nothing. Queries follow the rules of closed meshes (collision/trimesh.h), bit for bit: only the upper side stops a
 * sphere, flat and hollow edges are no obstacle of their own. */
#pragma once
#include "geometry/facet.h"
#include "geometry/path.h"
#include "kinema/base.h"

#define KIN_HEIGHT_LEVELS 17   /* of the pyramid: cells, pairs of cells, ... */
#define KIN_HEIGHT_LIMIT 65536 /* samples along an axis */
#define KIN_HEIGHT_STACK (3 * KIN_HEIGHT_LEVELS + 4)

typedef struct kin_height_def {
    kin_vec3 origin;       /* of sample (0, 0) at height 0, m */
    double spacing[2];     /* along x and z, m */
    uint32_t nx, nz;       /* samples, 2 to KIN_HEIGHT_LIMIT */
    const double* heights; /* above the origin, m; x fastest; finite */
    const bool* holes;     /* per cell, (nx - 1) (nz - 1), true: no ground there; or NULL: none */
} kin_height_def;

typedef struct kin_height_range {
    float low, high; /* m; low > high: nothing but holes */
} kin_height_range;

typedef struct kin_height {
    kin_vec3 origin;
    double spacing[2];
    uint32_t nx, nz;
    float* heights;
    uint8_t* marks;                              /* per sample; see height.c */
    kin_height_range* ranges[KIN_HEIGHT_LEVELS]; /* level k: squares of 2^k cells; level 0 is not kept */
    uint32_t columns[KIN_HEIGHT_LEVELS], rows[KIN_HEIGHT_LEVELS];
    int levels; /* the last has one square */
    kin_aabb bounds;
    double scale; /* largest coordinate, m */
    kin_allocator allocator;
} kin_height;

kin_result kin_height_create(const kin_allocator* allocator, const kin_height_def* def, kin_height** out, kin_error* error);
void kin_height_destroy(kin_height* height); /* may be NULL */
size_t kin_height_bytes(const kin_height* height);

static inline kin_vec3 kin_height_vertex(const kin_height* h, uint32_t i, uint32_t j)
{
    return kin_v(h->origin.x + i * h->spacing[0], h->origin.y + (double)h->heights[i + (size_t)h->nx * j], h->origin.z + j * h->spacing[1]);
}
static inline uint32_t kin_height_triangle_count(const kin_height* h) { return 2 * (h->nx - 1) * (h->nz - 1); } /* numbers, those of holes too */
kin_facet kin_height_facet(const kin_height* height, uint32_t triangle);                                        /* of a cell that is no hole */
bool kin_height_at(const kin_height* height, double x, double z, double* y); /* height of the surface, m; false: a hole, or beside the grid */
bool kin_height_inside(const kin_height* height, kin_vec3 x);

/* First crossing, from either side, at t in [0, limit], in units of the direction. The normal looks up. */
bool kin_height_ray(const kin_height* height, kin_vec3 origin, kin_vec3 direction, double limit, kin_touch* hit);
/* The nearest point with |distance| <= reach, or, inside, at any depth. touch->distance is negative inside. */
bool kin_height_closest(const kin_height* height, kin_vec3 x, double reach, kin_touch* touch);
/* First touch of a sphere on its path. A start deeper inside than the radius is seen by kin_height_closest. */
bool kin_height_sweep(const kin_height* height, const kin_path* path, kin_touch* hit);

/* Is u, from the feature to the asker, in the part of space nearest to that very feature, give or take `slack` metres? */
bool kin_height_owns(const kin_height* height, uint32_t triangle, kin_feature feature, kin_vec3 u, double slack);

/* The triangles whose boxes overlap or touch a box:
 *
 *     kin_height_walk walk;
 *     for (kin_height_walk_begin(&walk, height, box); kin_height_walk_next(&walk);) use(&walk.facet); */
typedef struct kin_height_square {
    uint32_t i, j; /* of its level */
    int level;
    double entry; /* where it begins: see the user */
} kin_height_square;

typedef struct kin_height_walk {
    kin_facet facet;
    const kin_height* height;
    kin_aabb box;
    kin_height_square stack[KIN_HEIGHT_STACK];
    int top;
    uint32_t second; /* the cell's other triangle is still to come: 1 + its number */
} kin_height_walk;

void kin_height_walk_begin(kin_height_walk* walk, const kin_height* height, kin_aabb box);
bool kin_height_walk_next(kin_height_walk* walk);
