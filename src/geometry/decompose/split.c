/* split.c - a polyhedron cut open along a cut face: faces divided, the rim doubled, a cap on each side. */
#include "base/alloc.h"
#include "geometry/cut/fill.h"
#include "geometry/cut/cut.h"
#include "geometry/decompose/cutface.h"
#include <string.h>

#define NONE UINT32_MAX

typedef struct opening {
    const kin_cut_face* face;
    const kin_connect* c;
    kin_poly open;            /* the polyhedron with its faces divided; new corners of the rim come after the vertices */
    uint32_t *rim, *rim2;     /* vertices of the rim: below the cut face, and their doubles above */
    uint32_t *ring, *through; /* scratch; and of each face: the corner of the cut face whose edge runs through it, or NONE */
    size_t ring_room;
} opening;

static bool divide_face(opening* o, uint32_t f)
{
    const kin_poly* p = o->c->poly;
    uint32_t n = 0, from = NONE, to = NONE, i = o->through[f], tag = p->tags[f];
    if (i == NONE) return kin_poly_add_face(&o->open, kin_poly_corners(p, f), p->sizes[f], tag);
    uint32_t j = (uint32_t)((i + 1) % o->face->count), ends[2] = {i, j}, *place[2] = {&from, &to};
    for (uint32_t k = 0; k < p->sizes[f]; ++k) { /* the ring, with the ends put in where they lie within edges */
        uint32_t half = p->begin[f] + k;
        for (int e = 0; e < 2; ++e) *place[e] = p->corners[half] == o->rim[ends[e]] ? n : *place[e];
        o->ring[n++] = p->corners[half];
        for (int e = 0; e < 2; ++e) {
            const kin_cut_corner* c = &o->face->corners[ends[e]];
            if (c->vertex != NONE || o->c->edge[c->half] != o->c->edge[half]) continue;
            *place[e] = n;
            o->ring[n++] = o->rim[ends[e]];
        }
    }
    uint32_t *piece = o->ring + n, size = 0; /* from `from` to `to` is below, from `to` to `from` above */
    for (uint32_t k = from; k != to; k = (k + 1) % n) piece[size++] = o->ring[k];
    piece[size++] = o->ring[to];
    if (!kin_poly_add_face(&o->open, piece, size, tag)) return false;
    size = 0;
    for (uint32_t k = to; k != from; k = (k + 1) % n) piece[size++] = o->ring[k];
    piece[size++] = o->ring[from];
    return kin_poly_add_face(&o->open, piece, size, tag);
}

static bool divide_faces(opening* o)
{
    for (size_t v = 0; v < o->c->vertex_count; ++v) {
        if (!kin_poly_add_vertex(&o->open, o->c->poly->vertices[v])) return false;
    }
    memset(o->through, 0xFF, o->c->poly->face_count * sizeof *o->through);
    for (uint32_t i = 0; i < o->face->count; ++i) {
        const kin_cut_corner* c = &o->face->corners[i];
        o->rim[i] = c->vertex != NONE ? c->vertex : (uint32_t)o->open.vertex_count;
        if (c->vertex == NONE && !kin_poly_add_vertex(&o->open, c->point)) return false;
        if (c->face != NONE) o->through[c->face] = i;
    }
    for (uint32_t f = 0; f < o->c->poly->face_count; ++f) {
        if (!divide_face(o, f)) return false;
    }
    return true;
}

/* The faces above the cut run along its rim, those below against it. Round each corner of the rim, the faces above, from its next edge to its last one, get
 * the double. */
static bool double_rim(opening* o)
{
    kin_connect c;
    uint32_t n = (uint32_t)o->face->count;
    if (!kin_connect_init(&c, &o->open, &o->open.allocator)) return false;
    for (uint32_t i = 0; i < n; ++i) o->rim2[i] = (uint32_t)o->open.vertex_count + i;
    uint32_t* moved = kin_alloc(&c.allocator, kin_bytes(c.half_count, sizeof *moved));
    bool ok = moved != NULL;
    if (ok) memcpy(moved, o->open.corners, c.half_count * sizeof *moved);
    for (uint32_t i = 0; ok && i < n; ++i) {
        uint32_t last = o->rim[(i + n - 1) % n], h = kin_half_between(&c, o->rim[i], o->rim[(i + 1) % n]);
        for (uint32_t turn = 0; h != NONE && turn <= c.half_count; ++turn) {
            moved[h] = o->rim2[i];
            uint32_t in = kin_half_prev(&c, h);
            if (kin_half_from(&c, in) == last) break;
            h = c.twin[in];
        }
    }
    if (ok) memcpy(o->open.corners, moved, c.half_count * sizeof *moved);
    kin_free(&c.allocator, moved, kin_bytes(c.half_count, sizeof *moved));
    kin_connect_term(&c);
    for (uint32_t i = 0; ok && i < n; ++i) ok = kin_poly_add_vertex(&o->open, o->face->corners[i].point);
    return ok;
}

/* The cut face, in convex parts, below as it was traced and above turned over. */
static bool add_caps(opening* o)
{
    kin_fill fill;
    uint32_t n = (uint32_t)o->face->count, begin[2] = {0, n};
    kin_fill_init(&fill, &o->open.allocator);
    bool ok = kin_fill_loops(&fill, o->open.vertices, o->face->normal, (kin_loops){o->rim, begin, 1}, true);
    for (size_t f = 0; ok && f < fill.out.face_count; ++f) {
        uint32_t *corners = fill.out.corners + fill.out.begin[f], size = fill.out.sizes[f];
        ok = kin_poly_add_face(&o->open, corners, size, KIN_CUT_CAP);
        for (uint32_t k = 0; ok && k < size; ++k) {
            uint32_t i = 0;
            while (o->rim[i] != corners[size - 1 - k]) i += 1;
            o->ring[k] = o->rim2[i];
        }
        ok = ok && kin_poly_add_face(&o->open, o->ring, size, KIN_CUT_CAP);
    }
    kin_fill_term(&fill);
    return ok;
}

bool kin_cut_face_split(const kin_cut_face* face, const kin_connect* connect, kin_pieces* pieces)
{
    const kin_allocator* a = &pieces->allocator;
    size_t rim = kin_bytes(face->count, sizeof(uint32_t)), through = kin_bytes(connect->poly->face_count, sizeof(uint32_t));
    opening o = {.face = face, .c = connect, .ring_room = 2 * (connect->half_count + face->count) + 8};
    kin_poly_init(&o.open, a);
    o.rim = kin_alloc(a, rim);
    o.rim2 = kin_alloc(a, rim);
    o.through = kin_alloc(a, through);
    o.ring = kin_alloc(a, kin_bytes(o.ring_room, sizeof *o.ring));
    bool ok = o.rim != NULL && o.rim2 != NULL && o.through != NULL && o.ring != NULL;
    ok = ok && divide_faces(&o) && double_rim(&o) && add_caps(&o) && kin_pieces_add_solids(pieces, &o.open, 0);
    kin_free(a, o.rim, rim);
    kin_free(a, o.rim2, rim);
    kin_free(a, o.through, through);
    kin_free(a, o.ring, kin_bytes(o.ring_room, sizeof *o.ring));
    kin_poly_term(&o.open);
    return ok;
}
