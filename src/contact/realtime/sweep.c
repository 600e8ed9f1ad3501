/* sweep.c - continuous collision: what moved so far in this interval that rows may have missed a meeting is stopped where it first meets something, and
 * goes on from there in the next interval, with its velocity. Moving things against moving ones too: both stop, and with them all that joints hold to them.
 * Then whatever follows those that stopped, and would run into them, stops in turn: what falls in a crowd would else be pressed into it by all that it goes on.
 *
 * Meetings are found side by side, each pair on its screws (collision/continuous), and applied in the order of their times. */
#include "base/alloc.h"
#include "contact/realtime/sweep.h"
#include "math/aabb.h"

enum { GRAIN = 8, COLLECT_GRAIN = 256, AGAIN = 4, ROUNDS = 8 };
#define FAR_ENOUGH 1.0 /* of the least half extent: shorter ways against each other are the rows' affair: they look ahead as far (narrow.c) */
#define VERY_FAR 3.0   /* and up to these where rows saw it coming: stopped there too, whatever falls into a heap would hang in the air */

/* They touched before, or rows saw them meet. */
static bool is_met(const kin_realtime* rt, const kin_rt_pair* p, bool very_fast)
{
    const float touch = (float)(2 * KIN_RT_NEAR * kin_min(kin_rt_least_of(rt, p->a, p->b), 1));
    for (uint32_t c = p->contacts; c != KIN_RT_NONE; c = rt->contacts[c].next) {
        const kin_rt_contact* t = &rt->contacts[c];
        const kin_rt_rows* r = &rt->colour[t->colour].rows[t->slot / KIN_RT_LANES];
        uint32_t l = t->slot % KIN_RT_LANES;
        if (r->pressed[l] > 0 && !very_fast) return true;
        for (int k = 0; k < KIN_RT_POINTS; ++k) {
            if (r->start[k][l] <= touch) return true;
        }
    }
    return false;
}

static bool may_meet(const kin_realtime* rt, uint32_t a, uint32_t b, uint32_t pair)
{
    const kin_body_skin* skin = rt->group->bodies.skin;
    if (skin[a].form == NULL || skin[b].form == NULL || skin[a].sensor || skin[b].sensor || !kin_filter_meets(skin[a].filter, skin[b].filter)) return false;
    if (pair == KIN_RT_NONE) return !kin_rt_is_barred(rt, a, b);
    return rt->pairs[pair].kind != KIN_RT_BARRED && (rt->pairs[pair].flags & KIN_RT_PAIR_PASSES) == 0;
}

static bool forms_touch(const kin_realtime* rt, uint32_t a, uint32_t b, kin_arena* scratch, double* t)
{
    const kin_screw pa = kin_rt_path_of(rt, a, 0, 1), pb = kin_rt_path_of(rt, b, 0, 1);
    const bool touch = kin_rt_paths_touch(rt, a, &pa, b, &pb, scratch, t);
    *t = kin_max(*t, KIN_RT_PROGRESS / kin_rt_way_against(rt, a, b));
    return touch;
}

/* ---- finding ---- */

static void note(kin_realtime* rt, kin_rt_meeting m)
{
    uint32_t at = atomic_fetch_add(&rt->meeting_count, 1);
    if (at < rt->meeting_capacity) rt->meetings[at] = m;
}

static kin_rt_meeting meeting_of(uint32_t a, uint32_t b, double t) { return (kin_rt_meeting){.a = a < b ? a : b, .b = a < b ? b : a, .t = t, .first = t}; }

/* Rows saw them meet, or the forms touch and part or turn too far to be swept, and yet the middle of a body comes to the other's surface: what spins very fast
 * goes its way in the end, whatever rows frozen at its start made of it. It stops before that; where it is too near for that, it comes no nearer. */
static void middle_meets(kin_realtime* rt, uint32_t a, uint32_t b)
{
    kin_rt_crossing x;
    if (!kin_rt_middle_crosses(rt, a, b, &x)) return;
    const double before = x.t - KIN_RT_PROGRESS * (double)rt->glance[a].least / x.speed, least_way = KIN_RT_PROGRESS / kin_rt_way_against(rt, a, b);
    kin_rt_meeting m = meeting_of(a, b, kin_max(before, least_way));
    m.held = before <= least_way;
    m.flip = m.a != a;
    m.normal = kin_rotate(kin_rt_form_after(rt, b, x.t).orientation, x.normal);
    m.nearer = kin_dot(kin_sub(kin_rt_middle_after(rt, a, b, 0), kin_rt_middle_after(rt, a, b, m.t)), x.normal) / m.t;
    note(rt, m);
}

static void try_pair(kin_realtime* rt, uint32_t body, uint32_t other, uint32_t pair, kin_arena* scratch)
{
    const bool both = kin_rt_moves(rt, other) && (rt->body[other].flags & KIN_RT_MARKED) != 0;
    if (both && other < body && pair != KIN_RT_NONE) return; /* it asks; but who is no pair yet may not know of it */
    const double way = kin_rt_way_against(rt, body, other);
    if (way <= FAR_ENOUGH || kin_rt_is_out_of_reach(rt, body, other, way) || !may_meet(rt, body, other, pair)) return;
    bool touch = pair != KIN_RT_NONE && is_met(rt, &rt->pairs[pair], way > VERY_FAR);
    double t = 1;
    if (!touch) {
        if (kin_rt_stays_apart(rt, body, other, 0, 1, 1)) return;
        kin_arena_mark mark = kin_arena_begin(scratch);
        touch = forms_touch(rt, body, other, scratch, &t) || !kin_rt_is_screw(rt, body, 1) || !kin_rt_is_screw(rt, other, 1);
        kin_arena_end(scratch, mark);
    }
    if (t < 1) {
        note(rt, meeting_of(body, other, t));
    } else if (touch) {
        middle_meets(rt, body, other);
        if (both) middle_meets(rt, other, body);
    }
}

/* Thrown out of the box it is known by: all that lies on its way. */
static void try_all_on_the_way(kin_realtime* rt, uint32_t body, kin_aabb box, kin_arena* scratch)
{
    kin_broad_walk walk;
    for (kin_broad_overlap_begin(&walk, rt->broad, box); kin_broad_next(&walk);) {
        uint32_t other = (uint32_t)kin_broad_user(rt->broad, walk.proxy);
        if (other != body && kin_rt_pair_find(rt, body, other) == KIN_RT_NONE) try_pair(rt, body, other, KIN_RT_NONE, scratch);
    }
    for (uint32_t i = 0; i < rt->planes.count; ++i) {
        if (kin_rt_pair_find(rt, body, rt->planes.data[i]) == KIN_RT_NONE) try_pair(rt, body, rt->planes.data[i], KIN_RT_NONE, scratch);
    }
}

static void sweep_body(kin_realtime* rt, uint32_t body, kin_arena* scratch)
{
    for (uint32_t p = rt->body[body].pairs; p != KIN_RT_NONE; p = kin_rt_pair_next(rt, p, body)) {
        try_pair(rt, body, rt->pairs[p].a == body ? rt->pairs[p].b : rt->pairs[p].a, p, scratch);
    }
    kin_aabb wide = kin_rt_box_along(rt, body, kin_rt_get3(rt->lines.motion[kin_rt_line(body)].dx), kin_rt_swing(rt, body));
    if (kin_aabb_contains_box(kin_rt_fat(rt, body), wide)) return; /* as most: it did what it was expected to */
    kin_screw path = kin_rt_path_of(rt, body, 0, 1);
    kin_aabb box = kin_form_swept_box(rt->group->bodies.skin[body].form, &path);
    if (!kin_aabb_contains_box(kin_rt_fat(rt, body), box)) try_all_on_the_way(rt, body, box, scratch);
}

static void sweep_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk;
    kin_realtime* rt = argument;
    for (int64_t k = begin; k < end; ++k) sweep_body(rt, rt->fast.data[k], scratch);
}

/* ---- following ---- */

/* m: what a part of a body's way does to a point of a contact, along its normal from A to B. */
static double moved(const kin_realtime* rt, kin_rt_rows* r, uint32_t l, int k, uint32_t i, double part)
{
    const kin_rt_motion* m = &rt->lines.motion[kin_rt_line(i)];
    const bool is_b = (uint32_t)(r->b[l] ^ (r->b[l] >> 31)) == kin_rt_line(i);
    const kin_vec3 n = kin_rt_vector(r->n, l), t1 = kin_rt_vector(r->t, l),
                   at = kin_add_scaled(kin_scale(t1, (double)r->at_a[k][l]), (double)r->at_b[k][l], kin_cross(n, t1));
    const kin_vec3 arm = kin_add(kin_rt_vector(is_b ? r->arm_b : r->arm_a, l), at);
    const double d = part * kin_dot(n, kin_add(kin_rt_get3(m->dx), kin_cross(kin_rt_get3(m->dr), arm)));
    return is_b ? d : -d;
}

/* When a point of a contact that was there closes, or overlaps more, while b goes on and a does not. */
static bool rows_meet(const kin_realtime* rt, const kin_rt_pair* p, uint32_t a, uint32_t b, double* t)
{
    const double from = (double)rt->body[a].part, to = (double)rt->body[b].part, slack = KIN_RT_STOP_SLACK * kin_rt_least_of(rt, a, b);
    double first = to;
    for (uint32_t c = p->contacts; c != KIN_RT_NONE; c = rt->contacts[c].next) {
        const kin_rt_contact* x = &rt->contacts[c];
        kin_rt_rows* r = &rt->colour[x->colour].rows[x->slot / KIN_RT_LANES];
        const uint32_t l = x->slot % KIN_RT_LANES;
        for (int k = 0; k < KIN_RT_POINTS; ++k) {
            if (!(r->mass[k][l] > 0)) continue;
            const double gap = (double)r->start[k][l] + moved(rt, r, l, k, a, from) + moved(rt, r, l, k, b, from), closes = -moved(rt, r, l, k, b, 1);
            if (closes > 0) first = kin_min(first, from + (kin_max(gap, 0) + slack) / closes);
        }
    }
    *t = first;
    return first < to;
}

/* When b, which goes on, runs into a, which stopped. */
static bool runs_into(const kin_realtime* rt, uint32_t a, uint32_t b, uint32_t pair, kin_arena* scratch, double* t)
{
    const double from = (double)rt->body[a].part, to = (double)rt->body[b].part;
    const kin_rt_pair* p = &rt->pairs[pair];
    if (p->contacts != KIN_RT_NONE) return rows_meet(rt, p, a, b, t);
    if (kin_rt_stays_apart(rt, a, b, from, from, to)) return false;
    const kin_screw pa = kin_screw_still(kin_rt_form_after(rt, a, from)), pb = kin_rt_path_of(rt, b, from, to);
    kin_arena_mark mark = kin_arena_begin(scratch);
    (void)kin_rt_paths_touch(rt, a, &pa, b, &pb, scratch, t);
    kin_arena_end(scratch, mark);
    const bool meet = *t < 1;
    *t = from + *t * (to - from);
    return meet;
}

static void follow_body(kin_realtime* rt, uint32_t body, kin_arena* scratch)
{
    for (uint32_t p = rt->body[body].pairs; p != KIN_RT_NONE; p = kin_rt_pair_next(rt, p, body)) {
        const uint32_t other = rt->pairs[p].a == body ? rt->pairs[p].b : rt->pairs[p].a;
        const double left = (double)rt->body[other].part - (double)rt->body[body].part;
        double t;
        if (!kin_rt_moves(rt, other) || left <= 0 || !may_meet(rt, body, other, p)) continue;
        if (left * (kin_length(kin_rt_get3(rt->lines.motion[kin_rt_line(other)].dx)) + kin_rt_swing(rt, other))
            < KIN_RT_STOP_SLACK * kin_rt_least_of(rt, body, other))
            continue;
        if (!runs_into(rt, body, other, p, scratch, &t)) continue;
        kin_rt_meeting m = meeting_of(body, other, t);
        m.first = (double)rt->body[body].part;
        note(rt, m);
    }
}

static void follow_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk;
    kin_realtime* rt = argument;
    for (int64_t k = begin; k < end; ++k) follow_body(rt, rt->fast.data[k], scratch);
}

/* Into rt->fast: those that stopped, or sooner than before, since they were last asked who follows them; but a direct block goes where it will. */
static void list_stopped(kin_realtime* rt)
{
    rt->fast.count = 0;
    for (uint32_t k = 0; k < rt->active.count; ++k) {
        kin_rt_body* b = &rt->body[rt->active.data[k]];
        if (1 - b->part > b->followed && (b->flags & KIN_RT_IN_BLOCK) == 0) kin_rt_list_add(&rt->fast, rt->active.data[k]);
        b->followed = 1 - b->part;
    }
}

/* ---- who is fast ---- */

/* The way that a top turned is known by its end: the rotation vector to there, by as many whole turns as its spins add up to. So what is cut short, and what
 * is not, are both where sweeps have them. */
static void straighten_turn(kin_realtime* rt, uint32_t i)
{
    kin_rt_motion* m = &rt->lines.motion[kin_rt_line(i)];
    const kin_quat by = kin_quat_mul(kin_quat_normalize(rt->top[i].orientation), kin_quat_conj(rt->group->bodies.body[i].orientation));
    const kin_vec3 turn = kin_quat_rotation_vector(by), axis = kin_normalize_or(turn, kin_rt_get3(m->dr));
    const double angle = kin_length(turn), whole = kin_floor((kin_dot(kin_rt_get3(m->dr), axis) - angle) / (2 * KIN_PI) + 0.5);
    kin_rt_put3(m->dr, kin_scale(axis, angle + 2 * KIN_PI * whole));
}

/* In whatever order: what they meet is sorted. */
static void collect_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    kin_realtime* rt = argument;
    for (int64_t k = begin; k < end; ++k) {
        uint32_t i = rt->active.data[k];
        if (!kin_rt_is_free(rt, i) || (rt->body[i].flags & KIN_RT_HAS_PROXY) == 0) continue;
        kin_vec3 way = kin_rt_get3(rt->lines.motion[kin_rt_line(i)].dx);
        double limit = FAR_ENOUGH * (double)rt->glance[i].least;
        if (kin_length2(way) < limit * limit && kin_length(way) + kin_rt_swing(rt, i) < limit) continue;
        if ((rt->body[i].flags & (KIN_RT_TURNS | KIN_RT_IN_BLOCK)) == KIN_RT_TURNS) straighten_turn(rt, i);
        rt->body[i].flags |= KIN_RT_MARKED;
        kin_rt_list_add(&rt->fast, i);
    }
}

/* Room for what was found; found again when there was too little. */
static bool find_meetings(kin_rt_step* s, kin_range_fn* range)
{
    kin_realtime* rt = s->rt;
    for (int i = 0; i < AGAIN; ++i) {
        rt->meeting_count = 0;
        kin_parallel_for(s->step->jobs, rt->fast.count, GRAIN, range, rt);
        if (rt->meeting_count <= rt->meeting_capacity) return true;
        if (!kin_reserve(&rt->allocator, (void**)&rt->meetings, &rt->meeting_capacity, rt->meeting_count, sizeof *rt->meetings)) return false;
    }
    return false;
}

void kin_rt_sweep(kin_rt_step* s)
{
    kin_realtime* rt = s->rt;
    rt->met.count = 0;
    if (!rt->group->def.continuous) return;
    rt->fast.count = 0;
    kin_parallel_for(s->step->jobs, rt->active.count, COLLECT_GRAIN, collect_range, rt);
    if (rt->fast.count == 0) return;
    bool ok = find_meetings(s, sweep_range);
    for (uint32_t k = 0; k < rt->fast.count; ++k) rt->body[rt->fast.data[k]].flags &= (uint16_t)~KIN_RT_MARKED;
    if (rt->meeting_count == 0) return;
    for (int round = 0; ok && rt->meeting_count > 0 && round < ROUNDS; ++round) {
        kin_rt_apply_meetings(s, rt->meeting_count);
        list_stopped(rt);
        ok = find_meetings(s, follow_range);
    }
    if (!ok) rt->out_of_memory = true;
    for (uint32_t k = 0; k < rt->active.count; ++k) kin_rt_cut_short(rt, rt->active.data[k]);
}
