/* repel_test.c - avoidance by potentials: closed forms, energy, containers that hold, colliders. */
#include "one.h"
#include "support/test.h"

static kin_repel_field repel(double strength)
{
    kin_repel_field def;
    kin_field_default("repel", &def);
    def.repel = strength;
    return def;
}

static kin_result add(kin_fields* f, const kin_repel_field* def, kin_error* error)
{
    uint32_t index;
    return kin_fields_add(f, kin_field_named("repel"), def, &index, error);
}

static kin_fields fields_with(test* t, const kin_repel_field* def)
{
    kin_fields f;
    kin_error error = {0};
    kin_fields_init(&f, &t->allocator, KIN_SIMD_NONE);
    if (add(&f, def, &error) != KIN_OK) test_check(t, false, __FILE__, __LINE__, "%s: %s", error.where, error.message);
    return f;
}

static kin_vec3 at(const kin_fields* f, kin_vec3 x)
{
    one p = one_at(x, kin_v(0, 0, 0), 0);
    return one_acceleration(&p, f, NULL);
}

static void points_lines_and_spheres_push_by_distance(test* t)
{
    kin_repel_field def = repel(6);
    def.points = (kin_vectors){&(kin_vec3){1, 0, 0}, 1};
    kin_fields f = fields_with(t, &def);
    NEAR3(t, at(&f, kin_v(1, 2, 0)), kin_v(0, 1.5, 0), 1e-14);
    kin_fields_term(&f);

    def = repel(6);
    def.power = 1;
    def.lines.data = &(kin_line){{0, 0, 0}, {10, 0, 0}};
    def.lines.count = 1;
    f = fields_with(t, &def);
    NEAR3(t, at(&f, kin_v(4, 0, 3)), kin_v(0, 0, 2), 1e-14);
    NEAR3(t, at(&f, kin_v(13, 4, 0)), kin_scale(kin_v(3, 4, 0), 6.0 / 25), 1e-14); /* beyond the end: from the end */
    kin_fields_term(&f);

    def = repel(6);
    def.power = 3;
    def.reach = 3;
    def.spheres = (kin_balls){&(kin_ball){{0, 0, 0}, 2}, 1};
    f = fields_with(t, &def);
    NEAR3(t, at(&f, kin_v(0, 4, 0)), kin_v(0, 6.0 / 8, 0), 1e-14);
    NEAR3(t, at(&f, kin_v(0, 5.01, 0)), kin_v(0, 0, 0), 0);   /* beyond the reach */
    NEAR3(t, at(&f, kin_v(0, 1, 0)), kin_v(0, 6e9, 0), 1e-5); /* within: as at the closest */
    NEAR3(t, at(&f, kin_v(0, 0, 0)), kin_v(0, 0, 0), 0);      /* nowhere to go, and no NaN */
    kin_fields_term(&f);
}

static void container_pushes_inwards(test* t)
{
    kin_repel_field def = repel(2);
    def.containers = (kin_balls){&(kin_ball){{1, 0, 0}, 5}, 1};
    kin_fields f = fields_with(t, &def);
    NEAR3(t, at(&f, kin_v(4, 0, 0)), kin_v(-2.0 / 4, 0, 0), 1e-14);
    CHECK(t, at(&f, kin_v(7, 0, 0)).x < -1e5); /* outside: back */
    kin_fields_term(&f);
}

/* Minus the slope of the potential is the force, with and without a reach, for every power. */
static void force_is_the_slope_of_the_potential(test* t)
{
    static const double powers[] = {0.5, 1, 2, 3.5}, reaches[] = {0, 2.5};
    for (int i = 0; i < 8; ++i) {
        kin_repel_field def = repel(1.3);
        def.power = powers[i % 4];
        def.reach = reaches[i / 4];
        def.points = (kin_vectors){&(kin_vec3){0.2, 0.1, 0}, 1};
        def.lines.data = &(kin_line){{-2, -1, 0}, {2, -1, 1}};
        def.lines.count = 1;
        def.spheres = (kin_balls){&(kin_ball){{0, 3, 0}, 1}, 1};
        def.containers = (kin_balls){&(kin_ball){{0, 0, 0}, 6}, 1};
        kin_fields f = fields_with(t, &def);
        for (int k = 0; k < 20; ++k) {
            kin_vec3 x = {1.5 * kin_sin(1.7 * k), 1.2 * kin_cos(2.3 * k), kin_sin(0.9 * k)}, a = at(&f, x);
            double h = 1e-5;
            for (int axis = 0; axis < 3; ++axis) {
                kin_vec3 e = kin_scale(kin_axis(axis), h);
                double slope = (kin_fields_potential(&f, 2, kin_add(x, e), 0) - kin_fields_potential(&f, 2, kin_sub(x, e), 0)) / (2 * h);
                NEAR(t, 2 * kin_component(a, axis), -slope, 1e-5 * (1 + kin_length(a)));
            }
        }
        kin_fields_term(&f);
    }
}

/* H5.3a: it stays in, and keeps its energy: semi-implicit steps are symplectic, so the error stays of the order of h. */
static void container_holds_and_keeps_energy(test* t)
{
    kin_repel_field def = repel(1);
    def.reach = 2;
    def.closest = 1e-4;
    def.containers = (kin_balls){&(kin_ball){{0, 0, 0}, 3}, 1};
    kin_fields f = fields_with(t, &def);
    one p = one_at(kin_v(0.5, 0, 0), kin_v(1.1, 0.7, -0.4), 0);
    double start = 0.5 * kin_length2(one_vector(p.v)) + kin_fields_potential(&f, 1, one_vector(p.x), 0), worst = 0, farthest = 0;
    for (int i = 0; i < 40000; ++i) {
        one_step(&p, &f, NULL, 5e-4);
        double energy = 0.5 * kin_length2(one_vector(p.v)) + kin_fields_potential(&f, 1, one_vector(p.x), 0);
        worst = kin_max(worst, kin_abs(energy - start));
        farthest = kin_max(farthest, kin_length(one_vector(p.x)));
    }
    CHECK(t, farthest < 3);
    CHECK(t, farthest > 2); /* it came near the wall */
    NEAR(t, worst, 0, 2e-3 * start);
    kin_fields_term(&f);
}

/* P: head-on it turns back the way it came, and never turns aside. */
static void head_on_it_reverses(test* t)
{
    kin_repel_field def = repel(1);
    def.points = (kin_vectors){&(kin_vec3){0, 0, 0}, 1};
    kin_fields f = fields_with(t, &def);
    one p = one_at(kin_v(-5, 0, 0), kin_v(2, 0, 0), 0);
    for (int i = 0; i < 8000; ++i) one_step(&p, &f, NULL, 1e-3);
    CHECK(t, p.v[0] < -1.5 && p.x[0] < -5);
    NEAR(t, p.x[1], 0, 0);
    NEAR(t, p.x[2], 0, 0);
    kin_fields_term(&f);
}

static void colliders_repel_by_their_surface(test* t)
{
    kin_solids* solids;
    uint32_t index;
    kin_repel_field def = repel(4);
    def.solids = true;
    def.reach = 3;
    kin_fields f = fields_with(t, &def);
    EQUAL(t, kin_solids_create(&t->allocator, &solids, NULL), KIN_OK);
    kin_transform pose = kin_transform_identity();
    EQUAL(t, kin_solids_add(solids, &(kin_solid_def){.shape = &(kin_shape){.kind = KIN_SHAPE_PLANE, .normal = {0, 1, 0}}, .pose = pose}, &index, NULL), KIN_OK);
    pose.position = kin_v(10, 0, 0);
    EQUAL(t, kin_solids_add(solids, &(kin_solid_def){.shape = &(kin_shape){.kind = KIN_SHAPE_BOX, .size = {2, 20, 20}}, .pose = pose}, &index, NULL), KIN_OK);
    kin_solids_refit(solids, 0.01);
    one p = one_at(kin_v(0, 2, 0), kin_v(0, 0, 0), 0);
    NEAR3(t, one_acceleration(&p, &f, solids), kin_v(0, 1, 0), 1e-12);
    p = one_at(kin_v(8, 2, 0), kin_v(0, 0, 0), 0); /* 1 m from the box, 2 m from the ground */
    NEAR3(t, one_acceleration(&p, &f, solids), kin_v(-4, 1, 0), 1e-9);
    p = one_at(kin_v(0, 3.1, 0), kin_v(0, 0, 0), 0);
    NEAR3(t, one_acceleration(&p, &f, solids), kin_v(0, 0, 0), 0);
    kin_solids_destroy(solids);
    kin_fields_term(&f);
}

static void bad_defs_are_refused(test* t)
{
    kin_fields f;
    kin_error error = {0};
    kin_fields_init(&f, &t->allocator, KIN_SIMD_NONE);
    kin_repel_field def = repel(1);
    EQUAL(t, add(&f, &def, &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "nothing to keep away from");
    def.solids = true;
    EQUAL(t, add(&f, &def, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "reach");
    def.reach = 1e-4;
    EQUAL(t, add(&f, &def, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "reach");
    def = repel(1);
    def.spheres = (kin_balls){&(kin_ball){{0, 0, 0}, -1}, 1};
    EQUAL(t, add(&f, &def, &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.where, "spheres");
    EQUAL(t, f.count, 0);
    kin_fields_term(&f);
}

TEST_MAIN("repel", TEST(points_lines_and_spheres_push_by_distance), TEST(container_pushes_inwards), TEST(force_is_the_slope_of_the_potential),
          TEST(container_holds_and_keeps_energy), TEST(head_on_it_reverses), TEST(colliders_repel_by_their_surface), TEST(bad_defs_are_refused))
