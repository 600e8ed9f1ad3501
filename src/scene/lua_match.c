/* lua_match.c - string.find, match, gmatch and gsub over our own matcher. */
#include "scene/lua_pattern.h"
#include <string.h>

/* Where a search begins, from 0; beyond the end when there is no such place. */
static size_t start_of(lua_State* L, int index, size_t length)
{
    lua_Integer init = luaL_optinteger(L, index, 1);
    if (init > 0) return (size_t)init - 1;
    if (init == 0) return 0;
    return (uint64_t)0 - (uint64_t)init > length ? 0 : length - ((uint64_t)0 - (uint64_t)init);
}

static int find_plain(lua_State* L, const char* text, size_t length, const char* part, size_t part_length, size_t start)
{
    kin_script_charge(L, length - start);
    const char* found = memmem(text + start, length - start, part, part_length);
    if (found == NULL) return luaL_pushfail(L), 1;
    lua_pushinteger(L, found - text + 1);
    lua_pushinteger(L, found - text + (lua_Integer)part_length);
    return 2;
}

/* Tries the pattern at start and, unless it is anchored, at every later place. */
static const char* search(kin_pattern* m, const char* start, bool anchored, const char** begin)
{
    for (const char* at = start; at <= m->text_end; ++at) {
        const char* end = kin_pattern_match(m, at);
        if (end != NULL) {
            *begin = at;
            return end;
        }
        if (anchored) break;
    }
    return NULL;
}

static int find_or_match(lua_State* L, bool find)
{
    size_t length, pattern_length;
    const char* text = luaL_checklstring(L, 1, &length);
    const char* pattern = luaL_checklstring(L, 2, &pattern_length);
    size_t start = start_of(L, 3, length);
    if (start > length) return luaL_pushfail(L), 1;
    bool plain = lua_toboolean(L, 4) != 0 || strcspn(pattern, "^$*+?.([%-") == pattern_length;
    if (find && plain) return find_plain(L, text, length, pattern, pattern_length, start);
    bool anchored = *pattern == '^';
    kin_pattern m;
    kin_pattern_init(&m, L, text, length, pattern + anchored, pattern_length - anchored);
    const char* begin = NULL;
    const char* end = search(&m, text + start, anchored, &begin);
    if (end == NULL) return luaL_pushfail(L), 1;
    if (!find) return kin_pattern_push_all(&m, begin, end);
    lua_pushinteger(L, begin - text + 1);
    lua_pushinteger(L, end - text);
    return kin_pattern_push_all(&m, NULL, NULL) + 2;
}

static int string_find(lua_State* L) { return find_or_match(L, true); }

static int string_match(lua_State* L) { return find_or_match(L, false); }

/* Upvalues: text, pattern, where to go on, where the last match ended (a match may not end there again). */
static int gmatch_next(lua_State* L)
{
    size_t length, pattern_length;
    const char* text = lua_tolstring(L, lua_upvalueindex(1), &length);
    const char* pattern = lua_tolstring(L, lua_upvalueindex(2), &pattern_length);
    size_t start = (size_t)lua_tointeger(L, lua_upvalueindex(3));
    lua_Integer last = lua_tointeger(L, lua_upvalueindex(4));
    kin_pattern m;
    kin_pattern_init(&m, L, text, length, pattern, pattern_length);
    for (size_t at = start; at <= length; ++at) {
        const char* end = kin_pattern_match(&m, text + at);
        if (end == NULL || end - text == last) continue;
        lua_pushinteger(L, end - text);
        lua_copy(L, -1, lua_upvalueindex(3));
        lua_replace(L, lua_upvalueindex(4));
        return kin_pattern_push_all(&m, text + at, end);
    }
    return 0;
}

static int string_gmatch(lua_State* L)
{
    size_t length;
    luaL_checklstring(L, 1, &length);
    luaL_checkstring(L, 2);
    size_t start = start_of(L, 3, length);
    lua_settop(L, 2);
    lua_pushinteger(L, (lua_Integer)(start > length ? length + 1 : start));
    lua_pushinteger(L, -1);
    lua_pushcclosure(L, gmatch_next, 4);
    return 1;
}

/* ---- gsub ---- */

static void add_template(kin_pattern* m, luaL_Buffer* buffer, const char* begin, const char* end)
{
    lua_State* L = m->lua;
    size_t length;
    const char* template = lua_tolstring(L, 3, &length);
    const char* template_end = template + length;
    for (const char* at = template; at < template_end; ++at) {
        kin_script_charge(L, 1);
        if (*at != '%') {
            luaL_addchar(buffer, *at);
            continue;
        }
        ++at;
        int c = at < template_end ? (unsigned char)*at : 0;
        if (c == '%') {
            luaL_addchar(buffer, '%');
        } else if (c == '0') {
            luaL_addlstring(buffer, begin, (size_t)(end - begin));
        } else if (c >= '1' && c <= '9') {
            kin_pattern_push(m, c - '1', begin, end);
            luaL_tolstring(L, -1, NULL); /* a position is a number */
            lua_remove(L, -2);
            luaL_addvalue(buffer);
        } else {
            luaL_error(L, "invalid use of '%%' in replacement string");
        }
    }
}

static void add_replacement(kin_pattern* m, luaL_Buffer* buffer, const char* begin, const char* end, int type)
{
    lua_State* L = m->lua;
    if (type == LUA_TSTRING || type == LUA_TNUMBER) {
        add_template(m, buffer, begin, end);
        return;
    }
    if (type == LUA_TTABLE) {
        kin_pattern_push(m, 0, begin, end);
        lua_gettable(L, 3);
    } else {
        lua_pushvalue(L, 3);
        lua_call(L, kin_pattern_push_all(m, begin, end), 1);
    }
    if (!lua_toboolean(L, -1)) {
        lua_pop(L, 1);
        luaL_addlstring(buffer, begin, (size_t)(end - begin));
        return;
    }
    if (!lua_isstring(L, -1)) luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
    luaL_addvalue(buffer);
}

static int string_gsub(lua_State* L)
{
    size_t length, pattern_length;
    const char* text = luaL_checklstring(L, 1, &length);
    const char* pattern = luaL_checklstring(L, 2, &pattern_length);
    int type = lua_type(L, 3);
    luaL_argexpected(L, type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION || type == LUA_TTABLE, 3, "string/function/table");
    if (type == LUA_TNUMBER) lua_tolstring(L, 3, NULL); /* in place */
    lua_Integer most = luaL_optinteger(L, 4, (lua_Integer)length + 1);
    bool anchored = *pattern == '^';
    kin_pattern m;
    kin_pattern_init(&m, L, text, length, pattern + anchored, pattern_length - anchored);
    luaL_Buffer buffer;
    luaL_buffinit(L, &buffer);
    const char *at = text, *last = NULL;
    lua_Integer count = 0;
    while (count < most) {
        const char* end = kin_pattern_match(&m, at);
        if (end != NULL && end != last) {
            count += 1;
            add_replacement(&m, &buffer, at, end, type);
            at = last = end;
        } else if (at < m.text_end) {
            luaL_addchar(&buffer, *at);
            ++at;
        } else {
            break;
        }
        if (anchored) break;
    }
    luaL_addlstring(&buffer, at, (size_t)(m.text_end - at));
    luaL_pushresult(&buffer);
    lua_pushinteger(L, count);
    return 2;
}

void kin_lua_open_match(lua_State* L)
{
    static const luaL_Reg own[] = {{"find", string_find}, {"match", string_match}, {"gmatch", string_gmatch}, {"gsub", string_gsub}, {NULL, NULL}};
    luaL_setfuncs(L, own, 0);
}
