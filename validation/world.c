/* world.c - cases of the world itself, with toys: what the ledger gives sums to nothing, passes converge at the known rate, what is late is carried,
 * a refused step is the same step cut finer. */
#include "math/quat.h"
#include "math/scalar.h"
#include "validation/cases.h"
#include "validation/toys.h"
#include <math.h>

#define ULP 2.2e-16

typedef struct bench_top {
    kin_world* world;
    kin_system_id a, b;
    kin_toy_glue glue;
    kin_step_report report;
    kin_result result;
} bench_top;

static void begin(bench_top* t, kin_case_run* run, const kin_toy_def* a, const kin_toy_def* b, kin_toy_glue glue, int max_passes)
{
    kin_world_def def = kin_world_def_default();
    kin_error error;
    *t = (bench_top){.glue = glue};
    def.threads = run->threads;
    def.time_step = 0.01;
    def.max_passes = max_passes;
    def.max_intervals = 16;
    t->result = kin_world_create(&def, &t->world, &error);
    if (t->result == KIN_OK) t->result = kin_toy_create(t->world, "a", a, &t->a, &error);
    if (t->result == KIN_OK) t->result = kin_toy_create(t->world, "b", b, &t->b, &error);
    t->glue.a = t->a.index1;
    t->glue.b = t->b.index1;
    if (t->result == KIN_OK && glue.links > 0) t->result = kin_world_add_coupler(t->world, &kin_toy_glue_ops, &t->glue, &error);
}

static void steps(bench_top* t, int count)
{
    for (int i = 0; i < count && t->result == KIN_OK; ++i) t->result = kin_world_step(t->world, &t->report, NULL);
}

static kin_vec3 total_momentum(const bench_top* t) { return kin_add(kin_toy_momentum(t->world, t->a), kin_toy_momentum(t->world, t->b)); }
static kin_vec3 total_outside(const bench_top* t) { return kin_add(kin_toy_outside(t->world, t->a), kin_toy_outside(t->world, t->b)); }

/* ---- third law ---- */

/* Momentum of all changes by the springs' impulses alone. Each step adds a few roundings of a momentum of about 10 N s: that many ulp, all one way. */
static void case_third_law(kin_case_run* run)
{
    const int count = run->full ? 20000 : 1000, intervals = 2;
    kin_toy_def a = {.count = 4, .mass = 2, .stiffness = 30}, b = {.count = 4, .mass = 0.5, .stiffness = 5, .home = {0.5, 0, 0}};
    bench_top t;
    begin(&t, run, &a, &b, (kin_toy_glue){.links = 7, .relax = 0.5, .intervals = intervals, .warm = true}, 40);
    kin_vec3 before = t.result == KIN_OK ? total_momentum(&t) : kin_v(NAN, NAN, NAN);
    steps(&t, count);
    double off = NAN, given = NAN;
    if (t.result == KIN_OK) {
        off = kin_length(kin_sub(kin_sub(total_momentum(&t), before), total_outside(&t)));
        given = kin_length(t.world->ledger.given.impulse);
    }
    kin_case_row(run, "glue", "momentum not accounted for (N s)", off, 0, 10 * ULP * count * intervals * 8, "Newton's third law");
    kin_case_row(run, "glue", "sum of all that the ledger gave (N s)", given, 0, 10 * ULP * count * intervals * 8, "Newton's third law");
    kin_world_destroy(t.world);
}

/* ---- passes ---- */

/* Links of equal masses in a chain: link l sees its neighbours' impulses halved. A pass multiplies the error by I - relax (I - N/2), N the neighbour
 * matrix of a path of M links, whose largest eigenvalue is 2 cos(pi/(M+1)): the residual falls by 1 - relax (1 - cos(pi/(M+1))) a pass. */
static void pass_rate(kin_case_run* run, int links)
{
    kin_toy_def a = {.count = 4, .mass = 1}, b = {.count = 4, .mass = 1, .home = {0.5, 0, 0}};
    bench_top t;
    const double relax = 0.5;
    begin(&t, run, &a, &b, (kin_toy_glue){.links = links, .relax = relax}, 64);
    steps(&t, 1);
    int from = links == 1 ? 20 : 30; /* by then the slowest part of the error is all there is */
    double rate = t.result == KIN_OK ? t.glue.residual[from + 1] / t.glue.residual[from] : NAN;
    kin_case_row(run, links == 1 ? "1 link" : "3 links", "residual of a pass over that before", rate, 1 - relax * (1 - kin_cos(KIN_PI / (links + 1))), 1e-3,
                 "Jacobi's method on a path");
    kin_world_destroy(t.world);
}

/* Glued masses pulled by springs: one step is much like the last, and starting from its totals saves passes. */
static int passes_of(kin_case_run* run, bool warm)
{
    kin_toy_def a = {.count = 4, .mass = 1, .stiffness = 10}, b = {.count = 4, .mass = 1, .home = {0.5, 0, 0}};
    bench_top t;
    begin(&t, run, &a, &b, (kin_toy_glue){.links = 3, .relax = 0.5, .warm = warm}, 500);
    steps(&t, 20);
    int passes = t.result == KIN_OK ? t.report.passes : -1;
    kin_world_destroy(t.world);
    return passes;
}

static void case_passes(kin_case_run* run)
{
    pass_rate(run, 1);
    pass_rate(run, 3);
    int cold = passes_of(run, false), warm = passes_of(run, true);
    kin_case_row(run, "warm start", "passes saved: at least one", kin_min(cold - warm, 1), 1, 0, "design: last interval warm-starts this one");
}

/* ---- carried ---- */

/* b posts a hit between a, which has committed, and itself: both sides are carried, and delivered once in the next interval. */
static void case_carried(kin_case_run* run)
{
    const double impulse = 3;
    kin_toy_def a = {.count = 1, .mass = 2}, b = {.count = 1, .mass = 5, .post_a = 1, .post_b = 2, .post_impulse = {impulse, 0, 0}};
    bench_top t;
    begin(&t, run, &a, &b, (kin_toy_glue){0}, 1);
    double before = t.result == KIN_OK ? kin_toy_momentum(t.world, t.a).x : NAN;
    steps(&t, 1);
    bool ok = t.result == KIN_OK;
    kin_case_row(run, "hit", "on a in its own interval (N s)", ok ? kin_toy_momentum(t.world, t.a).x - before : NAN, 0, 0,
                 "design: posted after commit is carried");
    kin_case_row(run, "hit", "carried for a (N s)", ok ? kin_ledger_carried(&t.world->ledger, 1).impulse.x : NAN, impulse, 0,
                 "design: carried part counts in the budgets");
    steps(&t, 1);
    kin_case_row(run, "hit", "on a in the next (N s)", ok ? kin_toy_momentum(t.world, t.a).x - before : NAN, impulse, 4 * ULP,
                 "design: delivered in the next interval");
    steps(&t, 10);
    kin_case_row(run, "hit", "on a ten steps later (N s)", ok ? kin_toy_momentum(t.world, t.a).x - before : NAN, impulse, 4 * ULP, "design: delivered once");
    kin_case_row(run, "hit", "carried then (N s)", ok ? kin_length(kin_ledger_carried(&t.world->ledger, 1).impulse) : NAN, 0, 0, "design: delivered once");
    kin_world_destroy(t.world);
}

/* ---- refusal ---- */

/* A toy that takes no step cut into less than 4 makes the world cut it in 4: to the bits of a run that was planned so. */
static void case_refusal(kin_case_run* run)
{
    kin_toy_def a = {.count = 3, .mass = 1, .stiffness = 20}, refuses = a, b = {.count = 3, .mass = 2, .home = {0.5, 0, 0}};
    bench_top cut, planned;
    refuses.refuse_below = 4;
    begin(&cut, run, &refuses, &b, (kin_toy_glue){.links = 3, .relax = 0.5, .warm = true}, 8);
    begin(&planned, run, &a, &b, (kin_toy_glue){.links = 3, .relax = 0.5, .warm = true, .intervals = 4}, 8);
    int same = 0;
    for (int i = 0; i < 50; ++i) {
        steps(&cut, 1);
        steps(&planned, 1);
        if (cut.result == KIN_OK && planned.result == KIN_OK) same += kin_world_state_hash(cut.world) == kin_world_state_hash(planned.world);
    }
    kin_case_row(run, "rewind", "intervals of a step", cut.report.intervals, 4, 0, "design: k is doubled");
    kin_case_row(run, "rewind", "refusals in a step", cut.report.refusals, 2, 0, "design: k = 1, 2 refused");
    kin_case_row(run, "rewind", "steps of 50 equal to k = 4, by hash", same, 50, 0, "design: a rewind leaves no trace");
    kin_world_destroy(cut.world);
    kin_world_destroy(planned.world);
}

const kin_case kin_cases_world[] = {
    {"world/third-law", "Two toy systems glued by the ledger: momentum to round-off over many intervals.", case_third_law},
    {"world/passes", "Exchange between systems converges at the rate of its method.", case_passes},
    {"world/carried", "What is posted too late arrives in the next interval, once.", case_carried},
    {"world/refusal", "A refused step is rewound and cut finer.", case_refusal},
    {0},
};
