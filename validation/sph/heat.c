/* heat.c - heat between particles at rest: one mode of the heat equation decays by exp(-alpha k^2 t), a warm stripe's variance grows by 2 alpha t, and no
 * heat is lost (H13.3). On a lattice the Laplacian is Brookshaw's, its factor taken out. With the default kernel only the columns beside a particle count,
 * so a mode decays too slowly by (k dx)^2 / 12, and by explicit ticks of h too fast by alpha k^2 h / 2. A variance grows by 2 alpha t exactly, but for what
 * goes round the box: the stripe ends 0.12 m wide, and 2 |x| - 1 is lost of x^2 where its tails are beyond 0.5 m, in the mean 2.1e-4 of the growth. What
 * floats of 300 K add to the heat, 1e-5 of it at most, lies anywhere in the box: 1e-5 / 12 of the variance, 1e-4 of the growth. */
#include "math/vec3.h"
#include "validation/sph/rig.h"
#include <math.h>

#define RHO 1000.0
static const double ALPHA = 1e-3, COLD = 300, STEP = 0.1; /* m^2/s; K; s */

typedef double profile(double x);

static double mode(double x) { return kin_cos(2 * KIN_PI * x); }
static double stripe(double x) { return kin_exp(-0.5 * kin_square(x / 0.08)); }

/* A unit box about the origin, periodic, of columns that are warmer by 10 K times the profile. */
static kin_tank warm_box(kin_case_run* run, int across, profile* warm)
{
    const double s = 1.0 / across;
    const int high = 8;
    kin_tank t = kin_tank_begin(run, KIN_SPH_DFSPH, s, STEP);
    t.def.gravity = kin_v(0, 0, 0);
    t.sph.flat = true;
    t.sph.periodic = kin_v(1, high * s, 0);
    t.phases[0].heat_capacity = 4000;
    t.phases[0].conductivity = ALPHA * RHO * 4000;
    t.phases[0].expansion = 0;
    kin_tank_open(&t);
    for (int i = 0; i < across; ++i) {
        double x = (i + 0.5) * s - 0.5;
        for (int j = 0; j < high; ++j) kin_tank_put(&t, kin_v(x, (j + 0.5 - 0.5 * high) * s, 0), kin_v(0, 0, 0), COLD + 10 * warm(x));
    }
    kin_tank_create(&t);
    return t;
}

/* Sum over the particles of (T - COLD) times a weight, and without one. */
static double weighted(const kin_tank* t, profile* weight)
{
    double sum = 0;
    for (size_t i = 0; i < kin_tank_count(t); ++i) {
        kin_tank_particle p = kin_tank_at(t, i);
        sum += (p.temperature - COLD) * (weight != NULL ? weight(p.x.x) : 1);
    }
    return kin_tank_ok(t) ? sum : NAN;
}

static double square(double x) { return x * x; }

void kin_case_sph_heat(kin_case_run* run)
{
    const int across = run->full ? 64 : 32;
    const double k = 2 * KIN_PI, time = 10, order = kin_square(k / across) / 12 + 0.5 * ALPHA * k * k * STEP, tails = 2.1e-4, floats = 1e-4;
    kin_tank t = warm_box(run, across, mode);
    double first = weighted(&t, mode);
    kin_tank_until(&t, time);
    kin_case_row(run, "dfsph", "heat: rate of decay of a mode, of alpha k^2", kin_ln(first / weighted(&t, mode)) / (ALPHA * k * k * time), 1, order,
                 "H13.3: exp(-alpha k^2 t)");
    kin_case_row(run, "dfsph", "heat: gained, of what swings", weighted(&t, NULL) / (10.0 * (double)kin_tank_count(&t)), 0, 1e-5, "kept: floats of 300 K");
    kin_tank_close(&t);
    t = warm_box(run, across, stripe);
    double heat = weighted(&t, NULL), variance = weighted(&t, square) / heat;
    kin_tank_until(&t, 4);
    double spread = weighted(&t, square) / weighted(&t, NULL) - variance;
    kin_case_row(run, "dfsph", "heat: growth of a stripe's variance, of 2 alpha t", spread / (2 * ALPHA * 4), 1, tails + floats,
                 "H13.3: s^2 = s0^2 + 2 alpha t");
    kin_case_row(run, "dfsph", "heat: left in all, of the first", weighted(&t, NULL) / heat, 1, 1e-5, "kept: floats of 300 K");
    kin_tank_close(&t);
}
