/* darts.c - points with a spacing, found by the hash of their cell; triangles by area. */
#include "geometry/sample/darts.h"
#include "base/alloc.h"

/* ---- samples ---- */

void kin_samples_term(kin_samples* s)
{
    kin_free(&s->allocator, s->points, s->capacity[0] * sizeof *s->points);
    kin_free(&s->allocator, s->normals, s->capacity[1] * sizeof *s->normals);
    kin_free(&s->allocator, s->triangles, s->capacity[2] * sizeof *s->triangles);
    *s = (kin_samples){.allocator = s->allocator};
}

bool kin_samples_add(kin_samples* s, kin_vec3 x, const kin_mesh* mesh, uint32_t triangle)
{
    size_t count = (size_t)s->count + 1;
    if (!kin_reserve(&s->allocator, (void**)&s->points, &s->capacity[0], count, sizeof *s->points)) return false;
    if (mesh != NULL) {
        if (!kin_reserve(&s->allocator, (void**)&s->normals, &s->capacity[1], count, sizeof *s->normals)
            || !kin_reserve(&s->allocator, (void**)&s->triangles, &s->capacity[2], count, sizeof *s->triangles))
            return false;
        s->normals[s->count] = mesh->normals[triangle];
        s->triangles[s->count] = triangle;
    }
    s->points[s->count++] = x;
    return true;
}

/* ---- chains ---- */

static uint32_t chain_of(const kin_darts* d, int64_t x, int64_t y, int64_t z)
{
    uint64_t h = (uint64_t)x * 0x9E3779B97F4A7C15u + (uint64_t)y * 0xC2B2AE3D27D4EB4Fu + (uint64_t)z * 0x165667B19E3779F9u;
    return (uint32_t)((h ^ h >> 29) * 0xD6E8FEB86659FD93u >> 32) & d->mask;
}

/* Limits on size / spacing keep this well within 64 bits. */
static int64_t cell_of(const kin_darts* d, double x) { return (int64_t)kin_floor(x * d->inverse); }

static void link(kin_darts* d, uint32_t point)
{
    kin_vec3 x = d->out->points[point];
    uint32_t* head = &d->heads[chain_of(d, cell_of(d, x.x), cell_of(d, x.y), cell_of(d, x.z))];
    d->next[point] = *head;
    *head = point + 1;
}

static size_t head_bytes(uint32_t mask) { return ((size_t)mask + 1) * sizeof(uint32_t); }

/* Twice as many chains. */
static bool grow(kin_darts* d)
{
    const kin_allocator* allocator = &d->out->allocator;
    uint32_t mask = 2 * d->mask + 1;
    uint32_t* heads = kin_alloc_zero(allocator, head_bytes(mask));
    if (heads == NULL) return false;
    kin_free(allocator, d->heads, head_bytes(d->mask));
    d->heads = heads;
    d->mask = mask;
    for (uint32_t i = 0; i < d->out->count; ++i) link(d, i);
    return true;
}

bool kin_darts_init(kin_darts* d, kin_samples* out, double spacing, double expected, uint64_t seed)
{
    *d = (kin_darts){.out = out, .spacing = spacing, .inverse = 0.5 / spacing, .mask = 63, .key = {.seed = seed}};
    while (d->mask < expected && d->mask < KIN_SAMPLE_MOST) d->mask = 2 * d->mask + 1;
    d->heads = kin_alloc_zero(&out->allocator, head_bytes(d->mask));
    return d->heads != NULL;
}

void kin_darts_term(kin_darts* d)
{
    kin_free(&d->out->allocator, d->heads, head_bytes(d->mask));
    kin_free(&d->out->allocator, d->next, d->next_capacity * sizeof *d->next);
}

void kin_darts_words(kin_darts* d, uint64_t words[4])
{
    kin_rng_words(&d->key, 0, words);
    d->key.serial += 1;
}

/* The nearer neighbour of a cell along an axis. */
static int64_t beside(const kin_darts* d, double x, int64_t cell) { return x * d->inverse - (double)cell < 0.5 ? cell - 1 : cell + 1; }

bool kin_darts_free(const kin_darts* d, kin_vec3 x)
{
    int64_t cell[3][2];
    double reach = d->spacing * d->spacing;
    for (int k = 0; k < 3; ++k) {
        cell[k][0] = cell_of(d, kin_component(x, k));
        cell[k][1] = beside(d, kin_component(x, k), cell[k][0]);
    }
    for (int k = 0; k < 8; ++k) {
        for (uint32_t at = d->heads[chain_of(d, cell[0][k & 1], cell[1][k >> 1 & 1], cell[2][k >> 2])]; at != 0; at = d->next[at - 1])
            if (kin_length2(kin_sub(d->out->points[at - 1], x)) < reach) return false;
    }
    return true;
}

/* The points of one cell that are near enough; those of other cells in its chain have their own turn. */
static void gather_cell(const kin_darts* d, const int64_t cell[3], kin_vec3 at, double reach, kin_darts_near* near)
{
    for (uint32_t i = d->heads[chain_of(d, cell[0], cell[1], cell[2])]; i != 0; i = d->next[i - 1]) {
        kin_vec3 p = d->out->points[i - 1];
        if (!(kin_length2(kin_sub(p, at)) < reach)) continue;
        if (cell_of(d, p.x) == cell[0] && cell_of(d, p.y) == cell[1] && cell_of(d, p.z) == cell[2]) kin_darts_near_add(near, p);
    }
}

void kin_darts_gather(const kin_darts* d, kin_vec3 at, double size, kin_darts_near* near)
{
    double reach = d->spacing + size;
    int64_t low[3], high[3], cell[3];
    near->count = 0;
    for (int k = 0; k < 3; ++k) low[k] = cell_of(d, kin_component(at, k) - reach), high[k] = cell_of(d, kin_component(at, k) + reach);
    for (cell[2] = low[2]; cell[2] <= high[2]; ++cell[2])
        for (cell[1] = low[1]; cell[1] <= high[1]; ++cell[1])
            for (cell[0] = low[0]; cell[0] <= high[0]; ++cell[0]) gather_cell(d, cell, at, reach * reach, near);
}

bool kin_darts_near_free(const kin_darts_near* near, kin_vec3 x, double spacing)
{
    for (int i = 0; i < near->count; ++i)
        if (kin_length2(kin_sub(near->points[i], x)) < spacing * spacing) return false;
    return true;
}

bool kin_darts_near_cover(const kin_darts_near* near, const kin_vec3 corners[3], double spacing)
{
    double reach = spacing * spacing;
    for (int i = 0; i < near->count; ++i) {
        kin_vec3 p = near->points[i];
        if (kin_length2(kin_sub(p, corners[0])) < reach && kin_length2(kin_sub(p, corners[1])) < reach && kin_length2(kin_sub(p, corners[2])) < reach)
            return true;
    }
    return false;
}

/* By the farthest corner. */
bool kin_darts_near_cover_cube(const kin_darts_near* near, kin_vec3 middle, double half, double spacing)
{
    for (int i = 0; i < near->count; ++i) {
        kin_vec3 far = kin_add(kin_abs3(kin_sub(near->points[i], middle)), kin_v(half, half, half));
        if (kin_length2(far) < spacing * spacing) return true;
    }
    return false;
}

bool kin_darts_add(kin_darts* d, kin_vec3 x, const kin_mesh* mesh, uint32_t triangle)
{
    const kin_allocator* allocator = &d->out->allocator;
    if (!kin_reserve(allocator, (void**)&d->next, &d->next_capacity, (size_t)d->out->count + 1, sizeof *d->next)) return false;
    if (d->out->count > d->mask && !grow(d)) return false;
    if (!kin_samples_add(d->out, x, mesh, triangle)) return false;
    link(d, d->out->count - 1);
    return true;
}

/* ---- picks ---- */

/* Square roots even out the corner where triangles are narrow. */
kin_vec3 kin_sample_in_triangle(kin_vec3 a, kin_vec3 b, kin_vec3 c, uint64_t first, uint64_t second)
{
    double root = kin_sqrt(kin_rng_unit(first)), t = kin_rng_unit(second);
    return kin_add_scaled(kin_add_scaled(a, root * (1 - t), kin_sub(b, a)), root * t, kin_sub(c, a));
}

bool kin_area_table_init(kin_area_table* table, const kin_allocator* allocator, const kin_mesh* mesh)
{
    table->count = mesh->triangle_count;
    table->sums = kin_alloc(allocator, ((size_t)table->count + 1) * sizeof *table->sums);
    if (table->sums == NULL) return false;
    table->sums[0] = 0;
    for (uint32_t i = 0; i < table->count; ++i) {
        const uint32_t* c = mesh->triangles[i];
        kin_vec3 a = mesh->vertices[c[0]];
        kin_vec3 n = kin_cross(kin_sub(mesh->vertices[c[1]], a), kin_sub(mesh->vertices[c[2]], a));
        table->sums[i + 1] = table->sums[i] + 0.5 * kin_length(n);
    }
    return true;
}

void kin_area_table_term(kin_area_table* table, const kin_allocator* allocator)
{
    kin_free(allocator, table->sums, ((size_t)table->count + 1) * sizeof *table->sums);
    table->sums = NULL;
}

uint32_t kin_area_table_pick(const kin_area_table* table, uint64_t word)
{
    double x = kin_rng_unit(word) * table->sums[table->count];
    uint32_t low = 0, high = table->count - 1; /* the last whose sum before it is at most x */
    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2;
        if (table->sums[middle] <= x)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}
