/* help_test.c - what is generated from the tables: schema, help, handbook. */
#include "support/test.h"
#include "base/alloc.h"
#include "io/json.h"
#include "kinema/kinema.h"
#include "scene/scene.h"
#include "system/field.h"
#include "system/material.h"
#include "world/registry.h"
#include <string.h>

static const kin_json_limits wide = {1 << 22, 100, 1000000};

static void release(kin_text* text) { kin_free(&text->allocator, text->data, text->capacity); }

static const kin_node* at(test* t, const kin_node* node, const char* key)
{
    const kin_node* child = kin_node_get(node, key);
    test_check(t, child != NULL, __FILE__, __LINE__, "no \"%s\"", key);
    return child;
}

static void the_schema_is_json_and_knows_every_key(test* t)
{
    kin_text text = {.allocator = t->allocator};
    CHECK(t, kin_schema_write(&text) == KIN_OK);
    kin_tree tree;
    kin_tree_init(&tree, &t->allocator);
    kin_error error = {0};
    CHECK(t, kin_json_read(&tree, text.data, text.length, "schema", &wide, &error) == KIN_OK);
    TEXT(t, at(t, tree.root, "$schema")->string, "https://json-schema.org/draft/2020-12/schema");
    const kin_node* properties = at(t, tree.root, "properties");
    static const char* const keys[] = {"title",     "duration", "fps",    "steps_per_frame", "seed",  "gravity",       "bounds",     "materials",  "fields",
                                       "colliders", "systems",  "camera", "include",         "pairs", "max_intervals", "max_passes", "attachments"};
    EQUAL(t, properties->count, sizeof keys / sizeof *keys);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) HAS(t, at(t, at(t, properties, keys[i]), "description")->string, "");
    NEAR(t, at(t, at(t, properties, "fps"), "exclusiveMinimum")->number, 0, 0);
    NEAR(t, at(t, at(t, properties, "fps"), "default")->number, 30, 0);
    const kin_node* system = at(t, at(t, at(t, properties, "systems"), "anyOf")->items[1], "oneOf")->items[0];
    TEXT(t, at(t, at(t, at(t, system, "properties"), "type"), "const")->string, "particles");
    CHECK(t, at(t, at(t, at(t, system, "properties"), "integrator"), "enum")->count == 19);
    kin_tree_term(&tree);
    release(&text);
}

static void help_covers_every_topic(test* t)
{
    kin_error error = {0};
    const char* const* topics = kin_help_topics();
    size_t count = 0;
    for (; topics[count] != NULL; ++count) {
        kin_text text = {.allocator = t->allocator};
        CHECK(t, kin_help_write(topics[count], &text, &error) == KIN_OK);
        HAS(t, text.data, topics[count]);
        release(&text);
    }
    CHECK(t, count >= 8 + 1 + 3);
    kin_text text = {.allocator = t->allocator};
    CHECK(t, kin_help_write("particles", &text, &error) == KIN_OK);
    HAS(t, text.data, "mass               number, kg, > 0, default 1");
    HAS(t, text.data, "one of euler, semi_implicit, average, midpoint, heun, rk4, verlet, velocity_verlet, leapfrog, rk45");
    release(&text);
    text = (kin_text){.allocator = t->allocator};
    CHECK(t, kin_help_write("material", &text, &error) == KIN_OK);
    HAS(t, text.data, kin_material_presets[1].def.name);
    release(&text);
    text = (kin_text){.allocator = t->allocator};
    CHECK(t, kin_help_write("partcles", &text, &error) == KIN_ERROR_ARGUMENT);
    TEXT(t, error.message, "there is no help on \"partcles\"; did you mean \"particles\"?");
    CHECK(t, kin_help_write("zzzzz", &text, &error) == KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "there is on scene, collider");
    release(&text);
}

static void every_row_has_a_sentence(test* t, const kin_param* params)
{
    for (const kin_param* p = params; p->name != NULL; ++p) {
        test_check(t, p->doc != NULL && p->doc[0] != 0, __FILE__, __LINE__, "%s has no doc", p->name);
        test_check(t, p->type != KIN_PARAM_ENUM || p->names != NULL, __FILE__, __LINE__, "%s has no names", p->name);
        if (p->sub != NULL) every_row_has_a_sentence(t, p->sub);
    }
}

static void the_handbook_names_everything(test* t)
{
    kin_text text = {.allocator = t->allocator};
    CHECK(t, kin_handbook_write(&text) == KIN_OK);
    HAS(t, text.data, "# Scenes");
    every_row_has_a_sentence(t, kin_scene_top_params);
    for (int i = 0; kin_system_registry[i] != NULL; ++i) {
        every_row_has_a_sentence(t, kin_system_registry[i]->params);
        for (const kin_param* p = kin_system_registry[i]->params; p->name != NULL; ++p) HAS(t, text.data, p->name);
    }
    for (int i = 0; kin_field_registry[i] != NULL; ++i) HAS(t, text.data, kin_field_registry[i]->doc);
    for (int i = 0; i < kin_material_preset_count; ++i) HAS(t, text.data, kin_material_presets[i].def.name);
    release(&text);
}

static bool write_with_failing_memory(test* t, void* context)
{
    (void)context;
    kin_text text = {.allocator = t->allocator};
    bool ok = kin_schema_write(&text) == KIN_OK && kin_handbook_write(&text) == KIN_OK && kin_help_write("scene", &text, NULL) == KIN_OK;
    release(&text);
    return ok;
}

static void memory_may_run_out(test* t) { test_fail_each_allocation(t, write_with_failing_memory, NULL); }

TEST_MAIN("scene/help", TEST(the_schema_is_json_and_knows_every_key), TEST(help_covers_every_topic), TEST(the_handbook_names_everything),
          TEST(memory_may_run_out))
