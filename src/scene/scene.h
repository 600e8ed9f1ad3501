/* scene.h - inside a scene: a tree of plain values, the script behind it, and what is generated from the tables. */
#pragma once
#include "base/tree.h"
#include "kinema/scene.h"
#include "system/param.h"

/* The expanded tree (functions left out). */
const kin_node* kin_scene_tree(const kin_scene* scene);
const kin_node* kin_scene_files(const kin_scene* scene); /* a table: name of a mesh or picture, hash of what is in it */
/* Hash of its canonical text, and of the script's text (with its includes) when it has hooks. */
uint64_t kin_scene_hash(const kin_scene* scene);
/* A scene from a tree (a recording's); functions are absent. */
kin_result kin_scene_from_tree(const kin_node* tree, const char* name, const kin_scene_options* options, kin_scene** out, kin_error* error);
/* True when the tree held functions that JSON cannot: *path names the first. */
bool kin_scene_has_functions(const kin_scene* scene, const char** path);
/* What param() declared, for help and the viewer. */
typedef struct kin_scene_param {
    const char* name;
    const char* doc;
    const kin_node* value;
    const kin_node* preset;
} kin_scene_param;
const kin_scene_param* kin_scene_params(const kin_scene* scene, size_t* count);
/* `kinema check`: builds a world, runs three steps straight and restored, and names a hook that remembers outside world.state. */
kin_result kin_scene_check(const char* path, const kin_scene_options* options, kin_error* error);
uint64_t kin_scene_seed(const kin_scene* scene);

/* The root table of all scenes: top-level keys. */
extern const kin_param kin_scene_top_params[];
/* Generated from the parameter tables. Text grows through the allocator. */
typedef struct kin_text {
    kin_allocator allocator;
    char* data;
    size_t length, capacity;
} kin_text;
kin_result kin_schema_write(kin_text* out); /* JSON Schema of a scene */
kin_result kin_help_write(const char* topic, kin_text* out,
                          kin_error* error);  /* particles, drag, collider, material, scene, ...: unknown ones name the nearest */
kin_result kin_handbook_write(kin_text* out); /* docs/scene.md */
const char* const* kin_help_topics(void);     /* NULL-terminated */
