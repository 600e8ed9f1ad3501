/* place.c - places on an emitter's shape, in its own frame: at random (H4.3b), or one for each cell of a grid (C3.7.1). */
#include "math/barycentric.h"
#include "base/search.h"
#include "math/vec3.h"
#include "system/emit/emit_inside.h"

/* ---- at random ---- */

/* The first sum beyond a share of the last: parts come by their area or length. */
static size_t part_at(const kin_emitter* e, double share, double* into)
{
    double want = share * e->sums[e->sum_count - 1];
    size_t at = kin_search_sums(e->sums, e->sum_count, want);
    double before = at > 0 ? e->sums[at - 1] : 0, size = e->sums[at] - before;
    *into = size > 0 ? kin_clamp((want - before) / size, 0, 1) : 0;
    return at;
}

static kin_birthplace on_triangle(const kin_draws* d, kin_vec3 a, kin_vec3 b, kin_vec3 c)
{
    double u = kin_draw_unit(d, KIN_DRAW_PLACE), v = kin_draw_unit(d, KIN_DRAW_PLACE + 1);
    kin_fold(&u, &v);
    kin_vec3 normal = kin_cross(kin_sub(b, a), kin_sub(c, a));
    return (kin_birthplace){kin_bary3_mix3((kin_bary3){1 - u - v, u, v}, a, b, c), kin_normalize_or(normal, kin_axis(1))};
}

static kin_birthplace on_mesh(const kin_emitter* e, const kin_draws* d)
{
    double unused;
    size_t i = part_at(e, kin_draw_unit(d, KIN_DRAW_PART), &unused);
    const uint32_t* corner = e->mesh->triangles[i];
    kin_birthplace place = on_triangle(d, e->mesh->vertices[corner[0]], e->mesh->vertices[corner[1]], e->mesh->vertices[corner[2]]);
    place.normal = e->mesh->normals[i];
    return place;
}

static kin_vec3 on_curve(const kin_emitter* e, const kin_draws* d)
{
    double into;
    size_t i = part_at(e, kin_draw_unit(d, KIN_DRAW_PART), &into);
    return kin_lerp(e->def.shape.points.data[i], e->def.shape.points.data[i + 1], into);
}

static kin_vec3 in_box(const kin_draws* d, kin_vec3 size)
{
    double u[3];
    for (uint32_t i = 0; i < 3; ++i) u[i] = kin_draw_unit(d, KIN_DRAW_PLACE + i) - 0.5;
    return kin_v(u[0] * size.x, u[1] * size.y, u[2] * size.z);
}

/* Away from the centre. */
static kin_birthplace outward(kin_vec3 at) { return (kin_birthplace){at, kin_normalize_or(at, kin_axis(1))}; }

kin_birthplace kin_place_random(const kin_emitter* e, const kin_draws* d)
{
    const kin_emitter_form* s = &e->def.shape;
    const kin_vec3 up = kin_axis(1);
    switch (s->kind) {
    case KIN_EMIT_POINT: break;
    case KIN_EMIT_DISK: return (kin_birthplace){kin_draw_disk(d, KIN_DRAW_PLACE, s->radius, e->def.spread), up};
    case KIN_EMIT_QUAD: return (kin_birthplace){in_box(d, kin_v(s->sides[0], 0, s->sides[1])), up};
    case KIN_EMIT_TRIANGLE: return on_triangle(d, s->points.data[0], s->points.data[1], s->points.data[2]);
    case KIN_EMIT_MESH: return on_mesh(e, d);
    case KIN_EMIT_SPHERE: return outward(kin_scale(kin_draw_direction(d, KIN_DRAW_PLACE), s->radius));
    case KIN_EMIT_BALL: {
        double r = s->radius * kin_cbrt(kin_draw_unit(d, KIN_DRAW_PLACE + 2));
        return outward(kin_scale(kin_draw_direction(d, KIN_DRAW_PLACE), r));
    }
    case KIN_EMIT_BOX: return outward(in_box(d, s->size));
    case KIN_EMIT_CURVE: return (kin_birthplace){on_curve(e, d), up};
    }
    return (kin_birthplace){kin_v(0, 0, 0), up};
}

/* ---- grids of quads and disks ----
 * Lengths in radii: cell k of a row of m has its centre at 2 k + 1 - m. A grid on a disk is the cells of a square whose points lie within its circle. */

static int64_t whole_root(double x) { return (int64_t)kin_floor(kin_sqrt(x)); }

static bool is_round(const kin_emitter_def* def) { return def->shape.kind == KIN_EMIT_DISK; }

/* Cells of a row that count: a square's all, of a disk those with x^2 + z^2 <= (m - 1)^2, which lie about the middle. */
static int64_t cells_of_row(const kin_emitter_def* def, int64_t m, int64_t row)
{
    if (!is_round(def)) return m;
    double z = (double)(2 * row + 1 - m), edge = (double)(m - 1);
    int64_t reach = whole_root(edge * edge - z * z);
    return m % 2 != 0 ? 2 * (reach / 2) + 1 : 2 * ((reach + 1) / 2);
}

static int64_t cells_of_square(const kin_emitter_def* def, int64_t m)
{
    if (!is_round(def)) return m * m;
    int64_t sum = 0;
    for (int64_t row = 0; row < m; ++row) sum += cells_of_row(def, m, row);
    return sum;
}

/* C3.7.1 with its erratum: the least whole number of cells to a side that has room for all. A disk 2 cells wide holds none, one of 1 does. */
static void lay_square(const kin_emitter_def* def, kin_grid* grid, double max_size)
{
    int64_t most = max_size > 0 ? (int64_t)kin_min(kin_floor(max_size / (2 * grid->radius) * (1 + 1e-12)), 0x1p31) : INT64_MAX;
    int64_t m = whole_root((double)grid->count * (is_round(def) ? 4 / KIN_PI : 1));
    if (m > most) m = most;
    while (m < most && cells_of_square(def, m) < grid->count) ++m;
    if (m == 2 && is_round(def)) m = 1;
    grid->rows = m;
    grid->cells = cells_of_square(def, m);
}

static kin_birthplace on_square(const kin_grid* grid, int64_t in_row)
{
    double x = (double)(2 * in_row + 1 - grid->width), z = (double)(2 * grid->row + 1 - grid->rows);
    return (kin_birthplace){kin_v(x * grid->radius, 0, z * grid->radius), kin_axis(1)};
}

/* ---- grids of spheres: rings of cells, no two centres closer than a diameter along the chord ---- */

static double ring_latitude(const kin_grid* grid, int64_t ring) { return ((double)ring + 0.5) * KIN_PI / (double)grid->rows; /* from the pole */ }

/* How many chords of 2 radius an arc of a circle has room for; one point at least. */
static int64_t chords(double arc, double circle, double radius)
{
    if (circle < radius) return 1;
    return (int64_t)kin_floor(arc / (2 * kin_asin(radius / circle)) * (1 + 1e-12));
}

static int64_t cells_of_ring(const kin_grid* grid, int64_t ring)
{
    double circle = grid->sphere * kin_sin(ring_latitude(grid, ring));
    return chords(2 * KIN_PI, circle * (1 + 1e-12), grid->radius);
}

/* Cells are not made smaller than it takes for a dozen to each point. */
static void cut_sphere(kin_grid* grid, double sphere, double radius)
{
    grid->sphere = sphere;
    grid->radius = kin_max(radius, 0.5 * sphere / kin_sqrt((double)grid->count));
    grid->rows = chords(KIN_PI, sphere, grid->radius);
    grid->cells = 0;
    for (int64_t ring = 0; ring < grid->rows; ++ring) grid->cells += cells_of_ring(grid, ring);
}

/* It grows when they do not fit. To begin with: no sphere has room for more than pi (R / r)^2. */
static void lay_sphere(const kin_emitter_def* def, kin_grid* grid, double max_size)
{
    const double growth = 1.01;
    double radius = grid->radius, given = def->shape.radius, most = max_size > 0 ? kin_max(given, max_size / 2) : 1e300;
    double sphere = kin_max(given, grid->count > 1 ? radius * kin_sqrt((double)grid->count / KIN_PI) : 0);
    cut_sphere(grid, kin_min(sphere, most), radius);
    while (grid->cells < grid->count && grid->sphere < most) cut_sphere(grid, kin_min(grid->sphere * growth, most), radius);
}

static kin_birthplace on_sphere(const kin_grid* grid, int64_t in_ring)
{
    kin_sincos latitude = kin_sin_cos(ring_latitude(grid, grid->row)), turn = kin_sin_cos(2 * KIN_PI * (double)in_ring / (double)grid->width);
    kin_vec3 n = kin_v(latitude.sine * turn.cosine, latitude.cosine, -latitude.sine * turn.sine);
    return (kin_birthplace){kin_scale(n, grid->sphere), n};
}

/* ---- grids ---- */

static bool is_ball(const kin_emitter_def* def) { return def->shape.kind == KIN_EMIT_SPHERE; }

static int64_t width_of(const kin_emitter_def* def, const kin_grid* grid, int64_t row)
{
    return is_ball(def) ? cells_of_ring(grid, row) : cells_of_row(def, grid->rows, row);
}

kin_grid kin_grid_lay(const kin_emitter_def* def, int64_t count, double radius, double max_size)
{
    kin_grid grid = {.count = count, .radius = radius, .fits = count};
    grid.on = def->placement == KIN_PLACE_GRID && radius > 0 && count > 0;
    if (!grid.on) return grid;
    if (is_ball(def))
        lay_sphere(def, &grid, max_size);
    else
        lay_square(def, &grid, max_size);
    if (grid.fits > grid.cells) grid.fits = grid.cells;
    if (grid.fits > 0) grid.width = width_of(def, &grid, 0);
    return grid;
}

/* Those of a release are spread evenly over the cells. */
kin_birthplace kin_place_grid(const kin_emitter_def* def, kin_grid* grid, int64_t i)
{
    int64_t cell = (int64_t)((unsigned __int128)(uint64_t)i * (uint64_t)grid->cells / (uint64_t)grid->fits);
    while (cell >= grid->first + grid->width) {
        grid->first += grid->width;
        grid->width = width_of(def, grid, ++grid->row);
    }
    return is_ball(def) ? on_sphere(grid, cell - grid->first) : on_square(grid, cell - grid->first);
}
