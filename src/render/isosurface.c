/* isosurface.c - surfaces that are met by rays directly, without a mesh: where a sum of kernels
 *
 *     f(x) = sum of w_j (1 - |G_j (x - x_j)|^2)^3,   over the j for which |G_j (x - x_j)| < 1,
 *
 * is 1 (House & Keyser 14.4; Blinn 1982; kernels of fluids: geometry/skin/skin.h). Kernels are sorted into the cells of a grid, a third of their mean width wide, which are Embree's
 * primitives. Cells in which f stays on one side of 1, by bounds of every kernel over the box, are left out. In a cell the ray is sampled at an eighth of
 * the narrowest kernel; a change of side is closed in on by bisection. The normal is -grad f. What is thinner than a sample along the ray may be missed. */
#include "base/alloc.h"
#include "base/sort.h"
#include "render/stage.h"
#include <string.h>

enum { BITS = 20, BISECTIONS = 26, SAMPLES_MAX = 4096 };
static const float step_share = 0.125f; /* of the narrowest kernel's half width */

typedef struct kernel {
    float at[3], shape[6], weight; /* G: xx yy zz xy xz yz */
    float width;                   /* m: the smallest half width */
    float extent[3];               /* m: half the box round it */
} kernel;

struct kin_isosurface_field {
    kernel* kernels;
    size_t kernel_count; /* those that cannot be drawn weigh nothing */
    bool any;
    const float* colors; /* f32x3 a kernel; NULL: the look's */
    kin_vec low;
    float cell;
    uint32_t* members; /* of the cells, one after the other: kernels that reach into it */
    size_t member_count;
    struct field_cell {
        int32_t at[3];
        uint32_t begin, end; /* of members */
        float step;          /* m, between samples */
    } * cells;
    size_t cell_count, cell_capacity;
};

/* ---- f ---- */

static inline float reach2(const kernel* k, kin_vec x, kin_vec* g)
{
    float dx = x[0] - k->at[0], dy = x[1] - k->at[1], dz = x[2] - k->at[2];
    const float* s = k->shape;
    *g = vec(s[0] * dx + s[3] * dy + s[4] * dz, s[3] * dx + s[1] * dy + s[5] * dz, s[4] * dx + s[5] * dy + s[2] * dz);
    return vec_dot(*g, *g);
}

static float value_at(const kin_isosurface_field* f, const struct field_cell* c, kin_vec x)
{
    float sum = 0;
    for (uint32_t i = c->begin; i < c->end; ++i) {
        const kernel* k = &f->kernels[f->members[i]];
        kin_vec g;
        float q = 1 - reach2(k, x, &g);
        if (q > 0) sum += k->weight * q * q * q;
    }
    return sum;
}

/* Down the field: -grad f, not of unit length. */
static kin_vec slope_at(const kin_isosurface_field* f, const struct field_cell* c, kin_vec x)
{
    kin_vec sum = vec_all(0);
    for (uint32_t i = c->begin; i < c->end; ++i) {
        const kernel* k = &f->kernels[f->members[i]];
        const float* s = k->shape;
        kin_vec g;
        float q = 1 - reach2(k, x, &g);
        if (!(q > 0)) continue;
        kin_vec back = vec(s[0] * g[0] + s[3] * g[1] + s[4] * g[2], s[3] * g[0] + s[1] * g[1] + s[5] * g[2], s[4] * g[0] + s[5] * g[1] + s[2] * g[2]);
        sum += back * (6 * k->weight * q * q);
    }
    return sum;
}

kin_vec kin_isosurface_color(const kin_isosurface_field* f, uint32_t cell, kin_vec x, kin_vec plain)
{
    if (f->colors == NULL) return plain;
    const struct field_cell* c = &f->cells[cell];
    kin_vec sum = vec_all(0);
    float total = 0;
    for (uint32_t i = c->begin; i < c->end; ++i) {
        const kernel* k = &f->kernels[f->members[i]];
        kin_vec g;
        float q = 1 - reach2(k, x, &g), w = q > 0 ? k->weight * q * q * q : 0;
        if (w > 0) sum += vec_color(f->colors + 3 * (size_t)f->members[i]) * w;
        total += w;
    }
    return total > 0 ? sum * (1 / total) : plain;
}

/* ---- the grid ---- */

static kin_vec corner_of(const kin_isosurface_field* f, const struct field_cell* c)
{
    return f->low + vec((float)c->at[0], (float)c->at[1], (float)c->at[2]) * f->cell;
}

/* Bounds of f over the box of a cell. |G d| is convex: its largest value is at a corner of the box; its smallest is at least that at the middle, less the half diagonal over
 * the narrowest width. */
static bool has_both_sides(const kin_isosurface_field* f, const struct field_cell* c)
{
    kin_vec middle = corner_of(f, c) + vec_all(0.5f * f->cell), g;
    float half = 0.5f * f->cell, most = 0, least = 0;
    for (uint32_t i = c->begin; i < c->end; ++i) {
        const kernel* k = &f->kernels[f->members[i]];
        float radius = sqrtf(reach2(k, middle, &g)), near = maxf(radius - 1.7321f * half / k->width, 0), far2 = 0;
        for (int corner = 0; corner < 8; ++corner) {
            kin_vec x = middle + vec(corner & 1 ? half : -half, corner & 2 ? half : -half, corner & 4 ? half : -half);
            far2 = maxf(far2, reach2(k, x, &g));
        }
        float high = maxf(1 - near * near, 0), low = maxf(1 - far2, 0);
        most += k->weight * high * high * high;
        least += k->weight * low * low * low;
    }
    return most >= 1 && least <= 1;
}

static bool read_kernel(const kin_stage* stage, const float* at, const float* shape, float weight, kernel* out)
{
    *out = (kernel){.weight = weight};
    memcpy(out->at, at, sizeof out->at);
    memcpy(out->shape, shape, sizeof out->shape);
    const float* s = out->shape;
    float norm = 0; /* of the rows, at most sqrt(3) of the largest stretch */
    for (int i = 0; i < 6; ++i) norm = maxf(norm, fabsf(s[i]));
    float xx = s[1] * s[2] - s[5] * s[5], yy = s[0] * s[2] - s[4] * s[4], zz = s[0] * s[1] - s[3] * s[3];
    float xy = s[4] * s[5] - s[3] * s[2], xz = s[3] * s[5] - s[4] * s[1], yz = s[3] * s[4] - s[0] * s[5];
    float determinant = s[0] * xx + s[3] * xy + s[4] * xz;
    if (!(weight > 0) || !isfinite(weight) || !(norm > 0) || !(determinant > 1e-12f * norm * norm * norm) || !kin_stage_holds(stage, vec_load(at)))
        return false;
    float scale = 1 / determinant; /* G^-1 maps the unit ball to the kernel: the box has the lengths of its rows */
    out->extent[0] = 1.0001f * scale * sqrtf(xx * xx + xy * xy + xz * xz);
    out->extent[1] = 1.0001f * scale * sqrtf(xy * xy + yy * yy + yz * yz);
    out->extent[2] = 1.0001f * scale * sqrtf(xz * xz + yz * yz + zz * zz);
    float rows = sqrtf(maxf(s[0] * s[0] + s[3] * s[3] + s[4] * s[4], maxf(s[3] * s[3] + s[1] * s[1] + s[5] * s[5], s[4] * s[4] + s[5] * s[5] + s[2] * s[2])));
    out->width = 1 / (1.7321f * rows); /* |G| <= sqrt(3) of its longest row */
    if (s[3] == 0 && s[4] == 0 && s[5] == 0) out->width = 1 / maxf(s[0], maxf(s[1], s[2]));
    return maxf(out->extent[0], maxf(out->extent[1], out->extent[2])) <= stage->far;
}

static void cells_of(const kin_isosurface_field* f, const kernel* k, int32_t low[3], int32_t high[3])
{
    const int32_t last = (1 << BITS) - 1;
    for (int a = 0; a < 3; ++a) {
        low[a] = (int32_t)clampf(floorf((k->at[a] - k->extent[a] - f->low[a]) / f->cell), 0, (float)last);
        high[a] = (int32_t)clampf(floorf((k->at[a] + k->extent[a] - f->low[a]) / f->cell), 0, (float)last);
    }
}

/* Key and kernel of every cell that a kernel reaches; keys NULL: counts. */
static size_t list_members(const kin_isosurface_field* f, uint64_t* keys, uint32_t* numbers)
{
    size_t count = 0;
    for (size_t i = 0; i < f->kernel_count; ++i) {
        int32_t low[3], high[3];
        if (!(f->kernels[i].weight > 0)) continue;
        cells_of(f, &f->kernels[i], low, high);
        for (int32_t z = low[2]; z <= high[2]; ++z) {
            for (int32_t y = low[1]; y <= high[1]; ++y) {
                for (int32_t x = low[0]; x <= high[0]; ++x, ++count) {
                    if (keys == NULL) continue;
                    keys[count] = (uint64_t)z << 2 * BITS | (uint64_t)y << BITS | (uint64_t)x;
                    numbers[count] = (uint32_t)i;
                }
            }
        }
    }
    return count;
}

static bool keep_cells(kin_isosurface_field* f, const kin_allocator* allocator, const uint64_t* keys)
{
    for (size_t i = 0, end; i < f->member_count; i = end) {
        for (end = i + 1; end < f->member_count && keys[end] == keys[i];) ++end;
        struct field_cell c = {.begin = (uint32_t)i, .end = (uint32_t)end, .step = INFINITY};
        for (size_t m = i; m < end; ++m) c.step = minf(c.step, step_share * f->kernels[f->members[m]].width);
        for (int a = 0; a < 3; ++a) c.at[a] = (int32_t)(keys[i] >> a * BITS & ((1u << BITS) - 1));
        if (!has_both_sides(f, &c)) continue;
        if (!kin_reserve(allocator, (void**)&f->cells, &f->cell_capacity, f->cell_count + 1, sizeof *f->cells)) return false;
        f->cells[f->cell_count++] = c;
    }
    return true;
}

static bool sort_members(kin_isosurface_field* f, const kin_allocator* allocator)
{
    f->member_count = list_members(f, NULL, NULL);
    if (f->member_count > UINT32_MAX / 2) return false;
    size_t n = f->member_count, bytes = kin_bytes(n, 2 * sizeof(uint64_t) + sizeof(uint32_t));
    f->members = kin_alloc(allocator, kin_bytes(n, sizeof *f->members));
    uint64_t* keys = kin_alloc(allocator, bytes);
    bool good = f->members != NULL && keys != NULL;
    if (good) {
        list_members(f, keys, f->members);
        kin_sort_keys(keys, f->members, keys + n, (uint32_t*)(keys + 2 * n), n);
        good = keep_cells(f, allocator, keys);
    }
    kin_free(allocator, keys, bytes);
    return good;
}

static bool read_field(const kin_stage* stage, const kin_layer* layer, kin_isosurface_field* f)
{
    const kin_array* position = kin_layer_array(layer, "position");
    uint64_t count = position != NULL ? position->count : 0;
    const float *at = kin_layer_floats(layer, "position", 3, count), *shape = kin_layer_floats(layer, "shape", 6, count),
                *weight = kin_layer_floats(layer, "weight", 1, count);
    if (at == NULL || shape == NULL || weight == NULL || count == 0 || count > UINT32_MAX / 2) return true;
    f->colors = kin_layer_floats(layer, "color", 3, count);
    f->kernels = kin_alloc(&stage->allocator, kin_bytes((size_t)count, sizeof *f->kernels));
    if (f->kernels == NULL) return false;
    f->kernel_count = (size_t)count;
    double width = 0, drawn = 0;
    kin_vec low = vec_all(INFINITY), high = vec_all(-INFINITY);
    for (uint64_t i = 0; i < count; ++i) {
        kernel* k = &f->kernels[i];
        bool good = read_kernel(stage, at + 3 * i, shape + 6 * i, weight[i], k);
        if (!good) *k = (kernel){.width = INFINITY};
        for (int a = 0; a < 3 && good; ++a) low[a] = minf(low[a], k->at[a] - k->extent[a]), high[a] = maxf(high[a], k->at[a] + k->extent[a]);
        width += good ? (double)((k->extent[0] + k->extent[1] + k->extent[2]) / 3) : 0;
        drawn += good;
    }
    f->any = drawn > 0;
    f->low = low;
    f->cell = f->any ? maxf((float)(width / drawn) / 3, 2 * vec_max(high - low) / (float)(1 << BITS)) : 0;
    return true;
}

void kin_isosurface_free(kin_isosurface_field* f, const kin_allocator* allocator)
{
    kin_free(allocator, f->kernels, kin_bytes(f->kernel_count, sizeof *f->kernels));
    kin_free(allocator, f->members, kin_bytes(f->member_count, sizeof *f->members));
    kin_free(allocator, f->cells, f->cell_capacity * sizeof *f->cells);
    kin_free(allocator, f, sizeof *f);
}

/* ---- rays ---- */

/* The part of [begin, end] in the cell's box; false: none. */
static bool clip(const kin_isosurface_field* f, const struct field_cell* c, kin_vec origin, kin_vec direction, float* begin, float* end)
{
    kin_vec low = corner_of(f, c);
    for (int a = 0; a < 3; ++a) {
        float inverse = 1 / direction[a], near = (low[a] - origin[a]) * inverse, far = (low[a] + f->cell - origin[a]) * inverse;
        if (direction[a] == 0) {
            if (origin[a] < low[a] || origin[a] > low[a] + f->cell) return false;
            continue;
        }
        *begin = maxf(*begin, minf(near, far));
        *end = minf(*end, maxf(near, far));
    }
    return *begin <= *end;
}

static bool cell_hit(const kin_isosurface_field* f, uint32_t cell, kin_vec origin, kin_vec direction, float begin, float end, float* t)
{
    const struct field_cell* c = &f->cells[cell];
    if (!clip(f, c, origin, direction, &begin, &end)) return false;
    int samples = (int)clampf(ceilf((end - begin) / c->step), 1, SAMPLES_MAX);
    bool inside = value_at(f, c, origin + direction * begin) >= 1;
    float low = begin;
    for (int i = 1; i <= samples; ++i) {
        float high = begin + (end - begin) * (float)i / (float)samples;
        if ((value_at(f, c, origin + direction * high) >= 1) == inside) {
            low = high;
            continue;
        }
        for (int k = 0; k < BISECTIONS; ++k) {
            float middle = 0.5f * (low + high);
            if ((value_at(f, c, origin + direction * middle) >= 1) == inside)
                low = middle;
            else
                high = middle;
        }
        *t = 0.5f * (low + high);
        return true;
    }
    return false;
}

static kin_vec origin_of(const struct RTCRay* ray) { return vec(ray->org_x, ray->org_y, ray->org_z); }
static kin_vec direction_of(const struct RTCRay* ray) { return vec(ray->dir_x, ray->dir_y, ray->dir_z); }

static void bounds(const struct RTCBoundsFunctionArguments* a)
{
    const kin_isosurface_field* f = a->geometryUserPtr;
    kin_vec low = corner_of(f, &f->cells[a->primID]);
    *a->bounds_o = (struct RTCBounds){
        .lower_x = low[0], .lower_y = low[1], .lower_z = low[2], .upper_x = low[0] + f->cell, .upper_y = low[1] + f->cell, .upper_z = low[2] + f->cell};
}

static void intersect(const struct RTCIntersectFunctionNArguments* a)
{
    const kin_isosurface_field* f = a->geometryUserPtr;
    struct RTCRayHit* found = (struct RTCRayHit*)a->rayhit;
    float t;
    if (!cell_hit(f, a->primID, origin_of(&found->ray), direction_of(&found->ray), found->ray.tnear, found->ray.tfar, &t)) return;
    kin_vec normal = slope_at(f, &f->cells[a->primID], origin_of(&found->ray) + direction_of(&found->ray) * t);
    if (!vec_finite(normal) || !(vec_dot(normal, normal) > 0)) return; /* a point, not a surface */
    found->ray.tfar = t;
    found->hit = (struct RTCHit){.Ng_x = normal[0], .Ng_y = normal[1], .Ng_z = normal[2], .primID = a->primID, .geomID = a->geomID};
    found->hit.instID[0] = a->context->instID[0];
}

static void occlude(const struct RTCOccludedFunctionNArguments* a)
{
    struct RTCRay* ray = (struct RTCRay*)a->ray;
    float t;
    if (cell_hit(a->geometryUserPtr, a->primID, origin_of(ray), direction_of(ray), ray->tnear, ray->tfar, &t)) ray->tfar = -INFINITY;
}

bool kin_stage_add_isosurface(kin_stage* stage, const kin_layer* layer)
{
    if (!kin_reserve(&stage->allocator, (void**)&stage->fields, &stage->field_capacity, stage->field_count + 1, sizeof(kin_isosurface_field*))) return false;
    kin_isosurface_field* f = kin_alloc_zero(&stage->allocator, sizeof *f);
    if (f == NULL) return false;
    stage->fields[stage->field_count++] = f;
    if (!read_field(stage, layer, f)) return false;
    if (!f->any) return true;
    if (!sort_members(f, &stage->allocator)) return false;
    kin_exhibit* exhibit = kin_stage_exhibit(stage, layer);
    if (exhibit == NULL) return false;
    exhibit->field = f;
    if (f->cell_count == 0) return true;
    RTCGeometry geometry = rtcNewGeometry(stage->device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryUserPrimitiveCount(geometry, (unsigned)f->cell_count);
    rtcSetGeometryUserData(geometry, f);
    rtcSetGeometryBoundsFunction(geometry, bounds, NULL);
    rtcSetGeometryIntersectFunction(geometry, intersect);
    rtcSetGeometryOccludedFunction(geometry, occlude);
    return kin_stage_attach(stage, geometry) != NULL;
}
