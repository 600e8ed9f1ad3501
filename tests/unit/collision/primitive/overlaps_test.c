#include "collision/primitive/overlaps.h"
#include "geometry/predicates.h"
#include "math/aabb.h"
#include "unit/collision/primitive/meshes.h"

static soup ball_soup(uint32_t rows) /* radius 1 */
{
    uint32_t columns = 2 * rows, ring = columns * (rows - 1);
    soup s = soup_new(ring + 2, columns * rows, 4 * columns * rows);
    for (uint32_t j = 1; j < rows; ++j) {
        for (uint32_t i = 0; i < columns; ++i) {
            double v = KIN_PI * j / rows, u = 2 * KIN_PI * i / columns;
            soup_vertex(&s, kin_v(sin(v) * cos(u), cos(v), -sin(v) * sin(u)));
        }
    }
    uint32_t top = soup_vertex(&s, kin_v(0, 1, 0)), bottom = soup_vertex(&s, kin_v(0, -1, 0));
    for (uint32_t i = 0; i < columns; ++i) {
        uint32_t next = (i + 1) % columns, last = (rows - 2) * columns;
        soup_face(&s, 3, (uint32_t[]){top, i, next});
        soup_face(&s, 3, (uint32_t[]){bottom, last + next, last + i});
        for (uint32_t j = 0; j + 2 < rows; ++j) {
            uint32_t a = j * columns + i, b = j * columns + next;
            soup_face(&s, 4, (uint32_t[]){a, a + columns, b + columns, b});
        }
    }
    return s;
}

/* A bar with two teeth pointing down to y = -long and y = -short: an outline in x, y drawn out along z. */
static soup fork_soup(double left, double right)
{
    const double outline[8][2] = {{-3, 1}, {-3, -left}, {-2, -left}, {-2, 0}, {2, 0}, {2, -right}, {3, -right}, {3, 1}};
    soup s = soup_new(16, 10, 16 + 32);
    for (int i = 0; i < 16; ++i) soup_vertex(&s, kin_v(outline[i % 8][0], outline[i % 8][1], i < 8 ? -0.5 : 0.5));
    soup_face(&s, 8, (uint32_t[]){7, 6, 5, 4, 3, 2, 1, 0});
    soup_face(&s, 8, (uint32_t[]){8, 9, 10, 11, 12, 13, 14, 15});
    for (uint32_t i = 0; i < 8; ++i) soup_face(&s, 4, (uint32_t[]){i, (i + 1) % 8, 8 + (i + 1) % 8, 8 + i});
    return s;
}

static kin_overlaps overlap(test* t, const kin_trimesh* a, const kin_trimesh* b, kin_transform pose)
{
    kin_overlaps o;
    kin_overlaps_init(&o, &t->allocator);
    EQUAL(t, kin_trimesh_overlaps(a, b, pose, NULL, &o, NULL), KIN_OK);
    return o;
}

static kin_transform at(kin_vec3 x) { return (kin_transform){x, {0, 0, 0, 1}}; }

static void two_teeth_are_two_regions(test* t) /* C2.5.14, Fig 2.41(b): two depths */
{
    kin_trimesh *fork = trimesh_of(t, fork_soup(1, 1.5)), *slab = trimesh_of(t, box_soup(kin_v(5, 1, 5)));
    kin_overlaps o = overlap(t, fork, slab, at(kin_v(0.1, -1.75, 0.05))); /* the slab's top is at y = -0.75 */
    EQUAL(t, o.count, 2);
    if (o.count == 2) {
        const kin_overlap *left = &o.data[0], *right = &o.data[1];
        if (left->center.x > 0) left = &o.data[1], right = &o.data[0];
        NEAR(t, left->depth, 0.25, 1e-14);
        NEAR(t, right->depth, 0.75, 1e-14);
        NEAR(t, left->distance, 0.25, 1e-14);
        NEAR(t, right->distance, 0.75, 1e-14);
        NEAR3(t, left->normal, kin_v(0, 1, 0), 1e-14);
        NEAR3(t, right->normal, kin_v(0, 1, 0), 1e-14);
        NEAR(t, left->area, 1, 1e-14); /* 1 by 1 teeth */
        EQUAL(t, left->inside_a_count, 4);
        EQUAL(t, left->inside_b_count, 0);
        NEAR3(t, left->center, kin_v(-2.5, -0.75, 0), 1e-14);
    }
    kin_overlaps_term(&o);
    o = overlap(t, slab, fork, at(kin_v(-0.1, 1.75, -0.05))); /* the other way round */
    EQUAL(t, o.count, 2);
    for (uint32_t k = 0; k < o.count; ++k) {
        NEAR3(t, o.data[k].normal, kin_v(0, -1, 0), 1e-14);
        EQUAL(t, o.data[k].inside_b_count, 4);
    }
    kin_overlaps_term(&o);
    kin_trimesh_destroy(fork);
    kin_trimesh_destroy(slab);
}

static void balls_are_as_deep_as_their_radii_say(test* t) /* convex: one region, Fig 2.41(a) */
{
    kin_trimesh *a = trimesh_of(t, ball_soup(40)), *b = trimesh_of(t, ball_soup(37));
    const kin_vec3 way = kin_normalize_or(kin_v(1, 0.4, -0.3), kin_v(1, 0, 0));
    kin_overlaps o = overlap(t, a, b, (kin_transform){kin_scale(way, 1.5), kin_quat_axis_angle(kin_v(1, 2, 3), 1)});
    const double chord = 2e-3; /* facets are that much inside the sphere: (pi / 40)^2 / 8 twice, and a little */
    EQUAL(t, o.count, 1);
    if (o.count == 1) {
        const kin_overlap* r = o.data;
        NEAR(t, r->depth, 0.5, 2 * chord);
        NEAR(t, r->distance, 0.5, 0.08); /* deepest vertices need not lie opposite to each other: within an edge */
        NEAR3(t, r->normal, kin_neg(way), 1e-3);
        NEAR(t, r->area, KIN_PI * (1 - 0.75 * 0.75), 0.01);
        CHECK(t, r->inside_a_count > 50 && r->inside_b_count > 50);
        for (uint32_t i = 0; i < r->inside_a_count; ++i) { /* all that are inside, and only they */
            kin_vec3 x = a->mesh->vertices[r->inside_a[i]];
            CHECK(t, kin_distance(x, kin_scale(way, 1.5)) < 1);
        }
        uint32_t within = 0;
        for (uint32_t v = 0; v < a->mesh->vertex_count; ++v) within += kin_distance(a->mesh->vertices[v], kin_scale(way, 1.5)) < 1 - chord;
        CHECK(t, r->inside_a_count >= within && r->inside_a_count <= within + within / 20);
    }
    kin_overlaps_term(&o);
    kin_trimesh_destroy(a);
    kin_trimesh_destroy(b);
}

static void crossed_edges_have_a_depth_too(test* t) /* no vertex is inside: the fallback of C2.5.14 */
{
    /* two bars on edge, across each other: ridges along x at y = 0.1 and along z at y = -0.1 */
    kin_trimesh* bar = trimesh_of(t, box_soup(kin_v(5, 1, 1)));
    const double reach = sqrt(2.0);
    kin_quat on_edge = kin_quat_axis_angle(kin_v(1, 0, 0), KIN_PI / 4);
    kin_transform low = {{0, 0.1 - reach, 0}, on_edge};
    kin_transform high = {{0, reach - 0.1, 0}, kin_quat_mul(kin_quat_axis_angle(kin_v(0, 1, 0), KIN_PI / 2), on_edge)};
    kin_overlaps o = overlap(t, bar, bar, kin_transform_between(high, low));
    EQUAL(t, o.count, 1);
    if (o.count == 1) {
        EQUAL(t, o.data->inside_a_count + o.data->inside_b_count, 0);
        NEAR(t, o.data->depth, 0.2, 1e-13);
        NEAR(t, o.data->distance, 0.2, 1e-13);
        NEAR3(t, kin_rotate(high.orientation, o.data->normal), kin_v(0, 1, 0), 1e-13);
    }
    kin_overlaps_term(&o);
    kin_trimesh_destroy(bar);
}

static void a_rod_through_a_plate_is_one_region(test* t) /* two curves, one piece of surface between */
{
    kin_trimesh *rod = trimesh_of(t, box_soup(kin_v(0.1, 3, 0.1))), *plate = trimesh_of(t, box_soup(kin_v(2, 0.25, 2)));
    kin_overlaps o = overlap(t, rod, plate, at(kin_v(0.05, 0.1, 0.02)));
    EQUAL(t, o.count, 1);
    if (o.count == 1) {
        NEAR(t, o.data->area, 0, 1e-14); /* in and out again */
        NEAR(t, kin_length(o.data->normal), 1, 1e-14);
        CHECK(t, o.data->depth > 0.1);
    }
    kin_overlaps_term(&o);
    kin_trimesh_destroy(rod);
    kin_trimesh_destroy(plate);
}

static void one_inside_the_other_is_a_region(test* t)
{
    kin_trimesh *big = trimesh_of(t, box_soup(kin_v(2, 2, 2))), *small = trimesh_of(t, box_soup(kin_v(0.5, 0.5, 0.5)));
    kin_overlaps o = overlap(t, small, big, at(kin_v(-1.2, 0, 0))); /* the small one at x = 1.2 of the big one: 0.3 from its wall */
    EQUAL(t, o.count, 1);
    if (o.count == 1) {
        EQUAL(t, o.data->crossing_count, 0);
        EQUAL(t, o.data->inside_a_count, 8);
        NEAR(t, kin_length(o.data->normal), 1, 1e-14);
        CHECK(t, o.data->depth >= 1.3 - 1e-12);
    }
    kin_overlaps_term(&o);
    o = overlap(t, big, small, at(kin_v(1.2, 0, 0)));
    EQUAL(t, o.count, 1);
    if (o.count == 1) EQUAL(t, o.data->inside_b_count, 8);
    kin_overlaps_term(&o);
    o = overlap(t, big, small, at(kin_v(3, 0, 0)));
    EQUAL(t, o.count, 0);
    kin_overlaps_term(&o);
    kin_trimesh_destroy(big);
    kin_trimesh_destroy(small);
}

/* Boxes with faces, edges or corners in common: no NaN, one region, the right depth. */
static void boxes_in_line(test* t)
{
    kin_trimesh* box = trimesh_of(t, box_soup(kin_v(1, 1, 1)));
    static const kin_vec3 shifts[] = {{0, 1.75, 0}, {0.5, 1.75, 0}, {0.5, 1.75, 0.25}, {0, 2, 0}, {2, 2, 2}, {0, 0, 0}, {1.75, 1.9, 0}};
    static const double depths[] = {0.25, 0.25, 0.25, 0, 0, -1, 0.1}; /* all of it: any way out */
    for (int k = 0; k < 7; ++k) {
        kin_overlaps o = overlap(t, box, box, at(kin_neg(shifts[k])));
        EQUAL(t, o.count, 1);
        for (uint32_t i = 0; i < o.count; ++i) {
            CHECK(t, kin_finite3(o.data[i].normal) && kin_finite3(o.data[i].deepest_a) && kin_finite3(o.data[i].deepest_b) && kin_finite(o.data[i].depth));
            NEAR(t, kin_length(o.data[i].normal), 1, 1e-12);
            if (depths[k] >= 0) NEAR(t, o.data[i].exit_depth, depths[k], 1e-12);
            if (depths[k] > 0) NEAR3(t, o.data[i].exit, kin_v(0, 1, 0), 1e-12);
            if (depths[k] > 0) { /* faces of the common box that belong to a: its bottom, and the sides towards b */
                kin_vec3 s = shifts[k], side = kin_v(2 - s.x, 2 - s.y, 2 - s.z);
                kin_vec3 area = {s.x > 0 ? side.y * side.z : 0, side.x * side.z, s.z > 0 ? side.x * side.y : 0};
                NEAR3(t, o.data[i].normal, kin_normalize_or(area, kin_v(0, 0, 0)), 1e-12);
                NEAR(t, o.data[i].depth, kin_dot(kin_mul(o.data[i].normal, kin_v(s.x > 0, 1, s.z > 0)), side), 1e-12);
            }
        }
        kin_overlaps_term(&o);
    }
    kin_trimesh_destroy(box);
}

/* Tori at random: each vertex in one region's list exactly if the inside test says so, each crossing in one list. */
static void lists_agree_with_the_inside_test(test* t)
{
    dice d = {7};
    kin_trimesh *a = trimesh_of(t, torus_soup(1, 0.4, 24, 12)), *b = trimesh_of(t, torus_soup(0.8, 0.3, 20, 10));
    uint32_t most = 0;
    for (int round = 0; round < 40; ++round) {
        kin_transform pose = {roll3(&d, 0.8), kin_quat_axis_angle(roll_direction(&d), roll(&d, -3, 3))};
        kin_overlaps o = overlap(t, a, b, pose);
        size_t crossings = 0, inside[2] = {0}, want[2] = {0};
        for (uint32_t k = 0; k < o.count; ++k) {
            crossings += o.data[k].crossing_count;
            inside[0] += o.data[k].inside_a_count, inside[1] += o.data[k].inside_b_count;
            for (uint32_t i = 0; i < o.data[k].inside_a_count; ++i)
                CHECK(t, kin_trimesh_inside(b, kin_unapply(pose, a->mesh->vertices[o.data[k].inside_a[i]])));
            for (uint32_t i = 0; i < o.data[k].inside_b_count; ++i) CHECK(t, kin_trimesh_inside(a, kin_apply(pose, b->mesh->vertices[o.data[k].inside_b[i]])));
            CHECK(t, o.data[k].depth > 0 && o.data[k].distance >= 0);
        }
        for (uint32_t v = 0; v < a->mesh->vertex_count; ++v) want[0] += kin_trimesh_inside(b, kin_unapply(pose, a->mesh->vertices[v]));
        for (uint32_t v = 0; v < b->mesh->vertex_count; ++v) want[1] += kin_trimesh_inside(a, kin_apply(pose, b->mesh->vertices[v]));
        EQUAL(t, crossings, o.crossings.count);
        EQUAL(t, inside[0], want[0]);
        EQUAL(t, inside[1], want[1]);
        most = o.count > most ? o.count : most;
        kin_overlaps_term(&o);
    }
    CHECK(t, most >= 2);
    kin_trimesh_destroy(a);
    kin_trimesh_destroy(b);
}

static soup tetra_soup(const kin_vec3 p[4]) /* orient3d(p) > 0 */
{
    soup s = soup_new(4, 4, 12);
    for (int k = 0; k < 4; ++k) soup_vertex(&s, p[k]);
    soup_face(&s, 3, (uint32_t[]){0, 2, 1});
    soup_face(&s, 3, (uint32_t[]){0, 1, 3});
    soup_face(&s, 3, (uint32_t[]){1, 2, 3});
    soup_face(&s, 3, (uint32_t[]){2, 0, 3});
    return s;
}

static void roll_tetra(dice* d, kin_vec3 p[4])
{
    do {
        for (int k = 0; k < 4; ++k) p[k] = kin_v((int)roll(d, 0, 5), (int)roll(d, 0, 5), (int)roll(d, 0, 5));
    } while (kin_orient3d(p[0], p[1], p[2], p[3]) <= 0);
}

static bool strictly_inside(const kin_vec3 p[4], kin_vec3 x)
{
    return kin_orient3d(p[0], p[2], p[1], x) < 0 && kin_orient3d(p[0], p[1], p[3], x) < 0 && kin_orient3d(p[1], p[2], p[3], x) < 0
           && kin_orient3d(p[2], p[0], p[3], x) < 0;
}

/* Tetrahedra on a lattice touch in every way there is. Convex: at most one region, whose lists hold just what is strictly inside. */
static void every_way_to_touch(test* t)
{
    dice d = {11};
    int regions = 0, touching = 0, inside = 0;
    for (int round = 0; round < 4000; ++round) {
        kin_vec3 p[2][4];
        roll_tetra(&d, p[0]);
        roll_tetra(&d, p[1]);
        kin_trimesh *a = trimesh_of(t, tetra_soup(p[0])), *b = trimesh_of(t, tetra_soup(p[1]));
        kin_overlaps o = overlap(t, a, b, kin_transform_identity());
        CHECK(t, o.count <= 1);
        EQUAL(t, o.count > 0, kin_trimesh_relation(a, b, kin_transform_identity()) != KIN_MESHES_APART);
        uint32_t want[2] = {0}, got[2] = {0};
        for (int k = 0; k < 8; ++k) want[k / 4] += strictly_inside(p[1 - k / 4], p[k / 4][k % 4]);
        for (uint32_t k = 0; k < o.count; ++k) {
            const kin_overlap* r = &o.data[k];
            got[0] += r->inside_a_count, got[1] += r->inside_b_count;
            CHECK(t, kin_abs(kin_length(r->normal) - 1) < 1e-12 && kin_abs(kin_length(r->exit) - 1) < 1e-12);
            CHECK(t, r->depth >= 0 && r->exit_depth >= 0 && r->exit_depth <= r->depth && r->distance >= 0 && kin_finite(r->depth) && kin_finite(r->distance));
            CHECK(t, kin_finite3(r->deepest_a) && kin_finite3(r->deepest_b) && kin_finite3(r->center));
            touching += r->depth == 0;
        }
        EQUAL(t, got[0], want[0]);
        EQUAL(t, got[1], want[1]);
        regions += (int)o.count, inside += (int)(want[0] + want[1]);
        kin_overlaps_term(&o);
        kin_trimesh_destroy(a);
        kin_trimesh_destroy(b);
    }
    CHECK(t, regions > 1000 && touching > 20 && inside > 200);
}

static double flat(double x, double z) { return 0 * x * z; }

static void open_meshes_are_refused(test* t)
{
    kin_trimesh *sheet = trimesh_of(t, grid_soup(2, 1, flat)), *box = trimesh_of(t, box_soup(kin_v(1, 1, 1)));
    kin_overlaps o;
    kin_error error = {0};
    kin_overlaps_init(&o, &t->allocator);
    EQUAL(t, kin_trimesh_overlaps(sheet, box, kin_transform_identity(), NULL, &o, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "a");
    HAS(t, error.message, "closed");
    kin_overlaps_term(&o);
    kin_trimesh_destroy(sheet);
    kin_trimesh_destroy(box);
}

static bool overlap_once(test* t, void* context)
{
    kin_trimesh** m = context;
    kin_overlaps o;
    kin_error error;
    kin_overlaps_init(&o, &t->allocator);
    bool ok = kin_trimesh_overlaps(m[0], m[1], at(kin_v(0.9, 0.1, 0.2)), NULL, &o, &error) == KIN_OK;
    if (!ok) EQUAL(t, o.count, 0);
    kin_overlaps_term(&o);
    return ok;
}

static void memory_may_run_out(test* t)
{
    kin_trimesh* m[2] = {trimesh_of(t, torus_soup(1, 0.4, 16, 8)), trimesh_of(t, torus_soup(1, 0.4, 16, 8))};
    test_fail_each_allocation(t, overlap_once, m);
    kin_overlaps o;
    kin_overlaps_init(&o, &t->allocator);
    for (int k = 0; k < 3; ++k) {
        uint64_t before = t->allocations;
        EQUAL(t, kin_trimesh_overlaps(m[0], m[1], at(kin_v(0.9, 0.1, 0.2)), NULL, &o, NULL), KIN_OK);
        if (k == 2) EQUAL(t, t->allocations, before); /* steady */
    }
    kin_overlaps_term(&o);
    kin_trimesh_destroy(m[0]);
    kin_trimesh_destroy(m[1]);
}

TEST_MAIN("collision_overlaps", TEST(two_teeth_are_two_regions), TEST(balls_are_as_deep_as_their_radii_say), TEST(crossed_edges_have_a_depth_too),
          TEST(a_rod_through_a_plate_is_one_region), TEST(one_inside_the_other_is_a_region), TEST(boxes_in_line), TEST(lists_agree_with_the_inside_test),
          TEST(every_way_to_touch), TEST(open_meshes_are_refused), TEST(memory_may_run_out))
