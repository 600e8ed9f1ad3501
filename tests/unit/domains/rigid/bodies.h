/* bodies.h - short ways to a world with rigid bodies. */
#pragma once
#include "kinema/kinema.h"
#include "kinema/rigid.h"
#include "math/mat3.h"
#include "math/quat.h"
#include "support/test.h"
#include "support/world.h"
#include <stdio.h>
#include <string.h>

static inline kin_shape box_of(double x, double y, double z) { return (kin_shape){.kind = KIN_SHAPE_BOX, .size = {x, y, z}}; }
static inline kin_shape ball_of(double radius) { return (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = radius}; }

/* Real time, awake: sleeping is the solver's matter. */
static inline kin_system_id add_rigid(test* t, kin_world* world)
{
    kin_rigid_def def = kin_rigid_def_default();
    kin_system_id id = {0};
    kin_error error = {0};
    def.sleep = false;
    kin_result result = kin_rigid_create(world, &def, &id, &error);
    test_check(t, result == KIN_OK, __FILE__, __LINE__, "no system: %s: %s", error.where, error.message);
    return id;
}

static inline uint32_t add_body(test* t, kin_world* world, kin_system_id id, const kin_body_def* def)
{
    uint32_t body = UINT32_MAX;
    kin_error error = {0};
    kin_result result = kin_rigid_add_body(world, id, def, &body, &error);
    test_check(t, result == KIN_OK, __FILE__, __LINE__, "no body: %s: %s", error.where, error.message);
    return body;
}

static inline double measure_of(const kin_world* world, kin_system_id id, const char* name)
{
    kin_measure all[64];
    size_t count = kin_world_measure(world, id.index1, all, 64);
    for (size_t i = 0; i < count && i < 64; ++i) {
        if (strcmp(all[i].name, name) == 0) return all[i].value;
    }
    return -12345;
}

static inline kin_vec3 measure3(const kin_world* world, kin_system_id id, const char* name)
{
    char text[3][64];
    for (int i = 0; i < 3; ++i) snprintf(text[i], sizeof text[i], "%s_%c", name, 'x' + i);
    return (kin_vec3){measure_of(world, id, text[0]), measure_of(world, id, text[1]), measure_of(world, id, text[2])};
}

/* A hammer of two boxes: a handle of 10 kg about the origin, and a head of steel of 8 kg, 0.6 m along x; the default material has 1000 kg/m^3. */
static inline kin_shape hammer_of(test* t, kin_world* world, kin_shape parts[2])
{
    kin_material_def heavy = kin_material_def_default();
    heavy.name = "heavy";
    heavy.density = 8000;
    parts[0] = box_of(1, 0.1, 0.1), parts[1] = box_of(0.1, 0.1, 0.1);
    parts[1].offset = (kin_vec3){0.6, 0, 0};
    CHECK(t, kin_world_add_material(world, &heavy, &parts[1].material, NULL) == KIN_OK);
    return (kin_shape){.kind = KIN_SHAPE_COMPOUND, .parts = parts, .part_count = 2};
}
