/* spring_test.c - springs between points (R3.1, C3.3.3): forces, regimes, derivatives, gathering. */
#include "system/spring.h"
#include "math/mat3.h"
#include "support/test.h"
#include <string.h>

enum { POINTS = 60, LINKS = 150 };

typedef struct net {
    double x[3][POINTS], v[3][POINTS], f[3][POINTS];
    kin_spring links[LINKS];
} net;

static net make_net(void)
{
    net n = {0};
    for (int i = 0; i < POINTS; ++i) {
        for (int k = 0; k < 3; ++k) {
            n.x[k][i] = kin_sin(3.1 * i + k);
            n.v[k][i] = kin_cos(1.3 * i + 2 * k);
        }
    }
    for (uint32_t i = 0; i < LINKS; ++i) n.links[i] = (kin_spring){i % POINTS, (i * 7 + 1 + i / POINTS) % POINTS, 10 + i, 0.1 * i, 0.5 + 0.01 * i};
    for (int i = 0; i < LINKS; ++i) {
        if (n.links[i].a == n.links[i].b) n.links[i].b = (n.links[i].b + 1) % POINTS;
    }
    return n;
}

#define IN(array) ((const double* const[3]){array[0], array[1], array[2]})
#define OUT(array) ((double* const[3]){array[0], array[1], array[2]})

static void a_spring_pulls_and_damps_along_itself(test* t)
{
    kin_spring s = {0, 1, 10, 2, 1};
    kin_vec3 f = kin_spring_force(&s, kin_v(0, 0, 0), kin_v(0, 3, 0), kin_v(1, 1, 1), kin_v(5, 2, -7));
    NEAR3(t, f, kin_v(0, -(10 * 2 + 2 * 1), 0), 1e-14);
    NEAR3(t, kin_spring_force(&s, kin_v(1, 1, 1), kin_v(1, 1, 1), kin_v(0, 0, 0), kin_v(1, 0, 0)), kin_v(0, 0, 0), 0);
    double x[3][2] = {{0, 0}, {0, 3}, {0, 0}};
    NEAR(t, kin_springs_energy(&s, 1, IN(x)), 0.5 * 10 * 4, 1e-14);
}

static void momentum_and_spin_are_kept(test* t)
{
    net n = make_net();
    kin_vec3 force = {0, 0, 0}, torque = {0, 0, 0};
    double size = 0;
    kin_springs_force(n.links, LINKS, IN(n.x), IN(n.v), OUT(n.f));
    for (int i = 0; i < POINTS; ++i) {
        kin_vec3 f = {n.f[0][i], n.f[1][i], n.f[2][i]}, x = {n.x[0][i], n.x[1][i], n.x[2][i]};
        force = kin_add(force, f);
        torque = kin_add(torque, kin_cross(x, f));
        size += kin_length(f);
    }
    CHECK(t, size > 100);
    NEAR3(t, force, kin_v(0, 0, 0), 1e-14 * size);
    NEAR3(t, torque, kin_v(0, 0, 0), 1e-14 * size);
    double one[3][2] = {{0.1, 1.3}, {0.7, -0.4}, {0.2, 0.9}}, still[3][2] = {{0}}, f[3][2] = {{0}};
    kin_springs_force(&(kin_spring){0, 1, 7, 0, 1}, 1, IN(one), IN(still), OUT(f));
    for (int k = 0; k < 3; ++k) NEAR(t, f[k][0], -f[k][1], 0);
}

/* Forces are minus the slope of the energy: central differences, e^2. */
static void energy_matches_forces(test* t)
{
    net n = make_net();
    const double e = 1e-5;
    memset(n.v, 0, sizeof n.v);
    kin_springs_force(n.links, LINKS, IN(n.x), IN(n.v), OUT(n.f));
    for (int i = 0; i < POINTS; i += 7) {
        for (int k = 0; k < 3; ++k) {
            double keep = n.x[k][i];
            n.x[k][i] = keep + e;
            double above = kin_springs_energy(n.links, LINKS, IN(n.x));
            n.x[k][i] = keep - e;
            double below = kin_springs_energy(n.links, LINKS, IN(n.x));
            n.x[k][i] = keep;
            NEAR(t, -(above - below) / (2 * e), n.f[k][i], 1e-5);
        }
    }
}

/* How far two masses swing through their rest length: by the reduced mass, critical damping is where that ends. */
static double overshoot(double ratio, double* com)
{
    const double ma = 1, mb = 3, k = 20, h = 1e-4;
    kin_spring s = {0, 1, k, kin_spring_damping(ratio, k, 1 / ma, 1 / mb), 1};
    double xa = 0, xb = 1.5, va = 0, vb = 0, least = 1;
    for (int i = 0; i < 40000; ++i) {
        double f = kin_spring_force(&s, kin_v(xa, 0, 0), kin_v(xb, 0, 0), kin_v(va, 0, 0), kin_v(vb, 0, 0)).x;
        va -= h * f / ma;
        vb += h * f / mb;
        xa += h * va;
        xb += h * vb;
        least = kin_min(least, xb - xa - 1);
    }
    *com = (ma * xa + mb * xb) / (ma + mb);
    return least;
}

static void damping_has_its_regimes(test* t)
{
    double com;
    double under = overshoot(0.3, &com);
    NEAR(t, under, -0.5 * kin_exp(-KIN_PI * 0.3 / kin_sqrt(1 - 0.09)), 1e-3); /* the first swing beyond */
    NEAR(t, com, 1.5 * 3 / 4, 1e-12);
    CHECK(t, overshoot(1.02, &com) > -1e-4);
    CHECK(t, overshoot(0.9, &com) < -1e-4);
    CHECK(t, overshoot(3, &com) > 0);
    NEAR(t, kin_spring_damping(1, 20, 1, 1.0 / 3), 2 * kin_sqrt(20 * 0.75), 1e-14);
    NEAR(t, kin_spring_damping(1, 9, 1, 0), 6, 1e-14); /* a fixed end */
    NEAR(t, kin_spring_damping(1, 9, 0, 0), 0, 0);
    NEAR(t, kin_spring_relative_stiffness(12, 4), 3, 0);
    NEAR(t, kin_spring_relative_stiffness(12, 0), 12, 0);
}

/* C3.3.5: a hand holds one end of a spring without rest length; it jumps, and the point settles on it. */
static void a_dragged_point_settles_on_the_hand(test* t)
{
    kin_spring s = {0, 1, 50, kin_spring_damping(1, 50, 0, 1), 0};
    kin_vec3 hand = {10, -4, 3}, x = {0, 0, 0}, v = {0, 0, 0};
    for (int i = 0; i < 600; ++i) {
        v = kin_add_scaled(v, 1.0 / 60, kin_spring_force(&s, hand, x, kin_v(0, 0, 0), v));
        x = kin_add_scaled(x, 1.0 / 60, v);
        CHECK(t, kin_distance(x, hand) <= kin_length(hand) * 1.001);
    }
    NEAR3(t, x, hand, 1e-6);
}

static void check_block(test* t, const kin_spring* s, kin_vec3 xb, kin_vec3 vb)
{
    const kin_vec3 xa = {0.2, -0.1, 0.4}, va = {0.5, 1, -0.3};
    const double e = 1e-5;
    kin_spring_blocks b = kin_spring_derivative(s, xa, xb, va, vb);
    for (int k = 0; k < 3; ++k) {
        kin_vec3 step = kin_scale(kin_axis(k), e);
        kin_vec3 by_x = kin_sub(kin_spring_force(s, xa, kin_add(xb, step), va, vb), kin_spring_force(s, xa, kin_sub(xb, step), va, vb));
        kin_vec3 by_v = kin_sub(kin_spring_force(s, xa, xb, va, kin_add(vb, step)), kin_spring_force(s, xa, xb, va, kin_sub(vb, step)));
        kin_vec3 by_a = kin_sub(kin_spring_force(s, kin_add(xa, step), xb, va, vb), kin_spring_force(s, kin_sub(xa, step), xb, va, vb));
        NEAR3(t, kin_mat3_column(b.dx, k), kin_scale(by_x, 0.5 / e), 1e-6);
        NEAR3(t, kin_mat3_column(b.dv, k), kin_scale(by_v, 0.5 / e), 1e-6);
        NEAR3(t, kin_mat3_column(b.dx, k), kin_scale(by_a, -0.5 / e), 1e-6);
    }
}

static void derivatives_match_differences(test* t)
{
    kin_spring s = {0, 1, 30, 4, 1};
    check_block(t, &s, kin_v(1.5, 0.8, -0.6), kin_v(-1, 0.2, 2)); /* long */
    check_block(t, &s, kin_v(0.5, 0.1, 0.3), kin_v(-1, 0.2, 2));  /* short */
    kin_spring_blocks none = kin_spring_derivative(&s, kin_v(1, 1, 1), kin_v(1, 1, 1), kin_v(0, 0, 0), kin_v(0, 0, 0));
    NEAR(t, kin_mat3_norm(none.dx), 0, 0);
    NEAR(t, kin_mat3_norm(none.dv), 0, 0);
}

/* Stretched and undamped both agree; compressed, the definite one holds no push across. */
static void the_definite_one_never_pushes(test* t)
{
    kin_spring s = {0, 1, 30, 0, 1};
    kin_vec3 a = {0, 0, 0}, longer = {1.2, 0.9, 0}, shorter = {0.4, 0.3, 0}, still = {0, 0, 0}, side = {-0.6, 0.8, 0};
    kin_mat3 exact = kin_spring_derivative(&s, a, longer, still, still).dx, kept = kin_spring_derivative_definite(&s, a, longer).dx;
    NEAR(t, kin_mat3_norm(kin_mat3_sub(exact, kept)), 0, 1e-13);
    exact = kin_spring_derivative(&s, a, shorter, still, still).dx;
    kept = kin_spring_derivative_definite(&s, a, shorter).dx;
    CHECK(t, kin_dot(side, kin_mat3_apply(exact, side)) > 1);
    NEAR(t, kin_dot(side, kin_mat3_apply(kept, side)), 0, 1e-13);
    NEAR(t, kin_dot(shorter, kin_mat3_apply(kept, shorter)), -30 * 0.25, 1e-13);
}

static void gathering_gives_the_same_bits(test* t)
{
    net n = make_net();
    kin_spring_lists lists;
    kin_springs_force(n.links, LINKS, IN(n.x), IN(n.v), OUT(n.f));
    EQUAL(t, kin_spring_lists_init(&lists, &t->allocator, n.links, LINKS, POINTS, NULL), KIN_OK);
    EQUAL(t, lists.begin[POINTS], 2 * LINKS);
    for (int threads = 0; threads <= 3; ++threads) {
        kin_jobs jobs;
        double f[3][POINTS] = {{0}};
        if (threads > 0) EQUAL(t, kin_jobs_init(&jobs, &t->allocator, NULL, threads, NULL), KIN_OK);
        kin_springs_gather(&lists, n.links, threads > 0 ? &jobs : NULL, IN(n.x), IN(n.v), OUT(f));
        CHECK(t, memcmp(f, n.f, sizeof f) == 0);
        if (threads > 0) kin_jobs_term(&jobs);
    }
    kin_spring_lists_term(&lists);
}

static void bad_links_are_refused(test* t)
{
    kin_error error = {0};
    kin_spring_lists lists;
    kin_spring bad[2] = {{0, 1, 1, 0, 1}, {1, 2, 1, 0, 1}};
    EQUAL(t, kin_spring_lists_init(&lists, &t->allocator, bad, 2, 2, &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "number 1");
    kin_spring_lists_term(&lists);
    bad[1].b = 1;
    EQUAL(t, kin_spring_lists_init(&lists, &t->allocator, bad, 2, 2, &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "itself");
    kin_spring_lists_term(&lists);
    EQUAL(t, kin_spring_lists_init(&lists, &t->allocator, NULL, 0, 5, NULL), KIN_OK);
    kin_spring_lists_term(&lists);
}

TEST_MAIN("spring", TEST(a_spring_pulls_and_damps_along_itself), TEST(momentum_and_spin_are_kept), TEST(energy_matches_forces), TEST(damping_has_its_regimes),
          TEST(a_dragged_point_settles_on_the_hand), TEST(derivatives_match_differences), TEST(the_definite_one_never_pushes),
          TEST(gathering_gives_the_same_bits), TEST(bad_links_are_refused))
