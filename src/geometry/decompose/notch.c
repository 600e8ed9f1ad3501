/* notch.c - whole planes through reflex edges. Of those at hand the one is taken that runs along most reflex edges and crosses fewest: each crossed one is two
 * afterwards. */
#include "geometry/decompose/notch.h"
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/cut/cut.h"
#include "geometry/decompose/cutface.h"
#include "geometry/repair/inspect.h"

#define MOST_TRIED 48 /* reflex edges whose planes are compared */
#define CRUMB 1e-14   /* share of the whole volume that a piece must have */
#define SLIVERS 5e-10 /* share that may be lost in slivers too thin to be cut any further */

typedef struct notcher {
    kin_cutter* cutter;
    kin_poly below, above;
    uint32_t* reflex; /* half-edges */
    size_t reflex_count, reflex_room;
    double slack, crumb, lost;
    uint32_t cuts;
} notcher;

typedef struct ranking {
    kin_plane3 planes[3 * MOST_TRIED];
    int scores[3 * MOST_TRIED];
    uint32_t count;
} ranking;

void kin_notch_planes(const kin_connect* connect, uint32_t half, kin_plane3 planes[3])
{
    kin_edge_frame frame = kin_edge_frame_of(connect, half);
    double angles[3] = {frame.dihedral - KIN_PI, KIN_PI, frame.dihedral / 2};
    kin_vec3 at = connect->poly->vertices[kin_half_from(connect, half)];
    for (int k = 0; k < 3; ++k) planes[k] = kin_plane3_through(at, kin_cross(frame.along, kin_edge_direction(&frame, angles[k])));
}

static bool find_reflex(notcher* n, const kin_connect* c)
{
    n->reflex_count = 0;
    for (uint32_t e = 0; e < c->edge_count; ++e) {
        if (!kin_edge_reflex(c, c->edges[e].half, n->slack)) continue;
        if (!kin_reserve(&c->allocator, (void**)&n->reflex, &n->reflex_room, n->reflex_count + 1, sizeof *n->reflex)) return false;
        n->reflex[n->reflex_count++] = c->edges[e].half;
    }
    return true;
}

static int score(const notcher* n, const kin_connect* c, kin_plane3 plane)
{
    int sum = 0;
    kin_vec3 at = kin_scale(plane.normal, plane.offset);
    for (size_t i = 0; i < n->reflex_count; ++i) {
        double a = kin_dot(kin_sub(c->poly->vertices[kin_half_from(c, n->reflex[i])], at), plane.normal);
        double b = kin_dot(kin_sub(c->poly->vertices[kin_half_to(c, n->reflex[i])], at), plane.normal);
        bool on_a = kin_abs(a) <= n->slack, on_b = kin_abs(b) <= n->slack;
        if (on_a && on_b)
            sum += 2;
        else if (!on_a && !on_b && a * b < 0)
            sum -= 1;
    }
    return sum;
}

static void rank_planes(const notcher* n, const kin_connect* c, ranking* r)
{
    size_t tried = n->reflex_count < MOST_TRIED ? n->reflex_count : MOST_TRIED;
    r->count = 0;
    for (size_t i = 0; i < tried; ++i) {
        kin_notch_planes(c, n->reflex[i * n->reflex_count / tried], &r->planes[r->count]);
        for (int k = 0; k < 3; ++k, ++r->count) r->scores[r->count] = score(n, c, r->planes[r->count]);
    }
}

static bool take_best(ranking* r, kin_plane3* plane) /* each once; ties to the first */
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < r->count; ++i) {
        if (r->scores[i] > r->scores[best]) best = i;
    }
    if (r->count == 0 || r->scores[best] == -__INT_MAX__) return false;
    *plane = r->planes[best];
    r->scores[best] = -__INT_MAX__;
    return true;
}

/* Cuts the part along the best plane that leaves something on both sides. */
static kin_result cut_part(notcher* n, const kin_poly* part, const kin_connect* c, kin_pieces* out, bool* cut, kin_error* error)
{
    ranking r;
    kin_plane3 plane;
    kin_cut_def def = kin_cut_def_default();
    def.tolerance = n->slack;
    rank_planes(n, c, &r);
    while (take_best(&r, &plane)) {
        kin_result result = kin_cut(n->cutter, part, plane, &def, &n->below, &n->above, NULL, error);
        if (result == KIN_ERROR_MEMORY) return result;
        double below = kin_poly_volume(&n->below), above = kin_poly_volume(&n->above);
        if (result != KIN_OK || below <= n->crumb || above <= n->crumb) continue;
        size_t before = out->count;
        if (!kin_pieces_add_solids(out, &n->below, n->crumb) || !kin_pieces_add_solids(out, &n->above, n->crumb))
            return kin_fail_memory(error, "convex pieces", part->corner_count * 64);
        n->lost += below + above;
        for (size_t i = before; i < out->count; ++i) n->lost -= kin_poly_volume(&out->parts[i]);
        n->cuts += 1;
        *cut = true;
        return KIN_OK;
    }
    return KIN_OK;
}

/* A stuck part is a sheet as thick as rounding, between two cuts that nearly meet: left out, and counted, while all of these together are nothing. */
static bool leave_out(notcher* n, const kin_poly* part)
{
    double volume = kin_abs(kin_poly_volume(part));
    if (n->lost + volume > SLIVERS / CRUMB * n->crumb) return false;
    n->lost += volume;
    return true;
}

/* One part: convex, cut, or stuck. */
static kin_result work(notcher* n, kin_poly* part, kin_pieces* todo, kin_pieces* done, bool full, kin_error* error)
{
    kin_connect c;
    bool cut = false, convex = false;
    if (!kin_connect_init(&c, part, &part->allocator)) return kin_fail_memory(error, "convex pieces", part->corner_count * 96);
    kin_result result = find_reflex(n, &c) ? KIN_OK : kin_fail_memory(error, "convex pieces", c.edge_count * 4);
    convex = n->reflex_count == 0;
    if (result == KIN_OK && !convex && !full) result = cut_part(n, part, &c, todo, &cut, error);
    kin_connect_term(&c);
    if (result == KIN_OK && !cut && !convex && !full && leave_out(n, part)) return KIN_OK;
    if (result == KIN_OK && !cut && !kin_pieces_add(done, part, convex)) result = kin_fail_memory(error, "convex pieces", sizeof *part);
    return result;
}

static kin_result run(notcher* n, const kin_poly* poly, uint32_t most, kin_pieces* todo, kin_pieces* done, kin_notch_report* report, kin_error* error)
{
    kin_poly flat, part;
    kin_poly_init(&flat, &poly->allocator);
    bool ok = n->cutter != NULL && kin_poly_convex_faces(poly, &flat) && kin_pieces_add_solids(todo, &flat, n->crumb);
    kin_poly_term(&flat);
    kin_result result = ok ? KIN_OK : kin_fail_memory(error, "convex pieces", poly->corner_count * 64);
    for (bool first = true; result == KIN_OK && kin_pieces_pop(todo, &part); first = false) {
        result = work(n, &part, todo, done, todo->count + done->count + 2 > most, error);
        if (first) report->reflex = (uint32_t)n->reflex_count;
        kin_poly_term(&part);
    }
    report->cuts = n->cuts;
    report->lost = n->lost;
    for (size_t i = 0; i < done->count; ++i) report->unresolved += !done->convex[i];
    return result;
}

kin_result kin_decompose_notch(const kin_poly* poly, const kin_notch_def* def, kin_pieces* out, kin_notch_report* report, kin_error* error)
{
    const kin_allocator a = poly->allocator;
    *report = (kin_notch_report){0};
    kin_result result = kin_poly_require_closed(poly, "a convex decomposition", error);
    if (result != KIN_OK) return result;
    kin_pieces todo;
    notcher n = {.cutter = kin_cutter_create(&a), .slack = 16 * kin_poly_grain(kin_poly_bounds(poly)), .crumb = CRUMB * kin_abs(kin_poly_volume(poly))};
    kin_poly_init(&n.below, &a);
    kin_poly_init(&n.above, &a);
    kin_pieces_init(&todo, &a);
    result = run(&n, poly, def->most_parts > 0 ? def->most_parts : 65536, &todo, out, report, error);
    kin_pieces_term(&todo);
    kin_poly_term(&n.below);
    kin_poly_term(&n.above);
    kin_free(&a, n.reflex, kin_bytes(n.reflex_room, sizeof *n.reflex));
    kin_cutter_destroy(n.cutter);
    if (result != KIN_OK) {
        kin_pieces_term(out);
        return result;
    }
    if (report->unresolved > 0) return kin_fail(error, KIN_ERROR_NUMERICS, "", "%u of %zu parts are not convex", report->unresolved, out->count);
    return KIN_OK;
}
