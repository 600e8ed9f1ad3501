/* field.c - the fields of a world: the table of kinds, keeping fields, and the passes over them. */
#include "system/field.h"
#include "base/alloc.h"
#include "base/error.h"
#include "math/vec3.h"
#include "system/field_kinds.h"
#include <stdio.h>
#include <string.h>

/* In the order of the handbook. */
const kin_field_ops* const kin_field_registry[] = {
    &kin_field_gravity_ops,   &kin_field_drag_ops,
    &kin_field_wind_ops,      &kin_field_attraction_ops,
    &kin_field_repel_ops,     &kin_field_steer_ops,
    &kin_field_flock_ops,     &kin_field_hunt_ops,
    &kin_field_attractor_ops, &kin_field_line_attractor_ops,
    &kin_field_electric_ops,  &kin_field_magnetic_ops,
    &kin_field_source_ops,    &kin_field_vortex_line_ops,
    &kin_field_vortex_ops,    &kin_field_translate_ops,
    &kin_field_rotate_ops,    &kin_field_scale_ops,
    &kin_field_kicks_ops,     &kin_field_speed_limit_ops,
    &kin_field_cartoon_ops,   &kin_field_goal_ops,
    &kin_field_molecules_ops, &kin_field_charges_ops,
    &kin_field_law_ops,       NULL,
};

const kin_field_ops* kin_field_named(const char* name)
{
    for (int i = 0; kin_field_registry[i] != NULL; ++i) {
        if (strcmp(kin_field_registry[i]->name, name) == 0) return kin_field_registry[i];
    }
    return NULL;
}

bool kin_field_default(const char* kind, void* def)
{
    const kin_field_ops* ops = kin_field_named(kind);
    if (ops == NULL) return false;
    memset(def, 0, ops->def_size);
    kin_params_default(ops->params, def);
    return true;
}

/* ---- keeping them ---- */

void kin_fields_init(kin_fields* fields, const kin_allocator* allocator, kin_simd simd)
{
    *fields = (kin_fields){.allocator = *allocator, .simd = simd};
    kin_arena_init(&fields->arena, allocator);
}

void kin_fields_term(kin_fields* fields)
{
    kin_free(&fields->allocator, fields->items, fields->capacity * sizeof *fields->items);
    kin_free(&fields->allocator, fields->tag_names, fields->tag_capacity * sizeof *fields->tag_names);
    kin_arena_term(&fields->arena);
    fields->items = NULL;
}

/* Its number; that of the next one: there is none of that name. */
static size_t find_tag(const kin_fields* fields, const char* name)
{
    size_t i = 0;
    while (i < fields->tag_count && strcmp(fields->tag_names[i], name) != 0) ++i;
    return i;
}

kin_result kin_fields_add_tag(kin_fields* fields, const char* name, uint64_t* bits, const char* where, kin_error* error)
{
    size_t i = find_tag(fields, name);
    if (i == fields->tag_count) {
        if (i == 64 || strlen(name) >= sizeof *fields->tag_names)
            return kin_fail(error, KIN_ERROR_ARGUMENT, where, "\"%.40s\" is too long (31 letters), or more than 64 tags are in use", name);
        if (!kin_reserve(&fields->allocator, (void**)&fields->tag_names, &fields->tag_capacity, i + 1, sizeof *fields->tag_names))
            return kin_fail_memory(error, where, sizeof *fields->tag_names);
        snprintf(fields->tag_names[i], sizeof *fields->tag_names, "%s", name);
        fields->tag_count += 1;
    }
    *bits |= (uint64_t)1 << i;
    return KIN_OK;
}

uint64_t kin_fields_tag(kin_fields* fields, const char* name)
{
    uint64_t bit = 0;
    return kin_fields_add_tag(fields, name, &bit, "tags", NULL) == KIN_OK ? bit : 0;
}

uint64_t kin_fields_find_tag(const kin_fields* fields, const char* name)
{
    size_t i = find_tag(fields, name);
    return i < fields->tag_count ? (uint64_t)1 << i : 0;
}

static kin_result resolve_tags(kin_fields* fields, kin_field* field, kin_error* error)
{
    const kin_field_common* c = kin_field_common_of(field);
    kin_result result = KIN_OK;
    for (size_t i = 0; i < c->tags.count && result == KIN_OK; ++i) result = kin_fields_add_tag(fields, c->tags.data[i], &field->tags, "tags", error);
    return result;
}

static kin_result check_region(const kin_field_common* c, kin_error* error)
{
    const kin_quat* q = &c->motion.orientation;
    bool turned = q->x != 0 || q->y != 0 || q->z != 0 || c->motion.keys.count > 0;
    if (turned && c->drop == KIN_DROP_AXES) return kin_fail(error, KIN_ERROR_ARGUMENT, "drop", "\"axes\" are those of the world: the region may not turn");
    for (size_t i = 1; i < c->motion.keys.count; ++i) {
        char where[40];
        snprintf(where, sizeof where, "region_keys[%zu].t", i);
        if (!(c->motion.keys.data[i].time > c->motion.keys.data[i - 1].time))
            return kin_fail(error, KIN_ERROR_ARGUMENT, where, "must be later than the key before");
    }
    return KIN_OK;
}

static bool acts(const kin_field* field, kin_field_place place) { return field->ops->acts == NULL || field->ops->acts(field->def, place); }

/* The kernel of a field for a place; NULL: it does not act there. */
static kin_field_fn* adds(const kin_field* field, kin_field_place place, kin_simd simd)
{
    const kin_field_ops* ops = field->ops;
    kin_field_fn* kernel = place == KIN_FIELD_MEDIUM ? ops->medium[simd] : place == KIN_FIELD_FORCE ? ops->force[simd] : ops->gyration[simd];
    return kernel != NULL && acts(field, place) ? kernel : NULL;
}

static kin_field_after_fn* alters(const kin_field* field, kin_field_place place, kin_simd simd)
{
    kin_field_after_fn* kernel = place == KIN_FIELD_CHANGE ? field->ops->change[simd] : field->ops->carry[simd];
    return kernel != NULL && acts(field, place) ? kernel : NULL;
}

static void note_needs(kin_fields* fields, const kin_field* field)
{
    const kin_field_ops* ops = field->ops;
    kin_simd simd = fields->simd;
    fields->has_medium = fields->has_medium || adds(field, KIN_FIELD_MEDIUM, simd) != NULL;
    fields->has_gyration = fields->has_gyration || adds(field, KIN_FIELD_GYRATION, simd) != NULL;
    fields->has_mutual = fields->has_mutual || ops->mutual != NULL;
    fields->has_after = fields->has_after || alters(field, KIN_FIELD_CHANGE, simd) != NULL || alters(field, KIN_FIELD_CARRY, simd) != NULL;
    fields->has_serial = fields->has_serial || (ops->serial != NULL && ops->serial(field->def));
    fields->wants |= ops->wants | kin_field_mask_wants(kin_field_common_of(field));
}

kin_result kin_fields_add(kin_fields* fields, const kin_field_ops* ops, const void* def, uint32_t* index, kin_error* error)
{
    kin_result result = kin_params_check(ops->params, def, "", error);
    if (result != KIN_OK) return result;
    kin_field field = {.ops = ops, .index = (uint32_t)fields->count, .def = kin_arena_take(&fields->arena, ops->def_size)};
    if (field.def == NULL || !kin_params_copy(ops->params, ops->def_size, def, &fields->arena, field.def)
        || !kin_reserve(&fields->allocator, (void**)&fields->items, &fields->capacity, fields->count + 1, sizeof *fields->items)) {
        return kin_fail_memory(error, "a field", sizeof *fields->items + ops->def_size);
    }
    result = check_region(kin_field_common_of(&field), error);
    if (result == KIN_OK) result = resolve_tags(fields, &field, error);
    if (result == KIN_OK && ops->make != NULL) result = ops->make(fields, field.def, &fields->arena, &field.made, error);
    if (result != KIN_OK) return result;
    note_needs(fields, &field);
    fields->items[fields->count] = field;
    *index = (uint32_t)fields->count++;
    return KIN_OK;
}

void kin_fields_visit(kin_fields* fields, kin_visitor* v)
{
    kin_visit_vec3(v, &fields->gravity);
    for (size_t i = 0; i < fields->count; ++i) kin_params_visit(fields->items[i].ops->params, fields->items[i].def, v);
}

/* ---- passes ---- */

/* Runs a kernel that adds to three arrays; a masked field adds its share only. */
static void add_masked(const kin_field* field, kin_field_fn* kernel, const kin_field_batch* batch, bool medium)
{
    size_t n = (size_t)batch->count;
    double* weight = batch->scratch + 3 * n;
    if (!kin_field_weights(field, batch, 0, weight)) {
        kernel(field, batch);
        return;
    }
    kin_field_batch apart = *batch;
    double** to = medium ? apart.air : apart.acceleration;
    memset(batch->scratch, 0, 3 * n * sizeof *batch->scratch);
    for (int axis = 0; axis < 3; ++axis) apart.so_far[axis] = batch->acceleration[axis];
    for (int axis = 0; axis < 3; ++axis) to[axis] = batch->scratch + (size_t)axis * n;
    kernel(field, &apart);
    for (int axis = 0; axis < 3; ++axis) {
        double* out = medium ? batch->air[axis] : batch->acceleration[axis];
        if (axis > 0 && kin_field_common_of(field)->drop == KIN_DROP_AXES) kin_field_weights(field, batch, axis, weight);
        for (size_t i = 0; i < n; ++i) out[i] += weight[i] * to[axis][i];
    }
}

/* The rate of turning is masked, not the force, which would then do work. */
static void add_gyration(const kin_fields* fields, const kin_field* field, kin_field_fn* kernel, const kin_field_batch* batch)
{
    static void (*const turn[KIN_SIMD_COUNT])(const double*, const kin_field_batch*) = KIN_WIDTHS(kin_field_turn);
    size_t n = (size_t)batch->count;
    double *w = batch->scratch, *weight = w + 3 * n;
    kin_field_batch apart = *batch;
    memset(w, 0, 3 * n * sizeof *w);
    for (int axis = 0; axis < 3; ++axis) apart.gyration[axis] = w + (size_t)axis * n;
    kernel(field, &apart);
    bool masked = kin_field_weights(field, batch, 0, weight);
    for (int axis = 0; masked && axis < 3; ++axis) {
        if (axis > 0 && kin_field_common_of(field)->drop == KIN_DROP_AXES) kin_field_weights(field, batch, axis, weight);
        for (size_t i = 0; i < n; ++i) apart.gyration[axis][i] *= weight[i];
    }
    if (batch->gyration[0] == NULL) {
        turn[fields->simd](w, batch);
        return;
    }
    for (int axis = 0; axis < 3; ++axis) {
        for (size_t i = 0; i < n; ++i) batch->gyration[axis][i] += apart.gyration[axis][i];
    }
}

void kin_fields_evaluate(const kin_fields* fields, const kin_field_batch* batch)
{
    static void (*const reset[KIN_SIMD_COUNT])(const kin_vec3*, const kin_field_batch*) = KIN_WIDTHS(kin_field_reset);
    reset[fields->simd](&fields->gravity, batch);
    for (size_t i = 0; fields->has_medium && i < fields->count; ++i) {
        const kin_field* field = &fields->items[i];
        kin_field_fn* kernel = adds(field, KIN_FIELD_MEDIUM, fields->simd);
        if (kernel != NULL) add_masked(field, kernel, batch, true);
    }
    for (size_t i = 0; i < fields->count; ++i) {
        const kin_field* field = &fields->items[i];
        kin_field_fn* kernel = adds(field, KIN_FIELD_FORCE, fields->simd);
        if (kernel != NULL) add_masked(field, kernel, batch, false);
    }
    for (int axis = 0; batch->gyration[0] != NULL && axis < 3; ++axis) memset(batch->gyration[axis], 0, (size_t)batch->count * sizeof(double));
    for (size_t i = 0; fields->has_gyration && i < fields->count; ++i) {
        const kin_field* field = &fields->items[i];
        kin_field_fn* kernel = adds(field, KIN_FIELD_GYRATION, fields->simd);
        if (kernel != NULL) add_gyration(fields, field, kernel, batch);
    }
}

/* What a kernel changed, a masked field changes in part. */
static void change_masked(const kin_field* field, kin_field_after_fn* kernel, const kin_field_after* after, double* const value[3])
{
    size_t n = (size_t)after->batch->count;
    double *before = after->batch->scratch, *weight = before + 3 * n;
    if (!kin_field_weights(field, after->batch, 0, weight)) {
        kernel(field, after);
        return;
    }
    for (int axis = 0; axis < 3; ++axis) memcpy(before + (size_t)axis * n, value[axis], n * sizeof *before);
    kernel(field, after);
    for (int axis = 0; axis < 3; ++axis) {
        const double* old = before + (size_t)axis * n;
        if (axis > 0 && kin_field_common_of(field)->drop == KIN_DROP_AXES) kin_field_weights(field, after->batch, axis, weight);
        for (size_t i = 0; i < n; ++i) value[axis][i] = old[i] + weight[i] * (value[axis][i] - old[i]);
    }
}

void kin_fields_after(const kin_fields* fields, const kin_field_after* after)
{
    for (size_t i = 0; i < fields->count; ++i) {
        const kin_field* field = &fields->items[i];
        kin_field_after_fn* kernel = alters(field, KIN_FIELD_CHANGE, fields->simd);
        if (kernel != NULL) change_masked(field, kernel, after, after->velocity);
    }
    for (int axis = 0; axis < 3; ++axis) {
        for (int i = 0; i < after->batch->count; ++i) after->carried[axis][i] = 0.5 * (after->batch->velocity[axis][i] + after->velocity[axis][i]);
    }
    for (size_t i = 0; i < fields->count; ++i) {
        const kin_field* field = &fields->items[i];
        kin_field_after_fn* kernel = alters(field, KIN_FIELD_CARRY, fields->simd);
        if (kernel != NULL) change_masked(field, kernel, after, after->carried);
    }
}

/* H5.1a: limiters and kicks on the new velocity; then what carries the points along displaces them beside their own motion (H5.2a). */
void kin_fields_apply_after(const kin_fields* fields, const kin_field_batch* batch, double h, const double* y0, double* y1, double* carried)
{
    int n = batch->count;
    kin_field_batch start = *batch;
    kin_field_after after = {.batch = &start, .h = h};
    for (int axis = 0; axis < 3; ++axis) {
        start.position[axis] = y0 + axis * n;
        start.velocity[axis] = y0 + (3 + axis) * n;
        after.velocity[axis] = y1 + (3 + axis) * n;
        after.carried[axis] = carried + axis * n;
    }
    kin_fields_after(fields, &after);
    for (int i = 0; i < 3 * n; ++i) carried[i] -= 0.5 * (y0[3 * n + i] + y1[3 * n + i]); /* velocity beside its own */
    for (int i = 0; i < 3 * n; ++i) y1[i] += h * carried[i];
}

/* Of a masked field too: its potential is that of the force before the mask, and energy is then not kept. */
double kin_fields_potential(const kin_fields* fields, double mass, kin_vec3 x, double time)
{
    double sum = -mass * kin_dot(fields->gravity, x);
    for (size_t i = 0; i < fields->count; ++i) {
        const kin_field* field = &fields->items[i];
        if (field->ops->potential != NULL) sum += field->ops->potential(field, mass, x, time);
    }
    return sum;
}
