/* json_test.c - JSON to trees: values, limits, places of errors, and finding a path again. */
#include "support/test.h"
#include "base/alloc.h"
#include "io/json.h"
#include <stdio.h>
#include <string.h>

static const kin_json_limits wide = {1 << 20, 100, 100000};

static kin_result read_text(test* t, kin_tree* tree, const char* text, const kin_json_limits* limits, kin_error* error)
{
    kin_tree_init(tree, &t->allocator);
    return kin_json_read(tree, text, strlen(text), "a.json", limits, error);
}

static void refused(test* t, const char* text, const kin_json_limits* limits, kin_result code, const char* where, const char* message)
{
    kin_tree tree;
    kin_error error = {0};
    CHECK(t, read_text(t, &tree, text, limits, &error) == code);
    TEXT(t, error.where, where);
    HAS(t, error.message, message);
    kin_tree_term(&tree);
}

static void every_kind_of_value_is_read(test* t)
{
    kin_tree tree;
    CHECK(t, read_text(t, &tree, "{\"b\": [1, -2.5e3, true, null], \"a\": \"x\\u00e9\\n\", \"c\": {}}", &wide, NULL) == KIN_OK);
    const kin_node* root = tree.root;
    EQUAL(t, root->count, 3);
    TEXT(t, root->keys[0], "a");
    TEXT(t, root->keys[2], "c");
    TEXT(t, kin_node_get(root, "a")->string, "x\xc3\xa9\n");
    const kin_node* b = kin_node_get(root, "b");
    NEAR(t, b->items[1]->number, -2500, 0);
    CHECK(t, b->items[2]->boolean && b->items[3]->type == KIN_NODE_NULL);
    CHECK(t, kin_node_get(root, "c")->type == KIN_NODE_TABLE);
    kin_tree_term(&tree);
}

static void what_is_written_reads_back(test* t)
{
    kin_tree tree, again;
    const char* text = "{\"a\":[0.1,1e300,-0.0,123456789012345],\"s\":\"q\\\"\\\\\\u0001\"}";
    CHECK(t, read_text(t, &tree, text, &wide, NULL) == KIN_OK);
    char* out = NULL;
    size_t length = 0, capacity = 0;
    CHECK(t, kin_node_write(tree.root, 2, &t->allocator, &out, &length, &capacity));
    kin_tree_init(&again, &t->allocator);
    CHECK(t, kin_json_read(&again, out, length, "b.json", &wide, NULL) == KIN_OK);
    CHECK(t, kin_node_equal(tree.root, again.root));
    kin_free(&t->allocator, out, capacity);
    kin_tree_term(&again);
    kin_tree_term(&tree);
}

static void errors_have_line_and_column(test* t)
{
    refused(t, "{\"a\": 1,\n \"b\" 2}", &wide, KIN_ERROR_SYNTAX, "a.json:2:6", "':' expected");
    refused(t, "{\"a\": 1,\n \"a\": 2}", &wide, KIN_ERROR_SYNTAX, "a.json:2:4", "duplicate");
    refused(t, "[1, 2", &wide, KIN_ERROR_SYNTAX, "a.json:1:5", "']' expected");
    refused(t, "", &wide, KIN_ERROR_SYNTAX, "a.json:1:0", "");
    refused(t, "[NaN]", &wide, KIN_ERROR_SYNTAX, "a.json:1:4", "invalid token");
    refused(t, "[1e999]", &wide, KIN_ERROR_SYNTAX, "a.json:1:6", "overflow");
    refused(t, "{} x", &wide, KIN_ERROR_SYNTAX, "a.json:1:4", "end of file expected");
    refused(t, "[\"\xff\"]", &wide, KIN_ERROR_SYNTAX, "a.json:1:2", "unable to decode byte 0xff");
}

static void limits_are_kept_before_anything_is_built(test* t)
{
    kin_json_limits tight = {64, 3, 5};
    refused(t, "[[[[1]]]]", &tight, KIN_ERROR_LIMIT, "a.json:1:4", "nested too deeply, more than 3");
    refused(t, "[1,2,3,4,5]", &tight, KIN_ERROR_LIMIT, "a.json:1:9", "too many values, more than 5");
    refused(t, "\"0123456789012345678901234567890123456789012345678901234567890123456789\"", &tight, KIN_ERROR_LIMIT, "a.json:1:1", "too many bytes");
    static char deep[200001];
    memset(deep, '[', 100000);
    memset(deep + 100000, ']', 100000);
    refused(t, deep, &wide, KIN_ERROR_LIMIT, "a.json:1:101", "nested too deeply");
    kin_tree tree; /* brackets in texts do not nest */
    CHECK(t, read_text(t, &tree, "[\"[[[[{{{{,,,,,\\\"[\"]", &tight, NULL) == KIN_OK);
    kin_tree_term(&tree);
}

static void many_keys_are_quick(test* t)
{
    enum { KEYS = 20000 };
    static char text[KEYS * 16];
    char* at = text;
    at += sprintf(at, "{");
    for (int i = 0; i < KEYS; ++i) at += sprintf(at, "%s\"k%05d\":%d", i > 0 ? "," : "", KEYS - 1 - i, i);
    sprintf(at, "}");
    kin_tree tree;
    CHECK(t, read_text(t, &tree, text, &wide, NULL) == KIN_OK);
    EQUAL(t, tree.root->count, KEYS);
    NEAR(t, kin_node_get(tree.root, "k00007")->number, KEYS - 8, 0);
    kin_tree_term(&tree);
}

static void found(test* t, const char* text, const char* path, int want_line, int want_column)
{
    int line = 0, column = 0;
    CHECK(t, kin_json_locate(text, strlen(text), path, &line, &column));
    test_check(t, line == want_line && column == want_column, __FILE__, __LINE__, "%s is at %d:%d, not %d:%d", path, line, column, want_line, want_column);
}

static void paths_are_found_again(test* t)
{
    const char* text = "{\n  \"skip\": {\"a\": [1, \"]}\\\"\"], \"mass\": 3},\n  \"bodies\": [\n    {\"mass\": 1},\n    {\"\xc3\xa9\": 0, \"mass\": -0.1, "
                       "\"p\": [1, [2, 3]]}\n  ],\n  \"a.b\": {\"c\": 1}\n}\n";
    int line, column;
    found(t, text, "", 1, 1);
    found(t, text, "skip.mass", 2, 38);
    found(t, text, "bodies", 3, 13);
    found(t, text, "bodies[0]", 4, 5);
    found(t, text, "bodies[1].mass", 5, 22);
    found(t, text, "bodies[1].p[1][0]", 5, 38);
    found(t, text, "a.b.c", 7, 16);
    CHECK(t, !kin_json_locate(text, strlen(text), "bodies[2]", &line, &column));
    CHECK(t, !kin_json_locate(text, strlen(text), "bodies[x]", &line, &column));
    CHECK(t, !kin_json_locate(text, strlen(text), "bodies.mass", &line, &column));
    CHECK(t, !kin_json_locate(text, strlen(text), "nothing", &line, &column));
    CHECK(t, !kin_json_locate("{\"a\": ", 6, "a", &line, &column));
    CHECK(t, !kin_json_locate("", 0, "a", &line, &column));
}

/* Whatever the text, the scan ends inside it. */
static void cut_texts_do_no_harm(test* t)
{
    const char* text = "{\"a\": [1, {\"b\": \"x\\\"y\"}], \"c\": tru}";
    for (size_t length = 0; length <= strlen(text); ++length) {
        char* cut = kin_alloc(&t->allocator, length + 1);
        memcpy(cut, text, length);
        int line, column;
        kin_json_locate(cut, length, "a[1].b", &line, &column);
        kin_json_locate(cut, length, "c.d", &line, &column);
        kin_tree tree;
        kin_tree_init(&tree, &t->allocator);
        CHECK(t, kin_json_read(&tree, cut, length, "cut", &wide, NULL) == KIN_ERROR_SYNTAX);
        kin_tree_term(&tree);
        kin_free(&t->allocator, cut, length + 1);
    }
}

static bool read_with_failing_memory(test* t, void* context)
{
    (void)context;
    kin_tree tree;
    kin_error error = {0};
    kin_result result = read_text(t, &tree, "{\"a\": [1, 2, {\"b\": \"text\"}], \"c\": true}", &wide, &error);
    CHECK(t, result == KIN_OK || result == KIN_ERROR_MEMORY);
    kin_tree_term(&tree);
    return result == KIN_OK;
}

static void memory_may_run_out(test* t) { test_fail_each_allocation(t, read_with_failing_memory, NULL); }

TEST_MAIN("io/json", TEST(every_kind_of_value_is_read), TEST(what_is_written_reads_back), TEST(errors_have_line_and_column),
          TEST(limits_are_kept_before_anything_is_built), TEST(many_keys_are_quick), TEST(paths_are_found_again), TEST(cut_texts_do_no_harm),
          TEST(memory_may_run_out))
