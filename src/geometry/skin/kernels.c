/* kernels.c - sums over particles; built once per width. Rows of a block are eight points long: one row of lanes. */
#include "geometry/skin/local.h"
#include "geometry/stretch_lanes.h"
#include "math/scalar.h"
#include <string.h>

INLINE lane ramp(int part)
{
    static const float up[ROW] __attribute__((aligned(64))) = {0, 1, 2, 3, 4, 5, 6, 7};
    return load(up + part * LANES);
}

INLINE lane cubed(lane q) /* (1 - q)^3, or 0 */
{
    lane t = more(all(1) - q, all(0));
    return t * t * t;
}

static void density(const kin_fluid_skin_points* points, const kin_stretches* ranges, uint32_t i, float reach, float* out)
{
    lane sum[PARTS], x = all(points->x[i]), y = all(points->y[i]), z = all(points->z[i]), scale = all(1 / (reach * reach));
    for (int p = 0; p < PARTS; ++p) sum[p] = all(0);
    for (uint32_t r = 0; r < ranges->count; ++r) {
        for (uint32_t row = ranges->begin[r] & ~7u; row < ranges->end[r]; row += ROW) {
            for (int p = 0; p < PARTS; ++p) {
                uint32_t j = row + (uint32_t)(p * LANES);
                lane dx = load(points->x + j) - x, dy = load(points->y + j) - y, dz = load(points->z + j) - z;
                sum[p] += pick(within(j, ranges->begin[r], ranges->end[r]), cubed((dx * dx + dy * dy + dz * dz) * scale), all(0));
            }
        }
    }
    *out = total(sum);
}

/* Weights 1 - (d / reach)^3 (Yu and Turk, eq. 11): their sum, first and second moments about the particle, and how many there are. */
static void moments(const kin_fluid_skin_points* points, const kin_stretches* ranges, uint32_t i, float reach, float out[KIN_SKIN_MOMENTS])
{
    lane s[KIN_SKIN_MOMENTS][PARTS], x = all(points->x[i]), y = all(points->y[i]), z = all(points->z[i]);
    lane scale = all(1 / reach), one = all(1), none = all(0);
    for (int k = 0; k < KIN_SKIN_MOMENTS; ++k) {
        for (int p = 0; p < PARTS; ++p) s[k][p] = none;
    }
    for (uint32_t r = 0; r < ranges->count; ++r) {
        for (uint32_t row = ranges->begin[r] & ~7u; row < ranges->end[r]; row += ROW) {
            for (int p = 0; p < PARTS; ++p) {
                uint32_t j = row + (uint32_t)(p * LANES);
                lane dx = (load(points->x + j) - x) * scale, dy = (load(points->y + j) - y) * scale, dz = (load(points->z + j) - z) * scale;
                lane d2 = dx * dx + dy * dy + dz * dz;
                which in = within(j, ranges->begin[r], ranges->end[r]) & (d2 < one);
                lane w = pick(in, one - d2 * root(d2), none), wx = w * dx, wy = w * dy, wz = w * dz;
                s[0][p] += w;
                s[1][p] += wx, s[2][p] += wy, s[3][p] += wz;
                s[4][p] += wx * dx, s[5][p] += wy * dy, s[6][p] += wz * dz;
                s[7][p] += wx * dy, s[8][p] += wx * dz, s[9][p] += wy * dz;
                s[10][p] += pick(in, one, none);
            }
        }
    }
    for (int k = 0; k < KIN_SKIN_MOMENTS; ++k) out[k] = total(s[k]);
}

/* ---- blocks ---- */

typedef struct span {
    int begin, end; /* of points along an axis */
    float first;    /* from the blob to point 0, m */
} span;

INLINE span span_of(const kin_fluid_skin_block* block, const kin_fluid_skin_blob* b, int axis)
{
    float first = (float)(block->corner[axis] - (double)b->at[axis]), extent = b->extent[axis];
    double from = kin_clamp((double)(-extent - first) / (double)block->cell, 0, ROW),
           to = kin_clamp((double)(extent - first) / (double)block->cell + 1, 0, ROW);
    return (span){(int)from, (int)to, first};
}

static void fill(const kin_fluid_skin_block* block, float values[KIN_BLOCK_POINTS])
{
    float h = block->cell;
    memset(values, 0, KIN_BLOCK_POINTS * sizeof *values);
    for (uint32_t n = 0; n < block->count; ++n) {
        const kin_fluid_skin_blob* b = &block->blobs[block->numbers[n]];
        const float* g = b->shape;
        span x = span_of(block, b, 0), y = span_of(block, b, 1), z = span_of(block, b, 2);
        lane ux[PARTS], uy[PARTS], uz[PARTS], weight = all(b->weight);
        for (int p = 0; p < PARTS; ++p) {
            lane dx = all(x.first) + ramp(p) * all(h);
            ux[p] = all(g[0]) * dx, uy[p] = all(g[3]) * dx, uz[p] = all(g[4]) * dx;
        }
        for (int k = z.begin; k < z.end; ++k) {
            float dz = z.first + (float)k * h;
            for (int j = y.begin; j < y.end; ++j) {
                float dy = y.first + (float)j * h, *row = values + 64 * k + 8 * j;
                lane vx = all(g[3] * dy + g[4] * dz), vy = all(g[1] * dy + g[5] * dz), vz = all(g[5] * dy + g[2] * dz);
                for (int p = 0; p < PARTS; ++p) {
                    lane ax = ux[p] + vx, ay = uy[p] + vy, az = uz[p] + vz;
                    store(row + p * LANES, load(row + p * LANES) - weight * cubed(ax * ax + ay * ay + az * az));
                }
            }
        }
    }
}

static void stray(const kin_fluid_skin_block* block, float values[KIN_BLOCK_POINTS])
{
    float sums[4][KIN_BLOCK_POINTS] __attribute__((aligned(64))), h = block->cell;
    memset(sums, 0, sizeof sums);
    for (uint32_t n = 0; n < block->count; ++n) {
        const kin_fluid_skin_blob* b = &block->blobs[block->numbers[n]];
        span x = span_of(block, b, 0), y = span_of(block, b, 1), z = span_of(block, b, 2);
        lane scale = all(b->shape[0] * b->shape[0]);
        for (int k = z.begin; k < z.end; ++k) {
            lane dz = all(z.first + (float)k * h);
            for (int j = y.begin; j < y.end; ++j) {
                lane dy = all(y.first + (float)j * h);
                for (int p = 0; p < PARTS; ++p) {
                    int at = 64 * k + 8 * j + p * LANES;
                    lane dx = all(x.first) + ramp(p) * all(h), w = cubed((dx * dx + dy * dy + dz * dz) * scale);
                    store(sums[0] + at, load(sums[0] + at) + w);
                    store(sums[1] + at, load(sums[1] + at) + w * dx);
                    store(sums[2] + at, load(sums[2] + at) + w * dy);
                    store(sums[3] + at, load(sums[3] + at) + w * dz);
                }
            }
        }
    }
    for (int at = 0; at < KIN_BLOCK_POINTS; at += LANES) {
        lane w = load(sums[0] + at), x = load(sums[1] + at), y = load(sums[2] + at), z = load(sums[3] + at);
        which some = w > all(1e-12f);
        store(values + at, pick(some, root(x * x + y * y + z * z) / pick(some, w, all(1)), all(1e30f)));
    }
}

static void blend(const kin_fluid_skin_points* points, const kin_stretches* ranges, const float at[3], float reach, int columns, float* out)
{
    lane s[1 + KIN_SKIN_COLUMNS][PARTS], x = all(at[0]), y = all(at[1]), z = all(at[2]), scale = all(1 / (reach * reach));
    for (int k = 0; k <= columns; ++k) {
        for (int p = 0; p < PARTS; ++p) s[k][p] = all(0);
    }
    for (uint32_t r = 0; r < ranges->count; ++r) {
        for (uint32_t row = ranges->begin[r] & ~7u; row < ranges->end[r]; row += ROW) {
            for (int p = 0; p < PARTS; ++p) {
                uint32_t j = row + (uint32_t)(p * LANES);
                lane dx = load(points->cx + j) - x, dy = load(points->cy + j) - y, dz = load(points->cz + j) - z;
                lane q = (dx * dx + dy * dy + dz * dz) * scale;
                if (bits(q < all(1)) == 0) continue;
                lane w = pick(within(j, ranges->begin[r], ranges->end[r]), cubed(q), all(0));
                s[0][p] += w;
                for (int k = 0; k < columns; ++k) s[k + 1][p] += w * load(points->columns[k] + j);
            }
        }
    }
    for (int k = 0; k <= columns; ++k) out[k] = total(s[k]);
}

const kin_fluid_skin_kernels KIN_KERNEL(kin_fluid_skin_kernels) = {density, moments, fill, stray, blend};
