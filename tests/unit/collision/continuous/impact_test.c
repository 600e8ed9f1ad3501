/* impact_test.c - when moving forms first meet: closed forms, fine sampling, the three methods beside each other. */
#include "collision/continuous/impact.h"
#include "collision/manifold/manifold.h"
#include "support/test.h"
#include "unit/collision/pair.h"
#include "unit/geometry/shapes.h"

static kin_screw shift(kin_vec3 from, kin_vec3 to) { return kin_screw_between((kin_transform){from, {0, 0, 0, 1}}, (kin_transform){to, {0, 0, 0, 1}}); }
static kin_screw stand(void) { return kin_screw_still(at(0, 0, 0)); }

static bool find(stage* s, kin_screw a, kin_screw b, kin_impact_method method, kin_impact* out)
{
    kin_impact_settings settings = kin_impact_defaults();
    settings.method = method;
    settings.tolerance = 1e-9;
    return kin_impact_find(s->a, &a, s->b, &b, &settings, &s->arena, out);
}

/* N11: closing speed 2, gap 3: t = 1.5 of a unit interval; here the interval is 2 units, so 0.75, and one step finds it. */
static void faces_meet_in_one_step(test* t)
{
    stage s = set(t, box(1, 1, 1), box(1, 1, 1));
    kin_impact m;
    CHECK(t, find(&s, shift(kin_v(-4, 0, 0), kin_v(-2, 0, 0)), shift(kin_v(0, 0, 0), kin_v(-2, 0, 0)), KIN_IMPACT_ADVANCE, &m));
    NEAR(t, m.t, 0.75, 1e-9);
    NEAR3(t, m.normal, kin_v(-1, 0, 0), 1e-12);
    CHECK(t, m.iterations <= 3);
    CHECK(t, !find(&s, shift(kin_v(-4, 0, 0), kin_v(-5, 0, 0)), stand(), KIN_IMPACT_ADVANCE, &m)); /* parting */
    CHECK(t, !find(&s, shift(kin_v(-4, 0, 0), kin_v(-4, 0, 0)), stand(), KIN_IMPACT_ADVANCE, &m)); /* no relative motion */
    CHECK(t, find(&s, shift(kin_v(0.9, 0, 0), kin_v(3, 0, 0)), stand(), KIN_IMPACT_ADVANCE, &m));  /* overlapping at the start */
    EQUAL(t, m.t, 0);
    NEAR(t, m.distance, -0.1, 1e-9);
    clear(&s);
}

/* C4.8: a bullet through a plate, whatever the step; beside it, nothing. */
static void a_bullet_never_misses_a_plate(test* t)
{
    stage s = set(t, ball(0.005), box(1, 1, 0.001));
    for (int i = 0; i < 12; ++i) {
        double way = 0.1 * (1 << i);
        kin_impact m;
        CHECK(t, find(&s, shift(kin_v(0.3, 0.2, -0.05), kin_v(0.3, 0.2, -0.05 + way)), stand(), KIN_IMPACT_ADVANCE, &m));
        NEAR(t, m.t * way, 0.05 - 0.0005 - 0.005, 2e-9);
        CHECK(t, !find(&s, shift(kin_v(0.6, 0.2, -0.05), kin_v(0.6, 0.2, -0.05 + way)), stand(), KIN_IMPACT_ADVANCE, &m));
        EQUAL(t, m.kind, KIN_IMPACT_NONE);
    }
    clear(&s);
}

/* A bar spins once past a ball: it comes back, so a distance that grows is no reason to stop. */
static void a_bar_that_turns_back(test* t)
{
    stage s = set(t, box(2, 0.1, 0.1), ball(0.2));
    kin_screw spin = kin_screw_between(at(0, 0, 0), (kin_transform){{0, 0, 0}, kin_quat_axis_angle(kin_v(0, 0, 1), 3)});
    kin_screw ball_at = kin_screw_still(at(0, -0.9, 0)); /* the far end comes round to it at 3/2 pi - pi = pi/2 */
    kin_impact m;
    CHECK(t, find(&s, spin, ball_at, KIN_IMPACT_ADVANCE, &m));
    double angle = 3 * m.t, gap = 0; /* at the touch: the bar's far half against the ball */
    kin_vec3 local = kin_unapply((kin_transform){{0, 0, 0}, kin_quat_axis_angle(kin_v(0, 0, 1), angle)}, kin_v(0, -0.9, 0));
    kin_vec3 near = kin_max3(kin_v(-1, -0.05, -0.05), kin_min3(local, kin_v(1, 0.05, 0.05)));
    gap = kin_distance(local, near) - 0.2;
    NEAR(t, gap, 0, 1e-8);
    CHECK(t, m.t > 0.3 && m.t < 0.6);
    clear(&s);
}

/* ---- every pair against fine sampling: nothing before the impact, a touch at it ---- */

static void pairs_against_sampling(test* t)
{
    soup torus = torus_soup(0.5, 0.2, 10, 8);
    kin_vec3 corners[10];
    dice d = {3};
    for (int i = 0; i < 10; ++i) corners[i] = kin_scale(roll_direction(&d), 0.6);
    const double heights[9] = {0.1, 0, 0.2, 0, 0.3, 0, 0.1, 0, 0.2};
    const kin_shape parts[2] = {{.kind = KIN_SHAPE_BOX, .size = {0.8, 0.2, 0.2}}, {.kind = KIN_SHAPE_SPHERE, .radius = 0.25, .offset = {0.4, 0.2, 0}}};
    const kin_shape movers[] = {ball(0.3),
                                box(0.5, 0.3, 0.7),
                                {.kind = KIN_SHAPE_CAPSULE, .radius = 0.15, .length = 0.6},
                                {.kind = KIN_SHAPE_CYLINDER, .radius = 0.3, .length = 0.4},
                                {.kind = KIN_SHAPE_HULL, .points = {corners, 10}},
                                {.kind = KIN_SHAPE_COMPOUND, .parts = parts, .part_count = 2},
                                {.kind = KIN_SHAPE_ELLIPSOID, .semi_axes = {0.4, 0.1, 0.25}}};
    const kin_shape targets[] = {box(0.8, 0.8, 0.8),
                                 {.kind = KIN_SHAPE_CONE, .radius = 0.5, .length = 0.9},
                                 {.kind = KIN_SHAPE_MESH, .mesh = soup_view(&torus)},
                                 {.kind = KIN_SHAPE_HEIGHTS, .heights = {.values = {heights, 9}, .columns = 3, .size = {2, 1, 2}}},
                                 {.kind = KIN_SHAPE_PLANE, .normal = {0.2, 1, 0}}};
    for (int i = 0; i < 35; ++i) {
        stage s = set(t, movers[i / 5], targets[i % 5]);
        int hits = 0;
        for (int k = 0; k < 12; ++k) {
            kin_vec3 from = kin_add(kin_scale(roll_direction(&d), 1.8), kin_v(0, 0.5, 0));
            if (i % 5 >= 3) from.y = 1.5 + roll(&d, 0, 0.4);
            kin_transform start = {from, kin_quat_axis_angle(roll_direction(&d), roll(&d, -3, 3))};
            kin_transform end = {roll3(&d, 0.4), kin_quat_axis_angle(roll_direction(&d), roll(&d, -3, 3))};
            kin_screw a = kin_screw_between(start, end),
                      b = kin_screw_between(at(0, 0, 0), (kin_transform){{0.1, 0, 0.1}, kin_quat_axis_angle(kin_v(0.2, 1, 0), roll(&d, -0.6, 0.6))});
            kin_impact m;
            kin_manifold near;
            if (kin_collide(s.a, start, s.b, at(0, 0, 0), 0, NULL, &s.arena, &near, 1) > 0) continue;
            bool found = find(&s, a, b, KIN_IMPACT_ADVANCE, &m);
            double limit = found ? m.t : 1;
            hits += found;
            for (int q = 0; q < 60; ++q) {
                double u = limit * q / 60;
                if (kin_collide(s.a, kin_screw_at(&a, u), s.b, kin_screw_at(&b, u), 0, NULL, &s.arena, &near, 1) == 0) continue;
                double depth = 0;
                for (int p = 0; p < near.count; ++p) depth = kin_min(depth, near.points[p].separation);
                CHECK(t, depth > -1e-6); /* no overlap before the impact */
            }
            if (found) CHECK(t, kin_collide(s.a, kin_screw_at(&a, m.t), s.b, kin_screw_at(&b, m.t), 1e-5, NULL, &s.arena, &near, 1) > 0);
        }
        CHECK(t, hits > 2);
        clear(&s);
    }
    soup_free(&torus);
}

/* C1.4.4, C4.5, C4.6: on a plain fall the three agree. */
static void methods_agree_on_a_fall(test* t)
{
    soup torus = torus_soup(0.5, 0.2, 16, 12);
    const kin_shape floor = box(4, 1, 4), things[] = {box(1, 1, 1), {.kind = KIN_SHAPE_MESH, .mesh = soup_view(&torus)}};
    const double half[] = {0.5, 0.2};
    for (int i = 0; i < 2; ++i) {
        stage s = set(t, things[i], floor);
        kin_screw fall = shift(kin_v(0.1, 2, 0.2), kin_v(0.1, 0.55, 0.2));
        kin_impact m[3];
        for (int method = 0; method < 3; ++method) CHECK(t, find(&s, fall, stand(), (kin_impact_method)method, &m[method]));
        double exact = (2 - 0.5 - half[i]) / 1.45;
        NEAR(t, m[KIN_IMPACT_ADVANCE].t, exact, 1e-8);
        NEAR(t, m[KIN_IMPACT_FEATURES].t, exact, 1e-8);
        NEAR(t, m[KIN_IMPACT_BISECT].t, exact, 2e-9 + 1e-8);
        for (int method = 0; method < 3; ++method) NEAR3(t, m[method].normal, kin_v(0, 1, 0), 1e-6);
        clear(&s);
    }
    soup_free(&torus);
}

/* C4.6's warning: thin and fast things pass between two looks; and chords of half a turn collapse the body. */
static void what_the_other_methods_miss(test* t)
{
    stage s = set(t, box(1, 1, 0.01), box(1, 1, 0.01));
    kin_screw through = shift(kin_v(0, 0, 1), kin_v(0, 0, -1));
    kin_impact m;
    CHECK(t, find(&s, through, stand(), KIN_IMPACT_ADVANCE, &m));
    NEAR(t, m.t, 0.495, 1e-9);
    CHECK(t, find(&s, through, stand(), KIN_IMPACT_FEATURES, &m));
    NEAR(t, m.t, 0.495, 1e-9);
    CHECK(t, !find(&s, through, stand(), KIN_IMPACT_BISECT, &m));
    clear(&s);
}

static void features_are_named(test* t)
{
    stage s = set(t, box(1, 1, 1), box(4, 1, 4));
    kin_quat corner_down = kin_quat_between(kin_v(1, 1, 1), kin_v(0, -1, 0)), edge_down = kin_quat_axis_angle(kin_v(0, 0, 1), KIN_PI / 4);
    kin_impact m;
    CHECK(t, find(&s, kin_screw_between((kin_transform){{0, 3, 0}, corner_down}, (kin_transform){{0, 1, 0}, corner_down}), stand(), KIN_IMPACT_ADVANCE, &m));
    EQUAL(t, m.kind, KIN_IMPACT_VERTEX_FACE);
    EQUAL(t, m.a, 7); /* the corner (+, +, +) */
    CHECK(t, find(&s, kin_screw_between((kin_transform){{0, 3, 0}, edge_down}, (kin_transform){{0, 1, 0}, edge_down}), stand(), KIN_IMPACT_ADVANCE, &m));
    CHECK(t, m.kind == KIN_IMPACT_EDGE_FACE || m.kind == KIN_IMPACT_VERTEX_FACE);
    clear(&s);
}

/* ---- what each setting does (P) ---- */

static bool find_by(stage* s, kin_screw a, kin_screw b, kin_impact_settings settings, kin_impact* out)
{
    return kin_impact_find(s->a, &a, s->b, &b, &settings, &s->arena, out);
}

/* A bar about z, from one angle to another, beside a ball: the clock comes near in many steps, for its bound is that of the bar's tip. */
static kin_screw swing(double from, double to)
{
    return kin_screw_between((kin_transform){{0, 0, 0}, kin_quat_axis_angle(kin_v(0, 0, 1), from)},
                             (kin_transform){{0, 0, 0}, kin_quat_axis_angle(kin_v(0, 0, 1), to)});
}

/* Coarser: an earlier end, farther away, in fewer steps; never farther than the tolerance, never late. */
static void the_tolerance_ends_it(test* t)
{
    stage s = set(t, box(2, 0.1, 0.1), ball(0.2));
    const double tolerances[] = {1e-10, 1e-6, 1e-2, 1e-1};
    kin_screw ball_at = kin_screw_still(at(0, -0.9, 0));
    kin_impact finer = {.t = 1, .iterations = 5000};
    for (size_t i = 0; i < sizeof tolerances / sizeof *tolerances; ++i) {
        kin_impact_settings settings = kin_impact_defaults();
        kin_impact m;
        settings.tolerance = tolerances[i];
        CHECK(t, find_by(&s, swing(0, 3), ball_at, settings, &m));
        CHECK(t, m.distance <= tolerances[i] && m.distance > -1e-12);
        CHECK(t, m.t < finer.t && m.iterations < finer.iterations);
        finer = m;
    }
    CHECK(t, finer.distance > 1e-2);
    clear(&s);
}

/* Halving from 1 to 2^-k takes k looks after the two at the ends; the answer is late by less than that. */
static void the_least_interval_ends_bisection(test* t)
{
    stage s = set(t, box(1, 1, 1), box(4, 1, 4));
    double exact = (2 - 1) / 1.45;
    for (int k = 2; k < 40; k += 3) {
        kin_impact_settings settings = {.method = KIN_IMPACT_BISECT, .least_interval = kin_pow(2, -k), .most_iterations = 5000};
        kin_impact m;
        CHECK(t, find_by(&s, shift(kin_v(0, 2, 0), kin_v(0, 0.55, 0)), stand(), settings, &m));
        EQUAL(t, m.iterations, 2 + k);
        CHECK(t, m.t >= exact - 1e-12 && m.t <= exact + settings.least_interval + 1e-12);
    }
    clear(&s);
}

/* No more than told; what is then still apart counts as touching, at the time reached: early, never late. */
static void most_iterations_cap_it(test* t)
{
    stage s = set(t, box(2, 0.1, 0.1), ball(0.2));
    kin_screw ball_at = kin_screw_still(at(0, -0.9, 0));
    kin_impact_settings settings = kin_impact_defaults();
    kin_impact whole, m;
    CHECK(t, find_by(&s, swing(0, 3), ball_at, settings, &whole));
    CHECK(t, whole.iterations > 8 && whole.distance <= settings.tolerance);
    double last = 1;
    for (int most = 1; most <= 8; ++most) {
        settings.most_iterations = most;
        CHECK(t, find_by(&s, swing(0, 3), ball_at, settings, &m));
        EQUAL(t, m.iterations, most);
        CHECK(t, m.t < whole.t && m.distance > settings.tolerance && m.distance < last);
        last = m.distance;
    }
    settings = (kin_impact_settings){.method = KIN_IMPACT_BISECT, .most_iterations = 3}; /* looks at both ends, then so many halves */
    CHECK(t, find_by(&s, swing(0, 1.5), ball_at, settings, &m));
    EQUAL(t, m.iterations, 2 + 3);
    clear(&s);
}

/* Gone past, it need not be followed any farther; but a bar whose other end comes round is lost. */
static void stopping_when_parting(test* t)
{
    stage s = set(t, box(2, 0.1, 0.1), ball(0.2));
    kin_impact_settings stay = kin_impact_defaults(), stop = stay;
    stop.stop_when_parting = true;
    kin_impact m, less;
    kin_screw ball_at = kin_screw_still(at(0, -0.9, 0));
    CHECK(t, !find_by(&s, swing(2.2, 3.9), ball_at, stay, &m) && !find_by(&s, swing(2.2, 3.9), ball_at, stop, &less));
    CHECK(t, less.iterations < m.iterations);
    CHECK(t, find_by(&s, swing(2.2, 5.2), ball_at, stay, &m));
    CHECK(t, !find_by(&s, swing(2.2, 5.2), ball_at, stop, &less));
    EQUAL(t, less.kind, KIN_IMPACT_NONE);
    CHECK(t, find_by(&s, swing(0, 3), ball_at, stop, &less)); /* coming nearer all the way: the same answer */
    clear(&s);
}

TEST_MAIN("impact", TEST(faces_meet_in_one_step), TEST(a_bullet_never_misses_a_plate), TEST(a_bar_that_turns_back), TEST(pairs_against_sampling),
          TEST(methods_agree_on_a_fall), TEST(what_the_other_methods_miss), TEST(features_are_named), TEST(the_tolerance_ends_it),
          TEST(the_least_interval_ends_bisection), TEST(most_iterations_cap_it), TEST(stopping_when_parting))
