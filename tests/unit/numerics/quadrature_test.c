/* quadrature_test.c - the five rules of H7.1 (E3). */
#include "numerics/quadrature.h"
#include "support/test.h"
#include <math.h>

static double power(void* context, double x) { return pow(x, *(const int*)context); }

static double exponential(void* context, double x)
{
    (void)context;
    return exp(x);
}

/* Exact through degrees 0, 0, 1, 1, 3 and not a degree further. */
static void exact_through_their_degree(test* t)
{
    static const int degrees[] = {0, 0, 1, 1, 3};
    static const int panel_counts[] = {1, 7};
    EQUAL(t, kin_quadrature_count(), 5);
    for (int i = 0; i < kin_quadrature_count(); ++i) {
        const kin_quadrature* rule = kin_quadrature_at(i);
        EQUAL(t, rule->degree, degrees[i]);
        for (int k = 0; k < 2; ++k) {
            for (int n = 0; n <= rule->degree + 1; ++n) {
                double exact = (pow(2.5, n + 1) - pow(0.5, n + 1)) / (n + 1);
                double error = kin_integrate(rule, power, &n, 0.5, 2.5, panel_counts[k]) - exact;
                test_check(t, n <= rule->degree ? fabs(error) < 1e-13 : fabs(error) > 1e-6, __FILE__, __LINE__, "%s, degree %d: error %.3g", rule->name, n,
                           error);
            }
        }
    }
}

/* Halving the panels divides the error by 2^order. */
static void order_of_convergence(test* t)
{
    for (int i = 0; i < kin_quadrature_count(); ++i) {
        const kin_quadrature* rule = kin_quadrature_at(i);
        double coarse = kin_integrate(rule, exponential, NULL, 0, 1, 64) - (exp(1) - 1);
        double fine = kin_integrate(rule, exponential, NULL, 0, 1, 128) - (exp(1) - 1);
        NEAR(t, log2(coarse / fine), rule->order, 0.05);
    }
}

static void names_and_direction(test* t)
{
    int n = 2;
    for (int i = 0; i < kin_quadrature_count(); ++i) CHECK(t, kin_quadrature_named(kin_quadrature_at(i)->name) == kin_quadrature_at(i));
    CHECK(t, kin_quadrature_named("boole") == NULL);
    NEAR(t, kin_integrate(kin_quadrature_named("simpson"), power, &n, 3, 0, 4), -9, 1e-14);
}

TEST_MAIN("numerics_quadrature", TEST(exact_through_their_degree), TEST(order_of_convergence), TEST(names_and_direction))
