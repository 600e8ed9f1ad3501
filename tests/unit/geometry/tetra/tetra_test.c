#include "geometry/tetra/tetra.h"
#include "geometry/hull/hull.h"
#include "geometry/hull/predicate.h"
#include "geometry/mass/mass.h"
#include "geometry/tetra/shell.h"
#include "support/test.h"
#include "unit/geometry/shapes.h"
#include <string.h>

static kin_tets* delaunay_of(test* t, const kin_vec3* p, size_t n)
{
    kin_tets* tets = NULL;
    kin_error e = {0};
    test_check(t, kin_tets_delaunay(&t->allocator, p, n, &tets, &e) == KIN_OK, __FILE__, __LINE__, "%s", e.message);
    return tets;
}

/* ---- what every set of tetrahedra must be ---- */

static bool shares_face(const uint32_t* a, int k, const uint32_t* b)
{
    for (int i = 0; i < 4; ++i) {
        if (i == k) continue;
        if (b[0] != a[i] && b[1] != a[i] && b[2] != a[i] && b[3] != a[i]) return false;
    }
    return true;
}

static void check_neighbors(test* t, const kin_tets* tets)
{
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < tets->tet_count; ++i) {
        for (int k = 0; k < 4; ++k) {
            uint32_t other = tets->across[i][k];
            if (other == KIN_NO_NEIGHBOR) continue;
            int back = 0;
            for (int j = 0; j < 4; ++j) back += tets->across[other][j] == i && shares_face(tets->corners[other], j, tets->corners[i]);
            wrong += back != 1 || !shares_face(tets->corners[i], k, tets->corners[other]);
        }
    }
    EQUAL(t, wrong, 0);
}

/* Exact: on the grid that it was made on. Neighbours suffice (Delaunay's lemma); small clouds are tested against all points as well. */
static void check_empty_spheres(test* t, const kin_tets* tets)
{
    kin_snap snap = kin_snap_of(tets->vertices, tets->vertex_count);
    kin_vec3* p = calloc(tets->vertex_count, sizeof *p);
    for (uint32_t v = 0; v < tets->vertex_count; ++v) p[v] = kin_snap_apply(snap, tets->vertices[v]);
    uint32_t flat = 0, taken = 0;
    for (uint32_t i = 0; i < tets->tet_count; ++i) {
        const uint32_t* c = tets->corners[i];
        flat += kin_side_of_plane(p[c[0]], p[c[1]], p[c[2]], p[c[3]]) <= 0;
        for (int k = 0; k < 4; ++k) {
            uint32_t other = tets->across[i][k];
            for (int j = 0; other != KIN_NO_NEIGHBOR && j < 4; ++j)
                taken += kin_side_of_sphere(p[c[0]], p[c[1]], p[c[2]], p[c[3]], p[tets->corners[other][j]]) > 0;
        }
        for (uint32_t v = 0; tets->vertex_count <= 300 && v < tets->vertex_count; ++v)
            taken += kin_side_of_sphere(p[c[0]], p[c[1]], p[c[2]], p[c[3]], p[v]) > 0;
    }
    EQUAL(t, flat, 0);
    EQUAL(t, taken, 0);
    free(p);
}

static void check_delaunay(test* t, const kin_vec3* p, size_t n)
{
    kin_tets* tets = delaunay_of(t, p, n);
    kin_hull* hull = NULL;
    if (tets == NULL) return;
    check_neighbors(t, tets);
    check_empty_spheres(t, tets);
    EQUAL(t, kin_hull_create(&t->allocator, p, n, 0, &hull, NULL), KIN_OK);
    NEAR(t, kin_tets_volume(tets) / hull->volume, 1, 1e-11); /* they fill the hull */
    kin_hull_destroy(hull);
    kin_tets_destroy(tets);
}

static void random_clouds(test* t)
{
    dice d = {31};
    for (int n = 4; n <= 5000; n = n * 5 / 3 + 1) {
        kin_vec3* p = calloc((size_t)n, sizeof *p);
        for (int i = 0; i < n; ++i) p[i] = kin_add(roll3(&d, 3), kin_v(100, 0, -20));
        check_delaunay(t, p, (size_t)n);
        for (int i = 0; i < n; ++i) p[i] = roll_direction(&d); /* all near one sphere */
        check_delaunay(t, p, (size_t)n);
        free(p);
    }
}

static void grids_and_copies(test* t) /* coplanar, collinear, cospherical, twice the same */
{
    kin_vec3 p[1000];
    for (int n = 2; n <= 10; ++n) {
        for (int i = 0; i < n * n * n; ++i) p[i] = kin_v(i % n, i / n % n, i / n / n);
        check_delaunay(t, p, (size_t)(n * n * n));
        if (n > 7) continue;
        memcpy(p + n * n * n, p, (size_t)(n * n * n) * sizeof *p);
        check_delaunay(t, p, (size_t)(2 * n * n * n));
    }
    size_t count = 0;
    for (int x = -9; x <= 9; ++x)
        for (int y = -9; y <= 9; ++y)
            for (int z = -9; z <= 9; ++z)
                if (x * x + y * y + z * z == 81) p[count++] = kin_v(x, y, z); /* exactly on one sphere */
    check_delaunay(t, p, count);
    count = 0;
    for (int i = 0; i < 30; ++i)
        for (int k = 0; k < 12; ++k) p[count++] = kin_v(cos(KIN_PI * k / 6), 0.1 * i, sin(KIN_PI * k / 6)); /* a tube of rings */
    check_delaunay(t, p, count);
}

static void thin_and_far(test* t)
{
    dice d = {32};
    kin_vec3 p[400];
    static const double thin[] = {1e-3, 1e-6, 1e-9}, far[] = {0, 1e5, 1e8};
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 400; ++k) p[k] = kin_mul(roll3(&d, 1), kin_v(1, thin[i], 1));
        check_delaunay(t, p, 400);
        for (int k = 0; k < 400; ++k) p[k] = kin_add(roll3(&d, 1), kin_v(far[i], far[i], -far[i]));
        check_delaunay(t, p, 300);
    }
}

static void refusals(test* t)
{
    kin_vec3 p[16];
    kin_tets* tets = NULL;
    kin_error e = {0};
    for (int i = 0; i < 16; ++i) p[i] = kin_v(i % 4, i / 4, 7);
    EQUAL(t, kin_tets_delaunay(&t->allocator, p, 16, &tets, &e), KIN_ERROR_ARGUMENT);
    HAS(t, e.message, "in one plane");
    EQUAL(t, kin_tets_delaunay(&t->allocator, p, 2, &tets, &e), KIN_ERROR_ARGUMENT);
    p[3].z = NAN;
    EQUAL(t, kin_tets_delaunay(&t->allocator, p, 16, &tets, &e), KIN_ERROR_ARGUMENT);
    HAS(t, e.message, "point 3");
    soup s = box_soup(kin_v(1, 1, 1));
    s.face_count = 5;
    kin_mesh* m = NULL;
    kin_mesh_view view = soup_view(&s);
    EQUAL(t, kin_mesh_create(&t->allocator, &view, &m, NULL), KIN_OK);
    EQUAL(t, kin_tets_fill(&t->allocator, m, &(kin_tets_def){.spacing = 0.5}, &tets, &e), KIN_ERROR_ARGUMENT);
    HAS(t, e.message, "not closed");
    kin_mesh_destroy(m);
    soup_free(&s);
    s = box_soup(kin_v(1, 1, 1));
    view = soup_view(&s);
    EQUAL(t, kin_mesh_create(&t->allocator, &view, &m, NULL), KIN_OK);
    EQUAL(t, kin_tets_fill(&t->allocator, m, &(kin_tets_def){.spacing = -1}, &tets, &e), KIN_ERROR_ARGUMENT);
    EQUAL(t, kin_tets_fill(&t->allocator, m, &(kin_tets_def){.surface = NAN}, &tets, &e), KIN_ERROR_ARGUMENT);
    EQUAL(t, kin_tets_fill(&t->allocator, m, &(kin_tets_def){.spacing = 1e-6}, &tets, &e), KIN_ERROR_LIMIT);
    kin_mesh_destroy(m);
    soup_free(&s);
}

/* ---- filling ---- */

static kin_mesh* mesh_of(test* t, const soup* s)
{
    kin_mesh_view view = soup_view(s);
    kin_mesh* m = NULL;
    EQUAL(t, kin_mesh_create(&t->allocator, &view, &m, NULL), KIN_OK);
    return m;
}

static void check_fill(test* t, const char* what, const soup* s, kin_tets_def def, double tolerance)
{
    kin_mesh* m = mesh_of(t, s);
    kin_tets* tets = NULL;
    kin_error e = {0};
    kin_mass mass;
    EQUAL(t, kin_mass_of_mesh(m, KIN_MASS_SURFACE, &mass, NULL), KIN_OK);
    if (!test_check(t, kin_tets_fill(&t->allocator, m, &def, &tets, &e) == KIN_OK, __FILE__, __LINE__, "%s: %s", what, e.message)) return;
    double volume = kin_tets_volume(tets);
    test_check(t, fabs(volume - mass.mass) <= tolerance * mass.mass, __FILE__, __LINE__, "%s: tetrahedra of %g m^3 in a mesh of %g m^3", what, volume,
               mass.mass);
    check_neighbors(t, tets);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < tets->tet_count; ++i) wrong += !(kin_tet_volume(tets, i) > 0);
    EQUAL(t, wrong, 0);
    double *masses = calloc(tets->vertex_count, sizeof *masses), sum = 0;
    kin_tets_masses(tets, 1000, masses);
    for (uint32_t v = 0; v < tets->vertex_count; ++v) {
        wrong += !(masses[v] > 0); /* none is left without tetrahedra */
        sum += masses[v];
    }
    EQUAL(t, wrong, 0);
    NEAR(t, sum / (1000 * volume), 1, 1e-12);
    free(masses);
    kin_tets_destroy(tets);
    kin_mesh_destroy(m);
}

static void meshes_are_filled(test* t)
{
    soup s = box_soup(kin_v(1, 0.5, 0.7));
    kin_quat q = kin_quat_axis_angle(kin_v(1, 2, 3), 1);
    check_fill(t, "box", &s, (kin_tets_def){0}, 1e-12);
    check_fill(t, "box", &s, (kin_tets_def){.spacing = 0.2, .surface = 0.2, .seed = 1}, 1e-9);
    for (size_t i = 0; i < s.vertex_count; ++i) s.vertices[i] = kin_rotate(q, s.vertices[i]); /* faces flat but for rounding */
    check_fill(t, "turned box", &s, (kin_tets_def){.spacing = 0.2, .surface = 0.2, .seed = 1}, 1e-6);
    soup_free(&s);
    s = torus_soup(1, 0.4, 40, 20);
    check_fill(t, "torus", &s, (kin_tets_def){.spacing = 0.12, .seed = 2}, 0.03);
    soup_free(&s);
    s = soup_new(16, 12, 48);
    add_box(&s, kin_v(0, 0, 0), kin_v(3, 1, 1), false);
    add_box(&s, kin_v(0.5, 0.25, 0.25), kin_v(2.5, 0.75, 0.75), true); /* a hollow beam */
    check_fill(t, "hollow", &s, (kin_tets_def){.spacing = 0.1, .surface = 0.1, .seed = 3}, 0.03);
    soup_free(&s);
}

static void inside_is_where_winding_says(test* t)
{
    soup s = torus_soup(1, 0.4, 20, 10);
    kin_mesh* m = mesh_of(t, &s);
    kin_mesh_view view = {m->vertices, m->vertex_count, NULL, m->triangles[0], m->triangle_count};
    kin_shell shell;
    CHECK(t, kin_shell_init(&shell, &t->allocator, m));
    dice d = {33};
    uint32_t wrong = 0;
    for (int i = 0; i < 2000; ++i) {
        kin_vec3 x = kin_mul(roll3(&d, 1), kin_v(1.5, 0.5, 1.5));
        wrong += (kin_shell_distance(&shell, x) < 0) != (winding(&view, x) > 0.5);
    }
    EQUAL(t, wrong, 0);
    kin_shell_term(&shell);
    kin_mesh_destroy(m);
    soup_free(&s);
}

/* Points inside and outside: the skin gives them back, follows an affine motion exactly, and outside points are bound to the nearest tetrahedron. */
static void skins_follow(test* t)
{
    soup s = torus_soup(1, 0.4, 24, 12);
    kin_mesh* m = mesh_of(t, &s);
    kin_tets* tets = NULL;
    EQUAL(t, kin_tets_fill(&t->allocator, m, &(kin_tets_def){.spacing = 0.25}, &tets, NULL), KIN_OK);
    dice d = {34};
    enum { N = 500 };
    kin_vec3 x[N], back[N];
    kin_skin_weight skin[N];
    for (int i = 0; i < N; ++i) x[i] = kin_mul(roll3(&d, 1), kin_v(1.5, 0.5, 1.5));
    EQUAL(t, kin_tets_skin(&t->allocator, tets, x, N, skin, NULL), KIN_OK);
    kin_skin_apply(tets, tets->vertices, skin, N, back);
    int inside = 0;
    for (int i = 0; i < N; ++i) {
        NEAR3(t, back[i], x[i], 1e-9);
        NEAR(t, skin[i].w[0] + skin[i].w[1] + skin[i].w[2] + skin[i].w[3], 1, 1e-12);
        bool in = fmin(fmin(skin[i].w[0], skin[i].w[1]), fmin(skin[i].w[2], skin[i].w[3])) >= 0, any = false;
        for (uint32_t k = 0; k < tets->tet_count && !any; ++k) { /* brute force: is it in any? */
            bool here = true;
            for (int f = 0; f < 4; ++f) {
                const uint32_t* c = tets->corners[k];
                kin_vec3 a = tets->vertices[c[kin_tet_face[f][0]]], b = tets->vertices[c[kin_tet_face[f][1]]], e = tets->vertices[c[kin_tet_face[f][2]]];
                here = here && kin_triple(kin_sub(b, a), kin_sub(e, a), kin_sub(x[i], a)) >= 0;
            }
            any = here;
        }
        CHECK(t, in == any);
        inside += in;
    }
    CHECK(t, inside > 50 && inside < N - 50);
    kin_vec3* moved = calloc(tets->vertex_count, sizeof *moved);
    kin_quat q = kin_quat_axis_angle(kin_v(3, 1, 2), 2);
    for (uint32_t v = 0; v < tets->vertex_count; ++v) moved[v] = kin_add(kin_rotate(q, kin_mul(tets->vertices[v], kin_v(2, 1, 0.5))), kin_v(1, 2, 3));
    kin_skin_apply(tets, moved, skin, N, back);
    for (int i = 0; i < N; ++i) NEAR3(t, back[i], kin_add(kin_rotate(q, kin_mul(x[i], kin_v(2, 1, 0.5))), kin_v(1, 2, 3)), 1e-8);
    x[7].x = INFINITY;
    kin_error e = {0};
    EQUAL(t, kin_tets_skin(&t->allocator, tets, x, N, skin, &e), KIN_ERROR_ARGUMENT);
    HAS(t, e.message, "point 7");
    free(moved);
    kin_tets_destroy(tets);
    kin_mesh_destroy(m);
    soup_free(&s);
}

static bool fill_and_skin(test* t, void* context)
{
    kin_tets* tets = NULL;
    kin_vec3 x = {0, 0, 0};
    kin_skin_weight skin;
    bool ok = kin_tets_fill(&t->allocator, context, &(kin_tets_def){.spacing = 0.5, .surface = 0.7}, &tets, NULL) == KIN_OK;
    ok = ok && kin_tets_skin(&t->allocator, tets, &x, 1, &skin, NULL) == KIN_OK;
    kin_tets_destroy(tets);
    return ok;
}

static void memory_may_fail(test* t)
{
    soup s = box_soup(kin_v(1, 1, 1));
    kin_mesh* m = mesh_of(t, &s);
    test_fail_each_allocation(t, fill_and_skin, m);
    kin_mesh_destroy(m);
    soup_free(&s);
}

TEST_MAIN("geometry/tetra", TEST(random_clouds), TEST(grids_and_copies), TEST(thin_and_far), TEST(refusals), TEST(meshes_are_filled),
          TEST(inside_is_where_winding_says), TEST(skins_follow), TEST(memory_may_fail))
