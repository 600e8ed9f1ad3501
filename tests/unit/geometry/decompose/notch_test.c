#include "geometry/decompose/notch.h"
#include "math/quat.h"
#include "unit/geometry/decompose/pieces.h"

static kin_notch_report decompose(test* t, kin_poly* p, size_t most) /* takes p */
{
    kin_notch_report report;
    kin_pieces pieces;
    kin_error error = {0};
    kin_poly flat;
    kin_pieces_init(&pieces, &t->allocator);
    kin_poly_init(&flat, &t->allocator);
    CHECK(t, kin_poly_convex_faces(p, &flat));
    kin_result result = kin_decompose_notch(p, &(kin_notch_def){0}, &pieces, &report, &error);
    test_check(t, result == KIN_OK, __FILE__, __LINE__, "%s", error.message);
    test_check(t, pieces.count <= most, __FILE__, __LINE__, "%zu pieces", pieces.count);
    for (size_t i = 0; i < pieces.count; ++i) CHECK(t, pieces.convex[i]);
    check_tiling(t, &flat, &pieces);
    kin_pieces_term(&pieces);
    kin_poly_term(&flat);
    kin_poly_term(p);
    return report;
}

static void letters(test* t)
{
    kin_poly p = read_soup(t, prism_soup(el, 6, 1));
    kin_notch_report r = decompose(t, &p, 2);
    EQUAL(t, r.reflex, 1);
    EQUAL(t, r.cuts, 1);
    p = read_soup(t, prism_soup(you, 8, 1));
    decompose(t, &p, 3);
    p = read_soup(t, prism_soup(plus, 12, 1));
    decompose(t, &p, 3);
    p = read_soup(t, prism_soup(comb, 16, 1)); /* one cut along the bottoms of all gaps */
    r = decompose(t, &p, 5);
    EQUAL(t, r.cuts, 1);
}

static void round_things(test* t)
{
    kin_poly p = read_soup(t, torus_soup(2, 0.7, 8, 6));
    decompose(t, &p, 200);
    p = read_soup(t, blob_soup(10, 8, 0.35));
    decompose(t, &p, 1500);
}

static void turned_and_scaled(test* t) /* nothing is along an axis, nothing is of the size of 1 */
{
    dice d = {1};
    for (int i = 0; i < 24; ++i) {
        static const double scales[] = {1e-6, 1, 1e8};
        soup s = i % 4 == 0   ? prism_soup(comb, 16, 1)
                 : i % 4 == 1 ? prism_soup(plus, 12, 1)
                 : i % 4 == 2 ? torus_soup(2, 0.7, 12, 8)
                              : blob_soup(7 + (uint32_t)i % 5, 5 + (uint32_t)i % 4, 0.3);
        kin_quat q = kin_quat_axis_angle(roll_direction(&d), roll(&d, 0, 3));
        for (size_t k = 0; k < s.vertex_count; ++k) s.vertices[k] = kin_scale(kin_rotate(q, s.vertices[k]), scales[i % 3]);
        kin_poly p = read_soup(t, s);
        decompose(t, &p, i % 4 == 0 ? 5 : i % 4 == 1 ? 3 : i % 4 == 2 ? 12 : 200);
    }
}

static void voids_and_islands(test* t)
{
    soup s = soup_new(24, 18, 72);
    add_box(&s, kin_v(-3, -3, -3), kin_v(3, 3, 3), false);
    add_box(&s, kin_v(-2, -2, -2), kin_v(2, 2, 2), true);
    add_box(&s, kin_v(-1, -1, -1), kin_v(1, 1, 1), false);
    kin_poly p = read_soup(t, s);
    decompose(t, &p, 7);
}

static void what_is_told(test* t)
{
    kin_notch_report r;
    kin_pieces out;
    kin_error error = {0};
    kin_pieces_init(&out, &t->allocator);
    kin_poly p = read_soup(t, prism_soup(plus, 12, 1));
    EQUAL(t, kin_decompose_notch(&p, &(kin_notch_def){.most_parts = 2}, &out, &r, &error), KIN_ERROR_NUMERICS);
    HAS(t, error.message, "of 2 parts are not convex");
    EQUAL(t, out.count, 2);
    kin_pieces_term(&out);
    p.face_count -= 1;
    p.corner_count -= 4;
    EQUAL(t, kin_decompose_notch(&p, &(kin_notch_def){0}, &out, &r, &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "needs a closed mesh");
    kin_poly_term(&p);
}

static bool decompose_once(test* t, void* context)
{
    kin_notch_report r;
    kin_pieces out;
    kin_pieces_init(&out, &t->allocator);
    bool ok = kin_decompose_notch(context, &(kin_notch_def){0}, &out, &r, NULL) == KIN_OK;
    kin_pieces_term(&out);
    return ok;
}

static void no_memory(test* t)
{
    kin_poly p = prism(t, you, 8, 1);
    test_fail_each_allocation(t, decompose_once, &p);
    kin_poly_term(&p);
}

TEST_MAIN("geometry/decompose/notch", TEST(letters), TEST(round_things), TEST(turned_and_scaled), TEST(voids_and_islands), TEST(what_is_told), TEST(no_memory))
