/* blocks.h - leapfrog with a step for each particle: kick, drift, kick over h / 2^k, k as its own acceleration asks. Forces are asked for where a step ends,
 * all other particles have drifted there. A longer step is begun only where it would begin anyway (blocks of powers of two: McMillan 1986, Makino 1991), so
 * at the end of h all are together, and nothing needs to be remembered from one interval to the next. */
#pragma once
#include "numerics/integrators.h"

/* Rates of the state y = [x y z | vx vy vz], n each, at time t: those of the active alone are of account. active NULL: all. */
typedef void kin_blocks_fn(void* context, double t, const double* y, double* dydt, const uint32_t* active, uint32_t active_count);

typedef struct kin_blocks {
    int n;            /* particles */
    int max_levels;   /* 0..20: no step is shorter than h / 2^max_levels */
    double accuracy;  /* a step is at most accuracy sqrt(length / |a|) */
    double length;    /* m, > 0 */
    double* gyration; /* rad/s, [w_x | w_y | w_z] of the term w x v, filled by every call for rates (ode.h); NULL: none */
    void* context;
    kin_blocks_fn* derivative;
} kin_blocks;

/* y1 = y0 advanced by h > 0; dydt0 = f(t, y0). report.steps counts the calls for forces. Who has a rate of place other than his velocity stays where he is. Velocities that forces are told are v + a (t - its time). */
kin_integrator_report kin_blocks_advance(const kin_blocks* def, double t, double h, const double* y0, const double* dydt0, double* y1, kin_arena* scratch);
