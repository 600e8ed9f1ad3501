/* command_test.c - commands: checked when given, done at the next step, recorded, replayed, written and read. */
#include "math/vec3.h"
#include "support/test.h"
#include "support/world.h"
#include "world/world.h"
#include <string.h>

static kin_world* moving_ball(test* t, kin_system_id* ball)
{
    kin_world* w = test_world(t, 0.1, kin_v(0, -10, 0));
    CHECK(t, kin_world_add_wind(w, kin_v(1, 0, 0), NULL, NULL) == KIN_OK);
    CHECK(t, kin_world_add_drag(w, 0.5, NULL, NULL) == KIN_OK);
    *ball = test_ball(t, w, &(test_ball_setup){.velocity = {1, 2, 3}, .mass = 2});
    return w;
}

static void take_effect_at_the_next_step(test* t)
{
    kin_system_id ball;
    kin_world* w = moving_ball(t, &ball);
    uint64_t before = kin_world_state_hash(w);
    EQUAL(t, kin_world_push(w, (kin_anchor){1, 0, {0}}, kin_v(4, 0, 0), NULL), KIN_OK);
    EQUAL(t, kin_world_set_vector(w, "gravity", kin_v(0, 0, 0), NULL), KIN_OK);
    EQUAL(t, kin_world_set_number(w, "fields[1].drag", 0, NULL), KIN_OK);
    EQUAL(t, kin_world_set_text(w, "systems[0].integrator", "rk4", NULL), KIN_OK);
    CHECK(t, kin_world_state_hash(w) == before);
    test_steps(t, w, 1);
    NEAR3(t, kin_particle_velocity(w, ball, 0), kin_v(3, 2, 3), 1e-15);
    EQUAL(t, kin_world_place(w, (kin_anchor){1, 0, {0}}, kin_v(7, 8, 9), kin_v(0, 0, 0), NULL), KIN_OK);
    EQUAL(t, kin_world_set_mobility(w, (kin_anchor){1, 0, {0}}, KIN_MOBILITY_STATIC, NULL), KIN_OK);
    test_steps(t, w, 1);
    NEAR3(t, kin_particle_position(w, ball, 0), kin_v(7, 8, 9), 0);
    EQUAL(t, kin_particles_state(w, ball).mobility[0], KIN_MOBILITY_STATIC);
    kin_world_destroy(w);
}

static void bad_ones_are_refused(test* t)
{
    kin_system_id ball;
    kin_error error = {0};
    kin_world* w = moving_ball(t, &ball);
    EQUAL(t, kin_world_push(w, (kin_anchor){2, 0, {0}}, kin_v(1, 0, 0), &error), KIN_ERROR_ARGUMENT);
    EQUAL(t, kin_world_push(w, (kin_anchor){1, 5, {0}}, kin_v(1, 0, 0), &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "particles has 1 elements");
    EQUAL(t, kin_world_set_number(w, "systems[0].max_hits", 0, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "systems[0].max_hits");
    EQUAL(t, kin_world_set_number(w, "systems[0].speed", 0, &error), KIN_ERROR_ARGUMENT);
    EQUAL(t, kin_world_set_number(w, "systems[3].hits", 0, &error), KIN_ERROR_ARGUMENT);
    EQUAL(t, kin_world_set_text(w, "systems[0].integrator", "rk5", &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "rk4");
    EQUAL(t, kin_world_set_number(w, "colour", 0, &error), KIN_ERROR_ARGUMENT);
    kin_world_destroy(w);
}

static void replay_gives_the_same_world(test* t)
{
    kin_system_id ball;
    kin_world *a = moving_ball(t, &ball), *b = moving_ball(t, &ball);
    kin_world_record(a, true);
    for (int i = 0; i < 10; ++i) {
        if (i == 3) EQUAL(t, kin_world_push(a, (kin_anchor){1, 0, {0}}, kin_v(0, 5, 0), NULL), KIN_OK);
        if (i == 6) EQUAL(t, kin_world_set_vector(a, "fields[0].wind", kin_v(0, 0, 9), NULL), KIN_OK);
        test_steps(t, a, 1);
    }
    size_t count, next = 0;
    const kin_command* log = kin_world_recorded(a, &count);
    EQUAL(t, count, 2);
    for (int i = 0; i < 10; ++i) {
        EQUAL(t, kin_world_replay(b, log, count, &next, NULL), KIN_OK);
        test_steps(t, b, 1);
    }
    CHECK(t, kin_world_state_hash(a) == kin_world_state_hash(b));
    kin_world_destroy(a);
    kin_world_destroy(b);
}

static void nodes_both_ways(test* t)
{
    const kin_command commands[] = {
        {.step = 7, .kind = KIN_COMMAND_PUSH, .system = 1, .element = 4, .a = {1, 2, 3}, .b = {4, 5, 6}, .mobility = KIN_MOBILITY_DYNAMIC},
        {.step = 8, .kind = KIN_COMMAND_MOBILITY, .system = 2, .element = 0, .mobility = KIN_MOBILITY_STATIC},
        {.step = 8, .kind = KIN_COMMAND_ATTRIBUTE, .system = 2, .element = 3, .path = "heat", .value = {.type = KIN_NODE_NUMBER, .numbers = {4.5}}},
        {.step = 9, .kind = KIN_COMMAND_SET, .path = "gravity", .value = {.type = KIN_NODE_LIST, .count = 3, .numbers = {1, 2, 3}}},
        {.step = 9, .kind = KIN_COMMAND_SET, .path = "systems[0].integrator", .value = {.type = KIN_NODE_STRING, .text = "rk4"}},
    };
    kin_tree tree;
    kin_tree_init(&tree, &t->allocator);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i) {
        kin_command back;
        kin_node* node = kin_command_to_node(&tree, &commands[i]);
        CHECK(t, node != NULL && kin_command_from_node(node, &back));
        CHECK(t, back.step == commands[i].step && back.kind == commands[i].kind && back.element == commands[i].element
                     && strcmp(back.path, commands[i].path) == 0);
        NEAR3(t, back.a, commands[i].a, 0);
        NEAR(t, back.value.numbers[0], commands[i].value.numbers[0], 0);
        NEAR(t, back.value.numbers[2], commands[i].value.numbers[2], 0);
        kin_node_remove(node, "step");
        CHECK(t, !kin_command_from_node(node, &back));
    }
    kin_tree_term(&tree);
}

TEST_MAIN("command", TEST(take_effect_at_the_next_step), TEST(bad_ones_are_refused), TEST(replay_gives_the_same_world), TEST(nodes_both_ways))
