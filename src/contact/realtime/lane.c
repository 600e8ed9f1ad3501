/* lane.c - a manifold written into its lane: anchors and frame in both bodies' axes, the frame frozen in the world, impulses handed from the old points to
 * the nearest new ones. */
#include "contact/friction.h"
#include "contact/realtime/realtime.h"

#define ROLLS 1e-4 /* rad: what rolls is built anew when its bodies have turned by this against each other */
#define RUNS 2e-6  /* rad: an ellipsoid. Turns are known to a tenth of it */
#define NEAR 0.2   /* of the least half extent: an impulse passes to a point no farther than this */

typedef struct old_lane { /* what is kept of the manifold before */
    int count;
    float point_a[4][3], point_b[4][3], normal[4];
    kin_vec3 friction, tangent; /* in A's axes; N s */
    float twist;
} old_lane;

typedef struct writer {
    kin_rt_geometry* g;
    kin_rt_rows* r;
    uint32_t lane;
    kin_mat3 axes_a, axes_b;    /* as the interval began: of frames */
    kin_vec3 from;              /* A's centre as the manifold has it, m; so are the next three */
    kin_vec3 apart;             /* B's centre from A's */
    kin_mat3 turn_a, turn_b;    /* of anchors */
    kin_vec3 n, t1, t2, centre; /* world; centre from A's */
    kin_vec3 apart_now;         /* as the interval began */
    double half, roll;          /* m; rad */
    bool is_ahead;              /* the manifold has places later than that */
} writer;

static kin_vec3 get3(kin_rt_lane* x, uint32_t lane) { return kin_v((double)x[0][lane], (double)x[1][lane], (double)x[2][lane]); }
static void put3(kin_rt_lane* x, uint32_t lane, kin_vec3 v) { x[0][lane] = (float)v.x, x[1][lane] = (float)v.y, x[2][lane] = (float)v.z; }

static void read_old(const writer* w, old_lane* old)
{
    uint32_t l = w->lane;
    old->count = 0;
    for (int k = 0; k < KIN_RT_POINTS; ++k) {
        if (w->g->built[k][l] >= KIN_RT_FAR) continue;
        for (int e = 0; e < 3; ++e) old->point_a[old->count][e] = w->g->point_a[k][e][l], old->point_b[old->count][e] = w->g->point_b[k][e][l];
        old->normal[old->count++] = w->r->normal[k][l];
    }
    kin_vec3 n = get3(w->g->n_a, l), t = get3(w->g->t_a, l);
    old->tangent = t;
    old->friction = kin_add_scaled(kin_scale(t, (double)w->r->along[0][l]), (double)w->r->along[1][l], kin_cross(n, t));
    old->twist = w->r->twist[l];
}

/* t1 as before where it still fits, else the axis of A least along n. */
static kin_vec3 choose_tangent(kin_vec3 n, const old_lane* old)
{
    kin_vec3 t = old->tangent;
    if (old->count == 0 || kin_abs(kin_dot(t, n)) > 0.7) t = kin_friction_axis(n);
    return kin_normalize_or(kin_add_scaled(t, -kin_dot(t, n), n), kin_v(1, 0, 0));
}

/* tangent: in A's axes, across the normal; zero: any will do. */
static void write_frame(writer* w, kin_vec3 normal, kin_vec3 tangent, const old_lane* old)
{
    uint32_t l = w->lane;
    w->n = normal;
    kin_vec3 n = kin_mat3_apply_transposed(w->axes_a, normal), friction = old->count > 0 ? old->friction : kin_v(0, 0, 0);
    kin_vec3 t = kin_length2(tangent) > 0 ? tangent : choose_tangent(n, old);
    w->t1 = kin_mat3_apply(w->axes_a, t);
    w->t2 = kin_cross(w->n, w->t1);
    put3(w->g->n_a, l, n), put3(w->g->t_a, l, t);
    put3(w->g->n_b, l, kin_mat3_apply_transposed(w->axes_b, w->n)), put3(w->g->t_b, l, kin_mat3_apply_transposed(w->axes_b, w->t1));
    put3(w->r->n, l, w->n), put3(w->r->t, l, w->t1);
    w->r->along[0][l] = (float)kin_dot(friction, t);
    w->r->along[1][l] = (float)kin_dot(friction, kin_cross(n, t));
    w->r->twist[l] = old->count > 0 ? old->twist : 0;
    w->g->rest[0][l] = w->g->rest[1][l] = 0;
    w->r->slid[l] = w->roll > 0 ? 1 : 0; /* its anchors are not where friction holds it */
}

static float square_to(const float p[3], kin_vec3 q)
{
    float x = p[0] - (float)q.x, y = p[1] - (float)q.y, z = p[2] - (float)q.z;
    return x * x + y * y + z * z;
}

/* The impulse of the nearest old point that none has taken; by the nearer of A's and B's view. */
static float inherited(const old_lane* old, unsigned* used, kin_vec3 a, kin_vec3 b, float limit)
{
    int best = -1;
    for (int j = 0; j < old->count; ++j) {
        if (*used >> j & 1) continue;
        float da = square_to(old->point_a[j], a), db = square_to(old->point_b[j], b), d = db < da ? db : da;
        if (d < limit) limit = d, best = j;
    }
    if (best < 0) return 0;
    *used |= 1u << best;
    return old->normal[best];
}

/* By how much anchors found ahead are apart now: with their bodies they part or meet by the square of the angle, too, which is no gap. */
static double apart_now(const writer* w, kin_vec3 a, kin_vec3 b)
{
    return kin_dot(w->n, kin_add(w->apart_now, kin_sub(kin_mat3_apply(w->axes_b, b), kin_mat3_apply(w->axes_a, a))));
}

static void write_point(const writer* w, int k, const kin_manifold_point* p, const old_lane* old, unsigned* used)
{
    uint32_t l = w->lane;
    kin_vec3 from_a = kin_sub(p->point, w->from), off = kin_sub(from_a, w->centre);
    kin_vec3 a = kin_mat3_apply_transposed(w->turn_a, from_a), b = kin_mat3_apply_transposed(w->turn_b, kin_sub(from_a, w->apart));
    put3(w->g->point_a[k], l, a), put3(w->g->point_b[k], l, b);
    w->g->built[k][l] = (float)(w->is_ahead ? p->separation - apart_now(w, a, b) : p->separation);
    w->r->at_a[k][l] = (float)kin_dot(off, w->t1), w->r->at_b[k][l] = (float)kin_dot(off, w->t2);
    w->r->normal[k][l] = inherited(old, used, a, b, w->roll > 0 ? KIN_RT_FAR : (float)kin_square(NEAR * w->half));
}

static void clear_point(const writer* w, int k)
{
    uint32_t l = w->lane;
    put3(w->g->point_a[k], l, kin_v(0, 0, 0)), put3(w->g->point_b[k], l, kin_v(0, 0, 0));
    w->g->built[k][l] = KIN_RT_FAR;
    w->r->at_a[k][l] = w->r->at_b[k][l] = w->r->normal[k][l] = 0;
}

static void write_points(writer* w, const kin_manifold* m, const old_lane* old)
{
    kin_vec3 sum = {0, 0, 0};
    for (int k = 0; k < m->count; ++k) sum = kin_add(sum, kin_sub(m->points[k].point, w->from));
    w->centre = kin_scale(sum, 1.0 / m->count);
    put3(w->r->arm_a, w->lane, w->centre);
    put3(w->r->arm_b, w->lane, kin_sub(w->centre, w->apart));
    unsigned used = 0;
    for (int k = 0; k < m->count; ++k) write_point(w, k, &m->points[k], old, &used);
    for (int k = m->count; k < KIN_RT_POINTS; ++k) clear_point(w, k);
}

/* The axes that the kernels turn anchors by. */
static kin_mat3 axes_of(const kin_realtime* rt, uint32_t body)
{
    const float* r = rt->lines.frame[kin_rt_line(body)].turn;
    return kin_mat3_from_rows(kin_v((double)r[0], (double)r[1], (double)r[2]), kin_v((double)r[3], (double)r[4], (double)r[5]),
                              kin_v((double)r[6], (double)r[7], (double)r[8]));
}

static bool is_flat(const kin_realtime* rt, uint32_t i) { return rt->glance[i].form == KIN_RT_FORM_PLANE || rt->glance[i].form == KIN_RT_FORM_BOX; }

static const kin_form* part_of(const kin_form* f, uint32_t part) { return f->part_count > 0 ? f->parts[part].form : f; }

/* rad: a contact that rolls is built anew when its bodies have turned by this against each other; 0: it does not roll. Where a curved face touches in a point or
 * along a line it does; what touches in more lies on a flat face of it. A ball whose weight is in its centre has the same levers however it turns on a plane or a
 * box. Places run over an ellipsoid faster than it turns by the ratio of its radii of curvature to its size, which knows no bound. */
static double roll_of(const kin_realtime* rt, const kin_rt_contact* c, const kin_manifold* m)
{
    const kin_rt_pair* p = &rt->pairs[c->pair];
    if (m->count > 2 || ((rt->body[p->a].flags | rt->body[p->b].flags) & KIN_RT_CURVED) == 0) return 0;
    if ((kin_rt_is_even(rt, p->a) && is_flat(rt, p->b)) || (kin_rt_is_even(rt, p->b) && is_flat(rt, p->a))) return 0;
    const kin_form *a = part_of(rt->group->bodies.skin[p->a].form, c->part_a), *b = part_of(rt->group->bodies.skin[p->b].form, c->part_b);
    if (!kin_rt_is_curved(a) && !kin_rt_is_curved(b)) return 0;
    return a->kind == KIN_SHAPE_ELLIPSOID || b->kind == KIN_SHAPE_ELLIPSOID ? RUNS : ROLLS;
}

static void write_slack(const writer* w)
{
    w->g->slack[w->lane] = (float)kin_square(KIN_RT_SLACK * w->half);
    w->g->roll[w->lane] = w->roll > 0 ? (float)kin_square(w->roll) : KIN_RT_FAR;
}

static kin_material_id material_of(const kin_body_skin* skin, uint32_t part)
{
    kin_material_id own = kin_form_material(skin->form, part);
    return own.index1 != 0 ? own : skin->material;
}

static kin_pair stuff_of(const kin_realtime* rt, const kin_rt_contact* c)
{
    const kin_rt_pair* p = &rt->pairs[c->pair];
    const kin_body_skin* skin = rt->group->bodies.skin;
    return kin_materials_pair(rt->group->materials, material_of(&skin[p->a], c->part_a), material_of(&skin[p->b], c->part_b));
}

/* Half of what the second tangent has more. */
static float askew(const double friction[2]) { return (float)(0.5 * (friction[1] - friction[0])); }

static void write_friction(kin_realtime* rt, const kin_rt_contact* c, const kin_pair* stuff)
{
    const float more[2] = {askew(stuff->static_friction), askew(stuff->dynamic_friction)};
    const bool is_askew = more[0] != 0 || more[1] != 0;
    kin_rt_colour* colour = &rt->colour[c->colour];
    uint32_t block = c->slot / KIN_RT_LANES, lane = c->slot % KIN_RT_LANES;
    if (is_askew) rt->pairs[c->pair].flags |= KIN_RT_PAIR_ASKEW;
    if (!kin_rt_graph_flag(rt, c, is_askew ? KIN_RT_ASKEW : 0)) rt->out_of_memory = true;
    colour->rows[block].stick[lane] = c->stick, colour->rows[block].slip[lane] = c->slip;
    for (int i = 0; colour->extra != NULL && i < 2; ++i) colour->extra[block].askew[i][lane] = more[i];
}

void kin_rt_lane_friction(kin_realtime* rt, const kin_rt_contact* c)
{
    const kin_pair stuff = stuff_of(rt, c);
    write_friction(rt, c, &stuff);
}

/* How its materials meet, into the lane and the block's flags; the contact keeps what a filter may change for a step. */
void kin_rt_lane_stuff(kin_realtime* rt, kin_rt_contact* c)
{
    const kin_pair stuff = stuff_of(rt, c);
    kin_rt_colour* colour = &rt->colour[c->colour];
    uint32_t block = c->slot / KIN_RT_LANES, lane = c->slot % KIN_RT_LANES;
    c->stick = (float)(0.5 * (stuff.static_friction[0] + stuff.static_friction[1]));
    c->slip = (float)(0.5 * (stuff.dynamic_friction[0] + stuff.dynamic_friction[1]));
    c->restitution = (float)stuff.restitution;
    write_friction(rt, c, &stuff);
    colour->rows[block].spin[lane] = (float)stuff.spinning_friction;
    if (!kin_rt_graph_flag(rt, c, (stuff.restitution > 0 ? KIN_RT_BOUNCES : 0) | (stuff.rolling_friction > 0 ? KIN_RT_ROLLS : 0))) rt->out_of_memory = true;
    if (colour->extra == NULL) return;
    colour->extra[block].roll[lane] = (float)stuff.rolling_friction;
    colour->extra[block].bounce[lane] = (float)stuff.restitution;
}

/* First tangent of the surface whose coefficients differ more along its axes, of equal ones that which forces do not move: as particles have it
 * (kin_basis_from_normal), but for ties. In A's axes. */
static kin_vec3 tangent_of_surface(const kin_realtime* rt, const kin_rt_contact* c, const writer* w, kin_vec3 normal)
{
    const kin_rt_pair* p = &rt->pairs[c->pair];
    const kin_body_skin* skin = rt->group->bodies.skin;
    const kin_materials* all = rt->group->materials;
    const double a = kin_materials_grain(all, material_of(&skin[p->a], c->part_a)), b = kin_materials_grain(all, material_of(&skin[p->b], c->part_b));
    const bool of_b = b > a || (b == a && kin_rt_is_free(rt, p->a) && !kin_rt_is_free(rt, p->b));
    const kin_quat place = skin[of_b ? p->b : p->a].place.orientation;
    const kin_mat3 axes = of_b ? w->axes_b : w->axes_a;
    const kin_vec3 out = of_b ? kin_neg(normal) : normal, local = kin_unrotate(place, kin_mat3_apply_transposed(axes, out));
    const kin_vec3 t = kin_cross(out, kin_mat3_apply(axes, kin_rotate(place, kin_friction_axis(local))));
    return kin_normalize_or(kin_mat3_apply_transposed(w->axes_a, t), kin_v(1, 0, 0));
}

/* Where the manifold was found. */
static void place_bodies(const kin_realtime* rt, const kin_rt_pair* p, writer* w)
{
    const uint32_t a = kin_rt_line(p->a), b = kin_rt_line(p->b);
    const double time = kin_rt_time_ahead(rt, p);
    w->is_ahead = time > 0;
    w->turn_a = w->axes_a, w->turn_b = w->axes_b;
    w->from = rt->lines.place[a], w->apart = w->apart_now = kin_sub(rt->lines.place[b], w->from);
    if (!w->is_ahead) return;
    const kin_transform pose_a = kin_rt_pose_ahead(rt, p->a, time), pose_b = kin_rt_pose_ahead(rt, p->b, time);
    w->from = pose_a.position, w->apart = kin_sub(pose_b.position, pose_a.position);
    w->turn_a = kin_quat_to_matrix(pose_a.orientation), w->turn_b = kin_quat_to_matrix(pose_b.orientation);
}

void kin_rt_lane_write(kin_realtime* rt, const kin_rt_contact* c, const kin_manifold* m, bool is_new)
{
    const kin_rt_pair* p = &rt->pairs[c->pair];
    kin_rt_colour* colour = &rt->colour[c->colour];
    uint32_t block = c->slot / KIN_RT_LANES;
    writer w = {.g = &colour->geometry[block], .r = &colour->rows[block], .lane = c->slot % KIN_RT_LANES};
    w.axes_a = axes_of(rt, p->a), w.axes_b = axes_of(rt, p->b);
    w.roll = roll_of(rt, c, m);
    place_bodies(rt, p, &w);
    w.half = kin_min((double)rt->glance[p->a].least, (double)rt->glance[p->b].least);
    old_lane old = {.count = 0};
    if (!is_new) read_old(&w, &old);
    const kin_vec3 normal = kin_neg(m->normal);
    write_frame(&w, normal, (p->flags & KIN_RT_PAIR_ASKEW) != 0 ? tangent_of_surface(rt, c, &w, normal) : kin_v(0, 0, 0), &old);
    write_points(&w, m, &old);
    write_slack(&w);
}
