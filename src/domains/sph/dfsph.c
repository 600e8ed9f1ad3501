/* dfsph.c - solvers that find pressures by projection (project.c). Bender & Koschier 2015: divergence-free at the start of a tick, not compressed at its end.
 * Ihmsen 2014 (IISPH): density alone. */
#include "base/jobs.h"
#include "domains/sph/project.h"
#include "math/scalar.h"

/* tension: what the divergence solve left, or NULL. */
static bool solve_density(kin_sph* f, kin_sph_tick* tick, float* tension)
{
    kin_sph_projected p = kin_sph_project(
        f, tick,
        &(kin_sph_projection){
            .aim = KIN_SPH_AIM_DENSITY, .k = f->k_density, .tension = tension, .last = true, .tolerance = f->def.density_error, .most = f->def.max_iterations});
    kin_sph_note_solve(f, tick->step->jobs, p.iterations, p.error, p.capped);
    return kin_sph_drift(f, tick);
}

static bool iisph_advance(kin_sph* f, kin_sph_tick* tick) { return kin_sph_kick(f, tick) && solve_density(f, tick, NULL); }

/* In a full tank the density solve is one for the divergence (project.h), so one is enough. */
static bool dfsph_advance(kin_sph* f, kin_sph_tick* tick)
{
    if (f->full) return iisph_advance(f, tick);
    kin_sph_projected p = kin_sph_project(
        f, tick,
        &(kin_sph_projection){.aim = KIN_SPH_AIM_DIVERGENCE, .k = f->k_divergence, .tolerance = f->def.divergence_error, .most = f->def.max_iterations});
    f->seen.divergence_iterations += p.iterations;
    f->seen.divergence_error = p.error;
    f->seen.caps += p.capped;
    return kin_sph_kick(f, tick) && solve_density(f, tick, f->k_divergence);
}

const kin_sph_solver_ops kin_sph_dfsph = {
    .name = "dfsph",
    .doc = "Divergence and density by projection: long ticks.",
    .advance = dfsph_advance,
};
const kin_sph_solver_ops kin_sph_iisph = {
    .name = "iisph",
    .doc = "Density alone by projection.",
    .advance = iisph_advance,
};
