/* clearance.c - newborns of one release do not overlap each other (C3.7.1): hashed cells two radii wide, of which each newborn looks at 27. */
#include "base/alloc.h"
#include "math/vec3.h"
#include "system/emit/emit_inside.h"
#include <string.h>

/* Cells are told by whole numbers kept in doubles: no place is too far out. Places in one bucket that are no neighbours cost time, nothing else. */
static uint32_t bucket_of(const kin_nursery* n, double x, double y, double z)
{
    const double cell[3] = {x + 0.0, y + 0.0, z + 0.0}; /* no -0 */
    uint64_t hash = 0;
    for (int i = 0; i < 3; ++i) {
        uint64_t bits;
        memcpy(&bits, &cell[i], sizeof bits);
        hash = (hash ^ bits ^ bits >> 32) * 0x9E3779B97F4A7C15u; /* small whole numbers differ in their high bits, a product hands on to higher ones only */
        hash ^= hash >> 32;
    }
    return (uint32_t)hash & n->mask;
}

void kin_nursery_begin(kin_nursery* n, const kin_allocator* allocator, int64_t count)
{
    size_t buckets = 64;
    while (buckets < (size_t)count && buckets < 0x40000000u) buckets *= 2;
    n->on = count < UINT32_MAX && kin_reserve(allocator, (void**)&n->heads, &n->head_capacity, buckets, sizeof *n->heads)
            && kin_reserve(allocator, (void**)&n->next, &n->next_capacity, (size_t)count, sizeof *n->next);
    if (!n->on) return;
    n->mask = (uint32_t)buckets - 1;
    memset(n->heads, 0, buckets * sizeof *n->heads);
}

static bool overlap(kin_vec3 a, kin_vec3 b, double radius) { return kin_length2(kin_sub(a, b)) < kin_square(2 * radius) * (1 - 1e-12); }

static bool bucket_clear(const kin_nursery* n, const kin_newborn* newborns, uint32_t bucket, kin_vec3 x, double radius)
{
    for (uint32_t i = n->heads[bucket]; i != 0; i = n->next[i - 1]) {
        if (overlap(newborns[i - 1].x, x, radius)) return false;
    }
    return true;
}

static bool take_hashed(kin_nursery* n, const kin_newborn* newborns, int64_t count, kin_vec3 x, double radius)
{
    double edge = 2 * radius, cx = kin_floor(x.x / edge), cy = kin_floor(x.y / edge), cz = kin_floor(x.z / edge);
    for (int k = 0; k < 27; ++k) {
        uint32_t bucket = bucket_of(n, cx + k % 3 - 1, cy + k / 3 % 3 - 1, cz + k / 9 - 1);
        if (!bucket_clear(n, newborns, bucket, x, radius)) return false;
    }
    uint32_t own = bucket_of(n, cx, cy, cz);
    n->next[count] = n->heads[own];
    n->heads[own] = (uint32_t)count + 1;
    return true;
}

bool kin_nursery_take(kin_nursery* n, const kin_newborn* newborns, int64_t count, kin_vec3 x, double radius)
{
    if (!(radius > 0)) return true;
    if (n->on) return take_hashed(n, newborns, count, x, radius);
    for (int64_t i = 0; i < count; ++i) {
        if (overlap(newborns[i].x, x, radius)) return false;
    }
    return true;
}

void kin_nursery_term(kin_nursery* n, const kin_allocator* allocator)
{
    kin_free(allocator, n->heads, n->head_capacity * sizeof *n->heads);
    kin_free(allocator, n->next, n->next_capacity * sizeof *n->next);
}
