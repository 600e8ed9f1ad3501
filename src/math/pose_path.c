/* pose_path.c - Hermite paths of poses. */
#include "math/pose_path.h"

/* ---- the left Jacobian of rotation vectors ---- */

/* a, b, and their derivatives to phi divided by phi, by their series: alternating, so nothing cancels, and past the last term below rounding for phi up to pi. */
typedef struct jacobian {
    double a, b, a_rate, b_rate;
} jacobian;

static jacobian jacobian_of(double phi2)
{
    enum { TERMS = 16 };
    jacobian j = {0};
    double even = 0.5, odd = 1.0 / 6, power = 1; /* 1 / (2k + 2)!, 1 / (2k + 3)!, (-phi^2)^k */
    for (int k = 0; k < TERMS; ++k) {
        j.a += even * power;
        j.b += odd * power;
        even /= (2.0 * k + 3) * (2.0 * k + 4);
        odd /= (2.0 * k + 4) * (2.0 * k + 5);
        j.a_rate -= 2.0 * (k + 1) * even * power;
        j.b_rate -= 2.0 * (k + 1) * odd * power;
        power *= -phi2;
    }
    return j;
}

/* theta' of an angular velocity: across theta J is (1 - b phi^2) + a theta x. */
static kin_vec3 rate_of_vector(kin_vec3 theta, kin_vec3 w)
{
    double phi2 = kin_length2(theta);
    jacobian j = jacobian_of(phi2);
    double c = 1 - j.b * phi2, whole = c * c + j.a * j.a * phi2;
    kin_vec3 along = phi2 > 0 ? kin_scale(theta, kin_dot(theta, w) / phi2) : w, across = kin_sub(w, along);
    return kin_add(along, kin_scale(kin_add_scaled(kin_scale(across, c), -j.a, kin_cross(theta, across)), 1 / whole));
}

/* ---- cubics ---- */

static void fit(kin_vec3 y0, kin_vec3 rate0, kin_vec3 y1, kin_vec3 rate1, double h, kin_vec3 out[4])
{
    kin_vec3 mean = kin_scale(kin_sub(y1, y0), 1 / h);
    out[0] = y0;
    out[1] = rate0;
    out[2] = kin_scale(kin_sub(kin_scale(mean, 3), kin_add_scaled(rate1, 2, rate0)), 1 / h);
    out[3] = kin_scale(kin_sub(kin_add(rate0, rate1), kin_scale(mean, 2)), 1 / (h * h));
}

static kin_vec3 value(const kin_vec3 c[4], double t) { return kin_add_scaled(c[0], t, kin_add_scaled(c[1], t, kin_add_scaled(c[2], t, c[3]))); }
static kin_vec3 first(const kin_vec3 c[4], double t) { return kin_add_scaled(c[1], 2 * t, kin_add_scaled(c[2], 1.5 * t, c[3])); }
static kin_vec3 second(const kin_vec3 c[4], double t) { return kin_scale(kin_add_scaled(c[2], 3 * t, c[3]), 2); }

kin_pose_path kin_pose_path_between(kin_transform start, kin_twist start_rate, kin_transform end, kin_twist end_rate, double duration)
{
    kin_pose_path p = {.duration = duration, .start = start, .end = end};
    const kin_vec3 zero = {0, 0, 0}, theta = kin_quat_rotation_vector(kin_quat_mul(end.orientation, kin_quat_conj(start.orientation)));
    fit(start.position, start_rate.velocity, end.position, end_rate.velocity, duration, p.shift);
    fit(zero, start_rate.spin, theta, rate_of_vector(theta, end_rate.spin), duration, p.turn);
    return p;
}

kin_pose_motion kin_pose_path_at(const kin_pose_path* p, double t)
{
    const kin_vec3 theta = value(p->turn, t), rate = first(p->turn, t), bend = second(p->turn, t);
    const jacobian j = jacobian_of(kin_length2(theta));
    const double growth = kin_dot(theta, rate); /* phi phi' */
    const kin_vec3 cross = kin_cross(theta, rate), twice = kin_cross(theta, cross), cross_bend = kin_cross(theta, bend);
    kin_vec3 turned = kin_add_scaled(kin_add_scaled(bend, j.a_rate * growth, cross), j.a, cross_bend);
    turned = kin_add_scaled(turned, j.b_rate * growth, twice);
    turned = kin_add_scaled(turned, j.b, kin_add(kin_cross(rate, cross), kin_cross(theta, cross_bend)));
    kin_pose_motion m = {.pose = {value(p->shift, t), kin_quat_normalize(kin_quat_mul(kin_quat_from_rotation_vector(theta), p->start.orientation))},
                         .rate = {first(p->shift, t), kin_add_scaled(kin_add_scaled(rate, j.a, cross), j.b, twice)},
                         .acceleration = {second(p->shift, t), turned}};
    if (t <= 0) m.pose = p->start;
    if (t >= p->duration) m.pose = p->end;
    return m;
}

/* Second derivatives are linear in time: they are largest at an end. */
void kin_pose_path_bend(const kin_pose_path* p, double* linear, double* angular)
{
    *linear = kin_max(kin_length(second(p->shift, 0)), kin_length(second(p->shift, p->duration)));
    *angular = kin_max(kin_length(second(p->turn, 0)), kin_length(second(p->turn, p->duration)));
}
