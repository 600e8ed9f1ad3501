/* bad_test.c - scenes that are missing, broken or hostile: exit code 2, a place and a reason, and no waiting. */
#include "scenes.h"
#include <unistd.h>

typedef struct bad_scene {
    const char* file;
    const char* text; /* NULL: the file is not there */
    const char* says; /* in the message */
    const char* where;
} bad_scene;

#define PARTICLES(rest) "return { systems = { { type = \"particles\", " rest " } } }"
#define RIGID(bodies, joints) "return { systems = { { type = \"rigid\", bodies = { " bodies " }, joints = { " joints " } } } }"
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
    {"triangle.lua", PARTICLES("emitters = { { shape = { triangle = { {0,0,0}, {1,0,0}, {2,0,0} } }, rate = 3 } }"), "no area",
     "systems[0].emitters[0].shape.triangle"},
    {"rate.lua", PARTICLES("emitters = { {}, { rate = -3 } }"), ">= 0", "systems[0].emitters[1].rate"},
    {"rates.lua", PARTICLES("emitters = { { rate = { {t = 0, value = 1}, {t = 1, value = -2} } } }"), ">= 0", "systems[0].emitters[0].rate[1]"},
    {"aperture.lua", PARTICLES("emitters = { { rate = 1, aperture = 4 } }"), "<= 3.14", "systems[0].emitters[0].aperture"},
    {"shapes.lua", PARTICLES("emitters = { { shape = { disk = 1, sphere = 2 } } }"), "only one of", "systems[0].emitters[0].shape"},
    {"kind.lua", PARTICLES("emitters = { { rate = 1, kind = \"spark\" } }"), "\"spark\"", "systems[0].emitters[0].kind"},
    {"carrier.lua", PARTICLES("emitters = { { rate = 1, collider = \"wall\" } }"), "\"wall\"", "systems[0].emitters[0].collider"},
    {"split.lua", PARTICLES("kinds = { { splits = { { into = \"gone\" } } } }"), "\"gone\"", "systems[0].kinds[0].splits"},
    {"children.lua", PARTICLES("kinds = { { splits = { { number = 1000 } } } }"), "<= 256", "systems[0].kinds[0].splits[0].number"},
    {"massless.lua", PARTICLES("kinds = { { mass = {1, 1} } }"), "> 0", "systems[0].kinds[0].mass"},
    {"spring.lua", PARTICLES("particles = { {}, {} }, springs = { { a = 0, b = 2 } }"), "from 0 to 1", "systems[0].springs[0]"},
    {"inside.lua", PARTICLES("inside = \"stay\""), "pull_out", "systems[0].inside"},
    {"volume.lua", RIGID("{ shape = { height_field = { columns = 2, heights = {0, 0, 0, 0} } } }", ""), "no volume", "systems[0].bodies[0].shape"},
    {"floor.lua", RIGID("{ shape = { plane = {0, 1, 0} } }", ""), "static or animated", "systems[0].bodies[0].shape"},
    {"flat-box.lua", RIGID("{ shape = { box = {1, 0, 1} } }", ""), "0 must be > 0 (m)", "systems[0].bodies[0].shape.box[1]"},
    {"hull.lua", RIGID("{ shape = { hull = { points = { {0, 0, 0}, {1, 0, 0}, {0, 1, 0} } } } }", ""), "hull", "systems[0].bodies[0].shape.hull.points"},
    {"shapeless.lua", RIGID("{ position = {0, 1, 0} }", ""), "\"shape\" is missing", "systems[0].bodies[0]"},
    {"twins.lua", RIGID("{ name = \"a\", shape = { sphere = 1 } }, { name = \"a\", shape = { sphere = 1 } }", ""), "called \"a\" too",
     "systems[0].bodies[1].name"},
    {"heavy.lua", RIGID("{ shape = { sphere = 1 }, mass = -2 }", ""), "-2 must be >= 0", "systems[0].bodies[0].mass"},
    {"moments.lua", RIGID("{ shape = { sphere = 1 }, moments = {1, 1, 9} }", ""), "no body has such inertia", "systems[0].bodies[0].moments"},
    {"pinned.lua", RIGID("{ shape = { sphere = 1 }, mobility = \"static\", keys = { { t = 0 } } }", ""), "a static body has none", "systems[0].bodies[0].keys"},
    {"crumbs.lua", RIGID("{ shape = { sphere = 1 }, fracture = { pieces = 1 } }", ""), "1 must be >= 2", "systems[0].bodies[0].fracture.pieces"},
    {"hing.lua", RIGID("{ shape = { sphere = 1 } }", "{ a = 0, hing = { anchor = {0, 0, 0}, axis = {0, 1, 0} } }"), "did you mean \"hinge\"?",
     "systems[0].joints[0].hing"},
    {"loner.lua", RIGID("{ shape = { sphere = 1 } }", "{ ball = { anchor = {0, 0, 0} } }"), "\"a\" is missing", "systems[0].joints[0]"},
    {"kindless.lua", RIGID("{ shape = { sphere = 1 } }", "{ a = 0 }"), "must have one of distance, ball, hinge", "systems[0].joints[0]"},
    {"nobody.lua", RIGID("{ shape = { sphere = 1 } }", "{ a = 0, b = 1, ball = { anchor = {0, 0, 0} } }"), "there is no body 1", "systems[0].joints[0].b"},
    {"stranger.lua", RIGID("{ shape = { sphere = 1 } }", "{ a = \"door\", ball = { anchor = {0, 0, 0} } }"), "there is no body \"door\"",
     "systems[0].joints[0].a"},
    {"stops.lua", RIGID("{ shape = { sphere = 1 } }", "{ a = 0, hinge = { anchor = {0, 0, 0}, axis = {0, 1, 0}, limits = {1, -1} } }"), "must be <= high",
     "systems[0].joints[0].hinge.limits"},
    {"twist.lua", RIGID("{ shape = { sphere = 1 } }", "{ a = 0, ball = { anchor = {0, 0, 0}, twist = { motor = { most = 0 } } } }"), "for a motor",
     "systems[0].joints[0].ball.twist.motor.most"},
    {"no-axis.lua", RIGID("{ shape = { sphere = 1 } }", "{ a = 0, slider = { anchor = {0, 0, 0} } }"), "\"axis\" is missing", "systems[0].joints[0].slider"},
    {"quick.lua", "return { systems = { { type = \"rigid\", mode = \"quick\" } } }", "realtime, exact", "systems[0].mode"},
    {"field.lua", "return { fields = { { gravty = {0, 1, 0} } } }", "gravity", "fields[0].gravty"},
    {"fields.lua", "return { fields = { {drag = 1}, { drag = 1, wind = {1, 0, 0} } } }", "two fields", "fields[1]"},
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

static void an_emitter_needs_an_area(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    file_put(path_in(dir, "flat.obj"), "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n");
    file_put(path_in(dir, "flat.lua"), PARTICLES("emitters = { {}, { shape = { mesh = \"flat.obj\" }, rate = 3 } }"));
    KINEMA(t, r, 2, dir, "run", "flat.lua");
    HAS(t, r.err, "flat.lua: systems[0].emitters[1].shape.mesh: no face of the mesh has an area");
    command_free(&r);
    folder_remove(dir);
}

/* Kinds that split into each other without end run into the cap; the run goes on and says so. */
static void a_loop_of_splits_is_reported(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    file_put(path_in(dir, "loop.lua"),
             PARTICLES("max_particles = 50, particles = { {} }, kinds = { { name = \"a\", splits = { { into = \"b\", age = 0, depth = 64 } } }, "
                       "{ name = \"b\", splits = { { into = \"a\", age = 0, depth = 64 } } } }"));
    KINEMA(t, r, 0, dir, "run", "loop.lua", "--frames", "20");
    HAS(t, r.err, "particles: births refused: max_particles (50) are alive");
    command_free(&r);
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

TEST_MAIN("e2e bad input", TEST(bad_scenes_are_explained), TEST(an_emitter_needs_an_area), TEST(a_loop_of_splits_is_reported),
          TEST(a_billion_particles_are_refused_at_once), TEST(endless_scripts_are_stopped), TEST(broken_frames_are_refused))
