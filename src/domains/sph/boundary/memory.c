/* memory.c - where closed solids were when the last interval ended. One that is somewhere else now has leapt: by hand, or it was put into the world. What it takes
 * of the fluid's room cannot leave at once, so it is felt little by little, whole after KIN_SPH_FADE seconds, while who is inside is led out (hold.c). In keyed leaps the
 * same begins after the tick of the leap. Known by their owners, so that a restored world remembers the same. */
#include "domains/sph/boundary/surface.h"
#include "base/alloc.h"
#include "base/search.h"
#include "math/quat.h"
#include <string.h>

#define LEAP 0.5 /* spacings: shorter jumps are none */

static int order(const kin_sph_known* a, const kin_sph_known* b)
{
    if (a->system != b->system) return a->system < b->system ? -1 : 1;
    return a->element < b->element ? -1 : a->element > b->element;
}

static bool is_before(const void* known, size_t i, const void* key) { return order((const kin_sph_known*)known + i, key) < 0; }

kin_sph_known* kin_sph_walls_known(kin_sph_walls* w, kin_anchor owner)
{
    kin_sph_known key = {.system = owner.system, .element = owner.element};
    size_t at = kin_search(w->known, w->known_count, is_before, &key);
    return at < w->known_count && order(&w->known[at], &key) == 0 ? &w->known[at] : NULL;
}

/* Into its place among the new ones; owners mostly come in order. */
static void put_in_order(kin_sph_known* list, size_t count, kin_sph_known one)
{
    size_t at = count;
    for (; at > 0 && order(&list[at - 1], &one) > 0; --at) list[at] = list[at - 1];
    list[at] = one;
}

static double jump(const kin_sph_known* was, kin_transform now, double reach)
{
    kin_vec3 turn = kin_quat_rotation_vector(kin_quat_mul(now.orientation, kin_quat_conj(was->end.orientation)));
    return kin_distance(was->end.position, now.position) + kin_length(turn) * reach;
}

bool kin_sph_walls_remember(kin_sph_walls* w, const kin_step* step)
{
    const kin_solids* solids = step->solids;
    size_t count = 0, most = kin_solids_count(solids);
    if (!kin_reserve(&w->allocator, (void**)&w->next_known, &w->next_capacity, most, sizeof *w->next_known)) return false;
    for (uint32_t i = 0; i < most; ++i) {
        const kin_form* form = kin_solids_form(solids, i);
        if (form == NULL || !form->bounded || !form->has_inside) continue;
        kin_anchor owner = kin_solids_owner(solids, i, kin_v(0, 0, 0));
        const kin_sph_known* was = kin_sph_walls_known(w, owner);
        double fade = was != NULL ? kin_min(1, was->fade + step->h / KIN_SPH_FADE) : w->began ? 0 : 1;
        if (was != NULL && jump(was, kin_solids_pose(solids, i, 0), form->reach) > LEAP * w->profile.spacing) fade = 0;
        put_in_order(w->next_known, count++, (kin_sph_known){owner.system, owner.element, kin_solids_pose(solids, i, 1), fade});
    }
    kin_sph_known* old = w->known;
    size_t old_capacity = w->known_capacity;
    w->known = w->next_known, w->known_capacity = w->next_capacity, w->known_count = count;
    w->next_known = old, w->next_capacity = old_capacity;
    w->began = 1;
    return true;
}

void kin_sph_walls_visit(kin_sph_walls* w, kin_visitor* v)
{
    kin_visit_u8(v, &w->began);
    size_t count = kin_visit_count(v, w->known_count);
    if (v->mode == KIN_VISIT_LOAD && !kin_reserve(&w->allocator, (void**)&w->known, &w->known_capacity, count, sizeof *w->known)) {
        kin_visit_fail(v, KIN_ERROR_MEMORY);
        return;
    }
    w->known_count = count;
    for (size_t i = 0; i < count; ++i) {
        kin_visit_u32(v, &w->known[i].system);
        kin_visit_u32(v, &w->known[i].element);
        kin_visit_vec3(v, &w->known[i].end.position);
        kin_visit_quat(v, &w->known[i].end.orientation);
        kin_visit_f64(v, &w->known[i].fade);
    }
    kin_sph_surfaces_visit(w, v);
}
