/* sources.c - the files of a scene: read once, kept, found again when something in them is wrong. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "io/file.h"
#include "io/json.h"
#include "scene/scene_inside.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_A_NODE = 160 }; /* with its place in a list and its share of names */

const char* kin_scene_file(const kin_scene* scene) { return scene->file; }

const char* kin_scene_file_of_chunk(const kin_scene* scene, const char* chunk)
{
    bool cut = strncmp(chunk, "...", 3) == 0;
    size_t length = strlen(chunk) - (cut ? 3 : 0);
    for (size_t i = 0; cut && i < scene->source_count; ++i) {
        const char* file = scene->sources[i].file;
        size_t whole = strlen(file);
        if (whole >= length && strcmp(file + whole - length, chunk + 3) == 0) return file;
    }
    return chunk;
}

const char* kin_scene_keep(kin_scene* scene, const char* text)
{
    size_t size = strlen(text) + 1;
    char* copy = kin_arena_take(&scene->arena, size);
    if (copy != NULL) memcpy(copy, text, size);
    return copy;
}

size_t kin_scene_node_limit(void)
{
    size_t room = kin_memory_available() / BYTES_A_NODE;
    return room < KIN_SCENE_MOST_NODES ? room : KIN_SCENE_MOST_NODES;
}

/* ---- reading ---- */

static const char* extension_of(const char* path)
{
    const char* dot = strrchr(path, '.');
    return dot != NULL && strchr(dot, '/') == NULL ? dot : "";
}

/* The folder of the file that is being evaluated, and the name in it. */
static kin_result path_from_here(const kin_scene* scene, const char* name, char* path, size_t size, kin_error* error)
{
    bool included = scene->chain_length > 0;
    if (included && name[0] == '/')
        return kin_fail(error, KIN_ERROR_ARGUMENT, scene->file, "include \"%s\": name it relative to the scene, not from the root", name);
    const char* from = included ? scene->sources[scene->chain[scene->chain_length - 1]].file : "";
    const char* slash = strrchr(from, '/');
    int written = snprintf(path, size, "%.*s%s", slash != NULL ? (int)(slash - from + 1) : 0, from, name);
    return written < (int)size ? KIN_OK : kin_fail(error, KIN_ERROR_ARGUMENT, scene->file, "the path of \"%.60s\" is too long", name);
}

static kin_result check_chain(const kin_scene* scene, const char* path, const char* real, kin_error* error)
{
    for (int i = 0; i < scene->chain_length; ++i) {
        if (strcmp(scene->sources[scene->chain[i]].real, real) != 0) continue;
        return kin_fail(error, KIN_ERROR_ARGUMENT, scene->sources[scene->chain[scene->chain_length - 1]].file, "includes \"%s\", which includes it: a cycle",
                        path);
    }
    if (scene->chain_length < KIN_SCENE_DEEPEST_INCLUDE) return KIN_OK;
    return kin_fail(error, KIN_ERROR_LIMIT, path, "included more than %d files deep", KIN_SCENE_DEEPEST_INCLUDE);
}

static bool find_source(const kin_scene* scene, const char* real, size_t* number)
{
    for (size_t i = 0; i < scene->source_count; ++i) {
        *number = i;
        if (strcmp(scene->sources[i].real, real) == 0) return true;
    }
    return false;
}

static kin_result read_source(kin_scene* scene, const char* path, const char* real, size_t* number, kin_error* error)
{
    kin_source source = {.json = strcmp(extension_of(path), ".json") == 0};
    if (!kin_reserve(&scene->allocator, (void**)&scene->sources, &scene->source_capacity, scene->source_count + 1, sizeof *scene->sources)) {
        return kin_fail_memory(error, path, sizeof *scene->sources);
    }
    source.file = kin_scene_keep(scene, path);
    source.real = kin_scene_keep(scene, real);
    if (source.file == NULL || source.real == NULL) return kin_fail_memory(error, path, strlen(path));
    kin_result result = kin_file_read(&scene->allocator, path, scene->options.max_bytes, &source.text, &source.size, error);
    if (result != KIN_OK) return result;
    *number = scene->source_count++;
    scene->sources[*number] = source;
    return KIN_OK;
}

kin_result kin_scene_enter(kin_scene* scene, const char* name, size_t* number, kin_error* error)
{
    char path[PATH_MAX], real[PATH_MAX];
    kin_result result = path_from_here(scene, name, path, sizeof path, error);
    if (result != KIN_OK) return result;
    const char* extension = extension_of(path);
    if (strcmp(extension, ".lua") != 0 && strcmp(extension, ".json") != 0) return kin_fail(error, KIN_ERROR_ARGUMENT, path, "a scene is a .lua or .json file");
    if (realpath(path, real) == NULL) snprintf(real, sizeof real, "%s", path); /* it is not there: reading it will say so */
    result = check_chain(scene, path, real, error);
    if (result == KIN_OK && !find_source(scene, real, number)) result = read_source(scene, path, real, number, error);
    if (result == KIN_OK) scene->chain[scene->chain_length++] = *number;
    return result;
}

void kin_scene_leave(kin_scene* scene) { scene->chain_length -= 1; }

void kin_scene_free_sources(kin_scene* scene)
{
    for (size_t i = 0; i < scene->source_count; ++i) kin_free(&scene->allocator, scene->sources[i].text, scene->sources[i].size + 1);
    kin_free(&scene->allocator, scene->sources, scene->source_capacity * sizeof *scene->sources);
}

kin_result kin_scene_read_json(kin_scene* scene, size_t number, kin_node** out, kin_error* error)
{
    const kin_source* source = &scene->sources[number];
    kin_json_limits limits = {scene->options.max_bytes, scene->options.max_depth, kin_scene_node_limit()};
    kin_result result = kin_json_read(&scene->tree, source->text, source->size, source->file, &limits, error);
    *out = result == KIN_OK ? scene->tree.root : NULL;
    scene->tree.root = NULL;
    return result;
}

/* ---- places ---- */

/* Which file a path is about, and the path in it: systems[5] of the whole may be systems[2] of an included scene. */
static const kin_source* source_of(const kin_scene* scene, const char* path, char* local, size_t size)
{
    snprintf(local, size, "%s", path);
    for (size_t i = 0; i < scene->origin_count; ++i) {
        const kin_origin* origin = &scene->origins[i];
        size_t length = strlen(origin->key);
        if (strncmp(path, origin->key, length) != 0 || path[length] != '[') continue;
        char* end;
        unsigned long index = strtoul(path + length + 1, &end, 10);
        if (index < origin->begin || index - origin->begin >= origin->count) continue;
        snprintf(local, size, "%s[%lu%s", origin->key, index - origin->begin, end);
        return &scene->sources[origin->source];
    }
    return scene->source_count > 0 ? &scene->sources[0] : NULL;
}

/* The place itself or, when it is not in the text (a missing key, one that --set made), of what should hold it. */
static bool locate(const kin_source* source, const char* path, int* line, int* column)
{
    char part[512];
    snprintf(part, sizeof part, "%s", path);
    for (;;) {
        if (kin_json_locate(source->text, source->size, part, line, column)) return true;
        if (part[0] == 0) return false;
        char *dot = strrchr(part, '.'), *bracket = strrchr(part, '[');
        char* cut = dot > bracket ? dot : bracket;
        *(cut != NULL ? cut : part) = 0;
    }
}

kin_result kin_scene_at_file(const kin_scene* scene, kin_result result, kin_error* error)
{
    if (result == KIN_OK || error == NULL) return result;
    char local[512], where[512] = "";
    const kin_source* source = source_of(scene, error->where, local, sizeof local);
    kin_text_append(where, sizeof where, "%s", source != NULL ? source->file : scene->file);
    int line, column;
    if (source != NULL && source->json && locate(source, local, &line, &column)) kin_text_append(where, sizeof where, ":%d:%d", line, column);
    kin_text_append(where, sizeof where, "%s%s", local[0] != 0 ? ": " : "", local);
    snprintf(error->where, sizeof error->where, "%s", where);
    return result;
}
