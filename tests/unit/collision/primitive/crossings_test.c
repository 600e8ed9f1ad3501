#include "collision/primitive/crossings.h"
#include "math/mat3.h"
#include "math/quat.h"
#include "unit/collision/primitive/meshes.h"

static kin_transform roll_pose(dice* d, double size)
{
    kin_quat q = kin_quat_axis_angle(roll_direction(d), roll(d, -3, 3));
    return (kin_transform){roll3(d, size), q};
}

static void corners_of(const kin_trimesh* m, uint32_t triangle, const kin_transform* pose, kin_vec3 p[3])
{
    kin_mat3 turn = pose != NULL ? kin_quat_to_matrix(pose->orientation) : kin_mat3_identity();
    for (int k = 0; k < 3; ++k) {
        p[k] = m->mesh->vertices[m->mesh->triangles[triangle][k]];
        if (pose != NULL) p[k] = kin_add(kin_mat3_apply(turn, p[k]), pose->position); /* as the search rounds it */
    }
}

static size_t check_against_all_pairs(test* t, const kin_trimesh* a, const kin_trimesh* b, kin_transform pose, const kin_crossings* list)
{
    size_t next = 0;
    for (uint32_t i = 0; i < a->mesh->triangle_count; ++i) {
        kin_vec3 p[3], q[3];
        corners_of(a, i, NULL, p);
        for (uint32_t j = 0; j < b->mesh->triangle_count; ++j) {
            corners_of(b, j, &pose, q);
            kin_meeting m;
            if (kin_triangle_triangle(p, q, &m) == KIN_MEET_APART) continue;
            if (!CHECK(t, next < list->count && list->data[next].a == i && list->data[next].b == j)) return next;
            EQUAL(t, list->data[next].where.kind, m.kind);
            NEAR3(t, list->data[next].where.from, m.from, 0);
            NEAR3(t, list->data[next].where.to, m.to, 0);
            next += 1;
        }
    }
    EQUAL(t, list->count, next);
    return next;
}

static void the_trees_find_what_all_pairs_give(test* t)
{
    dice d = {1};
    kin_trimesh *a = trimesh_of(t, torus_soup(1, 0.4, 24, 12)), *b = trimesh_of(t, torus_soup(0.8, 0.3, 20, 10));
    kin_crossings list;
    kin_crossings_init(&list, &t->allocator);
    size_t crossing = 0;
    for (int round = 0; round < 25; ++round) {
        kin_transform pose = roll_pose(&d, round % 5 == 0 ? 3 : 0.8);
        if (round == 24) pose = kin_transform_identity();
        EQUAL(t, kin_trimesh_crossings(a, b, pose, NULL, &list, NULL), KIN_OK);
        size_t found = check_against_all_pairs(t, a, b, pose, &list);
        crossing += found > 0;
        if (found > 0) EQUAL(t, kin_trimesh_relation(a, b, pose), KIN_MESHES_CROSS);
        if (found == 0) CHECK(t, kin_trimesh_relation(a, b, pose) != KIN_MESHES_CROSS);
    }
    CHECK(t, crossing > 10);
    kin_crossings_term(&list);
    kin_trimesh_destroy(a);
    kin_trimesh_destroy(b);
}

/* A mesh on itself, shifted by nothing or along its own faces: every face meets its twin and neighbours. */
static void faces_in_one_plane(test* t)
{
    kin_trimesh *a = trimesh_of(t, box_soup(kin_v(1, 1, 1))), *b = trimesh_of(t, box_soup(kin_v(1, 1, 1)));
    kin_crossings list;
    kin_crossings_init(&list, &t->allocator);
    static const kin_vec3 shifts[] = {{0, 0, 0}, {0.5, 0, 0}, {2, 0, 0}, {2, 2, 2}, {2, 0.25, 0.5}, {0.5, 0.25, 0}};
    for (size_t k = 0; k < sizeof shifts / sizeof *shifts; ++k) {
        kin_transform pose = {shifts[k], {0, 0, 0, 1}};
        EQUAL(t, kin_trimesh_crossings(a, b, pose, NULL, &list, NULL), KIN_OK);
        CHECK(t, check_against_all_pairs(t, a, b, pose, &list) > 0);
    }
    kin_transform apart = {{2.0000001, 0, 0}, {0, 0, 0, 1}};
    EQUAL(t, kin_trimesh_relation(a, b, apart), KIN_MESHES_APART);
    kin_crossings_term(&list);
    kin_trimesh_destroy(a);
    kin_trimesh_destroy(b);
}

static void one_inside_the_other(test* t) /* C2.5.1: no surfaces touch, but it is a collision */
{
    kin_trimesh *big = trimesh_of(t, box_soup(kin_v(2, 2, 2))), *small = trimesh_of(t, box_soup(kin_v(0.5, 0.5, 0.5)));
    kin_transform pose = {{0.3, 0.2, -0.1}, kin_quat_axis_angle(kin_v(0, 1, 0), 0.3)};
    EQUAL(t, kin_trimesh_relation(big, small, pose), KIN_MESHES_B_IN_A);
    EQUAL(t, kin_trimesh_relation(small, big, kin_transform_inverse(pose)), KIN_MESHES_A_IN_B);
    pose.position.x = 1.7;
    EQUAL(t, kin_trimesh_relation(big, small, pose), KIN_MESHES_CROSS);
    pose.position.x = 3;
    EQUAL(t, kin_trimesh_relation(big, small, pose), KIN_MESHES_APART);
    kin_trimesh* torus = trimesh_of(t, torus_soup(3, 1, 24, 12)); /* in the hole is not inside */
    EQUAL(t, kin_trimesh_relation(torus, small, kin_transform_identity()), KIN_MESHES_APART);
    kin_trimesh_destroy(big);
    kin_trimesh_destroy(small);
    kin_trimesh_destroy(torus);
}

static void a_sound_mesh_does_not_cross_itself(test* t)
{
    kin_trimesh* meshes[] = {trimesh_of(t, torus_soup(1, 0.4, 40, 20)), trimesh_of(t, box_soup(kin_v(1, 2, 3)))};
    kin_crossings list;
    kin_crossings_init(&list, &t->allocator);
    for (int k = 0; k < 2; ++k) {
        EQUAL(t, kin_trimesh_self_crossings(meshes[k], NULL, &list, NULL), KIN_OK);
        EQUAL(t, list.count, 0);
        kin_trimesh_destroy(meshes[k]);
    }
    kin_crossings_term(&list);
}

static double waves(double x, double z) { return 0.2 * sin(7 * x) * cos(5 * z); }

/* Real crossings among neighbours and strangers: a sheet folded through itself, against all pairs. */
static void crossings_of_one_mesh(test* t)
{
    soup s = grid_soup(12, 1, waves);
    dice d = {5};
    for (size_t i = 0; i < s.vertex_count; i += 3) s.vertices[i] = kin_add(s.vertices[i], roll3(&d, 0.5)); /* crumpled */
    kin_trimesh* m = trimesh_of(t, s);
    kin_crossings list;
    kin_crossings_init(&list, &t->allocator);
    EQUAL(t, kin_trimesh_self_crossings(m, NULL, &list, NULL), KIN_OK);
    size_t next = 0, near = 0;
    for (uint32_t i = 0; i < m->mesh->triangle_count; ++i) {
        for (uint32_t j = i + 1; j < m->mesh->triangle_count; ++j) {
            int shared = 0;
            for (int k = 0; k < 9; ++k) shared += m->mesh->triangles[i][k / 3] == m->mesh->triangles[j][k % 3];
            kin_vec3 p[3], q[3];
            corners_of(m, i, NULL, p);
            corners_of(m, j, NULL, q);
            kin_meet kind = kin_triangle_triangle(p, q, NULL);
            if (kind == KIN_MEET_APART || (shared == 1 && kind == KIN_MEET_POINT) || (shared == 2 && kind == KIN_MEET_SEGMENT)) continue;
            if (!CHECK(t, next < list.count && list.data[next].a == i && list.data[next].b == j)) goto done;
            next += 1;
            near += shared > 0;
        }
    }
    EQUAL(t, list.count, next);
    CHECK(t, next > 50 && near > 5);
done:
    kin_crossings_term(&list);
    kin_trimesh_destroy(m);
}

static void far_from_the_origin_and_at_other_scales(test* t) /* the filter's margin is of the meshes, not of the world */
{
    static const double scales[] = {1e-6, 1, 1e8};
    for (int k = 0; k < 3; ++k) {
        soup sa = torus_soup(1, 0.4, 16, 8), sb = torus_soup(1, 0.4, 16, 8);
        for (size_t i = 0; i < sa.vertex_count; ++i) {
            sa.vertices[i] = kin_scale(kin_add(sa.vertices[i], kin_v(1000, -2000, 500)), scales[k]);
            sb.vertices[i] = kin_scale(sb.vertices[i], scales[k]);
        }
        kin_trimesh *a = trimesh_of(t, sa), *b = trimesh_of(t, sb);
        kin_crossings list;
        kin_crossings_init(&list, &t->allocator);
        kin_transform pose = {kin_scale(kin_v(1000.4, -2000, 500.1), scales[k]), kin_quat_axis_angle(kin_v(1, 0, 0), 1)};
        EQUAL(t, kin_trimesh_crossings(a, b, pose, NULL, &list, NULL), KIN_OK);
        CHECK(t, check_against_all_pairs(t, a, b, pose, &list) > 20);
        kin_crossings_term(&list);
        kin_trimesh_destroy(a);
        kin_trimesh_destroy(b);
    }
}

static void threads_find_the_same(test* t)
{
    kin_trimesh *a = trimesh_of(t, torus_soup(1, 0.4, 60, 30)), *b = trimesh_of(t, torus_soup(1, 0.4, 60, 30));
    kin_allocator allocator = kin_allocator_default(); /* for several threads at once */
    kin_transform pose = {{0.5, 0.1, 0.2}, kin_quat_axis_angle(kin_v(1, 0, 0), 1)};
    kin_crossings alone, shared;
    kin_crossings_init(&alone, &allocator);
    kin_crossings_init(&shared, &allocator);
    EQUAL(t, kin_trimesh_crossings(a, b, pose, NULL, &alone, NULL), KIN_OK);
    CHECK(t, alone.count > 200);
    for (int threads = 1; threads <= 3; ++threads) {
        kin_jobs jobs;
        EQUAL(t, kin_jobs_init(&jobs, &allocator, NULL, threads, NULL), KIN_OK);
        EQUAL(t, kin_trimesh_crossings(a, b, pose, &jobs, &shared, NULL), KIN_OK);
        EQUAL(t, shared.count, alone.count);
        for (size_t i = 0; i < alone.count && i < shared.count; ++i) {
            const kin_mesh_crossing *p = &alone.data[i], *q = &shared.data[i];
            CHECK(t, p->a == q->a && p->b == q->b && p->where.kind == q->where.kind);
            NEAR3(t, p->where.from, q->where.from, 0);
            NEAR3(t, p->where.to, q->where.to, 0);
        }
        EQUAL(t, kin_trimesh_self_crossings(a, &jobs, &shared, NULL), KIN_OK);
        EQUAL(t, shared.count, 0);
        kin_jobs_term(&jobs);
    }
    kin_crossings_term(&alone);
    kin_crossings_term(&shared);
    kin_trimesh_destroy(a);
    kin_trimesh_destroy(b);
}

/* Needles whose computed normals mean nothing must still be found: sheets drawn out a thousand million times along x, up to what a mesh takes for a triangle. */
static void needles_are_not_lost(test* t)
{
    dice d = {9};
    size_t found = 0;
    for (int round = 0; round < 6; ++round) {
        soup s[2] = {grid_soup(8, 1, waves), grid_soup(8, 1, waves)};
        double thin = round % 2 == 0 ? 1e-9 : 3e-12;
        for (int k = 0; k < 2; ++k) {
            for (size_t i = 0; i < s[k].vertex_count; ++i) {
                kin_vec3 v = kin_add(s[k].vertices[i], roll3(&d, 0.3));
                s[k].vertices[i] = kin_v(v.x, thin * v.y, thin * v.z);
            }
        }
        kin_trimesh *a = trimesh_of(t, s[0]), *b = trimesh_of(t, s[1]);
        kin_crossings list;
        kin_crossings_init(&list, &t->allocator);
        kin_transform pose = {{0.1, 0, 0}, kin_quat_axis_angle(kin_v(1, 0, 0), round < 4 ? 0.3 : 0)};
        EQUAL(t, kin_trimesh_crossings(a, b, pose, NULL, &list, NULL), KIN_OK);
        found += check_against_all_pairs(t, a, b, pose, &list);
        kin_crossings_term(&list);
        kin_trimesh_destroy(a);
        kin_trimesh_destroy(b);
    }
    CHECK(t, found > 100);
}

static bool cross_once(test* t, void* context)
{
    kin_trimesh** m = context;
    kin_crossings list;
    kin_error error;
    kin_crossings_init(&list, &t->allocator);
    kin_transform pose = {{0.5, 0.1, 0.2}, kin_quat_axis_angle(kin_v(1, 0, 0), 1)};
    bool ok = kin_trimesh_crossings(m[0], m[1], pose, NULL, &list, &error) == KIN_OK;
    if (!ok) EQUAL(t, list.count, 0);
    kin_crossings_term(&list);
    return ok;
}

static void memory_may_run_out(test* t)
{
    kin_trimesh* m[2] = {trimesh_of(t, torus_soup(1, 0.4, 16, 8)), trimesh_of(t, torus_soup(1, 0.4, 16, 8))};
    test_fail_each_allocation(t, cross_once, m);
    kin_trimesh_destroy(m[0]);
    kin_trimesh_destroy(m[1]);
}

TEST_MAIN("collision_crossings", TEST(the_trees_find_what_all_pairs_give), TEST(faces_in_one_plane), TEST(one_inside_the_other),
          TEST(a_sound_mesh_does_not_cross_itself), TEST(crossings_of_one_mesh), TEST(far_from_the_origin_and_at_other_scales), TEST(needles_are_not_lost),
          TEST(threads_find_the_same), TEST(memory_may_run_out))
