/* polygon.c - polygons by their projection on a coordinate plane (H3.4, H3.5). Signs of 2D determinants decide everything. */
#include "geometry/polygon.h"

typedef struct point2 {
    double x, y;
} point2;

static double turn(point2 a, point2 b, point2 c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }

kin_vec3 kin_polygon_normal(const kin_vec3* vertices, const uint32_t* corners, uint32_t count)
{
    kin_vec3 origin = vertices[corners[0]], sum = {0, 0, 0};
    for (uint32_t i = 1; i + 1 < count; ++i) {
        sum = kin_add(sum, kin_cross(kin_sub(vertices[corners[i]], origin), kin_sub(vertices[corners[i + 1]], origin)));
    }
    return sum;
}

/* Drops the axis of the largest component, cyclically (y-z, z-x, x-y), so that the turn keeps the sign of that component. */
static point2 project(kin_vec3 n, kin_vec3 p)
{
    double ax = kin_abs(n.x), ay = kin_abs(n.y), az = kin_abs(n.z);
    if (ax >= ay && ax >= az) return (point2){p.y, p.z};
    return ay >= az ? (point2){p.z, p.x} : (point2){p.x, p.y};
}

/* A normal to project along. The vector area of a bow tie may vanish: then the widest pair of diagonals from corner 0 serves. */
static bool projection_normal(const kin_vec3* vertices, const uint32_t* corners, uint32_t count, kin_vec3* normal)
{
    kin_vec3 origin = vertices[corners[0]];
    double reach2 = 0, best = 0;
    kin_vec3 widest = {0, 0, 0};
    uint32_t far = 0;
    for (uint32_t i = 1; i < count; ++i) {
        double r = kin_length2(kin_sub(vertices[corners[i]], origin));
        if (r > reach2) reach2 = r, far = i;
    }
    for (uint32_t i = 1; i < count; ++i) {
        kin_vec3 c = kin_cross(kin_sub(vertices[corners[far]], origin), kin_sub(vertices[corners[i]], origin));
        if (kin_length2(c) > best) best = kin_length2(c), widest = c;
    }
    double least = 1e-12 * reach2;
    *normal = kin_polygon_normal(vertices, corners, count);
    if (kin_length(*normal) <= least) *normal = widest;
    return kin_length(*normal) > least;
}

static bool between(point2 a, point2 b, point2 x)
{
    return x.x >= kin_min(a.x, b.x) && x.x <= kin_max(a.x, b.x) && x.y >= kin_min(a.y, b.y) && x.y <= kin_max(a.y, b.y);
}

static bool segments_meet(point2 a, point2 b, point2 c, point2 d)
{
    double c_side = turn(a, b, c), d_side = turn(a, b, d), a_side = turn(c, d, a), b_side = turn(c, d, b);
    if (((c_side > 0 && d_side < 0) || (c_side < 0 && d_side > 0)) && ((a_side > 0 && b_side < 0) || (a_side < 0 && b_side > 0))) return true;
    return (c_side == 0 && between(a, b, c)) || (d_side == 0 && between(a, b, d)) || (a_side == 0 && between(c, d, a)) || (b_side == 0 && between(c, d, b));
}

/* Neighbouring edges ab, bc share b; they overlap only if they fold back on themselves. */
static bool folds_back(point2 a, point2 b, point2 c) { return turn(a, b, c) == 0 && (a.x - b.x) * (c.x - b.x) + (a.y - b.y) * (c.y - b.y) > 0; }

static bool crosses_itself(const point2* p, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t i1 = (i + 1) % count;
        if (folds_back(p[i], p[i1], p[(i + 2) % count])) return true;
        for (uint32_t j = i + 2; j < count; ++j) {
            if ((j + 1) % count != i && segments_meet(p[i], p[i1], p[j], p[(j + 1) % count])) return true;
        }
    }
    return false;
}

kin_polygon_kind kin_polygon_classify(const kin_vec3* vertices, const uint32_t* corners, uint32_t count)
{
    point2 p[KIN_POLYGON_MAX_CORNERS];
    kin_vec3 normal;
    if (!projection_normal(vertices, corners, count, &normal)) return KIN_POLYGON_FLAT;
    for (uint32_t i = 0; i < count; ++i) p[i] = project(normal, vertices[corners[i]]);
    if (count == 3) return KIN_POLYGON_CONVEX;
    if (crosses_itself(p, count)) return KIN_POLYGON_COMPLEX;
    bool left = false, right = false;
    for (uint32_t i = 0; i < count; ++i) {
        double side = turn(p[i], p[(i + 1) % count], p[(i + 2) % count]);
        left = left || side > 0;
        right = right || side < 0;
    }
    return left && right ? KIN_POLYGON_CONCAVE : KIN_POLYGON_CONVEX;
}

static bool in_triangle(point2 a, point2 b, point2 c, point2 x, double sign)
{
    return sign * turn(a, b, x) >= 0 && sign * turn(b, c, x) >= 0 && sign * turn(c, a, x) >= 0;
}

/* Is corner i of the ring an ear: convex, with no other corner in its triangle? */
static bool is_ear(const point2* p, const uint32_t* ring, uint32_t n, uint32_t i, double sign)
{
    uint32_t before = ring[(i + n - 1) % n], at = ring[i], after = ring[(i + 1) % n];
    if (sign * turn(p[before], p[at], p[after]) <= 0) return false;
    for (uint32_t k = 0; k < n; ++k) {
        if (ring[k] == before || ring[k] == at || ring[k] == after) continue;
        if (in_triangle(p[before], p[at], p[after], p[ring[k]], sign)) return false;
    }
    return true;
}

/* The first ear; when rounding hides them all, the most convex corner. Corners in a straight line are left to the end. */
static uint32_t find_ear(const point2* p, const uint32_t* ring, uint32_t n, double sign)
{
    uint32_t best = 0;
    double most = -1e308;
    for (uint32_t i = 0; i < n; ++i) {
        if (is_ear(p, ring, n, i, sign)) return i;
        double convexity = sign * turn(p[ring[(i + n - 1) % n]], p[ring[i]], p[ring[(i + 1) % n]]);
        if (convexity > most) most = convexity, best = i;
    }
    return best;
}

void kin_polygon_triangulate(const kin_vec3* vertices, const uint32_t* corners, uint32_t count, uint32_t (*triangles)[3])
{
    point2 p[KIN_POLYGON_MAX_CORNERS];
    uint32_t ring[KIN_POLYGON_MAX_CORNERS];
    kin_vec3 normal = {0, 0, 1};
    projection_normal(vertices, corners, count, &normal);
    double area = 0;
    for (uint32_t i = 0; i < count; ++i) {
        p[i] = project(normal, vertices[corners[i]]);
        ring[i] = i;
    }
    for (uint32_t i = 1; i + 1 < count; ++i) area += turn(p[0], p[i], p[i + 1]);
    double sign = area < 0 ? -1 : 1;
    uint32_t made = 0;
    for (uint32_t n = count; n >= 3; --n) {
        uint32_t i = n == 3 ? 1 : find_ear(p, ring, n, sign);
        uint32_t ear[3] = {ring[(i + n - 1) % n], ring[i], ring[(i + 1) % n]};
        for (int k = 0; k < 3; ++k) triangles[made][k] = corners[ear[k]];
        made += 1;
        for (uint32_t k = i; k + 1 < n; ++k) ring[k] = ring[k + 1];
    }
}

double kin_polygon_side(kin_vec3 n, kin_vec3 a, kin_vec3 b, kin_vec3 x) { return turn(project(n, a), project(n, b), project(n, x)); }

bool kin_polygon_holds(const kin_vec3* corners, uint32_t count, kin_vec3 n, kin_vec3 x)
{
    bool left = false, right = false;
    for (uint32_t i = 0; i < count; ++i) {
        double side = kin_polygon_side(n, corners[i], corners[i + 1 < count ? i + 1 : 0], x);
        left = left || side > 0;
        right = right || side < 0;
        if (left && right) return false;
    }
    return true;
}

bool kin_polygon_hit(const kin_vec3* corners, uint32_t count, kin_vec3 x, kin_vec3 v, double h, double* time)
{
    kin_vec3 n = kin_cross(kin_sub(corners[1], corners[0]), kin_sub(corners[2], corners[1]));
    double speed = kin_dot(v, n);
    if (speed == 0) return false;
    double t = kin_dot(kin_sub(corners[0], x), n) / speed;
    if (!(t >= 0 && t <= h) || !kin_polygon_holds(corners, count, n, kin_add_scaled(x, t, v))) return false;
    *time = t;
    return true;
}
