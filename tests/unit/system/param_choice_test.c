/* param_choice_test.c - lists of choices, rows that tell whether they were given, things by name or number, and what elements have from their owner. */
#include "base/arena.h"
#include "io/json.h"
#include "support/test.h"
#include "system/param.h"
#include <string.h>

typedef struct moment {
    double t;
    kin_vec3 position;
} moment;

typedef struct link {
    int kind;
    int64_t who;
    const char* who_name;
    double length;
    double limits[2];
    bool limited;
    kin_vec3 axis;
} link;

typedef struct thing {
    kin_vec3 position;
    struct {
        const moment* data;
        size_t count;
    } moments;
    struct {
        const link* data;
        size_t count;
    } links;
} thing;

static const kin_param moment_params[] = {
    {.name = "t", .type = KIN_PARAM_NUMBER, .offset = offsetof(moment, t), .doc = "When."},
    {.name = "position", .type = KIN_PARAM_VECTOR, .offset = offsetof(moment, position), .doc = "Where.", .flags = KIN_PARAM_AS_OWNER},
    {0},
};
#define LINK(member) offsetof(link, member)
static const kin_param rod_params[] = {
    {.name = "length", .type = KIN_PARAM_NUMBER, .offset = LINK(length), .doc = "Length.", .flags = KIN_PARAM_OPEN_LOW, .preset = {1}},
    {0},
};
static const kin_param pin_params[] = {
    {.name = "axis", .type = KIN_PARAM_DIRECTION, .offset = LINK(axis), .doc = "Axis.", .flags = KIN_PARAM_REQUIRED},
    {.name = "limits",
     .type = KIN_PARAM_TWO,
     .offset = LINK(limits),
     .doc = "Stops.",
     .low = -1,
     .high = 1,
     .told_offset = LINK(limited),
     .flags = KIN_PARAM_TELLS},
    {0},
};
static const kin_param link_params[] = {
    {.name = "rod", .type = KIN_PARAM_TABLE, .doc = "A rod.", .sub = rod_params},
    {.name = "pin", .type = KIN_PARAM_TABLE, .doc = "A pin.", .sub = pin_params},
    {.name = "who",
     .type = KIN_PARAM_WHICH,
     .offset = LINK(who),
     .doc = "Who.",
     .low = -1,
     .high = 9,
     .tag_offset = LINK(who_name),
     .flags = KIN_PARAM_BESIDE | KIN_PARAM_REQUIRED},
    {0},
};
static const kin_param params[] = {
    {.name = "position", .type = KIN_PARAM_VECTOR, .offset = offsetof(thing, position), .doc = "Where."},
    {.name = "moments", .type = KIN_PARAM_LIST, .offset = offsetof(thing, moments), .doc = "Over time.", .sub = moment_params, .sub_size = sizeof(moment)},
    {.name = "links",
     .type = KIN_PARAM_LIST,
     .offset = offsetof(thing, links),
     .doc = "Links.",
     .sub = link_params,
     .sub_size = sizeof(link),
     .tag_offset = LINK(kind),
     .flags = KIN_PARAM_CHOICE},
    {0},
};

typedef struct reading {
    kin_tree tree;
    kin_arena arena;
    thing def;
    kin_error error;
} reading;

static kin_result read(test* t, reading* r, const char* json)
{
    const kin_json_limits limits = {1 << 20, 100, 1000};
    *r = (reading){0};
    kin_tree_init(&r->tree, &t->allocator);
    kin_arena_init(&r->arena, &t->allocator);
    CHECK(t, kin_json_read(&r->tree, json, strlen(json), "test.json", &limits, &r->error) == KIN_OK);
    kin_params_default(params, &r->def);
    return kin_params_read(params, r->tree.root, NULL, "", &(kin_param_context){.arena = &r->arena}, &r->def, &r->error);
}

static void done(reading* r)
{
    kin_tree_term(&r->tree);
    kin_arena_term(&r->arena);
}

static void elements_of_a_choice_are_each_one_kind(test* t)
{
    reading r;
    CHECK(t, read(t, &r, "{\"links\": [{\"rod\": {\"length\": 3}, \"who\": 2}, {\"who\": \"door\", \"pin\": {\"axis\": [0, 1, 0]}}]}") == KIN_OK);
    EQUAL(t, r.def.links.count, 2);
    EQUAL(t, r.def.links.data[0].kind, 0);
    NEAR(t, r.def.links.data[0].length, 3, 0);
    EQUAL(t, r.def.links.data[0].who, 2);
    CHECK(t, r.def.links.data[0].who_name == NULL);
    EQUAL(t, r.def.links.data[1].kind, 1);
    TEXT(t, r.def.links.data[1].who_name, "door");
    CHECK(t, !r.def.links.data[1].limited);
    done(&r);
}

static void wrong(test* t, const char* json, const char* where, const char* says)
{
    reading r;
    CHECK(t, read(t, &r, json) == KIN_ERROR_ARGUMENT);
    TEXT(t, r.error.where, where);
    HAS(t, r.error.message, says);
    done(&r);
}

static void what_is_wrong_in_them_is_named(test* t)
{
    wrong(t, "{\"links\": [{\"who\": 1}]}", "links[0]", "must have one of rod, pin");
    wrong(t, "{\"links\": [{\"rod\": {}}]}", "links[0]", "\"who\" is missing");
    wrong(t, "{\"links\": [{\"rod\": {}, \"pin\": {\"axis\": [1, 0, 0]}, \"who\": 1}]}", "links[0].rod", "only one of");
    wrong(t, "{\"links\": {\"rods\": {}, \"who\": 1}}", "links.rods", "did you mean \"rod\"?");
    wrong(t, "{\"links\": [{\"pin\": {\"axis\": [1, 0, 0], \"limits\": [0, 2]}, \"who\": 1}]}", "links[0].pin.limits[1]", "<= 1");
    wrong(t, "{\"links\": [{\"rod\": {}, \"who\": 10}]}", "links[0].who", "<= 9");
    wrong(t, "{\"links\": [{\"rod\": {}, \"who\": 1.5}]}", "links[0].who", "whole");
    wrong(t, "{\"links\": [{\"rod\": {}, \"who\": [1]}]}", "links[0].who", "a name or a number");
}

static void rows_tell_whether_they_were_given(test* t)
{
    reading r;
    CHECK(t, read(t, &r, "{\"links\": {\"who\": 0, \"pin\": {\"axis\": [0, 1, 0], \"limits\": [-0.5, 0.5]}}}") == KIN_OK);
    CHECK(t, r.def.links.data[0].limited);
    NEAR(t, r.def.links.data[0].limits[1], 0.5, 0);
    link mine = r.def.links.data[0];
    mine.limits[1] = 7;
    thing def = {.links = {&mine, 1}};
    CHECK(t, kin_params_check(params, &def, "", &r.error) == KIN_ERROR_ARGUMENT);
    TEXT(t, r.error.where, "links[0].pin.limits[1]");
    mine.limited = false; /* then it does not matter */
    CHECK(t, kin_params_check(params, &def, "", &r.error) == KIN_OK);
    mine.kind = 5;
    CHECK(t, kin_params_check(params, &def, "", &r.error) == KIN_ERROR_ARGUMENT);
    done(&r);
}

static void elements_have_from_their_owner_what_they_leave_out(test* t)
{
    reading r;
    CHECK(t, read(t, &r, "{\"moments\": [{\"t\": 1}, {\"t\": 2, \"position\": [4, 5, 6]}], \"position\": [1, 2, 3]}") == KIN_OK);
    NEAR3(t, r.def.moments.data[0].position, ((kin_vec3){1, 2, 3}), 0); /* although it stands behind */
    NEAR3(t, r.def.moments.data[1].position, ((kin_vec3){4, 5, 6}), 0);
    done(&r);
}

static void copies_hold_their_names(test* t)
{
    char name[] = "door";
    link one = {.kind = 0, .who_name = name, .length = 1};
    thing def = {.links = {&one, 1}}, copy;
    kin_arena arena;
    kin_arena_init(&arena, &t->allocator);
    CHECK(t, kin_params_copy(params, sizeof def, &def, &arena, &copy));
    name[0] = 'x';
    TEXT(t, copy.links.data[0].who_name, "door");
    kin_arena_term(&arena);
}

static void they_describe_themselves(test* t)
{
    char text[256];
    kin_param_describe(&params[2], text, sizeof text);
    TEXT(t, text, "list of tables, each with one of rod, pin");
    kin_param_describe(&link_params[2], text, sizeof text);
    TEXT(t, text, "name, or number from 0, >= -1 and <= 9, required, beside the one chosen");
    kin_param_describe(&moment_params[1], text, sizeof text);
    TEXT(t, text, "{x, y, z}"); /* its default is elsewhere */
}

TEST_MAIN("system/param choices", TEST(elements_of_a_choice_are_each_one_kind), TEST(what_is_wrong_in_them_is_named), TEST(rows_tell_whether_they_were_given),
          TEST(elements_have_from_their_owner_what_they_leave_out), TEST(copies_hold_their_names), TEST(they_describe_themselves))
