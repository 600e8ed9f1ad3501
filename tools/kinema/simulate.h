/* simulate.h - a scene to a folder of frames: what `run` does, and `render SCENE` before it renders. */
#pragma once
#include "io/file.h"
#include "io/run_folder.h"
#include "kinema/scene.h"

enum { KIN_CHECKPOINT_FRAMES = 30 };

typedef struct kin_simulation_plan {
    const char* scene_path;
    const char* dir; /* NULL: out/<name of the scene> */
    kin_scene_options options;
    bool has_frames;
    uint64_t frames; /* the last one; without: the scene's own */
    int threads;
    const char* simd;
    uint64_t checkpoint; /* frames between two */
    bool resume, quiet;
} kin_simulation_plan;

/* Wall time by what the command does around the engine's stages, s. */
typedef enum kin_chore { KIN_CHORE_SCRIPT, KIN_CHORE_CAPTURE, KIN_CHORE_WRITE, KIN_CHORE_CHECKPOINT, KIN_CHORE_COUNT } kin_chore;

/* What the steps reported, summed up. */
typedef struct kin_tally {
    uint64_t steps;
    uint64_t warnings, capped, refusals;
    char note[160]; /* the last one's */
    double stage_seconds[KIN_STAGE_COUNT];
    double chore_seconds[KIN_CHORE_COUNT];
} kin_tally;

typedef struct kin_simulation {
    char dir[KIN_PATH_SIZE];
    kin_scene* scene;
    kin_scene_info info;
    kin_world* world;
    kin_run_folder* run;
    uint64_t frame;  /* last one written */
    uint64_t frames; /* wanted */
    kin_tally tally;
    double begin; /* wall time, s */
} kin_simulation;

/* Runs to the last frame. Returns the exit code; what went wrong has been said. End it also after a failure. */
int kin_simulate(const kin_simulation_plan* plan, kin_simulation* out);
void kin_simulation_end(kin_simulation* simulation);
