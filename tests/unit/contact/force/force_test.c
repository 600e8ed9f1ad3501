/* force_test.c - contact forces: N2, H10.13, H10.15, H10.16 as bodies, the four solvers against each other, joints and particles among the rows. */
#include "math/frame.h"
#include "support/test.h"
#include "unit/contact/force/touches.h"

static const kin_force_method methods[] = {KIN_FORCE_DANTZIG, KIN_FORCE_BARAFF, KIN_FORCE_LEMKE, KIN_FORCE_QP};
enum { METHODS = sizeof methods / sizeof *methods };

static void solve(test* t, scene* s, kin_force_method method)
{
    kin_arena scratch;
    kin_arena_init(&scratch, &t->allocator);
    scene_solve(s, method, &scratch);
    kin_arena_term(&scratch);
}

/* ---- tables and stacks ---- */

static void table_carries_the_weight(test* t)
{
    for (int k = 0; k < METHODS; ++k) {
        scene s = {.count = 0};
        uint32_t box = scene_add(&s, box_of(3, kin_v(1, 1, 1), kin_v(0, 0.5, 0)));
        scene_corners(&s, box, KIN_NO_BODY, kin_v(0, 0, 0), 1, 0.5);
        solve(t, &s, methods[k]);
        double sum = 0;
        for (int i = 0; i < 4; ++i) {
            CHECK(t, s.out[3 * i] >= 0);
            sum += s.out[3 * i];
        }
        EQUAL(t, s.report.lcp.status, KIN_LCP_SOLVED);
        NEAR(t, sum, 3 * GRAVITY, 1e-9);
        NEAR3(t, s.linear[0], kin_v(0, 0, 0), 1e-9);
        NEAR3(t, s.angular[0], kin_v(0, 0, 0), 1e-9);
    }
}

static void stack_carries_what_is_above(test* t)
{
    enum { HIGH = 5 };
    for (int k = 0; k < METHODS; ++k) {
        scene s = {.count = 0};
        for (uint32_t i = 0; i < HIGH; ++i) {
            scene_add(&s, box_of(1 + i, kin_v(1, 1, 1), kin_v(0, 0.5 + i, 0)));
            scene_corners(&s, i, i == 0 ? KIN_NO_BODY : i - 1, kin_v(0, i, 0), 1, 0.5);
        }
        solve(t, &s, methods[k]);
        double above = 0;
        for (int i = HIGH - 1; i >= 0; --i) {
            double sum = 0;
            for (int c = 0; c < 4; ++c) sum += s.out[3 * (4 * i + c)];
            above += (1 + i) * GRAVITY;
            NEAR(t, sum, above, 1e-7);
            NEAR3(t, s.linear[i], kin_v(0, 0, 0), 1e-7);
        }
    }
}

/* Nine boxes in a pyramid, 56 contacts: quick systems, with a guess and without, and little friction. */
static void pyramids_by_quick_systems(test* t)
{
    for (int slippery = 0; slippery < 2; ++slippery) {
        static scene s;
        s = (scene){.count = 0};
        uint32_t id[4][4];
        double mu = slippery ? 0.05 : 0.6, floor = 0, push = 0;
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 4 - i; ++j) {
                id[i][j] = scene_add(&s, box_of(1, kin_v(1, 1, 1), kin_v(j + 0.5 * i, 0.5 + i, 0)));
                for (int c = 0; c < 4 && i == 0; ++c)
                    scene_touch(&s, id[i][j], KIN_NO_BODY, kin_v(j + (c & 1 ? 0.5 : -0.5), 0, c & 2 ? 0.5 : -0.5), kin_v(0, 1, 0), mu);
                for (int c = 0; c < 8 && i > 0; ++c)
                    scene_touch(&s, id[i][j], id[i - 1][j + (c & 1)],
                                kin_v(j + 0.5 * i + (c & 1 ? 0.25 : -0.25) + (c & 4 ? 0.25 : -0.25), i, c & 2 ? 0.5 : -0.5), kin_v(0, 1, 0), mu);
            }
        }
        kin_arena scratch;
        kin_arena_init(&scratch, &t->allocator);
        kin_vec3 guess[SCENE_TOUCHES];
        scene_solve(&s, KIN_FORCE_BARAFF, &scratch);
        for (int i = 0; i < s.touches; ++i) {
            kin_vec3 n = s.touching[i].normal, u = s.tangents[i];
            guess[i] = kin_add_scaled(kin_add_scaled(kin_scale(n, s.out[3 * i]), s.out[3 * i + 1], u), s.out[3 * i + 2], kin_cross(n, u));
        }
        kin_force_cluster again = scene_cluster(&s, KIN_FORCE_BARAFF);
        again.guess = guess;
        kin_force_report warm = kin_forces_find(&again, s.out, NULL, NULL, NULL, &scratch);
        EQUAL(t, warm.lcp.status, KIN_LCP_SOLVED);
        EQUAL(t, warm.lcp.pivots, 1); /* the guess was right */
        kin_arena_term(&scratch);
        CHECK(t, s.report.lcp.residual < 1e-9);
        for (int i = 0; i < s.touches; ++i) {
            if (s.touching[i].b == KIN_NO_BODY) floor += s.out[3 * i];
            push = fmax(push, fmax(fabs(s.out[3 * i + 1]), fabs(s.out[3 * i + 2])) - mu * s.out[3 * i]);
        }
        NEAR(t, floor, 9 * GRAVITY, 1e-8);
        CHECK(t, push < 1e-9);
        for (uint32_t i = 0; i < s.count; ++i) NEAR3(t, s.linear[i], kin_v(0, 0, 0), 1e-8);
    }
}

/* ---- friction ---- */

static double incline_acceleration(test* t, kin_force_method method, double slope, double mu_static, double mu_dynamic, double speed)
{
    scene s = {.count = 0};
    kin_vec3 n = kin_v(-kin_sin(slope), kin_cos(slope), 0), down = kin_v(-kin_cos(slope), -kin_sin(slope), 0);
    n = kin_v(-n.x, n.y, 0);
    down = kin_v(-down.x, down.y, 0);
    kin_body box = box_of(2, kin_v(1, 0.2, 1), kin_scale(n, 0.1));
    box.orientation = kin_quat_from_rotation_vector(kin_v(0, 0, -slope));
    box.velocity = kin_scale(down, speed);
    scene_add(&s, box);
    for (int i = 0; i < 4; ++i) {
        kin_vec3 at = kin_add(kin_scale(down, i & 1 ? 0.5 : -0.5), kin_v(0, 0, i & 2 ? 0.5 : -0.5));
        kin_touching* c = scene_touch(&s, 0, KIN_NO_BODY, at, n, mu_static);
        c->mu_dynamic[0] = c->mu_dynamic[1] = mu_dynamic;
    }
    solve(t, &s, method);
    NEAR(t, kin_dot(s.linear[0], n), 0, 1e-10);
    NEAR3(t, s.angular[0], kin_v(0, 0, 0), 1e-9);
    return kin_dot(s.linear[0], down);
}

static void incline_holds_up_to_mu(test* t)
{
    const double slope = 0.5, tangent = kin_tan(slope);
    kin_force_method ways[2] = {KIN_FORCE_BARAFF, KIN_FORCE_LEMKE};
    for (int k = 0; k < 2; ++k) {
        NEAR(t, incline_acceleration(t, ways[k], slope, tangent * 1.001, 0.1, 0), 0, 1e-10);
        double slips = incline_acceleration(t, ways[k], slope, tangent * 0.9, 0.1, 0); /* starts with static friction at its limit */
        NEAR(t, slips, GRAVITY * (kin_sin(slope) - 0.9 * tangent * kin_cos(slope)), 1e-10);
        NEAR(t, incline_acceleration(t, ways[k], slope, 0.4, 0.3, 1), GRAVITY * (kin_sin(slope) - 0.3 * kin_cos(slope)), 1e-10);
    }
    NEAR(t, incline_acceleration(t, KIN_FORCE_DANTZIG, slope, 1, 1, 0), GRAVITY * kin_sin(slope), 1e-10);
}

static void friction_answers_a_push(test* t)
{
    kin_force_method ways[2] = {KIN_FORCE_BARAFF, KIN_FORCE_LEMKE};
    for (int k = 0; k < 2; ++k) {
        for (double push = 2; push < 12; push += 2) { /* mu m g = 0.4 * 2 * 9.81 = 7.848 */
            scene s = {.count = 0};
            scene_add(&s, box_of(2, kin_v(1, 1, 1), kin_v(0, 0.5, 0)));
            scene_corners(&s, 0, KIN_NO_BODY, kin_v(0, 0, 0), 1, 0.4);
            s.force[0].x = push;
            s.torque[0] = kin_cross(kin_v(0, -0.4, 0), kin_v(push, 0, 0)); /* near the floor: it does not tip */
            solve(t, &s, ways[k]);
            double left = push - 0.4 * 2 * GRAVITY;
            NEAR(t, s.linear[0].x, left > 0 ? left / 2 : 0, 1e-9);
        }
    }
}

/* Sliding: against the slip, whatever the axes. */
static void sliding_friction_opposes_slip(test* t)
{
    for (uint64_t i = 0; i < 50; ++i) {
        dice d = {.key = {.seed = 31, .serial = i}};
        scene s = {.count = 0};
        kin_vec3 v = kin_v(roll(&d, -2, 2), 0, roll(&d, -2, 2));
        scene_add(&s, point_of(1.5, kin_v(0, 0, 0), v));
        kin_touching* c = scene_touch(&s, 0, KIN_NO_BODY, kin_v(0, 0, 0), kin_v(0, 1, 0), 0.3);
        if (i % 2) c->tangent = kin_cross(kin_v(0, 1, 0), roll_direction(&d));
        if (i % 3 == 0) c->surface = kin_scale(v, -2); /* a belt that runs ahead: friction drives the particle on */
        solve(t, &s, KIN_FORCE_BARAFF);
        NEAR3(t, s.linear[0], kin_scale(v, (i % 3 == 0 ? 0.3 : -0.3) * GRAVITY / kin_length(v)), 1e-12);
    }
}

/* H10.16: friction ends the slip within h and not more. */
static void lemke_stops_in_one_step(test* t)
{
    for (double v = 0.01; v < 0.1; v += 0.02) {
        scene s = {.count = 0};
        scene_add(&s, point_of(2, kin_v(0, 0, 0), kin_v(v, 0, 0)));
        scene_touch(&s, 0, KIN_NO_BODY, kin_v(0, 0, 0), kin_v(0, 1, 0), 0.5);
        solve(t, &s, KIN_FORCE_KOKKEVIS);
        double after = v + 0.01 * s.linear[0].x, want = fmax(v - 0.01 * 0.5 * GRAVITY, 0);
        NEAR(t, after, want, 1e-14);
    }
}

/* The foot of a sliding rod at tan theta = 2 drags it down the harder the more it pushes when mu > 4/3 (N2). */
static void painleve_rod_is_handed_over(test* t)
{
    const double theta = kin_atan(2), half = 1;
    for (int k = 0; k < 3; ++k) {
        double mu = 4.0 / 3 * (k == 0 ? 0.99 : 1.01);
        scene s = {.count = 0};
        kin_body rod = rod_of(1, 2 * half, kin_v(half * kin_cos(theta), half * kin_sin(theta), 0), kin_v(k == 2 ? 1 : -1, 0, 0));
        rod.orientation = kin_quat_from_rotation_vector(kin_v(0, 0, theta));
        scene_add(&s, rod);
        scene_touch(&s, 0, KIN_NO_BODY, kin_v(0, 0, 0), kin_v(0, 1, 0), mu);
        solve(t, &s, KIN_FORCE_BARAFF);
        EQUAL(t, s.report.handed, k == 1);
        EQUAL(t, s.handed[0], k == 1);
        if (k == 1) NEAR(t, s.out[0], 0, 0);
        if (k != 1) CHECK(t, s.out[0] > 0);
        double give = 1 + 3 * kin_cos(theta) * (kin_cos(theta) + (k == 2 ? 1 : -1) * mu * kin_sin(theta)); /* m A */
        if (k != 1) NEAR(t, s.out[0], GRAVITY / give, 1e-9 * s.out[0]);
    }
}

/* ---- wedges ---- */

static void groove_presses_by_its_angle(test* t)
{
    for (int k = 0; k < METHODS; ++k) {
        for (double a = 0.2; a < 1.4; a += 0.3) {
            scene s = {.count = 0};
            scene_add(&s, ball_of(2, 0.5, kin_v(0, 0, 0), kin_v(0, 0, 0)));
            for (int side = -1; side <= 1; side += 2) {
                kin_vec3 n = kin_v(side * kin_sin(a), kin_cos(a), 0);
                scene_touch(&s, 0, KIN_NO_BODY, kin_scale(n, -0.5), n, 0)->radius_a = 0.5;
            }
            solve(t, &s, methods[k]);
            for (int i = 0; i < 2; ++i) NEAR(t, s.out[3 * i], 2 * GRAVITY / (2 * kin_cos(a)), 1e-8);
        }
    }
}

/* H10.13: a unit mass between two planes, normals with n1 . n2 = c. */
static void two_coupled_contacts(test* t)
{
    const struct {
        double c, a[2], f[2], after[2];
    } cases[] = {{-0.5, {-1, 0.2}, {1.2, 0.4}, {0, 0}}, {0.9, {-1, -0.1}, {1, 0}, {0, 0.8}}, {0, {-1, -2}, {1, 2}, {0, 0}}, {0, {1, -2}, {0, 2}, {1, 0}}};
    for (int k = 0; k < METHODS; ++k) {
        for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
            double c = cases[i].c, sine = kin_sqrt(1 - c * c);
            scene s = {.count = 0};
            scene_add(&s, point_of(1, kin_v(0, 0, 0), kin_v(0, 0, 0)));
            kin_vec3 n[2] = {kin_v(1, 0, 0), kin_v(c, sine, 0)};
            for (int j = 0; j < 2; ++j) scene_touch(&s, 0, KIN_NO_BODY, kin_v(0, 0, 0), n[j], 0);
            s.force[0] = kin_v(cases[i].a[0], (cases[i].a[1] - c * cases[i].a[0]) / sine, 0);
            solve(t, &s, methods[k]);
            for (int j = 0; j < 2; ++j) {
                NEAR(t, s.out[3 * j], cases[i].f[j], 1e-8);
                NEAR(t, kin_dot(s.linear[0], n[j]), cases[i].after[j], 1e-8);
            }
        }
    }
}

/* ---- A ---- */

static void random_heap(dice* d, scene* s, double mu)
{
    *s = (scene){.count = 0};
    for (uint32_t i = 0; i < 6; ++i) {
        kin_body b = random_body(d);
        b.position = kin_v(i % 2, 0.5 + i / 2, roll(d, -0.2, 0.2));
        b.velocity = kin_scale(b.velocity, 0.1);
        b.spin = kin_scale(b.spin, 0.1);
        scene_add(s, b);
        s->torque[i] = roll3(d, 1);
        for (uint32_t j = 0; j < i; ++j) {
            kin_vec3 apart = kin_sub(b.position, s->bodies[j].position), n = kin_normalize_or(apart, kin_v(0, 1, 0));
            if (kin_length(apart) < 1.2)
                scene_touch(s, i, j, kin_add(kin_lerp(b.position, s->bodies[j].position, 0.5), roll3(d, 0.1)), n, mu)->kind = KIN_TOUCH_FACE_OF_A;
        }
        if (i < 2) scene_touch(s, i, KIN_NO_BODY, kin_add(b.position, kin_v(roll(d, -0.2, 0.2), -0.5, 0)), kin_v(0, 1, 0), mu);
    }
}

/* Column by column: what a unit force at one contact, put on from outside, does to the accelerations at all. */
static void matrix_is_what_forces_do(test* t)
{
    kin_arena scratch;
    kin_arena_init(&scratch, &t->allocator);
    dice d = {.key = {.seed = 32}};
    static scene s;
    static double matrix[192 * 192], other[192 * 192], offset[192], moved[192];
    random_heap(&d, &s, 0.5);
    for (int i = 0; i < s.touches; ++i) s.touching[i].tangent = kin_basis_from_normal(s.touching[i].normal).t;
    kin_force_cluster c = scene_cluster(&s, KIN_FORCE_BARAFF);
    CHECK(t, kin_forces_system(&c, matrix, offset, &scratch));
    int n = 3 * s.touches;
    double worst = 0, skew = 0;
    for (int j = 0; j < n; ++j) {
        double unit[192] = {0};
        kin_vec3 force[SCENE_BODIES], torque[SCENE_BODIES], tangents[SCENE_TOUCHES];
        for (int i = 0; i < s.touches; ++i) tangents[i] = s.touching[i].tangent;
        memcpy(force, s.force, sizeof force);
        memcpy(torque, s.torque, sizeof torque);
        unit[j] = 1;
        kin_forces_add(&c, unit, tangents, NULL, force, torque);
        kin_force_cluster pushed = c;
        pushed.force = force;
        pushed.torque = torque;
        CHECK(t, kin_forces_system(&pushed, other, moved, &scratch));
        for (int i = 0; i < n; ++i) {
            worst = fmax(worst, fabs(moved[i] - offset[i] - matrix[i * n + j]));
            skew = fmax(skew, fabs(matrix[i * n + j] - matrix[j * n + i]));
        }
    }
    NEAR(t, worst, 0, 1e-12);
    NEAR(t, skew, 0, 1e-14);
    kin_arena_term(&scratch);
}

static void heaps_by_all_solvers(test* t)
{
    for (uint64_t i = 0; i < 40; ++i) {
        dice d = {.key = {.seed = 33, .serial = i}};
        static scene s, q;
        random_heap(&d, &s, 0);
        q = s;
        solve(t, &q, KIN_FORCE_QP);
        for (int k = 0; k < METHODS; ++k) {
            solve(t, &s, methods[k]);
            EQUAL(t, s.report.lcp.status, KIN_LCP_SOLVED);
            CHECK(t, s.report.lcp.residual < 1e-8);
            for (uint32_t b = 0; b < s.count; ++b) NEAR3(t, s.linear[b], q.linear[b], 1e-6); /* forces may differ, accelerations do not */
        }
        random_heap(&d, &s, 0.5);
        solve(t, &s, KIN_FORCE_BARAFF);
        CHECK(t, s.report.lcp.residual < 1e-8 && s.report.handed == 0);
        for (int c = 0; c < s.touches; ++c) CHECK(t, s.out[3 * c] >= 0 && fabs(s.out[3 * c + 1]) <= 0.5 * s.out[3 * c] + 1e-9);
    }
}

static void order_does_not_matter(test* t)
{
    for (uint64_t i = 0; i < 20; ++i) {
        dice d = {.key = {.seed = 34, .serial = i}};
        static scene s, back;
        random_heap(&d, &s, 0);
        back = s;
        for (int c = 0; c < s.touches; ++c) back.touching[c] = s.touching[s.touches - 1 - c];
        solve(t, &s, KIN_FORCE_BARAFF);
        solve(t, &back, KIN_FORCE_BARAFF);
        for (uint32_t b = 0; b < s.count; ++b) NEAR3(t, s.linear[b], back.linear[b], 1e-9);
    }
}

/* ---- joints ---- */

/* A rod hinged at one end, the other on the floor: half the weight each (C5.6.2). */
static void jointed_rod_rests(test* t)
{
    for (int k = 0; k < METHODS; ++k) {
        scene s = {.count = 0};
        scene_add(&s, rod_of(2, 2, kin_v(0, 0, 0), kin_v(0, 0, 0)));
        scene_touch(&s, 0, KIN_NO_BODY, kin_v(1, 0, 0), kin_v(0, 1, 0), 0.5);
        scene_ball_joint(&s, 0, KIN_NO_BODY, kin_v(-1, 0, 0));
        solve(t, &s, methods[k]);
        NEAR(t, s.out[0], GRAVITY, 1e-9);
        NEAR(t, s.multipliers[1], GRAVITY, 1e-9);
        NEAR3(t, s.linear[0], kin_v(0, 0, 0), 1e-9);
    }
}

/* Two boxes on the floor, a rod between them on ball joints: each floor carries its box and half the rod; redundant in x, consistent. */
static void box_and_chain_rest(test* t)
{
    for (int k = 0; k < METHODS; ++k) {
        scene s = {.count = 0};
        scene_add(&s, box_of(3, kin_v(1, 1, 1), kin_v(-1.5, 0.5, 0)));
        scene_add(&s, box_of(5, kin_v(1, 1, 1), kin_v(1.5, 0.5, 0)));
        scene_add(&s, rod_of(2, 2, kin_v(0, 0.5, 0), kin_v(0, 0, 0)));
        for (uint32_t i = 0; i < 2; ++i) scene_corners(&s, i, KIN_NO_BODY, kin_v(i ? 1.5 : -1.5, 0, 0), 1, 0.5);
        scene_ball_joint(&s, 2, 0, kin_v(-1, 0.5, 0));
        scene_ball_joint(&s, 2, 1, kin_v(1, 0.5, 0));
        solve(t, &s, methods[k]);
        double sum[2] = {0};
        for (int i = 0; i < 8; ++i) sum[i / 4] += s.out[3 * i];
        NEAR(t, sum[0], 4 * GRAVITY, 1e-7);
        NEAR(t, sum[1], 6 * GRAVITY, 1e-7);
        for (uint32_t b = 0; b < 3; ++b) NEAR3(t, s.linear[b], kin_v(0, 0, 0), 1e-7);
    }
}

/* N4: a swinging rod at its lowest point, with the joint's own rows and bias: the hinge pulls with 5/2 of the weight. */
static void swinging_rod_pulls(test* t)
{
    for (int k = 0; k < METHODS; ++k) {
        scene s = {.count = 0};
        const double length = 1.2, w = kin_sqrt(3 * GRAVITY / length);
        kin_body rod = rod_of(2, length, kin_v(0, -length / 2, 0), kin_v(w * length / 2, 0, 0));
        rod.orientation = kin_quat_from_rotation_vector(kin_v(0, 0, -KIN_PI / 2));
        rod.spin = kin_v(0, 0, w);
        scene_add(&s, rod);
        kin_joint_def def = {.kind = KIN_JOINT_BALL, .axis = {0, 0, 1}};
        kin_joint joint;
        kin_joint_row rows[KIN_JOINT_ROWS];
        CHECK(t, kin_joint_make(&def, 0, &s.bodies[0], KIN_NO_BODY, NULL, &joint, NULL) == KIN_OK);
        s.joints = kin_joint_rows(&joint, &s.bodies[0], NULL, 0, rows);
        memcpy(s.rows, rows, (size_t)s.joints * sizeof *rows);
        for (int i = 0; i < s.joints; ++i) s.joint_b[i] = KIN_NO_BODY;
        solve(t, &s, methods[k]);
        NEAR3(t, kin_scale(s.linear[0], 2), kin_v(0, 2.5 * 2 * GRAVITY - 2 * GRAVITY, 0), 1e-8);
        NEAR3(t, s.angular[0], kin_v(0, 0, 0), 1e-8);
    }
}

/* A limit pushes one way only. */
static void limits_push_one_way(test* t)
{
    for (int k = 0; k < METHODS; ++k) {
        for (int pull = -1; pull <= 1; pull += 2) {
            scene s = {.count = 0};
            scene_add(&s, point_of(2, kin_v(0, 0, 0), kin_v(0, 0, 0)));
            s.force[0] = kin_v(0, 6 * pull, 0);
            s.rows[0] = (kin_joint_row){.linear_a = {0, 1, 0}, .kind = KIN_ROW_LIMIT};
            s.joint_a[0] = 0;
            s.joint_b[0] = KIN_NO_BODY;
            s.joints = 1;
            solve(t, &s, methods[k]);
            NEAR(t, s.multipliers[0], pull < 0 ? 6 : 0, 1e-9);
        }
    }
}

/* ---- particles, faces that turn ---- */

/* C4.12: on a free plate; what the plate gets is the particle's weight where it lies. */
static void particle_on_free_plate(test* t)
{
    for (int k = 0; k < METHODS; ++k) {
        scene s = {.count = 0};
        scene_add(&s, point_of(0.5, kin_v(0.4, 0, 0.2), kin_v(0, 0, 0)));
        scene_add(&s, box_of(2, kin_v(2, 0.1, 1), kin_v(0, -0.05, 0)));
        scene_touch(&s, 0, 1, kin_v(0.4, 0, 0.2), kin_v(0, 1, 0), 0.3);
        s.force[1] = kin_v(0, 0, 0); /* it floats */
        s.force[0] = kin_v(0.2, -4, 0);
        solve(t, &s, methods[k]);
        kin_vec3 at = kin_add(s.linear[1], kin_cross(s.angular[1], kin_v(0.4, 0.05, 0.2)));
        NEAR(t, s.linear[0].y, at.y, 1e-9);
        CHECK(t, s.out[0] > 0 && s.out[0] < 4);
        kin_vec3 sum = kin_add(kin_scale(s.linear[0], 0.5), kin_scale(s.linear[1], 2)); /* the third law */
        NEAR3(t, sum, s.force[0], 1e-9);
        kin_vec3 turn =
            kin_sub(kin_body_inertia_times(&s.bodies[1], s.angular[1]), kin_cross(kin_v(0.4, 0.05, 0.2), kin_sub(s.force[0], kin_scale(s.linear[0], 0.5))));
        NEAR3(t, turn, kin_v(0, 0, 0), 1e-9);
    }
}

/* A marble slides without friction on a face that turns at 2 rad/s: after half a second, by Runge and Kutta, the gap. */
static double marble_gap(test* t, kin_touch_kind kind)
{
    const double spin = 2, h = 1e-3;
    double y[4] = {0.3, 0, 0, 0.6}, time = 0; /* place and velocity in the plane; at rest against the face, which turns about the origin */
    for (int step = 0; step < 500; ++step, time += h) {
        double k[4][4], along[4] = {0, 0.5, 0.5, 1};
        for (int stage = 0; stage < 4; ++stage) {
            double x[4], now = time + h * along[stage], angle = spin * now;
            for (int i = 0; i < 4; ++i) x[i] = y[i] + (stage ? h * along[stage] * k[stage - 1][i] : 0);
            scene s = {.count = 0};
            scene_add(&s, point_of(1, kin_v(x[0], x[1], 0), kin_v(x[2], x[3], 0)));
            kin_body face = kin_body_fixed();
            face.spin = kin_v(0, 0, spin);
            scene_add(&s, face);
            s.force[0] = kin_v(0, -1, 0);
            scene_touch(&s, 0, 1, s.bodies[0].position, kin_v(-kin_sin(angle), kin_cos(angle), 0), 0)->kind = kind;
            solve(t, &s, KIN_FORCE_DANTZIG);
            const double slope[4] = {x[2], x[3], s.linear[0].x, s.linear[0].y};
            memcpy(k[stage], slope, sizeof slope);
        }
        for (int i = 0; i < 4; ++i) y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
    double angle = spin * time;
    return -kin_sin(angle) * y[0] + kin_cos(angle) * y[1];
}

static void marble_stays_on_turning_face(test* t)
{
    NEAR(t, marble_gap(t, KIN_TOUCH_FACE_OF_B), 0, 1e-10);
    CHECK(t, fabs(marble_gap(t, KIN_TOUCH_FACE_OF_A)) > 0.05); /* n' = 0: as if the normal stood still */
}

/* ---- what cannot be ---- */

static void nothing_and_nonsense_are_survived(test* t)
{
    for (int k = 0; k < METHODS; ++k) {
        scene s = {.count = 0};
        solve(t, &s, methods[k]);
        EQUAL(t, s.report.handed, 0);
        kin_body wall = kin_body_fixed();
        scene_add(&s, wall);
        scene_add(&s, wall);
        scene_touch(&s, 0, 1, kin_v(0, 0, 0), kin_v(0, 1, 0), 0.5); /* neither moves */
        s.force[0] = kin_v(0, -1, 0);
        solve(t, &s, methods[k]);
        for (int i = 0; i < 3; ++i) NEAR(t, s.out[i], 0, 0);
        EQUAL(t, s.report.lcp.status, KIN_LCP_SOLVED);
    }
}

/* Fast slip and friction up to 3: some diverge and are named; all else is solved. */
static void wild_friction_is_survived(test* t)
{
    int handed = 0;
    for (uint64_t i = 0; i < 60; ++i) {
        dice d = {.key = {.seed = 35, .serial = i}};
        static scene s;
        random_heap(&d, &s, 0);
        for (uint32_t b = 0; b < s.count; ++b) {
            s.bodies[b].velocity = kin_scale(s.bodies[b].velocity, 20);
            s.bodies[b].spin = kin_scale(s.bodies[b].spin, 20);
        }
        for (int c = 0; c < s.touches; ++c) {
            for (int k = 0; k < 2; ++k) s.touching[c].mu_static[k] = s.touching[c].mu_dynamic[k] = roll(&d, 0, 3);
        }
        solve(t, &s, KIN_FORCE_BARAFF);
        int named = 0;
        for (int c = 0; c < s.touches; ++c) {
            named += s.handed[c];
            CHECK(t, kin_finite(s.out[3 * c]) && s.out[3 * c] >= -1e-9 && (!s.handed[c] || s.out[3 * c] == 0));
        }
        EQUAL(t, named, s.report.handed);
        CHECK(t, s.report.lcp.residual < 1e-7 || named > 0);
        handed += named;
    }
    CHECK(t, handed > 0);
}

enum { TOWER = 10, TOWER_ROWS = 12 * TOWER };

/* Boxes on boxes that slide all ways with friction up to 3: too many for the sure methods. */
static void wild_tower(dice* d, scene* s)
{
    *s = (scene){.count = 0};
    for (uint32_t k = 0; k < TOWER; ++k) {
        kin_body b = box_of(1, kin_v(1, 1, 1), kin_v(0, 0.5 + k, 0));
        b.velocity = roll3(d, 1), b.velocity.y = 0;
        b.spin = kin_v(0, roll(d, -1, 1), 0);
        scene_add(s, b);
        scene_corners(s, k, k == 0 ? KIN_NO_BODY : k - 1, kin_v(0, k, 0), 1, roll(d, 0, 3));
    }
}

/* Either the forces are right to a hundredth of the largest acceleration, or those that diverge are named, or it is said that there are none, and then there
 * are none. */
static void what_is_not_found_is_told(test* t)
{
    static double matrix[TOWER_ROWS * TOWER_ROWS], offset[TOWER_ROWS];
    int unsolved = 0;
    kin_arena arena;
    kin_arena_init(&arena, &t->allocator);
    for (uint64_t i = 0; i < 40; ++i) {
        dice d = {.key = {.seed = 36, .serial = i}};
        static scene s;
        wild_tower(&d, &s);
        kin_force_cluster cluster = scene_cluster(&s, KIN_FORCE_BARAFF);
        double most = 0, pushes = 0;
        CHECK(t, kin_forces_system(&cluster, matrix, offset, &arena));
        for (int k = 0; k < TOWER_ROWS; ++k) most = kin_max(most, kin_abs(offset[k]));
        solve(t, &s, KIN_FORCE_BARAFF);
        for (int k = 0; k < TOWER_ROWS; ++k) pushes = kin_max(pushes, kin_abs(s.out[k]));
        if (s.report.unsolved) {
            NEAR(t, pushes, 0, 0);
            EQUAL(t, s.report.handed, 0);
        } else if (s.report.handed == 0) {
            CHECK(t, s.report.lcp.residual <= 0.01 * most);
        }
        unsolved += s.report.unsolved;
        kin_arena_reset(&arena);
    }
    CHECK(t, unsolved > 0);
    kin_arena_term(&arena);
}

/* It ends with the round in which the limit is passed: a linear system through the blocks of ten bodies, (6 10)^3 / 3 products at 40 a visit, refined eight times,
 * six visits of a row each, and what was found put into all rows; the rows were made before, ten visits each. */
static void work_is_bounded(test* t)
{
    const int64_t limit = 5000, round = 60 * 60 * 60 / 3 / 40 + (8 * 6 + 10) * TOWER_ROWS, rows = 10 * TOWER_ROWS;
    int64_t most = 0;
    kin_arena arena;
    kin_arena_init(&arena, &t->allocator);
    for (uint64_t i = 0; i < 10; ++i) {
        dice d = {.key = {.seed = 36, .serial = i}};
        static scene s;
        wild_tower(&d, &s);
        kin_force_cluster cluster = scene_cluster(&s, KIN_FORCE_BARAFF);
        cluster.enough = 1e-3;
        kin_force_report free = kin_forces_find(&cluster, s.out, NULL, NULL, NULL, &arena);
        cluster.most_work = limit;
        kin_force_report bound = kin_forces_find(&cluster, s.out, NULL, NULL, NULL, &arena);
        test_check(t, bound.work <= limit + round + rows, __FILE__, __LINE__, "%lld visits", (long long)bound.work);
        most = free.work > most ? free.work : most;
        kin_arena_reset(&arena);
    }
    CHECK(t, most > 4 * (limit + round + rows));
    kin_arena_term(&arena);
}

static bool solved(test* t, void* context)
{
    kin_arena scratch;
    kin_arena_init(&scratch, &t->allocator);
    scene* s = context;
    scene_solve(s, KIN_FORCE_BARAFF, &scratch);
    kin_arena_term(&scratch);
    return s->report.lcp.status != KIN_LCP_MEMORY;
}

static void memory_may_fail(test* t)
{
    scene s = {.count = 0};
    scene_add(&s, box_of(3, kin_v(1, 1, 1), kin_v(0, 0.5, 0)));
    scene_corners(&s, 0, KIN_NO_BODY, kin_v(0, 0, 0), 1, 0.5);
    test_fail_each_allocation(t, solved, &s);
}

/* A particle on a surface with a grain: sliding friction is the point of the ellipse (mu_t, mu_k) that dissipates most, whatever the method; at rest what it holds
 * along a pull is the ellipse's radius there. */
static void grain_is_an_ellipse(test* t)
{
    static const kin_force_method ways[] = {KIN_FORCE_BARAFF, KIN_FORCE_LEMKE, KIN_FORCE_KOKKEVIS};
    for (uint64_t i = 0; i < 60; ++i) {
        dice d = {.key = {.seed = 47, .serial = i}};
        const kin_vec3 n = {0, 1, 0}, along = kin_cross(n, kin_normalize_or(kin_v(roll(&d, -1, 1), 0, roll(&d, 0.1, 1)), n)), beside = kin_cross(n, along);
        const double mu[2] = {roll(&d, 0.1, 0.9), roll(&d, 0.1, 0.9)}, a = roll(&d, 0, 6.28), s[2] = {kin_cos(a), kin_sin(a)};
        const double size = kin_sqrt(kin_square(mu[0] * s[0]) + kin_square(mu[1] * s[1])),
                     holds = mu[0] * mu[1] / kin_sqrt(kin_square(s[0] * mu[1]) + kin_square(s[1] * mu[0]));
        const kin_vec3 way = kin_add_scaled(kin_scale(along, s[0]), s[1], beside);
        for (int k = 0; k < 9; ++k) {
            const bool slides = k < 3, above = k < 6; /* slides; is pulled loose; holds */
            scene q = {.count = 0};
            kin_vec3 fast = slides ? kin_scale(way, roll(&d, 1, 3)) : kin_v(0, 0, 0);
            scene_add(&q, point_of(1.5, kin_v(0, 0, 0), fast));
            kin_touching* c = scene_touch(&q, 0, KIN_NO_BODY, kin_v(0, 0, 0), n, 0.3);
            c->tangent = along;
            for (int m = 0; m < 2; ++m) c->mu_static[m] = c->mu_dynamic[m] = mu[m];
            kin_vec3 pull = slides ? kin_v(0, 0, 0) : kin_scale(way, GRAVITY * holds * (above ? 1.05 : 0.95)), want = {0, 0, 0};
            q.force[0] = kin_add_scaled(q.force[0], 1.5, pull);
            if (slides) want = kin_add_scaled(kin_scale(along, -GRAVITY * mu[0] * mu[0] * s[0] / size), -GRAVITY * mu[1] * mu[1] * s[1] / size, beside);
            if (!slides && above) want = kin_scale(way, 0.05 * GRAVITY * holds); /* along the pull, until it slides */
            solve(t, &q, ways[k % 3]);
            NEAR3(t, q.linear[0], want, 1e-9);
        }
    }
}

TEST_MAIN("contact/force", TEST(table_carries_the_weight), TEST(stack_carries_what_is_above), TEST(pyramids_by_quick_systems), TEST(incline_holds_up_to_mu),
          TEST(friction_answers_a_push), TEST(sliding_friction_opposes_slip), TEST(lemke_stops_in_one_step), TEST(painleve_rod_is_handed_over),
          TEST(groove_presses_by_its_angle), TEST(two_coupled_contacts), TEST(matrix_is_what_forces_do), TEST(heaps_by_all_solvers),
          TEST(order_does_not_matter), TEST(jointed_rod_rests), TEST(box_and_chain_rest), TEST(swinging_rod_pulls), TEST(limits_push_one_way),
          TEST(particle_on_free_plate), TEST(marble_stays_on_turning_face), TEST(nothing_and_nonsense_are_survived), TEST(wild_friction_is_survived),
          TEST(what_is_not_found_is_told), TEST(work_is_bounded), TEST(grain_is_an_ellipse), TEST(memory_may_fail))
