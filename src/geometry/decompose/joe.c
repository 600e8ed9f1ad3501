/* joe.c - input tests, passes over the parts, termination. */
#include "geometry/decompose/joe.h"
#include "base/error.h"
#include "geometry/decompose/cutface.h"
#include "geometry/repair/inspect.h"

kin_joe_def kin_joe_def_default(void)
{
    return (kin_joe_def){.theta_acc = KIN_PI / 6, .d_acc = 0.1, .candidates = 12, .relaxations = 4, .relax = 0.5, .most_parts = 4096};
}

static kin_result check_def(const kin_joe_def* d, kin_error* error)
{
    if (!(d->theta_acc > 0 && d->theta_acc <= KIN_PI / 2))
        return kin_fail(error, KIN_ERROR_ARGUMENT, "", "theta_acc is %g rad: it must be in (0, pi/2]", d->theta_acc);
    if (!(d->d_acc >= 0 && kin_finite(d->d_acc))) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "d_acc is %g: it must not be negative", d->d_acc);
    if (d->candidates < 1 || d->candidates > KIN_JOE_MOST_CANDIDATES)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "", "%u candidate planes: 1 to %d are possible", d->candidates, KIN_JOE_MOST_CANDIDATES);
    if (!(d->relax > 0 && d->relax < 1)) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "relax is %g: it must be in (0, 1)", d->relax);
    return KIN_OK;
}

/* ---- conditions 1 to 7 ---- */

static kin_result check_report(const kin_mesh_report* r, kin_error* error)
{
    const kin_defect_place* vertex = &r->places[KIN_DEFECT_VERTEX][0];
    const kin_defect_place* crossing = &r->places[KIN_DEFECT_CROSSING][0];
    if (r->counts[KIN_DEFECT_VERTEX] > 0)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "", "the faces round vertex %u (%g, %g, %g) form %u circuits: convex pieces need one", vertex->a,
                        vertex->where.x, vertex->where.y, vertex->where.z, vertex->b);
    if (r->counts[KIN_DEFECT_CROSSING] > 0)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "", "faces %u and %u cross near (%g, %g, %g)", crossing->a, crossing->b, crossing->where.x,
                        crossing->where.y, crossing->where.z);
    for (uint32_t i = 0; i < r->component_count; ++i) {
        if (r->components[i].volume < 0) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "component %u is a void, or inside out", i);
    }
    return KIN_OK;
}

static kin_result check_face(const kin_poly* p, uint32_t f, double slack, kin_error* error)
{
    const uint32_t* c = kin_poly_corners(p, f);
    kin_vec3 n = kin_face_normal(p, f);
    if (kin_length2(n) == 0) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "face %u has no area", f);
    for (uint32_t k = 0, size = p->sizes[f]; k < size; ++k) {
        kin_vec3 u = kin_sub(p->vertices[c[(k + 1) % size]], p->vertices[c[k]]), v = kin_sub(p->vertices[c[(k + 2) % size]], p->vertices[c[(k + 1) % size]]);
        if (kin_abs(kin_dot(kin_sub(p->vertices[c[k]], p->vertices[c[0]]), n)) > slack)
            return kin_fail(error, KIN_ERROR_ARGUMENT, "", "face %u is not flat", f);
        if (kin_dot(kin_cross(u, v), n) < -1e-9 * kin_length(u) * kin_length(v))
            return kin_fail(error, KIN_ERROR_ARGUMENT, "", "face %u is not convex: split it first", f);
    }
    return KIN_OK;
}

static kin_result check_input(const kin_poly* poly, double slack, kin_error* error)
{
    kin_mesh_report report;
    kin_result result = kin_poly_require_closed(poly, "a convex decomposition", error);
    if (result == KIN_OK) result = kin_inspect(poly, &(kin_inspect_def){.crossings = true}, &report, error);
    if (result != KIN_OK) return result;
    result = check_report(&report, error);
    kin_mesh_report_term(&report);
    for (uint32_t f = 0; result == KIN_OK && f < poly->face_count; ++f) result = check_face(poly, f, slack, error);
    return result;
}

/* ---- one part ---- */

typedef struct worker {
    const kin_joe_def* def;
    double theta_acc, d_acc, slack;
    kin_cut_face face;
    kin_joe_report* report;
} worker;

static double mean_edge(const kin_connect* c)
{
    double sum = 0;
    for (uint32_t e = 0; e < c->edge_count; ++e) sum += kin_distance(c->poly->vertices[c->edges[e].from], c->poly->vertices[c->edges[e].to]);
    return c->edge_count > 0 ? sum / c->edge_count : 0;
}

static void note_cut(worker* w)
{
    w->report->cuts += 1;
    for (size_t i = 0; i < w->face.count; ++i) w->report->smallest = kin_min(w->report->smallest, w->face.corners[i].dihedral);
}

/* The reflex edges that the cut face runs along. */
static uint32_t reflex_on_rim(const worker* w, const kin_connect* c)
{
    uint32_t count = 0;
    for (size_t i = 0; i < w->face.count; ++i) {
        const kin_cut_corner *a = &w->face.corners[i], *b = &w->face.corners[(i + 1) % w->face.count];
        if (a->face != UINT32_MAX || a->vertex == UINT32_MAX || b->vertex == UINT32_MAX) continue;
        uint32_t half = kin_half_between(c, a->vertex, b->vertex);
        count += half != KIN_NO_HALF && kin_edge_reflex(c, half, w->slack);
    }
    return count;
}

/* Tries the candidate planes of one reflex edge. The first accepted one cuts, or, for the fewest parts, the one along most reflex edges. */
static bool resolve_edge(worker* w, const kin_connect* c, uint32_t half, double nearest, kin_pieces* out, bool* cut)
{
    double angles[KIN_JOE_MOST_CANDIDATES], best = -1;
    uint32_t count = kin_cut_candidates(c, half, w->theta_acc, w->def->candidates, angles), most = 0;
    kin_cut_verdict verdict;
    for (uint32_t i = 0; i < count && (best < 0 || w->def->fewest); ++i) {
        if (!kin_cut_face_trace(&w->face, c, half, angles[i], w->theta_acc, nearest, w->slack, &verdict)) return false;
        w->report->rejected[verdict] += verdict != KIN_CUT_ACCEPTED;
        uint32_t along = verdict == KIN_CUT_ACCEPTED ? reflex_on_rim(w, c) : 0;
        if (along > most) most = along, best = angles[i];
    }
    if (best < 0) return true;
    if (!kin_cut_face_trace(&w->face, c, half, best, w->theta_acc, nearest, w->slack, &verdict) || !kin_cut_face_split(&w->face, c, out)) return false;
    *cut = true;
    note_cut(w);
    return true;
}

/* Cuts a part at the first of its reflex edges that can be resolved; *reflex counts them. */
static bool resolve_part(worker* w, const kin_poly* part, kin_pieces* out, uint32_t* reflex, bool* cut)
{
    kin_connect c;
    *reflex = 0, *cut = false;
    if (!kin_connect_init(&c, part, &part->allocator)) return false;
    double nearest = w->d_acc * mean_edge(&c);
    bool ok = true;
    for (uint32_t e = 0; ok && !*cut && e < c.edge_count; ++e) {
        if (!kin_edge_reflex(&c, c.edges[e].half, w->slack)) continue;
        *reflex += 1;
        ok = resolve_edge(w, &c, c.edges[e].half, nearest, out, cut);
    }
    kin_connect_term(&c);
    return ok;
}

/* ---- passes ---- */

/* Goes through the parts to do until each is convex or stuck; both kinds end in done. */
static bool pass(worker* w, kin_pieces* todo, kin_pieces* done)
{
    kin_poly part;
    bool ok = true;
    while (ok && kin_pieces_pop(todo, &part)) {
        uint32_t reflex = 0;
        bool cut = false, full = todo->count + done->count + 2 > w->def->most_parts;
        ok = full || resolve_part(w, &part, todo, &reflex, &cut);
        if (ok && !cut) ok = kin_pieces_add(done, &part, !full && reflex == 0);
        kin_poly_term(&part);
    }
    return ok;
}

/* The parts that are not convex go back on the list, with lower standards. */
static bool relax(worker* w, kin_pieces* todo, kin_pieces* done)
{
    size_t kept = 0;
    for (size_t i = 0; i < done->count; ++i) {
        if (!done->convex[i]) {
            if (!kin_pieces_add(todo, &done->parts[i], false)) return false;
            continue;
        }
        kin_poly part = done->parts[i];
        kin_poly_init(&done->parts[i], &done->allocator);
        done->parts[kept] = part; /* was empty */
        done->convex[kept++] = true;
    }
    done->count = kept;
    w->theta_acc *= w->def->relax;
    w->d_acc *= w->def->relax;
    return true;
}

static bool count_reflex(const kin_poly* part, double slack, uint32_t* count)
{
    kin_connect c;
    if (!kin_connect_init(&c, part, &part->allocator)) return false;
    for (uint32_t e = 0; e < c.edge_count; ++e) *count += kin_edge_reflex(&c, c.edges[e].half, slack);
    kin_connect_term(&c);
    return true;
}

static bool run(worker* w, const kin_poly* poly, kin_pieces* todo, kin_pieces* done)
{
    if (!count_reflex(poly, w->slack, &w->report->reflex) || !kin_pieces_add_solids(todo, poly, 0)) return false;
    for (w->report->passes = 1;; w->report->passes += 1) {
        w->report->theta_acc = w->theta_acc, w->report->d_acc = w->d_acc;
        if (!pass(w, todo, done)) return false;
        w->report->unresolved = 0;
        for (size_t i = 0; i < done->count; ++i) {
            if (!done->convex[i] && !count_reflex(&done->parts[i], w->slack, &w->report->unresolved)) return false;
        }
        if (w->report->unresolved == 0 || w->report->passes > w->def->relaxations) return true;
        if (!relax(w, todo, done)) return false;
    }
}

kin_result kin_decompose_joe(const kin_poly* poly, const kin_joe_def* def, kin_pieces* out, kin_joe_report* report, kin_error* error)
{
    *report = (kin_joe_report){.smallest = KIN_PI};
    double slack = 16 * kin_poly_grain(kin_poly_bounds(poly));
    kin_result result = check_def(def, error);
    if (result == KIN_OK) result = check_input(poly, slack, error);
    if (result != KIN_OK) return result;
    kin_pieces todo;
    worker w = {.def = def, .theta_acc = def->theta_acc, .d_acc = def->d_acc, .slack = slack, .report = report};
    kin_pieces_init(&todo, &poly->allocator);
    kin_cut_face_init(&w.face, &poly->allocator);
    bool ok = run(&w, poly, &todo, out);
    kin_pieces_term(&todo);
    kin_cut_face_term(&w.face);
    if (!ok) {
        kin_pieces_term(out);
        return kin_fail_memory(error, "a convex decomposition", poly->corner_count * 200);
    }
    if (report->unresolved > 0)
        return kin_fail(error, KIN_ERROR_NUMERICS, "", "%u reflex edges are left in %zu parts after %u passes", report->unresolved, out->count, report->passes);
    return KIN_OK;
}
