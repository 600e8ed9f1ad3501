/* cloud.h - points as the structures behind neighbours.h see them, and the frame that turns places into whole numbers.
 *
 * Why nothing is ever missed: a place becomes a cell number by a subtraction, a product with a positive number and a cut. Each of these, rounded, is still
 * monotone; so a point between q - reach and q + reach has a cell between theirs, whatever the rounding did to any of them. */
#pragma once
#include "base/jobs.h"
#include "kinema/math.h"
#include "math/scalar.h"

typedef struct kin_cloud {
    const double* at[3]; /* m; finite */
    uint32_t count;
    double low[3], high[3]; /* its box; 0 when empty */
} kin_cloud;

typedef struct kin_cell_frame {
    double low[3];
    double inverse; /* 1 / edge, 1/m */
    uint32_t dims[3];
} kin_cell_frame;

/* Where to look: a box of whole numbers, inclusive. */
typedef struct kin_cell_box {
    uint32_t low[3], high[3];
} kin_cell_box;

static inline uint32_t kin_cell_at(const kin_cell_frame* frame, int axis, double x)
{
    double c = (x - frame->low[axis]) * frame->inverse;
    return (uint32_t)kin_clamp(c, 0, (double)(frame->dims[axis] - 1)); /* beyond the border: the border's cell */
}

static inline kin_cell_box kin_cell_box_around(const kin_cell_frame* frame, const double at[3], double reach)
{
    kin_cell_box box;
    for (int k = 0; k < 3; ++k) {
        box.low[k] = kin_cell_at(frame, k, at[k] - reach);
        box.high[k] = kin_cell_at(frame, k, at[k] + reach);
    }
    return box;
}

/* How far apart two points can truly be that pass the test in doubles: products round, and vanish below 1e-162. */
static inline double kin_cloud_reach(double radius) { return kin_finite(radius * radius) ? radius * (1 + 1e-12) + 1e-159 : (double)__builtin_inff(); }

static inline double kin_cloud_extent(const kin_cloud* cloud)
{
    double x = cloud->high[0] - cloud->low[0], y = cloud->high[1] - cloud->low[1], z = cloud->high[2] - cloud->low[2];
    return kin_max(kin_max(x, y), z);
}

/* A cube of 2^depth cells each way. */
static inline kin_cell_frame kin_cloud_cube(const kin_cloud* cloud, uint32_t depth)
{
    uint32_t side = (uint32_t)1 << depth;
    double extent = kin_max(kin_cloud_extent(cloud), 1e-159);
    return (kin_cell_frame){{cloud->low[0], cloud->low[1], cloud->low[2]}, side / extent, {side, side, side}};
}

/* kin_parallel_for, or the same chunks in order when there are no jobs. */
static inline void kin_cloud_for(kin_jobs* jobs, int64_t n, int64_t grain, kin_range_fn* fn, void* argument)
{
    if (jobs != NULL) {
        kin_parallel_for(jobs, n, grain, fn, argument);
        return;
    }
    int chunk = 0;
    for (int64_t begin = 0; begin < n; begin += grain, ++chunk) fn(argument, begin, begin + grain < n ? begin + grain : n, chunk, NULL);
}
