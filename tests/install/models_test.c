/* models_test.c - the models of docs/add-a-room.md do what the page says. */
#include "buoys.h"
#include "damper.h"
#include "export_xyz.h"
#include "io/cache.h"
#include "math/vec3.h"
#include "support/test.h"
#include "support/world.h"
#include "validation/validation.h"
#include "world/world.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void kin_case_throw(kin_case_run* run);

static kin_system_id add_buoys(test* t, kin_world* w, const char* name, double lift)
{
    kin_buoy buoy = {{0, 1, 0}, lift};
    kin_buoys_def def = {.stiffness = 4, .mass = 1, .buoys = &buoy, .count = 1};
    kin_system_id id;
    CHECK(t, kin_world_add_system(w, &kin_buoys_ops, name, &def, &id, NULL) == KIN_OK);
    return id;
}

static kin_motion motion_of(const kin_world* w, kin_system_id id)
{
    kin_motion m;
    kin_world_motion(w, &(kin_anchor){id.index1, 0, {0, 0, 0}}, 1, &m, NULL);
    return m;
}

static void a_buoy_has_its_period(test* t) /* 2 pi sqrt(m/k) = pi; semi-implicit Euler errs by order h^2 there */
{
    kin_world* w = test_world(t, 3.14159265358979323846 / 1000, kin_v(0, 0, 0));
    kin_system_id id = add_buoys(t, w, NULL, 0.5);
    test_steps(t, w, 1000);
    NEAR(t, motion_of(w, id).pose.position.y, 1.5, 0.5 * 4e-5);
    kin_world_destroy(w);
}

static void a_restored_buoy_goes_on_alike(test* t)
{
    kin_world *w = test_world(t, 0.01, kin_v(0, 0, 0)), *clone;
    add_buoys(t, w, NULL, 0.5);
    test_steps(t, w, 10);
    CHECK(t, kin_world_clone(w, &clone, NULL) == KIN_OK);
    test_steps(t, w, 10);
    test_steps(t, clone, 10);
    EQUAL(t, kin_world_state_hash(w), kin_world_state_hash(clone));
    kin_world_destroy(clone);
    kin_world_destroy(w);
}

static void wrong_buoys_are_refused(test* t)
{
    kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
    kin_buoys_def def = {.stiffness = 4, .mass = -1};
    kin_error error = {0};
    EQUAL(t, kin_world_add_system(w, &kin_buoys_ops, NULL, &def, NULL, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "mass");
    kin_world_destroy(w);
}

static kin_system_id thrown(test* t, kin_world* w, const char* name, double mass, kin_vec3 velocity)
{
    kin_particle_group group = kin_particle_group_default();
    kin_particles_def def = kin_particles_def_default();
    kin_system_id id;
    group.mass = mass;
    group.velocity = velocity;
    def.name = name;
    def.groups = &group;
    def.group_count = 1;
    CHECK(t, kin_particles_create(w, &def, &id, NULL) == KIN_OK);
    return id;
}

static void a_damper_takes_speed_and_keeps_momentum(test* t) /* each step divides the speed between them by 1 + c h (1/m + 1/M) */
{
    kin_world* w = test_world(t, 0.1, kin_v(0, 0, 0));
    kin_system_id a = thrown(t, w, "a", 1, kin_v(4, 0, -1)), b = thrown(t, w, "b", 3, kin_v(0, 2, 1));
    kin_damper damper = {{a.index1, 0, {0, 0, 0}}, {b.index1, 0, {0, 0, 0}}, 6, 7};
    CHECK(t, kin_world_add_coupler(w, &kin_damper_ops, &damper, NULL) == KIN_OK);
    test_steps(t, w, 5);
    kin_vec3 va = motion_of(w, a).velocity, vb = motion_of(w, b).velocity;
    double left = pow(1 + 6 * 0.1 * (1 + 1.0 / 3), -5);
    NEAR3(t, kin_sub(va, vb), kin_scale(kin_v(4, -2, -2), left), 1e-14);
    NEAR3(t, kin_add_scaled(va, 3, vb), kin_v(4, 6, 2), 1e-13);
    kin_world_destroy(w);
}

static void an_exporter_writes_every_frame(test* t)
{
    char folder[] = "/tmp/kinema-models-XXXXXX", path[64], text[256] = "";
    kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
    kin_cache* cache;
    const kin_frame* frame;
    CHECK(t, mkdtemp(folder) != NULL);
    add_buoys(t, w, NULL, 0.5);
    CHECK(t, kin_cache_create(&t->allocator, folder, 0, &cache, NULL) == KIN_OK);
    for (uint64_t i = 0; i < 2; ++i) {
        CHECK(t, kin_world_capture(w, i, 0.01, &frame, NULL) == KIN_OK && kin_cache_write(cache, frame, NULL) == KIN_OK);
    }
    snprintf(path, sizeof path, "%s/a.xyz", folder);
    CHECK(t, kin_export_xyz(cache, path, NULL) == KIN_OK);
    kin_cache_close(cache);
    FILE* file = fopen(path, "r");
    if (CHECK(t, file != NULL)) {
        text[fread(text, 1, sizeof text - 1, file)] = 0;
        fclose(file);
    }
    TEXT(t, text, "frame 0\n0 1.5 0\nframe 1\n0 1.5 0\n");
    kin_world_destroy(w);
    snprintf(text, sizeof text, "rm -rf '%s'", folder);
    EQUAL(t, system(text), 0);
}

static void a_case_passes(test* t)
{
    kin_case_run run = {.name = "particles/throw", .threads = 1};
    kin_case_throw(&run);
    EQUAL(t, run.count, 6);
    for (size_t i = 0; i < run.count; ++i) CHECK(t, run.rows[i].pass);
    kin_case_free(&run);
}

TEST_MAIN("models", TEST(a_buoy_has_its_period), TEST(a_restored_buoy_goes_on_alike), TEST(wrong_buoys_are_refused),
          TEST(a_damper_takes_speed_and_keeps_momentum), TEST(an_exporter_writes_every_frame), TEST(a_case_passes))
