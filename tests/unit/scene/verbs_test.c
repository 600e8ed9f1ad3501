/* verbs_test.c - every verb of a script and of the C API against every kind of system, with good, ended, negative and huge numbers: an answer, a change, or an error
 * that names what is wrong. Never a crash, never silently nothing. The lists are the engine's own tables, so that a new verb or system without a row here fails. */
#include "base/error.h"
#include "scene/hook.h"
#include "scene_test.h"
#include "world/anchors.h"
#include "world/registry.h"
#include "world/world.h"
#include <ctype.h>

/* A system of each kind with a good element 0, and one that has ended where elements can end. */
static const struct row_of_system {
    const char *type, *scene;
    int ended; /* -1: none */
} systems[] = {
    {"particles",
     "{type = 'particles', name = 'particles', kinds = {{name = 'stay', attributes = {{name = 'heat', value = 1}}}, {name = 'go', life = 0.01}}, "
     "particles = {{position = {0, 3, 0}, kind = 'stay'}, {position = {2, 3, 0}, kind = 'go'}}}",
     1},
    {"rigid",
     "{type = 'rigid', name = 'rigid', report_contacts = true, bodies = {{shape = {sphere = 0.2}, position = {4, 3, 0}}, {shape = {sphere = 0.2}, position = "
     "{6, 3, 0}}}}",
     1},
    {"sph", "{type = 'sph', name = 'sph', radius = 0.05, blocks = {{shape = {box = {0.2, 0.2, 0.2}}, position = {8, 3, 0}}}}", -1},
};
enum { SYSTEMS = sizeof systems / sizeof *systems };

/* What a script writes: S is the system, E the element. */
enum {
    ALWAYS = KIN_ELEMENT_VERBS, /* no element is named: the verb answers whatever the system */
    CONTACTS,                   /* of systems of type rigid */
};
static const struct row_of_call {
    const char *name, *call;
    int verb;
    bool asks; /* changes nothing, returns something */
} calls[] = {
    {"set", "world:set('gravity', {0, -1, 0})", ALWAYS, false},
    {"push", "world:push(S, E, {1, 0, 0})", KIN_ELEMENT_PUSH, false},
    {"place", "world:place(S, E, {1, 5, 0}, {0, 0, 0})", KIN_ELEMENT_PLACE, false},
    {"status", "world:status(S, E, 'static')", KIN_ELEMENT_MOBILITY, false},
    {"attribute", "return world:attribute(S, E, 'heat')", KIN_ELEMENT_ATTRIBUTE, true},
    {"set_attribute", "world:set_attribute(S, E, 'heat', 3)", KIN_ELEMENT_ATTRIBUTE, false},
    {"position", "return world:position(S, E)", KIN_ELEMENT_ASK, true},
    {"velocity", "return world:velocity(S, E)", KIN_ELEMENT_ASK, true},
    {"count", "return world:count(S)", ALWAYS, true},
    {"has", "assert(not world:has(S, -1) and not world:has(S, 1000) and not world:has(S, math.mininteger)) return world:has(S, 0)", ALWAYS, true},
    {"contacts", "return #world:contacts(S, E)", CONTACTS, true},
    {"contact_force", "return world:contact_force(S, E)", CONTACTS, true},
    {"random", "return world:random()", ALWAYS, true},
    {"attach", "world:attach{a = {system = S, element = E}, b = {point = {0, 9, 0}}}", KIN_ELEMENT_HOLD, false},
    {"attached", "return world:attached(world:attach{a = {system = S, element = E}, b = {point = {0, 9, 0}}})", KIN_ELEMENT_HOLD, true},
    {"detach", "local id = world:attach{a = {system = S, element = E}, b = {point = {0, 9, 0}}} world:detach(id) world.state.done = id", KIN_ELEMENT_HOLD,
     false},
    {"target", "world:target(world:attach{a = {system = S, element = E}, b = {point = {0, 9, 0}}}, 1, 2, 3)", KIN_ELEMENT_HOLD, false},
    {"grab", "world.state.got = world:grab(0, 3, 5, 0, 0, -1, 100) or 0", ALWAYS, false},
    {"drag", "world:drag(world:attach{a = {system = S, element = E}, b = {point = {0, 9, 0}}}, 0, 3, 5, 0, 0.1, -1)", KIN_ELEMENT_HOLD, false},
    {"release", "local id = world:attach{a = {system = S, element = E}, b = {point = {0, 9, 0}}} world:release(id) world.state.done = id", KIN_ELEMENT_HOLD,
     false},
    {"nail", "world:nail(S, E)", KIN_ELEMENT_MOBILITY, false},
    {"unnail", "world:unnail(S, E)", KIN_ELEMENT_MOBILITY, false},
};
enum { CALLS = sizeof calls / sizeof *calls, WARM = 3 /* steps: what is to end has ended */ };

static void every_verb_and_system_has_a_row(test* t)
{
    const luaL_Reg* const lists[] = {kin_hook_methods, kin_hook_attach_methods};
    for (int k = 0; k < 2; ++k) {
        for (const luaL_Reg* m = lists[k]; m->name != NULL; ++m) {
            bool found = false;
            for (int i = 0; i < CALLS; ++i) found = found || strcmp(calls[i].name, m->name) == 0;
            test_check(t, found, __FILE__, __LINE__, "world:%s has no row", m->name);
        }
    }
    for (int k = 0; kin_system_registry[k] != NULL; ++k) {
        bool found = false;
        for (int i = 0; i < SYSTEMS; ++i) found = found || strcmp(systems[i].type, kin_system_registry[k]->name) == 0;
        test_check(t, found, __FILE__, __LINE__, "a system of type %s has no row", kin_system_registry[k]->name);
    }
}

/* ---- scripts ---- */

static kin_world* warm_world(test* t, scene_bench* b, int system, const char* hook)
{
    char text[3000];
    snprintf(text, sizeof text,
             "return {gravity = {0, 0, 0}, fps = 60, colliders = {{name = 'floor', shape = {plane = {0, 1, 0}}}}, systems = {%s},\n"
             "on_step = function(world)\nif world.step ~= %d then return end\nworld.state.answer = tostring(((function()\n%s\nend)()))\nend}",
             systems[system].scene, WARM, hook);
    if (!LOADED(t, b, "a.lua", text)) return NULL;
    kin_world_def def = kin_world_def_default();
    def.allocator = t->allocator;
    def.threads = 1;
    kin_world* world = NULL;
    test_check(t, kin_scene_build(b->scene, &def, &world, &b->error) == KIN_OK, __FILE__, __LINE__, "%s", b->error.message);
    for (int i = 0; world != NULL && i < WARM; ++i)
        CHECK(t, kin_scene_before_step(b->scene, world, NULL) == KIN_OK && kin_world_step(world, NULL, NULL) == KIN_OK);
    if (world != NULL && strcmp(systems[system].type, "rigid") == 0) kin_rigid_remove_body(world, kin_world_system(world, "rigid"), 1);
    return world;
}

static uint64_t hash_without_script(kin_world* world)
{
    kin_world_set_script_state(world, "", 0, NULL);
    return kin_world_state_hash(world);
}

static void fill_in(char* out, size_t size, const char* call, const char* system, const char* element)
{
    size_t n = 0;
    for (const char* c = call; *c != 0 && n + 32 < size; ++c) {
        bool alone = !isalpha((unsigned char)c[1]) && !isalpha((unsigned char)c[-1]); /* no call begins with one */
        if (alone && *c == 'S')
            n += (size_t)snprintf(out + n, size - n, "'%s'", system);
        else if (alone && *c == 'E')
            n += (size_t)snprintf(out + n, size - n, "%s", element);
        else
            out[n++] = *c;
    }
    out[n] = 0;
}

/* One step more, with nothing asked. */
static uint64_t hash_of_idle(test* t, scene_bench* b, int system)
{
    kin_world* world = warm_world(t, b, system, "");
    if (world == NULL) return 0;
    CHECK(t, kin_scene_before_step(b->scene, world, NULL) == KIN_OK && kin_world_step(world, NULL, NULL) == KIN_OK);
    uint64_t hash = hash_without_script(world);
    kin_world_destroy(world);
    return hash;
}

static bool takes_verb(const char* type, int verb)
{
    return verb == CONTACTS ? strcmp(type, "rigid") == 0 : kin_system_takes(kin_system_named(type), (kin_element_verb)verb);
}

static void try_script(test* t, scene_bench* b, int call, int system, const char* element, bool good, uint64_t idle)
{
    char hook[500];
    fill_in(hook, sizeof hook, calls[call].call, systems[system].type, element);
    kin_world* world = warm_world(t, b, system, hook);
    if (world == NULL) return;
    bool takes = calls[call].verb == ALWAYS || (good && takes_verb(systems[system].type, calls[call].verb));
    b->error = (kin_error){0};
    kin_result result = kin_scene_before_step(b->scene, world, &b->error);
    bool answered = result == KIN_OK && memmem(world->script_state, world->script_state_size, "nil", 3) == NULL;
    bool told = result != KIN_OK && (strstr(b->error.message, systems[system].type) != NULL || strstr(b->error.message, "element") != NULL);
    if (result == KIN_OK) CHECK(t, kin_world_step(world, NULL, NULL) == KIN_OK);
    /* What is attached and let go in one step changes nothing but must still be taken. */
    bool undone = strcmp(calls[call].name, "unnail") == 0 || strstr(calls[call].call, "world.state") != NULL || strcmp(calls[call].name, "set") == 0;
    bool changed = result == KIN_OK && (undone || hash_without_script(world) != idle);
    test_check(t, takes ? (calls[call].asks ? answered : changed) : told, __FILE__, __LINE__, "%s: %s (%d), answered %d, changed %d", hook, b->error.message,
               result, answered, changed);
    kin_world_destroy(world);
}

static void scripts_get_an_answer_or_a_named_error(test* t)
{
    static const char* const bad[] = {"-1", "1000", "2147483648", "4294967296", "9007199254740992", "math.mininteger"};
    scene_bench b;
    scene_begin(t, &b);
    for (int s = 0; s < SYSTEMS; ++s) {
        uint64_t idle = hash_of_idle(t, &b, s);
        for (int c = 0; c < CALLS; ++c) {
            char ended[8];
            snprintf(ended, sizeof ended, "%d", systems[s].ended);
            try_script(t, &b, c, s, "0", true, idle);
            if (calls[c].verb == ALWAYS) continue;
            if (systems[s].ended >= 0) try_script(t, &b, c, s, ended, false, idle);
            for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) try_script(t, &b, c, s, bad[i], false, idle);
        }
    }
    scene_end(&b);
}

/* Serials of attachments that never were or are gone. */
static void stale_attachments_are_refused(test* t)
{
    static const char* const ids[] = {"1", "77", "4294967295", "-1", "0", "4294967296", "math.mininteger"};
    static const char* const verbs[] = {"detach(%s)", "release(%s)", "target(%s, 0, 0, 0)", "drag(%s, 0, 0, 5, 0, 0, -1)"};
    scene_bench b;
    scene_begin(t, &b);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; ++i) {
        for (size_t k = 0; k < sizeof verbs / sizeof *verbs; ++k) {
            char call[64], hook[100];
            snprintf(call, sizeof call, verbs[k], ids[i]);
            snprintf(hook, sizeof hook, "world:%s", call);
            kin_world* world = warm_world(t, &b, 0, hook);
            b.error = (kin_error){0};
            CHECK(t, kin_scene_before_step(b.scene, world, &b.error) != KIN_OK);
            HAS(t, b.error.message, "attachment");
            kin_world_destroy(world);
        }
    }
    scene_end(&b);
}

/* ---- C ---- */

typedef kin_result call_fn(kin_world* world, kin_anchor a, kin_error* error);
static kin_result c_ask(kin_world* w, kin_anchor a, kin_error* e) { return kin_world_motion(w, &a, 1, &(kin_motion){0}, e); }
static kin_result c_push(kin_world* w, kin_anchor a, kin_error* e) { return kin_world_push(w, a, (kin_vec3){1, 0, 0}, e); }
static kin_result c_place(kin_world* w, kin_anchor a, kin_error* e) { return kin_world_place(w, a, (kin_vec3){1, 5, 0}, (kin_vec3){0, 0, 0}, e); }
static kin_result c_mobility(kin_world* w, kin_anchor a, kin_error* e) { return kin_world_set_mobility(w, a, KIN_MOBILITY_STATIC, e); }
static kin_result c_hold(kin_world* w, kin_anchor a, kin_error* e)
{
    kin_attachment_def def = kin_attachment_def_default();
    def.a = a;
    def.to_point = true;
    def.point = (kin_vec3){0, 9, 0};
    return kin_world_attach(w, &def, NULL, e);
}
static kin_result c_attribute(kin_world* w, kin_anchor a, kin_error* e) { return kin_world_set_attribute(w, a, "heat", 3, e); }
static call_fn* const c_calls[] = {[KIN_ELEMENT_ATTRIBUTE] = c_attribute, [KIN_ELEMENT_ASK] = c_ask,     [KIN_ELEMENT_HOLD] = c_hold,
                                   [KIN_ELEMENT_PUSH] = c_push,           [KIN_ELEMENT_PLACE] = c_place, [KIN_ELEMENT_MOBILITY] = c_mobility};
_Static_assert(sizeof c_calls / sizeof *c_calls == KIN_ELEMENT_VERBS, "a verb has no row");

static void c_gets_an_answer_or_a_named_error(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    for (int s = 0; s < SYSTEMS; ++s) {
        kin_world* world = warm_world(t, &b, s, "");
        if (world == NULL) continue;
        const kin_system_ops* ops = kin_system_named(systems[s].type);
        const uint32_t numbers[] = {0, 1, 2, 1u << 31, UINT32_MAX}, elements[] = {0, (uint32_t)systems[s].ended, 1000, 1u << 31, UINT32_MAX};
        for (int verb = 0; verb < KIN_ELEMENT_VERBS; ++verb) {
            for (int i = 0; i < 25; ++i) {
                kin_error error = {0};
                kin_anchor a = {numbers[i / 5], elements[i % 5], {0, 0, 0}};
                bool collider = a.system == 0 && a.element == 0 && verb == KIN_ELEMENT_ASK;
                bool good = collider || (a.system == 1 && a.element == 0 && kin_system_takes(ops, (kin_element_verb)verb));
                kin_result result = c_calls[verb](world, a, &error);
                test_check(t, (result == KIN_OK) == good && (good || error.message[0] != 0), __FILE__, __LINE__, "verb %d, %s %u[%u]: %s", verb,
                           systems[s].type, a.system, a.element, error.message);
            }
        }
        CHECK(t, kin_world_step(world, NULL, NULL) == KIN_OK);
        kin_world_destroy(world);
    }
    scene_end(&b);
}

/* A status that a body cannot have is a warning of the step. */
static void a_command_that_cannot_be_done_warns(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    LOADED(t, &b, "a.lua", "return {systems = {{type = 'rigid', name = 'r', bodies = {{shape = {plane = {0, 1, 0}}, mobility = 'static'}}}}}");
    kin_world_def def = kin_world_def_default();
    def.allocator = t->allocator;
    kin_world* world = NULL;
    kin_step_report report = {0};
    if (CHECK(t, kin_scene_build(b.scene, &def, &world, &b.error) == KIN_OK)) {
        CHECK(t, kin_world_set_mobility(world, (kin_anchor){.system = 1}, KIN_MOBILITY_DYNAMIC, NULL) == KIN_OK);
        CHECK(t, kin_world_step(world, &report, NULL) == KIN_OK);
        EQUAL(t, report.warnings, 1);
        HAS(t, report.note, "r[0]: could not be given that status");
        kin_error error = {0};
        CHECK(t, kin_world_set_mobility(world, (kin_anchor){.system = 1}, (kin_mobility)9, &error) != KIN_OK);
        HAS(t, error.message, "9 is not a status");
    } else {
        puts(b.error.message);
    }
    kin_world_destroy(world);
    scene_end(&b);
}

TEST_MAIN("scene/verbs", TEST(every_verb_and_system_has_a_row), TEST(scripts_get_an_answer_or_a_named_error), TEST(stale_attachments_are_refused),
          TEST(c_gets_an_answer_or_a_named_error), TEST(a_command_that_cannot_be_done_warns))
