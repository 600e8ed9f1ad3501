/* books.c - what pressure takes. It works on the fluid at the mean of the velocities of a tick's start and end; walls and bodies that move do some of that work, and the
 * rest is lost, or lent to compression:
 *
 *     lost = W_walls - sum m (v1 - v0 - dv).(v0 + v1)/2,     W_walls = -h V sum K_i b_i.u - (work on bodies, give.c)
 *
 * dv: by all else (forces, viscosity), u: of walls. A fluid at rest under its weight loses nothing so, however long the tick; a drop that meets a wall loses what
 * the wall's pressure stops. */
#include "domains/sph/boundary/boundary.h"
#include "math/vec3.h"

static double along(const float* a, const float* b) { return (double)a[0] * (double)b[0] + (double)a[1] * (double)b[1] + (double)a[2] * (double)b[2]; }

/* partial 0: kinetic energy; 1: m dv . v. */
static void energy_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    double* out = f->partial + KIN_SPH_PARTIALS * chunk;
    (void)argument;
    out[0] = out[1] = 0;
    for (size_t i = 8 * begin; i < 8 * end && i < f->count; ++i) {
        const float* v = f->v4 + 4 * i;
        double mass = (double)f->phases[f->phase[i]].mass;
        out[0] += 0.5 * mass * along(v, v);
        out[1] += mass * along(f->kick4 + 4 * i, v);
    }
}

static void before_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    (void)argument, (void)chunk;
    for (size_t k = 32 * begin; k < 32 * end; ++k) f->kick4[k] = -f->v4[k];
}

/* dv = v - what it was; partial 0: m dv . (velocity before). */
static void after_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    double sum = 0;
    (void)argument;
    for (size_t k = 32 * begin; k < 32 * end; ++k) f->kick4[k] += f->v4[k];
    for (size_t i = 8 * begin; i < 8 * end && i < f->count; ++i) {
        const float *v = f->v4 + 4 * i, *dv = f->kick4 + 4 * i;
        sum += (double)f->phases[f->phase[i]].mass * (along(dv, v) - along(dv, dv));
    }
    f->partial[KIN_SPH_PARTIALS * chunk] = sum;
}

void kin_sph_books_begin(kin_sph* f, kin_jobs* jobs)
{
    kin_sph_for(f, jobs, energy_chunk, NULL); /* dv is still that of the last tick */
    f->energy = kin_sph_total(f, 0), f->given_work = 0;
}

void kin_sph_books_before_kick(kin_sph* f, kin_jobs* jobs) { kin_sph_for(f, jobs, before_chunk, NULL); }

void kin_sph_books_after_kick(kin_sph* f, kin_jobs* jobs)
{
    kin_sph_for(f, jobs, after_chunk, NULL);
    f->kick_work = kin_sph_total(f, 0);
}

void kin_sph_books_end(kin_sph* f, kin_sph_tick* tick)
{
    kin_sph_for(f, tick->step->jobs, energy_chunk, NULL);
    double gained = kin_sph_total(f, 0) - f->energy - 0.5 * (f->kick_work + kin_sph_total(f, 1));
    f->dissipated += kin_sph_walls_work(f, tick) - f->given_work - gained;
}
