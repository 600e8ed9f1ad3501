/* stats.c - reading stats.csv. Rows are appended while a run goes on, so the last line may be half written: a line counts once it is ended. */
#include "io/stats.h"
#include "base/alloc.h"
#include "base/error.h"
#include "io/file.h"
#include <stdlib.h>
#include <string.h>

static size_t count_cells(const char* line)
{
    size_t count = 1;
    for (; *line != 0; ++line) count += *line == ',';
    return count;
}

/* Ends the line in place; NULL when no whole line is left. */
static char* take_line(char** rest)
{
    char* line = *rest;
    char* end = strchr(line, '\n');
    if (end == NULL) return NULL;
    *rest = end + 1;
    *end = 0;
    if (end > line && end[-1] == '\r') end[-1] = 0;
    return line;
}

static kin_result fail_line(kin_error* error, const char* path, size_t line, const char* what, const char* text)
{
    char where[512];
    snprintf(where, sizeof where, "%.480s:%zu", path, line);
    return kin_fail(error, KIN_ERROR_FORMAT, where, "%s%.60s", what, text);
}

static kin_result read_header(kin_stats* stats, const char* path, char** rest, kin_error* error)
{
    char* line = take_line(rest);
    bool known = line != NULL && (strcmp(line, "frame,time") == 0 || strncmp(line, "frame,time,", 11) == 0);
    if (!known) return fail_line(error, path, 1, "this is no stats.csv: its first line must begin with frame,time", "");
    size_t count = count_cells(line);
    stats->columns = kin_alloc(&stats->allocator, count * sizeof *stats->columns);
    if (stats->columns == NULL) return kin_fail_memory(error, "the columns of stats.csv", count * sizeof *stats->columns);
    stats->column_count = count;
    for (size_t i = 0; i < count; ++i) stats->columns[i] = strsep(&line, ",");
    return KIN_OK;
}

static kin_result read_row(kin_stats* stats, const char* path, size_t number, char* line, kin_error* error)
{
    size_t used = stats->row_count * stats->column_count;
    if (count_cells(line) != stats->column_count) return fail_line(error, path, number, "the row has not as many values as the header: ", line);
    if (!kin_reserve(&stats->allocator, (void**)&stats->values, &stats->value_capacity, used + stats->column_count, sizeof *stats->values)) {
        return kin_fail_memory(error, "the rows of stats.csv", used * sizeof *stats->values);
    }
    for (size_t i = 0; i < stats->column_count; ++i) {
        char* cell = strsep(&line, ",");
        char* end;
        stats->values[used + i] = strtod(cell, &end);
        if (end == cell || *end != 0) return fail_line(error, path, number, "this is not a number: ", cell);
    }
    stats->row_count += 1;
    return KIN_OK;
}

static kin_result read_all(kin_stats* stats, const char* path, kin_error* error)
{
    kin_result result = kin_file_read(&stats->allocator, path, kin_memory_available(), &stats->text, &stats->text_size, error);
    if (result != KIN_OK) return result;
    if (memchr(stats->text, 0, stats->text_size) != NULL) return kin_fail(error, KIN_ERROR_FORMAT, path, "this is no stats.csv: it holds zero bytes");
    char* rest = stats->text;
    result = read_header(stats, path, &rest, error);
    for (size_t number = 2; result == KIN_OK; ++number) {
        char* line = take_line(&rest);
        if (line == NULL) break;
        result = read_row(stats, path, number, line, error);
    }
    return result;
}

kin_result kin_stats_read(const kin_allocator* allocator, const char* path, kin_stats* out, kin_error* error)
{
    *out = (kin_stats){.allocator = *allocator};
    kin_result result = read_all(out, path, error);
    if (result != KIN_OK) kin_stats_free(out);
    return result;
}

void kin_stats_free(kin_stats* stats)
{
    if (stats->text != NULL) kin_free(&stats->allocator, stats->text, stats->text_size + 1);
    kin_free(&stats->allocator, stats->columns, stats->column_count * sizeof *stats->columns);
    kin_free(&stats->allocator, stats->values, stats->value_capacity * sizeof *stats->values);
    *stats = (kin_stats){0};
}
