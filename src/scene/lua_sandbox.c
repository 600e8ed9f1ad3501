/* lua_sandbox.c - opening a VM, its limits, and running something in it. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "scene/scene_inside.h"
#include "scene/script.h"
#include <locale.h>
#include <stdio.h>
#include <string.h>

enum {
    HOOK_INTERVAL = 1000,    /* instructions */
    BIG_BLOCK = 1024,        /* bytes: smaller ones are paid for by the instruction that makes them */
    BYTES_A_STEP = 64,       /* of a big block */
    FIRST_COLLECT = 1 << 18, /* bytes */
    SLACK = 8,               /* 1 / SLACK of the memory, beyond it, until the hook has collected */
    LONGEST_NUMBER = 400,    /* characters that can be a number */
    LONGEST_LOG = 1 << 20,
    LONGEST_CHAIN = 2000, /* tables that one access may go through by __index: Lua's own limit */
    TABLES_A_STEP = 20,   /* of such a chain */
};

static const char metatables_seen = 0; /* its address is the key of a weak table in the registry */

/* ---- memory ---- */

/* Refused memory makes Lua collect garbage at once, whatever is weak: the script is stopped at the next instruction. */
static bool may_grow(kin_script* script, bool text, size_t old_size, size_t size)
{
    size_t room = script->max_memory + script->max_memory / SLACK;
    if (text && size > KIN_SCRIPT_LONGEST_TEXT + 64) { /* 64: Lua's own header */
        script->refusal = KIN_REFUSED_TEXT;
        return false;
    }
    if (size > room || script->memory - old_size > room - size) {
        script->refusal = KIN_REFUSED_LIMIT;
        return false;
    }
    return true;
}

/* Spent budgets are noticed at the next instruction: raising here would be too early for Lua. */
static void charge_quietly(kin_script* script, size_t steps) { script->left -= (int64_t)steps; }

static void* script_allocate(void* context, void* block, size_t old_size, size_t size)
{
    kin_script* script = context;
    bool text = block == NULL && old_size == LUA_TSTRING; /* for new blocks Lua says what they will hold */
    if (block == NULL) old_size = 0;
    void* grown = NULL;
    if (size > 0) {
        if (!may_grow(script, text, old_size, size)) {
            charge_quietly(script, script->memory / BYTES_A_STEP); /* Lua now walks all it has to find garbage */
            return NULL;
        }
        if (size >= BIG_BLOCK) charge_quietly(script, size / BYTES_A_STEP);
        grown = script->allocator.allocate(script->allocator.context, size, 16);
        if (grown == NULL) {
            script->refusal = KIN_REFUSED_SYSTEM;
            return NULL;
        }
        if (block != NULL) memcpy(grown, block, old_size < size ? old_size : size);
    }
    if (block != NULL) script->allocator.release(script->allocator.context, block, old_size);
    script->memory += size - old_size;
    return grown;
}

/* ---- the budget ---- */

static void on_count(lua_State* L, lua_Debug* activation);

static void arm(kin_script* script, int count)
{
    script->count = count;
    lua_sethook(script->lua, on_count, LUA_MASKCOUNT, count);
}

static void remember_where(lua_State* L, char* where, size_t size)
{
    lua_Debug frame;
    for (int level = 0; lua_getstack(L, level, &frame) != 0; ++level) {
        lua_getinfo(L, "Sl", &frame);
        if (frame.currentline <= 0) continue;
        snprintf(where, size, "%s:%d", kin_scene_file_of_chunk(kin_script_of(L)->scene, frame.short_src), frame.currentline);
        return;
    }
}

void kin_script_halt(lua_State* L, kin_script_stop why)
{
    kin_script* script = kin_script_of(L);
    if (script->stop == KIN_SCRIPT_GOES) {
        script->stop = why;
        remember_where(L, script->stop_where, sizeof script->stop_where);
    }
    arm(script, 1); /* from now on every instruction ends here, inside pcall too */
    luaL_error(L, "the script was stopped");
}

void kin_script_starve(lua_State* L)
{
    kin_script_of(L)->starved = true;
    luaL_error(L, "out of memory");
}

/* A metatable may have got its __mode after it was set. */
static bool has_weak_table(lua_State* L)
{
    bool weak = false;
    luaL_checkstack(L, 5, NULL);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &metatables_seen);
    for (lua_pushnil(L); !weak && lua_next(L, -2) != 0;) {
        lua_pop(L, 1);
        lua_pushliteral(L, "__mode");
        weak = lua_rawget(L, -2) != LUA_TNIL;
        lua_pop(L, 1);
    }
    lua_pop(L, weak ? 2 : 1);
    return weak;
}

static void collect(lua_State* L)
{
    kin_script* script = kin_script_of(L);
    if (has_weak_table(L)) kin_script_halt(L, KIN_SCRIPT_WEAK);
    lua_gc(L, LUA_GCCOLLECT);
    if (script->memory > script->max_memory) {
        script->refusal = KIN_REFUSED_LIMIT;
        kin_script_halt(L, KIN_SCRIPT_MEMORY);
    }
    script->collect_at = script->memory < script->max_memory / 2 ? 2 * script->memory + FIRST_COLLECT : script->max_memory;
    if (script->collect_at > script->max_memory) script->collect_at = script->max_memory;
}

static void on_count(lua_State* L, lua_Debug* activation)
{
    kin_script* script = kin_script_of(L);
    if (script->refusal != KIN_REFUSED_NOTHING) kin_script_halt(L, KIN_SCRIPT_MEMORY);
    if (script->memory > script->collect_at) collect(L);
    int chain = script->metatables < LONGEST_CHAIN ? script->metatables : LONGEST_CHAIN;
    script->left -= script->count * (1 + chain / TABLES_A_STEP); /* what one instruction may have to walk */
    if (script->left < 0) kin_script_halt(L, KIN_SCRIPT_INSTRUCTIONS);
    /* A call with a million arguments copies them all in one instruction. */
    if (lua_getlocal(L, activation, -KIN_SCRIPT_MOST_VALUES - 1) != NULL) kin_script_halt(L, KIN_SCRIPT_ARGUMENTS);
}

/* ---- running ---- */

static kin_result out_of_memory(kin_script* script, kin_error* error);

static kin_result stopped(kin_script* script, kin_error* error)
{
    if (script->stop == KIN_SCRIPT_MEMORY) return out_of_memory(script, error);
    if (script->stop == KIN_SCRIPT_WEAK) {
        const char* where = script->stop_where[0] != 0 ? script->stop_where : kin_scene_file(script->scene);
        return kin_fail(error, KIN_ERROR_SYNTAX, where, "a metatable cannot have __mode here");
    }
    if (script->stop == KIN_SCRIPT_ARGUMENTS) {
        return kin_fail(error, KIN_ERROR_LIMIT, script->stop_where, "a call has more than %d arguments", KIN_SCRIPT_MOST_VALUES);
    }
    return kin_fail(error, KIN_ERROR_LIMIT, script->stop_where, "the script was stopped after %llu instructions; is there an endless loop?",
                    (unsigned long long)script->max_instructions);
}

static kin_result out_of_memory(kin_script* script, kin_error* error)
{
    const char* where = kin_scene_file(script->scene);
    switch (script->refusal) {
    case KIN_REFUSED_TEXT: return kin_fail(error, KIN_ERROR_LIMIT, where, "the script made a text longer than %d bytes", KIN_SCRIPT_LONGEST_TEXT);
    case KIN_REFUSED_LIMIT: return kin_fail(error, KIN_ERROR_LIMIT, where, "the script needs more than its %zu MiB of memory", script->max_memory >> 20);
    default: return kin_fail(error, KIN_ERROR_MEMORY, where, "out of memory while the script ran");
    }
}

/* "chunk:line: message" becomes where and message; a syntax error of ours may have a column too. */
static kin_result failed(kin_script* script, const char* text, kin_error* error)
{
    const char* colon = strstr(text, ": ");
    char chunk[256] = "";
    int line = 0, column = 0;
    size_t length = colon != NULL ? (size_t)(colon - text) : 0;
    if (length > 0 && length < sizeof chunk) {
        memcpy(chunk, text, length);
        chunk[length] = 0;
        char* number = strrchr(chunk, ':');
        if (number != NULL && sscanf(number, ":%d", &line) == 1) {
            *number = 0;
            char* before = strrchr(chunk, ':');
            int outer;
            char rest;
            if (before != NULL && sscanf(before, ":%d%c", &outer, &rest) == 1) {
                *before = 0;
                column = line;
                line = outer;
            }
        }
    }
    if (line <= 0) return kin_fail(error, KIN_ERROR_SYNTAX, kin_scene_file(script->scene), "%s", text);
    char where[512];
    snprintf(where, sizeof where, "%s:%d", kin_scene_file_of_chunk(script->scene, chunk), line);
    if (column > 0) kin_text_append(where, sizeof where, ":%d", column);
    return kin_fail(error, KIN_ERROR_SYNTAX, where, "%s", colon + 2);
}

static kin_result explain(kin_script* script, int status, kin_error* error)
{
    lua_State* L = script->lua;
    if (script->stop != KIN_SCRIPT_GOES) return stopped(script, error);
    if (status == LUA_OK) return KIN_OK;
    if (script->starved) script->refusal = KIN_REFUSED_SYSTEM;
    if (status == LUA_ERRMEM || script->starved) return out_of_memory(script, error);
    if (lua_type(L, -1) == LUA_TSTRING) return failed(script, lua_tostring(L, -1), error); /* of a text: allocates nothing */
    return kin_fail(error, KIN_ERROR_SYNTAX, kin_scene_file(script->scene), "the script failed with %s for a message", luaL_typename(L, -1));
}

/* Short runs end before the hook is called, so their garbage is looked at here. A metatable that is weak at the end is refused, whether it was collected or not. */
static int run_and_look(lua_State* L)
{
    kin_script* script = kin_script_of(L);
    lua_CFunction body = lua_tocfunction(L, 1);
    void* argument = lua_touserdata(L, 2);
    if (script->memory > script->collect_at) collect(L);
    lua_settop(L, 0);
    lua_pushcfunction(L, body);
    lua_pushlightuserdata(L, argument);
    lua_call(L, 1, 0);
    if (has_weak_table(L)) kin_script_halt(L, KIN_SCRIPT_WEAK);
    return 0;
}

kin_result kin_script_run(kin_script* script, lua_CFunction body, void* argument, kin_error* error)
{
    lua_State* L = script->lua;
    locale_t plain = newlocale(LC_ALL_MASK, "C", NULL); /* numbers, comparisons and classes of characters as in C, whatever the host set */
    if (plain == NULL) return kin_fail_memory(error, "a locale", 1);
    locale_t before = uselocale(plain);
    script->left = script->max_instructions < INT64_MAX ? (int64_t)script->max_instructions : INT64_MAX;
    script->stop = KIN_SCRIPT_GOES;
    script->refusal = KIN_REFUSED_NOTHING;
    script->starved = false;
    script->stop_where[0] = 0;
    arm(script, HOOK_INTERVAL);
    lua_settop(L, 0);
    lua_pushcfunction(L, run_and_look); /* no push allocates */
    lua_pushcfunction(L, body);
    lua_pushlightuserdata(L, argument);
    int status = lua_pcall(L, 2, 0, 0);
    kin_result result = explain(script, status, error);
    lua_settop(L, 0);
    uselocale(before);
    freelocale(plain);
    return result;
}

/* ---- the base library ---- */

const char* kin_lua_text(lua_State* L, int index, size_t* length)
{
    if (luaL_callmeta(L, index, "__tostring") != 0) {
        if (lua_type(L, -1) != LUA_TSTRING) luaL_error(L, "'__tostring' must return a string");
        return lua_tolstring(L, -1, length);
    }
    switch (lua_type(L, index)) {
    case LUA_TNIL:
    case LUA_TBOOLEAN:
    case LUA_TNUMBER:
    case LUA_TSTRING: return luaL_tolstring(L, index, length);
    default: lua_pushstring(L, luaL_typename(L, index)); return lua_tolstring(L, -1, length);
    }
}

static int base_tostring(lua_State* L)
{
    luaL_checkany(L, 1);
    kin_lua_text(L, 1, NULL);
    return 1;
}

static void count_metatable(lua_State* L, int index)
{
    lua_rawgetp(L, LUA_REGISTRYINDEX, &metatables_seen);
    lua_pushvalue(L, index);
    if (lua_rawget(L, -2) == LUA_TNIL) {
        kin_script_of(L)->metatables += 1;
        lua_pushvalue(L, index);
        lua_pushboolean(L, 1);
        lua_rawset(L, -4);
    }
    lua_pop(L, 2);
}

static void open_metatable_count(lua_State* L)
{
    lua_newtable(L);
    lua_newtable(L);
    lua_pushliteral(L, "k");
    lua_setfield(L, -2, "__mode"); /* scripts cannot see it, so it shows nothing of when garbage is collected */
    lua_setmetatable(L, -2);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &metatables_seen);
}

/* A finalizer would run with the hook off; a weak table would show when garbage is collected. */
static int base_setmetatable(lua_State* L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    if (lua_type(L, 2) == LUA_TTABLE) {
        lua_pushliteral(L, "__gc");
        if (lua_rawget(L, 2) != LUA_TNIL) return luaL_error(L, "a metatable cannot have __gc here");
        lua_pushliteral(L, "__mode");
        if (lua_rawget(L, 2) != LUA_TNIL) return luaL_error(L, "a metatable cannot have __mode here");
        lua_settop(L, 2);
        count_metatable(L, 2);
    }
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, 1);
    return 1;
}

/* Lua calls the handler where the error is raised; raised by the hook, it would run with the hook off. Here it runs once the error is caught. */
static int base_xpcall(lua_State* L)
{
    luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_pushvalue(L, 1);
    lua_copy(L, 2, 1);
    lua_replace(L, 2); /* handler, function, arguments */
    if (lua_pcall(L, lua_gettop(L) - 2, LUA_MULTRET, 0) == LUA_OK) {
        lua_pushboolean(L, 1);
        lua_replace(L, 1);
        return lua_gettop(L);
    }
    lua_call(L, 1, LUA_MULTRET);
    lua_pushboolean(L, 0);
    lua_insert(L, 1);
    return lua_gettop(L);
}

/* Reading a long text as a number is one instruction: only what can be one is read. */
static int base_tonumber(lua_State* L)
{
    if (lua_type(L, 1) == LUA_TSTRING && lua_rawlen(L, 1) > LONGEST_NUMBER) return luaL_pushfail(L), 1;
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, 1);
    return 1;
}

static int base_print(lua_State* L)
{
    int count = lua_gettop(L);
    for (int i = 1; i <= count; ++i) {
        size_t length;
        const char* text = kin_lua_text(L, i, &length);
        if (i > 1) kin_script_print(kin_script_of(L), "\t", 1);
        kin_script_charge(L, length);
        kin_script_print(kin_script_of(L), text, length);
        lua_pop(L, 1);
    }
    kin_script_print(kin_script_of(L), "\n", 1);
    return 0;
}

void kin_script_print(kin_script* script, const char* text, size_t length)
{
    if (script->log_length + length > LONGEST_LOG) return;
    if (!kin_reserve(&script->allocator, (void**)&script->log, &script->log_capacity, script->log_length + length + 1, 1)) return;
    memcpy(script->log + script->log_length, text, length);
    script->log_length += length;
    script->log[script->log_length] = 0;
}

void kin_script_tell(const kin_script* script, const kin_log* log)
{
    const char* at = script->log_length > 0 ? script->log : "";
    while (*at != 0) {
        size_t length = strcspn(at, "\n");
        kin_log_text(log, KIN_LOG_INFO, "%.*s", (int)length, at);
        at += length + (at[length] == '\n');
    }
}

static void wrap_global(lua_State* L, const char* name, lua_CFunction wrapper)
{
    lua_getglobal(L, name);
    lua_pushcclosure(L, wrapper, 1);
    lua_setglobal(L, name);
}

static int open_all(lua_State* L)
{
    open_metatable_count(L);
    static const char* const removed[] = {"collectgarbage", "dofile", "load", "loadfile", "warn"};
    luaL_requiref(L, LUA_GNAME, luaopen_base, 1);
    for (size_t i = 0; i < sizeof removed / sizeof *removed; ++i) {
        lua_pushnil(L);
        lua_setglobal(L, removed[i]);
    }
    wrap_global(L, "setmetatable", base_setmetatable);
    wrap_global(L, "tonumber", base_tonumber);
    lua_register(L, "xpcall", base_xpcall);
    lua_register(L, "tostring", base_tostring);
    lua_register(L, "print", base_print);
    lua_settop(L, 0);
    kin_lua_open_order(L);
    kin_lua_open_math(L);
    kin_lua_open_string(L);
    kin_lua_open_table(L);
    kin_lua_open_files(L);
    return 0;
}

kin_result kin_script_create(struct kin_scene* scene, const kin_allocator* allocator, uint64_t max_instructions, size_t max_memory, kin_script** out,
                             kin_error* error)
{
    *out = NULL;
    kin_script* script = kin_alloc_zero(allocator, sizeof *script);
    if (script == NULL) return kin_fail_memory(error, "a script", sizeof *script);
    script->allocator = *allocator;
    script->scene = scene;
    script->max_instructions = max_instructions;
    script->max_memory = max_memory;
    script->hook = LUA_NOREF;
    script->lua = lua_newstate(script_allocate, script);
    if (script->lua == NULL) {
        kin_script_destroy(script);
        return kin_fail_memory(error, "a script", 1 << 15);
    }
    *(kin_script**)lua_getextraspace(script->lua) = script;
    lua_gc(script->lua, LUA_GCSTOP);
    script->collect_at = FIRST_COLLECT < max_memory ? FIRST_COLLECT : max_memory;
    kin_result result = kin_script_run(script, open_all, NULL, error);
    if (result != KIN_OK) {
        kin_script_destroy(script);
        return result;
    }
    *out = script;
    return KIN_OK;
}

void kin_script_settle(kin_script* script)
{
    script->may_seed = false;
    script->metatables_read = script->metatables;
}

void kin_script_destroy(kin_script* script)
{
    if (script == NULL) return;
    kin_allocator allocator = script->allocator;
    if (script->lua != NULL) lua_close(script->lua);
    kin_free(&allocator, script->log, script->log_capacity);
    kin_free(&allocator, script->laws, script->law_capacity * sizeof *script->laws);
    kin_free(&allocator, script, sizeof *script);
}
