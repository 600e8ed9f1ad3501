/* runaway_test.c - springs far too stiff for the step throw light particles at a floor: every step ends, in a good state or in a refusal that names particle, speed
 * and remedy. */
#include "base/rng.h"
#include "kinema/kinema.h"
#include "support/world.h"
#include <stdio.h>
#include <string.h>

static bool run(test* t, const char* integrator, kin_contacts contacts, uint32_t serial, int* refused)
{
    const kin_rng_key key = {.seed = 8, .serial = serial};
    const double mass = 1e-3 * kin_rng_uniform(&key, 0, 0.5, 2), stiffness = 1e3 * (double)(1u << (serial * 2 % 24));
    kin_particle_group points[2] = {kin_particle_group_default(), kin_particle_group_default()};
    for (int i = 0; i < 2; ++i) {
        points[i].position = (kin_vec3){kin_rng_uniform(&key, 2 * (uint32_t)i + 1, -0.3, 0.3), 0.3 + kin_rng_uniform(&key, 2 * (uint32_t)i + 2, 0, 0.5), 0};
        points[i].mass = mass;
        points[i].radius = 0.05;
    }
    kin_particle_spring spring = {.a = 0, .b = 1, .stiffness = stiffness, .rest = 0.2};
    kin_world* world = test_world(t, 1.0 / 60, (kin_vec3){0, -9.81, 0});
    kin_particles_def def = kin_particles_def_default();
    kin_error error = {0};
    def.name = "p";
    const char* const* names = kin_particles_integrators();
    for (int i = 0; names[i] != NULL; ++i) def.integrator = strcmp(names[i], integrator) == 0 ? i : def.integrator;
    def.contacts = contacts;
    def.groups = points;
    def.group_count = 2;
    def.springs.data = &spring;
    def.springs.count = 1;
    test_plane(t, world, (kin_vec3){0, 0, 0}, (kin_vec3){0, 1, 0}, test_material(t, world, "m", 0.5, 0.3));
    kin_result result = kin_particles_create(world, &def, NULL, &error);
    for (int i = 0; i < 12 && result == KIN_OK; ++i) result = kin_world_step(world, NULL, &error);
    bool ok = result == KIN_OK || (result == KIN_ERROR_NUMERICS && strstr(error.message, "p[") != NULL);
    *refused += strstr(error.message, "no end of hits") != NULL && strstr(error.message, "m/s") != NULL && strstr(error.message, "shorter steps") != NULL;
    kin_world_destroy(world);
    return test_check(t, ok, __FILE__, __LINE__, "%s, stiffness %g: %s: %s", integrator, stiffness, error.where, error.message);
}

static void every_step_ends(test* t)
{
    static const char* const integrators[] = {"semi_implicit", "rk4", "velocity_verlet"};
    int refused = 0;
    for (uint32_t i = 0; i < 36; ++i) {
        if (!run(t, integrators[i % 3], (kin_contacts)(i / 3 % 3), i, &refused)) return;
    }
    CHECK(t, refused > 0);
}

TEST_MAIN("laws/runaway", TEST(every_step_ends))
