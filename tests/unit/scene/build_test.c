/* build_test.c - scenes to worlds. */
#include "scene_test.h"
#include "scene/scene_inside.h"
#include "system/material.h"
#include "world/world.h"

static kin_result build(test* t, scene_bench* b, kin_world** world)
{
    kin_world_def def = kin_world_def_default();
    def.allocator = t->allocator;
    def.threads = 1;
    b->error = (kin_error){0};
    kin_result result = kin_scene_build(b->scene, &def, world, &b->error);
    scene_keep_error(b);
    return result;
}

static kin_world* built(test* t, int line, scene_bench* b, const char* name, const char* text)
{
    kin_world* world = NULL;
    if (scene_loaded(t, line, b, name, text)) test_check(t, build(t, b, &world) == KIN_OK, name, line, "not built: %s", b->text);
    return world;
}
#define BUILT(b, name, text) built(t, __LINE__, b, name, text)

static void not_built(test* t, int line, scene_bench* b, const char* text, kin_result code, const char* part)
{
    kin_world* world = NULL;
    if (!scene_loaded(t, line, b, "a.json", text)) return;
    kin_result got = build(t, b, &world);
    test_check(t, got == code && strstr(b->text, part) != NULL && world == NULL, __FILE__, line, "%d \"%s\", not %d \"%s\"", got, b->text, code, part);
    kin_world_destroy(world);
}
#define NOT_BUILT(b, text, code, part) not_built(t, __LINE__, b, text, code, part)

static void the_top_level_becomes_the_world(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    kin_world* w = BUILT(&b, "a.lua",
                         "return {fps = 25, seed = 11, gravity = {0, -1, 0}, bounds = {low = {-1, -2, -3}, high = {4, 5, 6}, policy = 'bounce'}, pairs = "
                         "{restitution = 'max', friction = 'multiply'},"
                         "max_intervals = 8, max_passes = 3, fields = {{drag = 0.5}, {wind = {1, 2, 3}}}, camera = {eye = {1, 2, 3}, target = {0, 0, 0}, fov = "
                         "0.5, exposure = 1}}");
    if (w != NULL) {
        NEAR(t, kin_world_time_step(w), 1.0 / 75, 1e-17);
        EQUAL(t, w->def.seed, 11);
        NEAR3(t, w->def.gravity, ((kin_vec3){0, -1, 0}), 0);
        EQUAL(t, w->def.bounds, KIN_BOUNDS_BOUNCE);
        NEAR3(t, w->def.bounds_high, ((kin_vec3){4, 5, 6}), 0);
        EQUAL(t, w->def.restitution_rule, KIN_PAIR_MAX);
        EQUAL(t, w->def.friction_rule, KIN_PAIR_MULTIPLY);
        EQUAL(t, w->def.max_intervals, 8);
        EQUAL(t, w->def.max_passes, 3);
        EQUAL(t, w->fields.count, 2);
        NEAR3(t, w->view.camera.eye, ((kin_vec3){1, 2, 3}), 0);
        NEAR(t, w->view.camera.field_of_view, 0.5, 0);
        NEAR(t, w->view.light.exposure, 1, 0);
    }
    kin_world_destroy(w);
    w = BUILT(
        &b, "p.lua",
        "return {materials = {ice = {restitution = 0.9, friction = 0.1}, tyre = {friction = 1}}, pairs = {friction = 'min', values = {{a = 'tyre', b = 'ice', "
        "friction = 0.02, rolling_friction = 0.001}, {a = 'steel', b = 'ice', static_friction = 0.03}}}}");
    if (w != NULL) {
        kin_material_id ice, tyre, steel;
        CHECK(t, kin_materials_find(&w->materials, "ice", &ice) && kin_materials_find(&w->materials, "tyre", &tyre)
                     && kin_materials_find(&w->materials, "steel", &steel));
        kin_pair pair = kin_materials_pair(&w->materials, ice, tyre);
        NEAR(t, pair.static_friction[1], 0.02, 0);
        NEAR(t, pair.dynamic_friction[0], 0.02, 0);
        NEAR(t, pair.rolling_friction, 0.001, 0);
        NEAR(t, pair.restitution, 0.5 * (0.9 + 0.5), 1e-15);
        NEAR(t, kin_materials_pair(&w->materials, ice, steel).dynamic_friction[0], 0.03, 0);
        NEAR(t, kin_materials_pair(&w->materials, tyre, steel).static_friction[0], 0.74, 0);
    }
    kin_world_destroy(w);
    NOT_BUILT(&b, "{\"pairs\": {\"values\": [{\"a\": \"wood\", \"b\": \"wod\"}]}}", KIN_ERROR_ARGUMENT, "pairs.values[0].b");
    NOT_BUILT(&b, "{\"pairs\": {\"values\": [{\"a\": \"wood\", \"b\": \"oak\", \"static_friction\": 0.1, \"dynamic_friction\": 0.2}]}}", KIN_ERROR_ARGUMENT,
              "pairs.values[0].dynamic_friction");
    w = BUILT(&b, "a.json", "{}");
    if (w != NULL) EQUAL(t, w->def.bounds, KIN_BOUNDS_NONE);
    kin_world_destroy(w);
    scene_end(&b);
}

static void materials_have_presets_and_follow(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    kin_world* w =
        BUILT(&b, "a.lua",
              "return {materials = {tea = {preset = 'water', absorption = {1, 5, 30}}, a = {friction = {0.3, 0.2}, color = '#ff0000'}, b = {preset = 'steel', "
              "density = 5}, c = {static_friction = 0.1}, d = "
              "{dynamic_friction = 2}},"
              "systems = {{type = 'particles', particles = {{material = 'a'}, {material = 'rubber'}}}}, colliders = {{shape = {sphere = 1}, material = 'b'}}}");
    if (w != NULL) {
        kin_material_id id;
        CHECK(t, kin_materials_find(&w->materials, "a", &id));
        const kin_material* m = kin_materials_at(&w->materials, id);
        NEAR(t, m->static_friction[0], 0.3, 0);
        NEAR(t, m->dynamic_friction[1], 0.2, 0);
        NEAR(t, (double)m->look.color[0], 1, 0);
        CHECK(t, kin_materials_find(&w->materials, "b", &id));
        m = kin_materials_at(&w->materials, id);
        NEAR(t, m->density, 5, 0);
        NEAR(t, m->restitution, kin_material_preset("steel")->restitution, 0);
        CHECK(t, kin_materials_find(&w->materials, "c", &id));
        NEAR(t, kin_materials_at(&w->materials, id)->dynamic_friction[0], 0.1, 0);
        CHECK(t, kin_materials_find(&w->materials, "d", &id));
        NEAR(t, kin_materials_at(&w->materials, id)->static_friction[0], 2, 0);
        CHECK(t, kin_materials_find(&w->materials, "tea", &id));
        const kin_look* tea = &kin_materials_at(&w->materials, id)->look;
        CHECK(t, tea->surface == KIN_SURFACE_GLASS && tea->ior == 1.333f && tea->absorption[0] == 1 && tea->absorption[1] == 5 && tea->absorption[2] == 30);
        size_t count = w->materials.count;
        CHECK(t, kin_materials_find(&w->materials, "rubber", &id) && w->materials.count == count); /* the builder added it */
    }
    kin_world_destroy(w);
    NOT_BUILT(&b, "{\"materials\": {\"a\": {\"static_friction\": 0.1, \"dynamic_friction\": 0.2}}}", KIN_ERROR_ARGUMENT,
              "a.json:1:66: materials.a.dynamic_friction: 0.2 must not exceed");
    REFUSED(t, &b, "a.json", "{\"materials\": {\"a\": {\"ior\": 0.5}}}", KIN_ERROR_ARGUMENT, "materials.a.ior: 0.5 must be >= 1");
    REFUSED(t, &b, "a.json", "{\"materials\": {\"a\": {\"absorption\": [1, -2, 0]}}}", KIN_ERROR_ARGUMENT, "materials.a.absorption[1]: -2");
    NOT_BUILT(&b, "{\"colliders\": [{\"shape\": {\"sphere\": 1}, \"material\": \"setel\"}]}", KIN_ERROR_ARGUMENT,
              "colliders[0].material: there is no material \"setel\"; did you mean \"steel\"?");
    NOT_BUILT(&b, "{\"systems\": [{\"type\": \"particles\", \"particles\": {\"material\": \"x\"}}]}", KIN_ERROR_ARGUMENT,
              "a.json:1:62: systems[0].particles.material: there is no material \"x\"");
    scene_end(&b);
}

static void systems_have_names_of_their_own(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    kin_world* w = BUILT(&b, "a.json",
                         "{\"systems\": [{\"type\": \"particles\"}, {\"type\": \"particles\", \"name\": \"dust\"}, {\"type\": \"particles\"}, {\"type\": "
                         "\"particles\", \"particles\": {\"count\": 3}}]}");
    if (w != NULL) {
        EQUAL(t, kin_world_system_count(w), 4);
        TEXT(t, kin_world_system_name(w, 1), "particles");
        TEXT(t, kin_world_system_name(w, 2), "dust");
        TEXT(t, kin_world_system_name(w, 3), "particles2");
        TEXT(t, kin_world_system_name(w, 4), "particles3");
        EQUAL(t, kin_particles_state(w, kin_world_system(w, "particles3")).count, 3);
    }
    kin_world_destroy(w);
    w = BUILT(&b, "a.json", "{\"systems\": {\"type\": \"particles\"}}"); /* one is a list of one */
    kin_world_destroy(w);
    NOT_BUILT(&b, "{\"systems\": [{\"type\": \"particles\", \"name\": \"a\"}, {\"type\": \"particles\", \"name\": \"a\"}]}", KIN_ERROR_ARGUMENT,
              "systems[1].name: an earlier system is called \"a\" too");
    scene_end(&b);
}

static void colliders_have_shapes_and_keys(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    scene_write(t, &b, "box.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
    kin_world* w = BUILT(&b, "a.lua",
                         "return {colliders = {{shape = {plane = {0, 1, 0}}}, {name = 'ball', shape = {sphere = 0.5}, position = {1, 2, 3}, keys = {{t = 0}, "
                         "{t = 1, position = {4, 2, 3}}}, smooth = false},"
                         "{shape = {box = {1, 2, 3}}, orientation = {axis = {0, 1, 0}, angle = math.pi / 2}}, {shape = {capsule = {0.1, 1}}}, {shape = {mesh = "
                         "'box.obj'}}, {shape = {mesh = 'box.obj'}}}}");
    if (w != NULL) {
        EQUAL(t, w->collider_count, 6);
        TEXT(t, w->colliders[1].name, "ball");
        NEAR3(t, w->colliders[1].pose.position, ((kin_vec3){1, 2, 3}), 1e-15); /* the first key leaves its position out */
        EQUAL(t, w->colliders[1].mobility, KIN_MOBILITY_ANIMATED);
        NEAR(t, w->colliders[2].pose.orientation.y, 0.70710678118654757, 1e-15);
    }
    kin_world_destroy(w);
    NOT_BUILT(&b, "{\"colliders\": [{\"shape\": {\"mesh\": \"none.obj\"}}]}", KIN_ERROR_FILE, "a.json:1:35: colliders[0].shape.mesh:");
    scene_write(t, &b, "empty.obj", "# nothing\n");
    NOT_BUILT(&b, "{\"colliders\": [{\"shape\": {\"sphere\": 1}}, {\"shape\": {\"mesh\": \"empty.obj\"}}]}", KIN_ERROR_FORMAT, "colliders[1].shape");
    scene_write(t, &b, "nan.obj", "v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    NOT_BUILT(&b, "{\"colliders\": [{\"shape\": {\"mesh\": \"nan.obj\"}}]}", KIN_ERROR_FORMAT, "colliders[0].shape");
    NOT_BUILT(&b, "{\"colliders\": [{\"shape\": {\"sphere\": 1}, \"keys\": [{\"t\": 1}, {\"t\": 0}]}]}", KIN_ERROR_ARGUMENT, "colliders[0].keys");
    NOT_BUILT(&b, "{\"camera\": {\"eye\": [1, 1, 1], \"target\": [1, 1, 1]}}", KIN_ERROR_ARGUMENT, "camera.target");
    scene_end(&b);
}

static void a_scene_too_big_for_this_machine_is_refused_at_once(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    NOT_BUILT(
        &b,
        "{\"systems\": [{\"type\": \"particles\", \"particles\": {\"count\": 1000000000}}, {\"type\": \"particles\", \"particles\": {\"count\": 3000000000}}]}",
        KIN_ERROR_MEMORY, "a.json:1:73: systems[1]: the scene needs ");
    HAS(t, b.text, "TB of memory and this machine has ");
    CHECK(t, t->live_bytes < 1 << 20);
    scene_end(&b);
}

static void lua_and_json_give_equal_worlds(test* t)
{
    const char* lua = "local p = {} for i = 1, 20 do p[i] = {position = {i / 4, 1 + i / 8, 0}, velocity = {0, 0, i}, radius = 0.0625} end "
                      "return {colliders = {{shape = {plane = {0, 1, 0}}}}, fields = {{drag = 0.125}}, systems = {{type = 'particles', particles = p}}}";
    scene_bench a, b;
    scene_begin(t, &a);
    scene_begin(t, &b);
    kin_world* one = BUILT(&a, "a.lua", lua);
    char json[4000] =
        "{\"colliders\": [{\"shape\": {\"plane\": [0, 1, 0]}}], \"fields\": [{\"drag\": 0.125}], \"systems\": [{\"type\": \"particles\", \"particles\": [";
    for (int i = 1; i <= 20; ++i) {
        char item[128];
        snprintf(item, sizeof item, "%s{\"position\": [%.17g, %.17g, 0], \"velocity\": [0, 0, %d], \"radius\": 0.0625}", i > 1 ? ", " : "", i / 4.0,
                 1 + i / 8.0, i);
        strcat(json, item);
    }
    strcat(json, "]}]}");
    kin_world* two = BUILT(&b, "a.json", json);
    if (one != NULL && two != NULL) {
        CHECK(t, kin_world_state_hash(one) == kin_world_state_hash(two));
        for (int i = 0; i < 60; ++i) {
            CHECK(t, kin_world_step(one, NULL, NULL) == KIN_OK);
            CHECK(t, kin_world_step(two, NULL, NULL) == KIN_OK);
        }
        CHECK(t, kin_world_state_hash(one) == kin_world_state_hash(two));
    }
    kin_world_destroy(one);
    kin_world_destroy(two);
    scene_end(&a);
    scene_end(&b);
}

/* The tables state what the engine's own defaults are, so that help and schema are true. */
static void defaults_of_the_tables_are_the_engines(test* t)
{
    kin_scene_def def = {0};
    kin_params_default(kin_scene_top_params, &def);
    kin_world_def world = kin_world_def_default();
    NEAR3(t, def.gravity, world.gravity, 0);
    EQUAL(t, def.max_intervals, world.max_intervals);
    EQUAL(t, def.max_passes, world.max_passes);
    EQUAL(t, def.pairs.restitution, world.restitution_rule);
    EQUAL(t, def.pairs.friction, world.friction_rule);
    EQUAL(t, def.seed, world.seed);
    kin_view view = kin_view_default();
    const kin_scene_camera* c = &def.camera;
    NEAR3(t, c->eye, view.camera.eye, 0);
    NEAR3(t, c->target, view.camera.target, 0);
    NEAR3(t, c->up, view.camera.up, 0);
    NEAR(t, c->fov, view.camera.field_of_view, 0);
    NEAR(t, c->aperture, view.camera.aperture, 0);
    NEAR(t, c->shutter, view.camera.shutter, 0);
    NEAR(t, c->exposure, view.light.exposure, 0);
    NEAR(t, c->clouds, view.light.clouds, 0);
    NEAR(t, c->sun_angle, view.light.sun_angle, 0);
    NEAR3(t, c->sun, view.light.sun_direction, 0.01);
    for (int i = 0; i < 3; ++i) {
        NEAR(t, (double)c->sun_color[i], (double)view.light.sun[i], 0);
        NEAR(t, (double)c->sky_color[i], (double)view.light.sky[i], 0);
        NEAR(t, (double)c->horizon_color[i], (double)view.light.horizon[i], 0);
    }
    kin_scene_pair pair = {0};
    kin_params_default(kin_scene_pair_params, &pair);
    kin_material_pair_def plain = kin_material_pair_def_default();
    NEAR(t, pair.def.restitution, plain.restitution, 0);
    NEAR(t, pair.def.rolling_friction, plain.rolling_friction, 0);
    NEAR(t, pair.def.spinning_friction, plain.spinning_friction, 0);
    for (int i = 0; i < 2; ++i) {
        NEAR(t, pair.def.static_friction[i], plain.static_friction[i], 0);
        NEAR(t, pair.def.dynamic_friction[i], plain.dynamic_friction[i], 0);
    }
    kin_scene_material m = {0};
    kin_params_default(kin_scene_material_params, &m);
    kin_material_def material = kin_material_def_default();
    NEAR(t, m.density, material.density, 0);
    NEAR(t, m.restitution, material.restitution, 0);
    NEAR(t, m.static_friction[0], material.static_friction[0], 0);
    NEAR(t, m.dynamic_friction[0], material.dynamic_friction[0], 0);
    NEAR(t, m.roughness, (double)material.look.roughness, 1e-7);
    NEAR(t, (double)m.color[0], (double)material.look.color[0], 0);
}

static void collect(void* context, kin_log_level level, const char* message)
{
    (void)level;
    strcat(context, message);
    strcat(context, "|");
}

static void print_goes_to_the_log(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    char log[200] = "";
    LOADED(t, &b, "a.lua", "print('one', 2, {}) print() print(nil) return {}");
    kin_world_def def = kin_world_def_default();
    def.allocator = t->allocator;
    def.threads = 1;
    def.log = (kin_log){log, collect};
    kin_world* w = NULL;
    CHECK(t, kin_scene_build(b.scene, &def, &w, NULL) == KIN_OK);
    TEXT(t, log, "one\t2\ttable||nil|");
    kin_world_destroy(w);
    scene_end(&b);
}

static bool build_with_failing_memory(test* t, void* context)
{
    scene_bench* b = context;
    kin_world* world = NULL;
    kin_result result = build(t, b, &world);
    CHECK(t, (result == KIN_OK) == (world != NULL));
    CHECK(t, result == KIN_OK || result == KIN_ERROR_MEMORY);
    kin_world_destroy(world);
    return result == KIN_OK;
}

static void memory_may_run_out(test* t)
{
    scene_bench b;
    scene_begin(t, &b);
    scene_write(t, &b, "box.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
    LOADED(t, &b, "a.json",
           "{\"materials\": {\"a\": {\"preset\": \"steel\"}}, \"fields\": [{\"drag\": 1}], \"colliders\": [{\"shape\": {\"mesh\": \"box.obj\"}, \"material\": "
           "\"rubber\"}, {\"shape\": {\"sphere\": 1}, \"keys\": [{\"t\": 0}, {\"t\": 1}]}],"
           "\"systems\": [{\"type\": \"particles\", \"particles\": [{\"material\": \"oak\"}, {\"count\": 5}]}], \"camera\": {\"keys\": [{\"t\": 0}, {\"t\": "
           "1}]}}");
    test_fail_each_allocation(t, build_with_failing_memory, &b);
    scene_end(&b);
}

TEST_MAIN("scene/build", TEST(the_top_level_becomes_the_world), TEST(materials_have_presets_and_follow), TEST(systems_have_names_of_their_own),
          TEST(colliders_have_shapes_and_keys), TEST(a_scene_too_big_for_this_machine_is_refused_at_once), TEST(lua_and_json_give_equal_worlds),
          TEST(defaults_of_the_tables_are_the_engines), TEST(print_goes_to_the_log), TEST(memory_may_run_out))
