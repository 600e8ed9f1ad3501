/* jobs.c - the parallel loop, and the pool of threads behind it when the host brings none.
 *
 * The pool holds one loop at a time. Its chunks are claimed one by one from `unclaimed`; the caller works along, and returns
 * when `unfinished` reaches zero. What is counted is chunks, not threads: a worker that sleeps through a loop delays nobody.
 * A claim is one successful compare-and-swap, so the loop it belongs to cannot have ended: fn, argument and chunk_count may
 * be read after a claim and not before. */
#include "base/jobs.h"
#include "base/alloc.h"
#include "base/error.h"
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

enum {
    THREADS_MAX = 1024,
    SPINS = 400 /* pauses, 5 to 20 us: about what sleeping and waking cost */
};

/* ---- the pool ---- */

typedef struct thread_pool thread_pool;

typedef struct pool_thread {
    thread_pool* pool;
    pthread_t thread;
    int worker;
} pool_thread;

struct thread_pool {
    _Alignas(64) atomic_int unclaimed; /* chunks nobody has begun; on a line of its own, as all threads write it */
    _Alignas(64) atomic_int unfinished;
    _Alignas(64) atomic_int sleeping; /* threads at rest, changed under the lock */
    atomic_bool caller_sleeps;
    atomic_bool busy;
    kin_chunk_fn* fn;
    void* argument;
    int chunk_count;

    pthread_mutex_t lock;
    pthread_cond_t work; /* there are chunks, or it is time to go */
    pthread_cond_t done; /* the last chunk is finished */
    bool stopping;       /* under the lock */

    size_t size; /* of this block */
    int thread_count;
    pool_thread threads[];
};

static void spin_once(void)
{
#if defined(__SSE2__)
    _mm_pause();
#endif
}

static bool spin_while(const atomic_int* value, bool zero)
{
    for (int i = 0; i < SPINS; ++i) {
        if ((atomic_load(value) == 0) != zero) return true;
        spin_once();
    }
    return false;
}

static void finish_chunk(thread_pool* pool)
{
    if (atomic_fetch_sub(&pool->unfinished, 1) != 1) return;
    if (!atomic_load(&pool->caller_sleeps)) return;
    pthread_mutex_lock(&pool->lock);
    pthread_cond_signal(&pool->done);
    pthread_mutex_unlock(&pool->lock);
}

static void work_off(thread_pool* pool, int worker)
{
    int left = atomic_load(&pool->unclaimed);
    while (left > 0) {
        if (!atomic_compare_exchange_weak(&pool->unclaimed, &left, left - 1)) continue;
        pool->fn(pool->argument, pool->chunk_count - left, worker);
        finish_chunk(pool);
        left = atomic_load(&pool->unclaimed);
    }
}

/* False when it is time to go. */
static bool wait_for_work(thread_pool* pool)
{
    if (spin_while(&pool->unclaimed, true)) return true;
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->sleeping, 1); /* before the last look at unclaimed: wake_threads looks the other way round */
    while (atomic_load(&pool->unclaimed) == 0 && !pool->stopping) pthread_cond_wait(&pool->work, &pool->lock);
    atomic_fetch_sub(&pool->sleeping, 1);
    bool stay = !pool->stopping;
    pthread_mutex_unlock(&pool->lock);
    return stay;
}

static void* thread_main(void* argument)
{
    const pool_thread* self = argument;
    while (wait_for_work(self->pool)) work_off(self->pool, self->worker);
    return NULL;
}

/* As many as there are chunks for, beside the caller's. */
static void wake_threads(thread_pool* pool)
{
    if (atomic_load(&pool->sleeping) == 0) return;
    pthread_mutex_lock(&pool->lock);
    int sleeping = atomic_load(&pool->sleeping);
    int wanted = pool->chunk_count - 1;
    if (wanted >= sleeping) {
        pthread_cond_broadcast(&pool->work);
    } else {
        for (int i = 0; i < wanted; ++i) pthread_cond_signal(&pool->work);
    }
    pthread_mutex_unlock(&pool->lock);
}

static void wait_for_the_last(thread_pool* pool)
{
    if (spin_while(&pool->unfinished, false)) return;
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->caller_sleeps, true); /* before the last look at unfinished: finish_chunk looks the other way round */
    while (atomic_load(&pool->unfinished) > 0) pthread_cond_wait(&pool->done, &pool->lock);
    atomic_store(&pool->caller_sleeps, false);
    pthread_mutex_unlock(&pool->lock);
}

static void pool_run(void* context, kin_chunk_fn* fn, void* argument, int chunk_count)
{
    thread_pool* pool = context;
    bool was_busy = atomic_exchange(&pool->busy, true);
    KIN_ASSERT(!was_busy); /* two threads in one kin_jobs */
    pool->fn = fn;
    pool->argument = argument;
    pool->chunk_count = chunk_count;
    atomic_store(&pool->unfinished, chunk_count);
    atomic_store(&pool->unclaimed, chunk_count);
    wake_threads(pool);
    work_off(pool, 0);
    wait_for_the_last(pool);
    atomic_store(&pool->busy, false);
}

static void pool_destroy(thread_pool* pool, const kin_allocator* allocator)
{
    pthread_mutex_lock(&pool->lock);
    pool->stopping = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < pool->thread_count; ++i) pthread_join(pool->threads[i].thread, NULL);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->lock);
    kin_free(allocator, pool, pool->size);
}

/* Signals are the host's: our threads take none. */
static bool start_threads(thread_pool* pool, int count)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool ok = true;
    for (int i = 0; ok && i < count; ++i) {
        pool_thread* thread = &pool->threads[i];
        *thread = (pool_thread){.pool = pool, .worker = i + 1};
        ok = pthread_create(&thread->thread, NULL, thread_main, thread) == 0;
        if (ok) pool->thread_count += 1;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return ok;
}

static kin_result pool_create(const kin_allocator* allocator, int workers, thread_pool** out, kin_error* error)
{
    size_t size = sizeof(thread_pool) + (size_t)(workers - 1) * sizeof(pool_thread);
    thread_pool* pool = kin_alloc_zero(allocator, size);
    if (pool == NULL) return kin_fail_memory(error, "the thread pool", size);
    pool->size = size;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->done, NULL);
    if (!start_threads(pool, workers - 1)) {
        int started = pool->thread_count + 1;
        pool_destroy(pool, allocator);
        return kin_fail(error, KIN_ERROR_MEMORY, "threads", "the system gave %d of %d threads; ask for fewer", started, workers);
    }
    *out = pool;
    return KIN_OK;
}

/* ---- jobs ---- */

static int cores(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > THREADS_MAX ? THREADS_MAX : (int)count;
}

static kin_result use_own_pool(kin_jobs* jobs, int threads, kin_error* error)
{
    if (threads < 0 || threads > THREADS_MAX) {
        return kin_fail(error, KIN_ERROR_ARGUMENT, "threads", "%d must be 0 (one per core) to %d", threads, THREADS_MAX);
    }
    int workers = threads > 0 ? threads : cores();
    thread_pool* pool = NULL;
    kin_result result = pool_create(&jobs->allocator, workers, &pool, error);
    if (result != KIN_OK) return result;
    jobs->own_pool = pool;
    jobs->scheduler = (kin_scheduler){pool, workers, pool_run};
    return KIN_OK;
}

static kin_result use_scheduler(kin_jobs* jobs, const kin_scheduler* scheduler, kin_error* error)
{
    if (scheduler->run == NULL) return kin_fail(error, KIN_ERROR_ARGUMENT, "scheduler.run", "must not be NULL");
    if (scheduler->worker_count < 1) {
        return kin_fail(error, KIN_ERROR_ARGUMENT, "scheduler.worker_count", "%d must be > 0 (the calling thread counts)", scheduler->worker_count);
    }
    jobs->scheduler = *scheduler;
    return KIN_OK;
}

static size_t arenas_size(const kin_jobs* jobs) { return kin_bytes((size_t)jobs->scheduler.worker_count, sizeof *jobs->arenas); }

kin_result kin_jobs_init(kin_jobs* jobs, const kin_allocator* allocator, const kin_scheduler* scheduler, int threads, kin_error* error)
{
    *jobs = (kin_jobs){.allocator = *allocator};
    kin_result result = scheduler != NULL ? use_scheduler(jobs, scheduler, error) : use_own_pool(jobs, threads, error);
    if (result != KIN_OK) return result;
    jobs->arenas = kin_alloc(allocator, arenas_size(jobs));
    if (jobs->arenas == NULL) {
        result = kin_fail_memory(error, "scratch for the workers", arenas_size(jobs));
        kin_jobs_term(jobs);
        return result;
    }
    for (int i = 0; i < jobs->scheduler.worker_count; ++i) kin_arena_init(&jobs->arenas[i], allocator);
    return KIN_OK;
}

void kin_jobs_term(kin_jobs* jobs)
{
    if (jobs->own_pool != NULL) pool_destroy(jobs->own_pool, &jobs->allocator);
    for (int i = 0; jobs->arenas != NULL && i < jobs->scheduler.worker_count; ++i) kin_arena_term(&jobs->arenas[i]);
    kin_free(&jobs->allocator, jobs->arenas, arenas_size(jobs));
    *jobs = (kin_jobs){.allocator = jobs->allocator};
}

/* ---- the loop ---- */

typedef struct range_loop {
    kin_jobs* jobs;
    kin_range_fn* fn;
    void* argument;
    int64_t n, grain;
    _Atomic size_t scratch; /* most that one chunk took */
} range_loop;

/* The chunks this thread is inside of, innermost first: a loop within a chunk of the same jobs runs inline. */
typedef struct chunk_scope {
    const kin_jobs* jobs;
    int worker;
    const struct chunk_scope* outer;
} chunk_scope;

static _Thread_local const chunk_scope* innermost;

static const chunk_scope* find_scope(const kin_jobs* jobs)
{
    const chunk_scope* scope = innermost;
    while (scope != NULL && scope->jobs != jobs) scope = scope->outer;
    return scope;
}

/* Round to nearest, denormals kept, no traps: what the results were defined with. Returns the mode before. */
static unsigned begin_default_mode(void)
{
#if defined(__SSE2__)
    unsigned before = _mm_getcsr();
    _mm_setcsr(0x1F80);
    return before;
#else
    return 0;
#endif
}

static void end_default_mode(unsigned before)
{
#if defined(__SSE2__)
    _mm_setcsr(before);
#else
    (void)before;
#endif
}

static void note_scratch(range_loop* loop, size_t taken)
{
    size_t most = atomic_load(&loop->scratch);
    while (taken > most && !atomic_compare_exchange_weak(&loop->scratch, &most, taken)) continue;
}

static void call_with_scratch(range_loop* loop, int chunk, kin_arena* arena)
{
    int64_t begin = chunk * loop->grain;
    int64_t end = loop->n - begin < loop->grain ? loop->n : begin + loop->grain;
    size_t peak = arena->peak;
    arena->peak = arena->used; /* the peak of this chunk alone */
    kin_arena_mark mark = kin_arena_begin(arena);
    loop->fn(loop->argument, begin, end, chunk, arena);
    note_scratch(loop, arena->peak - mark.used);
    if (peak > arena->peak) arena->peak = peak;
    kin_arena_end(arena, mark);
}

static void run_chunk(void* argument, int chunk, int worker)
{
    range_loop* loop = argument;
    KIN_ASSERT(worker >= 0 && worker < loop->jobs->scheduler.worker_count);
    const chunk_scope scope = {loop->jobs, worker, innermost};
    innermost = &scope;
    unsigned mode = begin_default_mode();
    call_with_scratch(loop, chunk, &loop->jobs->arenas[worker]);
    end_default_mode(mode);
    innermost = scope.outer;
}

/* Which worker meets which chunk is chance. Were each to grow by itself, one might still allocate in the thousandth step. */
static void level_scratch(kin_jobs* jobs, size_t size)
{
    for (int i = 0; i < jobs->scheduler.worker_count; ++i) kin_arena_reserve(&jobs->arenas[i], size); /* failing: the next take says so */
}

/* At least 1, and so big that chunks can be counted in an int. */
static int64_t usable_grain(int64_t n, int64_t grain)
{
    if (grain < 1) grain = 1;
    return (n - 1) / grain < INT_MAX ? grain : (n - 1) / INT_MAX + 1;
}

int kin_chunk_count(int64_t n, int64_t grain)
{
    KIN_ASSERT(grain > 0);
    return n > 0 ? (int)((n - 1) / usable_grain(n, grain) + 1) : 0;
}

void kin_parallel_for(kin_jobs* jobs, int64_t n, int64_t grain, kin_range_fn* fn, void* argument)
{
    int chunk_count = kin_chunk_count(n, grain);
    range_loop loop = {.jobs = jobs, .fn = fn, .argument = argument, .n = n, .grain = usable_grain(n, grain)};
    const chunk_scope* outer = find_scope(jobs);
    if (outer != NULL || chunk_count < 2 || jobs->scheduler.worker_count == 1) {
        for (int i = 0; i < chunk_count; ++i) run_chunk(&loop, i, outer != NULL ? outer->worker : 0);
        return;
    }
    jobs->scheduler.run(jobs->scheduler.context, run_chunk, &loop, chunk_count);
    level_scratch(jobs, atomic_load(&loop.scratch));
}

void kin_serial_for(kin_jobs* jobs, int64_t n, int64_t grain, kin_range_fn* fn, void* argument)
{
    range_loop loop = {.jobs = jobs, .fn = fn, .argument = argument, .n = n, .grain = usable_grain(n, grain)};
    const chunk_scope* outer = find_scope(jobs);
    int chunk_count = kin_chunk_count(n, grain);
    for (int i = 0; i < chunk_count; ++i) run_chunk(&loop, i, outer != NULL ? outer->worker : 0);
}

/* ---- sums ---- */

static double sum_block(const double* values, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += values[i];
    return sum;
}

double kin_sum(const double* values, int64_t n)
{
    if (n <= 128) return sum_block(values, n);
    int64_t half = 128; /* the most blocks, a power of two of them, that leave something for the right */
    while (half * 2 < n) half *= 2;
    return kin_sum(values, half) + kin_sum(values + half, n - half);
}
