/* sand.c - grains that hold slopes: an elastic shear stress that gives way where it exceeds friction times pressure (Drucker & Prager 1952, Bui 2008).
 *
 *     ds/dt = 2 G (strain rate - its mean) + W s - s W,        sqrt(s : s / 2) <= friction p + cohesion          W: spin of the flow (Jaumann)
 *     a_i = (1/rho_i) sum_j (s_i + s_j) c_ij
 *
 * Since s is remembered (deform, six numbers a particle: xx yy zz xy xz yz), a heap at rest is held by stress, not by motion: it does not creep. p is the mean
 * of what the solver found over some twenty ticks (the seventh number): whenever it dips the stress is cut, and a pressure that trembles would let a heap run
 * down step by step. The divergence is not solved for (project.c): loose grains come closer and bear nothing; if they did, they would splash as water does, and
 * go on shaking. G is no property of sand but as stiff as the tick allows, shear waves crossing a quarter of a spacing; ticks are so short that
 * the stress of the largest pressure strains it by 3 %. Against ringing, a part of the stress follows the rate.
 *
 * Walls that do not give way are mirrored sand: they add (u - v_i) b^T to the gradient of velocity and s_i b_i to the force, so a heap stands on its floor by
 * stress too, as far as wall_friction lets it. Bodies rub (boundary/rub.c), for which a grip is made up: they must get what sand gets. */
#include "domains/sph/boundary/walls.h"
#include "domains/sph/physics/inside.h"
#include "domains/sph/physics/pairs.h"
#include "math/sym3.h"
#include <string.h>

#define WAVE 0.25     /* of a spacing that shear waves go in a tick */
#define STIFFER 30    /* G over the largest stress */
#define DAMPING 0.3   /* of the stress that a tick's strain makes, as viscosity */
#define SLOWNESS 0.05 /* of a tick's pressure in the mean. Of a mean that rises faster than it falls sand bears a third too much while it flows */

static bool is_sand(const kin_sph* f, size_t i) { return kin_sph_phase_def_of(f, i)->matter == KIN_SPH_SAND; }
/* Pa: over the last ticks. */
static double pressure(const kin_sph* f, size_t i) { return (double)f->deform[9 * i + 6]; }

static void follow_pressure(kin_sph* f, size_t i)
{
    double now = kin_max(0, (double)kin_sph_multiplier(f, i) * (double)f->density[i] * (double)f->density[i]);
    f->deform[9 * i + 6] = (float)kin_mix(pressure(f, i), now, SLOWNESS);
}

/* Pa: the largest shear stress it bears under a pressure. */
static double bears(const kin_sph* f, size_t i, double p)
{
    const kin_sph_phase_def* d = kin_sph_phase_def_of(f, i);
    return kin_sph_softness(f, i) * (kin_max(d->friction, 0) * p + kin_max(d->cohesion, 0));
}

/* The same at its pressure, at least the weight of half a spacing: in the uppermost layer solvers find none, but it lies on the next. */
static double bears_lying(const kin_sph* f, size_t i)
{
    return bears(f, i, kin_max(pressure(f, i), 0.5 * (double)f->phases[f->phase[i]].density * f->physics->gravity * (double)f->spacing));
}

typedef struct sand_job {
    kin_sph* f;
    kin_sph_pairs pairs;
    double h;
    float* total;  /* eight numbers a particle: stress with what follows the rate */
    float* wall4;  /* b of walls that do not give way */
    float* speed4; /* their velocity */
} sand_job;

static kin_sym3 get(const float* s) { return (kin_sym3){(double)s[0], (double)s[1], (double)s[2], (double)s[3], (double)s[4], (double)s[5]}; }
static void put(float* to, kin_sym3 s)
{
    to[0] = (float)s.xx, to[1] = (float)s.yy, to[2] = (float)s.zz, to[3] = (float)s.xy, to[4] = (float)s.xz, to[5] = (float)s.yz;
}
static double shear(kin_sym3 s) { return kin_sqrt(0.5 * (s.xx * s.xx + s.yy * s.yy + s.zz * s.zz) + s.xy * s.xy + s.xz * s.xz + s.yz * s.yz); }

/* Gradient of velocity, by columns: dv/dx dv/dy dv/dz; scaled as a full neighbourhood's. */
static kin_mat3 gradient(const sand_job* job, size_t i)
{
    const kin_sph* f = job->f;
    kin_mat3 sum = {{0}};
    kin_vec3 vi = kin_sph_get(f->v4, i);
    double moment = 0;
    for (kin_sph_walk w = kin_sph_walk_of(&job->pairs, i); kin_sph_walk_next(&w);) {
        kin_vec3 x = kin_sph_apart(&w);
        sum = kin_mat3_add(sum, kin_mat3_outer(kin_sub(kin_sph_get(f->v4, w.j), vi), kin_scale(x, (double)w.g)));
        moment -= (double)w.g * kin_length2(x);
    }
    sum = kin_mat3_scale(sum, 1 / kin_max(moment / kin_sph_dimensions(f), 0.5 * f->physics->scales.moment));
    return kin_mat3_add(sum, kin_mat3_outer(kin_sub(kin_sph_get(job->speed4, i), vi), kin_sph_get(job->wall4, i)));
}

/* Walls that do not give way, of the particles of a chunk (touches are kept by the same chunks). */
static void some_walls(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const sand_job* job = argument;
    float rough = (float)kin_clamp(f->def.wall_friction, 0, 1);
    memset(job->wall4 + 32 * begin, 0, 32 * (end - begin) * sizeof(float));
    memset(job->speed4 + 32 * begin, 0, 32 * (end - begin) * sizeof(float));
    if (f->walls->near_count > 0) {
        KIN_SPH_TOUCHES(f->walls, chunk, t)
        {
            if (f->walls->near[t->wall].body != KIN_SPH_NO_BODY) continue;
            float *b = job->wall4 + 4 * (size_t)t->particle, *u = job->speed4 + 4 * (size_t)t->particle;
            float size = __builtin_sqrtf(t->b[0] * t->b[0] + t->b[1] * t->b[1] + t->b[2] * t->b[2]);
            for (int a = 0; a < 3; ++a) b[a] += rough * t->b[a], u[a] += size * t->near.velocity[a];
            u[3] += size;
        }
    }
    for (size_t i = begin * KIN_SPH_LANES; i < kin_sph_end(f, end); ++i) {
        float* u = job->speed4 + 4 * i;
        for (int a = 0; a < 3; ++a) u[a] /= u[3] > 0 ? u[3] : 1;
        f->deform[9 * i + 7] = u[3] > 0;
    }
}

static void some_stress(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const sand_job* job = argument;
    (void)chunk;
    for (size_t i = begin * KIN_SPH_LANES; i < kin_sph_end(f, end); ++i) {
        float *to = f->deform + 9 * i, *total = job->total + 8 * i;
        if (!is_sand(f, i)) {
            put(total, (kin_sym3){0});
            continue;
        }
        follow_pressure(f, i);
        kin_mat3 l = gradient(job, i), s = kin_sym3_matrix(get(to));
        kin_sym3 e = kin_sym3_of_matrix(l);
        double third = (e.xx + e.yy + e.zz) / 3, rho = 1 / (double)f->inv_rho[i], speed = WAVE * (double)f->spacing / job->h, stiff = rho * speed * speed;
        e.xx -= third, e.yy -= third, e.zz -= third;
        kin_mat3 spin = kin_mat3_scale(kin_mat3_sub(l, kin_mat3_transpose(l)), 0.5);
        kin_mat3 turned = kin_mat3_sub(kin_mat3_mul(spin, s), kin_mat3_mul(s, spin));
        kin_sym3 now = kin_sym3_add(get(to), kin_sym3_scale(kin_sym3_add(kin_sym3_scale(e, 2 * stiff), kin_sym3_of_matrix(turned)), job->h));
        double most = bears_lying(f, i), size = shear(now);
        if (size > most) now = kin_sym3_scale(now, most / size);
        put(to, now);
        kin_sym3 with = kin_sym3_add(now, kin_sym3_scale(e, 2 * DAMPING * stiff * job->h));
        size = shear(with);
        put(total, size > most ? kin_sym3_scale(with, most / size) : with);
    }
}

static void some_force(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const sand_job* job = argument;
    (void)chunk;
    for (size_t i = begin * KIN_SPH_LANES; i < kin_sph_end(f, end); ++i) {
        kin_sym3 mine = get(job->total + 8 * i);
        kin_vec3 sum = kin_sym3_apply(mine, kin_sph_get(job->wall4, i));
        for (kin_sph_walk w = kin_sph_walk_of(&job->pairs, i); kin_sph_walk_next(&w);) {
            sum = kin_add_scaled(sum, (double)w.g, kin_sym3_apply(kin_sym3_add(mine, get(job->total + 8 * w.j)), kin_sph_apart(&w)));
        }
        kin_sph_put(f->a4, i, kin_add_scaled(kin_sph_get(f->a4, i), (double)f->inv_rho[i], sum));
        if (f->flat) f->a4[4 * i + 2] = 0;
    }
}

bool kin_sph_sand(kin_sph* f, kin_sph_tick* tick)
{
    if (!f->physics->has_sand || f->count == 0 || f->deform == NULL) return true;
    f->physics->gravity = kin_length(tick->step->fields->gravity);
    sand_job job = {.f = f, .pairs = kin_sph_pairs_of(f), .h = (double)tick->h, .total = kin_sph_scratch(f, 4)};
    if (job.total == NULL) return false;
    job.wall4 = job.total + 2 * kin_sph_four(f), job.speed4 = job.wall4 + kin_sph_four(f);
    kin_sph_for(f, tick->step->jobs, some_walls, &job);
    kin_sph_for(f, tick->step->jobs, some_stress, &job);
    kin_sph_for(f, tick->step->jobs, some_force, &job);
    return true;
}

double kin_sph_sand_tick(const kin_sph* f)
{
    double most = 0; /* m^2/s^2 */
    for (size_t i = 0; f->physics->has_sand && f->deform != NULL && i < f->count; ++i) {
        if (is_sand(f, i)) most = kin_max(most, bears(f, i, pressure(f, i)) / (double)f->phases[f->phase[i]].density);
    }
    return most > 0 ? WAVE * (double)f->spacing / kin_sqrt(STIFFER * most) : 1e300;
}

/* Walls take a velocity along at the rate nu grip, grip about 2 / l^2 in the layer beside them; Coulomb's friction takes friction p / (rho l |v|). */
float kin_sph_sand_grip(const kin_sph* f, size_t i)
{
    if (f->physics == NULL || !f->physics->has_sand || f->deform == NULL || !is_sand(f, i) || f->deform[9 * i + 7] > 0) return 0;
    double l = (double)f->spacing, speed = kin_max(kin_length(kin_sph_get(f->v4, i)), 1e-6 * l);
    return (float)(0.5 * bears_lying(f, i) * l / ((double)f->phases[f->phase[i]].density * speed));
}
