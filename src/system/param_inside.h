/* param_inside.h - shared by param.c, which reads, param_check.c, which checks, and param_words.c, which describes. */
#pragma once
#include "base/error.h"
#include "system/param.h"

enum { KIN_PARAM_MOST_NAMES = 128 };

/* Where in a tree or def: systems[0].particles[3].mass is a chain of these. */
typedef struct kin_place {
    const struct kin_place* parent;
    const char* key; /* NULL: an index */
    uint32_t index;
} kin_place;

typedef struct kin_reading {
    const kin_param_context* context;
    kin_error* error;
} kin_reading;

kin_result KIN_PRINTF(3, 4) kin_param_refuse(const kin_reading* r, const kin_place* at, const char* format, ...);
kin_result kin_param_check_number(const kin_reading* r, const kin_param* param, double x, const kin_place* at);
kin_result kin_param_check_numbers(const kin_reading* r, const kin_param* param, const double* values, uint32_t count, const kin_place* at);
kin_result kin_param_check_about(const kin_reading* r, const kin_param* param, const double values[2], const kin_place* at);

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
size_t kin_param_choices(const kin_param* params, const char** names, size_t most); /* without those that may stand beside */
