/* lua_pattern.c - a backtracking matcher for the patterns of Lua 5.4 (reference manual, 6.4.1). Lua's own counts no instructions: "(.-)*.-b" on a long
 * text would hang. This one is charged a step for every character it looks at, every time it does. */
#include "scene/lua_pattern.h"
#include <ctype.h>
#include <string.h>

enum { DEEPEST = 200, ESCAPE = '%' };

void kin_pattern_init(kin_pattern* m, lua_State* L, const char* text, size_t length, const char* pattern, size_t pattern_length)
{
    *m = (kin_pattern){.lua = L, .text = text, .text_end = text + length, .pattern = pattern, .pattern_end = pattern + pattern_length};
}

/* ---- single characters ---- */

/* Beyond the item that begins at p: a character, an escape or a set. */
static const char* item_end(kin_pattern* m, const char* p)
{
    if (*p == ESCAPE) {
        if (p + 1 >= m->pattern_end) luaL_error(m->lua, "malformed pattern (ends with '%%')");
        return p + 2;
    }
    if (*p != '[') return p + 1;
    p += 1;
    if (p < m->pattern_end && *p == '^') ++p;
    do { /* a ] in the first place is itself */
        if (p >= m->pattern_end) luaL_error(m->lua, "malformed pattern (missing ']')");
        p += *p == ESCAPE && p + 1 < m->pattern_end ? 2 : 1;
    } while (p >= m->pattern_end || *p != ']');
    return p + 1;
}

static bool in_class(int c, int letter)
{
    bool in;
    switch (tolower(letter)) {
    case 'a': in = isalpha(c) != 0; break;
    case 'c': in = iscntrl(c) != 0; break;
    case 'd': in = isdigit(c) != 0; break;
    case 'g': in = isgraph(c) != 0; break;
    case 'l': in = islower(c) != 0; break;
    case 'p': in = ispunct(c) != 0; break;
    case 's': in = isspace(c) != 0; break;
    case 'u': in = isupper(c) != 0; break;
    case 'w': in = isalnum(c) != 0; break;
    case 'x': in = isxdigit(c) != 0; break;
    default: return letter == c;
    }
    return isupper(letter) != 0 ? !in : in;
}

/* [set] from p to its ] at last. */
static bool in_set(kin_pattern* m, int c, const char* p, const char* last)
{
    kin_script_charge(m->lua, (size_t)(last - p));
    bool wanted = true;
    if (p[1] == '^') {
        wanted = false;
        ++p;
    }
    while (++p < last) {
        if (*p == ESCAPE) {
            ++p;
            if (in_class(c, (unsigned char)*p)) return wanted;
        } else if (p[1] == '-' && p + 2 < last) {
            p += 2;
            if ((unsigned char)p[-2] <= c && c <= (unsigned char)*p) return wanted;
        } else if ((unsigned char)*p == c) {
            return wanted;
        }
    }
    return !wanted;
}

static bool fits(kin_pattern* m, const char* at, const char* p, const char* end)
{
    kin_script_charge(m->lua, 1);
    if (at >= m->text_end) return false;
    int c = (unsigned char)*at;
    switch (*p) {
    case '.': return true;
    case ESCAPE: return in_class(c, (unsigned char)p[1]);
    case '[': return in_set(m, c, p, end - 1);
    default: return (unsigned char)*p == c;
    }
}

/* ---- the match ---- */

static const char* match(kin_pattern* m, const char* at, const char* p);

static const char* match_balance(kin_pattern* m, const char* at, const char* p)
{
    if (p + 1 >= m->pattern_end) luaL_error(m->lua, "malformed pattern (missing arguments to '%%b')");
    if (at >= m->text_end || *at != *p) return NULL;
    int depth = 1;
    for (const char* s = at + 1; s < m->text_end; ++s) {
        kin_script_charge(m->lua, 1);
        if (*s == p[1]) {
            if (--depth == 0) return s + 1;
        } else if (*s == p[0]) {
            ++depth;
        }
    }
    return NULL;
}

static const char* match_longest(kin_pattern* m, const char* at, const char* p, const char* end)
{
    ptrdiff_t count = 0;
    while (fits(m, at + count, p, end)) ++count;
    for (; count >= 0; --count) {
        const char* found = match(m, at + count, end + 1);
        if (found != NULL) return found;
    }
    return NULL;
}

static const char* match_shortest(kin_pattern* m, const char* at, const char* p, const char* end)
{
    for (;;) {
        const char* found = match(m, at, end + 1);
        if (found != NULL) return found;
        if (!fits(m, at, p, end)) return NULL;
        ++at;
    }
}

static const char* match_optional(kin_pattern* m, const char* at, const char* p, const char* end)
{
    if (fits(m, at, p, end)) {
        const char* found = match(m, at + 1, end + 1);
        if (found != NULL) return found;
    }
    return match(m, at, end + 1);
}

static const char* open_capture(kin_pattern* m, const char* at, const char* p, ptrdiff_t mark)
{
    if (m->captures >= KIN_PATTERN_CAPTURES) luaL_error(m->lua, "too many captures");
    m->capture[m->captures] = (kin_capture_range){at, mark};
    m->captures += 1;
    const char* found = match(m, at, p);
    if (found == NULL) m->captures -= 1;
    return found;
}

static const char* close_capture(kin_pattern* m, const char* at, const char* p)
{
    int i = m->captures - 1;
    while (i >= 0 && m->capture[i].length != KIN_CAPTURE_OPEN) --i;
    if (i < 0) luaL_error(m->lua, "invalid pattern capture");
    m->capture[i].length = at - m->capture[i].begin;
    const char* found = match(m, at, p);
    if (found == NULL) m->capture[i].length = KIN_CAPTURE_OPEN;
    return found;
}

/* %1: what the capture held, again. */
static const char* match_again(kin_pattern* m, const char* at, int digit)
{
    int i = digit - '1';
    if (i < 0 || i >= m->captures || m->capture[i].length == KIN_CAPTURE_OPEN) luaL_error(m->lua, "invalid capture index %%%d", i + 1);
    if (m->capture[i].length == KIN_CAPTURE_POSITION) luaL_error(m->lua, "capture %%%d is a position", i + 1);
    size_t length = (size_t)m->capture[i].length;
    kin_script_charge(m->lua, length);
    if ((size_t)(m->text_end - at) < length || memcmp(m->capture[i].begin, at, length) != 0) return NULL;
    return at + length;
}

/* %f[set]: here a character outside the set is followed by one inside. *p goes beyond the set. */
static bool at_frontier(kin_pattern* m, const char* at, const char** p)
{
    if (*p >= m->pattern_end || **p != '[') luaL_error(m->lua, "missing '[' after '%%f' in pattern");
    const char* end = item_end(m, *p);
    int before = at == m->text ? 0 : (unsigned char)at[-1];
    int here = at < m->text_end ? (unsigned char)*at : 0;
    bool found = !in_set(m, before, *p, end - 1) && in_set(m, here, *p, end - 1);
    *p = end;
    return found;
}

/* An item and the sign behind it. *at and *p move on when it took one character and needs no choice; the result is then NULL and *done false. */
static const char* match_item(kin_pattern* m, const char** at, const char** p, bool* done)
{
    const char* end = item_end(m, *p);
    int sign = end < m->pattern_end ? *end : 0;
    *done = true;
    switch (sign) {
    case '*': return match_longest(m, *at, *p, end);
    case '+': return fits(m, *at, *p, end) ? match_longest(m, *at + 1, *p, end) : NULL;
    case '-': return match_shortest(m, *at, *p, end);
    case '?': return match_optional(m, *at, *p, end);
    default: break;
    }
    if (!fits(m, *at, *p, end)) return NULL;
    *at += 1;
    *p = end;
    *done = false;
    return NULL;
}

static const char* match_here(kin_pattern* m, const char* at, const char* p)
{
    while (p < m->pattern_end) {
        kin_script_charge(m->lua, 1);
        int next = p + 1 < m->pattern_end ? (unsigned char)p[1] : 0;
        if (*p == '(') return next == ')' ? open_capture(m, at, p + 2, KIN_CAPTURE_POSITION) : open_capture(m, at, p + 1, KIN_CAPTURE_OPEN);
        if (*p == ')') return close_capture(m, at, p + 1);
        if (*p == '$' && p + 1 == m->pattern_end) return at == m->text_end ? at : NULL;
        if (*p == ESCAPE && next == 'b') {
            at = match_balance(m, at, p + 2);
            if (at == NULL) return NULL;
            p += 4;
        } else if (*p == ESCAPE && next == 'f') {
            p += 2;
            if (!at_frontier(m, at, &p)) return NULL;
        } else if (*p == ESCAPE && isdigit(next) != 0) {
            at = match_again(m, at, next);
            if (at == NULL) return NULL;
            p += 2;
        } else {
            bool done;
            const char* found = match_item(m, &at, &p, &done);
            if (done) return found;
        }
    }
    return at;
}

static const char* match(kin_pattern* m, const char* at, const char* p)
{
    if (m->depth-- == 0) luaL_error(m->lua, "pattern too complex");
    const char* found = match_here(m, at, p);
    m->depth += 1;
    return found;
}

const char* kin_pattern_match(kin_pattern* m, const char* at)
{
    m->depth = DEEPEST;
    m->captures = 0;
    return match(m, at, m->pattern);
}

/* ---- captures ---- */

void kin_pattern_push(kin_pattern* m, int i, const char* begin, const char* end)
{
    if (i >= m->captures) {
        if (i != 0) luaL_error(m->lua, "invalid capture index %%%d", i + 1);
        lua_pushlstring(m->lua, begin, (size_t)(end - begin));
        return;
    }
    kin_capture_range c = m->capture[i];
    if (c.length == KIN_CAPTURE_OPEN) luaL_error(m->lua, "unfinished capture");
    if (c.length == KIN_CAPTURE_POSITION) {
        lua_pushinteger(m->lua, c.begin - m->text + 1);
    } else {
        lua_pushlstring(m->lua, c.begin, (size_t)c.length);
    }
}

int kin_pattern_push_all(kin_pattern* m, const char* begin, const char* end)
{
    int count = m->captures == 0 && begin != NULL ? 1 : m->captures;
    luaL_checkstack(m->lua, count, "too many captures");
    for (int i = 0; i < count; ++i) kin_pattern_push(m, i, begin, end);
    return count;
}
