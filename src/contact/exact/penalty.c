/* penalty.c - the engine without backtracking (X1.2, C4.14 Ex3): things carry a shell, and springs push apart what comes into it.
 *
 * A spring's rest length is the shell's thickness d. Its stiffness follows from what it has to do: stop what comes with speed v within d, m v^2 / d^2, and carry
 * a weight with half of d to spare, 2 m a / d, more where a pile presses (load). Going out it is softer by e^2, so that e^2 of the energy comes back. Ticks are
 * short against its period, so nothing jitters. Friction is Coulomb's with a ramp about rest: what should stick creeps. */
#include "contact/exact/work.h"
#include "contact/friction.h"

#define SHARE 0.02 /* of the thinner body: its shell */
#define PART 0.2   /* of a radian of the stiffest spring that a tick may be */
#define DEEP 0.75  /* of the shell: what rests deeper wants a stiffer spring */

double kin_exact_shell(const kin_exact* self, const kin_exact_pair* p)
{
    const kin_body_skin *a = &self->group->bodies.skin[p->a], *b = &self->group->bodies.skin[p->b];
    const double given = self->group->def.shell;
    return given > 0 ? given : kin_clamp(SHARE * kin_min(a->thickness, b->thickness), 1e-4, 0.05);
}

static double effective_mass(const kin_body* a, const kin_body* b)
{
    double inverse = a->inv_mass + b->inv_mass;
    return inverse > 0 ? 1 / inverse : 0;
}

static double pace(const kin_exact* self, uint32_t i)
{
    const kin_body* b = &self->group->bodies.body[i];
    return kin_length(b->velocity) + kin_length(b->spin) * kin_min(self->group->bodies.skin[i].reach, 1e6);
}

static double acceleration(const kin_exact* self, uint32_t i) { return kin_length(self->group->bodies.force[i]) * self->group->bodies.body[i].inv_mass; }

/* How far a body may get in the interval. */
double kin_exact_travel(const kin_exact* self, uint32_t i)
{
    double h = self->step->h;
    return h * (pace(self, i) + h * acceleration(self, i));
}

/* Speeds and loads go on from the last interval, as long as the two are in each other's shells. */
bool kin_exact_penalty_begin(kin_exact* self, kin_exact_pair* p)
{
    const kin_bodies* all = &self->group->bodies;
    const kin_body *a = &all->body[p->a], *b = &all->body[p->b];
    double h = self->step->h, weight = acceleration(self, p->a) + acceleration(self, p->b);
    kin_exact_memory* m = kin_exact_remember(self, p->a, p->b);
    if (m == NULL) return false;
    p->shell = kin_exact_shell(self, p);
    double gap = kin_exact_separation(self, p, kin_body_pose(a), kin_body_pose(b), p->shell, &self->arena);
    if (gap > p->shell) m->entry = pace(self, p->a) + pace(self, p->b) + weight * h, m->load = 1;
    if (gap < (1 - DEEP) * p->shell) m->load *= 1.25;
    if (gap > DEEP * p->shell && m->load > 1) m->load *= 0.97;
    double mass = effective_mass(a, b);
    p->stiffness = mass * (kin_square(m->entry / p->shell) + 2 * kin_clamp(m->load, 1, 1e4) * weight / p->shell);
    p->ramp = kin_max(0.05 * m->entry, 0.1 * kin_sqrt(weight * p->shell));
    return true;
}

/* Parts of the interval that the stiffest spring of a unit asks for; arms make bodies lighter at their corners. */
int kin_exact_penalty_ticks(const kin_exact* self, const kin_exact_unit* u)
{
    int ticks = 1, most = kin_exact_most_ticks(self);
    double fastest = 0;
    for (uint32_t i = 0; i < u->pair_count; ++i) {
        const kin_exact_pair* p = u->pairs[i];
        double mass = effective_mass(&self->group->bodies.body[p->a], &self->group->bodies.body[p->b]);
        if (mass > 0) fastest = kin_max(fastest, 2 * kin_sqrt(p->stiffness / mass));
    }
    while (ticks < most && fastest * self->step->h / ticks > PART) ticks *= 2;
    return ticks < most ? ticks : most;
}

static void push_at(kin_exact_work* w, uint32_t i, kin_vec3 point, kin_vec3 force)
{
    if (i >= w->free) return;
    w->view.force[i] = kin_add(w->view.force[i], force);
    w->view.torque[i] = kin_add(w->view.torque[i], kin_cross(kin_sub(point, w->bodies[i].position), force));
}

static void spring(kin_exact_work* w, const kin_exact_point* point, int count, double h)
{
    const kin_exact_pair* p = point->pair;
    const kin_body *a = &w->bodies[point->a], *b = &w->bodies[point->b];
    kin_touching t = kin_exact_touching(point, a, b);
    kin_vec3 v = kin_exact_slip(&t, a, b);
    double along = kin_dot(v, t.normal), e2 = kin_square(kin_min(p->restitution, 1)), depth = p->shell - point->separation;
    double softer = 0.5 * (1 + e2) - 0.5 * (1 - e2) * kin_clamp(along / kin_max(p->ramp, 1e-12), -1, 1);
    double normal = p->stiffness * depth * softer / count;
    kin_vec3 slip = kin_add_scaled(v, -along, t.normal);
    double mu[2] = {p->mu_dynamic[0], p->mu_dynamic[1]}, speed = kin_length(slip);
    kin_vec3 force = kin_scale(t.normal, normal), way = kin_normalize_or(slip, kin_v(0, 0, 0));
    if (kin_length2(t.tangent) > 0) way = kin_friction_way(p->mu_dynamic, t.normal, t.tangent, slip, mu);
    double rest = kin_max(kin_exact_slip_speed(w->self), mu[0] * normal * h * (a->inv_mass + b->inv_mass)), drag = mu[0] * normal * kin_min(1, speed / rest);
    force = kin_add_scaled(force, -drag, way);
    push_at(w, point->a, t.point, force);
    push_at(w, point->b, t.point, kin_neg(force));
}

void kin_exact_penalty_forces(kin_exact_work* w, double h)
{
    for (uint32_t i = 0; i < w->unit->pair_count; ++i) {
        const kin_exact_pair* p = w->unit->pairs[i];
        if (p->passes) continue;
        kin_exact_point points[KIN_EXACT_POINTS];
        int n = kin_exact_points(w->self, p, &w->bodies[w->pair_a[i]], &w->bodies[w->pair_b[i]], p->shell, points, KIN_EXACT_POINTS, w->scratch);
        for (int k = 0; k < n; ++k) {
            points[k].a = points[k].flipped ? w->pair_b[i] : w->pair_a[i];
            points[k].b = points[k].flipped ? w->pair_a[i] : w->pair_b[i];
            spring(w, &points[k], n, h);
        }
    }
}
