/* run_test.c - kinema run and its options, exit codes and reports. */
#include "base/tree.h"
#include "io/json.h"
#include "scenes.h"
#include <sys/stat.h>
#include <unistd.h>

static void run_reports_json(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    file_put(path_in(dir, "busy.lua"), busy_scene);
    KINEMA(t, r, 0, dir, "run", "busy.lua", "--json", "--frames=6");
    kin_tree tree;
    kin_tree_init(&tree, &t->allocator);
    kin_error error = {0};
    kin_result read = kin_json_read(&tree, r.out, strlen(r.out), "stdout", &(kin_json_limits){1 << 20, 20, 1000}, &error);
    if (CHECK(t, read == KIN_OK)) {
        const kin_node* root = tree.root;
        NEAR(t, kin_node_get(root, "frames")->number, 6, 0);
        NEAR(t, kin_node_get(root, "steps")->number, 18, 0);
        NEAR(t, kin_node_get(root, "sim_time")->number, 0.2, 1e-12);
        CHECK(t, kin_node_get(root, "wall_s")->number > 0);
        CHECK(t, kin_node_get(root, "peak_memory_bytes")->number > 1e5);
        CHECK(t, is_hash(kin_node_get(root, "state_hash")->string));
        const kin_node* balls = kin_node_get(kin_node_get(root, "systems"), "balls");
        NEAR(t, kin_node_get(balls, "count")->number, 300, 0);
        CHECK(t, kin_node_get(balls, "kinetic_energy")->number > 0);
    }
    kin_tree_term(&tree);
    EQUAL(t, folder_count(path_in(dir, "out/busy/frames"), ".kf"), 7); /* frame 0 is the start */
    EQUAL(t, access(path_in(dir, "out/busy/manifest.json"), R_OK), 0);
    EQUAL(t, access(path_in(dir, "out/busy/recording"), R_OK), 0);
    char* stats = file_get(path_in(dir, "out/busy/stats.csv"), NULL);
    if (CHECK(t, stats != NULL)) CHECK(t, strncmp(stats, "frame,time,balls.kinetic_energy", 31) == 0);
    free(stats);
    command_free(&r);
    folder_remove(dir);
}

static void run_prints_a_summary(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    file_put(path_in(dir, "busy.lua"), busy_scene);
    KINEMA(t, r, 0, dir, "run", "busy.lua", "-o", "there", "--frames", "2", "--profile", "--quiet");
    HAS(t, r.out, "Busy");
    HAS(t, r.out, "there");
    HAS(t, r.err, "commit");
    HAS(t, r.err, "ms/step");
    command_free(&r);
    folder_remove(dir);
}

static hash_text run_hash(test* t, const char* dir, const char* set)
{
    KINEMA(t, r, 0, dir, "run", "busy.lua", "--json", "--frames=2", "--set", set);
    hash_text hash = hash_in(r.out);
    command_free(&r);
    return hash;
}

static void set_and_seed_change_the_run(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    file_put(path_in(dir, "busy.lua"), busy_scene);
    hash_text plain = run_hash(t, dir, "n=300"), fewer = run_hash(t, dir, "n=200"), other = run_hash(t, dir, "systems[0].integrator=euler");
    CHECK(t, is_hash(plain.text) && strcmp(plain.text, fewer.text) != 0 && strcmp(plain.text, other.text) != 0);
    KINEMA(t, r, 0, dir, "run", "busy.lua", "--json", "--frames=2", "--seed", "6");
    CHECK(t, strcmp(hash_in(r.out).text, plain.text) != 0);
    command_free(&r);
    KINEMA(t, s, 0, dir, "run", "busy.lua", "--json", "--frames=2", "--seed=5");
    TEXT(t, hash_in(s.out).text, plain.text);
    command_free(&s);
    folder_remove(dir);
}

/* Each is refused with exit code 2 and words that help. */
static void usage_errors(test* t)
{
    static const struct {
        const char* arguments[6];
        const char* says;
    } rows[] = {
        {{"rum"}, "did you mean run?"},
        {{"run"}, "needs SCENE"},
        {{"run", "a.lua", "b.lua"}, "one too many"},
        {{"run", "a.lua", "--fram", "3"}, "did you mean --frames?"},
        {{"run", "a.lua", "--frames", "12abc"}, "not a whole number"},
        {{"run", "a.lua", "--frames", "-3"}, "not a whole number"},
        {{"run", "a.lua", "--frames=99999999999999999999999"}, "not a whole number"},
        {{"run", "a.lua", "--frames"}, "needs a value"},
        {{"run", "a.lua", "--threads", "100000"}, "from 0 to 256"},
        {{"run", "a.lua", "--quiet=1"}, "takes no value"},
        {{"run", "a.lua", "--simd", "avx9"}, "none, sse2, avx2"},
        {{"run", "a.lua", "--set", "n"}, "key=value"},
        {{"run", "a.lua", "-x"}, "no option -x"},
        {{"render", "nowhere"}, "no such run folder or scene"},
        {{"render", ".", "--size", "10"}, "960x540"},
        {{"render", ".", "-o", "%s.png"}, "pattern"},
        {{"plot", "nowhere", "-o", "a.svg"}, "no such run folder"},
        {{"export", "nowhere", "-o", "a.csv"}, "needs --to"},
        {{"export", "nowhere", "--to", "abc", "-o", "a.abc"}, "csv"},
        {{"list", "shape"}, "did you mean shapes?"},
        {{"help", "partcles"}, "did you mean particles?"},
        {{"validate", "particles/fre-fall"}, "did you mean particles/free-fall?"},
        {{"bench", "nothing/like-it"}, "kinema list benches"},
        {{"replay", "nowhere"}, "no such recording"},
        {{"new", "../"}, "not a name"},
        {{"new", "-x", NULL}, "no option -x"},
    };
    char dir[256];
    folder_create(dir, sizeof dir);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        command_result r = command_run(&(command){.folder = dir, .arguments = rows[i].arguments});
        test_check(t, r.code == 2, __FILE__, __LINE__, "row %zu: exit code %d, not 2", i, r.code);
        HAS(t, r.err, rows[i].says);
        HAS(t, r.err, "kinema: ");
        TEXT(t, r.out, "");
        command_free(&r);
    }
    folder_remove(dir);
}

static void version_and_help(test* t)
{
    KINEMA(t, v, 0, NULL, "--version");
    HAS(t, v.out, "kinema 0.");
    command_free(&v);
    KINEMA(t, h, 0, NULL, "help");
    HAS(t, h.out, "kinema validate");
    command_free(&h);
    KINEMA(t, r, 0, NULL, "help", "run");
    HAS(t, r.out, "--resume");
    command_free(&r);
    KINEMA(t, same, 0, NULL, "run", "--help");
    HAS(t, same.out, "--resume");
    command_free(&same);
    KINEMA(t, s, 0, NULL, "help", "schema");
    HAS(t, s.out, "\"$schema\"");
    command_free(&s);
    KINEMA(t, p, 0, NULL, "help", "particles");
    HAS(t, p.out, "integrator");
    command_free(&p);
    command_result bare = command_run(&(command){.arguments = (const char* const[]){NULL}});
    EQUAL(t, bare.code, 2);
    HAS(t, bare.err, "kinema run SCENE");
    command_free(&bare);
}

static void lists_come_from_the_registries(test* t)
{
    static const struct {
        const char* kind;
        const char* has;
    } rows[] = {
        {"domains", "particles"},
        {"forces", "wind"},
        {"shapes", "capsule"},
        {"formats", "csv"},
        {"cases", "particles/free-fall"},
        {"benches", "particles/free"},
        {"materials", "steel"},
        {"integrators", "velocity_verlet"},
        {"integrators", "bulirsch_stoer"},
        {"forces", "charges"},
        {"topics", "emitters"},
        {"topics", "collider"},
        {"kinds", "integrators"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        KINEMA(t, r, 0, NULL, "list", rows[i].kind);
        HAS(t, r.out, rows[i].has);
        command_free(&r);
    }
    char dir[256];
    folder_create(dir, sizeof dir);
    mkdir(path_in(dir, "scenes"), 0777);
    mkdir(path_in(dir, "scenes/deep"), 0777);
    file_put(path_in(dir, "scenes/deep/busy.lua"), busy_scene);
    KINEMA(t, r, 0, dir, "list", "scenes");
    HAS(t, r.out, "scenes/deep/busy.lua");
    HAS(t, r.out, "Busy");
    command_free(&r);
    folder_remove(dir);
}

/* Reader gone: kinema list | head. */
static void broken_pipe_is_quiet(test* t)
{
    command_result r = command_run(&(command){.arguments = (const char* const[]){"list", "materials", NULL}, .close_output = true});
    EQUAL(t, r.code, 1);
    EQUAL(t, r.signal, 0);
    TEXT(t, r.err, "");
    command_free(&r);
}

static void new_scene_runs(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    KINEMA(t, n, 0, dir, "new", "my-scene");
    TEXT(t, n.out, "my-scene.lua\n");
    command_free(&n);
    KINEMA(t, again, 2, dir, "new", "my-scene");
    HAS(t, again.err, "not overwritten");
    command_free(&again);
    KINEMA(t, c, 0, dir, "check", "my-scene.lua");
    HAS(t, c.out, "ok: my-scene, 1 system, 3 colliders, 2 fields");
    command_free(&c);
    KINEMA(t, r, 0, dir, "run", "my-scene.lua", "--frames", "3", "--set", "n=20", "--json");
    char count[24];
    json_value(r.out, "count", count, sizeof count);
    TEXT(t, count, "20");
    command_free(&r);
    folder_remove(dir);
}

/* Fluids of two systems do not feel each other: check says so, and of one fluid it says nothing. */
static void fluids_of_two_systems_are_told(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    file_put(path_in(dir, "two.lua"), "local function tank(x) return { type = \"sph\", radius = 0.05, blocks = { { shape = { box = {0.4, 0.4, 0.4} },\n"
                                      "position = {x, 0.3, 0} } } } end return { systems = { tank(0) } }\n");
    KINEMA(t, one, 0, dir, "check", "two.lua");
    TEXT(t, one.err, "");
    command_free(&one);
    file_put(path_in(dir, "two.lua"),
             "local function tank(x, name) return { type = \"sph\", name = name, radius = 0.05, blocks = { { shape = { box = {0.4, 0.4, 0.4} },\n"
             "position = {x, 0.3, 0} } } } end return { systems = { tank(0, \"oil\"), tank(1, \"water\") } }\n");
    KINEMA(t, two, 0, dir, "check", "two.lua");
    HAS(t, two.err, "oil and water pass through each other: fluids that meet are phases of one system");
    command_free(&two);
    folder_remove(dir);
}

static void expand_gives_a_scene(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    file_put(path_in(dir, "busy.lua"), busy_scene);
    KINEMA(t, e, 0, dir, "expand", "busy.lua");
    file_put(path_in(dir, "busy.json"), e.out);
    command_free(&e);
    KINEMA(t, lua, 0, dir, "run", "busy.lua", "--frames", "3", "--json");
    KINEMA(t, json, 0, dir, "run", "busy.json", "--frames", "3", "--json");
    TEXT(t, hash_in(json.out).text, hash_in(lua.out).text);
    command_free(&lua);
    command_free(&json);
    file_put(path_in(dir, "hook.lua"), "return { on_step = function(world, t) end, systems = { { type = \"particles\", particles = { {} } } } }\n");
    KINEMA(t, h, 2, dir, "expand", "hook.lua");
    HAS(t, h.err, "on_step");
    TEXT(t, h.out, "");
    command_free(&h);
    folder_remove(dir);
}

/* A scene that a script breaks in mid-run: what was written before is good. */
static void failing_hook_keeps_frames(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    file_put(path_in(dir, "late.lua"), "return { fps = 60, on_step = function(world, t) if t > 0.09 then error(\"enough\") end end,\n"
                                       "systems = { { type = \"particles\", particles = { {} } } } }\n");
    KINEMA(t, late, 1, dir, "run", "late.lua", "--quiet");
    HAS(t, late.err, "enough");
    HAS(t, late.err, "late.lua:1");
    CHECK(t, folder_count(path_in(dir, "out/late/frames"), ".kf") >= 5);
    command_free(&late);
    file_put(path_in(dir, "early.lua"),
             "return { on_step = function(world, t) local x = nil; x.y = 1 end, systems = { { type = \"particles\", particles = { {} } } } }\n");
    KINEMA(t, early, 2, dir, "run", "early.lua", "--quiet"); /* check finds this one */
    KINEMA(t, check, 2, dir, "check", "early.lua");
    HAS(t, check.err, "early.lua:1");
    command_free(&early);
    command_free(&check);
    folder_remove(dir);
}

/* Numbers that run out of range: the last good frame is kept, and said. */
static void failing_numbers_keep_frames(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    file_put(path_in(dir, "far.lua"),
             "return { fps = 60, systems = { { type = \"particles\", particles = { { position = {1.7e308, 0, 0}, velocity = {1e308, 0, 0} } } } } }\n");
    KINEMA(t, r, 1, dir, "run", "far.lua", "--quiet", "--json");
    HAS(t, r.err, "finite");
    HAS(t, r.err, "are good");
    TEXT(t, r.out, "");
    size_t frames = folder_count(path_in(dir, "out/far/frames"), ".kf");
    CHECK(t, frames >= 3 && frames < 20);
    command_free(&r);
    KINEMA(t, e, 0, dir, "export", "out/far", "--to", "csv", "-o", "far.csv");
    KINEMA(t, p, 0, dir, "replay", "out/far/recording"); /* up to the failure: a bug report is a file */
    command_free(&e), command_free(&p);
    folder_remove(dir);
}

TEST_MAIN("e2e run", TEST(run_reports_json), TEST(run_prints_a_summary), TEST(set_and_seed_change_the_run), TEST(usage_errors), TEST(version_and_help),
          TEST(lists_come_from_the_registries), TEST(broken_pipe_is_quiet), TEST(new_scene_runs), TEST(fluids_of_two_systems_are_told),
          TEST(expand_gives_a_scene), TEST(failing_hook_keeps_frames), TEST(failing_numbers_keep_frames))
