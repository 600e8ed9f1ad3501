/* checkpoint.h - a world's state on disk, with what it belongs to: magic, version, hash of the scene, step, size, checksum, zstd bytes. */
#pragma once
#include "kinema/base.h"
#include "kinema/world.h"

typedef struct kin_checkpoint_info {
    uint64_t scene_hash; /* of the expanded scene; kin_world_save writes 0, which matches any */
    uint64_t frame;      /* last frame written */
    uint64_t step;
    uint64_t state_hash; /* verified after a load */
} kin_checkpoint_info;

/* Step and state hash are the world's own: those in info are not looked at. */
kin_result kin_checkpoint_write(const kin_world* world, const char* path, const kin_checkpoint_info* info, kin_error* error);
/* A file that is cut, corrupt, foreign or of another scene (KIN_ERROR_MISMATCH) is refused before the world is touched; if its state then turns out not to
 * fit the world, the world's own is put back. Commands that wait in the world are dropped. */
kin_result kin_checkpoint_read(kin_world* world, const char* path, uint64_t scene_hash, kin_checkpoint_info* info, kin_error* error);
/* What a checkpoint is of, once its checksum has been verified. */
kin_result kin_checkpoint_peek(const kin_allocator* allocator, const char* path, kin_checkpoint_info* info, kin_error* error);
