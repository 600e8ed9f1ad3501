/* law.c - force laws in Lua: found in the scene, called for batches of points, stopped when they fail. */
#include "scene/law.h"
#include "base/alloc.h"
#include "base/error.h"
#include "math/scalar.h"
#include "scene/scene_inside.h"
#include "world/world.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct kin_lua_law {
    kin_scene* scene;
    kin_world* world; /* told when the law fails */
    int function;     /* registry reference */
    uint32_t field;
    kin_allocator allocator;
};

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER; /* a law is pure: the order of batches does not matter */

bool kin_law_number(const kin_node* law, size_t* number)
{
    char rest;
    return law != NULL && law->type == KIN_NODE_STRING && sscanf(law->string, "function %zu%c", number, &rest) == 1;
}

static void law_destroy(void* self)
{
    kin_lua_law* law = self;
    kin_allocator allocator = law->allocator;
    kin_scene_unuse(law->scene);
    kin_free(&allocator, law, sizeof *law);
}

kin_result kin_lua_law_create(kin_scene* scene, const kin_node* field, uint32_t index, kin_world* world, kin_lua_law** out, kin_error* error)
{
    size_t number;
    char where[40];
    snprintf(where, sizeof where, "fields[%u].law", index);
    if (scene->script == NULL || !kin_law_number(kin_node_get(field, "law"), &number) || number >= scene->script->law_count)
        return kin_fail(error, KIN_ERROR_ARGUMENT, where, "must be a function of a Lua scene; JSON and recordings cannot hold one");
    kin_lua_law* law = kin_alloc_zero(&scene->allocator, sizeof *law);
    if (law == NULL) return kin_fail_memory(error, "a law", sizeof *law);
    *law = (kin_lua_law){scene, world, scene->script->laws[number], index, scene->allocator};
    scene->users += 1;
    kin_result result = kin_world_keep(world, law, law_destroy, error);
    if (result != KIN_OK) {
        law_destroy(law);
        return result;
    }
    *out = law;
    return KIN_OK;
}

/* ---- calling it ---- */

typedef struct call {
    const kin_lua_law* law;
    const kin_law_points* points;
} call;

static double component(lua_State* L, int index)
{
    static const char* const names[3] = {"ax", "ay", "az"};
    double value = lua_tonumber(L, index);
    if (lua_type(L, index) != LUA_TNUMBER) luaL_error(L, "a law must return ax, ay, az: %s is %s", names[index + 3], luaL_typename(L, index));
    if (!kin_finite(value)) luaL_error(L, "a law must return finite numbers: %s is %f", names[index + 3], value);
    return value;
}

static int run_law(lua_State* L)
{
    const call* c = lua_touserdata(L, 1);
    const kin_law_points* p = c->points;
    luaL_checkstack(L, 16, "a law");
    for (int i = 0; i < p->count; ++i) {
        lua_rawgeti(L, LUA_REGISTRYINDEX, c->law->function);
        const double place[6] = {p->x[i], p->y[i], p->z[i], p->vx[i], p->vy[i], p->vz[i]};
        for (int k = 0; k < 6; ++k) lua_pushnumber(L, place[k]);
        lua_pushnumber(L, p->time);
        lua_pushnumber(L, 1 / p->inv_mass[i]);
        lua_pushnumber(L, p->age != NULL ? p->age[i] : 0);
        lua_call(L, 9, 3);
        p->ax[i] += component(L, -3);
        p->ay[i] += component(L, -2);
        p->az[i] += component(L, -1);
        lua_pop(L, 3);
    }
    return 0;
}

static void report(const kin_lua_law* law, kin_error* error)
{
    char where[sizeof error->where];
    snprintf(where, sizeof where, "fields[%u].law", law->field);
    if (error->where[0] != 0) snprintf(where, sizeof where, "%.400s: fields[%u].law", error->where, law->field);
    snprintf(error->where, sizeof error->where, "%s", where);
    kin_world_trouble(law->world, error);
}

void kin_lua_law_evaluate(void* context, const kin_law_points* points)
{
    const kin_lua_law* law = context;
    kin_error error = {0};
    pthread_mutex_lock(&one_at_a_time);
    kin_script* script = law->scene->script;
    script->in_law = true;
    kin_result result = kin_script_run(script, run_law, &(call){law, points}, &error);
    script->in_law = false;
    if (result != KIN_OK) report(law, &error);
    pthread_mutex_unlock(&one_at_a_time);
}
