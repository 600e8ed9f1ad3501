/* tree_diff_test.c - the first difference of two trees, in words. */
#include "io/tree_diff.h"
#include "io/json.h"
#include "support/test.h"
#include <string.h>

static kin_tree tree_of(test* t, const char* text)
{
    kin_tree tree;
    kin_tree_init(&tree, &t->allocator);
    CHECK(t, kin_json_read(&tree, text, strlen(text), "text", &(kin_json_limits){10000, 20, 1000}, NULL) == KIN_OK);
    return tree;
}

static void check(test* t, const char* was, const char* is, const char* path, const char* before, const char* now)
{
    kin_tree a = tree_of(t, was), b = tree_of(t, is);
    kin_tree_change change;
    bool differs = kin_tree_differs(a.root, b.root, &t->allocator, &change);
    CHECK(t, differs == (path != NULL));
    if (path != NULL) {
        TEXT(t, change.path, path);
        TEXT(t, change.was, before);
        TEXT(t, change.is, now);
    }
    kin_tree_term(&a);
    kin_tree_term(&b);
}

static void the_first_difference_is_named(test* t)
{
    check(t, "{}", "{}", NULL, "", "");
    check(t, "{\"a\": [1, {\"b\": null}], \"c\": true}", "{\"c\": true, \"a\": [1, {\"b\": null}]}", NULL, "", "");
    check(t, "{\"systems\": [{\"integrator\": \"rk4\"}]}", "{\"systems\": [{\"integrator\": \"euler\"}]}", "systems[0].integrator", "\"rk4\"", "\"euler\"");
    check(t, "{\"a\": 1}", "{}", "a", "1", "absent");
    check(t, "{}", "{\"a\": 1}", "a", "absent", "1");
    check(t, "{\"a\": 1, \"c\": 2}", "{\"b\": 1, \"c\": 3}", "a", "1", "absent");
    check(t, "{\"b\": 1, \"c\": 2}", "{\"a\": 1, \"b\": 1, \"c\": 2}", "a", "absent", "1");
    check(t, "{\"x\": [1, 2, 3]}", "{\"x\": [1, 2]}", "x[2]", "3", "absent");
    check(t, "{\"x\": [1]}", "{\"x\": [1, [2]]}", "x[1]", "absent", "[2]");
    check(t, "{\"x\": [[0], [1, 2]]}", "{\"x\": [[0], [1, 5]]}", "x[1][1]", "2", "5");
    check(t, "{\"x\": 1}", "{\"x\": {\"y\": 1}}", "x", "1", "{\"y\":1}");
    check(t, "1", "2", "", "1", "2");
}

static void long_values_are_shortened_between_characters(test* t)
{
    char text[400] = "{\"a\": \"";
    for (int i = 0; i < 100; ++i) strcat(text, "\xC3\xA4");
    strcat(text, "\"}");
    kin_tree a = tree_of(t, text), b = tree_of(t, "{}");
    kin_tree_change change;
    CHECK(t, kin_tree_differs(a.root, b.root, &t->allocator, &change));
    size_t length = strlen(change.was);
    CHECK(t, length >= 77 && length < 80 && strcmp(change.was + length - 3, "...") == 0 && (unsigned char)change.was[length - 4] == 0xA4);
    kin_tree_term(&a);
    kin_tree_term(&b);
}

static void deep_paths_are_cut_not_overrun(test* t)
{
    kin_tree a, b;
    kin_tree_init(&a, &t->allocator);
    kin_tree_init(&b, &t->allocator);
    kin_node *x = kin_node_number(&a, 1), *y = kin_node_number(&b, 2);
    for (int i = 0; i < 60; ++i) {
        kin_node *outer_x = kin_node_table(&a), *outer_y = kin_node_table(&b);
        CHECK(t, kin_node_set(&a, outer_x, "quite_a_long_key", x) && kin_node_set(&b, outer_y, "quite_a_long_key", y));
        x = outer_x;
        y = outer_y;
    }
    kin_tree_change change;
    CHECK(t, kin_tree_differs(x, y, &t->allocator, &change));
    EQUAL(t, strlen(change.path), sizeof change.path - 1);
    TEXT(t, change.is, "2");
    kin_tree_term(&a);
    kin_tree_term(&b);
}

TEST_MAIN("io/tree_diff", TEST(the_first_difference_is_named), TEST(long_values_are_shortened_between_characters), TEST(deep_paths_are_cut_not_overrun))
