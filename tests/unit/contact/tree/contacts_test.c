/* contacts_test.c - what meets a block: pegs it winds round, ground it lies on, bodies it hits. */
#include "block.h"

/* ---- a peg ---- */

typedef struct peg {
    kin_vec3 center;
    double radius, friction;
} peg;

/* A point p of body i with a round or flat surface of thickness r there, against the peg along z. */
static int touch_peg(scene* s, kin_joint_tree_contact* c, uint32_t i, kin_vec3 p, double r, bool round)
{
    const peg* g = s->extra;
    kin_vec3 d = {p.x - g->center.x, p.y - g->center.y, 0};
    double distance = kin_length(d), separation = distance - g->radius - r;
    if (separation > 0.5) return 0;
    kin_vec3 n = kin_scale(d, 1 / distance);
    *c = (kin_joint_tree_contact){.a = i, .b = WORLD, .normal = n, .tangent = {0, 0, 1}, .separation = separation, .friction = g->friction};
    c->local_a = kin_unapply(kin_body_pose(&s->body[i]), kin_add_scaled(p, -r, n));
    c->local_b = kin_add(kin_add_scaled(g->center, g->radius, n), kin_v(0, 0, p.z));
    c->roll = round ? KIN_JOINT_TREE_ROUND : KIN_JOINT_TREE_FACE_A;
    c->round_a = round ? r : 0;
    c->round_b = g->radius;
    c->approach = kin_dot(n, kin_body_velocity_at(&s->body[i], p));
    return 1;
}

static kin_vec3 nearest_on_link(const kin_body* b, kin_vec3 to, double half)
{
    kin_vec3 along = kin_rotate(b->orientation, kin_v(1, 0, 0));
    return kin_add_scaled(b->position, kin_clamp(kin_dot(kin_sub(to, b->position), along), -half, half), along);
}

static int touch_with_chain(scene* s, kin_joint_tree_contact* c)
{
    const peg* g = s->extra;
    int n = 0;
    for (uint32_t i = 0; i < LINKS; ++i) n += touch_peg(s, c + n, i, nearest_on_link(&s->body[i], g->center, 0.5), 0.1, false);
    return n + touch_peg(s, c + n, BALL, s->body[BALL].position, 0.5, true);
}

static double depth_in_peg(const scene* s)
{
    const peg* g = s->extra;
    double deepest = 0;
    for (uint32_t i = 0; i < s->bodies; ++i) {
        kin_vec3 p = i == BALL ? s->body[i].position : nearest_on_link(&s->body[i], g->center, 0.5);
        kin_vec3 d = {p.x - g->center.x, p.y - g->center.y, 0};
        deepest = kin_max(deepest, g->radius + (i == BALL ? 0.5 : 0.1) - kin_length(d));
    }
    return deepest;
}

/* The swung chain meets a peg half way down and winds round it: 30 to 100 kN press links of 1 kg on it. */
static void wind(test* t, double ball_mass, double friction, double most_depth)
{
    scene s;
    scene_init(&s, t);
    peg g = {{0, 20, 0}, 0.3, friction};
    s.extra = &g;
    s.touch = touch_with_chain;
    scene_chain(&s, ball_mass, kin_quat_identity(), true);
    scene_build(&s);
    double least = scene_energy(&s), rise = 0, depth = 0, error = 0, wound = 0;
    for (int i = 0; i < 360; ++i) {
        scene_step(&s);
        rise = kin_max(rise, scene_energy(&s) - least);
        least = kin_min(least, scene_energy(&s));
        depth = kin_max(depth, depth_in_peg(&s));
        error = kin_max(error, scene_error(&s));
        wound = kin_max(wound, s.body[BALL].position.y);
    }
    CHECK(t, rise <= 1e-6 * ball_mass * 9.81 * 20);
    CHECK(t, depth < most_depth);
    CHECK(t, error < 2e-3);
    CHECK(t, wound > 20); /* it came up on the other side, round the peg */
    scene_term(&s);
}

static void chain_winds_round_a_peg(test* t)
{
    wind(t, 1000, 0, 1e-3);
    wind(t, 1000, 0.5, 5e-3);
    wind(t, 1, 0.5, 1e-3);
}

/* The ball hits a peg at 20 m/s: it stops there, without restitution, and neither gains nor passes. */
static void ball_stops_at_a_peg(test* t)
{
    scene s;
    scene_init(&s, t);
    peg g = {{-1.0, 9.5, 0}, 0.3, 0};
    s.extra = &g;
    s.touch = touch_with_chain;
    scene_chain(&s, 1000, kin_quat_identity(), true);
    scene_build(&s);
    double least = scene_energy(&s), rise = 0, depth = 0, fastest_back = 0;
    for (int i = 0; i < 200; ++i) {
        scene_step(&s);
        rise = kin_max(rise, scene_energy(&s) - least);
        least = kin_min(least, scene_energy(&s));
        depth = kin_max(depth, depth_in_peg(&s));
        fastest_back = kin_max(fastest_back, s.body[BALL].velocity.x);
        CHECK(t, scene_error(&s) < 1e-3);
    }
    CHECK(t, rise < 1e-3);
    CHECK(t, depth < 1e-3);
    CHECK(t, fastest_back < 0.5); /* of 20 m/s */
    scene_term(&s);
}

/* Weights on both sides of a peg, ropes of short links over it: friction bears a ratio of up to exp(mu pi), 2.6 at 0.3; frictionless the heavy one falls. */
enum { SHORT = 24 };
static int touch_rope(scene* s, kin_joint_tree_contact* c)
{
    const peg* g = s->extra;
    int n = 0;
    for (uint32_t i = 0; i < SHORT; ++i) n += touch_peg(s, c + n, i, nearest_on_link(&s->body[i], g->center, 0.125), 0.02, false);
    return n;
}

static double rope_slip(test* t, double ratio, double friction)
{
    scene s;
    scene_init(&s, t);
    peg g = {{0, 0, 0}, 0.8, friction};
    s.extra = &g;
    s.touch = touch_rope;
    double r = g.radius + 0.02 + 0.01, arc = KIN_PI * r, step = arc / 12; /* twelve links round the upper half, six straight down on each side */
    kin_vec3 joints[SHORT + 1];
    for (int i = 0; i <= SHORT; ++i) {
        double along = (i - SHORT / 2) * step, angle = KIN_PI / 2 - along / r, over = kin_abs(along) - arc / 2;
        joints[i] = over > 0 ? kin_v(along > 0 ? r : -r, -over, 0) : kin_v(r * kin_cos(angle), r * kin_sin(angle), 0);
    }
    for (int i = 0; i < SHORT; ++i) {
        kin_vec3 d = kin_sub(joints[i + 1], joints[i]);
        scene_box(&s, 0.1, kin_v(step, 0.04, 0.04), kin_scale(kin_add(joints[i], joints[i + 1]), 0.5), kin_quat_between(kin_v(1, 0, 0), d));
    }
    uint32_t light = scene_ball(&s, 10, 0.1, kin_sub(joints[0], kin_v(0, 0.1, 0))),
             heavy = scene_ball(&s, 10 * ratio, 0.1, kin_sub(joints[SHORT], kin_v(0, 0.1, 0)));
    for (uint32_t i = 1; i < SHORT; ++i) scene_ball_joint(&s, i - 1, i, joints[i]);
    scene_ball_joint(&s, light, 0, joints[0]);
    scene_ball_joint(&s, SHORT - 1, heavy, joints[SHORT]);
    scene_build(&s);
    for (int i = 0; i < 20; ++i) scene_step(&s); /* it lies down on the peg */
    double from = s.body[heavy].position.y;
    for (int i = 0; i < 20; ++i) scene_step(&s);
    double slip = from - s.body[heavy].position.y;
    CHECK(t, scene_error(&s) < 1e-4);
    scene_term(&s);
    return slip;
}

static void friction_on_a_peg_bears_as_a_capstan(test* t)
{
    CHECK(t, kin_abs(rope_slip(t, 1.8, 0.3)) < 0.01); /* e^(0.3 pi) = 2.57 */
    CHECK(t, rope_slip(t, 4, 0.3) > 0.1);
    CHECK(t, rope_slip(t, 1.8, 0) > 0.2);
}

/* ---- ground ---- */

static double ground_friction, ground_restitution;
static kin_vec3 ground_speed;

/* The corners of links of 1 m against y = 0. */
static int touch_ground(scene* s, kin_joint_tree_contact* c)
{
    int n = 0;
    for (uint32_t i = 0; i + s->outside < s->bodies && n < SCENE_CONTACTS - 4; ++i) {
        for (int k = 0; k < 4; ++k) {
            kin_vec3 local = {k & 1 ? 0.5 : -0.5, -0.1, k & 2 ? 0.1 : -0.1}, p = kin_apply(kin_body_pose(&s->body[i]), local);
            c[n] = (kin_joint_tree_contact){
                .a = i, .b = WORLD, .local_a = local, .local_b = {p.x, 0, p.z}, .normal = {0, 1, 0}, .tangent = {1, 0, 0}, .separation = p.y};
            c[n].friction = ground_friction;
            c[n].restitution = ground_restitution;
            c[n].surface = ground_speed;
            c[n].approach = kin_body_velocity_at(&s->body[i], p).y;
            ++n;
        }
    }
    return n;
}

static void lay_links(scene* s, int count, double height)
{
    for (int i = 0; i < count; ++i) scene_box(s, 1, kin_v(1, 0.2, 0.2), kin_v(i + 0.5, height, 0), kin_quat_identity());
    for (uint32_t i = 1; (int)i < count; ++i) scene_ball_joint(s, i - 1, i, kin_v(i, height, 0));
    s->touch = touch_ground;
}

/* Along itself over the ground: it stops after v^2 / (2 mu g), in v / (mu g). */
static void sliding_chain_stops_in_time(test* t)
{
    scene s;
    scene_init(&s, t);
    lay_links(&s, 5, 0.1);
    ground_friction = 0.3;
    ground_restitution = 0;
    for (uint32_t i = 0; i < s.bodies; ++i) s.body[i].velocity = kin_v(2, 0, 0);
    scene_build(&s);
    double a = 0.3 * 9.81;
    for (int i = 0; i < 60; ++i) {
        scene_step(&s);
        NEAR(t, s.body[2].velocity.x, kin_max(0, 2 - a * (i + 1) * s.frame), 1e-6);
        CHECK(t, s.body[2].position.y > 0.1 - 1e-5);
    }
    NEAR(t, s.body[0].position.x, 0.5 + 4 / (2 * a), 2e-3);
    scene_term(&s);
}

/* On a belt it is carried along. */
static void belt_carries_a_chain(test* t)
{
    scene s;
    scene_init(&s, t);
    lay_links(&s, 4, 0.1);
    ground_friction = 0.5;
    ground_speed = kin_v(-1, 0, 0); /* of the links' surface against the ground's */
    scene_build(&s);
    for (int i = 0; i < 60; ++i) scene_step(&s);
    ground_speed = kin_v(0, 0, 0);
    for (uint32_t i = 0; i < s.bodies; ++i) NEAR3(t, s.body[i].velocity, kin_v(1, 0, 0), 1e-6);
    scene_term(&s);
}

/* Flat on the ground at 5 m/s with restitution 0.5: it goes up at 2.5 m/s, once. */
static void chain_bounces_by_its_restitution(test* t)
{
    scene s;
    scene_init(&s, t);
    s.gravity = kin_v(0, 0, 0);
    lay_links(&s, 3, 0.3);
    ground_friction = 0;
    ground_restitution = 0.5;
    for (uint32_t i = 0; i < s.bodies; ++i) s.body[i].velocity = kin_v(0, -5, 0);
    scene_build(&s);
    for (int i = 0; i < 10; ++i) scene_step(&s);
    for (uint32_t i = 0; i < s.bodies; ++i) NEAR3(t, s.body[i].velocity, kin_v(0, 2.5, 0), 1e-6);
    ground_restitution = 0;
    scene_term(&s);
}

/* ---- other bodies ---- */

typedef struct meeting {
    uint32_t a, b; /* balls; b is not the block's */
    double sum, restitution;
} meeting;

static int touch_other(scene* s, kin_joint_tree_contact* c)
{
    const meeting* m = s->extra;
    kin_body *a = &s->body[m->a], *b = &s->body[m->b];
    kin_vec3 d = kin_sub(a->position, b->position), n = kin_normalize_or(d, kin_v(1, 0, 0));
    double ra = m->sum / 2;
    if (kin_length(d) - m->sum > 1) return 0;
    *c = (kin_joint_tree_contact){.a = m->a, .b = m->b, .other = b, .normal = n, .tangent = kin_normalize_or(kin_cross(n, kin_v(0, 1, 0)), kin_v(0, 0, 1))};
    c->separation = kin_length(d) - m->sum;
    c->local_a = kin_unapply(kin_body_pose(a), kin_add_scaled(a->position, -ra, n));
    c->local_b = kin_unapply(kin_body_pose(b), kin_add_scaled(b->position, ra, n));
    c->roll = KIN_JOINT_TREE_ROUND;
    c->round_a = c->round_b = ra;
    c->friction = 0.4;
    c->restitution = m->restitution;
    c->approach = kin_dot(n, kin_sub(a->velocity, b->velocity));
    return 1;
}

/* The wrecking ball of a free chain hits a block off its centre: momenta of all to rounding, and away by the restitution. */
static void blow_on_another_body_keeps_momentum(test* t)
{
    for (int k = 0; k < 2; ++k) {
        scene s;
        scene_init(&s, t);
        s.gravity = kin_v(0, 0, 0);
        scene_chain(&s, 1000, kin_quat_identity(), false);
        uint32_t block = scene_ball(&s, 200, 0.5, kin_add(s.body[BALL].position, kin_v(0.3, 0.2, -1.6)));
        meeting m = {BALL, block, 1, k ? 0.6 : 0};
        s.outside = 1;
        s.extra = &m;
        s.touch = touch_other;
        s.body[block].velocity = kin_v(0, 0, 4);
        scene_build(&s);
        kin_vec3 l0, l, p0 = scene_momentum(&s, &l0), p;
        double start = scene_energy(&s), rate = 0;
        bool met = false;
        for (int i = 0; i < 30; ++i) {
            scene_step(&s);
            if (!met && s.contacts && s.contact[0].largest > 0) {
                met = true;
                kin_vec3 n = kin_normalize_or(kin_sub(s.body[BALL].position, s.body[block].position), kin_v(1, 0, 0));
                rate = kin_dot(n, kin_sub(s.body[BALL].velocity, s.body[block].velocity)) / -s.contact[0].approach;
            }
        }
        CHECK(t, met);
        NEAR(t, rate, m.restitution, 0.02);
        p = scene_momentum(&s, &l);
        NEAR3(t, p, p0, 1e-10);
        NEAR3(t, l, l0, 0.02 * kin_length(l0)); /* the other's place is taken at the start of a substep */
        CHECK(t, scene_energy(&s) <= start * (1 + 1e-9));
        CHECK(t, scene_error(&s) < 1e-5);
        scene_term(&s);
    }
}

/* Of an anchored chain: the block is thrown, the chain holds, no energy comes in. */
static void wrecking_ball_throws_a_block(test* t)
{
    scene s;
    scene_init(&s, t);
    scene_chain(&s, 1000, kin_quat_identity(), true);
    uint32_t block = scene_ball(&s, 100, 0.5, kin_v(-1, 9.5, 0));
    meeting m = {BALL, block, 1, 0.2};
    s.outside = 1;
    s.extra = &m;
    s.touch = touch_other;
    scene_build(&s);
    s.body[block].inv_mass = 0; /* it waits on its shelf */
    while (s.body[BALL].position.x - s.body[block].position.x > 1.5) scene_step(&s);
    s.body[block].inv_mass = 1.0 / 100;
    double before = scene_energy(&s);
    for (int i = 0; i < 20; ++i) {
        scene_step(&s);
        CHECK(t, scene_error(&s) < 1e-4);
    }
    NEAR(t, s.body[block].velocity.x, -1.2 * 20.05 * 1000 / 1100, 0.5);                 /* (1 + e) v M / (M + m) */
    CHECK(t, scene_energy(&s) <= before + 60 * 0.5 * 100 * 9.81 * 9.81 / (60.0 * 240)); /* the block's own steps of Euler's are not exact */
    scene_term(&s);
}

TEST_MAIN("contact_tree_contacts", TEST(chain_winds_round_a_peg), TEST(ball_stops_at_a_peg), TEST(friction_on_a_peg_bears_as_a_capstan),
          TEST(sliding_chain_stops_in_time), TEST(belt_carries_a_chain), TEST(chain_bounces_by_its_restitution), TEST(blow_on_another_body_keeps_momentum),
          TEST(wrecking_ball_throws_a_block))
