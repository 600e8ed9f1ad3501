/* momentum.c - parts of a block that nothing anchors keep their momenta to rounding, and energy is limited without touching them.
 *
 * With theta above 1/2 a body's x1 - x0 is not along v0 + v1, and L = x x m v loses h m (theta - 1/2) v0 x v1: the share of the damping that falls on turning
 * as a whole. What L ought to be is known (mean levers cancel between joints); the miss is given back as a common spin, which no joint feels. */
#include "contact/tree/state.h"

static kin_vec3 world_spin(const kin_joint_tree_body* b) { return kin_rotate(b->now.q, b->now.spin); }

/* About the point where the part's centre of mass was: what forces and contacts make of L over the substep. */
void kin_joint_tree_expect_momentum(kin_joint_tree* t, double h)
{
    for (int i = 0; i < t->parts; ++i) t->part[i] = (kin_joint_tree_part){.anchored = t->part[i].anchored};
    for (int i = 0; i < t->free; ++i) {
        kin_joint_tree_part* p = &t->part[t->body[i].part];
        p->mass += t->body[i].mass;
        p->center = kin_add_scaled(p->center, t->body[i].mass, t->body[i].now.x);
    }
    for (int i = 0; i < t->parts; ++i) t->part[i].center = kin_scale(t->part[i].center, t->part[i].mass > 0 ? 1 / t->part[i].mass : 0);
    for (int i = 0; i < t->free; ++i) {
        const kin_joint_tree_body* b = &t->body[i];
        kin_joint_tree_part* p = &t->part[b->part];
        kin_vec3 start = kin_sub(b->now.x, p->center), middle = kin_scale(kin_add(start, kin_sub(b->x1, p->center)), 0.5);
        kin_vec3 spun = kin_add(b->momentum, kin_add_scaled(b->twist, h, b->torque));
        p->expected = kin_add(p->expected, kin_add(spun, kin_cross(start, kin_scale(b->now.v, b->mass))));
        p->expected = kin_add(p->expected, kin_cross(middle, kin_add_scaled(b->push, h, b->force)));
    }
}

static kin_sym3 about(kin_vec3 r, double mass)
{
    double square = kin_length2(r);
    return kin_sym3_add(kin_sym3_diagonal(kin_scale(kin_v(square, square, square), mass)), kin_sym3_scale(kin_sym3_square(r), -mass));
}

static kin_vec3 solve(kin_sym3 a, kin_vec3 b)
{
    kin_mat3 inverse;
    return kin_mat3_inverse(kin_sym3_matrix(a), &inverse) ? kin_mat3_apply(inverse, b) : (kin_vec3){0};
}

/* Momenta, inertia and motion of parts as a whole, as the bodies are now. */
static void measure_parts(kin_joint_tree* t)
{
    for (int i = 0; i < t->parts; ++i) {
        kin_joint_tree_part* p = &t->part[i];
        p->mass = 0;
        p->now = p->linear = p->angular = (kin_vec3){0};
        p->inertia = (kin_sym3){0};
    }
    for (int i = 0; i < t->free; ++i) {
        const kin_joint_tree_body* b = &t->body[i];
        kin_joint_tree_part* p = &t->part[b->part];
        p->mass += b->mass;
        p->now = kin_add_scaled(p->now, b->mass, b->now.x);
        p->linear = kin_add_scaled(p->linear, b->mass, b->now.v);
    }
    for (int i = 0; i < t->parts; ++i) t->part[i].now = kin_scale(t->part[i].now, t->part[i].mass > 0 ? 1 / t->part[i].mass : 0);
    for (int i = 0; i < t->free; ++i) {
        const kin_joint_tree_body* b = &t->body[i];
        kin_joint_tree_part* p = &t->part[b->part];
        kin_vec3 r = kin_sub(b->now.x, p->now);
        kin_sym3 own = kin_sym3_rotate(kin_quat_to_matrix(b->now.q), kin_sym3_diagonal(b->moments));
        p->angular = kin_add(p->angular, kin_add(kin_cross(r, kin_scale(b->now.v, b->mass)), kin_sym3_apply(own, world_spin(b))));
        p->inertia = kin_sym3_add(p->inertia, kin_sym3_add(own, about(r, b->mass)));
    }
}

static void spin_part(kin_joint_tree* t, int part, kin_vec3 center, kin_vec3 spin)
{
    for (int i = 0; i < t->free; ++i) {
        kin_joint_tree_body* b = &t->body[i];
        if (b->part != part) continue;
        b->now.v = kin_add(b->now.v, kin_cross(spin, kin_sub(b->now.x, center)));
        b->now.spin = kin_add(b->now.spin, kin_unrotate(b->now.q, spin));
    }
}

void kin_joint_tree_keep_momentum(kin_joint_tree* t)
{
    measure_parts(t);
    for (int i = 0; i < t->parts; ++i) {
        const kin_joint_tree_part* p = &t->part[i];
        if (p->anchored) continue;
        kin_vec3 orbital = kin_cross(kin_sub(p->now, p->center), p->linear);
        spin_part(t, i, p->now, solve(p->inertia, kin_sub(p->expected, kin_add(orbital, p->angular))));
    }
}

/* ---- energy ---- */

double kin_joint_tree_kinetic(const kin_joint_tree* t)
{
    double sum = 0;
    for (int i = 0; i < t->free; ++i) sum += kin_joint_tree_body_kinetic(&t->body[i], t->body[i].now.v, t->body[i].now.spin);
    return sum;
}

/* J: of parts that move as a whole. Their velocity and spin take the places of momenta. */
static double whole_motion(kin_joint_tree* t)
{
    double sum = 0;
    for (int i = 0; i < t->parts; ++i) {
        kin_joint_tree_part* p = &t->part[i];
        kin_vec3 v = p->anchored ? (kin_vec3){0} : kin_scale(p->linear, 1 / p->mass), w = p->anchored ? (kin_vec3){0} : solve(p->inertia, p->angular);
        if (!p->anchored) sum += 0.5 * (kin_dot(v, p->linear) + kin_dot(w, p->angular));
        p->linear = v;
        p->angular = w;
    }
    return sum;
}

/* What moves within a part is slowed; the motion of a free part as a whole stays. */
void kin_joint_tree_limit_energy(kin_joint_tree* t, double most)
{
    double now = kin_joint_tree_kinetic(t);
    if (now <= most) return;
    measure_parts(t);
    double whole = whole_motion(t), inside = now - whole;
    bool lost = !kin_finite(now) || !kin_finite(whole);
    double scale = !lost && most > whole && inside > 0 ? kin_sqrt((most - whole) / inside) : 0;
    for (int i = 0; i < t->free; ++i) {
        kin_joint_tree_body* b = &t->body[i];
        const kin_joint_tree_part* p = &t->part[b->part];
        kin_vec3 v = kin_add(p->linear, kin_cross(p->angular, kin_sub(b->now.x, p->now))), w = kin_unrotate(b->now.q, p->angular);
        b->now.v = lost ? (kin_vec3){0} : kin_add_scaled(v, scale, kin_sub(b->now.v, v));
        b->now.spin = lost ? (kin_vec3){0} : kin_add_scaled(w, scale, kin_sub(b->now.spin, w));
    }
}
