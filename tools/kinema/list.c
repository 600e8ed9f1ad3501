/* list.c - kinema list: what there is, from the registries. */
#include "bench/bench.h"
#include "base/text.h"
#include "io/export.h"
#include "io/file.h"
#include "kinema/sph.h"
#include "lab.h"
#include "numerics/integrators.h"
#include "report.h"
#include "scene/scene.h"
#include "system/field.h"
#include "system/material.h"
#include "validation/validation.h"
#include "verbs.h"
#include "world/registry.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void print_row(const char* name, const char* doc) { printf("%-24s %s\n", name, doc); }

/* ---- scenes ---- */

typedef struct scene_paths {
    char** items;
    size_t count, capacity;
    const char* folder; /* being read */
    int depth;
} scene_paths;

static void find_scenes(scene_paths* paths, const char* folder);

static void keep_path(scene_paths* paths, const char* path)
{
    if (paths->count == paths->capacity) {
        size_t capacity = 2 * paths->capacity + 64;
        char** items = realloc(paths->items, capacity * sizeof *items);
        if (items == NULL) return;
        paths->items = items;
        paths->capacity = capacity;
    }
    paths->items[paths->count] = strdup(path);
    if (paths->items[paths->count] != NULL) paths->count += 1;
}

static bool look_at(void* context, const char* name)
{
    scene_paths* paths = context;
    char path[KIN_PATH_SIZE];
    struct stat info;
    if (name[0] == '.' || !kin_path_join(path, sizeof path, paths->folder, name) || stat(path, &info) != 0) return true;
    const char* dot = strrchr(name, '.');
    if (S_ISDIR(info.st_mode))
        find_scenes(paths, path);
    else if (S_ISREG(info.st_mode) && dot != NULL && strcmp(dot, ".lua") == 0)
        keep_path(paths, path);
    return true;
}

static void find_scenes(scene_paths* paths, const char* folder)
{
    enum { DEEPEST = 8 }; /* a link may lead back up */
    kin_error ignored = {0};
    const char* above = paths->folder;
    if (paths->depth == DEEPEST) return;
    paths->folder = folder;
    paths->depth += 1;
    kin_folder_each(folder, look_at, paths, &ignored);
    paths->depth -= 1;
    paths->folder = above;
}

static int by_name(const void* a, const void* b) { return strcmp(*(char* const*)a, *(char* const*)b); }

static void print_scene(const char* path)
{
    kin_scene_options scene_options = kin_scene_options_default();
    kin_error error = {0};
    kin_scene* scene = NULL;
    if (kin_scene_load(path, &scene_options, &scene, &error) == KIN_OK)
        printf("%-40s %s\n", path, kin_scene_describe(scene).title);
    else
        kin_complain(0, &error);
    kin_scene_free(scene);
}

/* Beside where the command itself is, as an installed tree may be moved: bin/kinema, share/kinema/scenes. */
static void find_installed_scenes(scene_paths* paths)
{
    char path[KIN_PATH_SIZE];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    for (int i = 0; i < 2; ++i) { /* off with kinema, and with bin */
        char* slash = strrchr(path, '/');
        if (slash != NULL) *slash = 0;
    }
    strncat(path, "/share/kinema/scenes", sizeof path - strlen(path) - 1);
    find_scenes(paths, path);
}

static void list_scenes(void)
{
    scene_paths paths = {0};
    find_scenes(&paths, "scenes");
    find_installed_scenes(&paths);
    if (paths.count > 1) qsort(paths.items, paths.count, sizeof *paths.items, by_name);
    for (size_t i = 0; i < paths.count; ++i) {
        print_scene(paths.items[i]);
        free(paths.items[i]);
    }
    free(paths.items);
}

/* ---- the registries ---- */

static void list_domains(void)
{
    for (int i = 0; kin_system_registry[i] != NULL; ++i) print_row(kin_system_registry[i]->name, kin_system_registry[i]->doc);
}

static void list_forces(void)
{
    for (int i = 0; kin_field_registry[i] != NULL; ++i) print_row(kin_field_registry[i]->name, kin_field_registry[i]->doc);
}

/* What a row can be one of: the rows of its table that may not stand beside another. */
static void list_choices(const kin_param* row)
{
    for (const kin_param* p = row != NULL ? row->sub : NULL; p != NULL && p->name != NULL; ++p) {
        if ((p->flags & KIN_PARAM_BESIDE) == 0) print_row(p->name, p->doc);
    }
}

static void list_shapes(void)
{
    const kin_param* colliders = kin_params_find(kin_scene_top_params, "colliders");
    list_choices(colliders != NULL ? kin_params_find(colliders->sub, "shape") : NULL);
}

static void list_joints(void) { list_choices(kin_params_find(kin_system_named("rigid")->params, "joints")); }

static void list_formats(void)
{
    for (const kin_export_format* f = kin_export_formats; f->name != NULL; ++f) print_row(f->name, f->doc);
}

static void list_cases(void)
{
    for (int i = 0; kin_case_topics[i] != NULL; ++i) {
        for (const kin_case* c = kin_case_topics[i]; c->name != NULL; ++c) print_row(c->name, c->doc);
    }
}

static void list_benches(void)
{
    for (int i = 0; kin_bench_topics[i] != NULL; ++i) {
        for (const kin_bench* b = kin_bench_topics[i]; b->name != NULL; ++b) print_row(b->name, b->doc);
    }
}

static void list_labs(void)
{
    for (const kin_lab* lab = kin_labs; lab->name != NULL; ++lab) print_row(lab->name, lab->doc);
}

static void list_materials(void)
{
    for (int i = 0; i < kin_material_preset_count; ++i) {
        const kin_material_def* def = &kin_material_presets[i].def;
        char doc[160];
        snprintf(doc, sizeof doc, "%s: %g kg/m^3, restitution %g, friction %g and %g", kin_material_presets[i].note, def->density, def->restitution,
                 def->static_friction[0], def->dynamic_friction[0]);
        print_row(def->name, doc);
    }
}

static void list_fluids(void)
{
    size_t count;
    const kin_fluid_preset* fluids = kin_fluid_presets(&count);
    for (size_t i = 0; i < count; ++i) {
        char doc[200];
        snprintf(doc, sizeof doc, "%g kg/m^3, %g Pa s, %g N/m, %g W/(m K), %g J/(kg K), %.3g 1/K", fluids[i].density, fluids[i].viscosity, fluids[i].tension,
                 fluids[i].conductivity, fluids[i].heat_capacity, fluids[i].expansion);
        print_row(fluids[i].name, doc);
    }
}

static void list_integrators(void)
{
    for (int i = 0; i < kin_integrator_count(); ++i) {
        const kin_integrator* row = kin_integrator_at(i);
        char doc[320];
        snprintf(doc, sizeof doc, "%s, order %d%s%s: %s", row->title, row->order, row->adaptive ? ", adaptive" : "", row->implicit ? ", implicit" : "",
                 row->doc);
        print_row(row->name, doc);
    }
}

static void list_topics(void)
{
    const char* const* topics = kin_help_topics();
    for (int i = 0; topics[i] != NULL; ++i) puts(topics[i]);
}

static void list_kinds(void);

static const struct {
    const char* name;
    void (*list)(void);
    const char* doc;
} kinds[] = {
    {"scenes", list_scenes, "scene files in ./scenes and those installed, with their titles"},
    {"domains", list_domains, "kinds of system"},
    {"forces", list_forces, "fields that act on everything"},
    {"shapes", list_shapes, "forms of colliders"},
    {"joints", list_joints, "kinds of joint"},
    {"integrators", list_integrators, "how motion can be advanced"},
    {"materials", list_materials, "presets"},
    {"fluids", list_fluids, "presets for particle fluids"},
    {"formats", list_formats, "what kinema export writes"},
    {"cases", list_cases, "what kinema validate runs"},
    {"benches", list_benches, "what kinema bench measures"},
    {"labs", list_labs, "what kinema lab studies"},
    {"topics", list_topics, "what kinema help explains"},
    {"kinds", list_kinds, "what kinema list lists: these"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void list_kinds(void)
{
    for (int i = 0; i < KINDS; ++i) print_row(kinds[i].name, kinds[i].doc);
}

static int run(const kin_arguments* a)
{
    const char* wanted = a->name_count > 0 ? a->names[0] : "kinds";
    const char* names[KINDS];
    for (int i = 0; i < KINDS; ++i) {
        names[i] = kinds[i].name;
        if (strcmp(wanted, kinds[i].name) != 0) continue;
        kinds[i].list();
        return KIN_EXIT_DONE;
    }
    const char* nearest = kin_text_nearest(wanted, names, KINDS);
    if (nearest != NULL) return kin_complain_text(KIN_EXIT_WRONG, "list: there are no \"%s\"; did you mean %s?", wanted, nearest);
    return kin_complain_text(KIN_EXIT_WRONG, "list: there are no \"%s\"; kinema list says what can be listed", wanted);
}

static const kin_option options[] = {{0}};

const kin_verb kin_verb_list = {
    .name = "list",
    .usage = "[KIND]",
    .least = 0,
    .most = 1,
    .operand = KIN_OPERAND_LIST,
    .list = "kinds",
    .options = options,
    .run = run,
    .summary = "List what there is: scenes, domains, forces, materials, cases, ...",
    .doc = "KIND is scenes, domains, forces, shapes, joints, integrators, materials, fluids, formats, cases, benches, labs or topics. One a line, the name "
           "first. Without "
           "KIND: what can be listed.",
};
