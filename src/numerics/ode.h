/* ode.h - integrators of y' = f(t, y) over a flat state. They know no physics: whatever has a derivative may join (H6.2).
 *
 * Layout: y = [x (pairs), v (pairs), rest (size - 2 pairs)]. The first half holds positions, the next their velocities, so that
 * methods that treat the two apart (semi-implicit, Verlet, ...) can; `rest` is anything else with a derivative. The derivative callback
 * fills all of dydt; for the pairs dx/dt = v is what it must write.
 *
 * One table entry per method: adding a method is adding a function and a row in the table of methods.c, and its name to the list in ode.c. */
#pragma once
#include "base/arena.h"
#include "base/simd.h"
#include "kinema/base.h"
#include "numerics/sparse.h"

typedef struct kin_ode {
    int size;  /* numbers in y */
    int pairs; /* positions, each with a velocity: 2 pairs <= size */
    void* context;
    void (*derivative)(void* context, double t, const double* y, double* dydt);
    /* Optional: `pairs` numbers [w_x | w_y | w_z], rad/s, that every call of `derivative` fills beside dydt. Velocities are then vectors [v_x | v_y | v_z] and
     * dv/dt = dydt + w x v: the term is not part of dydt. Only for methods that say `gyrates`; NULL: there is no such term, or it is part of dydt. */
    double* gyration;
    /* Optional, for implicit methods: j[i * size + k] = d f_i / d y_k, every element. NULL: they take differences. */
    void (*jacobian)(void* context, double t, const double* y, double* j);
    /* Optional, the same for large systems: adds the elements that are not 0, several to one place if it likes. */
    void (*sparse_jacobian)(void* context, double t, const double* y, kin_triplets* j);
    /* Optional, for methods that cut the interval into steps of their own (adaptive.h): true ends it at the step that leads to y at t. For laws that hold on one
     * side of an event only. */
    bool (*stop)(void* context, double t, const double* y);
} kin_ode;

typedef struct kin_ode_method kin_ode_method;

/* What a method remembers between steps (Verlet: the last positions; leapfrog: the half-step velocities) is state: `pairs` numbers that the
 * caller keeps, saves and hashes. Element i of it belongs to pair i alone, so one pair can be restarted after a bounce. */

struct kin_ode_method {
    const char* name;  /* as in scenes: rk4 */
    const char* title; /* as in tables: Runge-Kutta 4 */
    const char* doc;
    int order;           /* of position and velocity on a smooth problem, and of the rest */
    int stages;          /* derivatives a step; as dydt0 is handed in, step asks for one less */
    int scratch_vectors; /* step needs this many times size numbers of scratch */
    /* It turns velocities by ode->gyration apart from the other rates, by an exact rotation (Boris 1970): |v| is kept to rounding at any step. ode->gyration
     * holds what the call for dydt0 left there when restart or step is called. */
    bool gyrates;
    /* Fills memory[i] for pairs begin <= i < end from the present state, as for a first step of length h. NULL: the method keeps nothing,
     * and memory may be NULL. Must also be called for all pairs when h changes. */
    void (*restart)(const kin_ode* ode, double* memory, int begin, int end, double h, const double* y0, const double* dydt0);
    /* y1 = y0 advanced by h. dydt0 = f(t, y0) is computed by the caller (H7.4a: it is K1, and serves the interpolant). The arrays must not
     * overlap. h may be negative, not zero. */
    void (*step)(const kin_ode* ode, double* memory, double t, double h, const double* y0, const double* dydt0, double* y1, double* scratch);
    /* An embedded pair: error = y1 less the answer of embedded_order, from the scratch that step left and dydt1 = f(t + h, y1), which is the next step's
     * dydt0. NULL: the method has none, and embedded_order is 0. */
    void (*error)(const kin_ode* ode, double h, const double* dydt0, const double* dydt1, const double* scratch, double* error);
    int embedded_order;
};

/* The methods are a kernel file, built once per lane width; their results do not depend on it. NULL when there is no such method. */
const kin_ode_method* kin_ode_method_named(kin_simd simd, const char* name);
int kin_ode_method_count(void);
const kin_ode_method* kin_ode_method_at(kin_simd simd, int index); /* in the order of the handbook */
extern const char* const kin_ode_method_names[];                   /* for parameter tables: NULL-terminated */

/* y inside the step, at fraction s: cubic Hermite through both ends (order 3 inside; exact for parabolas). */
void kin_ode_interpolate(int size, double h, const double* y0, const double* dydt0, const double* y1, const double* dydt1, double s, double* y);

/* One step of h > 0 with a stop at the first event: g(context, t, y) < 0 at the end or inside the step, having been >= 0 at its start (a step that
 * starts past the event is taken whole). The context is the ode's. The crossing is bracketed on `probes` points of the interpolant, evenly spaced (a
 * shorter dip is missed), then found by bisection on h by re-stepping, to within tolerance seconds on the g >= 0 side.
 * Returns the time taken: h when nothing happened, bit for bit the plain step; *hit says which. After a hit memory is as before the call, and must be
 * restarted, which a bounce or the shorter rest of the step asks for anyway. Negative when scratch has no room: nothing was changed. */
typedef double kin_ode_event(void* context, double t, const double* y);
double kin_ode_step_until(const kin_ode_method* method, const kin_ode* ode, double* memory, double t, double h, const double* y0, double* y1,
                          kin_ode_event* event, int probes, double tolerance, kin_arena* scratch, bool* hit);
