/* delaunay.c - Delaunay's tetrahedra by insertion (Bowyer 1981, Watson 1981).
 *
 * A new point's conflicts are the tetrahedra whose spheres hold it. They hang together; they are taken out, and the cavity is filled with tetrahedra from
 * its walls to the point. The space outside the hull is filled too, by ghosts: a face of the hull and the vertex GHOST at infinity, whose "sphere" is the half
 * space beyond the face (and, in its plane, the circle round it). All signs are exact, so cavities are star-shaped whatever the points are, and ties, being
 * no conflicts, need no rule. Points come in rounds that double in size, each along a space-filling curve (Amenta, Choi and Rote 2003), so that the walk to
 * each from the one before is short and no order given can be bad. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/rng.h"
#include "base/sort.h"
#include "geometry/hull/internal.h"
#include "geometry/tetra/tetra.h"
#include <string.h>

#define GHOST UINT32_MAX
#define NONE UINT32_MAX
#define MOST_POINTS 100000000u /* some seven tetrahedra each, whose sides must fit 32 bits */

typedef struct tet {
    uint32_t v[4];
    uint32_t across[4]; /* 4 tetrahedron + its corner there, opposite corner k */
    uint32_t mark;      /* the insertion that last looked at it, 2 n; 2 n + 1: in conflict */
} tet;

typedef struct list {
    uint32_t* data;
    size_t count, capacity;
} list;

typedef struct seam { /* an edge of the cavity's wall, and the new tetrahedron's side that waits there: 4 tetrahedron + corner */
    uint32_t a, b, side, stamp;
} seam;

typedef struct delaunay {
    const kin_allocator* allocator;
    const kin_vec3* p;
    tet* tets;
    size_t count, capacity;
    list unused, cavity, wall; /* tetrahedra free to use again; in conflict; 4 tetrahedron + corner of the conflicts' outer faces */
    seam* seams;               /* a hash table: a power of two */
    size_t seam_capacity;
    uint32_t stamp, last; /* of the insertion; a tetrahedron near the last point */
} delaunay;

static bool push(delaunay* d, list* l, uint32_t x)
{
    if (!kin_reserve(d->allocator, (void**)&l->data, &l->capacity, l->count + 1, sizeof *l->data)) return false;
    l->data[l->count++] = x;
    return true;
}

static bool new_tet(delaunay* d, uint32_t* out)
{
    if (d->unused.count > 0) return *out = d->unused.data[--d->unused.count], true;
    if (!kin_reserve(d->allocator, (void**)&d->tets, &d->capacity, d->count + 1, sizeof *d->tets)) return false;
    *out = (uint32_t)d->count++;
    return true;
}

/* ---- signs ---- */

static int ghost_corner(const tet* t) { return t->v[0] == GHOST ? 0 : t->v[1] == GHOST ? 1 : t->v[2] == GHOST ? 2 : t->v[3] == GHOST ? 3 : -1; }

/* On which side of the face opposite corner k; corner k is on the positive one. */
static int side_of_face(const delaunay* d, const tet* t, int k, uint32_t p)
{
    const uint8_t* f = kin_tet_face[k];
    return kin_side_of_plane(d->p[t->v[f[0]]], d->p[t->v[f[1]]], d->p[t->v[f[2]]], d->p[p]);
}

static bool in_sphere(const delaunay* d, const tet* t, uint32_t p)
{
    return kin_side_of_sphere(d->p[t->v[0]], d->p[t->v[1]], d->p[t->v[2]], d->p[t->v[3]], d->p[p]) > 0;
}

static bool conflicts(const delaunay* d, uint32_t index, uint32_t p)
{
    const tet* t = &d->tets[index];
    int ghost = ghost_corner(t);
    if (ghost < 0) return in_sphere(d, t, p);
    int side = side_of_face(d, t, ghost, p);
    if (side != 0) return side > 0;
    return in_sphere(d, &d->tets[t->across[ghost] / 4], p); /* in the face's plane the circle is that of the sphere behind it */
}

/* ---- where a point is ---- */

/* Towards the point, through faces that have it on their far side; that never goes round in circles among Delaunay's tetrahedra. Ends in the tetrahedron
 * that holds it, or in the ghost beyond the face it is outside of. */
static uint32_t walk_to(const delaunay* d, uint32_t p)
{
    uint32_t at = d->last, from = NONE;
    int ghost = ghost_corner(&d->tets[at]);
    if (ghost >= 0) at = d->tets[at].across[ghost] / 4;
    for (size_t steps = 0; steps <= d->count; ++steps) {
        const tet* t = &d->tets[at];
        if (ghost_corner(t) >= 0) return at;
        int k = 0;
        while (k < 4 && (t->across[k] / 4 == from || side_of_face(d, t, k, p) >= 0)) ++k;
        if (k == 4) return at;
        from = at;
        at = t->across[k] / 4;
    }
    return at;
}

static bool is_vertex(const delaunay* d, uint32_t index, uint32_t p)
{
    for (int k = 0; k < 4; ++k) {
        uint32_t v = d->tets[index].v[k];
        if (v != GHOST && d->p[v].x == d->p[p].x && d->p[v].y == d->p[p].y && d->p[v].z == d->p[p].z) return true;
    }
    return false;
}

/* ---- taking a point in ---- */

static bool find_cavity(delaunay* d, uint32_t first, uint32_t p)
{
    d->cavity.count = d->wall.count = 0;
    d->tets[first].mark = 2 * d->stamp + 1;
    if (!push(d, &d->cavity, first)) return false;
    for (size_t i = 0; i < d->cavity.count; ++i) {
        uint32_t t = d->cavity.data[i];
        for (uint32_t k = 0; k < 4; ++k) {
            uint32_t other = d->tets[t].across[k] / 4;
            if (d->tets[other].mark / 2 != d->stamp) {
                bool conflict = conflicts(d, other, p);
                d->tets[other].mark = 2 * d->stamp + conflict;
                if (conflict && !push(d, &d->cavity, other)) return false;
            }
            if (d->tets[other].mark % 2 == 0 && !push(d, &d->wall, 4 * t + k)) return false;
        }
    }
    return true;
}

static bool room_for_seams(delaunay* d)
{
    size_t need = 64;
    while (need < 4 * d->wall.count) need *= 2; /* 3/2 edges a face: less than half full */
    if (need <= d->seam_capacity) return true;
    kin_free(d->allocator, d->seams, d->seam_capacity * sizeof *d->seams);
    d->seam_capacity = 0;
    d->seams = kin_alloc_zero(d->allocator, need * sizeof *d->seams);
    if (d->seams == NULL) return false;
    d->seam_capacity = need;
    return true;
}

/* The second side that comes to an edge meets the first. */
static void sew(delaunay* d, uint32_t a, uint32_t b, uint32_t side)
{
    if (a > b) {
        uint32_t swap = a;
        a = b;
        b = swap;
    }
    size_t at = (a * 0x9e3779b1u ^ b * 0x85ebca77u) & (d->seam_capacity - 1);
    while (d->seams[at].stamp == d->stamp && (d->seams[at].a != a || d->seams[at].b != b)) at = (at + 1) & (d->seam_capacity - 1);
    seam* s = &d->seams[at];
    if (s->stamp != d->stamp) {
        *s = (seam){a, b, side, d->stamp};
        return;
    }
    d->tets[side / 4].across[side % 4] = s->side;
    d->tets[s->side / 4].across[s->side % 4] = side;
}

/* A tetrahedron from each wall to the point: the old one with the point in place of the corner behind the wall. */
static bool fill_cavity(delaunay* d, uint32_t p)
{
    if (!room_for_seams(d)) return false;
    for (size_t i = 0; i < d->wall.count; ++i) {
        uint32_t t = d->wall.data[i] / 4, k = d->wall.data[i] % 4, n;
        if (!new_tet(d, &n)) return false;
        tet fresh = d->tets[t];
        fresh.v[k] = p;
        fresh.mark = 0;
        d->tets[n] = fresh;
        d->tets[fresh.across[k] / 4].across[fresh.across[k] % 4] = 4 * n + k;
        for (uint32_t j = 0; j < 4; ++j) { /* opposite corner j lies the edge of the wall without j */
            if (j == k) continue;
            uint32_t e[2], m = 0;
            for (uint32_t c = 0; c < 4; ++c)
                if (c != j && c != k) e[m++] = fresh.v[c];
            sew(d, e[0], e[1], 4 * n + j);
        }
        if (ghost_corner(&fresh) < 0) d->last = n;
    }
    for (size_t i = 0; i < d->cavity.count; ++i)
        if (!push(d, &d->unused, d->cavity.data[i])) return false;
    return true;
}

static bool insert(delaunay* d, uint32_t p)
{
    uint32_t at = walk_to(d, p);
    if (is_vertex(d, at, p)) return true;
    d->stamp += 1;
    return find_cavity(d, at, p) && fill_cavity(d, p);
}

/* ---- the order ---- */

static uint64_t spread(uint64_t x) /* 16 bits to every third */
{
    x &= 0xffff;
    x = (x | x << 16) & 0x0000ff0000ff;
    x = (x | x << 8) & 0x00f00f00f00f;
    x = (x | x << 4) & 0x0c30c30c30c3;
    return (x | x << 2) & 0x249249249249;
}

/* Half of the points are of the last round, a quarter of the one before; along Morton's curve within a round. */
static uint64_t order_key(kin_vec3 x, uint32_t index)
{
    kin_rng_key key = {.serial = index};
    uint64_t bits = kin_rng_bits(&key, 0) | (uint64_t)1 << 40;
    uint64_t round = 63 - (uint64_t)__builtin_ctzll(bits);
    uint64_t i = (uint64_t)((x.x + 1) * 32767.5), j = (uint64_t)((x.y + 1) * 32767.5), k = (uint64_t)((x.z + 1) * 32767.5);
    return round << 48 | spread(i) | spread(j) << 1 | spread(k) << 2;
}

static bool make_order(const delaunay* d, uint32_t count, uint32_t* order)
{
    size_t bytes = kin_bytes(count, sizeof(uint64_t)), half = kin_bytes(count, sizeof(uint32_t));
    uint64_t *keys = kin_alloc(d->allocator, bytes), *scratch_keys = kin_alloc(d->allocator, bytes);
    uint32_t* scratch = kin_alloc(d->allocator, half);
    bool ok = keys != NULL && scratch_keys != NULL && scratch != NULL;
    for (uint32_t i = 0; ok && i < count; ++i) keys[i] = order_key(d->p[i], i), order[i] = i;
    if (ok) kin_sort_keys(keys, order, scratch_keys, scratch, count);
    kin_free(d->allocator, keys, bytes);
    kin_free(d->allocator, scratch_keys, bytes);
    kin_free(d->allocator, scratch, half);
    return ok;
}

/* ---- all of it ---- */

/* One tetrahedron and a ghost on each of its faces. */
static bool begin(delaunay* d, const uint32_t c[4])
{
    for (uint32_t i = 0, n; i < 5; ++i)
        if (!new_tet(d, &n)) return false;
    tet first = {{c[0], c[2], c[1], c[3]}, {4, 8, 12, 16}, 0}; /* hull corners: the fourth is behind the first three */
    for (uint32_t k = 0; k < 4; ++k) {
        const uint8_t* f = kin_tet_face[k];
        /* seen from outside the face runs the other way; the ghost, last, is on its positive side */
        d->tets[k + 1] = (tet){{first.v[f[0]], first.v[f[2]], first.v[f[1]], GHOST}, {0, 0, 0, k}, 0};
        first.across[k] = 4 * (k + 1) + 3;
    }
    d->tets[0] = first;
    d->stamp = 1;
    if (!room_for_seams(d)) return false;
    for (uint32_t n = 1; n < 5; ++n)
        for (uint32_t j = 0; j < 3; ++j) sew(d, d->tets[n].v[(j + 1) % 3], d->tets[n].v[(j + 2) % 3], 4 * n + j);
    d->last = 0;
    return true;
}

static bool is_live(const delaunay* d, const uint8_t* dead, uint32_t t) { return dead[t] == 0 && ghost_corner(&d->tets[t]) < 0; }

/* Without ghosts and free places. dead: per tetrahedron. */
static kin_result hand_over(const delaunay* d, const kin_vec3* points, uint32_t count, const uint8_t* dead, uint32_t* number, kin_tets* out, kin_error* error)
{
    uint32_t live = 0;
    for (uint32_t t = 0; t < d->count; ++t) number[t] = is_live(d, dead, t) ? live++ : KIN_NO_NEIGHBOR;
    out->vertices = kin_alloc(&out->allocator, kin_bytes(count, sizeof *out->vertices));
    out->corners = kin_alloc(&out->allocator, kin_bytes(live, sizeof *out->corners));
    out->across = kin_alloc(&out->allocator, kin_bytes(live, sizeof *out->across));
    out->vertex_count = count;
    out->tet_count = live;
    if (out->vertices == NULL || out->corners == NULL || out->across == NULL) return kin_fail_memory(error, "tetrahedra", kin_tets_bytes(out));
    memcpy(out->vertices, points, count * sizeof *points);
    for (uint32_t t = 0; t < d->count; ++t) {
        if (number[t] == KIN_NO_NEIGHBOR) continue;
        memcpy(out->corners[number[t]], d->tets[t].v, sizeof d->tets[t].v);
        for (int k = 0; k < 4; ++k) out->across[number[t]][k] = number[d->tets[t].across[k] / 4];
    }
    return KIN_OK;
}

static kin_result finish(const delaunay* d, const kin_vec3* points, uint32_t count, kin_tets* out, kin_error* error)
{
    uint8_t* dead = kin_alloc_zero(d->allocator, d->count);
    uint32_t* number = kin_alloc(d->allocator, kin_bytes(d->count, sizeof *number));
    kin_result result = KIN_OK;
    if (dead == NULL || number == NULL) {
        result = kin_fail_memory(error, "tetrahedra", d->count * 5);
    } else {
        for (size_t i = 0; i < d->unused.count; ++i) dead[d->unused.data[i]] = 1;
        result = hand_over(d, points, count, dead, number, out, error);
    }
    kin_free(d->allocator, dead, d->count);
    kin_free(d->allocator, number, kin_bytes(d->count, sizeof *number));
    return result;
}

static bool insert_all(delaunay* d, uint32_t count, const uint32_t corners[4], uint32_t* order)
{
    if (order == NULL || !make_order(d, count, order) || !begin(d, corners)) return false;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t p = order[i];
        bool given = p == corners[0] || p == corners[1] || p == corners[2] || p == corners[3];
        if (!given && !insert(d, p)) return false;
    }
    return true;
}

static kin_result build(const kin_allocator* allocator, const kin_vec3* points, const kin_vec3* snapped, uint32_t count, double slack, kin_tets* out,
                        kin_error* error)
{
    uint32_t corners[4];
    kin_result result = kin_hull_corners(snapped, count, slack, corners, error);
    if (result != KIN_OK) return result;
    delaunay d = {.allocator = allocator, .p = snapped};
    uint32_t* order = kin_alloc(allocator, kin_bytes(count, sizeof *order));
    if (!insert_all(&d, count, corners, order))
        result = kin_fail_memory(error, "tetrahedra", d.count * sizeof *d.tets);
    else
        result = finish(&d, points, count, out, error);
    kin_free(allocator, order, kin_bytes(count, sizeof *order));
    kin_free(allocator, d.tets, d.capacity * sizeof *d.tets);
    kin_free(allocator, d.unused.data, d.unused.capacity * sizeof *d.unused.data);
    kin_free(allocator, d.cavity.data, d.cavity.capacity * sizeof *d.cavity.data);
    kin_free(allocator, d.wall.data, d.wall.capacity * sizeof *d.wall.data);
    kin_free(allocator, d.seams, d.seam_capacity * sizeof *d.seams);
    return result;
}

kin_result kin_tets_delaunay(const kin_allocator* allocator, const kin_vec3* points, size_t count, kin_tets** out, kin_error* error)
{
    *out = NULL;
    if (count > MOST_POINTS) return kin_fail(error, KIN_ERROR_LIMIT, "", "%zu points: at most %u", count, MOST_POINTS);
    kin_snap snap;
    kin_vec3* snapped = NULL;
    kin_result result = kin_hull_points(allocator, points, count, &snap, &snapped, error);
    if (result != KIN_OK) return result;
    kin_tets* tets = kin_alloc_zero(allocator, sizeof *tets);
    if (tets == NULL) {
        result = kin_fail_memory(error, "tetrahedra", sizeof *tets);
    } else {
        tets->allocator = *allocator;
        result = build(allocator, points, snapped, (uint32_t)count, snap.noise * snap.scale, tets, error);
    }
    kin_free(allocator, snapped, kin_bytes(count, sizeof *snapped));
    if (result == KIN_OK)
        *out = tets;
    else
        kin_tets_destroy(tets);
    return result;
}

void kin_tets_destroy(kin_tets* tets)
{
    if (tets == NULL) return;
    kin_allocator a = tets->allocator;
    kin_free(&a, tets->vertices, kin_bytes(tets->vertex_count, sizeof *tets->vertices));
    kin_free(&a, tets->corners, kin_bytes(tets->tet_count, sizeof *tets->corners));
    kin_free(&a, tets->across, kin_bytes(tets->tet_count, sizeof *tets->across));
    kin_free(&a, tets, sizeof *tets);
}

size_t kin_tets_bytes(const kin_tets* tets)
{
    return sizeof *tets + tets->vertex_count * sizeof *tets->vertices + tets->tet_count * (sizeof *tets->corners + sizeof *tets->across);
}
