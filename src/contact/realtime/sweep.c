/* sweep.c - continuous collision: what moved so far in this interval that rows may have missed a meeting is stopped where it first meets something, and
 * goes on from there in the next interval, with its velocity. Moving things against moving ones too: both stop, and with them all that joints hold to them.
 * Then whatever follows those that stopped, and would run into them, stops in turn: what falls in a crowd would else be pressed into it by all that it goes on.
 *
 * Meetings are found side by side, each pair on its screws (collision/continuous), and applied in the order of their times. */
#include "base/alloc.h"
#include "base/sort.h"
#include "collision/continuous/impact.h"
#include "contact/realtime/realtime.h"
#include "math/aabb.h"

enum { GRAIN = 8, COLLECT_GRAIN = 256, TURN_MOST = 3, MOST_CHORDS = 256, AGAIN = 4, ROUNDS = 8 };
#define FAR_ENOUGH 1.0 /* of the least half extent: shorter ways against each other are the rows' affair: they look ahead as far (narrow.c) */
#define VERY_FAR 3.0   /* and up to these where rows saw it coming: stopped there too, whatever falls into a heap would hang in the air */
#define NEAR 0.02      /* of the least half extent: that near is a meeting; twice that is a touch, as things are left by the sweep before */
#define PROGRESS 0.5   /* of the least half extent: so far things always go, or what touches and turns would be held in the air for ever */
#define CHORD 0.05     /* of that: how far a bent way may leave its chords */
#define SLACK 0.1      /* of the least half extent: how much farther into what stopped another may go that follows it */

static kin_vec3 get3(const float* x) { return kin_v((double)x[0], (double)x[1], (double)x[2]); }
static void put3(float* to, kin_vec3 v) { to[0] = (float)v.x, to[1] = (float)v.y, to[2] = (float)v.z; }

static kin_transform form_of(const kin_realtime* rt, uint32_t i, kin_transform body)
{
    return rt->body[i].flags & KIN_RT_PLAIN ? body : kin_transform_mul(body, rt->group->bodies.skin[i].place);
}

/* Where a body's form is after a share of the interval, however far it turns. */
static kin_transform form_after(const kin_realtime* rt, uint32_t i, double part)
{
    const kin_bodies* b = &rt->group->bodies;
    if (b->motion[i] == KIN_BODY_KEYED) {
        const kin_screw path = kin_screw_between(b->start[i], b->end[i]);
        return form_of(rt, i, kin_screw_at(&path, part));
    }
    kin_transform pose = kin_body_pose(&b->body[i]);
    if (!kin_rt_moves(rt, i) || part <= 0) return form_of(rt, i, pose);
    const kin_rt_motion* m = &rt->lines.motion[kin_rt_line(i)];
    pose.position = kin_add_scaled(pose.position, part, get3(m->dx));
    pose.orientation = kin_quat_mul(kin_quat_from_rotation_vector(kin_scale(get3(m->dr), part)), pose.orientation);
    return form_of(rt, i, pose);
}

static bool is_screw(const kin_realtime* rt, uint32_t i, double part)
{
    return part * part * kin_length2(get3(rt->lines.motion[kin_rt_line(i)].dr)) < TURN_MOST * TURN_MOST;
}

/* Where a body's form goes between two moments; what turns too far for a screw, as if it did not. */
static kin_screw path_of(const kin_realtime* rt, uint32_t i, double from, double to)
{
    kin_transform start = form_after(rt, i, from), end = form_after(rt, i, to);
    if (!is_screw(rt, i, to - from)) end.orientation = start.orientation;
    return kin_screw_between(start, end);
}

static double least_of(const kin_realtime* rt, uint32_t a, uint32_t b) { return kin_min((double)rt->glance[a].least, (double)rt->glance[b].least); }
static double near_of(const kin_realtime* rt, uint32_t a, uint32_t b) { return NEAR * kin_min(least_of(rt, a, b), 1); } /* m */

/* They touched before, or rows saw them meet. */
static bool is_met(const kin_realtime* rt, const kin_rt_pair* p, bool very_fast)
{
    const float touch = (float)(2 * NEAR * kin_min(least_of(rt, p->a, p->b), 1));
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

static double swing(const kin_realtime* rt, uint32_t i)
{
    const float* r = rt->lines.motion[kin_rt_line(i)].dr;
    return kin_sqrt((double)(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])) * kin_min(rt->group->bodies.skin[i].reach, 1e3);
}

/* How far two things went against each other, in least half extents. */
static double way_against(const kin_realtime* rt, uint32_t a, uint32_t b)
{
    kin_vec3 way = kin_sub(get3(rt->lines.motion[kin_rt_line(a)].dx), get3(rt->lines.motion[kin_rt_line(b)].dx));
    return (kin_length(way) + swing(rt, a) + swing(rt, b)) / least_of(rt, a, b);
}

/* Farther from each other than their forms reach and they went. */
static bool is_out_of_reach(const kin_realtime* rt, uint32_t a, uint32_t b, double way)
{
    const kin_rt_glance *x = &rt->glance[a], *y = &rt->glance[b];
    double most = (double)x->reach + (double)y->reach + way * least_of(rt, a, b);
    return kin_length2(kin_sub(y->place, x->place)) > most * most;
}

/* ---- apart all the way ---- */

static bool is_plain(const kin_realtime* rt, uint32_t i)
{
    const uint8_t form = rt->glance[i].form;
    return (form == KIN_RT_FORM_BOX || form == KIN_RT_FORM_BALL) && (rt->body[i].flags & KIN_RT_PLAIN) != 0 && rt->group->bodies.motion[i] != KIN_BODY_KEYED;
}

static double half_along(const kin_realtime* rt, uint32_t i, kin_vec3 n)
{
    const kin_rt_solid* s = &rt->solid[i];
    double sum = 0;
    if (rt->glance[i].form == KIN_RT_FORM_BALL) return s->half[0];
    for (int k = 0; k < 3; ++k) sum += s->half[k] * kin_abs(n.x * s->axis[k][0] + n.y * s->axis[k][1] + n.z * s->axis[k][2]);
    return sum;
}

/* Two boxes or balls with the axes that they began with, seen along one of those or the line between them: a gap that no point of theirs can have crossed while
 * a goes from one moment to another, and b to a third. */
static bool stays_apart(const kin_realtime* rt, uint32_t a, uint32_t b, double from, double to_a, double to_b)
{
    if (!is_plain(rt, a) || !is_plain(rt, b)) return false;
    const kin_rt_solid* both[2] = {&rt->solid[a], &rt->solid[b]};
    const kin_vec3 dx_a = get3(rt->lines.motion[kin_rt_line(a)].dx), dx_b = get3(rt->lines.motion[kin_rt_line(b)].dx);
    const kin_vec3 apart = kin_add_scaled(kin_sub(both[1]->place, both[0]->place), from, kin_sub(dx_b, dx_a));
    const kin_vec3 way = kin_sub(kin_scale(dx_b, to_b - from), kin_scale(dx_a, to_a - from));
    const double most = to_a * swing(rt, a) + to_b * swing(rt, b) + near_of(rt, a, b);
    for (int k = 0; k < 7; ++k) {
        const double* axis = both[k / 4]->axis[k % 4 == 3 ? 0 : k % 4];
        kin_vec3 n = k == 3 ? kin_normalize_or(apart, kin_v(0, 1, 0)) : kin_v(axis[0], axis[1], axis[2]);
        if (kin_dot(n, apart) < 0) n = kin_neg(n);
        if (kin_dot(n, apart) - half_along(rt, a, n) - half_along(rt, b, n) > most + kin_max(0, -kin_dot(n, way))) return true;
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

/* A one-way body stops nothing that comes the wrong way. */
static bool lets_pass(const kin_realtime* rt, uint32_t way, uint32_t other, kin_vec3 out)
{
    const kin_body_skin* skin = &rt->group->bodies.skin[way];
    if (kin_length2(skin->one_way) == 0) return false;
    kin_vec3 d = kin_rotate(kin_quat_mul(rt->group->bodies.body[way].orientation, skin->place.orientation), skin->one_way);
    kin_vec3 v = kin_sub(get3(rt->lines.motion[kin_rt_line(other)].v), get3(rt->lines.motion[kin_rt_line(way)].v));
    return kin_dot(out, d) <= 0 || kin_dot(v, d) > 0;
}

/* Whether two ways come to touch; t: the share of them after which they are to be stopped, 1: not, for they overlap as they begin, or part as they touch. A little
 * before: what is still apart is stopped fully, what overlaps softly. */
static bool paths_touch(const kin_realtime* rt, uint32_t a, const kin_screw* pa, uint32_t b, const kin_screw* pb, kin_arena* scratch, double* t)
{
    const kin_body_skin* skin = rt->group->bodies.skin;
    kin_impact_settings settings = kin_impact_defaults();
    settings.tolerance = near_of(rt, a, b);
    settings.most_iterations = 64;
    kin_impact hit;
    *t = 1;
    if (!kin_impact_find(skin[a].form, pa, skin[b].form, pb, &settings, scratch, &hit) || hit.t >= 1) return false;
    if (lets_pass(rt, a, b, kin_neg(hit.normal)) || lets_pass(rt, b, a, hit.normal)) return false;
    if (hit.t <= 0 && hit.distance < 0) return true;
    kin_vec3 closing = kin_sub(kin_screw_velocity(pa, kin_sub(hit.point, kin_screw_at(pa, hit.t).position)),
                               kin_screw_velocity(pb, kin_sub(hit.point, kin_screw_at(pb, hit.t).position)));
    double closes = -kin_dot(closing, hit.normal);
    if (closes > 0) *t = kin_max(hit.t - settings.tolerance / closes, 0);
    return true;
}

static bool forms_touch(const kin_realtime* rt, uint32_t a, uint32_t b, kin_arena* scratch, double* t)
{
    const kin_screw pa = path_of(rt, a, 0, 1), pb = path_of(rt, b, 0, 1);
    const bool touch = paths_touch(rt, a, &pa, b, &pb, scratch, t);
    *t = kin_max(*t, PROGRESS / way_against(rt, a, b));
    return touch;
}

/* ---- finding ---- */

static void note(kin_realtime* rt, kin_rt_meeting m)
{
    uint32_t at = atomic_fetch_add(&rt->meeting_count, 1);
    if (at < rt->meeting_capacity) rt->meetings[at] = m;
}

static kin_rt_meeting meeting_of(uint32_t a, uint32_t b, double t) { return (kin_rt_meeting){.a = a < b ? a : b, .b = a < b ? b : a, .t = t, .first = t}; }

/* Of a's middle, as b's form sees it. */
static kin_vec3 middle_after(const kin_realtime* rt, uint32_t a, uint32_t b, double part)
{
    kin_vec3 at = kin_add_scaled(rt->group->bodies.body[a].position, part, get3(rt->lines.motion[kin_rt_line(a)].dx));
    return kin_unapply(form_after(rt, b, part), at);
}

typedef struct bend {   /* of the way of a middle, as what turns sees it */
    double turn, speed; /* rad and m an interval */
    double near, reach; /* m: how far it may leave its chords at the surface; where the form ends */
} bend;

static bend bend_of(const kin_realtime* rt, uint32_t a, uint32_t b)
{
    const kin_screw path = path_of(rt, b, 0, 1);
    const bool keyed = rt->group->bodies.motion[b] == KIN_BODY_KEYED;
    return (bend){.turn = keyed ? path.angle : kin_length(get3(rt->lines.motion[kin_rt_line(b)].dr)),
                  .speed = kin_length(kin_sub(get3(rt->lines.motion[kin_rt_line(a)].dx), path.shift)),
                  .near = CHORD * PROGRESS * (double)rt->glance[a].least,
                  .reach = (double)rt->glance[b].reach};
}

/* A share of the interval: a way leaves its chord by at most an eighth of what w^2 r + 2 w v is over it; far from the form more is allowed. */
static double chord_at(const bend* x, double away)
{
    const double most = kin_max(x->near, 0.5 * (away - x->reach)), acceleration = x->turn * (x->turn * away + 2 * x->speed);
    return acceleration > 8 * most ? kin_sqrt(8 * most / acceleration) : 1;
}

typedef struct crossing { /* of a surface by a middle */
    double t, speed;      /* share of the interval; m an interval, along the normal */
    kin_vec3 normal;      /* of the surface, as its form has it */
} crossing;

/* How deep a's middle may be in b before it is stopped, m: what is thinner than the other overlaps it there as a matter of course, and rows have it out while it
 * is nearer to the side that it came from. */
static double deepest(const kin_realtime* rt, uint32_t a, uint32_t b)
{
    const kin_body_skin* skin = rt->group->bodies.skin;
    return skin[a].thickness < skin[b].thickness ? PROGRESS * kin_min((double)rt->glance[a].least, skin[b].thickness) : 0;
}

/* The first crossing, if the middle of a is too deep in b at the end of any piece of its way from there on. */
static bool middle_crosses(const kin_realtime* rt, uint32_t a, uint32_t b, crossing* out)
{
    const kin_form* form = rt->group->bodies.skin[b].form;
    const bend bent = bend_of(rt, a, b);
    const double deep = deepest(rt, a, b);
    kin_vec3 from = middle_after(rt, a, b, 0);
    double t = 0;
    bool crossed = false;
    kin_touch hit;
    if (form->has_inside && form->ops->closest(form, from, 0, &hit, 1) > 0) return false; /* it is in there, and on its way out */
    for (int k = 1; k <= MOST_CHORDS && t < 1; ++k) {
        const double next = k < MOST_CHORDS ? kin_min(t + chord_at(&bent, kin_length(from)), 1) : 1;
        const kin_vec3 to = middle_after(rt, a, b, next), way = kin_sub(to, from);
        if (!crossed && form->ops->ray(form, from, way, 1, &hit) && kin_dot(way, hit.normal) < 0) {
            crossed = true;
            *out = (crossing){t + hit.t * (next - t), -kin_dot(way, hit.normal) / (next - t), hit.normal};
        }
        if (crossed && kin_dot(kin_sub(hit.point, to), hit.normal) > deep) return true;
        from = to, t = next;
    }
    return false;
}

/* Rows saw them meet, or the forms touch and part or turn too far to be swept, and yet the middle of a body comes to the other's surface: what spins very fast
 * goes its way in the end, whatever rows frozen at its start made of it. It stops before that; where it is too near for that, it comes no nearer. */
static void middle_meets(kin_realtime* rt, uint32_t a, uint32_t b)
{
    crossing x;
    if (!middle_crosses(rt, a, b, &x)) return;
    const double before = x.t - PROGRESS * (double)rt->glance[a].least / x.speed, least_way = PROGRESS / way_against(rt, a, b);
    kin_rt_meeting m = meeting_of(a, b, kin_max(before, least_way));
    m.held = before <= least_way;
    m.flip = m.a != a;
    m.normal = kin_rotate(form_after(rt, b, x.t).orientation, x.normal);
    m.nearer = kin_dot(kin_sub(middle_after(rt, a, b, 0), middle_after(rt, a, b, m.t)), x.normal) / m.t;
    note(rt, m);
}

static void try_pair(kin_realtime* rt, uint32_t body, uint32_t other, uint32_t pair, kin_arena* scratch)
{
    const bool both = kin_rt_moves(rt, other) && (rt->body[other].flags & KIN_RT_MARKED) != 0;
    if (both && other < body && pair != KIN_RT_NONE) return; /* it asks; but who is no pair yet may not know of it */
    const double way = way_against(rt, body, other);
    if (way <= FAR_ENOUGH || is_out_of_reach(rt, body, other, way) || !may_meet(rt, body, other, pair)) return;
    bool touch = pair != KIN_RT_NONE && is_met(rt, &rt->pairs[pair], way > VERY_FAR);
    double t = 1;
    if (!touch) {
        if (stays_apart(rt, body, other, 0, 1, 1)) return;
        kin_arena_mark mark = kin_arena_begin(scratch);
        touch = forms_touch(rt, body, other, scratch, &t) || !is_screw(rt, body, 1) || !is_screw(rt, other, 1);
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
    kin_aabb wide = kin_rt_box_along(rt, body, get3(rt->lines.motion[kin_rt_line(body)].dx), swing(rt, body));
    if (kin_aabb_contains_box(kin_rt_fat(rt, body), wide)) return; /* as most: it did what it was expected to */
    kin_screw path = path_of(rt, body, 0, 1);
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
    const double d = part * kin_dot(n, kin_add(get3(m->dx), kin_cross(get3(m->dr), arm)));
    return is_b ? d : -d;
}

/* When a point of a contact that was there closes, or overlaps more, while b goes on and a does not. */
static bool rows_meet(const kin_realtime* rt, const kin_rt_pair* p, uint32_t a, uint32_t b, double* t)
{
    const double from = (double)rt->body[a].part, to = (double)rt->body[b].part, slack = SLACK * least_of(rt, a, b);
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
    if (stays_apart(rt, a, b, from, from, to)) return false;
    const kin_screw pa = kin_screw_still(form_after(rt, a, from)), pb = path_of(rt, b, from, to);
    kin_arena_mark mark = kin_arena_begin(scratch);
    (void)paths_touch(rt, a, &pa, b, &pb, scratch, t);
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
        if (left * (kin_length(get3(rt->lines.motion[kin_rt_line(other)].dx)) + swing(rt, other)) < SLACK * least_of(rt, body, other)) continue;
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
    const kin_vec3 turn = kin_quat_rotation_vector(by), axis = kin_normalize_or(turn, get3(m->dr));
    const double angle = kin_length(turn), whole = kin_floor((kin_dot(get3(m->dr), axis) - angle) / (2 * KIN_PI) + 0.5);
    put3(m->dr, kin_scale(axis, angle + 2 * KIN_PI * whole));
}

/* In whatever order: what they meet is sorted. */
static void collect_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    kin_realtime* rt = argument;
    for (int64_t k = begin; k < end; ++k) {
        uint32_t i = rt->active.data[k];
        if (!kin_rt_is_free(rt, i) || (rt->body[i].flags & KIN_RT_HAS_PROXY) == 0) continue;
        kin_vec3 way = get3(rt->lines.motion[kin_rt_line(i)].dx);
        double limit = FAR_ENOUGH * (double)rt->glance[i].least;
        if (kin_length2(way) < limit * limit && kin_length(way) + swing(rt, i) < limit) continue;
        if ((rt->body[i].flags & (KIN_RT_TURNS | KIN_RT_IN_BLOCK)) == KIN_RT_TURNS) straighten_turn(rt, i);
        rt->body[i].flags |= KIN_RT_MARKED;
        kin_rt_list_add(&rt->fast, i);
    }
}

/* ---- stopping ---- */

static void stop(kin_realtime* rt, uint32_t i, uint32_t at, double t)
{
    if (!kin_rt_moves(rt, i) || (double)rt->body[i].part <= t) return;
    rt->body[i].part = (float)t;
    rt->body[i].carrier = rt->group->bodies.motion[at] == KIN_BODY_KEYED ? at : rt->body[at].part < 1 ? rt->body[at].carrier : KIN_RT_NONE;
}

/* What is stopped by something that is not, goes with it from there: else that would go on and over it. */
static void carry(kin_realtime* rt, uint32_t i, uint32_t carrier, double part)
{
    const kin_bodies* b = &rt->group->bodies;
    const kin_screw path = kin_screw_between(b->start[carrier], b->end[carrier]);
    const kin_transform from = kin_screw_at(&path, part);
    const kin_quat by = kin_quat_mul(path.end.orientation, kin_quat_conj(from.orientation));
    kin_rt_motion* m = &rt->lines.motion[kin_rt_line(i)];
    const kin_vec3 at = b->body[i].position, to = kin_apply(path.end, kin_unapply(from, kin_add(at, get3(m->dx))));
    put3(m->dx, kin_sub(to, at));
    put3(m->dr, kin_quat_rotation_vector(kin_quat_mul(by, kin_quat_from_rotation_vector(get3(m->dr)))));
    if (rt->body[i].flags & KIN_RT_TURNS) rt->top[i].orientation = kin_quat_mul(by, rt->top[i].orientation);
}

static void cut_short(kin_realtime* rt, uint32_t i)
{
    const float part = rt->body[i].part;
    rt->body[i].part = 1, rt->body[i].followed = 0;
    if (part >= 1) return;
    kin_rt_motion* m = &rt->lines.motion[kin_rt_line(i)];
    for (int k = 0; k < 3; ++k) m->dx[k] *= part, m->dr[k] *= part;
    if (rt->body[i].flags & KIN_RT_TURNS)
        rt->top[i].orientation = kin_quat_mul(kin_quat_from_rotation_vector(get3(m->dr)), rt->group->bodies.body[i].orientation);
    if (rt->body[i].carrier != KIN_RT_NONE) carry(rt, i, rt->body[i].carrier, (double)part);
}

/* What joints hold to a body that stops goes no farther: else they would be torn apart by all that the others go on. */
static void stop_joined(kin_realtime* rt, uint32_t from)
{
    const kin_rt_body* f = &rt->body[from];
    if (f->part >= 1) return;
    const uint32_t end = kin_rt_list_joined(rt, from, 0);
    for (uint32_t k = 0; k < end; ++k) {
        kin_rt_body* b = &rt->body[rt->fast.data[k]];
        if (b->part > f->part) b->part = f->part, b->carrier = f->carrier;
    }
    kin_rt_unmark(rt, end);
}

typedef struct crowd { /* of the list, as one body */
    uint32_t first, end;
    double mass;
    kin_vec3 velocity;
} crowd;

static crowd crowd_of(const kin_realtime* rt, uint32_t first, uint32_t end)
{
    crowd c = {.first = first, .end = end};
    kin_vec3 momentum = {0, 0, 0};
    for (uint32_t k = first; k < end; ++k) {
        const double mass = rt->group->bodies.body[rt->fast.data[k]].mass;
        c.mass += mass;
        momentum = kin_add_scaled(momentum, mass, get3(rt->lines.motion[kin_rt_line(rt->fast.data[k])].v));
    }
    if (c.mass > 0) c.velocity = kin_scale(momentum, 1 / c.mass);
    return c;
}

static void shove(kin_realtime* rt, const crowd* c, kin_vec3 dv)
{
    for (uint32_t k = c->first; k < c->end; ++k) {
        float* v = rt->lines.motion[kin_rt_line(rt->fast.data[k])].v;
        v[0] += (float)dv.x, v[1] += (float)dv.y, v[2] += (float)dv.z;
    }
}

/* An inelastic blow along n, from b towards a. What does not move has no mass, and takes all. */
static void collide(kin_realtime* rt, crowd a, crowd b, kin_vec3 still, kin_vec3 n)
{
    const double closing = kin_dot(n, kin_sub(b.mass > 0 ? b.velocity : still, a.velocity)), share = b.mass > 0 ? b.mass / (a.mass + b.mass) : 1;
    if (closing <= 0 || a.mass <= 0) return;
    shove(rt, &a, kin_scale(n, share * closing));
    shove(rt, &b, kin_scale(n, (share - 1) * closing));
}

/* What is held near where it was would creep on and fall ever faster while rows know of other faces only: the surface ahead takes what brings it there. All
 * that is joined to it is held with it, and so meets the surface as one; then what is left of the two bodies' own. */
static void stop_dead(kin_realtime* rt, const kin_rt_meeting* m)
{
    const uint32_t a = m->flip ? m->b : m->a, b = m->flip ? m->a : m->b;
    if (!m->held) return;
    const kin_vec3 still = get3(rt->lines.motion[kin_rt_line(b)].v);
    float* dx = rt->lines.motion[kin_rt_line(a)].dx;
    if (m->nearer > 0) put3(dx, kin_add_scaled(get3(dx), m->nearer, m->normal));
    const uint32_t middle = kin_rt_list_joined(rt, a, 0), end = kin_rt_list_joined(rt, b, middle);
    kin_rt_unmark(rt, end);
    collide(rt, crowd_of(rt, 0, middle), crowd_of(rt, middle, end), still, m->normal);
    if (kin_rt_moves(rt, b) && end == middle) return; /* one of its own */
    collide(rt, crowd_of(rt, 0, 1), crowd_of(rt, middle, end > middle ? middle + 1 : middle), still, m->normal);
}

static bool is_before(void* context, const void* x, const void* y)
{
    const kin_rt_meeting *a = x, *b = y;
    (void)context;
    if (a->t != b->t) return a->t < b->t;
    if (a->a != b->a) return a->a < b->a;
    return a->b != b->b ? a->b < b->b : a->flip < b->flip;
}

static void apply_meetings(kin_rt_step* s, uint32_t count)
{
    kin_realtime* rt = s->rt;
    kin_arena* scratch = &s->step->jobs->arenas[0];
    kin_arena_mark mark = kin_arena_begin(scratch);
    void* room = kin_arena_take(scratch, count * sizeof *rt->meetings);
    if (room == NULL) {
        kin_arena_end(scratch, mark);
        rt->out_of_memory = true;
        return;
    }
    kin_sort(rt->meetings, room, count, sizeof *rt->meetings, is_before, NULL);
    for (uint32_t k = 0; k < count; ++k) {
        const kin_rt_meeting* m = &rt->meetings[k];
        if (k > 0 && !is_before(NULL, m - 1, m)) continue;                                 /* both asked */
        if (kin_min(rt->body[m->a].part, rt->body[m->b].part) < (float)m->first) continue; /* one was stopped before: who follows it is asked then */
        stop(rt, m->a, m->b, m->t);
        stop(rt, m->b, m->a, m->t);
        stop_dead(rt, m);
    }
    for (uint32_t k = 0; k < count; ++k) stop_joined(rt, rt->meetings[k].a), stop_joined(rt, rt->meetings[k].b);
    kin_arena_end(scratch, mark);
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
    if (!rt->group->def.continuous) return;
    rt->fast.count = 0;
    kin_parallel_for(s->step->jobs, rt->active.count, COLLECT_GRAIN, collect_range, rt);
    if (rt->fast.count == 0) return;
    bool ok = find_meetings(s, sweep_range);
    for (uint32_t k = 0; k < rt->fast.count; ++k) rt->body[rt->fast.data[k]].flags &= (uint16_t)~KIN_RT_MARKED;
    if (rt->meeting_count == 0) return;
    for (int round = 0; ok && rt->meeting_count > 0 && round < ROUNDS; ++round) {
        apply_meetings(s, rt->meeting_count);
        list_stopped(rt);
        ok = find_meetings(s, follow_range);
    }
    if (!ok) rt->out_of_memory = true;
    for (uint32_t k = 0; k < rt->active.count; ++k) cut_short(rt, rt->active.data[k]);
}
