/* sheet.c - keeping cells, and the two ways to print them. */
#include "lab/sheet.h"
#include "base/alloc.h"
#include "io/file.h"
#include "options.h"
#include "progress.h"
#include "table.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

void kin_lab_study_init(kin_lab_study* study, const char* topic)
{
    kin_allocator allocator = kin_allocator_default();
    *study = (kin_lab_study){.topic = topic};
    kin_arena_init(&study->arena, &allocator);
}

void kin_lab_study_term(kin_lab_study* study)
{
    kin_allocator allocator = kin_allocator_default();
    for (int i = 0; i < study->sheet_count; ++i) kin_free(&allocator, study->sheets[i].cells, study->sheets[i].capacity * sizeof(kin_lab_cell));
    kin_free(&allocator, study->pictures, study->picture_capacity * sizeof *study->pictures);
    kin_arena_term(&study->arena);
}

void kin_lab_begin(kin_lab_study* study, const char* key, const char* title, const kin_lab_column* columns, int column_count)
{
    study->sheets[study->sheet_count++] = (kin_lab_sheet){.key = key, .title = title, .columns = columns, .column_count = column_count};
}

static void add(kin_lab_study* study, const kin_lab_cell* cell)
{
    kin_allocator allocator = kin_allocator_default();
    kin_lab_sheet* sheet = &study->sheets[study->sheet_count - 1];
    study->failed = study->failed || !kin_reserve(&allocator, (void**)&sheet->cells, &sheet->capacity, sheet->count + 1, sizeof *cell);
    if (!study->failed) sheet->cells[sheet->count++] = *cell;
}

void kin_lab_word(kin_lab_study* study, const char* word)
{
    kin_lab_cell cell = {0};
    snprintf(cell.text, sizeof cell.text, "%s", word);
    add(study, &cell);
}

void kin_lab_number(kin_lab_study* study, double number) { add(study, &(kin_lab_cell){.number = number}); }

void kin_lab_picture(kin_lab_study* study, const char* path)
{
    kin_allocator allocator = kin_allocator_default();
    study->failed =
        study->failed || !kin_reserve(&allocator, (void**)&study->pictures, &study->picture_capacity, study->picture_count + 1, sizeof *study->pictures);
    if (!study->failed) snprintf(study->pictures[study->picture_count++], sizeof *study->pictures, "%s", path);
}

/* ---- text ---- */

static void format_number(const char* format, double number, char text[KIN_LAB_TEXT])
{
    if (isnan(number))
        snprintf(text, KIN_LAB_TEXT, "-");
    else if (isinf(number))
        snprintf(text, KIN_LAB_TEXT, "none");
    else
        snprintf(text, KIN_LAB_TEXT, format, number);
}

static bool print_sheet(const kin_lab_sheet* sheet)
{
    kin_table table = {.columns = sheet->column_count};
    kin_print_wrapped(stdout, sheet->title, 0, 0);
    putchar('\n');
    for (int c = 0; c < sheet->column_count; ++c) kin_table_add(&table, "%s", sheet->columns[c].head);
    for (size_t i = 0; i < sheet->count; ++i) {
        char text[KIN_LAB_TEXT];
        const char* format = sheet->columns[i % (size_t)sheet->column_count].format;
        if (format != NULL) format_number(format, sheet->cells[i].number, text);
        kin_table_add(&table, "%s", format != NULL ? text : sheet->cells[i].text);
    }
    bool printed = kin_table_print(&table);
    putchar('\n');
    return printed;
}

int kin_lab_print_text(const kin_lab_study* study)
{
    bool printed = !study->failed;
    for (int i = 0; printed && i < study->sheet_count; ++i) printed = print_sheet(&study->sheets[i]);
    if (!printed) return kin_complain_text(KIN_EXIT_FAILED, "there is no memory for the tables");
    for (size_t i = 0; i < study->picture_count; ++i) puts(study->pictures[i]);
    return KIN_EXIT_DONE;
}

/* ---- JSON ---- */

static kin_node* make_row(kin_tree* tree, const kin_lab_sheet* sheet, size_t row)
{
    kin_node* node = kin_node_table(tree);
    const kin_lab_cell* cells = sheet->cells + row * (size_t)sheet->column_count;
    bool made = node != NULL;
    for (int c = 0; made && c < sheet->column_count; ++c) {
        kin_node* value = sheet->columns[c].format != NULL ? kin_report_number(tree, cells[c].number) : kin_report_text(tree, cells[c].text);
        made = kin_node_set(tree, node, sheet->columns[c].key, value);
    }
    return made ? node : NULL;
}

static bool add_sheet(kin_tree* tree, const kin_lab_sheet* sheet)
{
    kin_node* rows = kin_node_list(tree);
    bool made = rows != NULL;
    for (size_t row = 0; made && row < sheet->count / (size_t)sheet->column_count; ++row) made = kin_node_append(tree, rows, make_row(tree, sheet, row));
    return made && kin_node_set(tree, tree->root, sheet->key, rows);
}

int kin_lab_print_json(const kin_lab_study* study)
{
    kin_allocator allocator = kin_allocator_default();
    kin_tree tree;
    kin_tree_init(&tree, &allocator);
    tree.root = kin_node_table(&tree);
    bool made = !study->failed && tree.root != NULL && kin_node_set(&tree, tree.root, "topic", kin_report_text(&tree, study->topic));
    for (int i = 0; made && i < study->sheet_count; ++i) made = add_sheet(&tree, &study->sheets[i]);
    kin_node* pictures = made ? kin_node_list(&tree) : NULL;
    made = pictures != NULL;
    for (size_t i = 0; made && i < study->picture_count; ++i) made = kin_node_append(&tree, pictures, kin_report_text(&tree, study->pictures[i]));
    made = made && kin_node_set(&tree, tree.root, "pictures", pictures);
    int code = kin_report_print(&tree, made);
    kin_tree_term(&tree);
    return code;
}

/* ---- a study from begin to end ---- */

static kin_result run_parts(kin_lab_study* study, kin_lab_table_fn* const* tables, kin_lab_draw_fn* const* pictures, const char* folder, bool quiet,
                            kin_error* error)
{
    uint64_t done = 0, table_count = 0, picture_count = 0;
    while (tables[table_count] != NULL) ++table_count;
    while (pictures[picture_count] != NULL) ++picture_count;
    kin_result result = kin_folder_make(folder, error);
    if (result != KIN_OK) return result;
    kin_progress_begin("lab", "part", 0, table_count + picture_count, quiet);
    for (uint64_t i = 0; i < table_count; ++i) {
        tables[i](study);
        kin_progress_at(++done, -1);
    }
    for (uint64_t i = 0; i < picture_count && result == KIN_OK; ++i) {
        result = pictures[i](study, folder, error);
        kin_progress_at(++done, -1);
    }
    kin_progress_end();
    return result;
}

int kin_lab_study_run(const char* topic, kin_lab_table_fn* const* tables, kin_lab_draw_fn* const* pictures, const char* folder, bool json, bool quiet)
{
    kin_lab_study study;
    kin_error error = {0};
    kin_lab_study_init(&study, topic);
    int code;
    if (run_parts(&study, tables, pictures, folder, quiet, &error) != KIN_OK)
        code = kin_complain(KIN_EXIT_FAILED, &error);
    else
        code = json ? kin_lab_print_json(&study) : kin_lab_print_text(&study);
    kin_lab_study_term(&study);
    return code;
}
