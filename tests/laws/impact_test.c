/* impact_test.c - impacts of real time in free space: they make no energy and keep both momenta, whatever the forms, restitution, friction and frame rate; an isolated one gives back e of
 * the approach; rows of balls pass it on, however near they stand. The large number of cases: `kinema validate rigid/realtime-impacts --full`. */
#include "kinema/rigid.h"
#include "math/vec3.h"
#include "support/test.h"
#include "support/world.h"
#include "validation/rigid/impacts.h"

static void check_run(test* t, uint64_t seed, int bodies, kin_impact_setup kind)
{
    const kin_impact_report r = kin_impact_run(seed, bodies, kind);
    bool ok = CHECK(t, r.ok);
    if (kind != KIN_IMPACT_JOINED) ok &= NEAR(t, kin_max(r.gain, 0), 0, KIN_IMPACT_KEPT) && NEAR(t, kin_max(r.left, 1), 1, KIN_IMPACT_KEPT);
    ok &= NEAR(t, r.momentum, 0, KIN_IMPACT_KEPT);
    ok &= NEAR(t, r.angular, 0, KIN_IMPACT_KEPT);
    test_check(t, ok, __FILE__, __LINE__, "seed %d, %d bodies", (int)seed, bodies);
}

static void impacts_make_no_energy_and_keep_momenta(test* t)
{
    for (uint64_t i = 0; i < 600; ++i) check_run(t, 1000 + i, 2, KIN_IMPACT_ANY);
    for (uint64_t i = 0; i < 200; ++i) check_run(t, 2000 + i, 3 + (int)(i % 8), KIN_IMPACT_ANY);
}

static void jointed_sets_keep_momenta(test* t)
{
    for (uint64_t i = 0; i < 200; ++i) check_run(t, 3000 + i, 2 + (int)(i % 9), KIN_IMPACT_JOINED);
}

static kin_world* balls(test* t, double h, double e, const double* x, const double* v, int count, kin_system_id* system)
{
    kin_world* w = test_world(t, h, kin_v(0, 0, 0));
    kin_rigid_def rigid = kin_rigid_def_default();
    CHECK(t, kin_rigid_create(w, &rigid, system, NULL) == KIN_OK);
    kin_material_id m = test_material(t, w, "balls", e, 0.3);
    for (int i = 0; i < count; ++i)
        test_plain_body(t, w, *system, m, (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 0.5}, 2, kin_v(x[i], 0, 0), kin_v(v[i], 0, 0));
    return w;
}

/* n at 4 m/s into the others: as many leave. */
static void rows_pass_impacts_on(test* t)
{
    enum { MOST = 10 };
    const double gaps[] = {0, 1e-4, 1e-3, 0.01, 0.03, 0.1, 0.5}, rates[] = {30, 60, 120};
    for (int count = 2; count <= MOST; ++count) {
        for (int g = 0; g < 7; ++g) {
            for (int moving = 1; moving <= (count + 1) / 2; moving += 2) {
                double x[MOST], v[MOST], h = 1 / rates[(count + g) % 3];
                for (int i = 0; i < count; ++i) x[i] = i * (1 + gaps[g]) + (i >= moving ? 0.3 : 0), v[i] = i < moving ? 4 : 0;
                kin_system_id system;
                kin_world* w = balls(t, h, 1, x, v, count, &system);
                test_steps(t, w, (int)((0.3 + count * gaps[g]) / 4 / h) + 40);
                bool ok = true;
                for (uint32_t i = 0; i < (uint32_t)count; ++i)
                    ok &= NEAR3(t, kin_rigid_state(w, system, i).velocity, kin_v((int)i >= count - moving ? 4 : 0, 0, 0), 0.01);
                kin_world_destroy(w);
                if (!test_check(t, ok, __FILE__, __LINE__, "%d balls, %d come, gap %g", count, moving, gaps[g])) return;
            }
        }
    }
}

static void isolated_hits_give_back_e(test* t)
{
    for (int i = 0; i < 40; ++i) {
        const double e = i % 20 / 20.0, v = 1.5 + 0.4 * i, x[2] = {0, 1.01 + 0.05 * i}, to[2] = {v, 0};
        kin_system_id system;
        kin_world* w = balls(t, 1.0 / (30 + 10 * i), e, x, to, 2, &system);
        test_steps(t, w, 3 + (int)((0.01 + 0.05 * i) / v * (30 + 10 * i)));
        double apart = kin_rigid_state(w, system, 1).velocity.x - kin_rigid_state(w, system, 0).velocity.x;
        NEAR(t, apart, e * v, 0.01 * v);
        kin_world_destroy(w);
    }
}

/* A box thrown about in a closed room, e = 1 and no friction, for 30 s. */
static void a_box_keeps_its_energy(test* t)
{
    kin_world* w = test_world(t, 1.0 / 60, kin_v(0, 0, 0));
    kin_system_id system;
    kin_rigid_def rigid = kin_rigid_def_default();
    rigid.bounce_speed = 0.01;
    rigid.sleep = false;
    CHECK(t, kin_rigid_create(w, &rigid, &system, NULL) == KIN_OK);
    kin_material_id m = test_material(t, w, "room", 1, 0);
    for (int k = 0; k < 6; ++k) {
        kin_vec3 n = kin_scale(kin_axis(k / 2), k % 2 ? 1 : -1);
        test_plane(t, w, kin_scale(n, -3), n, m);
    }
    uint32_t b = test_plain_body(t, w, system, m, (kin_shape){.kind = KIN_SHAPE_BOX, .size = {1, 0.5, 0.7}}, 2, kin_v(0, 0, 0), kin_v(3, 2, 2.5));
    kin_body_state s = kin_rigid_state(w, system, b);
    double start = kin_impact_kinetic(&s);
    for (int i = 0; i < 1800; ++i) {
        test_steps(t, w, 1);
        s = kin_rigid_state(w, system, b);
        if (!NEAR(t, kin_impact_kinetic(&s) / start, 1, 5e-3)) break;
    }
    kin_world_destroy(w);
}

TEST_MAIN("laws/impact", TEST(impacts_make_no_energy_and_keep_momenta), TEST(jointed_sets_keep_momenta), TEST(rows_pass_impacts_on),
          TEST(isolated_hits_give_back_e), TEST(a_box_keeps_its_energy))
