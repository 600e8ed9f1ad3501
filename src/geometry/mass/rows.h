/* rows.h - which cells of a grid lie inside a closed mesh, by one ray per row of cells (H9.2).
 *
 * A row runs along x through the centres of its cells. The ray's hits, in order, are entries and exits in turn: the stretches between are inside. A ray
 * through an edge or a vertex counts as passing it on one side, the same for all faces there, decided exactly, so hits always come in pairs. */
#pragma once
#include "geometry/mesh.h"

typedef struct kin_row_grid {
    kin_vec3 low;  /* corner of the first cell, m */
    kin_vec3 cell; /* sizes, m */
    uint32_t n[3]; /* cells along x, y, z */
} kin_row_grid;

/* Cells that fit the box exactly, `cells` along its longest side and about as long along the others. */
kin_row_grid kin_row_grid_over(kin_aabb box, uint32_t cells);
static inline kin_vec3 kin_row_center(const kin_row_grid* g, uint32_t i, uint32_t j, uint32_t k)
{
    return kin_v(g->low.x + g->cell.x * (i + 0.5), g->low.y + g->cell.y * (j + 0.5), g->low.z + g->cell.z * (k + 0.5));
}

typedef struct kin_rows {
    kin_row_grid grid;
    uint32_t* begin; /* of row j + n[1] k in hits; n[1] n[2] + 1 */
    double* hits;    /* x, rising within a row, an even number each, m */
    size_t hit_count;
    kin_allocator allocator;
} kin_rows;

/* Refused: a mesh that is not closed, a grid without cells. */
kin_result kin_rows_create(const kin_allocator* allocator, const kin_mesh* mesh, const kin_row_grid* grid, kin_rows** out, kin_error* error);
void kin_rows_destroy(kin_rows* rows); /* may be NULL */

/* The stretches of a row as ranges of cells whose centres are inside: [*first, *end). Call with s = 0, 1, ... while it returns true; a range may be empty. */
bool kin_rows_range(const kin_rows* rows, uint32_t j, uint32_t k, uint32_t s, uint32_t* first, uint32_t* end);
/* Whether x of the row through (j, k) is inside; x need not be a centre. */
bool kin_rows_inside(const kin_rows* rows, double x, uint32_t j, uint32_t k);
