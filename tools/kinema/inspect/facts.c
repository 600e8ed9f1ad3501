/* facts.c - keeping facts, and the two ways to print them. */
#include "inspect/facts.h"
#include "base/alloc.h"
#include "options.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void kin_facts_term(kin_facts* facts)
{
    kin_allocator allocator = kin_allocator_default();
    kin_free(&allocator, facts->facts, facts->capacity * sizeof *facts->facts);
    *facts = (kin_facts){0};
}

static void add(kin_facts* facts, const kin_fact* fact)
{
    kin_allocator allocator = kin_allocator_default();
    facts->failed = facts->failed || !kin_reserve(&allocator, (void**)&facts->facts, &facts->capacity, facts->count + 1, sizeof *facts->facts);
    if (!facts->failed) facts->facts[facts->count++] = *fact;
}

void kin_facts_group(kin_facts* facts, const char* key, const char* title)
{
    kin_fact fact = {.label = title};
    snprintf(fact.text, sizeof fact.text, "%s", key);
    add(facts, &fact);
}

void kin_facts_flag(kin_facts* facts, const char* key, const char* label, bool value)
{
    add(facts, &(kin_fact){.key = key, .label = label, .is_flag = true, .numbers = {value}});
}

void kin_facts_number(kin_facts* facts, const char* key, const char* label, double value, const char* unit)
{
    add(facts, &(kin_fact){.key = key, .label = label, .unit = unit, .count = 1, .numbers = {value}});
}

void kin_facts_numbers(kin_facts* facts, const char* key, const char* label, const double* values, int count, const char* unit)
{
    kin_fact fact = {.key = key, .label = label, .unit = unit, .count = count < KIN_FACT_NUMBERS ? count : KIN_FACT_NUMBERS};
    memcpy(fact.numbers, values, (size_t)fact.count * sizeof *values);
    add(facts, &fact);
}

void kin_facts_place(kin_facts* facts, const char* key, const char* label, kin_vec3 value, const char* unit)
{
    add(facts, &(kin_fact){.key = key, .label = label, .unit = unit, .count = 3, .numbers = {value.x, value.y, value.z}});
}

void kin_facts_places(kin_facts* facts, const char* key, const char* label, const kin_vec3* values, int count, const char* unit)
{
    kin_fact fact = {.key = key, .label = label, .unit = unit, .columns = 3};
    for (int i = 0; i < count && fact.count + 3 <= KIN_FACT_NUMBERS; ++i) {
        fact.numbers[fact.count++] = values[i].x;
        fact.numbers[fact.count++] = values[i].y;
        fact.numbers[fact.count++] = values[i].z;
    }
    add(facts, &fact);
}

void kin_facts_text(kin_facts* facts, const char* key, const char* label, const char* format, ...)
{
    kin_fact fact = {.key = key, .label = label};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fact.text, sizeof fact.text, format, arguments);
    va_end(arguments);
    add(facts, &fact);
}

void kin_facts_refused(kin_facts* facts, const kin_error* error) { kin_facts_text(facts, "refused", "not done", "%s", error->message); }

/* ---- text ---- */

enum { LABEL_WIDTH = 18, INDENT = LABEL_WIDTH + 4 };

/* Whole numbers whole, others with six digits; rounding beside larger numbers as 0. */
static void print_number(double value, double largest)
{
    bool whole = fabs(value) < 1e15 && value == floor(value);
    printf(whole ? "%.0f" : "%.6g", fabs(value) <= 1e-13 * largest ? 0 : value);
}

static void print_numbers(const kin_fact* fact)
{
    double largest = 0;
    for (int i = 0; i < fact->count; ++i) largest = fmax(largest, fabs(fact->numbers[i])); /* fmax passes over NaN */
    for (int i = 0; i < fact->count && isfinite(fact->numbers[i]); ++i) {
        bool begins = fact->columns > 0 && i % fact->columns == 0;
        printf("%s%s", i > 0 ? (begins ? ", " : " ") : "", begins ? "(" : "");
        print_number(fact->numbers[i], largest);
        if (fact->columns > 0 && i % fact->columns == fact->columns - 1) putchar(')');
    }
    if (fact->unit != NULL) printf(" %s", fact->unit);
    putchar('\n');
}

static void print_fact(const kin_fact* fact)
{
    if (fact->key == NULL) {
        printf("\n%s\n", fact->label);
        return;
    }
    int width = printf("  %-*s", LABEL_WIDTH, fact->label);
    printf("%*s", INDENT - width, "");
    if (fact->is_flag)
        puts(fact->numbers[0] != 0 ? "yes" : "no");
    else if (fact->count > 0)
        print_numbers(fact);
    else
        kin_print_wrapped(stdout, fact->text, INDENT, INDENT);
}

int kin_facts_print_text(const kin_facts* facts)
{
    if (facts->failed) return kin_complain_text(KIN_EXIT_FAILED, "there is no memory for the report");
    for (size_t i = 0; i < facts->count; ++i) print_fact(&facts->facts[i]);
    return KIN_EXIT_DONE;
}

/* ---- JSON ---- */

static kin_node* make_list(kin_tree* tree, const double* numbers, int count)
{
    kin_node* list = kin_node_list(tree);
    bool made = list != NULL;
    for (int i = 0; made && i < count; ++i) made = kin_node_append(tree, list, kin_report_number(tree, numbers[i]));
    return made ? list : NULL;
}

static kin_node* make_rows(kin_tree* tree, const kin_fact* fact)
{
    kin_node* list = kin_node_list(tree);
    bool made = list != NULL;
    for (int i = 0; made && i < fact->count; i += fact->columns) made = kin_node_append(tree, list, make_list(tree, fact->numbers + i, fact->columns));
    return made ? list : NULL;
}

static kin_node* make_value(kin_tree* tree, const kin_fact* fact)
{
    if (fact->is_flag) return kin_node_bool(tree, fact->numbers[0] != 0);
    if (fact->columns > 0) return make_rows(tree, fact);
    if (fact->count > 1) return make_list(tree, fact->numbers, fact->count);
    return fact->count == 1 ? kin_report_number(tree, fact->numbers[0]) : kin_report_text(tree, fact->text);
}

static bool add_facts(kin_tree* tree, const kin_facts* facts)
{
    kin_node* group = tree->root;
    bool made = true;
    for (size_t i = 0; made && i < facts->count; ++i) {
        const kin_fact* fact = &facts->facts[i];
        if (fact->key != NULL) {
            made = kin_node_set(tree, group, fact->key, make_value(tree, fact));
            continue;
        }
        group = kin_node_table(tree);
        made = group != NULL && kin_node_set(tree, tree->root, fact->text, group);
    }
    return made;
}

int kin_facts_print_json(const kin_facts* facts, const char (*pictures)[1024], size_t picture_count)
{
    kin_allocator allocator = kin_allocator_default();
    kin_tree tree;
    kin_tree_init(&tree, &allocator);
    tree.root = kin_node_table(&tree);
    kin_node* list = tree.root != NULL ? kin_node_list(&tree) : NULL;
    bool made = list != NULL && !facts->failed && add_facts(&tree, facts);
    for (size_t i = 0; made && i < picture_count; ++i) made = kin_node_append(&tree, list, kin_report_text(&tree, pictures[i]));
    made = made && kin_node_set(&tree, tree.root, "pictures", list);
    int code = kin_report_print(&tree, made);
    kin_tree_term(&tree);
    return code;
}
