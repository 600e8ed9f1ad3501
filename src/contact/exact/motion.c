/* motion.c - a unit on its way: ticks by any integrator, forces at every stage (H9.8, H9.9, C4.2, P2), as many ticks as it takes (C1.4.2).
 *
 * State of a body: x, v, q, L. A torque-free body keeps L to the last bit; q is normalised after every tick. A tick that turns a body too far for a screw to
 * show, that misses a parabola by far, or that has no answer is taken back and cut in two (X1.4: only that tick is redone). Where sliding comes to an end
 * inside a tick, the tick ends there. Integrators that remember the step before start anew at every tick: contacts may have changed. */
#include "base/alloc.h"
#include "contact/exact/work.h"
#include "math/screw.h"
#include <string.h>

#define MOST_CUTS 8   /* tries to end a tick where its sliding does */
#define MOST_TURN 1.0 /* rad a tick */
#define FAR_TURN 0.5  /* rad a tick: from there on in parts; below, an integrator shows its own order */
#define PARTS_A_RADIAN 64.0
#define MOST_PARTS 1e6
#define MOST_SPIN_TICKS 4096
#define ROUGH_TICK 1000.0 /* tolerances that a tick may miss the parabola by: beyond that something stiff acts */

/* ---- states ---- */

kin_exact_state kin_exact_state_of(const kin_exact* self, uint32_t i)
{
    const kin_body* b = &self->group->bodies.body[i];
    const kin_exact_body* known = &self->body[i];
    bool same = memcmp(&known->spin, &b->spin, sizeof b->spin) == 0 && memcmp(&known->orientation, &b->orientation, sizeof b->orientation) == 0;
    return (kin_exact_state){b->position, b->velocity, same ? known->angular : kin_body_angular_momentum(b), b->orientation};
}

void kin_exact_put(kin_body* b, const kin_exact_state* s)
{
    b->position = s->position;
    b->orientation = s->orientation;
    b->velocity = s->velocity;
    b->spin = kin_body_inv_inertia_times(b, s->angular);
}

/* ---- the derivative ---- */

static void put3(double* y, kin_vec3 v) { y[0] = v.x, y[1] = v.y, y[2] = v.z; }
static kin_vec3 get3(const double* y) { return kin_v(y[0], y[1], y[2]); }

static void pack(const kin_exact_work* w, double* y)
{
    size_t n = w->free;
    for (size_t i = 0; i < n; ++i) {
        const kin_body* b = &w->bodies[i];
        put3(y + 3 * i, b->position);
        put3(y + 3 * (n + i), b->velocity);
        memcpy(y + 6 * n + 4 * i, (double[4]){b->orientation.x, b->orientation.y, b->orientation.z, b->orientation.w}, 4 * sizeof *y);
        put3(y + 10 * n + 3 * i, w->by_spin ? b->spin : w->angular[i]);
    }
}

static kin_quat raw_quat(const double* y, size_t n, size_t i)
{
    const double* q = y + 6 * n + 4 * i;
    return (kin_quat){q[0], q[1], q[2], q[3]};
}

static void unpack(kin_exact_work* w, const double* y)
{
    size_t n = w->free;
    for (size_t i = 0; i < n; ++i) {
        kin_body* b = &w->bodies[i];
        b->position = get3(y + 3 * i);
        b->velocity = get3(y + 3 * (n + i));
        b->orientation = kin_quat_normalize(raw_quat(y, n, i));
        kin_vec3 turning = get3(y + 10 * n + 3 * i);
        if (w->by_spin) {
            b->spin = turning;
            w->angular[i] = kin_body_angular_momentum(b);
        } else {
            w->angular[i] = turning;
            kin_exact_work_spin(w, (uint32_t)i);
        }
    }
}

static void derive(void* context, double t, const double* y, double* dydt)
{
    kin_exact_work* w = context;
    kin_step* step = w->self->step;
    size_t n = w->free;
    unpack(w, y);
    kin_exact_work_keyed(w, t);
    kin_bodies_forces(&w->view, step, step->time + t);
    if (kin_exact_is_penalty(w->self)) kin_exact_penalty_forces(w, step->h / w->unit->ticks);
    kin_exact_work_joints(w);
    kin_exact_work_solve(w, step->h / w->unit->ticks);
    for (size_t i = 0; i < n; ++i) {
        const kin_body* b = &w->bodies[i];
        kin_quat rate = kin_quat_rate(raw_quat(y, n, i), b->spin);
        put3(dydt + 3 * i, b->velocity);
        put3(dydt + 3 * (n + i), kin_scale(w->view.force[i], b->inv_mass));
        memcpy(dydt + 6 * n + 4 * i, (double[4]){rate.x, rate.y, rate.z, rate.w}, 4 * sizeof *y);
        kin_vec3 torque = w->view.torque[i];
        put3(dydt + 10 * n + 3 * i, w->by_spin ? kin_body_inv_inertia_times(b, kin_add(torque, kin_cross(w->angular[i], b->spin))) : torque);
    }
}

static bool ends_early(void* context, double t, const double* y)
{
    kin_exact_work* w = context;
    unpack(w, y);
    kin_exact_work_keyed(w, t);
    return kin_exact_work_changes(w) || w->unsolved;
}

/* ---- a tick ---- */

static kin_integrator_settings settings_of(const kin_exact* self)
{
    kin_integrator_settings s = kin_integrator_settings_default();
    s.adaptive.absolute = s.adaptive.relative = kin_clamp(self->group->def.integrator_tolerance, 1e-14, 0.1);
    s.adaptive.rule = (kin_adaptive_rule)self->group->def.step_rule;
    s.adaptive.safety = kin_clamp(self->group->def.step_safety, 1e-3, 1);
    s.adaptive.insist = true;
    return s;
}

typedef enum tick_result { TICK_KEPT, TICK_TOO_LONG, TICK_FAILED, TICK_VOID /* a collision comes first */ } tick_result;

static bool all_finite(const double* y, int n)
{
    for (int i = 0; i < n; ++i) {
        if (!kin_finite(y[i])) return false;
    }
    return true;
}

/* Positions against x0 + h (v0 + v1) / 2: third order in h, and nothing for what falls freely. */
static bool is_rough(const kin_exact_work* w, double h)
{
    size_t n = w->free;
    double most = ROUGH_TICK * kin_exact_tolerance(w->self);
    if (w->self->integrator->order < 2) return false;
    for (size_t i = 0; i < 3 * n; ++i) {
        double parabola = w->y0[i] + 0.5 * h * (w->y0[3 * n + i] + w->y1[3 * n + i]);
        if (kin_abs(w->y1[i] - parabola) > most) return true;
    }
    return false;
}

static bool turns_too_far(const kin_exact_work* w, const kin_exact_state* before, double h)
{
    for (uint32_t i = 0; i < w->free; ++i) {
        kin_body b = w->bodies[i];
        kin_exact_put(&b, &before[i]);
        if (kin_max(kin_length(b.spin), kin_length(w->bodies[i].spin)) * h > MOST_TURN) return true;
    }
    return false;
}

/* ---- fast spins ---- */

static kin_vec3 spin_of(const kin_body* b, kin_quat q, kin_vec3 angular)
{
    kin_body turned = *b;
    turned.orientation = kin_quat_normalize(q);
    return kin_body_inv_inertia_times(&turned, angular);
}

static kin_quat along(kin_quat q, kin_quat rate, double h) { return (kin_quat){q.x + h * rate.x, q.y + h * rate.y, q.z + h * rate.z, q.w + h * rate.w}; }

/* rk4 of q' = w q / 2, w = I(q)^-1 L, with L on its way from one end of the tick to the other. */
static kin_quat turn(const kin_body* b, kin_quat q, kin_vec3 from, kin_vec3 to, double h, int parts)
{
    double step = h / parts;
    for (int i = 0; i < parts; ++i) {
        kin_vec3 l0 = kin_lerp(from, to, (double)i / parts), l1 = kin_lerp(from, to, (i + 0.5) / parts), l2 = kin_lerp(from, to, (i + 1.0) / parts);
        kin_quat k1 = kin_quat_rate(q, spin_of(b, q, l0)), q2 = along(q, k1, 0.5 * step), k2 = kin_quat_rate(q2, spin_of(b, q2, l1));
        kin_quat q3 = along(q, k2, 0.5 * step), k3 = kin_quat_rate(q3, spin_of(b, q3, l1)), q4 = along(q, k3, step);
        kin_quat k4 = kin_quat_rate(q4, spin_of(b, q4, l2));
        q = kin_quat_normalize(along(along(along(along(q, k1, step / 6), k2, step / 3), k3, step / 3), k4, step / 6));
    }
    return q;
}

/* What flies freely and turns far in a tick turns in small parts of it: momentum is known at both ends, whatever the spin, so that energy holds to the fourth
 * order of the part, not of the tick. */
static void turn_in_parts(kin_exact_work* w, const kin_exact_state* start, double h)
{
    bool to_tolerance = w->self->integrator->adaptive; /* it has cut its steps itself */
    for (uint32_t i = 0; i < w->free && w->point_count == 0 && w->unit->joint_count == 0 && !to_tolerance; ++i) {
        kin_body* b = &w->bodies[i];
        kin_body before = *b;
        kin_exact_put(&before, &start[i]);
        double angle = kin_length(before.spin) * h;
        if (!(angle > FAR_TURN)) continue;
        int parts = (int)kin_min(kin_ceil(angle * PARTS_A_RADIAN), MOST_PARTS);
        b->orientation = turn(b, start[i].orientation, start[i].angular, w->angular[i], h, parts);
        kin_exact_work_spin(w, i);
    }
}

static double sliding_power(const kin_exact_work* w)
{
    double sum = 0;
    for (int i = 0; i < w->point_count && !w->by_turns; ++i) {
        const kin_touching* t = &w->touching[i]; /* its slip may be another, so that it goes on sliding */
        if (!w->points[i].slides) continue;
        const kin_touching now = kin_exact_touching(&w->points[i], &w->bodies[t->a], &w->bodies[t->b]);
        const kin_vec3 slip = kin_exact_slip(&now, &w->bodies[t->a], &w->bodies[t->b]);
        sum -= w->force[3 * i + 1] * kin_dot(slip, w->tangents[i]) + w->force[3 * i + 2] * kin_dot(slip, kin_cross(t->normal, w->tangents[i]));
    }
    return kin_max(sum, 0);
}

/* What follows where they do not is a collision's, or by turns. */
static bool forces_hold(const kin_exact_work* w) { return w->handed_count == 0 && !w->unsolved; }

/* Nothing moves and nothing begins to by more than `most`: contact forces need not be found at more stages. */
static bool is_still(const kin_exact_work* w, double h, double most)
{
    for (int i = 0; i < w->size; ++i) {
        if (kin_abs(w->k1[i]) * h > most) return false;
    }
    return w->point_count > 0 && !w->by_turns && !w->carried;
}

/* What slides, what parts, and the rates of the state as a tick begins. */
static void begin(kin_exact_work* w, double h)
{
    kin_exact_stop_joints(w);
    kin_exact_work_friction(w, NULL, h);
    pack(w, w->y0);
    derive(w, w->time, w->y0, w->k1);
    if (!kin_exact_hold_slow(w)) return;
    kin_exact_work_friction(w, NULL, h);
    pack(w, w->y0);
    derive(w, w->time, w->y0, w->k1);
}

/* A tick by turns: velocities first, impulses so that nothing closes, then places (yield.c). Nothing falls into anything, and no energy comes of it. */
static tick_result stride(kin_exact_work* w, double h)
{
    kin_exact_work_look_ahead(w, h);
    kin_exact_work_friction(w, NULL, h);
    pack(w, w->y0);
    derive(w, w->time, w->y0, w->k1);
    if (w->failed) return TICK_FAILED;
    size_t n = w->free;
    for (size_t i = 0; i < n; ++i) {
        kin_body* b = &w->bodies[i];
        b->velocity = kin_add_scaled(b->velocity, h, get3(w->k1 + 3 * (n + i)));
        b->spin = kin_body_inv_inertia_times(b, kin_add_scaled(w->angular[i], h, w->view.torque[i])); /* what turns it besides: its momentum stays, below */
    }
    kin_exact_undrift_speeds(w);
    for (size_t i = 0; i < n; ++i) {
        kin_body* b = &w->bodies[i];
        b->position = kin_add_scaled(b->position, h, b->velocity);
        w->angular[i] = kin_body_angular_momentum(b);
        b->orientation = kin_quat_integrate(b->orientation, b->spin, h);
        kin_exact_work_spin(w, (uint32_t)i);
    }
    pack(w, w->y1);
    kin_exact_work_keyed(w, w->time + h);
    return all_finite(w->y1, w->size) ? TICK_KEPT : TICK_TOO_LONG;
}

/* The work stands at the tick's start; afterwards at its end, which is earlier where sliding or sticking ends. */
static tick_result integrate(kin_exact_work* w, double* length, bool may_cut)
{
    const kin_exact* self = w->self;
    const double h = *length;
    kin_ode ode = {.size = w->size,
                   .pairs = 3 * (int)w->free,
                   .context = w,
                   .derivative = derive,
                   .stop = may_cut && w->point_count + (int)w->unit->joint_count > 0 ? ends_early : NULL};
    kin_integrator_settings settings = settings_of(self);
    kin_integrator_memory before = w->memory; /* steps that a stop made short say nothing of those after it */
    kin_arena_mark mark = kin_arena_begin(w->scratch);
    double* memory = kin_arena_take(w->scratch, (size_t)ode.pairs * sizeof *memory);
    kin_integrator_report report = {.result = KIN_ERROR_MEMORY};
    if (memory != NULL) {
        begin(w, h);
        /* What breaks loose slides from here on; an integrator that stops finds when it does. */
        for (int round = 0; round < 4 && w->point_count > 0 && !w->stops && kin_exact_work_friction(w, w->k1, h); ++round) derive(w, w->time, w->y0, w->k1);
        const kin_ode_method* method = self->integrator->method != NULL ? kin_ode_method_named(self->step->simd, self->integrator->method) : NULL;
        if (method != NULL && method->restart != NULL) method->restart(&ode, memory, 0, ode.pairs, h, w->y0, w->k1);
        w->power = sliding_power(w);
        settings.adaptive.absolute = kin_max(settings.adaptive.absolute, w->residual * h); /* steps cannot be better than the forces are */
        report = (kin_integrator_report){.result = KIN_OK, .time = w->time + h};
        memcpy(w->y1, w->y0, (size_t)w->size * sizeof *w->y1);
        bool still = !forces_hold(w) || is_still(w, h, 1e-13), slow = !still && w->stops && is_still(w, h, settings.adaptive.absolute);
        for (int i = 0; slow && i < w->size; ++i) w->y1[i] += h * w->k1[i];
        if (!still && !slow)
            report =
                kin_integrator_advance(self->integrator, self->step->simd, &settings, &ode, w->time, h, memory, &w->memory, w->y0, w->k1, w->y1, w->scratch);
    }
    kin_arena_end(w->scratch, mark);
    if (report.result == KIN_ERROR_MEMORY || w->failed) return TICK_FAILED;
    if (report.result != KIN_OK || !all_finite(w->y1, w->size)) return TICK_TOO_LONG;
    if (report.time < w->time + h) *length = report.time - w->time, w->memory = before;
    unpack(w, w->y1);
    kin_exact_work_keyed(w, w->time + *length);
    w->power = 0.5 * (w->power + sliding_power(w)); /* the slip changes evenly while a force holds */
    return TICK_KEPT;
}

static void begin_count(kin_exact_work* w)
{
    w->residual = w->swept = 0;
    w->handed_count = 0;
    w->unsolved = false;
}

/* Straight on, for the pair's event to be found on: it is the path's first moment. */
static void coast(kin_exact_work* w, double h)
{
    begin_count(w);
    for (uint32_t i = 0; i < w->free; ++i) {
        kin_body* b = &w->bodies[i];
        b->position = kin_add_scaled(b->position, h, b->velocity);
        b->orientation = kin_quat_integrate(b->orientation, b->spin, h);
        w->angular[i] = kin_body_angular_momentum(b);
    }
}

static tick_result tick(kin_exact_work* w, const kin_exact_state* start, double time, double* h, bool may_cut)
{
    kin_arena_mark mark = kin_arena_begin(w->scratch);
    double whole = *h;
    kin_integrator_memory memory = w->memory;
    tick_result result = TICK_FAILED;
    kin_exact_work_load(w, start, time);
    if (may_cut && w->collides && !w->by_turns) {
        kin_arena_end(w->scratch, mark);
        return TICK_VOID;
    }
    if (w->by_turns) {
        begin_count(w);
        if (may_cut) *h = kin_min(*h, w->self->step->h / KIN_EXACT_LEAST_STRIDES);
        result = stride(w, *h);
    }
    for (int round = 1; !w->by_turns; ++round) { /* the last is kept as it is, if a little late */
        begin_count(w);
        result = integrate(w, h, may_cut);
        double part = result == TICK_KEPT && may_cut && round < MOST_CUTS ? kin_exact_work_turn(w) : 1;
        if (part > 1 - 1e-6 || *h * part < 1e-9 * whole) break;
        *h *= part;
        w->memory = memory;
        for (uint32_t i = 0; i < w->free; ++i) kin_exact_put(&w->bodies[i], &start[i]), w->angular[i] = start[i].angular;
    }
    if (result == TICK_KEPT && forces_hold(w)) {
        turn_in_parts(w, start, *h);
        if (w->by_turns)
            kin_exact_undrift_places(w, *h);
        else if (w->point_count + w->row_count > 0)
            kin_exact_undrift(w, *h);
        bool fine = w->by_turns && whole <= w->self->step->h / KIN_EXACT_MOST_STRIDES; /* turns may be rough */
        if (may_cut && ((!fine && is_rough(w, *h)) || turns_too_far(w, start, *h))) result = TICK_TOO_LONG;
    }
    kin_arena_end(w->scratch, mark);
    return result;
}

/* ---- a window ---- */

/* Of the tick from t on, not past a break of what carries it. */
static double next_end(const kin_exact_unit* u, double t, double h, double break_at)
{
    double part = h / u->ticks, end = t + part;
    return end > break_at - 1e-9 * part ? break_at : end;
}

/* The first time after t at which a keyed body that the unit touches, or is jointed to, goes on to another stretch of its path. */
static double next_break(const kin_exact_work* w, double t)
{
    double first = w->self->step->h;
    for (uint32_t i = w->free; i + 1 < w->count; ++i) first = kin_min(first, kin_exact_next_break(w->self, w->number[i], t));
    return first;
}

/* Its rates are others from t on than they were in the tick that ends there, by more than what counts as no parting. */
static bool has_jump(const kin_exact_work* w, double t)
{
    const kin_bodies* all = &w->self->group->bodies;
    for (uint32_t i = w->free; i + 1 < w->count; ++i) {
        if (all->motion[w->number[i]] != KIN_BODY_KEYED) continue;
        const kin_body now = kin_exact_body_at(w->self, w->number[i], t), *was = &w->bodies[i];
        const double reach = all->skin[w->number[i]].form != NULL && all->skin[w->number[i]].form->bounded ? all->skin[w->number[i]].reach : 1;
        if (kin_distance(now.velocity, was->velocity) + reach * kin_distance(now.spin, was->spin) > kin_exact_parting_speed(w->self)) return true;
    }
    return false;
}

/* What turns fast has still shorter ticks once max_ticks are not enough: a screw shows no more than a part of a turn, and what a corner meets must be seen. */
static double cut_by_spin(const kin_exact* self, const kin_exact_unit* u, const kin_exact_state* start, double length)
{
    double fastest = 0;
    for (uint32_t i = 0; i < u->count; ++i) {
        kin_body b = self->group->bodies.body[u->bodies[i]];
        kin_exact_put(&b, &start[i]);
        fastest = kin_max(fastest, kin_length(b.spin));
    }
    if (!(fastest * length > MOST_TURN) || u->ticks < kin_exact_most_ticks(self)) return length;
    return kin_min(length, kin_max(0.9 * MOST_TURN / fastest, self->step->h / MOST_SPIN_TICKS));
}

/* Of a tick that ends in a collision, or in turns, the forces are not used. */
static void note_tick(kin_exact_unit* u, const kin_exact_work* w, double t)
{
    if (forces_hold(w)) u->residual = kin_max(u->residual, w->residual);
    u->swept = kin_max(u->swept, w->swept);
    u->contacts = w->point_count;
    u->tick_work = w->by_turns ? 0 : w->work;
    if (w->by_turns) u->yields = (uint8_t)w->yields;
    if (!forces_hold(w) && !(u->handed < t)) u->handed = t, u->unsolved = w->unsolved;
}

static void fail(kin_exact_unit* u, kin_result result)
{
    u->result = result;
    u->worst = u->bodies[0];
}

void kin_exact_run(const kin_exact* self, kin_exact_unit* u, kin_arena* scratch)
{
    kin_exact_work w;
    kin_arena_mark mark = kin_arena_begin(scratch);
    double h = self->step->h, t = u->from;
    int most = kin_exact_most_ticks(self);
    u->knots = 1, u->time[0] = t, u->to = t;
    if (!kin_exact_work_begin(&w, self, u, scratch)) fail(u, KIN_ERROR_MEMORY);
    while (u->result == KIN_OK && t < h && u->knots < u->most_knots && !kin_exact_is_dear(u)) {
        const kin_exact_state* start = u->states + (size_t)(u->knots - 1) * u->count;
        double break_at = next_break(&w, t), whole = next_end(u, t, h, break_at) - t, length = cut_by_spin(self, u, start, whole), planned = length;
        kin_integrator_memory memory = w.memory;
        w.may_yield = true;
        tick_result result = tick(&w, start, t, &length, true);
        u->spent += w.by_turns ? 0 : w.work;
        if (result == TICK_VOID && u->knots > 1) break;
        if (result == TICK_VOID) coast(&w, length), result = TICK_KEPT;
        if (result == TICK_TOO_LONG && u->ticks < most) {
            u->ticks = 2 * u->ticks < most ? 2 * u->ticks : most;
            u->rejected += 1;
            w.memory = memory;
            continue;
        }
        if (result == TICK_TOO_LONG) {
            w.memory = memory;
            length = planned;
            u->capped += 1;
            w.may_yield = false;
            result = tick(&w, start, t, &length, false);
        }
        if (result != TICK_KEPT) {
            fail(u, result == TICK_FAILED && w.scratch->failed ? KIN_ERROR_MEMORY : KIN_ERROR_NUMERICS);
            break;
        }
        if (w.found && !w.by_turns && forces_hold(&w)) kin_exact_work_leave_trail(&w);
        note_tick(u, &w, t);
        u->dissipated += w.power * length;
        if (u->handed <= t) break; /* what follows is a collision's */
        t = length < whole ? t + length : next_end(u, t, h, break_at);
        u->strode[u->knots - 1] = w.by_turns;
        kin_exact_work_store(&w, u->states + (size_t)u->knots * u->count);
        u->time[u->knots++] = t;
        u->breaks = t >= break_at && t < h && has_jump(&w, t);
        if (u->breaks || (w.collides && !w.by_turns)) break;
    }
    u->to = t;
    for (uint32_t i = 0; i < u->count; ++i) self->body[u->bodies[i]].h = w.memory.h;
    u->scratch = scratch->peak;
    kin_arena_end(scratch, mark);
}

static int knot_before(const kin_exact_unit* u, double time)
{
    int k = 0;
    while (k + 1 < u->knots && u->time[k + 1] <= time) ++k;
    return k;
}

int kin_exact_next_window(const kin_exact_unit* u, double time)
{
    enum { LEAST = 4 };
    int used = time < u->to ? knot_before(u, time) + 2 : u->knots, window = 2 * used;
    return window < LEAST ? LEAST : window < KIN_EXACT_KNOTS ? window : KIN_EXACT_KNOTS;
}

/* On the screw from one state to another. */
static kin_body between(kin_body b, const kin_exact_state* from, const kin_exact_state* to, double part)
{
    kin_body end = b;
    kin_exact_put(&b, from);
    kin_exact_put(&end, to);
    kin_screw path = kin_screw_between(kin_body_pose(&b), kin_body_pose(&end));
    kin_transform pose = kin_screw_at(&path, part);
    b.position = pose.position;
    b.orientation = pose.orientation;
    b.velocity = kin_lerp(b.velocity, end.velocity, part);
    b.spin = kin_lerp(b.spin, end.spin, part);
    return b;
}

static void put_between(const kin_exact* self, const kin_exact_unit* u, int knot, double time, kin_exact_state* out)
{
    const kin_exact_state *from = u->states + (size_t)knot * u->count, *to = from + u->count;
    double part = (time - u->time[knot]) / (u->time[knot + 1] - u->time[knot]);
    for (uint32_t i = 0; i < u->count; ++i) {
        kin_body b = between(self->group->bodies.body[u->bodies[i]], &from[i], &to[i], part);
        out[i] = (kin_exact_state){b.position, b.velocity, kin_lerp(from[i].angular, to[i].angular, part), b.orientation};
    }
}

/* A stride gives its velocities at once, at its start: they hold on the way, and places that were put right on the way to its end, by d, had their angular
 * momentum, m d x v about the common centre, given to spins: what is not put right yet has it still. Both momenta of a unit are the stride's at any time of it. */
static void put_on_stride(const kin_exact* self, const kin_exact_unit* u, int knot, double time, kin_exact_state* out)
{
    const kin_exact_state *from = u->states + (size_t)knot * u->count, *to = from + u->count;
    const double h = u->time[knot + 1] - u->time[knot], part = (time - u->time[knot]) / h;
    kin_vec3 momentum = {0, 0, 0};
    double mass = 0;
    for (uint32_t i = 0; i < u->count; ++i) {
        const kin_body* b = &self->group->bodies.body[u->bodies[i]];
        momentum = kin_add_scaled(momentum, b->mass, to[i].velocity);
        mass += b->mass;
    }
    const kin_vec3 common = kin_scale(momentum, 1 / mass);
    for (uint32_t i = 0; i < u->count; ++i) {
        const kin_body* all = &self->group->bodies.body[u->bodies[i]];
        const kin_body b = between(*all, &from[i], &to[i], part);
        const kin_vec3 v = to[i].velocity, moved = kin_add_scaled(kin_sub(to[i].position, from[i].position), -h, v);
        const kin_vec3 angular = kin_add_scaled(to[i].angular, (1 - part) * all->mass, kin_cross(moved, kin_sub(v, common)));
        out[i] = (kin_exact_state){b.position, v, angular, b.orientation};
    }
}

bool kin_exact_evaluate(const kin_exact* self, const kin_exact_unit* u, double time, kin_exact_state* out, kin_arena* scratch)
{
    int k = knot_before(u, time);
    const kin_exact_state* start = u->states + (size_t)k * u->count;
    memcpy(out, start, u->count * sizeof *out);
    double h = time - u->time[k];
    if (!(h > 1e-15 * self->step->h)) return true;
    if (k + 1 < u->knots && u->strode[k]) {
        put_on_stride(self, u, k, time, out);
        return true;
    }
    kin_exact_work w;
    kin_arena_mark mark = kin_arena_begin(scratch);
    bool ok = kin_exact_work_begin(&w, self, u, scratch) && tick(&w, start, u->time[k], &h, false) == TICK_KEPT;
    bool found = ok && forces_hold(&w);
    if (found || (ok && k + 1 == u->knots)) kin_exact_work_store(&w, out);
    kin_arena_end(scratch, mark);
    if (ok && !found && k + 1 < u->knots) put_between(self, u, k, time, out);
    return ok;
}

/* ---- paths ---- */

/* The stretch that a time is on; where two join, the later. NULL: it has none, its rates are constant. */
static const kin_body_leg* leg_at(const kin_bodies* all, uint32_t i, double time)
{
    const kin_body_legs legs = all->legs[i];
    if (legs.count == 0) return NULL;
    const kin_body_leg* leg = &all->leg[legs.first];
    uint32_t k = 0;
    while (k + 1 < legs.count && leg[k].to <= time) ++k;
    return &leg[k];
}

kin_body kin_exact_keyed_at(const kin_exact* self, uint32_t i, double from, double time, kin_twist* acceleration)
{
    const kin_bodies* all = &self->group->bodies;
    const kin_body_leg* leg = leg_at(all, i, from);
    kin_body b = all->body[i];
    if (acceleration != NULL) *acceleration = (kin_twist){0};
    if (leg != NULL) {
        const kin_pose_motion m = kin_pose_path_at(&leg->path, kin_min(time, leg->to) - leg->from);
        if (acceleration != NULL) *acceleration = m.acceleration;
        b.position = m.pose.position, b.orientation = m.pose.orientation;
        b.velocity = m.rate.velocity, b.spin = m.rate.spin;
        return b;
    }
    const kin_screw path = kin_screw_between(all->start[i], all->end[i]);
    const kin_transform pose = kin_screw_at(&path, self->step->h > 0 ? time / self->step->h : 1);
    b.position = pose.position;
    b.orientation = pose.orientation;
    return b;
}

double kin_exact_next_break(const kin_exact* self, uint32_t i, double time)
{
    const kin_body_leg* leg = self->group->bodies.motion[i] == KIN_BODY_KEYED ? leg_at(&self->group->bodies, i, time) : NULL;
    return leg != NULL && leg->to < self->step->h ? leg->to : self->step->h;
}

/* Knots of a stretch: its screw from one to the next is no farther off than the tolerance, y'' T^2 / 8. */
static double next_keyed_knot(const kin_exact* self, uint32_t i, double time)
{
    const kin_body_leg* leg = leg_at(&self->group->bodies, i, time);
    const kin_body_skin* skin = &self->group->bodies.skin[i];
    if (leg == NULL) return self->step->h;
    double linear, angular;
    kin_pose_path_bend(&leg->path, &linear, &angular);
    const double bend = linear + angular * (skin->form != NULL && skin->form->bounded ? skin->reach : 0), length = leg->to - leg->from;
    const double parts = kin_clamp(kin_ceil(length * kin_sqrt(bend / (8 * kin_exact_tolerance(self)))), 1, KIN_EXACT_KNOTS - 1);
    const double done = kin_floor((time - leg->from) / length * parts * (1 + 1e-12)) + 1;
    return done < parts ? leg->from + done / parts * length : leg->to;
}

kin_body kin_exact_body_at(const kin_exact* self, uint32_t i, double time)
{
    const kin_bodies* all = &self->group->bodies;
    if (all->motion[i] == KIN_BODY_KEYED) return kin_exact_keyed_at(self, i, time, time, NULL);
    uint32_t number = self->body[i].unit;
    if (number == KIN_EXACT_NONE) return all->body[i];
    const kin_exact_unit* u = self->units[number];
    uint32_t at = 0;
    while (u->bodies[at] != i) ++at;
    int k = knot_before(u, time);
    kin_body b = all->body[i];
    const kin_exact_state* s = u->states + (size_t)k * u->count + at;
    kin_exact_put(&b, s);
    if (k + 1 >= u->knots || !(time > u->time[k])) return b;
    return between(b, s, s + u->count, (time - u->time[k]) / (u->time[k + 1] - u->time[k]));
}

double kin_exact_next_knot(const kin_exact* self, uint32_t i, double time)
{
    if (self->group->bodies.motion[i] == KIN_BODY_KEYED) return next_keyed_knot(self, i, time);
    uint32_t number = self->body[i].unit;
    if (number == KIN_EXACT_NONE) return self->step->h;
    const kin_exact_unit* u = self->units[number];
    int k = knot_before(u, time);
    return k + 1 < u->knots ? u->time[k + 1] : u->to;
}

/* ---- loads ---- */

bool kin_exact_find_forces(const kin_exact* self, const kin_exact_unit* u, const kin_exact_state* states, double time, kin_exact_work* w, kin_arena* scratch)
{
    if (!kin_exact_work_begin(w, self, u, scratch)) return false;
    kin_exact_work_load(w, states, time);
    begin(w, self->step->h / u->ticks);
    return !w->failed && w->found && !w->by_turns;
}

void kin_exact_loads(kin_exact* self, const kin_exact_unit* u, kin_arena* scratch)
{
    kin_exact_work w;
    kin_arena_mark mark = kin_arena_begin(scratch);
    if (u->joint_count > 0 && kin_exact_work_begin(&w, self, u, scratch)) {
        kin_exact_work_load(&w, u->states + (size_t)(u->knots - 1) * u->count, u->to);
        begin(&w, self->step->h / u->ticks);
        for (int i = 0; !w.failed && i < w.row_count; ++i) {
            uint32_t j = u->joints[w.row_joint[i]];
            const kin_body* b = &w.bodies[w.row_b[i]];
            kin_vec3 arm = kin_rotate(b->orientation, self->group->joints[j].frame_b.position); /* the anchor's: the moment is told there */
            kin_vec3 force = kin_scale(w.rows[i].linear_b, w.multipliers[i]), torque = kin_scale(w.rows[i].angular_b, w.multipliers[i]);
            self->joint_force[j] = kin_add(self->joint_force[j], force);
            self->joint_torque[j] = kin_add(self->joint_torque[j], kin_sub(torque, kin_cross(arm, force)));
        }
    }
    kin_arena_end(scratch, mark);
}
