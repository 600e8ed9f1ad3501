/* world.h - short ways to a world with a few things in it. Worlds use the test's allocator. */
#pragma once
#include "kinema/kinema.h"
#include "support/test.h"

typedef struct test_ball_setup {
    const char* integrator; /* NULL: semi_implicit */
    kin_vec3 position, velocity;
    double radius, mass; /* mass 0: 1 kg */
    double restitution, friction;
    kin_hit_policy hits;
    kin_hit_path path;
} test_ball_setup;

kin_world* test_world(test* t, double time_step, kin_vec3 gravity);
kin_system_id test_ball(test* t, kin_world* world, const test_ball_setup* setup);
kin_material_id test_material(test* t, kin_world* world, const char* name, double restitution, double friction);
kin_collider_id test_plane(test* t, kin_world* world, kin_vec3 point, kin_vec3 normal, kin_material_id material);
kin_collider_id test_box(test* t, kin_world* world, kin_vec3 center, kin_vec3 size, kin_material_id material);
/* Of that system; what the def leaves out is as in kin_body_def_default. */
uint32_t test_body(test* t, kin_world* world, kin_system_id system, const kin_body_def* def);
/* The same with what most bodies have. */
uint32_t test_plain_body(test* t, kin_world* world, kin_system_id system, kin_material_id material, kin_shape shape, double mass, kin_vec3 position,
                         kin_vec3 velocity);
void test_steps(test* t, kin_world* world, int count);
