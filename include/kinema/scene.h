/** @file scene.h
 * Scene files, Lua or JSON, to worlds. */
#pragma once
#include "kinema/base.h"
#include "kinema/world.h"

/** A scene that was read: its tree of plain values, and its script if it has hooks. */
typedef struct kin_scene kin_scene;

/** One --set: a param() by name, or a path with a dot or bracket ("systems[0].integrator"). Values are text; numbers and true/false are read as such,
 * {1, 2, 3} as a list. */
typedef struct kin_scene_set {
    const char* key;   /**< left of = */
    const char* value; /**< right of it */
} kin_scene_set;

/** How a scene is read, and guards against hostile ones. */
typedef struct kin_scene_options {
    kin_allocator allocator;   /**< of the scene and its script */
    const kin_scene_set* sets; /**< applied in order */
    size_t set_count;          /**< of sets */
    bool has_seed;             /**< seed counts */
    uint64_t seed;             /**< overrides the scene's */
    size_t max_bytes;          /**< of a scene file */
    int max_depth;             /**< of nesting, includes too */
    uint64_t max_instructions; /**< of a script's evaluation, and of each of its hooks */
    size_t max_memory;         /**< of a script */
} kin_scene_options;

/** What a scene says about its run. */
typedef struct kin_scene_info {
    const char* title;   /**< valid as long as the scene */
    double duration;     /**< s */
    double fps;          /**< frames a second */
    int steps_per_frame; /**< by default the fewest with steps of at most 1/60 s */
    uint64_t frames;     /**< after frame 0 */
    bool has_hook;       /**< on_step */
} kin_scene_info;

/** No sets, the scene's own seed, limits that honest scenes do not reach. */
KIN_API kin_scene_options kin_scene_options_default(void);
/** Reads a .lua or .json scene. error.where holds file:line:column or file and path. */
KIN_API kin_result kin_scene_load(const char* path, const kin_scene_options* options, kin_scene** out, kin_error* error);
/** Worlds built from it stay. NULL is fine. */
KIN_API void kin_scene_free(kin_scene* scene);
/** What it says about its run. */
KIN_API kin_scene_info kin_scene_describe(const kin_scene* scene);
/** Builds the world the scene describes. def gives allocator, scheduler, threads, simd and log; all else comes from the scene.
 * The bytes it will take are checked against this machine's memory first. */
KIN_API kin_result kin_scene_build(const kin_scene* scene, const kin_world_def* def, kin_world** out, kin_error* error);
/** Runs the scene's on_step, if it has one: call before every kin_world_step. Its state lives in the world. */
KIN_API kin_result kin_scene_before_step(kin_scene* scene, kin_world* world, kin_error* error);
