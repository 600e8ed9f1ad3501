/* pool.c - slots and their generations. Freed slots are a stack: the last one given back is the next one taken. */
#include "base/pool.h"
#include "base/alloc.h"
#include "base/error.h"

void kin_pool_init(kin_pool* pool, const kin_allocator* allocator) { *pool = (kin_pool){.allocator = *allocator}; }

void kin_pool_term(kin_pool* pool)
{
    kin_free(&pool->allocator, pool->generations, pool->generation_capacity * sizeof *pool->generations);
    kin_free(&pool->allocator, pool->free_list, pool->free_capacity * sizeof *pool->free_list);
    *pool = (kin_pool){.allocator = pool->allocator};
}

/* The free list gets room for every slot here, so that giving back never fails. */
static bool make_slot(kin_pool* pool, uint32_t* slot)
{
    size_t wanted = (size_t)pool->count + 1;
    if (wanted >= UINT32_MAX) return false;
    if (!kin_reserve(&pool->allocator, (void**)&pool->generations, &pool->generation_capacity, wanted, sizeof *pool->generations)) return false;
    if (!kin_reserve(&pool->allocator, (void**)&pool->free_list, &pool->free_capacity, wanted, sizeof *pool->free_list)) return false;
    *slot = pool->count++;
    pool->generations[*slot] = 0;
    return true;
}

bool kin_pool_take(kin_pool* pool, kin_id* out)
{
    uint32_t slot;
    if (pool->free_count > 0) {
        slot = pool->free_list[--pool->free_count];
    } else if (!make_slot(pool, &slot)) {
        *out = (kin_id){0};
        return false;
    }
    pool->generations[slot] += 1; /* odd: in use */
    *out = (kin_id){slot + 1, pool->generations[slot]};
    return true;
}

void kin_pool_give(kin_pool* pool, kin_id id)
{
    bool held = kin_pool_holds(pool, id);
    KIN_ASSERT(held);
    if (!held) return;
    uint32_t slot = id.index1 - 1;
    pool->generations[slot] += 1;
    pool->free_list[pool->free_count++] = slot;
}

bool kin_pool_holds(const kin_pool* pool, kin_id id)
{
    if (id.index1 == 0 || id.index1 > pool->count) return false;
    return pool->generations[id.index1 - 1] == id.generation && id.generation % 2 == 1;
}
