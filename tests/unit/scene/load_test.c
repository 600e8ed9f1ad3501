/* load_test.c - scene files: what is read, what is refused and with which words, include, param() and --set. */
#include "scene_test.h"
#include "base/alloc.h"

static const char* title_of(const scene_bench* b) { return b->scene != NULL ? kin_scene_describe(b->scene).title : "(none)"; }

static const kin_node* node_at(const scene_bench* b, const char* key) { return kin_node_get(kin_scene_tree(b->scene), key); }

#define ONE "{\"systems\": [{\"type\": \"particles\", \"particles\": [{\"position\": [0, 1, 0], \"mass\": 2}]}]}"

/* ---- files ---- */

static void files_that_are_no_scenes_are_refused(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    CHECK(t, scene_load(&b, "missing.lua") == KIN_ERROR_FILE);
    HAS(t, b.text, "missing.lua: cannot open: No such file");
    CHECK(t, scene_load(&b, "missing.json") == KIN_ERROR_FILE);
    REFUSED(t, &b, "a.txt", ONE, KIN_ERROR_ARGUMENT, "a.txt: a scene is a .lua or .json file");
    REFUSED(t, &b, "noextension", ONE, KIN_ERROR_ARGUMENT, "a scene is a .lua or .json file");
    CHECK(t, scene_load(&b, "") == KIN_ERROR_ARGUMENT);
    REFUSED(t, &b, "a.json", "[1, 2]", KIN_ERROR_ARGUMENT, "a.json: a scene must be a table, not a list");
    REFUSED(t, &b, "a.json", "3", KIN_ERROR_ARGUMENT, "a scene must be a table, not a number");
    b.options.max_bytes = 20;
    REFUSED(t, &b, "a.json", ONE, KIN_ERROR_LIMIT, "more than 20");
    REFUSED(t, &b, "a.lua", "return {title = 'longer than twenty bytes'}", KIN_ERROR_LIMIT, "more than 20");
    scene_end(&b);
}

static void broken_json_has_line_and_column(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    REFUSED(t, &b, "a.json", "{\n  \"title\": \"x\",\n  \"duration\" 5\n}", KIN_ERROR_SYNTAX, "a.json:3:14: ':' expected near '5'");
    REFUSED(t, &b, "a.json", "{\"title\": NaN}", KIN_ERROR_SYNTAX, "a.json:1:");
    REFUSED(t, &b, "a.json", "{\"fps\": 1, \"fps\": 2}", KIN_ERROR_SYNTAX, "duplicate");
    REFUSED(t, &b, "a.json", "{\"duration\": 1e999}", KIN_ERROR_SYNTAX, "overflow");
    static char deep[2001];
    memset(deep, '[', 2000);
    REFUSED(t, &b, "a.json", deep, KIN_ERROR_LIMIT, "a.json:1:101: nested too deeply, more than 100");
    scene_end(&b);
}

static void wrong_values_are_named_with_their_place(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    REFUSED(t, &b, "a.json", "{\n \"systems\": [{\"type\": \"particles\",\n  \"particles\": [{}, {\"mass\": -0.1}]}]}", KIN_ERROR_ARGUMENT,
            "a.json:3:30: systems[0].particles[1].mass: -0.1 must be > 0 (kg)");
    REFUSED(t, &b, "a.lua", "return {systems = {{type = 'particles', particles = {{}, {mass = -0.1}}}}}", KIN_ERROR_ARGUMENT,
            "a.lua: systems[0].particles[1].mass: -0.1 must be > 0 (kg)");
    REFUSED(t, &b, "a.lua", "return {systems = {{type = 'particles', particles = {{mass = 0/0}}}}}", KIN_ERROR_ARGUMENT,
            "systems[0].particles[0].mass: nan must be a finite number (kg)");
    REFUSED(t, &b, "a.lua", "return {systems = {{type = 'particles', particles = {{position = {0, 1/0, 0}}}}}}", KIN_ERROR_ARGUMENT,
            "position[1]: inf must be a finite number (m)");
    REFUSED(t, &b, "a.lua", "return {systems = {{type = 'particles', particles = {{positon = {0, 1, 0}}}}}}", KIN_ERROR_ARGUMENT,
            "systems[0].particles[0].positon: unknown key \"positon\"; did you mean \"position\"?");
    REFUSED(t, &b, "a.json", "{\"durration\": 5}", KIN_ERROR_ARGUMENT, "a.json:1:15: durration: unknown key \"durration\"; did you mean \"duration\"?");
    REFUSED(t, &b, "a.json", "{\"title\": 5}", KIN_ERROR_ARGUMENT, "a.json:1:11: title: must be a text, not a number");
    REFUSED(t, &b, "a.json", "{\"systems\": [{\"type\": \"partcles\"}]}", KIN_ERROR_ARGUMENT,
            "systems[0].type: there is no type of system \"partcles\"; did you mean \"particles\"?");
    REFUSED(t, &b, "a.json", "{\"systems\": [{\"integrator\": \"rk4\"}]}", KIN_ERROR_ARGUMENT, "a.json:1:14: systems[0]: \"type\" is missing");
    REFUSED(t, &b, "a.json", "{\"systems\": 5}", KIN_ERROR_ARGUMENT, "systems: must be a list of tables, not a number");
    REFUSED(t, &b, "a.json", "{\"systems\": [{\"type\": \"particles\", \"integrator\": \"rk5\"}]}", KIN_ERROR_ARGUMENT, "did you mean \"rk4\"?");
    REFUSED(t, &b, "a.json", "{\"fields\": [{\"drga\": 1}]}", KIN_ERROR_ARGUMENT, "fields[0].drga: there is no field \"drga\"; did you mean \"drag\"?");
    REFUSED(t, &b, "a.json", "{\"fields\": [{\"drag\": 1, \"wind\": [1, 0, 0]}]}", KIN_ERROR_ARGUMENT, "fields[0]: \"drag\" and \"wind\" are two fields");
    REFUSED(t, &b, "a.json", "{\"fields\": [{\"drag\": \"much\"}]}", KIN_ERROR_ARGUMENT, "fields[0].drag: must be a number (kg/s), not a string");
    REFUSED(t, &b, "a.json", "{\"fields\": [{}]}", KIN_ERROR_ARGUMENT, "fields[0]: must be a table with the name of a field");
    REFUSED(t, &b, "a.json", "{\"fps\": 0}", KIN_ERROR_ARGUMENT, "fps: 0 must be > 0");
    REFUSED(t, &b, "a.json", "{\"steps_per_frame\": 1.5}", KIN_ERROR_ARGUMENT, "1.5 must be a whole number");
    REFUSED(t, &b, "a.json", "{\"seed\": -1}", KIN_ERROR_ARGUMENT, "seed: -1 must be >= 0");
    REFUSED(t, &b, "a.json", "{\"bounds\": {\"low\": [0, 0, 0]}}", KIN_ERROR_ARGUMENT, "bounds: \"high\" is missing");
    REFUSED(t, &b, "a.json", "{\"materials\": [1]}", KIN_ERROR_ARGUMENT, "materials: must be a table of materials by name, not a list");
    REFUSED(t, &b, "a.json", "{\"materials\": {\"oak\": {\"restitution\": -0.5}}}", KIN_ERROR_ARGUMENT, "materials.oak.restitution: -0.5 must be >= 0");
    REFUSED(t, &b, "a.json", "{\"materials\": {\"oak\": {\"preset\": \"oka\"}}}", KIN_ERROR_ARGUMENT,
            "materials.oak.preset: there is no preset \"oka\"; did you mean \"oak\"?");
    scene_end(&b);
}

static void shapes_without_size_are_refused(test* t)
{
    static const char* const shapes[][2] = {
        {"{\"sphere\": 0}", "colliders[0].shape.sphere: 0 must be > 0"},
        {"{\"sphere\": -1}", "-1 must be > 0"},
        {"{\"box\": [1, 0, 1]}", "colliders[0].shape.box[1]: 0 must be > 0"},
        {"{\"capsule\": [0, 1]}", "colliders[0].shape.capsule[0]: 0 must be > 0"},
        {"{\"plane\": [0, 0, 0]}", "colliders[0].shape.plane: must be a direction, not zero"},
        {"{\"mesh\": \"\"}", "colliders[0].shape.mesh: must be the name of a file"},
        {"{}", "colliders[0].shape: must be a table with one of sphere, box, capsule, plane, mesh"},
        {"{\"ball\": 1}", "unknown key \"ball\""},
        {"5", "must be a table with one of sphere, box, capsule, plane, mesh, cylinder, cone, hull, height_field, field, ellipsoid, nurbs, compound, pieces, "
              "not a number"},
    };
    scene_bench b;
    scene_begin(t, &b);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        char text[200];
        snprintf(text, sizeof text, "{\"colliders\": [{\"shape\": %s}]}", shapes[i][0]);
        REFUSED(t, &b, "a.json", text, KIN_ERROR_ARGUMENT, shapes[i][1]);
    }
    REFUSED(t, &b, "a.json", "{\"colliders\": [{\"position\": [0, 0, 0]}]}", KIN_ERROR_ARGUMENT, "colliders[0]: \"shape\" is missing");
    scene_end(&b);
}

/* ---- Lua's tables ---- */

static void tables_are_lists_or_tables(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    REFUSED(t, &b, "a.lua", "return {gravity = {0, x = 1}}", KIN_ERROR_ARGUMENT, "a.lua: gravity: mixes list items and named keys");
    REFUSED(t, &b, "a.lua", "return {gravity = {0, nil, 1}}", KIN_ERROR_ARGUMENT, "a.lua: gravity: is a list with holes");
    REFUSED(t, &b, "a.lua", "return {gravity = {[0] = 1}}", KIN_ERROR_ARGUMENT, "gravity: the key 0 is number");
    REFUSED(t, &b, "a.lua", "return {gravity = {[true] = 1}}", KIN_ERROR_ARGUMENT, "gravity: the key is boolean");
    REFUSED(t, &b, "a.lua", "return {systems = {{type = 'particles', particles = {{mass = function() end}}}}}", KIN_ERROR_ARGUMENT,
            "a.lua: systems[0].particles[0].mass: a function cannot stand here");
    REFUSED(t, &b, "a.lua", "return {camera = {on_step = function() end}}", KIN_ERROR_ARGUMENT, "camera.on_step: a function cannot stand here");
    REFUSED(t, &b, "a.lua", "return {on_step = 5}", KIN_ERROR_ARGUMENT, "on_step: unknown key");
    REFUSED(t, &b, "a.lua", "return {title = '\\xff'}", KIN_ERROR_ARGUMENT, "title: must be UTF-8 text");
    REFUSED(t, &b, "a.lua", "return {['a\\0b'] = 1}", KIN_ERROR_ARGUMENT, "a key must be UTF-8 text without zero bytes");
    LOADED(t, &b, "a.lua", "return {materials = {}, fields = {}, systems = {}, camera = {}, colliders = {}}");
    LOADED(t, &b, "a.lua", "return {}");
    TEXT(t, title_of(&b), "a.lua");
    scene_end(&b);
}

static void lua_and_json_give_equal_trees(test* t)
{
    scene_bench a, b;
    scene_begin(t, &a);
    scene_begin(t, &b);
    LOADED(t, &a, "a.lua",
           "local p = {} for i = 1, 3 do p[i] = {position = {i, 0.5, 0}, mass = 2 ^ -i} end "
           "return {title = 'é', duration = 2, fps = 24, systems = {{type = 'particles', integrator = 'rk4', particles = p}}, camera = {eye = {1, 2, 3}}, "
           "fields = {{drag = 0.1}}}");
    LOADED(t, &b, "b.json",
           "{\"title\": \"\\u00e9\", \"duration\": 2.0, \"fps\": 24, \"fields\": [{\"drag\": 0.1}], \"camera\": {\"eye\": [1, 2, 3]}, \"systems\": "
           "[{\"integrator\": \"rk4\", \"type\": \"particles\","
           "\"particles\": [{\"position\": [1, 0.5, 0], \"mass\": 0.5}, {\"position\": [2, 0.5, 0], \"mass\": 0.25}, {\"position\": [3, 0.5, 0], \"mass\": "
           "0.125}]}]}");
    CHECK(t, kin_node_equal(kin_scene_tree(a.scene), kin_scene_tree(b.scene)));
    CHECK(t, kin_scene_hash(a.scene) == kin_scene_hash(b.scene));
    kin_scene_info info = kin_scene_describe(a.scene);
    EQUAL(t, info.frames, 48);
    EQUAL(t, info.steps_per_frame, 3);
    CHECK(t, !info.has_hook && !kin_scene_has_functions(a.scene, NULL));
    scene_end(&a);
    scene_end(&b);
}

static void steps_are_at_most_a_sixtieth(test* t)
{
    static const struct {
        double fps;
        int steps;
    } rows[] = {{60, 1}, {30, 2}, {25, 3}, {24, 3}, {120, 1}, {1, 60}, {29.97, 3}, {20, 3}, {0.5, 120}, {59.999, 2}};
    scene_bench b;
    scene_begin(t, &b);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        char text[64];
        snprintf(text, sizeof text, "{\"fps\": %.17g}", rows[i].fps);
        LOADED(t, &b, "a.json", text);
        EQUAL(t, kin_scene_describe(b.scene).steps_per_frame, rows[i].steps);
    }
    LOADED(t, &b, "a.json", "{\"steps_per_frame\": 7}");
    EQUAL(t, kin_scene_describe(b.scene).steps_per_frame, 7);
    EQUAL(t, kin_scene_describe(b.scene).frames, 150);
    scene_end(&b);
}

/* ---- include ---- */

static void included_scenes_are_merged_below(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    scene_write(t, &b, "lib/room.json",
                "{\"title\": \"room\", \"fps\": 50, \"materials\": {\"wall\": {\"friction\": 1}, \"own\": {\"density\": 1}}, \"colliders\": [{\"shape\": "
                "{\"plane\": [0, 1, 0]}}, {\"shape\": {\"mesh\": \"a.obj\"}}], \"include\": [\"air.lua\"]}");
    scene_write(t, &b, "lib/air.lua", "return {fields = {{drag = 0.5}}, colliders = {shape = {sphere = 1}}, duration = 9}");
    LOADED(t, &b, "main.lua",
           "return {title = 'main', include = {'lib/room.json'}, materials = {own = {density = 2}}, colliders = {{shape = {box = {1, 1, 1}}}}, fields = {{wind "
           "= {1, 0, 0}}}}");
    TEXT(t, title_of(&b), "main");
    NEAR(t, kin_scene_describe(b.scene).fps, 50, 0);
    NEAR(t, kin_scene_describe(b.scene).duration, 9, 0);
    CHECK(t, node_at(&b, "include") == NULL);
    const kin_node* colliders = node_at(&b, "colliders");
    EQUAL(t, colliders->count, 4);
    CHECK(t, kin_node_get(kin_node_get(colliders->items[0], "shape"), "box") != NULL);
    TEXT(t, kin_node_get(kin_node_get(colliders->items[2], "shape"), "mesh")->string, "lib/a.obj"); /* relative to where it stood */
    CHECK(t, kin_node_get(kin_node_get(colliders->items[3], "shape"), "sphere") != NULL);
    EQUAL(t, node_at(&b, "fields")->count, 2);
    EQUAL(t, node_at(&b, "materials")->count, 2);
    NEAR(t, kin_node_get(kin_node_get(node_at(&b, "materials"), "own"), "density")->number, 2, 0);
    LOADED(t, &b, "main.json", "{\"include\": \"lib/air.lua\"}");
    EQUAL(t, node_at(&b, "colliders")->count, 1);
    scene_end(&b);
}

static void errors_in_included_files_name_them(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    scene_write(t, &b, "bad.json", "{\"colliders\": [{\"shape\": {\"sphere\": 1}},\n {\"shape\": {\"sphere\": -1}}]}");
    REFUSED(t, &b, "main.lua", "return {include = {'bad.json'}, colliders = {{shape = {sphere = 1}}}}", KIN_ERROR_ARGUMENT,
            "bad.json:2:23: colliders[1].shape.sphere: -1 must be > 0 (m)");
    scene_write(t, &b, "middle.lua", "return {include = {'bad.json'}, colliders = {{shape = {sphere = 1}}}}");
    REFUSED(t, &b, "main.lua", "return {include = {'middle.lua'}, colliders = {{shape = {sphere = 1}}}}", KIN_ERROR_ARGUMENT,
            "bad.json:2:23: colliders[1].shape.sphere");
    scene_write(t, &b, "bad.json", "{]");
    REFUSED(t, &b, "main.json", "{\"include\": [\"bad.json\"]}", KIN_ERROR_SYNTAX, "bad.json:1:2");
    REFUSED(t, &b, "main.json", "{\"include\": [\"none.json\"]}", KIN_ERROR_FILE, "none.json: cannot open");
    REFUSED(t, &b, "main.json", "{\"include\": [5]}", KIN_ERROR_ARGUMENT, "main.json: include: must be a list of file names");
    REFUSED(t, &b, "main.json", "{\"include\": [\"/etc/passwd\"]}", KIN_ERROR_ARGUMENT, "relative to the scene");
    REFUSED(t, &b, "main.json", "{\"include\": [\"a.png\"]}", KIN_ERROR_ARGUMENT, "a scene is a .lua or .json file");
    scene_end(&b);
}

static void cycles_are_refused(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    REFUSED(t, &b, "self.json", "{\"include\": [\"self.json\"]}", KIN_ERROR_ARGUMENT, "a cycle");
    scene_write(t, &b, "b.lua", "return {include = {'a.lua'}}");
    REFUSED(t, &b, "a.lua", "return {include = {'b.lua'}}", KIN_ERROR_ARGUMENT, "a cycle");
    scene_write(t, &b, "d.lua", "return include('./c.lua')");
    REFUSED(t, &b, "c.lua", "return {title = include('d.lua')}", KIN_ERROR_SYNTAX, "a cycle");
    LOADED(t, &b, "e.lua", "return {title = tostring(pcall(include, 'e.lua'))}");
    TEXT(t, title_of(&b), "false");
    scene_end(&b);
}

static void a_file_may_be_included_twice(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    scene_write(t, &b, "f.json", "{\"fields\": [{\"drag\": 1}]}");
    LOADED(t, &b, "a.lua", "return {include = {'f.json', 'f.json'}}");
    EQUAL(t, node_at(&b, "fields")->count, 2);
    char name[32];
    for (int i = 0; i < 20; ++i) { /* a long chain */
        char text[64];
        snprintf(name, sizeof name, "n%d.lua", i);
        snprintf(text, sizeof text, "return {include = {'n%d.lua'}}", i + 1);
        scene_write(t, &b, name, text);
    }
    CHECK(t, scene_load(&b, "n0.lua") == KIN_ERROR_LIMIT);
    HAS(t, b.text, "more than 16 files deep");
    for (int i = 0; i < 14; ++i) { /* 2^14 evaluations */
        char text[64];
        snprintf(name, sizeof name, "m%d.lua", i);
        snprintf(text, sizeof text, "include('m%d.lua') include('m%d.lua') return {}", i + 1, i + 1);
        scene_write(t, &b, name, text);
    }
    scene_write(t, &b, "m14.lua", "return {}");
    b.options.max_instructions = 1000000;
    CHECK(t, scene_load(&b, "m0.lua") == KIN_ERROR_LIMIT);
    scene_end(&b);
}

static void include_gives_values_to_scripts(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    scene_write(t, &b, "lib/points.json", "{\"list\": [1, 2.5, {\"x\": true}], \"name\": \"p\"}");
    scene_write(t, &b, "lib/tools.lua", "local p = include('points.json') return {double = function(x) return 2 * x end, points = p}");
    LOADED(t, &b, "a.lua",
           "local tools = include('lib/tools.lua') local p = tools.points "
           "return {title = p.name .. #p.list .. tostring(p.list[1]) .. p.list[2] .. tostring(p.list[3].x) .. tools.double(21)}");
    TEXT(t, title_of(&b), "p312.5true42");
    scene_write(t, &b, "lib/broken.lua", "\nreturn {");
    REFUSED(t, &b, "a.lua", "include('lib/broken.lua')", KIN_ERROR_SYNTAX, "lib/broken.lua:2");
    LOADED(t, &b, "a.lua", "local ok = pcall(include, 'lib/broken.lua') return {title = tostring(ok) .. include('lib/points.json').name}");
    TEXT(t, title_of(&b), "falsep");
    REFUSED(t, &b, "a.lua", "include('/etc/passwd.json')", KIN_ERROR_SYNTAX, "relative to the scene");
    scene_end(&b);
}

/* ---- param() and --set ---- */

static void sets(scene_bench* b, const kin_scene_set* list, size_t count)
{
    b->options.sets = list;
    b->options.set_count = count;
}
#define SETS(b, ...) sets(b, (kin_scene_set[]){__VA_ARGS__}, sizeof((kin_scene_set[]){__VA_ARGS__}) / sizeof(kin_scene_set))

static void params_take_values_from_set(test* t)
{
    const char* script = "local n, name, on, v = param('n', 40, 'how many'), param('name', 'x'), param('on', false), param('v', {1, 2, 3}, 'a vector')\n"
                         "return {title = n .. name .. tostring(on) .. #v .. v[1] .. param('n', 40)}";
    scene_bench b;
    scene_begin(t, &b);
    LOADED(t, &b, "a.lua", script);
    TEXT(t, title_of(&b), "40xfalse3140");
    size_t count;
    const kin_scene_param* params = kin_scene_params(b.scene, &count);
    EQUAL(t, count, 4);
    TEXT(t, params[0].name, "n");
    TEXT(t, params[0].doc, "how many");
    NEAR(t, params[0].preset->number, 40, 0);
    SETS(&b, {"n", "5"}, {"name", "7"}, {"on", "true"}, {"v", "{4, 5}"});
    LOADED(t, &b, "a.lua", script);
    TEXT(t, title_of(&b), "57true245");
    NEAR(t, kin_scene_params(b.scene, &count)[0].value->number, 5, 0);
    SETS(&b, {"n", "many"});
    REFUSED(t, &b, "a.lua", script, KIN_ERROR_SYNTAX, "a.lua:1: --set n=many: must be a number, not a string");
    SETS(&b, {"nmae", "5"});
    REFUSED(t, &b, "a.lua", script, KIN_ERROR_ARGUMENT, "--set nmae=5: the scene has no param() \"nmae\", it has n, name, on, v; did you mean \"name\"?");
    SETS(&b, {"zzzzz", "5"});
    REFUSED(t, &b, "a.json", "{}", KIN_ERROR_ARGUMENT, "--set zzzzz=5: the scene has no param() \"zzzzz\", nor any other");
    sets(&b, NULL, 0);
    scene_end(&b);
}

static void paths_edit_the_tree(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    SETS(&b, {"systems[0].integrator", "rk4"}, {"systems[0].particles[0].mass", "7.5"}, {"systems[0].particles[0].position", "{1, -2e0, 3}"}, {"duration", "2"},
         {"camera", "{}"}, {"camera.eye", "{1, 2, 3}"}, {"systems[0].particles[0].position[1]", "9"});
    LOADED(t, &b, "a.json", ONE);
    const kin_node* system = node_at(&b, "systems")->items[0];
    TEXT(t, kin_node_get(system, "integrator")->string, "rk4");
    const kin_node* particle = kin_node_get(system, "particles")->items[0];
    NEAR(t, kin_node_get(particle, "mass")->number, 7.5, 0);
    NEAR(t, kin_node_get(particle, "position")->items[1]->number, 9, 0);
    NEAR(t, kin_node_get(particle, "position")->items[2]->number, 3, 0);
    NEAR(t, kin_scene_describe(b.scene).duration, 2, 0);
    SETS(&b, {"systems[1].integrator", "rk4"});
    REFUSED(t, &b, "a.json", ONE, KIN_ERROR_ARGUMENT, "--set systems[1].integrator=rk4: there is no [1]: the list has 1 items, counted from 0");
    SETS(&b, {"system[0].integrator", "rk4"});
    REFUSED(t, &b, "a.json", ONE, KIN_ERROR_ARGUMENT, "there is no \"system\" on the way; did you mean \"systems\"?");
    SETS(&b, {"systems[0].integrater", "rk4"});
    REFUSED(t, &b, "a.json", ONE, KIN_ERROR_ARGUMENT, "a.json:1:14: systems[0].integrater: unknown key \"integrater\"; did you mean \"integrator\"?");
    SETS(&b, {"systems[0].particles[0].mass", "-1"});
    REFUSED(t, &b, "a.json", ONE, KIN_ERROR_ARGUMENT, "systems[0].particles[0].mass: -1 must be > 0 (kg)");
    SETS(&b, {"systems[0].particles[0].mass", "nan"});
    REFUSED(t, &b, "a.json", ONE, KIN_ERROR_ARGUMENT, "nan must be a finite number");
    static const char* const broken[] = {"systems[", "systems[x].a", "systems[0]integrator", ".", "a..b", "systems[0].", "[0]", "systems.type"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; ++i) {
        kin_scene_set set = {broken[i], "1"};
        sets(&b, &set, 1);
        REFUSED(t, &b, "a.json", ONE, KIN_ERROR_ARGUMENT, "--set");
    }
    sets(&b, NULL, 0);
    scene_end(&b);
}

static void hooks_and_seeds_are_known(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    const char* path;
    LOADED(t, &b, "a.lua", "return {seed = 5, on_step = function() end}");
    CHECK(t, kin_scene_describe(b.scene).has_hook && kin_scene_has_functions(b.scene, &path));
    TEXT(t, path, "on_step");
    EQUAL(t, kin_scene_seed(b.scene), 5);
    uint64_t hash = kin_scene_hash(b.scene);
    CHECK(t, node_at(&b, "on_step") == NULL);
    LOADED(t, &b, "a.lua", "return {seed = 5, on_step = function() return end}");
    CHECK(t, kin_scene_hash(b.scene) != hash); /* the code of a hook counts */
    b.options.has_seed = true;
    b.options.seed = UINT64_MAX;
    LOADED(t, &b, "a.lua", "return {seed = 5}");
    CHECK(t, kin_scene_seed(b.scene) == UINT64_MAX);
    kin_scene* copy;
    CHECK(t, kin_scene_from_tree(kin_scene_tree(b.scene), "recording", &b.options, &copy, &b.error) == KIN_OK);
    CHECK(t, kin_node_equal(kin_scene_tree(copy), kin_scene_tree(b.scene)));
    kin_scene_free(copy);
    kin_node bad = {.type = KIN_NODE_NUMBER};
    CHECK(t, kin_scene_from_tree(&bad, "recording", &b.options, &copy, &b.error) == KIN_ERROR_ARGUMENT);
    scene_end(&b);
}

TEST_MAIN("scene/load", TEST(files_that_are_no_scenes_are_refused), TEST(broken_json_has_line_and_column), TEST(wrong_values_are_named_with_their_place),
          TEST(shapes_without_size_are_refused), TEST(tables_are_lists_or_tables), TEST(lua_and_json_give_equal_trees), TEST(steps_are_at_most_a_sixtieth),
          TEST(included_scenes_are_merged_below), TEST(errors_in_included_files_name_them), TEST(cycles_are_refused), TEST(a_file_may_be_included_twice),
          TEST(include_gives_values_to_scripts), TEST(params_take_values_from_set), TEST(paths_edit_the_tree), TEST(hooks_and_seeds_are_known))
