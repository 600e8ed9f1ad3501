/* The service: solids that move, boxes, ties, errors, memory. */
#include "collision/form/form.h"
#include "collision/service.h"
#include "collision/solids.h"
#include "math/aabb.h"
#include "support/test.h"
#include "unit/geometry/shapes.h"
#include <string.h>

static kin_solids* make(test* t)
{
    kin_solids* s = NULL;
    kin_result result = kin_solids_create(&t->allocator, &s, NULL);
    EQUAL(t, result, KIN_OK);
    return s;
}

static uint32_t add(test* t, kin_solids* s, kin_shape shape, kin_vec3 position)
{
    uint32_t index = UINT32_MAX;
    kin_error error = {0};
    kin_result result = kin_solids_add(s, &(kin_solid_def){.shape = &shape, .pose = (kin_transform){position, {0, 0, 0, 1}}}, &index, &error);
    TEXT(t, error.message, "");
    EQUAL(t, result, KIN_OK);
    return index;
}

static kin_shape ball(double radius) { return (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = radius}; }
static kin_shape brick(double x, double y, double z) { return (kin_shape){.kind = KIN_SHAPE_BOX, .size = {x, y, z}}; }
static kin_shape ground(void) { return (kin_shape){.kind = KIN_SHAPE_PLANE, .normal = {0, 1, 0}}; }
static kin_transform at(double x, double y, double z) { return (kin_transform){{x, y, z}, {0, 0, 0, 1}}; }

static void shifting_solids_are_exact(test* t)
{
    kin_solids* s = make(t);
    uint32_t floor = add(t, s, ground(), kin_v(0, 0, 0)), box = add(t, s, brick(2, 2, 2), kin_v(0, 0, 0));
    kin_contact hit;
    kin_solids_move(s, floor, at(0, -1, 0), at(0, 1, 0)); /* rises 2 m in 0.5 s */
    kin_solids_move(s, box, at(10, 50, 0), at(4, 50, 0));
    kin_solids_refit(s, 0.5);
    CHECK(t, kin_solids_first_hit(s, kin_v(0, 2, 0), kin_v(0, 0, 0), 0, 0, 1, 1e-6, &hit));
    NEAR(t, hit.fraction, 0.75, 1e-15); /* 2 - 2s = -1 + 2s */
    NEAR3(t, hit.point, kin_v(0, 0.5, 0), 1e-15);
    NEAR3(t, hit.velocity, kin_v(0, 4, 0), 1e-14);
    NEAR3(t, hit.local, kin_v(0, 0, 0), 1e-15);
    EQUAL(t, hit.solid, floor);
    CHECK(t, kin_solids_first_hit(s, kin_v(0, 1, 0), kin_v(0, 1, 0), 0.25, 0, 1, 1e-6, &hit)); /* a still point is run over */
    NEAR(t, hit.fraction, 0.875, 1e-15);
    CHECK(t, kin_solids_first_hit(s, kin_v(2, 50, 0), kin_v(8, 50, 0), 0, 0, 1, 1e-6, &hit)); /* 2 + 6s = 9 - 6s */
    NEAR(t, hit.fraction, 7.0 / 12, 1e-14);
    NEAR3(t, hit.velocity, kin_v(-12, 0, 0), 1e-13);
    NEAR3(t, hit.normal, kin_v(-1, 0, 0), 1e-15);
    /* part of the interval: 2 + 12(s - 1/2) = 9 - 6s */
    CHECK(t, kin_solids_first_hit(s, kin_v(2, 50, 0), kin_v(8, 50, 0), 0, 0.5, 1, 1e-6, &hit));
    NEAR(t, hit.fraction, 13.0 / 18, 1e-14);
    kin_solids_destroy(s);
}

static void poses_are_exact_at_both_ends(test* t) /* C1.3, A6.8: straight lines and slerp between */
{
    kin_solids* s = make(t);
    uint32_t i = add(t, s, ball(1), kin_v(0, 0, 0));
    kin_transform start = {{0.1, 0.2, 0.3}, kin_quat_axis_angle(kin_v(1, 2, 3), 0.3)}, end = {{1.7, -0.4, 2.2}, kin_quat_axis_angle(kin_v(3, -1, 1), 2.1)};
    kin_solids_move(s, i, start, end);
    kin_solids_refit(s, 1);
    kin_transform p0 = kin_solids_pose(s, i, 0), p1 = kin_solids_pose(s, i, 1), half = kin_solids_pose(s, i, 0.5);
    NEAR3(t, p0.position, start.position, 0);
    NEAR3(t, p1.position, end.position, 0);
    NEAR(t, kin_abs(kin_quat_dot(p0.orientation, start.orientation)), 1, 1e-15);
    NEAR(t, kin_abs(kin_quat_dot(p1.orientation, end.orientation)), 1, 1e-15);
    NEAR3(t, half.position, kin_lerp(start.position, end.position, 0.5), 1e-15);
    NEAR(t, kin_quat_dot(half.orientation, p0.orientation), kin_quat_dot(half.orientation, p1.orientation), 1e-14);
    kin_solids_destroy(s);
}

/* A paddle swings by 120 degrees past a still point. Its chord from start to end never comes near the point: only the arc does. */
static void a_turning_paddle_hits_what_its_chord_misses(test* t)
{
    kin_solids* s = make(t);
    uint32_t paddle = add(t, s, brick(4, 0.02, 0.5), kin_v(0, 0, 0));
    kin_transform start = {{0, 0, 0}, kin_quat_axis_angle(kin_v(0, 0, 1), -KIN_PI / 3)}, end = {{0, 0, 0}, kin_quat_axis_angle(kin_v(0, 0, 1), KIN_PI / 3)};
    kin_solids_move(s, paddle, start, end);
    kin_solids_refit(s, 0.1);
    for (double tolerance = 1e-3; tolerance > 1e-8; tolerance /= 10) {
        kin_contact hit;
        kin_vec3 x = {1.9, 0, 0};
        CHECK(t, kin_solids_first_hit(s, x, x, 0, 0, 1, tolerance, &hit));
        double angle = asin(0.01 / 1.9); /* the paddle's upper face leads by its half thickness */
        NEAR(t, hit.fraction, (KIN_PI / 3 - angle) / (2 * KIN_PI / 3), 2 * kin_max(tolerance, 1e-6) / 1.9);
        NEAR3(t, hit.normal, kin_v(sin(angle), cos(angle), 0), 0.01);
        NEAR(t, kin_length(hit.velocity), 2 * KIN_PI / 3 / 0.1 * 1.9, 1e-2);
        CHECK(t, hit.velocity.y > 0);
        NEAR(t, hit.local.x, 1.9, 1e-3);
    }
    kin_contact none;
    CHECK(t, !kin_solids_first_hit(s, kin_v(2.1, 0, 0), kin_v(2.1, 0, 0), 0, 0, 1, 1e-6, &none));
    CHECK(t, kin_solids_first_hit(s, kin_v(2.1, 0, 0), kin_v(2.1, 0, 0), 0.15, 0, 1, 1e-6, &none));
    kin_solids_destroy(s);
}

/* Signed distance of the world point to the solid at a fraction, through the closest query. */
static double gap_at(const kin_solids* s, kin_vec3 x, double radius, double fraction)
{
    kin_contact c;
    return kin_solids_closest(s, x, radius, 100, fraction, &c, 1) == 1 ? c.distance : 1e9;
}

/* H13: never later than the true time, and within tolerance of contact; nothing passes unseen. */
static void turning_solids_against_sampling(test* t)
{
    soup torus = torus_soup(0.8, 0.3, 8, 6);
    kin_shape shapes[4] = {
        brick(1.6, 0.2, 1), {.kind = KIN_SHAPE_CAPSULE, .radius = 0.2, .length = 1.5}, {.kind = KIN_SHAPE_MESH, .mesh = soup_view(&torus)}, ground()};
    dice d = {51};
    int hits = 0;
    for (int k = 0; k < 4; ++k) {
        kin_solids* s = make(t);
        uint32_t i = add(t, s, shapes[k], kin_v(0, 0, 0));
        for (int round = 0; round < 150; ++round) {
            kin_vec3 axis = roll_direction(&d);
            kin_quat q = kin_quat_axis_angle(roll_direction(&d), 1.1);
            kin_transform start = {roll3(&d, 0.5), q}, end = {roll3(&d, 0.5), kin_quat_mul(kin_quat_axis_angle(axis, roll(&d, 0.1, 3)), q)};
            kin_solids_move(s, i, start, end);
            kin_solids_refit(s, 1);
            kin_vec3 a = roll3(&d, 2), b = round % 3 ? roll3(&d, 2) : a;
            double radius = round % 2 ? 0 : roll(&d, 0.05, 0.4), tolerance = 1e-5;
            kin_contact hit;
            if (gap_at(s, a, radius, 0) < 1e-3) continue;
            bool found = kin_solids_first_hit(s, a, b, radius, 0, 1, tolerance, &hit);
            double until = found ? hit.fraction : 1;
            hits += found;
            if (k == 3 && radius == 0) continue; /* two-sided and thin: samples cannot tell sides apart */
            for (int n = 0; n < 400; ++n) CHECK(t, gap_at(s, kin_lerp(a, b, until * n / 400), radius, until * n / 400) > -2 * tolerance);
            if (!found) continue;
            NEAR(t, gap_at(s, kin_lerp(a, b, until), radius, until), 0, 2 * tolerance);
            CHECK(t, kin_dot(hit.normal, kin_sub(kin_sub(b, a), hit.velocity)) < 1e-3); /* approaching */
        }
        kin_solids_destroy(s);
    }
    CHECK(t, hits > 100);
    soup_free(&torus);
}

/* The velocity reported is the derivative of the anchored point's path. */
static void surface_velocity_is_the_rate_of_the_anchor(test* t)
{
    kin_solids* s = make(t);
    uint32_t i = add(t, s, ball(1), kin_v(0, 0, 0));
    kin_quat q = kin_quat_axis_angle(kin_v(1, 1, 0), 0.4);
    kin_solids_move(s, i, (kin_transform){{0, 0, 0}, q}, (kin_transform){{0.3, 0.1, 0}, kin_quat_mul(kin_quat_axis_angle(kin_v(0.2, 1, 0.3), 0.9), q)});
    kin_solids_refit(s, 0.25);
    kin_contact c;
    int count = kin_solids_closest(s, kin_v(2, 0.5, 0.3), 0, 5, 0.4, &c, 1);
    EQUAL(t, count, 1);
    double e = 1e-5;
    kin_vec3 before = kin_apply(kin_solids_pose(s, i, 0.4 - e), c.local), after = kin_apply(kin_solids_pose(s, i, 0.4 + e), c.local);
    NEAR3(t, kin_scale(kin_sub(after, before), 1 / (2 * e * 0.25)), c.velocity, 1e-7);
    kin_solids_refit(s, 0); /* no interval: no velocity */
    count = kin_solids_closest(s, kin_v(2, 0.5, 0.3), 0, 5, 0.4, &c, 1);
    NEAR3(t, c.velocity, kin_v(0, 0, 0), 0);
    kin_solids_destroy(s);
}

static void refitted_boxes_hold_every_pose_between(test* t) /* C2.3 */
{
    soup mesh = torus_soup(0.8, 0.3, 8, 6);
    kin_solids* s = make(t);
    add(t, s, (kin_shape){.kind = KIN_SHAPE_MESH, .mesh = soup_view(&mesh)}, kin_v(0, 0, 0));
    add(t, s, brick(1, 2, 0.3), kin_v(1, 0, 0));
    add(t, s, (kin_shape){.kind = KIN_SHAPE_CAPSULE, .radius = 0.2, .length = 1.5}, kin_v(1, 0, 0));
    dice d = {52};
    for (int round = 0; round < 200; ++round) {
        for (uint32_t i = 0; i < 3; ++i) {
            kin_transform start = {roll3(&d, 1), kin_quat_axis_angle(roll_direction(&d), roll(&d, 0, 3))};
            kin_transform end = {roll3(&d, 1),
                                 kin_quat_mul(kin_quat_axis_angle(roll_direction(&d), round % 3 == 0 ? 0 : roll(&d, 0, 3.14)), start.orientation)};
            kin_solids_move(s, i, start, end);
        }
        kin_solids_refit(s, 1);
        for (uint32_t i = 0; i < 3; ++i) {
            for (int n = 0; n <= 20; ++n) {
                kin_transform pose = kin_solids_pose(s, i, n / 20.0);
                for (int k = 0; k < 8 && i == 1; ++k)
                    CHECK(t, kin_aabb_contains(s->boxes[i], kin_apply(pose, kin_v(k & 1 ? 0.5 : -0.5, k & 2 ? 1 : -1, k & 4 ? 0.15 : -0.15))));
                for (size_t v = 0; v < mesh.vertex_count && i == 0; ++v) CHECK(t, kin_aabb_contains(s->boxes[i], kin_apply(pose, mesh.vertices[v])));
                for (int k = -1; k <= 1 && i == 2; k += 2) {
                    kin_aabb end = kin_aabb_around(kin_apply(pose, kin_v(0, 0.75 * k, 0)), kin_v(0.2, 0.2, 0.2));
                    CHECK(t, kin_aabb_contains_box(s->boxes[i], end));
                }
            }
        }
    }
    soup_free(&mesh);
    kin_solids_destroy(s);
}

static void near_never_misses(test* t)
{
    kin_solids* s = make(t);
    add(t, s, brick(1, 2, 0.3), kin_v(1, 0, 0));
    add(t, s, ground(), kin_v(0, -3, 0));
    dice d = {53};
    int near_count = 0, far_count = 0;
    for (int round = 0; round < 3000; ++round) {
        kin_quat q = kin_quat_axis_angle(roll_direction(&d), roll(&d, 0, 3));
        for (uint32_t i = 0; i < 2; ++i) {
            kin_transform start = {roll3(&d, 4), i == 0 ? q : kin_quat_identity()};
            kin_vec3 axis = roll_direction(&d);
            kin_solids_move(s, i, start,
                            (kin_transform){kin_add(start.position, roll3(&d, 1)),
                                            kin_quat_mul(kin_quat_axis_angle(axis, roll(&d, 0, 2) * (round % 2)), start.orientation)});
        }
        kin_solids_refit(s, 1);
        kin_aabb box = kin_aabb_around(roll3(&d, 4), kin_abs3(roll3(&d, 0.3)));
        bool near = kin_solids_near(s, box);
        near_count += near;
        far_count += !near;
        for (int n = 0; n <= 30 && !near; ++n) {
            kin_contact c;
            CHECK(t, kin_solids_closest(s, kin_aabb_center(box), 0, 0.001, n / 30.0, &c, 1) == 0);
        }
    }
    CHECK(t, near_count > 200 && far_count > 200);
    kin_solids_destroy(s);
}

static void ties_go_to_the_lower_number(test* t)
{
    for (int turn = 0; turn < 2; ++turn) {
        kin_solids* s = make(t);
        for (int i = 0; i < 9; ++i) add(t, s, brick(2, 2, 2), kin_v(turn ? 3.0 * (8 - i) : 3.0 * i, 0, 0)); /* two orders make two trees */
        uint32_t twin = add(t, s, brick(2, 2, 2), kin_v(12, 0, 0));
        uint32_t plane = add(t, s, ground(), kin_v(0, 1, 0));
        kin_solids_refit(s, 1);
        kin_contact hit, near[4];
        CHECK(t, kin_solids_first_hit(s, kin_v(12, 3, 0), kin_v(12, -3, 0), 0.5, 0, 1, 1e-6, &hit));
        EQUAL(t, hit.solid, 4);
        CHECK(t, kin_solids_ray(s, kin_v(12, 3, 0), kin_v(0, -2, 0), 5, 0, &hit));
        EQUAL(t, hit.solid, 4);
        NEAR(t, hit.distance, 1, 1e-15); /* in units of the direction's length */
        int count = kin_solids_closest(s, kin_v(12, 2, 0), 0.5, 1, 0, near, 4);
        EQUAL(t, count, 3);
        EQUAL(t, near[0].solid, 4);
        EQUAL(t, near[1].solid, twin);
        EQUAL(t, near[2].solid, plane);
        NEAR(t, near[0].distance, 0.5, 1e-15);
        kin_solids_destroy(s);
    }
}

static void rays_hit_from_both_sides(test* t)
{
    soup mesh = box_soup(kin_v(1, 1, 1));
    kin_shape shapes[4] = {
        ball(1), brick(2, 2, 2), {.kind = KIN_SHAPE_CAPSULE, .radius = 0.5, .length = 1}, {.kind = KIN_SHAPE_MESH, .mesh = soup_view(&mesh)}};
    for (int k = 0; k < 4; ++k) {
        kin_solids* s = make(t);
        add(t, s, shapes[k], kin_v(5, 0, 0));
        kin_solids_refit(s, 1);
        kin_contact hit;
        CHECK(t, kin_solids_ray(s, kin_v(5, 4, 0), kin_v(0, -0.5, 0), 100, 0, &hit));
        NEAR(t, hit.distance, 6, 1e-12);
        NEAR3(t, hit.normal, kin_v(0, 1, 0), 1e-12);
        NEAR3(t, hit.point, kin_v(5, 1, 0), 1e-12);
        CHECK(t, !kin_solids_ray(s, kin_v(5, 4, 0), kin_v(0, -0.5, 0), 5.9, 0, &hit));
        EQUAL(t, hit.solid, UINT32_MAX);
        CHECK(t, kin_solids_ray(s, kin_v(5, 0.25, 0), kin_v(0, 2, 0), 100, 0, &hit)); /* from within */
        NEAR(t, hit.distance, 0.375, 1e-12);
        NEAR3(t, hit.normal, kin_v(0, 1, 0), 1e-12);
        CHECK(t, !kin_solids_ray(s, kin_v(5, 4, 0), kin_v(0, 1, 0), 1e9, 0, &hit));
        kin_solids_destroy(s);
    }
    soup_free(&mesh);
}

static void removed_solids_are_gone(test* t)
{
    kin_solids* s = make(t);
    uint32_t a = add(t, s, brick(2, 2, 2), kin_v(0, 0, 0)), b = add(t, s, ground(), kin_v(0, -5, 0)), c = add(t, s, ball(1), kin_v(0, -3, 0));
    kin_solids_refit(s, 1);
    kin_contact hit;
    CHECK(t, kin_solids_first_hit(s, kin_v(0, 3, 0), kin_v(0, -9, 0), 0, 0, 1, 1e-6, &hit));
    EQUAL(t, hit.solid, a);
    kin_solids_remove(s, a);
    kin_solids_refit(s, 1);
    CHECK(t, kin_solids_first_hit(s, kin_v(0, 3, 0), kin_v(0, -9, 0), 0, 0, 1, 1e-6, &hit));
    EQUAL(t, hit.solid, c);
    kin_solids_remove(s, c);
    kin_solids_refit(s, 1);
    CHECK(t, kin_solids_first_hit(s, kin_v(0, 3, 0), kin_v(0, -9, 0), 0, 0, 1, 1e-6, &hit));
    EQUAL(t, hit.solid, b);
    kin_solids_remove(s, b);
    kin_solids_refit(s, 1);
    CHECK(t, !kin_solids_first_hit(s, kin_v(0, 3, 0), kin_v(0, -9, 0), 0, 0, 1, 1e-6, &hit));
    a = add(t, s, ball(1), kin_v(0, 0, 0));
    EQUAL(t, a, 3); /* numbers are not used again */
    EQUAL(t, kin_solids_count(s), 4);
    kin_solids_destroy(s);
}

static void refuse(test* t, kin_solids* s, kin_shape shape, kin_transform pose, const char* where, const char* message)
{
    uint32_t index = 77;
    kin_error error = {0};
    kin_result result = kin_solids_add(s, &(kin_solid_def){.shape = &shape, .pose = pose}, &index, &error);
    EQUAL(t, result, KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, where);
    HAS(t, error.message, message);
    EQUAL(t, index, 77);
    EQUAL(t, kin_solids_count(s), 0);
}

static void bad_shapes_are_refused_by_field(test* t)
{
    kin_solids* s = make(t);
    kin_transform here = at(0, 0, 0);
    kin_vec3 v[3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    uint32_t corners[3] = {0, 1, 2};
    refuse(t, s, ball(-0.1), here, "shape.radius", "-0.1 must be > 0 (m)");
    refuse(t, s, ball(NAN), here, "shape.radius", "nan must be > 0");
    refuse(t, s, brick(1, 0, 1), here, "shape.size.y", "0 must be > 0");
    refuse(t, s, (kin_shape){.kind = KIN_SHAPE_CAPSULE, .radius = 1, .length = -1}, here, "shape.length", "must be >= 0");
    refuse(t, s, (kin_shape){.kind = KIN_SHAPE_PLANE}, here, "shape.normal", "has no direction");
    refuse(t, s, (kin_shape){.kind = KIN_SHAPE_MESH, .mesh = {v, 3, NULL, corners, 1}}, here, "shape.mesh", "no face of the mesh has an area");
    refuse(t, s, (kin_shape){.kind = (kin_shape_kind)42}, here, "shape.kind", "42 is no shape");
    refuse(t, s, ball(1), at(INFINITY, 0, 0), "position", "not finite");
    refuse(t, s, ball(1), (kin_transform){{0, 0, 0}, {0, 0, 0, 0}}, "orientation", "no direction");
    kin_solids_destroy(s);
    kin_solids_destroy(NULL);
}

static bool whole_life(test* t, void* context)
{
    kin_solids* s;
    if (kin_solids_create(&t->allocator, &s, NULL) != KIN_OK) return false;
    kin_shape shapes[3] = {ball(1), ground(), {.kind = KIN_SHAPE_MESH, .mesh = soup_view(context)}};
    bool ok = true;
    uint32_t index;
    for (int i = 0; i < 12 && ok; ++i) ok = kin_solids_add(s, &(kin_solid_def){.shape = &shapes[i % 3], .pose = at(i, 0, 0)}, &index, NULL) == KIN_OK;
    kin_solids_refit(s, 1);
    kin_contact hit;
    kin_solids_first_hit(s, kin_v(0, 5, 0), kin_v(0, -5, 0), 0.1, 0, 1, 1e-6, &hit);
    kin_solids_destroy(s);
    return ok;
}

static void survives_failing_allocations(test* t)
{
    soup box = box_soup(kin_v(1, 1, 1));
    test_fail_each_allocation(t, whole_life, &box);
    soup_free(&box);
}

static void queries_and_refits_take_no_memory(test* t)
{
    soup box = box_soup(kin_v(1, 1, 1));
    kin_solids* s = make(t);
    for (int i = 0; i < 20; ++i) add(t, s, i % 2 ? ball(1) : (kin_shape){.kind = KIN_SHAPE_MESH, .mesh = soup_view(&box)}, kin_v(3 * i, 0, 0));
    soup_free(&box); /* shapes were copied */
    CHECK(t, kin_solids_form(s, 0)->mesh != NULL && kin_solids_form(s, 1)->mesh == NULL);
    EQUAL(t, kin_solids_form(s, 0)->mesh->mesh->triangle_count, 12);
    EQUAL(t, kin_solids_form(s, 1)->kind, KIN_SHAPE_SPHERE);
    CHECK(t, kin_solids_bytes(s) >= t->live_bytes * 9 / 10 && kin_solids_bytes(s) <= t->live_bytes * 11 / 10);
    uint64_t before = t->allocations;
    kin_solids_refit(s, 1); /* even the first, which builds */
    for (int i = 0; i < 20; ++i) {
        kin_contact hit, near[4];
        kin_solids_move(s, (uint32_t)i, at(3 * i, 0, 0), at(3 * i, 0.1, 0));
        kin_solids_refit(s, 1);
        kin_solids_first_hit(s, kin_v(0, 5, 0), kin_v(60, -5, 0), 0.1, 0, 1, 1e-6, &hit);
        kin_solids_closest(s, kin_v(30, 1, 0), 0.1, 3, 0.5, near, 4);
        kin_solids_ray(s, kin_v(0, 5, 0), kin_v(60, -5, 0), 1, 0, &hit);
    }
    EQUAL(t, t->allocations, before);
    kin_solids_destroy(s);
}

/* By rising number whatever the tree's order; with too little room the lowest ones, and how many there are. */
static void lists_of_what_is_near(test* t)
{
    kin_solids* s = make(t);
    for (int i = 0; i < 12; ++i) add(t, s, brick(1, 1, 1), kin_v(2.0 * ((5 * i) % 12), 0, 0));
    uint32_t floor = add(t, s, ground(), kin_v(0, -0.5, 0)), found[16];
    kin_solids_refit(s, 0.1);
    kin_aabb box = {{-1, -0.6, -1}, {8.9, 0.2, 1}}; /* the five at 0, 2, 4, 6, 8 and the floor */
    EQUAL(t, kin_solids_list(s, box, found, 16), 6);
    for (int k = 1; k < 6; ++k) CHECK(t, found[k - 1] < found[k]);
    EQUAL(t, found[5], floor);
    uint32_t all[6];
    memcpy(all, found, sizeof all);
    EQUAL(t, kin_solids_list(s, box, found, 3), 6);
    for (int k = 0; k < 3; ++k) EQUAL(t, found[k], all[k]);
    EQUAL(t, kin_solids_list(s, (kin_aabb){{-1, 3, -1}, {1, 4, 1}}, found, 16), 0);
    CHECK(t, kin_aabb_contains(kin_solids_box(s, 0), kin_v(0.5, 0.5, 0.5)) && !kin_aabb_contains(kin_solids_box(s, 0), kin_v(0.6, 0, 0)));
    kin_solids_destroy(s);
}

/* Asked of one solid alone: the answer of all if it is the nearest, else its own. */
static void one_solid_alone(test* t)
{
    kin_solids* s = make(t);
    uint32_t near = add(t, s, ball(0.5), kin_v(0, 0, 0)), behind = add(t, s, ball(0.5), kin_v(3, 0, 0));
    kin_contact any, one;
    kin_solids_move(s, behind, at(3, 0, 0), at(3.2, 0, 0));
    kin_solids_refit(s, 0.1);
    CHECK(t, kin_solids_first_hit(s, kin_v(-2, 0, 0), kin_v(6, 0, 0), 0.1, 0, 1, 1e-6, &any));
    CHECK(t, kin_solids_first_hit_of(s, near, kin_v(-2, 0, 0), kin_v(6, 0, 0), 0.1, 0, 1, 1e-6, &one));
    NEAR(t, one.fraction, any.fraction, 0);
    CHECK(t, kin_solids_first_hit_of(s, behind, kin_v(-2, 0, 0), kin_v(6, 0, 0), 0.1, 0, 1, 1e-6, &one));
    EQUAL(t, one.solid, behind);
    NEAR(t, one.fraction, 4.4 / 7.8, 1e-12); /* -2 + 8 s = 3 + 0.2 s - 0.6 */
    CHECK(t, kin_solids_closest_of(s, behind, kin_v(2, 0, 0), 0, 1, 0, &one) && !kin_solids_closest_of(s, near, kin_v(2, 0, 0), 0, 1, 0, &any));
    NEAR(t, one.distance, 0.5, 1e-15);
    NEAR3(t, kin_solids_twist(s, behind).velocity, kin_v(2, 0, 0), 1e-14);
    kin_solids_weigh(s, near, 0.5, kin_sym3_diagonal(kin_v(1, 2, 3)), kin_v(0, 1, 0));
    kin_solids_load(s, near, (kin_twist){{0, -0.1, 0}, {0, 0, 0.2}});
    kin_solid_give give = kin_solids_give(s, near);
    NEAR(t, give.inv_mass, 0.5, 0);
    NEAR3(t, give.center, kin_v(0, 1, 0), 0);
    NEAR3(t, give.load.spin, kin_v(0, 0, 0.2), 0);
    kin_solids_destroy(s);
}

TEST_MAIN("collision solids", TEST(shifting_solids_are_exact), TEST(poses_are_exact_at_both_ends), TEST(a_turning_paddle_hits_what_its_chord_misses),
          TEST(turning_solids_against_sampling), TEST(surface_velocity_is_the_rate_of_the_anchor), TEST(refitted_boxes_hold_every_pose_between),
          TEST(near_never_misses), TEST(ties_go_to_the_lower_number), TEST(rays_hit_from_both_sides), TEST(removed_solids_are_gone),
          TEST(bad_shapes_are_refused_by_field), TEST(survives_failing_allocations), TEST(queries_and_refits_take_no_memory), TEST(lists_of_what_is_near),
          TEST(one_solid_alone))
