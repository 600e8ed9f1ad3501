#include "base/jobs.h"
#include "base/alloc.h"
#include "base/error.h"
#include "support/test.h"
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

static kin_jobs new_jobs(test* t, int threads)
{
    kin_jobs jobs;
    kin_error error = {0};
    kin_result result = kin_jobs_init(&jobs, &t->allocator, NULL, threads, &error);
    test_check(t, result == KIN_OK, __FILE__, __LINE__, "%d threads: %s", threads, error.message);
    return jobs;
}

/* ---- chunks ---- */

static void chunk_counts(test* t)
{
    EQUAL(t, kin_chunk_count(0, 10), 0);
    EQUAL(t, kin_chunk_count(-5, 10), 0);
    EQUAL(t, kin_chunk_count(1, 10), 1);
    EQUAL(t, kin_chunk_count(10, 10), 1);
    EQUAL(t, kin_chunk_count(11, 10), 2);
    EQUAL(t, kin_chunk_count(100, 1), 100);
    EQUAL(t, kin_chunk_count(100, INT64_MAX), 1);
    EQUAL(t, kin_chunk_count(INT64_MAX, INT64_MAX), 1);
    CHECK(t, kin_chunk_count(INT64_MAX, 1) > INT_MAX / 2); /* as many as can be counted */
    EQUAL(t, kin_chunk_count((int64_t)INT_MAX, 1), INT_MAX);
}

typedef struct visits {
    atomic_int* items; /* times each item was met */
    int64_t n, grain;
    atomic_int chunks, wrong;
} visits;

static void visit(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    visits* v = argument;
    if (begin != chunk * v->grain || end <= begin || end > v->n || (end != v->n && end - begin != v->grain)) v->wrong += 1;
    char* memory = kin_arena_take(scratch, 1000);
    if (memory == NULL) {
        v->wrong += 1;
        return;
    }
    memset(memory, chunk, 1000);
    for (int64_t i = begin; i < end; ++i) v->items[i] += 1;
    for (int i = 0; i < 1000; ++i) v->wrong += memory[i] != (char)chunk; /* nobody else wrote there */
    v->chunks += 1;
}

static void every_item_once_for_any_thread_count(test* t)
{
    static const int64_t sizes[] = {0, 1, 7, 100, 1000};
    static const int64_t grains[] = {1, 3, 100, 5000};
    for (int threads = 1; threads <= 8; ++threads) {
        kin_jobs jobs = new_jobs(t, threads);
        for (int k = 0; k < 20; ++k) {
            visits v = {.n = sizes[k % 5], .grain = grains[k / 5]};
            v.items = calloc((size_t)v.n + 1, sizeof *v.items);
            kin_parallel_for(&jobs, v.n, v.grain, visit, &v);
            for (int64_t i = 0; i < v.n; ++i) EQUAL(t, v.items[i], 1);
            EQUAL(t, v.wrong, 0);
            EQUAL(t, v.chunks, kin_chunk_count(v.n, v.grain));
            free(v.items);
        }
        kin_jobs_term(&jobs);
    }
}

/* ---- the same bits ---- */

typedef struct partials {
    double sums[1000];
} partials;

static void sum_sines(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    partials* p = argument;
    double* values = kin_arena_take(scratch, (size_t)(end - begin) * sizeof *values);
    for (int64_t i = begin; i < end; ++i) values[i - begin] = sin((double)i * 1.7) * 1e3 / (double)(i + 1);
    p->sums[chunk] = kin_sum(values, end - begin);
}

static void results_by_chunk_do_not_depend_on_threads(test* t)
{
    double first = 0;
    for (int threads = 1; threads <= 8; threads += 1 + threads / 3) {
        kin_jobs jobs = new_jobs(t, threads);
        partials p;
        kin_parallel_for(&jobs, 100000, 137, sum_sines, &p);
        double sum = kin_sum(p.sums, kin_chunk_count(100000, 137));
        if (threads == 1) first = sum;
        CHECK(t, memcmp(&sum, &first, sizeof sum) == 0);
        kin_jobs_term(&jobs);
    }
}

/* ---- nesting ---- */

typedef struct nested {
    kin_jobs* jobs;
    kin_jobs* others; /* one per chunk */
    atomic_int inner[64][10];
    atomic_int wrong;
    int64_t outer_chunk[64];
} nested;

typedef struct inner_loop {
    nested* n;
    int outer;
    pthread_t thread;
    int next_chunk;
} inner_loop;

static void inner_chunk(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    inner_loop* loop = argument;
    (void)end;
    if (!pthread_equal(loop->thread, pthread_self()) || chunk != loop->next_chunk++) loop->n->wrong += 1; /* inline and in order */
    if (kin_arena_take(scratch, 20000) == NULL) loop->n->wrong += 1;
    loop->n->inner[loop->outer][begin] += 1;
}

static void outer_chunk(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    nested* n = argument;
    (void)end;
    int64_t* mine = kin_arena_take(scratch, sizeof *mine);
    *mine = begin;
    inner_loop loop = {n, chunk, pthread_self(), 0};
    kin_parallel_for(n->jobs, 10, 1, inner_chunk, &loop);
    n->outer_chunk[chunk] = *mine; /* the inner scratch left ours alone */
}

static void nested_loops_run_inline(test* t)
{
    for (int threads = 1; threads <= 4; ++threads) {
        kin_jobs jobs = new_jobs(t, threads);
        nested n = {.jobs = &jobs};
        kin_parallel_for(&jobs, 64, 1, outer_chunk, &n);
        EQUAL(t, n.wrong, 0);
        for (int i = 0; i < 64; ++i) {
            EQUAL(t, n.outer_chunk[i], i);
            for (int k = 0; k < 10; ++k) EQUAL(t, n.inner[i][k], 1);
        }
        kin_jobs_term(&jobs);
    }
}

static void count_item(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk;
    (void)scratch;
    atomic_fetch_add((atomic_int*)argument, (int)(end - begin));
}

static void use_other_jobs(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    nested* n = argument;
    (void)end;
    (void)scratch;
    kin_parallel_for(&n->others[chunk], 100, 3, count_item, &n->inner[0][begin]);
}

static void worlds_can_run_within_chunks_of_another(test* t)
{
    kin_jobs jobs = new_jobs(t, 3);
    kin_jobs others[6];
    for (int i = 0; i < 6; ++i) others[i] = new_jobs(t, 2);
    nested n = {.others = others};
    kin_parallel_for(&jobs, 6, 1, use_other_jobs, &n);
    for (int i = 0; i < 6; ++i) EQUAL(t, n.inner[0][i], 100);
    for (int i = 0; i < 6; ++i) kin_jobs_term(&others[i]);
    kin_jobs_term(&jobs);
}

/* ---- floating point mode ---- */

#if defined(__SSE2__)
static void check_mode(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)begin;
    (void)end;
    (void)chunk;
    (void)scratch;
    if ((_mm_getcsr() & ~0x3Fu) != 0x1F80) atomic_fetch_add((atomic_int*)argument, 1);
    _mm_setcsr(0x1F80 | 0x8040); /* a careless chunk */
}

static void every_chunk_has_the_default_mode_and_the_thread_its_own(test* t)
{
    unsigned before = _mm_getcsr();
    for (int threads = 1; threads <= 4; ++threads) {
        _mm_setcsr(0x1F80 | 0x8040 | 0x6000); /* flush, denormals are zero, toward zero: also what new threads start with */
        kin_jobs jobs = new_jobs(t, threads);
        atomic_int wrong = 0;
        for (int round = 0; round < 50; ++round) kin_parallel_for(&jobs, 40, 1, check_mode, &wrong);
        kin_parallel_for(&jobs, 1, 1, check_mode, &wrong);
        CHECK(t, (_mm_getcsr() & ~0x3Fu) == (0x1F80 | 0x8040 | 0x6000));
        kin_jobs_term(&jobs);
        _mm_setcsr(before);
        EQUAL(t, wrong, 0);
    }
}
#else
static void every_chunk_has_the_default_mode_and_the_thread_its_own(test* t) { CHECK(t, true); }
#endif

/* ---- schedulers ---- */

typedef struct backward {
    int runs, worker_count;
} backward;

static void run_backward(void* context, kin_chunk_fn* fn, void* argument, int chunk_count)
{
    backward* b = context;
    b->runs += 1;
    for (int i = chunk_count - 1; i >= 0; --i) fn(argument, i, i % b->worker_count);
}

static void an_injected_scheduler_runs_the_chunks(test* t)
{
    backward b = {.worker_count = 3};
    kin_scheduler scheduler = {&b, 3, run_backward};
    kin_jobs jobs;
    CHECK(t, kin_jobs_init(&jobs, &t->allocator, &scheduler, 0, NULL) == KIN_OK);
    CHECK(t, jobs.own_pool == NULL);
    partials p, want;
    kin_parallel_for(&jobs, 100000, 137, sum_sines, &p);
    EQUAL(t, b.runs, 1);
    kin_jobs one = new_jobs(t, 1);
    kin_parallel_for(&one, 100000, 137, sum_sines, &want);
    CHECK(t, memcmp(p.sums, want.sums, sizeof(double) * (size_t)kin_chunk_count(100000, 137)) == 0);
    kin_parallel_for(&jobs, 100, 137, sum_sines, &p); /* one chunk: inline */
    EQUAL(t, b.runs, 1);
    nested n = {.jobs = &jobs};
    kin_parallel_for(&jobs, 64, 1, outer_chunk, &n);
    EQUAL(t, b.runs, 2);
    EQUAL(t, n.wrong, 0);
    kin_jobs_term(&one);
    kin_jobs_term(&jobs);
}

static void wrong_setups_are_explained(test* t)
{
    kin_jobs jobs;
    kin_error error;
    CHECK(t, kin_jobs_init(&jobs, &t->allocator, NULL, -1, &error) == KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "-1 must be 0");
    kin_jobs_term(&jobs); /* harmless */
    CHECK(t, kin_jobs_init(&jobs, &t->allocator, NULL, 1000000, &error) == KIN_ERROR_ARGUMENT);
    CHECK(t, kin_jobs_init(&jobs, &t->allocator, &(kin_scheduler){NULL, 0, run_backward}, 0, &error) == KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "scheduler.worker_count");
    CHECK(t, kin_jobs_init(&jobs, &t->allocator, &(kin_scheduler){NULL, 1, NULL}, 0, &error) == KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "scheduler.run");
}

static void no_count_means_one_thread_per_core(test* t)
{
    kin_jobs jobs = new_jobs(t, 0);
    EQUAL(t, jobs.scheduler.worker_count, sysconf(_SC_NPROCESSORS_ONLN));
    kin_jobs_term(&jobs);
}

/* ---- threads ---- */

typedef struct user {
    kin_jobs jobs;
    atomic_int count;
} user;

static void* use_jobs(void* argument)
{
    user* u = argument;
    for (int i = 0; i < 300; ++i) kin_parallel_for(&u->jobs, 20, 1, count_item, &u->count);
    return NULL;
}

static void many_worlds_run_at_once(test* t)
{
    user users[4];
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i) {
        users[i] = (user){.jobs = new_jobs(t, 3)};
        pthread_create(&threads[i], NULL, use_jobs, &users[i]);
    }
    for (int i = 0; i < 4; ++i) {
        pthread_join(threads[i], NULL);
        EQUAL(t, users[i].count, 300 * 20);
        kin_jobs_term(&users[i].jobs);
    }
}

static void short_loops_back_to_back_lose_nothing(test* t)
{
    for (int threads = 2; threads <= 8; threads *= 2) {
        kin_jobs jobs = new_jobs(t, threads);
        atomic_int count = 0;
        for (int i = 0; i < 3000; ++i) kin_parallel_for(&jobs, 1 + i % 9, 1, count_item, &count);
        int want = 0;
        for (int i = 0; i < 3000; ++i) want += 1 + i % 9;
        EQUAL(t, count, want);
        kin_jobs_term(&jobs);
    }
}

static void slow_item(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    nanosleep(&(struct timespec){0, (chunk % 3) * 300000}, NULL); /* the caller falls asleep waiting, or the workers do */
    count_item(argument, begin, end, chunk, scratch);
}

static void sleepers_wake(test* t)
{
    kin_jobs jobs = new_jobs(t, 4);
    atomic_int count = 0;
    for (int i = 0; i < 60; ++i) {
        kin_parallel_for(&jobs, 6, 1, slow_item, &count);
        if (i % 3 == 0) nanosleep(&(struct timespec){0, 500000}, NULL);
    }
    EQUAL(t, count, 60 * 6);
    kin_jobs_term(&jobs);
}

typedef struct meeting {
    atomic_int present;
    atomic_int missed;
} meeting;

static void wait_for_the_other(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    meeting* m = argument;
    (void)begin;
    (void)end;
    (void)chunk;
    (void)scratch;
    m->present += 1;
    for (int i = 0; i < 10000 && m->present < 2; ++i) nanosleep(&(struct timespec){0, 1000000}, NULL);
    if (m->present < 2) m->missed += 1;
}

static void chunks_really_run_side_by_side(test* t)
{
    kin_jobs jobs = new_jobs(t, 2);
    meeting m = {0};
    nanosleep(&(struct timespec){0, 5000000}, NULL); /* the worker sleeps by now */
    kin_parallel_for(&jobs, 2, 1, wait_for_the_other, &m);
    EQUAL(t, m.missed, 0);
    kin_jobs_term(&jobs);
}

static void loops_in_bursts_lose_nothing(test* t)
{
    for (int threads = 1; threads <= 8; threads += threads < 3 ? 1 : 5) {
        kin_jobs jobs = new_jobs(t, threads);
        atomic_int count = 0;
        int want = 0;
        for (int burst = 0; burst < 20; ++burst) {
            kin_burst_begin(&jobs);
            for (int i = 0; i < 100; want += 1 + i % 23, ++i) kin_parallel_for(&jobs, 1 + i % 23, 1, count_item, &count);
            kin_burst_end(&jobs);
            kin_parallel_for(&jobs, 7, 1, count_item, &count); /* and between them */
            want += 7;
        }
        EQUAL(t, count, want);
        kin_jobs_term(&jobs);
    }
}

static void a_burst_wakes_the_workers(test* t)
{
    kin_jobs jobs = new_jobs(t, 2);
    meeting m = {0};
    nanosleep(&(struct timespec){0, 5000000}, NULL); /* the worker sleeps by now */
    kin_burst_begin(&jobs);
    if (sysconf(_SC_NPROCESSORS_ONLN) > 1) kin_parallel_for(&jobs, 2, 1, wait_for_the_other, &m); /* a second thread on one core sleeps on */
    EQUAL(t, m.missed, 0);
    kin_burst_end(&jobs);
    kin_jobs_term(&jobs);
}

static void burst_inside(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    user* u = argument;
    kin_burst_begin(&u->jobs);
    kin_parallel_for(&u->jobs, 5, 1, count_item, &u->count);
    kin_burst_end(&u->jobs);
    (void)begin, (void)end, (void)chunk, (void)scratch;
}

static void a_burst_within_a_chunk_or_under_a_host_means_nothing(test* t)
{
    user u = {.jobs = new_jobs(t, 3)};
    kin_burst_begin(&u.jobs);
    kin_parallel_for(&u.jobs, 20, 1, burst_inside, &u);
    kin_parallel_for(&u.jobs, 20, 1, burst_inside, &u);
    kin_burst_end(&u.jobs);
    EQUAL(t, u.count, 2 * 20 * 5);
    kin_jobs_term(&u.jobs);

    user host = {.count = 0};
    kin_error error;
    CHECK(t, kin_jobs_init(&host.jobs, &t->allocator, &(kin_scheduler){&(backward){.worker_count = 4}, 4, run_backward}, 0, &error) == KIN_OK);
    burst_inside(&host, 0, 1, 0, NULL);
    EQUAL(t, host.count, 5);
    kin_jobs_term(&host.jobs);
}

static double processor_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void an_idle_pool_costs_nothing(test* t)
{
    kin_jobs jobs = new_jobs(t, 4);
    atomic_int count = 0;
    kin_burst_begin(&jobs);
    kin_parallel_for(&jobs, 100, 1, count_item, &count);
    kin_burst_end(&jobs);
    nanosleep(&(struct timespec){0, 50000000}, NULL);
    double begin = processor_seconds();
    nanosleep(&(struct timespec){0, 200000000}, NULL);
    CHECK(t, processor_seconds() - begin < 0.02);
    kin_jobs_term(&jobs);
}

static void read_mask(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    wait_for_the_other(argument, begin, end, chunk, scratch);
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    if (sigismember(&mask, SIGINT)) ((meeting*)argument)->present += 100;
}

static void signals_go_to_the_hosts_threads(test* t)
{
    kin_jobs jobs = new_jobs(t, 2);
    meeting m = {0};
    kin_parallel_for(&jobs, 2, 1, read_mask, &m);
    EQUAL(t, m.present, 102); /* blocked in the worker, not in the caller */
    kin_jobs_term(&jobs);
}

/* ---- memory ---- */

static void take_by_chunk(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)end;
    for (int i = 0; i < 4; ++i) {
        if (kin_arena_take(scratch, (size_t)(begin + 1) * 3000) == NULL) atomic_fetch_add((atomic_int*)argument, 1);
    }
    if (chunk % 7 == 0) nanosleep(&(struct timespec){0, 50000}, NULL); /* so that the others get some */
}

static void steady_calls_never_allocate(test* t)
{
    for (int threads = 1; threads <= 6; ++threads) {
        kin_jobs jobs = new_jobs(t, threads);
        atomic_int wrong = 0;
        kin_parallel_for(&jobs, 50, 1, take_by_chunk, &wrong);
        uint64_t before = t->allocations;
        for (int i = 0; i < 30; ++i) kin_parallel_for(&jobs, 50, 1, take_by_chunk, &wrong);
        EQUAL(t, t->allocations, before); /* whichever worker met which chunk */
        EQUAL(t, wrong, 0);
        for (int i = 0; i < threads; ++i) EQUAL(t, jobs.arenas[i].used, 0);
        kin_jobs_term(&jobs);
    }
}

static void the_owners_scratch_outlives_the_chunks(test* t)
{
    kin_jobs jobs = new_jobs(t, 3);
    for (int step = 0; step < 4; ++step) {
        uint64_t before = t->allocations;
        char* mine = kin_arena_take(&jobs.arenas[0], 40000);
        memset(mine, 42, 40000);
        atomic_int wrong = 0;
        kin_parallel_for(&jobs, 20, 1, take_by_chunk, &wrong);
        kin_parallel_for(&jobs, 20, 1, take_by_chunk, &wrong);
        for (int i = 0; i < 40000; ++i) wrong += mine[i] != 42;
        EQUAL(t, wrong, 0);
        for (int i = 0; i < 3; ++i) kin_arena_reset(&jobs.arenas[i]);
        if (step > 0) EQUAL(t, t->allocations, before);
    }
    kin_jobs_term(&jobs);
}

static bool init_and_run(test* t, void* context)
{
    int threads = *(int*)context;
    kin_jobs jobs;
    kin_error error = {0};
    kin_result result = kin_jobs_init(&jobs, &t->allocator, NULL, threads, &error);
    if (result != KIN_OK) {
        EQUAL(t, result, KIN_ERROR_MEMORY);
        HAS(t, error.message, "out of memory");
        return false;
    }
    atomic_int failed = 0;
    kin_parallel_for(&jobs, 3, 1, take_by_chunk, &failed);
    kin_parallel_for(&jobs, 3, 1, take_by_chunk, &failed);
    kin_jobs_term(&jobs);
    return failed == 0;
}

static void failures_leave_nothing(test* t)
{
    for (int threads = 1; threads <= 2; ++threads) test_fail_each_allocation(t, init_and_run, &threads);
}

/* ---- sums ---- */

static double sum_by_blocks(const double* values, int64_t n)
{
    int64_t blocks = (n + 127) / 128;
    double partial[100];
    for (int64_t b = 0; b < blocks; ++b) partial[b] = kin_sum(values + b * 128, n - b * 128 < 128 ? n - b * 128 : 128);
    for (int64_t width = 1; width < blocks; width *= 2) { /* neighbours, then neighbours of neighbours */
        for (int64_t b = 0; b + width < blocks; b += 2 * width) partial[b] += partial[b + width];
    }
    return n > 0 ? partial[0] : 0;
}

static void a_sum_is_the_fixed_tree_over_blocks(test* t)
{
    static double values[10000];
    for (int i = 0; i < 10000; ++i) values[i] = sin(i * 1.3) * pow(10, i % 17);
    for (int64_t n = 0; n <= 10000; n = n < 300 ? n + 1 : n + 97) {
        double a = kin_sum(values, n), b = sum_by_blocks(values, n);
        CHECK(t, memcmp(&a, &b, sizeof a) == 0);
    }
}

static void a_sum_is_accurate(test* t)
{
    enum { N = 1 << 20 };
    double* values = malloc(N * sizeof *values);
    for (int i = 0; i < N; ++i) values[i] = 0.1;
    NEAR(t, kin_sum(values, N) / (0.1 * N), 1, 5e-15); /* one after the other is off by 1e-11 */
    free(values);
    EQUAL(t, kin_sum(NULL, 0), 0);
}

TEST_MAIN("base/jobs", TEST(chunk_counts), TEST(every_item_once_for_any_thread_count), TEST(results_by_chunk_do_not_depend_on_threads),
          TEST(nested_loops_run_inline), TEST(worlds_can_run_within_chunks_of_another), TEST(every_chunk_has_the_default_mode_and_the_thread_its_own),
          TEST(an_injected_scheduler_runs_the_chunks), TEST(wrong_setups_are_explained), TEST(no_count_means_one_thread_per_core),
          TEST(many_worlds_run_at_once), TEST(short_loops_back_to_back_lose_nothing), TEST(sleepers_wake), TEST(chunks_really_run_side_by_side),
          TEST(loops_in_bursts_lose_nothing), TEST(a_burst_wakes_the_workers), TEST(a_burst_within_a_chunk_or_under_a_host_means_nothing),
          TEST(an_idle_pool_costs_nothing), TEST(signals_go_to_the_hosts_threads), TEST(steady_calls_never_allocate),
          TEST(the_owners_scratch_outlives_the_chunks), TEST(failures_leave_nothing), TEST(a_sum_is_the_fixed_tree_over_blocks), TEST(a_sum_is_accurate))
