/* pressure.c - the pressure of a particle as it is reported: the mean stress in it. Irving & Kirkwood 1950; the virial of forces.
 *
 * What solvers find, k, is a multiplier: how hard a pair pushes depends on how particles lie too. The force of a pair is V (k_i + k_j) (-g) x_ij (fluid.h), that
 * of a wall -V k_i b_i from its nearest point, y_w. A half of each pair's moment is each one's, a wall's is the particle's; over the volume V / D and d dimensions
 *
 *     p_i = (D_i / d) (1/2 sum_j (k_i + k_j) (-g_ij) r_ij^2  -  k_i sum_w b_w . (x_i - y_w))
 *
 * In the continuum -(1/d) sum g r^2 = 1 and p = k; on a lattice of the default kernel it is a few per cent off, the more the less it is a square one. Stress
 * balances weight however particles lie: a fluid at rest has the slope rho g in the mean over a level, which k D^2 has not. Particles at a wall read a little
 * low, those behind them a little high: a wall pushes along its normal alone.
 *
 * Few ask, and not at every step, so it is found when asked for: what it takes lasts until the next sort. It is no state: nothing follows from it. Of a tank that
 * was loaded, or put back to before a step that failed, lists are gone: it has the pressures that were known when it was saved, else those of its multipliers,
 * k D^2. */
#include "domains/sph/pressure.h"
#include "base/alloc.h"

bool kin_sph_make_pressures(kin_sph* f)
{
    if (f->pressure != NULL) return true;
    f->pressure = kin_alloc_zero(&f->allocator, f->capacity * sizeof *f->pressure);
    if (f->pressure != NULL) f->columns |= KIN_SPH_HAS_PRESSURE;
    return f->pressure != NULL;
}

static void find_stress(kin_sph* f)
{
    static kin_sph_stress_fn* const stresses[] = {kin_sph_stress_none, kin_sph_stress_sse2, kin_sph_stress_avx2};
    for (size_t i = 0; i < 8 * f->pressed; ++i) f->a4[4 * i + 3] = kin_sph_multiplier(f, i);
    stresses[f->simd](f, 0, f->pressed, f->pressure);
}

const float* kin_sph_pressures(kin_sph* f)
{
    if (f->pressure_known || f->count == 0) return f->pressure;
    if (!kin_sph_make_pressures(f)) return NULL;
    if (f->pressed > 0)
        find_stress(f);
    else
        for (size_t i = 0; i < f->count; ++i) f->pressure[i] = kin_sph_multiplier(f, i) * f->density[i] * f->density[i];
    f->pressure_known = true;
    return f->pressure;
}
