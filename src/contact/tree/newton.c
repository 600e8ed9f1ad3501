/* newton.c - the theta energy-momentum step of a block, by Newton's method on mean velocities.
 *
 *     m (v1 - v) = h f + h sum F + P           R1 I O1 - R0 I O0 = h t + h sum r x F + T         C(q1) = 0
 *
 * with r the mean of the levers at both ends: forces of ball joints then do no work, and E1 = E0 + work - sum (theta - 1/2) |dv|^2_M. Per iteration
 *
 *     Mh = (m / theta, Iw / theta + h^2/2 K),   K = sum max(0, F . r) (1 - r r^t / r^2)
 *     J Mh^-1 J^t mu = -C / h + J Mh^-1 res,    dv = Mh^-1 (J^t mu - res),    F += mu / h
 *
 * K is what keeps a light body under great tension from overshooting: the force turns with it inside the step. It couples no bodies. */
#include "contact/tree/state.h"
#include <string.h>

#define LEAST_THETA 0.51 /* 1/2 leaves drift of velocities undamped: bursts at 1:1e5 */
#define MORE_THETA 0.25
#define REST 1e-9 /* m/s, rad/s: nothing changes by more */

static kin_sym3 invert(kin_sym3 a)
{
    double xx = a.yy * a.zz - a.yz * a.yz, xy = a.xz * a.yz - a.xy * a.zz, xz = a.xy * a.yz - a.xz * a.yy;
    double d = 1 / (a.xx * xx + a.xy * xy + a.xz * xz);
    return (kin_sym3){xx * d, (a.xx * a.zz - a.xz * a.xz) * d, (a.xx * a.yy - a.xy * a.xy) * d, xy * d, xz * d, (a.xy * a.xz - a.xx * a.yz) * d};
}

/* R diag(d) R^t */
static inline kin_sym3 turned_diagonal(const kin_mat3* r, kin_vec3 d)
{
    kin_vec3 x = kin_scale(r->cx, d.x), y = kin_scale(r->cy, d.y), z = kin_scale(r->cz, d.z);
    return (kin_sym3){x.x * r->cx.x + y.x * r->cy.x + z.x * r->cz.x, x.y * r->cx.y + y.y * r->cy.y + z.y * r->cz.y,
                      x.z * r->cx.z + y.z * r->cy.z + z.z * r->cz.z, x.x * r->cx.y + y.x * r->cy.y + z.x * r->cz.y,
                      x.x * r->cx.z + y.x * r->cy.z + z.x * r->cz.z, x.y * r->cx.z + y.y * r->cy.z + z.y * r->cz.z};
}

static inline kin_quat cayley(kin_quat q, kin_vec3 turn)
{
    if (turn.x == 0 && turn.y == 0 && turn.z == 0) return q; /* to the bit */
    kin_quat c = kin_quat_mul((kin_quat){0.5 * turn.x, 0.5 * turn.y, 0.5 * turn.z, 1}, q);
    return kin_quat_scale(c, 1 / kin_quat_length(c));
}

static inline kin_vec3 angular_momentum(const kin_mat3* r, kin_vec3 moments, kin_vec3 spin) { return kin_mat3_apply(*r, kin_mul(moments, spin)); }

/* ---- ends and rows ---- */

static void place(kin_joint_tree* t, double h)
{
    for (int i = 0; i < t->bodies; ++i) {
        kin_joint_tree_body* b = &t->body[i];
        b->x1 = kin_add_scaled(b->now.x, h, b->mean_v);
        b->q1 = cayley(b->now.q, kin_scale(b->mean_w, h));
        b->r1 = kin_quat_to_matrix(b->q1);
        b->spin1 = kin_add_scaled(b->now.spin, 1 / b->theta, kin_sub(kin_mat3_apply_transposed(b->r0, b->mean_w), b->now.spin));
    }
}

static void put_point_rows(kin_joint_tree_row* row, kin_vec3 ra, kin_vec3 rb)
{
    row[0] = (kin_joint_tree_row){.la = {1, 0, 0}, .aa = {0, ra.z, -ra.y}, .lb = {-1, 0, 0}, .ab = {0, -rb.z, rb.y}};
    row[1] = (kin_joint_tree_row){.la = {0, 1, 0}, .aa = {-ra.z, 0, ra.x}, .lb = {0, -1, 0}, .ab = {rb.z, 0, -rb.x}};
    row[2] = (kin_joint_tree_row){.la = {0, 0, 1}, .aa = {ra.y, -ra.x, 0}, .lb = {0, 0, -1}, .ab = {-rb.y, rb.x, 0}};
}

/* Error of a point: its gap C, but for what it yields to its force. */
static inline double put_point_error(kin_joint_tree* t, const kin_joint_tree_joint* j, kin_vec3 gap)
{
    const double compliance = t->yields ? j->yield * t->h * t->h : 0, *f = t->force + j->first, wide = kin_largest(kin_abs3(gap));
    const kin_vec3 left = kin_add_scaled(gap, compliance, kin_v(f[0], f[1], f[2]));
    double *error = t->error + j->first, *yields = t->compliance + j->first;
    error[0] = left.x, error[1] = left.y, error[2] = left.z;
    yields[0] = yields[1] = yields[2] = compliance;
    if (!(wide <= t->gap)) t->gap = wide;
    return kin_largest(kin_abs3(left));
}

static kin_body standing(kin_vec3 x, kin_quat q) { return (kin_body){.position = x, .orientation = q}; }
static kin_body at_start(const kin_joint_tree_body* b) { return standing(b->now.x, b->now.q); }
static kin_body at_end(const kin_joint_tree_body* b) { return standing(b->x1, b->q1); }
static kin_body at_mean(const kin_joint_tree_body* b)
{
    kin_quat q = kin_quat_add(b->now.q, b->q1); /* Cayley turns by less than half a turn: never zero */
    return standing(kin_scale(kin_add(b->now.x, b->x1), 0.5), kin_quat_scale(q, 1 / kin_quat_length(q)));
}

static int rows_at(const kin_joint_tree* t, const kin_joint_tree_joint* j, kin_body (*pose)(const kin_joint_tree_body*), kin_joint_row* rows)
{
    kin_body a = pose(&t->body[j->a]), b = pose(&t->body[j->b]);
    return kin_joint_rows(j->joint, &a, &b, KIN_JOINT_TREE_FAR, rows);
}

/* Where limits and springs stand before the substep. */
static void start_loose(kin_joint_tree* t, const kin_joint_tree_joint* j)
{
    kin_joint_row rows[KIN_JOINT_ROWS];
    int n = rows_at(t, j, at_start, rows), at = 0;
    for (int i = 0; i < n && at < j->loose_count; ++i) {
        if (rows[i].kind != KIN_ROW_HOLD) t->loose[j->loose_first + at++].error0 = rows[i].error;
    }
}

static kin_joint_tree_row as_row(const kin_joint_row* r)
{
    return (kin_joint_tree_row){.la = r->linear_a, .aa = r->angular_a, .lb = r->linear_b, .ab = r->angular_b};
}

static double mean_rate(const kin_joint_tree* t, const kin_joint_tree_joint* j, const kin_joint_tree_row* row)
{
    const kin_joint_tree_body *a = &t->body[j->a], *b = &t->body[j->b];
    return kin_dot(row->la, a->mean_v) + kin_dot(row->aa, a->mean_w) + kin_dot(row->lb, b->mean_v) + kin_dot(row->ab, b->mean_w);
}

/* J as in the middle of the substep, C as at its end. */
static double linearise_kind(kin_joint_tree* t, const kin_joint_tree_joint* j)
{
    kin_joint_row mean[KIN_JOINT_ROWS], end[KIN_JOINT_ROWS];
    int n = rows_at(t, j, at_mean, mean), hold = j->point ? 3 : 0, at = 0;
    double worst = 0;
    if (rows_at(t, j, at_end, end) < n) n = 0;
    for (int i = 0; i < n; ++i) {
        if (mean[i].kind != KIN_ROW_HOLD) {
            if (at == j->loose_count) break;
            kin_joint_tree_loose* to = &t->loose[j->loose_first + at++];
            to->row = as_row(&mean[i]);
            to->of = mean[i];
            to->error = end[i].error;
            to->rate = mean_rate(t, j, &to->row);
        } else if (i >= hold && hold < j->rows) {
            t->row[j->first + hold] = as_row(&mean[i]);
            t->error[j->first + hold++] = end[i].error;
            if (!(kin_abs(end[i].error) <= worst)) worst = kin_abs(end[i].error);
        }
    }
    for (; hold < j->rows; ++hold) {
        t->row[j->first + hold] = (kin_joint_tree_row){0};
        t->error[j->first + hold] = 0;
    }
    return worst;
}

static double linearise_joint(kin_joint_tree* t, kin_joint_tree_joint* j)
{
    const kin_joint_tree_body *a = &t->body[j->a], *b = &t->body[j->b];
    kin_vec3 end_a = kin_mat3_apply(a->r1, j->anchor_a), end_b = kin_mat3_apply(b->r1, j->anchor_b);
    double worst = 0;
    j->lever_a = kin_scale(kin_add(j->start_a, end_a), 0.5);
    j->lever_b = kin_scale(kin_add(j->start_b, end_b), 0.5);
    if (j->point) {
        if (!j->plain) put_point_rows(t->row + j->first, j->lever_a, j->lever_b);
        worst = put_point_error(t, j, kin_sub(kin_add(a->x1, end_a), kin_add(b->x1, end_b)));
    }
    if (j->rows > 3 || !j->point || j->loose_count > 0) {
        double other = linearise_kind(t, j);
        if (!(other <= worst)) worst = other;
        if (!(other <= t->gap)) t->gap = other;
    }
    return worst;
}

static double linearise(kin_joint_tree* t)
{
    double worst = 0;
    t->gap = 0;
    for (int i = 0; i < t->all_joints; ++i) {
        double error = t->joint[i].joint->broken ? 0 : linearise_joint(t, &t->joint[i]);
        if (!(error <= worst)) worst = error; /* what is not a number stays */
    }
    return worst;
}

static void take_levers(kin_joint_tree* t)
{
    for (int i = 0; i < t->all_joints; ++i) {
        kin_joint_tree_joint* j = &t->joint[i];
        j->start_a = kin_mat3_apply(t->body[j->a].r0, j->anchor_a);
        j->start_b = kin_mat3_apply(t->body[j->b].r0, j->anchor_b);
        if (j->loose_count > 0) start_loose(t, j);
    }
}

/* ---- loads ---- */

static inline double row_rate(const kin_joint_tree_row* row, const kin_joint_tree_body* a, const kin_joint_tree_body* b)
{
    return kin_dot(row->la, a->dv) + kin_dot(row->aa, a->dw) + kin_dot(row->lb, b->dv) + kin_dot(row->ab, b->dw);
}

static inline void add_stress(kin_joint_tree_body* b, kin_vec3 force, kin_vec3 lever, double inv_across, double h)
{
    b->stress += 0.5 * h * h * kin_max(0, kin_dot(force, lever)) * inv_across;
}

/* The same of contacts that roll. */
static double roll_stress(const kin_joint_tree_body* b, double h)
{
    double sum = b->moments.x + b->moments.y + b->moments.z;
    return sum > 0 ? 0.5 * h * h * (b->roll.xx + b->roll.yy + b->roll.zz) / sum : 0;
}

/* And of springs: h^2 k / m, as each body alone would feel it. */
static void add_spring_stress(kin_joint_tree* t, double h)
{
    for (int i = 0; i < t->loose_count; ++i) {
        const kin_joint_tree_loose* l = &t->loose[i];
        if (l->of.kind != KIN_ROW_SPRING) continue;
        for (int side = 0; side < 2; ++side) {
            kin_joint_tree_body* b = &t->body[side ? t->joint[l->joint].b : t->joint[l->joint].a];
            kin_vec3 linear = side ? l->row.lb : l->row.la, angular = kin_mat3_apply_transposed(b->r1, side ? l->row.ab : l->row.aa);
            if (b->moves) b->stress += h * h * l->of.stiffness * kin_length2(linear) / b->mass;
            if (b->turns)
                b->stress += h * h * l->of.stiffness * kin_dot(angular, kin_v(angular.x / b->moments.x, angular.y / b->moments.y, angular.z / b->moments.z));
        }
    }
}

/* Light and stressed bodies are damped, heavy ones hardly. */
static void choose_thetas(kin_joint_tree* t, double h)
{
    for (int i = 0; i < t->free; ++i) t->body[i].stress = roll_stress(&t->body[i], h);
    add_spring_stress(t, h);
    for (int i = 0; i < t->joints; ++i) {
        const kin_joint_tree_joint* j = &t->joint[i];
        kin_joint_tree_wrenches w = kin_joint_tree_joint_wrench(t, j, t->force);
        add_stress(&t->body[j->a], w.force_a, j->lever_a, j->inv_across_a, h);
        add_stress(&t->body[j->b], w.force_b, j->lever_b, j->inv_across_b, h);
    }
    for (int i = 0; i < t->free; ++i) {
        kin_joint_tree_body* b = &t->body[i];
        b->theta = t->damped ? 1 : LEAST_THETA + MORE_THETA * b->stress / (1 + b->stress);
    }
}

/* ---- masses ---- */

static inline void add_stiffness(kin_sym3* m, kin_vec3 force, kin_vec3 r, double half_h2)
{
    double along = kin_dot(force, r), square = kin_length2(r);
    if (!(along > 0 && square > 0)) return;
    double k = half_h2 * along, q = k / square;
    m->xx += k - q * r.x * r.x;
    m->yy += k - q * r.y * r.y;
    m->zz += k - q * r.z * r.z;
    m->xy -= q * r.x * r.y;
    m->xz -= q * r.x * r.z;
    m->yz -= q * r.y * r.z;
}

/* What a row yields to an impulse of this step. */
static void soften_rows(kin_joint_tree* t, double h)
{
    const double per_impulse = 1 / (h > 0 ? h * h : t->h * t->h);
    for (int r = 0; r < t->ldl.rows; ++r) t->ldl.compliance[r] = t->compliance[r] * per_impulse;
}

/* Mh^-1; the sum of joint forces is left in dv, dw. h = 0: the plain masses. */
static void weigh(kin_joint_tree* t, double h)
{
    soften_rows(t, h);
    for (int i = 0; i < t->free; ++i) {
        kin_joint_tree_body* b = &t->body[i];
        b->inverse = turned_diagonal(&b->r1, kin_scale(b->moments, 1 / b->theta));
        if (h > 0 && t->extras) b->inverse = kin_sym3_add(b->inverse, kin_sym3_scale(b->roll, 0.5 * h * h));
        b->inv_mass = b->moves ? b->theta / b->mass : 0;
        b->dv = b->dw = (kin_vec3){0};
    }
    for (int i = 0; h > 0 && i < t->joints; ++i) {
        const kin_joint_tree_joint* j = &t->joint[i];
        kin_joint_tree_body *a = &t->body[j->a], *b = &t->body[j->b];
        kin_joint_tree_wrenches w = kin_joint_tree_joint_wrench(t, j, t->force);
        add_stiffness(&a->inverse, w.force_a, j->lever_a, 0.5 * h * h);
        add_stiffness(&b->inverse, w.force_b, j->lever_b, 0.5 * h * h);
        a->dv = kin_add(a->dv, w.force_a);
        a->dw = kin_add(a->dw, w.torque_a);
        b->dv = kin_add(b->dv, w.force_b);
        b->dw = kin_add(b->dw, w.torque_b);
    }
    for (int i = 0; i < t->free; ++i) {
        kin_joint_tree_body* b = &t->body[i];
        b->inverse = b->turns ? invert(b->inverse) : (kin_sym3){0};
    }
    for (int i = t->free; i < t->bodies; ++i) {
        kin_joint_tree_body* b = &t->body[i];
        b->inverse = (kin_sym3){0};
        b->inv_mass = 0;
        b->dv = b->dw = (kin_vec3){0};
    }
}

/* dv, dw: from sums of joint forces to -Mh^-1 res. Returns the largest. */
static double free_change(kin_joint_tree* t, double h)
{
    double largest = 0;
    for (int i = 0; i < t->free; ++i) {
        kin_joint_tree_body* b = &t->body[i];
        kin_vec3 gain = kin_add_scaled(b->push, h, kin_add(b->force, b->dv));
        kin_vec3 turn = kin_add_scaled(b->twist, h, kin_add(b->torque, b->dw));
        kin_vec3 spun = kin_sub(angular_momentum(&b->r1, b->moments, b->spin1), b->momentum);
        b->dv = kin_sub(kin_scale(gain, b->inv_mass), b->moves ? kin_sub(b->mean_v, b->now.v) : (kin_vec3){0});
        b->dw = kin_sym3_apply(b->inverse, kin_sub(turn, spun));
        largest = kin_max(largest, kin_max(kin_largest(kin_abs3(b->dv)), kin_largest(kin_abs3(b->dw))));
    }
    return largest;
}

/* ---- J Mh^-1 J^t ---- */

static void turn_rows(const kin_joint_tree* t, const kin_joint_tree_joint* j, kin_joint_tree_row* row)
{
    for (int r = 0; r < j->rows; ++r) {
        row[r].turned_a = kin_sym3_apply(t->body[j->a].inverse, row[r].aa);
        row[r].turned_b = kin_sym3_apply(t->body[j->b].inverse, row[r].ab);
    }
}

static void add_own(kin_joint_tree* t, int i)
{
    const kin_joint_tree_joint* j = &t->joint[i];
    const kin_joint_tree_body *a = &t->body[j->a], *b = &t->body[j->b];
    kin_joint_tree_row* row = t->row + j->first;
    double block[KIN_BLOCK_MOST * KIN_BLOCK_MOST];
    turn_rows(t, j, row);
    for (int r = 0; r < j->rows; ++r) {
        for (int c = 0; c <= r; ++c) {
            block[r * j->rows + c] = a->inv_mass * kin_dot(row[r].la, row[c].la) + kin_dot(row[r].aa, row[c].turned_a)
                                     + b->inv_mass * kin_dot(row[r].lb, row[c].lb) + kin_dot(row[r].ab, row[c].turned_b);
        }
        for (int c = r + 1; c < j->rows; ++c) block[r * j->rows + c] = 0;
    }
    kin_block_ldl_add(&t->ldl, t->own[i], block);
}

/* Its rows; those of ball joints are not kept, and are put into `room`. */
static const kin_joint_tree_row* rows_of(const kin_joint_tree* t, const kin_joint_tree_joint* j, kin_joint_tree_row* room)
{
    if (!j->plain) return t->row + j->first;
    put_point_rows(room, j->lever_a, j->lever_b);
    turn_rows(t, j, room);
    return room;
}

static void add_pair(kin_joint_tree* t, const kin_joint_tree_pair* p)
{
    const kin_joint_tree_joint *i = &t->joint[p->i], *j = &t->joint[p->j];
    kin_joint_tree_row room_i[3], room_j[3];
    const kin_joint_tree_row *rows_i = rows_of(t, i, room_i), *rows_j = rows_of(t, j, room_j);
    double inv_mass = t->body[p->body].inv_mass, block[KIN_BLOCK_MOST * KIN_BLOCK_MOST];
    for (int r = 0; r < i->rows; ++r) {
        kin_vec3 linear = p->a_of_i ? rows_i[r].la : rows_i[r].lb, angular = p->a_of_i ? rows_i[r].aa : rows_i[r].ab;
        for (int c = 0; c < j->rows; ++c) {
            const kin_joint_tree_row* y = &rows_j[c];
            block[r * j->rows + c] = inv_mass * kin_dot(linear, p->a_of_j ? y->la : y->lb) + kin_dot(angular, p->a_of_j ? y->turned_a : y->turned_b);
        }
    }
    kin_block_ldl_add(&t->ldl, p->slot, block);
}

/* The same for ball joints, where most rows are zeros. */

/* inverse ~r^t, by columns inverse (r x e). */
static inline kin_mat3 turned_lever(kin_sym3 i, kin_vec3 r)
{
    return (kin_mat3){{i.xy * r.z - i.xz * r.y, i.yy * r.z - i.yz * r.y, i.yz * r.z - i.zz * r.y},
                      {i.xz * r.x - i.xx * r.z, i.yz * r.x - i.xy * r.z, i.zz * r.x - i.xz * r.z},
                      {i.xx * r.y - i.xy * r.x, i.xy * r.y - i.yy * r.x, i.xz * r.y - i.yz * r.x}};
}

/* block += sign (m + ~r h), rows (r x e) . h_c */
static inline void add_lever(double* block, double sign, double m, kin_vec3 r, const kin_mat3* h)
{
    const kin_vec3* column[3] = {&h->cx, &h->cy, &h->cz};
    for (int c = 0; c < 3; ++c) {
        kin_vec3 v = *column[c];
        block[c] += sign * (r.z * v.y - r.y * v.z);
        block[3 + c] += sign * (r.x * v.z - r.z * v.x);
        block[6 + c] += sign * (r.y * v.x - r.x * v.y);
        block[4 * c] += sign * m;
    }
}

static void add_own_plain(kin_joint_tree* t, int i)
{
    kin_joint_tree_joint* j = &t->joint[i];
    const kin_joint_tree_body *a = &t->body[j->a], *b = &t->body[j->b];
    double* block = t->ldl.matrix + t->own[i].begin;
    j->turned_a = turned_lever(a->inverse, j->lever_a);
    j->turned_b = turned_lever(b->inverse, j->lever_b);
    add_lever(block, 1, a->inv_mass, j->lever_a, &j->turned_a);
    add_lever(block, 1, b->inv_mass, j->lever_b, &j->turned_b);
}

static void add_pair_plain(kin_joint_tree* t, const kin_joint_tree_pair* p)
{
    const kin_joint_tree_joint *i = &t->joint[p->i], *j = &t->joint[p->j];
    add_lever(t->ldl.matrix + p->slot.begin, p->a_of_i == p->a_of_j ? 1 : -1, t->body[p->body].inv_mass, p->a_of_i ? i->lever_a : i->lever_b,
              p->a_of_j ? &j->turned_a : &j->turned_b);
}

bool kin_joint_tree_factor(kin_joint_tree* t)
{
    kin_block_ldl_clear(&t->ldl);
    for (int i = 0; i < t->joints; ++i) {
        if (t->joint[i].plain)
            add_own_plain(t, i);
        else
            add_own(t, i);
    }
    for (int i = 0; i < t->pairs; ++i) {
        if (t->joint[t->pair[i].i].plain && t->joint[t->pair[i].j].plain)
            add_pair_plain(t, &t->pair[i]);
        else
            add_pair(t, &t->pair[i]);
    }
    const kin_block_report report = kin_block_ldl_factor(&t->ldl, KIN_BLOCK_TOLERANCE);
    t->dependent = t->dependent || report.least < KIN_JOINT_TREE_COMPLIANCE;
    return report.finite;
}

/* mu = (J Mh^-1 J^t)^-1 (-C pull - J (dv, dw)); then dv, dw with what mu does. */
static void answer(kin_joint_tree* t, double pull)
{
    for (int i = 0; i < t->joints; ++i) {
        const kin_joint_tree_joint* j = &t->joint[i];
        const kin_joint_tree_body *a = &t->body[j->a], *b = &t->body[j->b];
        if (j->plain) {
            kin_vec3 rate = kin_sub(kin_add(a->dv, kin_cross(a->dw, j->lever_a)), kin_add(b->dv, kin_cross(b->dw, j->lever_b)));
            t->mu[j->first] = -pull * t->error[j->first] - rate.x;
            t->mu[j->first + 1] = -pull * t->error[j->first + 1] - rate.y;
            t->mu[j->first + 2] = -pull * t->error[j->first + 2] - rate.z;
            continue;
        }
        for (int r = j->first; r < j->first + j->rows; ++r) t->mu[r] = -pull * t->error[r] - row_rate(&t->row[r], a, b);
    }
    kin_block_ldl_solve(&t->ldl, 1, t->mu);
    for (int i = 0; i < t->joints; ++i) {
        const kin_joint_tree_joint* j = &t->joint[i];
        kin_joint_tree_body *a = &t->body[j->a], *b = &t->body[j->b];
        kin_joint_tree_wrenches w = kin_joint_tree_joint_wrench(t, j, t->mu);
        a->dv = kin_add_scaled(a->dv, a->inv_mass, w.force_a);
        a->dw = kin_add(a->dw, kin_sym3_apply(a->inverse, w.torque_a));
        b->dv = kin_add_scaled(b->dv, b->inv_mass, w.force_b);
        b->dw = kin_add(b->dw, kin_sym3_apply(b->inverse, w.torque_b));
    }
}

void kin_joint_tree_answer(kin_joint_tree* t) { answer(t, 0); }

/* ---- the step ---- */

/* Anchors turn by exactly h w: the w whose Cayley turn that is. */
static void aim_anchors(kin_joint_tree* t, double h)
{
    for (int i = t->free; i < t->bodies; ++i) {
        kin_joint_tree_body* b = &t->body[i];
        double half = kin_clamp(0.5 * h * kin_length(b->mean_w), 0, 1.5);
        if (half > 1e-8) b->mean_w = kin_scale(b->mean_w, kin_tan(half) / half);
    }
}

void kin_joint_tree_start(kin_joint_tree* t, double h)
{
    for (int i = 0; i < t->bodies; ++i) {
        kin_joint_tree_body* b = &t->body[i];
        b->r0 = kin_quat_to_matrix(b->now.q);
        b->momentum = angular_momentum(&b->r0, b->moments, b->now.spin);
        b->mean_v = b->now.v;
        b->mean_w = kin_mat3_apply(b->r0, b->now.spin);
        b->push = b->twist = (kin_vec3){0};
    }
    memcpy(t->error0, t->error, (size_t)t->ldl.rows * sizeof *t->error); /* of the end of the last substep */
    take_levers(t);
    aim_anchors(t, h);
    kin_joint_tree_settle(t, h);
    choose_thetas(t, h);
    t->iterations = 0;
    t->at_rest = t->dependent = false;
}

double kin_joint_tree_settle(kin_joint_tree* t, double h)
{
    place(t, h);
    return t->worst = linearise(t);
}

/* rad/s: what Mh leaves out of dL/dw as the body turns in the substep, h dw x L + I (h w x dw), of the last change. Nothing for round moments. */
static double missed_turning(const kin_joint_tree_body* b, double h)
{
    const kin_vec3 momentum = angular_momentum(&b->r1, b->moments, b->spin1), turned = kin_cross(b->mean_w, b->dw);
    const kin_vec3 spun = angular_momentum(&b->r1, b->moments, kin_mat3_apply_transposed(b->r1, turned));
    return h * kin_length(kin_sym3_apply(b->inverse, kin_add(kin_cross(b->dw, momentum), spun)));
}

void kin_joint_tree_iterate(kin_joint_tree* t, double h)
{
    weigh(t, h);
    double change = free_change(t, h);
    if (t->iterations++ == 0 && !t->extras && change < REST && t->worst < REST * h) {
        t->at_rest = true;
        return;
    }
    kin_joint_tree_factor(t);
    answer(t, 1 / h);
    t->missed = 0;
    for (int i = 0; i < t->free; ++i) {
        kin_joint_tree_body* b = &t->body[i];
        t->missed = kin_max(t->missed, missed_turning(b, h));
        b->mean_v = kin_add(b->mean_v, b->dv);
        b->mean_w = kin_add(b->mean_w, b->dw);
    }
    for (int r = 0; r < t->ldl.rows; ++r) t->force[r] += t->mu[r] / h;
    if (t->extras)
        place(t, h); /* they are solved with the rows that were factored: W of other rows need not be definite */
    else
        kin_joint_tree_settle(t, h);
}

/* What hangs still and creeps by rounding is stopped: else it creeps until joints have to be closed again. */
static void stop_creeping(kin_joint_tree* t)
{
    double fastest = 0;
    for (int i = 0; i < t->free; ++i) {
        const kin_joint_tree_motion* m = &t->body[i].now;
        fastest = kin_max(fastest, kin_max(kin_largest(kin_abs3(m->v)), kin_largest(kin_abs3(m->spin))));
    }
    for (int i = 0; fastest < REST && i < t->free; ++i) t->body[i].now.v = t->body[i].now.spin = (kin_vec3){0};
    t->still = fastest == 0;
}

void kin_joint_tree_sum_loads(kin_joint_tree* t, double h)
{
    for (int i = 0; i < t->joints; ++i) {
        kin_joint_tree_joint* j = &t->joint[i];
        kin_joint_tree_wrenches w = kin_joint_tree_joint_wrench(t, j, t->force);
        j->load = kin_add_scaled(j->load, h, w.force_b);
        j->twist = kin_add_scaled(j->twist, h, kin_sub(w.torque_b, kin_cross(j->lever_b, w.force_b)));
    }
}

void kin_joint_tree_commit(kin_joint_tree* t, double h)
{
    t->still = false;
    kin_joint_tree_sum_loads(t, h);
    for (int i = 0; i < t->bodies; ++i) {
        kin_joint_tree_body* b = &t->body[i];
        if (i < t->free)
            b->now = (kin_joint_tree_motion){b->x1, kin_joint_tree_end_velocity(b), b->spin1, b->q1};
        else
            b->now.x = b->x1, b->now.q = b->q1;
    }
    if (t->at_rest && !t->floating) stop_creeping(t);
}

/* ---- projection ---- */

void kin_joint_tree_still(kin_joint_tree* t)
{
    for (int i = 0; i < t->bodies; ++i) {
        kin_joint_tree_body* b = &t->body[i];
        b->r0 = kin_quat_to_matrix(b->now.q);
        b->mean_v = b->mean_w = (kin_vec3){0}; /* they may be what failed */
        b->theta = 1;
    }
    take_levers(t);
    kin_joint_tree_settle(t, 0);
    weigh(t, 0);
}

static void project_velocities(kin_joint_tree* t)
{
    for (int i = 0; i < t->bodies; ++i) {
        kin_joint_tree_body* b = &t->body[i];
        b->dv = b->now.v;
        b->dw = kin_mat3_apply(b->r0, b->now.spin);
    }
    answer(t, 0);
    for (int i = 0; i < t->free; ++i) {
        kin_joint_tree_body* b = &t->body[i];
        b->now.v = b->dv;
        b->now.spin = kin_mat3_apply_transposed(b->r0, b->dw);
    }
}

static void project_positions(kin_joint_tree* t)
{
    answer(t, 1);
    for (int i = 0; i < t->free; ++i) {
        kin_joint_tree_body* b = &t->body[i];
        b->now.x = kin_add(b->now.x, b->dv);
        b->now.q = cayley(b->now.q, b->dw);
    }
}

void kin_joint_tree_project(kin_joint_tree* t, bool velocities)
{
    kin_joint_tree_still(t);
    kin_joint_tree_factor(t);
    if (velocities)
        project_velocities(t);
    else
        project_positions(t);
}
