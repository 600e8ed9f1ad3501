/* gears_test.c - trains of gears on frames that turn: planetary gears and a differential against their closed forms. */
#include "base/alloc.h"
#include "scenes.h"
#include "support/test.h"

static kin_body* body(scene* s, uint32_t i) { return &s->group->bodies.body[i]; }

static uint32_t add(scene* s, kin_joint_def def, uint32_t a, uint32_t b)
{
    uint32_t index = 0;
    kin_error error = {0};
    if (kin_group_add_joint(s->group, &def, a, b, (kin_anchor){.system = 1, .element = s->group->joint_count}, &index, &error) != KIN_OK) return UINT32_MAX;
    return index;
}

static void hinge(scene* s, uint32_t a, uint32_t b, kin_vec3 anchor, kin_vec3 axis, double speed)
{
    kin_joint_def def = {.kind = KIN_JOINT_HINGE, .anchor = anchor, .axis = axis};
    if (speed != 0) def.freedom[0] = (kin_joint_freedom){.motor = true, .speed = speed, .most = 1e4};
    add(s, def, a, b);
}

static void gear(scene* s, uint32_t a, uint32_t b, kin_vec3 anchor, kin_vec3 anchor_b, kin_vec3 axis, kin_vec3 axis_b, double ratio)
{
    add(s,
        (kin_joint_def){.kind = KIN_JOINT_GEAR, .anchor = anchor, .anchor_b = anchor_b, .has_anchor_b = true, .axis = axis, .axis_b = axis_b, .ratio = ratio},
        a, b);
}

static uint32_t wheel(scene* s, kin_vec3 at, double mass_scale)
{
    return scene_add(s, (scene_body){.shape = {.kind = KIN_SHAPE_SPHERE, .radius = 0.2},
                                     .position = at,
                                     .motion = KIN_BODY_FREE,
                                     .density = 1000 * mass_scale,
                                     .skin = {.filter = {1, 2, 0}}});
}

/* Sun of radius 1, planet of 0.5, ring of 2 that stands still: the carrier turns at w_s r_s / (r_s + r_r) = w_s / 3, the planet at -3 times that. As soft rows,
 * and, with a heavy carrier, as a block. */
static void planetary_gear_turns_by_its_ratio(test* t)
{
    for (int k = 0; k < 2; ++k) {
        scene s;
        CHECK(t, scene_begin(&s, &t->allocator, 1));
        s.fields.gravity = kin_v(0, 0, 0);
        kin_vec3 z = {0, 0, 1}, middle = {0, 0, 0}, at = {1.5, 0, 0};
        uint32_t sun = wheel(&s, middle, 1), planet = wheel(&s, at, 1), carrier = wheel(&s, middle, k ? 1000 : 1);
        hinge(&s, KIN_NO_BODY, sun, middle, z, 6);
        hinge(&s, KIN_NO_BODY, carrier, middle, z, 0);
        hinge(&s, carrier, planet, at, z, 0);
        gear(&s, sun, planet, middle, at, z, z, 0.5);
        gear(&s, planet, KIN_NO_BODY, at, middle, z, z, -4);
        scene_steps(&s, 240);
        double play = k ? 1e-3 : 0.3; /* rad/s: soft rows tremble */
        NEAR(t, body(&s, sun)->spin.z, 6, play);
        NEAR(t, body(&s, carrier)->spin.z, 2, play);
        NEAR(t, body(&s, planet)->spin.z, -6, 3 * play);
        const kin_joint* j = s.group->joints; /* and no tooth was lost on the way */
        NEAR(t, j[1].turned[0], j[0].turned[0] / 3, 0.01);
        CHECK(t, j[0].turned[0] > 20);
        scene_end(&s);
    }
}

/* Two side wheels about x, a pinion about y in a cage that turns about x: the cage turns at their mean. */
static void differential_shares_its_turns(test* t)
{
    scene s;
    CHECK(t, scene_begin(&s, &t->allocator, 1));
    s.fields.gravity = kin_v(0, 0, 0);
    kin_vec3 x = {1, 0, 0}, y = {0, 1, 0}, left_at = {-1, 0, 0}, right_at = {1, 0, 0}, top = {0, 1, 0};
    uint32_t left = wheel(&s, left_at, 1), right = wheel(&s, right_at, 1), cage = wheel(&s, kin_v(0, 0, 0), 1), pinion = wheel(&s, top, 1);
    hinge(&s, KIN_NO_BODY, cage, kin_v(0, 0, 0), x, 3);
    hinge(&s, KIN_NO_BODY, right, right_at, x, 1);
    hinge(&s, KIN_NO_BODY, left, left_at, x, 0);
    hinge(&s, cage, pinion, top, y, 0);
    gear(&s, left, pinion, left_at, top, x, y, 1);
    gear(&s, right, pinion, right_at, top, kin_neg(x), y, 1);
    scene_steps(&s, 180);
    const kin_joint* j = s.group->joints; /* angles of the first three hinges */
    NEAR(t, j[0].turned[0], 9, 0.1);
    NEAR(t, j[1].turned[0], 3, 0.1);
    NEAR(t, j[2].turned[0], 2 * j[0].turned[0] - j[1].turned[0], 0.02);
    scene_end(&s);
}

static void axles_that_are_one_are_refused(test* t)
{
    scene s;
    kin_error error = {0};
    uint32_t index;
    CHECK(t, scene_begin(&s, &t->allocator, 1));
    uint32_t a = wheel(&s, kin_v(0, 0, 0), 1), b = wheel(&s, kin_v(0, 0, 1), 1);
    kin_joint_def def = {.kind = KIN_JOINT_GEAR, .anchor_b = {0, 0, 1}, .has_anchor_b = true, .axis = {0, 0, 1}, .ratio = 2};
    CHECK(t, kin_group_add_joint(s.group, &def, a, b, (kin_anchor){.system = 1}, &index, &error) == KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "anchor_b");
    scene_end(&s);
}

TEST_MAIN("contact_realtime_gears", TEST(planetary_gear_turns_by_its_ratio), TEST(differential_shares_its_turns), TEST(axles_that_are_one_are_refused))
