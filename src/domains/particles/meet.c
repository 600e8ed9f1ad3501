/* meet.c - what a particle system keeps for meetings between particles, and the choice of how they are resolved. */
#include "domains/particles/meet.h"
#include "base/alloc.h"
#include <string.h>

kin_result kin_meetings_create(const kin_allocator* allocator, kin_meetings** out)
{
    kin_meetings* m = kin_alloc_zero(allocator, sizeof *m);
    if (m == NULL) return KIN_ERROR_MEMORY;
    m->allocator = *allocator;
    kin_arena_init(&m->arena, allocator);
    kin_reactions_init(&m->foretold, allocator);
    if (kin_neighbours_create(allocator, &(kin_neighbours_def){.kind = KIN_NEIGHBOURS_GRID}, &m->near, NULL) != KIN_OK) {
        kin_meetings_destroy(m);
        return KIN_ERROR_MEMORY;
    }
    *out = m;
    return KIN_OK;
}

void kin_meetings_destroy(kin_meetings* m)
{
    if (m == NULL) return;
    kin_allocator allocator = m->allocator;
    kin_neighbours_destroy(m->near);
    kin_arena_term(&m->arena);
    kin_reactions_term(&m->foretold);
    kin_free(&allocator, m->met, m->capacity);
    kin_free(&allocator, m->calm, m->capacity * sizeof *m->calm);
    kin_free(&allocator, m->next_calm, m->capacity * sizeof *m->calm);
    kin_free(&allocator, m->kept, m->kept_capacity * sizeof *m->kept);
    kin_free(&allocator, m->next_kept, m->next_kept_capacity * sizeof *m->kept);
    kin_free(&allocator, m, sizeof *m);
}

/* Room for every particle; who is new has not been still. All arrays or none. */
static bool reserve(kin_meetings* m, size_t count)
{
    if (count <= m->capacity) return true;
    uint8_t* met = kin_alloc_zero(&m->allocator, count);
    kin_calm *calm = kin_alloc_zero(&m->allocator, kin_bytes(count, sizeof *calm)), *next = kin_alloc_zero(&m->allocator, kin_bytes(count, sizeof *next));
    bool ok = met != NULL && calm != NULL && next != NULL;
    if (ok && m->capacity > 0) memcpy(calm, m->calm, m->capacity * sizeof *calm);
    size_t old = ok ? m->capacity : count;
    kin_free(&m->allocator, ok ? m->met : met, old);
    kin_free(&m->allocator, ok ? m->calm : calm, old * sizeof *calm);
    kin_free(&m->allocator, ok ? m->next_calm : next, old * sizeof *next);
    if (!ok) return false;
    m->met = met;
    m->calm = calm;
    m->next_calm = next;
    m->capacity = count;
    return true;
}

static bool has_left(const kin_particles* p, uint32_t i) { return i < p->count && (p->flags[i] & KIN_PARTICLE_LEFT) != 0; }

void kin_meetings_forget(kin_particles* p)
{
    kin_meetings* m = p->meetings;
    size_t count = 0;
    for (size_t k = 0; k < m->kept_count; ++k) {
        if (!has_left(p, (uint32_t)(m->kept[k].key >> 32)) && !has_left(p, (uint32_t)m->kept[k].key)) m->kept[count++] = m->kept[k];
    }
    m->kept_count = count;
}

static void visit_kept(kin_kept* kept, size_t count, kin_visitor* v)
{
    kin_visit_u64(v, &kept->key);
    kin_visit_u64(v, &kept->feature);
    kin_visit_f64(v, &kept->normal);
    kin_visit_vec3(v, &kept->rub);
    if (v->mode == KIN_VISIT_LOAD && v->result == KIN_OK && kept->key >> 32 >= count) kin_visit_fail(v, KIN_ERROR_FORMAT);
}

void kin_meetings_visit(kin_meetings* m, size_t count, kin_visitor* v)
{
    size_t kept = kin_visit_count(v, m->kept_count);
    if (v->result != KIN_OK) return;
    bool room = reserve(m, count) && kin_reserve(&m->allocator, (void**)&m->kept, &m->kept_capacity, kept, sizeof *m->kept);
    if (!room) kin_visit_fail(v, KIN_ERROR_MEMORY);
    if (v->result != KIN_OK) return;
    m->kept_count = kept;
    for (size_t k = 0; k < kept; ++k) visit_kept(&m->kept[k], count, v);
    kin_visit_f64s(v, (double*)m->calm, count * (sizeof *m->calm / sizeof(double)));
    kin_visit_f64(v, &m->kept_h);
}

kin_status kin_particles_meet(kin_particles* p, kin_step* step)
{
    kin_meetings* m = p->meetings;
    if (p->count == 0) return KIN_STATUS_OK;
    kin_arena_reset(&m->arena);
    m->dissipated = 0;
    m->hits = 0;
    m->capped = 0;
    m->next_kept_count = 0;
    m->lost = 0;
    if (!reserve(m, p->count)) return kin_step_refuse(step, 0, 0, "no memory for contacts");
    memset(m->met, 0, p->count);
    memset(m->next_calm, 0, p->count * sizeof *m->next_calm);
    for (size_t i = 0; i < p->count; ++i) { /* what is not finite is commit's to report */
        if (!kin_finite3(kin_get3(p->next_x, i)) || !kin_finite3(kin_get3(p->next_v, i))) return KIN_STATUS_OK;
    }
    bool ok = p->def.contacts == KIN_CONTACTS_FAST ? kin_particles_sweep(p, step) : kin_particles_islands(p, step);
    if (ok) return KIN_STATUS_OK;
    if (m->lost == 0) return kin_step_refuse(step, 0, 0, "no memory for contacts");
    const kin_integrator_report report = {.result = KIN_ERROR_LIMIT, .ratio = m->lost_speed};
    return kin_particles_refuse_stuck(p, step, m->lost - 1, KIN_PATH_LOST, &report);
}

void kin_meetings_commit(kin_particles* p, kin_step* step)
{
    kin_meetings* m = p->meetings;
    kin_calm* calm = m->calm;
    kin_kept* kept = m->kept;
    size_t capacity = m->kept_capacity;
    m->calm = m->next_calm;
    m->next_calm = calm;
    m->kept = m->next_kept;
    m->kept_count = m->next_kept_count;
    m->kept_capacity = m->next_kept_capacity;
    m->next_kept = kept;
    m->next_kept_capacity = capacity;
    m->kept_h = step->h;
    p->dissipated += m->dissipated;
    p->hits += m->hits;
    if (m->capped > 0) kin_step_note_cap(step, m->capped, "groups of particles in contact with more than max_events events in a step");
}
