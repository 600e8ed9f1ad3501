/* set.c - live parameters by the path they have in a scene: gravity, fields[i].x, systems[i].x (or systems.name.x). */
#include "base/error.h"
#include "world/groups.h"
#include "world/world.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where a path leads. */
typedef struct target {
    const kin_param* param;
    void* def;
    const kin_system_slot* system; /* told when it changed; NULL: a field or the world */
} target;

static const kin_param world_params[] = {
    {.name = "gravity",
     .type = KIN_PARAM_VECTOR,
     .unit = "m/s^2",
     .doc = "Acceleration of everything that falls.",
     .preset = {0, -9.81, 0},
     .flags = KIN_PARAM_LIVE},
    {0},
};

/* "systems[2].rest" with prefix "systems": index 2, *rest "rest". */
static bool indexed(const char* path, const char* prefix, size_t* index, const char** rest)
{
    size_t n = strlen(prefix);
    if (strncmp(path, prefix, n) != 0 || path[n] != '[' || path[n + 1] < '0' || path[n + 1] > '9') return false;
    char* end;
    *index = strtoul(path + n + 1, &end, 10);
    if (end[0] != ']' || end[1] != '.') return false;
    *rest = end + 2;
    return true;
}

static kin_result find_row(const kin_param* params, const char* name, const char* path, target* out, kin_error* error)
{
    out->param = kin_params_find(params, name);
    if (out->param == NULL) return kin_fail(error, KIN_ERROR_ARGUMENT, path, "there is no parameter \"%s\"", name);
    if (!(out->param->flags & KIN_PARAM_LIVE)) return kin_fail(error, KIN_ERROR_ARGUMENT, path, "cannot change while the world runs");
    return KIN_OK;
}

static kin_result resolve(kin_world* world, const char* path, target* out, kin_error* error)
{
    size_t index;
    const char* rest;
    *out = (target){0};
    if (indexed(path, "systems", &index, &rest)) {
        if (index >= world->system_count) return kin_fail(error, KIN_ERROR_ARGUMENT, path, "there are %zu systems", world->system_count);
        out->system = &world->systems[index];
        out->def = out->system->ops->def(out->system->self);
        return find_row(out->system->ops->params, rest, path, out, error);
    }
    if (indexed(path, "fields", &index, &rest)) {
        if (index >= world->fields.count) return kin_fail(error, KIN_ERROR_ARGUMENT, path, "there are %zu fields", world->fields.count);
        out->def = world->fields.items[index].def;
        return find_row(world->fields.items[index].ops->params, rest, path, out, error);
    }
    if (strcmp(path, "gravity") == 0) {
        out->def = &world->fields.gravity;
        return find_row(world_params, path, path, out, error);
    }
    return kin_fail(error, KIN_ERROR_ARGUMENT, path, "not a parameter of a running world: gravity, fields[i].name or systems[i].name");
}

kin_result kin_world_check_set(kin_world* world, const char* path, const kin_node* value, kin_error* error)
{
    target t;
    unsigned char copy[512]; /* the row is read into a scratch of its own, so that a bad value changes nothing */
    kin_result result = resolve(world, path, &t, error);
    if (result != KIN_OK) return result;
    kin_param row = *t.param;
    row.offset = 0;
    return kin_param_read(&row, value, path, &(kin_param_context){.materials = &world->materials}, copy, error);
}

kin_result kin_world_set(kin_world* world, const char* path, const kin_node* value, kin_error* error)
{
    target t;
    kin_result result = resolve(world, path, &t, error);
    if (result != KIN_OK) return result;
    result = kin_param_read(t.param, value, path, &(kin_param_context){.materials = &world->materials}, t.def, error);
    if (result == KIN_OK && t.system == NULL) kin_groups_wake_all(world); /* gravity, a field */
    if (result == KIN_OK && t.system != NULL && t.system->ops->changed != NULL) t.system->ops->changed(t.system->self, t.param);
    return result;
}
