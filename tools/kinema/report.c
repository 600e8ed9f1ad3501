/* report.c - messages and JSON. */
#include "report.h"
#include "base/alloc.h"
#include "progress.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int kin_complain(int code, const kin_error* error)
{
    char text[1100];
    kin_error_text(error, text, sizeof text);
    return kin_complain_text(code, "%s", text);
}

int kin_complain_text(int code, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    kin_progress_clear();
    fputs("kinema: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return code;
}

static void write_log(void* context, kin_log_level level, const char* message)
{
    (void)context;
    if (level == KIN_LOG_DEBUG) return;
    kin_complain_text(0, "%s%s", level == KIN_LOG_WARNING ? "warning: " : "", message);
}

kin_log kin_report_log(void) { return (kin_log){.write = write_log}; }

kin_node* kin_report_number(kin_tree* tree, double value) { return isfinite(value) ? kin_node_number(tree, value) : kin_node_null(tree); }

kin_node* kin_report_text(kin_tree* tree, const char* text) { return kin_node_string(tree, text, strlen(text)); }

kin_node* kin_report_hash(kin_tree* tree, uint64_t hash)
{
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    return kin_report_text(tree, text);
}

int kin_report_print(const kin_tree* tree, bool made)
{
    kin_allocator allocator = kin_allocator_default();
    char* text = NULL;
    size_t length = 0, capacity = 0;
    made = made && kin_node_write(tree->root, 2, &allocator, &text, &length, &capacity);
    if (made) printf("%s\n", text);
    kin_free(&allocator, text, capacity);
    return made ? KIN_EXIT_DONE : kin_complain_text(KIN_EXIT_FAILED, "there is no memory for the report");
}
