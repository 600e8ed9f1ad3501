/* wcsph.c - pressure from an equation of state. Monaghan 1994, Becker & Teschner 2007 (Tait); Mueller 2003 (gas). House & Keyser 14.2.1; Coutinho 3.8.
 *
 *     Tait   p = (k rho0 / gamma) (D^gamma - 1), none where D < 1: a free surface does not pull
 *     gas    p = k rho0 (D - 1), negative too
 *
 * A phase that is a gas has p = k rho0 D whatever the tank's equation, as at one temperature: it has no density of its own and spreads until walls or the reach
 * of its particles end it.
 *
 * k is the square of the speed of sound at D = 1. It has to be so fast that the fluid's own speeds are a tenth of it: density then varies by about 1 %. Where the
 * def leaves it open it is ten times the speed that what the tank holds now can come to, and it only grows: a wave that sinks must not soften the fluid under it.
 *
 * A column that settles would breathe for long: nothing else takes energy from long waves of sound. So pressure answers to the rate of compression too, as with a
 * bulk viscosity of a part of spacing x speed of sound: p += bulk_viscosity rho0 c l dD/dt, at most p, where D is above 1. Its rate is that of the
 * velocities that the tick began with, found with the densities. Where that part is 0, pressure is the equation of state to the bit.
 *
 * The gradient of pressure in three forms (H14.2), with p over D^2 = k_i, p over D = e_i:
 *
 *     symmetric   -(1/rho_i) (sum (k_i + k_j) c_ij + k_i b_i)                          the backward pass of all solvers
 *     plain       -(1/rho_i D_i) (sum e_j c_ij + e_i b_i)                              keeps no momentum
 *     mean        -(1/rho_i D_i) (sum (p_i + p_j) / (2 D_j) c_ij + e_i b_i)            keeps it */
#include "domains/sph/wcsph.h"
#include "base/jobs.h"
#include "domains/sph/boundary/boundary.h"
#include "domains/sph/passes.h"
#include "math/scalar.h"

#define SOUND_REACH 0.4 /* of the support that sound may cross in a tick */
#define FASTER 10       /* sound over flow */

static double square_of_sound(kin_sph* f, const kin_step* step)
{
    const kin_sph_def* d = &f->def;
    if (d->stiffness > 0) return d->stiffness;
    if (d->sound_speed > 0) return d->sound_speed * d->sound_speed;
    double square = 2 * kin_sph_head(f, step) + f->seen.speed * f->seen.speed;
    f->sound = kin_max(f->sound, FASTER * kin_sqrt(square));
    return f->sound * f->sound;
}

static double wcsph_longest(kin_sph* f, const kin_step* step)
{
    double c = kin_sqrt(square_of_sound(f, step));
    return c + f->seen.speed > 0 ? SOUND_REACH * f->support / (c + f->seen.speed) : 1e300;
}

static kin_sph_of_state equation_of(const kin_sph* f, double stiffness)
{
    double gamma = f->def.exponent;
    int whole = (int)kin_clamp(gamma, 0, 64);
    return (kin_sph_of_state){.stiffness = (float)stiffness,
                              .stiffness_over_gamma = (float)(stiffness / gamma),
                              .bulk = (float)(f->def.bulk_viscosity * kin_sqrt(stiffness) * (double)f->spacing),
                              .gamma = gamma,
                              .whole = (double)whole == gamma ? whole : 0,
                              .gas = f->def.equation == KIN_SPH_GAS};
}

static void pressure_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    static kin_sph_equate_fn* const equates[] = {kin_sph_equate_none, kin_sph_equate_sse2, kin_sph_equate_avx2};
    (void)chunk;
    equates[f->simd](f, argument, begin, end);
}

/* What a pair adds is own_i / D_j + other_j. work: own, 1 / D, other. */
static void form_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    (void)argument, (void)chunk;
    bool mean = f->def.gradient == KIN_SPH_MEAN;
    for (size_t i = 8 * begin; i < 8 * end; ++i) {
        float d = f->density[i], e = f->k_density[i] * d;
        f->work[0][i] = mean ? 0.5f * e * d : 0;
        f->work[1][i] = d > 0 ? 1 / d : 0;
        f->work[2][i] = mean ? 0.5f * e : e;
    }
}

static void uneven_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    static kin_sph_uneven_fn* const forms[] = {kin_sph_uneven_none, kin_sph_uneven_sse2, kin_sph_uneven_avx2};
    (void)argument, (void)chunk;
    forms[f->simd](f, begin, end, f->work[0], f->work[1], f->work[2], f->p4);
}

void kin_sph_wcsph_push(kin_sph* f, kin_jobs* jobs, double stiffness, float h)
{
    kin_sph_of_state equation = equation_of(f, stiffness);
    kin_sph_for(f, jobs, pressure_chunk, &equation);
    if (f->def.gradient == KIN_SPH_SYMMETRIC) {
        kin_sph_press(f, jobs, NULL, h);
        kin_sph_walls_image_press(f, jobs, f->k_density, h);
        return;
    }
    kin_sph_for(f, jobs, form_chunk, NULL);
    kin_sph_for(f, jobs, uneven_chunk, NULL);
    kin_sph_add_velocity(f, jobs, h, f->p4);
}

static bool wcsph_advance(kin_sph* f, kin_sph_tick* tick)
{
    kin_jobs* jobs = tick->step->jobs;
    double stiffness = square_of_sound(f, tick->step);
    kin_sph_note_compression(f, jobs);
    kin_sph_walls_image_rate(f, jobs, f->v4, f->factor); /* before the kick: the rate is that of the velocities it was found with */
    if (!kin_sph_kick(f, tick)) return false;
    kin_sph_wcsph_push(f, jobs, stiffness, tick->h);
    if (kin_sph_walls_give(f)) kin_sph_walls_push(f, tick, f->k_density);
    return kin_sph_drift(f, tick);
}

const kin_sph_solver_ops kin_sph_wcsph = {
    .name = "wcsph",
    .doc = "Pressure from an equation of state: simple, stiff, short ticks.",
    .by_state = true,
    .advance = wcsph_advance,
    .longest = wcsph_longest,
};
