/* map.c - shares of forms. Near a form a particle sees one or more flat pieces, its nearest points with their normals; flat walls there, put together by the
 * product rule, are the first guess P. What lies behind a curved or finite surface is not what lies behind flat walls, so P is corrected by
 *
 *     R = part of the bell that cannot be seen from here past the form / the same for the flat pieces
 *
 * both by the same rays, so that R = 1 where the form is flat. "Cannot be seen" makes thin plates and open meshes fill what is behind them, as seen from either
 * side. lambda = P R; R changes over distances of the kernel's reach, and is kept on a grid (Bender 2019 keeps the volume itself; a correction may be coarser).
 *
 * Blocks of the grid are made when a particle first comes there: a tank of many square metres that is wet at the bottom costs what is wet. Their values depend on
 * the form alone, so it does not matter who asked first. */
#include "domains/sph/boundary/map.h"
#include "base/alloc.h"
#include "math/frame.h"
#include "math/quat.h"
#include <string.h>

#define CELL 0.75     /* spacings */
#define FEET 8        /* nearest points of one form that count */
#define NEAR_RINGS 24 /* of rays towards the wall, by equal steps of the cosine of their angle with it */
#define FAR_RINGS 4   /* away from it: they meet other pieces */
#define RINGS (NEAR_RINGS + FAR_RINGS)
#define SPOKES 6         /* rays in a ring */
#define TRIED 2          /* of them at first: if all agree with flat walls it is taken for flat */
#define NEAREST 0.1      /* spacings, and */
#define FARTHEST 0.7     /* supports: R is taken at distances between these; beyond them it is that at the nearest such place */
#define MOST_FACTOR 3.0  /* of a correction */
#define ROOM 2.0         /* spacings */
#define MOST_ROOMS 160   /* along the longest side */
#define PROBES 3         /* along each side of a block: if none of them needs a correction the block does not */
#define MOST_WANTED 4096 /* blocks at once */

/* ---- flat pieces ---- */

typedef struct feet {
    kin_touch touch[FEET];
    double weight[FEET]; /* 1; less for one whose normal is near that of a nearer one: facets of one curved wall */
    int count;
} feet;

static double smooth(double x)
{
    x = kin_clamp(x, 0, 1);
    return x * x * (3 - 2 * x);
}

static void weigh_feet(feet* f)
{
    for (int m = 0; m < f->count; ++m) {
        f->weight[m] = 1;
        for (int k = 0; k < m; ++k) f->weight[m] *= smooth((1 - kin_dot(f->touch[m].normal, f->touch[k].normal) - 0.034) / 0.466); /* 15 to 60 degrees */
    }
}

static void find_feet(const kin_form* form, kin_vec3 x, double reach, feet* f)
{
    f->count = form->ops->closest(form, x, reach, f->touch, FEET);
    weigh_feet(f);
}

/* 0 in front of an open surface, 1 behind it. */
static int side_of(const kin_form* form, const kin_touch* touch)
{
    kin_vec3 normal = touch->normal;
    if (form->part_count > 0) {
        const kin_form_part* p = &form->parts[touch->part];
        normal = p->upright ? normal : kin_mat3_apply_transposed(p->axes, normal);
        form = p->form;
    }
    return form->mesh != NULL && !form->has_inside && kin_dot(form->mesh->mesh->normals[touch->feature], normal) < 0;
}

static bool is_open(const kin_form* form)
{
    for (uint32_t i = 0; i < form->part_count; ++i) {
        if (is_open(form->parts[i].form)) return true;
    }
    return form->mesh != NULL && !form->has_inside;
}

/* ---- the correction ---- */

/* A ray of the bundle about -n, and which part of all directions it stands for. */
static kin_vec3 ray_of(const kin_basis* basis, int ring, int spoke, double* part)
{
    bool near = ring < NEAR_RINGS;
    double c = near ? 1 - (ring + 0.5) / NEAR_RINGS : -(ring - NEAR_RINGS + 0.5) / FAR_RINGS, s = kin_sqrt(1 - c * c);
    *part = 0.5 / (SPOKES * (near ? NEAR_RINGS : FAR_RINGS));
    kin_sincos a = kin_sin_cos(2 * KIN_PI * (spoke + 0.5 * (ring % 2)) / SPOKES);
    return kin_basis_to_world(*basis, kin_v(-c, s * a.cosine, s * a.sine));
}

static double flat_hit(const kin_touch* foot, kin_vec3 ray, double limit)
{
    double down = -kin_dot(ray, foot->normal);
    return down * limit > foot->distance ? foot->distance / down : limit;
}

typedef struct counted {
    double hidden, flat[FEET];
    bool alike; /* every ray ends where flat walls end it */
} counted;

static void count_ray(const kin_sph_profile* p, const kin_form* form, kin_vec3 x, const kin_basis* basis, int ring, int spoke, const feet* f, counted* sum)
{
    double limit = p->tail.end, first = limit, slope, part;
    kin_vec3 ray = ray_of(basis, ring, spoke, &part);
    kin_touch hit;
    double t = form->ops->ray(form, x, ray, limit, &hit) ? hit.t : limit;
    sum->hidden += part * kin_sph_curve_at(&p->tail, t, &slope);
    for (int m = 0; m < f->count; ++m) {
        double at = flat_hit(&f->touch[m], ray, limit);
        first = f->weight[m] > 0 ? kin_min(first, at) : first;
        sum->flat[m] += part * kin_sph_curve_at(&p->tail, at, &slope);
    }
    sum->alike = sum->alike && kin_abs(t - first) < 1e-6 * limit;
}

static double corrected(const kin_sph_profile* p, const kin_form* form, kin_vec3 x, const feet* f)
{
    counted sum = {.alike = true};
    kin_basis basis = kin_basis_from_normal(f->touch[0].normal);
    for (int k = 0; k < RINGS * TRIED; ++k) count_ray(p, form, x, &basis, k / TRIED, (k % TRIED * 3 + k / TRIED) % SPOKES, f, &sum);
    if (sum.alike) return 1;
    sum = (counted){.alike = true};
    for (int k = 0; k < RINGS * SPOKES; ++k) count_ray(p, form, x, &basis, k / SPOKES, k % SPOKES, f, &sum);
    double seen = 1;
    for (int m = 0; m < f->count; ++m) seen *= 1 - f->weight[m] * sum.flat[m];
    return seen < 1 ? kin_min(sum.hidden / (1 - seen), MOST_FACTOR) : 1;
}

/* Where R is taken for x: on the wanted side, neither at the wall nor too far from it. False: no particle that feels the wall shares a cell with x. */
static bool move_into_band(const kin_sph_profile* p, const kin_form* form, int side, double diagonal, kin_vec3* x)
{
    kin_touch foot;
    double low = NEAREST * p->spacing, high = FARTHEST * p->tail.end;
    if (form->ops->closest(form, *x, p->share.end + diagonal, &foot, 1) == 0 || foot.distance < -diagonal) return false;
    if (side_of(form, &foot) != side)
        *x = kin_add_scaled(foot.point, -low, foot.normal);
    else
        *x = kin_add_scaled(*x, kin_clamp(foot.distance, low, high) - foot.distance, foot.normal);
    return true;
}

double kin_sph_map_factor(const kin_sph_walls* w, const kin_form* form, kin_vec3 x, int side, double cell)
{
    feet f;
    const kin_sph_profile* p = &w->profile;
    if (!move_into_band(p, form, side, 1.7321 * cell, &x)) return 1;
    find_feet(form, x, p->tail.end, &f);
    return f.count > 0 && f.touch[0].distance > 0 ? corrected(p, form, x, &f) : 1;
}

/* ---- the grid ---- */

static bool init_map(kin_sph_walls* w, kin_sph_map* m, kin_form* form)
{
    double margin = w->profile.tail.end, longest = kin_largest(kin_sub(form->bounds.high, form->bounds.low)) + 2 * margin;
    m->cell = kin_max(CELL * w->profile.spacing, longest / (KIN_SPH_MAP_BLOCKS * KIN_SPH_MAP_CELLS));
    m->origin = kin_sub(form->bounds.low, kin_v(margin, margin, margin));
    m->block_count = 1;
    for (int a = 0; a < 3; ++a) {
        double length = kin_component(form->bounds.high, a) + margin - kin_component(m->origin, a);
        m->blocks[a] = 1 + (uint32_t)kin_floor(length / (m->cell * KIN_SPH_MAP_CELLS));
        m->block_count *= m->blocks[a];
    }
    m->sides = is_open(form) ? 2 : 1;
    m->room_size = kin_max(ROOM * w->profile.spacing, longest / MOST_ROOMS);
    m->room_count = 1;
    for (int a = 0; a < 3; ++a) {
        m->rooms[a] = 1 + (uint32_t)kin_floor(m->cell * KIN_SPH_MAP_CELLS * m->blocks[a] / m->room_size);
        m->room_count *= m->rooms[a];
    }
    m->clear = kin_alloc_zero(&w->allocator, m->room_count * sizeof *m->clear);
    m->slots = kin_alloc_zero(&w->allocator, kin_bytes(m->block_count * (size_t)m->sides, sizeof *m->slots));
    m->form = kin_form_keep(form);
    return m->slots != NULL && m->clear != NULL;
}

static void free_map(kin_sph_walls* w, kin_sph_map* m)
{
    kin_form_drop(m->form);
    kin_free(&w->allocator, m->slots, m->block_count * (size_t)m->sides * sizeof *m->slots);
    kin_free(&w->allocator, m->values, m->value_capacity * sizeof *m->values);
    kin_free(&w->allocator, m->clear, m->room_count * sizeof *m->clear);
    kin_free(&w->allocator, m, sizeof *m);
}

kin_sph_map* kin_sph_map_of(kin_sph_walls* w, kin_form* form)
{
    for (size_t i = 0; i < w->map_count; ++i) {
        if (w->maps[i]->form == form) return w->maps[i];
    }
    if (!kin_reserve(&w->allocator, (void**)&w->maps, &w->map_capacity, w->map_count + 1, sizeof(void*))) return NULL;
    kin_sph_map* m = kin_alloc_zero(&w->allocator, sizeof *m);
    if (m == NULL) return NULL;
    if (!init_map(w, m, form)) return free_map(w, m), NULL;
    return w->maps[w->map_count++] = m;
}

void kin_sph_maps_forget(kin_sph_walls* w)
{
    size_t kept = 0;
    for (size_t i = 0; i < w->map_count; ++i) {
        if (atomic_load(&w->maps[i]->form->owners) > 1)
            w->maps[kept++] = w->maps[i];
        else
            free_map(w, w->maps[i]);
    }
    w->map_count = kept;
}

void kin_sph_maps_term(kin_sph_walls* w)
{
    for (size_t i = 0; i < w->map_count; ++i) free_map(w, w->maps[i]);
    kin_free(&w->allocator, w->maps, w->map_capacity * sizeof(void*));
}

size_t kin_sph_maps_bytes(const kin_sph_walls* w)
{
    size_t bytes = w->map_capacity * sizeof(void*);
    for (size_t i = 0; i < w->map_count; ++i) {
        const kin_sph_map* m = w->maps[i];
        bytes += sizeof *m + m->block_count * (size_t)m->sides * sizeof *m->slots + m->value_capacity * sizeof *m->values + m->room_count;
    }
    return bytes;
}

/* ---- looking up ---- */

/* Most particles are far from most forms, also within their boxes. Whoever comes to a room first finds out: the answer is the same whoever it is. */
static bool is_far(const kin_sph_walls* w, kin_sph_map* m, kin_vec3 x)
{
    size_t room = 0, stride = 1;
    double middle[3];
    for (int a = 0; a < 3; ++a) {
        double place = (kin_component(x, a) - kin_component(m->origin, a)) / m->room_size;
        if (!(place >= 0 && place < (double)m->rooms[a])) return true; /* the box has a margin */
        uint32_t i = (uint32_t)place;
        room += stride * i, stride *= m->rooms[a];
        middle[a] = kin_component(m->origin, a) + (i + 0.5) * m->room_size;
    }
    uint8_t known = atomic_load_explicit(&m->clear[room], memory_order_relaxed);
    if (known == KIN_SPH_MAP_UNKNOWN) {
        kin_touch touch;
        double reach = w->profile.share.end + 0.8661 * m->room_size;
        bool near = m->form->ops->closest(m->form, kin_v(middle[0], middle[1], middle[2]), reach, &touch, 1) > 0;
        known = near ? KIN_SPH_MAP_STORED : KIN_SPH_MAP_ONE;
        atomic_store_explicit(&m->clear[room], known, memory_order_relaxed);
    }
    return known == KIN_SPH_MAP_ONE;
}

/* The cell of x: its block, the corner of lowest index in it, and where x lies in it. Beyond the grid: false. */
static bool find_cell(const kin_sph_map* m, kin_vec3 x, size_t* block, size_t* corner, double at[3])
{
    uint32_t b[3], c[3];
    for (int a = 0; a < 3; ++a) {
        double place = (kin_component(x, a) - kin_component(m->origin, a)) / m->cell;
        if (!(place >= 0 && place < (double)m->blocks[a] * KIN_SPH_MAP_CELLS)) return false;
        uint32_t i = (uint32_t)place;
        b[a] = i / KIN_SPH_MAP_CELLS, c[a] = i % KIN_SPH_MAP_CELLS, at[a] = place - i;
    }
    *block = b[0] + m->blocks[0] * (b[1] + (size_t)m->blocks[1] * b[2]);
    *corner = c[0] + KIN_SPH_MAP_SIDE * (c[1] + (size_t)KIN_SPH_MAP_SIDE * c[2]);
    return true;
}

/* Trilinear, and its exact gradient. */
static double interpolated(const float* v, const double at[3], double inv_cell, kin_vec3* gradient)
{
    const size_t y = KIN_SPH_MAP_SIDE, z = KIN_SPH_MAP_SIDE * KIN_SPH_MAP_SIDE;
    double low[2], high[2]; /* along x at y and y + 1, for both z; then along y */
    double dx[4], value[4];
    const size_t corner[4] = {0, y, z, y + z};
    for (int k = 0; k < 4; ++k) {
        dx[k] = (double)v[corner[k] + 1] - (double)v[corner[k]];
        value[k] = (double)v[corner[k]] + at[0] * dx[k];
    }
    for (int k = 0; k < 2; ++k) low[k] = value[2 * k], high[k] = value[2 * k + 1];
    double bottom = kin_mix(low[0], high[0], at[1]), top = kin_mix(low[1], high[1], at[1]);
    gradient->x = inv_cell * kin_mix(kin_mix(dx[0], dx[1], at[1]), kin_mix(dx[2], dx[3], at[1]), at[2]);
    gradient->y = inv_cell * kin_mix(high[0] - low[0], high[1] - low[1], at[2]);
    gradient->z = inv_cell * (top - bottom);
    return kin_mix(bottom, top, at[2]);
}

/* False: it has to be made. */
static bool look_up(kin_sph_walls* w, kin_sph_map* m, int side, kin_vec3 x, double* factor, kin_vec3* gradient)
{
    size_t block, corner;
    double at[3];
    *factor = 1;
    *gradient = kin_v(0, 0, 0);
    if (!find_cell(m, x, &block, &corner, at)) return true;
    size_t slot = block + m->block_count * (size_t)side;
    uint32_t known = atomic_load_explicit(&m->slots[slot], memory_order_relaxed);
    if (known == KIN_SPH_MAP_ONE) return true;
    if (known >= KIN_SPH_MAP_STORED) {
        *factor = interpolated(m->values + (size_t)(known - KIN_SPH_MAP_STORED) * KIN_SPH_MAP_VALUES + corner, at, 1 / m->cell, gradient);
        return true;
    }
    if (known == KIN_SPH_MAP_UNKNOWN && atomic_load(&w->wanted) < MOST_WANTED) {
        uint32_t expected = KIN_SPH_MAP_UNKNOWN;
        if (atomic_compare_exchange_strong(&m->slots[slot], &expected, KIN_SPH_MAP_WANTED)) atomic_fetch_add(&w->wanted, 1);
    }
    return false;
}

/* The product rule over the flat pieces; parts: how much each does along its normal. */
static void put_feet_together(const kin_sph_profile* p, const feet* f, double parts[FEET], kin_sph_felt* out)
{
    double share[FEET], slope[FEET], unused, seen = 1;
    for (int m = 0; m < f->count; ++m) {
        double d = f->touch[m].distance, part = f->weight[m] * kin_sph_depth_factor(p, d);
        share[m] = part * kin_sph_curve_at(&p->share, d, &unused);
        kin_sph_curve_at(&p->pull, d, &slope[m]);
        slope[m] *= part;
        seen *= 1 - share[m];
    }
    out->share = 1 - seen;
    out->slope = kin_v(0, 0, 0);
    for (int m = 0; m < f->count; ++m) {
        double others = 1;
        for (int k = 0; k < f->count; ++k) others *= k == m ? 1 : 1 - share[k];
        parts[m] = others * slope[m];
        out->slope = kin_add_scaled(out->slope, parts[m], f->touch[m].normal);
    }
}

int kin_sph_feet_feel(const kin_sph_profile* p, const kin_touch* touches, int count, double* parts, kin_sph_felt* out)
{
    feet f = {.count = count < FEET ? count : FEET};
    memcpy(f.touch, touches, (size_t)f.count * sizeof *touches);
    weigh_feet(&f);
    put_feet_together(p, &f, parts, out);
    out->distance = touches[0].distance;
    out->normal = touches[0].normal;
    return f.count;
}

kin_sph_map_answer kin_sph_map_feel(kin_sph_walls* w, kin_sph_map* m, kin_vec3 x, kin_sph_felt* out)
{
    feet f;
    double factor, parts[FEET];
    kin_vec3 change;
    if (is_far(w, m, x)) return KIN_SPH_MAP_FAR;
    find_feet(m->form, x, w->profile.share.end, &f);
    if (f.count == 0) return KIN_SPH_MAP_FAR;
    put_feet_together(&w->profile, &f, parts, out);
    if (!(out->share > 0)) return KIN_SPH_MAP_FAR;
    if (!look_up(w, m, m->sides > 1 ? side_of(m->form, &f.touch[0]) : 0, x, &factor, &change)) return KIN_SPH_MAP_LACKS;
    out->slope = kin_add_scaled(kin_scale(out->slope, factor), out->share, change);
    out->share = kin_min(out->share * factor, 0.99);
    out->distance = f.touch[0].distance;
    out->normal = f.touch[0].normal;
    return KIN_SPH_MAP_FELT;
}

/* ---- making blocks ---- */

typedef struct make_job {
    const kin_sph_walls* walls;
    kin_sph_map* map;
    const size_t* slots; /* wanted, rising */
} make_job;

static double factor_at(const make_job* job, size_t slot, int i, int j, int k)
{
    const kin_sph_map* m = job->map;
    size_t block = slot % m->block_count;
    const size_t low[3] = {block % m->blocks[0], block / m->blocks[0] % m->blocks[1], block / m->blocks[0] / m->blocks[1]};
    const int at[3] = {i, j, k};
    double x[3];
    for (int a = 0; a < 3; ++a) x[a] = kin_component(m->origin, a) + m->cell * ((double)low[a] * KIN_SPH_MAP_CELLS + at[a]);
    return kin_sph_map_factor(job->walls, m->form, kin_v(x[0], x[1], x[2]), (int)(slot / m->block_count), m->cell);
}

/* Most blocks of large forms are flat: seen by a few places. What lies between them and is that small is not seen. */
static bool is_even(const make_job* job, size_t slot)
{
    const int step = KIN_SPH_MAP_CELLS / (PROBES - 1);
    for (int i = 0; i < PROBES * PROBES * PROBES; ++i) {
        if (factor_at(job, slot, step * (i % PROBES), step * (i / PROBES % PROBES), step * (i / (PROBES * PROBES))) != 1) return false;
    }
    return true;
}

static void make_block(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    const make_job* job = argument;
    const int side = KIN_SPH_MAP_SIDE;
    for (int64_t n = begin; n < end; ++n) {
        float* value = job->map->values + (job->map->stored + (size_t)n) * KIN_SPH_MAP_VALUES;
        bool even = is_even(job, job->slots[n]);
        for (int i = 0; i < KIN_SPH_MAP_VALUES; ++i) value[i] = even ? 1 : (float)factor_at(job, job->slots[n], i % side, i / side % side, i / (side * side));
    }
}

/* Blocks without any correction are not kept. */
static void store_blocks(kin_sph_map* m, const size_t* slots, size_t count)
{
    size_t first = m->stored;
    for (size_t n = 0; n < count; ++n) {
        const float* made = m->values + (first + n) * KIN_SPH_MAP_VALUES;
        bool one = true;
        for (int i = 0; i < KIN_SPH_MAP_VALUES && one; ++i) one = made[i] == 1;
        atomic_store(&m->slots[slots[n]], one ? KIN_SPH_MAP_ONE : KIN_SPH_MAP_STORED + (uint32_t)m->stored);
        if (one) continue;
        memmove(m->values + m->stored * KIN_SPH_MAP_VALUES, made, KIN_SPH_MAP_VALUES * sizeof *made);
        m->stored += 1;
    }
}

static bool make_wanted(kin_sph_walls* w, kin_sph_map* m, kin_jobs* jobs, size_t* slots)
{
    size_t count = 0;
    for (size_t s = 0; s < m->block_count * (size_t)m->sides; ++s) {
        if (atomic_load_explicit(&m->slots[s], memory_order_relaxed) == KIN_SPH_MAP_WANTED) slots[count++] = s;
    }
    if (count == 0) return true;
    size_t needed = (m->stored + count) * KIN_SPH_MAP_VALUES;
    if (!kin_reserve(&w->allocator, (void**)&m->values, &m->value_capacity, needed, sizeof *m->values)) return false;
    kin_parallel_for(jobs, (int64_t)count, 1, make_block, &(make_job){w, m, slots});
    store_blocks(m, slots, count);
    return true;
}

bool kin_sph_maps_make(kin_sph_walls* w, kin_jobs* jobs)
{
    size_t wanted = atomic_load(&w->wanted);
    if (wanted == 0) return true;
    size_t* slots = kin_alloc(&w->allocator, wanted * sizeof *slots);
    bool ok = slots != NULL;
    for (size_t i = 0; i < w->map_count && ok; ++i) ok = make_wanted(w, w->maps[i], jobs, slots);
    kin_free(&w->allocator, slots, wanted * sizeof *slots);
    atomic_store(&w->wanted, 0);
    return ok;
}
