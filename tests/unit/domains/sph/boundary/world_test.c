/* world_test.c - walls of all sorts in a world that steps: the same bits for any number of threads and lanes and restored after every step; momentum of water and
 * bodies together; obstacles that appear, boxes that shrink. */
#include "base/simd.h"
#include "kinema/kinema.h"
#include "kinema/sph.h"
#include "math/quat.h"
#include "shapes.h"
#include "support/world.h"

typedef struct scene {
    int threads;
    const char* simd;
    kin_sph_boundary boundary;
    kin_sph_solver solver;
    kin_vec3 gravity;
} scene;

static scene plain(void) { return (scene){.threads = 1, .gravity = {0, -9.81, 0}}; }

static kin_world* new_world(test* t, const scene* s)
{
    kin_world* world = NULL;
    kin_world_def def = kin_world_def_default();
    def.allocator = t->allocator;
    def.time_step = 1.0 / 120;
    def.threads = s->threads;
    def.simd = s->simd;
    def.gravity = s->gravity;
    CHECK(t, kin_world_create(&def, &world, NULL) == KIN_OK);
    return world;
}

static kin_system_id add_water(test* t, kin_world* world, const scene* s, kin_vec3 center, kin_vec3 size, kin_vec3 velocity)
{
    kin_sph_block block = kin_sph_block_default();
    kin_sph_def def = kin_sph_def_default();
    kin_sph_phase_def phase = kin_sph_phase_def_default();
    kin_system_id id = {0};
    kin_error error = {0};
    block.shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = size};
    block.position = center;
    block.velocity = velocity;
    phase.density = 1000;
    def.phases.data = &phase, def.phases.count = 1;
    def.radius = 0.02;
    def.boundary = s->boundary;
    def.solver = s->solver;
    def.blocks.data = &block, def.blocks.count = 1;
    test_check(t, kin_sph_create(world, &def, &id, &error) == KIN_OK, __FILE__, __LINE__, "%s: %s", error.where, error.message);
    return id;
}

static uint32_t add_box(test* t, kin_world* world, kin_vec3 position, double mass)
{
    kin_rigid_def def = kin_rigid_def_default();
    kin_system_id id;
    CHECK(t, kin_rigid_create(world, &def, &id, NULL) == KIN_OK);
    return test_plain_body(t, world, id, test_material(t, world, "wood", 0, 0.3), (kin_shape){.kind = KIN_SHAPE_BOX, .size = {0.16, 0.12, 0.14}}, mass,
                           position, kin_v(0, 0, 0));
}

static kin_collider_id add_collider(test* t, kin_world* world, const kin_shape* shape, kin_vec3 position, const kin_key* keys, size_t count)
{
    kin_collider_def def = kin_collider_def_default();
    kin_collider_id id = {0};
    def.shape = *shape;
    def.position = position;
    def.keys = keys, def.key_count = count;
    CHECK(t, kin_world_add_collider(world, &def, &id, NULL) == KIN_OK);
    return id;
}

/* A tank of one mesh, a ball on its floor, a paddle on keys, a crate. */
static kin_world* build(test* t, const scene* s)
{
    kin_world* world = new_world(t, s);
    kin_shape basin = cube_mesh(5, 0.25), ball = {.kind = KIN_SHAPE_SPHERE, .radius = 0.08}, paddle = {.kind = KIN_SHAPE_BOX, .size = {0.02, 0.3, 0.2}};
    const kin_key keys[2] = {{0, {-0.2, 0.1, 0}, {0, 0, 0, 1}}, {0.5, {0.1, 0.1, 0}, {0, 0.38268343236508978, 0, 0.92387953251128674}}};
    add_collider(t, world, &basin, kin_v(0, 0.25, 0), NULL, 0);
    add_collider(t, world, &ball, kin_v(0.1, 0.05, 0.1), NULL, 0);
    add_collider(t, world, &paddle, keys[0].position, keys, 2);
    add_water(t, world, s, kin_v(0.02, 0.12, 0), kin_v(0.4, 0.2, 0.44), kin_v(0, 0, 0));
    add_box(t, world, kin_v(0, 0.3, -0.1), 1);
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

static void same_bits_for_threads_and_lanes(test* t)
{
    scene s = plain();
    uint64_t first = hash_after(t, &s, 5);
    for (int i = 0; i < 3; ++i) {
        s.threads = (const int[]){2, 3, 8}[i];
        CHECK(t, hash_after(t, &s, 5) == first);
    }
    for (int simd = KIN_SIMD_NONE; simd <= (int)kin_simd_best(); ++simd) {
        s = plain();
        s.simd = kin_simd_name(simd);
        CHECK(t, hash_after(t, &s, 5) == first);
    }
}

static void restored_after_each_step(test* t)
{
    for (int kind = KIN_SPH_MAPS; kind <= KIN_SPH_GHOSTS; ++kind) {
        scene s = plain();
        s.boundary = (kin_sph_boundary)kind;
        kin_world *straight = build(t, &s), *restored = build(t, &s);
        kin_snapshot snapshot = {0};
        for (int i = 0; i < 5; ++i) {
            test_steps(t, straight, 1);
            test_steps(t, restored, 1);
            CHECK(t, kin_world_snapshot(restored, &snapshot, NULL) == KIN_OK);
            kin_world_destroy(restored);
            restored = build(t, &s);
            CHECK(t, kin_world_restore(restored, &snapshot, NULL) == KIN_OK);
            if (!CHECK(t, kin_world_state_hash(restored) == kin_world_state_hash(straight))) break;
        }
        kin_snapshot_free(&snapshot);
        kin_world_destroy(straight);
        kin_world_destroy(restored);
    }
}

/* A block of water flies at a crate in empty space. Water in floats: 1e-6 of what it had. What is still to be given to the crate is in the ledger: by the last
 * step they have parted. */
static void momentum_of_water_and_bodies_is_kept(test* t)
{
    for (int solver = KIN_SPH_WCSPH; solver <= KIN_SPH_PBF; ++solver) {
        scene s = plain();
        s.gravity = kin_v(0, 0, 0);
        s.solver = (kin_sph_solver)solver;
        kin_world* world = new_world(t, &s);
        kin_system_id water = add_water(t, world, &s, kin_v(0, 0, 0), kin_v(0.2, 0.2, 0.2), kin_v(2, 0, 0));
        uint32_t crate = add_box(t, world, kin_v(0.25, 0.03, 0.02), 0.4);
        kin_system_id rigid = {water.index1 + 1};
        double mass = 1000 * 0.04 * 0.04 * 0.04, all = 2 * mass * (double)kin_sph_state(world, water).count;
        test_steps(t, world, 60);
        kin_body_state body = kin_rigid_state(world, rigid, crate);
        kin_vec3 sum = kin_scale(body.velocity, body.mass);
        kin_sph_view v = kin_sph_state(world, water);
        for (size_t i = 0; i < v.count; ++i) sum = kin_add_scaled(sum, mass, kin_sph_wide(v.velocity + 4 * i));
        CHECK(t, body.velocity.x > 1);
        test_check(t, kin_distance(sum, kin_v(all, 0, 0)) < 1e-5 * all, __FILE__, __LINE__, "solver %d: momentum (%.9g, %.9g, %.9g), not %.9g along x", solver,
                   sum.x, sum.y, sum.z, all);
        kin_world_destroy(world);
    }
}

/* Nobody is lost, nothing is NaN, nobody is inside the cube of that half size. */
static void check_water(test* t, kin_world* world, kin_system_id water, size_t count, kin_vec3 center, double half)
{
    kin_sph_view v = kin_sph_state(world, water);
    EQUAL(t, v.count, count);
    for (size_t i = 0; i < v.count; ++i) {
        kin_vec3 x = kin_add(v.origin, kin_sph_wide(v.position + 4 * i));
        if (!CHECK(t, kin_finite3(x) && kin_finite3(kin_sph_wide(v.velocity + 4 * i)))) return;
        if (!CHECK(t, half == 0 || kin_largest(kin_abs3(kin_sub(x, center))) > half)) return;
        if (!CHECK(t, kin_largest(kin_abs3(kin_sub(x, kin_v(0, 0.3, 0)))) < 0.3)) return;
    }
}

static void closed_box(test* t, kin_world* world, const kin_key* keys[6], size_t count)
{
    for (int i = 0; i < 6; ++i) {
        kin_vec3 out = kin_scale(kin_axis(i / 2), i % 2 ? 1 : -1);
        kin_shape plane = {.kind = KIN_SHAPE_PLANE, .normal = kin_neg(out)};
        add_collider(t, world, &plane, kin_add_scaled(kin_v(0, 0.3, 0), 0.3, out), keys != NULL ? keys[i] : NULL, keys != NULL ? count : 0);
    }
}

/* A cube that stands beside the tank at one step and in the middle of the water at the next. */
static void an_obstacle_appears_in_the_fluid(test* t)
{
    scene s = plain();
    kin_world* world = new_world(t, &s);
    closed_box(t, world, NULL, 0);
    kin_shape cube = {.kind = KIN_SHAPE_BOX, .size = {0.1, 0.1, 0.1}};
    kin_collider_id id = add_collider(t, world, &cube, kin_v(5, 0.1, 0), NULL, 0);
    kin_system_id water = add_water(t, world, &s, kin_v(0, 0.12, 0), kin_v(0.56, 0.2, 0.56), kin_v(0, 0, 0));
    size_t count = kin_sph_state(world, water).count;
    test_steps(t, world, 3);
    kin_collider_set_pose(world, id, (kin_transform){{0, 0.16, 0}, {0, 0, 0, 1}});
    test_steps(t, world, 40);
    check_water(t, world, water, count, kin_v(0, 0.16, 0), 0.05);
    kin_world_destroy(world);
}

/* The lid of a full box comes down on keys until the water must fill what is left and a little less: nobody leaves. */
static void a_box_that_shrinks(test* t)
{
    scene s = plain();
    kin_world* world = new_world(t, &s);
    static kin_key paths[6][2];
    const kin_key* keys[6];
    for (int i = 0; i < 6; ++i) {
        kin_vec3 at = kin_add_scaled(kin_v(0, 0.3, 0), i % 2 ? 0.3 : -0.3, kin_axis(i / 2));
        for (int k = 0; k < 2; ++k) paths[i][k] = (kin_key){0.2 * k, i == 3 && k == 1 ? kin_v(0, 0.26, 0) : at, {0, 0, 0, 1}};
        keys[i] = paths[i];
    }
    closed_box(t, world, keys, 2);
    kin_system_id water = add_water(t, world, &s, kin_v(0, 0.14, 0), kin_v(0.56, 0.24, 0.56), kin_v(0, 0, 0));
    size_t count = kin_sph_state(world, water).count;
    for (int n = 0; n < 26; ++n) {
        test_steps(t, world, 1);
        check_water(t, world, water, count, kin_v(0, 0, 0), 0);
    }
    kin_sph_view v = kin_sph_state(world, water);
    for (size_t i = 0; i < v.count; ++i) CHECK(t, v.origin.y + (double)v.position[4 * i + 1] < 0.26);
    kin_world_destroy(world);
}

TEST_MAIN("sph boundary world", TEST(same_bits_for_threads_and_lanes), TEST(restored_after_each_step), TEST(momentum_of_water_and_bodies_is_kept),
          TEST(an_obstacle_appears_in_the_fluid), TEST(a_box_that_shrinks))
