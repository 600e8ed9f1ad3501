/* text.c - names that were meant, colours, text that grows to the end of its buffer. */
#include "base/text.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define QUOTE(x) #x
#define VERSION(major, minor, patch) QUOTE(major) "." QUOTE(minor) "." QUOTE(patch)

const char* kin_version(void) { return VERSION(KIN_VERSION_MAJOR, KIN_VERSION_MINOR, KIN_VERSION_PATCH); }

/* ---- nearest name ---- */

enum { LONGEST_NAME = 63 };

static char fold(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static int least(int a, int b) { return a < b ? a : b; }

/* Damerau-Levenshtein (optimal string alignment): inserted, dropped, changed and swapped letters; case does not count. */
static int edit_distance(const char* a, int a_length, const char* b, int b_length)
{
    int rows[3][LONGEST_NAME + 1];
    int *before = rows[0], *above = rows[1], *row = rows[2];
    for (int j = 0; j <= b_length; ++j) above[j] = j;
    for (int i = 1; i <= a_length; ++i) {
        row[0] = i;
        for (int j = 1; j <= b_length; ++j) {
            int changed = above[j - 1] + (fold(a[i - 1]) != fold(b[j - 1]));
            row[j] = least(changed, least(above[j], row[j - 1]) + 1);
            bool swapped = i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) && fold(a[i - 2]) == fold(b[j - 1]);
            if (swapped) row[j] = least(row[j], before[j - 2] + 1);
        }
        int* free_row = before;
        before = above, above = row, row = free_row;
    }
    return above[b_length];
}

/* One is the beginning of the other: "pos" for "position", "radius_m" for "radius". */
static bool begins(const char* a, int a_length, const char* b, int b_length)
{
    int length = least(a_length, b_length);
    if (length < 3) return false;
    for (int i = 0; i < length; ++i) {
        if (fold(a[i]) != fold(b[i])) return false;
    }
    return true;
}

const char* kin_text_nearest(const char* word, const char* const* names, size_t count)
{
    enum { BEGINNING = 1000 }; /* worse than any edit, better than nothing */
    size_t length = strlen(word);
    if (length == 0 || length > LONGEST_NAME) return NULL;
    int word_length = (int)length;
    int allowed = word_length >= 6 ? word_length / 3 : 1;
    const char* nearest = NULL;
    int nearest_score = 0;
    for (size_t i = 0; i < count; ++i) {
        size_t name_size = strlen(names[i]);
        if (name_size > LONGEST_NAME) continue;
        int name_length = (int)name_size;
        int distance = edit_distance(word, word_length, names[i], name_length);
        bool close = distance <= allowed && distance < word_length; /* a word wholly replaced is no likeness */
        if (!close && !begins(word, word_length, names[i], name_length)) continue;
        int score = close ? distance : BEGINNING + distance;
        if (nearest != NULL && score >= nearest_score) continue;
        nearest = names[i];
        nearest_score = score;
    }
    return nearest;
}

/* ---- colours ---- */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    c = fold(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* a in (0, 1]. From 1 Newton falls monotonically on the root of y^5 = a; within the range used here 12 steps reach rounding. */
static double fifth_root(double a)
{
    double y = 1;
    for (int i = 0; i < 16; ++i) {
        double y2 = y * y;
        y = (4 * y + a / (y2 * y2)) / 5;
    }
    return y;
}

/* IEC 61966-2-1. x^2.4 = x^2 (x^2)^(1/5): + - * / only, so the same bits everywhere. */
static double linear_from_srgb(int byte)
{
    double s = byte / 255.0;
    if (s <= 0.04045) return s / 12.92;
    double x = (s + 0.055) / 1.055;
    return x * x * fifth_root(x * x);
}

bool kin_text_color(const char* text, float rgb[3])
{
    size_t length = strlen(text);
    if (text[0] != '#' || (length != 4 && length != 7)) return false;
    int digits[6];
    for (size_t i = 0; i + 1 < length; ++i) {
        digits[i] = hex_digit(text[i + 1]);
        if (digits[i] < 0) return false;
    }
    for (int i = 0; i < 3; ++i) {
        int byte = length == 4 ? 17 * digits[i] : 16 * digits[2 * i] + digits[2 * i + 1];
        rgb[i] = (float)linear_from_srgb(byte);
    }
    return true;
}

/* ---- appending ---- */

void kin_text_append(char* buffer, size_t size, const char* format, ...)
{
    size_t used = strnlen(buffer, size);
    if (used >= size) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(buffer + used, size - used, format, arguments);
    va_end(arguments);
}
