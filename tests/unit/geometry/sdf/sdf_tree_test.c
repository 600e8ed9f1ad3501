#include "geometry/sdf/sdf_tree.h"
#include "math/aabb.h"
#include "unit/geometry/sdf/fields.h"

typedef struct thing {
    rig rig;
    kin_bvh tree;
    kin_sdf_body body;
} thing;

static bool thing_make(test* t, thing* x, soup s, kin_vec3 at, double cell, bool lines)
{
    if (!rig_mesh(t, &x->rig, s, 1)) return false;
    if (lines)
        lines_of(t, &x->rig, (uint32_t)(kin_largest(kin_aabb_size(x->rig.mesh->bounds)) / cell));
    else
        band_of(t, &x->rig, cell, 2);
    const kin_mesh* m = x->rig.mesh;
    kin_aabb* boxes = calloc(m->triangle_count, sizeof *boxes);
    for (uint32_t i = 0; i < m->triangle_count; ++i) {
        boxes[i] = kin_aabb_empty();
        for (int k = 0; k < 3; ++k) boxes[i] = kin_aabb_add(boxes[i], m->vertices[m->triangles[i][k]]);
    }
    kin_bvh_init(&x->tree, &t->allocator);
    bool built = kin_bvh_build(&x->tree, boxes, m->triangle_count);
    free(boxes);
    x->body = (kin_sdf_body){m, &x->tree, x->rig.sdf, {at, {0, 0, 0, 1}}};
    return CHECK(t, built && x->rig.sdf != NULL);
}

static void thing_free(thing* x)
{
    kin_bvh_term(&x->tree);
    rig_free(&x->rig);
}

/* Every vertex of the tree's body by itself. */
static void equals_brute_force(test* t, const kin_sdf_body* tree, const kin_sdf_body* field, const kin_sdf_inside_list* list)
{
    size_t found = 0;
    kin_transform to = kin_transform_between(field->pose, tree->pose);
    for (uint32_t v = 0; v < tree->mesh->vertex_count; ++v) {
        if (tree->mesh->star_begin[v] == tree->mesh->star_begin[v + 1]) continue;
        kin_vec3 x = kin_apply(to, tree->mesh->vertices[v]);
        double value = kin_sdf_value(field->sdf, x);
        if (value > 0) continue;
        if (!CHECK(t, found < list->count)) return;
        const kin_sdf_inside* in = &list->data[found++];
        EQUAL(t, in->vertex, v);
        NEAR(t, in->depth, -value, 1e-12);
        NEAR3(t, in->point, kin_apply(tree->pose, tree->mesh->vertices[v]), 1e-12);
        NEAR3(t, in->normal, kin_rotate(field->pose.orientation, kin_sdf_gradient(field->sdf, x)), 1e-12);
        EQUAL(t, in->triangle, tree->mesh->star[tree->mesh->star_begin[v]] / 4);
    }
    EQUAL(t, list->count, found);
    size_t triangles = 0;
    for (uint32_t i = 0; i < tree->mesh->triangle_count; ++i) {
        bool any = false;
        for (int k = 0; k < 3; ++k) any |= kin_sdf_value(field->sdf, kin_apply(to, tree->mesh->vertices[tree->mesh->triangles[i][k]])) <= 0;
        if (!any) continue;
        if (CHECK(t, triangles < list->triangle_count)) EQUAL(t, list->triangles[triangles], i);
        triangles += 1;
    }
    EQUAL(t, list->triangle_count, triangles);
}

static void vertices_inside_are_found_at_any_pose(test* t)
{
    thing a, b;
    kin_sdf_inside_list list;
    kin_sdf_inside_init(&list, &t->allocator);
    for (int kind = 0; kind < 2; ++kind) {
        if (!thing_make(t, &a, torus_soup(1, 0.4, 40, 24), kin_v(0, 0, 0), 0.1, kind == 0)) return;
        if (!thing_make(t, &b, ball_soup(1, 0.15, 16), kin_v(0, 0, 0), 0.1, kind == 0)) return;
        dice d = {2};
        size_t all = 0;
        uint32_t dropped = 0, visited = 0;
        for (int i = 0; i < 40; ++i) {
            kin_vec3 axis = roll_direction(&d);
            a.body.pose = (kin_transform){roll3(&d, 1.2), kin_quat_axis_angle(axis, roll(&d, 0, 3))};
            b.body.pose.position = roll3(&d, 0.5);
            if (!CHECK(t, kin_sdf_collide(&a.body, &b.body, 1e-3, &list))) return;
            if (list.swapped)
                equals_brute_force(t, &b.body, &a.body, &list);
            else
                equals_brute_force(t, &a.body, &b.body, &list);
            all += list.count;
            dropped += list.dropped, visited += list.visited;
        }
        CHECK(t, all > 1000 && dropped > 1000 && visited < 40 * a.tree.node_count);
        thing_free(&a);
        thing_free(&b);
    }
    kin_sdf_inside_term(&list);
}

static void a_field_within_the_root_box_swaps_the_roles(test* t) /* G12.3: no vertex of the big box is near the small ball */
{
    thing big, small;
    kin_sdf_inside_list list;
    kin_sdf_inside_init(&list, &t->allocator);
    if (!thing_make(t, &big, box_soup(kin_v(2, 2, 2)), kin_v(0, 0, 0), 0.2, false)) return;
    if (!thing_make(t, &small, ball_soup(0.3, 0, 10), kin_v(0.5, 0.2, 1), 0.05, false)) return;
    CHECK(t, kin_sdf_collide(&big.body, &small.body, 1e-3, &list));
    CHECK(t, list.swapped && list.taken > 0);
    EQUAL(t, list.count, small.rig.mesh->vertex_count);
    for (size_t i = 0; i < list.count; ++i) {
        kin_vec3 p = list.data[i].point;
        NEAR(t, list.data[i].depth, 2 - kin_largest(kin_abs3(p)), 0.15); /* beyond the band, block by block */
        if (2 - p.z < 0.5) NEAR3(t, list.data[i].normal, kin_v(0, 0, 1), 0.3);
    }
    CHECK(t, kin_sdf_collide(&small.body, &big.body, 1e-3, &list)); /* asked the other way round: as it stands */
    CHECK(t, !list.swapped);
    EQUAL(t, list.count, small.rig.mesh->vertex_count);
    kin_sdf_body without = small.body;
    without.sdf = NULL; /* only the big one has a field: it plays it */
    CHECK(t, kin_sdf_collide(&big.body, &without, 1e-3, &list) && list.swapped);
    EQUAL(t, list.count, small.rig.mesh->vertex_count);
    kin_sdf_inside_term(&list);
    thing_free(&big);
    thing_free(&small);
}

static void nodes_that_straddle_with_all_corners_outside_are_not_dropped(test* t)
{
    thing big, small;
    kin_sdf_inside_list list;
    kin_sdf_inside_init(&list, &t->allocator);
    if (!thing_make(t, &big, ball_soup(3, 0, 24), kin_v(0, 0, 0), 0.5, false)) return;
    if (!thing_make(t, &small, ball_soup(0.5, 0, 10), kin_v(3, 0.04, 0.03), 0.1, false)) return; /* sticks out of the root box, whose corners are far away */
    CHECK(t, kin_sdf_collide(&big.body, &small.body, 1e-3, &list));
    CHECK(t, !list.swapped && list.straddling > 0 && list.count > 4);
    equals_brute_force(t, &big.body, &small.body, &list);
    for (size_t i = 0; i < list.count; ++i) {
        NEAR(t, kin_distance(list.data[i].surface, small.body.pose.position), 0.5, 0.03); /* a coarse ball and its cells */
        NEAR(t, list.data[i].depth, 0.5 - kin_distance(list.data[i].point, small.body.pose.position), 0.1);
    }
    small.body.pose.position = kin_v(9, 0, 0);
    CHECK(t, kin_sdf_collide(&big.body, &small.body, 1e-3, &list));
    EQUAL(t, list.count, 0);
    EQUAL(t, list.visited, 1);
    kin_sdf_inside_term(&list);
    thing_free(&big);
    thing_free(&small);
}

static bool collide_once(test* t, void* context)
{
    thing* pair = context;
    kin_sdf_inside_list list;
    kin_sdf_inside_init(&list, &t->allocator);
    bool ok = kin_sdf_collide(&pair[0].body, &pair[1].body, 1e-2, &list);
    CHECK(t, ok || list.count == 0);
    kin_sdf_inside_term(&list);
    return ok;
}

static void failing_memory_leaks_nothing(test* t)
{
    thing pair[2];
    if (!thing_make(t, &pair[0], ball_soup(1, 0, 10), kin_v(0, 0, 0), 0.2, false)) return;
    if (!thing_make(t, &pair[1], ball_soup(1, 0, 10), kin_v(0.6, 0, 0), 0.2, false)) return;
    test_fail_each_allocation(t, collide_once, pair);
    thing_free(&pair[0]);
    thing_free(&pair[1]);
}

TEST_MAIN("sdf tree", TEST(vertices_inside_are_found_at_any_pose), TEST(a_field_within_the_root_box_swaps_the_roles),
          TEST(nodes_that_straddle_with_all_corners_outside_are_not_dropped), TEST(failing_memory_leaks_nothing))
