/* report.c - contact impulses of an interval, for users and pictures.
 *
 * Rows hold the impulses of one substep, which the next begins with. All that a body is given in an interval by contacts is the sum of what the rows hold at
 * the end of each substep, and of impacts, which kernels.c adds to the same sums. So impulses are those that changed the momenta, to rounding. Contacts of bodies
 * asleep hold what they held in every substep of the last interval. */
#include "contact/realtime/realtime.h"
#include <string.h>

static void clear_sums(kin_rt_rows* r)
{
    memset(r->sum_normal, 0, sizeof r->sum_normal), memset(r->sum_along, 0, sizeof r->sum_along);
    memset(r->sum_twist, 0, sizeof r->sum_twist), memset(r->sum_rolled, 0, sizeof r->sum_rolled);
}

void kin_rt_report_begin(kin_rt_step* s)
{
    if (!kin_group_reports(s->rt->group)) return;
    for (uint32_t c = KIN_RT_DIRECT; c < s->rt->colour_count; ++c) {
        const uint32_t blocks = kin_rt_blocks(s->rt, c);
        for (uint32_t i = 0; i < blocks; ++i) clear_sums(&s->rt->colour[c].rows[i]);
    }
}

static void add_lanes(kin_rt_lane sum, const kin_rt_lane x, float times)
{
    for (int l = 0; l < KIN_RT_LANES; ++l) sum[l] += times * x[l];
}

/* What the rows of a block hold. */
static void add_rows(kin_rt_rows* r, const kin_rt_extra* x, float times)
{
    for (int k = 0; k < KIN_RT_POINTS; ++k) add_lanes(r->sum_normal[k], r->normal[k], times);
    for (int k = 0; k < 2; ++k) add_lanes(r->sum_along[k], r->along[k], times);
    add_lanes(r->sum_twist, r->twist, times);
    for (int k = 0; x != NULL && k < 2; ++k) add_lanes(r->sum_rolled[k], x->rolled[k], times);
}

static void add_colour(kin_realtime* rt, uint32_t colour, float times)
{
    kin_rt_colour* c = &rt->colour[colour];
    const uint32_t blocks = kin_rt_blocks(rt, colour);
    for (uint32_t i = 0; i < blocks; ++i) add_rows(&c->rows[i], c->flags[i] & KIN_RT_ROLLS ? &c->extra[i] : NULL, times);
}

void kin_rt_report_substep(kin_rt_step* s)
{
    if (!kin_group_reports(s->rt->group)) return;
    for (uint32_t c = KIN_RT_OVERFLOW; c < s->rt->colour_count; ++c) add_colour(s->rt, c, 1);
}

/* Friction of the point acts at the middle of the patch, with its moment about the normal. */
void kin_rt_report_direct(kin_realtime* rt, const kin_rt_contact* c, int point, double n, double t, double k)
{
    if (!kin_group_reports(rt->group)) return;
    kin_rt_rows* r = &rt->colour[c->colour].rows[c->slot / KIN_RT_LANES];
    const uint32_t l = c->slot % KIN_RT_LANES;
    const double along[2] = {-t, k}; /* on b; its normal is the opposite, and t2 with it */
    r->sum_normal[point][l] += (float)n;
    r->sum_along[0][l] += (float)along[0], r->sum_along[1][l] += (float)along[1];
    r->sum_twist[l] += (float)((double)r->at_a[point][l] * along[1] - (double)r->at_b[point][l] * along[0]);
}

/* ---- what users get ---- */

typedef struct view { /* of a contact's lane */
    kin_rt_geometry* g;
    kin_rt_rows* r;
    uint32_t l;
    double sign; /* 1: impulses on B, -1: on A */
} view;

static void write_points(const kin_realtime* rt, const kin_rt_pair* p, const view* v, kin_body_contact* out)
{
    const kin_transform a = kin_body_pose(&rt->group->bodies.body[p->a]), b = kin_body_pose(&rt->group->bodies.body[p->b]);
    for (int k = 0; k < KIN_RT_POINTS; ++k) {
        if (v->g->built[k][v->l] >= KIN_RT_FAR) continue;
        const kin_vec3 at = kin_lerp(kin_apply(a, kin_rt_vector(v->g->point_a[k], v->l)), kin_apply(b, kin_rt_vector(v->g->point_b[k], v->l)), 0.5);
        const double impulse = (double)v->r->sum_normal[k][v->l];
        out->points[out->count++] = (kin_contact_point){at, (double)v->r->gap[k][v->l], impulse};
        out->impulse += impulse;
        out->center = kin_add(out->center, at);
    }
    out->center = kin_scale(out->center, 1.0 / (out->count > 0 ? out->count : 1));
}

static void write_wrench(const view* v, kin_body_contact* out)
{
    kin_rt_rows* r = v->r;
    const kin_vec3 n = kin_rt_vector(r->n, v->l), t1 = kin_rt_vector(r->t, v->l), t2 = kin_cross(n, t1);
    out->normal = kin_scale(n, v->sign);
    const kin_vec3 friction = kin_add_scaled(kin_scale(t1, (double)r->sum_along[0][v->l]), (double)r->sum_along[1][v->l], t2);
    const kin_vec3 rolled = kin_add_scaled(kin_scale(t1, (double)r->sum_rolled[0][v->l]), (double)r->sum_rolled[1][v->l], t2);
    out->friction = kin_scale(friction, v->sign);
    out->twist = kin_scale(kin_add_scaled(rolled, (double)r->sum_twist[v->l], n), v->sign);
}

static void report(kin_realtime* rt, const kin_rt_contact* t)
{
    const kin_rt_pair* p = &rt->pairs[t->pair];
    kin_rt_colour* colour = &rt->colour[t->colour];
    const kin_body *a = &rt->group->bodies.body[p->a], *b = &rt->group->bodies.body[p->b];
    const bool b_first = b->inv_mass > a->inv_mass;
    if (!(kin_max(a->inv_mass, b->inv_mass) > 0)) return;
    const view v = {&colour->geometry[t->slot / KIN_RT_LANES], &colour->rows[t->slot / KIN_RT_LANES], t->slot % KIN_RT_LANES, b_first ? 1 : -1};
    kin_body_contact* out = kin_group_add_contact(rt->group);
    if (out == NULL) return;
    out->mass = b_first ? b->mass : a->mass;
    write_points(rt, p, &v, out);
    write_wrench(&v, out);
    out->a = kin_group_anchor(rt->group, b_first ? p->b : p->a, out->center);
    out->b = kin_group_anchor(rt->group, b_first ? p->a : p->b, out->center);
}

void kin_rt_report_end(kin_rt_step* s)
{
    kin_realtime* rt = s->rt;
    uint32_t count;
    if (!kin_group_reports(rt->group)) return;
    const uint32_t asleep = kin_rt_blocks(rt, KIN_RT_ASLEEP);
    for (uint32_t i = 0; i < asleep; ++i) clear_sums(&rt->colour[KIN_RT_ASLEEP].rows[i]);
    add_colour(rt, KIN_RT_ASLEEP, (float)s->substeps);
    if (!kin_rt_contacts_in_order(rt, &count)) {
        rt->group->events->lost = true;
        return;
    }
    for (uint32_t i = 0; i < count; ++i) report(rt, &rt->contacts[rt->values[i]]);
}
