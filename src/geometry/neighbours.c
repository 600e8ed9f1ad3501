/* neighbours.c - one test of distance, fed by whichever structure there is.
 *
 * Every structure sorts the points its own way and, for a place and a reach, names stretches of that order; the test runs over copies of the places in the
 * same order. Lists take two rounds, so that memory is taken once and every list is written by one chunk only: the first counts, and keeps what it finds in
 * as much room as the lists before would have needed; the second puts it in its place, and searches again only where the room was too small. With a skin, the
 * structure keeps the places it was built from, the copies follow the points, and searches reach half a skin further. */
#include "geometry/neighbours.h"
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/cells.h"
#include "geometry/kdtree.h"
#include "geometry/octree.h"
#include <string.h>

#define GRAIN 512
#define COPY_GRAIN 8192
#define BLOCK 64 /* tests between two looks at what was found */
#define MOST_COORDINATE 1e300
#define MOST_RADIUS 1e150

typedef struct lists {
    size_t* offsets;
    size_t offset_capacity;
    uint32_t* indices;
    size_t index_capacity;
    bool ready;
} lists;

struct kin_neighbours {
    kin_allocator allocator;
    kin_neighbours_def def;
    uint32_t count;
    double radius; /* m, of the last update */
    bool built;
    uint64_t rebuilds;
    double* place[3]; /* by index */
    size_t place_capacity[3];
    double* sorted[3]; /* the same by item */
    size_t sorted_capacity[3];
    double* built_from[3]; /* skin: by item, places at the last rebuild */
    size_t built_capacity[3];
    uint32_t* items; /* indices in the structure's order */
    size_t item_capacity;
    kin_cells cells;
    kin_octree octree;
    kin_kdtree kdtree;
    uint32_t* staged; /* what the first round found, a stretch for each chunk */
    size_t staged_capacity;
    lists exact;      /* within the radius */
    lists candidates; /* skin: within radius + skin at the last rebuild */
};

typedef struct walk {
    uint32_t begin, end; /* of the items */
    const kin_neighbours* near;
    bool all;
    union {
        kin_cells_walk cells;
        kin_octree_walk octree;
        kin_kdtree_walk kdtree;
    };
} walk;

static inline void walk_begin(walk* w, const kin_neighbours* near, const double at[3], double reach)
{
    w->near = near;
    switch (near->def.kind) {
    case KIN_NEIGHBOURS_GRID:
    case KIN_NEIGHBOURS_HASH: kin_cells_walk_begin(&w->cells, &near->cells, at, reach); break;
    case KIN_NEIGHBOURS_OCTREE_FULL:
    case KIN_NEIGHBOURS_OCTREE: kin_octree_walk_begin(&w->octree, &near->octree, at, reach); break;
    case KIN_NEIGHBOURS_KDTREE: kin_kdtree_walk_begin(&w->kdtree, &near->kdtree, at, reach); break;
    default: w->all = near->count > 0; break;
    }
}

static inline bool walk_next(walk* w)
{
    bool found;
    switch (w->near->def.kind) {
    case KIN_NEIGHBOURS_GRID:
    case KIN_NEIGHBOURS_HASH:
        found = kin_cells_walk_next(&w->cells);
        w->begin = w->cells.begin, w->end = w->cells.end;
        return found;
    case KIN_NEIGHBOURS_OCTREE_FULL:
    case KIN_NEIGHBOURS_OCTREE:
        found = kin_octree_walk_next(&w->octree);
        w->begin = w->octree.begin, w->end = w->octree.end;
        return found;
    case KIN_NEIGHBOURS_KDTREE:
        found = kin_kdtree_walk_next(&w->kdtree);
        w->begin = w->kdtree.begin, w->end = w->kdtree.end;
        return found;
    default:
        found = w->all;
        w->begin = 0, w->end = w->near->count;
        w->all = false;
        return found;
    }
}

/* The one test. Symmetric: a difference and its negative have the same square. */
static inline double distance2(const double at[3], double x, double y, double z)
{
    double dx = x - at[0], dy = y - at[1], dz = z - at[2];
    return dx * dx + dy * dy + dz * dz;
}

/* ---- ascending order in place ---- */

static void sift_down(uint32_t* a, size_t root, size_t n)
{
    uint32_t value = a[root];
    for (size_t child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && a[child + 1] > a[child]) child += 1;
        if (a[child] <= value) break;
        a[root] = a[child];
    }
    a[root] = value;
}

static void make_heap(uint32_t* a, size_t n)
{
    for (size_t i = n / 2; i-- > 0;) sift_down(a, i, n);
}

static void sort_heap(uint32_t* a, size_t n)
{
    while (n-- > 1) {
        uint32_t last = a[n];
        a[n] = a[0];
        a[0] = last;
        sift_down(a, 0, n);
    }
}

static void sort_indices(uint32_t* a, size_t n)
{
    size_t sorted = 1;
    while (sorted < n && a[sorted - 1] < a[sorted]) sorted += 1;
    if (sorted >= n) return; /* one cell, or one leaf */
    if (n > 96) {
        make_heap(a, n);
        sort_heap(a, n);
        return;
    }
    for (size_t i = sorted; i < n; ++i) {
        uint32_t key = a[i];
        size_t place = i;
        for (; place > 0 && a[place - 1] > key; --place) a[place] = a[place - 1];
        a[place] = key;
    }
}

/* ---- life ---- */

kin_result kin_neighbours_create(const kin_allocator* allocator, const kin_neighbours_def* def, kin_neighbours** out, kin_error* error)
{
    *out = NULL;
    if ((int)def->kind < 0 || def->kind >= KIN_NEIGHBOURS_KINDS) return kin_fail(error, KIN_ERROR_ARGUMENT, "kind", "%d is no kind of search", (int)def->kind);
    if (!(def->skin >= 0 && def->skin <= MOST_RADIUS)) return kin_fail(error, KIN_ERROR_ARGUMENT, "skin", "%g must be from 0 to 1e150 (m)", def->skin);
    if (!(def->cell >= 0 && def->cell <= MOST_RADIUS)) return kin_fail(error, KIN_ERROR_ARGUMENT, "cell", "%g must be from 0 to 1e150 (m)", def->cell);
    kin_neighbours* near = kin_alloc_zero(allocator, sizeof *near);
    if (near == NULL) return kin_fail_memory(error, "a neighbour search", sizeof *near);
    near->allocator = *allocator;
    near->def = *def;
    *out = near;
    return KIN_OK;
}

static void free_lists(const kin_allocator* allocator, lists* l)
{
    kin_free(allocator, l->offsets, l->offset_capacity * sizeof *l->offsets);
    kin_free(allocator, l->indices, l->index_capacity * sizeof *l->indices);
}

void kin_neighbours_destroy(kin_neighbours* near)
{
    if (near == NULL) return;
    kin_allocator allocator = near->allocator;
    for (int k = 0; k < 3; ++k) {
        kin_free(&allocator, near->place[k], near->place_capacity[k] * sizeof(double));
        kin_free(&allocator, near->sorted[k], near->sorted_capacity[k] * sizeof(double));
        kin_free(&allocator, near->built_from[k], near->built_capacity[k] * sizeof(double));
    }
    kin_free(&allocator, near->items, near->item_capacity * sizeof *near->items);
    kin_free(&allocator, near->staged, near->staged_capacity * sizeof *near->staged);
    kin_cells_term(&near->cells, &allocator);
    kin_octree_term(&near->octree, &allocator);
    kin_kdtree_term(&near->kdtree, &allocator);
    free_lists(&allocator, &near->exact);
    free_lists(&allocator, &near->candidates);
    kin_free(&allocator, near, sizeof *near);
}

uint32_t kin_neighbours_count(const kin_neighbours* near) { return near->count; }
uint64_t kin_neighbours_rebuilds(const kin_neighbours* near) { return near->rebuilds; }

size_t kin_neighbours_bytes(const kin_neighbours* near)
{
    size_t bytes = sizeof *near + (near->item_capacity + near->staged_capacity) * sizeof *near->items;
    for (int k = 0; k < 3; ++k) bytes += (near->place_capacity[k] + near->sorted_capacity[k] + near->built_capacity[k]) * sizeof(double);
    bytes += (near->exact.offset_capacity + near->candidates.offset_capacity) * sizeof(size_t);
    bytes += (near->exact.index_capacity + near->candidates.index_capacity) * sizeof(uint32_t);
    return bytes + kin_cells_bytes(&near->cells) + kin_octree_bytes(&near->octree) + kin_kdtree_bytes(&near->kdtree);
}

/* ---- update ---- */

static kin_result check_input(const kin_points* p, uint32_t count, double radius, kin_error* error)
{
    if (!(radius >= 0 && radius <= MOST_RADIUS)) return kin_fail(error, KIN_ERROR_ARGUMENT, "radius", "%g must be from 0 to 1e150 (m)", radius);
    for (size_t i = 0; i < count; ++i) {
        double x = p->x[i * p->stride], y = p->y[i * p->stride], z = p->z[i * p->stride];
        if (kin_abs(x) <= MOST_COORDINATE && kin_abs(y) <= MOST_COORDINATE && kin_abs(z) <= MOST_COORDINATE) continue;
        return kin_fail(error, KIN_ERROR_ARGUMENT, "points", "point %zu at (%g, %g, %g) must be finite and within 1e300 (m)", i, x, y, z);
    }
    return KIN_OK;
}

static bool reserve_points(kin_neighbours* near, uint32_t count)
{
    const kin_allocator* a = &near->allocator;
    for (int k = 0; k < 3; ++k) {
        if (!kin_reserve(a, (void**)&near->place[k], &near->place_capacity[k], count, sizeof(double))) return false;
        if (!kin_reserve(a, (void**)&near->sorted[k], &near->sorted_capacity[k], count, sizeof(double))) return false;
        if (near->def.skin > 0 && !kin_reserve(a, (void**)&near->built_from[k], &near->built_capacity[k], count, sizeof(double))) return false;
    }
    return kin_reserve(a, (void**)&near->items, &near->item_capacity, count, sizeof *near->items);
}

typedef struct copy_job {
    kin_neighbours* near;
    kin_points points;
} copy_job;

static void copy_places(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const copy_job* job = argument;
    kin_points p = job->points;
    (void)chunk, (void)scratch;
    for (size_t i = (size_t)begin; i < (size_t)end; ++i) {
        job->near->place[0][i] = p.x[i * p.stride];
        job->near->place[1][i] = p.y[i * p.stride];
        job->near->place[2][i] = p.z[i * p.stride];
    }
}

static void sort_places(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    kin_neighbours* near = argument;
    (void)chunk, (void)scratch;
    for (int k = 0; k < 3; ++k) {
        for (int64_t s = begin; s < end; ++s) near->sorted[k][s] = near->place[k][near->items[s]];
    }
}

/* Has a point left its half of the skin since the structure was built? */
static bool moved_too_far(const kin_neighbours* near)
{
    double most2 = kin_square(0.5 * near->def.skin);
    if (!(most2 > 0x1p-900)) return true; /* a square that small says nothing */
    for (uint32_t s = 0; s < near->count; ++s) {
        double from[3] = {near->built_from[0][s], near->built_from[1][s], near->built_from[2][s]};
        if (distance2(from, near->sorted[0][s], near->sorted[1][s], near->sorted[2][s]) > most2) return true;
    }
    return false;
}

static kin_cloud cloud_of(const kin_neighbours* near)
{
    kin_cloud cloud = {.at = {near->place[0], near->place[1], near->place[2]}, .count = near->count};
    for (int k = 0; k < 3 && near->count > 0; ++k) {
        double low = cloud.at[k][0], high = low;
        for (uint32_t i = 1; i < near->count; ++i) {
            low = kin_min(low, cloud.at[k][i]);
            high = kin_max(high, cloud.at[k][i]);
        }
        cloud.low[k] = low, cloud.high[k] = high;
    }
    return cloud;
}

static bool build_structure(kin_neighbours* near, kin_jobs* jobs)
{
    const kin_neighbours_def* def = &near->def;
    const kin_allocator* a = &near->allocator;
    kin_cloud cloud = cloud_of(near);
    double reach = kin_cloud_reach(near->radius + def->skin);
    switch (def->kind) {
    case KIN_NEIGHBOURS_GRID:
    case KIN_NEIGHBOURS_HASH:
        return kin_cells_build(&near->cells, a, jobs, &cloud, def->cell > 0 ? def->cell : reach, def->kind == KIN_NEIGHBOURS_HASH, near->items);
    case KIN_NEIGHBOURS_OCTREE_FULL: return kin_octree_build_full(&near->octree, a, jobs, &cloud, reach, def->depth, near->items);
    case KIN_NEIGHBOURS_OCTREE: return kin_octree_build(&near->octree, a, jobs, &cloud, def->leaf, def->depth, near->items);
    case KIN_NEIGHBOURS_KDTREE: return kin_kdtree_build(&near->kdtree, a, jobs, &cloud, def->leaf, def->longest_axis, near->items);
    default:
        for (uint32_t i = 0; i < near->count; ++i) near->items[i] = i;
        return true;
    }
}

static kin_result out_of_memory(kin_neighbours* near, const char* what, size_t bytes, kin_error* error)
{
    near->count = 0;
    near->built = near->exact.ready = near->candidates.ready = false;
    return kin_fail_memory(error, what, bytes);
}

kin_result kin_neighbours_update(kin_neighbours* near, kin_jobs* jobs, kin_points points, uint32_t count, double radius, kin_error* error)
{
    kin_result result = check_input(&points, count, radius, error);
    if (result != KIN_OK) return result;
    bool keep = near->def.skin > 0 && near->built && near->count == count && near->radius == radius;
    if (!reserve_points(near, count)) return out_of_memory(near, "points", count * sizeof(kin_vec3), error);
    near->count = count;
    near->radius = radius;
    near->exact.ready = false;
    kin_cloud_for(jobs, count, COPY_GRAIN, copy_places, &(copy_job){near, points});
    if (keep) {
        kin_cloud_for(jobs, count, COPY_GRAIN, sort_places, near);
        if (!moved_too_far(near)) return KIN_OK;
    }
    near->candidates.ready = false;
    if (!build_structure(near, jobs)) return out_of_memory(near, "a neighbour search", count * sizeof(kin_vec3), error);
    kin_cloud_for(jobs, count, COPY_GRAIN, sort_places, near);
    for (int k = 0; k < 3 && near->def.skin > 0 && count > 0; ++k) memcpy(near->built_from[k], near->sorted[k], count * sizeof(double));
    near->built = true;
    near->rebuilds += 1;
    return KIN_OK;
}

/* ---- one place ---- */

uint32_t kin_neighbours_query(const kin_neighbours* near, kin_vec3 at, double radius, uint32_t* out, uint32_t capacity)
{
    double q[3] = {at.x, at.y, at.z}, r2 = radius * radius;
    uint32_t found = 0;
    if (near->count == 0 || !(radius >= 0) || !kin_finite(at.x) || !kin_finite(at.y) || !kin_finite(at.z)) return 0;
    walk w;
    for (walk_begin(&w, near, q, kin_cloud_reach(radius) + 0.5000001 * near->def.skin); walk_next(&w);) {
        for (uint32_t s = w.begin; s < w.end; ++s) {
            if (!(distance2(q, near->sorted[0][s], near->sorted[1][s], near->sorted[2][s]) <= r2)) continue;
            uint32_t index = near->items[s];
            if (found < capacity) {
                out[found] = index;
                if (found + 1 == capacity) make_heap(out, capacity); /* from now on the highest makes room */
            } else if (capacity > 0 && index < out[0]) {
                out[0] = index;
                sift_down(out, 0, capacity);
            }
            found += 1;
        }
    }
    if (capacity > 0 && found >= capacity)
        sort_heap(out, capacity);
    else
        sort_indices(out, found < capacity ? found : 0);
    return found;
}

/* The nearest so far, as a heap with the farthest on top. */
typedef struct nearest {
    uint32_t* index;
    double* d2;
    uint32_t count, most;
} nearest;

static bool farther(const nearest* n, uint32_t a, uint32_t b) { return n->d2[a] > n->d2[b] || (n->d2[a] == n->d2[b] && n->index[a] > n->index[b]); }

static void swap_entries(nearest* n, uint32_t a, uint32_t b)
{
    uint32_t index = n->index[a];
    double d2 = n->d2[a];
    n->index[a] = n->index[b], n->d2[a] = n->d2[b];
    n->index[b] = index, n->d2[b] = d2;
}

static void settle(nearest* n, uint32_t root, uint32_t count)
{
    for (uint64_t child; (child = 2 * (uint64_t)root + 1) < count; root = (uint32_t)child) {
        if (child + 1 < count && farther(n, (uint32_t)child + 1, (uint32_t)child)) child += 1;
        if (!farther(n, (uint32_t)child, root)) return;
        swap_entries(n, root, (uint32_t)child);
    }
}

static void offer(nearest* n, uint32_t index, double d2)
{
    if (n->count < n->most) {
        uint32_t i = n->count++;
        n->index[i] = index, n->d2[i] = d2;
        for (; i > 0 && farther(n, i, (i - 1) / 2); i = (i - 1) / 2) swap_entries(n, i, (i - 1) / 2);
    } else if (d2 < n->d2[0] || (d2 == n->d2[0] && index < n->index[0])) {
        n->index[0] = index, n->d2[0] = d2;
        settle(n, 0, n->count);
    }
}

static void offer_stretch(const kin_neighbours* near, const double q[3], uint32_t begin, uint32_t end, nearest* n)
{
    for (uint32_t s = begin; s < end; ++s) offer(n, near->items[s], distance2(q, near->sorted[0][s], near->sorted[1][s], near->sorted[2][s]));
}

/* The near side first; the far side only if the plane, less half a skin, is no farther than the farthest so far: equals may have lower indices. */
static void nearest_in_tree(const kin_neighbours* near, const double q[3], nearest* n)
{
    const kin_kdtree* tree = &near->kdtree;
    double margin = 0.5000001 * near->def.skin;
    struct {
        kin_kdtree_part part;
        double d2;
    } stack[KIN_KDTREE_STACK];
    uint32_t top = 0;
    stack[top].part = (kin_kdtree_part){0, 0, tree->item_count}, stack[top++].d2 = 0;
    while (top > 0) {
        kin_kdtree_part part = stack[--top].part;
        if (part.count == 0 || (n->count == n->most && stack[top].d2 > n->d2[0])) continue;
        if (part.count <= tree->leaf) {
            offer_stretch(near, q, part.begin, part.begin + part.count, n);
            continue;
        }
        const kin_kdtree_node* node = &tree->nodes[part.node];
        offer_stretch(near, q, node->item, node->item + 1, n);
        double gap = kin_max(kin_abs(q[node->axis] - node->split) - margin, 0);
        bool left_first = q[node->axis] <= node->split;
        double d2 = stack[top].d2;
        stack[top].part = left_first ? kin_kdtree_right(part) : kin_kdtree_left(part), stack[top++].d2 = kin_max(d2, gap * gap * (1 - 1e-12));
        stack[top].part = left_first ? kin_kdtree_left(part) : kin_kdtree_right(part), stack[top++].d2 = d2;
    }
}

uint32_t kin_neighbours_nearest(const kin_neighbours* near, kin_vec3 at, uint32_t k, uint32_t* out, double* distances2)
{
    nearest n = {out, distances2, 0, k};
    double q[3] = {at.x, at.y, at.z};
    if (near->count == 0 || k == 0 || !kin_finite(at.x) || !kin_finite(at.y) || !kin_finite(at.z)) return 0;
    if (near->def.kind == KIN_NEIGHBOURS_KDTREE)
        nearest_in_tree(near, q, &n);
    else
        offer_stretch(near, q, 0, near->count, &n);
    for (uint32_t last = n.count; last-- > 1;) {
        swap_entries(&n, 0, last);
        settle(&n, 0, last);
    }
    return n.count;
}

/* ---- lists ---- */

typedef struct list_job {
    const kin_neighbours* near;
    const double* const* at; /* by item */
    double r2, reach;
    lists* to;
    const lists* from; /* skin: what to choose from */
    size_t room;       /* staged indices of a chunk */
} list_job;

/* Neighbours of item s in the structure's order; only the first `capacity` are kept. */
static inline size_t find_near(const list_job* job, walk* w, uint32_t s, uint32_t* out, size_t capacity)
{
    const double *x = job->at[0], *y = job->at[1], *z = job->at[2], r2 = job->r2;
    const double q[3] = {x[s], y[s], z[s]};
    const uint32_t* items = job->near->items;
    size_t found = 0;
    for (walk_begin(w, job->near, q, job->reach); walk_next(w);) {
        for (uint32_t b = w->begin, stop; b < w->end; b = stop) {
            uint32_t hits[BLOCK], hit_count = 0; /* no branch: chance cannot be predicted */
            stop = w->end - b < BLOCK ? w->end : b + BLOCK;
            for (uint32_t o = b; o < stop; ++o) {
                hits[hit_count] = items[o];
                hit_count += (distance2(q, x[o], y[o], z[o]) <= r2) & (o != s);
            }
            if (found + hit_count <= capacity) memcpy(&out[found], hits, hit_count * sizeof *hits);
            found += hit_count;
        }
    }
    return found;
}

static void count_near(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const list_job* job = argument;
    uint32_t nothing, *room = job->room > 0 ? job->near->staged + (size_t)chunk * job->room : &nothing;
    size_t used = 0;
    (void)scratch;
    walk w;
    for (int64_t s = begin; s < end; ++s) {
        size_t left = used < job->room ? job->room - used : 0;
        size_t found = find_near(job, &w, (uint32_t)s, left > 0 ? room + used : room, left);
        job->to->offsets[job->near->items[s] + (size_t)1] = found;
        used += found;
    }
}

static void fill_near(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const list_job* job = argument;
    const uint32_t* items = job->near->items;
    size_t used = 0;
    (void)scratch;
    walk w;
    for (int64_t s = begin; s < end; ++s) {
        const size_t* offset = &job->to->offsets[items[s]];
        size_t found = offset[1] - offset[0];
        if (found == 0) continue;
        uint32_t* list = job->to->indices + offset[0];
        if (used + found <= job->room)
            memcpy(list, job->near->staged + (size_t)chunk * job->room + used, found * sizeof *list);
        else
            find_near(job, &w, (uint32_t)s, list, found);
        used += found;
        sort_indices(list, found);
    }
}

static double place_distance2(const kin_neighbours* near, size_t i, uint32_t j)
{
    double at[3] = {near->place[0][i], near->place[1][i], near->place[2][i]};
    return distance2(at, near->place[0][j], near->place[1][j], near->place[2][j]);
}

static void count_chosen(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const list_job* job = argument;
    (void)chunk, (void)scratch;
    for (size_t i = (size_t)begin; i < (size_t)end; ++i) {
        size_t found = 0;
        for (size_t k = job->from->offsets[i]; k < job->from->offsets[i + 1]; ++k) {
            found += place_distance2(job->near, i, job->from->indices[k]) <= job->r2;
        }
        job->to->offsets[i + 1] = found;
    }
}

static void fill_chosen(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const list_job* job = argument;
    (void)chunk, (void)scratch;
    for (size_t i = (size_t)begin; i < (size_t)end; ++i) {
        uint32_t* list = job->to->indices + job->to->offsets[i];
        for (size_t k = job->from->offsets[i]; k < job->from->offsets[i + 1]; ++k) {
            if (place_distance2(job->near, i, job->from->indices[k]) <= job->r2) *list++ = job->from->indices[k];
        }
    }
}

/* Count, take memory, fill. A cloud that moves has a few more neighbours now and a few less then: room for an eighth more saves asking again. */
static kin_result make_lists(kin_neighbours* near, kin_jobs* jobs, const list_job* job, kin_range_fn* count, kin_range_fn* fill, kin_error* error)
{
    lists* l = job->to;
    size_t n = near->count;
    if (!kin_reserve(&near->allocator, (void**)&l->offsets, &l->offset_capacity, n + 1, sizeof *l->offsets)) {
        return kin_fail_memory(error, "neighbour lists", kin_bytes(n + 1, sizeof *l->offsets));
    }
    l->offsets[0] = 0;
    kin_cloud_for(jobs, (int64_t)n, GRAIN, count, (void*)job);
    for (size_t i = 0; i < n; ++i) l->offsets[i + 1] += l->offsets[i];
    size_t total = l->offsets[n];
    if (total > l->index_capacity) {
        size_t room = total + total / 8;
        bool reserved = kin_reserve(&near->allocator, (void**)&l->indices, &l->index_capacity, room, sizeof *l->indices);
        if (!reserved) return kin_fail_memory(error, "neighbour lists", kin_bytes(room, sizeof *l->indices));
    }
    kin_cloud_for(jobs, (int64_t)n, GRAIN, fill, (void*)job);
    if (count == count_near) { /* room for the next time; without it the second round searches again */
        size_t wanted = l->index_capacity > GRAIN ? l->index_capacity : GRAIN;
        if (!kin_reserve(&near->allocator, (void**)&near->staged, &near->staged_capacity, wanted, sizeof *near->staged)) {
            return kin_fail_memory(error, "neighbour lists", kin_bytes(wanted, sizeof *near->staged));
        }
    }
    l->ready = true;
    return KIN_OK;
}

kin_result kin_neighbours_lists(kin_neighbours* near, kin_jobs* jobs, kin_neighbour_lists* out, kin_error* error)
{
    *out = (kin_neighbour_lists){0};
    double r2 = near->radius * near->radius, wide = (near->radius + near->def.skin) * (1 + 1e-9);
    size_t room = near->count > 0 ? near->staged_capacity / (size_t)kin_chunk_count(near->count, GRAIN) : 0;
    kin_result result = KIN_OK;
    if (near->def.skin > 0 && !near->candidates.ready) {
        list_job job = {near, (const double* const*)near->built_from, wide * wide, kin_cloud_reach(wide), &near->candidates, NULL, room};
        result = make_lists(near, jobs, &job, count_near, fill_near, error);
    }
    if (result == KIN_OK && !near->exact.ready) {
        list_job job = {near, (const double* const*)near->sorted, r2, kin_cloud_reach(near->radius), &near->exact, &near->candidates, room};
        bool chosen = near->def.skin > 0;
        result = make_lists(near, jobs, &job, chosen ? count_chosen : count_near, chosen ? fill_chosen : fill_near, error);
    }
    if (result == KIN_OK) *out = (kin_neighbour_lists){near->exact.offsets, near->exact.indices, near->count};
    return result;
}

size_t kin_neighbour_pairs(const kin_neighbour_lists* l, kin_neighbour_pair* out, size_t capacity)
{
    size_t found = 0;
    for (uint32_t i = 0; i < l->count; ++i) {
        for (size_t k = l->offsets[i]; k < l->offsets[i + 1]; ++k) {
            if (l->indices[k] < i) continue;
            if (found < capacity) out[found] = (kin_neighbour_pair){i, l->indices[k]};
            found += 1;
        }
    }
    return found;
}
