/* world_test.c - laws of a whole world: same bits for any threads and lanes, after restore, clone, save and load; what moved and who is what; no
 * allocation in a steady step. */
#include "base/simd.h"
#include "math/quat.h"
#include "math/scalar.h"
#include "support/test.h"
#include "support/world.h"
#include "validation/shapes.h"
#include "validation/toys.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- a lively world: hills, walls, a turning bat, a moving deck, wind; two systems ---- */

typedef struct lively {
    const char* integrator;
    const char* simd;
    int threads;
    int64_t count;
} lively;

static double hills(double x, double z) { return 0.3 * kin_sin(1.3 * x) * kin_cos(1.1 * z); }

static void add(test* t, kin_world* world, const kin_shape* shape, kin_vec3 position, const kin_key* keys, size_t key_count)
{
    kin_collider_def def = kin_collider_def_default();
    kin_collider_id id;
    def.shape = *shape;
    def.position = position;
    def.keys = keys;
    def.key_count = key_count;
    def.smooth = true;
    CHECK(t, kin_world_add_collider(world, &def, &id, NULL) == KIN_OK);
}

static void add_solids(test* t, kin_world* world)
{
    kin_patch patch;
    if (!CHECK(t, kin_patch_grid(&patch, 20, 5, hills))) return;
    add(t, world, &patch.shape, kin_v(0, 0, 0), NULL, 0);
    kin_patch_free(&patch);
    const kin_key turn[3] = {{0, {0, 1, 0}, {0, 0, 0, 1}}, {0.7, {0, 1.2, 0}, {0, 0.6, 0, 0.8}}, {1.5, {0, 1, 0}, {0, 1, 0, 0}}};
    const kin_key slide[2] = {{0, {-2, 0.5, 2}, {0, 0, 0, 1}}, {2, {2, 0.8, 2}, {0, 0, 0, 1}}};
    add(t, world, &(kin_shape){.kind = KIN_SHAPE_BOX, .size = {3, 0.3, 0.3}}, kin_v(0, 0, 0), turn, 3);
    add(t, world, &(kin_shape){.kind = KIN_SHAPE_BOX, .size = {2, 0.2, 2}}, kin_v(0, 0, 0), slide, 2);
    add(t, world, &(kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 0.6}, kin_v(-2, 0.4, -2), NULL, 0);
    add(t, world, &(kin_shape){.kind = KIN_SHAPE_CAPSULE, .radius = 0.3, .length = 1}, kin_v(2, 0.6, -2), NULL, 0);
}

static void add_particles(test* t, kin_world* world, const lively* what)
{
    const char* const* names = kin_particles_integrators();
    kin_particles_def def = kin_particles_def_default();
    kin_particle_group groups[2] = {kin_particle_group_default(), kin_particle_group_default()};
    for (int i = 0; names[i] != NULL; ++i) {
        if (strcmp(names[i], what->integrator) == 0) def.integrator = i;
    }
    groups[0].count = what->count;
    groups[0].position = kin_v(0, 2.5, 0);
    groups[0].box = kin_v(8, 2, 8);
    groups[0].spread = kin_v(1, 1, 1);
    groups[1] = groups[0];
    groups[1].count = what->count / 4;
    groups[1].mass = 0.1;
    groups[1].radius = 0.02;
    def.groups = groups;
    def.group_count = 2;
    kin_system_id id;
    CHECK(t, kin_particles_create(world, &def, &id, NULL) == KIN_OK);
    def.name = "few";
    groups[0].count = 3;
    def.group_count = 1;
    CHECK(t, kin_particles_create(world, &def, &id, NULL) == KIN_OK);
}

static kin_world* lively_world(test* t, const lively* what)
{
    kin_world_def def = kin_world_def_default();
    kin_world* world = NULL;
    kin_error error = {0};
    def.allocator = t->allocator;
    def.threads = what->threads;
    def.simd = what->simd;
    def.bounds = KIN_BOUNDS_BOUNCE;
    def.bounds_low = kin_v(-4.8, -2, -4.8);
    def.bounds_high = kin_v(4.8, 6, 4.8);
    if (!test_check(t, kin_world_create(&def, &world, &error) == KIN_OK, __FILE__, __LINE__, "%s", error.message)) return NULL;
    add_solids(t, world);
    CHECK(t, kin_world_add_drag(world, 0.05, NULL, NULL) == KIN_OK);
    CHECK(t, kin_world_add_wind(world, kin_v(1, 0, -0.5), NULL, NULL) == KIN_OK);
    add_particles(t, world, what);
    return world;
}

static uint64_t hash_after(test* t, const lively* what, int steps)
{
    kin_world* world = lively_world(t, what);
    if (world == NULL) return 0;
    test_steps(t, world, steps);
    uint64_t hash = kin_world_state_hash(world);
    kin_world_destroy(world);
    return hash;
}

/* ---- determinism ---- */

static void same_bits_for_any_number_of_threads(test* t)
{
    static const int threads[] = {1, 2, 3, 8};
    static const char* const methods[] = {"semi_implicit", "rk4", "verlet"};
    for (int m = 0; m < 3; ++m) {
        uint64_t first = hash_after(t, &(lively){methods[m], NULL, 1, 2500}, 40);
        for (int i = 1; i < 4; ++i) {
            uint64_t hash = hash_after(t, &(lively){methods[m], NULL, threads[i], 2500}, 40);
            test_check(t, hash == first, __FILE__, __LINE__, "%s: %d threads give %016llx, one %016llx", methods[m], threads[i], (unsigned long long)hash,
                       (unsigned long long)first);
        }
    }
}

static void same_bits_for_any_lanes(test* t)
{
    const char* const* names = kin_particles_integrators();
    for (int m = 0; names[m] != NULL; ++m) {
        uint64_t first = hash_after(t, &(lively){names[m], "none", 1, 500}, 30);
        for (int simd = KIN_SIMD_SSE2; simd <= (int)kin_simd_best(); ++simd) {
            uint64_t hash = hash_after(t, &(lively){names[m], kin_simd_name(simd), 1, 500}, 30);
            test_check(t, hash == first, __FILE__, __LINE__, "%s: %s gives %016llx, none %016llx", names[m], kin_simd_name(simd), (unsigned long long)hash,
                       (unsigned long long)first);
        }
    }
}

static void the_hash_sees_a_change(test* t)
{
    uint64_t a = hash_after(t, &(lively){"rk4", NULL, 1, 100}, 5), b = hash_after(t, &(lively){"rk4", NULL, 1, 100}, 6),
             c = hash_after(t, &(lively){"heun", NULL, 1, 100}, 5);
    CHECK(t, a != b && a != c);
    CHECK(t, a == hash_after(t, &(lively){"rk4", NULL, 1, 100}, 5));
}

/* ---- snapshot, clone, file ---- */

/* Into a fresh world after every step: nothing that counts may live outside the state. */
static void restoring_after_each_step_changes_nothing(test* t)
{
    static const char* const methods[] = {"semi_implicit", "rk4", "verlet", "leapfrog"};
    for (int m = 0; m < 4; ++m) {
        lively what = {methods[m], NULL, 1, 200};
        kin_world *straight = lively_world(t, &what), *restored = lively_world(t, &what);
        kin_snapshot snapshot = {0};
        for (int i = 0; i < 40; ++i) {
            test_steps(t, straight, 1);
            test_steps(t, restored, 1);
            CHECK(t, kin_world_snapshot(restored, &snapshot, NULL) == KIN_OK);
            kin_world_destroy(restored);
            restored = lively_world(t, &what);
            CHECK(t, kin_world_restore(restored, &snapshot, NULL) == KIN_OK);
            if (!test_check(t, kin_world_state_hash(straight) == kin_world_state_hash(restored), __FILE__, __LINE__, "%s differs after step %d", methods[m], i))
                break;
        }
        kin_snapshot_free(&snapshot);
        kin_world_destroy(straight);
        kin_world_destroy(restored);
    }
}

static void a_clone_goes_on_alike(test* t)
{
    kin_world *world = lively_world(t, &(lively){"rk4", NULL, 2, 300}), *clone = NULL;
    kin_error error = {0};
    test_steps(t, world, 10);
    CHECK(t, kin_world_clone(world, &clone, &error) == KIN_OK);
    TEXT(t, error.message, "");
    for (int i = 0; i < 30 && clone != NULL; ++i) {
        CHECK(t, kin_world_state_hash(world) == kin_world_state_hash(clone));
        test_steps(t, world, 1);
        test_steps(t, clone, 1);
    }
    kin_world_destroy(clone);
    test_steps(t, world, 1); /* the first does not miss the second */
    kin_world_destroy(world);
}

static void a_world_with_toys_is_cloned(test* t)
{
    kin_world_def def = kin_world_def_default();
    kin_world *world, *clone = NULL;
    kin_toy_def toy = {.count = 5, .mass = 2, .stiffness = 20};
    kin_system_id id;
    def.allocator = t->allocator;
    def.threads = 1;
    CHECK(t, kin_world_create(&def, &world, NULL) == KIN_OK);
    CHECK(t, kin_toy_create(world, "toy", &toy, &id, NULL) == KIN_OK);
    test_steps(t, world, 7);
    CHECK(t, kin_world_clone(world, &clone, NULL) == KIN_OK);
    for (int i = 0; i < 10 && clone != NULL; ++i) {
        test_steps(t, world, 1);
        test_steps(t, clone, 1);
        CHECK(t, kin_world_state_hash(world) == kin_world_state_hash(clone));
    }
    kin_world_destroy(world);
    kin_world_destroy(clone);
}

static void a_snapshot_is_a_way_back(test* t)
{
    kin_world* world = lively_world(t, &(lively){"velocity_verlet", NULL, 1, 200});
    kin_snapshot snapshot = {0};
    test_steps(t, world, 5);
    CHECK(t, kin_world_snapshot(world, &snapshot, NULL) == KIN_OK);
    test_steps(t, world, 20);
    uint64_t first = kin_world_state_hash(world);
    CHECK(t, kin_world_restore(world, &snapshot, NULL) == KIN_OK);
    EQUAL(t, kin_world_step_count(world), 5);
    test_steps(t, world, 20);
    CHECK(t, kin_world_state_hash(world) == first);
    kin_snapshot_free(&snapshot);
    kin_world_destroy(world);
}

static void a_saved_world_goes_on(test* t)
{
    char path[64];
    lively what = {"rk4", NULL, 1, 200};
    kin_world *world = lively_world(t, &what), *other = lively_world(t, &what);
    snprintf(path, sizeof path, "/tmp/kinema_laws_%d.world", (int)getpid());
    test_steps(t, world, 9);
    CHECK(t, kin_world_save(world, path, NULL) == KIN_OK);
    CHECK(t, kin_world_load(other, path, NULL) == KIN_OK);
    test_steps(t, world, 10);
    test_steps(t, other, 10);
    CHECK(t, kin_world_state_hash(world) == kin_world_state_hash(other));
    remove(path);
    kin_world_destroy(world);
    kin_world_destroy(other);
}

/* ---- what moved, who is what (C1.4.1b) ---- */

typedef struct four {
    kin_world* world;
    kin_system_id id;
} four;

/* Of four particles one is inactive, one static, one dynamic and one animated. */
static four of_each_status(test* t)
{
    four f;
    kin_particle_group groups[4];
    kin_particles_def def = kin_particles_def_default();
    f.world = test_world(t, 0.01, kin_v(0, -10, 0));
    for (int i = 0; i < 4; ++i) {
        groups[i] = kin_particle_group_default();
        groups[i].position = kin_v(2.0 * i, 5, 0);
        groups[i].velocity = kin_v(0, 0, 1);
        groups[i].mobility = (kin_mobility)i;
    }
    def.groups = groups;
    def.group_count = 4;
    CHECK(t, kin_particles_create(f.world, &def, &f.id, NULL) == KIN_OK);
    return f;
}

static void statuses_do_as_they_say(test* t)
{
    four f = of_each_status(t);
    test_steps(t, f.world, 100);
    NEAR3(t, kin_particle_position(f.world, f.id, KIN_MOBILITY_INACTIVE), kin_v(0, 5, 0), 0);
    NEAR3(t, kin_particle_position(f.world, f.id, KIN_MOBILITY_STATIC), kin_v(2, 5, 0), 0);
    NEAR3(t, kin_particle_position(f.world, f.id, KIN_MOBILITY_DYNAMIC), kin_v(4, 5 - 5 * 1.01, 1), 1e-12); /* semi-implicit: g t^2 (1 + 1/n) / 2 */
    NEAR3(t, kin_particle_position(f.world, f.id, KIN_MOBILITY_ANIMATED), kin_v(6, 5, 1), 1e-12);           /* keeps its velocity */
    kin_world_destroy(f.world);
}

static void only_what_moved_is_reported(test* t)
{
    four f = of_each_status(t);
    kin_moved moved[8];
    test_steps(t, f.world, 1);
    size_t count = kin_world_moved(f.world, moved, 8);
    EQUAL(t, count, 2);
    for (size_t i = 0; i < count && i < 2; ++i) {
        EQUAL(t, moved[i].system, f.id.index1);
        EQUAL(t, moved[i].element, KIN_MOBILITY_DYNAMIC + (int)i);
        NEAR3(t, moved[i].pose.position, kin_particle_position(f.world, f.id, moved[i].element), 0);
    }
    EQUAL(t, kin_world_moved(f.world, NULL, 0), 2); /* counted without room */
    kin_world_destroy(f.world);
}

static void a_status_can_change(test* t)
{
    four f = of_each_status(t);
    kin_anchor still = {f.id.index1, KIN_MOBILITY_STATIC, {0, 0, 0}}, dynamic = {f.id.index1, KIN_MOBILITY_DYNAMIC, {0, 0, 0}};
    CHECK(t, kin_world_set_mobility(f.world, still, KIN_MOBILITY_DYNAMIC, NULL) == KIN_OK);
    CHECK(t, kin_world_set_mobility(f.world, dynamic, KIN_MOBILITY_INACTIVE, NULL) == KIN_OK);
    test_steps(t, f.world, 10);
    CHECK(t, kin_particle_position(f.world, f.id, KIN_MOBILITY_STATIC).y < 5);
    NEAR3(t, kin_particle_position(f.world, f.id, KIN_MOBILITY_DYNAMIC), kin_v(4, 5, 0), 0);
    kin_world_destroy(f.world);
}

static void what_rests_is_not_reported_and_keyed_colliders_are(test* t)
{
    kin_world* world = test_world(t, 0.01, kin_v(0, -10, 0));
    kin_material_id material = test_material(t, world, "dull", 0, 0.5);
    test_plane(t, world, kin_v(0, 0, 0), kin_v(0, 1, 0), material);
    const kin_key keys[2] = {{0, {0, 9, 0}, {0, 0, 0, 1}}, {1, {1, 9, 0}, {0, 0, 0, 1}}};
    add(t, world, &(kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 0.1}, kin_v(0, 0, 0), keys, 2);
    test_ball(t, world, &(test_ball_setup){.position = {0, 0.1, 0}, .radius = 0.1});
    test_steps(t, world, 3);
    kin_moved moved[4];
    EQUAL(t, kin_world_moved(world, moved, 4), 1);
    EQUAL(t, moved[0].system, KIN_WORLD_SYSTEM);
    EQUAL(t, moved[0].element, 1);
    NEAR3(t, moved[0].pose.position, kin_v(0.03, 9, 0), 0.02);
    test_steps(t, world, 100); /* past its last key */
    EQUAL(t, kin_world_moved(world, moved, 4), 0);
    kin_world_destroy(world);
}

/* ---- failure ---- */

/* Numbers that overflow stop the run at the last good state, whose bits are all there. */
static void a_particle_that_is_not_finite_stops_the_step(test* t)
{
    kin_world* world = test_world(t, 1, kin_v(0, 0, 0));
    kin_material_id material = test_material(t, world, "dull", 0, 0.5);
    test_plane(t, world, kin_v(0, 0, 0), kin_v(0, 1, 0), material);
    test_ball(t, world, &(test_ball_setup){.position = {0, 1, 0}, .velocity = {1.5e308, 0, 0}, .radius = 0.1, .restitution = 0.5});
    kin_error error = {0};
    kin_step_report report;
    test_steps(t, world, 1);
    uint64_t before = kin_world_state_hash(world);
    CHECK(t, kin_world_step(world, &report, &error) == KIN_ERROR_NUMERICS);
    HAS(t, error.message, "[0]: position or velocity is not finite");
    EQUAL(t, kin_world_step_count(world), 1);
    CHECK(t, kin_world_state_hash(world) == before);
    kin_world_destroy(world);
}

/* ---- memory ---- */

static void check_steady(test* t, const lively* what, int warm_up)
{
    kin_world* world = lively_world(t, what);
    test_steps(t, world, warm_up);
    uint64_t before = t->allocations;
    test_steps(t, world, 100);
    test_check(t, t->allocations == before, __FILE__, __LINE__, "%s, %d threads: %llu allocations in 100 steps", what->integrator, what->threads,
               (unsigned long long)(t->allocations - before));
    kin_world_destroy(world);
}

static void a_steady_step_with_hits_allocates_nothing(test* t)
{
    check_steady(t, &(lively){"semi_implicit", NULL, 1, 300}, 2);
    check_steady(t, &(lively){"rk4", NULL, 1, 300}, 2);
    check_steady(t, &(lively){"verlet", NULL, 1, 300}, 2);
    check_steady(t, &(lively){"rk4", NULL, 3, 3000}, 2);
}

static void a_steady_step_in_free_flight_allocates_nothing(test* t)
{
    kin_world* world = test_world(t, 0.01, kin_v(0, -10, 0));
    test_ball(t, world, &(test_ball_setup){.position = {0, 1e6, 0}, .radius = 0.1, .integrator = "rk4"});
    test_steps(t, world, 2);
    uint64_t before = t->allocations;
    test_steps(t, world, 100);
    EQUAL(t, t->allocations - before, 0);
    kin_world_destroy(world);
}

TEST_MAIN("laws_world", TEST(same_bits_for_any_number_of_threads), TEST(same_bits_for_any_lanes), TEST(the_hash_sees_a_change),
          TEST(restoring_after_each_step_changes_nothing), TEST(a_clone_goes_on_alike), TEST(a_world_with_toys_is_cloned), TEST(a_snapshot_is_a_way_back),
          TEST(a_saved_world_goes_on), TEST(statuses_do_as_they_say), TEST(only_what_moved_is_reported), TEST(a_status_can_change),
          TEST(what_rests_is_not_reported_and_keyed_colliders_are), TEST(a_particle_that_is_not_finite_stops_the_step),
          TEST(a_steady_step_with_hits_allocates_nothing), TEST(a_steady_step_in_free_flight_allocates_nothing))
