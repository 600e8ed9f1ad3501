/* tree_diff.c - two trees are walked side by side to the first place where they part. */
#include "io/tree_diff.h"
#include "base/alloc.h"
#include "base/text.h"
#include <stdio.h>
#include <string.h>

/* Ends in ... when cut, and never within a character. */
static void shorten(const char* from, size_t length, char* text, size_t size)
{
    if (length < size) {
        memcpy(text, from, length);
        text[length] = 0;
        return;
    }
    size_t end = size - 4;
    while (end > 0 && ((unsigned char)from[end] & 0xC0) == 0x80) --end;
    memcpy(text, from, end);
    strcpy(text + end, "...");
}

void kin_node_brief(const kin_node* node, const kin_allocator* allocator, char* text, size_t size)
{
    snprintf(text, size, "absent");
    if (node == NULL) return;
    char* json = NULL;
    size_t length = 0, capacity = 0;
    if (kin_node_write(node, 0, allocator, &json, &length, &capacity)) {
        shorten(json, length, text, size);
    } else {
        snprintf(text, size, "%s", kin_node_type_name(node->type));
    }
    kin_free(allocator, json, capacity);
}

static bool part_here(const kin_node* was, const kin_node* is)
{
    bool both_hold = was != NULL && is != NULL && was->type == is->type && was->type >= KIN_NODE_LIST;
    return !both_hold && !kin_node_equal(was, is);
}

/* The next pair of children: items by index, entries by key, where the one of the lesser key stands alone. */
static void next_pair(const kin_node* was, const kin_node* is, uint32_t* i, uint32_t* k, const kin_node** a, const kin_node** b, char* step, size_t size)
{
    bool has_a = *i < was->count, has_b = *k < is->count;
    int order = has_a && has_b ? 0 : has_a ? -1 : 1;
    if (was->type == KIN_NODE_TABLE && order == 0) order = strcmp(was->keys[*i], is->keys[*k]);
    *a = order <= 0 ? was->items[*i] : NULL;
    *b = order >= 0 ? is->items[*k] : NULL;
    if (was->type == KIN_NODE_TABLE) {
        snprintf(step, size, ".%s", order <= 0 ? was->keys[*i] : is->keys[*k]);
    } else {
        snprintf(step, size, "[%u]", order <= 0 ? *i : *k);
    }
    *i += order <= 0;
    *k += order >= 0;
}

static bool find(const kin_node* was, const kin_node* is, const kin_allocator* allocator, kin_tree_change* out)
{
    if (part_here(was, is)) {
        kin_node_brief(was, allocator, out->was, sizeof out->was);
        kin_node_brief(is, allocator, out->is, sizeof out->is);
        return true;
    }
    if (was == NULL || was->type < KIN_NODE_LIST) return false;
    size_t length = strlen(out->path);
    for (uint32_t i = 0, k = 0; i < was->count || k < is->count;) {
        const kin_node *a, *b;
        char step[128];
        next_pair(was, is, &i, &k, &a, &b, step, sizeof step);
        kin_text_append(out->path, sizeof out->path, "%s", length == 0 && step[0] == '.' ? step + 1 : step);
        if (find(a, b, allocator, out)) return true;
        out->path[length] = 0;
    }
    return false;
}

bool kin_tree_differs(const kin_node* was, const kin_node* is, const kin_allocator* allocator, kin_tree_change* out)
{
    *out = (kin_tree_change){0};
    return find(was, is, allocator, out);
}
