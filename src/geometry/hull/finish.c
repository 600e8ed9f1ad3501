/* finish.c - from a closed convex surface of triangles to a kin_hull: faces of one plane made one, corners kept, half-edges joined, volume measured.
 *
 * A face grows from the largest triangle left over all that hang together with it and whose corners are within the tolerance of its plane. On a convex
 * surface what lies that near a supporting plane has no holes, so faces are discs. Rounding can still break that rule between faces that are only just
 * not of one plane: then the merge is tried again with more tolerance, and at last with none at all (exactly coplanar triangles only), which cannot fail. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"
#include "geometry/hull/internal.h"
#include <string.h>

#define NONE KIN_HULL_NONE
#define CHECK_FACTOR 4 /* a finished hull may be off by so many tolerances */

typedef struct merge {
    const kin_hull_surface* s;
    double tolerance;                   /* on the grid; 0: exactly coplanar */
    kin_plane3* planes;                 /* per triangle, unit normal; zero if it has no area */
    double* heights;                    /* over the longest edge */
    uint32_t* order;                    /* triangles, largest first */
    uint32_t *face, *queue;             /* per triangle: its face; scratch */
    uint32_t* seed;                     /* per face: the triangle it grew from */
    uint32_t* rank;                     /* per point: faces that meet there; then its number among the corners */
    uint32_t *corners, *begin, *source; /* loops of the faces: corners by number; where each starts; which point a corner is */
    uint32_t face_count, corner_count, loop_count;
    uint64_t *keys, *scratch_keys; /* to join half-edges, and to sort areas */
    uint32_t *halves, *scratch;
} merge;

static kin_vec3 point_of(const merge* m, uint32_t t, int k) { return m->s->points[m->s->triangles[t][k]]; }

/* ---- triangles ---- */

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits; /* in the order of x, for x >= 0 */
}

static void measure_triangles(merge* m)
{
    uint32_t count = m->s->triangle_count;
    for (uint32_t t = 0; t < count; ++t) {
        kin_vec3 a = point_of(m, t, 0), b = point_of(m, t, 1), c = point_of(m, t, 2), n = kin_sharp_normal(a, b, c);
        double longest = kin_max(kin_distance(a, b), kin_max(kin_distance(b, c), kin_distance(c, a)));
        m->planes[t] = kin_plane3_through(a, kin_normalize_or(n, kin_v(0, 0, 0)));
        m->heights[t] = longest > 0 ? kin_length(n) / longest : 0;
        m->keys[t] = ~bits_of(kin_length(n));
        m->order[t] = t;
    }
    kin_sort_keys(m->keys, m->order, m->scratch_keys, m->scratch, count);
}

/* Whether triangle t lies in the plane of the seed, looking the same way. */
static bool in_plane(const merge* m, uint32_t seed, uint32_t t)
{
    if (m->tolerance > 0 && m->heights[t] <= m->tolerance) { /* a needle looks anywhere */
    } else if (!(kin_dot(m->planes[seed].normal, m->planes[t].normal) > 0)) {
        return false;
    }
    for (int k = 0; k < 3; ++k) {
        kin_vec3 x = point_of(m, t, k);
        bool in = m->tolerance > 0 ? kin_abs(kin_dot(m->planes[seed].normal, x) - m->planes[seed].offset) <= m->tolerance
                                   : kin_side_of_plane(point_of(m, seed, 0), point_of(m, seed, 1), point_of(m, seed, 2), x) == 0;
        if (!in) return false;
    }
    return true;
}

static void grow_face(merge* m, uint32_t seed, uint32_t face)
{
    uint32_t count = 0;
    m->queue[count++] = seed;
    m->face[seed] = face;
    for (uint32_t i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            uint32_t t = m->s->across[m->queue[i]][k];
            if (m->face[t] != NONE || !in_plane(m, seed, t)) continue;
            m->face[t] = face;
            m->queue[count++] = t;
        }
    }
}

/* Numbers faces in the order of their first triangles, so that given faces keep their order. */
static void grow_faces(merge* m)
{
    uint32_t count = m->s->triangle_count, found = 0;
    for (uint32_t t = 0; t < count; ++t) m->face[t] = NONE;
    for (uint32_t i = 0; i < count; ++i) {
        if (m->face[m->order[i]] != NONE) continue;
        m->scratch[found] = m->order[i];
        grow_face(m, m->order[i], found++);
    }
    uint32_t* number = m->queue;
    for (uint32_t f = 0; f < found; ++f) number[f] = NONE;
    m->face_count = 0;
    for (uint32_t t = 0; t < count; ++t) {
        uint32_t f = m->face[t];
        if (number[f] == NONE) {
            m->seed[m->face_count] = m->scratch[f];
            number[f] = m->face_count++;
        }
        m->face[t] = number[f];
    }
}

/* ---- loops ---- */

static bool on_border(const merge* m, uint32_t half) { return m->face[half / 3] != m->face[m->s->across[half / 3][half % 3]]; }
static uint32_t origin_of(const merge* m, uint32_t half) { return m->s->triangles[half / 3][half % 3]; }

/* A corner is where three faces or more meet. Numbers corners in the order of their points; returns half-edges on borders. */
static uint32_t find_corners(merge* m)
{
    uint32_t borders = 0;
    memset(m->rank, 0, m->s->point_count * sizeof *m->rank);
    for (uint32_t half = 0; half < 3 * m->s->triangle_count; ++half) {
        if (!on_border(m, half)) continue;
        m->rank[origin_of(m, half)] += 1;
        borders += 1;
    }
    m->corner_count = 0;
    for (uint32_t p = 0; p < m->s->point_count; ++p) {
        bool corner = m->rank[p] >= 3;
        if (corner) m->source[m->corner_count] = p;
        m->rank[p] = corner ? m->corner_count++ : NONE;
    }
    return borders;
}

/* The border edge that follows: round the end of this one, through triangles of the same face. */
static uint32_t next_border(const merge* m, uint32_t half)
{
    uint32_t limit = m->s->triangle_count;
    half = half / 3 * 3 + (half % 3 + 1) % 3;
    while (!on_border(m, half) && limit-- > 0) {
        uint32_t from = origin_of(m, half), t = m->s->across[half / 3][half % 3];
        const uint32_t* v = m->s->triangles[t];
        half = t * 3 + (v[0] == from ? 0 : v[1] == from ? 1 : 2);
    }
    return half;
}

/* Writes the corners of a face; returns the border edges passed. */
static uint32_t walk(merge* m, uint32_t start, uint32_t borders)
{
    uint32_t half = start, passed = 0;
    do {
        uint32_t corner = m->rank[origin_of(m, half)];
        if (corner != NONE) m->corners[m->loop_count++] = corner;
        half = next_border(m, half);
    } while (half != start && ++passed < borders);
    return passed + 1;
}

/* The first border edge of each face. */
static void find_starts(const merge* m, uint32_t* start)
{
    for (uint32_t f = 0; f < m->face_count; ++f) start[f] = NONE;
    for (uint32_t half = 0; half < 3 * m->s->triangle_count; ++half) {
        uint32_t f = m->face[half / 3];
        if (start[f] == NONE && on_border(m, half)) start[f] = half;
    }
}

/* False: faces are not discs with three corners at least, or do not close (Euler). */
static bool find_loops(merge* m)
{
    uint32_t borders = find_corners(m), passed = 0;
    find_starts(m, m->queue);
    m->loop_count = 0;
    for (uint32_t f = 0; f < m->face_count; ++f) {
        m->begin[f] = m->loop_count;
        if (m->queue[f] == NONE) return false;
        passed += walk(m, m->queue[f], borders);
        if (passed > borders || m->loop_count < m->begin[f] + 3) return false;
    }
    m->begin[m->face_count] = m->loop_count;
    return passed == borders && m->corner_count + m->face_count == m->loop_count / 2 + 2;
}

/* ---- the hull ---- */

/* Sorted by their ends, the two halves of each edge are side by side. Half-edge number of loop place i: halves[i]. False: not two of opposite sense. */
static bool pair_halves(merge* m)
{
    for (uint32_t f = 0; f < m->face_count; ++f) {
        for (uint32_t i = m->begin[f]; i < m->begin[f + 1]; ++i) {
            uint64_t a = m->corners[i], b = m->corners[i + 1 < m->begin[f + 1] ? i + 1 : m->begin[f]];
            m->keys[i] = a < b ? a << 32 | b : b << 32 | a;
            m->order[i] = i;
        }
    }
    kin_sort_keys(m->keys, m->order, m->scratch_keys, m->scratch, m->loop_count);
    for (uint32_t i = 0; i < m->loop_count; i += 2) {
        bool again = i + 2 < m->loop_count && m->keys[i] == m->keys[i + 2];
        if (m->keys[i] != m->keys[i + 1] || again || m->corners[m->order[i]] == m->corners[m->order[i + 1]]) return false;
        m->halves[m->order[i]] = i;
        m->halves[m->order[i + 1]] = i + 1;
    }
    return true;
}

static kin_hull* allocate(const kin_allocator* a, const merge* m)
{
    kin_hull* h = kin_alloc_zero(a, sizeof *h);
    if (h == NULL) return NULL;
    h->allocator = *a;
    h->vertex_count = m->corner_count;
    h->edge_count = m->loop_count;
    h->face_count = m->face_count;
    h->vertices = kin_alloc(a, kin_bytes(h->vertex_count, sizeof *h->vertices));
    h->sources = kin_alloc(a, kin_bytes(h->vertex_count, sizeof *h->sources));
    h->vertex_edge = kin_alloc(a, kin_bytes(h->vertex_count, sizeof *h->vertex_edge));
    h->edges = kin_alloc(a, kin_bytes(h->edge_count, sizeof *h->edges));
    h->planes = kin_alloc(a, kin_bytes(h->face_count, sizeof *h->planes));
    h->face_edge = kin_alloc(a, kin_bytes(h->face_count, sizeof *h->face_edge));
    bool ok = h->vertices != NULL && h->sources != NULL && h->vertex_edge != NULL && h->edges != NULL && h->planes != NULL && h->face_edge != NULL;
    if (!ok) {
        kin_hull_destroy(h);
        return NULL;
    }
    return h;
}

static void fill(const merge* m, kin_hull* h)
{
    h->bounds = kin_aabb_empty();
    for (uint32_t v = 0; v < h->vertex_count; ++v) {
        h->sources[v] = m->source[v];
        h->vertices[v] = m->s->given[m->source[v]];
        h->bounds = kin_aabb_add(h->bounds, h->vertices[v]);
        h->reach = kin_max(h->reach, kin_length(h->vertices[v]));
    }
    for (uint32_t f = 0; f < h->face_count; ++f) {
        h->face_edge[f] = m->halves[m->begin[f]];
        for (uint32_t i = m->begin[f]; i < m->begin[f + 1]; ++i) {
            uint32_t next = i + 1 < m->begin[f + 1] ? i + 1 : m->begin[f];
            h->edges[m->halves[i]] = (kin_hull_edge){m->corners[i], m->halves[next], f};
            h->vertex_edge[m->corners[i]] = m->halves[i];
        }
    }
}

/* The plane of the triangle a face grew from, which no point is in front of, moved out to its outermost corner. An average over the face would be no
 * better where the face is wide, and worse where it is narrow: tilted by the tolerance over its width, it would cut off far corners. */
static kin_plane3 plane_of(const merge* m, const kin_hull* h, uint32_t f)
{
    kin_plane3 p = {m->planes[m->seed[f]].normal, -__builtin_inf()};
    uint32_t first = h->face_edge[f], e = first;
    do {
        p.offset = kin_max(p.offset, kin_dot(p.normal, h->vertices[h->edges[e].origin]));
        e = h->edges[e].next;
    } while (e != first);
    return p;
}

static kin_vec3 snapped(const merge* m, const kin_hull* h, uint32_t e) { return m->s->points[m->source[h->edges[e].origin]]; }

/* Whether each face is flat and convex, and bends away from its neighbours, within the slack (on the grid): then the whole is convex. */
static bool is_convex(const merge* m, const kin_hull* h, double slack)
{
    for (uint32_t e = 0; e < h->edge_count; ++e) {
        kin_vec3 n = h->planes[h->edges[e].face].normal;
        uint32_t after = h->edges[e].next, across = h->edges[h->edges[e ^ 1].next].next;
        kin_vec3 a = snapped(m, h, e), along = kin_sub(snapped(m, h, after), a), to_next = kin_sub(snapped(m, h, h->edges[after].next), a);
        kin_vec3 inward = kin_normalize_or(kin_cross(n, along), kin_v(0, 0, 0)), on = point_of(m, m->seed[h->edges[e].face], 0);
        bool flat = kin_abs(kin_dot(n, kin_sub(a, on))) <= slack, turns = kin_dot(inward, to_next) >= -slack;
        bool below = kin_dot(n, kin_sub(snapped(m, h, across), on)) <= slack;
        if (!flat || !turns || !below) return false;
    }
    return true;
}

/* Signed tetrahedra from the middle. */
static void measure(kin_hull* h)
{
    kin_vec3 middle = kin_aabb_center(h->bounds), sum = {0, 0, 0};
    for (uint32_t f = 0; f < h->face_count; ++f) {
        uint32_t first = h->face_edge[f];
        kin_vec3 a = kin_sub(h->vertices[h->edges[first].origin], middle);
        for (uint32_t e = h->edges[first].next; h->edges[e].next != first; e = h->edges[e].next) {
            kin_vec3 b = kin_sub(h->vertices[h->edges[e].origin], middle), c = kin_sub(h->vertices[kin_hull_end(h, e)], middle);
            const kin_vec3 twice = kin_sharp_normal(a, b, c);
            double volume = kin_dot(a, twice) / 6; /* of a needle, too */
            h->volume += volume;
            h->area += 0.5 * kin_length(twice);
            sum = kin_add_scaled(sum, 0.25 * volume, kin_add(a, kin_add(b, c)));
        }
    }
    h->center = h->volume > 0 ? kin_add_scaled(middle, 1 / h->volume, sum) : middle;
    h->inner = __builtin_inf();
    for (uint32_t f = 0; f < h->face_count; ++f) h->inner = kin_min(h->inner, h->planes[f].offset - kin_dot(h->planes[f].normal, h->center));
    h->inner = kin_max(h->inner, 0);
}

typedef enum outcome { MADE, BROKEN, NO_MEMORY } outcome;

static outcome try_merge(merge* m, double tolerance, const kin_allocator* a, kin_hull** out)
{
    m->tolerance = tolerance;
    measure_triangles(m);
    grow_faces(m);
    if (!find_loops(m) || !pair_halves(m)) return BROKEN;
    kin_hull* h = allocate(a, m);
    if (h == NULL) return NO_MEMORY;
    fill(m, h);
    double slack = CHECK_FACTOR * kin_max(tolerance, m->s->snap.noise * m->s->snap.scale);
    h->slack = slack / m->s->snap.scale;
    for (uint32_t f = 0; f < h->face_count; ++f) h->planes[f] = plane_of(m, h, f);
    measure(h);
    if (h->volume > 0 && is_convex(m, h, slack)) return *out = h, MADE;
    kin_hull_destroy(h);
    return BROKEN;
}

static size_t scratch_bytes(const kin_hull_surface* s)
{
    size_t halves = 3 * (size_t)s->triangle_count, points = s->point_count;
    size_t reals = 5 * (size_t)s->triangle_count, words = 2 * halves; /* planes, heights; keys */
    return 8 * (reals + words) + 4 * (4 * halves + 4 * (size_t)s->triangle_count + 1 + 2 * points);
}

/* Everything in one block. */
static void lay_out(merge* m, void* block)
{
    size_t triangles = m->s->triangle_count, halves = 3 * triangles, points = m->s->point_count;
    m->planes = block;
    m->heights = (double*)(m->planes + triangles);
    m->keys = (uint64_t*)(m->heights + triangles);
    m->scratch_keys = m->keys + halves;
    m->order = (uint32_t*)(m->scratch_keys + halves);
    m->scratch = m->order + halves;
    m->halves = m->scratch + halves;
    m->corners = m->halves + halves;
    m->face = m->corners + halves;
    m->queue = m->face + triangles;
    m->begin = m->queue + triangles;
    m->seed = m->begin + triangles + 1;
    m->rank = m->seed + triangles;
    m->source = m->rank + points;
}

kin_result kin_hull_finish(const kin_allocator* allocator, const kin_hull_surface* surface, kin_hull** out, kin_error* error)
{
    size_t bytes = scratch_bytes(surface);
    void* block = kin_alloc(allocator, bytes);
    if (block == NULL) return kin_fail_memory(error, "a hull", bytes);
    merge m = {.s = surface};
    lay_out(&m, block);
    double noise = surface->snap.noise * surface->snap.scale;
    const double tolerances[] = {noise, 4 * noise, 16 * noise, 0};
    outcome made = BROKEN;
    for (int i = 0; i < 4 && made == BROKEN; ++i) made = try_merge(&m, tolerances[i], allocator, out);
    kin_free(allocator, block, bytes);
    if (made == NO_MEMORY) return kin_fail_memory(error, "a hull", bytes);
    return made == MADE ? KIN_OK : kin_fail(error, KIN_ERROR_ARGUMENT, "", "the faces do not bound a convex body");
}
