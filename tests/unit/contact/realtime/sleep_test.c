/* sleep_test.c - who falls asleep with the real-time solver, who does not, and who wakes. */
#include "base/alloc.h"
#include "scenes.h"
#include "support/test.h"

static kin_body* body(scene* s, uint32_t i) { return &s->group->bodies.body[i]; }
static bool awake(scene* s, uint32_t i) { return s->group->ops->is_awake(s->group->solver, i); }

static void begin(test* t, scene* s)
{
    kin_rigid_def def = scene_def();
    def.sleep = true;
    CHECK(t, scene_begin_with(s, &t->allocator, 1, &def));
}

static void piles_fall_asleep_and_wake_in_parts(test* t)
{
    scene s;
    begin(t, &s);
    kin_material_id m = scene_material(&s, "m", 0.6, 0, 0, 0);
    scene_ground(&s, m);
    for (int i = 0; i < 60; ++i) scene_box(&s, kin_v(1, 1, 1), kin_v(1.001 * i, 0.5, 0), 500, m); /* a long row, each against the next */
    uint32_t alone = scene_box(&s, kin_v(1, 1, 1), kin_v(0, 0.5, 10), 500, m);
    scene_steps(&s, 120);
    for (uint32_t i = 1; i <= alone; ++i) CHECK(t, !awake(&s, i));
    kin_vec3 where = body(&s, 30)->position;
    scene_steps(&s, 60);
    NEAR3(t, body(&s, 30)->position, where, 0); /* asleep is asleep */
    kin_group_push(s.group, 1, kin_v(0, 0, 0), (kin_wrench){{0, 200, 0}, {0, 0, 0}});
    scene_step(&s);
    CHECK(t, awake(&s, 1));
    CHECK(t, !awake(&s, 40)); /* what is far from the disturbance sleeps on */
    CHECK(t, !awake(&s, alone));
    scene_steps(&s, 200);
    for (uint32_t i = 1; i <= alone; ++i) CHECK(t, !awake(&s, i)); /* and all find rest again */
    scene_end(&s);
}

static void what_rested_on_it_wakes(test* t)
{
    scene s;
    begin(t, &s);
    kin_material_id m = scene_material(&s, "m", 0.6, 0, 0, 0);
    scene_ground(&s, m);
    for (int i = 0; i < 10; ++i) scene_box(&s, kin_v(1, 1, 1), kin_v(0, 0.5 + i, 0), 500, m);
    scene_steps(&s, 120);
    CHECK(t, !awake(&s, 10));
    kin_group_remove_body(s.group, 1);
    scene_steps(&s, 90);
    NEAR(t, body(&s, 10)->position.y, 8.5, 0.1); /* the whole tower came down by one */
    uint32_t ball = scene_ball(&s, 0.3, kin_v(0, 12, 0), 500, m);
    scene_steps(&s, 120);
    uint32_t falling = scene_ball(&s, 0.3, kin_v(0.1, 12, 0), 5000, m);
    int woke = 0;
    for (int i = 0; i < 60; ++i) scene_step(&s), woke += awake(&s, 10);
    CHECK(t, woke > 0); /* touched by what came down */
    (void)ball, (void)falling;
    scene_end(&s);
}

static void put_to_sleep_at_once(test* t)
{
    scene s;
    CHECK(t, scene_begin(&s, &t->allocator, 1));
    kin_material_id m = scene_material(&s, "m", 0.6, 0, 0, 0);
    scene_ground(&s, m);
    uint32_t a = scene_box(&s, kin_v(1, 1, 1), kin_v(0, 0.5, 0), 500, m), b = scene_box(&s, kin_v(1, 1, 1), kin_v(0, 1.5, 0), 500, m);
    scene_steps(&s, 10);
    s.group->ops->sleep(s.group->solver, a);
    CHECK(t, !awake(&s, a) && !awake(&s, b)); /* its island */
    s.group->ops->touched(s.group->solver, b);
    CHECK(t, awake(&s, b));
    scene_end(&s);
}

/* To and fro by a millimetre and a half, at twice the speed of sleep: it is at rest. Slower, but always on: it is not; nor is what hurries on the spot. */
static void trembling_is_rest_and_creeping_is_not(test* t)
{
    static const struct {
        double speed;
        bool turns_back, sleeps;
    } ways[] = {{0.1, true, true}, {0.04, false, true}, {0.06, false, false}, {0.3, true, false}};
    for (int k = 0; k < 4; ++k) {
        scene s;
        begin(t, &s);
        s.fields.gravity = kin_v(0, 0, 0);
        uint32_t b = scene_box(&s, kin_v(1, 1, 1), kin_v(0, 0, 0), 500, (kin_material_id){0});
        bool slept = false;
        for (int i = 0; i < 120 && !slept; ++i) {
            s.group->bodies.body[b].velocity = kin_v(ways[k].turns_back && i % 2 != 0 ? -ways[k].speed : ways[k].speed, 0, 0);
            scene_step(&s);
            slept = !awake(&s, b);
        }
        CHECK(t, slept == ways[k].sleeps);
        scene_end(&s);
    }
}

/* Half a metre a second for two intervals of twelve, forth and back: a twelfth of that on the whole, and never a centimetre away. */
static void what_jerks_and_comes_back_rests(test* t)
{
    scene s;
    begin(t, &s);
    s.fields.gravity = kin_v(0, 0, 0);
    uint32_t b = scene_box(&s, kin_v(1, 1, 1), kin_v(0, 0, 0), 500, (kin_material_id){0});
    for (int i = 0; i < 60 && (i == 0 || awake(&s, b)); ++i) {
        body(&s, b)->velocity = kin_v(i % 12 == 5 ? 0.5 : i % 12 == 6 ? -0.5 : 0, 0, 0);
        scene_step(&s);
    }
    CHECK(t, !awake(&s, b));
    scene_end(&s);
}

enum { HIGH = 12 };

/* Twelve boxes on one another, the last of which never sleeps: those within three contacts of it watch with it, the others sleep. To those awake nothing
 * happens by that: they stand as still as any stack does (a millimetre a second), where they stood, to a hundredth of what contacts give under the stack. */
static void parts_of_a_stack_sleep_and_stir_nothing(test* t)
{
    scene s;
    begin(t, &s);
    kin_material_id m = scene_material(&s, "m", 0.6, 0, 0, 0);
    uint32_t box[HIGH];
    scene_ground(&s, m);
    for (int i = 0; i < HIGH; ++i) box[i] = scene_box(&s, kin_v(1, 1, 1), kin_v(0, 0.5 + i, 0), 1000, m);
    kin_body* top = body(&s, box[HIGH - 1]);
    s.group->bodies.skin[box[HIGH - 1]].stays_awake = true;
    s.group->def.sleep = false;
    scene_steps(&s, 300);
    const double before = top->position.y, given = HIGH - 0.5 - before;
    double speed = 0;
    s.group->def.sleep = true;
    for (int i = 0; i < 120; ++i) {
        scene_step(&s);
        for (int k = 0; k < HIGH; ++k) speed = kin_max(speed, kin_length(body(&s, box[k])->velocity));
    }
    for (int k = 0; k < HIGH; ++k) CHECK(t, awake(&s, box[k]) == (k >= HIGH - 4));
    CHECK(t, speed < 1e-3);
    NEAR(t, top->position.y, before, 0.01 * given);
    scene_end(&s);
}

/* Where it is after some steps: with sleep, and without. */
typedef kin_vec3 run_fn(test* t, scene* s, int steps);

static void check_same_way(test* t, run_fn* run, int steps, double tolerance)
{
    kin_vec3 at[2];
    for (int k = 0; k < 2; ++k) {
        scene s;
        begin(t, &s);
        s.group->def.sleep = k == 1;
        at[k] = run(t, &s, steps);
        scene_end(&s);
    }
    NEAR3(t, at[1], at[0], tolerance);
}

static kin_vec3 creep(test* t, scene* s, int steps)
{
    kin_material_id m = scene_material(s, "m", 0.6, 0, 0, 0), ice = scene_material(s, "ice", 0, 0, 0, 0);
    uint32_t box[8];
    scene_ground(s, m);
    for (int i = 0; i < 8; ++i) box[i] = scene_box(s, kin_v(1, 1, 1), kin_v(0, 0.5 + i, 0), i < 7 ? 1000 : 10, i < 6 ? m : ice); /* too light to tilt them */
    for (int i = 0; i < steps; ++i) {
        if (i == 0) body(s, box[7])->velocity = kin_v(0.06, 0, 0);
        scene_step(s);
        CHECK(t, awake(s, box[7]));
    }
    CHECK(t, awake(s, box[0]) == !s->group->def.sleep);
    return kin_v(body(s, box[7])->position.x, 0, 0); /* across it nothing holds it */
}

static void who_creeps_goes_on_over_sleepers(test* t) /* on ice, at a little more than the speed of sleep */ { check_same_way(t, creep, 240, 1e-3); }

/* A slab two metres high that leans two degrees beyond its balance. */
static kin_vec3 tip(test* t, scene* s, int steps)
{
    kin_material_id m = scene_material(s, "m", 0.9, 0, 0, 0);
    const double lean = kin_atan2(0.1, 1) + KIN_PI / 90;
    scene_ground(s, m);
    uint32_t b = scene_add(s, (scene_body){.shape = {.kind = KIN_SHAPE_BOX, .size = {0.2, 2, 1}},
                                           .position = {0, 0.1 * kin_sin(lean) + kin_cos(lean), 0},
                                           .orientation = kin_quat_from_rotation_vector(kin_v(0, 0, -lean)),
                                           .motion = KIN_BODY_FREE,
                                           .density = 500,
                                           .material = m});
    scene_steps(s, steps);
    CHECK(t, body(s, b)->position.y < 0.2);
    return body(s, b)->position;
}

static void who_tips_is_not_held(test* t) { check_same_way(t, tip, 120, 1e-3); }

/* A box asleep high up, as if on a shelf that is gone: nothing acts on it. Touched, or met by another, it falls from that very step on, and what was put on
 * it acts for one step. */
static void who_wakes_is_acted_on_at_once(test* t)
{
    scene s;
    begin(t, &s);
    kin_material_id m = scene_material(&s, "m", 0, 0, 0, 0);
    uint32_t a = scene_box(&s, kin_v(1, 1, 1), kin_v(0, 50, 0), 500, m), b = scene_box(&s, kin_v(1, 1, 1), kin_v(9, 50, 0), 500, m);
    s.group->ops->sleep(s.group->solver, a);
    s.group->ops->sleep(s.group->solver, b);
    scene_step(&s);
    NEAR3(t, s.group->bodies.force[a], kin_v(0, 0, 0), 0);
    NEAR3(t, body(&s, a)->velocity, kin_v(0, 0, 0), 0);
    double fall = s.h * kin_length(s.fields.gravity);
    s.group->bodies.push[a] = kin_v(500 / s.h, 0, 0);
    s.group->ops->touched(s.group->solver, a);
    scene_step(&s);
    NEAR3(t, body(&s, a)->velocity, kin_v(1, -fall, 0), 1e-6);
    NEAR3(t, s.group->bodies.push[a], kin_v(0, 0, 0), 0);
    scene_ball(&s, 0.3, kin_v(9, 50.805, 0), 1, m); /* within reach of b */
    scene_step(&s);
    CHECK(t, awake(&s, b));
    NEAR(t, body(&s, b)->velocity.y, -fall, 1e-3);
    NEAR3(t, body(&s, a)->velocity, kin_v(1, -2 * fall, 0), 1e-6);
    scene_end(&s);
}

TEST_MAIN("contact_realtime_sleep", TEST(piles_fall_asleep_and_wake_in_parts), TEST(what_rested_on_it_wakes), TEST(put_to_sleep_at_once),
          TEST(trembling_is_rest_and_creeping_is_not), TEST(what_jerks_and_comes_back_rests), TEST(parts_of_a_stack_sleep_and_stir_nothing),
          TEST(who_creeps_goes_on_over_sleepers), TEST(who_tips_is_not_held), TEST(who_wakes_is_acted_on_at_once))
