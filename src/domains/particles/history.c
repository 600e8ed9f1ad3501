/* history.c - what particles remember of their way: the last collision, and a trail of places (House & Keyser 4.1, 4.5.1). Both are state.
 *
 * Collisions of an interval are noted while it is tried (next_hit) and kept once it stands. A trail takes a place at the end of an interval when the newest is
 * at least trail / (trail_points - 1) old, so that trail_points of them reach over the whole time whatever the step. */
#include "base/error.h"
#include "domains/particles/particles.h"
#include "math/scalar.h"
#include <float.h>

/* ---- the last collision ---- */

void kin_particles_begin_hits(kin_particles* p)
{
    for (size_t i = 0; p->next_hit != NULL && i < p->count; ++i) p->next_hit[i].any = false;
}

void kin_particles_note_hit(kin_particles* p, size_t i, kin_particle_hit hit)
{
    if (p->next_hit == NULL) return;
    kin_particle_hit* last = &p->next_hit[i];
    if (!last->any || hit.time > last->time) *last = hit;
}

kin_particle_hit kin_hit_on_solid(const kin_step* step, const kin_contact* contact, double s)
{
    return (kin_particle_hit){true, step->time + s, contact->point, kin_solids_owner(step->solids, contact->solid, kin_v(0, 0, 0))};
}

void kin_particles_keep_hits(kin_particles* p)
{
    for (size_t i = 0; i < p->count; ++i) {
        if (p->next_hit[i].any) p->last_hit[i] = p->next_hit[i];
    }
}

double kin_particle_since_hit(const kin_particles* p, size_t i, double time)
{
    return p->last_hit != NULL && p->last_hit[i].any ? time - p->last_hit[i].time : DBL_MAX;
}

/* ---- the trail ---- */

static kin_trail_point* trail_of(const kin_particles* p, size_t i) { return p->trail + i * (size_t)p->trail_points; }

static void take_place(kin_particles* p, size_t i, kin_vec3 x, double time)
{
    trail_of(p, i)[p->trail_count[i]++ % (uint32_t)p->trail_points] = (kin_trail_point){x, time};
    if (p->trail_count[i] == 2 * (uint32_t)p->trail_points) p->trail_count[i] = (uint32_t)p->trail_points; /* full stays full */
}

double kin_particles_trail_time(const kin_particles* p, size_t i)
{
    enum { DRAW_TRAIL = 8 };
    const double* trail = p->kinds[p->kind[i]].def->trail;
    kin_rng_key key = {.serial = p->serial[i]};
    return trail[1] > 0 ? kin_rng_about(&key, DRAW_TRAIL, trail, 0) : trail[0];
}

/* The first place is where it was at the start of its first interval: an emitter may have put it there within its step. */
void kin_particles_extend_trails(kin_particles* p, const kin_step* step)
{
    for (size_t i = 0; i < p->count; ++i) {
        double length = kin_particles_trail_time(p, i), end = step->time + step->h;
        if (length == 0 || p->next_mobility[i] == KIN_MOBILITY_INACTIVE) continue;
        if (p->trail_count[i] == 0) take_place(p, i, kin_get3(p->x, i), step->time);
        double newest = trail_of(p, i)[(p->trail_count[i] - 1) % (uint32_t)p->trail_points].time;
        if (end - newest >= length / (p->trail_points - 1) * (1 - 0x1p-30)) take_place(p, i, kin_get3(p->next_x, i), end); /* rounding of end must skip none */
    }
}

size_t kin_particles_trail_places(const kin_particles* p, size_t i)
{
    if (p->trail == NULL) return 0;
    return p->trail_count[i] < (uint32_t)p->trail_points ? p->trail_count[i] : (size_t)p->trail_points;
}

const kin_trail_point* kin_particles_trail_place(const kin_particles* p, size_t i, size_t back)
{
    return &trail_of(p, i)[(p->trail_count[i] - 1 - (uint32_t)back) % (uint32_t)p->trail_points];
}

/* ---- state ---- */

static void visit_hit(kin_particle_hit* hit, kin_visitor* v)
{
    uint8_t any = hit->any;
    kin_visit_u8s_below(v, &any, 1, 2);
    hit->any = any != 0;
    kin_visit_f64(v, &hit->time);
    kin_visit_vec3(v, &hit->position);
    kin_visit_u32(v, &hit->other.system);
    kin_visit_u32(v, &hit->other.element);
    kin_visit_vec3(v, &hit->other.local);
}

/* Of a trail only the places that were taken: the others are not state. */
static void visit_trail(kin_particles* p, kin_visitor* v, size_t i)
{
    kin_visit_u32s_below(v, &p->trail_count[i], 1, 2 * (uint64_t)p->trail_points);
    if (v->result != KIN_OK) return;
    kin_visit_f64s(v, (double*)trail_of(p, i), kin_particles_trail_places(p, i) * (sizeof(kin_trail_point) / sizeof(double)));
}

void kin_particles_visit_history(kin_particles* p, kin_visitor* v, size_t count)
{
    for (size_t i = 0; (p->columns & KIN_COLUMN_HIT) != 0 && i < count; ++i) visit_hit(&p->last_hit[i], v);
    for (size_t i = 0; (p->columns & KIN_COLUMN_TRAIL) != 0 && v->result == KIN_OK && i < count; ++i) visit_trail(p, v, i);
}

/* ---- the public face ---- */

kin_particle_hit kin_particle_last_hit(const kin_world* world, kin_system_id id, size_t index)
{
    const kin_particles* p = kin_world_system_self(world, id, &kin_particles_ops);
    KIN_ASSERT(index < p->count);
    return p->last_hit != NULL ? p->last_hit[index] : (kin_particle_hit){0};
}

size_t kin_particle_trail(const kin_world* world, kin_system_id id, size_t index, kin_vec3* out, double* times, size_t count)
{
    const kin_particles* p = kin_world_system_self(world, id, &kin_particles_ops);
    KIN_ASSERT(index < p->count);
    size_t places = kin_particles_trail_places(p, index);
    for (size_t k = 0; k < places && k < count; ++k) {
        const kin_trail_point* place = kin_particles_trail_place(p, index, k);
        out[k] = place->x;
        if (times != NULL) times[k] = place->time;
    }
    return places;
}
