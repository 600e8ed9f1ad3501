/* births.c - where air is trapped, and what comes of it. The number made in a step is n h rounded up or down by a draw, so that its mean is n h for any h. */
#include "math/random.h"
#include "math/frame.h"
#include "system/foam/local.h"

enum { GRAIN = 64, MOST_BIRTHS = 1000, DRAW_COUNT = 0, DRAW_FIRST = 1 };
static const double along_normal = 0.6, spread = 0.1; /* cosine; of the speed, sideways */

/* 0 to 1 between two limits. */
static double share(double x, const double limits[2])
{
    if (x <= limits[0]) return 0;
    return limits[1] > limits[0] ? kin_min((x - limits[0]) / (limits[1] - limits[0]), 1) : 1;
}

/* 1/s. */
static double rate_of(const kin_foam* foam, const kin_foam_kernels* kernels, const kin_stretches* near, uint32_t i)
{
    const kin_foam_sea* s = &foam->sea;
    const kin_foam_def* d = &foam->def;
    double v[3], n[3], speed2 = 0, ahead = 0;
    for (int a = 0; a < 3; ++a) {
        v[a] = (double)s->v[a][i], n[a] = (double)s->n[a][i];
        speed2 += v[a] * v[a], ahead += v[a] * n[a];
    }
    double energy = share(0.5 * speed2, d->energy);
    if (!(energy > 0)) return 0;
    double trapped = 0, crest = 0;
    if (d->trapped_rate > 0) trapped = d->trapped_rate * share((double)kernels->meeting(s, near, i), d->trapped);
    bool breaking = d->crest_rate > 0 && ahead > along_normal * kin_sqrt(speed2); /* never within the fluid: there is no normal */
    if (breaking) crest = d->crest_rate * share((double)kernels->turning(s, near, i), d->crest);
    return energy * (trapped + crest);
}

static kin_rng_key key_of(const kin_foam* foam, const kin_foam_fluid* fluid, uint32_t item)
{
    return (kin_rng_key){
        .seed = foam->def.seed, .serial = fluid->serials != NULL ? fluid->serials[item] : item, .step = foam->step, .system = foam->def.system};
}

typedef struct birth_job {
    kin_foam* foam;
    const kin_foam_fluid* fluid;
    double h;
} birth_job;

static void count_births(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    const birth_job* job = argument;
    kin_foam_sea* s = &job->foam->sea;
    const kin_foam_kernels* kernels = kin_foam_kernels_of(job->foam);
    for (int64_t cell = begin; cell < end; ++cell) {
        kin_stretches near;
        kin_foam_round_cell(s, cell, &near);
        for (uint32_t i = s->cells.starts[cell]; i < s->cells.starts[cell + 1]; ++i) {
            double wanted = kin_min(rate_of(job->foam, kernels, &near, i) * job->h, MOST_BIRTHS);
            kin_rng_key key = key_of(job->foam, job->fluid, s->items[i]);
            s->births[s->items[i]] = wanted > 0 ? (uint16_t)(wanted + kin_rng_uniform(&key, DRAW_COUNT, 0, 1)) : 0;
        }
    }
}

uint64_t kin_foam_find_births(kin_foam* foam, kin_jobs* jobs, const kin_foam_fluid* fluid, double h)
{
    if (foam->sea.count == 0 || !foam->sea.fast) return 0;
    kin_parallel_for(jobs, foam->sea.cells.cell_count, GRAIN, count_births, &(birth_job){foam, fluid, h});
    uint64_t sum = 0;
    for (uint32_t i = 0; i < foam->sea.count; ++i) sum += foam->sea.births[i];
    return sum;
}

/* In a cylinder about the way of the fluid particle in this step. */
static void put_newborn(kin_foam* foam, const kin_foam_fluid* fluid, uint32_t item, const kin_rng_key* key, uint32_t number, double h)
{
    size_t stride = fluid->stride == 0 ? 3 : fluid->stride;
    const float *p = fluid->positions + item * stride, *v = fluid->velocities + item * stride;
    kin_vec3 at = kin_v((double)p[0], (double)p[1], (double)p[2]), velocity = kin_v((double)v[0], (double)v[1], (double)v[2]);
    uint64_t words[4];
    kin_rng_words(key, DRAW_FIRST + number, words);
    double speed = kin_length(velocity), radius = kin_sqrt(kin_rng_unit(words[0]));
    kin_vec3 ahead = kin_normalize_or(velocity, kin_v(0, 1, 0)), beside = kin_normalize_or(kin_perpendicular(ahead), kin_v(1, 0, 0)),
             across = kin_cross(ahead, beside);
    kin_sincos angle = kin_sin_cos(2 * KIN_PI * kin_rng_unit(words[1]));
    kin_vec3 out = kin_add(kin_scale(beside, radius * angle.cosine), kin_scale(across, radius * angle.sine));
    at = kin_add_scaled(kin_add_scaled(at, 0.5 * foam->def.spacing, out), kin_rng_unit(words[2]) * speed * h, ahead);
    at = kin_add(at, fluid->origin);
    velocity = kin_add_scaled(velocity, spread * speed, out);
    size_t n = foam->count++;
    foam->x[0][n] = at.x, foam->x[1][n] = at.y, foam->x[2][n] = at.z;
    foam->v[0][n] = velocity.x, foam->v[1][n] = velocity.y, foam->v[2][n] = velocity.z;
    foam->left[n] = kin_mix(foam->def.lifetime[0], foam->def.lifetime[1], kin_rng_unit(words[3]));
    foam->serial[n] = foam->next_serial++;
    foam->kind[n] = KIN_FOAM_FOAM;
}

/* When there is no room for all, every so many of them are left out. */
void kin_foam_give_birth(kin_foam* foam, const kin_foam_fluid* fluid, uint64_t wanted, double h)
{
    uint64_t most = (uint64_t)foam->def.most, room = most > foam->count ? most - foam->count : 0, kept = wanted < room ? wanted : room, seen = 0;
    for (uint32_t item = 0; item < fluid->count && kept > 0; ++item) {
        kin_rng_key key = key_of(foam, fluid, item);
        for (uint32_t b = 0; b < foam->sea.births[item]; ++b, ++seen) {
            if ((seen + 1) * kept / wanted > seen * kept / wanted) put_newborn(foam, fluid, item, &key, b, h);
        }
    }
}
