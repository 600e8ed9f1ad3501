/* world.c - short ways to a world. */
#include "support/world.h"
#include <string.h>

kin_world* test_world(test* t, double time_step, kin_vec3 gravity)
{
    kin_world_def def = kin_world_def_default();
    kin_error error = {0};
    kin_world* world;
    def.allocator = t->allocator;
    def.threads = 1;
    def.time_step = time_step;
    def.gravity = gravity;
    kin_result result = kin_world_create(&def, &world, &error);
    test_check(t, result == KIN_OK, __FILE__, __LINE__, "no world: %s", error.message);
    return world;
}

kin_material_id test_material(test* t, kin_world* world, const char* name, double restitution, double friction)
{
    kin_material_def def = kin_material_def_default();
    kin_material_id id = {0};
    def.name = name;
    def.restitution = restitution;
    for (int i = 0; i < 2; ++i) def.static_friction[i] = def.dynamic_friction[i] = friction;
    CHECK(t, kin_world_add_material(world, &def, &id, NULL) == KIN_OK);
    return id;
}

static int integrator_named(const char* name)
{
    const char* const* names = kin_particles_integrators();
    for (int i = 0; names[i] != NULL; ++i) {
        if (strcmp(names[i], name) == 0) return i;
    }
    return -1;
}

kin_system_id test_ball(test* t, kin_world* world, const test_ball_setup* setup)
{
    kin_particles_def def = kin_particles_def_default();
    kin_particle_group group = kin_particle_group_default();
    kin_system_id id = {0};
    kin_error error = {0};
    group.position = setup->position;
    group.velocity = setup->velocity;
    group.radius = setup->radius;
    group.mass = setup->mass > 0 ? setup->mass : 1;
    group.material = test_material(t, world, "ball", setup->restitution, setup->friction);
    if (setup->integrator != NULL) def.integrator = integrator_named(setup->integrator);
    def.hits = setup->hits;
    def.hit_path = setup->path;
    def.groups = &group;
    def.group_count = 1;
    kin_result result = kin_particles_create(world, &def, &id, &error);
    test_check(t, result == KIN_OK, __FILE__, __LINE__, "no ball: %s: %s", error.where, error.message);
    return id;
}

static kin_collider_id add(test* t, kin_world* world, const kin_collider_def* def)
{
    kin_collider_id id = {0};
    kin_error error = {0};
    kin_result result = kin_world_add_collider(world, def, &id, &error);
    test_check(t, result == KIN_OK, __FILE__, __LINE__, "no collider: %s: %s", error.where, error.message);
    return id;
}

kin_collider_id test_plane(test* t, kin_world* world, kin_vec3 point, kin_vec3 normal, kin_material_id material)
{
    kin_collider_def def = kin_collider_def_default();
    def.shape.kind = KIN_SHAPE_PLANE;
    def.shape.normal = normal;
    def.position = point;
    def.material = material;
    return add(t, world, &def);
}

kin_collider_id test_box(test* t, kin_world* world, kin_vec3 center, kin_vec3 size, kin_material_id material)
{
    kin_collider_def def = kin_collider_def_default();
    def.shape.kind = KIN_SHAPE_BOX;
    def.shape.size = size;
    def.position = center;
    def.material = material;
    return add(t, world, &def);
}

uint32_t test_body(test* t, kin_world* world, kin_system_id system, const kin_body_def* def)
{
    kin_error error = {0};
    uint32_t index = 0;
    test_check(t, kin_rigid_add_body(world, system, def, &index, &error) == KIN_OK, __FILE__, __LINE__, "%s", error.message);
    return index;
}

uint32_t test_plain_body(test* t, kin_world* world, kin_system_id system, kin_material_id material, kin_shape shape, double mass, kin_vec3 position,
                         kin_vec3 velocity)
{
    kin_body_def def = kin_body_def_default();
    def.shape = shape;
    def.mass = mass;
    def.position = position;
    def.velocity = velocity;
    def.material = material;
    return test_body(t, world, system, &def);
}

void test_steps(test* t, kin_world* world, int count)
{
    kin_error error = {0};
    for (int i = 0; i < count; ++i) {
        kin_result result = kin_world_step(world, NULL, &error);
        if (!test_check(t, result == KIN_OK, __FILE__, __LINE__, "step %d: %s", i, error.message)) return;
    }
}
