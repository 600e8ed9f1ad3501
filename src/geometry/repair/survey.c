/* survey.c - near vertices, twin faces, windings, holes. */
#include "geometry/repair/survey.h"
#include "base/alloc.h"
#include "base/sort.h"
#include "geometry/weld.h"
#include <string.h>

#define NONE UINT32_MAX

/* ---- near vertices ---- */

typedef struct grid { /* of cells as wide as the tolerance; chains of points that stand for themselves */
    const kin_vec3* points;
    double inverse, tolerance2;
    uint32_t *head, *next;
    size_t slots;
} grid;

static uint64_t mix(uint64_t h, double cell)
{
    uint64_t bits;
    cell += 0.0; /* -0 and 0 are one cell */
    memcpy(&bits, &cell, sizeof bits);
    h = (h ^ bits) * 0x9E3779B97F4A7C15u;
    return h ^ (h >> 31);
}

static size_t slot_of(const grid* g, double x, double y, double z) { return mix(mix(mix(1, x), y), z) & (g->slots - 1); }

static uint32_t nearest_earlier(const grid* g, uint32_t i, kin_vec3 cell)
{
    uint32_t best = i;
    for (int k = 0; k < 27; ++k) {
        size_t slot = slot_of(g, cell.x + k % 3 - 1, cell.y + k / 3 % 3 - 1, cell.z + k / 9 - 1);
        for (uint32_t j = g->head[slot]; j != NONE; j = g->next[j]) {
            if (j < best && kin_length2(kin_sub(g->points[j], g->points[i])) <= g->tolerance2) best = j;
        }
    }
    return best;
}

static void fill_grid(grid* g, uint32_t count, uint32_t* first)
{
    memset(g->head, 0xFF, g->slots * sizeof *g->head);
    for (uint32_t i = 0; i < count; ++i) {
        kin_vec3 p = kin_scale(g->points[i], g->inverse), cell = {kin_floor(p.x), kin_floor(p.y), kin_floor(p.z)};
        first[i] = nearest_earlier(g, i, cell);
        if (first[i] != i) continue;
        size_t slot = slot_of(g, cell.x, cell.y, cell.z);
        g->next[i] = g->head[slot];
        g->head[slot] = i;
    }
}

bool kin_find_near(const kin_allocator* allocator, const kin_vec3* points, uint32_t count, double tolerance, uint32_t* first)
{
    if (!(tolerance > 1e-150)) return kin_weld(allocator, points, count, first); /* its square is nothing: only equal places are near */
    grid g = {.points = points, .inverse = 1 / tolerance, .tolerance2 = tolerance * tolerance, .slots = 16};
    while (g.slots < 2 * (size_t)count) g.slots *= 2;
    g.head = kin_alloc(allocator, kin_bytes(g.slots, sizeof *g.head));
    g.next = kin_alloc(allocator, kin_bytes(count, sizeof *g.next));
    bool ok = g.head != NULL && (count == 0 || g.next != NULL);
    if (ok) fill_grid(&g, count, first);
    kin_free(allocator, g.head, kin_bytes(g.slots, sizeof *g.head));
    kin_free(allocator, g.next, kin_bytes(count, sizeof *g.next));
    return ok;
}

/* ---- faces ---- */

static uint64_t corner_hash(const kin_poly* p, uint32_t f) /* the same in any order */
{
    uint64_t sum = p->sizes[f];
    for (uint32_t k = 0; k < p->sizes[f]; ++k) sum += mix(7, (double)kin_poly_corners(p, f)[k]);
    return sum;
}

static bool holds_corner(const kin_poly* p, uint32_t f, uint32_t vertex)
{
    for (uint32_t k = 0; k < p->sizes[f]; ++k) {
        if (kin_poly_corners(p, f)[k] == vertex) return true;
    }
    return false;
}

static bool same_corners(const kin_poly* p, uint32_t f, uint32_t g)
{
    if (p->sizes[f] != p->sizes[g]) return false;
    for (uint32_t k = 0; k < p->sizes[f]; ++k) {
        if (!holds_corner(p, g, kin_poly_corners(p, f)[k])) return false;
    }
    return true;
}

static void match_runs(const kin_poly* p, const uint64_t* keys, const uint32_t* faces, uint32_t* first)
{
    for (size_t i = 0, end; i < p->face_count; i = end) {
        for (end = i; end < p->face_count && keys[end] == keys[i]; ++end) {
            first[faces[end]] = faces[end];
            for (size_t k = i; k < end && first[faces[end]] == faces[end]; ++k) {
                if (same_corners(p, faces[end], faces[k])) first[faces[end]] = first[faces[k]];
            }
        }
    }
}

bool kin_find_twins(const kin_poly* poly, uint32_t* first)
{
    const kin_allocator* a = &poly->allocator;
    size_t n = poly->face_count, key_bytes = kin_bytes(n, sizeof(uint64_t)), face_bytes = kin_bytes(n, sizeof(uint32_t));
    uint64_t *keys = kin_alloc(a, key_bytes), *scratch_keys = kin_alloc(a, key_bytes);
    uint32_t *faces = kin_alloc(a, face_bytes), *scratch = kin_alloc(a, face_bytes);
    bool ok = n == 0 || (keys != NULL && scratch_keys != NULL && faces != NULL && scratch != NULL);
    if (ok) {
        for (uint32_t f = 0; f < n; ++f) keys[f] = corner_hash(poly, f), faces[f] = f;
        kin_sort_keys(keys, faces, scratch_keys, scratch, n);
        match_runs(poly, keys, faces, first);
    }
    kin_free(a, keys, key_bytes);
    kin_free(a, scratch_keys, key_bytes);
    kin_free(a, faces, face_bytes);
    kin_free(a, scratch, face_bytes);
    return ok;
}

bool kin_face_degenerate(const kin_poly* poly, size_t face)
{
    const uint32_t* c = kin_poly_corners(poly, face);
    uint32_t n = poly->sizes[face];
    double longest2 = 0;
    if (n < 3) return true;
    for (uint32_t i = 0; i < n; ++i) {
        for (uint32_t j = 0; j < i; ++j) {
            if (c[i] == c[j]) return true;
            longest2 = kin_max(longest2, kin_length2(kin_sub(poly->vertices[c[i]], poly->vertices[c[j]])));
        }
    }
    return !(kin_length(kin_poly_normal(poly, face)) > KIN_NO_AREA * longest2);
}

/* ---- windings ---- */

typedef struct flood {
    const kin_connect* c;
    uint32_t *patch, *queue;
    bool *flip, *sided;
} flood;

/* The neighbour over a clean edge gets the winding that suits; one that was reached before must agree. */
static uint32_t step_over(flood* w, uint32_t seed, uint32_t f, uint32_t half, uint32_t end)
{
    const kin_edge* e = &w->c->edges[w->c->edge[half]];
    if (e->uses != 2) return end;
    uint32_t other = w->c->halves[e->first] == half ? w->c->halves[e->first + 1] : w->c->halves[e->first], g = w->c->face[other];
    bool flip = w->flip[f] != e->crossed;
    if (w->patch[g] == NONE) {
        w->patch[g] = seed;
        w->flip[g] = flip;
        w->queue[end++] = g;
    } else if (w->flip[g] != flip) {
        w->sided[seed] = false;
    }
    return end;
}

static void flood_patch(flood* w, uint32_t seed)
{
    uint32_t end = 1, flipped = 0;
    w->queue[0] = w->patch[seed] = seed;
    w->flip[seed] = false;
    w->sided[seed] = true;
    for (uint32_t at = 0; at < end; ++at) {
        uint32_t f = w->queue[at];
        flipped += w->flip[f];
        for (uint32_t k = 0; k < w->c->poly->sizes[f]; ++k) end = step_over(w, seed, f, w->c->poly->begin[f] + k, end);
    }
    if (2 * (uint64_t)flipped <= end) return;
    for (uint32_t i = 0; i < end; ++i) w->flip[w->queue[i]] = !w->flip[w->queue[i]];
}

bool kin_find_winding(const kin_connect* connect, uint32_t* patch, bool* flip, bool* sided)
{
    size_t n = connect->poly->face_count, bytes = kin_bytes(n, sizeof(uint32_t));
    if (n == 0) return true;
    flood w = {connect, patch, kin_alloc(&connect->allocator, bytes), flip, sided};
    if (w.queue == NULL) return false;
    memset(patch, 0xFF, n * sizeof *patch);
    for (uint32_t f = 0; f < n; ++f) {
        if (patch[f] == NONE) flood_patch(&w, f);
    }
    kin_free(&connect->allocator, w.queue, bytes);
    return true;
}

/* ---- holes ---- */

typedef struct border_walk {
    const kin_connect* c;
    bool* used;   /* of each edge */
    uint32_t* at; /* of each vertex: its place in the path, or NONE */
    uint32_t* path;
    uint32_t length;
} border_walk;

static bool free_border(const border_walk* w, uint32_t half) { return w->c->edges[w->c->edge[half]].uses == 1 && !w->used[w->c->edge[half]]; }

/* A border edge that goes on from v: one whose face runs into v if there is one (one winding), else any. */
static uint32_t next_border(const border_walk* w, uint32_t v, uint32_t* to)
{
    for (uint32_t i = w->c->star_begin[v]; i < w->c->star_begin[v + 1]; ++i) {
        uint32_t h = kin_half_prev(w->c, w->c->star[i]);
        if (free_border(w, h)) return *to = kin_half_from(w->c, h), h;
    }
    for (uint32_t i = w->c->star_begin[v]; i < w->c->star_begin[v + 1]; ++i) {
        uint32_t h = w->c->star[i];
        if (free_border(w, h)) return *to = kin_half_to(w->c, h), h;
    }
    return KIN_NO_HALF;
}

/* The path from place `from` on is a loop. */
static void keep_loop(border_walk* w, kin_holes* holes, uint32_t from, bool closed)
{
    uint32_t at = holes->begin[holes->count];
    for (uint32_t i = from; i < w->length; ++i) {
        holes->ids[at++] = w->path[i];
        w->at[w->path[i]] = NONE;
    }
    w->length = from;
    holes->closed[holes->count] = closed;
    holes->begin[++holes->count] = at;
}

/* Walks borders until there is no way on; whenever the path comes back to itself, that loop is cut off. */
static void walk_border(border_walk* w, kin_holes* holes, uint32_t half)
{
    uint32_t v = kin_half_to(w->c, half), to;
    w->length = 0;
    for (;;) {
        if (w->at[v] != NONE) keep_loop(w, holes, w->at[v], true);
        w->at[v] = w->length;
        w->path[w->length++] = v;
        uint32_t h = next_border(w, v, &to);
        if (h == KIN_NO_HALF) break;
        w->used[w->c->edge[h]] = true;
        v = to;
    }
    if (w->length > 1)
        keep_loop(w, holes, 0, false);
    else
        w->at[w->path[0]] = NONE;
}

bool kin_find_holes(const kin_connect* c, kin_holes* holes)
{
    const kin_allocator* a = &c->allocator;
    size_t borders = 0, vertex_bytes = kin_bytes(c->vertex_count, sizeof(uint32_t));
    for (uint32_t e = 0; e < c->edge_count; ++e) borders += c->edges[e].uses == 1;
    *holes = (kin_holes){.room = 2 * borders, .allocator = *a}; /* an open chain has one point more than edges */
    holes->begin = kin_alloc_zero(a, kin_bytes(holes->room + 1, sizeof *holes->begin));
    if (holes->begin == NULL) return false;
    if (borders == 0) return true;
    size_t path_bytes = kin_bytes(borders + 1, sizeof(uint32_t));
    holes->ids = kin_alloc(a, kin_bytes(holes->room, sizeof *holes->ids));
    holes->closed = kin_alloc(a, kin_bytes(holes->room, sizeof *holes->closed));
    border_walk w = {.c = c, .used = kin_alloc_zero(a, c->edge_count), .at = kin_alloc(a, vertex_bytes), .path = kin_alloc(a, path_bytes)};
    bool ok = holes->ids != NULL && holes->closed != NULL && w.used != NULL && w.at != NULL && w.path != NULL;
    if (ok) {
        memset(w.at, 0xFF, vertex_bytes);
        for (uint32_t e = 0; e < c->edge_count; ++e) {
            if (c->edges[e].uses == 1 && !w.used[e]) walk_border(&w, holes, c->edges[e].half);
        }
    }
    kin_free(a, w.used, c->edge_count);
    kin_free(a, w.at, vertex_bytes);
    kin_free(a, w.path, path_bytes);
    if (!ok) kin_holes_term(holes);
    return ok;
}

void kin_holes_term(kin_holes* holes)
{
    kin_allocator a = holes->allocator;
    kin_free(&a, holes->ids, kin_bytes(holes->room, sizeof *holes->ids));
    kin_free(&a, holes->closed, kin_bytes(holes->room, sizeof *holes->closed));
    kin_free(&a, holes->begin, kin_bytes(holes->room + 1, sizeof *holes->begin));
    *holes = (kin_holes){.allocator = a};
}
