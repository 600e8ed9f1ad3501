/* engine_kinema.c - our engine as a bench sees it: one world with one system of bodies in real-time mode, on an allocator that counts. */
#include "bench/rigid/engine.h"
#include "kinema/rigid.h"
#include "math/vec3.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct engine {
    kin_world* world;
    kin_system_id system;
    int count;
    _Atomic uint64_t allocations;
    _Atomic size_t held, peak; /* bytes */
} engine;

/* ---- memory ---- */

static void* counted_allocate(void* context, size_t size, size_t alignment)
{
    engine* e = context;
    atomic_fetch_add(&e->allocations, 1);
    size_t held = atomic_fetch_add(&e->held, size) + size, peak = atomic_load(&e->peak);
    while (held > peak && !atomic_compare_exchange_weak(&e->peak, &peak, held)) {
    }
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void counted_release(void* context, void* memory, size_t size)
{
    engine* e = context;
    if (memory != NULL) atomic_fetch_sub(&e->held, size);
    free(memory);
}

static kin_bench_memory memory(const void* world)
{
    const engine* e = world;
    return (kin_bench_memory){atomic_load(&e->allocations), atomic_load(&e->peak)};
}

/* ---- the scene ---- */

static kin_result open_world(engine* e, int threads, kin_material_id* material, kin_error* error)
{
    kin_world_def def = kin_world_def_default();
    kin_material_def made_of = kin_material_def_default();
    def.allocator = (kin_allocator){e, counted_allocate, counted_release};
    def.threads = threads;
    def.time_step = KIN_BENCH_STEP;
    def.gravity = kin_v(0, -KIN_BENCH_GRAVITY, 0);
    made_of.name = "bench";
    made_of.restitution = 0;
    for (int i = 0; i < 2; ++i) made_of.static_friction[i] = made_of.dynamic_friction[i] = KIN_BENCH_FRICTION;
    kin_result result = kin_world_create(&def, &e->world, error);
    return result == KIN_OK ? kin_world_add_material(e->world, &made_of, material, error) : result;
}

static bool turns(const kin_bench_body* b) { return kin_length2(b->spin) > 0; }

static kin_result add_solid(engine* e, const kin_bench_scene* scene, const kin_bench_body* b, kin_material_id material, kin_error* error)
{
    kin_collider_def def = kin_collider_def_default();
    kin_collider_id id;
    kin_shape walls[KIN_BENCH_WALLS];
    def.shape = kin_bench_shape_of(scene, b, walls);
    def.position = b->at;
    def.orientation = b->turn;
    def.material = material;
    return kin_world_add_collider(e->world, &def, &id, error);
}

static kin_body_def body_of(const kin_bench_scene* scene, const kin_bench_body* b, kin_material_id material, kin_shape walls[KIN_BENCH_WALLS])
{
    kin_body_def def = kin_body_def_default();
    def.shape = kin_bench_shape_of(scene, b, walls);
    def.position = b->at;
    def.orientation = b->turn;
    def.mass = b->mass;
    def.spin = b->spin;
    if (turns(b)) def.mobility = KIN_MOBILITY_ANIMATED;
    def.material = material;
    if (!scene->collide) def.filter.group = -1;
    return def;
}

static kin_joint_def joint_of(const kin_bench_joint* j)
{
    kin_joint_def def = kin_joint_def_default();
    def.kind = j->hinge ? KIN_JOINT_HINGE : KIN_JOINT_BALL;
    def.a = j->a;
    def.b = j->b;
    def.anchor = j->anchor;
    if (j->hinge || j->limited) def.axis = j->axis;
    for (int i = 0; i < (j->hinge ? 1 : 2); ++i) {
        const double half = i == 0 ? j->swing : j->twist;
        def.freedom[i].friction = j->friction;
        def.freedom[i].limited = j->limited;
        def.freedom[i].low = j->hinge ? j->low : i == 0 ? 0 : -half;
        def.freedom[i].high = j->hinge ? j->high : half;
    }
    return def;
}

/* The bodies that move, then those that turn; the numbers of the first are the scene's. */
static size_t put_bodies(const kin_bench_scene* scene, kin_material_id material, kin_body_def* bodies, kin_shape (*walls)[KIN_BENCH_WALLS])
{
    size_t count = 0;
    for (int i = 0; i < scene->count + scene->fixed; ++i) {
        const kin_bench_body* b = &scene->bodies[i];
        if (i >= scene->count && !turns(b)) continue;
        bodies[count] = body_of(scene, b, material, walls[i < scene->count ? 0 : i - scene->count]); /* only fixed ones have walls */
        ++count;
    }
    return count;
}

static kin_result add_system(engine* e, const kin_bench_scene* scene, kin_material_id material, kin_error* error)
{
    kin_rigid_def def = kin_rigid_def_default();
    kin_body_def* bodies = calloc((size_t)(scene->count + scene->fixed), sizeof *bodies);
    kin_shape(*walls)[KIN_BENCH_WALLS] = calloc((size_t)scene->fixed + 1, sizeof *walls);
    kin_joint_def* joints = calloc((size_t)scene->joint_count + 1, sizeof *joints);
    kin_result result = KIN_ERROR_MEMORY;
    if (bodies != NULL && joints != NULL && walls != NULL) {
        def.bodies.count = put_bodies(scene, material, bodies, walls);
        for (int i = 0; i < scene->joint_count; ++i) joints[i] = joint_of(&scene->joints[i]);
        def.bodies.data = bodies;
        def.joints.data = joints;
        def.joints.count = (size_t)scene->joint_count;
        def.sleep = scene->sleep;
        result = kin_rigid_create(e->world, &def, &e->system, error);
    }
    free(bodies);
    free(joints);
    free(walls);
    return result;
}

static void destroy(void* world)
{
    engine* e = world;
    kin_world_destroy(e->world);
    free(e);
}

static void* create(const kin_bench_scene* scene, int threads, kin_error* error)
{
    engine* e = calloc(1, sizeof *e);
    kin_material_id material;
    if (e == NULL) return NULL;
    e->count = scene->count;
    kin_result result = open_world(e, threads, &material, error);
    for (int i = scene->count; i < scene->count + scene->fixed && result == KIN_OK; ++i) {
        if (!turns(&scene->bodies[i])) result = add_solid(e, scene, &scene->bodies[i], material, error);
    }
    if (result == KIN_OK) result = add_system(e, scene, material, error);
    if (result == KIN_OK) return e;
    destroy(e);
    return NULL;
}

static bool step(void* world, kin_error* error)
{
    engine* e = world;
    return kin_world_step(e->world, NULL, error) == KIN_OK;
}

static void read(void* world, kin_bench_motion* out)
{
    const engine* e = world;
    for (int i = 0; i < e->count; ++i) {
        kin_body_state s = kin_rigid_state(e->world, e->system, (uint32_t)i);
        out[i] = (kin_bench_motion){s.pose, s.velocity, s.spin, s.awake};
    }
}

static double contacts(const void* world)
{
    const engine* e = world;
    kin_measure list[32];
    size_t count = kin_world_measure(e->world, e->system.index1, list, 32);
    for (size_t i = 0; i < count && i < 32; ++i) {
        if (strcmp(list[i].name, "contacts") == 0) return list[i].value;
    }
    return 0;
}

const kin_bench_engine kin_bench_kinema = {"kinema", 0, true, true, create, step, read, destroy, memory, contacts};
