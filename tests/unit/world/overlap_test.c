/* overlap_test.c - what starts inside what it meets: found, with the depth that geometry says; what only touches, is joined, filtered or a sensor is not. */
#include "world/overlap.h"
#include "base/rng.h"
#include "math/vec3.h"
#include "support/world.h"

enum { MOST = 16 };

typedef struct yard {
    kin_world* world;
    kin_system_id bodies;
    kin_material_id material;
    kin_overlap found[MOST];
    size_t count;
} yard;

static yard yard_begin(test* t, kin_rigid_mode mode)
{
    yard y = {.world = test_world(t, 1.0 / 60, kin_v(0, -9.81, 0))};
    kin_rigid_def def = kin_rigid_def_default();
    def.mode = mode;
    y.material = test_material(t, y.world, "m", 0, 0.5);
    CHECK(t, kin_rigid_create(y.world, &def, &y.bodies, NULL) == KIN_OK);
    return y;
}

static uint32_t ball(test* t, yard* y, double radius, kin_vec3 at)
{
    return test_plain_body(t, y->world, y->bodies, y->material, (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = radius}, 1, at, kin_v(0, 0, 0));
}

static void look(test* t, yard* y) { CHECK(t, kin_world_find_overlaps(y->world, y->found, MOST, &y->count, NULL) == KIN_OK); }

/* Two balls and a floor at random: depths are r + r - d and r - height. */
static void depths_are_those_of_geometry(test* t)
{
    for (uint32_t i = 0; i < 60; ++i) {
        const kin_rng_key key = {.seed = 3, .serial = i};
        yard y = yard_begin(t, i % 2 == 0 ? KIN_RIGID_REALTIME : KIN_RIGID_EXACT);
        test_plane(t, y.world, kin_v(0, 0, 0), kin_v(0, 1, 0), y.material);
        const double r = kin_rng_uniform(&key, 0, 0.2, 0.5), s = kin_rng_uniform(&key, 1, 0.2, 0.5);
        const kin_vec3 a = {0, kin_rng_uniform(&key, 2, 0.05, 1), 0}, b = {kin_rng_uniform(&key, 3, 0.1, 1), kin_rng_uniform(&key, 4, 0.05, 1), 0.1};
        const double expected[3] = {r - a.y, s - b.y, r + s - kin_distance(a, b)};
        const double least[3] = {0.01 * r, 0.01 * s, 0.01 * s};
        ball(t, &y, r, a);
        ball(t, &y, s, b);
        look(t, &y);
        size_t wanted = 0;
        for (int k = 0; k < 3; ++k) {
            bool met = false;
            wanted += expected[k] > least[k];
            for (size_t n = 0; n < y.count; ++n) met = met || kin_abs(y.found[n].depth - expected[k]) < 1e-9;
            if (kin_abs(expected[k] - least[k]) > 1e-6) CHECK(t, met == (expected[k] > least[k]));
        }
        EQUAL(t, y.count, wanted);
        kin_world_destroy(y.world);
    }
}

static void joined_filtered_and_sensors_are_left_out(test* t)
{
    for (int kind = 0; kind < 4; ++kind) {
        yard y = yard_begin(t, KIN_RIGID_REALTIME);
        kin_body_def def = kin_body_def_default();
        def.shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = {1, 1, 1}};
        def.material = y.material;
        def.mass = 1;
        def.position = kin_v(0, 5, 0);
        if (kind == 1) def.filter.group = -1;
        uint32_t a = test_body(t, y.world, y.bodies, &def);
        def.position = kin_v(0.9, 5, 0);
        def.sensor = kind == 2;
        uint32_t b = test_body(t, y.world, y.bodies, &def);
        if (kind == 3) {
            kin_joint_def joint = kin_joint_def_default();
            joint.kind = KIN_JOINT_FIXED;
            joint.a = a, joint.b = b;
            joint.anchor = kin_v(0.45, 5, 0);
            CHECK(t, kin_rigid_add_joint(y.world, y.bodies, &joint, NULL, NULL) == KIN_OK);
        }
        look(t, &y);
        EQUAL(t, y.count, kind == 0);
        if (y.count == 1) NEAR(t, y.found[0].depth, 0.1, 1e-9);
        kin_world_destroy(y.world);
    }
}

static void particles_in_colliders_and_bodies_are_found(test* t)
{
    static const struct row {
        kin_vec3 at;
        double depth;
        uint32_t in;
    } rows[] = {{{5, 0.05, 0}, 0.05, KIN_WORLD_SYSTEM}, {{5, 0.1, 0}, 0, 0}, {{0.4, 3, 0}, 0.2, 1}}; /* the floor's, touching, the ball's */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        yard y = yard_begin(t, KIN_RIGID_REALTIME);
        test_plane(t, y.world, kin_v(0, 0, 0), kin_v(0, 1, 0), y.material);
        ball(t, &y, 0.5, kin_v(0, 3, 0));
        kin_system_id id = test_ball(t, y.world, &(test_ball_setup){.position = rows[i].at, .radius = 0.1});
        look(t, &y);
        EQUAL(t, y.count, rows[i].depth > 0);
        if (y.count == 1) {
            EQUAL(t, y.found[0].a.system, id.index1);
            EQUAL(t, y.found[0].b.system, rows[i].in);
            NEAR(t, y.found[0].depth, rows[i].depth, 1e-9);
        }
        kin_world_destroy(y.world);
    }
}

TEST_MAIN("world/overlap", TEST(depths_are_those_of_geometry), TEST(joined_filtered_and_sensors_are_left_out),
          TEST(particles_in_colliders_and_bodies_are_found))
