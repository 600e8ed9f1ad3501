/* writer.h - generated text: grows, and remembers when it could not. */
#pragma once
#include "scene/scene.h"

typedef struct kin_writer {
    kin_text* out;
    bool failed; /* memory */
} kin_writer;

void kin_writer_put(kin_writer* w, const char* format, ...) KIN_PRINTF(2, 3);
kin_result kin_writer_end(const kin_writer* w, kin_error* error);
