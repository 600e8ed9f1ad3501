/* cube.c - from eight values to the triangles of a cell. */
#include "geometry/isosurface/cube.h"
#include "math/scalar.h"
#include <string.h>

typedef struct loop {
    uint8_t edges[12];
    int size;
} loop;

static bool inside(unsigned mask, int corner) { return mask >> corner & 1; }

static int edge_between(int a, int b)
{
    int low = a < b ? a : b, axis = (a ^ b) == 1 ? 0 : (a ^ b) == 2 ? 1 : 2;
    return 4 * axis + (low >> (axis + 1) % 3 & 1) + 2 * (low >> (axis + 2) % 3 & 1);
}

/* Face 2 a + side lies across axis a. Its corners, counter-clockwise seen from outside the cell. */
static void face_corners(int face, int corners[4])
{
    int a = face / 2, side = face % 2, b = 1 << (a + 1) % 3, c = 1 << (a + 2) % 3, first = side << a;
    corners[0] = first, corners[1] = first | (side ? b : c), corners[2] = first | b | c, corners[3] = first | (side ? c : b);
}

static bool face_is_ambiguous(unsigned mask, const int c[4])
{
    return inside(mask, c[0]) == inside(mask, c[2]) && inside(mask, c[1]) == inside(mask, c[3]) && inside(mask, c[0]) != inside(mask, c[1]);
}

/* Corners a, c against b, d: does the saddle between them belong to the inside? Products commute: the same answer from both sides of a face. */
static bool saddle_is_inside(double a, double b, double c, double d) { return a <= 0 ? a * c >= b * d : b * d >= a * c; }

/* Bit f: the inside corners of the ambiguous face f are joined in it. */
static unsigned find_joined(const double v[8], unsigned mask)
{
    unsigned joined = 0;
    for (int f = 0; f < 6; ++f) {
        int c[4];
        face_corners(f, c);
        if (face_is_ambiguous(mask, c) && saddle_is_inside(v[c[0]], v[c[1]], v[c[2]], v[c[3]])) joined |= 1u << f;
    }
    return joined;
}

/* ---- loops ---- */

/* Going round a face, where the inside begins a piece of contour starts; it ends where that inside ends, or, if two are joined, the other. */
static void face_contour(unsigned mask, int face, bool joined, int8_t next[12])
{
    int c[4];
    face_corners(face, c);
    for (int i = 0; i < 4; ++i) {
        if (inside(mask, c[i]) || !inside(mask, c[(i + 1) % 4])) continue;
        int skip = joined ? 1 : 0;
        for (int k = i + 1; k < i + 4; ++k) {
            int from = c[k % 4], to = c[(k + 1) % 4];
            if (!inside(mask, from) || inside(mask, to) || skip-- > 0) continue;
            next[edge_between(c[i], c[(i + 1) % 4])] = (int8_t)edge_between(from, to);
            break;
        }
    }
}

static int find_loops(unsigned mask, unsigned joined, loop loops[4])
{
    int8_t next[12];
    memset(next, -1, sizeof next);
    for (int f = 0; f < 6; ++f) face_contour(mask, f, joined >> f & 1, next);
    int count = 0;
    for (int e = 0; e < 12; ++e) {
        if (next[e] < 0) continue;
        loop* l = &loops[count++];
        l->size = 0;
        for (int at = e; next[at] >= 0;) {
            int8_t then = next[at];
            l->edges[l->size++] = (uint8_t)at;
            next[at] = -1;
            at = then;
        }
    }
    return count;
}

/* ---- which parts of the cell are connected ---- */

static int root_of(const uint8_t parent[8], int corner)
{
    while (parent[corner] != corner) corner = parent[corner];
    return corner;
}
static void unite(uint8_t parent[8], int a, int b)
{
    int ra = root_of(parent, a), rb = root_of(parent, b);
    if (ra < rb)
        parent[rb] = (uint8_t)ra;
    else
        parent[ra] = (uint8_t)rb;
}

/* Four corners of a bilinear square, in a ring, standing for corners of the cell. */
static void unite_square(uint8_t parent[8], const double v[4], const int corner[4])
{
    for (int i = 0; i < 4; ++i) {
        if ((v[i] <= 0) == (v[(i + 1) % 4] <= 0)) unite(parent, corner[i], corner[(i + 1) % 4]);
    }
    if ((v[0] <= 0) != (v[2] <= 0) || (v[1] <= 0) != (v[3] <= 0) || (v[0] <= 0) == (v[1] <= 0)) return;
    bool even = (v[0] <= 0) == saddle_is_inside(v[0], v[1], v[2], v[3]);
    unite(parent, corner[!even], corner[2 + !even]);
}

/* The real roots of a t^2 + b t + c; without cancellation. */
static int quadratic_roots(double a, double b, double c, double roots[2])
{
    double square = b * b - 4 * a * c;
    if (!(square >= 0)) return 0;
    double q = -0.5 * (b + (b < 0 ? -1 : 1) * kin_sqrt(square));
    int count = 0;
    if (a != 0) roots[count++] = q / a;
    if (q != 0) roots[count++] = c / q;
    return count;
}

/* Where the saddle of the slice across an axis passes through zero. corner: the four edges along the axis, in a ring. */
static int saddle_roots(const double v[8], const int corner[4], int axis, double roots[2])
{
    double low[4], by[4];
    for (int i = 0; i < 4; ++i) {
        low[i] = v[corner[i]];
        by[i] = v[corner[i] | 1 << axis] - low[i];
    }
    return quadratic_roots(by[0] * by[2] - by[1] * by[3], low[0] * by[2] + low[2] * by[0] - low[1] * by[3] - low[3] * by[1], low[0] * low[2] - low[1] * low[3],
                           roots);
}

/* A plane sweeps along z. Between the times at which an edge or the saddle of its slice passes zero nothing changes. */
static void sweep_parts(const double v[8], uint8_t parent[8])
{
    static const int ring[4] = {0, 1, 3, 2};
    double times[8] = {0}, roots[2];
    int count = 1;
    for (int i = 0; i < 4; ++i) {
        double a = v[ring[i]], b = v[ring[i] + 4];
        if ((a <= 0) != (b <= 0)) times[count++] = a / (a - b);
    }
    int found = saddle_roots(v, ring, 2, roots);
    for (int i = 0; i < found; ++i) {
        if (roots[i] > 0 && roots[i] < 1) times[count++] = roots[i];
    }
    times[count] = 1;
    for (int i = 2; i < count; ++i) {
        for (int k = i; k > 1 && times[k] < times[k - 1]; --k) {
            double t = times[k];
            times[k] = times[k - 1], times[k - 1] = t;
        }
    }
    for (int i = 0; i < count; ++i) {
        double t = 0.5 * (times[i] + times[i + 1]), slice[4];
        int corner[4];
        for (int k = 0; k < 4; ++k) {
            double a = v[ring[k]], b = v[ring[k] + 4];
            slice[k] = a + (b - a) * t;
            corner[k] = (slice[k] <= 0) == (a <= 0) ? ring[k] : ring[k] + 4;
        }
        unite_square(parent, slice, corner);
    }
}

static void find_parts(const double v[8], uint8_t parent[8])
{
    for (int i = 0; i < 8; ++i) parent[i] = (uint8_t)i;
    for (int f = 0; f < 6; ++f) {
        int c[4];
        face_corners(f, c);
        unite_square(parent, (double[4]){v[c[0]], v[c[1]], v[c[2]], v[c[3]]}, c);
    }
    sweep_parts(v, parent);
}

/* ---- triangles ---- */

static void add_triangle(kin_cube_patch* p, int a, int b, int c)
{
    uint8_t* t = p->corners[p->triangle_count++];
    t[0] = (uint8_t)a, t[1] = (uint8_t)b, t[2] = (uint8_t)c;
}

static unsigned edge_faces(int edge)
{
    int a = edge / 4, i = edge % 4;
    return 1u << (2 * ((a + 1) % 3) + (i & 1)) | 1u << (2 * ((a + 2) % 3) + (i >> 1));
}

static double middle_distance2(int e, int f)
{
    double sum = 0;
    for (int a = 0; a < 3; ++a) {
        int bit = 1 << a;
        double x = ((kin_cube_edge_corner(e, 0) & bit) + (kin_cube_edge_corner(e, 1) & bit)) / (2.0 * bit);
        double y = ((kin_cube_edge_corner(f, 0) & bit) + (kin_cube_edge_corner(f, 1) & bit)) / (2.0 * bit);
        sum += (x - y) * (x - y);
    }
    return sum;
}

#define NEVER 1e30
/* A chord in a face could be the chord of the next cell as well: an edge of four triangles. Such are not drawn. */
static double chord_cost(const loop* l, int i, int j)
{
    if (j - i == 1 || (i == 0 && j == l->size - 1)) return 0;
    if (edge_faces(l->edges[i]) & edge_faces(l->edges[j])) return NEVER;
    return middle_distance2(l->edges[i], l->edges[j]);
}

/* The cheapest triangulation by its chords; false: every one needs a chord in a face. */
static bool fill_with_chords(kin_cube_patch* p, const loop* l)
{
    double cost[12][12] = {{0}};
    int split[12][12] = {{0}}, n = l->size;
    for (int span = 2; span < n; ++span) {
        for (int i = 0; i + span < n; ++i) {
            int j = i + span;
            cost[i][j] = 3 * NEVER;
            for (int k = i + 1; k < j; ++k) {
                double c = cost[i][k] + cost[k][j];
                if (c < cost[i][j]) cost[i][j] = c, split[i][j] = k;
            }
            cost[i][j] += chord_cost(l, i, j);
        }
    }
    if (cost[0][n - 1] >= NEVER) return false;
    int stack[12][2] = {{0, n - 1}}, top = 1;
    while (top > 0) {
        top -= 1;
        int i = stack[top][0], j = stack[top][1], k = split[i][j];
        if (j - i < 2) continue;
        add_triangle(p, l->edges[i], l->edges[k], l->edges[j]);
        stack[top][0] = i, stack[top++][1] = k;
        stack[top][0] = k, stack[top++][1] = j;
    }
    return true;
}

static void edge_point(const double v[8], int edge, double x[3])
{
    int low = kin_cube_edge_corner(edge, 0), high = kin_cube_edge_corner(edge, 1);
    for (int a = 0; a < 3; ++a) x[a] = low >> a & 1;
    x[edge / 4] = kin_cube_cut(v[low], v[high]);
}

double kin_cube_value(const double v[8], const double x[3], double gradient[3])
{
    double w[3][2] = {{1 - x[0], x[0]}, {1 - x[1], x[1]}, {1 - x[2], x[2]}}, f = 0;
    gradient[0] = gradient[1] = gradient[2] = 0;
    for (int c = 0; c < 8; ++c) {
        double wx = w[0][c & 1], wy = w[1][c >> 1 & 1], wz = w[2][c >> 2];
        f += v[c] * wx * wy * wz;
        gradient[0] += (c & 1 ? v[c] : -v[c]) * wy * wz;
        gradient[1] += (c & 2 ? v[c] : -v[c]) * wx * wz;
        gradient[2] += (c & 4 ? v[c] : -v[c]) * wx * wy;
    }
    return f;
}

/* From the mean of the loop's points to the surface, in a few Newton steps that stay well within the cell. */
static void disk_center(const double v[8], const loop* l, double x[3])
{
    x[0] = x[1] = x[2] = 0;
    for (int i = 0; i < l->size; ++i) {
        double p[3];
        edge_point(v, l->edges[i], p);
        for (int a = 0; a < 3; ++a) x[a] += p[a] / l->size;
    }
    for (int step = 0; step < 4; ++step) {
        double g[3], f = kin_cube_value(v, x, g), square = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
        if (!(square > 0)) return;
        for (int a = 0; a < 3; ++a) x[a] = kin_clamp(x[a] - kin_clamp(f * g[a] / square, -0.2, 0.2), 0.05, 0.95);
    }
}

static void fill_disk(const double v[8], kin_cube_patch* p, const loop* l)
{
    if (fill_with_chords(p, l)) return;
    int center = 12 + p->extra_count;
    disk_center(v, l, p->extra[p->extra_count++]);
    for (int i = 0; i < l->size; ++i) add_triangle(p, l->edges[i], l->edges[(i + 1) % l->size], center);
}

/* The surface holds six lines along the axes: where the saddle of a slice is zero the slice is a cross. They meet in a hexagon, the waist of a tunnel. */
static void find_waist(const double v[8], double waist[6][3])
{
    static const int ring[4] = {0, 2, 6, 4};
    double u[2], y[2] = {1.0 / 3, 2.0 / 3}, z[2] = {1.0 / 3, 2.0 / 3};
    if (saddle_roots(v, ring, 0, u) < 2) u[0] = 1.0 / 3, u[1] = 2.0 / 3;
    for (int i = 0; i < 2; ++i) { /* the slice is c + cy y + cz z + d y z, its saddle at (-cz/d, -cy/d) */
        double s[4];
        for (int k = 0; k < 4; ++k) s[k] = v[ring[k]] + (v[ring[k] + 1] - v[ring[k]]) * u[i];
        double cy = s[1] - s[0], cz = s[3] - s[0], d = s[2] - s[1] - s[3] + s[0];
        if (d != 0) y[i] = -cz / d, z[i] = -cy / d;
    }
    double points[6][3] = {{u[0], y[0], z[0]}, {u[0], y[0], z[1]}, {u[1], y[0], z[1]}, {u[1], y[1], z[1]}, {u[1], y[1], z[0]}, {u[0], y[1], z[0]}};
    for (int i = 0; i < 6; ++i) {
        for (int a = 0; a < 3; ++a) waist[i][a] = kin_clamp(points[i][a], 0.001, 0.999);
    }
}

static double distance2(const double a[3], const double b[3])
{
    return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]);
}

/* A strip of triangles from a loop to the waist, gone round in direction `sense` from waist point `start`, both at an even pace: neither goes full circle
 * while the other rests. Returns the sum of the squares of the cross edges. p NULL: only that. */
static double zip(const double v[8], const loop* l, const double waist[6][3], int start, int sense, int first_extra, kin_cube_patch* p)
{
    double points[12][3], sum = 0;
    for (int i = 0; i < l->size; ++i) edge_point(v, l->edges[i], points[i]);
    for (int i = 0, j = 0; i < l->size || j < 6;) {
        int at = i % l->size, here = (start + sense * j + 12) % 6;
        bool along = (2 * i + 1) * 6 <= (2 * j + 1) * l->size;
        int then = along ? (i + 1) % l->size : at, there = along ? here : (start + sense * (j + 1) + 12) % 6;
        sum += distance2(points[then], waist[there]);
        if (p != NULL) add_triangle(p, l->edges[at], along ? l->edges[then] : first_extra + there, first_extra + here);
        if (along)
            i += 1;
        else
            j += 1;
    }
    return sum;
}

static double best_start(const double v[8], const loop* l, const double waist[6][3], int sense, int* start)
{
    double best = NEVER * 100;
    for (int s = 0; s < 6; ++s) {
        double sum = zip(v, l, waist, s, sense, 0, NULL);
        if (sum < best) best = sum, *start = s;
    }
    return best;
}

static void fill_tunnel(const double v[8], kin_cube_patch* p, const loop* a, const loop* b)
{
    double(*waist)[3] = p->extra + p->extra_count;
    int first = 12 + p->extra_count, start[2][2];
    find_waist(v, waist);
    p->extra_count += 6;
    /* the surface is on the left of both loops: they go round the waist in opposite senses */
    double forward = best_start(v, a, waist, 1, &start[0][0]) + best_start(v, b, waist, -1, &start[0][1]);
    double backward = best_start(v, a, waist, -1, &start[1][0]) + best_start(v, b, waist, 1, &start[1][1]);
    int way = forward <= backward ? 0 : 1, sense = way == 0 ? 1 : -1;
    zip(v, a, waist, start[way][0], sense, first, p);
    zip(v, b, waist, start[way][1], -sense, first, p);
    p->tunnels += 1;
}

static unsigned mask_of(const double v[8])
{
    unsigned mask = 0;
    for (int c = 0; c < 8; ++c) mask |= (unsigned)(v[c] <= 0) << c;
    return mask;
}

/* The parts of the cell on the two sides of a loop, as one number. */
static int loop_parts(const uint8_t parent[8], unsigned mask, const loop* l)
{
    int low = kin_cube_edge_corner(l->edges[0], 0), high = kin_cube_edge_corner(l->edges[0], 1);
    return inside(mask, low) ? root_of(parent, low) * 8 + root_of(parent, high) : root_of(parent, high) * 8 + root_of(parent, low);
}

void kin_cube_surface(const double v[8], kin_cube_patch* p)
{
    loop loops[4];
    unsigned mask = mask_of(v);
    p->triangle_count = p->extra_count = p->tunnels = 0;
    p->loops = find_loops(mask, find_joined(v, mask), loops);
    if (p->loops == 1) {
        fill_disk(v, p, &loops[0]);
        return;
    }
    uint8_t parent[8];
    bool done[4] = {false};
    find_parts(v, parent);
    for (int i = 0; i < p->loops; ++i) {
        if (done[i]) continue;
        int twin = i + 1;
        while (twin < p->loops && (done[twin] || loop_parts(parent, mask, &loops[twin]) != loop_parts(parent, mask, &loops[i]))) twin += 1;
        if (twin < p->loops && p->tunnels == 0) {
            fill_tunnel(v, p, &loops[i], &loops[twin]);
            done[twin] = true;
        } else {
            fill_disk(v, p, &loops[i]);
        }
    }
}

void kin_cube_tabulate(kin_cube_table* table)
{
    for (unsigned mask = 0; mask < 256; ++mask) {
        loop loops[4];
        kin_cube_patch p = {.triangle_count = 0};
        bool simple = true;
        for (int f = 0; f < 6; ++f) {
            int c[4];
            face_corners(f, c);
            if (face_is_ambiguous(mask, c)) simple = false;
        }
        if (simple) simple = find_loops(mask, 0, loops) == 1 && fill_with_chords(&p, &loops[0]) && p.triangle_count <= 10;
        table->triangle_count[mask] = simple ? (int8_t)p.triangle_count : -1;
        if (simple) memcpy(table->corners[mask], p.corners, (size_t)p.triangle_count * 3);
    }
}
