/* through.c - Woodbury's identity and the sparse LU by blocks of bodies. Blocks are 6 x 6, row by row; pivots are chosen within a diagonal block only. What that
 * may cost in accuracy the refinement of the caller sees and says. */
#include "contact/impulse/through.h"
#include "numerics/dense.h"
#include <string.h>

enum { SIX = 6, BLOCK = SIX * SIX };

/* ---- which blocks ---- */

static int list_links(const kin_row_set* set, kin_block_link* links)
{
    int count = 0;
    for (int i = 0; i < set->size; ++i) {
        const uint32_t* node = set->rows[i].node;
        if (node[0] == KIN_NO_BODY || node[1] == KIN_NO_BODY || node[0] == node[1]) continue;
        kin_block_link link = {(int)node[0], (int)node[1]};
        if (count == 0 || links[count - 1].a != link.a || links[count - 1].b != link.b) links[count++] = link;
    }
    return count;
}

static void put6(kin_vec3 linear, kin_vec3 angular, double* out)
{
    out[0] = linear.x, out[1] = linear.y, out[2] = linear.z;
    out[3] = angular.x, out[4] = angular.y, out[5] = angular.z;
}

/* Fourth root of what gives squared are to Jacobians squared: M^-1/2 where inertia is along the axes. */
static void choose_units(kin_through* t, const kin_row_set* set)
{
    size_t n = (size_t)t->nodes * SIX;
    double *give = t->unit, *ask = t->z, part[SIX];
    memset(give, 0, n * sizeof *give), memset(ask, 0, n * sizeof *ask);
    for (int i = 0; i < set->size; ++i) {
        const kin_row* r = &set->rows[i];
        for (int p = 0; p < 2; ++p) {
            if (r->node[p] == KIN_NO_BODY) continue;
            size_t at = SIX * (size_t)r->node[p];
            put6(r->give[2 * p], r->give[2 * p + 1], part);
            for (size_t k = 0; k < SIX; ++k) give[at + k] += part[k] * part[k];
            put6(r->jacobian[2 * p], r->jacobian[2 * p + 1], part);
            for (size_t k = 0; k < SIX; ++k) ask[at + k] += part[k] * part[k];
        }
    }
    for (size_t k = 0; k < n; ++k) t->unit[k] = give[k] > 0 && ask[k] > 0 ? kin_sqrt(kin_sqrt(give[k] / ask[k])) : 1;
}

bool kin_through_init(kin_through* t, const kin_row_set* set, kin_arena* arena)
{
    size_t n = set->nodes;
    *t = (kin_through){.nodes = (int)n};
    kin_block_link* links = kin_arena_take(arena, ((size_t)set->size + 1) * sizeof *links);
    if (!links || !kin_block_order_find(t->nodes, list_links(set, links), links, arena, &t->order)) return false;
    size_t blocks = (size_t)t->order.met_count;
    t->begin = kin_arena_take(arena, (n + 1) * sizeof *t->begin);
    t->below = kin_arena_take(arena, (blocks + 1) * sizeof *t->below);
    t->middle = kin_arena_take(arena, (n + 1) * BLOCK * sizeof *t->middle);
    t->lower = kin_arena_take(arena, (2 * blocks + 1) * BLOCK * sizeof *t->lower);
    t->pivot = kin_arena_take(arena, (n + 1) * SIX * sizeof *t->pivot);
    t->z = kin_arena_take(arena, (n + 1) * SIX * sizeof *t->z);
    t->unit = kin_arena_take(arena, (n + 1) * SIX * sizeof *t->unit);
    if (!t->begin || !t->below || !t->middle || !t->pivot || !t->lower || !t->z || !t->unit) return false;
    choose_units(t, set);
    t->upper = t->lower + blocks * BLOCK;
    t->begin[0] = 0;
    for (int k = 0; k < t->nodes; ++k) {
        int node = t->order.node[k], count = t->order.count[node];
        t->begin[k + 1] = t->begin[k] + count;
        for (int i = 0; i < count; ++i) t->below[t->begin[k] + i] = t->order.place[t->order.met[node][i]];
        t->cost += 8 * (1 + count) * (1 + count); /* a product of blocks is about eight visits of a row */
    }
    return true;
}

kin_through_row kin_through_row_of(const kin_through* t, const kin_row* row, const kin_vec3* column, double scale)
{
    kin_through_row out = {.node = {row->node[0], row->node[1]}};
    const kin_vec3* give = column ? column : row->give;
    for (int p = 0; p < 2; ++p) {
        if (row->node[p] == KIN_NO_BODY) continue;
        const double* unit = t->unit + SIX * (size_t)row->node[p];
        put6(row->jacobian[2 * p], row->jacobian[2 * p + 1], out.jacobian[p]);
        put6(give[2 * p], give[2 * p + 1], out.column[p]);
        for (int k = 0; k < SIX; ++k) out.jacobian[p][k] *= scale * unit[k], out.column[p][k] *= scale / unit[k];
    }
    return out;
}

/* ---- blocks ---- */

static double dot6(const double* a, const double* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]; }

/* c -= a b */
static void take_product(const double* restrict a, const double* restrict b, double* restrict c)
{
    for (int i = 0; i < SIX; ++i) {
        for (int k = 0; k < SIX; ++k) {
            double x = a[SIX * i + k];
            for (int j = 0; j < SIX; ++j) c[SIX * i + j] -= x * b[SIX * k + j];
        }
    }
}

/* x -= a y */
static void take_times(const double* a, const double* y, double* x)
{
    for (int i = 0; i < SIX; ++i) x[i] -= dot6(a + SIX * i, y);
}

/* A block of U divided by the diagonal block of its row: column by column. */
static void divide(const double* lu, const int* pivot, double* block)
{
    double column[SIX];
    for (int j = 0; j < SIX; ++j) {
        for (int i = 0; i < SIX; ++i) column[i] = block[SIX * i + j];
        kin_lu_solve(SIX, lu, pivot, column);
        for (int i = 0; i < SIX; ++i) block[SIX * i + j] = column[i];
    }
}

static int find(const kin_through* t, int place, int below)
{
    int at = t->begin[place];
    while (t->below[at] != below) ++at;
    return at;
}

/* ---- the matrix C B + e ---- */

static double* block_of(const kin_through* t, int row, int column)
{
    if (row == column) return t->middle + BLOCK * (size_t)row;
    return row > column ? t->lower + BLOCK * (size_t)find(t, column, row) : t->upper + BLOCK * (size_t)find(t, row, column);
}

static void add_row(const kin_through* t, const kin_through_row* r)
{
    for (int p = 0; p < 2; ++p) {
        if (r->node[p] == KIN_NO_BODY) continue;
        const double* column = r->column[p];
        for (int q = 0; q < 2; ++q) {
            if (r->node[q] == KIN_NO_BODY) continue;
            const double* row = r->jacobian[q];
            double* block = block_of(t, t->order.place[r->node[p]], t->order.place[r->node[q]]);
            for (int i = 0; i < SIX; ++i) {
                for (int j = 0; j < SIX; ++j) block[SIX * i + j] += column[i] * row[j];
            }
        }
    }
}

static void fill(kin_through* t, const kin_through_row* rows, int count)
{
    size_t blocks = (size_t)t->order.met_count;
    memset(t->middle, 0, (size_t)t->nodes * BLOCK * sizeof *t->middle);
    memset(t->lower, 0, 2 * blocks * BLOCK * sizeof *t->lower);
    for (int k = 0; k < t->nodes; ++k) {
        for (int i = 0; i < SIX; ++i) t->middle[BLOCK * (size_t)k + (size_t)(SIX + 1) * (size_t)i] = t->soft;
    }
    for (int i = 0; i < count; ++i) add_row(t, &rows[i]);
}

/* What column k takes from the blocks of any two places i, j that it meets: the earlier of them has the block, and meets the later. */
static void eliminate(kin_through* t, int k)
{
    for (int e = t->begin[k]; e < t->begin[k + 1]; ++e) divide(t->middle + BLOCK * (size_t)k, t->pivot + SIX * (size_t)k, t->upper + BLOCK * (size_t)e);
    for (int e = t->begin[k]; e < t->begin[k + 1]; ++e) {
        int i = t->below[e], at = t->begin[i];
        take_product(t->lower + BLOCK * (size_t)e, t->upper + BLOCK * (size_t)e, t->middle + BLOCK * (size_t)i);
        for (int f = e + 1; f < t->begin[k + 1]; ++f) {
            while (t->below[at] != t->below[f]) ++at;
            take_product(t->lower + BLOCK * (size_t)e, t->upper + BLOCK * (size_t)f, t->upper + BLOCK * (size_t)at);
            take_product(t->lower + BLOCK * (size_t)f, t->upper + BLOCK * (size_t)e, t->lower + BLOCK * (size_t)at);
        }
    }
}

bool kin_through_factor(kin_through* t, const kin_through_row* rows, int count, double soft)
{
    t->soft = soft;
    fill(t, rows, count);
    for (int k = 0; k < t->nodes; ++k) {
        if (!kin_lu_factor(SIX, t->middle + BLOCK * (size_t)k, t->pivot + SIX * (size_t)k)) return false;
        eliminate(t, k);
    }
    return true;
}

/* ---- solutions ---- */

/* z = C y, by place. */
static void gather(const kin_through* t, const kin_through_row* rows, int count, const double* y)
{
    memset(t->z, 0, (size_t)t->nodes * SIX * sizeof *t->z);
    for (int i = 0; i < count; ++i) {
        for (int p = 0; p < 2; ++p) {
            if (rows[i].node[p] == KIN_NO_BODY) continue;
            double* z = t->z + SIX * (size_t)t->order.place[rows[i].node[p]];
            for (int k = 0; k < SIX; ++k) z[k] += rows[i].column[p][k] * y[i];
        }
    }
}

/* A row of B z. */
static double spread(const kin_through* t, const kin_through_row* r)
{
    double sum = 0;
    for (int p = 0; p < 2; ++p) {
        if (r->node[p] == KIN_NO_BODY) continue;
        sum += dot6(r->jacobian[p], t->z + SIX * (size_t)t->order.place[r->node[p]]);
    }
    return sum;
}

void kin_through_solve(const kin_through* t, const kin_through_row* rows, int count, double* r)
{
    gather(t, rows, count, r);
    for (int k = 0; k < t->nodes; ++k) {
        double* z = t->z + SIX * (size_t)k;
        kin_lu_solve(SIX, t->middle + BLOCK * (size_t)k, t->pivot + SIX * (size_t)k, z);
        for (int e = t->begin[k]; e < t->begin[k + 1]; ++e) take_times(t->lower + BLOCK * (size_t)e, z, t->z + SIX * (size_t)t->below[e]);
    }
    for (int k = t->nodes - 1; k >= 0; --k) {
        for (int e = t->begin[k]; e < t->begin[k + 1]; ++e) take_times(t->upper + BLOCK * (size_t)e, t->z + SIX * (size_t)t->below[e], t->z + SIX * (size_t)k);
    }
    for (int i = 0; i < count; ++i) r[i] = (r[i] - spread(t, &rows[i])) / t->soft;
}

void kin_through_miss(const kin_through* t, const kin_through_row* rows, int count, double soft, const double* d, const double* y, double* out)
{
    gather(t, rows, count, y);
    for (int i = 0; i < count; ++i) out[i] = d[i] - spread(t, &rows[i]) - soft * y[i];
}
