/* emit.c - births of a step: how many (H4.3a, C3.7.2), and each one's place, velocity and instant (H4.3b, H4.3c).
 *
 * Keys: a birth has step 0 and its number, a step's rate has step 1 and the number of the step, the table has step 2 and the entry, the limits step 3, an emission
 * step 4 and its number, the size of a release step 5 and the number of its first birth. The tick tells emitters
 * apart, and both from what else the system draws. */
#include "math/vec3.h"
#include "system/curve.h"
#include "system/emit/emit_inside.h"

#define EMITTER_TICKS 0x80000000u
enum { BIRTH_STEP = 0, RATE_STEP = 1, LIMIT_STEP = 3, EVERY_STEP = 4, SIZE_STEP = 5 };

kin_rng_key kin_emit_key(const kin_emit_step* step, size_t index, uint64_t number)
{
    return (kin_rng_key){.seed = step->seed, .serial = number, .step = BIRTH_STEP, .system = step->system, .tick = EMITTER_TICKS + (uint32_t)index};
}

static kin_draws draws_for(kin_emitter* e, kin_rng_key key)
{
    if (e->table.size == 0) return (kin_draws){key, NULL};
    kin_draw_table_fill(&e->table, &key);
    return (kin_draws){key, &e->table};
}

/* ---- how many ---- */

static const double whole = 0x1p53; /* beyond it a double skips whole numbers */

static double last_time(const kin_emitter_def* def, double t) { return def->stop != 0 ? kin_min(t, def->stop) : t; }

/* Births by rate in [a, b), fractions too. */
static double rate_due(kin_emitter* e, size_t index, const kin_emit_step* step)
{
    double a = kin_max(step->time, e->def.start), b = last_time(&e->def, step->time + step->h);
    if (!(b > a)) return 0;
    const double deviation[2] = {0, e->def.rate_deviation};
    kin_rng_key key = kin_emit_key(step, index, step->index);
    key.step = RATE_STEP;
    kin_draws draws = draws_for(e, key);
    return kin_max(kin_curve_integral(&e->def.rate, a, b, 0) + (b - a) * kin_draw_about(&draws, 0, deviation, -1e300), 0);
}

/* Bursts at start + k period before t, by whole k: a t that is one of those instants but for rounding is that instant. */
static int64_t bursts_before(const kin_emitter_def* def, double t, double h)
{
    double unit = def->period > 0 ? def->period : h, q = (t - def->start) / unit;
    if (!(q > 0)) return 0;
    if (q > whole) q = whole;
    double k = kin_round(q), slack = 1e-9 + 1e-14 * q;
    double count = kin_abs(q - k) <= slack ? k : kin_ceil(q);
    return def->period > 0 ? (int64_t)count : count > 0;
}

/* Points of the bursts in [time, time + h). */
static int64_t burst_due(kin_emitter* e, const kin_emit_step* step)
{
    const kin_emitter_def* def = &e->def;
    if (def->burst == 0) return 0;
    if (e->bursts < 0) e->bursts = bursts_before(def, last_time(def, step->time), step->h);
    int64_t before = bursts_before(def, last_time(def, step->time + step->h), step->h), now = before - e->bursts;
    if (now <= 0) return 0;
    e->bursts = before;
    return (int64_t)kin_min((double)now * (double)def->burst, whole);
}

/* Whole points of what is carried; one short of a whole by rounding only counts. */
static int64_t take_whole(double* carried)
{
    double count = kin_max(kin_floor(kin_min(*carried, whole) + 1e-9), 0);
    *carried -= count;
    return (int64_t)count;
}

/* A limit of births, the same whenever it is asked for. */
static int64_t limit_of(const kin_emit_step* step, size_t index, const double about[2], uint32_t draw)
{
    kin_rng_key key = kin_emit_key(step, index, 0);
    key.step = LIMIT_STEP;
    return (int64_t)kin_round(kin_rng_about(&key, draw, about, 0));
}

bool kin_every_now(const double every[2], const kin_rng_key* key, uint64_t since)
{
    double steps = kin_max(kin_round(every[0]), 1), first = kin_max(kin_floor(((double)since - every[1]) / steps), 0);
    if (every[1] == 0) return since % (uint64_t)steps == 0;
    for (double n = first; n * steps <= (double)since + every[1]; n += 1) {
        const double at[2] = {n * steps, n > 0 ? every[1] : 0};
        if (kin_round(kin_rng_about(key, (uint32_t)n, at, 0)) == (double)since) return true;
    }
    return false;
}

static bool emits_now(const kin_emitter* e, size_t index, const kin_emit_step* step)
{
    kin_rng_key key = kin_emit_key(step, index, 0);
    key.step = EVERY_STEP;
    return kin_every_now(e->def.every, &key, step->index);
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

int64_t kin_emitter_due(kin_emitters* all, size_t index, const kin_emit_step* step, int64_t alive)
{
    kin_emitter* e = &all->items[index];
    e->carried = kin_min(e->carried + rate_due(e, index, step), whole);
    e->held = least(e->held + burst_due(e, step), (int64_t)whole);
    if (!emits_now(e, index, step)) return 0;
    int64_t count = take_whole(&e->carried) + e->held;
    e->held = 0;
    if (e->def.max_total[0] > 0) count = least(count, limit_of(step, index, e->def.max_total, 0) - e->born);
    if (e->def.max_alive[0] > 0) count = least(count, limit_of(step, index, e->def.max_alive, 1) - alive);
    if (count < 0) count = 0;
    e->born += count;
    return count;
}

/* ---- where and how fast ---- */

static bool is_carried(const kin_emitter_def* def) { return def->collider != NULL || def->system != NULL; }

/* The emitter over the step: its pose at a fraction of it, and what its carrier's motion gives a point at x. */
static kin_transform pose_at(const kin_emitter_def* def, const kin_emit_step* step, double fraction, kin_transform* carrier)
{
    kin_transform own = {def->position, def->orientation};
    *carrier = is_carried(def) ? kin_transform_mix(step->start, step->end, fraction) : kin_transform_identity();
    return is_carried(def) ? kin_transform_mul(*carrier, own) : own;
}

static kin_vec3 inherited(const kin_emitter_def* def, const kin_emit_step* step, kin_vec3 from_carrier)
{
    if (!is_carried(def) || !(step->h > 0)) return kin_v(0, 0, 0);
    kin_vec3 along = kin_scale(kin_sub(step->end.position, step->start.position), 1 / step->h);
    kin_vec3 spin = kin_quat_spin_between(step->start.orientation, step->end.orientation, step->h);
    return kin_scale(kin_add(along, kin_cross(spin, from_carrier)), def->inherit);
}

static kin_vec3 direction_of(const kin_emitter* e, const kin_draws* draws, kin_vec3 normal)
{
    if (e->def.aim == KIN_AIM_ALL) return kin_draw_direction(draws, KIN_DRAW_DIRECTION);
    return kin_draw_cone(draws, KIN_DRAW_DIRECTION, e->def.aim == KIN_AIM_NORMAL ? normal : e->axis, e->def.aperture, e->def.spread);
}

/* H4.3c: born a share of the step before its end, and moved on since. */
static kin_newborn bear_one(kin_emitter* e, const kin_emit_step* step, const kin_draws* draws, kin_birthplace place, uint64_t number)
{
    kin_vec3 to = direction_of(e, draws, place.normal);
    double speed = kin_draw_about(draws, KIN_DRAW_SPEED, e->def.speed, 0), lived = e->def.jitter ? kin_draw_unit(draws, KIN_DRAW_INSTANT) : 0;
    kin_transform carrier, pose = pose_at(&e->def, step, 1 - lived, &carrier);
    kin_vec3 x = kin_apply(pose, place.at);
    kin_vec3 v = kin_add(kin_scale(kin_rotate(pose.orientation, to), speed), inherited(&e->def, step, kin_sub(x, carrier.position)));
    return (kin_newborn){.x = kin_add_scaled(x, lived * step->h, v), .v = v, .age = lived * step->h, .size = 1, .number = number};
}

static bool in_solid(const kin_emit_step* step, kin_vec3 x)
{
    kin_contact contact;
    return step->solids != NULL && kin_solids_closest(step->solids, x, step->radius, 0, 1, &contact, 1) > 0 && contact.distance < 0;
}

static bool has_room(kin_emitters* all, const kin_emit_step* step, const kin_newborn* out, int64_t count, kin_vec3 x)
{
    if (in_solid(step, x)) return false;
    if (step->crowded != NULL && step->crowded(step->context, x, step->radius)) return false;
    return kin_nursery_take(&all->nursery, out, count, x, step->radius);
}

int64_t kin_emitter_bear(kin_emitters* all, size_t index, const kin_emit_step* step, int64_t count, kin_newborn* out)
{
    kin_emitter* e = &all->items[index];
    kin_rng_key size_key = kin_emit_key(step, index, e->next_birth);
    size_key.step = SIZE_STEP;
    double max_size = e->def.max_size[0] > 0 ? kin_max(kin_rng_about(&size_key, 0, e->def.max_size, 0), 1e-300) : 0;
    kin_grid grid = kin_grid_lay(&e->def, count, step->radius, max_size);
    if (e->def.clearance) kin_nursery_begin(&all->nursery, &all->allocator, grid.fits);
    int64_t written = 0;
    for (int64_t i = 0; i < grid.fits; ++i) {
        uint64_t number = e->next_birth++;
        kin_draws draws = draws_for(e, kin_emit_key(step, index, number));
        kin_birthplace place = grid.on ? kin_place_grid(&e->def, &grid, i) : kin_place_random(e, &draws);
        kin_newborn newborn = bear_one(e, step, &draws, place, number);
        if (!e->def.clearance || has_room(all, step, out, written, newborn.x)) out[written++] = newborn;
    }
    e->born -= least(e->born, count - written); /* `due` had counted them */
    return written;
}

uint64_t kin_emitter_next(const kin_emitters* all, size_t index) { return all->items[index].next_birth; }

/* ---- state ---- */

/* Could the emitter have come to this? Loaded bytes may be anything. */
static bool is_sound(const kin_emitter* e)
{
    uint32_t size = e->table.size > 0 ? e->table.size : 1;
    bool counts = e->bursts >= -1 && e->held >= 0 && e->held <= (int64_t)whole && e->born >= 0;
    return counts && e->carried >= -1 && e->carried <= whole && e->table.next_unit < size && e->table.next_bell < size;
}

static void visit_count(kin_visitor* v, int64_t* x) { kin_visit_bytes(v, x, sizeof *x); }

void kin_emitters_visit(kin_emitters* all, kin_visitor* v)
{
    for (size_t i = 0; i < all->count; ++i) {
        kin_emitter* e = &all->items[i];
        kin_visit_f64(v, &e->carried);
        visit_count(v, &e->bursts);
        visit_count(v, &e->held);
        visit_count(v, &e->born);
        kin_visit_u64(v, &e->next_birth);
        kin_visit_u32(v, &e->table.next_unit);
        kin_visit_u32(v, &e->table.next_bell);
        if (v->mode == KIN_VISIT_LOAD && !is_sound(e)) kin_visit_fail(v, KIN_ERROR_FORMAT);
    }
}
