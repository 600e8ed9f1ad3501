/* integrators.h - one door to every way of advancing y' = f(t, y): the fixed steps of ode.h, steps as long as a tolerance allows (adaptive.h), implicit steps
 * (implicit.h) and Bulirsch-Stoer (bulirsch.h). A system picks a row by name; what it calls is the same for all.
 *
 * The rows of kin_ode_method_names come first, in their order and with their bits. */
#pragma once
#include "numerics/adaptive.h"
#include "numerics/bulirsch.h"
#include "numerics/implicit.h"

typedef enum kin_integrator_kind { KIN_INTEGRATOR_FIXED, KIN_INTEGRATOR_ADAPTIVE, KIN_INTEGRATOR_IMPLICIT, KIN_INTEGRATOR_BULIRSCH } kin_integrator_kind;

typedef struct kin_integrator {
    const char* name;  /* as in scenes */
    const char* title; /* as in tables */
    const char* doc;
    kin_integrator_kind kind;
    const char* method; /* the row of ode.h that it is, or drives; NULL: none */
    int order;          /* on a smooth problem, with default settings */
    int stages;         /* derivatives a step, dydt0 among them; 0: as many as it takes */
    bool adaptive;      /* cuts the interval into steps of its own */
    bool implicit;      /* solves for the end of the step */
    bool blocks;        /* a system whose members act on each other gives each of them a step of its own; to all others it is its method */
} kin_integrator;

extern const char* const kin_integrator_names[]; /* for parameter tables: NULL-terminated */
int kin_integrator_count(void);
const kin_integrator* kin_integrator_at(int index);
const kin_integrator* kin_integrator_named(const char* name); /* NULL when there is none */

bool kin_integrator_is_once(const kin_integrator* integrator); /* implicit, by one linearisation */
bool kin_integrator_gyrates(const kin_integrator* integrator); /* takes ode->gyration: kin_ode_method.gyrates */

typedef struct kin_integrator_settings {
    kin_adaptive adaptive;      /* of the adaptive rows */
    kin_bulirsch bulirsch;      /* of bulirsch_stoer */
    kin_implicit_solver solver; /* of the implicit rows, and the rest as in kin_implicit: */
    double newton_absolute, newton_relative;
    int newton_iterations;
    double linear_tolerance;
    int linear_iterations;
} kin_integrator_settings;
kin_integrator_settings kin_integrator_settings_default(void); /* the defaults of adaptive.h, bulirsch.h and implicit.h */

/* What the adaptive rows keep from call to call: state of one ode, to be saved and hashed. {0} starts anew; so must who changes y by force. */
typedef struct kin_integrator_memory {
    double h;     /* s, the length to try next; 0: guess */
    double ratio; /* of the last kept step, in tolerances; 0: none */
} kin_integrator_memory;

typedef struct kin_integrator_report {
    kin_result result;  /* KIN_OK; KIN_ERROR_NUMERICS: the state is not finite, Newton found no root or the shortest step is too long; KIN_ERROR_LIMIT: out of
                        * tries; KIN_ERROR_MEMORY */
    int steps, undone;  /* kept steps, and tries that were too far off */
    int iterations;     /* of Newton */
    double ratio;       /* how many tolerances the worst component was off where it failed, or was forced; 0: nowhere */
    int worst;          /* that component; -1: none */
    double time;        /* t + h, or as far as y1 got: KIN_OK and less, if the ode said stop */
    int forced;         /* steps kept at the minimum although too far off (adaptive.insist), and: */
    double forced_time; /* when the first of them began, or the last try failed */
} kin_integrator_report;

/* y1 = y0 advanced by h (may be negative, not 0), by less where the ode stops an adaptive row; dydt0 = f(t, y0). After a failure y1 is the state at report.time, or for implicit rows the best that was
 * found; only without memory it may be anything. pair_memory is that of the row's method, as in ode.h: restarted by the caller; NULL where the method keeps
 * none. The arrays must not overlap. Lane width does not change the bits. */
kin_integrator_report kin_integrator_advance(const kin_integrator* integrator, kin_simd simd, const kin_integrator_settings* settings, const kin_ode* ode,
                                             double t, double h, double* pair_memory, kin_integrator_memory* memory, const double* y0, const double* dydt0,
                                             double* y1, kin_arena* scratch);
