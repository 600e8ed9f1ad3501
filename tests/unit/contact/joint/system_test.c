/* system_test.c - joints solved at once: against a dense factor, C'' = 0 and C' = 0 after it, momenta kept, the four-bar, the texts' eight joints (C5.4). */
#include "contact/joint/system.h"
#include "joint_rig.h"
#include "numerics/dense.h"
#include <string.h>

enum { BODIES = 8, NODES = 12, ROWS = NODES * KIN_BLOCK_MOST };

typedef struct net {
    joint_rig rig; /* random numbers */
    kin_body body[BODIES];
    int bodies, nodes, rows;
    kin_joint joint[NODES];
    kin_joint_node node[NODES];
    kin_joint_row row[ROWS];
    kin_vec3 force[BODIES], torque[BODIES];
    kin_arena arena, scratch;
    kin_joint_system system;
} net;

static void net_begin(test* t, net* n, int bodies, uint64_t serial)
{
    *n = (net){.rig = {.key = {.seed = 900, .serial = serial}}, .bodies = bodies};
    for (int i = 0; i < bodies; ++i) {
        n->body[i] = rig_body(&n->rig);
        n->force[i] = rig_vector(&n->rig, 1);
        n->torque[i] = rig_vector(&n->rig, 1);
    }
    kin_arena_init(&n->arena, &t->allocator);
    kin_arena_init(&n->scratch, &t->allocator);
}
static void net_end(net* n)
{
    kin_arena_term(&n->arena);
    kin_arena_term(&n->scratch);
}

static void net_join(test* t, net* n, const kin_joint_def* d, uint32_t a, uint32_t b)
{
    kin_joint* j = &n->joint[n->nodes];
    CHECK(t, kin_joint_make(d, a, a == KIN_NO_BODY ? NULL : &n->body[a], b, b == KIN_NO_BODY ? NULL : &n->body[b], j, NULL) == KIN_OK);
    n->node[n->nodes++] = (kin_joint_node){a, b, kin_joint_hold_count(d->kind)};
}
static const kin_body* net_body(const net* n, uint32_t i) { return i == KIN_NO_BODY ? NULL : &n->body[i]; }
static void net_rows(net* n)
{
    n->rows = 0;
    for (int i = 0; i < n->nodes; ++i) n->rows += kin_joint_rows(&n->joint[i], net_body(n, n->node[i].a), net_body(n, n->node[i].b), -1e9, &n->row[n->rows]);
}
static kin_block_report net_solve(test* t, net* n)
{
    net_rows(n);
    CHECK(t, kin_joint_system_make(n->nodes, n->node, n->body, &n->arena, &n->scratch, &n->system));
    EQUAL(t, n->system.rows, n->rows);
    return kin_joint_system_fill(&n->system, n->body, n->row);
}

/* Accelerations under forces, those of joints among them. */
static void accelerations(const net* n, const kin_vec3* force, const kin_vec3* torque, kin_vec3* linear, kin_vec3* angular)
{
    for (int i = 0; i < n->bodies; ++i) {
        const kin_body* b = &n->body[i];
        linear[i] = kin_scale(force[i], b->inv_mass);
        angular[i] = kin_body_inv_inertia_times(b, kin_sub(torque[i], kin_cross(b->spin, kin_body_angular_momentum(b))));
    }
}
static double row_times(const net* n, const kin_joint_node* node, const kin_joint_row* r, const kin_vec3* linear, const kin_vec3* angular)
{
    double sum = 0;
    (void)n;
    if (node->a != KIN_NO_BODY) sum += kin_dot(r->linear_a, linear[node->a]) + kin_dot(r->angular_a, angular[node->a]);
    if (node->b != KIN_NO_BODY) sum += kin_dot(r->linear_b, linear[node->b]) + kin_dot(r->angular_b, angular[node->b]);
    return sum;
}

/* ---- trees of all kinds ---- */

static void grow(test* t, net* n, uint64_t serial, bool grounded)
{
    static const kin_joint_kind kinds[] = {KIN_JOINT_DISTANCE,    KIN_JOINT_BALL,  KIN_JOINT_HINGE, KIN_JOINT_SLIDER, KIN_JOINT_UNIVERSAL,
                                           KIN_JOINT_CYLINDRICAL, KIN_JOINT_FIXED, KIN_JOINT_WHEEL, KIN_JOINT_GEAR,   KIN_JOINT_PULLEY};
    net_begin(t, n, BODIES, serial);
    for (uint32_t i = grounded ? 0 : 1; i < BODIES; ++i) {
        kin_joint_def d = rig_def(&n->rig, kinds[(int)rig_number(&n->rig, 0, grounded ? 10 : 8)]);
        net_join(t, n, &d, i == 0 ? KIN_NO_BODY : (uint32_t)rig_number(&n->rig, 0, i), i);
    }
}

static void forces_hold_the_joints(test* t)
{
    for (uint64_t serial = 0; serial < 40; ++serial) {
        net n;
        grow(t, &n, serial, serial % 2 == 0);
        EQUAL(t, net_solve(t, &n).dropped, 0);
        double x[ROWS];
        NEAR(t, kin_joint_system_forces(&n.system, n.body, n.row, n.force, n.torque, NULL, x), 0, 0);
        kin_vec3 force[BODIES], torque[BODIES], linear[BODIES], angular[BODIES], sum = {0, 0, 0}, moment = {0, 0, 0};
        memcpy(force, n.force, sizeof force);
        memcpy(torque, n.torque, sizeof torque);
        kin_joint_system_load(&n.system, n.row, x, force, torque);
        accelerations(&n, force, torque, linear, angular);
        double size = 1;
        for (int r = 0; r < n.rows; ++r) size = kin_max(size, kin_abs(x[r]));
        for (int i = 0; i < n.nodes; ++i) {
            for (int r = n.system.ldl.first[i]; r < n.system.ldl.first[i + 1]; ++r) {
                NEAR(t, row_times(&n, &n.node[i], &n.row[r], linear, angular) + n.row[r].bias, 0, 1e-11 * size);
            }
        }
        for (int i = 0; i < BODIES && serial % 2 == 1; ++i) { /* only what came from outside counts in the sums */
            kin_vec3 f = kin_sub(force[i], n.force[i]);
            sum = kin_add(sum, f);
            moment = kin_add(moment, kin_add(kin_sub(torque[i], n.torque[i]), kin_cross(n.body[i].position, f)));
        }
        NEAR3(t, sum, kin_v(0, 0, 0), 1e-13 * size);
        NEAR3(t, moment, kin_v(0, 0, 0), 1e-13 * size);
        net_end(&n);
    }
}

static void impulses_hold_the_joints(test* t)
{
    for (uint64_t serial = 0; serial < 40; ++serial) {
        net n;
        grow(t, &n, 100 + serial, false);
        EQUAL(t, net_solve(t, &n).dropped, 0);
        double x[ROWS], wanted[ROWS] = {0};
        kin_vec3 before[2] = {{0}}, after[2] = {{0}};
        for (int i = 0; i < BODIES; ++i) {
            kin_vec3 p = kin_scale(n.body[i].velocity, n.body[i].mass);
            before[0] = kin_add(before[0], p);
            before[1] = kin_add(before[1], kin_add(kin_body_angular_momentum(&n.body[i]), kin_cross(n.body[i].position, p)));
        }
        wanted[0] = 0.25;
        kin_joint_system_impulses(&n.system, n.body, n.row, wanted, x);
        kin_joint_system_push(&n.system, x, n.body);
        for (int i = 0; i < n.nodes; ++i) {
            for (int r = n.system.ldl.first[i]; r < n.system.ldl.first[i + 1]; ++r) {
                NEAR(t, kin_joint_row_rate(&n.row[r], &n.body[n.node[i].a], &n.body[n.node[i].b]), wanted[r], 1e-11);
            }
        }
        for (int i = 0; i < BODIES; ++i) {
            kin_vec3 p = kin_scale(n.body[i].velocity, n.body[i].mass);
            after[0] = kin_add(after[0], p);
            after[1] = kin_add(after[1], kin_add(kin_body_angular_momentum(&n.body[i]), kin_cross(n.body[i].position, p)));
        }
        NEAR3(t, after[0], before[0], 1e-12);
        NEAR3(t, after[1], before[1], 1e-12);
        net_end(&n);
    }
}

static void compare_solutions(test* t, net* n, double* dense)
{
    double x[ROWS], y[ROWS], size = 1;
    kin_joint_system_forces(&n->system, n->body, n->row, n->force, n->torque, NULL, x);
    kin_block_ldl_multiply(&n->system.ldl, x, y); /* the right side again */
    CHECK(t, kin_ldlt_factor(n->rows, dense));
    kin_ldlt_solve(n->rows, dense, y);
    for (int r = 0; r < n->rows; ++r) size = kin_max(size, kin_abs(y[r]));
    for (int r = 0; r < n->rows; ++r) NEAR(t, x[r], y[r], 1e-9 * size);
}

/* The same numbers as J M^-1 J^t multiplied out, loops and double links (two joints between the same bodies) among them. */
static void blocks_match_a_dense_matrix(test* t)
{
    int compared = 0;
    for (uint64_t serial = 0; serial < 20; ++serial) {
        net n;
        grow(t, &n, 200 + serial, true);
        kin_joint_def d = rig_def(&n.rig, KIN_JOINT_DISTANCE);
        net_join(t, &n, &d, 7, 0);
        d = rig_def(&n.rig, KIN_JOINT_DISTANCE);
        net_join(t, &n, &d, 0, 7);
        compared += net_solve(t, &n).dropped == 0; /* fixed joints may leave nothing for two distances to hold */
        double dense[ROWS * ROWS], x[ROWS], y[ROWS], z[ROWS] = {0};
        int of[ROWS];
        for (int i = 0, r = 0; i < n.nodes; ++i)
            for (int k = 0; k < n.node[i].count; ++k) of[r++] = i;
        for (int q = 0; q < n.rows; ++q) { /* columns: what a unit of x_q does to all bodies, as all rows see it */
            kin_vec3 force[BODIES] = {{0}}, torque[BODIES] = {{0}};
            double unit[ROWS] = {0};
            unit[q] = 1;
            kin_joint_system_load(&n.system, n.row, unit, force, torque);
            for (int i = 0; i < BODIES; ++i) {
                force[i] = kin_scale(force[i], n.body[i].inv_mass);
                torque[i] = kin_body_inv_inertia_times(&n.body[i], torque[i]);
            }
            for (int p = 0; p < n.rows; ++p) dense[p * n.rows + q] = row_times(&n, &n.node[of[p]], &n.row[p], force, torque);
        }
        for (int r = 0; r < n.rows; ++r) x[r] = rig_number(&n.rig, -1, 1);
        kin_block_ldl_multiply(&n.system.ldl, x, y);
        for (int p = 0; p < n.rows; ++p) {
            for (int q = 0; q < n.rows; ++q) z[p] += dense[p * n.rows + q] * x[q];
            NEAR(t, y[p], z[p], 1e-11 * (1 + kin_abs(z[p])));
        }
        if (n.system.ldl.dropped_count == 0) compare_solutions(t, &n, dense);
        net_end(&n);
    }
    CHECK(t, compared > 10);
}

/* ---- loops ---- */

static kin_body bar(kin_vec3 from, kin_vec3 to, double mass)
{
    kin_vec3 along = kin_sub(to, from);
    double moment = mass * kin_length2(along) / 12;
    kin_body b = {.position = kin_lerp(from, to, 0.5), .mass = mass, .inv_mass = 1 / mass, .moments = {0.01 * moment, moment, moment}};
    b.orientation = kin_quat_between(kin_v(1, 0, 0), along);
    b.inv_moments = kin_v(1 / b.moments.x, 1 / b.moments.y, 1 / b.moments.z);
    return b;
}

/* Four hinges about z say three things twice. What is left moves as the planar linkage does: one freedom, whose acceleration from rest under gravity is
 * -sum(m g dy/da) / sum(m |dx/da|^2 + I (dth/da)^2) of the crank's angle a (virtual work), with da-rates by the closed loop. */
static void four_bar(test* t)
{
    const kin_vec3 pin[4] = {{0, 0, 0}, {0.4, 1, 0}, {2.3, 1.6, 0}, {3, 0, 0}};
    net n;
    net_begin(t, &n, 3, 1);
    for (int i = 0; i < 3; ++i) {
        n.body[i] = bar(pin[i], pin[i + 1], 1 + i);
        n.force[i] = kin_v(0, -9.81 * (1 + i), 0);
        n.torque[i] = kin_v(0, 0, 0);
    }
    for (uint32_t i = 0; i < 4; ++i) {
        kin_joint_def d = {.kind = KIN_JOINT_HINGE, .anchor = pin[i], .axis = {0, 0, 1}};
        net_join(t, &n, &d, i == 0 ? KIN_NO_BODY : i - 1, i == 3 ? KIN_NO_BODY : i);
    }
    kin_block_report report = net_solve(t, &n);
    EQUAL(t, report.dropped, 3);
    EQUAL(t, report.negative, 0);
    double x[ROWS];
    NEAR(t, kin_joint_system_forces(&n.system, n.body, n.row, n.force, n.torque, NULL, x), 0, 1e-12); /* the left out rows hold too */
    kin_vec3 force[3], torque[3], linear[3], angular[3];
    memcpy(force, n.force, sizeof force);
    memcpy(torque, n.torque, sizeof torque);
    kin_joint_system_load(&n.system, n.row, x, force, torque);
    accelerations(&n, force, torque, linear, angular);

    /* rates for da = 1: pin 1 moves by z x pin1; w2 and w3 close the loop: z x (p1 + w2 (p2 - p1) - w3 (p2 - p3)) = 0 */
    kin_vec3 p1 = pin[1], u = kin_sub(pin[2], pin[1]), v = kin_sub(pin[2], pin[3]);
    double det = u.x * -v.y + v.x * u.y, w2 = (-p1.x * -v.y - v.x * p1.y) / det, w3 = (-u.x * p1.y + p1.x * u.y) / det;
    kin_vec3 z = {0, 0, 1}, rate[3] = {kin_cross(z, n.body[0].position), kin_cross(z, kin_add_scaled(p1, 0.5 * w2, u)), kin_cross(z, kin_scale(v, 0.5 * w3))};
    double spin[3] = {1, w2, w3}, power = 0, inertia = 0;
    for (int i = 0; i < 3; ++i) {
        power += kin_dot(n.force[i], rate[i]);
        inertia += n.body[i].mass * kin_length2(rate[i]) + n.body[i].moments.z * spin[i] * spin[i];
    }
    for (int i = 0; i < 3; ++i) {
        NEAR3(t, angular[i], kin_v(0, 0, spin[i] * power / inertia), 1e-11);
        NEAR3(t, linear[i], kin_scale(rate[i], power / inertia), 1e-11);
    }
    net_end(&n);
}

/* C5.4: which blocks there are, and their signs: joints that share a body by the same side pull together, else against each other. */
static void eight_bodies_eight_joints(test* t)
{
    static const uint32_t bodies[8][2] = {{1, 2}, {2, 3}, {3, 4}, {4, 5}, {6, 5}, {6, 7}, {8, 7}, {8, 3}};
    static const char* signs[8] = {"+-......", "-+-....+", ".-+-...-", "..-++...", "...+++..", "....+++.", ".....+++", ".+-...++"};
    net n;
    net_begin(t, &n, 8, 2);
    for (int i = 0; i < 8; ++i) {
        uint32_t a = bodies[i][0] - 1, b = bodies[i][1] - 1;
        kin_joint_def d = {.kind = KIN_JOINT_BALL};
        n.body[a].position = n.body[b].position = rig_vector(&n.rig, 0.1); /* short arms: 1/m decides the sign */
        net_join(t, &n, &d, a, b);
    }
    EQUAL(t, net_solve(t, &n).dropped, 0);
    EQUAL(t, n.system.ldl.fill, 3);      /* the loop of six */
    EQUAL(t, n.system.meetings, 16 + 9); /* sixteen sides, one pair at every body in between and three at B3 */
    for (int i = 0; i < 8; ++i) {
        double x[24] = {0}, y[24];
        char got[9] = {0};
        x[3 * i] = 1;
        kin_block_ldl_multiply(&n.system.ldl, x, y);
        for (int j = 0; j < 8; ++j) got[j] = y[3 * j] > 0 ? '+' : y[3 * j] < 0 ? '-' : '.';
        TEXT(t, got, signs[i]);
    }
    net_end(&n);
}

/* A body that is led pulls along what hangs on it and feels nothing; joints that meet only at it know nothing of each other. */
static void led_bodies(test* t)
{
    net n;
    double x[ROWS];
    net_begin(t, &n, 3, 3);
    kin_body* led = &n.body[0];
    led->inv_mass = 0;
    led->inv_moments = kin_v(0, 0, 0);
    kin_vec3 velocity = led->velocity, spin = led->spin;
    for (uint32_t i = 1; i < 3; ++i) {
        kin_joint_def d = rig_def(&n.rig, KIN_JOINT_HINGE);
        net_join(t, &n, &d, 0, i);
    }
    EQUAL(t, net_solve(t, &n).dropped, 0);
    EQUAL(t, n.system.ldl.blocks, 0);
    kin_joint_system_impulses(&n.system, n.body, n.row, NULL, x);
    kin_joint_system_push(&n.system, x, n.body);
    for (int r = 0; r < 10; ++r) NEAR(t, kin_joint_row_rate(&n.row[r], led, &n.body[1 + r / 5]), 0, 1e-12);
    NEAR3(t, led->velocity, velocity, 0);
    NEAR3(t, led->spin, spin, 0);
    net_end(&n);
}

static void nothing_to_solve(test* t)
{
    net n;
    net_begin(t, &n, 1, 4);
    kin_block_report report = net_solve(t, &n);
    CHECK(t, report.finite && report.dropped == 0);
    NEAR(t, kin_joint_system_impulses(&n.system, n.body, n.row, NULL, NULL), 0, 0);
    net_end(&n);
}

/* ---- memory ---- */

static bool make_once(test* t, void* context)
{
    net* n = context;
    kin_arena_init(&n->arena, &t->allocator);
    kin_arena_init(&n->scratch, &t->allocator);
    bool ok = kin_joint_system_make(n->nodes, n->node, n->body, &n->arena, &n->scratch, &n->system);
    net_end(n);
    return ok;
}
static void memory_may_be_short(test* t)
{
    net n;
    grow(t, &n, 1, true);
    net_end(&n);
    test_fail_each_allocation(t, make_once, &n);
}

/* Filling and solving allocate nothing. */
static void steady_work_allocates_nothing(test* t)
{
    net n;
    double x[ROWS];
    grow(t, &n, 5, true);
    net_solve(t, &n);
    uint64_t before = t->allocations;
    for (int i = 0; i < 3; ++i) {
        net_rows(&n);
        kin_joint_system_fill(&n.system, n.body, n.row);
        kin_joint_system_impulses(&n.system, n.body, n.row, NULL, x);
        kin_joint_system_push(&n.system, x, n.body);
    }
    EQUAL(t, t->allocations, before);
    net_end(&n);
}

TEST_MAIN("contact_joint_system", TEST(forces_hold_the_joints), TEST(impulses_hold_the_joints), TEST(blocks_match_a_dense_matrix), TEST(four_bar),
          TEST(eight_bodies_eight_joints), TEST(led_bodies), TEST(nothing_to_solve), TEST(memory_may_be_short), TEST(steady_work_allocates_nothing))
