/* tumble.c - the two states of a free body (H9.7, H9.8). */
#include "domains/rigid/tumble.h"

static kin_vec3 get3(const double* y) { return (kin_vec3){y[0], y[1], y[2]}; }

static void put3(double* y, kin_vec3 v)
{
    y[0] = v.x;
    y[1] = v.y;
    y[2] = v.z;
}

static kin_vec3 divide(kin_vec3 a, kin_vec3 b) { return (kin_vec3){a.x / b.x, a.y / b.y, a.z / b.z}; }

enum { R = 3, MATRIX_P = 12, MATRIX_L = 15, Q = 3, QUAT_P = 7, QUAT_L = 10 };

/* The book's form: I^-1 = R I0^-1 R^T, which for a sheared R is no inertia of any body. */
static kin_vec3 spin_by_matrix(const kin_tumbler* body, kin_mat3 r, kin_vec3 l)
{
    return kin_mat3_apply(r, divide(kin_mat3_apply(kin_mat3_transpose(r), l), body->moments));
}

static kin_vec3 spin_by_quat(const kin_tumbler* body, kin_quat q, kin_vec3 l)
{
    kin_quat unit = kin_quat_normalize(q);
    return kin_rotate(unit, divide(kin_unrotate(unit, l), body->moments));
}

kin_mat3 kin_tumble_rotation(const double* y) { return (kin_mat3){get3(y + R), get3(y + R + 3), get3(y + R + 6)}; }
kin_quat kin_tumble_turn(const double* y) { return (kin_quat){y[Q], y[Q + 1], y[Q + 2], y[Q + 3]}; }

static void put_quat(double* y, kin_quat q)
{
    y[Q] = q.x;
    y[Q + 1] = q.y;
    y[Q + 2] = q.z;
    y[Q + 3] = q.w;
}

void kin_tumble_renormalize(double* y) { put_quat(y, kin_quat_normalize(kin_tumble_turn(y))); }

void kin_tumble_matrix(void* tumbler, double t, const double* y, double* dydt)
{
    const kin_tumbler* body = tumbler;
    kin_mat3 r = kin_tumble_rotation(y);
    kin_vec3 w = spin_by_matrix(body, r, get3(y + MATRIX_L));
    (void)t;
    put3(dydt, kin_scale(get3(y + MATRIX_P), 1 / body->mass));
    put3(dydt + R, kin_cross(w, r.cx));
    put3(dydt + R + 3, kin_cross(w, r.cy));
    put3(dydt + R + 6, kin_cross(w, r.cz));
    put3(dydt + MATRIX_P, body->force);
    put3(dydt + MATRIX_L, body->torque);
}

void kin_tumble_quat(void* tumbler, double t, const double* y, double* dydt)
{
    const kin_tumbler* body = tumbler;
    kin_quat q = kin_tumble_turn(y);
    (void)t;
    put3(dydt, kin_scale(get3(y + QUAT_P), 1 / body->mass));
    put_quat(dydt, kin_quat_rate(q, spin_by_quat(body, q, get3(y + QUAT_L))));
    put3(dydt + QUAT_P, body->force);
    put3(dydt + QUAT_L, body->torque);
}

static kin_vec3 angular_momentum(const kin_tumbler* body, kin_quat q, kin_vec3 spin)
{
    kin_vec3 w = kin_unrotate(q, spin);
    return kin_rotate(q, (kin_vec3){body->moments.x * w.x, body->moments.y * w.y, body->moments.z * w.z});
}

void kin_tumble_begin_matrix(const kin_tumbler* body, kin_vec3 x, kin_quat q, kin_vec3 velocity, kin_vec3 spin, double* y)
{
    kin_mat3 r = kin_quat_to_matrix(q);
    put3(y, x);
    put3(y + R, r.cx);
    put3(y + R + 3, r.cy);
    put3(y + R + 6, r.cz);
    put3(y + MATRIX_P, kin_scale(velocity, body->mass));
    put3(y + MATRIX_L, angular_momentum(body, q, spin));
}

void kin_tumble_begin_quat(const kin_tumbler* body, kin_vec3 x, kin_quat q, kin_vec3 velocity, kin_vec3 spin, double* y)
{
    put3(y, x);
    put_quat(y, q);
    put3(y + QUAT_P, kin_scale(velocity, body->mass));
    put3(y + QUAT_L, angular_momentum(body, q, spin));
}

double kin_tumble_energy_matrix(const kin_tumbler* body, const double* y)
{
    kin_vec3 l = get3(y + MATRIX_L);
    return 0.5 * kin_dot(l, spin_by_matrix(body, kin_tumble_rotation(y), l));
}

double kin_tumble_energy_quat(const kin_tumbler* body, const double* y)
{
    kin_vec3 l = get3(y + QUAT_L);
    return 0.5 * kin_dot(l, spin_by_quat(body, kin_tumble_turn(y), l));
}

double kin_tumble_shear(kin_mat3 r)
{
    const kin_vec3 c[3] = {r.cx, r.cy, r.cz};
    double most = 0;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) most = kin_max(most, kin_abs(kin_dot(c[i], c[k]) - (i == k)));
    }
    return most;
}
