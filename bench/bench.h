/* bench.h - scenes measured, and the same work on peers or the machine's floor. `kinema bench` prints the table. */
#pragma once
#include "kinema/kinema.h"

typedef struct kin_bench_point {
    double n, ms;
} kin_bench_point;
typedef struct kin_bench_ratio {
    char peer[24];
    double ratio;
} kin_bench_ratio; /* our time over the peer's, same run */
typedef struct kin_bench_quality {
    char name[32];
    double value;
} kin_bench_quality;

typedef struct kin_bench_row {
    char name[48]; /* topic/case */
    double n;
    int threads;
    double ms_per_step, rate;
    char unit[24]; /* of the rate: "particle-steps/s" */
    kin_bench_ratio ratios[4];
    int ratio_count;
    kin_bench_quality quality[16];
    int quality_count;
    kin_bench_point scaling[8]; /* doubling n; with its exponent */
    int scaling_count;
    double exponent;
} kin_bench_row;

typedef struct kin_bench_run {
    bool peers;
    kin_bench_row* rows;
    size_t count, capacity;
    char failure[256]; /* the first thing that went wrong; empty: nothing */
} kin_bench_run;

/* A new row; NULL when memory is out. Valid until the next add. */
kin_bench_row* kin_bench_add(kin_bench_run* run, const char* name, double n, int threads);
void kin_bench_add_quality(kin_bench_row* row, const char* name, double value);
void kin_bench_add_ratio(kin_bench_row* row, const char* peer, double ratio);
void kin_bench_free(kin_bench_run* run); /* the rows */

typedef struct kin_bench {
    const char* name; /* topic/case */
    const char* doc;
    void (*run)(kin_bench_run* run, const char* name); /* rows: the named size on one thread, then two; then growth */
} kin_bench;

extern const kin_bench* const kin_bench_topics[]; /* tables, each ending with a NULL name; NULL-terminated */

typedef struct kin_machine {
    char cpu[96];
    int cores;
    double triad_gbs[2];  /* triad on 1 and 2 threads */
    double fma_gflops[2]; /* multiply-adds in float: two operations each */
    double memory_gb;
} kin_machine;
kin_machine kin_bench_machine(void);
