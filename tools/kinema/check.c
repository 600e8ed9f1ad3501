/* check.c - kinema check: is a scene fit to run? */
#include "report.h"
#include "scene/scene.h"
#include "verbs.h"
#include "world/overlap.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint32_t count_of(const kin_node* tree, const char* key)
{
    const kin_node* node = kin_node_get(tree, key);
    if (node == NULL) return 0;
    return node->type == KIN_NODE_LIST ? node->count : 1; /* a single table is a list of one */
}

static void print_count(uint32_t count, const char* what) { printf(", %" PRIu32 " %s%s", count, what, count == 1 ? "" : "s"); }

static void print_scene(const kin_scene* scene)
{
    kin_scene_info info = kin_scene_describe(scene);
    const kin_node* tree = kin_scene_tree(scene);
    printf("ok: %s", info.title);
    print_count(count_of(tree, "systems"), "system");
    print_count(count_of(tree, "colliders"), "collider");
    print_count(count_of(tree, "fields"), "field");
    printf(", %" PRIu64 " frames of %d steps, %g s at %g fps\n", info.frames, info.steps_per_frame, info.duration, info.fps);
}

/* ---- overlapping starts ---- */

enum { OVERLAPS_MAX = 10 };

static void name_thing(const kin_world* world, kin_anchor a, char* out, size_t size)
{
    if (a.system != KIN_WORLD_SYSTEM)
        snprintf(out, size, "%s[%" PRIu32 "]", kin_world_system_name(world, a.system), a.element);
    else if (world->colliders[a.element].name[0] != 0)
        snprintf(out, size, "collider \"%s\"", world->colliders[a.element].name);
    else
        snprintf(out, size, "%s %" PRIu32, world->colliders[a.element].wall ? "wall" : "collider", a.element);
}

/* A warning: solvers part them, at a speed that may surprise. */
static kin_result tell_overlaps(kin_world* world, kin_error* error)
{
    kin_overlap list[OVERLAPS_MAX];
    size_t count;
    kin_result result = kin_world_find_overlaps(world, list, OVERLAPS_MAX, &count, error);
    for (size_t i = 0; i < count && i < OVERLAPS_MAX; ++i) {
        char a[100], b[100];
        const kin_vec3 p = list[i].point;
        name_thing(world, list[i].a, a, sizeof a);
        name_thing(world, list[i].b, b, sizeof b);
        kin_complain_text(0, "warning: %s starts %.3g m inside %s, at {%.4g, %.4g, %.4g}", a, list[i].depth, b, p.x, p.y, p.z);
    }
    if (count > OVERLAPS_MAX) kin_complain_text(0, "warning: %zu more overlaps", count - OVERLAPS_MAX);
    return result;
}

/* Fluid feels fluid of its own system alone: its lists, densities and pressures are those of one system. */
static void tell_fluids_apart(const kin_world* world)
{
    const kin_system_slot* first = NULL;
    for (uint32_t i = 0; i < world->system_count; ++i) {
        const kin_system_slot* s = &world->systems[i];
        if (s->ops == NULL || strcmp(s->ops->name, "sph") != 0) continue;
        if (first != NULL) kin_complain_text(0, "warning: %s and %s pass through each other: fluids that meet are phases of one system", first->name, s->name);
        if (first == NULL) first = s;
    }
}

static kin_result check_start(kin_scene* scene, kin_error* error)
{
    kin_world_def def = kin_world_def_default();
    kin_world* world = NULL;
    def.threads = 1;
    kin_result result = kin_scene_build(scene, &def, &world, error);
    if (result == KIN_OK) result = tell_overlaps(world, error);
    if (result == KIN_OK) tell_fluids_apart(world);
    kin_world_destroy(world);
    return result;
}

static int run(const kin_arguments* a)
{
    kin_scene_options scene_options = kin_scene_options_default();
    scene_options.sets = a->sets;
    scene_options.set_count = a->set_count;
    kin_error error = {0};
    kin_scene* scene = NULL;
    kin_result result = kin_scene_check(a->names[0], &scene_options, &error);
    if (result == KIN_OK) result = kin_scene_load(a->names[0], &scene_options, &scene, &error);
    if (result == KIN_OK) result = check_start(scene, &error);
    if (result != KIN_OK) {
        kin_scene_free(scene);
        return kin_complain(KIN_EXIT_WRONG, &error);
    }
    print_scene(scene);
    kin_scene_free(scene);
    return KIN_EXIT_DONE;
}

static const kin_option options[] = {KIN_OPTION_SETS, {0}};

const kin_verb kin_verb_check = {
    .name = "check",
    .usage = "SCENE",
    .least = 1,
    .most = 1,
    .operand = KIN_OPERAND_SCENE,
    .options = options,
    .run = run,
    .summary = "Check a scene without running it.",
    .doc =
        "Finds wrong keys, types, units and ranges, and scripts that remember outside world.state. Exits 2 when it finds something. Bodies and particles that "
        "start inside another body or a collider are warnings, with the depth; so are two fluids that would pass through each other.",
};
