/* spline.c - Hermite cubics for points, Bezier arcs for quaternions (Shoemake 1985, with uneven times). */
#include "math/spline.h"

int kin_spline_interval(const double* times, int count, double t)
{
    int low = 0, high = count - 1;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (times[middle] <= t) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

kin_vec3 kin_hermite(kin_vec3 p0, kin_vec3 m0, kin_vec3 p1, kin_vec3 m1, double h, double u, kin_vec3* rate)
{
    kin_vec3 rise = kin_sub(p1, p0);
    kin_vec3 a = kin_scale(m0, h), b = kin_scale(m1, h);
    /* p0 + u a + u^2 (3 rise - 2 a - b) + u^3 (a + b - 2 rise) */
    kin_vec3 square = kin_sub(kin_add_scaled(kin_scale(rise, 3), -2, a), b);
    kin_vec3 cube = kin_add_scaled(kin_add(a, b), -2, rise);
    if (rate) {
        *rate = kin_scale(kin_add_scaled(a, u, kin_add_scaled(kin_scale(square, 2), 3 * u, cube)), 1 / h);
    }
    if (u == 1) {
        return p1; /* not only to rounding */
    }
    return kin_add_scaled(p0, u, kin_add_scaled(a, u, kin_add_scaled(square, u, cube)));
}

static kin_vec3 secant(const double* times, const kin_vec3* values, int i)
{
    return kin_scale(kin_sub(values[i + 1], values[i]), 1 / (times[i + 1] - times[i]));
}

static kin_vec3 slope(const double* times, const kin_vec3* values, int count, int i)
{
    if (count == 2) {
        return secant(times, values, 0);
    }
    int middle = i == 0 ? 1 : i == count - 1 ? count - 2 : i; /* the key whose parabola is used */
    double before = times[middle] - times[middle - 1], after = times[middle + 1] - times[middle];
    kin_vec3 s0 = secant(times, values, middle - 1), s1 = secant(times, values, middle);
    kin_vec3 bend = kin_scale(kin_sub(s1, s0), 1 / (before + after)); /* half the second derivative */
    kin_vec3 at_middle = kin_add_scaled(s0, before, bend);
    return kin_add_scaled(at_middle, 2 * (times[i] - times[middle]), bend);
}

kin_vec3 kin_spline_vec3(const double* times, const kin_vec3* values, int count, double t, kin_vec3* rate)
{
    if (rate) {
        *rate = kin_v(0, 0, 0);
    }
    if (count <= 0) {
        return kin_v(0, 0, 0);
    }
    if (count == 1 || t < times[0] || t > times[count - 1]) {
        return values[count == 1 || t < times[0] ? 0 : count - 1];
    }
    int i = kin_spline_interval(times, count, t);
    double h = times[i + 1] - times[i];
    return kin_hermite(values[i], slope(times, values, count, i), values[i + 1], slope(times, values, count, i + 1), h, (t - times[i]) / h, rate);
}

double kin_spline_scalar(const double* times, const double* values, int count, double t, double* rate)
{
    /* At most four keys shape the interval: the window is turned into points on a line. */
    int first = 0, window = count < 4 ? count : 4;
    if (count > 4) {
        first = kin_spline_interval(times, count, t) - 1;
        first = first < 0 ? 0 : first > count - 4 ? count - 4 : first;
    }
    kin_vec3 points[4];
    for (int i = 0; i < window; ++i) {
        points[i] = kin_v(values[first + i], 0, 0);
    }
    kin_vec3 speed;
    double value = kin_spline_vec3(times + first, points, window, t, &speed).x;
    if (rate) {
        *rate = speed.x;
    }
    return value;
}

kin_quat kin_quat_bezier(kin_quat q0, kin_quat b, kin_quat c, kin_quat q1, double u)
{
    kin_quat q0b = kin_quat_slerp(q0, b, u), bc = kin_quat_slerp(b, c, u), cq1 = kin_quat_slerp(c, q1, u);
    return kin_quat_slerp(kin_quat_slerp(q0b, bc, u), kin_quat_slerp(bc, cq1, u), u);
}

static kin_vec3 key_spin(const double* times, const kin_quat* values, int count, int i)
{
    int last = count - 2;
    kin_vec3 before = kin_v(0, 0, 0), after = before;
    double gap_before = 0, gap_after = 0;
    if (i > 0) {
        gap_before = times[i] - times[i - 1];
        before = kin_quat_spin_between(values[i - 1], values[i], gap_before);
    }
    if (i <= last) {
        gap_after = times[i + 1] - times[i];
        after = kin_quat_spin_between(values[i], values[i + 1], gap_after);
    }
    if (i == 0) {
        return after;
    }
    if (i > last) {
        return before;
    }
    return kin_lerp(before, after, gap_before / (gap_before + gap_after)); /* the shorter gap counts more */
}

kin_quat kin_spline_quat(const double* times, const kin_quat* values, int count, double t)
{
    if (count <= 0) {
        return kin_quat_identity();
    }
    if (count == 1 || t <= times[0] || t >= times[count - 1]) {
        return values[count == 1 || t <= times[0] ? 0 : count - 1];
    }
    int i = kin_spline_interval(times, count, t);
    double h = times[i + 1] - times[i];
    kin_vec3 leave = key_spin(times, values, count, i), arrive = key_spin(times, values, count, i + 1);
    kin_quat b = kin_quat_integrate(values[i], leave, h / 3);
    kin_quat c = kin_quat_integrate(values[i + 1], arrive, -h / 3);
    return kin_quat_bezier(values[i], b, c, values[i + 1], (t - times[i]) / h);
}
