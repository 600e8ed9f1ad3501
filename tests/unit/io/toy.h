/* toy.h - a small world whose motion depends on all of its past: points that drift, turn, and are pushed by commands. */
#pragma once
#include "base/alloc.h"
#include "support/test.h"
#include "system/system.h"
#include "world/record.h"
#include "world/world.h"
#include <string.h>

typedef struct toy {
    kin_allocator allocator;
    size_t count;
    kin_vec3 *x, *v;
} toy;

static kin_result toy_create(const kin_birth* birth, const void* def, void** self, kin_error* error)
{
    (void)error;
    size_t count = *(const size_t*)def;
    toy* a = kin_alloc_zero(&birth->allocator, sizeof *a);
    if (a == NULL) return KIN_ERROR_MEMORY;
    *a = (toy){birth->allocator, count, kin_alloc_zero(&birth->allocator, count * sizeof *a->x), kin_alloc_zero(&birth->allocator, count * sizeof *a->v)};
    *self = a;
    for (size_t i = 0; a->x != NULL && a->v != NULL && i < count; ++i) {
        a->x[i] = (kin_vec3){(double)i, 1 + 0.1 * (double)i, 0};
        a->v[i] = (kin_vec3){0.1, 0.2, 0.3 * (double)i};
    }
    if (a->x != NULL && a->v != NULL) return KIN_OK;
    kin_free(&a->allocator, a->x, count * sizeof *a->x);
    kin_free(&a->allocator, a->v, count * sizeof *a->v);
    kin_free(&birth->allocator, a, sizeof *a);
    return KIN_ERROR_MEMORY;
}

static void toy_destroy(void* self)
{
    toy* a = self;
    kin_allocator allocator = a->allocator;
    kin_free(&allocator, a->x, a->count * sizeof *a->x);
    kin_free(&allocator, a->v, a->count * sizeof *a->v);
    kin_free(&allocator, a, sizeof *a);
}

static size_t toy_count(const void* self) { return ((const toy*)self)->count; }

static kin_status toy_commit(void* self, kin_step* step)
{
    toy* a = self;
    for (size_t i = 0; i < a->count; ++i) {
        kin_vec3 v = a->v[i];
        a->v[i] = (kin_vec3){v.x - 0.1 * step->h * v.z, v.y - step->h * a->x[i].y, v.z + 0.1 * step->h * v.x};
        a->x[i] = (kin_vec3){a->x[i].x + step->h * a->v[i].x, a->x[i].y + step->h * a->v[i].y, a->x[i].z + step->h * a->v[i].z};
    }
    return KIN_STATUS_OK;
}

static void toy_push(void* self, const kin_anchor* anchors, const kin_wrench* impulses, int n)
{
    toy* a = self;
    for (int i = 0; i < n; ++i) a->v[anchors[i].element].y += impulses[i].impulse.y;
}

static void toy_measure(const void* self, const kin_step* step, kin_budget* sum)
{
    (void)step;
    const toy* a = self;
    double energy = 0;
    for (size_t i = 0; i < a->count; ++i) energy += 0.5 * (a->v[i].x * a->v[i].x + a->v[i].y * a->v[i].y + a->v[i].z * a->v[i].z);
    kin_budget_add(sum, "kinetic_energy", "J", energy);
    kin_budget_add(sum, "count", "", (double)a->count);
}

static void toy_capture(const void* self, const char* name, const kin_materials* materials, kin_capture* capture)
{
    (void)materials;
    const toy* a = self;
    kin_capture_layer(capture, name, KIN_LAYER_POINTS, &(kin_look){0});
    float* x = kin_capture_array(capture, "position", KIN_F32, 3, a->count);
    if (x == NULL) return;
    for (size_t i = 0; i < a->count; ++i) memcpy(x + 3 * i, (float[3]){(float)a->x[i].x, (float)a->x[i].y, (float)a->x[i].z}, 3 * sizeof *x);
}

static void toy_visit(void* self, kin_visitor* v)
{
    toy* a = self;
    size_t count = kin_visit_count(v, a->count);
    if (v->result == KIN_OK && count != a->count) kin_visit_fail(v, KIN_ERROR_MISMATCH);
    if (v->result != KIN_OK) return;
    kin_visit_f64s(v, &a->x->x, 3 * count);
    kin_visit_f64s(v, &a->v->x, 3 * count);
}

static void* toy_def(void* self) { return &((toy*)self)->count; }

static const kin_param toy_params[] = {{0}};
static const kin_system_ops toy_ops = {
    .name = "toy",
    .doc = "",
    .params = toy_params,
    .def_size = sizeof(size_t),
    .create = toy_create,
    .destroy = toy_destroy,
    .count = toy_count,
    .def = toy_def,
    .commit = toy_commit,
    .push = toy_push,
    .measure = toy_measure,
    .capture = toy_capture,
    .visit = toy_visit,
};

/* Two systems, one with a name that a table would stumble over. NULL when memory is out. */
static inline kin_world* toy_world_of(const kin_allocator* allocator, size_t count)
{
    kin_world_def def = kin_world_def_default();
    def.allocator = *allocator;
    def.threads = 1;
    def.time_step = 1.0 / 60;
    kin_world* world;
    if (kin_world_create(&def, &world, NULL) != KIN_OK) return NULL;
    if (kin_world_add_system(world, &toy_ops, "toy", &count, NULL, NULL) == KIN_OK
        && kin_world_add_system(world, &toy_ops, "a, \"b\"", &count, NULL, NULL) == KIN_OK)
        return world;
    kin_world_destroy(world);
    return NULL;
}

static inline kin_world* toy_world(test* t) { return toy_world_of(&t->allocator, 5); }

/* What a script would do: now and then a push, a function of the step alone; also before the first step of every frame. */
static inline kin_result toy_step(kin_world* world)
{
    uint64_t step = kin_world_step_count(world);
    kin_result result = KIN_OK;
    if (step % 2 == 0) result = kin_world_push(world, (kin_anchor){.system = 1, .element = (uint32_t)(step % 5)}, (kin_vec3){0, 0.01 * (double)step, 0}, NULL);
    return result == KIN_OK ? kin_world_step(world, NULL, NULL) : result;
}

static inline void toy_steps(kin_world* world, int count)
{
    for (int i = 0; i < count; ++i) toy_step(world);
}
