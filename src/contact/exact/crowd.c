/* crowd.c - contacts that are too many, too deep or take too long for complementarity: impulses by sweeps (R6, Gauss and Seidel), once a tick instead of forces
 * at every stage. What takes part in hundreds of contacts at once (things made in one place) stays finite and comes apart; it is not exact, and the report says
 * so. */
#include "contact/exact/work.h"
#include <string.h>

enum { ROUNDS = 20 };

static double response(const kin_body* bodies, const kin_meeting* m, kin_vec3 along)
{
    kin_vec3 a = kin_body_response(&bodies[m->a], m->point, along, m->point), b = kin_body_response(&bodies[m->b], m->point, along, m->point);
    return kin_dot(along, kin_add(a, b));
}

static kin_vec3 velocity(const kin_body* bodies, const kin_meeting* m)
{
    return kin_add(kin_sub(kin_body_velocity_at(&bodies[m->a], m->point), kin_body_velocity_at(&bodies[m->b], m->point)), m->surface);
}

static void push(kin_body* bodies, const kin_meeting* m, kin_vec3 impulse)
{
    kin_body_push(&bodies[m->a], m->point, impulse, kin_v(0, 0, 0));
    kin_body_push(&bodies[m->b], m->point, kin_neg(impulse), kin_v(0, 0, 0));
}

/* total: along the normal, and its part across, of the rounds so far. */
static void meet(kin_body* bodies, const kin_meeting* m, double goal, double* total, kin_vec3* across)
{
    kin_vec3 v = velocity(bodies, m);
    double k = response(bodies, m, m->normal);
    if (!(k > 0)) return;
    double whole = kin_max(0, *total + (goal - kin_dot(v, m->normal)) / k);
    push(bodies, m, kin_scale(m->normal, whole - *total));
    *total = whole;
    v = velocity(bodies, m);
    kin_vec3 slip = kin_add_scaled(v, -kin_dot(v, m->normal), m->normal);
    double speed = kin_length(slip);
    if (!(m->friction[0] > 0) || !(speed > 0)) return;
    kin_vec3 wanted = kin_add_scaled(*across, -1 / response(bodies, m, kin_scale(slip, 1 / speed)), slip);
    double most = m->friction[0] * whole, size = kin_length(wanted);
    if (size > most) wanted = kin_scale(wanted, most / size);
    push(bodies, m, kin_sub(wanted, *across));
    *across = wanted;
}

static void hold(kin_body* bodies, const kin_joint_at* j, double* total)
{
    const kin_joint_row* r = &j->row;
    kin_body *a = &bodies[j->a], *b = &bodies[j->b];
    double k = a->inv_mass * kin_length2(r->linear_a) + kin_dot(r->angular_a, kin_body_inv_inertia_times(a, r->angular_a));
    k += b->inv_mass * kin_length2(r->linear_b) + kin_dot(r->angular_b, kin_body_inv_inertia_times(b, r->angular_b));
    if (!(k > 0)) return;
    double p = -kin_joint_row_rate(r, a, b) / k;
    *total += p;
    a->velocity = kin_add_scaled(a->velocity, p * a->inv_mass, r->linear_a);
    a->spin = kin_add(a->spin, kin_body_inv_inertia_times(a, kin_scale(r->angular_a, p)));
    b->velocity = kin_add_scaled(b->velocity, p * b->inv_mass, r->linear_b);
    b->spin = kin_add(b->spin, kin_body_inv_inertia_times(b, kin_scale(r->angular_b, p)));
}

bool kin_exact_crowd(const kin_impulse_cluster* c, double enough, kin_impulse* out, double* joint_out, kin_arena* scratch)
{
    if (c->count <= KIN_EXACT_CROWD) {
        kin_impulse_cluster swept = *c;
        swept.method = KIN_IMPULSE_SWEEPS, swept.enough = enough;
        return kin_impulses_apply(&swept, out, joint_out, scratch).converged;
    }
    size_t n = (size_t)c->count + 1, rows = (size_t)c->joint_count + 1;
    double *total = kin_arena_take(scratch, 2 * n * sizeof *total), *goal = total + n, *held = kin_arena_take(scratch, rows * sizeof *held);
    kin_vec3* across = kin_arena_take(scratch, n * sizeof *across);
    if (total == NULL || held == NULL || across == NULL) return false;
    memset(total, 0, n * sizeof *total), memset(across, 0, n * sizeof *across), memset(held, 0, rows * sizeof *held);
    for (int i = 0; i < c->count; ++i) {
        const kin_meeting* m = &c->meetings[i];
        goal[i] = m->resting ? 0 : m->restitution * kin_max(0, -kin_dot(velocity(c->bodies, m), m->normal));
    }
    for (int round = 0; round < ROUNDS; ++round) {
        for (int i = 0; i < c->joint_count; ++i) hold(c->bodies, &c->joints[i], &held[i]);
        for (int i = 0; i < c->count; ++i) meet(c->bodies, &c->meetings[i], goal[i], &total[i], &across[i]);
    }
    for (int i = 0; out != NULL && i < c->count; ++i) out[i] = (kin_impulse){.n = total[i], .slip = KIN_SLIP_NONE};
    if (joint_out != NULL) memcpy(joint_out, held, (size_t)c->joint_count * sizeof *held);
    return true;
}
