/* golden_test.c - scenes of the gallery, and of the benches of rigid bodies, to a fixed state hash: for 1, 2, 3 and 8 threads, every lane width, straight and
 * restored, in every build (debug, release, gcc, clang). tests/golden/hashes.txt holds "scene steps hash"; `test_golden update` prints it anew after a change
 * that is meant to change results. */
#include "base/simd.h"
#include "kinema/kinema.h"
#include "support/test.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct golden {
    char scene[128];
    int steps;
    uint64_t hash;
} golden;

static size_t read_table(golden* rows, size_t capacity)
{
    FILE* file = fopen(KIN_SOURCE_DIR "/tests/golden/hashes.txt", "r");
    size_t count = 0;
    while (file != NULL && count < capacity && fscanf(file, "%127s %d %" SCNx64, rows[count].scene, &rows[count].steps, &rows[count].hash) == 3) ++count;
    if (file != NULL) fclose(file);
    return count;
}

typedef struct run_setup {
    int threads;
    const char* simd;
    int restore_every;
} run_setup;

static kin_result restore_afresh(const kin_scene* scene, const kin_world_def* def, kin_world** world, kin_error* error)
{
    kin_snapshot snapshot = {0};
    kin_world* fresh = NULL;
    kin_result result = kin_world_snapshot(*world, &snapshot, error);
    if (result == KIN_OK) result = kin_scene_build(scene, def, &fresh, error);
    if (result == KIN_OK) result = kin_world_restore(fresh, &snapshot, error);
    kin_snapshot_free(&snapshot);
    kin_world_destroy(*world);
    *world = fresh;
    return result;
}

static kin_result run(const golden* row, run_setup setup, uint64_t* hash, kin_error* error)
{
    char path[512];
    kin_scene* scene = NULL;
    kin_world* world = NULL;
    kin_scene_options options = kin_scene_options_default();
    kin_world_def def = kin_world_def_default();
    def.threads = setup.threads;
    def.simd = setup.simd;
    snprintf(path, sizeof path, "%s/scenes/%s", KIN_SOURCE_DIR, row->scene);
    kin_result result = kin_scene_load(path, &options, &scene, error);
    if (result == KIN_OK) result = kin_scene_build(scene, &def, &world, error);
    for (int i = 0; i < row->steps && result == KIN_OK; ++i) {
        result = kin_scene_before_step(scene, world, error);
        if (result == KIN_OK) result = kin_world_step(world, NULL, error);
        if (result == KIN_OK && setup.restore_every > 0 && i % setup.restore_every == 0) result = restore_afresh(scene, &def, &world, error);
    }
    if (result == KIN_OK) *hash = kin_world_state_hash(world);
    kin_world_destroy(world);
    kin_scene_free(scene);
    return result;
}

static void check_all(test* t, run_setup setup)
{
    golden rows[64];
    size_t count = read_table(rows, 64);
    CHECK(t, count > 0);
    for (size_t i = 0; i < count; ++i) {
        uint64_t hash = 0;
        kin_error error = {0};
        kin_result result = run(&rows[i], setup, &hash, &error);
        test_check(t, result == KIN_OK, __FILE__, __LINE__, "%s: %s: %s", rows[i].scene, error.where, error.message);
        test_check(t, hash == rows[i].hash, __FILE__, __LINE__, "%s: %d threads, %s, restored every %d: hash %016" PRIx64 ", not %016" PRIx64, rows[i].scene,
                   setup.threads, setup.simd ? setup.simd : "widest", setup.restore_every, hash, rows[i].hash);
    }
}

static void one_thread(test* t) { check_all(t, (run_setup){.threads = 1}); }
static void two_threads(test* t) { check_all(t, (run_setup){.threads = 2}); }
static void three_threads(test* t) { check_all(t, (run_setup){.threads = 3}); }
static void eight_threads(test* t) { check_all(t, (run_setup){.threads = 8}); }
static void restored_every_step(test* t) { check_all(t, (run_setup){.threads = 2, .restore_every = 1}); }
static void every_lane_width(test* t)
{
    for (int simd = 0; simd <= (int)kin_simd_best(); ++simd) check_all(t, (run_setup){.threads = 1, .simd = kin_simd_name((kin_simd)simd)});
}

static int update(void)
{
    golden rows[64];
    size_t count = read_table(rows, 64);
    for (size_t i = 0; i < count; ++i) {
        kin_error error = {0};
        if (run(&rows[i], (run_setup){.threads = 1}, &rows[i].hash, &error) != KIN_OK) {
            fprintf(stderr, "%s: %s: %s\n", rows[i].scene, error.where, error.message);
            return 1;
        }
        printf("%s %d %016" PRIx64 "\n", rows[i].scene, rows[i].steps, rows[i].hash);
    }
    return 0;
}

int main(int argc, char** argv)
{
    static const test_case cases[] = {TEST(one_thread),    TEST(two_threads),      TEST(three_threads),
                                      TEST(eight_threads), TEST(every_lane_width), TEST(restored_every_step)};
    if (argc > 1 && strcmp(argv[1], "update") == 0) return update();
    return test_main("golden", cases, sizeof cases / sizeof *cases, argc, argv);
}
