/* resume_test.c - a run that is restored into a fresh world at any step goes on to the same bits, for every feature that a scene can name. The features are read
 * from the parameter tables: every table within a table, every name of a choice and every switch. A table needs a scene below; a choice is tried by itself in a scene that has
 * its table. What is new and in no scene fails. The unbroken run is captured and measured at every step, the restored ones are not: neither may be state. */
#include "kinema/kinema.h"
#include "scene/scene_inside.h"
#include "support/features.h"
#include "support/test.h"
#include "system/field.h"
#include "world/registry.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_FEATURES = 1000, MOST_SETS = 4 };

/* ---- features, as "table.row" or "table.row=name" ---- */

typedef struct feature {
    char name[64];
    bool seen;
} feature;

typedef struct catalogue {
    feature items[MOST_FEATURES];
    size_t count;
    const kin_param* walked[200];
    size_t walked_count;
} catalogue;

/* How a thing looks is no state of a world; the captures of the unbroken run see to it that looking changes nothing. */
static bool is_only_seen(const char* table, const char* row)
{
    static const char* const rows[] = {"kinds.draw", "kinds.texture", "kinds.orient", "look.draw", "look.skin", "look.paint", "height_field.picture"};
    char name[64];
    snprintf(name, sizeof name, "%s.%s", table, row);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        if (strcmp(rows[i], name) == 0) return true;
    }
    return false;
}

static bool counts_alone(const kin_param* p)
{
    return p->sub != NULL || p->type == KIN_PARAM_CURVE || p->type == KIN_PARAM_COLOR_CURVE || p->type == KIN_PARAM_VECTOR_CURVE || p->type == KIN_PARAM_MESH;
}

static feature* find(catalogue* c, const char* name)
{
    for (size_t i = 0; i < c->count; ++i) {
        if (strcmp(c->items[i].name, name) == 0) return &c->items[i];
    }
    return NULL;
}

static void add(catalogue* c, const char* table, const char* row, const char* value)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%s%s%s", table, row, value != NULL ? "=" : "", value != NULL ? value : "");
    if (find(c, name) == NULL && c->count < MOST_FEATURES) snprintf(c->items[c->count++].name, 64, "%s", name);
}

/* What all fields have is one feature, in whichever field. */
static const char* table_of_row(const char* table, const kin_param* p)
{
    static const char* const common[] = {"strength", "region", "region_keys", "drop", "tags"};
    for (size_t i = 0; kin_field_named(table) != NULL && i < sizeof common / sizeof *common; ++i) {
        if (strcmp(common[i], p->name) == 0) return "field";
    }
    return table;
}

static void collect(catalogue* c, const char* table, const kin_param* params)
{
    for (size_t i = 0; i < c->walked_count; ++i) {
        if (c->walked[i] == params) return;
    }
    c->walked[c->walked_count++] = params;
    for (const kin_param* p = params; p->name != NULL; ++p) {
        const char* where = table_of_row(table, p);
        if (is_only_seen(where, p->name)) continue;
        if (counts_alone(p)) add(c, where, p->name, NULL);
        for (const char* const* n = p->type == KIN_PARAM_ENUM ? p->names : NULL; n != NULL && *n != NULL; ++n) add(c, where, p->name, *n);
        if (p->type == KIN_PARAM_BOOL) add(c, where, p->name, p->preset[0] != 0 ? "false" : "true");
        if (p->sub != NULL) collect(c, p->name, p->sub);
    }
}

static void collect_all(catalogue* c)
{
    collect(c, "scene", kin_scene_top_params);
    for (int i = 0; kin_system_registry[i] != NULL; ++i) collect(c, kin_system_registry[i]->name, kin_system_registry[i]->params);
    for (int i = 0; kin_field_registry[i] != NULL; ++i) {
        add(c, "fields", kin_field_registry[i]->name, NULL);
        collect(c, kin_field_registry[i]->name, kin_field_registry[i]->params);
    }
}

/* ---- what a scene names ---- */

typedef struct visit {
    catalogue* features;
    const char* wanted; /* "table.row=": out gets the path of that row wherever its table stands; NULL: mark */
    char (*out)[200];
    int out_count;
} visit;

static void mark(visit* v, const char* table, const char* row, const char* value)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%s%s%s", table, row, value != NULL ? "=" : "", value != NULL ? value : "");
    feature* f = find(v->features, name);
    if (f != NULL) f->seen = true;
}

static void walk(visit* v, const char* table, const kin_param* params, const kin_node* node, const char* path);

static void walk_row(visit* v, const kin_param* p, const kin_node* value, const char* path)
{
    if (value->type != KIN_NODE_LIST) {
        walk(v, p->name, p->sub, value, path);
        return;
    }
    for (uint32_t i = 0; i < value->count; ++i) {
        char below[200];
        snprintf(below, sizeof below, "%.180s[%u]", path, i);
        walk(v, p->name, p->sub, value->items[i], below);
    }
}

static void walk(visit* v, const char* table, const kin_param* params, const kin_node* node, const char* path)
{
    if (node->type != KIN_NODE_TABLE) return;
    for (const kin_param* p = params; p->name != NULL; ++p) {
        const kin_node* value = kin_node_get(node, p->name);
        const char* where = table_of_row(table, p);
        char below[200], name[64];
        snprintf(below, sizeof below, "%.120s%s%.60s", path, path[0] != 0 ? "." : "", p->name);
        snprintf(name, sizeof name, "%s.%s=", where, p->name);
        if (v->wanted != NULL && strcmp(v->wanted, name) == 0 && v->out_count < MOST_SETS) snprintf(v->out[v->out_count++], 200, "%s", below);
        if (value == NULL) continue;
        const char* text = value->type == KIN_NODE_BOOL ? (value->boolean ? "true" : "false") : p->type == KIN_PARAM_ENUM ? value->string : NULL;
        if (v->wanted == NULL) mark(v, where, p->name, text);
        if (p->sub != NULL) walk_row(v, p, value, below);
    }
}

static void walk_scene(visit* v, const kin_node* root)
{
    walk(v, "scene", kin_scene_top_params, root, "");
    const kin_node *systems = kin_node_get(root, "systems"), *fields = kin_node_get(root, "fields");
    for (uint32_t i = 0; systems != NULL && i < systems->count; ++i) {
        char path[40];
        const kin_system_ops* ops = kin_system_named(kin_node_get(systems->items[i], "type")->string);
        snprintf(path, sizeof path, "systems[%u]", i);
        walk(v, ops->name, ops->params, systems->items[i], path);
    }
    for (uint32_t i = 0; fields != NULL && i < fields->count; ++i) {
        for (int k = 0; kin_field_registry[k] != NULL; ++k) {
            char path[40];
            const kin_field_ops* ops = kin_field_registry[k];
            if (kin_node_get(fields->items[i], ops->name) == NULL) continue;
            snprintf(path, sizeof path, "fields[%u]", i);
            if (v->wanted == NULL) mark(v, "fields", ops->name, NULL);
            walk(v, ops->name, ops->params, fields->items[i], path);
        }
    }
}

/* ---- the law ---- */

typedef struct run {
    test* t;
    char path[64];
    kin_scene* scene;
    kin_error error;
} run;

static bool load(run* r, const feature_scene* row, const kin_scene_set* set)
{
    kin_scene_options options = kin_scene_options_default();
    FILE* file = fopen(r->path, "w");
    if (file == NULL) return false;
    fprintf(file, "return {%s}", row->text);
    fclose(file);
    options.allocator = r->t->allocator;
    options.sets = set;
    options.set_count = set != NULL ? 1 : 0;
    return kin_scene_load(r->path, &options, &r->scene, &r->error) == KIN_OK;
}

static kin_world* build(run* r)
{
    kin_world_def def = kin_world_def_default();
    kin_world* world = NULL;
    def.allocator = r->t->allocator;
    def.threads = 1;
    kin_scene_build(r->scene, &def, &world, &r->error);
    return world;
}

static bool step(run* r, kin_world* world)
{
    return kin_scene_before_step(r->scene, world, &r->error) == KIN_OK && kin_world_step(world, NULL, &r->error) == KIN_OK;
}

static void look(kin_world* world, uint64_t index)
{
    const kin_frame* frame;
    kin_measure measures[100];
    kin_world_capture(world, index, 1.0 / 60, &frame, NULL);
    for (uint32_t i = 1; i <= kin_world_system_count(world); ++i) kin_world_measure(world, i, measures, 100);
}

/* A link of the chain: restored, one step. Every few steps: restored, and on to the end. */
static void check_restored(run* r, const char* name, const kin_snapshot* marks, const uint64_t* hashes, int steps)
{
    for (int from = 0; from < steps; ++from) {
        kin_world* world = build(r);
        int to = from % (steps / 3 + 1) == 0 ? steps : from + 1;
        bool same = kin_world_restore(world, &marks[from], &r->error) == KIN_OK && kin_world_state_hash(world) == hashes[from];
        int at = from;
        for (; same && at < to; ++at) same = step(r, world) && kin_world_state_hash(world) == hashes[at + 1];
        kin_world_destroy(world);
        if (!test_check(r->t, same, __FILE__, __LINE__, "%s: restored at step %d it differs at step %d: %s", name, from, at, r->error.message)) return;
    }
}

/* The unbroken world itself goes back, a step at a time: what it has seen since is no state either. */
static void check_rewound(run* r, const char* name, kin_world* world, const kin_snapshot* marks, const uint64_t* hashes, int steps)
{
    for (int from = steps - 1; from >= 0; --from) {
        bool same = kin_world_restore(world, &marks[from], &r->error) == KIN_OK && kin_world_state_hash(world) == hashes[from] && step(r, world)
                    && kin_world_state_hash(world) == hashes[from + 1];
        if (!test_check(r->t, same, __FILE__, __LINE__, "%s: rewound to step %d it differs: %s", name, from, r->error.message)) return;
    }
}

/* False: the scene cannot be had so. */
static bool resumes(run* r, const char* name, int steps)
{
    enum { MOST = 64 };
    kin_snapshot marks[MOST] = {0};
    uint64_t hashes[MOST + 1];
    kin_world* world = build(r);
    if (world == NULL) return false;
    bool ok = true;
    for (int i = 0; i < steps && ok; ++i) {
        hashes[i] = kin_world_state_hash(world);
        kin_world_snapshot(world, &marks[i], NULL);
        look(world, (uint64_t)i);
        ok = step(r, world);
    }
    hashes[steps] = kin_world_state_hash(world);
    if (ok) check_restored(r, name, marks, hashes, steps);
    if (ok) check_rewound(r, name, world, marks, hashes, steps);
    kin_world_destroy(world);
    for (int i = 0; i < steps; ++i) kin_snapshot_free(&marks[i]);
    return ok;
}

static void close_scene(run* r)
{
    kin_scene_free(r->scene);
    r->scene = NULL;
}

static void begin(test* t, run* r)
{
    *r = (run){.t = t};
    snprintf(r->path, sizeof r->path, "/tmp/kinema_resume_%d.lua", (int)getpid());
}

static void every_scene_resumes(test* t)
{
    run r;
    begin(t, &r);
    for (int i = 0; i < FEATURE_SCENES; ++i) {
        r.error = (kin_error){0};
        bool ok = load(&r, &feature_scenes[i], NULL) && resumes(&r, feature_scenes[i].name, feature_scenes[i].steps);
        test_check(t, ok, __FILE__, __LINE__, "%s: %s: %s", feature_scenes[i].name, r.error.where, r.error.message);
        close_scene(&r);
    }
    unlink(r.path);
}

/* A choice in the first scene that has its table and takes it. */
static bool try_choice(run* r, catalogue* c, const char* feature_name)
{
    char wanted[64], paths[MOST_SETS][200];
    snprintf(wanted, sizeof wanted, "%s", feature_name);
    char* value = strchr(wanted, '=') + 1;
    char chosen[64];
    snprintf(chosen, sizeof chosen, "%s", value);
    *value = 0;
    for (int i = 0; i < FEATURE_SCENES; ++i) {
        visit v = {.features = c, .wanted = wanted, .out = paths};
        if (load(r, &feature_scenes[i], NULL)) walk_scene(&v, r->scene->tree.root);
        close_scene(r);
        for (int k = 0; k < v.out_count; ++k) {
            char name[300];
            snprintf(name, sizeof name, "%s: %s=%s", feature_scenes[i].name, paths[k], chosen);
            bool ok = load(r, &feature_scenes[i], &(kin_scene_set){paths[k], chosen}) && resumes(r, name, 6);
            close_scene(r);
            if (ok) return true;
        }
    }
    return false;
}

static void every_feature_resumes(test* t)
{
    static catalogue c;
    run r;
    begin(t, &r);
    collect_all(&c);
    for (int i = 0; i < FEATURE_SCENES; ++i) {
        if (load(&r, &feature_scenes[i], NULL)) walk_scene(&(visit){.features = &c}, r.scene->tree.root);
        close_scene(&r);
    }
    for (size_t i = 0; i < c.count; ++i) {
        bool is_choice = strchr(c.items[i].name, '=') != NULL;
        if (!c.items[i].seen && is_choice) c.items[i].seen = try_choice(&r, &c, c.items[i].name);
        test_check(t, c.items[i].seen, __FILE__, __LINE__, "no scene has %s: %s", c.items[i].name, is_choice ? r.error.message : "");
    }
    unlink(r.path);
}

TEST_MAIN("laws/resume", TEST(every_scene_resumes), TEST(every_feature_resumes))
