/* solids.h - closed polygon meshes with known shapes, for the cases of hulls, masses, tetrahedra and pieces. */
#pragma once
#include "kinema/collider.h"
#include "math/quat.h"
#include <math.h>
#include <stdlib.h>

typedef struct kin_solid {
    kin_vec3* vertices;
    uint32_t *sizes, *corners;
    size_t vertex_count, face_count, corner_count;
} kin_solid;

static inline kin_solid kin_solid_new(size_t vertices, size_t faces, size_t corners)
{
    return (kin_solid){calloc(vertices, sizeof(kin_vec3)), calloc(faces, sizeof(uint32_t)), calloc(corners, sizeof(uint32_t)), 0, 0, 0};
}
static inline void kin_solid_free(kin_solid* s)
{
    free(s->vertices);
    free(s->sizes);
    free(s->corners);
}
static inline kin_mesh_view kin_solid_view(const kin_solid* s) { return (kin_mesh_view){s->vertices, s->vertex_count, s->sizes, s->corners, s->face_count}; }
static inline void kin_solid_vertex(kin_solid* s, kin_vec3 v) { s->vertices[s->vertex_count++] = v; }
static inline void kin_solid_face(kin_solid* s, uint32_t size, const uint32_t* corners)
{
    s->sizes[s->face_count++] = size;
    for (uint32_t i = 0; i < size; ++i) s->corners[s->corner_count++] = corners[i];
}

static inline kin_solid kin_solid_moved(const kin_solid* s, kin_transform pose)
{
    kin_solid m = kin_solid_new(s->vertex_count, s->face_count, s->corner_count);
    for (size_t i = 0; i < s->vertex_count; ++i) kin_solid_vertex(&m, kin_apply(pose, s->vertices[i]));
    for (size_t f = 0, at = 0; f < s->face_count; at += s->sizes[f++]) kin_solid_face(&m, s->sizes[f], s->corners + at);
    return m;
}

static inline kin_solid kin_solid_box(kin_vec3 size) /* about the origin */
{
    static const uint32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    kin_solid s = kin_solid_new(8, 6, 24);
    for (int i = 0; i < 8; ++i) kin_solid_vertex(&s, kin_scale(kin_mul(size, kin_v(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)), 0.5));
    for (int f = 0; f < 6; ++f) kin_solid_face(&s, 4, quads[f]);
    return s;
}

static inline kin_solid kin_solid_corner(void) /* the tetrahedron of the origin and the unit points of the axes */
{
    static const uint32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    kin_solid s = kin_solid_new(4, 4, 12);
    for (int i = 0; i < 4; ++i) kin_solid_vertex(&s, i == 0 ? kin_v(0, 0, 0) : kin_axis(i - 1));
    for (int f = 0; f < 4; ++f) kin_solid_face(&s, 3, faces[f]);
    return s;
}

static inline kin_solid kin_solid_l_prism(void) /* 3 x 1 and 1 x 1, 1 thick; ends are concave hexagons */
{
    static const double xy[6][2] = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 2}, {0, 2}};
    kin_solid s = kin_solid_new(12, 8, 36);
    for (int i = 0; i < 12; ++i) kin_solid_vertex(&s, kin_v(xy[i % 6][0], xy[i % 6][1], i / 6));
    kin_solid_face(&s, 6, (uint32_t[]){5, 4, 3, 2, 1, 0});
    kin_solid_face(&s, 6, (uint32_t[]){6, 7, 8, 9, 10, 11});
    for (uint32_t i = 0; i < 6; ++i) kin_solid_face(&s, 4, (uint32_t[]){i, (i + 1) % 6, (i + 1) % 6 + 6, i + 6});
    return s;
}

static inline kin_solid kin_solid_torus(double ring, double tube, uint32_t around, uint32_t across) /* round the y axis */
{
    kin_solid s = kin_solid_new(around * across, around * across, 4 * around * across);
    for (uint32_t i = 0; i < around * across; ++i) {
        double u = 2 * KIN_PI * (i / across) / around, v = 2 * KIN_PI * (i % across) / across, r = ring + tube * cos(v);
        kin_solid_vertex(&s, kin_v(r * cos(u), tube * sin(v), -r * sin(u)));
    }
    for (uint32_t i = 0; i < around; ++i) {
        for (uint32_t j = 0; j < across; ++j) {
            uint32_t i1 = (i + 1) % around, j1 = (j + 1) % across;
            kin_solid_face(&s, 4, (uint32_t[]){i * across + j, i1 * across + j, i1 * across + j1, i * across + j1});
        }
    }
    return s;
}

/* Rings of `around` vertices between two poles; p(context, i, k) for ring i from the low pole; quads between. */
typedef kin_vec3 kin_ring_fn(int shape, double s, double angle);

static inline kin_solid kin_solid_rings(kin_ring_fn* at, int shape, uint32_t around, uint32_t up)
{
    kin_solid s = kin_solid_new(2 + around * (up - 1), around * up, 4 * around * up);
    for (uint32_t i = 1; i < up; ++i)
        for (uint32_t k = 0; k < around; ++k) kin_solid_vertex(&s, at(shape, (double)i / up, 2 * KIN_PI * k / around));
    uint32_t low = (uint32_t)s.vertex_count, high = low + 1, last = around * (up - 2);
    kin_solid_vertex(&s, at(shape, 0, 0));
    kin_solid_vertex(&s, at(shape, 1, 0));
    for (uint32_t k = 0; k < around; ++k) {
        uint32_t n = (k + 1) % around;
        kin_solid_face(&s, 3, (uint32_t[]){low, n, k});
        kin_solid_face(&s, 3, (uint32_t[]){high, last + k, last + n});
        for (uint32_t i = 0; i + 2 < up; ++i) kin_solid_face(&s, 4, (uint32_t[]){i * around + k, i * around + n, (i + 1) * around + n, (i + 1) * around + k});
    }
    return s;
}

typedef enum kin_lathe { KIN_LATHE_SPHERE, KIN_LATHE_CYLINDER, KIN_LATHE_CONE, KIN_LATHE_CAPSULE } kin_lathe;

/* Radius 0.8; 0.5 and height 1.4; 0.6 and 1.1; 0.4 and 0.9 between the centres. */
static inline kin_vec3 kin_lathe_point(int shape, double s, double angle)
{
    double r = 0, y = 0;
    if (shape == KIN_LATHE_SPHERE) r = 0.8 * sin(KIN_PI * s), y = -0.8 * cos(KIN_PI * s);
    if (shape == KIN_LATHE_CYLINDER) r = 0.5 * fmin(1, fmin(3 * s, 3 * (1 - s))), y = 0.7 * fmax(-1, fmin(1, 6 * s - 3));
    if (shape == KIN_LATHE_CONE) r = 0.6 * fmin(1, fmin(3 * s, 1.5 * (1 - s))), y = 0.55 * fmax(-1, 3 * s - 2);
    if (shape == KIN_LATHE_CAPSULE) {
        double turn = s < 1.0 / 3 ? 1.5 * KIN_PI * s : s > 2.0 / 3 ? 1.5 * KIN_PI * (1 - s) : 0.5 * KIN_PI;
        r = 0.4 * sin(turn);
        y = s < 1.0 / 3 ? -0.45 - 0.4 * cos(turn) : s > 2.0 / 3 ? 0.45 + 0.4 * cos(turn) : 0.45 * (6 * s - 3);
    }
    return kin_v(r * cos(angle), y, -r * sin(angle));
}
static inline kin_solid kin_solid_lathe(kin_lathe shape, uint32_t around, uint32_t up) { return kin_solid_rings(kin_lathe_point, shape, around, up); }

/* Bunny-like: closed, with ears, dents and bumps. */
static inline kin_vec3 kin_bumpy_point(int shape, double s, double angle)
{
    (void)shape;
    double u = KIN_PI * s;
    kin_vec3 d = {sin(u) * cos(angle), -cos(u), -sin(u) * sin(angle)};
    double ears = exp(-20 * kin_length2(kin_sub(d, kin_v(0.5, 0.8, 0.2)))) + exp(-20 * kin_length2(kin_sub(d, kin_v(-0.5, 0.8, 0.2))));
    double dent = exp(-9 * kin_length2(kin_sub(d, kin_v(0, -0.6, 0.8))));
    return kin_scale(d, 1 + 0.3 * sin(u) * sin(3 * u) * cos(5 * angle) + 0.7 * ears - 0.2 * dent);
}
static inline kin_solid kin_solid_bumpy(uint32_t around, uint32_t up) { return kin_solid_rings(kin_bumpy_point, 0, around, up); }
