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
 * Pressure comes after viscosity, but acts with it: honey in a glass would else fall by h g against its walls, which would bear its weight, and bodies in it would
 * sink, for nothing was left for pressure. So viscosity acts on velocities u = v + h a(k), k the pressures of the last tick (incremental pressure correction,
 * Goda 1979): what is in balance with them is left alone. They are taken off again at the end. Not in a full tank (fluid.h): pressures there keep particles in order, and what that shakes them by,
 * which they give back in the next tick, would be lost.
 *
 * Over a tick viscosity is a stiff linear equation,  rho u' = f - K u, walls and bodies in it (boundary/shear.c). It is stepped by the two-stage, stiffly accurate
 * diagonally implicit method of second order (Alexander 1977), gamma = 1 - 1/sqrt 2:
 *
 *     (rho + gamma h K) u1 = rho (u0 + gamma h f),     (rho + gamma h K) u2 = rho (u0 + gamma h f + (1 - gamma)/gamma (u1 - u0))
 *
 * Both are symmetric positive systems, solved by conjugate gradients with the diagonal blocks as preconditioner, which end when what is left over is a small part of
 * the change they made. A tick is two such steps, however long it is: what a wall that moves off at once has done by the end of one tick is then right to 1 % of
 * its speed (one step: 5 %, backward Euler: 7 %), and what comes later to less. Modes that are too fast for the tick decay within it.
 *
 * Last, velocities are changed by the pair forces of the stages: momentum is then kept to rounding, however early the iteration ended. */
#include "domains/sph/boundary/boundary.h"
#include "domains/sph/physics/inside.h"
#include <string.h>

#define TOLERANCE 1e-3            /* of the change of velocities */
#define SPIN_INERTIA 1e-4         /* of a spacing squared: gives a particle without neighbours a definite turn */
#define PARTS 2                   /* steps of a tick */
#define GAMMA 0.29289321881345248 /* 1 - 1/sqrt 2 */
#define GROWTH 2.4142135623730951 /* (1 - gamma) / gamma */
enum { MIN_ITERATIONS = 200 };    /* the least cap: what a solve may take is def.max_iterations, but not below this */

typedef struct solve {
    kin_sph* f;
    kin_sph_tick* tick;
    kin_jobs* jobs;
    kin_sph_pairs pairs;
    const kin_sph_physics_kernels* kernels;
    kin_sph_strain how;
    kin_sph_wall_shear shear;
    float *u, *s;        /* unknowns, fours; the fourth of u and du is thickness */
    float *ru, *rs;      /* what is left over */
    float *du, *ds;      /* direction */
    float *qu, *qs;      /* operator on direction */
    float *from, *first; /* velocities where the part began, and after its first stage */
    float *diag, *inverse, *turn_inverse, *eta;
    float mix; /* of the stage: it starts from  from + gamma f / parts + mix (first - from), f the change by all other forces over the tick */
    double alpha, beta;
    bool converged;
} solve;

static void some_begin(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const solve* c = argument;
    (void)chunk;
    for (size_t i = begin * KIN_SPH_LANES; i < end * KIN_SPH_LANES; ++i) {
        bool there = i < f->count;
        float density = there ? f->phases[f->phase[i]].density : 1;
        c->diag[i] = density;
        c->eta[i] = there ? density * kin_sph_nu(f, i) : 0;
        for (size_t k = 4 * i; k < 4 * i + 3; ++k) c->from[k] = c->first[k] = c->u[k] = there ? f->v4[k] - c->tick->h * f->a4[k] : 0, c->s[k] = 0;
        c->u[4 * i + 3] = c->du[4 * i + 3] = c->first[4 * i + 3] = c->eta[i];
        c->s[4 * i + 3] = 0;
    }
}

static void some_operator(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const solve* c = argument;
    c->kernels->strain(&c->pairs, &c->how, c->du, c->ds, c->qu, c->qs, begin, end);
    kin_sph_walls_shear_add(&c->shear, chunk, c->du, c->ds, c->qu, c->qs);
    double sum = 0;
    for (size_t k = begin * 32; k < end * 32; k += 4) {
        for (size_t a = 0; a < 3; ++a) sum += (double)c->du[k + a] * (double)c->qu[k + a] + (double)c->ds[k + a] * (double)c->qs[k + a];
    }
    f->partial[KIN_SPH_PARTIALS * chunk] = sum;
}

/* The pairs alone, on u and s. */
static void some_strain(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const solve* c = argument;
    (void)f, (void)chunk;
    c->kernels->strain(&c->pairs, &c->how, c->u, c->s, c->qu, c->qs, begin, end);
}

static void some_blocks(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const solve* c = argument;
    (void)f;
    c->kernels->blocks(&c->pairs, &c->how, c->u, c->inverse, c->turn_inverse, begin, end);
    kin_sph_walls_shear_weigh(&c->shear, chunk, c->inverse);
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

/* Velocity that a stage starts from: number k of the fours. */
static float start_of(const solve* c, size_t k)
{
    float force = c->tick->h * (c->f->a4[k] + c->f->p4[k]);
    return c->from[k] + (float)(GAMMA / PARTS) * force + c->mix * (c->first[k] - c->from[k]);
}

/* r = rho (start + what walls do) - (rho + K) u, with q = (rho + K) u, and in du what walls do; partial 0: r . z. */
static void some_residual(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const solve* c = argument;
    double sum = 0;
    for (size_t i = begin * KIN_SPH_LANES; i < end * KIN_SPH_LANES; ++i) {
        float zu[3], zs[3];
        for (size_t k = 4 * i; k < 4 * i + 3; ++k) {
            c->ru[k] = i < f->count ? c->diag[i] * (start_of(c, k) + c->du[k]) - c->qu[k] : 0;
            c->rs[k] = c->ds[k] - c->qs[k];
        }
        precondition(c, i, zu, zs);
        for (size_t a = 0; a < 3; ++a) {
            c->du[4 * i + a] = zu[a], c->ds[4 * i + a] = zs[a];
            sum += (double)c->ru[4 * i + a] * (double)zu[a] + (double)c->rs[4 * i + a] * (double)zs[a];
        }
    }
    f->partial[KIN_SPH_PARTIALS * chunk] = sum;
}

/* A step along d; partial 0: r . z; partial 1: |r|^2 / rho - (tolerance |change|)^2 rho. What s lacks, ds, lacks in forces too: at most the root of
 * (ds . A ds) A_uu (Schwarz), and it counts as that. */
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
            double moved = i < f->count ? (double)c->u[k] - (double)start_of(c, k) : 0;
            left += (double)c->ru[k] * (double)c->ru[k], change += moved * moved;
        }
        precondition(c, i, zu, zs);
        double turning = 0;
        for (size_t a = 0; a < 3; ++a) {
            sum += (double)c->ru[4 * i + a] * (double)zu[a] + (double)c->rs[4 * i + a] * (double)zs[a];
            turning += (double)c->rs[4 * i + a] * (double)zs[a];
        }
        left += kin_max(turning, 0) / (double)c->inverse[i];
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

/* q = A d; returns d . q. */
static double operate(solve* c)
{
    kin_sph_for(c->f, c->jobs, some_operator, c);
    return kin_sph_total(c->f, 0) - kin_sph_walls_shear_answer(&c->shear, c->du, c->ds, c->qu, c->qs);
}

static void clear_direction(solve* c)
{
    for (size_t i = 0; i < KIN_SPH_LANES * c->f->blocks; ++i)
        c->du[4 * i] = c->du[4 * i + 1] = c->du[4 * i + 2] = c->ds[4 * i] = c->ds[4 * i + 1] = c->ds[4 * i + 2] = 0;
}

/* From u and s as they are. */
static void solve_stage(solve* c)
{
    int cap = c->f->def.max_iterations > MIN_ITERATIONS ? c->f->def.max_iterations : MIN_ITERATIONS;
    kin_sph_for(c->f, c->jobs, some_strain, c);
    clear_direction(c);
    kin_sph_walls_shear_change(&c->shear, c->u, c->s, c->du, c->ds, 1, false);
    kin_sph_for(c->f, c->jobs, some_residual, c);
    double rz = kin_sph_total(c->f, 0);
    for (int k = 0; k < cap; ++k) {
        double bent = operate(c);
        if (!(rz > 0) || !(bent > 0)) return;
        c->alpha = rz / bent;
        kin_sph_for(c->f, c->jobs, some_step, c);
        double next = kin_sph_total(c->f, 0);
        if (kin_sph_total(c->f, 1) <= 0) return;
        c->beta = next / rz, rz = next;
        kin_sph_for(c->f, c->jobs, some_direction, c);
    }
    c->converged = false;
}

/* v -= weight K u / rho, q = (rho + K) u. */
static void some_friction(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const solve* c = argument;
    float weight = (float)c->alpha;
    (void)chunk;
    for (size_t i = begin * KIN_SPH_LANES; i < kin_sph_end(f, end); ++i) {
        for (size_t k = 4 * i; k < 4 * i + 3; ++k) f->v4[k] -= weight * (c->qu[k] - c->diag[i] * c->u[k]) / c->diag[i];
    }
}

/* What the stage whose solution is u and s does. */
static void apply(solve* c, double weight)
{
    kin_sph_for(c->f, c->jobs, some_strain, c);
    c->alpha = weight;
    kin_sph_for(c->f, c->jobs, some_friction, c);
    kin_sph_walls_shear_change(&c->shear, c->u, c->s, c->f->v4, NULL, weight, true);
}

static void prepare(solve* c)
{
    double h = GAMMA / PARTS * (double)c->tick->h;
    c->how.c = (float)(4 * h / c->f->physics->scales.moment);
    if (!c->how.mixed) c->how.c *= c->f->phases[0].density * c->f->phases[0].viscosity;
    c->shear.h = h;
    kin_sph_walls_shear_begin(&c->shear, c->f->full ? NULL : c->f->k_density);
    kin_sph_for(c->f, c->jobs, some_blocks, c);
}

static void run_stage(solve* c, bool second)
{
    c->mix = second ? (float)GROWTH : 0;
    kin_sph_walls_shear_enter(&c->shear, GAMMA / PARTS, (double)c->mix);
    solve_stage(c);
    apply(c, second ? 1 : GROWTH);
    memcpy(second ? c->from : c->first, c->u, kin_sph_four(c->f) * sizeof *c->u);
    kin_sph_walls_shear_leave(&c->shear, c->u, c->s, second);
}

/* A solve that did not converge has no forces to go by: its velocities are taken as they are, less what pressure makes of them. */
static void some_unsolved(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const solve* c = argument;
    (void)chunk;
    for (size_t i = begin * KIN_SPH_LANES; i < kin_sph_end(f, end); ++i) {
        for (size_t k = 4 * i; k < 4 * i + 3; ++k) f->v4[k] = c->from[k] - c->tick->h * f->p4[k];
    }
}

/* partial 0: kinetic energy, per V. */
static void some_energy(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const solve* c = argument;
    double sum = 0;
    for (size_t i = begin * KIN_SPH_LANES; i < kin_sph_end(f, end); ++i) {
        for (size_t k = 4 * i; k < 4 * i + 3; ++k) sum += 0.5 * (double)c->diag[i] * (double)f->v4[k] * (double)f->v4[k];
    }
    f->partial[KIN_SPH_PARTIALS * chunk] = sum;
}

static double energy_of(solve* c)
{
    kin_sph_for(c->f, c->jobs, some_energy, c);
    return (double)c->f->volume * kin_sph_total(c->f, 0);
}

static bool take_room(solve* c)
{
    kin_sph* f = c->f;
    size_t four = kin_sph_four(f);
    float* at = kin_sph_scratch(f, 13);
    if (at == NULL) return false;
    float** const all[10] = {&c->u, &c->s, &c->ru, &c->rs, &c->du, &c->ds, &c->qu, &c->qs, &c->from, &c->first};
    for (size_t k = 0; k < 10; ++k) *all[k] = at + k * four;
    at += 10 * four;
    c->diag = at, c->inverse = at + four / 4, c->eta = at + four / 2, c->turn_inverse = at + four;
    c->shear.eta = c->eta;
    return true;
}

bool kin_sph_viscosity_implicit(kin_sph* f, kin_sph_tick* tick)
{
    solve c = {.f = f, .tick = tick, .jobs = tick->step->jobs, .pairs = kin_sph_pairs_of(f), .kernels = kin_sph_physics_kernels_of(f), .converged = true};
    if (!take_room(&c)) return false;
    double lightest = (double)f->phases[0].density;
    for (uint32_t k = 1; k < f->phase_count; ++k) lightest = kin_min(lightest, (double)f->phases[k].density);
    c.how = (kin_sph_strain){.mixed = kin_sph_thickness_differs(f), .diag = c.diag};
    c.how.inertia = (float)(SPIN_INERTIA * lightest * (double)f->spacing * (double)f->spacing);
    c.shear.f = f, c.shear.tick = tick;
    if (f->full)
        memset(f->p4, 0, kin_sph_four(f) * sizeof *f->p4);
    else
        kin_sph_backward(f, c.jobs, f->k_density, f->p4);
    kin_sph_for(f, c.jobs, some_begin, &c);
    double before = energy_of(&c);
    prepare(&c);
    for (int stage = 0; stage < 2 * PARTS; ++stage) run_stage(&c, stage % 2 == 1);
    kin_sph_walls_shear_end(&c.shear);
    if (!c.converged) kin_sph_for(f, c.jobs, some_unsolved, &c);
    f->dissipated += before - energy_of(&c);
    f->physics->holds = true;
    if (!c.converged) kin_step_note_cap(tick->step, 1, "viscosity: iterations");
    return true;
}
