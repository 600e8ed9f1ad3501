/* tree_diff.h - what changed between two trees, in words. */
#pragma once
#include "base/tree.h"

typedef struct kin_tree_change {
    char path[256];       /* systems[0].integrator */
    char was[80], is[80]; /* JSON, shortened; "absent" */
} kin_tree_change;

/* The first difference, in the order of lists and sorted keys; false if there is none. A NULL tree is absent. */
bool kin_tree_differs(const kin_node* was, const kin_node* is, const kin_allocator* allocator, kin_tree_change* out);
/* A value as short JSON. */
void kin_node_brief(const kin_node* node, const kin_allocator* allocator, char* text, size_t size);
