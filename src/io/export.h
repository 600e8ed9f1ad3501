/* export.h - frames to the files of other tools: a row per format. */
#pragma once
#include "io/cache.h"

typedef struct kin_export_format {
    const char* name; /* csv, poses */
    const char* doc;
    /* All frames of the cache into path. */
    kin_result (*write)(kin_cache* cache, const char* path, kin_error* error);
} kin_export_format;

extern const kin_export_format kin_export_formats[]; /* csv, poses; ends with a NULL name */

kin_result kin_export_csv(kin_cache* cache, const char* path, kin_error* error);
kin_result kin_export_poses(kin_cache* cache, const char* path, kin_error* error);
