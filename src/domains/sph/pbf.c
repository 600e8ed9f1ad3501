/* pbf.c - position based fluids. Macklin & Mueller 2013: particles go where their velocities take them, and are then moved until nobody is too dense there; the
 * velocity is what moved them.
 *
 * Densities, gradients and the diagonal are those of the predicted places (over the neighbours of the old ones), so compression is seen as it will be, not by its
 * rate. The pressures of the last tick are part of the prediction; what is left is solved for by project.c in a bounded number of iterations.
 *
 * In a full tank it is the displacement of physics/shift.c that keeps particles from being crowded; velocities are projected where particles are, which takes
 * energy and never gives any. A solve at predicted places is no projection. */
#include "base/jobs.h"
#include "domains/sph/boundary/boundary.h"
#include "domains/sph/physics/physics.h"
#include "domains/sph/project.h"
#include <string.h>

#define MOST_ITERATIONS 10 /* work is bounded, whatever the def allows */
#define MOST_TICKS 128     /* of an interval: scenes/sph take 18 at most where things are liquid, and 48 of sand, in steps of a frame */

static void warm_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    (void)argument, (void)chunk;
    for (size_t i = 8 * begin; i < 8 * end; ++i) f->k_density[i] = f->k_density[i] > 0 ? f->k_density[i] : 0;
}

/* To where velocities lead; a4 keeps where it was. work[2]: what walls fill there more, to first order, less what a
 * tick need not mend. */
static void predict_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const kin_sph_tick* tick = argument;
    float h = tick->h, share = kin_sph_share_to_mend(tick), band = (float)(KIN_SPH_BAND * f->def.density_error);
    memcpy(f->a4 + 32 * begin, f->x4 + 32 * begin, (end - begin) * 32 * sizeof(float));
    for (size_t i = 8 * begin; i < 8 * end; ++i) {
        float closer = -f->wall_rate[i], e = f->density[i] - f->rest;
        for (size_t a = 0; a < 3; ++a) {
            closer += f->b[a][i] * f->v4[4 * i + a];
            f->x4[4 * i + a] += h * f->v4[4 * i + a];
            f->xs[a][i] = f->x4[4 * i + a];
        }
        float lambda = f->lambda[i] + h * closer;
        f->work[2][i] = kin_sph_error_to_mend(f, share, band, e) - e + ((lambda < 0 ? 0 : lambda > 1 ? 1 : lambda) - f->lambda[i]);
    }
}

static void return_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    (void)argument, (void)chunk;
    memcpy(f->x4 + 32 * begin, f->a4 + 32 * begin, (end - begin) * 32 * sizeof(float));
    for (size_t i = 8 * begin; i < 8 * end; ++i) {
        for (size_t a = 0; a < 3; ++a) f->xs[a][i] = f->x4[4 * i + a];
    }
}

/* From the places that g is of. */
static void correct(kin_sph* f, kin_sph_tick* tick, kin_sph_aim aim)
{
    int most = f->def.max_iterations < MOST_ITERATIONS ? f->def.max_iterations : MOST_ITERATIONS;
    kin_sph_projected p =
        kin_sph_project(f, tick, &(kin_sph_projection){.aim = aim, .k = f->k_density, .last = true, .tolerance = f->def.density_error, .most = most});
    kin_sph_note_solve(f, tick->step->jobs, p.iterations, p.error, false);
}

static void correct_predicted(kin_sph* f, kin_sph_tick* tick)
{
    kin_jobs* jobs = tick->step->jobs;
    kin_sph_for(f, jobs, warm_chunk, NULL);
    kin_sph_press(f, jobs, f->k_density, tick->h);
    kin_sph_for(f, jobs, predict_chunk, tick);
    (void)kin_sph_measure_density(f, jobs); /* who meets at one place is moved apart by the next tick */
    correct(f, tick, KIN_SPH_AIM_PLACES);
    kin_sph_for(f, jobs, return_chunk, NULL);
}

static bool pbf_advance(kin_sph* f, kin_sph_tick* tick)
{
    if (!kin_sph_kick(f, tick)) return false;
    if (f->full)
        correct(f, tick, KIN_SPH_AIM_DENSITY);
    else
        correct_predicted(f, tick);
    return kin_sph_drift(f, tick);
}

const kin_sph_solver_ops kin_sph_pbf = {
    .name = "pbf",
    .doc = "Places are corrected until nobody is too dense: bounded work.",
    .most_ticks = MOST_TICKS,
    .advance = pbf_advance,
};
