/* same_test.c - one scene, one state: threads, lanes, processes, libm, replay. */
#include "scenes.h"
#include <unistd.h>

static hash_text hash_of(test* t, const char* dir, const char* scene, const char* option, const char* variable)
{
    const char* arguments[] = {"run", scene, "--json", "--quiet", "--frames=4", option, NULL};
    command_result r = command_run(&(command){.folder = dir, .arguments = arguments, .variable = variable});
    test_check(t, r.code == 0, __FILE__, __LINE__, "exit code %d\n%s", r.code, r.err);
    hash_text hash = hash_in(r.out);
    CHECK(t, is_hash(hash.text));
    command_free(&r);
    return hash;
}

static void any_number_of_threads(test* t)
{
    static const char* const options[] = {"--threads=1", "--threads=2", "--threads=3", "--threads=8"};
    char dir[256];
    folder_create(dir, sizeof dir);
    file_put(path_in(dir, "busy.lua"), busy_scene);
    hash_text first = {0};
    for (int i = 0; i < 4; ++i) {
        KINEMA(t, r, 0, dir, "run", "busy.lua", "--json", "--quiet", "--frames=6", "--set", "n=9000", options[i]);
        if (i == 0) first = hash_in(r.out);
        CHECK(t, is_hash(first.text));
        TEXT(t, hash_in(r.out).text, first.text);
        command_free(&r);
    }
    folder_remove(dir);
}

static void any_lane_width(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    file_put(path_in(dir, "busy.lua"), busy_scene);
    hash_text none = hash_of(t, dir, "busy.lua", "--simd=none", NULL), sse2 = hash_of(t, dir, "busy.lua", "--simd=sse2", NULL);
    TEXT(t, sse2.text, none.text);
    command_result wide = kinema(dir, "run", "busy.lua", "--json", "--quiet", "--frames=4", "--simd", "avx2");
    if (wide.code == 0)
        TEXT(t, hash_in(wide.out).text, none.text);
    else
        HAS(t, wide.err, "this machine has no avx2");
    command_free(&wide);
    folder_remove(dir);
}

/* What Lua could make differ between processes: order of pairs, addresses, seeds of hashes, random, sort. */
static const char* const script_scene =
    "local names, list, text = {}, {}, \"\"\n"
    "for i = 1, 40 do names[\"k\" .. (i * 7919 % 101)] = i end\n"
    "for key, value in pairs(names) do list[#list + 1] = { key = key, x = math.sin(value) ^ 2 + math.random() }; text = text .. key end\n"
    "table.sort(list, function(a, b) return a.x < b.x end)\n"
    "local particles = {}\n"
    "for i, item in ipairs(list) do\n"
    "  particles[i] = { position = { item.x, 1 + #tostring(item) * 0.01 + 2 ^ (i / 7), math.exp(-item.x) }, velocity = { math.cos(i), #text * 0.001, i ^ 0.3 } "
    "}\n"
    "end\n"
    "return { title = text, fps = 60, colliders = { { shape = { plane = {0, 1, 0} } } },\n"
    "  systems = { { type = \"particles\", particles = particles } },\n"
    "  on_step = function(world, t) if t > 0.02 then world:push(0, 3, { math.sin(t) ^ 3, math.random(), 0 }) end end }\n";

static void twenty_processes_one_hash(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    file_put(path_in(dir, "script.lua"), script_scene);
    hash_text first = hash_of(t, dir, "script.lua", NULL, NULL);
    for (int i = 1; i < 20; ++i) TEXT(t, hash_of(t, dir, "script.lua", NULL, NULL).text, first.text);
    folder_remove(dir);
}

/* The switch really changes libm's bits: else equal hashes would prove nothing. */
static void libm_without_fma(test* t)
{
    static const char* const without = "GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-AVX2,-FMA4";
    const char* nothing[] = {NULL};
    command_result with = command_run(&(command){.program = KIN_BINARY_DIR "/tests/e2e/libm_probe", .arguments = nothing});
    command_result plain = command_run(&(command){.program = KIN_BINARY_DIR "/tests/e2e/libm_probe", .arguments = nothing, .variable = without});
    EQUAL(t, with.code, 0);
    EQUAL(t, plain.code, 0);
    if (strcmp(with.out, plain.out) == 0) printf("note: libm's pow is the same without FMA on this machine: the next check proves nothing here\n");
    command_free(&with);
    command_free(&plain);
    char dir[256];
    folder_create(dir, sizeof dir);
    file_put(path_in(dir, "script.lua"), script_scene);
    file_put(path_in(dir, "busy.lua"), busy_scene);
    TEXT(t, hash_of(t, dir, "script.lua", NULL, without).text, hash_of(t, dir, "script.lua", NULL, NULL).text);
    TEXT(t, hash_of(t, dir, "busy.lua", NULL, without).text, hash_of(t, dir, "busy.lua", NULL, NULL).text);
    folder_remove(dir);
}

static void replay_reaches_the_recorded_state(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    file_put(path_in(dir, "script.lua"), script_scene);
    hash_text hash = hash_of(t, dir, "script.lua", NULL, NULL);
    KINEMA(t, r, 0, dir, "replay", "out/script/recording", "--json", "--threads", "2");
    TEXT(t, hash_in(r.out).text, hash.text);
    char commands[24];
    json_value(r.out, "commands", commands, sizeof commands);
    CHECK(t, atoi(commands) > 0);
    command_free(&r);
    KINEMA(t, folder, 0, dir, "replay", "out/script");
    HAS(t, folder.out, hash.text);
    HAS(t, folder.out, "equal");
    command_free(&folder);
    char* text = file_get(path_in(dir, "out/script/recording"), NULL);
    text[strlen(text) / 2] ^= 1;
    file_put(path_in(dir, "out/script/recording"), text);
    KINEMA(t, broken, 1, dir, "replay", "out/script/recording");
    HAS(t, broken.err, "recording");
    command_free(&broken);
    free(text);
    folder_remove(dir);
}

/* A hook that remembers: its state is part of the run's. */
static void replay_of_a_hook_with_state(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    file_put(path_in(dir, "state.lua"),
             "return { fps = 60, systems = { { type = \"particles\", particles = { {}, {} } } },\n"
             "  on_step = function(world, t) world.state.n = (world.state.n or 0) + 1; if world.state.n == 3 then world:push(0, 1, {1, 0, 0}) end end }\n");
    hash_text hash = hash_of(t, dir, "state.lua", NULL, NULL);
    KINEMA(t, r, 0, dir, "replay", "out/state/recording", "--json");
    TEXT(t, hash_in(r.out).text, hash.text);
    command_free(&r);
    folder_remove(dir);
}

TEST_MAIN("e2e same", TEST(any_number_of_threads), TEST(any_lane_width), TEST(twenty_processes_one_hash), TEST(libm_without_fma),
          TEST(replay_reaches_the_recorded_state), TEST(replay_of_a_hook_with_state))
