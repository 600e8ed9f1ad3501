/* field_shape_test.c - what bodies and particles do on a solid that is stored as signed distances. The values on a flat face are linear, which both stores keep
 * without error two cells and more from its edges: a ball bounces by its restitution, a block and a ball come down a slope as on a plane, and particles slide
 * and rest. Both stores, both modes. */
#include "kinema/rigid.h"
#include "math/quat.h"
#include "support/test.h"
#include "support/world.h"

#define G 9.81
#define DT (1.0 / 240)
enum { STORES = 3 }; /* band, scanlines, and a plain box for comparison */

typedef struct slope {
    test* t;
    kin_world* world;
    kin_system_id system;
    kin_material_id material;
    kin_quat turn;
} slope;

/* A plate of 6 x 0.7 x 4 m, its upper face through the origin, falling towards +x by the angle. */
static slope begin(test* t, int store, kin_rigid_mode mode, double gravity, double angle, double restitution, double friction)
{
    static const kin_vec3 corners[8] = {{-3, -0.7, -2}, {3, -0.7, -2}, {-3, 0, -2}, {3, 0, -2}, {-3, -0.7, 2}, {3, -0.7, 2}, {-3, 0, 2}, {3, 0, 2}};
    static const uint32_t quads[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6}, sizes[6] = {4, 4, 4, 4, 4, 4};
    slope x = {.t = t, .world = test_world(t, DT, kin_v(0, -gravity, 0)), .turn = kin_quat_axis_angle(kin_v(0, 0, 1), -angle)};
    kin_rigid_def rigid = kin_rigid_def_default();
    rigid.mode = mode;
    CHECK(t, kin_rigid_create(x.world, &rigid, &x.system, NULL) == KIN_OK);
    x.material = test_material(t, x.world, "plate", restitution, friction);
    kin_collider_def def = kin_collider_def_default();
    def.shape = (kin_shape){.kind = KIN_SHAPE_FIELD, .resolution = 32, .mesh = {corners, 8, sizes, quads, 6}};
    def.shape.field_method = store == 1 ? KIN_FIELD_SCANLINES : KIN_FIELD_BAND;
    if (store == 2) def.shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = {6, 0.7, 4}, .offset = {0, -0.35, 0}};
    def.orientation = x.turn;
    def.material = x.material;
    kin_collider_id id;
    CHECK(t, kin_world_add_collider(x.world, &def, &id, NULL) == KIN_OK);
    return x;
}

static uint32_t put(slope* x, kin_shape shape, kin_vec3 place, kin_vec3 velocity)
{
    kin_body_def def = kin_body_def_default();
    def.shape = shape;
    def.position = kin_rotate(x->turn, place);
    def.velocity = kin_rotate(x->turn, velocity);
    def.orientation = x->turn;
    def.mass = 2;
    def.material = x->material;
    return test_body(x->t, x->world, x->system, &def);
}

static kin_vec3 place_of(const slope* x, uint32_t body) { return kin_rotate(kin_quat_conj(x->turn), kin_rigid_state(x->world, x->system, body).pose.position); }
static kin_vec3 speed_of(const slope* x, uint32_t body) { return kin_rotate(kin_quat_conj(x->turn), kin_rigid_state(x->world, x->system, body).velocity); }

/* 1/2 g (sin - mu cos) t^2; a ball that rolls, 5/7 sin. Half a per cent: what friction laws are held to elsewhere. */
static void blocks_slide_and_balls_roll(test* t)
{
    const double angle = 0.5, mu = 0.3, time = 1;
    for (int mode = 0; mode < 2; ++mode) {
        for (int store = 0; store < STORES; ++store) {
            slope x = begin(t, store, (kin_rigid_mode)mode, G, angle, 0, mu);
            const uint32_t block = put(&x, (kin_shape){.kind = KIN_SHAPE_BOX, .size = {0.5, 0.2, 0.3}}, kin_v(-2.3, 0.1, 0.7), kin_v(0, 0, 0));
            const uint32_t ball = put(&x, (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 0.2}, kin_v(-2.3, 0.2, -0.7), kin_v(0, 0, 0));
            test_steps(t, x.world, (int)(time / DT + 0.5));
            const double slid = 0.5 * G * (kin_sin(angle) - mu * kin_cos(angle)) * time * time, rolled = 0.5 * G * kin_sin(angle) * 5 / 7 * time * time;
            NEAR(t, place_of(&x, block).x + 2.3, slid, 5e-3 * slid);
            NEAR(t, place_of(&x, ball).x + 2.3, rolled, 5e-3 * rolled);
            NEAR(t, place_of(&x, block).y, 0.1, 1e-3);
            NEAR(t, place_of(&x, ball).y, 0.2, 1e-3);
            NEAR(t, place_of(&x, block).z, 0.7, 1e-3);
            kin_world_destroy(x.world);
        }
    }
}

/* Off the plate's normal at e times the speed, whatever the plate's slope; along it, without friction, as before. */
static void balls_bounce(test* t)
{
    for (int mode = 0; mode < 2; ++mode) {
        for (int store = 0; store < STORES; ++store) {
            for (int k = 0; k < 6; ++k) {
                const double e = 0.2 * k;
                slope x = begin(t, store, (kin_rigid_mode)mode, 0, 0.3 * k, e, 0);
                const uint32_t ball = put(&x, (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 0.1}, kin_v(0.1 * k, 0.5, -0.2 * k), kin_v(1, -8, 0.5));
                test_steps(t, x.world, 24);
                const kin_vec3 v = speed_of(&x, ball);
                NEAR(t, v.y, 8 * e, 0.01 * 8);
                NEAR(t, v.x, 1, 1e-6);
                NEAR(t, v.z, 0.5, 1e-6);
                kin_world_destroy(x.world);
            }
        }
    }
}

/* A particle falls to the plate, slides down it and, where it is level, rests. */
static void particles_slide_and_rest(test* t)
{
    for (int store = 0; store < STORES; ++store) {
        for (int k = 0; k < 2; ++k) {
            const double angle = 0.4 * k, mu = 0.2, time = 1, pull = k == 0 ? 0 : G * (kin_sin(angle) - mu * kin_cos(angle));
            slope x = begin(t, store, KIN_RIGID_REALTIME, G, angle, 0, mu);
            const kin_system_id balls =
                test_ball(t, x.world, &(test_ball_setup){.position = kin_rotate(x.turn, kin_v(-2, 0.05, 0.3)), .radius = 0.05, .friction = mu});
            test_steps(t, x.world, (int)(time / DT + 0.5));
            const kin_vec3 at = kin_rotate(kin_quat_conj(x.turn), kin_particle_position(x.world, balls, 0));
            NEAR(t, at.x + 2, 0.5 * pull * time * time, 5e-3 * pull + 1e-9);
            NEAR(t, at.y, 0.05, 1e-3);
            NEAR(t, at.z, 0.3, 1e-9);
            kin_world_destroy(x.world);
        }
    }
}

TEST_MAIN("laws/field_shape", TEST(blocks_slide_and_balls_roll), TEST(balls_bounce), TEST(particles_slide_and_rest))
