/* error.h - filling in a kin_error, asserting, logging. */
#pragma once
#include "kinema/base.h"

/* Fills error (may be NULL) and returns result, so that a failure is one line: return kin_fail(...). */
kin_result kin_fail(kin_error* error, kin_result result, const char* where, const char* format, ...) KIN_PRINTF(4, 5);
kin_result kin_fail_memory(kin_error* error, const char* what, size_t bytes);
/* Puts a path before what was said to be wrong: colliders[2] and shape.radius. Returns result. */
kin_result kin_within(kin_result result, const char* path, kin_error* error);

void kin_assert_failed(const char* condition, const char* file, int line);
#define KIN_ASSERT(condition) ((condition) ? (void)0 : kin_assert_failed(#condition, __FILE__, __LINE__))

void kin_log_text(const kin_log* log, kin_log_level level, const char* format, ...) KIN_PRINTF(3, 4);
