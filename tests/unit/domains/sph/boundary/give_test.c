/* give_test.c - bodies that give way: the operator term is symmetric and positive, momentum is kept to rounding, light bodies converge, and a body that floats at
 * rest stays at rest. */
#include "shapes.h"

enum { MOST = 2048 };

/* A box of side 0.4 in a block of water, its faces half a spacing from the nearest particles. */
static tank* box_in_water(test* t, double density)
{
    kin_sph_def def = tank_def();
    tank* k = tank_open(t, &def, MOST, 1);
    uint32_t box = tank_solid(k, &(kin_shape){.kind = KIN_SHAPE_BOX, .size = {0.4, 0.4, 0.4}}, kin_v(0, 0, 0));
    double mass = 0.064 * density;
    tank_body(k, box, mass, mass * 0.16 / 6);
    for (int i = 0; i < 1000; ++i) {
        kin_vec3 x = {0.1 * (i % 10) - 0.45, 0.1 * (i / 10 % 10) - 0.45, 0.1 * (i / 100) - 0.45};
        if (kin_largest(kin_abs3(x)) > 0.2) tank_put(k, x, kin_v(0, 0, 0));
    }
    tank_feel(k);
    return k;
}

static void wavy(const tank* k, float* k1, int seed)
{
    for (size_t i = 0; i < k->f.count; ++i) k1[i] = 1 + (float)((i * 37 + (size_t)seed * 101) % 17) / 17;
}

static double term(tank* k, const float* x, const float* y)
{
    static float rate[MOST];
    double sum = 0;
    memset(rate, 0, sizeof rate);
    kin_sph_walls_respond(&k->f, &k->tick, x, rate);
    for (size_t i = 0; i < k->f.count; ++i) sum -= (double)rate[i] * (double)y[i];
    return sum;
}

static void symmetric_and_positive(test* t)
{
    tank* k = box_in_water(t, 100);
    static float a[MOST], b[MOST];
    CHECK(t, kin_sph_walls_give(&k->f));
    for (int seed = 0; seed < 5; ++seed) {
        wavy(k, a, seed);
        wavy(k, b, seed + 50);
        double ab = term(k, a, b), ba = term(k, b, a), aa = term(k, a, a);
        CHECK(t, aa > 0);
        NEAR(t, ab, ba, 1e-5 * aa); /* rates are floats */
    }
    tank_close(k);
}

/* Impulses on the body are those on the particles, -h V k b each, with the opposite sign; about any point too. */
static void momentum_is_kept(test* t)
{
    tank* k = box_in_water(t, 100);
    static float a[MOST];
    wavy(k, a, 3);
    kin_sph_walls_push(&k->f, &k->tick, a);
    kin_vec3 sum = {0, 0, 0}, turn = {0, 0, 0};
    for (size_t i = 0; i < k->f.count; ++i) {
        kin_vec3 p = kin_scale(tank_b(k, i), (double)k->tick.h * (double)k->f.volume * (double)a[i]);
        sum = kin_add(sum, p);
        turn = kin_add(turn, kin_cross(tank_x(k, i), p));
    }
    EQUAL(t, k->f.reactions.count, 1);
    const kin_reaction* r = &k->f.reactions.items[0];
    CHECK(t, kin_length(sum) > 0);
    NEAR3(t, r->total.impulse, sum, 1e-12);
    NEAR3(t, kin_add(r->total.angular, kin_cross(r->point, r->total.impulse)), turn, 1e-12);
    tank_close(k);
}

/* What was pushed is felt: wall_rate changes by b . u of the body's new motion, as feeling anew says. */
static void what_was_given_is_felt(test* t)
{
    tank* k = box_in_water(t, 100);
    static float a[MOST], after[MOST];
    wavy(k, a, 1);
    for (size_t i = 0; i < k->f.count; ++i) EQUAL(t, k->f.wall_rate[i] == 0, 1);
    kin_sph_walls_push(&k->f, &k->tick, a);
    memcpy(after, k->f.wall_rate, sizeof(float) * k->f.count);
    CHECK(t, kin_sph_walls_feel(&k->f, &k->tick));
    double largest = 0;
    for (size_t i = 0; i < k->f.count; ++i) {
        NEAR(t, (double)after[i], (double)k->f.wall_rate[i], 1e-5);
        largest = kin_max(largest, kin_abs((double)after[i]));
    }
    CHECK(t, largest > 1e-4);
    tank_close(k);
}

/* A piston of a thousandth of the water's density under a column of fluid that falls on it: b.(u_i - u_body) must vanish. Pressures by conjugate gradients on the
 * wall's part of the operator, A k = b . (b/rho) k + respond: as well posed as any, for it is symmetric and positive. The common velocity comes out. */
static void light_bodies_converge(test* t)
{
    static float p[MOST], ap[MOST], rate[MOST], x[MOST], r[MOST];
    tank* k = box_in_water(t, 1);
    size_t n = k->f.count;
    double rho = 1000, h = (double)k->tick.h, rr = 0, first;
    for (size_t i = 0; i < n; ++i) x[i] = 0, p[i] = r[i] = k->f.b[1][i] * -1.0f, rr += (double)r[i] * (double)r[i]; /* all fall at 1 m/s: rate = b . u */
    first = rr;
    int rounds = 0;
    for (; rounds < 200 && rr > 1e-8 * first; ++rounds) {
        memset(rate, 0, sizeof rate);
        kin_sph_walls_respond(&k->f, &k->tick, p, rate);
        double pap = 0, next = 0;
        for (size_t i = 0; i < n; ++i)
            ap[i] = (float)(h * (kin_length2(tank_b(k, i)) / rho * (double)p[i] - (double)rate[i])), pap += (double)p[i] * (double)ap[i];
        double step = rr / pap;
        for (size_t i = 0; i < n; ++i) x[i] += (float)step * p[i], r[i] -= (float)step * ap[i], next += (double)r[i] * (double)r[i];
        for (size_t i = 0; i < n; ++i) p[i] = r[i] + (float)(next / rr) * p[i];
        rr = next;
    }
    CHECK(t, rounds < 100);
    kin_sph_walls_push(&k->f, &k->tick, x);
    double speed = k->f.walls->bodies[0].given.velocity.y;
    CHECK(t, speed < -0.9 && speed > -1.01); /* 0.064 kg between layers that weigh hundreds of kilograms */
    tank_close(k);
}

/* A body at rest whose weight was borne in the last interval: what it bears counts up to |g| h, as much of it as has passed. */
static void weight_is_felt_ahead(test* t)
{
    tank* k = box_in_water(t, 100);
    kin_solids_load(k->solids, 0, (kin_twist){{0, -0.0981, 0}, {0, 0, 0}});
    k->tick.begin = 0.25, k->tick.end = 0.5;
    tank_feel(k);
    double worst = 0;
    for (size_t i = 0; i < k->f.count; ++i) worst = kin_max(worst, kin_abs((double)k->f.wall_rate[i] - tank_b(k, i).y * -0.0981 * 0.5));
    NEAR(t, worst, 0, 1e-6);
    kin_solids_load(k->solids, 0, (kin_twist){{0, -50, 0}, {0, 0, 0}}); /* a hit: not expected again */
    tank_begin(k);
    NEAR(t, k->f.walls->bodies[0].load.velocity.y, -0.0981, 1e-12);
    tank_close(k);
}

TEST_MAIN("sph boundary give", TEST(symmetric_and_positive), TEST(momentum_is_kept), TEST(what_was_given_is_felt), TEST(light_bodies_converge),
          TEST(weight_is_felt_ahead))
