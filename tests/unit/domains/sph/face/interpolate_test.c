/* interpolate_test.c - quantities at any point: against sums over all particles, fields whose values and derivatives are known (H13.2, H14.1, C3.8),
 * periodic and flat tanks; nothing is changed, what is not finite is refused.
 *
 * Sums over a lattice are no integrals. With the default kernel, at the worst place of a cell (the same sums in double), that of ones is 3.4e-3 off, the
 * slope of a linear field by plain sums 4 %, the Laplacian of a quadratic 9.3 %, and the mean place of those in reach 0.7 % of a spacing. */
#include "base/jobs.h"
#include "domains/sph/kernel.h"
#include "tank.h"
#include <math.h>
#include <stdlib.h>

#define FLOAT_EPS 0x1p-23
#define SPACING 0.1
#define ONES 3.4e-3   /* of a lattice, as above */
#define SLOPE 0.04    /* the same */
#define BENDING 0.093 /* the same */
#define OFF (0.007 * SPACING)

typedef double field(kin_vec3 x);

typedef struct lattice {
    kin_world* world;
    kin_system_id id;
    kin_sph_def def;
} lattice;

/* A cube of 12 spacings about the origin, or the box is full; spin is that of the block. */
static lattice make(test* t, bool flat, bool periodic, kin_sph_kernel kernel, double support, double jitter, kin_vec3 spin)
{
    const double side = 12 * SPACING;
    kin_sph_block block = tank_box(kin_v(0, 0, 0), kin_v(side, side, flat ? SPACING : side));
    lattice l = {.world = test_world(t, 1e-3, kin_v(0, -9.81, 0))};
    block.jitter = jitter, block.spin = spin;
    l.def = tank_def(0.5 * SPACING, &block, 1);
    l.def.flat = flat, l.def.kernel = kernel, l.def.support = support;
    if (periodic) l.def.periodic = kin_v(side, side, flat ? 0 : side);
    l.id = tank_create(t, l.world, &l.def);
    l.def.blocks.data = NULL;
    return l;
}

static lattice plain_lattice(test* t, bool flat) { return make(t, flat, false, KIN_SPH_CUBIC, 4, 0, kin_v(0, 0, 0)); }

static kin_sph_quantity sample(test* t, const lattice* l, field* a, kin_vec3 at)
{
    kin_sph_view v = kin_sph_state(l->world, l->id);
    kin_sph_quantity out = {0};
    kin_error error = {0};
    float* values = malloc(v.count * sizeof *values);
    for (size_t i = 0; i < v.count; ++i) values[i] = (float)a(tank_position(&v, i));
    test_check(t, kin_sph_interpolate(l->world, l->id, values, &at, 1, &out, &error) == KIN_OK, __FILE__, __LINE__, "%s: %s", error.where, error.message);
    free(values);
    return out;
}

static kin_sph_probed probe(test* t, const lattice* l, kin_vec3 at)
{
    kin_sph_probed out = {0};
    kin_error error = {0};
    test_check(t, kin_sph_probe(l->world, l->id, &at, 1, &out, &error) == KIN_OK, __FILE__, __LINE__, "%s: %s", error.where, error.message);
    return out;
}

static kin_vec3 flattened(bool flat, kin_vec3 x) { return kin_v(x.x, x.y, flat ? 0 : x.z); }

static double one(kin_vec3 x) { return 1 + 0 * x.x; }
static double linear(kin_vec3 x) { return 3 + 2 * x.x - 5 * x.y + 0.5 * x.z; }
static double bowl(kin_vec3 x) { return kin_length2(x); }
static double wavy(kin_vec3 x) { return sin(3 * x.x) + cos(2 * x.y) + x.x * x.z; }

/* H14.1: at a particle within, the cubic spline that is not scaled for it gives 0.999972. */
static void one_is_one(test* t)
{
    for (int flat = 0; flat < 2; ++flat) {
        lattice l = plain_lattice(t, flat);
        kin_sph_bell bell = kin_sph_bell_for_density(KIN_SPH_CUBIC, flat ? 2 : 3, 2 * SPACING, SPACING);
        kin_vec3 particle = flattened(flat, kin_v(0.05, 0.05, 0.05));
        kin_sph_quantity s = sample(t, &l, one, particle);
        NEAR(t, s.plain, 1, 8 * FLOAT_EPS);
        if (!flat) NEAR(t, s.plain / bell.scale, 0.999972, 5e-7 + 8 * FLOAT_EPS);
        NEAR(t, s.value, 1, 1e-15);
        for (double d = 0; d < 0.1; d += 0.013) {
            s = sample(t, &l, one, flattened(flat, kin_v(d, 0.5 * d, 0.05 - d)));
            NEAR(t, s.plain, 1, ONES);
            NEAR(t, s.value, 1, 1e-15);
            NEAR3(t, s.gradient, kin_v(0, 0, 0), 1e-13 / SPACING);
            NEAR(t, s.laplacian, 0, 1e-12 / (SPACING * SPACING));
        }
        kin_world_destroy(l.world);
    }
}

/* H13.2: grad (a x + b y + c z) = (a, b, c), as floats of 4 over a spacing know it: within, at the surface, and beyond it where two layers are in reach; in a
 * lattice and in disorder. */
static void gradients_of_linear_fields(test* t)
{
    for (int k = 0; k < 4; ++k) {
        const bool flat = k % 2, even = k < 2;
        lattice l = make(t, flat, false, KIN_SPH_CUBIC, 4, even ? 0 : 0.2, kin_v(0, 0, 0));
        kin_vec3 want = kin_v(2, -5, flat ? 0 : 0.5), places[] = {{0.02, 0.03, -0.01}, {0.55, -0.01, 0.2}, {0.6, 0.6, 0.55}};
        for (int i = 0; i < 3; ++i) {
            kin_vec3 x = flattened(flat, places[i]);
            kin_sph_quantity s = sample(t, &l, linear, x);
            if (!even && i == 2) continue; /* who is there need not spread */
            NEAR3(t, s.gradient, want, 8 * FLOAT_EPS * 6 / SPACING);
            NEAR(t, s.laplacian, 0, 64 * FLOAT_EPS * 6 / (SPACING * SPACING));
            if (even && i == 0) NEAR(t, s.value, linear(x), OFF * kin_length(want));
        }
        kin_sph_quantity s = sample(t, &l, linear, flattened(flat, kin_v(0.05, 0.05, 0.05))); /* a particle: what ones add to plain sums cancels */
        if (even) NEAR3(t, s.plain_gradient, want, SLOPE * kin_length(want));
        kin_world_destroy(l.world);
    }
}

/* lap (x^2 + y^2 + z^2) = 6, in the plane 4: the better, the more particles the kernel reaches. */
static void laplacian_of_a_bowl(test* t)
{
    static const struct {
        kin_sph_kernel kernel;
        double support, error; /* of a lattice at its worst, in space or in the plane */
    } cases[] = {{KIN_SPH_CUBIC, 4, BENDING}, {KIN_SPH_QUINTIC, 6, 5.3e-3}, {KIN_SPH_WENDLAND4, 8, 0.0105}};
    for (int k = 0; k < 6; ++k) {
        const bool flat = k % 2;
        lattice l = make(t, flat, false, cases[k / 2].kernel, cases[k / 2].support, 0, kin_v(0, 0, 0));
        for (double d = 0; d < 0.1; d += 0.017) {
            kin_vec3 x = flattened(flat, kin_v(d, 0.5 * d, 0.05 - d));
            kin_sph_quantity s = sample(t, &l, bowl, x);
            double want = flat ? 4 : 6, rounding = 64 * FLOAT_EPS / (SPACING * SPACING);
            NEAR(t, s.laplacian, want, want * cases[k / 2].error + rounding);
            NEAR3(t, s.gradient, kin_scale(x, 2), 2 * SLOPE * SPACING); /* as much as the sides of its plane are uneven */
        }
        kin_world_destroy(l.world);
    }
}

/* H13.2: curl (om x r) = 2 om, and no divergence: turning is linear. */
static void curl_of_turning(test* t)
{
    for (int flat = 0; flat < 2; ++flat) {
        kin_vec3 om = flat ? kin_v(0, 0, 3) : kin_v(1, -2, 3);
        lattice l = make(t, flat, false, KIN_SPH_CUBIC, 4, 0, om);
        for (double d = -0.4; d < 0.6; d += 0.19) {
            kin_vec3 x = flattened(flat, kin_v(d, -0.3 * d, 0.1));
            kin_sph_probed p = probe(t, &l, x);
            const double rounding = 64 * FLOAT_EPS * 3 / SPACING;
            NEAR3(t, p.curl, kin_scale(om, 2), rounding);
            NEAR(t, p.divergence, 0, rounding);
            NEAR3(t, kin_v(p.velocity[0].value, p.velocity[1].value, p.velocity[2].value), kin_cross(om, x),
                  d < 0.4 ? OFF * kin_length(om) : SPACING * kin_length(om));
        }
        kin_world_destroy(l.world);
    }
}

static double shear_x(kin_vec3 x) { return 2 * x.x * x.y + x.z; }
static double shear_y(kin_vec3 x) { return x.x * x.x - 3 * x.y * x.z; }
static double shear_z(kin_vec3 x) { return x.x - 1.5 * x.y * x.y; }
static double whirl_x(kin_vec3 x) { return -x.y * (1 + bowl(x)); }
static double whirl_y(kin_vec3 x) { return x.x * (1 + bowl(x)); }
static double whirl_z(kin_vec3 x) { return x.x * x.y; }

static kin_vec3 curl_at(test* t, const lattice* l, field* const u[3], kin_vec3 x)
{
    kin_vec3 g[3];
    for (int a = 0; a < 3; ++a) g[a] = sample(t, l, u[a], x).gradient;
    return kin_v(g[2].y - g[1].z, g[0].z - g[2].x, g[1].x - g[0].y);
}

/* H13.2: the curl of grad (x^2 y + x z - 1.5 y^2 z) is nothing, whatever it is summed from: at a place that the lattice is the same round, to the bits of
 * floats; elsewhere second derivatives of up to 3, in each of two components, over what the sides of a plane are uneven. */
static void curl_of_a_gradient(test* t)
{
    static field* const u[3] = {shear_x, shear_y, shear_z};
    lattice l = plain_lattice(t, false);
    NEAR3(t, curl_at(t, &l, u, kin_v(0.05, 0.05, 0.05)), kin_v(0, 0, 0), 64 * FLOAT_EPS / SPACING);
    for (double d = 0; d < 0.1; d += 0.031) NEAR3(t, curl_at(t, &l, u, kin_v(d, -0.4 * d, 0.3 * d)), kin_v(0, 0, 0), 2 * 3 * SLOPE * SPACING);
    kin_world_destroy(l.world);
}

/* H13.2: circulation round a small loop over its area is the curl along its axis. What is left are third derivatives of the velocity, 8 across the loop,
 * over the squares of its radius (1/8 of them, by Taylor) and of the reach (its second moment along an axis is 0.3 spacing^2; half of it, and three times
 * for fits). */
static void circulation_is_curl(test* t)
{
    enum { AROUND = 64 };
    static field* const u[3] = {whirl_x, whirl_y, whirl_z};
    const double radius = SPACING, reach = 0.3 * SPACING * SPACING;
    lattice l = plain_lattice(t, false);
    kin_vec3 center = {0.15, -0.05, 0.1};
    double sum = 0, curl = curl_at(t, &l, u, center).z, exact = 2 + 4 * (kin_square(center.x) + kin_square(center.y)) + 2 * kin_square(center.z);
    for (int k = 0; k < AROUND; ++k) {
        double angle = 2 * M_PI * k / AROUND;
        kin_vec3 out = kin_v(cos(angle), sin(angle), 0), along = kin_v(-out.y, out.x, 0), x = kin_add_scaled(center, radius, out);
        kin_vec3 v = kin_v(sample(t, &l, u[0], x).value, sample(t, &l, u[1], x).value, sample(t, &l, u[2], x).value);
        sum += kin_dot(v, along) * 2 * M_PI * radius / AROUND;
    }
    NEAR(t, curl, exact, 8 * 1.5 * reach);
    NEAR(t, sum / (M_PI * radius * radius), curl, 8 * (radius * radius / 8 + 1.5 * reach) + 2 * OFF / radius);
    kin_world_destroy(l.world);
}

/* ---- against sums over all particles ---- */

static double nearest_image(double dx, double size) { return size > 0 ? dx - size * floor(dx / size + 0.5) : dx; }

static kin_sph_quantity by_hand(const lattice* l, const kin_sph_view* v, const float* values, kin_vec3 at, double* filled)
{
    const kin_sph_def* d = &l->def;
    kin_sph_bell bell = kin_sph_bell_for_density(d->kernel, d->flat ? 2 : 3, d->support * d->radius, 2 * d->radius);
    kin_sph_quantity sum = {0};
    *filled = 0;
    for (size_t j = v->count; j-- > 0;) {
        kin_vec3 dx = kin_sub(at, tank_position(v, j));
        dx = kin_v(nearest_image(dx.x, d->periodic.x), nearest_image(dx.y, d->periodic.y), d->flat ? 0 : nearest_image(dx.z, d->periodic.z));
        double r = kin_length(dx), room = pow(SPACING, d->flat ? 2 : 3) / (double)v->density[j], a = values[j];
        *filled += room * kin_sph_bell_w(&bell, r);
        sum.plain += a * room * kin_sph_bell_w(&bell, r), sum.plain_laplacian += a * room * kin_sph_bell_laplacian(&bell, r);
        if (r < bell.support) sum.plain_gradient = kin_add_scaled(sum.plain_gradient, a * room * kin_sph_bell_slope(&bell, r), dx);
    }
    return sum;
}

/* Disorder after some steps; few points and many, which are searched for in other ways; beside the tank and in other periods of it. */
static void agrees_with_sums_over_all(test* t)
{
    enum { POINTS = 40 };
    for (int k = 0; k < 4; ++k) {
        const bool flat = k % 2, periodic = k / 2;
        lattice l = make(t, flat, periodic, KIN_SPH_CUBIC, 4, 0.2, kin_v(0, 0, 1));
        test_steps(t, l.world, 3);
        kin_sph_view v = kin_sph_state(l.world, l.id);
        float* values = malloc(v.count * sizeof *values);
        kin_vec3 points[POINTS];
        kin_sph_quantity all[POINTS], few[POINTS];
        kin_sph_probed fluid[POINTS];
        for (size_t i = 0; i < v.count; ++i) values[i] = (float)wavy(tank_position(&v, i));
        for (int i = 0; i < POINTS; ++i) points[i] = kin_v(-0.8 + 0.04 * i, 0.7 * sin(i), 0.65 * cos(2.0 * i));
        CHECK(t, kin_sph_interpolate(l.world, l.id, values, points, POINTS, all, NULL) == KIN_OK);
        for (int i = 0; i < POINTS; i += 8) CHECK(t, kin_sph_interpolate(l.world, l.id, values, points + i, 8, few + i, NULL) == KIN_OK);
        CHECK(t, memcmp(all, few, sizeof all) == 0);
        CHECK(t, kin_sph_probe(l.world, l.id, points, POINTS, fluid, NULL) == KIN_OK);
        int inside = 0;
        for (int i = 0; i < POINTS; ++i) {
            double filled;
            kin_sph_quantity want = by_hand(&l, &v, values, points[i], &filled);
            const double size = 3, eps = 16 * FLOAT_EPS; /* V and the box are floats: terms of 3, then over a spacing and its square */
            NEAR(t, fluid[i].filled, filled, eps);
            NEAR(t, all[i].plain, want.plain, eps * size);
            NEAR3(t, all[i].plain_gradient, want.plain_gradient, eps * size / SPACING);
            NEAR(t, all[i].plain_laplacian, want.plain_laplacian, 8 * eps * size / (SPACING * SPACING));
            if (filled > 1e-3) NEAR(t, all[i].value, want.plain / filled, eps * size / filled);
            inside += filled > 0.9;
        }
        CHECK(t, inside > 5);
        if (periodic) { /* the size of a box is a float */
            kin_sph_probed here = probe(t, &l, kin_v(0.31, -0.57, 0)), there = probe(t, &l, kin_v(0.31 - 1.2, -0.57 + 2.4, 0));
            const double shift = 4 * FLOAT_EPS * 1.2 / SPACING;
            NEAR(t, here.density.value, there.density.value, shift * here.density.value);
            NEAR(t, here.velocity[0].gradient.y, there.velocity[0].gradient.y, shift * 1 / SPACING);
        }
        free(values);
        kin_world_destroy(l.world);
    }
}

/* ---- the fluid ---- */

/* Water of 1000 kg/m^3 that falls: at its middle, at its rim where half of the reach is empty, and far away. */
static void probes_know_the_fluid(test* t)
{
    lattice l = plain_lattice(t, false);
    test_steps(t, l.world, 10);
    const double fallen = 9.81 * 1e-3 * 10, y = -0.5 * 9.81 * 1e-4 * 1.1;
    kin_sph_probed in = probe(t, &l, kin_v(0.05, 0.05 + y, 0.05)), rim = probe(t, &l, kin_v(0.6, 0.05 + y, 0.05)), out = probe(t, &l, kin_v(2, 0, 0));
    const double water = 998; /* H13.4 */
    NEAR(t, in.filled, 1, 1e-3);
    NEAR(t, in.density.plain, water, 1e-3 * water);
    NEAR(t, in.density.value, water, 1e-3 * water);
    NEAR(t, in.velocity[1].value, -fallen, 1e-4 * fallen);
    NEAR(t, in.temperature.value, kin_sph_phase_def_default().reference, 1e-9);
    NEAR(t, rim.filled, 0.5, 0.1); /* half a spacing beyond the last layer, which has more than its share for want of company */
    NEAR(t, rim.velocity[1].value, -fallen, 1e-4 * fallen);
    CHECK(t, rim.filled_gradient.x < -1 / (4 * SPACING) && fabs(rim.filled_gradient.y) < 0.01 / SPACING);
    EQUAL(t, out.neighbours, 0);
    CHECK(t, out.filled == 0 && out.density.value == 0 && out.pressure.value == 0 && out.velocity[1].value == 0 && out.curl.z == 0);
    kin_world_destroy(l.world);
}

/* Mean of the particles round a level, each less what lies between by weight. */
static double pressure_round(const lattice* l, double y)
{
    kin_sph_view v = kin_sph_state(l->world, l->id);
    double sum = 0, count = 0;
    for (size_t i = 0; i < v.count; ++i) {
        double above = tank_position(&v, i).y - y;
        if (fabs(above) < 0.1) sum += (double)v.pressure[i] + 998 * 9.81 * above, count += 1;
    }
    return sum / count;
}

/* A column between walls, which bears its weight: single particles are some 2 % off the mean of their level (docs/sph.md), those of nine places across a
 * third of that; and the gradients are the slope between levels, to the same over half of the column. */
static void pressure_of_a_column(test* t)
{
    enum { LEVELS = 6, ACROSS = 9 };
    const double all = 998 * 9.81, noise = 0.02 / 3 * all;
    kin_world* world = test_world(t, 0.01, kin_v(0, -9.81, 0));
    kin_material_id none = {0};
    kin_sph_block block = tank_box(kin_v(0, 0.5, 0), kin_v(0.4, 1, 0.04));
    kin_sph_def def = tank_def(0.02, &block, 1);
    double slope = 0, means[LEVELS] = {0};
    def.flat = true;
    test_plane(t, world, kin_v(0, 0, 0), kin_v(0, 1, 0), none);
    test_plane(t, world, kin_v(-0.2, 0, 0), kin_v(1, 0, 0), none);
    test_plane(t, world, kin_v(0.2, 0, 0), kin_v(-1, 0, 0), none);
    lattice l = {.world = world, .id = tank_create(t, world, &def), .def = def};
    test_steps(t, world, 100);
    for (int k = 0; k < LEVELS; ++k) {
        double y = 0.25 + 0.1 * k;
        for (int i = 0; i < ACROSS; ++i) {
            kin_sph_probed p = probe(t, &l, kin_v(0.04 * (i - 4), y, 0));
            means[k] += p.pressure.value / ACROSS, slope += p.pressure.gradient.y / (ACROSS * LEVELS);
        }
        NEAR(t, means[k], pressure_round(&l, y), noise);
    }
    NEAR(t, slope, (means[LEVELS - 1] - means[0]) / 0.5, 2 * noise / 0.5);
    kin_world_destroy(world);
}

/* One particle has no slopes, two have one along them, a sheet none across it: no number that is not finite comes out. */
static void few_particles(test* t)
{
    for (int count = 0; count <= 2; ++count) {
        kin_world* world = test_world(t, 1e-3, kin_v(0, 0, 0));
        kin_sph_block blocks[2] = {tank_box(kin_v(0, 0, 0), kin_v(SPACING, SPACING, SPACING)),
                                   tank_box(kin_v(SPACING, 0, 0), kin_v(SPACING, SPACING, SPACING))};
        blocks[1].velocity = kin_v(0, 1, 0);
        kin_sph_def def = tank_def(0.5 * SPACING, blocks, (size_t)count);
        lattice l = {.world = world, .id = tank_create(t, world, &def), .def = def};
        kin_sph_probed p = probe(t, &l, kin_v(0.5 * SPACING, 0.02, 0));
        EQUAL(t, p.neighbours, count);
        NEAR(t, p.velocity[1].value, count == 2 ? 0.5 : 0, 1e-6);
        NEAR3(t, p.velocity[1].gradient, kin_v(count == 2 ? 1 / SPACING : 0, 0, 0), 1e-5 / SPACING);
        NEAR(t, p.curl.z, count == 2 ? 1 / SPACING : 0, 1e-5 / SPACING);
        CHECK(t, isfinite(p.pressure.laplacian) && isfinite(p.velocity[1].laplacian) && isfinite(p.density.plain_laplacian));
        kin_world_destroy(world);
    }
}

static void nothing_is_changed_and_nonsense_refused(test* t)
{
    lattice l = make(t, false, false, KIN_SPH_CUBIC, 4, 0.1, kin_v(0, 0, 1));
    kin_vec3 points[3] = {{0, 0, 0}, {0.1, 0, 0}, {0, NAN, 0}};
    kin_sph_probed out[3] = {{.neighbours = 77}};
    kin_sph_quantity sums[3] = {{.value = 77}};
    kin_sph_view v = kin_sph_state(l.world, l.id);
    float* values = calloc(v.count, sizeof *values);
    kin_error error = {0};
    test_steps(t, l.world, 2);
    uint64_t hash = kin_world_state_hash(l.world);
    CHECK(t, kin_sph_probe(l.world, l.id, points, 3, out, &error) == KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "points[2]");
    HAS(t, error.message, "not finite");
    EQUAL(t, out[0].neighbours, 77);
    CHECK(t, kin_sph_interpolate(l.world, l.id, values, points, 3, sums, &error) == KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "points[2]");
    values[5] = INFINITY;
    CHECK(t, kin_sph_interpolate(l.world, l.id, values, points, 2, sums, &error) == KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "values[5]");
    CHECK(t, kin_sph_interpolate(l.world, l.id, NULL, points, 2, sums, &error) == KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "values");
    CHECK(t, kin_sph_probe(l.world, l.id, NULL, 2, out, &error) == KIN_ERROR_ARGUMENT && kin_sph_probe(l.world, l.id, NULL, 0, NULL, &error) == KIN_OK);
    CHECK(t, sums[0].value == 77);
    points[2] = kin_v(1e308, -1e308, 0);
    CHECK(t, kin_sph_probe(l.world, l.id, points, 3, out, &error) == KIN_OK && out[0].neighbours > 20 && out[2].neighbours == 0);
    CHECK(t, kin_world_state_hash(l.world) == hash);
    free(values);
    kin_world_destroy(l.world);
}

typedef struct crowd {
    const lattice* l;
    const kin_vec3* points;
    kin_sph_probed* out;
} crowd;

static void ask_some(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const crowd* c = argument;
    (void)chunk, (void)scratch;
    kin_sph_probe(c->l->world, c->l->id, c->points + begin, (size_t)(end - begin), c->out + begin, NULL);
}

static void many_threads_may_ask(test* t)
{
    enum { POINTS = 64 };
    lattice l = make(t, false, false, KIN_SPH_CUBIC, 4, 0.1, kin_v(0, 0, 1));
    kin_jobs jobs;
    kin_vec3 points[POINTS];
    kin_sph_probed alone[POINTS] = {0}, together[POINTS] = {0};
    test_steps(t, l.world, 1);
    for (int i = 0; i < POINTS; ++i) points[i] = kin_v(0.02 * i - 0.6, 0.5 * sin(i), 0);
    CHECK(t, kin_sph_probe(l.world, l.id, points, POINTS, alone, NULL) == KIN_OK);
    CHECK(t, kin_jobs_init(&jobs, &t->allocator, NULL, 4, NULL) == KIN_OK);
    kin_parallel_for(&jobs, POINTS, 8, ask_some, &(crowd){&l, points, together});
    CHECK(t, alone[30].neighbours > 20 && memcmp(alone, together, sizeof alone) == 0);
    kin_jobs_term(&jobs);
    kin_world_destroy(l.world);
}

static bool ask_once(test* t, void* context)
{
    const lattice* l = context;
    kin_vec3 points[20];
    kin_sph_probed out[20];
    (void)t;
    for (int i = 0; i < 20; ++i) points[i] = kin_v(0.05 * i - 0.5, 0.1, 0);
    return kin_sph_probe(l->world, l->id, points, 20, out, NULL) == KIN_OK;
}

static void every_allocation_may_fail(test* t)
{
    lattice l = plain_lattice(t, true);
    test_steps(t, l.world, 1);
    kin_sph_state(l.world, l.id);
    test_fail_each_allocation(t, ask_once, &l);
    kin_world_destroy(l.world);
}

TEST_MAIN("sph interpolate", TEST(one_is_one), TEST(gradients_of_linear_fields), TEST(laplacian_of_a_bowl), TEST(curl_of_turning), TEST(curl_of_a_gradient),
          TEST(circulation_is_curl), TEST(agrees_with_sums_over_all), TEST(probes_know_the_fluid), TEST(pressure_of_a_column), TEST(few_particles),
          TEST(nothing_is_changed_and_nonsense_refused), TEST(many_threads_may_ask), TEST(every_allocation_may_fail))
