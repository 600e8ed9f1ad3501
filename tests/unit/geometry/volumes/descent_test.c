#include "geometry/volumes/descent.h"
#include "geometry/volumes/links.h"
#include "unit/geometry/volumes/rig.h"
#include <stdio.h>
#include <string.h>

static kin_bound_tree* tree_of(test* t, const kin_mesh* mesh, kin_bound_tree_def def)
{
    kin_bound_tree* tree = NULL;
    kin_primitives p = kin_primitives_of_mesh(mesh);
    EQUAL(t, kin_bound_tree_create(&t->allocator, &p, &def, &tree, NULL), KIN_OK);
    return tree;
}

/* All pairs of the scene that touch, by asking all. */
static size_t brute(const scene* s, kin_bound_pair* out)
{
    size_t n = 0;
    for (uint32_t a = 0; a < s->a->triangle_count; ++a) {
        for (uint32_t b = 0; b < s->b->triangle_count; ++b) {
            if (scene_test((void*)s, a, b)) out[n++] = (kin_bound_pair){a, b};
        }
    }
    return n;
}

static bool same_pairs(const kin_descent* d, const kin_bound_pair* want, size_t count)
{
    return d->pair_count == count && (count == 0 || memcmp(d->pairs, want, count * sizeof *want) == 0);
}

/* C2.2, C2.5.1, H10.11: every kind, build and order of descent finds what brute force finds. */
static void all_trees_agree_with_brute_force(test* t)
{
    dice d = {1};
    kin_mesh *a = mesh_of(t, lump_soup(&d, 12, 7)), *b = mesh_of(t, lump_soup(&d, 10, 8));
    scene scenes[5];
    kin_bound_pair* want[5];
    size_t counts[5], total = 0;
    for (int i = 0; i < 5; ++i) scenes[i] = (scene){a, b, roll_pose(&d, 0.4), roll_pose(&d, 0.4)};
    scenes[3].pose_b = scenes[3].pose_a;               /* in one frame */
    scenes[4].pose_a.position = kin_v(1e6, -2e6, 1e6); /* far from the origin */
    scenes[4].pose_b.position = kin_add(scenes[4].pose_a.position, kin_v(0.5, 0.3, 0));
    for (int i = 0; i < 5; ++i) {
        want[i] = calloc((size_t)a->triangle_count * b->triangle_count, sizeof **want);
        counts[i] = brute(&scenes[i], want[i]);
        total += counts[i];
    }
    kin_descent descent;
    kin_descent_init(&descent, &t->allocator);
    for (int build = KIN_BUILD_TOP_DOWN; build <= KIN_BUILD_OCTREE; ++build) {
        for (int kind = 0; kind <= KIN_BOUND_KINDS; ++kind) { /* the last: hybrid */
            kin_bound_tree_def def = {.kind = (kin_bound_kind)kind, .build = (kin_bound_build)build, .leaf = build == 1 ? 3 : 1};
            if (kind == KIN_BOUND_KINDS) def.kind = KIN_BOUND_AABB, def.low_kind = KIN_BOUND_OBB, def.low_levels = 4;
            kin_bound_tree *ta = tree_of(t, a, def), *tb = tree_of(t, b, def);
            for (int i = 0; i < 5; ++i) {
                for (int way = 0; way < 6; way += kind == KIN_BOUND_HULL || build > 0 ? 3 : 1) {
                    kin_descent_query q = {.order = way & 1 ? KIN_DESCEND_LARGER : KIN_DESCEND_BOTH,
                                           .breadth = way & 2,
                                           .turn_boxes = way >= 2,
                                           .six_axes = way == 5,
                                           .test = scene_test,
                                           .context = &scenes[i]};
                    CHECK(t, kin_descent_pairs(&descent, ta, scenes[i].pose_a, tb, scenes[i].pose_b, &q, NULL) == KIN_OK);
                    test_check(t, same_pairs(&descent, want[i], counts[i]), __FILE__, __LINE__, "kind %d, build %d, scene %d, way %d: %zu pairs, not %zu", kind,
                               build, i, way, descent.pair_count, counts[i]);
                    CHECK(t, descent.counts.primitive_tests >= counts[i]);
                    CHECK(t, descent.counts.primitive_tests < (uint64_t)a->triangle_count * b->triangle_count);
                    CHECK(t, descent.counts.transformed <= ta->node_count + tb->node_count);
                }
            }
            kin_bound_tree_destroy(ta), kin_bound_tree_destroy(tb);
        }
    }
    CHECK(t, total > 300);
    kin_descent_term(&descent);
    for (int i = 0; i < 5; ++i) free(want[i]);
    kin_mesh_destroy(a), kin_mesh_destroy(b);
}

static void far_apart_costs_one_node_each(test* t) /* C2.1 */
{
    dice d = {2};
    kin_mesh* m = mesh_of(t, lump_soup(&d, 12, 8));
    kin_descent descent;
    kin_descent_init(&descent, &t->allocator);
    for (int kind = 0; kind < KIN_BOUND_KINDS; ++kind) {
        kin_bound_tree* tree = tree_of(t, m, (kin_bound_tree_def){.kind = (kin_bound_kind)kind});
        kin_transform a = roll_pose(&d, 1), b = roll_pose(&d, 1);
        b.position = kin_add(b.position, kin_v(40, 0, 0));
        CHECK(t, kin_descent_pairs(&descent, tree, a, tree, b, &(kin_descent_query){0}, NULL) == KIN_OK);
        EQUAL(t, descent.counts.transformed, 2);
        EQUAL(t, descent.counts.volume_tests, 1);
        EQUAL(t, descent.pair_count, 0);
        b = a;
        b.position = kin_add(b.position, kin_v(1.5, 0.2, 0)); /* near: some nodes, far from all */
        uint64_t before = t->allocations;
        CHECK(t, kin_descent_pairs(&descent, tree, a, tree, b, &(kin_descent_query){0}, NULL) == KIN_OK);
        CHECK(t, descent.counts.transformed > 2 && descent.counts.transformed < 2 * tree->node_count);
        before = t->allocations;
        CHECK(t, kin_descent_pairs(&descent, tree, a, tree, b, &(kin_descent_query){0}, NULL) == KIN_OK);
        EQUAL(t, t->allocations, before); /* again: steady */
        kin_bound_tree_destroy(tree);
    }
    kin_descent_term(&descent);
    kin_mesh_destroy(m);
}

static void the_larger_first_moves_less(test* t) /* X2.1: a small thing in a corner of a large one */
{
    dice d = {3};
    kin_mesh* m = mesh_of(t, lump_soup(&d, 24, 16));
    kin_bound_tree* tree = tree_of(t, m, (kin_bound_tree_def){.kind = KIN_BOUND_AABB});
    soup s = lump_soup(&d, 10, 7);
    for (size_t i = 0; i < s.vertex_count; ++i) s.vertices[i] = kin_scale(s.vertices[i], 0.05);
    kin_mesh* small = mesh_of(t, s);
    kin_bound_tree* small_tree = tree_of(t, small, (kin_bound_tree_def){.kind = KIN_BOUND_AABB});
    kin_descent descent;
    kin_descent_init(&descent, &t->allocator);
    uint64_t tests[2], small_ones[2];
    kin_transform at = {{1.1, 0.1, 0.2}, kin_quat_axis_angle(kin_v(1, 2, 3), 1)};
    for (int order = 0; order < 2; ++order) {
        kin_descent_query q = {.order = (kin_descent_order)order};
        CHECK(t, kin_descent_pairs(&descent, tree, kin_transform_identity(), small_tree, at, &q, NULL) == KIN_OK);
        tests[order] = descent.counts.volume_tests, small_ones[order] = descent.counts.transformed;
    }
    CHECK(t, tests[1] < tests[0] && small_ones[1] <= small_ones[0]);
    kin_descent_term(&descent);
    kin_bound_tree_destroy(tree), kin_bound_tree_destroy(small_tree);
    kin_mesh_destroy(m), kin_mesh_destroy(small);
}

static void one_cube_in_another_collides(test* t) /* C2.5.1 */
{
    kin_mesh *big = mesh_of(t, box_soup(kin_v(2, 2, 2))), *small = mesh_of(t, box_soup(kin_v(0.5, 0.5, 0.5)));
    kin_bound_tree *tb = tree_of(t, big, (kin_bound_tree_def){.kind = KIN_BOUND_AABB}), *ts = tree_of(t, small, (kin_bound_tree_def){.kind = KIN_BOUND_AABB});
    kin_primitives pb = kin_primitives_of_mesh(big), ps = kin_primitives_of_mesh(small);
    kin_transform pose = {{5, 6, 7}, kin_quat_axis_angle(kin_v(1, 1, 0), 0.7)}, inner = pose, outer = pose;
    outer.position.x += 4;
    scene s = {big, small, pose, inner};
    kin_descent descent;
    kin_descent_init(&descent, &t->allocator);
    CHECK(t, kin_descent_pairs(&descent, tb, pose, ts, inner, &(kin_descent_query){.test = scene_test, .context = &s}, NULL) == KIN_OK);
    EQUAL(t, descent.pair_count, 0);
    CHECK(t, kin_descent_inside(&pb, pose, &ps, inner) && kin_descent_inside(&ps, inner, &pb, pose));
    CHECK(t, !kin_descent_inside(&pb, pose, &ps, outer));
    kin_descent_term(&descent);
    kin_bound_tree_destroy(tb), kin_bound_tree_destroy(ts);
    kin_mesh_destroy(big), kin_mesh_destroy(small);
}

/* A crumpled sheet. */
static kin_mesh* sheet(test* t, dice* d, uint32_t n)
{
    soup s = soup_new((n + 1) * (n + 1), 2 * n * n, 6 * n * n);
    for (uint32_t j = 0; j <= n; ++j) {
        for (uint32_t i = 0; i <= n; ++i) soup_vertex(&s, kin_add(kin_v(sin(i * 0.4), cos(j * 0.5), 0.05 * i), roll3(d, 0.1)));
    }
    for (uint32_t j = 0; j < n; ++j) {
        for (uint32_t i = 0; i < n; ++i) {
            uint32_t a = j * (n + 1) + i, b = a + 1, c = a + n + 1;
            soup_face(&s, 3, (uint32_t[]){a, b, c});
            soup_face(&s, 3, (uint32_t[]){b, c + 1, c});
        }
    }
    return mesh_of(t, s);
}

static bool neighbours(const kin_mesh* m, uint32_t a, uint32_t b)
{
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            if (m->triangles[a][i] == m->triangles[b][k]) return true;
        }
    }
    return false;
}

static void self_finds_each_pair_once(test* t) /* C2.5.2, X2.2 */
{
    dice d = {4};
    kin_mesh* m = sheet(t, &d, 12);
    scene s = {m, m, kin_transform_identity(), kin_transform_identity()};
    kin_bound_pair* want = calloc((size_t)m->triangle_count * m->triangle_count, sizeof *want);
    kin_descent descent;
    kin_descent_init(&descent, &t->allocator);
    for (int skip = 0; skip < 2; ++skip) {
        size_t count = 0;
        for (uint32_t a = 0; a < m->triangle_count; ++a) {
            for (uint32_t b = a + 1; b < m->triangle_count; ++b) {
                if (!(skip && neighbours(m, a, b)) && scene_test(&s, a, b)) want[count++] = (kin_bound_pair){a, b};
            }
        }
        CHECK(t, count > 100);
        for (int kind = 0; kind < KIN_BOUND_KINDS; ++kind) {
            for (int build = 0; build < 8; build += kind == KIN_BOUND_HULL ? 5 : 1) { /* hulls are slow */
                kin_bound_tree* tree =
                    tree_of(t, m, (kin_bound_tree_def){.kind = (kin_bound_kind)kind, .build = (kin_bound_build)(build % 4), .leaf = build < 4 ? 1 : 6});
                kin_descent_query q = {
                    .test = scene_test, .context = &s, .corners = skip ? m->triangles[0] : NULL, .corner_count = 3, .order = (kin_descent_order)(build & 1)};
                CHECK(t, kin_descent_self(&descent, tree, &q, NULL) == KIN_OK);
                test_check(t, same_pairs(&descent, want, count), __FILE__, __LINE__, "%s, build %d: %zu pairs, not %zu", kin_bound_ops_of[kind]->name, build,
                           descent.pair_count, count);
                EQUAL(t, descent.counts.transformed, 0);
                CHECK(t, descent.counts.primitive_tests <= (uint64_t)m->triangle_count * (m->triangle_count - 1) / 2);
                kin_bound_tree_destroy(tree);
            }
        }
    }
    kin_bound_tree* tree = tree_of(t, m, (kin_bound_tree_def){.kind = KIN_BOUND_OBB});
    CHECK(t, kin_descent_self(&descent, tree, &(kin_descent_query){.depth = 4}, NULL) == KIN_OK);
    CHECK(t, descent.contact_count > 0);
    for (size_t i = 0; i < descent.contact_count; ++i)
        CHECK(t, descent.contacts[i].a != descent.contacts[i].b && tree->nodes[descent.contacts[i].a].depth == 4);
    kin_bound_tree_destroy(tree);
    free(want);
    kin_descent_term(&descent);
    kin_mesh_destroy(m);
}

static void a_leaf_of_many_has_its_inner_pairs(test* t)
{
    kin_vec3 points[5] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {9, 1, 1}};
    kin_primitives p = kin_primitives_of_points(points, 5);
    kin_bound_tree* tree;
    CHECK(t, kin_bound_tree_create(&t->allocator, &p, &(kin_bound_tree_def){.kind = KIN_BOUND_AABB}, &tree, NULL) == KIN_OK);
    kin_descent descent;
    kin_descent_init(&descent, &t->allocator);
    CHECK(t, kin_descent_self(&descent, tree, &(kin_descent_query){0}, NULL) == KIN_OK);
    EQUAL(t, descent.pair_count, 6);
    for (size_t i = 0; i < descent.pair_count; ++i) CHECK(t, descent.pairs[i].a < descent.pairs[i].b && descent.pairs[i].b < 4);
    kin_descent_term(&descent);
    kin_bound_tree_destroy(tree);
}

static void threads_change_nothing(test* t) /* X2.2 */
{
    dice d = {5};
    kin_mesh* m = sheet(t, &d, 30);
    scene s = {m, m, kin_transform_identity(), kin_transform_identity()};
    kin_descent one, many;
    kin_descent_init(&one, &t->allocator);
    kin_descent_init(&many, &t->allocator);
    for (int build = 0; build < 4; build += 3) {
        kin_bound_tree* tree = tree_of(t, m, (kin_bound_tree_def){.kind = KIN_BOUND_SPHERE, .build = (kin_bound_build)build});
        kin_descent_query q = {.test = scene_test, .context = &s};
        CHECK(t, kin_descent_self(&one, tree, &q, NULL) == KIN_OK);
        static const int threads[] = {1, 2, 3, 8};
        for (int i = 0; i < 4; ++i) {
            kin_jobs jobs;
            CHECK(t, kin_jobs_init(&jobs, &t->allocator, NULL, threads[i], NULL) == KIN_OK);
            CHECK(t, kin_descent_self_parallel(&many, &jobs, tree, &q, NULL) == KIN_OK);
            CHECK(t, same_pairs(&many, one.pairs, one.pair_count));
            EQUAL(t, many.counts.volume_tests, one.counts.volume_tests);
            EQUAL(t, many.counts.primitive_tests, one.counts.primitive_tests);
            EQUAL(t, many.counts.depth, one.counts.depth);
            q.first = true;
            kin_error error = {0};
            EQUAL(t, kin_descent_self_parallel(&many, &jobs, tree, &q, &error), KIN_ERROR_ARGUMENT);
            q.first = false;
            kin_jobs_term(&jobs);
        }
        kin_bound_tree_destroy(tree);
    }
    kin_descent_term(&one), kin_descent_term(&many);
    kin_mesh_destroy(m);
}

static void probes_find_what_is_near(test* t) /* S-G: a particle against a solid's tree */
{
    dice d = {6};
    kin_mesh* m = mesh_of(t, lump_soup(&d, 16, 10));
    kin_descent descent;
    kin_descent_init(&descent, &t->allocator);
    for (int kind = 0; kind < KIN_BOUND_KINDS; ++kind) {
        kin_bound_tree* tree = tree_of(t, m, (kin_bound_tree_def){.kind = (kin_bound_kind)kind});
        kin_transform pose = roll_pose(&d, 1);
        for (int i = 0; i < 30; ++i) {
            kin_bound probe = {.kind = KIN_BOUND_SPHERE, .sphere = {kin_add(pose.position, roll3(&d, 1.5)), 0.1}};
            CHECK(t, kin_descent_probe(&descent, tree, pose, &probe, &(kin_descent_query){0}, NULL) == KIN_OK);
            for (uint32_t f = 0; f < m->triangle_count; ++f) {
                kin_vec3 p[3];
                kin_feature feature;
                world_triangle(m, pose, f, p);
                if (kin_distance(kin_closest_on_triangle(p[0], p[1], p[2], probe.sphere.center, &feature), probe.sphere.center) > 0.1) continue;
                bool found = false;
                for (size_t k = 0; k < descent.pair_count; ++k) found = found || descent.pairs[k].a == f;
                CHECK(t, found);
            }
            CHECK(t, descent.pair_count < m->triangle_count / 2);
        }
        kin_bound_tree_destroy(tree);
    }
    kin_descent_term(&descent);
    kin_mesh_destroy(m);
}

/* A ball of triangles about the origin. */
static kin_mesh* globe(test* t, uint32_t around, uint32_t across)
{
    soup s = soup_new(around * (across - 1) + 2, 2 * around * across, 6 * around * across);
    uint32_t south = soup_vertex(&s, kin_v(0, -1, 0));
    for (uint32_t j = 1; j < across; ++j) {
        for (uint32_t i = 0; i < around; ++i) {
            double u = 2 * KIN_PI * i / around, v = KIN_PI * j / across;
            soup_vertex(&s, kin_v(sin(v) * cos(u), -cos(v), sin(v) * sin(u)));
        }
    }
    uint32_t north = soup_vertex(&s, kin_v(0, 1, 0));
    for (uint32_t i = 0; i < around; ++i) {
        uint32_t k = (i + 1) % around, last = 1 + (across - 2) * around;
        soup_face(&s, 3, (uint32_t[]){south, 1 + i, 1 + k});
        soup_face(&s, 3, (uint32_t[]){north, last + k, last + i});
        for (uint32_t j = 0; j + 2 < across; ++j) {
            uint32_t a = 1 + j * around, b = a + around;
            soup_face(&s, 3, (uint32_t[]){a + i, b + i, a + k});
            soup_face(&s, 3, (uint32_t[]){a + k, b + i, b + k});
        }
    }
    return mesh_of(t, s);
}

/* C4.14 Ex2: stopped above the leaves, contacts come from inner nodes: near the true point as far as the nodes are small, and fewer tests are made. */
static void a_capped_depth_gives_coarse_contacts(test* t)
{
    kin_mesh* m = globe(t, 16, 9);
    kin_descent descent;
    kin_descent_init(&descent, &t->allocator);
    kin_transform a = kin_transform_identity(), b = {{1.2, 1.5, 0.3}, kin_quat_axis_angle(kin_v(1, 2, 3), 1)}; /* 1.94 apart: they overlap by 0.06 */
    kin_vec3 truth = kin_scale(b.position, 0.5), way = kin_normalize_or(kin_neg(b.position), b.position);
    for (int kind = 0; kind < KIN_BOUND_KINDS; ++kind) {
        kin_bound_tree* tree = tree_of(t, m, (kin_bound_tree_def){.kind = (kin_bound_kind)kind, .split = KIN_SPLIT_MEDIAN});
        CHECK(t, tree->depth == 8);
        CHECK(t, kin_descent_pairs(&descent, tree, a, tree, b, &(kin_descent_query){.turn_boxes = true}, NULL) == KIN_OK);
        EQUAL(t, descent.contact_count, 0);
        uint64_t full = descent.counts.volume_tests;
        double error[2] = {0};
        for (int k = 0; k < 2; ++k) {
            uint32_t cap = k == 0 ? 3 : 5;
            CHECK(t, kin_descent_pairs(&descent, tree, a, tree, b, &(kin_descent_query){.depth = cap, .turn_boxes = true}, NULL) == KIN_OK);
            EQUAL(t, descent.pair_count, 0);
            CHECK(t, descent.contact_count > 0 && descent.counts.volume_tests < full);
            EQUAL(t, descent.counts.depth, cap);
            kin_vec3 sum = {0, 0, 0};
            kin_vec3 normal = {0, 0, 0};
            for (size_t i = 0; i < descent.contact_count; ++i) {
                const kin_coarse_contact* c = &descent.contacts[i];
                EQUAL(t, tree->nodes[c->a].depth, cap);
                NEAR(t, kin_length(c->normal), 1, 1e-12);
                CHECK(t, c->depth >= 0 && c->depth < 2 && kin_finite3(c->point));
                NEAR3(t, kin_sub(c->on_b, c->on_a), kin_scale(c->normal, c->depth), 1e-12);
                kin_bound box = kin_bound_turn(&tree->bounds[c->a], a); /* the point is as near as the node is large */
                CHECK(t, kin_distance(c->point, kin_bound_center(&box)) <= kin_length(kin_aabb_size(kin_bound_box(&box))));
                sum = kin_add(sum, c->point);
                normal = kin_add_scaled(normal, c->depth, c->normal);
            }
            error[k] = kin_distance(kin_scale(sum, 1.0 / (double)descent.contact_count), truth);
            CHECK(t, kin_dot(kin_normalize_or(normal, way), way) > 0.7);
        }
        test_check(t, error[1] < 0.25 && error[0] < 0.6, __FILE__, __LINE__, "%s: points off by %g, %g", kin_bound_ops_of[kind]->name, error[0], error[1]);
        CHECK(t, kin_descent_pairs(&descent, tree, a, tree, b, &(kin_descent_query){.budget = 20, .breadth = true, .turn_boxes = true}, NULL) == KIN_OK);
        CHECK(t, descent.contact_count > 0 && descent.counts.volume_tests < full);
        kin_bound_tree_destroy(tree);
    }
    kin_descent_term(&descent);
    kin_mesh_destroy(m);
}

static void two_spheres_make_an_exact_contact(test* t)
{
    kin_bound a = {.kind = KIN_BOUND_SPHERE, .sphere = {{0, 3, 0}, 2}}, b = {.kind = KIN_BOUND_SPHERE, .sphere = {{0, 0, 0}, 1.5}};
    kin_coarse_contact c = kin_coarse_contact_of(&a, &b);
    NEAR3(t, c.normal, kin_v(0, 1, 0), 1e-15);
    NEAR(t, c.depth, 0.5, 1e-15);
    NEAR3(t, c.point, kin_v(0, 1.25, 0), 1e-15);
    NEAR3(t, c.on_a, kin_v(0, 1, 0), 1e-15);
    NEAR3(t, c.on_b, kin_v(0, 1.5, 0), 1e-15);
    NEAR(t, kin_coarse_contact_time(&c, kin_v(7, -2, 0), 10), 0.25, 1e-15);
    NEAR(t, kin_coarse_contact_time(&c, kin_v(0, 2, 0), 10), 10, 0); /* leaving: no time of its own */
    NEAR(t, kin_coarse_contact_time(&c, kin_v(0, -0.01, 0), 10), 10, 0);
    kin_bound box = {.kind = KIN_BOUND_AABB, .box = {{-1, -1, -1}, {1, 1, 1}}}, other = {.kind = KIN_BOUND_AABB, .box = {{0.7, -5, -5}, {9, 5, 5}}};
    c = kin_coarse_contact_of(&box, &other);
    NEAR3(t, c.normal, kin_v(-1, 0, 0), 1e-15);
    NEAR(t, c.depth, 0.3, 1e-15);
    NEAR3(t, c.point, kin_v(0.85, 0, 0), 1e-15);
}

static void the_first_pair_is_enough(test* t)
{
    dice d = {8};
    kin_mesh* m = mesh_of(t, lump_soup(&d, 14, 9));
    kin_bound_tree* tree = tree_of(t, m, (kin_bound_tree_def){.kind = KIN_BOUND_OBB});
    scene s = {m, m, kin_transform_identity(), {{0.3, 0.1, 0}, {0, 0, 0, 1}}};
    kin_descent descent;
    kin_descent_init(&descent, &t->allocator);
    CHECK(t, kin_descent_pairs(&descent, tree, s.pose_a, tree, s.pose_b, &(kin_descent_query){.test = scene_test, .context = &s}, NULL) == KIN_OK);
    uint64_t all = descent.counts.volume_tests;
    CHECK(t, descent.pair_count > 1);
    CHECK(t,
          kin_descent_pairs(&descent, tree, s.pose_a, tree, s.pose_b, &(kin_descent_query){.test = scene_test, .context = &s, .first = true}, NULL) == KIN_OK);
    EQUAL(t, descent.pair_count, 1);
    CHECK(t, descent.counts.volume_tests < all / 4);
    kin_descent_term(&descent);
    kin_bound_tree_destroy(tree);
    kin_mesh_destroy(m);
}

/* ---- two levels (C5.5) ---- */

enum { LINKS = 6 };
typedef struct chain_scene {
    const kin_mesh* mesh;
    const kin_transform *poses_a, *poses_b;
} chain_scene;

static bool chain_test(void* context, uint32_t link_a, uint32_t a, uint32_t link_b, uint32_t b)
{
    const chain_scene* s = context;
    scene two = {s->mesh, s->mesh, s->poses_a[link_a], s->poses_b[link_b]};
    return scene_test(&two, a, b);
}

static bool jointed(uint32_t a, uint32_t b) { return b == a + 1 || a == b + 1; }

static size_t brute_links(const chain_scene* s, uint32_t links_b, bool self, kin_link_pair* out)
{
    size_t n = 0;
    for (uint32_t i = 0; i < LINKS; ++i) {
        for (uint32_t k = self ? i + 1 : 0; k < links_b; ++k) {
            if (self && jointed(i, k)) continue;
            for (uint32_t a = 0; a < s->mesh->triangle_count; ++a) {
                for (uint32_t b = 0; b < s->mesh->triangle_count; ++b) {
                    if (chain_test((void*)s, i, a, k, b)) out[n++] = (kin_link_pair){i, k, a, b};
                }
            }
        }
    }
    return n;
}

static void check_links(test* t, const kin_link_descent* d, const kin_link_pair* want, size_t count)
{
    EQUAL(t, d->pair_count, count);
    CHECK(t, d->pair_count == count && (count == 0 || memcmp(d->pairs, want, count * sizeof *want) == 0));
}

static void curl(dice* d, kin_transform* poses) /* a chain that winds about */
{
    kin_transform at = roll_pose(d, 0.3);
    for (int i = 0; i < LINKS; ++i) {
        poses[i] = at;
        at = kin_transform_mul(at, (kin_transform){{1.2, 0, 0}, kin_quat_axis_angle(roll_direction(d), 2)});
    }
}

static void two_levels_agree_with_brute_force(test* t)
{
    dice d = {9};
    kin_mesh* m = mesh_of(t, lump_soup(&d, 8, 5));
    kin_bound_tree* tree = tree_of(t, m, (kin_bound_tree_def){.kind = KIN_BOUND_OBB});
    const kin_bound_tree* trees[LINKS] = {tree, tree, tree, tree, tree, tree};
    uint32_t joints[LINKS - 1][2];
    for (uint32_t i = 0; i + 1 < LINKS; ++i) joints[LINKS - 2 - i][0] = i + (i & 1), joints[LINKS - 2 - i][1] = i + !(i & 1); /* in no order */
    kin_transform pa[LINKS], pb[LINKS];
    curl(&d, pa), curl(&d, pb);
    kin_linked_trees *a, *b;
    kin_error error = {0};
    EQUAL(t, kin_linked_trees_create(&t->allocator, trees, pa, LINKS, (const uint32_t(*)[2])joints, LINKS - 1, &a, &error), KIN_OK);
    EQUAL(t, kin_linked_trees_create(&t->allocator, trees, pb, LINKS, NULL, 0, &b, &error), KIN_OK);
    kin_link_descent descent;
    kin_link_descent_init(&descent, &t->allocator);
    kin_link_pair* want = calloc((size_t)36 * m->triangle_count * m->triangle_count, sizeof *want);
    size_t total = 0, selves = 0;
    for (int round = 0; round < 6; ++round) {
        chain_scene s = {m, pa, pb}, self = {m, pa, pa};
        size_t count = brute_links(&s, LINKS, false, want);
        EQUAL(t, kin_linked_pairs(&descent, a, b, chain_test, &s, &error), KIN_OK);
        check_links(t, &descent, want, count);
        CHECK(t, descent.link_tests <= 36);
        total += count;
        count = brute_links(&s, 1, false, want);
        EQUAL(t, kin_linked_body(&descent, a, tree, pb[0], chain_test, &s, &error), KIN_OK);
        check_links(t, &descent, want, count);
        count = brute_links(&self, LINKS, true, want);
        selves += count;
        EQUAL(t, kin_linked_self(&descent, a, chain_test, &self, &error), KIN_OK);
        check_links(t, &descent, want, count);
        curl(&d, pa), curl(&d, pb);
        uint64_t before = t->allocations;
        EQUAL(t, kin_linked_trees_move(a, pa, &error), KIN_OK);
        EQUAL(t, kin_linked_trees_move(b, pb, &error), KIN_OK);
        EQUAL(t, t->allocations, before);
    }
    CHECK(t, total > 100 && selves > 20);
    for (int i = 0; i < LINKS; ++i) pb[i].position = kin_add(pb[i].position, kin_v(50, 0, 0));
    EQUAL(t, kin_linked_trees_move(b, pb, &error), KIN_OK);
    EQUAL(t, kin_linked_pairs(&descent, a, b, NULL, NULL, &error), KIN_OK);
    EQUAL(t, descent.counts.volume_tests, 1); /* far apart: one test of two upper roots */
    EQUAL(t, descent.link_tests, 0);
    joints[0][1] = LINKS;
    kin_linked_trees* none;
    EQUAL(t, kin_linked_trees_create(&t->allocator, trees, pa, LINKS, (const uint32_t(*)[2])joints, 1, &none, &error), KIN_ERROR_ARGUMENT);
    EQUAL(t, kin_linked_trees_create(&t->allocator, trees, pa, 0, NULL, 0, &none, &error), KIN_ERROR_ARGUMENT);
    free(want);
    kin_link_descent_term(&descent);
    kin_linked_trees_destroy(a), kin_linked_trees_destroy(b), kin_linked_trees_destroy(NULL);
    kin_bound_tree_destroy(tree);
    kin_mesh_destroy(m);
}

static bool ask_all(test* t, void* context)
{
    const kin_mesh* m = context;
    kin_primitives p = kin_primitives_of_mesh(m);
    kin_bound_tree* tree;
    if (kin_bound_tree_create(&t->allocator, &p, &(kin_bound_tree_def){.kind = KIN_BOUND_AABB}, &tree, NULL) != KIN_OK) return false;
    kin_descent d;
    kin_link_descent ld;
    kin_descent_init(&d, &t->allocator);
    kin_link_descent_init(&ld, &t->allocator);
    kin_linked_trees* l = NULL;
    kin_transform poses[2] = {kin_transform_identity(), {{0.1, 0.2, 0.3}, {0, 0, 0, 1}}};
    const kin_bound_tree* trees[2] = {tree, tree};
    bool good = kin_descent_pairs(&d, tree, poses[0], tree, poses[1], &(kin_descent_query){.breadth = true}, NULL) == KIN_OK
                && kin_descent_pairs(&d, tree, poses[0], tree, poses[1], &(kin_descent_query){.depth = 2}, NULL) == KIN_OK
                && kin_descent_self(&d, tree, &(kin_descent_query){0}, NULL) == KIN_OK
                && kin_linked_trees_create(&t->allocator, trees, poses, 2, (const uint32_t[1][2]){{1, 0}}, 1, &l, NULL) == KIN_OK
                && kin_linked_pairs(&ld, l, l, NULL, NULL, NULL) == KIN_OK;
    kin_linked_trees_destroy(l);
    kin_link_descent_term(&ld);
    kin_descent_term(&d);
    kin_bound_tree_destroy(tree);
    return good;
}

static void descents_survive_failing_memory(test* t)
{
    kin_mesh* m = mesh_of(t, box_soup(kin_v(1, 1, 1)));
    test_fail_each_allocation(t, ask_all, m);
    kin_mesh_destroy(m);
}

TEST_MAIN("volumes/descent", TEST(all_trees_agree_with_brute_force), TEST(far_apart_costs_one_node_each), TEST(the_larger_first_moves_less),
          TEST(one_cube_in_another_collides), TEST(self_finds_each_pair_once), TEST(a_leaf_of_many_has_its_inner_pairs), TEST(threads_change_nothing),
          TEST(probes_find_what_is_near), TEST(a_capped_depth_gives_coarse_contacts), TEST(two_spheres_make_an_exact_contact), TEST(the_first_pair_is_enough),
          TEST(two_levels_agree_with_brute_force), TEST(descents_survive_failing_memory))
