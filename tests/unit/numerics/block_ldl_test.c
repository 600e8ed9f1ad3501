/* block_ldl_test.c - joints in trees and loops against dense factors; redundant rows; the texts' eight joints (C5.4) and the planar four-bar. */
#include "numerics/block_ldl.h"
#include "joint_graph.h"
#include "math/scalar.h"
#include "numerics/dense.h"
#include "support/test.h"

static joint_graph graph; /* too large for the stack, as are: */
static double dense[GRAPH_ROWS * GRAPH_ROWS], basis[GRAPH_ROWS * GRAPH_ROWS];

typedef struct rig {
    kin_arena arena, scratch;
    kin_block_ldl ldl;
} rig;

static void rig_build(test* t, rig* r, joint_graph* g)
{
    kin_arena_init(&r->arena, &t->allocator);
    kin_arena_init(&r->scratch, &t->allocator);
    graph_link(g);
    CHECK(t, kin_block_ldl_analyse(g->joints, g->sizes, g->links, g->link, &r->arena, &r->scratch, &r->ldl));
    graph_fill(g, &r->ldl);
}

static void rig_end(rig* r)
{
    kin_arena_term(&r->arena);
    kin_arena_term(&r->scratch);
}

static double largest_of(int n, const double* x)
{
    double most = 0;
    for (int i = 0; i < n; ++i) most = kin_max(most, kin_abs(x[i]));
    return most;
}

/* |b - A x| of (|A| |x| + |b|), over all rows: what a stable method keeps near rounding whatever the condition. */
static double backward_error(const kin_block_ldl* l, const double* b, const double* x)
{
    static double ax[GRAPH_ROWS];
    kin_block_ldl_multiply(l, x, ax);
    double miss = 0, size = largest_of(l->rows, b) + largest_of(l->numbers, l->matrix) * largest_of(l->rows, x);
    for (int i = 0; i < l->rows; ++i) miss = kin_max(miss, kin_abs(b[i] - ax[i]));
    return size > 0 ? miss / size : miss;
}

/* Every body hangs on a random earlier one, stars among them; some trees are fixed to the world. */
static void grow_tree(joint_graph* g, int bodies, bool star)
{
    g->bodies = g->joints = 0;
    for (int i = 0; i < bodies; ++i) {
        graph_add_body(g, graph_random(g, 0.5, 2));
        int parent = star ? graph_choice(g, 2) : graph_choice(g, i);
        if (parent >= i) parent = i - 1;
        if (i > 0 || graph_choice(g, 2)) graph_random_rows(g, graph_add_joint(g, 1 + graph_choice(g, 6), i, parent));
    }
}

static void compare_with_dense(test* t, const joint_graph* g, kin_block_ldl* l)
{
    static double x[GRAPH_ROWS], want[GRAPH_ROWS];
    kin_block_report report = kin_block_ldl_factor(l, KIN_BLOCK_TOLERANCE);
    CHECK(t, report.finite);
    EQUAL(t, report.dropped, 0);
    graph_dense(g, l, dense);
    for (int i = 0; i < l->rows; ++i) x[i] = want[i] = kin_rng_uniform(&g->key, (uint32_t)i, -1, 1);
    CHECK(t, kin_ldlt_factor(l->rows, dense));
    kin_ldlt_solve(l->rows, dense, want);
    static double b[GRAPH_ROWS];
    memcpy(b, x, sizeof b);
    NEAR(t, kin_block_ldl_solve(l, 1, x), 0, 0);
    NEAR(t, backward_error(l, b, x), 0, 1e-15 * l->rows);
    double scale = largest_of(l->rows, want);
    for (int i = 0; i < l->rows; ++i) NEAR(t, x[i], want[i], 1e-13 * scale / report.least);
}

static void trees_do_not_fill(test* t)
{
    graph = (joint_graph){.key = {.seed = 5}};
    for (int trial = 0; trial < 60; ++trial) {
        rig r;
        grow_tree(&graph, 2 + trial % 40, trial % 3 == 0);
        rig_build(t, &r, &graph);
        EQUAL(t, r.ldl.fill, 0);
        EQUAL(t, r.ldl.blocks, graph.links);
        compare_with_dense(t, &graph, &r.ldl);
        rig_end(&r);
    }
}

/* Bodies with two or three joints: products grow with the number of joints and no faster. */
static void chains_are_linear(test* t)
{
    for (int n = 10; n <= 10000; n *= 10) {
        kin_arena arena, scratch;
        kin_block_ldl l;
        kin_arena_init(&arena, &t->allocator);
        kin_arena_init(&scratch, &t->allocator);
        int* sizes = kin_arena_take(&scratch, (size_t)n * sizeof *sizes);
        kin_block_link* links = kin_arena_take(&scratch, 3 * (size_t)n * sizeof *links);
        for (int i = 0; i < n; ++i) sizes[i] = 3;
        for (int i = 1; i < n; ++i) links[i - 1] = (kin_block_link){i - 1, i};
        CHECK(t, kin_block_ldl_analyse(n, sizes, n - 1, links, &arena, &scratch, &l));
        EQUAL(t, l.fill, 0);
        EQUAL(t, l.updates, n - 1);
        EQUAL(t, l.numbers, 9 * (2 * n - 1));
        int count = 0; /* a binary tree of bodies: joint i meets joints 2i + 1 and 2i + 2 at its far body, and these meet each other */
        for (int i = 1; i < n; ++i) {
            links[count++] = (kin_block_link){i, (i - 1) / 2};
            if (i % 2 == 0) links[count++] = (kin_block_link){i, i - 1};
        }
        CHECK(t, kin_block_ldl_analyse(n, sizes, count, links, &arena, &scratch, &l));
        EQUAL(t, l.fill, 0);
        CHECK(t, l.updates <= 3 * n);
        kin_arena_term(&scratch);
        kin_arena_term(&arena);
    }
}

/* Joints of few rows, so that all of them stay independent with loops. */
static void loops_agree_with_dense(test* t)
{
    graph = (joint_graph){.key = {.seed = 6}};
    int filled = 0;
    for (int trial = 0; trial < 60; ++trial) {
        rig r;
        int bodies = 3 + trial % 20;
        graph.bodies = graph.joints = 0;
        for (int i = 0; i < bodies; ++i) graph_add_body(&graph, graph_random(&graph, 0.5, 2));
        for (int i = 0; i < bodies + bodies / 3; ++i) {
            int a = i < bodies ? i : graph_choice(&graph, bodies), b = i < bodies ? (i + 1) % bodies : graph_choice(&graph, bodies);
            if (a != b) graph_random_rows(&graph, graph_add_joint(&graph, 1 + graph_choice(&graph, 3), a, b));
        }
        rig_build(t, &r, &graph);
        filled += r.ldl.fill > 0;
        compare_with_dense(t, &graph, &r.ldl);
        rig_end(&r);
    }
    CHECK(t, filled > 20);
}

/* A ring of n nodes needs n - 3 more links, and no order does with less. */
static void a_ring_fills_least(test* t)
{
    kin_arena arena;
    kin_arena_init(&arena, &t->allocator);
    for (int n = 3; n < 30; ++n) {
        kin_block_link links[60];
        kin_block_order order;
        for (int i = 0; i < n; ++i) links[i] = (kin_block_link){i, (i + 1) % n}, links[n + i] = (kin_block_link){(i + 1) % n, i};
        CHECK(t, kin_block_order_find(n, 2 * n, links, &arena, &order));
        EQUAL(t, order.links, n);
        EQUAL(t, order.met_count - order.links, n - 3);
    }
    kin_arena_term(&arena);
}

/* Light and heavy by turns, hung from the world at both ends: the pivots fall to a millionth. */
static void mass_ratios(test* t)
{
    static double x[GRAPH_ROWS], b[GRAPH_ROWS];
    for (int power = 1; power <= 6; ++power) {
        rig r;
        double heavy = kin_pow(10, power);
        graph = (joint_graph){.key = {.seed = 7}};
        for (int i = 0; i < 21; ++i) graph_add_body(&graph, i % 2 ? heavy : 1);
        for (int i = 0; i <= 21; ++i) graph_random_rows(&graph, graph_add_joint(&graph, i % 2 ? 5 : 3, i < 21 ? i : -1, i - 1));
        rig_build(t, &r, &graph);
        kin_block_report report = kin_block_ldl_factor(&r.ldl, KIN_BLOCK_TOLERANCE);
        EQUAL(t, report.dropped, 0);
        for (int i = 0; i < r.ldl.rows; ++i) x[i] = b[i] = graph_random(&graph, -1, 1);
        kin_block_ldl_solve(&r.ldl, 1, x);
        NEAR(t, backward_error(&r.ldl, b, x), 0, 1e-15);
        rig_end(&r);
    }
}

/* ---- joints with a meaning ---- */

/* Adds the rows of p1' - p2' = 0 for arms from the centres; `hinge`: and the same turning about x and y. */
static void graph_add_hinge(joint_graph* g, int a, kin_vec3 arm_a, int b, kin_vec3 arm_b, bool hinge)
{
    graph_joint* joint = graph_add_joint(g, hinge ? 5 : 3, a, b);
    for (int side = 0; side < 2; ++side) {
        kin_vec3 r = side ? arm_b : arm_a;
        double sign = side ? -1 : 1, cross[9] = {0, r.z, -r.y, -r.z, 0, r.x, r.y, -r.x, 0}; /* w x r */
        for (int i = 0; i < 9; ++i) {
            joint->j[side][i / 3 * 6 + i % 3] = i % 4 == 0 ? sign : 0;
            joint->j[side][i / 3 * 6 + 3 + i % 3] = sign * cross[i];
        }
        if (hinge) joint->j[side][3 * 6 + 3] = joint->j[side][4 * 6 + 4] = sign;
    }
}

static void add_plain_body(joint_graph* g, double mass, double inertia)
{
    graph_body* body = &g->body[g->bodies++];
    *body = (graph_body){{0}};
    for (int k = 0; k < 6; ++k) body->inverse[7 * k] = 1 / (k < 3 ? mass : inertia);
}

/* J^t x of every body, 6 numbers each. */
static void forces_of(const joint_graph* g, const kin_block_ldl* l, const double* x, double* f)
{
    memset(f, 0, 6 * (size_t)g->bodies * sizeof *f);
    for (int i = 0; i < g->joints; ++i) {
        for (int side = 0; side < 2; ++side) {
            int body = g->joint[i].body[side];
            for (int k = 0; k < 6 * g->sizes[i] && body >= 0; ++k) f[6 * body + k % 6] += g->joint[i].j[side][k] * x[l->first[i] + k / 6];
        }
    }
}

/* C5.4, figs. 5.1 and 5.8: a tail of two joints and a loop of six that meet at B3. Which body is the first of a joint gives the signs (decoded from the printed
 * matrix, whose columns are set in two halves). */
static void eight_bodies_eight_joints(test* t)
{
    static const int bodies[8][2] = {{1, 2}, {2, 3}, {3, 4}, {4, 5}, {6, 5}, {6, 7}, {8, 7}, {8, 3}};
    static const char* signs[8] = {"+-......", "-+-....+", ".-+-...-", "..-++...", "...+++..", "....+++.", ".....+++", ".+-...++"};
    rig r;
    graph = (joint_graph){.key = {.seed = 8}};
    for (int i = 0; i < 8; ++i) add_plain_body(&graph, 1 + i, 1);
    for (int i = 0; i < 8; ++i) {
        kin_vec3 arm = {0.1 * graph_random(&graph, -1, 1), 0.1 * graph_random(&graph, -1, 1), 0.1 * graph_random(&graph, -1, 1)};
        graph_add_hinge(&graph, bodies[i][0] - 1, arm, bodies[i][1] - 1, (kin_vec3){-arm.y, arm.z, arm.x}, false);
    }
    rig_build(t, &r, &graph);
    for (int i = 0; i < 8; ++i) {
        for (int j = 0; j < 8; ++j) {
            double block[36];
            graph_block(&graph, i, j, block);
            double trace = block[0] + block[4] + block[8];
            char sign = trace > 0 ? '+' : trace < 0 ? '-' : '.';
            EQUAL(t, sign, signs[i][j]);
            if (sign != '.') CHECK(t, kin_block_ldl_slot(&r.ldl, i, j).begin >= 0);
        }
    }
    EQUAL(t, graph.links, 9); /* the eight bodies' pairs, and three at B3 for one */
    EQUAL(t, r.ldl.fill, 3);  /* the loop of six */
    EQUAL(t, kin_block_ldl_slot(&r.ldl, 0, 7).begin, -1);
    compare_with_dense(t, &graph, &r.ldl);
    rig_end(&r);
}

/* Twenty rods of 1 kg and a ball on ball joints, straight down: joint i carries what hangs below it, to rounding times the mass ratio at worst. */
static void hanging_chain(test* t)
{
    for (int power = 0; power <= 6; ++power) {
        rig r;
        double x[63] = {0}, ball = kin_pow(10, power);
        graph = (joint_graph){0};
        for (int i = 0; i < 20; ++i) add_plain_body(&graph, 1, 1.0 / 12);
        add_plain_body(&graph, ball, 0.1 * ball);
        for (int i = 0; i <= 20; ++i) graph_add_hinge(&graph, i, (kin_vec3){0, 0.5, 0}, i - 1, (kin_vec3){0, -0.5, 0}, false);
        rig_build(t, &r, &graph);
        EQUAL(t, kin_block_ldl_factor(&r.ldl, KIN_BLOCK_TOLERANCE).dropped, 0);
        x[1] = 9.81; /* A F = -J M^-1 m g: all fall alike but for the anchor */
        kin_block_ldl_solve(&r.ldl, 1, x);
        for (int i = 0; i <= 20; ++i) NEAR(t, x[3 * i + 1] / (9.81 * (ball + 20 - i)), 1, 1e-14 * (10 + ball));
        rig_end(&r);
    }
}

/* N5: a rod at rest on a ball joint with its like, struck across its free end by P: P / 4 goes through the joint. N4: a rod hinged at one end and let go level:
 * the hinge carries a quarter of its weight. */
static void rods_in_closed_form(test* t)
{
    rig r;
    double mass = 2, length = 1.5, inertia = mass * length * length / 12, strike = 3, b[5] = {0}, f[12];
    graph = (joint_graph){0};
    for (int i = 0; i < 2; ++i) add_plain_body(&graph, mass, inertia);
    graph_add_hinge(&graph, 0, (kin_vec3){length / 2, 0, 0}, 1, (kin_vec3){-length / 2, 0, 0}, false);
    rig_build(t, &r, &graph);
    double v = strike / mass, w = -length / 2 * strike / inertia; /* of the first rod without the joint */
    b[1] = -(v + w * length / 2);
    kin_block_ldl_factor(&r.ldl, KIN_BLOCK_TOLERANCE);
    kin_block_ldl_solve(&r.ldl, 1, b);
    forces_of(&graph, &r.ldl, b, f);
    NEAR(t, b[1], strike / 4, 1e-14);
    NEAR(t, v + f[1] / mass, 5 * strike / (4 * mass), 1e-14);
    NEAR(t, f[7] / mass, -strike / (4 * mass), 1e-14);
    NEAR(t, w + f[5] / inertia, -9 * strike / (2 * mass * length), 1e-13);
    NEAR(t, f[11] / inertia, 3 * strike / (2 * mass * length), 1e-13);
    rig_end(&r);
    graph = (joint_graph){0};
    add_plain_body(&graph, mass, inertia);
    graph_add_hinge(&graph, 0, (kin_vec3){-length / 2, 0, 0}, -1, (kin_vec3){0, 0, 0}, true);
    rig_build(t, &r, &graph);
    kin_block_ldl_factor(&r.ldl, KIN_BLOCK_TOLERANCE);
    memset(b, 0, sizeof b);
    b[1] = 9.81;
    kin_block_ldl_solve(&r.ldl, 1, b);
    forces_of(&graph, &r.ldl, b, f);
    NEAR(t, f[1], mass * 9.81 / 4, 1e-13);
    NEAR(t, f[5] / inertia, -3 * 9.81 / (2 * length), 1e-13);
    rig_end(&r);
}

/* Three bars and the ground, four hinges about z: 20 rows on 18 freedoms that leave one, so 3 rows are redundant. */
static void build_four_bar(test* t, rig* r)
{
    kin_vec3 pin[4] = {{0, 0, 0}, {0.4, 1, 0}, {2.3, 1.6, 0}, {3, 0, 0}}, centre[3];
    graph = (joint_graph){.key = {.seed = 9}};
    for (int i = 0; i < 3; ++i) {
        add_plain_body(&graph, 1 + 2 * i, 0.3 + i);
        centre[i] = (kin_vec3){0.5 * (pin[i].x + pin[i + 1].x), 0.5 * (pin[i].y + pin[i + 1].y), 0};
    }
    for (int i = 0; i < 4; ++i) {
        kin_vec3 a = i < 3 ? (kin_vec3){pin[i].x - centre[i].x, pin[i].y - centre[i].y, 0} : (kin_vec3){0, 0, 0};
        kin_vec3 b = i > 0 ? (kin_vec3){pin[i].x - centre[i - 1].x, pin[i].y - centre[i - 1].y, 0} : (kin_vec3){0, 0, 0};
        graph_add_hinge(&graph, i < 3 ? i : -1, a, i - 1, b, true);
    }
    rig_build(t, r, &graph);
}

static void four_bar_drops_three_rows(test* t)
{
    rig r;
    double b[20] = {0}, x[20], least[20], ax[20], f[18], g[18];
    build_four_bar(t, &r);
    kin_block_report report = kin_block_ldl_factor(&r.ldl, KIN_BLOCK_TOLERANCE);
    EQUAL(t, r.ldl.rows, 20);
    EQUAL(t, report.dropped, 3);
    EQUAL(t, report.negative, 0);
    CHECK(t, report.least > 1e-4);
    for (int i = 0; i < 4; ++i) { /* b = J v for a motion v: consistent */
        for (int side = 0; side < 2; ++side) {
            int body = graph.joint[i].body[side];
            for (int k = 0; k < 30 && body >= 0; ++k) b[5 * i + k / 6] += graph.joint[i].j[side][k] * kin_sin(6 * body + k % 6);
        }
    }
    memcpy(x, b, sizeof x);
    memcpy(least, b, sizeof x);
    NEAR(t, kin_block_ldl_solve(&r.ldl, 1, x), 0, 1e-13);
    kin_block_ldl_multiply(&r.ldl, x, ax);
    for (int i = 0; i < 20; ++i) NEAR(t, ax[i], b[i], 1e-13);
    for (int i = 0; i < 3; ++i) NEAR(t, x[r.ldl.dropped[i]], 0, 0);
    kin_block_ldl_null(&r.ldl, basis);
    NEAR(t, kin_block_ldl_solve_least(&r.ldl, basis, least), 0, 1e-13);
    forces_of(&graph, &r.ldl, x, f);
    forces_of(&graph, &r.ldl, least, g);
    double norm_x = 0, norm_least = 0;
    for (int i = 0; i < 18; ++i) NEAR(t, g[i], f[i], 1e-12);
    for (int i = 0; i < 20; ++i) norm_x += x[i] * x[i], norm_least += least[i] * least[i];
    CHECK(t, norm_least <= norm_x * (1 + 1e-12));
    rig_end(&r);
}

/* A random turn of space: three columns. */
static void random_turn(joint_graph* g, kin_vec3 axis[3])
{
    double q[4], square = 0;
    for (int i = 0; i < 4; ++i) q[i] = graph_random(g, -1, 1), square += q[i] * q[i];
    double s = 2 / square, w = q[0], x = q[1], y = q[2], z = q[3];
    axis[0] = (kin_vec3){1 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y)};
    axis[1] = (kin_vec3){s * (x * y - w * z), 1 - s * (x * x + z * z), s * (y * z + w * x)};
    axis[2] = (kin_vec3){s * (x * z + w * y), s * (y * z - w * x), 1 - s * (x * x + y * y)};
}

/* Bars in a random closed polygon of n hinges, in a random plane, 1 kg and heavy ones mixed: three redundant rows, whatever rounding makes of them. */
static void build_polygon(joint_graph* g, int n, double heavy)
{
    kin_vec3 axis[3], pin[GRAPH_MOST];
    random_turn(g, axis);
    g->bodies = g->joints = 0;
    for (int i = 0; i < n; ++i) {
        double u = graph_random(g, -1, 1) + kin_cos(2 * KIN_PI * i / n), v = graph_random(g, -1, 1) + kin_sin(2 * KIN_PI * i / n);
        pin[i] = (kin_vec3){u * axis[0].x + v * axis[1].x, u * axis[0].y + v * axis[1].y, u * axis[0].z + v * axis[1].z};
        double mass = graph_choice(g, 2) ? 1 : heavy;
        if (i < n - 1) add_plain_body(g, mass, 0.1 * mass);
    }
    for (int i = 0; i < n; ++i) {
        kin_vec3 arm[2] = {{0, 0, 0}, {0, 0, 0}};
        int body[2] = {i < n - 1 ? i : -1, i - 1};
        for (int side = 0; side < 2; ++side) {
            if (body[side] < 0) continue;
            const kin_vec3 *a = &pin[body[side]], *b = &pin[body[side] + 1];
            arm[side] = (kin_vec3){pin[i].x - 0.5 * (a->x + b->x), pin[i].y - 0.5 * (a->y + b->y), pin[i].z - 0.5 * (a->z + b->z)};
        }
        graph_add_hinge(g, body[0], arm[0], body[1], arm[1], true);
        for (int k = 0; k < 4; ++k) { /* the hinge's axis is that of the plane */
            double* row = g->joint[i].j[k % 2] + (3 + k / 2) * 6 + 3;
            double sign = k % 2 ? -1 : 1;
            row[0] = sign * axis[k / 2].x, row[1] = sign * axis[k / 2].y, row[2] = sign * axis[k / 2].z;
        }
    }
}

static void polygons_drop_three_rows(test* t)
{
    graph = (joint_graph){.key = {.seed = 12}};
    for (int n = 4; n <= 36; n *= 3) {
        for (int trial = 0; trial < 60; ++trial) {
            rig r;
            build_polygon(&graph, n, kin_pow(10, 2 * (trial % 4)));
            rig_build(t, &r, &graph);
            kin_block_report report = kin_block_ldl_factor(&r.ldl, KIN_BLOCK_TOLERANCE);
            EQUAL(t, report.dropped, 3);
            EQUAL(t, report.negative, 0);
            rig_end(&r);
        }
    }
}

/* Pull the loop apart: kept rows hold, the dropped ones miss by what solve says, and the least squares miss A e = 0 is smaller. */
static void contradictions_are_told(test* t)
{
    rig r;
    double b[20], x[20], ax[20], miss[20], turned[20], most = 0, square = 0, square_kept = 0;
    build_four_bar(t, &r);
    kin_block_ldl_factor(&r.ldl, KIN_BLOCK_TOLERANCE);
    for (int i = 0; i < 20; ++i) x[i] = b[i] = graph_random(&graph, -1, 1);
    double told = kin_block_ldl_solve(&r.ldl, 1, x);
    kin_block_ldl_multiply(&r.ldl, x, ax);
    for (int i = 0; i < 20; ++i) {
        bool dropped = r.ldl.inverse[i] == 0;
        if (dropped)
            most = kin_max(most, kin_abs(b[i] - ax[i]));
        else
            NEAR(t, ax[i], b[i], 1e-13);
        square_kept += kin_square(b[i] - ax[i]);
    }
    CHECK(t, told > 0.1);
    NEAR(t, told, most, 1e-13);
    kin_block_ldl_null(&r.ldl, basis);
    memcpy(x, b, sizeof x);
    told = kin_block_ldl_solve_least(&r.ldl, basis, x);
    kin_block_ldl_multiply(&r.ldl, x, ax);
    for (int i = 0; i < 20; ++i) miss[i] = b[i] - ax[i], square += miss[i] * miss[i];
    NEAR(t, told, kin_sqrt(square), 1e-13);
    CHECK(t, square < square_kept);
    kin_block_ldl_multiply(&r.ldl, miss, turned);
    NEAR(t, largest_of(20, turned), 0, 1e-13);
    for (int k = 0; k < 3; ++k) {
        double along = 0;
        for (int i = 0; i < 20; ++i) along += basis[20 * k + i] * x[i];
        NEAR(t, along, 0, 1e-12);
    }
    rig_end(&r);
}

/* With compliance c nothing depends on anything: x tends to the pseudo-inverse's as c falls, by as much as c. */
static void compliance_regularizes(test* t)
{
    rig r;
    double want[20], last = 0;
    build_four_bar(t, &r);
    graph_dense(&graph, &r.ldl, dense);
    for (int i = 0; i < 20; ++i) want[i] = dense[20 * i + 3] - dense[20 * i + 11]; /* in the column space */
    kin_block_ldl_factor(&r.ldl, KIN_BLOCK_TOLERANCE);
    kin_block_ldl_null(&r.ldl, basis);
    kin_block_ldl_solve_least(&r.ldl, basis, want);
    for (int power = 4; power <= 6; ++power) {
        double x[20], far = 0;
        for (int i = 0; i < 20; ++i) {
            r.ldl.compliance[i] = kin_pow(10, -power);
            x[i] = dense[20 * i + 3] - dense[20 * i + 11];
        }
        EQUAL(t, kin_block_ldl_factor(&r.ldl, KIN_BLOCK_TOLERANCE).dropped, 0);
        kin_block_ldl_solve(&r.ldl, 1, x);
        for (int i = 0; i < 20; ++i) far = kin_max(far, kin_abs(x[i] - want[i]));
        if (power > 4) NEAR(t, last / far, 10, 0.5);
        last = far;
    }
    rig_end(&r);
}

/* ---- a few columns ---- */

static void paths_give_what_the_whole_gives(test* t)
{
    static double whole[3 * GRAPH_ROWS], part[3 * GRAPH_ROWS], half[3 * GRAPH_ROWS];
    int path[GRAPH_MOST], shorter = 0;
    graph = (joint_graph){.key = {.seed = 11}};
    for (int trial = 0; trial < 20; ++trial) {
        rig r;
        grow_tree(&graph, 20 + trial, false);
        rig_build(t, &r, &graph);
        int n = r.ldl.rows, nodes[3];
        kin_block_ldl_factor(&r.ldl, KIN_BLOCK_TOLERANCE);
        for (int i = 0; i < 3 * n; ++i) whole[i] = 0;
        for (int i = 0; i < 3; ++i) {
            nodes[i] = graph_choice(&graph, graph.joints);
            for (int k = r.ldl.first[nodes[i]]; k < r.ldl.first[nodes[i] + 1]; ++k) whole[i * n + k] = graph_random(&graph, -1, 1);
        }
        memcpy(part, whole, sizeof part);
        memcpy(half, whole, sizeof half);
        static double b[3 * GRAPH_ROWS];
        memcpy(b, whole, sizeof b);
        int length = kin_block_ldl_path(&r.ldl, 3, nodes, path);
        shorter += length < graph.joints / 2;
        kin_block_ldl_solve(&r.ldl, 3, whole);
        kin_block_ldl_solve_path(&r.ldl, length, path, 3, part);
        kin_block_ldl_half_path(&r.ldl, length, path, 3, half);
        bool on[GRAPH_MOST] = {false};
        for (int i = 0; i < length; ++i) on[r.ldl.node[path[i]]] = true;
        for (int i = 0; i < 3; ++i) CHECK(t, on[nodes[i]]);
        for (int node = 0; node < graph.joints; ++node) {
            for (int k = r.ldl.first[node]; k < r.ldl.first[node + 1]; ++k) {
                for (int i = 0; i < 3; ++i) NEAR(t, part[i * n + k], on[node] ? whole[i * n + k] : 0, 0); /* bit for bit */
            }
        }
        for (int i = 0; i < 9; ++i) {
            double form = 0, product = 0;
            for (int k = 0; k < n; ++k) form += b[i / 3 * n + k] * whole[i % 3 * n + k], product += half[i / 3 * n + k] * half[i % 3 * n + k];
            NEAR(t, product, form, 1e-10 * (1 + kin_abs(form)));
        }
        rig_end(&r);
    }
    CHECK(t, shorter > 10);
}

static void columns_do_not_mix(test* t)
{
    rig r;
    double one[2][20], both[40];
    build_four_bar(t, &r);
    kin_block_ldl_factor(&r.ldl, KIN_BLOCK_TOLERANCE);
    uint64_t before = t->allocations;
    for (int i = 0; i < 40; ++i) both[i] = one[i / 20][i % 20] = kin_cos(i);
    double most = kin_max(kin_block_ldl_solve(&r.ldl, 1, one[0]), kin_block_ldl_solve(&r.ldl, 1, one[1]));
    NEAR(t, kin_block_ldl_solve(&r.ldl, 2, both), most, 0);
    for (int i = 0; i < 40; ++i) NEAR(t, both[i], one[i / 20][i % 20], 0);
    kin_block_ldl_factor(&r.ldl, KIN_BLOCK_TOLERANCE);
    EQUAL(t, t->allocations, before);
    rig_end(&r);
}

/* ---- bad numbers, no room ---- */

static void bad_matrices_are_told(test* t)
{
    rig r;
    double block[9] = {4, 0, 0, 1, 4, 0, 1, 1, 4}, x[6] = {1, 1, 1, 1, 1, 1};
    graph = (joint_graph){0};
    for (int i = 0; i < 3; ++i) graph_add_body(&graph, 1);
    for (int i = 0; i < 2; ++i) graph_add_joint(&graph, 3, i, i + 1);
    rig_build(t, &r, &graph);
    kin_block_slot first = kin_block_ldl_slot(&r.ldl, 0, 0), second = kin_block_ldl_slot(&r.ldl, 1, 1), both = kin_block_ldl_slot(&r.ldl, 0, 1);
    kin_block_report report = kin_block_ldl_factor(&r.ldl, KIN_BLOCK_TOLERANCE); /* joints without rows' numbers: all zero */
    EQUAL(t, report.dropped, 6);
    NEAR(t, kin_block_ldl_solve(&r.ldl, 1, x), 1, 0);
    for (int i = 0; i < 6; ++i) NEAR(t, x[i], 0, 0);
    kin_block_ldl_add(&r.ldl, first, block);
    kin_block_ldl_add(&r.ldl, second, block);
    EQUAL(t, kin_block_ldl_factor(&r.ldl, KIN_BLOCK_TOLERANCE).dropped, 0);
    for (int i = 0; i < 9; ++i) block[i] = i % 4 == 0 ? 5 : 0; /* larger than the diagonal */
    kin_block_ldl_add(&r.ldl, both, block);
    report = kin_block_ldl_factor(&r.ldl, KIN_BLOCK_TOLERANCE);
    CHECK(t, report.finite && report.dropped > 0 && report.negative > 0);
    for (int i = 0; i < 9; ++i) {
        double bad[9] = {0};
        bad[i] = i % 2 ? __builtin_nan("") : __builtin_inf();
        kin_block_ldl_clear(&r.ldl);
        kin_block_ldl_add(&r.ldl, first, (double[]){4, 0, 0, 1, 4, 0, 1, 1, 4});
        kin_block_ldl_add(&r.ldl, second, (double[]){4, 0, 0, 1, 4, 0, 1, 1, 4});
        CHECK(t, kin_block_ldl_factor(&r.ldl, KIN_BLOCK_TOLERANCE).finite);
        kin_block_ldl_add(&r.ldl, both, bad);
        CHECK(t, !kin_block_ldl_factor(&r.ldl, KIN_BLOCK_TOLERANCE).finite);
    }
    rig_end(&r);
}

static bool analyse_ring(test* t, void* context)
{
    (void)context;
    kin_arena arena, scratch;
    kin_block_ldl l;
    int sizes[40];
    kin_block_link links[60];
    for (int i = 0; i < 40; ++i) sizes[i] = 1 + i % 6, links[i] = (kin_block_link){i, (i + 1) % 40};
    for (int i = 40; i < 60; ++i) links[i] = (kin_block_link){i - 40, (7 * i) % 40};
    kin_arena_init(&arena, &t->allocator);
    kin_arena_init(&scratch, &t->allocator);
    bool done = kin_block_ldl_analyse(40, sizes, 60, links, &arena, &scratch, &l);
    kin_arena_term(&scratch);
    kin_arena_term(&arena);
    return done;
}

static void no_room(test* t) { test_fail_each_allocation(t, analyse_ring, NULL); }

static void nothing_at_all(test* t)
{
    rig r;
    graph = (joint_graph){0};
    rig_build(t, &r, &graph);
    EQUAL(t, kin_block_ldl_factor(&r.ldl, KIN_BLOCK_TOLERANCE).dropped, 0);
    NEAR(t, kin_block_ldl_solve(&r.ldl, 1, basis), 0, 0);
    rig_end(&r);
}

TEST_MAIN("block_ldl", TEST(trees_do_not_fill), TEST(chains_are_linear), TEST(loops_agree_with_dense), TEST(a_ring_fills_least), TEST(mass_ratios),
          TEST(eight_bodies_eight_joints), TEST(hanging_chain), TEST(rods_in_closed_form), TEST(four_bar_drops_three_rows), TEST(polygons_drop_three_rows),
          TEST(contradictions_are_told), TEST(compliance_regularizes), TEST(paths_give_what_the_whole_gives), TEST(columns_do_not_mix),
          TEST(bad_matrices_are_told), TEST(no_room), TEST(nothing_at_all))
