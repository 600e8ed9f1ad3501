/* drift.c - what rounding and the order of the integrator leave over at the end of a tick: joints that are a little open, gaps a little too deep, speeds that
 * should be none. Positions are put right by small moves along the rows, mass by mass (no velocity comes from it); speeds by a plastic impact, which can only
 * take energy (C5.2, C5.6.2, R6). */
#include "contact/exact/work.h"
#include "numerics/dense.h"
#include <string.h>

enum {
    MOST_ROUNDS = 30,
    SWEEPS = 100, /* over all rows: what taking out speeds may cost in any case */
};

/* A row's two sides and how far they go, in units of impulse. */
typedef struct nudge {
    uint32_t body;
    kin_vec3 linear, angular;
    double by;
} nudge;

static void shift(kin_exact_work* w, const nudge* p, kin_vec3 frame)
{
    if (p->body >= w->free) return;
    kin_body* b = &w->bodies[p->body];
    kin_vec3 spin = kin_body_angular_momentum(b), by = kin_scale(p->linear, p->by), turn = kin_scale(kin_body_inv_inertia_times(b, p->angular), p->by);
    b->position = kin_add_scaled(b->position, b->inv_mass, by);
    b->orientation = kin_quat_integrate(b->orientation, turn, 1);
    b->spin = kin_body_inv_inertia_times(b, kin_sub(spin, kin_cross(by, kin_sub(b->velocity, frame))));
}

/* Two free bodies move apart without a change of their angular momentum: what moved places take of it, x m v about their common centre, their spins give back. */
static void shift_both(kin_exact_work* w, nudge a, nudge b)
{
    bool free = a.body < w->free && b.body < w->free;
    const kin_body *x = &w->bodies[a.body], *y = &w->bodies[b.body];
    kin_vec3 frame = free ? kin_scale(kin_add(kin_scale(x->velocity, x->mass), kin_scale(y->velocity, y->mass)), 1 / (x->mass + y->mass)) : kin_v(0, 0, 0);
    kin_vec3 frames[2] = {free ? frame : x->velocity, free ? frame : y->velocity};
    shift(w, &a, frames[0]);
    shift(w, &b, frames[1]);
}

static double response(const kin_exact_work* w, uint32_t i, kin_vec3 linear, kin_vec3 angular)
{
    if (i >= w->free) return 0;
    const kin_body* b = &w->bodies[i];
    return b->inv_mass * kin_length2(linear) + kin_dot(angular, kin_body_inv_inertia_times(b, angular));
}

/* ---- positions ---- */

static double undrift_row(kin_exact_work* w, const kin_joint_row* r, uint32_t a, uint32_t b)
{
    bool holds = r->kind == KIN_ROW_HOLD || (r->kind == KIN_ROW_LIMIT && r->error < 0);
    double k = response(w, a, r->linear_a, r->angular_a) + response(w, b, r->linear_b, r->angular_b);
    if (!holds || !(k > 0)) return 0;
    shift_both(w, (nudge){a, r->linear_a, r->angular_a, -r->error / k}, (nudge){b, r->linear_b, r->angular_b, -r->error / k});
    return kin_abs(r->error);
}

static double undrift_joints(kin_exact_work* w)
{
    double worst = 0;
    for (uint32_t i = 0; i < w->unit->joint_count; ++i) {
        kin_joint_row rows[KIN_JOINT_ROWS];
        int n = kin_exact_work_rows(w, i, kin_exact_tolerance(w->self), rows);
        for (int k = 0; k < n; ++k) {
            if (k > 0) kin_exact_work_rows(w, i, kin_exact_tolerance(w->self), rows);
            worst = kin_max(worst, undrift_row(w, &rows[k], w->joint_a[i], w->joint_b[i]));
        }
    }
    return worst;
}

/* Gaps below nothing are closed; overlaps beyond the tolerance no faster than push_speed. */
static double undrift_contacts(kin_exact_work* w, double most)
{
    double worst = 0;
    for (int i = 0; i < w->point_count; ++i) {
        const kin_exact_point* p = &w->points[i];
        kin_body *a = &w->bodies[p->a], *b = &w->bodies[p->b];
        double goal = p->separation < -most ? p->separation + most : 0, error = kin_exact_gap(p, a, b) - goal;
        if (!(error < 0)) continue;
        kin_touching t = kin_exact_touching(p, a, b);
        kin_vec3 turn_a = kin_cross(kin_sub(t.point, a->position), t.normal), turn_b = kin_cross(kin_sub(t.point, b->position), t.normal);
        double k = response(w, p->a, t.normal, turn_a) + response(w, p->b, t.normal, turn_b);
        if (!(k > 0)) continue;
        shift_both(w, (nudge){p->a, t.normal, turn_a, -error / k}, (nudge){p->b, t.normal, turn_b, error / k});
        worst = kin_max(worst, -error);
    }
    return worst;
}

void kin_exact_undrift_places(kin_exact_work* w, double h)
{
    double push = kin_max(w->self->group->def.push_speed * h, kin_exact_tolerance(w->self)), enough = 1e-3 * kin_exact_tolerance(w->self);
    for (int round = 0; round < MOST_ROUNDS; ++round) {
        double joints = undrift_joints(w), contacts = undrift_contacts(w, push);
        if (kin_max(joints, contacts) <= enough) break;
    }
    for (uint32_t i = 0; i < w->free; ++i) w->angular[i] = kin_body_angular_momentum(&w->bodies[i]);
}

/* ---- speeds ---- */

/* A gap may close within a stride, not more. Friction takes part where a contact sticks: what little it has crept is stopped. By turns there is no other. */
static kin_meeting meeting_of(const kin_exact_work* w, const kin_exact_point* p, double* approach)
{
    const kin_body *a = &w->bodies[p->a], *b = &w->bodies[p->b];
    kin_touching t = kin_exact_touching(p, a, b);
    kin_vec3 v = kin_exact_slip(&t, a, b);
    double along = kin_dot(v, t.normal);
    bool sticks = kin_length(kin_add_scaled(v, -along, t.normal)) <= kin_exact_slip_speed(w->self);
    kin_meeting m = {.a = p->a, .b = p->b, .point = t.point, .normal = t.normal, .surface = t.surface, .resting = true};
    if (sticks || w->by_turns) kin_exact_friction(&m, &t, sticks ? t.mu_static : t.mu_dynamic, KIN_IMPULSE_SYSTEM, v);
    double gap = w->stride > 0 ? kin_max(p->separation, 0) / w->stride : 0;
    m.surface = kin_add_scaled(m.surface, gap, t.normal);
    *approach = along + gap;
    return m;
}

typedef struct held {
    kin_joint_at* rows;
    int count;
    double worst; /* rate */
} held;

/* Rows that must not move: those that hold, and limits that are being passed. room: for more of them. */
static bool hold_rows(kin_exact_work* w, size_t room, held* out)
{
    *out = (held){.rows = kin_arena_take(w->scratch, (room + 1) * sizeof *out->rows)};
    for (uint32_t i = 0; out->rows != NULL && i < w->unit->joint_count; ++i) {
        kin_joint_row rows[KIN_JOINT_ROWS];
        const kin_body *a = &w->bodies[w->joint_a[i]], *b = &w->bodies[w->joint_b[i]];
        int n = kin_exact_work_rows(w, i, kin_exact_tolerance(w->self), rows);
        for (int k = 0; k < n; ++k) {
            double rate = kin_joint_row_rate(&rows[k], a, b);
            if (rows[k].kind != KIN_ROW_HOLD && !(rows[k].kind == KIN_ROW_LIMIT && rate < 0)) continue;
            out->rows[out->count++] = (kin_joint_at){w->joint_a[i], w->joint_b[i], rows[k]};
            out->worst = kin_max(out->worst, kin_abs(rate));
        }
    }
    return out->rows != NULL;
}

static kin_twist answer(const kin_exact_work* w, uint32_t i, kin_vec3 linear, kin_vec3 angular)
{
    if (i >= w->free) return (kin_twist){0};
    return (kin_twist){kin_scale(linear, w->bodies[i].inv_mass), kin_body_inv_inertia_times(&w->bodies[i], angular)};
}

static double dot_row(const kin_joint_at* r, uint32_t body, kin_twist t)
{
    double sum = 0;
    if (r->a == body) sum += kin_dot(r->row.linear_a, t.velocity) + kin_dot(r->row.angular_a, t.spin);
    if (r->b == body) sum += kin_dot(r->row.linear_b, t.velocity) + kin_dot(r->row.angular_b, t.spin);
    return sum;
}

/* (J M^-1 J^t) p = -J v, rows scaled to a unit diagonal and a little softened, as rows of a loop may say the same thing twice; twice, which takes the softness
 * back. A limit that would have to pull lets go. */
static void stop_rows(kin_exact_work* w, held* h)
{
    size_t n = (size_t)h->count;
    double *k = kin_arena_take(w->scratch, n * n * sizeof *k), *p = kin_arena_take(w->scratch, 2 * n * sizeof *p), *scale = p + n;
    if (k == NULL || p == NULL) return;
    for (size_t i = 0; i < n; ++i) {
        const kin_joint_at* r = &h->rows[i];
        kin_twist a = answer(w, r->a, r->row.linear_a, r->row.angular_a), b = answer(w, r->b, r->row.linear_b, r->row.angular_b);
        for (size_t j = 0; j < n; ++j) k[i * n + j] = dot_row(&h->rows[j], r->a, a) + (r->a != r->b ? dot_row(&h->rows[j], r->b, b) : 0);
    }
    for (size_t i = 0; i < n; ++i) scale[i] = k[i * n + i] > 0 ? 1 / kin_sqrt(k[i * n + i]) : 0;
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < n; ++j) k[i * n + j] *= scale[i] * scale[j];
        k[i * n + i] = 1 + 1e-11;
    }
    if (!kin_ldlt_factor(h->count, k)) return;
    for (int round = 0; round < 3; ++round) {
        for (size_t i = 0; i < n; ++i) p[i] = -scale[i] * kin_joint_row_rate(&h->rows[i].row, &w->bodies[h->rows[i].a], &w->bodies[h->rows[i].b]);
        kin_ldlt_solve(h->count, k, p);
        for (size_t i = 0; i < n; ++i) {
            const kin_joint_at* r = &h->rows[i];
            if (r->row.kind == KIN_ROW_LIMIT && round == 0 && p[i] < 0) p[i] = 0;
            kin_twist a = answer(w, r->a, r->row.linear_a, r->row.angular_a), b = answer(w, r->b, r->row.linear_b, r->row.angular_b);
            kin_body *x = &w->bodies[r->a], *y = &w->bodies[r->b];
            x->velocity = kin_add_scaled(x->velocity, scale[i] * p[i], a.velocity), x->spin = kin_add_scaled(x->spin, scale[i] * p[i], a.spin);
            y->velocity = kin_add_scaled(y->velocity, scale[i] * p[i], b.velocity), y->spin = kin_add_scaled(y->spin, scale[i] * p[i], b.spin);
        }
    }
}

void kin_exact_undrift_speeds(kin_exact_work* w)
{
    kin_arena_mark mark = kin_arena_begin(w->scratch);
    held h;
    kin_meeting* meetings = kin_arena_take(w->scratch, ((size_t)w->point_count + 1) * sizeof *meetings);
    if (meetings != NULL && hold_rows(w, (size_t)w->row_room, &h)) {
        kin_impulse_cluster cluster = {.bodies = w->bodies, .body_count = w->count, .meetings = meetings, .joints = h.rows, .joint_count = h.count};
        cluster.method = KIN_IMPULSE_SYSTEM;
        for (int i = 0; i < w->point_count; ++i) {
            double approach;
            meetings[cluster.count] = meeting_of(w, &w->points[i], &approach);
            if (!w->by_turns && approach > kin_exact_parting_speed(w->self)) continue;
            h.worst = kin_max(h.worst, -approach);
            cluster.count += 1;
        }
        cluster.enough = kin_max(1e-3 * h.worst, 1e-13);
        const int64_t some = SWEEPS * (3 * (int64_t)cluster.count + cluster.joint_count);
        if (!w->by_turns) cluster.most_work = w->work > some ? w->work : some; /* as much as the tick has cost so far: the next one takes out what is left */
        if (w->by_turns)
            w->swept = kin_exact_sweep(&cluster, kin_exact_parting_speed(w->self), NULL, NULL, w->scratch).residual;
        else if (h.worst > 1e-12 && cluster.count > 0)
            w->work += kin_impulses_apply(&cluster, NULL, NULL, w->scratch).work;
        else if (h.worst > 1e-12 && h.count > 0)
            stop_rows(w, &h);
        for (uint32_t i = 0; i < w->free; ++i) w->angular[i] = kin_body_angular_momentum(&w->bodies[i]);
    }
    kin_arena_end(w->scratch, mark);
}

void kin_exact_stop_joints(kin_exact_work* w)
{
    kin_arena_mark mark = kin_arena_begin(w->scratch);
    held h;
    if (w->point_count == 0 && w->unit->joint_count > 0 && hold_rows(w, (size_t)w->row_room, &h) && h.worst > 1e-12) {
        stop_rows(w, &h);
        for (uint32_t i = 0; i < w->free; ++i) w->angular[i] = kin_body_angular_momentum(&w->bodies[i]);
    }
    kin_arena_end(w->scratch, mark);
}

void kin_exact_undrift(kin_exact_work* w, double h)
{
    kin_exact_undrift_places(w, h);
    kin_exact_undrift_speeds(w);
}

/* ---- bounces too low to be any ---- */

/* The contact that it was goes on, or does not. */
static void keep_contacts(kin_exact_work* w, bool (*stays)(const kin_exact_work* w, int i))
{
    int kept = 0;
    for (int i = 0; i < w->point_count; ++i) {
        if (!stays(w, i)) continue;
        w->points[kept] = w->points[i];
        w->points[kept].parts = 0;
        w->touching[kept] = w->touching[i], w->tangents[kept] = w->tangents[i], w->guess[kept] = w->guess[i];
        memmove(w->force + 3 * (size_t)kept, w->force + 3 * (size_t)i, 3 * sizeof *w->force);
        kept += 1;
    }
    w->point_count = kept;
}

static bool did_not_part(const kin_exact_work* w, int i) { return w->points[i].parts == 0; }

static bool does_not_part(const kin_exact_work* w, int i)
{
    double speed;
    (void)meeting_of(w, &w->points[i], &speed);
    return speed <= kin_exact_parting_speed(w->self);
}

/* The normal of a contact as a joint that holds. */
static kin_joint_at hold_normal(const kin_exact_work* w, const kin_meeting* m)
{
    kin_joint_row r = {.kind = KIN_ROW_HOLD, .linear_a = m->normal, .linear_b = kin_neg(m->normal)};
    r.angular_a = kin_cross(kin_sub(m->point, w->bodies[m->a].position), m->normal);
    r.angular_b = kin_cross(m->normal, kin_sub(m->point, w->bodies[m->b].position));
    return (kin_joint_at){m->a, m->b, r};
}

/* Taking out a speed of parting is a projection: energy can only go. It is what a bounce that rises no higher than the tolerance would come to. */
static void stop_pressed(kin_exact_work* w, held* h, kin_meeting* others)
{
    kin_impulse_cluster cluster = {.bodies = w->bodies, .body_count = w->count, .meetings = others, .joints = h->rows, .method = KIN_IMPULSE_SYSTEM};
    for (int i = 0; i < w->point_count; ++i) {
        double speed;
        kin_meeting m = meeting_of(w, &w->points[i], &speed);
        if (did_not_part(w, i))
            others[cluster.count++] = m;
        else if (w->force[3 * i] > 0)
            h->rows[h->count++] = hold_normal(w, &m);
    }
    cluster.joint_count = h->count;
    cluster.enough = 0.01 * kin_exact_parting_speed(w->self);
    kin_impulses_apply(&cluster, NULL, NULL, w->scratch);
    for (uint32_t i = 0; i < w->free; ++i) w->angular[i] = kin_body_angular_momentum(&w->bodies[i]);
}

bool kin_exact_hold_slow(kin_exact_work* w)
{
    bool pressed = false, parts = false;
    for (int i = 0; i < w->point_count; ++i) {
        parts = parts || !did_not_part(w, i);
        pressed = pressed || (!did_not_part(w, i) && w->force[3 * i] > 0 && !w->by_turns);
    }
    if (parts && !pressed) keep_contacts(w, did_not_part);
    if (!pressed) return false;
    kin_arena_mark mark = kin_arena_begin(w->scratch);
    kin_meeting* others = kin_arena_take(w->scratch, (size_t)w->point_count * sizeof *others);
    held h;
    if (others != NULL && hold_rows(w, (size_t)(w->row_room + w->point_count), &h)) stop_pressed(w, &h, others);
    kin_arena_end(w->scratch, mark);
    keep_contacts(w, does_not_part);
    return true;
}
