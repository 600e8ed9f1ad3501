/* matrix.c - K of meetings, by formula and by unit test impulses from rest (H10.14). */
#include "contact/impulse/local.h"
#include "contact/impulse/rows.h"
#include <string.h>

static kin_row meeting_row(const kin_body* bodies, const kin_meeting* m, int row)
{
    kin_vec3 tangent = kin_meeting_tangent(m, kin_meeting_velocity(m, bodies));
    return kin_row_at_point(bodies, m->a, m->b, m->point, kin_row_direction(m->normal, tangent, row));
}

void kin_impulse_matrix(const kin_body* bodies, const kin_meeting* meetings, int count, bool tangents, double* matrix)
{
    int rows = tangents ? 3 : 1, size = rows * count;
    for (int i = 0; i < size; ++i) {
        kin_row p = meeting_row(bodies, &meetings[i / rows], i % rows);
        for (int j = 0; j < size; ++j) {
            kin_row q = meeting_row(bodies, &meetings[j / rows], j % rows);
            matrix[(size_t)i * (size_t)size + (size_t)j] = kin_row_couple(&p, &q);
        }
    }
}

static void test_impulse(kin_body* bodies, const kin_meeting* m, kin_vec3 direction)
{
    if (m->a != KIN_NO_BODY) kin_body_push(&bodies[m->a], m->point, direction, kin_v(0, 0, 0));
    if (m->b != KIN_NO_BODY) kin_body_push(&bodies[m->b], m->point, kin_neg(direction), kin_v(0, 0, 0));
}

bool kin_impulse_matrix_by_tests(kin_body* bodies, uint32_t body_count, const kin_meeting* meetings, int count, bool tangents, double* matrix,
                                 kin_arena* scratch)
{
    kin_arena_mark mark = kin_arena_begin(scratch);
    int rows = tangents ? 3 : 1, size = rows * count;
    kin_body* saved = kin_arena_take(scratch, (size_t)body_count * sizeof *saved);
    kin_vec3* directions = kin_arena_take(scratch, (size_t)size * sizeof *directions);
    bool good = saved && directions;
    if (good) {
        memcpy(saved, bodies, (size_t)body_count * sizeof *saved);
        for (int i = 0; i < size; ++i) directions[i] = meeting_row(bodies, &meetings[i / rows], i % rows).jacobian[meetings[i / rows].a == KIN_NO_BODY ? 2 : 0];
        for (int i = 0; i < size; ++i) {
            if (meetings[i / rows].a == KIN_NO_BODY) directions[i] = kin_neg(directions[i]);
        }
    }
    for (int j = 0; j < size && good; ++j) { /* from rest, so that nothing is lost to the velocities there were */
        for (uint32_t i = 0; i < body_count; ++i) bodies[i].velocity = bodies[i].spin = kin_v(0, 0, 0);
        test_impulse(bodies, &meetings[j / rows], directions[j]);
        for (int i = 0; i < size; ++i) {
            kin_vec3 v = kin_sub(kin_meeting_velocity(&meetings[i / rows], bodies), meetings[i / rows].surface);
            matrix[(size_t)i * (size_t)size + (size_t)j] = kin_dot(v, directions[i]);
        }
    }
    if (good) memcpy(bodies, saved, (size_t)body_count * sizeof *saved);
    kin_arena_end(scratch, mark);
    return good;
}
