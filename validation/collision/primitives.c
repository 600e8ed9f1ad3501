/* primitives.c - primitive tests and mesh against mesh: the cases and errata of Coutinho 2.5, House & Keyser 3.5 and 10.12, against brute force. */
#include "base/rng.h"
#include "collision/primitive/overlaps.h"
#include "collision/primitive/primitives.h"
#include "collision/primitive/winding.h"
#include "geometry/polygon.h"
#include "math/barycentric.h"
#include "math/mat3.h"
#include "math/primitive.h"
#include "validation/cases.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct draws { /* numbers one after another */
    kin_rng_key key;
    uint32_t next;
} draws;

static double draw(draws* d, double low, double high) { return kin_rng_uniform(&d->key, d->next++, low, high); }
static kin_vec3 draw3(draws* d, double size)
{
    double x = draw(d, -size, size), y = draw(d, -size, size), z = draw(d, -size, size);
    return kin_v(x, y, z);
}
static kin_vec3 draw_lattice(draws* d, int size)
{
    double x = (int)draw(d, 0, size), y = (int)draw(d, 0, size), z = (int)draw(d, 0, size);
    return kin_v(x, y, z);
}

/* ---- triangles against dense sampling ---- */

/* Also of a triangle without area. */
static double triangle_distance(const kin_vec3 p[3], kin_vec3 x)
{
    kin_vec3 n = kin_triangle_normal(p[0], p[1], p[2]);
    bool over = kin_length2(n) > 0;
    for (int k = 0; over && k < 3; ++k) over = kin_triple(n, kin_sub(p[(k + 1) % 3], p[k]), kin_sub(x, p[k])) > 0;
    if (over) return kin_abs(kin_dot(n, kin_sub(x, p[0])));
    double best = kin_segment_distance(p[0], p[1], x);
    best = kin_min(best, kin_segment_distance(p[1], p[2], x));
    return kin_min(best, kin_segment_distance(p[2], p[0], x));
}

typedef struct sample {
    kin_vec3 p[3];
    double distance, radius; /* of its middle from the other triangle; of its corners from its middle */
} sample;

static sample sample_of(kin_vec3 a, kin_vec3 b, kin_vec3 c, const kin_vec3 other[3])
{
    sample s = {.p = {a, b, c}};
    kin_vec3 middle = kin_scale(kin_add(a, kin_add(b, c)), 1.0 / 3);
    for (int k = 0; k < 3; ++k) s.radius = kin_max(s.radius, kin_distance(middle, s.p[k]));
    s.distance = triangle_distance(other, middle);
    return s;
}

#define SAMPLE_STACK 256 /* three siblings wait at each of some fifty levels */

/* Samples of a, four times as many at each level, but only where b is still in reach: does some point of a come within the limit of b? */
static bool sampled_touch(const kin_vec3 a[3], const kin_vec3 b[3], double limit)
{
    sample stack[SAMPLE_STACK];
    int top = 0;
    stack[top++] = sample_of(a[0], a[1], a[2], b);
    while (top > 0) {
        sample s = stack[--top];
        if (s.distance > s.radius + limit) continue;
        if (s.distance <= limit || s.radius <= limit) return true;
        if (top + 4 > SAMPLE_STACK) return false;
        kin_vec3 m[3];
        for (int k = 0; k < 3; ++k) m[k] = kin_lerp(s.p[k], s.p[(k + 1) % 3], 0.5);
        sample parts[4] = {sample_of(s.p[0], m[0], m[2], b), sample_of(m[0], s.p[1], m[1], b), sample_of(m[2], m[1], s.p[2], b),
                           sample_of(m[0], m[1], m[2], b)};
        for (int i = 0; i < 4; ++i) { /* the nearest on top */
            int at = top++;
            for (; at > top - 1 - i && stack[at - 1].distance < parts[i].distance; --at) stack[at] = stack[at - 1];
            stack[at] = parts[i];
        }
    }
    return false;
}

typedef void family_fn(draws* d, kin_vec3 a[3], kin_vec3 b[3]);

static void any_pair(draws* d, kin_vec3 a[3], kin_vec3 b[3])
{
    for (int k = 0; k < 3; ++k) a[k] = draw3(d, 1), b[k] = draw3(d, 1);
}
/* On a lattice all distances are 0 or well above the samples' limit: touching is exact. */
static void lattice_pair(draws* d, kin_vec3 a[3], kin_vec3 b[3])
{
    for (int k = 0; k < 3; ++k) a[k] = draw_lattice(d, 5), b[k] = draw_lattice(d, 5);
}
static void shared_vertex(draws* d, kin_vec3 a[3], kin_vec3 b[3])
{
    any_pair(d, a, b);
    b[(int)draw(d, 0, 3)] = a[(int)draw(d, 0, 3)];
}
static void shared_edge(draws* d, kin_vec3 a[3], kin_vec3 b[3])
{
    any_pair(d, a, b);
    b[0] = a[1], b[1] = a[0];
}
static void one_plane(draws* d, kin_vec3 a[3], kin_vec3 b[3]) /* x + y + z = 12 */
{
    lattice_pair(d, a, b);
    for (int k = 0; k < 3; ++k) a[k].z = 12 - a[k].x - a[k].y, b[k].z = 12 - b[k].x - b[k].y;
}
static void vertex_on_face(draws* d, kin_vec3 a[3], kin_vec3 b[3]) /* a in z = 0 with whole corners, b[0] in it or beside it */
{
    lattice_pair(d, a, b);
    for (int k = 0; k < 3; ++k) a[k] = kin_scale(kin_v(a[k].x, a[k].y, 0), 4);
    b[0] = kin_v(draw_lattice(d, 17).x, draw_lattice(d, 17).y, 0);
    b[1].z += 1, b[2].z += 1;
}
static void edge_on_edge(draws* d, kin_vec3 a[3], kin_vec3 b[3]) /* through a common point, half-way on both, or a whole number off */
{
    lattice_pair(d, a, b);
    kin_vec3 middle = kin_lerp(a[0], a[1], 0.5), half = kin_sub(draw_lattice(d, 5), kin_v(2, 2, 2));
    if (draw(d, 0, 4) < 1) middle.y += 1;
    b[0] = kin_add(middle, half), b[1] = kin_sub(middle, half);
}
static void needle(draws* d, kin_vec3 a[3], kin_vec3 b[3])
{
    any_pair(d, a, b);
    kin_vec3 along = kin_scale(draw3(d, 1), 30);
    b[1] = kin_add(b[0], along), b[2] = kin_add(b[1], draw3(d, 1e-4));
}
static void without_area(draws* d, kin_vec3 a[3], kin_vec3 b[3]) /* a segment or a point, against a triangle, segment or point */
{
    lattice_pair(d, a, b);
    kin_vec3 step = kin_sub(draw_lattice(d, 3), kin_v(1, 1, 1));
    b[1] = kin_add(b[0], step), b[2] = kin_add_scaled(b[0], 3, step);
    if (draw(d, 0, 3) < 1) a[1] = kin_add(a[0], step), a[2] = kin_sub(a[0], step);
}
static void scaled_pair(draws* d, kin_vec3 a[3], kin_vec3 b[3], double scale)
{
    lattice_pair(d, a, b);
    for (int k = 0; k < 3; ++k) a[k] = kin_scale(a[k], scale), b[k] = kin_scale(b[k], scale);
}
static void tiny(draws* d, kin_vec3 a[3], kin_vec3 b[3]) { scaled_pair(d, a, b, 0x1p-40); }
static void huge(draws* d, kin_vec3 a[3], kin_vec3 b[3]) { scaled_pair(d, a, b, 0x1p40); }

static double largest_coordinate(const kin_vec3 a[3], const kin_vec3 b[3])
{
    double largest = 0;
    for (int k = 0; k < 3; ++k) largest = kin_max(largest, kin_max(kin_largest(kin_abs3(a[k])), kin_largest(kin_abs3(b[k]))));
    return largest;
}

typedef struct tally {
    int wrong, asymmetric, stray, kinds[4];
} tally;

static void judge_pair(const kin_vec3 a[3], const kin_vec3 b[3], tally* t)
{
    double size = largest_coordinate(a, b), limit = 1e-9 * size;
    kin_meeting m;
    kin_meet kind = kin_triangle_triangle(a, b, &m);
    t->kinds[kind] += 1;
    t->wrong += (kind != KIN_MEET_APART) != sampled_touch(a, b, limit);
    t->asymmetric += kind != kin_triangle_triangle(b, a, NULL);
    if (kind == KIN_MEET_APART) return;
    kin_vec3 middle = kin_lerp(m.from, m.to, 0.5);
    double off = kin_max(triangle_distance(a, m.from), kin_max(triangle_distance(b, m.from), triangle_distance(a, m.to)));
    off = kin_max(off, kin_max(triangle_distance(b, m.to), kin_max(triangle_distance(a, middle), triangle_distance(b, middle))));
    t->stray += off > limit;
}

static void case_triangles(kin_case_run* run)
{
    static const struct {
        const char* name;
        family_fn* make;
    } families[] = {{"any", any_pair},
                    {"on a lattice", lattice_pair},
                    {"shared vertex", shared_vertex},
                    {"shared edge", shared_edge},
                    {"one plane", one_plane},
                    {"vertex on face", vertex_on_face},
                    {"edge on edge", edge_on_edge},
                    {"needle", needle},
                    {"without area", without_area},
                    {"tiny (1e-12 m)", tiny},
                    {"huge (1e12 m)", huge}};
    const int count = sizeof families / sizeof *families, each = (run->full ? 1000000 : 11000) / count;
    for (int f = 0; f < count; ++f) {
        tally t = {0};
        for (int i = 0; i < each; ++i) {
            draws d = {{.seed = 4, .serial = (uint64_t)i, .system = (uint32_t)f}, 0};
            kin_vec3 a[3], b[3];
            families[f].make(&d, a, b);
            judge_pair(a, b, &t);
        }
        const char* source = "dense sampling of one, distance to the other";
        char quantity[64];
        snprintf(quantity, sizeof quantity, "wrong answers of %d pairs", each);
        kin_case_row(run, families[f].name, quantity, t.wrong, 0, 0, source);
        kin_case_row(run, families[f].name, "pairs whose order matters", t.asymmetric, 0, 0, "symmetry");
        kin_case_row(run, families[f].name, "segments not on both triangles (1e-9)", t.stray, 0, 0, "distance to both");
    }
}

/* ---- the cases of the figures ---- */

static void figure(kin_case_run* run, const char* quantity, kin_meet got, kin_meet want, const char* source)
{
    kin_case_row(run, "exact", quantity, got, want, 0, source);
}

static void case_triangle_figures(kin_case_run* run)
{
    static const kin_vec3 a[3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
    static const struct {
        const char* quantity;
        const char* source;
        kin_vec3 b[3];
        kin_meet want;
    } cases[] = {
        {"one vertex in the plane, outside", "Coutinho 2.5.5 case 1, Fig 2.25", {{5, 5, 2}, {5, 5, 0}, {6, 5, 2}}, KIN_MEET_APART},
        {"one vertex in the plane, inside", "Coutinho 2.5.5 case 1", {{5, 5, 2}, {1, 1, 0}, {6, 5, 2}}, KIN_MEET_POINT},
        {"an edge in the plane, one end inside", "Coutinho 2.5.5 case 2, Fig 2.26", {{1, 1, 0}, {9, 1, 0}, {5, 1, 3}}, KIN_MEET_SEGMENT},
        {"an edge in the plane, both ends inside", "Coutinho 2.5.5 case 2", {{1, 1, 0}, {2, 1, 0}, {5, 1, 3}}, KIN_MEET_SEGMENT},
        {"coplanar, apart", "Coutinho 2.5.5 case 3, Fig 2.27", {{3, 3, 0}, {5, 3, 0}, {5, 5, 0}}, KIN_MEET_APART},
        {"coplanar, one within the other", "Coutinho 2.5.5 case 3", {{1, 1, 0}, {2, 1, 0}, {1, 2, 0}}, KIN_MEET_AREA},
        {"across", "Coutinho 2.5.5 case 4, Fig 2.28", {{1, 1, 1}, {1, 1, -1}, {1, 2, 1}}, KIN_MEET_SEGMENT},
        {"signs (+, 0, -), not in the text", "catalog C2.5.5 ERR", {{1, 1, 0}, {3, 1, 1}, {3, 1, -1}}, KIN_MEET_SEGMENT},
        {"all of a on one side of b", "catalog C2.5.5", {{5, 0, -9}, {5, 9, 9}, {5, -9, 9}}, KIN_MEET_APART},
        {"segments on the common line overlap", "House & Keyser 10.12", {{-1, 1, -1}, {-1, 1, 1}, {2, 1, 0.5}}, KIN_MEET_SEGMENT},
        {"segments on the common line apart", "House & Keyser 10.12", {{-3, 1, -1}, {-3, 1, 1}, {-1, 1, 0.5}}, KIN_MEET_APART},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
        figure(run, cases[k].quantity, kin_triangle_triangle(a, cases[k].b, NULL), cases[k].want, cases[k].source);
    figure(run, "segment on one side", kin_segment_triangle((kin_vec3[2]){{1, 1, 1}, {1, 1, 2}}, a, NULL), KIN_MEET_APART, "Coutinho Fig 2.33");
    figure(run, "segment with an end in the plane, outside", kin_segment_triangle((kin_vec3[2]){{3, 3, 1}, {3, 3, 0}}, a, NULL), KIN_MEET_APART,
           "Coutinho Fig 2.34");
    figure(run, "segment in the plane, one end inside", kin_segment_triangle((kin_vec3[2]){{1, 1, 0}, {9, 1, 0}}, a, NULL), KIN_MEET_SEGMENT,
           "Coutinho Fig 2.35");
    figure(run, "segment through the plane, outside", kin_segment_triangle((kin_vec3[2]){{3, 3, 1}, {3, 3, -1}}, a, NULL), KIN_MEET_APART, "Coutinho Fig 2.36");
    figure(run, "collinear segments that overlap", kin_segment_segment((kin_vec3[2]){{0, 0, 0}, {2, 0, 0}}, (kin_vec3[2]){{1, 0, 0}, {5, 0, 0}}, NULL),
           KIN_MEET_SEGMENT, "catalog C2.5.12");
    kin_meeting m;
    kin_segment_segment((kin_vec3[2]){{0, 0, 0}, {4, 0, 0}}, (kin_vec3[2]){{1, -1, 0}, {1, 3, 0}}, &m);
    kin_case_row(run, "exact", "t_p of coplanar segments", m.from.x / 4, 0.25, 1e-15, "catalog C2.5.12: k_q.(q1-p1)/k_q.(p2-p1)");
}

/* House & Keyser Fig 3.2, and the two ways to ask whether a triangle holds a point. */
static void case_point_in_triangle(kin_case_run* run)
{
    const kin_vec3 p[3] = {{3, 1, 1}, {2, 2, 4}, {1, 4, 2}}, x = {1.9, 2.5, 2.3}, n = kin_cross(kin_sub(p[1], p[0]), kin_sub(p[2], p[0]));
    const double want[3] = {-3.2, -2.4, -2.4};
    for (int k = 0; k < 3; ++k) {
        char quantity[64];
        snprintf(quantity, sizeof quantity, "determinant of edge %d", k);
        kin_case_row(run, "projection", quantity, kin_polygon_side(n, p[k], p[(k + 1) % 3], x), want[k], 1e-14, "House & Keyser Fig 3.2");
    }
    int wrong = 0, count = run->full ? 1000000 : 50000;
    for (int i = 0; i < count; ++i) {
        draws d = {{.seed = 5, .serial = (uint64_t)i}, 0};
        kin_vec3 q[3] = {draw3(&d, 1), draw3(&d, 1), draw3(&d, 1)};
        double u = draw(&d, -0.5, 1.5), v = draw(&d, -0.5, 1.5);
        kin_vec3 y = kin_add_scaled(kin_add_scaled(q[0], u, kin_sub(q[1], q[0])), v, kin_sub(q[2], q[0]));
        kin_vec3 normal = kin_cross(kin_sub(q[1], q[0]), kin_sub(q[2], q[0]));
        kin_bary3 w;
        if (!kin_triangle_weights(y, q[0], q[1], q[2], &w)) continue;
        double least = kin_min(w.a, kin_min(w.b, w.c));
        if (kin_abs(least) > 1e-9) wrong += kin_polygon_holds(q, 3, normal, y) != (least > 0);
    }
    kin_case_row(run, "projection", "differences from barycentric coordinates", wrong, 0, 0, "House & Keyser 3.5, 3.6");
}

/* ---- the silhouette of a box ---- */

static double part(kin_vec3 v, int axis) { return kin_component(v, axis); }

/* Tables 2.4 and 2.5 as the catalog has them, or with side(b3, b7) as printed. True: rejected. */
static bool table_rejects(kin_vec3 d, kin_vec3 low, kin_vec3 high, bool printed)
{
    static const int axes[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    for (int k = 0; k < 3; ++k) {
        int i = axes[k][0], j = axes[k][1];
        double di = part(d, i), dj = part(d, j);
        bool same = (di < 0) == (dj < 0);
        double first = di * part(same ? low : high, j) - dj * part(high, i), second = di * part(same ? high : low, j) - dj * part(low, i);
        if (printed && k == 1 && !same) first = di * part(high, j) - dj * part(low, i); /* bl_x for bu_x */
        /* Which must be which sign: the box's middle lies between. Signs as in table 2.4. */
        bool first_below = di < 0; /* dx < 0: side(first) > 0 keeps for opposite signs, < 0 rejects for equal ones */
        bool reject =
            same ? (first_below ? first < 0 || second > 0 : first > 0 || second < 0) : (first_below ? first > 0 || second < 0 : first < 0 || second > 0);
        if (reject) return true;
    }
    return false;
}

static bool slabs_hit(kin_vec3 from, kin_vec3 d, kin_aabb box)
{
    double in = 0, out = 1;
    for (int axis = 0; axis < 3; ++axis) {
        double o = part(from, axis), s = 1 / part(d, axis), u = (part(box.low, axis) - o) * s, v = (part(box.high, axis) - o) * s;
        in = kin_max(in, kin_min(u, v)), out = kin_min(out, kin_max(u, v));
    }
    return in <= out;
}

static void case_segment_box(kin_case_run* run)
{
    int agree = 0, false_rejects[2][8] = {{0}}, classes[2] = {0}, count = 60000;
    for (int i = 0; i < count; ++i) {
        draws d = {{.seed = 6, .serial = (uint64_t)i}, 0};
        kin_vec3 u = draw3(&d, 1), v = draw3(&d, 1), s[2] = {draw3(&d, 2), draw3(&d, 2)}, along = kin_sub(s[1], s[0]);
        kin_aabb box = {kin_min3(u, v), kin_max3(u, v)};
        double fraction;
        bool hit = slabs_hit(s[0], along, box);
        agree += kin_segment_box(s, box, &fraction) == hit;
        int class = (along.x >= 0) * 4 + (along.y >= 0) * 2 + (along.z >= 0);
        for (int printed = 0; printed < 2; ++printed) {
            false_rejects[printed][class] += hit && table_rejects(along, kin_sub(box.low, s[0]), kin_sub(box.high, s[0]), printed == 1);
        }
    }
    for (int k = 0; k < 16; ++k) classes[k / 8] += false_rejects[k / 8][k % 8] > 0;
    kin_case_row(run, "silhouette", "agreements of 60000", agree, 60000, 0, "slab test; catalog C2.5.11");
    kin_case_row(run, "tables 2.4, 2.5 mended", "classes with false rejections", classes[0], 0, 0, "catalog C2.5.11");
    kin_case_row(run, "tables 2.4, 2.5 as printed", "classes with false rejections", classes[1], 4, 0, "catalog C2.5.11: NNP NPP PNN PPN");
    int listed = (false_rejects[1][1] > 0) + (false_rejects[1][3] > 0) + (false_rejects[1][4] > 0) + (false_rejects[1][6] > 0);
    kin_case_row(run, "tables 2.4, 2.5 as printed", "of them NNP, NPP, PNN, PPN", listed, 4, 0, "catalog C2.5.11");
}

/* ---- spheres and boxes ---- */

static bool box_holds_sample(const kin_vec3 p[3], kin_aabb box) /* some point of the triangle in the box: by the distance to it */
{
    sample stack[SAMPLE_STACK];
    int top = 0;
    stack[top++] = (sample){.p = {p[0], p[1], p[2]}};
    while (top > 0) {
        sample s = stack[--top];
        kin_vec3 middle = kin_scale(kin_add(s.p[0], kin_add(s.p[1], s.p[2])), 1.0 / 3), m[3];
        double distance = kin_distance(middle, kin_aabb_closest(box, middle)), radius = 0;
        for (int k = 0; k < 3; ++k) radius = kin_max(radius, kin_distance(middle, s.p[k]));
        if (distance > radius) continue;
        if (distance == 0) return true;
        if (radius < 1e-10 || top + 4 > SAMPLE_STACK) continue;
        for (int k = 0; k < 3; ++k) m[k] = kin_lerp(s.p[k], s.p[(k + 1) % 3], 0.5);
        for (int k = 0; k < 3; ++k) stack[top++] = (sample){.p = {s.p[k], m[k], m[(k + 2) % 3]}};
        stack[top++] = (sample){.p = {m[0], m[1], m[2]}};
    }
    return false;
}

static void case_solids(kin_case_run* run)
{
    int spheres = 0, boxes = 0, needles = 0, count = run->full ? 200000 : 4000;
    const kin_aabb box = {{-1, -1, -1}, {1, 1, 1}};
    for (int i = 0; i < count; ++i) {
        draws d = {{.seed = 7, .serial = (uint64_t)i}, 0};
        kin_vec3 p[3] = {draw3(&d, 2), draw3(&d, 2), draw3(&d, 2)}, c = draw3(&d, 3);
        double r = draw(&d, 0, 2);
        spheres += kin_sphere_triangle(c, r, p) != (triangle_distance(p, c) <= r);
        boxes += kin_box_triangle(box, p) != box_holds_sample(p, box);
        kin_vec3 from = kin_scale(draw3(&d, 1), 5), through = draw3(&d, 1.2), to = kin_add_scaled(from, 2, kin_sub(through, from));
        kin_vec3 thin[3] = {from, to, kin_add(to, draw3(&d, 1e-3))};
        needles += kin_box_triangle(box, thin) != box_holds_sample(thin, box);
    }
    kin_case_row(run, "sphere-triangle", "wrong answers", spheres, 0, 0, "distance to the triangle; C2.5.8 c_proj");
    kin_case_row(run, "box-triangle", "wrong answers", boxes, 0, 0, "dense sampling; Coutinho 2.5.7");
    kin_case_row(run, "box-triangle", "wrong answers, needles", needles, 0, 0, "dense sampling; catalog C2.5.7 ERR");
    kin_case_row(run, "sphere-sphere", "touching counts", kin_sphere_sphere(kin_v(0, 0, 0), 1, kin_v(3, 0, 0), 2), 1, 0, "Coutinho 2.5.4");
    double fraction;
    const kin_vec3 tangent[2] = {{-2, 1, 0}, {2, 1, 0}}, beyond[2] = {{2, 0, 0}, {4, 0, 0}};
    kin_case_row(run, "segment-sphere", "tangent", kin_segment_sphere(tangent, kin_v(0, 0, 0), 1, &fraction), 1, 0, "Coutinho 2.5.9 case 2");
    kin_case_row(run, "segment-sphere", "its line only", kin_segment_sphere(beyond, kin_v(0, 0, 0), 1, &fraction), 0, 0, "Coutinho 2.5.9 case 3");
}

/* ---- meshes ---- */

typedef struct mesh_maker {
    kin_vec3* vertices;
    uint32_t *corners, *sizes;
    uint32_t vertex_count, face_count, corner_count;
} mesh_maker;

static mesh_maker maker_new(uint32_t vertices, uint32_t faces, uint32_t corners)
{
    return (mesh_maker){malloc(vertices * sizeof(kin_vec3)), malloc(corners * sizeof(uint32_t)), malloc(faces * sizeof(uint32_t)), 0, 0, 0};
}

static bool maker_ok(const mesh_maker* m) { return m->vertices != NULL && m->corners != NULL && m->sizes != NULL; }

static void add_face(mesh_maker* m, uint32_t size, const uint32_t* corners)
{
    m->sizes[m->face_count++] = size;
    for (uint32_t k = 0; k < size; ++k) m->corners[m->corner_count++] = corners[k];
}

/* NULL: no memory. Frees the maker. */
static kin_trimesh* finish_mesh(mesh_maker* m)
{
    kin_allocator allocator = kin_allocator_default();
    kin_mesh_view view = {m->vertices, m->vertex_count, m->sizes, m->corners, m->face_count};
    kin_mesh* mesh = NULL;
    kin_trimesh* out = NULL;
    if (maker_ok(m) && kin_mesh_create(&allocator, &view, &mesh, NULL) == KIN_OK) kin_trimesh_create(&allocator, mesh, &out, NULL);
    free(m->vertices);
    free(m->corners);
    free(m->sizes);
    return out;
}

static void add_box(mesh_maker* m, kin_vec3 half, bool inward)
{
    static const uint32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    uint32_t base = m->vertex_count;
    for (int i = 0; i < 8; ++i) m->vertices[m->vertex_count++] = kin_v(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
    for (int f = 0; f < 6; ++f) {
        uint32_t q[4];
        for (int k = 0; k < 4; ++k) q[k] = base + quads[f][inward ? 3 - k : k];
        add_face(m, 4, q);
    }
}

static kin_trimesh* make_box(kin_vec3 half)
{
    mesh_maker m = maker_new(8, 6, 24);
    if (maker_ok(&m)) add_box(&m, half, false);
    return finish_mesh(&m);
}

static kin_trimesh* make_shell(void) /* 4 m wide, with a cavity of 2 m */
{
    mesh_maker m = maker_new(16, 12, 48);
    if (maker_ok(&m)) add_box(&m, kin_v(2, 2, 2), false), add_box(&m, kin_v(1, 1, 1), true);
    return finish_mesh(&m);
}

static kin_trimesh* make_torus(double ring, double tube, uint32_t around, uint32_t across)
{
    mesh_maker m = maker_new(around * across, around * across, 4 * around * across);
    for (uint32_t i = 0; maker_ok(&m) && i < around; ++i) {
        for (uint32_t j = 0; j < across; ++j) {
            double u = 2 * KIN_PI * i / around, v = 2 * KIN_PI * j / across, r = ring + tube * kin_cos(v);
            m.vertices[m.vertex_count++] = kin_v(r * kin_cos(u), tube * kin_sin(v), -r * kin_sin(u));
            uint32_t i1 = (i + 1) % around, j1 = (j + 1) % across;
            add_face(&m, 4, (uint32_t[]){i * across + j, i1 * across + j, i1 * across + j1, i * across + j1});
        }
    }
    return finish_mesh(&m);
}

/* A bar with two teeth down to -1 and -1.5: the non-convex thing of Fig 2.41(b). */
static kin_trimesh* make_fork(void)
{
    static const double outline[8][2] = {{-3, 1}, {-3, -1}, {-2, -1}, {-2, 0}, {2, 0}, {2, -1.5}, {3, -1.5}, {3, 1}};
    mesh_maker m = maker_new(16, 10, 48);
    if (maker_ok(&m)) {
        for (int i = 0; i < 16; ++i) m.vertices[m.vertex_count++] = kin_v(outline[i % 8][0], outline[i % 8][1], i < 8 ? -0.5 : 0.5);
        add_face(&m, 8, (uint32_t[]){7, 6, 5, 4, 3, 2, 1, 0});
        add_face(&m, 8, (uint32_t[]){8, 9, 10, 11, 12, 13, 14, 15});
        for (uint32_t i = 0; i < 8; ++i) add_face(&m, 4, (uint32_t[]){i, (i + 1) % 8, 8 + (i + 1) % 8, 8 + i});
    }
    return finish_mesh(&m);
}

static void no_memory(kin_case_run* run) { kin_case_row(run, "", "memory for the meshes", 0, 1, 0, ""); }

static kin_transform draw_pose(draws* d, double size) { return (kin_transform){draw3(d, size), kin_quat_axis_angle(draw3(d, 1), draw(d, -3, 3))}; }

static void moved_corners(const kin_trimesh* m, uint32_t triangle, kin_transform pose, kin_vec3 p[3])
{
    kin_mat3 turn = kin_quat_to_matrix(pose.orientation);
    for (int k = 0; k < 3; ++k) p[k] = kin_add(kin_mat3_apply(turn, m->mesh->vertices[m->mesh->triangles[triangle][k]]), pose.position);
}

/* Pairs of all triangles that differ from the list's, which is in the same order. */
static int differences_from_all_pairs(const kin_trimesh* a, const kin_trimesh* b, kin_transform pose, const kin_crossings* list)
{
    size_t next = 0;
    int wrong = 0;
    for (uint32_t i = 0; i < a->mesh->triangle_count; ++i) {
        kin_vec3 p[3], q[3];
        moved_corners(a, i, kin_transform_identity(), p);
        for (uint32_t j = 0; j < b->mesh->triangle_count; ++j) {
            moved_corners(b, j, pose, q);
            bool listed = next < list->count && list->data[next].a == i && list->data[next].b == j;
            wrong += listed != (kin_triangle_triangle(p, q, NULL) != KIN_MEET_APART);
            next += listed;
        }
    }
    return wrong + (int)(list->count - next);
}

static void case_meshes(kin_case_run* run)
{
    kin_trimesh *a = make_torus(1, 0.4, 24, 12), *b = make_torus(0.8, 0.3, 20, 10), *big = make_box(kin_v(2, 2, 2)), *small = make_box(kin_v(0.5, 0.5, 0.5));
    kin_allocator allocator = kin_allocator_default();
    kin_crossings list;
    kin_crossings_init(&list, &allocator);
    bool ok = a != NULL && b != NULL && big != NULL && small != NULL;
    int wrong = 0, rounds = run->full ? 200 : 10, self = 0;
    for (int i = 0; ok && i < rounds; ++i) {
        draws d = {{.seed = 8, .serial = (uint64_t)i}, 0};
        kin_transform pose = draw_pose(&d, 0.9);
        ok = kin_trimesh_crossings(a, b, pose, NULL, &list, NULL) == KIN_OK;
        if (ok) wrong += differences_from_all_pairs(a, b, pose, &list);
    }
    for (int i = 0; ok && i < 2; ++i) {
        ok = kin_trimesh_self_crossings(i == 0 ? a : big, NULL, &list, NULL) == KIN_OK;
        self += (int)list.count;
    }
    if (ok) {
        kin_case_row(run, "trees", "pairs that differ from all pairs", wrong, 0, 0, "brute force; Coutinho 2.5.1");
        kin_case_row(run, "self", "pairs of sound meshes", self, 0, 0, "Coutinho 2.5.2");
        kin_case_row(run, "containment", "a cube wholly inside another", kin_trimesh_relation(big, small, kin_transform_identity()), KIN_MESHES_B_IN_A, 0,
                     "Coutinho 2.5.1");
    } else {
        no_memory(run);
    }
    kin_crossings_term(&list);
    kin_trimesh_destroy(a);
    kin_trimesh_destroy(b);
    kin_trimesh_destroy(big);
    kin_trimesh_destroy(small);
}

static void case_inside(kin_case_run* run)
{
    kin_trimesh* meshes[2] = {make_torus(2, 0.5, 32, 16), make_shell()};
    if (meshes[0] != NULL && meshes[1] != NULL) {
        kin_case_row(run, "six rays", "torus hole", kin_trimesh_inside(meshes[0], kin_v(0, 0, 0)), 0, 0, "catalog C2.5.13");
        kin_case_row(run, "six rays", "shell cavity", kin_trimesh_inside(meshes[1], kin_v(0.1, 0.2, 0.3)), 0, 0, "catalog C2.5.13: the nearest hit");
        kin_case_row(run, "six rays", "shell wall", kin_trimesh_inside(meshes[1], kin_v(1.5, 0.2, 0.3)), 1, 0, "catalog C2.5.13");
        kin_case_row(run, "winding", "shell cavity", kin_mesh_winding(meshes[1]->mesh, kin_v(0.1, 0.2, 0.3)), 0, 1e-13, "solid angles");
        kin_case_row(run, "winding", "shell wall", kin_mesh_winding(meshes[1]->mesh, kin_v(1.5, 0.2, 0.3)), 1, 1e-13, "solid angles");
        for (int k = 0; k < 2; ++k) {
            int wrong = 0, count = run->full ? 20000 : 1000;
            for (int i = 0; i < count; ++i) {
                draws d = {{.seed = 9, .serial = (uint64_t)i, .system = (uint32_t)k}, 0};
                kin_vec3 x = draw3(&d, 2.7);
                wrong += kin_trimesh_inside(meshes[k], x) != kin_mesh_winds(meshes[k]->mesh, x);
            }
            kin_case_row(run, "six rays", k == 0 ? "differences from winding, torus" : "differences from winding, shell", wrong, 0, 0, "solid angles");
        }
    } else {
        no_memory(run);
    }
    kin_trimesh_destroy(meshes[0]);
    kin_trimesh_destroy(meshes[1]);
}

static void fork_rows(kin_case_run* run, const kin_overlaps* o)
{
    kin_case_row(run, "regions", "disjoint regions", o->count, 2, 0, "Coutinho Fig 2.41(b)");
    if (o->count != 2) return;
    int left = o->data[0].center.x < 0 ? 0 : 1;
    const kin_overlap *l = &o->data[left], *r = &o->data[1 - left];
    kin_case_row(run, "regions", "depth of the short tooth (m)", l->distance, 0.25, 1e-14, "by construction; Coutinho 2.5.14");
    kin_case_row(run, "regions", "depth of the long tooth (m)", r->distance, 0.75, 1e-14, "by construction; Coutinho 2.5.14");
    kin_case_row(run, "regions", "depth along the normal, short (m)", l->depth, 0.25, 1e-14, "by construction");
    kin_case_row(run, "regions", "depth along the normal, long (m)", r->depth, 0.75, 1e-14, "by construction");
    kin_case_row(run, "regions", "vertices inside, L1", l->inside_a_count + r->inside_a_count, 8, 0, "four corners of each tooth");
    kin_case_row(run, "regions", "normal y", l->normal.y, 1, 1e-14, "by construction");
    kin_case_row(run, "regions", "area of a tooth (m^2)", l->area, 1, 1e-14, "by construction");
}

static void edge_rows(kin_case_run* run, const kin_overlaps* o)
{
    kin_case_row(run, "regions", "crossed edges: regions", o->count, 1, 0, "by construction");
    if (o->count != 1) return;
    kin_case_row(run, "regions", "crossed edges: vertices inside", o->data->inside_a_count + o->data->inside_b_count, 0, 0, "catalog C2.5.14 P");
    kin_case_row(run, "regions", "crossed edges: depth (m)", o->data->depth, 0.2, 1e-13, "by construction: ridges 0.2 m past each other");
}

static void case_regions(kin_case_run* run)
{
    kin_trimesh *fork = make_fork(), *slab = make_box(kin_v(5, 1, 5)), *bar = make_box(kin_v(5, 1, 1));
    kin_allocator allocator = kin_allocator_default();
    kin_overlaps o;
    kin_overlaps_init(&o, &allocator);
    bool ok = fork != NULL && slab != NULL && bar != NULL;
    if (ok && kin_trimesh_overlaps(fork, slab, (kin_transform){{0.1, -1.75, 0.05}, {0, 0, 0, 1}}, NULL, &o, NULL) == KIN_OK) fork_rows(run, &o);
    kin_quat on_edge = kin_quat_axis_angle(kin_v(1, 0, 0), KIN_PI / 4);
    kin_transform low = {{0, 0.1 - kin_sqrt(2), 0}, on_edge};
    kin_transform high = {{0, kin_sqrt(2) - 0.1, 0}, kin_quat_mul(kin_quat_axis_angle(kin_v(0, 1, 0), KIN_PI / 2), on_edge)};
    if (ok && kin_trimesh_overlaps(bar, bar, kin_transform_between(high, low), NULL, &o, NULL) == KIN_OK) edge_rows(run, &o);
    if (!ok) no_memory(run);
    kin_overlaps_term(&o);
    kin_trimesh_destroy(fork);
    kin_trimesh_destroy(slab);
    kin_trimesh_destroy(bar);
}

const kin_case kin_cases_primitives[] = {
    {"collision/triangles", "triangle against triangle and dense sampling, every degenerate family", case_triangles},
    {"collision/triangle-figures", "the cases and figures of 2.5.5, 2.5.10 and 2.5.12", case_triangle_figures},
    {"collision/point-in-triangle", "House & Keyser Fig 3.2; projection against barycentric coordinates", case_point_in_triangle},
    {"collision/segment-box", "the silhouette test against slabs; the misprint of table 2.5", case_segment_box},
    {"collision/primitives", "spheres, boxes, segments and triangles", case_solids},
    {"collision/mesh-mesh", "crossing triangles of meshes against all pairs; containment", case_meshes},
    {"collision/point-in-object", "inside by six rays and by winding number", case_inside},
    {"collision/regions", "intersection regions, their depths and normals", case_regions},
    {NULL, NULL, NULL},
};
