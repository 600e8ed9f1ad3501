/* rows.c - rays along rows of cells against a closed mesh. */
#include "geometry/mass/rows.h"
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/hull/predicate.h"

#define MOST_ROWS 100000000u

typedef struct tracer {
    const kin_mesh* mesh;
    const kin_row_grid* grid;
    kin_snap snap;
} tracer;

kin_row_grid kin_row_grid_over(kin_aabb box, uint32_t cells)
{
    kin_vec3 size = kin_aabb_size(box);
    double cell = kin_largest(size) / cells;
    kin_row_grid g = {box.low, {0, 0, 0}, {1, 1, 1}};
    for (int a = 0; a < 3; ++a) g.n[a] = (uint32_t)kin_max(1, kin_round(kin_component(size, a) / cell));
    g.cell = kin_v(size.x / g.n[0], size.y / g.n[1], size.z / g.n[2]);
    return g;
}

/* The rows whose centres lie within [low, high] of an axis: [*first, *end), one more on each side for rounding. */
static void rows_within(double low, double high, double origin, double cell, uint32_t n, uint32_t* first, uint32_t* end)
{
    double from = kin_floor((low - origin) / cell - 0.5), to = kin_floor((high - origin) / cell - 0.5) + 2;
    *first = from > 0 ? (uint32_t)kin_min(from, n) : 0;
    *end = to > 0 ? (uint32_t)kin_min(to, n) : 0;
}

/* Exactly which side of p to q the row lies on, seen along x. On the line: as if the row lay a little further in y, and much less so in z. */
static int side_of_edge(kin_vec3 p, kin_vec3 q, kin_vec3 row)
{
    int side = kin_side_of_line(p, q, row, 0);
    if (side != 0) return side;
    if (q.z != p.z) return q.z > p.z ? -1 : 1; /* (q-p) x (e, 0) = -(q.z - p.z) e */
    return q.y > p.y ? 1 : q.y < p.y ? -1 : 0;
}

static bool meets(const kin_vec3 v[3], kin_vec3 row)
{
    int a = side_of_edge(v[0], v[1], row), b = side_of_edge(v[1], v[2], row), c = side_of_edge(v[2], v[0], row);
    return a != 0 && a == b && b == c;
}

/* Where the row's line meets the triangle's plane, kept within its bounds. */
static double hit_of(const kin_vec3 v[3], kin_vec3 row)
{
    kin_vec3 n = kin_sharp_normal(v[0], v[1], v[2]), r = kin_sub(row, v[0]);
    double low = kin_min(v[0].x, kin_min(v[1].x, v[2].x)), high = kin_max(v[0].x, kin_max(v[1].x, v[2].x));
    double x = n.x != 0 ? v[0].x - (n.y * r.y + n.z * r.z) / n.x : low;
    return x < high ? kin_max(x, low) : high;
}

/* Calls take(context, row, x) for each hit of a triangle. */
typedef void take_fn(void* context, uint32_t row, double x);

static void trace(const tracer* t, uint32_t triangle, take_fn* take, void* context)
{
    const kin_row_grid* g = t->grid;
    kin_vec3 v[3], s[3];
    for (int k = 0; k < 3; ++k) v[k] = t->mesh->vertices[t->mesh->triangles[triangle][k]], s[k] = kin_snap_apply(t->snap, v[k]);
    kin_vec3 low = kin_min3(v[0], kin_min3(v[1], v[2])), high = kin_max3(v[0], kin_max3(v[1], v[2]));
    uint32_t j0, j1, k0, k1;
    rows_within(low.y, high.y, g->low.y, g->cell.y, g->n[1], &j0, &j1);
    rows_within(low.z, high.z, g->low.z, g->cell.z, g->n[2], &k0, &k1);
    for (uint32_t k = k0; k < k1; ++k) {
        for (uint32_t j = j0; j < j1; ++j) {
            kin_vec3 row = kin_row_center(g, 0, j, k);
            row.x = t->snap.center.x;
            row = kin_snap_apply(t->snap, row);
            if (kin_largest(kin_abs3(row)) <= 1 && meets(s, row)) take(context, j + g->n[1] * k, hit_of(s, row) / t->snap.scale + t->snap.center.x);
        }
    }
}

static void count_hit(void* context, uint32_t row, double x)
{
    (void)x;
    kin_rows* rows = context;
    rows->begin[row + 1] += 1;
}

static void keep_hit(void* context, uint32_t row, double x)
{
    kin_rows* rows = context;
    rows->hits[rows->begin[row]++] = x;
}

static void sort_rows(kin_rows* rows, uint32_t count)
{
    for (uint32_t r = 0; r < count; ++r) {
        double* h = rows->hits + rows->begin[r];
        uint32_t n = rows->begin[r + 1] - rows->begin[r];
        for (uint32_t i = 1; i < n; ++i) { /* few: insertion */
            double x = h[i];
            uint32_t k = i;
            for (; k > 0 && h[k - 1] > x; --k) h[k] = h[k - 1];
            h[k] = x;
        }
    }
}

static kin_result fill(kin_rows* rows, const kin_mesh* mesh, kin_error* error)
{
    uint32_t count = rows->grid.n[1] * rows->grid.n[2];
    tracer t = {mesh, &rows->grid, kin_snap_of(mesh->vertices, mesh->vertex_count)};
    rows->begin = kin_alloc_zero(&rows->allocator, kin_bytes((size_t)count + 1, sizeof *rows->begin));
    if (rows->begin == NULL) return kin_fail_memory(error, "rows of cells", kin_bytes((size_t)count + 1, sizeof *rows->begin));
    for (uint32_t i = 0; i < mesh->triangle_count; ++i) trace(&t, i, count_hit, rows);
    for (uint32_t r = 0; r < count; ++r) rows->begin[r + 1] += rows->begin[r];
    rows->hit_count = rows->begin[count];
    rows->hits = kin_alloc(&rows->allocator, kin_bytes(rows->hit_count, sizeof *rows->hits));
    if (rows->hit_count > 0 && rows->hits == NULL) return kin_fail_memory(error, "rows of cells", kin_bytes(rows->hit_count, sizeof *rows->hits));
    for (uint32_t i = 0; i < mesh->triangle_count; ++i) trace(&t, i, keep_hit, rows);
    for (uint32_t r = count; r > 0; --r) rows->begin[r] = rows->begin[r - 1]; /* keeping moved each start to its end */
    rows->begin[0] = 0;
    sort_rows(rows, count);
    return KIN_OK;
}

kin_result kin_rows_create(const kin_allocator* allocator, const kin_mesh* mesh, const kin_row_grid* grid, kin_rows** out, kin_error* error)
{
    *out = NULL;
    if (!mesh->closed) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "the mesh is not closed: it has no inside");
    bool cells = grid->n[0] > 0 && grid->n[1] > 0 && grid->n[2] > 0;
    if (!cells || !(grid->cell.x > 0 && grid->cell.y > 0 && grid->cell.z > 0)) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "the grid has no cells");
    if ((uint64_t)grid->n[1] * grid->n[2] > MOST_ROWS) {
        return kin_fail(error, KIN_ERROR_LIMIT, "", "%u x %u rows of cells: at most %u", grid->n[1], grid->n[2], MOST_ROWS);
    }
    kin_rows* rows = kin_alloc_zero(allocator, sizeof *rows);
    if (rows == NULL) return kin_fail_memory(error, "rows of cells", sizeof *rows);
    rows->grid = *grid;
    rows->allocator = *allocator;
    kin_result result = fill(rows, mesh, error);
    if (result == KIN_OK)
        *out = rows;
    else
        kin_rows_destroy(rows);
    return result;
}

void kin_rows_destroy(kin_rows* rows)
{
    if (rows == NULL) return;
    kin_allocator a = rows->allocator;
    kin_free(&a, rows->begin, kin_bytes((size_t)rows->grid.n[1] * rows->grid.n[2] + 1, sizeof *rows->begin));
    kin_free(&a, rows->hits, kin_bytes(rows->hit_count, sizeof *rows->hits));
    kin_free(&a, rows, sizeof *rows);
}

/* The first cell whose centre is not before x. */
static uint32_t cell_from(const kin_row_grid* g, double x)
{
    double i = kin_ceil((x - g->low.x) / g->cell.x - 0.5);
    return i > 0 ? (uint32_t)kin_min(i, g->n[0]) : 0;
}

bool kin_rows_range(const kin_rows* rows, uint32_t j, uint32_t k, uint32_t s, uint32_t* first, uint32_t* end)
{
    uint32_t row = j + rows->grid.n[1] * k, at = rows->begin[row] + 2 * s;
    if (at + 1 >= rows->begin[row + 1]) return false;
    *first = cell_from(&rows->grid, rows->hits[at]);
    *end = cell_from(&rows->grid, rows->hits[at + 1]);
    return true;
}

bool kin_rows_inside(const kin_rows* rows, double x, uint32_t j, uint32_t k)
{
    uint32_t row = j + rows->grid.n[1] * k, passed = 0;
    for (uint32_t i = rows->begin[row]; i < rows->begin[row + 1] && rows->hits[i] <= x; ++i) passed += 1;
    return passed % 2 == 1;
}
