/* height.c - making a height field, its pyramid, and who is next to whom in it. */
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/height/height_internal.h"

#define FLAT 1e-10 /* sine of the angle below which two faces count as one plane, as for meshes */

/* ---- triangles ---- */

void kin_height_sample_of(const kin_height* h, uint32_t triangle, int corner, uint32_t* i, uint32_t* j)
{
    static const uint8_t offsets[2][3][2] = {{{0, 0}, {0, 1}, {1, 0}}, {{1, 0}, {0, 1}, {1, 1}}}; /* a c b, b c d */
    uint32_t cell = triangle / 2;
    *i = cell % (h->nx - 1) + offsets[triangle % 2][corner][0];
    *j = cell / (h->nx - 1) + offsets[triangle % 2][corner][1];
}

void kin_height_corners(const kin_height* h, uint32_t triangle, kin_vec3 p[3])
{
    for (int k = 0; k < 3; ++k) {
        uint32_t i, j;
        kin_height_sample_of(h, triangle, k, &i, &j);
        p[k] = kin_height_vertex(h, i, j);
    }
}

kin_vec3 kin_height_normal(const kin_height* h, uint32_t triangle)
{
    kin_vec3 p[3];
    kin_height_corners(h, triangle, p);
    kin_vec3 n = kin_cross(kin_sub(p[1], p[0]), kin_sub(p[2], p[0]));
    return kin_scale(n, 1 / kin_length(n));
}

uint32_t kin_height_neighbor(const kin_height* h, uint32_t triangle, int edge)
{
    static const int8_t across[2][3][2] = {{{-1, 0}, {0, 0}, {0, -1}}, {{0, 0}, {0, 1}, {1, 0}}};
    uint32_t cell = triangle / 2;
    return kin_height_number(h, (int64_t)(cell % (h->nx - 1)) + across[triangle % 2][edge][0], (int64_t)(cell / (h->nx - 1)) + across[triangle % 2][edge][1],
                             1 - triangle % 2);
}

int kin_height_star(const kin_height* h, uint32_t i, uint32_t j, uint32_t star[6])
{
    static const int8_t cells[6][2] = {{-1, -1}, {0, -1}, {0, -1}, {-1, 0}, {-1, 0}, {0, 0}};
    static const uint8_t halves[6] = {1, 0, 1, 0, 1, 0}, corners[6] = {2, 1, 1, 2, 0, 0};
    int count = 0;
    for (int k = 0; k < 6; ++k) {
        uint32_t triangle = kin_height_number(h, (int64_t)i + cells[k][0], (int64_t)j + cells[k][1], halves[k]);
        if (triangle != KIN_HEIGHT_NONE) star[count++] = triangle * 4 + corners[k];
    }
    return count;
}

kin_vec3 kin_height_pseudo_normal(const kin_height* h, uint32_t triangle, kin_feature feature)
{
    kin_vec3 sum = kin_height_normal(h, triangle);
    if (feature == KIN_FEATURE_FACE) return sum;
    if (feature < KIN_FEATURE_CORNER0) {
        uint32_t other = kin_height_neighbor(h, triangle, (int)(feature - KIN_FEATURE_EDGE0));
        return other == KIN_HEIGHT_NONE ? sum : kin_add(sum, kin_height_normal(h, other));
    }
    uint32_t i, j, star[6];
    kin_height_sample_of(h, triangle, (int)(feature - KIN_FEATURE_CORNER0), &i, &j);
    int count = kin_height_star(h, i, j, star);
    sum = kin_v(0, 0, 0);
    for (int n = 0; n < count; ++n) {
        kin_vec3 p[3];
        uint32_t k = star[n] % 4;
        kin_height_corners(h, star[n] / 4, p);
        sum = kin_add_scaled(sum, kin_angle(kin_sub(p[(k + 1) % 3], p[k]), kin_sub(p[(k + 2) % 3], p[k])), kin_height_normal(h, star[n] / 4));
    }
    return kin_normalize_or(sum, kin_v(0, 1, 0));
}

/* ---- sharp edges ---- */

/* Can a sphere touch edge k before either of its faces? If it is convex, or the end of the ground. */
static bool edge_is_sharp(const kin_height* h, uint32_t triangle, int k)
{
    uint32_t other = kin_height_neighbor(h, triangle, k);
    if (other == KIN_HEIGHT_NONE) return true;
    kin_vec3 p[3], n = kin_height_normal(h, triangle), m = kin_height_normal(h, other);
    kin_height_corners(h, triangle, p);
    double sine = kin_triple(n, m, kin_normalize_or(kin_sub(p[(k + 1) % 3], p[k]), kin_v(0, 0, 0)));
    return kin_dot(n, m) < 0 ? sine > -FLAT : sine > FLAT;
}

/* The edge from sample (i, j) along z, along x, or the diagonal of its cell, asked through a triangle that has it. */
static bool find_edge(const kin_height* h, uint32_t i, uint32_t j, int kind)
{
    static const int8_t beside[3][2] = {{-1, 0}, {0, -1}, {0, 0}};
    static const uint8_t edge_here[3] = {0, 2, 1}, edge_there[3] = {2, 1, 0};
    uint32_t here = kin_height_number(h, i, j, 0), there = kin_height_number(h, (int64_t)i + beside[kind][0], (int64_t)j + beside[kind][1], 1);
    if (here != KIN_HEIGHT_NONE) return edge_is_sharp(h, here, edge_here[kind]);
    return there != KIN_HEIGHT_NONE && edge_is_sharp(h, there, edge_there[kind]);
}

static void mark_edges(kin_height* h)
{
    for (uint32_t j = 0; j < h->nz; ++j) {
        for (uint32_t i = 0; i < h->nx; ++i) {
            uint8_t* mark = &h->marks[i + (size_t)h->nx * j];
            if (find_edge(h, i, j, 0)) *mark |= KIN_HEIGHT_SHARP_Z;
            if (find_edge(h, i, j, 1)) *mark |= KIN_HEIGHT_SHARP_X;
            if (find_edge(h, i, j, 2)) *mark |= KIN_HEIGHT_SHARP_DIAGONAL;
        }
    }
}

/* The mark that tells of edge k of a triangle. */
static bool edge_mark(const kin_height* h, uint32_t triangle, int k)
{
    static const uint8_t from[2][3][2] = {{{0, 0}, {0, 0}, {0, 0}}, {{0, 0}, {0, 1}, {1, 0}}};
    static const uint8_t bit[2][3] = {{KIN_HEIGHT_SHARP_Z, KIN_HEIGHT_SHARP_DIAGONAL, KIN_HEIGHT_SHARP_X},
                                      {KIN_HEIGHT_SHARP_DIAGONAL, KIN_HEIGHT_SHARP_X, KIN_HEIGHT_SHARP_Z}};
    uint32_t cell = triangle / 2, half = triangle % 2;
    return (kin_height_mark(h, cell % (h->nx - 1) + from[half][k][0], cell / (h->nx - 1) + from[half][k][1]) & bit[half][k]) != 0;
}

static void mark_vertices(kin_height* h)
{
    for (uint32_t j = 0; j < h->nz; ++j) {
        for (uint32_t i = 0; i < h->nx; ++i) {
            uint32_t star[6];
            int count = kin_height_star(h, i, j, star);
            bool sharp = false;
            for (int n = 0; n < count && !sharp; ++n) {
                int k = (int)(star[n] % 4);
                sharp = edge_mark(h, star[n] / 4, k) || edge_mark(h, star[n] / 4, (k + 2) % 3);
            }
            if (sharp) h->marks[i + (size_t)h->nx * j] |= KIN_HEIGHT_SHARP_VERTEX;
        }
    }
}

/* As a closed mesh: both triangles ask for their edge, the first round a vertex asks for that. */
static uint32_t find_sharp(const kin_height* h, uint32_t triangle)
{
    uint32_t sharp = 0;
    for (int k = 0; k < 3; ++k) {
        uint32_t i, j, star[6];
        kin_height_sample_of(h, triangle, k, &i, &j);
        if (edge_mark(h, triangle, k)) sharp |= 1u << k;
        if ((kin_height_mark(h, i, j) & KIN_HEIGHT_SHARP_VERTEX) == 0) continue;
        kin_height_star(h, i, j, star);
        if (star[0] / 4 == triangle) sharp |= 8u << k;
    }
    return sharp;
}

kin_facet kin_height_facet(const kin_height* h, uint32_t triangle)
{
    kin_facet facet = {.triangle = triangle, .sharp = find_sharp(h, triangle)};
    kin_height_corners(h, triangle, facet.p);
    return facet;
}

/* ---- the pyramid ---- */

static kin_height_range cell_range(const kin_height* h, uint32_t i, uint32_t j)
{
    if (kin_height_mark(h, i, j) & KIN_HEIGHT_HOLE) return (kin_height_range){1, 0};
    const float *a = h->heights + i + (size_t)h->nx * j, *c = a + h->nx;
    float low = a[0] < a[1] ? a[0] : a[1], high = a[0] > a[1] ? a[0] : a[1], low2 = c[0] < c[1] ? c[0] : c[1], high2 = c[0] > c[1] ? c[0] : c[1];
    return (kin_height_range){low < low2 ? low : low2, high > high2 ? high : high2};
}

static kin_height_range square_range(const kin_height* h, int level, uint32_t i, uint32_t j)
{
    return level == 0 ? cell_range(h, i, j) : h->ranges[level][i + (size_t)h->columns[level] * j];
}

int kin_height_split(const kin_height* h, const kin_height_square* s, kin_height_square below[4])
{
    int level = s->level - 1, count = 0;
    for (uint32_t n = 0; n < 4; ++n) {
        kin_height_square b = {2 * s->i + (n & 1), 2 * s->j + (n >> 1), level, 0};
        if (b.i < h->columns[level] && b.j < h->rows[level]) below[count++] = b;
    }
    return count;
}

static kin_height_range join_below(const kin_height* h, int level, uint32_t i, uint32_t j)
{
    kin_height_square below[4], s = {i, j, level, 0};
    kin_height_range all = {1, 0};
    int count = kin_height_split(h, &s, below);
    for (int n = 0; n < count; ++n) {
        kin_height_range r = square_range(h, level - 1, below[n].i, below[n].j);
        if (r.low > r.high) continue;
        if (all.low > all.high) all = r;
        if (r.low < all.low) all.low = r.low;
        if (r.high > all.high) all.high = r.high;
    }
    return all;
}

static bool build_pyramid(kin_height* h)
{
    h->columns[0] = h->nx - 1, h->rows[0] = h->nz - 1;
    for (h->levels = 1; h->columns[h->levels - 1] > 1 || h->rows[h->levels - 1] > 1; ++h->levels) {
        int level = h->levels;
        uint32_t columns = (h->columns[level - 1] + 1) / 2, rows = (h->rows[level - 1] + 1) / 2;
        h->ranges[level] = kin_alloc(&h->allocator, kin_bytes((size_t)columns * rows, sizeof(kin_height_range)));
        if (h->ranges[level] == NULL) return false;
        h->columns[level] = columns, h->rows[level] = rows;
        for (uint32_t j = 0; j < rows; ++j) {
            for (uint32_t i = 0; i < columns; ++i) h->ranges[level][i + (size_t)columns * j] = join_below(h, level, i, j);
        }
    }
    return true;
}

kin_aabb kin_height_square_box(const kin_height* h, const kin_height_square* s)
{
    kin_height_range r = square_range(h, s->level, s->i, s->j);
    if (r.low > r.high) return kin_aabb_empty();
    uint32_t i0 = s->i << s->level, j0 = s->j << s->level, i1 = (s->i + 1) << s->level, j1 = (s->j + 1) << s->level;
    if (i1 > h->nx - 1) i1 = h->nx - 1;
    if (j1 > h->nz - 1) j1 = h->nz - 1;
    return (kin_aabb){{h->origin.x + i0 * h->spacing[0], h->origin.y + (double)r.low, h->origin.z + j0 * h->spacing[1]},
                      {h->origin.x + i1 * h->spacing[0], h->origin.y + (double)r.high, h->origin.z + j1 * h->spacing[1]}};
}

/* ---- making ---- */

static kin_result check(const kin_height_def* def, kin_error* error)
{
    if (def->nx < 2 || def->nz < 2 || def->nx > KIN_HEIGHT_LIMIT || def->nz > KIN_HEIGHT_LIMIT || (uint64_t)def->nx * def->nz > 1u << 31) {
        return kin_fail(error, KIN_ERROR_ARGUMENT, "nx", "%u x %u samples: 2 to %d along an axis, 2^31 in all", def->nx, def->nz, KIN_HEIGHT_LIMIT);
    }
    if (!(def->spacing[0] > 0 && def->spacing[1] > 0 && kin_finite(def->spacing[0]) && kin_finite(def->spacing[1]))) {
        return kin_fail(error, KIN_ERROR_ARGUMENT, "spacing", "the spacing is %g x %g m: it must be positive", def->spacing[0], def->spacing[1]);
    }
    if (!kin_finite3(def->origin)) return kin_fail(error, KIN_ERROR_ARGUMENT, "origin", "the origin is not finite");
    if (def->heights == NULL) return kin_fail(error, KIN_ERROR_ARGUMENT, "heights", "there are no heights");
    for (size_t i = 0; i < (size_t)def->nx * def->nz; ++i) {
        if (kin_abs(def->heights[i]) < 1e30) continue;
        return kin_fail(error, KIN_ERROR_ARGUMENT, "heights", "the height of sample (%zu, %zu) is %g m: it must be a number below 1e30", i % def->nx,
                        i / def->nx, def->heights[i]);
    }
    return KIN_OK;
}

static void fill(kin_height* h, const kin_height_def* def)
{
    for (uint32_t j = 0; j < h->nz; ++j) {
        for (uint32_t i = 0; i < h->nx; ++i) {
            size_t at = i + (size_t)h->nx * j;
            bool cell = i + 1 < h->nx && j + 1 < h->nz;
            h->heights[at] = (float)def->heights[at];
            h->marks[at] = cell && def->holes != NULL && def->holes[i + (size_t)(h->nx - 1) * j] ? KIN_HEIGHT_HOLE : 0;
        }
    }
    mark_edges(h);
    mark_vertices(h);
}

static void find_bounds(kin_height* h)
{
    kin_height_square root = kin_height_root(h);
    h->bounds = kin_height_square_box(h, &root);
    if (kin_aabb_is_empty(h->bounds)) return;
    h->scale = kin_max(kin_largest(kin_abs3(h->bounds.low)), kin_largest(kin_abs3(h->bounds.high)));
}

kin_result kin_height_create(const kin_allocator* allocator, const kin_height_def* def, kin_height** out, kin_error* error)
{
    *out = NULL;
    kin_result result = check(def, error);
    if (result != KIN_OK) return result;
    kin_height* h = kin_alloc_zero(allocator, sizeof *h);
    if (h == NULL) return kin_fail_memory(error, "a height field", sizeof *h);
    *h = (kin_height){.origin = def->origin, .spacing = {def->spacing[0], def->spacing[1]}, .nx = def->nx, .nz = def->nz, .allocator = *allocator};
    size_t samples = (size_t)h->nx * h->nz;
    h->heights = kin_alloc(allocator, kin_bytes(samples, sizeof *h->heights));
    h->marks = kin_alloc(allocator, samples);
    bool ok = h->heights != NULL && h->marks != NULL;
    if (ok) fill(h, def);
    if (!ok || !build_pyramid(h)) {
        kin_height_destroy(h);
        return kin_fail_memory(error, "a height field", 8 * samples);
    }
    find_bounds(h);
    *out = h;
    return KIN_OK;
}

void kin_height_destroy(kin_height* h)
{
    if (h == NULL) return;
    kin_allocator a = h->allocator;
    size_t samples = (size_t)h->nx * h->nz;
    kin_free(&a, h->heights, kin_bytes(samples, sizeof *h->heights));
    kin_free(&a, h->marks, samples);
    for (int k = 1; k < KIN_HEIGHT_LEVELS; ++k) kin_free(&a, h->ranges[k], kin_bytes((size_t)h->columns[k] * h->rows[k], sizeof(kin_height_range)));
    kin_free(&a, h, sizeof *h);
}

size_t kin_height_bytes(const kin_height* h)
{
    size_t bytes = sizeof *h + (size_t)h->nx * h->nz * (sizeof *h->heights + sizeof *h->marks);
    for (int k = 1; k < h->levels; ++k) bytes += (size_t)h->columns[k] * h->rows[k] * sizeof(kin_height_range);
    return bytes;
}
