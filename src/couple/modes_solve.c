/* modes_solve.c - impulses of all rows at once, by the solver of impulses and contact forces (contact/impulse/rows.h). One thread, in the order of the rows. */
#include "couple/modes.h"
#include <string.h>

#define ENOUGH 1e-8 /* of the largest rate: real-time bodies keep their velocities as floats */

static bool is_driven(const kin_joint_row* r) { return r->kind == KIN_ROW_MOTOR || r->kind == KIN_ROW_FRICTION; }

/* Springs, motors and friction act over time: no part of hits. */
static bool is_slow(const kin_joint_row* r) { return r->kind != KIN_ROW_HOLD && r->kind != KIN_ROW_LIMIT; }

static bool make_set(kin_modes* m)
{
    if (!kin_row_set_init(&m->set, (int)m->point_count, (int)m->row_count, &m->arena)) return false;
    for (uint32_t i = 0; i < m->point_count; ++i) {
        const kin_mode_point* p = &m->points[i];
        for (int k = 0; k < 3; ++k)
            m->set.rows[3 * i + (uint32_t)k] = kin_row_at_point(m->bodies, p->a, p->b, p->point, kin_row_direction(p->normal, p->tangent, k));
    }
    for (uint32_t i = 0; i < m->row_count; ++i) {
        m->set.rows[3 * m->point_count + i] = kin_row_of_joint(m->bodies, m->rows[i].a, m->rows[i].b, &m->rows[i].row);
        m->set.one_sided[i] = m->rows[i].row.kind == KIN_ROW_LIMIT;
    }
    return kin_row_set_couple(&m->set, &m->arena);
}

/* What is a force anyhow: springs as they are, motors and friction that slip. */
static void push_forces(kin_modes* m)
{
    for (uint32_t i = 0; i < m->row_count; ++i) {
        kin_mode_row* r = &m->rows[i];
        uint32_t at = 3 * m->point_count + i;
        double most = r->row.most * m->h, impulse = r->slips * most;
        if (r->row.kind == KIN_ROW_SPRING) {
            double pull = -m->h * (r->row.stiffness * r->row.error + r->row.damping * kin_row_rate(&m->set.rows[at], m->bodies));
            impulse = kin_clamp(pull, -most, most);
        }
        if (r->row.kind != KIN_ROW_SPRING && r->slips == 0) continue;
        if (!m->set.dead[at]) kin_row_push(&m->set.rows[at], impulse, m->bodies);
        m->set.dead[at] = true;
    }
}

static double read_offsets(const kin_modes* m, int stage, double* offset, kin_lcp_friction_contact* friction)
{
    double fast = 0;
    for (uint32_t i = 0; i < m->point_count; ++i) {
        const kin_mode_point* p = &m->points[i];
        for (int k = 0; k < 3; ++k) offset[3 * i + (uint32_t)k] = kin_row_rate(&m->set.rows[3 * i + (uint32_t)k], m->bodies) - p->target[stage][k];
        friction[i] = (kin_lcp_friction_contact){.mu_static = {p->friction, p->friction}};
    }
    for (uint32_t i = 0; i < m->row_count; ++i) {
        uint32_t at = 3 * m->point_count + i;
        offset[at] = kin_row_rate(&m->set.rows[at], m->bodies) - m->rows[i].target;
    }
    for (int i = 0; i < m->set.size; ++i) fast = kin_max(fast, m->set.dead[i] ? 0 : kin_abs(offset[i]));
    return fast;
}

/* Those that would have to hold more than they can. */
static bool let_slip(kin_modes* m)
{
    bool some = false;
    for (uint32_t i = 0; i < m->row_count; ++i) {
        kin_mode_row* r = &m->rows[i];
        double impulse = m->impulses[3 * m->point_count + i];
        if (!is_driven(&r->row) || kin_abs(impulse) <= r->row.most * m->h) continue;
        r->slips = impulse > 0 ? 1 : -1;
        some = true;
    }
    return some;
}

bool kin_modes_solve(kin_modes* m, int stage)
{
    enum { ROUNDS = 8 };
    size_t size = 3 * (size_t)m->point_count + m->row_count;
    double* room = kin_arena_take(&m->arena, 3 * size * sizeof *room);
    kin_lcp_friction_contact* friction = kin_arena_take(&m->arena, (m->point_count + (size_t)1) * sizeof *friction);
    if (room == NULL || friction == NULL || !make_set(m)) return false;
    double *offset = room, *after = room + size;
    m->impulses = room + 2 * size;
    for (int round = 0; round < ROUNDS; ++round) {
        if (stage == 1) push_forces(m);
        for (uint32_t i = 0; i < m->row_count && stage == 0; ++i) m->set.dead[3 * m->point_count + i] |= is_slow(&m->rows[i].row);
        double fast = read_offsets(m, stage, offset, friction);
        memset(m->impulses, 0, size * sizeof *m->impulses);
        if (!(fast > 0)) break;
        kin_lcp_report report = kin_row_set_patient(&m->set, offset, friction, 1, ENOUGH * fast, NULL, m->impulses, after, &m->arena);
        if (report.status == KIN_LCP_MEMORY) return false;
        if (stage == 0 || !let_slip(m)) break;
    }
    for (size_t i = 0; i < size; ++i) {
        if (m->set.dead[i] || !kin_finite(m->impulses[i])) m->impulses[i] = 0;
        if (m->impulses[i] != 0) kin_row_push(&m->set.rows[i], m->impulses[i], m->bodies);
    }
    return true;
}

kin_wrench kin_modes_passed(const kin_modes* m, const kin_mode_touch* t)
{
    kin_wrench sum = {0};
    kin_vec3 arm = kin_sub(t->place, m->bodies[t->a].position);
    for (uint32_t i = 3 * t->first; i < 3 * (t->first + t->count); ++i) {
        sum.impulse = kin_add_scaled(sum.impulse, m->impulses[i], m->set.rows[i].jacobian[KIN_ROW_LINEAR_A]);
        sum.angular = kin_add_scaled(sum.angular, m->impulses[i], m->set.rows[i].jacobian[KIN_ROW_ANGULAR_A]);
    }
    sum.angular = kin_sub(sum.angular, kin_cross(arm, sum.impulse));
    return sum;
}
