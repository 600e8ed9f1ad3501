#include "geometry/repair/repair.h"
#include "geometry/repair/connect.h"
#include "geometry/repair/inspect.h"
#include "unit/geometry/cut/solids.h"

static kin_mesh_report inspect(test* t, const kin_poly* p)
{
    kin_mesh_report r;
    EQUAL(t, kin_inspect(p, &(kin_inspect_def){.crossings = true}, &r, NULL), KIN_OK);
    return r;
}

static void clean(test* t, const kin_poly* p) /* no defect of any kind but unused vertices */
{
    kin_mesh_report r = inspect(t, p);
    for (int k = 0; k < KIN_DEFECT_UNUSED_VERTEX; ++k) test_check(t, r.counts[k] == 0, __FILE__, __LINE__, "%u %s", r.counts[k], kin_defect_name(k));
    CHECK(t, r.closed);
    kin_mesh_report_term(&r);
}

static uint32_t count_only(test* t, const kin_poly* p, kin_defect kind) /* how many of a kind */
{
    kin_mesh_report r = inspect(t, p);
    uint32_t n = r.counts[kind];
    kin_mesh_report_term(&r);
    return n;
}

static void half_edges_of_the_cube(test* t) /* H3.4: 8 vertices, 12 edges, 6 faces; C1.4.1a: each edge has 2 faces, left is the first found */
{
    kin_poly p = read_soup(t, box_soup(kin_v(1, 1, 1)));
    kin_connect c;
    CHECK(t, kin_connect_init(&c, &p, &t->allocator));
    EQUAL(t, c.edge_count, 12);
    for (uint32_t e = 0; e < 12; ++e) {
        const kin_edge* edge = &c.edges[e];
        EQUAL(t, edge->uses, 2);
        CHECK(t, edge->left < edge->right && !edge->crossed);
        EQUAL(t, c.face[edge->half], edge->left);
        EQUAL(t, kin_half_from(&c, edge->half), edge->from);
        EQUAL(t, kin_half_to(&c, edge->half), edge->to);
        EQUAL(t, kin_half_from(&c, c.twin[edge->half]), edge->to);
    }
    for (uint32_t v = 0; v < 8; ++v) { /* round each vertex: three faces and back, counter-clockwise */
        uint32_t h = c.star[c.star_begin[v]], first = h, n = 0;
        kin_vec3 sum = {0, 0, 0};
        do {
            uint32_t next = kin_half_around(&c, h);
            EQUAL(t, kin_half_from(&c, next), v);
            sum = kin_add(sum, kin_cross(p.vertices[kin_half_to(&c, h)], p.vertices[kin_half_to(&c, next)]));
            h = next, n += 1;
        } while (h != first && n < 10);
        EQUAL(t, n, 3);
        CHECK(t, kin_dot(sum, p.vertices[v]) > 0);
        uint32_t scratch[3];
        EQUAL(t, kin_vertex_fans(&c, v, scratch), 1);
    }
    kin_connect_term(&c);
    clean(t, &p);
    kin_poly_term(&p);
}

static void genus_and_components(test* t)
{
    soup s = soup_new(200, 200, 800);
    add_box(&s, kin_v(-9, -9, -9), kin_v(9, 9, 9), false);
    add_box(&s, kin_v(-8, -8, -8), kin_v(8, 8, 8), true); /* a void */
    soup ring = torus_soup(3, 1, 12, 8);
    for (size_t v = 0; v < ring.vertex_count; ++v) soup_vertex(&s, ring.vertices[v]);
    for (size_t f = 0; f < ring.face_count; ++f) {
        uint32_t q[4];
        for (int k = 0; k < 4; ++k) q[k] = ring.corners[4 * f + (size_t)k] + 16;
        soup_face(&s, 4, q);
    }
    soup_free(&ring);
    kin_poly p = read_soup(t, s);
    kin_mesh_report r = inspect(t, &p);
    EQUAL(t, r.component_count, 3);
    EQUAL(t, r.components[0].genus, 0);
    EQUAL(t, r.components[2].genus, 1);
    EQUAL(t, r.components[2].euler, 0);
    EQUAL(t, r.components[1].depth, 1);
    EQUAL(t, r.components[2].depth, 2);
    NEAR(t, r.components[1].volume, -4096, 1e-9);
    EQUAL(t, r.counts[KIN_DEFECT_INSIDE_OUT], 0); /* a void is meant */
    CHECK(t, r.closed);
    NEAR(t, r.volume, kin_poly_volume(&p), 1e-9);
    kin_mesh_report_term(&r);
    for (size_t f = 12; f < p.face_count; ++f) { /* the ring turned over is inside out */
        uint32_t* c = p.corners + p.begin[f];
        uint32_t swap = c[1];
        c[1] = c[3], c[3] = swap;
    }
    EQUAL(t, count_only(t, &p, KIN_DEFECT_INSIDE_OUT), 1);
    kin_repair_def def = kin_repair_def_default();
    kin_repair_steps steps;
    EQUAL(t, kin_repair(&p, &def, &steps, NULL), KIN_OK);
    EQUAL(t, steps.flipped, 96);
    clean(t, &p);
    kin_poly_term(&p);
}

static void holes_are_found_and_covered(test* t)
{
    soup s = blob_soup(16, 12, 0.2);
    size_t keep = 0; /* faces 24..27 and 100 go: one hole of several faces, one of one */
    for (size_t f = 0; f < s.face_count; ++f) {
        if ((f >= 24 && f < 28) || f == 100) continue;
        memmove(s.corners + 3 * keep++, s.corners + 3 * f, 3 * sizeof *s.corners);
    }
    s.face_count = keep;
    kin_poly p = read_soup(t, s);
    kin_mesh_report r = inspect(t, &p);
    EQUAL(t, r.counts[KIN_DEFECT_HOLE], 2);
    EQUAL(t, r.places[KIN_DEFECT_HOLE][0].b + r.places[KIN_DEFECT_HOLE][1].b, 6 + 3);
    CHECK(t, r.places[KIN_DEFECT_HOLE][0].size > 0 && !r.closed && r.components[0].borders == 9);
    char text[2000];
    kin_mesh_report_text(&r, text, sizeof text);
    HAS(t, text, "2 holes, the first: ");
    HAS(t, text, "edges, ");
    HAS(t, text, ", open\n");
    kin_mesh_report_term(&r);
    kin_repair_def def = kin_repair_def_default();
    kin_repair_steps steps;
    def.fill_holes = 4; /* only the small one */
    EQUAL(t, kin_repair(&p, &def, &steps, NULL), KIN_OK);
    EQUAL(t, steps.holes, 1);
    EQUAL(t, steps.new_faces, 1);
    EQUAL(t, count_only(t, &p, KIN_DEFECT_HOLE), 1);
    def.fill_holes = 64;
    EQUAL(t, kin_repair(&p, &def, &steps, NULL), KIN_OK);
    EQUAL(t, steps.holes, 1);
    EQUAL(t, steps.new_faces, 4);
    clean(t, &p);
    kin_poly_term(&p);
}

static void flipped_faces(test* t)
{
    kin_poly p = read_soup(t, blob_soup(16, 12, 0.2));
    static const size_t bad[] = {3, 4, 50, 200};
    for (int i = 0; i < 4; ++i) {
        uint32_t *c = p.corners + p.begin[bad[i]], swap = c[0];
        c[0] = c[1], c[1] = swap;
    }
    kin_mesh_report r = inspect(t, &p);
    EQUAL(t, r.counts[KIN_DEFECT_FLIPPED], 4);
    EQUAL(t, r.places[KIN_DEFECT_FLIPPED][2].a, 50);
    EQUAL(t, r.counts[KIN_DEFECT_HOLE], 0);
    CHECK(t, !r.closed && r.components[0].orientable);
    kin_mesh_report_term(&r);
    kin_repair_def def = kin_repair_def_default();
    kin_repair_steps steps;
    EQUAL(t, kin_repair(&p, &def, &steps, NULL), KIN_OK);
    EQUAL(t, steps.flipped, 4);
    clean(t, &p);
    kin_poly_term(&p);
}

static void duplicates_and_needles(test* t)
{
    soup s = soup_new(40, 40, 160), box = box_soup(kin_v(1, 1, 1));
    for (uint32_t f = 0; f < 6; ++f) { /* each quad has vertices of its own, a little off */
        uint32_t q[4];
        for (uint32_t k = 0; k < 4; ++k) q[k] = soup_vertex(&s, kin_add(box.vertices[box.corners[4 * f + k]], kin_v(1e-7 * f, 0, 0)));
        soup_face(&s, 4, q);
    }
    soup_face(&s, 4, (uint32_t[]){2, 3, 0, 1}); /* face 0 again */
    soup_face(&s, 4, (uint32_t[]){3, 2, 1, 0}); /* and its back */
    soup_free(&box);
    kin_poly p = read_soup(t, s);
    kin_mesh_report r;
    EQUAL(t, kin_inspect(&p, &(kin_inspect_def){.near = 1e-6}, &r, NULL), KIN_OK);
    EQUAL(t, r.counts[KIN_DEFECT_DUPLICATE_FACE], 2);
    EQUAL(t, r.places[KIN_DEFECT_DUPLICATE_FACE][1].b, 0);
    EQUAL(t, r.counts[KIN_DEFECT_DUPLICATE_VERTEX], 16);
    EQUAL(t, r.component_count, 6);
    EQUAL(t, r.counts[KIN_DEFECT_HOLE], 5); /* the quad that occurs three times has no border, but bad edges */
    EQUAL(t, r.counts[KIN_DEFECT_EDGE], 4);
    kin_mesh_report_term(&r);
    kin_repair_def def = kin_repair_def_default();
    kin_repair_steps steps;
    def.weld = 1e-6;
    EQUAL(t, kin_repair(&p, &def, &steps, NULL), KIN_OK);
    EQUAL(t, steps.welded, 16);
    EQUAL(t, steps.duplicates, 2);
    EQUAL(t, p.vertex_count, 8);
    clean(t, &p);
    kin_poly_term(&p);

    /* a cube whose top is two triangles and a needle along their diagonal: dropping the needle must not open it */
    s = box_soup(kin_v(1, 1, 1));
    kin_poly q = read_soup(t, s);
    uint32_t top[4];
    memcpy(top, kin_poly_corners(&q, 3), sizeof top);
    kin_poly_add_vertex(&q, kin_lerp(q.vertices[top[0]], q.vertices[top[2]], 0.25));
    q.face_count = 3, q.corner_count = 12; /* faces 0, 1, 2 */
    for (uint32_t f = 4; f < 6; ++f)
        kin_poly_add_face(&q, (uint32_t[]){q.corners[4 * f], q.corners[4 * f + 1], q.corners[4 * f + 2], q.corners[4 * f + 3]}, 4, f);
    kin_poly_add_face(&q, (uint32_t[]){top[0], top[1], top[2]}, 3, 3);
    kin_poly_add_face(&q, (uint32_t[]){top[0], 8, top[2], top[3]}, 4, 3);
    kin_poly_add_face(&q, (uint32_t[]){top[0], top[2], 8}, 3, 7);
    EQUAL(t, count_only(t, &q, KIN_DEFECT_DEGENERATE_FACE), 1);
    EQUAL(t, open_edges(&q), 0);
    EQUAL(t, kin_repair(&q, &def, &steps, NULL), KIN_OK);
    EQUAL(t, steps.degenerate, 1);
    EQUAL(t, steps.holes, 0);
    EQUAL(t, q.vertex_count, 9);
    clean(t, &q);
    NEAR(t, kin_poly_volume(&q), 8, 1e-14);
    kin_poly_term(&q);
}

static void surfaces_that_touch(test* t)
{
    soup s = soup_new(7, 8, 24); /* Fig 11.1: two tetrahedra at a vertex */
    kin_vec3 v[7] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    for (int i = 0; i < 7; ++i) soup_vertex(&s, v[i]);
    static const uint32_t f[8][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}, {0, 4, 5}, {0, 6, 4}, {0, 5, 6}, {4, 6, 5}};
    for (int i = 0; i < 8; ++i) soup_face(&s, 3, f[i]);
    kin_poly p = read_soup(t, s);
    kin_mesh_report r = inspect(t, &p);
    EQUAL(t, r.counts[KIN_DEFECT_VERTEX], 1);
    EQUAL(t, r.places[KIN_DEFECT_VERTEX][0].a, 0);
    EQUAL(t, r.places[KIN_DEFECT_VERTEX][0].b, 2);
    EQUAL(t, r.component_count, 2);
    EQUAL(t, r.components[0].genus + r.components[1].genus, 0);
    EQUAL(t, r.counts[KIN_DEFECT_CROSSING], 0);
    kin_mesh_report_term(&r);
    kin_poly_term(&p);

    s = soup_new(16, 12, 48); /* two boxes along an edge: four faces there */
    add_box(&s, kin_v(0, 0, 0), kin_v(1, 1, 1), false);
    add_box(&s, kin_v(1, 1, 0), kin_v(2, 2, 1), false);
    p = read_soup(t, s);
    r = inspect(t, &p);
    EQUAL(t, r.counts[KIN_DEFECT_EDGE], 1);
    NEAR(t, r.places[KIN_DEFECT_EDGE][0].size, 4, 0);
    NEAR3(t, r.places[KIN_DEFECT_EDGE][0].where, kin_v(1, 1, 0.5), 1e-15);
    kin_mesh_report_term(&r);
    kin_poly_term(&p);
}

static soup strip(uint32_t n, bool twist) /* a band of quads round the y axis; twisted: Moebius */
{
    soup s = soup_new(2 * n, n, 4 * n);
    for (uint32_t i = 0; i < n; ++i) {
        double a = 2 * KIN_PI * i / n, b = twist ? a / 2 : 0;
        for (int k = -1; k <= 1; k += 2) soup_vertex(&s, kin_v((3 + k * sin(b)) * cos(a), k * cos(b), (3 + k * sin(b)) * sin(a)));
    }
    for (uint32_t i = 0; i < n; ++i) {
        uint32_t j = (i + 1) % n, turned = twist && j == 0;
        soup_face(&s, 4, (uint32_t[]){2 * i, 2 * j + turned, 2 * j + 1 - turned, 2 * i + 1});
    }
    return s;
}

static void one_sided(test* t)
{
    kin_poly p = read_soup(t, strip(12, true));
    kin_mesh_report r = inspect(t, &p);
    EQUAL(t, r.counts[KIN_DEFECT_ONE_SIDED], 1);
    EQUAL(t, r.counts[KIN_DEFECT_HOLE], 1); /* one border */
    EQUAL(t, r.components[0].euler, 0);
    kin_mesh_report_term(&r);
    kin_poly_term(&p);
    p = read_soup(t, strip(12, false));
    r = inspect(t, &p);
    EQUAL(t, r.counts[KIN_DEFECT_ONE_SIDED], 0);
    EQUAL(t, r.counts[KIN_DEFECT_HOLE], 2);
    kin_mesh_report_term(&r);
    kin_poly_term(&p);
}

static void crossings(test* t)
{
    soup s = soup_new(16, 12, 48);
    add_box(&s, kin_v(0, 0, 0), kin_v(2, 2, 2), false);
    add_box(&s, kin_v(0.5, 0.5, 1), kin_v(1.5, 1.5, 3), false); /* through the top: its four sides cross one face */
    kin_poly p = read_soup(t, s);
    EQUAL(t, count_only(t, &p, KIN_DEFECT_CROSSING), 4);
    kin_poly_term(&p);
    s = soup_new(16, 12, 48);
    add_box(&s, kin_v(0, 0, 0), kin_v(2, 2, 2), false);
    add_box(&s, kin_v(0, 0, 2.5), kin_v(1.5, 1.5, 3), false); /* apart */
    p = read_soup(t, s);
    EQUAL(t, count_only(t, &p, KIN_DEFECT_CROSSING), 0);
    kin_poly_term(&p);
    s = soup_new(16, 12, 48);
    add_box(&s, kin_v(0, 0, 0), kin_v(2, 2, 2), false);
    add_box(&s, kin_v(0.5, 0.5, 2), kin_v(1.5, 1.5, 3), false); /* stands on it: two faces in one plane */
    p = read_soup(t, s);
    EQUAL(t, count_only(t, &p, KIN_DEFECT_CROSSING), 1);
    kin_poly_term(&p);
    s = soup_new(4, 2, 6); /* a fold: two triangles over one edge, on top of each other */
    soup_vertex(&s, kin_v(0, 0, 0)), soup_vertex(&s, kin_v(1, 0, 0)), soup_vertex(&s, kin_v(0.5, 1, 0)), soup_vertex(&s, kin_v(0.6, 0.8, 0));
    soup_face(&s, 3, (uint32_t[]){0, 1, 2});
    soup_face(&s, 3, (uint32_t[]){1, 0, 3});
    p = read_soup(t, s);
    EQUAL(t, count_only(t, &p, KIN_DEFECT_CROSSING), 1);
    kin_poly_term(&p);
    p = read_soup(t, blob_soup(24, 16, 0.3));
    EQUAL(t, count_only(t, &p, KIN_DEFECT_CROSSING), 0);
    kin_poly_term(&p);
}

static void refusal_names_the_hole(test* t)
{
    kin_mesh* mesh;
    kin_error error = {0};
    soup s = box_soup(kin_v(1, 1, 1));
    kin_mesh_view view = soup_view(&s);
    EQUAL(t, kin_mesh_create(&t->allocator, &view, &mesh, NULL), KIN_OK);
    EQUAL(t, kin_mesh_require_closed(mesh, "a cut", &error), KIN_OK);
    kin_mesh_destroy(mesh);
    view.face_count = 5;
    EQUAL(t, kin_mesh_create(&t->allocator, &view, &mesh, NULL), KIN_OK);
    EQUAL(t, kin_mesh_require_closed(mesh, "a cut", &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "a cut needs a closed mesh: the edge from (");
    HAS(t, error.message, "only one face (1 hole in all, the first of 4 edges)");
    kin_mesh_destroy(mesh);
    view.face_count = 6;
    uint32_t swap = s.corners[1];
    s.corners[1] = s.corners[3], s.corners[3] = swap;
    EQUAL(t, kin_mesh_create(&t->allocator, &view, &mesh, NULL), KIN_OK);
    EQUAL(t, kin_mesh_require_closed(mesh, "a cut", &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "two faces of opposite winding");
    kin_mesh_destroy(mesh);
    soup_free(&s);
}

static bool mend_once(test* t, void* context)
{
    kin_poly p;
    kin_mesh_report r;
    kin_repair_steps steps;
    kin_repair_def def = kin_repair_def_default();
    kin_poly_init(&p, &t->allocator);
    bool ok = kin_poly_read(&p, context, NULL) == KIN_OK && kin_repair(&p, &def, &steps, NULL) == KIN_OK;
    ok = ok && kin_inspect(&p, &(kin_inspect_def){.crossings = true}, &r, NULL) == KIN_OK;
    if (ok) kin_mesh_report_term(&r);
    kin_poly_term(&p);
    return ok;
}

static void no_memory(test* t)
{
    soup s = blob_soup(6, 4, 0.1);
    kin_mesh_view view = soup_view(&s);
    view.face_count -= 2;
    test_fail_each_allocation(t, mend_once, &view);
    soup_free(&s);
}

/* Random triangles on few vertices: whatever it is, the report comes, mending ends, and every edge is counted once. */
static void any_soup(test* t)
{
    dice d = {5};
    for (int round = 0; round < 300; ++round) {
        uint32_t n = 4 + (uint32_t)roll(&d, 0, 8), faces = 1 + (uint32_t)roll(&d, 0, 30);
        soup s = soup_new(n, faces, 4 * faces);
        for (uint32_t i = 0; i < n; ++i) soup_vertex(&s, roll(&d, 0, 1) < 0.2 ? kin_v(0, 0, 0) : roll3(&d, 1));
        for (uint32_t f = 0; f < faces; ++f) {
            uint32_t c[4];
            for (int k = 0; k < 4; ++k) c[k] = (uint32_t)roll(&d, 0, n);
            soup_face(&s, roll(&d, 0, 1) < 0.3 ? 4 : 3, c);
        }
        kin_poly p = read_soup(t, s);
        kin_mesh_report r = inspect(t, &p);
        char text[3000];
        kin_mesh_report_text(&r, text, sizeof text);
        kin_mesh_report_term(&r);
        kin_repair_def def = kin_repair_def_default();
        kin_repair_steps steps;
        EQUAL(t, kin_repair(&p, &def, &steps, NULL), KIN_OK);
        r = inspect(t, &p);
        EQUAL(t, r.counts[KIN_DEFECT_DUPLICATE_VERTEX], 0);
        EQUAL(t, r.counts[KIN_DEFECT_INSIDE_OUT], 0);
        kin_mesh_report_term(&r);
        kin_poly_term(&p);
    }
}

TEST_MAIN("geometry/repair", TEST(half_edges_of_the_cube), TEST(genus_and_components), TEST(holes_are_found_and_covered), TEST(flipped_faces),
          TEST(duplicates_and_needles), TEST(surfaces_that_touch), TEST(one_sided), TEST(crossings), TEST(refusal_names_the_hole), TEST(no_memory),
          TEST(any_soup))
