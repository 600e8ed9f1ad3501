/* narrow.c - the narrow phase of a pair: a glance that finds most apart, then the method of the two forms. */
#include "contact/realtime/realtime.h"

#define SPECULATIVE 0.1      /* of the least half extent: a gap this small is a contact already; at most: */
#define SPECULATIVE_MAX 0.02 /* m */
#define AHEAD_MAX 1.0        /* of the least half extent: and what will be this near within the interval */

static kin_rt_form form_of(const kin_form* f)
{
    if (f == NULL) return KIN_RT_FORM_NONE;
    if (f->kind == KIN_SHAPE_PLANE) return KIN_RT_FORM_PLANE;
    if (f->is_convex && f->convex.core == KIN_CORE_POINT) return KIN_RT_FORM_BALL;
    if (f->is_convex && f->convex.core == KIN_CORE_BOX && f->convex.radius == 0) return KIN_RT_FORM_BOX;
    return KIN_RT_FORM_OTHER;
}

static void put3(double* to, kin_vec3 v) { to[0] = v.x, to[1] = v.y, to[2] = v.z; }

/* What does not change with the pose. */
void kin_rt_solid_make(kin_realtime* rt, uint32_t i)
{
    const kin_body_skin* skin = &rt->group->bodies.skin[i];
    kin_rt_glance* g = &rt->glance[i];
    *g = (kin_rt_glance){.form = (uint8_t)form_of(skin->form), .least = 1e30f, .arm = (float)kin_min(skin->reach, 1e3)};
    if (skin->form == NULL) return;
    put3(rt->solid[i].half, skin->form->convex.half);
    if (g->form == KIN_RT_FORM_BALL) rt->solid[i].half[0] = skin->form->convex.radius;
    g->reach = (float)kin_min(skin->form->reach, 1e30) * 1.000001f;
    if (kin_rt_is_free(rt, i)) g->least = (float)kin_max(skin->thickness, 0.01 * (double)g->arm);
    bool plain = skin->place.orientation.w == 1 && kin_length2(skin->place.position) == 0 && g->form != KIN_RT_FORM_PLANE;
    rt->body[i].flags = (uint16_t)((rt->body[i].flags & ~KIN_RT_PLAIN) | (plain ? KIN_RT_PLAIN : 0));
}

void kin_rt_solid_load(kin_realtime* rt, uint32_t i, kin_transform pose, kin_mat3 axes, double h)
{
    kin_rt_glance* g = &rt->glance[i];
    kin_rt_solid* s = &rt->solid[i];
    if (g->form == KIN_RT_FORM_NONE) return;
    if ((rt->body[i].flags & KIN_RT_PLAIN) == 0) {
        const kin_body_skin* skin = &rt->group->bodies.skin[i];
        pose = kin_transform_mul(pose, skin->place);
        axes = kin_quat_to_matrix(pose.orientation);
        if (g->form == KIN_RT_FORM_PLANE) axes.cx = kin_mat3_apply(axes, skin->form->normal);
    }
    s->place = g->place = pose.position;
    put3(s->axis[0], axes.cx), put3(s->axis[1], axes.cy), put3(s->axis[2], axes.cz);
    const kin_rt_motion* m = &rt->lines.motion[kin_rt_line(i)];
    float spin = m->w[0] * m->w[0] + m->w[1] * m->w[1] + m->w[2] * m->w[2];
    for (int k = 0; k < 3; ++k) g->shift[k] = (float)h * m->v[k];
    g->swing = (float)h * __builtin_sqrtf(spin) * g->arm;
    rt->travel[i].soon = rt->travel[i].gone + h * kin_length(kin_rt_get3(m->v)) + (double)g->swing;
}

static double least_half(const kin_rt_glance* a, const kin_rt_glance* b) { return (double)(a->least < b->least ? a->least : b->least); }

double kin_rt_margin_at_rest(const kin_realtime* rt, const kin_rt_pair* p)
{
    return kin_min(SPECULATIVE * least_half(&rt->glance[p->a], &rt->glance[p->b]), SPECULATIVE_MAX);
}

double kin_rt_margin(const kin_realtime* rt, const kin_rt_pair* p)
{
    const kin_rt_glance *a = &rt->glance[p->a], *b = &rt->glance[p->b];
    double half = least_half(a, b);
    float x = b->shift[0] - a->shift[0], y = b->shift[1] - a->shift[1], z = b->shift[2] - a->shift[2];
    double closing = kin_sqrt((double)(x * x + y * y + z * z)) + (double)a->swing + (double)b->swing;
    const uint8_t* motion = rt->group->bodies.motion;
    bool keyed = motion[p->a] == KIN_BODY_KEYED || motion[p->b] == KIN_BODY_KEYED; /* it cannot be stopped by a sweep: all that it will meet is seen now */
    return kin_rt_margin_at_rest(rt, p) + (keyed ? closing : kin_min(closing, AHEAD_MAX * half));
}

/* The balls that hold their forms are. */
static bool is_far(const kin_rt_glance* a, const kin_rt_glance* b, double margin, double* gap)
{
    const double reach = (double)a->reach + (double)b->reach, apart2 = kin_length2(kin_sub(b->place, a->place));
    if (!(apart2 > kin_square(reach + margin))) return false;
    *gap = kin_sqrt(apart2) - reach;
    return true;
}

static kin_transform form_pose(const kin_realtime* rt, uint32_t i) { return kin_bodies_form_pose(&rt->group->bodies, i); }

static int collide_others(kin_realtime* rt, kin_rt_pair* p, double margin, kin_arena* scratch, kin_manifold* out, int most, double* gap)
{
    const kin_body_skin* skin = rt->group->bodies.skin;
    kin_collide_cache* cache = kin_rt_cache_of(rt, p);
    int count = kin_collide(skin[p->a].form, form_pose(rt, p->a), skin[p->b].form, form_pose(rt, p->b), margin, cache, scratch, out, most);
    if (count == 0 && cache != NULL) *gap = cache->gap;
    return count;
}

/* a has the lower number of kin_rt_form where they differ, but for balls, which come first. */
static kin_rt_meet collide_closed(kin_rt_form a, const kin_rt_solid* sa, kin_rt_form b, const kin_rt_solid* sb, double margin, uint8_t* axis, kin_manifold* out,
                                  double* gap)
{
    if (a == KIN_RT_FORM_BOX && b == KIN_RT_FORM_BOX) return kin_rt_collide_boxes(sa, sb, margin, axis, out, gap);
    bool meet;
    if (a == KIN_RT_FORM_BOX)
        meet = kin_rt_collide_box_plane(sa, sb, margin, out);
    else if (b == KIN_RT_FORM_BALL)
        meet = kin_rt_collide_balls(sa, sb, margin, out);
    else
        meet = b == KIN_RT_FORM_BOX ? kin_rt_collide_ball_box(sa, sb, margin, out) : kin_rt_collide_ball_plane(sa, sb, margin, out);
    return meet ? KIN_RT_MEET : KIN_RT_APART;
}

static bool is_closed(kin_rt_form f) { return f == KIN_RT_FORM_BOX || f == KIN_RT_FORM_BALL || f == KIN_RT_FORM_PLANE; }

int kin_rt_collide(kin_realtime* rt, kin_rt_pair* p, double margin, kin_arena* scratch, kin_manifold* out, int most, double* gap)
{
    const kin_rt_glance *ga = &rt->glance[p->a], *gb = &rt->glance[p->b];
    *gap = 0;
    if (is_far(ga, gb, margin, gap)) return 0;
    kin_rt_form a = (kin_rt_form)ga->form, b = (kin_rt_form)gb->form;
    if (!is_closed(a) || !is_closed(b) || (a == KIN_RT_FORM_PLANE && b == KIN_RT_FORM_PLANE)) return collide_others(rt, p, margin, scratch, out, most, gap);
    bool flip = a == KIN_RT_FORM_PLANE || (b == KIN_RT_FORM_BALL && a == KIN_RT_FORM_BOX);
    const kin_rt_solid *sa = &rt->solid[p->a], *sb = &rt->solid[p->b];
    out->part_a = out->part_b = out->triangle_a = out->triangle_b = 0;
    const kin_rt_meet meet = flip ? collide_closed(b, sb, a, sa, margin, &p->axis, out, gap) : collide_closed(a, sa, b, sb, margin, &p->axis, out, gap);
    if (meet == KIN_RT_UNSURE) return collide_others(rt, p, margin, scratch, out, most, gap);
    if (meet == KIN_RT_APART) return 0;
    if (flip) out->normal = kin_neg(out->normal);
    return 1;
}
