/* attach.c - the list of attachments: checked, added, moved, removed, visited. What they do in an interval is in attach_solve.c. */
#include "couple/attach.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/search.h"
#include "math/spline.h"
#include <stdio.h>
#include <string.h>

#define FARTHEST 1e9 /* m: no target is further out, so that squares of distances stay finite */

kin_attachment_def kin_attachment_def_default(void) { return (kin_attachment_def){.to_point = true, .stiffness = 1000, .damping_ratio = 1}; }

void kin_attachments_init(kin_attachments* list, const kin_allocator* allocator, kin_anchor_verbs verbs)
{
    *list = (kin_attachments){.allocator = *allocator, .verbs = verbs};
}

void kin_attachments_term(kin_attachments* list)
{
    const kin_allocator* allocator = &list->allocator;
    kin_free(allocator, list->items, list->capacity * sizeof *list->items);
    kin_free(allocator, list->key_times, list->key_time_capacity * sizeof *list->key_times);
    kin_free(allocator, list->key_points, list->key_point_capacity * sizeof *list->key_points);
    kin_free(allocator, list->sides, list->side_capacity * sizeof *list->sides);
    kin_free(allocator, list->order, list->order_capacity * sizeof *list->order);
    kin_free(allocator, list->order_scratch, list->order_scratch_capacity * sizeof *list->order_scratch);
    kin_free(allocator, list->order_side, list->order_side_capacity * sizeof *list->order_side);
    kin_free(allocator, list->order_side_scratch, list->order_side_scratch_capacity * sizeof *list->order_side_scratch);
    kin_free(allocator, list->change, list->change_capacity * sizeof *list->change);
    kin_free(allocator, list->rows, list->row_capacity * sizeof *list->rows);
    *list = (kin_attachments){.allocator = *allocator};
}

bool kin_attachments_reserve(kin_attachments* list, size_t count, size_t key_count)
{
    const kin_allocator* allocator = &list->allocator;
    return kin_reserve(allocator, (void**)&list->items, &list->capacity, count, sizeof *list->items)
           && kin_reserve(allocator, (void**)&list->key_times, &list->key_time_capacity, key_count, sizeof *list->key_times)
           && kin_reserve(allocator, (void**)&list->key_points, &list->key_point_capacity, key_count, sizeof *list->key_points)
           && kin_reserve(allocator, (void**)&list->sides, &list->side_capacity, 2 * count, sizeof *list->sides)
           && kin_reserve(allocator, (void**)&list->order, &list->order_capacity, 2 * count, sizeof *list->order)
           && kin_reserve(allocator, (void**)&list->order_scratch, &list->order_scratch_capacity, 2 * count, sizeof *list->order_scratch)
           && kin_reserve(allocator, (void**)&list->order_side, &list->order_side_capacity, 2 * count, sizeof *list->order_side)
           && kin_reserve(allocator, (void**)&list->order_side_scratch, &list->order_side_scratch_capacity, 2 * count, sizeof *list->order_side_scratch)
           && kin_reserve(allocator, (void**)&list->change, &list->change_capacity, 2 * count, sizeof *list->change)
           && kin_reserve(allocator, (void**)&list->rows, &list->row_capacity, count, sizeof *list->rows);
}

/* ---- checks ---- */

static bool near_enough(kin_vec3 p) { return kin_largest(kin_abs3(p)) <= FARTHEST && kin_finite3(p); }

static kin_result check_number(double value, bool positive, const char* name, const char* unit, kin_error* error)
{
    if (kin_finite(value) && (positive ? value > 0 : value >= 0)) return KIN_OK;
    return kin_fail(error, KIN_ERROR_ARGUMENT, name, "%g must be %s 0%s%s%s", value, positive ? ">" : ">=", unit[0] != 0 ? " (" : "", unit,
                    unit[0] != 0 ? ")" : "");
}

static kin_result check_keys(const kin_attachment_def* def, kin_error* error)
{
    if (def->key_count > 0 && !def->to_point) return kin_fail(error, KIN_ERROR_ARGUMENT, "keys", "only a point of space has keys");
    for (size_t i = 0; i < def->key_count; ++i) {
        const kin_attachment_key* key = &def->keys[i];
        char where[32];
        snprintf(where, sizeof where, "keys[%zu]", i);
        if (!kin_finite(key->time) || !near_enough(key->point))
            return kin_fail(error, KIN_ERROR_ARGUMENT, where, "time and position must be finite, the position within %g m", FARTHEST);
        if (i > 0 && !(key->time > def->keys[i - 1].time))
            return kin_fail(error, KIN_ERROR_ARGUMENT, where, "t = %g must be later than the key before, %g (s)", key->time, def->keys[i - 1].time);
    }
    return KIN_OK;
}

kin_result kin_attachment_check(const kin_attachment_def* def, kin_error* error)
{
    kin_result result = KIN_OK;
    if (!def->rigid) result = check_number(def->stiffness, true, "stiffness", "N/m", error);
    if (result == KIN_OK) result = check_number(def->damping_ratio, false, "damping_ratio", "", error);
    if (result == KIN_OK) result = check_number(def->damping, false, "damping", "N s/m", error);
    if (result == KIN_OK) result = check_number(def->rest, false, "rest", "m", error);
    if (result == KIN_OK) result = check_number(def->max_force, false, "max_force", "N", error);
    if (result == KIN_OK) result = check_number(def->break_force, false, "break_force", "N", error);
    if (result != KIN_OK) return result;
    if (!near_enough(def->a.local)) return kin_fail(error, KIN_ERROR_ARGUMENT, "a.local", "must be finite, within %g m", FARTHEST);
    if (def->to_point && !near_enough(def->point)) return kin_fail(error, KIN_ERROR_ARGUMENT, "point", "must be finite, within %g m", FARTHEST);
    if (!def->to_point && !near_enough(def->b.local)) return kin_fail(error, KIN_ERROR_ARGUMENT, "b.local", "must be finite, within %g m", FARTHEST);
    if (!kin_finite3(def->facing)) return kin_fail(error, KIN_ERROR_ARGUMENT, "facing", "must be finite");
    if (!def->to_point && def->a.system == def->b.system && def->a.element == def->b.element)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "b", "is the same element as a");
    return check_keys(def, error);
}

/* ---- the list ---- */

static bool is_older(const void* list, size_t i, const void* serial) { return ((const kin_attachments*)list)->items[i].serial < *(const uint32_t*)serial; }

/* The first item whose serial is not below. */
static size_t lower_bound(const kin_attachments* list, uint32_t serial) { return kin_search(list, list->count, is_older, &serial); }

/* Keys of all items stand one after the other. */
static size_t first_key(const kin_attachments* list, size_t index)
{
    size_t sum = 0;
    if (index == list->count || list->key_count == 0) return list->key_count;
    for (size_t i = 0; i < index; ++i) sum += list->items[i].def.key_count;
    return sum;
}

static void shift_keys(kin_attachments* list, size_t from, size_t to)
{
    size_t rest = list->key_count - from;
    if (rest > 0 && from != to) memmove(list->key_times + to, list->key_times + from, rest * sizeof *list->key_times);
    if (rest > 0 && from != to) memmove(list->key_points + to, list->key_points + from, rest * sizeof *list->key_points);
    list->key_count = to + rest;
}

bool kin_attachments_add(kin_attachments* list, const kin_attachment_def* def, uint32_t serial)
{
    if (!kin_attachments_reserve(list, list->count + 1, list->key_count + def->key_count)) return false;
    size_t at = lower_bound(list, serial), key = first_key(list, at);
    shift_keys(list, key, key + def->key_count);
    for (size_t i = 0; i < def->key_count; ++i) {
        list->key_times[key + i] = def->keys[i].time;
        list->key_points[key + i] = def->keys[i].point;
    }
    memmove(&list->items[at + 1], &list->items[at], (list->count - at) * sizeof *list->items);
    kin_attachment* item = &list->items[at];
    *item = (kin_attachment){.def = *def, .serial = serial, .lag = 1};
    item->def.keys = NULL;
    if (def->to_point) item->def.b = (kin_anchor){KIN_WORLD_SYSTEM, UINT32_MAX, def->point};
    list->count += 1;
    if (serial > list->last) list->last = serial;
    return true;
}

kin_attachment* kin_attachments_find(const kin_attachments* list, uint32_t serial)
{
    size_t i = lower_bound(list, serial);
    return i < list->count && list->items[i].serial == serial && !list->items[i].gone ? &list->items[i] : NULL;
}

static void drop_keys(kin_attachments* list, size_t index)
{
    if (list->items[index].def.key_count == 0) return;
    size_t key = first_key(list, index);
    shift_keys(list, key + list->items[index].def.key_count, key);
    list->items[index].def.key_count = 0;
}

void kin_attachments_remove(kin_attachments* list, uint32_t serial)
{
    kin_attachment* item = kin_attachments_find(list, serial);
    if (item == NULL) return;
    size_t at = (size_t)(item - list->items);
    drop_keys(list, at);
    memmove(item, item + 1, (list->count - at - 1) * sizeof *item);
    list->count -= 1;
}

void kin_attachments_drop(kin_attachments* list, uint32_t serial)
{
    kin_attachment* item = kin_attachments_find(list, serial);
    if (item != NULL) item->gone = list->some_gone = true;
}

void kin_attachments_sweep(kin_attachments* list)
{
    size_t kept = 0;
    if (!list->some_gone) return;
    for (size_t i = list->count; i-- > 0;) {
        if (list->items[i].gone) drop_keys(list, i);
    }
    for (size_t i = 0; i < list->count; ++i) {
        if (!list->items[i].gone) list->items[kept++] = list->items[i];
    }
    list->count = kept;
    list->some_gone = false;
}

void kin_attachments_move(kin_attachments* list, uint32_t serial, kin_vec3 point)
{
    kin_attachment* item = kin_attachments_find(list, serial);
    if (item == NULL || !item->def.to_point) return;
    drop_keys(list, (size_t)(item - list->items));
    item->def.point = item->def.b.local = point;
    item->expects = false;
}

kin_vec3 kin_attachments_point(const kin_attachments* list, size_t index, double time)
{
    const kin_attachment_def* def = &list->items[index].def;
    if (def->key_count == 0) return def->b.local;
    size_t key = first_key(list, index);
    return kin_spline_vec3(list->key_times + key, list->key_points + key, (int)def->key_count, time, NULL);
}

/* ---- state ---- */

static void visit_anchor(kin_visitor* v, kin_anchor* a)
{
    kin_visit_u32(v, &a->system);
    kin_visit_u32(v, &a->element);
    kin_visit_vec3(v, &a->local);
}

static void visit_bool(kin_visitor* v, bool* x)
{
    uint8_t byte = *x;
    kin_visit_u8(v, &byte);
    *x = byte != 0;
}

/* Keys lie in the list's arrays. */
static kin_attachment_def without_keys(const kin_attachment_def* def)
{
    kin_attachment_def alone = *def;
    alone.keys = NULL;
    alone.key_count = 0;
    return alone;
}

static void visit_item(kin_visitor* v, kin_attachment* item)
{
    kin_attachment_def* def = &item->def;
    double* const numbers[] = {&def->stiffness, &def->damping_ratio, &def->damping, &def->rest, &def->max_force, &def->break_force, &item->lag};
    uint64_t key_count = def->key_count;
    kin_visit_u32(v, &item->serial);
    visit_anchor(v, &def->a);
    visit_anchor(v, &def->b);
    visit_bool(v, &def->to_point);
    visit_bool(v, &def->rigid);
    visit_bool(v, &item->expects);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) kin_visit_f64(v, numbers[i]);
    kin_visit_vec3(v, &def->facing);
    kin_visit_vec3(v, &item->expected);
    kin_visit_vec3(v, &item->force);
    kin_visit_u64(v, &key_count);
    def->key_count = (size_t)key_count;
    def->point = def->b.local;
    if (v->mode != KIN_VISIT_LOAD || v->result != KIN_OK) return;
    const kin_attachment_def numbers_alone = without_keys(def);
    bool holds = !def->to_point || def->b.system == KIN_WORLD_SYSTEM;
    if (!holds || key_count > v->size || kin_attachment_check(&numbers_alone, NULL) != KIN_OK) kin_visit_fail(v, KIN_ERROR_FORMAT);
}

/* A world that never had one is hashed as if there were none. */
void kin_attachments_visit(kin_attachments* list, kin_visitor* v)
{
    if (v->mode == KIN_VISIT_HASH && list->last == 0) return;
    size_t count = kin_visit_count(v, list->count), key_count = kin_visit_count(v, list->key_count), keys = 0;
    kin_visit_u32(v, &list->last);
    if (v->mode == KIN_VISIT_LOAD) {
        if (!kin_attachments_reserve(list, count, key_count)) {
            kin_visit_fail(v, KIN_ERROR_MEMORY);
            return;
        }
        list->count = count;
        list->key_count = key_count;
        if (count > 0) memset(list->items, 0, count * sizeof *list->items);
    }
    for (size_t i = 0; i < count; ++i) {
        const uint32_t serial = i > 0 ? list->items[i - 1].serial : 0;
        visit_item(v, &list->items[i]);
        if (v->result == KIN_OK && !(list->items[i].serial > serial && list->items[i].serial <= list->last)) kin_visit_fail(v, KIN_ERROR_FORMAT);
        keys += list->items[i].def.key_count;
    }
    kin_visit_f64s(v, list->key_times, key_count);
    for (size_t i = 0; i < key_count; ++i) kin_visit_vec3(v, &list->key_points[i]);
    if (v->mode != KIN_VISIT_LOAD || (v->result == KIN_OK && keys == key_count)) return;
    kin_visit_fail(v, KIN_ERROR_FORMAT);
    list->count = list->key_count = 0;
}
