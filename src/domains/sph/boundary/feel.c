/* feel.c - lambda, b and w of every particle: what each wall near it fills, put together as if walls were independent,  1 - lambda = prod (1 - lambda_w),
 * so  b = sum_w grad lambda_w prod_{v != w} (1 - lambda_v)  is its exact gradient.
 *
 * Particles are looked at by chunks of consecutive ones, which lie together in space: most chunks have no wall near and cost a box. Every (particle, wall) pair
 * that counts is kept on pages of its chunk, for friction, response and impulses of this tick: pages are handed out in any order, their contents are in the
 * order of particles and walls, so no bit depends on threads. */
#include "domains/sph/boundary/ghosts.h"
#include "domains/sph/boundary/map.h"
#include "domains/sph/boundary/samples.h"
#include "domains/sph/boundary/surface.h"
#include "base/alloc.h"
#include "math/aabb.h"
#include "math/quat.h"
#include <string.h>

typedef struct feel_job {
    kin_sph* f;
    const kin_sph_tick* tick;
} feel_job;

/* ---- pages ---- */

static kin_sph_touch* new_touch(kin_sph_walls* w, int chunk)
{
    uint32_t page = w->last[chunk];
    if (w->lost[chunk] > 0) return w->lost[chunk]++, NULL;
    if (page == KIN_SPH_NO_PAGE || w->pages[page].count == KIN_SPH_PAGE) {
        uint32_t fresh = atomic_fetch_add(&w->page_count, 1);
        if (fresh >= w->page_capacity) return w->lost[chunk]++, NULL;
        w->pages[fresh].count = 0;
        w->pages[fresh].next = KIN_SPH_NO_PAGE;
        if (page == KIN_SPH_NO_PAGE)
            w->first[chunk] = fresh;
        else
            w->pages[page].next = fresh;
        w->last[chunk] = page = fresh;
    }
    return &w->pages[page].items[w->pages[page].count++];
}

/* ---- one wall ---- */

bool kin_sph_feel_flat(const kin_sph_profile* p, double distance, kin_vec3 normal, kin_sph_felt* out)
{
    double unused, slope, factor = kin_sph_depth_factor(p, distance);
    if (!(distance < p->share.end)) return false;
    out->share = factor * kin_sph_curve_at(&p->share, distance, &unused);
    kin_sph_curve_at(&p->pull, distance, &slope);
    out->slope = kin_scale(normal, factor * slope);
    out->distance = distance;
    out->normal = normal;
    return true;
}

static bool feel_plane(const kin_sph* f, const kin_sph_wall* w, size_t i, kin_vec3 x, kin_sph_felt* out)
{
    kin_sph_mirror_plane plane = kin_sph_plane_at(w, x);
    if (f->walls->kind == KIN_SPH_GHOSTS) return kin_sph_ghosts_feel(f, i, plane, out);
    return kin_sph_feel_flat(&f->walls->profile, kin_dot(plane.normal, x) - plane.offset, plane.normal, out);
}

static bool feel_form(kin_sph_walls* walls, const kin_sph_wall* w, kin_vec3 x, kin_sph_felt* out, int chunk)
{
    kin_vec3 local = kin_unapply(w->pose, x);
    if (w->fade == 0) return false;
    if (w->samples != NULL) {
        if (!kin_sph_samples_feel(walls, w->samples, local, out)) return false;
    } else {
        kin_sph_map_answer answer = kin_sph_map_feel(walls, w->map, local, out);
        if (answer == KIN_SPH_MAP_LACKS) walls->lacks[chunk] = 1;
        if (answer != KIN_SPH_MAP_FELT) return false;
    }
    out->share *= w->fade;
    out->slope = kin_scale(kin_rotate(w->pose.orientation, out->slope), w->fade);
    out->normal = kin_rotate(w->pose.orientation, out->normal);
    return true;
}

static bool feel_wall(const feel_job* job, uint32_t number, size_t i, kin_vec3 x, kin_sph_felt* out, int chunk)
{
    kin_sph_walls* walls = job->f->walls;
    const kin_sph_wall* w = &walls->near[number];
    if (!w->plane && !kin_aabb_contains(w->box, x)) return false;
    if (w->surface != NULL) {
        if (!kin_sph_surface_feel(walls, w, x, out)) return false;
    } else {
        if (!(w->plane ? feel_plane(job->f, w, i, x, out) : feel_form(walls, w, x, out, chunk))) return false;
        out->velocity = kin_sph_wall_velocity(walls, w, x);
    }
    if (walls->flat) { /* rounding that leads out of the plane would grow */
        out->slope = kin_sph_flatten(true, out->slope);
        out->normal = kin_normalize_or(kin_sph_flatten(true, out->normal), out->normal);
    }
    if (!w->plane || walls->kind != KIN_SPH_GHOSTS) out->moment = -kin_dot(out->slope, out->normal) * out->distance;
    out->wall = number;
    return out->share > 0;
}

/* ---- all walls of a particle ---- */

static void keep_touch(const kin_sph_walls* walls, kin_sph_touch* t, size_t particle, const kin_sph_felt* felt, double left, double off)
{
    const kin_sph_wall* w = &walls->near[felt->wall];
    t->particle = (uint32_t)particle;
    t->wall = felt->wall;
    kin_sph_narrow(t->b, kin_scale(felt->slope, left));
    t->left = (float)left;
    kin_sph_narrow(t->near.normal, felt->normal);
    kin_sph_narrow(t->near.velocity, felt->velocity);
    kin_sph_narrow(t->near.spin, w->surface != NULL ? kin_v(0, 0, 0) : kin_sph_wall_spin(walls, w));
    t->near.distance = (float)kin_max(felt->distance, off);
    t->near.grip = (float)(kin_length(felt->slope) / kin_max(felt->distance, off));
    t->near.share = (float)felt->share;
    t->near.wall_turns = w->surface == NULL;
}

static void put_together(const feel_job* job, size_t i, const kin_sph_felt* felt, int count, int chunk)
{
    kin_sph* f = job->f;
    double free_part = 1, rate = 0, moment = 0, off = 0.5 * KIN_SPH_OFF * (double)f->spacing;
    kin_vec3 sum = {0, 0, 0};
    for (int k = 0; k < count; ++k) free_part *= 1 - felt[k].share;
    for (int k = 0; k < count; ++k) {
        double others = 1;
        for (int m = 0; m < count; ++m) others *= m == k ? 1 : 1 - felt[m].share;
        kin_vec3 b = kin_scale(felt[k].slope, others);
        kin_sph_touch* touch = new_touch(f->walls, chunk);
        if (touch != NULL) keep_touch(f->walls, touch, i, &felt[k], others, off);
        sum = kin_add(sum, b);
        rate += kin_dot(b, felt[k].velocity);
        moment += others * felt[k].moment;
    }
    f->lambda[i] = (float)(1 - free_part);
    f->b[0][i] = (float)sum.x, f->b[1][i] = (float)sum.y, f->b[2][i] = (float)sum.z;
    f->wall_rate[i] = (float)rate;
    f->wall_moment[i] = (float)moment;
}

static void feel_particle(const feel_job* job, size_t i, const uint32_t* list, uint32_t count, int chunk)
{
    kin_sph_felt felt[KIN_SPH_MOST_TOUCHES];
    int found = 0;
    kin_vec3 x = kin_sph_place(job->f, job->f->x4 + 4 * i);
    for (uint32_t k = 0; k < count && found < KIN_SPH_MOST_TOUCHES; ++k) found += feel_wall(job, list[k], i, x, &felt[found], chunk);
    if (found > 0) put_together(job, i, felt, found, chunk);
}

static void clear(kin_sph* f, size_t begin, size_t end)
{
    size_t bytes = (end - begin) * sizeof(float);
    memset(f->lambda + begin, 0, bytes);
    memset(f->wall_rate + begin, 0, bytes);
    memset(f->wall_moment + begin, 0, bytes);
    for (int a = 0; a < 3; ++a) memset(f->b[a] + begin, 0, bytes);
}

/* Least and greatest distance of particles from a plane. */
typedef struct span {
    double least, most;
} span;

static span distances(const kin_sph* f, kin_vec3 normal, double offset, size_t begin, size_t end)
{
    span s = {1e300, -1e300};
    double from = offset - kin_dot(normal, f->origin);
    for (const float* x = f->x4 + 4 * begin; x < f->x4 + 4 * end; x += 4) {
        double d = normal.x * (double)x[0] + normal.y * (double)x[1] + normal.z * (double)x[2] - from;
        s.least = kin_min(s.least, d), s.most = kin_max(s.most, d);
    }
    return s;
}

/* Whether all particles of [begin, end) are out of a plane's reach, on the side they were on when the tick began. */
static bool plane_is_far(const kin_sph* f, const kin_sph_wall* w, size_t begin, size_t end)
{
    double rounding = 1e-3 * (double)f->support, reach = f->walls->reach + rounding;
    span now = distances(f, w->normal[2], w->offset[2], begin, end);
    if (now.least <= reach && now.most >= -reach) return false;
    span before = distances(f, w->normal[0], w->offset[0], begin, end);
    return (before.least > rounding && now.least > reach) || (before.most < -rounding && now.most < -reach);
}

/* Eight at a time, whom the chunk's planes leave alone for the most part. */
static void feel_block(const feel_job* job, size_t begin, size_t end, const uint32_t* list, uint32_t count, int chunk)
{
    uint32_t beside[KIN_SPH_MOST_NEAR], found = 0;
    for (uint32_t k = 0; k < count; ++k) {
        const kin_sph_wall* w = &job->f->walls->near[list[k]];
        if (!w->plane || !plane_is_far(job->f, w, begin, end)) beside[found++] = list[k];
    }
    for (size_t i = begin; found > 0 && i < end; ++i) feel_particle(job, i, beside, found, chunk);
}

static void feel_chunk(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)scratch;
    const feel_job* job = argument;
    kin_sph_walls* w = job->f->walls;
    uint32_t list[KIN_SPH_MOST_NEAR];
    clear(job->f, (size_t)begin, (size_t)end);
    w->first[chunk] = w->last[chunk] = KIN_SPH_NO_PAGE;
    w->lost[chunk] = w->lacks[chunk] = 0;
    uint32_t count = kin_sph_walls_beside(w, w->boxes[chunk], w->reach, list);
    for (int64_t i = begin; count > 0 && i < end; i += KIN_SPH_LANES) {
        feel_block(job, (size_t)i, (size_t)(end - i < KIN_SPH_LANES ? end : i + KIN_SPH_LANES), list, count, chunk);
    }
}

/* Pages that were missing, were every chunk's last one full. */
static size_t pages_missing(const kin_sph* f)
{
    size_t pages = 0, chunks = (size_t)kin_sph_wall_chunks(f);
    for (size_t c = 0; c < chunks; ++c) pages += (f->walls->lost[c] + KIN_SPH_PAGE - 1) / KIN_SPH_PAGE;
    return pages;
}

static bool something_lacks(const kin_sph* f) { return kin_sph_wall_chunks(f) > 0 && memchr(f->walls->lacks, 1, (size_t)kin_sph_wall_chunks(f)) != NULL; }

/* Rooms and blocks that turn out to be missing are made, and all is done again: in the first ticks, then hardly ever. */
static bool feel_all(kin_sph* f, const kin_sph_tick* tick, bool* done)
{
    kin_sph_walls* w = f->walls;
    atomic_store(&w->page_count, 0);
    kin_parallel_for(tick->step->jobs, (int64_t)f->count, KIN_SPH_WALL_CHUNK, feel_chunk, &(feel_job){f, tick});
    size_t missing = pages_missing(f), pages = w->page_capacity + missing;
    *done = missing == 0 && !something_lacks(f);
    if (missing > 0 && !kin_reserve_tight(&w->allocator, (void**)&w->pages, &w->page_capacity, pages, sizeof *w->pages)) return false;
    return kin_sph_maps_make(w, tick->step->jobs);
}

bool kin_sph_walls_feel_at(kin_sph* f, kin_sph_tick* tick, double when)
{
    clear(f, f->count, 8 * f->blocks);
    if (!kin_sph_walls_gather(f, tick, NULL, f->walls->reach, when)) return false;
    for (bool done = false; !done;) {
        if (!feel_all(f, tick, &done)) return false;
    }
    return kin_sph_walls_meet_bodies(f, tick);
}

bool kin_sph_walls_feel(kin_sph* f, kin_sph_tick* tick) { return kin_sph_walls_feel_at(f, tick, tick->begin); }
