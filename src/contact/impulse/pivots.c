/* pivots.c - contacts with friction and joints by linear systems: the way of the text for impulses (C4.11.1b, C4.11.2), and the quick way to forces at rest.
 *
 * Every contact is in or out, every tangent of one that is in sticks or slides: a linear system in the normals, the tangents that stick, and the joints; a
 * tangent that slides is part of its normal's column. What disagrees with its own answer changes sides and all is solved again: F_n < 0 goes out, one that is
 * out and approaches comes in, friction above its limit slides (mu below mu^c), friction along the slip sticks. At first all at once; then only the first,
 * which ends where going around in circles might not (Bard). It starts from a guess and what some sweeps make of it. Nothing is promised: what it calls
 * solved is, the rest is for Lemke's and Baraff's methods. Redundant contacts share alike (through.h). */
#include "contact/impulse/through.h"
#include <string.h>

#define AGREES 1e-10  /* of the largest force or acceleration */
#define ALL_AT_ONCE 4 /* rounds in a row that bring nothing */
#define A_FEW 4       /* where something else is at hand */
#define LONGEST 4     /* times the rounds that may bring nothing */
#define SOFT 1e-8     /* of a unit diagonal, taken back by refinement: its root is as far from rounding as from 1 */
#define SHY 0.1       /* where contacts are redundant friction carries less than it might: normals have no limit, it has */

typedef enum state { OUT, STICKS, PUSHED_UP, PUSHED_DOWN, SLIDES, IN = STICKS } state;

typedef struct pivots {
    const kin_row_set* set;
    kin_lcp_friction friction; /* contacts, their friction, the threshold */
    uint8_t* states;           /* per row: normals and joints IN or OUT; tangents the rest */
    int* unknowns;             /* rows that are solved for */
    int count;
    double fast; /* the largest offset */
    kin_through through;
    kin_through_row* rows; /* of the unknowns */
    double *right, *x, *miss, *scale;
} pivots;

static bool take(pivots* s, kin_arena* scratch)
{
    size_t n = (size_t)s->set->size;
    s->states = kin_arena_take(scratch, n);
    s->unknowns = kin_arena_take(scratch, n * sizeof *s->unknowns);
    s->rows = kin_arena_take(scratch, n * sizeof *s->rows);
    s->right = kin_arena_take(scratch, 4 * n * sizeof *s->right);
    if (!s->states || !s->unknowns || !s->rows || !s->right) return false;
    s->x = s->right + n;
    s->scale = s->right + 2 * n;
    s->miss = s->right + 3 * n;
    return kin_through_init(&s->through, s->set, scratch);
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

/* Rows that are soft give way alike, and need not be shy. */
static double scale_of(const pivots* s, int row) { return (is_tangent(s, row) && s->set->soft == 0 ? SHY : 1) / kin_sqrt(s->set->diagonal[row]); }

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
static kin_through_row row_of(const pivots* s, int unknown, double scale)
{
    const kin_row* r = &s->set->rows[unknown];
    bool normal = unknown < 3 * s->set->contacts && unknown % 3 == 0;
    double along[2] = {normal ? ratio_of(s, unknown + 1) : 0, normal ? ratio_of(s, unknown + 2) : 0};
    kin_vec3 column[KIN_ROW_PARTS];
    for (int part = 0; part < KIN_ROW_PARTS; ++part) {
        column[part] = r->give[part];
        for (int k = 0; k < 2; ++k) column[part] = along[k] != 0 ? kin_add_scaled(column[part], along[k], r[k + 1].give[part]) : column[part];
    }
    return kin_through_row_of(&s->through, r, column, scale);
}

static double largest(const double* v, int count)
{
    double most = 0;
    for (int i = 0; i < count; ++i) most = kin_lcp_worse(most, v[i]);
    return most;
}

/* (B C + SOFT) dx = right - B C x, a few times: what B C reaches converges by the ratio of SOFT to its eigenvalues, what it does not reach stays 0. Rows that are
 * soft of themselves stay as they are. Returns what is missed of the right side. */
static double settle(pivots* s)
{
    enum { REFINEMENTS = 8 };
    int n = s->count;
    double soft = s->set->soft;
    double most = largest(s->right, n), worst = most;
    memset(s->x, 0, (size_t)n * sizeof *s->x);
    if (!kin_through_factor(&s->through, s->rows, n, soft > 0 ? soft : SOFT)) return KIN_LCP_NOT_FINITE;
    *s->set->work += s->through.cost + 4 * n;
    memcpy(s->miss, s->right, (size_t)n * sizeof *s->miss);
    for (int k = 0; k < REFINEMENTS && worst > 0; ++k) {
        double* next = s->scale; /* done with */
        kin_through_solve(&s->through, s->rows, n, s->miss);
        for (int i = 0; i < n; ++i) next[i] = s->x[i] + s->miss[i];
        kin_through_miss(&s->through, s->rows, n, soft, s->right, next, s->miss);
        *s->set->work += 6 * n;
        double now = largest(s->miss, n);
        if (!(now < worst)) break;
        worst = now;
        memcpy(s->x, next, (size_t)n * sizeof *s->x);
    }
    return most > 0 ? worst / most : 0;
}

/* How far the linear system is missed, of its right side. */
static double solve_once(pivots* s, const double* offset, double* force, double* after)
{
    const kin_row_set* set = s->set;
    list_unknowns(s);
    for (int i = 0; i < s->count; ++i) {
        double scale = scale_of(s, s->unknowns[i]);
        s->right[i] = -offset[s->unknowns[i]] * scale;
        s->rows[i] = row_of(s, s->unknowns[i], scale);
    }
    double miss = settle(s);
    memset(force, 0, (size_t)set->size * sizeof *force);
    for (int i = 0; i < s->count; ++i) force[s->unknowns[i]] = s->x[i] * scale_of(s, s->unknowns[i]);
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

/* How many rows disagree; all of them change, or the first only. */
static int change(pivots* s, const double* force, const double* after, bool first_only)
{
    int changes = 0;
    double most = 0;
    for (int i = 0; i < s->set->size; ++i) most = kin_max(most, kin_abs(force[i]));
    for (int i = 0; i < s->set->size; ++i) {
        state to = wanted(s, i, force, after, most);
        bool idle = is_tangent(s, i) && s->states[i - i % 3] == OUT;
        changes += to != (state)s->states[i] && !idle;
        if (first_only && changes > 1) continue;
        s->states[i] = (uint8_t)to;
    }
    return changes;
}

/* Rounds go on as long as fewer rows disagree than ever before: most_rounds is how many may pass without that, and LONGEST times as many are all there are. */
static void run(pivots* s, const double* offset, int most_rounds, double* force, double* after, kin_lcp_report* report)
{
    int fewest = s->set->size + 1, stale = 0;
    report->status = KIN_LCP_LIMIT;
    while (stale < most_rounds && report->pivots < LONGEST * most_rounds && !kin_row_set_is_spent(s->set)) {
        double miss = solve_once(s, offset, force, after);
        int changes = change(s, force, after, stale > ALL_AT_ONCE);
        report->pivots += 1;
        stale = changes < fewest ? 0 : stale + 1;
        fewest = changes < fewest ? changes : fewest;
        if (changes == 0 && miss <= 1e-9) report->status = KIN_LCP_SOLVED;
        if (changes == 0) return; /* agreed but missed: rows that contradict each other */
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
        run(&s, offset, most_rounds, force, after, &report);
        if (report.status == KIN_LCP_LIMIT) fall_back(&s, offset, start, force, after);
        if (report.status != KIN_LCP_MEMORY) report.residual = kin_row_set_residual(set, friction, slip_threshold, force, after, false);
        kin_lcp_distrust(&report);
    }
    kin_arena_end(scratch, mark);
    return report;
}

/* ---- from soft rows to hard ones ---- */

/* As the hard problem sees it. */
static double hard_residual(const kin_row_set* set, const double* offset, const kin_lcp_friction_contact* friction, double slip_threshold, const double* force,
                            double* after)
{
    kin_row_set_multiply(set, offset, force, after);
    return kin_row_set_residual(set, friction, slip_threshold, force, after, false);
}

kin_lcp_report kin_row_set_soften(const kin_row_set* set, double soft, const double* offset, const kin_lcp_friction_contact* friction, double slip_threshold,
                                  double enough, const double* guess, double* force, double* after, kin_arena* scratch)
{
    enum { SWEEPS = 10, ROUNDS = 6 };
    kin_row_set softer = *set;
    softer.soft = soft;
    kin_lcp_report report = kin_row_set_pivots(&softer, offset, friction, slip_threshold, guess ? 0 : SWEEPS, ROUNDS, guess, force, after, scratch);
    if (report.status == KIN_LCP_MEMORY) return report;
    report.residual = hard_residual(set, offset, friction, slip_threshold, force, after);
    if (report.residual > enough) report.status = KIN_LCP_LIMIT;
    return report;
}

typedef struct levels {
    double soft;      /* of the answer */
    double last;      /* of the level that is next */
    bool any, failed; /* a level has an answer; one after it has none */
    int rounds;
} levels;

/* One level. Its answer is the start of the next. */
static kin_lcp_status descend(levels* l, const kin_row_set* set, const double* offset, const kin_lcp_friction_contact* friction, double slip_threshold,
                              const double* guess, double* force, double* room, kin_arena* scratch)
{
    const double everything = KIN_LCP_NOT_FINITE;
    kin_lcp_report report = kin_row_set_soften(set, l->last, offset, friction, slip_threshold, everything, guess, room, room + set->size, scratch);
    l->rounds += report.pivots;
    l->failed = report.status != KIN_LCP_SOLVED;
    if (l->failed) return report.status;
    memcpy(force, room, (size_t)set->size * sizeof *force);
    l->soft = l->last, l->any = true;
    return report.status;
}

kin_lcp_report kin_row_set_harden(const kin_row_set* set, const double* offset, const kin_lcp_friction_contact* friction, double slip_threshold, double enough,
                                  const double* guess, double* soft, double* force, double* after, kin_arena* scratch)
{
    static const double starts[] = {1e-3, 1};
    const double ratio = 0.1, hardest = 1e-7;
    kin_lcp_report report = {.status = KIN_LCP_LIMIT, .residual = KIN_LCP_NOT_FINITE};
    kin_arena_mark mark = kin_arena_begin(scratch);
    double* room = kin_arena_take(scratch, 3 * (size_t)set->size * sizeof *room);
    levels l = {.soft = 0};
    kin_lcp_status status = room ? KIN_LCP_SOLVED : KIN_LCP_MEMORY;
    for (size_t i = 0; i < sizeof starts / sizeof *starts && !l.any && status != KIN_LCP_MEMORY; ++i) {
        l.failed = false;
        for (l.last = starts[i]; !l.failed && !kin_row_set_is_spent(set); l.last = l.last > 2 * hardest ? l.last * ratio : 0) {
            double* from = room + 2 * (size_t)set->size;
            if (l.any) memcpy(from, force, (size_t)set->size * sizeof *from);
            status = descend(&l, set, offset, friction, slip_threshold, l.any ? from : guess, force, room, scratch);
            if (l.last == 0) break;
        }
    }
    if (l.any) report.residual = hard_residual(set, offset, friction, slip_threshold, force, after);
    report.status = status == KIN_LCP_MEMORY ? status : l.any && (l.soft == 0 || report.residual <= enough) ? KIN_LCP_SOLVED : KIN_LCP_LIMIT;
    report.pivots = l.rounds;
    if (soft) *soft = l.soft;
    kin_arena_end(scratch, mark);
    return report;
}

kin_lcp_report kin_row_set_patient(const kin_row_set* set, const double* offset, const kin_lcp_friction_contact* friction, double slip_threshold, double enough,
                                   const double* guess, double* force, double* after, kin_arena* scratch)
{
    enum { SWEEPS = 40 };
    kin_lcp_report report = {.status = KIN_LCP_LIMIT};
    int rounds = 0, most = enough > 0 ? A_FEW : ALL_AT_ONCE;
    for (int sweeps = guess ? 0 : SWEEPS; sweeps <= (enough > 0 ? SWEEPS : 100 * SWEEPS) && report.status == KIN_LCP_LIMIT;
         sweeps = sweeps ? 10 * sweeps : SWEEPS) {
        report = kin_row_set_pivots(set, offset, friction, slip_threshold, sweeps, most, guess, force, after, scratch);
        rounds += report.pivots;
        if (report.status == KIN_LCP_LIMIT && report.residual <= enough) report.status = KIN_LCP_SOLVED;
    }
    if (report.status == KIN_LCP_LIMIT && enough > 0 && !kin_row_set_is_spent(set)) {
        report = kin_row_set_harden(set, offset, friction, slip_threshold, enough, guess, NULL, force, after, scratch);
        rounds += report.pivots;
    }
    report.pivots = rounds;
    return report;
}
