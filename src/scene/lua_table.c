/* lua_table.c - table for scripts. Raw access only: a metamethod could claim a length of 10^15. Every element touched is charged.
 * sort is a merge sort: stable, and an order that contradicts itself gives some order, never a crash. */
#include "scene/script.h"

static lua_Integer length_of(lua_State* L, int index)
{
    luaL_checktype(L, index, LUA_TTABLE);
    return (lua_Integer)lua_rawlen(L, index);
}

static void shift(lua_State* L, lua_Integer from, lua_Integer to, lua_Integer count)
{
    kin_script_charge(L, (size_t)count);
    for (lua_Integer i = 0; i < count; ++i) {
        lua_Integer k = to > from ? count - 1 - i : i; /* from the end that is not overwritten */
        lua_rawgeti(L, 1, from + k);
        lua_rawseti(L, 1, to + k);
    }
}

static int table_insert(lua_State* L)
{
    lua_Integer n = length_of(L, 1);
    int arguments = lua_gettop(L);
    if (arguments == 2) return lua_rawseti(L, 1, n + 1), 0;
    if (arguments != 3) return luaL_error(L, "wrong number of arguments to 'insert'");
    lua_Integer position = luaL_checkinteger(L, 2);
    luaL_argcheck(L, position >= 1 && position <= n + 1, 2, "position out of bounds");
    shift(L, position, position + 1, n + 1 - position);
    lua_rawseti(L, 1, position);
    return 0;
}

static int table_remove(lua_State* L)
{
    lua_Integer n = length_of(L, 1);
    lua_Integer position = luaL_optinteger(L, 2, n);
    luaL_argcheck(L, position == n || (position >= 1 && position <= n + 1), 2, "position out of bounds");
    lua_rawgeti(L, 1, position);
    if (position < n) {
        shift(L, position + 1, position, n - position);
        position = n;
    }
    lua_pushnil(L);
    lua_rawseti(L, 1, position);
    return 1;
}

static int table_concat(lua_State* L)
{
    lua_Integer n = length_of(L, 1);
    size_t gap;
    const char* between = luaL_optlstring(L, 2, "", &gap);
    lua_Integer first = luaL_optinteger(L, 3, 1), last = luaL_optinteger(L, 4, n);
    luaL_Buffer buffer;
    luaL_buffinit(L, &buffer);
    for (lua_Integer i = first; i <= last; ++i) {
        kin_script_charge(L, 1);
        int type = lua_rawgeti(L, 1, i);
        if (type != LUA_TSTRING && type != LUA_TNUMBER)
            luaL_error(L, "invalid value (a %s) at index %I in table for 'concat'", lua_typename(L, type), (LUAI_UACINT)i);
        luaL_addvalue(&buffer);
        if (i == last) break; /* last may be the largest integer */
        luaL_addlstring(&buffer, between, gap);
    }
    luaL_pushresult(&buffer);
    return 1;
}

static int table_pack(lua_State* L)
{
    int count = lua_gettop(L);
    lua_createtable(L, count, 1);
    lua_insert(L, 1);
    for (int i = count; i >= 1; --i) lua_rawseti(L, 1, i);
    lua_pushinteger(L, count);
    lua_setfield(L, 1, "n");
    return 1;
}

static int table_unpack(lua_State* L)
{
    lua_Integer n = length_of(L, 1);
    lua_Integer first = luaL_optinteger(L, 2, 1), last = luaL_optinteger(L, 3, n);
    if (first > last) return 0;
    uint64_t count = (uint64_t)last - (uint64_t)first; /* less one */
    if (count >= KIN_SCRIPT_MOST_VALUES) return luaL_error(L, "table.unpack gives at most %d values", KIN_SCRIPT_MOST_VALUES);
    luaL_checkstack(L, (int)count + 1, "too many results to unpack");
    for (uint64_t i = 0; i <= count; ++i) lua_rawgeti(L, 1, first + (lua_Integer)i);
    return (int)count + 1;
}

static int table_move(lua_State* L)
{
    lua_Integer first = luaL_checkinteger(L, 2), last = luaL_checkinteger(L, 3), to = luaL_checkinteger(L, 4);
    int target = lua_isnoneornil(L, 5) ? 1 : 5;
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checktype(L, target, LUA_TTABLE);
    if (last >= first) {
        luaL_argcheck(L, first > 0 || last < LUA_MAXINTEGER + first, 3, "too many elements to move");
        lua_Integer count = last - first + 1;
        luaL_argcheck(L, to <= LUA_MAXINTEGER - count + 1, 4, "destination wrap around");
        bool backwards = to > first && to <= last && target == 1;
        kin_script_charge(L, (size_t)count);
        for (lua_Integer i = 0; i < count; ++i) {
            lua_Integer k = backwards ? count - 1 - i : i;
            lua_rawgeti(L, 1, first + k);
            lua_rawseti(L, target, to + k);
        }
    }
    lua_pushvalue(L, target);
    return 1;
}

/* ---- sort ---- */

/* Is the value at the top less than the one below it? Pops neither. */
static bool top_is_less(lua_State* L)
{
    kin_script_charge(L, 1);
    if (lua_isnil(L, 2)) return lua_compare(L, -1, -2, LUA_OPLT) != 0;
    lua_pushvalue(L, 2);
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -4);
    lua_call(L, 2, 1);
    bool less = lua_toboolean(L, -1) != 0;
    lua_pop(L, 1);
    return less;
}

/* Merges [begin, middle) and [middle, end) of one table into the other. The left goes first unless the right is less: stable. */
static void merge(lua_State* L, int from, int to, lua_Integer begin, lua_Integer middle, lua_Integer end)
{
    lua_Integer left = begin, right = middle;
    for (lua_Integer k = begin; k < end; ++k) {
        bool take_right = left >= middle;
        if (!take_right && right < end) {
            lua_rawgeti(L, from, left);
            lua_rawgeti(L, from, right);
            take_right = top_is_less(L);
            lua_pop(L, 2);
        }
        lua_rawgeti(L, from, take_right ? right++ : left++);
        lua_rawseti(L, to, k);
    }
}

static lua_Integer smaller(lua_Integer a, lua_Integer b) { return a < b ? a : b; }

static void copy_list(lua_State* L, int from, int to, lua_Integer n)
{
    kin_script_charge(L, (size_t)n);
    for (lua_Integer i = 1; i <= n; ++i) {
        lua_rawgeti(L, from, i);
        lua_rawseti(L, to, i);
    }
}

/* The script's table (1) changes only at the end: its order function (2) never sees it half sorted. 3 and 4 are scratch. */
static int table_sort(lua_State* L)
{
    lua_Integer n = length_of(L, 1);
    if (!lua_isnoneornil(L, 2)) luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_settop(L, 2);
    int size = n < INT32_MAX ? (int)n : 0;
    lua_createtable(L, size, 0);
    lua_createtable(L, size, 0);
    int from = 3, to = 4;
    copy_list(L, 1, from, n);
    for (lua_Integer width = 1; width < n; width *= 2) {
        for (lua_Integer begin = 1; begin <= n; begin += 2 * width) {
            lua_Integer middle = smaller(begin + width, n + 1), end = smaller(begin + 2 * width, n + 1);
            merge(L, from, to, begin, middle, end);
        }
        kin_script_charge(L, (size_t)n);
        int other = from;
        from = to;
        to = other;
    }
    copy_list(L, from, 1, n);
    return 0;
}

void kin_lua_open_table(lua_State* L)
{
    static const luaL_Reg own[] = {
        {"concat", table_concat}, {"insert", table_insert}, {"move", table_move},     {"pack", table_pack},
        {"remove", table_remove}, {"sort", table_sort},     {"unpack", table_unpack}, {NULL, NULL},
    };
    luaL_newlib(L, own);
    lua_setglobal(L, LUA_TABLIBNAME);
}
