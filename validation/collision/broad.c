/* broad.c - broad phases: every kind against a double loop on 20 scenes, and the numbers and figures of the texts. */
#include "base/rng.h"
#include "collision/broad/broad.h"
#include "math/random.h"
#include "validation/cases.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- scenes: the box of the i-th thing at a step; false when it is not there ---- */

typedef struct place {
    uint32_t i, n;
    int step;
} place;
typedef bool scene_fn(place p, kin_aabb* box);

static double chance(place p, uint32_t draw, double low, double high) { return kin_rng_uniform(&(kin_rng_key){.seed = 41, .serial = p.i}, draw, low, high); }
static kin_vec3 somewhere(place p, uint32_t draw, double reach)
{
    return kin_v(chance(p, draw, -reach, reach), chance(p, draw + 1, -reach, reach), chance(p, draw + 2, -reach, reach));
}
static kin_vec3 drift(place p, double speed) { return kin_scale(somewhere(p, 10, speed), p.step); }
static double side(place p, double density) /* half the cube that holds n unit boxes */
{
    double half = 0.5;
    while (8 * half * half * half * density < p.n) half *= 1.05;
    return half;
}
static kin_aabb cube(kin_vec3 at, double half) { return kin_aabb_around(at, kin_v(half, half, half)); }

static bool random_boxes(place p, kin_aabb* box)
{
    *box = kin_aabb_around(kin_add(somewhere(p, 0, side(p, 0.5)), drift(p, 0.05)), kin_abs3(somewhere(p, 3, 0.8)));
    return true;
}
static bool clusters(place p, kin_aabb* box)
{
    kin_vec3 nest = somewhere((place){p.i % 5, p.n, 0}, 20, 100);
    *box = cube(kin_add(kin_add(nest, somewhere(p, 0, 2)), drift(p, 0.05)), 0.2);
    return true;
}
static bool coplanar(place p, kin_aabb* box)
{
    kin_vec3 at = kin_add(somewhere(p, 0, side(p, 2)), drift(p, 0.03));
    *box = kin_aabb_around(kin_v(at.x, 1, at.z), kin_v(0.5, 0, 0.5));
    return true;
}
static bool all_overlap(place p, kin_aabb* box)
{
    *box = cube(kin_add(somewhere(p, 0, 1), drift(p, 0.01)), 3);
    return true;
}
static bool all_identical(place p, kin_aabb* box)
{
    *box = cube(kin_v(0.1 * p.step, 0, 0), 1);
    return true;
}
static bool huge_and_tiny(place p, kin_aabb* box)
{
    double size = p.i % 50 == 0 ? 300 : p.i % 7 == 0 ? 5 : 0.05;
    *box = cube(kin_add(somewhere(p, 0, 30), drift(p, 0.05)), size);
    return true;
}
static bool fast(place p, kin_aabb* box)
{
    kin_vec3 at = kin_add(somewhere(p, 0, 20), drift(p, 8));
    *box = kin_aabb_sweep(cube(at, 0.2), somewhere(p, 10, 8)); /* the box of the whole motion */
    return true;
}
static bool in_and_out(place p, kin_aabb* box)
{
    kin_vec3 at = kin_add(somewhere(p, 0, 6), drift(p, 0.4));
    *box = cube(at, 0.6);
    return kin_largest(kin_abs3(at)) < 5;
}
static bool come_and_go(place p, kin_aabb* box)
{
    *box = cube(somewhere(p, 0, 4), 0.5);
    return chance(p, 100 + (uint32_t)p.step, 0, 1) < 0.7;
}
static bool long_and_thin(place p, kin_aabb* box)
{
    kin_vec3 half = {0.02, 0.02, 0.02}, long_half = kin_scale(kin_axis((int)(p.i % 3)), 15);
    *box = kin_aabb_around(kin_add(somewhere(p, 0, 10), drift(p, 0.02)), kin_add(half, long_half));
    return true;
}
static bool far_away(place p, kin_aabb* box)
{
    *box = cube(kin_add(kin_v(1e8, -1e8, 1e8), kin_add(somewhere(p, 0, side(p, 0.5)), drift(p, 0.05))), 0.5);
    return true;
}
static bool far_and_near(place p, kin_aabb* box)
{
    bool near = random_boxes(p, box);
    kin_vec3 by = kin_v(p.i % 2 ? 1e8 : 0, 0, 0);
    *box = (kin_aabb){kin_add(box->low, by), kin_add(box->high, by)};
    return near;
}
static bool minute(place p, kin_aabb* box)
{
    *box = cube(kin_add(somewhere(p, 0, 1e-6 * side(p, 0.5)), drift(p, 5e-8)), 5e-7);
    return true;
}
static bool denormal(place p, kin_aabb* box)
{
    *box = cube(kin_scale(somewhere(p, 0, 100), 1e-310), p.step * 1e-310);
    return true;
}
static bool points(place p, kin_aabb* box)
{
    *box = cube(somewhere(p, 0, 2), p.i % 2 ? 0 : 0.3);
    return true;
}
static bool lattice(place p, kin_aabb* box) /* bricks that touch: faces, edges, corners */
{
    *box = cube(kin_v(p.i % 6, p.i / 6 % 6, p.i / 36 + (p.step % 3 == 1 ? 0x1p-30 * (p.i % 2) : 0)), 0.5);
    return true;
}
static bool dolls(place p, kin_aabb* box)
{
    *box = cube(kin_v(0.01 * p.step, 0, 0), 0.1 * (p.i + 1));
    return true;
}
static bool breathing(place p, kin_aabb* box)
{
    *box = cube(somewhere(p, 0, side(p, 0.3)), 0.1 + 0.2 * ((p.i + (uint32_t)p.step) % 8));
    return true;
}
static bool teleport(place p, kin_aabb* box)
{
    *box = cube(somewhere((place){p.i + 7919 * (uint32_t)p.step, p.n, 0}, 0, side(p, 0.5)), 0.5);
    return true;
}
static bool over_a_floor(place p, kin_aabb* box)
{
    double inf = __builtin_inf();
    kin_vec3 at = somewhere(p, 0, side(p, 1));
    *box = p.i == 0 ? (kin_aabb){{-inf, -1, -inf}, {inf, 0, inf}} : cube(kin_v(at.x, kin_max(0.5, kin_abs(at.y) * (1 - 0.1 * p.step)), at.z), 0.5);
    return true;
}

static const struct {
    const char* name;
    scene_fn* box;
} scenes[] = {{"random", random_boxes},
              {"clusters", clusters},
              {"coplanar", coplanar},
              {"all overlapping", all_overlap},
              {"all identical", all_identical},
              {"huge and tiny", huge_and_tiny},
              {"fast, swept", fast},
              {"in and out", in_and_out},
              {"removed and added", come_and_go},
              {"long and thin", long_and_thin},
              {"1e8 m away", far_away},
              {"half of them 1e8 m away", far_and_near},
              {"1e-6 m wide", minute},
              {"denormal", denormal},
              {"points", points},
              {"touching bricks", lattice},
              {"one in another", dolls},
              {"growing and shrinking", breathing},
              {"teleporting", teleport},
              {"over an infinite floor", over_a_floor}};

/* ---- one broad phase, driven ---- */

static kin_broad* make(const kin_broad_def* def)
{
    kin_allocator allocator = kin_allocator_default();
    kin_broad* broad = NULL;
    kin_broad_create(&allocator, def, &broad, NULL);
    return broad;
}

static uint32_t add(kin_broad* broad, kin_aabb box)
{
    uint32_t id = UINT32_MAX;
    kin_broad_insert(broad, &(kin_broad_proxy_def){.box = box}, &id, NULL);
    return id;
}

typedef struct follower {
    kin_broad* broad;
    uint32_t* ids; /* by thing; UINT32_MAX: not there */
    uint32_t n;
} follower;

static bool follow(follower* f, scene_fn* box_of, int step, kin_jobs* jobs)
{
    for (uint32_t i = 0; i < f->n; ++i) {
        kin_aabb box, before;
        bool there = box_of((place){i, f->n, step}, &box);
        if (there && f->ids[i] == UINT32_MAX) {
            f->ids[i] = add(f->broad, box);
        } else if (there) {
            before = kin_broad_box(f->broad, f->ids[i]);
            kin_vec3 by = kin_sub(box.low, before.low);
            if (kin_broad_move(f->broad, f->ids[i], box, kin_finite3(by) ? by : kin_v(0, 0, 0), NULL) != KIN_OK) return false;
        } else if (f->ids[i] != UINT32_MAX) {
            kin_broad_remove(f->broad, f->ids[i]);
            f->ids[i] = UINT32_MAX;
        }
    }
    return kin_broad_update(f->broad, jobs, NULL) == KIN_OK;
}

/* Pairs of a view that are not those of the double loop, and of the loop that are not in the view. Both sorted. */
static size_t wrong_pairs(const follower* f)
{
    kin_broad_view got = kin_broad_pairs(f->broad);
    size_t at = 0, wrong = 0;
    uint32_t slots = 0;
    for (uint32_t i = 0; i < f->n; ++i) slots = f->ids[i] != UINT32_MAX && f->ids[i] >= slots ? f->ids[i] + 1 : slots;
    for (uint32_t a = 0; a < slots; ++a) {
        for (uint32_t b = a + 1; b < slots && kin_broad_holds(f->broad, a); ++b) {
            if (!kin_broad_holds(f->broad, b) || !kin_aabb_overlaps(kin_broad_box(f->broad, a), kin_broad_box(f->broad, b))) continue;
            if (at < got.count && got.data[at].a == a && got.data[at].b == b)
                at += 1;
            else
                wrong += 1;
        }
    }
    return wrong + (got.count - at);
}

/* Of begun and ended: added to and taken from the list before they give the list now. */
static size_t wrong_changes(const follower* f, size_t before)
{
    return before + kin_broad_begun(f->broad).count - kin_broad_ended(f->broad).count != kin_broad_pairs(f->broad).count;
}

static void run_scene(kin_case_run* run, const char* name, scene_fn* box, kin_jobs* jobs)
{
    const uint32_t n = run->full ? 1000 : 216;
    const int steps = run->full ? 30 : 8;
    double wrong = 0;
    uint32_t* ids = malloc(n * sizeof *ids);
    for (int kind = 0; kind < KIN_BROAD_KIND_COUNT && ids != NULL; ++kind) {
        kin_broad_def def = kin_broad_def_default((kin_broad_kind)kind);
        follower f = {make(&def), ids, n};
        memset(ids, 0xFF, n * sizeof *ids);
        for (int step = 0; step < steps && f.broad != NULL; ++step) {
            size_t before = kin_broad_pairs(f.broad).count;
            if (!follow(&f, box, step, jobs)) wrong += 1e9;
            wrong += (double)(wrong_pairs(&f) + wrong_changes(&f, before));
        }
        if (f.broad == NULL) wrong += 1e9;
        kin_broad_destroy(f.broad);
    }
    char quantity[64];
    snprintf(quantity, sizeof quantity, "wrong pairs: %s", name);
    kin_case_row(run, "all kinds", quantity, ids != NULL ? wrong : 1e9, 0, 0, "double loop over the boxes");
    free(ids);
}

static void case_scenes(kin_case_run* run)
{
    kin_jobs jobs;
    kin_allocator allocator = kin_allocator_default();
    bool threads = kin_jobs_init(&jobs, &allocator, NULL, run->threads, NULL) == KIN_OK;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) run_scene(run, scenes[i].name, scenes[i].box, threads ? &jobs : NULL);
    if (threads) kin_jobs_term(&jobs);
}

/* ---- C2.4.1 ---- */

static kin_broad_def exact(kin_broad_kind kind)
{
    kin_broad_def def = kin_broad_def_default(kind);
    def.margin = 0;
    def.predict = 0;
    return def;
}

/* Fig 2.15: a sphere of diameter 1.2 about the corner (3, 6, 5) of unit cells: (2..3, 5..6, 4..5). Fig 2.14: a point in cell (2, 5, 13). */
static void case_grid_cells(kin_case_run* run)
{
    kin_broad_def def = exact(KIN_BROAD_GRID);
    def.cell_size = 1;
    kin_broad* b = make(&def);
    uint32_t sphere = add(b, cube(kin_v(3, 6, 5), 0.6)), point = add(b, cube(kin_v(2.5, 5.5, 13.5), 0));
    kin_broad_update(b, NULL, NULL);
    kin_broad_cells c = kin_broad_cells_of(b, sphere, 0), one = kin_broad_cells_of(b, point, 0);
    const int32_t low[3] = {2, 5, 4}, high[3] = {3, 6, 5}, shaded[3] = {2, 5, 13};
    double wrong = 0;
    for (int k = 0; k < 3; ++k) wrong += (c.low[k] != low[k]) + (c.high[k] != high[k]);
    kin_case_row(run, "grid", "bounds of the sphere's cells that differ", wrong, 0, 0, "C2.4.1, Fig 2.15");
    wrong = 0;
    for (int k = 0; k < 3; ++k) wrong += (one.low[k] != shaded[k]) + (one.high[k] != shaded[k]);
    kin_case_row(run, "grid", "indices of the shaded cell that differ", wrong, 0, 0, "C2.4.1, Fig 2.14");
    kin_case_row(run, "grid", "cells in use", kin_broad_reports(b).cells, 8 + 1, 0, "C2.4.1: 2 x 2 x 2, and one");
    kin_broad_destroy(b);
}

/* Diameter of a cell: k = 2 times the mean of 1, 2 and 6; a point does not count. */
static void case_grid_size(kin_case_run* run)
{
    kin_broad_def def = exact(KIN_BROAD_GRID);
    kin_broad* b = make(&def);
    const double diameters[] = {1, 2, 6, 0};
    for (int i = 0; i < 4; ++i) add(b, kin_aabb_around(kin_v(20 * i, 0, 0), kin_v(diameters[i] / 2, 0, 0)));
    kin_broad_update(b, NULL, NULL);
    kin_case_row(run, "grid", "diameter of a cell", kin_sqrt(3) * kin_broad_cell_edge(b, 0), 2 * 3, 1e-12, "C2.4.1: k times the mean, k = 2");
    kin_broad_destroy(b);
}

/* A cell's counter: 2 puts it on the list of shared cells, 1 takes it off, 0 deletes it. */
static void case_grid_counters(kin_case_run* run)
{
    kin_broad_def def = exact(KIN_BROAD_GRID);
    def.cell_size = 1;
    kin_broad* b = make(&def);
    kin_aabb box = cube(kin_v(0.5, 0.5, 0.5), 0.1), away = cube(kin_v(5.5, 0.5, 0.5), 0.1);
    uint32_t ids[3];
    const double cells[] = {1, 1, 1, 2, 3, 2, 1}, shared[] = {0, 1, 1, 1, 0, 0, 0};
    double wrong = 0;
    for (int step = 0; step < 7; ++step) {
        if (step < 3) ids[step] = add(b, box);
        if (step == 3) kin_broad_move(b, ids[2], away, kin_v(0, 0, 0), NULL);
        if (step == 4) kin_broad_move(b, ids[1], cube(kin_v(9.5, 0.5, 0.5), 0.1), kin_v(0, 0, 0), NULL);
        if (step == 5) kin_broad_remove(b, ids[1]);
        if (step == 6) kin_broad_remove(b, ids[0]);
        kin_broad_update(b, NULL, NULL);
        kin_broad_report r = kin_broad_reports(b);
        wrong += (r.cells != cells[step]) + (r.shared != shared[step]);
    }
    kin_case_row(run, "grid", "counts of cells and shared cells that differ", wrong, 0, 0, "C2.4.1, by hand");
    kin_broad_destroy(b);
}

/* Of fixed sizes, here and there; the first two, of the least and the largest size, always there. */
static bool wandering(place p, kin_aabb* box)
{
    kin_vec3 at = p.step % 3 == 0 ? somewhere((place){p.i + 7919 * (uint32_t)p.step, p.n, 0}, 0, 8) : kin_add(somewhere(p, 0, 8), drift(p, 0.01));
    *box = cube(at, p.i < 2 ? 0.1 + p.i : 0.1 + chance(p, 5, 0, 1));
    return p.i < 2 || p.step == 0 || chance(p, 100 + (uint32_t)p.step, 0, 1) < 0.7;
}

/* After many steps the cells in use are those of a grid that sees the boxes for the first time. */
static void case_grid_leaks(kin_case_run* run)
{
    const int steps = run->full ? 10000 : 400;
    for (int kind = KIN_BROAD_GRID; kind <= KIN_BROAD_LEVELS; ++kind) {
        kin_broad_def def = exact((kin_broad_kind)kind);
        def.cell_size = 1.5; /* of the uniform grid: not chosen anew */
        uint32_t ids[200];
        memset(ids, 0xFF, sizeof ids);
        follower f = {make(&def), ids, 200};
        for (int step = 0; step < steps; ++step) follow(&f, wandering, step, NULL);
        follow(&f, wandering, 0, NULL);
        kin_broad* fresh = make(&def);
        for (uint32_t i = 0; i < f.n; ++i) add(fresh, kin_broad_box(f.broad, ids[i]));
        kin_broad_update(fresh, NULL, NULL);
        kin_broad_report old = kin_broad_reports(f.broad), now = kin_broad_reports(fresh);
        const char* name = kin_broad_kind_name((kin_broad_kind)kind);
        kin_case_row(run, name, "cells in use after many steps", old.cells, now.cells, 0, "C2.4.1: a new grid of the same boxes");
        kin_case_row(run, name, "shared cells after many steps", old.shared, now.shared, 0, "C2.4.1: a new grid of the same boxes");
        for (uint32_t i = 0; i < f.n; ++i) kin_broad_remove(f.broad, ids[i]);
        kin_broad_update(f.broad, NULL, NULL);
        kin_case_row(run, name, "cells left when all is gone", kin_broad_reports(f.broad).cells, 0, 0, "C2.4.1: no leaks");
        kin_broad_destroy(fresh);
        kin_broad_destroy(f.broad);
    }
}

/* ---- C2.4.2 ---- */

/* Rods along x: their length is their diameter. */
static kin_aabb rod(double center, double length) { return kin_aabb_around(kin_v(center, 0.5, 0.5), kin_v(length / 2, 0, 0)); }

static void case_levels(kin_case_run* run)
{
    kin_broad_def def = exact(KIN_BROAD_LEVELS);
    kin_broad* b = make(&def);
    const double d[] = {2, 3.9999, 4, 7.9999, 8, 9.7, 16};
    const uint32_t level[] = {1, 1, 2, 2, 3, 3, 3};
    uint32_t ids[7];
    for (int i = 0; i < 7; ++i) ids[i] = add(b, rod(100 * i, d[i]));
    kin_broad_update(b, NULL, NULL);
    kin_case_row(run, "levels", "number of levels", kin_broad_reports(b).levels, 3, 0, "C2.4.2: dmin 2, dmax 16, kmin .5, kmax 1");
    for (uint32_t j = 0; j < 3; ++j) {
        char text[64];
        snprintf(text, sizeof text, "edge of a cell on level %u", j + 1);
        kin_case_row(run, "levels", text, kin_broad_cell_edge(b, j), 4 << j, 1e-12, "C2.4.2, Fig 2.16");
    }
    double wrong = 0;
    for (int i = 0; i < 7; ++i) wrong += kin_broad_level(b, ids[i]) + 1 != level[i];
    kin_case_row(run, "levels", "diameters on a wrong level", wrong, 0, 0, "C2.4.2, eq 2.2; Fig 2.17 has 9.7 on 2");
    kin_broad_destroy(b);
    b = make(&def);
    for (int i = 0; i < 3; ++i) add(b, rod(i, 2));
    kin_broad_update(b, NULL, NULL);
    kin_case_row(run, "levels", "levels when all are alike", kin_broad_reports(b).levels, 1, 0, "C2.4.2: at least one");
    kin_broad_destroy(b);
}

/* Fig 2.20 along x, cells of 4, 8, 16: b1 (level 1) and b2 (level 3) share a cell of level 3 and are compared; b3 (level 1) and b4 (level 2) share one of
 * level 3 only, and are not. Boxes apart, so that only comparisons tell. */
static void case_cross_level(kin_case_run* run)
{
    const struct {
        double a, a_length, b, b_length, compared;
        const char* what;
    } rows[] = {{18, 2, 26, 11, 1, "comparisons of b1 and b2, level 1 and 3"}, {2, 2, 12, 6, 0, "comparisons of b3 and b4, level 1 and 2"}};
    for (int i = 0; i < 2; ++i) {
        kin_broad_def def = exact(KIN_BROAD_LEVELS);
        kin_broad* b = make(&def);
        add(b, rod(-1000, 2)); /* dmin and dmax */
        add(b, rod(1000, 16));
        kin_broad_update(b, NULL, NULL);
        uint32_t p = add(b, rod(rows[i].a, rows[i].a_length)), q = add(b, rod(rows[i].b, rows[i].b_length));
        kin_broad_update(b, NULL, NULL);
        kin_broad_cells x = kin_broad_cells_of(b, p, 2), y = kin_broad_cells_of(b, q, 2);
        kin_case_row(run, "levels", "cells of level 3 apart", kin_max(0, kin_max(y.low[0] - x.high[0], x.low[0] - y.high[0])), 0, 0, "C2.4.2, Fig 2.20");
        kin_case_row(run, "levels", rows[i].what, (double)kin_broad_reports(b).tests, rows[i].compared, 0, "C2.4.2, Fig 2.20");
        kin_broad_destroy(b);
    }
}

/* ---- C2.4.3, C1.4.5 ---- */

/* Fig 2.21: three moving things, of which only B2 and B3 cross each other's way. B1 and B2 are near at the end, B3 far from B2 at both ends. */
static void case_world_tree(kin_case_run* run)
{
    const struct {
        kin_vec3 from, to;
        double radius;
    } ways[] = {{{0, 6, 0}, {4, 7, 0}, 0.5}, {{6, 0, 0}, {14, 4, 0}, 0.5}, {{12, -4, 0}, {9, 9, 0}, 0.5}};
    for (int kind = 0; kind < KIN_BROAD_KIND_COUNT; ++kind) {
        kin_broad_def def = kin_broad_def_default((kin_broad_kind)kind);
        kin_broad *swept = make(&def), *ends[2] = {make(&def), make(&def)};
        for (int i = 0; i < 3; ++i) { /* boxes of the spheres in which a body turns, at both ends of the interval */
            kin_aabb first = cube(ways[i].from, ways[i].radius), last = cube(ways[i].to, ways[i].radius);
            add(swept, kin_aabb_union(first, last));
            add(ends[0], first);
            add(ends[1], last);
        }
        kin_broad_update(swept, NULL, NULL);
        kin_broad_update(ends[0], NULL, NULL);
        kin_broad_update(ends[1], NULL, NULL);
        kin_broad_view pairs = kin_broad_pairs(swept);
        bool right = pairs.count == 1 && pairs.data[0].a == 1 && pairs.data[0].b == 2;
        const char* name = kin_broad_kind_name((kin_broad_kind)kind);
        kin_case_row(run, name, "only B2 and B3 are reported", right, 1, 0, "C2.4.3, Fig 2.21");
        kin_case_row(run, name, "pairs at the ends of the interval", (double)(kin_broad_pairs(ends[0]).count + kin_broad_pairs(ends[1]).count), 0, 0, "C1.4.5");
        kin_broad_destroy(swept);
        kin_broad_destroy(ends[0]);
        kin_broad_destroy(ends[1]);
    }
}

/* ---- H10.10 ---- */

/* The figure: a, b, c, d with these ends reproduce its lists. Along one axis alone, all boxes are alike on the others. */
static void case_sweep_figure(kin_case_run* run)
{
    const double x[4][2] = {{0, 3}, {2, 7}, {1, 6}, {4, 8}}, y[4][2] = {{3, 7}, {4, 8}, {0, 2}, {1, 6}};
    const struct {
        bool use_x, use_y;
        size_t count;
        kin_broad_pair pairs[5];
        const char* what;
    } rows[] = {{true, false, 5, {{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}}, "along x: ab ac bc bd cd"},
                {false, true, 4, {{0, 1}, {0, 3}, {1, 3}, {2, 3}}, "along y: ab ad bd cd"},
                {true, true, 3, {{0, 1}, {1, 3}, {2, 3}}, "both: ab bd cd"}};
    for (int i = 0; i < 3; ++i) {
        kin_broad_def def = exact(KIN_BROAD_SWEEP);
        kin_broad* b = make(&def);
        for (int k = 0; k < 4; ++k) {
            double x0 = rows[i].use_x ? x[k][0] : 0, x1 = rows[i].use_x ? x[k][1] : 1, y0 = rows[i].use_y ? y[k][0] : 0, y1 = rows[i].use_y ? y[k][1] : 1;
            add(b, (kin_aabb){{x0, y0, 0}, {x1, y1, 1}});
        }
        kin_broad_update(b, NULL, NULL);
        kin_broad_view pairs = kin_broad_pairs(b);
        bool same = pairs.count == rows[i].count && memcmp(pairs.data, rows[i].pairs, pairs.count * sizeof *pairs.data) == 0;
        kin_case_row(run, "sweep", rows[i].what, same, 1, 0, "H10.10, figure");
        kin_broad_destroy(b);
    }
}

/* ---- R3.7 ---- */

static double volume6(const kin_vec3 c[4]) { return kin_triple(kin_sub(c[1], c[0]), kin_sub(c[2], c[0]), kin_sub(c[3], c[0])); }

/* No barycentric coordinate is negative. */
static bool in_tetra(const kin_vec3 corners[4], kin_vec3 p)
{
    bool in = true;
    for (int k = 0; k < 4; ++k) {
        kin_vec3 q[4] = {corners[0], corners[1], corners[2], corners[3]};
        q[k] = p;
        in = in && volume6(q) / volume6(corners) >= 0;
    }
    return in;
}

/* Tetrahedra and the points of their surfaces: every point in a tetrahedron of another body is among the candidates. Points meet tetrahedra only. */
static void case_spatial_hash(kin_case_run* run)
{
    enum { TETRA = 1, POINT = 2 };
    const uint32_t n = run->full ? 4000 : 400;
    kin_broad_def def = exact(KIN_BROAD_HASH);
    kin_broad* b = make(&def);
    kin_vec3(*corners)[4] = malloc(n * sizeof *corners);
    kin_vec3* spots = malloc(n * sizeof *spots);
    for (uint32_t i = 0; i < n; ++i) {
        place p = {i, n, 0};
        kin_vec3 middle = somewhere(p, 0, side(p, 0.5));
        kin_aabb box = kin_aabb_empty();
        for (uint32_t k = 0; k < 4; ++k) {
            corners[i][k] = kin_add(middle, somewhere(p, 20 + 3 * k, 0.8));
            box = kin_aabb_add(box, corners[i][k]);
        }
        spots[i] = somewhere((place){i + n, n, 0}, 40, side(p, 0.5));
        uint32_t id;
        kin_broad_insert(b, &(kin_broad_proxy_def){.box = box, .filter = {TETRA, POINT, 0}, .user = i}, &id, NULL);
        kin_broad_insert(b, &(kin_broad_proxy_def){.box = cube(spots[i], 0), .filter = {POINT, TETRA, 0}, .user = i}, &id, NULL);
    }
    kin_broad_update(b, NULL, NULL);
    kin_broad_view pairs = kin_broad_pairs(b);
    double inside = 0, hit = 0, odd = 0;
    for (uint32_t i = 0; i < n; ++i) {
        for (uint32_t k = 0; k < n; ++k) inside += in_tetra(corners[k], spots[i]);
    }
    for (size_t i = 0; i < pairs.count; ++i) {
        bool a_is_point = kin_broad_proxy_filter(b, pairs.data[i].a).category == POINT,
             b_is_point = kin_broad_proxy_filter(b, pairs.data[i].b).category == POINT;
        odd += a_is_point == b_is_point;
        uint64_t point = kin_broad_user(b, a_is_point ? pairs.data[i].a : pairs.data[i].b),
                 tetra = kin_broad_user(b, a_is_point ? pairs.data[i].b : pairs.data[i].a);
        hit += in_tetra(corners[tetra], spots[point]);
    }
    kin_case_row(run, "hash", "points in tetrahedra among the candidates", hit, inside, 0, "R3.7: all points in all tetrahedra");
    kin_case_row(run, "hash", "candidates that are not a point and a tetrahedron", odd, 0, 0, "R3.7");
    kin_broad_destroy(b);
    free(corners);
    free(spots);
}

const kin_case kin_cases_broad[] = {{"collision/broad-scenes", "nine broad phases and a double loop agree on 20 scenes, pair by pair", case_scenes},
                                    {"collision/broad-grid-cells", "the cells of the text's figures", case_grid_cells},
                                    {"collision/broad-grid-size", "a cell is twice as wide as a box on average", case_grid_size},
                                    {"collision/broad-grid-counters", "cells come, are shared, and go with their counters", case_grid_counters},
                                    {"collision/broad-grid-leaks", "no cell is left over after many steps", case_grid_leaks},
                                    {"collision/broad-levels", "levels of a multi-level grid and who is on them", case_levels},
                                    {"collision/broad-cross-level", "a pair counts on the coarser of its two levels only", case_cross_level},
                                    {"collision/broad-world-tree", "boxes of whole motions: who crosses whose way", case_world_tree},
                                    {"collision/broad-sweep-figure", "sweep and prune: the lists of the text's figure", case_sweep_figure},
                                    {"collision/broad-spatial-hash", "points against tetrahedra by hashing", case_spatial_hash},
                                    {NULL, NULL, NULL}};
