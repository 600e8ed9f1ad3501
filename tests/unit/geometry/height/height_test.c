#include "geometry/height/height.h"
#include "collision/trimesh.h"
#include "math/aabb.h"
#include "support/test.h"
#include "unit/geometry/shapes.h"
#include <string.h>

typedef struct ground {
    kin_height* height;
    kin_trimesh* mesh; /* the same triangles first, then a deep block below them: closed */
    uint32_t triangles;
} ground;

static void block_below(soup* s, const kin_height* h, double bottom)
{
    uint32_t nx = h->nx, nz = h->nz, low = nx * nz;
    for (uint32_t level = 0; level < 2; ++level) {
        for (uint32_t j = 0; j < nz; ++j) {
            for (uint32_t i = 0; i < nx; ++i) {
                kin_vec3 v = kin_height_vertex(h, i, j);
                if (level == 1) v.y = bottom;
                soup_vertex(s, v);
            }
        }
    }
    for (uint32_t n = 0; n < 2 * (nx - 1) * (nz - 1); ++n) { /* the ground, then its mirror image */
        uint32_t cell = n / 2 % ((nx - 1) * (nz - 1)), a = cell / (nx - 1) * nx + cell % (nx - 1), b = a + 1, c = a + nx, d = c + 1;
        soup_face(s, 3, n % 2 == 0 ? (uint32_t[]){a, c, b} : (uint32_t[]){b, c, d});
    }
    for (uint32_t n = 0; n < 2 * (nx - 1) * (nz - 1); ++n) {
        uint32_t cell = n / 2, a = low + cell / (nx - 1) * nx + cell % (nx - 1), b = a + 1, c = a + nx, d = c + 1;
        soup_face(s, 3, n % 2 == 0 ? (uint32_t[]){a, b, c} : (uint32_t[]){b, d, c});
    }
    for (uint32_t i = 0; i + 1 < nx; ++i) {
        uint32_t front = i, back = (nz - 1) * nx + i;
        soup_face(s, 4, (uint32_t[]){front, front + 1, low + front + 1, low + front});
        soup_face(s, 4, (uint32_t[]){back + 1, back, low + back, low + back + 1});
    }
    for (uint32_t j = 0; j + 1 < nz; ++j) {
        uint32_t left = j * nx, right = left + nx - 1;
        soup_face(s, 4, (uint32_t[]){left + nx, left, low + left, low + left + nx});
        soup_face(s, 4, (uint32_t[]){right, right + nx, low + right + nx, low + right});
    }
}

static kin_height* height_of(test* t, uint32_t nx, uint32_t nz, const double* heights, const bool* holes)
{
    kin_height_def def = {{-3, 1, -2}, {0.5, 0.25}, nx, nz, heights, holes};
    kin_height* h = NULL;
    kin_error error = {0};
    if (kin_height_create(&t->allocator, &def, &h, &error) != KIN_OK) test_check(t, false, __FILE__, __LINE__, "%s", error.message);
    return h;
}

/* kind 0: hills; 1: rough; 2: flat steps, many faces in one plane. */
static bool ground_make(test* t, ground* g, uint32_t nx, uint32_t nz, int kind)
{
    double* heights = malloc((size_t)nx * nz * sizeof *heights);
    dice d = {(uint64_t)kind + 17};
    for (uint32_t i = 0; i < nx * nz; ++i) {
        double x = i % nx, z = (double)(i / nx);
        heights[i] = kind == 0 ? 0.6 * sin(0.7 * x) * cos(0.5 * z) : kind == 1 ? roll(&d, -0.5, 0.5) : 0.5 * floor(roll(&d, 0, 1.4));
    }
    *g = (ground){.height = height_of(t, nx, nz, heights, NULL), .triangles = 2 * (nx - 1) * (nz - 1)};
    free(heights);
    if (g->height == NULL) return false;
    soup s = soup_new(2 * (size_t)nx * nz, 4 * (size_t)nx * nz + 2 * (nx + nz), 12 * (size_t)nx * nz + 8 * (nx + nz));
    block_below(&s, g->height, -50);
    kin_mesh_view view = soup_view(&s);
    kin_mesh* mesh = NULL;
    kin_error error = {0};
    bool ok = kin_mesh_create(&t->allocator, &view, &mesh, &error) == KIN_OK && CHECK(t, mesh->closed && mesh->dropped == 0);
    ok = ok && kin_trimesh_create(&t->allocator, mesh, &g->mesh, &error) == KIN_OK;
    soup_free(&s);
    return CHECK(t, ok);
}

static void ground_free(ground* g)
{
    kin_height_destroy(g->height);
    kin_trimesh_destroy(g->mesh);
}

static kin_vec3 roll_near(dice* d, const kin_height* h, double above)
{
    kin_vec3 low = h->bounds.low, high = h->bounds.high;
    double x = roll(d, low.x, high.x), y = roll(d, low.y - 0.5, high.y + above), z = roll(d, low.z, high.z);
    return kin_v(x, y, z);
}
/* Away from the border, where the mesh has its walls. */
static bool well_within(const kin_height* h, kin_vec3 x, double margin)
{
    kin_vec3 low = h->bounds.low, high = h->bounds.high;
    return x.x > low.x + margin && x.x < high.x - margin && x.z > low.z + margin && x.z < high.z - margin;
}

static void same_touch(test* t, const kin_touch* a, const kin_touch* b)
{
    EQUAL(t, a->feature, b->feature);
    NEAR(t, a->t, b->t, 1e-13);
    NEAR(t, a->distance, b->distance, 1e-12);
    NEAR3(t, a->point, b->point, 1e-12);
    NEAR3(t, a->normal, b->normal, 1e-9);
}

static void facets_are_those_of_the_mesh(test* t) /* corners, numbers and sharp bits; a walk finds all and only what overlaps */
{
    for (int kind = 0; kind < 3; ++kind) {
        ground g;
        if (!ground_make(t, &g, 14, 9, kind)) return;
        EQUAL(t, kin_height_triangle_count(g.height), g.triangles);
        for (uint32_t i = 0; i < g.mesh->mesh->triangle_count; ++i) {
            const kin_facet* want = &g.mesh->corners[i];
            if (want->triangle >= g.triangles) continue;
            kin_facet got = kin_height_facet(g.height, want->triangle);
            EQUAL(t, got.sharp, want->sharp);
            CHECK(t, memcmp(got.p, want->p, sizeof got.p) == 0);
        }
        dice d = {6};
        for (int n = 0; n < 200; ++n) {
            kin_vec3 half = {roll(&d, 0, 1.5), roll(&d, 0, 0.4), roll(&d, 0, 1)};
            kin_aabb box = kin_aabb_around(roll_near(&d, g.height, 0.5), half);
            bool seen[512] = {false};
            kin_height_walk walk;
            for (kin_height_walk_begin(&walk, g.height, box); kin_height_walk_next(&walk);) {
                CHECK(t, !seen[walk.facet.triangle]);
                seen[walk.facet.triangle] = true;
                EQUAL(t, walk.facet.sharp, kin_height_facet(g.height, walk.facet.triangle).sharp);
            }
            for (uint32_t i = 0; i < g.triangles; ++i) {
                kin_facet f = kin_height_facet(g.height, i);
                kin_aabb own = {kin_min3(f.p[0], kin_min3(f.p[1], f.p[2])), kin_max3(f.p[0], kin_max3(f.p[1], f.p[2]))};
                EQUAL(t, seen[i], kin_aabb_overlaps(own, box));
            }
        }
        ground_free(&g);
    }
}

static void rays_agree_with_the_mesh(test* t)
{
    for (int kind = 0; kind < 3; ++kind) {
        ground g;
        if (!ground_make(t, &g, 23, 37, kind)) return;
        dice d = {8};
        int hits = 0;
        for (int n = 0; n < 3000; ++n) {
            kin_vec3 a = roll_near(&d, g.height, 3), b = roll_near(&d, g.height, 1), by = kin_sub(b, a);
            if (n % 5 == 0) by = kin_v(0, -5, 0);
            if (n % 7 == 0)
                a = kin_add(kin_height_vertex(g.height, (uint32_t)n % 23, (uint32_t)n % 37), kin_v(0, 2, 0)), by = kin_v(0, -1, 0); /* at a corner */
            double limit = n % 2 ? 1 : 20;
            kin_touch got, want;
            bool found = kin_height_ray(g.height, a, by, limit, &got), expected = kin_trimesh_ray(g.mesh, a, by, limit, &want);
            if (expected && want.feature >= g.triangles) continue; /* a wall */
            if (CHECK(t, found == expected) && found) same_touch(t, &got, &want), hits += 1;
        }
        CHECK(t, hits > 1000);
        ground_free(&g);
    }
}

static void nearest_points_agree_with_the_mesh(test* t)
{
    for (int kind = 0; kind < 3; ++kind) {
        ground g;
        if (!ground_make(t, &g, 25, 40, kind)) return;
        dice d = {10};
        int compared = 0, inside = 0;
        for (int n = 0; n < 3000; ++n) {
            kin_vec3 x = roll_near(&d, g.height, 1);
            double reach = n % 3 == 0 ? 0.1 : roll(&d, 0.1, 3);
            kin_touch got, want;
            bool found = kin_height_closest(g.height, x, reach, &got), expected = kin_trimesh_closest(g.mesh, x, reach, &want);
            CHECK(t, !found || (got.distance < 0) == kin_height_inside(g.height, x));
            if (!well_within(g.height, x, 2.2) || (expected && want.feature >= g.triangles)) continue;
            if (CHECK(t, found == expected) && found)
                same_touch(t, &(kin_touch){0, got.distance, got.point, got.normal, got.feature},
                           &(kin_touch){0, want.distance, want.point, want.normal, want.feature});
            compared += 1, inside += found && got.distance < 0;
        }
        CHECK(t, compared > 300 && inside > 50);
        ground_free(&g);
    }
}

static void spheres_agree_with_the_mesh(test* t)
{
    for (int kind = 0; kind < 3; ++kind) {
        ground g;
        if (!ground_make(t, &g, 25, 41, kind)) return;
        dice d = {12};
        int hits = 0, rolling = 0;
        for (int n = 0; n < 4000; ++n) {
            kin_vec3 a = roll_near(&d, g.height, 1.5);
            kin_path path = {.a = a, .d = kin_sub(roll_near(&d, g.height, 1), a), .radius = n % 6 == 0 ? 0 : roll(&d, 0.01, 0.8)};
            if (n % 4 == 0) { /* start on the ground, and roll */
                kin_touch at;
                if (!kin_height_closest(g.height, a, 5, &at)) continue;
                path.a = kin_add_scaled(at.point, path.radius, at.normal);
                kin_vec3 push = roll3(&d, 0.5);
                path.d = kin_sub(push, kin_scale(at.normal, kin_dot(push, at.normal)));
                rolling += 1;
            }
            kin_path_slack(&path, 10, n % 2 ? 0 : 1e-6);
            kin_touch got, want;
            bool found = kin_height_sweep(g.height, &path, &got), expected = kin_trimesh_sweep(g.mesh, &path, &want);
            if ((expected && want.feature >= g.triangles) || !well_within(g.height, path.a, 0.9) || !well_within(g.height, kin_add(path.a, path.d), 0.9))
                continue;
            if (CHECK(t, found == expected) && found) same_touch(t, &got, &want), hits += 1;
        }
        CHECK(t, hits > 500 && rolling > 500);
        ground_free(&g);
    }
}

static void a_ball_rolls_over_flat_ground_without_a_bump(test* t)
{
    double heights[20 * 20] = {0};
    kin_height* h = height_of(t, 20, 20, heights, NULL);
    dice d = {3};
    for (int n = 0; n < 500; ++n) {
        kin_path path = {.a = kin_v(roll(&d, -2.5, 5), 1.3, roll(&d, -1.5, 2)), .d = {roll(&d, -0.4, 0.4), 0, roll(&d, -0.4, 0.4)}, .radius = 0.3};
        kin_path_slack(&path, 10, 0);
        kin_touch hit;
        CHECK(t, !kin_height_sweep(h, &path, &hit));
        path.d.y = -0.1;
        CHECK(t, kin_height_sweep(h, &path, &hit) && hit.t < 1e-12);
        NEAR3(t, hit.normal, kin_v(0, 1, 0), 0);
    }
    uint32_t sharp = 0;
    for (uint32_t i = 0; i < kin_height_triangle_count(h); ++i) {
        uint32_t cell = i / 2, x = cell % 19, z = cell / 19;
        if (x > 0 && z > 0 && x < 18 && z < 18) sharp |= kin_height_facet(h, i).sharp;
    }
    EQUAL(t, sharp, 0);
    kin_height_destroy(h);
}

static void holes_let_things_through(test* t)
{
    double heights[6 * 6] = {0};
    bool holes[5 * 5] = {false};
    holes[2 + 5 * 2] = true;
    kin_height* h = height_of(t, 6, 6, heights, holes);
    kin_vec3 over_hole = kin_add(kin_height_vertex(h, 2, 2), kin_v(0.25, 1, 0.125)), beside = kin_add(over_hole, kin_v(0.5, 0, 0));
    kin_touch hit;
    double y;
    CHECK(t, !kin_height_ray(h, over_hole, kin_v(0, -1, 0), 10, &hit));
    CHECK(t, kin_height_ray(h, beside, kin_v(0, -1, 0), 10, &hit));
    NEAR(t, hit.t, 1, 1e-15);
    CHECK(t, !kin_height_at(h, over_hole.x, over_hole.z, &y) && kin_height_at(h, beside.x, beside.z, &y));
    CHECK(t, !kin_height_inside(h, kin_add(over_hole, kin_v(0, -3, 0))) && kin_height_inside(h, kin_add(beside, kin_v(0, -3, 0))));
    CHECK(t, kin_height_closest(h, kin_add(over_hole, kin_v(0, -1, 0)), 5, &hit));
    NEAR(t, hit.distance, 0.125, 1e-12); /* the rim */
    kin_path path = {.a = over_hole, .d = {0, -3, 0}, .radius = 0.1};
    kin_path_slack(&path, 5, 0);
    CHECK(t, !kin_height_sweep(h, &path, &hit));
    path.radius = 0.2; /* wider than the hole along z: it rests on the rim's sharp edges */
    CHECK(t, kin_height_sweep(h, &path, &hit));
    NEAR(t, over_hole.y - 3 * hit.t, 1 + sqrt(0.04 - 0.125 * 0.125), 1e-12);
    kin_height_walk walk;
    int count = 0;
    for (kin_height_walk_begin(&walk, h, h->bounds); kin_height_walk_next(&walk);) count += 1;
    EQUAL(t, count, 48);
    kin_height_destroy(h);
    for (int i = 0; i < 25; ++i) holes[i] = true; /* nothing at all */
    h = height_of(t, 6, 6, heights, holes);
    CHECK(t, !kin_height_ray(h, beside, kin_v(0, -1, 0), 10, &hit) && !kin_height_closest(h, beside, 10, &hit) && !kin_height_sweep(h, &path, &hit));
    kin_height_walk_begin(&walk, h, (kin_aabb){{-9, -9, -9}, {9, 9, 9}});
    CHECK(t, !kin_height_walk_next(&walk));
    kin_height_destroy(h);
}

static void heights_between_samples(test* t) /* a plane is exact; the diagonal runs from b to c */
{
    double heights[9];
    for (int i = 0; i < 9; ++i) heights[i] = 0.5 * (i % 3) - 0.25 * (i / 3);
    kin_height* h = height_of(t, 3, 3, heights, NULL);
    dice d = {1};
    double y;
    for (int n = 0; n < 200; ++n) {
        double x = roll(&d, -3, -2), z = roll(&d, -2, -1.5);
        CHECK(t, kin_height_at(h, x, z, &y));
        NEAR(t, y, 1 + (x + 3) - (z + 2), 1e-13);
    }
    CHECK(t, !kin_height_at(h, -3.01, -2, &y) && !kin_height_at(h, NAN, -2, &y));
    kin_height_destroy(h);
    double one[4] = {0, 0, 0, 1};
    h = height_of(t, 2, 2, one, NULL);
    CHECK(t, kin_height_at(h, -2.75, -1.875, &y));
    NEAR(t, y, 1, 1e-15); /* on the diagonal b c: 0 */
    kin_touch hit;
    kin_vec3 nowhere = {NAN, NAN, 0};
    CHECK(t, !kin_height_closest(h, nowhere, 10, &hit) && !kin_height_ray(h, nowhere, kin_v(0, -1, 0), 10, &hit));
    kin_height_destroy(h);
}

static void deep_points_find_the_surface(test* t)
{
    ground g;
    if (!ground_make(t, &g, 33, 33, 0)) return;
    kin_touch touch;
    kin_vec3 deep = {5, -20, 2};
    CHECK(t, kin_height_closest(g.height, deep, 0.1, &touch) && touch.distance < -19);
    CHECK(t, !kin_height_closest(g.height, kin_v(5, 20, 2), 0.1, &touch));
    double y;
    CHECK(t, kin_height_at(g.height, 5, 2, &y) && -touch.distance <= y + 20 + 1e-9);
    CHECK(t, kin_height_bytes(g.height) < 9 * 33 * 33 + 2048);
    ground_free(&g);
}

static void bad_input_is_refused(test* t)
{
    double heights[6] = {0, 1, 2, 3, 4, 5};
    kin_height* h;
    kin_error error = {0};
    kin_height_def def = {{0, 0, 0}, {1, 1}, 3, 2, heights, NULL};
    heights[4] = NAN;
    CHECK(t, kin_height_create(&t->allocator, &def, &h, &error) == KIN_ERROR_ARGUMENT && h == NULL);
    HAS(t, error.message, "sample (1, 1)");
    heights[4] = 4;
    def.nx = 1;
    CHECK(t, kin_height_create(&t->allocator, &def, &h, &error) == KIN_ERROR_ARGUMENT);
    def.nx = 3, def.spacing[1] = 0;
    CHECK(t, kin_height_create(&t->allocator, &def, &h, &error) == KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "spacing");
    def.spacing[1] = 1, def.origin.x = INFINITY;
    CHECK(t, kin_height_create(&t->allocator, &def, &h, &error) == KIN_ERROR_ARGUMENT);
    def.origin.x = 0, def.heights = NULL;
    CHECK(t, kin_height_create(&t->allocator, &def, &h, &error) == KIN_ERROR_ARGUMENT);
}

static bool make_once(test* t, void* context)
{
    kin_height_def def = {{0, 0, 0}, {1, 1}, 20, 9, context, NULL};
    kin_height* h;
    bool ok = kin_height_create(&t->allocator, &def, &h, NULL) == KIN_OK;
    kin_height_destroy(h);
    return ok;
}

static void failing_memory_leaks_nothing(test* t)
{
    double heights[180] = {0};
    test_fail_each_allocation(t, make_once, heights);
}

TEST_MAIN("height", TEST(facets_are_those_of_the_mesh), TEST(rays_agree_with_the_mesh), TEST(nearest_points_agree_with_the_mesh),
          TEST(spheres_agree_with_the_mesh), TEST(a_ball_rolls_over_flat_ground_without_a_bump), TEST(holes_let_things_through), TEST(heights_between_samples),
          TEST(deep_points_find_the_surface), TEST(bad_input_is_refused), TEST(failing_memory_leaks_nothing))
