/* height_internal.h - the parts of a height field: squares of the pyramid, triangles and their neighbours. */
#pragma once
#include "geometry/height/height.h"
#include "math/aabb.h"

/* Bits of a sample's mark: the edges that start there, the diagonal and the hole of the cell that starts there. */
enum { KIN_HEIGHT_SHARP_Z = 1, KIN_HEIGHT_SHARP_X = 2, KIN_HEIGHT_SHARP_DIAGONAL = 4, KIN_HEIGHT_SHARP_VERTEX = 8, KIN_HEIGHT_HOLE = 16 };

#define KIN_HEIGHT_NONE UINT32_MAX

static inline uint8_t kin_height_mark(const kin_height* h, uint32_t i, uint32_t j) { return h->marks[i + (size_t)h->nx * j]; }
/* Is there ground in the cell? Indices may lie beside the grid. */
static inline bool kin_height_solid(const kin_height* h, int64_t i, int64_t j)
{
    return i >= 0 && j >= 0 && i + 1 < h->nx && j + 1 < h->nz && (kin_height_mark(h, (uint32_t)i, (uint32_t)j) & KIN_HEIGHT_HOLE) == 0;
}
static inline uint32_t kin_height_number(const kin_height* h, int64_t i, int64_t j, uint32_t half)
{
    return kin_height_solid(h, i, j) ? 2 * ((uint32_t)j * (h->nx - 1) + (uint32_t)i) + half : KIN_HEIGHT_NONE;
}

void kin_height_corners(const kin_height* h, uint32_t triangle, kin_vec3 p[3]);
kin_vec3 kin_height_normal(const kin_height* h, uint32_t triangle);             /* unit */
uint32_t kin_height_neighbor(const kin_height* h, uint32_t triangle, int edge); /* or NONE */
/* The triangles round a sample, rising, each with its corner there as triangle * 4 + corner. Returns how many, at most 6. */
int kin_height_star(const kin_height* h, uint32_t i, uint32_t j, uint32_t star[6]);
void kin_height_sample_of(const kin_height* h, uint32_t triangle, int corner, uint32_t* i, uint32_t* j);
/* Weighted as in kin_mesh_pseudo_normal. */
kin_vec3 kin_height_pseudo_normal(const kin_height* h, uint32_t triangle, kin_feature feature);

kin_aabb kin_height_square_box(const kin_height* h, const kin_height_square* s); /* empty where there are only holes */
/* The up to four squares below one that is not a cell. */
int kin_height_split(const kin_height* h, const kin_height_square* s, kin_height_square below[4]);
static inline kin_height_square kin_height_root(const kin_height* h) { return (kin_height_square){0, 0, h->levels - 1, 0}; }

/* A line with its surroundings, for walks nearest first: entry is where it comes within `inflate` metres of a square's box, in units of its direction. */
typedef struct kin_height_line {
    kin_vec3 at, inverse;
    double inflate, limit;
} kin_height_line;
kin_height_line kin_height_line_along(kin_vec3 at, kin_vec3 direction, double inflate, double limit);
void kin_height_push_line(const kin_height* h, const kin_height_square* s, const kin_height_line* line, kin_height_square* stack, int* top);
