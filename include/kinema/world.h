/** @file world.h
 * A world owns systems, fields, colliders, materials and the clock. No globals: many worlds per process.
 *
 *     kin_world_def def = kin_world_def_default();
 *     kin_world* world;
 *     if (kin_world_create(&def, &world, &error) != KIN_OK) ...
 *     kin_world_step(world, &report, &error);
 *     kin_world_destroy(world);
 *
 * A call that takes a def copies it. A world is used by one thread at a time; inside a step it uses its scheduler's. */
#pragma once
#include "kinema/anchor.h"
#include "kinema/base.h"
#include "kinema/collider.h"
#include "kinema/frame.h"
#include "kinema/math.h"

/** Opaque; made by kin_world_create, kin_world_clone or kin_scene_build. */
typedef struct kin_world kin_world;

/** A system of a world: particles, cloth, a tank. {0} is null. Its number is index1. */
typedef struct kin_system_id {
    uint32_t index1;     /**< from 1 */
    uint32_t generation; /**< tells a later user of the same index apart */
} kin_system_id;

/** What happens to what leaves the world's box. */
typedef enum kin_bounds_policy { KIN_BOUNDS_NONE, KIN_BOUNDS_DEACTIVATE, KIN_BOUNDS_BOUNCE } kin_bounds_policy;

/** A world, as it is created. */
typedef struct kin_world_def {
    kin_allocator allocator;                       /**< of all the world holds */
    const kin_scheduler* scheduler;                /**< NULL: the built-in pool; copied */
    int threads;                                   /**< of the built-in pool; 0: one per core */
    const char* simd;                              /**< "none", "sse2", "avx2"; NULL: the widest this machine has */
    kin_log log;                                   /**< who listens */
    double time_step;                              /**< s, > 0: every step is this long */
    uint64_t seed;                                 /**< of all random numbers */
    kin_vec3 gravity;                              /**< m/s^2 */
    kin_bounds_policy bounds;                      /**< none: the box below is not read */
    kin_vec3 bounds_low, bounds_high;              /**< m */
    kin_pair_rule restitution_rule, friction_rule; /**< how the values of two materials become one */
    int max_intervals;                             /**< >= 1: how far a step may be cut when a system refuses it */
    int max_passes;                                /**< >= 1: exchanges between systems in one interval */
} kin_world_def;

/** Wall time by stage, s. Not state. */
typedef enum kin_stage {
    KIN_STAGE_COMMANDS,
    KIN_STAGE_PLAN,
    KIN_STAGE_SENSE,
    KIN_STAGE_PREDICT,
    KIN_STAGE_DETECT,
    KIN_STAGE_SOLVE,
    KIN_STAGE_COMMIT,
    KIN_STAGE_OBSERVE,
    KIN_STAGE_COUNT
} kin_stage;

/** What a step did. */
typedef struct kin_step_report {
    uint64_t step;                   /**< its index, from 0 */
    double time;                     /**< s, at its end */
    int intervals;                   /**< k: parts the step was cut into */
    int passes;                      /**< most exchanges in an interval */
    int refusals;                    /**< intervals rewound */
    int capped;                      /**< caps that bit: passes, hits a step */
    double residual;                 /**< N s: last change of the ledger */
    int warnings;                    /**< e.g. an animated solid that left a thing no room */
    char note[160];                  /**< system, element and why, of the last refusal, cap or warning */
    double seconds[KIN_STAGE_COUNT]; /**< wall time; not state */
} kin_step_report;

/** A thing that moved in the last step. */
typedef struct kin_moved {
    uint32_t system, element; /**< as in an anchor */
    kin_transform pose;       /**< now */
} kin_moved;

/** A named number that a system reports, e.g. "kinetic_energy". */
typedef struct kin_measure {
    const char* name; /**< a column of stats.csv, after the system's name */
    const char* unit; /**< SI; empty for counts */
    double value;     /**< at the present time */
} kin_measure;

/** The whole state of a world, in memory. */
typedef struct kin_snapshot {
    kin_allocator allocator; /**< the world's */
    uint8_t* data;           /**< owned; kin_snapshot_free */
    size_t size, capacity;   /**< bytes */
} kin_snapshot;

/** Steps of 1/60 s, gravity of 9.81 m/s^2 down, no bounds. */
KIN_API kin_world_def kin_world_def_default(void);
/** An empty world. On failure *out is NULL and error says which member and why. */
KIN_API kin_result kin_world_create(const kin_world_def* def, kin_world** out, kin_error* error);
/** With all it holds. NULL is fine. */
KIN_API void kin_world_destroy(kin_world* world);

/** Advances by one time step. report and error may be NULL. On KIN_ERROR_NUMERICS the world is as before the step. */
KIN_API kin_result kin_world_step(kin_world* world, kin_step_report* report, kin_error* error);
/** Now, s: steps done times their length, never a sum. */
KIN_API double kin_world_time(const kin_world* world);
/** Steps done. */
KIN_API uint64_t kin_world_step_count(const kin_world* world);
/** Length of a step, s. */
KIN_API double kin_world_time_step(const kin_world* world);
/** Over every field that is state: equal hashes, equal futures. */
KIN_API uint64_t kin_world_state_hash(const kin_world* world);

/** The name must be new. */
KIN_API kin_result kin_world_add_material(kin_world* world, const kin_material_def* def, kin_material_id* out, kin_error* error);
/** Sets how two materials meet; setting a pair again replaces it. Before the first system is added: systems keep what they have read. */
KIN_API kin_result kin_world_set_material_pair(kin_world* world, const kin_material_pair_def* def, kin_error* error);
/** Checks and copies the shape; errors name the member. out may not be NULL. */
KIN_API kin_result kin_world_add_collider(kin_world* world, const kin_collider_def* def, kin_collider_id* out, kin_error* error);
/** What rested on it wakes. */
KIN_API void kin_world_remove_collider(kin_world* world, kin_collider_id id);
/** Inactive, static or animated. */
KIN_API kin_mobility kin_collider_mobility(const kin_world* world, kin_collider_id id);
/** Not dynamic: what forces move is a body of a system. */
KIN_API void kin_collider_set_mobility(kin_world* world, kin_collider_id id, kin_mobility mobility);
/** Now. */
KIN_API kin_transform kin_collider_pose(const kin_world* world, kin_collider_id id);
/** Moves a static collider at the start of the next step. It has no velocity: what rests on it wakes, but is not carried along; keys do that. */
KIN_API void kin_collider_set_pose(kin_world* world, kin_collider_id id, kin_transform pose);

/** Sets a number, vector or name by the path it has in a scene: "systems[0].integrator", "fields[1].wind", "gravity".
 * Live parameters only. The change is a command: stamped with the step, recorded, replayed. */
KIN_API kin_result kin_world_set_number(kin_world* world, const char* path, double value, kin_error* error);
/** As kin_world_set_number, for three numbers. */
KIN_API kin_result kin_world_set_vector(kin_world* world, const char* path, kin_vec3 value, kin_error* error);
/** As kin_world_set_number, for names. */
KIN_API kin_result kin_world_set_text(kin_world* world, const char* path, const char* value, kin_error* error);
/** Impulse at an anchor, a command too. What a system does not take (the elements of a fluid cannot be pushed, placed or given a status) is refused by name. */
KIN_API kin_result kin_world_push(kin_world* world, kin_anchor anchor, kin_vec3 impulse, kin_error* error);
/** Position and velocity of an element, a command too. */
KIN_API kin_result kin_world_place(kin_world* world, kin_anchor anchor, kin_vec3 position, kin_vec3 velocity, kin_error* error);
/** Status of an element, a command too. */
KIN_API kin_result kin_world_set_mobility(kin_world* world, kin_anchor anchor, kin_mobility mobility, kin_error* error);
/** A named number of an element (attributes of a particle's kind), now. */
KIN_API kin_result kin_world_attribute(const kin_world* world, kin_anchor anchor, const char* name, double* out, kin_error* error);
/** Sets it, a command too. */
KIN_API kin_result kin_world_set_attribute(kin_world* world, kin_anchor anchor, const char* name, double value, kin_error* error);

/** System by name; {0} if there is none. */
KIN_API kin_system_id kin_world_system(const kin_world* world, const char* name);
/** Systems are numbered from 1 to this. */
KIN_API uint32_t kin_world_system_count(const kin_world* world);
KIN_API const char* kin_world_system_name(const kin_world* world, uint32_t number); /**< number from 1 */
/** What system `number` (from 1) measures now. Returns the count; at most capacity are written. */
KIN_API size_t kin_world_measure(const kin_world* world, uint32_t number, kin_measure* out, size_t capacity);
/** Only what moved in the last step (colliders too: system 0). Returns the count; at most capacity are written. */
KIN_API size_t kin_world_moved(const kin_world* world, kin_moved* out, size_t capacity);
/** Whether an element is there: it was made, and neither ended nor was removed. */
KIN_API bool kin_world_has(const kin_world* world, kin_anchor anchor);
/** Poses and velocities of anchors now. An element that is not there, or a system whose elements cannot be asked (a fluid), is an error; nothing is written
 * then. */
KIN_API kin_result kin_world_motion(const kin_world* world, const kin_anchor* anchors, int count, kin_motion* out, kin_error* error);

/** What can be seen now. Owned by the world, valid until the next capture. interval: s to the next frame. */
KIN_API kin_result kin_world_capture(kin_world* world, uint64_t index, double interval, const kin_frame** out, kin_error* error);
/** A camera at a time; between keys it moves smoothly. */
typedef struct kin_camera_key {
    double time;          /**< s */
    kin_vec3 eye, target; /**< m */
} kin_camera_key;

/** How pictures are taken. */
typedef struct kin_view {
    kin_camera camera;          /**< without keys, at all times */
    kin_light light;            /**< at all times */
    const kin_camera_key* keys; /**< times rising; may be NULL */
    size_t key_count;           /**< 0: the camera stands still */
} kin_view;

/** A camera that looks at the origin from in front and above, on a clear day. */
KIN_API kin_view kin_view_default(void);
/** Copies the keys. */
KIN_API kin_result kin_world_set_view(kin_world* world, const kin_view* view, kin_error* error);

KIN_API kin_result kin_world_snapshot(const kin_world* world, kin_snapshot* snapshot, kin_error* error); /**< snapshot: {0} or one used before */
/** Back to a snapshot of this world, or of one built alike: another is refused (KIN_ERROR_MISMATCH) and changes nothing. Waiting commands are dropped. What was
 * added since is not taken back but refused: bodies that come later are made before the snapshot, inactive (KIN_MOBILITY_INACTIVE). */
KIN_API kin_result kin_world_restore(kin_world* world, const kin_snapshot* snapshot, kin_error* error);
/** {0} is fine. */
KIN_API void kin_snapshot_free(kin_snapshot* snapshot);
/** A second world in the same state, which goes on alike. */
KIN_API kin_result kin_world_clone(const kin_world* world, kin_world** out, kin_error* error);
/** A snapshot as a file, checksummed; written beside and renamed. */
KIN_API kin_result kin_world_save(const kin_world* world, const char* path, kin_error* error);
/** A saved snapshot into a world built alike. A cut or foreign file is refused. */
KIN_API kin_result kin_world_load(kin_world* world, const char* path, kin_error* error);
