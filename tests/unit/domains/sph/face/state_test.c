/* state_test.c - the state of a tank: the same bits for any number of threads and lanes, restored, rolled back and cloned after every step; no memory taken in
 * steady steps; every allocation may fail. */
#include "base/simd.h"
#include "math/quat.h"
#include "tank.h"

typedef enum scene_kind { DAM, POUR, WARM, SOLIDS, FIELDS, SCENES } scene_kind;
static const char* const scene_names[SCENES] = {"dam", "pour", "warm", "solids", "fields"};

typedef struct scene {
    scene_kind kind;
    kin_sph_solver solver;
    int threads;
    const char* simd;
    double radius;
} scene;

static void add_walls(test* t, kin_world* world)
{
    kin_material_id none = {0};
    test_plane(t, world, kin_v(0, 0, 0), kin_v(0, 1, 0), none);
    test_plane(t, world, kin_v(-0.3, 0, 0), kin_v(1, 0, 0), none);
    test_plane(t, world, kin_v(0.3, 0, 0), kin_v(-1, 0, 0), none);
    test_plane(t, world, kin_v(0, 0, -0.1), kin_v(0, 0, 1), none);
    test_plane(t, world, kin_v(0, 0, 0.1), kin_v(0, 0, -1), none);
}

/* After velocities, between all, by age and region; one of each place in a tick. */
static void add_fields(test* t, kin_world* world)
{
    kin_kicks_field kicks;
    kin_translate_field translate;
    kin_speed_limit_field limit;
    kin_attraction_field attraction;
    kin_field_default("kicks", &kicks), kin_field_default("translate", &translate), kin_field_default("speed_limit", &limit);
    kin_field_default("attraction", &attraction);
    kicks.kicks = 0.1, kicks.rate = 200;
    translate.translate = kin_v(0.2, 0.3, 0), translate.deviation = 0.1;
    translate.common.age[0] = 0.01, translate.common.age[1] = 1;
    limit.speed_limit = 0.8;
    limit.common.region = (kin_region){.kind = KIN_REGION_SPHERE, .radius = 0.2};
    attraction.attraction = 1e-3, attraction.softening = 0.02;
    CHECK(t, kin_world_add_field(world, "kicks", &kicks, NULL, NULL) == KIN_OK);
    CHECK(t, kin_world_add_field(world, "translate", &translate, NULL, NULL) == KIN_OK);
    CHECK(t, kin_world_add_field(world, "speed_limit", &limit, NULL, NULL) == KIN_OK);
    CHECK(t, kin_world_add_field(world, "attraction", &attraction, NULL, NULL) == KIN_OK);
}

/* A dam breaks, with foam; or two fluids, one poured, with a drain; or warm water in cold; or sand beside jelly that is drained away; or the second, with
 * fields. */
static kin_world* build(test* t, const scene* s)
{
    kin_world* world;
    kin_world_def world_def = kin_world_def_default();
    world_def.allocator = t->allocator;
    world_def.time_step = 1.0 / 120;
    world_def.threads = s->threads;
    world_def.simd = s->simd;
    if (!CHECK(t, kin_world_create(&world_def, &world, NULL) == KIN_OK)) return NULL;
    add_walls(t, world);
    if (s->kind == FIELDS) add_fields(t, world);
    kin_sph_block blocks[2] = {tank_box(kin_v(-0.2, 0.15, 0), kin_v(0.2, 0.3, 0.2)), tank_box(kin_v(0.2, 0.05, 0), kin_v(0.2, 0.1, 0.2))};
    kin_sph_phase_def phases[2] = {kin_sph_phase_def_default(), kin_sph_phase_def_default()};
    kin_sph_inflow inflow = kin_sph_inflow_default();
    kin_sph_sink sink = {.region = {.kind = KIN_REGION_SPHERE, .radius = 0.08}, .center = {-0.25, 0, 0}};
    kin_sph_def def = tank_def(s->radius, blocks, s->kind == WARM || s->kind == SOLIDS ? 2 : 1);
    def.solver = s->solver;
    phases[1].fluid = "light_oil";
    inflow.phase = "light_oil";
    inflow.position = kin_v(0.1, 0.3, 0);
    inflow.radius = 0.05;
    blocks[0].jitter = 0.02;
    if (s->kind == WARM) blocks[1].temperature = 340;
    if (s->kind == POUR || s->kind == FIELDS) {
        def.phases.data = phases, def.phases.count = 2;
        def.inflows.data = &inflow, def.inflows.count = 1;
        def.sinks.data = &sink, def.sinks.count = 1;
    }
    if (s->kind == SOLIDS) {
        phases[0].matter = KIN_SPH_ELASTIC, phases[1].matter = KIN_SPH_SAND;
        blocks[1].phase = "light_oil";
        def.phases.data = phases, def.phases.count = 2;
        def.sinks.data = &sink, def.sinks.count = 1;
        def.micropolar = def.vorticity = 0.1;
    }
    if (s->kind == DAM) def.foam.rate = 1e5, blocks[0].velocity.x = 3;
    tank_create(t, world, &def);
    return world;
}

static uint64_t hash_after(test* t, const scene* s, int steps)
{
    kin_world* world = build(t, s);
    test_steps(t, world, steps);
    uint64_t hash = kin_world_state_hash(world);
    kin_world_destroy(world);
    return hash;
}

static bool check_same(test* t, const scene* s, uint64_t got, uint64_t want, const char* what, int number)
{
    return test_check(t, got == want, __FILE__, __LINE__, "%s: %s %d gives %016llx, not %016llx", scene_names[s->kind], what, number, (unsigned long long)got,
                      (unsigned long long)want);
}

static scene plain(scene_kind kind) { return (scene){kind, KIN_SPH_BY_MODE, 1, NULL, 0.0125}; }

/* Enough particles that every pass is shared out. */
static void same_bits_for_any_number_of_threads(test* t)
{
    for (int k = 0; k < SCENES; ++k) {
        scene s = plain((scene_kind)k);
        uint64_t first = hash_after(t, &s, 5);
        for (int i = 0; i < 3; ++i) {
            s.threads = (const int[]){2, 3, 8}[i];
            check_same(t, &s, hash_after(t, &s, 5), first, "threads", s.threads);
        }
    }
}

static void same_bits_for_any_lanes(test* t)
{
    for (int k = 0; k < SCENES; ++k) {
        scene s = plain((scene_kind)k);
        s.simd = "none";
        uint64_t first = hash_after(t, &s, 4);
        for (int simd = KIN_SIMD_SSE2; simd <= (int)kin_simd_best(); ++simd) {
            s.simd = kin_simd_name(simd);
            check_same(t, &s, hash_after(t, &s, 4), first, s.simd, simd);
        }
    }
}

static void restoring_after_each_step_changes_nothing(test* t)
{
    for (int k = 0; k < SCENES; ++k) {
        scene s = plain((scene_kind)k);
        kin_world *straight = build(t, &s), *restored = build(t, &s);
        kin_snapshot snapshot = {0};
        for (int i = 0; i < 6; ++i) {
            kin_error error = {0};
            test_steps(t, straight, 1);
            test_steps(t, restored, 1);
            CHECK(t, kin_world_snapshot(restored, &snapshot, NULL) == KIN_OK);
            kin_world_destroy(restored);
            restored = build(t, &s);
            test_check(t, kin_world_restore(restored, &snapshot, &error) == KIN_OK, __FILE__, __LINE__, "%s", error.message);
            if (!check_same(t, &s, kin_world_state_hash(restored), kin_world_state_hash(straight), "restored at step", i)) break;
        }
        kin_snapshot_free(&snapshot);
        kin_world_destroy(straight);
        kin_world_destroy(restored);
    }
}

static void rolled_back_it_goes_the_same_way(test* t)
{
    for (int k = 0; k < SCENES; ++k) {
        scene s = plain((scene_kind)k);
        kin_world* world = build(t, &s);
        kin_snapshot snapshot = {0};
        test_steps(t, world, 4);
        CHECK(t, kin_world_snapshot(world, &snapshot, NULL) == KIN_OK);
        test_steps(t, world, 4);
        uint64_t first = kin_world_state_hash(world);
        CHECK(t, kin_world_restore(world, &snapshot, NULL) == KIN_OK);
        test_steps(t, world, 4);
        check_same(t, &s, kin_world_state_hash(world), first, "rollback", 0);
        kin_snapshot_free(&snapshot);
        kin_world_destroy(world);
    }
}

/* A new clone after every step. */
static void clones_go_on_alike(test* t)
{
    for (int k = 0; k < SCENES; ++k) {
        scene s = plain((scene_kind)k);
        kin_world* world = build(t, &s);
        for (int i = 0; i < 5; ++i) {
            kin_world* clone = NULL;
            kin_error error = {0};
            test_check(t, kin_world_clone(world, &clone, &error) == KIN_OK, __FILE__, __LINE__, "%s", error.message);
            if (clone == NULL || !check_same(t, &s, kin_world_state_hash(clone), kin_world_state_hash(world), "clone at step", i)) break;
            test_steps(t, world, 1);
            test_steps(t, clone, 1);
            check_same(t, &s, kin_world_state_hash(clone), kin_world_state_hash(world), "clone's next step", i);
            kin_world_destroy(world);
            world = clone;
        }
        kin_world_destroy(world);
    }
}

static const float* pressures(const kin_world* world) { return kin_sph_state(world, kin_world_system(world, "sph")).pressure; }

/* Pressures are found when somebody asks: whoever asks, the tank goes the same way, and who asks only once finds the same. A clone keeps what was found. */
static void asking_for_pressures_changes_nothing(test* t)
{
    for (int k = 0; k < SCENES; ++k) {
        scene s = plain((scene_kind)k);
        kin_world *curious = build(t, &s), *silent = build(t, &s), *clone = NULL;
        for (int i = 0; i < 6; ++i) {
            test_steps(t, curious, 1);
            test_steps(t, silent, 1);
            CHECK(t, pressures(curious) != NULL);
            if (!check_same(t, &s, kin_world_state_hash(curious), kin_world_state_hash(silent), "asked at step", i)) break;
        }
        const size_t count = kin_sph_state(silent, kin_world_system(silent, "sph")).count;
        const float *asked = pressures(curious), *once = pressures(silent);
        size_t pressed = 0;
        for (size_t i = 0; i < count; ++i) pressed += once[i] > 0;
        CHECK(t, pressed > 0);
        CHECK(t, memcmp(asked, once, count * sizeof *once) == 0);
        if (CHECK(t, kin_world_clone(silent, &clone, NULL) == KIN_OK)) CHECK(t, memcmp(pressures(clone), once, count * sizeof *once) == 0);
        kin_world_destroy(curious);
        kin_world_destroy(silent);
        kin_world_destroy(clone);
    }
}

static void the_hash_sees_a_change(test* t)
{
    scene s = plain(DAM);
    uint64_t a = hash_after(t, &s, 2), b = hash_after(t, &s, 3), c = hash_after(t, &s, 2);
    CHECK(t, a != b && a == c);
    s.radius = 0.0100001;
    CHECK(t, hash_after(t, &s, 2) != a);
}

/* ---- memory ---- */

/* Until all scratch has its size: a pool at rest. */
static void steady_steps_take_no_memory(test* t)
{
    scene s = {WARM, KIN_SPH_BY_MODE, 2, NULL, 0.02};
    kin_world* world = build(t, &s);
    test_steps(t, world, 300);
    uint64_t before = t->allocations;
    test_steps(t, world, 20);
    EQUAL(t, t->allocations - before, 0);
    kin_world_destroy(world);
}

static bool make_and_run(test* t, void* context)
{
    (void)context;
    kin_world* world = NULL;
    kin_world_def world_def = kin_world_def_default();
    world_def.allocator = t->allocator;
    world_def.threads = 1;
    kin_sph_block block = tank_box(kin_v(0, 0.1, 0), kin_v(0.2, 0.2, 0.2));
    kin_sph_inflow inflow = kin_sph_inflow_default();
    kin_sph_sink sink = {.region = {.kind = KIN_REGION_SPHERE, .radius = 0.05}};
    inflow.radius = 0.05;
    inflow.position = kin_v(0, 0.5, 0);
    block.temperature = 300;
    kin_sph_def def = tank_def(0.02, &block, 1);
    def.inflows.data = &inflow, def.inflows.count = 1;
    def.sinks.data = &sink, def.sinks.count = 1;
    kin_collider_def floor = kin_collider_def_default();
    floor.shape = (kin_shape){.kind = KIN_SHAPE_PLANE, .normal = {0, 1, 0}};
    kin_kicks_field kicks;
    kin_attraction_field attraction;
    kin_field_default("kicks", &kicks), kin_field_default("attraction", &attraction);
    kicks.kicks = 0.1, attraction.attraction = 1e-6;
    kicks.common.age[1] = 1;
    bool ok = kin_world_create(&world_def, &world, NULL) == KIN_OK && kin_world_add_field(world, "kicks", &kicks, NULL, NULL) == KIN_OK
              && kin_world_add_field(world, "attraction", &attraction, NULL, NULL) == KIN_OK && kin_world_add_collider(world, &floor, NULL, NULL) == KIN_OK
              && kin_sph_create(world, &def, NULL, NULL) == KIN_OK;
    const kin_frame* frame;
    for (int i = 0; i < 3 && ok; ++i) ok = kin_world_step(world, NULL, NULL) == KIN_OK && kin_world_capture(world, (uint64_t)i, 0.01, &frame, NULL) == KIN_OK;
    kin_world_destroy(world);
    return ok;
}

static void every_allocation_may_fail(test* t) { test_fail_each_allocation(t, make_and_run, NULL); }

TEST_MAIN("sph state", TEST(same_bits_for_any_number_of_threads), TEST(same_bits_for_any_lanes), TEST(restoring_after_each_step_changes_nothing),
          TEST(rolled_back_it_goes_the_same_way), TEST(clones_go_on_alike), TEST(asking_for_pressures_changes_nothing), TEST(the_hash_sees_a_change),
          TEST(steady_steps_take_no_memory), TEST(every_allocation_may_fail))
