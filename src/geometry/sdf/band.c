/* band.c - the narrow-band field: exact distances at the grid points near the surface, and at the corners of blocks everywhere.
 *
 * A block is kept if a point of it may be within the band and two cells more: |distance at its centre| <= half its diagonal + that. Grid points it shares
 * with a block that is not kept take the values the other has there: the field is continuous, and exact in the band. Nearest points come from the tree of
 * triangles, signs from pseudo-normals (Baerentzen and Aanaes 2005). Each search starts with the triangle that was nearest to the point before: little is left
 * to look at. */
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/sdf/sdf_internal.h"

enum { CORNER_GRAIN = 64, BLOCK_GRAIN = 2 };
#define FAR 1e150
#define MOST_BLOCKS (1u << 27)

typedef struct source { /* a mesh, or a function */
    const kin_mesh* mesh;
    kin_bvh tree;
    kin_field_fn* function;
    const void* context;
} source;

typedef struct band_job {
    kin_sdf* sdf;
    const source* from;
    const uint32_t* active; /* blocks with slots, rising */
} band_job;

/* ---- reading ---- */

static void inner_cell(const kin_sdf* s, uint32_t slot, const uint32_t index[3], kin_sdf_cube* cell)
{
    enum { X = 1, Y = KIN_SDF_SIDE, Z = KIN_SDF_SIDE * KIN_SDF_SIDE };
    const float* v =
        s->band.values + (size_t)slot * KIN_SDF_VALUES + index[0] % KIN_SDF_BLOCK + Y * (index[1] % KIN_SDF_BLOCK) + Z * (index[2] % KIN_SDF_BLOCK);
    static const int offsets[8] = {0, X, Y, X + Y, Z, X + Z, Y + Z, X + Y + Z};
    for (int i = 0; i < 8; ++i) cell->v[i] = v[offsets[i]];
}

static size_t corner_at(const kin_sdf* s, uint32_t x, uint32_t y, uint32_t z) { return x + (s->blocks[0] + 1) * (y + (size_t)(s->blocks[1] + 1) * z); }

static void outer_cell(const kin_sdf* s, const uint32_t block[3], kin_sdf_cube* cell)
{
    for (uint32_t i = 0; i < 8; ++i) cell->v[i] = s->band.corners[corner_at(s, block[0] + (i & 1), block[1] + (i >> 1 & 1), block[2] + (i >> 2))];
}

void kin_sdf_band_cell(const kin_sdf* s, const double place[3], kin_sdf_cube* cell)
{
    uint32_t index[3], block[3];
    for (int a = 0; a < 3; ++a) {
        index[a] = kin_sdf_index(place[a], s->cells[a]);
        block[a] = index[a] / KIN_SDF_BLOCK;
    }
    uint32_t slot = s->band.slots[kin_sdf_block_at(s, block[0], block[1], block[2])];
    if (slot > 0) {
        cell->size = s->cell;
        cell->at = kin_v(place[0] - index[0], place[1] - index[1], place[2] - index[2]);
        cell->low = kin_sdf_vertex(s, index[0], index[1], index[2]);
        inner_cell(s, slot - 1, index, cell);
        return;
    }
    double side = KIN_SDF_BLOCK, first[3] = {block[0] * side, block[1] * side, block[2] * side};
    cell->size = side * s->cell;
    cell->at = kin_v((place[0] - first[0]) / side, (place[1] - first[1]) / side, (place[2] - first[2]) / side);
    cell->low = kin_sdf_vertex(s, first[0], first[1], first[2]);
    outer_cell(s, block, cell);
}

double kin_sdf_band_size(const kin_sdf* s, const double place[3])
{
    uint32_t block[3];
    for (int a = 0; a < 3; ++a) block[a] = kin_sdf_index(place[a], s->cells[a]) / KIN_SDF_BLOCK;
    return s->band.slots[kin_sdf_block_at(s, block[0], block[1], block[2])] > 0 ? s->cell : s->cell * KIN_SDF_BLOCK;
}

/* ---- making ---- */

static void try_triangle(const kin_mesh* mesh, uint32_t triangle, kin_vec3 x, kin_nearest* best)
{
    kin_nearest n = {.triangle = triangle};
    const uint32_t* c = mesh->triangles[triangle];
    n.point = kin_closest_on_triangle(mesh->vertices[c[0]], mesh->vertices[c[1]], mesh->vertices[c[2]], x, &n.feature);
    n.distance2 = kin_length2(kin_sub(x, n.point));
    if (n.distance2 < best->distance2 || (n.distance2 == best->distance2 && triangle < best->triangle)) *best = n;
}

/* Of equals the lowest triangle: where the search began makes no difference. */
static double mesh_distance(const source* from, kin_vec3 x, uint32_t* seed)
{
    kin_nearest best = {.distance2 = FAR * FAR, .triangle = UINT32_MAX};
    kin_bvh_walk walk;
    try_triangle(from->mesh, *seed, x, &best);
    kin_bvh_closest_begin(&walk, &from->tree, x, kin_sqrt(best.distance2) * (1 + 1e-12));
    while (kin_bvh_closest_next(&walk)) {
        for (uint32_t i = walk.begin; i < walk.end; ++i) try_triangle(from->mesh, from->tree.items[i], x, &best);
        walk.limit = kin_min(walk.limit, best.distance2 * (1 + 1e-14)); /* ties stay in reach */
    }
    *seed = best.triangle;
    double distance = kin_sqrt(best.distance2);
    return kin_dot(kin_sub(x, best.point), kin_mesh_pseudo_normal(from->mesh, best.triangle, best.feature)) >= 0 ? distance : -distance;
}

/* A row of points, `step` apart along x. seed: a triangle near the first; the nearest to it comes back. */
static void take_row(const source* from, kin_vec3 first, double step, int count, uint32_t* seed, float* out)
{
    kin_vec3 points[KIN_SDF_SIDE];
    double values[KIN_SDF_SIDE];
    uint32_t last = *seed;
    for (int i = 0; i < count; ++i) points[i] = kin_v(first.x + i * step, first.y, first.z);
    if (from->function != NULL) from->function(from->context, points, values, count);
    for (int i = 0; i < count; ++i) {
        if (from->function == NULL) values[i] = mesh_distance(from, points[i], &last);
        if (i == 0) *seed = last;
        out[i] = (float)kin_clamp(values[i], -3e38, 3e38); /* NaN stays, and is found afterwards */
    }
}

static void take_corners(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    band_job* job = argument;
    kin_sdf* s = job->sdf;
    uint32_t nx = s->blocks[0] + 1, ny = s->blocks[1] + 1, seed = 0;
    for (int64_t c = begin; c < end; ++c) {
        double i = (double)(c % nx), j = (double)(c / nx % ny), k = (double)(c / nx / ny);
        kin_vec3 at = kin_sdf_vertex(s, i * KIN_SDF_BLOCK, j * KIN_SDF_BLOCK, k * KIN_SDF_BLOCK);
        take_row(job->from, at, 0, 1, &seed, s->band.corners + c);
    }
}

/* Slots are 1 where the block is to be kept. */
static void choose_blocks(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    band_job* job = argument;
    kin_sdf* s = job->sdf;
    uint32_t seed = 0;
    for (int64_t b = begin; b < end; ++b) {
        uint32_t x = (uint32_t)(b % s->blocks[0]), y = (uint32_t)(b / s->blocks[0] % s->blocks[1]), z = (uint32_t)(b / s->blocks[0] / s->blocks[1]);
        double half = KIN_SDF_HALF_DIAGONAL * KIN_SDF_BLOCK * s->cell, corner = kin_abs(s->band.corners[corner_at(s, x, y, z)]) / s->slope;
        s->band.slots[b] = 0;
        double width = s->band.width + 2 * s->cell;
        if (corner > 2 * half + width) continue;
        float value;
        double h = KIN_SDF_BLOCK / 2.0;
        kin_vec3 center = kin_sdf_vertex(s, x * (double)KIN_SDF_BLOCK + h, y * (double)KIN_SDF_BLOCK + h, z * (double)KIN_SDF_BLOCK + h);
        take_row(job->from, center, 0, 1, &seed, &value);
        s->band.slots[b] = !(kin_abs(value) / s->slope > half + width); /* NaN is kept, to be found */
    }
}

static void fill_blocks(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    band_job* job = argument;
    kin_sdf* s = job->sdf;
    uint32_t seed = 0;
    for (int64_t slot = begin; slot < end; ++slot) {
        uint32_t b = job->active[slot];
        double x = (double)(b % s->blocks[0]) * KIN_SDF_BLOCK, y = (double)(b / s->blocks[0] % s->blocks[1]) * KIN_SDF_BLOCK,
               z = (double)(b / s->blocks[0] / s->blocks[1]) * KIN_SDF_BLOCK;
        float* out = s->band.values + (size_t)slot * KIN_SDF_VALUES;
        for (int row = 0; row < KIN_SDF_SIDE * KIN_SDF_SIDE; ++row) {
            double j = row % KIN_SDF_SIDE, k = (double)(row / KIN_SDF_SIDE);
            take_row(job->from, kin_sdf_vertex(s, x, y + j, z + k), s->cell, KIN_SDF_SIDE, &seed, out + row * KIN_SDF_SIDE);
        }
    }
}

/* Along one axis, which blocks hold grid point i of block b: itself, and at its ends the next. */
static void sharing(uint32_t b, int i, uint32_t blocks, uint32_t* first, uint32_t* last)
{
    *first = i == 0 && b > 0 ? b - 1 : b;
    *last = i == KIN_SDF_BLOCK && b + 1 < blocks ? b + 1 : b;
}

static bool all_kept(const kin_sdf* s, const uint32_t block[3], const int point[3])
{
    uint32_t low[3], high[3];
    for (int a = 0; a < 3; ++a) sharing(block[a], point[a], s->blocks[a], &low[a], &high[a]);
    for (uint32_t z = low[2]; z <= high[2]; ++z) {
        for (uint32_t y = low[1]; y <= high[1]; ++y) {
            for (uint32_t x = low[0]; x <= high[0]; ++x) {
                if (s->band.slots[kin_sdf_block_at(s, x, y, z)] == 0) return false;
            }
        }
    }
    return true;
}

static void stitch_blocks(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    band_job* job = argument;
    kin_sdf* s = job->sdf;
    for (int64_t slot = begin; slot < end; ++slot) {
        uint32_t b = job->active[slot], block[3] = {b % s->blocks[0], b / s->blocks[0] % s->blocks[1], b / s->blocks[0] / s->blocks[1]};
        kin_sdf_cube cube;
        outer_cell(s, block, &cube);
        for (int i = 0; i < KIN_SDF_VALUES; ++i) {
            int point[3] = {i % KIN_SDF_SIDE, i / KIN_SDF_SIDE % KIN_SDF_SIDE, i / KIN_SDF_SIDE / KIN_SDF_SIDE};
            if (all_kept(s, block, point)) continue;
            double side = KIN_SDF_BLOCK;
            s->band.values[(size_t)slot * KIN_SDF_VALUES + (size_t)i] = (float)kin_trilinear(cube.v, point[0] / side, point[1] / side, point[2] / side);
        }
    }
}

static uint32_t number_slots(kin_sdf* s)
{
    uint32_t count = 0;
    for (size_t b = 0; b < kin_sdf_block_count(s); ++b) {
        if (s->band.slots[b] != 0) s->band.slots[b] = ++count;
    }
    return count;
}

static void list_active(const kin_sdf* s, uint32_t* active)
{
    for (size_t b = 0; b < kin_sdf_block_count(s); ++b) {
        if (s->band.slots[b] != 0) active[s->band.slots[b] - 1] = (uint32_t)b;
    }
}

static bool allocate_and_fill(kin_sdf* s, kin_jobs* jobs, const source* from)
{
    band_job job = {s, from, NULL};
    size_t blocks = kin_sdf_block_count(s);
    s->band.corners = kin_alloc(&s->allocator, kin_bytes(kin_sdf_corner_count(s), sizeof(float)));
    s->band.slots = kin_alloc(&s->allocator, kin_bytes(blocks, sizeof(uint32_t)));
    if (s->band.corners == NULL || s->band.slots == NULL) return false;
    kin_parallel_for(jobs, (int64_t)kin_sdf_corner_count(s), CORNER_GRAIN, take_corners, &job);
    kin_parallel_for(jobs, (int64_t)blocks, CORNER_GRAIN, choose_blocks, &job);
    uint32_t count = number_slots(s);
    if (count == 0) return true;
    size_t bytes = kin_bytes(count, sizeof(uint32_t));
    uint32_t* active = kin_alloc(&s->allocator, bytes);
    s->band.values = kin_alloc(&s->allocator, kin_bytes(count, KIN_SDF_VALUES * sizeof(float)));
    bool ok = active != NULL && s->band.values != NULL;
    if (s->band.values != NULL) s->band.count = count;
    if (ok) {
        list_active(s, active);
        job.active = active;
        kin_parallel_for(jobs, count, BLOCK_GRAIN, fill_blocks, &job);
        kin_parallel_for(jobs, count, CORNER_GRAIN, stitch_blocks, &job);
    }
    kin_free(&s->allocator, active, bytes);
    return ok;
}

static kin_result check_values(const kin_sdf* s, kin_error* error)
{
    for (size_t i = 0; i < kin_sdf_corner_count(s); ++i) {
        if (s->band.corners[i] != s->band.corners[i])
            return kin_fail(error, KIN_ERROR_ARGUMENT, "function", "the function is not a number at the corner of a block");
    }
    for (size_t i = 0; i < (size_t)s->band.count * KIN_SDF_VALUES; ++i) {
        if (s->band.values[i] != s->band.values[i]) return kin_fail(error, KIN_ERROR_ARGUMENT, "function", "the function is not a number at a grid point");
    }
    return KIN_OK;
}

static kin_result check_def(const kin_sdf_band_def* def, kin_error* error)
{
    if (!(def->cell > 0 && kin_finite(def->cell))) return kin_fail(error, KIN_ERROR_ARGUMENT, "cell", "the cell is %g m: it must be positive", def->cell);
    if (!(def->band >= 1 && def->band <= 64)) return kin_fail(error, KIN_ERROR_ARGUMENT, "band", "the band is %g cells: it must be 1 to 64", def->band);
    if (!(def->margin >= 0 && kin_finite(def->margin)))
        return kin_fail(error, KIN_ERROR_ARGUMENT, "margin", "the margin is %g m: it must not be negative", def->margin);
    return KIN_OK;
}

/* Whole blocks, centred on the box. */
static kin_result lay_grid(kin_sdf* s, kin_aabb box, const kin_sdf_band_def* def, kin_error* error)
{
    double side = KIN_SDF_BLOCK * def->cell, product = 1, needed[3];
    for (int a = 0; a < 3; ++a) {
        needed[a] = kin_max(kin_ceil(kin_component(kin_aabb_size(box), a) / side * (1 - 1e-12)), 1);
        product *= needed[a];
    }
    if (!(product <= MOST_BLOCKS)) {
        return kin_fail(error, KIN_ERROR_LIMIT, "cell", "a cell of %g m makes %g blocks of 8 x 8 x 8 cells: at most %u", def->cell, product, MOST_BLOCKS);
    }
    for (int a = 0; a < 3; ++a) {
        s->blocks[a] = (uint32_t)needed[a];
        s->cells[a] = s->blocks[a] * KIN_SDF_BLOCK;
    }
    s->cell = def->cell;
    s->origin = kin_add_scaled(kin_aabb_center(box), -0.5 * s->cell, kin_v(s->cells[0], s->cells[1], s->cells[2]));
    s->bounds = (kin_aabb){s->origin, kin_sdf_vertex(s, s->cells[0], s->cells[1], s->cells[2])};
    s->far_away = kin_largest(kin_aabb_size(s->bounds));
    s->band.width = def->band * def->cell;
    return KIN_OK;
}

static kin_result create(const kin_allocator* allocator, kin_jobs* jobs, kin_aabb box, const kin_sdf_band_def* def, const source* from, double slope,
                         kin_sdf** out, kin_error* error)
{
    kin_sdf* s = kin_alloc_zero(allocator, sizeof *s);
    if (s == NULL) return kin_fail_memory(error, "a distance field", sizeof *s);
    s->allocator = *allocator;
    s->slope = slope;
    kin_result result = lay_grid(s, box, def, error);
    if (result == KIN_OK && !allocate_and_fill(s, jobs, from)) result = kin_fail_memory(error, "a band field", kin_sdf_bytes(s));
    if (result == KIN_OK && from->function != NULL) result = check_values(s, error);
    if (result != KIN_OK) {
        kin_sdf_destroy(s);
        return result;
    }
    *out = s;
    return KIN_OK;
}

kin_result kin_sdf_create_band(const kin_allocator* allocator, kin_jobs* jobs, const kin_mesh* mesh, const kin_sdf_band_def* def, kin_sdf** out,
                               kin_error* error)
{
    *out = NULL;
    kin_result result = kin_sdf_check_mesh(mesh, error);
    if (result == KIN_OK) result = check_def(def, error);
    if (result != KIN_OK) return result;
    source from = {.mesh = mesh};
    if (kin_sdf_tree(mesh, allocator, &from.tree)) {
        kin_aabb box = kin_aabb_grow(mesh->bounds, kin_max(def->margin, (def->band + 1) * def->cell));
        result = create(allocator, jobs, box, def, &from, 1, out, error);
    } else {
        result = kin_fail_memory(error, "the tree of a mesh", kin_bytes(mesh->triangle_count, sizeof(kin_aabb)));
    }
    kin_bvh_term(&from.tree);
    return result;
}

kin_result kin_sdf_create_function(const kin_allocator* allocator, kin_jobs* jobs, kin_aabb box, const kin_sdf_band_def* def, kin_field_fn* function,
                                   const void* context, double slope, kin_sdf** out, kin_error* error)
{
    *out = NULL;
    kin_result result = check_def(def, error);
    if (result != KIN_OK) return result;
    if (!kin_finite3(box.low) || !kin_finite3(box.high) || kin_aabb_is_empty(box)) {
        return kin_fail(error, KIN_ERROR_ARGUMENT, "box", "the box of the field is empty or not finite");
    }
    if (!(slope > 0 && kin_finite(slope))) return kin_fail(error, KIN_ERROR_ARGUMENT, "slope", "the slope is %g: it must be positive", slope);
    source from = {.function = function, .context = context};
    return create(allocator, jobs, kin_aabb_grow(box, def->margin), def, &from, slope, out, error);
}
