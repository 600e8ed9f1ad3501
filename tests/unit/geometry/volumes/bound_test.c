#include "geometry/volumes/bound.h"
#include "geometry/volumes/polytope.h"
#include "unit/geometry/volumes/rig.h"

enum { N = 60 };

static kin_bound fit(test* t, kin_bound_kind kind, const kin_vec3* points, size_t count)
{
    kin_bound b = {.kind = kind};
    EQUAL(t, kin_bound_fit(kind, &t->allocator, points, count, &b), KIN_OK);
    return b;
}

/* A cloud in a turned box, stretched, anywhere. */
static void cloud(dice* d, kin_vec3* points, int n, double size, double away)
{
    kin_transform pose = roll_pose(d, away);
    for (int i = 0; i < n; ++i) points[i] = kin_apply(pose, kin_mul(roll3(d, size), kin_v(1, 0.5, 0.2)));
}

static void ritter_grows_to_the_point(test* t) /* C2.2.3, erratum of the centre */
{
    kin_bound_sphere s = kin_sphere_grow((kin_bound_sphere){{0, 0, 0}, 1}, kin_v(3, 0, 0));
    NEAR3(t, s.center, kin_v(1, 0, 0), 1e-15);
    NEAR(t, s.radius, 2, 1e-15);
    s = kin_sphere_grow((kin_bound_sphere){{0, 0, 0}, 1}, kin_v(0.5, 0, 0.5));
    NEAR(t, s.radius, 1, 0);
    dice d = {1};
    for (int i = 0; i < 1000; ++i) { /* holds the point on its rim and the old sphere inside, touching */
        kin_bound_sphere old = {roll3(&d, 5), roll(&d, 0, 2)};
        kin_vec3 v = roll3(&d, 20);
        if (kin_distance(old.center, v) <= old.radius) continue;
        s = kin_sphere_grow(old, v);
        NEAR(t, kin_distance(s.center, v), s.radius, 1e-13);
        NEAR(t, kin_distance(s.center, old.center) + old.radius, s.radius, 1e-13);
    }
}

static double worst_outside(kin_bound_sphere s, const kin_vec3* points, int n)
{
    double worst = -1e300;
    for (int i = 0; i < n; ++i) worst = fmax(worst, kin_distance(points[i], s.center) - s.radius);
    return worst;
}

/* The smallest is known when its support spans: the centre is a convex sum of points on the rim. Checked by shrinking: no centre nearby does better. */
static void the_smallest_ball_is_smallest(test* t)
{
    dice d = {2};
    kin_vec3 p[200];
    for (int round = 0; round < 300; ++round) {
        int n = 1 + round % 40 * 5;
        for (int i = 0; i < n; ++i) p[i] = round % 3 == 0 ? roll3(&d, 1) : round % 3 == 1 ? roll_direction(&d) : kin_mul(roll3(&d, 1), kin_v(1, 1, 0));
        if (round % 7 == 0) {
            for (int i = n / 2; i < n; ++i) p[i] = p[i - n / 2]; /* duplicates */
        }
        kin_bound_sphere ball = kin_sphere_smallest(p, (size_t)n), ritter = kin_sphere_ritter(p, (size_t)n);
        CHECK(t, worst_outside(ball, p, n) <= 1e-15);
        CHECK(t, worst_outside(ritter, p, n) <= 1e-15);
        CHECK(t, ritter.radius >= ball.radius * (1 - 1e-14));
        for (int k = 0; k < 20; ++k) {
            kin_vec3 c = kin_add_scaled(ball.center, pow(10, roll(&d, -6, 0)) * ball.radius, roll_direction(&d));
            CHECK(t, kin_sphere_at(c, p, (size_t)n).radius >= ball.radius * (1 - 1e-12));
        }
    }
    kin_vec3 tetra[4] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    NEAR(t, kin_sphere_smallest(tetra, 4).radius, sqrt(3), 1e-14);
    kin_vec3 line[3] = {{0, 0, 0}, {4, 0, 0}, {1, 0, 0}};
    NEAR(t, kin_sphere_smallest(line, 3).radius, 2, 1e-15);
    NEAR3(t, kin_sphere_smallest(line, 3).center, kin_v(2, 0, 0), 1e-15);
    NEAR(t, kin_sphere_smallest(line, 1).radius, 0, 0);
}

static void spheres_join(test* t)
{
    kin_bound_sphere u = kin_sphere_union((kin_bound_sphere){{0, 0, 0}, 1}, (kin_bound_sphere){{4, 0, 0}, 2});
    NEAR3(t, u.center, kin_v(2.5, 0, 0), 1e-15);
    NEAR(t, u.radius, 3.5, 1e-15);
    NEAR(t, kin_sphere_union((kin_bound_sphere){{0, 0, 0}, 5}, (kin_bound_sphere){{1, 0, 0}, 2}).radius, 5, 0);
    NEAR(t, kin_sphere_union((kin_bound_sphere){{1, 0, 0}, 2}, (kin_bound_sphere){{0, 0, 0}, 5}).radius, 5, 0);
    kin_aabb box = kin_sphere_box((kin_bound_sphere){{1, 2, 3}, 2}); /* H10.5 */
    NEAR3(t, box.low, kin_v(-1, 0, 1), 0);
}

static void the_rotation_sphere_holds_every_turn(test* t) /* C1.4.1a, 10^4 rotations */
{
    dice d = {3};
    kin_vec3 p[N];
    cloud(&d, p, N, 2, 3);
    kin_vec3 mass_center = kin_v(0.3, -0.2, 1);
    kin_bound_sphere s = kin_sphere_rotation(kin_sphere_smallest(p, N), mass_center), at = kin_sphere_at(mass_center, p, N);
    CHECK(t, at.radius <= s.radius); /* H10.4: to the farthest vertex is tighter */
    for (int k = 0; k < 10000; ++k) {
        kin_quat q = roll_turn(&d);
        for (int i = 0; i < N; i += 7) {
            kin_vec3 x = kin_add(mass_center, kin_rotate(q, kin_sub(p[i], mass_center)));
            if (kin_distance(x, s.center) > s.radius * (1 + 1e-14) || kin_distance(x, at.center) > at.radius * (1 + 1e-14)) CHECK(t, false);
        }
    }
}

static void sphere_against_box(test* t) /* C2.5.4, C2.5.6 */
{
    kin_aabb box = {{-1, -1, -1}, {1, 1, 1}};
    CHECK(t, kin_sphere_overlaps_box((kin_bound_sphere){{3, 0, 0}, 2}, box)); /* touches */
    CHECK(t, !kin_sphere_overlaps_box((kin_bound_sphere){{3, 0, 0}, 1.999}, box));
    CHECK(t, !kin_sphere_overlaps_box((kin_bound_sphere){{2, 2, 2}, 1.73}, box)); /* the corner is sqrt 3 away: each axis alone would say yes */
    CHECK(t, kin_sphere_overlaps_box((kin_bound_sphere){{2, 2, 2}, 1.74}, box));
    CHECK(t, kin_sphere_overlaps_box((kin_bound_sphere){{0, 0, 0}, 0.1}, box));
    kin_obb turned = {{0, 0, 0}, kin_mat3_rotation(kin_axis(2), KIN_PI / 4), {1, 1, 1}};
    CHECK(t, kin_sphere_overlaps_obb((kin_bound_sphere){{2, 0, 0}, 0.6}, turned));
    CHECK(t, !kin_sphere_overlaps_obb((kin_bound_sphere){{2, 0, 0}, 0.58}, turned));
    kin_bound a = {.kind = KIN_BOUND_SPHERE, .sphere = {{0, 0, 0}, 1}}, b = {.kind = KIN_BOUND_BALL, .sphere = {{3, 0, 0}, 2}};
    CHECK(t, kin_bound_overlap(&a, &b));
    b.sphere.radius = 1.99;
    CHECK(t, !kin_bound_overlap(&a, &b));
}

static void kdop_projects_as_the_text(test* t) /* H10.6: (2, 3, 7) on x + y - z; the text prints -2 sqrt 3 */
{
    kin_vec3 p = kin_v(2, 3, 7);
    NEAR3(t, kin_kdop_axis(4), kin_v(1, 1, -1), 0);
    NEAR(t, kin_kdop_project(4, p), -2, 0);
    NEAR(t, kin_kdop_project(4, p) / kin_length(kin_kdop_axis(4)), -1.1547005383792515, 1e-15);
}

static void kdops_nest(test* t) /* H10.6: 26 in 18, 14, in the box; the hull in all */
{
    dice d = {4};
    kin_vec3 p[N];
    for (int round = 0; round < 40; ++round) {
        cloud(&d, p, N, 1, 1);
        double v[KIN_BOUND_KINDS], area[KIN_BOUND_KINDS];
        for (int k = 0; k < KIN_BOUND_KINDS; ++k) {
            kin_bound b = fit(t, (kin_bound_kind)k, p, N);
            v[k] = kin_bound_volume(&b), area[k] = kin_bound_area(&b);
            CHECK(t, v[k] >= 0 && area[k] > 0);
            kin_bound_term(&b, &t->allocator);
        }
        NEAR(t, v[KIN_BOUND_DOP6], v[KIN_BOUND_AABB], 1e-12);
        NEAR(t, area[KIN_BOUND_DOP6], area[KIN_BOUND_AABB], 1e-11);
        CHECK(t, v[KIN_BOUND_DOP26] <= v[KIN_BOUND_DOP18] && v[KIN_BOUND_DOP26] <= v[KIN_BOUND_DOP14]);
        CHECK(t, v[KIN_BOUND_DOP18] <= v[KIN_BOUND_DOP6] && v[KIN_BOUND_DOP14] <= v[KIN_BOUND_DOP6]);
        CHECK(t, v[KIN_BOUND_BALL] <= v[KIN_BOUND_SPHERE] * (1 + 1e-12) && v[KIN_BOUND_BALL] <= v[KIN_BOUND_SPHERE_EIGEN] * (1 + 1e-12));
        for (int k = 0; k < KIN_BOUND_KINDS; ++k) CHECK(t, v[KIN_BOUND_HULL] <= v[k] * (1 + 1e-12) && area[KIN_BOUND_HULL] <= area[k] * (1 + 1e-12));
    }
    /* An octahedron |x| + |y| + |z| <= 1: 14 faces hold it exactly, volume 4/3; the 18 are a truncated one */
    kin_vec3 octahedron[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    kin_bound b = fit(t, KIN_BOUND_DOP14, octahedron, 6);
    NEAR(t, kin_bound_volume(&b), 4.0 / 3, 1e-12);
    NEAR(t, kin_bound_area(&b), 4 * sqrt(3), 1e-11);
    b = fit(t, KIN_BOUND_DOP18, octahedron, 6); /* the rhombic dodecahedron |x| + |y| <= 1, ...: volume 2, area 6 sqrt 2 */
    NEAR(t, kin_bound_volume(&b), 2, 1e-12);
    NEAR(t, kin_bound_area(&b), 6 * sqrt(2), 1e-11);
}

static void every_kind_holds_its_points_where_it_goes(test* t)
{
    dice d = {5};
    kin_vec3 p[N], q[N];
    static const double sizes[] = {1, 1e8, 1e-6, 1e-300};
    for (int round = 0; round < 120; ++round) {
        double size = sizes[round % 4];
        int n = round % 5 == 0 ? 1 + round % 3 : N;
        cloud(&d, p, n, size, round % 3 == 0 ? 100 * size : size);
        cloud(&d, q, N, size, size);
        for (int i = 0; round % 6 == 0 && i < n; ++i) p[i].y = 0.25 * size; /* flat */
        kin_transform pose = roll_pose(&d, 3 * size);
        for (int k = 0; k < KIN_BOUND_KINDS; ++k) {
            kin_bound a = fit(t, (kin_bound_kind)k, p, (size_t)n), b = fit(t, (kin_bound_kind)k, q, N), both = {.kind = (kin_bound_kind)k};
            EQUAL(t, kin_bound_merge((kin_bound_kind)k, &t->allocator, &a, &b, &both), KIN_OK);
            kin_bound moved = kin_bound_move(&a, pose), turned = kin_bound_turn(&a, pose);
            bool good = kin_bound_overlap(&a, &both) && kin_bound_overlap(&both, &b) && kin_bound_overlap(&moved, &turned);
            kin_vec3 way = roll_direction(&d);
            double extent = kin_bound_extent(&moved, way), slack = 1e-13 * size * 400;
            for (int i = 0; i < n; ++i) {
                kin_vec3 x = kin_apply(pose, p[i]);
                good =
                    good && kin_bound_contains(&a, p[i]) && kin_bound_contains(&both, p[i]) && kin_bound_contains(&moved, x) && kin_bound_contains(&turned, x);
                good = good && kin_dot(way, x) <= extent + slack;
            }
            for (int i = 0; i < N; ++i) good = good && kin_bound_contains(&both, q[i]);
            test_check(t, good, __FILE__, __LINE__, "round %d, %s", round, kin_bound_ops_of[k]->name);
            kin_bound_term(&a, &t->allocator), kin_bound_term(&b, &t->allocator), kin_bound_term(&both, &t->allocator);
        }
    }
}

static void the_cube_has_five_ninths(test* t) /* C2.2.2 */
{
    kin_mesh* cube = mesh_of(t, box_soup(kin_v(1, 1, 1)));
    kin_sym3 c;
    CHECK(t, kin_covariance_of_surface(cube->vertices, (const uint32_t(*)[3])cube->triangles, cube->triangle_count, &c));
    NEAR(t, c.xx, 5.0 / 9, 1e-15), NEAR(t, c.yy, 5.0 / 9, 1e-15), NEAR(t, c.zz, 5.0 / 9, 1e-15);
    NEAR(t, c.xy, 0, 1e-15), NEAR(t, c.xz, 0, 1e-15), NEAR(t, c.yz, 0, 1e-15);
    CHECK(t, !kin_covariance_of_surface(cube->vertices, (const uint32_t[1][3]){{0, 0, 1}}, 1, &c));
    kin_mesh_destroy(cube);
}

/* C2.2.2: a turned box with different sides gets its volume back by both ways; points inside or crowds on the rim spoil the one by vertices only. */
static void a_turned_box_gets_its_volume_back(test* t)
{
    dice d = {6};
    for (int round = 0; round < 50; ++round) {
        kin_transform pose = roll_pose(&d, 5);
        kin_vec3 half = {1, 2, 3.5}, p[208];
        kin_obb_corners((kin_obb){{0, 0, 0}, kin_mat3_identity(), half}, p);
        for (int i = 8; i < 108; ++i) p[i] = kin_mul(roll3(&d, 0.9), kin_v(1, 2, 3.5)); /* inside */
        for (int i = 108; i < 208; ++i) p[i] = kin_v(1, 2, roll(&d, 3, 3.5));           /* a crowd on an edge */
        for (int i = 0; i < 208; ++i) p[i] = kin_apply(pose, p[i]);
        kin_bound a = fit(t, KIN_BOUND_OBB, p, 8), b = fit(t, KIN_BOUND_OBB_HULL, p, 8);
        NEAR(t, kin_bound_volume(&a), 56, 1e-11);
        NEAR(t, kin_bound_volume(&b), 56, 1e-11);
        b = fit(t, KIN_BOUND_OBB_HULL, p, 208);
        NEAR(t, kin_bound_volume(&b), 56, 1e-11);
        a = fit(t, KIN_BOUND_OBB, p, 208);
        CHECK(t, kin_bound_volume(&a) > 56.5);
    }
}

/* Generic separating axes over the corners. */
static bool corners_apart(const kin_vec3* p, const kin_vec3* q, kin_vec3 d)
{
    double pl = 1e300, ph = -1e300, ql = 1e300, qh = -1e300;
    for (int i = 0; i < 8; ++i)
        pl = fmin(pl, kin_dot(p[i], d)), ph = fmax(ph, kin_dot(p[i], d)), ql = fmin(ql, kin_dot(q[i], d)), qh = fmax(qh, kin_dot(q[i], d));
    return ph < ql || qh < pl;
}
static bool generic_overlap(kin_obb a, kin_obb b, bool diagonal)
{
    kin_vec3 p[8], q[8];
    kin_obb_corners(a, p), kin_obb_corners(b, q);
    for (int i = 0; i < 3; ++i) {
        if (corners_apart(p, q, kin_mat3_column(a.axes, i)) || corners_apart(p, q, kin_mat3_column(b.axes, i))) return false;
        for (int k = 0; k < 3; ++k) {
            kin_vec3 d = kin_cross(kin_mat3_column(a.axes, i), kin_mat3_column(b.axes, k));
            if ((diagonal || i != k) && kin_length(d) > 1e-9 && corners_apart(p, q, d)) return false;
        }
    }
    return true;
}

static kin_obb roll_box(dice* d, double reach)
{
    kin_mat3 axes = kin_quat_to_matrix(roll_turn(d));
    kin_vec3 half = kin_add(kin_abs3(roll3(d, 1)), kin_v(0.05, 0.05, 0.05));
    return (kin_obb){roll3(d, reach), axes, half};
}

static void boxes_overlap_as_generic_axes_say(test* t) /* C2.5.3, H10.7: 20000 pairs */
{
    dice d = {7};
    int wrong = 0, six_more = 0, six_less = 0, without_diagonal = 0, apart = 0;
    for (int i = 0; i < 20000; ++i) {
        kin_obb a = roll_box(&d, 1.4), b = roll_box(&d, 1.4);
        if (i % 10 == 0) b.axes = a.axes; /* parallel */
        bool truth = generic_overlap(a, b, true), got = kin_obb_overlaps(&a, &b), six = kin_obb_overlaps_6(&a, &b);
        wrong += got != truth, six_more += six && !truth, six_less += !six && truth;
        without_diagonal += generic_overlap(a, b, false) != truth;
        apart += !truth;
        EQUAL(t, kin_obb_overlaps(&b, &a), got);
    }
    EQUAL(t, wrong, 0);
    EQUAL(t, six_less, 0);
    CHECK(t, six_more > 100 && six_more < 2000 && apart > 5000);
    CHECK(t, without_diagonal > 20); /* the text's i != j errs */
}

static void boxes_that_touch_overlap(test* t)
{
    kin_obb a = {{0, 0, 0}, kin_mat3_identity(), {1, 1, 1}}, b = {{2, 0, 0}, kin_mat3_identity(), {1, 1, 1}};
    CHECK(t, kin_obb_overlaps(&a, &b));
    b.center.x = 2 + 1e-9;
    CHECK(t, !kin_obb_overlaps(&a, &b) && !kin_obb_overlaps_6(&a, &b));
    /* edges crossing, apart along their cross only: faces see nothing */
    kin_mat3 x45 = kin_mat3_rotation(kin_axis(0), KIN_PI / 4), y45 = kin_mat3_rotation(kin_axis(1), KIN_PI / 4);
    a = (kin_obb){{0, 0, 0}, x45, {3, 1, 1}}, b = (kin_obb){{0, 0, 2 * sqrt(2) + 0.01}, y45, {1, 3, 1}};
    CHECK(t, !kin_obb_overlaps(&a, &b));
    CHECK(t, kin_obb_overlaps_6(&a, &b));
    b.center.z = 2 * sqrt(2) - 0.01;
    CHECK(t, kin_obb_overlaps(&a, &b));
}

/* Never "apart" of bounds whose points share a place; of any two kinds. */
static void kinds_meet_kinds(test* t)
{
    dice d = {8};
    int apart = 0;
    kin_vec3 p[20], q[20];
    for (int round = 0; round < 150; ++round) {
        kin_bound a[KIN_BOUND_KINDS], b[KIN_BOUND_KINDS];
        kin_vec3 shared = roll3(&d, 2), way = roll_direction(&d);
        bool meet = round % 2 == 0;
        for (int i = 0; i < 20; ++i) {
            p[i] = kin_add(shared, roll3(&d, 0.8)), q[i] = kin_add(shared, roll3(&d, 0.8));
            if (!meet) p[i] = kin_add_scaled(p[i], 4, way); /* apart for sure */
        }
        if (meet) p[0] = q[0] = shared;
        for (int k = 0; k < KIN_BOUND_KINDS; ++k) a[k] = fit(t, (kin_bound_kind)k, p, 20), b[k] = fit(t, (kin_bound_kind)k, q, round % 3 == 0 ? 3 : 20);
        for (int k = 0; k < KIN_BOUND_KINDS; ++k) {
            for (int m = 0; m < KIN_BOUND_KINDS; ++m) {
                bool overlap = kin_bound_overlap(&a[k], &b[m]);
                test_check(t, !meet || overlap, __FILE__, __LINE__, "%s against %s, round %d", kin_bound_ops_of[k]->name, kin_bound_ops_of[m]->name, round);
                EQUAL(t, kin_bound_overlap(&b[m], &a[k]), overlap);
                apart += !overlap;
            }
        }
        for (int k = 0; k < KIN_BOUND_KINDS; ++k) kin_bound_term(&a[k], &t->allocator), kin_bound_term(&b[k], &t->allocator);
    }
    CHECK(t, apart > 75 * 121 * 9 / 10);
}

static void hulls_separate_exactly(test* t) /* H10.8: against all corners of two boxes, which are hulls too */
{
    dice d = {9};
    int apart = 0;
    for (int i = 0; i < 400; ++i) {
        kin_obb a = roll_box(&d, 1), b = roll_box(&d, 1);
        kin_vec3 p[8], q[8];
        kin_obb_corners(a, p), kin_obb_corners(b, q);
        kin_bound ha = fit(t, KIN_BOUND_HULL, p, 8), hb = fit(t, KIN_BOUND_HULL, q, 8), box = {.kind = KIN_BOUND_OBB, .obb = b};
        EQUAL(t, ha.hull.shape->axis_count, 3);
        EQUAL(t, ha.hull.shape->direction_count, 3);
        bool truth = kin_obb_overlaps(&a, &b);
        EQUAL(t, kin_bound_overlap(&ha, &hb), truth);
        EQUAL(t, kin_bound_overlap(&ha, &box), truth);
        apart += !truth;
        kin_bound_term(&ha, &t->allocator), kin_bound_term(&hb, &t->allocator);
    }
    CHECK(t, apart > 50 && apart < 350);
    int wrong = 0;
    for (int i = 0; i < 2000; ++i) { /* triangles: flat hulls */
        kin_vec3 p[3] = {roll3(&d, 1), roll3(&d, 1), roll3(&d, 1)}, q[3] = {roll3(&d, 1), roll3(&d, 1), roll3(&d, 1)};
        if (i % 4 == 0) p[0].z = p[1].z = p[2].z = q[0].z = q[1].z = q[2].z = 0.5;
        kin_bound a = fit(t, KIN_BOUND_HULL, p, 3), b = fit(t, KIN_BOUND_HULL, q, 3);
        wrong += kin_bound_overlap(&a, &b) != triangles_touch(p, q);
        kin_bound_term(&a, &t->allocator), kin_bound_term(&b, &t->allocator);
    }
    EQUAL(t, wrong, 0);
}

/* Wires run along the bound: every point on it, and the drawing's box is the bound's. */
static void wires_are_as_large_as_the_bound(test* t)
{
    dice d = {10};
    kin_vec3 p[N];
    cloud(&d, p, N, 1, 1);
    for (int k = 0; k < KIN_BOUND_KINDS; ++k) {
        kin_bound b = fit(t, (kin_bound_kind)k, p, N);
        kin_wire wire;
        kin_wire_init(&wire, &t->allocator);
        CHECK(t, kin_wire_add(&wire, &b));
        CHECK(t, wire.edge_count >= 12);
        kin_aabb drawn = kin_aabb_empty(), box = kin_bound_box(&b);
        for (size_t i = 0; i < wire.point_count; ++i) drawn = kin_aabb_add(drawn, wire.points[i]);
        NEAR3(t, drawn.low, box.low, 1e-9);
        NEAR3(t, drawn.high, box.high, 1e-9);
        for (size_t e = 0; e < wire.edge_count; ++e) CHECK(t, wire.edges[e][0] < wire.point_count && wire.edges[e][1] < wire.point_count);
        size_t once = wire.point_count;
        CHECK(t, kin_wire_add(&wire, &b)); /* more go into the same */
        EQUAL(t, wire.point_count, 2 * once);
        kin_wire_term(&wire);
        kin_bound_term(&b, &t->allocator);
    }
    kin_wire wire;
    kin_wire_init(&wire, &t->allocator);
    kin_bound dop = fit(t, KIN_BOUND_DOP18, (kin_vec3[]){{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}}, 6);
    CHECK(t, kin_wire_add(&wire, &dop));
    double length = 0; /* 24 edges of sqrt 3 / 2 */
    for (size_t e = 0; e < wire.edge_count; ++e) length += kin_distance(wire.points[wire.edges[e][0]], wire.points[wire.edges[e][1]]);
    NEAR(t, length, 12 * sqrt(3), 1e-9);
    kin_wire_term(&wire);
}

static void boxes_moved_are_conservative_and_turned_exact(test* t)
{
    kin_bound box = {.kind = KIN_BOUND_AABB, .box = {{-1, -1, -1}, {1, 1, 1}}};
    kin_transform turn = {{10, 0, 0}, kin_quat_axis_angle(kin_axis(2), KIN_PI / 4)};
    kin_bound moved = kin_bound_move(&box, turn), turned = kin_bound_turn(&box, turn);
    NEAR(t, kin_bound_volume(&moved), 16, 1e-11);
    NEAR(t, kin_bound_volume(&turned), 8, 1e-11);
    for (kin_bound_kind k = KIN_BOUND_DOP6; k <= KIN_BOUND_DOP26; ++k) { /* a turn that maps its axes to themselves is exact */
        dice d = {11};
        kin_vec3 p[N];
        cloud(&d, p, N, 1, 1);
        kin_bound a = fit(t, k, p, N);
        double before = kin_bound_volume(&a);
        kin_bound b = kin_bound_move(&a, (kin_transform){{1, 2, 3}, kin_quat_axis_angle(kin_axis(1), KIN_PI / 2)});
        NEAR(t, kin_bound_volume(&b), before, 1e-11);
        b = kin_bound_move(&a, (kin_transform){{1, 2, 3}, kin_quat_axis_angle(kin_axis(1), 0.4)});
        CHECK(t, kin_bound_volume(&b) > before);
    }
}

static bool fit_hull(test* t, void* context)
{
    kin_vec3* p = context;
    kin_bound a = {.kind = KIN_BOUND_HULL}, b = {.kind = KIN_BOUND_HULL}, c = {.kind = KIN_BOUND_HULL}, box;
    bool good = kin_bound_fit(KIN_BOUND_HULL, &t->allocator, p, N, &a) == KIN_OK && kin_bound_fit(KIN_BOUND_HULL, &t->allocator, p, 3, &b) == KIN_OK
                && kin_bound_merge(KIN_BOUND_HULL, &t->allocator, &a, &b, &c) == KIN_OK
                && kin_bound_fit(KIN_BOUND_OBB_HULL, &t->allocator, p, N, &box) == KIN_OK;
    kin_bound_term(&a, &t->allocator), kin_bound_term(&b, &t->allocator), kin_bound_term(&c, &t->allocator);
    return good;
}

static void hulls_survive_failing_memory(test* t)
{
    dice d = {12};
    kin_vec3 p[N];
    cloud(&d, p, N, 1, 1);
    test_fail_each_allocation(t, fit_hull, p);
}

TEST_MAIN("volumes/bound", TEST(ritter_grows_to_the_point), TEST(the_smallest_ball_is_smallest), TEST(spheres_join), TEST(the_rotation_sphere_holds_every_turn),
          TEST(sphere_against_box), TEST(kdop_projects_as_the_text), TEST(kdops_nest), TEST(every_kind_holds_its_points_where_it_goes),
          TEST(the_cube_has_five_ninths), TEST(a_turned_box_gets_its_volume_back), TEST(boxes_overlap_as_generic_axes_say), TEST(boxes_that_touch_overlap),
          TEST(kinds_meet_kinds), TEST(hulls_separate_exactly), TEST(wires_are_as_large_as_the_bound), TEST(boxes_moved_are_conservative_and_turned_exact),
          TEST(hulls_survive_failing_memory))
