/* surfaces_test.c - deforming walls in a world that steps: a box of mesh faces whose floor beats under water, moved by calls and by keys. */
#include "kinema/kinema.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "support/world.h"
#include <string.h>

enum { GRID = 9, FLOOR = GRID * GRID, RIM = 4 * (GRID - 1), VERTICES = FLOOR + RIM, TRIANGLES = 2 * (GRID - 1) * (GRID - 1) + 2 * RIM };
#define SIDE 0.4  /* m, of the box */
#define TOP 0.5   /* m, of its walls */
#define DEPTH 0.2 /* m, of the water */
#define BULGE 0.08
#define PERIOD 0.5 /* s */
#define SPACING 0.04
#define STEP (1.0 / 120)

static uint32_t corners[3 * TRIANGLES];

/* 0 at the walls, and at the start. */
static double height(double x, double z, double time)
{
    double c = kin_cos(3.14159265358979324 * x / SIDE) * kin_cos(3.14159265358979324 * z / SIDE);
    return BULGE * c * c * 0.5 * (1 - kin_cos(2 * 3.14159265358979324 * time / PERIOD));
}

static double grid_at(int i) { return SIDE * ((double)i / (GRID - 1) - 0.5); }

/* The rim of the floor, once round. */
static int rim_vertex(int k)
{
    const int n = GRID - 1, i = k % n;
    return k < n ? i : k < 2 * n ? n + GRID * i : k < 3 * n ? n - i + GRID * n : GRID * (n - i);
}

/* A floor with walls round it, open at the top. */
static void box_at(double time, kin_vec3* out)
{
    for (int i = 0; i < FLOOR; ++i) {
        double x = grid_at(i % GRID), z = grid_at(i / GRID);
        out[i] = kin_v(x, height(x, z, time), z);
    }
    for (int k = 0; k < RIM; ++k) out[FLOOR + k] = kin_v(out[rim_vertex(k)].x, TOP, out[rim_vertex(k)].z);
}

static uint32_t* put_quad(uint32_t* at, int a, int b, int c, int d)
{
    const uint32_t quad[6] = {(uint32_t)a, (uint32_t)b, (uint32_t)c, (uint32_t)a, (uint32_t)c, (uint32_t)d};
    memcpy(at, quad, sizeof quad);
    return at + 6;
}

static kin_mesh_view box_mesh(const kin_vec3* vertices)
{
    uint32_t* at = corners;
    for (int z = 0; z < GRID - 1; ++z) {
        for (int x = 0; x < GRID - 1; ++x) at = put_quad(at, x + GRID * z, x + GRID * (z + 1), x + 1 + GRID * (z + 1), x + 1 + GRID * z);
    }
    for (int k = 0; k < RIM; ++k) at = put_quad(at, rim_vertex(k), rim_vertex((k + 1) % RIM), FLOOR + (k + 1) % RIM, FLOOR + k);
    return (kin_mesh_view){.vertices = vertices, .vertex_count = VERTICES, .corners = corners, .face_count = TRIANGLES};
}

typedef struct beaten {
    kin_world* world;
    kin_system_id tank;
    kin_sph_surface_id box;
} beaten;

static kin_sph_def water_def(kin_sph_block* block, kin_sph_phase_def* phase)
{
    kin_sph_def def = kin_sph_def_default();
    *block = kin_sph_block_default(), *phase = kin_sph_phase_def_default();
    block->shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = {SIDE, DEPTH, SIDE}};
    block->position = kin_v(0, 0.5 * DEPTH, 0);
    phase->density = 1000;
    def.radius = 0.5 * SPACING;
    def.phases.data = phase, def.phases.count = 1;
    def.blocks.data = block, def.blocks.count = 1;
    return def;
}

static kin_world* new_world(test* t, int threads)
{
    kin_world* world = NULL;
    kin_world_def def = kin_world_def_default();
    def.allocator = t->allocator;
    def.threads = threads;
    def.time_step = STEP;
    CHECK(t, kin_world_create(&def, &world, NULL) == KIN_OK);
    return world;
}

/* The box comes by a call. */
static beaten build(test* t, int threads)
{
    kin_vec3 vertices[VERTICES];
    kin_sph_block block;
    kin_sph_phase_def phase;
    kin_sph_def def = water_def(&block, &phase);
    kin_sph_surface_def box = kin_sph_surface_def_default();
    kin_error error = {0};
    beaten b = {.world = new_world(t, threads)};
    box_at(0, vertices);
    box.mesh = box_mesh(vertices);
    CHECK(t, kin_sph_create(b.world, &def, &b.tank, NULL) == KIN_OK);
    test_check(t, kin_sph_add_surface(b.world, b.tank, &box, &b.box, &error) == KIN_OK, __FILE__, __LINE__, "%s: %s", error.where, error.message);
    return b;
}

static void beat(test* t, const beaten* b)
{
    kin_vec3 vertices[VERTICES];
    box_at(kin_world_time(b->world) + STEP, vertices);
    CHECK(t, kin_sph_move_surface(b->world, b->tank, b->box, vertices, VERTICES, NULL) == KIN_OK);
    test_steps(t, b->world, 1);
}

static kin_vec3 place(const kin_sph_view* v, size_t i)
{
    const float* x = v->position + 4 * i;
    return kin_add(v->origin, kin_v((double)x[0], (double)x[1], (double)x[2]));
}

/* The floor as it is meshed: squares cut from their low to their high corner. */
static double floor_under(kin_vec3 x, double time)
{
    double u = (x.x / SIDE + 0.5) * (GRID - 1), w = (x.z / SIDE + 0.5) * (GRID - 1), i = kin_clamp(kin_floor(u), 0, GRID - 2),
           k = kin_clamp(kin_floor(w), 0, GRID - 2);
    double h[4];
    for (int c = 0; c < 4; ++c) h[c] = height(grid_at((int)i + c % 2), grid_at((int)k + c / 2), time);
    u -= i, w -= k;
    return u > w ? h[0] + u * (h[1] - h[0]) + w * (h[3] - h[1]) : h[0] + w * (h[2] - h[0]) + u * (h[3] - h[2]);
}

/* All are there, above the floor as it is at that time. */
static void check_inside(test* t, const beaten* b, size_t count, double time)
{
    kin_sph_view v = kin_sph_state(b->world, b->tank);
    EQUAL(t, v.count, count);
    for (size_t i = 0; i < v.count; ++i) {
        kin_vec3 x = place(&v, i);
        if (!CHECK(t, kin_abs(x.x) < 0.5 * SIDE && kin_abs(x.z) < 0.5 * SIDE && x.y > floor_under(x, time) && x.y < TOP)) return;
    }
}

/* J: of its height and its motion. */
static double energy(const beaten* b)
{
    kin_sph_view v = kin_sph_state(b->world, b->tank);
    double sum = 0, mass = 1000 * SPACING * SPACING * SPACING;
    for (size_t i = 0; i < v.count; ++i) {
        const float* u = v.velocity + 4 * i;
        sum += mass * (9.81 * place(&v, i).y + 0.5 * kin_length2(kin_v((double)u[0], (double)u[1], (double)u[2])));
    }
    return sum;
}

static double measure(const kin_world* world, const char* name)
{
    kin_measure m[64];
    size_t n = kin_world_measure(world, 1, m, 64);
    for (size_t i = 0; i < n; ++i) {
        if (strcmp(m[i].name, name) == 0) return m[i].value;
    }
    return 1e300;
}

/* The least energy of water at rest on the floor as it is, over that on a flat one: it fills from the floor to one level. */
static double least_gain(double time)
{
    enum { PARTS = 200 };
    double under = 0, squares = 0, area = SIDE * SIDE, cell = area / (PARTS * PARTS);
    for (int i = 0; i < PARTS * PARTS; ++i) {
        double f = height(SIDE * ((i % PARTS + 0.5) / PARTS - 0.5), SIDE * ((double)(i / PARTS) + 0.5) / PARTS - 0.5 * SIDE, time);
        under += f * cell, squares += f * f * cell;
    }
    double level = DEPTH + under / area;
    return 1000 * 9.81 * 0.5 * (area * level * level - squares - area * DEPTH * DEPTH);
}

/* The floor rises and sinks twice: nobody passes it, the water is compressed no more than the solver allows, and while the floor rises it does as much work as the
 * water then has at the least. Faces are felt within a tenth of a spacing of where they are: that much times the weight is not known. */
static void a_floor_beats_under_water(test* t)
{
    beaten b = build(t, 1);
    double start = energy(&b), known = 0.1 * SPACING * 9.81 * 1000 * SIDE * SIDE * DEPTH;
    size_t count = kin_sph_state(b.world, b.tank).count;
    EQUAL(t, count, 500);
    for (int n = 1; n <= (int)(2 * PERIOD / STEP); ++n) {
        beat(t, &b);
        check_inside(t, &b, count, kin_world_time(b.world));
        CHECK(t, measure(b.world, "density_error") <= 0.0005);
        double gain = energy(&b) - start, least = least_gain(kin_world_time(b.world));
        if (!test_check(t, gain > least - known, __FILE__, __LINE__, "after %d steps: %g J gained, %g at least, to %g", n, gain, least, known)) break;
    }
    CHECK(t, least_gain(0.5 * PERIOD) > 3 * known); /* or this would say nothing */
    kin_world_destroy(b.world);
}

/* The whole box and its lid, thrown to and fro at up to 4 m/s, while its floor beats five times as fast: pressure does not keep what flies from the walls. */
static kin_vec3 thrown(double time) { return kin_v(0.2 * kin_sin(20 * time), 0.1 * kin_sin(31 * time), 0.1 * kin_sin(13 * time)); }

static void shaken_at(double time, kin_vec3* box, kin_vec3* lid)
{
    box_at(5 * time, box);
    for (int i = 0; i < 4; ++i) lid[i] = kin_v(i % 3 ? SIDE : -SIDE, TOP - 0.02, i / 2 ? SIDE : -SIDE);
    for (int i = 0; i < VERTICES; ++i) box[i] = kin_add(box[i], thrown(time));
    for (int i = 0; i < 4; ++i) lid[i] = kin_add(lid[i], thrown(time));
}

static void nobody_leaves_a_box_that_is_shaken(test* t)
{
    kin_vec3 box[VERTICES], lid[4];
    beaten b = build(t, 1);
    const uint32_t face[4] = {0, 1, 2, 3}, four = 4;
    kin_sph_surface_def def = kin_sph_surface_def_default();
    kin_sph_surface_id id;
    shaken_at(0, box, lid);
    def.mesh = (kin_mesh_view){lid, 4, &four, face, 1};
    CHECK(t, kin_sph_add_surface(b.world, b.tank, &def, &id, NULL) == KIN_OK);
    for (int n = 0; n < 60; ++n) {
        double end = kin_world_time(b.world) + STEP;
        shaken_at(end, box, lid);
        CHECK(t, kin_sph_move_surface(b.world, b.tank, b.box, box, VERTICES, NULL) == KIN_OK);
        CHECK(t, kin_sph_move_surface(b.world, b.tank, id, lid, 4, NULL) == KIN_OK);
        test_steps(t, b.world, 1);
        kin_sph_view v = kin_sph_state(b.world, b.tank);
        for (size_t i = 0; i < v.count; ++i) {
            kin_vec3 x = kin_sub(place(&v, i), thrown(end));
            if (!test_check(t, kin_abs(x.x) < 0.5 * SIDE && kin_abs(x.z) < 0.5 * SIDE && x.y > floor_under(x, 5 * end) && x.y < TOP - 0.02, __FILE__, __LINE__,
                            "step %d: somebody at (%g, %g, %g)", n, x.x, x.y, x.z))
                return kin_world_destroy(b.world);
        }
    }
    kin_world_destroy(b.world);
}

static uint64_t hash_after(test* t, int threads, int steps)
{
    beaten b = build(t, threads);
    for (int n = 0; n < steps; ++n) beat(t, &b);
    uint64_t hash = kin_world_state_hash(b.world);
    kin_world_destroy(b.world);
    return hash;
}

static void same_bits_for_threads(test* t)
{
    uint64_t one = hash_after(t, 1, 12);
    CHECK(t, hash_after(t, 2, 12) == one);
    CHECK(t, hash_after(t, 8, 12) == one);
}

/* A world that never heard of the surface has it from a snapshot, on its way; so has a clone. One that has another one in its place, too. */
static void restored_and_cloned_midway(test* t)
{
    beaten straight = build(t, 1), other = build(t, 1);
    kin_vec3 vertices[VERTICES];
    kin_world* clone = NULL;
    kin_snapshot snapshot = {0};
    for (int n = 0; n < 9; ++n) beat(t, &straight);
    box_at(kin_world_time(straight.world) + STEP, vertices);
    CHECK(t, kin_sph_move_surface(straight.world, straight.tank, straight.box, vertices, VERTICES, NULL) == KIN_OK); /* where it is to go is state */
    CHECK(t, kin_world_snapshot(straight.world, &snapshot, NULL) == KIN_OK);
    CHECK(t, kin_sph_remove_surface(other.world, other.tank, other.box, NULL) == KIN_OK);
    CHECK(t, kin_world_restore(other.world, &snapshot, NULL) == KIN_OK);
    CHECK(t, kin_world_clone(straight.world, &clone, NULL) == KIN_OK);
    kin_world* const worlds[3] = {straight.world, other.world, clone};
    uint64_t hashes[3];
    for (int w = 0; w < 3; ++w) {
        CHECK(t, kin_world_state_hash(worlds[w]) == kin_world_state_hash(straight.world) || w == 0);
        beaten b = {worlds[w], straight.tank, straight.box};
        test_steps(t, worlds[w], 1);
        for (int n = 0; n < 9; ++n) beat(t, &b);
        hashes[w] = kin_world_state_hash(worlds[w]);
        if (w > 0) CHECK(t, hashes[w] == hashes[0]);
        if (w == 0) CHECK(t, kin_world_restore(worlds[0], &snapshot, NULL) == KIN_OK); /* the others are compared with where it was */
    }
    kin_snapshot_free(&snapshot);
    for (int w = 0; w < 3; ++w) kin_world_destroy(worlds[w]);
}

/* Cut anywhere, most of all among the surfaces at its end, a snapshot is refused; nothing leaks. */
static void a_cut_snapshot_is_refused(test* t)
{
    beaten b = build(t, 1);
    kin_snapshot snapshot = {0};
    beat(t, &b);
    CHECK(t, kin_world_snapshot(b.world, &snapshot, NULL) == KIN_OK);
    const size_t size = snapshot.size;
    for (size_t cut = 1; cut < size; cut += cut < 100 ? 7 : cut / 3) {
        snapshot.size = size - cut;
        CHECK(t, kin_world_restore(b.world, &snapshot, NULL) != KIN_OK);
    }
    snapshot.size = size;
    CHECK(t, kin_world_restore(b.world, &snapshot, NULL) == KIN_OK);
    beat(t, &b);
    kin_snapshot_free(&snapshot);
    kin_world_destroy(b.world);
}

static bool add_and_restore(test* t, void* context)
{
    (void)context;
    kin_vec3 vertices[VERTICES];
    kin_sph_block block;
    kin_sph_phase_def phase;
    kin_sph_def def = water_def(&block, &phase);
    kin_sph_surface_def box = kin_sph_surface_def_default();
    kin_world_def world_def = kin_world_def_default();
    kin_world* world;
    kin_snapshot snapshot = {0};
    world_def.allocator = t->allocator, world_def.threads = 1;
    if (kin_world_create(&world_def, &world, NULL) != KIN_OK) return false;
    box_at(0, vertices);
    box.mesh = box_mesh(vertices);
    def.surfaces.data = &box, def.surfaces.count = 1;
    bool ok = kin_sph_create(world, &def, NULL, NULL) == KIN_OK && kin_world_snapshot(world, &snapshot, NULL) == KIN_OK
              && kin_world_restore(world, &snapshot, NULL) == KIN_OK;
    kin_snapshot_free(&snapshot);
    kin_world_destroy(world);
    return ok;
}

static void out_of_memory_leaks_nothing(test* t) { test_fail_each_allocation(t, add_and_restore, NULL); }

/* Keys in the def at the ends of steps are as calls before them. */
static void keys_do_as_calls(test* t)
{
    enum { KEYS = 13 };
    static kin_vec3 places[KEYS][VERTICES];
    kin_sph_surface_key keys[KEYS];
    kin_sph_block block;
    kin_sph_phase_def phase;
    kin_sph_def def = water_def(&block, &phase);
    kin_sph_surface_def box = kin_sph_surface_def_default();
    beaten called = build(t, 1), keyed = {.world = new_world(t, 1), .box = {1}};
    for (int k = 0; k < KEYS; ++k) {
        box_at(k * STEP, places[k]);
        keys[k] = (kin_sph_surface_key){k * STEP, {places[k], VERTICES}};
    }
    box.mesh = box_mesh(places[0]);
    box.keys.data = keys, box.keys.count = KEYS;
    def.surfaces.data = &box, def.surfaces.count = 1;
    CHECK(t, kin_sph_create(keyed.world, &def, &keyed.tank, NULL) == KIN_OK);
    for (int n = 0; n + 1 < KEYS; ++n) beat(t, &called), test_steps(t, keyed.world, 1);
    kin_sph_view a = kin_sph_state(called.world, called.tank), b = kin_sph_state(keyed.world, keyed.tank);
    EQUAL(t, a.count, b.count);
    for (size_t i = 0; i < a.count; ++i) NEAR(t, kin_distance(place(&a, i), place(&b, i)), 0, 1e-5); /* times of keys round */
    kin_error error = {0};
    CHECK(t, kin_sph_move_surface(keyed.world, keyed.tank, keyed.box, places[0], VERTICES, &error) == KIN_ERROR_ARGUMENT);
    TEXT(t, error.message, "surface 1 follows its keys");
    kin_world_destroy(called.world);
    kin_world_destroy(keyed.world);
}

/* ---- leaps ---- */

static const kin_vec3 cube_corners[8] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}};
static const uint32_t cube_faces[24] = {0, 3, 2, 1, 4, 5, 6, 7, 0, 1, 5, 4, 3, 7, 6, 2, 0, 4, 7, 3, 1, 2, 6, 5}, cube_sizes[6] = {4, 4, 4, 4, 4, 4};

static double speed(const beaten* b)
{
    kin_sph_view v = kin_sph_state(b->world, b->tank);
    double most = 0;
    for (size_t i = 0; i < v.count; ++i) {
        const float* u = v.velocity + 4 * i;
        most = kin_max(most, kin_length(kin_v((double)u[0], (double)u[1], (double)u[2])));
    }
    return most;
}

/* A closed one that comes into the water, then leaps to another place in it: nobody stays inside, nobody is thrown, nobody is lost. */
static void a_closed_surface_leaps(test* t)
{
    beaten b = build(t, 1);
    kin_vec3 cube[8];
    kin_sph_surface_def def = kin_sph_surface_def_default();
    kin_sph_surface_id id;
    const double centers[2] = {-0.1, 0.1};
    size_t count = kin_sph_state(b.world, b.tank).count;
    test_steps(t, b.world, 2);
    for (int leap = 0; leap < 2; ++leap) {
        for (int v = 0; v < 8; ++v) cube[v] = kin_add(kin_v(centers[leap], 0.1, 0), kin_scale(cube_corners[v], 0.05));
        def.mesh = (kin_mesh_view){cube, 8, cube_sizes, cube_faces, 6};
        if (leap == 0)
            CHECK(t, kin_sph_add_surface(b.world, b.tank, &def, &id, NULL) == KIN_OK);
        else
            CHECK(t, kin_sph_move_surface(b.world, b.tank, id, cube, 8, NULL) == KIN_OK);
        double fastest = 0;
        for (int n = 0; n < 50; ++n) {
            test_steps(t, b.world, 1);
            check_inside(t, &b, count, 0);
            fastest = kin_max(fastest, speed(&b));
        }
        CHECK(t, fastest < 2 * kin_sqrt(2 * 9.81 * TOP)); /* of what falls through the box */
        kin_sph_view v = kin_sph_state(b.world, b.tank);
        for (size_t i = 0; i < v.count; ++i) CHECK(t, kin_largest(kin_abs3(kin_sub(place(&v, i), kin_v(centers[leap], 0.1, 0)))) > 0.05);
    }
    kin_world_destroy(b.world);
}

/* Blocks leave the room of a closed surface of the def free. */
static void blocks_do_not_fill_closed_surfaces(test* t)
{
    kin_vec3 cube[8];
    kin_sph_block block;
    kin_sph_phase_def phase;
    kin_sph_def def = water_def(&block, &phase);
    kin_sph_surface_def surface = kin_sph_surface_def_default();
    kin_system_id tank;
    kin_world* world = new_world(t, 1);
    for (int v = 0; v < 8; ++v) cube[v] = kin_add(kin_v(0, 0.1, 0), kin_scale(cube_corners[v], 0.06));
    surface.mesh = (kin_mesh_view){cube, 8, cube_sizes, cube_faces, 6};
    def.surfaces.data = &surface, def.surfaces.count = 1;
    CHECK(t, kin_sph_create(world, &def, &tank, NULL) == KIN_OK);
    kin_sph_view v = kin_sph_state(world, tank);
    EQUAL(t, v.count, 500 - 4 * 4 * 3); /* places at 0.02 + 0.04 n: within a quarter of a spacing of it are four across and three up */
    for (size_t i = 0; i < v.count; ++i) CHECK(t, kin_largest(kin_abs3(kin_sub(place(&v, i), kin_v(0, 0.1, 0)))) > 0.06);
    kin_world_destroy(world);
}

/* ---- errors ---- */

static void refused(test* t, kin_sph_surface_def surface, const char* where, const char* message)
{
    kin_sph_block block;
    kin_sph_phase_def phase;
    kin_sph_def def = water_def(&block, &phase);
    kin_world* world = new_world(t, 1);
    kin_error error = {0};
    def.surfaces.data = &surface, def.surfaces.count = 1;
    EQUAL(t, kin_sph_create(world, &def, NULL, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, where);
    TEXT(t, error.message, message);
    kin_world_destroy(world);
}

static void what_is_wrong_is_named(test* t)
{
    const kin_vec3 three[3] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}}, lost[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1e300 * 1e300, 1}};
    const double triangle[3] = {0, 1, 2}, wild[3] = {0, 1, 3};
    const kin_sph_surface_key late[2] = {{1, {three, 3}}, {1, {three, 3}}}, few = {0, {three, 2}}, beyond = {0, {lost, 3}};
    kin_sph_surface_def s = kin_sph_surface_def_default();
    refused(t, s, "surfaces[0].mesh", "must be given, or vertices and triangles");
    s.vertices = (kin_points_view){three, 3};
    s.triangles = (kin_numbers_view){triangle, 2};
    refused(t, s, "surfaces[0].triangles", "has 2 numbers: it takes three a triangle");
    s.triangles = (kin_numbers_view){wild, 3};
    refused(t, s, "surfaces[0].triangles[2]", "3 is no vertex: there are 3, counted from 0");
    s.triangles.data = triangle;
    s.keys.data = late, s.keys.count = 2;
    refused(t, s, "surfaces[0].keys[1].t", "1 s must be later than 1 s, the key before");
    s.keys.count = 1, s.period = 1;
    refused(t, s, "surfaces[0].keys[0].t", "1 must be within the period, from 0 to below 1 (s)");
    s.keys.data = &few, s.period = 0;
    refused(t, s, "surfaces[0].keys[0].vertices", "has 2 vertices, its mesh has 3");
    s.keys.data = &beyond;
    refused(t, s, "surfaces[0].keys[0].vertices[2][1]", "inf must be a finite number (m)");
}

static void calls_name_what_is_wrong(test* t)
{
    kin_vec3 vertices[VERTICES];
    beaten b = build(t, 1);
    kin_error error = {0};
    kin_sph_surface_def def = kin_sph_surface_def_default();
    kin_sph_surface_id id = {9};
    box_at(0, vertices);
    EQUAL(t, kin_sph_move_surface(b.world, b.tank, (kin_sph_surface_id){5}, vertices, VERTICES, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.message, "there is no surface 5 in this tank");
    EQUAL(t, kin_sph_move_surface(b.world, b.tank, b.box, vertices, 4, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.message, "has 4 vertices, surface 1 has 113");
    vertices[7].y = 0.0 / (vertices[0].x - vertices[0].x);
    EQUAL(t, kin_sph_move_surface(b.world, b.tank, b.box, vertices, VERTICES, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "vertices");
    CHECK(t, strncmp(error.message, "vertex 7 (", 10) == 0);
    def.mesh = box_mesh(vertices), vertices[7].y = 0, corners[4] = VERTICES;
    EQUAL(t, kin_sph_add_surface(b.world, b.tank, &def, &id, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "mesh");
    TEXT(t, error.message, "face 1: corner 1 is vertex 113, but there are 113 vertices");
    EQUAL(t, id.serial, 0);
    EQUAL(t, kin_sph_remove_surface(b.world, b.tank, b.box, NULL), KIN_OK);
    EQUAL(t, kin_sph_remove_surface(b.world, b.tank, b.box, &error), KIN_ERROR_ARGUMENT);
    kin_world_destroy(b.world);
}

TEST_MAIN("sph boundary surfaces", TEST(a_floor_beats_under_water), TEST(nobody_leaves_a_box_that_is_shaken), TEST(same_bits_for_threads),
          TEST(restored_and_cloned_midway), TEST(a_cut_snapshot_is_refused), TEST(out_of_memory_leaks_nothing), TEST(keys_do_as_calls),
          TEST(a_closed_surface_leaps), TEST(blocks_do_not_fill_closed_surfaces), TEST(what_is_wrong_is_named), TEST(calls_name_what_is_wrong))
