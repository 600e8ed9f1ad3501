/* def_test.c - emitters as scenes write them, every bad def with the place of its fault, copies, and memory that runs out. */
#include "births.h"
#include "io/json.h"
#include <stdio.h>
#include <string.h>

/* ---- scenes ---- */

typedef struct reading {
    kin_tree tree;
    kin_arena arena;
    kin_error error;
} reading;

static void read_begin(test* t, reading* r)
{
    *r = (reading){0};
    kin_tree_init(&r->tree, &t->allocator);
    kin_arena_init(&r->arena, &t->allocator);
}

static void read_end(reading* r)
{
    kin_tree_term(&r->tree);
    kin_arena_term(&r->arena);
}

static kin_result read_params(reading* r, const kin_param* params, const char* text, void* def)
{
    const kin_json_limits limits = {1 << 20, 20, 10000};
    const kin_param_context context = {.arena = &r->arena};
    kin_result result = kin_json_read(&r->tree, text, strlen(text), "test", &limits, &r->error);
    return result == KIN_OK ? kin_params_read(params, r->tree.root, NULL, "emitters[0]", &context, def, &r->error) : result;
}

static void scenes_say_it_briefly(test* t)
{
    reading r;
    read_begin(t, &r);
    kin_emitter_def def = kin_emitter_def_default();
    EQUAL(t, def.shape.kind, KIN_EMIT_POINT);
    const char* text = "{\"shape\": {\"disk\": 0.5}, \"speed\": 3, \"rate\": 100, \"aim\": \"normal\", \"every\": 3, \"max_alive\": 20, \"kind\": \"spark\"}";
    EQUAL(t, read_params(&r, kin_emitter_params, text, &def), KIN_OK);
    EQUAL(t, def.shape.kind, KIN_EMIT_DISK);
    NEAR(t, def.shape.radius, 0.5, 0);
    CHECK(t, def.speed[0] == 3 && def.speed[1] == 0);
    CHECK(t, def.rate.count == 1 && def.rate.keys[0].value[0] == 100);
    CHECK(t, def.aim == KIN_AIM_NORMAL && def.every[0] == 3 && def.max_alive[0] == 20);
    TEXT(t, def.kind, "spark");
    EQUAL(t, read_params(&r, kin_emitter_params, "{\"speed\": [3, 0.5], \"shape\": {\"quad\": 2}}", &def), KIN_OK);
    CHECK(t, def.speed[0] == 3 && def.speed[1] == 0.5);
    CHECK(t, def.shape.kind == KIN_EMIT_QUAD && def.shape.sides[0] == 2 && def.shape.sides[1] == 2);
    EQUAL(t, read_params(&r, kin_emitter_params, "{\"shape\": {\"curve\": [[0, 0, 0], [1, 2, 3]]}}", &def), KIN_OK);
    CHECK(t, def.shape.kind == KIN_EMIT_CURVE && def.shape.points.count == 2 && def.shape.points.data[1].z == 3);
    kin_split_def split = kin_split_def_default();
    EQUAL(t, read_params(&r, kin_split_params, "{\"when\": \"hit\", \"number\": [4, 2], \"keep\": true}", &split), KIN_OK);
    CHECK(t, split.when == KIN_SPLIT_HIT && split.number[0] == 4 && split.number[1] == 2 && split.keep && split.age[0] == 1);
    read_end(&r);
}

static void every_shape_has_its_row(test* t)
{
    static const char* const texts[] = {"\"disk\": 1",
                                        "\"quad\": [1, 2]",
                                        "\"triangle\": [[0,0,0],[1,0,0],[0,1,0]]",
                                        "\"mesh\": \"a.obj\"",
                                        "\"sphere\": 1",
                                        "\"ball\": 1",
                                        "\"box\": [1,2,3]",
                                        "\"curve\": [[0,0,0],[1,0,0]]"};
    for (int kind = KIN_EMIT_DISK; kind <= KIN_EMIT_CURVE; ++kind) {
        reading r;
        char text[100];
        snprintf(text, sizeof text, "{\"shape\": {%s}}", texts[kind]);
        read_begin(t, &r);
        kin_emitter_def def = kin_emitter_def_default();
        EQUAL(t, read_params(&r, kin_emitter_params, text, &def), KIN_OK);
        EQUAL(t, def.shape.kind, kind);
        read_end(&r);
    }
}

static void refuse_text(test* t, const char* text, const char* where, const char* message)
{
    reading r;
    read_begin(t, &r);
    kin_emitter_def def = kin_emitter_def_default();
    EQUAL(t, read_params(&r, kin_emitter_params, text, &def), KIN_ERROR_ARGUMENT);
    TEXT(t, r.error.where, where);
    HAS(t, r.error.message, message);
    read_end(&r);
}

static void means_and_deviations_are_checked(test* t) /* KIN_PARAM_ABOUT */
{
    refuse_text(t, "{\"speed\": -1}", "emitters[0].speed", "must be >= 0");
    refuse_text(t, "{\"speed\": [-1, 0]}", "emitters[0].speed[0]", "must be >= 0");
    refuse_text(t, "{\"speed\": [1, -0.5]}", "emitters[0].speed[1]", "must be >= 0");
    refuse_text(t, "{\"speed\": [1]}", "emitters[0].speed", "2 numbers");
    refuse_text(t, "{\"speed\": \"fast\"}", "emitters[0].speed", "2 numbers");
    refuse_text(t, "{\"shape\": {\"disk\": 1, \"ball\": 1}}", "emitters[0].shape.disk", "only one of");
    char text[200];
    kin_param_describe(kin_params_find(kin_emitter_params, "speed"), text, sizeof text);
    TEXT(t, text, "mean or {mean, deviation}, m/s, >= 0 and <= 1000000000000, default {0, 0}");
    double live[2] = {1, 2}, back[2] = {0};
    const kin_param rows[] = {{.name = "about", .type = KIN_PARAM_ABOUT, .flags = KIN_PARAM_LIVE}, {0}};
    kin_visitor hash = {.mode = KIN_VISIT_LOAD, .data = (uint8_t*)live, .size = sizeof live};
    kin_params_visit(rows, back, &hash);
    CHECK(t, back[0] == 1 && back[1] == 2);
}

/* ---- bad defs ---- */

static void refused(test* t, kin_emitter_def bad, const char* where, const char* message)
{
    kin_emitter_def defs[3] = {kin_emitter_def_default(), kin_emitter_def_default(), bad};
    kin_emitters* emitters = (kin_emitters*)defs;
    kin_error error = {0};
    EQUAL(t, kin_emitters_create(&t->allocator, defs, 3, &emitters, &error), KIN_ERROR_ARGUMENT);
    CHECK(t, emitters == NULL);
    TEXT(t, error.where, where);
    HAS(t, error.message, message);
    EQUAL(t, kin_emitters_create(&t->allocator, defs, 3, &emitters, NULL), KIN_ERROR_ARGUMENT);
}

static void refused_shape(test* t, kin_emitter_form shape, const char* where, const char* message)
{
    kin_emitter_def def = kin_emitter_def_default();
    def.shape = shape;
    refused(t, def, where, message);
}

static const kin_vec3 flat[] = {{0, 0, 0}, {1, 1, 1}, {3, 3, 3}};
static const uint32_t face[] = {0, 1, 2}, wild[] = {0, 1, 9};

static void bad_shapes_are_refused(test* t)
{
    static const kin_vec3 twice[] = {{1, 2, 3}, {1, 2, 3}}, nowhere[] = {{0, 0, 0}, {NAN, 0, 0}};
    refused_shape(t, (kin_emitter_form){.kind = KIN_EMIT_MESH, .mesh = {flat, 3, NULL, face, 1}}, "emitters[2].shape.mesh", "no face of the mesh has an area");
    refused_shape(t, (kin_emitter_form){.kind = KIN_EMIT_MESH, .mesh = {flat, 3, NULL, wild, 1}}, "emitters[2].shape.mesh", "corner 2 is vertex 9");
    refused_shape(t, (kin_emitter_form){.kind = KIN_EMIT_MESH}, "emitters[2].shape.mesh", "no faces");
    refused_shape(t, (kin_emitter_form){.kind = KIN_EMIT_TRIANGLE, .points = {flat, 3}}, "emitters[2].shape.triangle", "no area");
    refused_shape(t, (kin_emitter_form){.kind = KIN_EMIT_TRIANGLE, .points = {flat, 2}}, "emitters[2].shape.triangle", "3 corners, not 2");
    refused_shape(t, (kin_emitter_form){.kind = KIN_EMIT_TRIANGLE, .points = {NULL, 3}}, "emitters[2].shape.triangle", "no data");
    refused_shape(t, (kin_emitter_form){.kind = KIN_EMIT_CURVE, .points = {twice, 2}}, "emitters[2].shape.curve", "no length");
    refused_shape(t, (kin_emitter_form){.kind = KIN_EMIT_CURVE, .points = {twice, 1}}, "emitters[2].shape.curve", "2 points or more, not 1");
    refused_shape(t, (kin_emitter_form){.kind = KIN_EMIT_CURVE, .points = {nowhere, 2}}, "emitters[2].shape.curve[1][0]", "nan");
    refused_shape(t, (kin_emitter_form){.kind = KIN_EMIT_DISK}, "emitters[2].shape.disk", "must be > 0");
    refused_shape(t, (kin_emitter_form){.kind = KIN_EMIT_SPHERE, .radius = -1}, "emitters[2].shape.sphere", "must be > 0");
    refused_shape(t, (kin_emitter_form){.kind = KIN_EMIT_BALL, .radius = NAN}, "emitters[2].shape.ball", "nan");
    refused_shape(t, (kin_emitter_form){.kind = KIN_EMIT_QUAD, .sides = {1, 0}}, "emitters[2].shape.quad[1]", "must be > 0");
    refused_shape(t, (kin_emitter_form){.kind = KIN_EMIT_BOX, .size = {1, -1, 1}}, "emitters[2].shape.box[1]", "must be >= 0");
    refused_shape(t, (kin_emitter_form){.kind = (kin_emitter_shape)8}, "emitters[2].shape", "8 must be");
}

/* One member of the default def changed. */
#define REFUSED(t, change, where, message)                                                                                                                     \
    do {                                                                                                                                                       \
        kin_emitter_def def = kin_emitter_def_default();                                                                                                       \
        change;                                                                                                                                                \
        refused(t, def, "emitters[2]." where, message);                                                                                                        \
    } while (0)

static void bad_members_are_refused(test* t)
{
    kin_curve_key key, fall[] = {{1, {1}}, {0, {1}}};
    REFUSED(t, def.rate = constant(&key, -1), "rate[0][0]", "must be >= 0");
    REFUSED(t, def.rate = constant(&key, NAN), "rate[0][0]", "nan");
    REFUSED(t, (def.rate = (kin_curve){fall, 2, KIN_CURVE_LINEAR}), "rate[1]", "rise in time");
    REFUSED(t, (def.rate = (kin_curve){NULL, 2, KIN_CURVE_LINEAR}), "rate", "no keys");
    REFUSED(t, def.rate_deviation = -1, "rate_deviation", "must be >= 0");
    REFUSED(t, def.aperture = 3.2, "aperture", "must be >= 0 and <= 3.14");
    REFUSED(t, def.aperture = -0.1, "aperture", "must be >= 0");
    REFUSED(t, def.every[0] = 0, "every[0]", "must be >= 1");
    REFUSED(t, (def.every[0] = 4, def.every[1] = 2), "every", "must be less than half");
    REFUSED(t, def.speed[0] = -1, "speed[0]", "must be >= 0");
    REFUSED(t, def.speed[1] = -1, "speed[1]", "must be >= 0");
    REFUSED(t, def.direction = kin_v(0, 0, 0), "direction", "must not be zero");
    REFUSED(t, def.position.y = INFINITY, "position[1]", "inf");
    REFUSED(t, (def.orientation = (kin_quat){0}), "orientation", "must not be zero");
    REFUSED(t, def.inherit = 2, "inherit", "<= 1");
    REFUSED(t, def.burst = -1, "burst", "must be >= 0");
    REFUSED(t, def.period = -1, "period", "must be >= 0");
    REFUSED(t, def.max_total[0] = -1, "max_total[0]", "must be >= 0");
    REFUSED(t, def.max_alive[0] = -1, "max_alive[0]", "must be >= 0");
    REFUSED(t, def.max_size[0] = -1, "max_size[0]", "must be >= 0");
    REFUSED(t, def.table = -1, "table", "must be >= 0");
    REFUSED(t, def.start = NAN, "start", "nan");
    REFUSED(t, (def.start = 3, def.stop = 2), "stop", "2 s must be later than the start at 3 s");
    REFUSED(t, def.aim = (kin_emitter_aim)3, "aim", "3 must be");
    REFUSED(t, def.aim = KIN_AIM_NORMAL, "aim", "a point has no normal");
    REFUSED(t, def.spread = (kin_emitter_spread)-1, "spread", "must be >= 0");
    REFUSED(t, def.placement = KIN_PLACE_GRID, "placement", "only quads, disks and spheres");
}

/* ---- copies and memory ---- */

static const kin_vec3 square[] = {{0, 0, 0}, {0, 0, 1}, {1, 0, 1}, {1, 0, 0}};
static const uint32_t four[] = {4}, square_corners[] = {0, 1, 2, 3};

static bool create_all(test* t, void* unused)
{
    (void)unused;
    char name[] = "hose", kind[] = "drop", collider[] = "hand";
    kin_curve_key key;
    kin_vec3 line[] = {{0, 0, 0}, {1, 0, 0}};
    kin_emitter_def defs[3] = {kin_emitter_def_default(), kin_emitter_def_default(), kin_emitter_def_default()};
    defs[0].name = name;
    defs[0].kind = kind;
    defs[0].collider = collider;
    defs[0].rate = constant(&key, 5);
    defs[1].shape = (kin_emitter_form){.kind = KIN_EMIT_MESH, .mesh = {square, 4, four, square_corners, 1}, .points = {NULL, 7}};
    defs[1].table = 100;
    defs[2].shape = (kin_emitter_form){.kind = KIN_EMIT_CURVE, .points = {line, 2}, .mesh = {.vertices = line, .face_count = 99}};
    kin_emitters* emitters = NULL;
    kin_error error = {0};
    kin_result result = kin_emitters_create(&t->allocator, defs, 3, &emitters, &error);
    CHECK(t, result == (emitters != NULL ? KIN_OK : KIN_ERROR_MEMORY) && error.code == result);
    if (emitters == NULL) return false;
    name[0] = kind[0] = collider[0] = '?'; /* what was given may change */
    key.value[0] = -1;
    line[1].x = NAN;
    const kin_emitter_def* copy = kin_emitter_def_of(emitters, 0);
    TEXT(t, copy->name, "hose");
    TEXT(t, copy->kind, "drop");
    TEXT(t, copy->collider, "hand");
    CHECK(t, copy->rate.keys[0].value[0] == 5 && kin_emitter_def_of(emitters, 2)->shape.points.data[1].x == 1);
    kin_newborn one;
    kin_emit_step step = step_at(0, 0, 1);
    CHECK(t, kin_emitter_bear(emitters, 2, &step, 1, &one) == 1 && one.x.x <= 1 && kin_emitter_bear(emitters, 1, &step, 1, &one) == 1 && one.x.z <= 1);
    kin_emitters_destroy(emitters);
    return true;
}

static void memory_may_run_out_anywhere(test* t) { test_fail_each_allocation(t, create_all, NULL); }

static void none_is_fine(test* t)
{
    kin_emitters* emitters = NULL;
    EQUAL(t, kin_emitters_create(&t->allocator, NULL, 0, &emitters, NULL), KIN_OK);
    EQUAL(t, kin_emitters_count(emitters), 0);
    kin_emitters_destroy(emitters);
    kin_emitters_destroy(NULL);
}

TEST_MAIN("system/emit/def", TEST(scenes_say_it_briefly), TEST(every_shape_has_its_row), TEST(means_and_deviations_are_checked), TEST(bad_shapes_are_refused),
          TEST(bad_members_are_refused), TEST(memory_may_run_out_anywhere), TEST(none_is_fine))
