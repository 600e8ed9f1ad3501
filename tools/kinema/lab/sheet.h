/* sheet.h - the tables of a study: cells are put in once and come out as text or as JSON; and the run of a study from begin to end. */
#pragma once
#include "base/tree.h"
#include "report.h"

enum { KIN_LAB_TEXT = 32, KIN_LAB_SHEETS = 24 };

typedef struct kin_lab_column {
    const char* key;    /* in JSON */
    const char* head;   /* in text */
    const char* format; /* of a number, for printf; NULL: a column of words */
} kin_lab_column;

typedef struct kin_lab_cell {
    double number; /* infinity: none; NaN: does not apply. Both are null in JSON */
    char text[KIN_LAB_TEXT];
} kin_lab_cell;

typedef struct kin_lab_sheet {
    const char* key;
    const char* title; /* what it shows, where the text has it, and what "none" means */
    const kin_lab_column* columns;
    int column_count;
    kin_lab_cell* cells; /* row after row */
    size_t count, capacity;
} kin_lab_sheet;

typedef struct kin_lab_study {
    const char* topic;
    kin_lab_sheet sheets[KIN_LAB_SHEETS];
    int sheet_count;
    char (*pictures)[1024]; /* paths, in the order they were drawn */
    size_t picture_count, picture_capacity;
    kin_arena arena;
    bool failed; /* no memory */
} kin_lab_study;

void kin_lab_study_init(kin_lab_study* study, const char* topic);
void kin_lab_study_term(kin_lab_study* study);
/* The sheet that cells go to from now on. */
void kin_lab_begin(kin_lab_study* study, const char* key, const char* title, const kin_lab_column* columns, int column_count);
/* One more cell, from the left, row after row. */
void kin_lab_word(kin_lab_study* study, const char* word);
void kin_lab_number(kin_lab_study* study, double number);
void kin_lab_picture(kin_lab_study* study, const char* path);

typedef void kin_lab_table_fn(kin_lab_study* study);
typedef kin_result kin_lab_draw_fn(kin_lab_study* study, const char* folder, kin_error* error);
/* The tables of a study, then its pictures (either list ends with NULL), then all of it on stdout. Returns the exit code. */
int kin_lab_study_run(const char* topic, kin_lab_table_fn* const* tables, kin_lab_draw_fn* const* pictures, const char* folder, bool json, bool quiet);

int kin_lab_print_text(const kin_lab_study* study); /* both return the exit code */
int kin_lab_print_json(const kin_lab_study* study);
