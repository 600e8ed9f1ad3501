/* crossings.c - faces that pass through each other: a tree of their boxes, then edges against triangles by signs of volumes.
 * A sign that a grain (kin_poly_grain) could turn is zero. An edge crosses a triangle when its ends are strictly on two sides and it passes inside; or through one of its
 * edges, if its ends are on the same two sides of the face beyond, for else it only touches. Triangles that share corners are asked about what they do not
 * share. */
#include "base/alloc.h"
#include "geometry/bvh.h"
#include "geometry/cut/fill.h"
#include "geometry/repair/survey.h"

typedef struct triangle {
    uint32_t corners[3], face;
    uint32_t beyond[3]; /* the face over each edge, its own over a diagonal; KIN_NO_NEIGHBOR: none, or several */
} triangle;

typedef struct search {
    const kin_connect* connect;
    double grain; /* m: nearer is touching */
    triangle* triangles;
    uint32_t* mark; /* of each face: 1 + the last face it was found to cross */
    kin_aabb* boxes;
    uint32_t count;
    kin_bvh bvh;
} search;

static int sign(double x, double slack) { return (x > slack) - (x < -slack); }

/* Of the volume of a tetrahedron; 0 when corners off by a grain could have made it. */
static int side(kin_vec3 a, kin_vec3 b, kin_vec3 c, kin_vec3 x, double grain)
{
    kin_vec3 u = kin_sub(b, a), v = kin_sub(c, a), w = kin_sub(x, a);
    double lu = kin_length(u), lv = kin_length(v), lw = kin_length(w);
    return sign(kin_triple(u, v, w), grain * (lu * lv + lv * lw + lw * lu));
}

static bool edge_crosses(const search* s, uint32_t from, uint32_t to, const triangle* t)
{
    const kin_poly* poly = s->connect->poly;
    const kin_vec3* p = poly->vertices;
    kin_vec3 a = p[t->corners[0]], b = p[t->corners[1]], c = p[t->corners[2]], x = p[from], y = p[to];
    int sx = side(a, b, c, x, s->grain), sy = side(a, b, c, y, s->grain);
    if (sx * sy >= 0) return false;
    int over[3] = {side(x, y, a, b, s->grain), side(x, y, b, c, s->grain), side(x, y, c, a, s->grain)}, sum = over[0] + over[1] + over[2];
    if (sum == 3 || sum == -3) return true;
    int on = over[0] == 0 ? 0 : over[1] == 0 ? 1 : 2;
    if ((sum != 2 && sum != -2) || t->beyond[on] == KIN_NO_NEIGHBOR) return false;
    if (t->beyond[on] == t->face) return true;
    kin_vec3 n = kin_poly_normal(poly, t->beyond[on]), origin = p[kin_poly_corners(poly, t->beyond[on])[0]];
    double slack = s->grain * kin_length(n);
    return sign(kin_dot(kin_sub(x, origin), n), slack) == sx && sign(kin_dot(kin_sub(y, origin), n), slack) == sy;
}

static bool has(const triangle* t, uint32_t v) { return t->corners[0] == v || t->corners[1] == v || t->corners[2] == v; }

static bool any_edge_crosses(const search* all, const triangle* s, const triangle* t)
{
    for (int k = 0; k < 3; ++k) {
        uint32_t from = s->corners[k], to = s->corners[(k + 1) % 3];
        if (!has(t, from) && !has(t, to) && edge_crosses(all, from, to, t)) return true;
    }
    return false;
}

/* ---- in one plane ---- */

typedef struct flat_triangle {
    kin_flat_point p[3];
} flat_triangle;

static double turn(kin_flat_point a, kin_flat_point b, kin_flat_point c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }

/* Is there an edge of s with all of t on or beyond it? Counter-clockwise both. */
static bool parted_by(const flat_triangle* s, const flat_triangle* t, double slack)
{
    for (int k = 0; k < 3; ++k) {
        kin_flat_point a = s->p[k], b = s->p[(k + 1) % 3];
        if (turn(a, b, t->p[0]) <= slack && turn(a, b, t->p[1]) <= slack && turn(a, b, t->p[2]) <= slack) return true;
    }
    return false;
}

static flat_triangle flatten(const kin_vec3* p, const triangle* t, kin_vec3 n, kin_vec3 origin)
{
    flat_triangle f;
    for (int k = 0; k < 3; ++k) f.p[k] = kin_flatten(n, kin_sub(p[t->corners[k]], origin));
    if (turn(f.p[0], f.p[1], f.p[2]) < 0) {
        kin_flat_point swap = f.p[1];
        f.p[1] = f.p[2];
        f.p[2] = swap;
    }
    return f;
}

static bool overlap_in_plane(const search* all, const triangle* s, const triangle* t)
{
    const kin_vec3* p = all->connect->poly->vertices;
    kin_vec3 a = p[s->corners[0]], b = p[s->corners[1]], c = p[s->corners[2]], n = kin_cross(kin_sub(b, a), kin_sub(c, a));
    for (int k = 0; k < 3; ++k) {
        if (side(a, b, c, p[t->corners[k]], all->grain) != 0) return false;
    }
    flat_triangle u = flatten(p, s, n, a), v = flatten(p, t, n, a);
    double slack = 4 * all->grain * (kin_distance(a, b) + kin_distance(a, c));
    return kin_length(n) > slack && !parted_by(&u, &v, slack) && !parted_by(&v, &u, slack);
}

static bool cross(const search* all, const triangle* s, const triangle* t)
{
    return any_edge_crosses(all, s, t) || any_edge_crosses(all, t, s) || overlap_in_plane(all, s, t);
}

/* ---- search ---- */

static uint32_t face_beyond(const kin_connect* c, uint32_t half) { return c->twin[half] == KIN_NO_HALF ? KIN_NO_NEIGHBOR : c->face[c->twin[half]]; }

static void add_triangle(search* s, uint32_t f, uint32_t k)
{
    const kin_poly* p = s->connect->poly;
    const uint32_t *c = kin_poly_corners(p, f), begin = p->begin[f], size = p->sizes[f];
    kin_vec3 x = p->vertices[c[0]], y = p->vertices[c[k]], z = p->vertices[c[k + 1]];
    triangle* t = &s->triangles[s->count];
    *t = (triangle){{c[0], c[k], c[k + 1]}, f, {f, face_beyond(s->connect, begin + k), f}};
    if (k == 1) t->beyond[0] = face_beyond(s->connect, begin);
    if (k + 2 == size) t->beyond[2] = face_beyond(s->connect, begin + size - 1);
    s->boxes[s->count++] = (kin_aabb){kin_min3(x, kin_min3(y, z)), kin_max3(x, kin_max3(y, z))};
}

static bool prepare(search* s)
{
    const kin_poly* p = s->connect->poly;
    if (s->triangles == NULL || s->boxes == NULL || s->mark == NULL) return false;
    for (uint32_t f = 0; f < p->face_count; ++f) {
        for (uint32_t k = 1; k + 1 < p->sizes[f] && !kin_face_degenerate(p, f); ++k) add_triangle(s, f, k);
    }
    return kin_bvh_build(&s->bvh, s->boxes, s->count);
}

/* Each higher face once; the tree's order is fixed. */
static bool search_triangle(search* s, const triangle* t, kin_aabb box, kin_crossing_fn* found, void* context)
{
    kin_bvh_walk walk;
    for (kin_bvh_overlap_begin(&walk, &s->bvh, box); kin_bvh_overlap_next(&walk);) {
        for (uint32_t i = walk.begin; i < walk.end; ++i) {
            const triangle* u = &s->triangles[s->bvh.items[i]];
            if (u->face <= t->face || s->mark[u->face] == t->face + 1 || !cross(s, t, u)) continue;
            s->mark[u->face] = t->face + 1;
            if (!found(context, t->face, u->face)) return false;
        }
    }
    return true;
}

bool kin_find_crossings(const kin_connect* connect, kin_crossing_fn* found, void* context)
{
    const kin_allocator* a = &connect->allocator;
    size_t most = connect->half_count, faces = connect->poly->face_count;
    if (most == 0) return true;
    search s = {.connect = connect, .triangles = kin_alloc(a, kin_bytes(most, sizeof(triangle))), .boxes = kin_alloc(a, kin_bytes(most, sizeof(kin_aabb)))};
    s.mark = kin_alloc_zero(a, kin_bytes(faces, sizeof *s.mark));
    s.grain = kin_poly_grain(kin_poly_bounds(connect->poly));
    kin_bvh_init(&s.bvh, a);
    bool ok = prepare(&s);
    for (uint32_t t = 0; ok && t < s.count; ++t) {
        if (!search_triangle(&s, &s.triangles[t], s.boxes[t], found, context)) break;
    }
    kin_bvh_term(&s.bvh);
    kin_free(a, s.triangles, kin_bytes(most, sizeof *s.triangles));
    kin_free(a, s.boxes, kin_bytes(most, sizeof *s.boxes));
    kin_free(a, s.mark, kin_bytes(faces, sizeof *s.mark));
    return ok;
}
