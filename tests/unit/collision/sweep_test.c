/* The swept sphere of every shape against dense sampling of an independent distance function, and the exact numbers of the texts. */
#include "math/primitive.h"
#include "collision/form/form.h"
#include "collision/service.h"
#include "geometry/mesh.h"
#include <math.h>
#include "support/test.h"
#include "unit/geometry/shapes.h"
#include <string.h>

/* ---- one solid, and its distance by another way ---- */

typedef struct target {
    kin_shape shape;
    kin_transform pose;
    kin_solids* solids;
    bool closed;
} target;

static target make_target(test* t, kin_shape shape, kin_transform pose)
{
    target x = {shape, pose, NULL, false};
    kin_error error = {0};
    uint32_t index = 99;
    kin_result result = kin_solids_create(&t->allocator, &x.solids, &error);
    if (result == KIN_OK) result = kin_solids_add(x.solids, &(kin_solid_def){.shape = &shape, .pose = pose}, &index, &error);
    TEXT(t, error.message, "");
    EQUAL(t, result, KIN_OK);
    EQUAL(t, index, 0);
    kin_solids_refit(x.solids, 1);
    const kin_trimesh* mesh = kin_solids_form(x.solids, 0)->mesh;
    x.closed = mesh != NULL && mesh->mesh->closed;
    return x;
}

static double mesh_distance(const kin_mesh_view* m, kin_vec3 x)
{
    double best = 1e300;
    for (size_t f = 0, c = 0; f < m->face_count; ++f) {
        uint32_t size = m->face_sizes != NULL ? m->face_sizes[f] : 3;
        for (uint32_t k = 1; k + 1 < size; ++k) { /* test meshes have convex faces */
            kin_feature feature;
            kin_vec3 p = kin_closest_on_triangle(m->vertices[m->corners[c]], m->vertices[m->corners[c + k]], m->vertices[m->corners[c + k + 1]], x, &feature);
            best = kin_min(best, kin_distance(x, p));
        }
        c += size;
    }
    return best;
}

static double box_distance(kin_vec3 size, kin_vec3 x)
{
    kin_vec3 q = kin_sub(kin_abs3(x), kin_scale(size, 0.5));
    return kin_length(kin_max3(q, kin_v(0, 0, 0))) + kin_min(kin_largest(q), 0);
}

/* In the plane through the axis, a triangle: base, mantle, and what lies between. */
static double cone_distance(double radius, double height, kin_vec3 x)
{
    kin_vec3 at = {hypot(x.x, x.z), x.y, 0}, apex = {0, 0.5 * height, 0}, rim = {radius, -0.5 * height, 0}, foot = {0, -0.5 * height, 0};
    double outside = kin_min(kin_segment_distance(apex, rim, at), kin_segment_distance(rim, foot, at));
    bool inside = at.y > foot.y && (at.x - apex.x) * (rim.y - apex.y) - (at.y - apex.y) * (rim.x - apex.x) > 0;
    return inside ? -outside : outside;
}

/* x - y is along the normal at y, y_i = a_i^2 x_i / (t + a_i^2): t by halving. */
static double ellipsoid_distance(kin_vec3 a, kin_vec3 x)
{
    const double least = fmin(a.x, fmin(a.y, a.z));
    double low = -least * least, high = 10 * (kin_length(a) + kin_length(x)) * (kin_length(a) + kin_length(x));
    for (int i = 0; i < 200; ++i) {
        const double t = 0.5 * (low + high);
        const kin_vec3 on = {a.x * x.x / (t + a.x * a.x), a.y * x.y / (t + a.y * a.y), a.z * x.z / (t + a.z * a.z)};
        if (kin_length2(on) > 1)
            low = t;
        else
            high = t;
    }
    const kin_vec3 y = {a.x * a.x * x.x / (high + a.x * a.x), a.y * a.y * x.y / (high + a.y * a.y), a.z * a.z * x.z / (high + a.z * a.z)};
    return high < 0 ? -kin_distance(x, y) : kin_distance(x, y);
}

/* Unsigned for planes and meshes: paths start outside. Hulls here are of the corners of a box. */
static double shape_distance(const kin_shape* s, kin_vec3 x)
{
    double best = 1e300;
    switch (s->kind) {
    case KIN_SHAPE_SPHERE: return kin_length(x) - s->radius;
    case KIN_SHAPE_HULL:
    case KIN_SHAPE_BOX: return box_distance(s->size, x);
    case KIN_SHAPE_CAPSULE: return kin_length(kin_v(x.x, kin_max(kin_abs(x.y) - 0.5 * s->length, 0), x.z)) - s->radius;
    case KIN_SHAPE_PLANE: return kin_abs(kin_dot(x, kin_normalize_or(s->normal, kin_v(0, 1, 0))));
    case KIN_SHAPE_CYLINDER: {
        double across = hypot(x.x, x.z) - s->radius, along = kin_abs(x.y) - 0.5 * s->length;
        return hypot(kin_max(across, 0), kin_max(along, 0)) + kin_min(kin_max(across, along), 0);
    }
    case KIN_SHAPE_ELLIPSOID: return ellipsoid_distance(s->semi_axes, x);
    case KIN_SHAPE_CONE: return cone_distance(s->radius, s->length, x);
    case KIN_SHAPE_COMPOUND:
        for (size_t i = 0; i < s->part_count; ++i) {
            kin_transform pose = {s->parts[i].offset, kin_quat_normalize(s->parts[i].turn)};
            best = kin_min(best, shape_distance(&s->parts[i], kin_unapply(pose, x)));
        }
        return best;
    default: return mesh_distance(&s->mesh, x);
    }
}

static double distance_to(const target* g, kin_vec3 world) { return shape_distance(&g->shape, kin_unapply(g->pose, world)); }

static bool starts_inside(const target* g, kin_vec3 world)
{
    return g->shape.kind == KIN_SHAPE_MESH && g->closed && winding(&g->shape.mesh, kin_unapply(g->pose, world)) > 0.5;
}

static kin_transform roll_pose(dice* d)
{
    kin_vec3 axis = roll_direction(d);
    return (kin_transform){roll3(d, 1), kin_quat_axis_angle(axis, roll(d, -3, 3))};
}

/* Nothing nearer before the hit, contact at it; or nothing near at all. */
static void check_path(test* t, const target* g, kin_vec3 a, kin_vec3 b, double radius, int* hits)
{
    kin_contact hit;
    if (distance_to(g, a) < radius + 1e-6 || starts_inside(g, a)) return;
    bool found = kin_solids_first_hit(g->solids, a, b, radius, 0, 1, 1e-9, &hit);
    double end = found ? hit.fraction : 1;
    *hits += found;
    for (int i = 0; i <= 300; ++i) {
        kin_vec3 x = kin_lerp(a, b, end * i / 300);
        CHECK(t, distance_to(g, x) >= radius - 1e-7);
    }
    if (!found) {
        EQUAL(t, hit.solid, UINT32_MAX);
        return;
    }
    kin_vec3 x = kin_lerp(a, b, hit.fraction);
    NEAR(t, distance_to(g, x), radius, 1e-8);
    NEAR(t, distance_to(g, hit.point), 0, 1e-8);
    NEAR3(t, hit.point, kin_add_scaled(x, -radius, hit.normal), 1e-8);
    NEAR3(t, hit.point, kin_apply(g->pose, hit.local), 1e-12);
    NEAR(t, kin_length(hit.normal), 1, 1e-12);
    CHECK(t, kin_dot(hit.normal, kin_sub(b, a)) <= 1e-9);
    NEAR(t, hit.distance, 0, 1e-12);
}

static void check_shape(test* t, kin_shape shape, uint64_t seed, int rounds)
{
    dice d = {seed};
    int hits = 0;
    for (int i = 0; i < rounds; ++i) {
        target g = make_target(t, shape, i == 0 ? kin_transform_identity() : roll_pose(&d));
        for (int k = 0; k < 50; ++k) {
            kin_vec3 a = roll3(&d, 4), aim = roll3(&d, 1.6);
            check_path(t, &g, a, kin_lerp(a, aim, roll(&d, 0.1, 2.5)), k % 3 == 0 ? 0 : roll(&d, 0, 0.8), &hits);
        }
        kin_solids_destroy(g.solids);
    }
    CHECK(t, hits > rounds * 5);
}

static void sphere_sweeps(test* t) { check_shape(t, (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 0.9}, 11, 60); }
static void box_sweeps(test* t) { check_shape(t, (kin_shape){.kind = KIN_SHAPE_BOX, .size = {2, 1, 0.3}}, 12, 60); }
static void capsule_sweeps(test* t) { check_shape(t, (kin_shape){.kind = KIN_SHAPE_CAPSULE, .radius = 0.4, .length = 1.5}, 13, 60); }
static void cylinder_sweeps(test* t) { check_shape(t, (kin_shape){.kind = KIN_SHAPE_CYLINDER, .radius = 0.7, .length = 1.2}, 18, 60); }
static void cone_sweeps(test* t) { check_shape(t, (kin_shape){.kind = KIN_SHAPE_CONE, .radius = 0.8, .length = 1.6}, 19, 60); }

static void ellipsoid_sweeps(test* t) { check_shape(t, (kin_shape){.kind = KIN_SHAPE_ELLIPSOID, .semi_axes = {1.1, 0.3, 0.7}}, 22, 60); }

static void hull_sweeps(test* t)
{
    const kin_vec3 size = {1.4, 0.6, 1};
    kin_vec3 corners[8];
    for (int i = 0; i < 8; ++i) corners[i] = kin_mul(kin_scale(size, 0.5), kin_v(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1));
    check_shape(t, (kin_shape){.kind = KIN_SHAPE_HULL, .points = {corners, 8}, .size = size}, 20, 60);
}

static void compound_sweeps(test* t)
{
    const kin_shape parts[3] = {{.kind = KIN_SHAPE_BOX, .size = {1.5, 0.3, 0.6}, .offset = {0, -0.4, 0}},
                                {.kind = KIN_SHAPE_CYLINDER, .radius = 0.3, .length = 1, .offset = {0.4, 0.2, 0}, .turn = {0.2, 0, 0.3, 0.9}},
                                {.kind = KIN_SHAPE_SPHERE, .radius = 0.35, .offset = {-0.6, 0.3, 0.2}}};
    check_shape(t, (kin_shape){.kind = KIN_SHAPE_COMPOUND, .parts = parts, .part_count = 3}, 21, 60);
}

static void plane_sweeps(test* t) { check_shape(t, (kin_shape){.kind = KIN_SHAPE_PLANE, .normal = {1, 2, -1}}, 14, 60); }

static void box_mesh_sweeps(test* t)
{
    soup s = box_soup(kin_v(1, 0.5, 0.15));
    check_shape(t, (kin_shape){.kind = KIN_SHAPE_MESH, .mesh = soup_view(&s)}, 15, 60);
    soup_free(&s);
}

static void torus_mesh_sweeps(test* t)
{
    soup s = torus_soup(1, 0.4, 10, 7);
    check_shape(t, (kin_shape){.kind = KIN_SHAPE_MESH, .mesh = soup_view(&s)}, 16, 16);
    soup_free(&s);
}

static double hills(double x, double z) { return 0.3 * sin(3 * x) * cos(2 * z); }
static void open_mesh_sweeps(test* t)
{
    soup s = grid_soup(6, 1.5, hills);
    check_shape(t, (kin_shape){.kind = KIN_SHAPE_MESH, .mesh = soup_view(&s)}, 17, 16);
    soup_free(&s);
}

/* The analytic box and the same box as a mesh give the same answers, points (radius 0) too. */
static void box_and_box_mesh_agree(test* t)
{
    soup s = box_soup(kin_v(1, 0.5, 0.15));
    dice d = {18};
    int hits = 0;
    for (int i = 0; i < 40; ++i) {
        kin_transform pose = roll_pose(&d);
        target box = make_target(t, (kin_shape){.kind = KIN_SHAPE_BOX, .size = {2, 1, 0.3}}, pose);
        target mesh = make_target(t, (kin_shape){.kind = KIN_SHAPE_MESH, .mesh = soup_view(&s)}, pose);
        for (int k = 0; k < 200; ++k) {
            kin_vec3 a = roll3(&d, 4), b = kin_lerp(a, roll3(&d, 1.2), roll(&d, 0.1, 2));
            double radius = k % 2 ? 0 : roll(&d, 0, 0.6);
            kin_contact by_box, by_mesh;
            if (distance_to(&box, a) < radius + 1e-6) continue;
            bool hit = kin_solids_first_hit(box.solids, a, b, radius, 0, 1, 1e-9, &by_box);
            CHECK(t, hit == kin_solids_first_hit(mesh.solids, a, b, radius, 0, 1, 1e-9, &by_mesh));
            if (!hit) continue;
            hits += 1;
            NEAR(t, by_mesh.fraction, by_box.fraction, 1e-11);
            NEAR3(t, by_mesh.normal, by_box.normal, 1e-6);
            NEAR3(t, by_mesh.point, by_box.point, 1e-9);
        }
        kin_solids_destroy(box.solids);
        kin_solids_destroy(mesh.solids);
    }
    CHECK(t, hits > 1000);
    soup_free(&s);
}

/* ---- numbers and corners ---- */

static const kin_shape floor_shape = {.kind = KIN_SHAPE_PLANE, .normal = {0, 2, 0}};

static bool first(const target* g, kin_vec3 a, kin_vec3 b, double radius, kin_contact* hit)
{
    return kin_solids_first_hit(g->solids, a, b, radius, 0, 1, 1e-9, hit);
}

static void plane_fraction_is_one_third(test* t) /* H3.1b: d 3 -> -6 */
{
    target g = make_target(t, floor_shape, kin_transform_identity());
    kin_contact hit;
    CHECK(t, first(&g, kin_v(0, 3, 0), kin_v(0, -6, 0), 0, &hit));
    NEAR(t, hit.fraction, 1.0 / 3, 0);
    NEAR3(t, hit.normal, kin_v(0, 1, 0), 0);
    NEAR3(t, hit.point, kin_v(0, 0, 0), 1e-15);
    CHECK(t, first(&g, kin_v(0, -3, 0), kin_v(0, 6, 0), 1, &hit)); /* H3.1a: from below, d + r */
    NEAR(t, hit.fraction, 2.0 / 9, 1e-15);
    NEAR3(t, hit.normal, kin_v(0, -1, 0), 0);
    CHECK(t, first(&g, kin_v(0, -3, 0), kin_v(0, 6, 0), 0, &hit));
    NEAR(t, hit.fraction, 1.0 / 3, 1e-12);
    kin_solids_destroy(g.solids);
}

static void spheres_meet_at_three_tenths(test* t) /* C2.5.16: -5 -> 5 against 0, radii 1 and 1 */
{
    target g = make_target(t, (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 1}, kin_transform_identity());
    kin_contact hit;
    CHECK(t, first(&g, kin_v(-5, 0, 0), kin_v(5, 0, 0), 1, &hit));
    NEAR(t, hit.fraction, 0.3, 1e-15);
    NEAR3(t, hit.normal, kin_v(-1, 0, 0), 1e-15);
    CHECK(t, !first(&g, kin_v(-5, 3, 0), kin_v(5, 3, 0), 1, &hit));
    CHECK(t, !first(&g, kin_v(-5, 0, 0), kin_v(-5, 0, 0), 1, &hit)); /* f2 = 0 */
    /* C2.5.9: a segment past, touching and through the sphere, and one that ends before it */
    CHECK(t, !first(&g, kin_v(-2, 1.0000001, 0), kin_v(2, 1.0000001, 0), 0, &hit));
    CHECK(t, first(&g, kin_v(-2, 0.9999999, 0), kin_v(2, 0.9999999, 0), 0, &hit));
    CHECK(t, !first(&g, kin_v(-2, 0, 0), kin_v(-1.0000001, 0, 0), 0, &hit));
    kin_solids_destroy(g.solids);
}

static void starts_on_the_surface_follow_the_rule(test* t)
{
    soup s = box_soup(kin_v(1, 1, 1));
    kin_shape shapes[5] = {{.kind = KIN_SHAPE_SPHERE, .radius = 1},
                           {.kind = KIN_SHAPE_BOX, .size = {2, 2, 2}},
                           {.kind = KIN_SHAPE_CAPSULE, .radius = 0.5, .length = 1},
                           {.kind = KIN_SHAPE_PLANE, .normal = {0, 1, 0}},
                           {.kind = KIN_SHAPE_MESH, .mesh = soup_view(&s)}};
    for (int k = 0; k < 5; ++k) {
        kin_transform pose = kin_transform_identity();
        if (k == 3) pose.position.y = 1; /* every top is at y = 1 */
        target g = make_target(t, shapes[k], pose);
        for (int r = 0; r < 3; ++r) {
            double radius = r == 0 ? 0 : r == 1 ? 0.1 : 2;
            for (int e = -2; e <= 2; ++e) {
                kin_contact hit;
                kin_vec3 a = {0.01 * (k > 0 && k != 2), 1 + radius + e * 1e-14, 0.02 * (k > 0 && k != 2)};
                CHECK(t, !first(&g, a, kin_add(a, kin_v(0, 1, 0)), radius, &hit));     /* away */
                CHECK(t, !first(&g, a, kin_add(a, kin_v(0.3, 0, 0)), radius, &hit));   /* along */
                CHECK(t, !first(&g, a, a, radius, &hit));                              /* not at all */
                CHECK(t, first(&g, a, kin_add(a, kin_v(0.1, -0.5, 0)), radius, &hit)); /* into */
                NEAR(t, hit.fraction, 0, 1e-12);
                NEAR3(t, hit.normal, kin_v(0, 1, 0), 1e-9);
                NEAR3(t, hit.point, kin_v(a.x, 1, a.z), 1e-9);
            }
        }
        kin_solids_destroy(g.solids);
    }
    soup_free(&s);
}

static void a_start_inside_leaves_freely(test* t)
{
    kin_shape shapes[3] = {
        {.kind = KIN_SHAPE_SPHERE, .radius = 1}, {.kind = KIN_SHAPE_BOX, .size = {2, 2, 2}}, {.kind = KIN_SHAPE_CAPSULE, .radius = 0.5, .length = 1}};
    for (int k = 0; k < 3; ++k) {
        target g = make_target(t, shapes[k], kin_transform_identity());
        kin_contact hit;
        CHECK(t, !first(&g, kin_v(0, 0.9, 0), kin_v(0, 3, 0), 0.05, &hit));
        CHECK(t, first(&g, kin_v(0, 0.9, 0), kin_v(0, 0.2, 0), 0.05, &hit)); /* deeper: at once, and it says how deep */
        NEAR(t, hit.fraction, 0, 0);
        NEAR(t, hit.distance, -0.15, 1e-12);
        NEAR3(t, hit.point, kin_v(0, 1, 0), 1e-12);
        NEAR3(t, hit.normal, kin_v(0, 1, 0), 1e-12);
        CHECK(t, !first(&g, kin_v(0, 0, 0), kin_v(k == 1 ? 1.5 : 0.1, 0, 0), 0, &hit)); /* from the very middle */
        kin_solids_destroy(g.solids);
    }
}

/* A point that leaves the top of a box over its edge, downwards, is not in the box. */
static void a_start_on_an_edge_enters_only_past_both_faces(test* t)
{
    soup s = box_soup(kin_v(1, 1, 1));
    kin_shape shapes[2] = {{.kind = KIN_SHAPE_BOX, .size = {2, 2, 2}}, {.kind = KIN_SHAPE_MESH, .mesh = soup_view(&s)}};
    for (int k = 0; k < 2; ++k) {
        target g = make_target(t, shapes[k], kin_transform_identity());
        kin_contact hit;
        kin_vec3 edge = {1, 1, 0.3};
        CHECK(t, !first(&g, edge, kin_add(edge, kin_v(0.5, -1, 0)), 0, &hit));
        CHECK(t, !first(&g, edge, kin_add(edge, kin_v(-1, 0.5, 0)), 0, &hit));
        CHECK(t, !first(&g, edge, kin_add(edge, kin_v(0, -1, 0)), 0, &hit)); /* down the side */
        CHECK(t, first(&g, edge, kin_add(edge, kin_v(-1, -1, 0)), 0, &hit));
        NEAR(t, hit.fraction, 0, 1e-12);
        kin_solids_destroy(g.solids);
    }
    soup_free(&s);
}

/* A point stays on its side of a two-sided surface for ever, wherever round-off puts it after each bounce. */
static double level(double x, double z) { return 0 * x * z; }
static void points_bounce_on_both_sides(test* t)
{
    soup s = grid_soup(3, 50, level);
    kin_shape shapes[2] = {{.kind = KIN_SHAPE_PLANE, .normal = {0, 1, 0}}, {.kind = KIN_SHAPE_MESH, .mesh = soup_view(&s)}};
    dice d = {21};
    for (int k = 0; k < 4; ++k) {
        target g = make_target(t, shapes[k % 2], (kin_transform){{0.3, -0.7, 1.1}, kin_quat_axis_angle(kin_v(1, 2, 3), 1.234)});
        kin_vec3 up = kin_rotate(g.pose.orientation, kin_v(0, k < 2 ? 1 : -1, 0));
        for (int run = 0; run < 100; ++run) {
            kin_vec3 x = kin_add_scaled(g.pose.position, roll(&d, 0.1, 1), up), v = kin_add_scaled(roll3(&d, 0.2), -0.3, up);
            kin_contact hit;
            for (int step = 0; step < 50; ++step) {
                if (first(&g, x, kin_add(x, v), 0, &hit)) {
                    x = run % 2 ? hit.point : kin_lerp(x, kin_add(x, v), hit.fraction);
                    NEAR3(t, hit.normal, up, 1e-12);
                    v = kin_add_scaled(v, -2 * kin_dot(v, hit.normal), hit.normal);
                } else {
                    x = kin_add(x, v);
                }
                v = kin_add_scaled(v, -0.05, up);
                CHECK(t, kin_dot(kin_sub(x, g.pose.position), up) > -1e-10);
            }
        }
        kin_solids_destroy(g.solids);
    }
    soup_free(&s);
}

static void bullets_never_pass_a_thin_box(test* t) /* whatever the step */
{
    target g = make_target(t, (kin_shape){.kind = KIN_SHAPE_BOX, .size = {1, 1, 1e-6}}, kin_transform_identity());
    for (double step = 1e-3; step < 1e9; step *= 7) {
        kin_vec3 x = {0.1, 0.2, 3}, v = {0, 0, -step};
        bool hit = false;
        for (int i = 0; i < 5000 && !hit; ++i) {
            kin_contact c;
            hit = first(&g, x, kin_add(x, v), 0, &c);
            if (hit) NEAR(t, kin_lerp(x, kin_add(x, v), c.fraction).z, 5e-7, 1e-9 * kin_max(1, step));
            x = kin_add(x, v);
        }
        CHECK(t, hit);
    }
    kin_solids_destroy(g.solids);
}

TEST_MAIN("collision sweep", TEST(sphere_sweeps), TEST(box_sweeps), TEST(capsule_sweeps), TEST(plane_sweeps), TEST(cylinder_sweeps), TEST(cone_sweeps),
          TEST(ellipsoid_sweeps), TEST(hull_sweeps), TEST(compound_sweeps), TEST(box_mesh_sweeps), TEST(torus_mesh_sweeps), TEST(open_mesh_sweeps),
          TEST(box_and_box_mesh_agree), TEST(plane_fraction_is_one_third), TEST(spheres_meet_at_three_tenths), TEST(starts_on_the_surface_follow_the_rule),
          TEST(a_start_inside_leaves_freely), TEST(a_start_on_an_edge_enters_only_past_both_faces), TEST(points_bounce_on_both_sides),
          TEST(bullets_never_pass_a_thin_box))
