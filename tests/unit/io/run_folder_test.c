/* run_folder_test.c - the folder of a run: replaced, resumed after kills to the same files, refused when it is not ours or no longer fits. */
#include "io/run_folder.h"
#include "io/json.h"
#include "io/manifest.h"
#include "unit/io/folder.h"
#include "unit/io/toy.h"

enum { STEPS_PER_FRAME = 2 };

typedef struct plan {
    kin_tree tree;
    kin_run_plan run;
    char dir[512];
} plan;

static const char scene_text[] = "{\"fps\": 30, \"systems\": [{\"type\": \"toy\", \"integrator\": \"rk4\"}]}";

static const kin_node* parse(test* t, kin_tree* tree, const char* text)
{
    CHECK(t, kin_json_read(tree, text, strlen(text), "text", &(kin_json_limits){10000, 20, 1000}, NULL) == KIN_OK);
    return tree->root;
}

static plan* plan_begin(test* t, const folder* f, const char* name, const char* scene, const char* sets, uint64_t frames)
{
    plan* p = calloc(1, sizeof *p);
    kin_tree_init(&p->tree, &t->allocator);
    snprintf(p->dir, sizeof p->dir, "%s/%s", f->path, name);
    p->run = (kin_run_plan){.dir = p->dir, .scene_path = "toys.lua", .scene_hash = 7, .seed = 1, .fps = 30, .frames = frames};
    p->run.scene = parse(t, &p->tree, scene);
    p->run.sets = sets != NULL ? parse(t, &p->tree, sets) : NULL;
    return p;
}

static void plan_end(plan* p)
{
    kin_tree_term(&p->tree);
    free(p);
}

static kin_result next_frame(kin_run_folder* run, kin_world* world, uint64_t index, kin_error* error)
{
    kin_result result = KIN_OK;
    while (result == KIN_OK && kin_world_step_count(world) < index * STEPS_PER_FRAME) result = toy_step(world);
    const kin_frame* frame;
    if (result == KIN_OK) result = kin_world_capture(world, index, 1.0 / 30, &frame, error);
    if (result == KIN_OK) result = kin_run_write_frame(run, world, frame, error);
    return result;
}

/* Runs until `kill`, if that comes before the end, and drops everything there; a checkpoint every 3 frames. */
static kin_result run(const kin_allocator* allocator, const kin_run_plan* p, uint64_t kill, kin_run_start* start, uint64_t* state, kin_error* error)
{
    kin_world* world = toy_world_of(allocator, 200);
    if (world == NULL) return KIN_ERROR_MEMORY;
    kin_run_folder* to = NULL;
    kin_result result = kin_run_open(allocator, p, world, &to, start, error);
    uint64_t i = start->next_frame;
    for (; result == KIN_OK && i <= p->frames && i <= kill; ++i) {
        result = next_frame(to, world, i, error);
        if (result == KIN_OK && i > 0 && i % 3 == 0) result = kin_run_checkpoint(to, world, i, error);
    }
    if (result == KIN_OK && !start->finished && kill > p->frames) result = kin_run_finish(to, world, p->frames, true, error);
    *state = kin_world_state_hash(world);
    kin_run_close(to);
    kin_world_destroy(world);
    return result;
}

static kin_run_start run_ok(test* t, plan* p, bool resume, uint64_t kill, uint64_t* state)
{
    kin_error error = {0};
    kin_run_start start;
    uint64_t ignored;
    p->run.resume = resume;
    kin_result result = run(&t->allocator, &p->run, kill, &start, state != NULL ? state : &ignored, &error);
    test_check(t, result == KIN_OK, __FILE__, __LINE__, "run failed: %s: %s", error.where, error.message);
    return start;
}

static kin_error run_fails(test* t, plan* p, bool resume, kin_result wanted)
{
    kin_error error = {0};
    kin_run_start start;
    uint64_t state;
    p->run.resume = resume;
    kin_result result = run(&t->allocator, &p->run, UINT64_MAX, &start, &state, &error);
    test_check(t, result == wanted, __FILE__, __LINE__, "run gave %s, not %s (%s)", kin_result_name(result), kin_result_name(wanted), error.message);
    return error;
}

/* All that a run wrote for others to read; which of the two checkpoints is the newer one may differ. */
static void check_same_run(test* t, const folder* f, const char* a, const char* b, uint64_t frames)
{
    char x[128], y[128];
    const char* const names[] = {"manifest.json", "stats.csv", "recording"};
    for (size_t i = 0; i < 3; ++i) {
        snprintf(x, sizeof x, "%s/%s", a, names[i]);
        snprintf(y, sizeof y, "%s/%s", b, names[i]);
        test_check(t, bytes_equal_files(t, in(f, x), in(f, y)), __FILE__, __LINE__, "%s differs", names[i]);
    }
    for (uint64_t i = 0; i <= frames; ++i) {
        snprintf(x, sizeof x, "%s/frames/%06d.kf", a, (int)i);
        snprintf(y, sizeof y, "%s/frames/%06d.kf", b, (int)i);
        test_check(t, bytes_equal_files(t, in(f, x), in(f, y)), __FILE__, __LINE__, "frame %d differs", (int)i);
    }
    snprintf(x, sizeof x, "%s/frames", a);
    snprintf(y, sizeof y, "%s/frames", b);
    EQUAL(t, file_count(in(f, x)), file_count(in(f, y)));
    EQUAL(t, file_count(in(f, a)), file_count(in(f, b)));
}

static void a_run_fills_its_folder(test* t)
{
    folder f = folder_begin(t);
    plan* p = plan_begin(t, &f, "a/run", scene_text, "[{\"key\": \"n\", \"value\": \"5\"}]", 7);
    uint64_t state;
    kin_run_start start = run_ok(t, p, false, UINT64_MAX, &state);
    CHECK(t, !start.resumed && !start.finished && start.next_frame == 0);
    EQUAL(t, file_count(in(&f, "a/run")), 5);
    EQUAL(t, file_count(in(&f, "a/run/frames")), 9);
    EQUAL(t, file_count(in(&f, "a/run/checkpoint")), 2);
    kin_manifest m;
    CHECK(t, kin_manifest_read(&t->allocator, in(&f, "a/run/manifest.json"), &m, NULL) == KIN_OK);
    TEXT(t, m.version, kin_version());
    TEXT(t, m.scene_path, "toys.lua");
    CHECK(t, kin_node_equal(m.scene, p->run.scene) && kin_node_equal(m.sets, p->run.sets));
    CHECK(t, m.scene_hash == 7 && m.seed == 1 && m.fps == 30 && m.frames == 7 && m.written == 8 && m.done && m.state_hash == state);
    kin_manifest_free(&m);
    kin_recording r;
    CHECK(t, kin_recording_read(&t->allocator, in(&f, "a/run/recording"), &r, NULL) == KIN_OK);
    CHECK(t, r.steps == 14 && r.state_hash == state && r.command_count == 7);
    kin_recording_free(&t->allocator, &r);
    plan_end(p);
    folder_end(&f);
}

static void a_killed_run_resumes_to_the_same_files(test* t)
{
    folder f = folder_begin(t);
    plan *straight = plan_begin(t, &f, "straight", scene_text, NULL, 13), *broken = plan_begin(t, &f, "broken", scene_text, NULL, 13);
    uint64_t state, again;
    run_ok(t, straight, false, UINT64_MAX, &state);
    for (uint64_t kill = 0; kill <= 13; kill += 1) {
        run_ok(t, broken, false, kill, NULL);
        FILE* file = fopen(in(&f, "broken/stats.csv"), "a");
        fputs("99,1.", file);
        fclose(file);
        bytes_write(t, in(&f, "broken/manifest.json.tmp.77"), "half", 4);
        bytes_write(t, in(&f, "broken/checkpoint/a.kc.tmp.77"), "half", 4);
        bytes_write(t, in(&f, "broken/frames/000099.kf"), "left over", 9);
        kin_run_start start = run_ok(t, broken, true, UINT64_MAX, &again);
        CHECK(t, start.resumed == (kill >= 3) && !start.finished);
        EQUAL(t, start.next_frame, kill >= 3 ? kill / 3 * 3 + 1 : 0);
        CHECK(t, again == state);
        check_same_run(t, &f, "straight", "broken", 13);
    }
    plan_end(straight);
    plan_end(broken);
    folder_end(&f);
}

/* A run whose checkpoints are all bad starts afresh; what it had reached is not thrown away. */
static void check_kept_aside(test* t, const folder* f, const char* name)
{
    CHECK(t, file_count(in(f, name)) > 0);
    nftw(in(f, name), folder_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void the_older_checkpoint_is_a_fall_back(test* t)
{
    folder f = folder_begin(t);
    plan *straight = plan_begin(t, &f, "straight", scene_text, NULL, 13), *broken = plan_begin(t, &f, "broken", scene_text, NULL, 13);
    run_ok(t, straight, false, UINT64_MAX, NULL);
    run_ok(t, broken, false, 10, NULL); /* checkpoints at 3 (a), 6 (b), 9 (a) */
    bytes_write(t, in(&f, "broken/checkpoint/a.kc"), "KINCHECK, but cut", 17);
    EQUAL(t, run_ok(t, broken, true, UINT64_MAX, NULL).next_frame, 7);
    check_same_run(t, &f, "straight", "broken", 13);

    run_ok(t, broken, false, 10, NULL);
    CHECK(t, unlink(in(&f, "broken/checkpoint/a.kc")) == 0);
    EQUAL(t, run_ok(t, broken, true, UINT64_MAX, NULL).next_frame, 7);
    check_same_run(t, &f, "straight", "broken", 13);

    run_ok(t, broken, false, 10, NULL); /* a frame that the newest counts on is gone */
    CHECK(t, unlink(in(&f, "broken/frames/000008.kf")) == 0);
    EQUAL(t, run_ok(t, broken, true, UINT64_MAX, NULL).next_frame, 7);
    check_same_run(t, &f, "straight", "broken", 13);

    run_ok(t, broken, false, 10, NULL); /* and one that both count on */
    CHECK(t, unlink(in(&f, "broken/frames/000002.kf")) == 0);
    kin_run_start start = run_ok(t, broken, true, UINT64_MAX, NULL);
    CHECK(t, !start.resumed && start.next_frame == 0);
    check_kept_aside(t, &f, "broken/frames-before-1");
    check_same_run(t, &f, "straight", "broken", 13);

    run_ok(t, broken, false, 10, NULL); /* rows */
    bytes_write(t, in(&f, "broken/stats.csv"), "frame,time\n", 11);
    CHECK(t, !run_ok(t, broken, true, UINT64_MAX, NULL).resumed);
    check_kept_aside(t, &f, "broken/frames-before-1");
    check_same_run(t, &f, "straight", "broken", 13);
    plan_end(straight);
    plan_end(broken);
    folder_end(&f);
}

static void a_bad_recording_costs_nobody_the_run(test* t)
{
    folder f = folder_begin(t);
    plan* p = plan_begin(t, &f, "run", scene_text, NULL, 9);
    run_ok(t, p, false, 7, NULL);
    bytes_write(t, in(&f, "run/recording"), "rot", 3);
    kin_error error = run_fails(t, p, true, KIN_ERROR_FILE);
    HAS(t, error.message, "without --resume");
    EQUAL(t, file_count(in(&f, "run/checkpoint")), 2);
    run_ok(t, p, false, UINT64_MAX, NULL);
    plan_end(p);
    folder_end(&f);
}

static void a_finished_run_is_finished_and_can_be_extended(test* t)
{
    folder f = folder_begin(t);
    plan *longer = plan_begin(t, &f, "longer", scene_text, NULL, 10), *p = plan_begin(t, &f, "run", scene_text, NULL, 5);
    uint64_t state, again;
    run_ok(t, p, false, UINT64_MAX, &state);
    kin_run_start start = run_ok(t, p, true, UINT64_MAX, &again);
    CHECK(t, start.finished && start.resumed && again == state);
    p->run.frames = 2; /* fewer than there are */
    start = run_ok(t, p, true, UINT64_MAX, &again);
    CHECK(t, start.finished && again == state);
    EQUAL(t, file_count(in(&f, "run/frames")), 7);
    kin_manifest m;
    CHECK(t, kin_manifest_read(&t->allocator, in(&f, "run/manifest.json"), &m, NULL) == KIN_OK);
    CHECK(t, m.done && m.frames == 5 && m.written == 6 && m.state_hash == state);
    kin_manifest_free(&m);
    p->run.frames = 10;
    start = run_ok(t, p, true, UINT64_MAX, &again);
    CHECK(t, !start.finished && start.resumed && start.next_frame == 6);
    run_ok(t, longer, false, UINT64_MAX, &state);
    CHECK(t, again == state);
    check_same_run(t, &f, "longer", "run", 10);
    plan_end(longer);
    plan_end(p);
    folder_end(&f);
}

static void a_changed_scene_is_refused_and_named(test* t)
{
    folder f = folder_begin(t);
    const char* sets = "[{\"key\": \"n\", \"value\": 5}]";
    plan* p = plan_begin(t, &f, "run", scene_text, sets, 5);
    run_ok(t, p, false, 4, NULL);

    plan* other = plan_begin(t, &f, "run", "{\"fps\": 30, \"systems\": [{\"type\": \"toy\", \"integrator\": \"euler\"}]}", sets, 5);
    other->run.scene_hash = 8;
    kin_error error = run_fails(t, other, true, KIN_ERROR_MISMATCH);
    HAS(t, error.message, "systems[0].integrator was \"rk4\", is now \"euler\"");
    HAS(t, error.where, "/run");
    plan_end(other);

    other = plan_begin(t, &f, "run", scene_text, "[{\"key\": \"n\", \"value\": 4}, {\"key\": \"n\", \"value\": 6}]", 5);
    error = run_fails(t, other, true, KIN_ERROR_MISMATCH);
    HAS(t, error.message, "--set n was 5, is now 6");
    plan_end(other);

    other = plan_begin(t, &f, "run", scene_text, NULL, 5);
    error = run_fails(t, other, true, KIN_ERROR_MISMATCH);
    HAS(t, error.message, "--set n was 5, is now absent");
    plan_end(other);

    p->run.seed = 2;
    error = run_fails(t, p, true, KIN_ERROR_MISMATCH);
    HAS(t, error.message, "the seed was 1, is now 2");
    p->run.seed = 1;
    p->run.scene_hash = 9;
    error = run_fails(t, p, true, KIN_ERROR_MISMATCH);
    HAS(t, error.message, "script changed");
    p->run.scene_hash = 7;
    CHECK(t, run_ok(t, p, true, UINT64_MAX, NULL).resumed); /* nothing was lost by the refusals */
    plan_end(p);
    folder_end(&f);
}

static void an_earlier_run_is_replaced_and_others_files_stay(test* t)
{
    folder f = folder_begin(t);
    plan *p = plan_begin(t, &f, "run", scene_text, NULL, 9), *fresh = plan_begin(t, &f, "fresh", scene_text, NULL, 4);
    run_ok(t, p, false, UINT64_MAX, NULL);
    bytes_write(t, in(&f, "run/movie.mp4"), "movie", 5);
    p->run.frames = 4;
    run_ok(t, p, false, UINT64_MAX, NULL);
    run_ok(t, fresh, false, UINT64_MAX, NULL);
    CHECK(t, kin_file_exists(in(&f, "run/movie.mp4")));
    CHECK(t, unlink(in(&f, "run/movie.mp4")) == 0);
    check_same_run(t, &f, "fresh", "run", 4);

    bytes_write(t, in(&f, "run/manifest.json"), "{\"kinema\": \"99\"}", 16); /* of another version: replaced, not resumed */
    run_fails(t, p, true, KIN_ERROR_FORMAT);
    run_ok(t, p, false, UINT64_MAX, NULL);
    run_ok(t, p, false, 1, NULL); /* killed before it had one: nothing of the old run is taken for its own */
    CHECK(t, !kin_file_exists(in(&f, "run/recording")));
    EQUAL(t, file_count(in(&f, "run/checkpoint")), 0);
    plan_end(p);
    plan_end(fresh);
    folder_end(&f);
}

static void foreign_and_unwritable_folders_are_refused(test* t)
{
    folder f = folder_begin(t);
    plan* p = plan_begin(t, &f, "photos", scene_text, NULL, 2);
    CHECK(t, mkdir(in(&f, "photos"), 0777) == 0);
    bytes_write(t, in(&f, "photos/cat.jpg"), "cat", 3);
    kin_error error = run_fails(t, p, false, KIN_ERROR_ARGUMENT);
    HAS(t, error.where, "/photos");
    HAS(t, error.message, "not empty");
    run_fails(t, p, true, KIN_ERROR_ARGUMENT);
    bytes_write(t, in(&f, "photos/manifest.json"), "{\"name\": \"an app\"}", 18);
    run_fails(t, p, false, KIN_ERROR_ARGUMENT);
    bytes_write(t, in(&f, "photos/manifest.json"), "{{{", 3);
    run_fails(t, p, false, KIN_ERROR_ARGUMENT);
    EQUAL(t, file_count(in(&f, "photos")), 2);
    CHECK(t, unlink(in(&f, "photos/manifest.json")) == 0 && unlink(in(&f, "photos/cat.jpg")) == 0);
    bytes_write(t, in(&f, "photos/manifest.json.tmp.5"), "{", 1); /* a run killed at its very start */
    run_ok(t, p, true, UINT64_MAX, NULL);

    p->run.dir = "/proc/kinema/run";
    error = run_fails(t, p, false, KIN_ERROR_FILE);
    HAS(t, error.where, "/proc/kinema");
    p->run.dir = in(&f, "photos/manifest.json");
    run_fails(t, p, false, KIN_ERROR_FILE);
    plan_end(p);
    folder_end(&f);
}

static void a_full_disk_stops_the_run_and_room_resumes_it(test* t)
{
    folder f = folder_begin(t);
    tiny_disk disk = tiny_disk_begin(&f, "size=128k");
    if (disk.mounted) {
        plan *p = plan_begin(t, &f, "disk/run", scene_text, NULL, 40), *straight = plan_begin(t, &f, "straight", scene_text, NULL, 40);
        kin_error error = run_fails(t, p, false, KIN_ERROR_FILE);
        HAS(t, error.message, "No space left");
        CHECK(t, mount("tmpfs", disk.path, "tmpfs", MS_REMOUNT, "size=4m") == 0);
        kin_run_start start = run_ok(t, p, true, UINT64_MAX, NULL);
        CHECK(t, start.resumed && start.next_frame > 1);
        run_ok(t, straight, false, UINT64_MAX, NULL);
        check_same_run(t, &f, "straight", "disk/run", 40);
        plan_end(p);
        plan_end(straight);
    }
    tiny_disk_end(t, &disk);
    folder_end(&f);
}

static bool run_with_faults(test* t, void* context)
{
    plan* p = context;
    kin_run_start start;
    uint64_t state;
    p->run.resume = false;
    if (run(&t->allocator, &p->run, 3, &start, &state, NULL) != KIN_OK) return false;
    p->run.resume = true;
    return run(&t->allocator, &p->run, UINT64_MAX, &start, &state, NULL) == KIN_OK && start.resumed;
}

static void failing_allocations_are_borne(test* t)
{
    folder f = folder_begin(t);
    plan* p = plan_begin(t, &f, "run", scene_text, NULL, 4);
    test_fail_each_allocation(t, run_with_faults, p);
    plan_end(p);
    folder_end(&f);
}

/* Memory that runs out during a resume must not start the run afresh. */
static bool resume_with_faults(test* t, void* context)
{
    plan* p = context;
    kin_run_start start;
    uint64_t state;
    kin_result result = run(&t->allocator, &p->run, UINT64_MAX, &start, &state, NULL);
    if (result == KIN_OK) CHECK(t, start.resumed && start.finished);
    return result == KIN_OK;
}

static void failing_allocations_do_not_lose_the_run(test* t)
{
    folder f = folder_begin(t);
    plan* p = plan_begin(t, &f, "run", scene_text, NULL, 4);
    run_ok(t, p, false, UINT64_MAX, NULL);
    p->run.resume = true;
    test_fail_each_allocation(t, resume_with_faults, p);
    EQUAL(t, file_count(in(&f, "run/frames")), 6);
    plan_end(p);
    folder_end(&f);
}

TEST_MAIN("io/run_folder", TEST(a_run_fills_its_folder), TEST(a_killed_run_resumes_to_the_same_files), TEST(the_older_checkpoint_is_a_fall_back),
          TEST(a_bad_recording_costs_nobody_the_run), TEST(a_finished_run_is_finished_and_can_be_extended), TEST(a_changed_scene_is_refused_and_named),
          TEST(an_earlier_run_is_replaced_and_others_files_stay), TEST(foreign_and_unwritable_folders_are_refused),
          TEST(a_full_disk_stops_the_run_and_room_resumes_it), TEST(failing_allocations_are_borne), TEST(failing_allocations_do_not_lose_the_run))
