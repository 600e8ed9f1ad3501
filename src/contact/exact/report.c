/* report.c - contact impulses of an interval, for users and pictures: those of collisions, and forces times the time that they acted.
 *
 * Forces are found again in the middle of each part of a unit's path, from knot to knot: the midpoint rule, whose error is of the second order of a tick and
 * nothing for what rests or slides steadily. Where a unit goes by turns there are no forces; impulses of such ticks are not known point by point, and are left out.
 * A point is known by its bodies and its features: what it does in several parts of the interval is added up. */
#include "base/alloc.h"
#include "contact/exact/work.h"

/* For a point of two bodies of the group; NULL: no memory. */
static kin_exact_press* press_of(kin_exact* self, uint32_t a, uint32_t b, uint32_t id)
{
    for (uint32_t i = self->press_count; i > 0; --i) {
        kin_exact_press* p = &self->presses[i - 1];
        if (p->a == a && p->b == b && p->id == id) return p;
    }
    if (!kin_reserve(&self->allocator, (void**)&self->presses, &self->press_room, self->press_count + 1u, sizeof *self->presses)) {
        self->group->events->lost = true;
        return NULL;
    }
    kin_exact_press* p = &self->presses[self->press_count++];
    *p = (kin_exact_press){.a = a, .b = b, .id = id};
    return p;
}

typedef struct side { /* of a contact */
    uint32_t number;  /* in the group */
    const kin_body* body;
} side;

/* An impulse on a, N s, of a point with a normal from b to a. The point goes with the lighter body. */
static void add(kin_exact* self, side a, side b, uint32_t id, kin_vec3 point, kin_vec3 normal, kin_vec3 impulse)
{
    if (b.body->inv_mass > a.body->inv_mass || (b.body->inv_mass == a.body->inv_mass && b.number < a.number)) {
        add(self, b, a, id, point, kin_neg(normal), kin_neg(impulse));
        return;
    }
    const double size = kin_dot(impulse, normal);
    const kin_vec3 local = kin_unapply(kin_body_pose(a.body), point);
    kin_exact_press* p = size > 0 ? press_of(self, a.number, b.number, id) : NULL;
    if (p == NULL) return;
    p->impulse += size;
    p->local = kin_add_scaled(p->local, size / p->impulse, kin_sub(local, p->local));
    p->normal = kin_add_scaled(p->normal, size, normal);
    p->friction = kin_add(p->friction, kin_add_scaled(impulse, -size, normal));
}

static side side_of(const kin_exact_work* w, uint32_t i) { return (side){w->number[i], &w->bodies[i]}; }

void kin_exact_report_hit(kin_exact* self, const kin_exact_work* w, uint32_t id, const kin_meeting* m, const kin_impulse* p)
{
    if (!kin_group_reports(self->group)) return;
    const kin_vec3 along = kin_add_scaled(kin_scale(p->tangent, p->t), p->k, kin_cross(m->normal, p->tangent));
    add(self, side_of(w, m->a), side_of(w, m->b), id, m->point, m->normal, kin_add_scaled(along, p->n, m->normal));
}

/* From one time to another, as in the middle between them. */
static void add_part(kin_exact* self, const kin_exact_unit* u, double from, double to, kin_exact_state* states, kin_arena* scratch)
{
    kin_exact_work w;
    const double middle = 0.5 * (from + to);
    if (!(to > from) || !kin_exact_evaluate(self, u, middle, states, scratch) || !kin_exact_find_forces(self, u, states, middle, &w, scratch)) return;
    for (int i = 0; i < w.point_count; ++i) {
        const kin_exact_point* p = &w.points[i];
        add(self, side_of(&w, p->a), side_of(&w, p->b), p->id, w.touching[i].point, w.touching[i].normal, kin_scale(w.guess[i], to - from));
    }
}

void kin_exact_report_forces(kin_exact* self, const kin_exact_unit* u, double time, kin_arena* scratch)
{
    if (!kin_group_reports(self->group) || u->pair_count == 0) return;
    const kin_arena_mark mark = kin_arena_begin(scratch);
    kin_exact_state* states = kin_arena_take(scratch, u->count * sizeof *states);
    for (int k = 0; k < u->knots && states != NULL && u->time[k] < time; ++k) {
        const kin_arena_mark inner = kin_arena_begin(scratch);
        add_part(self, u, u->time[k], k + 1 < u->knots ? kin_min(u->time[k + 1], time) : time, states, scratch);
        kin_arena_end(scratch, inner);
    }
    kin_arena_end(scratch, mark);
}

void kin_exact_report_end(kin_exact* self)
{
    for (uint32_t i = 0; i < self->press_count; ++i) {
        const kin_exact_press* p = &self->presses[i];
        kin_body_contact* out = kin_group_add_contact(self->group);
        if (out == NULL) return;
        const kin_vec3 point = kin_apply(kin_body_pose(&self->group->bodies.body[p->a]), p->local);
        out->mass = self->group->bodies.body[p->a].mass;
        out->normal = kin_normalize_or(p->normal, kin_v(0, 1, 0));
        out->impulse = kin_length(p->normal);
        out->friction = p->friction;
        out->center = point;
        out->points[0] = (kin_contact_point){point, 0, out->impulse};
        out->count = 1;
        out->a = kin_group_anchor(self->group, p->a, point), out->b = kin_group_anchor(self->group, p->b, point);
    }
    self->press_count = 0;
}
