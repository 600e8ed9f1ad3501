/* density.c - a cloud on voxels. Cells hold mass, so that nothing is lost but at the sides of the box and by fading.
 *
 * The flow is the same everywhere, so the grid itself drifts with it, and jumps back by whole cells: exact, without the smearing of a scheme that
 * interpolates. Spreading is implicit Euler along x, then y, then z, by Thomas' algorithm: stable for any step, mass is kept, and the variance grows by
 * 2 D h along each axis, also with large steps. Noise is Perlin's (2002) in four dimensions, the fourth being time. */
#include "system/density.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/rng.h"
#include "math/scalar.h"
#include "math/vec3.h"
#include <stddef.h>
#include <string.h>

enum { LEAST_CELLS = 2, MOST_STEPS = 4096, OCTAVES = 3, LATTICE = 256 };

struct kin_density {
    kin_allocator allocator;
    kin_density_def def;
    int size[3];
    double low[3], cell[3]; /* m */
    double drift[3];        /* of the grid, in cells, 0..1 */
    size_t count;
    double* mass;     /* kg a cell, x fastest */
    double* spare;    /* the other grid, for jumps */
    double* sweep[3]; /* factors of the elimination along an axis */
    uint8_t lattice[2 * LATTICE];
};

#define AT(member) offsetof(kin_density_def, member)
const kin_param kin_density_params[] = {
    {.name = "low",
     .type = KIN_PARAM_VECTOR,
     .offset = AT(low),
     .unit = "m",
     .doc = "The corner of the box with the smallest coordinates.",
     .preset = {-2, 0, -2}},
    {.name = "high",
     .type = KIN_PARAM_VECTOR,
     .offset = AT(high),
     .unit = "m",
     .doc = "The corner with the largest; what leaves the box is gone.",
     .preset = {2, 4, 2}},
    {.name = "resolution",
     .type = KIN_PARAM_INTEGER,
     .offset = AT(resolution),
     .doc = "Voxels along the longest side of the box.",
     .low = 4,
     .high = 512,
     .preset = {64}},
    {.name = "fade",
     .type = KIN_PARAM_NUMBER,
     .offset = AT(fade),
     .unit = "s",
     .doc = "Time in which the cloud thins to 1/e; 0: it does not.",
     .high = 1e300,
     .flags = KIN_PARAM_LIVE},
    {.name = "disperse",
     .type = KIN_PARAM_NUMBER,
     .offset = AT(disperse),
     .unit = "m^2/s",
     .doc = "Diffusivity: the cloud spreads to a width of sqrt(2 D t).",
     .high = 1e300,
     .flags = KIN_PARAM_LIVE},
    {.name = "flow",
     .type = KIN_PARAM_VECTOR,
     .offset = AT(flow),
     .unit = "m/s",
     .doc = "Velocity with which the cloud drifts or rises.",
     .flags = KIN_PARAM_LIVE},
    {.name = "noise",
     .type = KIN_PARAM_NUMBER,
     .offset = AT(noise),
     .doc = "Share by which noise perturbs the density that is seen; 0: smooth, 1 and more: torn.",
     .high = 10,
     .flags = KIN_PARAM_LIVE},
    {.name = "noise_size",
     .type = KIN_PARAM_NUMBER,
     .offset = AT(noise_size),
     .unit = "m",
     .doc = "Size of the noise's largest curls.",
     .high = 1e300,
     .preset = {0.5},
     .flags = KIN_PARAM_LIVE | KIN_PARAM_OPEN_LOW},
    {.name = "noise_rate",
     .type = KIN_PARAM_NUMBER,
     .offset = AT(noise_rate),
     .unit = "1/s",
     .doc = "How often the noise changes.",
     .high = 1e300,
     .preset = {0.5},
     .flags = KIN_PARAM_LIVE},
    {.name = "seed", .type = KIN_PARAM_SEED, .offset = AT(seed), .doc = "Of the noise."},
    {0},
};
#undef AT

kin_density_def kin_density_def_default(void)
{
    kin_density_def def = {.resolution = 0};
    kin_params_default(kin_density_params, &def);
    return def;
}

/* ---- life ---- */

static kin_result check_def(const kin_density_def* def, kin_error* error)
{
    kin_result result = kin_params_check(kin_density_params, def, "", error);
    if (result != KIN_OK) return result;
    if (!(def->low.x < def->high.x && def->low.y < def->high.y && def->low.z < def->high.z))
        return kin_fail(error, KIN_ERROR_ARGUMENT, "high", "the box has no inside: high must be above low along every axis");
    if (!kin_finite(def->high.x - def->low.x) || !kin_finite(def->high.y - def->low.y) || !kin_finite(def->high.z - def->low.z))
        return kin_fail(error, KIN_ERROR_ARGUMENT, "high", "the box is too large to be measured");
    return KIN_OK;
}

static void lay_grid(kin_density* d)
{
    const double low[3] = {d->def.low.x, d->def.low.y, d->def.low.z}, high[3] = {d->def.high.x, d->def.high.y, d->def.high.z};
    double longest = 0;
    d->count = 1;
    for (int k = 0; k < 3; ++k) longest = kin_max(longest, high[k] - low[k]);
    for (int k = 0; k < 3; ++k) {
        int cells = (int)kin_round((high[k] - low[k]) / longest * d->def.resolution);
        d->size[k] = cells < LEAST_CELLS ? LEAST_CELLS : cells;
        d->low[k] = low[k];
        d->cell[k] = (high[k] - low[k]) / d->size[k];
        d->count *= (size_t)d->size[k];
    }
}

/* A shuffled lattice, twice over, so that sums of two need no wrapping. */
static void shuffle_lattice(kin_density* d)
{
    kin_rng_key key = {.seed = d->def.seed};
    for (int i = 0; i < LATTICE; ++i) d->lattice[i] = (uint8_t)i;
    for (uint32_t i = LATTICE - 1; i > 0; --i) {
        uint32_t other = (uint32_t)(kin_rng_bits(&key, i) % (i + 1));
        uint8_t swap = d->lattice[i];
        d->lattice[i] = d->lattice[other];
        d->lattice[other] = swap;
    }
    memcpy(d->lattice + LATTICE, d->lattice, LATTICE);
}

static bool take_memory(kin_density* d)
{
    d->mass = kin_alloc_zero(&d->allocator, d->count * sizeof *d->mass);
    d->spare = kin_alloc_zero(&d->allocator, d->count * sizeof *d->spare);
    bool fits = d->mass != NULL && d->spare != NULL;
    for (int k = 0; k < 3; ++k) {
        d->sweep[k] = kin_alloc_zero(&d->allocator, (size_t)d->size[k] * sizeof(double));
        fits = fits && d->sweep[k] != NULL;
    }
    return fits;
}

kin_result kin_density_create(const kin_allocator* allocator, const kin_density_def* def, kin_density** out, kin_error* error)
{
    *out = NULL;
    kin_result result = check_def(def, error);
    if (result != KIN_OK) return result;
    kin_density* d = kin_alloc_zero(allocator, sizeof *d);
    if (d == NULL) return kin_fail_memory(error, "a density", sizeof *d);
    d->allocator = *allocator;
    d->def = *def;
    lay_grid(d);
    shuffle_lattice(d);
    if (!take_memory(d)) {
        size_t bytes = 2 * d->count * sizeof *d->mass;
        kin_density_destroy(d);
        return kin_fail_memory(error, "the voxels of a density", bytes);
    }
    *out = d;
    return KIN_OK;
}

void kin_density_destroy(kin_density* d)
{
    if (d == NULL) return;
    const kin_allocator allocator = d->allocator;
    for (int k = 0; k < 3; ++k) kin_free(&allocator, d->sweep[k], (size_t)d->size[k] * sizeof(double));
    kin_free(&allocator, d->mass, d->count * sizeof *d->mass);
    kin_free(&allocator, d->spare, d->count * sizeof *d->spare);
    kin_free(&allocator, d, sizeof *d);
}

kin_density_def* kin_density_settings(kin_density* d) { return &d->def; }

const int* kin_density_size(const kin_density* d) { return d->size; }

static size_t cell_at(const kin_density* d, int x, int y, int z) { return ((size_t)z * (size_t)d->size[1] + (size_t)y) * (size_t)d->size[0] + (size_t)x; }

static void cell_of(const kin_density* d, size_t i, int at[3])
{
    at[0] = (int)(i % (size_t)d->size[0]);
    at[1] = (int)(i / (size_t)d->size[0] % (size_t)d->size[1]);
    at[2] = (int)(i / (size_t)d->size[0] / (size_t)d->size[1]);
}

/* ---- deposit ---- */

/* Along an axis: the cells before and behind, and the second's share. Beyond the last centres all goes to the cell at the side. */
static bool place_along(const kin_density* d, int k, double x, int* first, int* second, double* share)
{
    double g = (x - d->low[k]) / d->cell[k] - d->drift[k];
    if (!(g >= 0 && g < d->size[k])) return false;
    double from = kin_floor(g - 0.5);
    int i = (int)from;
    *share = g - 0.5 - from;
    *first = i < 0 ? 0 : i;
    *second = i + 1 < d->size[k] ? i + 1 : d->size[k] - 1;
    return true;
}

static void put(kin_density* d, const double x[3], double mass)
{
    int at[2][3];
    double share[3];
    for (int k = 0; k < 3; ++k) {
        if (!place_along(d, k, x[k], &at[0][k], &at[1][k], &share[k])) return;
    }
    for (int i = 0; i < 8; ++i) {
        double weight = mass;
        for (int k = 0; k < 3; ++k) weight *= (i >> k & 1) == 1 ? share[k] : 1 - share[k];
        d->mass[cell_at(d, at[i & 1][0], at[i >> 1 & 1][1], at[i >> 2][2])] += weight;
    }
}

/* Points along a way lie no further apart than half a cell, up to a limit. */
static int steps_along(const kin_density* d, const double way[3])
{
    double cells = 0;
    for (int k = 0; k < 3; ++k) cells = kin_max(cells, kin_abs(way[k]) / d->cell[k]);
    return cells < MOST_STEPS / 2 ? 1 + (int)(2 * cells) : MOST_STEPS;
}

void kin_density_deposit(kin_density* d, const double* const x0[3], const double* const x1[3], const double* mass, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        const double from[3] = {x0[0][i], x0[1][i], x0[2][i]}, way[3] = {x1[0][i] - from[0], x1[1][i] - from[1], x1[2][i] - from[2]};
        double extent = kin_abs(way[0]) + kin_abs(way[1]) + kin_abs(way[2]);
        if (!(mass[i] > 0) || !kin_finite(mass[i]) || !kin_finite(extent)) continue;
        int steps = steps_along(d, way);
        for (int k = 0; k < steps; ++k) {
            double s = (k + 0.5) / steps;
            put(d, (const double[3]){from[0] + s * way[0], from[1] + s * way[1], from[2] + s * way[2]}, mass[i] / steps);
        }
    }
}

/* ---- step ---- */

/* Whole cells the grid must jump back to stay with its box. */
static bool drift_on(kin_density* d, double h, int jump[3])
{
    const double flow[3] = {d->def.flow.x, d->def.flow.y, d->def.flow.z};
    bool any = false;
    for (int k = 0; k < 3; ++k) {
        double to = d->drift[k] + flow[k] * h / d->cell[k], whole = kin_floor(to);
        double share = to - whole;
        d->drift[k] = share >= 0 && share < 1 ? share : 0;
        jump[k] = (int)kin_clamp(whole, -d->size[k], d->size[k]);
        any = any || jump[k] != 0;
    }
    return any;
}

/* Everything moves by whole cells; what passes a side is gone. */
static void jump_cells(kin_density* d, const int jump[3])
{
    memset(d->spare, 0, d->count * sizeof *d->spare);
    int from = jump[0] > 0 ? 0 : -jump[0], to = jump[0] > 0 ? d->size[0] - jump[0] : d->size[0];
    for (int z = 0; z < d->size[2]; ++z) {
        int z1 = z + jump[2];
        if (z1 < 0 || z1 >= d->size[2] || from >= to) continue;
        for (int y = 0; y < d->size[1]; ++y) {
            int y1 = y + jump[1];
            if (y1 < 0 || y1 >= d->size[1]) continue;
            memcpy(d->spare + cell_at(d, from + jump[0], y1, z1), d->mass + cell_at(d, from, y, z), (size_t)(to - from) * sizeof *d->mass);
        }
    }
    double* swap = d->mass;
    d->mass = d->spare;
    d->spare = swap;
}

/* One axis of the implicit step: (1 + r d_i) m_i - r m_i-1 - r m_i+1 = old m_i, no flux through the sides, so d is 1 at the ends and 2 within. */
typedef struct spreading {
    kin_density* density;
    int axis;
    double r;
} spreading;

static double diagonal(const kin_density* d, int axis, double r, int i) { return i == 0 || i == d->size[axis] - 1 ? 1 + r : 1 + 2 * r; }

static void find_sweep(kin_density* d, int axis, double r)
{
    double* c = d->sweep[axis];
    c[0] = -r / diagonal(d, axis, r, 0);
    for (int i = 1; i < d->size[axis]; ++i) c[i] = -r / (diagonal(d, axis, r, i) + r * c[i - 1]);
}

/* A bundle of `wide` lines that lie side by side, their cells a stride apart. */
static void spread_bundle(const kin_density* d, int axis, double r, double* m, size_t stride, int wide)
{
    const double* c = d->sweep[axis];
    int n = d->size[axis];
    double scale = 1 / diagonal(d, axis, r, 0);
    for (int x = 0; x < wide; ++x) m[x] *= scale;
    for (int i = 1; i < n; ++i) {
        double* here = m + (size_t)i * stride;
        const double* last = here - stride;
        scale = 1 / (diagonal(d, axis, r, i) + r * c[i - 1]);
        for (int x = 0; x < wide; ++x) here[x] = (here[x] + r * last[x]) * scale;
    }
    for (int i = n - 2; i >= 0; --i) {
        double* here = m + (size_t)i * stride;
        const double* next = here + stride;
        for (int x = 0; x < wide; ++x) here[x] -= c[i] * next[x];
    }
}

/* Along x a bundle is one row; along y and z it is a sheet of them. */
static void spread_some(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk;
    (void)scratch;
    const spreading* s = argument;
    kin_density* d = s->density;
    size_t row = (size_t)d->size[0], sheet = row * (size_t)d->size[1];
    for (int64_t i = begin; i < end; ++i) {
        if (s->axis == 0) spread_bundle(d, 0, s->r, d->mass + (size_t)i * row, 1, 1);
        if (s->axis == 1) spread_bundle(d, 1, s->r, d->mass + (size_t)i * sheet, row, d->size[0]);
        if (s->axis == 2) spread_bundle(d, 2, s->r, d->mass + (size_t)i * row, sheet, d->size[0]);
    }
}

static void disperse(kin_density* d, kin_jobs* jobs, double h)
{
    const int64_t bundles[3] = {(int64_t)d->size[1] * d->size[2], d->size[2], d->size[1]}, grain[3] = {256, 4, 4};
    for (int k = 0; k < 3; ++k) {
        spreading s = {.density = d, .axis = k, .r = d->def.disperse * h / (d->cell[k] * d->cell[k])};
        s.r = kin_min(s.r, 1e12); /* even by then */
        find_sweep(d, k, s.r);
        kin_parallel_for(jobs, bundles[k], grain[k], spread_some, &s);
    }
}

void kin_density_step(kin_density* d, kin_jobs* jobs, double h)
{
    if (!(h > 0) || !kin_finite(h)) return;
    int jump[3];
    if (drift_on(d, h, jump)) jump_cells(d, jump);
    if (d->def.disperse > 0) disperse(d, jobs, h);
    if (d->def.fade > 0) {
        double left = kin_exp(-h / d->def.fade);
        for (size_t i = 0; i < d->count; ++i) d->mass[i] *= left;
    }
}

/* ---- questions ---- */

double kin_density_mass(const kin_density* d) { return kin_sum(d->mass, (int64_t)d->count); }

kin_vec3 kin_density_centre(const kin_density* d)
{
    double sum = 0, moment[3] = {0}, place[3];
    for (size_t i = 0; i < d->count; ++i) {
        int at[3];
        cell_of(d, i, at);
        sum += d->mass[i];
        for (int k = 0; k < 3; ++k) moment[k] += d->mass[i] * (at[k] + 0.5);
    }
    for (int k = 0; k < 3; ++k) place[k] = d->low[k] + d->cell[k] * (sum > 0 ? moment[k] / sum + d->drift[k] : 0.5 * d->size[k]);
    return kin_v(place[0], place[1], place[2]);
}

void kin_density_visit(kin_density* d, kin_visitor* v)
{
    size_t count = kin_visit_count(v, d->count);
    if (count != d->count) {
        kin_visit_fail(v, KIN_ERROR_FORMAT);
        return;
    }
    kin_params_visit(kin_density_params, &d->def, v);
    kin_visit_f64s(v, d->drift, 3);
    kin_visit_f64s(v, d->mass, d->count);
}

/* ---- what is seen ---- */

static double ease(double t) { return t * t * t * (t * (t * 6 - 15) + 10); }

/* A gradient of four components, one of them 0, the others 1 or -1: 32 of them. */
static double slope(int hash, const double x[4])
{
    int left_out = hash >> 3 & 3;
    double sum = 0;
    for (int k = 0, bit = 0; k < 4; ++k) {
        if (k == left_out) continue;
        sum += (hash >> bit & 1) == 1 ? x[k] : -x[k];
        ++bit;
    }
    return sum;
}

/* About -1 to 1. */
static double gradient_noise(const kin_density* d, const double x[4])
{
    int cell[4];
    double at[4], blend[4];
    for (int k = 0; k < 4; ++k) {
        double whole = kin_floor(x[k]);
        at[k] = x[k] - whole;
        cell[k] = (int)(whole - LATTICE * kin_floor(whole / LATTICE)) & (LATTICE - 1);
        blend[k] = ease(at[k]);
    }
    double sum = 0;
    for (int i = 0; i < 16; ++i) {
        double weight = 1, away[4];
        int hash = 0;
        for (int k = 0; k < 4; ++k) {
            int far = i >> k & 1;
            weight *= far == 1 ? blend[k] : 1 - blend[k];
            away[k] = at[k] - far;
            hash = d->lattice[hash + (cell[k] + far) % LATTICE];
        }
        sum += weight * slope(hash, away);
    }
    return sum;
}

/* Octaves, each half as large and half as strong. The noise goes along with the flow. */
static double noise_at(const kin_density* d, const double place[3], double time)
{
    const double flow[3] = {d->def.flow.x, d->def.flow.y, d->def.flow.z};
    double sum = 0, weight = 1, scale = 1 / d->def.noise_size;
    for (int octave = 0; octave < OCTAVES; ++octave) {
        double x[4] = {[3] = time * d->def.noise_rate * (octave + 1)};
        for (int k = 0; k < 3; ++k) x[k] = (place[k] - flow[k] * time) * scale + 17.31 * octave;
        sum += weight * gradient_noise(d, x);
        weight *= 0.5;
        scale *= 2;
    }
    return sum;
}

/* Mass a cell holds, or that between cells, beside them that of the nearest. */
static double mass_near(const kin_density* d, const double g[3])
{
    int low[3], high[3];
    double share[3], sum = 0;
    for (int k = 0; k < 3; ++k) {
        double x = kin_clamp(g[k] - 0.5, 0, d->size[k] - 1);
        low[k] = (int)x;
        high[k] = low[k] + 1 < d->size[k] ? low[k] + 1 : low[k];
        share[k] = x - low[k];
    }
    for (int i = 0; i < 8; ++i) {
        double weight = 1;
        for (int k = 0; k < 3; ++k) weight *= (i >> k & 1) == 1 ? share[k] : 1 - share[k];
        sum += weight * d->mass[cell_at(d, i & 1 ? high[0] : low[0], i & 2 ? high[1] : low[1], i & 4 ? high[2] : low[2])];
    }
    return sum;
}

/* The way to where the cloud is denser, of unit length, m; zero in its calm. */
static void way_in(const kin_density* d, const int at[3], double way[3])
{
    double square = 0;
    for (int k = 0; k < 3; ++k) {
        double ahead[3] = {at[0] + 0.5, at[1] + 0.5, at[2] + 0.5}, behind[3] = {at[0] + 0.5, at[1] + 0.5, at[2] + 0.5};
        ahead[k] += 1;
        behind[k] -= 1;
        way[k] = (mass_near(d, ahead) - mass_near(d, behind)) / d->cell[k];
        square += way[k] * way[k];
    }
    for (int k = 0; k < 3; ++k) way[k] = square > 1e-300 ? way[k] / kin_sqrt(square) : 0;
}

/* Noise pushes the skin of the cloud in and out, which makes it billow, and thins and thickens what is within. */
static double perturbed(const kin_density* d, size_t i, double time)
{
    int at[3];
    double place[3], way[3], g[3];
    cell_of(d, i, at);
    for (int k = 0; k < 3; ++k) place[k] = d->low[k] + d->cell[k] * (at[k] + 0.5 + d->drift[k]);
    double noise = d->def.noise * noise_at(d, place, time);
    way_in(d, at, way);
    for (int k = 0; k < 3; ++k) g[k] = at[k] + 0.5 + 0.5 * d->def.noise_size * noise * way[k] / d->cell[k];
    return mass_near(d, g) * kin_max(0, 1 + 0.5 * noise);
}

void kin_density_capture(const kin_density* d, const char* name, const kin_look* look, kin_capture* capture)
{
    kin_capture_layer(capture, name, KIN_LAYER_VOLUME, look);
    uint32_t* dims = kin_capture_array(capture, "dims", KIN_U32, 3, 1);
    float* box = kin_capture_array(capture, "box", KIN_F32, 3, 2);
    float* density = kin_capture_array(capture, "density", KIN_F32, 1, d->count);
    if (density == NULL) return;
    const double origin[3] = {capture->frame.origin.x, capture->frame.origin.y, capture->frame.origin.z};
    for (int k = 0; k < 3; ++k) {
        double low = d->low[k] + d->cell[k] * d->drift[k] - origin[k];
        dims[k] = (uint32_t)d->size[k];
        box[k] = (float)low;
        box[3 + k] = (float)(low + d->cell[k] * d->size[k]);
    }
    double cell = d->cell[0] * d->cell[1] * d->cell[2], most = 0;
    for (size_t i = 0; i < d->count; ++i) most = kin_max(most, d->mass[i]);
    double least = d->def.noise > 0 ? 1e-6 * most : most; /* what is thinner is not worth the noise */
    for (size_t i = 0; i < d->count; ++i) density[i] = (float)((d->mass[i] > least ? perturbed(d, i, capture->frame.time) : d->mass[i]) / cell);
}
