#include "geometry/neighbours.h"
#include "geometry/cells.h"
#include "geometry/kdtree.h"
#include "geometry/octree.h"
#include "support/test.h"
#include "unit/geometry/shapes.h"
#include <string.h>

#define N 400

/* Every kind with the options that change its paths; the first is the reference. */
static const kin_neighbours_def defs[] = {
    {.kind = KIN_NEIGHBOURS_BRUTE},
    {.kind = KIN_NEIGHBOURS_GRID},
    {.kind = KIN_NEIGHBOURS_HASH},
    {.kind = KIN_NEIGHBOURS_OCTREE_FULL},
    {.kind = KIN_NEIGHBOURS_OCTREE},
    {.kind = KIN_NEIGHBOURS_KDTREE},
    {.kind = KIN_NEIGHBOURS_GRID, .cell = 0.11},
    {.kind = KIN_NEIGHBOURS_HASH, .cell = 0.07},
    {.kind = KIN_NEIGHBOURS_OCTREE_FULL, .depth = 3},
    {.kind = KIN_NEIGHBOURS_OCTREE, .leaf = 1, .depth = 5},
    {.kind = KIN_NEIGHBOURS_OCTREE, .leaf = 1},
    {.kind = KIN_NEIGHBOURS_KDTREE, .leaf = 1},
    {.kind = KIN_NEIGHBOURS_KDTREE, .longest_axis = true},
    {.kind = KIN_NEIGHBOURS_KDTREE, .leaf = 1, .longest_axis = true},
    {.kind = KIN_NEIGHBOURS_BRUTE, .skin = 0.05},
    {.kind = KIN_NEIGHBOURS_GRID, .skin = 0.1},
    {.kind = KIN_NEIGHBOURS_HASH, .skin = 0.3},
    {.kind = KIN_NEIGHBOURS_OCTREE_FULL, .skin = 0.1},
    {.kind = KIN_NEIGHBOURS_OCTREE, .skin = 0.02},
    {.kind = KIN_NEIGHBOURS_KDTREE, .skin = 0.1},
    {.kind = KIN_NEIGHBOURS_KDTREE, .leaf = 1, .skin = 0.5},
};
enum { DEFS = sizeof defs / sizeof *defs };

/* A search with some points in it; NULL on failure. */
static kin_neighbours* search(test* t, const kin_neighbours_def* def, const kin_vec3* points, uint32_t n, double radius)
{
    kin_neighbours* near;
    kin_error error = {0};
    if (kin_neighbours_create(&t->allocator, def, &near, &error) != KIN_OK) return NULL;
    if (kin_neighbours_update(near, NULL, kin_points_of_vectors(points), n, radius, &error) == KIN_OK) return near;
    test_check(t, t->fail_after >= 0, __FILE__, __LINE__, "update: %s", error.message);
    kin_neighbours_destroy(near);
    return NULL;
}

/* ---- clouds ---- */

enum { UNIFORM, ONE_POINT, LINE, LATTICE, CLUSTERS, HUGE_BOX, TINY, PLANE, FAR_AWAY, EXTREME, CLOUDS };

static void fill_cloud(dice* d, int cloud, kin_vec3* p, uint32_t n)
{
    for (uint32_t i = 0; i < n; ++i) {
        kin_vec3 u = roll3(d, 1);
        switch (cloud) {
        case ONE_POINT: p[i] = kin_v(0.3, -0.2, 7); break;
        case LINE: p[i] = kin_v(0.5, u.y, 0.25); break;
        case LATTICE: p[i] = kin_v(0.125 * (i % 8), 0.125 * (i / 8 % 8), 0.125 * (i / 64)); break; /* many exact ties */
        case CLUSTERS: p[i] = kin_add_scaled(kin_v(1e9 * (i % 3), -1e9 * (i % 2), 0), 0.3, u); break;
        case HUGE_BOX: p[i] = i % 2 ? kin_scale(u, 1e12) : u; break;
        case TINY: p[i] = kin_scale(u, 1e-161); break; /* squares vanish */
        case PLANE: p[i] = kin_v(u.x, 0, i % 5 ? u.z : 0); break;
        case FAR_AWAY: p[i] = kin_add(u, kin_v(1e15, -1e15, 0)); break; /* places are 1/8 apart there */
        case EXTREME: p[i] = i % 3 ? kin_scale(u, 1e300) : kin_scale(u, 1e-300); break;
        default: p[i] = u; break;
        }
    }
}

static const double radii[] = {0.25, 0, 0.125, 1e-200, 1.1, 3, 1e10, 1e150};
enum { RADII = sizeof radii / sizeof *radii };

static void check_queries(test* t, const kin_neighbours* a, const kin_neighbours* b, dice* d, const kin_vec3* p, uint32_t n, int queries)
{
    uint32_t want[N], got[N], few[7];
    double want2[N], got2[N];
    for (int q = 0; q < queries; ++q) {
        kin_vec3 at = q % 3 == 0 || n == 0 ? roll3(d, 1.5) : q % 3 == 1 ? p[(uint32_t)roll(d, 0, n)] : kin_add(p[(uint32_t)roll(d, 0, n)], roll3(d, 0.3));
        double r = q % 11 == 0 ? 1e300 : q % 2 ? roll(d, 0, 0.5) : radii[q / 2 % RADII];
        uint32_t wanted = kin_neighbours_query(a, at, r, want, N), found = kin_neighbours_query(b, at, r, got, N);
        EQUAL(t, found, wanted);
        CHECK(t, memcmp(want, got, (wanted < found ? wanted : found) * sizeof *got) == 0);
        EQUAL(t, kin_neighbours_query(b, at, r, few, 7), wanted); /* the lowest seven */
        CHECK(t, memcmp(want, few, (wanted < 7 ? wanted : 7) * sizeof *few) == 0);
        EQUAL(t, kin_neighbours_query(b, at, r, NULL, 0), wanted);
        uint32_t k = q % 4 == 0 ? N : 1 + (uint32_t)q % 9;
        EQUAL(t, kin_neighbours_nearest(a, at, k, want, want2), k < n ? k : n);
        EQUAL(t, kin_neighbours_nearest(b, at, k, got, got2), k < n ? k : n);
        CHECK(t, memcmp(want, got, (k < n ? k : n) * sizeof *got) == 0 && memcmp(want2, got2, (k < n ? k : n) * sizeof *got2) == 0);
    }
}

static void check_lists(test* t, kin_neighbours* a, kin_neighbours* b)
{
    kin_neighbour_lists want, got;
    EQUAL(t, kin_neighbours_lists(a, NULL, &want, NULL), KIN_OK);
    EQUAL(t, kin_neighbours_lists(b, NULL, &got, NULL), KIN_OK);
    EQUAL(t, got.count, want.count);
    bool same = memcmp(want.offsets, got.offsets, (want.count + (size_t)1) * sizeof *got.offsets) == 0;
    CHECK(t, same && (want.offsets[want.count] == 0 || memcmp(want.indices, got.indices, want.offsets[want.count] * sizeof *got.indices) == 0));
}

static void every_kind_finds_what_brute_force_finds(test* t) /* H6.3a-c, C2.4.1, R3.7 */
{
    static kin_vec3 p[N];
    dice d = {11};
    static const uint32_t counts[] = {0, 1, 2, 3, 17, 90, N};
    for (int cloud = 0; cloud < CLOUDS; ++cloud) {
        for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
            uint32_t n = counts[c];
            fill_cloud(&d, cloud, p, n);
            double r = radii[(c + (size_t)cloud) % RADII];
            if (n == N) r = 0.25;
            kin_neighbours* brute = search(t, &defs[0], p, n, r);
            for (int k = 1; k < DEFS; ++k) {
                kin_neighbours* near = search(t, &defs[k], p, n, r);
                int before = t->failures;
                check_queries(t, brute, near, &d, p, n, 24);
                check_lists(t, brute, near);
                test_check(t, t->failures == before, __FILE__, __LINE__, "def %d, cloud %d, %u points", k, cloud, n);
                kin_neighbours_destroy(near);
            }
            kin_neighbours_destroy(brute);
        }
    }
}

/* One search, one cloud after the other: what is left of the last, such as room that is now too small here and too large there, must not show. */
static void what_was_before_does_not_matter(test* t)
{
    static kin_vec3 p[N];
    dice d = {27};
    for (int k = 0; k < DEFS; ++k) {
        kin_neighbours* near = search(t, &defs[k], p, 0, 1);
        for (int round = 0; round < 30; ++round) {
            uint32_t n = (uint32_t)roll(&d, 0, N + 0.99);
            fill_cloud(&d, (int)roll(&d, 0, CLOUDS - 0.01), p, n);
            if (round % 3 == 0) fill_cloud(&d, ONE_POINT, p + n / 2, n - n / 2); /* one half much denser than the other */
            double r = round % 4 ? 0.2 : 0.6;
            kin_neighbours* brute = search(t, &defs[0], p, n, r);
            EQUAL(t, kin_neighbours_update(near, NULL, kin_points_of_vectors(p), n, r, NULL), KIN_OK);
            check_lists(t, brute, near);
            check_queries(t, brute, near, &d, p, n, 3);
            kin_neighbours_destroy(brute);
        }
        kin_neighbours_destroy(near);
    }
}

/* Chunks that find more than their share of the room search again: a dense ball in thin air. */
static void uneven_clouds_overflow_their_room(test* t)
{
    enum { MANY = 6000 };
    static kin_vec3 p[MANY];
    dice d = {28};
    for (int i = 0; i < MANY; ++i) p[i] = i % 10 ? roll3(&d, 1) : kin_scale(roll3(&d, 1), 0.06);
    for (int k = 1; k < 6; ++k) {
        kin_neighbours *brute = search(t, &defs[0], p, MANY, 0.1), *near = search(t, &defs[k], p, MANY, 0.1);
        for (int round = 0; round < 3; ++round) {
            check_lists(t, brute, near);
            EQUAL(t, kin_neighbours_update(near, NULL, kin_points_of_vectors(p), MANY, 0.1, NULL), KIN_OK);
        }
        kin_neighbours_destroy(near);
        kin_neighbours_destroy(brute);
    }
}

/* The reference itself, by a loop written out here. */
static void brute_force_is_the_plain_loop(test* t)
{
    static kin_vec3 p[N];
    dice d = {12};
    fill_cloud(&d, LATTICE, p, N / 2);
    fill_cloud(&d, UNIFORM, p + N / 2, N / 2);
    kin_neighbours* near = search(t, &defs[0], p, N, 0.25);
    kin_neighbour_lists lists;
    EQUAL(t, kin_neighbours_lists(near, NULL, &lists, NULL), KIN_OK);
    kin_neighbour_pair* pairs = calloc(N * N, sizeof *pairs);
    size_t pair_count = kin_neighbour_pairs(&lists, pairs, N * N), at = 0, pair = 0;
    for (uint32_t i = 0; i < N; ++i) {
        EQUAL(t, lists.offsets[i], at);
        for (uint32_t j = 0; j < N; ++j) {
            double x = p[j].x - p[i].x, y = p[j].y - p[i].y, z = p[j].z - p[i].z;
            if (i == j || !(x * x + y * y + z * z <= 0.25 * 0.25)) continue;
            EQUAL(t, lists.indices[at++], j);
            if (j < i) continue;
            CHECK(t, pairs[pair].i == i && pairs[pair].j == j);
            pair += 1;
        }
    }
    EQUAL(t, lists.offsets[N], at);
    EQUAL(t, pair_count, pair);
    EQUAL(t, kin_neighbour_pairs(&lists, pairs, 3), pair); /* cut, and says how many there are */
    free(pairs);
    kin_neighbours_destroy(near);
}

static void arrays_and_vectors_are_the_same_points(test* t)
{
    static kin_vec3 p[N];
    static double x[N], y[N], z[N];
    dice d = {13};
    fill_cloud(&d, UNIFORM, p, N);
    for (int i = 0; i < N; ++i) x[i] = p[i].x, y[i] = p[i].y, z[i] = p[i].z;
    kin_neighbours *a = search(t, &defs[1], p, N, 0.3), *b = search(t, &defs[1], p, 1, 0.1);
    EQUAL(t, kin_neighbours_update(b, NULL, kin_points_of_arrays(x, y, z), N, 0.3, NULL), KIN_OK);
    EQUAL(t, kin_neighbours_count(b), N);
    memset(x, 0, sizeof x); /* they were copied */
    check_lists(t, a, b);
    kin_neighbours_destroy(a);
    kin_neighbours_destroy(b);
}

static void bad_numbers_are_refused_and_change_nothing(test* t)
{
    kin_vec3 p[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    uint32_t out[5];
    double d2[5];
    kin_error error = {0};
    kin_neighbours* near;
    for (int k = 0; k < DEFS; ++k) {
        near = search(t, &defs[k], p, 5, 1);
        kin_vec3 bad[5];
        for (int which = 0; which < 9; ++which) {
            memcpy(bad, p, sizeof bad);
            (&bad[3].x)[which % 3] = which < 3 ? NAN : which < 6 ? INFINITY : -1.1e300;
            EQUAL(t, kin_neighbours_update(near, NULL, kin_points_of_vectors(bad), 5, 1, &error), KIN_ERROR_ARGUMENT);
            HAS(t, error.message, "point 3");
        }
        EQUAL(t, kin_neighbours_update(near, NULL, kin_points_of_vectors(p), 5, NAN, &error), KIN_ERROR_ARGUMENT);
        EQUAL(t, kin_neighbours_update(near, NULL, kin_points_of_vectors(p), 5, -1, &error), KIN_ERROR_ARGUMENT);
        EQUAL(t, kin_neighbours_update(near, NULL, kin_points_of_vectors(p), 5, 1e200, &error), KIN_ERROR_ARGUMENT);
        EQUAL(t, kin_neighbours_query(near, kin_v(0, 0, 0), 1, out, 5), 4);
        EQUAL(t, kin_neighbours_query(near, kin_v(0, NAN, 0), 1, out, 5), 0);
        EQUAL(t, kin_neighbours_query(near, kin_v(0, 0, 0), NAN, out, 5), 0);
        EQUAL(t, kin_neighbours_query(near, kin_v(0, 0, 0), -1, out, 5), 0);
        EQUAL(t, kin_neighbours_query(near, kin_v(0, 0, INFINITY), 1, out, 5), 0);
        EQUAL(t, kin_neighbours_query(near, kin_v(1e308, -1e308, 0), INFINITY, out, 5), 5);
        EQUAL(t, kin_neighbours_nearest(near, kin_v(NAN, 0, 0), 2, out, d2), 0);
        EQUAL(t, kin_neighbours_update(near, NULL, (kin_points){0}, 0, 1, &error), KIN_OK); /* none is a cloud too */
        EQUAL(t, kin_neighbours_query(near, kin_v(0, 0, 0), 1, out, 5), 0);
        kin_neighbour_lists lists;
        EQUAL(t, kin_neighbours_lists(near, NULL, &lists, &error), KIN_OK);
        EQUAL(t, lists.offsets[0], 0);
        EQUAL(t, kin_neighbour_pairs(&lists, NULL, 0), 0);
        kin_neighbours_destroy(near);
    }
    EQUAL(t, kin_neighbours_create(&t->allocator, &(kin_neighbours_def){.kind = KIN_NEIGHBOURS_KINDS}, &near, &error), KIN_ERROR_ARGUMENT);
    EQUAL(t, kin_neighbours_create(&t->allocator, &(kin_neighbours_def){.skin = -1}, &near, &error), KIN_ERROR_ARGUMENT);
    EQUAL(t, kin_neighbours_create(&t->allocator, &(kin_neighbours_def){.cell = NAN}, &near, &error), KIN_ERROR_ARGUMENT);
    CHECK(t, near == NULL);
    kin_neighbours_destroy(NULL);
}

/* ---- cells ---- */

static kin_cloud cloud_of(const kin_vec3* p, uint32_t n, double* at) /* at: 3 n */
{
    kin_cloud c = {.at = {at, at + n, at + 2 * (size_t)n}, .count = n};
    for (uint32_t i = 0; i < n; ++i) at[i] = p[i].x, at[n + i] = p[i].y, at[2 * n + i] = p[i].z;
    for (int k = 0; k < 3 && n > 0; ++k) {
        c.low[k] = 1e308, c.high[k] = -1e308;
        for (uint32_t i = 0; i < n; ++i) c.low[k] = fmin(c.low[k], c.at[k][i]), c.high[k] = fmax(c.high[k], c.at[k][i]);
    }
    return c;
}

static void boxes_become_rows_and_columns(test* t) /* H4.4d with E4; C2.4.1: Fig 2.15 */
{
    kin_cell_frame f = {{6, -4, 0}, 0.5, {8, 8, 1}};
    EQUAL(t, kin_cell_at(&f, 0, 8.4), 1);
    EQUAL(t, kin_cell_at(&f, 0, 16.8), 5);
    EQUAL(t, kin_cell_at(&f, 1, 0.2), 2);
    EQUAL(t, kin_cell_at(&f, 1, 8.2), 6);
    EQUAL(t, kin_cell_index(&(kin_cell_frame){.dims = {5, 4, 3}}, 2, 3, 1), (1 * 4 + 3) * 5 + 2); /* (p M + r) N + c */
    EQUAL(t, kin_cell_at(&f, 0, -1e300), 0);                                                      /* clamped at the borders */
    EQUAL(t, kin_cell_at(&f, 0, 1e300), 7);
    kin_cell_frame unit = {{0, 0, 0}, 1, {14, 14, 14}};
    kin_cell_box box = kin_cell_box_around(&unit, (double[3]){3, 6, 5}, 0.9);
    for (int k = 0; k < 3; ++k) {
        EQUAL(t, box.low[k], ((int[]){2, 5, 4})[k]);
        EQUAL(t, box.high[k], ((int[]){3, 6, 5})[k]);
    }
}

static void beyond_27_cells_is_farther_than_a_cell(test* t) /* H6.3a */
{
    static kin_vec3 p[N];
    static double at[3 * N];
    uint32_t items[N];
    dice d = {14};
    for (int round = 0; round < 20; ++round) {
        kin_cells cells = {0};
        fill_cloud(&d, round % 2 ? LATTICE : UNIFORM, p, N);
        kin_cloud cloud = cloud_of(p, N, at);
        double edge = round % 2 ? 0.25 : roll(&d, 0.2, 0.7);
        CHECK(t, kin_cells_build(&cells, &t->allocator, NULL, &cloud, edge, round % 4 < 2, items));
        NEAR(t, cells.edge, edge, round % 4 < 2 ? 0 : 2); /* a grid may have to grow */
        int outside = 0;
        for (int i = 0; i < N; ++i) {
            for (int j = 0; j < i; ++j) {
                bool in27 = true;
                for (int k = 0; k < 3; ++k) {
                    uint32_t a = kin_cell_at(&cells.frame, k, cloud.at[k][i]), b = kin_cell_at(&cells.frame, k, cloud.at[k][j]);
                    in27 = in27 && (a > b ? a - b : b - a) <= 1;
                }
                if (in27) continue;
                outside += 1;
                CHECK(t, kin_distance(p[i], p[j]) > cells.edge * (1 - 1e-14));
            }
        }
        CHECK(t, outside > 100);
        kin_cells_term(&cells, &t->allocator);
    }
}

static void cells_sort_every_point_once(test* t)
{
    static kin_vec3 p[N];
    static double at[3 * N];
    uint32_t items[N];
    dice d = {15};
    kin_cells cells = {0};
    for (int cloud_kind = 0; cloud_kind < CLOUDS; ++cloud_kind) {
        for (int hashed = 0; hashed < 2; ++hashed) {
            fill_cloud(&d, cloud_kind, p, N);
            kin_cloud cloud = cloud_of(p, N, at);
            CHECK(t, kin_cells_build(&cells, &t->allocator, NULL, &cloud, 0.2, hashed, items));
            CHECK(t, cells.cell_count <= N + 64);
            EQUAL(t, cells.starts[cells.cell_count], N);
            int seen[N] = {0};
            for (uint32_t c = 0; c < cells.cell_count; ++c) {
                for (uint32_t s = cells.starts[c]; s < cells.starts[c + 1]; ++s) {
                    seen[items[s]] += 1;
                    EQUAL(t, cells.cell_of[items[s]], c);
                    CHECK(t, s == cells.starts[c] || items[s - 1] < items[s]);
                }
            }
            for (int i = 0; i < N; ++i) EQUAL(t, seen[i], 1);
        }
    }
    kin_cells_term(&cells, &t->allocator);
}

/* R3.7: eq 3.35 hashes x three times; then cells of a column in y and z would all collide. */
static void hash_uses_all_three_coordinates(test* t)
{
    static int bins[4096];
    memset(bins, 0, sizeof bins);
    int most = 0;
    for (uint32_t x = 0; x < 16; ++x)
        for (uint32_t y = 0; y < 16; ++y)
            for (uint32_t z = 0; z < 16; ++z) {
                int* b = &bins[kin_cell_hash(x, y, z) & 4095];
                *b += 1;
                if (*b > most) most = *b;
            }
    CHECK(t, most <= 10); /* 4096 balls in 4096 bins: 7 or so */
}

/* C3.3.4c: within the cut-off sc are ceil(sc / s) cells to each side, not floor(p / 2) with p = ceil(sc / s). */
static void cut_off_needs_all_the_cells_within_it(test* t)
{
    static kin_vec3 p[N];
    static double at[3 * N];
    uint32_t items[N];
    dice d = {16};
    fill_cloud(&d, UNIFORM, p, N);
    kin_cloud cloud = cloud_of(p, N, at);
    for (int parts = 1; parts <= 5; ++parts) {
        double cutoff = 0.6, s = cutoff / parts * (1 + 1e-9), half = ceil(cutoff / s) / 2;
        kin_cells cells = {0};
        CHECK(t, kin_cells_build(&cells, &t->allocator, NULL, &cloud, s, true, items));
        double truth = 0, ours = 0, printed = 0;
        for (int i = 0; i < N; ++i) {
            double q[3] = {p[i].x, p[i].y, p[i].z};
            kin_cells_walk w;
            kin_cells_walk_begin(&w, &cells, q, cutoff);
            for (int k = 0; k < 3; ++k) {
                uint32_t own = kin_cell_at(&cells.frame, k, q[k]), p_cells = (uint32_t)parts;
                CHECK(t, own - w.box.low[k] <= p_cells && w.box.high[k] - own <= p_cells);
            }
            while (kin_cells_walk_next(&w))
                for (uint32_t o = w.begin; o < w.end; ++o) {
                    double r = kin_distance(p[i], p[items[o]]);
                    if ((int)items[o] != i && r <= cutoff) ours += 1 / r;
                }
            for (int j = 0; j < N; ++j) {
                double r = kin_distance(p[i], p[j]);
                bool inside = true;
                for (int k = 0; k < 3; ++k) {
                    double a = kin_cell_at(&cells.frame, k, cloud.at[k][i]), b = kin_cell_at(&cells.frame, k, cloud.at[k][j]);
                    inside = inside && fabs(a - b) <= floor(half);
                }
                if (j != i && r <= cutoff) truth += 1 / r;
                if (j != i && r <= cutoff && inside) printed += 1 / r;
            }
        }
        NEAR(t, ours, truth, 1e-9 * truth);
        CHECK(t, printed < 0.95 * truth); /* the printed rule loses some */
        kin_cells_term(&cells, &t->allocator);
    }
}

/* ---- octrees ---- */

static void octree_numbers_go_both_ways(test* t) /* H6.3b */
{
    static const uint32_t starts[] = {0, 1, 9, 73, 585, 4681};
    for (uint32_t level = 0; level < 6; ++level) EQUAL(t, kin_octree_level_start(level), starts[level]);
    EQUAL(t, kin_octree_level_start(9), (134217728 - 1) / 7);
    static char seen[4681];
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < 4681; ++i) {
        kin_octree_place p = kin_octree_place_of(i);
        EQUAL(t, kin_octree_index(p), i);
        for (uint32_t octant = 0; octant < 8; ++octant) {
            uint32_t child = kin_octree_child(i, octant), side = 2u << p.level;
            EQUAL(t, kin_octree_parent(child), i);
            EQUAL(t, child, kin_octree_child(i, 0) + (octant & 1) + (octant >> 1 & 1) * side + (octant >> 2) * side * side); /* +1, +M, +M^2 */
            if (child < 4681) seen[child] += 1;
        }
    }
    for (uint32_t i = 1; i < 4681; ++i) EQUAL(t, seen[i], 1); /* each has one parent */
}

static void full_octree_counts_what_is_below(test* t)
{
    static kin_vec3 p[N];
    static double at[3 * N];
    uint32_t items[N];
    dice d = {17};
    kin_octree tree = {0};
    for (int cloud_kind = 0; cloud_kind < CLOUDS; ++cloud_kind) {
        fill_cloud(&d, cloud_kind, p, N);
        kin_cloud cloud = cloud_of(p, N, at);
        CHECK(t, kin_octree_build_full(&tree, &t->allocator, NULL, &cloud, 0.1, 4, items));
        EQUAL(t, tree.depth, 4);
        EQUAL(t, tree.below[0], N);
        for (uint32_t i = 0; i < 585; ++i) {
            uint32_t sum = 0;
            for (uint32_t o = 0; o < 8; ++o) sum += tree.below[kin_octree_child(i, o)];
            EQUAL(t, tree.below[i], sum);
        }
    }
    CHECK(t, kin_octree_build_full(&tree, &t->allocator, NULL, &(kin_cloud){.count = 0}, 0.1, 0, items));
    EQUAL(t, tree.depth, 0);
    kin_octree_term(&tree, &t->allocator);
}

static void adaptive_octree_keeps_its_limits(test* t)
{
    static kin_vec3 p[N];
    static double at[3 * N];
    uint32_t items[N];
    dice d = {18};
    kin_octree tree = {0};
    for (int round = 0; round < 4 * CLOUDS; ++round) {
        uint32_t leaf = 1 + (uint32_t)round % 5, depth = round % 3 ? 21 : 3;
        fill_cloud(&d, round % CLOUDS, p, N);
        kin_cloud cloud = cloud_of(p, N, at);
        CHECK(t, kin_octree_build(&tree, &t->allocator, NULL, &cloud, leaf, depth, items));
        CHECK(t, tree.node_count <= 2 * N - 1);
        int seen[N] = {0};
        for (uint32_t i = 0; i < tree.node_count; ++i) {
            const kin_octree_node* n = &tree.nodes[i];
            for (uint32_t s = n->begin; s < n->end; ++s) {
                for (int k = 0; k < 3; ++k) EQUAL(t, kin_cell_at(&tree.frame, k, cloud.at[k][items[s]]) >> n->shift, n->low[k] >> n->shift);
                seen[items[s]] += n->child_count == 0;
            }
            if (n->child_count == 0) {
                CHECK(t, n->end - n->begin <= leaf || n->shift == 0);
            } else {
                CHECK(t, n->child > i && n->child_count >= 2 && n->shift <= depth);
                uint32_t begin = n->begin;
                for (uint32_t c = n->child; c < n->child + n->child_count; begin = tree.nodes[c++].end) {
                    EQUAL(t, tree.nodes[c].begin, begin);
                    CHECK(t, tree.nodes[c].shift < n->shift);
                }
                EQUAL(t, begin, n->end);
            }
        }
        for (int i = 0; i < N; ++i) EQUAL(t, seen[i], 1);
        if (round % CLOUDS == ONE_POINT) EQUAL(t, tree.node_count, 1); /* indivisible */
    }
    kin_octree_term(&tree, &t->allocator);
}

/* ---- kd-tree ---- */

/* The highest heap index in use; checks order and sizes on the way. */
static size_t check_part(test* t, const kin_kdtree* tree, const kin_cloud* cloud, const uint32_t* items, kin_kdtree_part part, uint32_t level)
{
    if (part.count == 0) return 0;
    if (!CHECK(t, part.node < kin_kdtree_size(tree->item_count))) return 0;
    const kin_kdtree_node* n = &tree->nodes[part.node];
    if (!CHECK(t, n->item == part.begin + part.count / 2)) return 0;
    if (!tree->longest_axis) EQUAL(t, n->axis, level % 3);
    const double* x = cloud->at[n->axis];
    CHECK(t, n->split == x[items[n->item]]);
    for (uint32_t s = part.begin; s < n->item; ++s) CHECK(t, x[items[s]] <= n->split);
    for (uint32_t s = n->item; s < part.begin + part.count; ++s) CHECK(t, x[items[s]] >= n->split);
    size_t highest = part.node;
    kin_kdtree_part left = kin_kdtree_left(part), right = kin_kdtree_right(part);
    EQUAL(t, left.count, (part.count - 1 + 1) / 2); /* ceil((n - 1) / 2) */
    EQUAL(t, right.count, (part.count - 1) / 2);
    EQUAL(t, (left.node - 1) / 2, part.node);
    EQUAL(t, (right.node - 1) / 2, part.node);
    size_t a = check_part(t, tree, cloud, items, left, level + 1), b = check_part(t, tree, cloud, items, right, level + 1);
    if (a > highest) highest = a;
    if (b > highest) highest = b;
    return highest;
}

static void kdtree_fits_its_heap(test* t) /* H6.3c */
{
    static kin_vec3 p[N];
    static double at[3 * N];
    uint32_t items[N];
    dice d = {19};
    kin_kdtree tree = {0};
    for (uint32_t n = 1; n <= N; n += n < 70 ? 1 : 33) {
        fill_cloud(&d, n % 3 ? UNIFORM : n % CLOUDS, p, n);
        kin_cloud cloud = cloud_of(p, n, at);
        CHECK(t, kin_kdtree_build(&tree, &t->allocator, NULL, &cloud, 1, n % 2, items));
        size_t highest = check_part(t, &tree, &cloud, items, (kin_kdtree_part){0, 0, n}, 0);
        EQUAL(t, kin_kdtree_depth(n), ceil(log2(n + 1.0)));
        size_t levels = 0;
        while (highest + 1 >= (size_t)1 << levels) levels += 1;
        EQUAL(t, levels, kin_kdtree_depth(n));
        bool overflows = n == 5 || (n >= 9 && n <= 13) || n == 17; /* an array of n would be too small */
        if (n <= 17) EQUAL(t, highest >= n, overflows);
        uint32_t used = 0;
        for (size_t i = 0; i < kin_kdtree_size(n); ++i) used += tree.nodes[i].item != UINT32_MAX;
        EQUAL(t, used, n);
    }
    kin_kdtree_term(&tree, &t->allocator);
}

static void kdtree_prunes(test* t)
{
    enum { MANY = 20000 };
    kin_vec3* p = calloc(MANY, sizeof *p);
    double* at = calloc(3 * MANY, sizeof *at);
    uint32_t* items = calloc(MANY, sizeof *items);
    dice d = {20};
    fill_cloud(&d, UNIFORM, p, MANY);
    kin_cloud cloud = cloud_of(p, MANY, at);
    kin_kdtree tree = {0};
    CHECK(t, kin_kdtree_build(&tree, &t->allocator, NULL, &cloud, 1, false, items));
    check_part(t, &tree, &cloud, items, (kin_kdtree_part){0, 0, MANY}, 0);
    uint64_t named = 0;
    for (int i = 0; i < 1000; ++i) {
        kin_kdtree_walk w;
        for (kin_kdtree_walk_begin(&w, &tree, (double[3]){p[i].x, p[i].y, p[i].z}, 0.1); kin_kdtree_walk_next(&w);) named += w.end - w.begin;
    }
    CHECK(t, named < 1000 * 100); /* 20 points in a box of that size */
    kin_kdtree_term(&tree, &t->allocator);
    free(p), free(at), free(items);
}

/* ---- Verlet lists ---- */

static void skins_last_until_half_is_used_and_stay_exact(test* t) /* P9 */
{
    static kin_vec3 p[N], v[N];
    dice d = {21};
    for (int k = 0; k < DEFS; ++k) {
        if (defs[k].skin == 0) continue;
        double skin = defs[k].skin, r = 0.3;
        fill_cloud(&d, k % 2 ? UNIFORM : LATTICE, p, N);
        for (int i = 0; i < N; ++i) v[i] = kin_scale(roll_direction(&d), skin / 16.5 * roll(&d, 0.2, 1));
        v[7] = kin_v(skin / 16.5, 0, 0);
        kin_neighbours *near = search(t, &defs[k], p, N, r), *brute = search(t, &defs[0], p, N, r);
        EQUAL(t, kin_neighbours_rebuilds(near), 1);
        for (int step = 1; step <= 40; ++step) {
            for (int i = 0; i < N; ++i) p[i] = kin_add(p[i], v[i]);
            EQUAL(t, kin_neighbours_update(near, NULL, kin_points_of_vectors(p), N, r, NULL), KIN_OK);
            EQUAL(t, kin_neighbours_update(brute, NULL, kin_points_of_vectors(p), N, r, NULL), KIN_OK);
            EQUAL(t, kin_neighbours_rebuilds(near), 1 + step / 9); /* eight steps are 0.48 skins, nine are 0.55 */
            if (step % 2 == 0) check_lists(t, brute, near);        /* also lists first asked for after points have moved */
            check_queries(t, brute, near, &d, p, N, 14);
        }
        kin_neighbours_update(near, NULL, kin_points_of_vectors(p), N, 1.1 * r, NULL); /* another radius, another structure */
        kin_neighbours_update(brute, NULL, kin_points_of_vectors(p), N, 1.1 * r, NULL);
        EQUAL(t, kin_neighbours_rebuilds(near), 6);
        check_lists(t, brute, near);
        kin_neighbours_destroy(near);
        kin_neighbours_destroy(brute);
    }
}

/* ---- threads and memory ---- */

static void threads_change_no_byte(test* t)
{
    enum { MANY = 20000 };
    kin_vec3* p = calloc(MANY, sizeof *p);
    dice d = {22};
    fill_cloud(&d, UNIFORM, p, MANY);
    static const int thread_counts[] = {1, 2, 3, 8};
    kin_neighbours* reference = search(t, &defs[1], p, MANY, 0.08);
    for (int k = 1; k < DEFS; ++k) {
        kin_neighbours_def def = defs[k];
        if (def.kind == KIN_NEIGHBOURS_BRUTE) continue;
        if (def.skin > 0) def.skin = 0.02;
        for (int c = 0; c < 4; ++c) {
            kin_jobs jobs;
            kin_error error = {0};
            kin_neighbours* near;
            if (!CHECK(t, kin_jobs_init(&jobs, &t->allocator, NULL, thread_counts[c], &error) == KIN_OK)) continue;
            EQUAL(t, kin_neighbours_create(&t->allocator, &def, &near, &error), KIN_OK);
            EQUAL(t, kin_neighbours_update(near, &jobs, kin_points_of_vectors(p), MANY, 0.08, &error), KIN_OK);
            kin_neighbour_lists lists;
            EQUAL(t, kin_neighbours_lists(near, &jobs, &lists, &error), KIN_OK);
            check_lists(t, reference, near);
            EQUAL(t, kin_neighbours_update(near, &jobs, kin_points_of_vectors(p), MANY, 0.08, &error), KIN_OK); /* now with room for what is found */
            EQUAL(t, kin_neighbours_lists(near, &jobs, &lists, &error), KIN_OK);
            check_lists(t, reference, near);
            kin_neighbours_destroy(near);
            kin_jobs_term(&jobs);
        }
    }
    kin_neighbours_destroy(reference);
    free(p);
}

/* A tree built by many threads is the tree built by one, not only its answers. */
static void threads_build_the_same_kdtree(test* t)
{
    enum { MANY = 5000 };
    static kin_vec3 p[MANY];
    static double at[3 * MANY];
    static uint32_t items[MANY], others[MANY];
    dice d = {23};
    for (int cloud_kind = 0; cloud_kind < CLOUDS; ++cloud_kind) {
        fill_cloud(&d, cloud_kind, p, MANY);
        kin_cloud cloud = cloud_of(p, MANY, at);
        kin_kdtree a = {0}, b = {0};
        kin_jobs jobs;
        if (!CHECK(t, kin_jobs_init(&jobs, &t->allocator, NULL, 3, NULL) == KIN_OK)) return;
        CHECK(t, kin_kdtree_build(&a, &t->allocator, NULL, &cloud, 1, cloud_kind % 2, items));
        CHECK(t, kin_kdtree_build(&b, &t->allocator, &jobs, &cloud, 1, cloud_kind % 2, others));
        CHECK(t, memcmp(items, others, sizeof items) == 0);
        CHECK(t, memcmp(a.nodes, b.nodes, kin_kdtree_size(MANY) * sizeof *a.nodes) == 0);
        check_part(t, &a, &cloud, items, (kin_kdtree_part){0, 0, MANY}, 0);
        kin_jobs_term(&jobs);
        kin_kdtree_term(&a, &t->allocator);
        kin_kdtree_term(&b, &t->allocator);
    }
}

typedef struct fault_case {
    const kin_neighbours_def* def;
    const kin_vec3* points;
} fault_case;

static bool fault_body(test* t, void* context)
{
    const fault_case* f = context;
    uint32_t out[4];
    kin_neighbours* near;
    kin_error error = {0};
    if (kin_neighbours_create(&t->allocator, f->def, &near, &error) != KIN_OK) return false;
    bool ok = true;
    for (uint32_t n = 50; ok && n <= 150; n += 100) {
        kin_neighbour_lists lists;
        ok = kin_neighbours_update(near, NULL, kin_points_of_vectors(f->points), n, 0.5, &error) == KIN_OK;
        if (!ok) EQUAL(t, kin_neighbours_query(near, f->points[0], 1, out, 4), 0); /* empty, not broken */
        ok = ok && kin_neighbours_lists(near, NULL, &lists, &error) == KIN_OK;
        if (!ok) EQUAL(t, error.code, KIN_ERROR_MEMORY);
    }
    kin_neighbours_destroy(near);
    return ok;
}

static void survives_failing_allocations(test* t)
{
    static kin_vec3 p[150];
    dice d = {24};
    fill_cloud(&d, UNIFORM, p, 150);
    for (int k = 0; k < DEFS; ++k) test_fail_each_allocation(t, fault_body, &(fault_case){&defs[k], p});
}

/* Recovers: after a failed update a later one is right. */
static void works_again_after_a_failure(test* t)
{
    static kin_vec3 p[N];
    dice d = {25};
    fill_cloud(&d, UNIFORM, p, N);
    kin_neighbours* brute = search(t, &defs[0], p, N, 0.25);
    for (int k = 1; k < DEFS; ++k) {
        kin_neighbours* near = search(t, &defs[k], p, 20, 0.25);
        for (int64_t fail = 0; fail < 8; ++fail) {
            t->fail_after = (int64_t)t->allocations + fail;
            kin_error error = {0};
            kin_neighbour_lists lists;
            if (kin_neighbours_update(near, NULL, kin_points_of_vectors(p), N, 0.25, &error) == KIN_OK) kin_neighbours_lists(near, NULL, &lists, &error);
        }
        t->fail_after = -1;
        EQUAL(t, kin_neighbours_update(near, NULL, kin_points_of_vectors(p), N, 0.25, NULL), KIN_OK);
        check_lists(t, brute, near);
        kin_neighbours_destroy(near);
    }
    kin_neighbours_destroy(brute);
}

static void steady_updates_take_no_memory(test* t)
{
    static kin_vec3 p[N], start[N];
    dice d = {26};
    fill_cloud(&d, UNIFORM, start, N);
    for (int k = 0; k < DEFS; ++k) {
        memcpy(p, start, sizeof p);
        kin_neighbours* near = search(t, &defs[k], p, N, 0.3);
        kin_neighbour_lists lists;
        EQUAL(t, kin_neighbours_lists(near, NULL, &lists, NULL), KIN_OK);
        uint64_t before = t->allocations;
        size_t bytes = kin_neighbours_bytes(near);
        CHECK(t, bytes <= t->live_bytes && bytes > N * 6 * sizeof(double));
        for (int step = 0; step < 50; ++step) { /* as dense as at first: jitter */
            for (int i = 0; i < N; ++i) p[i] = kin_add(start[i], roll3(&d, 0.06));
            EQUAL(t, kin_neighbours_update(near, NULL, kin_points_of_vectors(p), N, 0.3, NULL), KIN_OK);
            EQUAL(t, kin_neighbours_lists(near, NULL, &lists, NULL), KIN_OK);
        }
        EQUAL(t, t->allocations, before);
        for (int cloud = 0; cloud < CLOUDS; ++cloud) { /* the structures need no more for any cloud of the size */
            fill_cloud(&d, cloud, p, N);
            EQUAL(t, kin_neighbours_update(near, NULL, kin_points_of_vectors(p), N - (uint32_t)cloud, 0.3, NULL), KIN_OK);
        }
        EQUAL(t, t->allocations, before);
        kin_neighbours_destroy(near);
    }
}

TEST_MAIN("geometry neighbours", TEST(every_kind_finds_what_brute_force_finds), TEST(what_was_before_does_not_matter), TEST(uneven_clouds_overflow_their_room),
          TEST(brute_force_is_the_plain_loop), TEST(arrays_and_vectors_are_the_same_points), TEST(bad_numbers_are_refused_and_change_nothing),
          TEST(boxes_become_rows_and_columns), TEST(beyond_27_cells_is_farther_than_a_cell), TEST(cells_sort_every_point_once),
          TEST(hash_uses_all_three_coordinates), TEST(cut_off_needs_all_the_cells_within_it), TEST(octree_numbers_go_both_ways),
          TEST(full_octree_counts_what_is_below), TEST(adaptive_octree_keeps_its_limits), TEST(kdtree_fits_its_heap), TEST(kdtree_prunes),
          TEST(skins_last_until_half_is_used_and_stay_exact), TEST(threads_change_no_byte), TEST(threads_build_the_same_kdtree),
          TEST(survives_failing_allocations), TEST(works_again_after_a_failure), TEST(steady_updates_take_no_memory))
