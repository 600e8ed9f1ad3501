/* keyed.c - animated bodies: their poses over an interval, and who is left no room by them (C1.4.1b). */
#include "contact/keyed.h"
#include "domains/rigid/rigid.h"
#include "math/aabb.h"

static kin_transform drifted(const kin_body* b, double time)
{
    return (kin_transform){kin_add_scaled(b->position, time, b->velocity), kin_quat_integrate(b->orientation, b->spin, time)};
}

static bool drive(kin_rigid* r, const kin_rigid_member* body, const kin_step* step)
{
    kin_bodies* all = &r->group->bodies;
    const kin_body* b = &all->body[body->index];
    if (body->keys.count > 0) return kin_group_follow_keys(r->group, body->index, &body->keys, body->smooth, step->time, step->h);
    all->start[body->index] = kin_body_pose(b);
    all->end[body->index] = drifted(b, step->h);
    return true;
}

bool kin_rigid_drive(kin_rigid* r, const kin_step* step)
{
    bool good = true;
    for (size_t i = 0; r->animated > 0 && i < r->count; ++i) {
        if (r->bodies[i].mobility == KIN_MOBILITY_ANIMATED) good = drive(r, &r->bodies[i], step) && good;
    }
    r->time = step->time + step->h;
    return good;
}

kin_transform kin_rigid_keyed_pose(const kin_rigid* r, uint32_t number, double after)
{
    const kin_rigid_member* body = &r->bodies[number];
    if (body->keys.count > 0) return kin_keys_pose(&body->keys, body->smooth, r->time + after);
    return kin_transform_mul(drifted(kin_rigid_body_of(r, number), after), kin_rigid_skin_of(r, number)->place);
}

/* ---- no room ---- */

static double depth_in(const kin_bodies* all, uint32_t a, uint32_t b)
{
    enum { MOST = 4 };
    const kin_body_skin *skin_a = &all->skin[a], *skin_b = &all->skin[b];
    double apart = kin_distance(all->body[a].position, all->body[b].position);
    if (apart > skin_a->reach + skin_b->reach || !kin_filter_meets(skin_a->filter, skin_b->filter)) return 0;
    kin_transform pose_a = kin_bodies_form_pose(all, a), pose_b = kin_bodies_form_pose(all, b);
    bool bounded = skin_a->form->bounded && skin_b->form->bounded;
    if (bounded && !kin_aabb_overlaps(kin_form_box(skin_a->form, pose_a), kin_form_box(skin_b->form, pose_b))) return 0;
    kin_manifold found[MOST];
    int count = 0;
    if (kin_forms_contacts(skin_a->form, pose_a, skin_b->form, pose_b, 0, found, MOST, &count, NULL) != KIN_OK) return 0;
    double depth = 0;
    for (int m = 0; m < count; ++m) {
        for (int p = 0; p < found[m].count; ++p) depth = kin_max(depth, -found[m].points[p].separation);
    }
    return depth;
}

static bool can_squeeze(const kin_bodies* all, uint32_t i)
{
    if (all->motion[i] != KIN_BODY_KEYED) return false;
    const kin_body_skin* skin = &all->skin[i];
    bool moves = kin_length2(all->body[i].velocity) > 0 || kin_length2(all->body[i].spin) > 0;
    return moves && !skin->sensor && skin->form != NULL && kin_length2(skin->one_way) == 0;
}

/* Which of two that do not give way a body ends up in is chance: the one that moves, or what is behind. */
static bool is_pushed_into(const kin_bodies* all, uint32_t index, uint32_t by, double limit)
{
    for (uint32_t i = 0; i < all->count; ++i) {
        const kin_body_skin* skin = &all->skin[i];
        const bool stands = all->motion[i] != KIN_BODY_FREE && all->motion[i] != KIN_BODY_GONE && skin->form != NULL && !skin->sensor;
        if (i != by && stands && kin_length2(skin->one_way) == 0 && depth_in(all, index, i) > limit) return true;
    }
    return false;
}

/* A hit leaves bodies a little in each other, and they part again. Half of what the body is thick is not made by a hit: it cannot get away. */
static void squeeze(kin_rigid* r, uint32_t number, uint32_t by)
{
    const kin_bodies* all = &r->group->bodies;
    uint32_t index = r->bodies[number].index;
    double limit = 0.5 * all->skin[index].thickness;
    bool can_be = all->motion[index] == KIN_BODY_FREE && limit > 0 && !all->skin[index].sensor;
    const double depth = can_be ? depth_in(all, index, by) : 0;
    r->bodies[number].squeezed |= depth > limit || (depth > 0 && is_pushed_into(all, index, by, limit));
}

void kin_rigid_look_for_blocked(kin_rigid* r, kin_step* step)
{
    bool any = r->has_blocked;
    for (uint32_t k = 0; k < r->group->bodies.count; ++k) {
        if (!can_squeeze(&r->group->bodies, k)) continue;
        for (uint32_t i = 0; i < r->count; ++i) squeeze(r, i, k);
        any = true;
    }
    r->has_blocked = false;
    for (uint32_t i = 0; any && i < r->count; ++i) {
        kin_rigid_member* body = &r->bodies[i];
        if (body->squeezed && !body->blocked) kin_step_warn(step, i, "an animated body leaves it no room: it is inside that, and what follows is arbitrary");
        body->blocked = body->squeezed;
        body->squeezed = false;
        r->has_blocked |= body->blocked;
    }
}
