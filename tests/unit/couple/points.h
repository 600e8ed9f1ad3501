/* points.h - a few particles in a world, held. */
#pragma once
#include "math/vec3.h"
#include "support/test.h"
#include "support/world.h"
#include "world/world.h"
#include <string.h>

typedef struct point {
    kin_vec3 position, velocity;
    double mass;
} point;

static inline kin_system_id add_points(test* t, kin_world* world, const char* name, const char* integrator, const point* points, size_t count)
{
    kin_particle_group groups[64];
    kin_particles_def def = kin_particles_def_default();
    kin_system_id id = {0};
    for (size_t i = 0; i < count; ++i) {
        groups[i] = kin_particle_group_default();
        groups[i].position = points[i].position;
        groups[i].velocity = points[i].velocity;
        groups[i].mass = points[i].mass;
        groups[i].radius = 0;
    }
    for (int i = 0; kin_particles_integrators()[i] != NULL; ++i) {
        if (strcmp(kin_particles_integrators()[i], integrator) == 0) def.integrator = i;
    }
    def.name = name;
    def.groups = groups;
    def.group_count = count;
    CHECK(t, kin_particles_create(world, &def, &id, NULL) == KIN_OK);
    return id;
}

/* A spring of this stiffness between two elements of system 1. */
static inline kin_attachment_def between(uint32_t a, uint32_t b, double stiffness)
{
    kin_attachment_def def = kin_attachment_def_default();
    def.a = (kin_anchor){1, a, {0, 0, 0}};
    def.b = (kin_anchor){1, b, {0, 0, 0}};
    def.to_point = false;
    def.stiffness = stiffness;
    return def;
}

static inline kin_attachment_def to_point(uint32_t a, kin_vec3 target, double stiffness)
{
    kin_attachment_def def = between(a, 0, stiffness);
    def.to_point = true;
    def.point = target;
    return def;
}

static inline kin_attachment_id hold(test* t, kin_world* world, kin_attachment_def def)
{
    kin_attachment_id id;
    kin_error error = {0};
    kin_result result = kin_world_add_attachment(world, &def, &id, &error);
    test_check(t, result == KIN_OK && id.serial > 0, __FILE__, __LINE__, "not attached: %s: %s", error.where, error.message);
    return id;
}
