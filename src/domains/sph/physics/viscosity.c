/* viscosity.c - shear stress, explicit: pairs that strain, and the texts' Laplacian.
 *
 *     a_i = -(1/rho_i) (4 / M) sum_j eta_ij |g_ij| e_ij          e_ij = v_i - v_j - (s_i + s_j)/2 x x_ij,   eta_ij = 2 eta_i eta_j / (eta_i + eta_j)
 *
 * M = -sum g x^2 over the lattice, near 1. A Laplacian (Brookshaw 1985: 2/M and v_i - v_j alone) brakes a drop that turns as a whole; here each particle has a turning
 * rate s_i of its surroundings, and what is left of a pair's motion is straining (implicit.c has the energy, with one s for all). s_i makes its own part least,
 *
 *     E = sum over pairs of (2/M) eta_ij |g_ij| (|e_i|^2 + |e_j|^2) / 2,    e_i = v_i - v_j - s_i x x_ij:    sum_j eta_ij g_ij x_ij x (v_i - v_j - s_i x x_ij) = 0
 *
 * which is three equations a particle, and what makes the moments of all pair forces add up to nothing: angular momentum is kept to rounding, and a rigid motion
 * costs nothing. In the bulk s = curl v / 2 and viscosity is eta. A wall enters the equations of those that touch it as in shear.c, and a body gets that moment.
 * The harmonic mean is what a shear flow across an interface needs (its stress is continuous); eta and not nu makes forces equal and opposite between phases of
 * any weight. E is least in s, so pairs only lose motion: kinetic energy never grows as long as the tick is below 1 / (2 nu G), G = -(4/M) sum g.
 *
 * The texts (H14.3, C3.8) use the Laplacian of a kernel itself, nu sum V (v_j - v_i) lap W. Of Monaghan's spline that is negative near the middle, which would
 * drive close pairs apart; Mueller's viscosity kernel was made not to: lap W = 45/(pi h^6) (h - r), in the plane 40/(pi h^5) (h - r). */
#include "domains/sph/boundary/boundary.h"
#include "domains/sph/physics/inside.h"
#include "system/curve.h"
#include <string.h>

double kin_sph_softness(const kin_sph* f, size_t i)
{
    if (f->physics == NULL || !f->physics->has_thickness || f->temperature == NULL) return 1;
    return kin_max(kin_curve_at(&kin_sph_phase_def_of(f, i)->thickness, (double)f->temperature[i], 1), 0);
}

double kin_sph_reference(const kin_sph* f, size_t i) { return f->def.phases.count > 0 ? kin_sph_phase_def_of(f, i)->reference : 0; }

float kin_sph_nu(const kin_sph* f, size_t i) { return f->phases[f->phase[i]].viscosity * (float)kin_sph_softness(f, i); }

float kin_sph_viscosity_at(const kin_sph* f, size_t i)
{
    const kin_sph_physics* p = f->physics;
    bool done = p != NULL && p->holds;
    return (done ? 0 : kin_sph_nu(f, i)) + kin_sph_sand_grip(f, i);
}

bool kin_sph_thickness_differs(const kin_sph* f)
{
    if (f->physics->has_thickness && f->temperature != NULL) return true;
    const kin_sph_phase* p = f->phases;
    for (uint32_t k = 1; k < f->phase_count; ++k) {
        if (p[k].viscosity * p[k].density != p[0].viscosity * p[0].density) return true;
    }
    return false;
}

/* m^2/s: the largest there is. */
static double most_viscous(const kin_sph* f)
{
    double most = 0;
    if (f->physics->has_thickness && f->temperature != NULL) {
        for (size_t i = 0; i < f->count; ++i) most = kin_max(most, (double)kin_sph_nu(f, i));
    } else {
        for (uint32_t k = 0; k < f->phase_count; ++k) most = kin_max(most, (double)f->phases[k].viscosity);
    }
    return most;
}

/* Of the heaviest phase's dynamic viscosity on the lightest: what a pair of them feels at most is twice the thinner one's, so its own kinematic one decides. */
double kin_sph_viscosity_tick(const kin_sph* f)
{
    const kin_sph_scales* s = &f->physics->scales;
    double nu = most_viscous(f), least = 1e300, heaviest = 0;
    for (uint32_t k = 0; k < f->phase_count; ++k) {
        least = kin_min(least, (double)f->phases[k].density), heaviest = kin_max(heaviest, (double)f->phases[k].density);
    }
    double contrast = f->phase_count > 1 ? kin_min(2, heaviest / least) : 1;
    return nu > 0 ? s->moment / (8 * nu * contrast * s->all_g) : 1e300;
}

bool kin_sph_is_implicit(const kin_sph* f, double h)
{
    if (f->def.viscosity == KIN_SPH_VISCOSITY_AUTO) return h > kin_sph_viscosity_tick(f);
    return f->def.viscosity == KIN_SPH_VISCOSITY_IMPLICIT;
}

/* Share of the way per tick where implicit viscosity and pressure act one after the other in a full tank: there nothing else bounds the tick, and the error of the
 * splitting is of its first order. Decay of Taylor-Green vortices at Re 100, 64 across: 5 % too fast at the whole way, 0.5 % at a half, 0.3 % at a quarter. */
#define SPLIT_SHARE 0.5

/* Of spacing^2 / nu per tick there: a solve that knows no pressure finds motions between disordered neighbours, squeezing ones too, that spare the fluid straining, and
 * it seems thinner the more of them a tick may make at once. The same vortices at Re 20: decay 2.5 % too slow at 0.31, 0.8 % at 0.14. */
#define SPLIT_REACH 0.2

double kin_sph_split_longest(const kin_sph* f, double h, double motion)
{
    double nu = f->physics != NULL ? most_viscous(f) : 0;
    if (!f->full || !(nu > 0) || !kin_sph_is_implicit(f, h)) return h;
    return kin_min(h, kin_min(SPLIT_SHARE * motion, SPLIT_REACH * (double)f->spacing * (double)f->spacing / nu));
}

typedef struct viscosity_job {
    kin_sph* f;
    kin_sph_pairs pairs;
    const kin_sph_physics_kernels* kernels;
    kin_sph_wall_shear shear;
    kin_sph_strain how;
    const float* u4;
    float *mixed4, *coef; /* mixed4: u4 where it is mixed */
    float *eta, *matrix, *moment4, *s4, *force4;
    double h;
    bool mixed;
    float factor; /* of the texts, before eta / rho */
} viscosity_job;

/* Velocities with thickness beside them where it differs, and what is put before the texts' sums. */
static void some_ready(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const viscosity_job* job = argument;
    (void)chunk;
    float one = f->phases[0].density * f->phases[0].viscosity;
    for (size_t i = begin * KIN_SPH_LANES; i < end * KIN_SPH_LANES; ++i) {
        job->eta[i] = !job->mixed ? one : i < f->count ? f->phases[f->phase[i]].density * kin_sph_nu(f, i) : 0;
        job->coef[i] = job->factor * f->inv_rho[i] * (job->mixed ? 1 : one);
    }
    for (size_t i = begin * KIN_SPH_LANES; job->mixed && i < end * KIN_SPH_LANES; ++i) {
        for (size_t a = 0; a < 3; ++a) job->mixed4[4 * i + a] = f->v4[4 * i + a];
        job->mixed4[4 * i + 3] = job->eta[i];
    }
}

static void some_text(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const viscosity_job* job = argument;
    (void)chunk;
    job->kernels->text(&job->pairs, job->u4, job->mixed, job->coef, f->support, f->a4, begin, end);
}

static void some_turns(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const viscosity_job* job = argument;
    (void)f;
    job->kernels->turning(&job->pairs, job->mixed, 0.5f * job->how.c, job->u4, job->matrix, job->moment4, begin, end);
    kin_sph_walls_turning_add(&job->shear, chunk, job->u4, job->matrix, job->moment4);
    job->kernels->turn(job->matrix, job->moment4, job->s4, begin, end);
}

/* a4 -= force / rho; partial 0: what that takes in the tick, J. */
static void some_strain(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const viscosity_job* job = argument;
    const float h = (float)job->h;
    double lost = 0;
    job->kernels->strain(&job->pairs, &job->how, job->u4, job->s4, job->force4, job->moment4, begin, end);
    for (size_t i = begin * KIN_SPH_LANES; i < kin_sph_end(f, end); ++i) {
        for (size_t k = 4 * i; k < 4 * i + 3; ++k) {
            float a = job->force4[k] * f->inv_rho[i];
            f->a4[k] -= a;
            lost += (double)(f->phases[f->phase[i]].mass * a * (f->v4[k] - 0.5f * h * a));
        }
    }
    f->partial[KIN_SPH_PARTIALS * chunk] = job->h * lost;
}

bool kin_sph_shear(kin_sph* f, kin_sph_tick* tick)
{
    if (f->count == 0 || most_viscous(f) <= 0 || kin_sph_is_implicit(f, (double)tick->h)) return true;
    kin_jobs* jobs = tick->step->jobs;
    viscosity_job job = {
        .f = f, .pairs = kin_sph_pairs_of(f), .kernels = kin_sph_physics_kernels_of(f), .h = (double)tick->h, .mixed = kin_sph_thickness_differs(f)};
    const size_t four = kin_sph_four(f);
    float* room = kin_sph_scratch(f, 6);
    if (room == NULL) return false;
    job.mixed4 = room, job.s4 = room + four, job.moment4 = room + 2 * four, job.force4 = room + 3 * four, job.matrix = room + 4 * four; /* six of its eight */
    job.u4 = job.mixed ? job.mixed4 : f->v4, job.coef = f->work[0], job.eta = f->work[1];
    const double h2 = (double)f->support * (double)f->support, pi = KIN_PI;
    const double lap = f->flat ? 40 / (pi * h2 * h2 * (double)f->support) : 45 / (pi * h2 * h2 * h2);
    job.factor = (float)(lap * (double)f->volume);
    kin_sph_for(f, jobs, some_ready, &job);
    if (f->def.viscosity == KIN_SPH_VISCOSITY_TEXT) {
        kin_sph_for(f, jobs, some_text, &job);
        return true;
    }
    memset(f->work[2], 0, 8 * f->blocks * sizeof(float));
    job.how = (kin_sph_strain){.mixed = job.mixed, .diag = f->work[2]};
    job.how.c = (float)(4 / f->physics->scales.moment) * (job.mixed ? 1 : f->phases[0].density * f->phases[0].viscosity);
    job.shear = (kin_sph_wall_shear){.f = f, .tick = tick, .eta = job.eta, .h = 1};
    kin_sph_for(f, jobs, some_turns, &job);
    kin_sph_for(f, jobs, some_strain, &job);
    f->dissipated += kin_sph_total(f, 0);
    kin_sph_walls_turning_end(&job.shear, job.u4, job.s4);
    return true;
}
