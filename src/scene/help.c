/* help.c - what can be said in a scene, in words: `kinema help TOPIC` and the handbook's page on scenes, both from the parameter tables. */
#include "base/error.h"
#include "base/text.h"
#include "scene/scene_inside.h"
#include "scene/writer.h"
#include "system/field.h"
#include "system/material.h"
#include "system/shape_params.h"
#include "world/registry.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* A table with a name of its own. Fields and systems come from their registries. */
typedef struct topic {
    const char* name;
    const char* title;
    const char* doc;
    const kin_param* params;
} topic;

/* clang-format off */
static const char script_doc[] =
    "A scene is a Lua 5.4 script that returns the scene's table, or a JSON file that is that table. Keys are the same. Paths in messages and in --set count "
    "from 0: systems[0].particles[3].mass.\n\n"
    "A script has math, string and table; pairs and next go in sorted order, and nothing depends on the machine. While the scene is read random numbers follow "
    "--seed, and math.randomseed(n) begins another series; in on_step they follow the world's seed and step. It may call:\n\n"
    "    param(name, default, doc)   a value that --set name=... can change\n"
    "    include(file)               the value of another Lua or JSON file beside this one\n"
    "    print(...)                  to the log\n\n"
    "on_step = function(world, t) ... end, on the top level, is called before every step. It sees world.time, world.step, world:count(system), world:has(system, element), "
    "world:position(system, element) and world:velocity(system, element), of bodies that report contacts world:contacts(system, element) and world:contact_force(system, element), gives commands with world:set(path, value), world:push(system, element, {x, y, z}), "
    "world:place(system, element, position, velocity) and world:status(system, element, \"static\"), reads and sets named numbers of particles by "
    "world:attribute(system, element, name) and world:set_attribute(system, element, name, value), holds on to things (below), draws world:random(), and remembers plain values in "
    "world.state, nowhere else. A system is named by its name or its number, elements count from 0. "
    "What is not there, has ended, or cannot be done to the elements of a system (those of a fluid cannot be asked, held, pushed or placed) stops the script with an error that names it.\n\n"
    "Holding on, all by commands that take effect in the coming step:\n\n"
    "    world:attach{a = ..., b = ...}     an attachment, by the keys of one in a scene (but keys); gives its id\n"
    "    world:target(id, x, y, z)          moves the point of space it holds to\n"
    "    world:detach(id)                   ends it; world:attached(id) tells whether it still holds, or was detached or broke\n"
    "    world:grab(ox, oy, oz, dx, dy, dz, reach)   takes hold of the movable element nearest the ray, within reach (0.1 m), that no collider hides; "
    "gives an id, or nil\n"
    "    world:drag(id, ox, oy, oz, dx, dy, dz)      moves it to where the ray meets the plane that faced the ray of the grab\n"
    "    world:release(id)                  lets go\n"
    "    world:nail(system, element)        holds an element where it is; world:unnail(system, element) lets it move again\n\n"
    "Limits: files of 64 MB, 100 levels of nesting, 20 million values, 50 million instructions a run, 1 GB of memory, texts of 16 KB, 250 arguments a call.\n";
/* clang-format on */

static const topic topics[] = {
    {"scene", "The top level", "What a scene is made of.", kin_scene_top_params},
    {"collider", "Colliders", "Solids that things bounce off; static, or moved by keys.", kin_scene_collider_params},
    {"attachment", "Attachments", "Holding on: damped springs and rigid links; see Scripts for the same at run time.", kin_scene_attachment_params},
    {"shape", "Shapes", "A shape is a table with one of these, and what may stand beside it.", kin_shape_params},
    {"material", "Materials", "materials = {name = {...}}. A name that is not there may be a preset.", kin_scene_material_params},
    {"bounds", "Bounds", "A box round the world.", kin_scene_bounds_params},
    {"pairs", "Pairs of materials", "How the coefficients of two materials become those of their contact.", kin_scene_pairs_params},
    {"camera", "Camera and light", "How pictures are taken.", kin_scene_camera_params},
    {"script", "Scripts", script_doc, NULL},
};
enum { TOPIC_COUNT = sizeof topics / sizeof *topics, MOST_TOPICS = 128 };

/* ---- names ---- */

static const char* all_topics[MOST_TOPICS + 1];

/* Described once, as a topic of its own. */
static bool is_shape(const kin_param* p) { return p->sub == kin_shape_params || p->sub == kin_part_shape_params; }

static bool is_part(const kin_param* p) { return p->sub != NULL && (p->type == KIN_PARAM_LIST || p->type == KIN_PARAM_TABLE); }

static bool is_listed(const char* name, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(all_topics[i], name) == 0) return true;
    }
    return false;
}

/* The tables within a system's: kinds, emitters, springs ... Returns the new count. */
static size_t collect_parts(const kin_param* params, size_t count)
{
    for (const kin_param* p = params; p->name != NULL; ++p) {
        if (!is_part(p)) continue;
        if (count < MOST_TOPICS && !is_listed(p->name, count)) all_topics[count++] = p->name;
        count = collect_parts(p->sub, count);
    }
    return count;
}

static void collect_topics(void)
{
    size_t count = 0;
    for (; count < TOPIC_COUNT; ++count) all_topics[count] = topics[count].name;
    for (int i = 0; kin_system_registry[i] != NULL && count < MOST_TOPICS; ++i) all_topics[count++] = kin_system_registry[i]->name;
    for (int i = 0; kin_field_registry[i] != NULL && count < MOST_TOPICS; ++i) all_topics[count++] = kin_field_registry[i]->name;
    for (int i = 0; kin_system_registry[i] != NULL; ++i) count = collect_parts(kin_system_registry[i]->params, count);
}

const char* const* kin_help_topics(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT; /* the registries are constant: so is the list */
    pthread_once(&once, collect_topics);
    return all_topics;
}

static bool find_part(const kin_param* params, const char* name, topic* out)
{
    for (const kin_param* p = params; p->name != NULL; ++p) {
        if (!is_part(p)) continue;
        *out = (topic){p->name, p->name, p->doc, p->sub};
        if (strcmp(p->name, name) == 0 || find_part(p->sub, name, out)) return true;
    }
    return false;
}

static bool find_in_systems(const char* name, topic* out)
{
    for (int i = 0; kin_system_registry[i] != NULL; ++i) {
        if (find_part(kin_system_registry[i]->params, name, out)) return true;
    }
    return false;
}

static bool find_topic(const char* name, topic* out)
{
    for (size_t i = 0; i < TOPIC_COUNT; ++i) {
        *out = topics[i];
        if (strcmp(topics[i].name, name) == 0) return true;
    }
    const kin_system_ops* system = kin_system_named(name);
    const kin_field_ops* field = kin_field_named(name);
    if (system != NULL) *out = (topic){system->name, system->name, system->doc, system->params};
    if (system == NULL && field != NULL) *out = (topic){field->name, field->name, field->doc, field->params};
    return system != NULL || field != NULL || find_in_systems(name, out);
}

/* ---- help ---- */

static void put_rows(kin_writer* w, const kin_param* params, int indent)
{
    for (const kin_param* p = params; p->name != NULL; ++p) {
        char described[512];
        kin_param_describe(p, described, sizeof described);
        kin_writer_put(w, "%*s%-18s %s\n%*s%s\n", indent, "", p->name, described, indent + 19, "", p->doc);
        if (p->sub != NULL && !is_shape(p)) put_rows(w, p->sub, indent + 4);
    }
}

static void put_parts(kin_writer* w)
{
    for (const kin_scene_part* p = kin_scene_parts; p->key != NULL; ++p) kin_writer_put(w, "  %-18s %s\n%21s%s\n", p->key, p->what, "", p->doc);
    kin_writer_put(w, "  %-18s %s\n%21s%s\n", "on_step", "function(world, t), Lua only", "", "Called before every step; see `kinema help script`.");
}

static void put_presets(kin_writer* w)
{
    kin_writer_put(w, "\nPresets:\n");
    for (int i = 0; i < kin_material_preset_count; ++i) {
        const kin_material_def* m = &kin_material_presets[i].def;
        kin_writer_put(w, "  %-18s %s; density %g, restitution %g, friction %g and %g\n", m->name, kin_material_presets[i].note, m->density, m->restitution,
                       m->static_friction[0], m->dynamic_friction[0]);
    }
}

kin_result kin_help_write(const char* name, kin_text* out, kin_error* error)
{
    topic t;
    if (!find_topic(name, &t)) {
        const char* const* names = kin_help_topics();
        size_t count = 0;
        char all[400] = "";
        for (; names[count] != NULL; ++count) kin_text_append(all, sizeof all, "%s%s", count > 0 ? ", " : "", names[count]);
        const char* nearest = kin_text_nearest(name, names, count);
        if (nearest != NULL) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "there is no help on \"%.60s\"; did you mean \"%s\"?", name, nearest);
        return kin_fail(error, KIN_ERROR_ARGUMENT, "", "there is no help on \"%.60s\"; there is on %s", name, all);
    }
    kin_writer w = {.out = out};
    kin_writer_put(&w, "%s: %s\n", t.name, t.doc);
    if (t.params != NULL) {
        kin_writer_put(&w, "\n");
        put_rows(&w, t.params, 2);
    }
    if (t.params == kin_scene_top_params) put_parts(&w);
    if (t.params == kin_scene_material_params) put_presets(&w);
    return kin_writer_end(&w, error);
}

/* ---- the handbook's page ---- */

static void put_cell(kin_writer* w, const char* text)
{
    for (; *text != 0; ++text) kin_writer_put(w, *text == '|' ? "\\%c" : "%c", *text);
}

static void put_row(kin_writer* w, const char* key, const char* what, const char* doc)
{
    kin_writer_put(w, "| `%s` | ", key);
    put_cell(w, what);
    kin_writer_put(w, " | ");
    put_cell(w, doc);
    kin_writer_put(w, " |\n");
}

static void put_table_head(kin_writer* w) { kin_writer_put(w, "\n| key | value | |\n|---|---|---|\n"); }

/* The rows of a table, then those of the tables in it that have no section of their own. */
static void put_table(kin_writer* w, const kin_param* params)
{
    put_table_head(w);
    for (const kin_param* p = params; p->name != NULL; ++p) {
        char described[512];
        kin_param_describe(p, described, sizeof described);
        put_row(w, p->name, described, p->doc);
    }
    if (params == kin_scene_top_params) {
        for (const kin_scene_part* p = kin_scene_parts; p->key != NULL; ++p) put_row(w, p->key, p->what, p->doc);
        put_row(w, "on_step", "function(world, t), Lua only", "Called before every step; see Scripts.");
        return;
    }
    for (const kin_param* p = params; p->name != NULL; ++p) {
        if (p->sub == NULL || is_shape(p)) continue;
        kin_writer_put(w, "\n`%s`, each:\n", p->name);
        put_table(w, p->sub);
    }
}

static void put_preset_table(kin_writer* w)
{
    kin_writer_put(w, "\nPresets:\n\n| name | | density, kg/m^3 | restitution | static friction | dynamic friction |\n|---|---|---|---|---|---|\n");
    for (int i = 0; i < kin_material_preset_count; ++i) {
        const kin_material_def* m = &kin_material_presets[i].def;
        kin_writer_put(w, "| `%s` | %s | %g | %g | %g | %g |\n", m->name, kin_material_presets[i].note, m->density, m->restitution, m->static_friction[0],
                       m->dynamic_friction[0]);
    }
}

static void put_section(kin_writer* w, const topic* t)
{
    kin_writer_put(w, "\n## %s\n\n%s\n", t->title, t->doc);
    if (t->params != NULL) put_table(w, t->params);
    if (t->params == kin_scene_material_params) put_preset_table(w);
}

kin_result kin_handbook_write(kin_text* out)
{
    kin_writer w = {.out = out};
    kin_writer_put(&w, "# Scenes\n\nThis page is generated from the parameter tables: `kinema help TOPIC` shows the same on a terminal.\n");
    for (size_t i = 0; i < TOPIC_COUNT; ++i) put_section(&w, &topics[i]);
    kin_writer_put(&w,
                   "\n## Systems\n\n`systems = {{type = \"...\", name = \"...\", ...}, ...}`. The name defaults to the type; a second one gets a number.\n");
    for (int i = 0; kin_system_registry[i] != NULL; ++i) {
        kin_writer_put(&w, "\n### %s\n\n%s\n", kin_system_registry[i]->name, kin_system_registry[i]->doc);
        put_table(&w, kin_system_registry[i]->params);
    }
    kin_writer_put(&w, "\n## Fields\n\n`fields = {{drag = 0.1}, {wind = {1, 0, 0}}}`. Each item has the name of one field.\n");
    for (int i = 0; kin_field_registry[i] != NULL; ++i) {
        kin_writer_put(&w, "\n### %s\n\n%s\n", kin_field_registry[i]->name, kin_field_registry[i]->doc);
        put_table(&w, kin_field_registry[i]->params);
    }
    return kin_writer_end(&w, NULL);
}
