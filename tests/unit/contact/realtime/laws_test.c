/* laws_test.c - one or two bodies with the real-time solver against what mechanics says. Tolerances: a substep's worth of velocity or way, where not said. */
#include "base/alloc.h"
#include "scenes.h"
#include "support/test.h"

#define G 9.81

static kin_body* body(scene* s, uint32_t i) { return &s->group->bodies.body[i]; }

static uint32_t incline(scene* s, double angle, kin_material_id m)
{
    return scene_add(s, (scene_body){.shape = {.kind = KIN_SHAPE_BOX, .size = {200, 2, 20}},
                                     .orientation = kin_quat_axis_angle(kin_v(0, 0, 1), angle),
                                     .position = kin_rotate(kin_quat_axis_angle(kin_v(0, 0, 1), angle), kin_v(0, -1, 0)),
                                     .motion = KIN_BODY_FIXED,
                                     .material = m});
}

static void free_fall(test* t) /* semi-implicit substeps: -g t^2 (1 + 1/n) / 2 */
{
    scene s;
    CHECK(t, scene_begin(&s, &t->allocator, 1));
    uint32_t b = scene_ball(&s, 0.5, kin_v(0, 100, 0), 1000, (kin_material_id){0});
    scene_steps(&s, 60);
    NEAR(t, body(&s, b)->position.y, 100 - 0.5 * G * (1 + 1.0 / 240), 1e-4);
    NEAR(t, body(&s, b)->velocity.y, -G, 1e-4);
    scene_end(&s);
}

/* Slid distance after a second, from rest: (g sin - mu g cos) / 2, or none while tan <= mu. */
static void box_on_incline(test* t)
{
    static const double angles[] = {0.1, 0.3, 0.45, 0.6, 0.8};
    double mu = 0.5;
    for (int k = 0; k < 5; ++k) {
        scene s;
        CHECK(t, scene_begin(&s, &t->allocator, 1));
        kin_material_id m = scene_material(&s, "slope", mu, 0, 0, 0);
        double angle = angles[k], a = G * (kin_sin(angle) - mu * kin_cos(angle));
        incline(&s, angle, m);
        kin_quat q = kin_quat_axis_angle(kin_v(0, 0, 1), angle);
        uint32_t b = scene_add(&s, (scene_body){.shape = {.kind = KIN_SHAPE_BOX, .size = {1, 0.4, 1}},
                                                .position = kin_rotate(q, kin_v(20, 0.2, 0)),
                                                .orientation = q,
                                                .motion = KIN_BODY_FREE,
                                                .density = 500,
                                                .material = m});
        kin_vec3 from = body(&s, b)->position, down = kin_rotate(q, kin_v(-1, 0, 0));
        scene_steps(&s, 60);
        double way = kin_dot(kin_sub(body(&s, b)->position, from), down);
        if (a <= 0)
            NEAR(t, way, 0, 2e-3);
        else
            NEAR(t, way, 0.5 * a, 0.02 * a + 2e-3);
        scene_end(&s);
    }
}

static void static_friction_holds_longer(test* t) /* mu_s 0.6, mu_d 0.3 at tan = 0.45: it stays; pushed on, it slides with mu_d */
{
    for (int pushed = 0; pushed < 2; ++pushed) {
        scene s;
        CHECK(t, scene_begin(&s, &t->allocator, 1));
        kin_material_def def = kin_material_def_default();
        kin_material_id m;
        def.name = "two", def.restitution = 0;
        for (int i = 0; i < 2; ++i) def.static_friction[i] = 0.6, def.dynamic_friction[i] = 0.3;
        kin_materials_add(&s.materials, &def, &m, NULL);
        double angle = kin_atan(0.45), a = G * (kin_sin(angle) - 0.3 * kin_cos(angle));
        kin_quat q = kin_quat_axis_angle(kin_v(0, 0, 1), angle);
        kin_vec3 down = kin_rotate(q, kin_v(-1, 0, 0));
        incline(&s, angle, m);
        uint32_t b = scene_add(&s, (scene_body){.shape = {.kind = KIN_SHAPE_BOX, .size = {1, 0.4, 1}},
                                                .position = kin_rotate(q, kin_v(20, 0.2, 0)),
                                                .orientation = q,
                                                .velocity = kin_scale(down, pushed ? 1 : 0),
                                                .motion = KIN_BODY_FREE,
                                                .density = 500,
                                                .material = m});
        kin_vec3 from = body(&s, b)->position;
        scene_steps(&s, 60);
        double way = kin_dot(kin_sub(body(&s, b)->position, from), down);
        NEAR(t, way, pushed ? 1 + 0.5 * a : 0, pushed ? 0.05 : 2e-3);
        scene_end(&s);
    }
}

/* A ball that falls from 2 m rises to e^2 of its height; with e = 1 it keeps on doing so. */
static void bounces_keep_their_energy(test* t)
{
    static const double e[] = {0.3, 0.7, 1};
    for (int k = 0; k < 3; ++k) {
        scene s;
        CHECK(t, scene_begin(&s, &t->allocator, 1));
        kin_material_id m = scene_material(&s, "bouncy", 0.5, e[k], 0, 0);
        scene_ground(&s, m);
        uint32_t b = scene_ball(&s, 0.25, kin_v(0, 2.25, 0), 1000, m);
        double top = 2, last = 0;
        int bounces = 0;
        for (int i = 0; i < 900 && bounces < 8; ++i) {
            scene_step(&s);
            double v = body(&s, b)->velocity.y, height = body(&s, b)->position.y - 0.25 + v * v / (2 * G);
            if (last < 0 && v > 0) {
                bounces += 1;
                if (top > 0.2) NEAR(t, height, e[k] * e[k] * top, 0.02 * top + 5e-3);
                top = height;
            }
            last = v;
        }
        CHECK(t, bounces > 0);
        if (e[k] == 1) NEAR(t, top, 2, 0.05);
        scene_end(&s);
    }
}

/* Five boxes on one another land flat at 9 m/s without restitution: the blow that stopped them is not given again. A tenth of the speed is what a few sweeps
 * leave of it; as a warm start it threw them up at a third. */
static void stack_that_lands_stays_down(test* t)
{
    static const double speeds[] = {1, 3, 9};
    for (int k = 0; k < 3; ++k) {
        scene s;
        CHECK(t, scene_begin(&s, &t->allocator, 1));
        kin_material_id m = scene_material(&s, "crate", 0.5, 0, 0, 0);
        scene_ground(&s, m);
        for (int i = 0; i < 5; ++i) body(&s, scene_box(&s, kin_v(1, 1, 1), kin_v(0, 1 + i, 0), 1000, m))->velocity = kin_v(0, -speeds[k], 0);
        double up = 0, landed = 0;
        for (int i = 0; i < 90; ++i) {
            double mean = 0;
            scene_step(&s);
            for (uint32_t j = 1; j <= 5; ++j) mean += body(&s, j)->velocity.y / 5;
            up = kin_max(up, mean);
            landed = kin_max(landed, -mean);
        }
        CHECK(t, up < 0.15 * landed);
        NEAR(t, body(&s, 5)->position.y, 4.5, 0.01);
        scene_end(&s);
    }
}

/* All corners of a box meet the ground at once, with and without restitution: it comes to rest or goes straight up. The rest is of rows below FLAT. */
static void flat_landing_stays_straight(test* t)
{
    const kin_vec3 sizes[] = {{1, 1, 1}, {1, 0.2, 2}, {0.3, 1.2, 0.4}};
    for (int k = 0; k < 6; ++k) {
        scene s;
        CHECK(t, scene_begin(&s, &t->allocator, 1));
        kin_material_id m = scene_material(&s, "crate", 0.5, k & 1 ? 0.5 : 0, 0, 0);
        scene_ground(&s, m);
        uint32_t b = scene_box(&s, sizes[k / 2], kin_v(0.7, 2, 0.1), 1000, m);
        body(&s, b)->velocity = kin_v(0, -5, 0);
        for (int i = 0; i < 40; ++i) {
            scene_step(&s);
            NEAR3(t, body(&s, b)->velocity, kin_v(0, body(&s, b)->velocity.y, 0), 1e-3);
            NEAR3(t, body(&s, b)->spin, kin_v(0, 0, 0), 5e-3);
        }
        scene_end(&s);
    }
}

static void head_on_balls_exchange_velocities(test* t) /* equal masses, e = 1; momentum to float rounding */
{
    scene s;
    CHECK(t, scene_begin(&s, &t->allocator, 1));
    s.fields.gravity = kin_v(0, 0, 0);
    kin_material_id m = scene_material(&s, "steel", 0, 1, 0, 0);
    uint32_t a = scene_ball(&s, 0.5, kin_v(0, 0, 0), 1000, m), b = scene_ball(&s, 0.5, kin_v(3, 0, 0), 1000, m);
    body(&s, a)->velocity = kin_v(4, 0, 0);
    scene_steps(&s, 60);
    NEAR(t, body(&s, a)->velocity.x, 0, 1e-3);
    NEAR(t, body(&s, b)->velocity.x, 4, 1e-3);
    NEAR(t, body(&s, a)->velocity.x + body(&s, b)->velocity.x, 4, 1e-5);
    scene_end(&s);
}

static void momentum_is_kept_in_a_heap_of_collisions(test* t)
{
    scene s;
    CHECK(t, scene_begin(&s, &t->allocator, 1));
    s.fields.gravity = kin_v(0, 0, 0);
    kin_material_id m = scene_material(&s, "stuff", 0.5, 0.5, 0, 0);
    kin_vec3 p0 = {0, 0, 0}, l0 = p0, p1 = p0, l1 = p0;
    double size = 0;
    for (uint32_t i = 0; i < 60; ++i) {
        kin_vec3 at = {2 * scene_noise(5 * i), 2 * scene_noise(5 * i + 1), 2 * scene_noise(5 * i + 2)};
        uint32_t b = i % 2 ? scene_box(&s, kin_v(0.3, 0.4, 0.2), at, 1000, m) : scene_ball(&s, 0.2, at, 1000, m);
        body(&s, b)->velocity = kin_scale(kin_sub(kin_v(1, 1, 1), at), 3);
    }
    for (int k = 0; k < 2; ++k) {
        kin_vec3 *p = k ? &p1 : &p0, *l = k ? &l1 : &l0;
        for (uint32_t i = 0; i < s.group->bodies.count; ++i) {
            const kin_body* b = body(&s, i);
            *p = kin_add_scaled(*p, b->mass, b->velocity);
            *l = kin_add(*l, kin_add(kin_scale(kin_cross(b->position, b->velocity), b->mass), kin_body_angular_momentum(b)));
            if (k == 0) size += b->mass * kin_length(b->velocity);
        }
        if (k == 0) scene_steps(&s, 40);
    }
    NEAR3(t, p1, p0, 1e-5 * size);
    NEAR3(t, l1, l0, 0.02 * size); /* rows are frozen over the interval: angular momentum is kept to the way of a step */
    scene_end(&s);
}

static void sliding_ball_comes_to_roll(test* t) /* 5/7 of its speed, after 2 v / (7 mu g) */
{
    scene s;
    CHECK(t, scene_begin(&s, &t->allocator, 1));
    kin_material_id m = scene_material(&s, "lane", 0.3, 0, 0, 0);
    scene_ground(&s, m);
    uint32_t b = scene_ball(&s, 0.5, kin_v(0, 0.5, 0), 1000, m);
    body(&s, b)->velocity = kin_v(7, 0, 0);
    scene_steps(&s, 20); /* still sliding: until 0.68 s */
    NEAR(t, body(&s, b)->velocity.x, 7 - 0.3 * G * 20 / 60, 0.05);
    scene_steps(&s, 60);
    NEAR(t, body(&s, b)->velocity.x, 5, 0.03);
    NEAR(t, body(&s, b)->spin.z, -10, 0.06);
    scene_steps(&s, 120); /* and goes on rolling */
    NEAR(t, body(&s, b)->velocity.x, 5, 0.05);
    scene_end(&s);
}

static void rolling_friction_slows_a_ball(test* t) /* a torque of c m g: v' = -(5/7) g c / r */
{
    scene s;
    CHECK(t, scene_begin(&s, &t->allocator, 1));
    kin_material_id m = scene_material(&s, "grass", 0.6, 0, 0.02, 0);
    scene_ground(&s, m);
    uint32_t b = scene_ball(&s, 0.5, kin_v(0, 0.5, 0), 1000, m);
    body(&s, b)->velocity = kin_v(3, 0, 0), body(&s, b)->spin = kin_v(0, 0, -6);
    scene_steps(&s, 60);
    NEAR(t, body(&s, b)->velocity.x, 3 - 5.0 / 7 * G * 0.02 / 0.5, 0.03);
    scene_steps(&s, 900);
    NEAR(t, body(&s, b)->velocity.x, 0, 1e-3);
    scene_end(&s);
}

static void spinning_friction_slows_a_top(test* t) /* a torque of c m g about the normal: w' = -c m g / I */
{
    scene s;
    CHECK(t, scene_begin(&s, &t->allocator, 1));
    kin_material_id m = scene_material(&s, "felt", 0.6, 0, 0, 0.01);
    scene_ground(&s, m);
    uint32_t b = scene_ball(&s, 0.5, kin_v(0, 0.5, 0), 1000, m);
    body(&s, b)->spin = kin_v(0, 5, 0);
    scene_steps(&s, 60);
    NEAR(t, body(&s, b)->spin.y, 5 - 0.01 * G / (0.4 * 0.25), 0.03);
    scene_end(&s);
}

static void turning_box_is_slowed_by_its_corners(test* t) /* torsional friction from the patch: it stops, and does not start back */
{
    scene s;
    CHECK(t, scene_begin(&s, &t->allocator, 1));
    kin_material_id m = scene_material(&s, "wood", 0.4, 0, 0, 0);
    scene_ground(&s, m);
    uint32_t b = scene_box(&s, kin_v(1, 0.5, 1), kin_v(0, 0.25, 0), 500, m);
    body(&s, b)->spin = kin_v(0, 6, 0);
    double lever = kin_sqrt(0.5), moment = 1.0 / 6; /* corners carry the weight; m (a^2 + b^2) / 12 */
    scene_steps(&s, 15);
    NEAR(t, body(&s, b)->spin.y, 6 - 0.4 * G * lever / moment * 0.25, 0.3);
    scene_steps(&s, 60);
    NEAR(t, body(&s, b)->spin.y, 0, 1e-3);
    scene_end(&s);
}

static void conveyor_carries(test* t)
{
    scene s;
    CHECK(t, scene_begin(&s, &t->allocator, 1));
    kin_material_id m = scene_material(&s, "belt", 0.5, 0, 0, 0);
    scene_add(&s, (scene_body){.shape = {.kind = KIN_SHAPE_BOX, .size = {40, 1, 2}},
                               .position = {0, -0.5, 0},
                               .motion = KIN_BODY_FIXED,
                               .material = m,
                               .skin = {.surface_velocity = {2, 0, 0}}});
    uint32_t b = scene_box(&s, kin_v(0.5, 0.5, 0.5), kin_v(0, 0.25, 0), 500, m);
    scene_steps(&s, 12); /* not yet: mu g t = 0.98 */
    NEAR(t, body(&s, b)->velocity.x, 0.5 * G * 0.2, 0.05);
    scene_steps(&s, 60);
    NEAR(t, body(&s, b)->velocity.x, 2, 0.01);
    scene_end(&s);
}

static void keyed_platform_carries(test* t)
{
    scene s;
    CHECK(t, scene_begin(&s, &t->allocator, 1));
    kin_material_id m = scene_material(&s, "platform", 0.8, 0, 0, 0);
    uint32_t p =
        scene_add(&s, (scene_body){.shape = {.kind = KIN_SHAPE_BOX, .size = {4, 1, 4}}, .position = {0, -0.5, 0}, .motion = KIN_BODY_KEYED, .material = m});
    uint32_t b = scene_box(&s, kin_v(0.5, 0.5, 0.5), kin_v(0, 0.25, 0), 500, m);
    for (int i = 0; i < 120; ++i) {
        double x = 0.5 * i / 60, next = 0.5 * (i + 1) / 60;
        kin_bodies_set_path(&s.group->bodies, p, (kin_transform){{x, -0.5 + 0.2 * x, 0}, {0, 0, 0, 1}},
                            (kin_transform){{next, -0.5 + 0.2 * next, 0}, {0, 0, 0, 1}}, s.h);
        scene_step(&s);
    }
    NEAR(t, body(&s, b)->position.x, 1, 0.05);
    NEAR(t, body(&s, b)->position.y, 0.45, 0.02);
    NEAR(t, body(&s, b)->velocity.x, 0.5, 0.01);
    scene_end(&s);
}

static void torque_free_body_keeps_energy_and_momentum(test* t) /* the gyroscopic step is a midpoint rule in the body's axes */
{
    scene s;
    CHECK(t, scene_begin(&s, &t->allocator, 1));
    s.fields.gravity = kin_v(0, 0, 0);
    uint32_t b = scene_box(&s, kin_v(1, 0.2, 0.5), kin_v(0, 0, 0), 1000, (kin_material_id){0});
    body(&s, b)->spin = kin_v(0.01, 0.02, 8); /* close to the middle axis: it flips over */
    double energy = kin_body_kinetic(body(&s, b)), least = 8;
    kin_vec3 l = kin_body_angular_momentum(body(&s, b));
    for (int i = 0; i < 600; ++i) {
        scene_step(&s);
        least = kin_min(least, kin_unrotate(body(&s, b)->orientation, body(&s, b)->spin).z);
    }
    NEAR(t, kin_body_kinetic(body(&s, b)), energy, 0.01 * energy);
    NEAR(t, kin_length(kin_body_angular_momentum(body(&s, b))), kin_length(l), 0.01 * kin_length(l));
    CHECK(t, least < -6);
    scene_end(&s);
}

/* However fast: angular momentum in the world, too. A million substeps of rounding would be 1e-10. */
static void fast_tops_keep_energy_and_momentum(test* t)
{
    const kin_vec3 spins[] = {{300, 0.1, 0.2}, {0.3, 300, 0.1}, {1, 2, 300}, {170, -180, 170}}; /* rad/s */
    for (int k = 0; k < 4; ++k) {
        scene s;
        CHECK(t, scene_begin(&s, &t->allocator, 1));
        s.fields.gravity = kin_v(0, 0, 0);
        uint32_t b = scene_box(&s, kin_v(1, 0.2, 0.5), kin_v(0, 0, 0), 1000, (kin_material_id){0});
        body(&s, b)->spin = spins[k];
        const double energy = kin_body_kinetic(body(&s, b));
        const kin_vec3 l = kin_body_angular_momentum(body(&s, b));
        scene_steps(&s, 2000);
        NEAR(t, kin_body_kinetic(body(&s, b)) / energy, 1, 1e-9);
        NEAR(t, kin_length(kin_sub(kin_body_angular_momentum(body(&s, b)), l)) / kin_length(l), 0, 1e-9);
        scene_end(&s);
    }
}

TEST_MAIN("contact_realtime_laws", TEST(free_fall), TEST(box_on_incline), TEST(static_friction_holds_longer), TEST(bounces_keep_their_energy),
          TEST(stack_that_lands_stays_down), TEST(flat_landing_stays_straight), TEST(head_on_balls_exchange_velocities),
          TEST(momentum_is_kept_in_a_heap_of_collisions), TEST(sliding_ball_comes_to_roll), TEST(rolling_friction_slows_a_ball),
          TEST(spinning_friction_slows_a_top), TEST(turning_box_is_slowed_by_its_corners), TEST(conveyor_carries), TEST(keyed_platform_carries),
          TEST(torque_free_body_keeps_energy_and_momentum), TEST(fast_tops_keep_energy_and_momentum))
