/* tree.c - bodies sorted along a Morton curve and cut into an octree. Chains of cells with one child are skipped. The loops over bodies and the sort run in
 * chunks that depend on their number alone; the sort is stable, so equal keys keep the order of the cloud. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"
#include "geometry/octant.h"
#include "math/scalar.h"
#include "system/gravity/local.h"
#include <string.h>

typedef struct body_job {
    kin_gravity_tree* tree;
    const kin_mutual_cloud* cloud;
    const double* history;
    double inv_unit, floor;
    int digit;
} body_job;

int64_t kin_gravity_grain(uint32_t count)
{
    int64_t even = ((int64_t)count + KIN_GRAVITY_CHUNKS - 1) / KIN_GRAVITY_CHUNKS;
    return even > 8192 ? even : 8192;
}

void kin_gravity_for(kin_jobs* jobs, const kin_allocator* allocator, int64_t n, int64_t grain, kin_range_fn* fn, void* argument)
{
    if (jobs != NULL) {
        kin_parallel_for(jobs, n, grain, fn, argument);
        return;
    }
    kin_arena scratch;
    kin_arena_init(&scratch, allocator);
    int chunk = 0;
    for (int64_t begin = 0; begin < n; begin += grain, ++chunk) {
        kin_arena_mark mark = kin_arena_begin(&scratch);
        fn(argument, begin, begin + grain < n ? begin + grain : n, chunk, &scratch);
        kin_arena_end(&scratch, mark);
    }
    kin_arena_term(&scratch);
}

static void over_bodies(kin_gravity_tree* tree, kin_range_fn* fn, body_job* job)
{
    kin_gravity_for(job->cloud->jobs, &tree->allocator, tree->count, kin_gravity_grain(tree->count), fn, job);
}

/* ---- units ---- */

static void measure_chunk(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const body_job* job = argument;
    const kin_mutual_cloud* c = job->cloud;
    double* out = job->tree->bounds[chunk];
    double mass = 0, odd = 0;
    (void)scratch;
    for (int axis = 0; axis < 3; ++axis) {
        const double* x = c->x[axis];
        double low = x[begin], high = x[begin];
        for (int64_t i = begin; i < end; ++i) {
            low = kin_min(x[i], low);
            high = kin_max(x[i], high);
            odd += x[i] * 0; /* not a number once anything is not finite */
        }
        out[axis] = low, out[3 + axis] = high;
    }
    for (int64_t i = begin; i < end; ++i) {
        mass += c->mass[i];
        odd += c->mass[i] * 0;
    }
    out[6] = mass, out[7] = odd;
}

/* The least power of two above x; 1 for zero. */
static double power_above(double x)
{
    if (!(x > 1e-290)) return 1;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = (bits >> 52 << 52) + ((uint64_t)1 << 52);
    memcpy(&x, &bits, sizeof x);
    return x;
}

kin_result kin_gravity_measure(kin_gravity_tree* tree, const kin_mutual_cloud* cloud, kin_error* error)
{
    tree->count = cloud->count;
    if (cloud->count == 0) return KIN_OK;
    over_bodies(tree, measure_chunk, &(body_job){.tree = tree, .cloud = cloud});
    int chunks = kin_chunk_count(cloud->count, kin_gravity_grain(cloud->count));
    double all[8], extent = 0;
    memcpy(all, tree->bounds[0], sizeof all);
    for (int k = 1; k < chunks; ++k) {
        for (int axis = 0; axis < 3; ++axis) {
            all[axis] = kin_min(all[axis], tree->bounds[k][axis]);
            all[3 + axis] = kin_max(all[3 + axis], tree->bounds[k][3 + axis]);
        }
        all[6] += tree->bounds[k][6], all[7] += tree->bounds[k][7];
    }
    for (int axis = 0; axis < 3; ++axis) extent = kin_max(extent, all[3 + axis] - all[axis]);
    if (!(all[7] == 0 && extent < 1e300 && all[6] < 1e300)) {
        return kin_fail(error, KIN_ERROR_NUMERICS, "gravity", "a place or a mass is not finite, or beyond 1e300");
    }
    for (int axis = 0; axis < 3; ++axis) tree->centre[axis] = all[axis] + 0.5 * (all[3 + axis] - all[axis]);
    tree->side = power_above(extent);
    tree->mass_unit = power_above(all[6]);
    return KIN_OK;
}

/* ---- memory ---- */

static void* part(char** next, size_t count, size_t size)
{
    void* out = *next;
    *next += (count * size + KIN_ALIGNMENT - 1) / KIN_ALIGNMENT * KIN_ALIGNMENT;
    return out;
}

/* Contents are lost when it grows. */
static bool grow_block(const kin_allocator* allocator, void** memory, size_t* bytes, size_t wanted)
{
    if (wanted <= *bytes) return true;
    kin_free(allocator, *memory, *bytes);
    *memory = kin_alloc(allocator, wanted);
    *bytes = *memory != NULL ? wanted : 0;
    return *memory != NULL;
}

bool kin_gravity_tree_reserve(kin_gravity_tree* tree, uint32_t count)
{
    size_t n = (size_t)count + KIN_GRAVITY_PAD, histogram = (size_t)KIN_GRAVITY_CHUNKS * KIN_GRAVITY_DIGITS;
    size_t wanted =
        n * (3 * sizeof(double) + 2 * sizeof(float) + 2 * sizeof(uint32_t) + 2 * sizeof(uint64_t)) + histogram * sizeof(uint32_t) + (size_t)10 * KIN_ALIGNMENT;
    if (!grow_block(&tree->allocator, &tree->body_memory, &tree->body_bytes, wanted)) return false;
    char* next = tree->body_memory;
    tree->x = part(&next, n, sizeof *tree->x);
    tree->y = part(&next, n, sizeof *tree->y);
    tree->z = part(&next, n, sizeof *tree->z);
    tree->keys = part(&next, n, sizeof *tree->keys);
    tree->key_scratch = part(&next, n, sizeof *tree->keys);
    tree->mass = part(&next, n, sizeof *tree->mass);
    tree->weight = part(&next, n, sizeof *tree->weight);
    tree->id = part(&next, n, sizeof *tree->id);
    tree->id_scratch = part(&next, n, sizeof *tree->id);
    tree->places = part(&next, histogram, sizeof *tree->places);
    return true;
}

static bool reserve_walk(kin_gravity_tree* tree)
{
    size_t n = tree->node_capacity + KIN_GRAVITY_PAD;
    if (!grow_block(&tree->allocator, &tree->walk_memory, &tree->walk_bytes, 6 * (n * sizeof(float) + KIN_ALIGNMENT))) return false;
    char* next = tree->walk_memory;
    tree->node_x = part(&next, n, sizeof(float));
    tree->node_y = part(&next, n, sizeof(float));
    tree->node_z = part(&next, n, sizeof(float));
    tree->node_radius = part(&next, n, sizeof(float));
    tree->node_mass = part(&next, n, sizeof(float));
    tree->node_number = part(&next, n, sizeof(uint32_t));
    for (int k = 0; k < KIN_GRAVITY_PAD; ++k) { /* lanes read past the last node and throw away what they found */
        size_t i = tree->node_count + (size_t)k;
        tree->node_x[i] = tree->node_y[i] = tree->node_z[i] = tree->node_radius[i] = tree->node_mass[i] = 0;
        tree->node_number[i] = 0;
    }
    return true;
}

void kin_gravity_tree_term(kin_gravity_tree* tree)
{
    kin_free(&tree->allocator, tree->body_memory, tree->body_bytes);
    kin_free(&tree->allocator, tree->walk_memory, tree->walk_bytes);
    kin_free(&tree->allocator, tree->nodes, tree->node_capacity * sizeof *tree->nodes);
    *tree = (kin_gravity_tree){.allocator = tree->allocator};
}

/* ---- keys and their order ---- */

/* Bits of x at every third place. */
static uint64_t spread(uint64_t x)
{
    x = (x | x << 32) & 0x001F00000000FFFFu;
    x = (x | x << 16) & 0x001F0000FF0000FFu;
    x = (x | x << 8) & 0x100F00F00F00F00Fu;
    x = (x | x << 4) & 0x10C30C30C30C30C3u;
    return (x | x << 2) & 0x1249249249249249u;
}

static uint64_t cell_along(const kin_gravity_tree* tree, int axis, double x)
{
    double cells = (double)(1 << KIN_GRAVITY_DEPTH);
    double place = ((x - tree->centre[axis]) / tree->side + 0.5) * cells;
    return (uint64_t)kin_clamp(place, 0, cells - 1);
}

static void key_chunk(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const body_job* job = argument;
    kin_gravity_tree* tree = job->tree;
    const double* const* x = job->cloud->x;
    (void)chunk, (void)scratch;
    for (int64_t i = begin; i < end; ++i) {
        tree->keys[i] = spread(cell_along(tree, 0, x[0][i])) | spread(cell_along(tree, 1, x[1][i])) << 1 | spread(cell_along(tree, 2, x[2][i])) << 2;
        tree->id[i] = (uint32_t)i;
    }
}

static unsigned digit_of(uint64_t key, int digit) { return (unsigned)(key >> (30 + 11 * digit)) & (KIN_GRAVITY_DIGITS - 1); }

static void count_chunk(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const body_job* job = argument;
    uint32_t* counts = job->tree->places + (size_t)chunk * KIN_GRAVITY_DIGITS;
    (void)scratch;
    memset(counts, 0, KIN_GRAVITY_DIGITS * sizeof *counts);
    for (int64_t i = begin; i < end; ++i) counts[digit_of(job->tree->keys[i], job->digit)] += 1;
}

static void scatter_chunk(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const body_job* job = argument;
    kin_gravity_tree* tree = job->tree;
    uint32_t* places = tree->places + (size_t)chunk * KIN_GRAVITY_DIGITS;
    (void)scratch;
    for (int64_t i = begin; i < end; ++i) {
        uint32_t place = places[digit_of(tree->keys[i], job->digit)]++;
        tree->key_scratch[place] = tree->keys[i];
        tree->id_scratch[place] = tree->id[i];
    }
}

/* The sort so far saw 11 of 21 levels; few bodies share all of them. A chunk finishes the stretches that begin in it: first it says where that is. */
static void start_chunk(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const kin_gravity_tree* tree = ((const body_job*)argument)->tree;
    (void)end, (void)scratch;
    while (begin > 0 && begin < tree->count && tree->keys[begin] >> 30 == tree->keys[begin - 1] >> 30) begin += 1;
    tree->places[chunk] = (uint32_t)begin;
}

static void finish_chunk(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    kin_gravity_tree* tree = ((const body_job*)argument)->tree;
    const uint64_t* keys = tree->keys;
    bool last = end == tree->count;
    (void)scratch;
    end = last ? tree->count : tree->places[chunk + 1];
    for (begin = tree->places[chunk]; begin < end;) {
        int64_t next = begin + 1;
        while (next < end && keys[next] >> 30 == keys[begin] >> 30) next += 1;
        if (next > begin + 1) kin_sort_keys(tree->keys + begin, tree->id + begin, tree->key_scratch + begin, tree->id_scratch + begin, (size_t)(next - begin));
        begin = next;
    }
}

static void sort_bodies(kin_gravity_tree* tree, body_job* job)
{
    int chunks = kin_chunk_count(tree->count, kin_gravity_grain(tree->count));
    for (job->digit = 0; job->digit < 3; ++job->digit) {
        over_bodies(tree, count_chunk, job);
        uint32_t place = 0;
        for (int d = 0; d < KIN_GRAVITY_DIGITS; ++d) {
            for (int k = 0; k < chunks; ++k) {
                uint32_t* at = &tree->places[(size_t)k * KIN_GRAVITY_DIGITS + (size_t)d];
                uint32_t count = *at;
                *at = place;
                place += count;
            }
        }
        over_bodies(tree, scatter_chunk, job);
        uint64_t* keys = tree->keys;
        uint32_t* id = tree->id;
        tree->keys = tree->key_scratch, tree->key_scratch = keys;
        tree->id = tree->id_scratch, tree->id_scratch = id;
    }
    over_bodies(tree, start_chunk, job);
    over_bodies(tree, finish_chunk, job);
}

static void gather_chunk(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const body_job* job = argument;
    kin_gravity_tree* t = job->tree;
    const kin_mutual_cloud* c = job->cloud;
    double inv_side = 1 / t->side, inv_mass = 1 / t->mass_unit;
    (void)chunk, (void)scratch;
    for (int64_t i = begin; i < end; ++i) {
        uint32_t from = t->id[i];
        t->x[i] = (c->x[0][from] - t->centre[0]) * inv_side;
        t->y[i] = (c->x[1][from] - t->centre[1]) * inv_side;
        t->z[i] = (c->x[2][from] - t->centre[2]) * inv_side;
        t->mass[i] = (float)(c->mass[from] * inv_mass);
        t->weight[i] = job->history != NULL ? (float)(1 / kin_square(kin_max(job->history[from], job->floor) * job->inv_unit)) : 0;
    }
}

void kin_gravity_gather(kin_gravity_tree* tree, const kin_mutual_cloud* cloud, const double* history, double unit)
{
    /* A body that nothing pulls must not ask for infinite care. */
    double floor = history != NULL ? 1e-4 * kin_sum(history, tree->count) / tree->count + 1e-12 * kin_abs(unit) : 0;
    over_bodies(tree, gather_chunk, &(body_job){.tree = tree, .cloud = cloud, .history = history, .inv_unit = 1 / kin_abs(unit), .floor = floor});
    for (uint32_t i = tree->count; i < tree->count + KIN_GRAVITY_PAD; ++i) {
        tree->x[i] = tree->y[i] = tree->z[i] = 0;
        tree->mass[i] = tree->weight[i] = 0;
    }
}

/* ---- cells ---- */

/* The smallest cell that holds the stretch: as many leading bits as its first and last keys share. */
static kin_gravity_node node_of(const kin_gravity_tree* tree, uint32_t begin, uint32_t end)
{
    uint64_t differ = tree->keys[begin] ^ tree->keys[end - 1];
    unsigned shift = differ == 0 ? 0 : (66u - (unsigned)__builtin_clzll(differ)) / 3;
    return (kin_gravity_node){
        .begin = begin, .count = end - begin, .shift = (uint16_t)shift, .side = 1.0f / (float)((uint32_t)1 << (KIN_GRAVITY_DEPTH - shift))};
}

static void split_node(kin_gravity_tree* tree, uint32_t index)
{
    kin_gravity_node* node = &tree->nodes[index];
    uint32_t end = node->begin + node->count;
    node->child = tree->node_count;
    for (uint32_t begin = node->begin; begin < end;) {
        uint32_t next = kin_octant_end(tree->keys, begin, end, 3 * ((unsigned)node->shift - 1));
        tree->nodes[tree->node_count++] = node_of(tree, begin, next);
        node->child_count += 1;
        begin = next;
    }
}

/* Breadth first, so that levels and children are contiguous. */
static bool split_nodes(kin_gravity_tree* tree, uint32_t leaf)
{
    if (!kin_reserve(&tree->allocator, (void**)&tree->nodes, &tree->node_capacity, 64 + tree->count / 4, sizeof *tree->nodes)) return false;
    tree->node_count = tree->level_count = 0;
    if (tree->count == 0) return true;
    tree->nodes[tree->node_count++] = node_of(tree, 0, tree->count);
    for (uint32_t i = 0; i < tree->node_count;) {
        uint32_t end = tree->node_count;
        tree->level[tree->level_count++] = i;
        for (; i < end; ++i) {
            if (!kin_reserve(&tree->allocator, (void**)&tree->nodes, &tree->node_capacity, (size_t)tree->node_count + 8, sizeof *tree->nodes)) return false;
            if (tree->nodes[i].count > leaf && tree->nodes[i].shift > 0) split_node(tree, i); /* shift 0: one of the finest cells */
        }
    }
    tree->level[tree->level_count] = tree->node_count;
    return true;
}

bool kin_gravity_tree_build(kin_gravity_tree* tree, const kin_mutual_cloud* cloud, uint32_t leaf, const double* history, double unit)
{
    if (!kin_gravity_tree_reserve(tree, cloud->count)) return false;
    body_job job = {.tree = tree, .cloud = cloud};
    over_bodies(tree, key_chunk, &job);
    sort_bodies(tree, &job);
    kin_gravity_gather(tree, cloud, history, unit);
    if (!split_nodes(tree, leaf) || !reserve_walk(tree)) return false;
    kin_gravity_moments(tree, cloud->jobs, true);
    return true;
}

/* Bodies at one place share a key. */
uint64_t kin_gravity_tree_coincident(const kin_gravity_tree* tree)
{
    uint64_t pairs = 0;
    for (uint32_t begin = 0; begin < tree->count;) {
        uint32_t end = begin + 1;
        while (end < tree->count && tree->keys[end] == tree->keys[begin]) end += 1;
        for (uint32_t i = begin; i < end; ++i) {
            for (uint32_t j = begin; j < i; ++j) pairs += tree->x[i] == tree->x[j] && tree->y[i] == tree->y[j] && tree->z[i] == tree->z[j];
        }
        begin = end;
    }
    return pairs;
}
