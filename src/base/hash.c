/* hash.c - XXH3, compiled in from its header: the core links no hash library. */
#include "base/hash.h"
#define XXH_INLINE_ALL
#include <xxhash.h>

_Static_assert(sizeof(XXH3_state_t) <= sizeof(kin_hasher), "kin_hasher holds an XXH3 state");
_Static_assert(_Alignof(XXH3_state_t) <= _Alignof(kin_hasher), "kin_hasher is aligned as an XXH3 state");

uint64_t kin_hash(const void* bytes, size_t size) { return XXH3_64bits(bytes, size); }

void kin_hasher_begin(kin_hasher* hasher)
{
    XXH3_state_t* state = (XXH3_state_t*)hasher;
    XXH3_INITSTATE(state);
    XXH3_64bits_reset(state);
}

void kin_hasher_add(kin_hasher* hasher, const void* bytes, size_t size)
{
    if (size > 0) XXH3_64bits_update((XXH3_state_t*)hasher, bytes, size);
}

uint64_t kin_hasher_end(const kin_hasher* hasher) { return XXH3_64bits_digest((const XXH3_state_t*)hasher); }
