/* inside.c - particles whose centre is found inside a solid: put there at birth or by hand, or swallowed by a collider that jumped (Coutinho 3.4.2, exercise 3.3).
 *
 *     push_out   they are moved to the closest surface point, velocity kept (contact.c: nothing is done here)
 *     delete     they end
 *     pull_out   a temporary spring pulls them out. It acts one way: on their way out they meet nothing. Its length is the depth d below the closest surface
 *                point, its rest length runs from the depth d0 at the start to 0 within pull_time and on at the same rate until they are out, so nothing jumps.
 *
 * The spring is damped critically about that schedule, z = d0 (1 - t / T) - d, z'' = -w^2 z - 2 w z', and stepped by its solution: stable for any step. */
#include "domains/particles/particles.h"
#include "math/scalar.h"

#define STIFFNESS 8 /* w T: it lags behind its schedule by 1/8 of pull_time at most */

enum { OUTSIDE, GONE, PULLED };

/* The nearest way out, for a centre that is inside; who is being pulled goes on until all of it is outside. */
static bool is_inside(const kin_particles* p, const kin_step* step, size_t i, kin_contact* out)
{
    bool pulled = (p->flags[i] & KIN_PARTICLE_PULLED) != 0;
    double radius = p->radius[i], depth = pulled ? 0 : radius + p->def.rest_distance;
    if (kin_solids_closest(step->solids, kin_get3(p->x, i), radius, 0, 0, out, 1) == 0) return false;
    return out->distance < -depth;
}

typedef struct look_job {
    kin_particles* p;
    const kin_step* step;
} look_job;

static void look_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    const look_job* job = argument;
    kin_particles* p = job->p;
    for (size_t i = (size_t)begin; i < (size_t)end; ++i) {
        kin_contact c;
        p->inside[i] = OUTSIDE;
        if (kin_particle_meets_solids(p, i) && is_inside(p, job->step, i, &c)) p->inside[i] = p->def.inside == KIN_INSIDE_DELETE ? GONE : PULLED;
    }
}

void kin_particles_look_inside(kin_particles* p, const kin_step* step)
{
    if (p->def.inside == KIN_INSIDE_PUSH_OUT) return;
    kin_parallel_for(step->jobs, (int64_t)p->count, 8 * KIN_PARTICLE_BLOCK, look_range, &(look_job){p, step});
}

/* When it was first found, and how deep it was then. */
typedef struct schedule {
    double begin, depth;
} schedule;

static schedule schedule_of(const kin_particles* p, const kin_step* step, size_t i, const kin_contact* c)
{
    if (p->flags[i] & KIN_PARTICLE_PULLED) return (schedule){p->pull_begin[i], (double)p->pull_depth[i]};
    return (schedule){step->time, (double)(float)-c->distance};
}

/* Along the normal the spring rules, with what the fields did to the velocity; across it the motion stays free. */
static void pull(kin_particles* p, const kin_step* step, size_t i, const kin_contact* c)
{
    kin_vec3 x = kin_get3(p->x, i), go = kin_sub(kin_get3(p->next_x, i), x), v = kin_get3(p->next_v, i), n = c->normal;
    schedule plan = schedule_of(p, step, i, c);
    double h = step->h, w = STIFFNESS / p->def.pull_time, rate = plan.depth / p->def.pull_time;
    double surface = kin_dot(c->velocity, n), rest = plan.depth - rate * (step->time - plan.begin);
    double z = rest + c->distance, dz = kin_dot(v, n) - surface - rate, fall = kin_exp(-w * h), both = dz + w * z;
    double z1 = (z + both * h) * fall, dz1 = (dz - w * both * h) * fall;
    kin_put3(p->next_x, i, kin_add_scaled(kin_add(x, go), z1 - z + (rate + surface) * h - kin_dot(go, n), n));
    kin_put3(p->next_v, i, kin_add_scaled(v, dz1 + rate + surface - kin_dot(v, n), n));
}

void kin_particle_leave(kin_particles* p, const kin_step* step, size_t i)
{
    kin_contact c;
    p->next_flags[i] = KIN_PARTICLE_FRESH | KIN_PARTICLE_TOUCHING;
    if (p->inside[i] == GONE) {
        p->next_mobility[i] = KIN_MOBILITY_INACTIVE;
        p->next_flags[i] = KIN_PARTICLE_LEFT;
        return;
    }
    if (kin_solids_closest(step->solids, kin_get3(p->x, i), p->radius[i], 0, 0, &c, 1) == 0) return;
    pull(p, step, i, &c);
    p->next_flags[i] |= KIN_PARTICLE_PULLED;
}

void kin_particles_note_pulls(kin_particles* p, const kin_step* step)
{
    for (size_t i = 0; i < p->count; ++i) {
        kin_contact c;
        if (p->inside[i] != PULLED || kin_solids_closest(step->solids, kin_get3(p->x, i), p->radius[i], 0, 0, &c, 1) == 0) continue;
        schedule plan = schedule_of(p, step, i, &c);
        p->pull_begin[i] = plan.begin;
        p->pull_depth[i] = (float)plan.depth;
    }
}
