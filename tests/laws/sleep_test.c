/* sleep_test.c - what moves does not fall asleep, however short it has been under way: momentum through hits at any time, a ball that turns round on a slope, a
 * weight on a spring; and what rests does, soon. */
#include "kinema/rigid.h"
#include "math/vec3.h"
#include "support/test.h"
#include "support/world.h"

#define G 9.81
#define DT (1.0 / 60)

typedef struct place {
    kin_world* world;
    kin_system_id system;
    kin_material_id material;
} place;

static place begin(test* t, kin_vec3 gravity, double restitution, double friction)
{
    place p = {.world = test_world(t, DT, gravity)};
    kin_rigid_def rigid = kin_rigid_def_default();
    CHECK(t, kin_rigid_create(p.world, &rigid, &p.system, NULL) == KIN_OK);
    p.material = test_material(t, p.world, "m", restitution, friction);
    return p;
}

static const kin_shape ball = {.kind = KIN_SHAPE_SPHERE, .radius = 0.2};

/* A ball hits another that has been at rest for any time up to two whiles of sleep_time; both go on, to the last digit but rounding. */
static void what_was_hit_lately_goes_on(test* t)
{
    for (int i = 0; i < 60; ++i) {
        const double speed = 0.3 + 0.05 * (i % 11), time = (2 + i) * DT;
        place p = begin(t, kin_v(0, 0, 0), 0.5, 0);
        const uint32_t a = test_plain_body(t, p.world, p.system, p.material, ball, 1, kin_v(-0.4 - speed * time, 0, 0), kin_v(speed, 0, 0));
        const uint32_t b = test_plain_body(t, p.world, p.system, p.material, ball, 2, kin_v(0, 0, 0), kin_v(0, 0, 0));
        test_steps(t, p.world, i + 60);
        const double va = kin_rigid_state(p.world, p.system, a).velocity.x, vb = kin_rigid_state(p.world, p.system, b).velocity.x;
        if (!NEAR(t, va + 2 * vb, speed, 1e-6 * speed)) test_check(t, false, __FILE__, __LINE__, "hit after %d steps at %g m/s", i + 2, speed);
        kin_world_destroy(p.world);
    }
}

/* Up by v^2 / 2 a and down again, a = 5/7 g sin: a body of an acceleration above sleep_speed / sleep_time is not held by anything. */
static void balls_turn_round_on_slopes(test* t)
{
    static const double angles[4] = {0.02, 0.05, 0.1, 0.2};
    for (int i = 0; i < 4; ++i) {
        const double angle = angles[i], c = kin_cos(angle), s = kin_sin(angle), speed = 0.6, pull = 5.0 / 7 * G * s, time = 3 * speed / pull;
        place p = begin(t, kin_v(0, -G, 0), 0, 0.8);
        test_plane(t, p.world, kin_v(0, 0, 0), kin_v(s, c, 0), p.material);
        kin_body_def def = kin_body_def_default();
        def.shape = ball, def.mass = 1, def.material = p.material;
        def.position = kin_v(0.2 * s, 0.2 * c, 0), def.velocity = kin_v(-speed * c, speed * s, 0), def.spin = kin_v(0, 0, speed / 0.2);
        const uint32_t body = test_body(t, p.world, p.system, &def);
        test_steps(t, p.world, (int)(time / DT));
        const double at = (int)(time / DT) * DT, way = -speed * at + 0.5 * pull * at * at;
        const kin_vec3 x = kin_rigid_state(p.world, p.system, body).pose.position;
        NEAR(t, (x.x - 0.2 * s) * c - (x.y - 0.2 * c) * s, way, 0.01 * speed * speed / pull + 0.005 * way);
        kin_world_destroy(p.world);
    }
}

static void what_rests_falls_asleep(test* t)
{
    place p = begin(t, kin_v(0, -G, 0), 0, 0.5);
    uint32_t body[6];
    test_plane(t, p.world, kin_v(0, 0, 0), kin_v(0, 1, 0), p.material);
    for (int i = 0; i < 6; ++i)
        body[i] = test_plain_body(t, p.world, p.system, p.material, (kin_shape){.kind = KIN_SHAPE_BOX, .size = {0.5, 0.5, 0.5}}, 1, kin_v(0, 0.25 + 0.5 * i, 0),
                                  kin_v(0, 0, 0));
    test_steps(t, p.world, 120);
    for (int i = 0; i < 6; ++i) CHECK(t, !kin_rigid_state(p.world, p.system, body[i]).awake);
    kin_world_destroy(p.world);
}

TEST_MAIN("laws/sleep", TEST(what_was_hit_lately_goes_on), TEST(balls_turn_round_on_slopes), TEST(what_rests_falls_asleep))
