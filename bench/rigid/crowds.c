/* crowds.c - what lands on each other and on meshes: tumbler, hulls in a bin, rain on a terrain, ragdolls on stairs. */
#include "bench/rigid/build.h"
#include "kinema/collide.h"
#include "math/aabb.h"
#include "math/quat.h"
#include "math/random.h"
#include "math/scalar.h"
#include "math/vec3.h"
#include <stdlib.h>

#define DENSITY 1000.0 /* kg/m^3 */

/* ---- tumbler ---- */

kin_bench_scene kin_bench_tumbler(int count)
{
    const double edge = 0.5, apart = 0.55;
    int side = 1;
    while (side * side * side < count) ++side;
    const kin_vec3 middle = {0, 1.0 * side, 0}, inside = {0.8 * side, 0.8 * side, 0.6 * side};
    kin_bench_scene s = kin_bench_make(count, 1, 0);
    for (int i = 0; s.bodies != NULL && i < count; ++i) {
        const int at[3] = {i % side, i / (side * side), i / side % side};
        const kin_vec3 off = kin_scale(kin_v(at[0] - 0.5 * (side - 1), at[1] - 0.5 * (side - 1), at[2] - 0.5 * (side - 1)), apart);
        kin_bench_add_body(
            &s, (kin_bench_body){.shape = KIN_BENCH_BOX, .size = kin_v(edge, edge, edge), .mass = DENSITY * edge * edge * edge, .at = kin_add(middle, off)});
    }
    if (s.bodies == NULL) return s;
    kin_bench_add_fixed(&s, (kin_bench_body){.shape = KIN_BENCH_ROOM, .size = inside, .at = middle, .spin = kin_v(0, 0, 0.5)});
    s.room = kin_aabb_around(middle, kin_v(0.6 * side, 0.6 * side, 0.3 * side));
    return s;
}

/* ---- hulls ---- */

enum { POINTS = 12, KINDS = 20 }; /* of a hull; hulls of a scene, which many bodies share */

/* Turned and moved so that its principal axes and its centre of mass are those of the frame. */
static bool settle(kin_bench_cloud* c, double* volume)
{
    const kin_shape shape = {.kind = KIN_SHAPE_HULL, .points = {c->points, POINTS}};
    kin_form* form;
    kin_mass_properties mass;
    bool ok = kin_form_create(NULL, &shape, &form, NULL) == KIN_OK && kin_form_mass(form, 1, &mass, NULL) == KIN_OK;
    kin_form_drop(form);
    for (int i = 0; ok && i < POINTS; ++i) c->points[i] = kin_unrotate(mass.principal_axes, kin_sub(c->points[i], mass.center));
    *volume = ok ? mass.volume : 0;
    return ok;
}

/* Twelve points on an ellipsoid of half axes 0.2 to 0.35 m, so that all are corners. */
static int add_hull(kin_bench_scene* s, int kind, double* volume)
{
    const kin_rng_key key = {.seed = 11, .serial = (uint64_t)kind};
    kin_bench_cloud c = {.points = calloc(POINTS, sizeof(kin_vec3)), .point_count = POINTS};
    if (c.points == NULL) return -1;
    const kin_vec3 half = {kin_rng_uniform(&key, 100, 0.2, 0.35), kin_rng_uniform(&key, 101, 0.2, 0.35), kin_rng_uniform(&key, 102, 0.2, 0.35)};
    for (uint32_t i = 0; i < POINTS; ++i) c.points[i] = kin_mul(half, kin_rng_direction(&key, i));
    if (settle(&c, volume)) return kin_bench_add_cloud(s, c);
    free(c.points);
    return -1;
}

static bool add_hulls(kin_bench_scene* s, double volumes[KINDS])
{
    for (int i = 0; i < KINDS; ++i) {
        if (add_hull(s, i, &volumes[i]) < 0) return kin_bench_scene_free(s), false;
    }
    return true;
}

/* A body of the lattice, off its place and turned at random. */
static kin_bench_body scattered(int i, kin_vec3 at, double jitter)
{
    const kin_rng_key key = {.seed = 12, .serial = (uint64_t)i};
    const kin_vec3 off = {kin_rng_uniform(&key, 0, -jitter, jitter), kin_rng_uniform(&key, 1, -jitter, jitter), kin_rng_uniform(&key, 2, -jitter, jitter)};
    const kin_quat turn = kin_quat_axis_angle(kin_rng_direction(&key, 3), kin_rng_uniform(&key, 4, 0, KIN_PI));
    return (kin_bench_body){.at = kin_add(at, off), .turn = turn};
}

static void add_scattered_hull(kin_bench_scene* s, int i, kin_bench_body b, const double volumes[KINDS])
{
    b.shape = KIN_BENCH_HULL;
    b.cloud = i % KINDS;
    b.mass = DENSITY * volumes[b.cloud];
    kin_bench_add_body(s, b);
}

kin_bench_scene kin_bench_hull_pile(int count)
{
    const double apart = 0.75, half = 4;
    const int side = 10;
    double volumes[KINDS];
    kin_bench_scene s = kin_bench_make(count, 5, 0);
    if (s.bodies == NULL || !add_hulls(&s, volumes)) return s;
    for (int i = 0; i < count; ++i) {
        const kin_vec3 at = {apart * (i % side - 0.5 * (side - 1)), 0.5 + apart * (i / (side * side)), apart * (i / side % side - 0.5 * (side - 1))};
        add_scattered_hull(&s, i, scattered(i, at, 0.1), volumes);
    }
    kin_bench_add_pit(&s, half, 2 + apart * (count / (side * side) + 1));
    return s;
}

/* ---- rain ---- */

enum { CELLS = 224 };     /* a side of the terrain, two triangles each */
#define TERRAIN_CELL 0.25 /* m */

static double terrain_height(double x, double z) { return 0.8 * kin_sin(0.35 * x) * kin_cos(0.3 * z) + 0.3 * kin_sin(1.1 * x + 0.7 * z); }

static int add_terrain(kin_bench_scene* s)
{
    const int side = CELLS + 1;
    kin_bench_cloud c = {.point_count = side * side, .triangle_count = 2 * CELLS * CELLS};
    c.points = calloc((size_t)c.point_count, sizeof *c.points);
    c.corners = calloc((size_t)c.triangle_count * 3, sizeof *c.corners);
    for (int i = 0; c.points != NULL && i < side * side; ++i) {
        const double x = TERRAIN_CELL * (i % side - CELLS / 2), z = TERRAIN_CELL * (i / side - CELLS / 2);
        c.points[i] = kin_v(x, terrain_height(x, z), z);
    }
    for (int i = 0; c.corners != NULL && i < CELLS * CELLS; ++i) {
        const uint32_t a = (uint32_t)(i / CELLS * side + i % CELLS), b = a + 1, d = a + (uint32_t)side, e = d + 1;
        const uint32_t corners[6] = {a, d, b, b, d, e};
        for (int k = 0; k < 6; ++k) c.corners[6 * i + k] = corners[k];
    }
    if (c.corners == NULL) free(c.points), c.points = NULL;
    return kin_bench_add_cloud(s, c);
}

kin_bench_scene kin_bench_rain(int count)
{
    const double apart = 1.2, high = 1.5, radius = 0.15, length = 0.4;
    const int side = 20;
    double volumes[KINDS];
    kin_bench_scene s = kin_bench_make(count, 1, 0);
    if (s.bodies == NULL || !add_hulls(&s, volumes)) return s;
    for (int i = 0; i < count; ++i) {
        const kin_vec3 at = {apart * (i % side - 0.5 * (side - 1)), 4 + high * (i / (side * side)), apart * (i / side % side - 0.5 * (side - 1))};
        kin_bench_body b = scattered(i, at, 0.2);
        if (i % 2 == 0) {
            add_scattered_hull(&s, i / 2, b, volumes);
            continue;
        }
        b.shape = KIN_BENCH_CAPSULE;
        b.radius = radius;
        b.length = length;
        b.mass = DENSITY * KIN_PI * radius * radius * (length + 4 * radius / 3);
        kin_bench_add_body(&s, b);
    }
    const int terrain = add_terrain(&s);
    if (terrain < 0) return kin_bench_scene_free(&s), s;
    kin_bench_add_fixed(&s, (kin_bench_body){.shape = KIN_BENCH_MESH, .cloud = terrain});
    s.room = kin_aabb_around(kin_v(0, 0, 0), kin_v(0.5 * TERRAIN_CELL * CELLS, 100, 0.5 * TERRAIN_CELL * CELLS));
    s.room.low.y = -1.2; /* the lowest of the ground is at -1.1 */
    return s;
}

/* ---- stairs ---- */

kin_bench_scene kin_bench_stairs(int count)
{
    enum { STAIRS = 30, ROW = 10 };
    const double step = 0.4, wide = 12;
    const int joints = KIN_BENCH_LIMBS - 1;
    kin_bench_scene s = kin_bench_make(KIN_BENCH_LIMBS * count, STAIRS + 1, joints * count);
    for (int i = 0; s.bodies != NULL && i < count; ++i) {
        const kin_rng_key key = {.seed = 13, .serial = (uint64_t)i};
        const int row = i / ROW % ROW, storey = i / (ROW * ROW);
        const double x = 0.6 + 1.1 * row + kin_rng_uniform(&key, 0, -0.1, 0.1), z = i % ROW - 0.5 * (ROW - 1) + kin_rng_uniform(&key, 1, -0.1, 0.1);
        kin_bench_add_ragdoll(&s, kin_v(x, step * STAIRS - x + 1.8 + 2.2 * storey, z), true);
    }
    for (int i = 0; s.bodies != NULL && i < STAIRS; ++i) { /* each stands on the ground */
        const double high = step * (STAIRS - i);
        kin_bench_add_floor(&s, kin_v(step * (i + 0.5), 0.5 * high, 0), kin_v(step, high, wide));
    }
    if (s.bodies != NULL) kin_bench_add_ground(&s);
    return s;
}
