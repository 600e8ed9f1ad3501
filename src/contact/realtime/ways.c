/* ways.c - where bodies go in an interval, and how two such ways meet: swept forms on their screws (collision/continuous), and middles along chords where what
 * they come to turns too fast for that. Shares of the interval throughout. */
#include "contact/realtime/sweep.h"

enum { TURN_MOST = 3, MOST_CHORDS = 256 };
#define CHORD 0.05 /* of KIN_RT_PROGRESS: how far a bent way may leave its chords */

/* ---- ways ---- */

static kin_transform form_of(const kin_realtime* rt, uint32_t i, kin_transform body)
{
    return rt->body[i].flags & KIN_RT_PLAIN ? body : kin_transform_mul(body, rt->group->bodies.skin[i].place);
}

kin_transform kin_rt_form_after(const kin_realtime* rt, uint32_t i, double part)
{
    const kin_bodies* b = &rt->group->bodies;
    if (b->motion[i] == KIN_BODY_KEYED) {
        const kin_screw path = kin_screw_between(b->start[i], b->end[i]);
        return form_of(rt, i, kin_screw_at(&path, part));
    }
    kin_transform pose = kin_body_pose(&b->body[i]);
    if (!kin_rt_moves(rt, i) || part <= 0) return form_of(rt, i, pose);
    const kin_rt_motion* m = &rt->lines.motion[kin_rt_line(i)];
    pose.position = kin_add_scaled(pose.position, part, kin_rt_get3(m->dx));
    pose.orientation = kin_quat_mul(kin_quat_from_rotation_vector(kin_scale(kin_rt_get3(m->dr), part)), pose.orientation);
    return form_of(rt, i, pose);
}

bool kin_rt_is_screw(const kin_realtime* rt, uint32_t i, double part)
{
    return part * part * kin_length2(kin_rt_get3(rt->lines.motion[kin_rt_line(i)].dr)) < TURN_MOST * TURN_MOST;
}

kin_screw kin_rt_path_of(const kin_realtime* rt, uint32_t i, double from, double to)
{
    kin_transform start = kin_rt_form_after(rt, i, from), end = kin_rt_form_after(rt, i, to);
    if (!kin_rt_is_screw(rt, i, to - from)) end.orientation = start.orientation;
    return kin_screw_between(start, end);
}

double kin_rt_least_of(const kin_realtime* rt, uint32_t a, uint32_t b) { return kin_min((double)rt->glance[a].least, (double)rt->glance[b].least); }
double kin_rt_near_of(const kin_realtime* rt, uint32_t a, uint32_t b) { return KIN_RT_NEAR * kin_min(kin_rt_least_of(rt, a, b), 1); }

double kin_rt_swing(const kin_realtime* rt, uint32_t i)
{
    const float* r = rt->lines.motion[kin_rt_line(i)].dr;
    return kin_sqrt((double)(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])) * kin_min(rt->group->bodies.skin[i].reach, 1e3);
}

double kin_rt_way_against(const kin_realtime* rt, uint32_t a, uint32_t b)
{
    kin_vec3 way = kin_sub(kin_rt_get3(rt->lines.motion[kin_rt_line(a)].dx), kin_rt_get3(rt->lines.motion[kin_rt_line(b)].dx));
    return (kin_length(way) + kin_rt_swing(rt, a) + kin_rt_swing(rt, b)) / kin_rt_least_of(rt, a, b);
}

bool kin_rt_is_out_of_reach(const kin_realtime* rt, uint32_t a, uint32_t b, double way)
{
    const kin_rt_glance *x = &rt->glance[a], *y = &rt->glance[b];
    double most = (double)x->reach + (double)y->reach + way * kin_rt_least_of(rt, a, b);
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

/* With the axes that they began with, seen along one of those or the line between them: a gap that no point of theirs can have crossed. */
bool kin_rt_stays_apart(const kin_realtime* rt, uint32_t a, uint32_t b, double from, double to_a, double to_b)
{
    if (!is_plain(rt, a) || !is_plain(rt, b)) return false;
    const kin_rt_solid* both[2] = {&rt->solid[a], &rt->solid[b]};
    const kin_vec3 dx_a = kin_rt_get3(rt->lines.motion[kin_rt_line(a)].dx), dx_b = kin_rt_get3(rt->lines.motion[kin_rt_line(b)].dx);
    const kin_vec3 apart = kin_add_scaled(kin_sub(both[1]->place, both[0]->place), from, kin_sub(dx_b, dx_a));
    const kin_vec3 way = kin_sub(kin_scale(dx_b, to_b - from), kin_scale(dx_a, to_a - from));
    const double most = to_a * kin_rt_swing(rt, a) + to_b * kin_rt_swing(rt, b) + kin_rt_near_of(rt, a, b);
    for (int k = 0; k < 7; ++k) {
        const double* axis = both[k / 4]->axis[k % 4 == 3 ? 0 : k % 4];
        kin_vec3 n = k == 3 ? kin_normalize_or(apart, kin_v(0, 1, 0)) : kin_v(axis[0], axis[1], axis[2]);
        if (kin_dot(n, apart) < 0) n = kin_neg(n);
        if (kin_dot(n, apart) - half_along(rt, a, n) - half_along(rt, b, n) > most + kin_max(0, -kin_dot(n, way))) return true;
    }
    return false;
}

/* ---- forms that touch ---- */

/* A one-way body stops nothing that comes the wrong way. */
static bool lets_pass(const kin_realtime* rt, uint32_t way, uint32_t other, kin_vec3 out)
{
    const kin_body_skin* skin = &rt->group->bodies.skin[way];
    if (kin_length2(skin->one_way) == 0) return false;
    kin_vec3 d = kin_rotate(kin_quat_mul(rt->group->bodies.body[way].orientation, skin->place.orientation), skin->one_way);
    kin_vec3 v = kin_sub(kin_rt_get3(rt->lines.motion[kin_rt_line(other)].v), kin_rt_get3(rt->lines.motion[kin_rt_line(way)].v));
    return kin_dot(out, d) <= 0 || kin_dot(v, d) > 0;
}

bool kin_rt_paths_touch(const kin_realtime* rt, uint32_t a, const kin_screw* pa, uint32_t b, const kin_screw* pb, kin_arena* scratch, double* t)
{
    const kin_body_skin* skin = rt->group->bodies.skin;
    kin_impact_settings settings = kin_impact_defaults();
    settings.tolerance = kin_rt_near_of(rt, a, b);
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

/* ---- middles ---- */

kin_vec3 kin_rt_middle_after(const kin_realtime* rt, uint32_t a, uint32_t b, double part)
{
    kin_vec3 at = kin_add_scaled(rt->group->bodies.body[a].position, part, kin_rt_get3(rt->lines.motion[kin_rt_line(a)].dx));
    return kin_unapply(kin_rt_form_after(rt, b, part), at);
}

typedef struct bend {   /* of the way of a middle, as what turns sees it */
    double turn, speed; /* rad and m an interval */
    double near, reach; /* m: how far it may leave its chords at the surface; where the form ends */
} bend;

static bend bend_of(const kin_realtime* rt, uint32_t a, uint32_t b)
{
    const kin_screw path = kin_rt_path_of(rt, b, 0, 1);
    const bool keyed = rt->group->bodies.motion[b] == KIN_BODY_KEYED;
    return (bend){.turn = keyed ? path.angle : kin_length(kin_rt_get3(rt->lines.motion[kin_rt_line(b)].dr)),
                  .speed = kin_length(kin_sub(kin_rt_get3(rt->lines.motion[kin_rt_line(a)].dx), path.shift)),
                  .near = CHORD * KIN_RT_PROGRESS * (double)rt->glance[a].least,
                  .reach = (double)rt->glance[b].reach};
}

/* A share of the interval: a way leaves its chord by at most an eighth of what w^2 r + 2 w v is over it; far from the form more is allowed. */
static double chord_at(const bend* x, double away)
{
    const double most = kin_max(x->near, 0.5 * (away - x->reach)), acceleration = x->turn * (x->turn * away + 2 * x->speed);
    return acceleration > 8 * most ? kin_sqrt(8 * most / acceleration) : 1;
}

/* How deep a's middle may be in b before it is stopped, m: what is thinner than the other overlaps it there as a matter of course, and rows have it out while it
 * is nearer to the side that it came from. */
static double deepest(const kin_realtime* rt, uint32_t a, uint32_t b)
{
    const kin_body_skin* skin = rt->group->bodies.skin;
    return skin[a].thickness < skin[b].thickness ? KIN_RT_PROGRESS * kin_min((double)rt->glance[a].least, skin[b].thickness) : 0;
}

bool kin_rt_middle_crosses(const kin_realtime* rt, uint32_t a, uint32_t b, kin_rt_crossing* out)
{
    const kin_form* form = rt->group->bodies.skin[b].form;
    const bend bent = bend_of(rt, a, b);
    const double deep = deepest(rt, a, b);
    kin_vec3 from = kin_rt_middle_after(rt, a, b, 0);
    double t = 0;
    bool crossed = false;
    kin_touch hit;
    if (form->has_inside && form->ops->closest(form, from, 0, &hit, 1) > 0) return false; /* it is in there, and on its way out */
    for (int k = 1; k <= MOST_CHORDS && t < 1; ++k) {
        const double next = k < MOST_CHORDS ? kin_min(t + chord_at(&bent, kin_length(from)), 1) : 1;
        const kin_vec3 to = kin_rt_middle_after(rt, a, b, next), way = kin_sub(to, from);
        if (!crossed && form->ops->ray(form, from, way, 1, &hit) && kin_dot(way, hit.normal) < 0) {
            crossed = true;
            *out = (kin_rt_crossing){t + hit.t * (next - t), -kin_dot(way, hit.normal) / (next - t), hit.normal};
        }
        if (crossed && kin_dot(kin_sub(hit.point, to), hit.normal) > deep) return true;
        from = to, t = next;
    }
    return false;
}
