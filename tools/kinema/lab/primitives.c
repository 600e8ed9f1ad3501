/* primitives.c - the study of primitive tests (Coutinho 2.5; House & Keyser 3.5, 10.12): do two simple things touch? Each test against GJK's signed distance on
 * random pairs; two closed meshes through each other, region by region; and points in meshes by rays and by winding. */
#include "collision/primitive/primitives.h"
#include "base/rng.h"
#include "collision/narrow/distance.h"
#include "collision/primitive/overlaps.h"
#include "collision/primitive/winding.h"
#include "lab/solids.h"
#include "math/quat.h"
#include <math.h>
#include <time.h>

/* ---- pairs ---- */

typedef enum kind { SPHERE, BOX, TURNED_BOX, SEGMENT, TRIANGLE } kind;

typedef struct thing {
    kind kind;
    kin_vec3 p[3]; /* corners; the middle of a sphere */
    double radius;
    kin_obb box;
} thing;

typedef bool touch_fn(const thing* a, const thing* b);

static bool sphere_sphere(const thing* a, const thing* b) { return kin_sphere_sphere(a->p[0], a->radius, b->p[0], b->radius); }
static bool sphere_box(const thing* a, const thing* b) { return kin_sphere_overlaps_obb((kin_bound_sphere){a->p[0], a->radius}, b->box); }
static bool sphere_triangle(const thing* a, const thing* b) { return kin_sphere_triangle(a->p[0], a->radius, b->p); }
static bool segment_sphere(const thing* a, const thing* b)
{
    double fraction;
    return kin_segment_sphere(a->p, b->p[0], b->radius, &fraction);
}
static kin_aabb aabb_of(const thing* t) { return (kin_aabb){kin_sub(t->box.center, t->box.half), kin_add(t->box.center, t->box.half)}; }
static bool box_box(const thing* a, const thing* b) { return kin_aabb_overlaps(aabb_of(a), aabb_of(b)); }
static bool turned_boxes(const thing* a, const thing* b) { return kin_obb_overlaps(&a->box, &b->box); }
static bool box_triangle(const thing* a, const thing* b) { return kin_box_triangle(aabb_of(a), b->p); }
static bool turned_box_triangle(const thing* a, const thing* b) { return kin_obb_triangle(&a->box, b->p); }
static bool segment_box(const thing* a, const thing* b)
{
    double fraction;
    return kin_segment_box(a->p, aabb_of(b), &fraction);
}
static bool segment_turned_box(const thing* a, const thing* b)
{
    double fraction;
    return kin_segment_obb(a->p, &b->box, &fraction);
}
static bool segment_triangle(const thing* a, const thing* b) { return kin_segment_triangle(a->p, b->p, NULL) != KIN_MEET_APART; }
static bool triangles(const thing* a, const thing* b) { return kin_triangle_triangle(a->p, b->p, NULL) != KIN_MEET_APART; }

static const struct {
    const char *name, *source;
    kind a, b;
    touch_fn* touch;
} tests[] = {
    {"box, box", "C2.5.3", BOX, BOX, box_box},
    {"turned box, turned box", "C2.5.3", TURNED_BOX, TURNED_BOX, turned_boxes},
    {"sphere, sphere", "C2.5.4", SPHERE, SPHERE, sphere_sphere},
    {"triangle, triangle", "C2.5.5", TRIANGLE, TRIANGLE, triangles},
    {"sphere, turned box", "C2.5.6", SPHERE, TURNED_BOX, sphere_box},
    {"box, triangle", "C2.5.7", BOX, TRIANGLE, box_triangle},
    {"turned box, triangle", "C2.5.7", TURNED_BOX, TRIANGLE, turned_box_triangle},
    {"sphere, triangle", "C2.5.8", SPHERE, TRIANGLE, sphere_triangle},
    {"segment, sphere", "C2.5.9", SEGMENT, SPHERE, segment_sphere},
    {"segment, triangle", "C2.5.10", SEGMENT, TRIANGLE, segment_triangle},
    {"segment, box", "C2.5.11", SEGMENT, BOX, segment_box},
    {"segment, turned box", "C2.5.11", SEGMENT, TURNED_BOX, segment_turned_box},
};
enum { TESTS = sizeof tests / sizeof *tests, PAIRS = 20000 };

typedef struct draws {
    kin_rng_key key;
    uint32_t next;
} draws;

static double draw(draws* d, double low, double high) { return kin_rng_uniform(&d->key, d->next++, low, high); }
static kin_vec3 draw3(draws* d, double size)
{
    const double x = draw(d, -size, size), y = draw(d, -size, size);
    return kin_v(x, y, draw(d, -size, size));
}

/* About 1 m large, its middle within 1 m of the origin. */
static thing draw_thing(draws* d, kind what)
{
    thing t = {.kind = what, .radius = draw(d, 0.2, 1)};
    const kin_vec3 middle = draw3(d, 1), axis = kin_add(draw3(d, 1), kin_v(0, 0, 1.001));
    const double angle = what == TURNED_BOX ? draw(d, 0, 3) : 0, x = draw(d, 0.1, 1), y = draw(d, 0.1, 1);
    t.box = (kin_obb){middle, kin_quat_to_matrix(kin_quat_axis_angle(axis, angle)), {x, y, draw(d, 0.1, 1)}};
    for (int k = 0; k < 3; ++k) t.p[k] = what == SPHERE ? middle : kin_add(middle, draw3(d, 1));
    return t;
}

static kin_transform pose_of(const thing* t)
{
    if (t->kind == SPHERE) return (kin_transform){t->p[0], {0, 0, 0, 1}};
    if (t->kind == BOX || t->kind == TURNED_BOX) return (kin_transform){t->box.center, kin_quat_from_matrix(t->box.axes)};
    return kin_transform_identity();
}

static kin_convex convex_of(const thing* t)
{
    if (t->kind == SPHERE) return (kin_convex){.core = KIN_CORE_POINT, .radius = t->radius};
    if (t->kind == BOX || t->kind == TURNED_BOX) return (kin_convex){.core = KIN_CORE_BOX, .half = t->box.half};
    return (kin_convex){.core = KIN_CORE_TRIANGLE, .p = {t->p[0], t->p[1], t->kind == SEGMENT ? t->p[1] : t->p[2]}};
}

static double gap_of(const thing* a, const thing* b)
{
    const kin_convex ca = convex_of(a), cb = convex_of(b);
    kin_gap gap;
    kin_convex_distance(&ca, &cb, kin_transform_between(pose_of(a), pose_of(b)), NULL, &gap);
    return gap.distance;
}

static void tests_table(kin_lab_study* study)
{
    static const kin_lab_column columns[] = {{"pair", "pair", NULL},
                                             {"source", "source", NULL},
                                             {"touching", "touching, %", "%.1f"},
                                             {"differ", "differ", "%.0f"},
                                             {"farthest", "farthest, m", "%.1e"},
                                             {"ns", "ns", "%.1f"},
                                             {"gjk_ns", "distance, ns", "%.1f"}};
    thing *a = kin_arena_take(&study->arena, PAIRS * sizeof *a), *b = kin_arena_take(&study->arena, PAIRS * sizeof *b);
    bool* touching = kin_arena_take(&study->arena, PAIRS * sizeof *touching);
    double* gap = kin_arena_take(&study->arena, PAIRS * sizeof *gap);
    kin_lab_begin(
        study, "tests",
        "20,000 random pairs each against their signed distance (closed forms, GJK and EPA): how many touch, how many answers differ and how far such a "
        "pair is from touching (rounding, if anything), and the time of a test and of a distance.",
        columns, sizeof columns / sizeof *columns);
    study->failed = study->failed || a == NULL || b == NULL || touching == NULL || gap == NULL;
    for (int k = 0; k < TESTS && !study->failed; ++k) {
        draws d = {{.seed = 18, .serial = (uint64_t)k}, 0};
        for (int i = 0; i < PAIRS; ++i) a[i] = draw_thing(&d, tests[k].a), b[i] = draw_thing(&d, tests[k].b);
        const long began = clock();
        for (int i = 0; i < PAIRS; ++i) touching[i] = tests[k].touch(&a[i], &b[i]);
        const double ms = kin_lab_ms(began);
        const long again = clock();
        for (int i = 0; i < PAIRS; ++i) gap[i] = gap_of(&a[i], &b[i]);
        const double gap_ms = kin_lab_ms(again);
        int count = 0, differ = 0;
        double farthest = 0;
        for (int i = 0; i < PAIRS; ++i) {
            count += touching[i];
            if (touching[i] == (gap[i] <= 0)) continue;
            ++differ;
            farthest = fmax(farthest, fabs(gap[i]));
        }
        kin_lab_word(study, tests[k].name);
        kin_lab_word(study, tests[k].source);
        kin_lab_number(study, 100.0 * count / PAIRS);
        kin_lab_number(study, differ);
        kin_lab_number(study, farthest);
        kin_lab_number(study, 1e6 * ms / PAIRS);
        kin_lab_number(study, 1e6 * gap_ms / PAIRS);
    }
}

/* ---- meshes through each other ---- */

static kin_trimesh* trimesh_of(kin_lab_study* study, kin_mesh* mesh)
{
    kin_allocator allocator = kin_allocator_default();
    kin_trimesh* trimesh = NULL;
    study->failed = study->failed || mesh == NULL || kin_trimesh_create(&allocator, mesh, &trimesh, NULL) != KIN_OK;
    return trimesh;
}

/* A ring stands through the hole of another: beside it, through it once, linked (they touch nowhere) and along its axis, which gives two regions. */
static const struct {
    const char* name;
    kin_transform pose;
} places[] = {{"apart", {{3, 0, 0}, {0, 0, 0, 1}}},
              {"one region", {{2.5, 0.05, 0.1}, {0, 0, 0, 1}}},
              {"linked", {{1, 0, 0}, {0.7071067811865476, 0, 0, 0.7071067811865476}}},
              {"two regions", {{1.1, 0.02, 0.03}, {0, 0, 0, 1}}}};

static void meshes_table(kin_lab_study* study)
{
    static const kin_lab_column columns[] = {{"place", "place", NULL},     {"regions", "regions", "%.0f"}, {"crossings", "crossings", "%.0f"},
                                             {"inside", "inside", "%.0f"}, {"area", "area, m^2", "%.4f"},  {"depth", "depth, m", "%.4f"},
                                             {"ms", "ms", "%.3f"}};
    kin_allocator allocator = kin_allocator_default();
    kin_lab_begin(
        study, "meshes",
        "Two rings of triangles (radii 1 and 0.3 m): the curves along which they cross, vertices of each inside the other, and of the deepest region the "
        "area of its curves and its depth along the normal. Coutinho 2.5.14.",
        columns, sizeof columns / sizeof *columns);
    kin_trimesh* ring = trimesh_of(study, kin_lab_torus(1, 0.3, 5e-3));
    kin_overlaps overlaps;
    kin_overlaps_init(&overlaps, &allocator);
    for (size_t i = 0; i < sizeof places / sizeof *places && !study->failed; ++i) {
        const long began = clock();
        study->failed = kin_trimesh_overlaps(ring, ring, places[i].pose, NULL, &overlaps, NULL) != KIN_OK;
        const double ms = kin_lab_ms(began);
        double inside = 0, area = 0, depth = 0;
        for (uint32_t k = 0; k < overlaps.count; ++k) {
            const kin_overlap* o = &overlaps.data[k];
            inside += o->inside_a_count + o->inside_b_count;
            if (o->depth > depth) depth = o->depth, area = o->area;
        }
        kin_lab_word(study, places[i].name);
        kin_lab_number(study, overlaps.count);
        kin_lab_number(study, overlaps.crossings.count);
        kin_lab_number(study, inside);
        kin_lab_number(study, area);
        kin_lab_number(study, depth);
        kin_lab_number(study, ms);
    }
    kin_overlaps_term(&overlaps);
    kin_trimesh_destroy(ring);
}

/* ---- points in meshes ---- */

enum { POINTS = 4000, HOLED = 1 };

/* The ring, whole or without one triangle in fifty. */
static kin_mesh* ring_without(kin_lab_study* study, bool holed)
{
    kin_allocator allocator = kin_allocator_default();
    kin_mesh *whole = kin_lab_torus(1, 0.4, 5e-3), *mesh = NULL;
    if (!holed || whole == NULL) return whole;
    uint32_t count = 0, *corners = kin_arena_take(&study->arena, whole->triangle_count * 3 * sizeof *corners);
    uint32_t* sizes = kin_arena_take(&study->arena, whole->triangle_count * sizeof *sizes);
    for (uint32_t t = 0; t < whole->triangle_count && corners != NULL && sizes != NULL; ++t) {
        if (t % 50 == 0) continue;
        for (int k = 0; k < 3; ++k) corners[3 * count + (uint32_t)k] = whole->triangles[t][k];
        sizes[count++] = 3;
    }
    const kin_mesh_view view = {whole->vertices, whole->vertex_count, sizes, corners, count};
    if (count > 0 && kin_mesh_create(&allocator, &view, &mesh, NULL) != KIN_OK) mesh = NULL;
    kin_mesh_destroy(whole);
    return mesh;
}

static bool in_ring(kin_vec3 x)
{
    const double across = sqrt(x.x * x.x + x.z * x.z) - 1;
    return across * across + x.y * x.y < 0.16;
}

static void put_inside(kin_lab_study* study, const char* mesh, const char* method, int wrong, double ms)
{
    kin_lab_word(study, mesh);
    kin_lab_word(study, method);
    kin_lab_number(study, 100.0 * wrong / POINTS);
    kin_lab_number(study, 1e3 * ms / POINTS);
}

static void inside_table(kin_lab_study* study)
{
    static const kin_lab_column columns[] = {{"mesh", "ring", NULL}, {"method", "method", NULL}, {"wrong", "wrong, %", "%.2f"}, {"us", "us a point", "%.2f"}};
    static const char* const names[2] = {"whole", "holed"};
    kin_lab_begin(study, "inside",
                  "4,000 points in the box of a ring, inside or outside by six rays (Coutinho 2.5.13) and by the winding number, of the ring whole and of one "
                  "without each 50th triangle. A whole one errs where its triangles, within 5 mm, part from the round surface.",
                  columns, sizeof columns / sizeof *columns);
    for (int holed = 0; holed < 2 && !study->failed; ++holed) {
        kin_trimesh* ring = trimesh_of(study, ring_without(study, holed == HOLED));
        for (int method = 0; method < 2 && !study->failed; ++method) {
            draws d = {{.seed = 18, .serial = 100}, 0};
            int wrong = 0;
            const long began = clock();
            for (int i = 0; i < POINTS; ++i) {
                const kin_vec3 x = kin_mul(draw3(&d, 1), kin_v(1.4, 0.4, 1.4));
                wrong += in_ring(x) != (method == 0 ? kin_trimesh_inside(ring, x) : kin_mesh_winds(ring->mesh, x));
            }
            put_inside(study, names[holed], method == 0 ? "rays" : "winding", wrong, kin_lab_ms(began));
        }
        kin_trimesh_destroy(ring);
    }
}

static kin_lab_table_fn* const tables[] = {tests_table, meshes_table, inside_table, NULL};
static kin_lab_draw_fn* const pictures[] = {NULL};

int kin_lab_primitives(const char* folder, bool json, bool quiet) { return kin_lab_study_run("primitives", tables, pictures, folder, json, quiet); }
