/* crowds.c - who is near whom, and what those do who mind it: neighbour search against every pair, steering and flocks. House & Keyser 5.3, 6.3, 6.5. */
#include "base/alloc.h"
#include "geometry/neighbours.h"
#include "math/random.h"
#include "math/scalar.h"
#include "math/vec3.h"
#include "validation/cases.h"
#include "validation/rig.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- every structure finds what brute force finds ---- */

enum { CLOUD = 1000 };
typedef kin_vec3 place_fn(const kin_rng_key* key);

static kin_vec3 in_a_box(const kin_rng_key* key) { return kin_v(kin_rng_uniform(key, 0, 0, 8), kin_rng_uniform(key, 1, 0, 8), kin_rng_uniform(key, 2, 0, 8)); }
static kin_vec3 at_one_point(const kin_rng_key* key) { return (void)key, kin_v(0.1, -7, 3); }
static kin_vec3 on_a_line(const kin_rng_key* key) { return kin_scale(kin_v(1, 2, -3), kin_rng_uniform(key, 0, 0, 30)); }
static kin_vec3 far_apart(const kin_rng_key* key)
{
    kin_vec3 x = in_a_box(key);
    return key->serial % 10 == 0 ? kin_scale(x, 1e12) : x;
}
static kin_vec3 on_a_lattice(const kin_rng_key* key) /* many at exactly the radius */
{
    uint64_t i = key->serial;
    return kin_v((double)(i % 10), (double)(i / 10 % 10), (double)(i / 100));
}

static size_t differences(const kin_neighbour_lists* a, const kin_neighbour_lists* b)
{
    size_t wrong = 0;
    for (uint32_t i = 0; i < a->count; ++i) {
        size_t na = a->offsets[i + 1] - a->offsets[i], nb = b->offsets[i + 1] - b->offsets[i];
        bool same = na == nb;
        for (size_t k = 0; same && k < na; ++k) same = a->indices[a->offsets[i] + k] == b->indices[b->offsets[i] + k];
        wrong += !same;
    }
    return wrong;
}

static bool lists_of(kin_neighbours_kind kind, const kin_vec3* x, kin_neighbours** near, kin_neighbour_lists* lists)
{
    kin_allocator allocator = kin_allocator_default();
    bool ok = kin_neighbours_create(&allocator, &(kin_neighbours_def){.kind = kind}, near, NULL) == KIN_OK;
    ok = ok && kin_neighbours_update(*near, NULL, kin_points_of_vectors(x), CLOUD, 1, NULL) == KIN_OK;
    return ok && kin_neighbours_lists(*near, NULL, lists, NULL) == KIN_OK;
}

static void cloud(kin_case_run* run, const char* name, place_fn* place)
{
    static const char* const kinds[] = {"brute", "grid", "hash", "octree_full", "octree", "kdtree"};
    static kin_vec3 x[CLOUD];
    kin_neighbours* brute = NULL;
    kin_neighbour_lists expected;
    for (uint64_t i = 0; i < CLOUD; ++i) x[i] = place(&(kin_rng_key){.seed = 8, .serial = i});
    bool ok = lists_of(KIN_NEIGHBOURS_BRUTE, x, &brute, &expected);
    for (int kind = KIN_NEIGHBOURS_GRID; kind < KIN_NEIGHBOURS_KINDS; ++kind) {
        kin_neighbours* near = NULL;
        kin_neighbour_lists lists;
        char quantity[64];
        double wrong = ok && lists_of((kin_neighbours_kind)kind, x, &near, &lists) ? (double)differences(&expected, &lists) : NAN;
        snprintf(quantity, sizeof quantity, "%s: lists of 1000 that differ", name);
        kin_case_row(run, kinds[kind], quantity, wrong, 0, 0, "House & Keyser 6.3: brute force");
        kin_neighbours_destroy(near);
    }
    kin_neighbours_destroy(brute);
}

void kin_case_neighbours(kin_case_run* run)
{
    cloud(run, "a box", in_a_box);
    cloud(run, "one point", at_one_point);
    cloud(run, "a line", on_a_line);
    cloud(run, "huge extents", far_apart);
    cloud(run, "a lattice", on_a_lattice);
}

/* ---- steering: nobody comes nearer to the sphere than its radius (H5.3b) ----
 *
 * Aimed at random at a sphere of 2 m from 6 to 12 m off at 1.5 to 3 m/s; it is seen 3 s ahead. */

enum { MOST_RUNNERS = 1000 };

static void aim(kin_particle_group* g, uint64_t i, const kin_ball* ball)
{
    kin_rng_key key = {.seed = 5, .serial = i};
    *g = kin_particle_group_default();
    g->radius = 0.5;
    g->position = kin_add_scaled(ball->center, kin_rng_uniform(&key, 1, 6, 12), kin_rng_direction(&key, 0));
    kin_vec3 target = i == 0 ? ball->center : kin_add(ball->center, kin_rng_sphere(&key, 2, 2)); /* the first one head-on */
    g->velocity = kin_scale(kin_normalize_or(kin_sub(target, g->position), kin_v(1, 0, 0)), kin_rng_uniform(&key, 3, 1.5, 3));
}

static double nearest_of(const kin_rig* r, kin_vec3 center)
{
    double nearest = kin_rig_count(r) > 0 ? 1e300 : NAN;
    for (size_t i = 0; i < kin_rig_count(r); ++i) nearest = kin_min(nearest, kin_distance(kin_rig_x_at(r, i), center));
    return nearest;
}

/* A row that passes when measured >= least: what falls short of it is the error. */
static void at_least(kin_case_run* run, const char* method, const char* quantity, double measured, double least, const char* source)
{
    kin_case_row(run, method, quantity, kin_min(measured, least), least, 0, source);
}

static void steering(kin_case_run* run, kin_steer_way way, bool on)
{
    static kin_particle_group groups[MOST_RUNNERS];
    const kin_ball ball = {{1, 2, 3}, 2};
    const size_t count = run->full ? MOST_RUNNERS : 200;
    for (size_t i = 0; i < count; ++i) aim(&groups[i], i, &ball);
    kin_steer_field def;
    kin_field_default("steer", &def);
    def.steering.ahead = 3;
    def.steering.spheres = (kin_balls){&ball, 1};
    def.steering.way = way;
    kin_rig r = kin_rig_begin(run, "semi_implicit", 0.01);
    r.def.gravity = kin_v(0, 0, 0);
    r.particles.groups = groups;
    r.particles.group_count = count;
    kin_rig_open(&r);
    if (on) kin_rig_field(&r, "steer", &def);
    kin_rig_create(&r);
    double nearest = 1e300;
    for (int i = 0; i < 1200 && kin_rig_ok(&r); ++i) {
        kin_rig_step(&r);
        nearest = kin_min(nearest, nearest_of(&r, ball.center));
    }
    const char* method = way == KIN_STEER_SIDE ? "steer, side" : "steer, tangent";
    if (on)
        at_least(run, method, "least distance from the centre, at least 2 (m)", nearest, 2, "House & Keyser 5.3.2");
    else
        kin_case_row(run, "without", "least distance, head-on: through the centre (m)", nearest, 0, 0.03 / 2, "a straight line"); /* half a step */
    kin_rig_close(&r);
}

/* ---- a flock among spheres: none enters one, none accelerates by more than its budget ---- */

static void flock(kin_case_run* run)
{
    static const kin_ball balls[] = {{{0, 0, 0}, 1.5}, {{4, 1, -3}, 1}, {{-3, -2, 4}, 1.2}};
    const double h = 0.01, limit = 15;
    kin_flock_field def;
    kin_field_default("flock", &def);
    def.range[0] = 1;
    def.range[1] = 2;
    def.apart = 0.5;
    def.match = 0.5;
    def.centre = 0.2;
    def.limit = limit;
    def.speed = 2;
    def.drive = 1;
    def.obstacles.ahead = 2;
    def.obstacles.margin = 0.3;
    def.obstacles.spheres = (kin_balls){balls, 3};
    kin_particle_group groups[3];
    static const kin_vec3 from[] = {{-9, 0, 0}, {0, 1, 9}, {6, 5, 6}}, going[] = {{2, 0, 0}, {0.5, 0, -2}, {-1.4, -1, -1.2}};
    for (int i = 0; i < 3; ++i) {
        groups[i] = kin_particle_group_default();
        groups[i].count = run->full ? 300 : 40;
        groups[i].box = kin_v(3, 3, 3);
        groups[i].position = from[i];
        groups[i].velocity = going[i];
        groups[i].spread = kin_v(0.3, 0.3, 0.3);
        groups[i].radius = 0.05;
    }
    kin_rig r = kin_rig_begin(run, "semi_implicit", h);
    r.def.gravity = kin_v(0, 0, 0);
    r.particles.groups = groups;
    r.particles.group_count = 3;
    kin_rig_open(&r);
    kin_rig_field(&r, "flock", &def);
    kin_rig_create(&r);
    double clearance = 1e300, most = 0;
    size_t count = kin_rig_count(&r);
    kin_vec3* before = calloc(count + 1, sizeof *before);
    for (int i = 0; i < 1000 && kin_rig_ok(&r) && before != NULL; ++i) {
        for (size_t k = 0; k < count; ++k) before[k] = kin_rig_v_at(&r, k);
        kin_rig_step(&r);
        for (size_t k = 0; k < count; ++k) most = kin_max(most, kin_distance(kin_rig_v_at(&r, k), before[k]) / h);
        for (int b = 0; b < 3; ++b) clearance = kin_min(clearance, nearest_of(&r, balls[b].center) - balls[b].radius);
    }
    free(before);
    at_least(run, "flock", "clearance of the obstacles, at least 0 (m)", clearance, 0, "House & Keyser 6.5.4");
    kin_case_row(run, "flock", "most acceleration beyond the budget (m/s^2)", kin_max(most - limit, 0), 0, 1e-12, "House & Keyser 6.5.3: |a| <= a_max");
    at_least(run, "flock", "and the budget is used: most (m/s^2)", most, 1, "House & Keyser 6.5.3");
    kin_rig_close(&r);
}

void kin_case_flock(kin_case_run* run)
{
    steering(run, KIN_STEER_SIDE, false);
    steering(run, KIN_STEER_SIDE, true);
    steering(run, KIN_STEER_TANGENT, true);
    flock(run);
}
