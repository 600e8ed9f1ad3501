/* tree.h - a tree of plain values: what a scene, a manifest and a recording are made of. JSON is its text form.
 * Nodes live in the tree's own arena and are freed with it. Tables keep their keys in sorted order. */
#pragma once
#include "base/arena.h"
#include "kinema/base.h"

typedef enum kin_node_type { KIN_NODE_NULL, KIN_NODE_BOOL, KIN_NODE_NUMBER, KIN_NODE_STRING, KIN_NODE_LIST, KIN_NODE_TABLE } kin_node_type;

typedef struct kin_node kin_node;
struct kin_node {
    kin_node_type type;
    uint32_t count; /* children of a list or table; bytes of a string */
    union {
        bool boolean;
        double number;
        const char* string; /* terminated; may hold other zeros, count says */
        kin_node** items;   /* list and table */
    };
    const char** keys; /* table: sorted, unique, parallel to items */
};

typedef struct kin_tree {
    kin_arena arena;
    kin_node* root;
    char* slab; /* the arena's current piece for small things, and what is left of it */
    size_t slab_left;
} kin_tree;

void kin_tree_init(kin_tree* tree, const kin_allocator* allocator);
void kin_tree_term(kin_tree* tree);

/* Makers return NULL when memory is out; adders return false then, and take a NULL child as that failure. */
kin_node* kin_node_null(kin_tree* tree);
kin_node* kin_node_bool(kin_tree* tree, bool value);
kin_node* kin_node_number(kin_tree* tree, double value);
kin_node* kin_node_string(kin_tree* tree, const char* text, size_t length);
kin_node* kin_node_list(kin_tree* tree);
kin_node* kin_node_table(kin_tree* tree);
bool kin_node_append(kin_tree* tree, kin_node* list, kin_node* child);
bool kin_node_set(kin_tree* tree, kin_node* table, const char* key, kin_node* child); /* replaces; copies key */
kin_node* kin_node_copy(kin_tree* tree, const kin_node* node);                        /* deep */
bool kin_node_remove(kin_node* table, const char* key);

const kin_node* kin_node_get(const kin_node* table, const char* key); /* NULL if absent or not a table */
bool kin_node_equal(const kin_node* a, const kin_node* b);
const char* kin_node_type_name(kin_node_type type); /* "a number", "a list", ... as in error messages */

/* Canonical JSON: sorted keys, the shortest of 15 to 17 digits that reads back the same, whole numbers up to 2^53 without exponent.
 * Strings are taken to be UTF-8. indent 0: one line; else spaces per level, lists of plain values on one line.
 * Appends to *text (start with NULL, 0, 0), terminated, growing it through the allocator; the caller frees *capacity bytes, also
 * after failure. False: out of memory, or a NaN or infinity, which JSON has not.
 * The reader is src/scene's; this writer serves manifests and recordings too. */
bool kin_node_write(const kin_node* node, int indent, const kin_allocator* allocator, char** text, size_t* length, size_t* capacity);
