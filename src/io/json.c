/* json.c - JSON text to a tree. Jansson reads it; a scan before that holds the text to its limits, as Jansson would take
 * any number of nodes, and a scan after an error finds the place that a path names, as Jansson forgets positions. */
#include "io/json.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"
#include <jansson.h>
#include <string.h>

/* ---- a cursor over the text, which counts lines and columns (of characters, as Jansson does) ---- */

typedef struct cursor {
    const char* at;
    const char* end;
    int line, column; /* of at, from 1 */
} cursor;

static void advance(cursor* c)
{
    if (*c->at == '\n') {
        c->line += 1;
        c->column = 1;
    } else if ((*c->at & 0xC0) != 0x80) { /* not a later byte of a UTF-8 character */
        c->column += 1;
    }
    c->at += 1;
}

static void skip_blanks(cursor* c)
{
    while (c->at < c->end && strchr(" \t\r\n", *c->at) != NULL && *c->at != 0) advance(c);
}

/* From the opening quote to beyond the closing one. */
static void skip_string(cursor* c)
{
    advance(c);
    while (c->at < c->end && *c->at != '"') {
        if (*c->at == '\\' && c->at + 1 < c->end) advance(c);
        advance(c);
    }
    if (c->at < c->end) advance(c);
}

/* ---- limits ---- */

static kin_result beyond(const char* file, const cursor* c, kin_error* error, const char* what, unsigned long long limit)
{
    char where[600];
    snprintf(where, sizeof where, "%s:%d:%d", file, c->line, c->column);
    return kin_fail(error, KIN_ERROR_LIMIT, where, "%s, more than %llu", what, limit);
}

static kin_result check_limits(const char* text, size_t length, const char* file, const kin_json_limits* limits, kin_error* error)
{
    cursor c = {text, text + length, 1, 1};
    if (length > limits->max_bytes) return beyond(file, &c, error, "too many bytes", limits->max_bytes);
    size_t nodes = 1;
    int depth = 0;
    while (c.at < c.end) {
        switch (*c.at) {
        case '"': skip_string(&c); continue;
        case '[':
        case '{':
            depth += 1;
            nodes += 1;
            break;
        case ']':
        case '}': depth -= 1; break;
        case ',': nodes += 1; break;
        default: break;
        }
        if (depth > limits->max_depth) return beyond(file, &c, error, "nested too deeply", (unsigned long long)limits->max_depth);
        if (nodes > limits->max_nodes) return beyond(file, &c, error, "too many values", limits->max_nodes);
        advance(&c);
    }
    return KIN_OK;
}

/* ---- Jansson's values to nodes ---- */

static kin_node* node_of(kin_tree* tree, const json_t* value);

static kin_node* list_of(kin_tree* tree, const json_t* array)
{
    kin_node* list = kin_node_list(tree);
    for (size_t i = 0; list != NULL && i < json_array_size(array); ++i) {
        if (!kin_node_append(tree, list, node_of(tree, json_array_get(array, i)))) return NULL;
    }
    return list;
}

typedef struct member {
    const char* key;
    const json_t* value;
} member;

static bool key_less(void* context, const void* a, const void* b)
{
    (void)context;
    return strcmp(((const member*)a)->key, ((const member*)b)->key) < 0;
}

/* In the order of their keys, so that each is set at the end: a table of a million keys takes no million moves. */
static bool set_sorted(kin_tree* tree, kin_node* table, json_t* object, member* members, size_t count)
{
    size_t n = 0;
    for (void* i = json_object_iter(object); i != NULL; i = json_object_iter_next(object, i)) {
        members[n++] = (member){json_object_iter_key(i), json_object_iter_value(i)};
    }
    kin_sort(members, members + count, count, sizeof *members, key_less, NULL);
    for (size_t k = 0; k < count; ++k) {
        if (!kin_node_set(tree, table, members[k].key, node_of(tree, members[k].value))) return false;
    }
    return true;
}

static kin_node* table_of(kin_tree* tree, const json_t* object)
{
    kin_node* table = kin_node_table(tree);
    size_t count = json_object_size(object);
    if (table == NULL || count == 0) return table;
    size_t bytes = kin_bytes(2 * count, sizeof(member));
    member* members = kin_alloc(&tree->arena.allocator, bytes);
    if (members == NULL) return NULL;
    bool done = set_sorted(tree, table, (json_t*)object, members, count);
    kin_free(&tree->arena.allocator, members, bytes);
    return done ? table : NULL;
}

/* Recursion is bounded: check_limits saw the depth. */
static kin_node* node_of(kin_tree* tree, const json_t* value)
{
    switch (json_typeof(value)) {
    case JSON_NULL: return kin_node_null(tree);
    case JSON_TRUE: return kin_node_bool(tree, true);
    case JSON_FALSE: return kin_node_bool(tree, false);
    case JSON_INTEGER:
    case JSON_REAL: return kin_node_number(tree, json_number_value(value));
    case JSON_STRING: return kin_node_string(tree, json_string_value(value), json_string_length(value));
    case JSON_ARRAY: return list_of(tree, value);
    case JSON_OBJECT: return table_of(tree, value);
    }
    return NULL;
}

static kin_result syntax_error(const char* file, const json_error_t* found, kin_error* error)
{
    if (json_error_code(found) == json_error_out_of_memory) return kin_fail(error, KIN_ERROR_MEMORY, file, "out of memory");
    char where[600];
    snprintf(where, sizeof where, "%s:%d:%d", file, found->line, found->column);
    return kin_fail(error, KIN_ERROR_SYNTAX, where, "%s", found->text);
}

kin_result kin_json_read(kin_tree* tree, const char* text, size_t length, const char* file, const kin_json_limits* limits, kin_error* error)
{
    kin_result result = check_limits(text, length, file, limits, error);
    if (result != KIN_OK) return result;
    json_error_t found;
    json_t* value = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL, &found);
    if (value == NULL) return syntax_error(file, &found, error);
    tree->root = node_of(tree, value);
    json_decref(value);
    return tree->root != NULL ? KIN_OK : kin_fail_memory(error, file, length);
}

/* ---- finding a path again ---- */

static void skip_value(cursor* c)
{
    int depth = 0;
    do {
        skip_blanks(c);
        if (c->at >= c->end) return;
        if (*c->at == '"') {
            skip_string(c);
            continue;
        }
        if (*c->at == '[' || *c->at == '{') depth += 1;
        if (*c->at == ']' || *c->at == '}') depth -= 1;
        bool scalar = strchr("[]{},:", *c->at) == NULL;
        advance(c);
        while (scalar && c->at < c->end && strchr("[]{},: \t\r\n", *c->at) == NULL) advance(c);
    } while (depth > 0);
}

/* Does the path go on through this key? *rest is what follows it. Keys are compared as written: those with escapes are not found. */
static bool path_enters(const char* path, const char* key, size_t length, const char** rest)
{
    if (strncmp(path, key, length) != 0) return false;
    *rest = path + length;
    return **rest == 0 || **rest == '.' || **rest == '[';
}

static bool enter_member(cursor* c, const char* path, const char** rest)
{
    advance(c);
    for (;;) {
        skip_blanks(c);
        if (c->at >= c->end || *c->at != '"') return false;
        const char* key = c->at + 1;
        skip_string(c);
        size_t length = (size_t)(c->at - key) - 1;
        skip_blanks(c);
        if (c->at >= c->end || *c->at != ':') return false;
        advance(c);
        skip_blanks(c);
        if (path_enters(path, key, length, rest)) return true;
        skip_value(c);
        skip_blanks(c);
        if (c->at >= c->end || *c->at != ',') return false;
        advance(c);
    }
}

static bool enter_item(cursor* c, unsigned long index)
{
    advance(c);
    for (unsigned long i = 0;; ++i) {
        skip_blanks(c);
        if (c->at >= c->end || *c->at == ']') return false;
        if (i == index) return true;
        skip_value(c);
        skip_blanks(c);
        if (c->at >= c->end || *c->at != ',') return false;
        advance(c);
    }
}

static bool read_index(const char* path, unsigned long* index, const char** rest)
{
    char* end;
    if (path[1] < '0' || path[1] > '9') return false;
    *index = strtoul(path + 1, &end, 10);
    *rest = end + 1;
    return *end == ']';
}

bool kin_json_locate(const char* text, size_t length, const char* path, int* line, int* column)
{
    cursor c = {text, text + length, 1, 1};
    skip_blanks(&c);
    while (*path != 0) {
        unsigned long index;
        if (c.at >= c.end) return false;
        if (*path == '[') {
            if (*c.at != '[' || !read_index(path, &index, &path) || !enter_item(&c, index)) return false;
        } else {
            if (*path == '.') path += 1;
            if (*c.at != '{' || !enter_member(&c, path, &path)) return false;
        }
    }
    *line = c.line;
    *column = c.column;
    return c.at < c.end;
}
