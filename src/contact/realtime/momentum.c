/* momentum.c - jointed sets of bodies that nothing holds keep their momenta: what an interval loses or gains of them is given back.
 *
 * Lanes are single precision, keep moments of inertia as the interval began, and let arms turn ahead of impulses: a set that tumbles alone loses some 1e-3 of its
 * angular momentum in ten seconds. What linear and angular momentum ought to be is known (what they were, and what forces did); the miss is given back as a
 * common velocity and a common spin, which no joint and no contact of the set feels. A set is all that hangs together by joints and contacts; one that touches a
 * body which no force moves, or one asleep, has no momentum to keep. Direct blocks keep theirs by themselves (tree/momentum.c) but for joints that are forced
 * together; what they miss by rounding is left to them, or they would be taken for pushed. */
#include "base/alloc.h"
#include "contact/realtime/realtime.h"

#define ROUNDING 1e-12 /* of the sum of all momenta without their signs: less is not given back */

static bool is_locked(const kin_body* b) { return !(b->inv_mass > 0 && b->inv_moments.x > 0 && b->inv_moments.y > 0 && b->inv_moments.z > 0); }

/* Its pull on one body is not the opposite of that on the other. */
static bool is_grounded(const kin_joint* j) { return j->kind == KIN_JOINT_PULLEY || (j->kind == KIN_JOINT_GEAR && j->mount == KIN_GEAR_IN_WORLD); }

/* A body into the set that is being listed; false: it is held, or of a set that is. */
static bool add_member(kin_realtime* rt, uint32_t body)
{
    if (body == KIN_NO_BODY || !kin_rt_moves(rt, body) || is_locked(&rt->group->bodies.body[body])) return false;
    if (rt->set_of[body] == rt->set_count) return true;
    if (rt->set_of[body] != KIN_RT_NONE) return false; /* a set is complete, or held: then so is this one */
    rt->set_of[body] = rt->set_count;
    rt->members.data[rt->members.count++] = body;
    return true;
}

static bool add_neighbours(kin_realtime* rt, uint32_t body)
{
    for (uint32_t p = rt->body[body].pairs; p != KIN_RT_NONE; p = kin_rt_pair_next(rt, p, body)) {
        if (rt->pairs[p].contacts == KIN_RT_NONE) continue;
        if (!add_member(rt, rt->pairs[p].a == body ? rt->pairs[p].b : rt->pairs[p].a)) return false;
    }
    for (uint32_t k = rt->joint_first[body]; body < rt->joint_bodies && k < rt->joint_first[body + 1]; ++k) {
        const kin_joint* j = &rt->group->joints[rt->joint_of_body[k]];
        if (!kin_group_joint_holds(rt->group, j)) continue;
        if (is_grounded(j) || !add_member(rt, j->a == body ? j->b : j->a)) return false;
    }
    return true;
}

/* About the set's point. */
static kin_vec3 angular_momentum(const kin_rt_set* set, const kin_body* b)
{
    return kin_add(kin_cross(kin_sub(b->position, set->center), kin_scale(b->velocity, b->mass)), kin_body_angular_momentum(b));
}

/* Forces act where the bodies are on their mean; half of that at either end. */
static void add_forces(kin_realtime* rt, kin_rt_set* set, double half)
{
    const kin_bodies* b = &rt->group->bodies;
    for (uint32_t k = set->first; k < set->first + set->count; ++k) {
        const uint32_t i = rt->members.data[k];
        const kin_vec3 arm = kin_sub(b->body[i].position, set->center);
        set->linear = kin_add_scaled(set->linear, half, b->force[i]);
        set->angular = kin_add_scaled(set->angular, half, kin_add(b->torque[i], kin_cross(arm, b->force[i])));
    }
}

static void measure(kin_realtime* rt, kin_rt_set* set, double half)
{
    const kin_body* body = rt->group->bodies.body;
    kin_vec3 sum = {0, 0, 0};
    for (uint32_t k = set->first; k < set->first + set->count; ++k) {
        const kin_body* b = &body[rt->members.data[k]];
        set->mass += b->mass;
        sum = kin_add_scaled(sum, b->mass, b->position);
        set->linear = kin_add_scaled(set->linear, b->mass, b->velocity);
    }
    set->center = kin_scale(sum, 1 / set->mass);
    for (uint32_t k = set->first; k < set->first + set->count; ++k) set->angular = kin_add(set->angular, angular_momentum(set, &body[rt->members.data[k]]));
    add_forces(rt, set, half);
}

/* The set of a body; none, if it is held. */
static void find_set(kin_realtime* rt, uint32_t body, double half)
{
    const uint32_t first = rt->members.count;
    if (!kin_rt_moves(rt, body) || rt->set_of[body] != KIN_RT_NONE) return;
    bool is_free = add_member(rt, body);
    for (uint32_t at = first; is_free && at < rt->members.count; ++at) is_free = add_neighbours(rt, rt->members.data[at]);
    kin_rt_set* set = &rt->sets[rt->set_count++];
    *set = (kin_rt_set){.first = first, .count = is_free ? rt->members.count - first : 0};
    if (set->count > 0)
        measure(rt, set, half);
    else
        rt->members.count = first;
}

void kin_rt_momenta_begin(kin_rt_step* s)
{
    kin_realtime* rt = s->rt;
    const uint32_t bodies = rt->group->bodies.count;
    rt->members.count = 0;
    rt->set_count = 0;
    if (!rt->joints_work || rt->group->joint_count == 0) return;
    if (!kin_rt_list_reserve(rt, &rt->members, bodies) || !kin_rt_reserve(rt, (void**)&rt->set_of, &rt->set_capacity[0], bodies, sizeof *rt->set_of)
        || !kin_rt_reserve(rt, (void**)&rt->sets, &rt->set_capacity[1], bodies, sizeof *rt->sets)) {
        rt->out_of_memory = true;
        return;
    }
    for (uint32_t i = 0; i < bodies; ++i) rt->set_of[i] = KIN_RT_NONE;
    for (uint32_t k = 0; k < rt->group->joint_count; ++k) {
        const kin_joint* j = &rt->group->joints[k];
        if (!kin_group_joint_holds(rt->group, j)) continue;
        if (j->a != KIN_NO_BODY) find_set(rt, j->a, 0.5 * s->h);
        if (j->b != KIN_NO_BODY) find_set(rt, j->b, 0.5 * s->h);
    }
}

static kin_sym3 about(kin_vec3 r, double mass)
{
    const double square = kin_length2(r);
    return kin_sym3_add(kin_sym3_diagonal(kin_scale(kin_v(square, square, square), mass)), kin_sym3_scale(kin_sym3_square(r), -mass));
}

static void give_back(kin_realtime* rt, kin_rt_set* set, double half)
{
    kin_body* body = rt->group->bodies.body;
    kin_vec3 linear = {0, 0, 0}, angular = {0, 0, 0}, middle = {0, 0, 0};
    double along = 0, around = 0; /* of all bodies, without signs */
    kin_sym3 inertia = {0};
    kin_mat3 inverse;
    add_forces(rt, set, half);
    for (uint32_t k = set->first; k < set->first + set->count; ++k) {
        const kin_body* b = &body[rt->members.data[k]];
        const kin_vec3 own = angular_momentum(set, b);
        linear = kin_add_scaled(linear, b->mass, b->velocity);
        angular = kin_add(angular, own);
        along += b->mass * kin_length(b->velocity), around += kin_length(own);
        middle = kin_add_scaled(middle, b->mass / set->mass, b->position);
    }
    for (uint32_t k = set->first; k < set->first + set->count; ++k) {
        const kin_body* b = &body[rt->members.data[k]];
        const kin_sym3 own = kin_sym3_rotate(kin_quat_to_matrix(b->orientation), kin_sym3_diagonal(b->moments));
        inertia = kin_sym3_add(inertia, kin_sym3_add(own, about(kin_sub(b->position, middle), b->mass)));
    }
    const kin_vec3 push = kin_sub(set->linear, linear), velocity = kin_scale(push, 1 / set->mass);
    const kin_vec3 turn = kin_sub(kin_sub(set->angular, angular), kin_cross(kin_sub(middle, set->center), push));
    if (!(kin_length(push) > ROUNDING * along || kin_length(turn) > ROUNDING * around)) return;
    if (!kin_mat3_inverse(kin_sym3_matrix(inertia), &inverse)) return;
    const kin_vec3 spin = kin_mat3_apply(inverse, turn);
    if (!kin_finite3(velocity) || !kin_finite3(spin)) return;
    for (uint32_t k = set->first; k < set->first + set->count; ++k) {
        kin_body* b = &body[rt->members.data[k]];
        b->velocity = kin_add(b->velocity, kin_add(velocity, kin_cross(spin, kin_sub(b->position, middle))));
        b->spin = kin_add(b->spin, spin);
    }
}

void kin_rt_momenta_end(kin_rt_step* s)
{
    for (uint32_t i = 0; i < s->rt->set_count; ++i) {
        if (s->rt->sets[i].count > 0) give_back(s->rt, &s->rt->sets[i], 0.5 * s->h);
    }
}
