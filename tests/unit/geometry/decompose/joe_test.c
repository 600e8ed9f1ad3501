#include "geometry/decompose/joe.h"
#include "geometry/decompose/cutface.h"
#include "math/quat.h"
#include "unit/geometry/decompose/pieces.h"

static kin_joe_report decompose(test* t, kin_poly* p, const kin_joe_def* def, size_t parts) /* takes p */
{
    kin_joe_report report;
    kin_pieces pieces;
    kin_error error = {0};
    kin_joe_def own = kin_joe_def_default();
    kin_pieces_init(&pieces, &t->allocator);
    kin_result result = kin_decompose_joe(p, def != NULL ? def : &own, &pieces, &report, &error);
    test_check(t, result == KIN_OK, __FILE__, __LINE__, "%s", error.message);
    if (parts > 0) EQUAL(t, pieces.count, parts);
    for (size_t i = 0; i < pieces.count; ++i) CHECK(t, pieces.convex[i]);
    check_tiling(t, p, &pieces);
    kin_pieces_term(&pieces);
    kin_poly_term(p);
    return report;
}

static uint32_t reflex_half(const kin_connect* c)
{
    for (uint32_t e = 0; e < c->edge_count; ++e) {
        if (kin_edge_reflex(c, c->edges[e].half, 1e-9)) return c->edges[e].half;
    }
    return UINT32_MAX;
}

static void the_l_prism(test* t) /* N11: two parts, cut angle pi/2 of 3 pi/2 */
{
    kin_poly p = prism(t, el, 6, 1);
    kin_connect c;
    CHECK(t, kin_connect_init(&c, &p, &t->allocator));
    uint32_t half = reflex_half(&c);
    double angles[16];
    NEAR(t, kin_dihedral(&c, half), 3 * KIN_PI / 2, 1e-15 * 8);
    uint32_t n = kin_cut_candidates(&c, half, KIN_PI / 6, 16, angles);
    CHECK(t, n >= 2);
    NEAR(t, angles[0], KIN_PI / 2, 1e-14);
    NEAR(t, angles[1], KIN_PI, 1e-14);
    double most[] = {3 * KIN_PI / 4, 9 * KIN_PI / 16, 15 * KIN_PI / 16}; /* rho 1/2, 3/8, 5/8; 1/4 and 3/4 leave more than pi */
    for (int k = 0; k < 3; ++k) {
        bool there = false;
        for (uint32_t i = 0; i < n; ++i) there = there || fabs(angles[i] - most[k]) < 1e-12;
        CHECK(t, there);
    }
    for (uint32_t i = 0; i < n; ++i) CHECK(t, angles[i] >= KIN_PI / 2 - 1e-9 && angles[i] <= KIN_PI + 1e-9);
    EQUAL(t, kin_cut_candidates(&c, half, KIN_PI / 6, 3, angles), 3); /* n_c */
    kin_connect_term(&c);
    kin_joe_report r = decompose(t, &p, NULL, 2);
    EQUAL(t, r.reflex, 1);
    EQUAL(t, r.cuts, 1);
    EQUAL(t, r.passes, 1);
    NEAR(t, r.smallest, KIN_PI / 2, 1e-12);
}

static void letters(test* t)
{
    kin_poly p = prism(t, you, 8, 1);
    kin_joe_report r = decompose(t, &p, NULL, 3);
    EQUAL(t, r.reflex, 2);
    kin_joe_def few = kin_joe_def_default();
    few.fewest = true;
    p = prism(t, plus, 12, 1);
    r = decompose(t, &p, &few, 3); /* each cut goes from one reflex edge to the opposite one */
    EQUAL(t, r.reflex, 4);
    EQUAL(t, r.cuts, 2);
    p = prism(t, plus, 12, 1);
    r = decompose(t, &p, NULL, 0);
    CHECK(t, r.cuts >= 2 && r.cuts <= 4);
    p = prism(t, comb, 16, 2);
    decompose(t, &p, &few, 5); /* the inner teeth fall with one cut each */
    p = prism(t, comb, 16, 2);
    decompose(t, &p, NULL, 7);                  /* one cut for each reflex edge */
    p = read_soup(t, box_soup(kin_v(1, 2, 3))); /* convex: itself */
    r = decompose(t, &p, NULL, 1);
    EQUAL(t, r.cuts, 0);
}

/* Fig 11.7: the plane extends a face; where its end meets the next corner, the way through the other face (pi/2) wins over the edge of the face in the plane (3 pi/2). */
static void the_smaller_interior_angle(test* t)
{
    kin_poly p = prism(t, el, 6, 1);
    kin_connect c;
    kin_cut_face face;
    kin_cut_verdict verdict;
    CHECK(t, kin_connect_init(&c, &p, &t->allocator));
    kin_cut_face_init(&face, &t->allocator);
    uint32_t half = reflex_half(&c);
    CHECK(t, kin_cut_face_trace(&face, &c, half, KIN_PI / 2, KIN_PI / 6, 0.01, 1e-12, &verdict));
    EQUAL(t, verdict, KIN_CUT_ACCEPTED);
    EQUAL(t, face.count, 4);
    for (size_t i = 0; i < face.count; ++i) {
        NEAR(t, face.corners[i].angle, KIN_PI / 2, 1e-12);
        NEAR(t, face.corners[i].dihedral, KIN_PI / 2, 1e-12);
    }
    /* at the second corner both ways were there: two vertices besides the start lie on the plane next to it */
    uint32_t v = kin_half_to(&c, half), ways = 0;
    for (uint32_t i = c.star_begin[v]; i < c.star_begin[v + 1]; ++i) ways += face.side[kin_half_to(&c, c.star[i])] == 0;
    CHECK(t, ways >= 2);
    kin_cut_face_term(&face);
    kin_connect_term(&c);
    kin_poly_term(&p);
}

/* Four quads between two squares [low, high]^2 of vertices, outer ring first, at one height; up or down. */
static void add_frame(soup* s, uint32_t outer, uint32_t inner, bool up)
{
    for (uint32_t k = 0; k < 4; ++k) {
        uint32_t j = (k + 1) % 4;
        soup_face(s, 4, up ? (uint32_t[]){outer + k, outer + j, inner + j, inner + k} : (uint32_t[]){outer + j, outer + k, inner + k, inner + j});
    }
}

static void add_wall(soup* s, uint32_t low, uint32_t high, bool out) /* between two squares, one over the other */
{
    for (uint32_t k = 0; k < 4; ++k) {
        uint32_t j = (k + 1) % 4;
        soup_face(s, 4, out ? (uint32_t[]){low + k, low + j, high + j, high + k} : (uint32_t[]){low + j, low + k, high + k, high + j});
    }
}

static uint32_t add_rectangle(soup* s, double x0, double y0, double x1, double y1, double z)
{
    uint32_t first = soup_vertex(s, kin_v(x0, y0, z));
    soup_vertex(s, kin_v(x1, y0, z)), soup_vertex(s, kin_v(x1, y1, z)), soup_vertex(s, kin_v(x0, y1, z));
    return first;
}

static kin_cut_verdict verdict_of(test* t, const kin_poly* p, uint32_t from, uint32_t to, double angle, double theta_acc, double nearest)
{
    kin_connect c;
    kin_cut_face face;
    kin_cut_verdict verdict = KIN_CUT_LOST;
    CHECK(t, kin_connect_init(&c, p, &t->allocator));
    kin_cut_face_init(&face, &t->allocator);
    uint32_t half = from == to ? reflex_half(&c) : kin_half_between(&c, from, to);
    CHECK(t, kin_edge_reflex(&c, half, 1e-9));
    CHECK(t, kin_cut_face_trace(&face, &c, half, angle, theta_acc, nearest, 1e-12, &verdict));
    kin_cut_face_term(&face);
    kin_connect_term(&c);
    return verdict;
}

static void rejections(test* t) /* each rule by a case of its own */
{
    kin_poly p = prism(t, el, 6, 1);
    EQUAL(t, verdict_of(t, &p, 0, 0, 0.9 * KIN_PI, KIN_PI / 2, 0), KIN_CUT_ANGLE); /* oblique: below pi/2 somewhere */
    EQUAL(t, verdict_of(t, &p, 0, 0, KIN_PI / 2, KIN_PI / 6, 1.5), KIN_CUT_NEAR);  /* vertices 1 m off the plane */
    kin_poly_term(&p);

    soup s = soup_new(24, 24, 100); /* a step, and a shaft through its upper half: the plane of the tread finds the shaft */
    uint32_t bottom = add_rectangle(&s, 0, 0, 6, 6, 0), shaft = add_rectangle(&s, 1, 2, 2, 4, 0), tread = add_rectangle(&s, 3, 0, 6, 6, 2);
    uint32_t top = add_rectangle(&s, 0, 0, 3, 6, 4), mouth = add_rectangle(&s, 1, 2, 2, 4, 4);
    add_frame(&s, bottom, shaft, false);
    add_frame(&s, top, mouth, true);
    add_wall(&s, shaft, mouth, false);
    soup_face(&s, 4, (uint32_t[]){tread, tread + 1, tread + 2, tread + 3});
    soup_face(&s, 4, (uint32_t[]){tread, tread + 3, top + 2, top + 1});
    soup_face(&s, 4, (uint32_t[]){bottom + 1, bottom + 2, tread + 2, tread + 1});
    soup_face(&s, 4, (uint32_t[]){bottom + 3, bottom, top, top + 3});
    soup_face(&s, 6, (uint32_t[]){bottom, bottom + 1, tread + 1, tread, top + 1, top});
    soup_face(&s, 6, (uint32_t[]){bottom + 2, bottom + 3, top + 3, top + 2, tread + 3, tread + 2});
    kin_poly raw = read_soup(t, s);
    kin_poly_init(&p, &t->allocator);
    CHECK(t, kin_poly_convex_faces(&raw, &p));
    kin_poly_term(&raw);
    EQUAL(t, open_edges(&p), 0);
    /* the half-edge of the riser: at pi/2 from it the tread goes on, at pi the riser does */
    EQUAL(t, verdict_of(t, &p, tread, tread + 3, KIN_PI / 2, KIN_PI / 6, 0.01), KIN_CUT_HOLE);
    EQUAL(t, verdict_of(t, &p, tread, tread + 3, KIN_PI, KIN_PI / 6, 0.01), KIN_CUT_ACCEPTED);
    decompose(t, &p, NULL, 0);

    s = soup_new(24, 24, 100); /* a stepped hole: the plane of the ledge runs round it */
    bottom = add_rectangle(&s, 0, 0, 6, 6, 0), shaft = add_rectangle(&s, 2, 2, 4, 4, 0);
    uint32_t lip = add_rectangle(&s, 2, 2, 4, 4, 2), ledge = add_rectangle(&s, 1, 1, 5, 5, 2);
    mouth = add_rectangle(&s, 1, 1, 5, 5, 4), top = add_rectangle(&s, 0, 0, 6, 6, 4);
    add_frame(&s, bottom, shaft, false);
    add_wall(&s, shaft, lip, false);
    add_frame(&s, ledge, lip, true);
    add_wall(&s, ledge, mouth, false);
    add_frame(&s, top, mouth, true);
    add_wall(&s, bottom, top, true);
    p = read_soup(t, s);
    EQUAL(t, open_edges(&p), 0);
    EQUAL(t, verdict_of(t, &p, ledge, ledge + 1, KIN_PI, KIN_PI / 6, 0.01), KIN_CUT_CLOCKWISE); /* from the ledge on in its own plane */
    decompose(t, &p, NULL, 0);
}

static void a_handle_is_cut_open(test* t) /* a frame: the first cut does not part it, its cut face occurs twice in one polyhedron (Fig 11.3) */
{
    soup s = soup_new(16, 16, 64);
    uint32_t bottom = add_rectangle(&s, 0, 0, 6, 6, 0), hole = add_rectangle(&s, 2, 2, 4, 4, 0), top = add_rectangle(&s, 0, 0, 6, 6, 2),
             mouth = add_rectangle(&s, 2, 2, 4, 4, 2);
    add_frame(&s, bottom, hole, false);
    add_frame(&s, top, mouth, true);
    add_wall(&s, bottom, top, true);
    add_wall(&s, hole, mouth, false);
    kin_poly p = read_soup(t, s);
    EQUAL(t, open_edges(&p), 0);
    kin_joe_report r = decompose(t, &p, NULL, 4);
    EQUAL(t, r.cuts, 4);
}

static void theta_acc_is_honoured(test* t) /* no cut makes less, and the parameter changes what is cut */
{
    static const double bent[][2] = {{0, 0}, {4, 0}, {5, 2}, {2.2, 0.9}, {1.8, 3}, {0, 3}};
    for (int i = 1; i <= 3; ++i) {
        kin_joe_def def = kin_joe_def_default();
        def.theta_acc = KIN_PI / 18 * i;
        def.relaxations = 0;
        kin_poly p = prism(t, bent, 6, 1);
        kin_joe_report r = decompose(t, &p, &def, 0);
        CHECK(t, r.smallest >= def.theta_acc - 1e-9 && r.cuts > 0);
    }
    kin_joe_def def = kin_joe_def_default();
    def.theta_acc = KIN_PI / 2;
    def.relaxations = 0;
    kin_poly p = prism(t, bent, 6, 1);
    kin_pieces pieces;
    kin_joe_report r;
    kin_error error = {0};
    kin_pieces_init(&pieces, &t->allocator);
    EQUAL(t, kin_decompose_joe(&p, &def, &pieces, &r, &error), KIN_ERROR_NUMERICS); /* too strict: told, with the parts so far */
    HAS(t, error.message, "reflex edges are left in 1 parts after 1 passes");
    EQUAL(t, pieces.count, 1);
    CHECK(t, !pieces.convex[0] && r.unresolved > 0);
    kin_pieces_term(&pieces);
    def.relaxations = 6; /* relaxed from pass to pass it comes through */
    kin_pieces_init(&pieces, &t->allocator);
    EQUAL(t, kin_decompose_joe(&p, &def, &pieces, &r, &error), KIN_OK);
    CHECK(t, r.passes > 1 && r.theta_acc < def.theta_acc);
    kin_pieces_term(&pieces);
    kin_poly_term(&p);
}

static void d_acc_keeps_cuts_from_vertices(test* t) /* a notch: extending its side passes 0.05 from a corner */
{
    static const double shape[][2] = {{0, 0}, {4, 0}, {4, 2}, {2, 2}, {2, 4}, {1, 4}, {1, 2.05}, {0, 2.05}};
    kin_joe_def def = kin_joe_def_default();
    def.d_acc = 0;
    kin_poly p = prism(t, shape, 8, 1), q = prism(t, shape, 8, 1);
    kin_joe_report loose = decompose(t, &p, &def, 0);
    def.d_acc = 0.1;
    kin_joe_report strict = decompose(t, &q, &def, 0);
    EQUAL(t, loose.rejected[KIN_CUT_NEAR], 0);
    CHECK(t, strict.rejected[KIN_CUT_NEAR] > 0);
}

static void oblique_solids(test* t)
{
    soup s = soup_new(20, 20, 100); /* a stella: a cube with a pyramid cut into its top */
    for (int i = 0; i < 8; ++i) soup_vertex(&s, kin_v(i & 1, i & 2 ? 1 : 0, i & 4 ? 1 : 0));
    soup_vertex(&s, kin_v(0.5, 0.5, 0.4));
    static const uint32_t quads[5][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}};
    static const uint32_t rim[4] = {4, 5, 7, 6};
    for (int f = 0; f < 5; ++f) soup_face(&s, 4, quads[f]);
    for (int k = 0; k < 4; ++k) soup_face(&s, 3, (uint32_t[]){rim[k], rim[(k + 1) % 4], 8});
    kin_poly p = read_soup(t, s);
    kin_joe_def def = kin_joe_def_default();
    kin_joe_report r = decompose(t, &p, &def, 0);
    EQUAL(t, r.reflex, 4);
}

static void turned_and_scaled(test* t)
{
    dice d = {1};
    for (int i = 0; i < 12; ++i) {
        static const double scales[] = {1e-6, 1, 1e8};
        soup s = i % 4 == 0 ? prism_soup(comb, 16, 1) : i % 4 == 1 ? prism_soup(plus, 12, 1) : i % 4 == 2 ? torus_soup(2, 0.7, 12, 8) : blob_soup(8, 6, 0.3);
        kin_quat q = kin_quat_axis_angle(roll_direction(&d), roll(&d, 0, 3));
        for (size_t k = 0; k < s.vertex_count; ++k) s.vertices[k] = kin_scale(kin_rotate(q, s.vertices[k]), scales[i % 3]);
        kin_poly raw = read_soup(t, s), p;
        kin_poly_init(&p, &t->allocator);
        CHECK(t, kin_poly_convex_faces(&raw, &p));
        decompose(t, &p, NULL, 0);
        kin_poly_term(&raw);
    }
}

static void what_is_refused(test* t)
{
    kin_joe_def def = kin_joe_def_default();
    kin_joe_report r;
    kin_pieces out;
    kin_error error = {0};
    kin_pieces_init(&out, &t->allocator);
    kin_poly p = read_soup(t, prism_soup(el, 6, 1));
    EQUAL(t, kin_decompose_joe(&p, &def, &out, &r, &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "face 0 is not convex");
    kin_poly_term(&p);
    soup s = soup_new(16, 12, 48);
    add_box(&s, kin_v(0, 0, 0), kin_v(3, 3, 3), false);
    add_box(&s, kin_v(1, 1, 1), kin_v(2, 2, 2), true);
    p = read_soup(t, s);
    EQUAL(t, kin_decompose_joe(&p, &def, &out, &r, &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "component 1 is a void");
    kin_poly_term(&p);
    s = soup_new(7, 8, 24); /* Fig 11.1 */
    kin_vec3 v[7] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    for (int i = 0; i < 7; ++i) soup_vertex(&s, v[i]);
    static const uint32_t f[8][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}, {0, 4, 5}, {0, 6, 4}, {0, 5, 6}, {4, 6, 5}};
    for (int i = 0; i < 8; ++i) soup_face(&s, 3, f[i]);
    p = read_soup(t, s);
    EQUAL(t, kin_decompose_joe(&p, &def, &out, &r, &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "form 2 circuits");
    kin_poly_term(&p);
    s = box_soup(kin_v(1, 1, 1));
    s.face_count = 5;
    p = read_soup(t, s);
    EQUAL(t, kin_decompose_joe(&p, &def, &out, &r, &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "needs a closed mesh");
    def.theta_acc = 0;
    EQUAL(t, kin_decompose_joe(&p, &def, &out, &r, &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "theta_acc");
    kin_poly_term(&p);
    EQUAL(t, out.count, 0);
    kin_pieces_term(&out);
}

static bool decompose_once(test* t, void* context)
{
    kin_joe_def def = kin_joe_def_default();
    kin_joe_report r;
    kin_pieces out;
    kin_pieces_init(&out, &t->allocator);
    bool ok = kin_decompose_joe(context, &def, &out, &r, NULL) == KIN_OK;
    kin_pieces_term(&out);
    return ok;
}

static void no_memory(test* t)
{
    kin_poly p = prism(t, you, 8, 1);
    test_fail_each_allocation(t, decompose_once, &p);
    kin_poly_term(&p);
}

TEST_MAIN("geometry/decompose/joe", TEST(the_l_prism), TEST(letters), TEST(the_smaller_interior_angle), TEST(rejections), TEST(a_handle_is_cut_open),
          TEST(theta_acc_is_honoured), TEST(d_acc_keeps_cuts_from_vertices), TEST(oblique_solids), TEST(turned_and_scaled), TEST(what_is_refused),
          TEST(no_memory))
