/* frame_check.h - is a frame what frame.h says: arrays a kind must have, their types and rows, indices within their vertices.
 * Who reads a checked frame need not look again. Floats may be anything, NaN and infinities too: a blown-up run can be looked at. */
#pragma once
#include "kinema/frame.h"

size_t kin_array_type_size(kin_array_type type);
/* Bytes of its data; SIZE_MAX when that does not fit. */
size_t kin_array_size(const kin_array* array);
/* where names the frame in errors. */
kin_result kin_frame_check(const kin_frame* frame, const char* where, kin_error* error);
