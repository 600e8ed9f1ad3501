/* volume.c - blue noise inside of a closed mesh: a grid of cells narrower than the spacing tells inside from outside; darts in those, then the gaps are filled. */
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/bvh.h"
#include "geometry/sample/darts.h"

#define TRIES 6.0 /* darts for each spacing^3 */
#define MOST_CELLS ((double)(1u << 28))
#define CELL 0.57 /* spacings: a point covers its cell */
#define LEVELS 2  /* a cell is halved so often: down to a seventh of the spacing */
#define STACK (7 * LEVELS + 2)

typedef enum side { OUTSIDE, INSIDE, BOTH } side;

typedef struct solid {
    const kin_mesh* mesh;
    kin_bvh tree;
    kin_vec3 low;
    double edge; /* of a cell, m */
    uint32_t dims[3];
    uint8_t* sides;  /* of each cell, x fastest */
    uint32_t* cells; /* those not outside */
    uint32_t cell_count;
    size_t total;
} solid;

/* ---- inside or not ---- */

/* By the nearest feature's pseudo-normal. On the surface: not. */
static bool is_inside(const solid* s, kin_vec3 x)
{
    const kin_mesh* m = s->mesh;
    double best = 1e300, reach = kin_length(kin_sub(m->bounds.high, m->bounds.low)) + kin_length(kin_sub(x, m->bounds.low));
    uint32_t nearest = UINT32_MAX;
    kin_feature feature = KIN_FEATURE_FACE;
    kin_vec3 point = x;
    kin_bvh_walk walk;
    for (kin_bvh_closest_begin(&walk, &s->tree, x, reach); kin_bvh_closest_next(&walk);) {
        for (uint32_t i = walk.begin; i < walk.end; ++i) {
            uint32_t t = s->tree.items[i];
            kin_feature f;
            kin_vec3 p = kin_closest_on_triangle(m->vertices[m->triangles[t][0]], m->vertices[m->triangles[t][1]], m->vertices[m->triangles[t][2]], x, &f);
            double square = kin_length2(kin_sub(x, p));
            if (square < best || (square == best && t < nearest)) best = square, nearest = t, feature = f, point = p;
        }
        walk.limit = kin_min(walk.limit, best * (1 + 1e-14));
    }
    return nearest != UINT32_MAX && kin_dot(kin_sub(x, point), kin_mesh_pseudo_normal(m, nearest, feature)) < 0;
}

static bool meets_surface(const solid* s, kin_vec3 low, double edge)
{
    kin_bvh_walk walk;
    kin_bvh_overlap_begin(&walk, &s->tree, (kin_aabb){low, kin_add(low, kin_v(edge, edge, edge))});
    return kin_bvh_overlap_next(&walk);
}

static kin_vec3 cell_low(const solid* s, size_t cell)
{
    size_t nx = s->dims[0], ny = s->dims[1];
    return kin_add_scaled(s->low, s->edge, kin_v((double)(cell % nx), (double)(cell / nx % ny), (double)(cell / nx / ny)));
}

static kin_vec3 middle_of(kin_vec3 low, double edge) { return kin_add(low, kin_v(0.5 * edge, 0.5 * edge, 0.5 * edge)); }

/* A cell that no triangle's box meets is on one side; beside such a one, on the same side as it. */
static void classify(solid* s)
{
    for (size_t cell = 0; cell < s->total; ++cell) {
        kin_vec3 low = cell_low(s, cell);
        side before = cell % s->dims[0] == 0 ? OUTSIDE : (side)s->sides[cell - 1]; /* rows begin outside */
        if (meets_surface(s, low, s->edge))
            s->sides[cell] = BOTH;
        else if (before != BOTH)
            s->sides[cell] = (uint8_t)before;
        else
            s->sides[cell] = is_inside(s, middle_of(low, s->edge)) ? INSIDE : OUTSIDE;
        s->cell_count += s->sides[cell] != OUTSIDE;
    }
}

/* ---- making ---- */

static void solid_term(solid* s, const kin_allocator* a)
{
    kin_bvh_term(&s->tree);
    kin_free(a, s->sides, s->total);
    kin_free(a, s->cells, s->cell_count * sizeof *s->cells);
}

static bool build_tree(solid* s, const kin_allocator* allocator)
{
    const kin_mesh* m = s->mesh;
    size_t bytes = m->triangle_count * sizeof(kin_aabb);
    kin_aabb* boxes = kin_alloc(allocator, bytes);
    kin_bvh_init(&s->tree, allocator);
    for (uint32_t i = 0; i < m->triangle_count && boxes != NULL; ++i) {
        kin_vec3 a = m->vertices[m->triangles[i][0]], b = m->vertices[m->triangles[i][1]], c = m->vertices[m->triangles[i][2]];
        boxes[i] = (kin_aabb){kin_min3(kin_min3(a, b), c), kin_max3(kin_max3(a, b), c)};
    }
    bool ok = boxes != NULL && kin_bvh_build(&s->tree, boxes, m->triangle_count);
    kin_free(allocator, boxes, bytes);
    return ok;
}

static bool build_cells(solid* s, const kin_allocator* allocator)
{
    s->sides = kin_alloc_zero(allocator, s->total);
    if (s->sides == NULL) return false;
    classify(s);
    s->cells = kin_alloc(allocator, s->cell_count * sizeof *s->cells);
    if (s->cells == NULL) return false;
    for (size_t cell = 0, n = 0; cell < s->total; ++cell)
        if (s->sides[cell] != OUTSIDE) s->cells[n++] = (uint32_t)cell;
    return true;
}

static double volume_of(const kin_mesh* m)
{
    double sum = 0;
    for (uint32_t i = 0; i < m->triangle_count; ++i) {
        const uint32_t* c = m->triangles[i];
        kin_vec3 o = m->bounds.low;
        sum += kin_triple(kin_sub(m->vertices[c[0]], o), kin_sub(m->vertices[c[1]], o), kin_sub(m->vertices[c[2]], o)) / 6;
    }
    return sum;
}

/* One cell more on each side: rows begin outside. */
static kin_result lay_grid(solid* s, double spacing, kin_error* error)
{
    double cells = 1;
    s->edge = CELL * spacing;
    s->low = kin_add(s->mesh->bounds.low, kin_v(-1.5 * s->edge, -1.5 * s->edge, -1.5 * s->edge));
    for (int k = 0; k < 3; ++k) {
        double width = kin_component(s->mesh->bounds.high, k) - kin_component(s->mesh->bounds.low, k), count = kin_ceil(width / s->edge) + 3;
        cells *= count;
        s->dims[k] = (uint32_t)kin_min(count, MOST_CELLS);
    }
    double reach = kin_largest(kin_max3(kin_abs3(s->mesh->bounds.low), kin_abs3(s->mesh->bounds.high)));
    if (!(cells < MOST_CELLS && reach < 0x1p40 * spacing))
        return kin_fail(error, KIN_ERROR_LIMIT, "spacing", "%g m would take %g cells, or is lost in rounding; at most %g", spacing, cells, MOST_CELLS);
    s->total = (size_t)cells;
    return KIN_OK;
}

/* ---- darts ---- */

static kin_vec3 dart_in(kin_vec3 low, double edge, const uint64_t words[4])
{
    return kin_add_scaled(low, edge, kin_v(kin_rng_unit(words[1]), kin_rng_unit(words[2]), kin_rng_unit(words[3])));
}

static bool throw_darts(const solid* s, kin_darts* d)
{
    double count = kin_ceil(TRIES * CELL * CELL * CELL * s->cell_count);
    for (double i = 0; i < count; ++i) {
        uint64_t words[4];
        kin_darts_words(d, words);
        uint32_t cell = s->cells[(uint32_t)(kin_rng_unit(words[0]) * s->cell_count)];
        kin_vec3 x = dart_in(cell_low(s, cell), s->edge, words);
        if (kin_darts_free(d, x) && (s->sides[cell] == INSIDE || is_inside(s, x)) && !kin_darts_add(d, x, NULL, 0)) return false;
    }
    return true;
}

typedef struct cube {
    kin_vec3 low;
    double edge;
    int level;
    side side;
} cube;

/* A few darts where the surface passes: one of them must find the inside. False: out of memory. */
static bool try_darts(const solid* s, kin_darts* d, const cube* c, kin_darts_near* near)
{
    for (int k = 0; k < (c->side == BOTH && c->level == LEVELS ? 4 : 1); ++k) {
        uint64_t words[4];
        kin_darts_words(d, words);
        kin_vec3 x = dart_in(c->low, c->edge, words);
        if (!kin_darts_near_free(near, x, d->spacing) || (c->side == BOTH && !is_inside(s, x))) continue;
        if (!kin_darts_add(d, x, NULL, 0)) return false;
        kin_darts_near_add(near, x);
    }
    return true;
}

/* Halves a cell until each part is covered by one point, is given one, or is small. */
static bool fill_gaps(const solid* s, kin_darts* d, uint32_t cell)
{
    cube stack[STACK];
    kin_darts_near near;
    int top = 1;
    stack[0] = (cube){cell_low(s, cell), s->edge, 0, (side)s->sides[cell]};
    kin_darts_gather(d, middle_of(stack[0].low, s->edge), s->edge, &near);
    while (top > 0) {
        cube c = stack[--top];
        if (kin_darts_near_cover_cube(&near, middle_of(c.low, c.edge), 0.5 * c.edge, d->spacing)) continue;
        if (c.side == BOTH && c.level > 0 && !meets_surface(s, c.low, c.edge)) c.side = is_inside(s, middle_of(c.low, c.edge)) ? INSIDE : OUTSIDE;
        if (c.side == OUTSIDE) continue;
        if (!try_darts(s, d, &c, &near)) return false;
        for (int k = 0; k < 8 && c.level < LEVELS; ++k) {
            kin_vec3 low = kin_add_scaled(c.low, 0.5 * c.edge, kin_v(k & 1, k >> 1 & 1, k >> 2));
            stack[top++] = (cube){low, 0.5 * c.edge, c.level + 1, c.side};
        }
    }
    return true;
}

kin_result kin_sample_volume(const kin_allocator* allocator, const kin_mesh* mesh, double spacing, uint64_t seed, kin_samples* out, kin_error* error)
{
    solid s = {.mesh = mesh};
    kin_darts darts = {.out = out};
    *out = (kin_samples){.allocator = *allocator};
    if (!(spacing > 1e-100 && spacing < 1e100)) return kin_fail(error, KIN_ERROR_ARGUMENT, "spacing", "is %g m; must be more than 0", spacing);
    if (!mesh->closed || !(volume_of(mesh) > 0))
        return kin_fail(error, KIN_ERROR_ARGUMENT, "mesh", "is not closed with its normals outwards: it has no inside");
    kin_result result = lay_grid(&s, spacing, error);
    if (result != KIN_OK) return result;
    bool ok = build_tree(&s, allocator) && build_cells(&s, allocator);
    ok = ok && kin_darts_init(&darts, out, spacing, 0.2 * s.cell_count, seed) && throw_darts(&s, &darts);
    for (uint32_t i = 0; i < s.cell_count && ok; ++i) ok = fill_gaps(&s, &darts, s.cells[i]);
    kin_darts_term(&darts);
    solid_term(&s, allocator);
    out->spacing = spacing;
    if (ok) return KIN_OK;
    kin_samples_term(out);
    return kin_fail_memory(error, "samples", s.total);
}
