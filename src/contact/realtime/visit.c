/* visit.c - the solver's state: what survives an interval and can change a bit. Pairs are walked in the order of their bodies, with their contacts;
 * numbers and slots are no state (but for the order of those that found no colour). Loading makes everything anew. */
#include "base/alloc.h"
#include "contact/realtime/realtime.h"
#include <stddef.h>

typedef struct columns {
    size_t offset, size; /* lanes, one after the other */
} columns;
#define COLUMNS(type, member)                                                                                                                                  \
    {                                                                                                                                                          \
        offsetof(type, member), sizeof(((type*)0)->member)                                                                                                     \
    }

static const columns of_geometry[] = {
    COLUMNS(kin_rt_geometry, n_a),     COLUMNS(kin_rt_geometry, t_a),     COLUMNS(kin_rt_geometry, n_b),   COLUMNS(kin_rt_geometry, t_b),
    COLUMNS(kin_rt_geometry, point_a), COLUMNS(kin_rt_geometry, point_b), COLUMNS(kin_rt_geometry, built), COLUMNS(kin_rt_geometry, rest),
    COLUMNS(kin_rt_geometry, slack),   COLUMNS(kin_rt_geometry, roll),    COLUMNS(kin_rt_geometry, told),
};
/* The rest is found again in every interval. */
static const columns of_rows[] = {
    COLUMNS(kin_rt_rows, n),    COLUMNS(kin_rt_rows, t),      COLUMNS(kin_rt_rows, arm_a),   COLUMNS(kin_rt_rows, arm_b), COLUMNS(kin_rt_rows, at_a),
    COLUMNS(kin_rt_rows, at_b), COLUMNS(kin_rt_rows, normal), COLUMNS(kin_rt_rows, along),   COLUMNS(kin_rt_rows, twist), COLUMNS(kin_rt_rows, stick),
    COLUMNS(kin_rt_rows, slip), COLUMNS(kin_rt_rows, spin),   COLUMNS(kin_rt_rows, pressed), COLUMNS(kin_rt_rows, slid),
};
static const columns of_extra[] = {
    COLUMNS(kin_rt_extra, bounce), COLUMNS(kin_rt_extra, roll), COLUMNS(kin_rt_extra, rolled), COLUMNS(kin_rt_extra, carry), COLUMNS(kin_rt_extra, askew),
};

static void visit_columns(kin_visitor* v, void* block, const columns* list, size_t count, uint32_t lane)
{
    for (size_t i = 0; i < count; ++i) {
        float* x = (float*)((char*)block + list[i].offset) + lane;
        for (size_t k = 0; k < list[i].size / sizeof *x; k += KIN_RT_LANES) kin_visit_f32(v, x + k);
    }
}

/* Zeros lose their sign: where no contact of a colour has any of this, none is kept. */
static void copy_extra(kin_rt_extra* to, const kin_rt_extra* from, uint32_t lane)
{
    to->bounce[lane] = from->bounce[lane], to->roll[lane] = from->roll[lane];
    for (int i = 0; i < 2; ++i) to->rolled[i][lane] = from->rolled[i][lane] + 0.0f, to->carry[i][lane] = from->carry[i][lane] + 0.0f;
    for (int i = 0; i < 2; ++i) to->askew[i][lane] = from->askew[i][lane] + 0.0f;
}

static void visit_lane(kin_realtime* rt, const kin_rt_contact* c, kin_visitor* v)
{
    kin_rt_colour* k = &rt->colour[c->colour];
    uint32_t block = c->slot / KIN_RT_LANES, lane = c->slot % KIN_RT_LANES;
    visit_columns(v, &k->geometry[block], of_geometry, sizeof of_geometry / sizeof *of_geometry, lane);
    visit_columns(v, &k->rows[block], of_rows, sizeof of_rows / sizeof *of_rows, lane);
    kin_rt_extra x = {.bounce = {0}};
    if (k->extra != NULL && v->mode != KIN_VISIT_LOAD) copy_extra(&x, &k->extra[block], lane);
    visit_columns(v, &x, of_extra, sizeof of_extra / sizeof *of_extra, lane);
    if (v->mode != KIN_VISIT_LOAD) return;
    bool ok = kin_rt_graph_flag(rt, c, kin_rt_lane_flags(&x, lane));
    if (!ok) kin_visit_fail(v, KIN_ERROR_MEMORY);
    if (!ok || k->extra == NULL) return;
    copy_extra(&k->extra[block], &x, lane);
}

/* ---- contacts and pairs ---- */

static bool is_part(const kin_form* form, uint32_t part) { return part == 0 || part < form->part_count; }

static void visit_contact(kin_realtime* rt, uint32_t pair, uint32_t* contact, kin_visitor* v)
{
    kin_rt_contact c = {.colour = 0};
    if (v->mode != KIN_VISIT_LOAD) c = rt->contacts[*contact];
    uint32_t colour = c.colour, slot = c.colour == KIN_RT_OVERFLOW ? c.slot : 0; /* elsewhere the order says nothing */
    kin_visit_u32(v, &c.part_a);
    kin_visit_u32(v, &c.part_b);
    kin_visit_u32(v, &colour);
    kin_visit_u32(v, &slot);
    kin_visit_f32(v, &c.restitution), kin_visit_f32(v, &c.stick), kin_visit_f32(v, &c.slip);
    if (v->mode == KIN_VISIT_LOAD) {
        kin_manifold parts = {.part_a = c.part_a, .part_b = c.part_b};
        const kin_body_skin *a = &rt->group->bodies.skin[rt->pairs[pair].a], *b = &rt->group->bodies.skin[rt->pairs[pair].b];
        bool known = colour < rt->colour_count && slot <= v->size && is_part(a->form, c.part_a) && is_part(b->form, c.part_b);
        if (v->result == KIN_OK && !known) kin_visit_fail(v, KIN_ERROR_FORMAT);
        if (v->result != KIN_OK) return;
        if (!kin_rt_contact_make(rt, pair, &parts, contact) || !kin_rt_graph_put(rt, *contact, colour, slot)) {
            kin_visit_fail(v, KIN_ERROR_MEMORY);
            return;
        }
        kin_rt_contact* made = &rt->contacts[*contact];
        made->restitution = c.restitution, made->stick = c.stick, made->slip = c.slip;
    }
    visit_lane(rt, &rt->contacts[*contact], v);
}

static void visit_cache(kin_realtime* rt, const kin_rt_pair* p, kin_visitor* v)
{
    kin_collide_cache* c = kin_rt_cache_of(rt, p);
    if (c == NULL) return; /* which pairs have one depends on their forms */
    uint32_t kind = (uint32_t)c->sat.kind;
    kin_visit_u32(v, &kind);
    c->sat.kind = (kin_sat_kind)kind;
    kin_visit_u32(v, &c->sat.a), kin_visit_u32(v, &c->sat.b), kin_visit_u32(v, &c->gjk.count);
    kin_visit_u32s(v, c->gjk.a, 4), kin_visit_u32s(v, c->gjk.b, 4);
    kin_visit_vec3(v, &c->gjk.axis);
    const kin_body_skin* skin = rt->group->bodies.skin;
    if (v->mode == KIN_VISIT_LOAD && v->result == KIN_OK && !kin_collide_cache_fits(c, &skin[p->a].form->convex, &skin[p->b].form->convex))
        kin_visit_fail(v, KIN_ERROR_FORMAT);
}

static void visit_pair(kin_realtime* rt, uint32_t pair, kin_visitor* v)
{
    uint32_t a = 0, b = 0, contacts = 0;
    uint8_t flags = 0, axis = 0;
    double until = 0;
    if (v->mode != KIN_VISIT_LOAD) {
        const kin_rt_pair* p = &rt->pairs[pair];
        a = p->a, b = p->b, flags = p->flags, axis = p->axis;
        if (rt->listed[pair] != KIN_RT_NONE) until = rt->wait[rt->listed[pair]].until;
        for (uint32_t c = p->contacts; c != KIN_RT_NONE; c = rt->contacts[c].next) contacts += 1;
    }
    kin_visit_u32(v, &a), kin_visit_u32(v, &b), kin_visit_u32(v, &contacts);
    kin_visit_u8(v, &flags), kin_visit_u8s_below(v, &axis, 1, 7), kin_visit_f64(v, &until);
    if (v->mode == KIN_VISIT_LOAD) {
        uint32_t n = rt->group->bodies.count;
        const kin_body_skin* skin = rt->group->bodies.skin;
        const bool known = a < b && b < n && skin[a].form != NULL && skin[b].form != NULL && kin_finite(until);
        if (v->result == KIN_OK && !known) kin_visit_fail(v, KIN_ERROR_FORMAT);
        if (v->result == KIN_OK && !kin_rt_pair_make(rt, a, b, &pair)) kin_visit_fail(v, KIN_ERROR_MEMORY);
        if (v->result != KIN_OK) return;
        rt->pairs[pair].flags |= flags;
        rt->pairs[pair].axis = axis;
    }
    visit_cache(rt, &rt->pairs[pair], v);
    uint32_t contact = rt->pairs[pair].contacts;
    for (uint32_t i = 0; i < contacts && v->result == KIN_OK; ++i) {
        visit_contact(rt, pair, &contact, v);
        if (v->mode != KIN_VISIT_LOAD) contact = rt->contacts[contact].next;
    }
    if (v->mode != KIN_VISIT_LOAD || v->result != KIN_OK || !kin_rt_pair_waits(rt, &rt->pairs[pair])) return;
    kin_rt_idle_add(rt, pair);
    rt->wait[rt->listed[pair]].until = until;
}

static void visit_leaf(kin_realtime* rt, kin_visitor* v)
{
    uint32_t leaf = rt->leaf;
    kin_visit_u32(v, &leaf);
    if (v->mode != KIN_VISIT_LOAD || v->result != KIN_OK) return;
    if (leaf == 0)
        kin_visit_fail(v, KIN_ERROR_FORMAT);
    else if (!kin_rt_graph_make(rt, leaf))
        kin_visit_fail(v, KIN_ERROR_MEMORY);
}

static void visit_pairs(kin_realtime* rt, kin_visitor* v)
{
    size_t count = kin_visit_count(v, rt->pair_count), found = 0;
    if (v->mode == KIN_VISIT_LOAD) {
        for (size_t i = 0; i < count && v->result == KIN_OK; ++i) visit_pair(rt, KIN_RT_NONE, v);
        return;
    }
    if (!kin_rt_sort_reserve(rt, count)) {
        kin_visit_fail(v, KIN_ERROR_MEMORY);
        return;
    }
    for (uint32_t i = 0; i < rt->pair_end; ++i) {
        if (rt->pairs[i].a == KIN_RT_NONE) continue;
        rt->values[found] = i;
        rt->keys[found++] = kin_rt_pair_key(&rt->pairs[i]);
    }
    kin_rt_sort_pairs(rt, found);
    for (size_t i = 0; i < found && v->result == KIN_OK; ++i) visit_pair(rt, rt->values[i], v);
}

/* ---- bodies, joints, news ---- */

static void visit_body(kin_realtime* rt, uint32_t i, kin_visitor* v)
{
    kin_rt_body* b = &rt->body[i];
    uint8_t flags = (uint8_t)(b->flags & (KIN_RT_AWAKE | KIN_RT_WAKING));
    kin_aabb fat = b->flags & KIN_RT_HAS_PROXY ? kin_rt_fat(rt, i) : (kin_aabb){0}; /* who has none may have had one once */
    kin_visit_u8(v, &flags);
    kin_visit_vec3(v, &fat.low), kin_visit_vec3(v, &fat.high);
    kin_visit_f32(v, &b->rest), kin_visit_f32(v, &b->rest_path);
    kin_visit_vec3(v, &b->rest_at), kin_visit_f32s(v, b->rest_turn, 4), kin_visit_f32s(v, b->rate, 6), kin_visit_f32s(v, b->mean_rate, 6);
    kin_visit_f32s(v, b->change, 6), kin_visit_u8(v, &b->calm);
    kin_visit_f64(v, &rt->travel[i].gone);
    if (v->mode != KIN_VISIT_LOAD || v->result != KIN_OK) return;
    b->flags = flags & KIN_RT_AWAKE;
    kin_rt_solid_make(rt, i);
    kin_rt_line_load(rt, i, 0, 1);
    if (flags & KIN_RT_WAKING) kin_rt_wake(rt, i);
    if (!kin_rt_proxy_add(rt, i, &fat)) kin_visit_fail(v, KIN_ERROR_MEMORY);
}

static void visit_joint(kin_rt_joint* j, uint32_t bodies, kin_visitor* v)
{
    if (v->mode == KIN_VISIT_LOAD) j->block = KIN_RT_NONE; /* a block it has now is not one that it leaves with nothing for a warm start */
    kin_visit_u8(v, &j->stiff);
    kin_visit_u8(v, &j->fast);
    kin_visit_u32(v, &j->joined);
    if (v->mode == KIN_VISIT_LOAD && v->result == KIN_OK && j->joined >= bodies && j->joined != KIN_RT_NONE) kin_visit_fail(v, KIN_ERROR_FORMAT);
    for (int i = 0; i < KIN_JOINT_ROWS; ++i) kin_visit_f32(v, &j->impulse[i]);
    for (int i = 0; i < 3; ++i) kin_visit_f32(v, &j->force[i]), kin_visit_f32(v, &j->torque[i]);
}

static void visit_anchor(kin_anchor* a, kin_visitor* v) { kin_visit_u32(v, &a->system), kin_visit_u32(v, &a->element), kin_visit_vec3(v, &a->local); }

static void visit_news(kin_realtime* rt, kin_visitor* v)
{
    size_t count = kin_visit_count(v, rt->news_count);
    if (v->mode == KIN_VISIT_LOAD && !kin_reserve(&rt->allocator, (void**)&rt->news, &rt->news_capacity, count, sizeof *rt->news)) {
        kin_visit_fail(v, KIN_ERROR_MEMORY);
        return;
    }
    for (size_t i = 0; i < count && v->result == KIN_OK; ++i) {
        kin_rt_news* n = &rt->news[i];
        uint32_t kind = (uint32_t)n->event.kind;
        kin_visit_u64(v, &n->key), kin_visit_u32s_below(v, &kind, 1, KIN_BODY_BROKE + 1), kin_visit_u32(v, &n->event.index);
        n->event.kind = (kin_touch_event_kind)kind;
        visit_anchor(&n->event.a, v), visit_anchor(&n->event.b, v);
        kin_visit_vec3(v, &n->event.point), kin_visit_vec3(v, &n->event.normal), kin_visit_f64(v, &n->event.speed), kin_visit_f64(v, &n->event.impulse);
    }
    rt->news_count = count;
}

/* ---- making anew ---- */

static bool forget_all(kin_realtime* rt)
{
    kin_broad* broad = NULL;
    kin_broad_def def = kin_rt_broad_def(rt);
    if (kin_broad_create(&rt->allocator, &def, &broad, NULL) != KIN_OK) return false;
    kin_broad_destroy(rt->broad);
    rt->broad = broad;
    rt->pair_end = rt->contact_end = rt->cache_end = rt->pair_count = rt->contact_count = rt->special_count = 0;
    rt->free_pair = rt->free_contact = KIN_RT_NONE;
    kin_rt_list* lists[] = {&rt->planes, &rt->idle, &rt->ended, &rt->redo, &rt->free_caches, &rt->unbarred, &rt->waking};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) lists[i]->count = 0;
    for (uint32_t c = 0; c < rt->colour_count; ++c) rt->colour[c].count = rt->colour[c].cleared = rt->colour[c].strayed = 0;
    uint32_t count = rt->group->bodies.count;
    for (uint32_t k = 0; k < rt->group->joint_count; ++k) rt->joint[k].block = KIN_RT_NONE; /* else blocks made anew clear what the joints bear */
    rt->tops_seen = 0;
    if (!kin_rt_bodies_reserve(rt, count)) return false;
    for (uint32_t i = 0; i < count; ++i) rt->body[i] = (kin_rt_body){.pairs = KIN_RT_NONE, .part = 1};
    rt->active_changed = rt->joints_changed = rt->has_new_joints = rt->recheck = true;
    rt->joints_work = true; /* until it is known: sleeping joints have no motor that runs */
    return true;
}

void kin_rt_visit(kin_realtime* rt, kin_visitor* v)
{
    bool load = v->mode == KIN_VISIT_LOAD;
    if (load && !forget_all(rt)) {
        kin_visit_fail(v, KIN_ERROR_MEMORY);
        return;
    }
    if (!load && !kin_rt_joints_update(rt)) kin_visit_fail(v, KIN_ERROR_MEMORY); /* so that blocks are those of the joints there are */
    for (uint32_t i = 0; i < rt->group->joint_count && v->result == KIN_OK; ++i) visit_joint(&rt->joint[i], rt->group->bodies.count, v);
    for (uint32_t i = 0; i < rt->group->bodies.count && v->result == KIN_OK; ++i) visit_body(rt, i, v);
    if (load && v->result == KIN_OK && !kin_rt_joints_update(rt)) kin_visit_fail(v, KIN_ERROR_MEMORY);
    if (v->result == KIN_OK) kin_rt_blocks_visit(rt, v);
    if (load && v->result == KIN_OK && kin_broad_update(rt->broad, NULL, NULL) != KIN_OK) kin_visit_fail(v, KIN_ERROR_MEMORY); /* its news is old */
    if (v->result == KIN_OK) visit_leaf(rt, v);
    if (v->result == KIN_OK) visit_pairs(rt, v);
    if (v->result == KIN_OK) visit_news(rt, v);
}
