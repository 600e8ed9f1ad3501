/* crossings.c - mesh against mesh: leaves that meet, four triangles at a time past a filter, then the exact test.
 *
 * The filter asks in floats, with their round-off as margin, whether the triangles' boxes are apart, or all corners of one on one side of the other's
 * plane. It lets through a few that do not cross, and loses none. Lanes are triangles of the second mesh; no answer depends on them. */
#include "collision/primitive/crossings.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"
#include "geometry/bvh_pairs.h"
#include "geometry/predicates.h"
#include "math/aabb.h"
#include "math/mat3.h"
#include <string.h>

#define LANES 4
#define CACHE 256           /* blocks kept of either mesh */
#define FLOAT_SLACK 0x1p-19 /* of the coordinates: about thirty roundings */

typedef kin_bvh_lanes lanes;
typedef int32_t lane_mask __attribute__((vector_size(16)));

/* Up to four triangles of a leaf as floats from the common origin. */
typedef struct block {
    lanes corner[3][3], normal[3], offset, low[3], high[3];
    uint32_t begin, count; /* items, leaf order */
} block;

typedef struct block_cache {
    block blocks[CACHE];
    uint32_t tags[CACHE]; /* begin + 1 of the block kept in this place; 0: none */
} block_cache;

typedef bool pair_fn(void* context, uint32_t i, uint32_t j, const kin_vec3 a[3], const kin_vec3 b[3]); /* items, leaf order; false: enough */

typedef struct search {
    const kin_trimesh *a, *b;
    kin_mat3 turn; /* from b's frame to a's */
    kin_vec3 shift, origin;
    lanes margin;
    block_cache cache_a, cache_b; /* leaves come again and again */
    pair_fn* found;
    void* context;
} search;

/* ---- blocks ---- */

/* Corners in the common frame: the same bits whenever they are asked for. */
static void corners_of(const search* s, const kin_trimesh* mesh, bool moved, uint32_t item, kin_vec3 p[3])
{
    const kin_facet* facet = &mesh->corners[item];
    for (int c = 0; c < 3; ++c) p[c] = moved ? kin_add(kin_mat3_apply(s->turn, facet->p[c]), s->shift) : facet->p[c];
}

static void load_triangle(const search* s, block* k, int lane, const kin_trimesh* mesh, bool moved)
{
    kin_vec3 n = mesh->planes[k->begin + (uint32_t)lane].normal, p[3];
    corners_of(s, mesh, moved, k->begin + (uint32_t)lane, p);
    if (moved) n = kin_mat3_apply(s->turn, n);
    /* Any plane that holds the triangle may separate; the computed normal of a needle need not belong to one. Without a normal nothing is apart. */
    if (kin_max(kin_abs(kin_dot(n, kin_sub(p[1], p[0]))), kin_abs(kin_dot(n, kin_sub(p[2], p[0])))) > 0.25 * s->margin[0]) n = kin_v(0, 0, 0);
    for (int c = 0; c < 3; ++c) {
        p[c] = kin_sub(p[c], s->origin);
        k->corner[c][0][lane] = (float)p[c].x, k->corner[c][1][lane] = (float)p[c].y, k->corner[c][2][lane] = (float)p[c].z;
    }
    kin_vec3 low = kin_min3(p[0], kin_min3(p[1], p[2])), high = kin_max3(p[0], kin_max3(p[1], p[2]));
    k->normal[0][lane] = (float)n.x, k->normal[1][lane] = (float)n.y, k->normal[2][lane] = (float)n.z;
    k->offset[lane] = (float)kin_dot(n, p[0]);
    k->low[0][lane] = kin_float_down(low.x), k->low[1][lane] = kin_float_down(low.y), k->low[2][lane] = kin_float_down(low.z);
    k->high[0][lane] = kin_float_up(high.x), k->high[1][lane] = kin_float_up(high.y), k->high[2][lane] = kin_float_up(high.z);
}

static const block* load_block(const search* s, block_cache* cache, const kin_trimesh* mesh, uint32_t begin, uint32_t end, bool moved)
{
    uint32_t place = begin / 2 % CACHE; /* leaves hold two to four */
    block* k = &cache->blocks[place];
    if (cache->tags[place] == begin + 1) return k;
    cache->tags[place] = begin + 1;
    k->begin = begin, k->count = end - begin < LANES ? end - begin : LANES;
    for (int lane = 0; lane < (int)k->count; ++lane) load_triangle(s, k, lane, mesh, moved);
    return k;
}

/* ---- the filter ---- */

static inline lanes all(float x) { return (lanes){x, x, x, x}; }

static inline lane_mask one_side(lanes h0, lanes h1, lanes h2, lanes margin)
{
    return ((h0 > margin) & (h1 > margin) & (h2 > margin)) | ((-h0 > margin) & (-h1 > margin) & (-h2 > margin));
}

static inline lanes height(lanes nx, lanes ny, lanes nz, lanes offset, lanes x, lanes y, lanes z) { return nx * x + ny * y + nz * z - offset; }

/* Lanes of b whose corners lie on one side of the plane of triangle i of a. */
static inline lane_mask beside_a(const search* s, const block* a, int i, const block* b)
{
    lanes nx = all(a->normal[0][i]), ny = all(a->normal[1][i]), nz = all(a->normal[2][i]), offset = all(a->offset[i]);
    lanes h0 = height(nx, ny, nz, offset, b->corner[0][0], b->corner[0][1], b->corner[0][2]);
    lanes h1 = height(nx, ny, nz, offset, b->corner[1][0], b->corner[1][1], b->corner[1][2]);
    lanes h2 = height(nx, ny, nz, offset, b->corner[2][0], b->corner[2][1], b->corner[2][2]);
    return one_side(h0, h1, h2, s->margin);
}

static inline lanes corner_height(const block* a, int i, int c, const block* b)
{
    return height(b->normal[0], b->normal[1], b->normal[2], b->offset, all(a->corner[c][0][i]), all(a->corner[c][1][i]), all(a->corner[c][2][i]));
}

static inline lane_mask boxes_apart(const block* a, int i, const block* b, int axis)
{
    return (b->low[axis] > all(a->high[axis][i])) | (b->high[axis] < all(a->low[axis][i]));
}

/* Lanes of b that are surely apart from triangle i of a. */
static inline lane_mask apart(const search* s, const block* a, int i, const block* b)
{
    lane_mask out = boxes_apart(a, i, b, 0) | boxes_apart(a, i, b, 1) | boxes_apart(a, i, b, 2) | beside_a(s, a, i, b);
    return out | one_side(corner_height(a, i, 0, b), corner_height(a, i, 1, b), corner_height(a, i, 2, b), s->margin);
}

static bool test_pair(search* s, uint32_t i, uint32_t j, bool moved)
{
    kin_vec3 a[3], b[3];
    corners_of(s, s->a, false, i, a);
    corners_of(s, s->b, moved, j, b);
    return s->found(s->context, i, j, a, b);
}

/* Pairs of two blocks; of a block with itself, each once. */
static bool test_blocks(search* s, const block* a, const block* b, bool moved)
{
    bool same = !moved && a->begin == b->begin;
    for (int i = 0; i < (int)a->count; ++i) {
        lane_mask out = apart(s, a, i, b);
        for (int j = same ? i + 1 : 0; j < (int)b->count; ++j) {
            if (out[j] == 0 && !test_pair(s, a->begin + (uint32_t)i, b->begin + (uint32_t)j, moved)) return false;
        }
    }
    return true;
}

/* False: stopped. A leaf holds more than four only where all centres coincide. */
static bool test_leaves(search* s, const kin_bvh_pairs* walk, bool moved)
{
    bool self = !moved && walk->a_begin == walk->b_begin;
    for (uint32_t i = walk->a_begin; i < walk->a_end; i += LANES) {
        const block* a = load_block(s, &s->cache_a, s->a, i, walk->a_end, false);
        for (uint32_t j = self ? i : walk->b_begin; j < walk->b_end; j += LANES) {
            if (!test_blocks(s, a, load_block(s, &s->cache_b, s->b, j, walk->b_end, moved), moved)) return false;
        }
    }
    return true;
}

/* ---- the walk ---- */

static void begin_search(search* s, const kin_trimesh* a, const kin_trimesh* b, kin_transform b_in_a, pair_fn* found, void* context)
{
    s->a = a, s->b = b;
    s->turn = kin_quat_to_matrix(b_in_a.orientation), s->shift = b_in_a.position;
    s->found = found, s->context = context;
    memset(s->cache_a.tags, 0, sizeof s->cache_a.tags); /* blocks themselves need no clearing */
    memset(s->cache_b.tags, 0, sizeof s->cache_b.tags);
    kin_aabb meet = kin_aabb_intersection(a->mesh->bounds, kin_aabb_transform(b_in_a, b->mesh->bounds));
    s->origin = kin_aabb_is_empty(meet) ? kin_aabb_center(a->mesh->bounds) : kin_aabb_center(meet);
    /* only triangles near the common box are ever compared, but they may be as large as their meshes */
    double reach = kin_length(kin_aabb_size(a->mesh->bounds)) + kin_length(kin_aabb_size(b->mesh->bounds));
    s->margin = all(kin_float_up(FLOAT_SLACK * reach));
}

static void begin_walk(const search* s, bool self, kin_bvh_pairs* walk)
{
    if (self) {
        kin_bvh_self_begin(walk, &s->a->tree, 0);
    } else {
        kin_bvh_pairs_begin(walk, &s->a->tree, &s->b->tree, s->turn, s->shift, 0);
    }
}

/* False: stopped by the callback. */
static bool search_pairs(search* s, kin_bvh_pairs* walk, bool self)
{
    while (kin_bvh_pairs_next(walk)) {
        if (!test_leaves(s, walk, !self)) return false;
    }
    return true;
}

/* ---- the list ---- */

void kin_crossings_init(kin_crossings* list, const kin_allocator* allocator) { *list = (kin_crossings){.allocator = *allocator}; }

void kin_crossings_term(kin_crossings* list)
{
    for (int k = 0; k < KIN_CROSSING_PARTS; ++k) kin_free(&list->allocator, list->parts[k].data, list->parts[k].capacity * sizeof *list->parts[k].data);
    kin_free(&list->allocator, list->data, list->capacity * sizeof *list->data);
    kin_free(&list->allocator, list->keys, list->key_capacity * sizeof *list->keys);
    kin_free(&list->allocator, list->order, list->order_capacity * sizeof *list->order);
    *list = (kin_crossings){.allocator = list->allocator};
}

/* What a part of the walk finds. */
typedef struct collection {
    const kin_allocator* allocator;
    kin_crossing_part* part;
    const kin_trimesh *a, *b;
} collection;

static bool keep(collection* c, uint32_t a, uint32_t b, const kin_meeting* where)
{
    kin_crossing_part* p = c->part;
    p->full = !kin_reserve(c->allocator, (void**)&p->data, &p->capacity, p->count + 1, sizeof *p->data);
    if (!p->full) p->data[p->count++] = (kin_mesh_crossing){a, b, *where};
    return !p->full;
}

static bool keep_pair(void* context, uint32_t i, uint32_t j, const kin_vec3 a[3], const kin_vec3 b[3])
{
    collection* c = context;
    kin_meeting where;
    if (kin_triangle_triangle(a, b, &where) == KIN_MEET_APART) return true;
    return keep(c, c->a->corners[i].triangle, c->b->corners[j].triangle, &where);
}

static int shared_corners(const uint32_t a[3], const uint32_t b[3], int* alone_in_b)
{
    int count = 0;
    for (int j = 0; j < 3; ++j) {
        bool shared = b[j] == a[0] || b[j] == a[1] || b[j] == a[2];
        count += shared;
        if (!shared) *alone_in_b = j;
    }
    return count;
}

static bool keep_self_pair(void* context, uint32_t i, uint32_t j, const kin_vec3 a[3], const kin_vec3 b[3])
{
    static const kin_meet least[4] = {KIN_MEET_POINT, KIN_MEET_SEGMENT, KIN_MEET_AREA, KIN_MEET_AREA}; /* more than 0, 1, 2, 3 shared corners explain */
    collection* c = context;
    uint32_t first = c->a->corners[i].triangle, second = c->a->corners[j].triangle;
    if (first > second) return keep_self_pair(context, j, i, b, a);
    int alone = 0, shared = shared_corners(c->a->mesh->triangles[first], c->a->mesh->triangles[second], &alone);
    if (shared == 2 && kin_orient3d(a[0], a[1], a[2], b[alone]) != 0) return true; /* hinged: nothing but the edge */
    kin_meeting where;
    return kin_triangle_triangle(a, b, &where) < least[shared] || keep(c, first, second, &where);
}

#define PART_BITS 27 /* a crossing while sorting: its part above, its place in it below */

static bool sort_found(kin_crossings* list, size_t n)
{
    if (!kin_reserve(&list->allocator, (void**)&list->data, &list->capacity, n, sizeof *list->data)) return false;
    if (!kin_reserve(&list->allocator, (void**)&list->keys, &list->key_capacity, 2 * n, sizeof *list->keys)) return false;
    if (!kin_reserve(&list->allocator, (void**)&list->order, &list->order_capacity, 2 * n, sizeof *list->order)) return false;
    size_t at = 0;
    for (uint32_t k = 0; k < KIN_CROSSING_PARTS; ++k) {
        for (uint32_t i = 0; i < list->parts[k].count; ++i, ++at) {
            list->keys[at] = (uint64_t)list->parts[k].data[i].a << 32 | list->parts[k].data[i].b;
            list->order[at] = k << PART_BITS | i;
        }
    }
    kin_sort_keys(list->keys, list->order, list->keys + n, list->order + n, n);
    for (size_t i = 0; i < n; ++i) list->data[i] = list->parts[list->order[i] >> PART_BITS].data[list->order[i] & ((1u << PART_BITS) - 1)];
    list->count = n;
    return true;
}

static kin_result finish(kin_crossings* list, kin_error* error)
{
    size_t count = 0;
    bool full = false;
    for (int k = 0; k < KIN_CROSSING_PARTS; ++k) {
        count += list->parts[k].count;
        full = full || list->parts[k].full || list->parts[k].count >> PART_BITS != 0;
    }
    return !full && sort_found(list, count) ? KIN_OK : kin_fail_memory(error, "crossing triangles", (count + 1) * sizeof *list->data);
}

/* ---- what is asked ---- */

typedef struct crossing_job {
    const kin_trimesh *a, *b;
    kin_transform b_in_a;
    bool self;
    kin_crossings* list;
    kin_bvh_pair parts[KIN_CROSSING_PARTS];
} crossing_job;

static void cross_parts(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const crossing_job* job = argument;
    (void)chunk, (void)scratch;
    for (int64_t k = begin; k < end; ++k) {
        collection c = {&job->list->allocator, &job->list->parts[k], job->a, job->b};
        search s;
        kin_bvh_pairs walk;
        begin_search(&s, job->a, job->b, job->b_in_a, job->self ? keep_self_pair : keep_pair, &c);
        begin_walk(&s, job->self, &walk);
        kin_bvh_pairs_part(&walk, job->parts[k]);
        search_pairs(&s, &walk, job->self);
    }
}

/* One part is the whole walk. */
static int split_walk(crossing_job* job, int most)
{
    search s;
    kin_bvh_pairs walk;
    begin_search(&s, job->a, job->b, job->b_in_a, NULL, NULL);
    begin_walk(&s, job->self, &walk);
    return kin_bvh_pairs_split(&walk, job->parts, most);
}

static kin_result cross(crossing_job* job, kin_jobs* jobs, kin_error* error)
{
    job->list->count = 0;
    for (int k = 0; k < KIN_CROSSING_PARTS; ++k) job->list->parts[k].count = 0, job->list->parts[k].full = false;
    int parts = split_walk(job, jobs != NULL ? KIN_CROSSING_PARTS : 1);
    if (jobs != NULL) {
        kin_parallel_for(jobs, parts, 1, cross_parts, job);
    } else {
        cross_parts(job, 0, parts, 0, NULL);
    }
    return finish(job->list, error);
}

kin_result kin_trimesh_crossings(const kin_trimesh* a, const kin_trimesh* b, kin_transform b_in_a, kin_jobs* jobs, kin_crossings* list, kin_error* error)
{
    crossing_job job = {.a = a, .b = b, .b_in_a = b_in_a, .list = list};
    return cross(&job, jobs, error);
}

kin_result kin_trimesh_self_crossings(const kin_trimesh* mesh, kin_jobs* jobs, kin_crossings* list, kin_error* error)
{
    crossing_job job = {.a = mesh, .b = mesh, .b_in_a = kin_transform_identity(), .self = true, .list = list};
    return cross(&job, jobs, error);
}

static bool stop_at_touch(void* context, uint32_t i, uint32_t j, const kin_vec3 a[3], const kin_vec3 b[3])
{
    (void)context, (void)i, (void)j;
    return kin_triangle_triangle(a, b, NULL) == KIN_MEET_APART;
}

kin_mesh_relation kin_trimesh_relation(const kin_trimesh* a, const kin_trimesh* b, kin_transform b_in_a)
{
    search s;
    kin_bvh_pairs walk;
    if (a->tree.node_count == 0 || b->tree.node_count == 0) return KIN_MESHES_APART;
    begin_search(&s, a, b, b_in_a, stop_at_touch, NULL);
    begin_walk(&s, false, &walk);
    if (!search_pairs(&s, &walk, false)) return KIN_MESHES_CROSS;
    if (kin_trimesh_inside(b, kin_unapply(b_in_a, a->corners[0].p[0]))) return KIN_MESHES_A_IN_B;
    return kin_trimesh_inside(a, kin_apply(b_in_a, b->corners[0].p[0])) ? KIN_MESHES_B_IN_A : KIN_MESHES_APART;
}
