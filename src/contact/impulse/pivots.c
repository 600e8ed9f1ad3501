/* pivots.c - contacts with friction and joints by linear systems: the way of the text for impulses (C4.11.1b, C4.11.2), and the quick way to forces at rest.
 *
 * Every contact is in or out, every tangent of one that is in sticks or slides: a linear system in the normals, the tangents that stick, and the joints; a
 * tangent that slides is part of its normal's column. What disagrees with its own answer changes sides and all is solved again: F_n < 0 goes out, one that is
 * out and approaches comes in, friction above its limit slides (mu below mu^c), friction along the slip sticks. At first all at once; then only the first,
 * which ends where going around in circles might not (Bard). It starts from a guess and what some sweeps make of it. Nothing is promised: what it calls
 * solved is, the rest is for Lemke's and Baraff's methods. Redundant contacts share alike (kin_rows_settle). */
#include "contact/impulse/rows.h"
#include <string.h>

#define AGREES 1e-10   /* of the largest force or acceleration */
#define ALL_AT_ONCE 12 /* rounds */
#define A_FEW 4        /* where something else is at hand */
#define SHY 0.1        /* where contacts are redundant friction carries less than it might: normals have no limit, it has */

typedef enum state { OUT, STICKS, PUSHED_UP, PUSHED_DOWN, SLIDES, IN = STICKS } state;

typedef struct pivots {
    const kin_row_set* set;
    kin_lcp_friction friction; /* contacts, their friction, the threshold */
    uint8_t* states;           /* per row: normals and joints IN or OUT; tangents the rest */
    int* unknowns;             /* rows that are solved for */
    int count;
    double fast; /* the largest offset */
    double *matrix, *right, *x, *scale;
} pivots;

static bool take(pivots* s, kin_arena* scratch)
{
    size_t n = (size_t)s->set->size;
    s->states = kin_arena_take(scratch, n);
    s->unknowns = kin_arena_take(scratch, n * sizeof *s->unknowns);
    s->matrix = kin_arena_take(scratch, n * n * sizeof *s->matrix);
    s->right = kin_arena_take(scratch, 3 * n * sizeof *s->right);
    if (!s->states || !s->unknowns || !s->matrix || !s->right) return false;
    s->x = s->right + n;
    s->scale = s->right + 2 * n;
    return true;
}

static double limit_of(const pivots* s, int row) { return s->friction.contact[row / 3].mu_static[row % 3 - 1]; }
static bool is_tangent(const pivots* s, int row) { return row < 3 * s->set->contacts && row % 3 > 0; }
static bool is_held(const pivots* s, int row) { return row >= 3 * s->set->contacts && !s->set->one_sided[row - 3 * s->set->contacts]; }

static double ratio_of(const pivots* s, int row)
{
    switch ((state)s->states[row]) {
    case PUSHED_UP: return limit_of(s, row);
    case PUSHED_DOWN: return -limit_of(s, row);
    case SLIDES: return kin_lcp_slide_ratio(&s->friction, row / 3, row % 3 - 1);
    default: return 0;
    }
}

/* ---- start ---- */

static state first_state(const pivots* s, int row, const double* guess)
{
    if (s->set->dead[row]) return OUT;
    if (is_held(s, row)) return IN;
    if (!is_tangent(s, row)) return guess[row] > 0 ? IN : OUT;
    if (kin_lcp_slides(&s->friction, row / 3)) return SLIDES;
    double limit = limit_of(s, row) * guess[row - row % 3];
    if (limit_of(s, row) <= 0) return OUT; /* for good */
    return guess[row] >= limit && limit > 0 ? PUSHED_UP : guess[row] <= -limit && limit > 0 ? PUSHED_DOWN : STICKS;
}

/* ---- a round ---- */

static void list_unknowns(pivots* s)
{
    s->count = 0;
    for (int i = 0; i < s->set->size; ++i) {
        bool carried = is_tangent(s, i) && s->states[i - i % 3] == OUT;
        if (s->states[i] == STICKS && !carried) s->unknowns[s->count++] = i;
    }
}

/* Merged columns: col_n + mu_t col_t + mu_k col_k. */
static double entry(const pivots* s, int row, int unknown)
{
    const double* a = s->set->matrix + (size_t)row * (size_t)s->set->size;
    double sum = a[unknown] * (row == unknown ? 1 + s->set->soft : 1);
    if (unknown < 3 * s->set->contacts && unknown % 3 == 0) sum += ratio_of(s, unknown + 1) * a[unknown + 1] + ratio_of(s, unknown + 2) * a[unknown + 2];
    return sum;
}

/* How far the linear system is missed, of its right side; negative: no memory. */
static double solve_once(pivots* s, const double* offset, double* force, double* after, kin_arena* scratch)
{
    const kin_row_set* set = s->set;
    list_unknowns(s);
    for (int i = 0; i < s->count; ++i) {
        int row = s->unknowns[i];
        s->right[i] = -offset[row];
        s->scale[i] = (is_tangent(s, row) ? SHY : 1) / kin_sqrt(set->matrix[(size_t)row * (size_t)set->size + (size_t)row]);
        for (int j = 0; j < s->count; ++j) s->matrix[(size_t)i * (size_t)s->count + (size_t)j] = entry(s, row, s->unknowns[j]);
    }
    double miss = kin_rows_settle(s->count, s->matrix, s->scale, 1, s->right, s->x, scratch);
    memset(force, 0, (size_t)set->size * sizeof *force);
    for (int i = 0; i < s->count; ++i) force[s->unknowns[i]] = s->x[i];
    for (int i = 0; i < 3 * set->contacts; ++i) {
        if (i % 3 > 0 && s->states[i] != STICKS) force[i] = ratio_of(s, i) * force[i - i % 3];
    }
    kin_row_set_multiply(set, offset, force, after);
    return miss;
}

/* The state a row should have by its own answer. */
static state wanted(const pivots* s, int row, const double* force, const double* after, double most)
{
    state now = (state)s->states[row];
    double slow = AGREES * s->fast, small = AGREES * most;
    if (s->set->dead[row] || is_held(s, row) || now == SLIDES) return now;
    if (!is_tangent(s, row)) return now == IN ? (force[row] < -small ? OUT : IN) : after[row] < -slow ? IN : OUT;
    double limit = limit_of(s, row) * force[row - row % 3];
    if (s->states[row - row % 3] == OUT) return limit_of(s, row) > 0 ? STICKS : OUT; /* should it come back, it may stick */
    if (now == STICKS) return force[row] > limit + small ? PUSHED_UP : force[row] < -limit - small ? PUSHED_DOWN : STICKS;
    if (now == PUSHED_UP) return after[row] > slow ? STICKS : PUSHED_UP;
    if (now == PUSHED_DOWN) return after[row] < -slow ? STICKS : PUSHED_DOWN;
    return now;
}

static int change(pivots* s, const double* force, const double* after, bool first_only)
{
    int changes = 0;
    double most = 0;
    for (int i = 0; i < s->set->size; ++i) most = kin_max(most, kin_abs(force[i]));
    for (int i = 0; i < s->set->size && !(first_only && changes > 0); ++i) {
        state to = wanted(s, i, force, after, most);
        bool idle = is_tangent(s, i) && s->states[i - i % 3] == OUT;
        changes += to != (state)s->states[i] && !idle;
        s->states[i] = (uint8_t)to;
    }
    return changes;
}

static void run(pivots* s, const double* offset, int most_rounds, double* force, double* after, kin_lcp_report* report, kin_arena* scratch)
{
    report->status = KIN_LCP_LIMIT;
    while (report->pivots < most_rounds) {
        double miss = solve_once(s, offset, force, after, scratch);
        bool agreed = change(s, force, after, ++report->pivots > ALL_AT_ONCE) == 0;
        if (miss < 0) report->status = KIN_LCP_MEMORY;
        if (agreed && miss >= 0 && miss <= 1e-9) report->status = KIN_LCP_SOLVED;
        if (agreed || miss < 0) return; /* agreed but missed: rows that contradict each other */
    }
}

/* The sweeps' own answer, where no round agreed. */
static void fall_back(const pivots* s, const double* offset, const double* swept, double* force, double* after)
{
    memcpy(force, swept, (size_t)s->set->size * sizeof *force);
    kin_row_set_multiply(s->set, offset, force, after);
}

kin_lcp_report kin_row_set_pivots(const kin_row_set* set, const double* offset, const kin_lcp_friction_contact* friction, double slip_threshold, int sweeps,
                                  int most_rounds, const double* guess, double* force, double* after, kin_arena* scratch)
{
    kin_lcp_report report = {.status = KIN_LCP_MEMORY, .residual = KIN_LCP_NOT_FINITE};
    kin_arena_mark mark = kin_arena_begin(scratch);
    size_t bytes = (size_t)set->size * sizeof(double);
    pivots s = {.set = set, .friction = {.contacts = set->contacts, .contact = friction, .slip_threshold = slip_threshold}};
    for (int i = 0; i < set->size; ++i) s.fast = kin_max(s.fast, set->dead[i] ? 0 : kin_abs(offset[i]));
    double* start = kin_arena_take(scratch, bytes);
    if (start) memset(start, 0, bytes);
    if (start && guess) memcpy(start, guess, bytes);
    if (start && take(&s, scratch) && (sweeps == 0 || kin_row_set_sweeps(set, offset, friction, slip_threshold, sweeps, 1e-12 * s.fast, start, scratch))) {
        for (int i = 0; i < set->size; ++i) s.states[i] = (uint8_t)first_state(&s, i, start);
        run(&s, offset, most_rounds, force, after, &report, scratch);
        if (report.status == KIN_LCP_LIMIT) fall_back(&s, offset, start, force, after);
        if (report.status != KIN_LCP_MEMORY) report.residual = kin_row_set_residual(set, friction, slip_threshold, force, after, false);
        kin_lcp_distrust(&report);
    }
    kin_arena_end(scratch, mark);
    return report;
}

/* Where redundant rows contradict each other (boxes that rock while they stick), soft ones have one answer, which sweeps find soon. It counts as far as it is one
 * of the hard ones. */
static kin_lcp_report give_way(const kin_row_set* set, const double* offset, const kin_lcp_friction_contact* friction, double slip_threshold, double enough,
                               const double* guess, double* force, double* after, kin_arena* scratch)
{
    enum { SWEEPS = 400 };
    kin_row_set soft = *set;
    double fast = 0;
    for (int i = 0; i < set->size; ++i) fast = kin_max(fast, set->dead[i] ? 0 : kin_abs(offset[i]));
    soft.soft = fast > 0 ? kin_min(0.1 * enough / fast, 1e-3) : 0;
    if (guess)
        memcpy(force, guess, (size_t)set->size * sizeof *force);
    else
        memset(force, 0, (size_t)set->size * sizeof *force);
    if (!kin_row_set_sweeps(&soft, offset, friction, slip_threshold, SWEEPS, 0.02 * enough, force, scratch)) return (kin_lcp_report){.status = KIN_LCP_MEMORY};
    kin_row_set_multiply(set, offset, force, after);
    double residual = kin_row_set_residual(set, friction, slip_threshold, force, after, false);
    return (kin_lcp_report){.status = residual <= enough ? KIN_LCP_SOLVED : KIN_LCP_LIMIT, .residual = residual};
}

kin_lcp_report kin_row_set_patient(const kin_row_set* set, const double* offset, const kin_lcp_friction_contact* friction, double slip_threshold, double enough,
                                   const double* guess, double* force, double* after, kin_arena* scratch)
{
    kin_lcp_report report = {.status = KIN_LCP_LIMIT};
    int rounds = 0, most = enough > 0 ? A_FEW : ALL_AT_ONCE;
    for (int sweeps = guess ? 0 : 40; sweeps <= 4000 && report.status == KIN_LCP_LIMIT; sweeps = sweeps ? 10 * sweeps : 40) {
        report = kin_row_set_pivots(set, offset, friction, slip_threshold, sweeps, most, guess, force, after, scratch);
        rounds += report.pivots;
        if (report.status == KIN_LCP_LIMIT && enough > 0 && report.residual > enough && sweeps == 40) {
            report = give_way(set, offset, friction, slip_threshold, enough, guess, force, after, scratch);
            most = ALL_AT_ONCE;
        }
        if (report.status == KIN_LCP_LIMIT && report.residual <= enough) report.status = KIN_LCP_SOLVED;
    }
    report.pivots = rounds;
    return report;
}
