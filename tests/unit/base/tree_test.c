#include "base/tree.h"
#include "base/alloc.h"
#include "base/rng.h"
#include "support/test.h"
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct written {
    char* text;
    size_t length, capacity;
} written;

static bool write_to(test* t, written* out, const kin_node* node, int indent)
{
    *out = (written){0};
    return kin_node_write(node, indent, &t->allocator, &out->text, &out->length, &out->capacity);
}

static void drop(test* t, written* w) { kin_free(&t->allocator, w->text, w->capacity); }

static void check_written(test* t, const kin_node* node, int indent, const char* want, int line)
{
    written w;
    bool ok = write_to(t, &w, node, indent);
    test_check(t, ok, __FILE__, line, "could not write");
    test_text(t, __FILE__, line, "the text", w.text, want);
    if (w.text != NULL) EQUAL(t, w.length, strlen(w.text));
    drop(t, &w);
}
#define WRITTEN(t, node, indent, want) check_written(t, node, indent, want, __LINE__)

/* {"name": "ball", "position": [0, 1.5, -2], "parts": [{"on": true}, null], "empty": {}} */
static kin_node* sample(kin_tree* tree)
{
    kin_node* root = kin_node_table(tree);
    kin_node* position = kin_node_list(tree);
    kin_node* parts = kin_node_list(tree);
    kin_node* part = kin_node_table(tree);
    bool ok = kin_node_append(tree, position, kin_node_number(tree, 0)) && kin_node_append(tree, position, kin_node_number(tree, 1.5))
              && kin_node_append(tree, position, kin_node_number(tree, -2)) && kin_node_set(tree, part, "on", kin_node_bool(tree, true))
              && kin_node_append(tree, parts, part) && kin_node_append(tree, parts, kin_node_null(tree)) && kin_node_set(tree, root, "position", position)
              && kin_node_set(tree, root, "parts", parts) && kin_node_set(tree, root, "name", kin_node_string(tree, "ball", 4))
              && kin_node_set(tree, root, "empty", kin_node_table(tree));
    return ok ? root : NULL;
}

static void a_tree_is_written_in_order(test* t)
{
    kin_tree tree;
    kin_tree_init(&tree, &t->allocator);
    tree.root = sample(&tree);
    WRITTEN(t, tree.root, 0, "{\"empty\":{},\"name\":\"ball\",\"parts\":[{\"on\":true},null],\"position\":[0,1.5,-2]}");
    WRITTEN(t, tree.root, 2,
            "{\n  \"empty\": {},\n  \"name\": \"ball\",\n  \"parts\": [\n    {\n      \"on\": true\n    },\n    null\n  ],\n"
            "  \"position\": [0, 1.5, -2]\n}");
    kin_tree_term(&tree);
}

static void tables_keep_keys_sorted_and_unique(test* t)
{
    kin_tree tree;
    kin_tree_init(&tree, &t->allocator);
    kin_node* table = kin_node_table(&tree);
    char key[16];
    for (int i = 0; i < 500; ++i) {
        snprintf(key, sizeof key, "k%03d", (i * 77) % 500); /* the key is copied */
        CHECK(t, kin_node_set(&tree, table, key, kin_node_number(&tree, (i * 77) % 500)));
    }
    EQUAL(t, table->count, 500);
    for (uint32_t i = 0; i < 500; ++i) {
        snprintf(key, sizeof key, "k%03u", i);
        TEXT(t, table->keys[i], key);
        const kin_node* found = kin_node_get(table, key);
        CHECK(t, found != NULL && found->number == i);
    }
    CHECK(t, kin_node_get(table, "k5") == NULL && kin_node_get(table, "") == NULL && kin_node_get(table, "z") == NULL);
    CHECK(t, kin_node_set(&tree, table, "k007", kin_node_bool(&tree, false))); /* replaces */
    EQUAL(t, table->count, 500);
    EQUAL(t, kin_node_get(table, "k007")->type, KIN_NODE_BOOL);
    kin_tree_term(&tree);
}

static void removed_keys_are_gone_and_room_is_kept_right(test* t)
{
    kin_tree tree;
    kin_tree_init(&tree, &t->allocator);
    kin_node* table = kin_node_table(&tree);
    const char* const keys[] = {"a", "b", "c", "d", "e"};
    for (int round = 0; round < 4; ++round) {
        for (int i = 0; i < 5; ++i) CHECK(t, kin_node_set(&tree, table, keys[i], kin_node_number(&tree, i)));
        CHECK(t, kin_node_remove(table, "b") && kin_node_remove(table, "e") && kin_node_remove(table, "a"));
        CHECK(t, !kin_node_remove(table, "b"));
        WRITTEN(t, table, 0, "{\"c\":2,\"d\":3}");
    }
    CHECK(t, kin_node_remove(table, "c") && kin_node_remove(table, "d"));
    WRITTEN(t, table, 0, "{}");
    CHECK(t, !kin_node_remove(NULL, "a") && !kin_node_remove(kin_node_list(&tree), "a"));
    kin_tree_term(&tree);
}

static void wrong_nodes_are_refused(test* t)
{
    kin_tree tree;
    kin_tree_init(&tree, &t->allocator);
    kin_node* list = kin_node_list(&tree);
    CHECK(t, !kin_node_append(&tree, list, NULL));
    CHECK(t, !kin_node_append(&tree, NULL, list));
    CHECK(t, !kin_node_set(&tree, kin_node_table(&tree), "k", NULL));
    CHECK(t, kin_node_get(NULL, "k") == NULL && kin_node_get(list, "k") == NULL);
    kin_tree_term(&tree);
}

static void long_lists_hold(test* t)
{
    kin_tree tree;
    kin_tree_init(&tree, &t->allocator);
    kin_node* list = kin_node_list(&tree);
    for (int i = 0; i < 5000; ++i) CHECK(t, kin_node_append(&tree, list, kin_node_number(&tree, i)));
    for (int i = 0; i < 5000; ++i) CHECK(t, list->items[i]->number == i);
    kin_tree_term(&tree);
}

static void copies_are_equal_and_apart(test* t)
{
    kin_tree tree, other;
    kin_tree_init(&tree, &t->allocator);
    kin_tree_init(&other, &t->allocator);
    kin_node* a = sample(&tree);
    kin_node* b = kin_node_copy(&other, a);
    CHECK(t, kin_node_equal(a, b));
    CHECK(t, kin_node_set(&other, b, "new", kin_node_null(&other)));
    CHECK(t, !kin_node_equal(a, b) && kin_node_get(a, "new") == NULL);
    kin_tree_term(&tree);
    WRITTEN(t, kin_node_get(b, "position"), 0, "[0,1.5,-2]"); /* needs nothing of the first tree */
    kin_tree_term(&other);
}

static void equality_sees_every_part(test* t)
{
    kin_tree tree;
    kin_tree_init(&tree, &t->allocator);
    kin_node* nodes[] = {kin_node_null(&tree),
                         kin_node_bool(&tree, false),
                         kin_node_bool(&tree, true),
                         kin_node_number(&tree, 0),
                         kin_node_number(&tree, 1),
                         kin_node_string(&tree, "", 0),
                         kin_node_string(&tree, "a", 1),
                         kin_node_string(&tree, "a\0b", 3),
                         kin_node_string(&tree, "a\0c", 3),
                         kin_node_list(&tree),
                         kin_node_table(&tree),
                         sample(&tree)};
    size_t count = sizeof nodes / sizeof *nodes;
    for (size_t i = 0; i < count; ++i) {
        for (size_t k = 0; k < count; ++k) CHECK(t, kin_node_equal(nodes[i], nodes[k]) == (i == k));
    }
    kin_node* renamed = kin_node_table(&tree);
    kin_node* table = kin_node_table(&tree);
    CHECK(t, kin_node_set(&tree, table, "a", nodes[0]) && kin_node_set(&tree, renamed, "b", nodes[0]));
    CHECK(t, !kin_node_equal(table, renamed));
    CHECK(t, kin_node_equal(NULL, NULL) && !kin_node_equal(NULL, table));
    kin_tree_term(&tree);
}

static void strings_are_escaped(test* t)
{
    kin_tree tree;
    kin_tree_init(&tree, &t->allocator);
    const char text[] = "a\"b\\c\n\t\r\b\f\x01\x1f\x7f/\xc3\xa9\0z";
    WRITTEN(t, kin_node_string(&tree, text, sizeof text - 1), 0, "\"a\\\"b\\\\c\\n\\t\\r\\b\\f\\u0001\\u001f\x7f/\xc3\xa9\\u0000z\"");
    kin_node* table = kin_node_table(&tree);
    CHECK(t, kin_node_set(&tree, table, "k\n", kin_node_null(&tree)));
    WRITTEN(t, table, 0, "{\"k\\n\":null}");
    kin_tree_term(&tree);
}

static void numbers_are_short(test* t)
{
    static const struct {
        double number;
        const char* text;
    } cases[] = {
        {0, "0"},
        {-0.0, "-0"},
        {1, "1"},
        {-17, "-17"},
        {0.1, "0.1"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1.0 / 3, "0.3333333333333333"},
        {1e20, "1e+20"},
        {1e-7, "1e-07"},
        {9007199254740992.0, "9007199254740992"},
        {123456789012345.0, "123456789012345"},
        {1e15, "1000000000000000"},
        {-2.5e-300, "-2.5e-300"},
    };
    kin_tree tree;
    kin_tree_init(&tree, &t->allocator);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) WRITTEN(t, kin_node_number(&tree, cases[i].number), 0, cases[i].text);
    kin_tree_term(&tree);
}

static void numbers_read_back_the_same(test* t)
{
    kin_tree tree;
    kin_tree_init(&tree, &t->allocator);
    kin_node* node = kin_node_number(&tree, 0);
    for (uint64_t i = 0; i < 20000; ++i) {
        uint64_t bits = kin_rng_bits(&(kin_rng_key){.serial = i}, 0);
        memcpy(&node->number, &bits, 8);
        written w;
        bool ok = write_to(t, &w, node, 0);
        CHECK(t, ok == (node->number - node->number == 0)); /* NaN and infinity are refused */
        double back = ok ? strtod(w.text, NULL) : 0;
        if (ok) CHECK(t, memcmp(&back, &node->number, 8) == 0);
        drop(t, &w);
    }
    kin_tree_term(&tree);
}

static void the_hosts_locale_does_not_matter(test* t)
{
    bool changed = setlocale(LC_NUMERIC, "de_DE.UTF-8") != NULL || setlocale(LC_NUMERIC, "fr_FR.UTF-8") != NULL;
    kin_tree tree;
    kin_tree_init(&tree, &t->allocator);
    WRITTEN(t, kin_node_number(&tree, -1.5e-10), 0, "-1.5e-10");
    WRITTEN(t, kin_node_number(&tree, 0.25), 0, "0.25");
    kin_tree_term(&tree);
    if (changed) setlocale(LC_NUMERIC, "C");
}

static void nan_and_infinity_are_refused_anywhere(test* t)
{
    kin_tree tree;
    kin_tree_init(&tree, &t->allocator);
    kin_node* list = kin_node_list(&tree);
    kin_node* table = kin_node_table(&tree);
    CHECK(t, kin_node_append(&tree, list, kin_node_number(&tree, __builtin_nan(""))) && kin_node_set(&tree, table, "k", list));
    written w;
    CHECK(t, !write_to(t, &w, table, 0));
    drop(t, &w);
    list->items[0]->number = -__builtin_inf();
    CHECK(t, !write_to(t, &w, table, 2));
    drop(t, &w);
    kin_tree_term(&tree);
}

static void writing_appends(test* t)
{
    kin_tree tree;
    kin_tree_init(&tree, &t->allocator);
    written w = {0};
    for (int i = 0; i < 3; ++i) CHECK(t, kin_node_write(kin_node_number(&tree, i), 0, &t->allocator, &w.text, &w.length, &w.capacity));
    TEXT(t, w.text, "012");
    drop(t, &w);
    kin_tree_term(&tree);
}

static void small_things_are_packed(test* t)
{
    kin_tree tree;
    kin_tree_init(&tree, &t->allocator);
    kin_node* list = kin_node_list(&tree);
    for (int i = 0; i < 1000; ++i) CHECK(t, kin_node_append(&tree, list, kin_node_number(&tree, i)));
    CHECK(t, tree.arena.used < 1000 * (sizeof(kin_node) + 3 * sizeof(void*)) + 8192);
    kin_tree_term(&tree);
}

static bool build_copy_write(test* t, void* context)
{
    (void)context;
    kin_tree tree;
    kin_tree_init(&tree, &t->allocator);
    written w = {0};
    kin_node* root = sample(&tree);
    kin_node* list = root != NULL ? kin_node_list(&tree) : NULL;
    for (int i = 0; list != NULL && i < 40; ++i) {
        kin_node* copy = kin_node_copy(&tree, root);
        if (copy == NULL || !kin_node_append(&tree, list, copy)) list = NULL;
    }
    bool ok = list != NULL && write_to(t, &w, list, 1);
    drop(t, &w);
    kin_tree_term(&tree);
    return ok;
}

static void failures_leave_nothing(test* t) { test_fail_each_allocation(t, build_copy_write, NULL); }

static void types_have_names(test* t)
{
    TEXT(t, kin_node_type_name(KIN_NODE_NUMBER), "a number");
    TEXT(t, kin_node_type_name(KIN_NODE_LIST), "a list");
    for (int i = KIN_NODE_NULL; i <= KIN_NODE_TABLE; ++i) CHECK(t, strcmp(kin_node_type_name((kin_node_type)i), "unknown") != 0);
}

TEST_MAIN("base/tree", TEST(a_tree_is_written_in_order), TEST(tables_keep_keys_sorted_and_unique), TEST(removed_keys_are_gone_and_room_is_kept_right),
          TEST(wrong_nodes_are_refused), TEST(long_lists_hold), TEST(copies_are_equal_and_apart), TEST(equality_sees_every_part), TEST(strings_are_escaped),
          TEST(numbers_are_short), TEST(numbers_read_back_the_same), TEST(the_hosts_locale_does_not_matter), TEST(nan_and_infinity_are_refused_anywhere),
          TEST(writing_appends), TEST(small_things_are_packed), TEST(failures_leave_nothing), TEST(types_have_names))
