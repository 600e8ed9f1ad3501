/* pool.h - ids with generations: a slot is reused, its generation never is within 2^31 reuses, so a stale id is caught. */
#pragma once
#include "kinema/base.h"

typedef struct kin_id {
    uint32_t index1;
    uint32_t generation;
} kin_id; /* {0} is null */

typedef struct kin_pool {
    kin_allocator allocator;
    uint32_t* generations; /* odd while in use */
    uint32_t* free_list;   /* a stack */
    size_t generation_capacity, free_capacity;
    uint32_t count; /* slots ever made */
    uint32_t free_count;
} kin_pool;

void kin_pool_init(kin_pool* pool, const kin_allocator* allocator);
void kin_pool_term(kin_pool* pool);
bool kin_pool_take(kin_pool* pool, kin_id* out); /* false: out of memory */
void kin_pool_give(kin_pool* pool, kin_id id);
bool kin_pool_holds(const kin_pool* pool, kin_id id);
