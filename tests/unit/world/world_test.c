/* world_test.c - making worlds, what enters them, and what is refused. */
#include "math/vec3.h"
#include "support/test.h"
#include "support/world.h"
#include "world/world.h"

static void bad_defs_are_refused(test* t)
{
    kin_world_def def = kin_world_def_default();
    kin_world* w;
    kin_error error = {0};
    def.allocator = t->allocator;
    def.time_step = 0;
    EQUAL(t, kin_world_create(&def, &w, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "time_step");
    CHECK(t, w == NULL);
    def.time_step = 0.01;
    def.simd = "mmx";
    EQUAL(t, kin_world_create(&def, &w, &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "mmx");
    def.simd = NULL;
    def.bounds = KIN_BOUNDS_BOUNCE;
    def.bounds_high = def.bounds_low;
    EQUAL(t, kin_world_create(&def, &w, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "bounds");
}

static void time_is_a_product(test* t)
{
    kin_world* w = test_world(t, 0.1, kin_v(0, 0, 0));
    test_steps(t, w, 1000);
    NEAR(t, kin_world_time(w), 1000 * 0.1, 0);
    EQUAL(t, kin_world_step_count(w), 1000);
    kin_world_destroy(w);
}

static void names_are_unique(test* t)
{
    kin_world* w = test_world(t, 0.1, kin_v(0, 0, 0));
    kin_particles_def def = kin_particles_def_default();
    kin_system_id a, b;
    kin_error error = {0};
    EQUAL(t, kin_particles_create(w, &def, &a, &error), KIN_OK);
    TEXT(t, kin_world_system_name(w, a.index1), "particles");
    EQUAL(t, kin_particles_create(w, &def, &b, &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "already");
    def.name = "dust";
    EQUAL(t, kin_particles_create(w, &def, &b, &error), KIN_OK);
    EQUAL(t, kin_world_system(w, "dust").index1, b.index1);
    EQUAL(t, kin_world_system(w, "rust").index1, 0);
    kin_world_destroy(w);
}

static bool build_and_step(test* t, void* context)
{
    (void)context;
    kin_world_def def = kin_world_def_default();
    kin_world* w;
    kin_collider_id id;
    kin_collider_def box = kin_collider_def_default();
    kin_key keys[2] = {{0, {0, 0, 0}, {0, 0, 0, 1}}, {1, {0, 1, 0}, {0, 0, 0, 1}}};
    kin_particle_group group = kin_particle_group_default();
    kin_particles_def particles = kin_particles_def_default();
    kin_snapshot snapshot = {0};
    kin_world* clone = NULL;
    const kin_frame* frame;
    def.allocator = t->allocator;
    def.threads = 2;
    def.bounds = KIN_BOUNDS_BOUNCE;
    box.shape.kind = KIN_SHAPE_BOX;
    box.shape.size = kin_v(1, 1, 1);
    box.keys = keys;
    box.key_count = 2;
    group.count = 300;
    group.box = kin_v(3, 3, 3);
    particles.groups = &group;
    particles.group_count = 1;
    if (kin_world_create(&def, &w, NULL) != KIN_OK) return false;
    bool ok = kin_world_add_collider(w, &box, &id, NULL) == KIN_OK && kin_particles_create(w, &particles, NULL, NULL) == KIN_OK
              && kin_world_step(w, NULL, NULL) == KIN_OK && kin_world_capture(w, 0, 0.1, &frame, NULL) == KIN_OK
              && kin_world_snapshot(w, &snapshot, NULL) == KIN_OK && kin_world_clone(w, &clone, NULL) == KIN_OK
              && kin_world_push(w, (kin_anchor){1, 3, {0}}, kin_v(1, 0, 0), NULL) == KIN_OK;
    kin_snapshot_free(&snapshot);
    kin_world_destroy(clone);
    kin_world_destroy(w);
    return ok;
}

static void every_allocation_may_fail(test* t) { test_fail_each_allocation(t, build_and_step, NULL); }

TEST_MAIN("world", TEST(bad_defs_are_refused), TEST(time_is_a_product), TEST(names_are_unique), TEST(every_allocation_may_fail))
