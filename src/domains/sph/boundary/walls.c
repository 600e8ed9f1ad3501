/* walls.c - which solids are walls for a tank: found anew at every tick, for the fluid moves on and so may they. Nothing here outlives an interval but what can
 * be made again at any time: maps and samples of forms. */
#include "domains/sph/boundary/map.h"
#include "base/search.h"
#include "domains/sph/boundary/samples.h"
#include "domains/sph/boundary/surface.h"
#include "base/alloc.h"
#include "base/error.h"
#include "math/aabb.h"
#include "math/quat.h"
#include <string.h>

kin_result kin_sph_walls_create(const kin_birth* birth, const kin_sph_def* def, kin_sph_walls** out, kin_error* error)
{
    kin_sph_walls* w = *out = kin_alloc_zero(&birth->allocator, sizeof *w);
    if (w == NULL) return kin_fail_memory(error, "walls of a fluid", sizeof *w);
    w->allocator = birth->allocator;
    w->materials = birth->materials;
    w->kind = def->boundary;
    w->flat = def->flat;
    w->friction = def->wall_friction;
    double support = def->support * def->radius;
    kin_sph_profile_make(&w->profile, def->kernel, def->flat ? 2 : 3, support, 2 * def->radius);
    w->reach = def->boundary == KIN_SPH_MAPS ? w->profile.share.end : support;
    w->next_surface = 1;
    kin_result result = kin_sph_surfaces_make(w, def, error);
    if (result != KIN_OK) kin_sph_walls_destroy(w), *out = NULL;
    return result;
}

void kin_sph_walls_destroy(kin_sph_walls* w)
{
    if (w == NULL) return;
    kin_allocator a = w->allocator;
    kin_sph_maps_term(w);
    kin_sph_samples_term(w);
    kin_sph_surfaces_term(w);
    kin_free(&a, w->near, w->near_capacity * sizeof *w->near);
    kin_free(&a, w->numbers, w->number_capacity * sizeof *w->numbers);
    kin_free(&a, w->pages, w->page_capacity * sizeof *w->pages);
    kin_free(&a, w->first, w->first_capacity * sizeof *w->first);
    kin_free(&a, w->last, w->last_capacity * sizeof *w->last);
    kin_free(&a, w->boxes, w->box_capacity * sizeof *w->boxes);
    kin_free(&a, w->lacks, w->lack_capacity * sizeof *w->lacks);
    kin_free(&a, w->lost, w->lost_capacity * sizeof *w->lost);
    kin_free(&a, w->stopped, w->stopped_capacity * sizeof *w->stopped);
    kin_free(&a, w->known, w->known_capacity * sizeof *w->known);
    kin_free(&a, w->next_known, w->next_capacity * sizeof *w->next_known);
    kin_free(&a, w->bodies, w->body_capacity * sizeof *w->bodies);
    kin_free(&a, w->bumps, w->bump_capacity * sizeof *w->bumps);
    kin_free(&a, w->gives, w->give_capacity * sizeof *w->gives);
    kin_free(&a, w, sizeof *w);
}

size_t kin_sph_walls_bytes(const kin_sph_walls* w)
{
    if (w == NULL) return 0;
    return sizeof *w + kin_sph_maps_bytes(w) + kin_sph_samples_bytes(w) + kin_sph_surfaces_bytes(w) + w->lack_capacity + w->near_capacity * sizeof *w->near
           + w->number_capacity * sizeof *w->numbers + w->page_capacity * sizeof *w->pages + (w->first_capacity + w->last_capacity) * sizeof *w->first
           + w->box_capacity * sizeof *w->boxes + (w->lost_capacity + w->stopped_capacity) * sizeof *w->lost + w->body_capacity * sizeof *w->bodies
           + w->give_capacity * sizeof *w->gives + w->bump_capacity * sizeof *w->bumps + (w->known_capacity + w->next_capacity) * sizeof *w->known;
}

bool kin_sph_walls_begin(kin_sph* f, kin_step* step)
{
    f->walls->friction = f->def.wall_friction;
    kin_reactions_clear(&f->reactions);
    kin_sph_maps_forget(f->walls);
    kin_sph_samples_forget(f->walls);
    kin_sph_surfaces_begin(f->walls, step);
    return kin_sph_walls_list_bodies(f->walls, step) && kin_sph_walls_remember(f->walls, step);
}

/* ---- chunks ---- */

int64_t kin_sph_wall_chunks(const kin_sph* f) { return (int64_t)kin_chunk_count((int64_t)f->count, KIN_SPH_WALL_CHUNK); }

static bool reserve_chunks(kin_sph_walls* w, size_t n)
{
    const kin_allocator* a = &w->allocator;
    return kin_reserve(a, (void**)&w->first, &w->first_capacity, n, sizeof *w->first) && kin_reserve(a, (void**)&w->last, &w->last_capacity, n, sizeof *w->last)
           && kin_reserve(a, (void**)&w->boxes, &w->box_capacity, n, sizeof *w->boxes)
           && kin_reserve(a, (void**)&w->lacks, &w->lack_capacity, n, sizeof *w->lacks)
           && kin_reserve(a, (void**)&w->lost, &w->lost_capacity, n, sizeof *w->lost)
           && kin_reserve(a, (void**)&w->stopped, &w->stopped_capacity, n, sizeof *w->stopped);
}

typedef struct box_job {
    const kin_sph* f;
    const float* places[2]; /* the second may be NULL */
} box_job;

/* The fourth goes along: compilers then take fours at once. */
static void include(const float* x4, int64_t begin, int64_t end, float low[4], float high[4])
{
    float least[4], most[4]; /* copies stay in registers */
    for (int a = 0; a < 4; ++a) least[a] = low[a], most[a] = high[a];
    for (int64_t i = begin; i < end; ++i) {
        for (int a = 0; a < 4; ++a) {
            float x = x4[4 * i + a];
            least[a] = x < least[a] ? x : least[a], most[a] = x > most[a] ? x : most[a];
        }
    }
    for (int a = 0; a < 4; ++a) low[a] = least[a], high[a] = most[a];
}

static void measure_box(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)scratch;
    const box_job* job = argument;
    float low[4], high[4];
    for (int a = 0; a < 4; ++a) low[a] = high[a] = job->places[0][4 * begin + a];
    include(job->places[0], begin, end, low, high);
    if (job->places[1] != NULL) include(job->places[1], begin, end, low, high);
    job->f->walls->boxes[chunk] = (kin_aabb){kin_sph_place(job->f, low), kin_sph_place(job->f, high)};
}

/* ---- near ---- */

static bool is_before(const void* walls, size_t i, const void* solid) { return ((const kin_sph_walls*)walls)->bodies[i].solid < *(const uint32_t*)solid; }

static uint32_t body_of(const kin_sph_walls* w, uint32_t solid)
{
    size_t at = kin_search(w, w->body_count, is_before, &solid);
    return at < w->body_count && w->bodies[at].solid == solid ? (uint32_t)at : KIN_SPH_NO_BODY;
}

static kin_sph_wall wall_of(const kin_sph* f, const kin_sph_tick* tick, uint32_t solid, double when)
{
    const kin_solids* solids = tick->step->solids;
    kin_sph_wall w = {.solid = solid, .body = body_of(f->walls, solid), .form = kin_solids_form(solids, solid), .when = when};
    w.plane = !w.form->bounded;
    w.pose = kin_solids_pose(solids, solid, when);
    w.motion = kin_solids_twist(solids, solid);
    w.box = kin_aabb_grow(kin_solids_box(solids, solid), f->walls->reach);
    const double times[3] = {tick->begin, tick->end, when};
    for (int k = 0; w.plane && k < 3; ++k) {
        kin_transform pose = kin_solids_pose(solids, solid, times[k]);
        w.normal[k] = kin_rotate(pose.orientation, w.form->normal);
        w.offset[k] = kin_dot(w.normal[k], pose.position);
    }
    double fastest = kin_length(w.motion.velocity) + (w.plane ? 0 : kin_length(w.motion.spin) * w.form->reach);
    w.leaps = fastest * (double)tick->h > (double)f->support;
    if (w.leaps) w.motion = (kin_twist){{0, 0, 0}, {0, 0, 0}};
    kin_sph_known* known = kin_sph_walls_known(f->walls, kin_solids_owner(solids, solid, kin_v(0, 0, 0)));
    if (known != NULL && w.leaps) known->fade = 0;
    w.fade = known != NULL ? known->fade : 1;
    return w;
}

/* What it is felt by. */
static bool dress(kin_sph_walls* w, kin_sph_wall* wall)
{
    if (w->kind == KIN_SPH_SAMPLES)
        wall->samples = kin_sph_samples_of(w, wall->form);
    else
        wall->map = kin_sph_map_of(w, wall->form);
    return wall->samples != NULL || wall->map != NULL;
}

static bool add_solids(kin_sph* f, const kin_sph_tick* tick, kin_aabb box, double when)
{
    kin_sph_walls* w = f->walls;
    const kin_solids* solids = tick->step->solids;
    uint32_t count = kin_solids_list(solids, box, w->numbers, (uint32_t)w->number_capacity);
    if (count > w->number_capacity) {
        if (!kin_reserve(&w->allocator, (void**)&w->numbers, &w->number_capacity, count, sizeof *w->numbers)) return false;
        count = kin_solids_list(solids, box, w->numbers, (uint32_t)w->number_capacity);
    }
    if (!kin_reserve(&w->allocator, (void**)&w->near, &w->near_capacity, count + w->surface_count, sizeof *w->near)) return false;
    for (uint32_t i = 0; i < count; ++i) {
        kin_sph_wall wall = wall_of(f, tick, w->numbers[i], when);
        if (!wall.plane && !dress(w, &wall)) return false;
        w->near[w->near_count++] = wall;
    }
    return true;
}

/* Posed when they are felt; to hold, at the tick's start, and at its end. */
static void add_surfaces(const kin_sph* f, const kin_sph_tick* tick, kin_aabb box, double when, bool to_hold)
{
    kin_sph_walls* w = f->walls;
    for (size_t i = 0; i < w->surface_count; ++i) {
        kin_sph_surface* s = w->surfaces[i];
        kin_sph_wall wall = {.solid = UINT32_MAX, .body = KIN_SPH_NO_BODY, .when = when, .surface = s, .pose = kin_transform_identity()};
        wall.leaps = s->way * w->inv_interval * (double)tick->h > (double)f->support;
        if (wall.leaps && kin_sph_surface_is_closed(s)) s->fade = 0;
        wall.fade = s->fade;
        wall.box = kin_aabb_grow(s->box, w->reach);
        if (!kin_aabb_overlaps(wall.box, box)) continue;
        kin_sph_surface_pose(s, 0, to_hold ? tick->begin : when);
        if (to_hold) kin_sph_surface_pose(s, 1, tick->end);
        w->near[w->near_count++] = wall;
    }
}

bool kin_sph_walls_gather(kin_sph* f, const kin_sph_tick* tick, const float* from4, double margin, double when)
{
    kin_sph_walls* w = f->walls;
    size_t chunks = (size_t)kin_sph_wall_chunks(f);
    w->near_count = 0;
    w->elapsed = tick->end;
    w->inv_interval = tick->step->h > 0 ? 1 / tick->step->h : 0;
    if (!reserve_chunks(w, chunks)) return false;
    kin_parallel_for(tick->step->jobs, (int64_t)f->count, KIN_SPH_WALL_CHUNK, measure_box, &(box_job){f, {f->x4, from4}});
    if (chunks == 0) return true;
    kin_aabb all = kin_aabb_empty();
    for (size_t c = 0; c < chunks; ++c) all = kin_aabb_union(all, w->boxes[c]);
    all = kin_aabb_grow(all, margin);
    if (!add_solids(f, tick, all, when)) return false;
    add_surfaces(f, tick, all, when, from4 != NULL);
    return true;
}

static bool plane_beside(const kin_sph_wall* w, kin_aabb box, double margin)
{
    kin_vec3 center = kin_aabb_center(box), half = kin_scale(kin_aabb_size(box), 0.5);
    for (int k = 0; k < 2; ++k) {
        if (kin_abs(kin_dot(w->normal[k], center) - w->offset[k]) <= kin_dot(kin_abs3(w->normal[k]), half) + margin) return true;
    }
    double side = kin_dot(w->normal[0], center) - w->offset[0];
    return (side < 0) != (kin_dot(w->normal[1], center) - w->offset[1] < 0); /* it went past */
}

uint32_t kin_sph_walls_beside(const kin_sph_walls* walls, kin_aabb box, double margin, uint32_t list[KIN_SPH_MOST_NEAR])
{
    uint32_t count = 0;
    kin_aabb grown = kin_aabb_grow(box, margin - walls->reach); /* boxes of walls have the reach in them */
    for (uint32_t i = 0; i < walls->near_count && count < KIN_SPH_MOST_NEAR; ++i) {
        const kin_sph_wall* w = &walls->near[i];
        if (w->plane ? plane_beside(w, box, margin) : kin_aabb_overlaps(grown, w->box)) list[count++] = i;
    }
    return count;
}
