/* solids.h - polyhedra for the tests of cuts, repairs and pieces, and what must hold for any closed one. */
#pragma once
#include "geometry/cut/poly.h"
#include "support/test.h"
#include "unit/geometry/shapes.h"
#include <stdlib.h>
#include <string.h>

static inline kin_poly read_soup(test* t, soup s) /* takes the soup */
{
    kin_poly p;
    kin_error error = {0};
    kin_mesh_view view = soup_view(&s);
    kin_poly_init(&p, &t->allocator);
    if (kin_poly_read(&p, &view, &error) != KIN_OK) test_check(t, false, __FILE__, __LINE__, "%s", error.message);
    soup_free(&s);
    return p;
}

/* A prism over a polygon in the x-y plane, counter-clockwise; the two ends are one face each. */
static inline soup prism_soup(const double (*xy)[2], uint32_t n, double depth)
{
    soup s = soup_new(2 * n, n + 2, 6 * n);
    uint32_t top[64], bottom[64];
    for (uint32_t i = 0; i < n; ++i) {
        bottom[n - 1 - i] = soup_vertex(&s, kin_v(xy[i][0], xy[i][1], 0));
        top[i] = soup_vertex(&s, kin_v(xy[i][0], xy[i][1], depth));
    }
    soup_face(&s, n, top);
    soup_face(&s, n, bottom);
    for (uint32_t i = 0; i < n; ++i) {
        uint32_t j = (i + 1) % n;
        soup_face(&s, 4, (uint32_t[]){2 * i, 2 * j, 2 * j + 1, 2 * i + 1});
    }
    return s;
}

/* A star-shaped blob: a sphere of triangles whose radius goes up and down. */
static inline soup blob_soup(uint32_t around, uint32_t rings, double bump)
{
    soup s = soup_new(around * (rings - 1) + 2, 2 * around * (rings - 1), 6 * around * (rings - 1));
    for (uint32_t i = 0; i <= rings; ++i) {
        uint32_t n = i == 0 || i == rings ? 1 : around;
        for (uint32_t j = 0; j < n; ++j) {
            double a = KIN_PI * i / rings, b = 2 * KIN_PI * j / around;
            kin_vec3 d = kin_v(sin(a) * cos(b), cos(a), sin(a) * sin(b));
            soup_vertex(&s, kin_scale(d, 1 + bump * (sin(4 * d.x + 1) * sin(5 * d.y) + sin(6 * d.z + 0.3) * 0.5)));
        }
    }
    uint32_t last = around * (rings - 1) + 1;
    for (uint32_t j = 0; j < around; ++j) {
        uint32_t k = (j + 1) % around;
        soup_face(&s, 3, (uint32_t[]){0, 1 + k, 1 + j});
        soup_face(&s, 3, (uint32_t[]){last, last - around + j, last - around + k});
        for (uint32_t i = 0; i + 2 < rings; ++i) {
            uint32_t a = 1 + i * around + j, b = 1 + i * around + k;
            soup_face(&s, 3, (uint32_t[]){a, b, a + around});
            soup_face(&s, 3, (uint32_t[]){b, b + around, a + around});
        }
    }
    return s;
}

static inline int compare_keys(const void* a, const void* b) { return memcmp(a, b, 8) == 0 ? 0 : *(const int64_t*)a < *(const int64_t*)b ? -1 : 1; }

/* Directed edges without an opposite one: 0 when closed. */
static inline size_t open_edges(const kin_poly* p)
{
    size_t n = 0, open = 0;
    int64_t* keys = malloc((p->corner_count + 1) * sizeof *keys);
    for (size_t f = 0; f < p->face_count; ++f) {
        const uint32_t* c = kin_poly_corners(p, f);
        for (uint32_t k = 0; k < p->sizes[f]; ++k) {
            int64_t a = c[k], b = c[(k + 1) % p->sizes[f]];
            keys[n++] = a < b ? (a << 32 | b) * 2 : (b << 32 | a) * 2 + 1;
        }
    }
    qsort(keys, n, sizeof *keys, compare_keys);
    for (size_t i = 0; i < n;) {
        int64_t edge = keys[i] / 2, net = 0;
        for (; i < n && keys[i] / 2 == edge; ++i) net += keys[i] % 2 ? 1 : -1;
        open += (size_t)llabs(net);
    }
    free(keys);
    return open;
}
