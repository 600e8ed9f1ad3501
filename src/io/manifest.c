/* manifest.c - a manifest to JSON and back, and whether a run may go on under another one. */
#include "io/manifest.h"
#include "base/alloc.h"
#include "base/error.h"
#include "io/file.h"
#include "io/hex.h"
#include "io/json.h"
#include "io/tree_diff.h"
#include <inttypes.h>
#include <string.h>

/* ---- writing ---- */

static kin_node* text(kin_tree* tree, const char* string) { return kin_node_string(tree, string, strlen(string)); }

static bool build(kin_tree* tree, const kin_manifest* m)
{
    kin_node* root = tree->root = kin_node_table(tree);
    return kin_node_set(tree, root, "kinema", text(tree, m->version)) && kin_node_set(tree, root, "scene_path", text(tree, m->scene_path))
           && kin_node_set(tree, root, "scene", (kin_node*)m->scene) && kin_node_set(tree, root, "sets", (kin_node*)m->sets)
           && kin_node_set(tree, root, "files", (kin_node*)m->files) && kin_node_set(tree, root, "scene_hash", kin_node_hex(tree, m->scene_hash))
           && kin_node_set(tree, root, "seed", kin_node_hex(tree, m->seed)) && kin_node_set(tree, root, "fps", kin_node_number(tree, m->fps))
           && kin_node_set(tree, root, "frames", kin_node_number(tree, (double)m->frames))
           && kin_node_set(tree, root, "written", kin_node_number(tree, (double)m->written)) && kin_node_set(tree, root, "done", kin_node_bool(tree, m->done))
           && kin_node_set(tree, root, "state_hash", kin_node_hex(tree, m->state_hash));
}

kin_result kin_manifest_write(const kin_manifest* manifest, const kin_allocator* allocator, const char* path, kin_error* error)
{
    kin_tree tree;
    kin_tree_init(&tree, allocator);
    char* json = NULL;
    size_t length = 0, capacity = 0;
    kin_result result;
    if (!build(&tree, manifest) || !kin_node_write(tree.root, 2, allocator, &json, &length, &capacity)) {
        result = kin_fail_memory(error, "the manifest", capacity);
    } else {
        json[length] = '\n'; /* in place of the terminator */
        result = kin_file_write(path, json, length + 1, error);
    }
    kin_free(allocator, json, capacity);
    kin_tree_term(&tree);
    return result;
}

/* ---- reading ---- */

static bool read_text(const kin_node* node, const char** out)
{
    if (node == NULL || node->type != KIN_NODE_STRING) return false;
    *out = node->string;
    return true;
}

static kin_result interpret(kin_manifest* m, const char* path, kin_error* error)
{
    const kin_node* root = m->tree.root;
    if (!read_text(kin_node_get(root, "kinema"), &m->version)) return kin_fail(error, KIN_ERROR_FORMAT, path, "this is no manifest of kinema");
    const kin_node* fps = kin_node_get(root, "fps");
    const kin_node* done = kin_node_get(root, "done");
    m->scene = kin_node_get(root, "scene");
    m->sets = kin_node_get(root, "sets");
    m->files = kin_node_get(root, "files");
    bool ok = read_text(kin_node_get(root, "scene_path"), &m->scene_path) && m->scene != NULL && m->sets != NULL && m->sets->type == KIN_NODE_LIST
              && m->files != NULL && m->files->type == KIN_NODE_TABLE && fps != NULL && fps->type == KIN_NODE_NUMBER && done != NULL
              && done->type == KIN_NODE_BOOL && kin_node_read_hex(kin_node_get(root, "scene_hash"), &m->scene_hash)
              && kin_node_read_hex(kin_node_get(root, "seed"), &m->seed) && kin_node_read_hex(kin_node_get(root, "state_hash"), &m->state_hash)
              && kin_node_read_count(kin_node_get(root, "frames"), &m->frames) && kin_node_read_count(kin_node_get(root, "written"), &m->written);
    if (!ok) return kin_fail(error, KIN_ERROR_FORMAT, path, "a value of the manifest is missing or of the wrong type");
    m->fps = fps->number;
    m->done = done->boolean;
    return KIN_OK;
}

static kin_result read_json(const kin_allocator* allocator, const char* path, kin_tree* tree, kin_error* error)
{
    char* json;
    size_t length;
    kin_result result = kin_file_read(allocator, path, kin_memory_available(), &json, &length, error);
    if (result != KIN_OK) return result;
    result = kin_json_read(tree, json, length, path, &(kin_json_limits){SIZE_MAX, 1000, SIZE_MAX}, error);
    kin_free(allocator, json, length + 1);
    return result;
}

kin_result kin_manifest_read(const kin_allocator* allocator, const char* path, kin_manifest* out, kin_error* error)
{
    *out = (kin_manifest){0};
    kin_tree_init(&out->tree, allocator);
    kin_result result = read_json(allocator, path, &out->tree, error);
    if (result == KIN_OK) result = interpret(out, path, error);
    if (result != KIN_OK) kin_manifest_free(out);
    return result;
}

kin_result kin_manifest_recognise(const kin_allocator* allocator, const char* path, bool* ours, kin_error* error)
{
    kin_tree tree;
    const char* version;
    kin_tree_init(&tree, allocator);
    kin_result result = read_json(allocator, path, &tree, error);
    *ours = result == KIN_OK && read_text(kin_node_get(tree.root, "kinema"), &version);
    kin_tree_term(&tree);
    return result == KIN_ERROR_MEMORY || result == KIN_ERROR_FILE ? result : KIN_OK;
}

void kin_manifest_free(kin_manifest* manifest)
{
    kin_tree_term(&manifest->tree);
    *manifest = (kin_manifest){0};
}

/* ---- comparing ---- */

/* Of several --set of one key the last counts. */
static const kin_node* value_of(const kin_node* sets, const kin_node* key)
{
    const kin_node* value = NULL;
    for (uint32_t i = 0; i < sets->count; ++i) {
        if (kin_node_equal(kin_node_get(sets->items[i], "key"), key)) value = kin_node_get(sets->items[i], "value");
    }
    return value;
}

static kin_result compare_set(const kin_node* was, const kin_node* is, const kin_node* key, const kin_allocator* allocator, const char* where, kin_error* error)
{
    const kin_node* a = value_of(was, key);
    const kin_node* b = value_of(is, key);
    if (key == NULL || key->type != KIN_NODE_STRING || kin_node_equal(a, b)) return KIN_OK;
    char before[80], now[80];
    kin_node_brief(a, allocator, before, sizeof before);
    kin_node_brief(b, allocator, now, sizeof now);
    return kin_fail(error, KIN_ERROR_MISMATCH, where, "cannot resume: --set %.100s was %s, is now %s", key->string, before, now);
}

/* Said before the scene's own changes, as it is their cause. */
static kin_result compare_sets(const kin_node* was, const kin_node* is, const kin_allocator* allocator, const char* where, kin_error* error)
{
    kin_result result = KIN_OK;
    for (uint32_t i = 0; i < was->count && result == KIN_OK; ++i) result = compare_set(was, is, kin_node_get(was->items[i], "key"), allocator, where, error);
    for (uint32_t i = 0; i < is->count && result == KIN_OK; ++i) result = compare_set(was, is, kin_node_get(is->items[i], "key"), allocator, where, error);
    return result;
}

kin_result kin_manifest_compare_files(const kin_node* was, const kin_node* is, const char* what, const char* where, kin_error* error)
{
    for (uint32_t i = 0; i < was->count; ++i) {
        const kin_node* now = kin_node_get(is, was->keys[i]);
        if (now == NULL) return kin_fail(error, KIN_ERROR_MISMATCH, where, "%s: %.200s was read then and cannot be read now", what, was->keys[i]);
        if (!kin_node_equal(now, was->items[i])) return kin_fail(error, KIN_ERROR_MISMATCH, where, "%s: %.200s has changed", what, was->keys[i]);
    }
    return KIN_OK;
}

kin_result kin_manifest_compare(const kin_manifest* was, const kin_manifest* is, const kin_allocator* allocator, const char* where, kin_error* error)
{
    if (strcmp(was->version, is->version) != 0) {
        return kin_fail(error, KIN_ERROR_MISMATCH, where, "cannot resume: kinema was %.40s, is now %.40s", was->version, is->version);
    }
    kin_result result = compare_sets(was->sets, is->sets, allocator, where, error);
    if (result != KIN_OK) return result;
    kin_tree_change change;
    if (kin_tree_differs(was->scene, is->scene, allocator, &change)) {
        return kin_fail(error, KIN_ERROR_MISMATCH, where, "cannot resume: %s was %s, is now %s", change.path[0] != 0 ? change.path : "the scene", change.was,
                        change.is);
    }
    if (was->seed != is->seed) {
        return kin_fail(error, KIN_ERROR_MISMATCH, where, "cannot resume: the seed was %" PRIu64 ", is now %" PRIu64, was->seed, is->seed);
    }
    if (was->fps != is->fps) return kin_fail(error, KIN_ERROR_MISMATCH, where, "cannot resume: fps was %g, is now %g", was->fps, is->fps);
    result = kin_manifest_compare_files(was->files, is->files, "cannot resume", where, error);
    if (result != KIN_OK) return result;
    if (was->scene_hash != is->scene_hash) return kin_fail(error, KIN_ERROR_MISMATCH, where, "cannot resume: the text of the scene's script changed");
    return KIN_OK;
}
