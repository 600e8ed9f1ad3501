/* jobs.h - the one parallel primitive. Chunking depends on n and grain only, never on the number of threads, so
 * results written by chunk are the same for any thread count. The default scheduler counts finished chunks.
 * One thread at a time may use a kin_jobs from outside; within a chunk any may, and then runs inline. */
#pragma once
#include "base/arena.h"
#include "kinema/base.h"

typedef struct kin_jobs {
    kin_scheduler scheduler;
    kin_arena* arenas; /* one per worker, reset by the owner */
    void* own_pool;    /* the built-in scheduler, when none was injected */
    kin_allocator allocator;
} kin_jobs;

/* threads 0: one per core. scheduler NULL: the built-in one. */
kin_result kin_jobs_init(kin_jobs* jobs, const kin_allocator* allocator, const kin_scheduler* scheduler, int threads, kin_error* error);
void kin_jobs_term(kin_jobs* jobs);

/* Items [begin, end) are chunk number `chunk`; scratch comes from arena (rewound after the chunk). Runs with round-to-nearest and
 * denormals on, and gives the thread its old mode back. n up to one grain, one worker, and a call within a chunk of the same jobs
 * run inline: same chunks, in order. Scratch grows in the first call of its kind, for all workers alike, and never after. */
typedef void kin_range_fn(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch);
void kin_parallel_for(kin_jobs* jobs, int64_t n, int64_t grain, kin_range_fn* fn, void* argument);
void kin_serial_for(kin_jobs* jobs, int64_t n, int64_t grain, kin_range_fn* fn, void* argument); /* the same chunks, in order, on the calling thread */
int kin_chunk_count(int64_t n, int64_t grain);                                                   /* 0 for n <= 0 */

/* Between the two, the pool's threads do not fall asleep: for many short loops in a row, whose hand-over then costs a fraction of a microsecond. It takes
 * whole cores, so it is for milliseconds. Within a chunk, and with a host's scheduler, it means nothing. */
void kin_burst_begin(kin_jobs* jobs);
void kin_burst_end(kin_jobs* jobs);

/* The sum of n values in a fixed tree: pairwise over blocks of 128. Same bits however it is called. */
double kin_sum(const double* values, int64_t n);
