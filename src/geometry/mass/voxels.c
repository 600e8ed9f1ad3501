/* voxels.c - mass properties from the cells inside (H9.2, H9.4). */
#include "base/error.h"
#include "geometry/mass/moments.h"
#include "geometry/mass/rows.h"
#include "math/aabb.h"

typedef struct summer {
    const kin_row_grid* grid;
    kin_vec3 middle;
    kin_density_fn* density;
    const void* context;
    kin_moments sum;
    bool bad; /* a density below 0, or not finite */
} summer;

static void add_cell(summer* s, kin_vec3 x)
{
    double mass = s->density != NULL ? s->density(s->context, x) : 1;
    if (!(mass >= 0 && kin_finite(mass))) s->bad = true;
    kin_vec3 r = kin_sub(x, s->middle);
    s->sum.volume += mass;
    s->sum.first = kin_add_scaled(s->sum.first, mass, r);
    s->sum.second = kin_sym3_add(s->sum.second, kin_sym3_scale(kin_sym3_square(r), mass));
}

/* Row by row: sums of a row are added as one, so errors do not grow with the number of cells. */
static void add_row(summer* s, const kin_rows* rows, uint32_t j, uint32_t k)
{
    summer row = *s;
    row.sum = (kin_moments){0};
    uint32_t first, end;
    for (uint32_t n = 0; kin_rows_range(rows, j, k, n, &first, &end); ++n)
        for (uint32_t i = first; i < end; ++i) add_cell(&row, kin_row_center(s->grid, i, j, k));
    s->bad = row.bad;
    s->sum.volume += row.sum.volume;
    s->sum.first = kin_add(s->sum.first, row.sum.first);
    s->sum.second = kin_sym3_add(s->sum.second, row.sum.second);
}

kin_result kin_mass_of_voxels(const kin_allocator* allocator, const kin_mesh* mesh, uint32_t cells, kin_density_fn* density, const void* context, kin_mass* out,
                              kin_error* error)
{
    if (cells == 0) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "0 cells along the longest side: at least 1");
    kin_row_grid grid = kin_row_grid_over(mesh->bounds, cells);
    kin_rows* rows = NULL;
    kin_result result = kin_rows_create(allocator, mesh, &grid, &rows, error);
    if (result != KIN_OK) return result;
    summer s = {.grid = &grid, .middle = kin_aabb_center(mesh->bounds), .density = density, .context = context};
    for (uint32_t k = 0; k < grid.n[2]; ++k)
        for (uint32_t j = 0; j < grid.n[1]; ++j) add_row(&s, rows, j, k);
    kin_rows_destroy(rows);
    if (s.bad) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "a density is negative or not finite");
    if (!(s.sum.volume > 0)) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "no cell inside has mass: more cells are needed");
    *out = kin_mass_times(kin_moments_mass(s.sum, s.middle), grid.cell.x * grid.cell.y * grid.cell.z);
    return KIN_OK;
}
