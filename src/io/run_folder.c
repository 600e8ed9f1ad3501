/* run_folder.c - opening, filling and resuming the folder of a run.
 *
 * Two checkpoints, a.kc and b.kc, are written in turn, so that one good one is always there. What a checkpoint counts on is on the disk before it: its frames,
 * the rows of stats.csv, the recording. On resume frames and rows past it are cut off, and the run goes on to the same files as one that was never broken. */
#include "io/run_folder.h"
#include "base/alloc.h"
#include "base/error.h"
#include "io/file.h"
#include "io/json.h"
#include "io/manifest.h"
#include "io/stats_log.h"
#include "world/record.h"
#include "world/world.h"
#include <inttypes.h>
#include <string.h>

enum { GENERATIONS = 2 };
static const char* const generation_names[GENERATIONS] = {"a.kc", "b.kc"};

struct kin_run_folder {
    kin_allocator allocator;
    char dir[KIN_PATH_SIZE];
    char frames_dir[KIN_PATH_SIZE];
    char checkpoint_dir[KIN_PATH_SIZE];
    char manifest_path[KIN_PATH_SIZE];
    char stats_path[KIN_PATH_SIZE];
    char recording_path[KIN_PATH_SIZE];
    char lock_path[KIN_PATH_SIZE];
    int lock; /* -1: none */
    kin_manifest manifest;
    kin_cache* cache;
    kin_stats_log stats;
    bool has_checkpoint, had_checkpoint; /* had: there was one, whether it could be used or not */
    int generation;                      /* of the newest good checkpoint */
    kin_checkpoint_info checkpoint;
};

/* ---- making the handle ---- */

static kin_result make_paths(kin_run_folder* run, const char* dir, kin_error* error)
{
    struct {
        char* path;
        const char* name;
    } paths[] = {
        {run->frames_dir, "frames"},    {run->checkpoint_dir, "checkpoint"}, {run->manifest_path, "manifest.json"},
        {run->stats_path, "stats.csv"}, {run->recording_path, "recording"},  {run->lock_path, "lock"},
    };
    kin_result result = KIN_OK;
    for (size_t i = 0; i < sizeof paths / sizeof *paths && result == KIN_OK; ++i) result = kin_path_make(paths[i].path, dir, paths[i].name, error);
    if (result == KIN_OK) strcpy(run->dir, dir); /* shorter than those */
    return result;
}

static kin_result copy_plan(kin_manifest* m, const kin_run_plan* plan, kin_error* error)
{
    kin_node* scene_path = kin_node_string(&m->tree, plan->scene_path, strlen(plan->scene_path));
    m->version = kin_version();
    m->scene_path = scene_path != NULL ? scene_path->string : NULL;
    m->scene = kin_node_copy(&m->tree, plan->scene);
    m->sets = plan->sets != NULL ? kin_node_copy(&m->tree, plan->sets) : kin_node_list(&m->tree);
    m->files = plan->files != NULL ? kin_node_copy(&m->tree, plan->files) : kin_node_table(&m->tree);
    m->scene_hash = plan->scene_hash;
    m->seed = plan->seed;
    m->fps = plan->fps;
    m->frames = plan->frames;
    bool ok = m->scene_path != NULL && m->scene != NULL && m->sets != NULL && m->files != NULL;
    return ok ? KIN_OK : kin_fail_memory(error, "the manifest", m->tree.arena.used);
}

static kin_result make(const kin_allocator* allocator, const kin_run_plan* plan, kin_run_folder** out, kin_error* error)
{
    kin_run_folder* run = kin_alloc_zero(allocator, sizeof *run);
    if (run == NULL) return kin_fail_memory(error, "a run", sizeof *run);
    run->allocator = *allocator;
    run->lock = -1;
    kin_tree_init(&run->manifest.tree, allocator);
    kin_result result = make_paths(run, plan->dir, error);
    if (result == KIN_OK) result = copy_plan(&run->manifest, plan, error);
    if (result != KIN_OK) {
        kin_run_close(run);
        return result;
    }
    *out = run;
    return KIN_OK;
}

static void close_files(kin_run_folder* run)
{
    kin_cache_close(run->cache);
    run->cache = NULL;
    kin_stats_log_end(&run->stats);
}

void kin_run_close(kin_run_folder* run)
{
    if (run == NULL) return;
    kin_allocator allocator = run->allocator;
    close_files(run);
    kin_file_unlock(run->lock_path, run->lock);
    kin_manifest_free(&run->manifest);
    kin_free(&allocator, run, sizeof *run);
}

/* ---- whose folder is it ---- */

typedef enum owner { OWNER_NOBODY, OWNER_KINEMA, OWNER_FOREIGN } owner;

static bool count_name(void* context, const char* name)
{
    size_t* count = context;
    if (!kin_file_is_beside(name) && strcmp(name, "lock") != 0) *count += 1;
    return true;
}

static kin_result who_owns(const kin_run_folder* run, owner* out, kin_error* error)
{
    *out = OWNER_NOBODY;
    size_t names = 0;
    kin_result result = kin_folder_each(run->dir, count_name, &names, error);
    if (result != KIN_OK || names == 0) return result;
    *out = OWNER_FOREIGN;
    if (!kin_file_exists(run->manifest_path)) return KIN_OK;
    bool ours;
    result = kin_manifest_recognise(&run->allocator, run->manifest_path, &ours, error);
    if (result == KIN_OK && ours) *out = OWNER_KINEMA;
    return result;
}

/* ---- a fresh run ---- */

static bool is_checkpoint(void* context, const char* name)
{
    (void)context;
    return strcmp(name, generation_names[0]) == 0 || strcmp(name, generation_names[1]) == 0;
}

static bool is_row_or_record(void* context, const char* name)
{
    (void)context;
    return strcmp(name, "stats.csv") == 0 || strcmp(name, "recording") == 0;
}

/* Only what a run wrote: a movie that somebody keeps here stays. Checkpoints go first, so that none outlives its frames. */
static kin_result replace_files(kin_run_folder* run, const kin_world* world, kin_error* error)
{
    kin_result result = kin_folder_make(run->checkpoint_dir, error);
    if (result == KIN_OK) result = kin_folder_remove(run->checkpoint_dir, is_checkpoint, NULL, error);
    if (result == KIN_OK) result = kin_folder_remove(run->dir, is_row_or_record, NULL, error);
    if (result == KIN_OK) result = kin_cache_create(&run->allocator, run->frames_dir, 0, &run->cache, error);
    if (result == KIN_OK) result = kin_stats_log_begin(&run->stats, &run->allocator, run->stats_path, world, 0, error);
    return result;
}

/* In a new folder the manifest comes first, so that a run killed at once leaves a folder that is known for a run's; in an old one it comes when
 * nothing of the old run is left. */
static kin_result begin_fresh(kin_run_folder* run, kin_world* world, bool replaces, kin_error* error)
{
    kin_result result = kin_folder_make(run->dir, error);
    if (result == KIN_OK && !replaces) result = kin_manifest_write(&run->manifest, &run->allocator, run->manifest_path, error);
    if (result == KIN_OK) result = replace_files(run, world, error);
    if (result == KIN_OK && replaces) result = kin_manifest_write(&run->manifest, &run->allocator, run->manifest_path, error);
    if (result == KIN_OK) result = kin_world_set_recorded(world, NULL, 0, error);
    return result;
}

/* ---- a resumed run ---- */

/* Failures that only say "not this checkpoint"; any other one must not cost a person the run. */
static bool may_pass_over(kin_result result) { return result == KIN_ERROR_FORMAT || result == KIN_ERROR_MISMATCH; }

static void log_passed_over(const kin_world* world, const kin_error* why)
{
    char text[1024];
    kin_error_text(why, text, sizeof text);
    kin_log_text(&world->def.log, KIN_LOG_WARNING, "cannot resume from here: %s", text);
}

static kin_result checkpoint_path(const kin_run_folder* run, int generation, char* path, kin_error* error)
{
    return kin_path_make(path, run->checkpoint_dir, generation_names[generation], error);
}

/* Generations that read, the newest first. */
static kin_result list_checkpoints(kin_run_folder* run, const kin_world* world, int order[GENERATIONS], int* count, kin_error* error)
{
    kin_checkpoint_info infos[GENERATIONS];
    *count = 0;
    for (int i = 0; i < GENERATIONS; ++i) {
        char path[KIN_PATH_SIZE];
        kin_error why = {0};
        kin_result result = checkpoint_path(run, i, path, &why);
        if (result == KIN_OK && !kin_file_exists(path)) continue;
        run->had_checkpoint = true;
        if (result == KIN_OK) result = kin_checkpoint_peek(&run->allocator, path, &infos[i], &why);
        if (result == KIN_OK) {
            order[(*count)++] = i;
        } else if (may_pass_over(result)) {
            log_passed_over(world, &why);
        } else {
            return kin_fail(error, result, why.where, "%s", why.message);
        }
    }
    if (*count == 2 && infos[1].step > infos[0].step) {
        order[0] = 1;
        order[1] = 0;
    }
    return KIN_OK;
}

/* The log of commands as it was at the checkpoint: later ones will be given again. No other checkpoint would mend a bad recording, so it is not passed over. */
static kin_result resume_recording(const kin_run_folder* run, kin_world* world, kin_error* error)
{
    kin_recording recording;
    kin_error why = {0};
    kin_result result = kin_recording_read(&run->allocator, run->recording_path, &recording, &why);
    if (may_pass_over(result)) return kin_fail(error, KIN_ERROR_FILE, why.where, "cannot resume: %s; run again without --resume", why.message);
    if (result != KIN_OK) return kin_fail(error, result, why.where, "cannot resume: %s", why.message);
    size_t count = 0;
    while (count < recording.command_count && recording.commands[count].step < run->checkpoint.step) ++count;
    if (recording.steps < run->checkpoint.step) {
        result = kin_fail(error, KIN_ERROR_FILE, run->recording_path, "cannot resume: the recording ends before the checkpoint; run again without --resume");
    } else {
        result = kin_world_set_recorded(world, recording.commands, count, error);
    }
    kin_recording_free(&run->allocator, &recording);
    return result;
}

static kin_result resume_from(kin_run_folder* run, kin_world* world, int generation, kin_error* error)
{
    char path[KIN_PATH_SIZE];
    kin_result result = checkpoint_path(run, generation, path, error);
    if (result == KIN_OK) result = kin_checkpoint_read(world, path, run->manifest.scene_hash, &run->checkpoint, error);
    if (result == KIN_OK) result = resume_recording(run, world, error);
    uint64_t frames = run->checkpoint.frame + 1;
    if (result == KIN_OK) result = kin_cache_create(&run->allocator, run->frames_dir, frames, &run->cache, error);
    if (result == KIN_OK) result = kin_stats_log_begin(&run->stats, &run->allocator, run->stats_path, world, frames, error);
    if (result != KIN_OK) {
        close_files(run);
        return result;
    }
    run->has_checkpoint = true;
    run->generation = generation;
    run->manifest.written = frames;
    run->manifest.state_hash = run->checkpoint.state_hash;
    return kin_folder_remove(run->checkpoint_dir, NULL, NULL, error);
}

static kin_result try_checkpoints(kin_run_folder* run, kin_world* world, kin_error* error)
{
    int order[GENERATIONS], count;
    kin_result result = list_checkpoints(run, world, order, &count, error);
    for (int i = 0; i < count && result == KIN_OK && !run->has_checkpoint; ++i) {
        kin_error why = {0};
        result = resume_from(run, world, order[i], &why);
        if (may_pass_over(result)) {
            log_passed_over(world, &why);
            result = KIN_OK;
        } else if (result != KIN_OK) {
            kin_fail(error, result, why.where, "%s", why.message);
        }
    }
    return result;
}

static kin_result check_same_run(const kin_run_folder* run, uint64_t* frames, kin_error* error)
{
    kin_manifest was;
    kin_result result = kin_manifest_read(&run->allocator, run->manifest_path, &was, error);
    if (result != KIN_OK) return result;
    *frames = was.frames;
    result = kin_manifest_compare(&was, &run->manifest, &run->allocator, run->dir, error);
    kin_manifest_free(&was);
    return result;
}

/* A checkpoint whose frames are gone has changed the world before that was known. */
static kin_result try_checkpoints_or_go_back(kin_run_folder* run, kin_world* world, kin_error* error)
{
    kin_snapshot before = {0};
    kin_result result = kin_world_snapshot(world, &before, error);
    if (result == KIN_OK) result = try_checkpoints(run, world, error);
    if (result == KIN_OK && !run->has_checkpoint) result = kin_world_restore(world, &before, error);
    kin_snapshot_free(&before);
    return result;
}

/* Frames that a fresh start would replace, and whose checkpoints are all bad, may be all that is left of a long run. */
static kin_result put_frames_aside(const kin_run_folder* run, const kin_world* world, kin_error* error)
{
    for (int i = 1; i < 1000; ++i) {
        char name[32], path[KIN_PATH_SIZE];
        snprintf(name, sizeof name, "frames-before-%d", i);
        kin_result result = kin_path_make(path, run->dir, name, error);
        if (result != KIN_OK) return result;
        if (kin_file_exists(path)) continue;
        result = kin_folder_rename(run->frames_dir, path, error);
        if (result == KIN_OK)
            kin_log_text(&world->def.log, KIN_LOG_WARNING, "no checkpoint can be used: the run starts afresh, and its frames are kept in %s", path);
        return result;
    }
    return kin_fail(error, KIN_ERROR_FILE, run->dir, "too many folders called frames-before: remove some");
}

/* A run that has got as far as is wanted now keeps what it was to be. */
static kin_result begin_resumed(kin_run_folder* run, kin_world* world, kin_run_start* start, kin_error* error)
{
    kin_manifest* m = &run->manifest;
    uint64_t frames_before;
    kin_result result = check_same_run(run, &frames_before, error);
    if (result == KIN_OK) result = kin_folder_remove(run->dir, NULL, NULL, error);
    if (result == KIN_OK) result = try_checkpoints_or_go_back(run, world, error);
    if (result != KIN_OK) return result;
    if (!run->has_checkpoint && run->had_checkpoint) result = put_frames_aside(run, world, error);
    if (result != KIN_OK) return result;
    if (!run->has_checkpoint) return begin_fresh(run, world, true, error);
    uint64_t frame = run->checkpoint.frame;
    *start = (kin_run_start){.resumed = true, .finished = frame >= m->frames, .next_frame = frame + 1};
    if (start->finished && frames_before > m->frames) m->frames = frames_before;
    m->done = frame >= m->frames;
    return kin_manifest_write(m, &run->allocator, run->manifest_path, error);
}

static kin_result check_owner(const kin_run_folder* run, owner* owned, kin_error* error)
{
    kin_result result = who_owns(run, owned, error);
    if (result != KIN_OK || *owned != OWNER_FOREIGN) return result;
    return kin_fail(error, KIN_ERROR_ARGUMENT, run->dir, "the folder is not empty and holds no run of kinema: choose another one");
}

static kin_result lock_folder(kin_run_folder* run, kin_error* error)
{
    kin_error why = {0};
    kin_result result = kin_folder_make(run->dir, error);
    if (result != KIN_OK) return result;
    result = kin_file_lock(run->lock_path, &run->lock, &why);
    return result == KIN_OK
               ? KIN_OK
               : kin_fail(error, result, run->dir, "another run is in this folder: %s; wait for it, stop it or choose another folder", why.message);
}

kin_result kin_run_open(const kin_allocator* allocator, const kin_run_plan* plan, kin_world* world, kin_run_folder** out, kin_run_start* start,
                        kin_error* error)
{
    *out = NULL;
    *start = (kin_run_start){0};
    kin_run_folder* run = NULL;
    kin_result result = make(allocator, plan, &run, error);
    if (result != KIN_OK) return result;
    owner owned = OWNER_NOBODY;
    result = check_owner(run, &owned, error);
    if (result == KIN_OK) result = lock_folder(run, error);
    if (result == KIN_OK) result = check_owner(run, &owned, error); /* another run may have been here until now */
    if (result == KIN_OK)
        result = owned == OWNER_KINEMA && plan->resume ? begin_resumed(run, world, start, error) : begin_fresh(run, world, owned == OWNER_KINEMA, error);
    if (result != KIN_OK) {
        kin_run_close(run);
        return result;
    }
    *out = run;
    return KIN_OK;
}

/* ---- filling it ---- */

kin_result kin_run_write_frame(kin_run_folder* run, const kin_world* world, const kin_frame* frame, kin_error* error)
{
    kin_result result = kin_cache_write(run->cache, frame, error);
    if (result == KIN_OK) result = kin_stats_log_row(&run->stats, world, frame->index, frame->time, error);
    return result;
}

/* Over the older generation. A stop right after a checkpoint needs no second one. */
static kin_result write_checkpoint(kin_run_folder* run, const kin_world* world, uint64_t frame, kin_error* error)
{
    if (run->has_checkpoint && run->checkpoint.frame == frame && run->checkpoint.step == kin_world_step_count(world)) return KIN_OK;
    int generation = run->has_checkpoint ? 1 - run->generation : 0;
    kin_checkpoint_info info = {.scene_hash = run->manifest.scene_hash, .frame = frame, .step = kin_world_step_count(world)};
    char path[KIN_PATH_SIZE];
    kin_result result = checkpoint_path(run, generation, path, error);
    if (result == KIN_OK) result = kin_checkpoint_write(world, path, &info, error);
    if (result != KIN_OK) return result;
    run->has_checkpoint = true;
    run->generation = generation;
    run->checkpoint = info;
    return KIN_OK;
}

static kin_result save(kin_run_folder* run, const kin_world* world, uint64_t frame, bool done, kin_error* error)
{
    kin_manifest* m = &run->manifest;
    kin_result result = kin_stats_log_sync(&run->stats, error);
    if (result == KIN_OK) result = kin_recording_write(&run->allocator, run->recording_path, world, m->scene, m->files, m->seed, m->fps, error);
    if (result == KIN_OK) result = write_checkpoint(run, world, frame, error);
    if (result != KIN_OK) return result;
    m->written = kin_cache_frame_count(run->cache);
    m->done = done;
    m->state_hash = kin_world_state_hash(world);
    return kin_manifest_write(m, &run->allocator, run->manifest_path, error);
}

kin_result kin_run_checkpoint(kin_run_folder* run, const kin_world* world, uint64_t frame, kin_error* error) { return save(run, world, frame, false, error); }

kin_result kin_run_finish(kin_run_folder* run, const kin_world* world, uint64_t frame, bool done, kin_error* error)
{
    return save(run, world, frame, done, error);
}
