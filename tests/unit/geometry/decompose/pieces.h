/* pieces.h - what must hold for pieces that fill a polyhedron exactly. */
#pragma once
#include "geometry/decompose/pieces.h"
#include "unit/geometry/cut/solids.h"

typedef struct moments {
    double volume, first[3], second[6]; /* integrals of 1, x_i, x_i x_j over the solid */
} moments;

/* Signed tetrahedra from the origin: the mean of f over one with corners 0, a, b, c. */
static inline moments moments_of(const kin_poly* p)
{
    moments m = {0};
    for (size_t f = 0; f < p->face_count; ++f) {
        const uint32_t* c = kin_poly_corners(p, f);
        for (uint32_t k = 1; k + 1 < p->sizes[f]; ++k) {
            kin_vec3 t[3] = {p->vertices[c[0]], p->vertices[c[k]], p->vertices[c[k + 1]]};
            double v = kin_triple(t[0], t[1], t[2]) / 6;
            m.volume += v;
            for (int i = 0, at = 0; i < 3; ++i) {
                double si = 0;
                for (int n = 0; n < 3; ++n) si += kin_component(t[n], i);
                m.first[i] += v * si / 4;
                for (int j = i; j < 3; ++j, ++at) {
                    double sj = 0, both = 0;
                    for (int n = 0; n < 3; ++n) sj += kin_component(t[n], j), both += kin_component(t[n], i) * kin_component(t[n], j);
                    m.second[at] += v * (si * sj + both) / 20;
                }
            }
        }
    }
    return m;
}

/* Closed, convex, together just the whole: volume, moments, and no point twice. */
static inline void check_tiling(test* t, const kin_poly* whole, const kin_pieces* pieces)
{
    moments w = moments_of(whole), sum = {0};
    kin_aabb box = kin_poly_bounds(whole);
    double size = kin_largest(kin_sub(box.high, box.low));
    for (size_t i = 0; i < pieces->count; ++i) {
        const kin_poly* p = &pieces->parts[i];
        moments m = moments_of(p);
        EQUAL(t, open_edges(p), 0);
        CHECK(t, m.volume > 0);
        sum.volume += m.volume;
        for (int k = 0; k < 3; ++k) sum.first[k] += m.first[k];
        for (int k = 0; k < 6; ++k) sum.second[k] += m.second[k];
        if (!pieces->convex[i]) continue;
        double out = 0;
        for (size_t f = 0; f < p->face_count; ++f) {
            kin_vec3 n = kin_poly_normal(p, f), x = p->vertices[kin_poly_corners(p, f)[0]];
            double area = kin_length(n);
            for (size_t v = 0; area > 1e-12 * size * size && v < p->vertex_count; ++v) out = kin_max(out, kin_dot(kin_sub(p->vertices[v], x), n) / area);
        }
        NEAR(t, out, 0, 1e-9 * size);
    }
    NEAR(t, sum.volume, w.volume, 1e-9 * w.volume);
    for (int k = 0; k < 3; ++k) NEAR(t, sum.first[k], w.first[k], 1e-9 * w.volume * size);
    for (int k = 0; k < 6; ++k) NEAR(t, sum.second[k], w.second[k], 1e-9 * w.volume * size * size);
    dice d = {99};
    kin_mesh_view view = kin_poly_view(whole);
    for (int i = 0; i < 60; ++i) {
        kin_vec3 x = kin_v(roll(&d, box.low.x, box.high.x), roll(&d, box.low.y, box.high.y), roll(&d, box.low.z, box.high.z));
        int times = 0;
        for (size_t k = 0; k < pieces->count; ++k) {
            kin_mesh_view part = kin_poly_view(&pieces->parts[k]);
            times += winding(&part, x) > 0.5;
        }
        EQUAL(t, times, winding(&view, x) > 0.5);
    }
}

/* A prism with convex faces. */
static inline kin_poly prism(test* t, const double (*xy)[2], uint32_t n, double depth)
{
    kin_poly raw = read_soup(t, prism_soup(xy, n, depth)), p;
    kin_poly_init(&p, &t->allocator);
    CHECK(t, kin_poly_convex_faces(&raw, &p));
    kin_poly_term(&raw);
    return p;
}

static const double el[][2] = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 3}, {0, 3}};
static const double you[][2] = {{0, 0}, {5, 0}, {5, 3}, {4, 3}, {4, 1}, {1, 1}, {1, 3}, {0, 3}};
static const double plus[][2] = {{1, 0}, {2, 0}, {2, 1}, {3, 1}, {3, 2}, {2, 2}, {2, 3}, {1, 3}, {1, 2}, {0, 2}, {0, 1}, {1, 1}};
static const double comb[][2] = {{0, 0}, {7, 0}, {7, 3}, {6, 3}, {6, 1}, {5, 1}, {5, 3}, {4, 3},
                                 {4, 1}, {3, 1}, {3, 3}, {2, 3}, {2, 1}, {1, 1}, {1, 3}, {0, 3}};
