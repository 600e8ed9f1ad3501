/* stick.c - standing walls within the solve of strong viscosity. Friction after it would stop the first layer alone, once a tick: a block of honey ten layers high
 * would slide at ten times h g. So walls that do not give way enter as  rho h nu grip (1 - n n^T) (u - wall)  (boundary/rub.c has the law), and who feels no other
 * wall is done with friction for this tick. Walls that give way rub afterwards, for what they get is booked there. */
#include "domains/sph/boundary/walls.h"
#include "domains/sph/physics/inside.h"
#include <string.h>

typedef struct stick_job {
    float* walls; /* KIN_SPH_STICK numbers a particle */
    uint8_t* held;
    double h;
} stick_job;

static void add_touch(const kin_sph* f, const kin_sph_touch* t, double h, float* to)
{
    double s = h * f->walls->friction * (double)f->phases[f->phase[t->particle]].density * (double)kin_sph_nu(f, t->particle) * (double)t->grip;
    const double n[3] = {(double)t->normal[0], (double)t->normal[1], (double)t->normal[2]};
    const double m[6] = {1 - n[0] * n[0], 1 - n[1] * n[1], 1 - n[2] * n[2], -n[0] * n[1], -n[0] * n[2], -n[1] * n[2]};
    const double u[3] = {(double)t->velocity[0], (double)t->velocity[1], (double)t->velocity[2]};
    for (int k = 0; k < 6; ++k) to[k] += (float)(s * m[k]);
    to[6] += (float)(s * (m[0] * u[0] + m[3] * u[1] + m[4] * u[2]));
    to[7] += (float)(s * (m[3] * u[0] + m[1] * u[1] + m[5] * u[2]));
    to[8] += (float)(s * (m[4] * u[0] + m[5] * u[1] + m[2] * u[2]));
}

static void some_stick(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const stick_job* job = argument;
    memset(job->walls + KIN_SPH_STICK * KIN_SPH_LANES * begin, 0, KIN_SPH_STICK * KIN_SPH_LANES * (end - begin) * sizeof(float));
    memset(job->held + KIN_SPH_LANES * begin, 1, KIN_SPH_LANES * (end - begin));
    if (f->walls == NULL || f->walls->near_count == 0) return;
    KIN_SPH_TOUCHES(f->walls, chunk, t)
    {
        if (f->walls->near[t->wall].body != KIN_SPH_NO_BODY) job->held[t->particle] = 0;
    }
    KIN_SPH_TOUCHES(f->walls, chunk, t)
    {
        if (job->held[t->particle]) add_touch(f, t, job->h, job->walls + KIN_SPH_STICK * (size_t)t->particle);
    }
}

bool kin_sph_stick(kin_sph* f, const kin_sph_tick* tick, float* walls)
{
    kin_sph_physics* p = f->physics;
    if (!kin_reserve(&p->allocator, (void**)&p->held, &p->held_capacity, KIN_SPH_LANES * f->blocks, 1)) return false;
    kin_sph_for(f, tick->step->jobs, some_stick, &(stick_job){walls, p->held, (double)tick->h});
    p->holds = true;
    return true;
}
