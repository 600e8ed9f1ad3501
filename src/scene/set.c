/* set.c - --set: values for param(), and edits of the tree by path. */
#include "base/error.h"
#include "base/text.h"
#include "scene/scene_inside.h"
#include <ctype.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

static bool number_of(const char* text, size_t length, double* out)
{
    char copy[64], *end;
    if (length == 0 || length >= sizeof copy) return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    locale_t plain = newlocale(LC_ALL_MASK, "C", NULL);
    *out = plain != NULL ? strtod_l(copy, &end, plain) : strtod(copy, &end);
    if (plain != NULL) freelocale(plain);
    return *end == 0 && end != copy;
}

static kin_node* parse(kin_tree* tree, const char* text, size_t length, int depth);

/* {a, {b, c}}: commas on this level part the items. */
static kin_node* parse_list(kin_tree* tree, const char* text, size_t length, int depth)
{
    kin_node* list = kin_node_list(tree);
    size_t begin = 0;
    int level = 0;
    for (size_t i = 0; list != NULL && i <= length; ++i) {
        if (i < length && text[i] == '{') level += 1;
        if (i < length && text[i] == '}') level -= 1;
        if (i < length && (text[i] != ',' || level > 0)) continue;
        bool nothing = strspn(text + begin, " ") >= i - begin;
        if (!(nothing && i == length) && !kin_node_append(tree, list, parse(tree, text + begin, i - begin, depth + 1))) return NULL;
        begin = i + 1;
    }
    return list;
}

static kin_node* parse(kin_tree* tree, const char* text, size_t length, int depth)
{
    enum { DEEPEST = 16 };
    while (length > 0 && isspace((unsigned char)text[0])) ++text, --length;
    while (length > 0 && isspace((unsigned char)text[length - 1])) --length;
    double number;
    if (number_of(text, length, &number)) return kin_node_number(tree, number);
    if (length == 4 && memcmp(text, "true", 4) == 0) return kin_node_bool(tree, true);
    if (length == 5 && memcmp(text, "false", 5) == 0) return kin_node_bool(tree, false);
    bool list = length >= 2 && text[0] == '{' && text[length - 1] == '}' && depth < DEEPEST;
    return list ? parse_list(tree, text + 1, length - 2, depth) : kin_node_string(tree, text, length);
}

kin_node* kin_scene_parse_value(kin_tree* tree, const char* text) { return parse(tree, text, strlen(text), 0); }

const char* kin_scene_take_set(kin_scene* scene, const char* name)
{
    const char* value = NULL;
    for (size_t i = 0; i < scene->options.set_count; ++i) { /* the last one counts */
        if (strcmp(scene->options.sets[i].key, name) != 0) continue;
        value = scene->options.sets[i].value;
        scene->set_used[i] = true;
    }
    return value;
}

/* ---- edits ---- */

static kin_result KIN_PRINTF(3, 4) refuse(const kin_scene_set* set, kin_error* error, const char* format, ...)
{
    char where[512], message[400];
    snprintf(where, sizeof where, "--set %s=%s", set->key, set->value);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return kin_fail(error, KIN_ERROR_ARGUMENT, where, "%s", message);
}

typedef struct step {
    char key[128];
    bool is_index;
    unsigned long index;
} step;

/* Takes the next key or [index] off a path. */
static bool next_step(const char** path, step* out)
{
    const char* at = *path;
    *out = (step){.is_index = *at == '['};
    if (out->is_index) {
        char* end;
        if (!isdigit((unsigned char)at[1])) return false;
        out->index = strtoul(at + 1, &end, 10);
        *path = end + 1;
        return *end == ']' && (end[1] == 0 || end[1] == '.' || end[1] == '[');
    }
    if (*at == '.') ++at;
    size_t length = strcspn(at, ".[");
    if (length == 0 || length >= sizeof out->key) return false;
    memcpy(out->key, at, length);
    *path = at + length;
    return true;
}

static kin_result enter(const kin_scene_set* set, kin_node* node, const step* s, kin_node** child, kin_error* error)
{
    if (s->is_index) {
        if (node->type != KIN_NODE_LIST) return refuse(set, error, "[%lu] needs a list, and there is %s", s->index, kin_node_type_name(node->type));
        if (s->index >= node->count) return refuse(set, error, "there is no [%lu]: the list has %u items, counted from 0", s->index, node->count);
        *child = node->items[s->index];
        return KIN_OK;
    }
    if (node->type != KIN_NODE_TABLE) return refuse(set, error, "\"%s\" needs a table, and there is %s", s->key, kin_node_type_name(node->type));
    *child = (kin_node*)kin_node_get(node, s->key);
    if (*child != NULL) return KIN_OK;
    const char* nearest = kin_text_nearest(s->key, node->keys, node->count);
    if (nearest != NULL) return refuse(set, error, "there is no \"%s\" on the way; did you mean \"%s\"?", s->key, nearest);
    return refuse(set, error, "there is no \"%s\" on the way", s->key);
}

static kin_result place(kin_scene* scene, const kin_scene_set* set, kin_node* node, const step* s, kin_error* error)
{
    kin_node* value = kin_scene_parse_value(&scene->tree, set->value);
    if (value == NULL) return kin_fail_memory(error, "--set", sizeof *value);
    if (s->is_index) {
        kin_node* old;
        kin_result result = enter(set, node, s, &old, error);
        if (result == KIN_OK) node->items[s->index] = value;
        return result;
    }
    if (node->type == KIN_NODE_LIST && node->count == 0) *node = (kin_node){.type = KIN_NODE_TABLE}; /* Lua's {} */
    if (node->type != KIN_NODE_TABLE) return refuse(set, error, "\"%s\" needs a table, and there is %s", s->key, kin_node_type_name(node->type));
    return kin_node_set(&scene->tree, node, s->key, value) ? KIN_OK : kin_fail_memory(error, "--set", sizeof *value);
}

static kin_result edit(kin_scene* scene, const kin_scene_set* set, kin_error* error)
{
    const char* path = set->key;
    kin_node* node = scene->tree.root;
    step s;
    if (!next_step(&path, &s)) return refuse(set, error, "is not a path such as systems[0].integrator");
    while (*path != 0) {
        kin_node* child;
        kin_result result = enter(set, node, &s, &child, error);
        if (result != KIN_OK) return result;
        if (!next_step(&path, &s)) return refuse(set, error, "is not a path such as systems[0].integrator");
        node = child;
    }
    return place(scene, set, node, &s, error);
}

static kin_result unknown_param(const kin_scene* scene, const kin_scene_set* set, kin_error* error)
{
    enum { MOST = 64 };
    const char* names[MOST] = {0};
    size_t count = 0;
    char all[256] = "";
    for (size_t i = 0; i < scene->param_count && count < MOST; ++i) {
        names[count++] = scene->params[i].name;
        kin_text_append(all, sizeof all, "%s%s", i > 0 ? ", " : "", scene->params[i].name);
    }
    size_t params = count;
    for (const kin_param* p = kin_scene_top_params; p->name != NULL && count < MOST; ++p) names[count++] = p->name;
    const char* nearest = kin_text_nearest(set->key, names, count);
    char hint[80] = "";
    if (nearest != NULL) snprintf(hint, sizeof hint, "; did you mean \"%s\"?", nearest);
    if (params == 0) return refuse(set, error, "the scene has no param() \"%s\", nor any other%s", set->key, hint);
    return refuse(set, error, "the scene has no param() \"%s\", it has %s%s", set->key, all, hint);
}

static bool is_top_key(const char* key)
{
    if (kin_params_find(kin_scene_top_params, key) != NULL) return true;
    for (int i = 0; kin_scene_part_keys[i] != NULL; ++i) {
        if (strcmp(kin_scene_part_keys[i], key) == 0) return true;
    }
    return false;
}

kin_result kin_scene_apply_sets(kin_scene* scene, kin_error* error)
{
    for (size_t i = 0; i < scene->options.set_count; ++i) {
        const kin_scene_set* set = &scene->options.sets[i];
        if (scene->set_used[i]) continue;
        bool path = strpbrk(set->key, ".[") != NULL || is_top_key(set->key);
        kin_result result = path ? edit(scene, set, error) : unknown_param(scene, set, error);
        if (result != KIN_OK) return result;
    }
    return KIN_OK;
}
