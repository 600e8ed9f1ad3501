/* sort.c - particles in the order of the cells they are in: a stable counting sort. Neighbours are then near in memory, and the three cells of a row are one run.
 *
 * The grid covers the box of all particles, with cells of the support or a little more: rounding moves the border of a cell, by at most 1/2000 of it as no axis
 * has more than 4096 cells. A few drops far away must not cost memory, so there are at most a few cells a particle: too long a box is halved about the mean
 * place, and who is outside counts as in the cell at the rim. Neighbours are in cells that touch all the same, as clamping never moves two places apart. */
#include "base/alloc.h"
#include "domains/sph/store.h"
#include "math/scalar.h"
#include <string.h>

#define ROOMY 1.001        /* a cell over the support */
#define MOST_ALONG 4096    /* cells along an axis */
#define CELLS_A_PARTICLE 4 /* at most */
#define CELLS_ALWAYS 4096  /* but so many in any case */

/* Into the periodic box. */
static void wrap_places(kin_sph* f, size_t begin, size_t last)
{
    for (size_t a = 0; a < 3; ++a) {
        float size = f->box_size[a], low = f->box_low[a];
        for (size_t i = begin; size > 0 && i < last; ++i) {
            float* x = &f->x4[4 * i + a];
            *x -= size * (float)kin_floor((*x - low) / size);
            if (*x >= low + size) *x = low; /* rounded up to it */
        }
    }
}

/* partial: 0-2 least, 3-5 greatest, 6-8 sum of places. The fourth goes along: compilers then take fours at once. */
static void find_bounds(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    (void)argument;
    size_t last = 8 * end < f->count ? 8 * end : f->count;
    wrap_places(f, 8 * begin, last);
    const float* x4 = f->x4;
    float least[4], most[4];
    double sum[4] = {0};
    for (size_t a = 0; a < 4; ++a) least[a] = most[a] = x4[32 * begin + a];
    for (size_t i = 8 * begin; i < last; ++i) {
        for (size_t a = 0; a < 4; ++a) {
            float x = x4[4 * i + a];
            least[a] = x < least[a] ? x : least[a], most[a] = x > most[a] ? x : most[a], sum[a] += (double)x;
        }
    }
    double* out = f->partial + KIN_SPH_PARTIALS * chunk;
    for (size_t a = 0; a < 3; ++a) out[a] = least[a], out[3 + a] = most[a], out[6 + a] = sum[a];
}

static double least_of(const kin_sph* f, int slot)
{
    double least = f->partial[slot];
    for (size_t c = 1; c < kin_sph_chunks(f); ++c) least = kin_min(least, f->partial[KIN_SPH_PARTIALS * c + (size_t)slot]);
    return least;
}

typedef struct span {
    double low, high, mean, edge;
    double cells; /* a whole number */
    bool periodic;
} span;

static void cut(span* s)
{
    s->cells = kin_ceil(0.5 * s->cells);
    if (s->periodic) {
        s->edge = (s->high - s->low) / s->cells;
        return;
    }
    double half = 0.5 * s->cells * s->edge;
    s->low = kin_clamp(s->mean - half, s->low, kin_max(s->low, s->high - 2 * half));
    s->high = s->low + 2 * half;
}

static span span_of(const kin_sph* f, int axis)
{
    double low = least_of(f, axis) - 0.5 * f->spacing, high = kin_sph_largest(f, 3 + axis), edge = ROOMY * f->support; /* borders between rows of a lattice */
    span s = {low, high, kin_sph_total(f, 6 + axis) / (double)f->count, edge, 1, f->box_size[axis] > 0};
    if (s.periodic) s.low = f->box_low[axis], s.high = s.low + f->box_size[axis];
    double cells = (s.high - s.low) / edge;
    s.cells = s.periodic ? kin_max(1, kin_floor(cells)) : kin_floor(cells) + 1;
    if (s.periodic) s.edge = (s.high - s.low) / s.cells;
    while (s.cells > MOST_ALONG) cut(&s);
    return s;
}

static bool lay_out_grid(kin_sph* f)
{
    span spans[3] = {span_of(f, 0), span_of(f, 1), span_of(f, 2)};
    double most = kin_max(CELLS_ALWAYS, CELLS_A_PARTICLE * (double)f->count);
    int order[3];
    for (;;) {
        order[0] = spans[1].cells > spans[0].cells;
        if (spans[2].cells > spans[order[0]].cells) order[0] = 2;
        if (spans[0].cells * spans[1].cells * spans[2].cells <= most) break;
        cut(&spans[order[0]]);
    }
    int a = (order[0] + 1) % 3, b = (order[0] + 2) % 3;
    order[1] = spans[b].cells > spans[a].cells ? b : a, order[2] = order[1] == a ? b : a;
    kin_sph_cells* cells = &f->cells;
    cells->count = 1;
    for (int i = 0; i < 3; ++i) {
        cells->axis[i] = order[i];
        cells->size[i] = (int)spans[i].cells;
        cells->low[i] = (float)spans[i].low, cells->inv[i] = (float)(1 / spans[i].edge);
        cells->count *= (size_t)cells->size[i];
    }
    return kin_reserve_tight(&f->allocator, (void**)&cells->start, &cells->capacity, cells->count + 1, sizeof *cells->start);
}

/* Scratch of a tick is free here. */
static uint32_t* cell_of(kin_sph* f) { return (uint32_t*)(void*)f->density; }
static uint32_t* place_of(kin_sph* f) { return (uint32_t*)(void*)f->factor; }

/* As kin_sph_cell_along, for fours at once. */
static void find_cells(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    (void)argument, (void)chunk;
    const kin_sph_cells* c = &f->cells;
    size_t past = 8 * end < f->count ? 8 * end : f->count;
    uint32_t *cell = cell_of(f), step[3];
    step[c->axis[2]] = 1, step[c->axis[1]] = (uint32_t)c->size[c->axis[2]], step[c->axis[0]] = step[c->axis[1]] * (uint32_t)c->size[c->axis[1]];
    const float low[4] = {c->low[0], c->low[1], c->low[2], 0}, inv[4] = {c->inv[0], c->inv[1], c->inv[2], 0};
    const float last[4] = {(float)(c->size[0] - 1), (float)(c->size[1] - 1), (float)(c->size[2] - 1), 0};
    for (size_t i = 8 * begin; i < past; ++i) {
        int at[4];
        for (size_t a = 0; a < 4; ++a) {
            float x = (f->x4[4 * i + a] - low[a]) * inv[a];
            x = x > 0 ? x : 0;
            at[a] = (int)(x < last[a] ? x : last[a]);
        }
        cell[i] = (uint32_t)at[0] * step[0] + (uint32_t)at[1] * step[1] + (uint32_t)at[2] * step[2];
    }
}

/* start[c + 1] counts, then sums: start[c] is the first of cell c. */
static void find_places(kin_sph* f)
{
    uint32_t *start = f->cells.start, *cell = cell_of(f), *place = place_of(f), sum = 0;
    memset(start, 0, (f->cells.count + 1) * sizeof *start);
    for (size_t i = 0; i < f->count; ++i) place[i] = start[cell[i] + 1]++;
    for (size_t c = 1; c <= f->cells.count; ++c) sum = start[c] += sum;
    for (size_t i = 0; i < f->count; ++i) place[i] += start[cell[i]];
}

/* `bytes` of every particle, from one stride to another; to its place, or (back) from where they were put. */
typedef struct move {
    const char* from;
    char* to;
    size_t from_stride, to_stride, bytes;
    bool back;
} move;

/* A constant number of bytes: no call for each particle. */
#define MOVE(size)                                                                                                                                             \
    for (size_t i = 8 * begin; i < last; ++i) {                                                                                                                \
        size_t to = m->back ? i : place[i];                                                                                                                    \
        memcpy(m->to + to * m->to_stride, m->from + i * m->from_stride, size);                                                                                 \
    }

static void run_move(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const move copy = *(const move*)argument, *m = &copy;
    const uint32_t* place = place_of(f);
    size_t last = 8 * end < f->count ? 8 * end : f->count;
    switch (m->bytes) {
    case 16: MOVE(16) break;
    case 8: MOVE(8) break;
    case 4: MOVE(4) break;
    case 1: MOVE(1) break;
    default: MOVE(m->bytes) break;
    }
}

/* Columns as wide as scratch trade places with it; others go through it in slices. */
static void sort_column(kin_sph* f, kin_jobs* jobs, const kin_sph_column* column)
{
    void** at = kin_sph_column_of(f, column);
    if (column->bytes == 16 || column->bytes == 4) {
        void** spare = column->bytes == 16 ? (void**)&f->a4 : (void**)&f->work[0];
        kin_sph_for(f, jobs, run_move, &(move){*at, *spare, column->bytes, column->bytes, column->bytes, false});
        void* old = *at;
        *at = *spare, *spare = old;
        return;
    }
    for (size_t done = 0; done < column->bytes; done += 16) {
        size_t bytes = column->bytes - done < 16 ? column->bytes - done : 16;
        char *slice = (char*)*at + done, *spare = (char*)f->a4;
        kin_sph_for(f, jobs, run_move, &(move){slice, spare, column->bytes, bytes, bytes, false});
        kin_sph_for(f, jobs, run_move, &(move){spare, slice, bytes, column->bytes, bytes, true});
    }
}

static void spread_axes(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    (void)argument, (void)chunk;
    size_t last = 8 * end < f->count ? 8 * end : f->count;
    float inv_rho[UINT8_MAX + 1], *restrict x = f->xs[0], *restrict y = f->xs[1], *restrict z = f->xs[2];
    const float* x4 = f->x4;
    for (size_t i = 8 * begin; i < last; ++i) x[i] = x4[4 * i], y[i] = x4[4 * i + 1], z[i] = x4[4 * i + 2];
    for (uint32_t p = 0; p < f->phase_count; ++p) inv_rho[p] = 1 / f->phases[p].density;
    for (size_t i = 8 * begin; i < last; ++i) f->inv_rho[i] = inv_rho[f->phase[i]];
}

bool kin_sph_sort(kin_sph* f, kin_jobs* jobs)
{
    if (f->count == 0) return true;
    kin_sph_for(f, jobs, find_bounds, NULL);
    if (!lay_out_grid(f)) return false;
    kin_sph_for(f, jobs, find_cells, NULL);
    find_places(f);
    for (int c = 0; c < KIN_SPH_COLUMNS; ++c) {
        const kin_sph_column* column = &kin_sph_columns[c];
        if (column->state && kin_sph_has(f, column)) sort_column(f, jobs, column);
    }
    kin_sph_for(f, jobs, spread_axes, NULL);
    kin_sph_park(f);
    return true;
}
