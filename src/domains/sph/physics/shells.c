/* shells.c - surfaces one by one: what tension does to each as a whole.
 *
 * A shell is all particles at a surface that hang together by neighbours of the same tension. Their pull is 2 sigma kappa N, and it needs to be lifted: N acts
 * below the surface, at R - depth of a ball of radius R, where kappa is too large by R / (R - depth); and of what lies outside, `thin` bears no pressure along the
 * surface, so what pulls balance is the pressure on a cut of the radius R - thin. R is that of the shell's mean curvature; a factor for each particle from its own
 * would flatten waves.
 *
 * Around a closed surface the integrals of kappa n and of x x kappa n are 0. The errors of curvature leave a force and a torque; they are taken off as
 * p_i (t + w x r), p_i = |N_i| the part of the surface that a particle is and r from the middle of them: the smallest change that does it, measured by
 * sum |change|^2 / p. A small drop could drive itself otherwise. Where fluid touches walls its surface ends there, and the force is what walls hold it by: they
 * get it back by pressures c_i = l.b_i, and what no pressure on them can be, along a flat wall say, is an error and is taken off too.
 *
 * Air presses by `press` on shells that close around fluid, so that it need not bear tension (tension.c). Not on those at walls: the dry side of a wall would
 * have to feel it too. Not on voids: nothing is in them.
 *
 * Only particles at surfaces are walked, in lists by chunk. Who hangs together is found by all threads at once: trees are hung below the smaller root wherever
 * two meet, so the root is the first particle of a shell in the end, whoever came first. Sums over a shell run in the order of particles. */
#include "domains/sph/physics/inside.h"
#include "math/sym3.h"
#include <stdatomic.h>
#include <string.h>

#define LEAST_SHARE 1e-6 /* of the largest: particles in a row do not turn about it, flat walls press along one axis */

typedef struct shells_job {
    kin_sph_pulls how;
    _Atomic uint32_t* up; /* by particle at a surface: one it hangs together with that comes before it, or itself */
    uint32_t *shell, *at; /* by particle, before it what sort of surface it is at (sort_of); particles at surfaces, those of a chunk from its first on */
    uint32_t* counts;     /* by chunk */
    kin_sph_shell* shells;
    bool turns;
} shells_job;

/* Its tension, bit by bit; 0: at no surface. */
static uint32_t sort_of(const kin_sph* f, const shells_job* job, size_t i)
{
    uint32_t sort = 0;
    if (i < f->count && job->how.pull4[4 * i + 3] > 0) memcpy(&sort, f->x4 + 4 * i + 3, sizeof sort);
    return sort;
}

/* ---- who hangs together ---- */

static uint32_t root_of(_Atomic uint32_t* up, uint32_t i)
{
    for (;;) {
        uint32_t above = atomic_load_explicit(&up[i], memory_order_relaxed);
        if (above == i) return i;
        uint32_t next = atomic_load_explicit(&up[above], memory_order_relaxed);
        if (next != above) atomic_store_explicit(&up[i], next, memory_order_relaxed); /* a way up, if no longer the shortest */
        i = above;
    }
}

/* Returns the root of both. */
static uint32_t unite(_Atomic uint32_t* up, uint32_t a, uint32_t b)
{
    for (;;) {
        a = root_of(up, a), b = root_of(up, b);
        uint32_t low = a < b ? a : b, high = a < b ? b : a, was = high;
        if (low == high || atomic_compare_exchange_strong_explicit(&up[high], &was, low, memory_order_relaxed, memory_order_relaxed)) return low;
    }
}

static void some_lists(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const shells_job* job = argument;
    uint32_t count = 0, *at = job->at + begin * KIN_SPH_LANES;
    for (size_t i = begin * KIN_SPH_LANES; i < end * KIN_SPH_LANES; ++i) {
        job->shell[i] = sort_of(f, job, i);
        if (job->shell[i] == 0) continue;
        at[count++] = (uint32_t)i;
        atomic_store_explicit(&job->up[i], (uint32_t)i, memory_order_relaxed);
    }
    job->counts[chunk] = count;
    memset(job->how.coef + begin * KIN_SPH_LANES, 0, (end - begin) * KIN_SPH_LANES * sizeof *job->how.coef);
}

static void join_neighbours(const kin_sph* f, const shells_job* job, uint32_t i)
{
    const kin_sph_lists* l = &f->lists;
    size_t block = i / KIN_SPH_LANES, base = block * KIN_SPH_LANES;
    uint32_t root = root_of(job->up, i), sort = job->shell[i];
    for (size_t row = l->first[block]; row < l->first[block + 1]; ++row) {
        size_t at = KIN_SPH_LANES * row + (i - base), j = (size_t)((ptrdiff_t)base + (l->wide ? l->far[at] : l->near[at]));
        if (j >= i || job->shell[j] != sort || atomic_load_explicit(&job->up[j], memory_order_relaxed) == root) continue;
        root = unite(job->up, root, (uint32_t)j);
    }
}

static void some_joins(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const shells_job* job = argument;
    const uint32_t* at = job->at + begin * KIN_SPH_LANES;
    (void)end;
    for (uint32_t k = 0; k < job->counts[chunk]; ++k) join_neighbours(f, job, at[k]);
}

/* Of all particles at surfaces, in their order. */
#define EACH_LISTED(f, job, i)                                                                                                                                 \
    for (size_t chunk = 0; chunk < kin_sph_chunks(f); ++chunk)                                                                                                 \
        for (uint32_t* at_ = (job)->at + chunk * KIN_SPH_CHUNK * KIN_SPH_LANES, *end_ = at_ + (job)->counts[chunk], i; at_ < end_ && (i = *at_, true); ++at_)

/* shell[i], in the order of their first particles. Returns how many there are. */
static size_t number_shells(const kin_sph* f, const shells_job* job)
{
    uint32_t count = 0;
    EACH_LISTED(f, job, i)
    {
        uint32_t root = root_of(job->up, i);
        job->shell[i] = root == i ? count++ : job->shell[root];
    }
    return count;
}

/* ---- what they sum up to ---- */

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

static void add_up(const kin_sph* f, const shells_job* job)
{
    EACH_LISTED(f, job, i)
    {
        kin_sph_shell* s = &job->shells[job->shell[i]];
        double part = (double)job->how.pull4[4 * i + 3];
        s->part += part, s->bend += part * (double)job->how.bend4[4 * i];
        s->middle = kin_add_scaled(s->middle, part, kin_sph_get(f->x4, i));
        if (f->lambda[i] > 0) s->open = true, s->walls = kin_sym3_add(s->walls, kin_sym3_square(wall_at(f, i)));
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

static void know(const kin_sph* f, const shells_job* job, kin_sph_shell* s)
{
    s->middle = kin_scale(s->middle, 1 / s->part);
    s->lift = lift_of(f, s) / job->how.order;
    s->press = s->open || !(s->bend > 0) ? 0 : job->how.press / job->how.order;
}

/* N/m^3, before it is balanced. */
static kin_vec3 pull_at(const kin_sph* f, const shells_job* job, size_t i)
{
    const kin_sph_shell* s = &job->shells[job->shell[i]];
    double by = 2 * ((double)f->x4[4 * i + 3] * (double)job->how.bend4[4 * i] * s->lift + s->press);
    return kin_scale(kin_sph_get(job->how.pull4, i), by);
}

static void add_pulls(const kin_sph* f, const shells_job* job)
{
    EACH_LISTED(f, job, i)
    {
        kin_sph_shell* s = &job->shells[job->shell[i]];
        kin_vec3 pull = pull_at(f, job, i);
        s->force = kin_add(s->force, pull);
        if (s->open || !job->turns) continue;
        kin_vec3 r = kin_sub(kin_sph_get(f->x4, i), s->middle);
        s->torque = kin_add(s->torque, kin_cross(r, pull));
        s->inertia = kin_sym3_add(s->inertia, kin_sym3_scale(inertia_of(r), (double)job->how.pull4[4 * i + 3]));
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

static void some_pulls(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const shells_job* job = argument;
    const uint32_t* at = job->at + begin * KIN_SPH_LANES;
    (void)end;
    for (uint32_t k = 0; k < job->counts[chunk]; ++k) {
        size_t i = at[k];
        const kin_sph_shell* s = &job->shells[job->shell[i]];
        kin_vec3 along = kin_add(s->force, kin_cross(s->torque, kin_sub(kin_sph_get(f->x4, i), s->middle)));
        kin_vec3 pull = kin_add_scaled(pull_at(f, job, i), -(double)job->how.pull4[4 * i + 3], along);
        const double a[3] = {pull.x, pull.y, pull.z};
        for (size_t axis = 0; axis < 3; ++axis) f->a4[4 * i + axis] += (float)a[axis] * f->inv_rho[i];
        if (f->lambda[i] > 0) job->how.coef[i] = (float)-kin_dot(s->hold, wall_at(f, i));
    }
}

static bool take_room(kin_sph* f, shells_job* job)
{
    kin_sph_physics* p = f->physics;
    const size_t lanes = f->blocks * KIN_SPH_LANES;
    if (!kin_reserve_tight(&p->allocator, (void**)&p->shell, &p->shell_capacity, 3 * lanes + kin_sph_chunks(f), sizeof *p->shell)) return false;
    job->up = (_Atomic uint32_t*)p->shell;
    job->shell = p->shell + lanes, job->at = job->shell + lanes, job->counts = job->at + lanes;
    return true;
}

bool kin_sph_pull_shells(kin_sph* f, kin_jobs* jobs, const kin_sph_pulls* how)
{
    kin_sph_physics* p = f->physics;
    shells_job job = {.how = *how};
    job.turns = !(f->box_size[0] > 0 || f->box_size[1] > 0 || f->box_size[2] > 0); /* else a shell may go around: there is no middle to turn about */
    if (!take_room(f, &job)) return false;
    kin_sph_for(f, jobs, some_lists, &job);
    kin_sph_for(f, jobs, some_joins, &job);
    size_t count = number_shells(f, &job);
    if (!kin_reserve_tight(&p->allocator, (void**)&p->shells, &p->shells_capacity, count, sizeof *p->shells)) return false;
    job.shells = p->shells;
    for (size_t i = 0; i < count; ++i) p->shells[i] = (kin_sph_shell){0};
    add_up(f, &job);
    for (size_t i = 0; i < count; ++i) know(f, &job, &p->shells[i]);
    add_pulls(f, &job);
    for (size_t i = 0; i < count; ++i) find_changes(&p->shells[i], job.turns);
    kin_sph_for(f, jobs, some_pulls, &job);
    return true;
}
