/* cluster_test.c - collisions between particles, alone and many at once (Coutinho 3.5.1, 3.5.2). */
#include "spheres.h"

static const kin_vec3 none = {0, 0, 0};

/* Two spheres with the gap closed at once: their velocities after one step, without any field. */
static void hit_once(test* t, double e, double mu, sphere a, sphere b, kin_vec3 after[2])
{
    kin_world* w = test_world(t, 0.01, none);
    kin_material_id m = test_material(t, w, "ball", e, mu);
    kin_system_id id = add_spheres(t, w, &(spheres_setup){.contacts = KIN_CONTACTS_EXACT, .material = m}, (sphere[]){a, b}, 2);
    test_steps(t, w, 1);
    after[0] = speed_of(w, id, 0);
    after[1] = speed_of(w, id, 1);
    kin_world_destroy(w);
}

/* m1 = 2, m2 = 1, e = 0.5, v1n = -3: P_n = 3. With v1t = 2 the critical friction is 4/9: 0.2 slides, 0.8 sticks. The sphere below is the second. */
static void impulse_numbers(test* t)
{
    kin_vec3 v[2];
    sphere b = {.x = {0, 0, 0}, .mass = 1}, a = {.x = {0, 1 + 1e-9, 0}, .v = {0, -3, 0}, .mass = 2};
    hit_once(t, 0.5, 0, a, b, v);
    NEAR3(t, v[0], kin_v(0, -1.5, 0), 1e-12);
    NEAR3(t, v[1], kin_v(0, -3, 0), 1e-12);
    a.v.x = 2;
    hit_once(t, 0.5, 0.2, a, b, v);
    NEAR3(t, v[0], kin_v(1.7, -1.5, 0), 1e-8);
    NEAR3(t, v[1], kin_v(0.6, -3, 0), 1e-8);
    hit_once(t, 0.5, 0.8, a, b, v);
    NEAR3(t, v[0], kin_v(4.0 / 3, -1.5, 0), 1e-8);
    NEAR3(t, v[1], kin_v(4.0 / 3, -3, 0), 1e-8);
    hit_once(t, 0.5, 4.0 / 9, a, b, v); /* just critical */
    NEAR(t, v[0].x, v[1].x, 1e-8);
}

/* Friction along t and along k differs: each axis slides or sticks on its own. The tangent axes of n = y are t = -z, k = -x. */
static void directional_friction_four_cases(test* t)
{
    for (int which = 0; which < 4; ++which) {
        double mu_x = which & 1 ? 10 : 0.2, mu_z = which & 2 ? 10 : 0.1;
        kin_world* w = test_world(t, 0.01, none);
        kin_material_def def = kin_material_def_default();
        kin_material_id m;
        def.name = "grain";
        def.restitution = 0.5;
        def.static_friction[0] = def.dynamic_friction[0] = mu_z;
        def.static_friction[1] = def.dynamic_friction[1] = mu_x;
        EQUAL(t, kin_world_add_material(w, &def, &m, NULL), KIN_OK);
        sphere list[2] = {{.x = {0, 1 + 1e-9, 0}, .v = {2, -3, 1}, .mass = 2}, {.x = {0, 0, 0}, .mass = 1}};
        kin_system_id id = add_spheres(t, w, &(spheres_setup){.contacts = KIN_CONTACTS_EXACT, .material = m}, list, 2);
        test_steps(t, w, 1);
        kin_vec3 a = speed_of(w, id, 0), b = speed_of(w, id, 1);
        NEAR(t, a.y, -1.5, 1e-8);
        NEAR(t, a.x, which & 1 ? 4.0 / 3 : 2 - 0.2 * 3 / 2, 1e-8);
        NEAR(t, b.x, which & 1 ? 4.0 / 3 : 0.2 * 3, 1e-8);
        NEAR(t, a.z, which & 2 ? 2.0 / 3 : 1 - 0.1 * 3 / 2, 1e-8);
        NEAR(t, b.z, which & 2 ? 2.0 / 3 : 0.1 * 3, 1e-8);
        kin_world_destroy(w);
    }
}

/* P1: equal masses swap their normal speeds and keep the others. */
static void equal_masses_swap(test* t)
{
    kin_vec3 v[2];
    kin_vec3 n = kin_normalize_or(kin_v(1, 2, -2), kin_axis(0));
    sphere a = {.x = kin_scale(n, 1 + 1e-9), .v = {-3, -1, 0.5}}, b = {.v = {0.2, 0.7, 0.1}};
    hit_once(t, 1, 0, a, b, v);
    kin_vec3 want = kin_add_scaled(a.v, kin_dot(kin_sub(b.v, a.v), n), n);
    NEAR3(t, v[0], want, 1e-7);
    NEAR3(t, v[1], kin_add_scaled(b.v, -kin_dot(kin_sub(b.v, a.v), n), n), 1e-7);
}

static void line_of_three(test* t, double gap, const double before[3], const double after[3])
{
    kin_world* w = test_world(t, 0.01, none);
    kin_material_id m = test_material(t, w, "ball", 1, 0);
    sphere list[3];
    for (int i = 0; i < 3; ++i) list[i] = (sphere){.x = {i * (1 + gap), 0, 0}, .v = {before[i], 0, 0}};
    kin_system_id id = add_spheres(t, w, &(spheres_setup){.contacts = KIN_CONTACTS_EXACT, .material = m}, list, 3);
    double energy = sums_of(w, id).energy;
    test_steps(t, w, 1);
    for (size_t i = 0; i < 3; ++i) NEAR(t, speed_of(w, id, i).x, after[i], 1e-10);
    NEAR(t, sums_of(w, id).energy, energy, 1e-12);
    kin_world_destroy(w);
}

/* C3.5.2 and N1: at once, and one after the other. */
static void three_at_once_and_in_turn(test* t)
{
    line_of_three(t, 1e-9, (double[]){2, 0, -1}, (double[]){-4.0 / 3, 2.0 / 3, 5.0 / 3});
    line_of_three(t, 1e-9, (double[]){1, 0, 0}, (double[]){-1.0 / 3, 2.0 / 3, 2.0 / 3});
    line_of_three(t, 1e-3, (double[]){1, 0, 0}, (double[]){0, 0, 1});
}

/* A sphere on a solid is hit from above: the solid is in the cluster, with infinite mass, and is touched: v' = 0 below, e = 1 above. */
static void solid_in_the_cluster(test* t)
{
    kin_world* w = test_world(t, 0.01, none);
    kin_material_id m = test_material(t, w, "ball", 1, 0);
    test_plane(t, w, none, kin_v(0, 1, 0), m);
    sphere list[2] = {{.x = {0, 0.5 + 1e-9, 0}}, {.x = {0, 1.5 + 2e-9, 0}, .v = {0, -2, 0}}};
    kin_system_id id = add_spheres(t, w, &(spheres_setup){.contacts = KIN_CONTACTS_EXACT, .material = m}, list, 2);
    test_steps(t, w, 1);
    NEAR3(t, speed_of(w, id, 0), none, 1e-9);
    NEAR3(t, speed_of(w, id, 1), kin_v(0, 2, 0), 1e-9);
    kin_world_destroy(w);
}

/* Contacts that would have to pull do not: the far neighbour of a sphere that is knocked sideways stays. */
static void nothing_pulls(test* t)
{
    kin_world* w = test_world(t, 0.01, none);
    kin_material_id m = test_material(t, w, "ball", 1, 0);
    sphere list[3] = {{.x = {0, 0, 0}, .v = {-0.005, 0, 0}}, {.x = {1 + 1e-9, 0, 0}}, {.x = {0.7, -1, 0}, .v = {0, 2, 0}, .radius = 0.5}};
    double rise = kin_sqrt(1 - 0.09); /* below and to the left of the middle one: it knocks it to the right, away from the first */
    list[2].x = kin_v(1 - 0.3, -rise - 1e-9, 0);
    kin_system_id id = add_spheres(t, w, &(spheres_setup){.contacts = KIN_CONTACTS_EXACT, .material = m}, list, 3);
    test_steps(t, w, 1);
    NEAR3(t, sums_of(w, id).momentum, kin_v(-0.005, 2, 0), 1e-12);
    NEAR3(t, speed_of(w, id, 0), kin_v(-0.005, 0, 0), 1e-12);
    CHECK(t, speed_of(w, id, 1).x > 0.1);
    kin_world_destroy(w);
}

TEST_MAIN("particles_cluster", TEST(impulse_numbers), TEST(directional_friction_four_cases), TEST(equal_masses_swap), TEST(three_at_once_and_in_turn),
          TEST(solid_in_the_cluster), TEST(nothing_pulls))
