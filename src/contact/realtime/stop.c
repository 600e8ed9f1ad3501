/* stop.c - meetings applied in the order of their times: who meets goes no farther, nor does what joints hold to him, nor what a keyed body stopped but with it. */
#include "base/sort.h"
#include "contact/realtime/sweep.h"

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
    const kin_vec3 at = b->body[i].position, to = kin_apply(path.end, kin_unapply(from, kin_add(at, kin_rt_get3(m->dx))));
    kin_rt_put3(m->dx, kin_sub(to, at));
    kin_rt_put3(m->dr, kin_quat_rotation_vector(kin_quat_mul(by, kin_quat_from_rotation_vector(kin_rt_get3(m->dr)))));
    if (rt->body[i].flags & KIN_RT_TURNS) rt->top[i].orientation = kin_quat_mul(by, rt->top[i].orientation);
}

/* A top's spin belongs to its orientation, and goes back with it: its energy stays. What its angular momentum would turn by with that is taken out of the orientation,
 * as turn_freely does (bodies.c), for the spin in its axes is that of the end; but only by a little, or a thin plate would turn over what it met. */
static void turn_back(kin_realtime* rt, uint32_t i)
{
    kin_rt_top* top = &rt->top[i];
    kin_rt_motion* m = &rt->lines.motion[kin_rt_line(i)];
    const kin_vec3 own = kin_unrotate(top->orientation, kin_rt_spin(rt, i)), momentum = kin_mul(rt->group->bodies.body[i].moments, own);
    const kin_quat to = kin_quat_mul(kin_quat_from_rotation_vector(kin_rt_get3(m->dr)), rt->group->bodies.body[i].orientation);
    const kin_quat back = kin_quat_between(kin_rotate(to, momentum), kin_rotate(top->orientation, momentum));
    const bool fits = 2 * kin_length(kin_quat_vector(back)) * (double)rt->glance[i].arm < KIN_RT_STOP_SLACK * (double)rt->glance[i].least;
    top->orientation = fits ? kin_quat_normalize(kin_quat_mul(back, to)) : to;
    top->spin = kin_rotate(top->orientation, own);
    kin_rt_put3(top->written, top->spin);
    for (int e = 0; e < 3; ++e) m->w[e] = top->written[e];
}

void kin_rt_cut_short(kin_realtime* rt, uint32_t i)
{
    const float part = rt->body[i].part;
    rt->body[i].part = 1, rt->body[i].followed = 0;
    if (part >= 1) return;
    rt->body[i].flags |= KIN_RT_CUT;
    kin_rt_motion* m = &rt->lines.motion[kin_rt_line(i)];
    for (int k = 0; k < 3; ++k) m->dx[k] *= part, m->dr[k] *= part;
    if (rt->body[i].flags & KIN_RT_TURNS) turn_back(rt, i);
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
        momentum = kin_add_scaled(momentum, mass, kin_rt_get3(rt->lines.motion[kin_rt_line(rt->fast.data[k])].v));
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
    const kin_vec3 still = kin_rt_get3(rt->lines.motion[kin_rt_line(b)].v);
    float* dx = rt->lines.motion[kin_rt_line(a)].dx;
    if (m->nearer > 0) kin_rt_put3(dx, kin_add_scaled(kin_rt_get3(dx), m->nearer, m->normal));
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

void kin_rt_apply_meetings(kin_rt_step* s, uint32_t count)
{
    kin_realtime* rt = s->rt;
    kin_arena* scratch = &s->step->jobs->arenas[0];
    kin_arena_mark mark = kin_arena_begin(scratch);
    void* room = kin_arena_take(scratch, count * sizeof *rt->meetings);
    if (room == NULL || !kin_rt_list_reserve(rt, &rt->met, rt->met.count + 2 * (size_t)count)) {
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
        kin_rt_list_add(&rt->met, m->a), kin_rt_list_add(&rt->met, m->b);
    }
    for (uint32_t k = 0; k < count; ++k) stop_joined(rt, rt->meetings[k].a), stop_joined(rt, rt->meetings[k].b);
    kin_arena_end(scratch, mark);
}
