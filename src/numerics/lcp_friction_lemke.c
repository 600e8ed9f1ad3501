/* lcp_friction_lemke.c - friction blocks for Lemke's method. House and Keyser 10.3.3 (Kokkevis), with a pair of directions per tangent (Stewart, Trinkle). */
#include "numerics/lcp_friction_lemke.h"
#include "math/scalar.h"
#include "numerics/lemke.h"

typedef enum part { NORMAL, PLUS, MINUS, MULTIPLIER } part;

typedef struct variable {
    part part;
    int row; /* of A */
} variable;

static int list_variables(const kin_lcp_friction* lcp, variable* out)
{
    int count = 0;
    for (int c = 0; c < lcp->contacts; ++c) {
        if (lcp->contact[c].joint) { /* F = F+ - F- without a limit holds a >= 0 and -a >= 0 */
            for (int i = 3 * c; i < 3 * c + 3; ++i) {
                out[count++] = (variable){PLUS, i};
                out[count++] = (variable){MINUS, i};
            }
            continue;
        }
        out[count++] = (variable){NORMAL, 3 * c};
        for (int axis = 0; axis < 2 && !kin_lcp_slides(lcp, c); ++axis) {
            if (lcp->contact[c].mu_static[axis] <= 0) continue;
            for (int k = PLUS; k <= MULTIPLIER; ++k) out[count++] = (variable){(part)k, 3 * c + 1 + axis};
        }
    }
    return count;
}

int kin_lcp_friction_lemke_size(const kin_lcp_friction* lcp)
{
    int count = 0;
    for (int c = 0; c < lcp->contacts; ++c) {
        count += lcp->contact[c].joint ? 6 : 1;
        for (int axis = 0; axis < 2 && !lcp->contact[c].joint && !kin_lcp_slides(lcp, c); ++axis) count += lcp->contact[c].mu_static[axis] > 0 ? 3 : 0;
    }
    return count;
}

/* What one unit of u adds to the force of its contact, along n, t and k. */
static void direction_of(const kin_lcp_friction* lcp, variable u, double direction[3])
{
    int c = u.row / 3;
    direction[0] = direction[1] = direction[2] = 0;
    if (u.part == MULTIPLIER) return;
    direction[u.row % 3] = u.part == MINUS ? -1 : 1;
    if (u.part == NORMAL && kin_lcp_slides(lcp, c)) {
        direction[1] = kin_lcp_slide_ratio(lcp, c, 0);
        direction[2] = kin_lcp_slide_ratio(lcp, c, 1);
    }
}

static double entry(const kin_lcp_friction* lcp, variable v, variable u)
{
    if (v.part == MULTIPLIER) {
        if (u.part == NORMAL) return u.row == v.row - v.row % 3 ? lcp->contact[v.row / 3].mu_static[v.row % 3 - 1] : 0;
        return u.row == v.row && u.part != MULTIPLIER ? -1 : 0;
    }
    if (u.part == MULTIPLIER) return v.part != NORMAL && u.row == v.row ? 1 : 0;
    const double* at = lcp->matrix + (size_t)v.row * 3 * (size_t)lcp->contacts + u.row / 3 * 3;
    double direction[3];
    direction_of(lcp, u, direction);
    double sum = at[0] * direction[0] + at[1] * direction[1] + at[2] * direction[2];
    return v.part == MINUS ? -sum : sum;
}

kin_lcp_report kin_lcp_friction_lemke(const kin_lcp_friction* lcp, double* force, double* accel, kin_arena* scratch)
{
    kin_lcp_report report = {.status = KIN_LCP_MEMORY};
    kin_arena_mark mark = kin_arena_begin(scratch);
    int rows = 3 * lcp->contacts;
    variable* variables = kin_arena_take(scratch, 7 * (size_t)lcp->contacts * sizeof *variables);
    int size = variables ? list_variables(lcp, variables) : 0;
    double* matrix = kin_arena_take(scratch, (size_t)size * (size_t)size * sizeof(double));
    double* q = kin_arena_take(scratch, (size_t)size * sizeof(double));
    double* z = kin_arena_take(scratch, (size_t)size * sizeof(double));
    double* w = kin_arena_take(scratch, (size_t)size * sizeof(double));
    if (variables && matrix && q && z && w) {
        for (int i = 0; i < size; ++i) {
            double b = lcp->offset[variables[i].row];
            q[i] = variables[i].part == MULTIPLIER ? 0 : variables[i].part == MINUS ? -b : b;
            for (int j = 0; j < size; ++j) matrix[(size_t)i * (size_t)size + (size_t)j] = entry(lcp, variables[i], variables[j]);
        }
        report = kin_lcp_lemke(size, matrix, q, 0, z, w, scratch);
        for (int i = 0; i < rows; ++i) force[i] = 0;
        for (int i = 0; i < size && report.status == KIN_LCP_SOLVED; ++i) {
            double direction[3];
            direction_of(lcp, variables[i], direction);
            for (int k = 0; k < 3; ++k) force[variables[i].row / 3 * 3 + k] += z[i] * direction[k];
        }
        for (int i = 0; i < rows; ++i) {
            accel[i] = lcp->offset[i];
            for (int j = 0; j < rows; ++j) accel[i] += lcp->matrix[(size_t)i * (size_t)rows + (size_t)j] * force[j];
        }
        report.residual = kin_lcp_friction_residual(lcp, force, NULL);
        kin_lcp_distrust(&report);
    }
    kin_arena_end(scratch, mark);
    return report;
}

kin_lcp_report kin_lcp_friction_solve(const kin_lcp_friction* lcp, double* force, double* accel, uint8_t* handed, kin_arena* scratch)
{
    kin_lcp_report first = kin_lcp_baraff(lcp, force, accel, handed, scratch);
    if (first.status != KIN_LCP_LIMIT) return first;
    size_t rows = 3 * (size_t)lcp->contacts;
    kin_lcp_report second = {.status = KIN_LCP_MEMORY};
    kin_arena_mark mark = kin_arena_begin(scratch);
    double* other = kin_arena_take(scratch, 2 * rows * sizeof(double));
    if (other) second = kin_lcp_friction_lemke(lcp, other, other + rows, scratch);
    if (second.status == KIN_LCP_SOLVED && (second.residual < first.residual || first.handed > 0)) {
        for (size_t i = 0; i < rows; ++i) force[i] = other[i], accel[i] = other[rows + i];
        for (int c = 0; handed && c < lcp->contacts; ++c) handed[c] = KIN_LCP_KEPT;
        second.pivots += first.pivots;
        second.put_off = first.put_off;
        first = second;
    }
    kin_arena_end(scratch, mark);
    return second.status == KIN_LCP_MEMORY ? second : first;
}
