/* joints.c - joints in maximal coordinates against closed forms: rows and rank, rods on hinges, rails, impulses, graphs (C5.3 to C5.6, N4, N5, E11, E13).
 *
 * Everything is solved by contact/joint/system.h: J M^-1 J^t x = -(J'v + J M^-1 Q) in blocks, and once more with the dense matrix of masses and joints together,
 * [M J^t; J 0], which shares no code with it. Motions are integrated by classical Runge-Kutta without any correction of drift, so that its order shows. */
#include "contact/joint/system.h"
#include "math/sym3.h"
#include "numerics/dense.h"
#include "validation/cases.h"
#include "validation/collision/dice.h"
#include <stdio.h>
#include <string.h>

enum { BODIES = 8, JOINTS = 8, ROWS = JOINTS * KIN_BLOCK_MOST, ALL = 6 * BODIES + ROWS };
#define GRAVITY 9.81
#define SOURCE_N4 "statics and dynamics of rods (N4)"

typedef struct rig {
    int bodies, joints, rows;
    kin_body body[BODIES];
    kin_vec3 force[BODIES], torque[BODIES]; /* from outside */
    kin_joint joint[JOINTS];
    kin_joint_node node[JOINTS];
    kin_joint_row row[ROWS];
    double x[ROWS];
    kin_arena arena, scratch;
    kin_joint_system system;
    bool made;
} rig;

/* ---- putting together ---- */

static void rig_begin(rig* r)
{
    kin_allocator allocator = kin_allocator_default();
    *r = (rig){0};
    kin_arena_init(&r->arena, &allocator);
    kin_arena_init(&r->scratch, &allocator);
}
static void rig_end(rig* r)
{
    kin_arena_term(&r->arena);
    kin_arena_term(&r->scratch);
}

static uint32_t add_body(rig* r, kin_body b)
{
    b.inv_mass = 1 / b.mass;
    b.inv_moments = kin_v(1 / b.moments.x, 1 / b.moments.y, 1 / b.moments.z);
    r->force[r->bodies] = kin_v(0, -GRAVITY * b.mass, 0);
    r->body[r->bodies] = b;
    return (uint32_t)r->bodies++;
}
/* A thin rod from one point to another. */
static uint32_t add_rod(rig* r, kin_vec3 from, kin_vec3 to, double mass)
{
    kin_vec3 along = kin_sub(to, from);
    double moment = mass * kin_length2(along) / 12;
    return add_body(r, (kin_body){.position = kin_lerp(from, to, 0.5),
                                  .orientation = kin_quat_between(kin_v(1, 0, 0), along),
                                  .mass = mass,
                                  .moments = {1e-3 * moment, moment, moment}});
}
static uint32_t add_block(rig* r, kin_vec3 position, kin_quat turn, double mass)
{
    return add_body(r, (kin_body){.position = position, .orientation = turn, .mass = mass, .moments = {0.1 * mass, 0.2 * mass, 0.25 * mass}});
}
static void join(rig* r, kin_joint_def def, uint32_t a, uint32_t b)
{
    const kin_body *body_a = a == KIN_NO_BODY ? NULL : &r->body[a], *body_b = b == KIN_NO_BODY ? NULL : &r->body[b];
    if (kin_joint_make(&def, a, body_a, b, body_b, &r->joint[r->joints], NULL) != KIN_OK) return; /* then rows are missing, and every figure with them */
    r->node[r->joints++] = (kin_joint_node){a, b, kin_joint_hold_count(def.kind)};
}

/* ---- solving ---- */

static void find_rows(rig* r)
{
    r->rows = 0;
    for (int i = 0; i < r->joints; ++i) {
        uint32_t a = r->node[i].a, b = r->node[i].b;
        r->rows += kin_joint_rows(&r->joint[i], a == KIN_NO_BODY ? NULL : &r->body[a], b == KIN_NO_BODY ? NULL : &r->body[b], 0, &r->row[r->rows]);
    }
}
static kin_block_report prepare(rig* r)
{
    find_rows(r);
    if (!r->made) r->made = kin_joint_system_make(r->joints, r->node, r->body, &r->arena, &r->scratch, &r->system);
    return r->made ? kin_joint_system_fill(&r->system, r->body, r->row) : (kin_block_report){0};
}

typedef struct rates { /* of everything */
    kin_vec3 velocity[BODIES], linear[BODIES], angular[BODIES];
    kin_quat turn[BODIES];
} rates;

/* All bodies under everything, joints among it. */
static rates accelerate(rig* r)
{
    rates out = {0};
    kin_vec3 force[BODIES], torque[BODIES];
    prepare(r);
    kin_joint_system_forces(&r->system, r->body, r->row, r->force, r->torque, NULL, r->x);
    memcpy(force, r->force, sizeof force);
    memcpy(torque, r->torque, sizeof torque);
    kin_joint_system_load(&r->system, r->row, r->x, force, torque);
    for (int i = 0; i < r->bodies; ++i) {
        const kin_body* b = &r->body[i];
        out.velocity[i] = b->velocity;
        out.turn[i] = kin_quat_rate(b->orientation, b->spin);
        out.linear[i] = kin_scale(force[i], b->inv_mass);
        out.angular[i] = kin_body_inv_inertia_times(b, kin_sub(torque[i], kin_cross(b->spin, kin_body_angular_momentum(b))));
    }
    return out;
}

/* The force and the torque of a joint on its body b, the latter about the joint. */
static void joint_load(const rig* r, int joint, kin_vec3* force, kin_vec3* torque)
{
    int first = r->system.ldl.first[joint], count = r->node[joint].count;
    uint32_t b = r->node[joint].b;
    kin_joint_rows_load(&r->joint[joint], b == KIN_NO_BODY ? NULL : &r->body[b], &r->row[first], &r->x[first], count, force, torque);
}

/* [M J^t; J 0] (a, -x) = (Q - w x I w, -J'v), dense. Returns by how much its x differs. */
static double dense_difference(const rig* r)
{
    static double matrix[ALL * ALL];
    double y[ALL] = {0}, worst = 0;
    int pivot[ALL], n = 6 * r->bodies, all = n + r->rows;
    memset(matrix, 0, sizeof matrix);
    for (int i = 0; i < r->bodies; ++i) {
        const kin_body* b = &r->body[i];
        kin_mat3 inertia = kin_sym3_matrix(kin_sym3_rotate(kin_quat_to_matrix(b->orientation), kin_sym3_diagonal(b->moments)));
        kin_vec3 torque = kin_sub(r->torque[i], kin_cross(b->spin, kin_mat3_apply(inertia, b->spin)));
        for (int k = 0; k < 3; ++k) {
            matrix[(6 * i + k) * all + 6 * i + k] = b->mass;
            for (int m = 0; m < 3; ++m) matrix[(6 * i + 3 + k) * all + 6 * i + 3 + m] = kin_mat3_at(inertia, k, m);
            y[6 * i + k] = kin_component(r->force[i], k);
            y[6 * i + 3 + k] = kin_component(torque, k);
        }
    }
    for (int j = 0, row = 0; j < r->joints; ++j) {
        for (int k = 0; k < r->node[j].count; ++k, ++row) {
            const kin_joint_row* w = &r->row[row];
            const kin_vec3 parts[4] = {w->linear_a, w->angular_a, w->linear_b, w->angular_b};
            for (int p = 0; p < 12; ++p) {
                uint32_t body = p < 6 ? r->node[j].a : r->node[j].b;
                if (body != KIN_NO_BODY) matrix[(n + row) * all + 6 * (int)body + p % 6] = kin_component(parts[p / 3], p % 3);
            }
            y[n + row] = -w->bias;
        }
    }
    if (!kin_ldlt_pivoted_factor(all, matrix, pivot)) return __builtin_inf();
    kin_ldlt_pivoted_solve(all, matrix, pivot, y);
    for (int i = 0; i < r->rows; ++i) worst = kin_max(worst, kin_abs(y[n + i] + r->x[i]));
    return worst;
}
static void row_dense(kin_case_run* run, const rig* r, const char* method, double size)
{
    kin_case_row(run, method, "multipliers, blocks less dense, of their size", dense_difference(r) / size, 0, 1e-12, "dense LDL^t of [M J^t; J 0]");
}

/* Blocks answer a blow that has been given. */
static void answer_blow(rig* r)
{
    prepare(r);
    kin_joint_system_impulses(&r->system, r->body, r->row, NULL, r->x);
    kin_joint_system_push(&r->system, r->x, r->body);
}

/* ---- motion ---- */

/* Quaternions are four numbers to the method; where they are looked at they are unit. */
static void advance(const rig* from, const rates* rate, double h, kin_body* to)
{
    for (int i = 0; i < from->bodies; ++i) {
        const kin_body* b = &from->body[i];
        to[i].position = kin_add_scaled(b->position, h, rate->velocity[i]);
        to[i].orientation = kin_quat_normalize(kin_quat_add(b->orientation, kin_quat_scale(rate->turn[i], h)));
        to[i].velocity = kin_add_scaled(b->velocity, h, rate->linear[i]);
        to[i].spin = kin_add_scaled(b->spin, h, rate->angular[i]);
    }
}
static void add_rates(rates* sum, double share, const rates* r)
{
    for (int i = 0; i < BODIES; ++i) {
        sum->velocity[i] = kin_add_scaled(sum->velocity[i], share, r->velocity[i]);
        sum->linear[i] = kin_add_scaled(sum->linear[i], share, r->linear[i]);
        sum->angular[i] = kin_add_scaled(sum->angular[i], share, r->angular[i]);
        sum->turn[i] = kin_quat_add(sum->turn[i], kin_quat_scale(r->turn[i], share));
    }
}
static void step_rk4(rig* r, double h)
{
    static const double reach[4] = {0, 0.5, 0.5, 1}, share[4] = {1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0};
    rig start = *r;
    rates rate, mean = {0};
    for (int k = 0; k < 4; ++k) {
        if (k > 0) advance(&start, &rate, reach[k] * h, r->body);
        rate = accelerate(r);
        add_rates(&mean, share[k], &rate);
    }
    advance(&start, &mean, h, r->body);
}

static double energy(const rig* r)
{
    double sum = 0;
    for (int i = 0; i < r->bodies; ++i) sum += kin_body_kinetic(&r->body[i]) - kin_dot(r->force[i], r->body[i].position);
    return sum;
}
static kin_vec3 momentum(const rig* r)
{
    kin_vec3 sum = {0, 0, 0};
    for (int i = 0; i < r->bodies; ++i) sum = kin_add_scaled(sum, r->body[i].mass, r->body[i].velocity);
    return sum;
}
static kin_vec3 angular_momentum(const rig* r)
{
    kin_vec3 sum = {0, 0, 0};
    for (int i = 0; i < r->bodies; ++i) {
        const kin_body* b = &r->body[i];
        sum = kin_add(sum, kin_add(kin_body_angular_momentum(b), kin_scale(kin_cross(b->position, b->velocity), b->mass)));
    }
    return sum;
}
static double drift(rig* r)
{
    double worst = 0;
    find_rows(r);
    for (int i = 0; i < r->rows; ++i) worst = kin_max(worst, kin_abs(r->row[i].error));
    return worst;
}

/* ---- rows ---- */

/* How many of them are independent: Gram-Schmidt on twelve columns. */
static int rank_of(const kin_joint_row* rows, int count)
{
    double basis[KIN_JOINT_ROWS][12];
    int rank = 0;
    for (int i = 0; i < count; ++i) {
        const kin_vec3 parts[4] = {rows[i].linear_a, rows[i].angular_a, rows[i].linear_b, rows[i].angular_b};
        double v[12], before = 0, after = 0;
        for (int k = 0; k < 12; ++k) before += kin_square(v[k] = kin_component(parts[k / 3], k % 3));
        for (int q = 0; q < rank; ++q) {
            double along = 0;
            for (int k = 0; k < 12; ++k) along += v[k] * basis[q][k];
            for (int k = 0; k < 12; ++k) v[k] -= along * basis[q][k];
        }
        for (int k = 0; k < 12; ++k) after += v[k] * v[k];
        if (!(after > 1e-12 * before)) continue;
        for (int k = 0; k < 12; ++k) basis[rank][k] = v[k] / kin_sqrt(after);
        ++rank;
    }
    return rank;
}

static const char* const kind_names[] = {"distance", "ball",  "hinge", "slider", "universal", "cylindrical",
                                         "fixed",    "wheel", "gear",  "pulley", "rope",      "mouse"};

/* One draw a statement: compilers differ in the order of initializers. */
static kin_body draw_body(kin_dice* d)
{
    kin_body b = {.mass = 1, .moments = {0.1, 0.2, 0.25}};
    b.position = kin_dice_vec3(d, 1);
    b.orientation = kin_dice_turn(d);
    b.velocity = kin_dice_vec3(d, 1);
    b.spin = kin_dice_vec3(d, 1);
    return b;
}
static kin_joint_def draw_joint(kin_dice* d, kin_joint_kind kind)
{
    kin_joint_def def = {.kind = kind, .ratio = 2};
    def.anchor = kin_dice_vec3(d, 1);
    def.axis = kin_dice_direction(d);
    def.axis_b = kin_dice_direction(d);
    def.has_anchor_b = kind == KIN_JOINT_DISTANCE || kind == KIN_JOINT_PULLEY;
    def.anchor_b = kin_add(def.anchor, kin_dice_direction(d));
    def.ground_a = kin_v(0, 3, 0);
    def.ground_b = kin_v(1, 3, 0);
    return def;
}

/* C a short time later and earlier, along a motion of constant velocities. */
static void difference_rows(const kin_joint* j, kin_body a, kin_body b, double h, kin_joint_row* rows)
{
    a.position = kin_add_scaled(a.position, h, a.velocity);
    b.position = kin_add_scaled(b.position, h, b.velocity);
    a.orientation = kin_quat_integrate(a.orientation, a.spin, h);
    b.orientation = kin_quat_integrate(b.orientation, b.spin, h);
    kin_joint_rows(j, &a, &b, 0, rows);
}

static void case_rows(kin_case_run* run)
{
    static const int want[] = {1, 3, 5, 5, 4, 4, 6, 4, 1, 1};
    for (int kind = 0; kind < 10; ++kind) {
        kin_dice dice = {.state = 40 + (uint64_t)kind};
        int least = 12, most = 0;
        double worst_rate = 0, worst_bias = 0;
        for (int i = 0; i < (run->full ? 10000 : 100); ++i) {
            kin_body a = draw_body(&dice), b = draw_body(&dice);
            kin_joint_def def = draw_joint(&dice, (kin_joint_kind)kind);
            kin_joint j;
            kin_joint_row rows[KIN_JOINT_ROWS], later[KIN_JOINT_ROWS], earlier[KIN_JOINT_ROWS];
            if (kin_joint_make(&def, 0, &a, 1, &b, &j, NULL) != KIN_OK) continue;
            a.position = kin_add(a.position, kin_dice_vec3(&dice, 0.1)); /* not whole any more */
            b.orientation = kin_quat_integrate(b.orientation, kin_dice_vec3(&dice, 0.3), 1);
            int n = kin_joint_rows(&j, &a, &b, 0, rows), rank = rank_of(rows, n);
            least = n < least ? n : least;
            most = rank > most ? rank : most;
            const double h = 1e-4;
            difference_rows(&j, a, b, h, later);
            difference_rows(&j, a, b, -h, earlier);
            for (int k = 0; k < n; ++k) {
                worst_rate = kin_max(worst_rate, kin_abs((later[k].error - earlier[k].error) / (2 * h) - kin_joint_row_rate(&rows[k], &a, &b)));
                worst_bias = kin_max(worst_bias, kin_abs((later[k].error - 2 * rows[k].error + earlier[k].error) / (h * h) - rows[k].bias));
            }
        }
        kin_case_row(run, kind_names[kind], "rows that hold", least, want[kind], 0, "C5.3.1-5.3.6 (N4)");
        kin_case_row(run, kind_names[kind], "freedoms left, 6 - rank of J", 6 - most, 6 - want[kind], 0, "C5.3.1-5.3.6 (N4)");
        kin_case_row(run, kind_names[kind], "J v less dC/dt, m/s or rad/s", worst_rate, 0, 3e-6, "central differences (E11)");
        kin_case_row(run, kind_names[kind], "J'v less C'' of a free motion", worst_bias, 0, 3e-5, "central differences (E12)");
    }
}

/* ---- N4 ---- */

/* A rod on a hinge at its end, let go level and followed to the bottom. */
static void case_hinged_rod(kin_case_run* run)
{
    const double m = 2, length = 1.5;
    rig r;
    rig_begin(&r);
    add_rod(&r, kin_v(0, 0, 0), kin_v(length, 0, 0), m);
    join(&r, (kin_joint_def){.kind = KIN_JOINT_HINGE, .axis = {0, 0, 1}}, KIN_NO_BODY, 0);
    kin_vec3 force, torque;
    rates a = accelerate(&r);
    joint_load(&r, 0, &force, &torque);
    kin_case_row(run, "released level", "alpha, rad/s^2: 3g/2L", -a.angular[0].z, 3 * GRAVITY / (2 * length), 1e-13, SOURCE_N4);
    kin_case_row(run, "released level", "reaction upward, N: mg/4", force.y, m * GRAVITY / 4, 1e-12, SOURCE_N4);
    kin_case_row(run, "released level", "reaction along the rod, N", force.x, 0, 1e-12, SOURCE_N4);
    row_dense(run, &r, "released level", m * GRAVITY);

    const double h = 1e-3;
    double angle = 0, e0 = energy(&r);
    while ((angle = kin_joint_position(&r.joint[0], NULL, &r.body[0], 0)) > -KIN_PI / 2 + 4 * h && kin_finite(angle)) step_rk4(&r, h);
    for (int i = 0; i < 6; ++i) { /* Newton on the time that is left */
        angle = kin_joint_position(&r.joint[0], NULL, &r.body[0], 0);
        step_rk4(&r, -(angle + KIN_PI / 2) / kin_joint_rate(&r.joint[0], NULL, &r.body[0], 0));
    }
    accelerate(&r);
    joint_load(&r, 0, &force, &torque);
    double w = r.body[0].spin.z;
    kin_case_row(run, "at the bottom", "w^2, 1/s^2: 3g/L", w * w, 3 * GRAVITY / length, 1e-9, SOURCE_N4);
    kin_case_row(run, "at the bottom", "pull, N: 5mg/2", force.y, 2.5 * m * GRAVITY, 1e-8, SOURCE_N4);
    kin_case_row(run, "at the bottom", "energy gained, J", energy(&r) - e0, 0, 1e-9, "a hinge does no work");
    kin_case_row(run, "at the bottom", "joint error, m and rad", drift(&r), 0, 1e-9, "RK4, uncorrected");
    rig_end(&r);
}

static void case_held(kin_case_run* run)
{
    const double m = 3, length = 2, slope = 0.4;
    rig r;
    kin_vec3 force, torque;
    rig_begin(&r);
    add_rod(&r, kin_v(0, 0, 0), kin_v(length, 0, 0), m);
    join(&r, (kin_joint_def){.kind = KIN_JOINT_FIXED}, KIN_NO_BODY, 0);
    rates a = accelerate(&r);
    joint_load(&r, 0, &force, &torque);
    kin_case_row(run, "cantilever", "force, N: mg", force.y, m * GRAVITY, 1e-12, SOURCE_N4);
    kin_case_row(run, "cantilever", "moment, N m: mgL/2", torque.z, m * GRAVITY * length / 2, 1e-12, SOURCE_N4);
    kin_case_row(run, "cantilever", "acceleration", kin_length(a.linear[0]) + kin_length(a.angular[0]), 0, 1e-12, SOURCE_N4);
    row_dense(run, &r, "cantilever", m * GRAVITY);
    rig_end(&r);

    rig_begin(&r);
    kin_vec3 down = kin_v(kin_cos(slope), -kin_sin(slope), 0);
    add_block(&r, kin_v(1, 2, 3), kin_quat_axis_angle(kin_v(1, 1, 0), 0.5), m);
    join(&r, (kin_joint_def){.kind = KIN_JOINT_SLIDER, .axis = down, .anchor = {0.5, 1, 2}}, KIN_NO_BODY, 0);
    a = accelerate(&r);
    kin_case_row(run, "slider on a slope", "a along it, m/s^2: g sin", kin_dot(a.linear[0], down), GRAVITY * kin_sin(slope), 1e-13, SOURCE_N4);
    kin_case_row(run, "slider on a slope", "a across it, m/s^2", kin_length(kin_cross(a.linear[0], down)), 0, 1e-13, SOURCE_N4);
    joint_load(&r, 0, &force, &torque);
    kin_case_row(run, "slider on a slope", "normal force, N: mg cos", kin_length(force), m * GRAVITY * kin_cos(slope), 1e-12, SOURCE_N4);
    row_dense(run, &r, "slider on a slope", m * GRAVITY);
    rig_end(&r);

    rig_begin(&r); /* spinning about an axis that is not principal: the joint holds the wobble, the spin stays */
    add_block(&r, kin_v(0, 2, 0), kin_quat_axis_angle(kin_v(1, 2, 0), 0.7), m);
    r.body[0].spin = kin_v(0, 5, 0);
    r.body[0].velocity = kin_v(0, 1, 0);
    join(&r, (kin_joint_def){.kind = KIN_JOINT_CYLINDRICAL, .axis = {0, 1, 0}}, KIN_NO_BODY, 0);
    a = accelerate(&r);
    kin_case_row(run, "cylindrical, upright", "a, m/s^2: g", -a.linear[0].y, GRAVITY, 1e-13, SOURCE_N4);
    kin_case_row(run, "cylindrical, upright", "rate of the spin, rad/s^2", kin_length(a.angular[0]), 0, 1e-12, SOURCE_N4);
    row_dense(run, &r, "cylindrical, upright", m * GRAVITY);
    rig_end(&r);
}

/* ---- motion: orders, work, momenta ---- */

typedef struct journey {
    double drift, energy, momentum, angular;
} journey;

/* Two blocks in free flight, jointed and tumbling. */
static journey fly(kin_joint_kind kind, double h, double time)
{
    rig r;
    rig_begin(&r);
    add_block(&r, kin_v(-0.5, 0, 0), kin_quat_axis_angle(kin_v(1, 1, 0), 0.3), 1);
    add_block(&r, kin_v(0.6, 0.1, 0), kin_quat_axis_angle(kin_v(0, 1, 2), 0.8), 2);
    r.force[0] = r.force[1] = kin_v(0, 0, 0);
    r.body[0].spin = kin_v(1, -0.5, 0.7);
    r.body[1].spin = kin_v(-0.6, 1.1, 0.4);
    r.body[1].velocity = kin_v(0.3, 0.2, -0.4);
    kin_joint_def def = {.kind = kind, .axis = {0.3, 1, 0.2}, .axis_b = {1, -0.3, 0.1}};
    def.has_anchor_b = kind == KIN_JOINT_DISTANCE;
    def.anchor_b = kin_v(0.4, 0.3, 0.1);
    join(&r, def, 0, 1);
    answer_blow(&r); /* velocities that the joint allows */
    journey j = {0};
    double e0 = energy(&r);
    kin_vec3 p0 = momentum(&r), l0 = angular_momentum(&r);
    int steps = (int)(time / h + 0.5);
    for (int i = 0; i < steps; ++i) step_rk4(&r, h);
    j.drift = drift(&r);
    j.energy = kin_abs(energy(&r) - e0);
    j.momentum = kin_distance(momentum(&r), p0);
    j.angular = kin_distance(angular_momentum(&r), l0);
    rig_end(&r);
    return j;
}

static void case_motion(kin_case_run* run)
{
    static const kin_joint_kind kinds[] = {KIN_JOINT_DISTANCE,  KIN_JOINT_BALL,        KIN_JOINT_HINGE, KIN_JOINT_SLIDER,
                                           KIN_JOINT_UNIVERSAL, KIN_JOINT_CYLINDRICAL, KIN_JOINT_FIXED, KIN_JOINT_WHEEL};
    double time = run->full ? 8 : 2;
    for (int k = 0; k < 8; ++k) {
        journey coarse = fly(kinds[k], 0.02, time), fine = fly(kinds[k], 0.01, time);
        const char* name = kind_names[kinds[k]];
        double order = kin_ln(coarse.drift / fine.drift) / kin_ln(2);
        kin_case_row(run, name, "order of the joint error, h = 0.02, 0.01 s", order, 4, 0.2, "RK4 (C5.3: drift is O(h^p))");
        kin_case_row(run, name, "energy gained or lost, J", fine.energy, 0, 1e-8 * time * time, "joints do no work (C5.3)");
        kin_case_row(run, name, "momentum gained, N s", fine.momentum, 0, 1e-12, "third law");
        kin_case_row(run, name, "angular momentum gained, N m s", fine.angular, 0, 1e-8 * time, "third law, to RK4's error");
    }
}

/* ---- N5 ---- */

static void case_impulses(kin_case_run* run)
{
    const char* source = "rods struck at rest (N5)";
    const double m = 2, length = 1.5, blow = 3;
    rig r;
    rig_begin(&r);
    add_rod(&r, kin_v(0, 0, 0), kin_v(length, 0, 0), m);
    add_rod(&r, kin_v(length, 0, 0), kin_v(2 * length, 0, 0), m);
    join(&r, (kin_joint_def){.kind = KIN_JOINT_BALL, .anchor = {length, 0, 0}}, 0, 1);
    kin_body_push(&r.body[0], kin_v(0, 0, 0), kin_v(0, blow, 0), kin_v(0, 0, 0));
    answer_blow(&r);
    kin_case_row(run, "two rods, free end", "joint impulse, N s: P/4", kin_abs(r.x[1]), blow / 4, 1e-14, source);
    kin_case_row(run, "two rods, free end", "v1, m/s: 5P/4m", r.body[0].velocity.y, 5 * blow / (4 * m), 1e-14, source);
    kin_case_row(run, "two rods, free end", "v2, m/s: -P/4m", r.body[1].velocity.y, -blow / (4 * m), 1e-14, source);
    kin_case_row(run, "two rods, free end", "w1, rad/s: -9P/2mL", r.body[0].spin.z, -9 * blow / (2 * m * length), 1e-13, source);
    kin_case_row(run, "two rods, free end", "w2, rad/s: 3P/2mL", r.body[1].spin.z, 3 * blow / (2 * m * length), 1e-13, source);
    rig_end(&r);

    rig_begin(&r);
    add_rod(&r, kin_v(0, 0, 0), kin_v(length, 0, 0), m);
    join(&r, (kin_joint_def){.kind = KIN_JOINT_HINGE, .axis = {0, 0, 1}}, KIN_NO_BODY, 0);
    kin_body_push(&r.body[0], kin_v(2 * length / 3, 0, 0), kin_v(0, blow, 0), kin_v(0, 0, 0));
    answer_blow(&r);
    double felt = 0;
    for (int i = 0; i < r.rows; ++i) felt = kin_max(felt, kin_abs(r.x[i]));
    kin_case_row(run, "hinged rod, at 2L/3", "pivot impulse, N s", felt, 0, 1e-14, source);
    kin_case_row(run, "hinged rod, at 2L/3", "w, rad/s: 2P/mL", r.body[0].spin.z, 2 * blow / (m * length), 1e-13, source);
    rig_end(&r);
}

/* ---- graphs ---- */

/* C5.4: a tail of two joints and a loop of six. Joints that meet at a body by the same side act alike on it, else against each other. */
static void case_eight(kin_case_run* run)
{
    static const uint32_t bodies[8][2] = {{1, 2}, {2, 3}, {3, 4}, {4, 5}, {6, 5}, {6, 7}, {8, 7}, {8, 3}};
    static const char* signs[8] = {"+-......", "-+-....+", ".-+-...-", "..-++...", "...+++..", "....+++.", ".....+++", ".+-...++"};
    kin_dice dice = {.state = 54};
    rig r;
    rig_begin(&r);
    for (int i = 0; i < 8; ++i) {
        kin_vec3 place = kin_dice_vec3(&dice, 0.05);
        add_block(&r, place, kin_dice_turn(&dice), 1 + i);
    }
    for (int i = 0; i < 8; ++i) join(&r, (kin_joint_def){.kind = KIN_JOINT_BALL, .anchor = kin_dice_vec3(&dice, 0.05)}, bodies[i][0] - 1, bodies[i][1] - 1);
    kin_block_report report = prepare(&r);
    int wrong = 0;
    for (int i = 0; i < 8; ++i) {
        double x[24] = {0}, y[24];
        x[3 * i] = 1;
        kin_block_ldl_multiply(&r.system.ldl, x, y);
        for (int j = 0; j < 8; ++j) wrong += signs[i][j] != (y[3 * j] > 0 ? '+' : y[3 * j] < 0 ? '-' : '.');
    }
    kin_case_row(run, "8 bodies, 8 joints", "blocks of another sign than printed", wrong, 0, 0, "C5.4, figure 5.8 (E13)");
    kin_case_row(run, "8 bodies, 8 joints", "blocks that the loop adds to the factor", r.system.ldl.fill, 3, 0, "a cycle of six: n - 3");
    kin_case_row(run, "8 bodies, 8 joints", "rows left out", report.dropped, 0, 0, "C5.4");
    for (int i = 0; i < 8; ++i) {
        r.body[i].spin = kin_dice_vec3(&dice, 3);
        r.force[i] = kin_dice_vec3(&dice, 10);
    }
    accelerate(&r);
    row_dense(run, &r, "8 bodies, 8 joints", GRAVITY);
    rig_end(&r);
}

/* Three bars, four hinges, one freedom and three rows too many; a parallelogram with upright cranks, so that all is known: the crank's angle a has the inertia
 * (m1 + m3) L^2/3 + m2 L^2 and, with the cranks at an angle f from upright, the moment (m1/2 + m2 + m3/2) g L sin f. */
static void case_four_bar(kin_case_run* run)
{
    const double length = 1.2, width = 2, m1 = 1, m2 = 4, m3 = 3, lean = 0.3;
    kin_vec3 up = kin_v(length * kin_sin(lean), length * kin_cos(lean), 0), far = kin_v(width, 0, 0);
    const kin_vec3 pin[4] = {{0, 0, 0}, up, kin_add(up, far), far};
    const double mass[3] = {m1, m2, m3};
    rig r;
    rig_begin(&r);
    for (int i = 0; i < 3; ++i) add_rod(&r, pin[i], pin[i + 1], mass[i]);
    for (uint32_t i = 0; i < 4; ++i)
        join(&r, (kin_joint_def){.kind = KIN_JOINT_HINGE, .anchor = pin[i], .axis = {0, 0, 1}}, i == 0 ? KIN_NO_BODY : i - 1, i == 3 ? KIN_NO_BODY : i);
    kin_block_report report = prepare(&r);
    rates a = accelerate(&r);
    double want = -(m1 / 2 + m2 + m3 / 2) * GRAVITY * length * kin_sin(lean) / (((m1 + m3) / 3 + m2) * length * length);
    kin_case_row(run, "planar four-bar", "rows left out of 20", report.dropped, 3, 0, "one freedom of 18 is left");
    kin_case_row(run, "planar four-bar", "crank, rad/s^2", a.angular[0].z, want, 1e-11, "virtual work");
    kin_case_row(run, "planar four-bar", "rocker, rad/s^2", a.angular[2].z, want, 1e-11, "virtual work");
    kin_case_row(run, "planar four-bar", "coupler turns, rad/s^2", kin_length(a.angular[1]), 0, 1e-11, "virtual work");
    kin_joint_system_forces(&r.system, r.body, r.row, r.force, r.torque, NULL, r.x);
    double basis[3 * ROWS], least[ROWS], kept = 0;
    kin_block_ldl_null(&r.system.ldl, basis);
    kin_block_ldl_multiply(&r.system.ldl, r.x, least);
    kin_block_ldl_solve_least(&r.system.ldl, basis, least);
    kin_vec3 force[2][BODIES] = {{{0}}}, torque[2][BODIES] = {{{0}}};
    kin_joint_system_load(&r.system, r.row, r.x, force[0], torque[0]);
    kin_joint_system_load(&r.system, r.row, least, force[1], torque[1]);
    for (int i = 0; i < 3; ++i) kept = kin_max(kept, kin_distance(force[0][i], force[1][i]) + kin_distance(torque[0][i], torque[1][i]));
    kin_case_row(run, "planar four-bar", "loads: rows left out or pseudo-inverse", kept, 0, 1e-9, "C5.4: loops need a pseudo-inverse");
    rig_end(&r);
}

static void case_graph(kin_case_run* run)
{
    case_eight(run);
    case_four_bar(run);
}

const kin_case kin_cases_joints[] = {
    {"rigid/joint-rows", "rows, rank and derivatives of every kind of joint", case_rows},
    {"rigid/hinged-rod", "a rod on a hinge, from level to the bottom", case_hinged_rod},
    {"rigid/joint-loads", "cantilever, slider on a slope, upright cylinder", case_held},
    {"rigid/joint-motion", "free pairs of bodies: order of drift, work, momenta", case_motion},
    {"rigid/joint-impulses", "rods struck at rest", case_impulses},
    {"rigid/joint-graph", "eight bodies and joints; the planar four-bar", case_graph},
    {NULL, NULL, NULL},
};
