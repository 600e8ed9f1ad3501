/* field_attract_test.c - attractors: orbits, powers, potentials, lines and their ends (H5.1b, H5.1c). */
#include "field_lab.h"
#include "math/scalar.h"

static kin_attractor_field point_def(double pull, double p)
{
    kin_attractor_field d;
    kin_field_default("attractor", &d);
    d.attractor = pull;
    d.exponent = p;
    return d;
}

static kin_line_attractor_field line_def(kin_line_ends ends)
{
    kin_line_attractor_field d;
    kin_field_default("line_attractor", &d);
    d.line_attractor = 2;
    d.from = kin_v(0, -1, 0);
    d.to = kin_v(0, 1, 0);
    d.ends = ends;
    return d;
}

static double energy(const lab* l)
{
    lab* m = (lab*)l;
    return 0.5 * kin_length2(lab_vec(m->v, 0)) + kin_fields_potential(&l->fields, 1, lab_vec(m->x, 0), l->time);
}

/* p = 2: from the far end of an ellipse of half axis a, back after 2 pi sqrt(a^3 / G). Verlet errs by O(h^2); its energy swings but does not drift. */
static double kepler_miss(test* t, int steps)
{
    lab l;
    const double pull = 3, a = 1.25, far = 1.5;
    kin_attractor_field d = point_def(pull, 2);
    lab_begin(t, &l, kin_simd_best());
    EQUAL(t, lab_add(&l, "attractor", &d, NULL), KIN_OK);
    kin_vec3 x0 = {far, 0, 0}, v0 = {0, 0, kin_sqrt(pull * (2 / far - 1 / a))};
    lab_one(&l, x0, v0);
    double before = energy(&l), period = 2 * KIN_PI * kin_sqrt(a * a * a / pull);
    kin_vec3 spin = kin_cross(x0, v0);
    for (int i = 0; i < steps; ++i) lab_verlet(&l, period / steps);
    double miss = kin_distance(lab_vec(l.x, 0), x0);
    NEAR(t, energy(&l), before, 1e-6 * kin_abs(before));
    NEAR3(t, kin_cross(lab_vec(l.x, 0), lab_vec(l.v, 0)), spin, 1e-11);
    lab_end(&l);
    return miss;
}

static void gravity_like_orbits_close_after_keplers_period(test* t)
{
    double coarse = kepler_miss(t, 2000), fine = kepler_miss(t, 4000);
    CHECK(t, fine < 2e-5);
    NEAR(t, coarse / fine, 4, 0.2);
}

/* p = -1: harmonic, w = sqrt(G); an ellipse about the centre. A quarter of a turn swaps place and velocity. */
static void spring_like_orbits_are_ellipses_about_the_centre(test* t)
{
    lab l;
    const double w = 1.5;
    const int steps = 4000;
    kin_attractor_field d = point_def(w * w, -1);
    lab_begin(t, &l, kin_simd_best());
    EQUAL(t, lab_add(&l, "attractor", &d, NULL), KIN_OK);
    lab_one(&l, kin_v(2, 0, 0), kin_v(0, w * 0.5, 0));
    for (int i = 0; i < steps / 4; ++i) lab_verlet(&l, 2 * KIN_PI / w / steps);
    NEAR3(t, lab_vec(l.x, 0), kin_v(0, 0.5, 0), 1e-5);
    for (int i = steps / 4; i < steps; ++i) lab_verlet(&l, 2 * KIN_PI / w / steps);
    NEAR3(t, lab_vec(l.x, 0), kin_v(2, 0, 0), 1e-5);
    lab_end(&l);
}

static void any_power_of_the_distance(test* t)
{
    const double powers[] = {-2, -1, -0.5, 0, 1, 1.5, 2, 3, 4.25};
    for (size_t k = 0; k < sizeof powers / sizeof *powers; ++k) {
        lab l;
        kin_attractor_field d = point_def(1.7, powers[k]);
        lab_begin(t, &l, kin_simd_best());
        EQUAL(t, lab_add(&l, "attractor", &d, NULL), KIN_OK);
        lab_evaluate(&l);
        for (int i = 0; i < LAB; ++i) {
            double r = kin_length(lab_vec(l.x, i)), size = 1.7 * kin_pow(r, -powers[k]);
            NEAR3(t, lab_vec(l.a, i), kin_scale(lab_vec(l.x, i), -size / r), 1e-13 * size);
        }
        lab_end(&l);
    }
}

/* Central differences of the potential give the force, outside, in the core and beyond the extent. */
static void check_gradient(test* t, lab* l, kin_vec3 x)
{
    const double e = 1e-5;
    kin_vec3 a = lab_at(l, x, kin_v(0, 0, 0));
    for (int k = 0; k < 3; ++k) {
        kin_vec3 step = kin_scale(kin_axis(k), e);
        double slope = (kin_fields_potential(&l->fields, 2, kin_add(x, step), 0) - kin_fields_potential(&l->fields, 2, kin_sub(x, step), 0)) / (2 * e);
        NEAR(t, -slope / 2, kin_component(a, k), 1e-7 * (1 + kin_length(a)));
    }
}

static void potentials_match_their_forces(test* t)
{
    const double powers[] = {-1, 0, 1, 1.5, 2, 3};
    for (size_t k = 0; k < sizeof powers / sizeof *powers; ++k) {
        lab l;
        kin_attractor_field d = point_def(1.7, powers[k]);
        kin_line_attractor_field line = line_def(k % 2 ? KIN_LINE_NEAREST : KIN_LINE_INFINITE);
        line.exponent = powers[k];
        line.core = d.core = 0.3;
        line.extent = d.extent = 4;
        lab_begin(t, &l, KIN_SIMD_NONE);
        EQUAL(t, lab_add(&l, "attractor", &d, NULL), KIN_OK);
        EQUAL(t, lab_add(&l, "line_attractor", &line, NULL), KIN_OK);
        check_gradient(t, &l, kin_v(0.5, 1.4, -0.7));
        check_gradient(t, &l, kin_v(0.1, -0.05, 0.15));
        check_gradient(t, &l, kin_v(3, 4, 5));
        lab_end(&l);
    }
}

static void the_core_keeps_it_finite_and_the_extent_ends_it(test* t)
{
    lab l;
    kin_attractor_field d = point_def(1, 2);
    d.core = 0.1;
    d.extent = 3;
    lab_begin(t, &l, kin_simd_best());
    EQUAL(t, lab_add(&l, "attractor", &d, NULL), KIN_OK);
    NEAR3(t, lab_at(&l, kin_v(0, 0, 0), kin_v(0, 0, 0)), kin_v(0, 0, 0), 0);
    NEAR3(t, lab_at(&l, kin_v(0.1, 0, 0), kin_v(0, 0, 0)), kin_v(-100, 0, 0), 1e-11);
    NEAR3(t, lab_at(&l, kin_v(0.05, 0, 0), kin_v(0, 0, 0)), kin_v(-50, 0, 0), 1e-11);
    NEAR3(t, lab_at(&l, kin_v(0, 2.999, 0), kin_v(0, 0, 0)), kin_v(0, -1 / (2.999 * 2.999), 0), 1e-15);
    NEAR3(t, lab_at(&l, kin_v(0, 3.001, 0), kin_v(0, 0, 0)), kin_v(0, 0, 0), 0);
    lab_end(&l);
}

static void the_goal_moves_by_keys(test* t)
{
    lab l;
    const kin_curve_key keys[] = {{0, {1, 0, 0}}, {2, {3, 2, 0}}};
    kin_attractor_field d = point_def(1, -1);
    d.toward = (kin_curve){keys, 2, KIN_CURVE_LINEAR};
    lab_begin(t, &l, kin_simd_best());
    EQUAL(t, lab_add(&l, "attractor", &d, NULL), KIN_OK);
    NEAR3(t, lab_at(&l, kin_v(0, 0, 0), kin_v(0, 0, 0)), kin_v(1, 0, 0), 0);
    l.time = 1;
    NEAR3(t, lab_at(&l, kin_v(0, 0, 0), kin_v(0, 0, 0)), kin_v(2, 1, 0), 1e-15);
    l.time = 9;
    NEAR3(t, lab_at(&l, kin_v(0, 0, 0), kin_v(0, 0, 0)), kin_v(3, 2, 0), 0);
    lab_end(&l);
}

/* No force along it, no torque about it. */
static void a_line_pulls_across_itself_only(test* t)
{
    lab l;
    kin_line_attractor_field d = line_def(KIN_LINE_INFINITE);
    lab_begin(t, &l, kin_simd_best());
    EQUAL(t, lab_add(&l, "line_attractor", &d, NULL), KIN_OK);
    lab_one(&l, kin_v(1, 0, 0), kin_v(0, 0.75, 1.2));
    double spin = kin_cross(lab_vec(l.x, 0), lab_vec(l.v, 0)).y;
    for (int i = 0; i < 1000; ++i) lab_verlet(&l, 0.01);
    NEAR(t, l.v[1][0], 0.75, 0);
    NEAR(t, l.x[1][0], 7.5, 1e-12);
    NEAR(t, kin_cross(lab_vec(l.x, 0), lab_vec(l.v, 0)).y, spin, 1e-12);
    CHECK(t, kin_length(kin_v(l.x[0][0], 0, l.x[2][0])) < 1.5); /* it has gone round, not away */
    lab_end(&l);
}

/* Past the end one variant lets go: a straight line for ever; the other pulls back to the end. */
static void ends_ignore_or_pull(test* t)
{
    for (int k = 0; k < 2; ++k) {
        lab l;
        kin_line_attractor_field d = line_def(k == 0 ? KIN_LINE_IGNORE : KIN_LINE_NEAREST);
        lab_begin(t, &l, kin_simd_best());
        EQUAL(t, lab_add(&l, "line_attractor", &d, NULL), KIN_OK);
        NEAR3(t, lab_at(&l, kin_v(2, 0.5, 0), kin_v(0, 0, 0)), kin_v(-0.5, 0, 0), 1e-15);
        kin_vec3 beyond = lab_at(&l, kin_v(0, 3, 0), kin_v(0, 0, 0));
        NEAR3(t, beyond, k == 0 ? kin_v(0, 0, 0) : kin_v(0, -0.5, 0), 1e-15);
        lab_one(&l, kin_v(1, 0.9, 0), kin_v(0, 1, 1.4));
        for (int i = 0; i < 200; ++i) lab_verlet(&l, 0.01);
        kin_vec3 v = lab_vec(l.v, 0);
        for (int i = 0; i < 1000; ++i) lab_verlet(&l, 0.01);
        if (k == 0) {
            NEAR3(t, lab_vec(l.v, 0), v, 0);
            CHECK(t, kin_length(lab_vec(l.x, 0)) > 10);
        } else {
            CHECK(t, kin_length(lab_vec(l.x, 0)) < 6);
        }
        lab_end(&l);
    }
}

static void every_width_gives_the_same_bits(test* t)
{
    const double powers[] = {-1, 0, 1, 2, 1.5};
    for (size_t k = 0; k < sizeof powers / sizeof *powers; ++k) {
        kin_attractor_field d = point_def(1.7, powers[k]);
        kin_line_attractor_field line = line_def((kin_line_ends)(k % 3));
        line.exponent = powers[k];
        d.extent = line.extent = 2.5;
        d.core = line.core = 1.5;
        lab_same_bits(t, "attractor", &d);
        lab_same_bits(t, "line_attractor", &line);
    }
}

static void bad_ones_are_refused(test* t)
{
    lab l;
    kin_error error = {0};
    lab_begin(t, &l, KIN_SIMD_NONE);
    kin_line_attractor_field line = line_def(KIN_LINE_INFINITE);
    line.to = line.from;
    EQUAL(t, lab_add(&l, "line_attractor", &line, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "to");
    HAS(t, error.message, "from");
    kin_attractor_field d = point_def(1, 2);
    d.core = 0;
    EQUAL(t, lab_add(&l, "attractor", &d, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "core");
    d = point_def(1, 40);
    EQUAL(t, lab_add(&l, "attractor", &d, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "exponent");
    EQUAL(t, l.fields.count, 0);
    lab_end(&l);
}

TEST_MAIN("field_attract", TEST(gravity_like_orbits_close_after_keplers_period), TEST(spring_like_orbits_are_ellipses_about_the_centre),
          TEST(any_power_of_the_distance), TEST(potentials_match_their_forces), TEST(the_core_keeps_it_finite_and_the_extent_ends_it),
          TEST(the_goal_moves_by_keys), TEST(a_line_pulls_across_itself_only), TEST(ends_ignore_or_pull), TEST(every_width_gives_the_same_bits),
          TEST(bad_ones_are_refused))
