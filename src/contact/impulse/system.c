/* system.c - all impulses of a cluster by the linear system of the text, and by complementarity (C4.11.2, H10.15).
 *
 * Every meeting is in or out, every tangent of one that is in sticks or slides: a linear system in the normals, the tangents that stick, and the joints; a
 * tangent that slides is part of its normal's column. What disagrees with its own answer changes sides and all is solved again: p_n < 0 goes out, one that is
 * out and approaches comes in, friction above its limit slides (mu below mu^c), friction along the slip sticks. At first all at once; then only the first,
 * which ends where going around in circles might not (Bard); then Lemke's method takes over. Where that is lost in rounding, this is tried in turn. */
#include "contact/impulse/cluster.h"
#include <string.h>

#define AGREES 1e-10   /* of the largest impulse or speed */
#define ALL_AT_ONCE 12 /* rounds */

typedef enum state { OUT, STICKS, PUSHED_UP, PUSHED_DOWN, IN = STICKS } state;

typedef struct system {
    const kin_hits* hits;
    uint8_t* states; /* per row: normals and joints IN or OUT; tangents the rest */
    int* unknowns;   /* rows that are solved for */
    int count;
    double *matrix, *right, *x, *scale;
} system;

static bool take(system* s, kin_arena* scratch)
{
    size_t n = (size_t)s->hits->set.size;
    s->states = kin_arena_take(scratch, n);
    s->unknowns = kin_arena_take(scratch, n * sizeof *s->unknowns);
    s->matrix = kin_arena_take(scratch, n * n * sizeof *s->matrix);
    s->right = kin_arena_take(scratch, 3 * n * sizeof *s->right);
    if (!s->states || !s->unknowns || !s->matrix || !s->right) return false;
    s->x = s->right + n;
    s->scale = s->right + 2 * n;
    return true;
}

static double friction_of(const system* s, int row) { return s->hits->friction[row / 3 * 2 + row % 3 - 1]; }
static bool is_tangent(const system* s, int row) { return row < 3 * s->hits->set.contacts && row % 3 > 0; }
static double ratio_of(const system* s, int row)
{
    return s->states[row] == PUSHED_UP ? friction_of(s, row) : s->states[row] == PUSHED_DOWN ? -friction_of(s, row) : 0;
}

/* A tangent without friction slides for good. */
static void start(system* s)
{
    for (int i = 0; i < s->hits->set.size; ++i) {
        s->states[i] = s->hits->set.dead[i] ? OUT : IN;
        if (is_tangent(s, i) && friction_of(s, i) <= 0) s->states[i] = OUT;
    }
}

static void list_unknowns(system* s)
{
    s->count = 0;
    for (int i = 0; i < s->hits->set.size; ++i) {
        bool carried = is_tangent(s, i) && s->states[i - i % 3] == OUT;
        if (s->states[i] == STICKS && !carried) s->unknowns[s->count++] = i;
    }
}

/* Merged columns: col_n + mu_t col_t + mu_k col_k. */
static double entry(const system* s, int row, int unknown)
{
    const double* a = s->hits->set.matrix + (size_t)row * (size_t)s->hits->set.size;
    double sum = a[unknown];
    if (unknown < 3 * s->hits->set.contacts && unknown % 3 == 0) sum += ratio_of(s, unknown + 1) * a[unknown + 1] + ratio_of(s, unknown + 2) * a[unknown + 2];
    return sum;
}

/* Negative: no memory. */
static double solve_once(system* s, const double* offset, double* p, double* after)
{
    const kin_row_set* set = &s->hits->set;
    list_unknowns(s);
    for (int i = 0; i < s->count; ++i) {
        int row = s->unknowns[i];
        s->right[i] = -offset[row];
        s->scale[i] = 1 / kin_sqrt(set->matrix[(size_t)row * (size_t)set->size + (size_t)row]);
        for (int j = 0; j < s->count; ++j) s->matrix[(size_t)i * (size_t)s->count + (size_t)j] = entry(s, row, s->unknowns[j]);
    }
    double miss = kin_rows_settle(s->count, s->matrix, s->scale, 1, s->right, s->x, s->hits->scratch);
    memset(p, 0, (size_t)set->size * sizeof *p);
    for (int i = 0; i < s->count; ++i) p[s->unknowns[i]] = s->x[i];
    for (int i = 0; i < 3 * set->contacts; ++i) {
        if (i % 3 > 0 && s->states[i] != STICKS) p[i] = ratio_of(s, i) * p[i - i % 3];
    }
    kin_row_set_multiply(set, offset, p, after);
    return miss;
}

/* The state a row should have by its own answer. */
static state wanted(const system* s, int row, const double* p, const double* after, double most)
{
    const kin_row_set* set = &s->hits->set;
    state now = (state)s->states[row];
    double slow = AGREES * s->hits->speed, small = AGREES * most;
    if (set->dead[row]) return now;
    if (!is_tangent(s, row)) {
        int joint = row - 3 * set->contacts;
        if (joint >= 0 && !set->one_sided[joint]) return now;
        return now == IN ? (p[row] < -small ? OUT : IN) : after[row] < -slow ? IN : OUT;
    }
    double limit = friction_of(s, row) * p[row - row % 3];
    if (limit <= 0 && s->states[row - row % 3] == OUT) return friction_of(s, row) > 0 ? STICKS : OUT; /* should it come back, it may stick */
    if (now == STICKS) return p[row] > limit + small ? PUSHED_UP : p[row] < -limit - small ? PUSHED_DOWN : STICKS;
    if (now == PUSHED_UP) return after[row] > slow ? STICKS : PUSHED_UP;
    if (now == PUSHED_DOWN) return after[row] < -slow ? STICKS : PUSHED_DOWN;
    return now;
}

static int change(system* s, const double* p, const double* after, bool first_only)
{
    int changes = 0;
    double most = 0;
    for (int i = 0; i < s->hits->set.size; ++i) most = kin_max(most, kin_abs(p[i]));
    for (int i = 0; i < s->hits->set.size && !(first_only && changes > 0); ++i) {
        state to = wanted(s, i, p, after, most);
        bool idle = is_tangent(s, i) && s->states[i - i % 3] == OUT;
        changes += to != (state)s->states[i] && !idle;
        s->states[i] = (uint8_t)to;
    }
    return changes;
}

static kin_hits_report by_system(const kin_hits* hits, const double* offset, double* p, double* after)
{
    kin_hits_report report = {.memory = true};
    kin_arena_mark mark = kin_arena_begin(hits->scratch);
    system s = {.hits = hits};
    if (take(&s, hits->scratch)) {
        report.memory = false;
        start(&s);
        for (; report.rounds < hits->most_rounds && !report.converged && !report.memory; ++report.rounds) {
            double miss = solve_once(&s, offset, p, after);
            report.memory = miss < 0;
            bool agreed = change(&s, p, after, report.rounds >= ALL_AT_ONCE) == 0;
            if (agreed && !(miss <= 1e-9)) break; /* rows that contradict each other */
            report.converged = agreed;
        }
    }
    kin_arena_end(hits->scratch, mark);
    return report;
}

/* ---- complementarity ---- */

static bool smooth(const kin_hits* hits)
{
    for (int i = 0; i < 2 * hits->set.contacts; ++i) {
        if (hits->friction[i] > 0) return false;
    }
    return true;
}

static kin_lcp_report solve_rough(const kin_hits* hits, const double* offset, bool lemke, double* p, double* after)
{
    kin_lcp_report report = {.status = KIN_LCP_MEMORY};
    kin_arena_mark mark = kin_arena_begin(hits->scratch);
    kin_lcp_friction_contact* friction = kin_arena_take(hits->scratch, (size_t)hits->set.contacts * sizeof *friction);
    if (friction) {
        for (int i = 0; i < hits->set.contacts; ++i) friction[i] = (kin_lcp_friction_contact){.mu_static = {hits->friction[2 * i], hits->friction[2 * i + 1]}};
        report = kin_row_set_rough(&hits->set, offset, friction, 1, lemke, p, after, NULL, hits->scratch);
    }
    kin_arena_end(hits->scratch, mark);
    return report;
}

static bool good(kin_lcp_report report, double speed) { return report.status == KIN_LCP_SOLVED && report.handed == 0 && report.residual <= 1e-8 * speed; }

/* Lemke's method always ends on an answer but for rounding; then Baraff's may. Without friction Dantzig's. */
static kin_hits_report by_complementarity(const kin_hits* hits, const double* offset, double* p, double* after)
{
    kin_lcp_report report = smooth(hits) ? kin_row_set_smooth(&hits->set, offset, p, after, NULL, hits->scratch) : solve_rough(hits, offset, true, p, after);
    int rounds = report.pivots;
    if (!good(report, hits->speed) && report.status != KIN_LCP_MEMORY) {
        report = solve_rough(hits, offset, false, p, after);
        rounds += report.pivots;
    }
    return (kin_hits_report){.converged = good(report, hits->speed), .memory = report.status == KIN_LCP_MEMORY, .rounds = rounds};
}

/* ---- each, and the other where it fails ---- */

typedef kin_hits_report solver(const kin_hits* hits, const double* offset, double* p, double* after);

static kin_hits_report either(solver* first, solver* second, const kin_hits* hits, const double* offset, double* p, double* after)
{
    kin_hits_report report = first(hits, offset, p, after);
    if (report.converged || report.memory) return report;
    int rounds = report.rounds;
    report = second(hits, offset, p, after);
    report.rounds += rounds;
    return report;
}

kin_hits_report kin_hits_system(const kin_hits* hits, const double* offset, double* p, double* after)
{
    return either(by_system, by_complementarity, hits, offset, p, after);
}

kin_hits_report kin_hits_lcp(const kin_hits* hits, const double* offset, double* p, double* after)
{
    return either(by_complementarity, by_system, hits, offset, p, after);
}
