/* scene_test.h - scenes written into a folder of their own, loaded, and the folder removed. */
#pragma once
#include "support/test.h"
#include "kinema/kinema.h"
#include "scene/scene.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct scene_bench {
    char folder[64];
    kin_scene_options options;
    kin_scene* scene;
    kin_error error;
    char text[1100]; /* of the error, without the folder */
} scene_bench;

static inline void scene_begin(test* t, scene_bench* b)
{
    *b = (scene_bench){.options = kin_scene_options_default()};
    b->options.allocator = t->allocator;
    snprintf(b->folder, sizeof b->folder, "/tmp/kinema_scene_XXXXXX");
    CHECK(t, mkdtemp(b->folder) != NULL);
}

static inline void scene_remove(const char* folder)
{
    DIR* dir = opendir(folder);
    for (struct dirent* entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
        char path[512];
        snprintf(path, sizeof path, "%.200s/%.255s", folder, entry->d_name);
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (unlink(path) != 0) scene_remove(path);
    }
    if (dir != NULL) closedir(dir);
    rmdir(folder);
}

static inline void scene_close(scene_bench* b)
{
    kin_scene_free(b->scene);
    b->scene = NULL;
}

static inline void scene_end(scene_bench* b)
{
    scene_close(b);
    scene_remove(b->folder);
}

static inline const char* scene_path(const scene_bench* b, const char* name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", b->folder, name);
    return path;
}

static inline void scene_write(test* t, const scene_bench* b, const char* name, const char* text)
{
    char folder[512];
    snprintf(folder, sizeof folder, "%s", scene_path(b, name));
    *strrchr(folder, '/') = 0;
    mkdir(folder, 0777);
    FILE* file = fopen(scene_path(b, name), "w");
    CHECK(t, file != NULL && fwrite(text, 1, strlen(text), file) == strlen(text));
    if (file != NULL) fclose(file);
}

/* "FOLDER/a.lua:3: message" becomes "a.lua:3: message". */
static inline void scene_keep_error(scene_bench* b)
{
    char whole[1100], *at = whole, *found;
    kin_error_text(&b->error, whole, sizeof whole);
    b->text[0] = 0;
    while ((found = strstr(at, b->folder)) != NULL) {
        *found = 0;
        strcat(b->text, at);
        at = found + strlen(b->folder) + 1;
    }
    strcat(b->text, at);
}

static inline kin_result scene_load(scene_bench* b, const char* name)
{
    scene_close(b);
    b->error = (kin_error){0};
    char path[512];
    snprintf(path, sizeof path, "%s", scene_path(b, name));
    kin_result result = kin_scene_load(path, &b->options, &b->scene, &b->error);
    scene_keep_error(b);
    return result;
}

static inline kin_result scene_try(test* t, scene_bench* b, const char* name, const char* text)
{
    scene_write(t, b, name, text);
    return scene_load(b, name);
}

/* The scene is refused, and the whole error contains this. */
static inline void scene_refused(test* t, int line, scene_bench* b, const char* name, const char* text, kin_result code, const char* part)
{
    kin_result got = scene_try(t, b, name, text);
    test_check(t, got == code && strstr(b->text, part) != NULL, name, line, "%d \"%s\", not %d \"%s\"", got, b->text, code, part);
}
#define REFUSED(t, b, name, text, code, part) scene_refused(t, __LINE__, b, name, text, code, part)

static inline bool scene_loaded(test* t, int line, scene_bench* b, const char* name, const char* text)
{
    return test_check(t, scene_try(t, b, name, text) == KIN_OK, name, line, "not loaded: %s", b->text);
}
#define LOADED(t, b, name, text) scene_loaded(t, __LINE__, b, name, text)
