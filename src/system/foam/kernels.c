/* kernels.c - sums over the fluid round a particle or a place; built once per width. W = 1 - r / reach. */
#include "geometry/stretch_lanes.h"
#include "system/foam/local.h"

/* What a row of the sea is, seen from a place. */
typedef struct view {
    lane dx, dy, dz, r, w; /* from the neighbours to the place, m; w is 0 for those that are none */
    which in;
} view;

INLINE view look(const kin_foam_sea* s, const kin_stretches* near, uint32_t stretch, uint32_t j, const lane at[3], lane inverse)
{
    view v = {.dx = at[0] - load(s->x[0] + j), .dy = at[1] - load(s->x[1] + j), .dz = at[2] - load(s->x[2] + j)};
    v.r = root(v.dx * v.dx + v.dy * v.dy + v.dz * v.dz);
    lane w = all(1) - v.r * inverse;
    v.in = within(j, near->begin[stretch], near->end[stretch]) & (w > all(0));
    v.w = pick(v.in, w, all(0));
    return v;
}

INLINE lane over(lane a, lane r) { return a / pick(r > all(0), r, all(1)); } /* 0 where both are */

INLINE void add_up(lane (*sums)[PARTS], int count, float* out)
{
    for (int k = 0; k < count; ++k) out[k] = total(sums[k]);
}

static void facing(const kin_foam_sea* s, const kin_stretches* near, uint32_t i, float out[4])
{
    lane sums[4][PARTS] = {0}, at[3] = {all(s->x[0][i]), all(s->x[1][i]), all(s->x[2][i])}, inverse = all((float)(1 / s->reach));
    for (uint32_t k = 0; k < near->count; ++k) {
        for (uint32_t row = near->begin[k] & ~7u; row < near->end[k]; row += ROW) {
            for (int p = 0; p < PARTS; ++p) {
                view v = look(s, near, k, row + (uint32_t)(p * LANES), at, inverse);
                lane f = over(v.w, v.r);
                sums[0][p] += f * v.dx, sums[1][p] += f * v.dy, sums[2][p] += f * v.dz;
                sums[3][p] += pick(v.r > all(0), v.w, all(0));
            }
        }
    }
    add_up(sums, 4, out);
}

INLINE lane trapped(const kin_foam_sea* s, const view* v, uint32_t j, const lane own[3])
{
    lane ux = own[0] - load(s->v[0] + j), uy = own[1] - load(s->v[1] + j), uz = own[2] - load(s->v[2] + j);
    lane closing = over(ux * v->dx + uy * v->dy + uz * v->dz, v->r);
    return v->w * pick(v->r > all(0), root(ux * ux + uy * uy + uz * uz) - closing, all(0));
}

INLINE lane turned(const kin_foam_sea* s, const view* v, uint32_t j, const lane n[3])
{
    lane mx = load(s->n[0] + j), my = load(s->n[1] + j), mz = load(s->n[2] + j), turn = n[0] * mx + n[1] * my + n[2] * mz;
    which behind = (n[0] * v->dx + n[1] * v->dy + n[2] * v->dz > all(0)) & (mx * mx + my * my + mz * mz > all(0.5f));
    return pick(behind, v->w * (all(1) - turn), all(0));
}

INLINE float sum_over(const kin_foam_sea* s, const kin_stretches* near, uint32_t i, float* const arrays[3],
                      lane (*term)(const kin_foam_sea*, const view*, uint32_t, const lane[3]))
{
    lane sums[PARTS] = {0}, at[3] = {all(s->x[0][i]), all(s->x[1][i]), all(s->x[2][i])}, inverse = all((float)(1 / s->reach));
    const lane own[3] = {all(arrays[0][i]), all(arrays[1][i]), all(arrays[2][i])};
    for (uint32_t k = 0; k < near->count; ++k) {
        for (uint32_t row = near->begin[k] & ~7u; row < near->end[k]; row += ROW) {
            for (int p = 0; p < PARTS; ++p) {
                uint32_t j = row + (uint32_t)(p * LANES);
                view v = look(s, near, k, j, at, inverse);
                sums[p] += term(s, &v, j, own);
            }
        }
    }
    return total(sums);
}

static float meeting(const kin_foam_sea* s, const kin_stretches* near, uint32_t i) { return sum_over(s, near, i, s->v, trapped); }
static float turning(const kin_foam_sea* s, const kin_stretches* near, uint32_t i) { return sum_over(s, near, i, s->n, turned); }

static void carrying(const kin_foam_sea* s, const kin_stretches* near, const float place[3], float out[5])
{
    lane sums[5][PARTS] = {0}, at[3] = {all(place[0]), all(place[1]), all(place[2])}, inverse = all((float)(1 / s->reach));
    for (uint32_t k = 0; k < near->count; ++k) {
        for (uint32_t row = near->begin[k] & ~7u; row < near->end[k]; row += ROW) {
            for (int p = 0; p < PARTS; ++p) {
                uint32_t j = row + (uint32_t)(p * LANES);
                view v = look(s, near, k, j, at, inverse);
                for (int a = 0; a < 3; ++a) sums[a][p] += v.w * load(s->v[a] + j);
                sums[3][p] += v.w;
                sums[4][p] += pick(v.in, all(1), all(0));
            }
        }
    }
    add_up(sums, 5, out);
}

const kin_foam_kernels KIN_KERNEL(kin_foam_kernels) = {facing, meeting, turning, carrying};
