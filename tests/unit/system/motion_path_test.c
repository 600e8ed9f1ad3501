/* motion_path_test.c - things that follow curves: circles by rational weights at constant speed, any speed over time, ends, turns; what is wrong is named. */
#include "base/error.h"
#include "support/test.h"
#include "system/keys.h"
#include "unit/geometry/shapes.h"

#define HALF_ROOT 0.70710678118654752

static const double weights[9] = {1, HALF_ROOT, 1, HALF_ROOT, 1, HALF_ROOT, 1, HALF_ROOT, 1};
static const double knots[12] = {0, 0, 0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 1, 1, 1};
static const kin_vec3 square[9] = {{2, 0, 0}, {2, 0, -2}, {0, 0, -2}, {-2, 0, -2}, {-2, 0, 0}, {-2, 0, 2}, {0, 0, 2}, {2, 0, 2}, {2, 0, 0}};
static const kin_transform at_home = {{0, 0, 0}, {0, 0, 0, 1}};

static kin_path_def circle(const kin_curve_key* speed, size_t count) /* of radius 2 about y, seen from above counter-clockwise */
{
    return (kin_path_def){.points = {square, 9}, .weights = {weights, 9}, .knots = {knots, 12}, .degree = 2, .speed = {speed, count, KIN_CURVE_LINEAR}};
}

static kin_motion_path* make(test* t, const kin_path_def* def, kin_transform origin)
{
    kin_motion_path* path = NULL;
    kin_error error = {0};
    kin_result result = kin_motion_path_create(&t->allocator, def, origin, &path, &error);
    test_check(t, result == KIN_OK, __FILE__, __LINE__, "%s: %s", error.where, error.message);
    return path;
}

/* The angle is speed times time over the radius: arc length, not the parameter, which runs unevenly along a rational arc. */
static void circle_is_followed_at_constant_speed(test* t)
{
    const kin_curve_key speed = {0, {3}};
    kin_path_def def = circle(&speed, 1);
    def.face = true;
    def.begin = 0.5;
    kin_motion_path* path = make(t, &def, (kin_transform){{1, 5, 2}, {0, 0, 0, 1}});
    NEAR(t, kin_motion_path_length(path), 4 * KIN_PI, 1e-11);
    for (int i = 0; i < 500; ++i) {
        double time = 0.037 * i, a = (0.5 + 3 * time) / 2;
        kin_transform pose = kin_motion_path_pose(path, time);
        NEAR3(t, pose.position, kin_v(1 + 2 * cos(a), 5, 2 - 2 * sin(a)), 1e-11 * (1 + time)); /* rounds add up: so does the length's error */
        NEAR3(t, kin_rotate(pose.orientation, kin_v(1, 0, 0)), kin_v(-sin(a), 0, -cos(a)), 1e-10 * (1 + time));
        NEAR3(t, kin_rotate(pose.orientation, kin_v(0, 1, 0)), kin_v(0, 1, 0), 1e-14);
    }
    kin_motion_path_drop(path);
}

/* Way = integral of the speed: 0 to 2 m/s over 2 s, and then 2 m/s; the other way round with a minus. */
static void speed_is_a_curve_over_time(test* t)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        const kin_curve_key speeds[2] = {{0, {0}}, {2, {2.0 * sign}}};
        kin_path_def def = circle(speeds, 2);
        kin_motion_path* path = make(t, &def, at_home);
        for (int i = 0; i <= 40; ++i) {
            double time = 0.1 * i, way = time < 2 ? 0.5 * time * time : 2 + 2 * (time - 2), a = sign * way / 2;
            NEAR3(t, kin_motion_path_pose(path, time).position, kin_v(2 * cos(a), 0, -2 * sin(a)), 1e-11);
        }
        kin_motion_path_drop(path);
    }
}

/* Random open cubics: equal times are equal ways along the curve, measured by chords that are halved; the ends hold. */
static void ways_are_equal_on_random_curves(test* t)
{
    dice d = {5};
    for (int k = 0; k < 20; ++k) {
        kin_vec3 points[7];
        for (int i = 0; i < 7; ++i) points[i] = roll3(&d, 3);
        const kin_curve_key speed = {0, {1}};
        kin_path_def def = {.points = {points, 7}, .speed = {&speed, 1, KIN_CURVE_LINEAR}};
        kin_motion_path* path = make(t, &def, at_home);
        const double length = kin_motion_path_length(path), step = length / 2000;
        for (int i = 0; i < 2000; i += 50) {
            double way = kin_distance(kin_motion_path_pose(path, step * i).position, kin_motion_path_pose(path, step * (i + 1)).position);
            double halves = 0;
            for (int h = 0; h < 2; ++h)
                halves +=
                    kin_distance(kin_motion_path_pose(path, step * (i + 0.5 * h)).position, kin_motion_path_pose(path, step * (i + 0.5 * h + 0.5)).position);
            NEAR(t, (4 * halves - way) / 3, step, 1e-4 * step); /* Richardson: a chord is short by k^2 s^3 / 24, and of fourth order beyond */
        }
        NEAR3(t, kin_motion_path_pose(path, 0).position, points[0], 1e-13);
        NEAR3(t, kin_motion_path_pose(path, length + 7).position, points[6], 1e-13);
        kin_motion_path_drop(path);
    }
}

static void check_refused(test* t, const kin_path_def* def, const char* where)
{
    kin_keys keys;
    kin_error error = {0};
    CHECK(t, kin_keys_create(&t->allocator, NULL, 0, def, at_home, &keys, &error) != KIN_OK);
    TEXT(t, error.where, where);
    CHECK(t, error.message[0] != 0);
}

static void errors_name_what_is_wrong(test* t)
{
    const kin_curve_key speed = {0, {1}}, late[2] = {{1, {1}}, {1, {2}}};
    const kin_vec3 mast[4] = {{0, 0, 0}, {0, 1, 0}, {0, 2, 0}, {0, 3, 0}}, spot[4] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    kin_path_def def = circle(&speed, 0);
    check_refused(t, &def, "path.speed");
    def = circle(late, 2);
    check_refused(t, &def, "path.speed");
    def = circle(&speed, 1);
    def.weights.count = 8;
    check_refused(t, &def, "path.weights");
    def = circle(&speed, 1);
    def.knots.count = 11;
    check_refused(t, &def, "path.knots");
    def = (kin_path_def){.points = {mast, 4}, .speed = {&speed, 1, KIN_CURVE_LINEAR}, .face = true};
    check_refused(t, &def, "path.face");
    def.points.data = spot;
    check_refused(t, &def, "path.points");
    def.degree = 9;
    check_refused(t, &def, "path.curve");
    kin_keys keys;
    kin_error error = {0};
    const kin_key key = {0, {0, 0, 0}, {0, 0, 0, 1}};
    def = circle(&speed, 1);
    CHECK(t, kin_keys_create(&t->allocator, &key, 1, &def, at_home, &keys, &error) == KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "path");
}

static bool make_and_copy(test* t, void* context)
{
    kin_keys keys = {0}, copy = {0};
    bool good = kin_keys_create(&t->allocator, NULL, 0, context, at_home, &keys, NULL) == KIN_OK && kin_keys_copy(&t->allocator, &keys, &copy);
    if (good) NEAR3(t, kin_keys_pose(&copy, true, 1.5).position, kin_keys_pose(&keys, true, 1.5).position, 0);
    kin_keys_free(&t->allocator, &keys);
    kin_keys_free(&t->allocator, &copy);
    return good;
}

static void memory_may_run_out(test* t)
{
    const kin_curve_key speed = {0, {1}};
    kin_path_def def = circle(&speed, 1);
    test_fail_each_allocation(t, make_and_copy, &def);
}

TEST_MAIN("system/motion_path", TEST(circle_is_followed_at_constant_speed), TEST(speed_is_a_curve_over_time), TEST(ways_are_equal_on_random_curves),
          TEST(errors_name_what_is_wrong), TEST(memory_may_run_out))
