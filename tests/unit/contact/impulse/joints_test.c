/* joints_test.c - joints among the impulses of a cluster (C5.6, C5.6.1, N5): all methods, trees and closed loops, rows of the joints themselves (E11). */
#include "contact/impulse/impulse.h"
#include "support/test.h"
#include "unit/contact/impulse/hits.h"

static const kin_impulse_method methods[] = {KIN_IMPULSE_SYSTEM, KIN_IMPULSE_LCP, KIN_IMPULSE_MICRO, KIN_IMPULSE_SEQUENTIAL};
enum { METHODS = sizeof methods / sizeof *methods, MOST_ROWS = 64 };

typedef struct chain {
    kin_body bodies[8];
    uint32_t count;
    kin_joint_at rows[MOST_ROWS];
    int row_count;
    double answers[MOST_ROWS];
} chain;

static const kin_body* body_at(const chain* c, uint32_t i) { return i == KIN_NO_BODY ? NULL : &c->bodies[i]; }

/* Rows that hold and active limits, as an exact solver would hand them on. */
static void join(test* t, chain* c, kin_joint_kind kind, uint32_t a, uint32_t b, kin_vec3 anchor, kin_vec3 axis)
{
    kin_joint_def def = {.kind = kind, .anchor = anchor, .axis = axis};
    kin_joint joint;
    kin_joint_row rows[KIN_JOINT_ROWS];
    CHECK(t, kin_joint_make(&def, a, body_at(c, a), b, body_at(c, b), &joint, NULL) == KIN_OK);
    int n = kin_joint_rows(&joint, body_at(c, a), body_at(c, b), 0, rows);
    for (int i = 0; i < n; ++i) c->rows[c->row_count++] = (kin_joint_at){a, b, rows[i]};
}

static kin_impulse_report hit(test* t, chain* c, const kin_meeting* m, int n, kin_impulse_method method, kin_impulse* out)
{
    kin_arena scratch;
    kin_arena_init(&scratch, &t->allocator);
    kin_impulse_cluster cluster = {
        .bodies = c->bodies, .body_count = c->count, .meetings = m, .count = n, .joints = c->rows, .joint_count = c->row_count, .method = method};
    kin_impulse_report report = kin_impulses_apply(&cluster, out, c->answers, &scratch);
    kin_arena_term(&scratch);
    return report;
}

static double worst_rate(const chain* c)
{
    double worst = 0;
    kin_body world = kin_body_fixed();
    for (int i = 0; i < c->row_count; ++i) {
        const kin_joint_at* j = &c->rows[i];
        worst =
            fmax(worst, fabs(kin_joint_row_rate(&j->row, j->a == KIN_NO_BODY ? &world : &c->bodies[j->a], j->b == KIN_NO_BODY ? &world : &c->bodies[j->b])));
    }
    return worst;
}

/* What the joints' impulses add to a body's momentum. */
static kin_vec3 joint_push(const chain* c, uint32_t body)
{
    kin_vec3 sum = kin_v(0, 0, 0);
    for (int i = 0; i < c->row_count; ++i) {
        if (c->rows[i].a == body) sum = kin_add_scaled(sum, c->answers[i], c->rows[i].row.linear_a);
        if (c->rows[i].b == body) sum = kin_add_scaled(sum, c->answers[i], c->rows[i].row.linear_b);
    }
    return sum;
}

/* ---- N5 ---- */

static void hinged_rod_hit_where_the_pivot_feels_nothing(test* t)
{
    const double length = 1.5;
    for (int k = 0; k < METHODS; ++k) {
        for (int off = 0; off < 2; ++off) {
            chain c = {.count = 2};
            kin_vec3 at = kin_v((off ? 0.9 : 2.0 / 3) * length, 0, 0);
            c.bodies[0] = rod_of(2, length, kin_v(length / 2, 0, 0), kin_v(0, 0, 0));
            c.bodies[1] = point_of(0.5, at, kin_v(0, 3, 0));
            join(t, &c, KIN_JOINT_HINGE, 0, KIN_NO_BODY, kin_v(0, 0, 0), kin_v(0, 0, 1));
            kin_meeting m = {.a = 0, .b = 1, .point = at, .normal = {0, 1, 0}, .restitution = 0.5};
            kin_impulse out;
            CHECK(t, hit(t, &c, &m, 1, methods[k], &out).converged);
            double pivot = joint_push(&c, 0).y, i = 2 * length * length / 3; /* about the pivot: I w = P x; P - pivot + ... = m v */
            NEAR(t, pivot, off ? out.n * at.x / i * 2 * length / 2 - out.n : 0, 1e-12);
            CHECK(t, out.n > 0.5);
            NEAR(t, worst_rate(&c), 0, 1e-12);
        }
    }
}

static void two_rods_share_a_blow(test* t)
{
    const double length = 1, mass = 3;
    for (int k = 0; k < METHODS; ++k) {
        chain c = {.count = 3};
        c.bodies[0] = rod_of(mass, length, kin_v(0.5, 0, 0), kin_v(0, 0, 0));
        c.bodies[1] = rod_of(mass, length, kin_v(1.5, 0, 0), kin_v(0, 0, 0));
        c.bodies[2] = point_of(1, kin_v(0, 0, 0), kin_v(0, 2, 0));
        join(t, &c, KIN_JOINT_BALL, 0, 1, kin_v(1, 0, 0), kin_v(0, 0, 1));
        kin_meeting m = {.a = 0, .b = 2, .normal = {0, 1, 0}, .restitution = 0.3};
        kin_impulse out;
        hit(t, &c, &m, 1, methods[k], &out);
        double p = out.n;
        NEAR(t, joint_push(&c, 0).y, p / 4, 1e-12);
        NEAR(t, c.bodies[0].velocity.y, 5 * p / (4 * mass), 1e-12);
        NEAR(t, c.bodies[1].velocity.y, -p / (4 * mass), 1e-12);
        NEAR(t, c.bodies[0].spin.z, -9 * p / (2 * mass * length), 1e-12);
        NEAR(t, c.bodies[1].spin.z, 3 * p / (2 * mass * length), 1e-12);
    }
}

/* ---- chains and loops ---- */

/* Bodies in a row, each moving as one rigid piece so that no joint moves before. */
static void make_row(chain* c, uint32_t count, kin_vec3 velocity, dice* d)
{
    c->count = count;
    for (uint32_t i = 0; i < count; ++i) {
        c->bodies[i] = random_body(d);
        c->bodies[i].position = kin_v(i, 0, 0);
        c->bodies[i].velocity = velocity;
        c->bodies[i].spin = kin_v(0, 0, 0);
    }
}

static const kin_joint_kind kinds[] = {KIN_JOINT_BALL, KIN_JOINT_HINGE, KIN_JOINT_SLIDER, KIN_JOINT_UNIVERSAL, KIN_JOINT_CYLINDRICAL, KIN_JOINT_FIXED};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void chains_keep_the_laws(test* t)
{
    for (uint64_t i = 0; i < 60; ++i) {
        for (int k = 0; k < METHODS; ++k) {
            dice d = {.key = {.seed = 11, .serial = i}};
            chain c = {.count = 0};
            make_row(&c, 5, kin_v(0.5, -2, 0.3), &d);
            for (uint32_t j = 0; j < 4; ++j) join(t, &c, kinds[(i + j) % KINDS], j, j + 1, kin_v(j + 0.5, 0, 0), roll_direction(&d));
            kin_meeting m[2] = {{.a = 0, .b = KIN_NO_BODY, .point = {-0.3, -0.3, 0}, .normal = {0, 1, 0}, .restitution = 0.6, .friction = {0.4, 0.4}},
                                {.a = 3, .b = KIN_NO_BODY, .point = {3.2, -0.3, 0.1}, .normal = {0, 1, 0}, .restitution = 0.4, .friction = {0.3, 0.3}}};
            kin_impulse out[2];
            totals before = totals_of(c.bodies, 5);
            CHECK(t, hit(t, &c, m, 2, methods[k], out).converged);
            totals after = totals_of(c.bodies, 5);
            NEAR(t, worst_rate(&c), 0, 1e-9);
            kin_vec3 pushed = kin_v(0, 0, 0);
            for (int j = 0; j < 2; ++j) {
                pushed = kin_add(pushed, kin_scale(m[j].normal, out[j].n));
                pushed = kin_add(pushed, kin_add(kin_scale(out[j].tangent, out[j].t), kin_scale(kin_cross(m[j].normal, out[j].tangent), out[j].k)));
                CHECK(t, kin_dot(velocity_between(c.bodies, &m[j]), m[j].normal) >= -1e-8);
            }
            NEAR3(t, kin_sub(after.momentum, before.momentum), pushed, 1e-11);
            CHECK(t, after.energy <= before.energy * (1 + 1e-12));
        }
    }
}

/* A planar four-bar: four hinges say three things twice. */
static void redundant_loop_survives(test* t)
{
    for (int k = 0; k < METHODS; ++k) {
        chain c = {.count = 4};
        const kin_vec3 corner[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
        for (uint32_t i = 0; i < 4; ++i) {
            kin_vec3 middle = kin_lerp(corner[i], corner[(i + 1) % 4], 0.5);
            c.bodies[i] = box_of(1, i % 2 ? kin_v(0.1, 1, 0.1) : kin_v(1, 0.1, 0.1), middle);
            c.bodies[i].velocity = kin_v(0, -2, 0);
        }
        for (uint32_t i = 0; i < 4; ++i) join(t, &c, KIN_JOINT_HINGE, i, (i + 1) % 4, corner[(i + 1) % 4], kin_v(0, 0, 1));
        kin_meeting m = {.a = 0, .b = KIN_NO_BODY, .point = {0.2, 0, 0}, .normal = {0, 1, 0}, .restitution = 0.5, .friction = {0.5, 0.5}};
        totals before = totals_of(c.bodies, 4);
        kin_impulse out;
        CHECK(t, hit(t, &c, &m, 1, methods[k], &out).converged);
        NEAR(t, worst_rate(&c), 0, 1e-8);
        totals after = totals_of(c.bodies, 4);
        CHECK(t, after.energy <= before.energy);
        if (methods[k] != KIN_IMPULSE_MICRO) NEAR(t, velocity_between(c.bodies, &m).y, 1, 1e-8);
        NEAR(t, after.momentum.y, before.momentum.y + out.n, 1e-9);
    }
}

/* Fig 5.12: two chains, B1-B2 and B3-B4-B5-B6, meet at B1 and B4: one group, equal and opposite blows, momentum kept. */
static void two_chains_meet(test* t)
{
    for (int k = 0; k < METHODS; ++k) {
        dice d = {.key = {.seed = 12}};
        chain c = {.count = 0};
        make_row(&c, 6, kin_v(0, 0, 0), &d);
        for (uint32_t i = 0; i < 2; ++i) c.bodies[i].position = kin_v(2 + (double)i, 1, 0), c.bodies[i].velocity = kin_v(0, -3, 0);
        join(t, &c, KIN_JOINT_BALL, 0, 1, kin_v(2.5, 1, 0), kin_v(0, 0, 1));
        for (uint32_t i = 2; i < 5; ++i) join(t, &c, KIN_JOINT_BALL, i, i + 1, kin_v(i + 0.5, 0, 0), kin_v(0, 0, 1));
        kin_meeting m = {.a = 0,
                         .b = 3,
                         .point = {2.4, 0.5, 0.1},
                         .normal = kin_normalize_or(kin_v(-0.2, 1, 0), kin_v(0, 1, 0)),
                         .restitution = 0.8,
                         .friction = {0.2, 0.2}};
        kin_body start[6];
        memcpy(start, c.bodies, sizeof start);
        totals before = totals_of(c.bodies, 6);
        CHECK(t, hit(t, &c, &m, 1, methods[k], NULL).converged);
        totals after = totals_of(c.bodies, 6);
        NEAR3(t, after.momentum, before.momentum, 1e-13);
        NEAR3(t, after.angular, before.angular, 1e-12);
        CHECK(t, after.energy < before.energy);
        NEAR(t, worst_rate(&c), 0, 1e-10);
        for (int i = 0; i < 6; ++i) CHECK(t, kin_length(kin_sub(c.bodies[i].velocity, start[i].velocity)) > 1e-4); /* every link feels it at once */
    }
}

/* A limit that would be passed stops; one that opens does not hold. */
static void limits_act_one_way(test* t)
{
    for (int k = 0; k < METHODS; ++k) {
        for (int way = -1; way <= 1; way += 2) {
            chain c = {.count = 1, .row_count = 1};
            c.bodies[0] = rod_of(2, 1, kin_v(0.5, 0, 0), kin_v(0, 0, 0));
            join(t, &c, KIN_JOINT_BALL, 0, KIN_NO_BODY, kin_v(0, 0, 0), kin_v(0, 0, 1));
            c.rows[0] = (kin_joint_at){0, KIN_NO_BODY, {.angular_a = {0, 0, 1}, .kind = KIN_ROW_LIMIT, .angular = true}};
            c.bodies[0].spin = kin_v(0, 1, 2);
            c.bodies[0].velocity = kin_cross(c.bodies[0].spin, c.bodies[0].position);
            kin_meeting m = {.a = 0, .b = KIN_NO_BODY, .point = {1, 0, 0}, .normal = {0, -way, 0}, .restitution = 0.5};
            if (way < 0) c.bodies[0].spin = kin_v(0, 1, -2), c.bodies[0].velocity = kin_cross(c.bodies[0].spin, c.bodies[0].position);
            kin_impulse out;
            CHECK(t, hit(t, &c, &m, 1, methods[k], &out).converged);
            /* way 1: it comes back at -1 and the limit (C' >= 0) stops it; way -1: it comes back at +1, which the limit allows */
            if (way > 0) CHECK(t, c.bodies[0].spin.z >= -1e-12 && c.answers[0] >= 0);
            if (way < 0) NEAR(t, c.bodies[0].spin.z, 1, 0.51);
            NEAR(t, c.bodies[0].spin.y, 1, 1e-12);
        }
    }
}

/* No meeting at all: joints that drifted are stopped, a limit that closes too. */
static void joints_alone_are_stopped(test* t)
{
    for (int k = 0; k < METHODS; ++k) {
        dice d = {.key = {.seed = 13}};
        chain c = {.count = 0};
        make_row(&c, 4, kin_v(1, 2, 3), &d);
        for (uint32_t j = 0; j < 3; ++j) join(t, &c, kinds[j], j, j + 1, kin_v(j + 0.5, 0, 0), kin_v(0, 0, 1));
        for (int i = 0; i < 4; ++i) c.bodies[i].spin = roll3(&d, 1);
        c.rows[c.row_count++] = (kin_joint_at){0, KIN_NO_BODY, {.linear_a = {-1, 0, 0}, .kind = KIN_ROW_LIMIT}};
        totals before = totals_of(c.bodies, 4);
        CHECK(t, hit(t, &c, NULL, 0, methods[k], NULL).converged);
        CHECK(t, totals_of(c.bodies, 4).energy < before.energy);
        CHECK(t, c.bodies[0].velocity.x <= 1e-9 && c.answers[c.row_count - 1] > 0);
        --c.row_count;
        NEAR(t, worst_rate(&c), 0, 1e-9);
    }
}

TEST_MAIN("contact/impulse joints", TEST(hinged_rod_hit_where_the_pivot_feels_nothing), TEST(two_rods_share_a_blow), TEST(chains_keep_the_laws),
          TEST(redundant_loop_survives), TEST(two_chains_meet), TEST(limits_act_one_way), TEST(joints_alone_are_stopped))
