/* lcp.c - Dantzig's method for frictionless contact. Coutinho app. I, 14.2; Baraff 1994, "Fast contact force computation for nonpenetrating rigid bodies".
 *
 * Why a singular A does no harm: a row blocks only if its acceleration falls, so its Schur complement entry is not zero, so by semidefiniteness neither is
 * its diagonal: the ZA block stays regular when it joins. Only the driven row can depend on ZA; then the direction moves no acceleration at all (d^t A d = 0
 * means A d = 0), and either some force falls to zero, which removes the dependence, or the step is unbounded and there is no solution. */
#include "numerics/lcp.h"
#include "math/scalar.h"

#define DEPENDENT 1e-11 /* of a pivot against the terms it is summed from: below it the row is a combination of ZA */
#define NOISE 1e-12     /* of a sum against the sum of absolute values */
#define UNBOUNDED 1.7976931348623157e308

typedef enum row_set {
    WAITING,
    ZERO_ACCEL,
    ZERO_FORCE,
    IDLE, /* like ZERO_FORCE, but known to depend on ZA: its acceleration stays until a row leaves ZA */
    OUT,  /* handed over */
} row_set;

typedef struct dantzig {
    const kin_lcp* lcp;
    int size, active_count;
    double *force, *accel, *step_force;
    double* factor;                /* L of the ZA block, size x size */
    double *solved, *unit, *error; /* see reduce(); by place in ZA */
    int* active;                   /* ZA, in the order of the factor */
    uint8_t* sets;
    int pivots;
} dantzig;

static bool is_joint(const kin_lcp* lcp, int i) { return lcp->kinds && lcp->kinds[i] == KIN_LCP_JOINT; }
static const double* row_of(const dantzig* d, int i) { return d->lcp->matrix + (size_t)i * (size_t)d->size; }
static double* factor_row(const dantzig* d, int i) { return d->factor + (size_t)i * (size_t)d->size; }

/* a_i over the active forces and the driven one; *noise is what rounding may have made of it. */
static double accel_of(const dantzig* d, int i, int driven, double* noise)
{
    const double* row = row_of(d, i);
    double sum = d->lcp->offset[i], size = kin_abs(sum);
    for (int k = 0; k < d->active_count; ++k) {
        double term = row[d->active[k]] * d->force[d->active[k]];
        sum += term;
        size += kin_abs(term);
    }
    if (driven >= 0) {
        double term = row[driven] * d->force[driven];
        sum += term;
        size += kin_abs(term);
    }
    *noise = NOISE * size;
    return sum;
}

/* v = L^-1 v, and v = L^-t v, over the places of ZA. */
static void forward(const dantzig* d, double* v)
{
    for (int k = 0; k < d->active_count; ++k) {
        const double* row = factor_row(d, k);
        for (int j = 0; j < k; ++j) v[k] -= row[j] * v[j];
        v[k] /= row[k];
    }
}

static void backward(const dantzig* d, double* v)
{
    for (int k = d->active_count - 1; k >= 0; --k) {
        const double* row = factor_row(d, k);
        v[k] /= row[k];
        for (int j = 0; j < k; ++j) v[j] -= row[j] * v[k];
    }
}

/* unit: how the ZA forces answer a unit force in row i so that no ZA acceleration changes, refined once; solved = L^-1 A_ZA,i. Returns the Schur complement,
 * by which a_i then grows, or 0 when i depends on ZA. As the quadratic form of (unit, 1) it is exact to second order in the error of unit: the difference
 * A_ii - |solved|^2 would, after one small pivot, let dependent rows pass. */
static double reduce(dantzig* d, int i)
{
    int n = d->active_count;
    double rest = row_of(d, i)[i], size = rest;
    for (int k = 0; k < n; ++k) {
        d->solved[k] = row_of(d, d->active[k])[i];
        d->unit[k] = 0;
    }
    forward(d, d->solved);
    for (int k = 0; k < n; ++k) d->unit[k] = -d->solved[k];
    backward(d, d->unit);
    for (int k = 0; k < n; ++k) {
        const double* row = row_of(d, d->active[k]);
        d->error[k] = -row[i];
        for (int j = 0; j < n; ++j) d->error[k] -= row[d->active[j]] * d->unit[j];
    }
    forward(d, d->error);
    backward(d, d->error);
    for (int k = 0; k < n; ++k) d->unit[k] += d->error[k];
    for (int k = 0; k < n; ++k) {
        const double* row = row_of(d, d->active[k]);
        double sum = 2 * row[i], sizes = kin_abs(sum);
        for (int j = 0; j < n; ++j) {
            sum += row[d->active[j]] * d->unit[j];
            sizes += kin_abs(row[d->active[j]] * d->unit[j]);
        }
        rest += sum * d->unit[k];
        size += sizes * kin_abs(d->unit[k]);
    }
    return rest > DEPENDENT * size ? rest : 0;
}

/* Adds row i, for which `solved` and its Schur complement have just been computed. */
static void append(dantzig* d, int i, double rest)
{
    double* row = factor_row(d, d->active_count);
    for (int k = 0; k < d->active_count; ++k) row[k] = d->solved[k];
    row[d->active_count] = kin_sqrt(rest);
    d->active[d->active_count++] = i;
    d->sets[i] = ZERO_ACCEL;
}

/* Removes place r of the factor: its row goes, and rotations of neighbouring columns restore the triangle. */
static void drop(dantzig* d, int r)
{
    int count = --d->active_count;
    for (int i = r; i < count; ++i) {
        const double* from = factor_row(d, i + 1);
        double* to = factor_row(d, i);
        for (int j = 0; j <= i + 1; ++j) to[j] = from[j];
        d->active[i] = d->active[i + 1];
    }
    for (int j = r; j < count; ++j) {
        double p = factor_row(d, j)[j], q = factor_row(d, j)[j + 1], length = kin_sqrt(p * p + q * q), c = p / length, s = q / length;
        for (int i = j; i < count; ++i) {
            double* row = factor_row(d, i);
            p = row[j], q = row[j + 1];
            row[j] = c * p + s * q;
            row[j + 1] = c * q - s * p;
        }
    }
    for (int i = 0; i < d->size; ++i)
        if (d->sets[i] == IDLE && !is_joint(d->lcp, i)) d->sets[i] = ZERO_FORCE;
}

static double step_accel_of(const dantzig* d, int i, int driven, double* noise)
{
    const double* row = row_of(d, i);
    double sum = row[driven] * d->step_force[driven], size = kin_abs(sum);
    for (int k = 0; k < d->active_count; ++k) {
        double term = row[d->active[k]] * d->step_force[d->active[k]];
        sum += term;
        size += kin_abs(term);
    }
    *noise = NOISE * size;
    return sum;
}

/* The longest step, at most limit, before a row must change sets;
 * *blocking is that row, or -1 for the driven row's own goal, and *place where in ZA it is, or -1. */
static double longest_step(dantzig* d, int driven, double rest, double limit, int* blocking, int* place)
{
    double step = rest > 0 ? kin_abs(d->accel[driven]) / rest : limit, noise = kin_abs(d->step_force[driven]), unused;
    *blocking = -1;
    for (int k = 0; k < d->active_count; ++k) noise = kin_max(noise, kin_abs(d->step_force[d->active[k]]));
    noise *= NOISE;
    for (int k = 0; k < d->active_count; ++k) {
        int i = d->active[k];
        if (is_joint(d->lcp, i) || d->step_force[i] >= -noise) continue;
        double bound = kin_max(d->force[i], 0) / -d->step_force[i];
        if (bound < step || (bound == step && *blocking > i)) step = bound, *blocking = i, *place = k;
    }
    if (rest <= 0) return step; /* no acceleration moves */
    for (int i = 0; i < d->size; ++i) {
        if (d->sets[i] != ZERO_FORCE) continue;
        double change = step_accel_of(d, i, driven, &noise);
        if (change >= -noise) continue;
        double bound = kin_max(accel_of(d, i, driven, &unused), 0) / -change;
        if (bound < step || (bound == step && *blocking > i)) step = bound, *blocking = i, *place = -1;
    }
    return step;
}

/* The driven row's condition holds without a force. */
static void settle(dantzig* d, int driven, double rest)
{
    d->sets[driven] = ZERO_FORCE;
    if (!is_joint(d->lcp, driven)) return;
    if (rest > 0)
        append(d, driven, rest);
    else
        d->sets[driven] = IDLE; /* joints never leave ZA, so this one stays redundant */
}

/* Changes the force of a row until its condition holds. */
static kin_lcp_status drive(dantzig* d, int driven, int max_pivots)
{
    d->force[driven] = 0;
    for (int pivot = 0; pivot < max_pivots; ++pivot) {
        double noise, accel = accel_of(d, driven, driven, &noise), rest = reduce(d, driven);
        bool met = is_joint(d->lcp, driven) ? kin_abs(accel) <= noise : accel >= -noise;
        if (met && d->force[driven] == 0) {
            settle(d, driven, rest);
            return KIN_LCP_SOLVED;
        }
        /* Met by rounding, with a force that ZA could carry as well: give it back to ZA. */
        bool retreat = met && rest <= 0;
        double direction = retreat || (is_joint(d->lcp, driven) && accel > 0) ? -1 : 1;
        int blocking = -1, place = -1;
        for (int k = 0; k < d->active_count; ++k) d->step_force[d->active[k]] = direction * d->unit[k];
        d->step_force[driven] = direction;
        d->accel[driven] = met ? 0 : accel;
        double step = longest_step(d, driven, rest, retreat ? d->force[driven] : UNBOUNDED, &blocking, &place);
        if (step >= UNBOUNDED) return KIN_LCP_UNBOUNDED;
        for (int k = 0; k < d->active_count; ++k) d->force[d->active[k]] += step * d->step_force[d->active[k]];
        d->force[driven] += step * direction;
        ++d->pivots;
        if (blocking < 0 && retreat) {
            d->force[driven] = 0;
            settle(d, driven, rest);
            return KIN_LCP_SOLVED;
        }
        if (blocking < 0) {
            append(d, driven, rest);
            return KIN_LCP_SOLVED;
        }
        if (place >= 0) {
            drop(d, place);
            d->force[blocking] = 0;
            d->sets[blocking] = ZERO_FORCE;
        } else {
            double gain = reduce(d, blocking);
            if (gain > 0)
                append(d, blocking, gain);
            else
                d->sets[blocking] = IDLE;
        }
    }
    return KIN_LCP_LIMIT;
}

/* Iterative refinement of A_ZA F = -b, for what the pivots rounded. */
static void polish(dantzig* d)
{
    double unused;
    for (int k = 0; k < d->active_count; ++k) d->error[k] = -accel_of(d, d->active[k], -1, &unused);
    forward(d, d->error);
    backward(d, d->error);
    for (int k = 0; k < d->active_count; ++k) {
        int i = d->active[k];
        d->force[i] += d->error[k];
        if (!is_joint(d->lcp, i)) d->force[i] = kin_max(d->force[i], 0);
    }
}

/* All rows not OUT, from nothing. *culprit is the row of an unbounded step; step_force then holds the ray. */
static kin_lcp_status solve_rows(dantzig* d, int max_pivots, int* culprit)
{
    d->active_count = 0;
    for (int i = 0; i < d->size; ++i) {
        d->force[i] = 0;
        if (d->sets[i] != OUT) d->sets[i] = WAITING;
    }
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < d->size; ++i) {
            if (d->sets[i] != WAITING || is_joint(d->lcp, i) != (pass == 0)) continue;
            kin_lcp_status status = drive(d, i, max_pivots);
            *culprit = i;
            if (status != KIN_LCP_SOLVED) return status;
        }
    }
    for (int pass = 0; pass < 2; ++pass) polish(d);
    return KIN_LCP_SOLVED;
}

static double worst(const kin_lcp* lcp, const double* force, double* accel, const uint8_t* sets)
{
    double most = 0;
    for (int i = 0; i < lcp->size; ++i) {
        const double* row = lcp->matrix + (size_t)i * (size_t)lcp->size;
        double a = lcp->offset[i], scale = row[i] > 0 ? row[i] : 1;
        for (int j = 0; j < lcp->size; ++j) a += row[j] * force[j];
        if (accel) accel[i] = a;
        if (sets && sets[i] == OUT) continue;
        most = kin_lcp_worse(most, is_joint(lcp, i) || a != a ? a : kin_min(scale * force[i], a));
    }
    return most;
}

double kin_lcp_residual(const kin_lcp* lcp, const double* force) { return worst(lcp, force, NULL, NULL); }

kin_lcp_report kin_lcp_dantzig(const kin_lcp* lcp, double* force, double* accel, uint8_t* handed, kin_arena* scratch)
{
    size_t n = (size_t)lcp->size, bytes = n * sizeof(double);
    kin_lcp_report report = {.status = KIN_LCP_MEMORY};
    dantzig d = {.lcp = lcp, .size = lcp->size, .force = force, .accel = accel};
    kin_arena_mark mark = kin_arena_begin(scratch);
    d.factor = kin_arena_take(scratch, n * bytes);
    d.solved = kin_arena_take(scratch, bytes);
    d.unit = kin_arena_take(scratch, bytes);
    d.error = kin_arena_take(scratch, bytes);
    d.step_force = kin_arena_take(scratch, bytes);
    d.active = kin_arena_take(scratch, n * sizeof(int));
    d.sets = kin_arena_take(scratch, n);
    uint8_t* marks = handed ? handed : kin_arena_take(scratch, n);
    if (d.factor && d.solved && d.unit && d.error && d.step_force && d.active && d.sets && marks) {
        int max_pivots = lcp->max_pivots > 0 ? lcp->max_pivots : 50 + 10 * lcp->size, culprit = -1;
        for (size_t i = 0; i < n; ++i) d.sets[i] = WAITING, marks[i] = KIN_LCP_KEPT;
        while ((report.status = solve_rows(&d, max_pivots, &culprit)) == KIN_LCP_UNBOUNDED) {
            for (int k = 0; k < d.active_count; ++k) {
                int i = d.active[k];
                if (kin_abs(d.step_force[i]) > NOISE && marks[i] == KIN_LCP_KEPT) marks[i] = KIN_LCP_PARTNER;
            }
            marks[culprit] = KIN_LCP_HANDED;
            d.sets[culprit] = OUT;
            ++report.handed;
        }
        if (report.status == KIN_LCP_SOLVED && report.handed > 0) report.status = KIN_LCP_UNBOUNDED;
        report.pivots = d.pivots;
        report.residual = worst(lcp, force, accel, d.sets);
        kin_lcp_distrust(&report);
    }
    kin_arena_end(scratch, mark);
    return report;
}
