/* commit.c - which free paths meet a solid, redoing those particles alone, and making the new state the present one.
 * Nothing of the old state is overwritten before all of the new is known to be finite. */
#include "base/error.h"
#include "domains/particles/block.h"
#include "domains/particles/meet.h"
#include "math/aabb.h"
#include <string.h>

static kin_flight free_flight(const kin_particles* p, size_t i, double h)
{
    kin_flight f = {kin_get3(p->x, i), kin_get3(p->v, i), kin_get3(p->next_x, i), kin_get3(p->next_v, i), h, p->straight};
    return f;
}

/* Paths that stay clear keep their free motion. */
static bool may_hit(const kin_particles* p, const kin_step* step, size_t i)
{
    kin_flight f = free_flight(p, i, step->h);
    return (p->flags[i] & KIN_PARTICLE_TOUCHING) || !kin_flight_is_clear(&f, step, &(kin_particle){.radius = p->radius[i]});
}

static void redo(kin_particles* p, const kin_step* step, size_t i, kin_particle_tally* tally)
{
    kin_particle one = {
        .x = kin_get3(p->x, i),
        .v = kin_get3(p->v, i),
        .mass = p->mass[i],
        .inv_mass = p->inv_mass[i],
        .radius = p->radius[i],
        .material = {p->material[i]},
        .touching = (p->flags[i] & KIN_PARTICLE_TOUCHING) != 0,
    };
    kin_particle_advance(p, step, &one);
    kin_put3(p->next_x, i, one.x);
    kin_put3(p->next_v, i, one.v);
    p->next_flags[i] = (uint8_t)(KIN_PARTICLE_FRESH | (one.touching ? KIN_PARTICLE_TOUCHING : 0));
    p->next_resting[i] = one.resting;
    tally->dissipated += one.dissipated;
    tally->hits += one.hits;
    tally->capped += one.capped;
    if (one.squeezed && tally->squeezed == UINT64_MAX) tally->squeezed = i;
}

static kin_particle_lanes lanes_of(const kin_particles* p, const kin_step* step, size_t begin, size_t end)
{
    kin_particle_lanes lanes = {.count = (int)(end - begin), .radius = p->radius + begin, .h = step->h, .straight = p->straight, .moved = p->moved + begin};
    for (int axis = 0; axis < 3; ++axis) {
        lanes.x[axis] = p->x[axis] + begin;
        lanes.v[axis] = p->v[axis] + begin;
        lanes.next_x[axis] = p->next_x[axis] + begin;
        lanes.next_v[axis] = p->next_v[axis] + begin;
    }
    return lanes;
}

static bool block_is_clear(const kin_particles* p, const kin_step* step, const kin_particle_lanes* lanes)
{
    static kin_particle_box_fn* const box_of[KIN_SIMD_COUNT] = {kin_particle_box_none, kin_particle_box_sse2, kin_particle_box_avx2};
    kin_aabb box;
    box_of[p->simd](lanes, &box);
    return !kin_solids_near(step->solids, kin_aabb_grow(box, p->def.rest_distance));
}

static uint64_t first_bad(const kin_particles* p, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; ++i) {
        if (!kin_finite3(kin_get3(p->next_x, i)) || !kin_finite3(kin_get3(p->next_v, i))) return i;
    }
    return UINT64_MAX;
}

/* C1.4.1c: what leaves the world's box is inactive for good. */
static void deactivate_outside(kin_particles* p, const kin_step* step, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; ++i) {
        if (!kin_aabb_contains(step->box, kin_get3(p->next_x, i))) p->next_mobility[i] = KIN_MOBILITY_INACTIVE;
    }
}

/* What a meeting has settled stays as it is. */
static bool settled(const kin_particles* p, size_t i) { return p->meetings != NULL && p->meetings->met[i]; }

static void commit_block(kin_particles* p, const kin_step* step, size_t begin, size_t end, kin_particle_tally* tally)
{
    static kin_particle_settle_fn* const settle[KIN_SIMD_COUNT] = {kin_particle_settle_none, kin_particle_settle_sse2, kin_particle_settle_avx2};
    kin_particle_lanes lanes = lanes_of(p, step, begin, end);
    memcpy(p->next_mobility + begin, p->mobility + begin, end - begin);
    for (size_t i = begin; i < end; ++i) {
        if (!settled(p, i)) p->next_flags[i] = p->next_resting[i] = 0;
    }
    if (!block_is_clear(p, step, &lanes)) {
        for (size_t i = begin; i < end; ++i) {
            if (p->mobility[i] == KIN_MOBILITY_DYNAMIC && !settled(p, i) && may_hit(p, step, i)) redo(p, step, i, tally);
        }
    }
    if (!settle[p->simd](&lanes)) tally->bad = first_bad(p, begin, end);
    if (step->bounds == KIN_BOUNDS_DEACTIVATE) deactivate_outside(p, step, begin, end);
}

typedef struct commit_job {
    kin_particles* self;
    const kin_step* step;
} commit_job;

static void commit_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk;
    (void)scratch;
    const commit_job* job = argument;
    for (size_t i = (size_t)begin; i < (size_t)end; i += KIN_PARTICLE_BLOCK) {
        kin_particle_tally* tally = &job->self->tallies[i / KIN_PARTICLE_BLOCK];
        *tally = (kin_particle_tally){.bad = UINT64_MAX, .squeezed = UINT64_MAX, .unmoved = tally->unmoved};
        if (tally->unmoved) continue;
        size_t last = i + KIN_PARTICLE_BLOCK < (size_t)end ? i + KIN_PARTICLE_BLOCK : (size_t)end;
        commit_block(job->self, job->step, i, last, tally);
    }
}

static kin_status add_up(kin_particles* p, kin_step* step)
{
    int64_t capped = 0;
    uint64_t squeezed = UINT64_MAX;
    size_t blocks = kin_particle_blocks(p->count);
    for (size_t i = 0; i < blocks; ++i) {
        if (p->tallies[i].unmoved) return kin_step_refuse(step, i * KIN_PARTICLE_BLOCK, 0, "no memory to move it");
        if (p->tallies[i].bad != UINT64_MAX) return kin_step_refuse(step, p->tallies[i].bad, 0, "position or velocity is not finite");
    }
    for (size_t i = 0; i < blocks; ++i) {
        const kin_particle_tally* tally = &p->tallies[i];
        p->dissipated += tally->dissipated;
        p->hits += tally->hits;
        capped += tally->capped;
        if (tally->squeezed < squeezed) squeezed = tally->squeezed;
    }
    if (capped > 0) kin_step_note_cap(step, capped, "particles with more than max_hits hits in a step");
    if (squeezed != UINT64_MAX) kin_step_warn(step, squeezed, "moving solids leave it no room");
    return KIN_STATUS_OK;
}

static void swap_bytes(uint8_t** now, uint8_t** next)
{
    uint8_t* old = *now;
    *now = *next;
    *next = old;
}

static void swap_in(double* now[3], double* next[3])
{
    for (int axis = 0; axis < 3; ++axis) {
        double* old = now[axis];
        now[axis] = next[axis];
        next[axis] = old;
    }
}

kin_status kin_particles_commit(void* self, kin_step* step)
{
    kin_particles* p = self;
    if (p->stale) kin_particles_move(p, step);
    if (p->meetings != NULL && kin_particles_meet(p, step) != KIN_STATUS_OK) return KIN_STATUS_REFUSED;
    kin_parallel_for(step->jobs, (int64_t)p->count, 8 * KIN_PARTICLE_BLOCK, commit_range, &(commit_job){p, step});
    if (add_up(p, step) != KIN_STATUS_OK) return KIN_STATUS_REFUSED;
    swap_in(p->x, p->next_x);
    swap_in(p->v, p->next_v);
    swap_in(p->memory, p->next_memory);
    swap_bytes(&p->mobility, &p->next_mobility);
    swap_bytes(&p->flags, &p->next_flags);
    swap_bytes(&p->resting, &p->next_resting);
    p->memory_h = step->h;
    if (p->meetings != NULL) kin_meetings_commit(p, step);
    return KIN_STATUS_OK;
}
