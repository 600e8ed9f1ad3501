#include "geometry/decompose/approx.h"
#include "geometry/decompose/standoff.h"
#include "unit/geometry/decompose/pieces.h"

static kin_approx decompose(test* t, const kin_poly* p, const kin_approx_def* def)
{
    kin_approx out;
    kin_error error = {0};
    kin_result result = kin_decompose_approx(p, def, &out, &error);
    test_check(t, result == KIN_OK, __FILE__, __LINE__, "%s", error.message);
    double sum = 0;
    for (uint32_t i = 0; i < out.count; ++i) {
        sum += out.pieces[i].volume;
        CHECK(t, out.pieces[i].hull->vertex_count <= (def->most_vertices > 0 ? def->most_vertices : 64));
        CHECK(t, out.pieces[i].concavity <= out.concavity);
        if (out.uncovered == 0) CHECK(t, out.pieces[i].hull->volume >= out.pieces[i].volume * (1 - 1e-6));
    }
    NEAR(t, sum, kin_poly_volume(p), 1e-6 * sum); /* the pieces are all of it */
    return out;
}

/* Every point of the mesh is in or near a hull, every point of a hull in or near the mesh. */
static void check_standing(test* t, const kin_poly* p, const kin_approx* a, double concavity)
{
    dice d = {3};
    kin_aabb box = kin_poly_bounds(p);
    kin_mesh_view view = kin_poly_view(p);
    for (int i = 0; i < 400; ++i) {
        kin_vec3 x = kin_v(roll(&d, box.low.x, box.high.x), roll(&d, box.low.y, box.high.y), roll(&d, box.low.z, box.high.z));
        double outside = 1e300;
        for (uint32_t k = 0; k < a->count; ++k) outside = kin_min(outside, kin_hull_outside(a->pieces[k].hull, x));
        if (winding(&view, x) > 0.5) CHECK(t, outside <= a->uncovered + 1e-9);
        if (winding(&view, x) < 0.5 && outside < 0) { /* in a hull, not in the mesh: the mesh is near */
            bool near = false;
            for (size_t f = 0; f < p->face_count && !near; ++f) {
                const uint32_t* c = kin_poly_corners(p, f);
                for (uint32_t k = 1; k + 1 < p->sizes[f]; ++k) {
                    kin_feature feature;
                    near =
                        near || kin_distance(kin_closest_on_triangle(p->vertices[c[0]], p->vertices[c[k]], p->vertices[c[k + 1]], x, &feature), x) <= concavity;
                }
            }
            CHECK(t, near);
        }
    }
}

static void standoff_of_known_shapes(test* t)
{
    kin_hull* hull;
    kin_poly p = read_soup(t, box_soup(kin_v(1, 1, 1)));
    EQUAL(t, kin_hull_create(&t->allocator, p.vertices, p.vertex_count, 0, &hull, NULL), KIN_OK);
    NEAR(t, kin_standoff(&p, hull, 0.1), 0, 1e-12);
    kin_hull_destroy(hull);
    kin_poly_term(&p);
    p = prism(t, el, 6, 8); /* the middle of the hull's slope, (2, 2), is 1 m from both inner walls; the inner corner 1 m from the outer ones */
    EQUAL(t, kin_hull_create(&t->allocator, p.vertices, p.vertex_count, 0, &hull, NULL), KIN_OK);
    NEAR(t, kin_standoff(&p, hull, 0.05), 1, 0.03);
    kin_hull_destroy(hull);
    kin_poly_term(&p);
}

static void letters_exactly(test* t)
{
    static const struct {
        const double (*shape)[2];
        uint32_t corners, pieces;
    } all[] = {{el, 6, 2}, {you, 8, 3}, {plus, 12, 3}, {comb, 16, 5}};
    for (int i = 0; i < 4; ++i) {
        kin_poly p = prism(t, all[i].shape, all[i].corners, 1);
        kin_approx a = decompose(t, &p, &(kin_approx_def){.concavity = 1e-3});
        EQUAL(t, a.count, all[i].pieces);
        NEAR(t, a.concavity, 0, 1e-9);
        NEAR(t, a.hull_volume, a.volume, 1e-9);
        NEAR(t, a.uncovered, 0, 0);
        kin_approx_term(&a);
        kin_poly_term(&p);
    }
}

static void a_torus(test* t)
{
    kin_poly p = read_soup(t, torus_soup(2, 0.5, 24, 8));
    uint32_t last = 0;
    for (int i = 0; i < 3; ++i) { /* finer asked, finer given */
        double wanted = 0.4 / (1 << i);
        kin_approx a = decompose(t, &p, &(kin_approx_def){.concavity = wanted});
        CHECK(t, a.concavity <= wanted);
        CHECK(t, a.count > last && a.count <= 24);
        check_standing(t, &p, &a, wanted);
        last = a.count;
        kin_approx_term(&a);
    }
    kin_poly_term(&p);
}

static void a_blob_and_a_pot(test* t)
{
    kin_poly p = read_soup(t, blob_soup(18, 12, 0.2));
    kin_approx a = decompose(t, &p, &(kin_approx_def){.concavity = 0.15});
    CHECK(t, a.concavity <= 0.15 && a.count > 1);
    check_standing(t, &p, &a, 0.15);
    kin_approx_term(&a);
    kin_poly_term(&p);
    soup s = soup_new(2000, 2000, 8000), body = blob_soup(14, 10, 0.05), handle = torus_soup(0.5, 0.1, 16, 6); /* a body, a handle through its side, a spout */
    for (size_t v = 0; v < body.vertex_count; ++v) soup_vertex(&s, body.vertices[v]);
    for (size_t f = 0; f < body.face_count; ++f) soup_face(&s, 3, body.corners + 3 * f);
    uint32_t base = (uint32_t)s.vertex_count;
    for (size_t v = 0; v < handle.vertex_count; ++v)
        soup_vertex(&s, kin_add(kin_v(handle.vertices[v].x, handle.vertices[v].z, handle.vertices[v].y), kin_v(2.2, 0, 0)));
    for (size_t f = 0; f < handle.face_count; ++f) {
        uint32_t q[4];
        for (size_t k = 0; k < 4; ++k) q[k] = base + handle.corners[4 * f + 3 - k];
        soup_face(&s, 4, q);
    }
    add_box(&s, kin_v(-3, 0.2, -0.2), kin_v(-1.6, 0.6, 0.2), false);
    soup_free(&body);
    soup_free(&handle);
    p = read_soup(t, s);
    CHECK(t, kin_poly_volume(&p) > 0);
    a = decompose(t, &p, &(kin_approx_def){.concavity = 0.15});
    CHECK(t, a.count >= 5 && a.count <= 12 && a.concavity <= 0.15);
    check_standing(t, &p, &a, 0.15);
    kin_approx_term(&a);
    kin_poly_term(&p);
}

static void limits_hold(test* t)
{
    kin_poly p = read_soup(t, torus_soup(2, 0.5, 24, 8));
    kin_approx a = decompose(t, &p, &(kin_approx_def){.concavity = 0.01, .most_pieces = 4});
    EQUAL(t, a.count, 4);
    CHECK(t, a.concavity > a.wanted); /* told, not hidden */
    kin_approx_term(&a);
    a = decompose(t, &p, &(kin_approx_def){.concavity = 0.3, .most_vertices = 8});
    for (uint32_t i = 0; i < a.count; ++i) CHECK(t, a.pieces[i].hull->vertex_count <= 8);
    CHECK(t, a.uncovered > 0 && a.uncovered < 0.5);
    kin_approx_term(&a);
    a = decompose(t, &p, &(kin_approx_def){.concavity = 0.3, .planes = 2}); /* few planes, other pieces */
    kin_approx_term(&a);
    kin_error error = {0};
    EQUAL(t, kin_decompose_approx(&p, &(kin_approx_def){.most_vertices = 3}, &a, &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "at least 4");
    EQUAL(t, kin_decompose_approx(&p, &(kin_approx_def){.concavity = -1}, &a, &error), KIN_ERROR_ARGUMENT);
    EQUAL(t, kin_decompose_approx(&p, &(kin_approx_def){.planes = 100}, &a, &error), KIN_ERROR_ARGUMENT);
    p.face_count -= 1;
    p.corner_count -= 4;
    EQUAL(t, kin_decompose_approx(&p, &(kin_approx_def){0}, &a, &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "needs a closed mesh");
    kin_poly_term(&p);
}

static void any_thread_count(test* t)
{
    kin_poly p = read_soup(t, blob_soup(12, 8, 0.3));
    kin_approx one = decompose(t, &p, &(kin_approx_def){.concavity = 0.3});
    for (int threads = 1; threads <= 2; ++threads) {
        kin_jobs jobs;
        EQUAL(t, kin_jobs_init(&jobs, &t->allocator, NULL, threads, NULL), KIN_OK);
        kin_approx many = decompose(t, &p, &(kin_approx_def){.concavity = 0.3, .jobs = &jobs});
        EQUAL(t, many.count, one.count);
        for (uint32_t i = 0; i < one.count && i < many.count; ++i) {
            EQUAL(t, many.pieces[i].hull->vertex_count, one.pieces[i].hull->vertex_count);
            CHECK(t, memcmp(many.pieces[i].hull->vertices, one.pieces[i].hull->vertices, one.pieces[i].hull->vertex_count * sizeof(kin_vec3)) == 0);
            CHECK(t, many.pieces[i].concavity == one.pieces[i].concavity);
        }
        kin_approx_term(&many);
        kin_jobs_term(&jobs);
    }
    kin_approx_term(&one);
    kin_poly_term(&p);
}

static bool decompose_once(test* t, void* context)
{
    (void)t;
    kin_approx out;
    bool ok = kin_decompose_approx(context, &(kin_approx_def){.concavity = 0.6, .planes = 1}, &out, NULL) == KIN_OK;
    kin_approx_term(&out);
    return ok;
}

static void no_memory(test* t)
{
    kin_poly p = prism(t, el, 6, 1);
    test_fail_each_allocation(t, decompose_once, &p);
    kin_poly_term(&p);
}

TEST_MAIN("geometry/decompose/approx", TEST(standoff_of_known_shapes), TEST(letters_exactly), TEST(a_torus), TEST(a_blob_and_a_pot), TEST(limits_hold),
          TEST(any_thread_count), TEST(no_memory))
