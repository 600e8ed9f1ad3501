/* stats_test.c - stats.csv: written row by row, read back, cut and repaired. */
#include "io/stats.h"
#include "io/stats_log.h"
#include "unit/io/folder.h"
#include "unit/io/toy.h"

static void check_text(test* t, const folder* f, const char* text, size_t rows, const char* message)
{
    kin_error error = {0};
    kin_stats s;
    bytes_write(t, in(f, "s"), text, strlen(text));
    kin_result result = kin_stats_read(&t->allocator, in(f, "s"), &s, &error);
    if (message == NULL) {
        CHECK(t, result == KIN_OK);
        EQUAL(t, s.row_count, rows);
        kin_stats_free(&s);
    } else {
        CHECK(t, result == KIN_ERROR_FORMAT && s.text == NULL);
        char whole[1100];
        kin_error_text(&error, whole, sizeof whole);
        HAS(t, whole, message);
    }
}

static void tables_are_read(test* t)
{
    folder f = folder_begin(t);
    check_text(t, &f, "frame,time\n", 0, NULL);
    check_text(t, &f, "frame,time,a.b\n0,0,1.5\n1,0.1,-2e-3\n", 2, NULL);
    check_text(t, &f, "frame,time,a.b\r\n0,0,1.5\r\n", 1, NULL);
    check_text(t, &f, "frame,time,a.b\n0,0,nan\n1,0.1,inf\n", 2, NULL);
    check_text(t, &f, "frame,time,a.b\n0,0,1.5\n1,0.1,-2", 1, NULL); /* half a last line */
    check_text(t, &f, "frame,time,a.b\n0,0,1.5\n1,x", 1, NULL);
    check_text(t, &f, "frame,time,a.b\n0,0,1.5\n1,x,2\n", 0, "/s:3: this is not a number: x");
    check_text(t, &f, "frame,time,a.b\n0,0,\n", 0, "/s:2: this is not a number");
    check_text(t, &f, "frame,time,a.b\n0,0,1 2\n", 0, "not a number: 1 2");
    check_text(t, &f, "frame,time,a.b\n0,0\n", 0, "/s:2: the row has not as many values");
    check_text(t, &f, "frame,time,a.b\n0,0,1,2\n", 0, "/s:2: the row");
    check_text(t, &f, "frame,time,a.b\n\n", 0, "/s:2: the row");
    check_text(t, &f, "frame,time,a", 0, "/s:1: this is no stats.csv");
    check_text(t, &f, "time,frame\n", 0, "no stats.csv");
    check_text(t, &f, "", 0, "no stats.csv");
    bytes_write(t, in(&f, "s"), "frame,time\n0,\0000\n", 16);
    kin_stats s;
    CHECK(t, kin_stats_read(&t->allocator, in(&f, "s"), &s, NULL) == KIN_ERROR_FORMAT);
    CHECK(t, kin_stats_read(&t->allocator, in(&f, "none"), &s, NULL) == KIN_ERROR_FILE);
    folder_end(&f);
}

static void write_rows(test* t, const char* path, kin_world* world, uint64_t from, uint64_t to)
{
    kin_error error = {0};
    kin_stats_log log;
    CHECK(t, kin_stats_log_begin(&log, &t->allocator, path, world, from, &error) == KIN_OK);
    for (uint64_t i = from; i < to; ++i) CHECK(t, kin_stats_log_row(&log, world, i, (double)i / 3, &error) == KIN_OK);
    CHECK(t, kin_stats_log_sync(&log, &error) == KIN_OK);
    TEXT(t, error.message, "");
    kin_stats_log_end(&log);
}

static void what_is_logged_is_read(test* t)
{
    folder f = folder_begin(t);
    kin_world* world = toy_world(t);
    toy_steps(world, 3);
    write_rows(t, in(&f, "s"), world, 0, 4);
    kin_stats s;
    kin_measure measures[2];
    CHECK(t, kin_stats_read(&t->allocator, in(&f, "s"), &s, NULL) == KIN_OK);
    EQUAL(t, s.row_count, 4);
    EQUAL(t, s.column_count, 6);
    TEXT(t, s.columns[2], "toy.kinetic_energy");
    TEXT(t, s.columns[5], "a_ _b_.count");
    EQUAL(t, kin_world_measure(world, 1, measures, 2), 2);
    NEAR(t, s.values[3 * 6], 3, 0);
    NEAR(t, s.values[3 * 6 + 1], 1, 1e-9);
    NEAR(t, s.values[3 * 6 + 2], measures[0].value, 1e-8 * measures[0].value);
    NEAR(t, s.values[3 * 6 + 5], 5, 0);
    kin_stats_free(&s);
    kin_world_destroy(world);
    folder_end(&f);
}

static void rows_are_cut_and_go_on(test* t)
{
    folder f = folder_begin(t);
    kin_world* world = toy_world(t);
    write_rows(t, in(&f, "straight"), world, 0, 9);
    write_rows(t, in(&f, "broken"), world, 0, 7);
    FILE* file = fopen(in(&f, "broken"), "a");
    fputs("7,0.2", file); /* a kill in mid-row */
    fclose(file);
    write_rows(t, in(&f, "broken"), world, 7, 8);
    write_rows(t, in(&f, "broken"), world, 3, 9);
    CHECK(t, bytes_equal_files(t, in(&f, "straight"), in(&f, "broken")));
    kin_stats_log log;
    kin_error error = {0};
    CHECK(t, kin_stats_log_begin(&log, &t->allocator, in(&f, "broken"), world, 10, &error) == KIN_ERROR_FORMAT); /* has 9 */
    HAS(t, error.message, "10 rows");
    CHECK(t, kin_stats_log_begin(&log, &t->allocator, in(&f, "none"), world, 1, &error) == KIN_ERROR_FILE);
    bytes_write(t, in(&f, "other"), "frame,time,x\n0,0,0\n", 19);
    CHECK(t, kin_stats_log_begin(&log, &t->allocator, in(&f, "other"), world, 1, &error) == KIN_ERROR_FORMAT);
    kin_world_destroy(world);
    folder_end(&f);
}

static void a_full_disk_takes_no_half_row(test* t)
{
    folder f = folder_begin(t);
    tiny_disk disk = tiny_disk_begin(&f, "size=8k");
    if (disk.mounted) {
        char path[600];
        snprintf(path, sizeof path, "%s/s", disk.path);
        kin_error error = {0};
        kin_world* world = toy_world(t);
        kin_stats_log log;
        CHECK(t, kin_stats_log_begin(&log, &t->allocator, path, world, 0, &error) == KIN_OK);
        kin_result result = KIN_OK;
        uint64_t rows = 0;
        while (rows < 10000 && (result = kin_stats_log_row(&log, world, rows, 1, &error)) == KIN_OK) ++rows;
        CHECK(t, result == KIN_ERROR_FILE && rows > 10);
        HAS(t, error.message, "No space left");
        kin_stats_log_end(&log);
        bytes b = bytes_read(t, path);
        CHECK(t, b.size > 0 && b.data[b.size - 1] == '\n');
        bytes_free(&b);
        kin_stats s;
        CHECK(t, kin_stats_read(&t->allocator, path, &s, NULL) == KIN_OK);
        EQUAL(t, s.row_count, rows);
        kin_stats_free(&s);
        kin_world_destroy(world);
    }
    tiny_disk_end(t, &disk);
    folder_end(&f);
}

static bool write_and_read(test* t, void* context)
{
    kin_world* world = toy_world(t);
    if (world == NULL) return false;
    kin_stats_log log;
    bool ok = kin_stats_log_begin(&log, &t->allocator, context, world, 0, NULL) == KIN_OK;
    if (ok) {
        ok = kin_stats_log_row(&log, world, 0, 0, NULL) == KIN_OK;
        kin_stats_log_end(&log);
    }
    ok = ok && kin_stats_log_begin(&log, &t->allocator, context, world, 1, NULL) == KIN_OK;
    if (ok) kin_stats_log_end(&log);
    kin_stats s;
    ok = ok && kin_stats_read(&t->allocator, context, &s, NULL) == KIN_OK;
    if (ok) kin_stats_free(&s);
    kin_world_destroy(world);
    return ok;
}

static void failing_allocations_are_borne(test* t)
{
    folder f = folder_begin(t);
    char path[600];
    snprintf(path, sizeof path, "%s/s", f.path);
    test_fail_each_allocation(t, write_and_read, path);
    folder_end(&f);
}

TEST_MAIN("io/stats", TEST(tables_are_read), TEST(what_is_logged_is_read), TEST(rows_are_cut_and_go_on), TEST(a_full_disk_takes_no_half_row),
          TEST(failing_allocations_are_borne))
