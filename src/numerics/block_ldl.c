/* block_ldl.c - column by column: factor the diagonal block D_k, divide the blocks below by it, take their products from the columns to come. Baraff 1996
 * ("Linear-time dynamics using Lagrange multipliers"), Davis: Direct methods for sparse linear systems, ch. 4.
 *
 * Rounding grows on its way: after small pivots, what is left of a row that depends on others may be a millionth of its diagonal as well as 1e-16. So each row
 * carries a bound of its noise, which follows the same products, and a pivot must stand out from it. Without this, one loop in sixteen of four to forty
 * hinges kept a row of noise, and many more with unequal masses; with it none of 4500 did, up to 1:1e8.
 *
 * All that is known beforehand is looked up: where each product goes, in `target`. What is below the diagonal in a column lies in one piece, row by row, as
 * wide as the column: the kernels are written for any width and made for each of 1 to 6, where the compiler can unroll them, the triangular loops
 * only when told. */
#include "numerics/block_ldl.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/simd.h"
#include "math/scalar.h"
#include "numerics/block_products.h"
#include <limits.h>
#include <string.h>

#define ROUNDING 2.2e-16 /* of a diagonal: what forming it costs */
#define DOUBT 16         /* a pivot of less than so many times its noise is none */
#define TALL 3           /* blocks below a column from which on laying them out costs less than it saves */
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

/* Column k meets the places below[...]; any two of these have a block, in the earlier one's column, which holds the later ones in the same order. */
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

static const kin_block_products* const products[KIN_SIMD_COUNT] = {&kin_block_products_none, &kin_block_products_sse2, &kin_block_products_avx2};

bool kin_block_ldl_analyse(int nodes, const int* sizes, int link_count, const kin_block_link* links, kin_arena* arena, kin_arena* scratch, kin_block_ldl* out)
{
    kin_block_order order;
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
               && take_numbers(arena, &out->inverse, (size_t)out->rows) && take_numbers(arena, &out->noise, (size_t)out->rows)
               && take_numbers(arena, &out->spare, (size_t)tallest) && take_numbers(arena, &out->wide, KIN_BLOCK_WIDE / 9 * (size_t)tallest);
        if (room) place_targets(out);
        out->products = products[kin_simd_best()];
    }
    if (arena != scratch) kin_arena_end(scratch, mark);
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

/* y = L_kk^-1 y, and y = L_kk^-t y */
INLINE void solve_lower(const double* d, double* y, const int w)
{
#pragma GCC unroll 6
    for (int c = 1; c < w; ++c) {
#pragma GCC unroll 6
        for (int q = 0; q < c; ++q) y[c] -= d[c * w + q] * y[q];
    }
}

INLINE void solve_upper(const double* d, double* y, const int w)
{
#pragma GCC unroll 6
    for (int c = w - 1; c > 0; --c) {
#pragma GCC unroll 6
        for (int q = 0; q < c; ++q) y[q] -= d[c * w + q] * y[c];
    }
}

/* 1 / pivot, or 0 where it is no more than rounding. Whatever in a row is not finite makes its pivot so. */
INLINE double invert_pivot(kin_block_ldl* l, int row, double pivot, double whole, double least, kin_block_report* report)
{
    if (pivot > least && kin_finite(pivot)) {
        report->least = pivot < report->least * whole ? pivot / whole : report->least;
        return 1 / pivot;
    }
    l->dropped[l->dropped_count++] = row;
    report->finite = report->finite && kin_finite(pivot);
    report->negative += pivot < -least;
    return 0;
}

/* The lower triangle of the diagonal block becomes L_kk. A dropped pivot leaves a column of zeros. */
INLINE void factor_diagonal(kin_block_ldl* l, int k, double tolerance, kin_block_report* report, const int w)
{
    double *d = l->factor + l->diagonal[k], *inverse = l->inverse + l->row[k], *noise = l->noise + l->row[k], scaled[KIN_BLOCK_MOST], doubt[KIN_BLOCK_MOST];
    const double *matrix = l->matrix + l->diagonal[k], *compliance = l->compliance + l->row[k];
    for (int c = 0; c < w; ++c) {
        noise[c] += ROUNDING * (matrix[c * w + c] + compliance[c]);
        doubt[c] = noise[c];
        d[c * w + c] += compliance[c];
    }
#pragma GCC unroll 6
    for (int c = 0; c < w; ++c) {
        double whole = matrix[c * w + c] + compliance[c], least = kin_max(tolerance * whole, DOUBT * doubt[c]);
        inverse[c] = invert_pivot(l, l->row[k] + c, d[c * w + c], whole, least, report);
#pragma GCC unroll 6
        for (int r = c + 1; r < w; ++r) {
            scaled[r] = d[r * w + c];
            d[r * w + c] *= inverse[c];
            doubt[r] += d[r * w + c] * d[r * w + c] * doubt[c];
        }
#pragma GCC unroll 6
        for (int r = c + 1; r < w; ++r) {
#pragma GCC unroll 6
            for (int q = c + 1; q <= r; ++q) d[r * w + q] -= d[r * w + c] * scaled[q];
        }
    }
}

/* A block below becomes L = block D^-1; `before` keeps what it was, transposed, for the products. An error e of D changes the later diagonal by L e L^t. */
INLINE void divide_block(const double* d, const double* inverse, const double* noise, int rows, double* block, double* before, double* row_noise, const int w)
{
    for (int r = 0; r < rows; ++r) {
        double y[KIN_BLOCK_MOST], *row = block + r * w, sum = row_noise[r];
        for (int c = 0; c < w; ++c) before[c * rows + r] = y[c] = row[c];
        solve_lower(d, y, w);
        for (int c = 0; c < w; ++c) y[c] *= inverse[c];
        solve_upper(d, y, w);
        for (int c = 0; c < w; ++c) {
            row[c] = y[c];
            sum += y[c] * y[c] * noise[c];
        }
        row_noise[r] = sum;
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

/* All blocks below a column are 3 x 3, and it has some. */
static bool is_wide(const kin_block_ldl* l, int k)
{
    const int begin = l->begin[k], end = l->begin[k + 1];
    bool all = l->size[k] == 3 && end - begin >= TALL;
    for (int e = begin; all && e < end; ++e) all = l->size[l->below[e]] == 3;
    return all;
}

INLINE void eliminate(kin_block_ldl* l, int k, double tolerance, kin_block_report* report, const int w)
{
    int begin = l->begin[k], end = l->begin[k + 1];
    const double *d = l->factor + l->diagonal[k], *inverse = l->inverse + l->row[k], *noise = l->noise + l->row[k];
    const int base = l->diagonal[k] + w * w; /* of what is below, in L; in spare it is 0 */
    factor_diagonal(l, k, tolerance, report, w);
    for (int e = begin; e < end; ++e) {
        int rows = l->size[l->below[e]];
        double* row_noise = l->noise + l->row[l->below[e]];
        if (rows == w)
            divide_block(d, inverse, noise, w, l->factor + l->value[e], l->spare + (l->value[e] - base), row_noise, w);
        else
            divide_block(d, inverse, noise, rows, l->factor + l->value[e], l->spare + (l->value[e] - base), row_noise, w);
    }
    const int* target = l->target + l->target_begin[k];
    if (w == 3 && is_wide(l, k)) {
        l->products->subtract(l->factor + l->value[begin], l->spare, end - begin, target, l->factor, l->wide);
        return;
    }
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
    memset(l->noise, 0, (size_t)l->rows * sizeof *l->noise);
    memcpy(l->factor, l->matrix, (size_t)l->numbers * sizeof *l->factor);
    for (int k = 0; k < l->nodes; ++k) {
#define ELIMINATE(w) eliminate(l, k, tolerance, &report, w)
        BY_WIDTH(l->size[k], ELIMINATE)
    }
    report.dropped = l->dropped_count;
    return report;
}

/* ---- solve ---- */

/* The rows below without the part of x_k. */
INLINE void forward(const kin_block_ldl* l, int k, double* x, const int w)
{
    double y[KIN_BLOCK_MOST];
    for (int c = 0; c < w; ++c) y[c] = x[l->row[k] + c];
    for (int e = l->begin[k]; e < l->begin[k + 1]; ++e) {
        const double* block = l->factor + l->value[e];
        double* other = x + l->row[l->below[e]];
        int rows = l->size[l->below[e]];
        for (int r = 0; r < rows; ++r) {
            double sum = other[r];
            for (int q = 0; q < w; ++q) sum -= block[r * w + q] * y[q];
            other[r] = sum;
        }
    }
}

/* x_k without the part of the rows below. */
INLINE void backward(const kin_block_ldl* l, int k, double* x, const int w)
{
    double *own = x + l->row[k], y[KIN_BLOCK_MOST];
    for (int c = 0; c < w; ++c) y[c] = own[c];
    for (int e = l->begin[k]; e < l->begin[k + 1]; ++e) {
        const double *block = l->factor + l->value[e], *other = x + l->row[l->below[e]];
        int rows = l->size[l->below[e]];
        for (int r = 0; r < rows; ++r) {
            for (int q = 0; q < w; ++q) y[q] -= block[r * w + q] * other[r];
        }
    }
    for (int c = 0; c < w; ++c) own[c] = y[c];
}

/* x_k = D_k^-1 x_k. Returns what is left of b in the dropped rows: A x there falls short by just this. */
INLINE double divide(const kin_block_ldl* l, int k, double* x, const int w)
{
    const double *d = l->factor + l->diagonal[k], *inverse = l->inverse + l->row[k];
    double *own = x + l->row[k], y[KIN_BLOCK_MOST], missed = 0;
    for (int c = 0; c < w; ++c) y[c] = own[c];
    solve_lower(d, y, w);
    for (int c = 0; c < w; ++c) {
        if (inverse[c] == 0) missed = kin_max(missed, kin_abs(y[c]));
        y[c] *= inverse[c];
    }
    solve_upper(d, y, w);
    for (int c = 0; c < w; ++c) own[c] = y[c];
    return missed;
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
        int k = place_at(path, i);
        for (int column = 0; column < columns; ++column) {
            double* one = x + (size_t)column * (size_t)l->rows;
#define DIVIDE(w) missed = kin_max(missed, divide(l, k, one, w))
            BY_WIDTH(l->size[k], DIVIDE)
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
        int k = place_at(path, i), w = l->size[k];
        for (int column = 0; column < columns; ++column) {
            double* own = x + (size_t)column * (size_t)l->rows + l->row[k];
            solve_lower(l->factor + l->diagonal[k], own, w);
            for (int c = 0; c < w; ++c) own[c] *= kin_sqrt(l->inverse[l->row[k] + c]);
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

/* A n = 0 for n = L^-t (D's own null vector): L_kk^-t e_r in the block of the dropped row r. */
void kin_block_ldl_null(const kin_block_ldl* l, double* basis)
{
    int n = 0;
    for (int k = 0; k < l->nodes; ++k) {
        for (int c = 0; c < l->size[k]; ++c) {
            if (l->inverse[l->row[k] + c] != 0) continue;
            double* x = basis + (size_t)n * (size_t)l->rows;
            memset(x, 0, (size_t)l->rows * sizeof *x);
            x[l->row[k] + c] = 1;
            solve_upper(l->factor + l->diagonal[k], x + l->row[k], l->size[k]);
            backward_all(l, l->nodes, NULL, 1, x);
            project_out(l->rows, n++, basis, x);
            double length = kin_sqrt(dot(l->rows, x, x));
            for (int i = 0; i < l->rows; ++i) x[i] /= length;
        }
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
