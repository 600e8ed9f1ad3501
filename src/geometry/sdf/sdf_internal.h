/* sdf_internal.h - what the two kinds of fields share: a grid, and the trilinear cell that a point lies in. */
#pragma once
#include "geometry/bvh.h"
#include "geometry/sdf/sdf.h"
#include "math/aabb.h"

#define KIN_SDF_BLOCK 8                  /* cells along a block */
#define KIN_SDF_SIDE (KIN_SDF_BLOCK + 1) /* points along it: the faces are stored by both blocks, so that a cell never needs two */
#define KIN_SDF_VALUES (KIN_SDF_SIDE * KIN_SDF_SIDE * KIN_SDF_SIDE)
#define KIN_SDF_HALF_DIAGONAL 0.86602540378443865 /* sqrt(3) / 2: how far a trilinear cell of side 1 can be off a function of slope 1 */

typedef struct kin_sdf_cube {
    kin_vec3 low; /* corner, m */
    double size;  /* m */
    kin_vec3 at;  /* where the place lies in it, 0 to 1 */
    double v[8];  /* corner values, x fastest */
} kin_sdf_cube;

/* Lines along one axis, by their other two coordinates: first the next axis (x after z), then the one after. */
typedef struct kin_scanlines {
    uint32_t* begin;   /* per line, and one */
    uint32_t* scalars; /* places in units of 2^-32 of the grid's length: enter, leave, enter, ... rising */
    size_t count;
} kin_scanlines;

typedef struct kin_sdf_band {
    uint32_t* slots; /* per block: 1 + where its values are, 0: none */
    float* values;   /* m, KIN_SDF_VALUES a slot */
    float* corners;  /* m, at the corners of all blocks */
    uint32_t count;  /* slots */
    double width;    /* m */
} kin_sdf_band;

struct kin_sdf {
    kin_allocator allocator;
    kin_vec3 origin; /* m */
    double cell;     /* m */
    uint32_t cells[3];
    uint32_t blocks[3];
    kin_aabb bounds;
    double far_away; /* m: longest side of the grid; the distance along a line that meets nothing */
    double slope;    /* at most, of what is stored; 1 for the scanlines beyond their grid */
    bool has_lines;
    kin_scanlines lines[3];
    uint8_t* steps; /* scanlines: blocks (king's moves, at most 255) to the nearest with a crossing */
    kin_sdf_band band;
};

static inline size_t kin_sdf_block_count(const kin_sdf* s) { return (size_t)s->blocks[0] * s->blocks[1] * s->blocks[2]; }
static inline size_t kin_sdf_corner_count(const kin_sdf* s) { return ((size_t)s->blocks[0] + 1) * (s->blocks[1] + 1) * (s->blocks[2] + 1); }
static inline size_t kin_sdf_block_at(const kin_sdf* s, uint32_t x, uint32_t y, uint32_t z) { return x + s->blocks[0] * (y + (size_t)s->blocks[1] * z); }
static inline size_t kin_sdf_line_count(const kin_sdf* s, int axis) { return ((size_t)s->cells[(axis + 1) % 3] + 1) * (s->cells[(axis + 2) % 3] + 1); }

/* x within the grid, in cells from its origin. */
static inline void kin_sdf_place(const kin_sdf* s, kin_vec3 x, double place[3])
{
    for (int a = 0; a < 3; ++a) place[a] = kin_clamp((kin_component(x, a) - kin_component(s->origin, a)) / s->cell, 0, s->cells[a]);
}
static inline uint32_t kin_sdf_index(double place, uint32_t count) /* of the cell, below count */
{
    uint32_t i = (uint32_t)place;
    return i < count ? i : count - 1;
}
static inline kin_vec3 kin_sdf_vertex(const kin_sdf* s, double i, double j, double k) { return kin_add_scaled(s->origin, s->cell, kin_v(i, j, k)); }

static inline double kin_trilinear(const double v[8], double x, double y, double z)
{
    double a = v[0] + (v[1] - v[0]) * x, b = v[2] + (v[3] - v[2]) * x, c = v[4] + (v[5] - v[4]) * x, d = v[6] + (v[7] - v[6]) * x;
    double low = a + (b - a) * y, high = c + (d - c) * y;
    return low + (high - low) * z;
}

static inline double kin_sdf_cube_value(const kin_sdf_cube* c) { return kin_trilinear(c->v, c->at.x, c->at.y, c->at.z); }

/* The cell of a place in the grid. */
void kin_sdf_line_cell(const kin_sdf* s, const double place[3], kin_sdf_cube* cell);
void kin_sdf_band_cell(const kin_sdf* s, const double place[3], kin_sdf_cube* cell);
static inline void kin_sdf_find_cell(const kin_sdf* s, const double place[3], kin_sdf_cube* cell)
{
    if (s->has_lines)
        kin_sdf_line_cell(s, place, cell);
    else
        kin_sdf_band_cell(s, place, cell);
}
double kin_sdf_band_size(const kin_sdf* s, const double place[3]); /* of that cell, m */
double kin_sdf_line_clearance(const kin_sdf* s, const double place[3]);

/* Refuses what has no inside. */
kin_result kin_sdf_check_mesh(const kin_mesh* mesh, kin_error* error);
bool kin_sdf_tree(const kin_mesh* mesh, const kin_allocator* allocator, kin_bvh* tree); /* of its triangles; false: out of memory */
