/* tension.c - what holds surfaces together (H14.6, H14.7). tension is sigma, N/m; between phases it is |sigma_a - sigma_b| (Antonow's rule).
 *
 * The gradient of the colour field, n_i = sum_j g x_ij + b_i, points into the fluid and is 0 inside. Summed through a surface, V n is half its area times
 * m = -sum g x^2 of the fluid inside, for what pairs add cancels but across a plane there. In a fine lattice m = 1, as particles come to lie 0.98 to 1: it is
 * measured, as the mean over all with no surface near. With kappa the divergence of unit normals,
 *
 *     a_i = 2 sigma kappa N_i / (m rho_i),     N_i = sum_j w_ij n_j / sum_k w_jk
 *
 * presses by sigma kappa in all. N is n handed on to neighbours: the sum is kept, what is noise of single particles cancels. That is what makes it last: pressure
 * k pushes by -2 k n, and were the pull along n too, the two would cancel for every disorder of a surface, which then grows until it flies apart. With N, pressure
 * still orders the outer layers. Normals are N averaged further; kappa, found of them, is averaged too. N lies `depth` inside the surface, and around a closed
 * surface kappa n adds up to nothing, nor does it turn it: shells.c sees to both, so momentum and angular momentum are kept.
 *
 * A liquid bears tension: air presses on it, and drops do not tear inside when they swing. Pressures here end at 0 (project.c), so air is there only where it is
 * needed. Fluid that is stretched is held together by
 *
 *     a_i = (1/rho_i) sum_j (t_i + t_j) g x_ij,     t = HOLD sigma / l (1 - D - missing |n|)  where that is above 0
 *
 * where the last is what D lacks by a surface: in the first layer of a half-space of a lattice nothing is left. What is pressed has t = 0. Particles that draw each
 * other clump (Swegle 1995), voids open between them, and their surfaces feed on the errors of their curvature: squares of more than 50 spacings burst so. So
 * beside it closed surfaces are pressed on by HOLD sigma / l times what D lacks inside in the mean. At rest that is nothing: 1e-4 of the Laplace pressure.
 *
 * The pull is no gradient of an energy, and without any viscosity its errors feed waves of a few spacings. Between particles at surfaces there is therefore a
 * viscosity along x_ij, STEADY sqrt(sigma l / rho): of a drop of radius R, an Ohnesorge number of less than STEADY sqrt(l / R).
 *
 * Walls count as fluid in n: what touches them costs nothing, and the angle of contact is 90 degrees. With cohesion, adhesion draws by C adhesion sigma |b| b / rho,
 * C such that parting fluid and wall takes adhesion sigma an area more: its cosine is the adhesion (Young, Dupre). The first layer alone is drawn, and what presses it
 * presses the second away: company holds that, where curvature does not, and drops would leave a layer behind. */
#include "domains/sph/boundary/boundary.h"
#include "domains/sph/kernel.h"
#include "domains/sph/physics/inside.h"
#include <string.h>

/* As tried, with a square of 57 spacings without viscosity, which is to stay in one piece and not to gain energy, and the pressure of one of 14 at rest. */
#define AVERAGES 3  /* of normals: 1 to 5 all do; 4 and 5 read 2 % less pressure, 1 and 2 let single particles swing out farther */
#define HOLD 16.0f  /* 16 to 64 do, 8 and 4 shed particles; pressures at rest are the same */
#define SOFT 0.01f  /* of the square of the support, beside r^2: who is on one spot is to come apart (Monaghan 1992) */
#define FULL 0.95f  /* D of who counts as inside */
#define STEADY 0.1f /* 0.1 and 0.2 do, 0.05 sheds a particle, with 0 it bursts. Energy of waves of four spacings falls by e in 2 / omega */

/* ---- the surface of a lattice ---- */

enum { LAYERS = 16, SWEEPS = 64 }; /* that are looked at; until pressures are found */

/* Of the layer k spacings away, summed over it: the bell, its slope along the normal and along the layer, and w. */
typedef struct layer {
    double bell, slope, along, near;
} layer;

static layer layer_of(const kin_sph_bell* bell, double spacing, int k)
{
    int reach = (int)(bell->support / spacing) + 1, deep = bell->dimensions == 3 ? reach : 0;
    layer sum = {0};
    for (int i = -reach; i <= reach; ++i) {
        for (int j = -deep; j <= deep; ++j) {
            double r = spacing * kin_sqrt((double)(i * i + j * j + k * k)), q = r / bell->support, t = 1 - q;
            if (t <= 0) continue;
            sum.near += t * t * t * (1 + 3 * q), sum.bell += kin_sph_bell_w(bell, r);
            if (r == 0) continue;
            double slope = -spacing * kin_sph_bell_slope(bell, r);
            sum.slope += k * slope, sum.along += i * i * spacing * slope;
        }
    }
    return sum;
}

/* The layer from which `from` is seen at `to`. */
static const layer* between(const layer at[LAYERS], int from, int to) { return &at[from > to ? from - to : to - from]; }

/* N of every layer; n[0] of the first one. */
static void hand_on(const layer at[LAYERS], double out[LAYERS], double* first)
{
    double n = 0;
    for (int k = LAYERS - 1; k >= 0; --k) {
        double given = 0;
        for (int to = 0; to < LAYERS; ++to) given += between(at, k, to)->near;
        for (int to = 0; to < LAYERS; ++to) out[to] += n * between(at, k, to)->near / given;
        *first = n, n += at[k].slope; /* what is missing above a layer */
    }
}

/* What pairs of layers press through the plane below layer m, where those below the last have a pressure of 1. */
static double pressed_through(const layer at[LAYERS], const double k[LAYERS], int m)
{
    double sum = 0;
    for (int above = 0; above <= m; ++above) {
        for (int below = m + 1; below < above + LAYERS; ++below) sum += (k[above] + (below < LAYERS ? k[below] : 1)) * at[below - above].slope;
    }
    return sum;
}

/* Multipliers k that balance the pulls of layers, which are such that k is 1 inside: plane by plane, from below, until all planes are in balance. */
static void balance(const layer at[LAYERS], const double pull[LAYERS], double first, double k[LAYERS])
{
    for (int m = 0; m < LAYERS; ++m) k[m] = 1;
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        for (int m = LAYERS - 1; m >= 0; --m) {
            double want = -pressed_through(at, k, m);
            for (int above = 0; above <= m; ++above) want += 2 * pull[above];
            k[m] += want / first;
        }
    }
}

kin_sph_surface kin_sph_surface_of(const kin_sph_bell* bell, double spacing)
{
    layer at[LAYERS];
    double pull[LAYERS] = {0}, k[LAYERS], first = 0, lacks = 0, all = 0, moment = 0, flank = 0, thin = 0; /* pulls: over V */
    for (int i = 0; i < LAYERS; ++i) at[i] = layer_of(bell, spacing, i), flank += (i > 0 ? 2 : 1) * at[i].along;
    for (int i = 1; i < LAYERS; ++i) lacks += at[i].bell;
    hand_on(at, pull, &first);
    balance(at, pull, first, k);
    for (int i = 0; i < LAYERS; ++i) {
        double seen = 0;
        for (int j = 0; j < i + LAYERS; ++j) seen += between(at, i, j)->along / flank;
        all += pull[i], moment += pull[i] * (i + 0.5), thin += (1 - k[i]) * seen;
    }
    return (kin_sph_surface){.depth = spacing * moment / all, .thin = spacing * thin, .missing = lacks / first};
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
    for (int k = 0; k < parts; ++k) sum += step * (k + 0.5) * step * kin_square(wall_slope(bell, spacing, (k + 0.5) * step));
    return 1 / sum;
}

/* ---- the pass ---- */

typedef struct tension_job {
    kin_sph* f;
    kin_sph_pairs pairs;
    const kin_sph_physics_kernels* kernels;
    float inv_reach;
    float* pull4;       /* N, then the pull, N/m^3; fourth |N| where there is a surface */
    float *from4, *to4; /* what is averaged */
    float *bend, *lack; /* kappa, before it moments; what D lacks */
    double order;       /* -sum g x^2 along an axis, of the fluid inside */
    double press;       /* Pa, of the air */
    float* coef;        /* what walls get, as pressures */
} tension_job;

static float strength(const kin_sph* f, size_t i) { return i < f->count ? f->phases[f->phase[i]].tension : 0; }
static float size_of(const float* n) { return __builtin_sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]); }

static double most_tension(const kin_sph* f)
{
    double most = 0;
    for (uint32_t k = 0; k < f->phase_count; ++k) most = kin_max(most, (double)f->phases[k].tension);
    return most;
}

static void some_strengths(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    (void)argument, (void)chunk;
    for (size_t i = begin * KIN_SPH_LANES; i < end * KIN_SPH_LANES; ++i) f->x4[4 * i + 3] = strength(f, i);
}

/* Of who is inside, no surface and no wall near; partial 0, 1, 2: moments along an axis, what D lacks, and how many. */
static void note_order(kin_sph* f, const tension_job* job, size_t begin, size_t end, size_t chunk)
{
    const float least = (float)(f->def.tension_threshold / (double)f->spacing), inv = 1 / (float)kin_sph_dimensions(f);
    double moment = 0, lack = 0, count = 0, *out = f->partial + KIN_SPH_PARTIALS * chunk;
    for (size_t i = begin * KIN_SPH_LANES; i < kin_sph_end(f, end); ++i) {
        if (f->density[i] < FULL || f->lambda[i] > 0 || size_of(job->from4 + 4 * i) > least) continue;
        moment += (double)(job->bend[i] * inv), lack += kin_max(0, 1 - (double)f->density[i]), count += 1;
    }
    out[0] = moment, out[1] = lack, out[2] = count;
}

/* n into from4, over the sum of w: ready to be handed on. What D lacks beyond a surface, into lack. */
static void some_gradients(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const tension_job* job = argument;
    float missing = (float)f->physics->scales.surface.missing;
    for (size_t i = begin * KIN_SPH_LANES; i < end * KIN_SPH_LANES; ++i) {
        for (size_t a = 0; a < 3; ++a) job->from4[4 * i + a] = i < f->count ? f->b[a][i] : 0;
        job->from4[4 * i + 3] = 1;
    }
    job->kernels->normal(&job->pairs, job->inv_reach, job->from4, job->bend, begin, end);
    note_order(f, job, begin, end, chunk);
    for (size_t i = begin * KIN_SPH_LANES; i < end * KIN_SPH_LANES; ++i) {
        float *n = job->from4 + 4 * i, lack = i < f->count ? 1 - f->density[i] - missing * size_of(n) : 0;
        job->lack[i] = lack > 0 ? lack : 0;
        for (size_t a = 0; a < 3; ++a) n[a] /= n[3];
        n[3] = i < f->count;
    }
}

static void some_pulls(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const tension_job* job = argument;
    (void)chunk;
    job->kernels->blend(&job->pairs, job->inv_reach, job->from4, job->pull4, begin, end);
    for (size_t i = begin * KIN_SPH_LANES; i < end * KIN_SPH_LANES; ++i) job->pull4[4 * i + 3] = i < f->count;
}

/* The mean of from4 into to4; fourth: whether anybody had a weight. */
static void some_means(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const tension_job* job = argument;
    (void)f, (void)chunk;
    job->kernels->blend(&job->pairs, job->inv_reach, job->from4, job->to4, begin, end);
    for (size_t i = begin * KIN_SPH_LANES; i < end * KIN_SPH_LANES; ++i) {
        float* u = job->to4 + 4 * i;
        float inv = u[3] > 0 ? 1 / u[3] : 0;
        for (size_t a = 0; a < 3; ++a) u[a] *= inv;
        u[3] = u[3] > 0;
    }
}

/* The unit normal out of the fluid where there is a surface: fourth 1. */
static void some_directions(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const tension_job* job = argument;
    float least = (float)(f->def.tension_threshold / (double)f->spacing);
    (void)chunk;
    for (size_t i = begin * KIN_SPH_LANES; i < end * KIN_SPH_LANES; ++i) {
        float *n = job->to4 + 4 * i, size = size_of(n);
        bool at_surface = i < f->count && size > least && size > 0;
        for (size_t a = 0; a < 3; ++a) n[a] = at_surface ? -n[a] / size : 0;
        n[3] = at_surface;
    }
}

/* kappa of who has a normal, ready to be averaged, weight |N|. partial 0: the energy of the surface. */
static void some_bends(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const tension_job* job = argument;
    float sides = (float)(kin_sph_dimensions(f) - 1), most = 2 * sides / f->spacing; /* of a drop of one particle */
    double energy = 0;
    job->kernels->bend(&job->pairs, job->from4, sides, job->bend, begin, end);
    for (size_t i = begin * KIN_SPH_LANES; i < end * KIN_SPH_LANES; ++i) {
        const float *pull = job->pull4 + 4 * i, *n = job->from4 + 4 * i;
        float *out = job->to4 + 4 * i, kappa = job->bend[i];
        energy -= (double)(2 * strength(f, i) * f->volume * (pull[0] * n[0] + pull[1] * n[1] + pull[2] * n[2]));
        out[0] = kappa > most ? most : kappa < -most ? -most : kappa, out[1] = out[2] = 0, out[3] = n[3] * size_of(pull);
    }
    f->partial[KIN_SPH_PARTIALS * chunk] = energy;
}

/* Who has a pull: all who have neighbours at a surface, since N reaches as far. */
static void some_parts(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const tension_job* job = argument;
    (void)chunk;
    for (size_t i = begin * KIN_SPH_LANES; i < end * KIN_SPH_LANES; ++i) {
        job->pull4[4 * i + 3] = i < f->count && job->to4[4 * i + 3] > 0 ? size_of(job->pull4 + 4 * i) : 0;
    }
}

/* Velocities, and beside them how thick surfaces are, into from4; into the fourth of x4 what holds together. */
static void some_ready(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const tension_job* job = argument;
    float steady = STEADY * (float)(2 * (kin_sph_dimensions(f) + 2) / f->physics->scales.moment); /* Monaghan's viscosity along x, as a kinematic one */
    (void)chunk;
    for (size_t i = begin * KIN_SPH_LANES; i < end * KIN_SPH_LANES; ++i) {
        float s = strength(f, i), *u = job->from4 + 4 * i;
        for (size_t a = 0; a < 3; ++a) u[a] = f->v4[4 * i + a];
        u[3] = i < f->count && job->pull4[4 * i + 3] > 0 ? steady * __builtin_sqrtf(s * f->spacing / f->inv_rho[i]) : 0;
        f->x4[4 * i + 3] = HOLD * s / f->spacing * job->lack[i];
    }
}

static void some_hold(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const tension_job* job = argument;
    (void)chunk;
    job->kernels->hold(&job->pairs, SOFT * f->support * f->support, job->from4, f->inv_rho, f->a4, begin, end);
}

static void turn(tension_job* job)
{
    float* free = job->from4;
    job->from4 = job->to4, job->to4 = free;
}

/* N in pull4, unit normals in from4. */
static void find_normals(kin_sph* f, kin_jobs* jobs, tension_job* job)
{
    float* spare = job->from4;
    kin_sph_for(f, jobs, some_gradients, job);
    double inside = kin_sph_total(f, 2), firm = (double)HOLD * most_tension(f) / (double)f->spacing;
    job->order = inside > 0 ? kin_sph_total(f, 0) / inside : 1;
    job->press = inside > 0 ? firm * kin_sph_total(f, 1) / inside : 0;
    kin_sph_for(f, jobs, some_pulls, job);
    job->from4 = job->pull4;
    for (int k = 0; k < AVERAGES; ++k) {
        kin_sph_for(f, jobs, some_means, job);
        if (k == 0) job->from4 = spare;
        turn(job);
    }
    turn(job);
    kin_sph_for(f, jobs, some_directions, job);
    turn(job);
}

static bool curvature(kin_sph* f, kin_jobs* jobs, tension_job* job)
{
    find_normals(f, jobs, job);
    kin_sph_for(f, jobs, some_bends, job);
    f->physics->surface_energy = kin_sph_total(f, 0) / job->order;
    turn(job);
    kin_sph_for(f, jobs, some_means, job);
    kin_sph_for(f, jobs, some_parts, job);
    if (!kin_sph_pull_shells(f, jobs, &(kin_sph_pulls){job->to4, job->pull4, job->order, job->press, job->coef})) return false;
    kin_sph_for(f, jobs, some_ready, job);
    kin_sph_for(f, jobs, some_hold, job);
    return true;
}

/* What draws particles to walls, bend b / rho; coef gets the pressure that would do it. */
static void some_adhesion(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const tension_job* job = argument;
    double factor = f->def.adhesion * f->physics->scales.adhesion;
    (void)chunk;
    for (size_t i = begin * KIN_SPH_LANES; i < kin_sph_end(f, end); ++i) {
        double b[3] = {(double)f->b[0][i], (double)f->b[1][i], (double)f->b[2][i]};
        float bend = (float)(factor * (double)strength(f, i) * kin_sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]));
        job->coef[i] -= bend;
        for (size_t axis = 0; axis < 3; ++axis) f->a4[4 * i + axis] += bend * f->inv_rho[i] * f->b[axis][i];
    }
}

bool kin_sph_tension_force(kin_sph* f, kin_sph_tick* tick)
{
    f->physics->surface_energy = 0;
    if (f->count == 0 || !(most_tension(f) > 0)) return true;
    kin_jobs* jobs = tick->step->jobs;
    tension_job job = {.f = f, .pairs = kin_sph_pairs_of(f), .kernels = kin_sph_physics_kernels_of(f), .inv_reach = 1 / f->support};
    size_t four = kin_sph_four(f);
    job.pull4 = kin_sph_scratch(f, 4);
    if (job.pull4 == NULL) return false;
    job.from4 = job.pull4 + four, job.to4 = job.from4 + four, job.bend = job.to4 + four, job.lack = job.bend + four / 4, job.coef = job.lack + four / 4;
    kin_sph_for(f, jobs, some_strengths, &job);
    if (f->def.tension == KIN_SPH_TENSION_CURVATURE && !curvature(f, jobs, &job)) return false;
    if (f->def.tension == KIN_SPH_TENSION_COHESION) kin_sph_cohesion(f, jobs, job.pull4, job.coef);
    if (f->def.adhesion > 0) kin_sph_for(f, jobs, some_adhesion, &job);
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
