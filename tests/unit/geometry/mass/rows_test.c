#include "geometry/mass/rows.h"
#include "math/quat.h"
#include "support/test.h"
#include "unit/geometry/shapes.h"

static kin_rows* rows_of(test* t, const soup* s, kin_row_grid g, kin_mesh** mesh)
{
    kin_mesh_view view = soup_view(s);
    kin_rows* rows = NULL;
    kin_error e = {0};
    EQUAL(t, kin_mesh_create(&t->allocator, &view, mesh, NULL), KIN_OK);
    test_check(t, kin_rows_create(&t->allocator, *mesh, &g, &rows, &e) == KIN_OK, __FILE__, __LINE__, "%s", e.message);
    return rows;
}

/* Against winding numbers, cell by cell; both ways of asking. */
static void cells_are_where_winding_says(test* t)
{
    soup s = torus_soup(1, 0.4, 24, 12);
    kin_quat q = kin_quat_axis_angle(kin_v(1, 2, 3), 1);
    for (size_t i = 0; i < s.vertex_count; ++i) s.vertices[i] = kin_rotate(q, s.vertices[i]);
    kin_mesh* m = NULL;
    kin_row_grid g = {{-1.5, -1.6, -1.7}, {0.151, 0.153, 0.157}, {20, 22, 21}};
    kin_rows* rows = rows_of(t, &s, g, &m);
    kin_mesh_view view = {m->vertices, m->vertex_count, NULL, m->triangles[0], m->triangle_count};
    uint32_t wrong = 0, inside = 0;
    for (uint32_t k = 0; k < g.n[2]; ++k) {
        for (uint32_t j = 0; j < g.n[1]; ++j) {
            bool in[20] = {0};
            uint32_t first, end;
            for (uint32_t n = 0; kin_rows_range(rows, j, k, n, &first, &end); ++n)
                for (uint32_t i = first; i < end; ++i) in[i] = true;
            for (uint32_t i = 0; i < g.n[0]; ++i) {
                kin_vec3 x = kin_row_center(&g, i, j, k);
                bool want = winding(&view, x) > 0.5;
                wrong += in[i] != want || kin_rows_inside(rows, x.x, j, k) != want;
                inside += want;
            }
        }
    }
    EQUAL(t, wrong, 0);
    CHECK(t, inside > 300);
    kin_rows_destroy(rows);
    kin_rows_destroy(NULL);
    kin_mesh_destroy(m);
    soup_free(&s);
}

/* Every ray goes through vertices, edges or along faces: hits still come in pairs, and a cell on the border belongs to one side. */
static void rays_through_vertices_and_edges(test* t)
{
    soup s = soup_new(16, 12, 48);
    add_box(&s, kin_v(0, 0, 0), kin_v(4, 4, 4), false);
    add_box(&s, kin_v(1, 1, 1), kin_v(3, 3, 3), true); /* a hole */
    kin_mesh* m = NULL;
    kin_row_grid g = {{-1.5, -1.5, -1.5}, {1, 1, 1}, {7, 7, 7}}; /* centres at whole numbers: all borders are hit */
    kin_rows* rows = rows_of(t, &s, g, &m);
    uint32_t cells = 0;
    for (uint32_t k = 0; k < 7; ++k) {
        for (uint32_t j = 0; j < 7; ++j) {
            EQUAL(t, (rows->begin[j + 7 * k + 1] - rows->begin[j + 7 * k]) % 2, 0);
            uint32_t first, end;
            for (uint32_t n = 0; kin_rows_range(rows, j, k, n, &first, &end); ++n) cells += end - first;
        }
    }
    EQUAL(t, cells, 64 - 8); /* half-open cells: exactly the volume */
    kin_rows_destroy(rows);
    kin_mesh_destroy(m);
    soup_free(&s);
}

static void octahedron_on_the_grid(test* t) /* rows through its vertices, and along its edges */
{
    soup s = soup_new(6, 8, 24);
    for (int i = 0; i < 6; ++i) soup_vertex(&s, kin_scale(kin_axis(i / 2), i % 2 ? -4 : 4));
    for (uint32_t i = 0; i < 8; ++i) {
        uint32_t a = i & 1, b = 2 + (i >> 1 & 1), c = 4 + (i >> 2 & 1);
        bool odd = ((i & 1) + (i >> 1 & 1) + (i >> 2 & 1)) % 2;
        soup_face(&s, 3, odd ? (uint32_t[]){a, c, b} : (uint32_t[]){a, b, c});
    }
    kin_mesh* m = NULL;
    kin_row_grid g = {{-5.5, -5.5, -5.5}, {1, 1, 1}, {11, 11, 11}};
    kin_rows* rows = rows_of(t, &s, g, &m);
    uint32_t wrong = 0;
    for (uint32_t k = 0; k < 11; ++k) {
        for (uint32_t j = 0; j < 11; ++j) {
            wrong += (rows->begin[j + 11 * k + 1] - rows->begin[j + 11 * k]) % 2;
            for (uint32_t i = 0; i < 11; ++i) {
                kin_vec3 x = kin_row_center(&g, i, j, k);
                double l = fabs(x.x) + fabs(x.y) + fabs(x.z);
                if (l != 4) wrong += kin_rows_inside(rows, x.x, j, k) != (l < 4);
            }
        }
    }
    EQUAL(t, wrong, 0);
    kin_rows_destroy(rows);
    kin_mesh_destroy(m);
    soup_free(&s);
}

static bool make(test* t, void* context)
{
    kin_mesh* m = context;
    kin_row_grid g = kin_row_grid_over(m->bounds, 8);
    kin_rows* rows = NULL;
    kin_result made = kin_rows_create(&t->allocator, m, &g, &rows, NULL);
    kin_rows_destroy(rows);
    return made == KIN_OK;
}

static void bad_grids_and_no_memory(test* t)
{
    soup s = box_soup(kin_v(1, 2, 3));
    kin_mesh* m = NULL;
    kin_mesh_view view = soup_view(&s);
    EQUAL(t, kin_mesh_create(&t->allocator, &view, &m, NULL), KIN_OK);
    kin_rows* rows = NULL;
    kin_error e = {0};
    kin_row_grid none = {{0, 0, 0}, {1, 1, 1}, {1, 0, 1}}, flat = {{0, 0, 0}, {1, 0, 1}, {1, 1, 1}}, many = {{0, 0, 0}, {1, 1, 1}, {1, 1000000, 1000000}};
    EQUAL(t, kin_rows_create(&t->allocator, m, &none, &rows, &e), KIN_ERROR_ARGUMENT);
    EQUAL(t, kin_rows_create(&t->allocator, m, &flat, &rows, &e), KIN_ERROR_ARGUMENT);
    EQUAL(t, kin_rows_create(&t->allocator, m, &many, &rows, &e), KIN_ERROR_LIMIT);
    test_fail_each_allocation(t, make, m);
    kin_mesh_destroy(m);
    soup_free(&s);
}

TEST_MAIN("geometry/rows", TEST(cells_are_where_winding_says), TEST(rays_through_vertices_and_edges), TEST(octahedron_on_the_grid),
          TEST(bad_grids_and_no_memory))
