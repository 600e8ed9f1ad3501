/* vorticity.c - whirls that a coarse fluid loses too soon: confinement, and particles with a spin of their own.
 *
 * Confinement (Steinhoff & Underhill 1994, Fedkiw 2001): with w = curl v and N along grad |w|, a = strength l N x w spins whirls up. It adds energy, on purpose.
 *
 * Micropolar (Bender 2017): of the viscosity, a share mu is rotational. It acts between a particle's spin s and the turning of the flow around it,
 *
 *     a_i = (1/rho_i) sum_j 2 mu eta_ij c_ij x (s_i + s_j),      Theta ds/dt = 2 mu nu (curl v - 2 s),      Theta = l^2 / 10 (of a ball)
 *
 * The sum there and the differences in curl v = sum c_ij x (v_j - v_i) are each other's transpose: with the viscosity itself, all that is lost is
 * 2 mu nu |curl v - 2 s|^2 / 2 and more. The spin is solved for the end of the tick, so any mu is stable. */
#include "domains/sph/physics/inside.h"
#include "domains/sph/physics/pairs.h"
#include <string.h>

typedef struct whirl_job {
    kin_sph* f;
    kin_sph_pairs pairs;
    float* curl4; /* and its length */
    double h;
} whirl_job;

static void some_curl(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const whirl_job* job = argument;
    double scale = 1 / f->physics->scales.moment;
    (void)chunk;
    for (size_t i = begin * KIN_SPH_LANES; i < kin_sph_end(f, end); ++i) {
        kin_vec3 sum = {0, 0, 0}, vi = kin_sph_get(f->v4, i);
        for (kin_sph_walk w = kin_sph_walk_of(&job->pairs, i); kin_sph_walk_next(&w);) {
            sum = kin_add_scaled(sum, (double)w.g, kin_cross(kin_sph_apart(&w), kin_sub(kin_sph_get(f->v4, w.j), vi)));
        }
        sum = kin_scale(sum, scale);
        kin_sph_put(job->curl4, i, sum);
        job->curl4[4 * i + 3] = (float)kin_length(sum);
    }
}

static void some_confine(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const whirl_job* job = argument;
    double strength = f->def.vorticity * (double)f->spacing;
    (void)chunk;
    for (size_t i = begin * KIN_SPH_LANES; i < kin_sph_end(f, end); ++i) {
        kin_vec3 slope = {0, 0, 0};
        for (kin_sph_walk w = kin_sph_walk_of(&job->pairs, i); kin_sph_walk_next(&w);) {
            slope = kin_add_scaled(slope, (double)w.g * ((double)job->curl4[4 * w.j + 3] - (double)job->curl4[4 * i + 3]), kin_sph_apart(&w));
        }
        double size = kin_length(slope);
        if (!(size * (double)f->spacing > 1e-3 * (double)job->curl4[4 * i + 3])) continue; /* no direction to speak of */
        kin_vec3 push = kin_cross(kin_scale(slope, strength / size), kin_sph_get(job->curl4, i));
        kin_sph_put(f->a4, i, kin_add(kin_sph_get(f->a4, i), push));
    }
}

bool kin_sph_confine(kin_sph* f, kin_sph_tick* tick)
{
    if (f->count == 0 || f->def.vorticity <= 0) return true;
    whirl_job job = {.f = f, .pairs = kin_sph_pairs_of(f), .curl4 = kin_sph_scratch(f, 1), .h = (double)tick->h};
    if (job.curl4 == NULL) return false;
    kin_sph_for(f, tick->step->jobs, some_curl, &job);
    kin_sph_for(f, tick->step->jobs, some_confine, &job);
    return true;
}

static double rotational(const kin_sph* f, size_t i) { return 2 * f->def.micropolar * (double)kin_sph_nu(f, i); }

static void some_spin(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const whirl_job* job = argument;
    double inertia = 0.1 * (double)f->spacing * (double)f->spacing;
    (void)chunk;
    for (size_t i = begin * KIN_SPH_LANES; i < kin_sph_end(f, end); ++i) {
        double nu = rotational(f, i) * job->h;
        kin_vec3 s = kin_add_scaled(kin_scale(kin_sph_get(f->spin4, i), inertia), nu, kin_sph_get(job->curl4, i));
        kin_sph_put(f->spin4, i, kin_scale(s, 1 / (inertia + 2 * nu)));
    }
}

static void some_turned(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const whirl_job* job = argument;
    (void)chunk;
    for (size_t i = begin * KIN_SPH_LANES; i < kin_sph_end(f, end); ++i) {
        kin_vec3 sum = {0, 0, 0}, si = kin_sph_get(f->spin4, i);
        double eta = rotational(f, i) / (double)f->inv_rho[i];
        for (kin_sph_walk w = kin_sph_walk_of(&job->pairs, i); kin_sph_walk_next(&w);) {
            double other = rotational(f, w.j) / (double)f->inv_rho[w.j], both = eta + other > 0 ? 2 * eta * other / (eta + other) : 0;
            sum = kin_add_scaled(sum, both * (double)w.g, kin_cross(kin_sph_apart(&w), kin_add(si, kin_sph_get(f->spin4, w.j))));
        }
        double scale = (double)f->inv_rho[i] / f->physics->scales.moment;
        kin_sph_put(f->a4, i, kin_add_scaled(kin_sph_get(f->a4, i), scale, sum));
    }
}

bool kin_sph_micropolar(kin_sph* f, kin_sph_tick* tick)
{
    if (f->count == 0 || f->def.micropolar <= 0 || f->spin4 == NULL) return true;
    whirl_job job = {.f = f, .pairs = kin_sph_pairs_of(f), .curl4 = kin_sph_scratch(f, 1), .h = (double)tick->h};
    if (job.curl4 == NULL) return false;
    kin_sph_for(f, tick->step->jobs, some_curl, &job);
    kin_sph_for(f, tick->step->jobs, some_spin, &job);
    kin_sph_for(f, tick->step->jobs, some_turned, &job);
    return true;
}
