/* picture_read.h - pictures from PNG files, for sprites. */
#pragma once
#include "kinema/base.h"
#include "kinema/picture.h"

/* Linear rgba, the top row first. On failure *out is empty; error names the file. */
kin_result kin_picture_read(const kin_allocator* allocator, const char* path, kin_picture_view* out, kin_error* error);
void kin_picture_free(const kin_allocator* allocator, kin_picture_view* picture);
