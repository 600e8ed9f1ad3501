/* command.c - spawning, waiting, comparing. Output goes through files, so that no pipe can fill up while nobody reads. */
#include "support/command.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, ARGUMENTS_MAX = 64 };
static const double patience = 120; /* s; then it hangs */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- running ---- */

static void be_the_command(const command* c, int out, int err)
{
    const char* arguments[ARGUMENTS_MAX] = {c->program != NULL ? c->program : KIN_BINARY_DIR "/kinema"};
    for (int i = 0; c->arguments[i] != NULL && i + 2 < ARGUMENTS_MAX; ++i) arguments[i + 1] = c->arguments[i];
    if (c->folder != NULL && chdir(c->folder) != 0) _exit(126);
    if (c->variable != NULL) putenv((char*)c->variable);
    if (c->close_output) { /* a pipe whose reader has gone */
        int ends[2];
        if (pipe(ends) != 0) _exit(126);
        close(ends[0]);
        out = ends[1];
    }
    int in = open("/dev/null", O_RDONLY);
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    execv(arguments[0], (char* const*)arguments);
    fprintf(stderr, "cannot run %s: %s\n", arguments[0], strerror(errno));
    _exit(127);
}

/* Signals the child when its sign is there; kills it when it hangs. */
static int wait_for(const command* c, pid_t child, double begin)
{
    bool sent = c->signal == 0;
    char when[PATH_SIZE];
    snprintf(when, sizeof when, "%s/%s", c->folder != NULL ? c->folder : ".", c->when != NULL ? c->when : "");
    for (;;) {
        int status = 0;
        if (waitpid(child, &status, WNOHANG) == child) return status;
        if (!sent && access(when, F_OK) == 0) {
            kill(child, c->signal);
            sent = true;
        }
        if (now() - begin > patience) kill(child, SIGKILL);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
}

static char* read_all(int file)
{
    off_t size = lseek(file, 0, SEEK_END);
    char* text = calloc((size_t)(size > 0 ? size : 0) + 1, 1);
    ssize_t got = text != NULL && size > 0 ? pread(file, text, (size_t)size, 0) : 0;
    if (text != NULL) text[got > 0 ? got : 0] = 0;
    close(file);
    return text;
}

static int scratch_file(void)
{
    char name[] = "/tmp/kinema_out_XXXXXX";
    int file = mkstemp(name);
    if (file < 0) {
        perror(name);
        exit(1);
    }
    unlink(name);
    return file;
}

command_result command_run(const command* c)
{
    int out = scratch_file(), err = scratch_file();
    double begin = now();
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) be_the_command(c, out, err);
    int status = wait_for(c, child, begin);
    command_result result = {
        .code = WIFEXITED(status) ? WEXITSTATUS(status) : -1, .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0, .seconds = now() - begin};
    result.out = read_all(out);
    result.err = read_all(err);
    return result;
}

void command_free(command_result* result)
{
    free(result->out);
    free(result->err);
    *result = (command_result){0};
}

void json_value(const char* json, const char* key, char* out, size_t size)
{
    char quoted[128];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char* at = strstr(json, quoted);
    out[0] = 0;
    if (at == NULL) return;
    at += strlen(quoted);
    at += strspn(at, " \"");
    snprintf(out, size, "%.*s", (int)strcspn(at, "\",}\n"), at);
}

/* ---- folders and files ---- */

void folder_create(char* path, size_t size)
{
    const char* base = getenv("TMPDIR");
    snprintf(path, size, "%s/kinema_e2e_XXXXXX", base != NULL ? base : "/tmp");
    if (mkdtemp(path) == NULL) {
        perror(path);
        exit(1);
    }
}

/* Calls fn with the whole path and the name of every entry. */
static void each_entry(const char* folder, void (*fn)(void* context, const char* path, const char* name), void* context)
{
    DIR* dir = opendir(folder);
    if (dir == NULL) return;
    for (struct dirent* entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        char path[PATH_SIZE];
        if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path) fn(context, path, entry->d_name);
    }
    closedir(dir);
}

static bool is_folder(const char* path)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static void remove_entry(void* context, const char* path, const char* name)
{
    (void)context, (void)name;
    if (is_folder(path))
        folder_remove(path);
    else
        unlink(path);
}

void folder_remove(const char* path)
{
    each_entry(path, remove_entry, NULL);
    rmdir(path);
}

typedef struct counting {
    const char* suffix;
    size_t count;
} counting;

static void count_entry(void* context, const char* path, const char* name)
{
    counting* c = context;
    size_t length = strlen(name), suffix = strlen(c->suffix);
    if (!is_folder(path) && length >= suffix && strcmp(name + length - suffix, c->suffix) == 0) c->count += 1;
}

size_t folder_count(const char* path, const char* suffix)
{
    counting c = {suffix, 0};
    each_entry(path, count_entry, &c);
    return c.count;
}

typedef struct comparing {
    test* t;
    const char* other;
    bool bytes;
    bool same;
} comparing;

static void compare_entry(void* context, const char* path, const char* name)
{
    comparing* c = context;
    char other[PATH_SIZE];
    if (snprintf(other, sizeof other, "%s/%s", c->other, name) >= (int)sizeof other) return;
    if (is_folder(path)) {
        comparing deeper = {c->t, other, c->bytes, true};
        each_entry(path, compare_entry, &deeper);
        c->same = c->same && deeper.same;
        return;
    }
    size_t size_a = 0, size_b = 0;
    char* a = file_get(path, &size_a);
    char* b = file_get(other, &size_b);
    bool same = a != NULL && b != NULL && (!c->bytes || (size_a == size_b && memcmp(a, b, size_a) == 0));
    test_check(c->t, same, __FILE__, __LINE__, "%s and %s differ", path, other);
    c->same = c->same && same;
    free(a);
    free(b);
}

bool folder_same(test* t, const char* a, const char* b)
{
    comparing there = {t, b, true, true}, back = {t, a, false, true}; /* back: only that nothing more is in b */
    each_entry(a, compare_entry, &there);
    each_entry(b, compare_entry, &back);
    return test_check(t, is_folder(a) && is_folder(b), __FILE__, __LINE__, "%s or %s is no folder", a, b) && there.same && back.same;
}

const char* path_in(const char* folder, const char* name)
{
    static char paths[8][PATH_SIZE];
    static int turn;
    turn = (turn + 1) % 8;
    snprintf(paths[turn], PATH_SIZE, "%s/%s", folder, name);
    return paths[turn];
}

void file_put(const char* path, const char* text)
{
    FILE* file = fopen(path, "w");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}

char* file_get(const char* path, size_t* size)
{
    int file = open(path, O_RDONLY);
    if (file < 0) return NULL;
    off_t length = lseek(file, 0, SEEK_END);
    if (size != NULL) *size = length > 0 ? (size_t)length : 0;
    return read_all(file);
}
