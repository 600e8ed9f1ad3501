/* manifold_test.c - contact manifolds: known stacks and crossings, every pair of shapes against distance, and surfaces without ghosts. */
#include "collision/manifold/manifold.h"
#include "collision/narrow/distance.h"
#include "support/test.h"
#include "unit/collision/pair.h"
#include "unit/geometry/shapes.h"

static int collide(stage* s, kin_transform pa, kin_transform pb, double margin, kin_manifold* out, int most)
{
    return kin_collide(s->a, pa, s->b, pb, margin, NULL, &s->arena, out, most);
}

static double deepest(const kin_manifold* m)
{
    double least = 1e300;
    for (int i = 0; i < m->count; ++i) least = kin_min(least, m->points[i].separation);
    return least;
}

/* ---- known answers ---- */

static void a_box_stands_on_four_corners(test* t)
{
    stage s = set(t, box(1, 1, 1), box(3, 1, 3));
    kin_manifold m, later;
    EQUAL(t, collide(&s, at(0.2, 0.99, 0.1), at(0, 0, 0), 0.02, &m, 1), 1);
    EQUAL(t, m.count, 4);
    NEAR3(t, m.normal, kin_v(0, 1, 0), 1e-15);
    kin_aabb span = {{1e9, 1e9, 1e9}, {-1e9, -1e9, -1e9}};
    for (int i = 0; i < 4; ++i) {
        NEAR(t, m.points[i].separation, -0.01, 1e-14);
        NEAR(t, m.points[i].point.y, 0.495, 1e-14);
        span = (kin_aabb){kin_min3(span.low, m.points[i].point), kin_max3(span.high, m.points[i].point)};
    }
    NEAR3(t, span.low, kin_v(-0.3, 0.495, -0.4), 1e-14);
    NEAR3(t, span.high, kin_v(0.7, 0.495, 0.6), 1e-14);
    collide(&s, at(0.21, 0.992, 0.1), at(0, 0, 0), 0.02, &later, 1);
    for (int i = 0; i < 4; ++i) EQUAL(t, later.points[i].id, m.points[i].id); /* the same corners a moment later */
    clear(&s);
}

static void overhang_is_clipped(test* t)
{
    stage s = set(t, box(2, 1, 2), box(1, 1, 1));
    kin_manifold m;
    EQUAL(t, collide(&s, at(0.8, 1, 0), at(0, 0, 0), 0.01, &m, 1), 1);
    EQUAL(t, m.count, 4);
    for (int i = 0; i < 4; ++i) CHECK(t, m.points[i].point.x > -0.21 && m.points[i].point.x < 0.51 && kin_abs(m.points[i].point.z) < 0.51);
    clear(&s);
}

static void crossed_edges_touch_at_one_point(test* t)
{
    stage s = set(t, box(1, 1, 1), box(1, 1, 1));
    kin_quat lean = kin_quat_axis_angle(kin_v(1, 0, 0), KIN_PI / 4), roll = kin_quat_axis_angle(kin_v(0, 0, 1), KIN_PI / 4);
    double r = kin_sqrt(0.5);
    kin_manifold m;
    EQUAL(t, collide(&s, (kin_transform){{0, 2 * r - 0.01, 0}, lean}, (kin_transform){{0, 0, 0}, roll}, 0, &m, 1), 1);
    EQUAL(t, m.count, 1);
    NEAR3(t, m.normal, kin_v(0, 1, 0), 1e-12);
    NEAR(t, m.points[0].separation, -0.01, 1e-12);
    NEAR3(t, m.points[0].point, kin_v(0, r - 0.005, 0), 1e-12);
    clear(&s);
}

static void round_things_rest_on_planes(test* t)
{
    const kin_shape floor = {.kind = KIN_SHAPE_PLANE, .normal = {0, 1, 0}};
    const struct {
        kin_shape shape;
        kin_quat turn;
        double height;
        int points;
    } cases[] = {
        {ball(0.5), {0, 0, 0, 1}, 0.5, 1},
        {{.kind = KIN_SHAPE_CAPSULE, .radius = 0.3, .length = 1}, {0, 0, 0.70710678118654757, 0.70710678118654757}, 0.3, 2},
        {{.kind = KIN_SHAPE_CYLINDER, .radius = 0.4, .length = 1}, {0, 0, 0, 1}, 0.5, 4},
        {{.kind = KIN_SHAPE_CYLINDER, .radius = 0.4, .length = 1}, {0, 0, 0.70710678118654757, 0.70710678118654757}, 0.4, 2},
        {{.kind = KIN_SHAPE_CONE, .radius = 0.4, .length = 1}, {0, 0, 0, 1}, 0.5, 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        stage s = set(t, cases[i].shape, floor);
        kin_manifold m;
        EQUAL(t, collide(&s, (kin_transform){{1, cases[i].height - 0.004, 2}, cases[i].turn}, at(0, 0, 0), 0.01, &m, 1), 1);
        EQUAL(t, m.count, cases[i].points);
        NEAR3(t, m.normal, kin_v(0, 1, 0), 1e-12);
        for (int k = 0; k < m.count; ++k) NEAR(t, m.points[k].separation, -0.004, 1e-9);
        EQUAL(t, collide(&s, (kin_transform){{1, cases[i].height + 0.02, 2}, cases[i].turn}, at(0, 0, 0), 0.01, &m, 1), 0);
        clear(&s);
    }
}

/* On one axis, in any pose: apart or barely touching along it; cores in each other, across it, by no more than the radii. */
static void capsules_on_one_axis(test* t)
{
    dice d = {3};
    for (int i = 0; i < 2000; ++i) {
        double la = i % 7 ? roll(&d, 0.1, 3) : 0, lb = roll(&d, 0.1, 3), ra = roll(&d, 0.05, 1), rb = roll(&d, 0.05, 1);
        kin_convex a = {.core = KIN_CORE_SEGMENT, .half = {0, 0.5 * la, 0}, .radius = ra},
                   b = {.core = KIN_CORE_SEGMENT, .half = {0, 0.5 * lb, 0}, .radius = rb};
        kin_transform pose = {roll3(&d, 10), kin_quat_axis_angle(roll_direction(&d), roll(&d, -3, 3))}, other = pose;
        kin_vec3 axis = kin_rotate(pose.orientation, kin_v(0, 1, 0));
        double away = i % 2 ? roll(&d, 0, 0.45) * (la + lb) : 0.5 * (la + lb) + roll(&d, 0.001, 1.2) * (ra + rb), between = away - 0.5 * (la + lb);
        other.position = kin_add_scaled(pose.position, -away, axis);
        if (i % 3 == 0) other.orientation = kin_quat_mul(other.orientation, (kin_quat){1, 0, 0, 0});
        kin_transform b_in_a = kin_transform_between(pose, other);
        kin_gap gap;
        kin_manifold m;
        kin_convex_distance(&a, &b, b_in_a, NULL, &gap);
        bool meet = kin_collide_convex(&a, &b, b_in_a, 0.01, NULL, &m);
        NEAR(t, kin_length(gap.normal), 1, 1e-9);
        NEAR(t, gap.distance, kin_max(between, 0) - ra - rb, 1e-12);
        NEAR(t, gap.normal.y, between > 0 ? 1 : 0, 1e-9);
        EQUAL(t, meet, gap.distance <= 0.01);
        if (!meet) continue;
        NEAR3(t, m.normal, gap.normal, 1e-12);
        for (int k = 0; k < m.count; ++k) { /* as far from A's core as its radius and half of the overlap say */
            kin_vec3 x = m.points[k].point;
            double far = ra + 0.5 * m.points[k].separation;
            if (between > 0 && far < 0) continue; /* A is so thin that half of the way is within its core */
            NEAR(t, kin_length(kin_sub(x, kin_v(0, kin_clamp(x.y, -0.5 * la, 0.5 * la), 0))), kin_abs(far), 1e-9);
        }
    }
}

/* ---- every pair ---- */

static void convex_pairs_agree_with_distance(test* t)
{
    kin_vec3 corners[12];
    dice d = {77};
    for (int i = 0; i < 12; ++i) corners[i] = kin_scale(roll_direction(&d), 0.8);
    const kin_shape shapes[] = {ball(0.6),
                                box(1, 0.7, 1.3),
                                {.kind = KIN_SHAPE_CAPSULE, .radius = 0.3, .length = 0.9},
                                {.kind = KIN_SHAPE_CYLINDER, .radius = 0.5, .length = 1},
                                {.kind = KIN_SHAPE_CONE, .radius = 0.6, .length = 1.1},
                                {.kind = KIN_SHAPE_HULL, .points = {corners, 12}}};
    const double margin = 0.05;
    for (int i = 0; i < 36; ++i) {
        stage s = set(t, shapes[i / 6], shapes[i % 6]);
        int touching = 0;
        for (int k = 0; k < 60; ++k) {
            kin_transform pa = {roll3(&d, 0.7), kin_quat_axis_angle(roll_direction(&d), roll(&d, -3, 3))};
            kin_transform pb = {roll3(&d, 0.7), kin_quat_axis_angle(roll_direction(&d), roll(&d, -3, 3))};
            kin_manifold m, back;
            kin_gap gap;
            kin_convex_distance(&s.a->convex, &s.b->convex, kin_transform_between(pa, pb), NULL, &gap);
            int count = collide(&s, pa, pb, margin, &m, 1);
            if (gap.distance < margin - 1e-6) EQUAL(t, count, 1);
            if (count == 0) continue;
            touching += 1;
            NEAR(t, kin_length(m.normal), 1, 1e-12);
            /* separating axes bound the distance from below; overlapping, the least depth is the depth */
            CHECK(t, deepest(&m) <= gap.distance + 1e-3 * 3);
            if (gap.distance < 0) NEAR(t, deepest(&m), gap.distance, 4e-3);
            kin_transform away = pa;
            away.position = kin_add_scaled(pa.position, margin - deepest(&m) + 1e-6, m.normal);
            EQUAL(t, collide(&s, away, pb, margin, &back, 1), 0); /* the normal leads out */
            stage other = {s.arena, s.b, s.a};
            EQUAL(t, collide(&other, pb, pa, margin, &back, 1), 1);
            s.arena = other.arena;
            NEAR(t, deepest(&back), deepest(&m), 4e-3);
        }
        CHECK(t, touching > 10);
        clear(&s);
    }
}

static void cached_axes_change_nothing_that_matters(test* t)
{
    stage s = set(t, box(1, 1, 1), box(1, 1, 1));
    kin_collide_cache cache = {0};
    for (int i = 0; i < 200; ++i) {
        kin_transform pa = {{0.3, 0.98 + 0.02 * kin_sin(0.1 * i), 0.002 * i - 0.2}, kin_quat_axis_angle(kin_v(0, 1, 0.1), 0.01 * i)};
        kin_manifold with, without;
        int a = kin_collide(s.a, pa, s.b, at(0, 0, 0), 0.05, &cache, &s.arena, &with, 1), b = collide(&s, pa, at(0, 0, 0), 0.05, &without, 1);
        EQUAL(t, a, b);
        if (a > 0) NEAR(t, deepest(&with), deepest(&without), 3e-3);
    }
    clear(&s);
}

/* ---- surfaces ---- */

static double level(double x, double z) { return (void)x, (void)z, 0; }

/* A flat floor of triangles pushes straight up, wherever a thing stands, its edges notwithstanding. */
static void no_ghosts_on_a_flat_floor(test* t)
{
    soup s = grid_soup(8, 4, level);
    const kin_shape floors[2] = {{.kind = KIN_SHAPE_MESH, .mesh = soup_view(&s)},
                                 {.kind = KIN_SHAPE_HEIGHTS, .heights = {.values = {(double[81]){0}, 81}, .columns = 9, .size = {8, 1, 8}}}};
    const kin_shape bodies[] = {
        box(0.7, 0.6, 0.9), ball(0.3), {.kind = KIN_SHAPE_CAPSULE, .radius = 0.2, .length = 0.6}, {.kind = KIN_SHAPE_CYLINDER, .radius = 0.3, .length = 0.6}};
    const double heights[] = {0.3, 0.3, 0.5, 0.3};
    dice d = {5};
    for (int f = 0; f < 2; ++f) {
        for (int b = 0; b < 4; ++b) {
            stage stg = set(t, bodies[b], floors[f]);
            for (int i = 0; i < 100; ++i) {
                double sink = i % 2 == 0 ? 0.02 : -0.003;
                kin_transform pose = {{roll(&d, -3, 3), heights[b] - sink, roll(&d, -3, 3)}, kin_quat_axis_angle(kin_v(0, 1, 0), roll(&d, -3, 3))};
                kin_manifold m[4];
                int count = collide(&stg, pose, at(0, 0, 0), 0.01, m, 4);
                EQUAL(t, count, 1);
                for (int k = 0; k < count; ++k) {
                    NEAR3(t, m[k].normal, kin_v(0, 1, 0), 1e-9);
                    NEAR(t, deepest(&m[k]), -sink, 1e-9);
                }
            }
            clear(&stg);
        }
    }
    soup_free(&s);
}

/* A box of triangles answers as the box does. */
static void a_mesh_of_a_box_is_a_box(test* t)
{
    soup s = box_soup(kin_v(1, 0.5, 1));
    dice d = {9};
    stage mesh = set(t, box(0.6, 0.6, 0.6), (kin_shape){.kind = KIN_SHAPE_MESH, .mesh = soup_view(&s)});
    stage solid = set(t, box(0.6, 0.6, 0.6), box(2, 1, 2));
    for (int i = 0; i < 200; ++i) {
        kin_transform pose = {{roll(&d, -0.6, 0.6), 0.8 - 0.02, roll(&d, -0.6, 0.6)}, kin_quat_axis_angle(kin_v(0, 1, 0), roll(&d, -3, 3))};
        kin_manifold a, b;
        EQUAL(t, collide(&mesh, pose, at(0, 0, 0), 0.01, &a, 1), 1);
        EQUAL(t, collide(&solid, pose, at(0, 0, 0), 0.01, &b, 1), 1);
        NEAR3(t, a.normal, b.normal, 1e-9);
        NEAR(t, deepest(&a), deepest(&b), 1e-9);
    }
    kin_manifold m;
    kin_transform over_edge = {{1.22, 0.72, 0}, kin_quat_axis_angle(kin_v(0, 0, 1), KIN_PI / 4)}; /* an edge of the small box against a rim of the large */
    EQUAL(t, collide(&mesh, over_edge, at(0, 0, 0), 0.05, &m, 1), 1);
    CHECK(t, m.normal.x > 0.5 && m.normal.y > 0.5);
    clear(&mesh);
    clear(&solid);
    soup_free(&s);
}

static void parts_touch_by_themselves(test* t)
{
    const kin_shape parts[2] = {{.kind = KIN_SHAPE_BOX, .size = {1, 1, 1}, .offset = {-2, 0, 0}},
                                {.kind = KIN_SHAPE_BOX, .size = {1, 1, 1}, .offset = {2, 0, 0}}};
    stage s = set(t, (kin_shape){.kind = KIN_SHAPE_COMPOUND, .parts = parts, .part_count = 2}, box(10, 1, 10));
    kin_manifold m[4];
    EQUAL(t, collide(&s, at(0, 0.995, 0), at(0, 0, 0), 0.01, m, 4), 2);
    EQUAL(t, m[0].part_a, 0);
    EQUAL(t, m[1].part_a, 1);
    for (int i = 0; i < 2; ++i) EQUAL(t, m[i].count, 4);
    clear(&s);
}

static void meshes_and_fields_push_apart(test* t)
{
    soup torus = torus_soup(1, 0.4, 24, 16);
    const kin_shape things[2] = {{.kind = KIN_SHAPE_MESH, .mesh = soup_view(&torus)}, {.kind = KIN_SHAPE_FIELD, .mesh = soup_view(&torus), .resolution = 48}};
    for (int i = 0; i < 4; ++i) {
        stage s = set(t, things[i / 2], things[i % 2]);
        kin_manifold m[8];
        int count = collide(&s, at(0, 0.75, 0), at(0, 0, 0), 0, m, 8); /* rings on each other, 5 cm deep */
        CHECK(t, count > 0);
        for (int k = 0; k < count; ++k) CHECK(t, m[k].normal.y > 0);
        if (count > 0) NEAR(t, deepest(&m[0]), -0.05, 0.03);
        EQUAL(t, collide(&s, at(0, 1.2, 0), at(0, 0, 0), 0, m, 8), 0);
        clear(&s);
    }
    soup_free(&torus);
}

TEST_MAIN("manifold", TEST(a_box_stands_on_four_corners), TEST(overhang_is_clipped), TEST(crossed_edges_touch_at_one_point), TEST(round_things_rest_on_planes),
          TEST(capsules_on_one_axis), TEST(convex_pairs_agree_with_distance), TEST(cached_axes_change_nothing_that_matters), TEST(no_ghosts_on_a_flat_floor),
          TEST(a_mesh_of_a_box_is_a_box), TEST(parts_touch_by_themselves), TEST(meshes_and_fields_push_apart))
