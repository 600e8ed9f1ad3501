/* waves.c - water that sloshes in its first mode: omega^2 = g k tanh(k h), k = pi / L; and a solitary wave.
 *
 * Pressed particles are a lattice, and D depends on its form, at the same number of particles: sheared by an angle s, D of the form that they settle in rises by
 * G/p s^2 / 2. To keep D they would have to part, against the pressure p, so the lattice has the shear modulus G. In a wave of small amplitude with p = rho g times
 * the depth that elasticity stores 2 G/p times as much as gravity, at any k h, so the wave is faster by the share G/p. The finer kernel has none:
 * 2 %, of which one is the amplitude and the viscosity of disorder. Of the others the excess is what the lattice says, within 2 %: particles are not all in one lattice. */
#include "domains/sph/kernel.h"
#include "math/vec3.h"
#include "validation/sph/rig.h"
#include <math.h>
#include <stdio.h>

#define G 9.81
enum { STEPS = 80, PERIODS = 3, WIDE = 6 }; /* steps a period; spacings, of a periodic tank in space */

static double frequency(double length, double depth)
{
    double k = KIN_PI / length;
    return kin_sqrt(G * k * tanh(k * depth));
}

/* Mean frequency of the momentum along x, from where it changes its sign. */
static double watch_frequency(kin_tank* t)
{
    double last = kin_tank_sums_of(t).momentum.x, first = 0, end = 0, time = 0;
    int count = 0;
    for (int i = 0; i < STEPS * PERIODS; ++i) {
        kin_tank_step(t);
        double now = kin_tank_sums_of(t).momentum.x, at = kin_tank_ok(t) ? kin_world_time(t->world) : NAN;
        if (now * last < 0) {
            end = time + (at - time) * last / (last - now);
            if (count++ == 0) first = end;
        }
        last = now, time = at;
    }
    return KIN_PI * (count - 1) / (end - first);
}

/* Of the mode's own. The surface starts level, with the velocities of the mode. */
static double slosh(kin_case_run* run, kin_sph_kernel kernel, double support, int deep, bool flat)
{
    const double depth = 1, length = 2, spacing = depth / deep, k = KIN_PI / length, omega = frequency(length, depth), speed = 0.03 * depth * omega;
    kin_tank t = kin_tank_begin(run, KIN_SPH_DFSPH, spacing, 2 * KIN_PI / omega / STEPS);
    t.sph.flat = flat;
    t.sph.smoothing = kin_sph_def_default().smoothing;
    t.sph.kernel = kernel;
    t.sph.support = support;
    if (!flat) t.sph.periodic = kin_v(0, 0, WIDE * spacing), t.sph.center = kin_v(0, 0, 0.5 * WIDE * spacing);
    kin_tank_open(&t);
    kin_tank_plane(&t, kin_v(0, 0, 0), kin_v(0, 1, 0));
    kin_tank_plane(&t, kin_v(0, 0, 0), kin_v(1, 0, 0));
    kin_tank_plane(&t, kin_v(length, 0, 0), kin_v(-1, 0, 0));
    for (int i = 0; i < 2 * deep * deep * (flat ? 1 : WIDE); ++i) {
        kin_vec3 x = {(i % (2 * deep) + 0.5) * spacing, (i / (2 * deep) % deep + 0.5) * spacing, flat ? 0 : (i / (2 * deep * deep) + 0.5) * spacing};
        double u = -sin(k * x.x) * cosh(k * x.y), v = cos(k * x.x) * sinh(k * x.y);
        kin_tank_put(&t, x, kin_scale(kin_v(u, v, 0), speed / sinh(k * depth)), 0);
    }
    kin_tank_create(&t);
    double found = watch_frequency(&t);
    if (!kin_tank_ok(&t)) found = NAN;
    kin_tank_close(&t);
    return found / omega;
}

/* ---- a solitary wave ----
 *
 * Rayleigh 1876: eta = a / cosh^2(K (x - c t)), K^2 = 3 a / (4 h^2 (h + a)), c^2 = g (h + a), u = c eta / (h + eta), on water 1 m deep. Its place and height are
 * those of the form that fits the surface best, which is counted in columns of four spacings. */

#define HEIGHT 0.3
enum { LONG = 20, START = 7, COLUMN = 4 }; /* m, m, spacings */

static double form(double x)
{
    double c = cosh(kin_sqrt(3 * HEIGHT / (4 * (1 + HEIGHT))) * x);
    return HEIGHT / (c * c);
}

typedef struct crest {
    double x, height; /* height: of the first */
} crest;

/* Least squares over the places that are an eighth of a spacing apart. */
static crest find_crest(const kin_tank* t)
{
    enum { MOST_COLUMNS = 1024 };
    const double spacing = kin_tank_spacing(t), wide = COLUMN * spacing, reach = 3.5;
    double eta[MOST_COLUMNS] = {0}, best = 0;
    int columns = (int)(LONG / wide + 0.5);
    crest found = {NAN, NAN};
    for (size_t i = 0; i < kin_tank_count(t); ++i) eta[(int)kin_clamp(kin_tank_at(t, i).x.x / wide, 0, columns - 1)] += spacing / COLUMN;
    for (double x = reach; x < LONG - reach; x += spacing / 8) {
        double product = 0, square = 0;
        for (int i = (int)((x - reach) / wide); i < (int)((x + reach) / wide); ++i) {
            double f = form((i + 0.5) * wide - x);
            product += f * (eta[i] - 1), square += f * f;
        }
        if (product * product > best * square) best = product * product / square, found = (crest){x, product / square};
    }
    return found;
}

static void rows_of_solitary_wave(kin_case_run* run, int deep)
{
    const double spacing = 1.0 / deep, speed = kin_sqrt(G * (1 + HEIGHT)), slope = 1e-4, until = 6 / speed;
    char method[48];
    kin_tank t = kin_tank_begin(run, KIN_SPH_DFSPH, spacing, until / 100);
    kin_tank_refine(&t);
    t.sph.flat = true;
    t.sph.smoothing = kin_sph_def_default().smoothing;
    kin_tank_open(&t);
    kin_tank_room(&t, kin_v(0, 0, 0), kin_v(LONG, INFINITY, 0));
    for (int i = 0; i < LONG * deep; ++i) {
        double x = (i + 0.5) * spacing, eta = form(x - START), rise = (form(x - START + slope) - form(x - START - slope)) / (2 * slope), high = 1 + eta;
        for (int j = 0; j < (int)(high * deep + 0.5); ++j) {
            double y = (j + 0.5) * spacing;
            kin_tank_put(&t, kin_v(x, y, 0), kin_v(speed * eta / high, -y * speed * rise / (high * high), 0), 0);
        }
    }
    kin_tank_create(&t);
    crest first = {0}, last = {NAN, NAN};
    if (kin_tank_ok(&t)) first = find_crest(&t);
    kin_tank_until(&t, until);
    if (kin_tank_ok(&t)) last = find_crest(&t);
    snprintf(method, sizeof method, "quintic, support 6, %d deep", deep);
    kin_case_row(run, method, "solitary wave: speed, of sqrt(g (h + a))", (last.x - first.x) / (speed * until), 1, 0.02, "Rayleigh 1876");
    kin_case_row(run, method, "solitary wave: height after 6 depths, of the first", last.height / first.height, 1, 0.02, "Rayleigh 1876");
    kin_tank_close(&t);
}

/* ---- the elasticity of a lattice ---- */

/* D of a lattice in the plane with these two edges, whose area is 1. */
static double density_of(const kin_sph_bell* bell, const double a[2], const double b[2])
{
    enum { REACH = 12 };
    double sum = 0;
    for (int i = -REACH; i <= REACH; ++i) {
        for (int j = -REACH; j <= REACH; ++j) sum += kin_sph_bell_w(bell, kin_sqrt(kin_square(i * a[0] + j * b[0]) + kin_square(i * a[1] + j * b[1])));
    }
    return sum;
}

/* Half the second derivative of D by a pure strain along the axes, or along the diagonals: G/p. */
static double modulus_of(const kin_sph_bell* bell, const double a[2], const double b[2], bool diagonal)
{
    const double e = 0.02;
    double d[3];
    for (int n = 0; n < 3; ++n) {
        double s = (n - 1) * e / 2, c = kin_sqrt(1 + s * s), m[2][2] = {{diagonal ? c : exp(s), diagonal ? s : 0}, {diagonal ? s : 0, diagonal ? c : exp(-s)}};
        double p[2], q[2];
        for (int i = 0; i < 2; ++i) p[i] = m[i][0] * a[0] + m[i][1] * a[1], q[i] = m[i][0] * b[0] + m[i][1] * b[1];
        d[n] = density_of(bell, p, q);
    }
    return (d[0] + d[2] - 2 * d[1]) / (e * e);
}

/* Of the form with the least D, a square or a hexagonal lattice: there it is pressed the least, and settles. The stiffer way to shear it. */
static double elasticity(kin_sph_kernel kernel, double support)
{
    const double h = kin_sqrt(kin_sqrt(3) / 2), forms[2][2][2] = {{{1, 0}, {0, 1}}, {{1 / h, 0}, {0.5 / h, 0.5 * kin_sqrt(3) / h}}};
    const kin_sph_bell bell = kin_sph_bell_for_density(kernel, 2, 0.5 * support, 1);
    int form = density_of(&bell, forms[1][0], forms[1][1]) < density_of(&bell, forms[0][0], forms[0][1]);
    return kin_max(modulus_of(&bell, forms[form][0], forms[form][1], false), modulus_of(&bell, forms[form][0], forms[form][1], true));
}

void kin_case_sph_waves(kin_case_run* run)
{
    char text[64];
    const int deep = run->full ? 40 : 20;
    snprintf(text, sizeof text, "frequency, of the closed form; %d spacings deep", deep);
    kin_case_row(run, "quintic, support 6", text, slosh(run, KIN_SPH_QUINTIC, 6, deep, true), 1, 0.02, "omega^2 = g k tanh(k h)");
    kin_case_row(run, "quartic, support 4.6", "frequency, of the closed form; 40 spacings deep", slosh(run, KIN_SPH_QUARTIC, 4.6, 40, true), 1, 0.02,
                 "omega^2 = g k tanh(k h)");
    if (run->full)
        kin_case_row(run, "quartic, support 4.6", "in space, 40 spacings deep", slosh(run, KIN_SPH_QUARTIC, 4.6, 40, false), 1, 0.02,
                     "omega^2 = g k tanh(k h)");
    if (run->full)
        kin_case_row(run, "quintic, support 6", "in space, 20 spacings deep", slosh(run, KIN_SPH_QUINTIC, 6, 20, false), 1, 0.02, "omega^2 = g k tanh(k h)");
    if (run->full) rows_of_solitary_wave(run, 20);
    static const struct {
        kin_sph_kernel kernel;
        double support;
        const char* name;
    } kernels[] = {{KIN_SPH_CUBIC, 4, "cubic, support 4"}, {KIN_SPH_WENDLAND2, 4, "wendland2, support 4"}};
    for (int i = 0; i < 2; ++i) {
        double found = slosh(run, kernels[i].kernel, kernels[i].support, deep, true) / (1 + elasticity(kernels[i].kernel, kernels[i].support));
        kin_case_row(run, kernels[i].name, "frequency, of 1 + G/p times the closed form", found, 1, 0.02, "elasticity of the lattice");
    }
    kin_case_row(run, "quartic, support 4.6", "G/p of its lattice", elasticity(KIN_SPH_QUARTIC, 4.6), 0, 0.01, "pieces of the fourth degree balance");
    kin_case_row(run, "quintic, support 6", "G/p of its lattice", elasticity(KIN_SPH_QUINTIC, 6), 0, 0.005, "sums that are right in any lattice");
}
