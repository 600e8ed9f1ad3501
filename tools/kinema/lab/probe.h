/* probe.h - what the studies hold against each other: small problems with known answers, any integrator run on them, and what its step does as a map. */
#pragma once
#include "numerics/integrators.h"

enum { KIN_LAB_SIZE = 4 };

/* y' = A y + b, or a planet around a sun of unit mass. Counts how often it is asked. */
typedef struct kin_lab_problem {
    int size, pairs;
    bool orbit;
    double a[KIN_LAB_SIZE * KIN_LAB_SIZE], b[KIN_LAB_SIZE], start[KIN_LAB_SIZE];
    long evaluations;
} kin_lab_problem;

kin_lab_problem kin_lab_decay(void);                         /* x' = -x: T = 1 */
kin_lab_problem kin_lab_spring(double rate, double damping); /* x'' = -rate x - damping v, from (1, 0) */
kin_lab_problem kin_lab_fall(double gravity);                /* x'' = -gravity, from rest */
kin_lab_problem kin_lab_line(double stiffness);              /* first order: x' = -x along the line, y' = -stiffness y across it */
kin_lab_problem kin_lab_orbit(double eccentricity);          /* period 2 pi, from the near end */
kin_ode kin_lab_ode(kin_lab_problem* problem);               /* problem must outlive it */
double kin_lab_orbit_energy(const double* y);                /* -1/2 when nothing is lost */

typedef struct kin_lab_run {
    const kin_integrator* row;
    kin_integrator_settings settings;
    kin_lab_problem* problem;
    kin_arena* arena;
    double t, y[KIN_LAB_SIZE], pairs[KIN_LAB_SIZE];
    kin_integrator_memory memory;
    long steps, undone;
    bool failed; /* y stays where it was then */
} kin_lab_run;

/* From the problem's start, in steps of h: pair memory is made for that. */
kin_lab_run kin_lab_run_begin(const kin_integrator* row, kin_lab_problem* problem, double h, kin_arena* arena);
/* The same, with a tolerance that nothing misses: adaptive rows take each h whole. */
kin_lab_run kin_lab_run_whole(const kin_integrator* row, kin_lab_problem* problem, double h, kin_arena* arena);
void kin_lab_run_step(kin_lab_run* run, double h);

/* The rows whose step is their own: all but the adaptive forms of rk4 and rk45. */
bool kin_lab_has_step(const kin_integrator* row);
double kin_lab_evaluations(const kin_integrator* row, kin_lab_problem* problem, double h, kin_arena* arena); /* of one step */

/* The matrix of one step on a linear problem, over y and pair memory: order numbers a side, row after row. */
typedef struct kin_lab_map {
    int order;
    double m[4 * KIN_LAB_SIZE * KIN_LAB_SIZE];
} kin_lab_map;
kin_lab_map kin_lab_map_of(const kin_integrator* row, kin_lab_problem* problem, double h, kin_arena* arena);
double kin_lab_radius(const kin_lab_map* map); /* the growth of a step in the long run: its largest |eigenvalue| */
/* Two numbers without memory, from two steps: how an area grows, and whether the step only turns and scales. */
double kin_lab_determinant(const kin_integrator* row, kin_lab_problem* problem, double h, kin_arena* arena, bool* turns);

/* The longest h at which nothing grows, by bisection to ten digits. Looked for from a hundredth of `scale`, the problem's own time, to a hundred of it.
 * 0: it grows at any step; infinity: at none. */
double kin_lab_limit(const kin_integrator* row, kin_lab_problem* problem, double scale, kin_arena* arena);
/* The same for the longest h at which the first number keeps its sign in one step. */
double kin_lab_sign_limit(const kin_integrator* row, kin_lab_problem* problem, double scale, kin_arena* arena);
