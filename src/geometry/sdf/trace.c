/* trace.c - rays and spheres against a field: strides of the clearance, and near the surface cell by cell.
 *
 * Along a straight line a trilinear cell is a cubic: its first root in the cell is found between its extrema. Beyond the grid the field is a bound whose slope
 * is that of its values: strides again. */
#include "geometry/sdf/sdf_internal.h"

enum { MOST_STRIDES = 400 };

typedef struct path {
    const kin_sdf* sdf;
    kin_vec3 a, d;
    double length; /* |d|, m */
    double level;  /* looked for: value = level */
    double sign;   /* of value - level at the start */
} path;

static kin_vec3 path_at(const path* p, double t) { return kin_add_scaled(p->a, t, p->d); }
static double level_at(const path* p, double t) { return kin_sdf_value(p->sdf, path_at(p, t)) - p->level; }

/* c3 t^3 + ... + c0 changes its sign once in [t0, t1]: bisection, and secants where they are better. */
static double cubic(const double c[4], double t) { return ((c[3] * t + c[2]) * t + c[1]) * t + c[0]; }
static double root_between(const double c[4], double t0, double t1)
{
    double f0 = cubic(c, t0), f1 = cubic(c, t1);
    for (int i = 0; i < 100 && t1 - t0 > 1e-15 * (1 + t1); ++i) {
        double secant = t0 - f0 * (t1 - t0) / (f1 - f0), middle = 0.5 * (t0 + t1);
        double t = i % 2 == 0 && secant > t0 && secant < t1 ? secant : middle, f = cubic(c, t);
        if ((f > 0) == (f0 > 0)) {
            t0 = t, f0 = f;
        } else {
            t1 = t, f1 = f;
        }
        if (f == 0) return t;
    }
    return t1;
}

/* The first t in [0, 1] where the sign is no longer `sign`. */
static bool first_root(const double c[4], double sign, double* t)
{
    double ends[4] = {0}, square = c[2] * c[2] - 3 * c[3] * c[1];
    int count = 1;
    if (square > 0) { /* extrema: 3 c3 t^2 + 2 c2 t + c1 = 0, without cancellation */
        double q = -(c[2] + (c[2] < 0 ? -1 : 1) * kin_sqrt(square));
        double r0 = q != 0 ? c[1] / q : 2, r1 = c[3] != 0 ? q / (3 * c[3]) : 2;
        double low = kin_min(r0, r1), high = kin_max(r0, r1);
        if (low > 0 && low < 1) ends[count++] = low;
        if (high > 0 && high < 1) ends[count++] = high;
    }
    ends[count] = 1;
    for (int i = 0; i <= count; ++i) {
        if (sign * cubic(c, ends[i]) > 0) continue;
        *t = i == 0 ? 0 : root_between(c, ends[i - 1], ends[i]);
        return true;
    }
    return false;
}

/* The cubic of a cell between two places in it (0 to 1 each). */
static void cell_cubic(const double v[8], kin_vec3 p, kin_vec3 q, double level, double c[4])
{
    kin_vec3 u = kin_sub(q, p);
    double k1 = v[1] - v[0], k2 = v[2] - v[0], k4 = v[4] - v[0], k3 = v[3] - v[2] - k1, k5 = v[5] - v[4] - k1, k6 = v[6] - v[4] - k2;
    double k7 = v[7] - v[6] - v[5] + v[4] - v[3] + v[2] + v[1] - v[0];
    c[0] = v[0] + k1 * p.x + k2 * p.y + k4 * p.z + k3 * p.x * p.y + k5 * p.x * p.z + k6 * p.y * p.z + k7 * p.x * p.y * p.z - level;
    c[1] = k1 * u.x + k2 * u.y + k4 * u.z + k3 * (p.x * u.y + u.x * p.y) + k5 * (p.x * u.z + u.x * p.z) + k6 * (p.y * u.z + u.y * p.z)
           + k7 * (u.x * p.y * p.z + p.x * u.y * p.z + p.x * p.y * u.z);
    c[2] = k3 * u.x * u.y + k5 * u.x * u.z + k6 * u.y * u.z + k7 * (u.x * u.y * p.z + u.x * p.y * u.z + p.x * u.y * u.z);
    c[3] = k7 * u.x * u.y * u.z;
}

static bool cell_may_hit(const kin_sdf_cube* c, double level, double sign)
{
    for (int i = 0; i < 8; ++i) {
        if (sign * (c->v[i] - level) <= 0) return true;
    }
    return false;
}

/* Where the line that is in the box at t leaves it. */
static double leave_box(const path* p, kin_aabb box, double limit)
{
    for (int a = 0; a < 3; ++a) {
        double d = kin_component(p->d, a), side = d > 0 ? kin_component(box.high, a) : kin_component(box.low, a);
        if (d != 0) limit = kin_min(limit, (side - kin_component(p->a, a)) / d);
    }
    return limit;
}

static bool enter_box(const path* p, kin_aabb box, double* t0, double* t1)
{
    for (int a = 0; a < 3; ++a) {
        double d = kin_component(p->d, a), x = kin_component(p->a, a), low = kin_component(box.low, a), high = kin_component(box.high, a);
        if (d == 0) {
            if (x < low || x > high) return false;
            continue;
        }
        double in = (low - x) / d, out = (high - x) / d;
        *t0 = kin_max(*t0, kin_min(in, out));
        *t1 = kin_min(*t1, kin_max(in, out));
    }
    return *t0 <= *t1;
}

/* Is the level crossed in the cell round t? Else *t is where the next begins. */
static bool walk_cell(const path* p, double* t, double limit)
{
    double place[3], nudge = 1e-9 * p->sdf->cell / p->length; /* past the side, so that the next cell is another one */
    kin_sdf_cube c;
    kin_sdf_place(p->sdf, path_at(p, kin_min(*t + nudge, limit)), place);
    kin_sdf_find_cell(p->sdf, place, &c);
    kin_aabb box = {c.low, kin_add(c.low, kin_v(c.size, c.size, c.size))};
    double end = kin_max(leave_box(p, box, limit), *t);
    if (cell_may_hit(&c, p->level, p->sign)) {
        double k[4], s;
        kin_vec3 from = kin_scale(kin_sub(path_at(p, *t), c.low), 1 / c.size), to = kin_scale(kin_sub(path_at(p, end), c.low), 1 / c.size);
        cell_cubic(c.v, from, to, p->level, k);
        if (first_root(k, p->sign, &s)) {
            *t += s * (end - *t);
            return true;
        }
    }
    *t = kin_max(end, *t + nudge);
    return false;
}

/* How far the level surely is, m: for the zero the clearance; else the value, less what it and the surface may be off. */
static double stride(const path* p, double t)
{
    kin_vec3 x = path_at(p, t);
    const kin_sdf* s = p->sdf;
    if (p->level == 0) return kin_sdf_clearance(s, x);
    if (s->has_lines) return 0;
    double off = KIN_SDF_HALF_DIAGONAL * s->cell, coarse = KIN_SDF_BLOCK * off;
    return kin_abs(kin_sdf_value(s, x) - p->level) / s->slope - coarse - (p->level < s->band.width - off ? off : coarse);
}

static bool walk_inside(const path* p, double* t, double limit)
{
    const uint32_t* n = p->sdf->cells;
    size_t most = 1000 + 4 * ((size_t)n[0] + n[1] + n[2]); /* far from the origin t may cease to grow */
    for (size_t i = 0; i < most && *t < limit; ++i) {
        double clear = stride(p, *t);
        if (clear > 2 * p->sdf->cell)
            *t += clear / p->length;
        else if (walk_cell(p, t, limit))
            return true;
    }
    return false;
}

/* Beyond the grid: the bound has at most its values' slope, sqrt(3) of theirs between them. */
static bool walk_outside(const path* p, double* t, double limit)
{
    const kin_sdf* s = p->sdf;
    double tiny = 1e-9 * s->cell, least = 0.25 * s->cell;
    for (int i = 0; (s->has_lines || i < MOST_STRIDES) && *t < limit; ++i) {
        double left = level_at(p, *t) * p->sign;
        if (left <= tiny) return true;
        *t += (s->has_lines ? least : left / (1.7320508075688773 * s->slope)) / p->length;
    }
    *t = limit;
    return false;
}

static bool walk(const path* p, double limit, double* t)
{
    double in = 0, out = limit, t0 = 0, t1 = limit;
    if (!enter_box(p, kin_aabb_grow(p->sdf->bounds, p->level), &t0, &t1)) return false;
    *t = t0;
    if (!enter_box(p, p->sdf->bounds, &in, &out)) return p->level > 0 && walk_outside(p, t, t1);
    if (p->level > 0 && *t < in && walk_outside(p, t, in)) return true;
    *t = in;
    if (walk_inside(p, t, out)) return true;
    *t = out;
    return p->level > 0 && out < t1 && walk_outside(p, t, t1);
}

static bool trace(path* p, double limit, kin_sdf_hit* hit)
{
    double t = 0;
    p->length = kin_length(p->d);
    p->sign = level_at(p, 0) > 0 ? 1 : -1;
    if (!(p->length > 0 && kin_finite(p->length)) || !walk(p, limit, &t) || t > limit) return false;
    kin_vec3 x = path_at(p, t);
    *hit = (kin_sdf_hit){t, x, kin_sdf_gradient(p->sdf, x), 0};
    return true;
}

bool kin_sdf_ray(const kin_sdf* s, kin_vec3 origin, kin_vec3 direction, double limit, kin_sdf_hit* hit)
{
    if (!kin_finite3(origin) || !kin_finite3(direction) || !(limit >= 0)) return false;
    path p = {.sdf = s, .a = origin, .d = direction};
    return trace(&p, limit, hit);
}

bool kin_sdf_sweep(const kin_sdf* s, kin_vec3 from, kin_vec3 by, double radius, kin_sdf_hit* hit)
{
    if (!kin_finite3(from) || !kin_finite3(by) || !(radius >= 0)) return false;
    path p = {.sdf = s, .a = from, .d = by, .level = radius};
    double start = kin_sdf_value(s, from) - radius;
    if (start <= 0) { /* radius 0 as well: a point inside */
        *hit = (kin_sdf_hit){0, from, kin_sdf_gradient(s, from), start};
        return true;
    }
    return trace(&p, 1, hit);
}
