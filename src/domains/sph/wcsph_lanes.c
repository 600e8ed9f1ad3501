/* wcsph_lanes.c - the pressures of wcsph.c, in lanes.
 *
 * D is near 1, and D^gamma - 1 is what matters: as (D - 1) (1 + D + ... + D^(gamma-1)) it has all the digits that D has. */
#include "domains/sph/wcsph.h"
#include "domains/sph/pair_lanes.h"
#include "math/scalar.h"

/* D^gamma - 1, D = 1 + e >= 1. */
INLINE lane risen(const kin_sph_of_state* eq, lane e)
{
    lane d = all(1) + e, sum = all(1), out;
    for (int i = 1; i < eq->whole; ++i) sum = sum * d + all(1);
    if (eq->whole > 0) return e * sum;
    for (int l = 0; l < LANES; ++l) out[l] = (float)(kin_pow((double)d[l], eq->gamma) - 1);
    return out;
}

/* By lane: density of its phase; 1, or 0 where it is a gas that spreads. */
typedef struct matter {
    lane rho, whole;
} matter;

INLINE matter matter_of(const kin_sph* f, size_t i)
{
    const kin_sph_phase* p = f->phases;
    matter m = {all(p->density), all(p->spreads ? 0 : 1)};
    for (int l = 0; l < LANES && f->phase_count > 1; ++l) {
        p = &f->phases[f->phase[i + (size_t)l]];
        m.rho[l] = p->density, m.whole[l] = p->spreads ? 0 : 1;
    }
    return m;
}

INLINE lane pressures(const kin_sph* f, const kin_sph_of_state* eq, size_t i)
{
    const matter m = matter_of(f, i);
    lane zero = all(0), d = load(f->density + i) - m.whole * all(f->rest - 1), e = d - m.whole;
    which free = eq->gas ? zero == zero : m.whole == zero;
    lane p = pick(free, all(eq->stiffness) * m.rho * e, all(eq->stiffness_over_gamma) * m.rho * risen(eq, more(e, zero)));
    lane size = more(p, zero - p), more_p = all(eq->bulk) * m.rho * load(f->factor + i);
    p += pick(d > all(1), less(more(more_p, zero - size), size), zero);
    return pick(load(f->inv_rho + i) > zero, pick(free, p, more(p, zero)) / (d * d), zero); /* none in parked lanes */
}

void KIN_KERNEL(kin_sph_equate)(kin_sph* f, const kin_sph_of_state* eq, size_t begin, size_t end)
{
    for (size_t i = 8 * begin; i < 8 * end; i += LANES) {
        lane k = pressures(f, eq, i);
        store(f->k_density + i, k);
        for (size_t l = 0; l < LANES; ++l) f->x4[4 * (i + l) + 3] = k[l];
    }
}
