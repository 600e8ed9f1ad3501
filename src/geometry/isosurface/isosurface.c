/* isosurface.c - marching through a grid, slab by slab.
 *
 * The sign of every point is one bit; which edges and cells are cut follows for 64 at a time. A slab numbers its vertices itself: first those of its lowest
 * plane, then layer by layer. Those of the plane above belong to the next slab and are numbered by their rank in it until the slabs are joined. */
#include "geometry/isosurface/isosurface.h"
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/isosurface/cube.h"
#include <string.h>

enum { LAYERS = 8, ROW_CALL = 64 };
#define ABOVE 0x80000000u /* bit of a vertex of the next slab */
#define MOST_VALUE 3e38f

typedef struct slab {
    kin_vec3 *vertices, *normals;
    uint32_t (*triangles)[3];
    size_t vertex_count, vertex_capacity, normal_capacity, triangle_count, triangle_capacity;
    size_t first_vertex, first_triangle; /* in the whole */
    bool failed, not_finite;
} slab;

typedef struct march {
    kin_isosurface_grid grid;
    const float* values; /* or NULL: the function's */
    kin_field_fn* function;
    const void* context;
    kin_allocator allocator;
    kin_cube_table table;
    slab* slabs;
    int slab_count;
    kin_isosurface* out;
} march;

typedef struct plane {
    const float* values;
    float* own;      /* room for a function's values */
    uint64_t* bits;  /* rows of words: inside */
    uint32_t *x, *y; /* per point: number of the vertex on the edge that starts there */
} plane;

typedef struct layer { /* work space of a slab */
    const march* m;
    slab* out;
    plane low, high;
    uint32_t* z; /* per point: on the edge upward */
    uint32_t nx, ny, words;
    uint32_t k; /* of the low plane */
} layer;

/* ---- planes ---- */

static void call_rows(const march* m, uint32_t k, float* out)
{
    kin_vec3 points[ROW_CALL];
    double values[ROW_CALL];
    const kin_isosurface_grid* g = &m->grid;
    for (uint32_t j = 0; j < g->points[1]; ++j) {
        for (uint32_t i = 0; i < g->points[0]; i += ROW_CALL) {
            int count = (int)(g->points[0] - i < ROW_CALL ? g->points[0] - i : ROW_CALL);
            for (int p = 0; p < count; ++p) points[p] = kin_add_scaled(g->origin, g->cell, kin_v(i + (uint32_t)p, j, k));
            m->function(m->context, points, values, count);
            for (int p = 0; p < count; ++p) *out++ = (float)kin_clamp(values[p], -MOST_VALUE, MOST_VALUE);
        }
    }
}

static uint64_t sign_word(const float* v, uint32_t count, float level, bool* not_finite)
{
    uint64_t word = 0;
    unsigned bad = 0;
    for (uint32_t i = 0; i < count; ++i) {
        word |= (uint64_t)(v[i] <= level) << i;
        bad |= !(__builtin_fabsf(v[i]) <= MOST_VALUE);
    }
    if (bad) *not_finite = true;
    return word;
}

static void load_plane(layer* l, plane* p, uint32_t k)
{
    const march* m = l->m;
    p->values = p->own;
    if (m->values != NULL)
        p->values = m->values + (size_t)k * l->nx * l->ny;
    else
        call_rows(m, k, p->own);
    for (uint32_t j = 0; j < l->ny; ++j) {
        for (uint32_t w = 0; w < l->words; ++w) {
            uint32_t begin = 64 * w, count = l->nx - begin < 64 ? l->nx - begin : 64;
            p->bits[j * l->words + w] = sign_word(p->values + (size_t)j * l->nx + begin, count, (float)m->grid.level, &l->out->not_finite);
        }
    }
}

/* ---- vertices ---- */

static double above_level(const layer* l, float v) { return (double)v - (double)(float)l->m->grid.level; }

static kin_vec3 grid_gradient(const march* m, uint32_t i, uint32_t j, uint32_t k)
{
    const uint32_t* n = m->grid.points;
    uint32_t at[3] = {i, j, k};
    size_t step[3] = {1, n[0], (size_t)n[0] * n[1]}, here = i + step[1] * j + step[2] * k;
    double g[3];
    for (int a = 0; a < 3; ++a) { /* one-sided at the border */
        size_t up = at[a] + 1 < n[a] ? here + step[a] : here, down = at[a] > 0 ? here - step[a] : here;
        g[a] = ((double)m->values[up] - m->values[down]) / (up != here && down != here ? 2 : 1);
    }
    return kin_v(g[0], g[1], g[2]);
}

static bool add_vertex(layer* l, kin_vec3 at, kin_vec3 gradient)
{
    slab* s = l->out;
    const kin_allocator* a = &l->m->allocator;
    size_t n = s->vertex_count + 1;
    if (!kin_reserve(a, (void**)&s->vertices, &s->vertex_capacity, n, sizeof *s->vertices)) return false;
    if (l->m->grid.normals && !kin_reserve(a, (void**)&s->normals, &s->normal_capacity, n, sizeof *s->normals)) return false;
    s->vertices[s->vertex_count] = kin_add_scaled(l->m->grid.origin, l->m->grid.cell, at);
    if (l->m->grid.normals) s->normals[s->vertex_count] = kin_normalize_or(gradient, kin_v(0, 0, 0));
    s->vertex_count = n;
    return true;
}

static void cut_edge(layer* l, uint32_t i, uint32_t j, uint32_t k, int axis, float from, float to)
{
    double t = kin_cube_cut(above_level(l, from), above_level(l, to));
    kin_vec3 at = kin_add_scaled(kin_v(i, j, k), t, kin_axis(axis)), gradient = {0, 0, 0};
    if (l->m->grid.normals && l->m->values != NULL) {
        gradient = kin_lerp(grid_gradient(l->m, i, j, k), grid_gradient(l->m, i + (axis == 0), j + (axis == 1), k + (axis == 2)), t);
    }
    if (!add_vertex(l, at, gradient)) l->out->failed = true;
}

/* Bits of the points of a word that have a next one along x. */
static uint64_t edge_bits(const layer* l, uint32_t w)
{
    uint32_t left = l->nx - 1 - 64 * w;
    return left >= 64 ? ~0ull : (1ull << left) - 1;
}

/* A word moved down by one point, the next word's first point coming in. */
static uint64_t next_points(const uint64_t* row, uint32_t w, uint32_t words) { return row[w] >> 1 | (w + 1 < words ? row[w + 1] << 63 : 0); }

/* The cut edges within a plane, row by row; not owned: only their ranks. */
static void number_plane(layer* l, plane* p, uint32_t k, bool owned)
{
    uint32_t rank = 0;
    for (uint32_t j = 0; j < l->ny; ++j) {
        const uint64_t *row = p->bits + (size_t)j * l->words, *beside = row + l->words;
        const float* v = p->values + (size_t)j * l->nx;
        for (uint32_t w = 0; w < l->words; ++w) {
            for (uint64_t m = (row[w] ^ next_points(row, w, l->words)) & edge_bits(l, w); m != 0; m &= m - 1) {
                uint32_t i = 64 * w + (uint32_t)__builtin_ctzll(m);
                p->x[(size_t)j * l->nx + i] = owned ? (uint32_t)l->out->vertex_count : ABOVE | rank++;
                if (owned) cut_edge(l, i, j, k, 0, v[i], v[i + 1]);
            }
            for (uint64_t m = j + 1 < l->ny ? row[w] ^ beside[w] : 0; m != 0; m &= m - 1) {
                uint32_t i = 64 * w + (uint32_t)__builtin_ctzll(m);
                p->y[(size_t)j * l->nx + i] = owned ? (uint32_t)l->out->vertex_count : ABOVE | rank++;
                if (owned) cut_edge(l, i, j, k, 1, v[i], v[i + l->nx]);
            }
        }
    }
}

static void number_uprights(layer* l)
{
    for (uint32_t j = 0; j < l->ny; ++j) {
        for (uint32_t w = 0; w < l->words; ++w) {
            size_t word = (size_t)j * l->words + w;
            for (uint64_t m = l->low.bits[word] ^ l->high.bits[word]; m != 0; m &= m - 1) {
                uint32_t i = 64 * w + (uint32_t)__builtin_ctzll(m);
                size_t at = (size_t)j * l->nx + i;
                l->z[at] = (uint32_t)l->out->vertex_count;
                cut_edge(l, i, j, l->k, 2, l->low.values[at], l->high.values[at]);
            }
        }
    }
}

/* ---- cells ---- */

static uint32_t edge_vertex(const layer* l, size_t at, int edge)
{
    int low = kin_cube_edge_corner(edge, 0), axis = edge / 4;
    size_t point = at + (low & 1) + (low & 2 ? l->nx : 0);
    const plane* p = low & 4 ? &l->high : &l->low;
    return axis == 0 ? p->x[point] : axis == 1 ? p->y[point] : l->z[point];
}

static bool add_triangles(layer* l, size_t at, const uint8_t (*corners)[3], int count, uint32_t first_extra)
{
    slab* s = l->out;
    if (!kin_reserve(&l->m->allocator, (void**)&s->triangles, &s->triangle_capacity, s->triangle_count + (size_t)count, sizeof *s->triangles)) return false;
    for (int i = 0; i < count; ++i) {
        uint32_t* t = s->triangles[s->triangle_count++];
        for (int c = 0; c < 3; ++c) t[c] = corners[i][c] < 12 ? edge_vertex(l, at, corners[i][c]) : first_extra + corners[i][c] - 12;
    }
    return true;
}

/* A cell whose surface depends on its values. */
static bool resolve_cell(layer* l, size_t at, uint32_t i, uint32_t j)
{
    double v[8];
    kin_cube_patch patch;
    for (int c = 0; c < 8; ++c) v[c] = above_level(l, (c & 4 ? l->high : l->low).values[at + (c & 1) + (c & 2 ? l->nx : 0)]);
    kin_cube_surface(v, &patch);
    uint32_t first = (uint32_t)l->out->vertex_count;
    for (int e = 0; e < patch.extra_count; ++e) {
        const double* x = patch.extra[e];
        double g[3];
        kin_cube_value(v, x, g);
        if (!add_vertex(l, kin_v(i + x[0], j + x[1], l->k + x[2]), kin_v(g[0], g[1], g[2]))) return false;
    }
    return add_triangles(l, at, patch.corners, patch.triangle_count, first);
}

static bool add_cell(layer* l, uint32_t i, uint32_t j)
{
    const uint64_t* rows[4] = {l->low.bits + (size_t)j * l->words, l->low.bits + (size_t)(j + 1) * l->words, l->high.bits + (size_t)j * l->words,
                               l->high.bits + (size_t)(j + 1) * l->words};
    unsigned mask = 0;
    for (int r = 0; r < 4; ++r) {
        mask |= (unsigned)(rows[r][i / 64] >> i % 64 & 1) << (2 * r);
        mask |= (unsigned)(rows[r][(i + 1) / 64] >> (i + 1) % 64 & 1) << (2 * r + 1);
    }
    size_t at = (size_t)j * l->nx + i;
    int count = l->m->table.triangle_count[mask];
    return count >= 0 ? add_triangles(l, at, l->m->table.corners[mask], count, 0) : resolve_cell(l, at, i, j);
}

/* Cells with corners of both signs: of the four rows round them, and one point on. */
static void add_cells(layer* l)
{
    for (uint32_t j = 0; j + 1 < l->ny; ++j) {
        const uint64_t *a = l->low.bits + (size_t)j * l->words, *b = a + l->words, *c = l->high.bits + (size_t)j * l->words, *d = c + l->words;
        for (uint32_t w = 0; w < l->words; ++w) {
            uint64_t a1 = next_points(a, w, l->words), b1 = next_points(b, w, l->words), c1 = next_points(c, w, l->words), d1 = next_points(d, w, l->words);
            uint64_t any = a[w] | b[w] | c[w] | d[w] | a1 | b1 | c1 | d1, all = a[w] & b[w] & c[w] & d[w] & a1 & b1 & c1 & d1;
            for (uint64_t m = any & ~all & edge_bits(l, w); m != 0; m &= m - 1) {
                if (!add_cell(l, 64 * w + (uint32_t)__builtin_ctzll(m), j)) l->out->failed = true;
            }
        }
    }
}

/* ---- slabs ---- */

static bool take_plane(layer* l, plane* p, kin_arena* scratch)
{
    size_t points = (size_t)l->nx * l->ny;
    p->bits = kin_arena_take(scratch, (size_t)l->words * l->ny * sizeof *p->bits);
    p->x = kin_arena_take(scratch, points * sizeof *p->x);
    p->y = kin_arena_take(scratch, points * sizeof *p->y);
    p->own = kin_arena_take(scratch, l->m->values == NULL ? points * sizeof *p->own : 0);
    return p->bits != NULL && p->x != NULL && p->y != NULL && p->own != NULL;
}

/* A function's own gradient, by six points half a cell away. */
static void function_normals(layer* l)
{
    slab* s = l->out;
    double h = 0.5 * l->m->grid.cell;
    for (size_t i = 0; i < s->vertex_count; ++i) {
        kin_vec3 points[6];
        double v[6];
        for (int p = 0; p < 6; ++p) points[p] = kin_add_scaled(s->vertices[i], p % 2 ? -h : h, kin_axis(p / 2));
        l->m->function(l->m->context, points, v, 6);
        s->normals[i] = kin_normalize_or(kin_v(v[0] - v[1], v[2] - v[3], v[4] - v[5]), kin_v(0, 0, 0));
    }
}

static void march_slab(void* argument, int64_t begin, int64_t end, int number, kin_arena* scratch)
{
    march* m = argument;
    layer l = {.m = m, .out = &m->slabs[number], .nx = m->grid.points[0], .ny = m->grid.points[1], .words = (m->grid.points[0] + 63) / 64};
    l.z = kin_arena_take(scratch, (size_t)l.nx * l.ny * sizeof *l.z);
    if (l.z == NULL || !take_plane(&l, &l.low, scratch) || !take_plane(&l, &l.high, scratch)) {
        l.out->failed = true;
        return;
    }
    load_plane(&l, &l.low, (uint32_t)begin);
    number_plane(&l, &l.low, (uint32_t)begin, true);
    for (l.k = (uint32_t)begin; l.k < end && !l.out->failed; ++l.k) {
        bool last = l.k + 1 == end;
        load_plane(&l, &l.high, l.k + 1);
        number_plane(&l, &l.high, l.k + 1, !last || l.k + 2 == m->grid.points[2]);
        number_uprights(&l);
        if (!l.out->failed) add_cells(&l);
        plane swap = l.low;
        l.low = l.high, l.high = swap;
    }
    if (m->function != NULL && m->grid.normals && !l.out->failed) function_normals(&l);
}

static void join_slab(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    march* m = argument;
    for (int64_t n = begin; n < end; ++n) {
        const slab* s = &m->slabs[n];
        if (s->vertex_count > 0) memcpy(m->out->vertices + s->first_vertex, s->vertices, s->vertex_count * sizeof *s->vertices);
        if (m->grid.normals && s->vertex_count > 0) memcpy(m->out->normals + s->first_vertex, s->normals, s->vertex_count * sizeof *s->normals);
        uint32_t here = (uint32_t)s->first_vertex, above = (uint32_t)(s->first_vertex + s->vertex_count);
        for (size_t t = 0; t < s->triangle_count; ++t) {
            uint32_t* c = m->out->corners + 3 * (s->first_triangle + t);
            for (int k = 0; k < 3; ++k) c[k] = s->triangles[t][k] & ABOVE ? above + (s->triangles[t][k] & ~ABOVE) : here + s->triangles[t][k];
        }
    }
}

static kin_result join_slabs(march* m, kin_jobs* jobs, kin_error* error)
{
    kin_isosurface* out = m->out;
    for (int i = 0; i < m->slab_count; ++i) {
        slab* s = &m->slabs[i];
        if (s->failed) return kin_fail_memory(error, "an isosurface", (out->vertex_count + s->vertex_count) * sizeof *out->vertices);
        s->first_vertex = out->vertex_count;
        s->first_triangle = out->triangle_count;
        out->vertex_count += s->vertex_count;
        out->triangle_count += s->triangle_count;
    }
    if (out->vertex_count >= ABOVE) return kin_fail(error, KIN_ERROR_LIMIT, "", "an isosurface of %zu vertices: at most %u", out->vertex_count, ABOVE - 1);
    size_t vertex_bytes = kin_bytes(out->vertex_count, sizeof *out->vertices), corner_bytes = kin_bytes(out->triangle_count, 3 * sizeof *out->corners);
    out->vertices = kin_alloc(&m->allocator, vertex_bytes);
    out->corners = kin_alloc(&m->allocator, corner_bytes);
    if (m->grid.normals) out->normals = kin_alloc(&m->allocator, vertex_bytes);
    bool all = (out->vertices != NULL && out->corners != NULL && (out->normals != NULL || !m->grid.normals)) || out->vertex_count == 0;
    if (!all) return kin_fail_memory(error, "an isosurface", 2 * vertex_bytes + corner_bytes);
    kin_parallel_for(jobs, m->slab_count, 1, join_slab, m);
    return KIN_OK;
}

static kin_result check_grid(const kin_isosurface_grid* g, kin_error* error)
{
    for (int a = 0; a < 3; ++a) {
        if (g->points[a] < 2 || g->points[a] > 1u << 20) {
            return kin_fail(error, KIN_ERROR_ARGUMENT, "points", "%u grid points along axis %d: it must be 2 to 2^20", g->points[a], a);
        }
    }
    if ((uint64_t)g->points[0] * g->points[1] > 1u << 29)
        return kin_fail(error, KIN_ERROR_LIMIT, "points", "%u x %u points in a layer: at most 2^29", g->points[0], g->points[1]);
    if (!(g->cell > 0 && kin_finite(g->cell))) return kin_fail(error, KIN_ERROR_ARGUMENT, "cell", "the cell is %g m: it must be positive", g->cell);
    if (!kin_finite3(g->origin)) return kin_fail(error, KIN_ERROR_ARGUMENT, "origin", "the origin is not finite");
    if (!(kin_abs(g->level) < (double)MOST_VALUE)) return kin_fail(error, KIN_ERROR_ARGUMENT, "level", "the level is %g", g->level);
    return KIN_OK;
}

static bool any_not_finite(const march* m)
{
    for (int i = 0; i < m->slab_count; ++i) {
        if (m->slabs[i].not_finite) return true;
    }
    return false;
}

static void free_slabs(march* m)
{
    for (int i = 0; i < m->slab_count && m->slabs != NULL; ++i) {
        slab* s = &m->slabs[i];
        kin_free(&m->allocator, s->vertices, kin_bytes(s->vertex_capacity, sizeof *s->vertices));
        kin_free(&m->allocator, s->normals, kin_bytes(s->normal_capacity, sizeof *s->normals));
        kin_free(&m->allocator, s->triangles, kin_bytes(s->triangle_capacity, sizeof *s->triangles));
    }
    kin_free(&m->allocator, m->slabs, kin_bytes((size_t)m->slab_count, sizeof *m->slabs));
}

static kin_result extract(march* m, kin_jobs* jobs, kin_error* error)
{
    *m->out = (kin_isosurface){.allocator = m->allocator};
    kin_result result = check_grid(&m->grid, error);
    if (result != KIN_OK) return result;
    int64_t layers = (int64_t)m->grid.points[2] - 1;
    m->slab_count = kin_chunk_count(layers, LAYERS);
    m->slabs = kin_alloc_zero(&m->allocator, kin_bytes((size_t)m->slab_count, sizeof *m->slabs));
    if (m->slabs == NULL) return kin_fail_memory(error, "an isosurface", kin_bytes((size_t)m->slab_count, sizeof *m->slabs));
    kin_cube_tabulate(&m->table);
    kin_parallel_for(jobs, layers, LAYERS, march_slab, m);
    if (any_not_finite(m))
        result = kin_fail(error, KIN_ERROR_ARGUMENT, "values", "a value on the grid is not finite");
    else
        result = join_slabs(m, jobs, error);
    free_slabs(m);
    if (result != KIN_OK) kin_isosurface_term(m->out);
    return result;
}

kin_result kin_isosurface_of_grid(const kin_allocator* allocator, kin_jobs* jobs, const kin_isosurface_grid* grid, const float* values, kin_isosurface* out,
                                  kin_error* error)
{
    march m = {.grid = *grid, .values = values, .allocator = *allocator, .out = out};
    return extract(&m, jobs, error);
}

kin_result kin_isosurface_of_function(const kin_allocator* allocator, kin_jobs* jobs, const kin_isosurface_grid* grid, kin_field_fn* function,
                                      const void* context, kin_isosurface* out, kin_error* error)
{
    march m = {.grid = *grid, .function = function, .context = context, .allocator = *allocator, .out = out};
    return extract(&m, jobs, error);
}

static void sdf_values(const void* context, const kin_vec3* points, double* values, int count) { kin_sdf_sample(context, points, count, values, NULL); }

kin_result kin_isosurface_of_sdf(const kin_allocator* allocator, kin_jobs* jobs, const kin_sdf* sdf, double level, bool normals, kin_isosurface* out,
                                 kin_error* error)
{
    kin_isosurface_grid grid = {.origin = kin_sdf_bounds(sdf).low, .cell = kin_sdf_cell(sdf), .level = level, .normals = normals};
    kin_sdf_cells(sdf, grid.points);
    for (int a = 0; a < 3; ++a) grid.points[a] += 1;
    return kin_isosurface_of_function(allocator, jobs, &grid, sdf_values, sdf, out, error);
}

void kin_isosurface_term(kin_isosurface* s)
{
    size_t vertex_bytes = kin_bytes(s->vertex_count, sizeof *s->vertices);
    kin_free(&s->allocator, s->vertices, vertex_bytes);
    kin_free(&s->allocator, s->normals, vertex_bytes);
    kin_free(&s->allocator, s->corners, kin_bytes(s->triangle_count, 3 * sizeof *s->corners));
    *s = (kin_isosurface){.allocator = s->allocator};
}
