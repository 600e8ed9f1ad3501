/* lcp_sweep.c - projected Gauss-Seidel and Jacobi. One residual pass per sweep is the sweep itself: what a row would move by is its violation. */
#include "numerics/lcp_sweep.h"
#include "math/scalar.h"

static double accel_of(int size, const double* row, double offset, const double* force)
{
    double sum = offset;
    for (int j = 0; j < size; ++j) sum += row[j] * force[j];
    return sum;
}

static double clamped(const kin_lcp_box* box, double x, const double* force)
{
    double scale = box->normal < 0 ? 1 : force[box->normal];
    return kin_clamp(x, box->low * scale, box->high * scale);
}

kin_lcp_report kin_lcp_sweeps(int size, const double* matrix, const double* offset, const kin_lcp_box* boxes, kin_lcp_sweep kind, double relaxation, int sweeps,
                              double tolerance, double* force, kin_arena* scratch)
{
    kin_lcp_report report = {.status = KIN_LCP_LIMIT};
    kin_arena_mark mark = kin_arena_begin(scratch);
    double* next = kind == KIN_LCP_JACOBI ? kin_arena_take(scratch, (size_t)size * sizeof(double)) : force;
    if (!next) report.status = KIN_LCP_MEMORY;
    while (report.status == KIN_LCP_LIMIT && report.pivots <= sweeps) {
        double most = 0;
        for (int i = 0; i < size; ++i) {
            const double* row = matrix + (size_t)i * (size_t)size;
            double diagonal = row[i];
            double change = diagonal > 0 ? -accel_of(size, row, offset[i], force) / diagonal : 0;
            most = kin_lcp_worse(most, diagonal * (clamped(&boxes[i], force[i] + change, force) - force[i]));
            next[i] = clamped(&boxes[i], force[i] + relaxation * change, force);
        }
        report.residual = most;
        if (most <= tolerance)
            report.status = KIN_LCP_SOLVED;
        else if (report.pivots < sweeps)
            for (int i = 0; i < size; ++i) force[i] = next[i];
        ++report.pivots;
    }
    kin_arena_end(scratch, mark);
    return report;
}
