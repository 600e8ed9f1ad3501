#include "geometry/mass/mass.h"
#include "geometry/hull/hull.h"
#include "support/test.h"
#include "unit/geometry/shapes.h"

static void check_mass(test* t, const char* what, kin_mass got, kin_mass want, double tolerance) /* relative */
{
    double m = fabs(want.mass), size = fabs(want.inertia.xx) + fabs(want.inertia.yy) + fabs(want.inertia.zz), length = sqrt(size / m);
    const double *a = &got.inertia.xx, *b = &want.inertia.xx;
    test_check(t, fabs(got.mass - want.mass) <= tolerance * m, __FILE__, __LINE__, "%s: mass %.17g, not %.17g", what, got.mass, want.mass);
    test_check(t, kin_distance(got.center, want.center) <= tolerance * (length + kin_length(want.center)), __FILE__, __LINE__,
               "%s: centre (%.17g, %.17g, %.17g), not (%.17g, %.17g, %.17g)", what, got.center.x, got.center.y, got.center.z, want.center.x, want.center.y,
               want.center.z);
    for (int i = 0; i < 6; ++i)
        test_check(t, fabs(a[i] - b[i]) <= tolerance * size, __FILE__, __LINE__, "%s: inertia %d is %.17g, not %.17g", what, i, a[i], b[i]);
}

static kin_mesh* mesh_of(test* t, const soup* s)
{
    kin_mesh_view view = soup_view(s);
    kin_mesh* m = NULL;
    kin_error e = {0};
    test_check(t, kin_mesh_create(&t->allocator, &view, &m, &e) == KIN_OK, __FILE__, __LINE__, "%s", e.message);
    return m;
}

/* All exact ways of one body. */
static kin_mass agreed(test* t, const char* what, const soup* s, double tolerance)
{
    kin_mass surface = {0}, tets = {0}, faces = {0};
    kin_mesh_view view = soup_view(s);
    kin_mesh* m = mesh_of(t, s);
    EQUAL(t, kin_mass_of_mesh(m, KIN_MASS_SURFACE, &surface, NULL), KIN_OK);
    EQUAL(t, kin_mass_of_mesh(m, KIN_MASS_TETRAHEDRA, &tets, NULL), KIN_OK);
    EQUAL(t, kin_mass_of_faces(&t->allocator, &view, &faces, NULL), KIN_OK);
    check_mass(t, what, surface, tets, tolerance);
    check_mass(t, what, faces, tets, tolerance);
    kin_mesh_destroy(m);
    return tets;
}

static void place(soup* s, kin_transform at)
{
    for (size_t i = 0; i < s->vertex_count; ++i) s->vertices[i] = kin_apply(at, s->vertices[i]);
}

static soup corner_tetrahedron(void)
{
    soup s = soup_new(4, 4, 12);
    soup_vertex(&s, kin_v(0, 0, 0)), soup_vertex(&s, kin_v(1, 0, 0)), soup_vertex(&s, kin_v(0, 1, 0)), soup_vertex(&s, kin_v(0, 0, 1));
    soup_face(&s, 3, (uint32_t[]){0, 2, 1}), soup_face(&s, 3, (uint32_t[]){0, 1, 3}), soup_face(&s, 3, (uint32_t[]){0, 3, 2}),
        soup_face(&s, 3, (uint32_t[]){1, 2, 3});
    return s;
}

/* An L of two unit squares' arms: 6 corners, concave polygon ends, extruded by 1 along z; two boxes in all. */
static soup l_prism(void)
{
    static const double xy[6][2] = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 2}, {0, 2}};
    soup s = soup_new(12, 8, 36);
    for (int z = 0; z < 2; ++z)
        for (int i = 0; i < 6; ++i) soup_vertex(&s, kin_v(xy[i][0], xy[i][1], z));
    soup_face(&s, 6, (uint32_t[]){5, 4, 3, 2, 1, 0});
    soup_face(&s, 6, (uint32_t[]){6, 7, 8, 9, 10, 11});
    for (uint32_t i = 0; i < 6; ++i) soup_face(&s, 4, (uint32_t[]){i, (i + 1) % 6, (i + 1) % 6 + 6, i + 6});
    return s;
}

static soup bumpy(uint32_t around, uint32_t up) /* a closed star-shaped body with ears and dents */
{
    soup s = soup_new(2 + around * (up - 1), 2 * around + around * (up - 2), 6 * around + 4 * around * (up - 2));
    for (uint32_t i = 1; i < up; ++i) {
        for (uint32_t k = 0; k < around; ++k) {
            double u = KIN_PI * i / up, v = 2 * KIN_PI * k / around;
            kin_vec3 d = {sin(u) * cos(v), cos(u), -sin(u) * sin(v)};
            double r = 1 + 0.3 * sin(3 * u) * cos(5 * v) + 0.5 * exp(-20 * kin_length2(kin_sub(d, kin_v(0.5, 0.8, 0.2))))
                       - 0.2 * exp(-9 * kin_length2(kin_sub(d, kin_v(0, -0.6, 0.8))));
            soup_vertex(&s, kin_scale(d, r));
        }
    }
    uint32_t top = soup_vertex(&s, kin_v(0, 1.2, 0)), bottom = soup_vertex(&s, kin_v(0, -0.9, 0));
    for (uint32_t k = 0; k < around; ++k) {
        uint32_t n = (k + 1) % around, last = around * (up - 2);
        soup_face(&s, 3, (uint32_t[]){top, k, n});
        soup_face(&s, 3, (uint32_t[]){bottom, last + n, last + k});
        for (uint32_t i = 0; i + 2 < up; ++i) soup_face(&s, 4, (uint32_t[]){i * around + k, (i + 1) * around + k, (i + 1) * around + n, i * around + n});
    }
    return s;
}

/* ---- closed forms against integrals ---- */

static void numbers_of_the_text(test* t) /* N9 */
{
    soup s = soup_new(8, 6, 24);
    add_box(&s, kin_v(0, 0, 0), kin_v(1, 1, 1), false);
    kin_mass m = agreed(t, "unit cube", &s, 1e-14);
    NEAR(t, m.mass, 1, 1e-15);
    NEAR3(t, m.center, kin_v(0.5, 0.5, 0.5), 1e-15);
    NEAR(t, m.inertia.xx, 1.0 / 6, 1e-15);
    NEAR(t, m.inertia.xy, 0, 1e-15);
    NEAR(t, kin_mass_inertia_about(m, kin_v(0, 0, 0)).xx, 2.0 / 3, 1e-15);
    NEAR(t, kin_mass_inertia_about(m, kin_v(0, 0, 0)).xy, -0.25, 1e-15);
    soup_free(&s);
    s = corner_tetrahedron();
    m = agreed(t, "corner tetrahedron", &s, 1e-14);
    NEAR(t, m.mass, 1.0 / 6, 1e-16);
    NEAR3(t, m.center, kin_v(0.25, 0.25, 0.25), 1e-15);
    NEAR(t, m.inertia.yy, 1.0 / 80, 1e-16);
    NEAR(t, m.inertia.yz, 1.0 / 480, 1e-16); /* minus the central product integral -1/480 */
    kin_sym3 about = kin_mass_inertia_about(m, kin_v(0, 0, 0));
    NEAR(t, about.xx, 2.0 / 60, 1e-16);
    NEAR(t, about.xy, -1.0 / 120, 1e-16);
    soup_free(&s);
}

/* The integrals of the text's table, each over a tilted triangle prism in turn: every axis is the projected one somewhere. */
static void invariant_under_motion(test* t)
{
    dice d = {1};
    soup s = l_prism();
    kin_mass still = agreed(t, "L-prism", &s, 1e-14);
    kin_mass_part boxes[2] = {{kin_mass_box(kin_v(3, 1, 1)), 1, {{1.5, 0.5, 0.5}, {0, 0, 0, 1}}},
                              {kin_mass_box(kin_v(1, 1, 1)), 1, {{0.5, 1.5, 0.5}, {0, 0, 0, 1}}}};
    check_mass(t, "L-prism as two boxes", kin_mass_compound(boxes, 2), still, 1e-14);
    for (int i = 0; i < 50; ++i) {
        soup moved = l_prism();
        kin_transform at = {roll3(&d, 10), kin_quat_axis_angle(roll_direction(&d), roll(&d, -3, 3))};
        place(&moved, at);
        check_mass(t, "moved L-prism", agreed(t, "moved L-prism", &moved, 1e-12), kin_mass_transform(still, at), 1e-13);
        soup_free(&moved);
    }
    soup far = l_prism();
    place(&far, (kin_transform){{1e6, -2e6, 3e6}, {0, 0, 0, 1}}); /* exact in doubles: whole numbers */
    kin_mass m = agreed(t, "far L-prism", &far, 1e-13);
    check_mass(t, "far L-prism", kin_mass_transform(m, (kin_transform){{-1e6, 2e6, -3e6}, {0, 0, 0, 1}}), still, 1e-13);
    soup_free(&far);
    soup_free(&s);
}

static void torus_and_bumpy_body(test* t)
{
    soup s = torus_soup(2, 0.5, 80, 40);
    kin_mass m = agreed(t, "torus", &s, 1e-12);
    double volume = 2 * KIN_PI * KIN_PI * 2 * 0.25;
    NEAR(t, m.mass / volume, 1, 0.01);
    NEAR(t, m.inertia.yy / m.mass, 4 + 0.75 * 0.25, 0.01 * 4); /* R^2 + 3/4 r^2, but for its facets */
    NEAR(t, m.inertia.xx, m.inertia.zz, 1e-10);
    soup_free(&s);
    s = bumpy(60, 40);
    m = agreed(t, "bumpy body", &s, 1e-12);
    EQUAL(t, kin_mass_check(m, NULL), KIN_OK);
    soup_free(&s);
}

/* Finer and finer polyhedra of the primitives: the error falls by four at each halving; Richardson's limit is the closed form. */
typedef kin_vec3 profile_fn(double s); /* radius and height along the outline, s in [0, 1] */

static kin_vec3 sphere_outline(double s) { return kin_v(0.8 * sin(KIN_PI * s), -0.8 * cos(KIN_PI * s), 0); }
static kin_vec3 cylinder_outline(double s)
{
    return s < 1.0 / 3 ? kin_v(3 * s * 0.5, -0.7, 0) : s < 2.0 / 3 ? kin_v(0.5, -0.7 + (s - 1.0 / 3) * 4.2, 0) : kin_v(3 * (1 - s) * 0.5, 0.7, 0);
}
static kin_vec3 cone_outline(double s) { return s < 0.5 ? kin_v(2 * s * 0.6, -0.55, 0) : kin_v(2 * (1 - s) * 0.6, -0.55 + 2 * (s - 0.5) * 1.1, 0); }
static kin_vec3 capsule_outline(double s)
{
    if (s < 1.0 / 3) return kin_v(0.4 * sin(1.5 * KIN_PI * s), -0.45 - 0.4 * cos(1.5 * KIN_PI * s), 0);
    if (s <= 2.0 / 3) return kin_v(0.4, -0.45 + 0.9 * (3 * s - 1), 0);
    return kin_v(0.4 * cos(1.5 * KIN_PI * (s - 2.0 / 3)), 0.45 + 0.4 * sin(1.5 * KIN_PI * (s - 2.0 / 3)), 0);
}

static soup lathe(profile_fn* profile, uint32_t around, uint32_t up)
{
    soup s = soup_new(2 + around * (up - 1), around * up, 4 * around * up);
    for (uint32_t i = 1; i < up; ++i) {
        kin_vec3 p = profile((double)i / up);
        for (uint32_t k = 0; k < around; ++k) soup_vertex(&s, kin_v(p.x * cos(2 * KIN_PI * k / around), p.y, -p.x * sin(2 * KIN_PI * k / around)));
    }
    uint32_t low = soup_vertex(&s, kin_v(0, profile(0).y, 0)), high = soup_vertex(&s, kin_v(0, profile(1).y, 0));
    for (uint32_t k = 0; k < around; ++k) {
        uint32_t n = (k + 1) % around, last = around * (up - 2);
        soup_face(&s, 3, (uint32_t[]){low, n, k});
        soup_face(&s, 3, (uint32_t[]){high, last + k, last + n});
        for (uint32_t i = 0; i + 2 < up; ++i) soup_face(&s, 4, (uint32_t[]){i * around + k, i * around + n, (i + 1) * around + n, (i + 1) * around + k});
    }
    return s;
}

static kin_mass lathed(test* t, profile_fn* profile, uint32_t n)
{
    soup s = lathe(profile, 4 * n, 6 * n);
    kin_mass m = agreed(t, "lathed", &s, 1e-12);
    soup_free(&s);
    return m;
}

static void closed_forms_are_the_limit(test* t)
{
    static const struct {
        const char* name;
        profile_fn* outline;
    } bodies[] = {{"sphere", sphere_outline}, {"cylinder", cylinder_outline}, {"cone", cone_outline}, {"capsule", capsule_outline}};
    kin_mass want[] = {kin_mass_sphere(0.8), kin_mass_cylinder(0.5, 1.4), kin_mass_cone(0.6, 1.1), kin_mass_capsule(0.4, 0.9)};
    for (int i = 0; i < 4; ++i) {
        kin_mass coarse = lathed(t, bodies[i].outline, 8), fine = lathed(t, bodies[i].outline, 16), limit = fine;
        double *a = &coarse.inertia.xx, *b = &fine.inertia.xx, *c = &limit.inertia.xx;
        limit.mass = (4 * fine.mass - coarse.mass) / 3;
        limit.center = kin_scale(kin_sub(kin_scale(fine.center, 4), coarse.center), 1.0 / 3);
        for (int k = 0; k < 6; ++k) c[k] = (4 * b[k] - a[k]) / 3;
        check_mass(t, bodies[i].name, limit, want[i], 3e-5); /* fourth order: (2 pi / 64)^4 */
        EQUAL(t, kin_mass_check(want[i], NULL), KIN_OK);
    }
    soup s = box_soup(kin_v(0.5, 1, 1.5));
    check_mass(t, "box", agreed(t, "box", &s, 1e-14), kin_mass_box(kin_v(1, 2, 3)), 1e-14);
    soup_free(&s);
}

static void capsules_end_as_their_parts(test* t)
{
    check_mass(t, "no length", kin_mass_capsule(0.7, 0), kin_mass_sphere(0.7), 1e-15);
    NEAR(t, kin_mass_capsule(1e-9, 2).inertia.xx / kin_mass_capsule(1e-9, 2).mass, 4.0 / 12, 1e-8); /* a rod */
}

/* ---- arithmetic ---- */

static void shells_are_differences(test* t)
{
    soup s = soup_new(16, 12, 48);
    add_box(&s, kin_v(-1, -1.5, -2), kin_v(1, 1.5, 2), false);
    add_box(&s, kin_v(-0.9, -1.4, -1.9), kin_v(0.9, 1.4, 1.9), true);
    check_mass(t, "hollow box", kin_mass_hollow_box(kin_v(2, 3, 4), 0.1), agreed(t, "cube with a hole", &s, 1e-13), 1e-13);
    soup_free(&s);
    /* thin shells: the surface's own formulas */
    double e = 1e-6;
    kin_mass m = kin_mass_hollow_sphere(2, e);
    NEAR(t, m.mass / (4 * KIN_PI * 4 * e), 1, 2e-6);
    NEAR(t, m.inertia.xx / m.mass, 2.0 / 3 * 4, 1e-5);
    m = kin_mass_pipe(1, 3, e);
    NEAR(t, m.inertia.yy / m.mass, 1, 2e-6);
    NEAR(t, m.inertia.xx / m.mass, 0.5 + 9.0 / 12, 2e-6);
    m = kin_mass_hollow_cylinder(1, 3, e); /* tube 2 pi r h, two discs pi r^2 each */
    NEAR(t, m.mass / e, 8 * KIN_PI, 1e-4);
    NEAR(t, m.inertia.yy / e, 6 * KIN_PI + KIN_PI, 1e-4);
    m = kin_mass_hollow_capsule(1, 3, e);
    NEAR(t, m.mass / e, 10 * KIN_PI, 1e-4);
    NEAR(t, m.inertia.yy / e, 6 * KIN_PI + 2.0 / 3 * 4 * KIN_PI, 1e-4);
    m = kin_mass_hollow_cone(3, 4, e); /* side pi r 5, whose centre is at a third; base pi r^2 */
    NEAR(t, m.mass / e, 15 * KIN_PI + 9 * KIN_PI, 1e-3);
    NEAR(t, m.center.y, (15 * (-2 + 4.0 / 3) + 9 * -2) / 24, 1e-5);
    NEAR(t, m.inertia.yy / e, 15 * KIN_PI * 4.5 + 9 * KIN_PI * 4.5, 1e-2);
    check_mass(t, "solid", kin_mass_hollow_sphere(1, 2), kin_mass_sphere(1), 1e-15);
    check_mass(t, "solid cone", kin_mass_hollow_cone(1, 2, 3), kin_mass_cone(1, 2), 1e-15);
    check_mass(t, "solid box", kin_mass_hollow_box(kin_v(1, 2, 3), 0.5), kin_mass_box(kin_v(1, 2, 3)), 1e-15);
}

static void parts_make_the_whole(test* t)
{
    kin_quat turn = kin_quat_axis_angle(kin_v(1, 2, 3), 0.7);
    kin_transform at = {{5, -3, 2}, turn};
    kin_mass whole = kin_mass_transform(kin_mass_box(kin_v(2, 3, 4)), at), halves[2];
    for (int i = 0; i < 2; ++i) {
        kin_transform place_of_half = kin_transform_mul(at, (kin_transform){{i ? 0.5 : -0.5, 0, 0}, {0, 0, 0, 1}});
        halves[i] = kin_mass_transform(kin_mass_box(kin_v(1, 3, 4)), place_of_half);
    }
    check_mass(t, "two halves", kin_mass_sum(halves, 2), whole, 1e-14);
    check_mass(t, "whole less a half", kin_mass_subtract(whole, halves[1]), halves[0], 1e-13);
    kin_mass nothing = kin_mass_subtract(whole, whole);
    NEAR(t, nothing.mass, 0, 0);
    CHECK(t, kin_finite3(nothing.center));
    NEAR(t, kin_mass_sum(NULL, 0).mass, 0, 0);
    /* eight point masses at the corners of a cube: I = 8 m (1 + 1) */
    kin_mass corners[8];
    for (int i = 0; i < 8; ++i) corners[i] = kin_mass_point(0.5, kin_v(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1));
    kin_mass m = kin_mass_sum(corners, 8);
    NEAR(t, m.mass, 4, 1e-15);
    NEAR(t, m.inertia.xx, 8, 1e-14);
    NEAR(t, m.inertia.xy, 0, 1e-15);
    check_mass(t, "total", kin_mass_to_total(whole, 7), kin_mass_times(whole, 7 / whole.mass), 1e-15);
    /* stretched as a box is, off its centre and turned */
    kin_mass box = kin_mass_transform(kin_mass_box(kin_v(1, 1, 1)), (kin_transform){{1, 2, 3}, kin_quat_identity()});
    check_mass(t, "stretched", kin_mass_stretch(box, kin_v(2, 3, -0.5)),
               kin_mass_transform(kin_mass_box(kin_v(2, 3, 0.5)), (kin_transform){{2, 6, -1.5}, {0, 0, 0, 1}}), 1e-14);
    soup s = corner_tetrahedron();
    place(&s, at);
    kin_mass tet = agreed(t, "tetrahedron", &s, 1e-12);
    for (size_t i = 0; i < 4; ++i) s.vertices[i] = kin_mul(s.vertices[i], kin_v(2, 0.3, 5));
    check_mass(t, "stretched tetrahedron", kin_mass_stretch(tet, kin_v(2, 0.3, 5)), agreed(t, "stretched", &s, 1e-12), 1e-12);
    soup_free(&s);
    kin_mass_part steel_and_wood[2] = {{kin_mass_box(kin_v(1, 1, 1)), 7800, kin_transform_identity()},
                                       {kin_mass_box(kin_v(1, 1, 1)), 600, {{1, 0, 0}, {0, 0, 0, 1}}}};
    m = kin_mass_compound(steel_and_wood, 2);
    NEAR(t, m.mass, 8400, 1e-11);
    NEAR(t, m.center.x, 600.0 / 8400, 1e-15);
    NEAR(t, m.inertia.xx, 1400, 1e-11);
    NEAR(t, m.inertia.yy, 1400 + 7800.0 * 600 / 8400, 1e-11);
}

static void principal_axes(test* t)
{
    dice d = {2};
    for (int i = 0; i < 200; ++i) {
        kin_vec3 size = i == 0 ? kin_v(1, 1, 1) : i < 50 ? kin_v(1, roll(&d, 0.1, 3), 1) : kin_v(roll(&d, 0.1, 3), roll(&d, 0.1, 3), roll(&d, 0.1, 3));
        kin_transform at = {roll3(&d, 5), kin_quat_axis_angle(roll_direction(&d), roll(&d, -3, 3))};
        kin_mass m = kin_mass_transform(kin_mass_box(size), at);
        kin_principal p = kin_mass_principal(m);
        NEAR3(t, p.frame.position, at.position, 1e-14);
        NEAR(t, kin_quat_length(p.frame.orientation), 1, 1e-15);
        CHECK(t, p.moments.x >= p.moments.y && p.moments.y >= p.moments.z);
        kin_mass own = kin_mass_transform(m, kin_transform_inverse(p.frame)); /* seen from its own frame: diagonal, at the origin */
        check_mass(t, "own frame", own, (kin_mass){m.mass, {0, 0, 0}, kin_sym3_diagonal(p.moments)}, 1e-13);
        EQUAL(t, kin_mass_check(m, NULL), KIN_OK);
    }
}

static void impossible_masses_are_refused(test* t)
{
    kin_error e = {0};
    EQUAL(t, kin_mass_check((kin_mass){1, {0, 0, 0}, {1, 1, 2, 0, 0, 0}}, NULL), KIN_OK); /* a flat plate: just allowed */
    EQUAL(t, kin_mass_check((kin_mass){1, {0, 0, 0}, {1, 1, 2.1, 0, 0, 0}}, &e), KIN_ERROR_ARGUMENT);
    HAS(t, e.message, "exceeds the sum");
    EQUAL(t, kin_mass_check((kin_mass){1, {0, 0, 0}, {1, 1, 1, 1.5, 0, 0}}, &e), KIN_ERROR_ARGUMENT);
    EQUAL(t, kin_mass_check((kin_mass){0, {0, 0, 0}, {1, 1, 1, 0, 0, 0}}, &e), KIN_ERROR_ARGUMENT);
    EQUAL(t, kin_mass_check((kin_mass){1, {0, NAN, 0}, {1, 1, 1, 0, 0, 0}}, &e), KIN_ERROR_ARGUMENT);
    soup s = box_soup(kin_v(1, 1, 1));
    s.face_count = 5;
    kin_mesh* m = mesh_of(t, &s);
    kin_mass got;
    EQUAL(t, kin_mass_of_mesh(m, KIN_MASS_SURFACE, &got, &e), KIN_ERROR_ARGUMENT);
    HAS(t, e.message, "not closed");
    EQUAL(t, kin_mass_of_voxels(&t->allocator, m, 10, NULL, NULL, &got, &e), KIN_ERROR_ARGUMENT);
    HAS(t, e.message, "not closed");
    kin_mesh_view view = soup_view(&s);
    EQUAL(t, kin_mass_of_faces(&t->allocator, &view, &got, &e), KIN_ERROR_ARGUMENT);
    kin_mesh_destroy(m);
    soup_free(&s);
    s = soup_new(8, 6, 24);
    add_box(&s, kin_v(0, 0, 0), kin_v(1, 1, 1), true);
    m = mesh_of(t, &s);
    EQUAL(t, kin_mass_of_mesh(m, KIN_MASS_TETRAHEDRA, &got, &e), KIN_ERROR_ARGUMENT);
    HAS(t, e.message, "inwards");
    kin_mesh_destroy(m);
    soup_free(&s);
}

/* ---- voxels ---- */

static void voxels_of_an_aligned_box(test* t) /* H9.4: exactly 1 - 1/N^2 */
{
    soup s = soup_new(8, 6, 24);
    add_box(&s, kin_v(1, 2, 3), kin_v(2, 4, 6), false);
    kin_mesh* m = mesh_of(t, &s);
    for (uint32_t n = 1; n <= 10; ++n) {
        kin_mass got, want = kin_mass_box(kin_v(1, 2, 3));
        EQUAL(t, kin_mass_of_voxels(&t->allocator, m, 3 * n, NULL, NULL, &got, NULL), KIN_OK);
        NEAR(t, got.mass, 6, 1e-12);
        NEAR3(t, got.center, kin_v(1.5, 3, 4.5), 1e-13);
        double x = 1 - 1.0 / (n * n), y = 4 * (1 - 0.25 / (n * n)), z = 9 * (1 - 1.0 / (9 * n * n));
        NEAR(t, got.inertia.xx, want.mass / 12 * (y + z), 1e-12);
        NEAR(t, got.inertia.yy, want.mass / 12 * (z + x), 1e-12);
        NEAR(t, got.inertia.yz, 0, 1e-12);
    }
    kin_mesh_destroy(m);
    soup_free(&s);
}

static double heavier_right(const void* context, kin_vec3 x) { return 1 + *(const double*)context * x.x; }

static void voxels_converge(test* t) /* H9.2: at least first order */
{
    soup s = bumpy(60, 40);
    kin_mesh* m = mesh_of(t, &s);
    kin_mass want;
    EQUAL(t, kin_mass_of_mesh(m, KIN_MASS_SURFACE, &want, NULL), KIN_OK);
    for (uint32_t n = 10; n <= 160; n *= 4) {
        kin_mass got;
        EQUAL(t, kin_mass_of_voxels(&t->allocator, m, n, NULL, NULL, &got, NULL), KIN_OK);
        check_mass(t, "voxels", got, want, 0.5 / n);
    }
    kin_mesh_destroy(m);
    soup_free(&s);
    s = box_soup(kin_v(1, 1, 1));
    m = mesh_of(t, &s);
    double slope = 0.5;
    kin_mass got;
    EQUAL(t, kin_mass_of_voxels(&t->allocator, m, 40, heavier_right, &slope, &got, NULL), KIN_OK);
    NEAR(t, got.mass, 8, 1e-11);
    NEAR(t, got.center.x, slope / 3 * (1 - 1.0 / 1600), 1e-12); /* integral of x (1 + s x) over 8, by its sum */
    slope = -2;
    kin_error e = {0};
    EQUAL(t, kin_mass_of_voxels(&t->allocator, m, 40, heavier_right, &slope, &got, &e), KIN_ERROR_ARGUMENT);
    HAS(t, e.message, "density");
    EQUAL(t, kin_mass_of_voxels(&t->allocator, m, 0, NULL, NULL, &got, &e), KIN_ERROR_ARGUMENT);
    kin_mesh_destroy(m);
    soup_free(&s);
}

TEST_MAIN("geometry/mass", TEST(numbers_of_the_text), TEST(invariant_under_motion), TEST(torus_and_bumpy_body), TEST(closed_forms_are_the_limit),
          TEST(capsules_end_as_their_parts), TEST(shells_are_differences), TEST(parts_make_the_whole), TEST(principal_axes),
          TEST(impossible_masses_are_refused), TEST(voxels_of_an_aligned_box), TEST(voxels_converge))
