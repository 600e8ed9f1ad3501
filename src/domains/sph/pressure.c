/* pressure.c - the pressure of a particle as it is reported: the mean stress in it. Irving & Kirkwood 1950; the virial of forces.
 *
 * What solvers find, k, is a multiplier: how hard a pair pushes depends on how particles lie too. The force of a pair is V (k_i + k_j) (-g) x_ij (fluid.h), that
 * of a wall -V k_i b_i from its nearest point, y_w. A half of each pair's moment is each one's, a wall's is the particle's; over the volume V / D and d dimensions
 *
 *     p_i = (D_i / d) (1/2 sum_j (k_i + k_j) (-g_ij) r_ij^2  -  k_i sum_w b_w . (x_i - y_w))
 *
 * In the continuum -(1/d) sum g r^2 = 1 and p = k; on a lattice of the default kernel it is a few per cent off, the more the less it is a square one. Stress
 * balances weight however particles lie: a fluid at rest has the slope rho g in the mean over a level, which k D^2 has not. Particles at a wall read a little
 * low, those behind them a little high: a wall pushes along its normal alone. */
#include "domains/sph/pressure.h"
#include "base/jobs.h"

static void place_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    (void)argument, (void)chunk;
    for (size_t i = 8 * begin; i < 8 * end; ++i) f->a4[4 * i + 3] = f->k_density[i];
}

static void stress_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    static kin_sph_stress_fn* const stresses[] = {kin_sph_stress_none, kin_sph_stress_sse2, kin_sph_stress_avx2};
    (void)argument, (void)chunk;
    stresses[f->simd](f, begin, end, f->pressure);
}

void kin_sph_find_pressure(kin_sph* f, kin_jobs* jobs)
{
    kin_sph_for(f, jobs, place_chunk, NULL);
    kin_sph_for(f, jobs, stress_chunk, NULL);
}
