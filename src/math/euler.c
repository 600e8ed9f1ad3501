/* euler.c - one derivation for twelve orders: axes i, j and the last; k is the axis that is neither i nor j, and sign is +1 when
 * (i, j, k) is right handed. a and b are read off R = Ri(a) Rj(b) R(c); then c from Ri(-a) R, whose row j holds only c,
 * so a poor a near gimbal lock is made good by c. */
#include "math/euler.h"

typedef struct axes {
    int i, j, k;
    double sign;
    bool repeats; /* the last axis is i, not k */
} axes;

static axes axes_of(kin_euler_order order)
{
    int i = order % 3;
    bool odd = order / 3 % 2;
    int j = (i + (odd ? 2 : 1)) % 3;
    return (axes){i, j, 3 - i - j, odd ? -1 : 1, order >= KIN_EULER_XYX};
}

kin_quat kin_euler_to_quat(kin_euler_order order, kin_euler e)
{
    axes x = axes_of(order);
    kin_quat a = kin_quat_axis_angle(kin_axis(x.i), e.a);
    kin_quat b = kin_quat_axis_angle(kin_axis(x.j), e.b);
    kin_quat c = kin_quat_axis_angle(kin_axis(x.repeats ? x.i : x.k), e.c);
    return kin_quat_mul(kin_quat_mul(a, b), c);
}

kin_mat3 kin_euler_to_matrix(kin_euler_order order, kin_euler e)
{
    axes x = axes_of(order);
    kin_mat3 a = kin_mat3_rotation(kin_axis(x.i), e.a);
    kin_mat3 b = kin_mat3_rotation(kin_axis(x.j), e.b);
    kin_mat3 c = kin_mat3_rotation(kin_axis(x.repeats ? x.i : x.k), e.c);
    return kin_mat3_mul(kin_mat3_mul(a, b), c);
}

kin_euler kin_euler_from_matrix(kin_euler_order order, kin_mat3 r)
{
    const double locked = 1e-15; /* below this the first angle is rounding */
    axes x = axes_of(order);
    int i = x.i, j = x.j, k = x.k;
    kin_euler e = {0, 0, 0};
    if (x.repeats) {
        double sine = kin_sqrt(kin_square(kin_mat3_at(r, j, i)) + kin_square(kin_mat3_at(r, k, i)));
        e.b = kin_atan2(sine, kin_mat3_at(r, i, i));
        e.a = sine > locked ? kin_atan2(kin_mat3_at(r, j, i), -x.sign * kin_mat3_at(r, k, i)) : 0;
    } else {
        double cosine = kin_sqrt(kin_square(kin_mat3_at(r, j, k)) + kin_square(kin_mat3_at(r, k, k)));
        e.b = kin_atan2(x.sign * kin_mat3_at(r, i, k), cosine);
        e.a = cosine > locked ? kin_atan2(-x.sign * kin_mat3_at(r, j, k), kin_mat3_at(r, k, k)) : 0;
    }
    kin_sincos a = kin_sin_cos(e.a);
    kin_vec3 row = kin_add_scaled(kin_scale(kin_mat3_row(r, j), a.cosine), x.sign * a.sine, kin_mat3_row(r, k));
    double sine = x.repeats ? -x.sign * kin_component(row, k) : x.sign * kin_component(row, i);
    e.c = kin_atan2(sine, kin_component(row, j));
    return e;
}

kin_euler kin_euler_from_quat(kin_euler_order order, kin_quat q) { return kin_euler_from_matrix(order, kin_quat_to_matrix(q)); }
