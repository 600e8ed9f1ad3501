/* modes_near.c - which boxes overlap: sorted along the axis on which they are spread most, then swept (C4.4). Any number of bodies; what they are is looked at
 * once an interval, and only where the two groups come near each other at all. */
#include "couple/modes.h"
#include "base/sort.h"
#include "math/aabb.h"
#include <string.h>

#define HUGE_BOX 1e100 /* m: of no place in particular */

typedef struct span {
    double low, high;
    uint32_t node;
} span;

static bool lower(void* context, const void* a, const void* b)
{
    const span *x = a, *y = b;
    (void)context;
    return x->low != y->low ? x->low < y->low : x->node < y->node;
}

static double along(kin_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

static int widest_axis(const kin_modes* m, uint32_t count)
{
    double best = -1;
    int axis = 0;
    for (int k = 0; k < 3; ++k) {
        double low = HUGE_BOX, high = -HUGE_BOX;
        for (uint32_t i = 0; i < count; ++i) {
            double x = along(m->nodes[i].box.low, k);
            if (kin_abs(x) < HUGE_BOX) low = kin_min(low, x), high = kin_max(high, x);
        }
        if (high - low > best) best = high - low, axis = k;
    }
    return axis;
}

/* Either moves, and they are of one group or neither is a collider: these are in both groups. */
static bool may_matter(const kin_modes* m, uint32_t a, uint32_t b)
{
    if (m->bodies[a].inv_mass == 0 && m->bodies[b].inv_mass == 0) return false;
    if (kin_modes_group(m, a) == kin_modes_group(m, b)) return true;
    const kin_bodies *x = &m->groups[kin_modes_group(m, a)]->bodies, *y = &m->groups[kin_modes_group(m, b)]->bodies;
    return x->skin[a - m->first[kin_modes_group(m, a)]].owner.system != KIN_WORLD_SYSTEM
           && y->skin[b - m->first[kin_modes_group(m, b)]].owner.system != KIN_WORLD_SYSTEM;
}

/* Counts at first (data NULL), then fills. */
static void sweep(const kin_modes* m, const span* spans, uint32_t count, uint32_t* at, uint32_t* data)
{
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t k = i + 1; k < count && spans[k].low <= spans[i].high; ++k) {
            uint32_t a = spans[i].node, b = spans[k].node;
            if (!may_matter(m, a, b) || !kin_aabb_overlaps(m->nodes[a].box, m->nodes[b].box)) continue;
            if (data != NULL) data[at[a]] = b, data[at[b]] = a;
            at[a] += 1, at[b] += 1;
        }
    }
}

static bool smaller(void* context, const void* a, const void* b)
{
    (void)context;
    return *(const uint32_t*)a < *(const uint32_t*)b;
}

/* From counts in begin: where each list begins, and room for all. */
static bool begin_lists(kin_modes* m, kin_mode_lists* lists, const uint32_t* counts, uint32_t count)
{
    lists->begin = kin_arena_take(&m->arena, (count + (size_t)1) * sizeof *lists->begin);
    if (lists->begin == NULL) return false;
    lists->begin[0] = 0;
    for (uint32_t i = 0; i < count; ++i) lists->begin[i + 1] = lists->begin[i] + counts[i];
    lists->data = kin_arena_take(&m->arena, (lists->begin[count] + (size_t)1) * sizeof *lists->data);
    return lists->data != NULL;
}

static bool list_near(kin_modes* m, uint32_t* at, uint32_t count)
{
    span* spans = kin_arena_take(&m->arena, 2 * (size_t)count * sizeof *spans);
    if (spans == NULL) return false;
    int axis = widest_axis(m, count);
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; ++i) {
        double low = along(m->nodes[i].box.low, axis), high = along(m->nodes[i].box.high, axis);
        if (low <= high) spans[used++] = (span){low, high, i};
    }
    kin_sort(spans, spans + count, used, sizeof *spans, lower, NULL);
    memset(at, 0, count * sizeof *at);
    sweep(m, spans, used, at, NULL);
    if (!begin_lists(m, &m->near, at, count)) return false;
    memcpy(at, m->near.begin, count * sizeof *at);
    sweep(m, spans, used, at, m->near.data);
    uint32_t longest = 0;
    for (uint32_t i = 0; i < count; ++i) longest = m->near.begin[i + 1] - m->near.begin[i] > longest ? m->near.begin[i + 1] - m->near.begin[i] : longest;
    uint32_t* room = kin_arena_take(&m->arena, (longest + (size_t)1) * sizeof *room);
    for (uint32_t i = 0; room != NULL && i < count; ++i) {
        kin_sort(m->near.data + m->near.begin[i], room, m->near.begin[i + 1] - m->near.begin[i], sizeof *room, smaller, NULL);
    }
    return room != NULL;
}

static void sort_joints(const kin_modes* m, uint32_t* at, uint32_t* data)
{
    for (int group = 0; group < 2; ++group) {
        const kin_group* g = m->groups[group];
        for (uint32_t i = 0; i < g->joint_count; ++i) {
            if (!kin_group_joint_holds(g, &g->joints[i])) continue;
            const uint32_t body[2] = {g->joints[i].a, g->joints[i].b};
            for (int k = 0; k < 2; ++k) {
                if (body[k] == KIN_NO_BODY) continue;
                uint32_t node = m->first[group] + body[k];
                if (data != NULL) data[at[node]] = i;
                at[node] += 1;
            }
        }
    }
}

bool kin_modes_find_near(kin_modes* m)
{
    uint32_t count = kin_modes_world(m), *at = kin_arena_take(&m->arena, (count + (size_t)1) * sizeof *at);
    if (at == NULL || !list_near(m, at, count)) return false;
    memset(at, 0, count * sizeof *at);
    sort_joints(m, at, NULL);
    if (!begin_lists(m, &m->joints, at, count)) return false;
    memcpy(at, m->joints.begin, count * sizeof *at);
    sort_joints(m, at, m->joints.data);
    return true;
}
