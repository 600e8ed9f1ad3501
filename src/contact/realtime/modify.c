/* modify.c - touches that are not plain: one-way bodies, moving surfaces, and what the user's filter says. Serial, in the order of bodies, between the
 * rows and the substeps. */
#include "contact/realtime/realtime.h"

typedef struct lane_place {
    kin_rt_colour* colour;
    kin_rt_geometry* g;
    kin_rt_rows* r;
    kin_rt_extra* x;
    uint32_t block, lane;
} lane_place;

static lane_place place_of(kin_realtime* rt, const kin_rt_contact* c)
{
    kin_rt_colour* k = &rt->colour[c->colour];
    uint32_t block = c->slot / KIN_RT_LANES;
    return (lane_place){k, &k->geometry[block], &k->rows[block], k->extra != NULL ? &k->extra[block] : NULL, block, c->slot % KIN_RT_LANES};
}

static kin_vec3 turned(const kin_realtime* rt, uint32_t body, kin_vec3 v)
{
    return kin_rotate(kin_quat_mul(rt->group->bodies.body[body].orientation, rt->group->bodies.skin[body].place.orientation), v);
}

bool kin_rt_is_special(const kin_realtime* rt, uint32_t a, uint32_t b)
{
    const kin_body_skin *x = &rt->group->bodies.skin[a], *y = &rt->group->bodies.skin[b];
    return kin_length2(x->one_way) > 0 || kin_length2(y->one_way) > 0 || kin_length2(x->surface_velocity) > 0 || kin_length2(y->surface_velocity) > 0;
}

/* Nothing of it is felt in this interval. */
static void silence(lane_place* p)
{
    for (int k = 0; k < KIN_RT_POINTS; ++k) p->r->mass[k][p->lane] = p->r->normal[k][p->lane] = 0;
    p->r->along[0][p->lane] = p->r->along[1][p->lane] = p->r->twist[p->lane] = 0;
    if (p->x != NULL) p->x->rolled[0][p->lane] = p->x->rolled[1][p->lane] = 0;
}

/* ---- one-way bodies ---- */

/* Whether the other comes against the way: from the wrong side, or moving the wrong way. */
static bool comes_against(const kin_realtime* rt, uint32_t way, uint32_t other, kin_vec3 out)
{
    kin_vec3 d = kin_normalize_or(turned(rt, way, rt->group->bodies.skin[way].one_way), kin_v(0, 1, 0));
    const kin_body *w = &rt->group->bodies.body[way], *o = &rt->group->bodies.body[other];
    return kin_dot(out, d) < 0.1 || kin_dot(kin_sub(o->velocity, w->velocity), d) > 1e-3;
}

/* Decided when they meet, and kept until they part. */
void kin_rt_decide_way(kin_realtime* rt, uint32_t pair, const kin_manifold* m)
{
    kin_rt_pair* p = &rt->pairs[pair];
    const kin_body_skin* skin = rt->group->bodies.skin;
    bool against = false;
    if (kin_length2(skin[p->a].one_way) > 0) against |= comes_against(rt, p->a, p->b, kin_neg(m->normal));
    if (kin_length2(skin[p->b].one_way) > 0) against |= comes_against(rt, p->b, p->a, m->normal);
    if (against) p->flags |= KIN_RT_PAIR_PASSES;
}

/* ---- surfaces and the filter ---- */

static void manifold_of(const kin_realtime* rt, const kin_rt_contact* c, const lane_place* at, kin_manifold* m)
{
    const kin_rt_pair* p = &rt->pairs[c->pair];
    const kin_body* a = &rt->group->bodies.body[p->a];
    *m = (kin_manifold){.normal = kin_neg(kin_rt_vector(at->r->n, at->lane)), .part_a = c->part_a, .part_b = c->part_b};
    for (int k = 0; k < KIN_RT_POINTS; ++k) {
        if (at->g->built[k][at->lane] >= KIN_RT_FAR) continue;
        kin_vec3 x = kin_apply(kin_body_pose(a), kin_rt_vector(at->g->point_a[k], at->lane));
        m->points[m->count++] = (kin_manifold_point){x, (double)at->r->start[k][at->lane], (uint32_t)k};
    }
}

static double friction_of(const kin_rt_contact* c) { return (double)(0.5f * (c->stick + c->slip)); } /* the mean, as users see it */

static void set_lane(kin_realtime* rt, const kin_rt_contact* c, lane_place* at, const kin_touch_pair* t)
{
    uint32_t l = at->lane;
    kin_rt_lane_friction(rt, c);
    if (t->friction != friction_of(c)) {
        at->r->stick[l] = at->r->slip[l] = (float)t->friction;
        for (int i = 0; at->x != NULL && i < 2; ++i) at->x->askew[i][l] = 0;
    }
    unsigned flags = (t->restitution > 0 ? KIN_RT_BOUNCES : 0) | (kin_length2(t->surface_velocity) > 0 ? KIN_RT_CARRIES : 0);
    if (flags & ~(unsigned)at->colour->flags[at->block]) at->colour->dirty[at->block] = 1;
    if (!kin_rt_graph_flag(rt, c, flags)) rt->out_of_memory = true;
    if (at->colour->extra == NULL) return;
    kin_rt_extra* x = &at->colour->extra[at->block];
    kin_vec3 n = kin_rt_vector(at->r->n, l), t1 = kin_rt_vector(at->r->t, l);
    x->bounce[l] = (float)t->restitution;
    x->carry[0][l] = (float)kin_dot(t1, t->surface_velocity);
    x->carry[1][l] = (float)kin_dot(kin_cross(n, t1), t->surface_velocity);
}

/* Its own numbers, then what the filter makes of them. False: refused. */
static bool modify(kin_realtime* rt, uint32_t contact)
{
    const kin_group* g = rt->group;
    const kin_rt_contact* c = &rt->contacts[contact];
    const kin_rt_pair* p = &rt->pairs[c->pair];
    lane_place at = place_of(rt, c);
    kin_manifold m;
    kin_vec3 sa = turned(rt, p->a, g->bodies.skin[p->a].surface_velocity), sb = turned(rt, p->b, g->bodies.skin[p->b].surface_velocity);
    kin_touch_pair t = {
        .a = g->bodies.skin[p->a].owner, .b = g->bodies.skin[p->b].owner, .manifold = &m, .friction = friction_of(c), .restitution = c->restitution};
    t.surface_velocity = kin_sub(sa, sb);
    bool accepted = (p->flags & KIN_RT_PAIR_PASSES) == 0;
    if (accepted && g->filter != NULL) {
        manifold_of(rt, c, &at, &m);
        accepted = g->filter(g->filter_context, &t);
    }
    set_lane(rt, c, &at, &t);
    return accepted;
}

static bool wants_modifying(const kin_realtime* rt, const kin_rt_pair* p)
{
    return rt->group->filter != NULL || rt->filtered || (p->flags & KIN_RT_PAIR_SPECIAL) != 0;
}

static uint32_t collect(kin_realtime* rt)
{
    uint32_t count = 0;
    for (uint32_t c = KIN_RT_DIRECT; c < rt->colour_count; ++c) {
        for (uint32_t i = 0; i < rt->colour[c].count; ++i) {
            uint32_t contact = rt->colour[c].geometry[i / KIN_RT_LANES].contact[i % KIN_RT_LANES];
            const kin_rt_pair* p = &rt->pairs[rt->contacts[contact].pair];
            if (!wants_modifying(rt, p)) continue;
            rt->values[count] = contact;
            rt->keys[count++] = kin_rt_pair_key(p);
        }
    }
    kin_rt_sort_pairs(rt, count);
    return count;
}

void kin_rt_modify(kin_rt_step* s)
{
    kin_realtime* rt = s->rt;
    if (rt->group->filter == NULL && rt->special_count == 0 && !rt->filtered) return;
    if (!kin_rt_sort_reserve(rt, rt->contact_count)) {
        rt->out_of_memory = true;
        return;
    }
    uint32_t count = collect(rt), refused = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (!modify(rt, rt->values[i])) rt->values[refused++] = rt->values[i];
    }
    rt->filtered = rt->group->filter != NULL;
    kin_rt_prepare_dirty(s);
    for (uint32_t i = 0; i < refused; ++i) {
        lane_place at = place_of(rt, &rt->contacts[rt->values[i]]);
        silence(&at);
    }
}
