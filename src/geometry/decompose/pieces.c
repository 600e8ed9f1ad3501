/* pieces.c - lists of polyhedra, dihedral angles, solids of a surface. */
#include "geometry/decompose/pieces.h"
#include "base/alloc.h"
#include "geometry/cut/fill.h"
#include "geometry/polygon.h"

#define FLAT_ANGLE 1e-9 /* rad: faces bent in by less are flat */

void kin_pieces_init(kin_pieces* pieces, const kin_allocator* allocator) { *pieces = (kin_pieces){.allocator = *allocator}; }

void kin_pieces_term(kin_pieces* pieces)
{
    kin_allocator a = pieces->allocator;
    for (size_t i = 0; i < pieces->count; ++i) kin_poly_term(&pieces->parts[i]);
    kin_free(&a, pieces->parts, kin_bytes(pieces->part_room, sizeof *pieces->parts));
    kin_free(&a, pieces->convex, kin_bytes(pieces->convex_room, sizeof *pieces->convex));
    kin_pieces_init(pieces, &a);
}

bool kin_pieces_add(kin_pieces* pieces, kin_poly* part, bool convex)
{
    const kin_allocator* a = &pieces->allocator;
    if (!kin_reserve(a, (void**)&pieces->parts, &pieces->part_room, pieces->count + 1, sizeof *pieces->parts)
        || !kin_reserve(a, (void**)&pieces->convex, &pieces->convex_room, pieces->count + 1, sizeof *pieces->convex))
        return false;
    pieces->parts[pieces->count] = *part;
    pieces->convex[pieces->count++] = convex;
    kin_poly_init(part, a);
    return true;
}

bool kin_pieces_pop(kin_pieces* pieces, kin_poly* to)
{
    if (pieces->count == 0) return false;
    *to = pieces->parts[--pieces->count];
    return true;
}

kin_vec3 kin_face_normal(const kin_poly* poly, size_t face) { return kin_normalize_or(kin_poly_normal(poly, face), kin_v(0, 0, 0)); }

double kin_dihedral(const kin_connect* c, uint32_t half)
{
    const kin_poly* p = c->poly;
    kin_vec3 n = kin_face_normal(p, c->face[half]), m = kin_face_normal(p, c->face[c->twin[half]]);
    kin_vec3 t = kin_normalize_or(kin_sub(p->vertices[kin_half_to(c, half)], p->vertices[kin_half_from(c, half)]), kin_v(0, 0, 0));
    return KIN_PI - kin_atan2(kin_dot(kin_cross(n, m), t), kin_dot(n, m));
}

static double rise(const kin_connect* c, uint32_t from, uint32_t over) /* of the face of half-edge `from` over the plane of the face of `over` */
{
    const kin_poly* p = c->poly;
    uint32_t f = c->face[from];
    kin_vec3 n = kin_face_normal(p, c->face[over]), origin = p->vertices[kin_half_from(c, over)];
    double most = 0;
    for (uint32_t k = 0; k < p->sizes[f]; ++k) most = kin_max(most, kin_dot(kin_sub(p->vertices[kin_poly_corners(p, f)[k]], origin), n));
    return most;
}

bool kin_edge_reflex(const kin_connect* c, uint32_t half, double slack)
{
    uint32_t twin = c->twin[half];
    if (twin == KIN_NO_HALF) return false;
    return kin_dihedral(c, half) > KIN_PI + FLAT_ANGLE && rise(c, twin, half) > slack && rise(c, half, twin) > slack;
}

/* ---- solids ---- */

typedef struct solids {
    const kin_poly* poly;
    uint32_t* component; /* of each face */
    uint32_t* owner;     /* of each component: the solid's, or itself */
    double* volume;      /* of each component, m^3 */
    uint32_t* first;     /* face of each component */
    uint32_t count;
} solids;

static void measure(solids* s)
{
    kin_vec3 origin = s->poly->vertices[s->poly->corners[0]];
    for (uint32_t i = 0; i < s->count; ++i) s->volume[i] = 0, s->first[i] = UINT32_MAX, s->owner[i] = i;
    for (uint32_t f = 0; f < s->poly->face_count; ++f) {
        const uint32_t* c = kin_poly_corners(s->poly, f);
        uint32_t i = s->component[f];
        if (s->first[i] == UINT32_MAX) s->first[i] = f;
        for (uint32_t k = 1; k + 1 < s->poly->sizes[f]; ++k) {
            kin_vec3 u = kin_sub(s->poly->vertices[c[0]], origin), v = kin_sub(s->poly->vertices[c[k]], origin),
                     w = kin_sub(s->poly->vertices[c[k + 1]], origin);
            s->volume[i] += kin_triple(u, v, w) / 6;
        }
    }
}

/* How often a component goes round x: 1 inside. */
static double turns(const solids* s, uint32_t component, kin_vec3 x)
{
    const kin_vec3* v = s->poly->vertices;
    double sum = 0;
    for (uint32_t f = s->first[component]; f < s->poly->face_count; ++f) {
        const uint32_t* p = kin_poly_corners(s->poly, f);
        for (uint32_t k = 1; s->component[f] == component && k + 1 < s->poly->sizes[f]; ++k)
            sum += kin_triangle_turns(kin_sub(v[p[0]], x), kin_sub(v[p[k]], x), kin_sub(v[p[k + 1]], x));
    }
    return sum;
}

/* A void belongs to the smallest solid round it. */
static void give_voids(solids* s)
{
    for (uint32_t i = 0; i < s->count; ++i) {
        kin_vec3 x = s->poly->vertices[kin_poly_corners(s->poly, s->first[i])[0]];
        for (uint32_t k = 0; s->volume[i] < 0 && k < s->count; ++k) {
            bool smaller = s->owner[i] == i || s->volume[k] < s->volume[s->owner[i]];
            if (s->volume[k] > -s->volume[i] && smaller && turns(s, k, x) > 0.5) s->owner[i] = k;
        }
    }
}

static bool add_solid(kin_pieces* pieces, const solids* s, uint32_t solid)
{
    kin_poly part;
    kin_poly_init(&part, &pieces->allocator);
    bool ok = true;
    for (size_t v = 0; ok && v < s->poly->vertex_count; ++v) ok = kin_poly_add_vertex(&part, s->poly->vertices[v]);
    for (size_t f = 0; ok && f < s->poly->face_count; ++f) {
        if (s->owner[s->component[f]] == solid) ok = kin_poly_add_face(&part, kin_poly_corners(s->poly, f), s->poly->sizes[f], s->poly->tags[f]);
    }
    ok = ok && kin_poly_compact(&part) && kin_pieces_add(pieces, &part, false);
    kin_poly_term(&part);
    return ok;
}

bool kin_pieces_add_solids(kin_pieces* pieces, const kin_poly* poly, double least)
{
    const kin_allocator* a = &pieces->allocator;
    if (poly->face_count == 0) return true;
    size_t face_bytes = kin_bytes(poly->face_count, sizeof(uint32_t)), volume_bytes = kin_bytes(poly->face_count, sizeof(double));
    solids s = {.poly = poly, .component = kin_alloc(a, face_bytes), .owner = kin_alloc(a, face_bytes)};
    s.first = kin_alloc(a, face_bytes);
    s.volume = kin_alloc(a, volume_bytes);
    bool ok = s.component != NULL && s.owner != NULL && s.first != NULL && s.volume != NULL && (s.count = kin_poly_components(poly, s.component)) > 0;
    if (ok) {
        measure(&s);
        give_voids(&s);
    }
    for (uint32_t i = 0; ok && i < s.count; ++i) {
        if (s.owner[i] == i && s.volume[i] > least) ok = add_solid(pieces, &s, i);
    }
    kin_free(a, s.component, face_bytes);
    kin_free(a, s.owner, face_bytes);
    kin_free(a, s.first, face_bytes);
    kin_free(a, s.volume, volume_bytes);
    return ok;
}

/* ---- faces ---- */

static bool is_flat(const kin_poly* p, size_t f, double slack)
{
    const uint32_t* c = kin_poly_corners(p, f);
    kin_vec3 n = kin_face_normal(p, f);
    for (uint32_t k = 1; k < p->sizes[f]; ++k) {
        if (kin_abs(kin_dot(kin_sub(p->vertices[c[k]], p->vertices[c[0]]), n)) > slack) return false;
    }
    return true;
}

static bool add_triangles(const kin_poly* p, size_t f, kin_poly* to)
{
    uint32_t triangles[KIN_POLYGON_MAX_CORNERS - 2][3];
    kin_polygon_triangulate(p->vertices, kin_poly_corners(p, f), p->sizes[f], triangles);
    for (uint32_t k = 0; k + 2 < p->sizes[f]; ++k) {
        if (!kin_poly_add_face(to, triangles[k], 3, p->tags[f])) return false;
    }
    return true;
}

static bool add_convex(kin_fill* fill, const kin_poly* p, size_t f, kin_poly* to)
{
    uint32_t begin[2] = {0, p->sizes[f]};
    if (!kin_fill_loops(fill, p->vertices, kin_poly_normal(p, f), (kin_loops){kin_poly_corners(p, f), begin, 1}, true)) return false;
    for (size_t k = 0; k < fill->out.face_count; ++k) {
        if (!kin_poly_add_face(to, kin_poly_corners(&fill->out, k), fill->out.sizes[k], p->tags[f])) return false;
    }
    return true;
}

bool kin_poly_convex_faces(const kin_poly* poly, kin_poly* to)
{
    kin_fill fill;
    double slack = 16 * kin_poly_grain(kin_poly_bounds(poly));
    kin_fill_init(&fill, &poly->allocator);
    kin_poly_clear(to);
    bool ok = true;
    for (size_t v = 0; ok && v < poly->vertex_count; ++v) ok = kin_poly_add_vertex(to, poly->vertices[v]);
    for (size_t f = 0; ok && f < poly->face_count; ++f) {
        if (poly->sizes[f] <= 3)
            ok = kin_poly_add_face(to, kin_poly_corners(poly, f), poly->sizes[f], poly->tags[f]);
        else
            ok = is_flat(poly, f, slack) ? add_convex(&fill, poly, f, to) : add_triangles(poly, f, to);
    }
    kin_fill_term(&fill);
    return ok;
}
