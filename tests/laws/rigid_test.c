/* rigid_test.c - laws of worlds with rigid bodies: same bits for any threads and lanes, after restore, rollback and clone, with bodies that come and go;
 * in both modes. */
#include "base/simd.h"
#include "kinema/rigid.h"
#include "math/quat.h"
#include "support/test.h"
#include "support/world.h"
#include <string.h>

typedef enum scene_kind { WALL, MACHINE, SLEEPERS, JET, TOPS, SCENE_COUNT } scene_kind;
static const char* const scene_names[SCENE_COUNT] = {"wall", "machine", "sleepers", "jet", "tops"};
static const kin_rigid_mode modes[] = {KIN_RIGID_REALTIME, KIN_RIGID_EXACT};
static const char* const mode_names[] = {"realtime", "exact"};

typedef struct scene {
    scene_kind kind;
    kin_rigid_mode mode;
    int size; /* rows of the wall, links of the chain, sleeping boxes */
    int threads;
    const char* simd;
} scene;

typedef struct builder {
    test* t;
    kin_world* world;
    kin_system_id system;
    kin_material_id material;
} builder;

/* ---- building ---- */

static uint32_t add(builder* b, kin_shape shape, kin_vec3 position, kin_vec3 velocity, kin_vec3 spin)
{
    kin_body_def def = kin_body_def_default();
    def.shape = shape;
    def.position = position;
    def.velocity = velocity;
    def.spin = spin;
    def.mass = 1;
    def.material = b->material;
    return test_body(b->t, b->world, b->system, &def);
}

static uint32_t add_box(builder* b, kin_vec3 size, kin_vec3 position, kin_vec3 velocity)
{
    return add(b, (kin_shape){.kind = KIN_SHAPE_BOX, .size = size}, position, velocity, kin_v(0, 0, 0));
}

static uint32_t add_ball(builder* b, double radius, kin_vec3 position, kin_vec3 velocity)
{
    return add(b, (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = radius}, position, velocity, kin_v(1, 2, 3));
}

static void join(builder* b, kin_joint_def def)
{
    kin_error error = {0};
    test_check(b->t, kin_rigid_add_joint(b->world, b->system, &def, NULL, &error) == KIN_OK, __FILE__, __LINE__, "%s", error.message);
}

/* Boxes in rows, each above the gap of those below; a ball comes. */
static void add_wall(builder* b, int rows)
{
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < rows - i; ++j) add_box(b, kin_v(1, 1, 1), kin_v((j + 0.5 * i - 0.5 * rows) * 1.02, 0.505 + 1.01 * i, 0), kin_v(0, 0, 0));
    }
    add_ball(b, 0.4, kin_v(0.1, 0.7, 3), kin_v(0, 1, -8));
    add(b, (kin_shape){.kind = KIN_SHAPE_CAPSULE, .radius = 0.3, .length = 0.6}, kin_v(-1, rows + 2, 0.1), kin_v(0, 0, 0), kin_v(3, 1, 0));
}

/* A chain that swings, a door with a motor, a sprung slider, a rope; the end of a long chain drags over the ground. */
static void add_machine(builder* b, int links)
{
    kin_joint_def def = kin_joint_def_default();
    int64_t last = -1;
    for (int i = 0; i < links; ++i) {
        def.a = add(b, (kin_shape){.kind = KIN_SHAPE_CAPSULE, .radius = 0.1, .length = 0.6}, kin_v(0, 3.2 - i, 0), kin_v(1.0 + i, 0, 0.3), kin_v(0, 0, 0));
        def.b = last;
        def.anchor = kin_v(0, 3.7 - i, 0);
        last = def.a;
        join(b, def);
    }
    kin_joint_def door = kin_joint_def_default();
    door.kind = KIN_JOINT_HINGE;
    door.a = add_box(b, kin_v(1, 1, 0.1), kin_v(4.5, 1, 0), kin_v(0, 0, 0));
    door.b = -1;
    door.anchor = kin_v(4, 1, 0);
    door.axis = kin_v(0, 1, 0);
    door.freedom[0] = (kin_joint_freedom){.motor = true, .speed = 3, .most = 5, .limited = true, .low = -1, .high = 1};
    join(b, door);
    kin_joint_def slider = kin_joint_def_default();
    slider.kind = KIN_JOINT_SLIDER;
    slider.a = add_box(b, kin_v(0.5, 0.5, 0.5), kin_v(-4, 2, 0), kin_v(0, 0, 0));
    slider.b = -1;
    slider.anchor = kin_v(-4, 2, 0);
    slider.axis = kin_v(0, 1, 0);
    slider.freedom[0] = (kin_joint_freedom){.stiffness = 60, .damping = 1};
    join(b, slider);
    kin_joint_def rope = kin_joint_def_default();
    rope.kind = KIN_JOINT_ROPE;
    rope.a = slider.a;
    rope.b = add_ball(b, 0.2, kin_v(-3, 2, 0), kin_v(0, 0, 1));
    rope.anchor = kin_v(-4, 2, 0);
    rope.anchor_b = kin_v(-3, 2, 0);
    rope.has_anchor_b = true;
    join(b, rope);
}

/* They fall asleep one by one; a ball wakes some. */
static void add_sleepers(builder* b, int count)
{
    for (int i = 0; i < count; ++i) add_box(b, kin_v(0.6, 0.6, 0.6), kin_v(2.0 * i, 0.31 + 0.05 * i, 0), kin_v(0, 0, 0));
    for (int i = 0; i < count / 3; ++i) add_box(b, kin_v(0.6, 0.6, 0.6), kin_v(4.0 * i, 0.92 + 0.05 * i, 0), kin_v(0, 0, 0));
    add_ball(b, 0.3, kin_v(-9, 0.31, 0), kin_v(7, 0, 0));
}

/* A jet of particles on a free box that leans on a keyed one. */
static void add_jet(builder* b)
{
    kin_body_def def = kin_body_def_default();
    const kin_key keys[] = {{0, {-1.2, 0.5, 0}, {0, 0, 0, 1}}, {1, {-0.8, 0.5, 0}, {0, 0, 0, 1}}};
    def.shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = {1, 1, 1}};
    def.keys = keys;
    def.key_count = 2;
    def.material = b->material;
    CHECK(b->t, kin_rigid_add_body(b->world, b->system, &def, NULL, NULL) == KIN_OK);
    add_box(b, kin_v(1, 1, 1), kin_v(0, 0.51, 0), kin_v(0, 0, 0));
    kin_particles_def particles = kin_particles_def_default();
    kin_particle_group group = kin_particle_group_default();
    group.count = 200;
    group.position = kin_v(3.5, 0.7, 0);
    group.box = kin_v(5, 0.5, 0.5);
    group.velocity = kin_v(-6, 1, 0);
    group.mass = 0.02;
    group.radius = 0.02;
    group.material = b->material;
    particles.groups = &group;
    particles.group_count = 1;
    CHECK(b->t, kin_particles_create(b->world, &particles, NULL, NULL) == KIN_OK);
}

/* Tops that spin on a joint from the start; chains in free fall that a ball hits, the first of which spins fast. */
static void add_tops(builder* b, int count)
{
    kin_joint_def def = kin_joint_def_default();
    for (int i = 0; i < count; ++i) {
        int64_t last = -1;
        def.a = add_box(b, kin_v(0.4, 0.1, 0.4), kin_v(3 * i + 0.1, 2.3, 0), kin_v(0, 0, 0));
        kin_rigid_place(b->world, b->system, (uint32_t)def.a, (kin_transform){{3 * i + 0.1, 2.3, 0}, {0, 0, 0, 1}}, kin_v(0, 0, 0), kin_v(5, 20 + 40 * i, 0));
        def.b = -1, def.anchor = kin_v(3 * i, 2, 0);
        join(b, def);
        for (int k = 0; k < 3; ++k) {
            def.a =
                add(b, (kin_shape){.kind = KIN_SHAPE_BOX, .size = {0.4, 0.1, 0.2}}, kin_v(3 * i + 0.5 * k, 6, 2), kin_v(0, 1, 0), kin_v(2, k == 0 ? 40 : 3, 1));
            def.b = last, def.anchor = kin_v(3 * i + 0.5 * k - 0.25, 6, 2);
            if (last >= 0) join(b, def);
            last = def.a;
        }
        add_ball(b, 0.2, kin_v(3 * i + 0.3, 7, 2), kin_v(0, -5, 0));
    }
}

static kin_world* build(test* t, const scene* s)
{
    builder b = {.t = t};
    kin_world_def def = kin_world_def_default();
    kin_rigid_def rigid = kin_rigid_def_default();
    def.allocator = t->allocator;
    def.threads = s->threads;
    def.simd = s->simd;
    rigid.mode = s->mode;
    rigid.sleep_time = 0.1;
    if (!CHECK(t, kin_world_create(&def, &b.world, NULL) == KIN_OK)) return NULL;
    b.material = test_material(t, b.world, "stuff", 0.3, 0.5);
    test_plane(t, b.world, kin_v(0, 0, 0), kin_v(0, 1, 0), b.material);
    CHECK(t, kin_rigid_create(b.world, &rigid, &b.system, NULL) == KIN_OK);
    switch (s->kind) {
    case WALL: add_wall(&b, s->size); break;
    case MACHINE: add_machine(&b, s->size); break;
    case SLEEPERS: add_sleepers(&b, s->size); break;
    case TOPS: add_tops(&b, s->size); break;
    default: add_jet(&b); break;
    }
    return b.world;
}

/* The first step that fails says where, and is the last. */
static bool go(test* t, const scene* s, kin_world* world, int steps)
{
    for (int i = 0; i < steps; ++i) {
        kin_error error = {0};
        bool ok = kin_world_step(world, NULL, &error) == KIN_OK;
        if (!test_check(t, ok, __FILE__, __LINE__, "%s, %s: %s", scene_names[s->kind], mode_names[s->mode], error.message)) return false;
    }
    return true;
}

static kin_system_id bodies_of(const kin_world* world) { return kin_world_system(world, "rigid"); }

static uint64_t hash_after(test* t, const scene* s, int steps)
{
    kin_world* world = build(t, s);
    if (world == NULL) return 0;
    go(t, s, world, steps);
    uint64_t hash = kin_world_state_hash(world);
    kin_world_destroy(world);
    return hash;
}

static int size_of(scene_kind kind, kin_rigid_mode mode)
{
    static const int sizes[2][SCENE_COUNT] = {{12, 5, 6, 0, 4}, {2, 3, 2, 0, 1}};
    return sizes[mode][kind];
}
static int steps_of(kin_rigid_mode mode) { return mode == KIN_RIGID_EXACT ? 12 : 60; }

/* Runs `law` for every scene in both modes. */
static void for_all(test* t, void (*law)(test* t, const scene* s))
{
    for (int m = 0; m < 2; ++m) {
        for (int k = 0; k < SCENE_COUNT; ++k) law(t, &(scene){(scene_kind)k, modes[m], size_of((scene_kind)k, modes[m]), 1, NULL});
    }
}

static bool check_same(test* t, const scene* s, uint64_t got, uint64_t want, const char* what, int number)
{
    return test_check(t, got == want, __FILE__, __LINE__, "%s, %s: %s %d gives %016llx, not %016llx", scene_names[s->kind], mode_names[s->mode], what, number,
                      (unsigned long long)got, (unsigned long long)want);
}

/* ---- the same bits ---- */

static void threads_law(test* t, const scene* s)
{
    scene with = *s;
    uint64_t first = hash_after(t, s, steps_of(s->mode));
    for (int i = 0; i < 3; ++i) {
        with.threads = (const int[]){2, 3, 8}[i];
        check_same(t, s, hash_after(t, &with, steps_of(s->mode)), first, "threads", with.threads);
    }
}
static void same_bits_for_any_number_of_threads(test* t) { for_all(t, threads_law); }

/* Enough of them that every stage is shared out. */
static void same_bits_for_many_bodies(test* t) { threads_law(t, &(scene){WALL, KIN_RIGID_REALTIME, 30, 1, NULL}); }

static void lanes_law(test* t, const scene* s)
{
    scene with = *s;
    with.simd = "none";
    uint64_t first = hash_after(t, &with, steps_of(s->mode));
    for (int simd = KIN_SIMD_SSE2; simd <= (int)kin_simd_best(); ++simd) {
        with.simd = kin_simd_name(simd);
        check_same(t, s, hash_after(t, &with, steps_of(s->mode)), first, with.simd, simd);
    }
}
static void same_bits_for_any_lanes(test* t) { for_all(t, lanes_law); }

static void hash_law(test* t, const scene* s)
{
    uint64_t a = hash_after(t, s, 5), b = hash_after(t, s, 6), c = hash_after(t, s, 5);
    CHECK(t, a != b && a == c);
}
static void the_hash_sees_a_change(test* t) { for_all(t, hash_law); }

/* ---- there and back ---- */

/* Into a fresh world after every step: nothing that counts may live outside the state. */
static void restore_law(test* t, const scene* s)
{
    kin_world *straight = build(t, s), *restored = build(t, s);
    kin_snapshot snapshot = {0};
    for (int i = 0; i < steps_of(s->mode); ++i) {
        kin_error error = {0};
        go(t, s, straight, 1);
        go(t, s, restored, 1);
        CHECK(t, kin_world_snapshot(restored, &snapshot, NULL) == KIN_OK);
        kin_world_destroy(restored);
        restored = build(t, s);
        test_check(t, kin_world_restore(restored, &snapshot, &error) == KIN_OK, __FILE__, __LINE__, "%s", error.message);
        if (!check_same(t, s, kin_world_state_hash(restored), kin_world_state_hash(straight), "restored at step", i)) break;
    }
    kin_snapshot_free(&snapshot);
    kin_world_destroy(straight);
    kin_world_destroy(restored);
}
static void restoring_after_each_step_changes_nothing(test* t) { for_all(t, restore_law); }

static void rollback_law(test* t, const scene* s)
{
    kin_world* world = build(t, s);
    kin_snapshot snapshot = {0};
    go(t, s, world, 7);
    CHECK(t, kin_world_snapshot(world, &snapshot, NULL) == KIN_OK);
    go(t, s, world, steps_of(s->mode));
    uint64_t first = kin_world_state_hash(world);
    for (int i = 0; i < 2; ++i) {
        CHECK(t, kin_world_restore(world, &snapshot, NULL) == KIN_OK);
        go(t, s, world, steps_of(s->mode));
        check_same(t, s, kin_world_state_hash(world), first, "rollback", i);
    }
    kin_snapshot_free(&snapshot);
    kin_world_destroy(world);
}
static void rolled_back_it_goes_the_same_way(test* t) { for_all(t, rollback_law); }

static void clone_law(test* t, const scene* s)
{
    kin_world *world = build(t, s), *clone = NULL;
    kin_error error = {0};
    go(t, s, world, 10);
    test_check(t, kin_world_clone(world, &clone, &error) == KIN_OK, __FILE__, __LINE__, "%s", error.message);
    for (int i = 0; i < steps_of(s->mode) && clone != NULL; ++i) {
        if (!check_same(t, s, kin_world_state_hash(clone), kin_world_state_hash(world), "clone at step", i)) break;
        go(t, s, world, 1);
        go(t, s, clone, 1);
    }
    kin_world_destroy(clone);
    kin_world_destroy(world);
}
static void a_clone_goes_on_alike(test* t) { for_all(t, clone_law); }

/* ---- coming and going ---- */

static void more_law(test* t, const scene* s)
{
    kin_world *world = build(t, s), *clone = NULL;
    kin_error error = {0};
    builder b = {.t = t, .world = world, .system = bodies_of(world)};
    go(t, s, world, 8);
    kin_rigid_remove_body(world, b.system, 1);
    go(t, s, world, 2);
    uint32_t fresh = add_ball(&b, 0.3, kin_v(0.2, 6, 0.1), kin_v(0, -4, 0));
    CHECK(t, fresh + 1 == kin_rigid_count(world, b.system)); /* numbers are not used again */
    go(t, s, world, 10);
    test_check(t, kin_world_clone(world, &clone, &error) == KIN_OK, __FILE__, __LINE__, "%s", error.message);
    for (int i = 0; i < steps_of(s->mode) && clone != NULL; ++i) {
        if (!check_same(t, s, kin_world_state_hash(clone), kin_world_state_hash(world), "clone with one gone, step", i)) break;
        go(t, s, world, 1);
        go(t, s, clone, 1);
    }
    kin_world_destroy(clone);
    kin_world_destroy(world);
}
static void bodies_come_and_go_in_clones_too(test* t) { for_all(t, more_law); }

/* The fresh world still has the body that the stored one had lost. */
static void gone_law(test* t, const scene* s)
{
    kin_world *world = build(t, s), *other = build(t, s);
    kin_snapshot snapshot = {0};
    kin_error error = {0};
    go(t, s, world, 8);
    kin_rigid_remove_body(world, bodies_of(world), 1);
    go(t, s, world, 4);
    CHECK(t, kin_world_snapshot(world, &snapshot, NULL) == KIN_OK);
    test_check(t, kin_world_restore(other, &snapshot, &error) == KIN_OK, __FILE__, __LINE__, "%s", error.message);
    for (int i = 0; i < 20; ++i) {
        if (!check_same(t, s, kin_world_state_hash(other), kin_world_state_hash(world), "with one gone, step", i)) break;
        go(t, s, world, 1);
        go(t, s, other, 1);
    }
    kin_snapshot_free(&snapshot);
    kin_world_destroy(world);
    kin_world_destroy(other);
}
static void a_removed_body_is_removed_by_restoring(test* t) { for_all(t, gone_law); }

static void another_number_of_bodies_is_refused(test* t)
{
    scene s = {WALL, KIN_RIGID_REALTIME, 3, 1, NULL}, more = s;
    more.size = 4;
    kin_world *world = build(t, &s), *other = build(t, &more);
    kin_snapshot snapshot = {0};
    uint64_t before = kin_world_state_hash(other);
    CHECK(t, kin_world_snapshot(world, &snapshot, NULL) == KIN_OK);
    CHECK(t, kin_world_restore(other, &snapshot, NULL) == KIN_ERROR_MISMATCH);
    CHECK(t, kin_world_state_hash(other) == before);
    kin_snapshot_free(&snapshot);
    kin_world_destroy(world);
    kin_world_destroy(other);
}

/* ---- the scenes are what they say ---- */

static double measured(const kin_world* world, const char* name)
{
    kin_measure list[64];
    size_t count = kin_world_measure(world, bodies_of(world).index1, list, 64);
    for (size_t i = 0; i < count && i < 64; ++i) {
        if (strcmp(list[i].name, name) == 0) return list[i].value;
    }
    return -1;
}

static void sleepers_sleep_and_wake(test* t)
{
    const scene* s = &(scene){SLEEPERS, KIN_RIGID_REALTIME, 6, 1, NULL};
    kin_world* world = build(t, s);
    go(t, s, world, 50);
    double then = measured(world, "awake");
    CHECK(t, then < 4); /* most of nine sleep, the ball rolls */
    kin_vec3 first = kin_rigid_state(world, bodies_of(world), 0).pose.position;
    CHECK(t, !kin_rigid_state(world, bodies_of(world), 0).awake);
    go(t, s, world, 70); /* 9 m at 5/7 to 7 m/s: it has come */
    CHECK(t, kin_rigid_state(world, bodies_of(world), 0).pose.position.x > first.x + 0.01);
    kin_world_destroy(world);
}

static void a_steady_step_allocates_nothing(test* t)
{
    for (int k = 0; k < SCENE_COUNT; ++k) {
        const scene* s = &(scene){(scene_kind)k, KIN_RIGID_REALTIME, 6, 1, NULL};
        kin_world* world = build(t, s);
        go(t, s, world, 300);
        uint64_t before = t->allocations;
        go(t, s, world, 30);
        test_check(t, t->allocations == before, __FILE__, __LINE__, "%s: %d allocations in 30 steps", scene_names[k], (int)(t->allocations - before));
        kin_world_destroy(world);
    }
}

/* Nothing is put back without a word: the step is refused, by the names of the system and of the body's number. */
static void what_is_not_finite_is_refused_by_name(test* t)
{
    kin_world* w = test_world(t, 1.0 / 60, kin_v(0, -9.81, 0));
    kin_rigid_def rigid = kin_rigid_def_default();
    kin_system_id system;
    kin_error error = {0};
    rigid.name = "crates";
    CHECK(t, kin_rigid_create(w, &rigid, &system, NULL) == KIN_OK);
    kin_material_id m = test_material(t, w, "stuff", 0, 0.5);
    for (int i = 0; i < 2; ++i)
        test_plain_body(t, w, system, m, (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 0.5}, 1e-3, kin_v(2 * i, 0, 0), kin_v(0, 0, 0));
    test_steps(t, w, 3);
    const kin_vec3 at = kin_rigid_state(w, system, 1).center;
    kin_rigid_apply(w, system, 1, kin_v(1e308, 0, 0), at, kin_v(0, 0, 0));
    CHECK(t, kin_world_step(w, NULL, &error) != KIN_OK);
    HAS(t, error.message, "crates[1]");
    HAS(t, error.message, "not finite");
    NEAR3(t, kin_rigid_state(w, system, 1).center, at, 0);
    kin_world_destroy(w);
}

TEST_MAIN("laws_rigid", TEST(same_bits_for_any_number_of_threads), TEST(same_bits_for_many_bodies), TEST(same_bits_for_any_lanes), TEST(the_hash_sees_a_change),
          TEST(restoring_after_each_step_changes_nothing), TEST(rolled_back_it_goes_the_same_way), TEST(a_clone_goes_on_alike),
          TEST(bodies_come_and_go_in_clones_too), TEST(a_removed_body_is_removed_by_restoring), TEST(another_number_of_bodies_is_refused),
          TEST(sleepers_sleep_and_wake), TEST(what_is_not_finite_is_refused_by_name), TEST(a_steady_step_allocates_nothing))
