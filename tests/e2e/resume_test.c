/* resume_test.c - runs that were stopped, killed, cut short by a full disk, and go on to the same bits. */
#include "scenes.h"
#include "base/alloc.h"
#include "io/file.h"
#include "io/sealed.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

/* Slow enough to be caught in the middle. */
#define SLOW "--set", "n=4000", "--frames", "40", "--checkpoint", "4", "--quiet", "--json"

static hash_text run_straight(test* t, const char* dir)
{
    KINEMA(t, r, 0, dir, "run", "busy.lua", "-o", "straight", SLOW);
    hash_text hash = hash_in(r.out);
    CHECK(t, is_hash(hash.text));
    command_free(&r);
    return hash;
}

static void same_run(test* t, const char* dir, const char* other)
{
    char a[512], b[512];
    snprintf(a, sizeof a, "%s/straight", dir);
    snprintf(b, sizeof b, "%s/%s", dir, other);
    folder_same(t, path_in(a, "frames"), path_in(b, "frames"));
    char* rows_a = file_get(path_in(a, "stats.csv"), NULL);
    char* rows_b = file_get(path_in(b, "stats.csv"), NULL);
    CHECK(t, rows_a != NULL && rows_b != NULL && strcmp(rows_a, rows_b) == 0);
    free(rows_a);
    free(rows_b);
}

static void stopped_run_resumes_to_the_same_bits(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    file_put(path_in(dir, "busy.lua"), busy_scene);
    hash_text want = run_straight(t, dir);
    const char* arguments[] = {"run", "busy.lua", "-o", "cut", SLOW, NULL};
    command_result stopped = command_run(&(command){.folder = dir, .arguments = arguments, .signal = SIGTERM, .when = "cut/frames/000006.kf"});
    EQUAL(t, stopped.code, 1);
    HAS(t, stopped.err, "--resume");
    TEXT(t, stopped.out, "");
    CHECK(t, folder_count(path_in(dir, "cut/frames"), ".kf") < 41);
    command_free(&stopped);
    KINEMA(t, r, 0, dir, "run", "busy.lua", "-o", "cut", "--resume", "--threads", "1", SLOW); /* other threads are no change */
    TEXT(t, hash_in(r.out).text, want.text);
    same_run(t, dir, "cut");
    command_free(&r);
    folder_remove(dir);
}

static void killed_run_resumes_to_the_same_bits(test* t)
{
    static const char* const signs[] = {"cut/frames/000000.kf", "cut/frames/000005.kf", "cut/frames/000021.kf"}; /* before and after the first checkpoint */
    char dir[256];
    folder_create(dir, sizeof dir);
    file_put(path_in(dir, "busy.lua"), busy_scene);
    hash_text want = run_straight(t, dir);
    for (int i = 0; i < 3; ++i) {
        const char* arguments[] = {"run", "busy.lua", "-o", "cut", SLOW, NULL};
        command_result killed = command_run(&(command){.folder = dir, .arguments = arguments, .signal = SIGKILL, .when = signs[i]});
        EQUAL(t, killed.signal, SIGKILL);
        command_free(&killed);
        KINEMA(t, r, 0, dir, "run", "busy.lua", "-o", "cut", "--resume", "--simd=none", SLOW);
        TEXT(t, hash_in(r.out).text, want.text);
        same_run(t, dir, "cut");
        command_free(&r);
        folder_remove(path_in(dir, "cut"));
    }
    folder_remove(dir);
}

static void finished_run_reports_again(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    file_put(path_in(dir, "busy.lua"), busy_scene);
    KINEMA(t, a, 0, dir, "run", "busy.lua", "--frames", "5", "--json");
    KINEMA(t, b, 0, dir, "run", "busy.lua", "--frames", "5", "--json", "--resume");
    TEXT(t, hash_in(b.out).text, hash_in(a.out).text);
    HAS(t, b.out, "\"kinetic_energy\"");
    command_free(&a);
    command_free(&b);
    KINEMA(t, more, 0, dir, "run", "busy.lua", "--frames", "8", "--json", "--resume"); /* N is of all frames, not of more */
    EQUAL(t, folder_count(path_in(dir, "out/busy/frames"), ".kf"), 9);
    KINEMA(t, whole, 0, dir, "run", "busy.lua", "--frames", "8", "--json", "-o", "whole");
    TEXT(t, hash_in(more.out).text, hash_in(whole.out).text);
    folder_same(t, path_in(dir, "out/busy/frames"), path_in(dir, "whole/frames"));
    command_free(&more);
    command_free(&whole);
    KINEMA(t, fresh, 0, dir, "run", "busy.lua", "--frames", "2", "--resume", "-o", "none-yet"); /* nothing to resume: starts afresh */
    command_free(&fresh);
    folder_remove(dir);
}

static void changed_scene_is_refused(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    file_put(path_in(dir, "busy.lua"), busy_scene);
    KINEMA(t, first, 0, dir, "run", "busy.lua", "--frames", "3", "--json");
    KINEMA(t, set, 2, dir, "run", "busy.lua", "--frames", "5", "--resume", "--set", "n=301");
    HAS(t, set.err, "n");
    KINEMA(t, seed, 2, dir, "run", "busy.lua", "--frames", "5", "--resume", "--seed", "77");
    HAS(t, seed.err, "seed");
    char* changed = strdup(busy_scene);
    memcpy(strstr(changed, "0.1 }"), "0.2 }", 5);
    file_put(path_in(dir, "busy.lua"), changed);
    KINEMA(t, drag, 2, dir, "run", "busy.lua", "--frames", "5", "--resume");
    HAS(t, drag.err, "fields[0].drag");
    file_put(path_in(dir, "busy.lua"), busy_scene);
    KINEMA(t, back, 0, dir, "run", "busy.lua", "--frames", "3", "--resume", "--json"); /* nothing was lost */
    TEXT(t, hash_in(back.out).text, hash_in(first.out).text);
    free(changed);
    command_free(&first), command_free(&set), command_free(&seed), command_free(&drag), command_free(&back);
    folder_remove(dir);
}

static void foreign_folder_is_refused(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    file_put(path_in(dir, "busy.lua"), busy_scene);
    mkdir(path_in(dir, "mine"), 0777);
    file_put(path_in(dir, "mine/letter.txt"), "keep me");
    KINEMA(t, r, 2, dir, "run", "busy.lua", "-o", "mine", "--frames", "2");
    HAS(t, r.err, "mine");
    EQUAL(t, folder_count(path_in(dir, "mine"), ""), 1);
    command_free(&r);
    KINEMA(t, a, 0, dir, "run", "busy.lua", "-o", "run", "--frames", "4");
    KINEMA(t, b, 0, dir, "run", "busy.lua", "-o", "run", "--frames", "2"); /* an earlier run is replaced */
    EQUAL(t, folder_count(path_in(dir, "run/frames"), ".kf"), 3);
    command_free(&a), command_free(&b);
    folder_remove(dir);
}

static void unwritable_output_is_said(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    file_put(path_in(dir, "busy.lua"), busy_scene);
    file_put(path_in(dir, "file"), "");
    KINEMA(t, r, 1, dir, "run", "busy.lua", "-o", "file/below", "--frames", "2");
    HAS(t, r.err, "file");
    command_free(&r);
    KINEMA(t, p, 1, dir, "run", "busy.lua", "-o", "/proc/nowhere", "--frames", "2");
    HAS(t, p.err, "/proc/nowhere");
    command_free(&p);
    folder_remove(dir);
}

static void put_map(const char* path, const char* text)
{
    int file = open(path, O_WRONLY);
    if (file < 0) return;
    if (write(file, text, strlen(text)) < 0) perror(path);
    close(file);
}

/* As root, or in a namespace where we are. */
static bool mount_small(const char* path)
{
    if (mount("tmpfs", path, "tmpfs", 0, "size=192k") == 0) return true;
    char map[64];
    snprintf(map, sizeof map, "0 %d 1", (int)getuid());
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    put_map("/proc/self/setgroups", "deny");
    put_map("/proc/self/uid_map", map);
    return mount("tmpfs", path, "tmpfs", 0, "size=192k") == 0;
}

/* No half file under its real name: what is there can be read, and more room lets the run go on. */
static void full_disk_keeps_what_was_written(test* t)
{
    char dir[256], small[300];
    folder_create(dir, sizeof dir);
    file_put(path_in(dir, "busy.lua"), busy_scene);
    snprintf(small, sizeof small, "%s/small", dir);
    mkdir(small, 0777);
    if (!mount_small(small)) {
        printf("note: no tiny disk can be mounted here (%s): not tested\n", strerror(errno));
        folder_remove(dir);
        return;
    }
    KINEMA(t, full, 1, dir, "run", "busy.lua", "-o", "small/run", "--quiet", "--set", "n=500", "--frames", "40", "--checkpoint", "2", "--json");
    HAS(t, full.err, "space");
    TEXT(t, full.out, "");
    size_t frames = folder_count(path_in(small, "run/frames"), ".kf");
    CHECK(t, frames >= 2 && frames < 41);
    KINEMA(t, csv, 0, dir, "export", "small/run", "--to", "csv", "-o", "all.csv"); /* every frame there is whole */
    CHECK(t, mount("tmpfs", small, "tmpfs", MS_REMOUNT, "size=64m") == 0);
    KINEMA(t, on, 0, dir, "run", "busy.lua", "-o", "small/run", "--quiet", "--set", "n=500", "--frames", "40", "--checkpoint", "2", "--json", "--resume");
    KINEMA(t, whole, 0, dir, "run", "busy.lua", "-o", "whole", "--quiet", "--set", "n=500", "--frames", "40", "--json");
    TEXT(t, hash_in(on.out).text, hash_in(whole.out).text);
    folder_same(t, path_in(dir, "whole/frames"), path_in(small, "run/frames"));
    command_free(&full), command_free(&csv), command_free(&on), command_free(&whole);
    umount(small);
    folder_remove(dir);
}

/* ---- one run in a folder ---- */

static void a_second_run_is_told_who_is_there(test* t)
{
    char dir[256], holder[40];
    int lock;
    kin_error error = {0};
    folder_create(dir, sizeof dir);
    file_put(path_in(dir, "busy.lua"), busy_scene);
    mkdir(path_in(dir, "out"), 0777);
    snprintf(holder, sizeof holder, "process %ld since 2", (long)getpid());
    CHECK(t, kin_file_lock(path_in(dir, "out/lock"), &lock, &error) == KIN_OK);
    KINEMA(t, second, 1, dir, "run", "busy.lua", "-o", "out", "--quiet");
    HAS(t, second.err, "another run is in this folder");
    HAS(t, second.err, holder);
    CHECK(t, !kin_file_exists(path_in(dir, "out/manifest.json")));
    kin_file_unlock(path_in(dir, "out/lock"), lock);
    file_put(path_in(dir, "out/lock"), "process 1 since long ago\n"); /* left by a crash: nobody holds it */
    KINEMA(t, third, 0, dir, "run", "busy.lua", "-o", "out", "--quiet");
    CHECK(t, !kin_file_exists(path_in(dir, "out/lock")));
    command_free(&second), command_free(&third);
    folder_remove(dir);
}

static void a_changed_mesh_is_refused(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    file_put(path_in(dir, "m.obj"), "v 0 0 0\nv 4 0 0\nv 0 0 4\nf 1 3 2\n");
    file_put(path_in(dir, "m.lua"), "return {duration = 1, fps = 30, colliders = {{shape = {mesh = 'm.obj'}}}, systems = {{type = 'particles', particles = "
                                    "{{position = {1, 1, 1}}}}}}");
    KINEMA(t, first, 0, dir, "run", "m.lua", "-o", "out", "--quiet", "--frames", "4");
    KINEMA(t, same, 0, dir, "run", "m.lua", "-o", "out", "--quiet", "--frames", "6", "--resume");
    file_put(path_in(dir, "m.obj"), "v 0 0.1 0\nv 4 0 0\nv 0 0 4\nf 1 3 2\n");
    KINEMA(t, resumed, 2, dir, "run", "m.lua", "-o", "out", "--quiet", "--resume");
    HAS(t, resumed.err, "cannot resume: m.obj has changed");
    KINEMA(t, replayed, 1, dir, "replay", "out", "--quiet");
    HAS(t, replayed.err, "cannot replay: m.obj has changed");
    command_free(&first), command_free(&same), command_free(&resumed), command_free(&replayed);
    folder_remove(dir);
}

/* ---- checkpoints with right checksums and wrong contents ---- */

static void spoil(test* t, const char* path)
{
    static const kin_seal seal = {"KINCHECK", 1, "a checkpoint"};
    kin_allocator allocator = kin_allocator_default();
    uint8_t* data;
    size_t size;
    if (!CHECK(t, kin_sealed_read(&allocator, path, &seal, &data, &size, NULL) == KIN_OK)) return;
    memset(data + size / 2, 0xff, size / 4); /* numbers that are none */
    CHECK(t, kin_sealed_write(&allocator, path, &seal, data, size, NULL) == KIN_OK);
    kin_free(&allocator, data, size);
}

static void spoilt_checkpoints_are_passed_over(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    file_put(path_in(dir, "busy.lua"), busy_scene);
    KINEMA(t, whole, 0, dir, "run", "busy.lua", "-o", "straight", "--quiet", "--json", "--frames", "12");
    for (int spoilt = 1; spoilt <= 2; ++spoilt) {
        KINEMA(t, part, 0, dir, "run", "busy.lua", "-o", "cut", "--quiet", "--frames", "7", "--checkpoint", "3");
        spoil(t, path_in(dir, "cut/checkpoint/a.kc"));
        if (spoilt == 2) spoil(t, path_in(dir, "cut/checkpoint/b.kc"));
        KINEMA(t, on, 0, dir, "run", "busy.lua", "-o", "cut", "--quiet", "--json", "--frames", "12", "--resume");
        TEXT(t, hash_in(on.out).text, hash_in(whole.out).text);
        HAS(t, on.err, "cannot resume from here");
        same_run(t, dir, "cut");
        if (spoilt == 2) HAS(t, on.err, "frames are kept in cut/frames-before-1");
        EQUAL(t, folder_count(path_in(dir, "cut/frames-before-1"), ".kf"), spoilt == 2 ? 8 : 0);
        command_free(&part), command_free(&on);
    }
    command_free(&whole);
    folder_remove(dir);
}

TEST_MAIN("e2e resume", TEST(a_second_run_is_told_who_is_there), TEST(a_changed_mesh_is_refused), TEST(spoilt_checkpoints_are_passed_over),
          TEST(stopped_run_resumes_to_the_same_bits), TEST(killed_run_resumes_to_the_same_bits), TEST(finished_run_reports_again),
          TEST(changed_scene_is_refused), TEST(foreign_folder_is_refused), TEST(unwritable_output_is_said), TEST(full_disk_keeps_what_was_written))
