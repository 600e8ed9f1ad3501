/* skin.c - a skin on one page: sort, shape, find the blocks, fill them, march, dress, smooth. */
#include "geometry/skin/skin.h"
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/skin/local.h"

enum { GRAIN = 4096, MOST_PASSES = 100 };

const char* const kin_fluid_skin_kind_names[] = {"color", "zhu_bridson", "anisotropic", NULL};

kin_fluid_skin_settings kin_fluid_skin_settings_default(double spacing)
{
    return (kin_fluid_skin_settings){.kind = KIN_SKIN_ANISOTROPIC, .spacing = spacing, .normals = true, .simd = kin_simd_best()};
}

const kin_fluid_skin_kernels* kin_fluid_skin_kernels_of(kin_simd simd)
{
    static const kin_fluid_skin_kernels* const kernels[KIN_SIMD_COUNT] = {&kin_fluid_skin_kernels_none, &kin_fluid_skin_kernels_sse2,
                                                                          &kin_fluid_skin_kernels_avx2};
    return kernels[simd];
}

/* W integrated over a plane at a distance of t spacings: (315/256) (1 - t^2/H^2)^4 / H. */
static double plane_weight(double t)
{
    double q = 1 - kin_square(t / KIN_SKIN_REACH);
    return q > 0 ? 315.0 / 256 * kin_square(kin_square(q)) / KIN_SKIN_REACH : 0;
}

/* See skin.h. The border is half a spacing from the first plane and three halves from the second; the third is out of reach. */
static double own_level(kin_fluid_skin_kind kind)
{
    double first = plane_weight(0.5), second = plane_weight(1.5), own = plane_weight(0), next = plane_weight(1);
    if (kind == KIN_SKIN_COLOR) return first / (own + next) + second / (own + 2 * next);
    if (kind == KIN_SKIN_ZHU_BRIDSON) return (0.5 * first + 1.5 * second) / (first + second);
    double radius2 = kin_pow(3 / (4 * KIN_PI), 2.0 / 3), left = 1 - radius2;
    return 315 / (64 * KIN_PI) * left * left * left;
}

static kin_result settle(const kin_fluid_skin_settings* given, const kin_fluid_skin_cloud* cloud, kin_fluid_skin_settings* s, kin_error* error)
{
    *s = *given;
    if ((unsigned)s->kind >= KIN_SKIN_KINDS) return kin_fail(error, KIN_ERROR_ARGUMENT, "kind", "%d is no kind of skin", (int)s->kind);
    if (!(s->spacing > 0 && kin_finite(s->spacing))) return kin_fail(error, KIN_ERROR_ARGUMENT, "spacing", "the spacing is %g m: it must be > 0", s->spacing);
    if (s->cell == 0) s->cell = 0.5 * s->spacing;
    if (!(s->cell >= s->spacing / 32 && s->cell <= s->spacing))
        return kin_fail(error, KIN_ERROR_ARGUMENT, "cell", "the cell is %g m: it must be %g to %g (a spacing)", s->cell, s->spacing / 32, s->spacing);
    if (s->level == 0) s->level = own_level(s->kind);
    if (!(s->level > 0 && s->level < KIN_SKIN_REACH)) return kin_fail(error, KIN_ERROR_ARGUMENT, "level", "the level is %g: it must be > 0 and < 2", s->level);
    if (s->smoothing < 0 || s->smoothing > MOST_PASSES)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "smoothing", "%d passes: must be 0 to %d", s->smoothing, MOST_PASSES);
    if ((unsigned)s->simd >= KIN_SIMD_COUNT) return kin_fail(error, KIN_ERROR_ARGUMENT, "simd", "%d is no width of lanes", (int)s->simd);
    if (cloud->count > 0x7FFFFF00u) return kin_fail(error, KIN_ERROR_LIMIT, "count", "%u particles: at most 2^31", cloud->count);
    if (cloud->stride != 0 && cloud->stride < 3) return kin_fail(error, KIN_ERROR_ARGUMENT, "stride", "a stride of %zu floats: at least 3", cloud->stride);
    if (cloud->attribute_width > KIN_SKIN_ATTRIBUTES)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "attribute_width", "%u attributes: at most %d", cloud->attribute_width, KIN_SKIN_ATTRIBUTES);
    if (!kin_finite3(cloud->origin)) return kin_fail(error, KIN_ERROR_ARGUMENT, "origin", "the origin is not finite");
    return KIN_OK;
}

static kin_result march(kin_fluid_skin_work* w, kin_isosurface* surface, kin_error* error)
{
    bool distance = w->settings.kind == KIN_SKIN_ZHU_BRIDSON;
    kin_isosurface_blocks blocks = {.origin = w->low,
                                    .cell = w->settings.cell,
                                    .level = distance ? w->settings.level * w->settings.spacing : -w->settings.level,
                                    .outside = distance ? 1e30f : 0,
                                    .normals = w->settings.normals,
                                    .count = w->block_count,
                                    .at = (const int32_t(*)[3])w->blocks,
                                    .values = w->values};
    return kin_isosurface_of_blocks(&w->allocator, w->jobs, &blocks, surface, error);
}

typedef struct hand_over_job {
    const kin_isosurface* from;
    kin_fluid_skin* to;
} hand_over_job;

static void hand_over_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    const hand_over_job* job = argument;
    for (int64_t v = begin; v < end; ++v) {
        kin_vec3 p = job->from->vertices[v];
        float* to = job->to->vertices + 3 * v;
        to[0] = (float)p.x, to[1] = (float)p.y, to[2] = (float)p.z;
        if (job->from->normals == NULL) continue;
        kin_vec3 n = job->from->normals[v];
        float* normal = job->to->normals + 3 * v;
        normal[0] = (float)n.x, normal[1] = (float)n.y, normal[2] = (float)n.z;
    }
}

static kin_result hand_over(kin_fluid_skin_work* w, kin_isosurface* from, kin_fluid_skin* out, kin_error* error)
{
    size_t bytes = kin_bytes(from->vertex_count, 3 * sizeof *out->vertices);
    out->vertices = kin_alloc(&w->allocator, bytes);
    if (from->normals != NULL) out->normals = kin_alloc(&w->allocator, bytes);
    if (from->vertex_count > 0 && (out->vertices == NULL || (from->normals != NULL && out->normals == NULL)))
        return kin_fail_memory(error, "a skin", 2 * bytes);
    kin_parallel_for(w->jobs, (int64_t)from->vertex_count, GRAIN, hand_over_range, &(hand_over_job){from, out});
    out->corners = from->corners, out->triangle_count = from->triangle_count;
    from->corners = NULL;
    return KIN_OK;
}

static kin_result make(kin_fluid_skin_work* w, kin_fluid_skin* out, kin_error* error)
{
    kin_isosurface surface = {.allocator = w->allocator};
    kin_result result = kin_fluid_skin_sort(w, error);
    if (result == KIN_OK) kin_fluid_skin_shape(w);
    if (result == KIN_OK) result = kin_fluid_skin_find_blocks(w, error);
    if (result == KIN_OK) result = kin_fluid_skin_fill(w, error);
    if (result == KIN_OK) result = march(w, &surface, error);
    out->vertex_count = surface.vertex_count;
    if (result == KIN_OK) result = kin_fluid_skin_dress(w, &surface, out, error);
    if (result == KIN_OK) result = kin_fluid_skin_smooth(&w->allocator, w->jobs, &surface, w->settings.smoothing, error);
    if (result == KIN_OK) result = hand_over(w, &surface, out, error);
    kin_isosurface_term(&surface);
    return result;
}

static void free_work(kin_fluid_skin_work* w)
{
    kin_free(&w->allocator, w->bounds, kin_bytes(w->cells.cell_count, sizeof *w->bounds));
    kin_cells_term(&w->cells, &w->allocator);
    kin_free(&w->allocator, w->memory, w->memory_bytes);
    kin_free(&w->allocator, w->places, w->place_bytes);
    kin_free(&w->allocator, w->items, kin_bytes(w->cloud->count, sizeof *w->items));
    kin_free(&w->allocator, w->blobs, w->blob_bytes);
    kin_free(&w->allocator, w->blocks, kin_bytes(w->block_count, sizeof *w->blocks));
    kin_free(&w->allocator, w->values, kin_bytes(w->block_count, KIN_BLOCK_POINTS * sizeof *w->values));
}

/* Settings without zeros, for particles that are there. */
static kin_result begin_work(kin_fluid_skin_work* w, const kin_allocator* allocator, kin_jobs* jobs, const kin_fluid_skin_settings* settings,
                             const kin_fluid_skin_cloud* cloud, kin_error* error)
{
    *w = (kin_fluid_skin_work){.allocator = *allocator, .jobs = jobs, .cloud = cloud};
    kin_result result = settle(settings, cloud, &w->settings, error);
    w->block_edge = KIN_BLOCK_SIDE * w->settings.cell;
    return result;
}

kin_result kin_fluid_skin_make(const kin_allocator* allocator, kin_jobs* jobs, const kin_fluid_skin_settings* settings, const kin_fluid_skin_cloud* cloud,
                               kin_fluid_skin* out, kin_error* error)
{
    *out = (kin_fluid_skin){.allocator = *allocator};
    kin_fluid_skin_work w;
    kin_result result = begin_work(&w, allocator, jobs, settings, cloud, error);
    if (result != KIN_OK || cloud->count == 0) return result;
    result = make(&w, out, error);
    free_work(&w);
    if (result != KIN_OK) kin_fluid_skin_term(out);
    return result;
}

kin_result kin_fluid_skin_field_make(const kin_allocator* allocator, kin_jobs* jobs, const kin_fluid_skin_settings* settings, const kin_fluid_skin_cloud* cloud,
                                     kin_fluid_skin_field* out, kin_error* error)
{
    *out = (kin_fluid_skin_field){.allocator = *allocator};
    kin_fluid_skin_work w;
    kin_result result = begin_work(&w, allocator, jobs, settings, cloud, error);
    if (result != KIN_OK || cloud->count == 0) return result;
    result = kin_fluid_skin_sort(&w, error);
    if (result == KIN_OK) kin_fluid_skin_shape(&w);
    if (result == KIN_OK) result = kin_fluid_skin_put_field(&w, out, error);
    free_work(&w);
    if (result != KIN_OK) kin_fluid_skin_field_term(out);
    return result;
}

void kin_fluid_skin_term(kin_fluid_skin* s)
{
    size_t bytes = kin_bytes(s->vertex_count, 3 * sizeof *s->vertices);
    kin_free(&s->allocator, s->vertices, bytes);
    kin_free(&s->allocator, s->normals, bytes);
    kin_free(&s->allocator, s->attributes, kin_bytes(s->vertex_count, s->attribute_width * sizeof *s->attributes));
    kin_free(&s->allocator, s->corners, kin_bytes(s->triangle_count, 3 * sizeof *s->corners));
    *s = (kin_fluid_skin){.allocator = s->allocator};
}
