/* inspect_test.c - kinema inspect: the numbers of bodies that are known, meshes that are not closed, and the pictures. */
#include "scenes.h"
#include <math.h>
#include <png.h>

/* 2 x 3 m, arms 1 m wide, 1 m deep; one reflex edge. */
static const char* const l_prism = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 3 0\nv 0 3 0\nv 0 0 1\nv 2 0 1\nv 2 1 1\nv 1 1 1\nv 1 3 1\nv 0 3 1\n"
                                   "f 7 8 9 10 11 12\nf 6 5 4 3 2 1\nf 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n";
/* A unit cube without one of its sides. */
static const char* const open_box = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                                    "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 2 3 7 6\n";

/* A number of a group, the first of a list; NaN: not there. */
static double fact(const char* json, const char* group, const char* key)
{
    char mark[64], body[4096], text[64];
    snprintf(mark, sizeof mark, "\n  \"%s\": {", group);
    const char* at = strstr(json, mark);
    const char* end = at != NULL ? strstr(at, "\n  }") : NULL;
    if (end == NULL) return NAN;
    at += strlen(mark);
    snprintf(body, sizeof body, "%.*s", (int)(end - at), at);
    json_value(body, key, text, sizeof text);
    const char* number = text + strspn(text, "[ ");
    return number[0] == 0 ? NAN : atof(number);
}

/* Volume, centre and inertia of two boxes joined, by hand: 2 x 1 x 1 below, 1 x 2 x 1 on its left. */
static void known_body(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    file_put(path_in(dir, "l.obj"), l_prism);
    KINEMA(t, r, 0, dir, "inspect", "l.obj", "--json", "--quiet", "--density", "500");
    HAS(t, r.out, "\"file\": \"l.obj\"");
    HAS(t, r.out, "\"closed\": true");
    HAS(t, r.out, "\"summary\": \"sound\"");
    EQUAL(t, fact(r.out, "surface", "vertices"), 12);
    EQUAL(t, fact(r.out, "surface", "edges"), 18);
    EQUAL(t, fact(r.out, "surface", "triangles"), 20);
    EQUAL(t, fact(r.out, "surface", "genus"), 0);
    NEAR(t, fact(r.out, "surface", "area"), 18, 1e-12);
    NEAR(t, fact(r.out, "mass", "volume"), 4, 1e-12);
    NEAR(t, fact(r.out, "mass", "mass"), 2000, 1e-9);
    NEAR(t, fact(r.out, "mass", "center"), 0.75, 1e-12);
    NEAR(t, fact(r.out, "mass", "inertia"), 500 * (2 * (2.0 / 12 + 0.5625) + 2 * (5.0 / 12 + 0.5625)), 1e-9);
    NEAR(t, fact(r.out, "hull", "volume"), 5, 1e-12);
    NEAR(t, fact(r.out, "hull", "filled"), 80, 1e-9);
    EQUAL(t, fact(r.out, "exact", "reflex_edges"), 1);
    EQUAL(t, fact(r.out, "exact", "joe_pieces"), 2);
    EQUAL(t, fact(r.out, "exact", "notch_pieces"), 2);
    EQUAL(t, fact(r.out, "approximate", "pieces"), 2);
    NEAR(t, fact(r.out, "tetrahedra", "volume"), 4, 1e-9);
    NEAR(t, fact(r.out, "bounds", "aabb"), 6, 1e-12);
    CHECK(t, fact(r.out, "distances", "scanline_bytes") < fact(r.out, "distances", "full_bytes"));
    command_free(&r);
    folder_remove(dir);
}

static void options_count(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    file_put(path_in(dir, "l.obj"), l_prism);
    KINEMA(t, a, 0, dir, "inspect", "l.obj", "--json", "-q", "--scale", "1e-3", "--exact", "0", "--pieces", "1", "--resolution", "16");
    NEAR(t, fact(a.out, "mass", "volume"), 4e-9, 1e-21);
    HAS(t, a.out, "more than 0 reflex edges");
    EQUAL(t, fact(a.out, "approximate", "pieces"), 1);
    NEAR(t, fact(a.out, "distances", "cell"), 3e-3 / 16, 1e-15);
    KINEMA(t, b, 0, dir, "inspect", "l.obj", "--json", "-q", "--concavity", "2"); /* the hull alone is nearer than that */
    EQUAL(t, fact(b.out, "approximate", "pieces"), 1);
    command_free(&a), command_free(&b);
    folder_remove(dir);
}

static void open_meshes(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    file_put(path_in(dir, "open.obj"), open_box);
    KINEMA(t, a, 0, dir, "inspect", "open.obj", "--quiet");
    HAS(t, a.out, "closed              no");
    HAS(t, a.out, "holes               1");
    HAS(t, a.out, "Mass\n  not done            the mesh is not closed");
    HAS(t, a.out, "Convex hull\n  vertices            8");
    CHECK(t, strstr(a.out, "nan") == NULL);
    KINEMA(t, b, 1, dir, "inspect", "open.obj", "--quiet", "--draw", "sdf,defects", "--size", "64x64"); /* draws what it can */
    HAS(t, b.err, "sdf.png: there is nothing to draw");
    HAS(t, b.out, "\nout/inspect/defects.png\n");
    EQUAL(t, folder_count(path_in(dir, "out/inspect"), ".png"), 1);
    command_free(&a), command_free(&b);
    folder_remove(dir);
}

/* A far vertex of no face is told and counts for nothing; a body inside out has no mass. */
static void odd_meshes(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    file_put(path_in(dir, "stray.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 9 9 9\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
    file_put(path_in(dir, "out.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 1 3 4\n");
    KINEMA(t, a, 0, dir, "inspect", "stray.obj", "--json", "--quiet");
    EQUAL(t, fact(a.out, "defects", "unused_vertices"), 1);
    EQUAL(t, fact(a.out, "hull", "vertices"), 4);
    NEAR(t, fact(a.out, "bounds", "aabb"), 1, 1e-12);
    NEAR(t, fact(a.out, "mass", "volume"), 1.0 / 6, 1e-15);
    KINEMA(t, b, 0, dir, "inspect", "out.obj", "--json", "--quiet");
    EQUAL(t, fact(b.out, "defects", "inside_out"), 1);
    CHECK(t, isnan(fact(b.out, "mass", "volume")) && isnan(fact(b.out, "exact", "notch_pieces")));
    HAS(t, b.out, "its faces look inwards");
    command_free(&a), command_free(&b);
    folder_remove(dir);
}

static void wrong_input(test* t)
{
    char dir[256];
    folder_create(dir, sizeof dir);
    file_put(path_in(dir, "nan.obj"), "v 0 0 0\nv 1 0 nan\nv 1 1 0\nf 1 2 3\n");
    file_put(path_in(dir, "line.obj"), "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n");
    KINEMA(t, a, 2, dir, "inspect", "none.obj");
    HAS(t, a.err, "none.obj");
    KINEMA(t, b, 2, dir, "inspect", "nan.obj");
    HAS(t, b.err, "nan.obj:2: \"nan\" is not a number");
    KINEMA(t, c, 2, dir, "inspect", "line.obj");
    HAS(t, c.err, "line.obj: no face of the mesh has an area");
    KINEMA(t, d, 2, dir, "inspect", "line.obj", "--draw", "mesh,hulk");
    HAS(t, d.err, "\"hulk\" is not one of mesh, defects, hull");
    KINEMA(t, e, 2, dir, "inspect", "line.obj", "--scale", "-1");
    HAS(t, e.err, "\"-1\" is not a number above 0");
    KINEMA(t, f, 2, dir, "inspect", "line.obj", "--density", "0x10");
    HAS(t, f.err, "is not a number above 0");
    KINEMA(t, g, 2, dir, "inspect");
    HAS(t, g.err, "needs MESH");
    command_free(&a), command_free(&b), command_free(&c), command_free(&d), command_free(&e), command_free(&f), command_free(&g);
    folder_remove(dir);
}

/* Share of pixels that are clearly of one hue: 0 red .. 2 blue is the strongest, by a good margin. */
static double share_of(test* t, const char* path, int strongest)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!CHECK(t, png_image_begin_read_from_file(&image, path))) return 0;
    image.format = PNG_FORMAT_RGB;
    unsigned char* pixels = malloc(PNG_IMAGE_SIZE(image));
    CHECK(t, png_image_finish_read(&image, NULL, pixels, 0, NULL));
    size_t count = (size_t)image.width * image.height, found = 0;
    for (size_t i = 0; i < count; ++i) {
        const unsigned char* p = pixels + 3 * i;
        found += p[strongest] > p[(strongest + 1) % 3] + 30 && p[strongest] > p[(strongest + 2) % 3] + 30;
    }
    free(pixels);
    return (double)found / (double)count;
}

static void pictures(test* t)
{
    static const char* const names[] = {"mesh", "defects", "hull", "exact", "pieces", "tree", "tetra", "sdf", "voronoi"};
    char dir[256];
    folder_create(dir, sizeof dir);
    file_put(path_in(dir, "l.obj"), l_prism);
    KINEMA(t, r, 0, dir, "inspect", "l.obj", "-q", "--size", "160x90", "-o", "p", "--tree", "aabb", "--level", "1", "--draw",
           "voronoi,mesh,defects,hull,exact,pieces,tree,tetra,sdf");
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        char line[64];
        snprintf(line, sizeof line, "\np/%s.png\n", names[i]);
        HAS(t, r.out, line);
    }
    EQUAL(t, folder_count(path_in(dir, "p"), ".png"), 9);
    double body = share_of(t, path_in(dir, "p/mesh.png"), 2),
           both[2] = {share_of(t, path_in(dir, "p/exact.png"), 0), share_of(t, path_in(dir, "p/exact.png"), 2)};
    CHECK(t, body > 0.1 && both[0] > 0.02 && both[1] > 0.02); /* a blue body; a piece of each colour */
    double inside = share_of(t, path_in(dir, "p/sdf.png"), 2);
    CHECK(t, inside > 0.02 && inside < 0.2 && share_of(t, path_in(dir, "p/sdf.png"), 0) > 0.3);
    command_free(&r);
    folder_remove(dir);
}

TEST_MAIN("e2e inspect", TEST(known_body), TEST(options_count), TEST(open_meshes), TEST(odd_meshes), TEST(wrong_input), TEST(pictures))
