/* field_mask_test.c - how much of a field is felt: regions and their edges (C3.3.4a), ages, tags, strength over time; for every place a field acts in. */
#include "field_lab.h"
#include "math/quat.h"

static kin_gravity_field pull(void)
{
    kin_gravity_field d;
    kin_field_default("gravity", &d);
    d.gravity = kin_v(2, 4, 8);
    return d;
}

static kin_vec3 felt(test* t, const kin_gravity_field* d, kin_vec3 x)
{
    lab l;
    lab_begin(t, &l, kin_simd_best());
    EQUAL(t, lab_add(&l, "gravity", d, NULL), KIN_OK);
    kin_vec3 a = lab_at(&l, x, kin_v(0, 0, 0));
    lab_end(&l);
    return a;
}

static void a_sphere_fades_from_its_centre(test* t)
{
    kin_gravity_field d = pull();
    d.common.region = (kin_region){.kind = KIN_REGION_SPHERE, .radius = 2};
    d.common.center = kin_v(1, 0, 0);
    NEAR3(t, felt(t, &d, kin_v(2.9, 0, 0)), kin_v(2, 4, 8), 0);
    NEAR3(t, felt(t, &d, kin_v(3.1, 0, 0)), kin_v(0, 0, 0), 0);
    d.common.drop = KIN_DROP_LINEAR;
    NEAR3(t, felt(t, &d, kin_v(1, 0, 0)), kin_v(2, 4, 8), 0);
    NEAR3(t, felt(t, &d, kin_v(1, 1, 0)), kin_v(1, 2, 4), 1e-15);
    NEAR3(t, felt(t, &d, kin_v(1, 0, 2)), kin_v(0, 0, 0), 0);
    NEAR3(t, felt(t, &d, kin_v(1, 5, 2)), kin_v(0, 0, 0), 0);
}

/* By half sizes, so that it vanishes at the faces; each component along its own axis only. */
static void a_box_fades_by_axes(test* t)
{
    kin_gravity_field d = pull();
    d.common.region = (kin_region){.kind = KIN_REGION_BOX, .sizes = {2, 4, 8}};
    d.common.drop = KIN_DROP_AXES;
    NEAR3(t, felt(t, &d, kin_v(0, 0, 0)), kin_v(2, 4, 8), 0);
    NEAR3(t, felt(t, &d, kin_v(0.5, 0.5, 1)), kin_v(1, 3, 6), 1e-15);
    NEAR3(t, felt(t, &d, kin_v(0.999999, 0, 0)), kin_v(0, 4, 8), 1e-5);
    NEAR3(t, felt(t, &d, kin_v(1.000001, 0, 0)), kin_v(0, 0, 0), 0);
    d.common.drop = KIN_DROP_LINEAR; /* by the nearest face */
    NEAR3(t, felt(t, &d, kin_v(0.5, 0.5, 1)), kin_v(1, 2, 4), 1e-15);
    d.common.drop = KIN_DROP_NONE;
    NEAR3(t, felt(t, &d, kin_v(0.9, 1.9, -3.9)), kin_v(2, 4, 8), 0);
}

static void behind_a_plane(test* t)
{
    kin_gravity_field d = pull();
    d.common.region = (kin_region){.kind = KIN_REGION_PLANE, .normal = {0, 3, 0}};
    d.common.center = kin_v(7, 1, 7);
    NEAR3(t, felt(t, &d, kin_v(0, 0.99, 0)), kin_v(2, 4, 8), 0);
    NEAR3(t, felt(t, &d, kin_v(0, 1.01, 0)), kin_v(0, 0, 0), 0);
    d.common.drop = KIN_DROP_LINEAR;
    d.common.depth = 4;
    NEAR3(t, felt(t, &d, kin_v(0, -1, 0)), kin_v(1, 2, 4), 1e-15);
    NEAR3(t, felt(t, &d, kin_v(0, -9, 0)), kin_v(2, 4, 8), 0);
}

static void ages_come_and_go(test* t)
{
    lab l;
    kin_gravity_field d = pull();
    d.common.age[0] = 1;
    d.common.age[1] = 3;
    d.common.fade = 0.5;
    lab_begin(t, &l, kin_simd_best());
    EQUAL(t, lab_add(&l, "gravity", &d, NULL), KIN_OK);
    EQUAL(t, l.fields.wants, KIN_FIELD_WANTS_AGE);
    lab_evaluate(&l);
    NEAR(t, l.a[0][9], 0, 0);        /* 0.9 s */
    NEAR(t, l.a[0][12], 0.8, 1e-14); /* 1.2 s: 0.4 of 2 */
    NEAR(t, l.a[0][20], 2, 0);
    NEAR(t, l.a[0][29], 0.4, 1e-14);
    NEAR(t, l.a[0][31], 0, 0);
    lab_end(&l);
}

static void tags_choose(test* t)
{
    lab l;
    const char* const names[] = {"smoke", "leaf"};
    kin_gravity_field d = pull();
    d.common.tags.data = names;
    d.common.tags.count = 2;
    lab_begin(t, &l, kin_simd_best());
    uint64_t stone = kin_fields_tag(&l.fields, "stone");
    EQUAL(t, lab_add(&l, "gravity", &d, NULL), KIN_OK);
    uint64_t leaf = kin_fields_tag(&l.fields, "leaf");
    CHECK(t, stone != 0 && leaf != 0 && stone != leaf && kin_fields_tag(&l.fields, "stone") == stone);
    EQUAL(t, l.fields.tag_count, 3);
    l.tags[1] = leaf;
    l.tags[2] = stone;
    l.tags[3] = leaf | stone;
    lab_evaluate(&l);
    NEAR(t, l.a[0][0], 0, 0);
    NEAR(t, l.a[0][1], 2, 0);
    NEAR(t, l.a[0][2], 0, 0);
    NEAR(t, l.a[0][3], 2, 0);
    lab_end(&l);
}

static void tags_that_cannot_be_are_refused(test* t)
{
    lab l;
    kin_error error = {0};
    const char* const names[] = {"a name that is far too long to be a tag of anything"};
    kin_gravity_field d = pull();
    d.common.tags.data = names;
    d.common.tags.count = 1;
    lab_begin(t, &l, KIN_SIMD_NONE);
    EQUAL(t, lab_add(&l, "gravity", &d, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "tags");
    lab_end(&l);
}

static void strength_follows_its_keys(test* t)
{
    lab l;
    const kin_curve_key keys[] = {{1, {0}}, {3, {4}}};
    kin_gravity_field d = pull();
    d.common.strength = (kin_curve){keys, 2, KIN_CURVE_LINEAR};
    lab_begin(t, &l, kin_simd_best());
    EQUAL(t, lab_add(&l, "gravity", &d, NULL), KIN_OK);
    const double times[] = {0, 1, 1.5, 3, 9}, want[] = {0, 0, 2, 8, 8};
    for (int i = 0; i < 5; ++i) {
        l.time = times[i];
        NEAR(t, lab_at(&l, kin_v(0, 0, 0), kin_v(0, 0, 0)).x, want[i], 1e-15);
    }
    lab_end(&l);
}

/* The air and what is done after a step are felt in part just as forces are. */
static void other_places_are_masked_too(test* t)
{
    lab l;
    kin_wind_field w;
    kin_translate_field d;
    kin_speed_limit_field limit;
    kin_field_default("wind", &w);
    kin_field_default("translate", &d);
    kin_field_default("speed_limit", &limit);
    w.wind = d.translate = kin_v(1, 2, 4);
    limit.speed_limit = 1;
    w.common.region = d.common.region = limit.common.region = (kin_region){.kind = KIN_REGION_SPHERE, .radius = 2};
    w.common.drop = d.common.drop = limit.common.drop = KIN_DROP_LINEAR;
    lab_begin(t, &l, kin_simd_best());
    EQUAL(t, lab_add(&l, "wind", &w, NULL), KIN_OK);
    EQUAL(t, lab_add(&l, "translate", &d, NULL), KIN_OK);
    EQUAL(t, lab_add(&l, "speed_limit", &limit, NULL), KIN_OK);
    NEAR3(t, lab_air_at(&l, kin_v(0, 1, 0)), kin_v(0.5, 1, 2), 1e-15);
    lab_one(&l, kin_v(0, 1, 0), kin_v(0, 0, 0));
    l.new_v[0][0] = 3;
    l.new_v[1][0] = l.new_v[2][0] = 0;
    lab_after(&l, 1);
    NEAR3(t, lab_vec(l.new_v, 0), kin_v(2, 0, 0), 1e-15);
    NEAR3(t, lab_vec(l.carried, 0), kin_v(1.5, 1, 2), 1e-15);
    lab_end(&l);
}

/* A box turned by keys, from one place to another: felt by what is inside it, as it then is. */
static void regions_turn_and_move(test* t)
{
    lab l;
    kin_gravity_field d;
    const kin_key keys[2] = {{1, {0, 0, 0}, {0, 0, 0, 1}}, {3, {2, 0, 0}, {0, kin_sin(KIN_PI / 4), 0, kin_cos(KIN_PI / 4)}}};
    kin_field_default("gravity", &d);
    d.gravity = kin_v(0, 1, 0);
    d.common.region.kind = KIN_REGION_BOX;
    d.common.region.sizes = kin_v(2, 1, 0.5);
    for (int keyed = 0; keyed < 2; ++keyed) {
        d.common.center = kin_v(1, 0, 0);
        d.common.motion.orientation = kin_quat_axis_angle(kin_axis(1), KIN_PI / 4);
        d.common.motion.keys.data = keys;
        d.common.motion.keys.count = keyed == 1 ? 2 : 0;
        lab_begin(t, &l, kin_simd_best());
        EQUAL(t, lab_add(&l, "gravity", &d, NULL), KIN_OK);
        for (double time = 0; time <= 4; time += 0.5) {
            double s = keyed == 1 ? kin_clamp((time - 1) / 2, 0, 1) : 0.5;
            kin_transform pose = {kin_v(2 * s, 0, 0), kin_quat_axis_angle(kin_axis(1), s * KIN_PI / 2)};
            l.time = time;
            NEAR(t, lab_at(&l, kin_apply(pose, kin_v(0.99, 0.49, 0.24)), kin_v(0, 0, 0)).y, 1, 0);
            NEAR(t, lab_at(&l, kin_apply(pose, kin_v(1.01, 0, 0)), kin_v(0, 0, 0)).y, 0, 0);
            NEAR(t, lab_at(&l, kin_apply(pose, kin_v(0, 0, 0.26)), kin_v(0, 0, 0)).y, 0, 0);
        }
        lab_end(&l);
    }
    lab_begin(t, &l, kin_simd_best());
    kin_error error = {0};
    d.common.drop = KIN_DROP_AXES;
    EQUAL(t, lab_add(&l, "gravity", &d, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "drop");
    lab_end(&l);
}

TEST_MAIN("field_mask", TEST(regions_turn_and_move), TEST(a_sphere_fades_from_its_centre), TEST(a_box_fades_by_axes), TEST(behind_a_plane),
          TEST(ages_come_and_go), TEST(tags_choose), TEST(tags_that_cannot_be_are_refused), TEST(strength_follows_its_keys), TEST(other_places_are_masked_too))
