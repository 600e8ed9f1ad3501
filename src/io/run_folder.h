/* run_folder.h - DIR of a run: manifest.json, frames/, stats.csv, checkpoint/, recording. */
#pragma once
#include "base/tree.h"
#include "io/cache.h"
#include "io/checkpoint.h"
#include "io/recording.h"
#include "kinema/world.h"
#include "world/command.h"

typedef struct kin_run_folder kin_run_folder;

typedef struct kin_run_plan {
    const char* dir;
    const char* scene_path; /* as the person gave it */
    const kin_node* scene;  /* expanded: the whole tree, functions left out */
    const kin_node* sets;   /* list of {key, value}: the --set of this run; NULL: none */
    const kin_node* files;  /* kin_scene_files; NULL: none */
    uint64_t scene_hash;    /* of the canonical text of scene, plus the script's text when it has hooks */
    uint64_t seed;
    double fps;
    uint64_t frames; /* wanted, after frame 0 */
    bool resume;
} kin_run_plan;

/* What was found. */
typedef struct kin_run_start {
    bool resumed;        /* the world holds a checkpoint's state */
    bool finished;       /* nothing left to do: the run had already reached `frames` */
    uint64_t next_frame; /* first frame still to write */
} kin_run_start;

/* Fresh: an earlier run in dir is replaced, another non-empty folder refused (KIN_ERROR_ARGUMENT). Resume: continues from the last good checkpoint
 * (the newest that reads; an older one is kept as a fall-back); none: starts afresh; another scene or --set: KIN_ERROR_MISMATCH naming what changed
 * (the first differing path of the tree). What was passed over is in the world's log. The world records its commands from here on. The plan is
 * copied. */
kin_result kin_run_open(const kin_allocator* allocator, const kin_run_plan* plan, kin_world* world, kin_run_folder** out, kin_run_start* start,
                        kin_error* error);
/* Frame, a row of stats.csv; the manifest's frame index follows at checkpoints and at the end. */
kin_result kin_run_write_frame(kin_run_folder* run, const kin_world* world, const kin_frame* frame, kin_error* error);
/* frame is the last one written. The world may be some steps past it: a resumed run must then count steps, not frames, to the next one. */
kin_result kin_run_checkpoint(kin_run_folder* run, const kin_world* world, uint64_t frame, kin_error* error);
/* A checkpoint, by which more frames can be asked for later; the manifest with the final hash; the recording. done: all frames were reached. */
kin_result kin_run_finish(kin_run_folder* run, const kin_world* world, uint64_t frame, bool done, kin_error* error);
void kin_run_close(kin_run_folder* run); /* NULL is fine */
