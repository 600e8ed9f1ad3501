/* spheres.h - short ways to a system of spheres that meet each other. */
#pragma once
#include "kinema/kinema.h"
#include "math/vec3.h"
#include "support/test.h"
#include "support/world.h"
#include <string.h>

typedef struct sphere {
    kin_vec3 x, v;
    double mass, radius;   /* 0: 1 kg, 0.5 m */
    kin_mobility mobility; /* 0: dynamic */
} sphere;

typedef struct spheres_setup {
    const char* integrator; /* NULL: rk4 */
    kin_contacts contacts;
    kin_material_id material;
    int max_events;    /* 0: as by default */
    double rest_speed; /* < 0: 0; 0: as by default */
    const kin_particle_spring* springs;
    size_t spring_count;
} spheres_setup;

static inline kin_system_id add_spheres(test* t, kin_world* w, const spheres_setup* setup, const sphere* list, int count)
{
    kin_particle_group groups[128];
    kin_particles_def def = kin_particles_def_default();
    kin_system_id id = {0};
    kin_error error = {0};
    for (int i = 0; i < count; ++i) {
        groups[i] = kin_particle_group_default();
        groups[i].position = list[i].x;
        groups[i].velocity = list[i].v;
        groups[i].mass = list[i].mass > 0 ? list[i].mass : 1;
        groups[i].radius = list[i].radius > 0 ? list[i].radius : 0.5;
        groups[i].material = setup->material;
        if (list[i].mobility != 0) groups[i].mobility = list[i].mobility;
    }
    const char* integrator = setup->integrator != NULL ? setup->integrator : "rk4";
    for (int i = 0; kin_particles_integrators()[i] != NULL; ++i) {
        if (strcmp(kin_particles_integrators()[i], integrator) == 0) def.integrator = i;
    }
    def.contacts = setup->contacts;
    if (setup->max_events > 0) def.max_events = setup->max_events;
    if (setup->rest_speed != 0) def.rest_speed = kin_max(setup->rest_speed, 0);
    def.springs.data = setup->springs;
    def.springs.count = setup->spring_count;
    def.groups = groups;
    def.group_count = (size_t)count;
    kin_result result = kin_particles_create(w, &def, &id, &error);
    test_check(t, result == KIN_OK, __FILE__, __LINE__, "no spheres: %s: %s", error.where, error.message);
    return id;
}

typedef struct sphere_sums {
    double energy; /* J, kinetic */
    kin_vec3 momentum;
} sphere_sums;

static inline sphere_sums sums_of(const kin_world* w, kin_system_id id)
{
    sphere_sums sum = {0};
    kin_particles_view view = kin_particles_state(w, id);
    for (size_t i = 0; i < view.count; ++i) {
        kin_vec3 v = {view.vx[i], view.vy[i], view.vz[i]};
        sum.energy += 0.5 * view.mass[i] * kin_length2(v);
        sum.momentum = kin_add_scaled(sum.momentum, view.mass[i], v);
    }
    return sum;
}

/* The deepest overlap of any two, over the smaller radius. */
static inline double worst_overlap(const kin_world* w, kin_system_id id)
{
    double worst = 0;
    kin_particles_view s = kin_particles_state(w, id);
    for (size_t i = 0; i < s.count; ++i) {
        for (size_t j = i + 1; j < s.count; ++j) {
            double d = kin_distance(kin_v(s.x[i], s.y[i], s.z[i]), kin_v(s.x[j], s.y[j], s.z[j]));
            worst = kin_max(worst, (s.radius[i] + s.radius[j] - d) / kin_min(s.radius[i], s.radius[j]));
        }
    }
    return worst;
}

static inline kin_vec3 speed_of(const kin_world* w, kin_system_id id, size_t i) { return kin_particle_velocity(w, id, i); }
static inline kin_vec3 place_of(const kin_world* w, kin_system_id id, size_t i) { return kin_particle_position(w, id, i); }

static inline double measured(const kin_world* w, const char* name)
{
    kin_measure all[32];
    size_t count = kin_world_measure(w, 1, all, 32);
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(all[i].name, name) == 0) return all[i].value;
    }
    return -1;
}
