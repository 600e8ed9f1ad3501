/* test.c - the runner: one cmocka test per case, each with a counting allocator. */
#include "support/test.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <pthread.h>
#include <cmocka.h>

static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER; /* chunks may allocate from any thread */

static void* counted_allocate(void* context, size_t size, size_t alignment)
{
    test* t = context;
    pthread_mutex_lock(&counting);
    bool fail = t->fail_after >= 0 && t->allocations >= (uint64_t)t->fail_after;
    t->allocations += 1;
    void* p = fail ? NULL : aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (p != NULL) {
        t->live_bytes += size;
        t->live_blocks += 1;
        memset(p, 0xA5, size); /* nobody may count on cleared memory */
    }
    pthread_mutex_unlock(&counting);
    return p;
}

static void counted_release(void* context, void* memory, size_t size)
{
    test* t = context;
    pthread_mutex_lock(&counting);
    t->live_bytes -= size;
    t->live_blocks -= 1;
    pthread_mutex_unlock(&counting);
    free(memory);
}

void test_fail_each_allocation(test* t, bool (*body)(test* t, void* context), void* context)
{
    bool done = false;
    for (int64_t n = 0; !done && n < 100000; ++n) {
        t->allocations = 0;
        t->fail_after = n;
        size_t before = t->live_bytes;
        done = body(t, context);
        bool reached = t->allocations > (uint64_t)n;
        t->fail_after = -1;
        if (!test_check(t, t->live_bytes == before, __FILE__, __LINE__, "allocation %lld failing leaked %zu bytes", (long long)n, t->live_bytes - before))
            return;
        if (!test_check(t, done || reached, __FILE__, __LINE__, "body failed without an allocation failing (%lld)", (long long)n)) return;
        if (done && reached) done = false; /* it coped without that block: go on to later ones */
    }
}

bool test_check(test* t, bool ok, const char* file, int line, const char* format, ...)
{
    if (ok) return true;
    t->failures += 1;
    if (t->failures > 20) return false; /* enough to see the pattern */
    va_list arguments;
    va_start(arguments, format);
    printf("%s:%d: %s: ", file, line, t->name);
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    fflush(stdout);
    return false;
}

bool test_equal(test* t, const char* file, int line, const char* text, long long got, long long want)
{
    return test_check(t, got == want, file, line, "%s is %lld, not %lld", text, got, want);
}

bool test_near(test* t, const char* file, int line, const char* text, double got, double want, double tolerance)
{
    bool ok = fabs(got - want) <= tolerance || got == want;
    return test_check(t, ok, file, line, "%s is %.17g, not %.17g within %.3g (off by %.3g)", text, got, want, tolerance, got - want);
}

bool test_near3(test* t, const char* file, int line, const char* text, kin_vec3 got, kin_vec3 want, double tolerance)
{
    bool ok = fabs(got.x - want.x) <= tolerance && fabs(got.y - want.y) <= tolerance && fabs(got.z - want.z) <= tolerance;
    return test_check(t, ok, file, line, "%s is (%.15g, %.15g, %.15g), not (%.15g, %.15g, %.15g) within %.3g", text, got.x, got.y, got.z, want.x, want.y,
                      want.z, tolerance);
}

bool test_text(test* t, const char* file, int line, const char* text, const char* got, const char* want)
{
    return test_check(t, got != NULL && strcmp(got, want) == 0, file, line, "%s is \"%s\", not \"%s\"", text, got ? got : "(null)", want);
}

bool test_has(test* t, const char* file, int line, const char* text, const char* got, const char* part)
{
    return test_check(t, got != NULL && strstr(got, part) != NULL, file, line, "%s is \"%s\", without \"%s\"", text, got ? got : "(null)", part);
}

static void run_case(void** state)
{
    const test_case* c = *state;
    test t = {.name = c->name, .fail_after = -1};
    t.allocator = (kin_allocator){&t, counted_allocate, counted_release};
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    c->run(&t);
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds = (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    if (seconds > 10) printf("slow: %s took %.1f s\n", c->name, seconds);
    test_check(&t, t.live_blocks == 0, __FILE__, __LINE__, "leaked %zu blocks, %zu bytes", t.live_blocks, t.live_bytes);
    if (t.failures > 0) fail_msg("%d checks failed", t.failures);
}

int test_main(const char* suite, const test_case* cases, size_t count, int argc, char** argv)
{
    const char* filter = argc > 1 ? argv[1] : "";
    struct CMUnitTest* tests = calloc(count + 1, sizeof *tests);
    size_t chosen = 0;
    for (size_t i = 0; i < count; ++i) {
        if (strstr(cases[i].name, filter) == NULL) continue;
        tests[chosen++] = (struct CMUnitTest){.name = cases[i].name, .test_func = run_case, .initial_state = (void*)&cases[i]};
    }
    int failed = _cmocka_run_group_tests(suite, tests, chosen, NULL, NULL);
    free(tests);
    printf("tests: %d passed, %d failed\n", (int)chosen - failed, failed);
    return failed == 0 && chosen > 0 ? 0 : 1;
}
