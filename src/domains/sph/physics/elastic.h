/* elastic.h - what elastic matter remembers: who was beside whom at birth, and where. Kept by serial, for particles change places in memory. State. */
#pragma once
#include "base/alloc.h"
#include "system/visitor.h"

/* To a particle that was near at birth. */
typedef struct kin_sph_bond {
    uint32_t to; /* its slot */
    float x[3];  /* m: place of this one less that of the other, then */
    float g;     /* of the pair, then */
} kin_sph_bond;

/* Slots are in the order of serials. */
typedef struct kin_sph_memory {
    uint64_t* serial; /* by slot */
    uint32_t* first;  /* by slot: its first bond; count + 1 of them */
    size_t count, capacity, first_capacity;
    kin_sph_bond* bonds;
    size_t bond_count, bond_capacity;
    /* of the present tick */
    uint32_t* particle; /* by slot: where it is now; UINT32_MAX: gone */
    float* stress;      /* by slot: 9, P L, row by row, Pa; and 9 of F */
    size_t particle_capacity, stress_capacity;
} kin_sph_memory;

void kin_sph_elastic_term(kin_sph_memory* e, const kin_allocator* allocator);
void kin_sph_elastic_visit(kin_sph_memory* e, const kin_allocator* allocator, kin_visitor* v);
size_t kin_sph_elastic_bytes(const kin_sph_memory* e);
