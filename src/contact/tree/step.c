/* step.c - one substep of a block, guarded: what fails is restored and done in halves; at the bottom all theta = 1, joints projected, velocities scaled to
 * the energy there was. Rare: a slack chain that snaps taut, a link that is struck. */
#include "contact/tree/extra.h"
#include <string.h>

#define MOST_ERROR 2e-4 /* m, rad: of a joint at the end of a step that is good */
#define LOST 0.5        /* m: the step is of no use */
#define LEAST_ITERATIONS 2
#define PROJECTIONS 4
#define SMALL 2000     /* products of blocks in a factorization: 20 us */
#define LARGE 20000    /* 0.2 ms */
#define NO_LIMIT 1e300 /* J */
#define SETTLED 1e-4   /* m/s, rad/s: by what meets it the block changes no more */

/* J: what forces, contacts and moving anchors put in over the substep. */
static double work_done(const kin_joint_tree* t, double h)
{
    double sum = 0;
    for (int i = 0; i < t->free; ++i) {
        const kin_joint_tree_body* b = &t->body[i];
        sum += kin_dot(kin_add_scaled(b->push, h, b->force), b->mean_v) + kin_dot(kin_add_scaled(b->twist, h, b->torque), b->mean_w);
    }
    for (int i = 0; i < t->joints; ++i) {
        const kin_joint_tree_joint* j = &t->joint[i];
        if (j->a < t->free && j->b < t->free) continue;
        const kin_joint_tree_body *a = &t->body[j->a], *b = &t->body[j->b];
        kin_joint_tree_wrenches w = kin_joint_tree_joint_wrench(t, j, t->force);
        if (j->a >= t->free) sum -= h * (kin_dot(w.force_a, a->mean_v) + kin_dot(w.torque_a, a->mean_w));
        if (j->b >= t->free) sum -= h * (kin_dot(w.force_b, b->mean_v) + kin_dot(w.torque_b, b->mean_w));
    }
    return sum;
}

static double largest_force(const kin_joint_tree* t)
{
    double largest = 0;
    for (int r = 0; r < t->ldl.rows; ++r) largest = kin_max(largest, kin_abs(t->force[r]));
    return largest;
}

/* J: what joints of loops give that had yielded; negative where they take it. */
static double work_of_yielding(const kin_joint_tree* t)
{
    const double* before = t->saved_force[t->level];
    double sum = 0;
    for (int r = 0; r < t->ldl.rows; ++r) sum -= t->compliance[r] * t->force[r] * (t->force[r] - before[r]);
    return sum;
}

/* J: more than this at the end had no source. */
static double energy_allowed(const kin_joint_tree* t, double h)
{
    double before = kin_joint_tree_kinetic(t), work = work_done(t, h) + work_of_yielding(t);
    return before + work + 1e-7 * (before + kin_abs(work)) + 1e-8 * largest_force(t);
}

/* J: what joints gave that were open, by no more than they may be, and closed under load. */
static double work_of_closing(const kin_joint_tree* t)
{
    double sum = 0;
    for (int r = 0; r < t->ldl.rows; ++r) {
        double closed = t->error[r] - t->error0[r];
        if (kin_abs(t->error0[r]) < t->settings.tolerance) sum += t->force[r] * closed;
    }
    return kin_max(0, sum);
}

/* The comparison fails for what is not a number. */
static bool energy_holds(kin_joint_tree* t, double h)
{
    double after = 0;
    for (int i = 0; i < t->free; ++i) after += kin_joint_tree_body_kinetic(&t->body[i], kin_joint_tree_end_velocity(&t->body[i]), t->body[i].spin1);
    t->allowed = energy_allowed(t, h);
    t->closing = work_of_closing(t);
    return after <= t->allowed + t->closing;
}

static bool is_done(const kin_joint_tree* t)
{
    if (t->at_rest || t->iterations >= t->settings.most_iterations) return true;
    return t->iterations >= LEAST_ITERATIONS && t->worst < t->settings.tolerance && t->h * t->missed < t->settings.tolerance
           && !(t->extras && t->extras->change > SETTLED);
}

static bool converge(kin_joint_tree* t, double h)
{
    kin_joint_tree_extras_solve(t, h);
    while (!is_done(t)) {
        kin_joint_tree_iterate(t, h);
        kin_joint_tree_extras_solve(t, h);
    }
    t->report.iterations += t->iterations;
    if (t->at_rest) t->allowed = NO_LIMIT, t->closing = 0;
    bool holds = t->at_rest || energy_holds(t, h);
    return t->worst < MOST_ERROR && holds;
}

static void save(kin_joint_tree* t, int level)
{
    t->level = level;
    for (int i = 0; i < t->bodies; ++i) t->saved[level][i] = t->body[i].now;
    memcpy(t->saved_force[level], t->force, (size_t)t->ldl.rows * sizeof *t->force);
    memcpy(t->saved_error[level], t->error, (size_t)t->ldl.rows * sizeof *t->error);
    kin_joint_tree_extras_save(t, level);
}

static void restore(kin_joint_tree* t, int level)
{
    t->level = level;
    for (int i = 0; i < t->bodies; ++i) t->body[i].now = t->saved[level][i];
    memcpy(t->force, t->saved_force[level], (size_t)t->ldl.rows * sizeof *t->force);
    memcpy(t->error, t->saved_error[level], (size_t)t->ldl.rows * sizeof *t->error);
    for (int i = 0; i < t->free; ++i) t->body[i].roll = (kin_sym3){0};
    kin_joint_tree_extras_restore(t, level);
}

/* Newton's first iteration of a substep or a part of it. Where something meets the block, even one at rest is factored. */
static void open_part(kin_joint_tree* t, double h)
{
    kin_joint_tree_start(t, h);
    kin_joint_tree_extras_start(t);
    kin_joint_tree_iterate(t, h);
}

/* What it took to undo overlaps under load is taken from the motion. */
static void commit(kin_joint_tree* t, double h)
{
    if (t->floating) kin_joint_tree_expect_momentum(t, h);
    kin_joint_tree_commit(t, h);
    kin_joint_tree_extras_commit(t, h);
    if (t->floating) kin_joint_tree_keep_momentum(t);
    if (t->floating || t->extras || t->closing > 0) kin_joint_tree_limit_energy(t, t->allowed - (t->extras ? t->extras->work : 0));
}

/* How often a substep is halved at most: with all its halves a large block would take a hundred factorizations. */
static int most_levels(const kin_joint_tree* t) { return t->ldl.updates < SMALL ? KIN_JOINT_TREE_LEVELS : t->ldl.updates < LARGE ? 1 : 0; }

/* The bottom of the guard: it always ends, joined and with no more energy than there was. */
static void force_through(kin_joint_tree* t, double h)
{
    double before = kin_joint_tree_kinetic(t);
    t->damped = true;
    open_part(t, h);
    converge(t, h);
    t->damped = false;
    double most = before + work_done(t, h) + work_of_yielding(t);
    if (t->worst < LOST) {
        commit(t, h);
    } else { /* stand still where it was, joined */
        restore(t, most_levels(t));
        memset(t->force, 0, (size_t)t->ldl.rows * sizeof *t->force);
        most = before;
    }
    for (int i = 0; i < PROJECTIONS && !(t->worst < MOST_ERROR); ++i) kin_joint_tree_project(t, false);
    kin_joint_tree_project(t, true);
    kin_joint_tree_limit_energy(t, most);
    t->report.projections += 1;
}

/* Joints of loops that are all but dependent, or that the step could not fulfil. */
static bool begins_to_yield(const kin_joint_tree* t, bool good) { return t->has_loops && !t->yields && !t->at_rest && (!good || t->dependent); }

/* What fails at once is done in two halves, these in halves again. */
static void advance(kin_joint_tree* t, double h, int level)
{
    const bool good = converge(t, h);
    if (begins_to_yield(t, good)) {
        restore(t, level);
        kin_joint_tree_yield(t);
        save(t, level);
        open_part(t, h);
        advance(t, h, level);
        return;
    }
    if (good) {
        commit(t, h);
        return;
    }
    restore(t, level);
    if (level >= most_levels(t)) {
        force_through(t, h);
        return;
    }
    t->report.halvings += 1;
    for (int half = 0; half < 2; ++half) {
        save(t, level + 1);
        open_part(t, 0.5 * h);
        advance(t, 0.5 * h, level + 1);
    }
}

void kin_joint_tree_open(kin_joint_tree* t, double h)
{
    save(t, 0);
    open_part(t, h);
}

void kin_joint_tree_advance(kin_joint_tree* t, double h)
{
    kin_joint_tree_extras_save(t, 0);
    kin_joint_tree_extras_start(t);
    if (t->extras) kin_joint_tree_factor(t); /* with the rows as they are now */
    t->at_rest = t->at_rest && !t->extras;
    advance(t, h, 0);
}
