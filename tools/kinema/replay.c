/* replay.c - kinema replay: does a recording lead to the state it says? The commands are given again; scripts are not run. */
#include "base/clock.h"
#include "base/error.h"
#include "io/file.h"
#include "io/manifest.h"
#include "io/recording.h"
#include "progress.h"
#include "report.h"
#include "scene/scene.h"
#include "stop.h"
#include "verbs.h"
#include "world/record.h"
#include "world/world.h"
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

typedef struct replay {
    char path[KIN_PATH_SIZE];
    kin_recording recording;
    kin_scene* scene;
    kin_world* world;
    double begin;
} replay;

/* A run's folder means its recording. */
static kin_result choose_path(const char* name, char* path, kin_error* error)
{
    struct stat info;
    if (stat(name, &info) == 0 && S_ISDIR(info.st_mode)) return kin_path_make(path, name, "recording", error);
    bool fits = snprintf(path, KIN_PATH_SIZE, "%s", name) < KIN_PATH_SIZE;
    return fits ? KIN_OK : kin_fail(error, KIN_ERROR_ARGUMENT, "replay", "the name is too long");
}

/* Meshes stand beside the scene, and the manifest beside the recording knows where that was. */
static kin_result load_scene(replay* r, kin_error* error)
{
    kin_allocator allocator = kin_allocator_default();
    kin_scene_options scene_options = kin_scene_options_default();
    scene_options.has_seed = true;
    scene_options.seed = r->recording.seed;
    char path[KIN_PATH_SIZE + 16];
    const char* slash = strrchr(r->path, '/');
    snprintf(path, sizeof path, "%.*smanifest.json", slash != NULL ? (int)(slash + 1 - r->path) : 0, r->path);
    kin_manifest manifest = {0};
    kin_error ignored = {0};
    bool found = kin_manifest_read(&allocator, path, &manifest, &ignored) == KIN_OK;
    kin_result result = kin_scene_from_tree(r->recording.scene, found ? manifest.scene_path : r->path, &scene_options, &r->scene, error);
    if (found) kin_manifest_free(&manifest);
    if (result != KIN_OK) return result;
    return kin_manifest_compare_files(r->recording.files, kin_scene_files(r->scene), "cannot replay", r->path, error);
}

static kin_result run_steps(replay* r, bool quiet, kin_error* error)
{
    const kin_recording* recording = &r->recording;
    size_t next = 0;
    kin_result result = KIN_OK;
    kin_stop_listen();
    kin_progress_begin("replay", "step", 0, recording->steps, quiet);
    for (uint64_t i = 0; i < recording->steps && result == KIN_OK; ++i) {
        if (kin_stop_asked()) return kin_fail(error, KIN_ERROR_STOPPED, r->path, "stopped after step %" PRIu64 " of %" PRIu64, i, recording->steps);
        result = kin_world_replay(r->world, recording->commands, recording->command_count, &next, error);
        if (result == KIN_OK) result = kin_world_step(r->world, NULL, error);
        if (result == KIN_OK) kin_progress_at(i + 1, kin_world_time(r->world));
    }
    return result;
}

static int print_text(const replay* r, uint64_t hash)
{
    printf("recorded %016" PRIx64 "\nreplayed %016" PRIx64 "\n%s after %" PRIu64 " steps and %zu commands\n", r->recording.state_hash, hash,
           hash == r->recording.state_hash ? "equal" : "DIFFERENT", r->recording.steps, r->recording.command_count);
    return KIN_EXIT_DONE;
}

static int print_json(const replay* r, uint64_t hash)
{
    kin_allocator allocator = kin_allocator_default();
    kin_tree tree;
    kin_tree_init(&tree, &allocator);
    kin_node* root = tree.root = kin_node_table(&tree);
    bool made = root != NULL && kin_node_set(&tree, root, "steps", kin_node_number(&tree, (double)r->recording.steps))
                && kin_node_set(&tree, root, "commands", kin_node_number(&tree, (double)r->recording.command_count))
                && kin_node_set(&tree, root, "sim_time", kin_node_number(&tree, kin_world_time(r->world)))
                && kin_node_set(&tree, root, "wall_s", kin_node_number(&tree, kin_clock_seconds() - r->begin))
                && kin_node_set(&tree, root, "recorded_hash", kin_report_hash(&tree, r->recording.state_hash))
                && kin_node_set(&tree, root, "state_hash", kin_report_hash(&tree, hash))
                && kin_node_set(&tree, root, "equal", kin_node_bool(&tree, hash == r->recording.state_hash));
    int code = kin_report_print(&tree, made);
    kin_tree_term(&tree);
    return code;
}

/* The script did not run: what it remembered is part of the state, and comes from the recording. */
static int compare(const replay* r, bool json)
{
    kin_error error = {0};
    if (kin_world_set_script_state(r->world, r->recording.script_state, strlen(r->recording.script_state), &error) != KIN_OK)
        return kin_complain(KIN_EXIT_FAILED, &error);
    uint64_t hash = kin_world_state_hash(r->world);
    int code = json ? print_json(r, hash) : print_text(r, hash);
    if (code != KIN_EXIT_DONE || hash == r->recording.state_hash) return code;
    return kin_complain_text(KIN_EXIT_FAILED, "%s: the replay ends in another state than the recording", r->path);
}

static int run_replay(replay* r, const kin_arguments* a)
{
    kin_error error = {0};
    kin_world_def def = kin_world_def_default();
    def.threads = (int)a->threads.value;
    def.log = kin_report_log();
    kin_result result = load_scene(r, &error);
    if (result == KIN_OK) result = kin_scene_build(r->scene, &def, &r->world, &error);
    if (result == KIN_OK) result = run_steps(r, a->quiet, &error);
    kin_progress_end();
    return result == KIN_OK ? compare(r, a->json) : kin_complain(KIN_EXIT_FAILED, &error);
}

static int run(const kin_arguments* a)
{
    replay r = {.begin = kin_clock_seconds()};
    kin_allocator allocator = kin_allocator_default();
    kin_error error = {0};
    kin_result result = choose_path(a->names[0], r.path, &error);
    if (result == KIN_OK && !kin_file_exists(r.path)) return kin_complain_text(KIN_EXIT_WRONG, "%s: there is no such recording", r.path);
    if (result == KIN_OK) result = kin_recording_read(&allocator, r.path, &r.recording, &error);
    if (result != KIN_OK) return kin_complain(KIN_EXIT_FAILED, &error);
    int code = run_replay(&r, a);
    kin_world_destroy(r.world);
    kin_scene_free(r.scene);
    kin_recording_free(&allocator, &r.recording);
    return code;
}

static const kin_option options[] = {KIN_OPTION_THREADS, KIN_OPTION_JSON, KIN_OPTION_QUIET, {0}};

const kin_verb kin_verb_replay = {
    .name = "replay",
    .usage = "RECORDING",
    .least = 1,
    .most = 1,
    .operand = KIN_OPERAND_FILE,
    .options = options,
    .run = run,
    .summary = "Run a recording again and compare the state at its end.",
    .doc = "RECORDING is the file of that name in a run's folder, or the folder. Exits 1 on a difference.",
};
