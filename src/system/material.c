/* material.c - the materials of a world, the preset table and the pair rules.
 * Presets: restitution and friction after House & Keyser 3.2 (tennis .73-.76, basketball .82-.88, wood .25-.5, steel .5-.8, teflon < .05);
 * densities are handbook values. */
#include "system/material.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/search.h"
#include "math/scalar.h"
#include <stdio.h>
#include <string.h>

#define LOOK(kind, r, g, b, rough)                                                                                                                             \
    {                                                                                                                                                          \
        .surface = KIN_SURFACE_##kind, .color = {r, g, b}, .roughness = rough                                                                                  \
    }
#define PATTERNED(kind, r, g, b, rough, grain)                                                                                                                 \
    {                                                                                                                                                          \
        .surface = KIN_SURFACE_##kind, .color = {r, g, b}, .roughness = rough, .pattern = KIN_PATTERN_##grain                                                  \
    }
/* A clear body: its colour is what it takes from light on the way, 1/m. Pure water is about 0.3, 0.06, 0.02. */
#define CLEAR(index, r, g, b)                                                                                                                                  \
    {                                                                                                                                                          \
        .surface = KIN_SURFACE_GLASS, .color = {1, 1, 1}, .ior = index, .absorption = { r, g, b }                                                              \
    }
#define BEVEL 0.03 /* edges catch light, and bricks and planks show where one ends */
#define ROW(id, text, kg, e, s, d, ...)                                                                                                                        \
    {                                                                                                                                                          \
        .note = text, .def = {                                                                                                                                 \
            .name = id,                                                                                                                                        \
            .density = kg,                                                                                                                                     \
            .restitution = e,                                                                                                                                  \
            .static_friction = {s, s},                                                                                                                         \
            .dynamic_friction = {d, d},                                                                                                                        \
            .bevel = BEVEL,                                                                                                                                    \
            .look = __VA_ARGS__                                                                                                                                \
        }                                                                                                                                                      \
    }

const kin_material_preset_row kin_material_presets[] = {
    ROW("default", "neither this nor that", 1000, 0.5, 0.5, 0.4, LOOK(MATTE, 0.60f, 0.60f, 0.60f, 0.6f)),
    ROW("wood", "seasoned timber", 700, 0.5, 0.5, 0.3, PATTERNED(MATTE, 0.42f, 0.22f, 0.09f, 0.6f, WOOD)),
    ROW("oak", "hard timber", 750, 0.5, 0.5, 0.35, PATTERNED(MATTE, 0.46f, 0.25f, 0.10f, 0.6f, WOOD)),
    ROW("steel", "clean, dry", 7850, 0.6, 0.74, 0.57, LOOK(METAL, 0.56f, 0.57f, 0.58f, 0.25f)),
    ROW("silver", "clean", 10490, 0.5, 1.4, 1.1, LOOK(METAL, 0.93f, 0.91f, 0.85f, 0.12f)),
    ROW("gold", "soft", 19300, 0.3, 0.49, 0.4, LOOK(METAL, 0.98f, 0.67f, 0.25f, 0.18f)),
    ROW("copper", "bare", 8960, 0.4, 0.53, 0.36, LOOK(METAL, 0.93f, 0.45f, 0.29f, 0.2f)),
    ROW("teflon", "hardly any friction", 2200, 0.4, 0.04, 0.04, LOOK(GLOSSY, 0.85f, 0.85f, 0.82f, 0.3f)),
    ROW("rubber", "lively", 1100, 0.8, 1.0, 0.8, LOOK(MATTE, 0.05f, 0.05f, 0.05f, 0.8f)),
    ROW("tennis_ball", "on a hard court", 380, 0.745, 0.6, 0.5, LOOK(MATTE, 0.62f, 0.78f, 0.07f, 0.9f)),
    ROW("basketball", "well pumped", 85, 0.85, 0.8, 0.7, LOOK(MATTE, 0.70f, 0.24f, 0.05f, 0.7f)),
    ROW("baseball", "on wood", 700, 0.53, 0.4, 0.3, LOOK(MATTE, 0.82f, 0.80f, 0.74f, 0.7f)),
    ROW("glass", "window glass", 2500, 0.7, 0.9, 0.4, LOOK(GLASS, 0.95f, 0.98f, 0.97f, 0.0f)),
    ROW("ice", "wet", 917, 0.3, 0.1, 0.03, {.surface = KIN_SURFACE_GLASS, .color = {0.80f, 0.92f, 0.98f}, .roughness = 0.1f, .ior = 1.31f}),
    ROW("water", "clear, a little blue in depth", 1000, 0, 0, 0, CLEAR(1.333f, 0.45f, 0.09f, 0.035f)),
    ROW("honey", "amber", 1420, 0, 0, 0, CLEAR(1.49f, 3, 18, 90)),
    ROW("oil", "olive", 915, 0, 0, 0, CLEAR(1.47f, 4, 3, 25)),
    ROW("stone", "granite", 2700, 0.4, 0.7, 0.6, PATTERNED(MATTE, 0.35f, 0.34f, 0.33f, 0.8f, SPECKLE)),
    ROW("concrete", "rough", 2400, 0.3, 1.0, 0.8, PATTERNED(MATTE, 0.48f, 0.47f, 0.45f, 0.9f, SPECKLE)),
    ROW("leaf", "light and dead", 300, 0.1, 0.6, 0.5, LOOK(MATTE, 0.52f, 0.21f, 0.03f, 0.8f)),
    ROW("spark", "glowing", 3000, 0.4, 0.3, 0.2, {.surface = KIN_SURFACE_EMISSIVE, .color = {1.0f, 0.45f, 0.12f}, .roughness = 1, .glow = 12}),
    ROW("flubber", "gives back more than it gets", 900, 1.1, 0.5, 0.4, LOOK(GLOSSY, 0.10f, 0.70f, 0.15f, 0.2f)),
};
const int kin_material_preset_count = (int)(sizeof kin_material_presets / sizeof *kin_material_presets);

kin_material_def kin_material_def_default(void) { return kin_material_presets[0].def; }

const kin_material_def* kin_material_preset(const char* name)
{
    for (int i = 0; i < kin_material_preset_count; ++i) {
        if (strcmp(kin_material_presets[i].def.name, name) == 0) return &kin_material_presets[i].def;
    }
    return NULL;
}

kin_result kin_materials_init(kin_materials* materials, const kin_allocator* allocator, kin_pair_rule restitution, kin_pair_rule friction, kin_error* error)
{
    *materials = (kin_materials){.allocator = *allocator, .restitution_rule = restitution, .friction_rule = friction};
    return kin_materials_add(materials, &kin_material_presets[0].def, &(kin_material_id){0}, error);
}

void kin_materials_term(kin_materials* materials)
{
    kin_free(&materials->allocator, materials->items, materials->capacity * sizeof *materials->items);
    kin_free(&materials->allocator, materials->pairs, materials->pair_capacity * sizeof *materials->pairs);
    materials->items = NULL;
    materials->pairs = NULL;
}

kin_material_pair_def kin_material_pair_def_default(void)
{
    return (kin_material_pair_def){
        .restitution = -1, .static_friction = {-1, -1}, .dynamic_friction = {-1, -1}, .rolling_friction = -1, .spinning_friction = -1};
}

static bool named(const kin_materials* materials, const char* name, kin_material_id* out)
{
    for (size_t i = 0; i < materials->count; ++i) {
        if (strcmp(materials->items[i].name, name) == 0) {
            out->index1 = (uint32_t)i;
            return true;
        }
    }
    return false;
}

static kin_result check_coefficients(const kin_material_def* def, kin_error* error)
{
    if (!(def->density > 0) || !kin_finite(def->density)) return kin_fail(error, KIN_ERROR_ARGUMENT, "density", "%g must be > 0 (kg/m^3)", def->density);
    if (!(def->restitution >= 0) || !kin_finite(def->restitution))
        return kin_fail(error, KIN_ERROR_ARGUMENT, "restitution", "%g must be >= 0", def->restitution);
    for (int i = 0; i < 2; ++i) {
        double s = def->static_friction[i], d = def->dynamic_friction[i];
        if (!(s >= 0) || !kin_finite(s)) return kin_fail(error, KIN_ERROR_ARGUMENT, "static_friction", "%g must be >= 0", s);
        if (!(d >= 0) || !kin_finite(d)) return kin_fail(error, KIN_ERROR_ARGUMENT, "dynamic_friction", "%g must be >= 0", d);
        if (d > s) return kin_fail(error, KIN_ERROR_ARGUMENT, "dynamic_friction", "%g must not exceed static_friction, %g", d, s);
    }
    const double levers[2] = {def->rolling_friction, def->spinning_friction};
    for (int i = 0; i < 2; ++i) {
        if (!(levers[i] >= 0) || !kin_finite(levers[i]))
            return kin_fail(error, KIN_ERROR_ARGUMENT, i == 0 ? "rolling_friction" : "spinning_friction", "%g must be >= 0 (m)", levers[i]);
    }
    return KIN_OK;
}

kin_result kin_materials_add(kin_materials* materials, const kin_material_def* def, kin_material_id* out, kin_error* error)
{
    kin_material_id old;
    kin_result result = check_coefficients(def, error);
    if (result != KIN_OK) return result;
    if (!(def->bevel >= 0 && def->bevel <= 0.5)) return kin_fail(error, KIN_ERROR_ARGUMENT, "bevel", "%g must be 0 to 0.5", def->bevel);
    if (def->name == NULL || def->name[0] == 0) return kin_fail(error, KIN_ERROR_ARGUMENT, "name", "a material needs a name");
    if (strlen(def->name) >= sizeof materials->items->name) return kin_fail(error, KIN_ERROR_ARGUMENT, "name", "\"%.60s\" is too long", def->name);
    if (named(materials, def->name, &old)) return kin_fail(error, KIN_ERROR_ARGUMENT, "name", "material \"%s\" is there already", def->name);
    if (!kin_reserve(&materials->allocator, (void**)&materials->items, &materials->capacity, materials->count + 1, sizeof *materials->items)) {
        return kin_fail_memory(error, "a material", sizeof *materials->items);
    }
    kin_material* m = &materials->items[materials->count];
    *m = (kin_material){.density = def->density,
                        .restitution = def->restitution,
                        .rolling_friction = def->rolling_friction,
                        .spinning_friction = def->spinning_friction,
                        .look = def->look,
                        .bevel = def->bevel};
    memcpy(m->static_friction, def->static_friction, sizeof m->static_friction);
    memcpy(m->dynamic_friction, def->dynamic_friction, sizeof m->dynamic_friction);
    snprintf(m->name, sizeof m->name, "%s", def->name);
    out->index1 = (uint32_t)materials->count++;
    return KIN_OK;
}

bool kin_materials_find(kin_materials* materials, const char* name, kin_material_id* out)
{
    if (named(materials, name, out)) return true;
    const kin_material_def* preset = kin_material_preset(name);
    return preset != NULL && kin_materials_add(materials, preset, out, NULL) == KIN_OK;
}

const kin_material* kin_materials_at(const kin_materials* materials, kin_material_id id)
{
    KIN_ASSERT(id.index1 < materials->count);
    return &materials->items[id.index1];
}

static double combine(kin_pair_rule rule, double a, double b)
{
    switch (rule) {
    case KIN_PAIR_MIN: return kin_min(a, b);
    case KIN_PAIR_MAX: return kin_max(a, b);
    case KIN_PAIR_MULTIPLY: return a * b;
    case KIN_PAIR_GEOMETRIC: return kin_sqrt(a * b);
    case KIN_PAIR_AVERAGE: break;
    }
    return 0.5 * (a + b);
}

kin_result kin_materials_check_shape(const kin_materials* materials, kin_material_id own, const kin_shape* shape, kin_error* error)
{
    if (own.index1 >= materials->count) return kin_fail(error, KIN_ERROR_ARGUMENT, "material", "no such material");
    if (shape->material.index1 >= materials->count) return kin_fail(error, KIN_ERROR_ARGUMENT, "shape.material", "no such material");
    bool has_parts = shape->kind == KIN_SHAPE_COMPOUND && shape->parts != NULL;
    for (size_t i = 0; has_parts && i < shape->part_count; ++i) {
        char where[48];
        snprintf(where, sizeof where, "shape.parts[%zu].material", i);
        if (shape->parts[i].material.index1 >= materials->count) return kin_fail(error, KIN_ERROR_ARGUMENT, where, "no such material");
    }
    return KIN_OK;
}

static uint64_t pair_key(kin_material_id a, kin_material_id b)
{
    uint64_t low = a.index1 < b.index1 ? a.index1 : b.index1, high = a.index1 < b.index1 ? b.index1 : a.index1;
    return low << 32 | high;
}

static bool pair_before(const void* list, size_t place, const void* key)
{
    const kin_material_pair_def* pair = (const kin_material_pair_def*)list + place;
    return pair_key(pair->a, pair->b) < *(const uint64_t*)key;
}

/* Place of a pair, or where it would stand. */
static size_t place_of_pair(const kin_materials* materials, kin_material_id a, kin_material_id b, bool* found)
{
    uint64_t key = pair_key(a, b);
    size_t place = kin_search(materials->pairs, materials->pair_count, pair_before, &key);
    *found = place < materials->pair_count && pair_key(materials->pairs[place].a, materials->pairs[place].b) == key;
    return place;
}

static kin_result check_pair(const kin_materials* materials, const kin_material_pair_def* def, kin_error* error)
{
    if (def->a.index1 >= materials->count) return kin_fail(error, KIN_ERROR_ARGUMENT, "a", "no such material");
    if (def->b.index1 >= materials->count) return kin_fail(error, KIN_ERROR_ARGUMENT, "b", "no such material");
    const double numbers[] = {def->restitution,         def->static_friction[0], def->static_friction[1], def->dynamic_friction[0],
                              def->dynamic_friction[1], def->rolling_friction,   def->spinning_friction};
    static const char* const names[] = {"restitution",      "static_friction",  "static_friction",  "dynamic_friction",
                                        "dynamic_friction", "rolling_friction", "spinning_friction"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        if (!kin_finite(numbers[i])) return kin_fail(error, KIN_ERROR_ARGUMENT, names[i], "%g must be finite; below 0: by the rule of pairs", numbers[i]);
    }
    for (int i = 0; i < 2; ++i) {
        double s = def->static_friction[i], d = def->dynamic_friction[i];
        if (s >= 0 && d > s) return kin_fail(error, KIN_ERROR_ARGUMENT, "dynamic_friction", "%g must not exceed static_friction, %g", d, s);
    }
    return KIN_OK;
}

kin_result kin_materials_set_pair(kin_materials* materials, const kin_material_pair_def* def, kin_error* error)
{
    kin_result result = check_pair(materials, def, error);
    if (result != KIN_OK) return result;
    bool found;
    size_t place = place_of_pair(materials, def->a, def->b, &found);
    if (!found) {
        if (!kin_reserve(&materials->allocator, (void**)&materials->pairs, &materials->pair_capacity, materials->pair_count + 1, sizeof *materials->pairs))
            return kin_fail_memory(error, "a pair of materials", sizeof *materials->pairs);
        memmove(materials->pairs + place + 1, materials->pairs + place, (materials->pair_count - place) * sizeof *materials->pairs);
        materials->pair_count += 1;
    }
    materials->pairs[place] = *def;
    return KIN_OK;
}

/* Numbers of the pair's own. Where only one friction is given the other gives way: sliding never resists more than resting. */
static void apply_own(const kin_material_pair_def* own, kin_pair* pair)
{
    if (own->restitution >= 0) pair->restitution = own->restitution;
    for (int i = 0; i < 2; ++i) {
        double s = own->static_friction[i], d = own->dynamic_friction[i];
        if (s >= 0) pair->static_friction[i] = s;
        if (d >= 0) pair->dynamic_friction[i] = d;
        if (s >= 0) pair->dynamic_friction[i] = kin_min(pair->dynamic_friction[i], s);
        if (d >= 0) pair->static_friction[i] = kin_max(pair->static_friction[i], d);
    }
    if (own->rolling_friction >= 0) pair->rolling_friction = own->rolling_friction;
    if (own->spinning_friction >= 0) pair->spinning_friction = own->spinning_friction;
}

double kin_materials_grain(const kin_materials* materials, kin_material_id id)
{
    if (id.index1 == 0) return 0;
    const kin_material* m = kin_materials_at(materials, id);
    return kin_abs(m->static_friction[0] - m->static_friction[1]) + kin_abs(m->dynamic_friction[0] - m->dynamic_friction[1]);
}

kin_pair kin_pair_deviated(kin_pair pair, kin_surface_deviation a, kin_surface_deviation b)
{
    kin_surface_deviation sum = {a.restitution + b.restitution, a.static_friction + b.static_friction, a.dynamic_friction + b.dynamic_friction};
    if (sum.restitution == 0 && sum.static_friction == 0 && sum.dynamic_friction == 0)
        return pair; /* a law of its own may have more dynamic than static friction */
    pair.restitution = kin_max(pair.restitution + 0.5 * sum.restitution, 0);
    for (int i = 0; i < 2; ++i) {
        pair.static_friction[i] = kin_max(pair.static_friction[i] + 0.5 * sum.static_friction, 0);
        pair.dynamic_friction[i] = kin_clamp(pair.dynamic_friction[i] + 0.5 * sum.dynamic_friction, 0, pair.static_friction[i]);
    }
    return pair;
}

kin_pair kin_materials_pair(const kin_materials* materials, kin_material_id id_a, kin_material_id id_b)
{
    const kin_material *a = kin_materials_at(materials, id_a.index1 != 0 ? id_a : id_b), *b = kin_materials_at(materials, id_b.index1 != 0 ? id_b : id_a);
    kin_pair pair = {.restitution = combine(materials->restitution_rule, a->restitution, b->restitution)};
    for (int i = 0; i < 2; ++i) {
        pair.static_friction[i] = combine(materials->friction_rule, a->static_friction[i], b->static_friction[i]);
        pair.dynamic_friction[i] = combine(materials->friction_rule, a->dynamic_friction[i], b->dynamic_friction[i]);
    }
    pair.rolling_friction = combine(materials->friction_rule, a->rolling_friction, b->rolling_friction);
    pair.spinning_friction = combine(materials->friction_rule, a->spinning_friction, b->spinning_friction);
    if (materials->pair_count == 0) return pair;
    bool found;
    size_t place = place_of_pair(materials, (kin_material_id){(uint32_t)(a - materials->items)}, (kin_material_id){(uint32_t)(b - materials->items)}, &found);
    if (found) apply_own(&materials->pairs[place], &pair);
    return pair;
}
