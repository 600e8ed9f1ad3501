/* store_test.c - the state of a system with all there is: saved, restored, on any number of threads and lane width, and when memory is out. */
#include "many.h"

static const kin_vec3 corners[] = {{-0.5, 0, 0}, {0.5, 0, 0}, {0, 0, 2}, {0, 0.3, 0}};
static const uint32_t faces[] = {0, 1, 2, 0, 2, 3, 2, 1, 3, 1, 0, 3};
static const kin_curve_key grow[] = {{0, {0.5}}, {1, {2}}}, dim[] = {{0, {1, 1, 0}}, {1, {1, 0, 0}}};

static kin_world* world_with(const kin_allocator* allocator, int threads, const char* simd)
{
    kin_world_def def = kin_world_def_default();
    kin_world* w = NULL;
    def.allocator = *allocator;
    def.threads = threads;
    def.simd = simd;
    def.seed = 7;
    def.bounds = KIN_BOUNDS_DEACTIVATE;
    def.bounds_low = kin_v(-6, -6, -6);
    def.bounds_high = kin_v(6, 6, 6);
    return kin_world_create(&def, &w, NULL) == KIN_OK ? w : NULL;
}

static bool add_surroundings(kin_world* w)
{
    kin_collider_def floor = kin_collider_def_default();
    const kin_key keys[2] = {{0, {-2, 1, 0}, {0, 0, 0, 1}}, {1, {2, 1, 0}, {0, 0.6, 0, 0.8}}};
    kin_collider_def sled = kin_collider_def_default();
    kin_collider_id id;
    kin_vortex_field whirl;
    kin_kicks_field kicks;
    kin_magnetic_field magnet;
    floor.shape.kind = KIN_SHAPE_PLANE;
    floor.shape.normal = kin_v(0, 1, 0);
    sled.name = "sled";
    sled.shape.kind = KIN_SHAPE_BOX;
    sled.shape.size = kin_v(0.4, 0.4, 0.4);
    sled.keys = keys;
    sled.key_count = 2;
    kin_field_default("vortex", &whirl);
    kin_field_default("kicks", &kicks);
    kin_field_default("magnetic", &magnet);
    whirl.vortex = 0.2;
    whirl.axis = kin_v(0, 1, 0);
    whirl.length = 3;
    whirl.radius = 1;
    kicks.kicks = 0.2;
    kicks.rate = 10;
    magnet.magnetic = kin_v(0, 1, 0);
    return kin_world_add_collider(w, &floor, &id, NULL) == KIN_OK && kin_world_add_collider(w, &sled, &id, NULL) == KIN_OK
           && kin_world_add_field(w, "vortex", &whirl, NULL, NULL) == KIN_OK && kin_world_add_field(w, "kicks", &kicks, NULL, NULL) == KIN_OK
           && kin_world_add_field(w, "magnetic", &magnet, NULL, NULL) == KIN_OK && kin_world_add_drag(w, 0.05, NULL, NULL) == KIN_OK;
}

/* Kinds that grow, lean, carry charges, split, end and leave smoke; emitters that ride, burst and keep clear; springs. */
static kin_result add_all(kin_world* w, const char* integrator, kin_contacts contacts, kin_system_id* out, kin_error* error)
{
    many m;
    kin_particle_spring spring = {.a = 0, .b = 1, .stiffness = 50, .ratio = 0.3, .rest = -1};
    many_begin(&m, 3, 3, 2);
    many_integrator(&m, integrator);
    m.def.contacts = contacts;
    m.def.inside = KIN_INSIDE_PULL_OUT;
    m.def.max_particles = 400;
    m.def.volume.box = kin_v(4, 4, 4);
    m.def.volume.resolution = 8;
    m.def.volume.fade = 1;
    m.kinds[0].name = "drop";
    m.kinds[1].name = "spark";
    m.kinds[2].name = "bird";
    m.kinds[0].life[0] = 0.5;
    m.kinds[0].life[1] = 0.2;
    m.kinds[0].size = (kin_curve){grow, 2, KIN_CURVE_LINEAR};
    m.kinds[0].splits.data = m.splits;
    m.kinds[0].splits.count = 2;
    m.splits[0] = (kin_split_def){.into = "spark",
                                  .when = KIN_SPLIT_HIT,
                                  .number = {2, 1},
                                  .every = {1, 0},
                                  .depth = {1, 0},
                                  .speed = {0.5, 0},
                                  .kick = {1, 0.5},
                                  .direction = 1,
                                  .size = {0.5, 0},
                                  .keep = true};
    m.splits[1] = (kin_split_def){.into = "spark",
                                  .when = KIN_SPLIT_DEATH,
                                  .number = {3, 0},
                                  .every = {1, 0},
                                  .depth = {1, 0},
                                  .speed = {1, 0},
                                  .direction = 3,
                                  .size = {0.3, 0},
                                  .life = 0.1};
    m.kinds[1].life[0] = 0.3;
    m.kinds[1].color = (kin_curve){dim, 2, KIN_CURVE_LINEAR};
    m.kinds[1].deposit = 0.1;
    m.kinds[2].draw = KIN_DRAW_MESH;
    m.kinds[2].orient = KIN_ORIENT_BANK;
    m.kinds[2].mesh = (kin_mesh_view){corners, 4, NULL, faces, 4};
    m.kinds[2].charge[0] = 1;
    for (size_t e = 0; e < 3; ++e) {
        m.emitters[e].aim = KIN_AIM_ALL;
        m.emitters[e].position.y = 1;
        m.emitters[e].speed[0] = 2;
        m.emitters[e].speed[1] = 1;
        many_rate(&m, e, 60);
    }
    m.emitters[0].collider = "sled";
    m.emitters[0].jitter = true;
    m.emitters[1].clearance = true;
    m.emitters[1].shape = (kin_emitter_form){.kind = KIN_EMIT_BALL, .radius = 1};
    m.emitters[2].kind = "bird";
    m.emitters[2].burst = 6;
    m.emitters[2].period = 0.2;
    m.emitters[2].max_alive[0] = 20;
    m.emitters[2].table = 64;
    for (int i = 0; i < 2; ++i) m.groups[i].position = kin_v(2 + 0.3 * i, 1, 0);
    m.groups[0].life = m.groups[1].life = 100;
    m.def.springs.data = &spring;
    m.def.springs.count = 1;
    return kin_particles_create(w, &m.def, out, error);
}

static kin_world* all_of_it(test* t, int threads, const char* simd, const char* integrator, kin_contacts contacts)
{
    kin_world* w = world_with(&t->allocator, threads, simd);
    kin_error error = {0};
    bool ok = w != NULL && add_surroundings(w) && add_all(w, integrator, contacts, NULL, &error) == KIN_OK;
    test_check(t, ok, __FILE__, __LINE__, "no world: %s: %s", error.where, error.message);
    return w;
}

static const struct {
    const char* integrator;
    kin_contacts contacts;
} runs[] = {{"semi_implicit", KIN_CONTACTS_NONE}, {"verlet", KIN_CONTACTS_FAST}, {"rk4", KIN_CONTACTS_EXACT}, {"adaptive_rk45", KIN_CONTACTS_NONE}};
enum { RUNS = sizeof runs / sizeof *runs };

/* After every step into a fresh world, which takes the next: the same hashes as going straight on. */
static void restored_after_every_step(test* t)
{
    for (int r = 0; r < RUNS; ++r) {
        kin_world *straight = all_of_it(t, 1, NULL, runs[r].integrator, runs[r].contacts),
                  *restored = all_of_it(t, 1, NULL, runs[r].integrator, runs[r].contacts);
        for (int step = 0; step < 60; ++step) {
            kin_snapshot snapshot = {0};
            kin_world* fresh = all_of_it(t, 1, NULL, runs[r].integrator, runs[r].contacts);
            kin_error error = {0};
            EQUAL(t, kin_world_snapshot(restored, &snapshot, NULL), KIN_OK);
            EQUAL(t, kin_world_restore(fresh, &snapshot, &error), KIN_OK);
            kin_snapshot_free(&snapshot);
            kin_world_destroy(restored);
            restored = fresh;
            test_steps(t, straight, 1);
            test_steps(t, restored, 1);
            bool same = kin_world_state_hash(straight) == kin_world_state_hash(restored);
            if (!test_check(t, same, __FILE__, __LINE__, "%s: differs after step %d", runs[r].integrator, step)) break;
        }
        kin_system_id id = kin_world_system(straight, "particles");
        CHECK(t, measured(straight, id, "died") > 20 && alive(straight, id) > 50);
        kin_world_destroy(straight);
        kin_world_destroy(restored);
    }
}

static void threads_and_widths_change_no_bit(test* t)
{
    static const struct {
        int threads;
        const char* simd;
    } ways[] = {{1, "none"}, {2, NULL}, {8, NULL}, {1, "sse2"}, {2, "none"}};
    for (int r = 0; r < RUNS; ++r) {
        kin_world* w = all_of_it(t, 1, NULL, runs[r].integrator, runs[r].contacts);
        test_steps(t, w, 60);
        uint64_t hash = kin_world_state_hash(w);
        kin_world_destroy(w);
        for (size_t k = 0; k < sizeof ways / sizeof *ways; ++k) {
            w = all_of_it(t, ways[k].threads, ways[k].simd, runs[r].integrator, runs[r].contacts);
            test_steps(t, w, 60);
            test_check(t, kin_world_state_hash(w) == hash, __FILE__, __LINE__, "%s: %d threads, %s: other bits", runs[r].integrator, ways[k].threads,
                       ways[k].simd != NULL ? ways[k].simd : "widest");
            kin_world_destroy(w);
        }
    }
}

/* A clone goes on alike. */
static void a_clone_is_the_same(test* t)
{
    kin_world *w = all_of_it(t, 1, NULL, "rk4", KIN_CONTACTS_NONE), *twin = NULL;
    test_steps(t, w, 30);
    EQUAL(t, kin_world_clone(w, &twin, NULL), KIN_OK);
    if (twin == NULL) return kin_world_destroy(w);
    test_steps(t, w, 20);
    test_steps(t, twin, 20);
    CHECK(t, kin_world_state_hash(w) == kin_world_state_hash(twin));
    kin_world_destroy(w);
    kin_world_destroy(twin);
}

static bool create_with_what_there_is(test* t, void* context)
{
    (void)context;
    kin_world* w = world_with(&t->allocator, 1, NULL);
    kin_error error = {0};
    if (w == NULL) return false;
    kin_result result = add_surroundings(w) ? add_all(w, "verlet", KIN_CONTACTS_FAST, NULL, &error) : KIN_ERROR_MEMORY;
    if (result != KIN_OK) test_check(t, result == KIN_ERROR_MEMORY, __FILE__, __LINE__, "%s: %s", error.where, error.message);
    kin_world_destroy(w);
    return result == KIN_OK;
}

static void every_allocation_of_create_may_fail(test* t) { test_fail_each_allocation(t, create_with_what_there_is, NULL); }

/* Memory runs out at the nth allocation of a run and is back a step later: what had none is refused or waits, nothing breaks. */
static void every_allocation_of_a_step_may_fail(test* t)
{
    for (int64_t nth = 0; nth < 400; ++nth) {
        kin_world* w = all_of_it(t, 1, NULL, "verlet", KIN_CONTACTS_FAST);
        if (w == NULL) return;
        bool failed = false;
        t->fail_after = (int64_t)t->allocations + nth;
        for (int i = 0; i < 12; ++i) {
            kin_error error = {0};
            kin_result result = kin_world_step(w, NULL, &error);
            bool out = (int64_t)t->allocations > t->fail_after && t->fail_after >= 0;
            failed = failed || out;
            if (result != KIN_OK) break;
            if (out) t->fail_after = -1;
        }
        t->fail_after = -1;
        kin_particles_view view = kin_particles_state(w, kin_world_system(w, "particles"));
        for (size_t i = 0; i < view.count; ++i) CHECK(t, kin_finite3(kin_v(view.x[i], view.y[i], view.z[i])));
        kin_world_destroy(w);
        if (!failed) break;
    }
}

/* Bytes of state a particle: what a snapshot grows by. */
static void a_particle_is_96_bytes(test* t)
{
    size_t sizes[2];
    for (int i = 0; i < 2; ++i) {
        many m;
        kin_snapshot snapshot = {0};
        kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
        many_begin(&m, 1, 0, 1);
        m.groups[0].count = 1000 + 1000 * i;
        many_add(t, w, &m);
        EQUAL(t, kin_world_snapshot(w, &snapshot, NULL), KIN_OK);
        sizes[i] = snapshot.size;
        kin_snapshot_free(&snapshot);
        kin_world_destroy(w);
    }
    double each = (double)(sizes[1] - sizes[0]) / 1000;
    test_check(t, each > 90 && each <= 96, __FILE__, __LINE__, "%g bytes of state a particle", each);
}

/* A slot of a sleeper is used again: the newborn in it is awake. */
static void a_newborn_is_not_calm(test* t)
{
    many m;
    kin_world* w = test_world(t, 0.01, kin_v(0, -10, 0));
    test_plane(t, w, kin_v(0, 0, 0), kin_v(0, 1, 0), test_material(t, w, "floor", 0, 0.5));
    many_begin(&m, 1, 1, 2);
    m.def.contacts = KIN_CONTACTS_FAST;
    m.kinds[0].life[0] = 1000;
    m.kinds[0].radius[0] = 0.1;
    for (int i = 0; i < 2; ++i) {
        m.groups[i].radius = 0.1;
        m.groups[i].position = kin_v(0.2 * i, 0.1, 0);
    }
    m.groups[1].life = 1.995;
    m.emitters[0].burst = 1;
    m.emitters[0].start = 1.992; /* in the step at whose end the sleeper dies */
    m.emitters[0].position = kin_v(0.2, 0.1, 0);
    m.emitters[0].direction = kin_v(1, 0, 0);
    m.emitters[0].speed[0] = 0.005; /* slower than rest_speed: a sleeper would not move */
    kin_system_id id = many_add(t, w, &m);
    test_steps(t, w, 150);
    EQUAL(t, (int)measured(w, id, "resting"), 2);
    test_steps(t, w, 60);
    EQUAL(t, slot_of(w, id, 2), 1);
    EQUAL(t, kin_particles_state(w, id).resting[1], 0); /* it has not been still for half a second */
    kin_world_destroy(w);
}

TEST_MAIN("store", TEST(restored_after_every_step), TEST(threads_and_widths_change_no_bit), TEST(a_clone_is_the_same),
          TEST(every_allocation_of_create_may_fail), TEST(every_allocation_of_a_step_may_fail), TEST(a_particle_is_96_bytes), TEST(a_newborn_is_not_calm))
