/* world.h - inside a world. Orchestration only: what it holds, and doors for the scene builder, the command and the tests. */
#pragma once
#include "base/jobs.h"
#include "base/pool.h"
#include "contact/group.h"
#include "couple/attach.h"
#include "couple/modes.h"
#include "couple/points.h"
#include "kinema/world.h"
#include "system/keys.h"
#include "system/system.h"
#include "world/anchors.h"
#include "world/command.h"
#include "world/record.h"

typedef struct kin_system_slot {
    const kin_system_ops* ops; /* NULL: removed */
    void* self;
    char name[64];
    bool committed; /* in this interval */
} kin_system_slot;

typedef struct kin_coupler_slot {
    const kin_coupler_ops* ops;
    void* self;
} kin_coupler_slot;

typedef struct kin_kept {
    void* self;
    void (*destroy)(void* self);
} kin_kept;

/* Skin of one material, made at the first capture: of a compound, of all parts of it. */
typedef struct kin_seen {
    kin_material_id material; /* none: the collider's */
    kin_array* arrays;
    uint32_t array_count;
} kin_seen;

enum { KIN_GROUP_COUNT = 2 };

typedef struct kin_collider {
    char name[64];
    uint32_t solid; /* number in the collision service */
    kin_material_id material;
    kin_mobility mobility;
    kin_transform pose;      /* at the present time */
    kin_transform last_pose; /* at the start of the last step */
    bool wall;               /* of the world's bounds: not seen, not listed */
    bool moved;              /* in the last step */
    kin_keys keys;
    bool smooth;
    kin_filter filter;
    uint32_t body[KIN_GROUP_COUNT]; /* what it is to a contact group; KIN_NO_BODY: not in it */
    kin_seen* seen;                 /* a layer each; NULL: not captured yet */
    uint32_t seen_count;
} kin_collider;

struct kin_world {
    kin_world_def def; /* pointers in it are not kept */
    kin_allocator allocator;
    kin_jobs jobs;
    kin_simd simd;
    kin_fields fields;
    kin_materials materials;
    kin_solids* solids;
    kin_ledger ledger;
    kin_pool collider_ids;
    kin_collider* colliders; /* by index of the id */
    size_t collider_count, collider_capacity;
    kin_group* groups[KIN_GROUP_COUNT]; /* by kin_rigid_mode; NULL: no system of it */
    kin_modes modes;                    /* what passes between the two */
    kin_touch_events touch_events;      /* of the last step */
    bool bodies_moved;                  /* where bodies are is not yet in the collision service */
    kin_touch_filter* touch_filter;
    void* touch_filter_context;
    kin_system_slot* systems; /* number - 1 */
    size_t system_count, system_capacity;
    uint32_t* order; /* systems by rank, then number */
    size_t order_capacity;
    kin_point_pairs points;          /* of different systems that meet */
    kin_point_source* point_sources; /* scratch: every system */
    size_t point_source_capacity;
    kin_coupler_slot* couplers;
    size_t coupler_count, coupler_capacity; /* those of the host; the world's own: */
    kin_attachments attachments;
    uint64_t step_count;
    bool failed;       /* a step could not be done: the last good state can be read, not stepped */
    bool solids_moved; /* published poses are not yet in the tree */
    kin_command_queue commands;
    kin_recorder recorder;
    kin_visitor step_mark, interval_mark; /* taken when a system may refuse */
    kin_capture capture;
    kin_view view;        /* without keys: */
    kin_keys camera_keys; /* positions are the eyes */
    kin_vec3* camera_targets;
    kin_step_report report; /* of the last step */
    kin_error trouble;      /* of the present step: a script's law failed */
    kin_kept* kept;         /* what outsiders' fields need */
    size_t kept_count, kept_capacity;
    char* script_state; /* canonical JSON of the script's world.state; state */
    size_t script_state_size, script_state_capacity;
};

kin_result kin_world_add_coupler(kin_world* world, const kin_coupler_ops* ops, void* self, kin_error* error); /* takes self */
kin_result kin_world_add_field_of(kin_world* world, const kin_field_ops* ops, const void* def, uint32_t* index, kin_error* error);

/* The whole state, for snapshots, hashes, marks. */
void kin_world_visit(kin_world* world, kin_visitor* v);
/* What a stage is handed, at the present time. */
kin_step kin_world_step_context(kin_world* world);

/* Sets a live parameter by its path; node is the value as in a scene. Used by commands and by kin_world_set_*. */
kin_result kin_world_set(kin_world* world, const char* path, const kin_node* value, kin_error* error);

kin_result kin_world_check_set(kin_world* world, const char* path, const kin_node* value, kin_error* error); /* the same, changing nothing */

/* The world takes self, and destroys it last. */
kin_result kin_world_keep(kin_world* world, void* self, void (*destroy)(void* self), kin_error* error);
/* From inside a step, by one thread at a time: the step is undone and fails with this; the first one counts. */
void kin_world_trouble(kin_world* world, const kin_error* error);

/* The script's world.state; text is copied. */
kin_result kin_world_set_script_state(kin_world* world, const char* json, size_t size, kin_error* error);
