/* simulate.c - the loop over frames. A frame is due when its steps are done, counted from the start of time, so a run that was stopped in the middle of a
 * frame goes on as if it never had been. */
#include "simulate.h"
#include "base/clock.h"
#include "base/error.h"
#include "progress.h"
#include "report.h"
#include "scene/scene.h"
#include "stop.h"
#include "world/record.h"
#include <stdio.h>
#include <string.h>

/* ---- opening ---- */

/* out/dominoes for scenes/rigid/dominoes.lua */
static kin_result choose_folder(const kin_simulation_plan* plan, char* dir, kin_error* error)
{
    const char* slash = strrchr(plan->scene_path, '/');
    const char* name = slash != NULL ? slash + 1 : plan->scene_path;
    const char* dot = strrchr(name, '.');
    int length = dot != NULL && dot > name ? (int)(dot - name) : (int)strlen(name);
    int wrote = plan->dir != NULL ? snprintf(dir, KIN_PATH_SIZE, "%s", plan->dir) : snprintf(dir, KIN_PATH_SIZE, "out/%.*s", length, name);
    return wrote < KIN_PATH_SIZE ? KIN_OK : kin_fail(error, KIN_ERROR_ARGUMENT, "-o", "the name is too long");
}

static int build(const kin_simulation_plan* plan, kin_simulation* s)
{
    kin_error error = {0};
    kin_result result = choose_folder(plan, s->dir, &error);
    if (result == KIN_OK) result = kin_scene_load(plan->scene_path, &plan->options, &s->scene, &error);
    if (result != KIN_OK) return kin_complain(KIN_EXIT_WRONG, &error);
    s->info = kin_scene_describe(s->scene);
    s->frames = plan->has_frames ? plan->frames : s->info.frames;
    kin_world_def def = kin_world_def_default();
    def.threads = plan->threads;
    def.simd = plan->simd;
    def.log = kin_report_log();
    result = kin_scene_build(s->scene, &def, &s->world, &error);
    return result == KIN_OK ? KIN_EXIT_DONE : kin_complain(KIN_EXIT_WRONG, &error);
}

/* NULL: no memory. */
static kin_node* list_sets(kin_tree* tree, const kin_scene_options* options)
{
    kin_node* list = kin_node_list(tree);
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < options->set_count; ++i) {
        kin_node* set = kin_node_table(tree);
        ok = set != NULL && kin_node_set(tree, set, "key", kin_report_text(tree, options->sets[i].key))
             && kin_node_set(tree, set, "value", kin_report_text(tree, options->sets[i].value)) && kin_node_append(tree, list, set);
    }
    return ok ? list : NULL;
}

static kin_result open_folder(const kin_simulation_plan* plan, kin_simulation* s, kin_run_start* start, kin_error* error)
{
    kin_allocator allocator = kin_allocator_default();
    kin_tree tree;
    kin_tree_init(&tree, &allocator);
    const kin_node* sets = list_sets(&tree, &plan->options);
    kin_run_plan folder = {
        .dir = s->dir,
        .scene_path = plan->scene_path,
        .scene = kin_scene_tree(s->scene),
        .sets = sets,
        .files = kin_scene_files(s->scene),
        .scene_hash = kin_scene_hash(s->scene),
        .seed = kin_scene_seed(s->scene),
        .fps = s->info.fps,
        .frames = s->frames,
        .resume = plan->resume,
    };
    kin_result result = sets != NULL ? kin_run_open(&allocator, &folder, s->world, &s->run, start, error) : kin_fail_memory(error, "the run", 0);
    kin_tree_term(&tree);
    return result;
}

/* ---- one frame ---- */

static double spend(kin_simulation* s, kin_chore chore, double since)
{
    double now = kin_clock_seconds();
    s->tally.chore_seconds[chore] += now - since;
    return now;
}

static void count_report(kin_tally* tally, const kin_step_report* report)
{
    tally->steps += 1;
    tally->warnings += (uint64_t)report->warnings;
    tally->capped += (uint64_t)report->capped;
    tally->refusals += (uint64_t)report->refusals;
    if (report->note[0] != 0) memcpy(tally->note, report->note, sizeof tally->note);
    for (int i = 0; i < KIN_STAGE_COUNT; ++i) tally->stage_seconds[i] += report->seconds[i];
}

/* The state before the step that failed is whole: with its recording it shows what went wrong. A script, though, has had its say on that step
 * already, and would have it again; then the last checkpoint must do. */
static void keep_last_good(kin_simulation* s, kin_result result)
{
    kin_error error = {0};
    if (result != KIN_ERROR_NUMERICS || s->info.has_hook) return;
    if (kin_run_finish(s->run, s->world, s->frame, false, &error) != KIN_OK) kin_complain(0, &error);
}

/* `kinema check` runs this many steps: a script that fails in them is a wrong scene, later it is a failed run. */
enum { CHECKED_STEPS = 3 };

static int step(kin_simulation* s)
{
    kin_error error = {0};
    double begin = kin_clock_seconds();
    kin_result result = kin_scene_before_step(s->scene, s->world, &error);
    spend(s, KIN_CHORE_SCRIPT, begin);
    if (result != KIN_OK) return kin_complain(kin_world_step_count(s->world) < CHECKED_STEPS ? KIN_EXIT_WRONG : KIN_EXIT_FAILED, &error);
    kin_step_report report = {0};
    result = kin_world_step(s->world, &report, &error);
    count_report(&s->tally, &report);
    if (result == KIN_OK) return KIN_EXIT_DONE;
    kin_complain(0, &error);
    keep_last_good(s, result);
    return kin_complain_text(KIN_EXIT_FAILED, "stopped: the frames up to %llu are good", (unsigned long long)s->frame);
}

static int write_frame(kin_simulation* s, uint64_t frame)
{
    kin_error error = {0};
    const kin_frame* seen;
    double begin = kin_clock_seconds();
    kin_result result = kin_world_capture(s->world, frame, 1 / s->info.fps, &seen, &error);
    begin = spend(s, KIN_CHORE_CAPTURE, begin);
    if (result == KIN_OK) result = kin_run_write_frame(s->run, s->world, seen, &error);
    spend(s, KIN_CHORE_WRITE, begin);
    if (result != KIN_OK) return kin_complain(KIN_EXIT_FAILED, &error);
    s->frame = frame;
    kin_progress_at(frame, kin_world_time(s->world));
    return KIN_EXIT_DONE;
}

static int checkpoint(kin_simulation* s)
{
    kin_error error = {0};
    double begin = kin_clock_seconds();
    kin_result result = kin_run_checkpoint(s->run, s->world, s->frame, &error);
    spend(s, KIN_CHORE_CHECKPOINT, begin);
    return result == KIN_OK ? KIN_EXIT_DONE : kin_complain(KIN_EXIT_FAILED, &error);
}

/* ---- all frames ---- */

static int stop_here(kin_simulation* s)
{
    int code = checkpoint(s);
    if (code != KIN_EXIT_DONE) return code;
    return kin_complain_text(KIN_EXIT_FAILED, "stopped after frame %llu of %llu; the same command with --resume continues", (unsigned long long)s->frame,
                             (unsigned long long)s->frames);
}

static int advance_to(kin_simulation* s, uint64_t frame)
{
    uint64_t due = frame * (uint64_t)s->info.steps_per_frame;
    int code = KIN_EXIT_DONE;
    while (code == KIN_EXIT_DONE && kin_world_step_count(s->world) < due) code = kin_stop_asked() ? stop_here(s) : step(s);
    return code;
}

static int run_frames(const kin_simulation_plan* plan, kin_simulation* s, uint64_t next)
{
    int code = KIN_EXIT_DONE;
    for (uint64_t frame = next; frame <= s->frames && code == KIN_EXIT_DONE; ++frame) {
        code = advance_to(s, frame);
        if (code == KIN_EXIT_DONE) code = write_frame(s, frame);
        if (code == KIN_EXIT_DONE && frame > 0 && frame % plan->checkpoint == 0 && frame < s->frames) code = checkpoint(s);
    }
    return code;
}

static int finish(kin_simulation* s)
{
    kin_error error = {0};
    double begin = kin_clock_seconds();
    kin_result result = kin_run_finish(s->run, s->world, s->frame, true, &error);
    spend(s, KIN_CHORE_CHECKPOINT, begin);
    return result == KIN_OK ? KIN_EXIT_DONE : kin_complain(KIN_EXIT_FAILED, &error);
}

int kin_simulate(const kin_simulation_plan* plan, kin_simulation* out)
{
    *out = (kin_simulation){.begin = kin_clock_seconds()};
    int code = build(plan, out);
    if (code != KIN_EXIT_DONE) return code;
    kin_stop_listen();
    kin_error error = {0};
    kin_run_start start = {0};
    kin_result result = open_folder(plan, out, &start, &error);
    if (result != KIN_OK) return kin_complain(result == KIN_ERROR_ARGUMENT || result == KIN_ERROR_MISMATCH ? KIN_EXIT_WRONG : KIN_EXIT_FAILED, &error);
    if (start.resumed) out->frame = start.next_frame - 1;
    if (start.finished) return KIN_EXIT_DONE;
    kin_progress_begin("run", "frame", out->frame, out->frames, plan->quiet);
    code = run_frames(plan, out, start.next_frame);
    if (code == KIN_EXIT_DONE) code = finish(out);
    kin_progress_end();
    return code;
}

void kin_simulation_end(kin_simulation* simulation)
{
    kin_run_close(simulation->run);
    kin_world_destroy(simulation->world);
    kin_scene_free(simulation->scene);
}
