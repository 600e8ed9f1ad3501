/* stats_log.c - a header, then a row a frame. */
#include "io/stats_log.h"
#include "base/alloc.h"
#include "base/error.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- text ---- */

static bool put(kin_stats_log* log, const char* format, ...) KIN_PRINTF(2, 3);
static bool put(kin_stats_log* log, const char* format, ...)
{
    char piece[256];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    if (length < 0 || length >= (int)sizeof piece) return false;
    if (!kin_reserve(&log->allocator, (void**)&log->text, &log->capacity, log->length + (size_t)length, 1)) return false;
    memcpy(log->text + log->length, piece, (size_t)length);
    log->length += (size_t)length;
    return true;
}

/* A name is a person's: what would break the table apart becomes a line below. */
static bool put_column(kin_stats_log* log, const char* system, const char* measure)
{
    char name[128];
    snprintf(name, sizeof name, "%s.%s", system, measure);
    for (char* c = name; *c != 0; ++c) {
        if (*c == ',' || *c == '"' || (unsigned char)*c < ' ') *c = '_';
    }
    return put(log, ",%s", name);
}

static bool put_value(kin_stats_log* log, double value) { return value == value ? put(log, ",%.9g", value) : put(log, ",nan"); /* printf may say -nan */ }

/* The measures of one system, in its fixed order; SIZE_MAX when memory is out. */
static size_t measure(kin_stats_log* log, const kin_world* world, uint32_t number)
{
    size_t count = kin_world_measure(world, number, log->measures, log->measure_capacity);
    if (count <= log->measure_capacity) return count;
    if (!kin_reserve(&log->allocator, (void**)&log->measures, &log->measure_capacity, count, sizeof *log->measures)) return SIZE_MAX;
    return kin_world_measure(world, number, log->measures, log->measure_capacity);
}

static kin_result make_header(kin_stats_log* log, const kin_world* world, kin_error* error)
{
    log->length = 0;
    bool ok = put(log, "frame,time");
    for (uint32_t number = 1; ok && number <= kin_world_system_count(world); ++number) {
        size_t count = measure(log, world, number);
        ok = count != SIZE_MAX;
        for (size_t i = 0; ok && i < count; ++i) ok = put_column(log, kin_world_system_name(world, number), log->measures[i].name);
    }
    ok = ok && put(log, "\n");
    return ok ? KIN_OK : kin_fail_memory(error, "a row of stats.csv", log->length);
}

static kin_result make_row(kin_stats_log* log, const kin_world* world, uint64_t frame, double time, kin_error* error)
{
    log->length = 0;
    bool ok = put(log, "%" PRIu64 ",%.9g", frame, time);
    for (uint32_t number = 1; ok && number <= kin_world_system_count(world); ++number) {
        size_t count = measure(log, world, number);
        ok = count != SIZE_MAX;
        for (size_t i = 0; ok && i < count; ++i) ok = put_value(log, log->measures[i].value);
    }
    ok = ok && put(log, "\n");
    return ok ? KIN_OK : kin_fail_memory(error, "a row of stats.csv", log->length);
}

/* ---- the file ---- */

/* Bytes of the header and the first rows; 0 if they are not all there. */
static size_t whole_rows(const kin_stats_log* log, const char* text, size_t size, uint64_t rows)
{
    if (size < log->length || memcmp(text, log->text, log->length) != 0) return 0;
    size_t position = log->length;
    for (uint64_t row = 0; row < rows; ++row) {
        const char* end = memchr(text + position, '\n', size - position);
        char* comma;
        if (end == NULL || strtoull(text + position, &comma, 10) != row || *comma != ',') return 0;
        position = (size_t)(end - text) + 1;
    }
    return position;
}

static kin_result keep_rows(kin_stats_log* log, uint64_t rows, kin_error* error)
{
    char* text;
    size_t size;
    kin_result result = kin_file_read(&log->allocator, log->path, kin_memory_available(), &text, &size, error);
    if (result != KIN_OK) return result;
    size_t kept = whole_rows(log, text, size, rows);
    if (kept == 0) result = kin_fail(error, KIN_ERROR_FORMAT, log->path, "it does not hold the columns of this scene and %" PRIu64 " rows", rows);
    if (kept > 0 && kept < size) result = kin_file_write(log->path, text, kept, error);
    log->size = kept;
    kin_free(&log->allocator, text, size + 1);
    return result;
}

static kin_result fail_errno(const kin_stats_log* log, kin_error* error)
{
    return kin_fail(error, KIN_ERROR_FILE, log->path, "cannot write: %s", strerror(errno));
}

static kin_result begin(kin_stats_log* log, const kin_world* world, uint64_t rows, kin_error* error)
{
    kin_result result = make_header(log, world, error);
    if (result != KIN_OK) return result;
    if (rows > 0) {
        result = keep_rows(log, rows, error);
    } else {
        result = kin_file_write(log->path, log->text, log->length, error);
        log->size = log->length;
    }
    if (result != KIN_OK) return result;
    log->file = open(log->path, O_WRONLY | O_APPEND | O_CLOEXEC);
    log->open = log->file >= 0;
    return log->open ? KIN_OK : fail_errno(log, error);
}

kin_result kin_stats_log_begin(kin_stats_log* log, const kin_allocator* allocator, const char* path, const kin_world* world, uint64_t rows, kin_error* error)
{
    *log = (kin_stats_log){.allocator = *allocator};
    if (strlen(path) >= sizeof log->path) return kin_fail(error, KIN_ERROR_FILE, path, "the path is too long");
    strcpy(log->path, path);
    kin_result result = begin(log, world, rows, error);
    if (result != KIN_OK) kin_stats_log_end(log);
    return result;
}

static bool append(int file, const char* text, size_t length)
{
    while (length > 0) {
        ssize_t count = write(file, text, length);
        if (count < 0 && errno != EINTR) return false;
        if (count < 0) continue;
        text += count;
        length -= (size_t)count;
    }
    return true;
}

kin_result kin_stats_log_row(kin_stats_log* log, const kin_world* world, uint64_t frame, double time, kin_error* error)
{
    kin_result result = make_row(log, world, frame, time, error);
    if (result != KIN_OK) return result;
    if (!append(log->file, log->text, log->length)) {
        result = fail_errno(log, error);
        bool taken_back = ftruncate(log->file, (off_t)log->size) == 0;
        (void)taken_back; /* if not, half a row stays, which readers leave out */
        return result;
    }
    log->size += log->length;
    return KIN_OK;
}

kin_result kin_stats_log_sync(kin_stats_log* log, kin_error* error) { return fsync(log->file) == 0 ? KIN_OK : fail_errno(log, error); }

void kin_stats_log_end(kin_stats_log* log)
{
    if (log->open) close(log->file);
    kin_free(&log->allocator, log->text, log->capacity);
    kin_free(&log->allocator, log->measures, log->measure_capacity * sizeof *log->measures);
    *log = (kin_stats_log){0};
}
