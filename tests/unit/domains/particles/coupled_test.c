/* coupled_test.c - particles that feel each other: implicit steps on spring nets, refusals, and fields that act after the step. */
#include "many.h"

enum { SIDE = 5, NET = SIDE * SIDE, MOST_SPRINGS = 2 * SIDE * (SIDE - 1) };

/* A hanging net of SIDE x SIDE, two corners held. stiffness in N/m. */
static kin_system_id add_net(test* t, kin_world* w, const char* integrator, kin_step_solver solver, double stiffness)
{
    static kin_particle_group groups[NET];
    static kin_particle_spring springs[MOST_SPRINGS];
    many m;
    size_t count = 0;
    many_begin(&m, 1, 0, 0);
    many_integrator(&m, integrator);
    m.def.solver = solver;
    for (int i = 0; i < NET; ++i) {
        groups[i] = kin_particle_group_default();
        groups[i].position = kin_v(0.1 * (i % SIDE), 0, 0.1 * (i / SIDE));
        groups[i].mass = 0.05;
        if (i == 0 || i == SIDE - 1) groups[i].mobility = KIN_MOBILITY_STATIC;
        for (int way = 0; way < 2; ++way) {
            int other = way == 0 ? i + 1 : i + SIDE;
            if (way == 0 ? i % SIDE == SIDE - 1 : other >= NET) continue;
            springs[count++] = (kin_particle_spring){.a = i, .b = other, .stiffness = stiffness, .ratio = 0.2, .rest = -1};
        }
    }
    m.def.groups = groups;
    m.def.group_count = NET;
    m.def.springs.data = springs;
    m.def.springs.count = count;
    return many_add(t, w, &m);
}

static double largest_offset(kin_world* a, kin_system_id ia, kin_world* b, kin_system_id ib)
{
    double most = 0;
    for (size_t i = 0; i < NET; ++i) most = kin_max(most, kin_distance(kin_particle_position(a, ia, i), kin_particle_position(b, ib, i)));
    return most;
}

/* w h = sqrt(k / m) / 60 = 3.3 for one spring: an explicit step would explode. All ways to solve the equations give one net. */
static void nets_are_stable_and_agree(test* t)
{
    static const char* const integrators[] = {"implicit_euler", "linear_euler", "implicit_midpoint", "trapezoid"};
    for (int i = 0; i < 4; ++i) {
        kin_world* w[3];
        kin_system_id id[3];
        for (int s = 0; s < 3; ++s) {
            w[s] = test_world(t, 1.0 / 60, kin_v(0, -9.81, 0));
            id[s] = add_net(t, w[s], integrators[i], (kin_step_solver)(KIN_SOLVER_DENSE + s), 2000);
            test_steps(t, w[s], 30);
        }
        double sparse = largest_offset(w[0], id[0], w[1], id[1]), free_of_matrix = largest_offset(w[0], id[0], w[2], id[2]);
        test_check(t, sparse < 1e-5, __FILE__, __LINE__, "%s: sparse is off by %g m", integrators[i], sparse);
        test_check(t, free_of_matrix < 1e-4, __FILE__, __LINE__, "%s: matrix_free is off by %g m", integrators[i], free_of_matrix);
        for (size_t k = 0; k < NET; ++k) CHECK(t, kin_length(kin_particle_position(w[0], id[0], k)) < 1);
        for (int s = 0; s < 3; ++s) kin_world_destroy(w[s]);
    }
}

/* What an adaptive integrator cannot take within min_step refuses the step: when, who and what is said, and the world is as before. */
static void a_minimum_step_refuses(test* t)
{
    for (int springs = 0; springs <= 1; ++springs) {
        many m;
        kin_world* w = test_world(t, 0.1, kin_v(0, 0, 0));
        kin_particle_spring spring = {.a = 0, .b = 1, .stiffness = 1e-9, .rest = 1};
        kin_attractor_field sun;
        kin_error error = {0};
        kin_step_report report;
        CHECK(t, kin_field_default("attractor", &sun));
        sun.attractor = 1;
        sun.core = 1e-6;
        EQUAL(t, kin_world_add_field(w, "attractor", &sun, NULL, &error), KIN_OK);
        many_begin(&m, 1, 0, 2);
        many_integrator(&m, "adaptive_rk45");
        m.def.tolerance = 1e-9;
        m.def.min_step = 1e-3;
        m.groups[0].position = kin_v(50, 0, 0);
        m.groups[1].position = kin_v(0.3, 0, 0); /* falls into the centre after 0.18 s */
        m.def.springs.data = &spring;
        m.def.springs.count = (size_t)springs;
        kin_system_id id = many_add(t, w, &m);
        kin_result result = KIN_OK;
        uint64_t before = 0;
        for (int i = 0; i < 5 && result == KIN_OK; ++i) {
            before = kin_world_state_hash(w);
            result = kin_world_step(w, &report, &error);
        }
        EQUAL(t, result, KIN_ERROR_NUMERICS);
        HAS(t, error.message, "particles[1]");
        HAS(t, error.message, "adaptive_rk45: not within tolerance at t = 0.1");
        HAS(t, error.message, "x is worst");
        CHECK(t, kin_world_state_hash(w) == before);
        CHECK(t, kin_finite3(kin_particle_position(w, id, 1)));
        kin_world_destroy(w);
    }
}

/* H5.2: what a vortex carries along meets the floor like all else, alone or tied by springs. */
static void a_vortex_pushes_nobody_through_a_floor(test* t)
{
    for (int springs = 0; springs <= 1; ++springs) {
        many m;
        kin_particle_spring spring = {.a = 0, .b = 1, .stiffness = 10, .rest = -1};
        kin_world* w = test_world(t, 1.0 / 60, kin_v(0, 0, 0));
        kin_vortex_field whirl;
        test_plane(t, w, kin_v(0, 0, 0), kin_v(0, 1, 0), test_material(t, w, "floor", 0.2, 0));
        CHECK(t, kin_field_default("vortex", &whirl));
        whirl.vortex = 1;
        whirl.max_rate = 3;
        whirl.base = kin_v(0, 0.5, -5);
        whirl.axis = kin_v(0, 0, 1);
        whirl.length = 10;
        whirl.radius = 2;
        EQUAL(t, kin_world_add_field(w, "vortex", &whirl, NULL, NULL), KIN_OK);
        many_begin(&m, 1, 0, 4);
        for (int i = 0; i < 4; ++i) {
            m.groups[i].position = kin_v(0.4 + 0.3 * i, 0.5, 0.5 * i); /* would go round below the floor */
            m.groups[i].radius = 0.05;
        }
        m.def.springs.data = &spring;
        m.def.springs.count = (size_t)springs;
        kin_system_id id = many_add(t, w, &m);
        double turned = 0;
        for (int step = 0; step < 240; ++step) {
            test_steps(t, w, 1);
            for (size_t i = 0; i < 4; ++i) {
                kin_vec3 x = kin_particle_position(w, id, i);
                turned = kin_max(turned, x.y);
                if (!test_check(t, x.y >= 0.05 - 1e-6 && kin_finite3(x), __FILE__, __LINE__, "springs %d, step %d: particle %zu at y = %g", springs, step, i,
                                x.y))
                    step = 240;
            }
        }
        CHECK(t, turned > 0.6); /* it does carry */
        kin_world_destroy(w);
    }
}

/* Limits hold and kicks come at their rate, with and without springs. */
static void limits_and_kicks_in_a_world(test* t)
{
    for (int springs = 0; springs <= 1; ++springs) {
        many m;
        kin_particle_spring spring = {.a = 0, .b = 1, .stiffness = 1e-6, .rest = -1};
        kin_world* w = test_world(t, 0.01, kin_v(0, -10, 0));
        kin_speed_limit_field limit;
        kin_kicks_field kicks;
        CHECK(t, kin_field_default("speed_limit", &limit) && kin_field_default("kicks", &kicks));
        limit.speed_limit = 2;
        kicks.kicks = 0.5;
        kicks.rate = 40;
        EQUAL(t, kin_world_add_field(w, "kicks", &kicks, NULL, NULL), KIN_OK);
        EQUAL(t, kin_world_add_field(w, "speed_limit", &limit, NULL, NULL), KIN_OK);
        many_begin(&m, 1, 0, 1);
        m.groups[0].count = 200;
        m.groups[0].box = kin_v(10, 10, 10);
        m.def.springs.data = &spring;
        m.def.springs.count = (size_t)springs;
        kin_system_id id = many_add(t, w, &m);
        test_steps(t, w, 100);
        double sideways = 0;
        for (size_t i = 0; i < 200; ++i) {
            kin_vec3 v = kin_particle_velocity(w, id, i);
            CHECK(t, kin_length(v) <= 2 + 1e-9);
            sideways += kin_abs(v.x) / 200;
        }
        CHECK(t, sideways > 0.1);
        kin_world_destroy(w);
    }
}

/* What particles leave is theirs times the time: the volume's mass is deposit x particles x t, as long as they are in the box. */
static void deposits_add_up(test* t)
{
    many m;
    kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
    many_begin(&m, 1, 0, 3);
    m.kinds[0].deposit = 0.2;
    m.def.volume.box = kin_v(4, 4, 4);
    m.def.volume.resolution = 16;
    for (int i = 0; i < 3; ++i) m.groups[i].position = kin_v(0.5 * i, 0, 0);
    m.groups[2].mobility = KIN_MOBILITY_INACTIVE;
    m.groups[0].velocity = kin_v(0, 0.5, 0);
    kin_system_id id = many_add(t, w, &m);
    for (int i = 1; i <= 100; ++i) {
        test_steps(t, w, 1);
        NEAR(t, measured(w, id, "volume_mass"), 2 * 0.2 * 0.01 * i, 1e-5);
    }
    kin_world_destroy(w);
}

TEST_MAIN("coupled", TEST(nets_are_stable_and_agree), TEST(a_minimum_step_refuses), TEST(a_vortex_pushes_nobody_through_a_floor),
          TEST(limits_and_kicks_in_a_world), TEST(deposits_add_up))
