/* bad_test.c - scenes that are missing, broken or hostile: exit code 2, a place and a reason, and no waiting. */
#include "scenes.h"
#include <unistd.h>

typedef struct bad_scene {
    const char* file;
    const char* text; /* NULL: the file is not there */
    const char* says; /* in the message */
    const char* where;
} bad_scene;

static const bad_scene bad_scenes[] = {
    {"missing.lua", NULL, "missing.lua", "missing.lua"},
    {"scene.txt", "return {}", ".lua", "scene.txt"},
    {"broken.lua", "return {\n  title = \"x\",\n  fps = = 3,\n}\n", "unexpected symbol", "broken.lua:3"},
    {"broken.json", "{\n  \"title\": \"x\",\n  \"fps\": ,\n}\n", "", "broken.json:3"},
    {"raises.lua", "local x = nil\nreturn { fps = x.y }\n", "nil", "raises.lua:2"},
    {"key.lua", "return { systems = { { type = \"particles\", particles = { { mas = 1 } } } } }", "mass", "systems[0].particles[0].mas"},
    {"key.json", "{\"duration\": 1,\n \"gravty\": [0, -1, 0]}", "gravity", "key.json:2"},
    {"type.lua", "return { fps = \"many\" }", "fps", "type.lua"},
    {"system.lua", "return { systems = { { type = \"particle\" } } }", "particles", "systems[0]"},
    {"mass.lua", "return { systems = { { type = \"particles\", particles = { { mass = -1 } } } } }", "> 0", "systems[0].particles[0].mass"},
    {"nan.lua", "return { systems = { { type = \"particles\", particles = { { mass = 0 / 0 } } } } }", "", "systems[0].particles[0].mass"},
    {"inf.lua", "return { gravity = { 0, 1 / 0, 0 } }", "", "gravity"},
    {"zero.lua", "return { colliders = { { shape = { sphere = 0 } } } }", "> 0", "colliders[0].shape"},
    {"mesh.lua", "return { colliders = { { shape = { mesh = \"gone.obj\" } } } }", "gone.obj", "gone.obj"},
    {"list.lua", "return 5", "", "list.lua"},
};

static void bad_scenes_are_explained(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    for (size_t i = 0; i < sizeof bad_scenes / sizeof *bad_scenes; ++i) {
        const bad_scene* s = &bad_scenes[i];
        if (s->text != NULL) file_put(path_in(dir, s->file), s->text);
        KINEMA(t, check, 2, dir, "check", s->file);
        HAS(t, check.err, s->says);
        HAS(t, check.err, s->where);
        KINEMA(t, run, 2, dir, "run", s->file);
        TEXT(t, run.err, check.err);
        CHECK(t, access(path_in(dir, "out"), F_OK) != 0); /* nothing was begun */
        command_free(&check);
        command_free(&run);
    }
    folder_remove(dir);
}

/* Refused by arithmetic, before anything is taken from the machine. */
static void a_billion_particles_are_refused_at_once(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    file_put(path_in(dir, "huge.lua"), "return { systems = { { type = \"particles\", particles = { count = 1000000000, box = {1, 1, 1} } } } }");
    KINEMA(t, r, 2, dir, "run", "huge.lua");
    HAS(t, r.err, "memory");
    CHECK(t, r.seconds < 5);
    command_free(&r);
    folder_remove(dir);
}

static void endless_scripts_are_stopped(test* t)
{
    static const char* const scripts[] = {
        "while true do end\nreturn {}",
        "while true do pcall(function() while true do end end) end\nreturn {}",
        "local s = string.rep(\"a\", 30) return { title = string.find(s .. \"b\", string.rep(\"a?\", 30) .. string.rep(\"a\", 30) .. \"c\") }",
        "local s = \"x\" while true do s = s .. s end\nreturn {}",
        "local function f() return f() + 1 end return { fps = f() }",
        "return { on_step = function() while true do end end, systems = { { type = \"particles\", particles = { {} } } } }",
    };
    char dir[256];
    folder_create(dir, sizeof dir);
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; ++i) {
        file_put(path_in(dir, "endless.lua"), scripts[i]);
        command_result r = kinema(dir, "run", "endless.lua", "--frames", "1");
        test_check(t, r.code == 2, __FILE__, __LINE__, "script %zu: exit code %d, not 2\n%s", i, r.code, r.err);
        HAS(t, r.err, "endless.lua");
        test_check(t, r.seconds < 20, __FILE__, __LINE__, "script %zu took %.1f s", i, r.seconds);
        command_free(&r);
    }
    folder_remove(dir);
}

/* Frames that were cut or changed are known for it. */
static void broken_frames_are_refused(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    file_put(path_in(dir, "busy.lua"), busy_scene);
    KINEMA(t, run, 0, dir, "run", "busy.lua", "--frames", "2");
    CHECK(t, truncate(path_in(dir, "out/busy/frames/000001.kf"), 100) == 0);
    KINEMA(t, cut, 1, dir, "export", "out/busy", "--to", "csv", "-o", "a.csv");
    HAS(t, cut.err, "000001.kf");
    CHECK(t, access(path_in(dir, "a.csv"), F_OK) != 0);
    KINEMA(t, foreign, 1, dir, "render", dir, "-o", "a.png");
    command_free(&run), command_free(&cut), command_free(&foreign);
    folder_remove(dir);
}

TEST_MAIN("e2e bad input", TEST(bad_scenes_are_explained), TEST(a_billion_particles_are_refused_at_once), TEST(endless_scripts_are_stopped),
          TEST(broken_frames_are_refused))
