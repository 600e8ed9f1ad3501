/* store.h - the columns of a tank: one table says what there is for every particle, and memory, sorting, births and deaths follow it. */
#pragma once
#include "domains/sph/fluid.h"

typedef struct kin_sph_column {
    size_t offset;     /* of its pointer in kin_sph */
    uint8_t bytes;     /* a particle */
    bool state;        /* moves with its particle; else it is scratch of a tick */
    uint32_t optional; /* KIN_SPH_HAS_*: there when the tank has it; 0: always */
} kin_sph_column;

#define KIN_SPH_COLUMNS 30
extern const kin_sph_column kin_sph_columns[KIN_SPH_COLUMNS];

static inline void** kin_sph_column_of(kin_sph* f, const kin_sph_column* column) { return (void**)((char*)f + column->offset); }
static inline bool kin_sph_has(const kin_sph* f, const kin_sph_column* column) { return column->optional == 0 || (f->columns & column->optional) != 0; }
