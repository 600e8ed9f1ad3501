/* loop.h - the floor of particles/free: the same arithmetic in one plain loop over arrays, with nothing around it. */
#pragma once
#include "kinema/math.h"
#include <stddef.h>

typedef struct kin_loop_state {
    size_t count;
    double *x[3], *v[3], *inv_mass;
} kin_loop_state;

/* One semi-implicit step under gravity and drag in wind. */
void kin_loop_step(kin_loop_state* state, kin_vec3 gravity, double drag, kin_vec3 wind, double h);
/* Median seconds of a step; 0 when there is no memory. */
double kin_loop_time(size_t count, int steps);
