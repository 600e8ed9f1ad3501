/* extra.c - rows of contacts and of loose joints, the Delassus matrix, and what their impulses do.
 *
 * A row asks a rate of the mean velocities; what it asks is corrected in every iteration by what is left at the end of the substep, so that gaps and limits
 * close as joints do. Springs are implicit: p = -h (k C + c C') at a theta of their own. */
#include "contact/tree/extra.h"
#include "base/alloc.h"
#include "contact/tree/box.h"
#include <string.h>

#define PUSH_SHARE 0.2 /* of an overlap, undone in a substep at most */
#define DONE 1e-9      /* m/s: impulses are solved to this */
#define NO_BOUND __builtin_inf()

typedef struct extra_row {
    int body[2]; /* -1: none */
    kin_vec3 linear[2], angular[2];
    kin_body* other;
    kin_vec3 other_linear, other_angular;
    double base;         /* rate of what is neither the block's nor free */
    double target, soft; /* rate wanted; rate given way per impulse */
    kin_tree_bound bound;
    int kept;              /* in applied */
    kin_vec3 dv[2], dw[2]; /* Mh^-1 N^t */
    double spring, rest;   /* N/m; what C would be without rate at the end, by theta (see soften) */
    double damping, error0, error1;
    bool is_spring;
} extra_row;

/* ---- opening ---- */

static kin_tree_side make_side(const kin_tree* t, uint32_t number, kin_vec3 local, kin_body* other)
{
    kin_tree_side side = {.body = kin_tree_place_of(t, number), .local = local};
    if (side.body >= 0) return side;
    const kin_body world = kin_body_fixed(), *b = other ? other : number == KIN_NO_BODY ? &world : &t->group[number];
    side.other = other;
    side.lever = kin_rotate(b->orientation, local);
    side.point = kin_add(b->position, side.lever);
    if (other) return side;
    side.velocity = kin_add(b->velocity, kin_cross(b->spin, side.lever));
    side.point = kin_add_scaled(side.point, t->elapsed, side.velocity); /* set bodies go on from where the interval began */
    return side;
}

static kin_vec3 point_now(const kin_tree* t, const kin_tree_side* s)
{
    if (s->body < 0) return s->point;
    const kin_tree_body* b = &t->body[s->body];
    return kin_add(b->now.x, kin_rotate(b->now.q, s->local));
}

static bool take_memory(kin_tree_extras* x, int loose)
{
    size_t count = (size_t)x->count, kept = 3 * count + (size_t)loose;
    x->side = kin_arena_take(x->scratch, count * sizeof *x->side);
    x->applied = kin_arena_take(x->scratch, kept * sizeof *x->applied);
    x->total = kin_arena_take(x->scratch, kept * sizeof *x->total);
    bool room = x->side && x->applied && x->total;
    for (int i = 0; i <= KIN_TREE_LEVELS; ++i) {
        x->saved_v[i] = kin_arena_take(x->scratch, count * sizeof(kin_vec3));
        x->saved_w[i] = kin_arena_take(x->scratch, count * sizeof(kin_vec3));
        room = room && x->saved_v[i] && x->saved_w[i];
    }
    if (room) memset(x->total, 0, kept * sizeof *x->total);
    if (room) memset(x->applied, 0, kept * sizeof *x->applied);
    return room;
}

static void open_contacts(kin_tree* t, kin_tree_extras* x)
{
    for (int i = 0; i < x->count; ++i) {
        kin_tree_contact* c = &x->contact[i];
        x->side[i][0] = make_side(t, c->a, c->local_a, c->other && kin_tree_place_of(t, c->a) < 0 ? c->other : NULL);
        x->side[i][1] = make_side(t, c->b, c->local_b, c->other && kin_tree_place_of(t, c->b) < 0 ? c->other : NULL);
        if (t->substep > 0) continue;
        c->start = c->separation - kin_dot(c->normal, kin_sub(point_now(t, &x->side[i][0]), point_now(t, &x->side[i][1])));
        c->largest = 0;
    }
}

bool kin_tree_extras_open(kin_tree* t, kin_tree_contact* contacts, int count, double h, kin_arena* scratch)
{
    t->extras = NULL;
    if (count == 0 && t->loose_count == 0) return true;
    kin_arena_mark mark = kin_arena_begin(scratch);
    kin_tree_extras* x = kin_arena_take(scratch, sizeof *x);
    if (x) *x = (kin_tree_extras){.contact = contacts, .count = count, .h = h, .scratch = scratch, .mark = mark};
    if (!x || !take_memory(x, t->loose_count)) {
        kin_arena_end(scratch, mark);
        return false;
    }
    open_contacts(t, x);
    t->extras = x;
    return true;
}

void kin_tree_extras_start(kin_tree* t)
{
    kin_tree_extras* x = t->extras;
    if (!x) return;
    memset(x->applied, 0, (size_t)(3 * x->count + t->loose_count) * sizeof *x->applied);
    x->fresh = true;
}

void kin_tree_extras_save(kin_tree* t, int level)
{
    kin_tree_extras* x = t->extras;
    for (int i = 0; x && i < x->count; ++i) {
        const kin_body* other = x->contact[i].other;
        x->saved_v[level][i] = other ? other->velocity : (kin_vec3){0};
        x->saved_w[level][i] = other ? other->spin : (kin_vec3){0};
    }
}

void kin_tree_extras_restore(kin_tree* t, int level)
{
    kin_tree_extras* x = t->extras;
    for (int i = 0; x && i < x->count; ++i) {
        kin_body* other = x->contact[i].other;
        if (!other) continue;
        other->velocity = x->saved_v[level][i];
        other->spin = x->saved_w[level][i];
    }
}

void kin_tree_extras_commit(kin_tree* t, double h)
{
    kin_tree_extras* x = t->extras;
    if (!x) return;
    for (int i = 0; i < 3 * x->count + t->loose_count; ++i) x->total[i] += x->applied[i];
    x->inside += h;
}

void kin_tree_extras_close(kin_tree* t)
{
    kin_tree_extras* x = t->extras;
    if (!x) return;
    for (int i = 0; i < x->count; ++i) {
        kin_tree_contact* c = &x->contact[i];
        c->n = x->total[3 * i];
        c->t = x->total[3 * i + 1];
        c->k = x->total[3 * i + 2];
        c->largest = kin_max(c->largest, c->n);
    }
    for (int l = 0; l < t->loose_count; ++l) {
        size_t slot = (size_t)t->loose[l].joint * KIN_JOINT_ROWS + t->loose[l].of.slot;
        t->impulse[slot] = x->total[3 * x->count + l];
        if (!x->relaxing) t->warm[slot] = t->impulse[slot] / x->h;
    }
    kin_arena_end(x->scratch, x->mark);
    t->extras = NULL;
}

/* ---- rows ---- */

static void put_side(extra_row* row, int at, const kin_tree* t, const kin_tree_side* s, kin_vec3 u, bool relaxing)
{
    row->body[at] = s->body;
    if (s->body >= 0) {
        const kin_tree_body* b = &t->body[s->body];
        kin_vec3 r = kin_mat3_apply(b->r0, s->local);
        if (!relaxing) r = kin_scale(kin_add(r, kin_mat3_apply(b->r1, s->local)), 0.5);
        row->linear[at] = u;
        row->angular[at] = kin_cross(r, u);
    } else if (s->other) {
        row->other = s->other;
        row->other_linear = u;
        row->other_angular = kin_cross(s->lever, u);
    } else {
        row->base += kin_dot(u, s->velocity);
    }
}

static extra_row contact_row(const kin_tree* t, const kin_tree_extras* x, int i, kin_vec3 axis)
{
    extra_row row = {.body = {-1, -1}, .bound = {0, NO_BOUND, 0, -1}};
    put_side(&row, 0, t, &x->side[i][0], axis, x->relaxing);
    put_side(&row, 1, t, &x->side[i][1], kin_neg(axis), x->relaxing);
    return row;
}

/* Where the point is at the end of this part of the substep, and at its start. */
static kin_vec3 point_at(const kin_tree* t, const kin_tree_extras* x, const kin_tree_side* s, double h, bool end)
{
    if (s->body >= 0) {
        const kin_tree_body* b = &t->body[s->body];
        return end ? kin_add(b->x1, kin_mat3_apply(b->r1, s->local)) : kin_add(b->now.x, kin_mat3_apply(b->r0, s->local));
    }
    kin_vec3 v = s->other ? kin_add(s->other->velocity, kin_cross(s->other->spin, s->lever)) : s->velocity;
    return kin_add_scaled(s->point, x->inside + (end ? h : 0), v);
}

static double gap_at(const kin_tree* t, const kin_tree_extras* x, int i, double h, bool end)
{
    const kin_tree_contact* c = &x->contact[i];
    return c->start + kin_dot(c->normal, kin_sub(point_at(t, x, &x->side[i][0], h, end), point_at(t, x, &x->side[i][1], h, end)));
}

static double row_rate(const kin_tree* t, const extra_row* row)
{
    double sum = row->base;
    for (int s = 0; s < 2; ++s) {
        if (row->body[s] < 0) continue;
        const kin_tree_body* b = &t->body[row->body[s]];
        sum += kin_dot(row->linear[s], b->mean_v) + kin_dot(row->angular[s], b->mean_w);
    }
    if (row->other) sum += kin_dot(row->other_linear, row->other->velocity) + kin_dot(row->other_angular, row->other->spin);
    return sum;
}

/* The rate that leaves `gap` at `floor`: nothing above zero, an overlap undone at a bounded pace. */
static double closing_target(const kin_tree* t, double rate, double gap0, double gap1, double h)
{
    double floor = gap0 >= 0 ? 0 : gap0 + kin_min(t->settings.push_speed * h, -PUSH_SHARE * gap0);
    return rate - (gap1 - floor) / h;
}

static int add_contact(const kin_tree* t, const kin_tree_extras* x, int i, double h, extra_row* rows, int n)
{
    const kin_tree_contact* c = &x->contact[i];
    double gap0 = gap_at(t, x, i, h, false), gap1 = gap_at(t, x, i, h, true);
    bool active = x->relaxing ? c->n > 0 || (x->bounce && c->largest > 0) : gap1 < t->settings.look_ahead || x->applied[3 * i] > 0;
    if (!active) return n;
    kin_vec3 axes[3] = {c->normal, c->tangent, kin_cross(c->normal, c->tangent)};
    int normal = n;
    for (int k = 0; k < (c->friction > 0 ? 3 : 1); ++k, ++n) {
        rows[n] = contact_row(t, x, i, axes[k]);
        rows[n].kept = 3 * i + k;
        if (k == 0)
            rows[n].target = x->relaxing ? 0 : closing_target(t, row_rate(t, &rows[n]), gap0, gap1, h);
        else
            rows[n].target = -kin_dot(c->surface, axes[k]), rows[n].bound = (kin_tree_bound){-NO_BOUND, NO_BOUND, c->friction, normal};
    }
    bool bounces = x->relaxing && x->bounce && c->largest > 0 && c->restitution > 0 && c->approach < -t->settings.bounce_speed;
    if (bounces) rows[normal].target = -c->restitution * c->approach;
    return n;
}

static bool loose_asks(const kin_tree* t, const kin_tree_extras* x, const kin_tree_loose* l, double p)
{
    if (l->of.kind == KIN_ROW_SPRING) return !x->relaxing && (l->of.stiffness > 0 || l->of.damping > 0);
    if (l->of.kind != KIN_ROW_LIMIT) return true;
    return p > 0 || (!x->relaxing && kin_min(l->error, l->error0) < t->settings.look_ahead);
}

static int add_loose(const kin_tree* t, const kin_tree_extras* x, const kin_tree_joint* j, int l, double h, extra_row* rows, int n)
{
    const kin_tree_loose* from = &t->loose[l];
    int kept = 3 * x->count + l;
    if (!loose_asks(t, x, from, x->relaxing ? x->total[kept] : x->applied[kept])) return n;
    extra_row* row = &rows[n];
    *row = (extra_row){.body = {j->a, j->b}, .linear = {from->row.la, from->row.lb}, .angular = {from->row.aa, from->row.ab}, .kept = kept};
    double most = kin_min(from->of.most * (x->relaxing ? x->h : h), 1e300);
    row->bound = (kin_tree_bound){-most, most, 0, -1};
    row->target = from->of.target;
    if (from->of.kind == KIN_ROW_LIMIT) {
        row->bound = (kin_tree_bound){0, NO_BOUND, 0, -1};
        row->target = x->relaxing ? 0 : closing_target(t, row_rate(t, row), from->error0, from->error, h);
    }
    row->is_spring = from->of.kind == KIN_ROW_SPRING;
    row->spring = from->of.stiffness;
    row->damping = from->of.damping;
    row->error0 = from->error0;
    row->error1 = from->error;
    return n + 1;
}

static int gather_rows(const kin_tree* t, const kin_tree_extras* x, double h, extra_row* rows)
{
    int n = 0;
    for (int i = 0; i < t->all_joints; ++i) {
        const kin_tree_joint* j = &t->joint[i];
        for (int l = j->loose_first; l < j->loose_first + j->loose_count; ++l) n = add_loose(t, x, j, l, h, rows, n);
    }
    for (int i = 0; i < x->count; ++i) n = add_contact(t, x, i, h, rows, n);
    return n;
}

/* ---- W ---- */

static void weigh_row(const kin_tree* t, extra_row* row)
{
    for (int s = 0; s < 2; ++s) {
        if (row->body[s] < 0) continue;
        const kin_tree_body* b = &t->body[row->body[s]];
        row->dv[s] = kin_scale(row->linear[s], b->inv_mass);
        row->dw[s] = kin_sym3_apply(b->inverse, row->angular[s]);
    }
}

/* J Mh^-1 N^t: in the rows of the joints of its bodies, whose nodes are noted. */
static int put_column(const kin_tree* t, const extra_row* row, double* column, int* nodes, int count)
{
    for (int s = 0; s < 2; ++s) {
        int body = row->body[s];
        if (body < 0 || body >= t->free) continue;
        for (int e = t->by_body_first[body]; e < t->by_body_first[body + 1]; ++e) {
            const kin_tree_joint* j = &t->joint[t->by_body[e]];
            nodes[count++] = t->by_body[e];
            for (int r = j->first; r < j->first + j->rows; ++r) {
                const kin_tree_row* k = &t->row[r];
                column[r] += j->a == body ? kin_dot(k->la, row->dv[s]) + kin_dot(k->aa, row->dw[s]) : kin_dot(k->lb, row->dv[s]) + kin_dot(k->ab, row->dw[s]);
            }
        }
    }
    return count;
}

/* What row i feels of j through bodies they share, without joints. */
static double direct_response(const extra_row* i, const extra_row* j)
{
    double sum = 0;
    for (int a = 0; a < 2; ++a) {
        for (int b = 0; b < 2; ++b) {
            if (i->body[a] >= 0 && i->body[a] == j->body[b]) sum += kin_dot(i->linear[a], j->dv[b]) + kin_dot(i->angular[a], j->dw[b]);
        }
    }
    if (i->other && i->other == j->other) {
        sum += i->other->inv_mass * kin_dot(i->other_linear, j->other_linear);
        sum += kin_dot(i->other_angular, kin_body_inv_inertia_times(i->other, j->other_angular));
    }
    return sum;
}

/* Four sums at once, added in one order. */
static double dot(int n, const double* a, const double* b)
{
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int i = 0;
    for (; i + 4 <= n; i += 4) s0 += a[i] * b[i], s1 += a[i + 1] * b[i + 1], s2 += a[i + 2] * b[i + 2], s3 += a[i + 3] * b[i + 3];
    for (; i < n; ++i) s0 += a[i] * b[i];
    return (s0 + s1) + (s2 + s3);
}

static int count_nodes(const kin_tree* t, const extra_row* rows, int n)
{
    int count = 0;
    for (int i = 0; i < 2 * n; ++i) {
        int body = rows[i / 2].body[i % 2];
        if (body >= 0 && body < t->free) count += t->by_body_first[body + 1] - t->by_body_first[body];
    }
    return count;
}

static bool fill_matrix(const kin_tree* t, const extra_row* rows, kin_tree_box* box, kin_arena* scratch)
{
    int n = box->size, size = t->ldl.rows, count = 0;
    double* columns = kin_arena_take(scratch, kin_bytes((size_t)n, (size_t)size * sizeof *columns + 8));
    int* nodes = kin_arena_take(scratch, ((size_t)count_nodes(t, rows, n) + 1) * sizeof *nodes);
    int* path = kin_arena_take(scratch, ((size_t)t->joints + 1) * sizeof *path);
    if (!columns || !nodes || !path) return false;
    memset(columns, 0, (size_t)n * (size_t)size * sizeof *columns);
    for (int i = 0; i < n; ++i) count = put_column(t, &rows[i], columns + (size_t)i * (size_t)size, nodes, count);
    int length = kin_block_ldl_path(&t->ldl, count, nodes, path);
    kin_block_ldl_half_path(&t->ldl, length, path, n, columns);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            double w = direct_response(&rows[i], &rows[j]) - dot(size, columns + (size_t)i * (size_t)size, columns + (size_t)j * (size_t)size);
            if (i == j) w = kin_max(w, 0);
            box->matrix[(size_t)i * (size_t)n + (size_t)j] = box->matrix[(size_t)j * (size_t)n + (size_t)i] = w;
        }
    }
    return true;
}

/* rate' + soft p = target for p = -h (k C + c rate'), C between start and end by theta: implicit where the spring is stiff. */
static void soften(extra_row* row, double rate, double response, double h)
{
    double stiff = h * h * row->spring * response, theta = 0.51 + 0.49 * stiff / (1 + stiff);
    row->soft = 1 / (h * h * row->spring * theta + h * row->damping);
    row->target = -h * row->spring * row->soft * ((1 - theta) * row->error0 + theta * (row->error1 - h * rate));
}

/* ---- solving ---- */

static double warm_start(const kin_tree* t, const kin_tree_extras* x, int kept, double h)
{
    if (kept < 3 * x->count) {
        const kin_tree_contact* c = &x->contact[kept / 3];
        double p = kept % 3 == 0 ? c->n : kept % 3 == 1 ? c->t : c->k;
        return p * h / x->h;
    }
    const kin_tree_loose* l = &t->loose[kept - 3 * x->count];
    return h * t->warm[(size_t)l->joint * KIN_JOINT_ROWS + l->of.slot];
}

static void fill_box(kin_tree* t, kin_tree_extras* x, double h, extra_row* rows, kin_tree_box* box)
{
    int n = box->size;
    for (int i = 0; i < n; ++i) {
        double rate = row_rate(t, &rows[i]);
        if (rows[i].is_spring) soften(&rows[i], rate, box->matrix[(size_t)i * (size_t)n + (size_t)i], h);
        box->matrix[(size_t)i * (size_t)n + (size_t)i] += rows[i].soft;
        box->bound[i] = rows[i].bound;
        box->p[i] = (x->relaxing ? x->total : x->applied)[rows[i].kept];
        box->rate[i] = rate - rows[i].target + rows[i].soft * box->p[i];
    }
    for (int i = 0; x->fresh && i < n; ++i) {
        double p = kin_clamp(warm_start(t, x, rows[i].kept, h), rows[i].bound.low, rows[i].bound.high), d = p - box->p[i];
        for (int j = 0; j < n; ++j) box->rate[j] += box->matrix[(size_t)i * (size_t)n + (size_t)j] * d;
        box->p[i] = p;
    }
    x->fresh = false;
}

/* The changes of impulses, on bodies and on the others; J (dv, dw) = 0 by the joints' answer. */
static void apply_impulses(kin_tree* t, kin_tree_extras* x, const extra_row* rows, const kin_tree_box* box)
{
    double* kept = x->relaxing ? x->total : x->applied;
    for (int i = 0; i < t->bodies; ++i) {
        kin_tree_body* b = &t->body[i];
        b->dv = b->dw = b->push = b->twist = (kin_vec3){0};
    }
    for (int i = 0; i < box->size; ++i) {
        const extra_row* row = &rows[i];
        double d = box->p[i] - kept[row->kept];
        for (int s = 0; s < 2; ++s) {
            if (row->body[s] < 0) continue;
            kin_tree_body* b = &t->body[row->body[s]];
            b->dv = kin_add_scaled(b->dv, d, row->dv[s]);
            b->dw = kin_add_scaled(b->dw, d, row->dw[s]);
            b->push = kin_add_scaled(b->push, box->p[i], row->linear[s]);
            b->twist = kin_add_scaled(b->twist, box->p[i], row->angular[s]);
        }
        if (row->other) {
            row->other->velocity = kin_add_scaled(row->other->velocity, d * row->other->inv_mass, row->other_linear);
            row->other->spin = kin_add_scaled(row->other->spin, d, kin_body_inv_inertia_times(row->other, row->other_angular));
        }
        kept[row->kept] = box->p[i];
    }
    kin_tree_answer(t);
}

static double gain_velocities(kin_tree* t)
{
    double largest = 0;
    for (int i = 0; i < t->free; ++i) {
        kin_tree_body* b = &t->body[i];
        b->mean_v = kin_add(b->mean_v, b->dv);
        b->mean_w = kin_add(b->mean_w, b->dw);
        largest = kin_max(largest, kin_max(kin_largest(kin_abs3(b->dv)), kin_largest(kin_abs3(b->dw))));
    }
    return largest;
}

static void solve_rows(kin_tree* t, kin_tree_extras* x, double h)
{
    kin_arena_mark mark = kin_arena_begin(x->scratch);
    extra_row* rows = kin_arena_take(x->scratch, ((size_t)(3 * x->count + t->loose_count) + 1) * sizeof *rows);
    kin_tree_box box;
    int n = rows ? gather_rows(t, x, h, rows) : 0;
    x->change = 0;
    if (n > 0 && kin_tree_box_take(&box, n, x->scratch)) {
        for (int i = 0; i < n; ++i) weigh_row(t, &rows[i]);
        if (fill_matrix(t, rows, &box, x->scratch)) {
            fill_box(t, x, h, rows, &box);
            kin_tree_box_solve(&box, DONE);
            apply_impulses(t, x, rows, &box);
            x->change = gain_velocities(t);
        }
    }
    kin_arena_end(x->scratch, mark);
}

void kin_tree_extras_solve(kin_tree* t, double h)
{
    kin_tree_extras* x = t->extras;
    if (!x) return;
    solve_rows(t, x, h);
    if (x->change == 0) return;
    for (int r = 0; r < t->ldl.rows; ++r) t->force[r] += t->mu[r] / h;
    kin_tree_settle(t, h);
}

/* ---- to rest ---- */

static bool relax_open(kin_tree* t, kin_tree_contact* contacts, int count, bool bounce, kin_arena* scratch)
{
    if (!kin_tree_extras_open(t, contacts, count, t->h, scratch) || !t->extras) return false;
    kin_tree_extras* x = t->extras;
    bool any = false;
    x->relaxing = true;
    x->bounce = bounce;
    for (int i = 0; i < count; ++i) {
        const kin_tree_contact* c = &contacts[i];
        x->total[3 * i] = c->n;
        x->total[3 * i + 1] = c->t;
        x->total[3 * i + 2] = c->k;
        any = any || c->n > 0 || (bounce && c->largest > 0);
    }
    for (int l = 0; l < t->loose_count; ++l) {
        const kin_tree_loose* from = &t->loose[l];
        double p = x->total[3 * count + l] = t->impulse[(size_t)from->joint * KIN_JOINT_ROWS + from->of.slot];
        any = any || from->of.kind == KIN_ROW_MOTOR || from->of.kind == KIN_ROW_FRICTION || (from->of.kind == KIN_ROW_LIMIT && p > 0);
    }
    return any;
}

bool kin_tree_extras_relax(kin_tree* t, kin_tree_contact* contacts, int count, bool bounce, kin_arena* scratch)
{
    bool any = relax_open(t, contacts, count, bounce, scratch);
    if (any) {
        kin_tree_project(t, true);
        for (int i = 0; i < t->bodies; ++i) {
            kin_tree_body* b = &t->body[i];
            b->mean_v = b->now.v;
            b->mean_w = kin_mat3_apply(b->r0, b->now.spin);
        }
        solve_rows(t, t->extras, t->h);
        for (int i = 0; i < t->free; ++i) {
            kin_tree_body* b = &t->body[i];
            b->now.v = b->mean_v;
            b->now.spin = kin_mat3_apply_transposed(b->r0, b->mean_w);
        }
    }
    kin_tree_extras_close(t);
    return any;
}
