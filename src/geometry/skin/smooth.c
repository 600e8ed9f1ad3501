/* smooth.c - Taubin's smoothing (1995): each pass moves every vertex towards the mean of its neighbours by 0.5, then away by 0.505. Waves longer than the pass
 * band (k = 0.02, some 20 edges) stay as they are, so the volume does. */
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/skin/local.h"
#include <string.h>

enum { GRAIN = 1024 };
static const double towards = 0.5, pass_band = 0.02;

typedef struct smooth_job {
    const uint32_t *starts, *near; /* neighbours of each vertex */
    const kin_vec3* from;
    kin_vec3* to;
    double step;
} smooth_job;

/* In a closed mesh every neighbour is the end of one directed edge. */
static void find_neighbours(const kin_isosurface* s, uint32_t* starts, uint32_t* near)
{
    memset(starts, 0, (s->vertex_count + 1) * sizeof *starts);
    for (size_t i = 0; i < 3 * s->triangle_count; ++i) starts[s->corners[i]] += 1;
    uint32_t sum = 0;
    for (size_t v = 0; v <= s->vertex_count; ++v) starts[v] = sum += starts[v]; /* the ends, for now */
    for (size_t t = s->triangle_count; t-- > 0;) {
        const uint32_t* c = s->corners + 3 * t;
        for (int k = 3; k-- > 0;) near[--starts[c[k]]] = c[(k + 1) % 3];
    }
}

static void move_vertices(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    const smooth_job* job = argument;
    for (int64_t v = begin; v < end; ++v) {
        kin_vec3 sum = {0, 0, 0};
        uint32_t first = job->starts[v], last = job->starts[v + 1];
        for (uint32_t i = first; i < last; ++i) sum = kin_add(sum, job->from[job->near[i]]);
        kin_vec3 mean = last > first ? kin_scale(sum, 1.0 / (last - first)) : job->from[v];
        job->to[v] = kin_add_scaled(job->from[v], job->step, kin_sub(mean, job->from[v]));
    }
}

static void find_normals(kin_isosurface* s)
{
    memset(s->normals, 0, s->vertex_count * sizeof *s->normals);
    for (size_t t = 0; t < s->triangle_count; ++t) {
        const uint32_t* c = s->corners + 3 * t;
        kin_vec3 area = kin_cross(kin_sub(s->vertices[c[1]], s->vertices[c[0]]), kin_sub(s->vertices[c[2]], s->vertices[c[0]]));
        for (int k = 0; k < 3; ++k) s->normals[c[k]] = kin_add(s->normals[c[k]], area);
    }
    for (size_t v = 0; v < s->vertex_count; ++v) s->normals[v] = kin_normalize_or(s->normals[v], kin_v(0, 0, 0));
}

kin_result kin_fluid_skin_smooth(const kin_allocator* allocator, kin_jobs* jobs, kin_isosurface* s, int passes, kin_error* error)
{
    if (passes == 0 || s->vertex_count == 0) return KIN_OK;
    size_t start_bytes = kin_bytes(s->vertex_count + 1, sizeof(uint32_t)), near_bytes = kin_bytes(s->triangle_count, 3 * sizeof(uint32_t));
    size_t room_bytes = kin_bytes(s->vertex_count, sizeof(kin_vec3));
    uint32_t *starts = kin_alloc(allocator, start_bytes), *near = kin_alloc(allocator, near_bytes);
    kin_vec3* room = kin_alloc(allocator, room_bytes);
    bool good = starts != NULL && near != NULL && room != NULL;
    if (good) {
        find_neighbours(s, starts, near);
        for (int pass = 0; pass < passes; ++pass) {
            kin_parallel_for(jobs, (int64_t)s->vertex_count, GRAIN, move_vertices, &(smooth_job){starts, near, s->vertices, room, towards});
            kin_parallel_for(jobs, (int64_t)s->vertex_count, GRAIN, move_vertices,
                             &(smooth_job){starts, near, room, s->vertices, 1 / (pass_band - 1 / towards)});
        }
        if (s->normals != NULL) find_normals(s);
    }
    kin_free(allocator, starts, start_bytes);
    kin_free(allocator, near, near_bytes);
    kin_free(allocator, room, room_bytes);
    return good ? KIN_OK : kin_fail_memory(error, "smoothing a skin", start_bytes + near_bytes + room_bytes);
}
