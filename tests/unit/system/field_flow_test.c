/* field_flow_test.c - potential flows (H13.5-13.8) and the vortex in a cylinder (H5.2b). */
#include "field_lab.h"

static kin_source_field source_def(kin_source_form form, double a)
{
    kin_source_field d;
    kin_field_default("source", &d);
    d.source = a;
    d.form = form;
    d.axis = kin_v(0, 0, 2); /* need not be unit */
    d.at = kin_v(0.1, -0.2, 0.3);
    return d;
}

static kin_vortex_line_field line_def(double b)
{
    kin_vortex_line_field d;
    kin_field_default("vortex_line", &d);
    d.vortex_line = b;
    d.axis = kin_v(0, 0, 1);
    return d;
}

/* Round a circle in a plane of constant z: flow out through it, and along it. Equal steps in angle are exact for these, far beyond 1e-10. */
typedef struct loop {
    double flux, circulation;
} loop;
static loop round_circle(lab* l, kin_vec3 centre, double radius)
{
    const int n = 400;
    loop sum = {0};
    for (int i = 0; i < n; ++i) {
        double angle = 2 * KIN_PI * i / n, arc = 2 * KIN_PI * radius / n;
        kin_vec3 out = {kin_cos(angle), kin_sin(angle), 0}, along = {-out.y, out.x, 0};
        kin_vec3 u = lab_air_at(l, kin_add_scaled(centre, radius, out));
        sum.flux += arc * kin_dot(u, out);
        sum.circulation += arc * kin_dot(u, along);
    }
    return sum;
}

static void flux_and_circulation_are_the_strengths(test* t)
{
    lab l;
    kin_source_field s = source_def(KIN_SOURCE_AXIS, 3);
    kin_vortex_line_field v = line_def(-2);
    lab_begin(t, &l, kin_simd_best());
    EQUAL(t, lab_add(&l, "source", &s, NULL), KIN_OK);
    EQUAL(t, lab_add(&l, "vortex_line", &v, NULL), KIN_OK);
    loop around = round_circle(&l, kin_v(0.2, 0.1, 7), 1.5), beside = round_circle(&l, kin_v(4, 0, 0), 1.5);
    NEAR(t, around.flux, 3, 1e-10);
    NEAR(t, around.circulation, -2, 1e-10);
    NEAR(t, beside.flux, 0, 1e-10);
    NEAR(t, beside.circulation, 0, 1e-10);
    lab_end(&l);
}

static double divergence(lab* l, kin_vec3 x)
{
    const double e = 1e-4;
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        kin_vec3 step = kin_scale(kin_axis(k), e);
        sum += (kin_component(lab_air_at(l, kin_add(x, step)), k) - kin_component(lab_air_at(l, kin_sub(x, step)), k)) / (2 * e);
    }
    return sum;
}

/* Of the two laws for points only one keeps what it brings; the other has a / (2 pi r^2) everywhere. Differences err by e^2. */
static void only_the_inverse_square_is_free_of_divergence(test* t)
{
    for (int form = KIN_SOURCE_POINT; form <= KIN_SOURCE_TEXT; ++form) {
        lab l;
        kin_source_field s = source_def((kin_source_form)form, 5);
        lab_begin(t, &l, kin_simd_best());
        EQUAL(t, lab_add(&l, "source", &s, NULL), KIN_OK);
        kin_vec3 x = kin_v(0.9, 0.5, -0.4);
        double r = kin_distance(x, s.at);
        NEAR(t, divergence(&l, x), form == KIN_SOURCE_TEXT ? 5 / (2 * KIN_PI * r * r) : 0, 1e-6);
        kin_vec3 out = kin_scale(kin_sub(x, s.at), 1 / r);
        if (form == KIN_SOURCE_POINT) NEAR(t, kin_dot(lab_air_at(&l, x), out) * 4 * KIN_PI * r * r, 5, 1e-12);
        if (form == KIN_SOURCE_TEXT) NEAR(t, kin_dot(lab_air_at(&l, x), out) * 2 * KIN_PI * r, 5, 1e-12);
        lab_end(&l);
    }
}

static void speeds_are_cut_near_the_middle(test* t)
{
    lab l;
    kin_source_field s = source_def(KIN_SOURCE_AXIS, -50);
    kin_vortex_line_field v = line_def(50);
    s.at = kin_v(0, 0, 0);
    s.max_speed = v.max_speed = 3;
    lab_begin(t, &l, kin_simd_best());
    EQUAL(t, lab_add(&l, "source", &s, NULL), KIN_OK);
    EQUAL(t, lab_add(&l, "vortex_line", &v, NULL), KIN_OK);
    NEAR3(t, lab_air_at(&l, kin_v(1e-3, 0, 0)), kin_v(-3, 3, 0), 1e-12);
    NEAR3(t, lab_air_at(&l, kin_v(0, 0, 5)), kin_v(0, 0, 0), 0);
    lab_end(&l);
}

/* A source in a wind U along x: still air a / (2 pi U) upstream. */
static void flows_add_to_a_stagnation_point(test* t)
{
    lab l;
    kin_source_field s = source_def(KIN_SOURCE_AXIS, 3);
    kin_wind_field w;
    kin_field_default("wind", &w);
    w.wind = kin_v(2, 0, 0);
    lab_begin(t, &l, kin_simd_best());
    EQUAL(t, lab_add(&l, "source", &s, NULL), KIN_OK);
    EQUAL(t, lab_add(&l, "wind", &w, NULL), KIN_OK);
    kin_vec3 still = kin_sub(s.at, kin_v(3 / (2 * KIN_PI * 2), 0, 0));
    NEAR3(t, lab_air_at(&l, still), kin_v(0, 0, 0), 1e-14);
    CHECK(t, lab_air_at(&l, kin_add(still, kin_v(0.01, 0, 0))).x < 0 && lab_air_at(&l, kin_sub(still, kin_v(0.01, 0, 0))).x > 0);
    CHECK(t, lab_air_at(&l, kin_add(still, kin_v(0, 0.01, 0))).y > 0); /* a saddle */
    lab_end(&l);
}

static void a_flow_may_carry_instead(test* t)
{
    lab l;
    kin_source_field s = source_def(KIN_SOURCE_POINT, 4 * KIN_PI);
    s.acts = KIN_FLOW_CARRY;
    s.at = kin_v(0, 0, 0);
    lab_begin(t, &l, kin_simd_best());
    EQUAL(t, lab_add(&l, "source", &s, NULL), KIN_OK);
    CHECK(t, !l.fields.has_medium && l.fields.has_after);
    NEAR3(t, lab_air_at(&l, kin_v(2, 0, 0)), kin_v(0, 0, 0), 0);
    lab_step(&l, 0.5);
    NEAR3(t, lab_vec(l.x, 0), kin_v(2 + 0.5 * 0.25, 0, 0), 1e-14);
    NEAR3(t, lab_vec(l.v, 0), kin_v(0, 0, 0), 0);
    lab_end(&l);
}

/* ---- the vortex ---- */

static kin_vortex_field vortex_def(kin_vortex_acts acts)
{
    kin_vortex_field d;
    kin_field_default("vortex", &d);
    d.vortex = 0.5;
    d.max_rate = 1e3;
    d.radius = 2;
    d.length = 3;
    d.base = kin_v(1, 1, 1);
    d.acts = acts;
    return d;
}

/* At R a turn takes 1 / rate, at R / 2 a quarter of it; the distance from the axis stays, whatever the step. */
static void turns_take_as_long_as_they_should(test* t)
{
    const double radius[2] = {2, 1}, period[2] = {2, 0.5};
    for (int k = 0; k < 2; ++k) {
        for (int steps = 3; steps < 200; steps *= 7) {
            lab l;
            kin_vortex_field d = vortex_def(KIN_VORTEX_CARRY);
            lab_begin(t, &l, kin_simd_best());
            EQUAL(t, lab_add(&l, "vortex", &d, NULL), KIN_OK);
            lab_one(&l, kin_v(1 + radius[k], 2, 1), kin_v(0, 0, 0));
            lab_step(&l, period[k] / 4);
            NEAR3(t, lab_vec(l.x, 0), kin_v(1, 2, 1 - radius[k]), 1e-14); /* about +y: from x to -z */
            lab_one(&l, kin_v(1 + radius[k], 2, 1), kin_v(0, 0, 0));
            for (int i = 0; i < steps; ++i) {
                lab_step(&l, period[k] / steps);
                NEAR(t, kin_length(kin_sub(lab_vec(l.x, 0), kin_v(1, 2, 1))), radius[k], 1e-13);
            }
            NEAR3(t, lab_vec(l.x, 0), kin_v(1 + radius[k], 2, 1), 1e-12);
            NEAR3(t, lab_vec(l.v, 0), kin_v(0, 0, 0), 0);
            lab_end(&l);
        }
    }
}

static void only_what_is_in_the_cylinder_turns(test* t)
{
    lab l;
    kin_vortex_field d = vortex_def(KIN_VORTEX_CARRY);
    d.max_rate = 1;
    lab_begin(t, &l, kin_simd_best());
    EQUAL(t, lab_add(&l, "vortex", &d, NULL), KIN_OK);
    const kin_vec3 outside[] = {{1 + 2.01, 2, 1}, {2, 0.99, 1}, {2, 4.01, 1}};
    for (int i = 0; i < 3; ++i) {
        lab_one(&l, outside[i], kin_v(0, 0, 0));
        lab_step(&l, 0.1);
        NEAR3(t, lab_vec(l.x, 0), outside[i], 0);
    }
    lab_one(&l, kin_v(1.001, 2, 1), kin_v(0, 0, 0)); /* by its power 2e6 turns a second */
    lab_step(&l, 0.5);
    NEAR3(t, lab_vec(l.x, 0), kin_v(0.999, 2, 1), 1e-14);
    lab_one(&l, kin_v(1, 2, 1), kin_v(0, 0, 0));
    lab_step(&l, 0.1);
    NEAR3(t, lab_vec(l.x, 0), kin_v(1, 2, 1), 0);
    lab_end(&l);
}

/* By the letter a point at rest stays, and a moving one is turned by the same angle each step: it goes straight on. */
static void by_the_letter_nothing_goes_round(test* t)
{
    lab l;
    kin_vortex_field d = vortex_def(KIN_VORTEX_VELOCITY);
    d.tightness = 0;
    lab_begin(t, &l, kin_simd_best());
    EQUAL(t, lab_add(&l, "vortex", &d, NULL), KIN_OK);
    lab_one(&l, kin_v(2, 2, 1), kin_v(0.1, 0, 0));
    lab_step(&l, 0.5); /* a quarter of a turn */
    NEAR3(t, lab_vec(l.x, 0), kin_v(2, 2, 1 - 0.05), 1e-15);
    lab_step(&l, 0.5);
    NEAR3(t, lab_vec(l.x, 0), kin_v(2, 2, 1 - 0.1), 1e-15);
    NEAR3(t, lab_vec(l.v, 0), kin_v(0.1, 0, 0), 0);
    lab_end(&l);
}

static void as_air_it_blows_round_the_axis(test* t)
{
    lab l;
    kin_vortex_field d = vortex_def(KIN_VORTEX_AIR);
    lab_begin(t, &l, kin_simd_best());
    EQUAL(t, lab_add(&l, "vortex", &d, NULL), KIN_OK);
    CHECK(t, l.fields.has_medium && !l.fields.has_after);
    NEAR3(t, lab_air_at(&l, kin_v(2, 2, 1)), kin_v(0, 0, -2 * KIN_PI * 2), 1e-13);
    NEAR3(t, lab_air_at(&l, kin_v(2, 5, 1)), kin_v(0, 0, 0), 0);
    lab_end(&l);
}

static void every_width_gives_the_same_bits(test* t)
{
    for (int acts = 0; acts < 2; ++acts) {
        for (int form = KIN_SOURCE_POINT; form <= KIN_SOURCE_TEXT; ++form) {
            kin_source_field s = source_def((kin_source_form)form, 7);
            s.acts = (kin_flow_acts)acts;
            s.max_speed = 1;
            lab_same_bits(t, "source", &s);
        }
        kin_vortex_line_field v = line_def(3);
        v.acts = (kin_flow_acts)acts;
        lab_same_bits(t, "vortex_line", &v);
    }
    for (int acts = KIN_VORTEX_CARRY; acts <= KIN_VORTEX_AIR; ++acts) {
        kin_vortex_field d = vortex_def((kin_vortex_acts)acts);
        d.tightness = 1.5;
        d.base = kin_v(0, -1, 0);
        lab_same_bits(t, "vortex", &d);
    }
}

TEST_MAIN("field_flow", TEST(flux_and_circulation_are_the_strengths), TEST(only_the_inverse_square_is_free_of_divergence), TEST(speeds_are_cut_near_the_middle),
          TEST(flows_add_to_a_stagnation_point), TEST(a_flow_may_carry_instead), TEST(turns_take_as_long_as_they_should),
          TEST(only_what_is_in_the_cylinder_turns), TEST(by_the_letter_nothing_goes_round), TEST(as_air_it_blows_round_the_axis),
          TEST(every_width_gives_the_same_bits))
