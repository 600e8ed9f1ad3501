/* rig.h - clouds, triangles and brute force for the tests of bounding volumes. */
#pragma once
#include "geometry/mesh.h"
#include "math/quat.h"
#include "support/test.h"
#include "unit/geometry/shapes.h"

static inline kin_quat roll_turn(dice* d)
{
    kin_vec3 axis = roll_direction(d);
    return kin_quat_axis_angle(axis, roll(d, 0, 6.28));
}

static inline kin_transform roll_pose(dice* d, double reach)
{
    kin_quat q = roll_turn(d);
    return (kin_transform){roll3(d, reach), q};
}

static inline kin_mesh* mesh_of(test* t, soup s)
{
    kin_mesh* mesh = NULL;
    kin_mesh_view view = soup_view(&s);
    CHECK(t, kin_mesh_create(&t->allocator, &view, &mesh, NULL) == KIN_OK);
    soup_free(&s);
    return mesh;
}

static inline bool apart_on(const kin_vec3* p, const kin_vec3* q, kin_vec3 d)
{
    double pl = 1e300, ph = -1e300, ql = 1e300, qh = -1e300;
    for (int i = 0; i < 3; ++i) {
        pl = fmin(pl, kin_dot(p[i], d)), ph = fmax(ph, kin_dot(p[i], d));
        ql = fmin(ql, kin_dot(q[i], d)), qh = fmax(qh, kin_dot(q[i], d));
    }
    return ph < ql || qh < pl;
}

/* All separating axes of two triangles: normals, edges by edges, and in the planes. */
static inline bool triangles_touch(const kin_vec3* p, const kin_vec3* q)
{
    kin_vec3 e[3], f[3], n, m;
    for (int i = 0; i < 3; ++i) e[i] = kin_sub(p[(i + 1) % 3], p[i]), f[i] = kin_sub(q[(i + 1) % 3], q[i]);
    n = kin_cross(e[0], e[1]), m = kin_cross(f[0], f[1]);
    if (apart_on(p, q, n) || apart_on(p, q, m)) return false;
    for (int i = 0; i < 3; ++i) {
        if (apart_on(p, q, kin_cross(n, e[i])) || apart_on(p, q, kin_cross(m, f[i]))) return false;
        for (int k = 0; k < 3; ++k) {
            if (apart_on(p, q, kin_cross(e[i], f[k]))) return false;
        }
    }
    return true;
}

/* Two meshes in the world, for tests of pairs. */
typedef struct scene {
    const kin_mesh *a, *b;
    kin_transform pose_a, pose_b;
} scene;

static inline void world_triangle(const kin_mesh* m, kin_transform pose, uint32_t i, kin_vec3 out[3])
{
    for (int k = 0; k < 3; ++k) out[k] = kin_apply(pose, m->vertices[m->triangles[i][k]]);
}

static inline bool scene_test(void* context, uint32_t a, uint32_t b)
{
    const scene* s = context;
    kin_vec3 p[3], q[3];
    world_triangle(s->a, s->pose_a, a, p);
    world_triangle(s->b, s->pose_b, b, q);
    return triangles_touch(p, q);
}

/* A closed mesh of triangles without symmetry: a bumpy torus. */
static inline soup lump_soup(dice* d, uint32_t around, uint32_t across)
{
    soup ring = torus_soup(1, 0.45, around, across), s = soup_new(ring.vertex_count, 2 * ring.face_count, 6 * ring.face_count);
    for (size_t i = 0; i < ring.vertex_count; ++i) soup_vertex(&s, kin_mul(kin_scale(ring.vertices[i], roll(d, 0.85, 1.15)), kin_v(1, 1.4, 0.6)));
    for (size_t f = 0; f < ring.face_count; ++f) {
        const uint32_t* q = ring.corners + 4 * f;
        soup_face(&s, 3, (uint32_t[]){q[0], q[1], q[2]});
        soup_face(&s, 3, (uint32_t[]){q[0], q[2], q[3]});
    }
    soup_free(&ring);
    return s;
}
