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

/* out = 1 / mass. */
typedef void kin_particle_invert_fn(const double* mass, double* out, int count);
/* next |= flags & which. Returns all of next, joined. */
typedef uint8_t kin_particle_keep_fn(const uint8_t* flags, uint8_t* next, uint8_t which, int count);
/* Are all bytes this value? */
typedef bool kin_particle_alike_fn(const uint8_t* bytes, uint8_t value, int count);

kin_particle_box_fn kin_particle_box_none, kin_particle_box_sse2, kin_particle_box_avx2;
kin_particle_settle_fn kin_particle_settle_none, kin_particle_settle_sse2, kin_particle_settle_avx2;
kin_particle_invert_fn kin_particle_invert_none, kin_particle_invert_sse2, kin_particle_invert_avx2;
kin_particle_keep_fn kin_particle_keep_none, kin_particle_keep_sse2, kin_particle_keep_avx2;
kin_particle_alike_fn kin_particle_alike_none, kin_particle_alike_sse2, kin_particle_alike_avx2;
