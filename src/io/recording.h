/* recording.h - DIR/recording: what was done to a run, enough to do it again. JSON lines: a header {kinema, scene, files, seed, steps, state_hash, fps,
 * script_state} with the whole expanded scene and what its script remembered at the end (a replay runs the commands, not the script), a command a
 * line, and a last line with their number and a checksum, so that a cut or changed recording is known for one. */
#pragma once
#include "base/tree.h"
#include "kinema/world.h"
#include "world/command.h"

typedef struct kin_recording {
    kin_tree tree;
    const kin_node* scene;
    const kin_node* files;    /* a table: name of a file of the scene, hash of what is in it */
    const char* script_state; /* JSON */
    double fps;
    uint64_t seed, steps, state_hash;
    kin_command* commands;
    size_t command_count, command_capacity;
} kin_recording;

kin_result kin_recording_read(const kin_allocator* allocator, const char* path, kin_recording* out, kin_error* error);
void kin_recording_free(const kin_allocator* allocator, kin_recording* recording);
/* What the world has recorded up to now; scene, files (NULL: none), seed and fps are those of the run. */
kin_result kin_recording_write(const kin_allocator* allocator, const char* path, const kin_world* world, const kin_node* scene, const kin_node* files,
                               uint64_t seed, double fps, kin_error* error);
