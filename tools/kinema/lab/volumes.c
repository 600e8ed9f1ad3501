/* volumes.c - the study of bounding volumes (Coutinho 2.2, 2.5; House & Keyser 10.2): eleven kinds and a hybrid round the same two rings, apart, close and
 * through each other. Exact tests of triangles end the descent, so all kinds find the same pairs, which is checked against all pairs. */
#include "collision/primitive/primitives.h"
#include "geometry/volumes/descent.h"
#include "geometry/volumes/links.h"
#include "lab/solids.h"
#include "math/quat.h"
#include <math.h>
#include <time.h>

enum { HYBRID = KIN_BOUND_KINDS, ROWS = HYBRID + 1, PLACES = 3 };

/* Rings of radii 1 and 0.4; the second is turned, and beside the first, nearly touching it, or through it. */
static const struct {
    const char* name;
    double x;
} places[PLACES] = {{"apart", 4}, {"close", 2.82}, {"through", 1.3}};

static kin_transform pose_of(int place) { return (kin_transform){{places[place].x, 0.1, 0.2}, kin_quat_axis_angle(kin_v(1, 0.3, 0.2), 0.6)}; }

typedef struct rings {
    const kin_mesh* mesh;
    kin_vec3* moved; /* vertices of the second, in the world */
} rings;

static bool triangles_touch(void* context, uint32_t a, uint32_t b)
{
    const rings* r = context;
    kin_vec3 first[3], second[3];
    for (int k = 0; k < 3; ++k) {
        first[k] = r->mesh->vertices[r->mesh->triangles[a][k]];
        second[k] = r->moved[r->mesh->triangles[b][k]];
    }
    return kin_triangle_triangle(first, second, NULL) != KIN_MEET_APART;
}

static void move_second(rings* r, int place)
{
    for (uint32_t i = 0; i < r->mesh->vertex_count; ++i) r->moved[i] = kin_apply(pose_of(place), r->mesh->vertices[i]);
}

static size_t count_all(rings* r)
{
    size_t count = 0;
    for (uint32_t a = 0; a < r->mesh->triangle_count; ++a)
        for (uint32_t b = 0; b < r->mesh->triangle_count; ++b) count += triangles_touch(r, a, b);
    return count;
}

static kin_bound_tree_def def_of(int row)
{
    if (row == HYBRID) return (kin_bound_tree_def){.kind = KIN_BOUND_AABB, .low_kind = KIN_BOUND_OBB, .low_levels = 4};
    return (kin_bound_tree_def){.kind = (kin_bound_kind)row};
}

static const char* name_of(int row) { return row == HYBRID ? "aabb over obb" : kin_bound_ops_of[row]->name; }

/* Begins with the mesh and room for the second ring; NULL mesh: no memory. */
static rings begin(kin_lab_study* study)
{
    rings r = {.mesh = kin_lab_torus(1, 0.4, 0.02)};
    if (r.mesh != NULL) r.moved = kin_arena_take(&study->arena, r.mesh->vertex_count * sizeof *r.moved);
    study->failed = study->failed || r.mesh == NULL || r.moved == NULL;
    return r;
}

static kin_bound_tree* build(kin_lab_study* study, const kin_mesh* mesh, int row)
{
    kin_allocator allocator = kin_allocator_default();
    const kin_primitives primitives = kin_primitives_of_mesh(mesh);
    const kin_bound_tree_def def = def_of(row);
    kin_bound_tree* tree = NULL;
    if (!study->failed) study->failed = kin_bound_tree_create(&allocator, &primitives, &def, &tree, NULL) != KIN_OK;
    return tree;
}

static void trees_table(kin_lab_study* study)
{
    static const kin_lab_column columns[] = {{"kind", "kind", NULL},           {"root", "root / body", "%.2f"},   {"leaves", "leaves / body", "%.2f"},
                                             {"nodes", "nodes", "%.0f"},       {"bytes", "bytes a node", "%.0f"}, {"build_ms", "build, ms", "%.2f"},
                                             {"refit_ms", "refit, ms", "%.2f"}};
    kin_lab_begin(
        study, "trees",
        "Trees round the triangles of a ring of radii 1 and 0.4. Root: its volume over the ring's; leaves: the sum of theirs over the ring's. Coutinho "
        "2.2; House & Keyser 10.2.",
        columns, sizeof columns / sizeof *columns);
    rings r = begin(study);
    for (int row = 0; row < ROWS && !study->failed; ++row) {
        const double body = 2 * KIN_PI * KIN_PI * 0.16;
        long began = clock();
        kin_bound_tree* tree = build(study, r.mesh, row);
        const double build_ms = kin_lab_ms(began);
        if (tree == NULL) break;
        double leaves = 0;
        for (uint32_t i = 0; i < tree->node_count; ++i) leaves += tree->nodes[i].child_count == 0 ? kin_bound_volume(&tree->bounds[i]) : 0;
        const double root = kin_bound_volume(&tree->bounds[kin_bound_tree_root(tree)]), bytes = (double)kin_bound_tree_bytes(tree) / tree->node_count;
        const kin_primitives primitives = kin_primitives_of_mesh(r.mesh);
        began = clock();
        study->failed = kin_bound_tree_refit(tree, &primitives, NULL) != KIN_OK;
        const double numbers[] = {root / body, leaves / body, tree->node_count, bytes, build_ms, kin_lab_ms(began)};
        kin_lab_word(study, name_of(row));
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) kin_lab_number(study, numbers[i]);
        kin_bound_tree_destroy(tree);
    }
    kin_mesh_destroy((kin_mesh*)r.mesh);
}

static void put_query(kin_lab_study* study, const kin_bound_tree* tree, rings* r, int place, size_t all, int row)
{
    enum { REPEATS = 5 };
    kin_allocator allocator = kin_allocator_default();
    kin_descent d;
    kin_descent_init(&d, &allocator);
    const long began = clock();
    for (int i = 0; i < REPEATS && !study->failed; ++i)
        study->failed =
            kin_descent_pairs(&d, tree, kin_transform_identity(), tree, pose_of(place), &(kin_descent_query){.test = triangles_touch, .context = r}, NULL)
            != KIN_OK;
    const double ms = kin_lab_ms(began) / REPEATS, missed = (double)all - (double)d.pair_count;
    kin_lab_word(study, places[place].name);
    kin_lab_word(study, name_of(row));
    const double numbers[] = {
        (double)d.counts.transformed, (double)d.counts.volume_tests, (double)d.counts.primitive_tests, (double)d.pair_count, fabs(missed), ms};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) kin_lab_number(study, numbers[i]);
    kin_descent_term(&d);
}

static void queries_table(kin_lab_study* study)
{
    static const kin_lab_column columns[] = {
        {"place", "place", NULL},           {"kind", "kind", NULL},     {"moved", "nodes moved", "%.0f"}, {"tests", "volumes", "%.0f"},
        {"triangles", "triangles", "%.0f"}, {"pairs", "pairs", "%.0f"}, {"wrong", "wrong", "%.0f"},       {"ms", "ms", "%.3f"}};
    kin_lab_begin(study, "queries",
                  "Two of these rings apart, close (a gap of 1 % of their size) and through each other. Volumes and triangles: pairs that were tested. Wrong: "
                  "pairs that differ in number from all "
                  "triangles against all. Moved: nodes taken into the world, one for things far apart. Coutinho 2.1, 2.5.",
                  columns, sizeof columns / sizeof *columns);
    rings r = begin(study);
    size_t all[PLACES] = {0};
    for (int place = 0; place < PLACES && !study->failed; ++place) {
        move_second(&r, place);
        all[place] = count_all(&r);
    }
    for (int row = 0; row < ROWS && !study->failed; ++row) {
        kin_bound_tree* tree = build(study, r.mesh, row);
        for (int place = 0; place < PLACES && tree != NULL; ++place) {
            move_second(&r, place);
            put_query(study, tree, &r, place, all[place], row);
        }
        kin_bound_tree_destroy(tree);
    }
    kin_mesh_destroy((kin_mesh*)r.mesh);
}

static kin_lab_table_fn* const tables[] = {trees_table, queries_table, NULL};
static kin_lab_draw_fn* const pictures[] = {NULL};

int kin_lab_volumes(const char* folder, bool json, bool quiet) { return kin_lab_study_run("volumes", tables, pictures, folder, json, quiet); }
