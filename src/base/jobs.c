/* jobs.c - the parallel loop, and the pool of threads behind it when the host brings none.
 *
 * The pool holds one loop at a time. Its chunks are shared out evenly, in order, so that in a row of loops over the same things a worker meets what it
 * has in its cache; who is done with his share takes from the others'. A claim is one compare-and-swap on the share's count. What the caller waits for
 * is chunks, not threads: a worker that sleeps through a loop, or has lost its core, delays nobody.
 * A claim that succeeds belongs to a loop that cannot have ended: the rest of a share may be read after it and not before.
 *
 * What a worker is told and what it tells are on one line of memory, its share: handing over is that line going there and back. Idle threads look at it
 * for a while and then sleep; waking them costs more than a short loop. Within a burst they stay awake, as many as there are cores, and lend their core to
 * whoever asks. */
#include "base/jobs.h"
#include "base/alloc.h"
#include "base/error.h"
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

enum {
    THREADS_MAX = 1024,
    SPINS = 400,        /* pauses, 5 to 20 us: about what sleeping and waking cost */
    BURST_SPINS = 1000, /* within a burst, before a core is lent */
};

/* ---- the pool ---- */

typedef struct thread_pool thread_pool;

typedef struct pool_share {
    _Alignas(64) atomic_int left; /* chunks nobody has begun */
    int end;                      /* the chunk after its last */
    kin_chunk_fn* fn;
    void* argument;
    atomic_uint done; /* chunks of any share that its worker has done, ever */
} pool_share;

typedef struct pool_thread {
    thread_pool* pool;
    pthread_t thread;
    int worker;
} pool_thread;

struct thread_pool {
    _Alignas(64) atomic_uint loop; /* number of the last one that may have found threads asleep */
    atomic_bool burst;
    _Alignas(64) atomic_int sleeping; /* threads at rest, changed under the lock */
    atomic_bool caller_sleeps;
    atomic_bool busy;
    unsigned given; /* chunks, ever */

    pthread_mutex_t lock;
    pthread_cond_t work; /* there are chunks, or a burst, or it is time to go */
    pthread_cond_t done; /* the last chunk is finished */
    bool stopping;       /* under the lock */

    size_t size; /* of this block */
    int thread_count, worker_count, core_count;
    pool_share* shares; /* one a worker; behind the threads */
    pool_thread threads[];
};

static int cores(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > THREADS_MAX ? THREADS_MAX : (int)count;
}

static void spin_once(void)
{
#if defined(__SSE2__)
    _mm_pause();
#endif
}

/* ---- a worker's part ---- */

/* Of one share all that is left. Returns how many. */
static unsigned work_off_share(pool_share* share, int worker)
{
    unsigned done = 0;
    int now = atomic_load_explicit(&share->left, memory_order_relaxed);
    while (now > 0) {
        if (!atomic_compare_exchange_weak_explicit(&share->left, &now, now - 1, memory_order_acquire, memory_order_relaxed)) continue;
        share->fn(share->argument, share->end - now, worker);
        done += 1;
        now = atomic_load_explicit(&share->left, memory_order_relaxed);
    }
    return done;
}

static void work_off(thread_pool* pool, int worker)
{
    pool_share* own = &pool->shares[worker];
    unsigned done = work_off_share(own, worker);
    for (int i = 1; i < pool->worker_count; ++i) done += work_off_share(&pool->shares[(worker + i) % pool->worker_count], worker);
    if (done > 0) atomic_fetch_add(&own->done, done);
}

static void tell_caller(thread_pool* pool)
{
    if (!atomic_load(&pool->caller_sleeps)) return;
    pthread_mutex_lock(&pool->lock);
    pthread_cond_signal(&pool->done);
    pthread_mutex_unlock(&pool->lock);
}

/* More threads than cores would only take turns. */
static bool stays_awake(const thread_pool* pool, int worker) { return worker < pool->core_count && atomic_load(&pool->burst); }

/* The nth time; after many, the core is lent to others. */
static void pause_a_while(int* n)
{
    spin_once();
    if (*n < BURST_SPINS) return;
    sched_yield();
    *n = BURST_SPINS;
}

/* A share of its own, or a loop after the one last seen, before patience is at its end. */
static bool see_work(thread_pool* pool, int worker, unsigned last)
{
    const atomic_int* left = &pool->shares[worker].left;
    for (int i = 0; i < SPINS || stays_awake(pool, worker); ++i) {
        if (atomic_load_explicit(left, memory_order_relaxed) > 0 || atomic_load(&pool->loop) != last) return true;
        pause_a_while(&i);
    }
    return false;
}

/* False when it is time to go. */
static bool wait_for_work(thread_pool* pool, int worker, unsigned last)
{
    if (see_work(pool, worker, last)) return true;
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->sleeping, 1); /* before the last look: wake_threads looks the other way round */
    while (atomic_load(&pool->loop) == last && !stays_awake(pool, worker) && !pool->stopping) pthread_cond_wait(&pool->work, &pool->lock);
    atomic_fetch_sub(&pool->sleeping, 1);
    bool stay = !pool->stopping;
    pthread_mutex_unlock(&pool->lock);
    return stay;
}

static void* thread_main(void* argument)
{
    const pool_thread* self = argument;
    unsigned last = 0;
    while (wait_for_work(self->pool, self->worker, last)) {
        last = atomic_load(&self->pool->loop);
        work_off(self->pool, self->worker);
        tell_caller(self->pool);
    }
    return NULL;
}

/* ---- the caller's ---- */

/* As many as there are chunks for, beside the caller's. */
static void wake_threads(thread_pool* pool, int wanted)
{
    if (atomic_load(&pool->sleeping) == 0) return;
    pthread_mutex_lock(&pool->lock);
    int sleeping = atomic_load(&pool->sleeping);
    if (wanted >= sleeping) {
        pthread_cond_broadcast(&pool->work);
    } else {
        for (int i = 0; i < wanted; ++i) pthread_cond_signal(&pool->work);
    }
    pthread_mutex_unlock(&pool->lock);
}

static bool is_done(const thread_pool* pool)
{
    unsigned done = 0;
    for (int i = 0; i < pool->worker_count; ++i) done += atomic_load(&pool->shares[i].done);
    return done == pool->given;
}

static bool see_the_last(const thread_pool* pool, bool burst)
{
    for (int i = 0; i < SPINS || burst; ++i) {
        if (is_done(pool)) return true;
        pause_a_while(&i);
    }
    return false;
}

static void wait_for_the_last(thread_pool* pool, bool burst)
{
    if (see_the_last(pool, burst)) return;
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->caller_sleeps, true); /* before the last look: who is done looks the other way round */
    while (!is_done(pool)) pthread_cond_wait(&pool->done, &pool->lock);
    atomic_store(&pool->caller_sleeps, false);
    pthread_mutex_unlock(&pool->lock);
}

/* Among those who are awake in a burst, else among all. */
static void share_out(thread_pool* pool, kin_chunk_fn* fn, void* argument, int chunk_count, bool burst)
{
    int workers = burst && pool->core_count < pool->worker_count ? pool->core_count : pool->worker_count;
    int shares = chunk_count < workers ? chunk_count : workers, begin = 0;
    pool->given += (unsigned)chunk_count;
    for (int i = 0; i < shares; ++i) {
        pool_share* share = &pool->shares[i];
        int end = (int)((int64_t)chunk_count * (i + 1) / shares);
        share->end = end;
        share->fn = fn;
        share->argument = argument;
        atomic_store_explicit(&share->left, end - begin, memory_order_release);
        begin = end;
    }
}

static void pool_run(void* context, kin_chunk_fn* fn, void* argument, int chunk_count)
{
    thread_pool* pool = context;
    bool was_busy = atomic_exchange(&pool->busy, true), burst = atomic_load_explicit(&pool->burst, memory_order_relaxed);
    KIN_ASSERT(!was_busy); /* two threads in one kin_jobs */
    share_out(pool, fn, argument, chunk_count, burst);
    if (!burst) {
        atomic_fetch_add(&pool->loop, 1);
        wake_threads(pool, chunk_count - 1);
    }
    work_off(pool, 0);
    wait_for_the_last(pool, burst);
    atomic_store_explicit(&pool->busy, false, memory_order_release);
}

static void pool_set_burst(thread_pool* pool, bool on)
{
    atomic_store(&pool->burst, on);
    if (on) wake_threads(pool, pool->worker_count); /* all: a signal might reach one that is to stay asleep */
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
    size_t threads = sizeof(thread_pool) + (size_t)(workers - 1) * sizeof(pool_thread), at = (threads + 63) / 64 * 64;
    size_t size = at + (size_t)workers * sizeof(pool_share);
    thread_pool* pool = kin_alloc_zero(allocator, size);
    if (pool == NULL) return kin_fail_memory(error, "the thread pool", size);
    pool->size = size;
    pool->shares = (pool_share*)(void*)((char*)pool + at);
    pool->worker_count = workers;
    pool->core_count = cores();
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

void kin_burst_begin(kin_jobs* jobs)
{
    if (jobs->own_pool != NULL && jobs->scheduler.worker_count > 1 && find_scope(jobs) == NULL) pool_set_burst(jobs->own_pool, true);
}

void kin_burst_end(kin_jobs* jobs)
{
    if (jobs->own_pool != NULL && jobs->scheduler.worker_count > 1 && find_scope(jobs) == NULL) pool_set_burst(jobs->own_pool, false);
}

/* ---- the loop ---- */

typedef struct range_loop {
    kin_jobs* jobs;
    kin_range_fn* fn;
    void* argument;
    int64_t n, grain;
    _Atomic size_t scratch; /* most that one chunk took */
} range_loop;

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
