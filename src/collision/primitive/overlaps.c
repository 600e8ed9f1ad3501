/* overlaps.c - regions: crossings joined into curves, curves into regions, vertices inside flooded from the crossed edges. */
#include "collision/primitive/overlaps.h"
#include "base/error.h"
#include "base/sort.h"
#include "collision/primitive/overlaps_internal.h"
#include "geometry/predicates.h"
#include <string.h>

#define NONE UINT32_MAX

/* An end of a crossing, filed under the feature of one mesh that it lies on and the triangle of the other. */
typedef struct ends {
    uint64_t* keys; /* feature << 32 | triangle */
    uint32_t* crossings;
    uint64_t* scratch_keys;
    uint32_t* scratch_values;
    size_t count;
} ends;

/* An edge going through a triangle of the other mesh. */
typedef struct passage {
    uint32_t edge, crossing;
    double along; /* fraction of the edge */
    bool enters;
    bool grazes; /* goes through an edge or corner of the other: whether in and out, or just in, one triangle cannot tell */
} passage;

typedef struct regions {
    kin_overlap_pair pair;
    const kin_crossings* crossings;
    kin_arena* arena;
    uint32_t* parent; /* of crossings: those of one region have one root, the lowest */
    ends ends[2];
    passage* passages[2]; /* by edge, then along */
    size_t passage_count[2];
    uint8_t* crossed[2];  /* of each directed edge, triangle * 3 + k */
    uint32_t* inside[2];  /* of each vertex: a crossing of its region, or NONE */
    uint32_t* touched[2]; /* of each vertex that lies on the other's surface: a crossing that says so; else NONE */
    uint8_t* asked[2];
    uint32_t* queue;
} regions;

static const kin_mesh* mesh_of(const regions* r, int side) { return r->pair.mesh[side]->mesh; }

/* ---- crossings of one region ---- */

static uint32_t root_of(uint32_t* parent, uint32_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static void join(uint32_t* parent, uint32_t i, uint32_t j)
{
    i = root_of(parent, i), j = root_of(parent, j);
    if (i < j) parent[j] = i;
    if (j < i) parent[i] = j;
}

/* ---- features as numbers: edges by the lower of their two directed ones, then vertices ---- */

static uint32_t twin_of(const kin_mesh* mesh, uint32_t triangle, uint32_t k)
{
    uint32_t other = mesh->neighbors[triangle][k]; /* closed: there is one */
    for (uint32_t j = 0; j < 3; ++j) {
        if (mesh->triangles[other][j] == mesh->triangles[triangle][(k + 1) % 3]) return 3 * other + j;
    }
    return 3 * triangle + k;
}

static uint32_t edge_number(const kin_mesh* mesh, uint32_t triangle, uint32_t k)
{
    uint32_t twin = twin_of(mesh, triangle, k), own = 3 * triangle + k;
    return twin < own ? twin : own;
}

static void file_under(regions* r, int side, uint32_t feature, uint32_t other, uint32_t crossing)
{
    ends* e = &r->ends[side];
    e->keys[e->count] = (uint64_t)feature << 32 | other;
    e->crossings[e->count++] = crossing;
}

static void file_feature(regions* r, int side, kin_feature f, uint32_t triangle, uint32_t other, uint32_t crossing)
{
    const kin_mesh* mesh = mesh_of(r, side);
    if (f == KIN_FEATURE_FACE) return;
    if (f < KIN_FEATURE_CORNER0) {
        file_under(r, side, edge_number(mesh, triangle, (uint32_t)(f - KIN_FEATURE_EDGE0)), other, crossing);
        return;
    }
    uint32_t vertex = mesh->triangles[triangle][f - KIN_FEATURE_CORNER0];
    r->touched[side][vertex] = crossing;
    file_under(r, side, 3 * mesh->triangle_count + vertex, other, crossing);
}

/* Faces in one plane have a common area, not a curve: they belong to whatever meets at any of their borders. */
static void file_crossing(regions* r, uint32_t i)
{
    const kin_mesh_crossing* c = &r->crossings->data[i];
    if (c->where.kind == KIN_MEET_AREA) {
        for (int f = KIN_FEATURE_EDGE0; f < KIN_FEATURE_CORNER0; ++f) {
            file_under(r, 0, edge_number(mesh_of(r, 0), c->a, (uint32_t)(f - KIN_FEATURE_EDGE0)), c->b, i);
            file_under(r, 1, edge_number(mesh_of(r, 1), c->b, (uint32_t)(f - KIN_FEATURE_EDGE0)), c->a, i);
        }
    }
    file_feature(r, 0, c->where.from_a, c->a, c->b, i);
    file_feature(r, 0, c->where.to_a, c->a, c->b, i);
    file_feature(r, 1, c->where.from_b, c->b, c->a, i);
    file_feature(r, 1, c->where.to_b, c->b, c->a, i);
}

#define ENDS_EACH 5 /* of a crossing, on either mesh: two ends, or an area's three edges and two */

static void join_curves(regions* r)
{
    uint32_t count = (uint32_t)r->crossings->count;
    for (uint32_t i = 0; i < count; ++i) r->parent[i] = i;
    for (uint32_t i = 0; i < count; ++i) file_crossing(r, i);
    for (int side = 0; side < 2; ++side) {
        ends* e = &r->ends[side];
        kin_sort_keys(e->keys, e->crossings, e->scratch_keys, e->scratch_values, e->count);
        for (size_t i = 1; i < e->count; ++i) {
            if (e->keys[i] == e->keys[i - 1]) join(r->parent, e->crossings[i], e->crossings[i - 1]);
        }
    }
}

/* ---- single points ---- */

static bool is_inside(const regions* r, int side, kin_vec3 x)
{
    return kin_trimesh_inside(r->pair.mesh[1 - side], side == 0 ? kin_unapply(r->pair.b_in_a, x) : x);
}

/* An edge whose end this vertex is comes from within the region: so does the vertex, or it ends on the surface there. */
static void seed(regions* r, int side, uint32_t vertex, uint32_t crossing)
{
    uint32_t *inside = &r->inside[side][vertex], touched = r->touched[side][vertex];
    if (touched != NONE) {
        join(r->parent, touched, crossing);
    } else if (*inside == NONE) {
        *inside = crossing;
    } else {
        join(r->parent, *inside, crossing);
    }
}

/* Where edges do not tell: once for each vertex. */
static void ask_vertex(regions* r, int side, uint32_t vertex, uint32_t crossing)
{
    if (r->touched[side][vertex] != NONE || r->asked[side][vertex]) return;
    r->asked[side][vertex] = 1;
    if (is_inside(r, side, kin_overlap_vertex(&r->pair, side, vertex))) seed(r, side, vertex, crossing);
}

/* ---- edges that go through the other surface ---- */

static void corners_of(const regions* r, int side, uint32_t triangle, kin_vec3 p[3])
{
    for (int k = 0; k < 3; ++k) p[k] = kin_overlap_vertex(&r->pair, side, mesh_of(r, side)->triangles[triangle][k]);
}

static double along_edge(kin_vec3 from, kin_vec3 to, kin_vec3 x)
{
    kin_vec3 d = kin_sub(to, from);
    double square = kin_length2(d);
    return square > 0 ? kin_dot(kin_sub(x, from), d) / square : 0;
}

static bool is_on_edge(const kin_mesh* mesh, uint32_t triangle, kin_feature f, uint32_t edge)
{
    return f >= KIN_FEATURE_EDGE0 && f < KIN_FEATURE_CORNER0 && edge_number(mesh, triangle, (uint32_t)(f - KIN_FEATURE_EDGE0)) == edge;
}

/* False: the edge lies in the triangle's plane. */
static bool make_passage(const regions* r, int side, uint32_t edge, uint32_t other, uint32_t crossing, passage* out)
{
    const kin_mesh* mesh = mesh_of(r, side);
    const kin_mesh_crossing* c = &r->crossings->data[crossing];
    const kin_meeting* m = &c->where;
    kin_vec3 from = kin_overlap_vertex(&r->pair, side, mesh->triangles[edge / 3][edge % 3]), p[3];
    kin_vec3 to = kin_overlap_vertex(&r->pair, side, mesh->triangles[edge / 3][(edge + 1) % 3]);
    corners_of(r, 1 - side, other, p);
    int before = kin_orient3d(p[0], p[1], p[2], from), behind = kin_orient3d(p[0], p[1], p[2], to);
    if (before == behind || before == 0 || behind == 0) return false;
    bool at_from = is_on_edge(mesh, side == 0 ? c->a : c->b, side == 0 ? m->from_a : m->from_b, edge);
    kin_feature on_other = side == 0 ? (at_from ? m->from_b : m->to_b) : (at_from ? m->from_a : m->to_a);
    *out = (passage){edge, crossing, along_edge(from, to, at_from ? m->from : m->to), before > 0, on_other != KIN_FEATURE_FACE};
    return true;
}

/* Sorted by edge already; within an edge there are few. */
static void insert_passage(regions* r, int side, passage p)
{
    passage* all = r->passages[side];
    size_t at = r->passage_count[side]++;
    for (; at > 0 && all[at - 1].edge == p.edge && all[at - 1].along > p.along; --at) all[at] = all[at - 1];
    all[at] = p;
}

static void mark_crossed(regions* r, int side, uint32_t edge)
{
    r->crossed[side][edge] = 1;
    r->crossed[side][twin_of(mesh_of(r, side), edge / 3, edge % 3)] = 1;
}

static void find_passages(regions* r, int side)
{
    const ends* e = &r->ends[side];
    uint32_t edges = 3 * mesh_of(r, side)->triangle_count;
    for (size_t i = 0; i < e->count; ++i) {
        uint32_t edge = (uint32_t)(e->keys[i] >> 32);
        if (edge >= edges) break;
        mark_crossed(r, side, edge);
        passage p;
        if (i > 0 && e->keys[i] == e->keys[i - 1]) continue; /* both triangles of the edge tell */
        if (make_passage(r, side, edge, (uint32_t)e->keys[i], e->crossings[i], &p)) {
            insert_passage(r, side, p);
        } else { /* along the surface: its ends may be anywhere */
            const uint32_t* corner = mesh_of(r, side)->triangles[edge / 3];
            ask_vertex(r, side, corner[edge % 3], e->crossings[i]);
            ask_vertex(r, side, corner[(edge + 1) % 3], e->crossings[i]);
        }
    }
}

/* ---- vertices inside ---- */

/* An edge that grazes edges or corners of the other: what lies between is asked for. */
static void seed_from_grazing_edge(regions* r, int side, const passage* p, size_t count)
{
    const uint32_t* corner = mesh_of(r, side)->triangles[p->edge / 3];
    uint32_t end[2] = {corner[p->edge % 3], corner[(p->edge + 1) % 3]};
    kin_vec3 from = kin_overlap_vertex(&r->pair, side, end[0]), to = kin_overlap_vertex(&r->pair, side, end[1]);
    for (size_t i = 0; i + 1 < count; ++i) {
        if (is_inside(r, side, kin_lerp(from, to, 0.5 * (p[i].along + p[i + 1].along)))) join(r->parent, p[i].crossing, p[i + 1].crossing);
    }
    if (is_inside(r, side, kin_lerp(from, to, 0.5 * p[0].along))) seed(r, side, end[0], p[0].crossing);
    if (is_inside(r, side, kin_lerp(from, to, 0.5 + 0.5 * p[count - 1].along))) seed(r, side, end[1], p[count - 1].crossing);
}

/* Between entering and leaving an edge is inside, and holds the two curves together; what is inside before the first or behind the last is a vertex. */
static void seed_from_edge(regions* r, int side, const passage* p, size_t count)
{
    const uint32_t* corner = mesh_of(r, side)->triangles[p->edge / 3];
    for (size_t i = 0; i + 1 < count; ++i) {
        if (p[i].enters && !p[i + 1].enters) join(r->parent, p[i].crossing, p[i + 1].crossing);
    }
    if (!p[0].enters) seed(r, side, corner[p->edge % 3], p[0].crossing);
    if (p[count - 1].enters) seed(r, side, corner[(p->edge + 1) % 3], p[count - 1].crossing);
}

static void seed_from_edges(regions* r, int side)
{
    const passage* all = r->passages[side];
    for (size_t i = 0, end; i < r->passage_count[side]; i = end) {
        bool grazes = all[i].grazes;
        for (end = i + 1; end < r->passage_count[side] && all[end].edge == all[i].edge; ++end) grazes = grazes || all[end].grazes;
        if (grazes) {
            seed_from_grazing_edge(r, side, &all[i], end - i);
        } else {
            seed_from_edge(r, side, &all[i], end - i);
        }
    }
}

/* An edge that nothing crosses between two vertices on the surface. */
static void join_over_edge(regions* r, int side, uint32_t triangle, uint32_t k)
{
    const uint32_t* corner = mesh_of(r, side)->triangles[triangle];
    uint32_t u = corner[k], v = corner[(k + 1) % 3], *touched = r->touched[side];
    if (r->crossed[side][3 * triangle + k] || touched[u] == NONE || touched[v] == NONE) return;
    if (root_of(r->parent, touched[u]) == root_of(r->parent, touched[v])) return;
    kin_vec3 middle = kin_lerp(kin_overlap_vertex(&r->pair, side, u), kin_overlap_vertex(&r->pair, side, v), 0.5);
    if (is_inside(r, side, middle)) join(r->parent, touched[u], touched[v]);
}

/* A triangle pierced in its middle, whose edges nothing crosses: its corners are asked for. */
static void seed_from_faces(regions* r, int side)
{
    for (uint32_t i = 0; i < r->crossings->count; ++i) {
        const kin_mesh_crossing* c = &r->crossings->data[i];
        uint32_t triangle = side == 0 ? c->a : c->b;
        const uint8_t* crossed = &r->crossed[side][3 * (size_t)triangle];
        bool pierced = !crossed[0] && !crossed[1] && !crossed[2];
        for (uint32_t k = 0; k < 3; ++k) {
            if (pierced) ask_vertex(r, side, mesh_of(r, side)->triangles[triangle][k], i);
            join_over_edge(r, side, triangle, k);
        }
    }
}

static void reach_vertex(regions* r, int side, uint32_t vertex, uint32_t from, size_t* count)
{
    uint32_t *inside = r->inside[side], crossing = inside[from];
    bool waits = inside[vertex] == NONE && r->touched[side][vertex] == NONE;
    seed(r, side, vertex, crossing);
    if (waits) r->queue[(*count)++] = vertex;
}

static void flood(regions* r, int side)
{
    const kin_mesh* mesh = mesh_of(r, side);
    size_t count = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        if (r->inside[side][v] != NONE) r->queue[count++] = v;
    }
    for (size_t at = 0; at < count; ++at) {
        uint32_t v = r->queue[at];
        for (uint32_t i = mesh->star_begin[v]; i < mesh->star_begin[v + 1]; ++i) {
            uint32_t triangle = mesh->star[i] / 4,
                     k = mesh->star[i] % 4; /* of two edges at v the one that starts there: the other starts in the next triangle */
            if (!r->crossed[side][3 * triangle + k]) reach_vertex(r, side, mesh->triangles[triangle][(k + 1) % 3], v, &count);
        }
    }
}

/* ---- lists ---- */

static bool take_scratch(regions* r)
{
    size_t n = r->crossings->count, most = 0;
    bool ok = (r->parent = kin_arena_take(r->arena, n * sizeof *r->parent)) != NULL;
    for (int side = 0; side < 2; ++side) {
        const kin_mesh* mesh = mesh_of(r, side);
        size_t edges = 3 * (size_t)mesh->triangle_count, vertices = mesh->vertex_count;
        ends* e = &r->ends[side];
        ok = ok && (e->keys = kin_arena_take(r->arena, ENDS_EACH * n * sizeof *e->keys)) != NULL;
        ok = ok && (e->crossings = kin_arena_take(r->arena, ENDS_EACH * n * sizeof *e->crossings)) != NULL;
        ok = ok && (e->scratch_keys = kin_arena_take(r->arena, ENDS_EACH * n * sizeof *e->scratch_keys)) != NULL;
        ok = ok && (e->scratch_values = kin_arena_take(r->arena, ENDS_EACH * n * sizeof *e->scratch_values)) != NULL;
        ok = ok && (r->passages[side] = kin_arena_take(r->arena, ENDS_EACH * n * sizeof *r->passages[side])) != NULL;
        ok = ok && (r->crossed[side] = kin_arena_take(r->arena, edges)) != NULL;
        ok = ok && (r->touched[side] = kin_arena_take(r->arena, vertices * sizeof *r->touched[side])) != NULL;
        ok = ok && (r->asked[side] = kin_arena_take(r->arena, vertices)) != NULL;
        ok = ok && (r->inside[side] = kin_arena_take(r->arena, vertices * sizeof *r->inside[side])) != NULL;
        if (!ok) return false;
        memset(r->crossed[side], 0, edges);
        memset(r->touched[side], 0xff, vertices * sizeof *r->touched[side]);
        memset(r->asked[side], 0, vertices);
        memset(r->inside[side], 0xff, vertices * sizeof *r->inside[side]);
        most = vertices > most ? vertices : most;
    }
    return (r->queue = kin_arena_take(r->arena, most * sizeof *r->queue)) != NULL;
}

/* Regions in the order of their roots, the lowest crossings; number[root] is the region's. */
static bool number_regions(regions* r, kin_overlaps* out, uint32_t** number)
{
    uint32_t count = 0, n = (uint32_t)r->crossings->count;
    *number = kin_arena_take(r->arena, n * sizeof **number);
    if (*number == NULL) return false;
    for (uint32_t i = 0; i < n; ++i) (*number)[i] = root_of(r->parent, i) == i ? count++ : NONE;
    out->data = kin_arena_take(r->arena, count * sizeof *out->data);
    out->count = count;
    return out->data != NULL;
}

typedef struct grouped {
    uint32_t* items; /* region after region, rising in each */
    uint32_t* begin; /* of each region, and the end */
} grouped;

/* Items 0 .. count by region; member[i] is a crossing of the item's region, or NONE. */
static bool group(regions* r, uint32_t region_count, const uint32_t* number, const uint32_t* member, uint32_t count, grouped* out)
{
    out->items = kin_arena_take(r->arena, count * sizeof *out->items);
    out->begin = kin_arena_take(r->arena, (region_count + 2) * sizeof *out->begin);
    if (out->items == NULL || out->begin == NULL) return false;
    uint32_t* next = out->begin + 1; /* one ahead: where a list begins while it is filled, and ends when it is */
    memset(out->begin, 0, (region_count + 2) * sizeof *out->begin);
    for (uint32_t i = 0; i < count; ++i) {
        if (member[i] != NONE) next[number[root_of(r->parent, member[i])] + 1] += 1;
    }
    for (uint32_t k = 0; k < region_count; ++k) next[k + 1] += next[k];
    for (uint32_t i = 0; i < count; ++i) {
        if (member[i] != NONE) out->items[next[number[root_of(r->parent, member[i])]]++] = i;
    }
    return true;
}

static bool make_lists(regions* r, kin_overlaps* out)
{
    uint32_t* number;
    grouped curves, inside_a, inside_b;
    if (!number_regions(r, out, &number)) return false;
    if (!group(r, out->count, number, r->parent, (uint32_t)r->crossings->count, &curves)) return false;
    if (!group(r, out->count, number, r->inside[0], mesh_of(r, 0)->vertex_count, &inside_a)) return false;
    if (!group(r, out->count, number, r->inside[1], mesh_of(r, 1)->vertex_count, &inside_b)) return false;
    for (uint32_t k = 0; k < out->count; ++k) {
        out->data[k] = (kin_overlap){.crossings = curves.items + curves.begin[k],
                                     .crossing_count = curves.begin[k + 1] - curves.begin[k],
                                     .inside_a = inside_a.items + inside_a.begin[k],
                                     .inside_a_count = inside_a.begin[k + 1] - inside_a.begin[k],
                                     .inside_b = inside_b.items + inside_b.begin[k],
                                     .inside_b_count = inside_b.begin[k + 1] - inside_b.begin[k]};
    }
    return true;
}

static bool find_regions(const kin_overlap_pair* pair, kin_overlaps* out)
{
    regions r = {.pair = *pair, .crossings = &out->crossings, .arena = &out->arena};
    if (!take_scratch(&r)) return false;
    join_curves(&r);
    for (int side = 0; side < 2; ++side) {
        find_passages(&r, side);
        seed_from_edges(&r, side);
        seed_from_faces(&r, side);
        flood(&r, side);
    }
    return make_lists(&r, out);
}

/* ---- one inside the other: a region without a curve ---- */

static bool contained_region(const kin_overlap_pair* pair, int side, kin_overlaps* out)
{
    uint32_t count = pair->mesh[side]->mesh->vertex_count, *all = kin_arena_take(&out->arena, count * sizeof *all);
    out->data = kin_arena_take(&out->arena, sizeof *out->data);
    if (all == NULL || out->data == NULL) return false;
    for (uint32_t v = 0; v < count; ++v) all[v] = v;
    *out->data = (kin_overlap){0};
    if (side == 0) {
        out->data->inside_a = all, out->data->inside_a_count = count;
    } else {
        out->data->inside_b = all, out->data->inside_b_count = count;
    }
    out->count = 1;
    return true;
}

static bool find_containment(const kin_overlap_pair* pair, kin_overlaps* out)
{
    kin_mesh_relation relation = kin_trimesh_relation(pair->mesh[0], pair->mesh[1], pair->b_in_a);
    if (relation == KIN_MESHES_A_IN_B) return contained_region(pair, 0, out);
    if (relation == KIN_MESHES_B_IN_A) return contained_region(pair, 1, out);
    return true;
}

/* ---- what is asked ---- */

void kin_overlaps_init(kin_overlaps* overlaps, const kin_allocator* allocator)
{
    *overlaps = (kin_overlaps){0};
    kin_crossings_init(&overlaps->crossings, allocator);
    kin_arena_init(&overlaps->arena, allocator);
}

void kin_overlaps_term(kin_overlaps* overlaps)
{
    kin_crossings_term(&overlaps->crossings);
    kin_arena_term(&overlaps->arena);
    overlaps->count = 0;
}

kin_result kin_trimesh_overlaps(const kin_trimesh* a, const kin_trimesh* b, kin_transform b_in_a, kin_jobs* jobs, kin_overlaps* out, kin_error* error)
{
    kin_overlap_pair pair = {{a, b}, b_in_a, kin_quat_to_matrix(b_in_a.orientation)};
    out->count = 0;
    kin_arena_reset(&out->arena);
    if (!a->mesh->closed || !b->mesh->closed) {
        return kin_fail(error, KIN_ERROR_ARGUMENT, a->mesh->closed ? "b" : "a", "only closed meshes have an inside to overlap; this one has open edges");
    }
    kin_result result = kin_trimesh_crossings(a, b, b_in_a, jobs, &out->crossings, error);
    if (result != KIN_OK) return result;
    if (out->crossings.count == 0 ? !find_containment(&pair, out) : !find_regions(&pair, out)) {
        out->count = 0;
        return kin_fail_memory(error, "overlap regions", out->crossings.count * sizeof(kin_mesh_crossing));
    }
    for (uint32_t k = 0; k < out->count; ++k) kin_overlap_measure(&pair, &out->crossings, &out->data[k]);
    return KIN_OK;
}
