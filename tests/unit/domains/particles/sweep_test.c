/* sweep_test.c - fast contacts: many grains by sweeps of impulses. */
#include "base/rng.h"
#include "spheres.h"

static const kin_vec3 none = {0, 0, 0}, down = {0, -9.81, 0};

/* Many grains at random places of a box, from a group. */
static kin_system_id grains(test* t, kin_world* w, int count, kin_vec3 box, double radius, double spread, kin_material_id material)
{
    kin_particles_def def = kin_particles_def_default();
    kin_particle_group group = kin_particle_group_default();
    kin_system_id id = {0};
    group.count = count;
    group.box = box;
    group.position = kin_v(0, 0.5 * box.y + 2 * radius, 0);
    group.radius = radius;
    group.mass = 0.1;
    group.spread = kin_v(spread, spread, spread);
    group.material = material;
    def.contacts = KIN_CONTACTS_FAST;
    def.groups = &group;
    def.group_count = 1;
    EQUAL(t, kin_particles_create(w, &def, &id, NULL), KIN_OK);
    return id;
}

static void walls(test* t, kin_world* w, double half, kin_material_id m)
{
    test_plane(t, w, none, kin_v(0, 1, 0), m);
    for (int side = -1; side <= 1; side += 2) {
        test_plane(t, w, kin_v(side * half, 0, 0), kin_v(-side, 0, 0), m);
        test_plane(t, w, kin_v(0, 0, side * half), kin_v(0, 0, -side), m);
    }
}

/* One hit: momentum to round-off, the speeds of the book, neither gained nor lost at e = 1. */
static void one_hit(test* t)
{
    for (int i = 0; i < 3; ++i) {
        double e = 0.5 * i;
        kin_world* w = test_world(t, 0.01, none);
        kin_material_id m = test_material(t, w, "ball", e, 0);
        sphere list[2] = {{.x = {0, 0, 0}, .v = {3, 0, 0}, .mass = 2}, {.x = {1.5, 0, 0}}};
        kin_system_id id = add_spheres(t, w, &(spheres_setup){.contacts = KIN_CONTACTS_FAST, .material = m}, list, 2);
        test_steps(t, w, 40);
        NEAR(t, speed_of(w, id, 0).x, 2 - e, 1e-12); /* V = mean + (relative) (-e) m2 / (m1 + m2) */
        NEAR(t, speed_of(w, id, 1).x, 2 + 2 * e, 1e-12);
        NEAR(t, measured(w, "dissipated_energy"), 9 - sums_of(w, id).energy, 1e-12);
        kin_world_destroy(w);
    }
}

/* The resting contact takes part: (-1/3, 2/3, 2/3), as far as 20 sweeps go. */
static void three_at_once(test* t)
{
    kin_world* w = test_world(t, 0.01, none);
    kin_material_id m = test_material(t, w, "ball", 1, 0);
    sphere list[3] = {{.x = {0, 0, 0}, .v = {1, 0, 0}}, {.x = {1, 0, 0}}, {.x = {2, 0, 0}}};
    kin_system_id id = add_spheres(t, w, &(spheres_setup){.contacts = KIN_CONTACTS_FAST, .material = m}, list, 3);
    test_steps(t, w, 1);
    for (size_t i = 0; i < 3; ++i) NEAR(t, speed_of(w, id, i).x, i == 0 ? -1.0 / 3 : 2.0 / 3, 1e-9);
    kin_world_destroy(w);
}

/* A gas: kept at e = 1, never more than before at less; momentum is kept where no wall is. */
static void energy_of_a_gas(test* t)
{
    for (int i = 0; i < 3; ++i) {
        kin_world* w = test_world(t, 0.005, none);
        kin_material_id m = test_material(t, w, "ball", i == 0 ? 1 : 0.8, i == 2 ? 0.4 : 0);
        kin_system_id id = grains(t, w, 200, kin_v(2, 2, 2), 0.05, 2, m);
        sphere_sums first = sums_of(w, id);
        double energy = first.energy;
        for (int k = 0; k < 100; ++k) {
            test_steps(t, w, 1);
            double now = sums_of(w, id).energy;
            CHECK(t, now <= energy * (1 + 1e-9));
            energy = now;
        }
        CHECK(t, measured(w, "hits") > 50);
        if (i == 0) NEAR(t, energy, first.energy, 1e-3 * first.energy);
        NEAR3(t, sums_of(w, id).momentum, first.momentum, 1e-11);
        NEAR(t, energy + measured(w, "dissipated_energy"), first.energy, 1e-9);
        kin_world_destroy(w);
    }
}

/* Dropped into a box: all rest, to the bit, none inside another by 1 % of the radius. A new one wakes them. */
static void pile_rests_and_wakes(test* t)
{
    kin_world* w = test_world(t, 1.0 / 120, down);
    kin_material_id m = test_material(t, w, "grain", 0.3, 0.4);
    walls(t, w, 0.4, m);
    kin_system_id id = grains(t, w, 120, kin_v(0.6, 2, 0.6), 0.06, 0.1, m);
    test_steps(t, w, 600);
    EQUAL(t, (int)measured(w, "resting"), 120);
    CHECK(t, worst_overlap(w, id) < 0.01);
    kin_particles_view view = kin_particles_state(w, id);
    for (size_t i = 0; i < view.count; ++i) {
        CHECK(t, view.y[i] > 0.06 * 0.99 && kin_abs(view.x[i]) < 0.4 - 0.06 * 0.99 && kin_abs(view.z[i]) < 0.4 - 0.06 * 0.99);
    }
    uint64_t allocations = t->allocations;
    kin_vec3 x = place_of(w, id, 17);
    test_steps(t, w, 50);
    kin_vec3 y = place_of(w, id, 17);
    CHECK(t, memcmp(&x, &y, sizeof x) == 0);
    EQUAL(t, kin_world_moved(w, NULL, 0), 0);
    EQUAL(t, t->allocations, allocations);
    EQUAL(t, kin_world_place(w, (kin_anchor){1, 0, {0}}, kin_v(0, 1.5, 0), kin_v(0, -8, 0), NULL), KIN_OK);
    test_steps(t, w, 25);
    CHECK(t, kin_world_moved(w, NULL, 0) > 5);
    test_steps(t, w, 400);
    EQUAL(t, (int)measured(w, "resting"), 120);
    CHECK(t, worst_overlap(w, id) < 0.01);
    kin_world_destroy(w);
}

/* A column of ten stands at its height; without its lowest it falls. */
static void column_stands_until_it_is_cut(test* t)
{
    sphere list[10];
    kin_world* w = test_world(t, 0.01, down);
    kin_material_id m = test_material(t, w, "grain", 0.2, 0.4);
    test_plane(t, w, none, kin_v(0, 1, 0), m);
    for (int i = 0; i < 10; ++i) list[i] = (sphere){.x = {0, 0.1 + 0.2 * i, 0}, .radius = 0.1};
    kin_system_id id = add_spheres(t, w, &(spheres_setup){.contacts = KIN_CONTACTS_FAST, .material = m}, list, 10);
    test_steps(t, w, 300);
    EQUAL(t, (int)measured(w, "resting"), 10);
    for (size_t i = 0; i < 10; ++i) NEAR(t, place_of(w, id, i).y, list[i].x.y, 0.01 * 0.1 * (double)(i + 1));
    EQUAL(t, kin_world_place(w, (kin_anchor){1, 0, {0}}, kin_v(5, 0.1, 0), none, NULL), KIN_OK);
    test_steps(t, w, 200);
    NEAR(t, place_of(w, id, 9).y, 1.7, 0.01);
    kin_world_destroy(w);
}

/* A field that changes wakes what sleeps. */
static void wakes_when_gravity_turns(test* t)
{
    kin_world* w = test_world(t, 0.01, down);
    kin_material_id m = test_material(t, w, "grain", 0.2, 0.1);
    walls(t, w, 2, m);
    sphere list[2] = {{.x = {0, 0.5, 0}}, {.x = {1, 0.5, 0}}};
    kin_system_id id = add_spheres(t, w, &(spheres_setup){.contacts = KIN_CONTACTS_FAST, .material = m}, list, 2);
    test_steps(t, w, 100);
    EQUAL(t, (int)measured(w, "resting"), 2);
    EQUAL(t, kin_world_set_vector(w, "gravity", kin_v(9.81, -9.81, 0), NULL), KIN_OK);
    test_steps(t, w, 100);
    CHECK(t, place_of(w, id, 1).x > 1.4);
    kin_world_destroy(w);
}

/* Sliding grains, side by side: friction stops them after v^2 / (2 mu g), give or take a step. */
static void friction_stops(test* t)
{
    kin_world* w = test_world(t, 0.005, down);
    kin_material_id m = test_material(t, w, "grain", 0, 0.5);
    test_plane(t, w, none, kin_v(0, 1, 0), m);
    sphere list[2] = {{.x = {0, 0.5, 0}, .v = {2, 0, 0}}, {.x = {0, 0.5, 1}, .v = {2, 0, 0}}};
    kin_system_id id = add_spheres(t, w, &(spheres_setup){.contacts = KIN_CONTACTS_FAST, .material = m}, list, 2);
    test_steps(t, w, 200);
    NEAR(t, place_of(w, id, 0).x, 4 / (2 * 0.5 * 9.81), 2 * 0.005);
    NEAR3(t, speed_of(w, id, 0), none, 1e-12);
    kin_world_destroy(w);
}

/* A pair faster than its size a step does not pass a thin wall. */
static void fast_pair_stays_before_a_wall(test* t)
{
    kin_world* w = test_world(t, 0.02, none);
    kin_material_id m = test_material(t, w, "ball", 0.5, 0);
    test_box(t, w, kin_v(3, 0, 0), kin_v(0.01, 10, 10), m);
    sphere list[2] = {{.x = {0, 0, 0}, .v = {90, 0, 0}, .radius = 0.1}, {.x = {0, 0.201, 0}, .v = {90, 0, 0}, .radius = 0.1}};
    kin_system_id id = add_spheres(t, w, &(spheres_setup){.contacts = KIN_CONTACTS_FAST, .material = m}, list, 2);
    test_steps(t, w, 10);
    for (size_t i = 0; i < 2; ++i) {
        CHECK(t, place_of(w, id, i).x < 2.9);
        NEAR(t, speed_of(w, id, i).x, -45, 1e-9);
    }
    kin_world_destroy(w);
}

static bool one_world(test* t, void* context)
{
    sphere list[3] = {{.x = {0, 0.5, 0}}, {.x = {1, 0.5, 0}, .v = {-1, 0, 0}}, {.x = {0.4, 1.4, 0}}};
    kin_world_def def = kin_world_def_default();
    kin_world* w;
    def.allocator = t->allocator;
    def.threads = 1;
    def.gravity = down;
    if (kin_world_create(&def, &w, NULL) != KIN_OK) return false;
    kin_particles_def particles = kin_particles_def_default();
    kin_particle_group groups[3];
    for (int i = 0; i < 3; ++i) {
        groups[i] = kin_particle_group_default();
        groups[i].position = list[i].x;
        groups[i].velocity = list[i].v;
        groups[i].radius = 0.5;
    }
    particles.contacts = *(const kin_contacts*)context;
    particles.groups = groups;
    particles.group_count = 3;
    bool ok = kin_particles_create(w, &particles, NULL, NULL) == KIN_OK;
    for (int i = 0; ok && i < 3; ++i) ok = kin_world_step(w, NULL, NULL) == KIN_OK;
    kin_world_destroy(w);
    return ok;
}

static void memory_faults(test* t)
{
    for (int i = KIN_CONTACTS_FAST; i <= KIN_CONTACTS_EXACT; ++i) {
        kin_contacts contacts = (kin_contacts)i;
        test_fail_each_allocation(t, one_world, &contacts);
    }
}

TEST_MAIN("particles_sweep", TEST(one_hit), TEST(three_at_once), TEST(energy_of_a_gas), TEST(pile_rests_and_wakes), TEST(column_stands_until_it_is_cut),
          TEST(wakes_when_gravity_turns), TEST(friction_stops), TEST(fast_pair_stays_before_a_wall), TEST(memory_faults))
