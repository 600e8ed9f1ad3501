/* repair.c - the steps in their order: vertices, faces, windings, holes. Each works on the faces the last one left. */
#include "geometry/repair/repair.h"
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/cut/fill.h"
#include "geometry/repair/inspect.h"
#include "geometry/repair/survey.h"
#include <string.h>

kin_repair_def kin_repair_def_default(void)
{
    return (kin_repair_def){.weld = 0, .drop_duplicates = true, .drop_degenerate = true, .orient = true, .fill_holes = 64};
}

/* ---- faces that stay ---- */

static void keep_faces(kin_poly* p, const bool* drop)
{
    size_t kept = 0, corners = 0;
    for (size_t f = 0; f < p->face_count; ++f) {
        if (drop[f]) continue;
        memmove(p->corners + corners, kin_poly_corners(p, f), p->sizes[f] * sizeof *p->corners);
        p->begin[kept] = (uint32_t)corners;
        p->sizes[kept] = p->sizes[f];
        p->tags[kept++] = p->tags[f];
        corners += p->sizes[f];
    }
    p->face_count = kept;
    p->corner_count = corners;
}

/* ---- vertices ---- */

/* Corners that became one stay one; the ring may end up too short, which is for the next step. */
static void shrink_ring(kin_poly* p, size_t f)
{
    uint32_t *c = p->corners + p->begin[f], n = 0;
    for (uint32_t k = 0; k < p->sizes[f]; ++k) {
        if (n == 0 || c[n - 1] != c[k]) c[n++] = c[k];
    }
    while (n > 1 && c[n - 1] == c[0]) n -= 1;
    p->sizes[f] = n;
}

static void close_gaps(kin_poly* p)
{
    size_t corners = 0;
    for (size_t f = 0; f < p->face_count; ++f) {
        memmove(p->corners + corners, kin_poly_corners(p, f), p->sizes[f] * sizeof *p->corners);
        p->begin[f] = (uint32_t)corners;
        corners += p->sizes[f];
    }
    p->corner_count = corners;
}

static bool weld(kin_poly* p, const kin_repair_def* def, kin_repair_steps* steps)
{
    size_t bytes = kin_bytes(p->vertex_count, sizeof(uint32_t));
    uint32_t* first = kin_alloc(&p->allocator, bytes);
    bool ok = p->vertex_count == 0 || (first != NULL && kin_find_near(&p->allocator, p->vertices, (uint32_t)p->vertex_count, def->weld, first));
    if (ok) {
        for (size_t v = 0; v < p->vertex_count; ++v) steps->welded += first[v] != v;
        for (size_t i = 0; i < p->corner_count; ++i) p->corners[i] = first[p->corners[i]];
        for (size_t f = 0; f < p->face_count; ++f) shrink_ring(p, f);
        close_gaps(p);
    }
    kin_free(&p->allocator, first, bytes);
    return ok;
}

/* ---- faces ---- */

static bool drop_duplicates(kin_poly* p, kin_repair_steps* steps)
{
    const kin_allocator* a = &p->allocator;
    size_t bytes = kin_bytes(p->face_count, sizeof(uint32_t)), n = p->face_count;
    uint32_t* first = kin_alloc(a, bytes);
    bool *drop = kin_alloc(a, n), ok = n == 0 || (first != NULL && drop != NULL && kin_find_twins(p, first));
    for (size_t f = 0; ok && f < n; ++f) {
        drop[f] = first[f] != f;
        steps->duplicates += drop[f];
    }
    if (ok) keep_faces(p, drop);
    kin_free(a, first, bytes);
    kin_free(a, drop, n);
    return ok;
}

/* The edge of a needle that its other corners lie on: the longest. */
static uint32_t longest_edge(const kin_poly* p, size_t f)
{
    const uint32_t *c = kin_poly_corners(p, f), n = p->sizes[f];
    uint32_t best = 0;
    double most = -1;
    for (uint32_t k = 0; k < n; ++k) {
        double length = kin_length2(kin_sub(p->vertices[c[(k + 1) % n]], p->vertices[c[k]]));
        if (length > most) most = length, best = k;
    }
    return best;
}

/* New faces, with those of the needle's corners that lie on its longest edge put into the neighbour's ring between the ends of that edge. */
typedef struct rebuild {
    const kin_connect* c;
    bool* drop;     /* needles of this pass */
    uint32_t* into; /* of each half-edge: the needle's half-edge whose other corners go there, or KIN_NO_HALF */
} rebuild;

static bool is_needle(const kin_connect* c, size_t f)
{
    if (c->poly->sizes[f] < 3 || !kin_face_degenerate(c->poly, f)) return false;
    const uint32_t* corners = kin_poly_corners(c->poly, f);
    for (uint32_t i = 0; i < c->poly->sizes[f]; ++i) {
        for (uint32_t j = 0; j < i; ++j) {
            if (corners[i] == corners[j]) return false;
        }
    }
    return true;
}

/* Degenerate faces that are no needles just go. A needle goes when its neighbour over the long edge stays in this pass. */
static uint32_t choose(rebuild* r)
{
    uint32_t dropped = 0;
    const kin_poly* p = r->c->poly;
    memset(r->drop, 0, p->face_count);
    for (uint32_t f = 0; f < p->face_count; ++f) {
        if (!kin_face_degenerate(p, f) || r->drop[f]) continue;
        if (is_needle(r->c, f)) {
            uint32_t half = p->begin[f] + longest_edge(p, f), twin = r->c->twin[half];
            if (twin != KIN_NO_HALF) {
                if (r->drop[r->c->face[twin]] || r->into[twin] != KIN_NO_HALF || is_needle(r->c, r->c->face[twin])) continue;
                r->into[twin] = half;
            }
        }
        r->drop[f] = true;
        dropped += 1;
    }
    return dropped;
}

static bool rewrite(const rebuild* r, kin_poly* out, uint32_t* ring)
{
    const kin_poly* p = r->c->poly;
    for (uint32_t f = 0; f < p->face_count; ++f) {
        uint32_t n = 0;
        for (uint32_t k = 0; !r->drop[f] && k < p->sizes[f]; ++k) {
            uint32_t half = p->begin[f] + k, needle = r->into[half];
            ring[n++] = p->corners[half];
            if (needle == KIN_NO_HALF) continue;
            for (uint32_t h = kin_half_next(r->c, kin_half_next(r->c, needle)); h != needle; h = kin_half_next(r->c, h)) ring[n++] = p->corners[h];
        }
        if (n > 0 && !kin_poly_add_face(out, ring, n, p->tags[f])) return false;
    }
    return true;
}

static bool take_faces(kin_poly* to, kin_poly* from)
{
    to->face_count = to->corner_count = 0;
    for (size_t f = 0; f < from->face_count; ++f) {
        if (!kin_poly_add_face(to, kin_poly_corners(from, f), from->sizes[f], from->tags[f])) return false;
    }
    return true;
}

/* One pass; *dropped says whether another may help. */
static bool drop_degenerate_once(kin_poly* p, uint32_t* dropped)
{
    const kin_allocator* a = &p->allocator;
    kin_connect c;
    kin_poly out;
    kin_poly_init(&out, a);
    if (!kin_connect_init(&c, p, a)) return false;
    size_t n = p->face_count, bytes = kin_bytes(p->corner_count, sizeof(uint32_t));
    rebuild r = {&c, kin_alloc(a, n), kin_alloc(a, bytes)};
    uint32_t* ring = kin_alloc(a, 2 * bytes);
    bool ok = r.drop != NULL && r.into != NULL && ring != NULL;
    if (ok) {
        memset(r.into, 0xFF, bytes);
        *dropped = choose(&r);
        ok = *dropped == 0 || (rewrite(&r, &out, ring) && take_faces(p, &out));
    }
    kin_free(a, r.drop, n);
    kin_free(a, r.into, bytes);
    kin_free(a, ring, 2 * bytes);
    kin_connect_term(&c);
    kin_poly_term(&out);
    return ok;
}

static bool drop_degenerate(kin_poly* p, kin_repair_steps* steps)
{
    for (uint32_t dropped = 1; dropped > 0 && p->corner_count > 0; steps->degenerate += dropped) {
        dropped = 0;
        if (!drop_degenerate_once(p, &dropped)) return false;
    }
    return true;
}

/* ---- windings ---- */

static void turn_over(kin_poly* p, size_t f)
{
    uint32_t* c = p->corners + p->begin[f];
    for (uint32_t i = 1, j = p->sizes[f] - 1; i < j; ++i, --j) {
        uint32_t swap = c[i];
        c[i] = c[j];
        c[j] = swap;
    }
}

static bool one_winding(kin_poly* p, kin_repair_steps* steps)
{
    const kin_allocator* a = &p->allocator;
    kin_connect c;
    size_t n = p->face_count;
    if (!kin_connect_init(&c, p, a)) return false;
    uint32_t* patch = kin_alloc(a, kin_bytes(n, sizeof *patch));
    bool *flip = kin_alloc(a, n), *sided = kin_alloc(a, n);
    bool ok = patch != NULL && flip != NULL && sided != NULL && kin_find_winding(&c, patch, flip, sided);
    for (size_t f = 0; ok && f < n; ++f) {
        if (!flip[f]) continue;
        turn_over(p, f);
        steps->flipped += 1;
    }
    kin_free(a, patch, kin_bytes(n, sizeof *patch));
    kin_free(a, flip, n);
    kin_free(a, sided, n);
    kin_connect_term(&c);
    return ok;
}

/* Closed components that lie in no other, or in two, four, must have positive volume. */
static kin_result outward(kin_poly* p, kin_repair_steps* steps, kin_error* error)
{
    kin_mesh_report report;
    size_t bytes = kin_bytes(p->face_count, sizeof(uint32_t));
    kin_result result = kin_inspect(p, &(kin_inspect_def){0}, &report, error);
    if (result != KIN_OK) return result;
    uint32_t* component = kin_alloc(&p->allocator, bytes);
    if (component == NULL || kin_poly_components(p, component) == 0) result = kin_fail_memory(error, "mending a mesh", bytes);
    for (size_t f = 0; result == KIN_OK && f < p->face_count; ++f) {
        const kin_mesh_component* c = &report.components[component[f]];
        if (!c->closed || c->volume >= 0 || c->depth % 2 != 0) continue;
        turn_over(p, f);
        steps->flipped += 1;
    }
    kin_free(&p->allocator, component, bytes);
    kin_mesh_report_term(&report);
    return result;
}

/* ---- holes ---- */

static bool cover(kin_poly* p, kin_fill* fill, const uint32_t* ids, uint32_t count, kin_repair_steps* steps)
{
    uint32_t begin[2] = {0, count};
    kin_vec3 normal = {0, 0, 0};
    for (uint32_t i = 1; i + 1 < count; ++i)
        normal = kin_add(normal, kin_cross(kin_sub(p->vertices[ids[i]], p->vertices[ids[0]]), kin_sub(p->vertices[ids[i + 1]], p->vertices[ids[0]])));
    if (!kin_fill_loops(fill, p->vertices, normal, (kin_loops){ids, begin, 1}, false)) return false;
    for (size_t f = 0; f < fill->out.face_count; ++f) {
        if (!kin_poly_add_face(p, kin_poly_corners(&fill->out, f), 3, KIN_REPAIR_COVER)) return false;
        steps->new_faces += 1;
    }
    steps->holes += 1;
    return true;
}

static bool fill_holes(kin_poly* p, uint32_t most, kin_repair_steps* steps)
{
    kin_connect c;
    kin_holes holes;
    kin_fill fill;
    if (!kin_connect_init(&c, p, &p->allocator)) return false;
    bool ok = kin_find_holes(&c, &holes);
    kin_connect_term(&c);
    if (!ok) return false;
    kin_fill_init(&fill, &p->allocator);
    for (uint32_t i = 0; ok && i < holes.count; ++i) {
        uint32_t count = holes.begin[i + 1] - holes.begin[i];
        if (holes.closed[i] && count >= 3 && count <= most) ok = cover(p, &fill, holes.ids + holes.begin[i], count, steps);
    }
    kin_fill_term(&fill);
    kin_holes_term(&holes);
    return ok;
}

kin_result kin_repair(kin_poly* poly, const kin_repair_def* def, kin_repair_steps* steps, kin_error* error)
{
    *steps = (kin_repair_steps){0};
    bool ok = !(def->weld >= 0) || weld(poly, def, steps);
    if (ok && def->drop_duplicates) ok = drop_duplicates(poly, steps);
    if (ok && def->drop_degenerate) ok = drop_degenerate(poly, steps);
    bool any = poly->face_count > 0;
    if (ok && any && def->orient) ok = one_winding(poly, steps);
    if (ok && any && def->fill_holes > 0) ok = fill_holes(poly, def->fill_holes, steps);
    if (!ok) return kin_fail_memory(error, "mending a mesh", poly->corner_count * 96);
    kin_result result = any && def->orient ? outward(poly, steps, error) : KIN_OK;
    if (result == KIN_OK && !kin_poly_compact(poly)) result = kin_fail_memory(error, "mending a mesh", poly->vertex_count * 4);
    return result;
}
