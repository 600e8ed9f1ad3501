/* feel_test.c - planes as particles feel them: density at walls and in corners, exact gradients, moving walls, threads. */
#include "tank.h"

/* 10 x 10 x 10 particles in the corner of three planes, half a spacing off each. */
static tank* corner(test* t, int threads)
{
    kin_sph_def def = tank_def();
    tank* k = tank_open(t, &def, 1000, threads);
    tank_plane(k, kin_v(0, 0, 0), kin_v(1, 0, 0));
    tank_plane(k, kin_v(0, 0, 0), kin_v(0, 1, 0));
    tank_plane(k, kin_v(0, 0, 0), kin_v(0, 0, -1)); /* seen from behind: planes have two sides */
    tank_fill(k, kin_v(0.05, 0.05, 0.05), (const int[3]){10, 10, 10});
    tank_feel(k);
    return k;
}

static size_t at(int x, int y, int z) { return (size_t)(x + 10 * (y + 10 * z)); }

/* Where one wall is near the lattice goes on behind it: density 1. The product rule is exact for kernels that are products; this one is within 3 % of that. */
static void a_block_in_a_corner_is_at_rest(test* t)
{
    tank* k = corner(t, 1);
    NEAR(t, tank_own_density(k, at(5, 0, 5)) + (double)k->f.lambda[at(5, 0, 5)], 1, 1e-6);
    NEAR(t, tank_own_density(k, at(0, 5, 5)) + (double)k->f.lambda[at(0, 5, 5)], 1, 1e-6);
    NEAR(t, tank_own_density(k, at(5, 0, 0)) + (double)k->f.lambda[at(5, 0, 0)], 1, 0.03);
    NEAR(t, tank_own_density(k, at(0, 0, 0)) + (double)k->f.lambda[at(0, 0, 0)], 1, 0.03);
    EQUAL(t, k->f.lambda[at(5, 5, 5)] == 0, 1);
    kin_vec3 b = tank_b(k, at(5, 0, 5)), own = tank_own_gradient(k, at(5, 0, 5));
    NEAR(t, b.y + 2 * own.y, 0, 0.05 * kin_abs(b.y)); /* even pressure moves nobody, -(2 sum c + b), but for planes of points that are not filled */
    tank_close(k);
}

/* b is the gradient of lambda: central differences of places, in a corner where the product rule is at work. */
static void b_is_the_gradient(test* t)
{
    kin_sph_def def = tank_def();
    tank* k = tank_open(t, &def, 64, 1);
    tank_plane(k, kin_v(0, 0, 0), kin_v(1, 0.2, 0));
    tank_plane(k, kin_v(0, 0, 0), kin_v(-0.1, 1, 0.1));
    const double e = 1.0 / 2048;
    kin_vec3 x = {0.03125, 0.0234375, 0.25};
    tank_put(k, x, kin_v(0, 0, 0));
    for (int a = 0; a < 3; ++a) {
        tank_put(k, kin_add_scaled(x, e, kin_axis(a)), kin_v(0, 0, 0));
        tank_put(k, kin_add_scaled(x, -e, kin_axis(a)), kin_v(0, 0, 0));
    }
    tank_feel(k);
    CHECK(t, k->f.lambda[0] > 0.3f && k->f.lambda[0] < 0.9f);
    for (int a = 0; a < 3; ++a) {
        double slope = ((double)k->f.lambda[1 + 2 * a] - (double)k->f.lambda[2 + 2 * a]) / (2 * e);
        NEAR(t, kin_component(tank_b(k, 0), a), slope, 0.02); /* second order in e, curvature about 1000 / m^3; rounding 1e-4 */
    }
    tank_close(k);
}

/* A plane that comes nearer at 2 m/s: lambda grows at the rate -wall_rate, whatever the particle does. */
static void a_moving_wall_counts(test* t)
{
    kin_sph_def def = tank_def();
    tank* k = tank_open(t, &def, 8, 1);
    uint32_t plane = tank_plane(k, kin_v(0, 0, 0), kin_v(0, 1, 0));
    kin_solids_move(k->solids, plane, (kin_transform){{0, 0, 0}, {0, 0, 0, 1}}, (kin_transform){{0, 0.001, 0}, {0, 0, 0, 1}});
    k->step.h = 0.0005;
    tank_put(k, kin_v(0, 0.04, 0), kin_v(0, 0, 0));
    tank_feel(k);
    double now = (double)k->f.lambda[0], rate = -(double)k->f.wall_rate[0];
    NEAR(t, rate, -2 * tank_b(k, 0).y, 1e-5);
    CHECK(t, kin_sph_walls_feel_at(&k->f, &k->tick, 1));
    NEAR(t, ((double)k->f.lambda[0] - now) / 0.0005, rate, 0.02 * rate); /* first order: the wall comes a hundredth of a spacing nearer */
    tank_close(k);
}

/* In two dimensions nothing acts along z, and a lattice is at rest too. */
static void flat_tanks(test* t)
{
    kin_sph_def def = tank_def();
    def.flat = true;
    tank* k = tank_open(t, &def, 100, 1);
    tank_plane(k, kin_v(0, 0, 0), kin_v(0, 1, 0));
    tank_fill(k, kin_v(0, 0.05, 0), (const int[3]){10, 10, 1});
    tank_feel(k);
    NEAR(t, tank_own_density(k, 5) + (double)k->f.lambda[5], 1, 1e-6);
    EQUAL(t, k->f.b[2][5] == 0, 1);
    tank_close(k);
}

static void threads_change_no_bit(test* t)
{
    tank* one = corner(t, 1);
    for (int threads = 2; threads <= 8; threads += threads == 2 ? 1 : 5) {
        tank* many = corner(t, threads);
        CHECK(t, tank_alike(one, many));
        tank_close(many);
    }
    tank_close(one);
}

TEST_MAIN("sph boundary feel", TEST(a_block_in_a_corner_is_at_rest), TEST(b_is_the_gradient), TEST(a_moving_wall_counts), TEST(flat_tanks),
          TEST(threads_change_no_bit))
