/* sweep.c - a sphere on a straight path against a plane (H3.1) and against a rounded box, which is every convex solid we have (C2.5.16).
 *
 * The squared distance from x to a box is the sum over the axes of max(|x_i| - h_i, 0)^2. Along a line it is a quadratic between the places where the line
 * crosses one of the six face planes; the first root of distance = radius is found piece by piece, in closed form. The signed distance to a convex solid
 * is convex along a line: a start that touches and does not approach never will, which is the rule for starts. */
#include "collision/local.h"

/* Two-sided (H3.1a). A point (radius 0) that hits the back stops a hair short: it must be found on that side again next time. */
bool kin_sweep_plane(kin_vec3 normal, const kin_path* path, kin_touch* hit)
{
    double d0 = kin_dot(normal, path->a);
    double side = d0 >= -path->side ? 1 : -1;
    double gap = side < 0 && path->radius == 0 ? 2 * path->side : 0;
    double reach = path->radius + gap;
    d0 *= side;
    double dn = side * kin_dot(normal, path->d);
    if (!(dn < 0 && d0 + dn <= reach)) return false; /* NaN hits nothing */
    if (d0 <= reach + path->touch && -dn <= path->along) return false;
    double t = d0 > reach ? (d0 - reach) / -dn : 0; /* H3.1b */
    kin_vec3 center = kin_add_scaled(path->a, t, path->d);
    double height = d0 + t * dn;
    *hit = (kin_touch){
        .t = t, .distance = t > 0 ? 0 : d0 - reach, .point = kin_add_scaled(center, side * (gap - height), normal), .normal = kin_scale(normal, side)};
    return true;
}

static double get(kin_vec3 v, int axis) { return kin_component(v, axis); }
static double sign_of(double x) { return x < 0 ? -1 : 1; }

/* How a start relates to the solid: signed distance of the sphere, and how fast the whole path would change it at that rate. */
typedef struct start {
    double gap;
    double rate;
    kin_vec3 normal;
} start;

/* On or in the core box: several faces may be as near; the solid is entered only if all of them are. */
static start start_at_faces(kin_vec3 half, double core, const kin_path* path)
{
    double nearest = -1e308;
    start s = {0, -1e308, {0, 0, 0}};
    for (int i = 0; i < 3; ++i) nearest = kin_max(nearest, kin_abs(get(path->a, i)) - get(half, i));
    for (int i = 0; i < 3; ++i) {
        double sign = sign_of(get(path->a, i)), rate = sign * get(path->d, i);
        if (kin_abs(get(path->a, i)) - get(half, i) < nearest - path->touch || rate <= s.rate) continue;
        s.rate = rate;
        s.normal = kin_scale(kin_axis(i), sign);
    }
    s.gap = nearest - core - path->radius;
    return s;
}

static start start_of(kin_vec3 half, double core, const kin_path* path)
{
    kin_vec3 nearest = kin_max3(kin_neg(half), kin_min3(path->a, half));
    kin_vec3 u = kin_sub(path->a, nearest);
    double length = kin_length(u);
    bool thin = half.x == 0 || half.y == 0 || half.z == 0; /* sphere and capsule: the core is a point or a line */
    if (length <= path->touch && !thin) return start_at_faces(half, core, path);
    if (length == 0) return (start){-core - path->radius, 0, {0, 1, 0}}; /* in its very middle every way leads out */
    u = kin_scale(u, 1 / length);
    return (start){length - core - path->radius, kin_dot(u, path->d), u};
}

/* A point enters a sharp box: the last of three slabs. */
static bool enter_box(kin_vec3 half, const kin_path* path, kin_touch* hit)
{
    double in = -1e308, out = 1;
    int face = -1;
    for (int i = 0; i < 3; ++i) {
        double a = get(path->a, i), d = get(path->d, i), h = get(half, i);
        if (d == 0) {
            if (kin_abs(a) > h) return false;
            continue;
        }
        double near = (-sign_of(d) * h - a) / d, far = (sign_of(d) * h - a) / d;
        if (near > in) in = near, face = i;
        out = kin_min(out, far);
    }
    if (face < 0 || in > out || in < 0) return false;
    kin_vec3 point = kin_max3(kin_neg(half), kin_min3(kin_add_scaled(path->a, in, path->d), half));
    *hit = (kin_touch){.t = in, .point = point, .normal = kin_scale(kin_axis(face), -sign_of(get(path->d, face)))};
    return true;
}

/* Sorted fractions where the line crosses face planes, with 0 and 1 at the ends. */
static int breakpoints(kin_vec3 half, const kin_path* path, double* at)
{
    int n = 0;
    at[n++] = 0;
    for (int i = 0; i < 3; ++i) {
        if (get(path->d, i) == 0 || get(half, i) == 0) continue;
        for (int s = -1; s <= 1; s += 2) {
            double t = (s * get(half, i) - get(path->a, i)) / get(path->d, i);
            if (t > 0 && t < 1) at[n++] = t;
        }
    }
    for (int i = 2; i < n; ++i) {
        double t = at[i];
        int k = i;
        for (; k > 1 && at[k - 1] > t; --k) at[k] = at[k - 1];
        at[k] = t;
    }
    at[n++] = 1;
    return n;
}

/* First time in the piece around `middle` that the line is `radius` from the box, as if that piece went on for ever. Roots are taken about the point of
 * nearest approach, where no digits cancel. */
static bool piece_root(kin_vec3 half, const kin_path* path, double radius, double middle, double* root)
{
    double a = 0, b = 0;
    double w[3], v[3];
    for (int i = 0; i < 3; ++i) {
        double h = get(half, i), x = get(path->a, i) + middle * get(path->d, i);
        bool off = kin_abs(x) > h || h == 0;
        w[i] = off ? get(path->a, i) - (x > 0 ? h : -h) : 0;
        v[i] = off ? get(path->d, i) : 0;
        a += v[i] * v[i];
        b += w[i] * v[i];
    }
    if (a == 0) return false;
    double nearest = -b / a, square = radius * radius;
    for (int i = 0; i < 3; ++i) square -= (w[i] + nearest * v[i]) * (w[i] + nearest * v[i]);
    if (square < 0) return false;
    *root = nearest - kin_sqrt(square / a);
    return true;
}

static bool enter_rounded(kin_vec3 half, double core, const kin_path* path, kin_touch* hit)
{
    double at[8], t = 2, radius = core + path->radius;
    int n = breakpoints(half, path, at);
    for (int i = 0; i + 1 < n && t > 1; ++i) {
        double root;
        if (!piece_root(half, path, radius, 0.5 * (at[i] + at[i + 1]), &root)) continue;
        if (root >= at[i] - 1e-12 && root <= at[i + 1] + 1e-12) t = kin_clamp(root, 0, 1);
    }
    if (t > 1) return false;
    kin_vec3 center = kin_add_scaled(path->a, t, path->d);
    kin_vec3 nearest = kin_max3(kin_neg(half), kin_min3(center, half));
    kin_vec3 normal = kin_normalize_or(kin_sub(center, nearest), kin_v(0, 1, 0));
    *hit = (kin_touch){.t = t, .point = kin_add_scaled(nearest, core, normal), .normal = normal};
    return true;
}

bool kin_sweep_rounded_box(kin_vec3 half, double core, const kin_path* path, kin_touch* hit)
{
    start s = start_of(half, core, path);
    if (s.gap <= path->touch && -s.rate <= path->along) return false;
    if (s.gap <= 0) {
        double to_surface = s.gap + path->radius;
        *hit = (kin_touch){.t = 0, .distance = s.gap, .point = kin_add_scaled(path->a, -to_surface, s.normal), .normal = s.normal};
        return true;
    }
    return core + path->radius == 0 ? enter_box(half, path, hit) : enter_rounded(half, core, path, hit);
}
