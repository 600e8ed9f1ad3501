/* commit.c - which free paths meet a solid, redoing those particles alone, and making the new state the present one.
 * Nothing of the old state is overwritten before all of the new is known to be finite. */
#include "base/error.h"
#include "domains/particles/particles.h"
#include "math/aabb.h"

static kin_flight free_flight(const kin_particles* p, size_t i, double h)
{
    kin_flight f = {kin_get3(p->x, i), kin_get3(p->v, i), kin_get3(p->next_x, i), kin_get3(p->next_v, i), h, p->straight};
    return f;
}

static kin_aabb box_of_flight(const kin_flight* f, double radius)
{
    double reach = radius + kin_flight_bulge(f);
    return kin_aabb_grow((kin_aabb){kin_min3(f->x0, f->x1), kin_max3(f->x0, f->x1)}, reach);
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

static bool block_is_clear(const kin_particles* p, const kin_step* step, size_t begin, size_t end)
{
    kin_aabb box = kin_aabb_empty();
    for (size_t i = begin; i < end; ++i) {
        kin_flight f = free_flight(p, i, step->h);
        box = kin_aabb_union(box, box_of_flight(&f, p->radius[i] + p->def.rest_distance));
    }
    return !kin_solids_near(step->solids, box);
}

static void finish_one(kin_particles* p, const kin_step* step, size_t i, kin_particle_tally* tally)
{
    kin_vec3 old = kin_get3(p->x, i), x = kin_get3(p->next_x, i);
    if (!kin_finite3(x) || !kin_finite3(kin_get3(p->next_v, i))) {
        if (tally->bad == UINT64_MAX) tally->bad = i;
        return;
    }
    p->moved[i] |= x.x != old.x || x.y != old.y || x.z != old.z;
    if (step->bounds == KIN_BOUNDS_DEACTIVATE && !kin_aabb_contains(step->box, x)) p->next_mobility[i] = KIN_MOBILITY_INACTIVE; /* for good (C1.4.1c) */
}

static void commit_block(kin_particles* p, const kin_step* step, size_t begin, size_t end, kin_particle_tally* tally)
{
    bool clear = block_is_clear(p, step, begin, end);
    for (size_t i = begin; i < end; ++i) {
        bool dynamic = p->mobility[i] == KIN_MOBILITY_DYNAMIC;
        p->next_mobility[i] = p->mobility[i];
        if (dynamic && !clear && may_hit(p, step, i))
            redo(p, step, i, tally);
        else
            p->next_flags[i] = p->next_resting[i] = 0;
        if (p->mobility[i] != KIN_MOBILITY_INACTIVE) finish_one(p, step, i, tally);
    }
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
        *tally = (kin_particle_tally){.bad = UINT64_MAX, .squeezed = UINT64_MAX};
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
    kin_parallel_for(step->jobs, (int64_t)p->count, 8 * KIN_PARTICLE_BLOCK, commit_range, &(commit_job){p, step});
    if (add_up(p, step) != KIN_STATUS_OK) return KIN_STATUS_REFUSED;
    swap_in(p->x, p->next_x);
    swap_in(p->v, p->next_v);
    swap_in(p->memory, p->next_memory);
    swap_bytes(&p->mobility, &p->next_mobility);
    swap_bytes(&p->flags, &p->next_flags);
    swap_bytes(&p->resting, &p->next_resting);
    p->memory_h = step->h;
    return KIN_STATUS_OK;
}
