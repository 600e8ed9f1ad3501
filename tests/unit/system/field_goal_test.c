/* field_goal_test.c - places on a mesh (H5.2a, fig. 5.3), and laws of one's own (H2.1). */
#include "field_lab.h"
#include "kinema/world.h"

/* Two squares: one of 1 m by 1 m at z = 0, one of 3 m by 1 m at z = 5. */
static const kin_vec3 vertices[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 5}, {3, 0, 5}, {3, 1, 5}, {0, 1, 5}};
static const uint32_t sizes[] = {4, 4}, corners[] = {0, 1, 2, 3, 4, 5, 6, 7};

static kin_goal_field goal_def(void)
{
    kin_goal_field d;
    kin_field_default("goal", &d);
    d.goal = (kin_mesh_view){vertices, 8, sizes, corners, 2};
    return d;
}

/* Where a point is drawn to: from the force on it at rest. */
static kin_vec3 place(lab* l, double stiffness, uint64_t serial)
{
    l->serial[0] = serial;
    return kin_scale(lab_at(l, kin_v(0, 0, 0), kin_v(0, 0, 0)), 1 / stiffness);
}

/* On the surface, evenly: three quarters of 4000 on the larger square, half of those left of its middle; five errors of a binomial count allowed. */
static void places_spread_evenly(test* t)
{
    lab l;
    kin_goal_field d = goal_def();
    lab_begin(t, &l, kin_simd_best());
    EQUAL(t, lab_add(&l, "goal", &d, NULL), KIN_OK);
    int large = 0, left = 0, low = 0;
    for (uint64_t i = 0; i < 4000; ++i) {
        kin_vec3 p = place(&l, d.stiffness, i);
        bool second = p.z > 2;
        NEAR(t, p.z, second ? 5 : 0, 1e-13);
        CHECK(t, p.x > -1e-13 && p.x < (second ? 3 : 1) + 1e-13 && p.y > -1e-13 && p.y < 1 + 1e-13);
        large += second;
        left += second && p.x < 1.5;
        low += second && p.y < 0.5;
    }
    NEAR(t, large, 3000, 5 * kin_sqrt(4000 * 0.75 * 0.25));
    NEAR(t, left, 0.5 * large, 5 * kin_sqrt(0.25 * large));
    NEAR(t, low, 0.5 * large, 5 * kin_sqrt(0.25 * large));
    NEAR3(t, place(&l, d.stiffness, 77), place(&l, d.stiffness, 77), 0);
    lab_end(&l);
}

/* Within a triangle too: the mean of 4000 is its centroid, and that of squares is 1/6; deviations of sqrt(1/18) and sqrt(7/180), five errors allowed. */
static void places_fill_a_triangle(test* t)
{
    lab l;
    kin_goal_field d = goal_def();
    const kin_vec3 abc[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const uint32_t order[] = {0, 1, 2};
    d.goal = (kin_mesh_view){abc, 3, NULL, order, 1};
    lab_begin(t, &l, kin_simd_best());
    EQUAL(t, lab_add(&l, "goal", &d, NULL), KIN_OK);
    kin_vec3 mean = {0, 0, 0};
    double square = 0;
    for (uint64_t i = 0; i < 4000; ++i) {
        kin_vec3 p = place(&l, d.stiffness, i);
        mean = kin_add_scaled(mean, 1.0 / 4000, p);
        square += p.x * p.x / 4000;
    }
    NEAR(t, mean.x, 1.0 / 3, 5 * kin_sqrt(1.0 / 18 / 4000));
    NEAR(t, mean.y, 1.0 / 3, 5 * kin_sqrt(1.0 / 18 / 4000));
    NEAR(t, square, 1.0 / 6, 5 * kin_sqrt(7.0 / 180 / 4000));
    lab_end(&l);
}

static void the_pose_moves_places(test* t)
{
    lab l, m;
    kin_goal_field d = goal_def(), posed = goal_def();
    posed.position = kin_v(1, 2, 3);
    posed.orientation = (kin_quat){0, 0, kin_sin(KIN_PI / 4), kin_cos(KIN_PI / 4)}; /* x to y */
    posed.size = 2;
    lab_begin(t, &l, kin_simd_best());
    lab_begin(t, &m, kin_simd_best());
    EQUAL(t, lab_add(&l, "goal", &d, NULL), KIN_OK);
    EQUAL(t, lab_add(&m, "goal", &posed, NULL), KIN_OK);
    for (uint64_t i = 0; i < 20; ++i) {
        kin_vec3 p = place(&l, d.stiffness, i);
        NEAR3(t, place(&m, d.stiffness, i), kin_v(1 - 2 * p.y, 2 + 2 * p.x, 3 + 2 * p.z), 1e-13);
    }
    lab_end(&l);
    lab_end(&m);
}

/* Critically damped from rest at a distance D: D (1 + w t) e^(-w t). By small midpoint steps, O(h^2). */
static void points_settle_on_their_places(test* t)
{
    lab l;
    kin_goal_field d = goal_def();
    d.stiffness = 9;
    lab_begin(t, &l, kin_simd_best());
    EQUAL(t, lab_add(&l, "goal", &d, NULL), KIN_OK);
    kin_vec3 goal = place(&l, 9, 1), x = {0, 0, 0}, v = {0, 0, 0};
    const double h = 0.001;
    for (int i = 0; i < 1000; ++i) {
        kin_vec3 middle = kin_add_scaled(v, 0.5 * h, lab_at(&l, x, v)), a = lab_at(&l, kin_add_scaled(x, 0.5 * h, v), middle);
        x = kin_add_scaled(x, h, middle);
        v = kin_add_scaled(v, h, a);
    }
    NEAR3(t, x, kin_scale(goal, 1 - 4 * kin_exp(-3)), 1e-5 * kin_length(goal));
    lab_end(&l);
}

static void meshes_without_area_are_refused(test* t)
{
    lab l;
    kin_error error = {0};
    kin_goal_field d = goal_def();
    lab_begin(t, &l, KIN_SIMD_NONE);
    d.goal = (kin_mesh_view){0};
    EQUAL(t, lab_add(&l, "goal", &d, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "goal");
    const kin_vec3 line[] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    const uint32_t abc[] = {0, 1, 2};
    d.goal = (kin_mesh_view){line, 3, NULL, abc, 1};
    EQUAL(t, lab_add(&l, "goal", &d, &error), KIN_ERROR_ARGUMENT);
    CHECK(t, error.message[0] != 0);
    EQUAL(t, l.fields.count, 0);
    lab_end(&l);
}

static bool add_goal(test* t, void* context)
{
    (void)context;
    lab l;
    kin_goal_field d = goal_def();
    lab_begin(t, &l, KIN_SIMD_NONE);
    kin_result result = lab_add(&l, "goal", &d, NULL);
    lab_end(&l);
    return result == KIN_OK;
}
static void memory_may_run_out(test* t) { test_fail_each_allocation(t, add_goal, NULL); }

/* ---- laws ---- */

static void swirl(void* context, const kin_law_points* p)
{
    const double* k = context;
    for (int i = 0; i < p->count; ++i) {
        p->ax[i] -= *k * p->inv_mass[i] * p->y[i];
        p->ay[i] += *k * p->inv_mass[i] * p->x[i] + p->time;
        p->az[i] += p->vz[i] + p->age[i];
    }
}

static void a_law_adds_what_it_says(test* t)
{
    lab l;
    double k = 3;
    kin_law_field d;
    CHECK(t, kin_field_default("law", &d));
    d.fn = swirl;
    d.context = &k;
    lab_begin(t, &l, kin_simd_best());
    l.fields.gravity = kin_v(0, -10, 0);
    l.time = 0.5;
    EQUAL(t, lab_add(&l, "law", &d, NULL), KIN_OK);
    CHECK(t, !l.fields.has_serial);
    lab_evaluate(&l);
    for (int i = 0; i < LAB; ++i) {
        double m = k * l.inv_mass[i];
        NEAR3(t, lab_vec(l.a, i), kin_v(-m * l.x[1][i], -10 + m * l.x[0][i] + 0.5, l.v[2][i] + l.age[i]), 1e-13);
    }
    d.one_thread = true;
    EQUAL(t, lab_add(&l, "law", &d, NULL), KIN_OK);
    CHECK(t, l.fields.has_serial);
    lab_end(&l);
    lab_same_bits(t, "law", &d);
}

static void a_law_needs_a_function(test* t)
{
    lab l;
    kin_error error = {0};
    kin_law_field d;
    kin_field_default("law", &d);
    d.law = "swirl";
    lab_begin(t, &l, KIN_SIMD_NONE);
    EQUAL(t, lab_add(&l, "law", &d, &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "swirl");
    lab_end(&l);
}

static void worlds_take_laws(test* t)
{
    kin_world_def def = kin_world_def_default();
    kin_world* world;
    kin_field_id id;
    double k = 1;
    def.allocator = t->allocator;
    EQUAL(t, kin_world_create(&def, &world, NULL), KIN_OK);
    EQUAL(t, kin_world_add_law(world, swirl, &k, &id, NULL), KIN_OK);
    EQUAL(t, id.index1, 1);
    EQUAL(t, kin_world_add_law(world, NULL, NULL, &id, NULL), KIN_ERROR_ARGUMENT);
    EQUAL(t, id.index1, 0);
    kin_world_destroy(world);
}

/* A kind is known by its key in a scene: no other kind may have a row of that name. */
static void kinds_can_be_told_apart(test* t)
{
    for (int i = 0; kin_field_registry[i] != NULL; ++i) {
        const kin_field_ops* ops = kin_field_registry[i];
        CHECK(t, kin_params_find(ops->params, ops->name) == ops->params); /* the first row */
        for (int j = 0; kin_field_registry[j] != NULL; ++j) {
            if (j != i) CHECK(t, kin_params_find(ops->params, kin_field_registry[j]->name) == NULL);
        }
    }
}

TEST_MAIN("field_goal", TEST(places_spread_evenly), TEST(places_fill_a_triangle), TEST(the_pose_moves_places), TEST(points_settle_on_their_places),
          TEST(meshes_without_area_are_refused), TEST(memory_may_run_out), TEST(a_law_adds_what_it_says), TEST(a_law_needs_a_function), TEST(worlds_take_laws),
          TEST(kinds_can_be_told_apart))
