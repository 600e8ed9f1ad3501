#include "geometry/cut/cut.h"
#include "unit/geometry/cut/solids.h"

typedef struct parts {
    kin_poly below, above;
    kin_cut_report report;
} parts;

/* Cuts, and checks what must always hold: two closed halves, volumes that add up, each half on its side. */
static parts cut(test* t, const kin_poly* whole, kin_plane3 plane, bool triangles)
{
    parts p;
    kin_error error = {0};
    kin_cutter* cutter = kin_cutter_create(&t->allocator);
    kin_poly_init(&p.below, &t->allocator);
    kin_poly_init(&p.above, &t->allocator);
    kin_cut_def def = kin_cut_def_default();
    def.triangles = triangles;
    for (size_t f = 0; f < whole->face_count; ++f) def.cap_tag = whole->tags[f] == def.cap_tag ? def.cap_tag - 1 : def.cap_tag;
    if (kin_cut(cutter, whole, plane, &def, &p.below, &p.above, &p.report, &error) != KIN_OK) test_check(t, false, __FILE__, __LINE__, "%s", error.message);
    EQUAL(t, open_edges(&p.below), 0);
    EQUAL(t, open_edges(&p.above), 0);
    double v = kin_poly_volume(whole), area = 0;
    for (size_t f = 0; f < p.above.face_count; ++f) area += p.above.tags[f] == def.cap_tag ? kin_length(kin_poly_normal(&p.above, f)) / 2 : 0;
    NEAR(t, area, p.report.area, 1e-9 * p.report.area); /* nothing is folded over */
    NEAR(t, (kin_poly_volume(&p.below) + kin_poly_volume(&p.above)) / v, 1, 1e-12);
    for (size_t i = 0; i < p.below.vertex_count; ++i) CHECK(t, kin_plane3_distance(plane, p.below.vertices[i]) <= 2 * p.report.tolerance);
    for (size_t i = 0; i < p.above.vertex_count; ++i) CHECK(t, kin_plane3_distance(plane, p.above.vertices[i]) >= -2 * p.report.tolerance);
    kin_cutter_destroy(cutter);
    return p;
}

static void drop(parts* p)
{
    kin_poly_term(&p->below);
    kin_poly_term(&p->above);
}

static kin_plane3 through(double px, double py, double pz, double nx, double ny, double nz) { return kin_plane3_through(kin_v(px, py, pz), kin_v(nx, ny, nz)); }

static void a_cube_in_two(test* t)
{
    kin_poly cube = read_soup(t, box_soup(kin_v(1, 1, 1)));
    parts p = cut(t, &cube, through(0, 0.5, 0, 0, 3, 0), false);
    NEAR(t, kin_poly_volume(&p.below), 6, 1e-14);
    NEAR(t, p.report.area, 4, 1e-14);
    EQUAL(t, p.report.loops, 1);
    EQUAL(t, p.above.vertex_count, 8);
    EQUAL(t, p.above.face_count, 6); /* the cap is one square */
    EQUAL(t, p.above.tags[5], KIN_CUT_CAP);
    NEAR3(t, kin_poly_normal(&p.above, 5), kin_v(0, -8, 0), 1e-14); /* outward */
    drop(&p);
    p = cut(t, &cube, through(0, 0.5, 0, 0, 3, 0), true);
    EQUAL(t, p.above.face_count, 7);
    drop(&p);
    p = cut(t, &cube, through(0, 0, 0, 1, 1, 1), false); /* the hexagon */
    EQUAL(t, p.above.face_count, 7);
    NEAR(t, p.report.area, 3 * sqrt(3), 1e-13);
    drop(&p);
    kin_poly_term(&cube);
}

static void planes_through_corners_edges_and_faces(test* t)
{
    kin_poly cube = read_soup(t, box_soup(kin_v(1, 1, 1)));
    parts p = cut(t, &cube, through(0, 0, 0, 1, 1, 0), false); /* two edges lie in it: two wedges, no new vertex */
    EQUAL(t, p.report.on, 4);
    EQUAL(t, p.below.vertex_count, 6);
    EQUAL(t, p.below.face_count, 5);
    NEAR(t, kin_poly_volume(&p.below), 4, 1e-14);
    drop(&p);
    p = cut(t, &cube, through(1, 1, 1, -1, -1, 2), false); /* two corners and two edges */
    NEAR(t, kin_poly_volume(&p.below), 4, 1e-14);
    drop(&p);
    p = cut(t, &cube, through(0, 1, 0, 0, 1, 0), false); /* a face lies in it: all below */
    EQUAL(t, p.report.loops, 0);
    EQUAL(t, p.above.face_count, 0);
    EQUAL(t, p.below.face_count, 6);
    drop(&p);
    p = cut(t, &cube, through(0, 1, 0, 0, -1, 0), false);
    EQUAL(t, p.below.face_count, 0);
    EQUAL(t, p.above.face_count, 6);
    drop(&p);
    p = cut(t, &cube, through(1, 1, 1, 1, 1, 1), false); /* touches a corner */
    EQUAL(t, p.above.face_count, 0);
    drop(&p);
    p = cut(t, &cube, through(0, 5, 0, 0, 1, 0), false); /* passes by */
    EQUAL(t, p.above.face_count, 0);
    EQUAL(t, p.below.vertex_count, 8);
    drop(&p);
    kin_poly_term(&cube);
}

static void sections_with_holes_and_several_loops(test* t)
{
    kin_poly torus = read_soup(t, torus_soup(2, 0.5, 40, 24));
    parts p = cut(t, &torus, through(0, 0.1, 0, 0, 1, 0), false); /* a ring */
    EQUAL(t, p.report.loops, 2);
    EQUAL(t, p.report.holes, 1);
    NEAR(t, p.report.area, 4 * KIN_PI * 2 * sqrt(0.25 - 0.01), 0.02 * 12); /* 4 pi R sqrt(r^2 - h^2), the mesh is coarse */
    drop(&p);
    p = cut(t, &torus, through(0, 0, 0, 0, 1, 0), true); /* rings of vertices lie in the plane */
    EQUAL(t, p.report.on, 80);
    EQUAL(t, p.report.holes, 1);
    NEAR(t, kin_poly_volume(&p.above) / kin_poly_volume(&torus), 0.5, 1e-13);
    drop(&p);
    p = cut(t, &torus, through(0, 0, 0, 1, 0, 0.1), false); /* two discs */
    EQUAL(t, p.report.loops, 2);
    EQUAL(t, p.report.holes, 0);
    drop(&p);
    p = cut(t, &torus, through(1.5, 0, 0, 1, 0, 0), false); /* through the saddle: loops meet in a point */
    CHECK(t, p.report.area > 0);
    drop(&p);
    kin_poly_term(&torus);

    soup s = soup_new(32, 24, 96); /* a box in a hollow of a box: two holes, one with an island */
    add_box(&s, kin_v(-4, -1, -2), kin_v(4, 1, 2), false);
    add_box(&s, kin_v(-3, -0.9, -1), kin_v(-1, 0.9, 1), true);
    add_box(&s, kin_v(1, -0.9, -1), kin_v(3, 0.9, 1), true);
    add_box(&s, kin_v(1.5, -0.8, -0.5), kin_v(2.5, 0.8, 0.5), false);
    kin_poly nest = read_soup(t, s);
    p = cut(t, &nest, through(0, 0.25, 0, 0, 1, 0), false);
    EQUAL(t, p.report.loops, 4);
    EQUAL(t, p.report.holes, 2);
    NEAR(t, p.report.area, 32 - 4 - 4 + 1, 1e-13);
    drop(&p);
    kin_poly_term(&nest);
}

static const double comb[][2] = {{0, 0}, {7, 0}, {7, 3}, {6, 3}, {6, 1}, {5, 1}, {5, 3}, {4, 3},
                                 {4, 1}, {3, 1}, {3, 3}, {2, 3}, {2, 1}, {1, 1}, {1, 3}, {0, 3}};

static void faces_that_are_not_convex(test* t)
{
    kin_poly p = read_soup(t, prism_soup(comb, 16, 2));
    parts q = cut(t, &p, through(0, 2, 0, 0, 1, 0), false); /* four teeth */
    EQUAL(t, q.report.loops, 4);
    NEAR(t, kin_poly_volume(&q.above), 4 * 2, 1e-13);
    uint32_t component[64];
    EQUAL(t, kin_poly_components(&q.above, component), 4);
    drop(&q);
    q = cut(t, &p, through(0, 1, 0, 0, 1, 0), false); /* along the bottoms of the gaps */
    EQUAL(t, q.report.loops, 4);
    NEAR(t, kin_poly_volume(&q.below), 14, 1e-13);
    drop(&q);
    q = cut(t, &p, through(0, 3, 0, 0, 1, 0), false); /* along the tips */
    EQUAL(t, q.above.face_count, 0);
    drop(&q);
    q = cut(t, &p, through(0, 0, 1, 0, 0, 1), false); /* the comb itself is the cap: convex polygons, all corners used */
    NEAR(t, q.report.area, 15, 1e-13);
    CHECK(t, q.above.face_count <= 16 + 1 + 7);
    drop(&q);
    q = cut(t, &p, through(0.3, 2.1, 0, 0.01, 1, 0.3), true);
    drop(&q);
    kin_poly_term(&p);
}

static void cuts_at_every_scale(test* t)
{
    static const double scales[] = {1e-6, 1, 1e8};
    for (int s = 0; s < 3; ++s) {
        soup b = blob_soup(24, 16, 0.25);
        for (size_t i = 0; i < b.vertex_count; ++i) b.vertices[i] = kin_scale(b.vertices[i], scales[s]);
        kin_poly p = read_soup(t, b);
        dice d = {7};
        for (int i = 0; i < 50; ++i) {
            kin_vec3 n = roll_direction(&d), v = p.vertices[(size_t)roll(&d, 0, (double)p.vertex_count - 1)];
            parts q = cut(t, &p, kin_plane3_through(v, n), i % 2); /* through a corner each time */
            drop(&q);
        }
        kin_poly_term(&p);
    }
}

/* Three corners of the mesh, so that many vertices are within rounding of the plane. */
static void planes_through_three_corners(test* t)
{
    kin_poly p = read_soup(t, torus_soup(2, 0.5, 16, 8));
    dice d = {3};
    for (int i = 0; i < 200; ++i) {
        kin_vec3 a = p.vertices[(size_t)roll(&d, 0, 128)], b = p.vertices[(size_t)roll(&d, 0, 128)], c = p.vertices[(size_t)roll(&d, 0, 128)];
        kin_vec3 n = kin_cross(kin_sub(b, a), kin_sub(c, a));
        if (kin_length(n) < 1e-3) continue;
        parts q = cut(t, &p, kin_plane3_through(a, n), true);
        drop(&q);
    }
    kin_poly_term(&p);
}

static void many_cuts_in_sequence(test* t) /* 200 cuts of the piece that is left, then of all that fell: volumes still add up */
{
    kin_poly rest = read_soup(t, blob_soup(30, 20, 0.2)), below, above;
    kin_poly_init(&below, &t->allocator);
    kin_poly_init(&above, &t->allocator);
    kin_cutter* cutter = kin_cutter_create(&t->allocator);
    kin_cut_def def = kin_cut_def_default();
    double whole = kin_poly_volume(&rest), fallen = 0;
    dice d = {11};
    for (int i = 0; i < 200; ++i) {
        kin_error error = {0};
        kin_vec3 n = roll_direction(&d);
        double offset = 0.3 + roll(&d, 0, 0.3);
        EQUAL(t, kin_cut(cutter, &rest, (kin_plane3){n, offset}, &def, &below, &above, NULL, &error), KIN_OK);
        EQUAL(t, open_edges(&below), 0);
        EQUAL(t, open_edges(&above), 0);
        fallen += kin_poly_volume(&above);
        kin_poly swap = rest;
        rest = below;
        below = swap;
    }
    NEAR(t, (fallen + kin_poly_volume(&rest)) / whole, 1, 1e-12);
    CHECK(t, rest.face_count < 400);
    kin_mesh* mesh;
    EQUAL(t, kin_poly_mesh(&rest, &t->allocator, &mesh, NULL), KIN_OK);
    CHECK(t, mesh != NULL && mesh->closed);
    kin_mesh_destroy(mesh);
    kin_cutter_destroy(cutter);
    kin_poly_term(&rest);
    kin_poly_term(&below);
    kin_poly_term(&above);
}

/* The same plane again, and planes so near to it that vertices are a few roundings off. */
static void cuts_along_cuts(test* t)
{
    kin_poly p = read_soup(t, blob_soup(30, 20, 0.2));
    kin_plane3 plane = {kin_v(0.3, 0.8, -0.2), 0.1};
    parts q = cut(t, &p, plane, false);
    for (int i = 0; i < 12; ++i) {
        kin_plane3 near = plane;
        near.offset += (i - 6) * 3e-13;
        near.normal.x += (i % 3) * 1e-13;
        parts r = cut(t, &q.below, near, true);
        NEAR(t, kin_poly_volume(&r.below), kin_poly_volume(&q.below), 1e-10);
        drop(&r);
        r = cut(t, &q.above, near, true);
        drop(&r);
    }
    drop(&q);
    kin_poly_term(&p);
}

static void bad_input_is_refused(test* t)
{
    kin_error error = {0};
    soup s = box_soup(kin_v(1, 1, 1));
    s.face_count -= 1;
    kin_poly open = read_soup(t, s), below;
    kin_poly_init(&below, &t->allocator);
    kin_cutter* cutter = kin_cutter_create(&t->allocator);
    kin_cut_def def = kin_cut_def_default();
    EQUAL(t, kin_cut(cutter, &open, through(0, 0, 0, 1, 0.1, 0), &def, &below, NULL, NULL, &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "open");
    EQUAL(t, kin_cut(cutter, &open, through(0, 0, 0, 0, 0, 0), &def, &below, NULL, NULL, &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "cuts nothing");
    def.tolerance = -1;
    EQUAL(t, kin_cut(cutter, &open, through(0, 0, 0, 1, 0, 0), &def, &below, NULL, NULL, &error), KIN_ERROR_ARGUMENT);
    kin_mesh_view bad = {(kin_vec3[]){{0, 0, 0}, {1, 0, 0}, {0, 0.0 / 0.0, 0}}, 3, NULL, (uint32_t[]){0, 1, 2}, 1};
    EQUAL(t, kin_poly_read(&below, &bad, &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "vertex 2");
    kin_mesh_view far = {(kin_vec3[]){{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, 3, NULL, (uint32_t[]){0, 1, 3}, 1};
    EQUAL(t, kin_poly_read(&below, &far, &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "vertex 3");
    kin_cutter_destroy(cutter);
    kin_poly_term(&open);
    kin_poly_term(&below);
}

static bool cut_once(test* t, void* context)
{
    kin_poly below, above;
    kin_poly_init(&below, &t->allocator);
    kin_poly_init(&above, &t->allocator);
    kin_cut_def def = kin_cut_def_default();
    kin_cutter* cutter = kin_cutter_create(&t->allocator);
    bool ok = cutter != NULL && kin_cut(cutter, context, through(0, 0.1, 0, 0, 1, 0), &def, &below, &above, NULL, NULL) == KIN_OK;
    kin_cutter_destroy(cutter);
    kin_poly_term(&below);
    kin_poly_term(&above);
    return ok;
}

static void no_memory(test* t)
{
    kin_poly torus = read_soup(t, torus_soup(2, 0.5, 6, 5));
    test_fail_each_allocation(t, cut_once, &torus);
    kin_poly_term(&torus);
}

TEST_MAIN("geometry/cut", TEST(a_cube_in_two), TEST(planes_through_corners_edges_and_faces), TEST(sections_with_holes_and_several_loops),
          TEST(faces_that_are_not_convex), TEST(cuts_at_every_scale), TEST(planes_through_three_corners), TEST(many_cuts_in_sequence), TEST(cuts_along_cuts),
          TEST(bad_input_is_refused), TEST(no_memory))
