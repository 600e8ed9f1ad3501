/* turns.c - one meeting after the other, the fastest approach first, until none approaches: the cradle's way, and micro-collisions (C4.13, N1).
 *
 * Joints hold all the while: they are eliminated first, so that an impulse at a meeting acts with the joints' answer to it. A limit takes its turn like a
 * meeting without friction or bounce. */
#include "contact/impulse/cluster.h"
#include <string.h>

#define SLOW 1e-9 /* of the first speed: what approaches slower ends together with all else, without a bounce */

typedef struct turns {
    const kin_hits* hits;
    int free_count, held_count;
    int *free, *held; /* rows: contacts and limits; joints that hold */
    double* whole;    /* A */
    double* matrix;   /* free x free, what the joints leave */
    double* answer;   /* held x (free + 1), by columns: the joints' impulses for one of each free row, and for their own rates */
    double *u, *p;    /* free */
    double* first;    /* per free row: the speed at the start */
} turns;

static bool take(turns* t, kin_arena* scratch)
{
    size_t n = (size_t)t->hits->set.size;
    t->free = kin_arena_take(scratch, 2 * n * sizeof *t->free);
    t->whole = kin_row_set_matrix(&t->hits->set, scratch);
    t->matrix = kin_arena_take(scratch, n * n * sizeof *t->matrix);
    t->answer = kin_arena_take(scratch, n * (n + 1) * sizeof *t->answer);
    t->u = kin_arena_take(scratch, 3 * n * sizeof *t->u);
    if (!t->free || !t->whole || !t->matrix || !t->answer || !t->u) return false;
    t->held = t->free + n;
    t->p = t->u + n;
    t->first = t->u + 2 * n;
    return true;
}

static double at(const turns* t, int row, int column) { return t->whole[(size_t)row * (size_t)t->hits->set.size + (size_t)column]; }

static void sort_rows(turns* t)
{
    const kin_row_set* set = &t->hits->set;
    for (int i = 0; i < set->size; ++i) {
        int joint = i - 3 * set->contacts;
        if (joint >= 0 && !set->one_sided[joint])
            t->held[t->held_count++] = i;
        else
            t->free[t->free_count++] = i;
    }
}

/* answer = -A_hh^-1 (A_hf, u_h). False: no memory. */
static bool ask_joints(turns* t)
{
    kin_arena_mark mark = kin_arena_begin(t->hits->scratch);
    size_t h = (size_t)t->held_count, f = (size_t)t->free_count;
    double *matrix = kin_arena_take(t->hits->scratch, h * h * sizeof *matrix), *scale = kin_arena_take(t->hits->scratch, h * sizeof *scale);
    double* right = kin_arena_take(t->hits->scratch, h * (f + 1) * sizeof *right);
    bool good = matrix && scale && right;
    for (size_t i = 0; i < h && good; ++i) {
        scale[i] = 1 / kin_sqrt(at(t, t->held[i], t->held[i]));
        for (size_t j = 0; j < h; ++j) matrix[i * h + j] = at(t, t->held[i], t->held[j]);
        for (size_t j = 0; j < f; ++j) right[j * h + i] = -at(t, t->held[i], t->free[j]);
        right[f * h + i] = -t->hits->before[t->held[i]];
    }
    good = good && kin_rows_settle(t->held_count, matrix, scale, t->free_count + 1, right, t->answer, t->hits->scratch) >= 0;
    kin_arena_end(t->hits->scratch, mark);
    return good;
}

static void eliminate_joints(turns* t)
{
    size_t h = (size_t)t->held_count, f = (size_t)t->free_count;
    for (size_t i = 0; i < f; ++i) {
        double rate = t->hits->before[t->free[i]];
        for (size_t k = 0; k < h; ++k) rate += at(t, t->free[i], t->held[k]) * t->answer[f * h + k];
        t->u[i] = rate;
        t->first[i] = rate;
        t->p[i] = 0;
        for (size_t j = 0; j < f; ++j) {
            double sum = at(t, t->free[i], t->free[j]);
            for (size_t k = 0; k < h; ++k) sum += at(t, t->free[i], t->held[k]) * t->answer[j * h + k];
            t->matrix[i * f + j] = sum;
        }
    }
}

/* ---- a turn ---- */

/* Where a normal or limit is among the free rows: contacts come first, three rows each. */
static bool has_turn(const turns* t, int i)
{
    return (i >= 3 * t->hits->set.contacts || i % 3 == 0) && t->matrix[(size_t)i * (size_t)t->free_count + (size_t)i] > 0;
}

static int fastest(const turns* t, double slow)
{
    int best = -1;
    double speed = -slow;
    for (int i = 0; i < t->free_count; ++i) {
        if (has_turn(t, i) && t->u[i] < speed) speed = t->u[i], best = i;
    }
    return best;
}

/* A resting meeting that is struck by others bounces like any; as slow as it was it does not. */
static kin_local local_of(const turns* t, int i)
{
    kin_local hit = {.restitution = 0};
    size_t f = (size_t)t->free_count;
    bool contact = i < 3 * t->hits->set.contacts;
    int c = i / 3;
    double trace = 0;
    for (int k = 0; k < 3; ++k) {
        hit.velocity[k] = contact || k == 0 ? t->u[i + k] : 0;
        for (int l = 0; l < 3; ++l) hit.matrix[3 * k + l] = contact || k + l == 0 ? t->matrix[(size_t)(i + k) * f + (size_t)(i + l)] : k == l;
        trace += hit.matrix[4 * k];
    }
    if (!contact) return hit;
    for (int k = 1; k < 3 && t->held_count > 0; ++k) hit.matrix[4 * k] += 1e-13 * trace; /* joints may forbid a direction altogether */
    hit.restitution = t->hits->resting[c] && -t->u[i] <= (1 + 1e-9) * kin_max(-t->first[i], 0) ? 0 : t->hits->restitution[c];
    for (int k = 0; k < 2; ++k) hit.friction[k] = t->hits->friction[c].mu_static[k];
    return hit;
}

static void take_turn(turns* t, int i, kin_local_solver* solve)
{
    kin_local hit = local_of(t, i);
    int rows = i < 3 * t->hits->set.contacts ? 3 : 1;
    double p[3];
    kin_local_guarded(&hit, solve, p);
    for (int k = 0; k < rows; ++k) t->p[i + k] += p[k];
    for (int j = 0; j < t->free_count; ++j) {
        for (int k = 0; k < rows; ++k) t->u[j] += t->matrix[(size_t)j * (size_t)t->free_count + (size_t)(i + k)] * p[k];
    }
}

static void collect(const turns* t, double* p, double* after)
{
    size_t h = (size_t)t->held_count, f = (size_t)t->free_count;
    for (size_t j = 0; j < f; ++j) p[t->free[j]] = t->p[j];
    for (size_t i = 0; i < h; ++i) {
        double sum = t->answer[f * h + i];
        for (size_t j = 0; j < f; ++j) sum += t->answer[j * h + i] * t->p[j];
        p[t->held[i]] = sum;
    }
    kin_row_set_multiply(&t->hits->set, t->hits->before, p, after);
}

kin_hits_report kin_hits_turns(const kin_hits* hits, kin_local_solver* solve, double* p, double* after)
{
    kin_hits_report report = {.memory = true};
    kin_arena_mark mark = kin_arena_begin(hits->scratch);
    turns t = {.hits = hits};
    if (take(&t, hits->scratch)) {
        sort_rows(&t);
        report.memory = !ask_joints(&t);
    }
    if (!report.memory) {
        eliminate_joints(&t);
        for (; report.rounds < hits->most_rounds; ++report.rounds) {
            int next = fastest(&t, SLOW * hits->speed);
            report.converged = next < 0;
            if (next < 0) break;
            take_turn(&t, next, solve);
        }
        collect(&t, p, after);
    }
    kin_arena_end(hits->scratch, mark);
    return report;
}
