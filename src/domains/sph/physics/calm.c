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

#define PACE_OF_PRESSURE 4.0f

typedef struct calm_job {
    kin_sph* f;
    kin_sph_pairs pairs;
    const kin_sph_physics_kernels* kernels;
    float *u4, *out4, *pace;
    float rate, most;
} calm_job;

static void some_ready(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const calm_job* job = argument;
    (void)chunk;
    for (size_t i = begin * KIN_SPH_LANES; i < end * KIN_SPH_LANES; ++i) {
        for (size_t a = 0; a < 3; ++a) job->u4[4 * i + a] = f->v4[4 * i + a];
        job->u4[4 * i + 3] = i < f->count ? f->phases[f->phase[i]].mass : 0;
        const float* v = f->v4 + 4 * i;
        float k = f->k_density[i] > 0 ? f->k_density[i] : 0;
        job->pace[i] = __builtin_sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + PACE_OF_PRESSURE * __builtin_sqrtf(k * f->inv_rho[i]);
    }
}

static void some_smooth(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const calm_job* job = argument;
    (void)f, (void)chunk;
    job->kernels->smooth(&job->pairs, job->u4, job->pace, job->rate, job->most, job->out4, begin, end);
}

static void some_take(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const calm_job* job = argument;
    double lost = 0;
    for (size_t i = begin * KIN_SPH_LANES; i < kin_sph_end(f, end); ++i) {
        for (size_t k = 4 * i; k < 4 * i + 3; ++k) {
            float v = f->v4[k], w = v + job->out4[k];
            lost += 0.5 * (double)job->u4[4 * i + 3] * ((double)v * (double)v - (double)w * (double)w);
            f->v4[k] = w;
        }
    }
    f->partial[KIN_SPH_PARTIALS * chunk] = lost;
}

static bool smooth(kin_sph* f, kin_sph_tick* tick)
{
    double share = kin_min(f->def.smoothing, 1) / f->physics->scales.all_g;
    calm_job job = {.f = f, .pairs = kin_sph_pairs_of(f), .kernels = kin_sph_physics_kernels_of(f), .u4 = kin_sph_scratch(f, 2), .pace = f->work[0]};
    if (job.u4 == NULL) return false;
    job.out4 = job.u4 + kin_sph_four(f);
    job.rate = (float)(share * (double)tick->h / (2 * (double)f->spacing)), job.most = (float)(0.5 * share);
    kin_sph_for(f, tick->step->jobs, some_ready, &job);
    kin_sph_for(f, tick->step->jobs, some_smooth, &job);
    kin_sph_for(f, tick->step->jobs, some_take, &job);
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
