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

bool kin_rt_is_curved(const kin_form* f)
{
    for (uint32_t i = 0; i < f->part_count; ++i) {
        if (kin_rt_is_curved(f->parts[i].form)) return true;
    }
    return f->part_count == 0 && f->is_convex && (f->convex.radius > 0 || !kin_convex_is_polyhedral(&f->convex));
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
    const unsigned found = (plain ? KIN_RT_PLAIN : 0) | (kin_rt_is_curved(skin->form) ? KIN_RT_CURVED : 0);
    rt->body[i].flags = (uint16_t)((rt->body[i].flags & ~(KIN_RT_PLAIN | KIN_RT_CURVED)) | found);
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

/* ---- what rolls ----
 *
 * Where a curved face touches, the place runs over both bodies as they turn. Rows stand for the whole interval, so they want that place as it is at the mean of the
 * times at which they act, the starts of the substeps: as it was when the interval began it lags, and a force that lags feeds what swings (a ball with its weight
 * below its centre rocked higher and higher). So contacts that roll are found where their bodies will be then, by their velocities; anchors are the points that meet
 * there (lane.c). */

bool kin_rt_is_even(const kin_realtime* rt, uint32_t i) { return rt->glance[i].form == KIN_RT_FORM_BALL && (rt->body[i].flags & KIN_RT_PLAIN) != 0; }

kin_transform kin_rt_pose_ahead(const kin_realtime* rt, uint32_t i, double time)
{
    const kin_rt_motion* m = &rt->lines.motion[kin_rt_line(i)];
    const kin_vec3 turn = kin_scale(kin_rt_get3(m->w), time);
    kin_transform pose = kin_body_pose(&rt->group->bodies.body[i]);
    pose.position = kin_add_scaled(pose.position, time, kin_rt_get3(m->v));
    if (kin_length2(turn) > 0 && !kin_rt_is_even(rt, i))
        pose.orientation = kin_quat_normalize(kin_quat_mul(kin_quat_from_rotation_vector(turn), pose.orientation));
    return pose;
}

/* How fast two bodies part along a direction at a place from both their centres. */
static double parting(const kin_realtime* rt, const kin_rt_pair* p, kin_vec3 n, kin_vec3 arm_a, kin_vec3 arm_b)
{
    const kin_rt_motion *a = &rt->lines.motion[kin_rt_line(p->a)], *b = &rt->lines.motion[kin_rt_line(p->b)];
    const kin_vec3 at_a = kin_add(kin_rt_get3(a->v), kin_cross(kin_rt_get3(a->w), arm_a));
    const kin_vec3 at_b = kin_add(kin_rt_get3(b->v), kin_cross(kin_rt_get3(b->w), arm_b));
    return kin_dot(n, kin_sub(at_b, at_a));
}

/* It has a contact that rolls, and none that comes closer by more than anchors may part: a blow is met where it falls. */
static bool rolls_on(const kin_realtime* rt, const kin_rt_pair* p)
{
    const double most = KIN_RT_SLACK * least_half(&rt->glance[p->a], &rt->glance[p->b]);
    bool rolls = false;
    if (((rt->body[p->a].flags | rt->body[p->b].flags) & KIN_RT_CURVED) == 0) return false;
    for (uint32_t c = p->contacts; c != KIN_RT_NONE; c = rt->contacts[c].next) {
        const kin_rt_colour* colour = &rt->colour[rt->contacts[c].colour];
        const uint32_t block = rt->contacts[c].slot / KIN_RT_LANES, lane = rt->contacts[c].slot % KIN_RT_LANES;
        kin_rt_rows* r = &colour->rows[block];
        if (colour->geometry[block].roll[lane] >= KIN_RT_FAR) continue;
        if (-rt->middle * parting(rt, p, kin_rt_vector(r->n, lane), kin_rt_vector(r->arm_a, lane), kin_rt_vector(r->arm_b, lane)) > most) return false;
        rolls = true;
    }
    return rolls;
}

double kin_rt_time_ahead(const kin_realtime* rt, const kin_rt_pair* p) { return (p->flags & KIN_RT_PAIR_AHEAD) != 0 ? rt->middle : 0; }

static kin_rt_solid solid_ahead(const kin_realtime* rt, uint32_t i, double time)
{
    kin_rt_solid s = rt->solid[i];
    const kin_body_skin* skin = &rt->group->bodies.skin[i];
    if (kin_rt_is_even(rt, i)) {
        s.place = kin_add_scaled(s.place, time, kin_rt_get3(rt->lines.motion[kin_rt_line(i)].v));
        return s;
    }
    const kin_transform pose = kin_transform_mul(kin_rt_pose_ahead(rt, i, time), skin->place);
    kin_mat3 axes = kin_quat_to_matrix(pose.orientation);
    if (rt->glance[i].form == KIN_RT_FORM_PLANE) axes.cx = kin_mat3_apply(axes, skin->form->normal);
    s.place = pose.position;
    put3(s.axis[0], axes.cx), put3(s.axis[1], axes.cy), put3(s.axis[2], axes.cz);
    return s;
}

static kin_transform form_pose(const kin_realtime* rt, uint32_t i, double time)
{
    if (time == 0) return kin_bodies_form_pose(&rt->group->bodies, i);
    return kin_transform_mul(kin_rt_pose_ahead(rt, i, time), rt->group->bodies.skin[i].place);
}

/* Separations found ahead, back to now at the rate that rows have all the while. */
static void set_back(const kin_realtime* rt, const kin_rt_pair* p, kin_manifold* m, int count, double time)
{
    const kin_vec3 a = kin_rt_pose_ahead(rt, p->a, time).position, b = kin_rt_pose_ahead(rt, p->b, time).position;
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < m[i].count; ++k) {
            kin_manifold_point* x = &m[i].points[k];
            x->separation -= time * parting(rt, p, kin_neg(m[i].normal), kin_sub(x->point, a), kin_sub(x->point, b));
        }
    }
}

/* ---- a pair ---- */

static int collide_others(kin_realtime* rt, kin_rt_pair* p, double margin, kin_arena* scratch, kin_manifold* out, int most, double* gap)
{
    const kin_body_skin* skin = rt->group->bodies.skin;
    const double time = kin_rt_time_ahead(rt, p);
    kin_collide_cache* cache = kin_rt_cache_of(rt, p);
    int count = kin_collide(skin[p->a].form, form_pose(rt, p->a, time), skin[p->b].form, form_pose(rt, p->b, time), margin, cache, scratch, out, most);
    if (time > 0) set_back(rt, p, out, count, time);
    if (count == 0 && cache != NULL && time == 0) *gap = cache->gap;
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

/* Planes and balls are A, as collide_closed wants them. */
static kin_rt_meet collide_sorted(kin_realtime* rt, kin_rt_pair* p, double time, double margin, kin_manifold* out, double* gap)
{
    const kin_rt_form a = (kin_rt_form)rt->glance[p->a].form, b = (kin_rt_form)rt->glance[p->b].form;
    const bool flip = a == KIN_RT_FORM_PLANE || (b == KIN_RT_FORM_BALL && a == KIN_RT_FORM_BOX);
    kin_rt_solid ahead[2];
    if (time > 0) ahead[0] = solid_ahead(rt, p->a, time), ahead[1] = solid_ahead(rt, p->b, time);
    const kin_rt_solid *sa = time > 0 ? &ahead[0] : &rt->solid[p->a], *sb = time > 0 ? &ahead[1] : &rt->solid[p->b];
    out->part_a = out->part_b = out->triangle_a = out->triangle_b = 0;
    const kin_rt_meet meet = flip ? collide_closed(b, sb, a, sa, margin, &p->axis, out, gap) : collide_closed(a, sa, b, sb, margin, &p->axis, out, gap);
    if (flip && meet == KIN_RT_MEET) out->normal = kin_neg(out->normal);
    return meet;
}

/* Ahead, with the separation that a ball has now, as its way may be curved: on another ball it falls away from its tangent. */
static kin_rt_meet collide_ahead(kin_realtime* rt, kin_rt_pair* p, double time, double margin, kin_manifold* out, double* gap)
{
    kin_manifold now;
    const kin_rt_meet meet = collide_sorted(rt, p, time, margin, out, gap);
    if (meet != KIN_RT_MEET) return meet;
    if (out->count == 1 && collide_sorted(rt, p, 0, margin, &now, gap) == KIN_RT_MEET && now.count == 1)
        out->points[0].separation = now.points[0].separation;
    else
        set_back(rt, p, out, 1, time);
    return meet;
}

static int collide_at(kin_realtime* rt, kin_rt_pair* p, double margin, kin_arena* scratch, kin_manifold* out, int most, double* gap)
{
    const kin_rt_form a = (kin_rt_form)rt->glance[p->a].form, b = (kin_rt_form)rt->glance[p->b].form;
    if (!is_closed(a) || !is_closed(b) || (a == KIN_RT_FORM_PLANE && b == KIN_RT_FORM_PLANE)) return collide_others(rt, p, margin, scratch, out, most, gap);
    const double time = kin_rt_time_ahead(rt, p);
    const kin_rt_meet meet = time > 0 ? collide_ahead(rt, p, time, margin, out, gap) : collide_sorted(rt, p, 0, margin, out, gap);
    if (meet == KIN_RT_UNSURE) return collide_others(rt, p, margin, scratch, out, most, gap);
    return meet == KIN_RT_MEET;
}

int kin_rt_collide(kin_realtime* rt, kin_rt_pair* p, double margin, kin_arena* scratch, kin_manifold* out, int most, double* gap)
{
    *gap = 0;
    if (is_far(&rt->glance[p->a], &rt->glance[p->b], margin, gap)) return 0;
    if (rolls_on(rt, p) != ((p->flags & KIN_RT_PAIR_AHEAD) != 0)) p->flags ^= KIN_RT_PAIR_AHEAD;
    const int count = collide_at(rt, p, margin, scratch, out, most, gap);
    if (count > 0 || (p->flags & KIN_RT_PAIR_AHEAD) == 0) return count;
    p->flags ^= KIN_RT_PAIR_AHEAD; /* a neighbour may yet push them together again */
    return collide_at(rt, p, margin, scratch, out, most, gap);
}
