#include "geometry/cut/fill.h"
#include "unit/geometry/cut/solids.h"

/* Area of the faces, all counter-clockwise. */
static double filled(test* t, const kin_fill* fill, const kin_vec3* points)
{
    double area = 0;
    for (size_t f = 0; f < fill->out.face_count; ++f) {
        const uint32_t* c = kin_poly_corners(&fill->out, f);
        for (uint32_t k = 1; k + 1 < fill->out.sizes[f]; ++k) {
            double z = kin_cross(kin_sub(points[c[k]], points[c[0]]), kin_sub(points[c[k + 1]], points[c[0]])).z / 2;
            CHECK(t, z >= -1e-12);
            area += z;
        }
    }
    return area;
}

static double loop_area(const kin_vec3* p, uint32_t from, uint32_t to)
{
    double area = 0;
    for (uint32_t i = from, last = to - 1; i < to; last = i++) area += (p[last].x * p[i].y - p[i].x * p[last].y) / 2;
    return area;
}

/* No corner of another triangle over an inner edge lies in a triangle's circle, unless the quadrilateral is not convex (11.3). */
static void check_delaunay(test* t, const kin_fill* fill, const kin_vec3* p)
{
    const kin_poly* out = &fill->out;
    for (size_t f = 0; f < out->face_count; ++f) {
        for (size_t g = 0; g < out->face_count; ++g) {
            const uint32_t *c = kin_poly_corners(out, f), *d = kin_poly_corners(out, g);
            for (int k = 0; k < 9; ++k) {
                uint32_t i = (uint32_t)k / 3, j = (uint32_t)k % 3;
                if (f == g || c[i] != d[(j + 1) % 3] || c[(i + 1) % 3] != d[j]) continue;
                kin_vec3 a = p[c[(i + 2) % 3]], b = p[d[(j + 2) % 3]], u = p[c[i]], v = p[c[(i + 1) % 3]];
                CHECK(t, kin_angle(kin_sub(u, a), kin_sub(v, a)) + kin_angle(kin_sub(u, b), kin_sub(v, b)) <= KIN_PI + 1e-6);
            }
        }
    }
}

static void star_with_holes(test* t) /* a bent outline and three holes, the same turned over */
{
    kin_vec3 p[64];
    uint32_t ids[64], begin[5] = {0, 24, 30, 36, 42};
    for (uint32_t i = 0; i < 24; ++i) {
        double a = 2 * KIN_PI * i / 24, r = i % 2 ? 6 : 9;
        p[i] = kin_v(r * cos(a), r * sin(a), 0);
    }
    for (uint32_t h = 0; h < 3; ++h) {
        double x = 3 * cos(2.1 * h), y = 3 * sin(2.1 * h);
        for (uint32_t i = 0; i < 6; ++i) p[24 + 6 * h + i] = kin_v(x + cos(KIN_PI * i / 3), y - sin(KIN_PI * i / 3), 0); /* clockwise */
    }
    for (uint32_t i = 0; i < 42; ++i) ids[i] = i;
    double area = loop_area(p, 0, 24) + loop_area(p, 24, 30) + loop_area(p, 30, 36) + loop_area(p, 36, 42);
    kin_fill fill;
    kin_fill_init(&fill, &t->allocator);
    CHECK(t, kin_fill_loops(&fill, p, kin_v(0, 0, 2), (kin_loops){ids, begin, 4}, false));
    EQUAL(t, fill.out.face_count, 42 + 2 * 3 - 2); /* n + 2 holes - 2 */
    NEAR(t, filled(t, &fill, p), area, 1e-12);
    EQUAL(t, open_edges(&fill.out), 42); /* the loops, nothing else */
    CHECK(t, kin_fill_loops(&fill, p, kin_v(0, 0, 1), (kin_loops){ids, begin, 4}, true));
    CHECK(t, fill.out.face_count < 30);
    NEAR(t, filled(t, &fill, p), area, 1e-12);
    EQUAL(t, open_edges(&fill.out), 42);
    kin_fill_term(&fill);
}

static void delaunay(test* t)
{
    kin_vec3 p[40];
    uint32_t ids[40], begin[2] = {0, 40};
    dice d = {4};
    kin_fill fill;
    kin_fill_init(&fill, &t->allocator);
    for (int round = 0; round < 20; ++round) {
        for (uint32_t i = 0; i < 40; ++i) {
            double a = 2 * KIN_PI * i / 40, r = 5; /* on a circle, pushed in by a little: convex, all quadrilaterals are */
            p[i] = kin_v(r * cos(a) * roll(&d, 1, 1.002), 2 * r * sin(a), 0);
            ids[i] = i;
        }
        CHECK(t, kin_fill_loops(&fill, p, kin_v(0, 0, 1), (kin_loops){ids, begin, 1}, false));
        EQUAL(t, fill.out.face_count, 38);
        check_delaunay(t, &fill, p);
        NEAR(t, filled(t, &fill, p), loop_area(p, 0, 40), 1e-9);
    }
    kin_fill_term(&fill);
}

static void corners_in_a_line(test* t) /* a triangle with many points on its sides: no triangle without area, none missed */
{
    kin_vec3 p[30];
    uint32_t ids[30], begin[2] = {0, 30};
    for (uint32_t i = 0; i < 30; ++i) {
        double s = (i % 10) / 10.0;
        p[i] = i < 10 ? kin_v(s, 0, 0) : i < 20 ? kin_v(1 - s, s, 0) : kin_v(0, 1 - s, 0);
        ids[i] = i;
    }
    kin_fill fill;
    kin_fill_init(&fill, &t->allocator);
    CHECK(t, kin_fill_loops(&fill, p, kin_v(0, 0, 1), (kin_loops){ids, begin, 1}, false));
    EQUAL(t, fill.out.face_count, 28);
    for (size_t f = 0; f < 28; ++f) {
        const uint32_t* c = kin_poly_corners(&fill.out, f);
        CHECK(t, kin_cross(kin_sub(p[c[1]], p[c[0]]), kin_sub(p[c[2]], p[c[0]])).z > 1e-6);
    }
    NEAR(t, filled(t, &fill, p), 0.5, 1e-14);
    CHECK(t, kin_fill_loops(&fill, p, kin_v(0, 0, 1), (kin_loops){ids, begin, 1}, true));
    EQUAL(t, fill.out.face_count, 1); /* convex: itself */
    kin_fill_term(&fill);
}

static void random_loops(test* t) /* star-shaped outlines with long spikes: exact area, no face turned over, joined faces convex */
{
    dice d = {8};
    kin_fill fill;
    kin_fill_init(&fill, &t->allocator);
    for (int round = 0; round < 100; ++round) {
        kin_vec3 p[60];
        uint32_t ids[60], n = 4 + (uint32_t)roll(&d, 0, 56), begin[2] = {0, n};
        for (uint32_t i = 0; i < n; ++i) {
            double a = 2 * KIN_PI * i / n, r = roll(&d, 0.05, 1);
            p[i] = kin_v(r * cos(a), r * sin(a), 0);
            ids[i] = i;
        }
        for (int joined = 0; joined < 2; ++joined) {
            CHECK(t, kin_fill_loops(&fill, p, kin_v(0, 0, 1), (kin_loops){ids, begin, 1}, joined));
            NEAR(t, filled(t, &fill, p), loop_area(p, 0, n), 1e-12);
            EQUAL(t, open_edges(&fill.out), n);
        }
    }
    kin_fill_term(&fill);
}

TEST_MAIN("geometry/cut/fill", TEST(star_with_holes), TEST(delaunay), TEST(corners_in_a_line), TEST(random_loops))
