/* give.c - walls that give way. A body moves with what pressures do to it, and pressures depend on how it moves; a body lighter than the water it displaces
 * would be thrown to and fro if one waited for the other. So its answer is part of the operator that pressures are solved with:
 *
 *     J k = (sum V k_i b_i,  sum arm_i x V k_i b_i)      force and torque on a body
 *     rate_i -= b_i . (M^-1 J k at i)                    its answer, as walls are felt
 *
 * which is the transpose of itself, and takes away what work it does. Forces act at the places of particles: then what a particle gets and what the body gets
 * have one line of action, and linear and angular momentum are kept to rounding.
 *
 * Bodies have moved already when fluids do: impulses reach them in the next interval. The velocity that a body is felt with is that of its path, plus what it was
 * given so far, plus the change that its weight and other holds made in the last interval, as much of it as has passed at the tick's end. Without the last a body
 * that floats at rest would seem to rise by g h; it counts up to g h, so that hits are not expected again. */
#include "domains/sph/boundary/walls.h"
#include "base/alloc.h"
#include <string.h>

/* ---- who ---- */

static kin_vec3 at_most(kin_vec3 v, double length)
{
    double l2 = kin_length2(v);
    return l2 > length * length ? kin_scale(v, length / kin_sqrt(l2)) : v;
}

static kin_sph_body body_at(const kin_step* step, uint32_t solid)
{
    kin_solid_give g = kin_solids_give(step->solids, solid);
    double most = kin_length(step->fields->gravity) * step->h, reach = kin_solids_form(step->solids, solid)->reach;
    kin_twist load = {at_most(g.load.velocity, most), at_most(g.load.spin, reach > 0 ? most / reach : 0)};
    return (kin_sph_body){.solid = solid, .inv_mass = g.inv_mass, .inv_inertia = g.inv_inertia, .center = g.center, .load = load};
}

bool kin_sph_walls_list_bodies(kin_sph_walls* w, const kin_step* step)
{
    w->body_count = w->give_count = 0;
    if (!kin_solids_any_gives(step->solids)) return true;
    for (uint32_t i = 0; i < kin_solids_count(step->solids); ++i) {
        if (kin_solids_form(step->solids, i) == NULL || !kin_solids_gives(step->solids, i)) continue;
        if (!kin_reserve(&w->allocator, (void**)&w->bodies, &w->body_capacity, w->body_count + 1, sizeof *w->bodies)) return false;
        w->bodies[w->body_count++] = body_at(step, i);
    }
    return true;
}

/* ---- touches by body ---- */

static kin_sph_body* body_of_touch(kin_sph_walls* w, const kin_sph_touch* t)
{
    uint32_t body = w->near[t->wall].body;
    return body == KIN_SPH_NO_BODY ? NULL : &w->bodies[body];
}

static void count_touches(kin_sph* f)
{
    kin_sph_walls* w = f->walls;
    for (size_t b = 0; b < w->body_count; ++b) w->bodies[b].count = 0;
    for (int64_t c = 0; c < kin_sph_wall_chunks(f); ++c) {
        KIN_SPH_TOUCHES(w, c, t)
        {
            kin_sph_body* body = body_of_touch(w, t);
            if (body != NULL) body->count += 1;
        }
    }
    w->give_count = 0;
    for (size_t b = 0; b < w->body_count; ++b) {
        w->bodies[b].first = (uint32_t)w->give_count;
        w->give_count += w->bodies[b].count;
        w->bodies[b].count = 0;
    }
}

static void sort_touches(kin_sph* f)
{
    kin_sph_walls* w = f->walls;
    for (int64_t c = 0; c < kin_sph_wall_chunks(f); ++c) {
        KIN_SPH_TOUCHES(w, c, t)
        {
            kin_sph_body* body = body_of_touch(w, t);
            if (body == NULL) continue;
            kin_sph_hold_on* g = &w->gives[body->first + body->count++];
            *g = (kin_sph_hold_on){.particle = t->particle, .arm = kin_sub(kin_sph_place(f, f->x4 + 4 * (size_t)t->particle), body->center)};
            memcpy(g->b, t->b, sizeof g->b);
            g->near = t->near;
        }
    }
}

bool kin_sph_walls_meet_bodies(kin_sph* f, const kin_sph_tick* tick)
{
    (void)tick;
    kin_sph_walls* w = f->walls;
    w->give_count = 0;
    if (w->body_count == 0) return true;
    count_touches(f);
    if (!kin_reserve(&w->allocator, (void**)&w->gives, &w->give_capacity, w->give_count, sizeof *w->gives)) return false;
    sort_touches(f);
    return true;
}

/* ---- the operator term ---- */

bool kin_sph_walls_give(const kin_sph* f) { return f->walls != NULL && f->walls->give_count > 0; }

/* Force and torque (or impulses: times `by`) that pressures k put on a body, in the order of its touches. */
kin_wrench kin_sph_body_thrust(const kin_sph* f, const kin_sph_body* body, const float* k, double by)
{
    kin_wrench sum = {{0, 0, 0}, {0, 0, 0}};
    for (uint32_t n = body->first; n < body->first + body->count; ++n) {
        const kin_sph_hold_on* g = &f->walls->gives[n];
        kin_vec3 p = kin_scale(kin_sph_wide(g->b), by * (double)f->volume * (double)k[g->particle]);
        sum.impulse = kin_add(sum.impulse, p);
        sum.angular = kin_add(sum.angular, kin_cross(g->arm, p));
    }
    return sum;
}

void kin_sph_walls_respond(kin_sph* f, const kin_sph_tick* tick, const float* k, float* rate)
{
    (void)tick;
    kin_sph_walls* w = f->walls;
    for (size_t b = 0; w->give_count > 0 && b < w->body_count; ++b) {
        const kin_sph_body* body = &w->bodies[b];
        if (body->count == 0) continue;
        kin_wrench force = kin_sph_body_thrust(f, body, k, 1);
        kin_twist answer = kin_sph_body_answer(body, force.impulse, force.angular);
        for (uint32_t n = body->first; n < body->first + body->count; ++n) {
            const kin_sph_hold_on* g = &w->gives[n];
            rate[g->particle] -= (float)kin_dot(kin_sph_wide(g->b), kin_sph_twist_at(answer, g->arm));
        }
    }
}

void kin_sph_body_give(kin_sph* f, const kin_solids* solids, kin_sph_body* body, kin_wrench impulse)
{
    kin_twist answer = kin_sph_body_answer(body, impulse.impulse, impulse.angular);
    kin_reactions_add_wrench(&f->reactions, solids, body->solid, body->center, impulse);
    kin_sph_twist_add(&body->given, answer);
    for (uint32_t n = body->first; n < body->first + body->count; ++n) {
        kin_sph_hold_on* g = &f->walls->gives[n];
        kin_vec3 more = kin_sph_twist_at(answer, g->arm);
        kin_sph_narrow(g->near.velocity, kin_add(kin_sph_wide(g->near.velocity), more));
        kin_sph_narrow(g->near.spin, kin_add(kin_sph_wide(g->near.spin), answer.spin));
        f->wall_rate[g->particle] += (float)kin_dot(kin_sph_wide(g->b), more);
    }
}

/* Of its centre, by its path. */
static kin_twist path_of(const kin_solids* solids, const kin_sph_body* body)
{
    kin_twist path = kin_solids_twist(solids, body->solid);
    path.velocity = kin_sph_twist_at(path, kin_sub(body->center, kin_solids_pose(solids, body->solid, 1).position));
    return path;
}

/* J: of an impulse on a body over the tick, at the mean of its motion before and after it. */
static double work_on(const kin_sph_tick* tick, const kin_sph_body* body, kin_wrench impulse)
{
    kin_twist mean = kin_sph_body_answer(body, kin_scale(impulse.impulse, 0.5), kin_scale(impulse.angular, 0.5));
    kin_sph_twist_add(&mean, path_of(tick->step->solids, body));
    kin_sph_twist_add(&mean, body->given);
    kin_sph_twist_add(&mean, kin_sph_twist_scale(body->load, 0.5 * (tick->begin + tick->end)));
    return kin_dot(impulse.impulse, mean.velocity) + kin_dot(impulse.angular, mean.spin);
}

void kin_sph_walls_push(kin_sph* f, const kin_sph_tick* tick, const float* k)
{
    kin_sph_walls* w = f->walls;
    for (size_t b = 0; w->give_count > 0 && b < w->body_count; ++b) {
        if (w->bodies[b].count == 0) continue;
        kin_wrench impulse = kin_sph_body_thrust(f, &w->bodies[b], k, (double)tick->h);
        f->given_work += work_on(tick, &w->bodies[b], impulse);
        kin_sph_body_give(f, tick->step->solids, &w->bodies[b], impulse);
    }
}

/* ---- books ---- */

/* partial 0: of walls that follow their keys, by what pressed each particle in the tick. */
static void some_work(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const kin_sph_walls* w = f->walls;
    const double h = *(const double*)argument;
    double sum = 0;
    (void)begin, (void)end;
    KIN_SPH_TOUCHES(w, chunk, t)
    {
        if (w->near[t->wall].body != KIN_SPH_NO_BODY) continue;
        sum -= h * (double)f->volume * (double)kin_sph_multiplier(f, t->particle) * kin_dot(kin_sph_wide(t->b), kin_sph_wide(t->near.velocity));
    }
    f->partial[KIN_SPH_PARTIALS * chunk] = sum;
}

double kin_sph_walls_work(kin_sph* f, const kin_sph_tick* tick)
{
    double h = (double)tick->h;
    if (f->walls == NULL || f->walls->near_count == 0) return 0;
    kin_sph_for(f, tick->step->jobs, some_work, &h);
    return kin_sph_total(f, 0);
}
