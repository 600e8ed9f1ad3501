/* law_test.c - force laws in Lua: the same as C's, the same for any threads, and stopped with the name of their field. */
#include "scene_test.h"
#include "scene/scene_inside.h"
#include "world/world.h"

#define BALLS "systems = {{type = 'particles', name = 'dots', particles = {count = 700, box = {4, 4, 4}, spread = {1, 1, 1}}}}, gravity = {0, 0, 0}, fps = 60"

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

static uint64_t run(test* t, int line, scene_bench* b, const char* fields, int threads)
{
    char script[2000];
    snprintf(script, sizeof script, "return {" BALLS ", fields = %s}", fields);
    scene_loaded(t, line, b, "a.lua", script);
    kin_world* w = build(t, line, b, threads);
    scene_close(b); /* the world keeps what it needs */
    for (int i = 0; i < 10; ++i) test_check(t, kin_world_step(w, NULL, &b->error) == KIN_OK, __FILE__, line, "%s: %s", b->error.where, b->error.message);
    kin_particles_view p = kin_particles_state(w, kin_world_system(w, "dots"));
    kin_hasher hasher;
    kin_hasher_begin(&hasher);
    kin_hasher_add(&hasher, p.x, p.count * sizeof *p.x);
    kin_hasher_add(&hasher, p.y, p.count * sizeof *p.y);
    kin_hasher_add(&hasher, p.vz, p.count * sizeof *p.vz);
    kin_world_destroy(w);
    return kin_hasher_end(&hasher);
}
#define HASH(fields, threads) run(t, __LINE__, &b, fields, threads)

static void laws_act_as_fields_do(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    uint64_t gravity = HASH("{{gravity = {0.5, -3, 0.25}}}", 1);
    CHECK(t, HASH("{{law = function(x, y, z, vx, vy, vz, t, m, age) return 0.5, -3, 0.25 end}}", 1) == gravity);
    CHECK(t, HASH("{law = function() return 0.5, -3, 0.25 end}", 1) == gravity); /* a single one */
    CHECK(t, HASH("{{law = function() return 0.5, -3, 0.5 end}}", 1) != gravity);
    CHECK(t,
          HASH("{{gravity = {0.5, -3, 0.25}, region = {sphere = 1}}}", 1) == HASH("{{law = function() return 0.5, -3, 0.25 end, region = {sphere = 1}}}", 1));
    scene_end(&b);
}

static void any_threads_give_the_same(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    const char* law = "{{drag = 0.1}, {law = function(x, y, z, vx, vy, vz, t, m, age) return -x * m + math.sin(t), -y - vy, vx end}}";
    uint64_t one = HASH(law, 1);
    CHECK(t, HASH(law, 2) == one && HASH(law, 8) == one);
    scene_end(&b);
}

static void stops(test* t, int line, scene_bench* b, const char* body, kin_result code, const char* part)
{
    char script[2000];
    snprintf(script, sizeof script, "return {" BALLS ", fields = {{drag = 1}, {law = function(x, y, z, vx, vy, vz, t, m, age)\n%s\nend}}}", body);
    b->options.max_instructions = 3000000;
    scene_loaded(t, line, b, "a.lua", script);
    kin_world* w = build(t, line, b, 2);
    b->error = (kin_error){0};
    kin_result result = kin_world_step(w, NULL, &b->error);
    uint64_t before = kin_world_state_hash(w);
    if (strstr(body, "t > 0.03") != NULL) {
        for (; result == KIN_OK; result = kin_world_step(w, NULL, &b->error)) before = kin_world_state_hash(w);
        test_check(t, kin_world_step_count(w) == 2 && kin_world_state_hash(w) == before, __FILE__, line, "not undone");
    }
    scene_keep_error(b);
    test_check(t, result == code && strstr(b->text, part) != NULL && strstr(b->text, "fields[1].law") != NULL, __FILE__, line, "%s: %d \"%s\", not %d \"%s\"",
               body, result, b->text, code, part);
    kin_particles_view p = kin_particles_state(w, kin_world_system(w, "dots"));
    for (size_t i = 0; i < p.count; ++i) test_check(t, p.x[i] == p.x[i] && p.vx[i] == p.vx[i], __FILE__, line, "NaN");
    EQUAL(t, kin_world_step(w, NULL, NULL), KIN_ERROR_NUMERICS); /* it cannot go on */
    kin_world_destroy(w);
}
#define STOPS(body, code, part) stops(t, __LINE__, &b, body, code, part)

static void what_fails_stops_the_run(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    STOPS("return 1, 2", KIN_ERROR_SYNTAX, "must return ax, ay, az: az is nil");
    STOPS("return 1, 0 / 0, 3", KIN_ERROR_SYNTAX, "ay is");
    STOPS("return 1, 'x', 3", KIN_ERROR_SYNTAX, "ay is string");
    STOPS("return math.random(), 0, 0", KIN_ERROR_SYNTAX, "random");
    STOPS("while true do end", KIN_ERROR_LIMIT, "a.lua:2");
    STOPS("error('no such place')", KIN_ERROR_SYNTAX, "no such place");
    STOPS("if t > 0.03 then return 1 / 0, 0, 0 end return 0, 0, 0", KIN_ERROR_SYNTAX, "ax is");
    scene_end(&b);
}

static void json_cannot_hold_one(test* t)
{
    scene_bench b;
    const char* path;
    scene_begin(t, &b);
    LOADED(t, &b, "a.lua", "return {fields = {{drag = 1}, {law = function() return 0, 0, 0 end}}}");
    CHECK(t, kin_scene_has_functions(b.scene, &path));
    TEXT(t, path, "fields[1].law");
    uint64_t hash = kin_scene_hash(b.scene);
    LOADED(t, &b, "a.lua", "return {fields = {{drag = 1}, {law = function() return 0, 1, 0 end}}}");
    CHECK(t, kin_scene_hash(b.scene) != hash); /* its code counts */
    LOADED(t, &b, "b.json", "{\"fields\": [{\"law\": \"function 0\"}]}");
    CHECK(t, build(t, 0, &b, 1) == NULL);
    HAS(t, b.text, "fields[0].law");
    HAS(t, b.text, "must be a function of a Lua scene");
    REFUSED(t, &b, "a.lua", "return {fields = {{law = 3}}}", KIN_ERROR_ARGUMENT, "fields[0].law");
    REFUSED(t, &b, "a.lua", "return {colliders = {{law = function() end}}}", KIN_ERROR_ARGUMENT, "a function cannot stand here");
    scene_end(&b);
}

static void a_clone_is_refused_and_memory_named(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    LOADED(t, &b, "a.lua", "return {" BALLS ", fields = {{law = function() return 0, 0, 0 end}}}");
    kin_world *w = build(t, __LINE__, &b, 1), *clone;
    EQUAL(t, kin_world_clone(w, &clone, &b.error), KIN_ERROR_ARGUMENT);
    HAS(t, b.error.message, "laws of a script");
    kin_world_destroy(w);
    scene_write(t, &b, "c.lua", "local n = 0\nreturn {" BALLS ", fields = {{law = function() n = n + 1 return n, 0, 0 end}}}");
    char path[512];
    snprintf(path, sizeof path, "%s", scene_path(&b, "c.lua"));
    EQUAL(t, kin_scene_check(path, &b.options, &b.error), KIN_ERROR_ARGUMENT);
    HAS(t, b.error.message, "or a law does");
    scene_end(&b);
}

TEST_MAIN("law", TEST(laws_act_as_fields_do), TEST(any_threads_give_the_same), TEST(what_fails_stops_the_run), TEST(json_cannot_hold_one),
          TEST(a_clone_is_refused_and_memory_named))
