/* grid.c - a stable counting sort of the members by cell. */
#include "system/flock/grid.h"
#include "math/scalar.h"
#include <string.h>

enum { SAMPLES = 15 };

static bool reserve(kin_flock_grid* g, const kin_allocator* allocator, uint32_t count)
{
    bool ok = kin_reserve(allocator, (void**)&g->birds, &g->bird_capacity, count, sizeof *g->birds)
              && kin_reserve(allocator, (void**)&g->index, &g->index_capacity, count, sizeof *g->index)
              && kin_reserve(allocator, (void**)&g->entry, &g->entry_capacity, count, sizeof *g->entry);
    for (int k = 0; k < 3; ++k) ok = ok && kin_reserve(allocator, (void**)&g->place[k], &g->place_capacity[k], (size_t)count + 7, sizeof *g->place[k]);
    return ok;
}

/* The median of a few members: strays do not move it, as they would the mean or the box. */
static double median(const double* x, const uint32_t* members, uint32_t count)
{
    double some[SAMPLES];
    for (uint32_t i = 0; i < SAMPLES; ++i) {
        double value = x[members[(uint64_t)i * count / SAMPLES]];
        uint32_t k = i;
        for (; k > 0 && some[k - 1] > value; --k) some[k] = some[k - 1];
        some[k] = value;
    }
    return some[SAMPLES / 2];
}

static uint32_t cells_along(const kin_flock_grid* g, const double* x, const uint32_t* members, uint32_t count, int axis)
{
    double low = x[members[0]], high = low;
    for (uint32_t i = 1; i < count; ++i) {
        low = kin_min(low, x[members[i]]);
        high = kin_max(high, x[members[i]]);
    }
    return (uint32_t)(kin_flock_cell(g, axis, high) - kin_flock_cell(g, axis, low)) + 1;
}

/* Sides of the table: as many cells as the members' box has, but no more than about four for a member. */
static void fit(kin_flock_grid* g, const kin_mutual_cloud* cloud, const uint32_t* members, uint32_t count, double range)
{
    uint32_t sum = 0, most = 6;
    while (most < 30 && ((uint64_t)1 << most) < 4 * (uint64_t)count) ++most;
    g->inverse = 1 / (range * (1 + 1e-9));
    for (int k = 0; k < 3; ++k) {
        g->middle[k] = median(cloud->x[k], members, count);
        uint32_t cells = cells_along(g, cloud->x[k], members, count, k);
        for (g->bits[k] = 2; g->bits[k] < most && (1u << g->bits[k]) < cells;) ++g->bits[k];
        sum += g->bits[k];
    }
    for (; sum > most; --sum) {
        int longest = g->bits[0] >= g->bits[1] ? 0 : 1;
        if (g->bits[2] > g->bits[longest]) longest = 2;
        --g->bits[longest];
    }
}

static uint32_t entry_of(const kin_flock_grid* g, const kin_mutual_cloud* cloud, uint32_t i)
{
    uint32_t at[3];
    for (int k = 0; k < 3; ++k) at[k] = (uint32_t)kin_flock_cell(g, k, cloud->x[k][i]) & ((1u << g->bits[k]) - 1);
    return (at[2] << g->bits[1] | at[1]) << g->bits[0] | at[0];
}

static void place(kin_flock_grid* g, const kin_mutual_cloud* c, uint32_t to, uint32_t i)
{
    g->index[to] = i;
    for (int k = 0; k < 3; ++k) g->place[k][to] = (float)kin_clamp((c->x[k][i] - g->middle[k]) * g->inverse, -8192, 8192);
    g->birds[to] = (kin_flock_bird){{c->x[0][i], c->x[1][i], c->x[2][i], 0}, {c->v[0][i], c->v[1][i], c->v[2][i], 0}};
}

static void fill_order(uint64_t order[256])
{
    for (unsigned bits = 0; bits < 256; ++bits) {
        order[bits] = 0;
        for (unsigned k = 0, place = 0; k < 8; ++k) {
            if ((bits >> k & 1) != 0) order[bits] |= (uint64_t)k << (8 * place++);
        }
    }
}

bool kin_flock_grid_build(kin_flock_grid* g, const kin_allocator* allocator, const kin_mutual_cloud* cloud, const uint32_t* members, uint32_t count,
                          double range)
{
    g->count = count;
    if (count == 0) return true;
    if (!reserve(g, allocator, count)) return false;
    if (g->order[1] == g->order[2]) fill_order(g->order); /* once */
    fit(g, cloud, members, count, range);
    uint32_t entries = 1u << (g->bits[0] + g->bits[1] + g->bits[2]);
    if (!kin_reserve(allocator, (void**)&g->starts, &g->start_capacity, (size_t)entries + 1, sizeof *g->starts)) return false;
    memset(g->starts, 0, ((size_t)entries + 1) * sizeof *g->starts);
    for (uint32_t i = 0; i < count; ++i) g->starts[g->entry[i] = entry_of(g, cloud, members[i])] += 1;
    uint32_t sum = 0;
    for (uint32_t e = 0; e <= entries; ++e) g->starts[e] = sum += g->starts[e]; /* the ends, for now */
    for (uint32_t i = count; i-- > 0;) place(g, cloud, --g->starts[g->entry[i]], members[i]);
    for (int k = 0; k < 3; ++k) memset(g->place[k] + count, 0, 7 * sizeof *g->place[k]);
    return true;
}

void kin_flock_grid_term(kin_flock_grid* g, const kin_allocator* allocator)
{
    kin_free(allocator, g->birds, g->bird_capacity * sizeof *g->birds);
    kin_free(allocator, g->index, g->index_capacity * sizeof *g->index);
    kin_free(allocator, g->entry, g->entry_capacity * sizeof *g->entry);
    kin_free(allocator, g->starts, g->start_capacity * sizeof *g->starts);
    for (int k = 0; k < 3; ++k) kin_free(allocator, g->place[k], g->place_capacity[k] * sizeof *g->place[k]);
    *g = (kin_flock_grid){0};
}
