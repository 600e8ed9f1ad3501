/* material.h - what surfaces are made of, and how two of them meet (H3.2, section P of Coutinho). */
#pragma once
#include "kinema/base.h"
#include "kinema/collider.h"

typedef struct kin_material {
    char name[48];
    double density, restitution;
    double static_friction[2], dynamic_friction[2];
    double rolling_friction, spinning_friction; /* m */
    kin_look look;
    double bevel; /* of shapes in pictures, part of their least side */
} kin_material;

typedef struct kin_materials {
    kin_allocator allocator;
    kin_material* items; /* 0 is the default material */
    size_t count, capacity;
    kin_pair_rule restitution_rule, friction_rule;
    kin_material_pair_def* pairs; /* a <= b, rising by (a, b): pairs that have numbers of their own */
    size_t pair_count, pair_capacity;
} kin_materials;

/* What counts when two materials touch. */
typedef struct kin_pair {
    double restitution;
    double static_friction[2], dynamic_friction[2];
    double rolling_friction, spinning_friction; /* m */
} kin_pair;

/* How much a thing's coefficients differ from its material's. */
typedef struct kin_surface_deviation {
    double restitution, static_friction, dynamic_friction;
} kin_surface_deviation;

/* A pair off by the mean of both deviations, so that a rule of averages averages the things' own coefficients (Coutinho 3.7.2); none below 0, dynamic friction at most static. */
kin_pair kin_pair_deviated(kin_pair pair, kin_surface_deviation a, kin_surface_deviation b);
kin_result kin_materials_init(kin_materials* materials, const kin_allocator* allocator, kin_pair_rule restitution, kin_pair_rule friction, kin_error* error);
void kin_materials_term(kin_materials* materials);
/* Errors name the field. A name used before is an error. */
kin_result kin_materials_add(kin_materials* materials, const kin_material_def* def, kin_material_id* out, kin_error* error);
/* Replaces a pair that was set before. Errors name the field. */
kin_result kin_materials_set_pair(kin_materials* materials, const kin_material_pair_def* def, kin_error* error);
/* By name among those added, else a preset of that name is added; false: neither (or no memory). */
bool kin_materials_find(kin_materials* materials, const char* name, kin_material_id* out);
const kin_material* kin_materials_at(const kin_materials* materials, kin_material_id id);
/* Of a thing and its shape, parts too; the error names what has no such material. */
kin_result kin_materials_check_shape(const kin_materials* materials, kin_material_id own, const kin_shape* shape, kin_error* error);
/* Difference of its coefficients of friction along its two tangents; of none 0. */
double kin_materials_grain(const kin_materials* materials, kin_material_id id);
/* A thing without a material takes the other's. */
kin_pair kin_materials_pair(const kin_materials* materials, kin_material_id a, kin_material_id b);

typedef struct kin_material_preset_row {
    const char* note;
    kin_material_def def;
} kin_material_preset_row;
extern const kin_material_preset_row kin_material_presets[];
extern const int kin_material_preset_count;
