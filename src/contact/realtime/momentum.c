/* momentum.c - sets of bodies that nothing holds keep their momenta, and gain no energy: what an interval loses or gains of them is given back.
 *
 * Lanes are single precision, keep moments of inertia as the interval began, and contacts push both bodies along arms that met when their manifold was built: what
 * tumbles against each other in free space loses a share of its angular momentum. What linear and angular momentum ought to be is known (what they were, and what
 * forces did); the miss is given back as a common velocity and a common spin: of jointed sets, and where a body was stopped on its way, about their common centre,
 * which no joint and no contact feels; of others each body about its own, so that velocities are what contacts made of them. Where bodies without joints then have
 * more energy than there was and forces did work, spins are brought nearer to their mean, and if that is not enough all motion to that of the set as a whole:
 * neither changes momenta. Joints may have springs and motors, and moving surfaces drive: sets with such have no such bound.
 *
 * A set is all that hangs together by joints, contacts and meetings of the interval; one that touches a body which no force moves, or one asleep, has no momentum to keep. Direct blocks
 * keep theirs by themselves (tree/momentum.c) but for joints that are forced together; what they miss by rounding is left to them, or they would be taken for
 * pushed. */
#include "base/alloc.h"
#include "contact/realtime/realtime.h"

#define ROUNDING 1e-12 /* of the sum of all momenta without their signs: less is not given back */

static bool is_locked(const kin_body* b) { return !(b->inv_mass > 0 && b->inv_moments.x > 0 && b->inv_moments.y > 0 && b->inv_moments.z > 0); }

/* Its pull on one body is not the opposite of that on the other. */
static bool is_grounded(const kin_joint* j) { return j->kind == KIN_JOINT_PULLEY || (j->kind == KIN_JOINT_GEAR && j->mount == KIN_GEAR_IN_WORLD); }

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
    const kin_bodies* all = &rt->group->bodies;
    kin_vec3 sum = {0, 0, 0};
    *set = (kin_rt_set){.first = set->first, .count = set->count, .jointed = set->jointed};
    for (uint32_t k = set->first; k < set->first + set->count; ++k) {
        const kin_body* b = &all->body[rt->members.data[k]];
        set->mass += b->mass;
        sum = kin_add_scaled(sum, b->mass, b->position);
        set->linear = kin_add_scaled(set->linear, b->mass, b->velocity);
        set->energy += kin_body_kinetic(b);
        set->driven |= kin_length2(all->skin[rt->members.data[k]].surface_velocity) > 0;
    }
    set->center = kin_scale(sum, 1 / set->mass);
    for (uint32_t k = set->first; k < set->first + set->count; ++k)
        set->angular = kin_add(set->angular, angular_momentum(set, &all->body[rt->members.data[k]]));
    add_forces(rt, set, half);
}

/* ---- which sets ----
 *
 * Lines that hang together have one root, the lowest of them; what is held hangs together with line 0, which is at rest. */

static uint32_t root_of(uint32_t* parent, uint32_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static void join(uint32_t* parent, int32_t line_a, int32_t line_b)
{
    const uint32_t a = root_of(parent, line_a > 0 ? (uint32_t)line_a : 0), b = root_of(parent, line_b > 0 ? (uint32_t)line_b : 0);
    parent[a < b ? b : a] = a < b ? a : b;
}

static int32_t line_of(const kin_realtime* rt, uint32_t body)
{
    const bool counts = body != KIN_NO_BODY && kin_rt_moves(rt, body) && !is_locked(&rt->group->bodies.body[body]);
    return counts ? (int32_t)kin_rt_line(body) : 0;
}

/* Those with what does not move first, for they come last in a node: then most lines hang at line 0 when others are asked. */
static void join_contacts(kin_realtime* rt)
{
    uint32_t* of = rt->set_of;
    for (uint32_t c = rt->colour_count; c-- > KIN_RT_DIRECT;) {
        const kin_rt_colour* colour = &rt->colour[c];
        for (uint32_t i = 0; i < colour->count; i += KIN_RT_LANES) {
            const kin_rt_rows* r = &colour->rows[i / KIN_RT_LANES];
            for (uint32_t l = 0; l < KIN_RT_LANES && i + l < colour->count; ++l) {
                const int32_t a = r->a[l] > 0 ? r->a[l] : 0, b = r->b[l] > 0 ? r->b[l] : 0;
                if (of[a] != of[b]) join(of, a, b);
            }
        }
    }
}

/* Bodies that were stopped by each other: a top's spin changes where it is not turned to the end. */
static void join_meetings(kin_realtime* rt)
{
    for (uint32_t k = 0; k < rt->met.count; k += 2) join(rt->set_of, line_of(rt, rt->met.data[k]), line_of(rt, rt->met.data[k + 1]));
}

static void join_joints(kin_realtime* rt)
{
    for (uint32_t k = 0; rt->joints_work && k < rt->group->joint_count; ++k) {
        const kin_joint* j = &rt->group->joints[k];
        if (!kin_group_joint_holds(rt->group, j)) continue;
        join(rt->set_of, line_of(rt, j->a), is_grounded(j) ? 0 : line_of(rt, j->b));
        if (is_grounded(j)) join(rt->set_of, line_of(rt, j->b), 0);
    }
}

/* Bodies of roots but 0, in the order of sets and of bodies; of one body alone there is no set. */
static bool list_sets(kin_realtime* rt)
{
    uint32_t *of = rt->set_of, count = 0, roots = 0;
    for (uint32_t k = 0; k < rt->active.count; ++k) {
        const uint32_t line = kin_rt_line(rt->active.data[k]), root = root_of(of, line);
        of[line] = root; /* lines rise, and a root is the lowest of its set: the root of a root is itself */
        roots += root == line, count += root > 0;
    }
    if (!kin_rt_list_reserve(rt, &rt->members, count) || !kin_rt_reserve(rt, (void**)&rt->sets, &rt->set_capacity[1], roots, sizeof *rt->sets)) return false;
    for (uint32_t k = 0; k < rt->active.count; ++k) {
        const uint32_t line = kin_rt_line(rt->active.data[k]), root = of[line];
        if (root == 0) of[line] = KIN_RT_NONE;
        if (root == 0) continue;
        of[line] = root == line ? rt->set_count++ : of[root];
        if (root == line) rt->sets[of[line]] = (kin_rt_set){0};
        rt->sets[of[line]].count += 1;
    }
    for (uint32_t i = 0, first = 0; i < rt->set_count; first += rt->sets[i].count, rt->sets[i++].count = 0) rt->sets[i].first = first;
    for (uint32_t k = 0; k < rt->active.count; ++k) {
        const uint32_t at = of[kin_rt_line(rt->active.data[k])];
        if (at != KIN_RT_NONE) rt->members.data[rt->sets[at].first + rt->sets[at].count++] = rt->active.data[k];
    }
    rt->members.count = count;
    return true;
}

static void note_joints(kin_realtime* rt)
{
    for (uint32_t k = 0; rt->joints_work && k < rt->group->joint_count; ++k) {
        const kin_joint* j = &rt->group->joints[k];
        const uint32_t body = j->a != KIN_NO_BODY && kin_rt_moves(rt, j->a) ? j->a : j->b;
        if (body == KIN_NO_BODY || !kin_rt_moves(rt, body) || !kin_group_joint_holds(rt->group, j)) continue;
        const uint32_t at = rt->set_of[kin_rt_line(body)];
        if (at != KIN_RT_NONE) rt->sets[at].jointed = true;
    }
}

static bool find_sets(kin_realtime* rt)
{
    const uint32_t lines = rt->group->bodies.count + 1;
    rt->members.count = rt->set_count = 0;
    if (!kin_rt_reserve(rt, (void**)&rt->set_of, &rt->set_capacity[0], lines, sizeof *rt->set_of)) return false;
    for (uint32_t i = 0; i < lines; ++i) rt->set_of[i] = i;
    join_contacts(rt);
    join_joints(rt);
    join_meetings(rt);
    for (uint32_t k = 0; k < rt->active.count; ++k) {
        const uint32_t i = rt->active.data[k];
        if (line_of(rt, i) == 0) join(rt->set_of, (int32_t)kin_rt_line(i), 0);
    }
    if (!list_sets(rt)) return false;
    note_joints(rt);
    return true;
}

static void give_up(kin_realtime* rt)
{
    rt->out_of_memory = true;
    rt->set_count = 0;
}

void kin_rt_momenta_begin(kin_rt_step* s)
{
    kin_realtime* rt = s->rt;
    rt->met.count = 0;
    if (!find_sets(rt)) give_up(rt);
    for (uint32_t i = 0; i < rt->set_count; ++i) {
        if (rt->sets[i].count > 1) measure(rt, &rt->sets[i], 0.5 * s->h);
    }
}

/* ---- meetings ----
 *
 * Bodies that met on their way belong together from then on. Their sets are found anew; what those were is added up. */

typedef struct past { /* sets before */
    kin_rt_set* sets;
    uint32_t* set_of; /* of each line */
} past;

static bool keep_past(const kin_realtime* rt, kin_arena* arena, past* p)
{
    const size_t lines = (size_t)rt->group->bodies.count + 1;
    p->sets = kin_arena_take(arena, (rt->set_count + 1) * sizeof *p->sets);
    p->set_of = kin_arena_take(arena, lines * sizeof *p->set_of);
    if (p->sets == NULL || p->set_of == NULL) return false;
    for (uint32_t i = 0; i < rt->set_count; ++i) p->sets[i] = rt->sets[i];
    for (size_t i = 0; i < lines; ++i) p->set_of[i] = rt->set_of[i];
    return true;
}

/* One set more, of what is expected to hang together; both about points of their own. */
static void add_set(kin_rt_set* sum, const kin_rt_set* set)
{
    const double mass = sum->mass + set->mass;
    const kin_vec3 center = kin_lerp(sum->center, set->center, set->mass / mass);
    sum->angular = kin_add(sum->angular, kin_cross(kin_sub(sum->center, center), sum->linear));
    sum->angular = kin_add(sum->angular, kin_add(set->angular, kin_cross(kin_sub(set->center, center), set->linear)));
    sum->linear = kin_add(sum->linear, set->linear);
    sum->center = center, sum->mass = mass, sum->energy += set->energy;
    sum->driven |= set->driven;
}

static void add_up(kin_realtime* rt, past* p, uint32_t index, double half)
{
    kin_rt_set sum = {.first = rt->sets[index].first, .count = rt->sets[index].count, .jointed = rt->sets[index].jointed};
    for (uint32_t k = sum.first; k < sum.first + sum.count; ++k) {
        kin_rt_set* before = &p->sets[p->set_of[kin_rt_line(rt->members.data[k])]];
        if (before->count == 1) {
            *before = (kin_rt_set){.first = k, .count = 1};
            measure(rt, before, half);
        }
        if (before->count > 0) add_set(&sum, before);
        before->count = 0; /* it is in */
    }
    rt->sets[index] = sum;
}

void kin_rt_momenta_meet(kin_rt_step* s)
{
    kin_realtime* rt = s->rt;
    kin_arena* arena = &s->step->jobs->arenas[0];
    if (rt->met.count == 0) return;
    kin_arena_mark mark = kin_arena_begin(arena);
    past p;
    if (keep_past(rt, arena, &p) && find_sets(rt)) {
        for (uint32_t i = 0; i < rt->set_count; ++i) {
            if (rt->sets[i].count > 1) add_up(rt, &p, i, 0.5 * s->h);
        }
    } else {
        give_up(rt);
    }
    kin_arena_end(arena, mark);
}

/* ---- giving back ---- */

static kin_sym3 about(kin_vec3 r, double mass)
{
    const double square = kin_length2(r);
    return kin_sym3_add(kin_sym3_diagonal(kin_scale(kin_v(square, square, square), mass)), kin_sym3_scale(kin_sym3_square(r), -mass));
}

typedef struct whole { /* a set as one body */
    kin_vec3 center, velocity, spin;
    kin_mat3 inverse; /* of its inertia */
    kin_vec3 linear, angular;
    double along, around; /* momenta of all bodies, without signs */
} whole;

/* Momenta about the set's point, as the bodies are now. */
static void sum_momenta(const kin_realtime* rt, const kin_rt_set* set, whole* w)
{
    w->linear = w->angular = kin_v(0, 0, 0);
    w->along = w->around = 0;
    for (uint32_t k = set->first; k < set->first + set->count; ++k) {
        const kin_body* b = &rt->group->bodies.body[rt->members.data[k]];
        const kin_vec3 own = angular_momentum(set, b);
        w->linear = kin_add_scaled(w->linear, b->mass, b->velocity);
        w->angular = kin_add(w->angular, own);
        w->along += b->mass * kin_length(b->velocity), w->around += kin_length(own);
    }
}

static bool find_inertia(const kin_realtime* rt, const kin_rt_set* set, whole* w)
{
    kin_sym3 inertia = {0};
    w->center = kin_v(0, 0, 0);
    for (uint32_t k = set->first; k < set->first + set->count; ++k) {
        const kin_body* b = &rt->group->bodies.body[rt->members.data[k]];
        w->center = kin_add_scaled(w->center, b->mass / set->mass, b->position);
    }
    for (uint32_t k = set->first; k < set->first + set->count; ++k) {
        const kin_body* b = &rt->group->bodies.body[rt->members.data[k]];
        const kin_sym3 own = kin_sym3_rotate(kin_quat_to_matrix(b->orientation), kin_sym3_diagonal(b->moments));
        inertia = kin_sym3_add(inertia, kin_sym3_add(own, about(kin_sub(b->position, w->center), b->mass)));
    }
    return kin_mat3_inverse(kin_sym3_matrix(inertia), &w->inverse);
}

static void move_as_one(kin_realtime* rt, const kin_rt_set* set, kin_vec3 center, kin_vec3 velocity, kin_vec3 spin)
{
    if (!kin_finite3(velocity) || !kin_finite3(spin)) return;
    for (uint32_t k = set->first; k < set->first + set->count; ++k) {
        kin_body* b = &rt->group->bodies.body[rt->members.data[k]];
        b->velocity = kin_add(b->velocity, kin_add(velocity, kin_cross(spin, kin_sub(b->position, center))));
        b->spin = kin_add(b->spin, spin);
    }
}

static void turn_each(kin_realtime* rt, const kin_rt_set* set, kin_vec3 velocity, kin_vec3 spin)
{
    if (!kin_finite3(velocity) || !kin_finite3(spin)) return;
    for (uint32_t k = set->first; k < set->first + set->count; ++k) {
        kin_body* b = &rt->group->bodies.body[rt->members.data[k]];
        b->velocity = kin_add(b->velocity, velocity), b->spin = kin_add(b->spin, spin);
    }
}

static double kinetic(const kin_realtime* rt, const kin_rt_set* set)
{
    double sum = 0;
    for (uint32_t k = set->first; k < set->first + set->count; ++k) sum += kin_body_kinetic(&rt->group->bodies.body[rt->members.data[k]]);
    return sum;
}

/* J: of the forces of the interval, on the bodies' ways. */
static double work_of_forces(const kin_realtime* rt, const kin_rt_set* set)
{
    const kin_bodies* all = &rt->group->bodies;
    double sum = 0;
    for (uint32_t k = set->first; k < set->first + set->count; ++k) {
        const uint32_t i = rt->members.data[k];
        sum += kin_dot(all->force[i], kin_sub(all->end[i].position, all->start[i].position));
        if (kin_length2(all->torque[i]) > 0)
            sum += kin_dot(all->torque[i], kin_quat_rotation_vector(kin_quat_mul(all->end[i].orientation, kin_quat_conj(all->start[i].orientation))));
    }
    return sum;
}

/* Sum of the bodies' own inertias. */
static kin_sym3 own_inertia(const kin_realtime* rt, const kin_rt_set* set)
{
    kin_sym3 sum = {0};
    for (uint32_t k = set->first; k < set->first + set->count; ++k) {
        const kin_body* b = &rt->group->bodies.body[rt->members.data[k]];
        sum = kin_sym3_add(sum, kin_sym3_rotate(kin_quat_to_matrix(b->orientation), kin_sym3_diagonal(b->moments)));
    }
    return sum;
}

/* The share of what moves against a mean that leaves energy `most`, where the mean alone has `mean`. */
static double share_of(double most, double now, double mean) { return now > mean && most > mean ? kin_sqrt((most - mean) / (now - mean)) : 0; }

/* Spins towards their mean, by so much energy, J, or as far as it goes. */
static void limit_spins(kin_realtime* rt, const kin_rt_set* set, double excess)
{
    kin_vec3 sum = {0, 0, 0};
    double now = 0;
    kin_mat3 inverse;
    if (!kin_mat3_inverse(kin_sym3_matrix(own_inertia(rt, set)), &inverse)) return;
    for (uint32_t k = set->first; k < set->first + set->count; ++k) {
        const kin_body* b = &rt->group->bodies.body[rt->members.data[k]];
        sum = kin_add(sum, kin_body_angular_momentum(b));
        now += 0.5 * kin_dot(b->spin, kin_body_angular_momentum(b));
    }
    const kin_vec3 mean = kin_mat3_apply(inverse, sum);
    const double share = share_of(now - excess, now, 0.5 * kin_dot(mean, sum));
    if (!(share < 1) || !kin_finite3(mean)) return;
    for (uint32_t k = set->first; k < set->first + set->count; ++k) {
        kin_body* b = &rt->group->bodies.body[rt->members.data[k]];
        b->spin = kin_lerp(mean, b->spin, share);
    }
}

static void limit_motion(kin_realtime* rt, const kin_rt_set* set, const whole* w, double most, double now)
{
    const kin_vec3 velocity = kin_scale(w->linear, 1 / set->mass), angular = kin_sub(w->angular, kin_cross(kin_sub(w->center, set->center), w->linear));
    const kin_vec3 spin = kin_mat3_apply(w->inverse, angular);
    const double share = share_of(most, now, 0.5 * (set->mass * kin_length2(velocity) + kin_dot(spin, angular)));
    if (!(share < 1) || !kin_finite3(spin)) return;
    for (uint32_t k = set->first; k < set->first + set->count; ++k) {
        kin_body* b = &rt->group->bodies.body[rt->members.data[k]];
        const kin_vec3 common = kin_add(velocity, kin_cross(spin, kin_sub(b->position, w->center)));
        b->velocity = kin_lerp(common, b->velocity, share), b->spin = kin_lerp(spin, b->spin, share);
    }
}

static void limit_energy(kin_realtime* rt, const kin_rt_set* set, whole* w)
{
    const double most = set->energy + work_of_forces(rt, set), now = kinetic(rt, set);
    if (!(now > most)) return;
    limit_spins(rt, set, now - most);
    const double still = kinetic(rt, set);
    if (still - most > ROUNDING * still && find_inertia(rt, set, w)) limit_motion(rt, set, w, most, still);
}

/* Bodies that were stopped on their way must not move against what they met. */
static bool is_cut(const kin_realtime* rt, const kin_rt_set* set)
{
    for (uint32_t k = set->first; k < set->first + set->count; ++k) {
        if (rt->body[rt->members.data[k]].flags & KIN_RT_CUT) return true;
    }
    return false;
}

static void give_back(kin_realtime* rt, kin_rt_set* set, double half)
{
    whole w;
    kin_mat3 inverse;
    add_forces(rt, set, half);
    sum_momenta(rt, set, &w);
    const kin_vec3 push = kin_sub(set->linear, w.linear), velocity = kin_scale(push, 1 / set->mass);
    if (kin_length(push) > ROUNDING * w.along || kin_length(kin_sub(set->angular, w.angular)) > ROUNDING * w.around) {
        if (!find_inertia(rt, set, &w)) return;
        const kin_vec3 turn = kin_sub(kin_sub(set->angular, w.angular), kin_cross(kin_sub(w.center, set->center), push));
        if (set->jointed || is_cut(rt, set))
            move_as_one(rt, set, w.center, velocity, kin_mat3_apply(w.inverse, turn));
        else if (kin_mat3_inverse(kin_sym3_matrix(own_inertia(rt, set)), &inverse))
            turn_each(rt, set, velocity, kin_mat3_apply(inverse, turn));
        w.linear = set->linear, w.angular = set->angular;
    }
    if (!set->jointed && !set->driven) limit_energy(rt, set, &w);
}

void kin_rt_momenta_end(kin_rt_step* s)
{
    for (uint32_t i = 0; i < s->rt->set_count; ++i) {
        if (s->rt->sets[i].count > 1) give_back(s->rt, &s->rt->sets[i], 0.5 * s->h);
    }
}
