/* bench.c - kinema bench: how fast, beside the machine's own limits and beside peers. */
#include "bench/bench.h"
#include "base/text.h"
#include "progress.h"
#include "report.h"
#include "table.h"
#include "validation/validation.h"
#include "verbs.h"

enum { NAMES_MAX = 256 };

/* ---- which: names and topics, as for cases ---- */

static bool matches_any(const char* wanted)
{
    for (int i = 0; kin_bench_topics[i] != NULL; ++i) {
        for (const kin_bench* b = kin_bench_topics[i]; b->name != NULL; ++b) {
            if (kin_case_chosen(b->name, &wanted, 1)) return true;
        }
    }
    return false;
}

static int complain_unknown(const char* wanted)
{
    const char* names[NAMES_MAX];
    size_t count = 0;
    for (int i = 0; kin_bench_topics[i] != NULL; ++i) {
        for (const kin_bench* b = kin_bench_topics[i]; b->name != NULL && count < NAMES_MAX; ++b) names[count++] = b->name;
    }
    const char* nearest = kin_text_nearest(wanted, names, count);
    if (nearest != NULL) return kin_complain_text(KIN_EXIT_WRONG, "bench: there is no \"%s\"; did you mean %s?", wanted, nearest);
    return kin_complain_text(KIN_EXIT_WRONG, "bench: there is no \"%s\"; kinema list benches lists them", wanted);
}

static uint64_t count_chosen(const kin_arguments* a)
{
    uint64_t count = 0;
    for (int i = 0; kin_bench_topics[i] != NULL; ++i) {
        for (const kin_bench* b = kin_bench_topics[i]; b->name != NULL; ++b) count += kin_case_chosen(b->name, a->names, a->name_count);
    }
    return count;
}

/* ---- text ---- */

static void add_extras(kin_table* table, const kin_bench_row* r)
{
    char text[KIN_TABLE_CELL] = "";
    for (int i = 0; i < r->ratio_count; ++i) kin_text_append(text, sizeof text, "%s%.2f x %s", i > 0 ? ", " : "", r->ratios[i].ratio, r->ratios[i].peer);
    kin_table_add(table, "%s", text);
    text[0] = 0;
    for (int i = 0; i < r->quality_count; ++i) kin_text_append(text, sizeof text, "%s%s %.3g", i > 0 ? ", " : "", r->quality[i].name, r->quality[i].value);
    kin_table_add(table, "%s", text);
    if (r->scaling_count > 0)
        kin_table_add(table, "n^%.2f", r->exponent);
    else
        kin_table_add(table, "%s", "");
}

/* Rows from `first` on, under a heading of their own: what is done is said at once, for a long run may be cut. */
static bool print_rows(const kin_bench_run* benches, size_t first)
{
    static const char* const heads[] = {"bench", "n", "threads", "ms/step", "rate", "unit", "time over peer's", "quality", "growth"};
    kin_table table = {.columns = sizeof heads / sizeof *heads};
    for (int i = 0; i < table.columns; ++i) kin_table_add(&table, "%s", heads[i]);
    for (size_t i = first; i < benches->count; ++i) {
        const kin_bench_row* r = &benches->rows[i];
        kin_table_add(&table, "%s", r->name);
        kin_table_add(&table, "%.0f", r->n);
        kin_table_add(&table, "%d", r->threads);
        kin_table_add(&table, "%.5g", r->ms_per_step);
        kin_table_add(&table, "%.4g", r->rate);
        kin_table_add(&table, "%s", r->unit);
        add_extras(&table, r);
    }
    bool printed = kin_table_print(&table);
    fflush(stdout);
    return printed;
}

static int print_machine(const kin_machine* machine)
{
    printf("%s, %d cores, %.1f GB, triad %.1f GB/s on one thread, %.1f on two, fma %.0f GFLOP/s on one, %.0f on two\n", machine->cpu, machine->cores,
           machine->memory_gb, machine->triad_gbs[0], machine->triad_gbs[1], machine->fma_gflops[0], machine->fma_gflops[1]);
    return KIN_EXIT_DONE;
}

/* ---- all of them ---- */

/* False: there was no memory for a table. */
static bool run_chosen(const kin_arguments* a, kin_bench_run* benches)
{
    uint64_t done = 0;
    bool printed = true;
    kin_progress_begin("bench", "bench", 0, count_chosen(a), a->quiet);
    for (int i = 0; kin_bench_topics[i] != NULL; ++i) {
        for (const kin_bench* b = kin_bench_topics[i]; b->name != NULL; ++b) {
            if (!kin_case_chosen(b->name, a->names, a->name_count)) continue;
            size_t first = benches->count;
            b->run(benches, b->name);
            kin_progress_clear();
            if (!a->json) printed = print_rows(benches, first) && printed;
            kin_progress_at(++done, -1);
        }
    }
    kin_progress_end();
    return printed;
}

/* ---- JSON ---- */

static kin_node* make_ratios(kin_tree* tree, const kin_bench_row* r)
{
    kin_node* table = kin_node_table(tree);
    bool ok = table != NULL;
    for (int i = 0; ok && i < r->ratio_count; ++i) ok = kin_node_set(tree, table, r->ratios[i].peer, kin_report_number(tree, r->ratios[i].ratio));
    return ok ? table : NULL;
}

static kin_node* make_quality(kin_tree* tree, const kin_bench_row* r)
{
    kin_node* table = kin_node_table(tree);
    bool ok = table != NULL;
    for (int i = 0; ok && i < r->quality_count; ++i) ok = kin_node_set(tree, table, r->quality[i].name, kin_report_number(tree, r->quality[i].value));
    return ok ? table : NULL;
}

static kin_node* make_scaling(kin_tree* tree, const kin_bench_row* r)
{
    kin_node* list = kin_node_list(tree);
    bool ok = list != NULL;
    for (int i = 0; ok && i < r->scaling_count; ++i) {
        kin_node* point = kin_node_table(tree);
        ok = point != NULL && kin_node_set(tree, point, "n", kin_report_number(tree, r->scaling[i].n))
             && kin_node_set(tree, point, "ms", kin_report_number(tree, r->scaling[i].ms)) && kin_node_append(tree, list, point);
    }
    return ok ? list : NULL;
}

static kin_node* make_row(kin_tree* tree, const kin_bench_row* r)
{
    kin_node* row = kin_node_table(tree);
    bool ok = row != NULL && kin_node_set(tree, row, "name", kin_report_text(tree, r->name)) && kin_node_set(tree, row, "n", kin_report_number(tree, r->n))
              && kin_node_set(tree, row, "threads", kin_node_number(tree, r->threads))
              && kin_node_set(tree, row, "ms_per_step", kin_report_number(tree, r->ms_per_step))
              && kin_node_set(tree, row, "rate", kin_report_number(tree, r->rate)) && kin_node_set(tree, row, "unit", kin_report_text(tree, r->unit))
              && kin_node_set(tree, row, "ratios", make_ratios(tree, r)) && kin_node_set(tree, row, "quality", make_quality(tree, r));
    if (ok && r->scaling_count > 0) {
        ok = kin_node_set(tree, row, "scaling", make_scaling(tree, r)) && kin_node_set(tree, row, "exponent", kin_report_number(tree, r->exponent));
    }
    return ok ? row : NULL;
}

static kin_node* make_pair(kin_tree* tree, const double numbers[2])
{
    kin_node* list = kin_node_list(tree);
    bool ok =
        list != NULL && kin_node_append(tree, list, kin_report_number(tree, numbers[0])) && kin_node_append(tree, list, kin_report_number(tree, numbers[1]));
    return ok ? list : NULL;
}

static kin_node* make_machine(kin_tree* tree, const kin_machine* m)
{
    kin_node* table = kin_node_table(tree);
    bool ok =
        table != NULL && kin_node_set(tree, table, "cpu", kin_report_text(tree, m->cpu)) && kin_node_set(tree, table, "cores", kin_node_number(tree, m->cores))
        && kin_node_set(tree, table, "memory_gb", kin_report_number(tree, m->memory_gb))
        && kin_node_set(tree, table, "triad_gbs", make_pair(tree, m->triad_gbs)) && kin_node_set(tree, table, "fma_gflops", make_pair(tree, m->fma_gflops));
    return ok ? table : NULL;
}

static int print_json(const kin_bench_run* benches, const kin_machine* machine)
{
    kin_allocator allocator = kin_allocator_default();
    kin_tree tree;
    kin_tree_init(&tree, &allocator);
    kin_node* list = kin_node_list(&tree);
    bool made = list != NULL;
    for (size_t i = 0; made && i < benches->count; ++i) made = kin_node_append(&tree, list, make_row(&tree, &benches->rows[i]));
    tree.root = kin_node_table(&tree);
    made =
        made && tree.root != NULL && kin_node_set(&tree, tree.root, "benches", list) && kin_node_set(&tree, tree.root, "machine", make_machine(&tree, machine));
    int code = kin_report_print(&tree, made);
    kin_tree_term(&tree);
    return code;
}

static int run(const kin_arguments* a)
{
    for (size_t i = 0; i < a->name_count; ++i) {
        if (!matches_any(a->names[i])) return complain_unknown(a->names[i]);
    }
    kin_bench_run benches = {.peers = a->peers};
    bool printed = run_chosen(a, &benches);
    kin_machine machine = kin_bench_machine();
    int code = a->json ? print_json(&benches, &machine) : print_machine(&machine);
    if (!printed) code = kin_complain_text(KIN_EXIT_FAILED, "there is no memory for the table");
    if (benches.failure[0] != 0) code = kin_complain_text(KIN_EXIT_FAILED, "bench: %s", benches.failure);
    kin_bench_free(&benches);
    return code;
}

static const kin_option options[] = {
    {.name = "peers",
     .kind = KIN_OPTION_FLAG,
     .offset = KIN_ARGUMENT(peers),
     .doc = "Also run the same work on peers from the distribution's packages; their ratios are our time over theirs."},
    KIN_OPTION_JSON,
    KIN_OPTION_QUIET,
    {0},
};

const kin_verb kin_verb_bench = {
    .name = "bench",
    .usage = "[NAME...]",
    .least = 0,
    .most = KIN_ANY_NUMBER,
    .operand = KIN_OPERAND_LIST,
    .list = "benches",
    .options = options,
    .run = run,
    .summary = "Measure how fast the engine is on this machine.",
    .doc = "NAME is a bench or a whole topic: kinema bench particles. Without: all.",
};
