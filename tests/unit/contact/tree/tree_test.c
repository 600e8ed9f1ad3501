/* tree_test.c - chains of ball joints: against a pendulum chain in reduced coordinates, and the laws they keep. */
#include "block.h"
#include "math/random.h"
#include <string.h>

static kin_quat turn_z(double angle) { return kin_quat_axis_angle(kin_v(0, 0, 1), angle); }

/* ---- the reference: absolute angles of a planar chain, RK4 ---- */

enum { PENDULUMS = LINKS + 1 };
typedef struct pendulum_chain {
    double length[PENDULUMS], center[PENDULUMS], mass[PENDULUMS], inertia[PENDULUMS];
    double angle[PENDULUMS], rate[PENDULUMS]; /* from the horizontal, counted upwards */
} pendulum_chain;

/* a_ij = sum over bodies k of m_k A_ki A_kj, A_kj = length_j before k, center_k at k. */
static void inertia_table(const pendulum_chain* c, double a[PENDULUMS][PENDULUMS], double* weight)
{
    memset(a, 0, sizeof(double[PENDULUMS][PENDULUMS]));
    for (int k = 0; k < PENDULUMS; ++k) {
        for (int i = 0; i <= k; ++i) {
            double ai = i < k ? c->length[i] : c->center[i];
            for (int j = 0; j <= k; ++j) a[i][j] += c->mass[k] * ai * (j < k ? c->length[j] : c->center[j]);
        }
    }
    for (int i = 0; i < PENDULUMS; ++i) {
        weight[i] = 9.81 * c->mass[i] * c->center[i];
        for (int k = i + 1; k < PENDULUMS; ++k) weight[i] += 9.81 * c->mass[k] * c->length[i];
    }
}

/* M(angle) acceleration = -centrifugal - weight, by Cholesky. */
static void pendulum_acceleration(const double table[PENDULUMS][PENDULUMS], const double* weight, const double* inertia, const double* angle,
                                  const double* rate, double* out)
{
    double l[PENDULUMS][PENDULUMS], c[PENDULUMS], s[PENDULUMS];
    for (int i = 0; i < PENDULUMS; ++i) {
        kin_sincos sc = kin_sin_cos(angle[i]);
        c[i] = sc.cosine;
        s[i] = sc.sine;
    }
    for (int i = 0; i < PENDULUMS; ++i) {
        out[i] = -weight[i] * c[i];
        for (int j = 0; j < PENDULUMS; ++j) out[i] -= table[i][j] * (s[i] * c[j] - c[i] * s[j]) * rate[j] * rate[j];
        for (int j = 0; j <= i; ++j) {
            double sum = table[i][j] * (c[i] * c[j] + s[i] * s[j]) + (i == j ? inertia[i] : 0);
            for (int k = 0; k < j; ++k) sum -= l[i][k] * l[j][k];
            l[i][j] = i == j ? kin_sqrt(sum) : sum / l[j][j];
        }
    }
    for (int i = 0; i < PENDULUMS; ++i) {
        for (int k = 0; k < i; ++k) out[i] -= l[i][k] * out[k];
        out[i] /= l[i][i];
    }
    for (int i = PENDULUMS - 1; i >= 0; --i) {
        for (int k = i + 1; k < PENDULUMS; ++k) out[i] -= l[k][i] * out[k];
        out[i] /= l[i][i];
    }
}

static void pendulum_run(pendulum_chain* c, double h, int steps)
{
    static double table[PENDULUMS][PENDULUMS];
    double weight[PENDULUMS], da[4][PENDULUMS], dr[4][PENDULUMS], angle[PENDULUMS], rate[PENDULUMS];
    const double at[4] = {0, 0.5, 0.5, 1}, share[4] = {1, 2, 2, 1};
    inertia_table(c, table, weight);
    for (int n = 0; n < steps; ++n) {
        for (int s = 0; s < 4; ++s) {
            for (int i = 0; i < PENDULUMS; ++i) {
                angle[i] = c->angle[i] + (s ? at[s] * h * da[s - 1][i] : 0);
                rate[i] = c->rate[i] + (s ? at[s] * h * dr[s - 1][i] : 0);
            }
            pendulum_acceleration(table, weight, c->inertia, angle, rate, dr[s]);
            memcpy(da[s], rate, sizeof rate);
        }
        for (int s = 0; s < 4; ++s) {
            for (int i = 0; i < PENDULUMS; ++i) {
                c->angle[i] += h / 6 * share[s] * da[s][i];
                c->rate[i] += h / 6 * share[s] * dr[s][i];
            }
        }
    }
}

static kin_vec3 pendulum_tip(const pendulum_chain* c)
{
    kin_vec3 p = {0, 30, 0};
    for (int i = 0; i < PENDULUMS; ++i) {
        double l = i < LINKS ? c->length[i] : c->center[i];
        p = kin_add(p, kin_v(l * kin_cos(c->angle[i]), l * kin_sin(c->angle[i]), 0));
    }
    return p;
}

static pendulum_chain horizontal_pendulums(double ball_mass)
{
    pendulum_chain c = {0};
    for (int i = 0; i < PENDULUMS; ++i) {
        bool ball = i == BALL;
        c.length[i] = 1;
        c.center[i] = 0.5;
        c.mass[i] = ball ? ball_mass : 1;
        c.inertia[i] = ball ? 0.1 * ball_mass : 1.04 / 12;
    }
    return c;
}

/* ---- the goals of the chain ---- */

static void hanging_chain_does_not_stretch(test* t)
{
    scene s;
    scene_init(&s, t);
    scene_chain(&s, 1000, turn_z(-KIN_PI / 2), true);
    scene_build(&s);
    for (int i = 0; i < 120; ++i) scene_step(&s);
    NEAR(t, s.body[BALL].position.y, 9.5, 1e-9);
    NEAR(t, scene_error(&s), 0, 1e-9);
    kin_vec3 force, torque;
    kin_tree_joint_load(s.tree, 0, &force, &torque); /* on the first link: it bears all weights */
    NEAR3(t, force, kin_v(0, 1020 * 9.81, 0), 1e-5);
    NEAR3(t, torque, kin_v(0, 0, 0), 1e-6);
    kin_tree_joint_load(s.tree, 20, &force, &torque);
    NEAR3(t, force, kin_v(0, 1000 * 9.81, 0), 1e-5);
    EQUAL(t, kin_tree_reports(s.tree).iterations, s.substeps); /* at rest nothing is factored */
    scene_term(&s);
}

static void swing_follows_the_reference(test* t)
{
    pendulum_chain c = horizontal_pendulums(1000);
    pendulum_run(&c, 1.0 / 1920, 19200);
    kin_vec3 reference = pendulum_tip(&c);
    NEAR3(t, reference, kin_v(20.2, 27.6, 0), 0.1); /* what the goal is given as */
    scene s;
    scene_init(&s, t);
    scene_chain(&s, 1000, kin_quat_identity(), true);
    scene_build(&s);
    double most = scene_energy(&s);
    for (int i = 0; i < 600; ++i) {
        scene_step(&s);
        CHECK(t, scene_error(&s) < 1e-5);
        double now = scene_energy(&s);
        CHECK(t, now <= most + 1e-6); /* of 2e5 J */
        most = kin_min(most, now);
    }
    NEAR3(t, s.body[BALL].position, reference, 0.25);
    EQUAL(t, s.halvings, 0);
    scene_term(&s);
}

/* Second order as h goes to 0 but for the damping, which is first order: the miss shrinks with the substep. */
static void swing_converges_to_the_reference(test* t)
{
    pendulum_chain c = horizontal_pendulums(1000);
    pendulum_run(&c, 1.0 / 1920, 1920 * 3);
    kin_vec3 reference = pendulum_tip(&c);
    double miss[2];
    for (int k = 0; k < 2; ++k) {
        scene s;
        scene_init(&s, t);
        s.substeps = k ? 32 : 8;
        scene_chain(&s, 1000, kin_quat_identity(), true);
        scene_build(&s);
        for (int i = 0; i < 180; ++i) scene_step(&s);
        miss[k] = kin_distance(s.body[BALL].position, reference);
        scene_term(&s);
    }
    CHECK(t, miss[1] < 0.45 * miss[0]);
    CHECK(t, miss[1] < 0.03);
}
TEST_MAIN("contact_tree", TEST(hanging_chain_does_not_stretch), TEST(swing_follows_the_reference), TEST(swing_converges_to_the_reference))
