/* commit.c - which free paths meet a solid, redoing those particles alone, and making the new state the present one.
 * Nothing of the old state is overwritten before all of the new is known to be finite. */
#include "base/alloc.h"
#include "base/error.h"
#include "domains/particles/block.h"
#include "domains/particles/meet.h"
#include "math/aabb.h"
#include "system/flock/bank.h"
#include <stdio.h>
#include <string.h>

enum { CHUNK = 8 * KIN_PARTICLE_BLOCK };

static kin_flight free_flight(const kin_particles* p, size_t i, double h)
{
    kin_flight f = {kin_get3(p->x, i), kin_get3(p->v, i), kin_get3(p->next_x, i), kin_get3(p->next_v, i), .h = h, .straight = p->straight};
    return f;
}

/* Paths that stay clear keep their free motion. */
static bool may_hit(const kin_particles* p, const kin_step* step, size_t i)
{
    kin_flight f = free_flight(p, i, step->h);
    return (p->flags[i] & KIN_PARTICLE_TOUCHING) || !kin_flight_is_clear(&f, step, &(kin_particle){.radius = p->radius[i]});
}

static void redo(kin_particles* p, const kin_step* step, size_t i, kin_particle_tally* tally, kin_arena* scratch)
{
    kin_particle one = kin_particle_at(p, step, i);
    one.scratch = scratch;
    one.gives = kin_solids_any_gives(step->solids) ? &p->shares[i / CHUNK] : NULL;
    kin_particle_advance(p, step, &one);
    kin_put3(p->next_x, i, one.x);
    kin_put3(p->next_v, i, one.v);
    p->next_flags[i] = (uint8_t)(KIN_PARTICLE_FRESH | (one.touching ? KIN_PARTICLE_TOUCHING : 0) | (one.hits > 0 ? KIN_PARTICLE_HIT : 0));
    p->next_resting[i] = one.resting;
    if (one.last_hit.any) kin_particles_note_hit(p, i, one.last_hit);
    tally->dissipated += one.dissipated;
    tally->hits += one.hits;
    tally->capped += one.capped;
    if (one.squeezed && tally->squeezed == UINT64_MAX) tally->squeezed = i;
    if (one.report.result == KIN_OK || tally->stuck != UINT64_MAX) return;
    tally->stuck = i;
    tally->stuck_report = one.report;
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

void kin_particles_settle_block(kin_particles* p, const kin_step* step, size_t begin, size_t end)
{
    static kin_particle_box_fn* const box_of[KIN_SIMD_COUNT] = {kin_particle_box_none, kin_particle_box_sse2, kin_particle_box_avx2};
    static kin_particle_settle_fn* const settle[KIN_SIMD_COUNT] = {kin_particle_settle_none, kin_particle_settle_sse2, kin_particle_settle_avx2};
    kin_particle_tally* tally = &p->tallies[begin / KIN_PARTICLE_BLOCK];
    kin_particle_lanes lanes = lanes_of(p, step, begin, end);
    if (kin_solids_count(step->solids) > 0) box_of[p->simd](&lanes, &tally->box); /* nobody else asks for it */
    tally->finite = settle[p->simd](&lanes);
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
        if (p->mobility[i] == KIN_MOBILITY_INACTIVE || kin_aabb_contains(step->box, kin_get3(p->next_x, i))) continue;
        p->next_mobility[i] = KIN_MOBILITY_INACTIVE;
        p->next_flags[i] = KIN_PARTICLE_LEFT;
    }
}

/* What a meeting has settled stays as it is. */
static bool settled(const kin_particles* p, size_t i) { return p->meetings != NULL && p->meetings->met[i]; }

/* Redone particles are looked at again: the free ones were when they were moved. */
static void redo_block(kin_particles* p, const kin_step* step, size_t begin, size_t end, kin_particle_tally* tally, kin_arena* scratch)
{
    for (size_t i = begin; i < end; ++i) {
        if (!kin_particle_meets_solids(p, i) || settled(p, i) || !may_hit(p, step, i)) continue;
        redo(p, step, i, tally, scratch);
        kin_vec3 x = kin_get3(p->next_x, i);
        tally->finite = tally->finite && kin_finite3(x) && kin_finite3(kin_get3(p->next_v, i));
        p->moved[i] = (uint8_t)((p->moved[i] & ~KIN_MOVED_NOW) | (kin_distance(x, kin_get3(p->x, i)) > 0 ? KIN_MOVED_NOW : 0));
    }
}

/* Flags that outlast an interval: who is gone stays so, and a hit counts for the whole step. */
static void keep_flags(kin_particles* p, const kin_step* step, size_t begin, size_t end, kin_particle_tally* tally)
{
    static kin_particle_keep_fn* const keep[KIN_SIMD_COUNT] = {kin_particle_keep_none, kin_particle_keep_sse2, kin_particle_keep_avx2};
    uint8_t lasting = (uint8_t)(KIN_PARTICLE_LEFT | KIN_PARTICLE_DEAD | (step->interval > 0 ? KIN_PARTICLE_HIT : 0));
    uint8_t any = keep[p->simd](p->flags + begin, p->next_flags + begin, lasting, (int)(end - begin));
    for (size_t i = begin; (any & KIN_PARTICLE_LEFT) != 0 && i < end; ++i) tally->left += (p->next_flags[i] & KIN_PARTICLE_LEFT) != 0;
}

static void clear_flags(kin_particles* p, size_t begin, size_t end)
{
    if (p->meetings == NULL) {
        memset(p->next_flags + begin, 0, end - begin);
        memset(p->next_resting + begin, 0, end - begin);
        return;
    }
    for (size_t i = begin; i < end; ++i) {
        if (!settled(p, i)) p->next_flags[i] = p->next_resting[i] = 0;
    }
}

static void leave_block(kin_particles* p, const kin_step* step, size_t begin, size_t end, kin_particle_tally* tally)
{
    for (size_t i = begin; i < end; ++i) {
        if (p->inside[i] == 0) continue;
        kin_particle_leave(p, step, i);
        tally->finite = tally->finite && kin_finite3(kin_get3(p->next_x, i)) && kin_finite3(kin_get3(p->next_v, i));
        p->moved[i] |= KIN_MOVED_NOW;
    }
}

static void commit_block(kin_particles* p, const kin_step* step, size_t begin, size_t end, kin_particle_tally* tally, kin_arena* scratch)
{
    memcpy(p->next_mobility + begin, p->mobility + begin, end - begin);
    clear_flags(p, begin, end);
    bool clear = tally->finite && !kin_solids_near(step->solids, kin_aabb_grow(tally->box, p->def.rest_distance));
    if (!clear) redo_block(p, step, begin, end, tally, scratch);
    if (!clear && p->def.inside != KIN_INSIDE_PUSH_OUT) leave_block(p, step, begin, end, tally);
    if (!tally->finite) tally->bad = first_bad(p, begin, end);
    if (step->bounds == KIN_BOUNDS_DEACTIVATE) deactivate_outside(p, step, begin, end);
    keep_flags(p, step, begin, end, tally);
}

typedef struct commit_job {
    kin_particles* self;
    const kin_step* step;
} commit_job;

static void commit_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk;
    const commit_job* job = argument;
    for (size_t i = (size_t)begin; i < (size_t)end; i += KIN_PARTICLE_BLOCK) {
        kin_particle_tally* tally = &job->self->tallies[i / KIN_PARTICLE_BLOCK];
        if (tally->stuck != UINT64_MAX) continue;
        size_t last = i + KIN_PARTICLE_BLOCK < (size_t)end ? i + KIN_PARTICLE_BLOCK : (size_t)end;
        commit_block(job->self, job->step, i, last, tally, scratch);
    }
}

kin_status kin_particles_refuse_stuck(const kin_particles* p, kin_step* step, uint64_t element, int component, const kin_integrator_report* r)
{
    static const char* const names[] = {"x", "y", "z", "velocity x", "velocity y", "velocity z"};
    char why[120] = "no memory to move it";
    if (r->result != KIN_ERROR_MEMORY)
        snprintf(why, sizeof why, "%s: not within tolerance at t = %.9g s (%s is worst)", p->integrator->name, r->time,
                 component >= 0 ? names[component % 6] : "state");
    if (component == KIN_PATH_LOST)
        snprintf(why, sizeof why, "its path at %.3g m/s has no end of hits: take shorter steps, softer springs or an implicit integrator", r->ratio);
    return kin_step_refuse(step, element, component == KIN_PATH_LOST ? 0 : r->ratio, why);
}

static kin_status add_up(kin_particles* p, kin_step* step)
{
    int64_t capped = 0;
    uint64_t squeezed = UINT64_MAX;
    size_t blocks = kin_particle_blocks(p->count);
    for (size_t i = 0; i < blocks; ++i) {
        if (p->tallies[i].stuck != UINT64_MAX)
            return kin_particles_refuse_stuck(p, step, p->tallies[i].stuck, p->tallies[i].stuck_report.worst, &p->tallies[i].stuck_report);
        if (p->tallies[i].bad != UINT64_MAX) return kin_step_refuse(step, p->tallies[i].bad, 0, "position or velocity is not finite");
    }
    for (size_t i = 0; i < blocks; ++i) {
        const kin_particle_tally* tally = &p->tallies[i];
        p->dissipated += tally->dissipated;
        p->hits += tally->hits;
        capped += tally->capped;
        p->leavers = p->leavers || tally->left > 0;
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

/* H6.5e: who turns leans, and takes bank_time over it. */
static void lean_all(kin_particles* p, const kin_step* step)
{
    for (size_t i = 0; i < p->count; ++i) {
        const kin_particle_kind* kind = p->kinds[p->kind[i]].def;
        kin_vec3 v = kin_get3(p->next_v, i), a = kin_scale(kin_sub(v, kin_get3(p->v, i)), 1 / step->h);
        kin_heading heading = kin_heading_of(v, kind->carry_up ? kin_heading_carry(p->up[i], kin_get3(p->v, i), v) : kind->up);
        double share = kind->bank_time > step->h ? step->h / kind->bank_time : 1;
        p->bank[i] = (float)kin_bank_smooth((double)p->bank[i], kin_bank_angle(&heading, a, kind->bank), share);
    }
}

static void carry_ups(kin_particles* p)
{
    for (size_t i = 0; i < p->count; ++i) {
        if (p->kinds[p->kind[i]].def->carry_up) p->up[i] = kin_heading_carry(p->up[i], kin_get3(p->v, i), kin_get3(p->next_v, i));
    }
}

/* H4.5e: what it leaves along its way. Inactive particles leave nothing. */
static void leave_trails(kin_particles* p, const kin_step* step)
{
    double mass[KIN_PARTICLE_BLOCK];
    for (size_t begin = 0; begin < p->count; begin += KIN_PARTICLE_BLOCK) {
        size_t n = p->count - begin < KIN_PARTICLE_BLOCK ? p->count - begin : KIN_PARTICLE_BLOCK;
        const double *from[3], *to[3];
        for (size_t k = 0; k < n; ++k) {
            bool leaves = p->mobility[begin + k] != KIN_MOBILITY_INACTIVE;
            mass[k] = leaves ? p->kinds[p->kind[begin + k]].def->deposit * step->h : 0;
        }
        for (int axis = 0; axis < 3; ++axis) {
            from[axis] = p->x[axis] + begin;
            to[axis] = p->next_x[axis] + begin;
        }
        kin_density_deposit(p->volume, from, to, mass, n);
    }
    kin_density_step(p->volume, step->jobs, step->h);
}

static void settle_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    const commit_job* job = argument;
    for (int64_t i = begin; i < end; i += KIN_PARTICLE_BLOCK)
        kin_particles_settle_block(job->self, job->step, (size_t)i, (size_t)(end - i < KIN_PARTICLE_BLOCK ? end : i + KIN_PARTICLE_BLOCK));
}

/* Particles that meet each other end elsewhere than they would alone. */
static kin_status meet(kin_particles* p, kin_step* step)
{
    if (kin_particles_meet(p, step) != KIN_STATUS_OK) return KIN_STATUS_REFUSED;
    kin_parallel_for(step->jobs, (int64_t)p->count, 8 * KIN_PARTICLE_BLOCK, settle_range, &(commit_job){p, step});
    return KIN_STATUS_OK;
}

/* A list a chunk, empty. */
static bool begin_shares(kin_particles* p)
{
    size_t chunks = (p->count + CHUNK - 1) / CHUNK, old = p->share_capacity;
    if (!kin_reserve(&p->allocator, (void**)&p->shares, &p->share_capacity, chunks, sizeof *p->shares)) return false;
    for (size_t i = old; i < p->share_capacity; ++i) kin_reactions_init(&p->shares[i], &p->allocator);
    for (size_t i = 0; i < chunks; ++i) kin_reactions_clear(&p->shares[i]);
    return true;
}

/* In the order of chunks, whoever was done first. */
static bool give_shares(kin_particles* p, const kin_solids* solids)
{
    bool ok = true;
    for (size_t i = 0; i < (p->count + CHUNK - 1) / CHUNK; ++i) {
        const kin_reactions* share = &p->shares[i];
        for (size_t k = 0; k < share->count; ++k)
            kin_reactions_add_wrench(&p->reactions, solids, share->items[k].solid, share->items[k].point, share->items[k].total);
        ok = ok && !share->failed;
    }
    return ok;
}

kin_status kin_particles_commit(void* self, kin_step* step)
{
    kin_particles* p = self;
    if (p->stale && kin_particles_move(p, step) != KIN_STATUS_OK) return KIN_STATUS_REFUSED;
    kin_particles_look_inside(p, step);
    kin_reactions_clear(&p->reactions);
    if (p->meetings != NULL && meet(p, step) != KIN_STATUS_OK) return KIN_STATUS_REFUSED;
    bool gives = kin_solids_any_gives(step->solids);
    if (gives && !begin_shares(p)) return kin_step_refuse(step, 0, 0, "no memory for what particles do to bodies");
    kin_parallel_for(step->jobs, (int64_t)p->count, CHUNK, commit_range, &(commit_job){p, step});
    if ((gives && !give_shares(p, step->solids))
        || !kin_reactions_post(&p->reactions, step->solids, step->ledger, KIN_COUPLER_POINTS + step->system, KIN_ENTRY_HIT))
        return kin_step_refuse(step, 0, 0, "no memory for what particles do to bodies");
    if (add_up(p, step) != KIN_STATUS_OK) return KIN_STATUS_REFUSED;
    if (p->columns & KIN_COLUMN_BANK) lean_all(p, step);
    if (p->columns & KIN_COLUMN_UP) carry_ups(p);
    if (p->columns & KIN_COLUMN_INSIDE) kin_particles_note_pulls(p, step);
    if (p->volume != NULL) leave_trails(p, step);
    if (p->columns & KIN_COLUMN_HIT) kin_particles_keep_hits(p);
    if (p->columns & KIN_COLUMN_TRAIL) kin_particles_extend_trails(p, step);
    swap_in(p->x, p->next_x);
    swap_in(p->v, p->next_v);
    if (p->columns & KIN_COLUMN_MEMORY) swap_in(p->memory, p->next_memory);
    swap_bytes(&p->mobility, &p->next_mobility);
    swap_bytes(&p->flags, &p->next_flags);
    swap_bytes(&p->resting, &p->next_resting);
    p->memory_h = step->h;
    p->step_memory = p->next_step_memory;
    if (p->meetings != NULL) kin_meetings_commit(p, step);
    return KIN_STATUS_OK;
}
