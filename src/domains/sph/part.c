/* part.c - particles at one and the same place know no direction to push each other in. Each is moved by a thousandth of the spacing, in a direction that its
 * serial gives: two serials give two directions. */
#include "base/hash.h"
#include "domains/sph/fluid.h"
#include <string.h>

#define SAME_PLACE 1e-5f /* in supports */
#define STEP_AWAY 1e-3f  /* in spacings */

static ptrdiff_t offset_at(const kin_sph_lists* l, size_t row, size_t lane) { return l->wide ? l->far[8 * row + lane] : l->near[8 * row + lane]; }

/* work[0]: 1 for those who have to move. Places are those of the lists. */
static void find_pairs(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    (void)argument, (void)chunk;
    const kin_sph_lists* l = &f->lists;
    float least = SAME_PLACE * f->support;
    for (size_t i = 8 * begin; i < 8 * end; ++i) {
        f->work[0][i] = 0;
        for (size_t n = 0; n < f->neighbours[i]; ++n) {
            size_t j = i / 8 * 8 + (size_t)offset_at(l, l->first[i / 8] + n, i % 8);
            float square = 0;
            for (size_t a = 0; a < 3; ++a) square += (f->xs[a][i] - f->xs[a][j]) * (f->xs[a][i] - f->xs[a][j]);
            if (square <= 4 * least * least) f->work[0][i] = 1;
        }
    }
}

static void step_away(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    (void)argument, (void)chunk;
    for (size_t i = 8 * begin; i < 8 * end; ++i) {
        if (f->work[0][i] == 0) continue;
        uint64_t bits = kin_hash(&f->serial[i], sizeof f->serial[i]);
        for (size_t a = 0; a < (f->flat ? 2u : 3u); ++a) {
            float share = (float)((bits >> (20 * a)) & 0xfffff) * (2.0f / 0x100000) - 1;
            f->x4[4 * i + a] += STEP_AWAY * f->spacing * share;
        }
    }
}

void kin_sph_part(kin_sph* f, kin_jobs* jobs)
{
    kin_sph_for(f, jobs, find_pairs, NULL);
    kin_sph_for(f, jobs, step_away, NULL);
}
