/* distance.c - GJK, EPA, V-Clip and separating axes against brute force on random hulls: apart, touching and deep (C4.9, C4.10, E1 to E4).
 *
 * The references are in brute.h: every vertex over every face, every edge by every edge, every axis. Distances err relative to themselves, down to a thousandth
 * of the bodies' size, where rounding of the coordinates takes over; depths relative to the size. */
#include "collision/narrow/distance.h"
#include "collision/narrow/epa.h"
#include "collision/narrow/sat.h"
#include "collision/narrow/vclip.h"
#include "validation/cases.h"
#include "validation/collision/brute.h"
#include <stdio.h>

enum { FULL = 100000, REDUCED = 2000 };

typedef struct hulls {
    kin_hull *a, *b;
    kin_convex body_a, body_b;
    kin_transform pose;
    double size;       /* m */
    double separation; /* along the best of all axes, m */
} hulls;

/* A third apart, a third moved together until they touch, a third deep. False when a draw has no volume. */
static bool draw(hulls* p, uint64_t i)
{
    kin_allocator allocator = kin_allocator_default();
    kin_rng_key ka = {.seed = 41, .serial = i}, kb = {.seed = 42, .serial = i};
    *p = (hulls){.pose = brute_pose(&ka, i % 3 == 2 ? kin_rng_uniform(&ka, 2000, 0, 1) : kin_rng_uniform(&ka, 2000, 1, 4))};
    bool ok = brute_hull(&allocator, &ka, (brute_kind)(i / 3 % BRUTE_KINDS), 5 + i % 13, &p->a) == KIN_OK
              && brute_hull(&allocator, &kb, (brute_kind)(i / 12 % BRUTE_KINDS), 5 + i % 11, &p->b) == KIN_OK;
    if (!ok) return false;
    p->body_a = (kin_convex){.core = KIN_CORE_HULL, .hull = p->a};
    p->body_b = (kin_convex){.core = KIN_CORE_HULL, .hull = p->b};
    p->size = p->a->reach + p->b->reach;
    if (i % 3 == 1) {
        kin_gap gap;
        kin_convex_distance(&p->body_a, &p->body_b, p->pose, NULL, &gap);
        p->pose.position = kin_add_scaled(p->pose.position, gap.distance, gap.normal);
    }
    p->separation = brute_separation(p->a, p->b, p->pose);
    return true;
}

static void drop(hulls* p)
{
    kin_hull_destroy(p->a);
    kin_hull_destroy(p->b);
}

static int pairs_of(const kin_case_run* run) { return run->full ? FULL : REDUCED; }
static bool is_apart(const hulls* p) { return p->separation > 1e-12 * p->size; }
static bool is_deep(const hulls* p) { return p->separation < -1e-12 * p->size; }
static double relative(const hulls* p, double got, double want) { return kin_abs(got - want) / kin_max(want, 1e-3 * p->size); }

static void row_zero(kin_case_run* run, const char* method, const char* quantity, double measured, double tolerance)
{
    kin_case_row(run, method, quantity, measured, 0, tolerance, "brute force over all features");
}
static void row_count(kin_case_run* run, const char* what, long count)
{
    char quantity[64];
    snprintf(quantity, sizeof quantity, "%s, random pairs of hulls", what);
    kin_case_row(run, "drawn", quantity, count > 0, 1, 0, "brute force over all features");
}

/* ---- GJK ---- */

typedef struct bounds {
    double truth, last, size;
    double worst; /* by how much a bound was crossed, m */
    long rises;
} bounds;

static void watch(void* context, const kin_gjk_step* step)
{
    bounds* b = context;
    b->worst = kin_max(b->worst, kin_max(step->lower - b->truth, b->truth - step->upper));
    b->rises += step->upper > b->last + 1e-15 * b->size;
    b->last = step->upper;
}

typedef struct gjk_errors {
    double distance, bound, on_a, on_b, touching;
    long apart, wrong, rises;
} gjk_errors;

static void gjk_pair(const hulls* p, kin_subdistance method, gjk_errors* e)
{
    kin_gjk_settings set = kin_gjk_defaults();
    bounds b = {.truth = is_apart(p) ? brute_distance(p->a, p->b, p->pose) : 0, .last = 1e300, .size = p->size};
    kin_gjk_result r;
    set.subdistance = method;
    set.watch = watch;
    set.context = &b;
    kin_gjk_distance(&p->body_a, &p->body_b, p->pose, &set, NULL, &r);
    e->wrong += (is_apart(p) && r.is_overlapping) || (is_deep(p) && !r.is_overlapping);
    e->rises += b.rises;
    if (!is_apart(p)) {
        if (!is_deep(p)) e->touching = kin_max(e->touching, r.distance / p->size);
        return;
    }
    e->apart++;
    e->distance = kin_max(e->distance, relative(p, r.distance, b.truth));
    e->bound = kin_max(e->bound, b.worst / p->size);
    e->on_a = kin_max(e->on_a, kin_abs(kin_hull_outside(p->a, r.on_a)) / p->size);
    e->on_b = kin_max(e->on_b, kin_abs(kin_hull_outside(p->b, kin_unapply(p->pose, r.on_b))) / p->size);
}

/* C4.10: cubes face, edge and corner apart. */
static void cubes(kin_case_run* run)
{
    const kin_convex cube = {.core = KIN_CORE_BOX, .half = {1, 1, 1}};
    const kin_vec3 places[3] = {{3, 0.2, 0.1}, {3, 4, 0.1}, {3, -4, 5}};
    const double gaps[3] = {1, kin_sqrt(5), kin_sqrt(14)};
    static const char* const names[3] = {"gap of cubes, face to face (m)", "gap of cubes, edge to edge (m)", "gap of cubes, corner to corner (m)"};
    for (int i = 0; i < 3; ++i) {
        kin_gjk_result r;
        kin_gjk_distance(&cube, &cube, (kin_transform){places[i], {0, 0, 0, 1}}, NULL, NULL, &r);
        kin_case_row(run, "gjk", names[i], r.distance, gaps[i], 4e-16 * gaps[i], "catalog C4.10: exact gap");
    }
}

static void case_distance(kin_case_run* run)
{
    static const char* const names[2] = {"signed volumes", "johnson"};
    gjk_errors e[2] = {{0}};
    for (int i = 0; i < pairs_of(run); ++i) {
        hulls p;
        if (draw(&p, (uint64_t)i)) {
            for (int k = 0; k < 2; ++k) gjk_pair(&p, (kin_subdistance)k, &e[k]);
        }
        drop(&p);
    }
    cubes(run);
    row_count(run, "apart", e[0].apart);
    for (int k = 0; k < 2; ++k) {
        row_zero(run, names[k], "GJK distance, relative error", e[k].distance, 1e-9);
        row_zero(run, names[k], "pairs on the wrong side", (double)e[k].wrong, 0);
        row_zero(run, names[k], "gap of touching pairs over size", e[k].touching, 1e-11);
        row_zero(run, names[k], "L <= true <= |p| missed by, over size", e[k].bound, 1e-14);
        row_zero(run, names[k], "iterations in which |p| grew beyond rounding", (double)e[k].rises, 0);
        row_zero(run, names[k], "witness off hull A, over size", e[k].on_a, 1e-13);
        row_zero(run, names[k], "witness off hull B, over size", e[k].on_b, 1e-13);
    }
}

/* ---- V-Clip ---- */

static void count_rule(void* context, const kin_vclip_step* step) { ((long*)context)[step->rule]++; }

static void case_vclip(kin_case_run* run)
{
    long rules[KIN_VCLIP_RULES] = {0}, wrong = 0, lost = 0, apart = 0, untaken = 0;
    double distance = 0, beside_gjk = 0;
    for (int i = 0; i < pairs_of(run); ++i) {
        hulls p;
        if (draw(&p, (uint64_t)i)) {
            kin_vclip_result r;
            kin_gjk_result g;
            kin_vclip(p.a, p.b, p.pose, NULL, count_rule, rules, &r);
            kin_gjk_distance(&p.body_a, &p.body_b, p.pose, NULL, NULL, &g);
            lost += r.ended == KIN_VCLIP_LOST;
            wrong += (is_apart(&p) && r.is_penetrating) || (is_deep(&p) && !r.is_penetrating);
            if (is_apart(&p)) {
                apart++;
                distance = kin_max(distance, relative(&p, r.distance, brute_distance(p.a, p.b, p.pose)));
                beside_gjk = kin_max(beside_gjk, relative(&p, r.distance, g.distance));
            }
        }
        drop(&p);
    }
    for (int rule = 0; rule <= KIN_VCLIP_DONE; ++rule) untaken += rules[rule] == 0;
    row_count(run, "apart", apart);
    row_zero(run, "v-clip", "distance, relative error", distance, 1e-9);
    kin_case_row(run, "v-clip", "distance beside GJK's, relative", beside_gjk, 0, 1e-9, "GJK");
    row_zero(run, "v-clip", "pairs on the wrong side", (double)wrong, 0);
    row_zero(run, "v-clip", "walks that did not end", (double)lost, 0);
    kin_case_row(run, "v-clip", "cases 2.1 to 2.5, 4.9.4, 4.9.5 a b not taken", (double)untaken, 0, 0, "Coutinho 4.9.1 to 4.9.5");
}

/* ---- depth ---- */

static void case_depth(kin_case_run* run)
{
    double epa = 0, sat = 0, both = 0, on_a = 0, on_b = 0;
    long deep = 0, wrong = 0;
    for (int i = 0; i < pairs_of(run); ++i) {
        hulls p;
        if (draw(&p, (uint64_t)i)) {
            kin_sat_result s;
            kin_epa_result e;
            kin_sat_hulls(p.a, p.b, p.pose, 0, 1e300, NULL, &s);
            wrong += (is_apart(&p) && s.separation <= 0) || (is_deep(&p) && s.separation >= 0);
            bool overlaps = kin_epa_depth(&p.body_a, &p.body_b, p.pose, NULL, NULL, &e);
            wrong += (is_apart(&p) && overlaps) || (is_deep(&p) && !overlaps);
            if (is_deep(&p)) {
                deep++;
                epa = kin_max(epa, kin_abs(e.depth + p.separation) / p.size);
                sat = kin_max(sat, kin_abs(s.separation - p.separation) / p.size);
                both = kin_max(both, kin_abs(e.depth + s.separation) / p.size);
                on_a = kin_max(on_a, kin_abs(kin_hull_outside(p.a, e.on_a)) / p.size);
                on_b = kin_max(on_b, kin_abs(kin_hull_outside(p.b, kin_unapply(p.pose, e.on_b))) / p.size);
            }
        }
        drop(&p);
    }
    row_count(run, "deep", deep);
    row_zero(run, "epa", "depth, error over size", epa, 1e-9);
    row_zero(run, "sat", "depth, error over size", sat, 1e-9);
    kin_case_row(run, "epa", "depth beside the best separating axis", both, 0, 1e-9, "separating axes");
    row_zero(run, "epa, sat", "pairs on the wrong side", (double)wrong, 0);
    row_zero(run, "epa", "witness off hull A, over size", on_a, 1e-11);
    row_zero(run, "epa", "witness off hull B, over size", on_b, 1e-11);
}

const kin_case kin_cases_distance[] = {
    {"collision/distance", "GJK on random hulls apart, touching and deep.", case_distance},
    {"collision/v-clip", "V-Clip on the same hulls, and its cases.", case_vclip},
    {"collision/depth", "EPA and separating axes on the same hulls.", case_depth},
    {NULL, NULL, NULL},
};
