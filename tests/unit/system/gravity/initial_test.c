/* initial_test.c - the first stars: Plummer's sphere, balls and disks have the distributions they claim. */
#include "stars.h"
#include "math/quat.h"
#include "math/vec3.h"

enum { MANY = 20000 };

static int compare(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

/* Kolmogorov-Smirnov: the greatest gap between n drawn numbers and their distribution; above 1.95 / sqrt(n) once in a thousand. */
static double gap(double* drawn, size_t n, double (*below)(double x))
{
    double most = 0;
    qsort(drawn, n, sizeof *drawn, compare);
    for (size_t i = 0; i < n; ++i) {
        double p = below(drawn[i]);
        most = kin_max(most, kin_max(kin_abs(p - (double)i / (double)n), kin_abs(p - (double)(i + 1) / (double)n)));
    }
    return most;
}

static double plummer_within(double r) { return kin_pow(r * r / (1 + r * r), 1.5) / 0.999; }
static double ball_within(double r) { return r * r * r; }
static double disk_within(double r) { return (1 - (1 + r) * kin_exp(-r)) / (1 - 9 * kin_exp(-8)); }

static double distance(const stars* s, size_t i) { return kin_length(kin_v(s->x[0][i], s->x[1][i], s->x[2][i])); }

static void plummer_has_its_profile(test* t)
{
    stars s = stars_of(PLUMMER, MANY);
    double* r = malloc(MANY * sizeof *r);
    for (size_t i = 0; i < MANY; ++i) r[i] = distance(&s, i);
    CHECK(t, gap(r, MANY, plummer_within) < 1.95 / kin_sqrt(MANY));
    CHECK(t, r[MANY - 1] < 38.8);         /* 99.9 % of the mass */
    NEAR(t, r[MANY / 2], 1.304766, 0.03); /* deviation 0.5 / (f sqrt n), f(1.3) = 0.31 */
    free(r);
    stars_free(&s);
}

static void plummer_is_in_equilibrium(test* t) /* W = -3 pi/32, 2 K + W = 0 */
{
    stars s = stars_of(PLUMMER, MANY);
    kin_gravity_def def = def_of(KIN_GRAVITY_FMM, 0);
    kin_gravity* g;
    double w, k = 0;
    kin_gravity_create(&t->allocator, &def, &g, NULL);
    kin_gravity_potential(g, &s.cloud, &w, NULL);
    for (size_t i = 0; i < MANY; ++i) k += 0.5 * s.mass[i] * kin_length2(kin_v(s.v[0][i], s.v[1][i], s.v[2][i]));
    NEAR(t, w, -3 * KIN_PI / 32, 0.006);
    NEAR(t, 2 * k + w, 0, 0.006);
    kin_gravity_destroy(g);
    stars_free(&s);
}

static void plummer_is_isotropic(test* t)
{
    stars s = stars_of(PLUMMER, MANY);
    double radial = 0, all = 0, fastest = 0;
    for (size_t i = 0; i < MANY; ++i) {
        kin_vec3 x = {s.x[0][i], s.x[1][i], s.x[2][i]}, v = {s.v[0][i], s.v[1][i], s.v[2][i]};
        double r = kin_length(x);
        radial += kin_square(kin_dot(x, v) / r), all += kin_length2(v);
        fastest = kin_max(fastest, kin_length2(v) * kin_sqrt(1 + r * r) / 2);
    }
    NEAR(t, radial / all, 1.0 / 3, 0.008);
    CHECK(t, fastest < 1 && fastest > 0.8); /* of the energy of escape */
    stars_free(&s);
}

static void plummer_has_units(test* t)
{
    kin_plummer one = {1, 1, 1}, big = {6.67e-11, 2e40, 3e19};
    kin_star a = kin_plummer_star(&one, 5, 17), b = kin_plummer_star(&big, 5, 17), c = kin_plummer_star(&one, 6, 17);
    NEAR3(t, kin_scale(b.position, 1 / 3e19), a.position, 1e-14);
    NEAR3(t, kin_scale(b.velocity, 1 / kin_sqrt(6.67e-11 * 2e40 / 3e19)), a.velocity, 1e-14);
    CHECK(t, kin_distance(a.position, c.position) > 0);
}

static void ball_is_uniform(test* t)
{
    stars s = stars_of(BALL, MANY);
    double* r = malloc(MANY * sizeof *r);
    for (size_t i = 0; i < MANY; ++i) r[i] = distance(&s, i);
    CHECK(t, gap(r, MANY, ball_within) < 1.95 / kin_sqrt(MANY));
    free(r);
    stars_free(&s);
}

static void disk_has_its_profile_and_turns(test* t)
{
    kin_galaxy def = flat_galaxy();
    def.central_mass = 0.5;
    double *r = malloc(MANY * sizeof *r), ratio = 0, spread = 0, height = 0;
    for (size_t i = 0; i < MANY; ++i) {
        kin_star s = kin_galaxy_star(&def, 3, i);
        r[i] = kin_sqrt(s.position.x * s.position.x + s.position.z * s.position.z);
        double speed = kin_galaxy_speed(&def, r[i]), along = (s.velocity.x * s.position.z - s.velocity.z * s.position.x) / r[i]; /* about +y */
        ratio += along / speed / MANY;
        spread += kin_square(along / speed - 1) / MANY;
        height += kin_square(s.position.y) / MANY;
    }
    NEAR(t, ratio, 1, 4 * 0.05 / kin_sqrt(MANY)); /* mean rotation = circular speed */
    NEAR(t, kin_sqrt(spread), 0.05, 0.0015);
    NEAR(t, kin_sqrt(height), 0.02, 0.0006);
    CHECK(t, gap(r, MANY, disk_within) < 1.95 / kin_sqrt(MANY));
    NEAR(t, kin_galaxy_speed(&def, 8), kin_sqrt(1.5 / 8), 1e-12); /* all mass inside */
    NEAR(t, kin_galaxy_speed(&def, 16), kin_sqrt(1.5 / 16), 1e-12);
    free(r);
}

static void inclined_disk_is_the_same_one_turned(test* t)
{
    kin_galaxy flat = flat_galaxy(), turned = flat;
    turned.orientation = kin_quat_axis_angle(kin_v(1, 2, -1), 0.7);
    for (uint64_t i = 0; i < 20; ++i) {
        kin_star a = kin_galaxy_star(&flat, 3, i), b = kin_galaxy_star(&turned, 3, i);
        NEAR3(t, b.position, kin_rotate(turned.orientation, a.position), 1e-14);
        NEAR3(t, b.velocity, kin_rotate(turned.orientation, a.velocity), 1e-14);
    }
}

static void centre_comes_to_rest(test* t)
{
    stars s = stars_of(PLUMMER, 1000);
    kin_vec3 p = {0, 0, 0}, c = {0, 0, 0};
    for (size_t i = 0; i < s.n; ++i) s.mass[i] = 1 + (double)(i % 3);
    kin_bodies_centre(s.mass, s.x, s.v, s.n);
    for (size_t i = 0; i < s.n; ++i) {
        p = kin_add_scaled(p, s.mass[i], kin_v(s.v[0][i], s.v[1][i], s.v[2][i]));
        c = kin_add_scaled(c, s.mass[i], kin_v(s.x[0][i], s.x[1][i], s.x[2][i]));
    }
    NEAR3(t, p, kin_v(0, 0, 0), 1e-11);
    NEAR3(t, c, kin_v(0, 0, 0), 1e-11);
    stars_free(&s);
}

TEST_MAIN("system/gravity/initial", TEST(plummer_has_its_profile), TEST(plummer_is_in_equilibrium), TEST(plummer_is_isotropic), TEST(plummer_has_units),
          TEST(ball_is_uniform), TEST(disk_has_its_profile_and_turns), TEST(inclined_disk_is_the_same_one_turned), TEST(centre_comes_to_rest))
