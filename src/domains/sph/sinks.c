/* sinks.c - particles that end: in a sink, or beyond the bounds of a world that lets go of what leaves it. At the end of a step, all at once; the others keep
 * their order. */
#include "base/alloc.h"
#include "domains/sph/face.h"
#include "math/aabb.h"
#include "system/field_common.h"
#include <stdio.h>
#include <string.h>

static kin_vec3 position_of(const kin_sph* f, size_t i)
{
    return kin_add(f->origin, kin_v((double)f->x4[4 * i], (double)f->x4[4 * i + 1], (double)f->x4[4 * i + 2]));
}

void kin_sph_look_for_leavers(kin_sph* f, const kin_step* step)
{
    f->sources->leavers = false;
    if (step->bounds != KIN_BOUNDS_DEACTIVATE) return;
    for (size_t i = 0; i < f->count && !f->sources->leavers; ++i) f->sources->leavers = !kin_aabb_contains(step->box, position_of(f, i));
}

static bool ends(const kin_sph* f, const kin_step* step, size_t i)
{
    kin_vec3 x = position_of(f, i);
    if (f->sources->leavers && !kin_aabb_contains(step->box, x)) return true;
    for (size_t k = 0; k < f->def.sinks.count; ++k) {
        const kin_sph_sink* sink = &f->def.sinks.data[k];
        if (kin_region_holds(&sink->region, kin_region_pose(sink->center, &sink->motion, step->time + step->h), x)) return true;
    }
    return false;
}

void kin_sph_drain(kin_sph* f, kin_step* step)
{
    kin_sph_sources* s = f->sources;
    if (!kin_reserve(&f->allocator, (void**)&s->gone, &s->gone_capacity, f->count, 1)) {
        kin_step_warn(step, 0, "no memory to take particles out: they stay for another step");
        return;
    }
    size_t died = 0;
    for (size_t i = 0; i < f->count; ++i) died += s->gone[i] = ends(f, step, i);
    s->leavers = false;
    s->died += died;
    if (died == 0) return;
    (void)kin_sph_pressures(f); /* lists know nothing of who moves up; out of memory: later they are k D^2 */
    kin_sph_remove(f, s->gone);
    f->pressed = 0;
}
