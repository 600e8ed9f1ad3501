/* tumble_test.c - why bodies have quaternions: what integrating a rotation matrix does to it (H9.7, H9.8). */
#include "domains/rigid/tumble.h"
#include "math/scalar.h"
#include "support/test.h"

static void step(const kin_tumbler* body, const char* name, int size, double h, double* y)
{
    const kin_ode_method* method = kin_ode_method_named(KIN_SIMD_NONE, name);
    kin_ode ode = {.size = size, .context = (void*)body, .derivative = size == KIN_TUMBLE_MATRIX ? kin_tumble_matrix : kin_tumble_quat};
    double rate[KIN_TUMBLE_MATRIX], next[KIN_TUMBLE_MATRIX], scratch[16 * KIN_TUMBLE_MATRIX];
    ode.derivative(ode.context, 0, y, rate);
    method->step(&ode, NULL, 0, h, y, rate, next, scratch);
    for (int i = 0; i < size; ++i) y[i] = next[i];
}

static void euler_grows_the_matrix(test* t)
{
    const kin_tumbler ball = {.mass = 2, .moments = {1, 1, 1}};
    const kin_vec3 still = {0, 0, 0}, spin = {0, 0, 3};
    double y[KIN_TUMBLE_MATRIX], h = 0.1, grown = 1;
    kin_tumble_begin_matrix(&ball, still, kin_quat_identity(), (kin_vec3){1, 0, 0}, spin, y);
    step(&ball, "euler", KIN_TUMBLE_MATRIX, h, y);
    kin_mat3 r = kin_tumble_rotation(y);
    grown = kin_sqrt(1 + h * h * 9);
    NEAR(t, kin_length(r.cx), grown, 1e-15);
    NEAR(t, kin_length(r.cy), grown, 1e-15);
    NEAR(t, kin_length(r.cz), 1, 0); /* along the axis nothing */
    NEAR(t, kin_tumble_shear(r), grown * grown - 1, 1e-15);
    NEAR(t, y[0], 0.1, 1e-16);
}

static void a_unit_quaternion_stays_one_and_turns_by_order(test* t)
{
    static const struct {
        const char* method;
        double order;
    } rows[] = {{"euler", 2}, {"midpoint", 2}, {"rk4", 4}}; /* of a steady spin Euler's error is h^2: 2 atan(wh/2) = wh - (wh)^3/12 */
    const kin_tumbler ball = {.mass = 1, .moments = {1, 1, 1}};
    const kin_vec3 still = {0, 0, 0}, spin = {0, 0, 3};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        double error[2];
        for (int k = 0; k < 2; ++k) {
            int steps = 64 << k;
            double y[KIN_TUMBLE_MATRIX];
            kin_tumble_begin_quat(&ball, still, kin_quat_identity(), still, spin, y);
            for (int s = 0; s < steps; ++s) {
                step(&ball, rows[i].method, KIN_TUMBLE_QUAT, 1.0 / steps, y);
                kin_tumble_renormalize(y);
            }
            kin_quat truth = kin_quat_axis_angle(spin, 3);
            NEAR(t, kin_quat_length(kin_tumble_turn(y)), 1, 1e-15);
            error[k] = kin_quat_angle(kin_quat_mul(kin_tumble_turn(y), kin_quat_conj(truth)));
        }
        NEAR(t, kin_ln(error[0] / error[1]) / kin_ln(2), rows[i].order, 0.1);
    }
}

static void momenta_are_constant_and_both_states_agree(test* t)
{
    const kin_tumbler brick = {.mass = 2, .moments = {1, 2, 3}};
    const kin_vec3 still = {0, 0, 0}, v = {1, -2, 0.5}, spin = {0.3, 2, -0.4};
    kin_quat q = kin_quat_axis_angle((kin_vec3){1, 1, 0}, 0.7);
    double m[KIN_TUMBLE_MATRIX], u[KIN_TUMBLE_MATRIX], l[3];
    kin_tumble_begin_matrix(&brick, still, q, v, spin, m);
    kin_tumble_begin_quat(&brick, still, q, v, spin, u);
    for (int i = 0; i < 3; ++i) l[i] = m[15 + i];
    double energy = kin_tumble_energy_quat(&brick, u);
    NEAR(t, kin_tumble_energy_matrix(&brick, m), energy, 1e-14);
    for (int s = 0; s < 400; ++s) {
        step(&brick, "rk4", KIN_TUMBLE_MATRIX, 0.005, m);
        step(&brick, "rk4", KIN_TUMBLE_QUAT, 0.005, u);
        kin_tumble_renormalize(u);
    }
    for (int i = 0; i < 3; ++i) {
        NEAR(t, m[15 + i], l[i], 0); /* no torque: the very same bits */
        NEAR(t, u[10 + i], l[i], 0);
    }
    kin_mat3 a = kin_tumble_rotation(m), b = kin_quat_to_matrix(kin_tumble_turn(u));
    NEAR3(t, a.cx, b.cx, 1e-8);
    NEAR3(t, a.cz, b.cz, 1e-8);
    NEAR(t, kin_tumble_energy_quat(&brick, u), energy, 1e-8);
}

TEST_MAIN("rigid tumble", TEST(euler_grows_the_matrix), TEST(a_unit_quaternion_stays_one_and_turns_by_order), TEST(momenta_are_constant_and_both_states_agree))
