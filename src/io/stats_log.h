/* stats_log.h - writing stats.csv. The header is written beside and renamed; then a row a frame is appended and flushed, and taken back if the disk is full.
 * A kill can leave half a last row: readers leave it out, resuming cuts it off. */
#pragma once
#include "io/file.h"
#include "kinema/world.h"

typedef struct kin_stats_log {
    kin_allocator allocator;
    char path[KIN_PATH_SIZE];
    bool open;
    int file;
    size_t size; /* bytes of whole rows */
    char* text;  /* the row in the making */
    size_t length, capacity;
    kin_measure* measures;
    size_t measure_capacity;
} kin_stats_log;

/* rows: how many of the rows that are there stay (0: a new file). KIN_ERROR_FORMAT if the file does not begin with this world's columns and that many
 * rows, for frames 0, 1, 2 ... */
kin_result kin_stats_log_begin(kin_stats_log* log, const kin_allocator* allocator, const char* path, const kin_world* world, uint64_t rows, kin_error* error);
kin_result kin_stats_log_row(kin_stats_log* log, const kin_world* world, uint64_t frame, double time, kin_error* error);
/* To the disk, so that a checkpoint never knows of rows that a power cut could take. */
kin_result kin_stats_log_sync(kin_stats_log* log, kin_error* error);
void kin_stats_log_end(kin_stats_log* log); /* a log that is {0} is fine */
