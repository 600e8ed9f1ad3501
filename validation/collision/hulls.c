/* hulls.c - hulls and mass properties: Coutinho 2.2.4 and appendix D, House & Keyser 9.2. Closed forms are the judge, and one method of the other. */
#include "geometry/hull/hull.h"
#include "geometry/mass/mass.h"
#include "math/quat.h"
#include "math/random.h"
#include "validation/cases.h"
#include "validation/collision/solids.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static kin_rng_key key_of(uint64_t topic, uint64_t serial) { return (kin_rng_key){.seed = topic, .serial = serial}; }

static kin_quat random_turn(const kin_rng_key* key, uint32_t draw)
{
    return kin_quat_axis_angle(kin_rng_direction(key, draw), kin_rng_uniform(key, draw + 1, 0, 2 * KIN_PI));
}

/* ---- hulls ---- */

/* Farthest that a point lies outside, in slacks. */
static double farthest_outside(const kin_hull* h, const kin_vec3* p, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; ++i) most = fmax(most, kin_hull_outside(h, p[i]));
    return most / h->slack;
}

static void solid_rows(kin_case_run* run, const char* name, const kin_vec3* corners, int count, int edges, int faces, double volume)
{
    kin_allocator a = kin_allocator_default();
    enum { EXTRA = 1000 };
    kin_vec3* p = calloc((size_t)count + EXTRA, sizeof *p);
    kin_rng_key key = key_of(60, (uint64_t)faces);
    kin_quat turn = random_turn(&key, 0);
    double off = 0, outside = 0;
    for (int scale = -6; scale <= 6 && p != NULL; scale += 3) {
        double size = pow(10, scale);
        for (int i = 0; i < count + EXTRA; ++i) { /* corners, then points between two corners: in faces, on edges, inside */
            kin_vec3 x = i < count ? corners[i] : kin_lerp(corners[i % count], corners[i / count % count], kin_rng_uniform(&key, 10 + (uint32_t)i, 0, 1));
            p[i] = kin_add(kin_scale(kin_rotate(turn, x), size), kin_v(size, 2 * size, -size));
        }
        kin_hull* h = NULL;
        if (kin_hull_create(&a, p, (size_t)count + EXTRA, 0, &h, NULL) != KIN_OK) {
            off = INFINITY;
            continue;
        }
        off += abs((int)h->vertex_count - count) + abs((int)h->edge_count / 2 - edges) + abs((int)h->face_count - faces);
        outside = fmax(outside, farthest_outside(h, p, (size_t)count + EXTRA));
        if (scale == 0) kin_case_row(run, name, "volume (m^3)", h->volume, volume, 1e-13 * volume, "closed form");
        kin_hull_destroy(h);
    }
    kin_case_row(run, name, "vertices, edges, faces off, 5 sizes", off, 0, 0, "Euclid, Elements XIII");
    kin_case_row(run, name, "farthest point outside (slacks)", outside, 0, 1, "Coutinho 2.2.4: contains all points");
    free(p);
}

static void platonic(kin_case_run* run)
{
    double g = (1 + sqrt(5)) / 2;
    kin_vec3 tetrahedron[4] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}}, cube[8], octahedron[6], icosahedron[12], dodecahedron[20];
    for (int i = 0; i < 8; ++i) cube[i] = dodecahedron[i] = kin_v(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
    for (int i = 0; i < 6; ++i) octahedron[i] = kin_scale(kin_axis(i / 2), i % 2 ? -1 : 1);
    for (int i = 0; i < 12; ++i) {
        double a = i & 1 ? 1 : -1, b = i & 2 ? g : -g, c = i & 1 ? 1 / g : -1 / g;
        int axis = i / 4;
        icosahedron[i] = axis == 0 ? kin_v(0, a, b) : axis == 1 ? kin_v(b, 0, a) : kin_v(a, b, 0);
        dodecahedron[8 + i] = axis == 0 ? kin_v(0, c, b) : axis == 1 ? kin_v(b, 0, c) : kin_v(c, b, 0);
    }
    solid_rows(run, "tetrahedron", tetrahedron, 4, 6, 4, 8.0 / 3);
    solid_rows(run, "cube", cube, 8, 12, 6, 8);
    solid_rows(run, "octahedron", octahedron, 6, 12, 8, 4.0 / 3);
    solid_rows(run, "icosahedron", icosahedron, 12, 30, 20, 5 * (3 + sqrt(5)) / 12 * 8);               /* edge 2 */
    solid_rows(run, "dodecahedron", dodecahedron, 20, 30, 12, (15 + 7 * sqrt(5)) / 4 * pow(2 / g, 3)); /* edge 2/g */
}

/* The mean volume of the hull of n random points of the unit sphere; n = 4: 4 pi / 105. */
static double mean_volume(double n) { return 4 * KIN_PI / 3 * (n - 1) * (n - 2) * (n - 3) / ((n + 1) * (n + 2) * (n + 3)); }

static void hull_sphere(kin_case_run* run)
{
    kin_allocator a = kin_allocator_default();
    static const uint32_t counts[] = {4, 12, 100, 10000, 100000};
    for (int c = 0; c < (run->full ? 5 : 4); ++c) {
        uint32_t n = counts[c], rounds = c < 3 ? (run->full ? 20000 : 2000) : run->full ? 5 : 2, lost = 0;
        kin_vec3* p = calloc(n, sizeof *p);
        double sum = 0, squares = 0;
        for (uint32_t r = 0; r < rounds && p != NULL; ++r) {
            for (uint32_t i = 0; i < n; ++i) {
                kin_rng_key key = key_of(61 + r, i);
                p[i] = kin_rng_direction(&key, (uint32_t)c);
            }
            kin_hull* h = NULL;
            if (kin_hull_create(&a, p, n, 0, &h, NULL) == KIN_OK) {
                lost += n - h->vertex_count;
                sum += h->volume;
                squares += h->volume * h->volume;
            }
            kin_hull_destroy(h);
        }
        double mean = sum / rounds, deviation = sqrt(fmax(0, squares / rounds - mean * mean) / rounds);
        char quantity[64];
        snprintf(quantity, sizeof quantity, "%u points: mean volume (m^3)", n);
        kin_case_row(run, "quickhull", quantity, mean, mean_volume(n), c < 3 ? 4 * deviation : 1.0 / n, "Miles 1971: random points on a sphere");
        snprintf(quantity, sizeof quantity, "%u points: not vertices", n);
        kin_case_row(run, "quickhull", quantity, lost, 0, 0, "a sphere is strictly convex");
        free(p);
    }
}

/* C2.2.4: quickhull and gift wrapping, on whole and on rounded coordinates (coplanar, collinear and duplicate points), straight and turned. */
static void hull_wrapping(kin_case_run* run)
{
    kin_allocator a = kin_allocator_default();
    double counts = 0, volumes = 0, outside = 0, refusals = 0;
    int rounds = run->full ? 5000 : 500;
    for (int r = 0; r < rounds; ++r) {
        kin_rng_key key = key_of(62, (uint64_t)r);
        kin_vec3 p[120];
        size_t n = 4 + (size_t)kin_rng_uniform(&key, 0, 0, 116);
        kin_quat turn = r % 4 < 2 ? kin_quat_identity() : random_turn(&key, 1);
        for (size_t i = 0; i < n; ++i) {
            kin_vec3 x = kin_rng_sphere(&key, 10 + (uint32_t)i, 3);
            if (r % 2) x = kin_v(round(x.x), round(x.y), round(x.z));
            p[i] = kin_rotate(turn, x);
        }
        kin_hull *q = NULL, *w = NULL;
        kin_result first = kin_hull_create(&a, p, n, 0, &q, NULL), second = kin_hull_wrap(&a, p, n, &w, NULL);
        refusals += first != second;
        if (q != NULL && w != NULL) {
            counts += q->vertex_count != w->vertex_count || q->edge_count != w->edge_count || q->face_count != w->face_count;
            volumes = fmax(volumes, fabs(q->volume / w->volume - 1));
            outside = fmax(outside, fmax(farthest_outside(q, p, n), farthest_outside(w, p, n)));
        }
        kin_hull_destroy(q);
        kin_hull_destroy(w);
    }
    kin_case_row(run, "quickhull, wrapping", "clouds with other counts", counts, 0, 0, "each other");
    kin_case_row(run, "quickhull, wrapping", "clouds only one refuses", refusals, 0, 0, "each other");
    kin_case_row(run, "quickhull, wrapping", "largest difference of volume", volumes, 0, 1e-12, "each other");
    kin_case_row(run, "quickhull, wrapping", "farthest point outside (slacks)", outside, 0, 1, "Coutinho 2.2.4");
}

/* ---- mass ---- */

/* Largest difference of mass, centre and inertia, relative to the body. */
static double difference(kin_mass a, kin_mass b)
{
    double size = fabs(b.inertia.xx) + fabs(b.inertia.yy) + fabs(b.inertia.zz), length = sqrt(size / b.mass);
    double most = fmax(fabs(a.mass / b.mass - 1), kin_distance(a.center, b.center) / length);
    const double *i = &a.inertia.xx, *k = &b.inertia.xx;
    for (int n = 0; n < 6; ++n) most = fmax(most, fabs(i[n] - k[n]) / size);
    return most;
}

typedef struct ways {
    kin_mass surface, faces, tetrahedra;
    bool ok;
} ways;

static ways measure(const kin_solid* s)
{
    kin_allocator a = kin_allocator_default();
    kin_mesh_view view = kin_solid_view(s);
    kin_mesh* m = NULL;
    ways w = {.ok = kin_mesh_create(&a, &view, &m, NULL) == KIN_OK};
    w.ok = w.ok && kin_mass_of_mesh(m, KIN_MASS_SURFACE, &w.surface, NULL) == KIN_OK && kin_mass_of_mesh(m, KIN_MASS_TETRAHEDRA, &w.tetrahedra, NULL) == KIN_OK;
    w.ok = w.ok && kin_mass_of_faces(&a, &view, &w.faces, NULL) == KIN_OK;
    kin_mesh_destroy(m);
    return w;
}

/* All ways of one body, at many poses. */
static void agree(kin_case_run* run, const char* name, kin_solid s)
{
    double most = 0, moved = 0;
    ways still = measure(&s);
    for (int i = 0; i < (run->full ? 100 : 10); ++i) {
        kin_rng_key key = key_of(63, (uint64_t)i);
        kin_transform pose = {kin_rng_sphere(&key, 0, 10), random_turn(&key, 1)};
        kin_solid turned = kin_solid_moved(&s, pose);
        ways w = measure(&turned);
        most = w.ok && still.ok ? fmax(most, fmax(difference(w.surface, w.tetrahedra), difference(w.faces, w.tetrahedra))) : INFINITY;
        moved = fmax(moved, difference(kin_mass_transform(still.tetrahedra, pose), w.tetrahedra));
        kin_solid_free(&turned);
    }
    kin_case_row(run, name, "surface, faces, tetrahedra: differ by", most, 0, 1e-10, "Coutinho D, House & Keyser 9.2.2");
    kin_case_row(run, name, "measured moved, or moved when measured", moved, 0, 1e-10, "parallel axes, R I R^T");
    kin_solid_free(&s);
}

static void mass_bodies(kin_case_run* run)
{
    agree(run, "L-prism", kin_solid_l_prism());
    agree(run, "torus", kin_solid_torus(2, 0.5, 60, 30));
    agree(run, "bumpy body", kin_solid_bumpy(60, 40));
    agree(run, "sphere", kin_solid_lathe(KIN_LATHE_SPHERE, 40, 24));
    agree(run, "cylinder", kin_solid_lathe(KIN_LATHE_CYLINDER, 40, 24));
    agree(run, "cone", kin_solid_lathe(KIN_LATHE_CONE, 40, 24));
    agree(run, "capsule", kin_solid_lathe(KIN_LATHE_CAPSULE, 40, 24));
    agree(run, "box", kin_solid_box(kin_v(1, 2, 3)));
    kin_solid l = kin_solid_l_prism();
    ways w = measure(&l);
    kin_mass_part boxes[2] = {{kin_mass_box(kin_v(3, 1, 1)), 1, {{1.5, 0.5, 0.5}, {0, 0, 0, 1}}},
                              {kin_mass_box(kin_v(1, 1, 1)), 1, {{0.5, 1.5, 0.5}, {0, 0, 0, 1}}}};
    kin_case_row(run, "L-prism", "differs from two boxes by", difference(w.surface, kin_mass_compound(boxes, 2)), 0, 1e-13, "closed forms");
    kin_solid_free(&l);
}

/* Polyhedra inscribed in round bodies are off by the square of the facets' angle: two of them give the limit. */
static kin_mass limit_of(kin_lathe shape, uint32_t n)
{
    kin_solid a = kin_solid_lathe(shape, n, n / 4 * 3), b = kin_solid_lathe(shape, 2 * n, n / 2 * 3);
    ways coarse = measure(&a), fine = measure(&b);
    kin_mass m = fine.surface;
    const double *i = &coarse.surface.inertia.xx, *k = &fine.surface.inertia.xx;
    m.mass = (4 * fine.surface.mass - coarse.surface.mass) / 3;
    m.center = kin_scale(kin_sub(kin_scale(fine.surface.center, 4), coarse.surface.center), 1.0 / 3);
    for (int n6 = 0; n6 < 6; ++n6) (&m.inertia.xx)[n6] = (4 * k[n6] - i[n6]) / 3;
    kin_solid_free(&a);
    kin_solid_free(&b);
    return m;
}

static void mass_forms(kin_case_run* run)
{
    uint32_t n = run->full ? 400 : 80;
    double tolerance = pow(2 * KIN_PI / n, 4); /* what is left is of fourth order */
    kin_case_row(run, "sphere", "limit of polyhedra, off by", difference(limit_of(KIN_LATHE_SPHERE, n), kin_mass_sphere(0.8)), 0, tolerance, "2/5 m r^2");
    kin_case_row(run, "cylinder", "limit of polyhedra, off by", difference(limit_of(KIN_LATHE_CYLINDER, n), kin_mass_cylinder(0.5, 1.4)), 0, tolerance,
                 "1/2 m r^2, m (3 r^2 + h^2)/12");
    kin_case_row(run, "cone", "limit of polyhedra, off by", difference(limit_of(KIN_LATHE_CONE, n), kin_mass_cone(0.6, 1.1)), 0, tolerance,
                 "3/10 m r^2, 3/20 m r^2 + 3/80 m h^2");
    kin_case_row(run, "capsule", "limit of polyhedra, off by", difference(limit_of(KIN_LATHE_CAPSULE, n), kin_mass_capsule(0.4, 0.9)), 0, tolerance,
                 "cylinder and two half balls");
    kin_solid b = kin_solid_box(kin_v(1, 2, 3));
    kin_case_row(run, "box", "polyhedron, off by", difference(measure(&b).tetrahedra, kin_mass_box(kin_v(1, 2, 3))), 0, 1e-12, "m/12 (h^2 + w^2)");
    kin_solid_free(&b);
    kin_mass shell = kin_mass_hollow_sphere(2, 1e-7);
    kin_case_row(run, "thin shell", "I / (m r^2)", shell.inertia.xx / (4 * shell.mass), 2.0 / 3, 1e-7, "2/3 m r^2");
}

static void mass_text(kin_case_run* run)
{
    kin_solid cube = kin_solid_box(kin_v(1, 1, 1)), corner = kin_solid_corner();
    ways c = measure(&cube), t = measure(&corner);
    const kin_mass* ways_of[2][3] = {{&c.surface, &c.faces, &c.tetrahedra}, {&t.surface, &t.faces, &t.tetrahedra}};
    static const char* const methods[3] = {"surface", "faces", "tetrahedra"};
    for (int i = 0; i < 3; ++i) {
        const kin_mass *unit = ways_of[0][i], *tet = ways_of[1][i];
        kin_sym3 about = kin_mass_inertia_about(*tet, kin_v(0, 0, 0));
        kin_case_row(run, methods[i], "unit cube: volume", unit->mass, 1, 1e-14, "catalog N9");
        kin_case_row(run, methods[i], "unit cube: moment", unit->inertia.zz, 1.0 / 6, 1e-14, "catalog N9");
        kin_case_row(run, methods[i], "corner tetrahedron: volume", tet->mass, 1.0 / 6, 1e-15, "catalog N9");
        kin_case_row(run, methods[i], "corner tetrahedron: centre", tet->center.y, 0.25, 1e-14, "catalog N9");
        kin_case_row(run, methods[i], "corner tetrahedron: integral of x^2", 0.5 * (about.yy + about.zz - about.xx), 1.0 / 60, 1e-15, "catalog N9");
        kin_case_row(run, methods[i], "corner tetrahedron: integral of xy", -about.xy, 1.0 / 120, 1e-15, "catalog N9");
        kin_case_row(run, methods[i], "corner tetrahedron: central moment", tet->inertia.xx, 1.0 / 80, 1e-15, "catalog N9");
        kin_case_row(run, methods[i], "corner tetrahedron: central product", -tet->inertia.xy, -1.0 / 480, 1e-15, "catalog N9");
    }
    kin_solid_free(&cube);
    kin_solid_free(&corner);
}

static void mass_voxels(kin_case_run* run)
{
    kin_allocator a = kin_allocator_default();
    kin_solid cube = kin_solid_box(kin_v(1, 1, 1)), body = kin_solid_bumpy(60, 40);
    kin_mesh *m = NULL, *b = NULL;
    kin_mesh_view cube_view = kin_solid_view(&cube), body_view = kin_solid_view(&body);
    bool ok = kin_mesh_create(&a, &cube_view, &m, NULL) == KIN_OK && kin_mesh_create(&a, &body_view, &b, NULL) == KIN_OK;
    for (uint32_t n = 1; ok && n <= 20; n += n < 4 ? 1 : 3) {
        kin_mass got = {0};
        char quantity[64];
        snprintf(quantity, sizeof quantity, "aligned cube, %u a side: I / exact", n);
        ok = kin_mass_of_voxels(&a, m, n, NULL, NULL, &got, NULL) == KIN_OK;
        kin_case_row(run, "voxels", quantity, 6 * got.inertia.xx, 1 - 1.0 / (n * n), 1e-13, "1 - 1/N^2, House & Keyser 9.2.2");
    }
    kin_mass exact = {0};
    ok = ok && kin_mass_of_mesh(b, KIN_MASS_SURFACE, &exact, NULL) == KIN_OK;
    for (uint32_t n = 20; ok && n <= (run->full ? 640u : 160u); n *= 2) {
        kin_mass got = {0};
        char quantity[64];
        snprintf(quantity, sizeof quantity, "bumpy body, %u a side: differs by", n);
        ok = kin_mass_of_voxels(&a, b, n, NULL, NULL, &got, NULL) == KIN_OK;
        kin_case_row(run, "voxels", quantity, difference(got, exact), 0, 0.3 / n, "converges, House & Keyser 9.2.1");
    }
    if (!ok) kin_case_row(run, "voxels", "made", 0, 1, 0, "");
    kin_mesh_destroy(m);
    kin_mesh_destroy(b);
    kin_solid_free(&cube);
    kin_solid_free(&body);
}

const kin_case kin_cases_hulls[] = {
    {"collision/hull-platonic", "regular solids buried in points of their faces and edges: counts, volume, containment", platonic},
    {"collision/hull-sphere", "random points of a sphere: all are vertices, the volume has its known mean", hull_sphere},
    {"collision/hull-wrapping", "quickhull and gift wrapping agree, coplanar and duplicate points too", hull_wrapping},
    {"collision/mass-text", "the numbers of the text, by every exact method", mass_text},
    {"collision/mass-bodies", "primitives, L-prism, torus and a bumpy body: surface integrals and tetrahedra agree", mass_bodies},
    {"collision/mass-forms", "closed forms are the limits of finer polyhedra", mass_forms},
    {"collision/mass-voxels", "cells inside: the known factor for aligned boxes, convergence for others", mass_voxels},
    {NULL, NULL, NULL},
};
