/* hold_test.c - contact forces between particles (Coutinho 3.5.3, 3.5.4), and coming to rest. */
#include "domains/particles/island.h"
#include "spheres.h"

static const kin_vec3 down = {0, -10, 0};

/* A chain of 1, 2 and 3 kg pushed by 6 N: A = [[1.5, -.5], [-.5, 5/6]], forces 5 and 3 (book's numbers). n points from the second to the first. */
static void chain_forces(test* t)
{
    kin_arena arena;
    double give[3] = {1, 0.5, 1.0 / 3}, offset[6] = {-6, 0, 0, 0, 0, 0}, force[6], accel[6];
    kin_basis frame = kin_basis_from_normal(kin_v(-1, 0, 0));
    kin_arena_init(&arena, &t->allocator);
    for (int rough = 0; rough < 2; ++rough) {
        kin_pair pair = {0, {0.5 * rough, 0.5 * rough}, {0.5 * rough, 0.5 * rough}};
        kin_grain_touch touches[2] = {{.a = 0, .b = 1, .frame = frame, .pair = pair}, {.a = 1, .b = 2, .frame = frame, .pair = pair}};
        kin_island island = {.count = 3, .give = give, .touches = touches, .touch_count = 2, .arena = &arena};
        NEAR(t, kin_grain_couple(&island, &touches[0], frame.n, &touches[0], frame.n), 1.5, 1e-15);
        NEAR(t, kin_grain_couple(&island, &touches[0], frame.n, &touches[1], frame.n), -0.5, 1e-15);
        NEAR(t, kin_grain_couple(&island, &touches[1], frame.n, &touches[0], frame.n), -0.5, 1e-15);
        NEAR(t, kin_grain_couple(&island, &touches[1], frame.n, &touches[1], frame.n), 5.0 / 6, 1e-15);
        CHECK(t, kin_group_solve(&island, 0, 2, offset, true, force, accel));
        NEAR(t, force[0], 5, 1e-12);
        NEAR(t, force[3], 3, 1e-12);
        NEAR(t, accel[0], 0, 1e-12);
        NEAR(t, accel[3], 0, 1e-12);
    }
    kin_arena_term(&arena);
}

/* Sweeps over a group and the exact solver end at the same accelerations: a row of four under two, pressed down, with friction, one sliding. */
static void relaxing_agrees_with_solving(test* t)
{
    kin_arena arena;
    double give[5] = {1, 0.5, 2, 1, 0.25}, offset[21], exact[21], exact_accel[21], relaxed[21] = {0}, accel[21];
    kin_pair pair = {0, {0.3, 0.3}, {0.2, 0.2}};
    kin_grain_touch touches[7];
    static const uint32_t ends[7][2] = {
        {0, KIN_GRAIN_SOLID}, {1, KIN_GRAIN_SOLID}, {2, KIN_GRAIN_SOLID}, {3, 0}, {3, 1}, {4, 1}, {4, 2},
    };
    kin_arena_init(&arena, &t->allocator);
    for (int i = 0; i < 7; ++i) {
        double lean = i < 3 ? 0 : i % 2 ? 0.5 : -0.5;
        kin_vec3 n = kin_normalize_or(kin_v(lean, 1, 0), kin_axis(1));
        touches[i] = (kin_grain_touch){.a = ends[i][0], .b = ends[i][1], .frame = kin_basis_from_normal(n), .pair = pair};
        kin_vec3 pull = i < 3 ? kin_v(0.5, -10, 0) : kin_v(0, -0.1 * i, 0.3);
        kin_vec3 local = kin_basis_to_local(touches[i].frame, pull);
        memcpy(offset + 3 * i, (double[]){local.x, local.y, local.z}, 3 * sizeof *offset);
    }
    touches[2].heading = kin_v(1, 0, 0);
    kin_island island = {.count = 5, .give = give, .touches = touches, .touch_count = 7, .arena = &arena};
    kin_lcp_friction_contact mu[7];
    for (int i = 0; i < 7; ++i) mu[i] = kin_grain_friction(&touches[i], true);
    CHECK(t, kin_group_solve(&island, 0, 7, offset, true, exact, exact_accel));
    CHECK(t, kin_group_relax(&island, 0, 7, offset, mu, relaxed, accel));
    for (int i = 0; i < 21; ++i) {
        if (i % 3 == 0) NEAR(t, relaxed[i], exact[i], 1e-8); /* friction can be shared in many ways */
        NEAR(t, accel[i], exact_accel[i], 1e-8);
    }
    CHECK(t, exact[6] > 1);
    NEAR(t, kin_dot(kin_basis_to_world(touches[2].frame, kin_v(0, exact[7], exact[8])), kin_v(1, 0, 0)), -0.2 * exact[6], 1e-9);
    kin_arena_term(&arena);
}

/* F = 0: they fall as if alone, and stay as near. */
static void touching_in_free_fall(test* t)
{
    static const char* const names[] = {"semi_implicit", "rk4", "verlet"};
    for (int i = 0; i < 3; ++i) {
        kin_world* w = test_world(t, 0.01, down);
        kin_material_id m = test_material(t, w, "ball", 0.5, 0.5);
        sphere list[2] = {{.x = {0, 0, 0}}, {.x = {0, 1 + 1e-8, 0}, .mass = 3}};
        kin_system_id id = add_spheres(t, w, &(spheres_setup){.integrator = names[i], .contacts = KIN_CONTACTS_EXACT, .material = m}, list, 2);
        test_steps(t, w, 100);
        NEAR3(t, speed_of(w, id, 0), kin_v(0, -10, 0), 1e-11);
        NEAR3(t, speed_of(w, id, 1), kin_v(0, -10, 0), 1e-11);
        NEAR(t, kin_distance(place_of(w, id, 0), place_of(w, id, 1)), 1, 1e-7);
        kin_world_destroy(w);
    }
}

/* From rest at angle a on a smooth fixed sphere it leaves at cos = 2/3 cos a, and keeps the speed along x it has there: v_x^2 = g R cos^3. */
static void leaves_a_sphere_at_two_thirds(test* t)
{
    double start = 0.2, length = 2, c = 2.0 / 3 * kin_cos(start);
    kin_world* w = test_world(t, 0.005, down);
    kin_material_id m = test_material(t, w, "ice", 0, 0);
    sphere list[2] = {{.x = {0, 0, 0}, .radius = 1.9, .mobility = KIN_MOBILITY_STATIC},
                      {.x = {length * kin_sin(start), length * kin_cos(start), 0}, .radius = 0.1}};
    kin_system_id id = add_spheres(t, w, &(spheres_setup){.contacts = KIN_CONTACTS_EXACT, .material = m}, list, 2);
    double left = 0;
    for (int i = 0; i < 500 && left == 0; ++i) {
        test_steps(t, w, 1);
        kin_vec3 x = place_of(w, id, 1);
        if (kin_length(x) > length + 1e-6) left = x.y / kin_length(x);
    }
    NEAR(t, left, c, 0.03); /* a step or two of 0.005 s at 3.6 m/s after it happened */
    NEAR(t, speed_of(w, id, 1).x, kin_sqrt(10 * length * c * c * c), 2e-4);
    kin_world_destroy(w);
}

/* N2, with two spheres side by side: g (sin - mu cos), or nothing when tan <= mu. */
static void incline(test* t)
{
    for (int i = 0; i < 2; ++i) {
        double angle = 0.5, mu = i == 0 ? 0.4 : 0.6; /* tan 0.5 = 0.546 */
        kin_vec3 n = {-kin_sin(angle), kin_cos(angle), 0};
        kin_world* w = test_world(t, 0.01, down);
        kin_material_id m = test_material(t, w, "wood", 0.2, mu);
        test_plane(t, w, kin_v(0, 0, 0), n, m);
        sphere list[2] = {{.x = kin_scale(n, 0.1)}, {.x = kin_add(kin_scale(n, 0.1), kin_v(0, 0, 0.2))}};
        list[0].radius = list[1].radius = 0.1;
        kin_system_id id = add_spheres(t, w, &(spheres_setup){.contacts = KIN_CONTACTS_EXACT, .material = m}, list, 2);
        test_steps(t, w, 100);
        double a = 10 * (kin_sin(angle) - mu * kin_cos(angle));
        for (size_t k = 0; k < 2; ++k) {
            NEAR(t, kin_length(speed_of(w, id, k)), i == 0 ? a : 0, 1e-6);
            NEAR(t, kin_distance(place_of(w, id, k), list[k].x), i == 0 ? a / 2 : 0, 2e-6);
        }
        kin_world_destroy(w);
    }
}

/* Slides to a halt after v / (mu g), and stays. Two of them, in touch. */
static void friction_stops_and_does_not_drive_back(test* t)
{
    kin_world* w = test_world(t, 0.013, down);
    kin_material_id m = test_material(t, w, "wood", 0.2, 0.5);
    test_plane(t, w, kin_v(0, 0, 0), kin_v(0, 1, 0), m);
    sphere list[2] = {{.x = {0, 0.5, 0}, .v = {1, 0, 0}}, {.x = {0, 0.5, 1}, .v = {1, 0, 0}}};
    kin_system_id id = add_spheres(t, w, &(spheres_setup){.contacts = KIN_CONTACTS_EXACT, .material = m}, list, 2);
    test_steps(t, w, 60);
    NEAR(t, place_of(w, id, 0).x, 0.1, 1e-6);
    NEAR(t, place_of(w, id, 1).x, 0.1, 1e-6);
    EQUAL(t, kin_particles_state(w, id).resting[0], 1);
    kin_world_destroy(w);
}

/* A stack of three is dropped on the floor, a pyramid is set down: they rest without a bit of motion. */
static void piles_rest(test* t)
{
    static const char* const names[] = {"semi_implicit", "rk4", "leapfrog"};
    double high = 0.5 + kin_sqrt(0.75);
    sphere stack[3] = {{.x = {0, 0.6, 0}}, {.x = {0, 1.8, 0}, .mass = 2}, {.x = {0, 2.9, 0}, .mass = 5}};
    sphere pyramid[3] = {{.x = {-0.5, 0.5, 0}}, {.x = {0.5, 0.5, 0}}, {.x = {0, high, 0}, .mass = 2}};
    for (int i = 0; i < 6; ++i) {
        kin_world* w = test_world(t, 0.01, down);
        kin_material_id m = test_material(t, w, "rubber", 0.3, 0.8);
        test_plane(t, w, kin_v(0, 0, 0), kin_v(0, 1, 0), m);
        spheres_setup setup = {.integrator = names[i / 2], .contacts = KIN_CONTACTS_EXACT, .material = m};
        kin_system_id id = add_spheres(t, w, &setup, i % 2 ? stack : pyramid, 3);
        test_steps(t, w, 200);
        kin_vec3 before[3];
        for (size_t k = 0; k < 3; ++k) before[k] = place_of(w, id, k);
        uint64_t allocations = t->allocations;
        test_steps(t, w, 50);
        EQUAL(t, t->allocations, allocations);
        for (size_t k = 0; k < 3; ++k) {
            kin_vec3 now = place_of(w, id, k);
            CHECK(t, memcmp(&before[k], &now, sizeof now) == 0);
            NEAR3(t, speed_of(w, id, k), kin_v(0, 0, 0), 0);
            EQUAL(t, kin_particles_state(w, id).resting[k], 1);
            NEAR(t, now.y, i % 2 ? 0.5 + (double)k : k < 2 ? 0.5 : high, 4e-4);
        }
        EQUAL(t, kin_world_moved(w, NULL, 0), 0);
        kin_world_destroy(w);
    }
}

/* More touches than the exact solvers take: each carries the weight above it. */
static void tall_column_rests(test* t)
{
    sphere list[15];
    kin_world* w = test_world(t, 0.01, down);
    kin_material_id m = test_material(t, w, "rubber", 0.3, 0.8);
    test_plane(t, w, kin_v(0, 0, 0), kin_v(0, 1, 0), m);
    for (int i = 0; i < 15; ++i) list[i] = (sphere){.x = {0, 0.5 + i * (1 + 1e-6), 0}, .mass = 1 + i % 3};
    kin_system_id id = add_spheres(t, w, &(spheres_setup){.contacts = KIN_CONTACTS_EXACT, .material = m}, list, 15);
    test_steps(t, w, 20);
    for (size_t i = 0; i < 15; ++i) {
        EQUAL(t, kin_particles_state(w, id).resting[i], 1);
        NEAR3(t, place_of(w, id, i), list[i].x, 1e-4);
    }
    kin_world_destroy(w);
}

/* A lift goes up at 1 m/s: what stands on it goes along, on the other way of contacts too. */
static void rides_a_lift(test* t)
{
    for (int how = KIN_CONTACTS_FAST; how <= KIN_CONTACTS_EXACT; ++how) {
        kin_world* w = test_world(t, 0.01, down);
        const kin_key keys[2] = {{0, {0, 0, 0}, {0, 0, 0, 1}}, {2, {0, 2, 0}, {0, 0, 0, 1}}};
        kin_collider_def def = kin_collider_def_default();
        kin_material_id m = test_material(t, w, "wood", 0, 0.5);
        def.shape.kind = KIN_SHAPE_BOX;
        def.shape.size = kin_v(4, 1, 4);
        def.keys = keys;
        def.key_count = 2;
        def.material = m;
        EQUAL(t, kin_world_add_collider(w, &def, NULL, NULL), KIN_OK);
        sphere list[2] = {{.x = {0, 1, 0}, .v = {0, 1, 0}}, {.x = {1, 1, 0}, .v = {0, 1, 0}}};
        kin_system_id id = add_spheres(t, w, &(spheres_setup){.contacts = (kin_contacts)how, .material = m}, list, 2);
        test_steps(t, w, 100);
        for (size_t i = 0; i < 2; ++i) {
            NEAR3(t, place_of(w, id, i), kin_v((double)i, 2, 0), 2e-3);
            NEAR3(t, speed_of(w, id, i), kin_v(0, 1, 0), 1e-6);
        }
        kin_world_destroy(w);
    }
}

/* What rests wakes when it is pushed or hit. */
static void wakes(test* t)
{
    kin_world* w = test_world(t, 0.01, down);
    kin_material_id m = test_material(t, w, "rubber", 0, 0.5);
    test_plane(t, w, kin_v(0, 0, 0), kin_v(0, 1, 0), m);
    sphere list[2] = {{.x = {0, 0.5, 0}}, {.x = {1, 0.5, 0}}};
    kin_system_id id = add_spheres(t, w, &(spheres_setup){.contacts = KIN_CONTACTS_EXACT, .material = m}, list, 2);
    test_steps(t, w, 20);
    EQUAL(t, kin_particles_state(w, id).resting[1], 1);
    EQUAL(t, kin_world_place(w, (kin_anchor){1, 0, {0}}, kin_v(0, 0.5, 0), kin_v(4, 0, 0), NULL), KIN_OK);
    test_steps(t, w, 10);
    CHECK(t, place_of(w, id, 1).x > 1.1);
    kin_world_destroy(w);
}

TEST_MAIN("particles_hold", TEST(chain_forces), TEST(relaxing_agrees_with_solving), TEST(touching_in_free_fall), TEST(leaves_a_sphere_at_two_thirds),
          TEST(incline), TEST(friction_stops_and_does_not_drive_back), TEST(piles_rest), TEST(tall_column_rests), TEST(rides_a_lift), TEST(wakes))
