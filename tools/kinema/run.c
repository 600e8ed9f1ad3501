/* run.c - kinema run: a scene to a folder of frames. */
#include "report.h"
#include "simulate.h"
#include "base/clock.h"
#include "verbs.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

enum { MEASURES_MAX = 64 };

/* ---- what stderr hears at the end ---- */

static void print_time(const char* name, double seconds, double total, uint64_t steps)
{
    fprintf(stderr, "  %-12s %10.2f ms %10.4f ms/step %5.1f %%\n", name, 1e3 * seconds, steps > 0 ? 1e3 * seconds / (double)steps : 0,
            total > 0 ? 100 * seconds / total : 0);
}

static void print_profile(const kin_tally* tally)
{
    static const char* const stages[KIN_STAGE_COUNT] = {"commands", "plan", "sense", "predict", "detect", "solve", "commit", "observe"};
    static const char* const chores[KIN_CHORE_COUNT] = {"script", "capture", "write", "checkpoint"};
    double total = 0;
    for (int i = 0; i < KIN_STAGE_COUNT; ++i) total += tally->stage_seconds[i];
    for (int i = 0; i < KIN_CHORE_COUNT; ++i) total += tally->chore_seconds[i];
    fprintf(stderr, "profile of %" PRIu64 " steps:\n", tally->steps);
    for (int i = 0; i < KIN_STAGE_COUNT; ++i) print_time(stages[i], tally->stage_seconds[i], total, tally->steps);
    for (int i = 0; i < KIN_CHORE_COUNT; ++i) print_time(chores[i], tally->chore_seconds[i], total, tally->steps);
    print_time("all", total, total, tally->steps);
}

static void print_troubles(const kin_tally* tally)
{
    if (tally->warnings + tally->capped + tally->refusals == 0) return;
    kin_complain_text(0, "warning: in %" PRIu64 " steps %" PRIu64 " warnings, %" PRIu64 " caps that bit, %" PRIu64 " intervals refined; the last: %s",
                      tally->steps, tally->warnings, tally->capped, tally->refusals, tally->note);
}

/* ---- what stdout hears ---- */

static double peak_memory(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? 1024.0 * (double)usage.ru_maxrss : 0;
}

static kin_node* make_measures(kin_tree* tree, const kin_world* world, uint32_t number)
{
    kin_measure measures[MEASURES_MAX];
    size_t count = kin_world_measure(world, number, measures, MEASURES_MAX);
    kin_node* table = kin_node_table(tree);
    bool ok = table != NULL;
    for (size_t i = 0; ok && i < count && i < MEASURES_MAX; ++i) ok = kin_node_set(tree, table, measures[i].name, kin_report_number(tree, measures[i].value));
    return ok ? table : NULL;
}

static kin_node* make_systems(kin_tree* tree, const kin_world* world)
{
    kin_node* table = kin_node_table(tree);
    bool ok = table != NULL;
    for (uint32_t i = 1; ok && i <= kin_world_system_count(world); ++i)
        ok = kin_node_set(tree, table, kin_world_system_name(world, i), make_measures(tree, world, i));
    return ok ? table : NULL;
}

static int print_json(const kin_simulation* s)
{
    kin_allocator allocator = kin_allocator_default();
    kin_tree tree;
    kin_tree_init(&tree, &allocator);
    kin_node* root = tree.root = kin_node_table(&tree);
    bool made = root != NULL && kin_node_set(&tree, root, "frames", kin_node_number(&tree, (double)s->frame))
                && kin_node_set(&tree, root, "steps", kin_node_number(&tree, (double)kin_world_step_count(s->world)))
                && kin_node_set(&tree, root, "sim_time", kin_node_number(&tree, kin_world_time(s->world)))
                && kin_node_set(&tree, root, "wall_s", kin_node_number(&tree, kin_clock_seconds() - s->begin))
                && kin_node_set(&tree, root, "state_hash", kin_report_hash(&tree, kin_world_state_hash(s->world)))
                && kin_node_set(&tree, root, "peak_memory_bytes", kin_node_number(&tree, peak_memory()))
                && kin_node_set(&tree, root, "systems", make_systems(&tree, s->world));
    int code = kin_report_print(&tree, made);
    kin_tree_term(&tree);
    return code;
}

static int print_summary(const kin_simulation* s)
{
    const char* title = s->info.title != NULL && s->info.title[0] != 0 ? s->info.title : s->dir;
    printf("%s: frames 0 to %" PRIu64 ", %g s simulated in %.2f s\n", title, s->frame, kin_world_time(s->world), kin_clock_seconds() - s->begin);
    printf("folder %s\nstate  %016" PRIx64 "\n", s->dir, kin_world_state_hash(s->world));
    return KIN_EXIT_DONE;
}

static int run(const kin_arguments* a)
{
    kin_simulation_plan plan = {
        .scene_path = a->names[0],
        .dir = a->output,
        .options = kin_scene_options_default(),
        .has_frames = a->frames.given,
        .frames = a->frames.value,
        .threads = (int)a->threads.value,
        .simd = a->simd,
        .checkpoint = a->checkpoint.given ? a->checkpoint.value : KIN_CHECKPOINT_FRAMES,
        .resume = a->resume,
        .quiet = a->quiet,
    };
    plan.options.sets = a->sets;
    plan.options.set_count = a->set_count;
    plan.options.has_seed = a->seed.given;
    plan.options.seed = a->seed.value;
    kin_simulation s;
    int code = kin_simulate(&plan, &s);
    if (s.run != NULL) print_troubles(&s.tally);
    if (s.run != NULL && a->profile) print_profile(&s.tally);
    if (code == KIN_EXIT_DONE) code = a->json ? print_json(&s) : print_summary(&s);
    kin_simulation_end(&s);
    return code;
}

static const char* const simd_names[] = {"none", "sse2", "avx2", NULL};

static const kin_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = KIN_OPTION_TEXT,
     .offset = KIN_ARGUMENT(output),
     .value = "DIR",
     .doc = "Folder of the run; by default out/ and the name of the scene. An earlier run there is replaced, another non-empty folder refused."},
    {.name = "frames",
     .kind = KIN_OPTION_NUMBER,
     .offset = KIN_ARGUMENT(frames),
     .value = "N",
     .high = 100000000,
     .doc = "End at frame N in all, also with --resume; by default the scene's duration. Frame 0 is the start."},
    KIN_OPTION_SETS,
    KIN_OPTION_THREADS,
    KIN_OPTION_SEED,
    {.name = "resume",
     .kind = KIN_OPTION_FLAG,
     .offset = KIN_ARGUMENT(resume),
     .doc = "Continue from the last checkpoint, to the same bits as an unbroken run. Without one it starts afresh; with another scene it is refused."},
    {.name = "simd",
     .kind = KIN_OPTION_TEXT,
     .offset = KIN_ARGUMENT(simd),
     .value = "none|sse2|avx2",
     .doc = "Width of the kernels; by default the widest this machine has. The result is the same for any.",
     .choices = simd_names},
    {.name = "checkpoint",
     .kind = KIN_OPTION_NUMBER,
     .offset = KIN_ARGUMENT(checkpoint),
     .value = "N",
     .low = 1,
     .high = 100000000,
     .doc = "Frames between two checkpoints; by default 30."},
    {.name = "profile", .kind = KIN_OPTION_FLAG, .offset = KIN_ARGUMENT(profile), .doc = "Print milliseconds by stage at the end."},
    KIN_OPTION_JSON,
    KIN_OPTION_QUIET,
    {0},
};

const kin_verb kin_verb_run = {
    .name = "run",
    .usage = "SCENE",
    .least = 1,
    .most = 1,
    .operand = KIN_OPERAND_SCENE,
    .options = options,
    .run = run,
    .summary = "Run a scene and keep its frames, numbers and checkpoints in a folder.",
    .doc = "SCENE is a .lua or .json file. Ctrl-C stops after the step at hand and leaves a checkpoint, from which --resume continues.",
};
