/* nurbs_test.c - rational B-splines as shapes: round ones are exact, triangles stay within the tolerance, closed ones are solid, what is wrong is named. */
#include "base/error.h"
#include "unit/collision/form/forms.h"
#include "unit/geometry/shapes.h"

#define HALF_ROOT 0.70710678118654752

/* Quarters of circles as quadratics: weights 1, sqrt(1/2), 1, ... */
static const double half_weights[5] = {1, HALF_ROOT, 1, HALF_ROOT, 1}, half_knots[8] = {0, 0, 0, 0.5, 0.5, 1, 1, 1};
static const double ring_weights[9] = {1, HALF_ROOT, 1, HALF_ROOT, 1, HALF_ROOT, 1, HALF_ROOT, 1};
static const double ring_knots[12] = {0, 0, 0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 1, 1, 1};
static const kin_vec3 half_circle[5] = {{0, -1, 0}, {1, -1, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
static const kin_vec3 tube[9] = {{1, 0, 0}, {1, 0.3, 0}, {0.7, 0.3, 0}, {0.4, 0.3, 0}, {0.4, 0, 0}, {0.4, -0.3, 0}, {0.7, -0.3, 0}, {1, -0.3, 0}, {1, 0, 0}};

static kin_shape sphere(double tolerance)
{
    return (kin_shape){
        .kind = KIN_SHAPE_NURBS,
        .nurbs = {
            .points = {half_circle, 5}, .weights = {half_weights, 5}, .degree_v = 2, .knots_v = {half_knots, 8}, .revolve = true, .tolerance = tolerance}};
}

static kin_shape torus(double tolerance)
{
    return (kin_shape){
        .kind = KIN_SHAPE_NURBS,
        .nurbs = {.points = {tube, 9}, .weights = {ring_weights, 9}, .degree_v = 2, .knots_v = {ring_knots, 12}, .revolve = true, .tolerance = tolerance}};
}

static double off_sphere(kin_vec3 x) { return kin_length(x) - 1; }
static double off_torus(kin_vec3 x) { return hypot(hypot(x.x, x.z) - 0.7, x.y) - 0.3; }

/* Vertices lie on the surface to rounding; middles of edges and triangles are off by less than the tolerance. */
static void check_surface(test* t, const kin_shape* shape, double (*off)(kin_vec3), double volume)
{
    kin_form* f = make(t, shape);
    const kin_mesh* m = f->mesh->mesh;
    double on = 0, sag = 0;
    for (uint32_t i = 0; i < m->vertex_count; ++i) on = fmax(on, fabs(off(m->vertices[i])));
    for (uint32_t i = 0; i < m->triangle_count; ++i) {
        const kin_vec3 a = m->vertices[m->triangles[i][0]], b = m->vertices[m->triangles[i][1]], c = m->vertices[m->triangles[i][2]];
        sag = fmax(sag, fabs(off(kin_scale(kin_add(kin_add(a, b), c), 1 / 3.0))));
        sag = fmax(sag, fabs(off(kin_scale(kin_add(a, b), 0.5))));
    }
    NEAR(t, on, 0, 4e-15);
    CHECK(t, sag > 0 && sag <= shape->nurbs.tolerance);
    CHECK(t, m->closed && f->has_inside);
    double missing = volume - f->ops->mass(f).mass; /* at most the tolerance all over the surface; 4 pi of a sphere, 8.3 m^2 of the torus */
    CHECK(t, fabs(missing) < 4 * KIN_PI * shape->nurbs.tolerance);
    kin_form_drop(f);
}

static void round_surfaces_are_exact(test* t)
{
    for (double tolerance = 0.02; tolerance > 1e-4; tolerance *= 0.25) {
        kin_shape s = sphere(tolerance), r = torus(tolerance);
        check_surface(t, &s, off_sphere, 4 / 3.0 * KIN_PI);
        check_surface(t, &r, off_torus, 2 * KIN_PI * KIN_PI * 0.7 * 0.09);
    }
}

/* The torus as a grid of 9 x 9 points with products of weights, and with rows and columns exchanged: then its parameters turn inwards. */
static void grids_are_solid_either_way(test* t)
{
    static const double x[9] = {1, 1, 0, -1, -1, -1, 0, 1, 1}, z[9] = {0, 1, 1, 1, 0, -1, -1, -1, 0};
    for (int way = 0; way < 2; ++way) {
        kin_vec3 points[81];
        double weights[81];
        for (int j = 0; j < 9; ++j) {
            for (int i = 0; i < 9; ++i) {
                int at = way == 0 ? 9 * j + i : 9 * i + j;
                points[at] = kin_v(tube[j].x * x[i], tube[j].y, tube[j].x * z[i]);
                weights[at] = ring_weights[j] * ring_weights[i];
            }
        }
        kin_shape s = {.kind = KIN_SHAPE_NURBS,
                       .nurbs = {.points = {points, 81},
                                 .weights = {weights, 81},
                                 .columns = 9,
                                 .degree_u = 2,
                                 .degree_v = 2,
                                 .knots_u = {ring_knots, 12},
                                 .knots_v = {ring_knots, 12},
                                 .tolerance = 0.002}};
        check_surface(t, &s, off_torus, 2 * KIN_PI * KIN_PI * 0.7 * 0.09);
    }
}

/* Scaled tenfold the same tolerance asks for ten times finer triangles; a turn and an offset move it as any shape. */
static void tolerance_holds_for_what_is_scaled(test* t)
{
    kin_shape s = sphere(0.02);
    kin_form* one = make(t, &s);
    s.scale = kin_v(10, 10, 10);
    s.offset = kin_v(3, 0, 0);
    kin_form* ten = make(t, &s);
    double sag = 0;
    const kin_mesh* m = ten->mesh->mesh;
    for (uint32_t i = 0; i < m->triangle_count; ++i) {
        kin_vec3 middle = kin_v(-3, 0, 0);
        for (int k = 0; k < 3; ++k) middle = kin_add_scaled(middle, 1 / 3.0, m->vertices[m->triangles[i][k]]);
        sag = fmax(sag, fabs(kin_length(middle) - 10));
    }
    CHECK(t, sag <= 0.02 && m->triangle_count > 5 * one->mesh->mesh->triangle_count);
    kin_form_drop(one);
    kin_form_drop(ten);
}

/* Bicubic ground, open: its triangles are within the tolerance of the polynomial, and it has two sides. Control points on a paraboloid's grid of even knots give
 * z = x^2 + y^2 plus a constant; here heights of a plane reproduce the plane exactly. */
static void open_surfaces_have_two_sides(test* t)
{
    kin_vec3 points[30];
    for (int i = 0; i < 30; ++i) points[i] = kin_v(i % 6, 0.5 * (i % 6) - 0.25 * (i / 6), i / 6);
    kin_shape s = {.kind = KIN_SHAPE_NURBS, .nurbs = {.points = {points, 30}, .columns = 6}};
    kin_form* f = make(t, &s);
    CHECK(t, !f->has_inside);
    kin_touch touch;
    for (int side = -1; side <= 1; side += 2) {
        CHECK(t,
              f->ops->closest(f, kin_add_scaled(kin_v(2.5, 0.75, 2), side * 0.5, kin_normalize_or(kin_v(-0.5, 1, 0.25), kin_v(0, 1, 0))), 1, &touch, 1) == 1);
        NEAR(t, touch.distance, 0.5, 1e-12);
    }
    kin_form_drop(f);
}

static void errors_name_what_is_wrong(test* t)
{
    kin_shape s = sphere(0.01);
    double bad[5] = {1, 0, 1, 1, 1};
    s.nurbs.weights.data = bad;
    check_refused(t, &s, "shape.nurbs.weights[1]");
    s.nurbs.weights.count = 4;
    check_refused(t, &s, "shape.nurbs.weights");
    s = sphere(0.01);
    s.nurbs.knots_v.count = 7;
    check_refused(t, &s, "shape.nurbs.knots_v");
    s = sphere(-1);
    check_refused(t, &s, "shape.nurbs.tolerance");
    s = sphere(1e-9);
    check_refused(t, &s, "shape.nurbs.tolerance"); /* 1e5 x 1e5 cells */
    s = sphere(0.01);
    s.nurbs.revolve = false;
    check_refused(t, &s, "shape.nurbs.columns");
    s = sphere(0.01);
    s.nurbs.periodic_v = true;
    s.nurbs.knots_v.count = 6;
    check_refused(t, &s, "shape.nurbs.periodic_v");
    s = sphere(0.01);
    s.nurbs.points.count = 0;
    check_refused(t, &s, "shape.nurbs.points");
}

static void memory_may_run_out(test* t)
{
    kin_shape s = torus(0.2);
    test_fail_each_allocation(t, make_shape, &s);
}

TEST_MAIN("collision/form/nurbs", TEST(round_surfaces_are_exact), TEST(grids_are_solid_either_way), TEST(tolerance_holds_for_what_is_scaled),
          TEST(open_surfaces_have_two_sides), TEST(errors_name_what_is_wrong), TEST(memory_may_run_out))
