/* system.c - all impulses of a cluster by the linear system of the text, and by complementarity (C4.11.2, H10.15): each where the other fails. */
#include "contact/impulse/cluster.h"
#include <string.h>

static bool good(kin_lcp_report report, double speed) { return report.status == KIN_LCP_SOLVED && report.handed == 0 && report.residual <= 1e-8 * speed; }

static kin_hits_report by_system(const kin_hits* hits, const double* offset, double* p, double* after)
{
    kin_lcp_report report = kin_row_set_pivots(&hits->set, offset, hits->friction, 1, 40, hits->most_rounds, NULL, p, after, hits->scratch);
    return (kin_hits_report){.converged = good(report, hits->speed), .memory = report.status == KIN_LCP_MEMORY, .rounds = report.pivots};
}

/* Sweeps may have the last word: to 1e-6 of the speed that is an answer too. */
static kin_hits_report by_patience(const kin_hits* hits, const double* offset, double* p, double* after)
{
    kin_lcp_report report = kin_row_set_patient(&hits->set, offset, hits->friction, 1, 1e-8 * hits->speed, NULL, p, after, hits->scratch);
    bool enough = report.status != KIN_LCP_MEMORY && report.residual <= 1e-6 * hits->speed;
    return (kin_hits_report){.converged = enough, .memory = report.status == KIN_LCP_MEMORY, .rounds = report.pivots};
}

/* Sweeps alone, where little is asked. */
static kin_hits_report by_sweeps(const kin_hits* hits, const double* offset, double* p, double* after)
{
    enum { LEAST = 20, MOST = 300, VISITS = 10000000 };
    int sweeps = (int)kin_clamp(VISITS / (hits->set.size + 1.0), LEAST, MOST);
    memset(p, 0, (size_t)hits->set.size * sizeof *p);
    if (!kin_row_set_sweeps(&hits->set, offset, hits->friction, 1, sweeps, 0.1 * hits->enough, p, hits->scratch)) return (kin_hits_report){.memory = true};
    kin_row_set_multiply(&hits->set, offset, p, after);
    return (kin_hits_report){.converged = kin_row_set_residual(&hits->set, hits->friction, 1, p, after, false) <= hits->enough, .rounds = sweeps};
}

static bool smooth(const kin_hits* hits)
{
    for (int i = 0; i < 2 * hits->set.contacts; ++i) {
        if (hits->friction[i / 2].mu_static[i % 2] > 0) return false;
    }
    return true;
}

static kin_lcp_report solve_rough(const kin_hits* hits, const double* offset, bool lemke, double* p, double* after)
{
    return kin_row_set_rough(&hits->set, offset, hits->friction, 1, lemke, p, after, NULL, hits->scratch);
}

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

static bool too_many(const kin_hits* hits) { return kin_row_set_sure_work(&hits->set) > KIN_ROWS_MUCH && !smooth(hits); }

static kin_hits_report by_all(const kin_hits* hits, const double* offset, double* p, double* after)
{
    if (too_many(hits)) return by_patience(hits, offset, p, after);
    return either(kin_row_set_sure_work(&hits->set) > KIN_ROWS_LITTLE ? by_patience : by_system, by_complementarity, hits, offset, p, after);
}

kin_hits_report kin_hits_system(const kin_hits* hits, const double* offset, double* p, double* after)
{
    return hits->enough > 0 ? either(by_sweeps, by_all, hits, offset, p, after) : by_all(hits, offset, p, after);
}

kin_hits_report kin_hits_sweeps(const kin_hits* hits, const double* offset, double* p, double* after)
{
    kin_hits_report report = by_sweeps(hits, offset, p, after);
    report.converged = !report.memory;
    return report;
}

kin_hits_report kin_hits_lcp(const kin_hits* hits, const double* offset, double* p, double* after)
{
    if (too_many(hits)) return by_patience(hits, offset, p, after);
    return either(by_complementarity, by_system, hits, offset, p, after);
}
