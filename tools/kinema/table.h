/* table.h - text in columns as wide as they must be. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum { KIN_TABLE_COLUMNS = 16, KIN_TABLE_CELL = 256 };

typedef struct kin_table {
    int columns;
    char (*cells)[KIN_TABLE_CELL]; /* row after row; the first is the heading */
    size_t count, capacity;
    bool failed; /* no memory: nothing will be printed */
} kin_table;

/* One more cell, from the left, row after row. */
void kin_table_add(kin_table* table, const char* format, ...) __attribute__((format(printf, 2, 3)));
/* Prints on stdout and frees; false when memory ran out. */
bool kin_table_print(kin_table* table);
