/* lua_string.c - string for scripts: Lua's own where it is bounded, ours where it could loop, show an address or return a million values. */
#include "scene/script.h"
#include <string.h>

static int string_rep(lua_State* L)
{
    size_t length, gap;
    const char* text = luaL_checklstring(L, 1, &length);
    lua_Integer count = luaL_checkinteger(L, 2);
    const char* between = luaL_optlstring(L, 3, "", &gap);
    if (count <= 0 || length + gap == 0) return lua_pushliteral(L, ""), 1;
    if ((uint64_t)count > (KIN_SCRIPT_LONGEST_TEXT + gap) / (length + gap)) {
        return luaL_error(L, "the text would be longer than %d bytes", KIN_SCRIPT_LONGEST_TEXT);
    }
    kin_script_charge(L, (size_t)count);
    luaL_Buffer buffer;
    luaL_buffinit(L, &buffer);
    for (lua_Integer i = 0; i < count; ++i) {
        if (i > 0) luaL_addlstring(&buffer, between, gap);
        luaL_addlstring(&buffer, text, length);
    }
    luaL_pushresult(&buffer);
    return 1;
}

static size_t from_end(lua_Integer position, size_t length)
{
    if (position >= 0) return (size_t)position;
    return (uint64_t)0 - (uint64_t)position > length ? 0 : length + 1 - ((uint64_t)0 - (uint64_t)position);
}

static int string_byte(lua_State* L)
{
    size_t length;
    const char* text = luaL_checklstring(L, 1, &length);
    lua_Integer first = luaL_optinteger(L, 2, 1);
    size_t begin = from_end(first, length);
    size_t end = from_end(luaL_optinteger(L, 3, (lua_Integer)begin), length);
    if (begin < 1) begin = 1;
    if (end > length) end = length;
    if (begin > end) return 0;
    size_t count = end - begin + 1;
    if (count > KIN_SCRIPT_MOST_VALUES) return luaL_error(L, "string.byte gives at most %d values", KIN_SCRIPT_MOST_VALUES);
    luaL_checkstack(L, (int)count, "too many results");
    for (size_t i = 0; i < count; ++i) lua_pushinteger(L, (unsigned char)text[begin - 1 + i]);
    return (int)count;
}

/* Lua's own format (the upvalue) does the work; before it, what %s would show as an address becomes text, and %p is refused. */
static int string_format(lua_State* L)
{
    size_t length;
    const char* format = luaL_checklstring(L, 1, &length);
    const char* end = format + length;
    int argument = 1;
    for (const char* at = format; at < end; ++at) {
        if (*at != '%') continue;
        at += 1 + strspn(at + 1, "-+ #0123456789.");
        if (at >= end || *at == '%') continue;
        argument += 1;
        if (*at == 'p') return luaL_error(L, "%%p shows an address, which differs from run to run");
        if (*at != 's' || lua_isnone(L, argument)) continue;
        kin_lua_text(L, argument, NULL);
        lua_replace(L, argument);
    }
    kin_script_charge(L, length + 40 * (size_t)argument); /* %99.99f writes 400 characters */
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, 1);
    return 1;
}

/* All texts share one metatable: s:upper(). It is closed, and "1" + 1 is an error, as a long text would be read again in every instruction. */
static void replace_metatable(lua_State* L)
{
    lua_pushliteral(L, "");
    lua_createtable(L, 0, 2);
    lua_pushvalue(L, -3);
    lua_setfield(L, -2, "__index");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
}

void kin_lua_open_string(lua_State* L)
{
    static const char* const kept[] = {"char", "len", "lower", "reverse", "sub", "upper"};
    static const luaL_Reg own[] = {{"rep", string_rep}, {"byte", string_byte}, {NULL, NULL}};
    luaL_requiref(L, LUA_STRLIBNAME, luaopen_string, 0);
    luaL_newlib(L, own);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; ++i) {
        lua_getfield(L, -2, kept[i]);
        lua_setfield(L, -2, kept[i]);
    }
    lua_getfield(L, -2, "format");
    lua_pushcclosure(L, string_format, 1);
    lua_setfield(L, -2, "format");
    kin_lua_open_match(L);
    replace_metatable(L);
    lua_setglobal(L, LUA_STRLIBNAME);
    lua_pop(L, 1);
}
