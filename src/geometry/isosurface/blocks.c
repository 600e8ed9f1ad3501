/* blocks.c - marching through a grid of which only blocks are kept.
 *
 * A layer of a block is 8 x 8 points: the signs of one layer are one word, and so are its cut edges along an axis. A vertex needs no number written down
 * anywhere: it is the first of its block, plus the cut edges in the layers before, plus the bits below its own. An edge belongs to the block of its lower
 * end, a cell to that of its lowest corner; what lies beyond is asked of the 26 neighbours. */
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/cells.h"
#include "geometry/isosurface/cube.h"
#include "geometry/isosurface/isosurface.h"
#include <string.h>

enum { SIDE = KIN_BLOCK_SIDE, GRAIN = 16, NEAR = 27 };
#define NONE 0xFFFFFFFFu
#define EXTRA 0x80000000u /* bit of a vertex within a cell, counted from the chunk's first */
#define MOST_VALUE 3e38f
#define FIRST_COLUMN 0x0101010101010101u

typedef struct block {
    uint64_t inside[SIDE], cut[3][SIDE]; /* by layer: points, and edges that start there */
    uint32_t near[NEAR];                 /* itself in the middle */
    uint32_t first_vertex;
    uint16_t before[3][SIDE]; /* cut edges of the block before these */
    uint16_t edge_count;
    bool not_finite, open; /* open: a lower neighbour is wanted */
} block;

typedef struct chunk {
    kin_vec3 *extras, *normals;
    uint32_t (*triangles)[3];
    size_t extra_count, extra_capacity, normal_capacity, triangle_count, triangle_capacity;
    size_t first_extra, first_triangle; /* in the whole */
    bool failed;
} chunk;

typedef struct march {
    const kin_isosurface_blocks* in;
    kin_allocator allocator;
    kin_isosurface* out;
    block* blocks;
    chunk* chunks;
    uint32_t *table, table_mask; /* block + 1 by hash of its place; 0: free */
    int chunk_count;
    kin_cube_table cubes;
} march;

/* In plain x86-64 this is not one instruction, and the core calls no compiler library. */
static uint32_t count_bits(uint64_t x)
{
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    return (uint32_t)(((x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * 0x0101010101010101u >> 56);
}

/* ---- who is beside whom ---- */

static uint32_t slot_of(const march* m, int32_t x, int32_t y, int32_t z)
{
    const int32_t(*at)[3] = m->in->at;
    uint32_t slot = kin_cell_hash((uint32_t)x, (uint32_t)y, (uint32_t)z) & m->table_mask;
    for (; m->table[slot] != 0; slot = (slot + 1) & m->table_mask) {
        const int32_t* p = at[m->table[slot] - 1];
        if (p[0] == x && p[1] == y && p[2] == z) break;
    }
    return slot;
}

static kin_result fill_table(march* m, kin_error* error)
{
    for (uint32_t b = 0; b < m->in->count; ++b) {
        const int32_t* p = m->in->at[b];
        for (int a = 0; a < 3; ++a) {
            if (p[a] <= -KIN_BLOCK_MOST || p[a] >= KIN_BLOCK_MOST)
                return kin_fail(error, KIN_ERROR_LIMIT, "at", "block %u is at %d along axis %d: its size must be below 2^20", b, p[a], a);
        }
        uint32_t slot = slot_of(m, p[0], p[1], p[2]);
        if (m->table[slot] != 0) return kin_fail(error, KIN_ERROR_ARGUMENT, "at", "blocks %u and %u are at the same place", m->table[slot] - 1, b);
        m->table[slot] = b + 1;
    }
    return KIN_OK;
}

static void find_near(const march* m, uint32_t b)
{
    const int32_t* p = m->in->at[b];
    for (int n = 0; n < NEAR; ++n) m->blocks[b].near[n] = m->table[slot_of(m, p[0] + n % 3 - 1, p[1] + n / 3 % 3 - 1, p[2] + n / 9 - 1)] - 1; /* 0 gives NONE */
}

static const block* neighbour(const march* m, const block* b, int dx, int dy, int dz)
{
    static const block empty = {.open = false};
    uint32_t n = b->near[13 + dx + 3 * dy + 9 * dz];
    return n == NONE ? &empty : &m->blocks[n];
}

/* Coordinates from -8 to 15, in the block or next to it. */
static double value_of(const march* m, const block* b, int i, int j, int k)
{
    uint32_t n = b->near[13 + (i >> 3) + 3 * (j >> 3) + 9 * (k >> 3)];
    float v = n == NONE ? m->in->outside : m->in->values[(size_t)n * KIN_BLOCK_POINTS + (size_t)((k & 7) * 64 + (j & 7) * 8 + (i & 7))];
    return (double)v - (double)(float)m->in->level;
}

/* ---- signs and cut edges ---- */

static void read_signs(void* argument, int64_t begin, int64_t end, int number, kin_arena* scratch)
{
    (void)number, (void)scratch;
    march* m = argument;
    float level = (float)m->in->level;
    for (int64_t n = begin; n < end; ++n) {
        block* b = &m->blocks[n];
        const float* v = m->in->values + n * KIN_BLOCK_POINTS;
        unsigned bad = 0;
        for (int k = 0; k < SIDE; ++k, v += 64) {
            uint64_t word = 0;
            for (int i = 0; i < 64; ++i) {
                word |= (uint64_t)(v[i] <= level) << i;
                bad |= !(__builtin_fabsf(v[i]) <= MOST_VALUE);
            }
            b->inside[k] = word;
        }
        b->not_finite = bad != 0;
        find_near(m, (uint32_t)n);
    }
}

/* The lowest points of the block, of those neighbours that are missing, must be outside. */
static bool is_open(const block* b)
{
    for (int n = 0; n < 8; ++n) {
        int dx = n & 1, dy = n >> 1 & 1, dz = n >> 2;
        if (b->near[13 - dx - 3 * dy - 9 * dz] != NONE) continue;
        uint64_t mask = (dx ? FIRST_COLUMN : ~0ull) & (dy ? 0xFFull : ~0ull), any = 0;
        for (int k = 0; k < (dz ? 1 : SIDE); ++k) any |= b->inside[k] & mask;
        if (any) return true;
    }
    return false;
}

static void cut_edges(void* argument, int64_t begin, int64_t end, int number, kin_arena* scratch)
{
    (void)number, (void)scratch;
    march* m = argument;
    for (int64_t n = begin; n < end; ++n) {
        block* b = &m->blocks[n];
        const block *x = neighbour(m, b, 1, 0, 0), *y = neighbour(m, b, 0, 1, 0), *z = neighbour(m, b, 0, 0, 1);
        uint16_t count = 0;
        for (int k = 0; k < SIDE; ++k) {
            uint64_t w = b->inside[k];
            b->cut[0][k] = w ^ ((w >> 1 & ~(FIRST_COLUMN << 7)) | (x->inside[k] & FIRST_COLUMN) << 7);
            b->cut[1][k] = w ^ (w >> 8 | y->inside[k] << 56);
            b->cut[2][k] = w ^ (k + 1 < SIDE ? b->inside[k + 1] : z->inside[0]);
            for (int a = 0; a < 3; ++a) {
                b->before[a][k] = count;
                count = (uint16_t)(count + count_bits(b->cut[a][k]));
            }
        }
        b->edge_count = count;
        b->open = is_open(b);
    }
}

/* ---- cells ---- */

static uint32_t vertex_on(const march* m, const block* b, int i, int j, int k, int axis)
{
    const block* owner = neighbour(m, b, i >> 3, j >> 3, k >> 3);
    int layer = k & 7, bit = (j & 7) * 8 + (i & 7);
    return owner->first_vertex + owner->before[axis][layer] + count_bits(owner->cut[axis][layer] & ((1ull << bit) - 1));
}

static bool add_extras(const march* m, const block* b, chunk* c, const int at[3], const double v[8], const kin_cube_patch* patch)
{
    const int32_t* place = m->in->at[b->near[13]];
    kin_vec3 corner = kin_v((double)SIDE * place[0] + at[0], (double)SIDE * place[1] + at[1], (double)SIDE * place[2] + at[2]);
    size_t need = c->extra_count + (size_t)patch->extra_count;
    if (!kin_reserve(&m->allocator, (void**)&c->extras, &c->extra_capacity, need, sizeof *c->extras)) return false;
    if (m->in->normals && !kin_reserve(&m->allocator, (void**)&c->normals, &c->normal_capacity, need, sizeof *c->normals)) return false;
    for (int e = 0; e < patch->extra_count; ++e, ++c->extra_count) {
        const double* x = patch->extra[e];
        double g[3];
        kin_cube_value(v, x, g);
        c->extras[c->extra_count] = kin_add_scaled(m->in->origin, m->in->cell, kin_add(corner, kin_v(x[0], x[1], x[2])));
        if (m->in->normals) c->normals[c->extra_count] = kin_normalize_or(kin_v(g[0], g[1], g[2]), kin_v(0, 0, 0));
    }
    return true;
}

static bool add_cell(const march* m, const block* b, chunk* c, const int at[3], unsigned mask)
{
    const uint8_t(*corners)[3] = m->cubes.corners[mask];
    int count = m->cubes.triangle_count[mask];
    uint32_t first_extra = (uint32_t)c->extra_count;
    kin_cube_patch patch;
    if (count < 0) { /* depends on its values */
        double v[8];
        for (int k = 0; k < 8; ++k) v[k] = value_of(m, b, at[0] + (k & 1), at[1] + (k >> 1 & 1), at[2] + (k >> 2));
        kin_cube_surface(v, &patch);
        corners = patch.corners, count = patch.triangle_count;
        if (!add_extras(m, b, c, at, v, &patch)) return false;
    }
    if (!kin_reserve(&m->allocator, (void**)&c->triangles, &c->triangle_capacity, c->triangle_count + (size_t)count, sizeof *c->triangles)) return false;
    for (int i = 0; i < count; ++i) {
        uint32_t* t = c->triangles[c->triangle_count++];
        for (int k = 0; k < 3; ++k) {
            int edge = corners[i][k], low = kin_cube_edge_corner(edge < 12 ? edge : 0, 0);
            t[k] = edge < 12 ? vertex_on(m, b, at[0] + (low & 1), at[1] + (low >> 1 & 1), at[2] + (low >> 2), edge / 4)
                             : EXTRA | (first_extra + (uint32_t)edge - 12);
        }
    }
    return true;
}

/* Signs of 9 x 9 rows of nine points: the block's, and the first of those beyond. */
static void widen(const march* m, const block* b, uint16_t rows[SIDE + 1][SIDE + 1])
{
    for (int k = 0; k <= SIDE; ++k) {
        for (int j = 0; j <= SIDE; ++j) {
            const block *low = neighbour(m, b, 0, j >> 3, k >> 3), *high = neighbour(m, b, 1, j >> 3, k >> 3);
            int shift = 8 * (j & 7);
            rows[k][j] = (uint16_t)((low->inside[k & 7] >> shift & 0xFF) | (high->inside[k & 7] >> shift & 1) << 8);
        }
    }
}

static bool march_block(const march* m, const block* b, chunk* c)
{
    uint16_t rows[SIDE + 1][SIDE + 1];
    widen(m, b, rows);
    for (int k = 0; k < SIDE; ++k) {
        for (int j = 0; j < SIDE; ++j) {
            unsigned r0 = rows[k][j], r1 = rows[k][j + 1], r2 = rows[k + 1][j], r3 = rows[k + 1][j + 1], any = r0 | r1 | r2 | r3, all = r0 & r1 & r2 & r3;
            for (unsigned cells = (any | any >> 1) & ~(all & all >> 1) & 0xFF; cells != 0; cells &= cells - 1) {
                int i = __builtin_ctz(cells);
                unsigned mask = (r0 >> i & 3) | (r1 >> i & 3) << 2 | (r2 >> i & 3) << 4 | (r3 >> i & 3) << 6;
                if (!add_cell(m, b, c, (int[3]){i, j, k}, mask)) return false;
            }
        }
    }
    return true;
}

static void march_chunk(void* argument, int64_t begin, int64_t end, int number, kin_arena* scratch)
{
    (void)scratch;
    march* m = argument;
    for (int64_t n = begin; n < end; ++n) {
        if (!march_block(m, &m->blocks[n], &m->chunks[number])) m->chunks[number].failed = true;
    }
}

/* ---- the whole ---- */

static kin_vec3 gradient_of(const march* m, const block* b, int i, int j, int k)
{
    return kin_v(value_of(m, b, i + 1, j, k) - value_of(m, b, i - 1, j, k), value_of(m, b, i, j + 1, k) - value_of(m, b, i, j - 1, k),
                 value_of(m, b, i, j, k + 1) - value_of(m, b, i, j, k - 1));
}

static void write_edge(const march* m, const block* b, int i, int j, int k, int axis, uint32_t vertex)
{
    int di = axis == 0, dj = axis == 1, dk = axis == 2;
    const int32_t* place = m->in->at[b->near[13]];
    double t = kin_cube_cut(value_of(m, b, i, j, k), value_of(m, b, i + di, j + dj, k + dk));
    kin_vec3 at = kin_v((double)SIDE * place[0] + i, (double)SIDE * place[1] + j, (double)SIDE * place[2] + k);
    m->out->vertices[vertex] = kin_add_scaled(m->in->origin, m->in->cell, kin_add_scaled(at, t, kin_axis(axis)));
    if (!m->in->normals) return;
    kin_vec3 gradient = kin_lerp(gradient_of(m, b, i, j, k), gradient_of(m, b, i + di, j + dj, k + dk), t);
    m->out->normals[vertex] = kin_normalize_or(gradient, kin_v(0, 0, 0));
}

static void write_chunk(void* argument, int64_t begin, int64_t end, int number, kin_arena* scratch)
{
    (void)scratch;
    march* m = argument;
    for (int64_t n = begin; n < end; ++n) {
        const block* b = &m->blocks[n];
        for (int a = 0; a < 3; ++a) {
            for (int k = 0; k < SIDE; ++k) {
                uint32_t vertex = b->first_vertex + b->before[a][k];
                for (uint64_t w = b->cut[a][k]; w != 0; w &= w - 1) {
                    int bit = __builtin_ctzll(w);
                    write_edge(m, b, bit & 7, bit >> 3, k, a, vertex++);
                }
            }
        }
    }
    const chunk* c = &m->chunks[number];
    if (c->extra_count > 0) memcpy(m->out->vertices + c->first_extra, c->extras, c->extra_count * sizeof *c->extras);
    if (c->extra_count > 0 && m->in->normals) memcpy(m->out->normals + c->first_extra, c->normals, c->extra_count * sizeof *c->normals);
    for (size_t t = 0; t < c->triangle_count; ++t) {
        uint32_t* to = m->out->corners + 3 * (c->first_triangle + t);
        for (int k = 0; k < 3; ++k) to[k] = c->triangles[t][k] & EXTRA ? (uint32_t)c->first_extra + (c->triangles[t][k] & ~EXTRA) : c->triangles[t][k];
    }
}

static kin_result number_vertices(march* m, kin_error* error)
{
    size_t count = 0;
    for (uint32_t n = 0; n < m->in->count; ++n) {
        block* b = &m->blocks[n];
        if (b->not_finite) return kin_fail(error, KIN_ERROR_ARGUMENT, "values", "a value in block %u is not finite", n);
        if (b->open) return kin_fail(error, KIN_ERROR_ARGUMENT, "at", "block %u is inside at its border, and no block is there", n);
        b->first_vertex = (uint32_t)count;
        count += b->edge_count;
        if (count >= EXTRA) return kin_fail(error, KIN_ERROR_LIMIT, "", "an isosurface of more than %u vertices", EXTRA - 1);
    }
    m->out->vertex_count = count;
    return KIN_OK;
}

static kin_result make_room(march* m, kin_error* error)
{
    kin_isosurface* out = m->out;
    for (int i = 0; i < m->chunk_count; ++i) {
        chunk* c = &m->chunks[i];
        if (c->failed) return kin_fail_memory(error, "an isosurface", kin_bytes(out->vertex_count, sizeof *out->vertices));
        c->first_extra = out->vertex_count, c->first_triangle = out->triangle_count;
        out->vertex_count += c->extra_count, out->triangle_count += c->triangle_count;
    }
    size_t vertex_bytes = kin_bytes(out->vertex_count, sizeof *out->vertices), corner_bytes = kin_bytes(out->triangle_count, 3 * sizeof *out->corners);
    out->vertices = kin_alloc(&m->allocator, vertex_bytes);
    out->corners = kin_alloc(&m->allocator, corner_bytes);
    if (m->in->normals) out->normals = kin_alloc(&m->allocator, vertex_bytes);
    bool all = out->vertex_count == 0 || (out->vertices != NULL && out->corners != NULL && (out->normals != NULL || !m->in->normals));
    return all ? KIN_OK : kin_fail_memory(error, "an isosurface", 2 * vertex_bytes + corner_bytes);
}

static kin_result check_blocks(const kin_isosurface_blocks* in, kin_error* error)
{
    if (!(in->cell > 0 && kin_finite(in->cell))) return kin_fail(error, KIN_ERROR_ARGUMENT, "cell", "the cell is %g m: it must be positive", in->cell);
    if (!kin_finite3(in->origin)) return kin_fail(error, KIN_ERROR_ARGUMENT, "origin", "the origin is not finite");
    if (!(kin_abs(in->level) < (double)MOST_VALUE)) return kin_fail(error, KIN_ERROR_ARGUMENT, "level", "the level is %g", in->level);
    if (!(in->outside > (float)in->level && in->outside <= MOST_VALUE))
        return kin_fail(error, KIN_ERROR_ARGUMENT, "outside", "the value outside is %g: it must be above the level %g", (double)in->outside, in->level);
    return KIN_OK;
}

static kin_result extract(march* m, kin_jobs* jobs, kin_error* error)
{
    int64_t count = m->in->count;
    kin_result result = fill_table(m, error);
    if (result != KIN_OK) return result;
    kin_cube_tabulate(&m->cubes);
    kin_parallel_for(jobs, count, GRAIN, read_signs, m);
    kin_parallel_for(jobs, count, GRAIN, cut_edges, m);
    if ((result = number_vertices(m, error)) != KIN_OK) return result;
    kin_parallel_for(jobs, count, GRAIN, march_chunk, m);
    if ((result = make_room(m, error)) != KIN_OK) return result;
    kin_parallel_for(jobs, count, GRAIN, write_chunk, m);
    return KIN_OK;
}

static void free_chunks(march* m)
{
    for (int i = 0; i < m->chunk_count && m->chunks != NULL; ++i) {
        chunk* c = &m->chunks[i];
        kin_free(&m->allocator, c->extras, kin_bytes(c->extra_capacity, sizeof *c->extras));
        kin_free(&m->allocator, c->normals, kin_bytes(c->normal_capacity, sizeof *c->normals));
        kin_free(&m->allocator, c->triangles, kin_bytes(c->triangle_capacity, sizeof *c->triangles));
    }
}

kin_result kin_isosurface_of_blocks(const kin_allocator* allocator, kin_jobs* jobs, const kin_isosurface_blocks* in, kin_isosurface* out, kin_error* error)
{
    *out = (kin_isosurface){.allocator = *allocator};
    kin_result result = check_blocks(in, error);
    if (result != KIN_OK || in->count == 0) return result;
    march m = {.in = in, .allocator = *allocator, .out = out, .chunk_count = kin_chunk_count(in->count, GRAIN), .table_mask = 15};
    while (m.table_mask / 2 < in->count) m.table_mask = 2 * m.table_mask + 1;
    size_t block_bytes = kin_bytes(in->count, sizeof *m.blocks), chunk_bytes = kin_bytes((size_t)m.chunk_count, sizeof *m.chunks);
    size_t table_bytes = kin_bytes((size_t)m.table_mask + 1, sizeof *m.table);
    m.blocks = kin_alloc(allocator, block_bytes);
    m.chunks = kin_alloc_zero(allocator, chunk_bytes);
    m.table = kin_alloc_zero(allocator, table_bytes);
    if (m.blocks != NULL && m.chunks != NULL && m.table != NULL)
        result = extract(&m, jobs, error);
    else
        result = kin_fail_memory(error, "an isosurface", block_bytes + chunk_bytes + table_bytes);
    free_chunks(&m);
    kin_free(allocator, m.chunks, chunk_bytes);
    kin_free(allocator, m.blocks, block_bytes);
    kin_free(allocator, m.table, table_bytes);
    if (result != KIN_OK) kin_isosurface_term(out);
    return result;
}
