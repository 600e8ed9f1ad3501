/* keys_test.c - key frames: refused by name, between keys a spline or a line, held beyond the ends. */
#include "base/error.h"
#include "support/test.h"
#include "system/keys.h"

static const kin_quat none = {0, 0, 0, 1};

static void bad_keys_are_refused_by_name(test* t)
{
    kin_key keys[] = {{0, {0, 0, 0}, none}, {1, {1, 0, 0}, none}, {1, {2, 0, 0}, none}};
    kin_error error = {0};
    CHECK(t, kin_keys_check(keys, 2, &error) == KIN_OK);
    CHECK(t, kin_keys_check(keys, 3, &error) == KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "keys[2]");
    keys[1].position.y = 1.0 / 0.0;
    CHECK(t, kin_keys_check(keys, 2, &error) == KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "keys[1]");
}

static void poses_between_and_beyond(test* t)
{
    kin_key given[] = {{0, {0, 0, 0}, {0, 0, 0, 2}}, {2, {4, 0, 0}, kin_quat_axis_angle((kin_vec3){0, 0, 1}, 1)}, {3, {4, 1, 0}, none}};
    kin_keys keys, copy;
    CHECK(t, kin_keys_make(&t->allocator, given, 3, &keys));
    CHECK(t, kin_keys_copy(&t->allocator, &keys, &copy));
    NEAR3(t, kin_keys_pose(&copy, false, 1).position, ((kin_vec3){2, 0, 0}), 1e-15);
    NEAR(t, kin_quat_angle(kin_keys_pose(&copy, false, 1).orientation), 0.5, 1e-12);
    NEAR3(t, kin_keys_pose(&keys, false, -5).position, ((kin_vec3){0, 0, 0}), 0);
    NEAR3(t, kin_keys_pose(&keys, true, 9).position, ((kin_vec3){4, 1, 0}), 1e-15);
    NEAR3(t, kin_keys_pose(&keys, true, 2).position, ((kin_vec3){4, 0, 0}), 1e-14);
    kin_vec3 before = kin_keys_pose(&keys, true, 2 - 1e-6).position, after = kin_keys_pose(&keys, true, 2 + 1e-6).position;
    NEAR(t, (4 - before.x) / 1e-6, (after.x - 4) / 1e-6, 1e-4); /* smooth there; the lines have a corner */
    kin_keys_free(&t->allocator, &keys);
    kin_keys_free(&t->allocator, &copy);
}

static bool make_and_copy(test* t, void* context)
{
    kin_key given[] = {{0, {0, 0, 0}, none}, {2, {4, 0, 0}, none}};
    kin_keys keys, copy = {0};
    (void)context;
    bool good = kin_keys_make(&t->allocator, given, 2, &keys) && kin_keys_copy(&t->allocator, &keys, &copy);
    kin_keys_free(&t->allocator, &keys);
    kin_keys_free(&t->allocator, &copy);
    return good;
}

static void memory_may_run_out(test* t) { test_fail_each_allocation(t, make_and_copy, NULL); }

TEST_MAIN("system/keys", TEST(bad_keys_are_refused_by_name), TEST(poses_between_and_beyond), TEST(memory_may_run_out))
