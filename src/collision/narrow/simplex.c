/* simplex.c - sub-distance by signed volumes (after Montanari, Petrinic and Barbieri) and by Johnson's determinants (eq. 4.44, 4.45). */
#include "collision/narrow/simplex.h"

static kin_subset nearer(kin_subset a, kin_subset b) { return b.mask && (!a.mask || kin_length2(b.point) < kin_length2(a.point)) ? b : a; }

static kin_subset one(const kin_vec3* x, int i)
{
    kin_subset s = {.mask = 1u << i, .point = x[i]};
    s.weight[i] = 1;
    return s;
}

static kin_subset segment(const kin_vec3* x, int i, int j)
{
    kin_vec3 d = kin_sub(x[j], x[i]);
    double toward_i = kin_dot(x[j], d), toward_j = -kin_dot(x[i], d), sum = toward_i + toward_j;
    if (!(toward_i > 0) || !(toward_j > 0)) return nearer(one(x, i), one(x, j));
    kin_subset s = {.mask = 1u << i | 1u << j};
    s.weight[i] = toward_i / sum;
    s.weight[j] = toward_j / sum;
    s.point = kin_add_scaled(x[i], s.weight[j], d);
    return s;
}

/* Twice the area of the triangle p q r seen along an axis. */
static double area_along(int axis, kin_vec3 p, kin_vec3 q, kin_vec3 r)
{
    kin_vec3 u = kin_sub(q, p), v = kin_sub(r, p);
    return axis == 0 ? u.y * v.z - u.z * v.y : axis == 1 ? u.z * v.x - u.x * v.z : u.x * v.y - u.y * v.x;
}

/* The normal of a needle is known only to rounding over its slimness, and so is the foot along it. What is left of the point along the edge i j is taken off,
 * unless that would leave the triangle. */
static void refine(kin_subset* s, const kin_vec3* x, int i, int j)
{
    kin_vec3 e = kin_sub(x[j], x[i]);
    double excess = kin_dot(s->point, e) / kin_length2(e);
    if (!(s->weight[j] - excess > 0 && s->weight[i] + excess > 0)) return;
    s->weight[j] -= excess;
    s->weight[i] += excess;
    s->point = kin_add_scaled(s->point, -excess, e);
}

/* Strictly inside: from the parts of the area that the foot of the origin makes with the edges. */
static kin_subset inner(const kin_vec3* x, const int* v, const double* part, double square)
{
    kin_vec3 e[3] = {kin_sub(x[v[1]], x[v[0]]), kin_sub(x[v[2]], x[v[1]]), kin_sub(x[v[0]], x[v[2]])};
    double sum = part[0] + part[1] + part[2], longest = 0;
    kin_subset s = {.mask = 1u << v[0] | 1u << v[1] | 1u << v[2]};
    int edge = 0;
    for (int k = 0; k < 3; ++k) {
        double length2 = kin_length2(e[k]);
        s.weight[v[k]] = part[k] / sum;
        if (length2 > longest) longest = length2, edge = k;
    }
    s.point = kin_add_scaled(kin_add_scaled(x[v[0]], s.weight[v[1]], e[0]), -s.weight[v[2]], e[2]);
    if (square < 1e-4 * longest * longest) refine(&s, x, v[edge], v[(edge + 1) % 3]);
    return s;
}

static kin_subset triangle(const kin_vec3* x, int i, int j, int k)
{
    const int v[3] = {i, j, k};
    kin_vec3 n = kin_cross(kin_sub(x[j], x[i]), kin_sub(x[k], x[i])), size = kin_abs3(n);
    double square = kin_length2(n);
    kin_subset best = {0};
    bool is_flat = !(square > 0);
    kin_vec3 foot = is_flat ? kin_v(0, 0, 0) : kin_scale(n, kin_dot(n, x[i]) / square);
    int axis = size.x >= size.y ? (size.x >= size.z ? 0 : 2) : (size.y >= size.z ? 1 : 2);
    double sign = kin_component(n, axis) < 0 ? -1 : 1;
    const double part[3] = {sign * area_along(axis, foot, x[j], x[k]), sign * area_along(axis, x[i], foot, x[k]), sign * area_along(axis, x[i], x[j], foot)};
    if (!is_flat && part[0] > 0 && part[1] > 0 && part[2] > 0) return inner(x, v, part, square);
    if (is_flat || !(part[0] > 0)) best = nearer(best, segment(x, j, k));
    if (is_flat || !(part[1] > 0)) best = nearer(best, segment(x, i, k));
    if (is_flat || !(part[2] > 0)) best = nearer(best, segment(x, i, j));
    return best;
}

static kin_subset tetrahedron(const kin_vec3* x)
{
    kin_vec3 u = kin_sub(x[1], x[0]), v = kin_sub(x[2], x[0]), w = kin_sub(x[3], x[0]);
    double volume = kin_triple(u, v, w);
    /* Below rounding of the products the signs say nothing. */
    double noise = 4e-16 * (kin_length(u) * kin_length(v) * kin_length(w));
    double sign = volume < 0 ? -1 : 1;
    double part[4] = {kin_triple(x[1], x[2], x[3]), -kin_triple(x[0], x[2], x[3]), kin_triple(x[0], x[1], x[3]), -kin_triple(x[0], x[1], x[2])};
    static const int others[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
    kin_subset best = {0};
    double sum = 0;
    bool is_flat = !(kin_abs(volume) > noise), is_inside = !is_flat;
    for (int i = 0; i < 4; ++i) {
        part[i] *= sign;
        sum += part[i];
        if (is_flat || !(part[i] > 0)) {
            is_inside = false;
            best = nearer(best, triangle(x, others[i][0], others[i][1], others[i][2]));
        }
    }
    if (!is_inside) return best;
    best.mask = 15;
    for (int i = 0; i < 4; ++i) best.weight[i] = part[i] / sum;
    return best; /* the point is the origin */
}

kin_subset kin_subset_volumes(const kin_vec3* x, int count)
{
    switch (count) {
    case 1: return one(x, 0);
    case 2: return segment(x, 0, 1);
    case 3: return triangle(x, 0, 1, 2);
    default: return tetrahedron(x);
    }
}

/* D_j of the subset `set` for each j in it, built up from the smaller ones: D_j(set) = sum over i in set - j of D_i(set - j) (x_i.x_k - x_i.x_j),
 * k the lowest of set - j. */
static void johnson_table(const kin_vec3* x, int count, double table[16][4])
{
    for (uint32_t set = 1; set < 1u << count; ++set) {
        for (int j = 0; j < count; ++j) {
            uint32_t rest = set & ~(1u << j);
            if (!(set >> j & 1)) continue;
            if (rest == 0) {
                table[set][j] = 1;
                continue;
            }
            int k = __builtin_ctz(rest);
            double sum = 0;
            for (int i = 0; i < count; ++i) {
                if (rest >> i & 1) sum += table[rest][i] * kin_dot(x[i], kin_sub(x[k], x[j]));
            }
            table[set][j] = sum;
        }
    }
}

/* Eq. 4.45: all D_j of the set positive, and none outside would be. */
static bool johnson_passes(uint32_t set, int count, double table[16][4])
{
    for (int j = 0; j < count; ++j) {
        bool is_in = set >> j & 1;
        if (is_in ? !(table[set][j] > 0) : table[set | 1u << j][j] > 0) return false;
    }
    return true;
}

kin_subset kin_subset_johnson(const kin_vec3* x, int count)
{
    double table[16][4] = {{0}};
    johnson_table(x, count, table);
    for (uint32_t set = 1; set < 1u << count; ++set) {
        if (!johnson_passes(set, count, table)) continue;
        kin_subset s = {.mask = set};
        double sum = 0;
        for (int j = 0; j < count; ++j) sum += set >> j & 1 ? table[set][j] : 0;
        if (!(sum > 0) || !kin_finite(sum)) continue;
        for (int j = 0; j < count; ++j) {
            if (!(set >> j & 1)) continue;
            s.weight[j] = table[set][j] / sum;
            s.point = kin_add_scaled(s.point, s.weight[j], x[j]);
        }
        return s;
    }
    return (kin_subset){0};
}
