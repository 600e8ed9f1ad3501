/* error.c - error texts, the assert handler, log lines. */
#include "base/error.h"
#include "base/text.h"
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- results ---- */

static void copy_text(char* to, size_t size, const char* from)
{
    size_t length = strnlen(from, size - 1);
    memcpy(to, from, length);
    to[length] = 0;
}

kin_result kin_fail(kin_error* error, kin_result result, const char* where, const char* format, ...)
{
    if (error == NULL) return result;
    kin_error made = {.code = result}; /* aside, as the arguments may lie in the error that is being reworded */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(made.message, sizeof made.message, format, arguments);
    va_end(arguments);
    if (where != NULL) copy_text(made.where, sizeof made.where, where);
    *error = made;
    return result;
}

kin_result kin_fail_memory(kin_error* error, const char* what, size_t bytes)
{
    static const char* const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    if (bytes > PTRDIFF_MAX) return kin_fail(error, KIN_ERROR_MEMORY, NULL, "out of memory: %s is too big for any machine", what);
    int unit = 0;
    for (; bytes >= 10240 && unit < 4; ++unit) bytes = bytes / 1024 + (bytes % 1024 != 0);
    return kin_fail(error, KIN_ERROR_MEMORY, NULL, "out of memory: %s needs %zu %s", what, bytes, units[unit]);
}

kin_result kin_within(kin_result result, const char* path, kin_error* error)
{
    if (result == KIN_OK || error == NULL) return result;
    char where[sizeof error->where] = "";
    kin_text_append(where, sizeof where, "%s%s%s", path, error->where[0] != 0 ? "." : "", error->where);
    snprintf(error->where, sizeof error->where, "%s", where);
    return result;
}

void kin_error_text(const kin_error* error, char* text, size_t size)
{
    if (size == 0) return;
    snprintf(text, size, "%s%s%s", error->where, error->where[0] != 0 ? ": " : "", error->message);
}

const char* kin_result_name(kin_result result)
{
    switch (result) {
    case KIN_OK: return "ok";
    case KIN_ERROR_MEMORY: return "out of memory";
    case KIN_ERROR_ARGUMENT: return "bad argument";
    case KIN_ERROR_SYNTAX: return "bad syntax";
    case KIN_ERROR_FILE: return "file trouble";
    case KIN_ERROR_FORMAT: return "bad file format";
    case KIN_ERROR_LIMIT: return "limit exceeded";
    case KIN_ERROR_MISMATCH: return "mismatch";
    case KIN_ERROR_NUMERICS: return "numerical failure";
    case KIN_ERROR_STOPPED: return "stopped";
    }
    return "unknown result";
}

/* ---- asserts ---- */

/* The one place the library writes to a stream: the process ends with it. */
static bool report_and_abort(const char* condition, const char* file, int line)
{
    fprintf(stderr, "kinema: %s:%d: caller's bug: %s is false\n", file, line, condition);
    return false;
}

static _Atomic(kin_assert_fn*) assert_handler = report_and_abort;

void kin_set_assert_handler(kin_assert_fn* handler) { atomic_store(&assert_handler, handler != NULL ? handler : report_and_abort); }

void kin_assert_failed(const char* condition, const char* file, int line)
{
    kin_assert_fn* handler = atomic_load(&assert_handler);
    if (!handler(condition, file, line)) abort();
}

/* ---- logs ---- */

void kin_log_text(const kin_log* log, kin_log_level level, const char* format, ...)
{
    if (log == NULL || log->write == NULL) return;
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    log->write(log->context, level, message);
}
