/* block_ldl.c - column by column: factor the diagonal block, divide the blocks below by it, take their products from the columns to come. Baraff 1996
 * ("Linear-time dynamics using Lagrange multipliers"), Davis: Direct methods for sparse linear systems, ch. 4.
 *
 * All that is known beforehand is looked up: where each product goes, in `target`. What is below the diagonal in a column lies in one piece, row by row, as
 * wide as the column: the kernels are written for any width and made for each of 1 to 6, where the compiler can unroll them. */
#include "numerics/block_ldl.h"
#include "base/alloc.h"
#include "base/error.h"
#include "math/scalar.h"
#include <limits.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* body(width) with a width that the compiler knows. */
#define BY_WIDTH(width, body)                                                                                                                                  \
    switch (width) {                                                                                                                                           \
    case 1: body(1); break;                                                                                                                                    \
    case 2: body(2); break;                                                                                                                                    \
    case 3: body(3); break;                                                                                                                                    \
    case 4: body(4); break;                                                                                                                                    \
    case 5: body(5); break;                                                                                                                                    \
    default: body(6); break;                                                                                                                                   \
    }

/* ---- analysis ---- */

static bool take_ints(kin_arena* arena, int** out, size_t count)
{
    *out = kin_arena_take(arena, kin_bytes(count, sizeof **out));
    return *out != NULL;
}

static bool take_numbers(kin_arena* arena, double** out, size_t count)
{
    *out = kin_arena_take(arena, kin_bytes(count, sizeof **out));
    if (*out) memset(*out, 0, count * sizeof **out);
    return *out != NULL;
}

static bool take_structure(kin_block_ldl* l, kin_arena* arena)
{
    size_t n = (size_t)l->nodes, blocks = (size_t)l->blocks;
    return take_ints(arena, &l->first, n + 1) && take_ints(arena, &l->node, n) && take_ints(arena, &l->place, n) && take_ints(arena, &l->size, n)
           && take_ints(arena, &l->row, n) && take_ints(arena, &l->parent, n) && take_ints(arena, &l->begin, n + 1) && take_ints(arena, &l->below, blocks)
           && take_ints(arena, &l->diagonal, n) && take_ints(arena, &l->value, blocks) && take_ints(arena, &l->target_begin, n + 1);
}

static void place_nodes(kin_block_ldl* l, const int* sizes, const kin_block_order* order)
{
    l->first[0] = l->begin[0] = 0;
    for (int i = 0; i < l->nodes; ++i) {
        KIN_ASSERT(sizes[i] >= 1 && sizes[i] <= KIN_BLOCK_MOST);
        l->first[i + 1] = l->first[i] + sizes[i];
        l->place[i] = order->place[i];
    }
    l->rows = l->first[l->nodes];
    for (int k = 0; k < l->nodes; ++k) {
        int node = order->node[k], count = order->count[node];
        l->node[k] = node;
        l->size[k] = sizes[node];
        l->row[k] = l->first[node];
        l->begin[k + 1] = l->begin[k] + count;
        for (int i = 0; i < count; ++i) l->below[l->begin[k] + i] = order->place[order->met[node][i]];
        l->parent[k] = count > 0 ? l->below[l->begin[k]] : -1;
    }
}

/* False: more numbers or products than an int can count. */
static bool place_numbers(kin_block_ldl* l, int* tallest)
{
    int64_t numbers = 0, updates = 0;
    *tallest = 0;
    for (int k = 0; k < l->nodes; ++k) {
        int64_t count = l->begin[k + 1] - l->begin[k], start = numbers;
        l->diagonal[k] = (int)numbers;
        l->target_begin[k] = (int)updates;
        numbers += l->size[k] * l->size[k];
        for (int e = l->begin[k]; e < l->begin[k + 1]; ++e) {
            l->value[e] = (int)numbers;
            numbers += l->size[l->below[e]] * l->size[k];
        }
        updates += count * (count + 1) / 2;
        if (numbers > INT_MAX || updates > INT_MAX) return false;
        if (numbers - start > *tallest) *tallest = (int)(numbers - start);
    }
    l->target_begin[l->nodes] = (int)updates;
    l->numbers = (int)numbers;
    l->updates = (int)updates;
    return true;
}

/* Column k meets the places below[...]; any two of these have a block of their own, in the earlier one's column, which holds the later ones in the same order. */
static void place_targets(kin_block_ldl* l)
{
    for (int k = 0; k < l->nodes; ++k) {
        int next = l->target_begin[k];
        for (int j = l->begin[k]; j < l->begin[k + 1]; ++j) {
            int column = l->below[j], e = l->begin[column];
            l->target[next++] = l->diagonal[column];
            for (int i = j + 1; i < l->begin[k + 1]; ++i) {
                while (l->below[e] != l->below[i]) ++e;
                l->target[next++] = l->value[e];
            }
        }
    }
}

bool kin_block_ldl_analyse(int nodes, const int* sizes, int link_count, const kin_block_link* links, kin_arena* arena, kin_arena* scratch, kin_block_ldl* out)
{
    kin_block_order order;
    KIN_ASSERT(arena != scratch);
    kin_arena_mark mark = kin_arena_begin(scratch);
    bool room = kin_block_order_find(nodes, link_count, links, scratch, &order);
    if (room) {
        int tallest;
        *out = (kin_block_ldl){.nodes = nodes, .blocks = order.met_count, .fill = order.met_count - order.links};
        room = take_structure(out, arena);
        if (room) place_nodes(out, sizes, &order);
        room = room && place_numbers(out, &tallest) && take_ints(arena, &out->target, (size_t)out->updates)
               && take_ints(arena, &out->dropped, (size_t)out->rows) && take_numbers(arena, &out->matrix, (size_t)out->numbers)
               && take_numbers(arena, &out->factor, (size_t)out->numbers) && take_numbers(arena, &out->compliance, (size_t)out->rows)
               && take_numbers(arena, &out->inverse, (size_t)out->rows) && take_numbers(arena, &out->spare, (size_t)tallest);
        if (room) place_targets(out);
    }
    kin_arena_end(scratch, mark);
    return room;
}

/* ---- numbers in ---- */

kin_block_slot kin_block_ldl_slot(const kin_block_ldl* l, int i, int j)
{
    KIN_ASSERT(i >= 0 && i < l->nodes && j >= 0 && j < l->nodes);
    int row = l->place[i], column = l->place[j];
    kin_block_slot slot = {.begin = -1, .rows = l->size[row], .columns = l->size[column], .turned = row < column};
    if (row == column) slot.begin = l->diagonal[row];
    if (slot.turned) row = l->place[j], column = l->place[i];
    for (int e = l->begin[column]; e < l->begin[column + 1]; ++e) {
        if (l->below[e] == row) slot.begin = l->value[e];
    }
    return slot;
}

void kin_block_ldl_clear(kin_block_ldl* l) { memset(l->matrix, 0, (size_t)l->numbers * sizeof *l->matrix); }

void kin_block_ldl_add(kin_block_ldl* l, kin_block_slot slot, const double* numbers)
{
    KIN_ASSERT(slot.begin >= 0);
    double* block = l->matrix + slot.begin;
    for (int r = 0; r < slot.rows; ++r) {
        for (int c = 0; c < slot.columns; ++c) block[slot.turned ? c * slot.rows + r : r * slot.columns + c] += numbers[r * slot.columns + c];
    }
}

/* ---- factor ---- */

/* 1 / pivot, or 0 where it is no more than rounding. Whatever in a row is not finite makes its pivot so. */
INLINE double invert_pivot(kin_block_ldl* l, int row, double pivot, double whole, double tolerance, kin_block_report* report)
{
    if (pivot > tolerance * whole && kin_finite(pivot)) {
        report->least = pivot < report->least * whole ? pivot / whole : report->least;
        return 1 / pivot;
    }
    l->dropped[l->dropped_count++] = row;
    if (kin_finite(pivot))
        report->largest = kin_max(report->largest, whole > 0 ? kin_abs(pivot) / whole : kin_abs(pivot));
    else
        report->finite = false;
    return 0;
}

/* The lower triangle of the diagonal block becomes L. A dropped pivot leaves a column of zeros. */
INLINE void factor_diagonal(kin_block_ldl* l, int k, double tolerance, kin_block_report* report, const int w)
{
    double *d = l->factor + l->diagonal[k], *inverse = l->inverse + l->row[k], scaled[KIN_BLOCK_MOST];
    const double *whole = l->matrix + l->diagonal[k], *compliance = l->compliance + l->row[k];
    for (int c = 0; c < w; ++c) {
        double pivot = d[c * w + c] + compliance[c];
        inverse[c] = invert_pivot(l, l->row[k] + c, pivot, whole[c * w + c] + compliance[c], tolerance, report);
        for (int r = c + 1; r < w; ++r) {
            scaled[r] = d[r * w + c];
            d[r * w + c] *= inverse[c];
        }
        for (int r = c + 1; r < w; ++r) {
            for (int q = c + 1; q <= r; ++q) d[r * w + q] -= d[r * w + c] * scaled[q];
        }
    }
}

/* A block below becomes L; `scaled` keeps L D, transposed, for the products. */
INLINE void divide_block(const double* d, const double* inverse, int rows, double* block, double* scaled, const int w)
{
    for (int r = 0; r < rows; ++r) {
        double y[KIN_BLOCK_MOST], *row = block + r * w;
        for (int c = 0; c < w; ++c) {
            y[c] = row[c];
            for (int q = 0; q < c; ++q) y[c] -= d[c * w + q] * y[q];
            scaled[c * rows + r] = y[c];
        }
        for (int c = 0; c < w; ++c) row[c] = y[c] * inverse[c];
    }
}

INLINE void subtract_product(double* target, const double* left, const double* right, const int rows, const int columns, const int w)
{
    for (int r = 0; r < rows; ++r) {
        double sum[KIN_BLOCK_MOST];
        for (int c = 0; c < columns; ++c) sum[c] = target[r * columns + c];
        for (int q = 0; q < w; ++q) {
            for (int c = 0; c < columns; ++c) sum[c] -= left[r * w + q] * right[q * columns + c];
        }
        for (int c = 0; c < columns; ++c) target[r * columns + c] = sum[c];
    }
}

INLINE void eliminate(kin_block_ldl* l, int k, double tolerance, kin_block_report* report, const int w)
{
    int begin = l->begin[k], end = l->begin[k + 1];
    const double *d = l->factor + l->diagonal[k], *inverse = l->inverse + l->row[k];
    const int base = l->diagonal[k] + w * w; /* of what is below, in L; in spare it is 0 */
    factor_diagonal(l, k, tolerance, report, w);
    for (int e = begin; e < end; ++e) {
        int rows = l->size[l->below[e]];
        if (rows == w)
            divide_block(d, inverse, w, l->factor + l->value[e], l->spare + (l->value[e] - base), w);
        else
            divide_block(d, inverse, rows, l->factor + l->value[e], l->spare + (l->value[e] - base), w);
    }
    const int* target = l->target + l->target_begin[k];
    for (int j = begin; j < end; ++j) {
        int columns = l->size[l->below[j]];
        for (int i = j; i < end; ++i) {
            int rows = l->size[l->below[i]];
            if (rows == w && columns == w)
                subtract_product(l->factor + *target++, l->factor + l->value[i], l->spare + (l->value[j] - base), w, w, w);
            else
                subtract_product(l->factor + *target++, l->factor + l->value[i], l->spare + (l->value[j] - base), rows, columns, w);
        }
    }
}

kin_block_report kin_block_ldl_factor(kin_block_ldl* l, double tolerance)
{
    kin_block_report report = {.finite = true, .least = 1};
    l->dropped_count = 0;
    memcpy(l->factor, l->matrix, (size_t)l->numbers * sizeof *l->factor);
    for (int k = 0; k < l->nodes; ++k) {
#define ELIMINATE(w) eliminate(l, k, tolerance, &report, w)
        BY_WIDTH(l->size[k], ELIMINATE)
    }
    report.dropped = l->dropped_count;
    return report;
}

/* ---- solve ---- */

/* x_k = L_kk^-1 x_k, and the rows below without its part. */
INLINE void forward(const kin_block_ldl* l, int k, double* x, const int w)
{
    const double* d = l->factor + l->diagonal[k];
    double *own = x + l->row[k], y[KIN_BLOCK_MOST];
    for (int c = 0; c < w; ++c) {
        y[c] = own[c];
        for (int q = 0; q < c; ++q) y[c] -= d[c * w + q] * y[q];
        own[c] = y[c];
    }
    for (int e = l->begin[k]; e < l->begin[k + 1]; ++e) {
        const double* block = l->factor + l->value[e];
        double* other = x + l->row[l->below[e]];
        int rows = l->size[l->below[e]];
        for (int r = 0; r < rows; ++r) {
            for (int q = 0; q < w; ++q) other[r] -= block[r * w + q] * y[q];
        }
    }
}

/* x_k = L_kk^-t (x_k - the part of the rows below). */
INLINE void backward(const kin_block_ldl* l, int k, double* x, const int w)
{
    const double* d = l->factor + l->diagonal[k];
    double *own = x + l->row[k], y[KIN_BLOCK_MOST];
    for (int c = 0; c < w; ++c) y[c] = own[c];
    for (int e = l->begin[k]; e < l->begin[k + 1]; ++e) {
        const double *block = l->factor + l->value[e], *other = x + l->row[l->below[e]];
        int rows = l->size[l->below[e]];
        for (int r = 0; r < rows; ++r) {
            for (int q = 0; q < w; ++q) y[q] -= block[r * w + q] * other[r];
        }
    }
    for (int c = w - 1; c >= 0; --c) {
        for (int r = c + 1; r < w; ++r) y[c] -= d[r * w + c] * y[r];
        own[c] = y[c];
    }
}

/* What is left of b in the dropped rows of a place: A x there falls short by just this. */
static double missed_by(const kin_block_ldl* l, int k, const double* x)
{
    double most = 0;
    for (int c = 0; c < l->size[k]; ++c) {
        if (l->inverse[l->row[k] + c] == 0) most = kin_max(most, kin_abs(x[l->row[k] + c]));
    }
    return most;
}

static void divide_by_pivots(const kin_block_ldl* l, int k, double* x)
{
    for (int c = 0; c < l->size[k]; ++c) x[l->row[k] + c] *= l->inverse[l->row[k] + c];
}

static int place_at(const int* path, int i) { return path ? path[i] : i; }

static void forward_all(const kin_block_ldl* l, int length, const int* path, int columns, double* x)
{
    for (int i = 0; i < length; ++i) {
        int k = place_at(path, i);
        for (int column = 0; column < columns; ++column) {
            double* one = x + (size_t)column * (size_t)l->rows;
#define FORWARD(w) forward(l, k, one, w)
            BY_WIDTH(l->size[k], FORWARD)
        }
    }
}

static void backward_all(const kin_block_ldl* l, int length, const int* path, int columns, double* x)
{
    for (int i = length - 1; i >= 0; --i) {
        int k = place_at(path, i);
        for (int column = 0; column < columns; ++column) {
            double* one = x + (size_t)column * (size_t)l->rows;
#define BACKWARD(w) backward(l, k, one, w)
            BY_WIDTH(l->size[k], BACKWARD)
        }
    }
}

double kin_block_ldl_solve_path(const kin_block_ldl* l, int length, const int* path, int columns, double* x)
{
    double missed = 0;
    forward_all(l, length, path, columns, x);
    for (int i = 0; i < length; ++i) {
        for (int column = 0; column < columns; ++column) {
            double* one = x + (size_t)column * (size_t)l->rows;
            if (l->dropped_count > 0) missed = kin_max(missed, missed_by(l, place_at(path, i), one));
            divide_by_pivots(l, place_at(path, i), one);
        }
    }
    backward_all(l, length, path, columns, x);
    return missed;
}

double kin_block_ldl_solve(const kin_block_ldl* l, int columns, double* x) { return kin_block_ldl_solve_path(l, l->nodes, NULL, columns, x); }

void kin_block_ldl_half_path(const kin_block_ldl* l, int length, const int* path, int columns, double* x)
{
    forward_all(l, length, path, columns, x);
    for (int i = 0; i < length; ++i) {
        int k = place_at(path, i);
        for (int r = l->row[k]; r < l->row[k] + l->size[k]; ++r) {
            double root = kin_sqrt(l->inverse[r]);
            for (int column = 0; column < columns; ++column) x[(size_t)column * (size_t)l->rows + (size_t)r] *= root;
        }
    }
}

/* Everything below a place in its column lies on its way to the root: marking each way is enough. Marks become places in the same memory. */
int kin_block_ldl_path(const kin_block_ldl* l, int count, const int* nodes, int* path)
{
    int length = 0;
    for (int k = 0; k < l->nodes; ++k) path[k] = 0;
    for (int i = 0; i < count; ++i) {
        for (int k = l->place[nodes[i]]; k >= 0 && !path[k]; k = l->parent[k]) path[k] = 1;
    }
    for (int k = 0; k < l->nodes; ++k) {
        if (path[k]) path[length++] = k;
    }
    return length;
}

/* ---- rows that depend on others ---- */

static double dot(int n, const double* a, const double* b)
{
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

/* x without its part along the first `count` columns of an orthonormal basis; twice, as once leaves rounding. Returns the length of that part. */
static double project_out(int n, int count, const double* basis, double* x)
{
    double square = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int k = 0; k < count; ++k) {
            const double* unit = basis + (size_t)k * (size_t)n;
            double part = dot(n, unit, x);
            for (int i = 0; i < n; ++i) x[i] -= part * unit[i];
            square += part * part;
        }
    }
    return kin_sqrt(square);
}

/* L D L^t n = 0 for L^t n = e_r, where D_r = 0. */
void kin_block_ldl_null(const kin_block_ldl* l, double* basis)
{
    for (int k = 0; k < l->dropped_count; ++k) {
        double* x = basis + (size_t)k * (size_t)l->rows;
        memset(x, 0, (size_t)l->rows * sizeof *x);
        x[l->dropped[k]] = 1;
        backward_all(l, l->nodes, NULL, 1, x);
        project_out(l->rows, k, basis, x);
        double length = kin_sqrt(dot(l->rows, x, x));
        for (int i = 0; i < l->rows; ++i) x[i] /= length;
    }
}

double kin_block_ldl_solve_least(const kin_block_ldl* l, const double* basis, double* x)
{
    double missed = project_out(l->rows, l->dropped_count, basis, x);
    kin_block_ldl_solve(l, 1, x);
    project_out(l->rows, l->dropped_count, basis, x);
    return missed;
}

static void multiply_diagonal(const double* block, int w, const double* x, double* y)
{
    for (int r = 0; r < w; ++r) {
        for (int c = 0; c < w; ++c) y[r] += block[r >= c ? r * w + c : c * w + r] * x[c];
    }
}

void kin_block_ldl_multiply(const kin_block_ldl* l, const double* x, double* y)
{
    for (int i = 0; i < l->rows; ++i) y[i] = l->compliance[i] * x[i];
    for (int k = 0; k < l->nodes; ++k) {
        int w = l->size[k], own = l->row[k];
        multiply_diagonal(l->matrix + l->diagonal[k], w, x + own, y + own);
        for (int e = l->begin[k]; e < l->begin[k + 1]; ++e) {
            const double* block = l->matrix + l->value[e];
            int rows = l->size[l->below[e]], other = l->row[l->below[e]];
            for (int i = 0; i < rows * w; ++i) {
                y[other + i / w] += block[i] * x[own + i % w];
                y[own + i % w] += block[i] * x[other + i / w];
            }
        }
    }
}
