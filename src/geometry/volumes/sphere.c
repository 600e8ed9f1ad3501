/* sphere.c - bounding spheres. Ritter 1990 with the centre of C2.2.3 put right; the smallest ball by exchanging its at most four supports, farthest point
 * first (Welzl 1991, Gaertner 1999): the radius rises with every exchange, so it ends. */
#include "geometry/volumes/bound.h"

enum { SUPPORTS = 4, EXCHANGES = 200, CIRCLE = 24 };

static double coordinates(kin_bound_sphere s) { return kin_largest(kin_abs3(s.center)) + s.radius; }

kin_bound_sphere kin_sphere_grow(kin_bound_sphere s, kin_vec3 v)
{
    double d = kin_distance(s.center, v);
    if (!(d > s.radius)) return s;
    double r = 0.5 * (s.radius + d);
    return (kin_bound_sphere){kin_scale(kin_add_scaled(kin_scale(s.center, r), d - r, v), 1 / d), r};
}

/* The radius as rounding may have left it, to the farthest point. */
static kin_bound_sphere reach_all(kin_bound_sphere s, const kin_vec3* points, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; ++i) most = kin_max(most, kin_length2(kin_sub(points[i], s.center)));
    s.radius = kin_sqrt(most);
    return s;
}

kin_bound_sphere kin_sphere_at(kin_vec3 center, const kin_vec3* points, size_t count) { return reach_all((kin_bound_sphere){center, 0}, points, count); }

/* First pass: of the extreme points along three axes the pair that is farthest apart is a diameter. */
static kin_bound_sphere widest_pair(kin_mat3 axes, const kin_vec3* points, size_t count)
{
    kin_bound_sphere widest = {points[0], 0};
    for (int axis = 0; axis < 3; ++axis) {
        kin_vec3 low = points[0], high = points[0], along = kin_mat3_column(axes, axis);
        for (size_t i = 1; i < count; ++i) {
            if (kin_dot(points[i], along) < kin_dot(low, along)) low = points[i];
            if (kin_dot(points[i], along) > kin_dot(high, along)) high = points[i];
        }
        double radius = 0.5 * kin_distance(low, high);
        if (radius > widest.radius) widest = (kin_bound_sphere){kin_lerp(low, high, 0.5), radius};
    }
    return widest;
}

/* Second pass: grown by whatever is outside. */
static kin_bound_sphere ritter_along(kin_mat3 axes, const kin_vec3* points, size_t count)
{
    kin_bound_sphere s = widest_pair(axes, points, count);
    for (size_t i = 0; i < count; ++i) s = kin_sphere_grow(s, points[i]);
    return reach_all(s, points, count);
}

kin_bound_sphere kin_sphere_ritter(const kin_vec3* points, size_t count) { return ritter_along(kin_mat3_identity(), points, count); }

/* x with G x = b for a symmetric matrix of order n up to 3; false: the points are (nearly) dependent. */
static bool solve_gram(double g[3][3], double b[3], int n)
{
    for (int k = 0; k < n; ++k) {
        int pivot = k;
        for (int r = k + 1; r < n; ++r) pivot = kin_abs(g[r][k]) > kin_abs(g[pivot][k]) ? r : pivot;
        double scale = 0;
        for (int c = 0; c < n; ++c) scale = kin_max(scale, kin_abs(g[pivot][c]));
        if (!(kin_abs(g[pivot][k]) > 1e-13 * scale) || !(scale > 0)) return false;
        for (int c = 0; c < n; ++c) {
            double swap = g[k][c];
            g[k][c] = g[pivot][c], g[pivot][c] = swap;
        }
        double swap = b[k];
        b[k] = b[pivot], b[pivot] = swap;
        for (int r = k + 1; r < n; ++r) {
            double factor = g[r][k] / g[k][k];
            for (int c = k; c < n; ++c) g[r][c] -= factor * g[k][c];
            b[r] -= factor * b[k];
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        for (int c = k + 1; c < n; ++c) b[k] -= g[k][c] * b[c];
        b[k] /= g[k][k];
    }
    return true;
}

/* The sphere through n points (1 to 4) with its centre in their span: centre = p0 + sum x_i q_i, where 2 (q_i.q_j) x = |q_i|^2. */
static bool through(const kin_vec3* p, int n, kin_bound_sphere* out)
{
    double g[3][3] = {{0}}, b[3] = {0};
    kin_vec3 q[3];
    double unit = 0; /* of length, so that squares neither vanish nor overflow */
    for (int i = 1; i < n; ++i) unit = kin_max(unit, kin_largest(kin_abs3(kin_sub(p[i], p[0]))));
    if (n > 1 && !(unit > 0)) return false;
    for (int i = 0; i + 1 < n; ++i) q[i] = kin_scale(kin_sub(p[i + 1], p[0]), 1 / unit);
    for (int i = 0; i + 1 < n; ++i) {
        for (int j = 0; j + 1 < n; ++j) g[i][j] = 2 * kin_dot(q[i], q[j]);
        b[i] = kin_length2(q[i]);
    }
    if (!solve_gram(g, b, n - 1)) return false;
    kin_vec3 offset = {0, 0, 0};
    for (int i = 0; i + 1 < n; ++i) offset = kin_add_scaled(offset, b[i], q[i]);
    *out = (kin_bound_sphere){kin_add_scaled(p[0], unit, offset), unit * kin_length(offset)};
    return kin_finite3(out->center) && kin_finite(out->radius);
}

static bool holds(kin_bound_sphere s, const kin_vec3* p, int n)
{
    for (int i = 0; i < n; ++i) {
        if (kin_distance(p[i], s.center) > s.radius * (1 + 1e-12) + KIN_BOUND_SLACK * coordinates(s)) return false;
    }
    return true;
}

/* The smallest ball of up to five points, the last of which is on it: of the spheres through it and some others, the least that holds all.
 * The points it goes through come first afterwards; *n says how many. False: lost to rounding. */
static bool exchange(kin_vec3* p, int* n, kin_bound_sphere* ball)
{
    int others = *n - 1;
    kin_vec3 best[SUPPORTS];
    int best_count = 0;
    for (int set = 0; set < 1 << others; ++set) {
        kin_vec3 on[SUPPORTS + 1] = {p[others]};
        int count = 1;
        for (int i = 0; i < others; ++i) {
            if (set >> i & 1) on[count++] = p[i];
        }
        kin_bound_sphere s;
        if (count > SUPPORTS || !through(on, count, &s) || !holds(s, p, *n)) continue;
        if (best_count > 0 && !(s.radius < ball->radius)) continue;
        *ball = s;
        best_count = count;
        for (int i = 0; i < count; ++i) best[i] = on[i];
    }
    for (int i = 0; i < best_count; ++i) p[i] = best[i];
    *n = best_count;
    return best_count > 0;
}

static size_t farthest(kin_vec3 from, const kin_vec3* points, size_t count)
{
    size_t far = 0;
    double most = -1;
    for (size_t i = 0; i < count; ++i) {
        double d = kin_length2(kin_sub(points[i], from));
        if (d > most) most = d, far = i;
    }
    return far;
}

kin_bound_sphere kin_sphere_smallest(const kin_vec3* points, size_t count)
{
    kin_vec3 supports[SUPPORTS + 1] = {points[0]};
    int n = 1;
    kin_bound_sphere ball = {points[0], 0};
    for (int round = 0; round < EXCHANGES; ++round) {
        kin_vec3 far = points[farthest(ball.center, points, count)];
        if (!(kin_distance(far, ball.center) > ball.radius * (1 + 1e-15))) break;
        kin_bound_sphere next = ball;
        supports[n++] = far;
        if (!exchange(supports, &n, &next) || !(next.radius > ball.radius)) break;
        ball = next;
    }
    return reach_all(ball, points, count);
}

kin_bound_sphere kin_sphere_union(kin_bound_sphere a, kin_bound_sphere b)
{
    double d = kin_distance(a.center, b.center);
    if (d + b.radius <= a.radius) return a;
    if (d + a.radius <= b.radius) return b;
    double r = 0.5 * (d + a.radius + b.radius);
    return (kin_bound_sphere){d > 0 ? kin_lerp(a.center, b.center, (r - a.radius) / d) : a.center, r};
}

kin_bound_sphere kin_sphere_rotation(kin_bound_sphere s, kin_vec3 mass_center)
{
    return (kin_bound_sphere){mass_center, s.radius + kin_distance(s.center, mass_center)};
}

/* ---- the tables ---- */

static kin_bound rounded(const kin_bound_ops* ops, kin_bound_sphere s)
{
    s.radius += KIN_BOUND_SLACK * coordinates(s) + KIN_BOUND_LEAST;
    return (kin_bound){.kind = ops->kind, .sphere = s};
}

static kin_result ritter_fit(const kin_bound_ops* ops, const kin_allocator* allocator, const kin_vec3* points, size_t count, kin_bound* out)
{
    (void)allocator;
    *out = rounded(ops, kin_sphere_ritter(points, count));
    return KIN_OK;
}

static kin_result smallest_fit(const kin_bound_ops* ops, const kin_allocator* allocator, const kin_vec3* points, size_t count, kin_bound* out)
{
    (void)allocator;
    *out = rounded(ops, kin_sphere_smallest(points, count));
    return KIN_OK;
}

/* X2.3: Ritter's extreme points are then those along the cloud's own axes. */
static kin_result eigen_fit(const kin_bound_ops* ops, const kin_allocator* allocator, const kin_vec3* points, size_t count, kin_bound* out)
{
    (void)allocator;
    kin_mat3 axes = kin_sym3_eigen(kin_covariance_of_points(points, count)).vectors;
    *out = rounded(ops, ritter_along(axes, points, count));
    return KIN_OK;
}

static kin_result sphere_merge(const kin_bound_ops* ops, const kin_allocator* allocator, const kin_bound* a, const kin_bound* b, kin_bound* out)
{
    (void)allocator;
    *out = rounded(ops, kin_sphere_union(a->sphere, b->sphere));
    return KIN_OK;
}

static kin_bound sphere_move(const kin_bound* bound, kin_transform pose)
{
    kin_bound_sphere s = {kin_apply(pose, bound->sphere.center), bound->sphere.radius};
    s.radius += KIN_BOUND_SLACK * coordinates(bound->sphere);
    return rounded(kin_bound_ops_of[bound->kind], s);
}

static bool sphere_overlap(const kin_bound* a, const kin_bound* b) /* C2.5.4, by squares */
{
    return kin_length2(kin_sub(a->sphere.center, b->sphere.center)) <= kin_square(a->sphere.radius + b->sphere.radius);
}

static bool sphere_contains(const kin_bound* bound, kin_vec3 x) { return kin_length2(kin_sub(x, bound->sphere.center)) <= kin_square(bound->sphere.radius); }

static double sphere_extent(const kin_bound* bound, kin_vec3 d) { return kin_dot(d, bound->sphere.center) + bound->sphere.radius * kin_length(d); }
static double sphere_volume(const kin_bound* bound) { return 4.0 / 3 * KIN_PI * bound->sphere.radius * bound->sphere.radius * bound->sphere.radius; }
static double sphere_area(const kin_bound* bound) { return 4 * KIN_PI * bound->sphere.radius * bound->sphere.radius; }

/* Three great circles. */
static bool sphere_wire(const kin_bound* bound, kin_wire* wire)
{
    for (int axis = 0; axis < 3; ++axis) {
        kin_vec3 u = kin_axis((axis + 1) % 3), v = kin_axis((axis + 2) % 3);
        uint32_t first = 0, last = 0;
        for (int i = 0; i < CIRCLE; ++i) {
            kin_sincos turn = kin_sin_cos(2 * KIN_PI * i / CIRCLE);
            kin_vec3 way = kin_add(kin_scale(u, turn.cosine), kin_scale(v, turn.sine));
            uint32_t point = kin_wire_point(wire, kin_add_scaled(bound->sphere.center, bound->sphere.radius, way));
            if (point == UINT32_MAX || (i > 0 && !kin_wire_edge(wire, last, point))) return false;
            first = i == 0 ? point : first;
            last = point;
        }
        if (!kin_wire_edge(wire, last, first)) return false;
    }
    return true;
}

#define SPHERE_CALLS                                                                                                                                           \
    .form = KIN_FORM_SPHERE, .split = KIN_SPLIT_MEDIAN, .merge = sphere_merge, .move = sphere_move, .overlap = sphere_overlap, .contains = sphere_contains,    \
    .extent = sphere_extent, .volume = sphere_volume, .area = sphere_area, .wire = sphere_wire

const kin_bound_ops kin_bound_sphere_ops = {
    .name = "sphere", .doc = "Ritter's sphere: near the smallest", .kind = KIN_BOUND_SPHERE, .fit = ritter_fit, SPHERE_CALLS};
const kin_bound_ops kin_bound_sphere_eigen_ops = {
    .name = "sphere-eigen", .doc = "Ritter's sphere along the principal axes", .kind = KIN_BOUND_SPHERE_EIGEN, .fit = eigen_fit, SPHERE_CALLS};
const kin_bound_ops kin_bound_ball_ops = {.name = "ball", .doc = "the smallest sphere", .kind = KIN_BOUND_BALL, .fit = smallest_fit, SPHERE_CALLS};
