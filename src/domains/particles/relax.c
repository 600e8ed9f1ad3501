/* relax.c - the problems of cluster.c and hold.c for groups too large for the exact solvers, whose cost goes with the cube of the contacts: Gauss-Seidel until
 * nothing changes. What forces do is kept per member, so a sweep costs a few dozen operations a contact. The same conditions hold in the end, to RELAXED. */
#include "domains/particles/island.h"
#include <string.h>

#define RELAXED 1e-11 /* of (1 + largest offset): changes less than this end it */
#define SWEEPS 4000

/* Of what the forces so far do, a seen from b. */
static kin_vec3 response(const kin_island* s, const kin_grain_touch* c, const double* w)
{
    kin_vec3 a = kin_member3(w, s->count, (int)c->a);
    return c->b == KIN_GRAIN_SOLID ? a : kin_sub(a, kin_member3(w, s->count, (int)c->b));
}

static double give_of(const kin_island* s, const kin_grain_touch* c) { return s->give[c->a] + (c->b == KIN_GRAIN_SOLID ? 0 : s->give[c->b]); }

static kin_vec3 sliding_direction(const kin_grain_touch* c)
{
    double t = kin_dot(c->heading, c->frame.t), k = kin_dot(c->heading, c->frame.k);
    return kin_add_scaled(kin_add_scaled(c->frame.n, -c->pair.dynamic_friction[0] * t, c->frame.t), -c->pair.dynamic_friction[1] * k, c->frame.k);
}

/* Normal first, then what friction can hold of the rest. Returns the largest change, as an acceleration. */
static double relax_touch(const kin_island* s, const kin_grain_touch* c, const kin_lcp_friction_contact* mu, const double* offset, double* force, double* w)
{
    double give = give_of(s, c), worst;
    bool slides = mu->slip[0] != 0 || mu->slip[1] != 0;
    kin_vec3 d = slides ? sliding_direction(c) : c->frame.n;
    double normal = kin_max(force[0] - (offset[0] + kin_dot(response(s, c, w), c->frame.n)) / give, 0);
    kin_grain_push(s, c, kin_scale(d, normal - force[0]), w);
    worst = kin_abs(normal - force[0]) * give;
    force[0] = normal;
    for (int row = 1; row < 3; ++row) {
        kin_vec3 axis = row == 1 ? c->frame.t : c->frame.k;
        double limit = mu->mu_static[row - 1] * normal;
        double rub = slides ? normal * kin_dot(d, axis) : kin_clamp(force[row] - (offset[row] + kin_dot(response(s, c, w), axis)) / give, -limit, limit);
        if (!slides) kin_grain_push(s, c, kin_scale(axis, rub - force[row]), w);
        worst = kin_max(worst, kin_abs(rub - force[row]) * give);
        force[row] = rub;
    }
    return worst;
}

static double largest(const double* values, int n)
{
    double most = 0;
    for (int i = 0; i < n; ++i) most = kin_max(most, kin_abs(values[i]));
    return most;
}

/* force holds a guess. */
bool kin_group_relax(kin_island* s, int first, int end, const double* offset, const kin_lcp_friction_contact* mu, double* force, double* accel)
{
    int n = end - first;
    double* w = kin_arena_take(s->arena, 3 * (size_t)s->count * sizeof *w);
    if (w == NULL) return false;
    memset(w, 0, 3 * (size_t)s->count * sizeof *w);
    for (int i = 0; i < n; ++i) {
        const kin_grain_touch* c = &s->touches[first + i];
        if (mu[i].slip[0] != 0 || mu[i].slip[1] != 0) {
            kin_vec3 d = sliding_direction(c);
            force[3 * i + 1] = force[3 * i] * kin_dot(d, c->frame.t);
            force[3 * i + 2] = force[3 * i] * kin_dot(d, c->frame.k);
        }
        kin_grain_push(s, c, kin_basis_to_world(c->frame, kin_v(force[3 * i], force[3 * i + 1], force[3 * i + 2])), w);
    }
    double enough = RELAXED * (1 + largest(offset, 3 * n)), worst = 2 * enough;
    for (int sweep = 0; sweep < SWEEPS && worst > enough; ++sweep) {
        worst = 0;
        for (int i = 0; i < n; ++i) worst = kin_max(worst, relax_touch(s, &s->touches[first + i], &mu[i], offset + 3 * i, force + 3 * i, w));
    }
    for (int i = 0; i < n; ++i) {
        kin_vec3 r = kin_basis_to_local(s->touches[first + i].frame, response(s, &s->touches[first + i], w));
        accel[3 * i] = offset[3 * i] + r.x;
        accel[3 * i + 1] = offset[3 * i + 1] + r.y;
        accel[3 * i + 2] = offset[3 * i + 2] + r.z;
    }
    return true;
}

/* Speeds u along rows: joints to 0, contacts to 0 at least. impulse starts as zeros. */
bool kin_rows_relax(kin_island* s, const kin_grain_row* rows, const uint8_t* kinds, int n, const double* u, double* impulse, double* after)
{
    double* w = kin_arena_take(s->arena, 3 * (size_t)s->count * sizeof *w);
    if (w == NULL) return false;
    memset(w, 0, 3 * (size_t)s->count * sizeof *w);
    double enough = RELAXED * largest(u, n), worst = 2 * enough;
    for (int sweep = 0; sweep < SWEEPS && worst > enough; ++sweep) {
        worst = 0;
        for (int i = 0; i < n; ++i) {
            const kin_grain_row* row = &rows[i];
            double give = give_of(s, row->touch), p = impulse[i] - (u[i] + kin_dot(response(s, row->touch, w), row->d)) / give;
            if (kinds[i] == KIN_LCP_CONTACT) p = kin_max(p, 0);
            kin_grain_push(s, row->touch, kin_scale(row->d, p - impulse[i]), w);
            worst = kin_max(worst, kin_abs(p - impulse[i]) * give);
            impulse[i] = p;
        }
    }
    for (int i = 0; i < n; ++i) after[i] = u[i] + kin_dot(response(s, rows[i].touch, w), rows[i].d);
    return true;
}
