/* test.h - thin checks on cmocka: print file, line and both values, and go on. A test fails at its end.
 *
 *     static void sqrt_of_four(test* t) { NEAR(t, sqrt(4), 2, 1e-15); }
 *     TEST_MAIN("math", TEST(sqrt_of_four))
 *
 * Every test gets an allocator that counts: what a test leaks fails it. */
#pragma once
#include "kinema/base.h"
#include "kinema/math.h"

typedef struct test {
    const char* name;
    int failures;
    kin_allocator allocator; /* counting; fails on demand */
    size_t live_bytes;       /* handed out and not yet back */
    size_t live_blocks;
    uint64_t allocations; /* since the start of the test */
    int64_t fail_after;   /* the allocation after this many fails, and all later ones; < 0: never */
} test;

typedef struct test_case {
    const char* name;
    void (*run)(test* t);
} test_case;

#define TEST(function)                                                                                                                                         \
    {                                                                                                                                                          \
#function, function                                                                                                                                    \
    }
#define TEST_MAIN(suite, ...)                                                                                                                                  \
    int main(int argc, char** argv)                                                                                                                            \
    {                                                                                                                                                          \
        static const test_case cases[] = {__VA_ARGS__};                                                                                                        \
        return test_main(suite, cases, sizeof cases / sizeof *cases, argc, argv);                                                                              \
    }
/* Runs all cases, or those whose name contains argv[1]. Last line: "tests: N passed, M failed". */
int test_main(const char* suite, const test_case* cases, size_t count, int argc, char** argv);

/* Allocation faults: calls body with the 1st, 2nd, ... allocation failing until it succeeds with none failing.
 * body returns true when it succeeded; it must clean up after itself either way. Checks that failures leak nothing. */
void test_fail_each_allocation(test* t, bool (*body)(test* t, void* context), void* context);

bool test_check(test* t, bool ok, const char* file, int line, const char* format, ...) KIN_PRINTF(5, 6);
bool test_equal(test* t, const char* file, int line, const char* text, long long got, long long want);
bool test_near(test* t, const char* file, int line, const char* text, double got, double want, double tolerance);
bool test_near3(test* t, const char* file, int line, const char* text, kin_vec3 got, kin_vec3 want, double tolerance);
bool test_text(test* t, const char* file, int line, const char* text, const char* got, const char* want);
bool test_has(test* t, const char* file, int line, const char* text, const char* got, const char* part);

#define CHECK(t, condition) test_check(t, (condition), __FILE__, __LINE__, "%s is false", #condition)
#define NEAR(t, got, want, tolerance) test_near(t, __FILE__, __LINE__, #got, got, want, tolerance) /* absolute */
#define NEAR3(t, got, want, tolerance) test_near3(t, __FILE__, __LINE__, #got, got, want, tolerance)
#define EQUAL(t, got, want) test_equal(t, __FILE__, __LINE__, #got, (long long)(got), (long long)(want))
#define TEXT(t, got, want) test_text(t, __FILE__, __LINE__, #got, got, want)
#define HAS(t, got, part) test_has(t, __FILE__, __LINE__, #got, got, part) /* got contains part */
