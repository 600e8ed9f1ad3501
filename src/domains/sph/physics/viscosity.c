/* viscosity.c - shear stress, explicit: Brookshaw's Laplacian, and the texts' one.
 *
 *     a_i = (1/rho_i) (2 / M) sum_j eta_ij g_ij (v_i - v_j)            eta_ij = 2 eta_i eta_j / (eta_i + eta_j)
 *
 * M = -sum g x^2 over the lattice, near 1: a field quadratic in x then has its exact Laplacian there, in space and in the plane alike. The harmonic mean is
 * what a shear flow across an interface needs (its stress is continuous); eta and not nu makes forces equal and opposite between phases of any weight.
 * g <= 0 makes every pair lose motion: kinetic energy never grows as long as the tick is below 1 / (2 nu G), G = -(2/M) sum g.
 *
 * The texts (H14.3, C3.8) use the Laplacian of a kernel itself, nu sum V (v_j - v_i) lap W. Of Monaghan's spline that is negative near the middle, which would
 * drive close pairs apart; Mueller's viscosity kernel was made not to: lap W = 45/(pi h^6) (h - r), in the plane 40/(pi h^5) (h - r). */
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
    return nu > 0 ? s->moment / (4 * nu * contrast * s->all_g) * (f->def.viscosity == KIN_SPH_VISCOSITY_TEXT ? 0.5 : 1) : 1e300;
}

bool kin_sph_is_implicit(const kin_sph* f, double h)
{
    if (f->def.viscosity == KIN_SPH_VISCOSITY_AUTO) return h > kin_sph_viscosity_tick(f);
    return f->def.viscosity == KIN_SPH_VISCOSITY_IMPLICIT;
}

typedef struct viscosity_job {
    kin_sph* f;
    kin_sph_pairs pairs;
    const kin_sph_physics_kernels* kernels;
    const float* u4;
    float *mixed4, *coef; /* mixed4: u4 where it is mixed */
    bool mixed;
    float factor; /* before eta / rho */
    bool text;
} viscosity_job;

/* What is put before each sum; and where thickness differs, velocities with it beside them. */
static void some_ready(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const viscosity_job* job = argument;
    (void)chunk;
    float one = f->phases[0].density * f->phases[0].viscosity;
    for (size_t i = begin * KIN_SPH_LANES; i < end * KIN_SPH_LANES; ++i) job->coef[i] = job->factor * f->inv_rho[i] * (job->mixed ? 1 : one);
    for (size_t i = begin * KIN_SPH_LANES; job->mixed && i < end * KIN_SPH_LANES; ++i) {
        for (size_t a = 0; a < 3; ++a) job->mixed4[4 * i + a] = f->v4[4 * i + a];
        job->mixed4[4 * i + 3] = i < f->count ? f->phases[f->phase[i]].density * kin_sph_nu(f, i) : 0;
    }
}

static void some_viscosity(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const viscosity_job* job = argument;
    (void)chunk;
    if (job->text) {
        job->kernels->text(&job->pairs, job->u4, job->mixed, job->coef, f->support, f->a4, begin, end);
    } else {
        job->kernels->spread(&job->pairs, job->u4, job->mixed, job->coef, f->a4, begin, end);
    }
}

bool kin_sph_shear(kin_sph* f, kin_sph_tick* tick)
{
    if (f->count == 0 || most_viscous(f) <= 0 || kin_sph_is_implicit(f, (double)tick->h)) return true;
    viscosity_job job = {.f = f, .pairs = kin_sph_pairs_of(f), .kernels = kin_sph_physics_kernels_of(f), .mixed = kin_sph_thickness_differs(f)};
    job.text = f->def.viscosity == KIN_SPH_VISCOSITY_TEXT;
    job.coef = f->work[0], job.u4 = f->v4;
    if (job.mixed) job.u4 = job.mixed4 = kin_sph_scratch(f, 1);
    if (job.u4 == NULL) return false;
    double h2 = (double)f->support * (double)f->support, pi = KIN_PI;
    double lap = f->flat ? 40 / (pi * h2 * h2 * (double)f->support) : 45 / (pi * h2 * h2 * h2);
    job.factor = (float)(job.text ? lap * (double)f->volume : 2 / f->physics->scales.moment);
    kin_sph_for(f, tick->step->jobs, some_ready, &job);
    kin_sph_for(f, tick->step->jobs, some_viscosity, &job);
    return true;
}
