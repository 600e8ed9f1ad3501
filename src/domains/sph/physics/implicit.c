/* implicit.c - strong viscosity, solved for the end of the tick: honey and lava at the ticks of water.
 *
 * A Laplacian brakes a drop that turns as a whole, for at a free surface it asks for du/dn = 0 and not for no stress. So each particle has a turning rate s_i
 * of its surroundings as a second unknown, and what is lost is the straining alone:
 *
 *     E(u, s) = sum over pairs of  (2/M) eta_ij |g_ij| |e_ij|^2,      e_ij = u_i - u_j - (s_i + s_j)/2 x x_ij
 *
 * s is what makes E least, so a rigid motion costs nothing and angular momentum is kept; in the bulk s = curl u / 2 and E = integral of 2 eta |strain|^2.
 * Only the second moment of g counts (M, viscosity.c), which a lattice has the same in all directions; forms with x (x.u)/r^2 have not: they are 30 % too
 * thin along a lattice's axes.
 *
 * Backward Euler makes the least of  rho |u - v|^2 / 2 + h E : one symmetric positive system, solved by conjugate gradients with the diagonal blocks as
 * preconditioner; standing walls are in it (stick.c). It ends when what is left over is a small part of the change it made, so motion that needs no change is not touched. Last, velocities are
 * changed by the pair forces of that solution: momentum is then kept to rounding, however early the iteration ended. */
#include "domains/sph/physics/inside.h"
#include <string.h>

#define TOLERANCE 1e-3         /* of the change of velocities */
#define SPIN_INERTIA 1e-4      /* of a spacing squared: gives a particle without neighbours a definite turn */
enum { MIN_ITERATIONS = 200 }; /* the least cap: what a solve may take is def.max_iterations, but not below this */

typedef struct solve {
    kin_sph* f;
    kin_jobs* jobs;
    kin_sph_pairs pairs;
    const kin_sph_physics_kernels* kernels;
    kin_sph_strain how;
    float *u, *s;   /* unknowns, fours; the fourth of u and du is thickness */
    float *ru, *rs; /* what is left over */
    float *du, *ds; /* direction */
    float *qu, *qs; /* operator on direction */
    float *diag, *inverse, *turn_inverse;
    float* walls; /* stick.c */
    double alpha, beta;
} solve;

static void some_begin(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const solve* c = argument;
    (void)chunk;
    for (size_t i = begin * KIN_SPH_LANES; i < end * KIN_SPH_LANES; ++i) {
        bool there = i < f->count;
        float density = there ? f->phases[f->phase[i]].density : 1;
        c->diag[i] = density;
        for (size_t a = 0; a < 3; ++a) c->u[4 * i + a] = there ? f->v4[4 * i + a] : 0, c->s[4 * i + a] = 0;
        c->u[4 * i + 3] = c->du[4 * i + 3] = there ? density * kin_sph_nu(f, i) : 0;
        c->s[4 * i + 3] = 0;
    }
}

/* What walls add to the operator on u. */
static void add_walls(const float* w, const float u[3], float q[3])
{
    q[0] += w[0] * u[0] + w[3] * u[1] + w[4] * u[2];
    q[1] += w[3] * u[0] + w[1] * u[1] + w[5] * u[2];
    q[2] += w[4] * u[0] + w[5] * u[1] + w[2] * u[2];
}

static void some_operator(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const solve* c = argument;
    (void)chunk;
    c->kernels->strain(&c->pairs, &c->how, c->du, c->ds, c->qu, c->qs, begin, end);
    double sum = 0;
    for (size_t k = begin * 32; k < end * 32; k += 4) {
        add_walls(c->walls + KIN_SPH_STICK * (k / 4), c->du + k, c->qu + k);
        for (size_t a = 0; a < 3; ++a) sum += (double)c->du[k + a] * (double)c->qu[k + a] + (double)c->ds[k + a] * (double)c->qs[k + a];
    }
    f->partial[KIN_SPH_PARTIALS * chunk] = sum;
}

static void some_blocks(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const solve* c = argument;
    (void)f, (void)chunk;
    c->kernels->blocks(&c->pairs, &c->how, c->u, c->inverse, c->turn_inverse, begin, end);
    for (size_t i = begin * KIN_SPH_LANES; i < end * KIN_SPH_LANES; ++i) {
        const float* w = c->walls + KIN_SPH_STICK * i;
        c->inverse[i] = 1 / (1 / c->inverse[i] + (w[0] + w[1] + w[2]) / 3);
    }
}

/* z = preconditioner on r, of particle i. */
static void precondition(const solve* c, size_t i, float zu[3], float zs[3])
{
    const float *m = c->turn_inverse + 48 * (i / 8) + i % 8, *r = c->rs + 4 * i;
    for (size_t a = 0; a < 3; ++a) zu[a] = c->inverse[i] * c->ru[4 * i + a];
    zs[0] = m[0] * r[0] + m[24] * r[1] + m[32] * r[2];
    zs[1] = m[24] * r[0] + m[8] * r[1] + m[40] * r[2];
    zs[2] = m[32] * r[0] + m[40] * r[1] + m[16] * r[2];
}

/* r = rho v + what walls give - A (u, s), with q = A (u, s); partial 0: r . z. */
static void some_residual(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const solve* c = argument;
    double sum = 0;
    for (size_t i = begin * KIN_SPH_LANES; i < end * KIN_SPH_LANES; ++i) {
        float zu[3], zs[3];
        for (size_t a = 0; a < 3; ++a)
            c->ru[4 * i + a] = c->diag[i] * c->u[4 * i + a] + c->walls[KIN_SPH_STICK * i + 6 + a] - c->qu[4 * i + a], c->rs[4 * i + a] = -c->qs[4 * i + a];
        precondition(c, i, zu, zs);
        for (size_t a = 0; a < 3; ++a) {
            c->du[4 * i + a] = zu[a], c->ds[4 * i + a] = zs[a];
            sum += (double)c->ru[4 * i + a] * (double)zu[a] + (double)c->rs[4 * i + a] * (double)zs[a];
        }
    }
    f->partial[KIN_SPH_PARTIALS * chunk] = sum;
}

/* A step along d; partial 0: r . z; partial 1: |r|^2 / rho - (tolerance |change|)^2 rho. */
static void some_step(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const solve* c = argument;
    float alpha = (float)c->alpha;
    double sum = 0, more = 0;
    for (size_t i = begin * KIN_SPH_LANES; i < end * KIN_SPH_LANES; ++i) {
        float zu[3], zs[3];
        double left = 0, change = 0;
        for (size_t k = 4 * i; k < 4 * i + 3; ++k) {
            c->u[k] += alpha * c->du[k], c->s[k] += alpha * c->ds[k];
            c->ru[k] -= alpha * c->qu[k], c->rs[k] -= alpha * c->qs[k];
            double moved = i < f->count ? (double)c->u[k] - (double)c->f->v4[k] : 0;
            left += (double)c->ru[k] * (double)c->ru[k], change += moved * moved;
        }
        precondition(c, i, zu, zs);
        for (size_t a = 0; a < 3; ++a) sum += (double)c->ru[4 * i + a] * (double)zu[a] + (double)c->rs[4 * i + a] * (double)zs[a];
        more += left / (double)c->diag[i] - TOLERANCE * TOLERANCE * change * (double)c->diag[i];
    }
    f->partial[KIN_SPH_PARTIALS * chunk] = sum, f->partial[KIN_SPH_PARTIALS * chunk + 1] = more;
}

static void some_direction(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const solve* c = argument;
    float beta = (float)c->beta;
    (void)f, (void)chunk;
    for (size_t i = begin * KIN_SPH_LANES; i < end * KIN_SPH_LANES; ++i) {
        float zu[3], zs[3];
        precondition(c, i, zu, zs);
        for (size_t a = 0; a < 3; ++a) c->du[4 * i + a] = zu[a] + beta * c->du[4 * i + a], c->ds[4 * i + a] = zs[a] + beta * c->ds[4 * i + a];
    }
}

static double operate(solve* c, float* u, float* s)
{
    solve on = *c;
    on.du = u, on.ds = s;
    kin_sph_for(c->f, c->jobs, some_operator, &on);
    return kin_sph_total(c->f, 0);
}

static bool iterate(solve* c)
{
    int cap = c->f->def.max_iterations > MIN_ITERATIONS ? c->f->def.max_iterations : MIN_ITERATIONS;
    operate(c, c->u, c->s);
    kin_sph_for(c->f, c->jobs, some_residual, c);
    double rz = kin_sph_total(c->f, 0);
    for (int k = 0; k < cap; ++k) {
        double bent = operate(c, c->du, c->ds);
        if (!(rz > 0) || !(bent > 0)) return true;
        c->alpha = rz / bent;
        kin_sph_for(c->f, c->jobs, some_step, c);
        double next = kin_sph_total(c->f, 0);
        if (kin_sph_total(c->f, 1) <= 0) return true;
        c->beta = next / rz, rz = next;
        kin_sph_for(c->f, c->jobs, some_direction, c);
    }
    return false;
}

/* v += (walls - K u) / rho, K u = q - rho u; partial 0: kinetic energy lost, per V. */
static void some_end(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const solve* c = argument;
    double lost = 0;
    for (size_t i = begin * KIN_SPH_LANES; i < kin_sph_end(f, end); ++i) {
        const float* walls = c->walls + KIN_SPH_STICK * i + 6;
        for (size_t k = 4 * i; k < 4 * i + 3; ++k) {
            float v = f->v4[k], w = c->alpha > 0 ? v - (c->qu[k] - walls[k - 4 * i] - c->diag[i] * c->u[k]) / c->diag[i] : c->u[k];
            lost += 0.5 * (double)c->diag[i] * ((double)v * (double)v - (double)w * (double)w);
            f->v4[k] = w;
        }
    }
    f->partial[KIN_SPH_PARTIALS * chunk] = lost;
}

static bool take_room(solve* c)
{
    kin_sph* f = c->f;
    size_t four = kin_sph_four(f);
    float* at = kin_sph_scratch(f, 13);
    if (at == NULL) return false;
    float** const all[8] = {&c->u, &c->s, &c->ru, &c->rs, &c->du, &c->ds, &c->qu, &c->qs};
    for (size_t k = 0; k < 8; ++k) *all[k] = at + k * four;
    c->diag = at + 8 * four, c->inverse = c->diag + four / 4, c->turn_inverse = c->inverse + four / 4, c->walls = at + 10 * four;
    return true;
}

bool kin_sph_viscosity_implicit(kin_sph* f, kin_sph_tick* tick)
{
    solve c = {.f = f, .jobs = tick->step->jobs, .pairs = kin_sph_pairs_of(f), .kernels = kin_sph_physics_kernels_of(f)};
    if (!take_room(&c) || !kin_sph_stick(f, tick, c.walls)) return false;
    double lightest = (double)f->phases[0].density;
    for (uint32_t k = 1; k < f->phase_count; ++k) lightest = kin_min(lightest, (double)f->phases[k].density);
    c.how = (kin_sph_strain){.mixed = kin_sph_thickness_differs(f), .diag = c.diag, .c = (float)(4 * (double)tick->h / f->physics->scales.moment)};
    if (!c.how.mixed) c.how.c *= f->phases[0].density * f->phases[0].viscosity;
    c.how.inertia = (float)(SPIN_INERTIA * lightest * (double)f->spacing * (double)f->spacing);
    kin_sph_for(f, c.jobs, some_begin, &c);
    kin_sph_for(f, c.jobs, some_blocks, &c);
    bool converged = iterate(&c);
    operate(&c, c.u, c.s);
    c.alpha = converged;
    kin_sph_for(f, c.jobs, some_end, &c);
    f->dissipated += (double)f->volume * kin_sph_total(f, 0);
    if (!converged) kin_step_note_cap(tick->step, 1, "viscosity: iterations");
    return true;
}
