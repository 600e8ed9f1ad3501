/* events.c - an interval of the exact solver: meetings in the order of their times, each resolved with all that takes part (C1.4.3, C1.4.8, C4.11).
 *
 * A meeting's units go back to its time and are formed anew: what touches is one unit. Its impulses are found together with joints and resting contacts; then
 * it runs on, with contact forces where it rests. Others keep their paths. After max_events meetings in an interval nothing bounces any more (e = 0); yield.c has
 * what else ends it. */
#include "base/alloc.h"
#include "base/error.h"
#include "contact/exact/work.h"
#include <string.h>

/* ---- running ---- */

typedef struct running {
    kin_exact* self;
    uint32_t first;
} running;

static void run_some(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const running* r = argument;
    (void)chunk;
    for (int64_t i = begin; i < end; ++i) kin_exact_run(r->self, r->self->units[r->first + (uint32_t)i], scratch);
}

static kin_status refuse_unit(kin_exact* self, const kin_exact_unit* u)
{
    uint32_t element = self->group->bodies.skin[u->worst].owner.element;
    if (u->result == KIN_ERROR_MEMORY) return kin_step_refuse(self->step, element, 0, "no memory to move bodies");
    return kin_step_refuse(self->step, element, u->residual, "forces or motion of a body have no finite answer in the shortest tick");
}

/* Units from `first` on move, then their pairs are asked for meetings. */
static kin_status run_and_test(kin_exact* self, uint32_t first)
{
    running r = {self, first};
    kin_error error = {0};
    void (*each)(kin_jobs*, int64_t, int64_t, kin_range_fn*, void*) = self->step->fields->has_serial ? kin_serial_for : kin_parallel_for;
    for (int i = 0; i < self->step->jobs->scheduler.worker_count; ++i) kin_arena_reserve(&self->step->jobs->arenas[i], self->scratch);
    each(self->step->jobs, self->unit_count - first, 1, run_some, &r);
    for (uint32_t i = first; i < self->unit_count; ++i) {
        const kin_exact_unit* u = self->units[i];
        if (u->result != KIN_OK) return refuse_unit(self, u);
        for (uint32_t k = 0; u->rejected > 0 && k < u->count; ++k) {
            self->body[u->bodies[k]].rejected = true;
            self->body[u->bodies[k]].ticks = u->ticks;
        }
        self->report.rejected += u->rejected;
        if (u->scratch > self->scratch) self->scratch = u->scratch;
        self->report.residual = kin_max(self->report.residual, u->residual);
        self->report.impact = kin_max(self->report.impact, u->swept);
        if (u->capped > 0) kin_step_note_cap(self->step, u->capped, "ticks at the shortest length");
        kin_exact_tell_yield(self, u);
    }
    if (self->group->def.response != KIN_EXACT_EVENTS || kin_exact_pairs_sweep(self, first, &error) == KIN_OK) return KIN_STATUS_OK;
    return kin_step_refuse(self->step, 0, 0, error.message[0] != 0 ? error.message : "no memory to find meetings of bodies");
}

/* ---- going back ---- */

/* The bodies of a unit stand where they are at a time; the unit has had its day. */
static bool stop_unit(kin_exact* self, kin_exact_unit* u, double time)
{
    kin_bodies* all = &self->group->bodies;
    kin_exact_state* states = kin_arena_take(&self->arena, u->count * sizeof *states);
    kin_exact_report_forces(self, u, time, &self->arena);
    if (states == NULL || !kin_exact_evaluate(self, u, time, states, &self->arena)) return false;
    for (uint32_t k = 0; k < u->count; ++k) {
        uint32_t i = u->bodies[k];
        kin_exact_put(&all->body[i], &states[k]);
        self->body[i].angular = states[k].angular;
        self->body[i].spin = all->body[i].spin;
        self->body[i].orientation = all->body[i].orientation;
        self->body[i].window = kin_exact_next_window(u, time);
        if (self->body[i].yields == KIN_EXACT_HOLDS) self->body[i].spent = u->spent;
    }
    if (kin_exact_is_dear(u)) kin_exact_yield_now(self, u, KIN_EXACT_DEAR);
    self->report.ticks += u->knots - 1;
    if (u->to > u->from) self->report.dissipated += u->dissipated * (time - u->from) / (u->to - u->from);
    u->dead = true;
    return true;
}

static bool is_dead(const kin_exact* self, uint32_t i) { return self->body[i].unit != KIN_EXACT_NONE && self->units[self->body[i].unit]->dead; }

static void drop_events_of_the_dead(kin_exact* self)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < self->event_count; ++i) {
        const kin_exact_pair* p = self->events[i].pair;
        if (!is_dead(self, p->a) && !is_dead(self, p->b)) self->events[kept++] = self->events[i];
    }
    self->event_count = kept;
}

/* ---- impulses of a unit ---- */

typedef struct clash {
    kin_impulse_method method;
    kin_meeting* meetings;
    kin_exact_pair** pairs; /* of each meeting */
    double* speed;          /* of approach */
    bool* flipped;
    uint32_t* id; /* of the features that meet */
    int count;
    kin_joint_at* joints;
    uint32_t* numbers; /* of their joints, in the unit */
    int joint_count;
} clash;

static bool clash_begin(clash* c, const kin_exact_work* w, bool jam, kin_arena* scratch)
{
    const int chosen = w->self->group->def.impulses;
    size_t points = (size_t)w->point_room + 1, rows = (size_t)w->row_room + 1;
    *c = (clash){.method = jam                                               ? KIN_IMPULSE_MICRO
                           : chosen >= 0 && chosen <= KIN_IMPULSE_SEQUENTIAL ? (kin_impulse_method)chosen
                                                                             : KIN_IMPULSE_SYSTEM,
                 .meetings = kin_arena_take(scratch, points * sizeof *c->meetings),
                 .pairs = kin_arena_take(scratch, points * sizeof *c->pairs),
                 .speed = kin_arena_take(scratch, points * sizeof *c->speed),
                 .flipped = kin_arena_take(scratch, points * sizeof *c->flipped),
                 .id = kin_arena_take(scratch, points * sizeof *c->id),
                 .joints = kin_arena_take(scratch, rows * sizeof *c->joints),
                 .numbers = kin_arena_take(scratch, rows * sizeof *c->numbers)};
    return !scratch->failed;
}

/* jam: forces diverged here (Painleve): sliding contacts collide though nothing approaches. */
static void add_meetings(clash* c, kin_exact_work* w, uint32_t i, bool jam)
{
    const kin_exact* self = w->self;
    kin_exact_pair* pair = w->unit->pairs[i];
    kin_exact_point points[KIN_EXACT_POINTS];
    const kin_body *pa = &w->bodies[w->pair_a[i]], *pb = &w->bodies[w->pair_b[i]];
    double contact = kin_exact_contact_speed(self), bounce = kin_exact_bounce_speed(self);
    int n = kin_exact_points(self, pair, pa, pb, 2 * kin_exact_tolerance(self), points, KIN_EXACT_POINTS, w->scratch);
    for (int k = 0; k < n && !pair->passes; ++k) {
        kin_exact_point* p = &points[k];
        p->a = p->flipped ? w->pair_b[i] : w->pair_a[i];
        p->b = p->flipped ? w->pair_a[i] : w->pair_b[i];
        const kin_body *a = &w->bodies[p->a], *b = &w->bodies[p->b];
        kin_touching t = kin_exact_touching(p, a, b);
        kin_vec3 v = kin_exact_slip(&t, a, b);
        double speed = -kin_dot(v, t.normal), slip = kin_length(kin_add_scaled(v, speed, t.normal));
        if (speed < -contact) continue; /* leaving */
        kin_meeting m = {.a = p->a, .b = p->b, .point = t.point, .normal = t.normal, .surface = t.surface, .restitution = pair->restitution};
        m.rolling = pair->rolling, m.spinning = pair->spinning;
        m.resting = speed <= bounce;
        bool slides = slip > kin_exact_slip_speed(self);
        kin_exact_friction(&m, &t, slides ? t.mu_dynamic : t.mu_static, c->method, v);
        if (jam && slides) {
            m.surface = kin_add_scaled(m.surface, -kin_max(contact, 1e-6), t.normal);
            m.resting = false;
        }
        c->pairs[c->count] = pair;
        c->speed[c->count] = speed;
        c->flipped[c->count] = p->flipped;
        c->id[c->count] = p->id;
        c->meetings[c->count++] = m;
    }
}

/* What rests does not bounce, unless something fast is resolved by turns: then the blow may come through it. */
static void set_bounces(clash* c, bool dead_stop)
{
    bool turns = c->method == KIN_IMPULSE_MICRO || c->method == KIN_IMPULSE_SEQUENTIAL, fast = false;
    for (int i = 0; i < c->count; ++i) fast = fast || !c->meetings[i].resting;
    for (int i = 0; i < c->count; ++i) {
        if (turns && fast) c->meetings[i].resting = false;
        if (dead_stop || c->meetings[i].resting) c->meetings[i].restitution = 0;
    }
}

static void add_joints(clash* c, const kin_exact_work* w)
{
    for (uint32_t i = 0; i < w->unit->joint_count; ++i) {
        kin_joint_row rows[KIN_JOINT_ROWS];
        const kin_body *a = &w->bodies[w->joint_a[i]], *b = &w->bodies[w->joint_b[i]];
        int n = kin_exact_work_rows(w, i, kin_exact_tolerance(w->self), rows);
        for (int k = 0; k < n; ++k) {
            bool stops = rows[k].kind == KIN_ROW_LIMIT && kin_joint_row_rate(&rows[k], a, b) < 0;
            if (rows[k].kind != KIN_ROW_HOLD && !stops) continue;
            c->numbers[c->joint_count] = i;
            c->joints[c->joint_count++] = (kin_joint_at){w->joint_a[i], w->joint_b[i], rows[k]};
        }
    }
}

static double kinetic(const kin_exact_work* w)
{
    double sum = 0;
    for (uint32_t i = 0; i < w->free; ++i) sum += kin_body_kinetic(&w->bodies[i]);
    return sum;
}

static void note_hits(kin_exact* self, const kin_exact_work* w, const clash* c, const kin_impulse* impulses)
{
    for (int i = 0; i < c->count; ++i) {
        bool collides = c->speed[i] > kin_exact_contact_speed(self);
        self->report.collisions += collides;
        if (collides) c->pairs[i]->idle = 0;
        kin_exact_report_hit(self, w, c->id[i], &c->meetings[i], &impulses[i]);
        kin_exact_memory* m = kin_exact_remember(self, c->pairs[i]->a, c->pairs[i]->b);
        if (m == NULL) continue;
        m->point = c->meetings[i].point;
        m->normal = c->flipped[i] ? kin_neg(c->meetings[i].normal) : c->meetings[i].normal;
        m->impulse += impulses[i].n;
        if (collides) m->speed = kin_max(m->speed, c->speed[i]);
    }
}

static void note_joints(kin_exact* self, const kin_exact_work* w, const clash* c, const double* impulses)
{
    for (int i = 0; i < c->joint_count; ++i) {
        uint32_t j = w->unit->joints[c->numbers[i]];
        const kin_body* b = &w->bodies[c->joints[i].b];
        kin_vec3 arm = kin_rotate(b->orientation, self->group->joints[j].frame_b.position);
        kin_vec3 hit = kin_scale(c->joints[i].row.linear_b, impulses[i]), twist = kin_scale(c->joints[i].row.angular_b, impulses[i]);
        self->joint_hit[j] = kin_add(self->joint_hit[j], hit);
        self->joint_twist[j] = kin_add(self->joint_twist[j], kin_sub(twist, kin_cross(arm, hit)));
    }
}

/* Together, as long as there is an answer. */
static kin_impulse_report apply_impulses(kin_exact* self, kin_exact_unit* u, kin_exact_work* w, const kin_impulse_cluster* c, double fastest, kin_impulse* out,
                                         double* held)
{
    kin_impulse_report report = {.converged = true};
    kin_body* before = kin_arena_take(w->scratch, w->free * sizeof *before);
    if (before == NULL) return report;
    memcpy(before, w->bodies, w->free * sizeof *before);
    if (!w->by_turns) {
        report = kin_impulses_apply(c, out, held, w->scratch);
        u->spent += report.work;
        if (kin_exact_solved(&report, fastest)) return report;
        memcpy(w->bodies, before, w->free * sizeof *before);
        kin_exact_yield_now(self, u, KIN_EXACT_UNSOLVED);
    }
    return kin_exact_sweep(c, kin_exact_parting_speed(self), out, held, w->scratch);
}

/* All impulses of a unit that stands at its first knot (C4.11.2). False: out of memory. */
static bool clash_unit(kin_exact* self, kin_exact_unit* u, bool dead_stop, bool jam)
{
    kin_exact_work w;
    clash c;
    kin_arena* scratch = &self->arena;
    if (u->pair_count + u->joint_count == 0) return true;
    if (!kin_exact_work_begin(&w, self, u, scratch) || !clash_begin(&c, &w, jam, scratch)) return false;
    kin_exact_work_load(&w, u->states, u->from);
    kin_exact_undrift_places(&w, 0); /* the little that they are too deep must not add up from bounce to bounce */
    for (uint32_t i = 0; i < u->pair_count; ++i) add_meetings(&c, &w, i, jam);
    add_joints(&c, &w);
    if (c.count + c.joint_count == 0) return true;
    kin_impulse* impulses = kin_arena_take(scratch, ((size_t)c.count + 1) * sizeof *impulses);
    double* held = kin_arena_take(scratch, ((size_t)c.joint_count + 1) * sizeof *held);
    if (impulses == NULL || held == NULL) return false;
    set_bounces(&c, dead_stop);
    kin_impulse_cluster cluster = {.bodies = w.bodies,
                                   .body_count = w.count,
                                   .meetings = c.meetings,
                                   .count = c.count,
                                   .joints = c.joints,
                                   .joint_count = c.joint_count,
                                   .method = c.method};
    double before = kinetic(&w);
    double fastest = 0;
    for (int i = 0; i < c.count; ++i) fastest = kin_max(fastest, c.speed[i]);
    kin_impulse_report report = apply_impulses(self, u, &w, &cluster, fastest, impulses, held);
    if (scratch->failed) return false;
    self->report.impact = kin_max(self->report.impact, report.residual);
    self->report.dissipated += before - kinetic(&w);
    note_hits(self, &w, &c, impulses);
    note_joints(self, &w, &c, held);
    for (uint32_t i = 0; i < w.free; ++i) w.angular[i] = kin_body_angular_momentum(&w.bodies[i]);
    kin_exact_work_store(&w, u->states);
    return true;
}

/* ---- the loop ---- */

static kin_status no_memory(kin_exact* self) { return kin_step_refuse(self->step, 0, 0, "no memory for meetings of bodies"); }

/* Dead units' bodies form new ones at this time; with impulses where something met. */
static kin_status go_on(kin_exact* self, double time, bool met, bool jam)
{
    uint32_t first = self->unit_count;
    if (met && self->report.events > self->group->def.max_events) self->report.forced += 1;
    drop_events_of_the_dead(self);
    if (!kin_exact_form_units(self, time)) return no_memory(self);
    for (uint32_t i = first; i < self->unit_count; ++i) {
        bool dead_stop = kin_exact_tires(self, self->units[i]);
        if (met && !clash_unit(self, self->units[i], dead_stop, jam)) return no_memory(self);
    }
    return run_and_test(self, first);
}

static kin_exact_event* earliest(const kin_exact* self, double limit)
{
    kin_exact_event* best = NULL;
    for (uint32_t i = 0; i < self->event_count; ++i) {
        if (self->events[i].time <= limit && (best == NULL || self->events[i].time < best->time)) best = &self->events[i];
    }
    return best;
}

static void drop_event(kin_exact* self, kin_exact_event* event)
{
    memmove(event, event + 1, (size_t)(self->events + --self->event_count - event) * sizeof *event);
}

/* True states of units that rough events are about. */
static bool stand_at(const kin_exact* self, const kin_exact_event* e, double time, kin_exact_state** states, kin_arena* scratch)
{
    const uint32_t bodies[2] = {e->pair->a, e->pair->b};
    for (int k = 0; k < 2; ++k) {
        uint32_t number = self->body[bodies[k]].unit;
        if (number == KIN_EXACT_NONE || states[number] != NULL) continue;
        const kin_exact_unit* u = self->units[number];
        states[number] = kin_arena_take(scratch, u->count * sizeof **states);
        if (states[number] == NULL || !kin_exact_evaluate(self, u, time, states[number], scratch)) return false;
    }
    return true;
}

/* A rough event whose pair meets at a time already, or has met, though the screws said later. NULL: none. */
static kin_exact_event* find_belated(kin_exact* self, double time, bool* failed)
{
    kin_arena* scratch = &self->arena;
    kin_arena_mark mark = kin_arena_begin(scratch);
    kin_exact_state** states = kin_arena_take(scratch, (self->unit_count + 1) * sizeof *states);
    kin_exact_event* found = NULL;
    *failed = states == NULL;
    if (states != NULL) memset(states, 0, self->unit_count * sizeof *states);
    for (uint32_t i = 0; i < self->event_count && found == NULL && !*failed; ++i) {
        kin_exact_event* e = &self->events[i];
        if (!e->rough || e->from >= time) continue;
        *failed = !stand_at(self, e, time, states, scratch);
        if (!*failed && kin_exact_overlaps(self, e, time, states, scratch)) found = e;
    }
    kin_arena_end(scratch, mark);
    return found;
}

/* What it takes to make a time right is charged to the units. True: too much; they go on by turns then, and the time on screws will do. */
static bool is_too_dear(kin_exact* self, const kin_exact_event* e)
{
    const uint32_t bodies[2] = {e->pair->a, e->pair->b};
    bool dear = false;
    for (int k = 0; k < 2; ++k) {
        if (self->body[bodies[k]].unit == KIN_EXACT_NONE) continue;
        dear = kin_exact_charge_refining(self->units[self->body[bodies[k]].unit]) || dear;
    }
    return dear;
}

/* The earliest event, its time made right; others only as far as they might come before it. False: out of memory. */
static bool find_next(kin_exact* self, double limit, const kin_exact_event** next)
{
    for (;;) {
        kin_exact_event* best = earliest(self, limit);
        bool failed = false;
        *next = best;
        if (best != NULL && !best->rough) best = find_belated(self, best->time, &failed);
        if (failed) return false;
        if (best == NULL) break;
        if (is_too_dear(self, best))
            best->rough = false;
        else if (!kin_exact_refine(self, best, &self->arena))
            return false;
        if (best->pair == NULL) drop_event(self, best);
    }
    return true;
}

/* other: who comes. */
static void meet_sleeper(kin_exact* self, uint32_t i, uint32_t other, double time)
{
    if (self->group->bodies.motion[i] != KIN_BODY_FREE || !self->body[i].asleep) return;
    kin_body b = kin_exact_body_at(self, other, time);
    double pace = kin_length(b.velocity) + kin_length(b.spin) * kin_min(self->group->bodies.skin[other].reach, 1e6);
    kin_exact_wake_pile(self, i, b.inv_mass > 0 ? b.mass * pace : KIN_EXACT_WHOLE_PILE);
}

/* A contact that sinks within a tick, as a shape is not what its points say: they want to be found anew more often. */
static void shorten_ticks(kin_exact* self, const uint32_t bodies[2])
{
    for (int k = 0; k < 2; ++k) {
        kin_exact_body* b = &self->body[bodies[k]];
        if (b->unit == KIN_EXACT_NONE || 2 * b->ticks > kin_exact_most_ticks(self)) continue;
        b->ticks *= 2;
        b->rejected = true;
    }
}

/* All meetings of one time, and their units. */
static kin_status resolve(kin_exact* self, const kin_exact_event* first)
{
    double time = first->time, same = 1e-9 * self->step->h;
    for (uint32_t i = 0; i < self->event_count; ++i) {
        const kin_exact_event* e = &self->events[i];
        if (e->rough || e->time - kin_max(e->slack, same) > time) continue;
        const uint32_t bodies[2] = {e->pair->a, e->pair->b};
        e->pair->idle += 1;
        if (e->pair->idle > 1 && kin_exact_sinks(self, e->pair, time, &self->arena)) shorten_ticks(self, bodies);
        for (int k = 0; k < 2; ++k) {
            meet_sleeper(self, bodies[k], bodies[1 - k], time);
            uint32_t unit = self->body[bodies[k]].unit;
            if (unit == KIN_EXACT_NONE || self->units[unit]->dead) continue;
            if (!stop_unit(self, self->units[unit], time)) return no_memory(self);
        }
    }
    return go_on(self, time, true, false);
}

/* The nearest end of a window; *jam: a unit whose contact forces diverge, or are not found, there. */
static double horizon(const kin_exact* self, kin_exact_unit** jam)
{
    double least = self->step->h;
    *jam = NULL;
    for (uint32_t i = 0; i < self->unit_count; ++i) {
        kin_exact_unit* u = self->units[i];
        if (u->dead) continue;
        if (u->to < least) least = u->to, *jam = NULL;
        if (u->to <= least && u->handed <= u->to && u->to < self->step->h) *jam = u;
    }
    return least;
}

/* Where a keyed body's rates jump, what it carries and what is jointed to it takes the jump as an impulse. */
static kin_status carry_on(kin_exact* self, double time)
{
    bool breaks = false;
    for (uint32_t i = 0; i < self->unit_count; ++i) {
        kin_exact_unit* u = self->units[i];
        if (u->dead || u->to > time) continue;
        breaks = breaks || u->breaks;
        if (!stop_unit(self, u, time)) return no_memory(self);
    }
    return go_on(self, time, breaks, false);
}

static kin_status resolve_jam(kin_exact* self, kin_exact_unit* u)
{
    double time = u->to;
    kin_exact_note_jam(self, u);
    if (!stop_unit(self, u, time)) return no_memory(self);
    return go_on(self, time, true, !u->unsolved);
}

/* One thing after the other, up to the end of the interval. */
static kin_status next_thing(kin_exact* self, bool* done)
{
    kin_exact_unit* jam;
    double reach = horizon(self, &jam);
    const kin_exact_event* next;
    if (!find_next(self, reach, &next)) return no_memory(self);
    int64_t most = 2 * (int64_t)(self->group->def.max_events > 0 ? self->group->def.max_events : 1) + 1000;
    *done = next == NULL && jam == NULL && reach >= self->step->h;
    if (*done) return KIN_STATUS_OK;
    if (next == NULL && jam == NULL) return carry_on(self, reach);
    self->report.events += 1;
    if (self->report.events > most) {
        uint32_t body = next != NULL ? next->pair->a : jam->bodies[0];
        return kin_step_refuse(self->step, self->group->bodies.skin[body].owner.element, self->report.impact, "meetings of bodies do not come to an end");
    }
    if (next == NULL) return resolve_jam(self, jam);
    kin_exact_event event = *next;
    return resolve(self, &event);
}

/* The last units stay, for the loads of their joints. */
static kin_status land(kin_exact* self)
{
    for (uint32_t i = 0; i < self->unit_count; ++i) {
        kin_exact_unit* u = self->units[i];
        if (!u->dead && !stop_unit(self, u, self->step->h)) return no_memory(self);
        u->dead = self->body[u->bodies[0]].unit != i;
    }
    return KIN_STATUS_OK;
}

static kin_status fly(kin_exact* self)
{
    bool done = false;
    self->unit_count = 0;
    self->event_count = 0;
    self->press_count = 0;
    for (uint32_t i = 0; i < self->group->bodies.count; ++i) self->body[i].unit = KIN_EXACT_NONE;
    if (!kin_exact_form_units(self, 0)) return no_memory(self);
    kin_status status = run_and_test(self, 0);
    while (status == KIN_STATUS_OK && !done) status = next_thing(self, &done);
    return status == KIN_STATUS_OK ? land(self) : status;
}

static kin_status fly_and_pair(kin_exact* self)
{
    kin_error error = {0};
    kin_status status = fly(self);
    if (status != KIN_STATUS_OK || kin_exact_pairs_end(self, &error) == KIN_OK) return status;
    return kin_step_refuse(self->step, 0, 0, error.message[0] != 0 ? error.message : "no memory for pairs of bodies");
}

kin_status kin_exact_events(kin_exact* self)
{
    kin_status status = self->group->def.response == KIN_EXACT_FIELDS ? kin_exact_fields(self, fly_and_pair) : fly(self);
    if (self->report.forced > 0 && status == KIN_STATUS_OK) kin_step_note_cap(self->step, self->report.forced, "meetings past max_events do not bounce");
    return status;
}
