/* voronoi.c - cells of seeds, cut out of a closed mesh. */
#include "geometry/tetra/voronoi.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/rng.h"
#include "geometry/cut/cut.h"
#include "geometry/hull/convex_face.h"
#include "geometry/neighbours.h"
#include "geometry/repair/repair.h"
#include "geometry/tetra/shell.h"
#include "math/aabb.h"
#include <string.h>

#define OUTSIDE (KIN_SHARD_INNER - 1) /* tag of the sides of the box that cells start as */
#define MOST_SEEDS (KIN_SHARD_INNER - 1)
#define MOST_TRIES 10000 /* to hit the inside of a body with a random point of its box */

typedef struct breaker {
    const kin_allocator* allocator;
    const kin_mesh* mesh;
    const kin_vec3* seeds;
    uint32_t count;
    kin_neighbours* near;
    kin_cutter* cutter;
    kin_poly box, body, cell, part; /* the start of cells; the mesh; the cell at hand; scratch */
    uint32_t* nearest;              /* of the seed at hand, and how far, squared */
    double* distance2;
    uint32_t nearest_count;
    size_t nearest_room, distance_room;
    uint32_t *component, *owner; /* per face of the part: its component; per component: the one it belongs to */
    size_t component_room, owner_room;
    uint32_t (*triangles)[3]; /* of the piece at hand, */
    uint32_t *tags, *ring;    /* their faces' tags; scratch */
    size_t triangle_room, tag_room, ring_room;
    double inset; /* m: how much nearer to the seed than halfway the body is cut */
    bool open;    /* a piece of the seed at hand is not closed */
    kin_shards* out;
} breaker;

static void swap_polys(kin_poly* a, kin_poly* b)
{
    kin_poly swap = *a;
    *a = *b;
    *b = swap;
}

/* ---- a cell alone ---- */

static bool make_box(kin_poly* box, kin_aabb b)
{
    static const uint32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    b = kin_aabb_grow(b, 0.01 * kin_largest(kin_aabb_size(b))); /* clear of the body, so that its sides cut nothing */
    bool ok = true;
    for (int i = 0; i < 8; ++i) ok = ok && kin_poly_add_vertex(box, kin_v(i & 1 ? b.high.x : b.low.x, i & 2 ? b.high.y : b.low.y, i & 4 ? b.high.z : b.low.z));
    for (int f = 0; f < 6; ++f) ok = ok && kin_poly_add_face(box, quads[f], 4, OUTSIDE);
    return ok;
}

/* Halfway between two seeds; the first is below. */
static kin_plane3 bisector(kin_vec3 a, kin_vec3 b) { return kin_plane3_through(kin_lerp(a, b, 0.5), kin_normalize_or(kin_sub(b, a), kin_v(0, 0, 0))); }

/* The nearest seeds, itself first; k of them or all. */
static bool find_nearest(breaker* b, uint32_t seed, uint32_t k)
{
    if (k > b->count) k = b->count;
    if (!kin_reserve(b->allocator, (void**)&b->nearest, &b->nearest_room, k, sizeof *b->nearest)) return false;
    if (!kin_reserve(b->allocator, (void**)&b->distance2, &b->distance_room, k, sizeof *b->distance2)) return false;
    b->nearest_count = kin_neighbours_nearest(b->near, b->seeds[seed], k, b->nearest, b->distance2);
    return true;
}

static double reach2_of(const kin_poly* cell, kin_vec3 seed)
{
    double most = 0;
    for (size_t v = 0; v < cell->vertex_count; ++v) most = kin_max(most, kin_length2(kin_sub(cell->vertices[v], seed)));
    return most;
}

/* poly cut by the bisector to another seed, its own side kept. */
static kin_result cut_off(breaker* b, kin_poly* poly, uint32_t seed, uint32_t other, kin_error* error)
{
    kin_plane3 plane = bisector(b->seeds[seed], b->seeds[other]);
    plane.offset -= b->inset;
    kin_cut_def def = kin_cut_def_default();
    def.cap_tag = KIN_SHARD_INNER | other;
    kin_result result = kin_cut(b->cutter, poly, plane, &def, &b->part, NULL, NULL, error);
    if (result == KIN_OK) swap_polys(poly, &b->part);
    return result;
}

static kin_result find_cell(breaker* b, uint32_t seed, kin_error* error)
{
    kin_result result = kin_poly_copy(&b->cell, &b->box) ? KIN_OK : kin_fail_memory(error, "a Voronoi cell", 0);
    double reach2 = reach2_of(&b->cell, b->seeds[seed]);
    for (uint32_t k = 0, asked = 24; result == KIN_OK; ++k) {
        if (k == 0 || k == b->nearest_count) {
            if (k > 0 && k == b->count) break;
            if (k > 0) asked *= 4;
            if (!find_nearest(b, seed, asked)) return kin_fail_memory(error, "a Voronoi cell", asked);
        }
        uint32_t other = b->nearest[k];
        if (other == seed) continue;
        if (b->distance2[k] > 4 * reach2 || b->cell.face_count == 0) break; /* halfway to it is beyond the cell: all that follow are, too */
        result = cut_off(b, &b->cell, seed, other, error);
        reach2 = reach2_of(&b->cell, b->seeds[seed]);
    }
    return result;
}

/* ---- the body in it ---- */

/* Whether a face of the cell comes from this seed. */
static bool bounds_cell(const kin_poly* cell, uint32_t other)
{
    for (size_t f = 0; f < cell->face_count; ++f)
        if (cell->tags[f] == (KIN_SHARD_INNER | other)) return true;
    return false;
}

/* Nearest planes first: they take the most away. piece becomes what of the body is in the cell. */
static kin_result cut_body(breaker* b, uint32_t seed, kin_poly* piece, kin_error* error)
{
    kin_result result = kin_poly_copy(piece, &b->body) ? KIN_OK : kin_fail_memory(error, "a Voronoi piece", 0);
    for (uint32_t k = 0; result == KIN_OK && k < b->nearest_count && piece->face_count > 0; ++k) {
        uint32_t other = b->nearest[k];
        if (other != seed && bounds_cell(&b->cell, other)) result = cut_off(b, piece, seed, other, error);
    }
    return result;
}

/* ---- parts that do not hang together ---- */

/* The solid angle, over 4 pi, that faces of a component cover as seen from x: 1 inside, 0 outside (van Oosterom and Strackee 1983). */
static double winding(const kin_poly* p, const uint32_t* component, uint32_t which, kin_vec3 x)
{
    double sum = 0;
    for (size_t f = 0; f < p->face_count; ++f) {
        if (component[f] != which) continue;
        const uint32_t* c = kin_poly_corners(p, f);
        kin_vec3 u = kin_sub(p->vertices[c[0]], x);
        for (uint32_t k = 1; k + 1 < p->sizes[f]; ++k) {
            kin_vec3 v = kin_sub(p->vertices[c[k]], x), w = kin_sub(p->vertices[c[k + 1]], x);
            double lu = kin_length(u), lv = kin_length(v), lw = kin_length(w);
            sum += kin_atan2(kin_triple(u, v, w), lu * lv * lw + kin_dot(u, v) * lw + kin_dot(v, w) * lu + kin_dot(w, u) * lv);
        }
    }
    return sum / (2 * KIN_PI);
}

static double volume_of(const kin_poly* p, const uint32_t* component, uint32_t which, kin_vec3* corner)
{
    double sum = 0;
    kin_vec3 base = p->vertices[p->corners[0]];
    for (size_t f = 0; f < p->face_count; ++f) {
        if (component[f] != which) continue;
        const uint32_t* c = kin_poly_corners(p, f);
        *corner = p->vertices[c[0]];
        for (uint32_t k = 1; k + 1 < p->sizes[f]; ++k)
            sum += kin_triple(kin_sub(p->vertices[c[0]], base), kin_sub(p->vertices[c[k]], base), kin_sub(p->vertices[c[k + 1]], base));
    }
    return sum;
}

/* A component that encloses nothing but is enclosed, a cavity, belongs to the one around it; the others to themselves. */
static void find_owners(breaker* b, const kin_poly* p, uint32_t count)
{
    kin_vec3 corner = {0, 0, 0};
    for (uint32_t c = 0; c < count; ++c) b->owner[c] = volume_of(p, b->component, c, &corner) > 0 ? c : KIN_NO_NEIGHBOR;
    for (uint32_t c = 0; c < count; ++c) {
        if (b->owner[c] == c) continue;
        volume_of(p, b->component, c, &corner);
        for (uint32_t o = 0; o < count && b->owner[c] == KIN_NO_NEIGHBOR; ++o)
            if (b->owner[o] == o && winding(p, b->component, o, corner) > 0.5) b->owner[c] = o;
    }
}

/* ---- pieces ---- */

static uint32_t without(uint32_t* ring, uint32_t n, uint32_t at)
{
    memmove(ring + at, ring + at + 1, (n - at - 1) * sizeof *ring);
    return n - 1;
}

/* A face's corners without edges of no length and without ways there and back, which cuts that graze vertices can leave. Fewer than 3: no face. */
static uint32_t clean_ring(const kin_poly* p, size_t face, uint32_t* ring)
{
    uint32_t n = p->sizes[face];
    memcpy(ring, kin_poly_corners(p, face), n * sizeof *ring);
    for (uint32_t i = 0; i < n && n >= 3;) {
        uint32_t next = (i + 1) % n, after = (i + 2) % n;
        if (ring[i] != ring[next] && ring[i] != ring[after]) {
            i += 1;
            continue;
        }
        bool back = ring[i] == ring[after];
        n = without(ring, n, next);
        if (back) n = without(ring, n, after > next ? after - 1 : after);
        i = 0;
    }
    return n;
}

static bool room_for_triangles(breaker* b, size_t count)
{
    return kin_reserve(b->allocator, (void**)&b->triangles, &b->triangle_room, count, sizeof *b->triangles)
           && kin_reserve(b->allocator, (void**)&b->tags, &b->tag_room, count, sizeof *b->tags)
           && kin_reserve(b->allocator, (void**)&b->ring, &b->ring_room, count, sizeof *b->ring);
}

/* All faces are convex: triangles of the body cut by planes, and caps. Their collinear corners must not make triangles without area. */
static kin_result mesh_of(breaker* b, const kin_poly* p, kin_mesh** out, kin_error* error)
{
    size_t made = 0;
    if (!room_for_triangles(b, p->corner_count)) return kin_fail_memory(error, "a Voronoi piece", kin_bytes(p->corner_count, sizeof *b->triangles));
    for (size_t f = 0; f < p->face_count; ++f) {
        uint32_t n = clean_ring(p, f, b->ring);
        if (n < 3) continue;
        kin_convex_face_triangles(p->vertices, b->ring, n, b->triangles + made);
        for (uint32_t i = 0; i + 2 < n; ++i) b->tags[made++] = p->tags[f];
    }
    kin_mesh_view view = {p->vertices, p->vertex_count, NULL, b->triangles[0], made};
    return kin_mesh_create(b->allocator, &view, out, error);
}

/* Planes through vertices, all but, leave faces too thin to have a normal: corners that are nearly one are made one, and needles go to their neighbours,
 * with more and more tolerance until what is left is closed. *out is NULL if nothing is left. */
static kin_result closed_mesh_of(breaker* b, kin_poly* p, kin_mesh** out, kin_error* error)
{
    double size = kin_largest(kin_aabb_size(b->mesh->bounds));
    kin_repair_def def = {.drop_duplicates = true, .drop_degenerate = true};
    kin_result result = mesh_of(b, p, out, error);
    for (def.weld = 1e-12 * size; result == KIN_OK && !(*out)->closed && def.weld < 1e-8 * size; def.weld *= 10) {
        kin_mesh_destroy(*out);
        *out = NULL;
        kin_repair_steps steps;
        result = kin_repair(p, &def, &steps, error);
        if (result != KIN_OK || p->face_count == 0) return result;
        result = mesh_of(b, p, out, error);
    }
    return result;
}

static kin_result add_piece(breaker* b, uint32_t seed, kin_poly* p, kin_error* error)
{
    kin_shards* all = b->out;
    if (!kin_poly_compact(p) || !kin_reserve(b->allocator, (void**)&all->shards, &all->capacity, all->count + 1, sizeof *all->shards))
        return kin_fail_memory(error, "a Voronoi piece", sizeof *all->shards);
    kin_shard* piece = &all->shards[all->count];
    *piece = (kin_shard){.seed = seed};
    kin_result result = closed_mesh_of(b, p, &piece->mesh, error);
    if (result != KIN_OK || piece->mesh == NULL) return result;
    if (!piece->mesh->closed) {
        kin_mesh_destroy(piece->mesh);
        b->open = true;
        return KIN_OK;
    }
    all->count += 1; /* from here on the owner of all frees it */
    const kin_mesh* m = piece->mesh;
    piece->from = kin_alloc(b->allocator, kin_bytes(m->triangle_count, sizeof *piece->from));
    if (piece->from == NULL) return kin_fail_memory(error, "a Voronoi piece", kin_bytes(m->triangle_count, sizeof *piece->from));
    for (uint32_t t = 0; t < m->triangle_count; ++t) piece->from[t] = b->tags[m->faces[t]];
    result = kin_mass_of_mesh(m, KIN_MASS_TETRAHEDRA, &piece->mass, error);
    if (result == KIN_OK && all->convex) result = kin_hull_create(b->allocator, m->vertices, m->vertex_count, 0, &piece->hull, error);
    return result;
}

/* The faces of one owner, as a poly of their own in b->part. */
static bool take_out(breaker* b, const kin_poly* p, uint32_t owner)
{
    kin_poly_clear(&b->part);
    bool ok = true;
    for (size_t v = 0; v < p->vertex_count; ++v) ok = ok && kin_poly_add_vertex(&b->part, p->vertices[v]);
    for (size_t f = 0; f < p->face_count; ++f)
        if (b->owner[b->component[f]] == owner) ok = ok && kin_poly_add_face(&b->part, kin_poly_corners(p, f), p->sizes[f], p->tags[f]);
    return ok;
}

static kin_result split(breaker* b, uint32_t seed, kin_poly* p, kin_error* error)
{
    if (p->face_count == 0) return KIN_OK;
    bool ok = kin_reserve(b->allocator, (void**)&b->component, &b->component_room, p->face_count, sizeof *b->component);
    uint32_t count = ok ? kin_poly_components(p, b->component) : 0;
    if (count == 0 || !kin_reserve(b->allocator, (void**)&b->owner, &b->owner_room, count, sizeof *b->owner))
        return kin_fail_memory(error, "a Voronoi piece", kin_bytes(p->face_count, sizeof *b->component));
    if (count == 1) return add_piece(b, seed, p, error);
    find_owners(b, p, count);
    kin_result result = KIN_OK;
    for (uint32_t c = 0; c < count && result == KIN_OK; ++c) {
        if (b->owner[c] != c) continue;
        result = take_out(b, p, c) ? add_piece(b, seed, &b->part, error) : kin_fail_memory(error, "a Voronoi piece", 0);
    }
    return result;
}

/* ---- all of it ---- */

static kin_result check_seeds(const breaker* b, kin_error* error)
{
    if (b->count == 0 || b->count > MOST_SEEDS) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "%u seeds: at least 1, at most %u", b->count, MOST_SEEDS);
    for (uint32_t i = 0; i < b->count; ++i) {
        kin_vec3 s = b->seeds[i];
        if (!kin_finite3(s)) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "seed %u (%g, %g, %g) is not finite", i, s.x, s.y, s.z);
        uint32_t two[2];
        double distance2[2];
        if (kin_neighbours_nearest(b->near, s, 2, two, distance2) == 2 && distance2[1] == 0)
            return kin_fail(error, KIN_ERROR_ARGUMENT, "", "seeds %u and %u are at one place", two[0], two[1]);
    }
    return KIN_OK;
}

/* Whether the mesh is its own hull. A flat hull is none. */
static kin_result find_convex(breaker* b, double volume, kin_error* error)
{
    kin_hull* hull = NULL;
    kin_result result = kin_hull_create(b->allocator, b->mesh->vertices, b->mesh->vertex_count, 0, &hull, error);
    b->out->convex = result == KIN_OK && hull->volume <= volume * (1 + 1e-12) + hull->slack * kin_aabb_area(hull->bounds);
    kin_hull_destroy(hull);
    return result == KIN_ERROR_MEMORY ? result : KIN_OK;
}

static kin_result begin(breaker* b, kin_error* error)
{
    const kin_mesh* m = b->mesh;
    kin_mass mass;
    kin_result result = kin_mass_of_mesh(m, KIN_MASS_TETRAHEDRA, &mass, error);
    if (result == KIN_OK) result = kin_neighbours_create(b->allocator, &(kin_neighbours_def){.kind = KIN_NEIGHBOURS_KDTREE}, &b->near, error);
    if (result == KIN_OK) result = kin_neighbours_update(b->near, NULL, kin_points_of_vectors(b->seeds), b->count, 0, error);
    if (result == KIN_OK) result = check_seeds(b, error);
    if (result == KIN_OK) result = find_convex(b, mass.mass, error);
    kin_mesh_view view = {m->vertices, m->vertex_count, NULL, m->triangles[0], m->triangle_count};
    if (result == KIN_OK) result = kin_poly_read(&b->body, &view, error);
    b->cutter = kin_cutter_create(b->allocator);
    if (result == KIN_OK && (b->cutter == NULL || !make_box(&b->box, m->bounds))) result = kin_fail_memory(error, "Voronoi pieces", 0);
    return result;
}

static void drop_pieces(kin_shards* p, size_t keep)
{
    for (; p->count > keep; --p->count) {
        kin_shard* piece = &p->shards[p->count - 1];
        kin_free(&p->allocator, piece->from, kin_bytes(piece->mesh->triangle_count, sizeof *piece->from));
        kin_mesh_destroy(piece->mesh);
        kin_hull_destroy(piece->hull);
    }
}

/* A piece whose plane runs just along an edge of the body may touch itself there, which no closed mesh can: then it is cut a hair smaller. */
static kin_result break_off(breaker* b, uint32_t seed, kin_poly* piece, kin_error* error)
{
    double size = kin_largest(kin_aabb_size(b->mesh->bounds));
    const double insets[] = {0, 1e-10 * size, 7e-10 * size, 5e-9 * size};
    size_t before = b->out->count;
    b->inset = 0;
    kin_result result = find_cell(b, seed, error);
    if (b->cell.face_count == 0) return result;
    b->open = true;
    for (int i = 0; i < 4 && result == KIN_OK && b->open; ++i) {
        drop_pieces(b->out, before);
        b->inset = insets[i];
        b->open = false;
        result = cut_body(b, seed, piece, error);
        if (result == KIN_OK) result = split(b, seed, piece, error);
    }
    if (result == KIN_OK && b->open) result = kin_fail(error, KIN_ERROR_NUMERICS, "", "the piece of seed %u cannot be closed: it touches itself", seed);
    return result;
}

static kin_result break_up(breaker* b, kin_error* error)
{
    kin_result result = begin(b, error);
    kin_poly piece;
    kin_poly_init(&piece, b->allocator);
    for (uint32_t s = 0; s < b->count && result == KIN_OK; ++s) result = break_off(b, s, &piece, error);
    kin_poly_term(&piece);
    return result;
}

static void end(breaker* b)
{
    const kin_allocator* a = b->allocator;
    kin_neighbours_destroy(b->near);
    kin_cutter_destroy(b->cutter);
    kin_poly* polys[] = {&b->box, &b->body, &b->cell, &b->part};
    for (int i = 0; i < 4; ++i) kin_poly_term(polys[i]);
    kin_free(a, b->nearest, b->nearest_room * sizeof *b->nearest);
    kin_free(a, b->distance2, b->distance_room * sizeof *b->distance2);
    kin_free(a, b->component, b->component_room * sizeof *b->component);
    kin_free(a, b->owner, b->owner_room * sizeof *b->owner);
    kin_free(a, b->triangles, b->triangle_room * sizeof *b->triangles);
    kin_free(a, b->tags, b->tag_room * sizeof *b->tags);
    kin_free(a, b->ring, b->ring_room * sizeof *b->ring);
}

kin_result kin_voronoi_break(const kin_allocator* allocator, const kin_mesh* mesh, const kin_vec3* seeds, uint32_t count, kin_shards** out, kin_error* error)
{
    *out = NULL;
    kin_shards* pieces = kin_alloc_zero(allocator, sizeof *pieces);
    if (pieces == NULL) return kin_fail_memory(error, "Voronoi pieces", sizeof *pieces);
    pieces->allocator = *allocator;
    breaker b = {.allocator = allocator, .mesh = mesh, .seeds = seeds, .count = count, .out = pieces};
    kin_poly* polys[] = {&b.box, &b.body, &b.cell, &b.part};
    for (int i = 0; i < 4; ++i) kin_poly_init(polys[i], allocator);
    kin_result result = break_up(&b, error);
    end(&b);
    if (result == KIN_OK)
        *out = pieces;
    else
        kin_shards_destroy(pieces);
    return result;
}

void kin_shards_destroy(kin_shards* pieces)
{
    if (pieces == NULL) return;
    kin_allocator a = pieces->allocator;
    drop_pieces(pieces, 0);
    kin_free(&a, pieces->shards, pieces->capacity * sizeof *pieces->shards);
    kin_free(&a, pieces, sizeof *pieces);
}

/* ---- seeds ---- */

kin_result kin_voronoi_scatter(const kin_allocator* allocator, const kin_mesh* mesh, uint64_t seed, uint32_t count, kin_vec3* out, kin_error* error)
{
    if (!mesh->closed) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "the mesh is not closed: it has no inside");
    kin_shell shell;
    kin_result result = kin_shell_init(&shell, allocator, mesh) ? KIN_OK : kin_fail_memory(error, "seeds", mesh->triangle_count * sizeof(kin_aabb));
    kin_vec3 size = kin_aabb_size(mesh->bounds);
    for (uint32_t i = 0; i < count && result == KIN_OK; ++i) {
        kin_rng_key key = {.seed = seed, .serial = i};
        uint32_t draw = 0;
        do {
            uint64_t w[4];
            kin_rng_words(&key, draw, w);
            out[i] = kin_add(mesh->bounds.low, kin_mul(size, kin_v(kin_rng_unit(w[0]), kin_rng_unit(w[1]), kin_rng_unit(w[2]))));
        } while (kin_shell_distance(&shell, out[i]) >= 0 && ++draw < MOST_TRIES);
        if (draw == MOST_TRIES) result = kin_fail(error, KIN_ERROR_LIMIT, "", "no point inside found in %d tries: the mesh is all but empty", MOST_TRIES);
    }
    kin_shell_term(&shell);
    return result;
}
