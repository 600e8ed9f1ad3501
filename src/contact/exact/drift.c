/* drift.c - what rounding and the order of the integrator leave over at the end of a tick: joints that are a little open, gaps a little too deep, speeds that
 * should be none. Positions are put right by small moves along the rows, mass by mass (no velocity comes from it); speeds by a plastic impact, which can only
 * take energy (C5.2, C5.6.2, R6). */
#include "contact/exact/work.h"

enum { MOST_ROUNDS = 30 };

static void shift(kin_exact_work* w, uint32_t i, kin_vec3 linear, kin_vec3 angular, double by)
{
    if (i >= w->free) return;
    kin_body* b = &w->bodies[i];
    b->position = kin_add_scaled(b->position, by * b->inv_mass, linear);
    kin_vec3 turn = kin_scale(kin_body_inv_inertia_times(b, angular), by);
    b->orientation = kin_quat_integrate(b->orientation, turn, 1);
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
    shift(w, a, r->linear_a, r->angular_a, -r->error / k);
    shift(w, b, r->linear_b, r->angular_b, -r->error / k);
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

/* Gaps below nothing are closed, overlaps of the start no faster than push_speed. */
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
        shift(w, p->a, t.normal, turn_a, -error / k);
        shift(w, p->b, t.normal, turn_b, error / k);
        worst = kin_max(worst, -error);
    }
    return worst;
}

static void undrift_positions(kin_exact_work* w, double h)
{
    double push = kin_max(w->self->group->def.push_speed, 0) * h, enough = 1e-3 * kin_exact_tolerance(w->self);
    for (int round = 0; round < MOST_ROUNDS; ++round) {
        double joints = undrift_joints(w), contacts = undrift_contacts(w, push);
        if (kin_max(joints, contacts) <= enough) break;
    }
    for (uint32_t i = 0; i < w->free; ++i) w->angular[i] = kin_body_angular_momentum(&w->bodies[i]);
}

/* ---- speeds ---- */

/* Friction takes part where a contact sticks: what little it has crept is stopped. */
static kin_meeting meeting_of(const kin_exact_work* w, const kin_exact_point* p, double* approach)
{
    const kin_body *a = &w->bodies[p->a], *b = &w->bodies[p->b];
    kin_touching t = kin_exact_touching(p, a, b);
    kin_vec3 v = kin_exact_slip(&t, a, b);
    double along = kin_dot(v, t.normal);
    bool sticks = kin_length(kin_add_scaled(v, -along, t.normal)) <= kin_exact_slip_speed(w->self);
    kin_meeting m = {.a = p->a, .b = p->b, .point = t.point, .normal = t.normal, .surface = t.surface, .resting = true};
    for (int k = 0; k < 2 && sticks; ++k) m.friction[k] = t.mu_static[k];
    *approach = along;
    return m;
}

static void undrift_speeds(kin_exact_work* w)
{
    kin_arena_mark mark = kin_arena_begin(w->scratch);
    kin_meeting* meetings = kin_arena_take(w->scratch, ((size_t)w->point_count + 1) * sizeof *meetings);
    kin_joint_at* joints = kin_arena_take(w->scratch, ((size_t)w->row_room + 1) * sizeof *joints);
    kin_impulse_cluster cluster = {.bodies = w->bodies, .body_count = w->count, .meetings = meetings, .joints = joints, .method = KIN_IMPULSE_LCP};
    double worst = 0;
    for (int i = 0; meetings != NULL && i < w->point_count; ++i) {
        double approach;
        meetings[cluster.count] = meeting_of(w, &w->points[i], &approach);
        if (approach > 0.01 * kin_exact_contact_speed(w->self)) continue;
        worst = kin_max(worst, -approach);
        cluster.count += 1;
    }
    for (uint32_t i = 0; joints != NULL && i < w->unit->joint_count; ++i) {
        kin_joint_row rows[KIN_JOINT_ROWS];
        const kin_body *a = &w->bodies[w->joint_a[i]], *b = &w->bodies[w->joint_b[i]];
        int n = kin_exact_work_rows(w, i, kin_exact_tolerance(w->self), rows);
        for (int k = 0; k < n; ++k) {
            double rate = kin_joint_row_rate(&rows[k], a, b);
            if (rows[k].kind != KIN_ROW_HOLD && !(rows[k].kind == KIN_ROW_LIMIT && rate < 0)) continue;
            joints[cluster.joint_count++] = (kin_joint_at){w->joint_a[i], w->joint_b[i], rows[k]};
            worst = kin_max(worst, kin_abs(rate));
        }
    }
    if (meetings != NULL && joints != NULL && cluster.count + cluster.joint_count > 0 && worst > 1e-12) {
        kin_impulses_apply(&cluster, NULL, NULL, w->scratch);
        for (uint32_t i = 0; i < w->free; ++i) w->angular[i] = kin_body_angular_momentum(&w->bodies[i]);
    }
    kin_arena_end(w->scratch, mark);
}

void kin_exact_undrift(kin_exact_work* w, double h)
{
    undrift_positions(w, h);
    undrift_speeds(w);
}
