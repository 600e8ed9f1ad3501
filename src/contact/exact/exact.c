/* exact.c - the exact solver as a contact group sees it. */
#include "contact/exact/exact.h"
#include "base/alloc.h"
#include "base/error.h"
#include <string.h>

/* ---- life ---- */

static void exact_destroy(void* solver)
{
    kin_exact* self = solver;
    if (self == NULL) return;
    kin_allocator allocator = self->allocator;
    kin_broad_destroy(self->broad);
    kin_arena_term(&self->arena);
    kin_free(&allocator, self->body, self->body_room * sizeof *self->body);
    kin_vec3* const loads[] = {self->joint_force, self->joint_torque, self->joint_hit, self->joint_twist};
    for (int i = 0; i < 4; ++i) kin_free(&allocator, loads[i], self->joint_room[i] * sizeof *loads[i]);
    kin_free(&allocator, self->units, self->unit_room * sizeof *self->units);
    kin_free(&allocator, self->pairs, self->pair_room * sizeof *self->pairs);
    kin_free(&allocator, self->events, self->event_room * sizeof *self->events);
    kin_free(&allocator, self->memory, self->memory_room * sizeof *self->memory);
    kin_free(&allocator, self->presses, self->press_room * sizeof *self->presses);
    kin_free(&allocator, self->apart, self->apart_room * sizeof *self->apart);
    kin_free(&allocator, self, sizeof *self);
}

static kin_result exact_create(kin_group* group, void** out, kin_error* error)
{
    kin_exact* self = kin_alloc_zero(&group->allocator, sizeof *self);
    *out = NULL;
    if (self == NULL) return kin_fail_memory(error, "the exact solver", sizeof *self);
    self->group = group;
    self->allocator = group->allocator;
    kin_arena_init(&self->arena, &self->allocator);
    kin_broad_def def = kin_broad_def_default((kin_broad_kind)group->def.broad_phase);
    kin_result result = kin_broad_create(&self->allocator, &def, &self->broad, error);
    if (result != KIN_OK) {
        exact_destroy(self);
        return result;
    }
    *out = self;
    return KIN_OK;
}

static kin_exact_body new_body(void) { return (kin_exact_body){.orientation = {0, 0, 0, 1}, .ticks = 1, .unit = KIN_EXACT_NONE, .proxy = KIN_EXACT_NONE}; }

static bool exact_body_added(void* solver, uint32_t body)
{
    kin_exact* self = solver;
    if (!kin_reserve(&self->allocator, (void**)&self->body, &self->body_room, body + 1u, sizeof *self->body)) return false;
    self->body[body] = new_body();
    return true;
}

static void drop_proxy(kin_exact* self, uint32_t body)
{
    if (self->body[body].proxy != KIN_EXACT_NONE) kin_broad_remove(self->broad, self->body[body].proxy);
    self->body[body].proxy = KIN_EXACT_NONE;
}

static void wake_those_at(kin_exact* self, uint32_t body)
{
    for (uint32_t i = 0; i < self->memory_count; ++i) {
        const kin_exact_memory* m = &self->memory[i];
        uint32_t other = m->a == body ? m->b : m->b == body ? m->a : KIN_NO_BODY;
        if (other == KIN_NO_BODY || self->group->bodies.motion[other] != KIN_BODY_FREE) continue;
        if (self->group->bodies.motion[body] == KIN_BODY_FREE)
            kin_exact_wake(self, other);
        else /* what it holds may come down slower than motion spreads by itself */
            kin_exact_wake_pile(self, other, KIN_EXACT_WHOLE_PILE);
    }
}

/* What hangs on a body feels that it has changed: asleep or not, free or not. */
static void wake_those_joined(kin_exact* self, uint32_t body)
{
    const kin_group* g = self->group;
    for (uint32_t i = 0; i < g->joint_count; ++i) {
        const kin_joint* j = &g->joints[i];
        uint32_t other = j->a == body ? j->b : j->b == body ? j->a : KIN_NO_BODY;
        if (!j->broken && other != KIN_NO_BODY) kin_exact_wake(self, other);
    }
}

static void exact_body_removed(void* solver, uint32_t body)
{
    kin_exact* self = solver;
    wake_those_at(self, body);
    drop_proxy(self, body);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < self->memory_count; ++i) {
        if (self->memory[i].a != body && self->memory[i].b != body) self->memory[kept++] = self->memory[i];
    }
    self->memory_count = kept;
}

static bool exact_joint_added(void* solver, uint32_t joint)
{
    kin_exact* self = solver;
    kin_vec3** const loads[] = {&self->joint_force, &self->joint_torque, &self->joint_hit, &self->joint_twist};
    for (int i = 0; i < 4; ++i) {
        if (!kin_reserve(&self->allocator, (void**)loads[i], &self->joint_room[i], joint + 1u, sizeof **loads[i])) return false;
        (*loads[i])[joint] = kin_v(0, 0, 0);
    }
    const kin_joint* j = &self->group->joints[joint];
    if (j->a != KIN_NO_BODY) kin_exact_wake(self, j->a);
    if (j->b != KIN_NO_BODY) kin_exact_wake(self, j->b);
    return true;
}

static void exact_joint_removed(void* solver, uint32_t joint)
{
    kin_exact* self = solver;
    const kin_joint* j = &self->group->joints[joint];
    if (j->a != KIN_NO_BODY) kin_exact_wake(self, j->a);
    if (j->b != KIN_NO_BODY) kin_exact_wake(self, j->b);
    self->joint_force[joint] = self->joint_torque[joint] = kin_v(0, 0, 0);
}

static void exact_touched(void* solver, uint32_t body)
{
    kin_exact* self = solver;
    kin_exact_wake(self, body);
    wake_those_at(self, body);
    wake_those_joined(self, body);
    drop_proxy(self, body); /* it may have become fixed, or free */
}

static void exact_sleep(void* solver, uint32_t body)
{
    kin_exact* self = solver;
    uint32_t unit = self->body[body].unit;
    if (unit != KIN_EXACT_NONE && unit < self->unit_count && !self->body[body].asleep) kin_exact_sleep_unit(self, unit);
}

static bool exact_is_awake(const void* solver, uint32_t body)
{
    const kin_exact* self = solver;
    return self->group->bodies.motion[body] == KIN_BODY_FREE && !self->body[body].asleep;
}

/* ---- the interval ---- */

static void begin(kin_exact* self, kin_step* step)
{
    kin_group* g = self->group;
    self->step = step;
    self->integrator = kin_integrator_at(g->def.integrator >= 0 && g->def.integrator < kin_integrator_count() ? g->def.integrator : 0);
    self->report.events = self->report.forced = self->report.ticks = self->report.rejected = self->report.yielded = 0;
    self->report.residual = self->report.impact = 0;
    self->press_count = 0;
    kin_arena_reset(&self->arena);
    kin_arena_reserve(&self->arena, self->arena.peak); /* one block, of the size that the largest interval took; failing: the next take says so */
    for (uint32_t i = 0; i < g->bodies.count; ++i) {
        self->body[i].unit = KIN_EXACT_NONE;
        self->body[i].yields = KIN_EXACT_HOLDS, self->body[i].jams = 0, self->body[i].spent = 0, self->body[i].window = KIN_EXACT_KNOTS;
        if (g->bodies.motion[i] == KIN_BODY_FREE) g->bodies.start[i] = kin_body_pose(&g->bodies.body[i]);
    }
    for (uint32_t i = 0; i < g->joint_count; ++i) {
        self->joint_force[i] = self->joint_torque[i] = self->joint_hit[i] = self->joint_twist[i] = kin_v(0, 0, 0);
    }
}

static kin_status check_input(kin_exact* self)
{
    const kin_bodies* all = &self->group->bodies;
    for (uint32_t i = 0; i < all->count; ++i) {
        const kin_body* b = &all->body[i];
        if (all->motion[i] == KIN_BODY_GONE) continue;
        bool finite = kin_finite3(b->position) && kin_finite3(b->velocity) && kin_finite3(b->spin) && kin_finite(kin_quat_dot(b->orientation, b->orientation));
        if (!finite) return kin_step_refuse(self->step, all->skin[i].owner.element, 0, "a body's place or motion is not finite");
    }
    return KIN_STATUS_OK;
}

/* Strength is held against the forces at the end of the interval and against impulses, spread over it. */
static void break_joints(kin_exact* self)
{
    kin_group* g = self->group;
    for (uint32_t i = 0; i < g->joint_count; ++i) {
        const kin_joint* j = &g->joints[i];
        if (!kin_group_joint_holds(g, j)) continue;
        double rate = self->step->h > 0 ? 1 / self->step->h : 0;
        self->joint_force[i] = kin_add_scaled(self->joint_force[i], rate, self->joint_hit[i]);
        self->joint_torque[i] = kin_add_scaled(self->joint_torque[i], rate, self->joint_twist[i]);
        double force = kin_length(self->joint_force[i]), torque = kin_length(self->joint_torque[i]);
        bool breaks = (j->def.break_force > 0 && force > j->def.break_force) || (j->def.break_torque > 0 && torque > j->def.break_torque);
        if (breaks) kin_group_break_joint(g, i, j->def.break_force > 0 && force > j->def.break_force ? force : torque);
    }
}

static void end(kin_exact* self)
{
    kin_group* g = self->group;
    for (uint32_t i = 0; i < g->bodies.count; ++i) {
        if (g->bodies.motion[i] == KIN_BODY_FREE) g->bodies.end[i] = kin_body_pose(&g->bodies.body[i]);
    }
    for (uint32_t i = 0; i < self->unit_count; ++i) {
        if (!self->units[i]->dead) kin_exact_loads(self, self->units[i], &self->arena);
    }
    kin_exact_report_end(self);
    for (uint32_t i = 0; i < g->joint_count; ++i) {
        kin_joint* j = &g->joints[i];
        static const kin_body world = {.orientation = {0, 0, 0, 1}};
        if (kin_group_joint_holds(g, j))
            kin_joint_follow(j, j->a != KIN_NO_BODY ? &g->bodies.body[j->a] : &world, j->b != KIN_NO_BODY ? &g->bodies.body[j->b] : &world);
    }
    break_joints(self);
}

static kin_status exact_advance(void* solver, kin_step* step)
{
    kin_exact* self = solver;
    kin_error error = {0};
    begin(self, step);
    if (!(step->h > 0)) return KIN_STATUS_OK;
    kin_status status = check_input(self);
    if (status != KIN_STATUS_OK) return status;
    kin_exact_wake_driven(self);
    if (kin_exact_pairs_begin(self, &error) != KIN_OK)
        return kin_step_refuse(step, 0, 0, error.message[0] != 0 ? error.message : "no memory for pairs of bodies");
    status = kin_exact_events(self);
    if (status != KIN_STATUS_OK) return status;
    for (uint32_t i = 0; i < self->group->bodies.count; ++i) {
        if (self->group->bodies.motion[i] == KIN_BODY_KEYED) { /* it has arrived */
            self->group->bodies.body[i].position = self->group->bodies.end[i].position;
            self->group->bodies.body[i].orientation = self->group->bodies.end[i].orientation;
        }
    }
    end(self);
    kin_exact_finish(self);
    return KIN_STATUS_OK;
}

static void exact_joint_load(const void* solver, uint32_t joint, kin_vec3* force, kin_vec3* torque)
{
    const kin_exact* self = solver;
    *force = self->joint_force[joint];
    *torque = self->joint_torque[joint];
}

static void exact_measure(const void* solver, kin_budget* sum)
{
    const kin_exact_report* r = &((const kin_exact*)solver)->report;
    kin_budget_add(sum, "contacts", "", r->contacts);
    kin_budget_add(sum, "collisions", "", (double)r->collisions);
    kin_budget_add(sum, "jams", "", (double)r->jams);
    kin_budget_add(sum, "events", "", r->events);
    kin_budget_add(sum, "ticks", "", r->ticks);
    kin_budget_add(sum, "by_turns", "", r->yielded);
    kin_budget_add(sum, "force_residual", "m/s^2", r->residual);
    kin_budget_add(sum, "impact_residual", "m/s", r->impact);
    kin_budget_add(sum, "dissipated", "J", r->dissipated);
}

/* ---- state ---- */

static void visit_body(kin_exact_body* b, kin_visitor* v)
{
    uint8_t asleep = b->asleep;
    kin_visit_vec3(v, &b->angular);
    kin_visit_vec3(v, &b->spin);
    kin_visit_quat(v, &b->orientation);
    kin_visit_i32(v, &b->ticks);
    kin_visit_i32(v, &b->calm);
    kin_visit_f64(v, &b->h);
    kin_visit_f64(v, &b->slow_time);
    kin_visit_u8(v, &asleep);
    b->asleep = asleep != 0;
    if (v->mode == KIN_VISIT_LOAD && b->ticks < 1) b->ticks = 1;
}

static void visit_memory(kin_exact* self, kin_visitor* v)
{
    size_t count = kin_visit_count(v, self->memory_count);
    if (v->mode == KIN_VISIT_LOAD) {
        if (!kin_reserve(&self->allocator, (void**)&self->memory, &self->memory_room, count, sizeof *self->memory)) {
            kin_visit_fail(v, KIN_ERROR_MEMORY);
            return;
        }
        if (count > 0) memset(self->memory, 0, count * sizeof *self->memory);
        self->memory_count = (uint32_t)count;
    }
    for (size_t i = 0; i < count && v->result == KIN_OK; ++i) {
        kin_exact_memory* m = &self->memory[i];
        kin_visit_u32(v, &m->a);
        kin_visit_u32(v, &m->b);
        kin_visit_u8(v, &m->flags);
        kin_visit_f64(v, &m->entry);
        kin_visit_f64(v, &m->load);
        kin_visit_vec3(v, &m->point);
        kin_visit_vec3(v, &m->normal);
        kin_visit_u32(v, &m->trail.count);
        if (v->result == KIN_OK && m->trail.count > KIN_EXACT_TRAIL) kin_visit_fail(v, KIN_ERROR_FORMAT);
        for (uint32_t k = 0; v->result == KIN_OK && k < m->trail.count; ++k) kin_visit_u32(v, &m->trail.id[k]), kin_visit_vec3(v, &m->trail.force[k]);
        if (v->mode == KIN_VISIT_LOAD && !(m->a < m->b && m->b < self->group->bodies.count)) kin_visit_fail(v, KIN_ERROR_FORMAT);
    }
}

static void exact_visit(void* solver, kin_visitor* v)
{
    kin_exact* self = solver;
    uint32_t bodies = self->group->bodies.count;
    uint64_t collisions = (uint64_t)self->report.collisions, jams = (uint64_t)self->report.jams;
    if (v->mode == KIN_VISIT_LOAD) { /* a body that the group made while loading is new here */
        size_t known = self->body_room;
        if (!kin_reserve(&self->allocator, (void**)&self->body, &self->body_room, bodies, sizeof *self->body)) {
            kin_visit_fail(v, KIN_ERROR_MEMORY);
            return;
        }
        for (size_t i = known; i < self->body_room; ++i) self->body[i] = new_body();
        for (uint32_t i = 0; i < bodies; ++i) drop_proxy(self, i); /* bodies may be in another order */
    }
    for (uint32_t i = 0; i < bodies && v->result == KIN_OK; ++i) visit_body(&self->body[i], v);
    for (uint32_t i = 0; i < self->group->joint_count && v->result == KIN_OK; ++i) {
        kin_visit_vec3(v, &self->joint_force[i]);
        kin_visit_vec3(v, &self->joint_torque[i]);
    }
    visit_memory(self, v);
    kin_visit_u64(v, &collisions);
    kin_visit_u64(v, &jams);
    kin_visit_f64(v, &self->report.dissipated);
    self->report.collisions = (int64_t)collisions;
    self->report.jams = (int64_t)jams;
    self->unit_count = self->press_count = 0;
}

static size_t exact_bytes(const void* solver)
{
    const kin_exact* self = solver;
    return sizeof *self + kin_broad_reports(self->broad).bytes + self->arena.peak + self->body_room * sizeof *self->body
           + 4 * self->joint_room[0] * sizeof *self->joint_force + self->unit_room * sizeof *self->units + self->pair_room * sizeof *self->pairs
           + self->event_room * sizeof *self->events + self->memory_room * sizeof *self->memory + self->apart_room * sizeof *self->apart
           + self->press_room * sizeof *self->presses;
}

const kin_group_ops kin_exact_ops = {
    .name = "exact",
    .create = exact_create,
    .destroy = exact_destroy,
    .body_added = exact_body_added,
    .body_removed = exact_body_removed,
    .joint_added = exact_joint_added,
    .joint_removed = exact_joint_removed,
    .touched = exact_touched,
    .sleep = exact_sleep,
    .is_awake = exact_is_awake,
    .advance = exact_advance,
    .joint_load = exact_joint_load,
    .measure = exact_measure,
    .visit = exact_visit,
    .bytes = exact_bytes,
};
