/* lua_pattern.h - Lua's patterns, matched within the script's budget: every step of the backtracking is charged. */
#pragma once
#include "scene/script.h"

enum { KIN_PATTERN_CAPTURES = 32 };

typedef struct kin_capture_range {
    const char* begin;
    ptrdiff_t length; /* or one of the marks below */
} kin_capture_range;
enum { KIN_CAPTURE_OPEN = -1, KIN_CAPTURE_POSITION = -2 };

typedef struct kin_pattern {
    lua_State* lua;
    const char *text, *text_end;
    const char *pattern, *pattern_end; /* without a leading ^ */
    int depth;                         /* of recursion that is left */
    int captures;
    kin_capture_range capture[KIN_PATTERN_CAPTURES];
} kin_pattern;

void kin_pattern_init(kin_pattern* m, lua_State* L, const char* text, size_t length, const char* pattern, size_t pattern_length);
/* The end of the match that begins at `at`, or NULL. Raises on a malformed pattern. */
const char* kin_pattern_match(kin_pattern* m, const char* at);
/* Pushes capture number i; without any, number 0 is the whole match. */
void kin_pattern_push(kin_pattern* m, int i, const char* begin, const char* end);
/* Pushes all captures, or the whole match when there are none (and begin is not NULL). Returns how many. */
int kin_pattern_push_all(kin_pattern* m, const char* begin, const char* end);
