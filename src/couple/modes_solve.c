/* modes_solve.c - impulses of all rows at once: projected Gauss-Seidel, each sweep a step of nonlinear conjugate gradients (Silcowitz, Niebe and Erleben 2010),
 * so that the weight of a stack reaches the ground in about as many sweeps as it has bodies. One thread, in the order of the rows. */
#include "couple/modes.h"

enum { SWEEPS = 200 };
#define SETTLED 1e-10 /* of all impulses, in one sweep */

static void apply(kin_modes* m, const kin_mode_row* r, double impulse)
{
    kin_mode_node *a = &m->nodes[r->a], *b = &m->nodes[r->b];
    a->velocity = kin_add_scaled(a->velocity, impulse * a->inv_mass, r->linear_a);
    a->spin = kin_add_scaled(a->spin, impulse, r->turn_a);
    b->velocity = kin_add_scaled(b->velocity, impulse * b->inv_mass, r->linear_b);
    b->spin = kin_add_scaled(b->spin, impulse, r->turn_b);
}

double kin_modes_row_rate(const kin_modes* m, const kin_mode_row* r)
{
    const kin_mode_node *a = &m->nodes[r->a], *b = &m->nodes[r->b];
    return kin_dot(r->linear_a, a->velocity) + kin_dot(r->angular_a, a->spin) + kin_dot(r->linear_b, b->velocity) + kin_dot(r->angular_b, b->spin);
}

void kin_modes_row_weigh(kin_modes* m, kin_mode_row* r)
{
    const kin_mode_node *a = &m->nodes[r->a], *b = &m->nodes[r->b];
    r->turn_a = kin_sym3_apply(a->inv_inertia, r->angular_a);
    r->turn_b = kin_sym3_apply(b->inv_inertia, r->angular_b);
    double give =
        a->inv_mass * kin_length2(r->linear_a) + b->inv_mass * kin_length2(r->linear_b) + kin_dot(r->angular_a, r->turn_a) + kin_dot(r->angular_b, r->turn_b);
    r->mass = give > 0 ? 1 / give : 0;
}

static void set(kin_modes* m, kin_mode_row* r, double impulse)
{
    apply(m, r, impulse - r->impulse);
    r->impulse = impulse;
}

static double wanted(const kin_modes* m, const kin_mode_row* r, int stage) { return r->impulse - r->mass * (kin_modes_row_rate(m, r) - r->target[stage]); }

static double within(double x, double low, double high) { return kin_max(low, kin_min(x, high)); }

/* The normal, or the row of a joint; then both tangents within the disc that the normal allows. Beyond what sticks, what slips. */
static void sweep(kin_modes* m, const kin_mode_item* item, int stage)
{
    kin_mode_row* r = m->rows + item->first;
    if (stage == 0 && r->slow) return;
    set(m, r, within(wanted(m, r, stage), r->low, r->high));
    if (item->count == 1) return;
    double x = wanted(m, r + 1, stage), y = wanted(m, r + 2, stage), size = kin_sqrt(x * x + y * y);
    double scale = size > item->stick * r->impulse ? item->slip * r->impulse / size : 1;
    set(m, r + 1, scale * x);
    set(m, r + 2, scale * y);
}

void kin_modes_solve(kin_modes* m, int stage)
{
    uint32_t n = m->row_count;
    double *direction = m->search, *before = m->search + n, last = 0;
    for (uint32_t i = 0; i < n; ++i) m->rows[i].impulse = direction[i] = 0;
    for (int k = 0; k < SWEEPS; ++k) {
        double change = 0, size = 0;
        for (uint32_t i = 0; i < n; ++i) before[i] = m->rows[i].impulse;
        for (uint32_t i = 0; i < m->item_count; ++i) sweep(m, &m->items[i], stage);
        for (uint32_t i = 0; i < n; ++i) {
            double d = m->rows[i].impulse - before[i];
            change += d * d;
            size += m->rows[i].impulse * m->rows[i].impulse;
        }
        if (change <= SETTLED * SETTLED * size || k + 1 == SWEEPS) break; /* the last word is a sweep's: within all bounds */
        double share = last > 0 ? change / last : 2;
        last = change;
        for (uint32_t i = 0; i < n; ++i) {
            double d = m->rows[i].impulse - before[i];
            direction[i] = share > 1 ? d : share * direction[i] + d;
            if (share <= 1) set(m, &m->rows[i], m->rows[i].impulse + (direction[i] - d));
        }
    }
}
