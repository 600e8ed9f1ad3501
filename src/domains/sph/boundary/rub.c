/* rub.c - friction at walls. The mirrored layers behind a wall (profile.h) move so that the velocity is the wall's at its surface and changes linearly across it:
 * the layer at distance s = 2 d + k l from the particle lags behind it by (v - u) s / d. Brookshaw's Laplacian, 2 nu sum V W'(r)/r (v_i - v_j), over these layers is
 * 2 nu l sum_k (w'(s)/s) (s / d) (v - u) = nu (share'(d) / d) (v - u):  the wall takes the particle along at the rate  nu |share'(d)| / d.
 *
 * It is solved for the end of the tick: v' = (v + h c u) / (1 + h c) is never faster against the wall than v, however thick the fluid. Where the wall gives way the
 * body's six velocities at the end are solved for with those of its particles, so neither overshoots the other. */
#include "domains/sph/boundary/drag.h"

/* Share of the way to the wall's velocity within the tick. */
static double taken(const kin_sph_walls* w, float grip, float nu, double h)
{
    double c = h * w->friction * (double)nu * (double)grip;
    return c / (1 + c);
}

static kin_vec3 along(kin_vec3 v, kin_vec3 normal) { return kin_add_scaled(v, -kin_dot(v, normal), normal); }

typedef struct rub_job {
    kin_sph* f;
    const float* nu;
    double h;
} rub_job;

/* Walls that stand or follow their keys: particle by particle. */
static void rub_chunk(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)begin, (void)end, (void)scratch;
    const rub_job* job = argument;
    kin_sph* f = job->f;
    const kin_sph_walls* w = f->walls;
    double lost = 0;
    KIN_SPH_TOUCHES(w, chunk, t)
    {
        if (w->near[t->wall].body != KIN_SPH_NO_BODY) continue;
        float* v = f->v4 + 4 * (size_t)t->particle;
        kin_vec3 slip = along(kin_sub(kin_sph_wide(v), kin_sph_wide(t->near.velocity)), kin_sph_wide(t->near.normal));
        kin_vec3 change = kin_sph_flatten(w->flat, kin_scale(slip, -taken(w, t->near.grip, job->nu[t->particle], job->h)));
        kin_sph_narrow(v, kin_add(kin_sph_wide(v), change));
        lost -= (double)f->phases[f->phase[t->particle]].mass * kin_dot(change, kin_add_scaled(slip, 0.5, change));
    }
    f->partial[KIN_SPH_PARTIALS * chunk] = lost;
}

/* ---- bodies ---- */

static kin_sph_stick stick_of(const rub_job* job, const kin_sph_hold_on* g)
{
    const kin_sph* f = job->f;
    double share = taken(f->walls, g->near.grip, job->nu[g->particle], job->h);
    return (kin_sph_stick){.arm = g->arm,
                           .normal = kin_sph_wide(g->near.normal),
                           .slip = kin_sub(kin_sph_wide(f->v4 + 4 * (size_t)g->particle), kin_sph_wide(g->near.velocity)),
                           .mass = share * (double)f->phases[f->phase[g->particle]].mass,
                           .across = true,
                           .flat = f->walls->flat};
}

static void rub_body(kin_sph* f, const kin_sph_tick* tick, kin_sph_body* body, const rub_job* job)
{
    kin_sph_drag drag = {.push = {0}};
    const kin_sph_hold_on *gives = f->walls->gives + body->first, *end = gives + body->count;
    for (const kin_sph_hold_on* g = gives; g < end; ++g) {
        kin_sph_stick s = stick_of(job, g);
        kin_sph_drag_add(&drag, &s);
    }
    kin_twist change = kin_sph_drag_solve(&drag, body);
    kin_wrench sum = {{0, 0, 0}, {0, 0, 0}};
    for (const kin_sph_hold_on* g = gives; g < end; ++g) {
        kin_sph_stick s = stick_of(job, g);
        float* v = f->v4 + 4 * (size_t)g->particle;
        double mass = (double)f->phases[f->phase[g->particle]].mass;
        kin_vec3 was = kin_sph_wide(v), slip = kin_sph_stick_part(&s, kin_sub(s.slip, kin_sph_twist_at(change, g->arm)));
        kin_sph_narrow(v, kin_add_scaled(was, -s.mass / mass, slip));
        kin_vec3 p = kin_scale(kin_sub(was, kin_sph_wide(v)), mass); /* what it lost, to the last bit */
        kin_vec3 left = kin_sub(kin_sub(s.slip, kin_scale(p, 1 / mass)), kin_sph_twist_at(change, g->arm));
        f->dissipated += 0.5 * kin_dot(p, kin_add(s.slip, left));
        sum.impulse = kin_add(sum.impulse, p);
        sum.angular = kin_add(sum.angular, kin_cross(g->arm, p));
    }
    kin_sph_body_give(f, tick->step->solids, body, sum);
}

void kin_sph_walls_rub(kin_sph* f, const kin_sph_tick* tick, const float* nu)
{
    kin_sph_walls* w = f->walls;
    if (w->near_count == 0 || !(w->friction > 0)) return;
    rub_job job = {f, nu, (double)tick->h};
    kin_parallel_for(tick->step->jobs, (int64_t)f->count, KIN_SPH_WALL_CHUNK, rub_chunk, &job);
    f->dissipated += kin_sph_total(f, 0);
    for (size_t b = 0; w->give_count > 0 && b < w->body_count; ++b) {
        if (w->bodies[b].count > 0) rub_body(f, tick, &w->bodies[b], &job);
    }
}
