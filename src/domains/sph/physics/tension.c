/* tension.c - what holds surfaces together. tension is sigma, N/m, in both ways of computing it; between phases it is |sigma_a - sigma_b| (Antonow's rule).
 *
 * Curvature (H14.6, H14.7). The gradient of the colour field, n_i = sum_j g x_ij + b_i, points into the fluid and is 0 inside. With kappa the divergence of
 * -n / |n| where |n| is above the threshold,
 *
 *     a_i = 2 sigma kappa n_i / rho_i
 *
 * Summed through a surface, V n is half its area whatever the order of the particles (what pairs add cancels but across a plane inside, where sum g x^2 = -1),
 * hence the 2: the pressure jump is sigma kappa, and nothing else is pressed. Of single particles n is noise, and noise has a curvature of its own: normals are
 * averaged over neighbours before they are made unit vectors, and then kappa is. It is measured a quarter of the support inside the surface, where a sphere
 * is smaller: kappa (1 + kappa depth / (d - 1))^-1 is the surface's. Keeps momentum only as well as kappa is known, and no energy:
 * a drop needs the viscosity to take up what errors of kappa put in (Ohnesorge number above 0.1; swings of a thinner one grow).
 *
 * Cohesion. An energy and its exact gradient, so what it gives to motion it has lost itself: momentum and angular momentum are kept, and energy too but for the
 * length of ticks, however thin the fluid. c counts the company a particle has, 1 inside, 0 alone; n is its gradient:
 *
 *     E = sigma V sum_i  2 area (sqrt(n_i^2 + e^2) - e) + hold / l (1 - c_i)^2        e = faint / l: fainter gradients are noise; no second term where c > 1
 *
 * The first term is area: 2 V sum |n| is one, however the outer layers are packed. Alone it would boil, since who has no company has no n; the second makes
 * leaving dear. That one in turn vanishes once the outer layers have drawn close enough, which density allows them to (project.c presses nobody below D = 1): alone
 * it is no tension. Outer layers are drawn close at the start, and that heats: a drop loses some of its first swing. How they lie decides what the sum of both is:
 * sigma is met to some tens of per cent, and the pressure inside no better; the weights were found for a support of two spacings. By walls, the change of b with
 * place is left out of the first term, and energy is kept no better than that.
 *
 * Walls count as fluid in n: what touches them costs nothing, and the angle of contact is 90 degrees. adhesion draws by C adhesion sigma |b| b / rho, C such
 * that parting fluid and wall takes adhesion sigma an area more: its cosine is the adhesion (Young, Dupre). */
#include "domains/sph/boundary/boundary.h"
#include "domains/sph/kernel.h"
#include "domains/sph/physics/inside.h"
#include "domains/sph/physics/pairs.h"
#include <string.h>

#define AVERAGES 4 /* of normals */

/* Of the energy of cohesion: such that a drop's period and the pressure in it come nearest to those of sigma, as tried (validation/sph/drops.c). */
typedef struct weights {
    float area, hold, faint;
} weights;
static const weights in_plane = {0.5f, 1, 0.2f}, in_space = {0.6f, 4, 0.3f};
static const weights* weights_of(const kin_sph* f) { return f->flat ? &in_plane : &in_space; }

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

/* ---- adhesion ---- */

/* b of a flat wall at distance d (boundary.h): 2 l sum_k w'(2 d + k l), w' = s times the slope summed over the plane. */
static double wall_slope(const kin_sph_bell* bell, double spacing, double d)
{
    double sum = 0;
    for (double s = 2 * d; s < bell->support; s += spacing) {
        if (bell->dimensions == 3) {
            sum += 2 * KIN_PI * s * kin_sph_bell_w(bell, s);
        } else {
            const int parts = 64;
            double side = kin_sqrt(bell->support * bell->support - s * s), dy = side / parts;
            for (int k = 0; k < parts; ++k) sum -= 2 * dy * s * kin_sph_bell_slope(bell, kin_sqrt(s * s + (k + 0.5) * (k + 0.5) * dy * dy));
        }
    }
    return 2 * spacing * sum;
}

double kin_sph_adhesion_factor(const kin_sph_bell* bell, double spacing)
{
    const int parts = 256;
    double step = 0.5 * bell->support / parts, sum = 0;
    for (int k = 0; k < parts; ++k) sum += step * kin_square(wall_slope(bell, spacing, (k + 0.5) * step));
    return 1 / sum;
}

/* ---- the pass ---- */

typedef struct tension_job {
    kin_sph* f;
    kin_sph_pairs pairs;
    const kin_sph_physics_kernels* kernels;
    float* coef;        /* of the pull of others */
    float *raw4, *bend; /* n, and kappa or what E loses by company */
    float *from4, *to4; /* what is averaged */
} tension_job;

static float strength(const kin_sph* f, size_t i) { return i < f->count ? f->phases[f->phase[i]].tension : 0; }

static void some_strengths(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    (void)argument, (void)chunk;
    for (size_t i = begin * KIN_SPH_LANES; i < end * KIN_SPH_LANES; ++i) f->x4[4 * i + 3] = strength(f, i);
}

static void some_adhesion(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const tension_job* job = argument;
    double factor = f->def.adhesion * f->physics->scales.adhesion;
    (void)chunk;
    for (size_t i = begin * KIN_SPH_LANES; i < kin_sph_end(f, end); ++i) {
        double b[3] = {(double)f->b[0][i], (double)f->b[1][i], (double)f->b[2][i]};
        job->bend[i] += (float)(factor * (double)strength(f, i) * kin_sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]));
    }
}

/* What draws particles to walls, bend b / rho; in coef the pressure that would do it. */
static void some_pull_of_walls(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const tension_job* job = argument;
    (void)chunk;
    for (size_t i = begin * KIN_SPH_LANES; i < end * KIN_SPH_LANES; ++i) {
        job->coef[i] = i < f->count ? -job->bend[i] : 0;
        for (size_t axis = 0; axis < 3 && i < f->count; ++axis) f->a4[4 * i + axis] += job->bend[i] * f->inv_rho[i] * f->b[axis][i];
    }
}

/* n into the fluid; a copy with the weight 1 of who is there. */
static void some_gradients(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const tension_job* job = argument;
    (void)chunk;
    for (size_t i = begin * KIN_SPH_LANES; i < end * KIN_SPH_LANES; ++i) {
        for (size_t a = 0; a < 3; ++a) job->raw4[4 * i + a] = i < f->count ? f->b[a][i] : 0;
        job->raw4[4 * i + 3] = i < f->count;
    }
    job->kernels->normal(&job->pairs, job->raw4, begin, end);
}

static void some_means(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const tension_job* job = argument;
    (void)chunk;
    job->kernels->mean(&job->pairs, f->support, job->from4, job->to4, begin, end);
}

/* The unit normal out of the fluid where there is a surface: fourth 1. */
static void some_directions(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const tension_job* job = argument;
    float least = (float)(f->def.tension_threshold / (double)f->spacing);
    (void)chunk;
    for (size_t i = begin * KIN_SPH_LANES; i < end * KIN_SPH_LANES; ++i) {
        float* n = job->to4 + 4 * i;
        float size = __builtin_sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        bool at_surface = i < f->count && size > least && size > 0;
        for (size_t a = 0; a < 3; ++a) n[a] = at_surface ? -n[a] / size : 0;
        n[3] = at_surface;
    }
}

/* kappa of who has a normal, at the surface, ready to be averaged; weight |n|. */
static void some_bends(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const tension_job* job = argument;
    float sides = (float)(kin_sph_dimensions(f) - 1), most = 2 * sides / f->spacing, depth = 0.25f * f->support / sides; /* most: of a drop of one particle */
    (void)chunk;
    job->kernels->bend(&job->pairs, job->from4, sides, job->bend, begin, end);
    for (size_t i = begin * KIN_SPH_LANES; i < end * KIN_SPH_LANES; ++i) {
        const float* n = job->raw4 + 4 * i;
        float kappa = job->bend[i] > most ? most : job->bend[i] < -most ? -most : job->bend[i], shrunk = 1 + depth * kappa;
        job->to4[4 * i] = kappa / (shrunk > 0.5f ? shrunk : 0.5f), job->to4[4 * i + 1] = job->to4[4 * i + 2] = 0;
        job->to4[4 * i + 3] = job->from4[4 * i + 3] * __builtin_sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    }
}

static void some_curvature(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const tension_job* job = argument;
    (void)chunk;
    for (size_t i = begin * KIN_SPH_LANES; i < kin_sph_end(f, end); ++i) {
        float s = 2 * strength(f, i) * job->to4[4 * i] * f->inv_rho[i];
        for (size_t a = 0; a < 3; ++a) f->a4[4 * i + a] += s * job->raw4[4 * i + a];
    }
}

/* c and n into raw4, walls counted; into to4 what E loses by them, over V: -dE/dc as the fourth, in units of join. */
static void some_company(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const tension_job* job = argument;
    const kin_sph_company* how = &f->physics->scales.company;
    const weights* w = weights_of(f);
    float faint = w->faint / f->spacing, slopes = 12 * how->peak * how->inv_reach * how->inv_reach / how->slope; /* of the bell of c over that of n */
    (void)chunk;
    for (size_t i = begin * KIN_SPH_LANES; i < end * KIN_SPH_LANES; ++i) {
        for (size_t a = 0; a < 3; ++a) job->raw4[4 * i + a] = i < f->count ? f->b[a][i] : 0;
        job->raw4[4 * i + 3] = i < f->count ? f->lambda[i] : 0;
    }
    job->kernels->fill(&job->pairs, how, job->raw4, begin, end);
    for (size_t i = begin * KIN_SPH_LANES; i < end * KIN_SPH_LANES; ++i) {
        const float* n = job->raw4 + 4 * i;
        float lack = n[3] < 1 ? 1 - n[3] : 0, s = strength(f, i);
        float along = 2 * w->area * s / __builtin_sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] + faint * faint);
        for (size_t a = 0; a < 3; ++a) job->to4[4 * i + a] = along * n[a];
        job->bend[i] = 2 * w->hold * s * lack / f->spacing;
        job->to4[4 * i + 3] = slopes * job->bend[i];
        job->coef[i] = i < f->count ? how->slope * f->inv_rho[i] : 0;
    }
}

static void some_cohesion(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const tension_job* job = argument;
    (void)chunk;
    job->kernels->join(&job->pairs, &f->physics->scales.company, job->to4, job->coef, f->a4, begin, end);
}

static void cohesion(kin_sph* f, kin_jobs* jobs, tension_job* job)
{
    kin_sph_for(f, jobs, some_company, job);
    kin_sph_for(f, jobs, some_cohesion, job);
}

static void turn(tension_job* job)
{
    float* free = job->from4;
    job->from4 = job->to4, job->to4 = free;
}

/* Unit normals in from4. */
static void find_normals(kin_sph* f, kin_jobs* jobs, tension_job* job)
{
    float* spare = job->from4;
    kin_sph_for(f, jobs, some_gradients, job);
    job->from4 = job->raw4;
    for (int k = 0; k < AVERAGES; ++k) {
        kin_sph_for(f, jobs, some_means, job);
        if (k == 0) job->from4 = spare;
        turn(job);
    }
    turn(job);
    kin_sph_for(f, jobs, some_directions, job);
    turn(job);
}

static void curvature(kin_sph* f, kin_jobs* jobs, tension_job* job)
{
    find_normals(f, jobs, job);
    kin_sph_for(f, jobs, some_bends, job);
    turn(job);
    kin_sph_for(f, jobs, some_means, job);
    kin_sph_for(f, jobs, some_curvature, job);
    memset(job->bend, 0, kin_sph_four(f) / 4 * sizeof(float));
}

static bool any_tension(const kin_sph* f)
{
    for (uint32_t k = 0; k < f->phase_count; ++k) {
        if (f->phases[k].tension > 0) return true;
    }
    return false;
}

bool kin_sph_tension_force(kin_sph* f, kin_sph_tick* tick)
{
    if (f->count == 0 || !any_tension(f)) return true;
    kin_jobs* jobs = tick->step->jobs;
    tension_job job = {.f = f, .pairs = kin_sph_pairs_of(f), .kernels = kin_sph_physics_kernels_of(f)};
    size_t four = kin_sph_four(f);
    float* room = kin_sph_scratch(f, 4);
    if (room == NULL) return false;
    job.raw4 = f->normal4 != NULL ? f->normal4 : room, job.from4 = room + four, job.to4 = room + 2 * four;
    job.bend = room + 3 * four, job.coef = job.bend + four / 4;
    kin_sph_for(f, jobs, some_strengths, &job);
    if (f->def.tension == KIN_SPH_TENSION_CURVATURE)
        curvature(f, jobs, &job);
    else
        cohesion(f, jobs, &job);
    if (f->def.adhesion > 0) kin_sph_for(f, jobs, some_adhesion, &job);
    kin_sph_for(f, jobs, some_pull_of_walls, &job);
    if (kin_sph_walls_give(f)) kin_sph_walls_push(f, tick, job.coef);
    return true;
}

/* Capillary waves of two spacings must not cross one in a tick: half of sqrt(rho l^3 / 2 pi sigma). */
double kin_sph_tension_tick(const kin_sph* f)
{
    double least = 1e300, l = (double)f->spacing;
    for (uint32_t k = 0; k < f->phase_count; ++k) {
        if (f->phases[k].tension > 0) {
            least = kin_min(least, 0.5 * kin_sqrt((double)f->phases[k].density * l * l * l / (2 * KIN_PI * (double)f->phases[k].tension)));
        }
    }
    return least;
}

static kin_vec3 gradient_at(const kin_sph* f, const kin_sph_pairs* pairs, size_t i)
{
    double s = (double)strength(f, i);
    kin_vec3 n = kin_v((double)f->b[0][i], (double)f->b[1][i], (double)f->b[2][i]);
    for (kin_sph_walk w = kin_sph_walk_of(pairs, i); kin_sph_walk_next(&w);) {
        double share = s > 0 ? kin_min(1, (double)strength(f, w.j) / s) : 0;
        n = kin_add_scaled(n, share * (double)w.g, kin_sph_apart(&w));
    }
    return n;
}

static kin_vec3 mean_at(const kin_sph* f, const kin_sph_pairs* pairs, const float* n4, size_t i)
{
    kin_vec3 sum = kin_sph_get(n4, i);
    double weight = 1;
    for (kin_sph_walk w = kin_sph_walk_of(pairs, i); kin_sph_walk_next(&w);) {
        double part = kin_square(kin_max(0, 1 - kin_length(kin_sph_apart(&w)) / (double)f->support));
        sum = kin_add_scaled(sum, part, kin_sph_get(n4, w.j)), weight += part;
    }
    return kin_scale(sum, 1 / weight);
}

/* E of one particle, over sigma V. */
static double cohesion_at(const kin_sph* f, const kin_sph_pairs* pairs, size_t i)
{
    const kin_sph_company* how = &f->physics->scales.company;
    const weights* by = weights_of(f);
    double s = (double)strength(f, i), c = (double)f->lambda[i], faint = (double)(by->faint / f->spacing);
    kin_vec3 n = kin_v((double)f->b[0][i], (double)f->b[1][i], (double)f->b[2][i]);
    for (kin_sph_walk w = kin_sph_walk_of(pairs, i); kin_sph_walk_next(&w);) {
        kin_vec3 x = kin_sph_apart(&w);
        double q = kin_length(x) * (double)how->inv_reach, t = kin_max(0, 1 - q);
        double share = s > 0 ? 1 - kin_sqrt(1 - kin_min(1, (double)strength(f, w.j) / s)) : 0;
        c += share * (double)how->peak * t * t * t * (1 + 3 * q);
        n = kin_add_scaled(n, -share * (double)how->slope * t * t, x);
    }
    return 2 * (double)by->area * (kin_sqrt(kin_length2(n) + faint * faint) - faint) + (double)(by->hold / f->spacing) * kin_square(kin_max(0, 1 - c));
}

static double cohesion_energy(const kin_sph* f)
{
    kin_sph_pairs pairs = kin_sph_pairs_of(f);
    double sum = 0;
    for (size_t i = 0; i < f->count; ++i) {
        if (strength(f, i) > 0) sum += (double)strength(f, i) * (double)f->volume * cohesion_at(f, &pairs, i);
    }
    return sum;
}

/* Of curvature: sigma times the area 2 V sum n . m, m along the mean of n where that is above the threshold. */
double kin_sph_surface_energy(const kin_sph* f)
{
    if (!any_tension(f) || f->lists.first == NULL) return 0;
    if (f->def.tension == KIN_SPH_TENSION_COHESION) return cohesion_energy(f);
    float* n4 = kin_sph_scratch((kin_sph*)f, 3);
    if (n4 == NULL) return 0;
    kin_sph_pairs pairs = kin_sph_pairs_of(f);
    float *from = n4, *to = n4 + kin_sph_four(f), *spare = to + kin_sph_four(f);
    double sum = 0;
    for (size_t i = 0; i < f->count; ++i) kin_sph_put(n4, i, gradient_at(f, &pairs, i));
    for (int k = 0; k < AVERAGES; ++k) {
        for (size_t i = 0; i < f->count; ++i) kin_sph_put(to, i, mean_at(f, &pairs, from, i));
        from = to, to = spare, spare = from;
    }
    for (size_t i = 0; i < f->count; ++i) {
        kin_vec3 m = kin_sph_get(from, i);
        double size = kin_length(m);
        if (size * (double)f->spacing <= f->def.tension_threshold) continue;
        sum += 2 * (double)strength(f, i) * (double)f->volume * kin_dot(m, kin_sph_get(n4, i)) / size;
    }
    return sum;
}
