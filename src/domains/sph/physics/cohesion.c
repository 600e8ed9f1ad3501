/* cohesion.c - surface tension by company: particles are drawn to where there are more (in the manner of Akinci 2013 and He 2014).
 *
 * An energy and its exact gradient, so what it gives to motion it has lost itself: momentum and angular momentum are kept, and energy but for the length of ticks,
 * however thin the fluid. c counts the company a particle has, 1 inside, 0 alone; n is its gradient:
 *
 *     E = sigma V sum_i  2 area (sqrt(n_i^2 + e^2) - e) + hold / l (1 - c_i)^2        e = faint / l: fainter gradients are noise; no second term where c > 1
 *
 * The first term is area: 2 V sum |n| is one, however the outer layers are packed. Alone it would boil, since who has no company has no n; the second makes
 * leaving dear. How the outer layers lie decides what the sum of both is: sigma is met to some tens of per cent. Two passes and nothing serial: for splashes and
 * sheets, where drops count by their look; tension.c is for drops that are measured. By walls, the change of b with place is left out of the first term. */
#include "domains/sph/physics/inside.h"

typedef struct weights {
    float area, hold, faint;
} weights;
/* As tried, for a support of two spacings: a square of fluid becomes round, and nothing boils off it (tension_test.c). */
static const weights in_plane = {0.5f, 1, 0.2f}, in_space = {0.6f, 4, 0.3f};

typedef struct cohesion_job {
    kin_sph_pairs pairs;
    const kin_sph_physics_kernels* kernels;
    weights by;
    float *company4, *loss4; /* n and c; what E loses by them, over V: the fourth in units of join */
    float *scale, *coef;     /* of the pull of others; what walls get, as pressures */
} cohesion_job;

kin_sph_company kin_sph_company_of(int dimensions, double support, double spacing)
{
    int reach = (int)(support / spacing) + 1, deep = dimensions == 3 ? reach : 0;
    double all = 0, moment = 0;
    for (int i = -reach; i <= reach; ++i) {
        for (int j = -reach; j <= reach; ++j) {
            for (int k = -deep; k <= deep; ++k) {
                double r = spacing * kin_sqrt((double)(i * i + j * j + k * k)), q = r / support, t = 1 - q;
                if (r == 0 || t <= 0) continue;
                all += t * t * t * (1 + 3 * q), moment += t * t * r * r / dimensions;
            }
        }
    }
    return (kin_sph_company){(float)(1 / support), (float)(1 / all), (float)(1 / moment)};
}

/* Walls count as company. */
static void begin_company(const kin_sph* f, float* company4, size_t i)
{
    for (size_t a = 0; a < 3; ++a) company4[4 * i + a] = i < f->count ? f->b[a][i] : 0;
    company4[4 * i + 3] = i < f->count ? f->lambda[i] : 0;
}

/* partial 0: the energy. x4: the fourth is the tension. */
static void some_company(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const cohesion_job* job = argument;
    const kin_sph_company* how = &f->physics->scales.company;
    const float faint = job->by.faint / f->spacing,
                slopes = 12 * how->peak * how->inv_reach * how->inv_reach / how->slope; /* of the bell of c over that of n */
    double energy = 0;
    for (size_t i = begin * KIN_SPH_LANES; i < end * KIN_SPH_LANES; ++i) begin_company(f, job->company4, i);
    job->kernels->fill(&job->pairs, how, job->company4, begin, end);
    for (size_t i = begin * KIN_SPH_LANES; i < end * KIN_SPH_LANES; ++i) {
        const float *n = job->company4 + 4 * i, s = i < f->count ? f->x4[4 * i + 3] : 0;
        float lack = n[3] < 1 ? 1 - n[3] : 0, size = __builtin_sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] + faint * faint);
        float along = 2 * job->by.area * s / size, alone = 2 * job->by.hold * s * lack / f->spacing;
        for (size_t a = 0; a < 3; ++a) job->loss4[4 * i + a] = along * n[a];
        job->loss4[4 * i + 3] = slopes * alone;
        job->scale[i] = i < f->count ? how->slope * f->inv_rho[i] : 0;
        job->coef[i] = -alone;
        energy += (double)(s * f->volume * (2 * job->by.area * (size - faint) + job->by.hold * lack * lack / f->spacing));
    }
    f->partial[KIN_SPH_PARTIALS * chunk] = energy;
}

static void some_pulls(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const cohesion_job* job = argument;
    (void)chunk;
    job->kernels->join(&job->pairs, &f->physics->scales.company, job->loss4, job->scale, f->a4, begin, end);
    for (size_t i = begin * KIN_SPH_LANES; i < kin_sph_end(f, end); ++i) {
        for (size_t a = 0; a < 3; ++a) f->a4[4 * i + a] -= job->coef[i] * f->inv_rho[i] * f->b[a][i];
    }
}

void kin_sph_cohesion(kin_sph* f, kin_jobs* jobs, float* room, float* coef)
{
    const size_t four = kin_sph_four(f);
    cohesion_job job = {.pairs = kin_sph_pairs_of(f), .kernels = kin_sph_physics_kernels_of(f), .by = f->flat ? in_plane : in_space, .coef = coef};
    job.company4 = room, job.loss4 = room + four, job.scale = room + 2 * four;
    kin_sph_for(f, jobs, some_company, &job);
    f->physics->surface_energy = kin_sph_total(f, 0);
    kin_sph_for(f, jobs, some_pulls, &job);
}
