/* memory.c - what lasts from step to step: who touches whom, what is inside sensors, and who sleeps; told to the user as events (C4.14 Ex4). */
#include "base/alloc.h"
#include "base/search.h"
#include "contact/exact/exact.h"
#include "math/screw.h"
#include <string.h>

#define STANDS 1e-7 /* m/s: as in realtime/sleep.c */

/* ---- touches ---- */

static bool is_before(const void* memory, size_t i, const void* pair)
{
    const kin_exact_memory* m = (const kin_exact_memory*)memory + i;
    const uint32_t *key = pair, a = key[0], b = key[1];
    return m->a != a ? m->a < a : m->b < b;
}

kin_exact_memory* kin_exact_remember(kin_exact* self, uint32_t a, uint32_t b)
{
    const uint32_t pair[2] = {a, b};
    size_t low = kin_search(self->memory, self->memory_count, is_before, pair);
    if (low < self->memory_count && self->memory[low].a == a && self->memory[low].b == b) return &self->memory[low];
    if (!kin_reserve(&self->allocator, (void**)&self->memory, &self->memory_room, self->memory_count + 1u, sizeof *self->memory)) return NULL;
    memmove(self->memory + low + 1, self->memory + low, (self->memory_count - low) * sizeof *self->memory);
    self->memory_count += 1;
    self->memory[low] = (kin_exact_memory){.a = a, .b = b};
    return &self->memory[low];
}

static void tell(kin_exact* self, const kin_exact_memory* m, kin_touch_event_kind kind, bool sensor_b)
{
    const kin_bodies* all = &self->group->bodies;
    uint32_t a = sensor_b ? m->b : m->a, b = sensor_b ? m->a : m->b;
    kin_touch_event e = {
        .kind = kind, .a = all->skin[a].owner, .b = all->skin[b].owner, .point = m->point, .normal = sensor_b ? kin_neg(m->normal) : m->normal};
    e.a.local = kin_unapply(kin_bodies_form_pose(all, a), m->point);
    e.b.local = kin_unapply(kin_bodies_form_pose(all, b), m->point);
    e.impulse = m->impulse;
    if (kind == KIN_TOUCH_HIT) e.speed = m->speed;
    kin_group_event(self->group, &e);
}

static bool is_met_by_keyed(const kin_exact* self, uint32_t body)
{
    const uint8_t* motion = self->group->bodies.motion;
    for (uint32_t i = 0; i < self->memory_count; ++i) {
        const kin_exact_memory* m = &self->memory[i];
        if ((m->a == body && motion[m->b] == KIN_BODY_KEYED) || (m->b == body && motion[m->a] == KIN_BODY_KEYED)) return true;
    }
    return false;
}

/* C1.4.1b: what an animated body drives into something that does not give way. */
static void warn_of_press(const kin_exact* self, const kin_exact_pair* p)
{
    const kin_bodies* all = &self->group->bodies;
    uint32_t body = all->motion[p->a] == KIN_BODY_FREE ? p->a : p->b, other = body == p->a ? p->b : p->a;
    if (all->motion[body] != KIN_BODY_FREE || all->motion[other] == KIN_BODY_FREE || !is_met_by_keyed(self, body)) return;
    kin_step_warn(self->step, all->skin[body].owner.element, "an animated body leaves it no room");
}

/* What two bodies are to each other at the end of the interval. */
static uint8_t flags_now(kin_exact* self, const kin_exact_pair* p, kin_exact_memory* out)
{
    const kin_bodies* all = &self->group->bodies;
    const kin_body *a = &all->body[p->a], *b = &all->body[p->b];
    bool sensor = all->skin[p->a].sensor || all->skin[p->b].sensor;
    kin_exact_point points[KIN_EXACT_POINTS];
    int n = kin_exact_points(self, p, a, b, sensor ? 0 : kin_exact_near(self, p), points, KIN_EXACT_POINTS, &self->arena);
    if (n == 0) return 0;
    const kin_body *x = points[0].flipped ? b : a, *y = points[0].flipped ? a : b;
    kin_touching t = kin_exact_touching(&points[0], x, y);
    out->point = t.point;
    out->normal = points[0].flipped ? kin_neg(t.normal) : t.normal;
    if (sensor) return KIN_EXACT_INSIDE;
    if (p->passes) return KIN_EXACT_PASSING;
    if (points[0].separation < -1000 * kin_exact_tolerance(self)) warn_of_press(self, p);
    self->report.contacts += n;
    return KIN_EXACT_TOUCHING;
}

static void note_pair(kin_exact* self, const kin_exact_pair* p)
{
    kin_exact_memory now = {0};
    uint8_t flags = flags_now(self, p, &now);
    if (flags == 0) return;
    kin_exact_memory* m = kin_exact_remember(self, p->a, p->b);
    if (m == NULL) {
        kin_step_warn(self->step, 0, "no memory for touches");
        return;
    }
    m->point = now.point, m->normal = now.normal;
    m->trail = p->trail;
    m->now |= flags;
}

static void note_sensors(kin_exact* self)
{
    const kin_bodies* all = &self->group->bodies;
    kin_broad_view view = kin_broad_pairs(self->broad);
    for (size_t i = 0; i < view.count; ++i) {
        uint32_t x = (uint32_t)kin_broad_user(self->broad, view.data[i].a), y = (uint32_t)kin_broad_user(self->broad, view.data[i].b);
        kin_exact_pair p = {.a = x < y ? x : y, .b = x < y ? y : x};
        if (all->skin[p.a].sensor != all->skin[p.b].sensor) note_pair(self, &p);
    }
}

/* What began, ended and hit, in the order of the bodies; what is over is forgotten. */
static void tell_all(kin_exact* self)
{
    const kin_bodies* all = &self->group->bodies;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < self->memory_count; ++i) {
        kin_exact_memory* m = &self->memory[i];
        uint8_t begun = m->now & (uint8_t)~m->flags, ended = m->flags & (uint8_t)~m->now;
        bool sensor_b = all->skin[m->b].sensor;
        if (begun & KIN_EXACT_TOUCHING) tell(self, m, KIN_TOUCH_BEGIN, false);
        if (m->speed > kin_exact_bounce_speed(self)) tell(self, m, KIN_TOUCH_HIT, false);
        if (ended & KIN_EXACT_TOUCHING) tell(self, m, KIN_TOUCH_END, false);
        if (begun & KIN_EXACT_INSIDE) tell(self, m, KIN_TOUCH_ENTER, sensor_b);
        if (ended & KIN_EXACT_INSIDE) tell(self, m, KIN_TOUCH_LEAVE, sensor_b);
        m->flags = m->now;
        m->now = 0, m->speed = m->impulse = 0;
        if (m->flags != 0) self->memory[kept++] = *m;
    }
    self->memory_count = kept;
}

/* ---- sleep ---- */

static void wake_one(kin_exact* self, uint32_t i)
{
    self->body[i].asleep = false;
    self->body[i].slow_time = 0;
}

static bool sleeps(const kin_exact* self, uint32_t i) { return i != KIN_NO_BODY && self->group->bodies.motion[i] == KIN_BODY_FREE && self->body[i].asleep; }

/* With what it is jointed to, and what that is. */
void kin_exact_wake(kin_exact* self, uint32_t body)
{
    const kin_group* g = self->group;
    bool more = sleeps(self, body);
    wake_one(self, body);
    while (more) {
        more = false;
        for (uint32_t i = 0; i < g->joint_count; ++i) {
            const kin_joint* j = &g->joints[i];
            if (!kin_group_joint_holds(g, j) || j->a == KIN_NO_BODY || j->b == KIN_NO_BODY) continue;
            if (!self->body[j->a].asleep && sleeps(self, j->b)) wake_one(self, j->b), more = true;
            if (!self->body[j->b].asleep && sleeps(self, j->a)) wake_one(self, j->a), more = true;
        }
    }
}

/* A hit with this momentum (N s) wakes as much of a pile as it could set moving faster than sleep_speed, the nearest first (Ex4: not the whole of it). */
void kin_exact_wake_pile(kin_exact* self, uint32_t body, double momentum)
{
    const kin_bodies* all = &self->group->bodies;
    double mass = all->body[body].mass, slowest = kin_max(self->group->def.sleep_speed, 1e-12);
    bool more = true;
    kin_exact_wake(self, body);
    for (int ring = 0; more && ring < 64; ++ring) {
        more = false;
        for (uint32_t i = 0; i < self->memory_count; ++i) {
            const kin_exact_memory* m = &self->memory[i];
            if (!(m->flags & KIN_EXACT_TOUCHING) || all->motion[m->a] != KIN_BODY_FREE || all->motion[m->b] != KIN_BODY_FREE) continue;
            uint32_t next = sleeps(self, m->a) && !self->body[m->b].asleep ? m->a : sleeps(self, m->b) && !self->body[m->a].asleep ? m->b : KIN_NO_BODY;
            if (next == KIN_NO_BODY || !(momentum > slowest * (mass + all->body[next].mass))) continue;
            mass += all->body[next].mass;
            kin_exact_wake(self, next);
            more = true;
        }
    }
}

static double pace(const kin_exact* self, uint32_t i)
{
    const kin_body* b = &self->group->bodies.body[i];
    return kin_length(b->velocity) + kin_length(b->spin) * kin_min(self->group->bodies.skin[i].reach, 1e6);
}

/* A body that no force moves, but moves: not by what rounding makes of equal keys. */
static bool is_driven(const kin_exact* self, uint32_t i)
{
    return i != KIN_NO_BODY && self->group->bodies.motion[i] == KIN_BODY_KEYED && pace(self, i) > STANDS;
}

/* A sleeper whose neighbour has begun to move, or has left, wakes: ring by ring through a pile. */
static void wake_neighbours(kin_exact* self)
{
    const kin_bodies* all = &self->group->bodies;
    double fast = self->group->def.sleep_speed;
    for (uint32_t i = 0; i < self->memory_count; ++i) {
        const kin_exact_memory* m = &self->memory[i];
        if (!((m->flags | m->now) & KIN_EXACT_TOUCHING)) continue;
        bool lost = (m->flags & KIN_EXACT_TOUCHING) && !(m->now & KIN_EXACT_TOUCHING);
        const uint32_t bodies[2] = {m->a, m->b};
        for (int k = 0; k < 2; ++k) {
            uint32_t body = bodies[k], other = bodies[1 - k];
            if (!sleeps(self, body) || all->motion[other] == KIN_BODY_FIXED || sleeps(self, other)) continue;
            if (lost || pace(self, other) > fast) kin_exact_wake(self, body);
        }
    }
}

static bool is_free(const kin_exact* self, uint32_t i) { return i != KIN_NO_BODY && self->group->bodies.motion[i] == KIN_BODY_FREE; }

/* Before anything moves: all that hangs together with a body that something drives, be it asleep or not. Motion slower than sleep_speed does not spread by
 * itself. */
void kin_exact_wake_driven(kin_exact* self)
{
    const kin_group* g = self->group;
    for (uint32_t i = 0; i < self->memory_count; ++i) {
        const kin_exact_memory* m = &self->memory[i];
        if (!(m->flags & KIN_EXACT_TOUCHING)) continue;
        if (is_free(self, m->a) && is_driven(self, m->b)) kin_exact_wake_pile(self, m->a, KIN_EXACT_WHOLE_PILE);
        if (is_free(self, m->b) && is_driven(self, m->a)) kin_exact_wake_pile(self, m->b, KIN_EXACT_WHOLE_PILE);
    }
    for (uint32_t i = 0; i < g->joint_count; ++i) {
        const kin_joint* j = &g->joints[i];
        if (!kin_group_joint_holds(g, j)) continue;
        const bool runs = kin_group_motor_runs(g, j);
        if (is_free(self, j->a) && (runs || is_driven(self, j->b))) kin_exact_wake_pile(self, j->a, KIN_EXACT_WHOLE_PILE);
        if (is_free(self, j->b) && (runs || is_driven(self, j->a))) kin_exact_wake_pile(self, j->b, KIN_EXACT_WHOLE_PILE);
    }
}

static bool may_sleep(const kin_exact* self, const kin_exact_unit* u)
{
    const kin_bodies* all = &self->group->bodies;
    for (uint32_t k = 0; k < u->count; ++k) {
        uint32_t i = u->bodies[k];
        if (all->skin[i].stays_awake || self->body[i].slow_time < self->group->def.sleep_time) return false;
    }
    for (uint32_t k = 0; k < u->pair_count; ++k) {
        const uint32_t bodies[2] = {u->pairs[k]->a, u->pairs[k]->b};
        for (int s = 0; s < 2; ++s) {
            if (is_driven(self, bodies[s])) return false;
        }
        if (kin_length2(u->pairs[k]->surface) > 0) return false;
    }
    for (uint32_t k = 0; k < u->joint_count; ++k) {
        const kin_joint* j = &self->group->joints[u->joints[k]];
        if (is_driven(self, j->a) || is_driven(self, j->b) || kin_group_motor_runs(self->group, j)) return false;
    }
    return true;
}

static void put_to_sleep(kin_exact* self, uint32_t i)
{
    kin_body* b = &self->group->bodies.body[i];
    self->body[i].asleep = true;
    self->report.dissipated += kin_body_kinetic(b);
    b->velocity = b->spin = kin_v(0, 0, 0);
    self->body[i].angular = self->body[i].spin = kin_v(0, 0, 0);
}

void kin_exact_sleep_unit(kin_exact* self, uint32_t number)
{
    const kin_exact_unit* u = self->units[number];
    for (uint32_t k = 0; k < u->count; ++k) put_to_sleep(self, u->bodies[k]);
}

static void settle(kin_exact* self)
{
    const kin_bodies* all = &self->group->bodies;
    for (uint32_t i = 0; i < all->count; ++i) {
        if (all->motion[i] != KIN_BODY_FREE || self->body[i].asleep) continue;
        self->body[i].slow_time = pace(self, i) < self->group->def.sleep_speed ? self->body[i].slow_time + self->step->h : 0;
    }
    for (uint32_t i = 0; self->group->def.sleep && i < self->unit_count; ++i) {
        if (!self->units[i]->dead && may_sleep(self, self->units[i])) kin_exact_sleep_unit(self, i);
    }
}

/* N per body: halved after some calm intervals (C1.4.2). */
static void settle_ticks(kin_exact* self)
{
    for (uint32_t i = 0; i < self->group->bodies.count; ++i) {
        kin_exact_body* b = &self->body[i];
        b->calm = b->rejected ? 0 : b->calm + 1;
        b->rejected = false;
        if (b->calm < KIN_EXACT_CALM) continue;
        b->calm = 0;
        b->ticks = b->ticks > 1 ? b->ticks / 2 : 1;
    }
}

void kin_exact_finish(kin_exact* self)
{
    self->report.contacts = 0;
    for (uint32_t i = 0; i < self->pair_count; ++i) note_pair(self, self->pairs[i]);
    note_sensors(self);
    wake_neighbours(self);
    tell_all(self);
    settle(self);
    settle_ticks(self);
}
