/* bulirsch.h - Bulirsch-Stoer: the modified midpoint rule with more and more substeps, carried on to infinitely many. For smooth problems and high
 * accuracy: orbits. Bulirsch, Stoer 1966; Gragg 1965; Hairer, Norsett, Wanner: Solving ODEs I, II.9. Named by Coutinho B7.5. */
#pragma once
#include "numerics/adaptive.h"

enum { KIN_BULIRSCH_COLUMNS = 12 }; /* most */

typedef struct kin_bulirsch {
    int columns;   /* 2 to KIN_BULIRSCH_COLUMNS midpoint runs of 2, 4, 6, ... substeps: the order is twice as high */
    bool rational; /* carried on by fractions rather than polynomials, as in the first paper */
} kin_bulirsch;

kin_bulirsch kin_bulirsch_default(void);          /* 6 columns, polynomials */
int kin_bulirsch_stages(const kin_bulirsch* def); /* derivatives a step, dydt0 not counted */

/* y1 = y0 advanced by h, error = y1 less the answer of the next lower order, which is 2 less. KIN_ERROR_MEMORY: nothing was changed. */
kin_result kin_bulirsch_step(const kin_bulirsch* def, const kin_ode* ode, double t, double h, const double* y0, const double* dydt0, double* y1, double* error,
                             kin_arena* scratch);
/* For kin_adaptive_advance. def must outlive it. */
kin_stepper kin_bulirsch_stepper(const kin_bulirsch* def);
