#include "base/jobs.h"
#include "geometry/isosurface/isosurface.h"
#include "support/test.h"
#include "unit/geometry/isosurface/counting.h"
#include "unit/geometry/shapes.h"
#include <string.h>

enum { SIDE = 4, POINTS = SIDE * KIN_BLOCK_SIDE }; /* a cube of blocks */

/* Noise with every case and many zeros, positive on the border: closed. The same numbers as a grid and as blocks, in a mixed order. */
typedef struct field {
    float grid[POINTS * POINTS * POINTS], values[SIDE * SIDE * SIDE * KIN_BLOCK_POINTS];
    int32_t at[SIDE * SIDE * SIDE][3];
    kin_jobs jobs;
} field;

static field* make_field(test* t, uint64_t seed, int threads)
{
    field* f = malloc(sizeof *f);
    dice d = {seed};
    for (int i = 0; i < POINTS * POINTS * POINTS; ++i) {
        int x = i % POINTS, y = i / POINTS % POINTS, z = i / POINTS / POINTS;
        bool border = x < 2 || y < 2 || z < 2 || x >= POINTS - 2 || y >= POINTS - 2 || z >= POINTS - 2; /* two layers: gradients do not see the edge */
        f->grid[i] = border ? 1 : roll(&d, 0, 1) < 0.05 ? 0 : (float)roll(&d, -1, 1);
    }
    for (int n = 0; n < SIDE * SIDE * SIDE; ++n) {
        int b = n * 37 % (SIDE * SIDE * SIDE), place[3] = {b % SIDE, b / SIDE % SIDE, b / SIDE / SIDE};
        for (int a = 0; a < 3; ++a) f->at[n][a] = place[a] - 1;
        for (int i = 0; i < KIN_BLOCK_POINTS; ++i) {
            int x = 8 * place[0] + i % 8, y = 8 * place[1] + i / 8 % 8, z = 8 * place[2] + i / 64;
            f->values[n * KIN_BLOCK_POINTS + i] = f->grid[(z * POINTS + y) * POINTS + x];
        }
    }
    CHECK(t, kin_jobs_init(&f->jobs, &t->allocator, NULL, threads, NULL) == KIN_OK);
    return f;
}

static void free_field(field* f)
{
    kin_jobs_term(&f->jobs);
    free(f);
}

static kin_isosurface_blocks blocks_of(const field* f)
{
    return (kin_isosurface_blocks){
        .origin = {2, 3, 4}, .cell = 0.25, .outside = 1, .normals = true, .count = SIDE * SIDE * SIDE, .at = f->at, .values = f->values};
}

static void blocks_give_the_mesh_of_the_grid(test* t) /* as many of everything, and the same volume: the same triangles in another order */
{
    for (uint64_t seed = 1; seed < 4; ++seed) {
        field* f = make_field(t, seed, 1);
        kin_isosurface_blocks blocks = blocks_of(f);
        kin_isosurface_grid grid = {.origin = {2 - 2, 3 - 2, 4 - 2}, .cell = 0.25, .points = {POINTS, POINTS, POINTS}, .normals = true};
        kin_isosurface a, b;
        CHECK(t, kin_isosurface_of_grid(&t->allocator, &f->jobs, &grid, f->grid, &a, NULL) == KIN_OK);
        CHECK(t, kin_isosurface_of_blocks(&t->allocator, &f->jobs, &blocks, &b, NULL) == KIN_OK);
        counts of_a = count_up(a.corners, a.triangle_count, a.vertex_count), of_b = count_up(b.corners, b.triangle_count, b.vertex_count);
        CHECK(t, of_b.sound && of_b.borders == 0 && of_b.triangles > 1000);
        EQUAL(t, of_b.vertices, of_a.vertices);
        EQUAL(t, of_b.triangles, of_a.triangles);
        EQUAL(t, of_b.components, of_a.components);
        EQUAL(t, euler(&of_b), euler(&of_a));
        NEAR(t, enclosed(&b), enclosed(&a), 1e-9);
        kin_vec3 sum_a = {0}, sum_b = {0};
        for (size_t i = 0; i < a.vertex_count; ++i) sum_a = kin_add(sum_a, a.normals[i]);
        for (size_t i = 0; i < b.vertex_count; ++i) sum_b = kin_add(sum_b, b.normals[i]);
        NEAR3(t, sum_b, sum_a, 1e-9 * (double)a.vertex_count);
        kin_isosurface_term(&a);
        kin_isosurface_term(&b);
        free_field(f);
    }
}

static void any_number_of_threads_gives_the_same_bits(test* t)
{
    kin_isosurface first = {0};
    for (int threads = 1; threads <= 8; threads = threads == 1 ? 2 : threads * 4) {
        field* f = make_field(t, 9, threads);
        kin_isosurface_blocks blocks = blocks_of(f);
        kin_isosurface s;
        CHECK(t, kin_isosurface_of_blocks(&t->allocator, &f->jobs, &blocks, &s, NULL) == KIN_OK);
        if (threads == 1) {
            first = s;
        } else {
            EQUAL(t, s.vertex_count, first.vertex_count);
            CHECK(t, memcmp(s.vertices, first.vertices, s.vertex_count * sizeof *s.vertices) == 0);
            CHECK(t, memcmp(s.normals, first.normals, s.vertex_count * sizeof *s.normals) == 0);
            CHECK(t, memcmp(s.corners, first.corners, s.triangle_count * 3 * sizeof *s.corners) == 0);
            kin_isosurface_term(&s);
        }
        free_field(f);
    }
    kin_isosurface_term(&first);
}

static void bad_blocks_are_refused_by_name(test* t)
{
    field* f = make_field(t, 2, 1);
    kin_isosurface_blocks good = blocks_of(f), b;
    kin_isosurface s;
    kin_error error;
    int32_t keep = f->at[0][0];
    f->at[0][0] = f->at[1][0], f->at[0][1] = f->at[1][1], f->at[0][2] = f->at[1][2];
    CHECK(t, kin_isosurface_of_blocks(&t->allocator, &f->jobs, &good, &s, &error) != KIN_OK);
    HAS(t, error.message, "same place");
    f->at[0][0] = keep, f->at[0][1] = f->at[0][2] = -1;
    b = good, b.count -= 1; /* the last one is missing: its upper neighbours are open below */
    CHECK(t, kin_isosurface_of_blocks(&t->allocator, &f->jobs, &b, &s, &error) != KIN_OK);
    HAS(t, error.message, "border");
    b = good, b.outside = -1;
    CHECK(t, kin_isosurface_of_blocks(&t->allocator, &f->jobs, &b, &s, &error) != KIN_OK);
    HAS(t, error.message, "outside");
    b = good, b.cell = 0;
    CHECK(t, kin_isosurface_of_blocks(&t->allocator, &f->jobs, &b, &s, &error) != KIN_OK);
    HAS(t, error.message, "cell");
    f->values[777] = (float)NAN;
    CHECK(t, kin_isosurface_of_blocks(&t->allocator, &f->jobs, &good, &s, &error) != KIN_OK);
    HAS(t, error.message, "not finite");
    b = good, b.count = 0;
    CHECK(t, kin_isosurface_of_blocks(&t->allocator, &f->jobs, &b, &s, &error) == KIN_OK && s.vertex_count == 0);
    free_field(f);
}

static bool extract_once(test* t, void* context)
{
    field* f = context;
    kin_isosurface_blocks blocks = blocks_of(f);
    kin_isosurface s;
    bool ok = kin_isosurface_of_blocks(&t->allocator, &f->jobs, &blocks, &s, NULL) == KIN_OK;
    kin_isosurface_term(&s);
    return ok;
}

static void failing_memory_leaks_nothing(test* t)
{
    field* f = make_field(t, 5, 1);
    test_fail_each_allocation(t, extract_once, f);
    free_field(f);
}

TEST_MAIN("blocks", TEST(blocks_give_the_mesh_of_the_grid), TEST(any_number_of_threads_gives_the_same_bits), TEST(bad_blocks_are_refused_by_name),
          TEST(failing_memory_leaks_nothing))
