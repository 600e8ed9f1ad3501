/* NURBS: exact circles, derivatives, insertion, nearest points, meshes. */
#include "geometry/nurbs/nurbs.h"
#include "support/test.h"
#include "unit/geometry/shapes.h"

#define KNOTS 64

/* A random curve; 64 points at most. */
typedef struct draft {
    kin_vec3 points[KNOTS];
    double weights[KNOTS], knots[KNOTS];
    kin_nurbs_curve_def def;
} draft;

static kin_nurbs_curve_def* draw(draft* d, dice* r, int degree, uint32_t count, bool periodic)
{
    for (uint32_t i = 0; i < count; ++i) d->points[i] = roll3(r, 1), d->weights[i] = roll(r, 0.3, 2);
    uint32_t knots = periodic ? count + 1 : count + (uint32_t)degree + 1;
    d->knots[0] = -1;
    for (uint32_t i = 1; i < knots; ++i) d->knots[i] = d->knots[i - 1] + roll(r, 0.2, 1);
    d->def = (kin_nurbs_curve_def){{degree, count, d->knots, periodic}, d->points, d->weights};
    return &d->def;
}

static kin_nurbs_curve* make(test* t, const kin_nurbs_curve_def* def)
{
    kin_nurbs_curve* c;
    kin_error error = {0};
    EQUAL(t, kin_nurbs_curve_create(&t->allocator, def, &c, &error), KIN_OK);
    TEXT(t, error.message, "");
    return c;
}

static void circle_is_exact(test* t)
{
    kin_nurbs_curve* c;
    kin_vec3 center = {1, 2, 3}, x = {2, 0, 0}, y = {0, 0, 2};
    EQUAL(t, kin_nurbs_arc(&t->allocator, center, x, y, 2 * KIN_PI, &c, NULL), KIN_OK);
    for (int i = 0; i <= 1000; ++i) {
        kin_vec3 d[3];
        kin_nurbs_curve_derivatives(c, i / 1000.0, 2, d);
        kin_vec3 r = kin_sub(d[0], center);
        NEAR(t, kin_length(r), 2, 2e-15);
        NEAR(t, d[0].y, 2, 1e-15);
        NEAR(t, kin_dot(d[1], r), 0, 1e-13);
        double speed = kin_length(d[1]);
        NEAR(t, kin_length(kin_cross(d[1], d[2])) / (speed * speed * speed), 0.5, 1e-13); /* curvature */
    }
    NEAR3(t, kin_nurbs_curve_point(c, 0), kin_add(center, x), 0);
    NEAR3(t, kin_nurbs_curve_point(c, 0.25), kin_add(center, y), 4e-16);
    NEAR3(t, kin_nurbs_curve_point(c, 1), kin_add(center, x), 0);
    NEAR3(t, kin_nurbs_curve_tangent(c, 0), kin_v(0, 0, 1), 1e-15);
    NEAR(t, kin_nurbs_curve_length(c, 0, 1), 4 * KIN_PI, 1e-12);
    NEAR(t, kin_nurbs_curve_length(c, 0.125, 0.5), 4 * KIN_PI * 0.375, 1e-11); /* an eighth is half a quarter, by symmetry */
    kin_nurbs_curve_destroy(c);
}

/* Central differences of the derivative below; the curve has no knot within h. */
static void derivatives_match_differences(test* t)
{
    dice r = {1};
    for (int degree = 1; degree <= 8; ++degree) {
        draft d;
        kin_nurbs_curve* c = make(t, draw(&d, &r, degree, (uint32_t)degree + 5, degree % 2 == 0));
        for (int k = 0; k < 20; ++k) {
            uint32_t span = c->axis.spans[k % (int)c->axis.span_count];
            double u = kin_mix(c->axis.knots[span], c->axis.knots[span + 1], roll(&r, 0.1, 0.9)), h = 1e-5;
            kin_vec3 at[4], low[4], high[4];
            kin_nurbs_curve_derivatives(c, u, 3, at);
            kin_nurbs_curve_derivatives(c, u - h, 3, low);
            kin_nurbs_curve_derivatives(c, u + h, 3, high);
            for (int n = 0; n < 3; ++n)
                NEAR3(t, kin_scale(kin_sub(high[n], low[n]), 0.5 / h), at[n + 1], 1e-5 * (1 + kin_length(at[n + 1]) + kin_length(at[2]) + kin_length(at[3])));
        }
        kin_nurbs_curve_destroy(c);
    }
}

/* Degree p has p - 1 continuous derivatives at a simple knot, at the joint of a period too. */
static void periodic_curves_close_smoothly(test* t)
{
    dice r = {2};
    draft d;
    kin_nurbs_curve* c = make(t, draw(&d, &r, 3, 7, true));
    kin_vec3 low[3], high[3];
    kin_nurbs_curve_derivatives(c, c->axis.begin, 2, low);
    kin_nurbs_curve_derivatives(c, c->axis.end, 2, high);
    for (int k = 0; k < 3; ++k) NEAR3(t, low[k], high[k], 1e-12 * (1 + kin_length(low[k])));
    double period = c->axis.end - c->axis.begin;
    NEAR3(t, kin_nurbs_curve_point(c, c->axis.begin + 0.3), kin_nurbs_curve_point(c, c->axis.begin + 0.3 - 5 * period), 1e-13);
    CHECK(t, kin_finite3(kin_nurbs_curve_point(c, NAN)) && kin_finite3(kin_nurbs_curve_point(c, INFINITY)) && kin_finite3(kin_nurbs_curve_point(c, -1e300)));
    kin_nurbs_curve_destroy(c);
}

static void affine_maps_commute(test* t)
{
    dice r = {3};
    draft d;
    kin_mat4 map = {{{1, 0.5, -2, 3}, {0, 2, 1, -1}, {0.3, 0, 1, 0.5}, {0, 0, 0, 1}}};
    kin_nurbs_curve* a = make(t, draw(&d, &r, 4, 9, false));
    for (int i = 0; i < 9; ++i) d.points[i] = kin_mat4_apply_point(&map, d.points[i]);
    kin_nurbs_curve* b = make(t, &d.def);
    for (int i = 0; i < 100; ++i) {
        double u = roll(&r, a->axis.begin, a->axis.end);
        NEAR3(t, kin_mat4_apply_point(&map, kin_nurbs_curve_point(a, u)), kin_nurbs_curve_point(b, u), 1e-13);
    }
    kin_nurbs_curve_destroy(a);
    kin_nurbs_curve_destroy(b);
}

static void insertion_leaves_the_curve(test* t)
{
    dice r = {4};
    draft d;
    kin_nurbs_curve* c = make(t, draw(&d, &r, 3, 8, false));
    kin_nurbs_curve* first = make(t, &d.def);
    kin_error error = {0};
    double twice = 0.5 * (c->axis.begin + c->axis.end);
    for (int n = 0; n < 8; ++n) {
        kin_nurbs_curve* more;
        double u = n < 3 ? twice : roll(&r, c->axis.begin, c->axis.end);
        EQUAL(t, kin_nurbs_curve_insert(c, u, &more, &error), KIN_OK);
        EQUAL(t, more->axis.count, c->axis.count + 1);
        kin_nurbs_curve_destroy(c);
        c = more;
    }
    for (int i = 0; i <= 200; ++i) {
        double u = kin_mix(c->axis.begin, c->axis.end, i / 200.0);
        NEAR3(t, kin_nurbs_curve_point(c, u), kin_nurbs_curve_point(first, u), 1e-13);
    }
    kin_nurbs_curve* none;
    EQUAL(t, kin_nurbs_curve_insert(c, twice, &none, &error), KIN_ERROR_ARGUMENT); /* as often as the degree already */
    HAS(t, error.message, "4 times");
    EQUAL(t, kin_nurbs_curve_insert(c, 1e9, &none, &error), KIN_ERROR_ARGUMENT);
    kin_nurbs_curve_destroy(c);
    kin_nurbs_curve_destroy(first);
}

static void nearest_point_of_curves(test* t)
{
    dice r = {5};
    for (int n = 0; n < 40; ++n) {
        draft d;
        kin_nurbs_curve* c = make(t, draw(&d, &r, 1 + n % 8, 10 + (uint32_t)n % 5, n % 3 == 0));
        kin_vec3 x = n % 4 == 3 ? kin_nurbs_curve_point(c, roll(&r, c->axis.begin, c->axis.end)) : roll3(&r, 1.5);
        kin_nurbs_near near = kin_nurbs_curve_closest(c, x);
        double dense = 1e300;
        for (int i = 0; i <= 5000; ++i) dense = fmin(dense, kin_distance(x, kin_nurbs_curve_point(c, kin_mix(c->axis.begin, c->axis.end, i / 5000.0))));
        CHECK(t, near.distance <= dense + 1e-13);
        CHECK(t, near.lower <= near.distance && near.lower >= near.distance - 1e-9);
        CHECK(t, near.pieces < 2000);
        NEAR3(t, kin_nurbs_curve_point(c, near.u), near.point, 1e-12);
        NEAR(t, kin_distance(near.point, x), near.distance, 1e-13);
        if (n % 4 == 3) NEAR(t, near.distance, 0, 1e-12);
        kin_nurbs_curve_destroy(c);
    }
}

/* Every point of a circle is nearest to its centre: an end must come anyway. */
static void ties_end(test* t)
{
    kin_nurbs_curve* c;
    kin_nurbs_surface* s;
    EQUAL(t, kin_nurbs_arc(&t->allocator, kin_v(0, 0, 0), kin_v(1, 0, 0), kin_v(0, 1, 0), 2 * KIN_PI, &c, NULL), KIN_OK);
    EQUAL(t, kin_nurbs_sphere(&t->allocator, 1, &s, NULL), KIN_OK);
    for (int i = 0; i < 20; ++i) {
        kin_vec3 x = i == 0 ? kin_v(0, 0, 0) : kin_scale(kin_v(0.6, 0.5, 0.3), pow(10, -i));
        kin_nurbs_near near = kin_nurbs_curve_closest(c, x);
        NEAR(t, near.distance, sqrt(x.z * x.z + pow(1 - hypot(x.x, x.y), 2)), 1e-14);
        CHECK(t, near.pieces < 1000);
        near = kin_nurbs_surface_closest(s, x);
        NEAR(t, near.distance, 1 - kin_length(x), 1e-13);
        CHECK(t, near.pieces < 20000);
        CHECK(t, near.lower > near.distance - 1e-9);
    }
    kin_nurbs_curve_destroy(c);
    kin_nurbs_surface_destroy(s);
}

typedef kin_result make_fn(const kin_allocator* allocator, kin_nurbs_surface** out, kin_error* error);
static kin_result ball(const kin_allocator* a, kin_nurbs_surface** out, kin_error* error) { return kin_nurbs_sphere(a, 2, out, error); }
static kin_result can(const kin_allocator* a, kin_nurbs_surface** out, kin_error* error) { return kin_nurbs_cylinder(a, 0.5, 3, out, error); }
static kin_result ring(const kin_allocator* a, kin_nurbs_surface** out, kin_error* error) { return kin_nurbs_torus(a, 2, 0.5, out, error); }

static double off_ball(kin_vec3 p) { return fabs(kin_length(p) - 2); }
static double off_can(kin_vec3 p)
{
    double r = hypot(p.x, p.z) - 0.5, y = fabs(p.y) - 1.5;
    return r <= 0 && y <= 0 ? fmin(-r, -y) : hypot(fmax(r, 0), fmax(y, 0));
}
static double off_ring(kin_vec3 p) { return fabs(hypot(hypot(p.x, p.z) - 2, p.y) - 0.5); }

static const struct {
    make_fn* make;
    double (*off)(kin_vec3 p);
    double volume;
} solids[3] = {{ball, off_ball, 32 * KIN_PI / 3}, {can, off_can, 0.75 * KIN_PI}, {ring, off_ring, KIN_PI* KIN_PI}};

static void round_surfaces_are_exact(test* t)
{
    dice r = {6};
    for (int k = 0; k < 3; ++k) {
        kin_nurbs_surface* s;
        EQUAL(t, solids[k].make(&t->allocator, &s, NULL), KIN_OK);
        for (int i = 0; i < 400; ++i) {
            double u = roll(&r, 0, 1), v = roll(&r, 0, 1);
            kin_vec3 p = kin_nurbs_surface_point(s, u, v), n = kin_nurbs_surface_normal(s, u, v);
            NEAR(t, solids[k].off(p), 0, 2e-15);
            NEAR(t, kin_length(n), 1, 1e-14);
            NEAR(t, solids[k].off(kin_add_scaled(p, 1e-3, n)), 1e-3, 1e-9); /* outwards, square to it */
            kin_vec3 x = roll3(&r, 3);
            kin_nurbs_near near = kin_nurbs_surface_closest(s, x);
            NEAR(t, near.distance, solids[k].off(x), 1e-12);
            CHECK(t, near.lower > near.distance - 1e-9);
        }
        kin_nurbs_surface_destroy(s);
    }
    kin_nurbs_surface* s;
    EQUAL(t, ball(&t->allocator, &s, NULL), KIN_OK);
    NEAR3(t, kin_nurbs_surface_normal(s, 0.3, 0), kin_v(0, -1, 0), 1e-5); /* at the poles too */
    NEAR3(t, kin_nurbs_surface_normal(s, 0.3, 1), kin_v(0, 1, 0), 1e-5);
    kin_nurbs_surface_destroy(s);
}

typedef struct sheet {
    kin_vec3 points[7 * 6];
    double weights[7 * 6];
    kin_nurbs_surface_def def;
} sheet;

static kin_nurbs_surface* draw_sheet(test* t, dice* r, sheet* d)
{
    for (int i = 0; i < 42; ++i) {
        d->points[i] = kin_add(kin_v(i % 7, 0, i / 7), roll3(r, 0.7));
        d->weights[i] = roll(r, 0.5, 2);
    }
    d->def = (kin_nurbs_surface_def){{3, 7, NULL, false}, {2, 6, NULL, true}, d->points, d->weights};
    kin_nurbs_surface* s;
    EQUAL(t, kin_nurbs_surface_create(&t->allocator, &d->def, &s, NULL), KIN_OK);
    return s;
}

static void surface_derivatives_match_differences(test* t)
{
    dice r = {7};
    sheet d;
    kin_nurbs_surface* s = draw_sheet(t, &r, &d);
    for (int i = 0; i < 200; ++i) {
        double u = (floor(roll(&r, 0, 4)) + roll(&r, 0.1, 0.9)) / 4, v = (floor(roll(&r, 0, 6)) + roll(&r, 0.1, 0.9)) / 6, h = 1e-5;
        kin_nurbs_jet at, low, high;
        kin_nurbs_surface_jet(s, u, v, &at);
        double size = 1e-6 * (kin_length(at.uu) + kin_length(at.vv) + kin_length(at.uv) + 100);
        kin_nurbs_surface_jet(s, u - h, v, &low);
        kin_nurbs_surface_jet(s, u + h, v, &high);
        NEAR3(t, kin_scale(kin_sub(high.at, low.at), 0.5 / h), at.u, size);
        NEAR3(t, kin_scale(kin_sub(high.u, low.u), 0.5 / h), at.uu, 100 * size);
        NEAR3(t, kin_scale(kin_sub(high.v, low.v), 0.5 / h), at.uv, 100 * size);
        kin_nurbs_surface_jet(s, u, v - h, &low);
        kin_nurbs_surface_jet(s, u, v + h, &high);
        NEAR3(t, kin_scale(kin_sub(high.at, low.at), 0.5 / h), at.v, size);
        NEAR3(t, kin_scale(kin_sub(high.v, low.v), 0.5 / h), at.vv, 100 * size);
    }
    kin_nurbs_surface_destroy(s);
}

static void nearest_point_of_surfaces(test* t)
{
    dice r = {8};
    sheet d;
    for (int n = 0; n < 6; ++n) {
        kin_nurbs_surface* s = draw_sheet(t, &r, &d);
        for (int k = 0; k < 4; ++k) {
            kin_vec3 x = kin_add(kin_v(3, 0, 2), roll3(&r, 3));
            kin_nurbs_near near = kin_nurbs_surface_closest(s, x);
            double dense = 1e300;
            for (int i = 0; i <= 100 * 101; ++i) dense = fmin(dense, kin_distance(x, kin_nurbs_surface_point(s, i % 101 / 100.0, i / 101 / 100.0)));
            CHECK(t, near.distance <= dense + 1e-13 && near.distance > dense - 0.2);
            CHECK(t, near.lower <= near.distance && near.lower > near.distance - 1e-9);
            NEAR3(t, kin_nurbs_surface_point(s, near.u, near.v), near.point, 1e-12);
        }
        kin_nurbs_surface_destroy(s);
    }
}

static double mesh_volume(const kin_mesh* m)
{
    double sum = 0;
    for (uint32_t i = 0; i < m->triangle_count; ++i)
        sum += kin_triple(m->vertices[m->triangles[i][0]], m->vertices[m->triangles[i][1]], m->vertices[m->triangles[i][2]]) / 6;
    return sum;
}

/* A tolerance 16 times smaller: edges 4 times shorter, volume 16 times better. */
static void meshes_are_closed_and_converge(test* t)
{
    for (int k = 0; k < 3; ++k) {
        kin_nurbs_surface* s;
        double error[2];
        EQUAL(t, solids[k].make(&t->allocator, &s, NULL), KIN_OK);
        for (int level = 0; level < 2; ++level) {
            double tolerance = level ? 4e-3 / 16 : 4e-3;
            kin_mesh* m;
            EQUAL(t, kin_nurbs_mesh(&t->allocator, s, tolerance, &m, NULL), KIN_OK);
            CHECK(t, m->closed);
            EQUAL(t, m->dropped, 0);
            EQUAL(t, (int)m->vertex_count - (int)(m->triangle_count / 2), k == 2 ? 0 : 2); /* V - E + F: no vertex of a seam or pole is there twice */
            for (uint32_t i = 0; i < m->triangle_count; ++i) {
                kin_vec3 sum = {0, 0, 0};
                for (int c = 0; c < 3; ++c) sum = kin_add(sum, m->vertices[m->triangles[i][c]]);
                if (!(solids[k].off(kin_scale(sum, 1.0 / 3)) <= tolerance)) CHECK(t, false);
            }
            error[level] = solids[k].volume - mesh_volume(m);
            kin_mesh_destroy(m);
        }
        NEAR(t, log2(error[0] / error[1]), 4, 0.4);
        kin_nurbs_surface_destroy(s);
    }
}

static void refuse(test* t, kin_nurbs_curve_def def, const char* where, const char* message)
{
    kin_nurbs_curve* c;
    kin_error error = {0};
    EQUAL(t, kin_nurbs_curve_create(&t->allocator, &def, &c, &error), KIN_ERROR_ARGUMENT);
    CHECK(t, c == NULL);
    HAS(t, error.where, where);
    HAS(t, error.message, message);
}

static void bad_input_is_refused(test* t)
{
    kin_vec3 p[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, bad[4] = {{0, 0, 0}, {1, 0, NAN}, {1, 1, 0}, {0, 1, 0}};
    double falling[6] = {0, 0, 1, 0.5, 2, 2}, thick[6] = {0, 0, 0.5, 0.5, 1, 1}, near[6] = {0, 0, 0.5, 0.5 + 1e-12, 1, 1}, flat[7] = {0, 0, 0, 0, 0, 0, 0};
    double w[4] = {1, 0, 1, 1}, wide[4] = {1, 1e10, 1, 1};
    refuse(t, (kin_nurbs_curve_def){{0, 4, NULL, false}, p, NULL}, "curve", "degree is 0");
    refuse(t, (kin_nurbs_curve_def){{9, 4, NULL, false}, p, NULL}, "curve", "degree is 9");
    refuse(t, (kin_nurbs_curve_def){{4, 4, NULL, false}, p, NULL}, "curve", "not enough");
    refuse(t, (kin_nurbs_curve_def){{1, 4, falling, false}, p, NULL}, "curve.knots[3]", "less than the knot before");
    refuse(t, (kin_nurbs_curve_def){{1, 4, thick, false}, p, NULL}, "curve.knots[3]", "is there 2 times");
    refuse(t, (kin_nurbs_curve_def){{1, 4, near, false}, p, NULL}, "curve.knots[3]", "too near");
    refuse(t, (kin_nurbs_curve_def){{2, 4, flat, false}, p, NULL}, "curve.knots[3]", "is there 4 times");
    refuse(t, (kin_nurbs_curve_def){{2, 4, NULL, false}, bad, NULL}, "points[1]", "finite");
    refuse(t, (kin_nurbs_curve_def){{2, 4, NULL, false}, p, w}, "weights[1]", "more than 0");
    refuse(t, (kin_nurbs_curve_def){{2, 4, NULL, false}, p, wide}, "weights", "1e9");
    kin_nurbs_surface* s;
    kin_error error = {0};
    EQUAL(t, kin_nurbs_torus(&t->allocator, 1, 2, &s, &error), KIN_ERROR_ARGUMENT);
    EQUAL(t, kin_nurbs_sphere(&t->allocator, -1, &s, &error), KIN_ERROR_ARGUMENT);
    EQUAL(t, kin_nurbs_sphere(&t->allocator, 1, &s, &error), KIN_OK);
    kin_mesh* m;
    EQUAL(t, kin_nurbs_mesh(&t->allocator, s, 0, &m, &error), KIN_ERROR_ARGUMENT);
    EQUAL(t, kin_nurbs_mesh(&t->allocator, s, 1e-11, &m, &error), KIN_ERROR_LIMIT);
    kin_nurbs_surface_destroy(s);
}

/* Sizes from 1e-6 to 1e8 m: the same shape. */
static void any_scale_is_good(test* t)
{
    for (int e = -6; e <= 8; e += 7) {
        double size = pow(10, e);
        kin_nurbs_surface* s;
        kin_mesh* m;
        EQUAL(t, kin_nurbs_sphere(&t->allocator, size, &s, NULL), KIN_OK);
        kin_nurbs_near near = kin_nurbs_surface_closest(s, kin_v(2 * size, size, -size));
        NEAR(t, near.distance / size, sqrt(6) - 1, 1e-13);
        EQUAL(t, kin_nurbs_mesh(&t->allocator, s, 1e-2 * size, &m, NULL), KIN_OK);
        CHECK(t, m->closed);
        kin_mesh_destroy(m);
        kin_nurbs_surface_destroy(s);
    }
}

static bool make_all(test* t, void* context)
{
    kin_nurbs_surface* s = NULL;
    kin_mesh* m = NULL;
    (void)context;
    kin_result result = kin_nurbs_torus(&t->allocator, 2, 0.5, &s, NULL);
    if (result == KIN_OK) result = kin_nurbs_mesh(&t->allocator, s, 0.1, &m, NULL);
    if (result != KIN_OK) EQUAL(t, result, KIN_ERROR_MEMORY);
    kin_mesh_destroy(m);
    kin_nurbs_surface_destroy(s);
    return result == KIN_OK;
}

static void survives_failing_allocations(test* t) { test_fail_each_allocation(t, make_all, NULL); }

TEST_MAIN("geometry nurbs", TEST(circle_is_exact), TEST(derivatives_match_differences), TEST(periodic_curves_close_smoothly), TEST(affine_maps_commute),
          TEST(insertion_leaves_the_curve), TEST(nearest_point_of_curves), TEST(ties_end), TEST(round_surfaces_are_exact),
          TEST(surface_derivatives_match_differences), TEST(nearest_point_of_surfaces), TEST(meshes_are_closed_and_converge), TEST(bad_input_is_refused),
          TEST(any_scale_is_good), TEST(survives_failing_allocations))
