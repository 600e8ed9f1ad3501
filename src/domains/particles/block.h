/* block.h - what commit asks of a whole block of particles at once; built once per lane width (block.c). */
#pragma once
#include "kinema/base.h"
#include "kinema/math.h"

enum { KIN_MOVED_NOW = 2 }; /* bit of `moved`: in this interval */

/* The arrays of a block, from its first particle. */
typedef struct kin_particle_lanes {
    int count;
    const double *x[3], *v[3], *next_x[3], *next_v[3];
    const double* radius;
    double h;      /* s, of the interval */
    bool straight; /* paths are chords */
    uint8_t* moved;
} kin_particle_lanes;

/* Holds every sphere on its whole path. */
typedef void kin_particle_box_fn(const kin_particle_lanes* lanes, kin_aabb* out);
/* Notes who moved; true when all that is next is finite. */
typedef bool kin_particle_settle_fn(const kin_particle_lanes* lanes);

kin_particle_box_fn kin_particle_box_none, kin_particle_box_sse2, kin_particle_box_avx2;
kin_particle_settle_fn kin_particle_settle_none, kin_particle_settle_sse2, kin_particle_settle_avx2;
