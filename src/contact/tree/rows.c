/* rows.c - where contacts are while bodies move, and the rows that they and the freedoms of joints make.
 *
 * What a row asks is corrected in every iteration by what is left at the end of the substep, so that gaps and limits close as joints do. Normals and levers are
 * means over the substep, chosen so that h N vb is the change of the gap: contacts do no work of their own. */
#include "contact/tree/rows.h"

#define PUSH_SHARE 0.2 /* of an overlap, undone in a substep at most */
#define NO_BOUND __builtin_inf()

/* ---- where a contact is ---- */

typedef struct pose {
    kin_vec3 x;
    kin_mat3 r;
} pose;

static pose pose_of(const kin_joint_tree* t, const kin_joint_tree_side* s, double ahead, bool end)
{
    if (s->body >= 0) {
        const kin_joint_tree_body* b = &t->body[s->body];
        return end ? (pose){b->x1, b->r1} : (pose){b->now.x, b->r0};
    }
    kin_vec3 v = s->other ? s->other->velocity : s->v, w = s->other ? s->other->spin : s->w;
    return (pose){kin_add_scaled(s->x, ahead, v), kin_quat_to_matrix(ahead != 0 ? kin_quat_integrate(s->q, w, ahead) : s->q)};
}

/* Normal and tangent; through which points normal forces and friction act on both bodies; how far apart. Round surfaces are met by their centres. */
typedef struct place {
    kin_vec3 n, t, push_a, push_b, rub_a, rub_b;
    double gap;
} place;

static place place_contact_at(const kin_joint_tree_contact* c, const pose* a, const pose* b)
{
    kin_vec3 pa = kin_add(a->x, kin_mat3_apply(a->r, c->local_a)), pb = kin_add(b->x, kin_mat3_apply(b->r, c->local_b));
    kin_vec3 na = kin_mat3_apply(a->r, c->normal_a), nb = kin_mat3_apply(b->r, c->normal_b);
    kin_vec3 ca = kin_add_scaled(pa, c->round_a, na), cb = kin_add_scaled(pb, -c->round_b, nb);
    place p = {.n = c->normal, .t = c->tangent, .push_a = pa, .push_b = pb, .rub_a = pa, .rub_b = pb, .gap = kin_dot(c->normal, kin_sub(pa, pb)) + c->start};
    if (c->roll == KIN_JOINT_TREE_FACE_A) {
        p.n = na;
        p.push_a = p.push_b = cb;
        p.rub_a = p.rub_b = kin_add_scaled(cb, c->round_b, na);
        p.gap = kin_dot(na, kin_sub(pa, cb)) - c->round_b + c->start;
    } else if (c->roll == KIN_JOINT_TREE_FACE_B) {
        p.n = nb;
        p.push_a = p.push_b = ca;
        p.rub_a = p.rub_b = kin_add_scaled(ca, -c->round_a, nb);
        p.gap = kin_dot(nb, kin_sub(ca, pb)) - c->round_a + c->start;
    } else if (c->roll == KIN_JOINT_TREE_ROUND) {
        kin_vec3 d = kin_sub(ca, cb);
        p.n = kin_normalize_or(d, c->normal);
        p.push_a = ca;
        p.push_b = cb;
        p.rub_a = p.rub_b = kin_add_scaled(cb, c->round_b, p.n);
        p.gap = kin_length(d) - c->round_a - c->round_b + c->start;
    }
    p.t = kin_normalize_or(kin_add_scaled(c->tangent, -kin_dot(c->tangent, p.n), p.n), c->tangent);
    return p;
}

static place contact_place(const kin_joint_tree* t, const kin_joint_tree_extras* x, int i, double h, bool end)
{
    double ahead = x->relaxing ? 0 : x->inside + (end ? h : 0);
    pose a = pose_of(t, &x->side[i][0], ahead, end), b = pose_of(t, &x->side[i][1], ahead, end);
    return place_contact_at(&x->contact[i], &a, &b);
}

void kin_joint_tree_place_contact(kin_joint_tree* t, kin_joint_tree_extras* x, int i)
{
    kin_joint_tree_contact* c = &x->contact[i];
    pose a = pose_of(t, &x->side[i][0], 0, false), b = pose_of(t, &x->side[i][1], 0, false);
    c->normal_a = kin_mat3_apply_transposed(a.r, c->normal);
    c->normal_b = kin_mat3_apply_transposed(b.r, c->normal);
    c->start = 0;
    c->start = c->separation - place_contact_at(c, &a, &b).gap;
    c->placed = true;
}

/* ---- rows ---- */

/* Where the pull of a row on a side goes: levers are the means of those at both ends. */
static void put_side(kin_joint_tree_extra_row* row, int at, const kin_joint_tree* t, const kin_joint_tree_side* s, kin_vec3 u, kin_vec3 from, kin_vec3 to)
{
    row->body[at] = s->body;
    if (s->body >= 0) {
        const kin_joint_tree_body* b = &t->body[s->body];
        kin_vec3 r = kin_scale(kin_add(kin_sub(from, b->now.x), kin_sub(to, b->x1)), 0.5);
        row->linear[at] = u;
        row->angular[at] = kin_cross(r, u);
    } else if (s->other) {
        row->other = s->other;
        row->other_linear = u;
        row->other_angular = kin_cross(kin_sub(from, s->x), u);
    } else {
        row->base += kin_dot(u, kin_add(s->v, kin_cross(s->w, kin_sub(from, s->x))));
    }
}

/* The part of a row's rate that is the block's. */
double kin_joint_tree_block_rate(const kin_joint_tree* t, const kin_joint_tree_extra_row* row)
{
    double sum = 0;
    for (int s = 0; s < 2; ++s) {
        if (row->body[s] < 0) continue;
        const kin_joint_tree_body* b = &t->body[row->body[s]];
        sum += kin_dot(row->linear[s], b->mean_v) + kin_dot(row->angular[s], b->mean_w);
    }
    return sum;
}

double kin_joint_tree_row_rate(const kin_joint_tree* t, const kin_joint_tree_extra_row* row)
{
    double sum = row->base + kin_joint_tree_block_rate(t, row);
    if (row->other) sum += kin_dot(row->other_linear, row->other->velocity) + kin_dot(row->other_angular, row->other->spin);
    return sum;
}

/* The rate that leaves `gap` at `floor`: nothing above zero, an overlap undone at a bounded pace. */
static double closing_target(const kin_joint_tree* t, double rate, double gap0, double gap1, double h)
{
    double floor = gap0 >= 0 ? 0 : gap0 + kin_min(t->settings.push_speed * h, -PUSH_SHARE * gap0);
    return rate - (gap1 - floor) / h;
}

/* The mean normal makes J vb h the change of the gap, exactly: of faces (n0 + n1) / 2, of round ones the mean over the mean distance. */
static kin_vec3 mean_normal(const kin_joint_tree_contact* c, const place* from, const place* to)
{
    if (c->roll != KIN_JOINT_TREE_ROUND) return kin_scale(kin_add(from->n, to->n), 0.5);
    kin_vec3 d0 = kin_sub(from->push_a, from->push_b), d1 = kin_sub(to->push_a, to->push_b);
    double sum = kin_length(d0) + kin_length(d1);
    return sum > 0 ? kin_scale(kin_add(d0, d1), 1 / sum) : from->n;
}

static kin_joint_tree_extra_row contact_row(const kin_joint_tree* t, const kin_joint_tree_extras* x, int i, kin_vec3 axis, kin_vec3 a0, kin_vec3 a1,
                                            kin_vec3 b0, kin_vec3 b1)
{
    kin_joint_tree_extra_row row = {.body = {-1, -1}, .bound = {0, NO_BOUND, 0, -1}, .rolls = -1};
    put_side(&row, 0, t, &x->side[i][0], axis, a0, a1);
    put_side(&row, 1, t, &x->side[i][1], kin_neg(axis), b0, b1);
    row.source = row.other || row.base != 0 || kin_dot(x->contact[i].surface, axis) != 0;
    return row;
}

bool kin_joint_tree_bounces(const kin_joint_tree* t, const kin_joint_tree_extras* x, const kin_joint_tree_contact* c)
{
    return x->bounce && c->largest > 0 && c->restitution > 0 && c->approach < -t->settings.bounce_speed;
}

static bool contact_asks(const kin_joint_tree* t, const kin_joint_tree_extras* x, int i, double gap)
{
    const kin_joint_tree_contact* c = &x->contact[i];
    return x->relaxing ? c->n > 0 || kin_joint_tree_bounces(t, x, c) : gap < t->settings.look_ahead || x->applied[3 * i] > 0;
}

static int add_contact(const kin_joint_tree* t, const kin_joint_tree_extras* x, int i, double h, kin_joint_tree_extra_row* rows, int n)
{
    const kin_joint_tree_contact* c = &x->contact[i];
    place from = contact_place(t, x, i, h, false), to = x->relaxing ? from : contact_place(t, x, i, h, true);
    if (!contact_asks(t, x, i, to.gap)) return n;
    kin_vec3 normal = mean_normal(c, &from, &to), tangent = kin_normalize_or(kin_add(from.t, to.t), from.t);
    kin_joint_tree_extra_row* row = &rows[n];
    row[0] = contact_row(t, x, i, normal, from.push_a, to.push_a, from.push_b, to.push_b);
    row[0].kept = 3 * i;
    row[0].rolls = c->roll == KIN_JOINT_TREE_FACE_A ? 0 : c->roll == KIN_JOINT_TREE_FACE_B ? 1 : -1;
    if (row[0].rolls == 0 && row[0].body[0] >= 0) row[0].depth = -kin_dot(to.n, kin_sub(to.push_a, t->body[row[0].body[0]].x1));
    if (row[0].rolls == 1 && row[0].body[1] >= 0) row[0].depth = kin_dot(to.n, kin_sub(to.push_b, t->body[row[0].body[1]].x1));
    row[0].target = x->relaxing ? 0 : closing_target(t, kin_joint_tree_row_rate(t, row), from.gap, to.gap, h);
    if (x->relaxing && kin_joint_tree_bounces(t, x, c)) row[0].target = -c->restitution * c->approach, row[0].source = true;
    if (!(c->friction > 0)) return n + 1;
    for (int k = 1; k < 3; ++k) {
        kin_vec3 axis = k == 1 ? tangent : kin_cross(from.n, tangent);
        row[k] = contact_row(t, x, i, axis, from.rub_a, to.rub_a, from.rub_b, to.rub_b);
        row[k].kept = 3 * i + k;
        row[k].target = -kin_dot(c->surface, axis);
        row[k].bound = (kin_joint_tree_bound){-NO_BOUND, NO_BOUND, c->friction, n};
    }
    return n + 3;
}

static bool loose_asks(const kin_joint_tree* t, const kin_joint_tree_extras* x, const kin_joint_tree_loose* l, double p)
{
    if (l->of.kind == KIN_ROW_SPRING) return !x->relaxing && (l->of.stiffness > 0 || l->of.damping > 0);
    if (l->of.kind != KIN_ROW_LIMIT) return true;
    return p > 0 || (!x->relaxing && kin_min(l->error, l->error0) < t->settings.look_ahead);
}

static int add_loose(const kin_joint_tree* t, const kin_joint_tree_extras* x, const kin_joint_tree_joint* j, int l, double h, kin_joint_tree_extra_row* rows,
                     int n)
{
    const kin_joint_tree_loose* from = &t->loose[l];
    int kept = 3 * x->count + l;
    if (!loose_asks(t, x, from, x->relaxing ? x->total[kept] : x->applied[kept])) return n;
    kin_joint_tree_extra_row* row = &rows[n];
    *row = (kin_joint_tree_extra_row){
        .body = {j->a, j->b}, .linear = {from->row.la, from->row.lb}, .angular = {from->row.aa, from->row.ab}, .kept = kept, .rolls = -1};
    double most = kin_min(from->of.most * (x->relaxing ? x->h : h), 1e300);
    row->bound = (kin_joint_tree_bound){-most, most, 0, -1};
    row->target = from->of.target;
    if (from->of.kind == KIN_ROW_LIMIT) {
        row->bound = (kin_joint_tree_bound){0, NO_BOUND, 0, -1};
        row->target = x->relaxing ? 0 : closing_target(t, from->rate, from->error0, from->error, h);
    }
    row->source = from->of.kind == KIN_ROW_MOTOR || from->of.kind == KIN_ROW_SPRING;
    row->is_spring = from->of.kind == KIN_ROW_SPRING;
    row->spring = from->of.stiffness;
    row->damping = from->of.damping;
    row->error0 = from->error0;
    row->error1 = from->error - h * from->rate;
    return n + 1;
}

int kin_joint_tree_gather_rows(const kin_joint_tree* t, const kin_joint_tree_extras* x, double h, kin_joint_tree_extra_row* rows)
{
    int n = 0;
    for (int i = 0; i < t->all_joints; ++i) {
        const kin_joint_tree_joint* j = &t->joint[i];
        for (int l = j->loose_first; l < j->loose_first + j->loose_count; ++l) n = add_loose(t, x, j, l, h, rows, n);
    }
    for (int i = 0; i < x->count; ++i) n = add_contact(t, x, i, h, rows, n);
    return n;
}
