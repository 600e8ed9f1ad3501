/* validate.c - kinema validate: cases with a known answer. */
#include "validation/validation.h"
#include "base/text.h"
#include "progress.h"
#include "report.h"
#include "table.h"
#include "verbs.h"
#include <string.h>

enum { NAMES_MAX = 512, TOPIC_SIZE = 48 };

/* ---- which ---- */

static bool matches_any(const char* wanted)
{
    for (int i = 0; kin_case_topics[i] != NULL; ++i) {
        for (const kin_case* c = kin_case_topics[i]; c->name != NULL; ++c) {
            if (kin_case_chosen(c->name, &wanted, 1)) return true;
        }
    }
    return false;
}

static int complain_unknown(const char* wanted)
{
    const char* names[NAMES_MAX];
    char topics[16][TOPIC_SIZE];
    size_t count = 0;
    for (int i = 0; kin_case_topics[i] != NULL; ++i) {
        const kin_case* c = kin_case_topics[i];
        if (c->name != NULL && i < 16) {
            snprintf(topics[i], TOPIC_SIZE, "%.*s", (int)strcspn(c->name, "/"), c->name);
            names[count++] = topics[i];
        }
        for (; c->name != NULL && count < NAMES_MAX - 16; ++c) names[count++] = c->name;
    }
    const char* nearest = kin_text_nearest(wanted, names, count);
    if (nearest != NULL) return kin_complain_text(KIN_EXIT_WRONG, "validate: there is no case \"%s\"; did you mean %s?", wanted, nearest);
    return kin_complain_text(KIN_EXIT_WRONG, "validate: there is no case \"%s\"; kinema list cases lists them", wanted);
}

static uint64_t count_chosen(const kin_arguments* a)
{
    uint64_t count = 0;
    for (int i = 0; kin_case_topics[i] != NULL; ++i) {
        for (const kin_case* c = kin_case_topics[i]; c->name != NULL; ++c) count += kin_case_chosen(c->name, a->names, a->name_count);
    }
    return count;
}

static void run_chosen(const kin_arguments* a, kin_case_run* cases)
{
    uint64_t done = 0;
    kin_progress_begin("validate", "case", 0, count_chosen(a), a->quiet);
    for (int i = 0; kin_case_topics[i] != NULL; ++i) {
        for (const kin_case* c = kin_case_topics[i]; c->name != NULL; ++c) {
            if (!kin_case_chosen(c->name, a->names, a->name_count)) continue;
            cases->name = c->name;
            c->run(cases);
            kin_progress_at(++done, -1);
        }
    }
    kin_progress_end();
}

/* ---- what came of it ---- */

static size_t count_failed(const kin_case_run* cases)
{
    size_t failed = cases->lost;
    for (size_t i = 0; i < cases->count; ++i) failed += !cases->rows[i].pass;
    return failed;
}

static int print_text(const kin_case_run* cases)
{
    static const char* const heads[] = {"case", "method", "quantity", "reference", "source", "measured", "error", "tolerance", "verdict"};
    kin_table table = {.columns = sizeof heads / sizeof *heads};
    for (int i = 0; i < table.columns; ++i) kin_table_add(&table, "%s", heads[i]);
    for (size_t i = 0; i < cases->count; ++i) {
        const kin_case_row_data* r = &cases->rows[i];
        kin_table_add(&table, "%s", r->name);
        kin_table_add(&table, "%s", r->method);
        kin_table_add(&table, "%s", r->quantity);
        kin_table_add(&table, "%.8g", r->reference);
        kin_table_add(&table, "(%s)", r->source);
        kin_table_add(&table, "%.8g", r->measured);
        kin_table_add(&table, "%.2g", r->error);
        kin_table_add(&table, "%.2g", r->tolerance);
        kin_table_add(&table, "%s", r->pass ? "pass" : "FAIL");
    }
    if (!kin_table_print(&table)) return kin_complain_text(KIN_EXIT_FAILED, "there is no memory for the table");
    size_t failed = count_failed(cases);
    printf("%zu passed, %zu failed\n", cases->count - (failed - cases->lost), failed);
    return KIN_EXIT_DONE;
}

static kin_node* make_row(kin_tree* tree, const kin_case_row_data* r)
{
    kin_node* row = kin_node_table(tree);
    bool ok =
        row != NULL && kin_node_set(tree, row, "name", kin_report_text(tree, r->name)) && kin_node_set(tree, row, "method", kin_report_text(tree, r->method))
        && kin_node_set(tree, row, "quantity", kin_report_text(tree, r->quantity)) && kin_node_set(tree, row, "source", kin_report_text(tree, r->source))
        && kin_node_set(tree, row, "reference", kin_report_number(tree, r->reference))
        && kin_node_set(tree, row, "measured", kin_report_number(tree, r->measured)) && kin_node_set(tree, row, "error", kin_report_number(tree, r->error))
        && kin_node_set(tree, row, "tolerance", kin_report_number(tree, r->tolerance)) && kin_node_set(tree, row, "pass", kin_node_bool(tree, r->pass));
    return ok ? row : NULL;
}

static int print_json(const kin_case_run* cases)
{
    kin_allocator allocator = kin_allocator_default();
    kin_tree tree;
    kin_tree_init(&tree, &allocator);
    size_t failed = count_failed(cases);
    kin_node* list = kin_node_list(&tree);
    bool made = list != NULL;
    for (size_t i = 0; made && i < cases->count; ++i) made = kin_node_append(&tree, list, make_row(&tree, &cases->rows[i]));
    tree.root = kin_node_table(&tree);
    made = made && tree.root != NULL && kin_node_set(&tree, tree.root, "cases", list)
           && kin_node_set(&tree, tree.root, "passed", kin_node_number(&tree, (double)(cases->count - (failed - cases->lost))))
           && kin_node_set(&tree, tree.root, "failed", kin_node_number(&tree, (double)failed));
    int code = kin_report_print(&tree, made);
    kin_tree_term(&tree);
    return code;
}

static int run(const kin_arguments* a)
{
    for (size_t i = 0; i < a->name_count; ++i) {
        if (!matches_any(a->names[i])) return complain_unknown(a->names[i]);
    }
    kin_case_run cases = {.full = a->full, .threads = (int)a->threads.value};
    run_chosen(a, &cases);
    int code = a->json ? print_json(&cases) : print_text(&cases);
    if (code == KIN_EXIT_DONE && count_failed(&cases) > 0) code = KIN_EXIT_FAILED;
    kin_case_free(&cases);
    return code;
}

static const kin_option options[] = {
    {.name = "full",
     .kind = KIN_OPTION_FLAG,
     .offset = KIN_ARGUMENT(full),
     .doc = "At full size, as the handbook's tables are made; the tests run a reduced one."},
    KIN_OPTION_THREADS,
    KIN_OPTION_JSON,
    KIN_OPTION_QUIET,
    {0},
};

const kin_verb kin_verb_validate = {
    .name = "validate",
    .usage = "[CASE...]",
    .least = 0,
    .most = KIN_ANY_NUMBER,
    .operand = KIN_OPERAND_LIST,
    .list = "cases",
    .options = options,
    .run = run,
    .summary = "Run cases with a known answer and print how near the engine comes.",
    .doc = "CASE is a case or a whole topic: kinema validate particles. Without: all. Exits 1 if any fails.",
};
