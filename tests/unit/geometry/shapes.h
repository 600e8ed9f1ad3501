/* shapes.h - meshes and random numbers for the geometry and collision tests. */
#pragma once
#include "kinema/collider.h"
#include "math/vec3.h"
#include <math.h>
#include <stdlib.h>

typedef struct dice {
    uint64_t state;
} dice;

static inline double roll(dice* d, double low, double high)
{
    d->state = d->state * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = d->state ^ (d->state >> 33);
    x *= 0xff51afd7ed558ccdu;
    x ^= x >> 33;
    return low + (high - low) * (double)(x >> 11) * 0x1p-53;
}

static inline kin_vec3 roll3(dice* d, double size)
{
    double x = roll(d, -size, size), y = roll(d, -size, size), z = roll(d, -size, size);
    return kin_v(x, y, z);
}

static inline kin_vec3 roll_direction(dice* d)
{
    for (;;) {
        kin_vec3 v = roll3(d, 1);
        double l = kin_length(v);
        if (l > 0.1 && l <= 1) return kin_scale(v, 1 / l);
    }
}

typedef struct soup {
    kin_vec3* vertices;
    uint32_t* corners;
    uint32_t* sizes; /* NULL: triangles */
    size_t vertex_count, face_count, corner_count;
} soup;

static inline soup soup_new(size_t vertices, size_t faces, size_t corners)
{
    soup s = {calloc(vertices, sizeof(kin_vec3)), calloc(corners, sizeof(uint32_t)), calloc(faces, sizeof(uint32_t)), 0, 0, 0};
    return s;
}
static inline void soup_free(soup* s)
{
    free(s->vertices);
    free(s->corners);
    free(s->sizes);
}
static inline uint32_t soup_vertex(soup* s, kin_vec3 v)
{
    s->vertices[s->vertex_count] = v;
    return (uint32_t)s->vertex_count++;
}
static inline void soup_face(soup* s, uint32_t size, const uint32_t* corners)
{
    s->sizes[s->face_count++] = size;
    for (uint32_t i = 0; i < size; ++i) s->corners[s->corner_count++] = corners[i];
}
static inline kin_mesh_view soup_view(const soup* s) { return (kin_mesh_view){s->vertices, s->vertex_count, s->sizes, s->corners, s->face_count}; }

/* Six quads (H3.4: the cube has 8 vertices, 12 edges, 6 faces); inward: a room. */
static inline void add_box(soup* s, kin_vec3 low, kin_vec3 high, bool inward)
{
    static const uint32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    uint32_t base = (uint32_t)s->vertex_count;
    for (int i = 0; i < 8; ++i) soup_vertex(s, kin_v(i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z));
    for (int f = 0; f < 6; ++f) {
        uint32_t q[4];
        for (int k = 0; k < 4; ++k) q[k] = base + quads[f][inward ? 3 - k : k];
        soup_face(s, 4, q);
    }
}

static inline soup box_soup(kin_vec3 half)
{
    soup s = soup_new(8, 6, 24);
    add_box(&s, kin_neg(half), half, false);
    return s;
}

/* Two triangles a cell over [-half, half]^2, heights from a function; open. */
static inline soup grid_soup(int cells, double half, double (*height)(double x, double z))
{
    size_t n = (size_t)cells;
    soup s = soup_new((n + 1) * (n + 1), 2 * n * n, 6 * n * n);
    for (size_t j = 0; j <= n; ++j) {
        for (size_t i = 0; i <= n; ++i) {
            double x = -half + 2 * half * (double)i / cells, z = -half + 2 * half * (double)j / cells;
            soup_vertex(&s, kin_v(x, height(x, z), z));
        }
    }
    for (uint32_t j = 0; j < n; ++j) {
        for (uint32_t i = 0; i < n; ++i) {
            uint32_t a = j * ((uint32_t)n + 1) + i, b = a + 1, c = a + (uint32_t)n + 1, d = c + 1;
            soup_face(&s, 3, (uint32_t[]){a, c, b});
            soup_face(&s, 3, (uint32_t[]){b, c, d});
        }
    }
    return s;
}

/* Round the y axis; quads, closed. */
static inline soup torus_soup(double ring, double tube, uint32_t around, uint32_t across)
{
    soup s = soup_new(around * across, around * across, 4 * around * across);
    for (uint32_t i = 0; i < around; ++i) {
        for (uint32_t j = 0; j < across; ++j) {
            double u = 2 * KIN_PI * i / around, v = 2 * KIN_PI * j / across, r = ring + tube * cos(v);
            soup_vertex(&s, kin_v(r * cos(u), tube * sin(v), -r * sin(u)));
        }
    }
    for (uint32_t i = 0; i < around; ++i) {
        for (uint32_t j = 0; j < across; ++j) {
            uint32_t i1 = (i + 1) % around, j1 = (j + 1) % across;
            soup_face(&s, 4, (uint32_t[]){i * across + j, i1 * across + j, i1 * across + j1, i * across + j1});
        }
    }
    return s;
}

/* How often the faces (convex) go round x: 1 inside a closed mesh, by solid angles (van Oosterom and Strackee 1983). */
static inline double winding(const kin_mesh_view* m, kin_vec3 x)
{
    double sum = 0;
    for (size_t f = 0, at = 0; f < m->face_count; ++f) {
        uint32_t size = m->face_sizes != NULL ? m->face_sizes[f] : 3;
        for (uint32_t k = 1; k + 1 < size; ++k) {
            kin_vec3 a = kin_sub(m->vertices[m->corners[at]], x), b = kin_sub(m->vertices[m->corners[at + k]], x),
                     c = kin_sub(m->vertices[m->corners[at + k + 1]], x);
            double la = kin_length(a), lb = kin_length(b), lc = kin_length(c);
            sum += 2 * atan2(kin_triple(a, b, c), la * lb * lc + kin_dot(a, b) * lc + kin_dot(b, c) * la + kin_dot(c, a) * lb);
        }
        at += size;
    }
    return sum / (4 * KIN_PI);
}
