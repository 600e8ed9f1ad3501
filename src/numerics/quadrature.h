/* quadrature.h - integrals of f over [a, b] by panels: the forms from which the integrators of ode.h grow (H7.1). For y' = f(t) Euler is the left
 * box, the midpoint method the midpoint rule, Heun the trapezoid, Runge-Kutta 4 Simpson. */
#pragma once

typedef double kin_quadrature_fn(void* context, double x);

typedef struct kin_quadrature {
    const char* name;                                                         /* left right trapezoid midpoint simpson */
    int degree;                                                               /* polynomials up to this degree are integrated exactly */
    int order;                                                                /* of the error over [a, b] in the width of a panel */
    double (*panel)(kin_quadrature_fn* f, void* context, double x, double h); /* over [x, x + h] */
} kin_quadrature;

int kin_quadrature_count(void);
const kin_quadrature* kin_quadrature_at(int index);
const kin_quadrature* kin_quadrature_named(const char* name); /* NULL when there is none */

/* b may lie below a: the sign turns. panels >= 1. */
double kin_integrate(const kin_quadrature* rule, kin_quadrature_fn* f, void* context, double a, double b, int panels);
