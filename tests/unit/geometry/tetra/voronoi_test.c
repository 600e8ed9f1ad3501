#include "geometry/tetra/voronoi.h"
#include "support/test.h"
#include "unit/geometry/shapes.h"

static kin_mesh* mesh_of(test* t, const soup* s)
{
    kin_mesh_view view = soup_view(s);
    kin_mesh* m = NULL;
    EQUAL(t, kin_mesh_create(&t->allocator, &view, &m, NULL), KIN_OK);
    return m;
}

static kin_shards* break_it(test* t, const kin_mesh* m, const kin_vec3* seeds, uint32_t count)
{
    kin_shards* p = NULL;
    kin_error e = {0};
    test_check(t, kin_voronoi_break(&t->allocator, m, seeds, count, &p, &e) == KIN_OK, __FILE__, __LINE__, "%s", e.message);
    return p;
}

/* Closed, of the whole body's mass and inertia together, each nearest to its own seed. */
static void check_pieces(test* t, const kin_mesh* m, const kin_vec3* seeds, uint32_t count, const kin_shards* p)
{
    kin_mass whole, sum = {0};
    EQUAL(t, kin_mass_of_mesh(m, KIN_MASS_SURFACE, &whole, NULL), KIN_OK);
    uint32_t open = 0, astray = 0;
    double size = kin_length(kin_sub(m->bounds.high, m->bounds.low));
    for (size_t i = 0; i < p->count; ++i) {
        const kin_shard* piece = &p->shards[i];
        open += !piece->mesh->closed;
        sum = i == 0 ? piece->mass : kin_mass_add(sum, piece->mass);
        for (uint32_t v = 0; v < piece->mesh->vertex_count; ++v) {
            double own = kin_distance(piece->mesh->vertices[v], seeds[piece->seed]);
            for (uint32_t s = 0; s < count; ++s) astray += kin_distance(piece->mesh->vertices[v], seeds[s]) < own - 1e-8 * size;
        }
        for (uint32_t k = 0; k < piece->mesh->triangle_count; ++k) {
            uint32_t from = piece->from[k];
            if (from & KIN_SHARD_INNER) { /* on the bisector */
                kin_vec3 x = piece->mesh->vertices[piece->mesh->triangles[k][0]];
                astray += fabs(kin_distance(x, seeds[from & ~KIN_SHARD_INNER]) - kin_distance(x, seeds[piece->seed])) > 1e-8 * size;
            } else { /* in the plane of the triangle it was cut from */
                kin_vec3 on = m->vertices[m->triangles[from][0]];
                for (int c = 0; c < 3; ++c)
                    astray += fabs(kin_dot(m->normals[from], kin_sub(piece->mesh->vertices[piece->mesh->triangles[k][c]], on))) > 1e-8 * size;
            }
        }
        CHECK(t, (piece->hull != NULL) == p->convex);
        if (piece->hull != NULL) NEAR(t, piece->hull->volume, piece->mass.mass, 1e-11 * whole.mass);
    }
    EQUAL(t, open, 0);
    EQUAL(t, astray, 0);
    NEAR(t, sum.mass / whole.mass, 1, 1e-9);
    NEAR3(t, sum.center, whole.center, 1e-9 * size);
    const double *a = &sum.inertia.xx, *b = &whole.inertia.xx;
    for (int k = 0; k < 6; ++k) NEAR(t, a[k], b[k], 1e-9 * whole.inertia.xx);
}

static void a_box_in_two(test* t)
{
    soup s = box_soup(kin_v(1, 1, 1));
    kin_mesh* m = mesh_of(t, &s);
    kin_vec3 seeds[3] = {{-0.5, 0, 0}, {0.3, 0, 0}, {50, 0, 0}}; /* the third has nothing of it */
    kin_shards* p = break_it(t, m, seeds, 3);
    EQUAL(t, p->count, 2);
    CHECK(t, p->convex);
    NEAR(t, p->shards[0].mass.mass, 4 * 0.9, 1e-12);
    NEAR(t, p->shards[1].mass.mass, 4 * 1.1, 1e-12);
    EQUAL(t, p->shards[0].hull->face_count, 6);
    check_pieces(t, m, seeds, 3, p);
    kin_shards_destroy(p);
    p = break_it(t, m, seeds, 1);
    EQUAL(t, p->count, 1);
    check_pieces(t, m, seeds, 1, p);
    kin_shards_destroy(p);
    kin_shards_destroy(NULL);
    kin_mesh_destroy(m);
    soup_free(&s);
}

static void random_seeds(test* t)
{
    static const uint32_t counts[] = {2, 7, 40, 150};
    for (int body = 0; body < 3; ++body) {
        soup s = body == 0 ? box_soup(kin_v(1, 0.4, 0.7)) : body == 1 ? torus_soup(1, 0.4, 24, 12) : soup_new(16, 12, 48);
        if (body == 2) {
            add_box(&s, kin_v(0, 0, 0), kin_v(3, 3, 3), false);
            add_box(&s, kin_v(1, 1, 1), kin_v(2, 2, 2), true); /* hollow */
        }
        kin_mesh* m = mesh_of(t, &s);
        for (int i = 0; i < 4; ++i) {
            kin_vec3 seeds[150];
            EQUAL(t, kin_voronoi_scatter(&t->allocator, m, 5 + (uint64_t)i, counts[i], seeds, NULL), KIN_OK);
            kin_shards* p = break_it(t, m, seeds, counts[i]);
            if (p == NULL) continue;
            CHECK(t, p->count >= counts[i]); /* every seed is inside, so none is without */
            CHECK(t, p->convex == (body == 0));
            check_pieces(t, m, seeds, counts[i], p);
            kin_shards_destroy(p);
        }
        kin_mesh_destroy(m);
        soup_free(&s);
    }
}

static void parts_and_cavities(test* t)
{
    /* a U, cut across both arms: the upper cell has two parts */
    static const double xy[8][2] = {{0, 0}, {3, 0}, {3, 3}, {2, 3}, {2, 1}, {1, 1}, {1, 3}, {0, 3}};
    soup s = soup_new(16, 10, 48);
    for (int z = 0; z < 2; ++z)
        for (int i = 0; i < 8; ++i) soup_vertex(&s, kin_v(xy[i][0], xy[i][1], z));
    soup_face(&s, 8, (uint32_t[]){7, 6, 5, 4, 3, 2, 1, 0});
    soup_face(&s, 8, (uint32_t[]){8, 9, 10, 11, 12, 13, 14, 15});
    for (uint32_t i = 0; i < 8; ++i) soup_face(&s, 4, (uint32_t[]){i, (i + 1) % 8, (i + 1) % 8 + 8, i + 8});
    kin_mesh* m = mesh_of(t, &s);
    kin_vec3 two[2] = {{1.4, 1, 0.5}, {1.4, 3, 0.5}};
    kin_shards* p = break_it(t, m, two, 2);
    EQUAL(t, p->count, 3);
    EQUAL(t, p->shards[1].seed, 1);
    EQUAL(t, p->shards[2].seed, 1);
    NEAR(t, p->shards[1].mass.mass, 1, 1e-12);
    NEAR(t, p->shards[2].mass.mass, 1, 1e-12);
    check_pieces(t, m, two, 2, p);
    kin_shards_destroy(p);
    kin_mesh_destroy(m);
    soup_free(&s);
    /* a box with a cavity wholly in one cell: the cavity stays with its piece */
    s = soup_new(16, 12, 48);
    add_box(&s, kin_v(0, 0, 0), kin_v(4, 2, 2), false);
    add_box(&s, kin_v(0.5, 0.5, 0.5), kin_v(1.5, 1.5, 1.5), true);
    m = mesh_of(t, &s);
    kin_vec3 ends[2] = {{0.7, 1, 1}, {3.3, 1, 1}};
    p = break_it(t, m, ends, 2);
    EQUAL(t, p->count, 2);
    NEAR(t, p->shards[0].mass.mass, 7, 1e-12);
    NEAR(t, p->shards[1].mass.mass, 8, 1e-12);
    check_pieces(t, m, ends, 2, p);
    kin_shards_destroy(p);
    kin_mesh_destroy(m);
    soup_free(&s);
}

/* Seeds on a grid: planes through vertices, edges and faces of the mesh and of each other. */
static void seeds_on_a_grid(test* t)
{
    soup s = box_soup(kin_v(2, 2, 2));
    kin_mesh* m = mesh_of(t, &s);
    kin_vec3 seeds[64];
    for (int i = 0; i < 64; ++i) seeds[i] = kin_v(i % 4 - 1.5, i / 4 % 4 - 1.5, i / 16 - 1.5);
    kin_shards* p = break_it(t, m, seeds, 64);
    EQUAL(t, p->count, 64);
    for (size_t i = 0; i < p->count; ++i) {
        NEAR(t, p->shards[i].mass.mass, 1, 1e-12);
        EQUAL(t, p->shards[i].hull->face_count, 6);
    }
    check_pieces(t, m, seeds, 64, p);
    kin_shards_destroy(p);
    kin_mesh_destroy(m);
    soup_free(&s);
}

/* Planes that miss the body's vertices, edges and each other by next to nothing; some pieces touch themselves along an edge. */
static void seeds_nearly_on_a_grid(test* t)
{
    soup s = soup_new(16, 12, 48);
    add_box(&s, kin_v(0, 0, 0), kin_v(3, 3, 3), false);
    add_box(&s, kin_v(1, 1, 1), kin_v(2, 2, 2), true);
    kin_mesh* m = mesh_of(t, &s);
    dice d = {41};
    for (int round = 0; round < 40; ++round) {
        kin_vec3 seeds[27], shift = {roll(&d, 0, 1) < 0.5 ? 0.5 : 0.25, 0.5, 0.5};
        double by = pow(10, roll(&d, -14, -8));
        for (int i = 0; i < 27; ++i) seeds[i] = kin_add_scaled(kin_add(kin_v(i % 3, i / 3 % 3, i / 9), shift), by, roll3(&d, 1));
        kin_shards* p = break_it(t, m, seeds, 27);
        if (p != NULL) check_pieces(t, m, seeds, 27, p);
        kin_shards_destroy(p);
    }
    kin_mesh_destroy(m);
    soup_free(&s);
}

static void scatter_is_uniform_and_repeats(test* t)
{
    soup s = torus_soup(1, 0.4, 24, 12);
    kin_mesh* m = mesh_of(t, &s);
    enum { N = 2000 };
    static kin_vec3 a[N], b[N];
    EQUAL(t, kin_voronoi_scatter(&t->allocator, m, 9, N, a, NULL), KIN_OK);
    EQUAL(t, kin_voronoi_scatter(&t->allocator, m, 9, N / 2, b, NULL), KIN_OK);
    kin_vec3 mean = {0, 0, 0};
    for (int i = 0; i < N; ++i) {
        if (i < N / 2) CHECK(t, a[i].x == b[i].x && a[i].y == b[i].y && a[i].z == b[i].z);
        double ring = sqrt(a[i].x * a[i].x + a[i].z * a[i].z) - 1;
        CHECK(t, ring * ring + a[i].y * a[i].y < 0.17); /* its facets' chords reach a little further in */
        mean = kin_add_scaled(mean, 1.0 / N, a[i]);
    }
    NEAR3(t, mean, kin_v(0, 0, 0), 4 * 0.75 / sqrt(N));
    kin_mesh_destroy(m);
    soup_free(&s);
}

static void refusals(test* t)
{
    soup s = box_soup(kin_v(1, 1, 1));
    kin_mesh* m = mesh_of(t, &s);
    kin_shards* p = NULL;
    kin_error e = {0};
    kin_vec3 seeds[3] = {{0, 0, 0}, {0.5, 0, 0}, {0, 0, 0}};
    EQUAL(t, kin_voronoi_break(&t->allocator, m, seeds, 3, &p, &e), KIN_ERROR_ARGUMENT);
    HAS(t, e.message, "at one place");
    EQUAL(t, kin_voronoi_break(&t->allocator, m, seeds, 0, &p, &e), KIN_ERROR_ARGUMENT);
    seeds[2].x = NAN;
    EQUAL(t, kin_voronoi_break(&t->allocator, m, seeds, 3, &p, &e), KIN_ERROR_ARGUMENT);
    kin_mesh_destroy(m);
    s.face_count = 5;
    m = mesh_of(t, &s);
    EQUAL(t, kin_voronoi_break(&t->allocator, m, seeds, 2, &p, &e), KIN_ERROR_ARGUMENT);
    HAS(t, e.message, "not closed");
    EQUAL(t, kin_voronoi_scatter(&t->allocator, m, 1, 2, seeds, &e), KIN_ERROR_ARGUMENT);
    kin_mesh_destroy(m);
    soup_free(&s);
}

static bool break_and_destroy(test* t, void* context)
{
    kin_vec3 seeds[5];
    kin_shards* p = NULL;
    bool ok = kin_voronoi_scatter(&t->allocator, context, 1, 5, seeds, NULL) == KIN_OK;
    ok = ok && kin_voronoi_break(&t->allocator, context, seeds, 5, &p, NULL) == KIN_OK;
    kin_shards_destroy(p);
    return ok;
}

static void memory_may_fail(test* t)
{
    soup s = box_soup(kin_v(1, 1, 1));
    kin_mesh* m = mesh_of(t, &s);
    test_fail_each_allocation(t, break_and_destroy, m);
    kin_mesh_destroy(m);
    soup_free(&s);
}

TEST_MAIN("geometry/voronoi", TEST(a_box_in_two), TEST(random_seeds), TEST(parts_and_cavities), TEST(seeds_on_a_grid), TEST(seeds_nearly_on_a_grid),
          TEST(scatter_is_uniform_and_repeats), TEST(refusals), TEST(memory_may_fail))
