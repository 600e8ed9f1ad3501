/* export_xyz.h - see export_xyz.c. In the house its prototype stands in io/export.h. */
#pragma once
#include "io/export.h"

kin_result kin_export_xyz(kin_cache* cache, const char* path, kin_error* error);
