/* block_order.c - elimination on lists of neighbours: a node leaves, its neighbours become linked with each other. Tinney and Walker 1967 (scheme 3). */
#include "numerics/block_order.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"
#include <string.h>

typedef struct graph {
    int nodes;
    int** list; /* neighbours that are still there, in no order */
    int *count, *capacity;
    int64_t* missing; /* links among the neighbours that elimination would add */
    int *stamp, now;  /* stamp[i] == now: marked */
    bool* gone;
    kin_arena* arena;
} graph;

static bool graph_init(graph* g, int nodes, kin_arena* arena)
{
    size_t n = (size_t)nodes;
    *g = (graph){.nodes = nodes,
                 .list = kin_arena_take(arena, kin_bytes(n, sizeof *g->list)),
                 .count = kin_arena_take(arena, kin_bytes(n, sizeof(int))),
                 .capacity = kin_arena_take(arena, kin_bytes(n, sizeof(int))),
                 .missing = kin_arena_take(arena, kin_bytes(n, sizeof *g->missing)),
                 .stamp = kin_arena_take(arena, kin_bytes(n, sizeof(int))),
                 .gone = kin_arena_take(arena, n),
                 .arena = arena};
    if (!g->list || !g->count || !g->capacity || !g->missing || !g->stamp || !g->gone) return false;
    for (int i = 0; i < nodes; ++i) g->list[i] = NULL, g->count[i] = g->capacity[i] = g->stamp[i] = 0, g->gone[i] = false;
    return true;
}

static bool add_neighbour(graph* g, int node, int neighbour)
{
    if (g->count[node] == g->capacity[node]) {
        int capacity = 2 * g->capacity[node] + 4;
        int* list = kin_arena_take(g->arena, kin_bytes((size_t)capacity, sizeof *list));
        if (!list) return false;
        if (g->count[node] > 0) memcpy(list, g->list[node], (size_t)g->count[node] * sizeof *list);
        g->list[node] = list;
        g->capacity[node] = capacity;
    }
    g->list[node][g->count[node]++] = neighbour;
    return true;
}

static void remove_neighbour(graph* g, int node, int neighbour)
{
    int i = 0;
    while (g->list[node][i] != neighbour) ++i;
    g->list[node][i] = g->list[node][--g->count[node]];
}

static void mark_neighbours(graph* g, int node)
{
    ++g->now;
    for (int i = 0; i < g->count[node]; ++i) g->stamp[g->list[node][i]] = g->now;
}

/* Both directions of every link, and then each list without what it holds twice. */
static bool add_links(graph* g, int count, const kin_block_link* links)
{
    for (int i = 0; i < count; ++i) {
        int a = links[i].a, b = links[i].b;
        KIN_ASSERT(a >= 0 && a < g->nodes && b >= 0 && b < g->nodes);
        if (a != b && (!add_neighbour(g, a, b) || !add_neighbour(g, b, a))) return false;
    }
    for (int v = 0; v < g->nodes; ++v) {
        int kept = 0;
        ++g->now;
        for (int i = 0; i < g->count[v]; ++i) {
            int u = g->list[v][i];
            if (g->stamp[u] == g->now) continue;
            g->stamp[u] = g->now;
            g->list[v][kept++] = u;
        }
        g->count[v] = kept;
    }
    return true;
}

static void count_missing(graph* g, int node)
{
    int64_t degree = g->count[node], there = 0; /* each link among the neighbours is seen from both ends */
    mark_neighbours(g, node);
    for (int i = 0; i < g->count[node]; ++i) {
        int u = g->list[node][i];
        for (int k = 0; k < g->count[u]; ++k) there += g->stamp[g->list[u][k]] == g->now;
    }
    g->missing[node] = (degree * (degree - 1) - there) / 2;
}

static int next_node(const graph* g)
{
    int best = -1;
    for (int v = 0; v < g->nodes; ++v) {
        if (g->gone[v]) continue;
        bool fewer = best < 0 || g->missing[v] < g->missing[best] || (g->missing[v] == g->missing[best] && g->count[v] < g->count[best]);
        if (fewer) best = v;
    }
    return best;
}

/* No links are added: each neighbour u only loses the pairs that v made with those of u's neighbours it does not know. */
static void leave_quietly(graph* g, int v)
{
    for (int i = 0; i < g->count[v]; ++i) {
        int u = g->list[v][i];
        g->missing[u] -= g->count[u] - g->count[v];
        remove_neighbour(g, u, v);
    }
}

static bool leave_linking(graph* g, int v)
{
    const int* list = g->list[v];
    int count = g->count[v];
    for (int i = 0; i < count; ++i) {
        int u = list[i];
        remove_neighbour(g, u, v);
        mark_neighbours(g, u);
        for (int k = 0; k < count; ++k) {
            if (list[k] != u && g->stamp[list[k]] != g->now && !add_neighbour(g, u, list[k])) return false;
        }
    }
    for (int i = 0; i < count; ++i) g->missing[list[i]] = -1; /* unknown now, and so are their neighbours' */
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < g->count[list[i]]; ++k) g->missing[g->list[list[i]][k]] = -1;
    }
    for (int u = 0; u < g->nodes; ++u) {
        if (!g->gone[u] && g->missing[u] < 0) count_missing(g, u);
    }
    return true;
}

static bool eliminate_all(graph* g, kin_block_order* out)
{
    for (int k = 0; k < g->nodes; ++k) {
        int v = next_node(g);
        g->gone[v] = true;
        out->node[k] = v;
        out->place[v] = k;
        out->met_count += g->count[v];
        if (g->missing[v] == 0)
            leave_quietly(g, v);
        else if (!leave_linking(g, v))
            return false;
    }
    return true;
}

static bool is_earlier(void* context, const void* a, const void* b)
{
    const int* place = context;
    return place[*(const int*)a] < place[*(const int*)b];
}

/* The lists of those who left were not touched since. */
static bool sort_met(const graph* g, kin_block_order* out)
{
    int* scratch = kin_arena_take(g->arena, kin_bytes((size_t)g->nodes, sizeof *scratch));
    if (!scratch) return false;
    for (int v = 0; v < g->nodes; ++v) {
        if (g->count[v] > 1) kin_sort(g->list[v], scratch, (size_t)g->count[v], sizeof(int), is_earlier, out->place);
    }
    out->met = g->list;
    out->count = g->count;
    return true;
}

bool kin_block_order_find(int nodes, int link_count, const kin_block_link* links, kin_arena* arena, kin_block_order* out)
{
    graph g;
    KIN_ASSERT(nodes >= 0 && link_count >= 0);
    *out = (kin_block_order){.nodes = nodes,
                             .node = kin_arena_take(arena, kin_bytes((size_t)nodes, sizeof(int))),
                             .place = kin_arena_take(arena, kin_bytes((size_t)nodes, sizeof(int)))};
    if (!out->node || !out->place || !graph_init(&g, nodes, arena) || !add_links(&g, link_count, links)) return false;
    for (int v = 0; v < nodes; ++v) {
        count_missing(&g, v);
        out->links += g.count[v];
    }
    out->links /= 2;
    return eliminate_all(&g, out) && sort_met(&g, out);
}
