/* surface.c - points on a mesh: uniform ones, and blue noise of a given spacing. */
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/sample/darts.h"

#define TRIES 5.0 /* darts for each spacing^2 of area: about seven for each that fits */
#define FINEST (KIN_SAMPLE_COVER - 1)
#define STACK 96 /* halvings of the longest edge: two or three for a factor of two; from 2^26 spacings to one, and from there to the finest */

kin_result kin_sample_uniform(const kin_allocator* allocator, const kin_mesh* mesh, uint32_t count, uint64_t seed, kin_samples* out, kin_error* error)
{
    *out = (kin_samples){.allocator = *allocator};
    if (count == 0 || count > KIN_SAMPLE_MOST) return kin_fail(error, KIN_ERROR_ARGUMENT, "count", "is %u; 1 to %u are taken", count, KIN_SAMPLE_MOST);
    kin_area_table table;
    bool ok = kin_area_table_init(&table, allocator, mesh);
    for (uint32_t i = 0; i < count && ok; ++i) {
        uint64_t words[4];
        kin_rng_words(&(kin_rng_key){.seed = seed, .serial = i}, 0, words);
        uint32_t t = kin_area_table_pick(&table, words[0]);
        const uint32_t* c = mesh->triangles[t];
        ok = kin_samples_add(out, kin_sample_in_triangle(mesh->vertices[c[0]], mesh->vertices[c[1]], mesh->vertices[c[2]], words[1], words[2]), mesh, t);
    }
    kin_area_table_term(&table, allocator);
    if (ok) return KIN_OK;
    kin_samples_term(out);
    return kin_fail_memory(error, "samples", (size_t)count * sizeof *out->points);
}

/* ---- spaced ---- */

static double longest_edge(const kin_vec3 p[3], int* edge)
{
    *edge = 0; /* of a triangle that is no number, too */
    double most = -1;
    for (int k = 0; k < 3; ++k) {
        double square = kin_length2(kin_sub(p[(k + 1) % 3], p[k]));
        if (square > most) most = square, *edge = k;
    }
    return kin_sqrt(most);
}

static void corners_of(const kin_mesh* mesh, uint32_t triangle, kin_vec3 p[3])
{
    for (int k = 0; k < 3; ++k) p[k] = mesh->vertices[mesh->triangles[triangle][k]];
}

/* What the work grows with: points that fit, and pieces that needles are cut into. */
static double estimate(const kin_mesh* mesh, double area, double spacing)
{
    double sum = area / spacing / spacing;
    for (uint32_t i = 0; i < mesh->triangle_count; ++i) {
        kin_vec3 p[3];
        int edge;
        corners_of(mesh, i, p);
        sum += longest_edge(p, &edge) / spacing;
    }
    return sum;
}

static bool throw_darts(kin_darts* d, const kin_mesh* mesh, const kin_area_table* table)
{
    double darts = kin_ceil(TRIES * table->sums[table->count] / d->spacing / d->spacing);
    for (double i = 0; i < darts; ++i) {
        uint64_t words[4];
        kin_vec3 p[3];
        kin_darts_words(d, words);
        uint32_t t = kin_area_table_pick(table, words[0]);
        corners_of(mesh, t, p);
        kin_vec3 x = kin_sample_in_triangle(p[0], p[1], p[2], words[1], words[2]);
        if (kin_darts_free(d, x) && !kin_darts_add(d, x, mesh, t)) return false;
    }
    return true;
}

typedef struct piece {
    kin_vec3 p[3];
} piece;

static kin_vec3 middle_of(const piece* f) { return kin_scale(kin_add(kin_add(f->p[0], f->p[1]), f->p[2]), 1.0 / 3); }

/* Two halves, across the longest edge. */
static void halve(const piece* f, int edge, piece* stack, int* top)
{
    kin_vec3 a = f->p[edge], b = f->p[(edge + 1) % 3], c = f->p[(edge + 2) % 3], middle = kin_lerp(a, b, 0.5);
    stack[(*top)++] = (piece){{a, middle, c}};
    stack[(*top)++] = (piece){{middle, b, c}};
}

/* Halves a piece until each part is covered by one point, is given one, or is so small that who stands in the way is near enough. */
static bool fill_piece(kin_darts* d, const kin_mesh* mesh, uint32_t triangle, const piece* whole)
{
    piece stack[STACK];
    kin_darts_near near;
    stack[0] = *whole;
    int top = 1, edge;
    kin_darts_gather(d, middle_of(whole), d->spacing, &near);
    while (top > 0) {
        piece f = stack[--top];
        if (kin_darts_near_cover(&near, f.p, d->spacing)) continue;
        double length = longest_edge(f.p, &edge);
        if (length < 0.5 * d->spacing) {
            uint64_t words[4];
            kin_darts_words(d, words);
            kin_vec3 x = kin_sample_in_triangle(f.p[0], f.p[1], f.p[2], words[1], words[2]);
            if (kin_darts_near_free(&near, x, d->spacing)) {
                if (!kin_darts_add(d, x, mesh, triangle)) return false;
                kin_darts_near_add(&near, x);
            }
        }
        if (length > FINEST * d->spacing && top + 2 <= STACK) halve(&f, edge, stack, &top);
    }
    return true;
}

/* Pieces no longer than the spacing, one by one. */
static bool fill_gaps(kin_darts* d, const kin_mesh* mesh, uint32_t triangle)
{
    piece stack[STACK];
    int top = 1, edge;
    corners_of(mesh, triangle, stack[0].p);
    while (top > 0) {
        piece f = stack[--top];
        if (longest_edge(f.p, &edge) > d->spacing && top + 2 <= STACK)
            halve(&f, edge, stack, &top);
        else if (!fill_piece(d, mesh, triangle, &f))
            return false;
    }
    return true;
}

kin_result kin_sample_spaced(const kin_allocator* allocator, const kin_mesh* mesh, double spacing, uint64_t seed, kin_samples* out, kin_error* error)
{
    kin_area_table table;
    kin_darts darts = {0};
    *out = (kin_samples){.allocator = *allocator};
    if (!(spacing > 1e-100 && spacing < 1e100)) return kin_fail(error, KIN_ERROR_ARGUMENT, "spacing", "is %g m; must be more than 0", spacing);
    if (!kin_area_table_init(&table, allocator, mesh)) return kin_fail_memory(error, "areas of triangles", mesh->triangle_count * sizeof *table.sums);
    double area = table.sums[table.count], reach = kin_largest(kin_max3(kin_abs3(mesh->bounds.low), kin_abs3(mesh->bounds.high)));
    double expected = estimate(mesh, area, spacing);
    kin_result result = KIN_OK;
    if (!(expected < KIN_SAMPLE_MOST && reach < 0x1p50 * spacing))
        result = kin_fail(error, KIN_ERROR_LIMIT, "spacing", "%g m would take about %g points and pieces, or is lost in rounding; at most %u", spacing,
                          expected, KIN_SAMPLE_MOST);
    if (result == KIN_OK) {
        bool ok = kin_darts_init(&darts, out, spacing, area / spacing / spacing, seed) && throw_darts(&darts, mesh, &table);
        for (uint32_t i = 0; i < mesh->triangle_count && ok; ++i) ok = fill_gaps(&darts, mesh, i);
        kin_darts_term(&darts);
        if (!ok) result = kin_fail_memory(error, "samples", out->count * sizeof *out->points);
    }
    kin_area_table_term(&table, allocator);
    out->spacing = spacing;
    if (result != KIN_OK) kin_samples_term(out);
    return result;
}
