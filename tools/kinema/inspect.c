/* inspect.c - kinema inspect: what a mesh is, what is wrong with it, and what can be made of it. The parts are in inspect/. */
#include "base/alloc.h"
#include "base/error.h"
#include "inspect/inspection.h"
#include "io/file.h"
#include "io/mesh_read.h"
#include "math/aabb.h"
#include "progress.h"
#include "report.h"
#include "verbs.h"
#include <stdlib.h>
#include <string.h>

static void (*const parts[])(kin_inspection*) = {kin_inspect_surface, kin_inspect_defects, kin_inspect_mass,  kin_inspect_bounds, kin_inspect_hull,
                                                 kin_inspect_exact,   kin_inspect_approx,  kin_inspect_tetra, kin_inspect_sdf};
static const struct {
    const char* name;
    kin_inspect_picture_fn* draw;
} pictures[] = {{"mesh", kin_inspect_draw_mesh},   {"defects", kin_inspect_draw_defects}, {"hull", kin_inspect_draw_hull},
                {"exact", kin_inspect_draw_exact}, {"pieces", kin_inspect_draw_pieces},   {"tree", kin_inspect_draw_tree},
                {"tetra", kin_inspect_draw_tetra}, {"sdf", kin_inspect_draw_sdf},         {"voronoi", kin_inspect_draw_voronoi}};
static const char* const picture_names[] = {"mesh", "defects", "hull", "exact", "pieces", "tree", "tetra", "sdf", "voronoi", NULL};
static const char* const tree_names[] = {"sphere", "sphere-eigen", "ball", "aabb", "dop6", "dop14", "dop18", "dop26", "obb", "obb-hull", "hull", NULL};
enum { PARTS = sizeof parts / sizeof *parts, PICTURES = sizeof pictures / sizeof *pictures };

/* ---- reading ---- */

static kin_result read_mesh(kin_inspection* i, kin_error* error)
{
    const char* path = i->arguments->names[0];
    double scale = i->arguments->scale.given ? i->arguments->scale.value : 1;
    kin_mesh_data data;
    kin_result result = kin_mesh_read(&i->allocator, path, &data, error);
    if (result != KIN_OK) return result;
    for (size_t v = 0; v < data.vertex_count; ++v) data.vertices[v] = kin_scale(data.vertices[v], scale);
    kin_mesh_view view = kin_mesh_data_view(&data);
    result = kin_poly_read(&i->poly, &view, error);
    if (result == KIN_OK) result = kin_mesh_create(&i->allocator, &view, &i->mesh, error);
    if (result == KIN_OK) {
        result = kin_inspect(&i->poly, &(kin_inspect_def){.crossings = true}, &i->report, error);
        i->has_report = result == KIN_OK;
    }
    kin_mesh_data_term(&data);
    if (result == KIN_OK && !(kin_poly_copy(&i->used, &i->poly) && kin_poly_compact(&i->used))) {
        result = kin_fail(error, KIN_ERROR_MEMORY, path, "there is no memory for the mesh");
    }
    if (result != KIN_OK && strncmp(error->where, path, strlen(path)) != 0) { /* say whose face 3 it is */
        char where[sizeof error->where];
        snprintf(where, sizeof where, "%.120s%s%.120s", path, error->where[0] != 0 ? ": " : "", error->where);
        memcpy(error->where, where, sizeof where);
    }
    return result;
}

/* ---- pictures ---- */

static kin_result draw_one(kin_inspection* i, kin_easel* easel, int which, const char* folder, kin_error* error)
{
    char path[KIN_PATH_SIZE], name[64];
    snprintf(name, sizeof name, "%s.png", pictures[which].name);
    kin_result result = kin_path_make(path, folder, name, error);
    if (result == KIN_OK && strlen(path) >= sizeof *i->pictures) result = kin_fail(error, KIN_ERROR_ARGUMENT, "-o", "the name is too long");
    if (result == KIN_OK) result = pictures[which].draw(i, easel, path, error);
    if (result != KIN_OK && error->where[0] == 0) snprintf(error->where, sizeof error->where, "%.200s", path);
    if (result != KIN_OK) return result;
    if (!kin_reserve(&i->allocator, (void**)&i->pictures, &i->picture_capacity, i->picture_count + 1, sizeof *i->pictures)) {
        return kin_fail(error, KIN_ERROR_MEMORY, path, "there is no memory for its name");
    }
    memcpy(i->pictures[i->picture_count++], path, strlen(path) + 1); /* fits: see above */
    return KIN_OK;
}

/* What cannot be drawn of this mesh is said and left out. */
static int draw(kin_inspection* i)
{
    const kin_arguments* a = i->arguments;
    const char* folder = a->output != NULL ? a->output : "out/inspect";
    kin_easel easel;
    kin_error error = {0};
    int code = KIN_EXIT_DONE;
    kin_result result = kin_easel_init(&easel, a->size.given ? a->size.width : 960, a->size.given ? a->size.height : 540, (int)a->threads.value, &error);
    if (result == KIN_OK) result = kin_folder_make(folder, &error);
    for (int k = 0; k < PICTURES && result == KIN_OK; ++k) {
        if (!kin_words_have(a->draw, pictures[k].name)) continue;
        result = draw_one(i, &easel, k, folder, &error);
        kin_progress_at((uint64_t)(PARTS + k) + 1, -1);
        if (result != KIN_ERROR_ARGUMENT && result != KIN_ERROR_NUMERICS) continue;
        code = kin_complain(KIN_EXIT_FAILED, &error);
        result = KIN_OK;
    }
    kin_easel_term(&easel);
    return result == KIN_OK ? code : kin_complain(KIN_EXIT_FAILED, &error);
}

/* ---- the verb ---- */

static int look(kin_inspection* i)
{
    const kin_arguments* a = i->arguments;
    kin_facts_text(&i->facts, "file", "file", "%s", a->names[0]);
    kin_progress_begin("inspect", "part", 0, PARTS + PICTURES, a->quiet);
    for (int k = 0; k < PARTS; ++k) {
        parts[k](i);
        kin_progress_at((uint64_t)k + 1, -1);
    }
    int code = a->draw != NULL ? draw(i) : KIN_EXIT_DONE;
    kin_progress_end();
    int printed = a->json ? kin_facts_print_json(&i->facts, (const char(*)[1024])i->pictures, i->picture_count) : kin_facts_print_text(&i->facts);
    if (!a->json && i->picture_count > 0) putchar('\n');
    for (size_t k = 0; !a->json && k < i->picture_count; ++k) puts(i->pictures[k]);
    return printed != KIN_EXIT_DONE ? printed : code;
}

static void end(kin_inspection* i)
{
    kin_facts_term(&i->facts);
    kin_sdf_destroy(i->band);
    kin_tets_destroy(i->tets);
    if (i->has_approx) kin_approx_term(&i->approx);
    for (size_t k = 0; k < i->exact_count; ++k) kin_mesh_destroy(i->exact[k]);
    kin_free(&i->allocator, i->exact, i->exact_capacity * sizeof *i->exact);
    kin_free(&i->allocator, i->pictures, i->picture_capacity * sizeof *i->pictures);
    kin_hull_destroy(i->hull);
    if (i->has_report) kin_mesh_report_term(&i->report);
    kin_mesh_destroy(i->mesh);
    kin_poly_term(&i->poly);
    kin_poly_term(&i->used);
    if (i->has_workers) kin_jobs_term(&i->workers);
    free(i);
}

static int run(const kin_arguments* arguments)
{
    kin_inspection* i = calloc(1, sizeof *i);
    if (i == NULL) return kin_complain_text(KIN_EXIT_FAILED, "there is no memory to begin with");
    kin_error error = {0};
    i->arguments = arguments;
    i->allocator = kin_allocator_default();
    kin_poly_init(&i->poly, &i->allocator);
    kin_poly_init(&i->used, &i->allocator);
    kin_result result = read_mesh(i, &error);
    int code = KIN_EXIT_WRONG;
    if (result == KIN_OK) {
        result = kin_jobs_init(&i->workers, &i->allocator, NULL, (int)arguments->threads.value, &error);
        i->has_workers = result == KIN_OK;
        code = KIN_EXIT_FAILED;
    }
    code = result == KIN_OK ? look(i) : kin_complain(result == KIN_ERROR_MEMORY ? KIN_EXIT_FAILED : code, &error);
    end(i);
    return code;
}

static const kin_option options[] = {
    {.name = "draw",
     .kind = KIN_OPTION_WORDS,
     .offset = KIN_ARGUMENT(draw),
     .value = "WHAT,...",
     .choices = picture_names,
     .doc = "Pictures to draw: mesh; defects, with bad edges marked; hull; exact and pieces, the convex pieces pulled apart; tree, its bounding volumes level "
            "by level; tetra, cut open; sdf, a slice through the signed distances; voronoi, broken into 24 pieces."},
    {.name = "output",
     .letter = 'o',
     .kind = KIN_OPTION_TEXT,
     .offset = KIN_ARGUMENT(output),
     .value = "DIR",
     .doc = "Folder of the pictures; by default out/inspect."},
    {.name = "size", .kind = KIN_OPTION_SIZE, .offset = KIN_ARGUMENT(size), .value = "WxH", .low = 64, .high = 16384, .doc = "Pixels; by default 960x540."},
    {.name = "scale",
     .kind = KIN_OPTION_DECIMAL,
     .offset = KIN_ARGUMENT(scale),
     .value = "S",
     .doc = "Metres a unit of the file: 0.001 for millimetres; by default 1."},
    {.name = "density", .kind = KIN_OPTION_DECIMAL, .offset = KIN_ARGUMENT(density), .value = "RHO", .doc = "kg/m^3, for the mass; by default 1000."},
    {.name = "concavity",
     .kind = KIN_OPTION_DECIMAL,
     .offset = KIN_ARGUMENT(concavity),
     .value = "M",
     .doc = "How far hulls may stand off the mesh, in metres; by default 2 % of its diagonal."},
    {.name = "pieces", .kind = KIN_OPTION_NUMBER, .offset = KIN_ARGUMENT(pieces), .value = "N", .low = 1, .high = 4096, .doc = "Hulls at most; by default 64."},
    {.name = "exact",
     .kind = KIN_OPTION_NUMBER,
     .offset = KIN_ARGUMENT(exact),
     .value = "N",
     .high = 1000000,
     .doc = "Exact convex pieces are tried of meshes with up to N reflex edges; by default 64. The work grows with the square."},
    {.name = "resolution",
     .kind = KIN_OPTION_NUMBER,
     .offset = KIN_ARGUMENT(resolution),
     .value = "N",
     .low = 4,
     .high = 2048,
     .doc = "Cells of the signed distance field along the longest side; by default 64."},
    {.name = "tree",
     .kind = KIN_OPTION_TEXT,
     .offset = KIN_ARGUMENT(tree),
     .value = "KIND",
     .choices = tree_names,
     .doc = "Bounding volumes of the tree that is drawn; by default obb."},
    {.name = "level",
     .kind = KIN_OPTION_NUMBER,
     .offset = KIN_ARGUMENT(level),
     .value = "N",
     .high = 64,
     .doc = "Draw this level of the tree; by default 0 to 5."},
    KIN_OPTION_THREADS,
    KIN_OPTION_JSON,
    KIN_OPTION_QUIET,
    {0},
};

const kin_verb kin_verb_inspect = {
    .name = "inspect",
    .usage = "MESH",
    .least = 1,
    .most = 1,
    .operand = KIN_OPERAND_FILE,
    .options = options,
    .run = run,
    .summary = "Inspect a mesh file: volume, mass, defects, hull, pieces; draw each.",
    .doc = "MESH is any mesh file that a scene can read. What needs a closed mesh and does not get one is said, and the rest is done all the same. The paths "
           "of pictures are "
           "printed last.",
};
