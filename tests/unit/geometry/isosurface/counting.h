/* counting.h - what a mesh is made of, and whether it is closed. */
#pragma once
#include "geometry/isosurface/isosurface.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct counts {
    long vertices, edges, triangles, components, borders; /* borders: edges with one triangle */
    bool sound;                                           /* no directed edge twice, no corner twice in a triangle */
} counts;

static inline int by_number(const void* a, const void* b)
{
    uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return (x > y) - (x < y);
}

static inline uint32_t root(uint32_t* parent, uint32_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static inline counts count_up(const uint32_t* corners, size_t triangles, size_t vertices)
{
    counts c = {.triangles = (long)triangles, .sound = true};
    uint64_t* edges = malloc((3 * triangles + 1) * sizeof *edges);
    uint32_t* parent = malloc((vertices + 1) * sizeof *parent);
    bool* used = calloc(vertices + 1, 1);
    for (uint32_t v = 0; v < vertices; ++v) parent[v] = v;
    for (size_t t = 0; t < triangles; ++t) {
        for (int k = 0; k < 3; ++k) {
            uint32_t a = corners[3 * t + (size_t)k], b = corners[3 * t + (size_t)(k + 1) % 3];
            if (a == b || a >= vertices || b >= vertices) c.sound = false;
            edges[3 * t + (size_t)k] = (uint64_t)a << 32 | b;
            used[a] = true;
            parent[root(parent, a)] = root(parent, b);
        }
    }
    qsort(edges, 3 * triangles, sizeof *edges, by_number);
    for (size_t i = 0; i < 3 * triangles; ++i) {
        if (i > 0 && edges[i] == edges[i - 1]) c.sound = false;
        uint64_t back = edges[i] << 32 | edges[i] >> 32;
        bool twin = bsearch(&back, edges, 3 * triangles, sizeof *edges, by_number) != NULL;
        c.borders += !twin;
        if (!twin || edges[i] < back) c.edges += 1;
    }
    for (uint32_t v = 0; v < vertices; ++v) {
        c.vertices += used[v];
        c.components += used[v] && root(parent, v) == v;
    }
    free(edges);
    free(parent);
    free(used);
    return c;
}
static inline long euler(const counts* c) { return c->vertices - c->edges + c->triangles; }

static inline double enclosed(const kin_isosurface* s)
{
    double sum = 0;
    for (size_t t = 0; t < s->triangle_count; ++t) {
        const uint32_t* c = s->corners + 3 * t;
        sum += kin_triple(s->vertices[c[0]], s->vertices[c[1]], s->vertices[c[2]]) / 6;
    }
    return sum;
}
