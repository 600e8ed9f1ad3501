/* calm.c - what changes velocities at once, between forces and pressure: strong viscosity and smoothing. None of it adds kinetic energy.
 *
 * Smoothing (XSPH, Monaghan 1989): a particle takes on a share of its neighbours' mean velocity while it moves by its spacing,
 *
 *     v_i += sum_j w_ij e min(1/2, (c_i + c_j) h / 2 l) 2 m_j / (m_i + m_j) (v_j - v_i),     w_ij = g_ij / sum of g over the lattice
 *
 * with the pace c = |v| + 4 sqrt(p / rho): particles that are pressed shake each other at the pace of their pressure, however slow they are, and without the
 * second term a column that has found its order never comes to rest (what |v| alone takes falls with the square of the speed).
 *
 * so that halving ticks halves what each does. Weights are symmetric: momentum is kept. They sum to at most 1 a tick, so energy cannot grow. */
#include "domains/sph/physics/inside.h"
#include <string.h>

#define PACE_OF_PRESSURE 4.0f

typedef struct calm_job {
    kin_sph_pairs pairs;
    const kin_sph_physics_kernels* kernels;
    kin_sph_smoothing how;
    float *u4, *mass;
} calm_job;

static void some_ready(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const calm_job* job = argument;
    (void)chunk;
    job->kernels->pace(f->v4, f->k_density, f->inv_rho, PACE_OF_PRESSURE, job->u4, begin, end);
    if (job->how.mass == NULL) return;
    for (size_t i = begin * KIN_SPH_LANES; i < end * KIN_SPH_LANES; ++i) job->mass[i] = i < f->count ? f->phases[f->phase[i]].mass : 0;
}

static void some_smooth(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const calm_job* job = argument;
    f->partial[KIN_SPH_PARTIALS * chunk] = job->kernels->smooth(&job->pairs, &job->how, job->u4, f->v4, begin, end);
}

static bool masses_differ(const kin_sph* f)
{
    bool differ = false;
    for (uint32_t k = 1; k < f->phase_count; ++k) differ |= f->phases[k].mass != f->phases[0].mass;
    return differ;
}

static bool smooth(kin_sph* f, kin_sph_tick* tick)
{
    double share = kin_min(f->def.smoothing, 1) / f->physics->scales.all_g;
    calm_job job = {.pairs = kin_sph_pairs_of(f), .kernels = kin_sph_physics_kernels_of(f), .u4 = kin_sph_scratch(f, 1), .mass = f->work[0]};
    if (job.u4 == NULL) return false;
    job.how = (kin_sph_smoothing){.mass = masses_differ(f) ? job.mass : NULL, .one = f->phases[0].mass};
    job.how.rate = (float)(share * (double)tick->h / (2 * (double)f->spacing)), job.how.most = (float)(0.5 * share);
    kin_sph_for(f, tick->step->jobs, some_ready, &job);
    kin_sph_for(f, tick->step->jobs, some_smooth, &job);
    f->dissipated += kin_sph_total(f, 0);
    return true;
}

bool kin_sph_calm(kin_sph* f, kin_sph_tick* tick)
{
    if (f->count == 0 || f->physics == NULL) return true;
    bool ok = !kin_sph_is_implicit(f, (double)tick->h) || kin_sph_viscosity_implicit(f, tick);
    ok = ok && (f->def.smoothing <= 0 || smooth(f, tick));
    if (!ok) kin_step_refuse(tick->step, 0, 0, "no memory for viscosity");
    return ok;
}
