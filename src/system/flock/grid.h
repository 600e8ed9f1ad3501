/* grid.h - the flock's own neighbour search: members sorted by cell, copied in that order, and summed over without lists in between.
 *
 * Cells are cubes a little wider than the range, so that a member's neighbours lie in its cell and those around it; a row of three along x is one or two stretches
 * of members. Their numbers are folded into a table of 2^k x 2^l x 2^m: cells far apart may share an entry, which costs distances that are too large but never
 * counts one twice, as no side of the table is shorter than 4. So a bird that flew away does not make the cells of all others coarse. */
#pragma once
#include "base/alloc.h"
#include "system/cloud.h"

/* A member as a neighbour. */
typedef struct kin_flock_bird {
    double x[4]; /* m; the last is 0 */
    double v[4]; /* m/s */
} kin_flock_bird;

typedef struct kin_flock_grid {
    uint32_t count;
    kin_flock_bird* birds; /* in order of cells, as all below */
    float* place[3];       /* in cells from the middle, up to 2^13; with room for 7 more: lanes read on */
    uint32_t* index;       /* in the cloud */
    size_t bird_capacity, place_capacity[3], index_capacity;
    uint32_t* entry;  /* of the table, by place in `members` */
    uint32_t* starts; /* by entry, and the end */
    size_t entry_capacity, start_capacity;
    double middle[3], inverse; /* of the cells: where most members are, 1 / edge */
    uint32_t bits[3];          /* of the table's sides */
    uint64_t order[256];       /* byte k of row b: the number of the k-th set bit of b */
} kin_flock_grid;

/* Squared, in cells: whoever is within range is nearer by his place, which is off by 2^-11 at most. */
#define KIN_FLOCK_NEAR 1.004f

/* How neighbours count: House & Keyser 6.5.1, 6.5.2. */
typedef struct kin_flock_rule {
    double range[2]; /* m: r1, r2 */
    double closest;  /* m */
    double half[2];  /* rad: theta1 / 2, theta2 / 2 */
    bool all_round;  /* no view to mind */
} kin_flock_rule;

/* What a member sees of its neighbours j, weighted by w = kd ktheta. */
typedef struct kin_flock_sums {
    double apart[3];  /* 1/m: -sum w (xj - x) / (d max(d, closest)) */
    double match[3];  /* m/s: sum w (vj - v) */
    double centre[3]; /* m: sum w (xj - x) */
} kin_flock_sums;

/* Sorts the `count` members of the cloud, all finite. False: out of memory. */
bool kin_flock_grid_build(kin_flock_grid* grid, const kin_allocator* allocator, const kin_mutual_cloud* cloud, const uint32_t* members, uint32_t count,
                          double range);
void kin_flock_grid_term(kin_flock_grid* grid, const kin_allocator* allocator);

/* The sums of members begin..end-1 of the grid, into sums[0...]. Every width gives the same bits. */
typedef void kin_flock_sum_fn(const kin_flock_grid* grid, const kin_flock_rule* rule, uint32_t begin, uint32_t end, kin_flock_sums* sums);
kin_flock_sum_fn kin_flock_sum_none, kin_flock_sum_sse2, kin_flock_sum_avx2;

/* The cell of a coordinate, from 0. Places within range of each other are at most one cell apart: cells are wider by 1e-9, and up to 2^20 cells from the middle
 * the rounding is less than that; all beyond share the last. */
static inline int32_t kin_flock_cell(const kin_flock_grid* g, int axis, double x)
{
    double c = (x - g->middle[axis]) * g->inverse + 0x1p20;
    return c > 0 ? c < 0x1p21 ? (int32_t)c : 1 << 21 : 0;
}
