/* quadrature.c - five rules, one function and one row each. House, Keyser 7.1; E3: the midpoint rule has its factor h, Simpson is of order 4. */
#include "numerics/quadrature.h"
#include "base/error.h"
#include <string.h>

static double left(kin_quadrature_fn* f, void* context, double x, double h) { return h * f(context, x); }

static double right(kin_quadrature_fn* f, void* context, double x, double h) { return h * f(context, x + h); }

static double trapezoid(kin_quadrature_fn* f, void* context, double x, double h)
{
    double f0 = f(context, x);
    double f1 = f(context, x + h);
    return 0.5 * h * (f0 + f1);
}

static double midpoint(kin_quadrature_fn* f, void* context, double x, double h) { return h * f(context, x + 0.5 * h); }

static double simpson(kin_quadrature_fn* f, void* context, double x, double h)
{
    double f0 = f(context, x);
    double middle = f(context, x + 0.5 * h);
    double f1 = f(context, x + h);
    return h / 6.0 * (f0 + 4.0 * middle + f1);
}

static const kin_quadrature rules[] = {
    {"left", 0, 1, left}, {"right", 0, 1, right}, {"trapezoid", 1, 2, trapezoid}, {"midpoint", 1, 2, midpoint}, {"simpson", 3, 4, simpson},
};

int kin_quadrature_count(void) { return (int)(sizeof rules / sizeof *rules); }

const kin_quadrature* kin_quadrature_at(int index)
{
    KIN_ASSERT(index >= 0 && index < kin_quadrature_count());
    return &rules[index];
}

const kin_quadrature* kin_quadrature_named(const char* name)
{
    for (int i = 0; i < kin_quadrature_count(); ++i) {
        if (strcmp(rules[i].name, name) == 0) return &rules[i];
    }
    return NULL;
}

double kin_integrate(const kin_quadrature* rule, kin_quadrature_fn* f, void* context, double a, double b, int panels)
{
    KIN_ASSERT(panels >= 1);
    double h = (b - a) / panels;
    double sum = 0.0;
    for (int k = 0; k < panels; ++k) sum += rule->panel(f, context, a + k * h, h); /* x = a + k h, never a running sum (H2.5a) */
    return sum;
}
