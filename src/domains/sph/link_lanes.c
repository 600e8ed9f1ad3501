/* link_lanes.c - who is near whom, cell by cell. Of the particles in the 27 cells around a cell those that some particle of it may reach are copied together
 * (x, y, z, number); each particle of the cell then sweeps over them in lanes. The order of a list is that of the sweep, whatever the width.
 *
 * Numbers are 16 bits wide where lists are, relative to the cell's first particle, and wrap around freely: only the final offset has to fit. */
#include "domains/sph/link.h"
#include "domains/sph/pair_lanes.h"
#include "math/scalar.h"
#include <string.h>

#define NOWHERE __builtin_nanf("") /* where a particle hides from itself: near nothing */
#define EVERYWHERE 1e30f           /* m: an end of an axis that has none */

typedef float lane_anywhere __attribute__((vector_size(4 * LANES), may_alias, aligned(4)));
typedef uint16_t short_eight __attribute__((vector_size(16)));

/* What is around the present cell. */
typedef struct around {
    float *x, *y, *z;
    int16_t* near;
    int32_t* far;
    size_t count, capacity;
    size_t base, end; /* the cell's particles */
    size_t own;       /* where they are among those around */
} around;

typedef struct run {
    size_t begin, end;
} run;

/* Cells around c along an axis: each once. */
INLINE int cells_along(const kin_sph* f, int axis, int c, int out[3])
{
    int n = f->cells.size[axis], count = 0;
    if (f->box_size[axis] > 0) {
        for (int k = c - 1; k <= c + 1 && count < n; ++k) out[count++] = k < 0 ? k + n : k >= n ? k - n : k;
    } else {
        for (int k = c > 0 ? c - 1 : 0; k <= c + 1 && k < n; ++k) out[count++] = k;
    }
    return count;
}

/* Runs of particles in the cells around one: three a row where it is periodic along the row, else one. */
static int runs_around(const kin_sph* f, const int at[3], run runs[27])
{
    const kin_sph_cells* c = &f->cells;
    int slow[3], middle[3], fast[3], count = 0;
    int slow_count = cells_along(f, c->axis[0], at[c->axis[0]], slow), middle_count = cells_along(f, c->axis[1], at[c->axis[1]], middle);
    int fast_count = cells_along(f, c->axis[2], at[c->axis[2]], fast), fast_size = c->size[c->axis[2]];
    bool periodic = f->box_size[c->axis[2]] > 0;
    for (int s = 0; s < slow_count; ++s) {
        for (int m = 0; m < middle_count; ++m) {
            size_t row = ((size_t)slow[s] * (size_t)c->size[c->axis[1]] + (size_t)middle[m]) * (size_t)fast_size;
            const uint32_t* start = c->start + row;
            for (int k = 0; k < (periodic ? fast_count : 1); ++k) {
                int last = periodic ? fast[k] : fast[fast_count - 1];
                runs[count++] = (run){start[fast[k]], start[last + 1]};
            }
        }
    }
    return count;
}

static bool make_room(around* a, size_t count, kin_arena* scratch)
{
    if (count <= a->capacity) return true;
    size_t n = a->capacity = (count + count / 2 + 15) / 16 * 16;
    float* all_of = kin_arena_take(scratch, (3 * sizeof(float) + sizeof(int32_t)) * n);
    if (all_of == NULL) return false;
    a->x = all_of, a->y = all_of + n, a->z = all_of + 2 * n;
    a->far = (int32_t*)(void*)(all_of + 3 * n), a->near = (int16_t*)(void*)a->far;
    return true;
}

/* The lanes in m, one behind the other. May write up to eight. */
INLINE void put_places(const uint8_t* squeeze, lane x, uint32_t m, float* out)
{
#if KIN_WIDTH == 2 /* a table's 16 bits are 2 k and 2 k + 1: shifted by one, their low three bits are k */
    __m256i how = _mm256_srli_epi32(_mm256_cvtepu16_epi32(_mm_load_si128((const __m128i*)(const void*)(squeeze + 16 * m))), 1);
    _mm256_storeu_ps(out, _mm256_permutevar8x32_ps((__m256)x, how));
#else
    (void)squeeze;
    for (; m != 0; m &= m - 1) *out++ = x[__builtin_ctz(m)];
#endif
}
INLINE size_t put_near(const uint8_t* squeeze, const int16_t* numbers, uint32_t m, int16_t* out)
{
#if KIN_WIDTH == 2
    __m128i how = _mm_load_si128((const __m128i*)(const void*)(squeeze + 16 * m));
    _mm_storeu_si128((__m128i*)(void*)out, _mm_shuffle_epi8(_mm_loadu_si128((const __m128i*)(const void*)numbers), how));
    return (size_t)__builtin_popcount(m);
#else
    (void)squeeze;
    size_t n = 0;
    for (; m != 0; m &= m - 1) out[n++] = numbers[__builtin_ctz(m)];
    return n;
#endif
}
INLINE size_t put_far(const uint8_t* squeeze, const int32_t* numbers, uint32_t m, int32_t* out)
{
#if KIN_WIDTH == 2
    __m256i how = _mm256_srli_epi32(_mm256_cvtepu16_epi32(_mm_load_si128((const __m128i*)(const void*)(squeeze + 16 * m))), 1);
    _mm256_storeu_si256((__m256i*)(void*)out, _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const __m256i*)(const void*)numbers), how));
    return (size_t)__builtin_popcount(m);
#else
    (void)squeeze;
    size_t n = 0;
    for (; m != 0; m &= m - 1) out[n++] = numbers[__builtin_ctz(m)];
    return n;
#endif
}

/* The box of a cell's particles: who is out of reach of it is out of reach of all of them, with rounding too, which never turns an order round. Along a periodic
 * axis nobody is. */
typedef struct bounds {
    lane low[3], high[3], reach2;
} bounds;

static bounds bounds_of(const kin_sph* f, size_t begin, size_t end)
{
    const float reach = KIN_SPH_REACH * f->support;
    bounds b = {.reach2 = all(reach * reach)};
    for (int a = 0; a < 3; ++a) {
        float low = f->xs[a][begin], high = low;
        for (size_t i = begin + 1; i < end; ++i) low = f->xs[a][i] < low ? f->xs[a][i] : low, high = f->xs[a][i] > high ? f->xs[a][i] : high;
        if (f->box_size[a] > 0) low = -EVERYWHERE, high = EVERYWHERE;
        b.low[a] = all(low), b.high[a] = all(high);
    }
    return b;
}

INLINE lane beyond(const bounds* b, int axis, lane x) { return more(more(b->low[axis] - x, x - b->high[axis]), all(0)); }

INLINE void copy_run(const kin_sph* f, around* a, const bounds* b, bool wide, run r)
{
    const uint8_t* squeeze = f->lists.squeeze;
    for (size_t k = r.begin; k < r.end; k += LANES) {
        lane x = *(const lane_anywhere*)(f->xs[0] + k), y = *(const lane_anywhere*)(f->xs[1] + k), z = *(const lane_anywhere*)(f->xs[2] + k);
        lane dx = beyond(b, 0, x), dy = beyond(b, 1, y), dz = beyond(b, 2, z);
        uint32_t m = bits(dx * dx + dy * dy + dz * dz < b->reach2);
        if (r.end - k < LANES) m &= (1U << (r.end - k)) - 1;
        put_places(squeeze, x, m, a->x + a->count), put_places(squeeze, y, m, a->y + a->count), put_places(squeeze, z, m, a->z + a->count);
        if (wide) {
            int32_t numbers[8];
            for (int l = 0; l < 8; ++l) numbers[l] = (int32_t)k + l;
            a->count += put_far(squeeze, numbers, m, a->far + a->count);
        } else {
            short_eight next = {0, 1, 2, 3, 4, 5, 6, 7};
            int16_t numbers[8];
            next += (uint16_t)(k - a->base);
            memcpy(numbers, &next, sizeof next);
            a->count += put_near(squeeze, numbers, m, a->near + a->count);
        }
    }
}

/* Takes the cell that particle i is in. */
INLINE bool enter_cell(const kin_sph* f, around* a, bool wide, size_t i, kin_arena* scratch)
{
    const kin_sph_cells* c = &f->cells;
    int at[3];
    for (int k = 0; k < 3; ++k) at[k] = kin_sph_cell_along(c, k, f->xs[k][i]);
    size_t cell = ((size_t)at[c->axis[0]] * (size_t)c->size[c->axis[1]] + (size_t)at[c->axis[1]]) * (size_t)c->size[c->axis[2]] + (size_t)at[c->axis[2]];
    run runs[27];
    int run_count = runs_around(f, at, runs);
    size_t most = 0;
    for (int k = 0; k < run_count; ++k) most += runs[k].end - runs[k].begin;
    if (!make_room(a, most + 16, scratch)) return false;
    a->base = c->start[cell], a->end = c->start[cell + 1], a->count = 0;
    const bounds box = bounds_of(f, a->base, a->end);
    for (int k = 0; k < run_count; ++k) {
        bool has_own = runs[k].begin <= a->base && a->base < runs[k].end;
        if (has_own) copy_run(f, a, &box, wide, (run){runs[k].begin, a->base});
        if (has_own) a->own = a->count, runs[k].begin = a->base;
        copy_run(f, a, &box, wide, runs[k]);
    }
    for (size_t k = a->count; k < a->count + 8; ++k) a->x[k] = NOWHERE, a->y[k] = a->z[k] = 0;
    return true;
}

/* A particle that looks around. Copied out of memory: writing a list could change anything, as far as a compiler knows. */
typedef struct looker {
    lane x, y, z, reach2;
    const float *others_x, *others_y, *others_z;
    wrap box;
} looker;

INLINE uint32_t hits(const looker* w, bool wide, size_t k)
{
    lane dx = w->x - *(const lane_anywhere*)(w->others_x + k), dy = w->y - *(const lane_anywhere*)(w->others_y + k);
    lane dz = w->z - *(const lane_anywhere*)(w->others_z + k);
    if (wide) {
        dx = wrapped(dx, w->box.size[0], w->box.inv[0]);
        dy = wrapped(dy, w->box.size[1], w->box.inv[1]);
        dz = wrapped(dz, w->box.size[2], w->box.inv[2]);
    }
    return bits(dx * dx + dy * dy + dz * dz < w->reach2);
}

/* The list of particle i; only counted where there is no room. */
INLINE size_t sweep(const kin_sph* f, around* a, bool wide, size_t i, void* out, bool fits)
{
    size_t slot = a->own + (i - a->base), n = 0, count = a->count;
    float hidden = a->x[slot];
    a->x[slot] = NOWHERE;
    const float reach = KIN_SPH_REACH * f->support;
    const looker w = {all(f->xs[0][i]), all(f->xs[1][i]), all(f->xs[2][i]), all(reach * reach), a->x, a->y, a->z, wrap_of(f)};
    const uint8_t* squeeze = f->lists.squeeze;
    if (!fits) {
        for (size_t k = 0; k < count; k += LANES) n += (size_t)__builtin_popcount(hits(&w, wide, k));
    } else if (wide) {
        const int32_t* numbers = a->far;
        for (size_t k = 0; k < count; k += LANES) n += put_far(squeeze, numbers + k, hits(&w, wide, k), (int32_t*)out + n);
        for (size_t k = 0; k < n; ++k) ((int32_t*)out)[k] -= (int32_t)(i / 8 * 8);
    } else {
        const int16_t* numbers = a->near;
        for (size_t k = 0; k < count; k += LANES) n += put_near(squeeze, numbers + k, hits(&w, wide, k), (int16_t*)out + n);
        uint16_t shift = (uint16_t)(a->base - i / 8 * 8);
        for (size_t k = 0; k < n; k += 8) {
            uint16_t* list = (uint16_t*)out + k;
            for (size_t l = 0; l < 8; ++l) list[l] = (uint16_t)(list[l] + shift);
        }
    }
    a->x[slot] = hidden;
    return n;
}

INLINE kin_sph_found find_chunk(const kin_sph* f, bool wide, size_t begin, size_t end, char* out, size_t room, kin_arena* scratch)
{
    around a = {0};
    size_t each = wide ? sizeof(int32_t) : sizeof(int16_t), used = 0, needed = 0;
    for (size_t i = 8 * begin; i < 8 * end; ++i) {
        f->neighbours[i] = 0;
        if (i >= f->count) continue;
        if (i >= a.end && !enter_cell(f, &a, wide, i, scratch)) return (kin_sph_found){0, SIZE_MAX, true};
        size_t most = used + (a.count + 8) * each; /* a list is at most as long as there are particles around; its last lanes are written whole */
        needed = most > needed ? most : needed;
        size_t n = sweep(f, &a, wide, i, out + used, most <= room);
        if (n > KIN_SPH_MOST_NEIGHBOURS) return (kin_sph_found){0, i, false};
        f->neighbours[i] = (uint16_t)n;
        used += n * each;
    }
    return (kin_sph_found){needed, SIZE_MAX, false};
}

kin_sph_found KIN_KERNEL(kin_sph_find)(const kin_sph* f, size_t begin, size_t end, void* out, size_t room, kin_arena* scratch)
{
    return f->lists.wide ? find_chunk(f, true, begin, end, out, room, scratch) : find_chunk(f, false, begin, end, out, room, scratch);
}

/* ---- from lists by particle to rows by block ---- */

#if KIN_WIDTH > 0
INLINE __m128i eight_of(const int16_t* list, int n, int k, int self)
{
    __m128i own_number = _mm_set1_epi16((short)self);
    if (k >= n) return own_number;
    __m128i there = _mm_loadu_si128((const __m128i*)(const void*)(list + k));
    __m128i valid = _mm_cmpgt_epi16(_mm_set1_epi16((short)(n - k)), _mm_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7));
    return _mm_or_si128(_mm_and_si128(valid, there), _mm_andnot_si128(valid, own_number));
}

/* Eight rows of eight at a time. */
INLINE void turn_near(const int16_t* const list[8], const uint16_t* n, int rows, int16_t* out)
{
    for (int k = 0; k < rows; k += 8) {
        __m128i a[8], b[8];
        for (int l = 0; l < 8; ++l) a[l] = eight_of(list[l], n[l], k, l);
        for (int l = 0; l < 4; ++l) b[2 * l] = _mm_unpacklo_epi16(a[2 * l], a[2 * l + 1]), b[2 * l + 1] = _mm_unpackhi_epi16(a[2 * l], a[2 * l + 1]);
        a[0] = _mm_unpacklo_epi32(b[0], b[2]), a[1] = _mm_unpackhi_epi32(b[0], b[2]), a[2] = _mm_unpacklo_epi32(b[1], b[3]);
        a[3] = _mm_unpackhi_epi32(b[1], b[3]), a[4] = _mm_unpacklo_epi32(b[4], b[6]), a[5] = _mm_unpackhi_epi32(b[4], b[6]);
        a[6] = _mm_unpacklo_epi32(b[5], b[7]), a[7] = _mm_unpackhi_epi32(b[5], b[7]);
        for (int l = 0; l < 4; ++l) b[2 * l] = _mm_unpacklo_epi64(a[l], a[l + 4]), b[2 * l + 1] = _mm_unpackhi_epi64(a[l], a[l + 4]);
        for (int l = 0; l < 8 && k + l < rows; ++l) _mm_store_si128((__m128i*)(void*)(out + 8 * (k + l)), b[l]);
    }
}
#else
INLINE void turn_near(const int16_t* const list[8], const uint16_t* n, int rows, int16_t* out)
{
    for (int k = 0; k < rows; ++k) {
        for (int l = 0; l < 8; ++l) out[8 * k + l] = k < n[l] ? list[l][k] : (int16_t)l;
    }
}
#endif

INLINE void turn_far(const int32_t* const list[8], const uint16_t* n, int rows, int32_t* out)
{
    for (int k = 0; k < rows; ++k) {
        for (int l = 0; l < 8; ++l) out[8 * k + l] = k < n[l] ? list[l][k] : l;
    }
}

void KIN_KERNEL(kin_sph_turn)(const kin_sph* f, size_t begin, size_t end, const void* from)
{
    const kin_sph_lists* l = &f->lists;
    const int16_t* near = from;
    const int32_t* far = from;
    for (size_t b = begin; b < end; ++b) {
        const uint16_t* n = f->neighbours + 8 * b;
        const int16_t* near_list[8];
        const int32_t* far_list[8];
        for (int i = 0; i < 8; ++i) near_list[i] = near, far_list[i] = far, near += n[i], far += n[i];
        size_t first = l->first[b];
        int rows = (int)(l->first[b + 1] - first);
        if (l->wide) {
            turn_far(far_list, n, rows, l->far + 8 * first);
        } else {
            turn_near(near_list, n, rows, l->near + 8 * first);
        }
    }
}
