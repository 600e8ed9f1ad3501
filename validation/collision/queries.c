/* queries.c - questions on a world of every kind of solid, against asking each solid alone; and paths against surfaces that move. */
#include "math/quat.h"
#include "validation/cases.h"
#include "validation/collision/dice.h"
#include <math.h>
#include <stdlib.h>

#define SOLIDS 44 /* four of each of the eleven kinds, but one plane */

/* ---- a world of everything, and one world for each thing in it ---- */

typedef struct many {
    kin_world* world;
    kin_world* alone[SOLIDS];
    int count;
} many;

static const kin_vec3 corners[8] = {{0.5, 0, 0}, {-0.5, 0.1, 0}, {0, 0.6, 0}, {0, -0.5, 0.1}, {0, 0, 0.7}, {0.1, 0, -0.4}, {0.3, 0.3, 0.3}, {-0.3, -0.3, 0.2}};
static const uint32_t faces[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5}; /* an octahedron of the first six */
static const double hills[16] = {0, 0.2, 0.1, 0, 0.3, 0.5, 0.2, 0.1, 0.1, 0.2, 0.4, 0.3, 0, 0.1, 0.2, 0};
static const kin_shape parts[2] = {{.kind = KIN_SHAPE_BOX, .size = {0.8, 0.2, 0.4}}, {.kind = KIN_SHAPE_SPHERE, .radius = 0.25, .offset = {0.3, 0.2, 0}}};

static kin_shape shape_of(int kind)
{
    const kin_mesh_view mesh = {corners, 6, NULL, faces, 8};
    kin_shape s = {.kind = (kin_shape_kind)kind, .radius = 0.35, .length = 0.6, .size = {0.6, 0.5, 0.7}, .normal = {0.1, 1, 0}};
    if (kind == KIN_SHAPE_MESH || kind == KIN_SHAPE_FIELD) s.mesh = mesh, s.resolution = 24;
    if (kind == KIN_SHAPE_HULL) s.points = (kin_points_view){corners, 8};
    if (kind == KIN_SHAPE_HEIGHTS) s.heights = (kin_heights_view){.values = {hills, 16}, .columns = 4, .size = {1.5, 1, 1.5}};
    if (kind == KIN_SHAPE_COMPOUND) s.parts = parts, s.part_count = 2;
    return s;
}

static void add_to(kin_world* world, int i, kin_dice dice)
{
    kin_collider_def def = kin_collider_def_default();
    def.shape = shape_of(i % 11);
    def.position = i == KIN_SHAPE_PLANE ? kin_v(0, -4, 0) : kin_dice_vec3(&dice, 3);
    def.orientation = kin_dice_turn(&dice);
    if (i == KIN_SHAPE_PLANE) def.orientation = kin_quat_identity();
    def.filter.category = i % 2 == 0 ? 1 : 2;
    kin_collider_id id;
    kin_world_add_collider(world, &def, &id, NULL);
}

static many open_many(int threads)
{
    many m = {.count = 0};
    kin_world_def def = kin_world_def_default();
    def.threads = threads;
    kin_world_create(&def, &m.world, NULL);
    for (int i = 0; i < SOLIDS; ++i) {
        if (i % 11 == KIN_SHAPE_PLANE && i > 11) continue;
        add_to(m.world, i, (kin_dice){100u + (unsigned)i});
        def.threads = 1;
        kin_world_create(&def, &m.alone[m.count], NULL);
        add_to(m.alone[m.count++], i, (kin_dice){100u + (unsigned)i});
    }
    return m;
}

static void close_many(many* m)
{
    for (int i = 0; i < m->count; ++i) kin_world_destroy(m->alone[i]);
    kin_world_destroy(m->world);
}

static bool same(const kin_query_hit* a, const kin_query_hit* b)
{
    if (a->found != b->found) return false;
    return !a->found || (a->distance == b->distance && kin_distance(a->point, b->point) == 0 && kin_distance(a->normal, b->normal) == 0);
}

/* ---- rays and points ---- */

static void rays(kin_case_run* run)
{
    many m = open_many(2);
    kin_dice d = {5};
    int n = run->full ? 100000 : 3000, wrong = 0, unsorted = 0, batch_wrong = 0, hits = 0;
    kin_ray* asked = malloc((size_t)n * sizeof *asked);
    kin_query_hit *batch = malloc((size_t)n * sizeof *batch), all[64];
    for (int i = 0; i < n; ++i) asked[i] = (kin_ray){kin_dice_vec3(&d, 4), kin_dice_direction(&d), kin_dice_roll(&d, 1, 12)};
    kin_world_rays(m.world, asked, (size_t)n, NULL, batch);
    for (int i = 0; i < n; ++i) {
        kin_query_hit best = {0}, first = kin_world_ray(m.world, asked[i].origin, asked[i].direction, asked[i].max_distance);
        int crossed = 0;
        for (int k = 0; k < m.count; ++k) {
            kin_query_hit hit = kin_world_ray(m.alone[k], asked[i].origin, asked[i].direction, asked[i].max_distance);
            crossed += hit.found;
            if (hit.found && (!best.found || hit.distance < best.distance)) best = hit;
        }
        int count = kin_world_ray_all(m.world, asked[i].origin, asked[i].direction, asked[i].max_distance, NULL, all, 64);
        for (int k = 1; k < count; ++k) unsorted += all[k].distance < all[k - 1].distance;
        wrong += !same(&first, &best) || count != crossed;
        batch_wrong += !same(&batch[i], &best);
        hits += best.found;
    }
    kin_case_row(run, "rays", "first and all hits unlike each solid alone", wrong, 0, 0, "brute force over 41 solids");
    kin_case_row(run, "rays", "all hits out of order", unsorted, 0, 0, "nearest first");
    kin_case_row(run, "batch, 2 threads", "unlike each solid alone", batch_wrong, 0, 0, "brute force");
    kin_case_row(run, "rays", "share that hits is neither 0 nor 1", hits > n / 10 && hits < n, 1, 0, "the test bites");
    free(asked);
    free(batch);
    close_many(&m);
}

static void points(kin_case_run* run)
{
    many m = open_many(1);
    kin_dice d = {6};
    int n = run->full ? 50000 : 2000, wrong = 0;
    for (int i = 0; i < n; ++i) {
        kin_vec3 x = kin_dice_vec3(&d, 4);
        double reach = kin_dice_roll(&d, 0.1, 2);
        kin_query_hit best = {0}, first = kin_world_closest(m.world, x, reach), all[64];
        int near = 0;
        for (int k = 0; k < m.count; ++k) {
            kin_query_hit hit = kin_world_closest(m.alone[k], x, reach);
            near += hit.found;
            if (hit.found && (!best.found || hit.distance < best.distance)) best = hit;
        }
        wrong += !same(&first, &best) || kin_world_closest_all(m.world, x, reach, NULL, all, 64) != near;
    }
    kin_case_row(run, "nearest points", "unlike each solid alone", wrong, 0, 0, "brute force over 41 solids");
    close_many(&m);
}

/* ---- shapes ---- */

static void shapes(kin_case_run* run)
{
    many m = open_many(1);
    kin_dice d = {7};
    int n = run->full ? 4000 : 150, overlap_wrong = 0, cast_wrong = 0, overlaps = 0, casts = 0;
    for (int i = 0; i < n; ++i) {
        const kin_shape shape = shape_of((int[]){0, 1, 2, 5, 6, 7, 10}[i % 7]);
        kin_transform from = {kin_dice_vec3(&d, 4), kin_dice_turn(&d)}, to = {kin_dice_vec3(&d, 4), kin_dice_turn(&d)};
        kin_query_hit all[64], one[1];
        int count, expected = 0, each;
        kin_world_overlap(m.world, &shape, from, 0.05, NULL, all, 64, &count, NULL);
        for (int k = 0; k < m.count; ++k) {
            kin_world_overlap(m.alone[k], &shape, from, 0.05, NULL, one, 1, &each, NULL);
            expected += each;
        }
        overlap_wrong += count != expected;
        overlaps += expected;
        kin_query_hit best = {0};
        for (int k = 0; k < m.count; ++k) {
            kin_world_cast(m.alone[k], &shape, from, to, NULL, one, 1, &each, NULL);
            if (each > 0 && (!best.found || one[0].fraction < best.fraction)) best = one[0];
        }
        kin_world_cast(m.world, &shape, from, to, NULL, all, 64, &count, NULL);
        cast_wrong += (count > 0) != best.found || (count > 0 && all[0].fraction != best.fraction);
        casts += count > 0;
    }
    kin_case_row(run, "overlaps", "counts unlike each solid alone", overlap_wrong, 0, 0, "brute force over 41 solids");
    kin_case_row(run, "casts", "first impacts unlike each solid alone", cast_wrong, 0, 0, "brute force over 41 solids");
    kin_case_row(run, "both", "some overlap, some casts meet", overlaps > 0 && casts > n / 4, 1, 0, "the test bites");
    close_many(&m);
}

/* ---- filters ---- */

static bool odd_only(void* context, kin_anchor solid) { return (void)context, solid.element % 2 == 1; }

static void filters(kin_case_run* run)
{
    many m = open_many(1);
    kin_dice d = {8};
    kin_query first_kind = {.filter = {.mask = 1}}, none = {.filter = {.mask = 4}}, odd = {.accept = odd_only};
    int wrong = 0, found = 0, leaked = 0;
    for (int i = 0; i < 500; ++i) {
        kin_vec3 from = kin_dice_vec3(&d, 4), along = kin_dice_direction(&d);
        kin_query_hit some[64], all[64];
        int a = kin_world_ray_all(m.world, from, along, 20, NULL, all, 64), b = kin_world_ray_all(m.world, from, along, 20, &first_kind, some, 64);
        int c = kin_world_ray_all(m.world, from, along, 20, &odd, some, 64), expected = 0;
        for (int k = 0; k < a; ++k) expected += all[k].anchor.element % 2 == 1;
        wrong += b > a || c != expected;
        found += b;
        leaked += kin_world_ray_all(m.world, from, along, 20, &none, some, 64);
    }
    kin_case_row(run, "masks", "answers that no mask allows", leaked, 0, 0, "category & mask");
    kin_case_row(run, "callback", "answers unlike the list filtered by hand", wrong, 0, 0, "brute force");
    kin_case_row(run, "masks", "one kind is found", found > 0, 1, 0, "the test bites");
    close_many(&m);
}

/* ---- what moves over an interval ---- */

/* A plate that sweeps across a standing shape: as it stands after the step it is past; over the step it hits. */
static void moving(kin_case_run* run)
{
    kin_world* world;
    kin_world_def def = kin_world_def_default();
    def.time_step = 1;
    kin_world_create(&def, &world, NULL);
    const kin_key keys[2] = {{0, {-2, 0, 0}, {0, 0, 0, 1}}, {1, {2, 0, 0}, {0, 0, 0, 1}}};
    kin_collider_def plate = kin_collider_def_default();
    plate.shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = {0.01, 1, 1}};
    plate.keys = keys, plate.key_count = 2, plate.smooth = false;
    kin_collider_id id;
    kin_world_add_collider(world, &plate, &id, NULL);
    kin_world_step(world, NULL, NULL);
    const kin_shape ball = {.kind = KIN_SHAPE_SPHERE, .radius = 0.1};
    const kin_transform here = {{0.5, 0, 0}, {0, 0, 0, 1}};
    kin_query over = {.over_last_step = true};
    kin_query_hit hit;
    int now, then;
    kin_world_cast(world, &ball, here, here, NULL, &hit, 1, &now, NULL);
    kin_world_cast(world, &ball, here, here, &over, &hit, 1, &then, NULL);
    kin_case_row(run, "as it stands", "hits of a plate that has passed", now, 0, 0, "closed form");
    kin_case_row(run, "over the step", "when the plate comes, fraction", then > 0 ? hit.fraction : NAN, (0.5 - 0.1 - 0.005 + 2) / 4, 1e-6, "closed form");
    kin_case_row(run, "over the step", "its speed there, m/s", then > 0 ? hit.velocity.x : NAN, 4, 1e-12, "closed form");
    kin_world_destroy(world);
}

const kin_case kin_cases_queries[] = {
    {"collision/query-rays", "Rays against every kind of solid.", rays},
    {"collision/query-points", "Nearest points of every kind of solid.", points},
    {"collision/query-shapes", "Overlaps and casts of shapes.", shapes},
    {"collision/query-filters", "Masks, groups and callbacks.", filters},
    {"collision/query-moving", "Casts over an interval in which solids move.", moving},
    {NULL, NULL, NULL},
};
