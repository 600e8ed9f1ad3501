/* writer.c - printing onto the end of a text that grows. */
#include "scene/writer.h"
#include "base/alloc.h"
#include "base/error.h"
#include <stdarg.h>
#include <stdio.h>

void kin_writer_put(kin_writer* w, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    kin_text* t = w->out;
    if (length < 0 || !kin_reserve(&t->allocator, (void**)&t->data, &t->capacity, t->length + (size_t)length + 1, 1)) {
        w->failed = true;
        return;
    }
    va_start(arguments, format);
    vsnprintf(t->data + t->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    t->length += (size_t)length;
}

kin_result kin_writer_end(const kin_writer* w, kin_error* error) { return w->failed ? kin_fail_memory(error, "a text", w->out->length) : KIN_OK; }
