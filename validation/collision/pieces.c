/* pieces.c - repair, cuts and convex pieces: closed forms, counts known from how a mesh was made, and points asked one by one. */
#include "geometry/cut/cut.h"
#include "geometry/decompose/approx.h"
#include "geometry/decompose/cutface.h"
#include "geometry/decompose/joe.h"
#include "geometry/decompose/notch.h"
#include "geometry/repair/inspect.h"
#include "geometry/repair/repair.h"
#include "validation/cases.h"
#include <math.h>
#include <stdio.h>

/* ---- solids ---- */

static uint64_t random_bits(uint64_t* state) /* splitmix64 */
{
    uint64_t x = (*state += 0x9E3779B97F4A7C15u);
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}
static double uniform(uint64_t* state, double low, double high) { return low + (high - low) * (double)(random_bits(state) >> 11) * 0x1p-53; }
static kin_vec3 direction(uint64_t* state)
{
    double z = uniform(state, -1, 1), a = uniform(state, 0, 2 * M_PI), r = sqrt(1 - z * z);
    return kin_v(r * cos(a), r * sin(a), z);
}

static kin_poly new_poly(void)
{
    kin_poly p;
    kin_allocator a = kin_allocator_default();
    kin_poly_init(&p, &a);
    return p;
}

static void add_box(kin_poly* p, kin_vec3 low, kin_vec3 high)
{
    static const uint32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    uint32_t base = (uint32_t)p->vertex_count;
    for (int i = 0; i < 8; ++i) kin_poly_add_vertex(p, kin_v(i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z));
    for (uint32_t f = 0; f < 6; ++f) kin_poly_add_face(p, (uint32_t[]){base + quads[f][0], base + quads[f][1], base + quads[f][2], base + quads[f][3]}, 4, f);
}

/* Over a polygon in x-y, counter-clockwise; faces that are not convex are split. */
static kin_poly prism(const double (*xy)[2], uint32_t n, double depth)
{
    kin_poly raw = new_poly(), p = new_poly();
    uint32_t top[32], bottom[32];
    for (uint32_t i = 0; i < n; ++i) {
        kin_poly_add_vertex(&raw, kin_v(xy[i][0], xy[i][1], 0));
        kin_poly_add_vertex(&raw, kin_v(xy[i][0], xy[i][1], depth));
        top[i] = 2 * i + 1, bottom[n - 1 - i] = 2 * i;
    }
    kin_poly_add_face(&raw, top, n, 0);
    kin_poly_add_face(&raw, bottom, n, 1);
    for (uint32_t i = 0, j = 1; i < n; ++i, j = (j + 1) % n) kin_poly_add_face(&raw, (uint32_t[]){2 * i, 2 * j, 2 * j + 1, 2 * i + 1}, 4, 2 + i);
    kin_poly_convex_faces(&raw, &p);
    kin_poly_term(&raw);
    return p;
}

static kin_poly torus(double ring, double tube, uint32_t around, uint32_t across) /* about z */
{
    kin_poly p = new_poly();
    for (uint32_t i = 0; i < around; ++i) {
        for (uint32_t j = 0; j < across; ++j) {
            double u = 2 * M_PI * i / around, v = 2 * M_PI * j / across, r = ring + tube * cos(v);
            kin_poly_add_vertex(&p, kin_v(r * cos(u), r * sin(u), tube * sin(v)));
        }
    }
    for (uint32_t i = 0; i < around; ++i) {
        for (uint32_t j = 0; j < across; ++j) {
            uint32_t k = (i + 1) % around, l = (j + 1) % across;
            kin_poly_add_face(&p, (uint32_t[]){i * across + j, k * across + j, k * across + l, i * across + l}, 4, i * across + j);
        }
    }
    return p;
}

static kin_poly blob(uint32_t around, uint32_t rings, double bump) /* a bumpy sphere of triangles */
{
    kin_poly p = new_poly();
    uint32_t last = around * (rings - 1) + 1;
    for (uint32_t i = 0; i <= rings; ++i) {
        for (uint32_t j = 0; j < (i == 0 || i == rings ? 1 : around); ++j) {
            double a = M_PI * i / rings, b = 2 * M_PI * j / around;
            kin_vec3 d = kin_v(sin(a) * cos(b), cos(a), sin(a) * sin(b));
            kin_poly_add_vertex(&p, kin_scale(d, 1 + bump * (sin(4 * d.x + 1) * sin(5 * d.y) + 0.5 * sin(6 * d.z + 0.3))));
        }
    }
    for (uint32_t j = 0; j < around; ++j) {
        uint32_t k = (j + 1) % around;
        kin_poly_add_face(&p, (uint32_t[]){0, 1 + k, 1 + j}, 3, 0);
        kin_poly_add_face(&p, (uint32_t[]){last, last - around + j, last - around + k}, 3, 0);
        for (uint32_t i = 0; i + 2 < rings; ++i) {
            uint32_t a = 1 + i * around + j, b = 1 + i * around + k;
            kin_poly_add_face(&p, (uint32_t[]){a, b, a + around}, 3, 0);
            kin_poly_add_face(&p, (uint32_t[]){b, b + around, a + around}, 3, 0);
        }
    }
    return p;
}

static const double el[][2] = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 3}, {0, 3}};
static const double you[][2] = {{0, 0}, {5, 0}, {5, 3}, {4, 3}, {4, 1}, {1, 1}, {1, 3}, {0, 3}};
static const double plus[][2] = {{1, 0}, {2, 0}, {2, 1}, {3, 1}, {3, 2}, {2, 2}, {2, 3}, {1, 3}, {1, 2}, {0, 2}, {0, 1}, {1, 1}};
static const double comb[][2] = {{0, 0}, {7, 0}, {7, 3}, {6, 3}, {6, 1}, {5, 1}, {5, 3}, {4, 3},
                                 {4, 1}, {3, 1}, {3, 3}, {2, 3}, {2, 1}, {1, 1}, {1, 3}, {0, 3}};

/* ---- cuts ---- */

/* Edges that lack their opposite: found by asking for every edge, not by the code's own tables. */
static double open_edges(const kin_poly* p)
{
    double open = 0;
    kin_connect c;
    if (!kin_connect_init(&c, p, &p->allocator)) return -1;
    for (uint32_t e = 0; e < c.edge_count; ++e) {
        int net = 0;
        for (uint32_t i = 0; i < c.edges[e].uses; ++i) net += kin_half_from(&c, c.halves[c.edges[e].first + i]) == c.edges[e].from ? 1 : -1;
        open += net != 0;
    }
    kin_connect_term(&c);
    return open;
}

static void cut_cases(kin_case_run* run)
{
    kin_poly cube = new_poly(), below = new_poly(), above = new_poly(), ring = torus(2, 0.5, 48, 24), lump = blob(40, 24, 0.25);
    kin_cutter* cutter = kin_cutter_create(&cube.allocator);
    kin_cut_def def = kin_cut_def_default();
    kin_cut_report r;
    add_box(&cube, kin_v(-1, -1, -1), kin_v(1, 1, 1));
    kin_cut(cutter, &cube, (kin_plane3){kin_v(1, 1, 1), 0}, &def, &below, &above, &r, NULL);
    kin_case_row(run, "cube", "area of the hexagon across the diagonal", r.area, 3 * sqrt(3), 1e-13, "closed form: 3 sqrt(3) for edge 2");
    kin_cut(cutter, &cube, (kin_plane3){kin_v(1, 1, 1), 2}, &def, &below, &above, &r, NULL);
    kin_case_row(run, "cube", "volume of the corner beyond x + y + z = 2", kin_poly_volume(&above), 1.0 / 6, 1e-14, "closed form: 1/6");
    kin_cut(cutter, &ring, (kin_plane3){kin_v(0, 0, 1), 0}, &def, &below, &above, &r, NULL);
    double gon = 24 * sin(2 * M_PI / 48); /* area of the 48-gon of radius 1 */
    kin_case_row(run, "torus", "area of its ring, corners in the plane", r.area, gon * (2.5 * 2.5 - 1.5 * 1.5), 1e-12, "closed form of the 48-gons");
    kin_case_row(run, "torus", "holes of the section", r.holes, 1, 0, "genus 1");

    double worst = 0, open = 0, whole = kin_poly_volume(&lump);
    uint64_t dice = 1;
    for (int i = 0, n = run->full ? 20000 : 300; i < n; ++i) {
        kin_vec3 at = lump.vertices[random_bits(&dice) % lump.vertex_count];
        kin_cut(cutter, &lump, kin_plane3_through(at, direction(&dice)), &def, &below, &above, &r, NULL);
        worst = fmax(worst, fabs(kin_poly_volume(&below) + kin_poly_volume(&above) - whole) / whole);
        open += open_edges(&below) + open_edges(&above);
    }
    kin_case_row(run, "random planes", "volume of both halves against the whole", worst, 0, 1e-12, "additivity");
    kin_case_row(run, "random planes", "edges without two faces", open, 0, 0, "closed halves");

    double fallen = 0;
    for (int i = 0, n = run->full ? 5000 : 500; i < n; ++i) { /* the rest is cut again and again, ever smaller */
        kin_cut(cutter, &lump, (kin_plane3){direction(&dice), uniform(&dice, 0.3, 0.8)}, &def, &below, &above, &r, NULL);
        fallen += kin_poly_volume(&above);
        kin_poly_copy(&lump, &below);
    }
    kin_case_row(run, "cuts in sequence", "volume of all pieces against the whole", (fallen + kin_poly_volume(&lump)) / whole, 1, 1e-12, "additivity");
    kin_case_row(run, "cuts in sequence", "edges without two faces at the end", open_edges(&lump), 0, 0, "closed");
    kin_cutter_destroy(cutter);
    kin_poly_term(&cube), kin_poly_term(&below), kin_poly_term(&above), kin_poly_term(&ring), kin_poly_term(&lump);
}

/* ---- repair ---- */

static void turn_over(kin_poly* p, size_t f)
{
    uint32_t *c = p->corners + p->begin[f], swap = c[0];
    c[0] = c[1], c[1] = swap;
}

static void repair_cases(kin_case_run* run)
{
    kin_mesh_report r;
    kin_inspect_def all = {.crossings = true};
    kin_poly p = torus(2, 0.5, 24, 12);
    kin_inspect(&p, &all, &r, NULL);
    kin_case_row(run, "torus", "genus", r.components[0].genus, 1, 0, "Euler: V - E + F = 2 - 2 g");
    kin_case_row(run, "torus", "edges", r.edges, 2 * 24 * 12, 0, "H3.4, C1.4.1a: two faces an edge");
    kin_mesh_report_term(&r);
    kin_poly_term(&p);

    p = blob(32, 20, 0.2); /* damage it: known counts */
    double volume = kin_poly_volume(&p);
    p.face_count -= 1, p.corner_count -= 3; /* one hole of three edges */
    for (size_t f = 5; f < 600; f += 60) turn_over(&p, f);
    uint32_t again[3] = {p.corners[0], p.corners[1], p.corners[2]};
    kin_poly_add_face(&p, again, 3, 0);
    kin_inspect(&p, &all, &r, NULL);
    kin_case_row(run, "blob", "flipped faces found", r.counts[KIN_DEFECT_FLIPPED], 10, 0, "made so");
    kin_case_row(run, "blob", "duplicate faces found", r.counts[KIN_DEFECT_DUPLICATE_FACE], 1, 0, "made so");
    kin_case_row(run, "blob", "edges with three faces", r.counts[KIN_DEFECT_EDGE], 3, 0, "those of the duplicate");
    kin_case_row(run, "blob", "holes found", r.counts[KIN_DEFECT_HOLE], 1, 0, "made so");
    kin_case_row(run, "blob", "edges of the hole", r.places[KIN_DEFECT_HOLE][0].b, 3, 0, "made so");
    kin_mesh_report_term(&r);
    kin_repair_def def = kin_repair_def_default();
    kin_repair_steps steps;
    kin_repair(&p, &def, &steps, NULL);
    kin_inspect(&p, &all, &r, NULL);
    double defects = 0;
    for (int k = 0; k < KIN_DEFECT_UNUSED_VERTEX; ++k) defects += r.counts[k];
    kin_case_row(run, "blob", "defects left after repair", defects, 0, 0, "closed, one winding, outward");
    kin_case_row(run, "blob", "volume after repair", kin_poly_volume(&p), volume, 1e-12, "as before the damage");
    kin_mesh_report_term(&r);
    kin_poly_term(&p);

    p = new_poly(); /* Fig 11.1 */
    static const kin_vec3 v[7] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    static const uint32_t f[8][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}, {0, 4, 5}, {0, 6, 4}, {0, 5, 6}, {4, 6, 5}};
    for (int i = 0; i < 7; ++i) kin_poly_add_vertex(&p, v[i]);
    for (int i = 0; i < 8; ++i) kin_poly_add_face(&p, f[i], 3, 0);
    kin_inspect(&p, &all, &r, NULL);
    kin_case_row(run, "two tetrahedra at a vertex", "circuits of faces round it", r.places[KIN_DEFECT_VERTEX][0].b, 2, 0, "Coutinho Fig 11.1");
    kin_mesh_report_term(&r);
    kin_poly_term(&p);
}

/* ---- exact pieces ---- */

typedef struct moments {
    double volume, second[6]; /* integrals of 1 and x_i x_j */
} moments;

static moments moments_of(const kin_poly* p) /* signed tetrahedra from the origin */
{
    moments m = {0};
    for (size_t f = 0; f < p->face_count; ++f) {
        const uint32_t* c = kin_poly_corners(p, f);
        for (uint32_t k = 1; k + 1 < p->sizes[f]; ++k) {
            kin_vec3 a = p->vertices[c[0]], b = p->vertices[c[k]], d = p->vertices[c[k + 1]];
            double v = kin_triple(a, b, d) / 6;
            m.volume += v;
            for (int i = 0, at = 0; i < 3; ++i) {
                for (int j = i; j < 3; ++j, ++at) {
                    double x[3] = {kin_component(a, i), kin_component(b, i), kin_component(d, i)},
                           y[3] = {kin_component(a, j), kin_component(b, j), kin_component(d, j)};
                    m.second[at] += v / 20 * ((x[0] + x[1] + x[2]) * (y[0] + y[1] + y[2]) + x[0] * y[0] + x[1] * y[1] + x[2] * y[2]);
                }
            }
        }
    }
    return m;
}

static void tiling_rows(kin_case_run* run, const char* method, const kin_poly* whole, const kin_pieces* pieces)
{
    moments w = moments_of(whole), sum = {0};
    kin_aabb box = kin_poly_bounds(whole);
    double size = kin_largest(kin_sub(box.high, box.low)), out = 0, open = 0, worst = 0, scale = 0;
    for (size_t i = 0; i < pieces->count; ++i) {
        const kin_poly* p = &pieces->parts[i];
        moments m = moments_of(p);
        sum.volume += m.volume;
        for (int k = 0; k < 6; ++k) sum.second[k] += m.second[k];
        open += open_edges(p);
        for (size_t f = 0; f < p->face_count; ++f) { /* no vertex in front of any face */
            kin_vec3 n = kin_poly_normal(p, f), x = p->vertices[kin_poly_corners(p, f)[0]];
            double area = kin_length(n);
            for (size_t v = 0; area > 1e-12 * size * size && v < p->vertex_count; ++v) out = fmax(out, kin_dot(kin_sub(p->vertices[v], x), n) / area);
        }
    }
    for (int k = 0; k < 6; ++k) worst = fmax(worst, fabs(sum.second[k] - w.second[k])), scale = fmax(scale, fabs(w.second[k]));
    kin_case_row(run, method, "volume of the parts over the whole", sum.volume / w.volume, 1, 1e-9, "issue 4: they tile it to 1e-9");
    kin_case_row(run, method, "second moments, worst difference", worst / scale, 0, 1e-9, "inertia of a sum is the sum");
    kin_case_row(run, method, "farthest vertex in front of a face", out / size, 0, 1e-9, "all convex");
    kin_case_row(run, method, "edges without two faces", open, 0, 0, "all closed");
}

static kin_joe_report joe(kin_case_run* run, const char* method, kin_poly* p, double parts, const char* source)
{
    kin_joe_def def = kin_joe_def_default();
    kin_joe_report r;
    kin_pieces out;
    def.fewest = true;
    kin_pieces_init(&out, &p->allocator);
    kin_result result = kin_decompose_joe(p, &def, &out, &r, NULL);
    kin_case_row(run, method, "reflex edges left", result == KIN_OK ? r.unresolved : 1e9, 0, 0, "Coutinho 11.2.3");
    if (parts > 0) kin_case_row(run, method, "parts", (double)out.count, parts, 0, source);
    kin_case_row(run, method, "least angle made by a cut is theta_acc", fmax(r.theta_acc - r.smallest, 0), 0, 1e-9, "Coutinho (11.1)");
    tiling_rows(run, method, p, &out);
    kin_pieces_term(&out);
    kin_poly_term(p);
    return r;
}

static void joe_cases(kin_case_run* run)
{
    kin_poly p = prism(el, 6, 1);
    kin_connect c;
    kin_cut_face face;
    kin_cut_verdict verdict = KIN_CUT_LOST;
    kin_connect_init(&c, &p, &p.allocator);
    kin_cut_face_init(&face, &p.allocator);
    uint32_t half = 0;
    while (!kin_edge_reflex(&c, half, 1e-9)) half += 1;
    double angles[8] = {0};
    kin_cut_candidates(&c, half, M_PI / 6, 8, angles);
    kin_case_row(run, "L-prism", "dihedral angle of the reflex edge", kin_dihedral(&c, half), 3 * M_PI / 2, 1e-14, "N11: theta_e = 3 pi/2");
    kin_case_row(run, "L-prism", "first candidate, theta_e - pi", angles[0], M_PI / 2, 1e-14, "N11: pi/2");
    kin_cut_face_trace(&face, &c, half, angles[0], M_PI / 6, 0.01, 1e-12, &verdict);
    kin_case_row(run, "L-prism", "interior angle where a face lies in the plane", face.count > 1 ? face.corners[1].angle : 0, M_PI / 2, 1e-12,
                 "Coutinho Fig 11.7: pi/2, not 3 pi/2");
    kin_cut_face_term(&face);
    kin_connect_term(&c);
    joe(run, "L-prism", &p, 2, "F11");
    p = prism(you, 8, 1);
    joe(run, "U-prism", &p, 3, "F11");
    p = prism(plus, 12, 1);
    joe(run, "cross", &p, 3, "two cuts between opposite reflex edges");
    p = torus(2, 0.7, 12, 8);
    joe(run, "torus", &p, 0, "");
    p = run->full ? blob(24, 16, 0.3) : blob(10, 7, 0.3);
    joe(run, "bumpy blob", &p, 0, "");
}

static void exact(kin_case_run* run, const char* method, kin_poly* p, double volume, const char* source)
{
    kin_notch_report r;
    kin_pieces out;
    kin_poly flat = new_poly();
    kin_poly_convex_faces(p, &flat);
    kin_pieces_init(&out, &p->allocator);
    kin_result result = kin_decompose_notch(p, &(kin_notch_def){0}, &out, &r, NULL);
    double sum = 0;
    for (size_t i = 0; i < out.count; ++i) sum += kin_poly_volume(&out.parts[i]);
    kin_case_row(run, method, "parts that are not convex", result == KIN_OK ? r.unresolved : 1e9, 0, 0, "all convex");
    if (volume > 0) kin_case_row(run, method, "volume of the parts", sum / volume, 1, 1e-9, source);
    tiling_rows(run, method, &flat, &out);
    kin_pieces_term(&out);
    kin_poly_term(p);
    kin_poly_term(&flat);
}

static void exact_cases(kin_case_run* run)
{
    kin_poly p = prism(comb, 16, 2);
    exact(run, "comb", &p, 30, "closed form: base 7, four teeth of 2, depth 2");
    uint32_t n = 12, m = 8;
    p = torus(2, 0.7, n, m);
    /* a ring of n wedges, each of the m-gon's area swept: n sin(2 pi/n) R A by Pappus for chords */
    double area = 0.5 * m * sin(2 * M_PI / m) * 0.49;
    exact(run, "torus", &p, n * sin(2 * M_PI / n) * 2 * area, "Pappus, chords for arcs");
    p = run->full ? blob(24, 16, 0.3) : blob(12, 8, 0.3);
    exact(run, "bumpy blob", &p, 0, "");
    p = new_poly();
    add_box(&p, kin_v(0, 0, 0), kin_v(3, 3, 3));
    add_box(&p, kin_v(1, 1, 1), kin_v(2, 2, 2));
    for (size_t f = 6; f < 12; ++f) { /* a void */
        uint32_t *c = p.corners + p.begin[f], swap = c[1];
        c[1] = c[3], c[3] = swap;
    }
    exact(run, "box with a void", &p, 26, "closed form: 27 - 1");
}

/* ---- hulls that stand for a mesh ---- */

/* Solid angles: 1 inside, 0 outside (van Oosterom and Strackee 1983). */
static double turns(const kin_poly* p, kin_vec3 x, double* distance)
{
    double sum = 0;
    *distance = 1e300;
    for (size_t f = 0; f < p->face_count; ++f) {
        const uint32_t* q = kin_poly_corners(p, f);
        for (uint32_t k = 1; k + 1 < p->sizes[f]; ++k) {
            kin_feature feature;
            kin_vec3 a = kin_sub(p->vertices[q[0]], x), b = kin_sub(p->vertices[q[k]], x), c = kin_sub(p->vertices[q[k + 1]], x);
            double la = kin_length(a), lb = kin_length(b), lc = kin_length(c);
            sum += 2 * atan2(kin_triple(a, b, c), la * lb * lc + kin_dot(a, b) * lc + kin_dot(b, c) * la + kin_dot(c, a) * lb);
            *distance = fmin(*distance, kin_length(kin_closest_on_triangle(a, b, c, kin_v(0, 0, 0), &feature)));
        }
    }
    return sum / (4 * M_PI);
}

static void approximate(kin_case_run* run, const char* method, kin_poly* p, double wanted, double most)
{
    kin_approx a;
    uint64_t dice = 9;
    kin_aabb box = kin_poly_bounds(p);
    double missed = 0, beyond = 0;
    kin_result result = kin_decompose_approx(p, &(kin_approx_def){.concavity = wanted, .most_vertices = 256}, &a, NULL);
    for (int i = 0, n = run->full ? 20000 : 500; i < n; ++i) {
        kin_vec3 x = kin_v(uniform(&dice, box.low.x, box.high.x), uniform(&dice, box.low.y, box.high.y), uniform(&dice, box.low.z, box.high.z));
        double outside = 1e300, distance;
        for (uint32_t k = 0; k < a.count; ++k) outside = fmin(outside, kin_hull_outside(a.pieces[k].hull, x));
        bool in = turns(p, x, &distance) > 0.5;
        if (in) missed = fmax(missed, outside);
        if (!in && outside < 0) beyond = fmax(beyond, distance);
    }
    kin_case_row(run, method, "concavity over the wanted one", result == KIN_OK ? fmax(a.concavity - wanted, 0) : 1e9, 0, 0, "its own tolerance");
    kin_case_row(run, method, "points of the mesh outside all hulls, m", fmax(missed, 0), 0, 1e-9, "points asked one by one");
    kin_case_row(run, method, "points of hulls too far from the mesh, m", fmax(beyond - wanted, 0), 0, 0, "points asked one by one");
    kin_case_row(run, method, "hulls, at most so many", fmax((double)a.count - most, 0), 0, 0, "no more than needed");
    kin_approx_term(&a);
    kin_poly_term(p);
}

static void approx_cases(kin_case_run* run)
{
    kin_poly p = prism(comb, 16, 2);
    approximate(run, "open comb", &p, 0.05, 5);
    p = run->full ? torus(2, 0.5, 48, 24) : torus(2, 0.5, 20, 8);
    approximate(run, "torus", &p, run->full ? 0.1 : 0.3, run->full ? 20 : 8);
    p = run->full ? blob(64, 40, 0.2) : blob(12, 8, 0.2);
    approximate(run, "bumpy blob", &p, run->full ? 0.1 : 0.3, run->full ? 40 : 8);
}

const kin_case kin_cases_pieces[] = {
    {"collision/cut", "closed halves of closed meshes: sections, volumes, thousands of cuts", cut_cases},
    {"collision/repair", "defects counted and mended, genus, Fig 11.1", repair_cases},
    {"collision/decompose-joe", "convex pieces by cut faces (Coutinho, appendix F)", joe_cases},
    {"collision/decompose-exact", "convex pieces of any closed mesh by planes through reflex edges", exact_cases},
    {"collision/decompose-approx", "a few hulls within a concavity: comb, torus, blob", approx_cases},
    {NULL, NULL, NULL},
};
