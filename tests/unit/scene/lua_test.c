/* lua_test.c - the sandbox: what a script can do, cannot do, and how it is stopped. */
#include "scene_test.h"
#include "base/rng.h"
#include "math/scalar.h"
#include <locale.h>

/* Runs the body of a function; the text it returns becomes the scene's title. */
static kin_result run(test* t, scene_bench* b, const char* body)
{
    char script[4096];
    snprintf(script, sizeof script, "local function f() %s end\nreturn { title = tostring(f()) }\n", body);
    return scene_try(t, b, "run.lua", script);
}

static void gives(test* t, int line, scene_bench* b, const char* body, const char* want)
{
    kin_result result = run(t, b, body);
    const char* got = result == KIN_OK ? kin_scene_describe(b->scene).title : b->text;
    test_check(t, strcmp(got, want) == 0, __FILE__, line, "%s gives \"%s\", not \"%s\"", body, got, want);
}
#define GIVES(body, want) gives(t, __LINE__, &b, body, want)

static void fails(test* t, int line, scene_bench* b, const char* body, kin_result code, const char* part)
{
    kin_result result = run(t, b, body);
    test_check(t, result == code && strstr(b->text, part) != NULL, __FILE__, line, "%s: %d, \"%s\" without \"%s\"", body, result, b->text, part);
}
#define FAILS(body, code, part) fails(t, __LINE__, &b, body, code, part)

/* ---- what is not there ---- */

static void doors_out_are_closed(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    GIVES("return load, loadfile, dofile, require, collectgarbage, os, io, debug, coroutine, package, utf8, warn", "nil");
    GIVES("local n = 0 for _, k in ipairs{'load','loadfile','dofile','require','collectgarbage','os','io','debug','coroutine','package','utf8','warn'} do if "
          "_G[k] ~= nil then n = n + 1 end end return n",
          "0");
    GIVES("return string.dump", "nil");
    GIVES("return string.pack", "nil");
    GIVES("return (''):rep(3) .. tostring((''):len()) .. tostring(('').dump)", "0nil");
    GIVES("return getmetatable('')", "false");
    FAILS("getmetatable('').__index = nil", KIN_ERROR_SYNTAX, "run.lua:1");
    FAILS("setmetatable('', {})", KIN_ERROR_SYNTAX, "table expected");
    FAILS("setmetatable({}, {__gc = function() end})", KIN_ERROR_SYNTAX, "__gc");
    FAILS("setmetatable({}, {__mode = 'k'})", KIN_ERROR_SYNTAX, "__mode");
    GIVES("local names = {} for k in pairs(_G) do names[#names + 1] = k end return table.concat(names, ' ')",
          "_G _VERSION assert error getmetatable include ipairs math next pairs param pcall print rawequal rawget rawlen rawset select setmetatable string "
          "table tonumber tostring type xpcall");
    REFUSED(t, &b, "a.lua", "\x1bLua", KIN_ERROR_SYNTAX, "a.lua");
    scene_end(&b);
}

static void addresses_are_never_shown(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    GIVES("return tostring({}) .. ' ' .. tostring(print) .. ' ' .. tostring(function() end)", "table function function");
    GIVES("return string.format('%s %5s|%-6s|', {}, print, true)", "table function|true  |");
    FAILS("return string.format('%p', {})", KIN_ERROR_SYNTAX, "address");
    FAILS("error({})", KIN_ERROR_SYNTAX, "failed with table for a message");
    GIVES("return tostring(setmetatable({}, {__tostring = function() return 'me' end}))", "me");
    GIVES("return tostring(1) .. tostring(1.0) .. tostring(nil) .. tostring(true) .. tostring(1e100)", "11.0niltrue1e+100");
    scene_end(&b);
}

/* ---- being stopped ---- */

static void endless_scripts_are_stopped(test* t)
{
    static const char* const bodies[] = {
        "while true do end",
        "while true do pcall(function() while true do end end) end",
        "local function f() pcall(f) while true do end end f()",
        "pcall(pcall, pcall, function() while true do end end) while true do end",
        "while true do xpcall(function() while true do end end, function() while true do end end) end",
        "local t = setmetatable({}, {__index = function(s, k) while true do end end}) return t.x",
        "local t = setmetatable({}, {__tostring = function() while true do end end}) return t",
        "local t = setmetatable({}, {__lt = function() while true do end end}) return t < t",
        "table.sort({3, 2, 1}, function() while true do end end)",
        "(('x'):rep(10)):gsub('.', function() while true do end end)",
        "goto top ::top:: goto top",
        "for i = 1, math.huge do local s = 'a' .. i end",
        "local function f() return f() end f()",
        "repeat local x <close> = setmetatable({}, {__close = function() end}) until false",
        "for k in pairs(setmetatable({}, {__pairs = function() return function() return 1 end end})) do end",
        "return next(setmetatable({}, {})) or (function() while true do next({1, 2, 3}) end end)()",
    };
    scene_bench b;
    scene_begin(t, &b);
    b.options.max_instructions = 2000000;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; ++i) {
        fails(t, __LINE__, &b, bodies[i], KIN_ERROR_LIMIT, "run.lua:1: the script was stopped after 2000000 instructions");
    }
    scene_end(&b);
}

static void work_in_c_counts_too(test* t)
{
    static const char* const bodies[] = {
        "local s = ('a'):rep(16000) while true do s:find('.-.-.-b') end",
        "return ('a'):rep(2000):find(('a*'):rep(20) .. 'b')",
        "return ('a'):rep(8000):match('(a*)*%1b')",
        "pcall(string.find, ('a'):rep(15000), '.-.-.-.-b') while true do end",
        "return ('('):rep(16000):find('%b()%b()x')",
        "return ('x'):rep(16000):gsub('.-.-.-.-y', '')",
        "for w in ('a'):rep(16000):gmatch('.-.-.-b') do end",
        "local t = {} for i = 1, 100000 do t[i] = i end while true do table.insert(t, 1, 0) end",
        "local t = {} for i = 1, 100000 do t[i] = i end while true do table.remove(t, 1) end",
        "local t = {} for i = 1, 100000 do t[i] = i end while true do table.move(t, 1, 100000, 2) end",
        "table.move({}, 1, 1e15, 2)",
        "local t = {} for i = 1, 100000 do t[i] = i end while true do table.sort(t) end",
        "local t = {} for i = 1, 50000 do t[i] = '' end while true do table.concat(t) end",
        "local t = {} for i = 1, 100000 do t[i] = i end while true do next(t) end",
        "local t = {} for i = 1, 100000 do t[i] = i end while true do pairs(t) end",
        "while true do local s = ('x'):rep(16000) end",
        "local s = ('x'):rep(16000) while true do local u = s:upper() end",
        "local s = ('x'):rep(8000) while true do local u = s .. s end",
        "local t = {} for i = 1, 1999 do t = setmetatable({}, {__index = t}) end while true do local x = t.y end",
        "while true do local s = string.format('%99.99f', 1e308) end",
        "while true do print(('x'):rep(16000)) end",
    };
    scene_bench b;
    scene_begin(t, &b);
    b.options.max_instructions = 5000000;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; ++i) {
        fails(t, __LINE__, &b, bodies[i], KIN_ERROR_LIMIT, "run.lua:1: the script was stopped");
    }
    scene_end(&b);
}

static void memory_is_capped(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    b.options.max_memory = 8 << 20;
    FAILS("local t = {} while true do t[#t + 1] = {} end", KIN_ERROR_LIMIT, "more than its 8 MiB of memory");
    FAILS("local t = {} for i = 1, 1e9 do t[i] = i end", KIN_ERROR_LIMIT, "more than its 8 MiB of memory");
    FAILS("local t = {} while true do pcall(function() while true do t[#t + 1] = {} end end) end", KIN_ERROR_LIMIT, "run.lua");
    FAILS("return ('x'):rep(1e9)", KIN_ERROR_SYNTAX, "longer than 16384 bytes");
    FAILS("return ('x'):rep(16385)", KIN_ERROR_SYNTAX, "longer than 16384 bytes");
    FAILS("local s = 'x' while true do s = s .. s end", KIN_ERROR_LIMIT, "longer than 16384 bytes");
    FAILS("return string.format('%99.99f', 1):rep(1000)", KIN_ERROR_SYNTAX, "longer");
    GIVES("return #('x'):rep(16384)", "16384");
    GIVES("return #(''):rep(1e18)", "0");
    GIVES("return pcall(string.rep, 'x', 1e9)", "false");
    scene_end(&b);
}

static void depth_is_bounded(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    FAILS("local function f() return 1 + f() end return f()", KIN_ERROR_SYNTAX, "stack overflow");
    FAILS("local function f(...) return f(1, ...) end f()", KIN_ERROR_LIMIT, "more than 250 arguments");
    FAILS("local t = {} for i = 1, 300 do t[i] = i end return table.unpack(t)", KIN_ERROR_SYNTAX, "at most 250 values");
    FAILS("return table.unpack({}, 1, 1e15)", KIN_ERROR_SYNTAX, "at most 250 values");
    FAILS("return (('x'):rep(1000)):byte(1, -1)", KIN_ERROR_SYNTAX, "at most 250 values");
    FAILS("local t = {} t.t = t return t", KIN_OK, "");
    REFUSED(t, &b, "a.lua", "local t = {} t.camera = t return t", KIN_ERROR_LIMIT, "nested deeper than 100");
    b.options.max_memory = 8 << 20;
    REFUSED(t, &b, "a.lua", "local t = {} for i = 1, 40 do t = {t, t} end return {systems = t}", KIN_ERROR_LIMIT, "too many values");
    char deep[2000] = "return ";
    for (int i = 0; i < 300; ++i) strcat(deep, "{");
    REFUSED(t, &b, "a.lua", deep, KIN_ERROR_SYNTAX, "a.lua: C stack overflow");
    scene_end(&b);
}

/* ---- the same everywhere ---- */

static void order_is_sorted(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    GIVES("local s = '' for k, v in pairs{b = 1, a = 2, [3] = 3, [1] = 4, [2.5] = 5, [true] = 6, [false] = 7, B = 8, [-1] = 9, aa = 10} do s = s .. "
          "tostring(k) .. '=' .. v .. ' ' end return s",
          "-1=9 1=4 2.5=5 3=3 B=8 a=2 aa=10 b=1 false=7 true=6 ");
    GIVES("local t, s, k, v = {b = 1, a = 2, [1] = 3}, '' k, v = next(t) while k do s = s .. k .. v k, v = next(t, k) end return s .. tostring(next({}))",
          "13a2b1nil");
    GIVES("local t, s = {a = 1, b = 2, c = 3}, '' for k in pairs(t) do s = s .. k t.b = nil end return s", "ac");
    GIVES("local t = {} for i = 1, 100 do t['k' .. i] = i end local n, last = 0, '' for k in pairs(t) do n = n + 1 assert(k > last) last = k end return n",
          "100");
    GIVES("local s = '' for k in pairs{[math.maxinteger] = 1, [math.maxinteger - 1] = 1, [2^63] = 1, [2^53] = 1} do s = s .. k .. ' ' end return s",
          "9007199254740992 9223372036854775806 9223372036854775807 9.2233720368548e+18 ");
    FAILS("for k in pairs{[{}] = 1} do end", KIN_ERROR_SYNTAX, "no order");
    FAILS("next({[print] = 1})", KIN_ERROR_SYNTAX, "no order");
    GIVES("local s = '' for i, v in ipairs{5, 6, nil, 7} do s = s .. v end return s", "56");
    scene_end(&b);
}

static void sort_is_stable_and_survives_any_order(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    GIVES("local t = {3, 1, 2, 10, -5, 7.5} table.sort(t) return table.concat(t, ' ')", "-5 1 2 3 7.5 10");
    GIVES("local t = {'b', 'a', 'C', '\\xff', 'aa', ''} table.sort(t) return table.concat(t, ' ')== ' C a aa b \\xff'", "true");
    GIVES("local t = {} for i = 1, 50 do t[i] = {i % 3, i} end table.sort(t, function(a, b) return a[1] < b[1] end) for i = 2, 50 do assert(t[i-1][1] < "
          "t[i][1] or t[i-1][2] < t[i][2]) end return t[1][2]",
          "3");
    GIVES("local t = {} for i = 1, 500 do t[i] = i end table.sort(t, function() return true end) return #t", "500");
    GIVES("local n, t = 0, {} for i = 1, 500 do t[i] = i end table.sort(t, function(a, b) n = n + 1 return n % 2 == 0 end) local sum = 0 for _, v in ipairs(t) "
          "do sum = sum + v end return sum",
          "125250");
    GIVES("local t = {3, 2, 1} pcall(table.sort, t, function() error('x') end) return table.concat(t)", "321");
    FAILS("table.sort({1, 'a'})", KIN_ERROR_SYNTAX, "attempt to compare");
    scene_end(&b);
}

static void tables_work_as_in_lua(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    GIVES("local t = {1, 2, 3} table.insert(t, 4) table.insert(t, 1, 0) return table.concat(t, ',')", "0,1,2,3,4");
    GIVES("local t = {1, 2, 3} local a, c = table.remove(t), table.remove(t, 1) return a .. c .. #t .. t[1]", "3112");
    GIVES("return tostring(table.remove({}))", "nil");
    GIVES("return select('#', table.unpack({1, nil, 3}, 1, 3)) .. table.pack(1, nil).n", "32");
    GIVES("return table.concat(table.move({1, 2, 3}, 1, 3, 2), ',') .. table.concat(table.move({1, 2, 3}, 2, 3, 1, {}), ',')", "1,1,2,32,3");
    GIVES("return table.concat({1, 2, 3}, '-', 2, 3) .. table.concat({}, 'x')", "2-3");
    FAILS("table.insert({}, 5, 1)", KIN_ERROR_SYNTAX, "out of bounds");
    FAILS("table.concat({1, {}})", KIN_ERROR_SYNTAX, "invalid value");
    scene_end(&b);
}

static void patterns_work_as_in_lua(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    GIVES("return table.concat({('hello world'):find('o w')}, ' ')", "5 7");
    GIVES("return table.concat({('hello'):find('l+')}, ' ') .. tostring(('hello'):find('z')) .. ('hello'):find('l', 4)", "3 4nil4");
    GIVES("return table.concat({('key = value'):match('^(%w+)%s*=%s*(%w+)$')}, '|')", "key|value");
    GIVES("return ('a.b'):find('.', 1, true) .. ('a.b'):find('%.')", "22");
    GIVES("return ('  trim  '):match('^%s*(.-)%s*$') .. '|'", "trim|");
    GIVES("return ('THE (quick) fox'):find('%((%a+)%)') .. ('f(a(b)c)d'):match('%b()')", "5(a(b)c)");
    GIVES("return ('THE (quick) fox'):gsub('%f[%a]%a+', string.lower)", "the (quick) fox");
    GIVES("return (('abc'):gsub('%w', '%0%0')) .. (('abc'):gsub('', '-'))", "aabbcc-a-b-c-");
    GIVES("return (('hello world'):gsub('o', {o = '0'})) .. (('x=1'):gsub('(%w)=(%w)', '%2=%1'))", "hell0 w0rld1=x");
    GIVES("return (('abc'):gsub('b', '%%')) .. select(2, ('aaa'):gsub('a', 'b', 2))", "a%c2");
    GIVES("local s = '' for k, v in ('a=1, b=2'):gmatch('(%w+)=(%w+)') do s = s .. k .. v end return s", "a1b2");
    GIVES("local s = '' for p in ('ab'):gmatch('()') do s = s .. p end return s", "123");
    GIVES("return ('[x]'):match('[]]') .. ('a-b'):match('[a%-]+') .. ('x^y'):match('[x^]+') .. ('é'):match('[\\x80-\\xff]+')", "]a-x^é");
    GIVES("return ('abab'):match('(ab)%1') .. tostring(('abc'):match('^b')) .. ('a$'):match('a$$')", "abnila$");
    GIVES("return ('0x1F'):match('^0[xX](%x+)$') .. ('a1_'):match('[%w_]*') .. ('A'):match('%u') .. ('\\t'):match('%c'):byte() .. ('a1'):match('%D')",
          "1Fa1_A9a");
    GIVES("return (('x'):rep(3, ',')) .. ('abc'):byte(-1) .. ('abc'):sub(-2) .. ('aBc'):upper() .. ('abc'):reverse() .. string.char(72, 105)",
          "x,x,x99bcABCcbaHi");
    GIVES("return (('abc def'):gsub('%w+', '<%0>', 1)) .. (('hello'):gsub('l', function() return nil end))", "<abc> defhello");
    FAILS("('a'):find('[a')", KIN_ERROR_SYNTAX, "missing ']'");
    FAILS("('a'):find('%')", KIN_ERROR_SYNTAX, "ends with '%'");
    FAILS("('a'):find('(a')", KIN_ERROR_SYNTAX, "unfinished capture");
    FAILS("('a'):match('a)')", KIN_ERROR_SYNTAX, "invalid pattern capture");
    FAILS("('a'):find('%1')", KIN_ERROR_SYNTAX, "invalid capture index");
    FAILS("('a'):gsub('a', '%2')", KIN_ERROR_SYNTAX, "invalid capture index");
    FAILS("('a'):gsub('a', '%x')", KIN_ERROR_SYNTAX, "invalid use of '%'");
    FAILS("('a'):find(('('):rep(40))", KIN_ERROR_SYNTAX, "too many captures");
    FAILS("('a'):rep(300):find(('a?'):rep(300))", KIN_ERROR_SYNTAX, "too complex");
    scene_end(&b);
}

static void elementary_functions_are_ours(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    char want[64];
    for (int i = 0; i < 40; ++i) {
        double x = 0.37 + 0.61 * i, y = 1.7 - 0.13 * i;
        char body[200];
        snprintf(body, sizeof body, "local x, y = %.17g, %.17g return string.format('%%a', x ^ y)", x, y);
        snprintf(want, sizeof want, "%a", kin_pow(x, y));
        GIVES(body, want);
        snprintf(body, sizeof body, "return string.format('%%a', %.17g ^ %.17g)", x, y); /* folded while it is compiled */
        GIVES(body, want);
        snprintf(body, sizeof body,
                 "local x, y = %.17g, %.17g return string.format('%%a', math.sin(x) + math.cos(x) + math.tan(x) + math.exp(y) + math.log(x) + math.atan(y, x))",
                 x, y);
        snprintf(want, sizeof want, "%a", kin_sin(x) + kin_cos(x) + kin_tan(x) + kin_exp(y) + kin_ln(x) + kin_atan2(y, x));
        GIVES(body, want);
    }
    GIVES("return math.log(8, 2) .. ' ' .. math.log(1000, 10) .. ' ' .. math.log(0.001, 10) .. ' ' .. math.atan(1) * 4 == '3.0 3.0 -3.0 ' .. math.pi", "true");
    GIVES("return math.rad(180) - math.pi .. ' ' .. math.deg(math.pi / 2) .. ' ' .. math.rad(-90) * 2 + math.pi", "0.0 90.0 0.0");
    GIVES("return string.format('%a %a', math.asin(1), math.acos(0.5)) == string.format('%a %a', math.pi / 2, math.acos(0.5))", "true");
    GIVES("return math.floor(-2.5) .. math.ceil(2.1) .. math.fmod(7, 3) .. math.abs(-3) .. math.max(1, 2) .. math.min(1, 2) .. tostring(math.tointeger(3.0)) "
          ".. math.type(1) .. math.sqrt(16)",
          "-331321"
          "3integer4.0");
    GIVES("return tostring(math.pow) .. tostring(math.cosh) .. tostring(math.ldexp)", "nilnilnil");
    scene_end(&b);
}

static void random_numbers_follow_the_seed(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    const char* body = "return math.random() .. ' ' .. math.random(6) .. ' ' .. math.random(-5, 5) .. ' ' .. math.random()";
    CHECK(t, run(t, &b, body) == KIN_OK);
    char first[200], other[200];
    snprintf(first, sizeof first, "%s", kin_scene_describe(b.scene).title);
    GIVES(body, first);
    b.options.has_seed = true;
    b.options.seed = 7;
    CHECK(t, run(t, &b, body) == KIN_OK);
    snprintf(other, sizeof other, "%s", kin_scene_describe(b.scene).title);
    CHECK(t, strcmp(first, other) != 0);
    b.options.has_seed = false;
    kin_rng_key key = {.seed = 0, .system = UINT32_MAX};
    char want[64];
    snprintf(want, sizeof want, "%a", kin_rng_uniform(&key, 0, 0, 1));
    GIVES("return string.format('%a', math.random())", want);
    GIVES("math.randomseed(3) local a = math.random() math.randomseed(4) local c = math.random() math.randomseed(3) return a == math.random() and a ~= c",
          "true");
    GIVES("for i = 1, 2000 do local x = math.random(3) assert(x >= 1 and x <= 3 and math.type(x) == 'integer') x = math.random() assert(x >= 0 and x < 1) end "
          "return 'ok'",
          "ok");
    GIVES("return math.type(math.random(math.mininteger, math.maxinteger))", "integer");
    FAILS("return math.random(0)", KIN_ERROR_SYNTAX, "interval is empty");
    scene_end(&b);
}

static void the_locale_does_not_matter(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    const char* body = "local t = {'b', 'A', 'a', 'B', 'z', 'é'} table.sort(t) return table.concat(t) .. tostring(0.5) .. string.format('%.2f', 1.5) .. "
                       "tostring(tonumber('2.5')) .. tostring('a' < 'B') .. tostring(('é'):match('%a'))";
    const char* want = "ABabzé0.51.502.5falsenil";
    static const char* const locales[] = {"de_DE.UTF-8", "en_US.UTF-8", "fr_FR.UTF-8", "C.UTF-8"}; /* those that are installed */
    GIVES(body, want);
    for (int i = 0; i < 4; ++i) {
        if (setlocale(LC_ALL, locales[i]) != NULL) GIVES(body, want);
    }
    setlocale(LC_ALL, "C");
    scene_end(&b);
}

static void numbers_and_texts_do_not_mix(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    FAILS("return '1' + 1", KIN_ERROR_SYNTAX, "attempt to perform arithmetic on a string value");
    GIVES("return 1 .. ''", "1");
    GIVES("return tonumber('0x10') + tonumber('1e2') .. tostring(tonumber(('1'):rep(500))) .. tonumber('ff', 16)", "116.0nil255");
    scene_end(&b);
}

static void errors_say_where(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    REFUSED(t, &b, "a.lua", "local x = 1\nreturn {\n  title = = 2 }\n", KIN_ERROR_SYNTAX, "a.lua:3:11: unexpected symbol near '='");
    REFUSED(t, &b, "a.lua", "return { title = f()) }", KIN_ERROR_SYNTAX, "a.lua:1:21: '}' expected near ')'");
    REFUSED(t, &b, "a.lua", "return { a = 1", KIN_ERROR_SYNTAX, "a.lua:1:15: '}' expected near <eof>");
    REFUSED(t, &b, "a.lua", "x = 'abc\nreturn {}", KIN_ERROR_SYNTAX, "a.lua:1:5: unfinished string near ''abc'");
    REFUSED(t, &b, "a.lua", "\n\nlocal t = nil\nreturn { title = t.x.y }", KIN_ERROR_SYNTAX, "a.lua:4: attempt to index a nil value");
    REFUSED(t, &b, "a.lua", "error('my words')", KIN_ERROR_SYNTAX, "a.lua:1: my words");
    REFUSED(t, &b, "a.lua", "error('my words', 0)", KIN_ERROR_SYNTAX, "a.lua: my words");
    REFUSED(t, &b, "a.lua", "return 5", KIN_ERROR_SYNTAX, "the script must end with return { ... }");
    REFUSED(t, &b, "a.lua", "", KIN_ERROR_SYNTAX, "the script must end with return { ... }");
    const char* name = "a_very_long_name_of_a_scene_that_lua_would_cut_to_sixty_characters_in_its_messages.lua";
    char want[200];
    snprintf(want, sizeof want, "%s:2: oh", name);
    REFUSED(t, &b, name, "\nerror('oh')", KIN_ERROR_SYNTAX, want);
    scene_end(&b);
}

static bool load_with_failing_memory(test* t, void* context)
{
    scene_bench* b = context;
    kin_result result = scene_load(b, "a.lua");
    CHECK(t, result == KIN_OK || result == KIN_ERROR_MEMORY);
    scene_close(b);
    return result == KIN_OK;
}

static void memory_may_run_out(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    b.options.sets = &(kin_scene_set){"n", "3"};
    b.options.set_count = 1;
    scene_write(t, &b, "b.json", "{\"materials\": {\"wall\": {\"friction\": 0.1}}, \"gravity\": [0, 0, 0]}");
    scene_write(
        t, &b, "a.lua",
        "local n = param('n', 2, 'how many') local p = {} for k, v in pairs{a = 1, b = 2, c = 3} do p[#p + 1] = {position = {v, n, 0}} end "
        "table.sort(p, function(a, b) return a.position[1] > b.position[1] end) local extra = include('b.json') "
        "return {title = ('x'):gsub('x', 'y%0'), systems = {{type = 'particles', particles = p}}, include = {'b.json'}, on_step = function(world) end}");
    test_fail_each_allocation(t, load_with_failing_memory, &b);
    b.options.set_count = 0;
    scene_end(&b);
}

TEST_MAIN("scene/lua", TEST(doors_out_are_closed), TEST(addresses_are_never_shown), TEST(endless_scripts_are_stopped), TEST(work_in_c_counts_too),
          TEST(memory_is_capped), TEST(depth_is_bounded), TEST(order_is_sorted), TEST(sort_is_stable_and_survives_any_order), TEST(tables_work_as_in_lua),
          TEST(patterns_work_as_in_lua), TEST(elementary_functions_are_ours), TEST(random_numbers_follow_the_seed), TEST(the_locale_does_not_matter),
          TEST(numbers_and_texts_do_not_mix), TEST(errors_say_where), TEST(memory_may_run_out))
