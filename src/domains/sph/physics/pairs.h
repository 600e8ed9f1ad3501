/* pairs.h - neighbours one by one, for what is too rare or too crooked for lanes. The order is that of the list: sums do not depend on who computes them.
 *
 *     for (kin_sph_walk w = kin_sph_walk_of(&pairs, i); kin_sph_walk_next(&w);) sum += w.g * w.x[0] ...       */
#pragma once
#include "domains/sph/fluid.h"
#include "domains/sph/physics/kernels.h"
#include "math/vec3.h"

typedef struct kin_sph_walk {
    const kin_sph_pairs* pairs;
    size_t base, row, end; /* the block's first particle; rows */
    size_t i, j;           /* who, and its present neighbour */
    float x[3];            /* x_i - x_j, nearest image */
    float g;
} kin_sph_walk;

static inline kin_sph_walk kin_sph_walk_of(const kin_sph_pairs* pairs, size_t i)
{
    size_t b = i / KIN_SPH_LANES;
    return (kin_sph_walk){.pairs = pairs, .base = KIN_SPH_LANES * b, .row = pairs->lists->first[b], .end = pairs->lists->first[b + 1], .i = i};
}

static inline bool kin_sph_walk_next(kin_sph_walk* w)
{
    const kin_sph_pairs* p = w->pairs;
    const kin_sph_lists* l = p->lists;
    while (w->row < w->end) {
        size_t at = KIN_SPH_LANES * w->row++ + (w->i - w->base);
        w->g = l->g[at];
        w->j = (size_t)((ptrdiff_t)w->base + (l->wide ? l->far[at] : l->near[at]));
        if (w->j == w->i) continue; /* padding */
        for (int a = 0; a < 3; ++a) {
            w->x[a] = p->x4[4 * w->i + (size_t)a] - p->x4[4 * w->j + (size_t)a];
            if (l->wide && p->size[a] > 0) {
                const float magic = 12582912.0f;
                w->x[a] -= p->size[a] * ((w->x[a] * p->inv[a] + magic) - magic);
            }
        }
        return true;
    }
    return false;
}
static inline kin_vec3 kin_sph_apart(const kin_sph_walk* w) { return kin_v((double)w->x[0], (double)w->x[1], (double)w->x[2]); }
