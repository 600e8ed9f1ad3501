/* render.c - kinema render: frames to a movie, a row of pictures or one still. */
#include "base/error.h"
#include "base/jobs.h"
#include "io/cache.h"
#include "progress.h"
#include "render/render.h"
#include "report.h"
#include "simulate.h"
#include "stop.h"
#include "verbs.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

typedef enum form { FORM_MOVIE, FORM_PICTURES, FORM_STILL } form;

typedef struct job {
    const kin_arguments* arguments;
    char dir[KIN_PATH_SIZE];    /* of the run */
    char output[KIN_PATH_SIZE]; /* file, or pattern of files */
    form form;
    kin_cache* cache;
    kin_jobs workers;
    bool has_workers;
    kin_renderer* renderer;
    kin_render_options look;
    kin_movie* movie;
    uint64_t first, last;
} job;

/* ---- what is wanted ---- */

static bool is_folder(const char* path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool is_picture(const char* path)
{
    const char* dot = strrchr(path, '.');
    return dot != NULL && strcasecmp(dot, ".png") == 0;
}

/* One %d or %0Nd, and nothing else that printf would act on. *digits: N. */
static bool read_pattern(const char* path, int* digits)
{
    const char* percent = strchr(path, '%');
    if (percent == NULL || strchr(percent + 1, '%') != NULL) return false;
    const char* p = percent + 1;
    *digits = 0;
    for (; *p >= '0' && *p <= '9'; ++p) {
        *digits = 10 * *digits + (*p - '0');
        if (*digits > 12) return false;
    }
    return *p == 'd';
}

static int choose_form(job* j)
{
    const kin_arguments* a = j->arguments;
    int digits;
    bool pattern = a->output != NULL && strchr(a->output, '%') != NULL;
    if (pattern && (!is_picture(a->output) || !read_pattern(a->output, &digits))) {
        return kin_complain_text(KIN_EXIT_WRONG, "render: -o \"%s\" is not a pattern such as pictures/%%04d.png", a->output);
    }
    bool still = a->frame.given || (a->output != NULL && is_picture(a->output) && !pattern);
    if (a->frame.given && a->output != NULL && (pattern || !is_picture(a->output))) {
        return kin_complain_text(KIN_EXIT_WRONG, "render: --frame makes one picture: -o must be a .png file, not \"%s\"", a->output);
    }
    if (a->frame.given && a->range.given) return kin_complain_text(KIN_EXIT_WRONG, "render: --frame and --frames exclude each other");
    j->form = still ? FORM_STILL : pattern ? FORM_PICTURES : FORM_MOVIE;
    return KIN_EXIT_DONE;
}

/* Only as far as the pictures need it. */
static int run_scene(job* j)
{
    const kin_arguments* a = j->arguments;
    kin_simulation_plan plan = {
        .scene_path = a->names[0],
        .options = kin_scene_options_default(),
        .has_frames = a->frame.given || a->range.given,
        .frames = a->frame.given ? a->frame.value : a->range.last,
        .threads = (int)a->threads.value,
        .checkpoint = KIN_CHECKPOINT_FRAMES,
        .quiet = a->quiet,
    };
    plan.options.sets = a->sets;
    plan.options.set_count = a->set_count;
    kin_simulation s;
    int code = kin_simulate(&plan, &s);
    memcpy(j->dir, s.dir, sizeof j->dir);
    kin_simulation_end(&s);
    return code;
}

static int find_run(job* j)
{
    const kin_arguments* a = j->arguments;
    struct stat info;
    if (stat(a->names[0], &info) != 0) return kin_complain_text(KIN_EXIT_WRONG, "%s: there is no such run folder or scene", a->names[0]);
    if (!is_folder(a->names[0])) return run_scene(j);
    if (a->set_count > 0) return kin_complain_text(KIN_EXIT_WRONG, "render: --set changes a scene, not a run that is done");
    int length = snprintf(j->dir, sizeof j->dir, "%s", a->names[0]);
    return length < (int)sizeof j->dir ? KIN_EXIT_DONE : kin_complain_text(KIN_EXIT_WRONG, "render: the name is too long");
}

static int choose_frames(job* j)
{
    const kin_arguments* a = j->arguments;
    uint64_t count = kin_cache_frame_count(j->cache);
    if (count == 0) return kin_complain_text(KIN_EXIT_FAILED, "%s: the run has no frames yet", j->dir);
    j->first = a->frame.given ? a->frame.value : a->range.given ? a->range.first : 0;
    j->last = a->frame.given ? a->frame.value : a->range.given ? a->range.last : count - 1;
    if (j->form == FORM_STILL && !a->frame.given) j->first = j->last;
    if (j->last < count) return KIN_EXIT_DONE;
    return kin_complain_text(KIN_EXIT_WRONG, "%s: there is no frame %" PRIu64 "; the last one is %" PRIu64, j->dir, j->last, count - 1);
}

static kin_result choose_output(job* j, kin_error* error)
{
    const char* output = j->arguments->output;
    char name[48] = "movie.mp4";
    if (j->form == FORM_STILL) snprintf(name, sizeof name, "%04" PRIu64 ".png", j->first);
    kin_result result = KIN_OK;
    if (output == NULL)
        result = kin_path_make(j->output, j->dir, name, error);
    else if (snprintf(j->output, sizeof j->output, "%s", output) >= (int)sizeof j->output)
        result = kin_fail(error, KIN_ERROR_ARGUMENT, "-o", "the name is too long");
    if (result != KIN_OK) return result;
    char folder[KIN_PATH_SIZE];
    memcpy(folder, j->output, sizeof folder);
    char* slash = strrchr(folder, '/');
    if (slash == NULL || slash == folder) return KIN_OK;
    *slash = 0;
    return kin_folder_make(folder, error);
}

/* ---- pictures ---- */

static kin_result prepare(job* j, kin_error* error)
{
    const kin_arguments* a = j->arguments;
    kin_allocator allocator = kin_allocator_default();
    j->look = kin_render_options_default();
    if (a->size.given) j->look.width = a->size.width, j->look.height = a->size.height;
    if (a->samples.given) j->look.samples = (int)a->samples.value;
    if (a->bounces.given) j->look.bounces = (int)a->bounces.value;
    kin_result result = kin_jobs_init(&j->workers, &allocator, NULL, (int)a->threads.value, error);
    j->has_workers = result == KIN_OK;
    if (result == KIN_OK) result = kin_renderer_create(&allocator, &j->workers, &j->look, &j->renderer, error);
    return result;
}

static kin_result write_picture(job* j, const kin_picture* picture, uint64_t frame, kin_error* error)
{
    char path[KIN_PATH_SIZE];
    int digits;
    if (j->form == FORM_STILL || !read_pattern(j->output, &digits)) return kin_picture_write_png(picture, j->output, error);
    const char* percent = strchr(j->output, '%');
    int wrote = snprintf(path, sizeof path, "%.*s%0*" PRIu64 "%s", (int)(percent - j->output), j->output, digits, frame, strchr(percent, 'd') + 1);
    if (wrote >= (int)sizeof path) return kin_fail(error, KIN_ERROR_ARGUMENT, "-o", "the name is too long");
    return kin_picture_write_png(picture, path, error);
}

static kin_result put_picture(job* j, const kin_frame* frame, const kin_picture* picture, kin_error* error)
{
    if (j->form != FORM_MOVIE) return write_picture(j, picture, frame->index, error);
    kin_result result = KIN_OK;
    double fps = frame->interval > 0 ? 1 / frame->interval : 30;
    if (j->movie == NULL) result = kin_movie_create(j->output, picture->width, picture->height, fps, &j->movie, error);
    return result == KIN_OK ? kin_movie_add(j->movie, picture, error) : result;
}

static kin_result render_one(job* j, uint64_t index, kin_error* error)
{
    const kin_frame* frame;
    const kin_picture* picture;
    kin_result result = kin_cache_read(j->cache, index, &frame, error);
    if (result == KIN_OK) result = kin_render_frame(j->renderer, frame, &picture, error);
    if (result == KIN_OK) result = put_picture(j, frame, picture, error);
    if (result == KIN_OK) kin_progress_at(index, -1);
    return result;
}

static kin_result render_all(job* j, kin_error* error)
{
    kin_result result = KIN_OK;
    kin_stop_listen();
    kin_progress_begin("render", "frame", j->first, j->last, j->arguments->quiet);
    for (uint64_t i = j->first; i <= j->last && result == KIN_OK; ++i) {
        result = kin_stop_asked() ? kin_fail(error, KIN_ERROR_STOPPED, j->output, "stopped before frame %" PRIu64 " of %" PRIu64, i, j->last)
                                  : render_one(j, i, error);
    }
    kin_error last_error = {0};
    kin_result closed = kin_movie_close(j->movie, &last_error); /* a movie that was stopped is shorter, but whole */
    if (result == KIN_OK && closed != KIN_OK) {
        result = closed;
        *error = last_error;
    }
    kin_progress_end();
    return result;
}

static int render_run(job* j)
{
    kin_error error = {0};
    kin_allocator allocator = kin_allocator_default();
    char frames[KIN_PATH_SIZE];
    kin_result result = kin_path_make(frames, j->dir, "frames", &error);
    if (result == KIN_OK) result = kin_cache_open(&allocator, frames, &j->cache, &error);
    if (result != KIN_OK) return kin_complain(KIN_EXIT_FAILED, &error);
    int code = choose_frames(j);
    if (code != KIN_EXIT_DONE) return code;
    result = choose_output(j, &error);
    if (result == KIN_OK) result = prepare(j, &error);
    if (result == KIN_OK) result = render_all(j, &error);
    if (result != KIN_OK) return kin_complain(result == KIN_ERROR_ARGUMENT ? KIN_EXIT_WRONG : KIN_EXIT_FAILED, &error);
    puts(j->output);
    return KIN_EXIT_DONE;
}

static void end(job* j)
{
    kin_renderer_destroy(j->renderer);
    if (j->has_workers) kin_jobs_term(&j->workers);
    kin_cache_close(j->cache);
    free(j);
}

static int run(const kin_arguments* arguments)
{
    job* j = calloc(1, sizeof *j); /* three long names: too much for a stack frame */
    if (j == NULL) return kin_complain_text(KIN_EXIT_FAILED, "there is no memory to begin with");
    j->arguments = arguments;
    int code = choose_form(j);
    if (code == KIN_EXIT_DONE) code = find_run(j);
    if (code == KIN_EXIT_DONE) code = render_run(j);
    end(j);
    return code;
}

static const kin_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = KIN_OPTION_TEXT,
     .offset = KIN_ARGUMENT(output),
     .value = "FILE",
     .doc = "movie.mp4, or any movie that ffmpeg knows; pictures/%04d.png for a picture a frame; a plain .png for one still, of the last frame unless --frame "
            "says. By default movie.mp4 in the run's folder."},
    {.name = "size", .kind = KIN_OPTION_SIZE, .offset = KIN_ARGUMENT(size), .value = "WxH", .low = 1, .high = 16384, .doc = "Pixels; by default 960x540."},
    {.name = "samples",
     .kind = KIN_OPTION_NUMBER,
     .offset = KIN_ARGUMENT(samples),
     .value = "N",
     .low = 1,
     .high = 65536,
     .doc = "Samples a pixel: more is slower and smoother; by default 16."},
    {.name = "bounces",
     .kind = KIN_OPTION_NUMBER,
     .offset = KIN_ARGUMENT(bounces),
     .value = "N",
     .low = 0,
     .high = 64,
     .doc = "Bounces of indirect light; by default 2. one is faster."},
    {.name = "frame", .kind = KIN_OPTION_NUMBER, .offset = KIN_ARGUMENT(frame), .value = "N", .high = 100000000, .doc = "One still of this frame."},
    {.name = "frames", .kind = KIN_OPTION_RANGE, .offset = KIN_ARGUMENT(range), .value = "A:B", .doc = "Frames A to B only."},
    KIN_OPTION_SETS,
    KIN_OPTION_THREADS,
    KIN_OPTION_QUIET,
    {0},
};

const kin_verb kin_verb_render = {
    .name = "render",
    .usage = "DIR|SCENE",
    .least = 1,
    .most = 1,
    .operand = KIN_OPERAND_SCENE_OR_FOLDER,
    .options = options,
    .run = run,
    .summary = "Render the frames of a run to a movie, to pictures or to one still.",
    .doc = "A SCENE is run first, to out/ and its name. The path of what was written is printed.",
};
