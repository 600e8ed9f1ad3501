/* impacts.c - continuous tests and times of impact: the texts' numbers, closed forms, and fine sampling in time: none missed, none late. */
#include "collision/continuous/linear.h"
#include "collision/form/skin.h"
#include "collision/manifold/manifold.h"
#include "math/primitive.h"
#include "validation/cases.h"
#include "validation/collision/dice.h"
#include "validation/collision/pair.h"
#include "validation/collision/solids.h"
#include <math.h>

static kin_mover still(double x, double y, double z) { return (kin_mover){{x, y, z}, {x, y, z}}; }
static kin_mover go(double x, double y, double z, double u, double v, double w) { return (kin_mover){{x, y, z}, {u, v, w}}; }

/* ---- the texts' numbers ---- */

static void numbers(kin_case_run* run)
{
    const kin_mover face[3] = {still(0, 0, 0), still(1, 0, 0), still(0, 1, 0)};
    const kin_vec3 one = {1, 1, 1};
    kin_impact m = {.t = NAN};
    bool hit = kin_impact_vertex_face(go(0.25, 0.25, 1, 0.25, 0.25, -1), face, &m);
    kin_case_row(run, "vertex-face", "time through the triangle z = 0", hit ? m.t : NAN, 0.5, 1e-15, "Coutinho 2.5.15");
    hit = kin_impact_spheres(go(-5, 0, 0, 5, 0, 0), 1, still(0, 0, 0), 1, &m);
    kin_case_row(run, "sphere-sphere", "time of radii 1, 1 from -5 to 5", hit ? m.t : NAN, 0.3, 1e-15, "Coutinho 2.5.16");
    hit = kin_impact_boxes(go(-5, 0, 0, 5, 0, 0), one, still(0, 0, 0), one, &m);
    kin_case_row(run, "box-box", "time of the same boxes", hit ? m.t : NAN, 0.3, 1e-15, "Coutinho 2.5.17");
    kin_case_row(run, "box-box", "offset by 3 they miss", kin_impact_boxes(go(-5, 3, 0, 5, 3, 0), one, still(0, 0, 0), one, &m), 0, 0, "Coutinho 2.5.17");
    hit = kin_impact_vertex_face(go(-1, 0.5, 0, 1, 0.5, 0), face, &m);
    kin_case_row(run, "coplanar", "time of entry through a side", hit ? m.t : NAN, 0.5, 1e-12, "Coutinho 2.5.15, case 2");
    hit = kin_impact_vertex_edge(go(-1, 0, 0, 0.5, 0, 0), face, &m);
    kin_case_row(run, "collinear", "time at the end of an edge", hit ? m.t : NAN, 2.0 / 3, 1e-12, "Coutinho 2.5.15, case 3");
    const kin_mover line[2] = {still(-1, 0, 0), still(1, 0, 0)}, dip[2] = {go(0, -1, -0.5, 0, -1, 0.5), go(0, -0.5, 0, 0, 0.5, 0)};
    hit = kin_impact_edges(line, dip, &m);
    kin_case_row(run, "double root", "time of a touch that does not cross", hit ? m.t : NAN, 0.5, 1e-7, "Coutinho exercise 2.6");
}

/* ---- triangles against sampling ---- */

static bool crosses(const kin_mover a[3], const kin_mover b[3], double s)
{
    for (int side = 0; side < 2; ++side) {
        const kin_mover *x = side == 0 ? a : b, *y = side == 0 ? b : a;
        kin_vec3 p = kin_mover_at(y[0], s), q = kin_mover_at(y[1], s), r = kin_mover_at(y[2], s), n = kin_cross(kin_sub(q, p), kin_sub(r, p));
        for (int k = 0; k < 3; ++k) {
            kin_vec3 u = kin_mover_at(x[k], s), v = kin_mover_at(x[(k + 1) % 3], s);
            double du = kin_dot(n, kin_sub(u, p)), dv = kin_dot(n, kin_sub(v, p));
            if ((du > 0) == (dv > 0)) continue;
            kin_feature feature;
            kin_vec3 at_plane = kin_lerp(u, v, du / (du - dv));
            if (kin_distance(at_plane, kin_closest_on_triangle(p, q, r, at_plane, &feature)) < 1e-12) return true;
        }
    }
    return false;
}

static void triangles(kin_case_run* run)
{
    kin_dice d = {1};
    int pairs = run->full ? 100000 : 2000, missed = 0, hits = 0;
    for (int i = 0; i < pairs; ++i) {
        kin_mover a[3], b[3];
        kin_vec3 away = kin_scale(kin_dice_direction(&d), 1.5);
        for (int k = 0; k < 3; ++k) {
            a[k] = (kin_mover){kin_add(kin_dice_vec3(&d, 1), away), kin_dice_vec3(&d, 1)};
            b[k] = (kin_mover){kin_dice_vec3(&d, 1), kin_dice_vec3(&d, 1)};
        }
        if (crosses(a, b, 0)) continue;
        kin_impact m;
        bool found = kin_impact_triangles(a, b, &m);
        double end = found ? m.t : 1;
        bool late = false;
        for (int s = 1; s < 64 && !late; ++s) late = crosses(a, b, end * s / 64 - 1e-9);
        missed += late;
        hits += found;
    }
    kin_case_row(run, "15 cubics", "pairs missed or late, of random motions", missed, 0, 0, "64 samples in time");
    kin_case_row(run, "15 cubics", "share that meets is neither 0 nor 1", hits > pairs / 10 && hits < pairs * 9 / 10, 1, 0, "the test bites");
}

/* ---- conservative advancement ---- */

static kin_screw shift(kin_vec3 from, kin_vec3 to) { return kin_screw_between(kin_case_at(from.x, from.y, from.z), kin_case_at(to.x, to.y, to.z)); }

static void advancement(kin_case_run* run)
{
    const kin_shape cube = {.kind = KIN_SHAPE_BOX, .size = {1, 1, 1}}, bullet = {.kind = KIN_SHAPE_SPHERE, .radius = 0.005},
                    plate = {.kind = KIN_SHAPE_BOX, .size = {1, 1, 0.001}};
    kin_impact_settings settings = kin_impact_defaults();
    settings.tolerance = 1e-9;
    kin_screw rest = kin_screw_still(kin_case_at(0, 0, 0));
    kin_impact m;
    kin_case_pair p = kin_case_pair_open(cube, cube);
    kin_screw meet = shift(kin_v(-4, 0, 0), kin_v(0, 0, 0)); /* gap 3, speed 2, interval 2: 1.5 s */
    bool hit = kin_impact_find(p.a, &meet, p.b, &rest, &settings, &p.arena, &m);
    kin_case_row(run, "advance", "time over gap 3 at closing speed 2, s", hit ? 2 * m.t : NAN, 1.5, 1e-8, "Coutinho H13; N11");
    kin_case_row(run, "advance", "steps of the clock, face to face", m.iterations, 2, 0, "Coutinho H13: one step, and the look that ends it");
    int advance = m.iterations;
    settings.method = KIN_IMPACT_BISECT;
    kin_impact_find(p.a, &meet, p.b, &rest, &settings, &p.arena, &m);
    kin_case_row(run, "bisect", "looks are more than the clock's steps", m.iterations > advance, 1, 0, "Coutinho 1.4.6");
    kin_case_pair_close(&p);
    p = kin_case_pair_open(bullet, plate);
    settings.method = KIN_IMPACT_ADVANCE;
    int missed = 0;
    double worst = 0;
    for (int i = 0; i < 16; ++i) {
        double way = 0.1 * (1 << i);
        kin_screw shot = shift(kin_v(0.3, 0.2, -0.05), kin_v(0.3, 0.2, -0.05 + way));
        bool found = kin_impact_find(p.a, &shot, p.b, &rest, &settings, &p.arena, &m);
        missed += !found;
        worst = fmax(worst, found ? fabs(m.t * way - 0.0445) : 0);
    }
    kin_case_row(run, "advance", "bullets missed by a 1 mm plate, steps up to 3 km", missed, 0, 0, "Coutinho 4.8");
    kin_case_row(run, "advance", "where they meet, worst error, m", worst, 0, 2e-9, "closed form");
    kin_case_pair_close(&p);
}

/* Random convex pairs that turn and shift: no overlap before the time found, a touch at it, and none found where none is. */
static void turning(kin_case_run* run)
{
    kin_dice d = {2};
    kin_vec3 corners[12];
    for (int i = 0; i < 12; ++i) corners[i] = kin_scale(kin_dice_direction(&d), 0.5);
    const kin_shape shapes[] = {{.kind = KIN_SHAPE_BOX, .size = {0.5, 0.7, 0.3}},
                                {.kind = KIN_SHAPE_CAPSULE, .radius = 0.2, .length = 0.5},
                                {.kind = KIN_SHAPE_CYLINDER, .radius = 0.3, .length = 0.5},
                                {.kind = KIN_SHAPE_CONE, .radius = 0.4, .length = 0.6},
                                {.kind = KIN_SHAPE_HULL, .points = {corners, 12}}};
    kin_impact_settings settings = kin_impact_defaults();
    int rounds = run->full ? 4000 : 40, late = 0, loose = 0, hits = 0;
    for (int i = 0; i < 25; ++i) {
        kin_case_pair p = kin_case_pair_open(shapes[i / 5], shapes[i % 5]);
        for (int k = 0; k < rounds; ++k) {
            kin_screw a = kin_screw_between((kin_transform){kin_scale(kin_dice_direction(&d), 1.5), kin_dice_turn(&d)},
                                            (kin_transform){kin_dice_vec3(&d, 0.3), kin_dice_turn(&d)});
            kin_screw b = kin_screw_between((kin_transform){{0, 0, 0}, kin_dice_turn(&d)}, (kin_transform){kin_dice_vec3(&d, 0.3), kin_dice_turn(&d)});
            kin_impact m;
            kin_manifold near;
            bool found = kin_impact_find(p.a, &a, p.b, &b, &settings, &p.arena, &m);
            double end = found ? m.t : 1;
            bool early = false;
            for (int s = 0; s < 40 && !early; ++s) {
                kin_transform pa = kin_screw_at(&a, end * s / 40), pb = kin_screw_at(&b, end * s / 40);
                early = kin_collide(p.a, pa, p.b, pb, -1e-5, NULL, &p.arena, &near, 1) > 0;
            }
            late += early;
            loose += found && kin_collide(p.a, kin_screw_at(&a, m.t), p.b, kin_screw_at(&b, m.t), 1e-5, NULL, &p.arena, &near, 1) == 0;
            hits += found;
        }
        kin_case_pair_close(&p);
    }
    kin_case_row(run, "advance", "turning pairs that overlap before their time", late, 0, 0, "40 samples in time");
    kin_case_row(run, "advance", "turning pairs that do not touch at it", loose, 0, 0, "distance < 1e-5 m");
    kin_case_row(run, "advance", "some meet, some do not", hits > rounds && hits < 25 * rounds, 1, 0, "the test bites");
}

/* ---- X2.4, X2.5: what the quick proofs and the sharing of corners and edges save, and that it costs nothing ---- */

typedef struct moving_pair {
    kin_mover a[3], b[3];
} moving_pair;

/* Triangles of about 1 m that shift by 0.3 m, near each other or not. */
static moving_pair next_pair(kin_dice* d)
{
    moving_pair p;
    kin_vec3 away = kin_dice_vec3(d, 2);
    for (int k = 0; k < 3; ++k) {
        kin_vec3 x = kin_add(kin_dice_vec3(d, 0.5), away), y = kin_dice_vec3(d, 0.5);
        p.a[k] = (kin_mover){x, kin_add(x, kin_dice_vec3(d, 0.3))};
        p.b[k] = (kin_mover){y, kin_add(y, kin_dice_vec3(d, 0.3))};
    }
    return p;
}

/* Of the fifteen tests of a pair, those that meet though the proof says that they do not. */
static int lost_by_same_side(const moving_pair* p)
{
    int lost = 0;
    kin_impact m;
    for (int i = 0; i < 3; ++i) {
        lost += kin_vertex_face_apart(p->a[i], p->b) && kin_impact_vertex_face(p->a[i], p->b, &m);
        lost += kin_vertex_face_apart(p->b[i], p->a) && kin_impact_vertex_face(p->b[i], p->a, &m);
        for (int k = 0; k < 3; ++k) {
            const kin_mover ea[2] = {p->a[i], p->a[(i + 1) % 3]}, eb[2] = {p->b[k], p->b[(k + 1) % 3]};
            lost += kin_edges_apart(ea, eb) && kin_impact_edges(ea, eb, &m);
        }
    }
    return lost;
}

static void same_side(kin_case_run* run)
{
    kin_dice d = {3};
    kin_impact_work work = {0};
    const kin_triangle_share all = {KIN_TRIANGLE_OWNS_ALL};
    int lost = 0, n = run->full ? 200000 : 20000;
    for (int i = 0; i < n; ++i) {
        moving_pair p = next_pair(&d);
        kin_impact m;
        kin_impact_shared_triangles(p.a, all, p.b, all, &work, &m);
        lost += lost_by_same_side(&p);
    }
    kin_case_row(run, "same side", "it ends more than half of the tests", 2 * work.apart > work.tests, 1, 0, "Coutinho exercise 2.4a");
    kin_case_row(run, "same side", "meetings lost by it", lost, 0, 0, "Coutinho exercise 2.4a");
}

/* The volume of a vertex over a face changes its sign between two of many looks: the cubic has a root there. */
static bool changes_sign(kin_mover a, const kin_mover b[3])
{
    enum { LOOKS = 256 };
    double last = 0;
    for (int i = 0; i <= LOOKS; ++i) {
        double s = (double)i / LOOKS;
        kin_vec3 p = kin_mover_at(b[0], s);
        double volume = kin_triple(kin_sub(kin_mover_at(a, s), p), kin_sub(kin_mover_at(b[1], s), p), kin_sub(kin_mover_at(b[2], s), p));
        if (i > 0 && (volume > 0) != (last > 0)) return true;
        last = volume;
    }
    return false;
}

static void sturm_chain(kin_case_run* run)
{
    kin_dice d = {4};
    int rooted = 0, ended = 0, denied = 0, lost = 0, n = run->full ? 200000 : 20000;
    for (int i = 0; i < n; ++i) {
        moving_pair p = next_pair(&d);
        kin_impact m;
        bool none = kin_vertex_face_rootless(p.a[0], p.b), crosses_plane = changes_sign(p.a[0], p.b);
        rooted += crosses_plane, ended += none;
        denied += none && crosses_plane;
        lost += none && kin_impact_vertex_face(p.a[0], p.b, &m);
    }
    kin_case_row(run, "Sturm chain", "roots denied that are there", denied, 0, 0, "257 samples of each cubic");
    kin_case_row(run, "Sturm chain", "meetings lost by it", lost, 0, 0, "Coutinho exercise 2.5");
    kin_case_row(run, "Sturm chain", "there are many of both", ended > n / 10 && rooted > n / 10, 1, 0, "the test bites");
}

/* The first meeting of two skins with every triangle asking for all its corners and edges. */
static double first_unshared(const kin_skin* a, const kin_screw* motion, const kin_skin* b, uint64_t* tests)
{
    const kin_triangle_share all = {KIN_TRIANGLE_OWNS_ALL};
    kin_impact_work work = {0};
    double first = INFINITY;
    for (size_t i = 0; i < a->triangle_count * b->triangle_count; ++i) {
        moving_pair p;
        kin_impact m;
        for (int k = 0; k < 3; ++k) {
            kin_vec3 x = a->positions[a->triangles[i / b->triangle_count][k]], y = b->positions[b->triangles[i % b->triangle_count][k]];
            p.a[k] = (kin_mover){kin_apply(motion->start, x), kin_apply(motion->end, x)};
            p.b[k] = (kin_mover){y, y};
        }
        if (kin_impact_shared_triangles(p.a, all, p.b, all, &work, &m)) first = fmin(first, m.t);
    }
    *tests = work.tests;
    return first;
}

/* Two tori of 16 x 8 quads, V = 128 corners, E = 384 edges, F = 256 triangles. One flies diagonally across the other, so that the boxes of all pairs overlap
 * and nothing but the sharing spares tests: 2 V F + E^2 of 15 F^2. */
static void sharing(kin_case_run* run)
{
    kin_dice d = {5};
    kin_solid ring = kin_solid_torus(0.5, 0.2, 16, 8);
    const kin_shape torus = {.kind = KIN_SHAPE_MESH, .mesh = kin_solid_view(&ring)};
    kin_case_pair p = kin_case_pair_open(torus, torus);
    kin_allocator allocator = kin_allocator_default();
    kin_impact_settings settings = {.method = KIN_IMPACT_FEATURES, .tolerance = 1e-9};
    kin_screw rest = kin_screw_still(kin_case_at(0, 0, 0));
    kin_skin skin;
    kin_skin_init(&allocator, p.a, &skin);
    int differ = 0, met = 0, rounds = run->full ? 40 : 8;
    double worst = 0;
    uint64_t shared = 0, unshared = 0;
    for (int i = 0; i < rounds; ++i) {
        kin_vec3 aside = kin_dice_vec3(&d, 1.2);
        kin_quat turn = kin_dice_turn(&d);
        kin_screw flight = kin_screw_between((kin_transform){kin_add(kin_v(-3, -3, -3), aside), turn}, (kin_transform){kin_add(kin_v(3, 3, 3), aside), turn});
        kin_impact m;
        bool found = kin_impact_find(p.a, &flight, p.b, &rest, &settings, &p.arena, &m);
        double first = first_unshared(&skin, &flight, &skin, &unshared);
        shared = (uint64_t)m.iterations;
        met += found;
        differ += found != isfinite(first);
        if (found) worst = fmax(worst, fabs(m.t - first));
    }
    kin_case_row(run, "sharing", "tests of two tori, every corner and edge once", (double)shared, 2 * 128 * 256 + 384 * 384, 0, "V F + F V + E E");
    kin_case_row(run, "sharing", "tests with nothing shared", (double)unshared, 15 * 256 * 256, 0, "15 for each pair of triangles");
    kin_case_row(run, "sharing", "meetings found by one and not by the other", differ, 0, 0, "Coutinho exercise 2.4b");
    kin_case_row(run, "sharing", "times of the first meetings, worst difference", worst, 0, 1e-14, "an edge run the other way: last bits");
    kin_case_row(run, "sharing", "some meet, some do not", met > 0 && met < rounds, 1, 0, "the test bites");
    kin_skin_term(&skin);
    kin_case_pair_close(&p);
    kin_solid_free(&ring);
}

static void savings(kin_case_run* run)
{
    same_side(run);
    sturm_chain(run);
    sharing(run);
}

const kin_case kin_cases_impacts[] = {
    {"collision/continuous", "Times, points and normals of straight movers.", numbers},
    {"collision/continuous-triangles", "Fifteen cubics against samples in time.", triangles},
    {"collision/advancement", "Conservative advancement: closed forms.", advancement},
    {"collision/impacts", "Turning convex pairs against samples in time.", turning},
    {"collision/savings", "Quick proofs that two movers do not meet, and tests shared by triangles.", savings},
    {NULL, NULL, NULL},
};
