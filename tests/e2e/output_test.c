/* output_test.c - what a run becomes: pictures, movies, plots, tables; and the generated pages. */
#include "scenes.h"
#include <png.h>
#include <unistd.h>

static void run_small(test* t, char* dir, size_t size)
{
    folder_create(dir, size);
    file_put(path_in(dir, "busy.lua"), busy_scene);
    KINEMA(t, r, 0, dir, "run", "busy.lua", "--frames", "4", "--quiet");
    command_free(&r);
}

/* The deviation of its grey values: a blank picture has none. */
static double contrast(test* t, const char* path, unsigned width, unsigned height)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!CHECK(t, png_image_begin_read_from_file(&image, path))) return 0;
    EQUAL(t, image.width, width);
    EQUAL(t, image.height, height);
    image.format = PNG_FORMAT_GRAY;
    size_t count = PNG_IMAGE_SIZE(image);
    unsigned char* pixels = malloc(count);
    double sum = 0, squares = 0;
    CHECK(t, png_image_finish_read(&image, NULL, pixels, 0, NULL));
    for (size_t i = 0; i < count; ++i) {
        sum += pixels[i];
        squares += (double)pixels[i] * pixels[i];
    }
    free(pixels);
    return squares / (double)count - sum / (double)count * sum / (double)count;
}

static void stills_are_not_blank(test* t)
{
    char dir[256];
    run_small(t, dir, sizeof dir);
    KINEMA(t, a, 0, dir, "render", "out/busy", "--frame", "2", "-o", "new/still.png", "--size", "96x54", "--samples", "2", "--quiet");
    TEXT(t, a.out, "new/still.png\n");
    CHECK(t, contrast(t, path_in(dir, "new/still.png"), 96, 54) > 50);
    KINEMA(t, b, 0, dir, "render", "out/busy", "-o", "p/%03d.png", "--frames", "1:3", "--size=48x27", "--samples=1", "--threads", "1", "--quiet");
    EQUAL(t, folder_count(path_in(dir, "p"), ".png"), 3);
    CHECK(t, contrast(t, path_in(dir, "p/002.png"), 48, 27) > 50);
    KINEMA(t, c, 2, dir, "render", "out/busy", "--frame", "99", "--quiet");
    HAS(t, c.err, "the last one is 4");
    command_free(&a), command_free(&b), command_free(&c);
    folder_remove(dir);
}

static void scene_to_movie(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    file_put(path_in(dir, "busy.lua"), busy_scene);
    KINEMA(t, r, 0, dir, "render", "busy.lua", "--frames", "0:5", "--size", "64x36", "--samples", "1", "--quiet");
    TEXT(t, r.out, "out/busy/movie.mp4\n");
    size_t size = 0;
    char* movie = file_get(path_in(dir, "out/busy/movie.mp4"), &size);
    CHECK(t, movie != NULL && size > 500 && memcmp(movie + 4, "ftyp", 4) == 0);
    free(movie);
    EQUAL(t, folder_count(path_in(dir, "out/busy"), ".mp4"), 1); /* none half done beside */
    command_free(&r);
    folder_remove(dir);
}

static void plots_are_drawn(test* t)
{
    char dir[256];
    run_small(t, dir, sizeof dir);
    KINEMA(t, a, 0, dir, "plot", "out/busy", "-o", "plot.svg", "--of", "energy,momentum,balls.hits");
    char* svg = file_get(path_in(dir, "plot.svg"), NULL);
    if (CHECK(t, svg != NULL)) HAS(t, svg, "<svg");
    free(svg);
    KINEMA(t, b, 0, dir, "plot", "out/busy", "-o", "plot.png", "--of=counts");
    CHECK(t, access(path_in(dir, "plot.png"), R_OK) == 0);
    KINEMA(t, c, 2, dir, "plot", "out/busy", "-o", "x.svg", "--of", "enrgy");
    HAS(t, c.err, "did you mean energy?");
    KINEMA(t, d, 2, dir, "plot", "out/busy", "-o", "plot.doc");
    command_free(&a), command_free(&b), command_free(&c), command_free(&d);
    folder_remove(dir);
}

static void csv_has_a_row_a_particle_and_frame(test* t)
{
    char dir[256];
    run_small(t, dir, sizeof dir);
    KINEMA(t, r, 0, dir, "export", "out/busy", "--to", "csv", "-o", "points.csv");
    char* csv = file_get(path_in(dir, "points.csv"), NULL);
    if (CHECK(t, csv != NULL)) {
        const char* begin = "frame,time,system,id,x,y,z,vx,vy,vz\n0,0,balls,0,";
        CHECK(t, strncmp(csv, begin, strlen(begin)) == 0);
        size_t lines = 0;
        for (const char* p = csv; *p != 0; ++p) lines += *p == '\n';
        EQUAL(t, lines, 1 + 5 * 300);
    }
    free(csv);
    command_free(&r);
    folder_remove(dir);
}

/* Bodies too: of two looks once; csv keeps its columns, poses has those of orientation behind. */
static void csv_has_rigid_bodies(test* t)
{
    static const char scene[] = "return { duration = 0.2, fps = 20, systems = { { type = \"rigid\", name = \"crates\", bodies = {\n"
                                "  { shape = { box = {1, 1, 1} }, position = {0, 5, 0}, velocity = {2, 0, 0} },\n"
                                "  { shape = { sphere = 0.5 }, position = {3, 5, 0}, spin = {0, 4, 0} } } } } }\n";
    char dir[256];
    folder_create(dir, sizeof dir);
    file_put(path_in(dir, "crates.lua"), scene);
    KINEMA(t, r, 0, dir, "run", "crates.lua", "--quiet");
    KINEMA(t, a, 0, dir, "export", "out/crates", "--to", "csv", "-o", "all.csv");
    KINEMA(t, b, 0, dir, "export", "out/crates", "--to", "poses", "-o", "poses.csv");
    char *all = file_get(path_in(dir, "all.csv"), NULL), *poses = file_get(path_in(dir, "poses.csv"), NULL);
    if (CHECK(t, all != NULL && poses != NULL)) {
        size_t lines = 0;
        for (const char* p = all; *p != 0; ++p) lines += *p == '\n';
        EQUAL(t, lines, 1 + 5 * 2);
        HAS(t, all, "frame,time,system,id,x,y,z,vx,vy,vz\n0,0,crates,0,0,5,0,2,0,0\n0,0,crates,1,3,5,0,0,0,0\n");
        HAS(t, poses, "vz,qx,qy,qz,qw,wx,wy,wz\n0,0,crates,0,0,5,0,2,0,0,0,0,0,1,0,0,0\n0,0,crates,1,3,5,0,0,0,0,0,0,0,1,0,4,0\n");
    }
    free(all), free(poses);
    command_free(&r), command_free(&a), command_free(&b);
    folder_remove(dir);
}

static void generated_page_is_committed(test* t, const char* path, const char* topic, const char* shell)
{
    const char* arguments[] = {"help", topic, shell, NULL};
    command_result r = command_run(&(command){.arguments = arguments});
    char* committed = file_get(path, NULL);
    EQUAL(t, r.code, 0);
    test_check(t, committed != NULL && strcmp(committed, r.out) == 0, __FILE__, __LINE__, "%s is stale: kinema help %s %s > %s", path, topic,
               shell != NULL ? shell : "", path);
    free(committed);
    command_free(&r);
}

static void pages_are_not_stale(test* t)
{
    generated_page_is_committed(t, KIN_SOURCE_DIR "/docs/man/kinema.1", "man", NULL);
    generated_page_is_committed(t, KIN_SOURCE_DIR "/tools/completion/kinema.bash", "completion", "bash");
    generated_page_is_committed(t, KIN_SOURCE_DIR "/tools/completion/_kinema", "completion", "zsh");
    generated_page_is_committed(t, KIN_SOURCE_DIR "/tools/completion/kinema.fish", "completion", "fish");
}

static void validate_prints_its_table(test* t)
{
    KINEMA(t, a, 0, NULL, "validate", "particles/free-fall", "--quiet");
    HAS(t, a.out, "tolerance");
    HAS(t, a.out, "pass");
    HAS(t, a.out, "0 failed");
    KINEMA(t, b, 0, NULL, "validate", "particles/free-fall", "--json", "--quiet");
    HAS(t, b.out, "\"cases\"");
    HAS(t, b.out, "\"failed\": 0");
    HAS(t, b.out, "\"pass\": true");
    HAS(t, b.out, "\"name\": \"particles/free-fall\"");
    command_free(&a), command_free(&b);
}

TEST_MAIN("e2e output", TEST(stills_are_not_blank), TEST(scene_to_movie), TEST(plots_are_drawn), TEST(csv_has_a_row_a_particle_and_frame),
          TEST(csv_has_rigid_bodies), TEST(pages_are_not_stale), TEST(validate_prints_its_table))
