/* checkpoint.c - a snapshot in a sealed file, behind the four numbers that say what it belongs to. */
#include "io/checkpoint.h"
#include "base/alloc.h"
#include "base/error.h"
#include "io/sealed.h"
#include "world/world.h"
#include <string.h>

static const kin_seal checkpoint_seal = {"KINCHECK", 1, "a checkpoint"};

_Static_assert(sizeof(kin_checkpoint_info) == 4 * sizeof(uint64_t), "written as it stands");

/* ---- writing ---- */

kin_result kin_checkpoint_write(const kin_world* world, const char* path, const kin_checkpoint_info* info, kin_error* error)
{
    kin_snapshot snapshot = {0};
    kin_result result = kin_world_snapshot(world, &snapshot, error);
    kin_checkpoint_info head = *info;
    head.step = kin_world_step_count(world);
    head.state_hash = kin_world_state_hash(world);
    size_t size = sizeof head + snapshot.size;
    uint8_t* bytes = result == KIN_OK ? kin_alloc(&world->allocator, size) : NULL;
    if (result == KIN_OK && bytes == NULL) result = kin_fail_memory(error, "a checkpoint", size);
    if (result == KIN_OK) {
        memcpy(bytes, &head, sizeof head);
        if (snapshot.size > 0) memcpy(bytes + sizeof head, snapshot.data, snapshot.size);
        result = kin_sealed_write(&world->allocator, path, &checkpoint_seal, bytes, size, error);
    }
    kin_free(&world->allocator, bytes, size);
    kin_snapshot_free(&snapshot);
    return result;
}

/* ---- reading ---- */

static kin_result load(const kin_allocator* allocator, const char* path, uint8_t** bytes, size_t* size, kin_checkpoint_info* info, kin_error* error)
{
    kin_result result = kin_sealed_read(allocator, path, &checkpoint_seal, bytes, size, error);
    if (result != KIN_OK) return result;
    if (*size < sizeof *info) {
        kin_free(allocator, *bytes, *size);
        return kin_fail(error, KIN_ERROR_FORMAT, path, "the checkpoint is too short");
    }
    memcpy(info, *bytes, sizeof *info);
    return KIN_OK;
}

kin_result kin_checkpoint_peek(const kin_allocator* allocator, const char* path, kin_checkpoint_info* info, kin_error* error)
{
    uint8_t* bytes;
    size_t size;
    kin_result result = load(allocator, path, &bytes, &size, info, error);
    if (result == KIN_OK) kin_free(allocator, bytes, size);
    return result;
}

/* The checksum held, so a state that does not fit is that of another world, or of another version of a system. */
static kin_result restore(kin_world* world, const char* path, const kin_snapshot* snapshot, const kin_checkpoint_info* info, kin_error* error)
{
    kin_error why = {0};
    kin_result result = kin_world_restore(world, snapshot, &why);
    if (result != KIN_OK) return kin_fail(error, result, path, "%s", why.message);
    if (kin_world_state_hash(world) != info->state_hash || kin_world_step_count(world) != info->step) {
        return kin_fail(error, KIN_ERROR_FORMAT, path, "the state of the checkpoint reads back as another one");
    }
    return KIN_OK;
}

static kin_result restore_or_go_back(kin_world* world, const char* path, const kin_snapshot* snapshot, const kin_checkpoint_info* info, kin_error* error)
{
    kin_snapshot before = {0};
    kin_result result = kin_world_snapshot(world, &before, error);
    if (result == KIN_OK) {
        result = restore(world, path, snapshot, info, error);
        if (result != KIN_OK) kin_world_restore(world, &before, NULL);
    }
    kin_snapshot_free(&before);
    return result;
}

kin_result kin_checkpoint_read(kin_world* world, const char* path, uint64_t scene_hash, kin_checkpoint_info* info, kin_error* error)
{
    uint8_t* bytes;
    size_t size;
    kin_checkpoint_info head;
    kin_result result = load(&world->allocator, path, &bytes, &size, &head, error);
    if (result != KIN_OK) return result;
    if (scene_hash != 0 && head.scene_hash != 0 && head.scene_hash != scene_hash) {
        result = kin_fail(error, KIN_ERROR_MISMATCH, path, "the checkpoint is of another scene");
    } else {
        kin_snapshot snapshot = {.allocator = world->allocator, .data = bytes + sizeof head, .size = size - sizeof head};
        result = restore_or_go_back(world, path, &snapshot, &head, error);
    }
    kin_free(&world->allocator, bytes, size);
    if (result == KIN_OK) *info = head;
    return result;
}

/* ---- worlds by themselves ---- */

kin_result kin_world_save(const kin_world* world, const char* path, kin_error* error)
{
    return kin_checkpoint_write(world, path, &(kin_checkpoint_info){0}, error);
}

kin_result kin_world_load(kin_world* world, const char* path, kin_error* error)
{
    kin_checkpoint_info info;
    return kin_checkpoint_read(world, path, 0, &info, error);
}
