/* local.c - one meeting in closed form. C4.11.1, C4.11.1b; Brach.
 *
 * Friction at the limit pushes the way that would end the slip: against it, unless the impact itself turns the slip around, where pushing against the old slip
 * would drive the new one. Newton's restitution and friction together may still gain energy (Kane): then restitution gives way. */
#include "contact/impulse/local.h"
#include "math/frame.h"

#define AGREES 1e-11 /* of the sizes compared */

void kin_local_after(const kin_local* hit, const double p[3], double after[3])
{
    const double* k = hit->matrix;
    for (int i = 0; i < 3; ++i) after[i] = hit->velocity[i] + k[3 * i] * p[0] + k[3 * i + 1] * p[1] + k[3 * i + 2] * p[2];
}

double kin_local_work(const kin_local* hit, const double p[3])
{
    double after[3], sum = 0;
    kin_local_after(hit, p, after);
    for (int i = 0; i < 3; ++i) sum += 0.5 * p[i] * (hit->velocity[i] + after[i]);
    return sum;
}

kin_slip_case kin_slip_of(const double after[3], double tolerance)
{
    bool t = kin_abs(after[1]) > tolerance, k = kin_abs(after[2]) > tolerance;
    return t ? (k ? KIN_SLIDE_SLIDE : KIN_SLIDE_STICK) : k ? KIN_STICK_SLIDE : KIN_STICK_STICK;
}

double kin_local_critical(const double m[9], const double d[3], int axis, double other)
{
    int t = 1 + axis, k = 2 - axis;
    double above = (m[0] + other * m[k]) * d[t] - (m[3 * t] + other * m[3 * t + k]) * d[0];
    double below = m[4 * t] * d[0] - m[t] * d[t];
    return above / below;
}

/* ---- the four cases ---- */

typedef struct guess { /* per axis: 0 sticks, +-1 slides and is pushed that way */
    int push[2];
} guess;

/* p_t / p_n of both axes when both stick: of K p = d. */
static void stick_both(const double m[9], const double d[3], double ratio[2])
{
    kin_mat3 k = {{m[0], m[3], m[6]}, {m[1], m[4], m[7]}, {m[2], m[5], m[8]}};
    kin_vec3 right = {d[0], d[1], d[2]};
    double n = kin_triple(right, k.cy, k.cz);
    ratio[0] = kin_triple(k.cx, right, k.cz) / n;
    ratio[1] = kin_triple(k.cx, k.cy, right) / n;
}

static void solve_case(const kin_local* hit, const double d[3], guess c, double p[3])
{
    double ratio[2] = {c.push[0] * hit->friction[0], c.push[1] * hit->friction[1]};
    const double* m = hit->matrix;
    if (c.push[0] == 0 && c.push[1] == 0) {
        stick_both(m, d, ratio);
    } else {
        if (c.push[0] == 0) ratio[0] = kin_local_critical(m, d, 0, ratio[1]);
        if (c.push[1] == 0) ratio[1] = kin_local_critical(m, d, 1, ratio[0]);
    }
    p[0] = d[0] / (m[0] + ratio[0] * m[1] + ratio[1] * m[2]);
    p[1] = ratio[0] * p[0];
    p[2] = ratio[1] * p[0];
}

/* It pushes; what sticks needs no more than friction has; what slides is not pushed along its slip. */
static bool agrees(const kin_local* hit, guess c, const double p[3], double fastest)
{
    double after[3];
    kin_local_after(hit, p, after);
    if (!(p[0] >= 0 && kin_finite(p[0]) && kin_finite(p[1]) && kin_finite(p[2]))) return false;
    for (int axis = 0; axis < 2; ++axis) {
        if (c.push[axis] == 0 && !(kin_abs(p[1 + axis]) <= hit->friction[axis] * p[0] * (1 + AGREES))) return false;
        if (hit->friction[axis] > 0 && c.push[axis] * after[1 + axis] > AGREES * fastest) return false;
    }
    return true;
}

void kin_local_closed(const kin_local* hit, double p[3])
{
    const double* u = hit->velocity;
    const double d[3] = {-(1 + hit->restitution) * u[0], -u[1], -u[2]};
    double fastest = kin_abs(u[0]) + kin_abs(u[1]) + kin_abs(u[2]);
    int against[2] = {u[1] > 0 ? -1 : 1, u[2] > 0 ? -1 : 1};
    for (int slides = 0; slides < 4; ++slides) { /* bit 0: t slides, bit 1: k does */
        for (int turned = 0; turned < 4; ++turned) {
            if (turned & ~slides) continue;
            guess c = {{(slides & 1) ? ((turned & 1) ? -against[0] : against[0]) : 0, (slides & 2) ? ((turned & 2) ? -against[1] : against[1]) : 0}};
            solve_case(hit, d, c, p);
            if (agrees(hit, c, p, fastest)) return;
        }
    }
    p[0] = d[0] / hit->matrix[0]; /* rounding spoilt them all: without friction it is always right */
    p[1] = p[2] = 0;
}

/* ---- energy ---- */

double kin_share_without_gain(double e0, double e1, double c)
{
    double b = e1 - e0 - c, root = kin_sqrt(kin_max(b * b - 4 * c * e0, 0));
    double s = b >= 0 ? -2 * e0 / (b + root) : (root - b) / (2 * c);
    return s >= 0 && s <= 1 ? s : 0;
}

double kin_local_guarded(const kin_local* hit, kin_local_solver* solve, double p[3])
{
    solve(hit, p);
    double gain = kin_local_work(hit, p), size = kin_abs(hit->velocity[0] * p[0]);
    if (hit->restitution > 1 || !(gain > 1e-14 * size)) return 1;
    kin_local plastic = *hit;
    plastic.restitution = 0;
    double first[3], more[3];
    solve(&plastic, first);
    for (int i = 0; i < 3; ++i) more[i] = p[i] - first[i];
    kin_local still = *hit;
    still.velocity[0] = still.velocity[1] = still.velocity[2] = 0;
    double share = kin_share_without_gain(kin_local_work(hit, first), gain, kin_local_work(&still, more));
    for (int i = 0; i < 3; ++i) p[i] = first[i] + share * more[i];
    return share;
}

/* ---- a meeting's frame ---- */

kin_vec3 kin_meeting_velocity(const kin_meeting* m, const kin_body* bodies)
{
    kin_vec3 v = m->surface;
    if (m->a != KIN_NO_BODY) v = kin_add(v, kin_body_velocity_at(&bodies[m->a], m->point));
    if (m->b != KIN_NO_BODY) v = kin_sub(v, kin_body_velocity_at(&bodies[m->b], m->point));
    return v;
}

kin_vec3 kin_meeting_tangent(const kin_meeting* m, kin_vec3 velocity)
{
    kin_vec3 any = kin_basis_from_normal(m->normal).t;
    if (kin_length2(m->tangent) > 0) return kin_normalize_or(kin_add_scaled(m->tangent, -kin_dot(m->tangent, m->normal), m->normal), any);
    kin_vec3 slip = kin_add_scaled(velocity, -kin_dot(velocity, m->normal), m->normal);
    if (kin_length2(slip) <= 1e-24 * kin_length2(velocity)) return any;
    slip = kin_add_scaled(slip, -kin_dot(slip, m->normal), m->normal); /* again: what is left of a steep approach is not quite across */
    return kin_normalize_or(slip, any);
}
