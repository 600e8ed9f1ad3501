/* bulirsch.c - midpoint runs and their extrapolation to substeps of no length. The error of a run is even in its substep, so each column gains two orders. */
#include "numerics/bulirsch.h"
#include "base/alloc.h"
#include "base/error.h"
#include "math/scalar.h"
#include <string.h>

kin_bulirsch kin_bulirsch_default(void) { return (kin_bulirsch){.columns = 6}; }

static int substeps(int row) { return 2 * (row + 1); }

int kin_bulirsch_stages(const kin_bulirsch* def)
{
    int sum = 0;
    for (int row = 0; row < def->columns; ++row) sum += substeps(row);
    return sum;
}

/* Gragg: z1 = y0 + s f0, z(m+1) = z(m-1) + 2 s f(z(m)); the end is smoothed: (z(n) + z(n-1) + s f(z(n))) / 2. Uses three vectors, the answer is in *now. */
static double* midpoint_run(const kin_ode* ode, double t, double h, int count, const double* y0, const double* dydt0, double* before, double* now, double* rate)
{
    int n = ode->size;
    double s = h / count;
    for (int i = 0; i < n; ++i) {
        before[i] = y0[i];
        now[i] = y0[i] + s * dydt0[i];
    }
    for (int m = 1; m < count; ++m) {
        ode->derivative(ode->context, t + m * s, now, rate);
        for (int i = 0; i < n; ++i) before[i] += 2.0 * s * rate[i];
        double* swap = before;
        before = now;
        now = swap;
    }
    ode->derivative(ode->context, t + h, now, rate);
    for (int i = 0; i < n; ++i) now[i] = 0.5 * (now[i] + before[i] + s * rate[i]);
    return now;
}

/* The next column from the last and from the row above: T + (T - above) / divisor. A fraction that has a pole there takes the polynomial's. */
static double next_column(double value, double above, double above_left, double ratio, bool rational)
{
    double change = value - above;
    if (rational && change != 0.0) {
        double spread = value - above_left, divisor = spread != 0.0 ? ratio * (1.0 - change / spread) - 1.0 : 0.0;
        if (kin_abs(divisor) > 1e-3) return value + change / divisor; /* also refuses steps that would be a thousand times the change */
    }
    return value + change / (ratio - 1.0);
}

/* table[c] holds column c of the row above and gets that of this row. */
static void extrapolate(int n, int row, const double* run, double* const* table, bool rational)
{
    double ratio[KIN_BULIRSCH_COLUMNS];
    for (int c = 1; c <= row; ++c) ratio[c] = kin_square((double)substeps(row) / substeps(row - c));
    for (int i = 0; i < n; ++i) {
        double value = run[i], above_left = 0.0;
        for (int c = 1; c <= row; ++c) {
            double above = table[c - 1][i];
            table[c - 1][i] = value;
            value = next_column(value, above, above_left, ratio[c], rational);
            above_left = above;
        }
        table[row][i] = value;
    }
}

kin_result kin_bulirsch_step(const kin_bulirsch* def, const kin_ode* ode, double t, double h, const double* y0, const double* dydt0, double* y1, double* error,
                             kin_arena* scratch)
{
    int columns = def->columns;
    KIN_ASSERT(columns >= 2 && columns <= KIN_BULIRSCH_COLUMNS && ode->size > 0);
    size_t n = (size_t)ode->size;
    kin_arena_mark mark = kin_arena_begin(scratch);
    double* block = kin_arena_take(scratch, kin_bytes((size_t)(columns + 3) * n, sizeof *block));
    if (block == NULL) {
        kin_arena_end(scratch, mark);
        return KIN_ERROR_MEMORY;
    }
    double* table[KIN_BULIRSCH_COLUMNS];
    for (int c = 0; c < columns; ++c) table[c] = block + (size_t)(c + 3) * n;
    for (int row = 0; row < columns; ++row) {
        const double* run = midpoint_run(ode, t, h, substeps(row), y0, dydt0, block, block + n, block + 2 * n);
        extrapolate(ode->size, row, run, table, def->rational);
    }
    memcpy(y1, table[columns - 1], n * sizeof *y1);
    for (size_t i = 0; i < n; ++i) error[i] = table[columns - 1][i] - table[columns - 2][i];
    kin_arena_end(scratch, mark);
    return KIN_OK;
}

static kin_result stepper_step(const kin_stepper* self, const kin_ode* ode, double t, double h, const double* y0, const double* dydt0, double* y1,
                               double* dydt1, double* error, kin_arena* scratch)
{
    (void)dydt1;
    return kin_bulirsch_step(self->context, ode, t, h, y0, dydt0, y1, error, scratch);
}

kin_stepper kin_bulirsch_stepper(const kin_bulirsch* def)
{
    return (kin_stepper){.order = 2 * def->columns, .error_order = 2 * def->columns - 2, .context = def, .step = stepper_step};
}
