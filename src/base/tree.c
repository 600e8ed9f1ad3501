/* tree.c - making, finding, comparing and writing nodes. Small pieces are cut from slabs of the arena, whose own takes are a
 * cache line each. A child array has room for the next power of two of its count, so its capacity needs no field; an
 * outgrown one stays in the arena until the tree goes, which costs as much again at most. */
#include "base/tree.h"
#include "base/alloc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLAB_SIZE = 4096, FIRST_CAPACITY = 4 };

void kin_tree_init(kin_tree* tree, const kin_allocator* allocator)
{
    *tree = (kin_tree){0};
    kin_arena_init(&tree->arena, allocator);
}

void kin_tree_term(kin_tree* tree)
{
    kin_arena_term(&tree->arena);
    tree->root = NULL;
    tree->slab = NULL;
    tree->slab_left = 0;
}

/* ---- making ---- */

static void* take(kin_tree* tree, size_t size)
{
    size = (size + 7) / 8 * 8;
    if (size > SLAB_SIZE / 4) return kin_arena_take(&tree->arena, size);
    if (size > tree->slab_left) {
        char* slab = kin_arena_take(&tree->arena, SLAB_SIZE);
        if (slab == NULL) return NULL;
        tree->slab = slab;
        tree->slab_left = SLAB_SIZE;
    }
    void* memory = tree->slab;
    tree->slab += size;
    tree->slab_left -= size;
    return memory;
}

static kin_node* make(kin_tree* tree, kin_node_type type)
{
    kin_node* node = take(tree, sizeof *node);
    if (node != NULL) *node = (kin_node){.type = type};
    return node;
}

static char* copy_bytes(kin_tree* tree, const char* text, size_t length)
{
    char* copy = take(tree, length + 1);
    if (copy == NULL) return NULL;
    if (length > 0) memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

kin_node* kin_node_null(kin_tree* tree) { return make(tree, KIN_NODE_NULL); }

kin_node* kin_node_bool(kin_tree* tree, bool value)
{
    kin_node* node = make(tree, KIN_NODE_BOOL);
    if (node != NULL) node->boolean = value;
    return node;
}

kin_node* kin_node_number(kin_tree* tree, double value)
{
    kin_node* node = make(tree, KIN_NODE_NUMBER);
    if (node != NULL) node->number = value;
    return node;
}

kin_node* kin_node_string(kin_tree* tree, const char* text, size_t length)
{
    if (length >= UINT32_MAX) return NULL;
    kin_node* node = make(tree, KIN_NODE_STRING);
    if (node == NULL) return NULL;
    node->string = copy_bytes(tree, text, length);
    node->count = (uint32_t)length;
    return node->string != NULL ? node : NULL;
}

kin_node* kin_node_list(kin_tree* tree) { return make(tree, KIN_NODE_LIST); }

kin_node* kin_node_table(kin_tree* tree) { return make(tree, KIN_NODE_TABLE); }

/* ---- children ---- */

static size_t capacity_of(size_t count)
{
    if (count == 0) return 0;
    size_t capacity = FIRST_CAPACITY;
    while (capacity < count) capacity *= 2;
    return capacity;
}

static void* grow_array(kin_tree* tree, const void* array, size_t count)
{
    void** grown = take(tree, capacity_of(count + 1) * sizeof *grown);
    if (grown != NULL && count > 0) memcpy(grown, array, count * sizeof *grown);
    return grown;
}

/* Both arrays or neither: a failure leaves the node as it was. */
static bool make_room(kin_tree* tree, kin_node* node)
{
    if (node->count == UINT32_MAX) return false;
    if (node->count < capacity_of(node->count)) return true;
    kin_node** items = grow_array(tree, node->items, node->count);
    if (items == NULL) return false;
    if (node->type == KIN_NODE_TABLE) {
        const char** keys = grow_array(tree, node->keys, node->count);
        if (keys == NULL) return false;
        node->keys = keys;
    }
    node->items = items;
    return true;
}

bool kin_node_append(kin_tree* tree, kin_node* list, kin_node* child)
{
    if (list == NULL || child == NULL || !make_room(tree, list)) return false;
    list->items[list->count++] = child;
    return true;
}

/* Where key is, or where it would go. */
static bool find_key(const kin_node* table, const char* key, uint32_t* place)
{
    uint32_t low = 0, high = table->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = strcmp(table->keys[middle], key);
        if (order == 0) {
            *place = middle;
            return true;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *place = low;
    return false;
}

bool kin_node_set(kin_tree* tree, kin_node* table, const char* key, kin_node* child)
{
    if (table == NULL || child == NULL) return false;
    uint32_t place;
    if (find_key(table, key, &place)) {
        table->items[place] = child;
        return true;
    }
    const char* copy = copy_bytes(tree, key, strlen(key));
    if (copy == NULL || !make_room(tree, table)) return false;
    size_t behind = table->count - place;
    memmove(&table->items[place + 1], &table->items[place], behind * sizeof *table->items);
    memmove(&table->keys[place + 1], &table->keys[place], behind * sizeof *table->keys);
    table->items[place] = child;
    table->keys[place] = copy;
    table->count += 1;
    return true;
}

bool kin_node_remove(kin_node* table, const char* key)
{
    uint32_t place;
    if (table == NULL || table->type != KIN_NODE_TABLE || !find_key(table, key, &place)) return false;
    table->count -= 1;
    size_t behind = table->count - place;
    memmove(&table->items[place], &table->items[place + 1], behind * sizeof *table->items);
    memmove(&table->keys[place], &table->keys[place + 1], behind * sizeof *table->keys);
    return true;
}

const kin_node* kin_node_get(const kin_node* table, const char* key)
{
    uint32_t place;
    if (table == NULL || table->type != KIN_NODE_TABLE || !find_key(table, key, &place)) return NULL;
    return table->items[place];
}

static kin_node* copy_children(kin_tree* tree, const kin_node* node)
{
    kin_node* copy = make(tree, node->type);
    for (uint32_t i = 0; copy != NULL && i < node->count; ++i) {
        kin_node* child = kin_node_copy(tree, node->items[i]);
        bool ok = node->type == KIN_NODE_LIST ? kin_node_append(tree, copy, child) : kin_node_set(tree, copy, node->keys[i], child);
        if (!ok) return NULL;
    }
    return copy;
}

kin_node* kin_node_copy(kin_tree* tree, const kin_node* node)
{
    switch (node->type) {
    case KIN_NODE_NULL: return kin_node_null(tree);
    case KIN_NODE_BOOL: return kin_node_bool(tree, node->boolean);
    case KIN_NODE_NUMBER: return kin_node_number(tree, node->number);
    case KIN_NODE_STRING: return kin_node_string(tree, node->string, node->count);
    case KIN_NODE_LIST:
    case KIN_NODE_TABLE: return copy_children(tree, node);
    }
    return NULL;
}

/* ---- comparing ---- */

static bool equal_children(const kin_node* a, const kin_node* b)
{
    if (a->count != b->count) return false;
    for (uint32_t i = 0; i < a->count; ++i) {
        if (a->type == KIN_NODE_TABLE && strcmp(a->keys[i], b->keys[i]) != 0) return false;
        if (!kin_node_equal(a->items[i], b->items[i])) return false;
    }
    return true;
}

bool kin_node_equal(const kin_node* a, const kin_node* b)
{
    if (a == NULL || b == NULL) return a == b;
    if (a->type != b->type) return false;
    switch (a->type) {
    case KIN_NODE_NULL: return true;
    case KIN_NODE_BOOL: return a->boolean == b->boolean;
    case KIN_NODE_NUMBER: return a->number == b->number;
    case KIN_NODE_STRING: return a->count == b->count && memcmp(a->string, b->string, a->count) == 0;
    case KIN_NODE_LIST:
    case KIN_NODE_TABLE: return equal_children(a, b);
    }
    return false;
}

const char* kin_node_type_name(kin_node_type type)
{
    switch (type) {
    case KIN_NODE_NULL: return "null";
    case KIN_NODE_BOOL: return "true or false";
    case KIN_NODE_NUMBER: return "a number";
    case KIN_NODE_STRING: return "a string";
    case KIN_NODE_LIST: return "a list";
    case KIN_NODE_TABLE: return "a table";
    }
    return "unknown";
}

/* ---- writing ---- */

typedef struct writer {
    const kin_allocator* allocator;
    char* text;
    size_t length, capacity;
    int indent;
} writer;

static bool put(writer* w, const char* bytes, size_t count)
{
    if (!kin_reserve(w->allocator, (void**)&w->text, &w->capacity, w->length + count + 1, 1)) return false;
    memcpy(w->text + w->length, bytes, count);
    w->length += count;
    w->text[w->length] = 0;
    return true;
}

static bool put_text(writer* w, const char* text) { return put(w, text, strlen(text)); }

static bool put_line_break(writer* w, int depth)
{
    if (w->indent == 0) return true;
    if (!put(w, "\n", 1)) return false;
    for (int i = 0; i < w->indent * depth; ++i) {
        if (!put(w, " ", 1)) return false;
    }
    return true;
}

/* The host's locale may write a comma, or a character of several bytes, where JSON wants a point. */
static void use_decimal_point(char* text)
{
    char* to = text;
    for (const char* from = text; *from != 0; ++from) {
        if (strchr("0123456789+-e", *from) != NULL) {
            *to++ = *from;
        } else if (to == text || to[-1] != '.') {
            *to++ = '.';
        }
    }
    *to = 0;
}

static bool put_number(writer* w, double number)
{
    if (!__builtin_isfinite(number)) return false;
    char text[40];
    if (__builtin_fabs(number) <= 0x1p53 && number == (double)(int64_t)number) {
        snprintf(text, sizeof text, "%.0f", number); /* also "-0" */
        return put_text(w, text);
    }
    for (int digits = 15; digits <= 17; ++digits) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number) break;
    }
    use_decimal_point(text);
    return put_text(w, text);
}

static const char* escape_of(unsigned char c, char buffer[8])
{
    switch (c) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\b': return "\\b";
    case '\f': return "\\f";
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: break;
    }
    if (c >= 0x20) return NULL;
    snprintf(buffer, 8, "\\u%04x", c);
    return buffer;
}

static bool put_string(writer* w, const char* string, size_t length)
{
    if (!put(w, "\"", 1)) return false;
    size_t begin = 0; /* of the run that needs no escape */
    for (size_t i = 0; i < length; ++i) {
        char buffer[8];
        const char* escape = escape_of((unsigned char)string[i], buffer);
        if (escape == NULL) continue;
        if (!put(w, string + begin, i - begin) || !put_text(w, escape)) return false;
        begin = i + 1;
    }
    return put(w, string + begin, length - begin) && put(w, "\"", 1);
}

/* A list of plain values, such as a vector, stays on its line. */
static bool stays_on_line(const kin_node* node)
{
    if (node->count == 0) return true;
    if (node->type == KIN_NODE_TABLE) return false;
    for (uint32_t i = 0; i < node->count; ++i) {
        if (node->items[i]->type >= KIN_NODE_LIST) return false;
    }
    return true;
}

static bool put_node(writer* w, const kin_node* node, int depth);

static bool put_child(writer* w, const kin_node* node, uint32_t i, int depth)
{
    if (node->type == KIN_NODE_TABLE) {
        const char* key = node->keys[i];
        if (!put_string(w, key, strlen(key)) || !put_text(w, w->indent > 0 ? ": " : ":")) return false;
    }
    return put_node(w, node->items[i], depth + 1);
}

static bool put_children(writer* w, const kin_node* node, int depth)
{
    bool table = node->type == KIN_NODE_TABLE;
    bool one_line = stays_on_line(node);
    if (!put(w, table ? "{" : "[", 1)) return false;
    for (uint32_t i = 0; i < node->count; ++i) {
        if (i > 0 && !put_text(w, one_line && w->indent > 0 ? ", " : ",")) return false;
        if (!one_line && !put_line_break(w, depth + 1)) return false;
        if (!put_child(w, node, i, depth)) return false;
    }
    if (!one_line && !put_line_break(w, depth)) return false;
    return put(w, table ? "}" : "]", 1);
}

static bool put_node(writer* w, const kin_node* node, int depth)
{
    switch (node->type) {
    case KIN_NODE_NULL: return put_text(w, "null");
    case KIN_NODE_BOOL: return put_text(w, node->boolean ? "true" : "false");
    case KIN_NODE_NUMBER: return put_number(w, node->number);
    case KIN_NODE_STRING: return put_string(w, node->string, node->count);
    case KIN_NODE_LIST:
    case KIN_NODE_TABLE: return put_children(w, node, depth);
    }
    return false;
}

bool kin_node_write(const kin_node* node, int indent, const kin_allocator* allocator, char** text, size_t* length, size_t* capacity)
{
    writer w = {allocator, *text, *length, *capacity, indent};
    bool ok = put_node(&w, node, 0);
    *text = w.text;
    *length = w.length;
    *capacity = w.capacity;
    return ok;
}
