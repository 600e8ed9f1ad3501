/* shift.c - particles kept in order in a full tank (fluid.h), where nothing else does it. Lind et al. 2012, Skillen et al. 2013; Xu et al. 2009.
 *
 * There pressures have both signs, and where they are below 0 particles draw together: streams of them form lines, D rises in the mean, and vortices lose half
 * as much again as viscosity takes. Velocities without divergence keep D to first order in the tick alone: what the second order leaves adds up, and opens
 * voids in the middle of vortices. To mend it by velocities is to add energy: they are what is mended over the tick, so the shorter ticks are, the more of it.
 * Each tick displaces particles instead,
 *
 *     dx_i = a_i(K),     K_i = h^2 k_i + (s / 2) rho / sum -g over a lattice,     s = shift u h / spacing <= 1/2
 *
 * with u the root of the mean square of all speeds: half as long ticks move half as far, and a fluid at rest stays. The constant part of K moves a particle by s
 * of its way off the middle of its neighbours, which parts those that are close. k is that of a pressure solve for a share s of D - 1 (project.h), at least 0, as
 * in a fluid with a surface: it reaches many spacings far, for which the constant part would take as many ticks squared, and voids fill. With k of both
 * signs they stay, for all round a void can be equally dense. All are sums of pairs: the centre of mass stays. Velocities stay with their particles: momentum
 * and energy are kept. Fluid with a surface has no pressure below 0 and needs none of this. */
#include "domains/sph/physics/inside.h"
#include "domains/sph/project.h"

#define MOST 0.5           /* of the way: more overshoots */
#define MOST_ITERATIONS 10 /* what is left over is mended by the next ticks */

typedef struct sum {
    float h2, constant; /* s^2, and s rho / (2 sum -g) */
} sum;

/* K into the fourth of x4. */
static void sum_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const sum* s = argument;
    for (size_t i = 8 * begin; i < 8 * end; ++i) {
        f->x4[4 * i + 3] = s->h2 * f->k_divergence[i] + s->constant;
        f->k_divergence[i] = 0; /* nobody was pressed by it */
    }
}

/* D of all if they were spread evenly; of a box that has fewer than fill it, 1. */
static float even_density(const kin_sph* f)
{
    double box = (double)f->box_size[0] * (double)f->box_size[1] * (f->flat ? 1 : (double)f->box_size[2]);
    return (float)kin_max(1, (double)f->count * (double)f->volume / box);
}

bool kin_sph_find_shift(kin_sph* f, kin_sph_tick* tick)
{
    if (!f->full || f->physics == NULL || !(f->def.shift > 0)) return false;
    double share = kin_min(MOST, f->def.shift * f->seen.rms * (double)tick->h / (double)f->spacing);
    if (!(share > 0)) return false;
    kin_sph_projection p = {.aim = KIN_SPH_AIM_ORDER, .k = f->k_divergence, .last = true, .share = (float)share, .rest = even_density(f)};
    p.tolerance = f->def.density_error, p.most = f->def.max_iterations < MOST_ITERATIONS ? f->def.max_iterations : MOST_ITERATIONS;
    kin_sph_project(f, tick, &p);
    sum s = {.h2 = tick->h * tick->h, .constant = (float)(0.5 * share * (double)f->phases[0].density / f->physics->scales.all_g)};
    kin_sph_for(f, tick->step->jobs, sum_chunk, &s);
    kin_sph_backward(f, tick->step->jobs, NULL, f->p4);
    return true;
}
