/* volumes.c - bounding volumes and their trees: Coutinho 2.1 to 2.5, 4.14 and 5.5, House & Keyser 10.2. Brute force is the judge wherever there is no closed form. */
#include "base/jobs.h"
#include "geometry/volumes/descent.h"
#include "geometry/volumes/links.h"
#include "math/random.h"
#include "validation/cases.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLOUD = 40 };

static kin_rng_key key_of(uint64_t topic, uint64_t serial) { return (kin_rng_key){.seed = topic, .serial = serial}; }

static kin_transform random_pose(const kin_rng_key* key, uint32_t draw, double reach)
{
    kin_vec3 axis = kin_rng_direction(key, draw), at = kin_rng_sphere(key, draw + 1, reach);
    return (kin_transform){at, kin_quat_axis_angle(axis, kin_rng_uniform(key, draw + 2, 0, 2 * KIN_PI))};
}

/* Points in a turned ellipsoid, 5 : 2 : 1. */
static void random_cloud(uint64_t serial, kin_vec3* points, int count)
{
    kin_rng_key key = key_of(41, serial);
    kin_transform pose = random_pose(&key, 0, 3);
    for (int i = 0; i < count; ++i) points[i] = kin_apply(pose, kin_mul(kin_rng_sphere(&key, 10 + (uint32_t)i, 1), kin_v(5, 2, 1)));
}

/* ---- spheres ---- */

/* The sphere through up to four points by Cramer's rule: another way than the engine's. */
static bool circumscribe(const kin_vec3* p, int n, kin_bound_sphere* out)
{
    kin_vec3 a = kin_sub(p[n > 1 ? 1 : 0], p[0]), b = kin_sub(p[n > 2 ? 2 : 0], p[0]), c = kin_sub(p[n > 3 ? 3 : 0], p[0]), at = {0, 0, 0};
    if (n == 2) at = kin_scale(a, 0.5);
    if (n == 3) {
        kin_vec3 normal = kin_cross(a, b);
        double twice = 2 * kin_length2(normal);
        if (twice < 1e-12) return false;
        at = kin_scale(kin_add(kin_scale(kin_cross(normal, a), kin_length2(b)), kin_scale(kin_cross(b, normal), kin_length2(a))), 1 / twice);
    }
    if (n == 4) {
        double det = 2 * kin_triple(a, b, c);
        if (fabs(det) < 1e-12) return false;
        kin_vec3 sum = kin_add(kin_scale(kin_cross(b, c), kin_length2(a)),
                               kin_add(kin_scale(kin_cross(c, a), kin_length2(b)), kin_scale(kin_cross(a, b), kin_length2(c))));
        at = kin_scale(sum, 1 / det);
    }
    *out = (kin_bound_sphere){kin_add(p[0], at), kin_length(at)};
    return true;
}

static double brute_smallest(const kin_vec3* p, int count)
{
    double best = INFINITY;
    for (unsigned set = 1; set < 1u << count; ++set) {
        kin_vec3 on[4];
        int n = 0;
        for (int i = 0; i < count && n <= 4; ++i) {
            if (set >> i & 1 && n++ < 4) on[n - 1] = p[i];
        }
        kin_bound_sphere s;
        if (n > 4 || !circumscribe(on, n, &s) || s.radius >= best) continue;
        if (kin_sphere_at(s.center, p, (size_t)count).radius <= s.radius * (1 + 1e-10)) best = s.radius;
    }
    return best;
}

static void case_spheres(kin_case_run* run)
{
    kin_bound_sphere grown = kin_sphere_grow((kin_bound_sphere){{0, 0, 0}, 1}, kin_v(3, 0, 0));
    kin_case_row(run, "ritter", "c = 0, r = 1 grown to (3, 0, 0): centre x (m)", grown.center.x, 1, 1e-15, "Coutinho 2.2.3, erratum");
    kin_case_row(run, "ritter", "c = 0, r = 1 grown to (3, 0, 0): radius (m)", grown.radius, 2, 1e-15, "Coutinho 2.2.3");
    double worst = 0, outside = 0, less = 0;
    int rounds = run->full ? 2000 : 200;
    for (int i = 0; i < rounds; ++i) {
        kin_vec3 p[10];
        random_cloud((uint64_t)i, p, 10);
        kin_bound_sphere ball = kin_sphere_smallest(p, 10), ritter = kin_sphere_ritter(p, 10);
        worst = fmax(worst, fabs(ball.radius / brute_smallest(p, 10) - 1));
        less += ritter.radius < ball.radius * (1 - 1e-14);
        for (int k = 0; k < 10; ++k)
            outside += kin_distance(p[k], ball.center) > ball.radius * (1 + 1e-15) || kin_distance(p[k], ritter.center) > ritter.radius * (1 + 1e-15);
    }
    kin_case_row(run, "smallest", "radius against all sets of four, worst ratio - 1", worst, 0, 1e-10, "brute force");
    kin_case_row(run, "smallest", "clouds where Ritter's is smaller", less, 0, 0, "definition");
    kin_case_row(run, "both", "points outside", outside, 0, 0, "definition");
}

/* C1.4.1a: radius + |centre - centre of mass| holds every vertex at 10^4 random rotations. */
static void case_rotation_sphere(kin_case_run* run)
{
    kin_vec3 p[CLOUD], mass_center = {0.4, -1, 2};
    random_cloud(7, p, CLOUD);
    kin_bound_sphere s = kin_sphere_rotation(kin_sphere_smallest(p, CLOUD), mass_center);
    double outside = 0, farthest = 0;
    for (uint64_t i = 0; i < 10000; ++i) {
        kin_rng_key key = key_of(42, i);
        kin_quat q = random_pose(&key, 0, 1).orientation;
        for (int k = 0; k < CLOUD; ++k) {
            double at = kin_length(kin_rotate(q, kin_sub(p[k], mass_center)));
            farthest = fmax(farthest, at);
            outside += at > s.radius * (1 + 1e-14);
        }
    }
    kin_case_row(run, "rotation sphere", "vertices outside, 10^4 rotations", outside, 0, 0, "Coutinho 1.4.1");
    kin_case_row(run, "at the mass centre", "radius against the farthest vertex (m)", kin_sphere_at(mass_center, p, CLOUD).radius, farthest, 1e-13,
                 "House & Keyser 10.2.1");
}

/* X2.3: which is tighter, Ritter in the world's frame or in the cloud's own? The smallest ball is the same in both; against it the own axes win on long clouds, for
 * their first diameter is the cloud's, and win nothing on round ones. */
static void eigenframe(kin_case_run* run, const char* cloud, kin_vec3 shape, double excess)
{
    kin_allocator none = kin_allocator_default();
    double world = 0, own = 0;
    int rounds = run->full ? 2000 : 300;
    for (int i = 0; i < rounds; ++i) {
        kin_rng_key key = key_of(43, (uint64_t)i);
        kin_transform pose = random_pose(&key, 0, 2);
        kin_vec3 p[200];
        for (uint32_t k = 0; k < 200; ++k) p[k] = kin_apply(pose, kin_mul(kin_rng_direction(&key, 10 + k), shape));
        kin_bound a, b;
        kin_bound_fit(KIN_BOUND_SPHERE, &none, p, 200, &a);
        kin_bound_fit(KIN_BOUND_SPHERE_EIGEN, &none, p, 200, &b);
        double best = kin_sphere_smallest(p, 200).radius;
        world += a.sphere.radius / best / rounds, own += b.sphere.radius / best / rounds;
    }
    char quantity[64];
    snprintf(quantity, sizeof quantity, "%s: mean radius over the smallest", cloud);
    kin_case_row(run, "ritter, world axes", quantity, world, 1, 0.1, "smallest ball");
    kin_case_row(run, "ritter, own axes", quantity, own, 1, excess, "smallest ball");
    snprintf(quantity, sizeof quantity, "%s: own axes over world axes, at most 1.005", cloud);
    kin_case_row(run, "both", quantity, fmax(own / world, 1), 1, 0.005, "Coutinho 2.7 Ex 3");
}

static void case_eigenframe(kin_case_run* run)
{
    eigenframe(run, "5 : 2 : 1", kin_v(5, 2, 1), 0.02);
    eigenframe(run, "2 : 2 : 1", kin_v(2, 2, 1), 0.1);
    eigenframe(run, "round", kin_v(1, 1, 1), 0.1);
}

/* ---- k-dops and oriented boxes ---- */

static double volume_of(kin_bound_kind kind, const kin_vec3* p, size_t count)
{
    kin_allocator allocator = kin_allocator_default();
    kin_bound b = {.kind = kind};
    if (kin_bound_fit(kind, &allocator, p, count, &b) != KIN_OK) return NAN;
    double volume = kin_bound_volume(&b);
    kin_bound_term(&b, &allocator);
    return volume;
}

static void case_kdops(kin_case_run* run)
{
    double along = kin_kdop_project(4, kin_v(2, 3, 7)) / kin_length(kin_kdop_axis(4));
    kin_case_row(run, "projection", "(2, 3, 7) on x + y - z, normalised", along, -2 / sqrt(3), 1e-15, "House & Keyser 10.2.1, erratum");
    const kin_vec3 octahedron[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    kin_case_row(run, "dop6", "round the octahedron: volume (m^3)", volume_of(KIN_BOUND_DOP6, octahedron, 6), 8, 1e-12, "closed form");
    kin_case_row(run, "dop14", "round the octahedron: volume (m^3)", volume_of(KIN_BOUND_DOP14, octahedron, 6), 4.0 / 3, 1e-12, "closed form");
    kin_case_row(run, "dop18", "round the octahedron: volume (m^3)", volume_of(KIN_BOUND_DOP18, octahedron, 6), 2, 1e-12, "closed form");
    double wrong = 0;
    for (uint64_t i = 0; i < (run->full ? 1000 : 100); ++i) {
        kin_vec3 p[CLOUD];
        random_cloud(i, p, CLOUD);
        double v26 = volume_of(KIN_BOUND_DOP26, p, CLOUD), v18 = volume_of(KIN_BOUND_DOP18, p, CLOUD), v14 = volume_of(KIN_BOUND_DOP14, p, CLOUD);
        double hull = volume_of(KIN_BOUND_HULL, p, CLOUD), box = volume_of(KIN_BOUND_AABB, p, CLOUD);
        wrong += !(hull <= v26 && v26 <= v18 && v26 <= v14 && v18 <= box && v14 <= box);
    }
    kin_case_row(run, "all", "clouds where hull <= 26 <= 18, 14 <= box fails", wrong, 0, 0, "House & Keyser 10.2.1");
}

static void case_obb(kin_case_run* run)
{
    kin_vec3 cube[8];
    static const uint32_t faces[12][3] = {{0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}, {0, 1, 5}, {0, 5, 4},
                                          {2, 6, 7}, {2, 7, 3}, {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};
    kin_obb_corners((kin_obb){{0, 0, 0}, kin_mat3_identity(), {1, 1, 1}}, cube);
    kin_sym3 c = {0};
    kin_covariance_of_surface(cube, faces, 12, &c);
    double off = fmax(fabs(c.xy), fmax(fabs(c.xz), fabs(c.yz)));
    kin_case_row(run, "surface", "covariance of the cube's surface, diagonal (m^2)", (c.xx + c.yy + c.zz) / 3, 5.0 / 9, 1e-15, "Coutinho 2.2.2");
    kin_case_row(run, "surface", "covariance of the cube's surface, off it (m^2)", off, 0, 1e-15, "Coutinho 2.2.2");
    double worst[3] = {0}, spoiled = INFINITY;
    for (uint64_t i = 0; i < 100; ++i) {
        kin_rng_key key = key_of(44, i);
        kin_transform pose = random_pose(&key, 0, 5);
        kin_vec3 p[108];
        kin_obb_corners((kin_obb){{0, 0, 0}, kin_mat3_identity(), {0.5, 1, 1.75}}, p); /* 1 x 2 x 3.5 */
        for (uint32_t k = 8; k < 58; ++k) p[k] = kin_mul(kin_rng_sphere(&key, k, 0.9), kin_v(0.5, 1, 1.75));
        for (uint32_t k = 58; k < 108; ++k) p[k] = kin_v(0.5, 1, kin_rng_uniform(&key, k, 1.4, 1.75));
        for (int k = 0; k < 108; ++k) p[k] = kin_apply(pose, p[k]);
        worst[0] = fmax(worst[0], fabs(volume_of(KIN_BOUND_OBB, p, 8) - 7));
        worst[1] = fmax(worst[1], fabs(volume_of(KIN_BOUND_OBB_HULL, p, 8) - 7));
        worst[2] = fmax(worst[2], fabs(volume_of(KIN_BOUND_OBB_HULL, p, 108) - 7));
        spoiled = fmin(spoiled, volume_of(KIN_BOUND_OBB, p, 108));
    }
    kin_case_row(run, "obb", "turned box 1 x 2 x 3.5: worst error of volume (m^3)", worst[0], 0, 1e-11, "Coutinho 2.2.2: abc");
    kin_case_row(run, "obb-hull", "turned box 1 x 2 x 3.5: worst error of volume (m^3)", worst[1], 0, 1e-11, "Coutinho 2.2.2: abc");
    kin_case_row(run, "obb-hull", "with points inside and a crowd on an edge (m^3)", worst[2], 0, 1e-11, "Coutinho 2.2.2: abc");
    kin_case_row(run, "obb", "the same is spoiled (1: always above 7)", spoiled > 7.001, 1, 0, "Coutinho 2.2.2");
}

/* ---- separating axes ---- */

static bool shadows_apart(const kin_vec3* p, const kin_vec3* q, kin_vec3 d)
{
    double pl = INFINITY, ph = -INFINITY, ql = INFINITY, qh = -INFINITY;
    for (int i = 0; i < 8; ++i) {
        pl = fmin(pl, kin_dot(p[i], d)), ph = fmax(ph, kin_dot(p[i], d));
        ql = fmin(ql, kin_dot(q[i], d)), qh = fmax(qh, kin_dot(q[i], d));
    }
    return ph < ql || qh < pl;
}

/* Corners projected on every axis; the text's i != j when diagonal is false. */
static bool generic_overlap(const kin_obb* a, const kin_obb* b, bool diagonal)
{
    kin_vec3 p[8], q[8];
    kin_obb_corners(*a, p), kin_obb_corners(*b, q);
    for (int i = 0; i < 3; ++i) {
        if (shadows_apart(p, q, kin_mat3_column(a->axes, i)) || shadows_apart(p, q, kin_mat3_column(b->axes, i))) return false;
        for (int k = 0; k < 3; ++k) {
            if ((diagonal || i != k) && shadows_apart(p, q, kin_cross(kin_mat3_column(a->axes, i), kin_mat3_column(b->axes, k)))) return false;
        }
    }
    return true;
}

static kin_obb random_box(const kin_rng_key* key, uint32_t draw)
{
    kin_transform pose = random_pose(key, draw, 2);
    kin_vec3 half = {kin_rng_uniform(key, draw + 3, 0.2, 1), kin_rng_uniform(key, draw + 4, 0.2, 1), kin_rng_uniform(key, draw + 5, 0.2, 1)};
    return (kin_obb){pose.position, kin_quat_to_matrix(pose.orientation), half};
}

static void case_box_axes(kin_case_run* run)
{
    double wrong = 0, missed = 0, more = 0, apart = 0, text = 0;
    for (uint64_t i = 0; i < 20000; ++i) {
        kin_rng_key key = key_of(45, i);
        kin_obb a = random_box(&key, 0), b = random_box(&key, 10);
        bool truth = generic_overlap(&a, &b, true), six = kin_obb_overlaps_6(&a, &b);
        wrong += kin_obb_overlaps(&a, &b) != truth;
        missed += truth && !six;
        more += six && !truth;
        apart += !truth;
        text += generic_overlap(&a, &b, false) != truth;
    }
    kin_case_row(run, "15 axes", "pairs of 20000 that differ from generic axes", wrong, 0, 0, "Coutinho 2.5.3: brute force");
    kin_case_row(run, "6 axes", "pairs that touch and are missed", missed, 0, 0, "House & Keyser 10.2.1");
    kin_case_row(run, "6 axes", "share of pairs apart that are kept", more / apart, 0.06, 0.04, "van den Bergen 1997: about 6 %");
    kin_case_row(run, "12 axes, i != j", "the text's set errs (1: in some pairs)", text > 0, 1, 0, "Coutinho 2.5.3, erratum");
}

/* ---- trees ---- */

/* A bumpy torus of triangles. */
static kin_mesh* lump(uint64_t seed, uint32_t around, uint32_t across)
{
    kin_vec3* vertices = calloc((size_t)around * across, sizeof *vertices);
    uint32_t* corners = calloc((size_t)6 * around * across, sizeof *corners);
    size_t n = 0;
    for (uint32_t i = 0; i < around; ++i) {
        for (uint32_t j = 0; j < across; ++j) {
            kin_rng_key key = key_of(seed, i * across + j);
            double u = 2 * KIN_PI * i / around, v = 2 * KIN_PI * j / across, r = 1 + 0.45 * cos(v);
            vertices[i * across + j] =
                kin_mul(kin_scale(kin_v(r * cos(u), 0.45 * sin(v), -r * sin(u)), kin_rng_uniform(&key, 0, 0.9, 1.1)), kin_v(1, 1.4, 0.6));
            uint32_t i1 = (i + 1) % around, j1 = (j + 1) % across;
            uint32_t q[4] = {i * across + j, i1 * across + j, i1 * across + j1, i * across + j1};
            const uint32_t both[6] = {q[0], q[1], q[2], q[0], q[2], q[3]};
            memcpy(corners + n, both, sizeof both);
            n += 6;
        }
    }
    kin_allocator allocator = kin_allocator_default();
    kin_mesh_view view = {.vertices = vertices, .vertex_count = (size_t)around * across, .corners = corners, .face_count = n / 3};
    kin_mesh* mesh = NULL;
    kin_mesh_create(&allocator, &view, &mesh, NULL);
    free(vertices), free(corners);
    return mesh;
}

static kin_bound_tree* tree_of(const kin_mesh* mesh, kin_bound_tree_def def)
{
    kin_allocator allocator = kin_allocator_default();
    kin_primitives p = kin_primitives_of_mesh(mesh);
    kin_bound_tree* tree = NULL;
    kin_bound_tree_create(&allocator, &p, &def, &tree, NULL);
    return tree;
}

static bool triangles_apart(const kin_vec3* p, const kin_vec3* q, kin_vec3 d)
{
    double pl = INFINITY, ph = -INFINITY, ql = INFINITY, qh = -INFINITY;
    for (int i = 0; i < 3; ++i) {
        pl = fmin(pl, kin_dot(p[i], d)), ph = fmax(ph, kin_dot(p[i], d));
        ql = fmin(ql, kin_dot(q[i], d)), qh = fmax(qh, kin_dot(q[i], d));
    }
    return ph < ql || qh < pl;
}

static bool triangles_touch(const kin_vec3* p, const kin_vec3* q)
{
    kin_vec3 e[3], f[3];
    for (int i = 0; i < 3; ++i) e[i] = kin_sub(p[(i + 1) % 3], p[i]), f[i] = kin_sub(q[(i + 1) % 3], q[i]);
    kin_vec3 n = kin_cross(e[0], e[1]), m = kin_cross(f[0], f[1]);
    bool apart = triangles_apart(p, q, n) || triangles_apart(p, q, m);
    for (int i = 0; i < 3 && !apart; ++i) {
        apart = triangles_apart(p, q, kin_cross(n, e[i])) || triangles_apart(p, q, kin_cross(m, f[i]));
        for (int k = 0; k < 3 && !apart; ++k) apart = triangles_apart(p, q, kin_cross(e[i], f[k]));
    }
    return !apart;
}

typedef struct scene {
    const kin_mesh *a, *b;
    const kin_transform *poses_a, *poses_b;
    kin_link_pair* pairs; /* that touch, by asking all */
    size_t count;
} scene;

static bool link_test(void* context, uint32_t link_a, uint32_t a, uint32_t link_b, uint32_t b)
{
    const scene* s = context;
    kin_vec3 p[3], q[3];
    for (int k = 0; k < 3; ++k) {
        p[k] = kin_apply(s->poses_a[link_a], s->a->vertices[s->a->triangles[a][k]]);
        q[k] = kin_apply(s->poses_b[link_b], s->b->vertices[s->b->triangles[b][k]]);
    }
    return triangles_touch(p, q);
}

static bool pair_test(void* context, uint32_t a, uint32_t b) { return link_test(context, 0, a, 0, b); }

/* links 1, 1 for two bodies. self: link_a < link_b, and of one body a < b. */
static void ask_all(scene* s, uint32_t links_a, uint32_t links_b, bool self)
{
    s->pairs = calloc((size_t)links_a * links_b * s->a->triangle_count * s->b->triangle_count, sizeof *s->pairs);
    s->count = 0;
    for (uint32_t i = 0; i < links_a; ++i) {
        for (uint32_t k = 0; k < links_b; ++k) {
            if (self && links_a > 1 && k <= i + 1) continue; /* jointed neighbours do not count */
            for (uint32_t a = 0; a < s->a->triangle_count; ++a) {
                for (uint32_t b = self && links_a == 1 ? a + 1 : 0; b < s->b->triangle_count; ++b) {
                    if (link_test(s, i, a, k, b)) s->pairs[s->count++] = (kin_link_pair){i, k, a, b};
                }
            }
        }
    }
}

static double pair_differences(const kin_descent* d, const scene* s)
{
    double wrong = fabs((double)d->pair_count - (double)s->count);
    for (size_t i = 0; i < d->pair_count && i < s->count; ++i) wrong += d->pairs[i].a != s->pairs[i].a || d->pairs[i].b != s->pairs[i].b;
    return wrong;
}

/* C2.2: all kinds and builds return the same pairs. */
static void case_pairs(kin_case_run* run)
{
    uint32_t size = run->full ? 24 : 12;
    kin_mesh *a = lump(1, size, size / 2), *b = lump(2, size - 1, size / 2 + 1);
    kin_rng_key key = key_of(46, 0);
    kin_transform pa = random_pose(&key, 0, 0.3), pb = random_pose(&key, 10, 0.3);
    scene s = {a, b, &pa, &pb, NULL, 0};
    ask_all(&s, 1, 1, false);
    kin_allocator allocator = kin_allocator_default();
    kin_descent d;
    kin_descent_init(&d, &allocator);
    for (int kind = 0; kind <= KIN_BOUND_KINDS; ++kind) {
        double wrong = 0;
        char quantity[64];
        for (int build = 0; build < 4; ++build) {
            kin_bound_tree_def def = {.kind = (kin_bound_kind)kind, .build = (kin_bound_build)build};
            if (kind == KIN_BOUND_KINDS) def.kind = KIN_BOUND_AABB, def.low_kind = KIN_BOUND_OBB, def.low_levels = 4;
            kin_bound_tree *ta = tree_of(a, def), *tb = tree_of(b, def);
            for (int order = 0; order < 2; ++order) {
                kin_descent_query q = {.order = (kin_descent_order)order, .turn_boxes = order == 1, .test = pair_test, .context = &s};
                wrong += ta != NULL && tb != NULL && kin_descent_pairs(&d, ta, pa, tb, pb, &q, NULL) == KIN_OK ? pair_differences(&d, &s) : NAN;
            }
            kin_bound_tree_destroy(ta), kin_bound_tree_destroy(tb);
        }
        snprintf(quantity, sizeof quantity, "of %zu pairs, 4 builds, 2 orders: wrong", s.count);
        kin_case_row(run, kind < KIN_BOUND_KINDS ? kin_bound_ops_of[kind]->name : "hybrid", quantity, wrong, 0, 0, "Coutinho 2.2: brute force");
    }
    kin_descent_term(&d);
    free(s.pairs);
    kin_mesh_destroy(a), kin_mesh_destroy(b);
}

/* C2.1, C2.2.1, C2.5.1. */
static void case_lazy(kin_case_run* run)
{
    kin_allocator allocator = kin_allocator_default();
    kin_mesh *m = lump(3, 16, 9), *small = lump(3, 8, 5);
    kin_bound_tree* tree = tree_of(m, (kin_bound_tree_def){.kind = KIN_BOUND_OBB});
    kin_transform here = kin_transform_identity(), there = {{30, 2, 1}, {0, 0, 0, 1}}, near = {{1.9, 0.1, 0}, kin_quat_axis_angle(kin_v(1, 2, 3), 1)};
    kin_descent d;
    kin_descent_init(&d, &allocator);
    bool ok = tree != NULL && kin_descent_pairs(&d, tree, here, tree, there, &(kin_descent_query){0}, NULL) == KIN_OK;
    kin_case_row(run, "far apart", "nodes moved an object", ok ? (double)d.counts.transformed / 2 : NAN, 1, 0, "Coutinho 2.1");
    kin_case_row(run, "far apart", "tests of volumes", ok ? (double)d.counts.volume_tests : NAN, 1, 0, "Coutinho 2.1");
    ok = ok && kin_descent_pairs(&d, tree, here, tree, near, &(kin_descent_query){0}, NULL) == KIN_OK;
    kin_case_row(run, "near", "share of nodes moved, below one half", ok ? fmin((double)d.counts.transformed / (2.0 * tree->node_count), 0.5) : NAN, 0, 0.4999,
                 "Coutinho 2.1");
    kin_bound_tree_destroy(tree);
    kin_vec3 corner[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    uint32_t same[60];
    for (uint32_t i = 0; i < 60; ++i) same[i] = i % 3;
    kin_primitives twenty = {.count = 20, .points = corner, .point_count = 3, .corners = same, .corner_count = 3};
    ok = kin_bound_tree_create(&allocator, &twenty, &(kin_bound_tree_def){.kind = KIN_BOUND_AABB}, &tree, NULL) == KIN_OK;
    kin_case_row(run, "aabb", "20 identical triangles: nodes", ok ? tree->node_count : NAN, 1, 0, "Coutinho 2.2.1");
    kin_bound_tree_destroy(tree);
    kin_primitives outer = kin_primitives_of_mesh(m), inner = kin_primitives_of_mesh(small);
    kin_vec3* shrunk = calloc(small->vertex_count, sizeof *shrunk); /* a small lump within the ring's tube */
    for (uint32_t i = 0; i < small->vertex_count; ++i) shrunk[i] = kin_add(kin_scale(small->vertices[i], 0.05), kin_v(1, 0, 0));
    inner.points = shrunk;
    kin_case_row(run, "containment", "a lump wholly inside another collides", kin_descent_inside(&outer, near, &inner, near), 1, 0, "Coutinho 2.5.1");
    free(shrunk);
    kin_descent_term(&d);
    kin_mesh_destroy(m), kin_mesh_destroy(small);
}

/* C2.3: leaves bound t0 and t1; linear poses between lie inside, in every node of every kind. */
static void case_refit(kin_case_run* run)
{
    kin_mesh* m = lump(4, run->full ? 24 : 10, run->full ? 14 : 7);
    kin_primitives at_rest = kin_primitives_of_mesh(m), moving = at_rest;
    kin_vec3* ends = calloc(m->vertex_count, sizeof *ends);
    for (uint32_t i = 0; i < m->vertex_count; ++i) {
        kin_rng_key key = key_of(47, i);
        ends[i] = kin_add(m->vertices[i], kin_rng_sphere(&key, 0, 0.6));
    }
    moving.ends = ends;
    double outside = 0, disorder = 0;
    for (int kind = 0; kind < KIN_BOUND_KINDS; ++kind) {
        kin_bound_tree* tree = tree_of(m, (kin_bound_tree_def){.kind = (kin_bound_kind)kind});
        bool ok = tree != NULL && kin_bound_tree_refit(tree, &moving, NULL) == KIN_OK;
        outside += ok ? 0 : NAN;
        for (uint32_t n = 0; ok && n < tree->node_count; ++n) {
            const kin_bound_node* node = &tree->nodes[n];
            disorder += node->child_count > 0 && !(node->child + node->child_count - 1 < n);
            for (uint32_t k = 0; k < node->count; ++k) {
                const uint32_t* t = m->triangles[tree->items[node->first + k]];
                for (int c = 0; c < 3 * 5; ++c)
                    outside += !kin_bound_contains(&tree->bounds[n], kin_lerp(m->vertices[t[c % 3]], ends[t[c % 3]], (c / 3) / 4.0));
            }
        }
        kin_bound_tree_destroy(tree);
    }
    kin_case_row(run, "all kinds", "corners outside of a node, at 5 times", outside, 0, 0, "Coutinho 2.3");
    kin_case_row(run, "all kinds", "parents before a child", disorder, 0, 0, "Coutinho 2.3");
    free(ends);
    kin_mesh_destroy(m);
}

/* C2.5.2, X2.2. */
static void case_self(kin_case_run* run)
{
    kin_allocator allocator = kin_allocator_default();
    kin_mesh* m = lump(5, run->full ? 40 : 20, run->full ? 20 : 10);
    for (uint32_t i = 0; i < m->vertex_count; ++i) { /* folded over itself */
        kin_rng_key key = key_of(48, i);
        m->vertices[i] = kin_add(kin_mul(m->vertices[i], kin_v(1, 0.3, 0.5)), kin_rng_sphere(&key, 0, 0.1));
    }
    kin_transform here = kin_transform_identity();
    scene s = {m, m, &here, &here, NULL, 0};
    ask_all(&s, 1, 1, true);
    kin_descent d;
    kin_descent_init(&d, &allocator);
    kin_jobs jobs;
    bool threads = kin_jobs_init(&jobs, &allocator, NULL, 3, NULL) == KIN_OK;
    double wrong = 0, parallel = threads ? 0 : NAN;
    for (int kind = 0; kind < KIN_BOUND_HULL; ++kind) {
        for (uint32_t leaf = 1; leaf < 8; leaf += 4) {
            kin_bound_tree* tree = tree_of(m, (kin_bound_tree_def){.kind = (kin_bound_kind)kind, .leaf = leaf});
            kin_descent_query q = {.test = pair_test, .context = &s};
            wrong += tree != NULL && kin_descent_self(&d, tree, &q, NULL) == KIN_OK ? pair_differences(&d, &s) : NAN;
            parallel += tree != NULL && threads && kin_descent_self_parallel(&d, &jobs, tree, &q, NULL) == KIN_OK ? pair_differences(&d, &s) : NAN;
            kin_bound_tree_destroy(tree);
        }
    }
    char quantity[64];
    snprintf(quantity, sizeof quantity, "of %zu pairs, each once: wrong", s.count);
    kin_case_row(run, "one thread", quantity, wrong, 0, 0, "Coutinho 2.5.2: brute force");
    kin_case_row(run, "three threads", quantity, parallel, 0, 0, "Coutinho 2.7 Ex 2: brute force");
    if (threads) kin_jobs_term(&jobs);
    kin_descent_term(&d);
    free(s.pairs);
    kin_mesh_destroy(m);
}

/* C4.14 Ex2: 257 faces, depth 9, stopped at 5. */
static void case_depth_cap(kin_case_run* run)
{
    kin_allocator allocator = kin_allocator_default();
    kin_vec3 strip[259];
    uint32_t corners[257 * 3];
    for (uint32_t i = 0; i < 259; ++i) strip[i] = kin_v(3 * cos(i * 0.05), 3 * sin(i * 0.05), i % 2 ? 0.2 : -0.2);
    for (uint32_t i = 0; i < 257 * 3; ++i) corners[i] = i / 3 + i % 3;
    kin_primitives p = {.count = 257, .points = strip, .point_count = 259, .corners = corners, .corner_count = 3};
    kin_bound_tree* tree = NULL;
    bool ok = kin_bound_tree_create(&allocator, &p, &(kin_bound_tree_def){.kind = KIN_BOUND_BALL}, &tree, NULL) == KIN_OK;
    kin_case_row(run, "spheres", "257 faces: nodes", ok ? tree->node_count : NAN, 2 * 257 - 1, 0, "Coutinho 4.14 Ex 2");
    kin_case_row(run, "spheres", "257 faces: depth", ok ? tree->depth : NAN, round(log2(2 * 257 - 1)), 0, "Coutinho 4.14 Ex 2");
    kin_descent d;
    kin_descent_init(&d, &allocator);
    kin_transform here = kin_transform_identity(), there = {{5.9, 0.2, 0.1}, {0, 0, 0, 1}};
    ok = ok && kin_descent_pairs(&d, tree, here, tree, there, &(kin_descent_query){.depth = 5}, NULL) == KIN_OK;
    kin_case_row(run, "stopped at 5", "deepest level", ok ? d.counts.depth : NAN, 5, 0, "Coutinho 4.14 Ex 2");
    kin_case_row(run, "stopped at 5", "exact pairs", ok ? (double)d.pair_count : NAN, 0, 0, "Coutinho 4.14 Ex 2");
    kin_vec3 sum = {0, 0, 0};
    double size = 0;
    for (size_t i = 0; ok && i < d.contact_count; ++i) { /* the hoops cross at y = 0.1 +- 0.54 */
        sum = kin_add(sum, d.contacts[i].point);
        size = fmax(size, 2 * tree->bounds[d.contacts[i].a].sphere.radius);
    }
    double off = kin_distance(kin_scale(sum, 1.0 / fmax((double)d.contact_count, 1)), kin_v(2.95, 0.1, 0.05)) / size;
    kin_case_row(run, "stopped at 5", "contacts (1: some)", ok && d.contact_count > 0, 1, 0, "Coutinho 4.14 Ex 2");
    kin_case_row(run, "stopped at 5", "mean point off the hoops' middle, in node diameters", ok ? off : NAN, 0, 0.5, "geometry");
    kin_bound a = {.kind = KIN_BOUND_SPHERE, .sphere = {{0, 3, 0}, 2}}, b = {.kind = KIN_BOUND_SPHERE, .sphere = {{0, 0, 0}, 1.5}};
    kin_coarse_contact c = kin_coarse_contact_of(&a, &b);
    kin_case_row(run, "two spheres", "overlap began before (s)", kin_coarse_contact_time(&c, kin_v(3, -2, 0), 1), 0.25, 1e-15, "closed form");
    kin_descent_term(&d);
    kin_bound_tree_destroy(tree);
}

/* C5.5. */
static void case_links(kin_case_run* run)
{
    enum { LINKS = 5 };
    kin_allocator allocator = kin_allocator_default();
    kin_mesh* m = lump(6, run->full ? 12 : 7, run->full ? 7 : 4);
    kin_bound_tree* tree = tree_of(m, (kin_bound_tree_def){.kind = KIN_BOUND_OBB});
    const kin_bound_tree* trees[LINKS] = {tree, tree, tree, tree, tree};
    const uint32_t joints[LINKS - 1][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}};
    double wrong[3] = {0};
    size_t found[3] = {0};
    kin_link_descent d;
    kin_link_descent_init(&d, &allocator);
    for (uint64_t round = 0; round < (run->full ? 10 : 4); ++round) {
        kin_transform poses[2][LINKS];
        for (uint32_t i = 0; i < 2 * LINKS; ++i) {
            kin_rng_key key = key_of(49, 100 * round + i);
            kin_transform step = {{1.1, 0, 0}, kin_quat_axis_angle(kin_rng_direction(&key, 0), 2)};
            poses[i / LINKS][i % LINKS] = i % LINKS == 0 ? random_pose(&key, 1, 0.5) : kin_transform_mul(poses[i / LINKS][i % LINKS - 1], step);
        }
        kin_linked_trees *a = NULL, *b = NULL;
        bool ok = tree != NULL && kin_linked_trees_create(&allocator, trees, poses[0], LINKS, joints, LINKS - 1, &a, NULL) == KIN_OK
                  && kin_linked_trees_create(&allocator, trees, poses[1], LINKS, NULL, 0, &b, NULL) == KIN_OK;
        for (int what = 0; what < 3; ++what) {
            scene s = {m, m, poses[0], what == 2 ? poses[0] : poses[1], NULL, 0};
            ask_all(&s, LINKS, what == 1 ? 1 : LINKS, what == 2);
            ok = ok
                 && (what == 0   ? kin_linked_pairs(&d, a, b, link_test, &s, NULL)
                     : what == 1 ? kin_linked_body(&d, a, tree, poses[1][0], link_test, &s, NULL)
                                 : kin_linked_self(&d, a, link_test, &s, NULL))
                        == KIN_OK;
            bool same = ok && d.pair_count == s.count && (s.count == 0 || memcmp(d.pairs, s.pairs, s.count * sizeof *s.pairs) == 0);
            wrong[what] += !same;
            found[what] += s.count;
            free(s.pairs);
        }
        kin_linked_trees_destroy(a), kin_linked_trees_destroy(b);
    }
    static const char* const methods[] = {"articulations", "with a body", "with itself"};
    for (int what = 0; what < 3; ++what) {
        char quantity[64];
        snprintf(quantity, sizeof quantity, "poses whose pairs differ (%zu pairs in all)", found[what]);
        kin_case_row(run, methods[what], quantity, wrong[what], 0, 0, "Coutinho 5.5: brute force");
    }
    kin_link_descent_term(&d);
    kin_bound_tree_destroy(tree);
    kin_mesh_destroy(m);
}

const kin_case kin_cases_volumes[] = {
    {"collision/spheres", "Ritter's and the smallest bounding sphere", case_spheres},
    {"collision/rotation-sphere", "a sphere for every orientation", case_rotation_sphere},
    {"collision/eigenframe", "Ritter's sphere in the world's frame and in the cloud's", case_eigenframe},
    {"collision/kdops", "polytopes of fixed directions", case_kdops},
    {"collision/obb", "oriented boxes by principal axes", case_obb},
    {"collision/box-axes", "separating axes of oriented boxes", case_box_axes},
    {"collision/trees", "trees of every kind and build against brute force", case_pairs},
    {"collision/lazy", "nodes moved only when asked for, leaves of many, containment", case_lazy},
    {"collision/refit", "trees that hold a motion", case_refit},
    {"collision/self", "a tree with itself, each pair once", case_self},
    {"collision/depth-cap", "contacts of inner nodes for a frame's budget", case_depth_cap},
    {"collision/links", "two-level trees of articulations", case_links},
    {NULL, NULL, NULL},
};
