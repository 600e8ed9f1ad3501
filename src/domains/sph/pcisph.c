/* pcisph.c - predictive-corrective pressure. Solenthaler & Pajarola 2009: predict densities, add to each pressure what a filled neighbourhood would need, again
 * until nobody is too dense.
 *
 *     r = e + h L(v*) + h^2 L(a(k)),     k = max(0, k + w r / (h^2 S)),     S = sum |c|^2 / rho over a lattice
 *
 * One factor for all: close to a surface, where neighbours lack, particles are corrected too timidly. Where they are too many, or a wall is close, it would be too
 * bold, and the particle's own factor holds. Of a wave along an axis of the lattice the operator makes up to |sum c sin(kx)|^2 / rho, which grows with the reach of
 * the kernel: w = 1/2, or less where it would be more than 1.4 of that; above 2 the iteration would diverge. Pressures begin with those of the last tick; a solve
 * ends when its residual is small beside the motion that there is (project.h). */
#include "base/error.h"
#include "base/jobs.h"
#include "domains/sph/boundary/boundary.h"
#include "domains/sph/project.h"
#include "math/scalar.h"

enum { WAVES = 16, MOST_REACH = 8 };
#define BOLD 1.4 /* w times the operator's largest answer, over S */

/* Over a lattice, 1/m^2: the sum of |V grad W|^2, and the largest |sum V grad W sin(k x)|^2 along an axis. */
typedef struct lattice {
    double squares, wave;
} lattice;

static lattice lattice_of(const kin_sph* f)
{
    double spacing = f->spacing, along[MOST_REACH] = {0}; /* sum of gradients by layer */
    lattice sum = {0};
    int reach = (int)(f->gradient.support / spacing) + 1, deep = f->flat ? 0 : reach;
    KIN_ASSERT(reach < MOST_REACH);
    for (int i = 0; i <= reach; ++i) {
        for (int j = -reach; j <= reach; ++j) {
            for (int k = -deep; k <= deep; ++k) {
                double square = spacing * spacing * (double)(i * i + j * j + k * k), g = (double)f->volume * kin_sph_bell_slope(&f->gradient, kin_sqrt(square));
                sum.squares += (i > 0 ? 2 : 1) * square * g * g;
                along[i] += 2 * i * spacing * g;
            }
        }
    }
    for (int n = 1; n < WAVES; ++n) {
        double answer = 0;
        for (int i = 1; i <= reach; ++i) answer += along[i] * kin_sin(KIN_PI * i * n / WAVES);
        sum.wave = kin_max(sum.wave, answer * answer);
    }
    return sum;
}

typedef struct correction {
    float h, h2;
    float mend; /* of a compression */
    float band;
    float filled; /* sum |c|^2 over a lattice */
    float share;  /* w */
    float level;  /* of residuals, and of the pressures at the start: their mean where the tank is full (project.c), else 0 */
} correction;

/* work[0] = e + h L(v*), from L(v*) in work[2]. */
static void source_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const correction* c = argument;
    for (size_t i = 8 * begin; i < 8 * end; ++i) {
        f->work[0][i] = kin_sph_error_to_mend(f, c->mend, c->band, f->density[i] - f->rest) + c->h * f->work[2][i];
        f->k_density[i] = f->full ? f->k_density[i] - c->level : f->k_density[i] > 0 ? f->k_density[i] : 0;
    }
}

/* partial 0: sum of residuals. */
static void level_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const correction* c = argument;
    double sum = 0;
    for (size_t i = 8 * begin; i < 8 * end && i < f->count; ++i) sum += (double)(f->work[0][i] + c->h2 * f->work[2][i]);
    f->partial[KIN_SPH_PARTIALS * chunk] = sum;
}

/* partial 0: sum of what residuals count for. The next pressures into work[1]. */
static void correct_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const correction* c = argument;
    double sum = 0;
    for (size_t i = 8 * begin; i < 8 * end; ++i) {
        float k = f->k_density[i], r = i < f->count ? f->work[0][i] + c->h2 * f->work[2][i] - c->level : 0;
        sum += (f->full || k > 0) && r < 0 ? -(double)r : r > 0 ? (double)r : 0;
        float filled = c->filled * f->inv_rho[i], factor = f->factor[i] > filled ? f->factor[i] : filled;
        float next = factor > 0 ? k + c->share * r / (c->h2 * factor) : 0;
        f->work[1][i] = f->full || next > 0 ? next : 0;
    }
    f->partial[KIN_SPH_PARTIALS * chunk] = sum;
}

static double predict(kin_sph* f, kin_sph_tick* tick, correction* c)
{
    kin_jobs* jobs = tick->step->jobs;
    kin_sph_backward(f, jobs, f->k_density, f->p4);
    kin_sph_forward(f, jobs, f->p4, false, f->work[2]);
    if (kin_sph_walls_give(f)) kin_sph_walls_respond(f, tick, f->k_density, f->work[2]);
    if (f->full) {
        kin_sph_for(f, jobs, level_chunk, c);
        c->level = (float)(kin_sph_total(f, 0) / kin_max(1, (double)f->count));
    }
    kin_sph_for(f, jobs, correct_chunk, c);
    return kin_sph_total(f, 0) / kin_max(1, (double)f->count);
}

static void take_correction(kin_sph* f)
{
    float* next = f->work[1];
    f->work[1] = f->k_density, f->k_density = next;
}

static bool pcisph_advance(kin_sph* f, kin_sph_tick* tick)
{
    kin_jobs* jobs = tick->step->jobs;
    if (!kin_sph_kick(f, tick)) return false;
    correction c = {.h = tick->h, .h2 = tick->h * tick->h, .mend = kin_sph_share_to_mend(tick), .band = (float)(KIN_SPH_BAND * f->def.density_error)};
    lattice of = lattice_of(f);
    c.filled = (float)of.squares, c.share = (float)kin_min(0.5, BOLD * of.squares / of.wave);
    kin_sph_forward(f, jobs, f->v4, true, f->work[2]);
    if (f->full) c.level = kin_sph_mean(f, jobs, f->k_density); /* each tick's corrections have another mean: it would wander off */
    kin_sph_for(f, jobs, source_chunk, &c);
    double error = predict(f, tick, &c), enough = kin_sph_enough(f, tick, f->def.density_error, error);
    int iterations = 1;
    for (; (error > enough || iterations < 2) && iterations < f->def.max_iterations; ++iterations) {
        take_correction(f);
        error = predict(f, tick, &c);
    }
    kin_sph_add_velocity(f, jobs, tick->h, f->p4);
    if (kin_sph_walls_give(f)) kin_sph_walls_push(f, tick, f->k_density);
    kin_sph_note_solve(f, jobs, iterations, error, error > f->def.density_error);
    return kin_sph_drift(f, tick);
}

const kin_sph_solver_ops kin_sph_pcisph = {
    .name = "pcisph",
    .doc = "Predict densities, correct pressures, again.",
    .advance = pcisph_advance,
};
