/* cutface.c - candidate planes and cut faces. */
#include "geometry/decompose/cutface.h"
#include "base/alloc.h"
#include <string.h>

#define NONE UINT32_MAX
#define SAME_ANGLE 1e-9 /* rad */

kin_edge_frame kin_edge_frame_of(const kin_connect* c, uint32_t half)
{
    const kin_vec3* v = c->poly->vertices;
    kin_edge_frame f;
    f.along = kin_normalize_or(kin_sub(v[kin_half_to(c, half)], v[kin_half_from(c, half)]), kin_v(0, 0, 0));
    f.normal = kin_face_normal(c->poly, c->face[half]);
    f.inward = kin_cross(f.normal, f.along);
    f.dihedral = kin_dihedral(c, half);
    return f;
}

kin_vec3 kin_edge_direction(const kin_edge_frame* f, double angle) { return kin_add_scaled(kin_scale(f->inward, kin_cos(angle)), -kin_sin(angle), f->normal); }

double kin_edge_angle(const kin_edge_frame* f, kin_vec3 d)
{
    double angle = kin_atan2(-kin_dot(d, f->normal), kin_dot(d, f->inward));
    return angle < -SAME_ANGLE ? angle + 2 * KIN_PI : kin_max(angle, 0);
}

/* ---- candidates ---- */

typedef struct candidates {
    double* angles;
    uint32_t count, most;
    double least, dihedral;
} candidates;

static void offer(candidates* c, double angle)
{
    double other = c->dihedral - angle;
    if (c->count == c->most || angle < c->least - SAME_ANGLE || other < c->least - SAME_ANGLE) return;
    if (angle > KIN_PI + SAME_ANGLE || other > KIN_PI + SAME_ANGLE) return; /* one part would still be reflex there */
    for (uint32_t i = 0; i < c->count; ++i) {
        if (kin_abs(c->angles[i] - angle) < SAME_ANGLE) return;
    }
    c->angles[c->count++] = angle;
}

/* The edges at a vertex, seen along the reflex edge. */
static void offer_neighbours(candidates* c, const kin_connect* connect, const kin_edge_frame* frame, uint32_t vertex)
{
    const kin_vec3* v = connect->poly->vertices;
    for (uint32_t i = connect->star_begin[vertex]; i < connect->star_begin[vertex + 1]; ++i) {
        kin_vec3 d = kin_sub(v[kin_half_to(connect, connect->star[i])], v[vertex]);
        kin_vec3 across = kin_add_scaled(d, -kin_dot(d, frame->along), frame->along);
        if (kin_length(across) > 1e-9 * kin_length(d)) offer(c, kin_edge_angle(frame, across));
    }
}

uint32_t kin_cut_candidates(const kin_connect* connect, uint32_t half, double theta_acc, uint32_t n_c, double* angles)
{
    static const double rho[] = {0.25, 0.5, 0.75, 0.375, 0.625};
    kin_edge_frame frame = kin_edge_frame_of(connect, half);
    candidates c = {angles, 0, n_c, theta_acc, frame.dihedral};
    offer(&c, frame.dihedral - KIN_PI);
    offer(&c, KIN_PI);
    offer_neighbours(&c, connect, &frame, kin_half_from(connect, half));
    offer_neighbours(&c, connect, &frame, kin_half_to(connect, half));
    for (int i = 0; i < 5; ++i) offer(&c, rho[i] * frame.dihedral);
    return c.count;
}

/* ---- tracing ---- */

void kin_cut_face_init(kin_cut_face* face, const kin_allocator* allocator) { *face = (kin_cut_face){.allocator = *allocator}; }

void kin_cut_face_term(kin_cut_face* face)
{
    kin_allocator a = face->allocator;
    kin_free(&a, face->corners, kin_bytes(face->room, sizeof *face->corners));
    kin_free(&a, face->side, kin_bytes(face->side_room, sizeof *face->side));
    kin_free(&a, face->height, kin_bytes(face->height_room, sizeof *face->height));
    kin_cut_face_init(face, &a);
}

typedef struct tracer {
    kin_cut_face* out;
    const kin_connect* c;
    double theta_acc;
} tracer;

static bool push(tracer* t, kin_cut_corner corner)
{
    if (!kin_reserve(&t->out->allocator, (void**)&t->out->corners, &t->out->room, t->out->count + 1, sizeof *t->out->corners)) return false;
    t->out->corners[t->out->count++] = corner;
    return true;
}

static kin_cut_corner at_vertex(const tracer* t, uint32_t v) { return (kin_cut_corner){t->c->poly->vertices[v], v, NONE, NONE, 0, 0}; }

/* Where the plane crosses the half-edge, from the lower vertex to the higher so that both sides find the same point. */
static kin_cut_corner within_edge(const tracer* t, uint32_t half)
{
    uint32_t a = kin_half_from(t->c, half), b = kin_half_to(t->c, half), low = a < b ? a : b, high = a < b ? b : a;
    const kin_vec3* v = t->c->poly->vertices;
    double s = t->out->height[low] / (t->out->height[low] - t->out->height[high]);
    return (kin_cut_corner){kin_add_scaled(v[low], s, kin_sub(v[high], v[low])), NONE, half, NONE, 0, 0};
}

/* Where the plane leaves a convex face that it entered at `from` (a vertex) or within the half-edge `entry`: the other place where its corners change sides. */
static bool leave_face(const tracer* t, uint32_t face, uint32_t from, uint32_t entry, kin_cut_corner* to)
{
    const kin_poly* p = t->c->poly;
    for (uint32_t k = 0; k < p->sizes[face]; ++k) {
        uint32_t half = p->begin[face] + k, a = kin_half_from(t->c, half), b = kin_half_to(t->c, half);
        if (half == entry) continue;
        if (t->out->side[a] == 0 && a != from) return *to = at_vertex(t, a), true;
        if (t->out->side[a] * t->out->side[b] < 0) return *to = within_edge(t, half), true;
    }
    return false;
}

/* The interior angle at a corner, the inside on the left: from the way on, anticlockwise about the normal, to the way back. */
static double interior_angle(kin_vec3 normal, kin_vec3 back, kin_vec3 on)
{
    double angle = kin_atan2(kin_dot(kin_cross(on, back), normal), kin_dot(on, back));
    return angle <= SAME_ANGLE ? angle + 2 * KIN_PI : angle;
}

typedef struct way { /* on from a vertex */
    kin_cut_corner to;
    uint32_t face; /* through it, or NONE: along an edge */
    double angle;
} way;

static void consider(const tracer* t, kin_vec3 at, kin_vec3 back, kin_cut_corner to, uint32_t face, way* best)
{
    double angle = interior_angle(t->out->normal, back, kin_sub(to.point, at));
    if (angle < best->angle - SAME_ANGLE) *best = (way){to, face, angle};
}

/* From a vertex: along any edge in the plane, or through any face whose corners beside the vertex lie on two sides; the smallest interior angle wins, so the
 * solid stays on the left (Fig 11.6, 11.7). */
static bool go_on_from_vertex(const tracer* t, uint32_t vertex, kin_vec3 back, way* best)
{
    const int8_t* side = t->out->side;
    kin_vec3 at = t->c->poly->vertices[vertex];
    best->angle = 10;
    for (uint32_t i = t->c->star_begin[vertex]; i < t->c->star_begin[vertex + 1]; ++i) {
        uint32_t half = t->c->star[i], next = kin_half_to(t->c, half), before = kin_half_from(t->c, kin_half_prev(t->c, half));
        kin_cut_corner to;
        if (side[next] == 0) consider(t, at, back, at_vertex(t, next), NONE, best);
        if (side[before] == 0) consider(t, at, back, at_vertex(t, before), NONE, best);
        if (side[next] * side[before] < 0 && leave_face(t, t->c->face[half], vertex, NONE, &to)) consider(t, at, back, to, t->c->face[half], best);
    }
    return best->angle < 7;
}

/* The two dihedral angles at an edge of the cut face: with the face it runs through on both sides, or with the two faces of the edge it runs along. */
static double smallest_dihedral(const tracer* t, const kin_cut_corner* a, const kin_cut_corner* b)
{
    kin_vec3 left = kin_cross(t->out->normal, kin_sub(b->point, a->point));
    if (a->face != NONE) return kin_angle(kin_face_normal(t->c->poly, a->face), left) - KIN_PI / 2; /* the other is pi less this */
    uint32_t half = kin_half_between(t->c, a->vertex, b->vertex);
    if (half == NONE) return -1;
    kin_edge_frame frame = kin_edge_frame_of(t->c, half);
    double angle = kin_edge_angle(&frame, left);
    return kin_min(angle, frame.dihedral - angle);
}

static kin_cut_verdict judge_edge(tracer* t, kin_cut_corner* a, const kin_cut_corner* b)
{
    a->dihedral = smallest_dihedral(t, a, b);
    return a->dihedral < t->theta_acc - SAME_ANGLE ? KIN_CUT_ANGLE : KIN_CUT_ACCEPTED;
}

/* The next corner; *face is the one the edge to it runs through. Within an edge there is one way: into the face beyond. */
static bool go_on(tracer* t, kin_cut_corner* at, kin_vec3 back, kin_cut_corner* next)
{
    if (at->vertex == NONE) {
        uint32_t over = t->c->twin[at->half];
        if (over == KIN_NO_HALF || !leave_face(t, t->c->face[over], NONE, over, next)) return false;
        at->face = t->c->face[over];
        at->angle = interior_angle(t->out->normal, back, kin_sub(next->point, at->point));
        return true;
    }
    way best;
    if (!go_on_from_vertex(t, at->vertex, back, &best)) return false;
    at->face = best.face;
    at->angle = best.angle;
    *next = best.to;
    return true;
}

static bool seen(const kin_cut_face* f, const kin_cut_corner* x, const kin_connect* c)
{
    for (size_t i = 1; i < f->count; ++i) {
        const kin_cut_corner* y = &f->corners[i];
        if (x->vertex != y->vertex) continue;
        if (x->vertex != NONE || c->edge[x->half] == c->edge[y->half]) return true;
    }
    return false;
}

static bool walk(tracer* t, uint32_t half, kin_cut_verdict* verdict)
{
    kin_cut_face* out = t->out;
    uint32_t start = kin_half_from(t->c, half);
    if (!push(t, at_vertex(t, start)) || !push(t, at_vertex(t, kin_half_to(t->c, half)))) return false;
    *verdict = judge_edge(t, &out->corners[0], &out->corners[1]);
    while (*verdict == KIN_CUT_ACCEPTED) {
        kin_cut_corner *at = &out->corners[out->count - 1], next;
        if (!go_on(t, at, kin_sub(at[-1].point, at->point), &next)) return *verdict = KIN_CUT_LOST, true;
        *verdict = judge_edge(t, at, &next);
        if (*verdict != KIN_CUT_ACCEPTED) return true;
        if (next.vertex == start) break;
        if (seen(out, &next, t->c)) return *verdict = KIN_CUT_TWICE, true;
        if (!push(t, next)) return false;
    }
    kin_vec3 at = out->corners[0].point;
    out->corners[0].angle = interior_angle(out->normal, kin_sub(out->corners[out->count - 1].point, at), kin_sub(out->corners[1].point, at));
    return true;
}

/* ---- the whole face ---- */

/* Exterior angles sum to 2 pi anticlockwise, to -2 pi round a hole. */
static bool is_clockwise(const kin_cut_face* f)
{
    double sum = 0;
    for (size_t i = 0; i < f->count; ++i) sum += KIN_PI - f->corners[i].angle;
    return sum < 0;
}

static bool inside(const kin_cut_face* f, kin_vec3 x)
{
    double sum = 0; /* of the angles under which x sees the edges */
    for (size_t i = 0, last = f->count - 1; i < f->count; last = i++) {
        kin_vec3 a = kin_sub(f->corners[last].point, x), b = kin_sub(f->corners[i].point, x);
        sum += kin_atan2(kin_dot(kin_cross(a, b), f->normal), kin_dot(a, b));
    }
    return sum > KIN_PI;
}

static bool holds_vertex(const kin_cut_face* f, uint32_t v)
{
    for (size_t i = 0; i < f->count; ++i) {
        if (f->corners[i].vertex == v) return true;
    }
    return false;
}

static bool holds_edge(const kin_cut_face* f, const kin_connect* c, uint32_t edge)
{
    for (size_t i = 0; i < f->count; ++i) {
        if (f->corners[i].vertex == NONE && c->edge[f->corners[i].half] == edge) return true;
    }
    return holds_vertex(f, c->edges[edge].from) || holds_vertex(f, c->edges[edge].to);
}

/* The edges that meet the plane and have no corner of the cut face: does one of them do so inside it? */
static bool has_hole(const tracer* t)
{
    const kin_cut_face* f = t->out;
    for (uint32_t e = 0; e < t->c->edge_count; ++e) {
        const kin_edge* edge = &t->c->edges[e];
        int a = f->side[edge->from], b = f->side[edge->to];
        if (a * b > 0 || holds_edge(f, t->c, e)) continue;
        kin_vec3 x = a == 0 ? t->c->poly->vertices[edge->from] : b == 0 ? t->c->poly->vertices[edge->to] : within_edge(t, edge->half).point;
        if (inside(f, x)) return true;
    }
    return false;
}

/* Sides of the vertices; false when one lies near the plane but not on it (14). */
static bool place_vertices(tracer* t, kin_vec3 origin, double nearest, double slack)
{
    kin_cut_face* f = t->out;
    bool clear = true;
    for (size_t v = 0; v < t->c->vertex_count; ++v) {
        double height = kin_dot(kin_sub(t->c->poly->vertices[v], origin), f->normal);
        f->height[v] = height;
        f->side[v] = height > slack ? 1 : height < -slack ? -1 : 0;
        clear = clear && (f->side[v] == 0 || kin_abs(height) > nearest);
    }
    return clear;
}

bool kin_cut_face_trace(kin_cut_face* face, const kin_connect* connect, uint32_t half, double angle, double theta_acc, double nearest, double slack,
                        kin_cut_verdict* verdict)
{
    tracer t = {face, connect, theta_acc};
    kin_edge_frame frame = kin_edge_frame_of(connect, half);
    face->count = 0;
    face->normal = kin_cross(frame.along, kin_edge_direction(&frame, angle));
    if (!kin_reserve(&face->allocator, (void**)&face->side, &face->side_room, connect->vertex_count, sizeof *face->side)
        || !kin_reserve(&face->allocator, (void**)&face->height, &face->height_room, connect->vertex_count, sizeof *face->height))
        return false;
    bool clear = place_vertices(&t, connect->poly->vertices[kin_half_from(connect, half)], nearest, slack);
    face->side[kin_half_from(connect, half)] = face->side[kin_half_to(connect, half)] = 0;
    if (!clear) return *verdict = KIN_CUT_NEAR, true;
    if (!walk(&t, half, verdict)) return false;
    if (*verdict != KIN_CUT_ACCEPTED) return true;
    *verdict = face->count < 3 ? KIN_CUT_LOST : is_clockwise(face) ? KIN_CUT_CLOCKWISE : has_hole(&t) ? KIN_CUT_HOLE : KIN_CUT_ACCEPTED;
    return true;
}
