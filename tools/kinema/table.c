/* table.c - cells are kept until all are known, as the widest sets the width. */
#include "table.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void kin_table_add(kin_table* table, const char* format, ...)
{
    if (table->count == table->capacity) {
        size_t capacity = 2 * table->capacity + 256;
        void* cells = realloc(table->cells, capacity * sizeof *table->cells);
        if (cells == NULL) {
            table->failed = true;
            return;
        }
        table->cells = cells;
        table->capacity = capacity;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(table->cells[table->count++], KIN_TABLE_CELL, format, arguments);
    va_end(arguments);
}

bool kin_table_print(kin_table* table)
{
    int widths[KIN_TABLE_COLUMNS] = {0};
    size_t columns = (size_t)table->columns;
    for (size_t i = 0; i < table->count; ++i) {
        int length = (int)strlen(table->cells[i]);
        if (length > widths[i % columns]) widths[i % columns] = length;
    }
    for (size_t i = 0; i < table->count && !table->failed; ++i) {
        bool last = i % columns == columns - 1;
        if (last)
            printf("%s\n", table->cells[i]);
        else
            printf("%-*s  ", widths[i % columns], table->cells[i]);
    }
    free(table->cells);
    table->cells = NULL;
    return !table->failed;
}
