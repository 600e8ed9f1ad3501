/* extra.c - what meets a block: the Delassus matrix of its rows (rows.c), and what their impulses do. Springs are implicit: p = -h (k C + c C') at a theta of
 * their own. */
#include "base/alloc.h"
#include "contact/tree/rows.h"
#include <string.h>

#define DONE 1e-8    /* m/s: impulses are solved to this */
#define FAR_TURN 0.1 /* rad a substep */

/* ---- opening ---- */

static kin_joint_tree_side make_side(const kin_joint_tree* t, uint32_t number, kin_body* other)
{
    kin_joint_tree_side side = {.body = kin_joint_tree_place_of(t, number)};
    if (side.body >= 0) return side;
    const kin_body world = kin_body_fixed(), *b = other ? other : number == KIN_NO_BODY ? &world : &t->group[number];
    side.other = other;
    side.x = b->position;
    side.q = b->orientation;
    side.v = b->velocity;
    side.w = b->spin;
    if (!other) side.x = kin_add_scaled(side.x, t->elapsed, side.v); /* set bodies go on from where the interval began */
    if (!other) side.q = kin_quat_integrate(side.q, side.w, t->elapsed);
    return side;
}

static bool take_memory(kin_joint_tree_extras* x, int loose)
{
    size_t count = (size_t)x->count, kept = 3 * count + (size_t)loose;
    x->side = kin_arena_take(x->scratch, count * sizeof *x->side);
    x->applied = kin_arena_take(x->scratch, kept * sizeof *x->applied);
    x->total = kin_arena_take(x->scratch, kept * sizeof *x->total);
    x->base_v = kin_arena_take(x->scratch, count * sizeof(kin_vec3));
    x->base_w = kin_arena_take(x->scratch, count * sizeof(kin_vec3));
    x->push = kin_arena_take(x->scratch, count * sizeof(kin_vec3));
    x->twist = kin_arena_take(x->scratch, count * sizeof(kin_vec3));
    bool room = x->side && x->applied && x->total && x->base_v && x->base_w && x->push && x->twist;
    for (int i = 0; i <= KIN_JOINT_TREE_LEVELS; ++i) {
        x->saved_v[i] = kin_arena_take(x->scratch, count * sizeof(kin_vec3));
        x->saved_w[i] = kin_arena_take(x->scratch, count * sizeof(kin_vec3));
        room = room && x->saved_v[i] && x->saved_w[i];
    }
    if (room) memset(x->total, 0, kept * sizeof *x->total);
    if (room) memset(x->applied, 0, kept * sizeof *x->applied);
    return room;
}

static void open_contacts(kin_joint_tree* t, kin_joint_tree_extras* x)
{
    for (int i = 0; i < x->count; ++i) {
        kin_joint_tree_contact* c = &x->contact[i];
        x->side[i][0] = make_side(t, c->a, c->other && kin_joint_tree_place_of(t, c->a) < 0 ? c->other : NULL);
        x->side[i][1] = make_side(t, c->b, c->other && kin_joint_tree_place_of(t, c->b) < 0 ? c->other : NULL);
        if (!c->placed) kin_joint_tree_place_contact(t, x, i);
    }
}

bool kin_joint_tree_extras_open(kin_joint_tree* t, kin_joint_tree_contact* contacts, int count, double h, kin_arena* scratch)
{
    t->extras = NULL;
    if (count == 0 && t->loose_count == 0) return true;
    kin_arena_mark mark = kin_arena_begin(scratch);
    kin_joint_tree_extras* x = kin_arena_take(scratch, sizeof *x);
    if (x) *x = (kin_joint_tree_extras){.contact = contacts, .count = count, .h = h, .scratch = scratch, .mark = mark};
    if (!x || !take_memory(x, t->loose_count)) {
        kin_arena_end(scratch, mark);
        return false;
    }
    open_contacts(t, x);
    t->extras = x;
    return true;
}

void kin_joint_tree_extras_start(kin_joint_tree* t)
{
    kin_joint_tree_extras* x = t->extras;
    if (!x) return;
    memset(x->applied, 0, (size_t)(3 * x->count + t->loose_count) * sizeof *x->applied);
    for (int i = 0; i < x->count; ++i) {
        const kin_body* other = x->contact[i].other;
        x->base_v[i] = other ? other->velocity : (kin_vec3){0};
        x->base_w[i] = other ? other->spin : (kin_vec3){0};
        x->push[i] = x->twist[i] = (kin_vec3){0};
    }
    x->fresh = true;
}

void kin_joint_tree_extras_save(kin_joint_tree* t, int level)
{
    kin_joint_tree_extras* x = t->extras;
    for (int i = 0; x && i < x->count; ++i) {
        const kin_body* other = x->contact[i].other;
        x->saved_v[level][i] = other ? other->velocity : (kin_vec3){0};
        x->saved_w[level][i] = other ? other->spin : (kin_vec3){0};
    }
}

void kin_joint_tree_extras_restore(kin_joint_tree* t, int level)
{
    kin_joint_tree_extras* x = t->extras;
    for (int i = 0; x && i < x->count; ++i) {
        kin_body* other = x->contact[i].other;
        if (!other) continue;
        other->velocity = x->saved_v[level][i];
        other->spin = x->saved_w[level][i];
    }
}

/* An impulse of a loose row is part of what its joint bears. */
static void bear(kin_joint_tree* t, const kin_joint_tree_loose* l, double p)
{
    kin_joint_tree_joint* j = &t->joint[l->joint];
    j->load = kin_add_scaled(j->load, p, l->row.lb);
    j->twist = kin_add_scaled(j->twist, p, kin_sub(l->row.ab, kin_cross(j->lever_b, l->row.lb)));
}

void kin_joint_tree_extras_commit(kin_joint_tree* t, double h)
{
    kin_joint_tree_extras* x = t->extras;
    if (!x) return;
    for (int l = 0; l < t->loose_count; ++l) bear(t, &t->loose[l], x->applied[3 * x->count + l]);
    for (int i = 0; i < 3 * x->count + t->loose_count; ++i) x->total[i] += x->applied[i];
    x->inside += h;
}

void kin_joint_tree_extras_close(kin_joint_tree* t)
{
    kin_joint_tree_extras* x = t->extras;
    if (!x) return;
    for (int i = 0; i < x->count; ++i) {
        kin_joint_tree_contact* c = &x->contact[i];
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

/* ---- W ---- */

static void weigh_row(const kin_joint_tree* t, kin_joint_tree_extra_row* row)
{
    for (int s = 0; s < 2; ++s) {
        if (row->body[s] < 0) continue;
        const kin_joint_tree_body* b = &t->body[row->body[s]];
        row->dv[s] = kin_scale(row->linear[s], b->inv_mass);
        row->dw[s] = kin_sym3_apply(b->inverse, row->angular[s]);
    }
}

/* J (dv, dw) of one body in the rows of one of its joints. */
static void put_joint(const kin_joint_tree* t, const kin_joint_tree_joint* j, int body, kin_vec3 dv, kin_vec3 dw, double* column)
{
    bool a = j->a == body;
    if (j->plain) {
        kin_vec3 rate = kin_scale(kin_add(dv, kin_cross(dw, a ? j->lever_a : j->lever_b)), a ? 1 : -1);
        column[j->first] += rate.x;
        column[j->first + 1] += rate.y;
        column[j->first + 2] += rate.z;
        return;
    }
    for (int r = j->first; r < j->first + j->rows; ++r) {
        const kin_joint_tree_row* k = &t->row[r];
        column[r] += a ? kin_dot(k->la, dv) + kin_dot(k->aa, dw) : kin_dot(k->lb, dv) + kin_dot(k->ab, dw);
    }
}

/* J Mh^-1 N^t: in the rows of the joints of its bodies, whose nodes are noted. */
static int put_column(const kin_joint_tree* t, const kin_joint_tree_extra_row* row, double* column, int* nodes, int count)
{
    for (int s = 0; s < 2; ++s) {
        int body = row->body[s];
        if (body < 0 || body >= t->free) continue;
        for (int e = t->by_body_first[body]; e < t->by_body_first[body + 1]; ++e) {
            nodes[count++] = t->by_body[e];
            put_joint(t, &t->joint[t->by_body[e]], body, row->dv[s], row->dw[s], column);
        }
    }
    return count;
}

/* What row i feels of j through bodies they share, without joints. */
static double direct_response(const kin_joint_tree_extra_row* i, const kin_joint_tree_extra_row* j)
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

static int count_nodes(const kin_joint_tree* t, const kin_joint_tree_extra_row* rows, int n)
{
    int count = 0;
    for (int i = 0; i < 2 * n; ++i) {
        int body = rows[i / 2].body[i % 2];
        if (body >= 0 && body < t->free) count += t->by_body_first[body + 1] - t->by_body_first[body];
    }
    return count;
}

/* Of its response without joints: a row that moves less than this is held by the joints already (two boards that are fixed to one plank and touch), and what is
 * left of it is rounding. */
#define HELD 1e-8

static bool fill_matrix(const kin_joint_tree* t, const kin_joint_tree_extra_row* rows, kin_joint_tree_box* box, kin_arena* scratch)
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
            double direct = direct_response(&rows[i], &rows[j]), w = direct - dot(size, columns + (size_t)i * (size_t)size, columns + (size_t)j * (size_t)size);
            if (i == j && w < HELD * direct) w = 0;
            box->matrix[(size_t)i * (size_t)n + (size_t)j] = box->matrix[(size_t)j * (size_t)n + (size_t)i] = w;
        }
    }
    return true;
}

/* rate' + soft p = target for p = -h (k C + c rate'), C between start and end by theta: implicit where the spring is stiff. */
static void soften(kin_joint_tree_extra_row* row, double response, double h)
{
    double stiff = h * h * row->spring * response, theta = 0.51 + 0.49 * stiff / (1 + stiff);
    row->soft = 1 / (h * h * row->spring * theta + h * row->damping);
    row->target = -h * row->spring * row->soft * ((1 - theta) * row->error0 + theta * row->error1);
}

/* ---- solving ---- */

static double warm_start(const kin_joint_tree* t, const kin_joint_tree_extras* x, int kept, double h)
{
    if (kept < 3 * x->count) {
        const kin_joint_tree_contact* c = &x->contact[kept / 3];
        double p = kept % 3 == 0 ? c->n : kept % 3 == 1 ? c->t : c->k;
        return p * h / x->h;
    }
    const kin_joint_tree_loose* l = &t->loose[kept - 3 * x->count];
    return h * t->warm[(size_t)l->joint * KIN_JOINT_ROWS + l->of.slot];
}

static void fill_box(kin_joint_tree* t, kin_joint_tree_extras* x, double h, kin_joint_tree_extra_row* rows, kin_joint_tree_box* box)
{
    int n = box->size;
    for (int i = 0; i < n; ++i) {
        double rate = kin_joint_tree_row_rate(t, &rows[i]);
        rows[i].before = kin_joint_tree_block_rate(t, &rows[i]);
        if (rows[i].is_spring) soften(&rows[i], box->matrix[(size_t)i * (size_t)n + (size_t)i], h);
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

/* A face that rolls is turned back by (c - x) x N n: with N depth against turns across n. Where it turns on it is left out, as of joints. */
static void stiffen(kin_joint_tree_body* b, kin_vec3 n, double k)
{
    b->roll = kin_sym3_add(b->roll, kin_sym3_scale(kin_sym3_diagonal(kin_v(1, 1, 1)), k));
    b->roll = kin_sym3_add(b->roll, kin_sym3_scale(kin_sym3_square(n), -k / kin_length2(n)));
}

static void note_rolls(kin_joint_tree* t, const kin_joint_tree_extra_row* rows, const kin_joint_tree_box* box, double h)
{
    for (int i = 0; i < t->free; ++i) t->body[i].roll = (kin_sym3){0};
    for (int i = 0; i < box->size; ++i) {
        const kin_joint_tree_extra_row* row = &rows[i];
        int body = row->rolls >= 0 ? row->body[row->rolls] : -1;
        if (body >= 0 && row->depth > 0 && box->p[i] > 0 && kin_finite(box->p[i])) stiffen(&t->body[body], row->linear[row->rolls], box->p[i] / h * row->depth);
    }
}

static void push_body(kin_body* b, kin_vec3 impulse, kin_vec3 angular)
{
    b->velocity = kin_add_scaled(b->velocity, b->inv_mass, impulse);
    b->spin = kin_add(b->spin, kin_body_inv_inertia_times(b, angular));
}

/* Others get what the block gets: from where they were, the impulses with which Newton's last iteration was done, and then the changes. As normals turn between
 * iterations, changes alone would not add up to that. */
static void put_others_back(kin_joint_tree_extras* x)
{
    for (int i = 0; i < x->count; ++i) {
        kin_body* other = x->contact[i].other;
        if (!other) continue;
        other->velocity = x->base_v[i];
        other->spin = x->base_w[i];
    }
    for (int i = 0; i < x->count; ++i) {
        if (!x->contact[i].other) continue;
        push_body(x->contact[i].other, x->push[i], x->twist[i]);
        x->push[i] = x->twist[i] = (kin_vec3){0};
    }
}

static void push_other(kin_joint_tree_extras* x, const kin_joint_tree_extra_row* row, double change, double p)
{
    int i = row->kept / 3;
    push_body(row->other, kin_scale(row->other_linear, change), kin_scale(row->other_angular, change));
    x->push[i] = kin_add_scaled(x->push[i], p, row->other_linear);
    x->twist[i] = kin_add_scaled(x->twist[i], p, row->other_angular);
}

/* The changes of impulses, on bodies and on the others; J (dv, dw) = 0 by the joints' answer. */
static void apply_impulses(kin_joint_tree* t, kin_joint_tree_extras* x, kin_joint_tree_extra_row* rows, const kin_joint_tree_box* box)
{
    double* kept = x->relaxing ? x->total : x->applied;
    if (!x->relaxing) put_others_back(x);
    for (int i = 0; i < t->bodies; ++i) {
        kin_joint_tree_body* b = &t->body[i];
        b->dv = b->dw = b->push = b->twist = (kin_vec3){0};
    }
    for (int i = 0; i < box->size; ++i) {
        kin_joint_tree_extra_row* row = &rows[i];
        double d = row->change = box->p[i] - kept[row->kept];
        if (x->relaxing && row->kept >= 3 * x->count) bear(t, &t->loose[row->kept - 3 * x->count], d);
        for (int s = 0; s < 2; ++s) {
            if (row->body[s] < 0) continue;
            kin_joint_tree_body* b = &t->body[row->body[s]];
            b->dv = kin_add_scaled(b->dv, d, row->dv[s]);
            b->dw = kin_add_scaled(b->dw, d, row->dw[s]);
            b->push = kin_add_scaled(b->push, box->p[i], row->linear[s]);
            b->twist = kin_add_scaled(b->twist, box->p[i], row->angular[s]);
        }
        if (row->other) push_other(x, row, d, box->p[i]);
        kept[row->kept] = box->p[i];
    }
    kin_joint_tree_answer(t);
}

static double gain_velocities(kin_joint_tree* t)
{
    double largest = 0;
    for (int i = 0; i < t->free; ++i) {
        kin_joint_tree_body* b = &t->body[i];
        b->mean_v = kin_add(b->mean_v, b->dv);
        b->mean_w = kin_add(b->mean_w, b->dw);
        largest = kin_max(largest, kin_max(kin_largest(kin_abs3(b->dv)), kin_largest(kin_abs3(b->dw))));
    }
    return largest;
}

/* J: of a substep, what rows gave that have nothing to give: overlaps undone under load. Of relaxing, what those gave that have. */
static double work_to_note(const kin_joint_tree* t, const kin_joint_tree_extra_row* rows, const kin_joint_tree_box* box, bool relaxing)
{
    double sum = 0;
    for (int i = 0; i < box->size; ++i) {
        const kin_joint_tree_extra_row* r = &rows[i];
        double now = kin_joint_tree_block_rate(t, r), work = relaxing ? 0.5 * r->change * (r->before + now) : box->p[i] * now;
        if (r->source == relaxing) sum += kin_max(0, work);
    }
    return sum;
}

static void solve_rows(kin_joint_tree* t, kin_joint_tree_extras* x, double h)
{
    kin_arena_mark mark = kin_arena_begin(x->scratch);
    kin_joint_tree_extra_row* rows = kin_arena_take(x->scratch, ((size_t)(3 * x->count + t->loose_count) + 1) * sizeof *rows);
    kin_joint_tree_box box;
    int n = rows ? kin_joint_tree_gather_rows(t, x, h, rows) : 0;
    x->change = x->work = 0;
    if (n > 0 && kin_joint_tree_box_take(&box, n, x->scratch)) {
        for (int i = 0; i < n; ++i) weigh_row(t, &rows[i]);
        if (fill_matrix(t, rows, &box, x->scratch)) {
            fill_box(t, x, h, rows, &box);
            kin_joint_tree_box_solve(&box, DONE);
            apply_impulses(t, x, rows, &box);
            if (!x->relaxing) note_rolls(t, rows, &box, h);
            x->change = gain_velocities(t);
            x->work = work_to_note(t, rows, &box, x->relaxing);
        }
    }
    kin_arena_end(x->scratch, mark);
}

void kin_joint_tree_extras_solve(kin_joint_tree* t, double h)
{
    kin_joint_tree_extras* x = t->extras;
    if (!x) return;
    solve_rows(t, x, h);
    for (int r = 0; x->change > 0 && r < t->ldl.rows; ++r) t->force[r] += t->mu[r] / h;
    kin_joint_tree_settle(t, h);
}

/* ---- to rest ---- */

static bool relax_open(kin_joint_tree* t, kin_joint_tree_contact* contacts, int count, bool bounce, kin_arena* scratch)
{
    if (!kin_joint_tree_extras_open(t, contacts, count, t->h, scratch) || !t->extras) return false;
    kin_joint_tree_extras* x = t->extras;
    bool any = false;
    x->relaxing = true;
    x->bounce = bounce;
    for (int i = 0; i < count; ++i) {
        const kin_joint_tree_contact* c = &contacts[i];
        x->total[3 * i] = c->n;
        x->total[3 * i + 1] = c->t;
        x->total[3 * i + 2] = c->k;
        any = any || c->n > 0 || kin_joint_tree_bounces(t, x, c);
    }
    for (int l = 0; l < t->loose_count; ++l) {
        const kin_joint_tree_loose* from = &t->loose[l];
        double p = x->total[3 * count + l] = t->impulse[(size_t)from->joint * KIN_JOINT_ROWS + from->of.slot];
        any = any || from->of.kind == KIN_ROW_MOTOR || from->of.kind == KIN_ROW_FRICTION || (from->of.kind == KIN_ROW_LIMIT && p > 0);
    }
    return any;
}

/* Whether a body turns so far in a substep that its velocity at the end is not that of its path: J v1 is off by (h w)^2 although the joints hold, and to make
 * it 0 would stir the nutation of what spins. Contacts are then relaxed without changing J v1. */
static bool turns_far(const kin_joint_tree* t)
{
    double fastest = 0;
    for (int i = 0; i < t->free; ++i) fastest = kin_max(fastest, kin_length2(t->body[i].now.spin));
    return t->h * t->h * fastest > FAR_TURN * FAR_TURN;
}

bool kin_joint_tree_extras_relax(kin_joint_tree* t, kin_joint_tree_contact* contacts, int count, bool bounce, kin_arena* scratch)
{
    bool any = relax_open(t, contacts, count, bounce, scratch);
    if (any) {
        if (turns_far(t)) {
            kin_joint_tree_still(t);
            kin_joint_tree_factor(t);
        } else {
            kin_joint_tree_project(t, true);
        }
        for (int i = 0; i < t->bodies; ++i) {
            kin_joint_tree_body* b = &t->body[i];
            b->mean_v = b->now.v;
            b->mean_w = kin_mat3_apply(b->r0, b->now.spin);
        }
        double before = kin_joint_tree_kinetic(t);
        solve_rows(t, t->extras, t->h);
        for (int i = 0; i < t->free; ++i) {
            kin_joint_tree_body* b = &t->body[i];
            b->now.v = b->mean_v;
            b->now.spin = kin_mat3_apply_transposed(b->r0, b->mean_w);
        }
        kin_joint_tree_limit_energy(t, before + t->extras->work);
    }
    kin_joint_tree_extras_close(t);
    return any;
}
