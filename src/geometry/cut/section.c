/* section.c - loops of directed edges in a plane. */
#include "geometry/cut/section.h"
#include "base/alloc.h"
#include "base/search.h"
#include "base/sort.h"
#include <string.h>

#define NONE UINT32_MAX

void kin_section_init(kin_section* section, const kin_allocator* allocator) { *section = (kin_section){.allocator = *allocator}; }

void kin_section_term(kin_section* s)
{
    kin_allocator a = s->allocator;
    kin_free(&a, s->edges, kin_bytes(s->edge_room, sizeof *s->edges));
    kin_free(&a, s->ids, kin_bytes(s->id_room, sizeof *s->ids));
    kin_free(&a, s->begin, kin_bytes(s->begin_room, sizeof *s->begin));
    kin_free(&a, s->areas, kin_bytes(s->area_room, sizeof *s->areas));
    kin_free(&a, s->parent, kin_bytes(s->parent_room, sizeof *s->parent));
    kin_free(&a, s->used, kin_bytes(s->used_room, sizeof *s->used));
    kin_free(&a, s->group_ids, kin_bytes(s->group_room, sizeof *s->group_ids));
    kin_free(&a, s->group_begin, kin_bytes(s->group_begin_room, sizeof *s->group_begin));
    kin_free(&a, s->keys, kin_bytes(s->key_room, sizeof *s->keys));
    kin_free(&a, s->scratch_keys, kin_bytes(s->key2_room, sizeof *s->scratch_keys));
    kin_free(&a, s->order, kin_bytes(s->order_room, sizeof *s->order));
    kin_free(&a, s->scratch_order, kin_bytes(s->order2_room, sizeof *s->scratch_order));
    kin_section_init(s, &a);
}

bool kin_section_add(kin_section* section, uint32_t from, uint32_t to)
{
    if (!kin_reserve(&section->allocator, (void**)&section->edges, &section->edge_room, section->edge_count + 1, sizeof *section->edges)) return false;
    section->edges[section->edge_count][0] = from;
    section->edges[section->edge_count++][1] = to;
    return true;
}

static bool reserve(kin_section* s)
{
    const kin_allocator* a = &s->allocator;
    size_t n = s->edge_count, m = n + 1;
    return kin_reserve(a, (void**)&s->ids, &s->id_room, n, sizeof *s->ids) && kin_reserve(a, (void**)&s->begin, &s->begin_room, m, sizeof *s->begin)
           && kin_reserve(a, (void**)&s->areas, &s->area_room, n, sizeof *s->areas) && kin_reserve(a, (void**)&s->parent, &s->parent_room, n, sizeof *s->parent)
           && kin_reserve(a, (void**)&s->used, &s->used_room, n, sizeof *s->used)
           && kin_reserve(a, (void**)&s->group_ids, &s->group_room, n, sizeof *s->group_ids)
           && kin_reserve(a, (void**)&s->group_begin, &s->group_begin_room, m, sizeof *s->group_begin)
           && kin_reserve(a, (void**)&s->keys, &s->key_room, n, sizeof *s->keys)
           && kin_reserve(a, (void**)&s->scratch_keys, &s->key2_room, n, sizeof *s->scratch_keys)
           && kin_reserve(a, (void**)&s->order, &s->order_room, n, sizeof *s->order)
           && kin_reserve(a, (void**)&s->scratch_order, &s->order2_room, n, sizeof *s->scratch_order);
}

/* Edges that run against each other bound nothing. The rest come out sorted by origin. */
static void cancel(kin_section* s)
{
    for (uint32_t e = 0; e < s->edge_count; ++e) {
        uint64_t a = s->edges[e][0], b = s->edges[e][1];
        s->keys[e] = a < b ? a << 32 | b : b << 32 | a;
        s->order[e] = a < b;
    }
    kin_sort_keys(s->keys, s->order, s->scratch_keys, s->scratch_order, s->edge_count);
    size_t kept = 0;
    for (size_t i = 0, end; i < s->edge_count; i = end) {
        int64_t net = 0;
        for (end = i; end < s->edge_count && s->keys[end] == s->keys[i]; ++end) net += s->order[end] ? 1 : -1;
        uint64_t low = s->keys[i] >> 32, high = s->keys[i] & 0xFFFFFFFFu;
        for (; net > 0; --net) s->keys[kept] = low << 32 | high, s->order[kept++] = 0;
        for (; net < 0; ++net) s->keys[kept] = high << 32 | low, s->order[kept++] = 0;
    }
    kin_sort_keys(s->keys, s->order, s->scratch_keys, s->scratch_order, kept);
    for (size_t e = 0; e < kept; ++e) s->edges[e][0] = (uint32_t)(s->keys[e] >> 32), s->edges[e][1] = (uint32_t)s->keys[e];
    s->edge_count = kept;
}

static bool starts_before(const void* edges, size_t i, const void* point) { return ((const uint32_t(*)[2])edges)[i][0] < *(const uint32_t*)point; }
static size_t edges_from(const kin_section* s, uint32_t point) { return kin_search(s->edges, s->edge_count, starts_before, &point); }

static double turn_angle(const kin_vec3* points, kin_vec3 normal, uint32_t a, uint32_t b, uint32_t c)
{
    kin_flat_point p = kin_flatten(normal, kin_sub(points[b], points[a])), q = kin_flatten(normal, kin_sub(points[c], points[b]));
    return kin_atan2(p.x * q.y - p.y * q.x, p.x * q.x + p.y * q.y);
}

/* Where several loops meet in a point, the one that bounds what lies to the left of the edge that came in turns left most. */
static uint32_t go_on(const kin_section* s, const kin_vec3* points, kin_vec3 normal, uint32_t edge)
{
    uint32_t at = s->edges[edge][1], best = NONE;
    double most = -4;
    size_t begin = edges_from(s, at);
    if (begin + 1 >= s->edge_count || s->edges[begin + 1][0] != at) /* the usual case */
        return begin < s->edge_count && s->edges[begin][0] == at && !s->used[begin] ? (uint32_t)begin : NONE;
    for (size_t e = begin; e < s->edge_count && s->edges[e][0] == at; ++e) {
        if (s->used[e]) continue;
        double angle = turn_angle(points, normal, s->edges[edge][0], at, s->edges[e][1]);
        if (angle > most) most = angle, best = (uint32_t)e;
    }
    return best;
}

/* Edges are marked when entered, the first not until the loop comes back to it. */
static bool walk_loop(kin_section* s, const kin_vec3* points, kin_vec3 normal, uint32_t start, uint32_t* stuck)
{
    uint32_t at = s->begin[s->loop_count], edge = start;
    do {
        s->ids[at++] = s->edges[edge][0];
        uint32_t next = go_on(s, points, normal, edge);
        if (next == NONE) return *stuck = s->edges[edge][1], false;
        s->used[next] = 1;
        edge = next;
    } while (edge != start);
    s->begin[++s->loop_count] = at;
    return true;
}

static double loop_area(const kin_section* s, const kin_vec3* points, kin_vec3 normal, uint32_t loop)
{
    const uint32_t* ids = s->ids + s->begin[loop];
    uint32_t n = s->begin[loop + 1] - s->begin[loop];
    double sum = 0;
    for (uint32_t i = 1; i + 1 < n; ++i) {
        kin_flat_point p = kin_flatten(normal, kin_sub(points[ids[i]], points[ids[0]])), q = kin_flatten(normal, kin_sub(points[ids[i + 1]], points[ids[0]]));
        sum += p.x * q.y - p.y * q.x;
    }
    return sum / 2;
}

/* Crossings of a ray to the right with a loop: odd inside. */
static bool inside(const kin_section* s, const kin_vec3* points, kin_vec3 normal, uint32_t loop, kin_vec3 x)
{
    bool in = false;
    for (uint32_t i = s->begin[loop], last = s->begin[loop + 1] - 1; i <= s->begin[loop + 1] - 1; last = i++) {
        kin_flat_point a = kin_flatten(normal, kin_sub(points[s->ids[last]], x)), b = kin_flatten(normal, kin_sub(points[s->ids[i]], x));
        if ((a.y > 0) == (b.y > 0)) continue;
        double side = a.x * b.y - a.y * b.x;
        if (b.y > a.y ? side > 0 : side < 0) in = !in;
    }
    return in;
}

/* The middles of the hole's edges vote: corners may touch the other loop. */
static bool holds(const kin_section* s, const kin_vec3* points, kin_vec3 normal, uint32_t loop, uint32_t hole)
{
    uint32_t begin = s->begin[hole], n = s->begin[hole + 1] - begin, asked = n < 5 ? n : 5, yes = 0;
    for (uint32_t k = 0; k < asked; ++k) {
        uint32_t i = (uint32_t)((uint64_t)k * n / asked);
        yes += inside(s, points, normal, loop, kin_lerp(points[s->ids[begin + i]], points[s->ids[begin + (i + 1) % n]], 0.5));
    }
    return 2 * yes > asked;
}

/* A hole belongs to the smallest loop round it. One that rounding left alone is filled by itself, the wrong way round but closed. */
static void nest(kin_section* s, const kin_vec3* points, kin_vec3 normal)
{
    for (uint32_t l = 0; l < s->loop_count; ++l) {
        s->areas[l] = loop_area(s, points, normal, l);
        s->parent[l] = l;
    }
    for (uint32_t h = 0; h < s->loop_count; ++h) {
        if (s->areas[h] >= 0) continue;
        for (uint32_t l = 0; l < s->loop_count; ++l) {
            if (s->areas[l] <= -s->areas[h] || (s->parent[h] != h && s->areas[l] >= s->areas[s->parent[h]])) continue;
            if (holds(s, points, normal, l, h)) s->parent[h] = l;
        }
    }
}

bool kin_section_trace(kin_section* section, const kin_vec3* points, kin_vec3 normal, uint32_t* stuck)
{
    *stuck = NONE;
    section->loop_count = 0;
    if (!reserve(section)) return false;
    section->begin[0] = 0;
    cancel(section);
    if (section->edge_count > 0) memset(section->used, 0, section->edge_count * sizeof *section->used);
    for (uint32_t e = 0; e < section->edge_count; ++e) {
        if (!section->used[e] && !walk_loop(section, points, normal, e, stuck)) return true;
    }
    nest(section, points, normal);
    return true;
}

kin_loops kin_section_group(kin_section* section, uint32_t loop)
{
    uint32_t count = 0, at = 0;
    for (uint32_t pass = 0; pass < 2; ++pass) {
        for (uint32_t l = 0; l < section->loop_count; ++l) {
            if (section->parent[l] != loop || (pass == 0) != (l == loop)) continue;
            uint32_t n = section->begin[l + 1] - section->begin[l];
            section->group_begin[count++] = at;
            memcpy(section->group_ids + at, section->ids + section->begin[l], n * sizeof *section->ids);
            at += n;
        }
    }
    section->group_begin[count] = at;
    return (kin_loops){section->group_ids, section->group_begin, count};
}
