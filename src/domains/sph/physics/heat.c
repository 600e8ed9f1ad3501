/* heat.c - heat flows from warm particles to cold ones (H13.3).
 *
 *     rho_i c_i dT_i/dt = (2/M) sum_j k_ij g_ij (T_i - T_j),     k_ij harmonic mean          (Brookshaw 1985, Cleary & Monaghan 1999)
 *
 * What one side of a pair gives the other gets, so heat is kept to rounding. Explicit, in s stages that are stable for (s^2 + s) / 2 times the tick of a plain
 * step and never make a new extreme (Runge-Kutta-Legendre: Meyer, Balsara & Aslam 2014): s = 1 is Euler's step, which is what water needs; copper as fine as
 * sand takes a few more. The stages are in double, for what a tick brings is often less than the last bit of 300 K in float. */
#include "domains/sph/physics/inside.h"
#include "domains/sph/physics/pairs.h"
#include "system/curve.h"

enum { MOST_STAGES = 500 };

typedef struct heat_job {
    kin_sph* f;
    kin_sph_pairs pairs;
    double *now, *before, *next; /* temperatures of the stages */
    double mu, nu, step;         /* next = mu now + nu before + step dT/dt(now) */
} heat_job;

static double capacity(const kin_sph* f, size_t i) /* J/(m^3 K) */
{
    double c = f->def.phases.count > 0 ? kin_sph_phase_def_of(f, i)->heat_capacity : 1;
    return (double)f->phases[f->phase[i]].density * (c > 0 ? c : 1);
}
static double conductivity(const kin_sph* f, size_t i) { return (double)f->phases[f->phase[i]].diffusivity * capacity(f, i); }

static double rate(const heat_job* job, size_t i)
{
    const kin_sph* f = job->f;
    double sum = 0, ki = conductivity(f, i), t = job->now[i];
    for (kin_sph_walk w = kin_sph_walk_of(&job->pairs, i); kin_sph_walk_next(&w);) {
        double kj = f->phase[w.j] == f->phase[i] ? ki : conductivity(f, w.j), k = ki + kj > 0 ? 2 * ki * kj / (ki + kj) : 0;
        sum += k * (double)w.g * (t - job->now[w.j]);
    }
    return 2 * sum / (f->physics->scales.moment * capacity(f, i));
}

static void some_stage(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const heat_job* job = argument;
    (void)chunk;
    for (size_t i = begin * KIN_SPH_LANES; i < kin_sph_end(f, end); ++i) {
        job->next[i] = job->mu * job->now[i] + job->nu * job->before[i] + job->step * rate(job, i);
    }
}

/* Of one plain step, s: with twice the lattice's sum of g for places that are crowded, and twice the conductivity for what a pair of unlike phases can have. */
static double plain_tick(const kin_sph* f)
{
    double most = 0;
    for (uint32_t k = 0; k < f->phase_count; ++k) most = kin_max(most, (double)f->phases[k].diffusivity);
    return most > 0 ? f->physics->scales.moment / (2 * most * 2 * f->physics->scales.all_g) / (f->phase_count > 1 ? 2 : 1) : 1e300;
}

static int stages_for(double ratio) /* (s^2 + s) / 2 >= ratio */
{
    double s = kin_ceil(0.5 * (kin_sqrt(1 + 8 * ratio) - 1));
    return s < 1 ? 1 : s > MOST_STAGES ? MOST_STAGES : (int)s;
}

static void turn(heat_job* job)
{
    double* free = job->before;
    job->before = job->now, job->now = job->next, job->next = free;
}

void kin_sph_heat(kin_sph* f, kin_sph_tick* tick)
{
    if (f->physics == NULL || f->temperature == NULL || f->count == 0) return;
    double plain = plain_tick(f), h = (double)tick->h;
    if (plain >= 1e300) return;
    heat_job job = {.f = f, .pairs = kin_sph_pairs_of(f), .now = (double*)kin_sph_scratch(f, 2)};
    if (job.now == NULL) {
        kin_step_warn(tick->step, 0, "heat: out of memory");
        return;
    }
    size_t n = KIN_SPH_LANES * f->blocks;
    job.before = job.now + n, job.next = job.before + n;
    for (size_t i = 0; i < f->count; ++i) job.now[i] = job.before[i] = (double)f->temperature[i];
    int s = stages_for(h / plain);
    if (s == MOST_STAGES) kin_step_note_cap(tick->step, 1, "heat: stages"), h = kin_min(h, 0.5 * plain * s * (s + 1));
    double weight = 2.0 / (s * s + s);
    for (int j = 1; j <= s; ++j) {
        job.mu = (2.0 * j - 1) / j, job.nu = (1.0 - j) / j, job.step = (j == 1 ? 1 : job.mu) * weight * h;
        kin_sph_for(f, tick->step->jobs, some_stage, &job);
        turn(&job);
    }
    for (size_t i = 0; i < f->count; ++i) f->temperature[i] = (float)job.now[i];
}
