/* field.c - the kinds of fields there are, and the fields of a world. */
#include "system/field.h"
#include "base/alloc.h"
#include "base/error.h"
#include "math/vec3.h"
#include "system/field_kernels.h"
#include <string.h>

#define WIDTHS(kernel)                                                                                                                                         \
    {                                                                                                                                                          \
        kernel##_none, kernel##_sse2, kernel##_avx2                                                                                                            \
    }

static double uniform_potential(const void* def, double mass, kin_vec3 x, double time)
{
    (void)time;
    return -mass * kin_dot(*(const kin_vec3*)def, x);
}

static const kin_param gravity_params[] = {
    {.name = "gravity",
     .type = KIN_PARAM_VECTOR,
     .unit = "m/s^2",
     .doc = "A uniform acceleration, beside the world's own gravity.",
     .flags = KIN_PARAM_LIVE | KIN_PARAM_REQUIRED},
    {0},
};
static const kin_param drag_params[] = {
    {.name = "drag",
     .type = KIN_PARAM_NUMBER,
     .unit = "kg/s",
     .doc = "Force on a thing per speed relative to the air: F = drag (air - v). Below 0 it drives.",
     .flags = KIN_PARAM_LIVE | KIN_PARAM_REQUIRED},
    {0},
};
static const kin_param wind_params[] = {
    {.name = "wind",
     .type = KIN_PARAM_VECTOR,
     .unit = "m/s",
     .doc = "Velocity of the air, felt through drag; several winds add.",
     .flags = KIN_PARAM_LIVE | KIN_PARAM_REQUIRED},
    {0},
};

static const kin_field_ops gravity_ops = {
    .name = "gravity",
    .doc = "A uniform pull, the same for every mass.",
    .params = gravity_params,
    .def_size = sizeof(kin_vec3),
    .force = WIDTHS(kin_field_gravity),
    .potential = uniform_potential,
};
static const kin_field_ops drag_ops = {
    .name = "drag",
    .doc = "Air resistance proportional to speed.",
    .params = drag_params,
    .def_size = sizeof(double),
    .force = WIDTHS(kin_field_drag),
};
static const kin_field_ops wind_ops = {
    .name = "wind",
    .doc = "Air on the move.",
    .params = wind_params,
    .def_size = sizeof(kin_vec3),
    .medium = WIDTHS(kin_field_wind),
};

const kin_field_ops* const kin_field_registry[] = {&gravity_ops, &drag_ops, &wind_ops, NULL};

const kin_field_ops* kin_field_named(const char* name)
{
    for (int i = 0; kin_field_registry[i] != NULL; ++i) {
        if (strcmp(kin_field_registry[i]->name, name) == 0) return kin_field_registry[i];
    }
    return NULL;
}

void kin_fields_init(kin_fields* fields, const kin_allocator* allocator, kin_simd simd) { *fields = (kin_fields){.allocator = *allocator, .simd = simd}; }

void kin_fields_term(kin_fields* fields)
{
    kin_free(&fields->allocator, fields->items, fields->capacity * sizeof *fields->items);
    fields->items = NULL;
}

kin_result kin_fields_add(kin_fields* fields, const kin_field_ops* ops, const void* def, uint32_t* index, kin_error* error)
{
    KIN_ASSERT(ops->def_size <= sizeof(kin_field_def));
    kin_result result = kin_params_check(ops->params, def, "", error);
    if (result != KIN_OK) return result;
    if (!kin_reserve(&fields->allocator, (void**)&fields->items, &fields->capacity, fields->count + 1, sizeof *fields->items)) {
        return kin_fail_memory(error, "a field", sizeof *fields->items);
    }
    kin_field* field = &fields->items[fields->count];
    *field = (kin_field){.ops = ops};
    memcpy(&field->def, def, ops->def_size);
    fields->has_medium = fields->has_medium || ops->medium[fields->simd] != NULL;
    *index = (uint32_t)fields->count++;
    return KIN_OK;
}

void kin_fields_evaluate(const kin_fields* fields, const kin_field_batch* batch)
{
    static void (*const reset[KIN_SIMD_COUNT])(const kin_vec3*, const kin_field_batch*) = WIDTHS(kin_field_reset);
    reset[fields->simd](&fields->gravity, batch);
    for (size_t i = 0; fields->has_medium && i < fields->count; ++i) {
        const kin_field* field = &fields->items[i];
        if (field->ops->medium[fields->simd] != NULL) field->ops->medium[fields->simd](&field->def, batch);
    }
    for (size_t i = 0; i < fields->count; ++i) {
        const kin_field* field = &fields->items[i];
        if (field->ops->force[fields->simd] != NULL) field->ops->force[fields->simd](&field->def, batch);
    }
}

double kin_fields_potential(const kin_fields* fields, double mass, kin_vec3 x, double time)
{
    double sum = uniform_potential(&fields->gravity, mass, x, time);
    for (size_t i = 0; i < fields->count; ++i) {
        const kin_field* field = &fields->items[i];
        if (field->ops->potential != NULL) sum += field->ops->potential(&field->def, mass, x, time);
    }
    return sum;
}

void kin_fields_visit(kin_fields* fields, kin_visitor* v)
{
    kin_visit_vec3(v, &fields->gravity);
    for (size_t i = 0; i < fields->count; ++i) kin_visit_bytes(v, &fields->items[i].def, fields->items[i].ops->def_size);
}
