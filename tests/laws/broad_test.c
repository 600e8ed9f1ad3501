/* broad_test.c - the broad phase is a matter of cost: whichever a rigid system names, contacts, events and state are the same to the bit, in both modes, for any
 * number of threads, through changes of filter, mobility and place, and after a restore. */
#include "base/rng.h"
#include "collision/broad/broad.h"
#include "kinema/rigid.h"
#include "math/quat.h"
#include "math/random.h"
#include "support/test.h"
#include "support/world.h"
#include <stdio.h>
#include <string.h>

enum { STEPS_MOST = 90 };

typedef struct yard {
    kin_world* world;
    kin_system_id rigid;
    uint32_t count;
} yard;

static kin_shape shape_of(const kin_rng_key* key)
{
    double a = kin_rng_uniform(key, 10, 0.1, 0.4), b = kin_rng_uniform(key, 11, 0.1, 0.4), c = kin_rng_uniform(key, 12, 0.1, 0.4);
    static const kin_vec3 corners[] = {{-0.2, -0.1, -0.2}, {0.3, -0.1, 0}, {0, -0.2, 0.3}, {0, 0.3, 0}, {0.1, 0.1, 0.2}};
    switch (kin_rng_bits(key, 13) % 4) {
    case 0: return (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = a};
    case 1: return (kin_shape){.kind = KIN_SHAPE_BOX, .size = {2 * a, 2 * b, 2 * c}};
    case 2: return (kin_shape){.kind = KIN_SHAPE_CAPSULE, .radius = 0.5 * a, .length = 2 * b};
    default: return (kin_shape){.kind = KIN_SHAPE_HULL, .points = {corners, sizeof corners / sizeof *corners}};
    }
}

/* Some fast, some that meet only a part of the others, a sensor, a keyed paddle. */
static void add_bodies(test* t, yard* y, uint64_t seed, uint32_t count, double fastest)
{
    for (uint32_t i = 0; i < count; ++i) {
        const kin_rng_key key = {.seed = seed, .serial = i};
        kin_body_def def = kin_body_def_default();
        def.shape = shape_of(&key);
        def.position = kin_v(kin_rng_uniform(&key, 0, -1.5, 1.5), kin_rng_uniform(&key, 1, 0.5, 6), kin_rng_uniform(&key, 2, -1.5, 1.5));
        def.velocity = kin_scale(kin_rng_direction(&key, 3), i % 10 == 3 ? fastest : 2);
        def.spin = kin_scale(kin_rng_direction(&key, 4), 5);
        def.density = kin_rng_uniform(&key, 5, 300, 3000);
        def.sensor = i == 5;
        if (i % 7 == 2) def.filter = (kin_filter){.category = 2, .mask = 3, .group = 0};
        if (i == 8) def.mobility = KIN_MOBILITY_INACTIVE;
        test_body(t, y->world, y->rigid, &def);
    }
    const kin_key keys[] = {{.time = 0, .position = {-3, 1, 0}, .orientation = {0, 0, 0, 1}}, {.time = 1, .position = {3, 1, 0}, .orientation = {0, 0, 0, 1}}};
    kin_body_def paddle = kin_body_def_default();
    paddle.shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = {0.2, 1, 3}};
    paddle.keys = keys;
    paddle.key_count = 2;
    paddle.mobility = KIN_MOBILITY_ANIMATED;
    test_body(t, y->world, y->rigid, &paddle);
    y->count = count;
}

static yard open_yard(test* t, kin_rigid_mode mode, kin_broad_kind kind, int threads, uint64_t seed, uint32_t count)
{
    yard y = {0};
    kin_world_def world = kin_world_def_default();
    world.allocator = t->allocator;
    world.threads = threads;
    CHECK(t, kin_world_create(&world, &y.world, NULL) == KIN_OK);
    kin_material_id material = test_material(t, y.world, "stuff", 0.3, 0.4);
    test_plane(t, y.world, kin_v(0, 0, 0), kin_v(0, 1, 0), material);
    test_box(t, y.world, kin_v(0.4, 0.2, 0), kin_v(1, 0.4, 1), material);
    kin_rigid_def rigid = kin_rigid_def_default();
    rigid.mode = mode;
    rigid.broad_phase = (int)kind;
    CHECK(t, kin_rigid_create(y.world, &rigid, &y.rigid, NULL) == KIN_OK);
    add_bodies(t, &y, seed, count, mode == KIN_RIGID_REALTIME ? 200 : 20);
    return y;
}

/* Something is put elsewhere, one goes, one comes, one enters. */
static void disturb(test* t, yard* y, int step)
{
    if (step == 20) kin_rigid_place(y->world, y->rigid, 0, (kin_transform){{0.5, 9, 0}, {0, 0, 0, 1}}, kin_v(0, -3, 0), kin_v(0, 0, 0));
    if (step == 25) kin_rigid_remove_body(y->world, y->rigid, 4);
    if (step == 30)
        test_plain_body(t, y->world, y->rigid, (kin_material_id){0}, (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 0.6}, 50, kin_v(0, 4, 0), kin_v(0, 0, 0));
    if (step == 35) CHECK(t, kin_world_set_mobility(y->world, (kin_anchor){.system = y->rigid.index1, .element = 8}, KIN_MOBILITY_DYNAMIC, NULL) == KIN_OK);
}

static void restore_afresh(test* t, yard* y)
{
    kin_snapshot snapshot = {0};
    kin_world* clone = NULL;
    CHECK(t, kin_world_clone(y->world, &clone, NULL) == KIN_OK);
    CHECK(t, kin_world_snapshot(y->world, &snapshot, NULL) == KIN_OK);
    CHECK(t, kin_world_restore(clone, &snapshot, NULL) == KIN_OK);
    kin_snapshot_free(&snapshot);
    kin_world_destroy(y->world);
    y->world = clone;
}

typedef struct trace {
    uint64_t hash[STEPS_MOST];
    size_t events[STEPS_MOST];
} trace;

static void follow(test* t, yard y, int steps, trace* out)
{
    for (int i = 0; i < steps; ++i) {
        disturb(t, &y, i);
        if (i == 45) restore_afresh(t, &y);
        test_steps(t, y.world, 1);
        out->hash[i] = kin_world_state_hash(y.world);
        kin_world_touch_events(y.world, &out->events[i]);
    }
    kin_world_destroy(y.world);
}

static void all_kinds_agree(test* t, kin_rigid_mode mode, uint64_t seeds, uint32_t count, int steps)
{
    static const int threads[] = {1, 3};
    for (uint64_t seed = 1; seed <= seeds; ++seed) {
        trace first, other;
        size_t events = 0;
        follow(t, open_yard(t, mode, KIN_BROAD_TREE, 1, seed, count), steps, &first);
        for (int i = 0; i < steps; ++i) events += first.events[i];
        CHECK(t, events > count); /* they did meet */
        for (int kind = 0; kind < KIN_BROAD_KIND_COUNT; ++kind) {
            follow(t, open_yard(t, mode, (kin_broad_kind)kind, threads[(kind + (int)seed) % 2], seed, count), steps, &other);
            for (int i = 0; i < steps; ++i) {
                bool same = first.hash[i] == other.hash[i] && first.events[i] == other.events[i];
                if (!test_check(t, same, __FILE__, __LINE__, "%s, seed %d: another state after step %d", kin_broad_names[kind], (int)seed, i)) break;
            }
        }
    }
}

static void real_time_does_not_depend_on_it(test* t) { all_kinds_agree(t, KIN_RIGID_REALTIME, 3, 60, STEPS_MOST); }
static void exact_does_not_depend_on_it(test* t) { all_kinds_agree(t, KIN_RIGID_EXACT, 1, 14, 50); }

/* A crowd in a bin that never sleeps: once lists and structures have grown, a step takes no memory, whatever the kind. */
static void steady_steps_allocate_nothing(test* t)
{
    for (int kind = 0; kind < KIN_BROAD_KIND_COUNT; ++kind) {
        kin_world* world = test_world(t, 1.0 / 60, kin_v(0, -9.81, 0));
        kin_material_id material = test_material(t, world, "stuff", 0, 0.5);
        kin_rigid_def rigid = kin_rigid_def_default();
        kin_system_id id;
        rigid.broad_phase = kind;
        rigid.sleep = false;
        test_plane(t, world, kin_v(0, 0, 0), kin_v(0, 1, 0), material);
        CHECK(t, kin_rigid_create(world, &rigid, &id, NULL) == KIN_OK);
        for (int i = 0; i < 64; ++i) {
            test_plain_body(t, world, id, material, (kin_shape){.kind = KIN_SHAPE_BOX, .size = {0.5, 0.5, 0.5}}, 1,
                            kin_v(0.52 * (i % 4), 0.25 + 0.5 * (i / 16), 0.52 * (i / 4 % 4)), kin_v(0, 0, 0));
        }
        test_steps(t, world, 120);
        uint64_t before = t->allocations;
        for (int i = 0; i < 30; ++i) {
            kin_rigid_apply(world, id, (uint32_t)(i * 7 % 64), kin_v(3, 0, 2), kin_v(0, 1, 0), kin_v(0, 0.2, 0));
            test_steps(t, world, 1);
        }
        test_check(t, t->allocations == before, __FILE__, __LINE__, "%s: %d allocations in 30 steps", kin_broad_names[kind], (int)(t->allocations - before));
        kin_world_destroy(world);
    }
}

static void settings_are_checked(test* t)
{
    kin_world* world = test_world(t, 1.0 / 60, kin_v(0, -9.81, 0));
    kin_rigid_def rigid = kin_rigid_def_default();
    kin_error error = {0};
    rigid.broad_phase = KIN_BROAD_KIND_COUNT;
    EQUAL(t, kin_rigid_create(world, &rigid, NULL, &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.where, "broad_phase");
    rigid.broad_phase = KIN_BROAD_HASH;
    kin_system_id id;
    EQUAL(t, kin_rigid_create(world, &rigid, &id, &error), KIN_OK);
    test_plain_body(t, world, id, (kin_material_id){0}, (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 0.5}, 1, kin_v(0, 0, 0), kin_v(0, 0, 0));
    rigid.broad_phase = KIN_BROAD_SWEEP;
    rigid.name = "second"; /* of the same mode: they share one solver */
    EQUAL(t, kin_rigid_create(world, &rigid, NULL, &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.where, "broad_phase");
    for (int kind = 0; kind < KIN_BROAD_KIND_COUNT; ++kind) TEXT(t, kin_broad_names[kind], kin_broad_kind_name((kin_broad_kind)kind));
    CHECK(t, kin_broad_names[KIN_BROAD_KIND_COUNT] == NULL);
    kin_world_destroy(world);
}

TEST_MAIN("laws broad", TEST(real_time_does_not_depend_on_it), TEST(exact_does_not_depend_on_it), TEST(steady_steps_allocate_nothing),
          TEST(settings_are_checked))
