/* rays.c - rays and tree builds beside Embree. A bumpy ball of triangles; rays from anywhere to anywhere, and those of a camera. */
#include "base/clock.h"
#include "base/jobs.h"
#include "base/rng.h"
#include "bench/stage.h"
#include "collision/trimesh.h"
#include "math/aabb.h"
#include "validation/rig.h"
#include <stdio.h>
#include <stdlib.h>
#ifdef KIN_PEER_EMBREE
#include "bench/collision/peer_embree.h"
#endif

#define TRIANGLES 100000
#define RAYS 100000
#define REPETITIONS 7
#define SIZES 5

typedef struct scene {
    kin_vec3* vertices;
    uint32_t (*corners)[3];
    uint32_t vertex_count, triangle_count;
    kin_trimesh* mesh;
    kin_ray3* rays;
    kin_touch* hits;
    double hit_count, sum; /* of t */
} scene;

static kin_vec3 ball_point(double u, double v)
{
    kin_sincos a = kin_sin_cos(u), b = kin_sin_cos(v);
    double r = 1 + 0.1 * kin_sin(7 * u) * kin_sin(5 * v) * b.sine;
    return kin_v(r * b.sine * a.cosine, r * b.sine * a.sine, r * b.cosine);
}

/* Rings of 2 m points between two poles, m - 1 rings: 4 m (m - 1) triangles. */
static bool make_ball(scene* s, uint32_t triangles)
{
    uint32_t m = 2;
    while (4 * (m + 1) * m <= triangles) m += 1;
    uint32_t round = 2 * m, rings = m - 1;
    *s = (scene){.vertices = malloc((round * rings + 2) * sizeof(kin_vec3)), .corners = malloc(2 * (size_t)round * rings * sizeof(uint32_t[3]))};
    if (s->vertices == NULL || s->corners == NULL) return false;
    for (uint32_t j = 0; j < rings; ++j) {
        for (uint32_t i = 0; i < round; ++i) s->vertices[s->vertex_count++] = ball_point(2 * KIN_PI * i / round, KIN_PI * (j + 1) / m);
    }
    uint32_t top = s->vertex_count, bottom = top + 1;
    s->vertices[s->vertex_count++] = kin_v(0, 0, 1);
    s->vertices[s->vertex_count++] = kin_v(0, 0, -1);
    for (uint32_t i = 0; i < round; ++i) {
        uint32_t next = (i + 1) % round, last = (rings - 1) * round;
        uint32_t caps[2][3] = {{top, i, next}, {bottom, last + next, last + i}};
        for (int k = 0; k < 6; ++k) s->corners[s->triangle_count + (uint32_t)k / 3][k % 3] = caps[k / 3][k % 3];
        s->triangle_count += 2;
        for (uint32_t j = 0; j + 1 < rings; ++j) {
            uint32_t a = j * round + i, b = j * round + next, c = a + round, d = b + round;
            uint32_t two[2][3] = {{a, c, b}, {b, c, d}};
            for (int k = 0; k < 6; ++k) s->corners[s->triangle_count + (uint32_t)k / 3][k % 3] = two[k / 3][k % 3];
            s->triangle_count += 2;
        }
    }
    return true;
}

static double uniform(uint64_t ray, uint32_t draw) { return kin_rng_uniform(&(kin_rng_key){.seed = 4, .serial = ray}, draw, 0, 1); }

/* From anywhere in the box in any direction: nothing in common. */
static kin_ray3 random_ray(uint64_t i)
{
    kin_vec3 from = {uniform(i, 0), uniform(i, 1), uniform(i, 2)};
    double z = 2 * uniform(i, 3) - 1, r = kin_sqrt(1 - z * z);
    kin_sincos a = kin_sin_cos(2 * KIN_PI * uniform(i, 4));
    return (kin_ray3){.origin = kin_sub(kin_scale(from, 2.4), kin_v(1.2, 1.2, 1.2)), .direction = {r * a.cosine, r * a.sine, z}, .limit = 1e30};
}

/* The pixels of a picture, row after row. */
static kin_ray3 camera_ray(uint64_t i)
{
    uint64_t width = 316;
    double x = (double)(i % width) / 158 - 1, y = (double)(i / width) / 158 - 1;
    return (kin_ray3){.origin = {0, -3, 0}, .direction = kin_normalize_or(kin_v(0.4 * x, 1, 0.4 * y), kin_v(0, 1, 0)), .limit = 1e30};
}

typedef kin_ray3 ray_fn(uint64_t i);

static bool make_scene(kin_bench_run* run, scene* s, uint32_t triangles)
{
    kin_allocator allocator = kin_allocator_default();
    kin_mesh* mesh = NULL;
    kin_error error = {0};
    bool ok = make_ball(s, triangles);
    s->rays = malloc(RAYS * sizeof *s->rays);
    s->hits = malloc(RAYS * sizeof *s->hits);
    ok = ok && s->rays != NULL && s->hits != NULL;
    kin_mesh_view view = {.vertices = s->vertices, .vertex_count = s->vertex_count, .corners = s->corners[0], .face_count = s->triangle_count};
    ok = ok && kin_mesh_create(&allocator, &view, &mesh, &error) == KIN_OK && kin_trimesh_create(&allocator, mesh, &s->mesh, &error) == KIN_OK;
    if (!ok && run->failure[0] == 0) snprintf(run->failure, sizeof run->failure, "rays: %.200s", error.message[0] != 0 ? error.message : "no memory");
    return ok;
}

static void free_scene(scene* s)
{
    free(s->vertices);
    free(s->corners);
    free(s->rays);
    free(s->hits);
    kin_trimesh_destroy(s->mesh);
}

static void aim(scene* s, ray_fn* ray)
{
    for (uint64_t i = 0; i < RAYS; ++i) s->rays[i] = ray(i);
}

/* One after another; hits are counted, and their t summed, as for the peer. */
static double cast_all(scene* s)
{
    double began = kin_clock_seconds();
    s->hit_count = s->sum = 0;
    for (int i = 0; i < RAYS; ++i) {
        kin_touch hit;
        if (!kin_trimesh_ray(s->mesh, s->rays[i].origin, s->rays[i].direction, s->rays[i].limit, &hit)) continue;
        s->hit_count += 1;
        s->sum += hit.t;
    }
    return kin_clock_seconds() - began;
}

static double time_casts(scene* s)
{
    double times[REPETITIONS];
    for (int i = 0; i < REPETITIONS; ++i) times[i] = cast_all(s);
    return kin_bench_median(times, REPETITIONS);
}

#ifdef KIN_PEER_EMBREE
static kin_peer_embree* make_peer(const scene* s)
{
    float(*vertices)[3] = malloc(s->vertex_count * sizeof *vertices);
    if (vertices == NULL) return NULL;
    for (uint32_t i = 0; i < s->vertex_count; ++i) {
        vertices[i][0] = (float)s->vertices[i].x, vertices[i][1] = (float)s->vertices[i].y, vertices[i][2] = (float)s->vertices[i].z;
    }
    kin_peer_embree* peer = kin_peer_embree_create((const float(*)[3])vertices, s->vertex_count, (const uint32_t(*)[3])s->corners, s->triangle_count);
    free(vertices);
    return peer;
}

/* Both cast in turn, so that what else the machine does slows both. */
static void add_peer(kin_bench_row* row, scene* s)
{
    kin_peer_embree* peer = make_peer(s);
    kin_peer_ray* rays = malloc(RAYS * sizeof *rays);
    double ours[REPETITIONS], theirs[REPETITIONS];
    kin_peer_hits found = {0, 0};
    if (peer == NULL || rays == NULL) return;
    kin_peer_embree_build(peer);
    for (int i = 0; i < RAYS; ++i) {
        kin_vec3 o = s->rays[i].origin, d = s->rays[i].direction;
        rays[i] = (kin_peer_ray){{(float)o.x, (float)o.y, (float)o.z}, {(float)d.x, (float)d.y, (float)d.z}};
    }
    for (int i = 0; i < REPETITIONS; ++i) {
        ours[i] = cast_all(s);
        double began = kin_clock_seconds();
        found = kin_peer_embree_cast(peer, rays, RAYS);
        theirs[i] = kin_clock_seconds() - began;
    }
    kin_bench_add_ratio(row, "embree", kin_bench_median(ours, REPETITIONS) / kin_bench_median(theirs, REPETITIONS));
    kin_bench_add_quality(row, "hits_off_embree", s->hit_count - (double)found.hits);
    kin_bench_add_quality(row, "mean_t_off_embree", s->sum / s->hit_count - found.sum / (double)found.hits);
    free(rays);
    kin_peer_embree_destroy(peer);
}
#endif

static kin_bench_row* add_row(kin_bench_run* run, const char* name, const scene* s, int threads, double seconds)
{
    kin_bench_row* row = kin_bench_add(run, name, s->triangle_count, threads);
    if (row == NULL) return NULL;
    row->ms_per_step = 1e3 * seconds;
    row->rate = RAYS / seconds;
    snprintf(row->unit, sizeof row->unit, "rays/s");
    return row;
}

static kin_bench_row* add_rays(kin_bench_run* run, const char* name, scene* s, ray_fn* ray)
{
    aim(s, ray);
    kin_bench_row* row = add_row(run, name, s, 1, time_casts(s));
    if (row == NULL) return NULL;
    kin_bench_add_quality(row, "hits", s->hit_count / RAYS);
#ifdef KIN_PEER_EMBREE
    if (run->peers) add_peer(row, s);
#endif
    return row;
}

static void add_threads(kin_bench_run* run, const char* name, scene* s)
{
    kin_jobs jobs;
    kin_allocator allocator = kin_allocator_default();
    double times[REPETITIONS];
    if (kin_jobs_init(&jobs, &allocator, NULL, 2, NULL) != KIN_OK) return;
    aim(s, random_ray);
    for (int i = 0; i < REPETITIONS; ++i) {
        double began = kin_clock_seconds();
        kin_trimesh_rays(s->mesh, &jobs, s->rays, RAYS, s->hits);
        times[i] = kin_clock_seconds() - began;
    }
    kin_jobs_term(&jobs);
    add_row(run, name, s, 2, kin_bench_median(times, REPETITIONS));
}

/* The same rays against larger and larger meshes: a search grows slower than any power. */
static void add_growth(kin_bench_run* run, kin_bench_row* row)
{
    double n[SIZES], ms[SIZES];
    if (row == NULL) return;
    for (int i = 0; i < SIZES; ++i) {
        scene s;
        if (!make_scene(run, &s, 25000u << i)) return;
        aim(&s, random_ray);
        n[i] = s.triangle_count;
        ms[i] = 1e3 * time_casts(&s);
        row->scaling[row->scaling_count++] = (kin_bench_point){n[i], ms[i]};
        free_scene(&s);
    }
    row->exponent = kin_slope(n, ms, SIZES);
}

static void bench_rays(kin_bench_run* run, const char* name)
{
    scene s;
    if (make_scene(run, &s, TRIANGLES)) {
        add_growth(run, add_rays(run, name, &s, random_ray));
        add_rays(run, "collision/rays/camera", &s, camera_ray);
        add_threads(run, name, &s);
    }
    free_scene(&s);
}

/* ---- building ---- */

typedef struct build_times {
    double mesh, trimesh, tree, wide, refit, peer; /* s */
} build_times;

static kin_aabb box_at(const scene* s, uint32_t i)
{
    kin_vec3 a = s->vertices[s->corners[i][0]], b = s->vertices[s->corners[i][1]], c = s->vertices[s->corners[i][2]];
    return (kin_aabb){kin_min3(a, kin_min3(b, c)), kin_max3(a, kin_max3(b, c))};
}

static kin_aabb box_of_items(const void* context, uint32_t begin, uint32_t end)
{
    const kin_facet* corners = context;
    kin_aabb box = kin_aabb_empty();
    for (uint32_t i = begin; i < end; ++i) {
        for (int k = 0; k < 3; ++k) box = kin_aabb_add(box, corners[i].p[k]);
    }
    return box;
}

/* One round: everything once. */
static bool time_round(kin_bench_run* run, scene* s, build_times* at)
{
    kin_allocator allocator = kin_allocator_default();
    kin_mesh* mesh = NULL;
    kin_trimesh* trimesh = NULL;
    kin_aabb* boxes = malloc(s->triangle_count * sizeof *boxes);
    kin_mesh_view view = {.vertices = s->vertices, .vertex_count = s->vertex_count, .corners = s->corners[0], .face_count = s->triangle_count};
    double began = kin_clock_seconds();
    bool ok = boxes != NULL && kin_mesh_create(&allocator, &view, &mesh, NULL) == KIN_OK;
    at->mesh = kin_clock_seconds() - began;
    began = kin_clock_seconds();
    ok = ok && kin_trimesh_create(&allocator, mesh, &trimesh, NULL) == KIN_OK;
    at->trimesh = kin_clock_seconds() - began;
    began = kin_clock_seconds();
    ok = ok && kin_trimesh_refit(trimesh, s->vertices, NULL) == KIN_OK;
    at->refit = kin_clock_seconds() - began;
    for (uint32_t i = 0; ok && i < s->triangle_count; ++i) boxes[i] = box_at(s, i);
    kin_bvh tree;
    kin_bvh_wide wide;
    kin_bvh_init(&tree, &allocator);
    kin_bvh_wide_init(&wide, &allocator);
    began = kin_clock_seconds();
    ok = ok && kin_bvh_build(&tree, boxes, s->triangle_count);
    at->tree = kin_clock_seconds() - began;
    began = kin_clock_seconds();
    ok = ok && kin_bvh_wide_build(&wide, &tree, box_of_items, trimesh->corners);
    at->wide = kin_clock_seconds() - began;
    kin_bvh_term(&tree);
    kin_bvh_wide_term(&wide);
    kin_trimesh_destroy(trimesh);
    free(boxes);
    if (!ok && run->failure[0] == 0) snprintf(run->failure, sizeof run->failure, "build: no memory");
    return ok;
}

#define ROUNDS 3

static bool time_build(kin_bench_run* run, uint32_t triangles, build_times* median, uint32_t* count)
{
    scene s;
    double column[6][ROUNDS] = {{0}};
    bool ok = make_ball(&s, triangles);
#ifdef KIN_PEER_EMBREE
    kin_peer_embree* peer = ok && run->peers ? make_peer(&s) : NULL;
#endif
    for (int i = 0; ok && i < ROUNDS; ++i) {
        build_times at = {0};
        ok = time_round(run, &s, &at);
#ifdef KIN_PEER_EMBREE
        if (peer != NULL) at.peer = kin_peer_embree_build(peer);
#endif
        column[0][i] = at.mesh, column[1][i] = at.trimesh, column[2][i] = at.tree, column[3][i] = at.wide, column[4][i] = at.refit, column[5][i] = at.peer;
    }
#ifdef KIN_PEER_EMBREE
    kin_peer_embree_destroy(peer);
#endif
    for (int k = 0; k < 6; ++k) kin_bench_median(column[k], ROUNDS);
    const int middle = ROUNDS / 2; /* sorted by the call */
    *median = (build_times){column[0][middle], column[1][middle], column[2][middle], column[3][middle], column[4][middle], column[5][middle]};
    *count = s.triangle_count;
    free_scene(&s);
    return ok;
}

static void bench_build(kin_bench_run* run, const char* name)
{
    double n[SIZES], tree_ms[SIZES], all_ms[SIZES];
    for (int i = 0; i < SIZES; ++i) {
        build_times at;
        uint32_t count;
        if (!time_build(run, i == 0 ? TRIANGLES : 62500u << i, &at, &count)) return;
        n[i] = count, tree_ms[i] = 1e3 * (at.tree + at.wide), all_ms[i] = 1e3 * (at.mesh + at.trimesh);
        kin_bench_row* row = kin_bench_add(run, name, count, 1);
        if (row == NULL) return;
        row->ms_per_step = tree_ms[i];
        row->rate = count / (at.tree + at.wide);
        snprintf(row->unit, sizeof row->unit, "triangles/s");
        kin_bench_add_quality(row, "binary_ms", 1e3 * at.tree);
        kin_bench_add_quality(row, "refit_ms", 1e3 * at.refit);
        kin_bench_add_quality(row, "mesh_ms", 1e3 * at.mesh);
        kin_bench_add_quality(row, "trimesh_ms", 1e3 * at.trimesh);
        if (at.peer > 0) kin_bench_add_ratio(row, "embree", (at.tree + at.wide) / at.peer);
        if (i + 1 < SIZES) continue;
        for (int k = 0; k < SIZES; ++k) row->scaling[row->scaling_count++] = (kin_bench_point){n[k], tree_ms[k]};
        row->exponent = kin_slope(n, tree_ms, SIZES);
        kin_bench_add_quality(row, "whole_exponent", kin_slope(n, all_ms, SIZES)); /* mesh, topology and trees */
    }
}

const kin_bench kin_benches_rays[] = {
    {"collision/rays", "first hits of single rays on 100,000 triangles, from anywhere and from a camera", bench_rays},
    {"collision/build", "building the tree of 100,000 to 1,000,000 triangles; the mesh around it, and a refit", bench_build},
    {NULL, NULL, NULL},
};
