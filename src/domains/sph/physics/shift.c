/* shift.c - particles kept in order where nothing else does it. Lind et al. 2012, Skillen et al. 2013.
 *
 * In a tank without a surface pressures have both signs (project.c), and where they are below 0 particles draw together: streams of them form lines, D rises in
 * the mean, and vortices lose half as much again as viscosity takes. So each tick moves them down the gradient of their number,
 *
 *     dx_i = s (rho / rho_i) (sum_j -c_ij - b_i / 2) / sum -g over a lattice,     s = shift u h / spacing <= 1/2
 *
 * which is s times the way that it is off the middle of its neighbours; u is the root of the mean square of all speeds, so half as long ticks move half as far.
 * The sum is that of pressures k = 1/2: the centre of mass stays. Velocities stay with their particles: momentum and energy are kept. Fluid with a surface has no
 * pressure below 0 and needs none of this. */
#include "domains/sph/physics/inside.h"

#define MOST 0.5 /* of the way: more overshoots */

static void half_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    (void)argument, (void)chunk;
    for (size_t i = 8 * begin; i < 8 * end; ++i) f->x4[4 * i + 3] = 0.5f;
}

float kin_sph_find_shift(kin_sph* f, kin_sph_tick* tick)
{
    if (!f->full || f->physics == NULL || !(f->def.shift > 0)) return 0;
    double share = kin_min(MOST, f->def.shift * f->seen.rms * (double)tick->h / (double)f->spacing);
    kin_sph_for(f, tick->step->jobs, half_chunk, NULL);
    kin_sph_backward(f, tick->step->jobs, NULL, f->p4);
    return (float)(share * (double)f->phases[0].density / f->physics->scales.all_g);
}
