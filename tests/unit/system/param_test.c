/* param_test.c - tables to defs: values, ranges, places and words of errors. */
#include "support/test.h"
#include "base/arena.h"
#include "base/tree.h"
#include "system/material.h"
#include "math/quat.h"
#include "math/scalar.h"
#include "system/param.h"
#include <math.h>
#include <string.h>

typedef struct item {
    double mass;
    kin_vec3 position;
} item;

typedef struct everything {
    double number;
    int integer;
    int64_t count;
    uint64_t seed;
    bool flag;
    double pair[2], two[2];
    kin_vec3 vector, direction;
    kin_quat turn;
    float color[3];
    int kind;
    const char* text;
    const char* file;
    kin_material_id material;
    item single;
    const item* items;
    size_t item_count;
    kin_shape shape;
} everything;

static const char* const kinds[] = {"euler", "rk4", "verlet", NULL};
static const kin_param item_params[] = {
    {.name = "mass",
     .type = KIN_PARAM_NUMBER,
     .offset = offsetof(item, mass),
     .unit = "kg",
     .doc = "Mass.",
     .low = 0,
     .high = INFINITY,
     .preset = {1},
     .flags = KIN_PARAM_OPEN_LOW},
    {.name = "position", .type = KIN_PARAM_VECTOR, .offset = offsetof(item, position), .unit = "m", .doc = "Place.", .flags = KIN_PARAM_REQUIRED},
    {0},
};
static const kin_param shape_params[] = {
    {.name = "sphere", .type = KIN_PARAM_NUMBER, .offset = offsetof(kin_shape, radius), .unit = "m", .doc = "Radius.", .flags = KIN_PARAM_OPEN_LOW},
    {.name = "box", .type = KIN_PARAM_VECTOR, .offset = offsetof(kin_shape, size), .unit = "m", .doc = "Sizes.", .flags = KIN_PARAM_OPEN_LOW},
    {0},
};
#define AT(member) offsetof(everything, member)
static const kin_param params[] = {
    {.name = "number", .type = KIN_PARAM_NUMBER, .offset = AT(number), .unit = "m/s", .doc = "A number.", .low = -1, .high = 1, .preset = {0.5}},
    {.name = "integer", .type = KIN_PARAM_INTEGER, .offset = AT(integer), .doc = "A whole number.", .preset = {7}},
    {.name = "count", .type = KIN_PARAM_COUNT, .offset = AT(count), .doc = "How many.", .low = 1, .high = 4e9, .preset = {1}},
    {.name = "seed", .type = KIN_PARAM_SEED, .offset = AT(seed), .doc = "Seed.", .preset = {9}},
    {.name = "flag", .type = KIN_PARAM_BOOL, .offset = AT(flag), .doc = "Yes or no.", .preset = {1}},
    {.name = "pair", .type = KIN_PARAM_PAIR, .offset = AT(pair), .doc = "One or two.", .low = 0, .high = 1e300},
    {.name = "two", .type = KIN_PARAM_TWO, .offset = AT(two), .doc = "Two.", .preset = {1, 2}},
    {.name = "vector", .type = KIN_PARAM_VECTOR, .offset = AT(vector), .unit = "m", .doc = "Vector.", .preset = {1, 2, 3}},
    {.name = "direction", .type = KIN_PARAM_DIRECTION, .offset = AT(direction), .doc = "Direction.", .preset = {0, 1, 0}},
    {.name = "turn", .type = KIN_PARAM_ORIENTATION, .offset = AT(turn), .doc = "Orientation."},
    {.name = "color", .type = KIN_PARAM_COLOR, .offset = AT(color), .doc = "Colour.", .preset = {0.25, 0.5, 1}},
    {.name = "kind", .type = KIN_PARAM_ENUM, .offset = AT(kind), .doc = "Kind.", .names = kinds, .preset = {1}, .flags = KIN_PARAM_LIVE},
    {.name = "text", .type = KIN_PARAM_TEXT, .offset = AT(text), .doc = "Text."},
    {.name = "file", .type = KIN_PARAM_FILE, .offset = AT(file), .doc = "File."},
    {.name = "material", .type = KIN_PARAM_MATERIAL, .offset = AT(material), .doc = "Material."},
    {.name = "single", .type = KIN_PARAM_TABLE, .offset = AT(single), .doc = "A table.", .sub = item_params},
    {.name = "items", .type = KIN_PARAM_LIST, .offset = AT(items), .doc = "A list.", .sub = item_params, .sub_size = sizeof(item)},
    {.name = "shape", .type = KIN_PARAM_ONE_OF, .offset = AT(shape), .doc = "A shape.", .sub = shape_params, .tag_offset = offsetof(kin_shape, kind)},
    {0},
};

/* A context with everything in it, and a tree to build nodes in. */
typedef struct bench {
    kin_tree tree;
    kin_arena arena;
    kin_materials materials;
    kin_param_context context;
    everything def;
    kin_error error;
} bench;

static void begin(test* t, bench* b)
{
    *b = (bench){0};
    kin_tree_init(&b->tree, &t->allocator);
    kin_arena_init(&b->arena, &t->allocator);
    CHECK(t, kin_materials_init(&b->materials, &t->allocator, KIN_PAIR_AVERAGE, KIN_PAIR_AVERAGE, NULL) == KIN_OK);
    b->context = (kin_param_context){.arena = &b->arena, .materials = &b->materials, .folder = "scenes/particles"};
    kin_params_default(params, &b->def);
}

static void end(bench* b)
{
    kin_materials_term(&b->materials);
    kin_arena_term(&b->arena);
    kin_tree_term(&b->tree);
}

static kin_node* num(bench* b, double x) { return kin_node_number(&b->tree, x); }
static kin_node* txt(bench* b, const char* s) { return kin_node_string(&b->tree, s, strlen(s)); }

static kin_node* list(bench* b, int count, const double* values)
{
    kin_node* node = kin_node_list(&b->tree);
    for (int i = 0; i < count; ++i) kin_node_append(&b->tree, node, num(b, values[i]));
    return node;
}
#define LIST(b, ...) list(b, (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (double[]){__VA_ARGS__})

static kin_node* table(bench* b, const char* key, kin_node* value)
{
    kin_node* node = kin_node_table(&b->tree);
    if (key != NULL) kin_node_set(&b->tree, node, key, value);
    return node;
}

static kin_result read_one(bench* b, const char* key, kin_node* value)
{
    static const char* const known[] = {"type", NULL};
    b->error = (kin_error){0};
    return kin_params_read(params, table(b, key, value), known, "systems[0]", &b->context, &b->def, &b->error);
}

/* The value is refused with this message at this place below systems[0]. */
static void refused(test* t, bench* b, const char* key, kin_node* value, const char* where, const char* message)
{
    CHECK(t, read_one(b, key, value) == KIN_ERROR_ARGUMENT);
    TEXT(t, b->error.where, where);
    TEXT(t, b->error.message, message);
}

static void defaults_come_from_the_rows(test* t)
{
    bench b;
    begin(t, &b);
    NEAR(t, b.def.number, 0.5, 0);
    EQUAL(t, b.def.integer, 7);
    EQUAL(t, b.def.count, 1);
    EQUAL(t, b.def.seed, 9);
    CHECK(t, b.def.flag);
    NEAR(t, b.def.two[1], 2, 0);
    NEAR3(t, b.def.vector, ((kin_vec3){1, 2, 3}), 0);
    NEAR(t, b.def.turn.w, 1, 0);
    NEAR(t, (double)b.def.color[1], 0.5, 0);
    EQUAL(t, b.def.kind, 1);
    CHECK(t, b.def.text == NULL && b.def.items == NULL);
    NEAR(t, b.def.single.mass, 1, 0);
    end(&b);
}

static void values_of_every_type_are_read(test* t)
{
    bench b;
    begin(t, &b);
    CHECK(t, read_one(&b, "number", num(&b, -1)) == KIN_OK && b.def.number == -1);
    CHECK(t, read_one(&b, "integer", num(&b, -3)) == KIN_OK && b.def.integer == -3);
    CHECK(t, read_one(&b, "count", num(&b, 3e9)) == KIN_OK && b.def.count == 3000000000);
    CHECK(t, read_one(&b, "seed", num(&b, 123)) == KIN_OK && b.def.seed == 123);
    CHECK(t, read_one(&b, "flag", kin_node_bool(&b.tree, false)) == KIN_OK && !b.def.flag);
    CHECK(t, read_one(&b, "pair", num(&b, 0.3)) == KIN_OK && b.def.pair[0] == 0.3 && b.def.pair[1] == 0.3);
    CHECK(t, read_one(&b, "pair", LIST(&b, 0.1, 0.2)) == KIN_OK && b.def.pair[1] == 0.2);
    CHECK(t, read_one(&b, "two", LIST(&b, 4, 5)) == KIN_OK && b.def.two[0] == 4);
    CHECK(t, read_one(&b, "vector", LIST(&b, 4, 5, 6)) == KIN_OK && b.def.vector.z == 6);
    CHECK(t, read_one(&b, "color", txt(&b, "#ff0000")) == KIN_OK && b.def.color[0] == 1 && b.def.color[1] == 0);
    CHECK(t, read_one(&b, "color", LIST(&b, 0.5, 0.25, 0)) == KIN_OK && b.def.color[1] == 0.25f);
    CHECK(t, read_one(&b, "kind", txt(&b, "verlet")) == KIN_OK && b.def.kind == 2);
    CHECK(t, read_one(&b, "text", txt(&b, "hello")) == KIN_OK);
    TEXT(t, b.def.text, "hello");
    CHECK(t, read_one(&b, "file", txt(&b, "bunny.obj")) == KIN_OK);
    TEXT(t, b.def.file, "scenes/particles/bunny.obj");
    CHECK(t, read_one(&b, "file", txt(&b, "/abs/bunny.obj")) == KIN_OK);
    TEXT(t, b.def.file, "/abs/bunny.obj");
    CHECK(t, read_one(&b, "type", num(&b, 1)) == KIN_OK); /* known to the caller */
    end(&b);
}

static void orientations_are_quaternions_or_axis_and_angle(test* t)
{
    bench b;
    begin(t, &b);
    CHECK(t, read_one(&b, "turn", LIST(&b, 0, 0, 3, 4)) == KIN_OK);
    NEAR(t, b.def.turn.z, 0.6, 1e-15);
    NEAR(t, b.def.turn.w, 0.8, 1e-15);
    kin_node* turn = table(&b, "axis", LIST(&b, 0, 2, 0));
    kin_node_set(&b.tree, turn, "angle", num(&b, 3.14159265358979323846));
    CHECK(t, read_one(&b, "turn", turn) == KIN_OK);
    NEAR(t, b.def.turn.y, 1, 1e-15);
    refused(t, &b, "turn", table(&b, "axis", LIST(&b, 0, 2, 0)), "systems[0].turn", "\"angle\" is missing");
    refused(t, &b, "turn", LIST(&b, 0, 0, 0, 0), "systems[0].turn", "must be a rotation, not all zero");
    refused(t, &b, "turn", LIST(&b, 0, 0, 1), "systems[0].turn", "must be a list of 4 numbers, not of 3");
    refused(t, &b, "turn", txt(&b, "left"), "systems[0].turn", "must be {x, y, z, w}, {axis =, angle =} or {euler =, order =}, not a string");
    end(&b);
}

static void orientations_are_euler_angles_in_any_order(test* t)
{
    const double angle[3] = {0.3, -0.7, 1.1};
    int count = 0;
    for (; kin_param_euler_orders[count] != NULL; ++count) {
        const char* order = kin_param_euler_orders[count];
        bench b;
        begin(t, &b);
        kin_node* turn = table(&b, "euler", LIST(&b, angle[0], angle[1], angle[2]));
        kin_node_set(&b.tree, turn, "order", txt(&b, order));
        CHECK(t, read_one(&b, "turn", turn) == KIN_OK);
        kin_quat q = {0, 0, 0, 1};
        for (int k = 0; k < 3; ++k) q = kin_quat_mul(q, kin_quat_axis_angle(kin_v(order[k] == 'x', order[k] == 'y', order[k] == 'z'), angle[k]));
        NEAR(t, kin_abs(b.def.turn.x * q.x + b.def.turn.y * q.y + b.def.turn.z * q.z + b.def.turn.w * q.w), 1, 1e-14);
        end(&b);
    }
    EQUAL(t, count, 12);
    bench b;
    begin(t, &b);
    CHECK(t, read_one(&b, "turn", table(&b, "euler", LIST(&b, 0.5, 0, 0))) == KIN_OK); /* x y z */
    NEAR(t, b.def.turn.x, kin_sin(0.25), 1e-15);
    kin_node* turn = table(&b, "euler", LIST(&b, 1, 2, 3));
    kin_node_set(&b.tree, turn, "order", txt(&b, "xxy"));
    refused(t, &b, "turn", turn, "systems[0].turn.order",
            "\"xxy\" must be one of xyz, yzx, zxy, xzy, yxz, zyx, xyx, yzy, zxz, xzx, yxy, zyz; did you mean \"zxy\"?");
    end(&b);
}

static void lists_tables_and_one_ofs_are_read(test* t)
{
    bench b;
    begin(t, &b);
    kin_node* items = kin_node_list(&b.tree);
    for (int i = 0; i < 3; ++i) kin_node_append(&b.tree, items, table(&b, "position", LIST(&b, i, 0, 0)));
    CHECK(t, read_one(&b, "items", items) == KIN_OK);
    EQUAL(t, b.def.item_count, 3);
    NEAR(t, b.def.items[2].position.x, 2, 0);
    NEAR(t, b.def.items[2].mass, 1, 0);
    CHECK(t, read_one(&b, "items", table(&b, "position", LIST(&b, 5, 0, 0))) == KIN_OK); /* a single table is a list of one */
    EQUAL(t, b.def.item_count, 1);
    NEAR(t, b.def.items[0].position.x, 5, 0);
    CHECK(t, read_one(&b, "items", kin_node_list(&b.tree)) == KIN_OK && b.def.item_count == 0);
    CHECK(t, read_one(&b, "shape", table(&b, "box", LIST(&b, 1, 2, 3))) == KIN_OK);
    EQUAL(t, b.def.shape.kind, KIN_SHAPE_BOX);
    NEAR(t, b.def.shape.size.y, 2, 0);
    end(&b);
}

static void errors_name_place_value_and_range(test* t)
{
    bench b;
    begin(t, &b);
    refused(t, &b, "number", num(&b, 2), "systems[0].number", "2 must be >= -1 and <= 1 (m/s)");
    refused(t, &b, "number", txt(&b, "fast"), "systems[0].number", "must be a number (m/s), not a string");
    refused(t, &b, "number", num(&b, NAN), "systems[0].number", "nan must be a finite number (m/s)");
    refused(t, &b, "number", num(&b, INFINITY), "systems[0].number", "inf must be a finite number (m/s)");
    refused(t, &b, "number", num(&b, -INFINITY), "systems[0].number", "-inf must be a finite number (m/s)");
    refused(t, &b, "integer", num(&b, 1.5), "systems[0].integer", "1.5 must be a whole number");
    refused(t, &b, "integer", num(&b, 1e10), "systems[0].integer", "10000000000 must be >= -2147483648 and <= 2147483647");
    refused(t, &b, "seed", num(&b, -1), "systems[0].seed", "-1 must be >= 0 and <= 9.00719925474099e+15");
    refused(t, &b, "flag", num(&b, 1), "systems[0].flag", "must be true or false, not a number");
    refused(t, &b, "vector", num(&b, 1), "systems[0].vector", "must be a list of 3 numbers (m), not a number");
    refused(t, &b, "vector", LIST(&b, 1, 2), "systems[0].vector", "must be a list of 3 numbers (m), not of 2");
    refused(t, &b, "vector", LIST(&b, 1, INFINITY, 3), "systems[0].vector[1]", "inf must be a finite number (m)");
    refused(t, &b, "direction", LIST(&b, 0, 0, 0), "systems[0].direction", "must be a direction, not zero");
    refused(t, &b, "color", txt(&b, "red"), "systems[0].color", "\"red\" must be a colour such as \"#b5763a\"");
    refused(t, &b, "color", LIST(&b, 0, 2, 0), "systems[0].color[1]", "2 must be >= 0 and <= 1");
    refused(t, &b, "kind", txt(&b, "rk5"), "systems[0].kind", "\"rk5\" must be one of euler, rk4, verlet; did you mean \"rk4\"?");
    refused(t, &b, "kind", num(&b, 1), "systems[0].kind", "must be one of euler, rk4, verlet, not a number");
    refused(t, &b, "text", num(&b, 1), "systems[0].text", "must be a text, not a number");
    refused(t, &b, "file", txt(&b, ""), "systems[0].file", "must be the name of a file");
    refused(t, &b, "items", num(&b, 1), "systems[0].items", "must be a list of tables, not a number");
    refused(t, &b, "single", num(&b, 1), "systems[0].single", "must be a table, not a number");
    refused(t, &b, "shape", table(&b, "sphere", num(&b, 0)), "systems[0].shape.sphere", "0 must be > 0 (m)");
    refused(t, &b, "shape", table(&b, NULL, NULL), "systems[0].shape", "must be a table with one of sphere, box");
    refused(t, &b, "shape", table(&b, "spere", num(&b, 1)), "systems[0].shape.spere", "unknown key \"spere\"; did you mean \"sphere\"?");
    kin_node* both = table(&b, "sphere", num(&b, 1));
    kin_node_set(&b.tree, both, "box", LIST(&b, 1, 1, 1));
    refused(t, &b, "shape", both, "systems[0].shape.sphere", "only one of sphere, box may be given, and \"box\" is");
    end(&b);
}

static void places_go_down_lists(test* t)
{
    bench b;
    begin(t, &b);
    kin_node* items = kin_node_list(&b.tree);
    kin_node_append(&b.tree, items, table(&b, "position", LIST(&b, 0, 0, 0)));
    kin_node* bad = table(&b, "position", LIST(&b, 0, 0, 0));
    kin_node_set(&b.tree, bad, "mass", num(&b, -0.1));
    kin_node_append(&b.tree, items, bad);
    refused(t, &b, "items", items, "systems[0].items[1].mass", "-0.1 must be > 0 (kg)");
    kin_node_remove(bad, "mass");
    kin_node_set(&b.tree, bad, "positon", num(&b, 1));
    refused(t, &b, "items", items, "systems[0].items[1].positon", "unknown key \"positon\"; did you mean \"position\"?");
    refused(t, &b, "items", table(&b, "mass", num(&b, 1)), "systems[0].items", "\"position\" is missing");
    refused(t, &b, "zzz", num(&b, 1), "systems[0].zzz",
            "unknown key \"zzz\"; the keys here are number, integer, count, seed, flag, pair, two, vector, direction, turn, color, kind, text, file, material, "
            "single, items, shape, type");
    CHECK(t, kin_params_read(params, table(&b, "number", num(&b, 9)), NULL, "", &b.context, &b.def, &b.error) == KIN_ERROR_ARGUMENT);
    TEXT(t, b.error.where, "number");
    CHECK(t, kin_params_read(params, table(&b, "number", num(&b, 9)), NULL, "", &b.context, &b.def, NULL) == KIN_ERROR_ARGUMENT); /* an error is optional */
    end(&b);
}

static void materials_are_found_or_added_from_presets(test* t)
{
    bench b;
    begin(t, &b);
    CHECK(t, read_one(&b, "material", txt(&b, "rubber")) == KIN_OK);
    TEXT(t, kin_materials_at(&b.materials, b.def.material)->name, "rubber");
    refused(t, &b, "material", txt(&b, "ruber"), "systems[0].material", "there is no material \"ruber\"; did you mean \"rubber\"?");
    refused(t, &b, "material", num(&b, 1), "systems[0].material", "must be the name of a material, not a number");
    b.context.materials = NULL;
    CHECK(t, read_one(&b, "material", txt(&b, "anything")) == KIN_OK);
    end(&b);
}

static void defs_from_c_are_checked_alike(test* t)
{
    bench b;
    begin(t, &b);
    b.def.pair[0] = 0.5;
    item items[2] = {{.mass = 1}, {.mass = 1}};
    b.def.items = items;
    b.def.item_count = 2;
    b.def.shape.kind = KIN_SHAPE_SPHERE;
    b.def.shape.radius = 1;
    CHECK(t, kin_params_check(params, &b.def, "", &b.error) == KIN_OK);
    items[1].mass = -1;
    CHECK(t, kin_params_check(params, &b.def, "def", &b.error) == KIN_ERROR_ARGUMENT);
    TEXT(t, b.error.where, "def.items[1].mass");
    TEXT(t, b.error.message, "-1 must be > 0 (kg)");
    items[1].mass = 1;
    b.def.shape.radius = 0;
    CHECK(t, kin_params_check(params, &b.def, "", &b.error) == KIN_ERROR_ARGUMENT);
    TEXT(t, b.error.where, "shape.sphere");
    b.def.shape.radius = 1;
    b.def.vector.y = NAN;
    CHECK(t, kin_params_check(params, &b.def, "", &b.error) == KIN_ERROR_ARGUMENT);
    TEXT(t, b.error.where, "vector[1]");
    b.def.vector.y = 0;
    b.def.kind = 3;
    CHECK(t, kin_params_check(params, &b.def, "", &b.error) == KIN_ERROR_ARGUMENT);
    TEXT(t, b.error.where, "kind");
    end(&b);
}

static void described(test* t, const char* name, const char* want)
{
    char text[200];
    kin_param_describe(kin_params_find(params, name), text, sizeof text);
    TEXT(t, text, want);
}

static void rows_describe_themselves(test* t)
{
    described(t, "number", "number, m/s, >= -1 and <= 1, default 0.5");
    described(t, "kind", "one of euler, rk4, verlet, default rk4, live");
    described(t, "vector", "{x, y, z}, m, default {1, 2, 3}");
    described(t, "shape", "table with one of sphere, box");
    described(t, "flag", "true or false, default true");
    char text[100];
    kin_param_describe(&item_params[0], text, sizeof text);
    TEXT(t, text, "number, kg, > 0, default 1");
    kin_param_describe(&item_params[1], text, sizeof text);
    TEXT(t, text, "{x, y, z}, m, required");
    EQUAL(t, kin_params_count(item_params), 2);
    CHECK(t, kin_params_find(params, "nothing") == NULL);
}

static bool read_with_failing_memory(test* t, void* context)
{
    (void)context;
    bench b = {0};
    kin_tree_init(&b.tree, &t->allocator);
    kin_arena_init(&b.arena, &t->allocator);
    b.context = (kin_param_context){.arena = &b.arena, .folder = "scenes"};
    kin_node* position = LIST(&b, 1, 2, 3);
    kin_node* one = position != NULL ? table(&b, "position", position) : NULL;
    kin_node* root = kin_node_table(&b.tree);
    bool built = root != NULL && one != NULL && kin_node_get(one, "position") != NULL && position->count == 3;
    built = built && kin_node_set(&b.tree, root, "items", one) && kin_node_set(&b.tree, root, "file", txt(&b, "a.obj"));
    kin_params_default(params, &b.def);
    kin_result result = built ? kin_params_read(params, root, NULL, "", &b.context, &b.def, &b.error) : KIN_ERROR_MEMORY;
    CHECK(t, result == KIN_OK || result == KIN_ERROR_MEMORY);
    kin_arena_term(&b.arena);
    kin_tree_term(&b.tree);
    return result == KIN_OK;
}

static void memory_may_run_out(test* t) { test_fail_each_allocation(t, read_with_failing_memory, NULL); }

/* ---- curves and lists of plain values ---- */

typedef struct curved {
    kin_curve number, color, place;
    kin_param_texts texts;
    kin_points_view vectors;
    const char* text;
    kin_mesh_view mesh;
    struct {
        const item* data;
        size_t count;
    } items;
} curved;

#define CURVED(member) offsetof(curved, member)
static const kin_param curved_params[] = {
    {.name = "number", .type = KIN_PARAM_CURVE, .offset = CURVED(number), .unit = "1/s", .doc = "A rate.", .high = 10},
    {.name = "color", .type = KIN_PARAM_COLOR_CURVE, .offset = CURVED(color), .doc = "A colour.", .high = 1},
    {.name = "place", .type = KIN_PARAM_VECTOR_CURVE, .offset = CURVED(place), .unit = "m", .doc = "A place."},
    {.name = "texts", .type = KIN_PARAM_TEXTS, .offset = CURVED(texts), .doc = "Names."},
    {.name = "vectors", .type = KIN_PARAM_VECTORS, .offset = CURVED(vectors), .unit = "m", .doc = "Places."},
    {.name = "text", .type = KIN_PARAM_TEXT, .offset = CURVED(text), .doc = "A text."},
    {.name = "mesh", .type = KIN_PARAM_MESH, .offset = CURVED(mesh), .doc = "A mesh."},
    {.name = "items", .type = KIN_PARAM_LIST, .offset = CURVED(items), .doc = "Items.", .sub = item_params, .sub_size = sizeof(item)},
    {0},
};

static kin_node* key(bench* b, double time, kin_node* value)
{
    kin_node* node = table(b, "t", num(b, time));
    kin_node_set(&b->tree, node, "value", value);
    return node;
}

static kin_node* pair_of(bench* b, kin_node* first, kin_node* second)
{
    kin_node* node = kin_node_list(&b->tree);
    kin_node_append(&b->tree, node, first);
    if (second != NULL) kin_node_append(&b->tree, node, second);
    return node;
}

static kin_result read_curved(bench* b, const char* name, kin_node* value, curved* def)
{
    b->error = (kin_error){0};
    return kin_params_read(curved_params, table(b, name, value), NULL, "fields[2]", &b->context, def, &b->error);
}

static void curves_are_numbers_keys_or_both(test* t)
{
    bench b;
    curved d = {0};
    begin(t, &b);
    kin_params_default(curved_params, &d);
    EQUAL(t, d.number.count, 0);
    EQUAL(t, read_curved(&b, "number", num(&b, 3), &d), KIN_OK);
    EQUAL(t, d.number.count, 1);
    NEAR(t, d.number.keys[0].value[0], 3, 0);
    EQUAL(t, read_curved(&b, "number", pair_of(&b, key(&b, 0, num(&b, 1)), key(&b, 2, num(&b, 5))), &d), KIN_OK);
    EQUAL(t, d.number.count, 2);
    EQUAL(t, d.number.mode, KIN_CURVE_LINEAR);
    NEAR(t, d.number.keys[1].time, 2, 0);
    NEAR(t, d.number.keys[1].value[0], 5, 0);
    kin_node* later = table(&b, "after", num(&b, 3)); /* Coutinho 3.7.2 tells the times of colours from change to change */
    kin_node_set(&b.tree, later, "value", num(&b, 6));
    EQUAL(t, read_curved(&b, "number", pair_of(&b, key(&b, 2, num(&b, 1)), later), &d), KIN_OK);
    NEAR(t, d.number.keys[1].time, 5, 0);
    kin_node* whole = table(&b, "mode", txt(&b, "step"));
    kin_node_set(&b.tree, whole, "keys", pair_of(&b, key(&b, -1, num(&b, 1)), NULL));
    EQUAL(t, read_curved(&b, "number", whole, &d), KIN_OK);
    EQUAL(t, d.number.mode, KIN_CURVE_STEP);
    EQUAL(t, read_curved(&b, "place", LIST(&b, 1, 2, 3), &d), KIN_OK);
    NEAR(t, d.place.keys[0].value[2], 3, 0);
    EQUAL(t, read_curved(&b, "place", pair_of(&b, key(&b, 0, LIST(&b, 1, 2, 3)), key(&b, 1, LIST(&b, 4, 5, 6))), &d), KIN_OK);
    NEAR(t, d.place.keys[1].value[1], 5, 0);
    EQUAL(t, read_curved(&b, "color", txt(&b, "#ff0000"), &d), KIN_OK);
    NEAR(t, d.color.keys[0].value[0], 1, 1e-7);
    EQUAL(t, read_curved(&b, "texts", txt(&b, "leaf"), &d), KIN_OK);
    EQUAL(t, d.texts.count, 1);
    TEXT(t, d.texts.data[0], "leaf");
    EQUAL(t, read_curved(&b, "vectors", pair_of(&b, LIST(&b, 1, 2, 3), LIST(&b, 4, 5, 6)), &d), KIN_OK);
    EQUAL(t, d.vectors.count, 2);
    NEAR(t, d.vectors.data[1].x, 4, 0);
    end(&b);
}

static void curve_refused(test* t, bench* b, const char* name, kin_node* value, const char* where, const char* part)
{
    curved d = {0};
    EQUAL(t, read_curved(b, name, value, &d), KIN_ERROR_ARGUMENT);
    TEXT(t, b->error.where, where);
    HAS(t, b->error.message, part);
}

static void errors_name_the_key(test* t)
{
    bench b;
    begin(t, &b);
    curve_refused(t, &b, "number", num(&b, 11), "fields[2].number", "<= 10");
    curve_refused(t, &b, "number", txt(&b, "x"), "fields[2].number", "keys");
    curve_refused(t, &b, "number", pair_of(&b, key(&b, 0, num(&b, 1)), key(&b, 1, num(&b, 11))), "fields[2].number[1].value", "<= 10");
    curve_refused(t, &b, "number", pair_of(&b, key(&b, 3, num(&b, 1)), key(&b, 3, num(&b, 2))), "fields[2].number[1]", "rise");
    curve_refused(t, &b, "number", pair_of(&b, table(&b, "t", num(&b, 1)), NULL), "fields[2].number[0]", "{t =, value =}");
    curve_refused(t, &b, "place", pair_of(&b, key(&b, 0, LIST(&b, 1, 2)), NULL), "fields[2].place[0].value", "3");
    kin_node* whole = table(&b, "mode", txt(&b, "bumpy"));
    kin_node_set(&b.tree, whole, "keys", pair_of(&b, key(&b, 0, num(&b, 1)), NULL));
    curve_refused(t, &b, "number", whole, "fields[2].number.mode", "bumpy");
    curve_refused(t, &b, "number", table(&b, "mode", txt(&b, "step")), "fields[2].number", "keys");
    end(&b);
}

static void curves_from_c_are_checked_alike(test* t)
{
    const kin_curve_key falling[] = {{1, {0}}, {0, {0}}}, high[] = {{0, {11}}}, never[] = {{0.0 / fabs(0.0), {0}}};
    curved d = {0};
    kin_error error = {0};
    d.number = (kin_curve){falling, 2, KIN_CURVE_LINEAR};
    EQUAL(t, kin_params_check(curved_params, &d, "", &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "number[1]");
    d.number = (kin_curve){high, 1, KIN_CURVE_LINEAR};
    EQUAL(t, kin_params_check(curved_params, &d, "", &error), KIN_ERROR_ARGUMENT);
    d.number = (kin_curve){never, 1, KIN_CURVE_LINEAR};
    EQUAL(t, kin_params_check(curved_params, &d, "", &error), KIN_ERROR_ARGUMENT);
    d.number = (kin_curve){NULL, 1, KIN_CURVE_LINEAR};
    EQUAL(t, kin_params_check(curved_params, &d, "", &error), KIN_ERROR_ARGUMENT);
    d.number = (kin_curve){0};
    EQUAL(t, kin_params_check(curved_params, &d, "", &error), KIN_OK);
}

/* What a copy holds is its own: the original may change. */
static bool copy_all(test* t, void* context)
{
    kin_curve_key keys[] = {{0, {1, 2, 3}}, {1, {4, 5, 6}}};
    char word[] = "leaf";
    const char* words[] = {word};
    kin_vec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    uint32_t order[] = {0, 1, 2}, sizes[] = {3};
    item one = {.mass = 5};
    curved d = {.place = {keys, 2, KIN_CURVE_STEP}, .texts = {words, 1}, .vectors = {corners, 3}, .text = word, .mesh = {corners, 3, sizes, order, 1}}, copy;
    d.items.data = &one;
    d.items.count = 1;
    kin_arena arena;
    kin_arena_init(&arena, &t->allocator);
    bool ok = kin_params_copy(curved_params, sizeof d, &d, &arena, &copy);
    keys[1].value[2] = 0;
    word[0] = 'X';
    corners[1] = (kin_vec3){9, 9, 9};
    order[2] = sizes[0] = 0;
    one.mass = 0;
    if (ok) {
        NEAR(t, copy.place.keys[1].value[2], 6, 0);
        EQUAL(t, copy.place.mode, KIN_CURVE_STEP);
        TEXT(t, copy.texts.data[0], "leaf");
        TEXT(t, copy.text, "leaf");
        NEAR(t, copy.vectors.data[1].x, 1, 0);
        NEAR(t, copy.mesh.vertices[1].x, 1, 0);
        EQUAL(t, copy.mesh.corners[2], 2);
        EQUAL(t, copy.mesh.face_sizes[0], 3);
        NEAR(t, copy.items.data[0].mass, 5, 0);
        *(bool*)context = true;
    }
    kin_arena_term(&arena);
    return ok;
}

static void copies_hold_everything_themselves(test* t)
{
    bool copied = false;
    test_fail_each_allocation(t, copy_all, &copied);
    CHECK(t, copied);
}

TEST_MAIN("system/param", TEST(defaults_come_from_the_rows), TEST(values_of_every_type_are_read), TEST(orientations_are_quaternions_or_axis_and_angle),
          TEST(orientations_are_euler_angles_in_any_order), TEST(lists_tables_and_one_ofs_are_read), TEST(errors_name_place_value_and_range),
          TEST(places_go_down_lists), TEST(materials_are_found_or_added_from_presets), TEST(defs_from_c_are_checked_alike), TEST(rows_describe_themselves),
          TEST(memory_may_run_out), TEST(curves_are_numbers_keys_or_both), TEST(errors_name_the_key), TEST(curves_from_c_are_checked_alike),
          TEST(copies_hold_everything_themselves))
