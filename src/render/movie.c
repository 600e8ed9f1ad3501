/* movie.c - pictures to ffmpeg through a socket (a write to a dead reader is then an error, not a signal). ffmpeg writes beside
 * the movie's name, in a process group of its own so that Ctrl-C lets us finish the file; it is renamed when ffmpeg is content. */
#include "base/alloc.h"
#include "base/error.h"
#include "render/render.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

struct kin_movie {
    char path[PATH_MAX];
    char beside[PATH_MAX];
    int width, height;
    int feed;     /* our end of ffmpeg's standard input; -1 when closed */
    int messages; /* what ffmpeg says on standard error: memory, so that it never blocks */
    pid_t ffmpeg; /* 0 when it has ended */
    bool failed;
    kin_error error; /* the first one */
};

/* ".mp4" with its dot, or "" */
static const char* extension_of(const char* path)
{
    const char* name = strrchr(path, '/');
    const char* dot = strrchr(name != NULL ? name : path, '.');
    return dot != NULL && dot[1] != 0 ? dot : "";
}

static bool one_of(const char* extension, const char* const* list)
{
    for (; *list != NULL; ++list) {
        if (strcasecmp(extension, *list) == 0) return true;
    }
    return false;
}

/* Our arguments for a kind of movie; for kinds not named here ffmpeg knows best. */
static const char* const* encoder_for(const char* extension)
{
    static const char* const h264[] = {".mp4", ".mkv", ".mov", ".m4v", NULL};
    static const char* const vp9[] = {".webm", NULL};
    static const char* const h264_arguments[] = {"-c:v",     "libx264", "-preset",   "veryfast",   "-crf", "18",
                                                 "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-vf",  "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                                                 NULL}; /* halved colours want even sizes */
    static const char* const vp9_arguments[] = {"-c:v",     "libvpx-vp9", "-crf", "30",       "-b:v",    "0",   "-deadline",
                                                "realtime", "-cpu-used",  "5",    "-pix_fmt", "yuv420p", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                                                NULL};
    static const char* const none[] = {NULL};
    if (one_of(extension, h264)) return h264_arguments;
    return one_of(extension, vp9) ? vp9_arguments : none;
}

/* name.mp4 -> name.part-1234.mp4: ffmpeg goes by the extension. */
static bool name_beside(kin_movie* movie, const char* path)
{
    const char* extension = extension_of(path);
    int stem = (int)(strlen(path) - strlen(extension));
    int n = snprintf(movie->path, sizeof movie->path, "%s", path);
    int m = snprintf(movie->beside, sizeof movie->beside, "%.*s.part-%ld%s", stem, path, (long)getpid(), extension);
    return n > 0 && (size_t)n < sizeof movie->path && m > 0 && (size_t)m < sizeof movie->beside;
}

static int spawn_ffmpeg(kin_movie* movie, int input, double fps)
{
    char size[32], rate[32], output[PATH_MAX + 8];
    snprintf(size, sizeof size, "%dx%d", movie->width, movie->height);
    snprintf(rate, sizeof rate, "%.10g", fps);
    snprintf(output, sizeof output, "file:%s", movie->beside); /* a name is never taken for an option or an address */
    const char* arguments[48] = {"ffmpeg", "-y",          "-nostdin", "-loglevel",  "error", "-f", "rawvideo", "-pixel_format",
                                 "rgb24",  "-video_size", size,       "-framerate", rate,    "-i", "pipe:0",   "-an"};
    int count = 16;
    for (const char* const* a = encoder_for(extension_of(movie->path)); *a != NULL; ++a) arguments[count++] = *a;
    arguments[count] = output;

    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, movie->messages, STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    int code = posix_spawnp(&movie->ffmpeg, "ffmpeg", &files, &attributes, (char* const*)arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    if (code != 0) movie->ffmpeg = 0;
    return code;
}

/* The last words of ffmpeg, on one line. */
static void read_messages(const kin_movie* movie, char* text, size_t size)
{
    off_t end = lseek(movie->messages, 0, SEEK_END), begin = end > (off_t)size - 1 ? end - (off_t)size + 1 : 0;
    ssize_t n = end > 0 ? pread(movie->messages, text, size - 1, begin) : 0;
    text[n > 0 ? n : 0] = 0;
    for (char* c = text; *c != 0; ++c) {
        if (*c == '\n' || *c == '\r') *c = c[1] != 0 ? ';' : 0;
    }
}

static kin_result remember(kin_movie* movie, kin_error* error)
{
    movie->failed = true;
    if (error != NULL) *error = movie->error;
    return movie->error.code;
}

/* Ends ffmpeg's input and waits for it. */
static kin_result finish(kin_movie* movie, kin_error* error)
{
    if (movie->feed >= 0) close(movie->feed);
    movie->feed = -1;
    int status = 0;
    pid_t ended = 0;
    while (movie->ffmpeg > 0 && (ended = waitpid(movie->ffmpeg, &status, 0)) < 0 && errno == EINTR) continue;
    movie->ffmpeg = 0;
    if (ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0) return KIN_OK;
    char text[400];
    read_messages(movie, text, sizeof text);
    kin_fail(&movie->error, KIN_ERROR_FILE, movie->path, "ffmpeg could not write the movie: %s", text[0] != 0 ? text : "it ended early");
    return remember(movie, error);
}

static void discard(kin_movie* movie)
{
    if (movie->feed >= 0) close(movie->feed);
    if (movie->messages >= 0) close(movie->messages);
    const kin_allocator allocator = kin_allocator_default();
    kin_free(&allocator, movie, sizeof *movie);
}

static kin_result start(kin_movie* movie, double fps, kin_error* error)
{
    int ends[2];
    movie->messages = memfd_create("ffmpeg", MFD_CLOEXEC);
    if (movie->messages < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return kin_fail(error, KIN_ERROR_FILE, movie->path, "no pipe to ffmpeg: %s", strerror(errno));
    movie->feed = ends[0];
    int code = spawn_ffmpeg(movie, ends[1], fps);
    close(ends[1]);
    if (code == ENOENT) return kin_fail(error, KIN_ERROR_FILE, movie->path, "movies need the program ffmpeg, which is not installed (apt install ffmpeg)");
    if (code != 0) return kin_fail(error, KIN_ERROR_FILE, movie->path, "ffmpeg did not start: %s", strerror(code));
    return KIN_OK;
}

kin_result kin_movie_create(const char* path, int width, int height, double fps, kin_movie** out, kin_error* error)
{
    *out = NULL;
    if (width < 1 || height < 1 || !(fps > 0) || !isfinite(fps))
        return kin_fail(error, KIN_ERROR_ARGUMENT, path, "a movie needs a size and frames a second, not %d x %d at %g", width, height, fps);
    if (extension_of(path)[0] == 0) return kin_fail(error, KIN_ERROR_ARGUMENT, path, "a movie needs an extension that says its kind, such as .mp4");
    const kin_allocator allocator = kin_allocator_default();
    kin_movie* movie = kin_alloc_zero(&allocator, sizeof *movie);
    if (movie == NULL) return kin_fail_memory(error, "a movie", sizeof *movie);
    *movie = (kin_movie){.width = width, .height = height, .feed = -1, .messages = -1};
    kin_result result = KIN_OK;
    if (!name_beside(movie, path)) result = kin_fail(error, KIN_ERROR_ARGUMENT, path, "the name is too long");
    int probe = result == KIN_OK ? open(movie->beside, O_WRONLY | O_CREAT | O_CLOEXEC, 0666) : -1; /* say now, not after rendering */
    if (result == KIN_OK && probe < 0) result = kin_fail(error, KIN_ERROR_FILE, path, "cannot write here: %s", strerror(errno));
    if (probe >= 0) close(probe);
    if (result == KIN_OK) {
        result = start(movie, fps, error);
        if (result != KIN_OK) unlink(movie->beside);
    }
    if (result != KIN_OK)
        discard(movie);
    else
        *out = movie;
    return result;
}

kin_result kin_movie_add(kin_movie* movie, const kin_picture* picture, kin_error* error)
{
    if (movie->failed) return remember(movie, error);
    KIN_ASSERT(picture->width == movie->width && picture->height == movie->height);
    const uint8_t* bytes = picture->rgb;
    size_t left = (size_t)picture->width * (size_t)picture->height * 3;
    while (left > 0) {
        ssize_t sent = send(movie->feed, bytes, left, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) {
            kin_result result = finish(movie, error); /* ffmpeg's own words say why */
            if (result != KIN_OK) return result;
            kin_fail(&movie->error, KIN_ERROR_FILE, movie->path, "ffmpeg stopped before the movie's end");
            return remember(movie, error);
        }
        bytes += sent;
        left -= (size_t)sent;
    }
    return KIN_OK;
}

kin_result kin_movie_close(kin_movie* movie, kin_error* error)
{
    if (movie == NULL) return KIN_OK;
    kin_result result = movie->failed ? remember(movie, error) : finish(movie, error);
    if (result == KIN_OK && rename(movie->beside, movie->path) != 0)
        result = kin_fail(error, KIN_ERROR_FILE, movie->path, "cannot rename the finished movie: %s", strerror(errno));
    if (result != KIN_OK) unlink(movie->beside);
    discard(movie);
    return result;
}
