/* steer_test.c - steering round obstacles: the rule's numbers, nothing is hit, what is there already is not asked for twice. */
#include "one.h"
#include "base/rng.h"
#include "math/random.h"
#include "support/test.h"
#include "system/steer/steer.h"

static kin_steer_field steer(double ahead, const kin_ball* ball)
{
    kin_steer_field def;
    kin_field_default("steer", &def);
    def.steering.ahead = ahead;
    def.steering.spheres = (kin_balls){ball, ball != NULL ? 1 : 0};
    return def;
}

static kin_fields fields_with(test* t, const kin_steer_field* def)
{
    kin_fields f;
    uint32_t index;
    kin_error error = {0};
    kin_fields_init(&f, &t->allocator, KIN_SIMD_NONE);
    if (kin_fields_add(&f, kin_field_named("steer"), def, &index, &error) != KIN_OK)
        test_check(t, false, __FILE__, __LINE__, "%s: %s", error.where, error.message);
    return f;
}

static kin_vec3 answer(const kin_steer_field* def, kin_vec3 x, kin_vec3 v, double radius, kin_vec3 so_far)
{
    return kin_steer_round(&def->steering, NULL, 0, &(kin_steer_self){x, v, radius, so_far});
}

/* By hand: c = (6, 1, 0), R = 2, x = 0, v = (2, 0, 0): s_close = 6, v_perp^ = (0, -1, 0), x_t = (6, -1, 0), t_t = d_t^2 / v . (x_t - x) = 37 / 12 s,
 * dv = 1 / t_t, a = 2 / t_t^2. */
static void numbers_of_the_rule(test* t)
{
    kin_ball ball = {{6, 1, 0}, 1.5};
    kin_steer_field def = steer(4, &ball);
    kin_vec3 x = {0, 0, 0}, v = {2, 0, 0}, none = {0, 0, 0};
    double a = 2 * kin_square(12.0 / 37);
    NEAR3(t, answer(&def, x, v, 0.5, none), kin_v(0, -a, 0), 1e-14);
    NEAR3(t, answer(&def, x, v, 0.5, kin_v(9, -0.1, 3)), kin_v(0, -a + 0.1, 0), 1e-14); /* max(a - e, 0) */
    NEAR3(t, answer(&def, x, v, 0.5, kin_v(0, -1, 0)), none, 0);
    NEAR3(t, answer(&def, x, v, 0.5, kin_v(0, 5, 0)), kin_v(0, -a - 5, 0), 1e-14); /* an opposing force is cancelled */
    NEAR3(t, answer(&def, x, kin_v(-2, 0, 0), 0.5, none), none, 0);                /* behind */
    NEAR3(t, answer(&def, kin_v(0, 3.1, 0), v, 0.5, none), none, 0);               /* it misses by itself */
    NEAR3(t, answer(&def, x, none, 0.5, none), none, 0);                           /* at rest */
    def.steering.ahead = 2.9;
    NEAR3(t, answer(&def, x, v, 0.5, none), none, 0); /* not yet */
    def.steering.ahead = 4;
    def.steering.limit = 0.05;
    NEAR3(t, answer(&def, x, v, 0.5, none), kin_v(0, -0.05, 0), 1e-15);
    def.steering.limit = 0;
    def.steering.margin = 0.5;
    NEAR3(t, answer(&def, x, v, 0, none), kin_v(0, -a, 0), 1e-14);
}

/* Within the margin: 0.2 m off a ball of 1 m, behind the eye, coming in at 0.5 m/s while going along at 2: u^2 / 2 d = 0.625 m/s^2 outwards stops it there, and
 * a push inwards is made up for. Who leaves is let go. */
static void within_the_margin_it_brakes(test* t)
{
    kin_ball ball = {{0, 0, 0}, 1};
    kin_steer_field def = steer(1e-6, &ball); /* looks no way ahead */
    kin_vec3 x = {1.3, 0, 0}, none = {0, 0, 0};
    def.steering.margin = 0.3;
    NEAR3(t, answer(&def, x, kin_v(-0.5, 2, 0), 0.1, none), kin_v(0.625, 0, 0), 1e-12);
    NEAR3(t, answer(&def, x, kin_v(-0.5, 2, 0), 0.1, kin_v(-3, 0, 0)), kin_v(3.625, 0, 0), 1e-12);
    NEAR3(t, answer(&def, x, kin_v(0.5, 2, 0), 0.1, none), none, 0);
    NEAR3(t, answer(&def, kin_v(1.5, 0, 0), kin_v(-0.5, 2, 0), 0.1, none), none, 0); /* outside it */
}

/* The line to the tangent point is across the radius there. With x = 0, c = (5, 0, 0), R = 3 it touches at (3.2, 2.4). */
static void tangent_variant_aims_where_the_line_touches(test* t)
{
    kin_ball ball = {{5, 0, 0}, 3};
    kin_steer_field def = steer(10, &ball);
    def.steering.way = KIN_STEER_TANGENT;
    kin_vec3 v = {1, 0, 0}, a = answer(&def, kin_v(0, 0, 0), v, 0, kin_v(0, 0, 0));
    double time = (3.2 * 3.2 + 2.4 * 2.4) / 3.2;
    NEAR(t, kin_length(a), 2 * 2.4 / (time * time), 1e-13);
    NEAR(t, a.x, 0, 1e-15);
}

/* v_perp = 0: some side, always the same one. */
static void head_on_picks_a_side(test* t)
{
    for (int axis = 0; axis < 3; ++axis) {
        kin_vec3 v = kin_scale(kin_axis(axis), 2);
        kin_ball ball = {kin_scale(v, 3), 1};
        kin_steer_field def = steer(5, &ball);
        kin_vec3 a = answer(&def, kin_v(0, 0, 0), v, 0.2, kin_v(0, 0, 0)), again = answer(&def, kin_v(0, 0, 0), v, 0.2, kin_v(0, 0, 0));
        CHECK(t, kin_length(a) > 0.01 && kin_length(a) < 10);
        NEAR(t, kin_dot(a, v), 0, 1e-14);
        NEAR3(t, a, again, 0);
    }
}

static void view_cone_hides_what_is_beside(test* t)
{
    kin_ball ball = {{2, 1.5, 0}, 2}; /* its middle is 37 degrees off */
    kin_steer_field def = steer(5, &ball);
    kin_vec3 v = {1, 0, 0}, none = {0, 0, 0};
    def.steering.view = 80 * KIN_PI / 180;
    CHECK(t, kin_length(answer(&def, none, v, 0, none)) > 0.1);
    def.steering.view = 70 * KIN_PI / 180;
    NEAR3(t, answer(&def, none, v, 0, none), none, 0);
}

/* Nearest distance to the middle over a flight past it. */
static double flight(const kin_fields* f, const kin_solids* solids, kin_vec3 x, kin_vec3 v, double radius, kin_vec3 center)
{
    one p = one_at(x, v, radius);
    double nearest = 1e300;
    for (int i = 0; i < 1500; ++i) {
        one_step(&p, f, solids, 0.01);
        nearest = kin_min(nearest, kin_distance(one_vector(p.x), center));
    }
    return nearest;
}

/* H5.3b: from random starts, aimed anywhere at the sphere, nothing comes within its radius; without steering all would. */
static void nothing_enters_the_sphere(test* t)
{
    kin_ball ball = {{1, 2, 3}, 2};
    for (int way = 0; way < 2; ++way) {
        kin_steer_field def = steer(3, &ball);
        def.steering.way = (kin_steer_way)way;
        kin_fields f = fields_with(t, &def);
        for (uint64_t i = 0; i < 200; ++i) {
            kin_rng_key key = {.seed = 5, .serial = i};
            kin_vec3 from = kin_add_scaled(ball.center, kin_rng_uniform(&key, 1, 6, 12), kin_rng_direction(&key, 0));
            kin_vec3 target = i == 0 ? ball.center : kin_add(ball.center, kin_rng_sphere(&key, 2, 2));
            kin_vec3 v = kin_scale(kin_normalize_or(kin_sub(target, from), kin_v(1, 0, 0)), kin_rng_uniform(&key, 3, 1.5, 3));
            double nearest = flight(&f, NULL, from, v, 0.5, ball.center);
            if (!CHECK(t, nearest >= ball.radius)) break;
            if (!CHECK(t, nearest < ball.radius + 1.5)) break; /* and no wider berth than needed */
        }
        kin_fields_term(&f);
    }
}

/* A force towards the obstacle is made up for; also when the field is masked by tags. */
static void opposing_force_is_cancelled(test* t)
{
    kin_ball ball = {{0, 0, 0}, 1};
    for (int masked = 0; masked < 2; ++masked) {
        kin_steer_field def = steer(4, &ball);
        kin_fields f;
        uint32_t index;
        kin_fields_init(&f, &t->allocator, KIN_SIMD_NONE);
        f.gravity = kin_v(0, -0.4, 0);
        def.common.tags.data = (const char*[]){"bird"};
        def.common.tags.count = (size_t)masked;
        EQUAL(t, kin_fields_add(&f, kin_field_named("steer"), &def, &index, NULL), KIN_OK);
        one p = one_at(kin_v(-4, 0.6, 0), kin_v(2, 0, 0), 0.3); /* gravity would bring it down onto the sphere */
        one fresh = p;
        double unhelped = answer(&def, one_vector(p.x), one_vector(p.v), 0.3, kin_v(0, 0, 0)).y;
        NEAR(t, one_acceleration(&fresh, &f, NULL).y, unhelped, 1e-14); /* the sum is what is needed, gravity or not */
        CHECK(t, flight(&f, NULL, one_vector(p.x), one_vector(p.v), 0.3, ball.center) >= 1);
        kin_fields_term(&f);
    }
}

static kin_solids* one_solid(test* t, const kin_shape* shape, kin_transform pose)
{
    kin_solids* solids;
    uint32_t index;
    kin_error error = {0};
    EQUAL(t, kin_solids_create(&t->allocator, &solids, NULL), KIN_OK);
    if (kin_solids_add(solids, &(kin_solid_def){.shape = shape, .pose = pose}, &index, &error) != KIN_OK)
        test_check(t, false, __FILE__, __LINE__, "%s: %s", error.where, error.message);
    kin_solids_refit(solids, 0.01);
    return solids;
}

static void collider_spheres_are_steered_round_by_the_same_rule(test* t)
{
    kin_transform pose = {{6, 1, 0}, {0, 0, 0, 1}};
    kin_solids* solids = one_solid(t, &(kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 1.5}, pose);
    kin_ball ball = {{6, 1, 0}, 1.5};
    kin_steer_field by_ball = steer(4, &ball), by_solid = steer(4, NULL);
    kin_steer_self self = {{0, 0, 0}, {2, 0, 0}, 0.5, {0, 0.3, 0}};
    NEAR3(t, kin_steer_round(&by_solid.steering, solids, 0, &self), kin_steer_round(&by_ball.steering, NULL, 0, &self), 1e-14);
    by_solid.steering.solids = false;
    NEAR3(t, kin_steer_round(&by_solid.steering, solids, 0, &self), kin_v(0, 0, 0), 0);
    kin_solids_destroy(solids);
}

/* The least distance between the point's middle and the solid over a flight; it must also get past. */
static void fly_past(test* t, const kin_shape* shape, kin_transform pose, const char* name)
{
    kin_solids* solids = one_solid(t, shape, pose);
    kin_steer_field def = steer(3, NULL);
    def.steering.margin = 0.3;
    kin_fields f = fields_with(t, &def);
    for (uint64_t i = 0; i < 40; ++i) {
        kin_rng_key key = {.seed = 11, .serial = i};
        kin_vec3 from = kin_add_scaled(pose.position, 9, kin_rng_direction(&key, 0)), to = kin_add(pose.position, kin_rng_sphere(&key, 1, i == 0 ? 0 : 1));
        one p = one_at(from, kin_scale(kin_normalize_or(kin_sub(to, from), kin_v(1, 0, 0)), 2), 0.2);
        double least = 1e300;
        for (int s = 0; s < 1200; ++s) {
            kin_contact c;
            one_step(&p, &f, solids, 0.01);
            if (kin_solids_closest(solids, one_vector(p.x), 0, 3, 0, &c, 1) > 0) least = kin_min(least, c.distance);
        }
        if (!test_check(t, least > 0, __FILE__, __LINE__, "%s: flight %d comes as near as %g m", name, (int)i, least)) break;
        if (!test_check(t, least < 2, __FILE__, __LINE__, "%s: flight %d keeps %g m off", name, (int)i, least)) break;
    }
    kin_fields_term(&f);
    kin_solids_destroy(solids);
}

static void boxes_capsules_and_meshes_are_flown_round(test* t)
{
    static const kin_vec3 corners[] = {{-1.5, -1, -1}, {1.5, -1, -1}, {0, 1.5, 0}, {0, -1, 1.5}};
    static const uint32_t faces[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
    kin_transform pose = {{1, 2, 0}, kin_quat_axis_angle(kin_v(1, 2, 3), 0.7)};
    fly_past(t, &(kin_shape){.kind = KIN_SHAPE_BOX, .size = {2, 3, 2}}, pose, "box");
    fly_past(t, &(kin_shape){.kind = KIN_SHAPE_CAPSULE, .radius = 1, .length = 3}, pose, "capsule");
    fly_past(t, &(kin_shape){.kind = KIN_SHAPE_MESH, .mesh = {corners, 4, NULL, faces, 4}}, pose, "mesh");
}

/* No way round: braked, and never through. Ground met at a slant is flown along. */
static void walls_are_not_flown_through(test* t)
{
    kin_solids* solids = one_solid(t, &(kin_shape){.kind = KIN_SHAPE_PLANE, .normal = {0, 1, 0}}, kin_transform_identity());
    kin_steer_field def = steer(1.5, NULL);
    kin_fields f = fields_with(t, &def);
    for (int slant = 0; slant < 8; ++slant) {
        one p = one_at(kin_v(0, 5, 0), kin_v(0.5 * slant, -2, 0.1 * slant), 0.2);
        double lowest = 5;
        for (int i = 0; i < 1000; ++i) {
            one_step(&p, &f, solids, 0.01);
            lowest = kin_min(lowest, p.x[1]);
        }
        CHECK(t, lowest > 0.15 && lowest < 2);
    }
    kin_steer_self late = {{0, 0.6, 0}, {0, -2, 0}, 0.2, {0, 0, 0}}; /* too near for any turn: v^2 / 2 d stops it in the 0.4 m there are */
    NEAR3(t, kin_steer_round(&def.steering, solids, 0, &late), kin_v(0, 5, 0), 1e-9);
    one p = one_at(late.position, late.velocity, 0.2);
    for (int i = 0; i < 300; ++i) one_step(&p, &f, solids, 0.01);
    CHECK(t, p.x[1] > 0.15);
    kin_fields_term(&f);
    kin_solids_destroy(solids);
}

/* The most urgent threat is answered in full, whatever later ones want. */
static void nearer_threat_wins(test* t)
{
    kin_ball balls[12] = {{{4, 0.2, 0}, 1}, {{9, -0.4, 0}, 1}};
    kin_steer_field def = steer(20, balls);
    kin_vec3 none = {0, 0, 0}, v = {1, 0, 0}, first = answer(&def, none, v, 0.1, none);
    def.steering.spheres.count = 2;
    kin_vec3 both = answer(&def, none, v, 0.1, none);
    CHECK(t, first.y < 0);
    NEAR(t, both.y, first.y, 1e-14);
    for (int i = 2; i < 12; ++i) balls[i] = (kin_ball){{8 + 0.3 * i, -0.4, 0}, 1}; /* more than are remembered */
    balls[11] = balls[0];
    balls[0] = (kin_ball){{14, -0.3, 0}, 1};
    def.steering.spheres.count = 12;
    NEAR(t, answer(&def, none, v, 0.1, none).y, first.y, 1e-14);
}

static void bad_defs_are_refused(test* t)
{
    kin_fields f;
    uint32_t index;
    kin_error error = {0};
    kin_ball ball = {{0, 0, 0}, 0};
    kin_fields_init(&f, &t->allocator, KIN_SIMD_NONE);
    kin_steer_field def = steer(-1, NULL);
    EQUAL(t, kin_fields_add(&f, kin_field_named("steer"), &def, &index, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "steer");
    def = steer(1, &ball);
    EQUAL(t, kin_fields_add(&f, kin_field_named("steer"), &def, &index, &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.where, "radius");
    def = steer(1, NULL);
    def.steering.view = 7;
    EQUAL(t, kin_fields_add(&f, kin_field_named("steer"), &def, &index, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "view");
    EQUAL(t, f.count, 0);
    kin_fields_term(&f);
}

TEST_MAIN("steer", TEST(numbers_of_the_rule), TEST(within_the_margin_it_brakes), TEST(tangent_variant_aims_where_the_line_touches), TEST(head_on_picks_a_side),
          TEST(view_cone_hides_what_is_beside), TEST(nothing_enters_the_sphere), TEST(opposing_force_is_cancelled),
          TEST(collider_spheres_are_steered_round_by_the_same_rule), TEST(boxes_capsules_and_meshes_are_flown_round), TEST(walls_are_not_flown_through),
          TEST(nearer_threat_wins), TEST(bad_defs_are_refused))
