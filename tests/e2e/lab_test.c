/* lab_test.c - kinema lab: the studies' tables hold the known numbers, and their pictures are drawn. */
#include "scenes.h"
#include <math.h>
#include <png.h>

static const double pi = 3.14159265358979323846;

/* ---- a table of the JSON: rows are found by a name or a number in them ---- */

/* From after `"key": [` of a table to its row that holds `mark`; copies that row. */
static bool row_of(const char* json, const char* table, const char* mark, char* row, size_t size)
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\": [", table);
    const char* at = strstr(json, key);
    const char* end = at != NULL ? strstr(at, "\n  ]") : NULL;
    while (at != NULL && (at = strchr(at, '{')) != NULL && at < end) {
        const char* close = strchr(at, '}');
        snprintf(row, size, "%.*s", (int)(close - at + 1), at);
        if (strstr(row, mark) != NULL) return true;
        at = close;
    }
    row[0] = 0;
    return false;
}

/* The number, or NaN for null and for what is not there. */
static double value_of(const char* json, const char* table, const char* mark, const char* key)
{
    char row[2048], text[64];
    if (!row_of(json, table, mark, row, sizeof row)) return -12345;
    json_value(row, key, text, sizeof text);
    return text[0] == 0 ? -12345 : strncmp(text, "null", 4) == 0 ? NAN : atof(text);
}

static double of_method(const char* json, const char* table, const char* method, const char* key)
{
    char mark[64];
    snprintf(mark, sizeof mark, "\"method\": \"%s\"", method);
    return value_of(json, table, mark, key);
}

/* ---- what the texts say ---- */

static void limits(test* t, const char* json) /* H7.5a, H7.5b, H7.7d, S-E, P4 */
{
    static const struct {
        const char* method;
        double decay, overshoot, oscillator; /* NAN: none */
    } rows[] = {{"euler", 2, 1, 0},
                {"semi_implicit", 2, 1, 2},
                {"average", 2, 1, 0},
                {"midpoint", 2, NAN, 0},
                {"heun", 2, NAN, 0},
                {"rk4", 2.785293563405282, NAN, 2.8284271247461903},
                {"verlet", 2, NAN, 2},
                {"velocity_verlet", 2, NAN, 2},
                {"leapfrog", 2, NAN, 2},
                {"rk45", 3.306568, NAN, 0.9971890},
                {"implicit_euler", NAN, NAN, NAN},
                {"implicit_midpoint", NAN, 2, NAN},
                {"trapezoid", NAN, 2, NAN},
                {"linear_euler", NAN, NAN, NAN},
                {"linear_trapezoid", NAN, 2, NAN}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        const double wanted[3] = {rows[i].decay, rows[i].overshoot, rows[i].oscillator};
        static const char* const keys[3] = {"decay", "overshoot", "oscillator"};
        for (int k = 0; k < 3; ++k) {
            double found = of_method(json, "limits", rows[i].method, keys[k]);
            bool right = isnan(wanted[k]) ? isnan(found) : fabs(found - wanted[k]) < 2e-6;
            test_check(t, right, __FILE__, __LINE__, "%s: %s limit %.9g, not %.9g", rows[i].method, keys[k], found, wanted[k]);
        }
    }
    NEAR(t, of_method(json, "limits", "rk4", "periods"), 2.2214, 1e-4);
    for (int k = 0; k < 3; ++k) { /* H7.5d */
        static const char* const marks[3] = {"\"damping\": 0.5,", "\"damping\": 2,", "\"damping\": 4,"};
        static const double wanted[3] = {0.5, 2, 0.5358983848622454};
        NEAR(t, value_of(json, "damping", marks[k], "euler"), wanted[k], 2e-6);
        NEAR(t, value_of(json, "damping", marks[k], "formula"), wanted[k], 1e-12);
    }
}

static void gains(test* t, const char* json) /* Fig 7.1, Fig 7.2 */
{
    static const char *const names[3] = {"euler", "midpoint", "rk4"}, *const keys[4] = {"h_2", "h_1", "h_1_2", "h_1_4"};
    static const double wanted[3][4] = {{-1, 0, 0.5, 0.75}, {1, 0.5, 0.625, 0.78125}, {1.0 / 3, 0.375, 0.6067708333333333, 0.77880859375}};
    for (int m = 0; m < 3; ++m) {
        for (int k = 0; k < 4; ++k) NEAR(t, of_method(json, "decay_gains", names[m], keys[k]), wanted[m][k], 1e-12);
    }
    NEAR(t, of_method(json, "oscillator_gains", "rk4", "p_2"), 2.0299, 5e-5);
    NEAR(t, of_method(json, "oscillator_gains", "rk4", "p_4"), 0.92505, 5e-6);
    NEAR(t, of_method(json, "oscillator_gains", "rk4", "p_16"), 0.999975, 5e-7);
}

static void growth(test* t, const char* json) /* Table D, E8 */
{
    static const char* const names[] = {"euler", "midpoint", "implicit_euler"};
    static const char* const keys[6] = {"p_8", "p_16", "p_32", "p_64", "p_128", "p_256"};
    static const int determinant[3][6] = {{1, 1, 1, 2, 5, 17}, {1, 2, 27, 429, 6856, 109683}, {1, 1, 1, 2, 5, 17}};
    static const int amplitude[3][6] = {{1, 1, 1, 3, 9, 34}, {1, 4, 54, 857, 13711, 219366}, {1, 1, 1, 3, 9, 34}};
    for (int m = 0; m < 3; ++m) {
        for (int k = 0; k < 6; ++k) {
            NEAR(t, of_method(json, "growth_determinant", names[m], keys[k]), determinant[m][k], 0);
            NEAR(t, of_method(json, "growth_amplitude", names[m], keys[k]), amplitude[m][k], 0);
        }
    }
    CHECK(t, isnan(of_method(json, "growth_determinant", "velocity_verlet", "p_8")));
}

static void costs(test* t, const char* json) /* Table 7.1 */
{
    static const struct {
        const char* method;
        double values[8];
    } rows[] = {{"euler", {2, 0.5, 0.25, 4, NAN, NAN, NAN, NAN}},
                {"midpoint", {2, 1, 0.5, 4, NAN, NAN, 1.0 / 128, 256}},
                {"rk4", {2.78529, 1.43612, 1, 4, 0.450158, 8.8858, 1.0 / 16, 64}}};
    static const char* const keys[8] = {"decay_stable_h",      "decay_stable_evaluations",      "decay_fine_h",      "decay_fine_evaluations",
                                        "oscillator_stable_h", "oscillator_stable_evaluations", "oscillator_fine_h", "oscillator_fine_evaluations"};
    for (int m = 0; m < 3; ++m) {
        for (int k = 0; k < 8; ++k) {
            double found = of_method(json, "costs", rows[m].method, keys[k]), wanted = rows[m].values[k];
            test_check(t, isnan(wanted) ? isnan(found) : fabs(found - wanted) < 1e-4, __FILE__, __LINE__, "%s: %s is %g, not %g", rows[m].method, keys[k],
                       found, wanted);
        }
    }
}

static void stiff_line(test* t, const char* json) /* S-E */
{
    const char* stiff = "\"stiffness\": 1000000\n";
    NEAR(t, value_of(json, "stiff_line", stiff, "euler_h"), 2e-6, 1e-14);
    NEAR(t, value_of(json, "stiff_line", stiff, "euler_steps"), 500000, 0);
    NEAR(t, value_of(json, "stiff_line", stiff, "euler_moved"), 1.2e-4, 1e-6);
    NEAR(t, value_of(json, "stiff_line", stiff, "implicit_moved"), 1 - pow(60.0 / 61, 60), 1e-9);
    CHECK(t, isnan(value_of(json, "stiff_line", stiff, "implicit_h")));
}

static void the_rest(test* t, const char* json) /* P4; Kepler */
{
    NEAR(t, of_method(json, "free_fall", "euler", "error"), 9.81 / 120, 1e-12);
    NEAR(t, of_method(json, "free_fall", "semi_implicit", "error"), -9.81 / 120, 1e-12);
    NEAR(t, of_method(json, "methods", "rk4", "measured"), 4, 0.1);
    NEAR(t, of_method(json, "methods", "velocity_verlet", "measured"), 2, 0.02);
    NEAR(t, of_method(json, "spring_energy", "euler", "h_1"), 1048576, 1e-6); /* (1 + 1)^20 */
    NEAR(t, of_method(json, "spring_energy", "implicit_midpoint", "h_1"), 1, 1e-9);
    CHECK(t, value_of(json, "kepler_tolerances", "\"method\": \"bulirsch_stoer\"", "off") > 1e-5); /* the first row: 1e-4 */
    CHECK(t, value_of(json, "kepler_tolerances", "\"tolerance\": 1e-12", "off") < 1e-7);
    CHECK(t, of_method(json, "kepler_steps", "velocity_verlet", "drift") < 0.1 && of_method(json, "kepler_steps", "euler", "drift") > 1);
}

/* ---- pictures ---- */

/* Pixels of the first region's colour, left of the legend. */
static double tinted(test* t, const char* path)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!CHECK(t, png_image_begin_read_from_file(&image, path))) return 0;
    image.format = PNG_FORMAT_RGB;
    unsigned char* pixels = malloc(PNG_IMAGE_SIZE(image));
    CHECK(t, png_image_finish_read(&image, NULL, pixels, 0, NULL));
    double count = 0;
    for (size_t i = 0; i < (size_t)image.width * image.height; ++i)
        count += i % image.width < 540 && pixels[3 * i] == 0x7f && pixels[3 * i + 1] == 0xb8 && pixels[3 * i + 2] == 0xd8;
    free(pixels);
    return count;
}

/* Euler is stable in a disc of area pi, implicit midpoint in the left half-plane, of which 6 x 10 is shown. */
/* H7.6: where a method meets its order, two runs tell how far off it is. h is 1/64 of a time unit, for rk4 and rk45 1/8: what the estimate leaves out is of that order, twice over where the
 * constants are largest. Tolerances: per step as e^(p / (p + 1)), per interval as e; rk45 holds them with order 4 and goes on with 5: e and e^(5/4). */
static void global_errors(test* t, const char* json)
{
    static const char* const names[] = {"euler", "semi_implicit", "midpoint", "rk4", "velocity_verlet", "implicit_euler", "trapezoid", "rk45"};
    static const char* const problems[] = {"decay", "spring", "orbit"};
    static const int orders[] = {1, 1, 2, 4, 2, 1, 2, 5};
    for (int i = 0; i < 24; ++i) {
        char mark[160];
        int order = orders[i % 8];
        snprintf(mark, sizeof mark, "\"method\": \"%s\",\n      \"order\": %d,\n      \"problem\": \"%s\"", names[i % 8], order, problems[i / 8]);
        double ratio = value_of(json, "global_error", mark, "ratio"), met = value_of(json, "global_error", mark, "measured");
        test_check(t, fabs(ratio - 1) < 0.06, __FILE__, __LINE__, "%s: estimate %g times the error", mark, ratio);
        test_check(t, fabs(met - order) < 0.2 || strcmp(names[i % 8], "rk45") == 0, __FILE__, __LINE__, "%s: order %g", mark, met);
    }
    NEAR(t, of_method(json, "global_tolerance", "adaptive_rk4", "step_power"), 0.8, 0.1);
    NEAR(t, of_method(json, "global_tolerance", "adaptive_rk4", "interval_power"), 1, 0.1);
    NEAR(t, of_method(json, "global_tolerance", "adaptive_rk45", "step_power"), 1, 0.1);
    NEAR(t, of_method(json, "global_tolerance", "adaptive_rk45", "interval_power"), 1.25, 0.1);
    CHECK(t, of_method(json, "global_tolerance", "adaptive_rk4", "interval") < 1e-7);
}

static void regions(test* t, const char* dir)
{
    double disc = tinted(t, path_in(dir, "pictures/region-euler.png")), half = tinted(t, path_in(dir, "pictures/region-implicit_midpoint.png"));
    CHECK(t, half > 10000);
    NEAR(t, disc / half, pi / 60, 0.02 * pi / 60);
}

static void integrators(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    KINEMA(t, r, 0, dir, "lab", "integrators", "--json", "-o", "pictures");
    HAS(t, r.out, "\"topic\": \"integrators\"");
    limits(t, r.out);
    gains(t, r.out);
    growth(t, r.out);
    costs(t, r.out);
    stiff_line(t, r.out);
    global_errors(t, r.out);
    the_rest(t, r.out);
    regions(t, dir);
    size_t listed = 0;
    for (const char* at = r.out; (at = strstr(at, ".png\"")) != NULL; ++at) ++listed;
    CHECK(t, listed > 10 && folder_count(path_in(dir, "pictures"), ".png") == listed);
    command_free(&r);
    folder_remove(dir);
}

static void tables_as_text(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    KINEMA(t, a, 0, dir, "lab", "integrators", "--quiet");
    HAS(t, a.out, "2.78529");
    HAS(t, a.out, "109683");
    HAS(t, a.out, "\nout/lab-integrators/regions.png\n");
    CHECK(t, strstr(a.err, "lab: ") == NULL); /* sanitizers may have their say */
    file_put(path_in(dir, "wall"), "no folder");
    KINEMA(t, b, 1, dir, "lab", "integrators", "-o", "wall/here", "--quiet");
    TEXT(t, b.out, "");
    HAS(t, b.err, "wall");
    command_free(&a), command_free(&b);
    folder_remove(dir);
}

static void studies_are_listed(test* t)
{
    KINEMA(t, a, 0, NULL, "lab");
    KINEMA(t, b, 0, NULL, "list", "labs");
    TEXT(t, a.out, b.out);
    HAS(t, a.out, "integrators ");
    HAS(t, a.out, "collision ");
    KINEMA(t, c, 2, NULL, "lab", "integrator");
    HAS(t, c.err, "did you mean integrators?");
    KINEMA(t, d, 0, NULL, "help", "lab");
    HAS(t, d.out, "--output DIR");
    command_free(&a), command_free(&b), command_free(&c), command_free(&d);
}

/* Straight, turning and tipping meetings have closed forms; advancement finds them all to its tolerance, the others miss what they are known to miss. */
static void collision(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    KINEMA(t, r, 0, dir, "lab", "collision", "--json", "-o", "pictures");
    static const char* const names[4] = {"faces, straight", "through a thin plate", "turning rod, its flank", "turning rod, its tip"};
    for (int i = 0; i < 4; ++i) {
        char mark[64];
        snprintf(mark, sizeof mark, "\"meeting\": \"%s\"", names[i]);
        double exact = value_of(r.out, "impacts", mark, "exact");
        NEAR(t, value_of(r.out, "impacts", mark, "advance"), exact, 2e-6);
        CHECK(t, isnan(value_of(r.out, "impacts", mark, "bisect")) == (i > 0));
    }
    NEAR(t, value_of(r.out, "impacts", "\"faces, straight\"", "bisect"), 0.75, 2e-6);
    NEAR(t, value_of(r.out, "impacts", "\"through a thin plate\"", "features"), 0.94 / 3, 1e-9);
    CHECK(t, isnan(value_of(r.out, "impacts", "\"turning rod, its tip\"", "features"))); /* the chord of its tip passes below */
    const char* large = "\"vertices\": 500";
    CHECK(t, value_of(r.out, "coherence", large, "apart") < 1e-13);
    CHECK(t, value_of(r.out, "coherence", large, "vclip_warm") < 2 && value_of(r.out, "coherence", large, "vclip_cold") > 20);
    CHECK(t, value_of(r.out, "coherence", large, "gjk_warm") < value_of(r.out, "coherence", large, "gjk_cold"));
    EQUAL(t, folder_count(path_in(dir, "pictures"), ".png"), 2);
    command_free(&r);
    folder_remove(dir);
}

/* Nine broad phases find the same pairs on every motion; all against all grows with the square, the others hardly faster than the number. */
static void broad(test* t)
{
    char dir[256], mark[96];
    folder_create(dir, sizeof dir);
    KINEMA(t, r, 0, dir, "lab", "broad", "--json", "--quiet");
    static const char* const methods[9] = {"tree", "sweep", "grid", "levels", "hash", "world_tree", "octree", "kdtree", "brute"};
    static const char* const motions[5] = {"resting", "drifting", "flying", "sizes", "crowded"};
    for (int i = 0; i < 45; ++i) {
        snprintf(mark, sizeof mark, "\"method\": \"%s\",\n      \"motion\": \"%s\"", methods[i % 9], motions[i / 9]);
        EQUAL(t, value_of(r.out, "motions", mark, "wrong"), 0);
        CHECK(t, value_of(r.out, "motions", mark, "pairs") > 100 && value_of(r.out, "motions", mark, "ms") >= 0);
    }
    for (int k = 0; k < 8; ++k) {
        snprintf(mark, sizeof mark, "\"method\": \"%s\"", methods[k]);
        CHECK(t, value_of(r.out, "growth", mark, "exponent") < (k == 1 ? 1.85 : 1.5)); /* sweep: n^(5/3), as each meets n^(2/3) others along an axis */
    }
    NEAR(t, value_of(r.out, "growth", "\"method\": \"brute\"", "exponent"), 2, 0.1);
    command_free(&r);
    folder_remove(dir);
}

/* House, Keyser 9.3: what an Euler step does to a length, and which states keep their axes. */
static void rigid(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    KINEMA(t, r, 0, dir, "lab", "rigid", "--json", "--quiet", "-o", "pictures");
    NEAR(t, value_of(r.out, "growth", "\"wh\": 1\n", "matrix"), sqrt(2), 1e-12);
    NEAR(t, value_of(r.out, "growth", "\"wh\": 1\n", "quaternion"), 1.25, 1e-12);
    NEAR(t, value_of(r.out, "growth", "\"wh\": 1\n", "turn"), 2 * atan(0.5), 1e-12);
    NEAR(t, value_of(r.out, "growth", "\"wh\": 0.01\n", "steps_to_double"), 13864, 0); /* ln 2 / ln sqrt(1 + 1e-4) */
    CHECK(t, of_method(r.out, "methods", "euler", "shear") > 0.01);                    /* the first row of a method is the matrix */
    CHECK(t, fabs(of_method(r.out, "methods", "rk4", "order") - 4) < 0.1);
    EQUAL(t, folder_count(path_in(dir, "pictures"), ".png"), 1);
    command_free(&r);
    folder_remove(dir);
}

static int count_of(const char* text, const char* part)
{
    int count = 0;
    for (const char* at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) count += 1;
    return count;
}

/* Eleven kinds and the hybrid find the pairs of triangles that all against all finds, in all three places; boxes that fit better hold less and test less. */
static void volumes(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    KINEMA(t, r, 0, dir, "lab", "volumes", "--json", "--quiet");
    EQUAL(t, count_of(r.out, "\"wrong\": "), 36);
    EQUAL(t, count_of(r.out, "\"wrong\": 0"), 36);
    static const char* const nested[4] = {"\"aabb\"", "\"dop14\"", "\"dop26\"", "\"hull\""};
    for (int i = 0; i < 3; ++i) CHECK(t, value_of(r.out, "trees", nested[i], "root") > value_of(r.out, "trees", nested[i + 1], "root"));
    CHECK(t, value_of(r.out, "trees", "\"aabb over obb\"", "leaves") < 0.1 * value_of(r.out, "trees", "\"aabb\"", "leaves"));
    CHECK(t, value_of(r.out, "trees", "\"ball\"", "root") <= value_of(r.out, "trees", "\"sphere\"", "root"));
    command_free(&r);
    folder_remove(dir);
}

/* Coutinho 12.2: scanlines are exact across the axes and at most sqrt 3 too deep elsewhere, for a tenth of the memory; no tree misses a vertex. */
/* Coutinho 2.5: exact tests and distances agree; curves of two rings bound the regions; with holes in a mesh the winding number still answers. */
static void primitives(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    KINEMA(t, r, 0, dir, "lab", "primitives", "--json", "--quiet");
    EQUAL(t, count_of(r.out, "\"differ\": "), 12);
    EQUAL(t, count_of(r.out, "\"differ\": 0"), 12);
    static const char* const places[4] = {"\"apart\"", "\"one region\"", "\"linked\"", "\"two regions\""};
    static const int regions[4] = {0, 1, 0, 2};
    for (int i = 0; i < 4; ++i) EQUAL(t, value_of(r.out, "meshes", places[i], "regions"), regions[i]);
    NEAR(t, value_of(r.out, "inside", "\"whole\",\n      \"method\": \"rays\"", "wrong"), 0.5, 0.5);
    NEAR(t, value_of(r.out, "inside", "\"holed\",\n      \"method\": \"winding\"", "wrong"), 0.5, 0.5);
    command_free(&r);
    folder_remove(dir);
}

static void fields(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    KINEMA(t, r, 0, dir, "lab", "fields", "--json", "--quiet");
    EQUAL(t, count_of(r.out, "\"wrong\": "), 6);
    EQUAL(t, count_of(r.out, "\"wrong\": 0"), 6);
    EQUAL(t, count_of(r.out, "\"signs\": 0"), 18);
    NEAR(t, value_of(r.out, "storage", "\"scanlines\",\n      \"near\"", "deep"), 1, 1e-6); /* the first row: a cube along the axes */
    char row[2048];
    const char* at = strstr(r.out, "\"storage\"");
    for (int i = 0; i < 21 && at != NULL && (at = strchr(at, '{')) != NULL; ++i, ++at) {
        char text[64];
        snprintf(row, sizeof row, "%.*s", (int)(strchr(at, '}') - at + 1), at);
        json_value(row, "deep", text, sizeof text);
        CHECK(t, strcmp(text, "null") == 0 || atof(text) <= sqrt(3));
    }
    command_free(&r);
    folder_remove(dir);
}

/* House & Keyser 9.2: an aligned box that n cells fit has 1 - 1/n^2 of its inertia; everything else errs by a power of the cell above 1. */
static void mass(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    KINEMA(t, r, 0, dir, "lab", "mass", "--json", "--quiet");
    NEAR(t, value_of(r.out, "methods", "\"cells\": 8,", "moment_error"), 1 / 64.0, 1e-12); /* the first such row is the cube's */
    CHECK(t, of_method(r.out, "methods", "faces", "moment_error") < 1e-14);
    NEAR(t, value_of(r.out, "orders", "\"cube\"", "order"), 2, 1e-9);
    static const char* const solids[3] = {"\"cube, turned\"", "\"ball\"", "\"torus\""};
    for (int i = 0; i < 3; ++i) CHECK(t, value_of(r.out, "orders", solids[i], "order") > 1);
    command_free(&r);
    folder_remove(dir);
}

TEST_MAIN("e2e lab", TEST(integrators), TEST(rigid), TEST(collision), TEST(broad), TEST(volumes), TEST(primitives), TEST(fields), TEST(mass),
          TEST(tables_as_text), TEST(studies_are_listed))
