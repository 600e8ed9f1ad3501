/* revolved.c - points, paths and rays against cylinders and cones, by their profile: the polygon that is turned about the y axis, in coordinates
 * (rho, y), rho the distance from the axis. The nearest point of the solid lies in the half-plane of the asker, so distances are those of the polygon.
 *
 * The signed distance to a convex solid is convex along a line. Newton's method on it, from a start outside, therefore comes nearer to the first touch
 * from before, never past it, and a distance that does not fall at the start never will. */
#include "collision/form/make.h"

typedef struct point2 {
    double rho, y;
} point2;

/* An edge of the profile, the solid on its right; normal out. */
typedef struct edge2 {
    point2 a, b, normal;
} edge2;

typedef struct profile {
    edge2 edges[3];
    int count;
} profile;

static edge2 edge_between(point2 a, point2 b)
{
    point2 d = {b.rho - a.rho, b.y - a.y};
    double length = kin_sqrt(d.rho * d.rho + d.y * d.y);
    return (edge2){a, b, {-d.y / length, d.rho / length}};
}

static profile profile_of(const kin_convex* c)
{
    double r = c->half.x, h = c->half.y;
    if (c->core == KIN_CORE_CONE) return (profile){{edge_between((point2){0, h}, (point2){r, -h}), edge_between((point2){r, -h}, (point2){0, -h})}, 2};
    return (profile){
        {edge_between((point2){0, h}, (point2){r, h}), edge_between((point2){r, h}, (point2){r, -h}), edge_between((point2){r, -h}, (point2){0, -h})}, 3};
}

static double height_over(const edge2* e, point2 x) { return (x.rho - e->a.rho) * e->normal.rho + (x.y - e->a.y) * e->normal.y; }

static point2 nearest_on(const edge2* e, point2 x)
{
    double du = e->b.rho - e->a.rho, dv = e->b.y - e->a.y;
    double k = kin_clamp(((x.rho - e->a.rho) * du + (x.y - e->a.y) * dv) / (du * du + dv * dv), 0, 1);
    return (point2){e->a.rho + k * du, e->a.y + k * dv};
}

/* The unit vector away from the axis through x; on the axis, any. */
static kin_vec3 outward(kin_vec3 x, double rho) { return rho > 0 ? kin_v(x.x / rho, 0, x.z / rho) : kin_v(1, 0, 0); }

static kin_vec3 in_space(kin_vec3 radial, double rho, double y) { return kin_v(radial.x * rho, y, radial.z * rho); }

static double rho_of(kin_vec3 x) { return kin_sqrt(x.x * x.x + x.z * x.z); }

kin_touch kin_closest_revolved(const kin_convex* c, kin_vec3 x)
{
    profile p = profile_of(c);
    point2 at = {rho_of(x), x.y};
    kin_vec3 radial = outward(x, at.rho);
    int top = 0;
    double height = -1e308, nearest = 1e308;
    for (int i = 0; i < p.count; ++i) {
        double h = height_over(&p.edges[i], at);
        if (h > height) height = h, top = i;
    }
    if (height <= 0) { /* inside: the nearest edge's line is the way out */
        point2 n = p.edges[top].normal;
        kin_vec3 normal = in_space(radial, n.rho, n.y);
        return (kin_touch){.distance = height, .point = kin_add_scaled(x, -height, normal), .normal = normal};
    }
    point2 best = {0, 0};
    for (int i = 0; i < p.count; ++i) {
        point2 q = nearest_on(&p.edges[i], at);
        double d = (at.rho - q.rho) * (at.rho - q.rho) + (at.y - q.y) * (at.y - q.y);
        if (d < nearest) nearest = d, best = q;
    }
    double distance = kin_sqrt(nearest);
    point2 n = distance > 1e-300 ? (point2){(at.rho - best.rho) / distance, (at.y - best.y) / distance} : p.edges[top].normal;
    return (kin_touch){.distance = distance, .point = in_space(radial, best.rho, best.y), .normal = in_space(radial, n.rho, n.y)};
}

/* How fast the whole path would change the distance at the start. Where several edges, or on the axis several directions, are as near, the fastest growth
 * counts: the solid is entered only if all of them are. */
static double rate_at(const kin_convex* c, const kin_path* path, const kin_touch* touch)
{
    if (touch->distance > path->touch) return kin_dot(touch->normal, path->d);
    profile p = profile_of(c);
    double rho = rho_of(path->a), rate = -1e308;
    kin_vec3 radial = outward(rho > path->touch ? path->a : path->d, rho > path->touch ? rho : rho_of(path->d));
    for (int i = 0; i < p.count; ++i) {
        if (height_over(&p.edges[i], (point2){rho, path->a.y}) < touch->distance - path->touch) continue;
        rate = kin_max(rate, kin_dot(in_space(radial, p.edges[i].normal.rho, p.edges[i].normal.y), path->d));
    }
    return rate;
}

/* A point that arrives on the surface itself: of the faces it lies on, the one it moves into most squarely. */
static kin_vec3 face_against(const kin_convex* c, const kin_path* path, double t)
{
    profile p = profile_of(c);
    kin_vec3 x = kin_add_scaled(path->a, t, path->d), best = {0, 1, 0};
    double rho = rho_of(x), least = 1e308;
    kin_vec3 radial = outward(rho > path->touch ? x : kin_neg(path->d), rho > path->touch ? rho : rho_of(path->d));
    for (int i = 0; i < p.count; ++i) {
        if (height_over(&p.edges[i], (point2){rho, x.y}) < -path->touch) continue;
        kin_vec3 n = in_space(radial, p.edges[i].normal.rho, p.edges[i].normal.y);
        if (kin_dot(n, path->d) < least) least = kin_dot(n, path->d), best = n;
    }
    return best;
}

bool kin_sweep_to_touch(const kin_convex* c, kin_closest_fn* closest, const kin_path* path, double gap, kin_touch* touch, double* t)
{
    *t = 0;
    for (int i = 0; i < 100 && gap > 1e-6 * path->touch; ++i) {
        double rate = kin_dot(touch->normal, path->d);
        if (!(rate < 0)) return false;
        double next = *t - gap / rate;
        if (!(next <= 1)) return false;
        if (next == *t) break;
        *t = next;
        *touch = closest(c, kin_add_scaled(path->a, next, path->d));
        gap = touch->distance - path->radius;
    }
    return gap <= path->touch; /* else a graze so slow that it never came near */
}

bool kin_sweep_revolved(const kin_convex* c, const kin_path* path, kin_touch* hit)
{
    kin_touch touch = kin_closest_revolved(c, path->a);
    double gap = touch.distance - path->radius, t = 0;
    if (gap <= path->touch) {
        double rate = rate_at(c, path, &touch);
        if (!(rate < -path->along)) return false;
        *hit = touch;
        hit->t = 0;
        hit->distance = kin_min(gap, 0);
        return true;
    }
    if (!kin_sweep_to_touch(c, kin_closest_revolved, path, gap, &touch, &t)) return false;
    if (touch.distance <= path->touch) touch.normal = face_against(c, path, t);
    *hit = touch;
    hit->t = t;
    hit->distance = 0;
    return true;
}

/* ---- rays ---- */

typedef struct crossing {
    double t;
    kin_vec3 normal;
} crossing;

static void keep_first(crossing* best, double t, double limit, kin_vec3 normal)
{
    if (t >= 0 && t <= limit && t < best->t) *best = (crossing){t, normal};
}

static void cross_disc(double r, double y, kin_vec3 o, kin_vec3 d, double limit, crossing* best)
{
    if (d.y == 0) return;
    double t = (y - o.y) / d.y;
    if (rho_of(kin_add_scaled(o, t, d)) <= r) keep_first(best, t, limit, kin_v(0, y < 0 ? -1 : 1, 0));
}

/* The mantle: rho = r0 - slope y for |y| <= h. A cylinder has slope 0. */
static void cross_mantle(const kin_convex* c, kin_vec3 o, kin_vec3 d, double limit, crossing* best)
{
    bool cone = c->core == KIN_CORE_CONE;
    double h = c->half.y, slope = cone ? c->half.x / (2 * h) : 0, r0 = cone ? 0.5 * c->half.x : c->half.x;
    double at = r0 - slope * o.y, by = -slope * d.y; /* the mantle's radius at the ray's height: at + t by */
    double a = d.x * d.x + d.z * d.z - by * by, b = o.x * d.x + o.z * d.z - at * by, k = o.x * o.x + o.z * o.z - at * at;
    double roots[2];
    int count = 0;
    double scale = d.x * d.x + d.z * d.z + by * by, inside = b * b - a * k;
    if (kin_abs(a) <= 1e-14 * scale) {
        if (b != 0) roots[count++] = -k / (2 * b);
    } else if (inside >= 0) {
        double q = -(b + (b < 0 ? -1 : 1) * kin_sqrt(inside)); /* no difference of near equals */
        roots[count++] = q / a;
        if (q != 0) roots[count++] = k / q;
    }
    for (int i = 0; i < count; ++i) {
        kin_vec3 x = kin_add_scaled(o, roots[i], d);
        double rho = rho_of(x), unit = 1 / kin_sqrt(1 + slope * slope);
        if (kin_abs(x.y) > h) continue; /* the cone's other half too: it lies above the apex */
        keep_first(best, roots[i], limit, in_space(outward(x, rho), unit, slope * unit));
    }
}

bool kin_ray_revolved(const kin_convex* c, kin_vec3 o, kin_vec3 d, double limit, kin_touch* hit)
{
    crossing best = {__builtin_inf(), {0, 0, 0}};
    cross_disc(c->half.x, -c->half.y, o, d, limit, &best);
    if (c->core == KIN_CORE_CYLINDER) cross_disc(c->half.x, c->half.y, o, d, limit, &best);
    cross_mantle(c, o, d, limit, &best);
    if (!kin_finite(best.t)) return false;
    *hit = (kin_touch){.t = best.t, .distance = best.t, .point = kin_add_scaled(o, best.t, d), .normal = best.normal};
    return true;
}
