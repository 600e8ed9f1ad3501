#include "collision/primitive/primitives.h"
#include "math/primitive.h"
#include "support/test.h"
#include "unit/geometry/shapes.h"

static const kin_aabb unit_box = {{-1, -1, -1}, {1, 1, 1}};

static kin_obb turned(void) /* by an eighth, at x = 5 */
{
    return (kin_obb){{5, 0, 0}, kin_quat_to_matrix(kin_quat_axis_angle(kin_v(0, 0, 1), KIN_PI / 4)), {1, 1, 1}};
}

static void boxes_along_the_axes(test* t) /* C2.5.3, Fig 2.22: apart along one axis is apart; touching is not */
{
    CHECK(t, kin_aabb_overlaps(unit_box, (kin_aabb){{0, 0, 0}, {3, 3, 3}}));
    CHECK(t, !kin_aabb_overlaps(unit_box, (kin_aabb){{0, 0, 1.5}, {3, 3, 3}}));
    CHECK(t, kin_aabb_overlaps(unit_box, (kin_aabb){{1, 1, 1}, {3, 3, 3}}));
    CHECK(t, !kin_aabb_overlaps(unit_box, (kin_aabb){{1 + 0x1p-52, 1, 1}, {3, 3, 3}}));
}

static void spheres(test* t) /* C2.5.4 */
{
    CHECK(t, kin_sphere_sphere(kin_v(0, 0, 0), 1, kin_v(3, 0, 0), 2)); /* touch */
    CHECK(t, !kin_sphere_sphere(kin_v(0, 0, 0), 1, kin_v(3.001, 0, 0), 2));
    CHECK(t, kin_sphere_sphere(kin_v(0, 0, 0), 5, kin_v(1, 0, 0), 1)); /* inside */
}

static void a_sphere_and_a_box(test* t) /* C2.5.6 */
{
    CHECK(t, kin_sphere_overlaps_box((kin_bound_sphere){{2, 0, 0}, 1}, unit_box));
    CHECK(t, !kin_sphere_overlaps_box((kin_bound_sphere){{2, 2, 0}, 1.4}, unit_box));
    CHECK(t, kin_sphere_overlaps_box((kin_bound_sphere){{2, 2, 0}, 1.42}, unit_box)); /* sqrt 2 */
    CHECK(t, kin_sphere_overlaps_box((kin_bound_sphere){{0.2, 0.3, 0}, 0}, unit_box));
    CHECK(t, kin_sphere_overlaps_obb((kin_bound_sphere){{3, 0, 0}, 0.6}, turned())); /* its edge is at 5 - sqrt 2 */
    CHECK(t, !kin_sphere_overlaps_obb((kin_bound_sphere){{3, 0, 0}, 0.58}, turned()));
}

static void a_sphere_and_a_segment(test* t) /* C2.5.9, Fig 2.32 */
{
    double k;
    CHECK(t, kin_segment_sphere((kin_vec3[2]){{-2, 1, 0}, {2, 1, 0}}, kin_v(0, 0, 0), 1, &k)); /* tangent */
    NEAR(t, k, 0.5, 0);
    CHECK(t, !kin_segment_sphere((kin_vec3[2]){{-2, 1.001, 0}, {2, 1.001, 0}}, kin_v(0, 0, 0), 1, &k));
    CHECK(t, !kin_segment_sphere((kin_vec3[2]){{2, 0, 0}, {4, 0, 0}}, kin_v(0, 0, 0), 1, &k)); /* its line does */
    NEAR(t, k, 0, 0);
    CHECK(t, kin_segment_sphere((kin_vec3[2]){{0.5, 0, 0}, {4, 0, 0}}, kin_v(0, 0, 0), 1, &k)); /* an end inside */
    CHECK(t, kin_segment_sphere((kin_vec3[2]){{0.5, 0, 0}, {0.5, 0, 0}}, kin_v(0, 0, 0), 1, &k));
}

static void a_sphere_and_a_triangle(test* t) /* C2.5.8 */
{
    const kin_vec3 tri[3] = {{0, 0, 5}, {4, 0, 5}, {0, 4, 5}}; /* far from the origin's plane: the text's foot, c - d n, would be off */
    CHECK(t, kin_sphere_triangle(kin_v(1, 1, 6), 1, tri));
    CHECK(t, !kin_sphere_triangle(kin_v(1, 1, 6.001), 1, tri));
    CHECK(t, !kin_sphere_triangle(kin_v(3, 3, 5), 1.41, tri) && kin_sphere_triangle(kin_v(3, 3, 5), 1.42, tri));     /* an edge */
    CHECK(t, !kin_sphere_triangle(kin_v(-1, -1, 5), 1.41, tri) && kin_sphere_triangle(kin_v(-1, -1, 5), 1.42, tri)); /* a corner */
    const kin_vec3 line[3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    CHECK(t, kin_sphere_triangle(kin_v(1.5, 1, 0), 1, line) && !kin_sphere_triangle(kin_v(1.5, 1.1, 0), 1, line));
    dice d = {1};
    for (int i = 0; i < 20000; ++i) { /* against the nearest point */
        kin_vec3 p[3] = {roll3(&d, 1), roll3(&d, 1), roll3(&d, 1)}, c = roll3(&d, 2);
        kin_feature f;
        double r = roll(&d, 0, 2), distance = kin_distance(c, kin_closest_on_triangle(p[0], p[1], p[2], c, &f));
        if (kin_abs(distance - r) > 1e-12) EQUAL(t, kin_sphere_triangle(c, r, p), distance < r);
    }
}

/* Segment and box by slabs: the other way to do it. */
static bool slabs(kin_vec3 from, kin_vec3 to, kin_aabb box, double* enter)
{
    double low = 0, high = 1;
    for (int axis = 0; axis < 3; ++axis) {
        double o = kin_component(from, axis), d = kin_component(to, axis) - o, l = kin_component(box.low, axis), h = kin_component(box.high, axis);
        if (d == 0) {
            if (o < l || o > h) return false;
            continue;
        }
        double u = (l - o) / d, v = (h - o) / d;
        low = kin_max(low, kin_min(u, v)), high = kin_min(high, kin_max(u, v));
    }
    *enter = low;
    return low <= high;
}

static void segments_and_boxes(test* t) /* C2.5.11: 60000 of 60000, all eight classes */
{
    dice d = {2};
    int hits = 0, agree = 0;
    for (int i = 0; i < 60000; ++i) {
        kin_vec3 u = roll3(&d, 1), v = roll3(&d, 1), s[2] = {roll3(&d, 2), roll3(&d, 2)};
        if (i % 5 == 0) s[1].y = s[0].y; /* along a plane */
        kin_aabb box = {kin_min3(u, v), kin_max3(u, v)};
        double k = -1, enter = -1;
        bool hit = kin_segment_box(s, box, &k);
        agree += hit == slabs(s[0], s[1], box, &enter);
        hits += hit;
        if (hit) NEAR(t, k, enter, 1e-12);
    }
    EQUAL(t, agree, 60000);
    CHECK(t, hits > 2000);
    double k;
    CHECK(t, kin_segment_box((kin_vec3[2]){{-3, 1, 1}, {3, 1, 1}}, unit_box, &k)); /* along an edge */
    CHECK(t, kin_segment_box((kin_vec3[2]){{0, 2, 1}, {2, 0, 1}}, unit_box, &k));  /* touches an edge */
    CHECK(t, kin_segment_box((kin_vec3[2]){{1, 1, 1}, {1, 1, 1}}, unit_box, &k));  /* a point on the corner */
    CHECK(t, !kin_segment_box((kin_vec3[2]){{2, 1, 1}, {2, 1, 1}}, unit_box, &k));
    const kin_obb edge_on = turned();
    CHECK(t, kin_segment_obb((kin_vec3[2]){{0, 0, 0}, {4, 0, 0}}, &edge_on, &k));
    NEAR(t, k, (5 - kin_sqrt(2)) / 4, 1e-14);
}

static void a_needle_through_a_box(test* t) /* C2.5.7: no corner inside, no edge of the box through it */
{
    const kin_vec3 needle[3] = {{-5, 0.1, 0.2}, {5, 0.1001, 0.2}, {5, 0.1, 0.2001}};
    CHECK(t, kin_box_triangle(unit_box, needle));
    CHECK(t, kin_box_triangle(unit_box, (kin_vec3[3]){{0, 0, 0}, {9, 9, 9}, {9, 8, 9}})); /* a corner inside, Fig 2.30(a) */
    CHECK(t, kin_box_triangle(unit_box, (kin_vec3[3]){{9, -9, -9}, {-9, 9, -9}, {-9, -9, 9}}) == false);
    CHECK(t, kin_box_triangle(unit_box, (kin_vec3[3]){{4, 0, 0}, {0, 4, 0}, {0, 0, 1.5}}));         /* cuts off the corner (1,1,1), Fig 2.30(b) */
    CHECK(t, !kin_box_triangle(unit_box, (kin_vec3[3]){{1.5, 1.5, 0}, {3, 0, 1}, {2.5, 2.5, -1}})); /* beside an edge */
    const kin_obb edge_on = turned();
    const kin_vec3 wall[3] = {{3.59, -9, -9}, {3.59, 9, -9}, {3.59, 0, 9}}, farther[3] = {{3.58, -9, -9}, {3.58, 9, -9}, {3.58, 0, 9}};
    CHECK(t, kin_obb_triangle(&edge_on, wall) && !kin_obb_triangle(&edge_on, farther));
}

/* A box and a triangle share a point exactly if the triangle meets a face of the box or has a corner inside. */
static void boxes_against_their_faces(test* t)
{
    static const int quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    dice d = {3};
    int hits = 0;
    for (int i = 0; i < 20000; ++i) {
        double thin = i % 3 == 0 ? 0.001 : 2;
        kin_vec3 at = roll3(&d, 3), p[3] = {at, kin_add(at, roll3(&d, 4)), kin_add(at, roll3(&d, thin))}, corner[8];
        bool want = false;
        for (int k = 0; k < 8; ++k) corner[k] = kin_v(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1);
        for (int k = 0; k < 3; ++k) want = want || kin_aabb_contains(unit_box, p[k]);
        for (int f = 0; f < 6; ++f) {
            const int* q = quads[f];
            want = want || kin_triangle_triangle((kin_vec3[3]){corner[q[0]], corner[q[1]], corner[q[2]]}, p, NULL) != KIN_MEET_APART;
            want = want || kin_triangle_triangle((kin_vec3[3]){corner[q[0]], corner[q[2]], corner[q[3]]}, p, NULL) != KIN_MEET_APART;
        }
        EQUAL(t, kin_box_triangle(unit_box, p), want);
        hits += want;
    }
    CHECK(t, hits > 2000);
}

TEST_MAIN("collision_primitive_solids", TEST(boxes_along_the_axes), TEST(spheres), TEST(a_sphere_and_a_box), TEST(a_sphere_and_a_segment),
          TEST(a_sphere_and_a_triangle), TEST(segments_and_boxes), TEST(a_needle_through_a_box), TEST(boxes_against_their_faces))
