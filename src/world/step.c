/* step.c - the whole engine on one screen (docs/architecture.md, "One step").
 *
 *     commands   what people and scripts want, in order
 *     plan       k = the most intervals any system or coupler asks for
 *     k times    sense    fields frozen, surfaces published
 *                predict  every system: free motion over h
 *                detect   one tree over all that moves in the interval
 *                solve    passes: couplers post totals, the ledger pushes differences, systems answer
 *                commit   contact groups, then soft, fluids, particles: each ends clean against surfaces that are final
 *     transfer   births and deaths: who is born in the step is where it belongs at its end
 *     observe    the report
 *
 * A stage may refuse: the world rewinds to the start of the interval and doubles k, up to its cap. */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "math/scalar.h"
#include "world/collider.h"
#include "world/groups.h"
#include "world/world.h"
#include <string.h>

#define SETTLED 1e-12 /* N s: a ledger that changes less has converged */

typedef struct step_plan {
    int intervals;
    bool may_refuse;
} step_plan;

static void transfer(kin_world* world);
static step_plan plan(const kin_world* world);
static bool mark(kin_world* world, kin_visitor* v);
static void rewind_to(kin_world* world, kin_visitor* v);
static kin_status run_interval(kin_world* world, int interval, int intervals);
static kin_result give_up(kin_world* world, bool marked, kin_step_report* report, kin_error* error);

static double stage_end(kin_world* world, kin_stage stage, double began)
{
    double now = kin_clock_seconds();
    world->report.seconds[stage] += now - began;
    return now;
}

kin_result kin_world_step(kin_world* world, kin_step_report* report, kin_error* error)
{
    if (world->failed) return kin_fail(error, KIN_ERROR_NUMERICS, "", "the world failed at step %llu and cannot go on", (unsigned long long)world->step_count);
    world->report = (kin_step_report){.step = world->step_count};
    world->trouble.code = KIN_OK;
    double now = kin_clock_seconds();
    kin_commands_apply(world);
    kin_colliders_begin_step(world);
    kin_groups_begin_step(world);
    now = stage_end(world, KIN_STAGE_COMMANDS, now);
    step_plan p = plan(world);
    stage_end(world, KIN_STAGE_PLAN, now);

    int intervals = p.intervals;
    for (int interval = 0; interval < intervals;) {
        kin_visitor* start = interval == 0 ? &world->step_mark : &world->interval_mark;
        if (p.may_refuse && !mark(world, start)) {
            if (interval > 0) rewind_to(world, &world->step_mark);
            return kin_fail_memory(error, "a mark of the state", start->size);
        }
        kin_status status = run_interval(world, interval, intervals);
        if (world->trouble.code != KIN_OK) return give_up(world, p.may_refuse, report, error);
        if (status == KIN_STATUS_OK) {
            ++interval;
            continue;
        }
        world->report.refusals += 1;
        if (!p.may_refuse || 2 * intervals > world->def.max_intervals) return give_up(world, p.may_refuse, report, error);
        rewind_to(world, start);
        interval *= 2;
        intervals *= 2;
    }
    now = kin_clock_seconds();
    transfer(world);
    now = stage_end(world, KIN_STAGE_COMMANDS, now);
    world->step_count += 1;
    world->report.intervals = intervals;
    world->report.time = kin_world_time(world);
    stage_end(world, KIN_STAGE_OBSERVE, now);
    if (report != NULL) *report = world->report;
    return KIN_OK;
}

static void name_system(kin_world* world, kin_step* step, uint32_t index)
{
    step->system = index + 1;
    step->system_name = world->systems[index].name;
}

/* Over the whole step, with solids where they will be in it. */
static void transfer(kin_world* world)
{
    kin_step step = kin_world_step_context(world);
    bool published = false;
    for (uint32_t i = 0; i < world->system_count; ++i) {
        const kin_system_slot* slot = &world->systems[i];
        if (slot->ops->has_transfers == NULL || !slot->ops->has_transfers(slot->self)) continue;
        if (!published) {
            kin_colliders_publish(world, step.time, step.h);
            kin_colliders_refit(world, step.h);
            published = true;
        }
        name_system(world, &step, i);
        slot->ops->transfer(slot->self, &step);
    }
}

static step_plan plan(const kin_world* world)
{
    step_plan result = {.intervals = 1, .may_refuse = world->fields.has_serial}; /* a script may fail */
    for (size_t i = 0; i < world->system_count; ++i) {
        kin_plan wish = {.step = world->def.time_step, .intervals = 1};
        if (world->systems[i].ops->plan == NULL) continue;
        world->systems[i].ops->plan(world->systems[i].self, &wish);
        result.may_refuse = result.may_refuse || wish.may_refuse;
    }
    for (size_t i = 0; i < world->coupler_count; ++i) {
        kin_plan wish = {.step = world->def.time_step, .intervals = 1};
        if (world->couplers[i].ops->plan == NULL) continue;
        world->couplers[i].ops->plan(world->couplers[i].self, &wish);
        result.may_refuse = result.may_refuse || wish.may_refuse;
        if (wish.intervals > result.intervals) result.intervals = wish.intervals;
    }
    if (result.intervals > world->def.max_intervals) result.intervals = world->def.max_intervals;
    return result;
}

typedef kin_status stage_fn(kin_world* world, kin_step* step);

/* Fields are functions of (x, v, t): nothing to freeze yet. Surfaces: every keyed solid's start and end pose, with the search over them ready, for fields ask it
 * where to steer from predict on. */
static kin_status sense(kin_world* world, kin_step* step)
{
    for (size_t i = 0; i < world->system_count; ++i) world->systems[i].committed = false;
    kin_ledger_turn(&world->ledger);
    kin_colliders_publish(world, step->time, step->h);
    kin_colliders_refit(world, step->h);
    return kin_groups_sense(world, step);
}

static kin_status predict(kin_world* world, kin_step* step)
{
    for (size_t i = 0; i < world->system_count; ++i) {
        uint32_t index = world->order[i];
        const kin_system_slot* slot = &world->systems[index];
        name_system(world, step, index);
        if (slot->ops->predict != NULL && slot->ops->predict(slot->self, step) != KIN_STATUS_OK) return KIN_STATUS_REFUSED;
    }
    kin_groups_predict(world, step);
    return KIN_STATUS_OK;
}

/* The swept search again, should predict have moved a solid: contact groups will ask it for pairs; points ask it in commit. */
static kin_status detect(kin_world* world, kin_step* step)
{
    kin_colliders_refit(world, step->h);
    return KIN_STATUS_OK;
}

static bool still_open(void* context, uint32_t system)
{
    const kin_world* world = context;
    return system == KIN_WORLD_SYSTEM || !world->systems[system - 1].committed;
}

static void push_to_system(void* context, const kin_anchor* anchors, const kin_wrench* wrenches, int count)
{
    kin_world* world = context;
    if (anchors[0].system == KIN_WORLD_SYSTEM) return; /* keyed colliders answer with nothing */
    const kin_system_slot* slot = &world->systems[anchors[0].system - 1];
    if (kin_system_takes(slot->ops, KIN_ELEMENT_PUSH)) {
        slot->ops->push(slot->self, anchors, wrenches, count);
        return;
    }
    kin_error error = {0}; /* of a coupler of the host: an impulse that nothing takes would be lost */
    kin_world_check_anchor(world, anchors[0], KIN_ELEMENT_PUSH, "", &error);
    kin_world_trouble(world, &error);
}

static void flush(kin_world* world)
{
    kin_ledger_flush(&world->ledger, &(kin_ledger_taker){world, still_open, push_to_system});
    world->report.residual = world->ledger.residual;
}

/* Hits first: what springs and other loads then do to a body is part of what holds it. */
static void flush_by_kind(kin_world* world)
{
    const kin_ledger_taker taker = {world, still_open, push_to_system};
    kin_ledger_flush_kind(&world->ledger, KIN_ENTRY_HIT, &taker);
    double hits = world->ledger.residual;
    kin_groups_tell_loads(world, false);
    kin_ledger_flush_kind(&world->ledger, KIN_ENTRY_LOAD, &taker);
    kin_groups_tell_loads(world, true);
    world->ledger.residual = kin_max(hits, world->ledger.residual);
    world->report.residual = world->ledger.residual;
}

static bool has_couplers(const kin_world* world) { return world->coupler_count > 0 || world->attachments.count > 0; }

/* Hits of points of two systems, once an interval: later passes find them done. */
static kin_status meet_points(kin_world* world, kin_step* step)
{
    step->system_name = "particles";
    if (!kin_reserve(&world->allocator, (void**)&world->point_sources, &world->point_source_capacity, world->system_count, sizeof *world->point_sources))
        return kin_step_refuse(step, 0, 0, "out of memory for particles of different systems");
    for (uint32_t i = 0; i < world->system_count; ++i) world->point_sources[i] = (kin_point_source){world->systems[i].ops, world->systems[i].self, i + 1};
    if (kin_point_pairs_exchange(&world->points, world->point_sources, world->system_count, step)) return KIN_STATUS_OK;
    return kin_step_refuse(step, 0, 0, "out of memory for particles of different systems");
}

static kin_status solve_pass(kin_world* world, kin_step* step, int pass)
{
    if (pass == 0 && (kin_groups_exchange(world, step) != KIN_STATUS_OK || meet_points(world, step) != KIN_STATUS_OK)) return KIN_STATUS_REFUSED;
    if (world->attachments.count > 0 && kin_attach_ops.exchange(&world->attachments, world, step, pass) != KIN_STATUS_OK) return KIN_STATUS_REFUSED;
    for (size_t i = 0; i < world->coupler_count; ++i) {
        const kin_coupler_slot* coupler = &world->couplers[i];
        if (coupler->ops->exchange(coupler->self, world, step, pass) != KIN_STATUS_OK) return KIN_STATUS_REFUSED;
    }
    if (has_couplers(world))
        flush_by_kind(world);
    else
        flush(world);
    for (size_t i = 0; i < world->system_count; ++i) {
        uint32_t index = world->order[world->system_count - 1 - i]; /* fluids, soft, contact groups */
        const kin_system_slot* slot = &world->systems[index];
        name_system(world, step, index);
        if (slot->ops->solve != NULL && slot->ops->solve(slot->self, step, pass) != KIN_STATUS_OK) return KIN_STATUS_REFUSED;
    }
    return KIN_STATUS_OK;
}

static kin_status solve(kin_world* world, kin_step* step)
{
    flush(world); /* what was carried from the last interval */
    kin_groups_clear_loads(world);
    for (int pass = 0; pass < world->def.max_passes; ++pass) {
        if (solve_pass(world, step, pass) != KIN_STATUS_OK) return KIN_STATUS_REFUSED;
        if (pass + 1 > world->report.passes) world->report.passes = pass + 1;
        if (!has_couplers(world) || world->ledger.residual <= SETTLED) return KIN_STATUS_OK;
    }
    step->system_name = "world";
    if (world->def.max_passes > 1) kin_step_note_cap(step, 1, "exchange not settled within max_passes");
    return KIN_STATUS_OK;
}

/* What committed first and is due a load of those that came later says so. */
static void tell_awaiting(kin_world* world, kin_step* step)
{
    kin_anchor a;
    for (size_t i = 0; kin_ledger_load_due(&world->ledger, &i, &a);) {
        const kin_system_slot* slot = a.system != KIN_WORLD_SYSTEM ? &world->systems[a.system - 1] : NULL;
        if (slot != NULL && slot->ops->await != NULL) slot->ops->await(slot->self, step, &a, 1);
    }
}

static kin_status commit(kin_world* world, kin_step* step)
{
    if (kin_groups_advance(world, step) != KIN_STATUS_OK) return KIN_STATUS_REFUSED;
    for (size_t i = 0; i < world->system_count; ++i) {
        uint32_t index = world->order[i];
        kin_system_slot* slot = &world->systems[index];
        name_system(world, step, index);
        if (slot->ops->commit != NULL && slot->ops->commit(slot->self, step) != KIN_STATUS_OK) return KIN_STATUS_REFUSED;
        slot->committed = true;
        flush(world);
    }
    tell_awaiting(world, step);
    kin_colliders_commit(world);
    return KIN_STATUS_OK;
}

static kin_status run_interval(kin_world* world, int interval, int intervals)
{
    static const struct {
        kin_stage stage;
        stage_fn* run;
    } stages[] = {
        {KIN_STAGE_SENSE, sense}, {KIN_STAGE_PREDICT, predict}, {KIN_STAGE_DETECT, detect}, {KIN_STAGE_SOLVE, solve}, {KIN_STAGE_COMMIT, commit},
    };
    kin_step step = kin_world_step_context(world);
    step.interval = interval;
    step.intervals = intervals;
    step.h = world->def.time_step / intervals;
    step.time = kin_world_time(world) + world->def.time_step * ((double)interval / intervals);
    double now = kin_clock_seconds();
    for (size_t i = 0; i < sizeof stages / sizeof *stages; ++i) {
        kin_status status = stages[i].run(world, &step);
        now = stage_end(world, stages[i].stage, now);
        if (status != KIN_STATUS_OK) return KIN_STATUS_REFUSED;
    }
    return KIN_STATUS_OK;
}

static bool mark(kin_world* world, kin_visitor* v)
{
    v->mode = KIN_VISIT_SAVE;
    v->result = KIN_OK;
    v->size = v->position = 0;
    kin_world_visit(world, v);
    return v->result == KIN_OK;
}

static void rewind_to(kin_world* world, kin_visitor* v)
{
    v->mode = KIN_VISIT_LOAD;
    v->position = 0;
    kin_world_visit(world, v);
}

/* Past the cap: back to the start of the step. Without a mark nobody has committed: systems that never refuse keep their old state until they do. */
static kin_result give_up(kin_world* world, bool marked, kin_step_report* report, kin_error* error)
{
    if (marked) rewind_to(world, &world->step_mark);
    world->failed = true;
    if (report != NULL) *report = world->report;
    if (world->trouble.code != KIN_OK) return kin_fail(error, world->trouble.code, world->trouble.where, "%s", world->trouble.message);
    return kin_fail(error, KIN_ERROR_NUMERICS, "", "step %llu: %s", (unsigned long long)world->step_count, world->report.note);
}
