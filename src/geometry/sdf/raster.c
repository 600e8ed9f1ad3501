/* raster.c - making the scanline field of a closed mesh (G12.2.1, G12.2.2).
 *
 * Vertices are snapped to 2^-32 of a cell, so that "on which side of this edge does this line pass" is a whole number, exact. A line through an edge or a
 * vertex is moved aside by an infinitesimal (e, e^2) (simulation of simplicity, Edelsbrunner and Muecke 1990): it then meets exactly the triangles it must,
 * and enters as often as it leaves. Boxes have faces in grid lines, so all four ways aside are tried, and the line is inside where any of them is: a solid
 * holds its surface. Crossings carry their sense: the solid is where more was entered than left, so that overlapping shells are one solid. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"
#include "geometry/sdf/sdf_internal.h"
#include <string.h>

enum { ROWS = 4 }; /* rows of lines in a chunk */
#define SNAP 0x1p32

typedef __int128 wide;
typedef struct point2 {
    int64_t x, y; /* 2^-32 cells */
} point2;

typedef struct raster_chunk {
    uint64_t* keys;  /* line in the chunk << 33 | place << 1 | leaving; sorted, and then the places kept */
    uint32_t* moves; /* which of the four lines beside it meet: bits */
    size_t move_capacity;
    size_t count, capacity, kept;
    bool failed;
} raster_chunk;

typedef struct raster {
    kin_sdf* sdf;
    const kin_mesh* mesh;
    const kin_bvh* tree;
    int axis, next, last;
    raster_chunk* chunks;
} raster;

static int64_t snap(const kin_sdf* s, kin_vec3 p, int axis)
{
    return (int64_t)kin_round((kin_component(p, axis) - kin_component(s->origin, axis)) / s->cell * SNAP);
}

static wide area2(point2 a, point2 b, point2 p) { return (wide)(b.x - a.x) * (p.y - a.y) - (wide)(b.y - a.y) * (p.x - a.x); }

/* Of p + (+-e, +-e^2), move by move, against the edge from a to b. Bits 0 to 3: left, 4 to 7: right. 0 only for an edge seen as a point. */
static unsigned sides_of(point2 a, point2 b, wide area)
{
    enum { UP_X = 0x5, UP_Y = 0x3 }; /* moves with +e, and with +e^2 */
    if (area != 0) return area > 0 ? 0x0f : 0xf0;
    if (a.y == b.y && a.x == b.x) return 0;
    unsigned left = a.y != b.y ? (b.y < a.y ? UP_X : ~UP_X & 0xf) : b.x > a.x ? UP_Y : ~UP_Y & 0xf;
    return left | (~left & 0xf) << 4;
}

static bool add_hit(raster_chunk* chunk, const kin_allocator* a, uint64_t key, uint32_t moves)
{
    size_t n = chunk->count + 1;
    if (!kin_reserve(a, (void**)&chunk->keys, &chunk->capacity, n, sizeof key)) return false;
    if (!kin_reserve(a, (void**)&chunk->moves, &chunk->move_capacity, n, sizeof moves)) return false;
    chunk->keys[chunk->count] = key;
    chunk->moves[chunk->count++] = moves;
    return true;
}

typedef struct shadow { /* of a triangle on the plane across the lines */
    point2 p[3];
    double along[3]; /* cells */
} shadow;

/* The moves with which the line through p meets the triangle, and where along it. */
static unsigned meet(const shadow* t, point2 p, double* place)
{
    wide w0 = area2(t->p[1], t->p[2], p), w1 = area2(t->p[2], t->p[0], p), w2 = area2(t->p[0], t->p[1], p);
    unsigned all = sides_of(t->p[1], t->p[2], w0) & sides_of(t->p[2], t->p[0], w1) & sides_of(t->p[0], t->p[1], w2);
    if (all == 0) return 0;
    double a = (double)w0, b = (double)w1, c = (double)w2;
    *place = (a * t->along[0] + b * t->along[1] + c * t->along[2]) / (a + b + c); /* the area is not 0: else no move is on one side of all edges */
    *place = kin_clamp(*place, kin_min(t->along[0], kin_min(t->along[1], t->along[2])), kin_max(t->along[0], kin_max(t->along[1], t->along[2])));
    return all;
}

static int64_t first_line(int64_t x) { return (x + 0xffffffff) >> 32; }
static int64_t min3(int64_t a, int64_t b, int64_t c) { return a < b ? (a < c ? a : c) : b < c ? b : c; }
static int64_t max3(int64_t a, int64_t b, int64_t c) { return -min3(-a, -b, -c); }

static bool raster_triangle(const raster* r, uint32_t triangle, int64_t row_begin, int64_t row_end, raster_chunk* chunk)
{
    const kin_sdf* s = r->sdf;
    shadow t;
    for (int k = 0; k < 3; ++k) {
        kin_vec3 v = r->mesh->vertices[r->mesh->triangles[triangle][k]];
        t.p[k] = (point2){snap(s, v, r->next), snap(s, v, r->last)};
        t.along[k] = (kin_component(v, r->axis) - kin_component(s->origin, r->axis)) / s->cell;
    }
    int64_t low = first_line(min3(t.p[0].y, t.p[1].y, t.p[2].y)), high = max3(t.p[0].y, t.p[1].y, t.p[2].y) >> 32;
    int64_t left = first_line(min3(t.p[0].x, t.p[1].x, t.p[2].x)), right = max3(t.p[0].x, t.p[1].x, t.p[2].x) >> 32;
    double scale = 0x1p32 / s->cells[r->axis];
    for (int64_t row = low < row_begin ? row_begin : low; row <= high && row < row_end; ++row) {
        for (int64_t i = left; i <= right; ++i) {
            double place;
            unsigned moves = meet(&t, (point2){i << 32, row << 32}, &place);
            if (moves == 0) continue;
            bool leaving = moves < 0x10; /* counter-clockwise seen from the end: the face looks along the line */
            uint64_t line = (uint64_t)((row - row_begin) * ((int64_t)s->cells[r->next] + 1) + i);
            uint64_t fixed = (uint64_t)kin_clamp(kin_round(place * scale), 0, 0xffffffff);
            if (!add_hit(chunk, &s->allocator, line << 33 | fixed << 1 | leaving, leaving ? moves : moves >> 4)) return false;
        }
    }
    return true;
}

/* Sorted hits become pairs of places; an entry and an exit at one place (a line through a corner) are no pair. counts: per line of the chunk. */
static void keep_pairs(raster_chunk* chunk, uint32_t* counts)
{
    int depth[4] = {0}, inside = 0; /* by move; how many are inside */
    uint64_t line = UINT64_MAX;
    for (size_t i = 0; i < chunk->count; ++i) {
        uint64_t key = chunk->keys[i];
        uint32_t place = (uint32_t)(key >> 1);
        if (key >> 33 != line) memset(depth, 0, sizeof depth), inside = 0, line = key >> 33;
        int before = inside;
        for (int m = 0; m < 4; ++m) {
            if ((chunk->moves[i] >> m & 1) == 0) continue;
            inside -= depth[m] > 0;
            depth[m] += key & 1 ? -1 : 1;
            inside += depth[m] > 0;
        }
        if ((before > 0) == (inside > 0)) continue;
        if (inside == 0 && chunk->keys[chunk->kept - 1] == place) {
            chunk->kept -= 1;
            counts[line] -= 1;
            continue;
        }
        chunk->keys[chunk->kept++] = place;
        counts[line] += 1;
    }
}

static bool sort_hits(raster_chunk* chunk, kin_arena* scratch)
{
    size_t n = chunk->count;
    uint64_t* keys = kin_arena_take(scratch, n * sizeof *keys);
    uint32_t* moves = kin_arena_take(scratch, n * sizeof *moves);
    if (keys == NULL || moves == NULL) return false;
    kin_sort_keys(chunk->keys, chunk->moves, keys, moves, n);
    return true;
}

static void raster_rows(void* argument, int64_t begin, int64_t end, int number, kin_arena* scratch)
{
    raster* r = argument;
    const kin_sdf* s = r->sdf;
    raster_chunk* chunk = &r->chunks[number];
    kin_aabb rows = kin_aabb_grow(s->bounds, s->cell);
    kin_vec3 across = kin_axis(r->last);
    rows.low = kin_add(rows.low, kin_scale(across, s->cell * (double)begin));
    rows.high = kin_add_scaled(rows.low, 2 * s->cell + s->cell * (double)(end - 1 - begin), across);
    for (int a = 0; a < 3; ++a) { /* the other two axes whole */
        if (a != r->last) rows.high = kin_add_scaled(rows.high, kin_component(s->bounds.high, a) + s->cell - kin_component(rows.high, a), kin_axis(a));
    }
    kin_bvh_walk walk;
    for (kin_bvh_overlap_begin(&walk, r->tree, rows); kin_bvh_overlap_next(&walk);) {
        for (uint32_t i = walk.begin; i < walk.end; ++i) {
            if (!raster_triangle(r, r->tree->items[i], begin, end, chunk)) chunk->failed = true;
        }
    }
    if (chunk->failed || !sort_hits(chunk, scratch)) {
        chunk->failed = true;
        return;
    }
    size_t first = (size_t)begin * (s->cells[r->next] + 1);
    keep_pairs(chunk, s->lines[r->axis].begin + 1 + first);
}

/* The chunks' places, one after the other. */
static bool gather(raster* r, int chunks)
{
    kin_scanlines* lines = &r->sdf->lines[r->axis];
    size_t count = kin_sdf_line_count(r->sdf, r->axis), sum = 0;
    for (int c = 0; c < chunks; ++c) {
        if (r->chunks[c].failed) return false;
        sum += r->chunks[c].kept;
    }
    if (sum > UINT32_MAX) return false;
    lines->scalars = kin_alloc(&r->sdf->allocator, kin_bytes(sum, sizeof *lines->scalars));
    if (lines->scalars == NULL && sum > 0) return false;
    lines->count = sum;
    size_t at = 0;
    for (int c = 0; c < chunks; ++c) {
        for (size_t i = 0; i < r->chunks[c].kept; ++i) lines->scalars[at++] = (uint32_t)r->chunks[c].keys[i];
    }
    for (size_t i = 0; i < count; ++i) lines->begin[i + 1] += lines->begin[i];
    return true;
}

static bool raster_axis(kin_sdf* s, kin_jobs* jobs, const kin_mesh* mesh, const kin_bvh* tree, int axis)
{
    raster r = {s, mesh, tree, axis, (axis + 1) % 3, (axis + 2) % 3, NULL};
    int64_t rows = (int64_t)s->cells[r.last] + 1;
    int chunks = kin_chunk_count(rows, ROWS);
    s->lines[axis].begin = kin_alloc_zero(&s->allocator, kin_bytes(kin_sdf_line_count(s, axis) + 1, sizeof(uint32_t)));
    r.chunks = kin_alloc_zero(&s->allocator, kin_bytes((size_t)chunks, sizeof *r.chunks));
    bool ok = s->lines[axis].begin != NULL && r.chunks != NULL;
    if (ok) {
        kin_parallel_for(jobs, rows, ROWS, raster_rows, &r);
        ok = gather(&r, chunks);
        for (int c = 0; c < chunks; ++c) {
            kin_free(&s->allocator, r.chunks[c].keys, kin_bytes(r.chunks[c].capacity, sizeof(uint64_t)));
            kin_free(&s->allocator, r.chunks[c].moves, kin_bytes(r.chunks[c].move_capacity, sizeof(uint32_t)));
        }
    }
    kin_free(&s->allocator, r.chunks, kin_bytes((size_t)chunks, sizeof *r.chunks));
    return ok;
}

/* The blocks round a crossing; one near the side of a block (by 1e-3 cell: round-off may put the change of sign there) counts for both. */
static void mark_crossing(kin_sdf* s, int axis, double place, uint32_t next, uint32_t last)
{
    double at[3];
    at[axis] = place, at[(axis + 1) % 3] = next, at[(axis + 2) % 3] = last;
    uint32_t low[3], high[3];
    for (int a = 0; a < 3; ++a) {
        low[a] = kin_sdf_index(kin_max(at[a] - 1e-3, 0), s->cells[a]) / KIN_SDF_BLOCK;
        high[a] = kin_sdf_index(at[a] + 1e-3, s->cells[a]) / KIN_SDF_BLOCK;
    }
    for (uint32_t z = low[2]; z <= high[2]; ++z) {
        for (uint32_t y = low[1]; y <= high[1]; ++y) {
            for (uint32_t x = low[0]; x <= high[0]; ++x) s->steps[kin_sdf_block_at(s, x, y, z)] = 0;
        }
    }
}

static void mark_crossings(kin_sdf* s, int axis)
{
    const kin_scanlines* lines = &s->lines[axis];
    uint32_t width = s->cells[(axis + 1) % 3] + 1;
    double scale = s->cells[axis] * 0x1p-32;
    for (size_t line = 0; line < kin_sdf_line_count(s, axis); ++line) {
        for (uint32_t i = lines->begin[line]; i < lines->begin[line + 1]; ++i) {
            mark_crossing(s, axis, lines->scalars[i] * scale, (uint32_t)(line % width), (uint32_t)(line / width));
        }
    }
}

/* One of the two sweeps that spread distances in king's moves: each block from the 13 neighbours before it. */
static void spread_to(kin_sdf* s, int64_t x, int64_t y, int64_t z, int64_t step)
{
    uint8_t* here = &s->steps[kin_sdf_block_at(s, (uint32_t)x, (uint32_t)y, (uint32_t)z)];
    for (int n = 0; n < 13; ++n) { /* offsets 0..12 of 27, the centre is 13 */
        int64_t i = x + (n % 3 - 1) * step, j = y + (n / 3 % 3 - 1) * step, k = z + (n / 9 - 1) * step;
        if (i < 0 || j < 0 || k < 0 || i >= s->blocks[0] || j >= s->blocks[1] || k >= s->blocks[2]) continue;
        uint8_t there = s->steps[kin_sdf_block_at(s, (uint32_t)i, (uint32_t)j, (uint32_t)k)];
        if (there < 254 && there + 1 < *here) *here = (uint8_t)(there + 1);
    }
}

static bool find_steps(kin_sdf* s)
{
    size_t count = kin_sdf_block_count(s);
    s->steps = kin_alloc(&s->allocator, count);
    if (s->steps == NULL) return false;
    memset(s->steps, 255, count);
    for (int axis = 0; axis < 3; ++axis) mark_crossings(s, axis);
    for (int pass = 0; pass < 2; ++pass) {
        for (size_t i = 0; i < count; ++i) {
            size_t b = pass == 0 ? i : count - 1 - i;
            spread_to(s, (int64_t)(b % s->blocks[0]), (int64_t)(b / s->blocks[0] % s->blocks[1]), (int64_t)(b / s->blocks[0] / s->blocks[1]),
                      pass == 0 ? 1 : -1);
        }
    }
    return true;
}

/* Cells from the longest side; as many as the others need; one more on each side. The box ends where the last cell does (E19). */
static void lay_grid(kin_sdf* s, kin_aabb box, uint32_t resolution)
{
    kin_vec3 size = kin_aabb_size(box);
    s->cell = kin_largest(size) / resolution;
    for (int a = 0; a < 3; ++a) {
        double needed = kin_ceil(kin_component(size, a) / s->cell * (1 - 1e-12));
        s->cells[a] = (uint32_t)kin_clamp(needed, 1, resolution) + 2;
        s->blocks[a] = (s->cells[a] + KIN_SDF_BLOCK - 1) / KIN_SDF_BLOCK;
    }
    s->origin = kin_sub(box.low, kin_v(s->cell, s->cell, s->cell));
    s->bounds = (kin_aabb){s->origin, kin_sdf_vertex(s, s->cells[0], s->cells[1], s->cells[2])};
    s->far_away = kin_largest(kin_aabb_size(s->bounds));
    s->slope = 1;
    s->has_lines = true;
}

kin_result kin_sdf_create_scanlines(const kin_allocator* allocator, kin_jobs* jobs, const kin_mesh* mesh, uint32_t resolution, kin_sdf** out, kin_error* error)
{
    *out = NULL;
    kin_result result = kin_sdf_check_mesh(mesh, error);
    if (result != KIN_OK) return result;
    if (resolution < 4 || resolution > 8192) {
        return kin_fail(error, KIN_ERROR_ARGUMENT, "resolution", "%u cells along the longest side: it must be 4 to 8192", resolution);
    }
    kin_sdf* s = kin_alloc_zero(allocator, sizeof *s);
    if (s == NULL) return kin_fail_memory(error, "a distance field", sizeof *s);
    s->allocator = *allocator;
    lay_grid(s, mesh->bounds, resolution);
    kin_bvh tree;
    bool ok = kin_sdf_tree(mesh, allocator, &tree);
    for (int axis = 0; axis < 3 && ok; ++axis) ok = raster_axis(s, jobs, mesh, &tree, axis);
    kin_bvh_term(&tree);
    if (!ok || !find_steps(s)) {
        size_t bytes = kin_sdf_bytes(s);
        kin_sdf_destroy(s);
        return kin_fail_memory(error, "a scanline field", bytes);
    }
    *out = s;
    return KIN_OK;
}
