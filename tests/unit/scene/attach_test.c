/* attach_test.c - attachments in scenes and in on_step: built, refused by path, held, dragged, replayed. */
#include "scene_test.h"
#include "scene/scene_inside.h"
#include "world/world.h"

#define THREE "systems = {{type = 'particles', name = 'dots', particles = {{position = {0, 0, 0}}, {position = {1, 0, 0}}, {position = {2, 0, 0}}}}}, fps = 60"
#define ARM "colliders = {{name = 'arm', shape = {sphere = 0.1}, keys = {{t = 0, position = {0, 3, 0}}, {t = 1, position = {5, 3, 0}}}}}"

static kin_world* build(test* t, int line, scene_bench* b, int threads)
{
    kin_world_def def = kin_world_def_default();
    def.allocator = t->allocator;
    def.threads = threads;
    kin_world* world = NULL;
    b->error = (kin_error){0};
    kin_scene_build(b->scene, &def, &world, &b->error);
    scene_keep_error(b);
    if (line > 0) test_check(t, world != NULL, __FILE__, line, "not built: %s", b->text);
    return world;
}

static bool steps(test* t, scene_bench* b, kin_world* world, int count)
{
    for (int i = 0; i < count; ++i) {
        b->error = (kin_error){0};
        kin_result result = kin_scene_before_step(b->scene, world, &b->error);
        if (result == KIN_OK) result = kin_world_step(world, NULL, &b->error);
        scene_keep_error(b);
        if (!test_check(t, result == KIN_OK, __FILE__, __LINE__, "step %d: %s", i, b->text)) return false;
    }
    return true;
}

static kin_vec3 position(const kin_world* w, size_t i) { return kin_particle_position(w, kin_world_system(w, "dots"), i); }

static void a_scene_says_what_holds_what(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    LOADED(t, &b, "a.lua",
           "return {" THREE ", " ARM ", attachments = {\n"
           "  {a = {system = 'dots', element = 0}, b = {collider = 'arm', at = {0, -1, 0}}, rigid = true},\n"
           "  {a = {system = 'dots', element = 1}, b = {system = 'dots', element = 0}, stiffness = 50, damping = 7, rest = 1.5, break_force = 1e6},\n"
           "  {a = {system = 'dots', element = 2}, keys = {{t = 0, position = {2, 0, 0}}, {t = 1, position = {2, 4, 0}}}, max_force = 1e4},\n"
           "}}");
    kin_world* w = build(t, __LINE__, &b, 1);
    EQUAL(t, w->attachments.count, 3);
    const kin_attachment_def* spring = &w->attachments.items[1].def;
    CHECK(t, spring->stiffness == 50 && spring->damping == 7 && spring->damping_ratio == 0 && spring->rest == 1.5 && spring->break_force == 1e6);
    NEAR(t, w->attachments.items[2].def.damping_ratio, 1, 0);
    steps(t, &b, w, 60);
    NEAR3(t, position(w, 0), ((kin_vec3){5, 2, 0}), 1e-9);
    NEAR3(t, position(w, 2), ((kin_vec3){2, 4, 0}), 0.3);
    kin_world_destroy(w);
    scene_end(&b);
}

static void defaults_are_those_of_c(test* t)
{
    kin_scene_attachment read = {0};
    kin_attachment_def def = kin_attachment_def_default();
    kin_params_default(kin_scene_attachment_params, &read);
    CHECK(t, read.def.stiffness == def.stiffness && read.def.damping_ratio == def.damping_ratio && read.def.damping == def.damping && read.def.rest == def.rest
                 && read.def.max_force == def.max_force && read.def.break_force == def.break_force && !read.def.rigid);
}

static void unbuilt(test* t, int line, scene_bench* b, const char* attachment, const char* part)
{
    char script[2000];
    snprintf(script, sizeof script, "return {" THREE ", " ARM ", attachments = {{%s}}}", attachment);
    kin_world* w = scene_try(t, b, "a.lua", script) == KIN_OK ? build(t, 0, b, 1) : NULL;
    test_check(t, w == NULL && strstr(b->text, part) != NULL, __FILE__, line, "%s: \"%s\" without \"%s\"", attachment, b->text, part);
    kin_world_destroy(w);
}
#define UNBUILT(attachment, part) unbuilt(t, __LINE__, &b, attachment, part)

static void bad_ones_name_their_place(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    UNBUILT("b = {point = {0, 0, 0}}", "attachments[0]: \"a\" is missing");
    UNBUILT("a = {system = 'dots', element = 0}", "attachments[0].b: is missing");
    UNBUILT("a = {system = 'dots', element = 0}, b = {}", "one of point, collider and system");
    UNBUILT("a = {system = 'dots', element = 0}, b = {point = {0, 0, 0}, collider = 'arm'}", "one of point, collider and system");
    UNBUILT("a = {system = 'dots', element = 0}, b = {system = 'dots'}", "go together");
    UNBUILT("a = {system = 'dost', element = 0}, b = {point = {0, 0, 0}}", "attachments[0].a.system: there is no system \"dost\"; did you mean \"dots\"?");
    UNBUILT("a = {system = 'dots', element = 9}, b = {point = {0, 0, 0}}", "attachments[0].a: dots has 3 elements, there is no 9");
    UNBUILT("a = {system = 'dots', element = 0}, b = {collider = 'amr'}", "attachments[0].b.collider: there is no collider \"amr\"; did you mean \"arm\"?");
    UNBUILT("a = {system = 'dots', element = 0}, b = {system = 'dots', element = 0}", "attachments[0].b: is the same element as a");
    UNBUILT("a = {system = 'dots', element = 0}, b = {point = {0, 0, 0}}, stiffness = 0", "attachments[0].stiffness");
    UNBUILT("a = {system = 'dots', element = 0}, b = {point = {0, 0, 0}}, stifness = 1", "stiffness");
    UNBUILT("a = {system = 'dots', element = 0}, b = {collider = 'arm'}, keys = {{t = 0, position = {0, 0, 0}}}", "only a point of space has keys");
    UNBUILT("a = {system = 'dots', element = 0}, b = {point = {0, 0, 0}, at = {1, 0, 0}}", "attachments[0].b.at");
    scene_end(&b);
}

static void includes_are_joined(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    scene_write(t, &b, "held.json", "{\"attachments\": [{\"a\": {\"system\": \"dots\", \"element\": 1}, \"b\": {\"point\": [1, 1, 0]}}]}");
    LOADED(t, &b, "a.lua", "return {" THREE ", include = 'held.json', attachments = {{a = {system = 'dots', element = 0}, b = {point = {0, 1, 0}}}}}");
    kin_world* w = build(t, __LINE__, &b, 1);
    EQUAL(t, w->attachments.count, 2);
    kin_world_destroy(w);
    scene_end(&b);
}

static const char hands[] = "return {" THREE ", " ARM ", gravity = {0, -1, 0}, on_step = function(world, t)\n"
                            "  local s = world.state\n"
                            "  if world.step == 1 then\n"
                            "    s.hand = world:grab(1, 0, 5, 0, 0, -1)\n"
                            "    s.rod = world:attach{a = {system = 'dots', element = 0}, b = {collider = 'arm'}, rest = 3, rigid = true}\n"
                            "    s.pull = world:attach{a = {system = 'dots', element = 2}, b = {point = {2, 1, 0}}, stiffness = 100}\n"
                            "    assert(s.hand == 1 and s.rod == 2 and s.pull == 3)\n"
                            "    assert(world:grab(1, 0, 5, 0, 0, 1) == nil and world:grab(1.5, 1, 5, 0, 0, -1, 0.2) == nil)\n"
                            "  elseif world.step > 1 and world.step < 30 then\n"
                            "    world:drag(s.hand, 1, 0, 5, 0.01 * world.step, 0.1, -1)\n"
                            "    world:target(s.pull, 2, 1 + t, 0)\n"
                            "  elseif world.step == 30 then world:release(s.hand)\n"
                            "  elseif world.step == 31 then\n"
                            "    assert(world:attached(s.rod) and not world:attached(s.hand))\n"
                            "    world:nail('dots', 1)\n"
                            "  elseif world.step == 40 then world:detach(s.rod) world:unnail(0, 1) end\n"
                            "end}";

static void hooks_hold_and_drag(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    LOADED(t, &b, "a.lua", hands);
    kin_world* w = build(t, __LINE__, &b, 1);
    steps(t, &b, w, 30);
    NEAR3(t, position(w, 1), ((kin_vec3){1 + 5 * 0.29, 0.5, 0}), 0.2); /* behind the hand by its damping */
    NEAR(t, kin_sqrt(kin_square(position(w, 0).x - kin_collider_pose(w, (kin_collider_id){1, 1}).position.x) + kin_square(position(w, 0).y - 3)), 3, 1e-3);
    steps(t, &b, w, 2);
    kin_vec3 nailed = position(w, 1);
    steps(t, &b, w, 8);
    NEAR3(t, position(w, 1), nailed, 0);
    steps(t, &b, w, 2);
    CHECK(t, position(w, 1).y < nailed.y);
    EQUAL(t, w->attachments.count, 1);
    kin_world_destroy(w);
    scene_end(&b);
}

/* Straight, with more threads, restored after every step into a new world, and by its commands alone. */
static void hooks_are_the_same_however_run(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    LOADED(t, &b, "a.lua", hands);
    kin_world *straight = build(t, __LINE__, &b, 1), *many = build(t, __LINE__, &b, 8), *two = build(t, __LINE__, &b, 2), *hopping = build(t, __LINE__, &b, 1),
              *replayed = build(t, __LINE__, &b, 1);
    kin_world_record(straight, true);
    steps(t, &b, straight, 50);
    steps(t, &b, many, 50);
    steps(t, &b, two, 50);
    for (int i = 0; i < 50; ++i) {
        kin_snapshot s = {0};
        steps(t, &b, hopping, 1);
        EQUAL(t, kin_world_snapshot(hopping, &s, NULL), KIN_OK);
        kin_world_destroy(hopping);
        hopping = build(t, __LINE__, &b, 1);
        EQUAL(t, kin_world_restore(hopping, &s, NULL), KIN_OK);
        kin_snapshot_free(&s);
    }
    size_t count, next = 0;
    const kin_command* log = kin_world_recorded(straight, &count);
    for (int i = 0; i < 50; ++i) {
        EQUAL(t, kin_world_replay(replayed, log, count, &next, NULL), KIN_OK);
        EQUAL(t, kin_world_step(replayed, NULL, NULL), KIN_OK);
    }
    EQUAL(t, kin_world_set_script_state(replayed, straight->script_state, straight->script_state_size, NULL), KIN_OK);
    uint64_t hash = kin_world_state_hash(straight);
    CHECK(t, hash == kin_world_state_hash(many) && hash == kin_world_state_hash(two));
    CHECK(t, hash == kin_world_state_hash(hopping) && hash == kin_world_state_hash(replayed));
    kin_world_destroy(straight);
    kin_world_destroy(many);
    kin_world_destroy(two);
    kin_world_destroy(hopping);
    kin_world_destroy(replayed);
    scene_end(&b);
}

static void stops(test* t, int line, scene_bench* b, const char* hook, const char* part)
{
    char script[2000];
    snprintf(script, sizeof script, "return {" THREE ", on_step = function(world, t)\n%s\nend}", hook);
    scene_try(t, b, "a.lua", script);
    kin_world* w = build(t, line, b, 1);
    b->error = (kin_error){0};
    kin_result result = kin_scene_before_step(b->scene, w, &b->error);
    scene_keep_error(b);
    test_check(t, result == KIN_ERROR_SYNTAX && strstr(b->text, part) != NULL, __FILE__, line, "%s: %d \"%s\" without \"%s\"", hook, result, b->text, part);
    kin_world_destroy(w);
}
#define STOPS(hook, part) stops(t, __LINE__, &b, hook, part)

static void bad_calls_say_so(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    STOPS("world:attach{a = {system = 'dots', element = 7}, b = {point = {0, 0, 0}}}", "a.lua:2: a: dots has 3 elements, there is no 7");
    STOPS("world:attach{a = {system = 'dots', element = 0}, b = {collider = 'x'}}", "attach.b.collider: there is no collider \"x\"");
    STOPS("world:attach{a = {system = 'dots', element = 0}, keys = {{t = 0, position = {0, 0, 0}}}}", "takes no keys");
    STOPS("world:attach{stiff = 1}", "attach.stiff");
    STOPS("world:attach(3)", "table expected");
    STOPS("world:detach(4)", "there is no attachment 4");
    STOPS("world:detach(-1)", "not the id of an attachment");
    STOPS("world:target(1, 0, 0)", "number expected");
    STOPS("world:grab(0, 0, 0, 0, 0, 0)", "direction: must be finite and not zero");
    STOPS("local id = world:attach{a = {system = 'dots', element = 0}, b = {point = {0, 0, 0}}} world:target(id, 1 / 0, 0, 0)", "must be finite");
    scene_end(&b);
}

TEST_MAIN("attach", TEST(a_scene_says_what_holds_what), TEST(defaults_are_those_of_c), TEST(bad_ones_name_their_place), TEST(includes_are_joined),
          TEST(hooks_hold_and_drag), TEST(hooks_are_the_same_however_run), TEST(bad_calls_say_so))
