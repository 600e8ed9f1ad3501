/* island_test.c - exact contacts: hits at their time, islands that keep others as they are, many hits, determinism. */
#include "base/rng.h"
#include "domains/particles/encounter.h"
#include "domains/particles/meet.h"
#include "spheres.h"

static const kin_vec3 none = {0, 0, 0}, down = {0, -10, 0};

/* ---- when two paths meet ---- */

/* C2.5.16: straight, gap 1 m closed at 2 m over the interval; passing by; grazing; starting inside. */
static void straight_paths(test* t)
{
    double s = -1;
    kin_flight still = {{0, 0, 0}, none, {0, 0, 0}, none, 1, true}, to = {{2, 0, 0}, none, {0, 0, 0}, none, 1, true};
    CHECK(t, kin_flights_meet(&still, &to, 1, 1, &s));
    NEAR(t, s, 0.5, 1e-15);
    CHECK(t, !kin_flights_meet(&still, &to, 1, 0.49, &s));
    kin_flight by = {{2, 1.0001, 0}, none, {-2, 1.0001, 0}, none, 1, true};
    CHECK(t, !kin_flights_meet(&still, &by, 1, 1, &s));
    by.x0.y = by.x1.y = 0.9999;
    CHECK(t, kin_flights_meet(&still, &by, 1, 1, &s));
    NEAR(t, s, 0.5 - kin_sqrt(1 - 0.9999 * 0.9999) / 4, 1e-12);
    kin_flight out = {{0.5, 0, 0}, none, {2, 0, 0}, none, 1, true};
    CHECK(t, !kin_flights_meet(&still, &out, 1, 1, &s));
}

/* A curve that swings out and back in meets where its chord does not: y = 4 d s (1 - s) over 0. */
static void curved_paths(test* t)
{
    double s, d = 1.5; /* comes within 2 - 1.5 of a sphere at y = 2 */
    kin_flight arc = {{0, 0, 0}, {0, 4 * d, 0}, {0, 0, 0}, {0, -4 * d, 0}, 1, false}, still = {{0, 2, 0}, none, {0, 2, 0}, none, 1, true};
    CHECK(t, kin_flights_meet(&still, &arc, 1, 1, &s));
    NEAR(t, s, 0.5 - kin_sqrt(0.25 - 1 / (4 * d)), 1e-14); /* 4 d s (1 - s) = 1 */
    CHECK(t, !kin_flights_meet(&still, &arc, 0.499, 1, &s));
}

/* Two thrown spheres meet in mid-air: free fall cancels, so the hit is where straight lines meet; elastic, so they swap. */
static void hit_at_the_exact_time(test* t)
{
    static const char* const names[] = {"average", "midpoint", "heun", "rk4", "velocity_verlet", "verlet", "leapfrog"};
    for (int i = 0; i < 7; ++i) {
        kin_world* w = test_world(t, 0.013, down);
        kin_material_id m = test_material(t, w, "ball", 1, 0);
        sphere list[2] = {{.x = {-2, 0, 0}, .v = {3, 4, 0}}, {.x = {2, 0, 0}, .v = {-5, 4, 0}}};
        kin_system_id id = add_spheres(t, w, &(spheres_setup){.integrator = names[i], .contacts = KIN_CONTACTS_EXACT, .material = m}, list, 2);
        test_steps(t, w, 40);
        double time = 40 * 0.013, hit = 3.0 / 8, y = 4 * time - 5 * time * time;
        NEAR3(t, place_of(w, id, 0), kin_v(-2 + 3 * hit - 5 * (time - hit), y, 0), 1e-8);
        NEAR3(t, place_of(w, id, 1), kin_v(2 - 5 * hit + 3 * (time - hit), y, 0), 1e-8);
        kin_world_destroy(w);
    }
}

/* ---- islands ---- */

/* C3.2: O1 ~ O2 are tied by a spring, O2 hits O3, O4 is elsewhere. */
enum { ALONE = 1, TIED = 2 };
static kin_world* four(test* t, kin_contacts contacts, int how, const kin_particle_spring* springs, kin_system_id* id)
{
    kin_world* w = test_world(t, 0.01, down);
    kin_material_id m = test_material(t, w, "ball", 0.7, 0.1);
    sphere list[4] = {
        {.x = {-2, 0, 0}, .v = {1, 0.3, 0}}, {.x = {-0.8, 0, 0}, .v = {2, 0, 0}, .mass = 2}, {.x = {0.5, 0.1, 0}}, {.x = {9, 3, 1}, .v = {0, 1, 2}}};
    *id = add_spheres(t, w, &(spheres_setup){.contacts = contacts, .material = m, .springs = springs, .spring_count = how & TIED ? 2 : 1}, list,
                      how & ALONE ? 3 : 4);
    test_steps(t, w, 30);
    return w;
}

static void others_keep_their_bits(test* t)
{
    kin_system_id a, b, c, d;
    kin_particle_spring springs[2] = {{.a = 0, .b = 1, .stiffness = 50, .damping = 0.5, .rest = 1.1},
                                      {.a = 2, .b = 3, .rest = 1}}; /* the second does nothing but tie all into one island */
    kin_world *met = four(t, KIN_CONTACTS_EXACT, 0, springs, &a), *fly = four(t, KIN_CONTACTS_NONE, 0, springs, &b);
    kin_world *fewer = four(t, KIN_CONTACTS_EXACT, ALONE, springs, &c), *full = four(t, KIN_CONTACTS_EXACT, TIED, springs, &d);
    kin_vec3 x = place_of(met, a, 3), y = place_of(fly, b, 3);
    CHECK(t, memcmp(&x, &y, sizeof x) == 0); /* untouched */
    CHECK(t, kin_distance(place_of(met, a, 2), place_of(fly, b, 2)) > 0.1);
    for (size_t i = 0; i < 3; ++i) {
        x = place_of(met, a, i);
        y = place_of(fewer, c, i);
        CHECK(t, memcmp(&x, &y, sizeof x) == 0);                   /* nor does the fourth touch them */
        NEAR3(t, place_of(met, a, i), place_of(full, d, i), 1e-9); /* as if all had gone back to the hit */
        NEAR3(t, speed_of(met, a, i), speed_of(full, d, i), 1e-8);
    }
    kin_world_destroy(met);
    kin_world_destroy(fly);
    kin_world_destroy(fewer);
    kin_world_destroy(full);
}

/* X3 1a: the frequency goes by the reduced mass, and the centre of mass stays. */
static void spring_of_unequal_masses(test* t)
{
    kin_world* w = test_world(t, 0.001, none);
    kin_material_id m = test_material(t, w, "ball", 1, 0);
    sphere list[2] = {{.x = {0, 0, 0}, .mass = 1}, {.x = {2.1, 0, 0}, .mass = 3}};
    kin_particle_spring spring = {.a = 0, .b = 1, .stiffness = 75, .rest = 2};
    kin_system_id id = add_spheres(t, w, &(spheres_setup){.contacts = KIN_CONTACTS_EXACT, .material = m, .springs = &spring, .spring_count = 1}, list, 2);
    test_steps(t, w, 500);
    NEAR(t, place_of(w, id, 1).x - place_of(w, id, 0).x, 2 + 0.1 * kin_cos(10 * 0.5), 1e-9); /* omega = sqrt(75 / 0.75) */
    NEAR(t, (place_of(w, id, 0).x + 3 * place_of(w, id, 1).x) / 4, 2.1 * 0.75, 1e-12);
    kin_world_destroy(w);
}

/* A bounce sends a sphere, within the same step, to one that no free path comes near. */
static void joins_islands_that_a_bounce_brings_together(test* t)
{
    kin_world* w = test_world(t, 1, none);
    kin_material_id m = test_material(t, w, "ball", 1, 0);
    double side = kin_sqrt(0.5);
    sphere list[3] = {{.x = {0, 0, 0}}, {.x = {-10, -side, 0}, .v = {20, 0, 0}}, {.x = {3, 3, 0}}}; /* hits at 45 degrees: the first flies along (1, 1) */
    kin_system_id id = add_spheres(t, w, &(spheres_setup){.contacts = KIN_CONTACTS_EXACT, .material = m}, list, 3);
    test_steps(t, w, 1);
    CHECK(t, kin_length(speed_of(w, id, 2)) > 14);
    NEAR(t, speed_of(w, id, 2).x, 10, 1e-6);
    NEAR(t, kin_length(speed_of(w, id, 0)), 0, 1e-6);
    kin_world_destroy(w);
}

/* ---- many ---- */

static void scatter(sphere* list, int count, double box, double radius, double speed)
{
    for (int i = 0; i < count; ++i) {
        kin_rng_key key = {.seed = 5, .serial = (uint64_t)i};
        int k = count > 64 ? 5 : 4; /* a lattice of k x k x n keeps them apart */
        kin_vec3 x = {i % k, (i / k) % k, i / (k * k)}, middle = kin_scale(kin_v(1, 1, 1), 0.5 * (k - 1));
        list[i] = (sphere){.x = kin_scale(kin_sub(x, middle), box / k), .radius = radius, .mass = kin_rng_uniform(&key, 0, 0.5, 2)};
        list[i].v = kin_v(kin_rng_uniform(&key, 1, -speed, speed), kin_rng_uniform(&key, 2, -speed, speed), kin_rng_uniform(&key, 3, -speed, speed));
    }
}

static void closed_box(test* t, kin_world* w, double half, kin_material_id m)
{
    for (int axis = 0; axis < 3; ++axis) {
        test_plane(t, w, kin_scale(kin_axis(axis), half), kin_scale(kin_axis(axis), -1), m);
        test_plane(t, w, kin_scale(kin_axis(axis), -half), kin_axis(axis), m);
    }
}

/* Elastic and smooth: kinetic energy is kept by every hit, and momentum as long as no wall is met. */
static void laws_of_many_hits(test* t)
{
    sphere list[48];
    scatter(list, 48, 4, 0.4, 3);
    for (int i = 0; i < 48; ++i) list[i].v = kin_add_scaled(list[i].v, -2, list[i].x); /* inwards */
    kin_world* w = test_world(t, 0.02, none);
    kin_material_id m = test_material(t, w, "ball", 1, 0);
    kin_system_id id = add_spheres(t, w, &(spheres_setup){.contacts = KIN_CONTACTS_EXACT, .material = m, .rest_speed = -1}, list, 48);
    sphere_sums before = sums_of(w, id);
    test_steps(t, w, 60);
    sphere_sums after = sums_of(w, id);
    CHECK(t, measured(w, "hits") > 40);
    NEAR(t, measured(w, "dissipated_energy"), 0, 1e-10);
    NEAR(t, after.energy, before.energy, 1e-11 * before.energy);
    NEAR3(t, after.momentum, before.momentum, 1e-11);
    CHECK(t, worst_overlap(w, id) < 1e-8);
    kin_world_destroy(w);
}

/* C1.4.3: a hundred balls in a tight box end every step; when hits are too many nothing bounces, and that is said. */
static void tight_box_terminates(test* t)
{
    for (int cap = 0; cap < 2; ++cap) {
        sphere list[100];
        scatter(list, 100, 5.05, 0.49, 4);
        kin_world* w = test_world(t, 0.05, down);
        kin_material_id m = test_material(t, w, "ball", 1, 0);
        closed_box(t, w, 2.53, m);
        spheres_setup setup = {.contacts = KIN_CONTACTS_EXACT, .material = m, .max_events = cap ? 10 : 0};
        kin_system_id id = add_spheres(t, w, &setup, list, 100);
        int capped = 0;
        for (int i = 0; i < 4; ++i) {
            kin_step_report report;
            EQUAL(t, kin_world_step(w, &report, NULL), KIN_OK);
            capped += report.capped;
        }
        CHECK(t, cap ? capped > 0 : capped == 0);
        CHECK(t, worst_overlap(w, id) < 1e-3);
        kin_particles_view view = kin_particles_state(w, id);
        for (size_t i = 0; i < view.count; ++i) CHECK(t, kin_abs(view.x[i]) < 2.53 && kin_abs(view.y[i]) < 2.53 && kin_abs(view.z[i]) < 2.53);
        kin_world_destroy(w);
    }
}

/* ---- the same bits ---- */

static kin_world* busy(test* t, int threads, kin_contacts contacts)
{
    sphere list[24];
    kin_world_def def = kin_world_def_default();
    kin_world* w;
    scatter(list, 24, 3.6, 0.4, 3);
    def.allocator = t->allocator;
    def.threads = threads;
    def.time_step = 0.01;
    def.gravity = down;
    EQUAL(t, kin_world_create(&def, &w, NULL), KIN_OK);
    kin_material_id m = test_material(t, w, "ball", 0.6, 0.3);
    closed_box(t, w, 2, m);
    add_spheres(t, w, &(spheres_setup){.contacts = contacts, .material = m}, list, 24);
    return w;
}

static void any_number_of_threads(test* t)
{
    for (int contacts = KIN_CONTACTS_FAST; contacts <= KIN_CONTACTS_EXACT; ++contacts) {
        uint64_t hash[3];
        for (int i = 0; i < 3; ++i) {
            kin_world* w = busy(t, (int[]){1, 2, 8}[i], (kin_contacts)contacts);
            test_steps(t, w, 40);
            hash[i] = kin_world_state_hash(w);
            kin_world_destroy(w);
        }
        CHECK(t, hash[0] == hash[1] && hash[0] == hash[2]);
    }
}

static void restored_after_every_step(test* t)
{
    for (int contacts = KIN_CONTACTS_FAST; contacts <= KIN_CONTACTS_EXACT; ++contacts) {
        kin_world *straight = busy(t, 1, (kin_contacts)contacts), *hopping = busy(t, 1, (kin_contacts)contacts);
        for (int i = 0; i < 40; ++i) {
            kin_snapshot s = {0};
            test_steps(t, straight, 1);
            test_steps(t, hopping, 1);
            EQUAL(t, kin_world_snapshot(hopping, &s, NULL), KIN_OK);
            kin_world_destroy(hopping);
            hopping = busy(t, 1, (kin_contacts)contacts);
            EQUAL(t, kin_world_restore(hopping, &s, NULL), KIN_OK);
            kin_snapshot_free(&s);
            if (!CHECK(t, kin_world_state_hash(straight) == kin_world_state_hash(hopping))) break;
        }
        kin_world_destroy(straight);
        kin_world_destroy(hopping);
    }
}

TEST_MAIN("particles_island", TEST(straight_paths), TEST(curved_paths), TEST(hit_at_the_exact_time), TEST(others_keep_their_bits),
          TEST(spring_of_unequal_masses), TEST(joins_islands_that_a_bounce_brings_together), TEST(laws_of_many_hits), TEST(tight_box_terminates),
          TEST(any_number_of_threads), TEST(restored_after_every_step))
