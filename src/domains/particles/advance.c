/* advance.c - one island over one interval: to its next event, resolve it, go on (Coutinho 1.3, 3.2, 1.4.3).
 *
 * The island is one ode for the system's own integrator. An event is the first hit of two members or of a member and a solid on the paths of that step, or the
 * end of a slip; the island is put where its paths are then. Hits that slow down below rest_speed become touches that are held, so the series of bounces ends;
 * past max_events nothing bounces, and past twice that the rest of the interval is dropped. */
#include "domains/particles/advance.h"
#include "domains/particles/encounter.h"
#include "math/aabb.h"
#include <string.h>

#define COLLIDES 4 * KIN_PARTICLE_SKIN /* m: nearer than this at the time of an event is part of it */
#define HOVER 0.05                     /* of rest_distance: what is held may sink in by this before it is an event */
#define APART_ROUNDS 8

static kin_material_id material_of(const kin_island* s, uint32_t i) { return (kin_material_id){s->p->material[s->members[i]]}; }
static double radius_of(const kin_island* s, uint32_t i) { return s->p->radius[s->members[i]]; }
static bool moves(const kin_island* s, uint32_t i) { return s->give[i] > 0; }
static bool meets_solids(const kin_island* s, uint32_t i) { return kin_particle_meets_solids(s->p, s->members[i]); }

static bool pair_counts(const kin_island* s, uint32_t i, uint32_t j)
{
    return (moves(s, i) || moves(s, j)) && kin_particles_pair_meets(s->p, s->members[i], s->members[j]);
}

/* ---- touches ---- */

/* What becomes of two that are near, by how fast they part, m/s. */
typedef enum meeting { MEETING_NONE, MEETING_HELD, MEETING_COLLIDES } meeting;
static meeting meeting_of(const kin_island* s, double gap, double leave)
{
    double rest = kin_island_rest_speed(s);
    if (leave < -rest) return gap <= COLLIDES ? MEETING_COLLIDES : MEETING_NONE;
    return leave <= rest && gap <= s->p->def.rest_distance ? MEETING_HELD : MEETING_NONE;
}

static bool add_touch(kin_island* s, const kin_grain_touch* touch)
{
    if (s->touch_count == s->touch_capacity) {
        int capacity = s->touch_capacity > 0 ? 2 * s->touch_capacity : 32;
        kin_grain_touch* more = kin_arena_take(s->arena, (size_t)capacity * sizeof *more);
        if (more == NULL) return false;
        if (s->touch_count > 0) memcpy(more, s->touches, (size_t)s->touch_count * sizeof *more);
        s->touches = more;
        s->touch_capacity = capacity;
    }
    s->touches[s->touch_count++] = *touch;
    return true;
}

static meeting pair_meeting(const kin_island* s, uint32_t i, uint32_t j, kin_vec3* n)
{
    kin_vec3 d = kin_sub(kin_member_x(s, s->y, i), kin_member_x(s, s->y, j));
    double both = radius_of(s, i) + radius_of(s, j), most = both + s->p->def.rest_distance;
    if (kin_length2(d) > most * most) return MEETING_NONE;
    *n = kin_normalize_or(d, kin_axis(1));
    double leave = kin_dot(kin_sub(kin_member_v(s, s->y, i), kin_member_v(s, s->y, j)), *n);
    return meeting_of(s, kin_length(d) - both, leave);
}

static bool find_pairs(kin_island* s, uint32_t i)
{
    kin_vec3 n;
    for (uint32_t j = i + 1; j < (uint32_t)s->count; ++j) {
        if (!pair_counts(s, i, j)) continue;
        meeting how = pair_meeting(s, i, j, &n);
        if (how == MEETING_NONE) continue;
        kin_grain_touch c = {.a = i, .b = j, .collides = how == MEETING_COLLIDES, .frame = kin_basis_from_normal(n)};
        c.pair = kin_particles_pair(s->p, s->members[i], s->members[j]);
        s->met = true;
        if (!add_touch(s, &c)) return false;
    }
    return true;
}

static bool find_solids(kin_island* s, uint32_t i)
{
    kin_contact found[KIN_PARTICLE_CONTACTS];
    double fraction = s->time / s->step->h;
    if (!meets_solids(s, i)) return true;
    int count = kin_solids_closest(s->step->solids, kin_member_x(s, s->y, i), radius_of(s, i), s->p->def.rest_distance, fraction, found, KIN_PARTICLE_CONTACTS);
    for (int k = 0; k < count; ++k) {
        kin_contact* f = &found[k];
        f->fraction = fraction;
        meeting how = meeting_of(s, f->distance, kin_dot(kin_sub(kin_member_v(s, s->y, i), f->velocity), f->normal));
        if (how == MEETING_NONE) continue;
        kin_quat start = kin_solids_pose(s->step->solids, f->solid, 0).orientation, end = kin_solids_pose(s->step->solids, f->solid, 1).orientation;
        kin_grain_touch c = {
            .a = i, .b = KIN_GRAIN_SOLID, .collides = how == MEETING_COLLIDES, .frame = kin_contact_frame(s->step, f), .velocity = f->velocity};
        c.pair = kin_contact_pair(s->step, material_of(s, i), kin_particle_surface(s->p, s->members[i]), f);
        c.spin = kin_quat_spin_between(start, end, s->step->h);
        c.solid = f->solid;
        c.point = f->point;
        c.arm = kin_sub(f->point, kin_solids_pose(s->step->solids, f->solid, fraction).position);
        if (!add_touch(s, &c)) return false;
    }
    return true;
}

static bool find_touches(kin_island* s)
{
    s->touches = NULL;
    s->touch_count = s->touch_capacity = 0;
    for (uint32_t i = 0; i < (uint32_t)s->count; ++i) {
        if (!find_pairs(s, i) || !find_solids(s, i)) return false;
    }
    return kin_island_group(s);
}

/* ---- places ---- */

static bool part_pairs(kin_island* s)
{
    bool any = false;
    for (uint32_t i = 0; i < (uint32_t)s->count; ++i) {
        for (uint32_t j = i + 1; j < (uint32_t)s->count; ++j) {
            kin_vec3 d = kin_sub(kin_member_x(s, s->y, i), kin_member_x(s, s->y, j));
            double both = radius_of(s, i) + radius_of(s, j), least = both + 0.5 * KIN_PARTICLE_SKIN;
            if (kin_length2(d) >= least * least || !pair_counts(s, i, j)) continue;
            double push = (both + KIN_PARTICLE_SKIN - kin_length(d)) / (s->give[i] + s->give[j]);
            kin_vec3 n = kin_normalize_or(d, kin_axis(1));
            kin_member_add(s->y, s->count, i, s->give[i] * push, n);
            kin_member_add(s->y, s->count, j, -s->give[j] * push, n);
            any = true;
        }
    }
    return any;
}

static void leave_solids(kin_island* s)
{
    for (uint32_t i = 0; i < (uint32_t)s->count; ++i) {
        kin_contact c[KIN_PARTICLE_CONTACTS];
        if (!meets_solids(s, i)) continue;
        int count = kin_solids_closest(s->step->solids, kin_member_x(s, s->y, i), radius_of(s, i), 0.5 * KIN_PARTICLE_SKIN, s->time / s->step->h, c,
                                       KIN_PARTICLE_CONTACTS);
        for (int k = 0; k < count; ++k) kin_member_add(s->y, s->count, i, KIN_PARTICLE_SKIN - c[k].distance, c[k].normal);
    }
}

/* P1: what overlaps by rounding, or from the start, is moved apart, the lighter one more. */
static void part(kin_island* s)
{
    leave_solids(s);
    for (int round = 0; round < APART_ROUNDS && part_pairs(s); ++round) leave_solids(s);
}

/* ---- paths ---- */

static kin_flight flight_of(const kin_island* s, uint32_t i, double h, bool straight)
{
    kin_flight f = {kin_member_x(s, s->y, i), kin_member_v(s, s->y, i), kin_member_x(s, s->y1, i), kin_member_v(s, s->y1, i), h, straight};
    return f;
}

kin_aabb kin_flight_reach(const kin_particles* p, const kin_flight* f, double radius)
{
    kin_aabb box = kin_aabb_add(kin_aabb_add(kin_aabb_empty(), f->x0), f->x1);
    return kin_aabb_grow(box, radius + 0.5 * p->def.rest_distance + kin_flight_bulge(f));
}

static double first_pair_hit(const kin_island* s, const kin_flight* flights, const kin_aabb* boxes, double end)
{
    kin_vec3 n;
    double at;
    for (uint32_t i = 0; i < (uint32_t)s->count; ++i) {
        for (uint32_t j = i + 1; j < (uint32_t)s->count; ++j) {
            if (!kin_aabb_overlaps(boxes[i], boxes[j]) || !pair_counts(s, i, j)) continue;
            bool held = pair_meeting(s, i, j, &n) == MEETING_HELD;
            double reach = radius_of(s, i) + radius_of(s, j) - (held ? HOVER * s->p->def.rest_distance : 0);
            if (reach > 0 && kin_flights_meet(&flights[i], &flights[j], reach, end, &at)) end = at;
        }
    }
    return end;
}

static bool held_by_solid(const kin_island* s, uint32_t i)
{
    for (int k = 0; k < s->touch_count; ++k) {
        if (s->touches[k].a == i && s->touches[k].b == KIN_GRAIN_SOLID) return true;
    }
    return false;
}

/* Also who hit what: it is put just off it. */
static double first_solid_hit(const kin_island* s, const kin_flight* flights, double end, uint32_t* who, kin_contact* hit)
{
    for (uint32_t i = 0; i < (uint32_t)s->count; ++i) {
        double at, give = held_by_solid(s, i) ? HOVER * s->p->def.rest_distance : 0;
        kin_contact contact;
        kin_particle one = {.radius = kin_max(radius_of(s, i) - give, 0), .time = s->time};
        if (!meets_solids(s, i) || !kin_flight_first_hit(&flights[i], end, s->step, &one, &at, &contact) || at >= end) continue;
        end = at;
        *who = i;
        *hit = contact;
    }
    return end;
}

static void put_at(kin_island* s, const kin_flight* flights, double end)
{
    int n = s->count;
    for (int i = 0; i < n; ++i) {
        kin_vec3 x = kin_flight_position(&flights[i], end), v = kin_flight_velocity(&flights[i], end);
        for (int axis = 0; axis < 3; ++axis) {
            s->y[axis * n + i] = kin_component(x, axis);
            s->y[(3 + axis) * n + i] = kin_component(v, axis);
        }
    }
}

/* J, by friction over the piece just flown: its force at the start over the mean slip. */
static double rubbed(const kin_island* s, const double* y, double h)
{
    double sum = 0;
    for (int i = 0; i < s->touch_count; ++i) {
        const kin_grain_touch* c = &s->touches[i];
        kin_vec3 force = kin_add(kin_scale(c->frame.t, c->force[1]), kin_scale(c->frame.k, c->force[2]));
        sum -= 0.5 * h * kin_dot(force, kin_add(kin_grain_velocity(s, c, s->y), kin_grain_velocity(s, c, y)));
    }
    return sum;
}

/* What solids held over a piece is felt by them: forces as they were at its start; and what the piece, flown by a better rule or cut, took beside them, shared
 * out by weight, so that all together lose what the solids are given. */
/* y, w: where the piece began, and what turned velocities there. */
static void lean(kin_island* s, const double* y, const double* w, double h)
{
    kin_vec3 rest = {0, 0, 0};
    double weight = 0;
    for (uint32_t i = 0; i < (uint32_t)s->count; ++i) {
        if (s->give[i] == 0) continue;
        kin_vec3 change = kin_sub(kin_member_v(s, s->y, i), kin_member_v(s, y, i));
        kin_vec3 a = kin_member_v(s, s->dydt, i);
        if (w != NULL) a = kin_add(a, kin_cross(kin_member3(w, s->count, (int)i), kin_member_v(s, y, i)));
        rest = kin_add_scaled(rest, 1 / s->give[i], kin_add_scaled(change, -h, a));
    }
    for (int i = 0; i < s->touch_count; ++i) weight += s->touches[i].b == KIN_GRAIN_SOLID ? s->touches[i].force[0] : 0;
    for (int i = 0; i < s->touch_count; ++i) {
        const kin_grain_touch* c = &s->touches[i];
        kin_vec3 force = kin_basis_to_world(c->frame, kin_v(c->force[0], c->force[1], c->force[2]));
        if (c->b == KIN_GRAIN_SOLID && weight > 0) kin_grain_give(s, c, kin_add_scaled(kin_scale(force, h), c->force[0] / weight, rest), false);
    }
}

static void step_to_y1(kin_island* s, double h)
{
    const kin_ode_method* method = s->method;
    kin_ode ode = {.size = 6 * s->count, .pairs = 3 * s->count, .context = s, .derivative = kin_island_derivative, .gyration = s->gyration};
    double t = s->step->time + s->time;
    if (method->restart != NULL) method->restart(&ode, s->memory, 0, 3 * s->count, h, s->y, s->dydt);
    method->step(&ode, s->memory, t, h, s->y, s->dydt, s->y1, s->scratch);
}

/* Where each goes in the rest of the interval. */
static bool plan(kin_island* s, double h, kin_flight* flights, kin_aabb* boxes)
{
    bool straight = s->p->straight && s->touch_count == 0;
    step_to_y1(s, h);
    for (uint32_t i = 0; i < (uint32_t)s->count; ++i) {
        flights[i] = flight_of(s, i, h, straight);
        boxes[i] = kin_flight_reach(s->p, &flights[i], radius_of(s, i));
        s->reached[i] = kin_aabb_union(s->reached[i], boxes[i]);
    }
    return !s->failed;
}

/* Where fields turn velocities, one between two others is slower than both: it has the direction of the path, and the speed of a step of that length, in y1. */
static void keep_speeds(kin_island* s, const kin_flight* flights)
{
    for (uint32_t i = 0; i < (uint32_t)s->count; ++i) {
        const kin_flight* f = &flights[i];
        kin_vec3 turned = kin_member_v(s, s->y1, i), along = f->straight ? kin_sub(f->x1, f->x0) : kin_member_v(s, s->y, i);
        kin_member_put(s->y + 3 * s->count, s->count, i, kin_scale(kin_normalize_or(along, turned), kin_length(turned)));
    }
}

/* To the fraction end of the flights: not a bit off the integrator's own answer when that is all of it. */
static void go(kin_island* s, const kin_flight* flights, double end, double h)
{
    if (end < 1) {
        bool turns = end > 0 && s->gyration != NULL;
        if (turns) {
            kin_island_derivative(s, s->step->time + s->time, s->y, s->dydt);
            step_to_y1(s, end * h);
        }
        put_at(s, flights, end);
        if (turns) keep_speeds(s, flights);
        s->time += end * h;
        s->events += 1;
    } else {
        memcpy(s->y, s->y1, 6 * (size_t)s->count * sizeof *s->y);
        s->time = s->step->h;
    }
}

/* To the first event, or the end of the interval. */
static bool fly(kin_island* s)
{
    size_t n = (size_t)s->count;
    double h = s->step->h - s->time;
    uint32_t who = UINT32_MAX;
    kin_contact hit = {.solid = UINT32_MAX};
    kin_flight* flights = kin_arena_take(s->arena, n * sizeof *flights);
    kin_aabb* boxes = kin_arena_take(s->arena, n * sizeof *boxes);
    double *old = kin_arena_take(s->arena, 9 * n * sizeof *old), *turned = s->gyration != NULL && old != NULL ? old + 6 * n : NULL;
    if (flights == NULL || boxes == NULL || old == NULL) return false;
    if (turned != NULL) memcpy(turned, s->gyration, 3 * n * sizeof *turned);
    if (!plan(s, h, flights, boxes)) return false;
    double end = kin_island_stop(s);
    end = first_pair_hit(s, flights, boxes, end);
    end = first_solid_hit(s, flights, end, &who, &hit);
    if (who < n && hit.solid == UINT32_MAX) {
        s->lost = s->members[who] + 1;
        s->lost_speed = kin_max(kin_length(flights[who].v0), kin_length(flights[who].v1));
        return false;
    }
    memcpy(old, s->y, 6 * n * sizeof *old);
    go(s, flights, end, h);
    if (who < n) {
        double height = kin_dot(kin_sub(kin_member_x(s, s->y, who), hit.point), hit.normal);
        kin_member_add(s->y, s->count, who, radius_of(s, who) + KIN_PARTICLE_SKIN - height, hit.normal);
    }
    s->dissipated += rubbed(s, old, end * h);
    if (s->given != NULL) lean(s, old, turned, end * h);
    return true;
}

/* Nothing is left to do but to stay. */
static bool stay(kin_island* s)
{
    size_t size = 6 * (size_t)s->count * sizeof *s->y;
    double* old = kin_arena_take(s->arena, size);
    if (old == NULL) return false;
    memcpy(old, s->y, size);
    memset(s->y + 3 * s->count, 0, 3 * (size_t)s->count * sizeof *s->y);
    if (s->given != NULL) lean(s, old, NULL, s->step->h - s->time); /* what hardly moves is not turned */
    s->time = s->step->h;
    s->resting = true;
    return true;
}

/* A straight line would enter what curves or turns: held islands follow the parabola. */
static void choose_method(kin_island* s)
{
    s->method = s->p->straight && s->touch_count > 0 ? kin_ode_method_named(s->p->simd, "average") : s->p->method;
    s->gyration = kin_particles_gyrate(s->step, s->method) ? s->turning : NULL;
}

static bool advance_to_event(kin_island* s)
{
    s->dead = s->events >= s->p->def.max_events;
    part(s);
    if (!find_touches(s)) return false;
    if (kin_island_collide(s) > 0) {
        s->events += s->collided; /* the way here was counted; colliding again at once is one more */
        s->collided = true;
        return !s->failed;
    }
    s->collided = false;
    choose_method(s);
    kin_island_hold(s);
    if (s->failed) return false;
    return kin_island_rests(s) ? stay(s) : fly(s);
}

static bool begin(kin_island* s)
{
    size_t n = (size_t)s->count, vectors = (size_t)s->p->method->scratch_vectors;
    if (vectors < 4) vectors = 4; /* the parabola's */
    double* room = kin_arena_take(s->arena, n * (3 * 6 + 3 + 7 + KIN_FIELD_ROOM + 1 + 6 + 6 * vectors) * sizeof *room);
    if (room == NULL) return false;
    s->y = room;
    s->y1 = s->y + 6 * n;
    s->dydt = s->y1 + 6 * n;
    s->memory = s->dydt + 6 * n;
    s->air = s->memory + 3 * n;
    s->give = s->air + 7 * n;
    double* about = s->give + n;
    s->turning = about + KIN_FIELD_ROOM * n;
    s->unturned = s->turning + 3 * n;
    s->scratch = s->unturned + 3 * n;
    kin_particles_describe(s->p, s->step, s->members, 0, (int)n, about, &s->batch);
    for (size_t i = 0; i < n; ++i) {
        uint32_t k = s->members[i];
        uint8_t mobility = s->p->mobility[k];
        s->give[i] = mobility == KIN_MOBILITY_DYNAMIC ? s->batch.inv_mass[i] : 0;
        for (size_t axis = 0; axis < 3; ++axis) {
            s->y[axis * n + i] = s->p->x[axis][k];
            s->y[(3 + axis) * n + i] = mobility == KIN_MOBILITY_STATIC ? 0 : s->p->v[axis][k];
        }
        s->reached[i] = kin_aabb_empty();
    }
    return true;
}

bool kin_island_advance(kin_island* s)
{
    if (!begin(s)) return false;
    while (s->step->h - s->time > 1e-12 * s->step->h && s->events < 2 * s->p->def.max_events) {
        kin_arena_mark mark = kin_arena_begin(s->arena);
        bool ok = advance_to_event(s);
        kin_arena_end(s->arena, mark);
        if (!ok) return false;
    }
    return true;
}
