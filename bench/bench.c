/* bench.c - rows, and the tables of benches. */
#include "bench/bench.h"
#include "bench/stage.h"
#include <stdio.h>
#include <stdlib.h>

kin_bench_row* kin_bench_add(kin_bench_run* run, const char* name, double n, int threads)
{
    if (run->count == run->capacity) {
        size_t capacity = run->capacity > 0 ? 2 * run->capacity : 16;
        kin_bench_row* rows = realloc(run->rows, capacity * sizeof *rows);
        if (rows == NULL) return NULL;
        run->rows = rows;
        run->capacity = capacity;
    }
    kin_bench_row* row = &run->rows[run->count++];
    *row = (kin_bench_row){.n = n, .threads = threads};
    snprintf(row->name, sizeof row->name, "%s", name);
    return row;
}

void kin_bench_add_quality(kin_bench_row* row, const char* name, double value)
{
    if (row->quality_count == (int)(sizeof row->quality / sizeof *row->quality)) return;
    kin_bench_quality* q = &row->quality[row->quality_count++];
    snprintf(q->name, sizeof q->name, "%s", name);
    q->value = value;
}

void kin_bench_add_ratio(kin_bench_row* row, const char* peer, double ratio)
{
    if (row->ratio_count == (int)(sizeof row->ratios / sizeof *row->ratios)) return;
    kin_bench_ratio* r = &row->ratios[row->ratio_count++];
    snprintf(r->peer, sizeof r->peer, "%s", peer);
    r->ratio = ratio;
}

void kin_bench_free(kin_bench_run* run)
{
    free(run->rows);
    *run = (kin_bench_run){0};
}

const kin_bench* const kin_bench_topics[] = {kin_benches_world, kin_benches_particles, kin_benches_rays,
                                             kin_benches_broad, kin_benches_distance,  kin_benches_meshes,
                                             kin_benches_rigid, kin_benches_sph,       NULL};
