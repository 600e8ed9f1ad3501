/* shells.c - surfaces one by one: what tension does to each as a whole.
 *
 * A shell is all particles with a pull that hang together by neighbours of the same tension. Its pulls act at `depth` below the surface, where a ball of radius R is
 * smaller: kappa is too large there by 1 + depth / R, and by that to the power of d - 1 the pressure that one and the same pull makes. R is that of the shell's
 * mean curvature; a factor for each particle from its own would flatten waves.
 *
 * Around a closed surface the integrals of kappa n and of x x kappa n are 0. The errors of curvature leave a force and a torque; they are taken off as
 * p_i (t + w x r), p_i = |N_i| the part of the surface that a particle is and r from the middle of them: the smallest change that does it, measured by
 * sum |change|^2 / p. A small drop could drive itself otherwise. Where fluid touches walls its surface ends there, and the force is what walls hold it by: they
 * get it back by pressures c_i = l.b_i, and what no pressure on them can be, along a flat wall say, is an error and is taken off too.
 *
 * Serial, in the order of particles: few of them are at surfaces. */
#include "domains/sph/physics/inside.h"
#include "math/sym3.h"
#include <string.h>

#define LEAST_SHARE 1e-6 /* of the largest: particles in a row do not turn about it, flat walls press along one axis */

static uint32_t root_of(uint32_t* up, uint32_t i)
{
    while (up[i] != i) i = up[i] = up[up[i]];
    return i;
}

static void unite(uint32_t* up, uint32_t a, uint32_t b)
{
    a = root_of(up, a), b = root_of(up, b);
    if (a < b)
        up[b] = a;
    else
        up[a] = b;
}

/* up[i]: the first of the particles that i hangs together with. */
static void join_neighbours(const kin_sph* f, const float* pull4, uint32_t* up)
{
    const kin_sph_lists* l = &f->lists;
    for (size_t i = 0; i < f->count; ++i) {
        size_t block = i / KIN_SPH_LANES, base = block * KIN_SPH_LANES;
        up[i] = (uint32_t)i;
        if (!(pull4[4 * i + 3] > 0)) continue;
        for (size_t row = l->first[block]; row < l->first[block + 1]; ++row) {
            size_t at = KIN_SPH_LANES * row + (i - base), j = (size_t)((ptrdiff_t)base + (l->wide ? l->far[at] : l->near[at]));
            if (j < i && pull4[4 * j + 3] > 0 && f->x4[4 * j + 3] == f->x4[4 * i + 3]) unite(up, (uint32_t)i, (uint32_t)j);
        }
    }
}

/* shell[i] from up: in the order of their first particles. Returns how many there are. */
static size_t number_shells(const kin_sph* f, const float* pull4, uint32_t* up, uint32_t* shell)
{
    uint32_t count = 0;
    for (size_t i = 0; i < f->count; ++i) {
        if (!(pull4[4 * i + 3] > 0)) continue;
        uint32_t root = root_of(up, (uint32_t)i);
        shell[i] = root == i ? count++ : shell[root];
    }
    return count;
}

static kin_sym3 inertia_of(kin_vec3 r)
{
    double square = kin_length2(r);
    return kin_sym3_add(kin_sym3_diagonal(kin_v(square, square, square)), kin_sym3_scale(kin_sym3_square(r), -1));
}

/* m^-1 v, but nothing along axes that m hardly has. */
static kin_vec3 solved(kin_sym3 m, kin_vec3 v)
{
    kin_eigen3 e = kin_sym3_eigen(m);
    const kin_vec3 axis[3] = {e.vectors.cx, e.vectors.cy, e.vectors.cz};
    const double size[3] = {e.values.x, e.values.y, e.values.z};
    kin_vec3 out = {0};
    for (int k = 0; k < 3; ++k) {
        if (size[k] > LEAST_SHARE * size[0]) out = kin_add_scaled(out, kin_dot(axis[k], v) / size[k], axis[k]);
    }
    return out;
}

static kin_vec3 wall_at(const kin_sph* f, size_t i) { return kin_v((double)f->b[0][i], (double)f->b[1][i], (double)f->b[2][i]); }

static void add_bends(const kin_sph* f, const float* bend4, const float* pull4, const uint32_t* shell, kin_sph_shell* shells)
{
    for (size_t i = 0; i < f->count; ++i) {
        double part = (double)pull4[4 * i + 3];
        if (!(part > 0)) continue;
        kin_sph_shell* s = &shells[shell[i]];
        s->part += part, s->bend += part * (double)bend4[4 * i];
        if (f->lambda[i] > 0) s->open = true, s->walls = kin_sym3_add(s->walls, kin_sym3_square(wall_at(f, i)));
        s->middle = kin_add_scaled(s->middle, part, kin_sph_get(f->x4, i));
    }
}

/* What the pulls of a shell are to be multiplied by. */
static double lift_of(const kin_sph* f, const kin_sph_shell* s)
{
    const kin_sph_surface* surface = &f->physics->scales.surface;
    int dimensions = kin_sph_dimensions(f);
    double bend = s->bend / (s->part * (dimensions - 1)), wider = kin_max(0.5, 1 + surface->depth * bend);
    double all = 1 / wider, flank = kin_max(0.5, 1 - surface->thin * bend / wider);
    for (int k = 1; k < dimensions; ++k) all *= flank;
    return all;
}

static void lift(const kin_sph* f, float* pull4, const uint32_t* shell, kin_sph_shell* shells)
{
    for (size_t i = 0; i < f->count; ++i) {
        if (!(pull4[4 * i + 3] > 0)) continue;
        kin_sph_shell* s = &shells[shell[i]];
        const kin_vec3 pull = kin_scale(kin_sph_get(pull4, i), s->lift);
        kin_sph_put(pull4, i, pull);
        s->force = kin_add(s->force, pull);
    }
}

static void add_torques(const kin_sph* f, const float* pull4, const uint32_t* shell, kin_sph_shell* shells)
{
    for (size_t i = 0; i < f->count; ++i) {
        double part = (double)pull4[4 * i + 3];
        if (!(part > 0)) continue;
        kin_sph_shell* s = &shells[shell[i]];
        kin_vec3 r = kin_sub(kin_sph_get(f->x4, i), s->middle);
        s->torque = kin_add(s->torque, kin_cross(r, kin_sph_get(pull4, i)));
        s->inertia = kin_sym3_add(s->inertia, kin_sym3_scale(inertia_of(r), part));
    }
}

/* What is taken off a particle over its part, and what walls get by it. */
static void find_changes(kin_sph_shell* s, bool turns)
{
    kin_vec3 force = s->force;
    if (s->open) {
        s->hold = solved(s->walls, force);
        force = kin_sub(force, kin_sym3_apply(s->walls, s->hold));
    }
    s->force = kin_scale(force, 1 / s->part);
    s->torque = turns && !s->open ? solved(s->inertia, s->torque) : kin_v(0, 0, 0);
}

static void take_off(const kin_sph* f, float* pull4, const uint32_t* shell, const kin_sph_shell* shells, float* coef)
{
    for (size_t i = 0; i < f->count; ++i) {
        double part = (double)pull4[4 * i + 3];
        if (!(part > 0)) continue;
        const kin_sph_shell* s = &shells[shell[i]];
        kin_vec3 along = kin_add(s->force, kin_cross(s->torque, kin_sub(kin_sph_get(f->x4, i), s->middle)));
        kin_sph_put(pull4, i, kin_add_scaled(kin_sph_get(pull4, i), -part, along));
        if (f->lambda[i] > 0) coef[i] = (float)-kin_dot(s->hold, wall_at(f, i));
    }
}

bool kin_sph_settle_shells(kin_sph* f, const float* bend4, float* pull4, float* coef)
{
    kin_sph_physics* p = f->physics;
    bool turns = !(f->box_size[0] > 0 || f->box_size[1] > 0 || f->box_size[2] > 0); /* else a shell may go around: there is no middle to turn about */
    if (!kin_reserve_tight(&p->allocator, (void**)&p->shell, &p->shell_capacity, 2 * f->count, sizeof *p->shell)) return false;
    uint32_t *shell = p->shell, *up = shell + f->count;
    join_neighbours(f, pull4, up);
    size_t count = number_shells(f, pull4, up, shell);
    if (!kin_reserve_tight(&p->allocator, (void**)&p->shells, &p->shells_capacity, count, sizeof *p->shells)) return false;
    for (size_t i = 0; i < count; ++i) p->shells[i] = (kin_sph_shell){0};
    memset(coef, 0, f->blocks * KIN_SPH_LANES * sizeof *coef);
    add_bends(f, bend4, pull4, shell, p->shells);
    for (kin_sph_shell* s = p->shells; s < p->shells + count; ++s) s->middle = kin_scale(s->middle, 1 / s->part), s->lift = lift_of(f, s);
    lift(f, pull4, shell, p->shells);
    if (turns) add_torques(f, pull4, shell, p->shells);
    for (kin_sph_shell* s = p->shells; s < p->shells + count; ++s) find_changes(s, turns);
    take_off(f, pull4, shell, p->shells, coef);
    return true;
}
