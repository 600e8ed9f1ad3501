/* check.c - `kinema check`: does a scene build, and does its hook keep all it remembers in world.state? */
#include "base/error.h"
#include "scene/scene_inside.h"
#include <string.h>

enum { STEPS = 3 };

typedef struct running {
    kin_scene* scene;
    kin_world* world;
} running;

static void stop(running* r)
{
    kin_world_destroy(r->world);
    kin_scene_free(r->scene);
    *r = (running){0};
}

static kin_result start(const char* path, const kin_scene_options* options, running* out, kin_error* error)
{
    *out = (running){0};
    kin_world_def def = kin_world_def_default();
    def.allocator = options->allocator;
    def.threads = 1;
    kin_result result = kin_scene_load(path, options, &out->scene, error);
    if (result == KIN_OK) result = kin_scene_build(out->scene, &def, &out->world, error);
    if (result != KIN_OK) stop(out);
    return result;
}

static kin_result step(running* r, kin_error* error)
{
    kin_result result = kin_scene_before_step(r->scene, r->world, error);
    return result == KIN_OK ? kin_world_step(r->world, NULL, error) : result;
}

/* The same step in a new script and a new world that know of the past only what a snapshot holds. */
static kin_result step_restored(const char* path, const kin_scene_options* options, kin_snapshot* snapshot, uint64_t* hash, kin_error* error)
{
    running fresh;
    kin_result result = start(path, options, &fresh, error);
    if (result != KIN_OK) return result;
    if (snapshot->size > 0) result = kin_world_restore(fresh.world, snapshot, error);
    if (result == KIN_OK) result = step(&fresh, error);
    if (result == KIN_OK) result = kin_world_snapshot(fresh.world, snapshot, error);
    if (result == KIN_OK) *hash = kin_world_state_hash(fresh.world);
    stop(&fresh);
    return result;
}

kin_result kin_scene_check(const char* path, const kin_scene_options* options, kin_error* error)
{
    running straight;
    kin_result result = start(path, options, &straight, error);
    if (result != KIN_OK) return result;
    kin_snapshot snapshot = {0};
    for (int i = 1; result == KIN_OK && kin_scene_has_functions(straight.scene, NULL) && i <= STEPS; ++i) {
        uint64_t hash = 0;
        result = step(&straight, error);
        if (result == KIN_OK) result = step_restored(path, options, &snapshot, &hash, error);
        if (result == KIN_OK && hash != kin_world_state_hash(straight.world)) {
            result = kin_fail(error, KIN_ERROR_ARGUMENT, path, "on_step remembers something outside world.state%s: step %d differs after a restore",
                              straight.scene->first_law != NULL ? ", or a law does" : "", i);
        }
    }
    kin_snapshot_free(&snapshot);
    stop(&straight);
    return result;
}
