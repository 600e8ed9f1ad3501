/* param_inside.h - shared by param.c, which reads and checks, and param_words.c, which describes. */
#pragma once
#include "system/param.h"

enum { KIN_PARAM_MOST_NAMES = 128 };

typedef struct kin_param_list {
    const void* data;
    size_t count;
} kin_param_list; /* what every LIST in a def begins as */

typedef struct kin_param_range {
    double low, high;
    bool has_low, has_high, open_low, open_high;
} kin_param_range;

kin_param_range kin_param_range_of(const kin_param* param);
/* "> 0 and <= 1"; empty when there is none. */
void kin_param_range_text(kin_param_range range, char* text, size_t size);

size_t kin_names_count(const char* const* names); /* NULL-terminated; may be NULL */
void kin_names_join(const char* const* names, size_t count, char* text, size_t size);
/* Names of the rows. Returns how many. */
size_t kin_param_names(const kin_param* params, const char** names, size_t most);
