/* stats.h - reading stats.csv: frame,time,<system>.<measure>,... A last line that is not ended is left out; nan and inf are numbers. */
#pragma once
#include "kinema/base.h"

typedef struct kin_stats {
    kin_allocator allocator;
    char* text; /* owns the column names */
    size_t text_size;
    char** columns;
    double* values; /* row after row */
    size_t column_count, row_count, value_capacity;
} kin_stats;

kin_result kin_stats_read(const kin_allocator* allocator, const char* path, kin_stats* out, kin_error* error);
void kin_stats_free(kin_stats* stats);
