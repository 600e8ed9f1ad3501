/* observe.c - asking a world: measures, what moved, pictures, rays. Changes nothing. */
#include "base/alloc.h"
#include "base/error.h"
#include "math/spline.h"
#include "world/collider.h"
#include "world/world.h"
#include <string.h>

size_t kin_world_measure(const kin_world* world, uint32_t number, kin_measure* out, size_t capacity)
{
    KIN_ASSERT(number >= 1 && number <= world->system_count);
    const kin_system_slot* slot = &world->systems[number - 1];
    kin_step step = kin_world_step_context((kin_world*)world);
    kin_budget budget = {out, 0, capacity};
    step.system = number;
    step.system_name = slot->name;
    slot->ops->measure(slot->self, &step, &budget);
    return budget.count;
}

static bool same_pose(kin_transform a, kin_transform b) { return memcmp(&a, &b, sizeof a) == 0; }

size_t kin_world_moved(const kin_world* world, kin_moved* out, size_t capacity)
{
    kin_moved_list list = {out, 0, capacity};
    for (size_t i = 0; i < world->collider_count; ++i) {
        const kin_collider* c = &world->colliders[i];
        if (c->solid != UINT32_MAX && !same_pose(c->pose, c->last_pose)) kin_moved_add(&list, KIN_WORLD_SYSTEM, (uint32_t)i, c->pose);
    }
    for (uint32_t i = 0; i < world->system_count; ++i) {
        const kin_system_slot* slot = &world->systems[i];
        if (slot->ops->moved != NULL) slot->ops->moved(slot->self, i + 1, &list);
    }
    return list.count;
}

kin_view kin_view_default(void)
{
    return (kin_view){
        .camera = {.eye = {6, 4, 9}, .target = {0, 1, 0}, .up = {0, 1, 0}, .field_of_view = 0.8, .shutter = 0.5},
        .light = {.sun_direction = {0.45, 0.75, 0.48},
                  .sun_angle = 0.06,
                  .sun = {3.0f, 2.75f, 2.4f},
                  .sky = {0.32f, 0.47f, 0.72f},
                  .horizon = {0.85f, 0.88f, 0.92f},
                  .clouds = 0.35},
    };
}

static kin_result check_view(const kin_view* view, kin_error* error)
{
    const kin_camera* c = &view->camera;
    if (!kin_finite3(c->eye) || !kin_finite3(c->target)) return kin_fail(error, KIN_ERROR_ARGUMENT, "eye", "eye and target must be finite (m)");
    if (!(kin_distance(c->eye, c->target) > 0)) return kin_fail(error, KIN_ERROR_ARGUMENT, "target", "must not be where the eye is");
    if (!(c->field_of_view > 0 && c->field_of_view < KIN_PI))
        return kin_fail(error, KIN_ERROR_ARGUMENT, "fov", "%g must be between 0 and pi (rad)", c->field_of_view);
    for (size_t i = 1; i < view->key_count; ++i) {
        if (!(view->keys[i].time > view->keys[i - 1].time))
            return kin_fail(error, KIN_ERROR_ARGUMENT, "keys", "t = %g must be later than the key before (s)", view->keys[i].time);
    }
    return KIN_OK;
}

static void drop_camera_keys(kin_world* world)
{
    kin_free(&world->allocator, world->camera_targets, world->camera_keys.count * sizeof *world->camera_targets);
    kin_keys_free(&world->allocator, &world->camera_keys);
    world->camera_targets = NULL;
}

static kin_result make_camera_keys(kin_world* world, size_t count, kin_error* error)
{
    drop_camera_keys(world);
    if (count == 0) return KIN_OK;
    kin_vec3* targets = kin_alloc(&world->allocator, kin_bytes(count, sizeof *targets));
    if (targets == NULL || !kin_keys_alloc(&world->allocator, count, &world->camera_keys)) {
        kin_free(&world->allocator, targets, kin_bytes(count, sizeof *targets));
        return kin_fail_memory(error, "camera keys", count * sizeof(kin_camera_key));
    }
    world->camera_targets = targets;
    return KIN_OK;
}

kin_result kin_world_set_view(kin_world* world, const kin_view* view, kin_error* error)
{
    kin_result result = check_view(view, error);
    if (result == KIN_OK) result = make_camera_keys(world, view->key_count, error);
    if (result != KIN_OK) return result;
    for (size_t i = 0; i < view->key_count; ++i) {
        world->camera_keys.times[i] = view->keys[i].time;
        world->camera_keys.positions[i] = view->keys[i].eye;
        world->camera_keys.orientations[i] = kin_quat_identity();
        world->camera_targets[i] = view->keys[i].target;
    }
    world->view = *view;
    world->view.keys = NULL;
    world->view.key_count = 0;
    return KIN_OK;
}

kin_result kin_world_copy_view(const kin_world* from, kin_world* to, kin_error* error)
{
    size_t count = from->camera_keys.count;
    kin_result result = make_camera_keys(to, count, error);
    if (result != KIN_OK) return result;
    to->view = from->view;
    for (size_t i = 0; i < count; ++i) {
        to->camera_keys.times[i] = from->camera_keys.times[i];
        to->camera_keys.positions[i] = from->camera_keys.positions[i];
        to->camera_keys.orientations[i] = from->camera_keys.orientations[i];
        to->camera_targets[i] = from->camera_targets[i];
    }
    return KIN_OK;
}

static kin_camera camera_now(const kin_world* world)
{
    kin_camera camera = world->view.camera;
    int n = (int)world->camera_keys.count;
    if (n > 0) {
        double t = kin_world_time(world);
        camera.eye = kin_spline_vec3(world->camera_keys.times, world->camera_keys.positions, n, t, NULL);
        camera.target = kin_spline_vec3(world->camera_keys.times, world->camera_targets, n, t, NULL);
    }
    return camera;
}

kin_result kin_world_capture(kin_world* world, uint64_t index, double interval, const kin_frame** out, kin_error* error)
{
    kin_capture* capture = &world->capture;
    kin_capture_begin(capture, index, kin_world_time(world), interval, kin_v(0, 0, 0));
    capture->jobs = &world->jobs;
    capture->frame.camera = camera_now(world);
    capture->frame.light = world->view.light;
    kin_colliders_capture(world, interval * world->view.camera.shutter, capture);
    for (size_t i = 0; i < world->system_count; ++i) {
        const kin_system_slot* slot = &world->systems[i];
        slot->ops->capture(slot->self, slot->name, &world->materials, capture);
    }
    *out = kin_capture_end(capture);
    return *out != NULL ? KIN_OK : kin_fail_memory(error, "a frame", capture->arena.used);
}
