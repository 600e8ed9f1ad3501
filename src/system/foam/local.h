/* local.h - what the files of foam share. */
#pragma once
#include "geometry/stretches.h"
#include "system/foam/foam.h"

/* The fluid, sorted into cells as wide as the reach: neighbours of a place are in 27 of them. Arrays are padded to whole rows of lanes. */
typedef struct kin_foam_sea {
    kin_cells cells;
    float *x[3], *v[3], *n[3]; /* by the order of cells: places relative to the fluid's origin, velocities, normals */
    double* places;            /* unsorted: for cells */
    uint32_t* items;           /* number in the fluid */
    uint16_t* births;          /* of each item, this step */
    float* block;              /* of x, v and n */
    size_t capacity[4];        /* of block, places, items, births */
    uint32_t count;
    bool fast;    /* some particle may make foam */
    double reach; /* m */
    kin_vec3 origin;
} kin_foam_sea;

typedef struct kin_foam_kernels {
    /* Sums of W d / r, d from the neighbours to the particle, and of W. */
    void (*facing)(const kin_foam_sea* sea, const kin_stretches* near, uint32_t i, float sums[4]);
    /* What trapped air is told by, and crests. */
    float (*meeting)(const kin_foam_sea* sea, const kin_stretches* near, uint32_t i);
    float (*turning)(const kin_foam_sea* sea, const kin_stretches* near, uint32_t i);
    /* Round a place: sums of W v and of W, and how many. */
    void (*carrying)(const kin_foam_sea* sea, const kin_stretches* near, const float place[3], float sums[5]);
} kin_foam_kernels;
extern const kin_foam_kernels kin_foam_kernels_none, kin_foam_kernels_sse2, kin_foam_kernels_avx2;
const kin_foam_kernels* kin_foam_kernels_of(const kin_foam* foam);

struct kin_foam {
    kin_allocator allocator;
    kin_foam_def def;
    uint64_t step, next_serial;
    size_t count, capacity[9];
    double *x[3], *v[3], *left; /* m, m/s, s to live */
    uint64_t* serial;
    uint8_t* kind;
    kin_foam_sea sea; /* work space */
};

bool kin_foam_reserve(kin_foam* foam, size_t count);
kin_result kin_foam_fill_sea(kin_foam* foam, kin_jobs* jobs, const kin_foam_fluid* fluid, kin_error* error);
void kin_foam_free_sea(kin_foam* foam);
/* How many are born of each, into births; returns the sum. */
uint64_t kin_foam_find_births(kin_foam* foam, kin_jobs* jobs, const kin_foam_fluid* fluid, double h);
void kin_foam_give_birth(kin_foam* foam, const kin_foam_fluid* fluid, uint64_t wanted, double h);

/* What lies round the items of a cell. */
static inline void kin_foam_round_cell(const kin_foam_sea* sea, int64_t cell, kin_stretches* near)
{
    size_t first = sea->items[sea->cells.starts[cell]], count = sea->count;
    kin_stretches_round(near, &sea->cells, (double[3]){sea->places[first], sea->places[count + first], sea->places[2 * count + first]});
}
