/* output_test.c - pictures, movies and plots on disk: right, whole, or not there at all.
 * Under the address sanitizer fontconfig's tables count as leaks: src/render/canvas.c suppresses them, as the command plots too. */
#include "base/alloc.h"
#include "frames.h"
#include "io/file.h"
#include "render/plot.h"
#include "render/ticks.h"
#include <dirent.h>
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void make_folder(char* folder, size_t size)
{
    snprintf(folder, size, "/tmp/kinema_output_XXXXXX");
    if (mkdtemp(folder) == NULL) folder[0] = 0;
}

/* Removes what is in it; how much that was. */
static int remove_folder(const char* folder)
{
    char path[1024];
    int count = 0;
    DIR* dir = opendir(folder);
    for (struct dirent* entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        unlink(path);
        count += 1;
    }
    if (dir != NULL) closedir(dir);
    rmdir(folder);
    return count;
}

static void paint(uint8_t* rgb, int width, int height)
{
    for (int i = 0; i < width * height; ++i) {
        rgb[3 * i] = (uint8_t)(i * 7);
        rgb[3 * i + 1] = (uint8_t)(i / width * 5);
        rgb[3 * i + 2] = (uint8_t)(i % width);
    }
}

/* Decoded pixels of a PNG, 0 if they are not what was written. */
static bool png_holds(const char* path, const uint8_t* rgb, int width, int height)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (png_image_begin_read_from_file(&image, path) == 0) return false;
    if ((int)image.width != width || (int)image.height != height) return png_image_free(&image), false;
    image.format = PNG_FORMAT_RGB;
    uint8_t* read = malloc(PNG_IMAGE_SIZE(image));
    bool same = png_image_finish_read(&image, NULL, read, 0, NULL) != 0 && (rgb == NULL || memcmp(read, rgb, (size_t)width * (size_t)height * 3) == 0);
    free(read);
    return same;
}

static void png_is_readable(test* t)
{
    char folder[64], path[128];
    make_folder(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/a.png", folder);
    uint8_t rgb[31 * 17 * 3];
    paint(rgb, 31, 17);
    kin_picture picture = {31, 17, rgb};
    EQUAL(t, kin_picture_write_png(&picture, path, NULL), KIN_OK);
    CHECK(t, png_holds(path, rgb, 31, 17));
    EQUAL(t, remove_folder(folder), 1);
}

static void unwritable_places_are_told(test* t)
{
    uint8_t rgb[3] = {1, 2, 3};
    kin_picture picture = {1, 1, rgb};
    kin_movie* movie;
    kin_plot plot = {.title = "t"};
    kin_error error = {0};
    EQUAL(t, kin_picture_write_png(&picture, "/nowhere/at/all/a.png", &error), KIN_ERROR_FILE);
    HAS(t, error.where, "/nowhere/at/all/a.png");
    EQUAL(t, kin_movie_create("/nowhere/at/all/a.mp4", 16, 16, 25, &movie, &error), KIN_ERROR_FILE);
    CHECK(t, movie == NULL);
    HAS(t, error.message, "No such file");
    EQUAL(t, kin_plot_write(&plot, "/nowhere/at/all/a.svg", &error), KIN_ERROR_FILE);
}

static bool have_ffmpeg(void) { return system("ffmpeg -version >/dev/null 2>&1") == 0; }

static kin_result write_movie(const char* path, int width, int height, int frames, kin_error* error)
{
    uint8_t* rgb = malloc((size_t)width * (size_t)height * 3);
    paint(rgb, width, height);
    kin_picture picture = {width, height, rgb};
    kin_movie* movie;
    kin_result result = kin_movie_create(path, width, height, 25, &movie, error);
    for (int i = 0; i < frames && result == KIN_OK; ++i) result = kin_movie_add(movie, &picture, error);
    kin_result closed = kin_movie_close(movie, error);
    free(rgb);
    return result != KIN_OK ? result : closed;
}

static void movies_are_written(test* t)
{
    if (!have_ffmpeg()) return;
    static const char* const kinds[] = {"mp4", "mkv", "gif", "webm"};
    char folder[64], path[128], command[400], words[64] = "";
    make_folder(folder, sizeof folder);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        kin_error error = {0};
        snprintf(path, sizeof path, "%s/odd size.%s", folder, kinds[i]);
        kin_result result = write_movie(path, 65, 33, 6, &error);
        test_check(t, result == KIN_OK, __FILE__, __LINE__, "%s: %s", kinds[i], error.message);
        struct stat info;
        CHECK(t, stat(path, &info) == 0 && info.st_size > 200);
    }
    snprintf(command, sizeof command, "ffprobe -v error -count_frames -show_entries stream=width,height,pix_fmt,nb_read_frames -of csv=p=0 '%s/odd size.mp4'",
             folder);
    FILE* probe = popen(command, "r");
    if (probe != NULL && fgets(words, sizeof words, probe) != NULL) HAS(t, words, "66,34,yuv420p,6");
    if (probe != NULL) pclose(probe);
    EQUAL(t, remove_folder(folder), 4); /* nothing half-written beside them */
}

static void bad_movies_are_told(test* t)
{
    if (!have_ffmpeg()) return;
    char folder[64], path[128];
    kin_error error = {0};
    kin_movie* movie;
    make_folder(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/a.nonsense", folder);
    EQUAL(t, write_movie(path, 640, 360, 40, &error), KIN_ERROR_FILE); /* ffmpeg is gone long before the last frame: no signal */
    HAS(t, error.message, "ffmpeg could not write the movie");
    HAS(t, error.message, "output format");
    snprintf(path, sizeof path, "%s/plain", folder);
    EQUAL(t, kin_movie_create(path, 16, 16, 25, &movie, &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "extension");
    snprintf(path, sizeof path, "%s/a.mp4", folder);
    EQUAL(t, kin_movie_create(path, 16, 16, 0, &movie, &error), KIN_ERROR_ARGUMENT);
    EQUAL(t, kin_movie_close(NULL, &error), KIN_OK);
    EQUAL(t, remove_folder(folder), 0);
}

static void missing_ffmpeg_is_told(test* t)
{
    char folder[64], path[128], *old = strdup(getenv("PATH") != NULL ? getenv("PATH") : "/usr/bin:/bin");
    kin_error error = {0};
    kin_movie* movie;
    make_folder(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/a.mp4", folder);
    setenv("PATH", folder, 1);
    EQUAL(t, kin_movie_create(path, 16, 16, 25, &movie, &error), KIN_ERROR_FILE);
    setenv("PATH", old, 1);
    HAS(t, error.message, "ffmpeg, which is not installed");
    EQUAL(t, remove_folder(folder), 0);
    free(old);
}

static void plot_to(test* t, const kin_plot* plot, const char* folder, const char* name, char** text)
{
    char path[128];
    size_t size = 0;
    kin_error error = {0};
    const kin_allocator allocator = kin_allocator_default();
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!test_check(t, kin_plot_write(plot, path, &error) == KIN_OK, __FILE__, __LINE__, "%s", error.message)) return;
    if (text != NULL && kin_file_read(&allocator, path, 1 << 24, text, &size, &error) != KIN_OK) *text = NULL;
}

static void plot_holds_its_words(test* t)
{
    char folder[64], path[128], *text = NULL;
    make_folder(folder, sizeof folder);
    const double x[4] = {0, 1, 2, 3}, y[4] = {0, 5, NAN, 2}, flat[4] = {7, 7, 7, 7}, decay[4] = {1, 0.1, 0.01, -3};
    const kin_plot_line energy[] = {{"kinetic", x, y, 4}, {"a < b & \"c\"", x, flat, 4}}, residual = {"residual", x, decay, 4};
    const kin_plot_panel panels[] = {{"energy (J)", energy, 2, false}, {"residual (m/s)", &residual, 1, true}, {"nothing (kg)", NULL, 0, false}};
    kin_plot plot = {.title = "Balls", .x_label = "time (s)", .panels = panels, .panel_count = 3};
    plot_to(t, &plot, folder, "a.svg", &text);
    const char* const words[] = {
        ">Balls<", ">time (s)<", ">energy (J)<", ">residual (m/s)<", ">kinetic<", "a &lt; b &amp; &quot;c&quot;", ">no data<", "width=\"900\" height=\"840\""};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) test_has(t, __FILE__, __LINE__, "the plot", text, words[i]);
    CHECK(t, strstr(text, "nan") == NULL && strstr(text, "inf") == NULL);
    const kin_allocator allocator = kin_allocator_default();
    kin_free(&allocator, text, strlen(text) + 1);
    plot_to(t, &plot, folder, "a.PNG", NULL);
    snprintf(path, sizeof path, "%s/a.PNG", folder);
    CHECK(t, png_holds(path, NULL, 900, 840));
    EQUAL(t, remove_folder(folder), 2);
}

static void plot_of_a_million_points_is_small(test* t)
{
    enum { MANY = 1000000 };
    char folder[64], *text = NULL;
    make_folder(folder, sizeof folder);
    double* x = malloc(MANY * sizeof *x);
    double* y = malloc(MANY * sizeof *y);
    for (int i = 0; i < MANY; ++i) {
        x[i] = i;
        y[i] = i == 500000 ? 9 : (i & 1); /* one spike must not be lost */
    }
    const kin_plot_line line = {"y", x, y, MANY};
    const kin_plot_panel panel = {"y", &line, 1, false};
    kin_plot plot = {.x_label = "x", .panels = &panel, .panel_count = 1, .width = 600, .height = 300};
    plot_to(t, &plot, folder, "a.svg", &text);
    size_t length = text != NULL ? strlen(text) : 0;
    CHECK(t, length > 1000 && length < 100000);
    double top = 1e9, up = 0;
    for (const char* p = text != NULL ? strstr(text, "points=\"") : NULL; p != NULL; p = strstr(p + 1, "points=\"")) {
        for (const char* c = p + 8; sscanf(c, "%*f,%lf", &up) == 1; c = strchr(c, ' ') + 1) top = up < top ? up : top;
    }
    CHECK(t, top < 65); /* near the panel's top */
    const kin_allocator allocator = kin_allocator_default();
    kin_free(&allocator, text, length + 1);
    free(x);
    free(y);
    EQUAL(t, remove_folder(folder), 1);
}

static void odd_plots_do_no_harm(test* t)
{
    char folder[64];
    kin_error error = {0};
    make_folder(folder, sizeof folder);
    const double zero[2] = {0, 0}, bad[2] = {NAN, INFINITY}, huge[2] = {-1.7e308, 1.7e308}, tiny[2] = {1e-310, 2e-310}, one[1] = {3};
    const kin_plot_line lines[] = {{NULL, zero, zero, 2},   {"bad\xff\x01", bad, bad, 2}, {"huge", huge, huge, 2},
                                   {"tiny", tiny, tiny, 2}, {"one", one, one, 1},         {"none", NULL, NULL, 0}};
    for (int log = 0; log < 2; ++log) {
        for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i) {
            const kin_plot_panel panel = {NULL, &lines[i], 1, log == 1};
            kin_plot plot = {.panels = &panel, .panel_count = 1, .log_x = log == 1, .width = 60, .height = 40};
            plot_to(t, &plot, folder, "a.svg", NULL);
            plot_to(t, &plot, folder, "a.png", NULL);
        }
    }
    kin_plot empty = {.title = "nothing"};
    plot_to(t, &empty, folder, "a.svg", NULL);
    EQUAL(t, kin_plot_write(&empty, "plot.jpg", &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, ".svg or .png");
    EQUAL(t, kin_plot_write(&empty, "/tmp.svg/plot", &error), KIN_ERROR_ARGUMENT);
    remove_folder(folder);
}

static void ticks_are_round(test* t)
{
    kin_range range;
    CHECK(t, kin_range_from(0, 9.7, false, 0, &range));
    kin_ticks ticks = kin_ticks_of(&range, 5);
    EQUAL(t, ticks.count, 5);
    TEXT(t, ticks.label[1], "2");
    TEXT(t, ticks.label[4], "8");
    CHECK(t, kin_range_from(-0.02, 0.03, false, 0, &range));
    ticks = kin_ticks_of(&range, 5);
    TEXT(t, ticks.label[0], "−0.02");
    TEXT(t, ticks.label[2], "0");
    CHECK(t, kin_range_from(2e-9, 8e-9, false, 0, &range));
    TEXT(t, kin_ticks_of(&range, 5).label[0], "2×10⁻⁹");
    CHECK(t, kin_range_from(1e-6, 1, true, 0, &range));
    ticks = kin_ticks_of(&range, 5);
    TEXT(t, ticks.label[0], "10⁻⁶");
    NEAR(t, kin_range_place(&range, 1e-3), 0.5, 1e-12);
    CHECK(t, kin_range_from(5, 5, false, 0.05, &range) && range.low < 5 && range.high > 5);
    CHECK(t, !kin_range_from(INFINITY, -INFINITY, false, 0.05, &range) && range.high > range.low);
    CHECK(t, !kin_range_from(-1, 5, true, 0.05, &range) && range.low > 0);
}

TEST_MAIN("output", TEST(png_is_readable), TEST(unwritable_places_are_told), TEST(movies_are_written), TEST(bad_movies_are_told), TEST(missing_ffmpeg_is_told),
          TEST(plot_holds_its_words), TEST(plot_of_a_million_points_is_small), TEST(odd_plots_do_no_harm), TEST(ticks_are_round))
