/* manifest.h - manifest.json: what a run is of, and how far it got. */
#pragma once
#include "base/tree.h"

typedef struct kin_manifest {
    kin_tree tree;       /* owns scene, sets and the strings */
    const char* version; /* of kinema */
    const char* scene_path;
    const kin_node* scene;
    const kin_node* sets;  /* a list of {key, value} */
    const kin_node* files; /* a table: name of a file of the scene, hash of what is in it */
    uint64_t scene_hash, seed;
    double fps;
    uint64_t frames;  /* wanted, after frame 0 */
    uint64_t written; /* frames 0 .. written - 1 are in frames/ */
    bool done;
    uint64_t state_hash; /* of the world when last saved */
} kin_manifest;

kin_result kin_manifest_write(const kin_manifest* manifest, const kin_allocator* allocator, const char* path, kin_error* error);
kin_result kin_manifest_read(const kin_allocator* allocator, const char* path, kin_manifest* out, kin_error* error);
/* Is it a manifest of kinema at all, of whatever version: text that says so, even if the rest is missing. */
kin_result kin_manifest_recognise(const kin_allocator* allocator, const char* path, bool* ours, kin_error* error);
void kin_manifest_free(kin_manifest* manifest);
/* The same for the files of a scene alone: those that both know. what: "cannot resume". */
kin_result kin_manifest_compare_files(const kin_node* was, const kin_node* is, const char* what, const char* where, kin_error* error);
/* KIN_ERROR_MISMATCH, naming the first difference, unless both are of the same run. Frames wanted may differ. */
kin_result kin_manifest_compare(const kin_manifest* was, const kin_manifest* is, const kin_allocator* allocator, const char* where, kin_error* error);
