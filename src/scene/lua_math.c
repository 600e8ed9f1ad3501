/* lua_math.c - math for scripts: what is exact stays Lua's, what libm would round its own way is ours, and random numbers are functions of a key. */
#include "math/scalar.h"
#include "scene/script.h"

/* Lua's ^ calls pow. The linker sends that one symbol here (--wrap=pow in cmake/link.cmake), as libm's bits depend on the CPU. */
double __wrap_pow(double x, double y);
double __wrap_pow(double x, double y) { return kin_pow(x, y); }

typedef double real_fn(double x);

static int call_real(lua_State* L, real_fn* fn)
{
    lua_pushnumber(L, fn(luaL_checknumber(L, 1)));
    return 1;
}

static int math_sin(lua_State* L) { return call_real(L, kin_sin); }
static int math_cos(lua_State* L) { return call_real(L, kin_cos); }
static int math_tan(lua_State* L) { return call_real(L, kin_tan); }
static int math_asin(lua_State* L) { return call_real(L, kin_asin); }
static int math_acos(lua_State* L) { return call_real(L, kin_acos); }
static int math_exp(lua_State* L) { return call_real(L, kin_exp); }

static int math_atan(lua_State* L)
{
    double y = luaL_checknumber(L, 1);
    lua_pushnumber(L, kin_atan2(y, luaL_optnumber(L, 2, 1)));
    return 1;
}

/* With a base: where the quotient is off by a rounding, the whole number that is right is given. */
static int math_log(lua_State* L)
{
    double x = luaL_checknumber(L, 1);
    double result = kin_ln(x);
    if (!lua_isnoneornil(L, 2)) {
        double base = luaL_checknumber(L, 2);
        result /= kin_ln(base);
        if (kin_abs(result) < 1100) {
            double whole = kin_round(result);
            if (kin_pow(base, whole) == x) result = whole;
        }
    }
    lua_pushnumber(L, result);
    return 1;
}

/* ---- random ---- */

static uint64_t next_bits(lua_State* L)
{
    kin_script* script = kin_script_of(L);
    return kin_rng_bits(&script->random, script->draw++);
}

double kin_lua_random_unit(lua_State* L)
{
    kin_script* script = kin_script_of(L);
    return kin_rng_uniform(&script->random, script->draw++, 0, 1);
}

/* random() in [0, 1), random(n) in 1..n, random(m, n) in m..n. */
static int math_random(lua_State* L)
{
    if (kin_script_of(L)->in_law) return luaL_error(L, "a law may not draw random numbers: it must return the same for the same point");
    int count = lua_gettop(L);
    if (count == 0) return lua_pushnumber(L, kin_lua_random_unit(L)), 1;
    lua_Integer low = count == 1 ? 1 : luaL_checkinteger(L, 1);
    lua_Integer high = luaL_checkinteger(L, count == 1 ? 1 : 2);
    luaL_argcheck(L, count <= 2, 3, "wrong number of arguments");
    luaL_argcheck(L, low <= high, count, "interval is empty");
    uint64_t span = (uint64_t)high - (uint64_t)low; /* one less than the count, which may be 2^64 */
    uint64_t bits = next_bits(L);
    uint64_t offset = span == UINT64_MAX ? bits : (uint64_t)(((unsigned __int128)bits * (span + 1)) >> 64);
    lua_pushinteger(L, (lua_Integer)((uint64_t)low + offset));
    return 1;
}

/* Another series, the same on every run. Not in hooks: what they remember lives in world.state. */
static int math_randomseed(lua_State* L)
{
    kin_script* script = kin_script_of(L);
    lua_Integer seed = luaL_checkinteger(L, 1);
    if (!script->may_seed)
        return luaL_error(L, "math.randomseed works only while the scene is read: in on_step random numbers follow the world's seed and step");
    script->random.serial = (uint64_t)seed;
    script->draw = 0;
    return 0;
}

static const luaL_Reg own[] = {
    {"sin", math_sin},   {"cos", math_cos}, {"tan", math_tan}, {"asin", math_asin},     {"acos", math_acos},
    {"atan", math_atan}, {"exp", math_exp}, {"log", math_log}, {"random", math_random}, {"randomseed", math_randomseed},
    {NULL, NULL},
};

void kin_lua_open_math(lua_State* L)
{
    static const char* const kept[] = {"abs",  "ceil", "floor", "fmod",       "max",        "min", "modf", "sqrt", "tointeger",
                                       "type", "ult",  "huge",  "maxinteger", "mininteger", "pi",  "rad",  "deg"};
    luaL_requiref(L, LUA_MATHLIBNAME, luaopen_math, 0);
    luaL_newlib(L, own);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; ++i) {
        lua_getfield(L, -2, kept[i]);
        lua_setfield(L, -2, kept[i]);
    }
    lua_setglobal(L, LUA_MATHLIBNAME);
    lua_pop(L, 1);
}
