/* json.h - JSON text to a tree of plain values (Jansson behind). Writing is base/tree.h's kin_node_write. */
#pragma once
#include "base/tree.h"
#include "kinema/base.h"

typedef struct kin_json_limits {
    size_t max_bytes;
    int max_depth;
    size_t max_nodes;
} kin_json_limits;

/* file names the text in errors: "dominoes.json:12:41: ...". Duplicate keys, NaN and infinities are errors. */
kin_result kin_json_read(kin_tree* tree, const char* text, size_t length, const char* file, const kin_json_limits* limits, kin_error* error);
/* Where the value at a path such as bodies[3].shape.radius stands in the text; false if it does not. */
bool kin_json_locate(const char* text, size_t length, const char* path, int* line, int* column);
