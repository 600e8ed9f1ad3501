/* approx.c - cut the worst piece, join what may be joined, make the hulls. */
#include "geometry/decompose/approx.h"
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/cut/cut.h"
#include "geometry/decompose/notch.h"
#include "geometry/decompose/pieces.h"
#include "geometry/decompose/standoff.h"
#include "geometry/repair/inspect.h"
#include "math/aabb.h"

#define SHARPEST 8     /* reflex edges whose planes are tried */
#define MOST_PLANES 64 /* along an axis */
#define MOST_TRIED (3 * MOST_PLANES + 3 * SHARPEST)
/* What a cut costs, in volumes of the piece's hull. Often no single cut gains anything (a ring has to be cut twice): then these decide. */
#define PIECE_COST 0.002  /* for each part */
#define UNEVEN_COST 0.005 /* times the largest part's share of the volume */
#define AREA_COST 0.02    /* times the area of the section over that of a cube like the hull */
#define ROUNDS 4          /* of cutting and joining */
#define CRUMB 1e-9        /* share of the whole volume below which a piece is not worth a hull */

typedef struct worker {
    kin_approx_def def;
    double crumb, grain;
    kin_pieces pieces; /* convex: done with */
    double* concavity; /* of each piece; < 0: not measured */
    size_t concavity_room;
    kin_allocator allocator;
    kin_error* error;
} worker;

static kin_result out_of_memory(worker* w) { return kin_fail_memory(w->error, "an approximate decomposition", w->pieces.count * 4096); }

/* ---- hulls ---- */

/* The hull's volume, or -1; flat pieces, which have no hull, have none. */
static double hull_volume(const kin_poly* p)
{
    kin_hull* hull;
    kin_result result = kin_hull_create(&p->allocator, p->vertices, p->vertex_count, 0, &hull, NULL);
    if (result != KIN_OK) return result == KIN_ERROR_MEMORY ? -1 : 0;
    double volume = hull->volume;
    kin_hull_destroy(hull);
    return volume;
}

/* How far piece and hull stand apart; -1: out of memory. */
static double measure(const worker* w, const kin_poly* p, uint32_t most_vertices)
{
    kin_hull* hull;
    kin_result result = kin_hull_create(&p->allocator, p->vertices, p->vertex_count, most_vertices, &hull, NULL);
    if (result != KIN_OK) return result == KIN_ERROR_MEMORY ? -1 : 0;
    double d = kin_standoff(p, hull, kin_standoff_spacing(p, 0.5 * w->def.concavity));
    kin_hull_destroy(hull);
    return d;
}

/* ---- planes ---- */

typedef struct trial {
    const worker* w;
    const kin_poly* piece;
    kin_plane3 planes[MOST_TRIED];
    double scores[MOST_TRIED]; /* volume of all hulls after the cut, with its costs; inf: no cut; < 0: out of memory */
    uint32_t count;
    double hull; /* volume of the piece's hull */
} trial;

static void add_axis_planes(trial* t)
{
    kin_aabb box = kin_poly_bounds(t->piece);
    for (int axis = 0; axis < 3; ++axis) {
        double low = kin_component(box.low, axis), high = kin_component(box.high, axis);
        for (uint32_t k = 1; k <= t->w->def.planes; ++k)
            t->planes[t->count++] = (kin_plane3){kin_axis(axis), kin_mix(low, high, (double)k / (t->w->def.planes + 1))};
    }
}

typedef struct sharp_edges { /* the reflex edges with most bend times length, falling */
    uint32_t halves[SHARPEST], count;
    double weights[SHARPEST];
} sharp_edges;

static void offer_edge(sharp_edges* s, uint32_t half, double weight)
{
    if (s->count == SHARPEST && weight <= s->weights[SHARPEST - 1]) return;
    uint32_t at = s->count < SHARPEST ? s->count++ : SHARPEST - 1;
    for (; at > 0 && s->weights[at - 1] < weight; --at) s->weights[at] = s->weights[at - 1], s->halves[at] = s->halves[at - 1];
    s->weights[at] = weight, s->halves[at] = half;
}

static bool add_edge_planes(trial* t)
{
    kin_connect c;
    sharp_edges sharp = {.count = 0};
    if (!kin_connect_init(&c, t->piece, &t->piece->allocator)) return false;
    for (uint32_t e = 0; e < c.edge_count; ++e) {
        uint32_t half = c.edges[e].half;
        if (!kin_edge_reflex(&c, half, t->w->grain)) continue;
        offer_edge(&sharp, half, (kin_dihedral(&c, half) - KIN_PI) * kin_distance(t->piece->vertices[c.edges[e].from], t->piece->vertices[c.edges[e].to]));
    }
    for (uint32_t i = 0; i < sharp.count; ++i, t->count += 3) kin_notch_planes(&c, sharp.halves[i], &t->planes[t->count]);
    kin_connect_term(&c);
    return true;
}

static kin_result cut_solids(const trial* t, kin_cutter* cutter, uint32_t plane, kin_pieces* out, double* area)
{
    kin_poly half[2];
    kin_cut_def def = kin_cut_def_default();
    kin_cut_report report = {0};
    for (int k = 0; k < 2; ++k) kin_poly_init(&half[k], &t->piece->allocator);
    def.tolerance = t->w->grain;
    kin_result result = cutter == NULL ? KIN_ERROR_MEMORY : kin_cut(cutter, t->piece, t->planes[plane], &def, &half[0], &half[1], &report, NULL);
    for (int k = 0; k < 2; ++k) {
        if (result == KIN_OK && !kin_pieces_add_solids(out, &half[k], t->w->crumb)) result = KIN_ERROR_MEMORY;
        kin_poly_term(&half[k]);
    }
    *area = report.area;
    return result;
}

/* The hulls' volumes and the costs; < 0: out of memory. */
static double judge(const trial* t, const kin_pieces* parts, double area)
{
    double sum = t->hull * (PIECE_COST * (double)parts->count + AREA_COST * area / kin_square(kin_cbrt(t->hull))), all = 0, largest = 0;
    for (size_t i = 0; i < parts->count; ++i) {
        double volume = kin_poly_volume(&parts->parts[i]), hull = hull_volume(&parts->parts[i]);
        if (hull < 0) return -1;
        sum += hull;
        all += volume;
        largest = kin_max(largest, volume);
    }
    return sum + t->hull * UNEVEN_COST * largest / all;
}

static double try_plane(const trial* t, kin_cutter* cutter, uint32_t plane)
{
    kin_pieces parts;
    double area, score = __builtin_inf();
    kin_pieces_init(&parts, &t->piece->allocator);
    kin_result result = cut_solids(t, cutter, plane, &parts, &area);
    if (result == KIN_ERROR_MEMORY)
        score = -1;
    else if (result == KIN_OK && parts.count > 1)
        score = judge(t, &parts, area);
    kin_pieces_term(&parts);
    return score;
}

static void try_planes(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    trial* t = argument;
    (void)chunk, (void)scratch;
    kin_cutter* cutter = kin_cutter_create(&t->piece->allocator);
    for (int64_t i = begin; i < end; ++i) t->scores[i] = try_plane(t, cutter, (uint32_t)i);
    kin_cutter_destroy(cutter);
}

/* ---- cutting ---- */

static kin_result keep_concavities(worker* w, size_t from)
{
    if (!kin_reserve(&w->allocator, (void**)&w->concavity, &w->concavity_room, w->pieces.count, sizeof *w->concavity)) return out_of_memory(w);
    for (size_t i = from; i < w->pieces.count; ++i) {
        w->concavity[i] = measure(w, &w->pieces.parts[i], 0);
        if (w->concavity[i] < 0) return out_of_memory(w);
    }
    return KIN_OK;
}

/* The worst piece that is not done with, or the count when all are good enough. */
static size_t worst_piece(const worker* w)
{
    size_t worst = w->pieces.count;
    for (size_t i = 0; i < w->pieces.count; ++i) {
        if (w->pieces.convex[i] || w->concavity[i] <= w->def.concavity) continue;
        if (worst == w->pieces.count || w->concavity[i] > w->concavity[worst]) worst = i;
    }
    return worst;
}

/* The piece's place goes to its first part, the others come last. */
static kin_result replace(worker* w, size_t i, const trial* t, uint32_t plane)
{
    size_t before = w->pieces.count;
    kin_cutter* cutter = kin_cutter_create(&w->allocator);
    double area;
    kin_result result = cut_solids(t, cutter, plane, &w->pieces, &area);
    kin_cutter_destroy(cutter);
    if (result != KIN_OK || w->pieces.count < before + 2) return out_of_memory(w);
    kin_poly_term(&w->pieces.parts[i]);
    w->pieces.parts[i] = w->pieces.parts[--w->pieces.count];
    kin_poly_init(&w->pieces.parts[w->pieces.count], &w->allocator);
    w->concavity[i] = measure(w, &w->pieces.parts[i], 0);
    return w->concavity[i] < 0 ? out_of_memory(w) : keep_concavities(w, before);
}

static kin_result cut_piece(worker* w, size_t i, kin_approx* out)
{
    const kin_poly piece = w->pieces.parts[i]; /* the list may move under it */
    trial t = {.w = w, .piece = &piece, .hull = hull_volume(&piece)};
    if (t.hull < 0) return out_of_memory(w);
    add_axis_planes(&t);
    if (!add_edge_planes(&t)) return out_of_memory(w);
    if (w->def.jobs != NULL)
        kin_parallel_for(w->def.jobs, t.count, 1, try_planes, &t);
    else
        try_planes(&t, 0, t.count, 0, NULL);
    uint32_t best = 0;
    for (uint32_t k = 0; k < t.count; ++k) {
        if (t.scores[k] < 0) return out_of_memory(w);
        if (t.scores[k] < t.scores[best]) best = k;
    }
    if (!(t.scores[best] < __builtin_inf())) { /* no plane parts it */
        w->pieces.convex[i] = true;
        return KIN_OK;
    }
    out->cuts += 1;
    return replace(w, i, &t, best);
}

static kin_result cut_all(worker* w, kin_approx* out)
{
    kin_result result = KIN_OK;
    while (result == KIN_OK && w->pieces.count < w->def.most_pieces) {
        size_t i = worst_piece(w);
        if (i == w->pieces.count) break;
        result = cut_piece(w, i, out);
    }
    return result;
}

/* ---- joining ---- */

typedef struct pairing {
    worker* w;
    double* hulls;  /* volume of each piece's hull, m^3 */
    double* excess; /* of each pair: empty volume that the common hull adds, m^3; inf: apart, or tried in vain */
    bool* refused;  /* of each pair: the common hull stands off too far */
    size_t stride;
} pairing;

/* A hull that adds more than its surface times the concavity stands off too far somewhere. */
static double pair_excess(const pairing* p, size_t a, size_t b, kin_poly* both, bool* refused)
{
    const kin_poly *x = &p->w->pieces.parts[a], *y = &p->w->pieces.parts[b];
    kin_hull* hull;
    if (!kin_aabb_overlaps(kin_aabb_grow(kin_poly_bounds(x), p->w->def.concavity), kin_poly_bounds(y))) return __builtin_inf();
    if (!kin_poly_copy(both, x) || !kin_poly_append(both, y)) return -1;
    kin_result result = kin_hull_create(&both->allocator, both->vertices, both->vertex_count, 0, &hull, NULL);
    if (result != KIN_OK) return result == KIN_ERROR_MEMORY ? -1 : __builtin_inf();
    double excess = kin_max(hull->volume - p->hulls[a] - p->hulls[b], 0);
    *refused = excess > p->w->def.concavity * kin_aabb_area(hull->bounds);
    kin_hull_destroy(hull);
    return excess;
}

/* The pairs of piece i with all pieces before `end`. */
static bool fill_row(pairing* p, size_t i, size_t end, kin_poly* both)
{
    p->hulls[i] = hull_volume(&p->w->pieces.parts[i]);
    if (p->hulls[i] < 0) return false;
    for (size_t k = 0; k < end; ++k) {
        size_t at = i < k ? i * p->stride + k : k * p->stride + i;
        if (k == i) continue;
        p->refused[at] = false;
        p->excess[at] = pair_excess(p, i, k, both, &p->refused[at]);
        if (p->excess[at] < 0) return false;
    }
    return true;
}

/* The pair with the least excess, of all that may still be joined; forced: of all that touch. */
static bool best_pair(const pairing* p, bool forced, size_t* a, size_t* b)
{
    double least = __builtin_inf();
    for (size_t i = 0; i < p->w->pieces.count; ++i) {
        for (size_t k = i + 1; k < p->w->pieces.count; ++k) {
            size_t at = i * p->stride + k;
            if ((p->refused[at] && !forced) || !(p->excess[at] < least)) continue;
            least = p->excess[at], *a = i, *b = k;
        }
    }
    return least < __builtin_inf();
}

/* b joins a; the last piece takes b's place, with its row. */
static void take_out(pairing* p, size_t b)
{
    kin_pieces* pieces = &p->w->pieces;
    size_t last = --pieces->count;
    kin_poly_term(&pieces->parts[b]);
    if (b == last) return;
    pieces->parts[b] = pieces->parts[last];
    kin_poly_init(&pieces->parts[last], &pieces->allocator);
    pieces->convex[b] = pieces->convex[last];
    p->w->concavity[b] = p->w->concavity[last];
    p->hulls[b] = p->hulls[last];
    for (size_t k = 0; k < last; ++k) {
        if (k == b) continue;
        size_t to = k < b ? k * p->stride + b : b * p->stride + k;
        p->excess[to] = p->excess[k * p->stride + last];
        p->refused[to] = p->refused[k * p->stride + last];
    }
}

static kin_result join_pairs(pairing* p, kin_poly* both, kin_approx* out)
{
    worker* w = p->w;
    size_t a = 0, b = 0;
    for (;;) {
        bool forced = w->pieces.count > w->def.most_pieces;
        if (!best_pair(p, forced, &a, &b)) return KIN_OK;
        if (!kin_poly_copy(both, &w->pieces.parts[a]) || !kin_poly_append(both, &w->pieces.parts[b])) return out_of_memory(w);
        double d = measure(w, both, 0);
        if (d < 0) return out_of_memory(w);
        if (d > w->def.concavity && !forced) {
            p->refused[a * p->stride + b] = true;
            continue;
        }
        kin_poly swap = w->pieces.parts[a];
        w->pieces.parts[a] = *both;
        *both = swap;
        w->concavity[a] = d;
        w->pieces.convex[a] = false;
        take_out(p, b);
        out->joins += 1;
        if (!fill_row(p, a, w->pieces.count, both)) return out_of_memory(w);
    }
}

static kin_result join_all(worker* w, kin_approx* out)
{
    size_t n = w->pieces.count, bytes = kin_bytes(n * n, sizeof(double)), hull_bytes = kin_bytes(n, sizeof(double));
    pairing p = {.w = w, .excess = kin_alloc(&w->allocator, bytes), .refused = kin_alloc(&w->allocator, n * n), .stride = n};
    p.hulls = kin_alloc(&w->allocator, hull_bytes);
    kin_poly both;
    kin_poly_init(&both, &w->allocator);
    bool ok = p.excess != NULL && p.refused != NULL && p.hulls != NULL;
    for (size_t i = 0; ok && i < n; ++i) ok = fill_row(&p, i, i, &both);
    kin_result result = ok ? join_pairs(&p, &both, out) : out_of_memory(w);
    kin_poly_term(&both);
    kin_free(&w->allocator, p.excess, bytes);
    kin_free(&w->allocator, p.refused, n * n);
    kin_free(&w->allocator, p.hulls, hull_bytes);
    return result;
}

/* ---- result ---- */

static kin_result make_hulls(worker* w, kin_approx* out)
{
    for (size_t i = 0; i < w->pieces.count; ++i) {
        const kin_poly* p = &w->pieces.parts[i];
        kin_approx_piece piece = {.volume = kin_poly_volume(p)};
        if (!kin_reserve(&out->allocator, (void**)&out->pieces, &out->room, out->count + 1, sizeof *out->pieces)) return out_of_memory(w);
        kin_result result = kin_hull_create(&out->allocator, p->vertices, p->vertex_count, w->def.most_vertices, &piece.hull, w->error);
        if (result == KIN_ERROR_MEMORY) return result;
        if (result != KIN_OK) continue; /* flat: nothing to stand for */
        out->pieces[out->count++] = piece;
        piece.concavity = kin_standoff(p, piece.hull, kin_standoff_spacing(p, 0.5 * w->def.concavity));
        if (piece.concavity < 0) return out_of_memory(w);
        out->pieces[out->count - 1].concavity = piece.concavity;
        out->concavity = kin_max(out->concavity, piece.concavity);
        out->hull_volume += piece.hull->volume;
    }
    return KIN_OK;
}

static void measure_cover(const kin_poly* poly, kin_approx* out)
{
    for (size_t v = 0; v < poly->vertex_count; ++v) {
        double nearest = 1e308;
        for (uint32_t i = 0; i < out->count && nearest > out->uncovered; ++i)
            nearest = kin_min(nearest, kin_hull_outside(out->pieces[i].hull, poly->vertices[v]));
        if (out->count > 0) out->uncovered = kin_max(out->uncovered, nearest);
    }
    if (out->uncovered < 16 * kin_poly_grain(kin_poly_bounds(poly))) out->uncovered = 0; /* rounding */
}

static kin_result run(worker* w, const kin_poly* poly, kin_approx* out)
{
    kin_poly flat;
    kin_poly_init(&flat, &w->allocator);
    bool ok = kin_poly_convex_faces(poly, &flat) && kin_pieces_add_solids(&w->pieces, &flat, w->crumb);
    kin_poly_term(&flat);
    kin_result result = ok ? KIN_OK : out_of_memory(w);
    if (result == KIN_OK && w->pieces.count == 0) result = kin_fail(w->error, KIN_ERROR_ARGUMENT, "", "the mesh encloses no volume, or is inside out");
    if (result == KIN_OK) result = keep_concavities(w, 0);
    for (int round = 0; result == KIN_OK && round < ROUNDS; ++round) { /* joining makes room for more cuts */
        if (round > 0 && (w->pieces.count >= w->def.most_pieces || worst_piece(w) == w->pieces.count)) break;
        result = cut_all(w, out);
        if (result == KIN_OK) result = join_all(w, out);
    }
    return result == KIN_OK ? make_hulls(w, out) : result;
}

static kin_result check_def(kin_approx_def* d, double diagonal, kin_error* error)
{
    if (!(d->concavity >= 0 && kin_finite(d->concavity)))
        return kin_fail(error, KIN_ERROR_ARGUMENT, "", "concavity is %g m: it must not be negative", d->concavity);
    if (d->most_vertices > 0 && d->most_vertices < 4) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "hulls of %u vertices: at least 4", d->most_vertices);
    if (d->planes > MOST_PLANES) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "%u planes along an axis: at most %d", d->planes, MOST_PLANES);
    if (d->concavity == 0) d->concavity = 0.02 * diagonal;
    if (d->most_pieces == 0) d->most_pieces = 64;
    if (d->most_vertices == 0) d->most_vertices = 64;
    if (d->planes == 0) d->planes = 12;
    return KIN_OK;
}

kin_result kin_decompose_approx(const kin_poly* poly, const kin_approx_def* def, kin_approx* out, kin_error* error)
{
    kin_aabb box = kin_poly_bounds(poly);
    worker w = {.def = *def, .allocator = poly->allocator, .error = error, .grain = 16 * kin_poly_grain(box)};
    *out = (kin_approx){.allocator = poly->allocator};
    kin_result result = kin_poly_require_closed(poly, "a convex decomposition", error);
    if (result == KIN_OK) result = check_def(&w.def, kin_distance(box.low, box.high), error);
    if (result != KIN_OK) return result;
    out->wanted = w.def.concavity;
    out->volume = kin_poly_volume(poly);
    w.crumb = CRUMB * kin_abs(out->volume);
    kin_pieces_init(&w.pieces, &w.allocator);
    result = run(&w, poly, out);
    kin_pieces_term(&w.pieces);
    kin_free(&w.allocator, w.concavity, kin_bytes(w.concavity_room, sizeof *w.concavity));
    if (result == KIN_OK)
        measure_cover(poly, out);
    else
        kin_approx_term(out);
    return result;
}

void kin_approx_term(kin_approx* approx)
{
    kin_allocator a = approx->allocator;
    for (uint32_t i = 0; i < approx->count; ++i) kin_hull_destroy(approx->pieces[i].hull);
    kin_free(&a, approx->pieces, kin_bytes(approx->room, sizeof *approx->pieces));
    *approx = (kin_approx){.allocator = a};
}
