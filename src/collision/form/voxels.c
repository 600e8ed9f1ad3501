/* voxels.c - the mass of a form by the cells whose middles are inside (House & Keyser 9.2.1): meshes by one ray a row of cells, other forms by their distances. */
#include "base/error.h"
#include "collision/form/form.h"
#include "geometry/mass/moments.h"
#include "geometry/mass/rows.h"
#include "math/aabb.h"

static bool is_inside(const kin_form* f, kin_vec3 x)
{
    kin_touch touch;
    return f->ops->closest(f, x, 0, &touch, 1) > 0 && touch.distance < 0;
}

/* Cell by cell, and row by row: errors of sums do not grow with the number of cells. */
static kin_result mass_by_distances(const kin_form* f, uint32_t cells, kin_mass* out, kin_error* error)
{
    const kin_row_grid grid = kin_row_grid_over(f->bounds, cells);
    const kin_vec3 middle = kin_aabb_center(f->bounds);
    kin_moments sum = {0};
    for (uint32_t row = 0; row < grid.n[1] * grid.n[2]; ++row) {
        kin_moments inside = {0};
        for (uint32_t i = 0; i < grid.n[0]; ++i) {
            kin_vec3 x = kin_row_center(&grid, i, row % grid.n[1], row / grid.n[1]), r = kin_sub(x, middle);
            if (!is_inside(f, x)) continue;
            inside.volume += 1;
            inside.first = kin_add(inside.first, r);
            inside.second = kin_sym3_add(inside.second, kin_sym3_square(r));
        }
        sum.volume += inside.volume;
        sum.first = kin_add(sum.first, inside.first);
        sum.second = kin_sym3_add(sum.second, inside.second);
    }
    if (!(sum.volume > 0)) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "no cell's middle is inside: more cells are needed");
    *out = kin_mass_times(kin_moments_mass(sum, middle), grid.cell.x * grid.cell.y * grid.cell.z);
    return KIN_OK;
}

static kin_result sum_of_parts(const kin_form* f, uint32_t cells, kin_mass* out, kin_error* error)
{
    *out = (kin_mass){0};
    for (uint32_t i = 0; i < f->part_count; ++i) {
        kin_mass part;
        kin_result result = kin_form_mass_by_voxels(f->parts[i].form, cells, &part, error);
        if (result != KIN_OK) return result;
        *out = kin_mass_add(*out, kin_mass_transform(part, f->parts[i].pose));
    }
    return KIN_OK;
}

kin_result kin_form_mass_by_voxels(const kin_form* f, uint32_t cells, kin_mass* out, kin_error* error)
{
    *out = (kin_mass){0};
    if (!f->has_inside || !f->bounded || f->heights != NULL) return KIN_OK;
    if (kin_form_is_assembled(f)) return sum_of_parts(f, cells, out, error);
    if (f->mesh != NULL) return kin_mass_of_voxels(&f->allocator, f->mesh->mesh, cells, NULL, NULL, out, error);
    return mass_by_distances(f, cells, out, error);
}
