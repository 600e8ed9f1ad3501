/* hook_test.c - on_step: what it sees, what it commands, what it remembers, and how it is stopped. */
#include "scene_test.h"
#include "world/world.h"
#include <sys/wait.h>

#define BALL                                                                                                                                                   \
    "systems = {{type = 'particles', name = 'ball', particles = {{position = {0, 10, 0}, mass = 2}, {position = {1, 20, 0}}}}}, gravity = {0, 0, 0}, fps = 60"

static kin_world* start(test* t, int line, scene_bench* b, const char* hook)
{
    char script[4000];
    snprintf(script, sizeof script, "return {" BALL ", seed = 3, fields = {{drag = 0}}, on_step = function(world, t)\n%s\nend}", hook);
    if (!scene_loaded(t, line, b, "a.lua", script)) return NULL;
    kin_world_def def = kin_world_def_default();
    def.allocator = t->allocator;
    def.threads = 1;
    kin_world* world = NULL;
    test_check(t, kin_scene_build(b->scene, &def, &world, &b->error) == KIN_OK, __FILE__, line, "not built: %s", b->error.message);
    return world;
}

static kin_result step(scene_bench* b, kin_world* world)
{
    b->error = (kin_error){0};
    kin_result result = kin_scene_before_step(b->scene, world, &b->error);
    if (result == KIN_OK) result = kin_world_step(world, NULL, &b->error);
    scene_keep_error(b);
    return result;
}

/* Runs the hook for some steps; it must not fail. */
static kin_world* runs(test* t, int line, scene_bench* b, const char* hook, int steps)
{
    kin_world* world = start(t, line, b, hook);
    for (int i = 0; world != NULL && i < steps; ++i) {
        if (!test_check(t, step(b, world) == KIN_OK, __FILE__, line, "step %d: %s", i, b->text)) break;
    }
    return world;
}
#define RUNS(hook, steps) runs(t, __LINE__, &b, hook, steps)

static void stops(test* t, int line, scene_bench* b, const char* hook, kin_result code, const char* part)
{
    kin_world* world = start(t, line, b, hook);
    kin_result got = world != NULL ? step(b, world) : KIN_OK;
    test_check(t, got == code && strstr(b->text, part) != NULL, __FILE__, line, "%s: %d \"%s\", not %d \"%s\"", hook, got, b->text, code, part);
    kin_world_destroy(world);
}
#define STOPS(hook, code, part) stops(t, __LINE__, &b, hook, code, part)

static kin_vec3 velocity(const kin_world* w, size_t i) { return kin_particle_velocity(w, kin_world_system(w, "ball"), i); }
static kin_vec3 position(const kin_world* w, size_t i) { return kin_particle_position(w, kin_world_system(w, "ball"), i); }

static void a_hook_sees_the_world(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    kin_world* w = RUNS("assert(world.step == math.floor(t * 60 + 0.5) and world.time == t)\n"
                        "assert(world:count('ball') == 2 and world:count(0) == 2)\n"
                        "local p, v = world:position('ball', 1), world:velocity(0, 1)\n"
                        "assert(p[1] == 1 and p[2] == 20 and v[3] == 0)",
                        5);
    kin_world_destroy(w);
    scene_end(&b);
}

static void a_hook_gives_commands(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    kin_world* w = RUNS("world:push('ball', 0, {4, 0, 0})", 1);
    if (w != NULL) NEAR3(t, velocity(w, 0), ((kin_vec3){2, 0, 0}), 1e-15);
    kin_world_destroy(w);
    w = RUNS("if world.step == 0 then world:place(0, 1, {5, 6, 7}, {0, 60, 0}) end", 1);
    if (w != NULL) NEAR3(t, position(w, 1), ((kin_vec3){5, 7, 7}), 1e-12);
    kin_world_destroy(w);
    w = RUNS("if world.step == 0 then world:set('gravity', {0, -60, 0}) world:set('fields[0].drag', 0) world:set('systems[0].integrator', 'rk4') end "
             "world:status('ball', 1, 'static')",
             2);
    if (w != NULL) {
        NEAR3(t, velocity(w, 0), ((kin_vec3){0, -2, 0}), 1e-12);
        NEAR3(t, velocity(w, 1), ((kin_vec3){0, 0, 0}), 0);
    }
    kin_world_destroy(w);
    scene_end(&b);
}

static void bad_commands_are_refused(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    STOPS("world:push('bal', 0, {1, 0, 0})", KIN_ERROR_SYNTAX, "a.lua:2: there is no system \"bal\"");
    STOPS("world:push(1, 0, {1, 0, 0})", KIN_ERROR_SYNTAX, "there is no system 1: there are 1, counted from 0");
    STOPS("world:push(0, 2, {1, 0, 0})", KIN_ERROR_SYNTAX, "ball has no element 2: there are 2, counted from 0");
    STOPS("world:push(0, -1, {1, 0, 0})", KIN_ERROR_SYNTAX, "no element -1");
    STOPS("world:push(0, 0, {1, 0})", KIN_ERROR_SYNTAX, "must be {x, y, z}");
    STOPS("world:push(0, 0, {1, 0, 0/0})", KIN_ERROR_SYNTAX, "must be finite");
    STOPS("world:push(0, 0, 5)", KIN_ERROR_SYNTAX, "must be {x, y, z}");
    STOPS("world:position(0, 7)", KIN_ERROR_SYNTAX, "no element 7");
    STOPS("world:status(0, 0, 'frozen')", KIN_ERROR_SYNTAX, "invalid option 'frozen'");
    STOPS("world:set('gravty', 1)", KIN_ERROR_SYNTAX, "gravty");
    STOPS("world:set('gravity', 1)", KIN_ERROR_SYNTAX, "gravity: must be a list of 3 numbers (m/s^2), not a number");
    STOPS("world:set('gravity', {})", KIN_ERROR_SYNTAX, "gravity: must be a list of 3 numbers");
    STOPS("world:set('systems[0].particles', 1)", KIN_ERROR_SYNTAX, "cannot change while the world runs");
    STOPS("world:set('gravity', print)", KIN_ERROR_SYNTAX, "takes a number, a text");
    STOPS("world.time = 5", KIN_ERROR_SYNTAX, "world.time cannot be set");
    STOPS("return world.tiem", KIN_ERROR_SYNTAX, "world has no \"tiem\"");
    STOPS("world.push(5, 0, 0, {1, 2, 3})", KIN_ERROR_SYNTAX, "world expected");
    STOPS("setmetatable(world, {})", KIN_ERROR_SYNTAX, "table expected");
    STOPS("getmetatable(world).__index = nil", KIN_ERROR_SYNTAX, "");
    STOPS("include('a.lua')", KIN_ERROR_SYNTAX, "only while the scene is read");
    STOPS("param('n', 1)", KIN_ERROR_SYNTAX, "only while the scene is read");
    STOPS("math.randomseed(1)", KIN_ERROR_SYNTAX, "only while the scene is read");
    STOPS("error('oh')", KIN_ERROR_SYNTAX, "a.lua:2: oh");
    scene_end(&b);
}

static void runaway_hooks_are_stopped(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    b.options.max_instructions = 100000;
    STOPS("while true do end", KIN_ERROR_LIMIT, "a.lua:2: the script was stopped after 100000 instructions");
    STOPS("while true do pcall(function() while true do end end) end", KIN_ERROR_LIMIT, "stopped");
    STOPS("while true do pcall(world.push, world, 0, 0, {0, 0, 0}) end", KIN_ERROR_LIMIT, "stopped");
    b.options.max_memory = 1 << 20;
    STOPS("local t = {} while true do t[#t + 1] = {} end", KIN_ERROR_LIMIT, "more than its 1 MiB");
    STOPS("local mt = {} setmetatable({}, mt) mt.__mode = 'k'", KIN_ERROR_SYNTAX, "a metatable cannot have __mode here");
    STOPS("local mt = {} setmetatable({}, mt) pcall(function() mt.__mode = 'k' for i = 1, 20000 do local t = {} end end) mt.__mode = nil", KIN_ERROR_SYNTAX,
          "a metatable cannot have __mode here");
    kin_world* w = RUNS("for i = 1, 10000 do end", 30); /* each call has its own budget */
    kin_world_destroy(w);
    scene_end(&b);
}

/* A command costs what it makes the engine do: a budget of 100000 buys fewer than a thousand. */
static void commands_are_paid_for(test* t)
{
    static const char* const loops[] = {"world:push(0, 0, {1, 0, 0})", "world:place(0, 0, {1, 0, 0})", "world:nail(0, 0)", "world:set('gravity', {0, 0, 0})",
                                        "world:detach(world:attach{a = {system = 'ball', element = 0}, b = {point = {0, 0, 0}}})"};
    scene_bench b;
    scene_begin(t, &b);
    b.options.max_instructions = 100000;
    for (size_t i = 0; i < sizeof loops / sizeof *loops; ++i) {
        char hook[200];
        snprintf(hook, sizeof hook, "while true do %s end", loops[i]);
        kin_world* w = start(t, __LINE__, &b, hook);
        CHECK(t, w != NULL && kin_scene_before_step(b.scene, w, &b.error) == KIN_ERROR_LIMIT);
        if (w != NULL) test_check(t, w->commands.count > 0 && w->commands.count <= 1000, __FILE__, __LINE__, "%s: %zu commands", hook, w->commands.count);
        kin_world_destroy(w);
    }
    scene_end(&b);
}

static void state_is_kept_with_the_world(test* t)
{
    const char* hook =
        "local s = world.state\n s.n = (s.n or 0) + 1\n s.list = s.list or {}\n s.list[#s.list + 1] = world:random()\n s.deep = {a = {b = true, c = 'x'}}\n"
        "if s.n % 2 == 0 then world:push(0, 0, {s.list[#s.list], 0, 0}) end";
    scene_bench b;
    scene_begin(t, &b);
    kin_world* straight = RUNS(hook, 6);
    kin_snapshot snapshot = {0};
    uint64_t want = straight != NULL ? kin_world_state_hash(straight) : 0;
    kin_world_destroy(straight);
    uint64_t got = 1;
    for (int i = 0; i < 6; ++i) { /* a new script and a new world for every step */
        kin_world* w = start(t, __LINE__, &b, hook);
        if (w == NULL) break;
        if (i > 0) CHECK(t, kin_world_restore(w, &snapshot, &b.error) == KIN_OK);
        CHECK(t, step(&b, w) == KIN_OK);
        CHECK(t, kin_world_snapshot(w, &snapshot, &b.error) == KIN_OK);
        got = kin_world_state_hash(w);
        kin_world_destroy(w);
    }
    CHECK(t, got == want);
    kin_snapshot_free(&snapshot);
    scene_end(&b);
}

/* One script drives two worlds in turn; each has its own state. */
static void one_script_may_drive_many_worlds(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    kin_world* a = RUNS("world.state.n = (world.state.n or 0) + 1 world:push(0, 0, {world.state.n, 0, 0})", 0);
    kin_world_def def = kin_world_def_default();
    def.allocator = t->allocator;
    def.threads = 1;
    kin_world* c = NULL;
    CHECK(t, kin_scene_build(b.scene, &def, &c, &b.error) == KIN_OK);
    for (int i = 0; i < 3; ++i) CHECK(t, step(&b, a) == KIN_OK);
    CHECK(t, step(&b, c) == KIN_OK);
    CHECK(t, step(&b, a) == KIN_OK);
    NEAR(t, velocity(a, 0).x, (1 + 2 + 3 + 4) / 2.0, 1e-12);
    NEAR(t, velocity(c, 0).x, 0.5, 1e-12);
    kin_world_destroy(a);
    kin_world_destroy(c);
    scene_end(&b);
}

static void state_holds_plain_values_only(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    STOPS("world.state.f = print", KIN_ERROR_ARGUMENT, "a.lua: world.state.f: a function cannot stand here");
    STOPS("world.state.x = 0/0", KIN_ERROR_ARGUMENT, "finite numbers only");
    STOPS("world.state.x = {1, a = 2}", KIN_ERROR_ARGUMENT, "world.state.x: mixes");
    STOPS("world.state[1] = {} world.state[2] = world", KIN_ERROR_ARGUMENT, "world.state[1]: must be a plain value, not a userdata");
    STOPS("local s = world.state s.s = s", KIN_ERROR_LIMIT, "nested deeper than 100");
    kin_world* w = RUNS("world.state = 5", 1);
    kin_world_destroy(w);
    w = RUNS("if world.step > 0 then assert(math.type(world.state.whole) == 'integer') end world.state.whole = 2.0", 3); /* as after a restore */
    kin_world_destroy(w);
    scene_end(&b);
}

static void random_numbers_follow_seed_and_step(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    kin_world* w = RUNS("local a, c = world:random(), math.random() assert(a ~= c) local s = world.state s.seen = s.seen or {}\n"
                        "for _, x in ipairs(s.seen) do assert(x ~= a) end s.seen[#s.seen + 1] = a",
                        20);
    uint64_t first = w != NULL ? kin_world_state_hash(w) : 0;
    kin_world_destroy(w);
    w = RUNS("local a, c = world:random(), math.random() assert(a ~= c) local s = world.state s.seen = s.seen or {}\n"
             "for _, x in ipairs(s.seen) do assert(x ~= a) end s.seen[#s.seen + 1] = a",
             20);
    CHECK(t, w != NULL && kin_world_state_hash(w) == first);
    kin_world_destroy(w);
    scene_end(&b);
}

static kin_result check(test* t, scene_bench* b, const char* text)
{
    scene_write(t, b, "c.lua", text);
    b->error = (kin_error){0};
    char path[512];
    snprintf(path, sizeof path, "%s", scene_path(b, "c.lua"));
    kin_result result = kin_scene_check(path, &b->options, &b->error);
    scene_keep_error(b);
    return result;
}

static void check_names_a_hook_that_remembers_elsewhere(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    CHECK(t, check(t, &b, "return {" BALL "}") == KIN_OK);
    CHECK(t,
          check(t, &b, "return {" BALL ", on_step = function(world) local s = world.state s.n = (s.n or 0) + 1 world:push(0, 0, {s.n, 0, 0}) end}") == KIN_OK);
    CHECK(t, check(t, &b, "local n = 0 return {" BALL ", on_step = function(world) n = n + 1 world:push(0, 0, {n, 0, 0}) end}") == KIN_ERROR_ARGUMENT);
    HAS(t, b.text, "c.lua: on_step remembers something outside world.state: step 2 differs after a restore");
    CHECK(t, check(t, &b,
                   "local seen = {} return {" BALL ", on_step = function(world) seen[#seen + 1] = 1 if #seen == 3 then world:push(0, 0, {1, 0, 0}) end end}")
                 == KIN_ERROR_ARGUMENT);
    HAS(t, b.text, "step 3 differs");
    CHECK(t, check(t, &b, "return {" BALL ", on_step = function(world) keep = (keep or 0) + 1 world.state.n = keep end}") == KIN_ERROR_ARGUMENT);
    CHECK(t, check(t, &b, "return {" BALL ", on_step = function(world) error('oh') end}") == KIN_ERROR_SYNTAX);
    CHECK(t, check(t, &b, "return {duration = -1}") == KIN_ERROR_ARGUMENT);
    scene_end(&b);
}

/* The whole of a busy scene in 20 processes, each with its own addresses and hash seeds: one hash. */
static void twenty_processes_give_one_hash(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    const char* script =
        "local bag = {} for w in ('the quick brown fox jumps over the lazy dog and runs away from here'):gmatch('%a+') do bag[w] = #w + math.random() end\n"
        "local p = {} for k, v in pairs(bag) do p[#p + 1] = {position = {v, #k + v ^ 0.5, math.sin(v)}, velocity = {math.exp(-v), 0, tostring({}) == 'table' "
        "and 1 or 2}} end\n"
        "table.sort(p, function(a, b) return a.velocity[1] < b.velocity[1] end)\n"
        "return {systems = {{type = 'particles', particles = p}}, colliders = {{shape = {plane = {0, 1, 0}}}}, on_step = function(world)\n"
        "for k, v in pairs{a = 1, b = 2, c = 3, d = 4, [1] = 5} do world:push(0, math.random(0, world:count(0) - 1), {v * world:random(), 0, 0}) "
        "world.state[tostring(k)] = v ^ 1.5 end end}";
    LOADED(t, &b, "a.lua", script);
    uint64_t want = 0;
    for (int i = 0; i < 20; ++i) {
        int ends[2];
        if (!CHECK(t, pipe(ends) == 0)) break;
        pid_t child = fork();
        if (child == 0) {
            char out[32] = "failed", path[512];
            snprintf(path, sizeof path, "%s", scene_path(&b, "a.lua"));
            close(ends[0]);
            void* shift = malloc((size_t)(i * 1000 + 1)); /* other addresses, even without randomised ones */
            kin_scene_options options = kin_scene_options_default();
            kin_world_def def = kin_world_def_default();
            def.threads = 1;
            kin_scene* scene = NULL;
            kin_world* world = NULL;
            bool ok = kin_scene_load(path, &options, &scene, NULL) == KIN_OK && kin_scene_build(scene, &def, &world, NULL) == KIN_OK;
            for (int k = 0; ok && k < 30; ++k) ok = kin_scene_before_step(scene, world, NULL) == KIN_OK && kin_world_step(world, NULL, NULL) == KIN_OK;
            if (ok) snprintf(out, sizeof out, "%016llx", (unsigned long long)kin_world_state_hash(world));
            ssize_t written = write(ends[1], out, sizeof out);
            free(shift);
            _exit(written == sizeof out ? 0 : 1);
        }
        close(ends[1]);
        char got[32] = "";
        CHECK(t, read(ends[0], got, sizeof got) == sizeof got);
        close(ends[0]);
        waitpid(child, NULL, 0);
        uint64_t hash = strtoull(got, NULL, 16);
        CHECK(t, strcmp(got, "failed") != 0);
        if (i == 0) want = hash;
        CHECK(t, hash == want);
    }
    scene_end(&b);
}

static bool step_with_failing_memory(test* t, void* context)
{
    scene_bench* b = context;
    kin_scene* scene = NULL;
    kin_world* world = NULL;
    kin_world_def def = kin_world_def_default();
    def.allocator = t->allocator;
    def.threads = 1;
    char path[512];
    snprintf(path, sizeof path, "%s", scene_path(b, "a.lua"));
    kin_result result = kin_scene_load(path, &b->options, &scene, NULL);
    if (result == KIN_OK) result = kin_scene_build(scene, &def, &world, NULL);
    for (int i = 0; i < 2 && result == KIN_OK; ++i) result = kin_scene_before_step(scene, world, NULL);
    kin_world_destroy(world);
    kin_scene_free(scene);
    return result == KIN_OK;
}

static void memory_may_run_out(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    kin_world* w = start(t, __LINE__, &b, "world.state.n = (world.state.n or 0) + 1 world:push('ball', 0, {1, 0, 0}) print(world.state.n)");
    kin_world_destroy(w);
    scene_close(&b);
    test_fail_each_allocation(t, step_with_failing_memory, &b);
    scene_end(&b);
}

TEST_MAIN("scene/hook", TEST(a_hook_sees_the_world), TEST(a_hook_gives_commands), TEST(bad_commands_are_refused), TEST(runaway_hooks_are_stopped),
          TEST(commands_are_paid_for), TEST(state_is_kept_with_the_world), TEST(one_script_may_drive_many_worlds), TEST(state_holds_plain_values_only),
          TEST(random_numbers_follow_seed_and_step), TEST(check_names_a_hook_that_remembers_elsewhere), TEST(twenty_processes_give_one_hash),
          TEST(memory_may_run_out))
