/* micro_test.c - the course of an impact (C4.13): against closed forms, against plain small steps, and the laws of work. */
#include "contact/impulse/local.h"
#include "support/test.h"
#include "unit/contact/impulse/hits.h"

static double slip_of(const double u[3]) { return sqrt(u[1] * u[1] + u[2] * u[2]); }

/* A random K: symmetric, positive definite. */
static kin_local random_local(dice* d)
{
    kin_local hit = {.restitution = roll(d, 0, 1), .friction = {roll(d, 0.05, 1.5), 0}};
    hit.friction[1] = hit.friction[0];
    double g[9];
    for (int i = 0; i < 9; ++i) g[i] = roll(d, -1, 1);
    for (int i = 0; i < 9; ++i) {
        for (int k = 0; k < 3; ++k) hit.matrix[i] += g[3 * (i / 3) + k] * g[3 * (i % 3) + k];
        hit.matrix[i] += i % 4 == 0 ? 0.2 : 0;
    }
    hit.velocity[0] = roll(d, -3, -0.5);
    for (int i = 1; i < 3; ++i) hit.velocity[i] = roll(d, -2, 2);
    return hit;
}

/* The same law in small steps of p_n: friction against the slip of the moment, and where it would turn the slip back, as much as holds it. */
static void by_small_steps(const kin_local* hit, double p[3])
{
    double u[3], work = 0, least = 0, dp = 2e-5;
    bool restoring = false;
    memcpy(u, hit->velocity, sizeof u);
    p[0] = p[1] = p[2] = 0;
    for (int i = 0; i < 4000000; ++i) {
        const double* k = hit->matrix;
        double q[3] = {dp, 0, 0}, slip = slip_of(u), limit = hit->friction[0] * dp;
        double det = k[4] * k[8] - k[5] * k[7], x = -(u[1] + k[3] * dp), y = -(u[2] + k[6] * dp); /* what stops all slip by the end of the step */
        q[1] = (x * k[8] - y * k[5]) / det;
        q[2] = (y * k[4] - x * k[7]) / det;
        double size = sqrt(q[1] * q[1] + q[2] * q[2]);
        if (size > limit) {
            double f = limit / size;
            q[1] = slip > 1e-3 ? -limit * u[1] / slip : q[1] * f;
            q[2] = slip > 1e-3 ? -limit * u[2] / slip : q[2] * f;
        }
        double before = u[0];
        for (int r = 0; r < 3; ++r) {
            p[r] += q[r];
            u[r] += k[3 * r] * q[0] + k[3 * r + 1] * q[1] + k[3 * r + 2] * q[2];
        }
        work += 0.5 * dp * (before + u[0]);
        if (!restoring && u[0] >= 0) restoring = true, least = work;
        if (restoring && work >= least * (1 - hit->restitution * hit->restitution)) return;
    }
}

static void agrees_with_small_steps(test* t)
{
    int reversed = 0, stuck = 0;
    for (uint64_t i = 0; i < 24; ++i) {
        dice d = {.key = {.seed = 41, .serial = i}};
        kin_local hit = random_local(&d);
        double p[3], want[3], after[3];
        kin_local_micro(&hit, p);
        by_small_steps(&hit, want);
        kin_local_after(&hit, p, after);
        for (int k = 0; k < 3; ++k) NEAR(t, p[k], want[k], 2e-3 * (1 + fabs(want[0])));
        stuck += slip_of(after) < 1e-9;
        reversed += slip_of(after) > 1e-9 && after[1] * hit.velocity[1] + after[2] * hit.velocity[2] < 0;
    }
    CHECK(t, stuck > 2 && reversed > 0);
}

/* Without coupling of n and the tangents: Newton, Poisson and work agree, and so do the course and the closed form. */
static void uncoupled_is_the_closed_form(test* t)
{
    for (uint64_t i = 0; i < 200; ++i) {
        dice d = {.key = {.seed = 42, .serial = i}};
        kin_local hit = random_local(&d);
        hit.matrix[1] = hit.matrix[2] = hit.matrix[3] = hit.matrix[6] = hit.matrix[5] = hit.matrix[7] = 0;
        hit.matrix[8] = hit.matrix[4];
        hit.velocity[2] = 0;
        double p[3], closed[3];
        kin_local_micro(&hit, p);
        kin_local_closed(&hit, closed);
        for (int k = 0; k < 3; ++k) NEAR(t, p[k], closed[k], 1e-11 * (1 + closed[0]));
    }
}

/* A planar rod whose slip ends and turns about (Keller): straight pieces, each in closed form. */
static void planar_reversal_in_closed_form(test* t)
{
    const double n = 1, c = -0.8, k = 2, mu = 0.3; /* K_nn, K_nt, K_tt: sticking needs 0.4 > mu */
    kin_local hit = {.matrix = {n, c, 0, c, k, 0, 0, 0, 1}, .velocity = {-2, 0.3, 0}, .restitution = 0.5, .friction = {mu, mu}};
    double p[3];
    kin_local_micro(&hit, p);
    /* slipping along +t: u_t' = c - mu k = -1.4, u_n' = n - mu c = 1.24; then along -t: u_t' = c + mu k = -0.2, u_n' = n + mu c = 0.76 */
    double p1 = 0.3 / 1.4, un1 = -2 + 1.24 * p1, w1 = p1 * (-2 + un1) / 2, p2 = -un1 / 0.76, w2 = w1 + p2 * un1 / 2, p3 = 0.5 * sqrt(-2 * w2 / 0.76);
    NEAR(t, p[0], p1 + p2 + p3, 1e-12);
    NEAR(t, p[1], mu * (-p1 + p2 + p3), 1e-12);
    NEAR(t, p[2], 0, 1e-15);
}

/* Friction that presses harder the more it is pressed (K_nn + mu K_nt < 0 while it slips): compression gains nothing until the slip stops. */
static void jam_ends_in_sticking(test* t)
{
    kin_local hit = {.matrix = {1, 1.2, 0, 1.2, 2, 0, 0, 0, 1}, .velocity = {-0.1, 2, 0}, .restitution = 0, .friction = {1.5, 1.5}};
    double p[3], after[3];
    kin_local_micro(&hit, p);
    kin_local_after(&hit, p, after);
    NEAR(t, after[0], 0, 1e-12);
    NEAR(t, after[1], 0, 1e-12);
    CHECK(t, p[0] > 0.1 / 1 && kin_local_work(&hit, p) < 0);
}

static void work_is_never_gained(test* t)
{
    for (uint64_t i = 0; i < 1500; ++i) {
        dice d = {.key = {.seed = 43, .serial = i}};
        kin_local hit = random_local(&d);
        if (i % 3 == 0) hit.friction[1] *= roll(&d, 0, 1); /* directional */
        if (i % 7 == 0) hit.friction[1] = 0;
        double p[3], after[3];
        kin_local_micro(&hit, p);
        kin_local_after(&hit, p, after);
        CHECK(t, kin_local_work(&hit, p) <= 1e-12);
        CHECK(t, p[0] > 0 && after[0] >= -1e-9);
        double x = hit.friction[0] * p[0], y = hit.friction[1] * p[0];
        CHECK(t, fabs(p[1]) <= x + 1e-9 && fabs(p[2]) <= y + 1e-9);
    }
}

/* Elastic without friction: all of it comes back. */
static void elastic_keeps_energy(test* t)
{
    for (uint64_t i = 0; i < 50; ++i) {
        dice d = {.key = {.seed = 44, .serial = i}};
        kin_local hit = random_local(&d);
        hit.friction[0] = hit.friction[1] = 0;
        hit.restitution = 1;
        double p[3], after[3];
        kin_local_micro(&hit, p);
        kin_local_after(&hit, p, after);
        NEAR(t, kin_local_work(&hit, p), 0, 1e-13);
        NEAR(t, after[0], -hit.velocity[0], 1e-13);
    }
}

TEST_MAIN("contact/impulse micro", TEST(agrees_with_small_steps), TEST(uncoupled_is_the_closed_form), TEST(planar_reversal_in_closed_form),
          TEST(jam_ends_in_sticking), TEST(work_is_never_gained), TEST(elastic_keeps_energy))
