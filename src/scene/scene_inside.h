/* scene_inside.h - what a scene owns; shared by the files of this folder only. */
#pragma once
#include "base/arena.h"
#include "base/tree.h"
#include "kinema/attach.h"
#include "scene/scene.h"
#include "scene/script.h"
#include "system/system.h"

enum {
    KIN_SCENE_DEEPEST_INCLUDE = 16,
    KIN_SCENE_MOST_NODES = 20000000,
};

/* A file that was read. Its text is kept: a place in JSON is found by scanning it again, and hooks count by their text in the hash. */
typedef struct kin_source {
    const char* file; /* as a person would write it, from where the command runs */
    const char* real; /* one name for one file, to see cycles */
    char* text;
    size_t size;
    bool json;
} kin_source;

/* Items of a list that came from an included scene: systems[begin .. begin + count) are its systems[0 ..). */
typedef struct kin_origin {
    const char* key;
    size_t source;
    uint32_t begin, count;
} kin_origin;

struct kin_scene {
    kin_allocator allocator;
    kin_scene_options options; /* sets: only while loading */
    bool* set_used;
    kin_arena arena; /* names and small things */
    kin_tree tree;   /* the expanded scene */
    const char* file;
    const char* folder; /* of the file; "" is here */
    kin_source* sources;
    size_t source_count, source_capacity;
    kin_origin* origins;
    size_t origin_count, origin_capacity;
    size_t chain[KIN_SCENE_DEEPEST_INCLUDE]; /* sources that are being evaluated */
    int chain_length;
    kin_script* script;    /* NULL: no Lua in it */
    size_t users;          /* laws of worlds that live on */
    bool freed;            /* by its owner; the last user frees it */
    const char* first_law; /* path of a function in the tree; NULL: none */
    kin_scene_param* params;
    size_t param_count, param_capacity;
    kin_scene_info info;
    kin_node* files; /* by name: the hash of what is in it; in the tree */
    uint64_t seed;
    uint64_t hash;
};

/* ---- sources.c ---- */
const char* kin_scene_file(const kin_scene* scene);
/* Lua shortens long names; this gives the whole one back. */
const char* kin_scene_file_of_chunk(const kin_scene* scene, const char* chunk);
const char* kin_scene_keep(kin_scene* scene, const char* text); /* copies into the arena; NULL: no memory */
/* Reads a file named by its includer (chain_length 0: by the person) and enters it into the chain. Refuses cycles. */
kin_result kin_scene_enter(kin_scene* scene, const char* name, size_t* source, kin_error* error);
void kin_scene_leave(kin_scene* scene);
void kin_scene_free_sources(kin_scene* scene);
kin_result kin_scene_read_json(kin_scene* scene, size_t source, kin_node** out, kin_error* error);
size_t kin_scene_node_limit(void); /* as many as this machine can hold, at most KIN_SCENE_MOST_NODES */
/* error->where is a path in the tree: puts the file, and for JSON line and column, before it. Returns result. */
kin_result kin_scene_at_file(const kin_scene* scene, kin_result result, kin_error* error);

/* ---- load.c ---- */
void kin_scene_unuse(kin_scene* scene);

/* ---- lua_files.c ---- */
kin_result kin_scene_evaluate_lua(kin_scene* scene, size_t source, kin_node** out, kin_error* error);

/* ---- files.c ---- */
kin_result kin_scene_list_files(kin_scene* scene, kin_error* error);

/* ---- include.c ---- */
/* The tree of a file with what it includes merged below it. */
kin_result kin_scene_evaluate(kin_scene* scene, const char* name, kin_node** out, kin_error* error);

/* ---- set.c ---- */
/* 5, true, {1, 2, 3}, or the text itself. NULL: no memory. */
kin_node* kin_scene_parse_value(kin_tree* tree, const char* text);
/* The value of --set name=..., if there is one; it counts as used. */
const char* kin_scene_take_set(kin_scene* scene, const char* name);
/* All sets that no param() took: edits of the tree. */
kin_result kin_scene_apply_sets(kin_scene* scene, kin_error* error);

/* ---- tables.c ---- */
typedef struct kin_scene_bounds {
    kin_vec3 low, high;
    int policy;
} kin_scene_bounds;
typedef struct kin_scene_pair {
    double friction[2];        /* static and dynamic at once; below 0: not given */
    kin_material_pair_def def; /* the rest */
} kin_scene_pair;
typedef struct kin_scene_pairs {
    int restitution, friction;
    const kin_scene_pair* values;
    size_t value_count;
} kin_scene_pairs;
typedef struct kin_scene_camera {
    kin_vec3 eye, target, up;
    double fov, aperture, shutter, exposure, clouds;
    kin_vec3 sun;
    double sun_angle;
    float sun_color[3], sky_color[3], horizon_color[3];
    const kin_camera_key* keys;
    size_t key_count;
} kin_scene_camera;
/* One end of an attachment, as a scene names it. */
typedef struct kin_scene_end {
    const char* system;   /* NULL: not an element */
    int64_t element;      /* from 0 */
    const char* collider; /* NULL: not a collider */
    kin_vec3 point;       /* of space */
    kin_vec3 local;
} kin_scene_end;
typedef struct kin_scene_attachment {
    kin_scene_end a, b;
    kin_attachment_def def; /* without its ends */
} kin_scene_attachment;
/* The plain top-level keys. Materials, fields and systems have tables of their own. */
typedef struct kin_scene_def {
    const char* title;
    double duration, fps;
    int steps_per_frame; /* 0: the default for fps */
    uint64_t seed;
    kin_vec3 gravity;
    kin_scene_bounds bounds;
    kin_scene_pairs pairs;
    int max_intervals, max_passes;
    const kin_collider_def* colliders;
    size_t collider_count;
    const kin_scene_attachment* attachments;
    size_t attachment_count;
    kin_scene_camera camera;
} kin_scene_def;
typedef struct kin_scene_material {
    const char* preset;
    double density, restitution;
    double friction[2], static_friction[2], dynamic_friction[2];
    double rolling_friction, spinning_friction;
    float color[3];
    int surface;
    double roughness, glow;
    double ior;
    kin_vec3 absorption;
    int pattern;
    double pattern_size;
    double bevel;
} kin_scene_material;

extern const kin_param kin_scene_material_params[];
extern const kin_param kin_scene_collider_params[];
extern const kin_param kin_scene_attachment_params[];
extern const kin_param kin_scene_camera_params[];
extern const kin_param kin_scene_bounds_params[];
extern const kin_param kin_scene_pair_params[];
extern const kin_param kin_scene_pairs_params[];
/* Top-level keys that hold things of many kinds, with what they are; ends with a key of NULL. */
typedef struct kin_scene_part {
    const char* key;
    const char* what;
    const char* doc;
} kin_scene_part;
extern const kin_scene_part kin_scene_parts[];
extern const char* const kin_scene_part_keys[];   /* the same, NULL-terminated */
extern const char* const kin_scene_system_keys[]; /* type name: of every system */

/* ---- defs.c ---- */
kin_result kin_scene_read_top(const kin_scene* scene, const kin_param_context* context, kin_scene_def* def, kin_error* error);
/* A field or system is read by the table of its kind; its def lives in the context's arena. */
kin_result kin_scene_read_field(const kin_node* node, uint32_t index, const kin_param_context* context, const kin_field_ops** ops, void** def,
                                kin_error* error);
kin_result kin_scene_read_system(const kin_node* node, uint32_t index, const kin_param_context* context, const kin_system_ops** ops, void** def,
                                 kin_error* error);
kin_result kin_scene_read_material(const kin_node* node, const char* name, const kin_param_context* context, kin_material_def* def, kin_error* error);
/* Reads and resolves the ends against a world; path stands before what is wrong. */
kin_result kin_scene_resolve_attachment(const kin_world* world, const kin_node* node, const kin_scene_attachment* read, const char* path,
                                        kin_attachment_def* out, kin_error* error);
/* The item of a list, or the single table that stands for one. */
const kin_node* kin_scene_item(const kin_node* list, size_t index);
/* fields, systems: a list, a single table is a list of one. *items is NULL when there are none. */
kin_result kin_scene_list(const kin_scene* scene, const char* key, const kin_node* const** items, uint32_t* count, kin_error* error);
/* Checks the whole tree and fills in scene->info. */
kin_result kin_scene_check_tree(kin_scene* scene, kin_error* error);
