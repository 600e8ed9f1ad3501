/* yield.c - the one rule of giving up. Complementarity is left for turns (impulses by sweeps once a tick instead of forces at every stage, nothing bounces) by a
 * unit, for the rest of the interval, as soon as it has
 *
 *     no answer     forces diverge again and again, or are not found, or impulses leave a residual: contacts that contradict each other, a press that leaves no
 *                   room; or things deep in each other, whose normals do
 *     no end        more work than KIN_EXACT_BUDGET in the interval, counted in visits of rows, so the same on every machine; of joints alone later
 *
 * A stride by turns takes velocities first, then impulses of all that might meet within it, by sweeps and with e = 0, then places (motion.c): work is bounded,
 * energy goes, things come apart. It is not exact, and the report of the step says so, why, and how far sweeps were off. The text's own cap is that on meetings
 * (max_events, e = 0: C1.4.3); it says nothing of forces that have no answer, or of one that takes for ever. */
#include "contact/exact/work.h"

enum {
    TANGLE = 12,        /* points of contact: fewer that are deep find their way out by forces */
    DEEP = 100,         /* tolerances */
    MOST_JAMS = 3,      /* of a unit, in an interval */
    REFINING = 8,       /* ticks that it takes to find the time of a meeting, more or less */
    LATE_EVENTS = 8,    /* past max_events: of so many one tries turns */
    LEAST_LEFT = 20000, /* visits of rows: a tick that has begun goes on */
};

static const char* const reasons[] = {
    [KIN_EXACT_DEEP] = "bodies deep in each other go by turns",
    [KIN_EXACT_UNSOLVED] = "contacts without an answer go by turns",
    [KIN_EXACT_DEAR] = "contacts past the work of an interval go by turns",
};

void kin_exact_yield_now(kin_exact* self, const kin_exact_unit* u, kin_exact_yield why)
{
    for (uint32_t i = 0; i < u->count; ++i) {
        kin_exact_body* b = &self->body[u->bodies[i]];
        if (b->yields == KIN_EXACT_HOLDS) b->yields = (uint8_t)why;
    }
}

/* ---- no answer ---- */

/* Of the first of its bodies that does. */
static kin_exact_yield reason_of(const kin_exact* self, const kin_exact_unit* u)
{
    for (uint32_t i = 0; i < u->count; ++i) {
        uint8_t why = self->body[u->bodies[i]].yields;
        if (why != KIN_EXACT_HOLDS) return (kin_exact_yield)why;
    }
    return KIN_EXACT_HOLDS;
}

kin_exact_yield kin_exact_yields(const kin_exact_work* w, double deepest)
{
    kin_exact_yield why = reason_of(w->self, w->unit);
    if (why != KIN_EXACT_HOLDS) return why;
    return w->point_count > TANGLE && deepest < -DEEP * kin_exact_tolerance(w->self) ? KIN_EXACT_DEEP : KIN_EXACT_HOLDS;
}

bool kin_exact_solved(const kin_impulse_report* report, double fastest) { return report->converged && report->residual < 1e-3 + 1e-5 * fastest; }

void kin_exact_note_jam(kin_exact* self, const kin_exact_unit* u)
{
    const kin_exact_yield why = kin_exact_is_dear(u) ? KIN_EXACT_DEAR : KIN_EXACT_UNSOLVED;
    self->report.jams += !u->unsolved;
    for (uint32_t i = 0; i < u->count; ++i) self->body[u->bodies[i]].jams += 1;
    if (u->unsolved || self->body[u->bodies[0]].jams > MOST_JAMS) kin_exact_yield_now(self, u, why);
}

/* ---- no end ---- */

/* Of joints alone the forces are one direct system (joint/system.h), and sweeps are no answer: along a chain with a heavy end they hardly move it. They give up
 * later by the strides that a stride's sweeps would take. */
static int64_t budget_of(const kin_exact_unit* u) { return u->pair_count > 0 ? KIN_EXACT_BUDGET : KIN_EXACT_MOST_STRIDES * KIN_EXACT_BUDGET; }

bool kin_exact_is_dear(const kin_exact_unit* u) { return u->spent > budget_of(u); }

int64_t kin_exact_work_left(const kin_exact_work* w)
{
    int64_t left = KIN_EXACT_BUDGET - w->unit->spent - w->work;
    return left > LEAST_LEFT ? left : LEAST_LEFT;
}

bool kin_exact_is_spent(const kin_exact_work* w) { return w->unit->spent + w->work > KIN_EXACT_BUDGET; }

bool kin_exact_charge_refining(kin_exact_unit* u)
{
    u->spent += REFINING * u->tick_work;
    return u->yields != KIN_EXACT_HOLDS || kin_exact_is_dear(u);
}

bool kin_exact_tires(kin_exact* self, kin_exact_unit* u)
{
    for (uint32_t i = 0; i < u->count; ++i) u->spent = self->body[u->bodies[i]].spent > u->spent ? self->body[u->bodies[i]].spent : u->spent;
    bool late = self->report.events > self->group->def.max_events, dear = kin_exact_is_dear(u);
    if (dear || (late && self->report.events % LATE_EVENTS == 0)) kin_exact_yield_now(self, u, KIN_EXACT_DEAR);
    if (u->ticks > KIN_EXACT_MOST_STRIDES && reason_of(self, u) != KIN_EXACT_HOLDS) u->ticks = KIN_EXACT_MOST_STRIDES;
    if (dear) u->spent = 0; /* turns cost little */
    return dear || late;
}

/* ---- turns ---- */

kin_impulse_report kin_exact_sweep(const kin_impulse_cluster* cluster, double enough, kin_impulse* out, double* joint_out, kin_arena* scratch)
{
    kin_impulse_cluster swept = *cluster;
    swept.method = KIN_IMPULSE_SWEEPS, swept.enough = enough;
    return kin_impulses_apply(&swept, out, joint_out, scratch);
}

void kin_exact_tell_yield(kin_exact* self, const kin_exact_unit* u)
{
    if (u->yields == KIN_EXACT_HOLDS) return;
    self->report.yielded = (int)u->count > self->report.yielded ? (int)u->count : self->report.yielded;
    kin_step_note_cap(self->step, u->contacts, reasons[u->yields]);
}
