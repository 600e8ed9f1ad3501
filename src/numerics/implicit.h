/* implicit.h - steps that solve for their own end, stable where explicit ones explode: implicit Euler, midpoint, trapezoid by Newton's method, and their
 * one-linearisation forms (I - h J) dS = h F. House, Keyser 7.7 (H7.7a-d, E7, E8), Coutinho B7.2.2, courses R3.5, S-E, P5.
 *
 * Every scheme is z = y0 + start h f(t, y0) + end h f(t + at h, z), with y1 = z, or y1 = 2 z - y0 where z is the middle of the step.
 * The matrix I - g J, g = end h, is made from the ode's Jacobian or from differences, with the positions eliminated (x = x0 + g v: half the size, the
 * same answer, H7.7b), and factored or, when it is mostly zeros, handed to BiCGSTAB; or it is never made: BiCGSTAB on differences of f along its
 * directions. */
#pragma once
#include "numerics/adaptive.h"
#include "numerics/ode.h"

typedef struct kin_implicit_scheme {
    const char* name;
    const char* title;
    const char* doc;
    int order;
    double start, end, at;
    bool middle; /* z is the state at the middle of the step */
    bool once;   /* one Newton step from y0, whatever it leaves */
} kin_implicit_scheme;

int kin_implicit_count(void);
const kin_implicit_scheme* kin_implicit_at(int index);
const kin_implicit_scheme* kin_implicit_named(const char* name); /* NULL when there is none */

typedef enum kin_implicit_solver {
    KIN_IMPLICIT_DENSE,       /* LU: exact, and cubic in the size */
    KIN_IMPLICIT_SPARSE,      /* BiCGSTAB on the ode's sparse Jacobian, or on what is not 0 of the dense one; preconditioned by blocks of 3 unknowns */
    KIN_IMPLICIT_MATRIX_FREE, /* BiCGSTAB on derivatives alone */
} kin_implicit_solver;

typedef struct kin_implicit {
    const kin_implicit_scheme* scheme;
    kin_implicit_solver solver;
    double absolute;         /* Newton ends when a step changes z_i by less than absolute + relative |z_i|, or the residual is as small */
    double relative;         /* both at least 0, and one above */
    int max_iterations;      /* of Newton */
    double linear_tolerance; /* of |residual| / |right side|, by BiCGSTAB; schemes with `once` err by as much */
    int linear_iterations;
} kin_implicit;

kin_implicit kin_implicit_default(const kin_implicit_scheme* scheme); /* LU; 1e-12 of both kinds; 30; 1e-8 and 500 */

typedef struct kin_implicit_report {
    kin_result result;     /* KIN_OK; KIN_ERROR_NUMERICS: not converged; KIN_ERROR_MEMORY: no room, y1 is untouched */
    int iterations;        /* of Newton */
    int linear_iterations; /* of all its BiCGSTAB */
    double residual;       /* max |z - y0 - start h f0 - end h f(z)|, in the units of y, after the last; `once`: before the one */
    int worst;             /* the component that has it */
} kin_implicit_report;

/* y1 = y0 advanced by h; when not converged the best that was found. dydt0 = f(t, y0). h may be negative. */
kin_implicit_report kin_implicit_step(const kin_implicit* def, const kin_ode* ode, double t, double h, const double* y0, const double* dydt0, double* y1,
                                      kin_arena* scratch);
/* For kin_adaptive_advance, by step doubling; a step that does not converge is undone. def must outlive it. */
kin_stepper kin_implicit_stepper(const kin_implicit* def);

/* j = the ode's Jacobian at y, by its dense callback or by central differences, each component moved by a part of its size or of its motion h dydt over the
 * step. scratch: 3 size numbers. */
void kin_ode_jacobian(const kin_ode* ode, double t, double h, const double* y, const double* dydt, double* j, double* scratch);
