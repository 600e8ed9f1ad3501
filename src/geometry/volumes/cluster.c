/* cluster.c - trees from the leaves up. In every round each cluster looks for the partner that makes the smallest common box, in a window along the Morton
 * order or among its neighbours on the surface, and pairs that chose each other merge. Costs are compared with the pair's numbers as the tie-break, so the
 * best pair of all always agrees, every round merges something, and the tree is the same on every machine. */
#include "base/alloc.h"
#include "base/sort.h"
#include "geometry/volumes/internal.h"

enum { WINDOW = 16 };
#define NONE UINT32_MAX

typedef struct cluster {
    kin_aabb box;
    uint32_t left, right; /* clusters; NONE: a primitive, which has the cluster's number */
    uint32_t count;       /* primitives below */
} cluster;

typedef struct forest {
    cluster* all;    /* primitives first, then merged ones */
    uint32_t made;   /* how many */
    uint32_t* alive; /* clusters that wait for a partner */
    uint32_t alive_count;
    uint32_t* choice;               /* of each alive one, or of each cluster on a surface */
    uint64_t *edges, *edge_scratch; /* surface: pairs of clusters, lower number first */
    uint32_t *edge_values, *edge_value_scratch;
    size_t edge_count, edge_capacity;
} forest;

typedef struct offer {
    double cost;
    uint64_t pair;
} offer;

static offer offer_of(const forest* f, uint32_t a, uint32_t b)
{
    return (offer){kin_aabb_area(kin_aabb_union(f->all[a].box, f->all[b].box)), a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a};
}
static bool better(offer a, offer b) { return a.cost != b.cost ? a.cost < b.cost : a.pair < b.pair; }

static uint32_t merge(forest* f, uint32_t a, uint32_t b)
{
    f->all[f->made] = (cluster){kin_aabb_union(f->all[a].box, f->all[b].box), a, b, f->all[a].count + f->all[b].count};
    return f->made++;
}

/* ---- in space ---- */

static uint64_t spread_bits(double x) /* 21 bits, two zeros between each */
{
    uint64_t v = (uint64_t)kin_clamp(x * 2097152, 0, 2097151);
    v = (v | v << 32) & 0x1F00000000FFFFu;
    v = (v | v << 16) & 0x1F0000FF0000FFu;
    v = (v | v << 8) & 0x100F00F00F00F00Fu;
    v = (v | v << 4) & 0x10C30C30C30C30C3u;
    return (v | v << 2) & 0x1249249249249249u;
}

/* Alive clusters in Morton order of their centres. */
static void morton_order(kin_bound_builder* b, forest* f)
{
    kin_aabb all = kin_aabb_empty();
    for (uint32_t i = 0; i < f->alive_count; ++i) all = kin_aabb_add(all, kin_aabb_center(f->all[f->alive[i]].box));
    kin_vec3 size = kin_aabb_size(all);
    double scale = kin_largest(size) > 0 ? 1 / kin_largest(size) : 0;
    for (uint32_t i = 0; i < f->alive_count; ++i) {
        kin_vec3 x = kin_scale(kin_sub(kin_aabb_center(f->all[f->alive[i]].box), all.low), kin_finite(scale) ? scale : 0);
        b->keys[i] = spread_bits(x.x) | spread_bits(x.y) << 1 | spread_bits(x.z) << 2;
    }
    kin_sort_keys(b->keys, f->alive, b->key_scratch, b->item_scratch, f->alive_count);
}

static void choose_in_window(forest* f)
{
    for (uint32_t i = 0; i < f->alive_count; ++i) {
        uint32_t begin = i > WINDOW ? i - WINDOW : 0, end = i + WINDOW + 1 < f->alive_count ? i + WINDOW + 1 : f->alive_count;
        offer best = {__builtin_inf(), UINT64_MAX};
        for (uint32_t j = begin; j < end; ++j) {
            if (j == i) continue;
            offer o = offer_of(f, f->alive[i], f->alive[j]);
            if (better(o, best)) best = o, f->choice[i] = j;
        }
    }
}

static void cluster_in_space(kin_bound_builder* b, forest* f)
{
    morton_order(b, f);
    while (f->alive_count > 1) {
        choose_in_window(f);
        uint32_t kept = 0;
        for (uint32_t i = 0; i < f->alive_count; ++i) {
            uint32_t partner = f->choice[i];
            bool agreed = f->choice[partner] == i;
            if (agreed && partner < i) continue; /* went with its partner */
            b->item_scratch[kept++] = agreed ? merge(f, f->alive[i], f->alive[partner]) : f->alive[i];
        }
        for (uint32_t i = 0; i < kept; ++i) f->alive[i] = b->item_scratch[i];
        f->alive_count = kept;
    }
}

/* ---- along the surface ---- */

static void choose_neighbours(forest* f, offer* best)
{
    for (uint32_t c = 0; c < f->made; ++c) f->choice[c] = NONE, best[c] = (offer){__builtin_inf(), UINT64_MAX};
    for (size_t e = 0; e < f->edge_count; ++e) {
        uint32_t a = (uint32_t)(f->edges[e] >> 32), b = (uint32_t)f->edges[e];
        offer o = offer_of(f, a, b);
        if (better(o, best[a])) best[a] = o, f->choice[a] = b;
        if (better(o, best[b])) best[b] = o, f->choice[b] = a;
    }
}

/* Edges between what their ends became; inner ones and doubles go. */
static void rename_edges(forest* f, const uint32_t* became)
{
    size_t kept = 0;
    for (size_t e = 0; e < f->edge_count; ++e) {
        uint32_t a = became[f->edges[e] >> 32], b = became[(uint32_t)f->edges[e]];
        if (a != b) f->edges[kept++] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    }
    kin_sort_keys(f->edges, f->edge_values, f->edge_scratch, f->edge_value_scratch, kept);
    f->edge_count = 0;
    for (size_t e = 0; e < kept; ++e) {
        if (e == 0 || f->edges[e] != f->edges[f->edge_count - 1]) f->edges[f->edge_count++] = f->edges[e];
    }
}

static void list_edges(const kin_primitives* p, forest* f)
{
    for (uint32_t i = 0; i < p->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            uint32_t other = p->neighbors[i][k];
            if (other != KIN_NO_NEIGHBOR && other > i && other < p->count) f->edges[f->edge_count++] = (uint64_t)i << 32 | other;
        }
    }
    for (size_t e = 0; e < f->edge_capacity; ++e) f->edge_values[e] = 0;
}

static void cluster_on_surface(kin_bound_builder* b, forest* f, offer* best, uint32_t* became)
{
    list_edges(b->primitives, f);
    while (f->edge_count > 0) {
        choose_neighbours(f, best);
        uint32_t before = f->made, kept = 0;
        for (uint32_t c = 0; c < before; ++c) became[c] = c;
        for (uint32_t i = 0; i < f->alive_count; ++i) {
            uint32_t c = f->alive[i], partner = f->choice[c];
            bool agreed = partner != NONE && f->choice[partner] == c;
            if (agreed && became[c] != c) continue; /* its partner came first */
            if (agreed) became[c] = became[partner] = merge(f, c, partner);
            f->alive[kept++] = became[c];
        }
        f->alive_count = kept;
        rename_edges(f, became);
    }
    cluster_in_space(b, f); /* separate pieces */
}

/* ---- to nodes ---- */

/* The primitives below a cluster, left to right. */
static void list_items(const forest* f, uint32_t root, uint32_t* stack, uint32_t* items)
{
    uint32_t top = 0, n = 0;
    stack[top++] = root;
    while (top > 0) {
        uint32_t c = stack[--top];
        if (f->all[c].left == NONE) {
            items[n++] = c;
            continue;
        }
        stack[top++] = f->all[c].right;
        stack[top++] = f->all[c].left;
    }
}

/* Root first, breadth first. heights remembers the cluster of each node; choice is free to be the stack. */
static void lay_nodes(kin_bound_builder* b, const forest* f)
{
    kin_bound_tree* t = b->tree;
    uint32_t* of = b->heights;
    list_items(f, f->made - 1, f->choice, t->items);
    of[0] = f->made - 1;
    t->nodes[0] = (kin_bound_node){.count = t->item_count};
    t->node_count = 1;
    for (uint32_t i = 0; i < t->node_count; ++i) {
        kin_bound_node* node = &t->nodes[i];
        const cluster* c = &f->all[of[i]];
        if (c->left == NONE || c->count <= b->leaf) continue;
        node->child = t->node_count, node->child_count = 2;
        uint32_t left = f->all[c->left].count;
        of[t->node_count] = c->left, of[t->node_count + 1] = c->right;
        t->nodes[t->node_count++] = (kin_bound_node){.first = node->first, .count = left, .depth = node->depth + 1};
        t->nodes[t->node_count++] = (kin_bound_node){.first = node->first + left, .count = node->count - left, .depth = node->depth + 1};
    }
}

static void forest_init(kin_bound_builder* b, forest* f)
{
    for (uint32_t i = 0; i < b->primitives->count; ++i) {
        f->all[i] = (cluster){b->boxes[i], NONE, NONE, 1};
        f->alive[i] = i;
    }
    f->made = f->alive_count = b->primitives->count;
}

kin_result kin_bound_build_up(kin_bound_builder* b)
{
    const kin_allocator* a = &b->tree->allocator;
    bool surface = b->def->build == KIN_BUILD_SURFACE;
    size_t n = b->primitives->count, edges = surface ? 3 * n : 0, on_surface = surface ? 2 * n : 0;
    forest f = {.edge_capacity = edges};
    f.all = kin_alloc(a, kin_bytes(2 * n, sizeof *f.all));
    f.alive = kin_alloc(a, kin_bytes(n, sizeof *f.alive));
    f.choice = kin_alloc(a, kin_bytes(2 * n, sizeof *f.choice));
    f.edges = kin_alloc(a, kin_bytes(edges, sizeof *f.edges));
    f.edge_scratch = kin_alloc(a, kin_bytes(edges, sizeof *f.edge_scratch));
    f.edge_values = kin_alloc(a, kin_bytes(edges, sizeof *f.edge_values));
    f.edge_value_scratch = kin_alloc(a, kin_bytes(edges, sizeof *f.edge_value_scratch));
    offer* best = kin_alloc(a, kin_bytes(on_surface, sizeof *best));
    uint32_t* became = kin_alloc(a, kin_bytes(on_surface, sizeof *became));
    bool all = f.all && f.alive && f.choice && (!surface || (f.edges && f.edge_scratch && f.edge_values && f.edge_value_scratch && best && became));
    if (all) {
        forest_init(b, &f);
        if (surface)
            cluster_on_surface(b, &f, best, became);
        else
            cluster_in_space(b, &f);
        lay_nodes(b, &f);
    }
    kin_free(a, f.all, kin_bytes(2 * n, sizeof *f.all));
    kin_free(a, f.alive, kin_bytes(n, sizeof *f.alive));
    kin_free(a, f.choice, kin_bytes(2 * n, sizeof *f.choice));
    kin_free(a, f.edges, kin_bytes(edges, sizeof *f.edges));
    kin_free(a, f.edge_scratch, kin_bytes(edges, sizeof *f.edge_scratch));
    kin_free(a, f.edge_values, kin_bytes(edges, sizeof *f.edge_values));
    kin_free(a, f.edge_value_scratch, kin_bytes(edges, sizeof *f.edge_value_scratch));
    kin_free(a, best, kin_bytes(on_surface, sizeof *best));
    kin_free(a, became, kin_bytes(on_surface, sizeof *became));
    return all ? KIN_OK : KIN_ERROR_MEMORY;
}
