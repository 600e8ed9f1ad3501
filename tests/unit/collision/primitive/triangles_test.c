#include "collision/primitive/primitives.h"
#include "geometry/predicates.h"
#include "math/primitive.h"
#include "support/test.h"
#include "unit/geometry/shapes.h"

static const kin_vec3 base[3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}; /* z = 0 */

static kin_meet meet(kin_vec3 p, kin_vec3 q, kin_vec3 r, kin_meeting* m) { return kin_triangle_triangle(base, (kin_vec3[3]){p, q, r}, m); }

static double triangle_distance(const kin_vec3 p[3], kin_vec3 x) /* also of one without area */
{
    double best = 1e300;
    for (int k = 0; k < 3; ++k) best = kin_min(best, kin_segment_distance(p[k], p[(k + 1) % 3], x));
    kin_vec3 n = kin_triangle_normal(p[0], p[1], p[2]);
    for (int k = 0; k < 3; ++k) {
        if (kin_triple(n, kin_sub(p[(k + 1) % 3], p[k]), kin_sub(x, p[k])) <= 0) return best;
    }
    return kin_min(best, kin_abs(kin_dot(n, kin_sub(x, p[0]))));
}

static void a_corner_in_the_plane(test* t) /* C2.5.5 case 1, Fig 2.25 */
{
    kin_meeting m;
    EQUAL(t, meet(kin_v(5, 5, 0), kin_v(5, 5, 2), kin_v(6, 5, 2), &m), KIN_MEET_APART);
    EQUAL(t, meet(kin_v(1, 1, 0), kin_v(5, 5, 2), kin_v(6, 5, 2), &m), KIN_MEET_POINT);
    NEAR3(t, m.from, kin_v(1, 1, 0), 0);
    EQUAL(t, m.from_a, KIN_FEATURE_FACE);
    EQUAL(t, m.from_b, KIN_FEATURE_CORNER0);
    EQUAL(t, meet(kin_v(5, 5, 2), kin_v(2, 2, 0), kin_v(6, 5, 2), &m), KIN_MEET_POINT); /* on an edge */
    EQUAL(t, m.from_a, KIN_FEATURE_EDGE1);
    EQUAL(t, m.from_b, KIN_FEATURE_CORNER1);
    EQUAL(t, meet(kin_v(5, 5, 2), kin_v(6, 5, 2), kin_v(0, 0, 0), &m), KIN_MEET_POINT); /* a corner on a corner */
    EQUAL(t, m.from_a, KIN_FEATURE_CORNER0);
    EQUAL(t, m.from_b, KIN_FEATURE_CORNER2);
}

static void a_corner_in_the_plane_the_others_on_either_side(test* t) /* the case (+, 0, -) that the text leaves out */
{
    kin_meeting m;
    EQUAL(t, meet(kin_v(1, 1, 0), kin_v(3, 1, 1), kin_v(3, 1, -1), &m), KIN_MEET_SEGMENT); /* from (1,1,0) to (3,1,0) */
    NEAR3(t, kin_min3(m.from, m.to), kin_v(1, 1, 0), 1e-15);
    NEAR3(t, kin_max3(m.from, m.to), kin_v(3, 1, 0), 1e-15);
    EQUAL(t, meet(kin_v(-1, 1, 0), kin_v(2, 1, 1), kin_v(2, 1, -1), &m), KIN_MEET_SEGMENT); /* enters over an edge of the base */
    NEAR3(t, kin_min3(m.from, m.to), kin_v(0, 1, 0), 1e-15);
    EQUAL(t, meet(kin_v(-1, 1, 0), kin_v(-2, 1, 1), kin_v(-3, 1, -1), &m), KIN_MEET_APART);
    EQUAL(t, meet(kin_v(0, 1, 0), kin_v(-2, 1, 1), kin_v(-3, 1, -1), &m), KIN_MEET_POINT);
}

static void an_edge_in_the_plane(test* t) /* case 2, Fig 2.26 */
{
    kin_meeting m;
    EQUAL(t, meet(kin_v(1, 1, 0), kin_v(9, 1, 0), kin_v(5, 1, 3), &m), KIN_MEET_SEGMENT); /* one end inside */
    NEAR3(t, kin_min3(m.from, m.to), kin_v(1, 1, 0), 0);
    NEAR3(t, kin_max3(m.from, m.to), kin_v(3, 1, 0), 1e-15);
    EQUAL(t, meet(kin_v(1, 1, 0), kin_v(2, 1, 0), kin_v(5, 1, 3), &m), KIN_MEET_SEGMENT);  /* all inside: no edge is crossed */
    EQUAL(t, meet(kin_v(-1, 1, 0), kin_v(9, 1, 0), kin_v(5, 1, 3), &m), KIN_MEET_SEGMENT); /* across: no end inside */
    EQUAL(t, meet(kin_v(5, 1, 0), kin_v(9, 1, 0), kin_v(5, 1, 3), &m), KIN_MEET_APART);
    EQUAL(t, meet(kin_v(1, 0, 0), kin_v(3, 0, 0), kin_v(2, -1, 3), &m), KIN_MEET_SEGMENT); /* along an edge of the base */
    EQUAL(t, m.from_a, KIN_FEATURE_EDGE0);
    EQUAL(t, m.to_a, KIN_FEATURE_EDGE0);
    EQUAL(t, meet(kin_v(0, 0, 0), kin_v(4, 0, 0), kin_v(2, -1, 3), &m), KIN_MEET_SEGMENT); /* a shared edge */
    EQUAL(t, m.from_a >= KIN_FEATURE_CORNER0 && m.from_b >= KIN_FEATURE_CORNER0 && m.to_a >= KIN_FEATURE_CORNER0 && m.to_b >= KIN_FEATURE_CORNER0, 1);
}

static void all_in_one_plane(test* t) /* case 3, Fig 2.27 */
{
    kin_meeting m;
    kin_vec3 corners[KIN_OVERLAP_CORNERS];
    EQUAL(t, meet(kin_v(3, 3, 0), kin_v(5, 3, 0), kin_v(5, 5, 0), &m), KIN_MEET_APART);
    EQUAL(t, meet(kin_v(1, 1, 0), kin_v(1.5, 1, 0), kin_v(1, 1.5, 0), &m), KIN_MEET_AREA);   /* within */
    EQUAL(t, meet(kin_v(-9, -9, 0), kin_v(30, -9, 0), kin_v(-9, 30, 0), &m), KIN_MEET_AREA); /* around */
    EQUAL(t, meet(kin_v(-1, 1, 0), kin_v(9, 1, 0), kin_v(4, 9, 0), &m), KIN_MEET_AREA);
    EQUAL(t, meet(kin_v(2, 2, 0), kin_v(5, 3, 0), kin_v(5, 5, 0), &m), KIN_MEET_POINT);    /* a corner on an edge */
    EQUAL(t, meet(kin_v(4, 0, 0), kin_v(5, 0, 0), kin_v(5, 5, 0), &m), KIN_MEET_POINT);    /* a corner on a corner */
    EQUAL(t, meet(kin_v(1, 0, 0), kin_v(3, 0, 0), kin_v(3, -5, 0), &m), KIN_MEET_SEGMENT); /* along an edge */
    NEAR3(t, m.from, kin_v(1, 0, 0), 0);
    NEAR3(t, m.to, kin_v(3, 0, 0), 0);
    const kin_vec3 star[3] = {{2.5, 2.5, 0}, {-1.5, 2.5, 0}, {2.5, -1.5, 0}}; /* with the base, a hexagon */
    EQUAL(t, kin_triangle_overlap(base, star, corners), 6);
    kin_vec3 area = {0, 0, 0};
    for (int k = 0; k < 6; ++k) area = kin_add_scaled(area, 0.5, kin_cross(corners[k], corners[(k + 1) % 6]));
    NEAR3(t, area, kin_v(0, 0, 8 - 0.5 - 2 * 1.125), 1e-14); /* the base without corners of legs 1, 1.5, 1.5 */
    EQUAL(t, kin_triangle_overlap(base, (kin_vec3[3]){{1, 0, 0}, {3, 0, 0}, {3, -5, 0}}, corners), 0);
}

static void across(test* t) /* case 4, Fig 2.28 */
{
    kin_meeting m;
    EQUAL(t, meet(kin_v(1, 1, -1), kin_v(1, 2, 1), kin_v(1, 1, 1), &m), KIN_MEET_SEGMENT); /* within */
    NEAR3(t, kin_min3(m.from, m.to), kin_v(1, 1, 0), 1e-15);
    NEAR3(t, kin_max3(m.from, m.to), kin_v(1, 1.5, 0), 1e-15);
    CHECK(t, kin_dot(kin_sub(m.to, m.from), kin_cross(kin_v(0, 0, 1), kin_triangle_normal(kin_v(1, 1, -1), kin_v(1, 2, 1), kin_v(1, 1, 1)))) > 0);
    EQUAL(t, meet(kin_v(1, -9, -1), kin_v(1, 20, 1), kin_v(1, -9, 1), &m), KIN_MEET_SEGMENT); /* around */
    EQUAL(t, meet(kin_v(1, -2, -1), kin_v(1, 2, 1), kin_v(1, -2, 1), &m), KIN_MEET_POINT);    /* edges cross: at (1,0,0) */
    EQUAL(t, m.from_a, KIN_FEATURE_EDGE0);
    EQUAL(t, m.from_b, KIN_FEATURE_EDGE0);
    EQUAL(t, meet(kin_v(9, 1, -1), kin_v(9, 2, 1), kin_v(9, 1, 1), &m), KIN_MEET_APART);
    EQUAL(t, meet(kin_v(1, 1, 1), kin_v(1, 2, 1), kin_v(1, 1, 2), &m), KIN_MEET_APART); /* on one side */
}

static void without_area(test* t)
{
    kin_meeting m;
    EQUAL(t, meet(kin_v(1, 1, -1), kin_v(1, 1, 0.5), kin_v(1, 1, 1), &m), KIN_MEET_POINT); /* a segment through it */
    NEAR3(t, m.from, kin_v(1, 1, 0), 1e-15);
    EQUAL(t, m.from_b, KIN_FEATURE_EDGE2);
    EQUAL(t, meet(kin_v(1, 1, 0), kin_v(1, 1, 0), kin_v(1, 1, 0), &m), KIN_MEET_POINT); /* a point */
    EQUAL(t, meet(kin_v(1, 1, 1), kin_v(1, 1, 1), kin_v(1, 1, 1), &m), KIN_MEET_APART);
    EQUAL(t, meet(kin_v(1, 1, 0), kin_v(2, 1, 0), kin_v(9, 1, 0), &m), KIN_MEET_SEGMENT); /* in the plane */
    NEAR3(t, m.to, kin_v(3, 1, 0), 1e-15);
    const kin_vec3 line[3] = {{0, 0, 0}, {2, 2, 2}, {1, 1, 1}}, cross[3] = {{0, 2, 1}, {1, 1, 1}, {2, 0, 1}}, along[3] = {{1, 1, 1}, {3, 3, 3}, {3, 3, 3}};
    EQUAL(t, kin_triangle_triangle(line, cross, &m), KIN_MEET_POINT);
    EQUAL(t, kin_triangle_triangle(line, along, &m), KIN_MEET_SEGMENT);
    NEAR3(t, m.from, kin_v(1, 1, 1), 0);
    NEAR3(t, m.to, kin_v(2, 2, 2), 0);
    EQUAL(t, kin_triangle_triangle(line, (kin_vec3[3]){{3, 3, 3}, {4, 4, 4}, {5, 5, 5}}, &m), KIN_MEET_APART);
    EQUAL(t, kin_triangle_triangle(line, (kin_vec3[3]){{0, 2, 1}, {0, 2, 1}, {2, 0, 2}}, &m), KIN_MEET_APART);
    EQUAL(t, kin_triangle_triangle((kin_vec3[3]){{0, 0, 0}, {0, 0, 2}, {0, 0, 1}}, (kin_vec3[3]){{0, 0, 3}, {0, 0, 4}, {0, 0, 3}}, &m), KIN_MEET_APART);
}

static kin_vec3 lattice(dice* d, int size)
{
    int x = (int)roll(d, 0, size), y = (int)roll(d, 0, size), z = (int)roll(d, 0, size);
    return kin_v(x, y, z);
}

/* On a small lattice every way to touch occurs. Kinds may not depend on who is first, on the order of corners, or on the scale; points lie on both. */
static void order_and_scale_do_not_matter(test* t)
{
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    static const double scales[4] = {1, 0x1p-300, 0x1p300, 0x1p-1070};
    dice d = {1};
    int kinds[4] = {0};
    for (int round = 0; round < 20000; ++round) {
        kin_vec3 a[3], b[3], c[3], e[3];
        int size = 3 + round % 3;
        for (int k = 0; k < 3; ++k) a[k] = lattice(&d, size), b[k] = lattice(&d, size);
        kin_meeting m;
        kin_meet kind = kin_triangle_triangle(a, b, &m);
        kinds[kind] += 1;
        EQUAL(t, kind, m.kind);
        EQUAL(t, kin_triangle_triangle(a, b, NULL), kind);
        double scale = scales[round % 4];
        for (int k = 0; k < 3; ++k) c[k] = kin_scale(b[orders[round % 6][k]], scale), e[k] = kin_scale(a[orders[round / 6 % 6][k]], scale);
        EQUAL(t, kin_triangle_triangle(c, e, NULL), kind);
        if (kind == KIN_MEET_APART) continue;
        CHECK(t, triangle_distance(a, m.from) < 1e-14 && triangle_distance(a, m.to) < 1e-14);
        CHECK(t, triangle_distance(b, m.from) < 1e-14 && triangle_distance(b, m.to) < 1e-14);
        CHECK(t, (kind == KIN_MEET_POINT) == (kin_distance(m.from, m.to) == 0));
    }
    for (int k = 0; k < 4; ++k) CHECK(t, kinds[k] > 20);
}

/* Every corner and edge a feature names is where the point is. */
static bool on_feature(const kin_vec3 p[3], kin_feature f, kin_vec3 x)
{
    if (f == KIN_FEATURE_FACE) return triangle_distance(p, x) < 1e-14;
    if (f < KIN_FEATURE_CORNER0) return kin_segment_distance(p[f - KIN_FEATURE_EDGE0], p[f % 3], x) < 1e-14;
    return kin_distance(p[f - KIN_FEATURE_CORNER0], x) == 0;
}

static void features_hold_the_points(test* t)
{
    dice d = {2};
    int corners = 0;
    for (int round = 0; round < 20000; ++round) {
        kin_vec3 a[3], b[3];
        for (int k = 0; k < 3; ++k) a[k] = lattice(&d, 4), b[k] = lattice(&d, 4);
        kin_meeting m;
        if (kin_triangle_triangle(a, b, &m) == KIN_MEET_APART) continue;
        CHECK(t, on_feature(a, m.from_a, m.from) && on_feature(b, m.from_b, m.from));
        CHECK(t, on_feature(a, m.to_a, m.to) && on_feature(b, m.to_b, m.to));
        corners += m.from_a >= KIN_FEATURE_CORNER0 && m.from_b >= KIN_FEATURE_CORNER0;
        if (kin_triangle_area(a[0], a[1], a[2]) == 0 || kin_triangle_area(b[0], b[1], b[2]) == 0) continue; /* a middle corner is not kept */
        for (int k = 0; k < 3; ++k) {
            if (kin_distance(a[k], m.from) == 0) CHECK(t, m.from_a >= KIN_FEATURE_CORNER0);
            if (kin_distance(b[k], m.from) == 0) CHECK(t, m.from_b >= KIN_FEATURE_CORNER0);
        }
    }
    CHECK(t, corners > 100);
}

/* Two triangles with a common edge, cut by a third: the common end of their two segments has the same bits. */
static void neighbours_are_cut_at_the_same_bits(test* t)
{
    dice d = {3};
    int cut = 0;
    for (int round = 0; round < 20000; ++round) {
        kin_vec3 p = roll3(&d, 1), q = roll3(&d, 1), r = roll3(&d, 1), s = roll3(&d, 1), b[3] = {roll3(&d, 2), roll3(&d, 2), roll3(&d, 2)};
        kin_meeting m, n;
        if (kin_triangle_triangle((kin_vec3[3]){p, q, r}, b, &m) != KIN_MEET_SEGMENT) continue;
        if (kin_triangle_triangle((kin_vec3[3]){s, q, p}, b, &n) != KIN_MEET_SEGMENT) continue;
        kin_vec3 first, second;
        if (m.from_a == KIN_FEATURE_EDGE0)
            first = m.from;
        else if (m.to_a == KIN_FEATURE_EDGE0)
            first = m.to;
        else
            continue;
        if (n.from_a == KIN_FEATURE_EDGE1)
            second = n.from;
        else if (n.to_a == KIN_FEATURE_EDGE1)
            second = n.to;
        else
            continue;
        NEAR3(t, first, second, 0);
        cut += 1;
    }
    CHECK(t, cut > 300);
}

/* Signs that rounding would get wrong: a triangle a hair above, in, or below a slanted one. */
static void a_hair_apart_is_apart(test* t)
{
    dice d = {4};
    int kinds[4] = {0};
    for (int round = 0; round < 5000; ++round) {
        kin_vec3 a[3] = {roll3(&d, 1), roll3(&d, 1), roll3(&d, 1)}, b[3];
        kin_vec3 inside = kin_scale(kin_add(a[0], kin_add(a[1], a[2])), 1.0 / 3), n = kin_triangle_normal(a[0], a[1], a[2]);
        b[0] = inside; /* rounded: above, in or below the plane */
        b[1] = kin_add(kin_add(inside, n), roll3(&d, 0.3)), b[2] = kin_add(kin_add(inside, n), roll3(&d, 0.3));
        int side = kin_orient3d(a[0], a[1], a[2], b[0]);
        kin_meet kind = kin_triangle_triangle(a, b, NULL);
        EQUAL(t, kind, side > 0 ? KIN_MEET_APART : side == 0 ? KIN_MEET_POINT : KIN_MEET_SEGMENT);
        kinds[kind] += 1;
    }
    CHECK(t, kinds[KIN_MEET_APART] > 1000 && kinds[KIN_MEET_SEGMENT] > 1000);
}

static void bits_of_any_kind_end_the_same_way(test* t) /* no hang, no NaN, whatever the finite numbers are */
{
    dice d = {5};
    for (int round = 0; round < 4000; ++round) {
        double x[18];
        for (int k = 0; k < 18; ++k) {
            uint64_t high = (uint64_t)roll(&d, 0, 0x1p32), low = (uint64_t)roll(&d, 0, 0x1p32), bits = high << 32 | low;
            __builtin_memcpy(&x[k], &bits, 8);
            if (!kin_finite(x[k]) || round % 2 == 0) x[k] = (round + k) % 5 == 0 ? 0x1p-1074 * (double)(k % 3) : (double)(k % 4);
        }
        const kin_vec3 *a = (const kin_vec3*)x, *b = a + 3;
        kin_meeting m, n;
        kin_meet kind = kin_triangle_triangle(a, b, &m);
        EQUAL(t, kin_triangle_triangle(b, a, &n), kind);
        CHECK(t, kin_finite3(m.from) && kin_finite3(m.to) && kin_finite3(n.from));
    }
}

static void segments(test* t) /* C2.5.10, Fig 2.33 to 2.36, and C2.5.12 */
{
    kin_meeting m;
    const kin_vec3 above[2] = {{1, 1, 1}, {1, 1, 2}}, outside[2] = {{3, 3, 1}, {3, 3, 0}}, inside[2] = {{1, 1, 1}, {1, 1, 0}};
    EQUAL(t, kin_segment_triangle(above, base, &m), KIN_MEET_APART);
    EQUAL(t, kin_segment_triangle(outside, base, &m), KIN_MEET_APART);
    EQUAL(t, kin_segment_triangle(inside, base, &m), KIN_MEET_POINT);
    EQUAL(t, m.from_a, KIN_FEATURE_CORNER1);
    EQUAL(t, kin_segment_triangle((kin_vec3[2]){{1, 1, 0}, {9, 1, 0}}, base, &m), KIN_MEET_SEGMENT);  /* in the plane, one end inside */
    EQUAL(t, kin_segment_triangle((kin_vec3[2]){{-1, 1, 0}, {9, 1, 0}}, base, &m), KIN_MEET_SEGMENT); /* no end inside */
    EQUAL(t, kin_segment_triangle((kin_vec3[2]){{9, 0, 0}, {9, 1, 0}}, base, &m), KIN_MEET_APART);
    EQUAL(t, kin_segment_triangle((kin_vec3[2]){{1, 1, 1}, {1, 2, -3}}, base, &m), KIN_MEET_POINT);
    NEAR3(t, m.from, kin_v(1, 1.25, 0), 1e-15);
    EQUAL(t, kin_segment_triangle((kin_vec3[2]){{5, 5, 1}, {5, 5, -1}}, base, &m), KIN_MEET_APART);
    EQUAL(t, kin_segment_triangle((kin_vec3[2]){{0, 0, 1}, {0, 0, -1}}, base, &m), KIN_MEET_POINT); /* through a corner */
    EQUAL(t, m.from_b, KIN_FEATURE_CORNER0);

    EQUAL(t, kin_segment_segment((kin_vec3[2]){{0, 0, 0}, {2, 2, 0}}, (kin_vec3[2]){{0, 2, 0}, {2, 0, 0}}, &m), KIN_MEET_POINT);
    NEAR3(t, m.from, kin_v(1, 1, 0), 1e-15);
    EQUAL(t, kin_segment_segment((kin_vec3[2]){{0, 0, 0}, {2, 2, 0}}, (kin_vec3[2]){{0, 2, 1}, {2, 0, 1}}, &m), KIN_MEET_APART);
    EQUAL(t, kin_segment_segment((kin_vec3[2]){{0, 0, 0}, {2, 0, 0}}, (kin_vec3[2]){{1, 0, 0}, {5, 0, 0}}, &m), KIN_MEET_SEGMENT); /* collinear */
    NEAR3(t, m.from, kin_v(1, 0, 0), 0);
    NEAR3(t, m.to, kin_v(2, 0, 0), 0);
    EQUAL(t, kin_segment_segment((kin_vec3[2]){{0, 0, 0}, {2, 0, 0}}, (kin_vec3[2]){{2, 0, 0}, {5, 0, 0}}, &m), KIN_MEET_POINT);
    EQUAL(t, kin_segment_segment((kin_vec3[2]){{0, 0, 0}, {2, 0, 0}}, (kin_vec3[2]){{3, 0, 0}, {5, 0, 0}}, &m), KIN_MEET_APART);
    EQUAL(t, kin_segment_segment((kin_vec3[2]){{0, 0, 0}, {2, 0, 0}}, (kin_vec3[2]){{0, 1, 0}, {2, 1, 0}}, &m), KIN_MEET_APART); /* parallel */
    EQUAL(t, kin_segment_segment((kin_vec3[2]){{0, 0, 0}, {2, 0, 0}}, (kin_vec3[2]){{1, 0, 0}, {1, 0, 0}}, &m), KIN_MEET_POINT);
}

static void points(test* t) /* C2.5.12 */
{
    CHECK(t, kin_point_triangle(kin_v(1, 1, 0), base));
    CHECK(t, kin_point_triangle(kin_v(2, 2, 0), base) && kin_point_triangle(kin_v(4, 0, 0), base)); /* border counts */
    CHECK(t, !kin_point_triangle(kin_v(2.5, 2, 0), base) && !kin_point_triangle(kin_v(1, 1, 1e-300), base));
}

TEST_MAIN("collision_triangles", TEST(a_corner_in_the_plane), TEST(a_corner_in_the_plane_the_others_on_either_side), TEST(an_edge_in_the_plane),
          TEST(all_in_one_plane), TEST(across), TEST(without_area), TEST(order_and_scale_do_not_matter), TEST(features_hold_the_points),
          TEST(neighbours_are_cut_at_the_same_bits), TEST(a_hair_apart_is_apart), TEST(bits_of_any_kind_end_the_same_way), TEST(segments), TEST(points))
