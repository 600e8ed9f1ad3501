/* blocks_test.c - joint graphs solved directly among bodies in lanes: what they give each other. */
#include "base/alloc.h"
#include "contact/realtime/realtime.h"
#include "scenes.h"
#include "support/test.h"

enum { LINKS = 20 };

static kin_body* body(scene* s, uint32_t i) { return &s->group->bodies.body[i]; }

static double energy(scene* s)
{
    double sum = 0;
    for (uint32_t i = 0; i < s->group->bodies.count; ++i) {
        const kin_body* b = body(s, i);
        double scale = s->group->bodies.skin[i].gravity_scale;
        if (b->inv_mass > 0) sum += kin_body_kinetic(b) - scale * b->mass * kin_dot(s->fields.gravity, b->position);
    }
    return sum;
}

static kin_vec3 momentum(scene* s)
{
    kin_vec3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < s->group->bodies.count; ++i) sum = kin_add_scaled(sum, body(s, i)->mass, body(s, i)->velocity);
    return sum;
}

static void ball_joint(scene* s, uint32_t a, uint32_t b, kin_vec3 anchor)
{
    uint32_t index;
    kin_joint_def def = {.kind = KIN_JOINT_BALL, .anchor = anchor, .axis = {1, 0, 0}};
    kin_group_add_joint(s->group, &def, a, b, (kin_anchor){.system = 1, .element = s->group->joint_count}, &index, NULL);
}

static void weigh(kin_body* b, double mass)
{
    double scale = mass / b->mass;
    b->mass *= scale, b->inv_mass /= scale;
    b->moments = kin_scale(b->moments, scale), b->inv_moments = kin_scale(b->inv_moments, 1 / scale);
}

/* Links of 1 kg, 0.5 m long, from `top` along a direction, and a ball of 1 t and 0.6 m jointed at its rim. Returns the ball. */
static uint32_t chain(scene* s, kin_vec3 top, kin_vec3 along, bool anchored, kin_material_id m)
{
    kin_quat turn = kin_quat_between(kin_v(0, 1, 0), along);
    uint32_t last = KIN_NO_BODY;
    for (int i = 0; i <= LINKS; ++i) {
        bool ball = i == LINKS;
        uint32_t made =
            scene_add(s, (scene_body){.shape = {.kind = ball ? KIN_SHAPE_SPHERE : KIN_SHAPE_CAPSULE, .radius = ball ? 0.6 : 0.05, .length = ball ? 0 : 0.4},
                                      .position = kin_add_scaled(top, ball ? 0.5 * i + 0.6 : 0.5 * i + 0.25, along),
                                      .orientation = turn,
                                      .motion = KIN_BODY_FREE,
                                      .density = 1000,
                                      .material = m,
                                      .skin = {.filter = ball ? (kin_filter){1, 1, 0} : (kin_filter){2, 2, -1}}});
        weigh(body(s, made), ball ? 1000 : 1);
        if (last != KIN_NO_BODY || anchored) ball_joint(s, made, last, kin_add_scaled(top, 0.5 * i, along));
        last = made;
    }
    return last;
}

/* Three by four bricks, two deep, that nothing holds. */
static void loose_wall(scene* s, kin_vec3 at, kin_material_id m)
{
    for (int i = 0; i < 24; ++i)
        scene_box(s, kin_v(0.4, 0.4, 0.7), kin_add(at, kin_v(0.2 + 0.401 * (i % 2), 0.401 * (i / 2 % 4) - 0.6, 0.702 * (i / 8) - 0.702)), 1800, m);
}

/* Steps: the most that the energy rose from one to a later one; how fast a body came along x. */
static double rise_of(scene* s, int steps, uint32_t of, double* fastest)
{
    double least = energy(s), rise = 0;
    *fastest = 0;
    for (int i = 0; i < steps; ++i) {
        scene_step(s);
        double now = energy(s);
        rise = kin_max(rise, now - least);
        least = kin_min(least, now);
        *fastest = kin_max(*fastest, body(s, of)->velocity.x);
    }
    return rise;
}

/* Nothing holds anything: momentum is kept to the rounding of lanes, and no energy is made. */
static void blow_on_a_loose_wall_keeps_momentum(test* t)
{
    scene s;
    CHECK(t, scene_begin(&s, &t->allocator, 1));
    s.fields.gravity = kin_v(0, 0, 0);
    kin_material_id m = scene_material(&s, "brick", 0.6, 0, 0, 0);
    uint32_t ball = chain(&s, kin_v(0, 10.6, 0), kin_v(0, -1, 0), false, m);
    loose_wall(&s, kin_v(0.8, 0, 0), m);
    body(&s, ball)->velocity = kin_v(10, 0, 0);
    scene_step(&s); /* the chain takes its share */
    kin_vec3 p = momentum(&s);
    double fastest, before = body(&s, ball)->velocity.x, rise = rise_of(&s, 60, ball, &fastest);
    CHECK(t, rise <= 1e-6 * 5e4);
    NEAR3(t, momentum(&s), p, 1e-6 * kin_length(p));
    CHECK(t, fastest <= before && body(&s, ball)->velocity.x < 0.5 * before);
    scene_end(&s);
}

/* The chain hangs from the world and swings into the wall: whether that is loose or stands fast, and whether they bounce, no energy is made. */
static void wrecking_ball_makes_no_energy(test* t)
{
    for (int k = 0; k < 4; ++k) {
        scene s;
        CHECK(t, scene_begin(&s, &t->allocator, 1));
        kin_material_id m = scene_material(&s, "brick", 0.6, k & 1 ? 0.5 : 0, 0, 0);
        double lean = 1.1;
        uint32_t ball = chain(&s, kin_v(0, 10.6, 0), kin_v(-kin_sin(lean), -kin_cos(lean), 0), true, m);
        if (k < 2)
            scene_add(&s, (scene_body){.shape = {.kind = KIN_SHAPE_BOX, .size = {1, 4, 4}}, .position = {1.3, 0, 0}, .motion = KIN_BODY_FIXED, .material = m});
        else
            loose_wall(&s, kin_v(0.8, 0, 0), m);
        for (uint32_t i = 0; i < s.group->bodies.count; ++i) s.group->bodies.skin[i].gravity_scale = i <= ball ? 1 : 0; /* bricks wait in the air */
        double start = energy(&s), fastest, rise = rise_of(&s, 180, ball, &fastest);
        CHECK(t, fastest > 8);
        CHECK(t, body(&s, ball)->velocity.x < 0.8 * fastest);
        CHECK(t, rise <= 1e-6 * start);
        scene_end(&s);
    }
}

static void fix(scene* s, kin_joint_kind kind, uint32_t a, uint32_t b, kin_vec3 anchor)
{
    uint32_t index;
    kin_joint_def def = {.kind = kind, .anchor = anchor, .axis = {0, 0, 1}};
    kin_group_add_joint(s->group, &def, a, b, (kin_anchor){.system = 1, .element = s->group->joint_count}, &index, NULL);
}

/* A tray of light boards, fixed to a plank on a hinge, whose edges touch: their contacts can move nothing, so they may not do anything. A crate lies on the
 * plank's other end. */
static void what_joints_hold_is_not_pushed(test* t)
{
    const struct {
        kin_vec3 size, position;
    } boards[] = {{{0.06, 0.3, 0.62}, {-1.3, 0.79, 0}},
                  {{0.06, 0.3, 0.62}, {-0.58, 0.79, 0}},
                  {{0.66, 0.3, 0.05}, {-0.94, 0.79, -0.3}},
                  {{0.66, 0.3, 0.05}, {-0.94, 0.79, 0.3}}};
    scene s;
    CHECK(t, scene_begin(&s, &t->allocator, 1));
    uint32_t plank = scene_add(
        &s, (scene_body){.shape = {.kind = KIN_SHAPE_BOX, .size = {2.7, 0.07, 0.62}}, .position = {0, 0.6, 0}, .motion = KIN_BODY_FREE, .density = 1000});
    uint32_t crate = scene_add(
        &s, (scene_body){.shape = {.kind = KIN_SHAPE_BOX, .size = {0.34, 0.34, 0.34}}, .position = {1.1, 0.806, 0}, .motion = KIN_BODY_FREE, .density = 1000});
    weigh(body(&s, plank), 5);
    weigh(body(&s, crate), 2.5);
    fix(&s, KIN_JOINT_HINGE, plank, KIN_NO_BODY, kin_v(0, 0.55, 0));
    for (int i = 0; i < 4; ++i) {
        uint32_t board = scene_add(
            &s,
            (scene_body){.shape = {.kind = KIN_SHAPE_BOX, .size = boards[i].size}, .position = boards[i].position, .motion = KIN_BODY_FREE, .density = 1000});
        weigh(body(&s, board), 0.2);
        fix(&s, KIN_JOINT_FIXED, plank, board, kin_v(boards[i].position.x, 0.64, boards[i].position.z));
    }
    double fastest, rise = rise_of(&s, 60, crate, &fastest);
    CHECK(t, rise <= 2.5 * 9.81 * 1e-4); /* J: what the crate's soft contact gives back, its weight by a tenth of a millimetre */
    CHECK(t, fastest < 1);               /* m/s: it leans with the plank */
    scene_end(&s);
}

/* A body that takes no part holds nothing, as soft rows or in a block; when it is back, so is the joint. */
static void joint_to_a_body_that_is_away_lets_go(test* t)
{
    for (int k = 0; k < 2; ++k) { /* 1 : 1, and a block */
        scene s;
        CHECK(t, scene_begin(&s, &t->allocator, 1));
        uint32_t top = scene_add(&s, (scene_body){.shape = {.kind = KIN_SHAPE_SPHERE, .radius = 0.1}, .motion = KIN_BODY_FIXED});
        uint32_t middle = scene_ball(&s, 0.1, kin_v(0, -1, 0), 1000, (kin_material_id){0}),
                 low = scene_ball(&s, 0.1, kin_v(0, -2, 0), k ? 1e6 : 1000, (kin_material_id){0});
        ball_joint(&s, top, middle, kin_v(0, 0, 0));
        ball_joint(&s, middle, low, kin_v(0, -2, 0));
        scene_steps(&s, 10);
        NEAR(t, body(&s, low)->position.y, -2, 0.01);
        kin_group_set_motion(s.group, top, KIN_BODY_GONE);
        scene_steps(&s, 6);
        NEAR(t, body(&s, low)->velocity.y, -9.81 * 0.1, 1e-3);
        NEAR(t, body(&s, middle)->velocity.y, -9.81 * 0.1, 1e-3);
        kin_vec3 force, torque;
        s.group->ops->joint_load(s.group->solver, 0, &force, &torque);
        NEAR3(t, force, kin_v(0, 0, 0), 0);
        kin_group_set_motion(s.group, top, KIN_BODY_FIXED);
        scene_steps(&s, 60);
        NEAR(t, kin_length(body(&s, middle)->position), 1, 0.02);
        scene_end(&s);
    }
}

static uint32_t link_of(scene* s, kin_vec3 from, kin_vec3 to, kin_material_id m)
{
    uint32_t made = scene_add(s, (scene_body){.shape = {.kind = KIN_SHAPE_BOX, .size = {0.1, kin_distance(from, to), 0.1}},
                                              .position = kin_scale(kin_add(from, to), 0.5),
                                              .orientation = kin_quat_between(kin_v(0, 1, 0), kin_sub(to, from)),
                                              .motion = KIN_BODY_FREE,
                                              .density = 1000,
                                              .material = m});
    weigh(body(s, made), 1);
    return made;
}

/* Links of 0.5 m along a direction, the first jointed to a body at `from`. Returns the last. */
static uint32_t strand(scene* s, kin_vec3 from, kin_vec3 along, int count, uint32_t joined, kin_material_id m)
{
    for (int i = 0; i < count; ++i) {
        kin_vec3 begin = kin_add_scaled(from, 0.5 * i, along);
        uint32_t made = link_of(s, begin, kin_add_scaled(begin, 0.5, along), m);
        ball_joint(s, made, joined, begin);
        joined = made;
    }
    return joined;
}

/* A chain hangs in a trough; over its lowest link another one carries a ton on each side: 20 kN between links of 1 kg. Returns both links. */
static void hang_chains(scene* s, uint32_t* bottom, uint32_t* over)
{
    kin_material_id m = scene_material(s, "steel", 0.3, 0, 0, 0);
    double slope = kin_sqrt(0.5), high = 0.1 + 0.005;
    *bottom = link_of(s, kin_v(-0.25, 0, 0), kin_v(0.25, 0, 0), m), *over = link_of(s, kin_v(0, high, -0.25), kin_v(0, high, 0.25), m);
    for (int side = -1; side <= 1; side += 2) {
        kin_vec3 up = {slope * side, slope, 0}, corner = {0.25 * side, 0, 0}, down = {0, high, 0.25 * side};
        ball_joint(s, strand(s, corner, up, 8, *bottom, m), KIN_NO_BODY, kin_add_scaled(corner, 4, up));
        uint32_t low = strand(s, down, kin_v(0, -1, 0), 4, *over, m), ball = scene_ball(s, 0.2, kin_v(0, high - 2, 0.25 * side), 1000, m);
        weigh(body(s, ball), 1000);
        ball_joint(s, ball, low, body(s, ball)->position);
    }
}

/* They lie flat on each other. */
static void chains_bear_each_other(test* t)
{
    scene s;
    uint32_t bottom, over;
    CHECK(t, scene_begin(&s, &t->allocator, 1));
    hang_chains(&s, &bottom, &over);
    double fastest, start = energy(&s), rise = rise_of(&s, 120, over, &fastest);
    CHECK(t, rise <= 1e-6 * kin_abs(start));
    NEAR3(t, kin_sub(body(&s, over)->position, body(&s, bottom)->position), kin_v(0, 0.1, 0), 1e-3);
    NEAR3(t, body(&s, over)->position, kin_v(0, 0.1, 0), 5e-3);
    NEAR3(t, body(&s, over)->velocity, kin_v(0, 0, 0), 1e-2);
    scene_end(&s);
}

/* Which graphs are joined is state: restored after every step they go on alike, also where they meet and part. */
static void joined_chains_are_restored(test* t)
{
    scene s[2];
    uint32_t bottom, over;
    for (int k = 0; k < 2; ++k) {
        CHECK(t, scene_begin(&s[k], &t->allocator, 1));
        hang_chains(&s[k], &bottom, &over);
    }
    for (int i = 0; i < 30; ++i) {
        for (int k = 0; k < 2; ++k) {
            if (i == 12) body(&s[k], over)->velocity = kin_v(0, 40, 0);
            scene_step(&s[k]);
        }
        CHECK(t, scene_hash(&s[0]) == scene_hash(&s[1]));
        kin_visitor save = {.mode = KIN_VISIT_SAVE, .allocator = t->allocator};
        kin_group_visit(s[0].group, &save);
        kin_visitor load = {.mode = KIN_VISIT_LOAD, .allocator = t->allocator, .data = save.data, .size = save.size};
        kin_group_visit(s[1].group, &load);
        EQUAL(t, save.result, KIN_OK);
        EQUAL(t, load.result, KIN_OK);
        kin_free(&t->allocator, save.data, save.capacity);
    }
    for (int k = 0; k < 2; ++k) scene_end(&s[k]);
}

/* Ten links of 1 kg and 20 kg at their end whirl about their anchor at 6 rad/s: 4 kN, too much for soft rows. Stopped, they need the block no longer. */
static void blocks_are_given_back(test* t)
{
    scene s;
    CHECK(t, scene_begin(&s, &t->allocator, 1));
    s.fields.gravity = kin_v(0, 0, 0);
    kin_material_id m = scene_material(&s, "m", 0.5, 0, 0, 0);
    uint32_t last = KIN_NO_BODY;
    for (int i = 0; i <= 10; ++i) {
        uint32_t made = scene_ball(&s, 0.1, kin_v(0.5 * i + 0.25, 0, 0), 1000, m);
        weigh(body(&s, made), i == 10 ? 20 : 1);
        body(&s, made)->velocity = kin_v(0, 6 * (0.5 * i + 0.25), 0), body(&s, made)->spin = kin_v(0, 0, 6);
        ball_joint(&s, made, last, kin_v(0.5 * i, 0, 0));
        last = made;
    }
    const kin_realtime* rt = s.group->solver;
    uint32_t most = 0;
    for (int k = 0; k < 60; ++k) {
        scene_step(&s);
        most = rt->block_count > most ? rt->block_count : most;
    }
    EQUAL(t, most, 1);
    NEAR(t, kin_length(body(&s, last)->position), 5.25, 0.01);
    for (uint32_t i = 0; i <= last; ++i) body(&s, i)->velocity = body(&s, i)->spin = kin_v(0, 0, 0);
    scene_steps(&s, 200);
    EQUAL(t, rt->block_count, 0);
    NEAR(t, kin_length(body(&s, last)->position), 5.25, 0.01);
    CHECK(t, kin_length(body(&s, last)->velocity) < 1e-3);
    scene_end(&s);
}

TEST_MAIN("contact_realtime_blocks", TEST(blow_on_a_loose_wall_keeps_momentum), TEST(wrecking_ball_makes_no_energy), TEST(what_joints_hold_is_not_pushed),
          TEST(joint_to_a_body_that_is_away_lets_go), TEST(chains_bear_each_other), TEST(joined_chains_are_restored), TEST(blocks_are_given_back))
