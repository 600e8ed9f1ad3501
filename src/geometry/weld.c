/* weld.c - an open hash table of places. */
#include "geometry/weld.h"
#include "base/alloc.h"
#include <string.h>

static uint64_t mix(uint64_t h, double x)
{
    uint64_t bits;
    x = x + 0.0; /* -0 and 0 are one place */
    memcpy(&bits, &x, sizeof bits);
    h = (h ^ bits) * 0x9E3779B97F4A7C15u;
    return h ^ (h >> 29);
}

static bool same_place(kin_vec3 a, kin_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

bool kin_weld(const kin_allocator* allocator, const kin_vec3* points, uint32_t count, uint32_t* first)
{
    size_t slots = 16;
    while (slots < 2 * (size_t)count) slots *= 2;
    uint32_t* table = kin_alloc(allocator, kin_bytes(slots, sizeof *table));
    if (table == NULL) return false;
    memset(table, 0xFF, slots * sizeof *table);
    for (uint32_t i = 0; i < count; ++i) {
        size_t slot = mix(mix(mix(0, points[i].x), points[i].y), points[i].z) & (slots - 1);
        while (table[slot] != UINT32_MAX && !same_place(points[table[slot]], points[i])) slot = (slot + 1) & (slots - 1);
        if (table[slot] == UINT32_MAX) table[slot] = i;
        first[i] = table[slot];
    }
    kin_free(allocator, table, slots * sizeof *table);
    return true;
}
