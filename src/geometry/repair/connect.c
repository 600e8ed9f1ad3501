/* connect.c - edges by sorting half-edges, stars by counting. */
#include "geometry/repair/connect.h"
#include "base/alloc.h"
#include "base/sort.h"
#include <string.h>

static void number_faces(kin_connect* c, uint64_t* keys)
{
    for (uint32_t f = 0; f < c->poly->face_count; ++f) {
        for (uint32_t k = 0; k < c->poly->sizes[f]; ++k) c->face[c->poly->begin[f] + k] = f;
    }
    for (uint32_t h = 0; h < c->half_count; ++h) {
        uint64_t a = kin_half_from(c, h), b = kin_half_to(c, h);
        keys[h] = a < b ? a << 32 | b : b << 32 | a;
        c->halves[h] = h;
        c->twin[h] = KIN_NO_HALF;
    }
}

/* The sort is stable, so an edge's half-edges, and with them its faces, rise. */
static void make_edge(kin_connect* c, uint32_t first, uint32_t uses)
{
    uint32_t h = c->halves[first], t = uses > 1 ? c->halves[first + 1] : KIN_NO_HALF;
    kin_edge* e = &c->edges[c->edge_count];
    *e = (kin_edge){kin_half_from(c, h), kin_half_to(c, h), c->face[h], uses > 1 ? c->face[t] : KIN_NO_NEIGHBOR, h, first, uses, false};
    for (uint32_t i = 0; i < uses; ++i) c->edge[c->halves[first + i]] = c->edge_count;
    c->edge_count += 1;
    if (uses != 2) return;
    e->crossed = kin_half_from(c, t) == e->from;
    if (e->crossed) return;
    c->twin[h] = t;
    c->twin[t] = h;
}

static void find_edges(kin_connect* c, const uint64_t* keys)
{
    for (uint32_t i = 0, end; i < c->half_count; i = end) {
        for (end = i + 1; end < c->half_count && keys[end] == keys[i];) end += 1;
        make_edge(c, i, end - i);
    }
}

static void find_stars(kin_connect* c)
{
    memset(c->star_begin, 0, (c->vertex_count + 1) * sizeof *c->star_begin);
    for (size_t h = 0; h < c->half_count; ++h) c->star_begin[c->poly->corners[h] + 1] += 1;
    for (size_t v = 0; v < c->vertex_count; ++v) c->star_begin[v + 1] += c->star_begin[v];
    for (uint32_t h = 0; h < c->half_count; ++h) c->star[c->star_begin[c->poly->corners[h]]++] = h;
    memmove(c->star_begin + 1, c->star_begin, c->vertex_count * sizeof *c->star_begin);
    c->star_begin[0] = 0;
}

bool kin_connect_init(kin_connect* c, const kin_poly* poly, const kin_allocator* a)
{
    size_t n = poly->corner_count, key_bytes = kin_bytes(n, sizeof(uint64_t)), half_bytes = kin_bytes(n, sizeof(uint32_t));
    *c = (kin_connect){.poly = poly, .half_count = n, .vertex_count = poly->vertex_count, .allocator = *a};
    uint64_t *keys = kin_alloc(a, key_bytes), *scratch_keys = kin_alloc(a, key_bytes);
    uint32_t* scratch = kin_alloc(a, half_bytes);
    c->face = kin_alloc(a, half_bytes);
    c->twin = kin_alloc(a, half_bytes);
    c->edge = kin_alloc(a, half_bytes);
    c->halves = kin_alloc(a, half_bytes);
    c->star = kin_alloc(a, half_bytes);
    c->edges = kin_alloc(a, kin_bytes(n, sizeof *c->edges));
    c->star_begin = kin_alloc(a, kin_bytes(c->vertex_count + 1, sizeof *c->star_begin));
    bool all = keys != NULL && scratch_keys != NULL && scratch != NULL && c->face != NULL && c->twin != NULL && c->edge != NULL && c->halves != NULL
               && c->star != NULL && c->edges != NULL;
    bool ok = c->star_begin != NULL && (n == 0 || all);
    if (ok) {
        number_faces(c, keys);
        kin_sort_keys(keys, c->halves, scratch_keys, scratch, n);
        find_edges(c, keys);
        find_stars(c);
    }
    kin_free(a, keys, key_bytes);
    kin_free(a, scratch_keys, key_bytes);
    kin_free(a, scratch, half_bytes);
    if (!ok) kin_connect_term(c);
    return ok;
}

void kin_connect_term(kin_connect* c)
{
    kin_allocator a = c->allocator;
    size_t half_bytes = kin_bytes(c->half_count, sizeof(uint32_t));
    kin_free(&a, c->face, half_bytes);
    kin_free(&a, c->twin, half_bytes);
    kin_free(&a, c->edge, half_bytes);
    kin_free(&a, c->halves, half_bytes);
    kin_free(&a, c->star, half_bytes);
    kin_free(&a, c->edges, kin_bytes(c->half_count, sizeof *c->edges));
    kin_free(&a, c->star_begin, kin_bytes(c->vertex_count + 1, sizeof *c->star_begin));
    *c = (kin_connect){.allocator = a};
}

/* The face beyond an edge of the vertex joins the group of the one on this side. */
static void join_over(const kin_connect* c, uint32_t vertex, uint32_t edge, uint32_t self, uint32_t* group)
{
    const kin_edge* e = &c->edges[edge];
    uint32_t begin = c->star_begin[vertex], count = c->star_begin[vertex + 1] - begin;
    if (e->uses != 2) return;
    uint32_t other = c->face[c->halves[e->first]] == c->face[c->star[begin + self]] ? c->face[c->halves[e->first + 1]] : c->face[c->halves[e->first]];
    for (uint32_t i = 0; i < count; ++i) {
        if (c->face[c->star[begin + i]] != other || group[i] == group[self]) continue;
        uint32_t keep = group[self], drop = group[i];
        for (uint32_t k = 0; k < count; ++k) group[k] = group[k] == drop ? keep : group[k];
    }
}

/* The usual case, in one turn round the vertex. */
static bool is_one_disc(const kin_connect* c, uint32_t begin, uint32_t count)
{
    uint32_t h = c->star[begin], n = 0;
    do h = kin_half_around(c, h), n += 1;
    while (h != KIN_NO_HALF && h != c->star[begin] && n <= count);
    return h == c->star[begin] && n == count;
}

uint32_t kin_vertex_fans(const kin_connect* c, uint32_t vertex, uint32_t* group)
{
    uint32_t begin = c->star_begin[vertex], count = c->star_begin[vertex + 1] - begin, fans = 0;
    if (count > 0 && is_one_disc(c, begin, count)) return 1;
    for (uint32_t i = 0; i < count; ++i) group[i] = i;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t h = c->star[begin + i];
        join_over(c, vertex, c->edge[h], i, group);
        join_over(c, vertex, c->edge[kin_half_prev(c, h)], i, group);
    }
    for (uint32_t i = 0; i < count; ++i) {
        bool first = true;
        for (uint32_t k = 0; k < i; ++k) first = first && group[k] != group[i];
        fans += first;
    }
    return fans;
}
