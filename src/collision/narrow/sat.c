/* sat.c - separating axes of hulls: faces by support points, edges by the arcs of the Gauss map that cross. */
#include "collision/narrow/sat.h"

typedef struct sat {
    const kin_hull *a, *b;
    kin_mat3 turn; /* B's axes in A's frame */
    kin_vec3 shift;
    int axes;
    kin_vec3 apart; /* B's centre from A's */
} sat;

static kin_vec3 from_b(const sat* s, kin_vec3 x) { return kin_add(kin_mat3_apply(s->turn, x), s->shift); }
static sat sat_of(const kin_hull* a, const kin_hull* b, kin_transform b_in_a)
{
    sat s = {a, b, kin_quat_to_matrix(b_in_a.orientation), b_in_a.position, 0, .apart = {0, 0, 0}};
    s.apart = kin_sub(from_b(&s, b->center), a->center);
    return s;
}
static kin_vec3 edge_vector(const kin_hull* h, uint32_t edge) { return kin_sub(h->vertices[kin_hull_end(h, edge)], h->vertices[h->edges[edge].origin]); }

/* ---- one axis: false when it parts the bodies by no more than `least` ----
 *
 * A climb may halt where an edge is hardly bent, and two edges need not be the outermost along their cross: rounding decides. Both promise too much, never too
 * little; so what a promise is worth is measured over all vertices, and only where it would win.
 *
 * A ball about each centre is inside its body: along n nothing parts them by more than n . (cB - cA) - rA - rB. Most axes are left out by that alone. */

#define SHY (1 - 1e-9) /* of a radius: rounding never leaves out what would win */

static bool try_face_a(sat* s, uint32_t face, uint32_t from, double least, kin_sat_result* out)
{
    kin_plane3 plane = s->a->planes[face];
    s->axes++;
    if (!(kin_dot(plane.normal, kin_add(s->a->center, s->apart)) - plane.offset - SHY * s->b->inner > least)) return false;
    kin_vec3 d = kin_neg(kin_mat3_apply_transposed(s->turn, plane.normal));
    uint32_t v = kin_hull_climb(s->b, d, from);
    if (!(kin_dot(plane.normal, from_b(s, s->b->vertices[v])) - plane.offset > least)) return false;
    v = kin_hull_support(s->b, d);
    *out = (kin_sat_result){{KIN_SAT_FACE_A, face, v}, kin_dot(plane.normal, from_b(s, s->b->vertices[v])) - plane.offset, kin_neg(plane.normal), 0};
    return out->separation > least;
}

static bool try_face_b(sat* s, uint32_t face, uint32_t from, double least, kin_sat_result* out)
{
    kin_plane3 plane = s->b->planes[face];
    kin_vec3 n = kin_mat3_apply(s->turn, plane.normal), d = kin_neg(n);
    s->axes++;
    if (!(kin_dot(n, kin_sub(s->a->center, s->shift)) - plane.offset - SHY * s->a->inner > least)) return false;
    uint32_t v = kin_hull_climb(s->a, d, from);
    if (!(kin_dot(n, kin_sub(s->a->vertices[v], s->shift)) - plane.offset > least)) return false;
    v = kin_hull_support(s->a, d);
    *out = (kin_sat_result){{KIN_SAT_FACE_B, v, face}, kin_dot(n, kin_sub(s->a->vertices[v], s->shift)) - plane.offset, n, 0};
    return out->separation > least;
}

typedef struct arc { /* an edge of B in A's frame: its direction, the normals left and right of it, a point */
    kin_vec3 along, left, right, at;
} arc;

static arc arc_of_b(const sat* s, uint32_t edge)
{
    const kin_hull* b = s->b;
    return (arc){kin_mat3_apply(s->turn, edge_vector(b, edge)), kin_mat3_apply(s->turn, b->planes[b->edges[edge].face].normal),
                 kin_mat3_apply(s->turn, b->planes[b->edges[edge ^ 1].face].normal), from_b(s, b->vertices[b->edges[edge].origin])};
}

/* Whether the arcs of an edge of A and of -B cross on the sphere, that is, whether the edges make a face of A - B. An edge runs along left x right. */
static bool arcs_cross(kin_vec3 along, kin_vec3 left, kin_vec3 right, const arc* b)
{
    double c = kin_dot(b->left, along), d = kin_dot(b->right, along);
    if (c * d >= 0) return false;
    double e = kin_dot(left, b->along), f = kin_dot(right, b->along);
    return e * f < 0 && c * f < 0;
}

/* The cross of two edges; false also when they are parallel. */
static bool try_edges(sat* s, uint32_t ea, uint32_t eb, const arc* b, double least, kin_sat_result* out)
{
    kin_vec3 along = edge_vector(s->a, ea), start = s->a->vertices[s->a->edges[ea].origin], n = kin_cross(along, b->along);
    double square = kin_length2(n);
    if (!(square > 1e-24 * (kin_length2(along) * kin_length2(b->along)))) return false;
    n = kin_scale(n, 1 / kin_sqrt(square));
    if (kin_dot(n, kin_sub(start, s->a->center)) < 0) n = kin_neg(n);
    s->axes++;
    if (!(kin_dot(n, kin_sub(b->at, start)) > least)) return false;
    uint32_t va = kin_hull_support(s->a, n), vb = kin_hull_support(s->b, kin_neg(kin_mat3_apply_transposed(s->turn, n)));
    *out = (kin_sat_result){{KIN_SAT_EDGES, ea, eb}, kin_dot(n, kin_sub(from_b(s, s->b->vertices[vb]), s->a->vertices[va])), kin_neg(n), 0};
    return out->separation > least;
}

/* ---- all axes ---- */

static const kin_sat_result nothing = {.separation = -__builtin_inf()};

/* The face whose plane a point is farthest outside of: tried first, it leaves out most others by their bounds. */
static uint32_t face_towards(const kin_hull* h, kin_vec3 point)
{
    double most = -__builtin_inf();
    uint32_t best = 0;
    for (uint32_t i = 0; i < h->face_count; ++i) {
        const double out = kin_dot(h->planes[i].normal, point) - h->planes[i].offset;
        best = out > most ? i : best;
        most = out > most ? out : most;
    }
    return best;
}

static kin_sat_result best_face_a(sat* s, double enough)
{
    kin_sat_result best = nothing, r;
    const uint32_t first = face_towards(s->a, kin_add(s->a->center, s->apart));
    if (try_face_a(s, first, 0, best.separation, &r)) best = r;
    for (uint32_t i = 0; i < s->a->face_count && best.separation <= enough; ++i) {
        if (i != first && try_face_a(s, i, best.feature.b, best.separation, &r)) best = r;
    }
    return best;
}

static kin_sat_result best_face_b(sat* s, double enough)
{
    kin_sat_result best = nothing, r;
    const uint32_t first = face_towards(s->b, kin_mat3_apply_transposed(s->turn, kin_sub(s->a->center, s->shift)));
    if (try_face_b(s, first, 0, best.separation, &r)) best = r;
    for (uint32_t i = 0; i < s->b->face_count && best.separation <= enough; ++i) {
        if (i != first && try_face_b(s, i, best.feature.a, best.separation, &r)) best = r;
    }
    return best;
}

typedef struct side_edge {
    kin_vec3 along, left, right;
    uint32_t edge;
} side_edge;

/* Can a normal between left and right lead along `apart` by more than `room`? It leads by no more than the better of them, over the cosine of half their angle. */
static bool may_lead(kin_vec3 left, kin_vec3 right, kin_vec3 apart, double room)
{
    if (room <= 0) return true;
    const double most = kin_max(kin_dot(left, apart), kin_dot(right, apart));
    return most > 0 && most * most > room * room * kin_max(0, 0.5 + 0.5 * kin_dot(left, right));
}

/* The next edges of A that may part the bodies by more than `least`, from *next on. */
static int list_edges(const sat* s, double least, uint32_t* next, side_edge* out, int room)
{
    const kin_hull* a = s->a;
    const double reach = least + SHY * (a->inner + s->b->inner);
    int count = 0;
    for (; *next < a->edge_count && count < room; *next += 2) {
        const side_edge e = {edge_vector(a, *next), a->planes[a->edges[*next].face].normal, a->planes[a->edges[*next ^ 1].face].normal, *next};
        if (may_lead(e.left, e.right, s->apart, reach)) out[count++] = e;
    }
    return count;
}

/* Those that part by more than `least`; the first that parts by more than `enough` will do. */
static kin_sat_result best_edges(sat* s, double least, double enough)
{
    enum { ROOM = 64 };
    kin_sat_result best = nothing, r;
    const kin_hull* b = s->b;
    const double inner = SHY * (s->a->inner + b->inner);
    const kin_vec3 back = kin_neg(kin_mat3_apply_transposed(s->turn, s->apart)); /* in B's frame */
    side_edge edges[ROOM];
    for (uint32_t next = 0; next < s->a->edge_count;) {
        const int count = list_edges(s, kin_max(least, best.separation), &next, edges, ROOM);
        for (uint32_t eb = 0; eb < b->edge_count && count > 0; eb += 2) {
            const double more = kin_max(least, best.separation);
            if (!may_lead(b->planes[b->edges[eb].face].normal, b->planes[b->edges[eb ^ 1].face].normal, back, more + inner)) continue;
            arc arc_b = arc_of_b(s, eb);
            for (int k = 0; k < count; ++k) {
                if (!arcs_cross(edges[k].along, edges[k].left, edges[k].right, &arc_b)) continue;
                if (try_edges(s, edges[k].edge, eb, &arc_b, kin_max(least, best.separation), &r)) best = r;
                if (best.separation > enough) return best;
            }
        }
    }
    return best;
}

/* ---- cache and choice ---- */

/* The last feature again; nothing when it no longer means anything. */
static kin_sat_result try_cached(sat* s, const kin_sat_cache* cache)
{
    kin_sat_result r = nothing;
    const kin_hull* a = s->a;
    const double any = -__builtin_inf();
    if (cache == NULL || cache->kind == KIN_SAT_NONE) return nothing;
    if (cache->kind == KIN_SAT_FACE_A) return try_face_a(s, cache->a, cache->b, any, &r) ? r : nothing;
    if (cache->kind == KIN_SAT_FACE_B) return try_face_b(s, cache->b, cache->a, any, &r) ? r : nothing;
    arc b = arc_of_b(s, cache->b);
    bool is_face = arcs_cross(edge_vector(a, cache->a), a->planes[a->edges[cache->a].face].normal, a->planes[a->edges[cache->a ^ 1].face].normal, &b);
    return is_face && try_edges(s, cache->a, cache->b, &b, any, &r) ? r : nothing;
}

/* Later ones must be better by more than the preference. */
static kin_sat_result prefer(kin_sat_result first, kin_sat_result later, double preference)
{
    return first.feature.kind == KIN_SAT_NONE || later.separation > first.separation + preference ? later : first;
}

/* Faces, then edges, each kind only while none before it parts the bodies by more than enough. */
static kin_sat_result best_axis(sat* s, double margin, double enough)
{
    const kin_sat_result on_a = best_face_a(s, enough);
    if (on_a.separation > enough) return on_a;
    const kin_sat_result best = prefer(on_a, best_face_b(s, enough), margin);
    if (best.separation > enough) return best;
    return prefer(best, best_edges(s, best.separation + margin, enough), margin);
}

void kin_sat_hulls(const kin_hull* a, const kin_hull* b, kin_transform b_in_a, double preference, double enough, kin_sat_cache* cache, kin_sat_result* out)
{
    sat s = sat_of(a, b, b_in_a);
    double margin = kin_max(preference, 1e-14 * (a->reach + b->reach));
    *out = try_cached(&s, cache);
    if (!(out->separation > 0)) *out = prefer(*out, best_axis(&s, margin, enough), margin);
    out->axes = s.axes;
    if (cache != NULL) *cache = out->feature;
}

bool kin_sat_disjoint(const kin_hull* a, const kin_hull* b, kin_transform b_in_a, kin_sat_cache* cache)
{
    sat s = sat_of(a, b, b_in_a);
    kin_sat_result r = try_cached(&s, cache);
    if (!(r.separation > 0)) r = best_face_a(&s, 0);
    if (!(r.separation > 0)) r = best_face_b(&s, 0);
    if (!(r.separation > 0)) r = best_edges(&s, 0, 0);
    if (cache != NULL && r.separation > 0) *cache = r.feature;
    return r.separation > 0;
}

/* ---- boxes as hulls ---- */

const kin_hull* kin_box_hull_set(kin_box_hull* box, kin_vec3 half)
{
    static const kin_hull_edge edges[24] = {{0, 18, 2}, {1, 8, 4},  {2, 11, 4}, {3, 20, 3}, {4, 14, 5}, {5, 17, 2}, {6, 23, 3}, {7, 13, 5},
                                            {0, 2, 4},  {2, 16, 0}, {1, 22, 1}, {3, 1, 4},  {4, 21, 0}, {6, 4, 5},  {5, 7, 5},  {7, 19, 1},
                                            {0, 12, 0}, {4, 0, 2},  {1, 5, 2},  {5, 10, 1}, {2, 6, 3},  {6, 9, 0},  {3, 15, 1}, {7, 3, 3}};
    static const uint32_t face_edge[6] = {9, 10, 0, 3, 1, 4}, vertex_edge[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    for (uint32_t i = 0; i < 24; ++i) box->edges[i] = edges[i];
    for (uint32_t i = 0; i < 8; ++i) {
        box->vertices[i] = kin_v(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
        box->vertex_edge[i] = vertex_edge[i];
        box->sources[i] = i;
    }
    for (int i = 0; i < 6; ++i) {
        box->face_edge[i] = face_edge[i];
        box->planes[i] = (kin_plane3){kin_scale(kin_axis(i / 2), i & 1 ? 1 : -1), kin_component(half, i / 2)};
    }
    box->hull = (kin_hull){.vertices = box->vertices,
                           .vertex_count = 8,
                           .edges = box->edges,
                           .edge_count = 24,
                           .planes = box->planes,
                           .face_edge = box->face_edge,
                           .face_count = 6,
                           .vertex_edge = box->vertex_edge,
                           .sources = box->sources,
                           .volume = 8 * half.x * half.y * half.z,
                           .area = 8 * (half.x * half.y + half.y * half.z + half.z * half.x),
                           .inner = kin_min(half.x, kin_min(half.y, half.z)),
                           .reach = kin_length(half),
                           .bounds = {kin_neg(half), half}};
    return &box->hull;
}
