#include "geometry/volumes/boundtree.h"
#include "unit/geometry/volumes/rig.h"
#include <stdio.h>
#include <string.h>

static const char* const build_names[] = {"top-down", "bottom-up", "surface", "octree"};

static kin_bound_tree* tree_of(test* t, const kin_primitives* p, kin_bound_tree_def def)
{
    kin_bound_tree* tree = NULL;
    kin_error error = {0};
    if (kin_bound_tree_create(&t->allocator, p, &def, &tree, &error) != KIN_OK) test_check(t, false, __FILE__, __LINE__, "%s", error.message);
    return tree;
}

/* Depths fall along the array, children come before parents and lie in them, every primitive is in one leaf, and every node holds what is below. */
static void check_tree(test* t, const kin_bound_tree* tree, const kin_primitives* p, const char* what)
{
    uint32_t* seen = calloc(tree->item_count + 1, sizeof *seen);
    uint32_t parents = 0;
    bool good = tree->node_count > 0 && tree->nodes[kin_bound_tree_root(tree)].depth == 0 && tree->nodes[kin_bound_tree_root(tree)].count == tree->item_count;
    for (uint32_t i = 0; i < tree->node_count; ++i) {
        const kin_bound_node* n = &tree->nodes[i];
        good = good && (i == 0 || n->depth <= tree->nodes[i - 1].depth) && n->count > 0;
        uint32_t below = 0;
        for (uint32_t c = n->child; c < n->child + n->child_count; ++c) {
            good = good && c < i && tree->nodes[c].depth == n->depth + 1;
            good = good && tree->nodes[c].first >= n->first && tree->nodes[c].first + tree->nodes[c].count <= n->first + n->count;
            below += tree->nodes[c].count;
        }
        good = good && (n->child_count == 0 || (n->child_count >= 2 && below == n->count));
        parents += n->child_count;
        for (uint32_t k = 0; k < n->count; ++k) {
            kin_vec3 points[KIN_PRIMITIVE_POINTS];
            uint32_t m = kin_primitive_points(p, tree->items[n->first + k], points);
            for (uint32_t c = 0; c < m; ++c) good = good && kin_bound_contains(&tree->bounds[i], points[c]);
            if (n->child_count == 0) seen[tree->items[n->first + k]] += 1;
        }
    }
    good = good && parents + 1 == tree->node_count;
    for (uint32_t i = 0; i < tree->item_count; ++i) good = good && seen[i] == 1;
    test_check(t, good, __FILE__, __LINE__, "%s: not a proper tree", what);
    free(seen);
}

static void every_kind_and_build_makes_a_tree(test* t) /* C2.2 */
{
    dice d = {1};
    kin_mesh* mesh = mesh_of(t, lump_soup(&d, 14, 9));
    kin_primitives p = kin_primitives_of_mesh(mesh);
    for (int build = KIN_BUILD_TOP_DOWN; build <= KIN_BUILD_OCTREE; ++build) {
        for (int kind = 0; kind < KIN_BOUND_KINDS; ++kind) {
            for (uint32_t leaf = 0; leaf < 8; leaf += 5) {
                char what[80];
                snprintf(what, sizeof what, "%s %s, leaf %u", kin_bound_ops_of[kind]->name, build_names[build], leaf);
                kin_bound_tree* tree = tree_of(t, &p, (kin_bound_tree_def){.kind = (kin_bound_kind)kind, .build = (kin_bound_build)build, .leaf = leaf});
                check_tree(t, tree, &p, what);
                if (leaf == 0 && build != KIN_BUILD_OCTREE) EQUAL(t, tree->node_count, 2 * p.count - 1);
                if (leaf == 0) CHECK(t, tree->depth < 30);
                CHECK(t, kin_bound_tree_bytes(tree) > tree->node_count * sizeof(kin_bound));
                kin_bound_tree_destroy(tree);
            }
        }
    }
    kin_mesh_destroy(mesh);
}

static void hybrid_trees_change_kind_near_the_leaves(test* t) /* C2.2 */
{
    dice d = {2};
    kin_mesh* mesh = mesh_of(t, lump_soup(&d, 14, 9));
    kin_primitives p = kin_primitives_of_mesh(mesh);
    kin_bound_tree* tree = tree_of(t, &p, (kin_bound_tree_def){.kind = KIN_BOUND_AABB, .low_kind = KIN_BOUND_OBB, .low_levels = 3});
    check_tree(t, tree, &p, "hybrid");
    uint32_t oriented = 0;
    for (uint32_t i = 0; i < tree->node_count; ++i) {
        oriented += tree->bounds[i].kind == KIN_BOUND_OBB;
        if (tree->nodes[i].child_count == 0) EQUAL(t, tree->bounds[i].kind, KIN_BOUND_OBB);
    }
    EQUAL(t, tree->bounds[kin_bound_tree_root(tree)].kind, KIN_BOUND_AABB);
    CHECK(t, oriented > tree->node_count / 2 && oriented < tree->node_count - 4);
    CHECK(t, kin_bound_tree_refit(tree, &p, NULL) == KIN_OK);
    check_tree(t, tree, &p, "hybrid, refitted");
    kin_bound_tree_destroy(tree);
    kin_mesh_destroy(mesh);
}

static void identical_triangles_are_one_leaf(test* t) /* C2.2.1 */
{
    kin_vec3 points[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    uint32_t corners[60];
    for (int i = 0; i < 60; ++i) corners[i] = (uint32_t)i % 3;
    kin_primitives p = {.count = 20, .points = points, .point_count = 3, .corners = corners, .corner_count = 3};
    for (int kind = 0; kind < KIN_BOUND_KINDS; ++kind) {
        kin_bound_tree* tree = tree_of(t, &p, (kin_bound_tree_def){.kind = (kin_bound_kind)kind});
        EQUAL(t, tree->node_count, 1);
        EQUAL(t, tree->nodes[0].count, 20);
        kin_bound_tree_destroy(tree);
        tree = tree_of(t, &p, (kin_bound_tree_def){.kind = (kin_bound_kind)kind, .build = KIN_BUILD_OCTREE});
        EQUAL(t, tree->node_count, 1);
        kin_bound_tree_destroy(tree);
        tree = tree_of(t, &p, (kin_bound_tree_def){.kind = (kin_bound_kind)kind, .build = KIN_BUILD_BOTTOM_UP});
        check_tree(t, tree, &p, "equals from below");
        kin_bound_tree_destroy(tree);
    }
}

/* C2.2.1: cut at the mean of the longest axis, and at the next where that is one-sided. */
static void the_cut_is_where_the_text_puts_it(test* t)
{
    kin_vec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {13, 0, 0}}; /* mean 4: three left, one right */
    kin_primitives p = kin_primitives_of_points(points, 4);
    kin_bound_tree* tree = tree_of(t, &p, (kin_bound_tree_def){.kind = KIN_BOUND_AABB});
    const kin_bound_node* root = &tree->nodes[kin_bound_tree_root(tree)];
    EQUAL(t, tree->nodes[root->child].count + tree->nodes[root->child + 1].count, 4);
    EQUAL(t, tree->nodes[root->child].count == 3 || tree->nodes[root->child].count == 1, 1);
    kin_bound_tree_destroy(tree);
    tree = tree_of(t, &p, (kin_bound_tree_def){.kind = KIN_BOUND_SPHERE}); /* C2.2.3: through the median */
    root = &tree->nodes[kin_bound_tree_root(tree)];
    EQUAL(t, tree->nodes[root->child].count, 2);
    kin_bound_tree_destroy(tree);
    /* middles equal along x, the longest side of the boxes: y decides */
    kin_aabb boxes[4];
    for (int i = 0; i < 4; ++i) boxes[i] = kin_aabb_around(kin_v(0, i, 0), kin_v(50, 0.1, 0.1));
    p = kin_primitives_of_boxes(boxes, 4);
    tree = tree_of(t, &p, (kin_bound_tree_def){.kind = KIN_BOUND_AABB});
    EQUAL(t, tree->node_count, 7);
    EQUAL(t, tree->depth, 2);
    check_tree(t, tree, &p, "second axis");
    kin_bound_tree_destroy(tree);
    /* along a diagonal: an oriented tree cuts across it */
    kin_vec3 line[64];
    dice d = {3};
    for (int i = 0; i < 64; ++i) line[i] = kin_add(kin_scale(kin_v(1, 1, 1), i), roll3(&d, 0.3));
    p = kin_primitives_of_points(line, 64);
    tree = tree_of(t, &p, (kin_bound_tree_def){.kind = KIN_BOUND_OBB});
    root = &tree->nodes[kin_bound_tree_root(tree)];
    for (uint32_t c = 0; c < 2; ++c) {
        double low = 1e9, high = -1e9;
        for (uint32_t k = 0; k < 32; ++k) {
            uint32_t item = tree->items[tree->nodes[root->child + c].first + k];
            low = fmin(low, item), high = fmax(high, item);
        }
        EQUAL(t, high - low, 31);
    }
    kin_bound_tree_destroy(tree);
}

static void rows_that_grow_do_not_run_deep(test* t)
{
    enum { COUNT = 2000 };
    static kin_vec3 points[COUNT];
    for (int i = 0; i < COUNT; ++i) points[i] = kin_v(pow(2, i * 0.15), 0, 0);
    kin_primitives p = kin_primitives_of_points(points, COUNT);
    kin_bound_tree* tree = tree_of(t, &p, (kin_bound_tree_def){.kind = KIN_BOUND_AABB});
    CHECK(t, tree->depth <= 64 + 11);
    check_tree(t, tree, &p, "geometric row");
    kin_bound_tree_destroy(tree);
}

static void two_hundred_fifty_seven_faces(test* t) /* C4.14 Ex2: depth log2(2 x 257 - 1), 9 */
{
    kin_vec3 points[257];
    for (int i = 0; i < 257; ++i) points[i] = kin_v(i, 0, 0);
    kin_primitives p = kin_primitives_of_points(points, 257);
    kin_bound_tree* tree = tree_of(t, &p, (kin_bound_tree_def){.kind = KIN_BOUND_AABB, .split = KIN_SPLIT_MEDIAN});
    EQUAL(t, tree->node_count, 513);
    EQUAL(t, tree->depth, 9);
    uint32_t nodes[513], total = 0;
    EQUAL(t, kin_bound_tree_level(tree, 0, nodes, 513), 1);
    EQUAL(t, kin_bound_tree_level(tree, 5, nodes, 513), 32);
    for (int i = 0; i < 32; ++i) total += tree->nodes[nodes[i]].count;
    EQUAL(t, total, 257);
    EQUAL(t, kin_bound_tree_level(tree, 9, nodes, 513), 257); /* the leaves at 8 count too */
    EQUAL(t, kin_bound_tree_level(tree, 30, nodes, 2), 257);
    kin_bound_tree_destroy(tree);
}

/* C2.3: bounds of t0 and t1 hold every pose between, when points go straight. */
static void refits_hold_the_motion(test* t)
{
    dice d = {4};
    kin_mesh* mesh = mesh_of(t, lump_soup(&d, 10, 7));
    kin_vec3 *ends = calloc(mesh->vertex_count, sizeof *ends), *between = calloc(mesh->vertex_count, sizeof *between);
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) ends[i] = kin_add(mesh->vertices[i], roll3(&d, 0.5));
    kin_primitives p = kin_primitives_of_mesh(mesh), moving = p, at = p;
    moving.ends = ends, at.points = between;
    for (int build = KIN_BUILD_TOP_DOWN; build <= KIN_BUILD_OCTREE; ++build) {
        for (int kind = 0; kind < KIN_BOUND_KINDS; ++kind) {
            kin_bound_tree* tree = tree_of(t, &p, (kin_bound_tree_def){.kind = (kin_bound_kind)kind, .build = (kin_bound_build)build});
            CHECK(t, kin_bound_tree_refit(tree, &moving, NULL) == KIN_OK);
            check_tree(t, tree, &moving, kin_bound_ops_of[kind]->name);
            for (int k = 0; k <= 8; k += 2) {
                for (uint32_t i = 0; i < mesh->vertex_count; ++i) between[i] = kin_lerp(mesh->vertices[i], ends[i], k / 8.0);
                check_tree(t, tree, &at, "between");
            }
            kin_bound_tree_destroy(tree);
        }
    }
    free(ends), free(between);
    kin_mesh_destroy(mesh);
}

static void a_refit_without_motion_is_a_fit_where_merging_is_exact(test* t)
{
    dice d = {5};
    kin_mesh* mesh = mesh_of(t, lump_soup(&d, 12, 8));
    kin_primitives p = kin_primitives_of_mesh(mesh);
    kin_bound_tree* tree = tree_of(t, &p, (kin_bound_tree_def){.kind = KIN_BOUND_AABB});
    kin_bound* before = calloc(tree->node_count, sizeof *before);
    memcpy(before, tree->bounds, tree->node_count * sizeof *before);
    uint64_t asked = t->allocations;
    CHECK(t, kin_bound_tree_refit(tree, &p, NULL) == KIN_OK);
    EQUAL(t, t->allocations, asked); /* a steady step allocates nothing */
    for (uint32_t i = 0; i < tree->node_count; ++i) {
        NEAR3(t, tree->bounds[i].box.low, before[i].box.low, 0);
        NEAR3(t, tree->bounds[i].box.high, before[i].box.high, 0);
    }
    free(before);
    kin_bound_tree_destroy(tree);
    kin_mesh_destroy(mesh);
}

/* S-G: the primitives below a node of a tree along the surface hang together by edges. */
static void surface_trees_are_of_patches(test* t)
{
    dice d = {6};
    kin_mesh* mesh = mesh_of(t, lump_soup(&d, 16, 10));
    kin_primitives p = kin_primitives_of_mesh(mesh);
    kin_bound_tree* tree = tree_of(t, &p, (kin_bound_tree_def){.kind = KIN_BOUND_AABB, .build = KIN_BUILD_SURFACE});
    uint32_t *mark = calloc(p.count, sizeof *mark), *stack = calloc(4 * p.count, sizeof *stack);
    for (uint32_t i = 0; i < tree->node_count; ++i) {
        const kin_bound_node* n = &tree->nodes[i];
        for (uint32_t k = 0; k < n->count; ++k) mark[tree->items[n->first + k]] = 2 * i + 1;
        uint32_t top = 0, reached = 0;
        stack[top++] = tree->items[n->first];
        while (top > 0) {
            uint32_t f = stack[--top];
            if (mark[f] != 2 * i + 1) continue;
            mark[f] = 2 * i + 2;
            reached += 1;
            for (int k = 0; k < 3; ++k) {
                if (mesh->neighbors[f][k] != KIN_NO_NEIGHBOR) stack[top++] = mesh->neighbors[f][k];
            }
        }
        EQUAL(t, reached, n->count);
    }
    free(mark), free(stack);
    kin_bound_tree_destroy(tree);
    kin_mesh_destroy(mesh);
}

static void bottom_up_is_tighter_than_chance(test* t) /* the sum of inner areas is near the one from the top */
{
    dice d = {7};
    static kin_aabb boxes[1500];
    for (int i = 0; i < 1500; ++i) boxes[i] = kin_aabb_around(roll3(&d, 10), kin_abs3(roll3(&d, 0.2)));
    kin_primitives p = kin_primitives_of_boxes(boxes, 1500);
    double area[2] = {0};
    for (int build = 0; build < 2; ++build) {
        kin_bound_tree* tree = tree_of(t, &p, (kin_bound_tree_def){.kind = KIN_BOUND_AABB, .build = (kin_bound_build)build});
        check_tree(t, tree, &p, build_names[build]);
        for (uint32_t i = 0; i < tree->node_count; ++i) area[build] += kin_bound_area(&tree->bounds[i]);
        kin_bound_tree_destroy(tree);
    }
    test_check(t, area[1] < 1.1 * area[0], __FILE__, __LINE__, "areas %g and %g", area[0], area[1]);
}

static void bad_input_is_refused(test* t)
{
    kin_vec3 points[3] = {{0, 0, 0}, {1, 0, 0}, {0, NAN, 0}};
    uint32_t corners[3] = {0, 1, 7};
    kin_aabb box = kin_aabb_empty();
    kin_error error = {0};
    kin_bound_tree* tree;
    kin_bound_tree_def def = {.kind = KIN_BOUND_AABB};
    kin_primitives p = kin_primitives_of_points(points, 3);
    EQUAL(t, kin_bound_tree_create(&t->allocator, &p, &def, &tree, &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "primitive 2");
    CHECK(t, tree == NULL);
    points[2].y = 1e200;
    EQUAL(t, kin_bound_tree_create(&t->allocator, &p, &def, &tree, &error), KIN_ERROR_ARGUMENT);
    p = (kin_primitives){.count = 1, .points = points, .point_count = 3, .corners = corners, .corner_count = 3};
    EQUAL(t, kin_bound_tree_create(&t->allocator, &p, &def, &tree, &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "corner 7");
    p.corner_count = 9;
    EQUAL(t, kin_bound_tree_create(&t->allocator, &p, &def, &tree, &error), KIN_ERROR_ARGUMENT);
    p = (kin_primitives){.count = 1};
    EQUAL(t, kin_bound_tree_create(&t->allocator, &p, &def, &tree, &error), KIN_ERROR_ARGUMENT);
    p = kin_primitives_of_boxes(&box, 1);
    EQUAL(t, kin_bound_tree_create(&t->allocator, &p, &def, &tree, &error), KIN_ERROR_ARGUMENT);
    points[2] = kin_v(0, 1, 0);
    p = kin_primitives_of_points(points, 3);
    def.build = KIN_BUILD_SURFACE;
    EQUAL(t, kin_bound_tree_create(&t->allocator, &p, &def, &tree, &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "neighbours");
    def = (kin_bound_tree_def){.kind = KIN_BOUND_KINDS};
    EQUAL(t, kin_bound_tree_create(&t->allocator, &p, &def, &tree, &error), KIN_ERROR_ARGUMENT);
    def = (kin_bound_tree_def){.kind = KIN_BOUND_AABB};
    EQUAL(t, kin_bound_tree_create(&t->allocator, &p, &def, &tree, &error), KIN_OK);
    p.count = 2;
    EQUAL(t, kin_bound_tree_refit(tree, &p, &error), KIN_ERROR_ARGUMENT);
    kin_bound_tree_destroy(tree);
    p.count = 0;
    EQUAL(t, kin_bound_tree_create(&t->allocator, &p, &def, &tree, &error), KIN_OK); /* nothing is a tree too */
    EQUAL(t, tree->node_count, 0);
    EQUAL(t, kin_bound_tree_level(tree, 0, NULL, 0), 0);
    CHECK(t, kin_bound_tree_refit(tree, &p, &error) == KIN_OK);
    kin_bound_tree_destroy(tree);
    kin_bound_tree_destroy(NULL);
}

static bool build_all(test* t, void* context)
{
    kin_primitives p = kin_primitives_of_mesh(context);
    bool good = true;
    for (int build = KIN_BUILD_TOP_DOWN; build <= KIN_BUILD_OCTREE && good; ++build) {
        kin_bound_tree_def def = {.kind = build == KIN_BUILD_TOP_DOWN ? KIN_BOUND_OBB_HULL : KIN_BOUND_HULL, .build = (kin_bound_build)build};
        kin_bound_tree* tree;
        good = kin_bound_tree_create(&t->allocator, &p, &def, &tree, NULL) == KIN_OK;
        good = good && kin_bound_tree_refit(tree, &p, NULL) == KIN_OK;
        kin_bound_tree_destroy(tree);
    }
    return good;
}

static void trees_survive_failing_memory(test* t)
{
    kin_mesh* mesh = mesh_of(t, box_soup(kin_v(1, 2, 3)));
    test_fail_each_allocation(t, build_all, mesh);
    kin_mesh_destroy(mesh);
}

TEST_MAIN("volumes/tree", TEST(every_kind_and_build_makes_a_tree), TEST(hybrid_trees_change_kind_near_the_leaves), TEST(identical_triangles_are_one_leaf),
          TEST(the_cut_is_where_the_text_puts_it), TEST(rows_that_grow_do_not_run_deep), TEST(two_hundred_fifty_seven_faces), TEST(refits_hold_the_motion),
          TEST(a_refit_without_motion_is_a_fit_where_merging_is_exact), TEST(surface_trees_are_of_patches), TEST(bottom_up_is_tighter_than_chance),
          TEST(bad_input_is_refused), TEST(trees_survive_failing_memory))
