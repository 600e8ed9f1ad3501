/* project.c - the pressures that a tick needs: as small as can be, none below zero, and nobody more compressed than asked for.
 *
 * With the operator A = L (1/rho) L^T (fluid.h; L(a(k)) = -A k), symmetric and positive semi-definite, and s what density would be too high at the end of the tick,
 *
 *     k >= 0,   h^2 A k - s >= 0,   and of the two one is 0:        min  k.h^2 A k / 2 - k.s   over k >= 0
 *
 * a quadratic problem with bounds. Relaxation with a warm start is a loop of the third order, and fluid never comes to rest in it. Conjugate gradients do it, on
 * the particles that are pressed: those with k > 0, and those whose residual r = s - h^2 A k is above 0. The diagonal of A (factor) preconditions. The set changes
 * while the iteration runs, so the direction is that of Polak and Ribiere, which forgets when it has to. Pressures may fall below 0 in between; at the end of a
 * round they are put to 0, and where that changed much, a further round begins from there.
 *
 * s of the density solve is h L(v) + e: of a compression that is there, half (all at once would throw; project.h), and of room that is left, all: who has room may come
 * closer until it is used up. A little room, of a few tolerances, is used up slowly: hurry there is what shakes a fluid at rest. s of the divergence solve is
 * h L(v), where there are neighbours enough to tell. s of places is the error where particles are to be, all motion counted in. In a full tank s of the density
 * solve is h L(v) alone, and a share of D - 1 is s of a solve for a displacement: bounded, as nothing but pressure fills a void.
 *
 * When to stop. The residual is noise that the next tick has to take back, so it must be small beside the motion that there is: a share of what particles move in
 * a tick, at most the tolerance; or a third of the first residual, so that every tick makes it smaller and a fluid at rest comes to rest.
 *
 * Velocities follow on the way: v is always v* + h a(k). With a warm start at hand, the first residual then costs one pass back and one forward.
 *
 * In a full tank (fluid.h) a constant added to all pressures that velocities are changed by does next to nothing, so the one that would make the mean density right is beyond all bounds. There
 * the mean of k is 0, and r and q are taken relative to their level: their mean with the weights of the preconditioner, so directions have the mean 0.
 * They have both signs. One that is higher everywhere, so that none is below 0, orders particles more and takes more energy from vortices.
 *
 * Where bodies give way, their answer is part of the operator (kin_sph_walls_respond). */
#include "domains/sph/project.h"
#include "base/jobs.h"
#include "domains/sph/boundary/boundary.h"
#include "domains/sph/passes.h"
#include "math/scalar.h"
#include <string.h>

#define LEAST_SHARE 1e-3f    /* of 1 / (support^2 rho): factors below it have nothing to push against; a full neighbourhood has about 20 */
#define SHARE_OF_MOTION 5e-3 /* residual over what particles move in a tick, in spacings */
#define SHARE_OF_FIRST 0.3   /* residual over the first one */

enum { SLOT_RZ, SLOT_ZQ, SLOT_DQ, SLOT_ERROR, SLOT_PART, SLOT_LEVEL };

typedef struct solve {
    kin_sph* f;
    kin_sph_tick* tick;
    const kin_sph_projection* p;
    kin_sph_descent s;
    bool gives;
} solve;

static void keep(kin_sph* f, size_t chunk, kin_sph_sums sums)
{
    double* out = f->partial + KIN_SPH_PARTIALS * chunk;
    out[SLOT_RZ] = sums.rz, out[SLOT_ZQ] = sums.zq, out[SLOT_DQ] = sums.dq, out[SLOT_ERROR] = sums.error;
    out[SLOT_PART] = sums.part, out[SLOT_LEVEL] = sums.level;
}

/* Whether the residual is that of a rate, found from velocities. */
static bool is_rate(const kin_sph_projection* p) { return p->aim == KIN_SPH_AIM_DENSITY || p->aim == KIN_SPH_AIM_DIVERGENCE; }

/* q = L(u), while it is at hand for what comes next. */
static void go_forward(const solve* w, size_t begin, size_t end, const float* u4, bool with_walls)
{
    static kin_sph_forward_fn* const forwards[] = {kin_sph_forward_none, kin_sph_forward_sse2, kin_sph_forward_avx2};
    forwards[w->f->simd](w->f, begin, end, u4, with_walls, w->s.q);
}

static void residual_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    static kin_sph_residual_fn* const residuals[] = {kin_sph_residual_none, kin_sph_residual_sse2, kin_sph_residual_avx2};
    const solve* w = argument;
    if (!w->gives && is_rate(w->p)) go_forward(w, begin, end, f->v4, true);
    keep(f, chunk, residuals[f->simd](f, &w->s, begin, end));
}
static void lower_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    static kin_sph_lower_fn* const lowers[] = {kin_sph_lower_none, kin_sph_lower_sse2, kin_sph_lower_avx2};
    keep(f, chunk, lowers[f->simd](f, argument, begin, end));
}
static void direction_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    static kin_sph_direction_fn* const directions[] = {kin_sph_direction_none, kin_sph_direction_sse2, kin_sph_direction_avx2};
    (void)chunk;
    directions[f->simd](f, argument, begin, end);
}
static void image_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    static kin_sph_image_fn* const images[] = {kin_sph_image_none, kin_sph_image_sse2, kin_sph_image_avx2};
    const solve* w = argument;
    if (!w->gives) go_forward(w, begin, end, f->p4, false);
    keep(f, chunk, images[f->simd](f, &w->s, begin, end));
}
static void stride_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    static kin_sph_stride_fn* const strides[] = {kin_sph_stride_none, kin_sph_stride_sse2, kin_sph_stride_avx2};
    keep(f, chunk, strides[f->simd](f, argument, begin, end));
}

static void warm_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    static kin_sph_warm_fn* const warms[] = {kin_sph_warm_none, kin_sph_warm_sse2, kin_sph_warm_avx2};
    (void)chunk;
    const solve* w = argument;
    warms[f->simd](f, &w->s, w->p->tension, begin, end);
}

/* Pressures below 0 to 0, and into d and the fourth of x4 what that added. partial RZ: about how much residual it is worth. */
static void clip_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const solve* w = argument;
    float *k = w->p->k, *d = w->s.d;
    double sum = 0;
    for (size_t i = 8 * begin; i < 8 * end; ++i) {
        d[i] = k[i] < 0 ? -k[i] : 0;
        k[i] = k[i] > 0 ? k[i] : 0;
        f->x4[4 * i + 3] = d[i];
        if (d[i] > 0) sum += (double)(d[i] * w->s.h2 * f->factor[i]);
    }
    f->partial[KIN_SPH_PARTIALS * chunk] = sum;
}

static void add_response_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    (void)f, (void)chunk;
    const solve* w = argument;
    for (size_t i = 8 * begin; i < 8 * end; ++i) w->s.q[i] += w->s.h * w->s.d[i];
}

/* q: what the start has beyond k: tension of the divergence solve, taken back. */
static void returned_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    (void)f, (void)chunk;
    const solve* w = argument;
    for (size_t i = 8 * begin; i < 8 * end; ++i) w->s.q[i] = w->s.d[i] - w->p->k[i];
}

/* v += h a(d), d in the fourth of x4. */
static void add_pressures(solve* w) { kin_sph_press(w->f, w->tick->step->jobs, NULL, w->s.h); }

static double mean_error(const kin_sph* f) { return kin_sph_total(f, SLOT_ERROR) / kin_max(1, (double)f->count); }

/* Of what was just noted; 0 where there is none. */
static float level_of(const solve* w)
{
    const kin_sph* f = w->f;
    double part = w->s.relative ? kin_sph_total(f, SLOT_PART) : 0;
    return part > 0 ? (float)(kin_sph_total(f, SLOT_LEVEL) / part) : 0;
}

static double find_residual(solve* w)
{
    kin_sph* f = w->f;
    kin_jobs* jobs = w->tick->step->jobs;
    if (w->gives && is_rate(w->p)) { /* bodies do not move yet as k moves them */
        kin_sph_forward(f, jobs, f->v4, true, w->s.q);
        memset(w->s.d, 0, f->blocks * 8 * sizeof(float));
        kin_sph_walls_respond(f, w->tick, w->p->k, w->s.d);
        kin_sph_for(f, jobs, add_response_chunk, w);
    }
    kin_sph_for(f, jobs, residual_chunk, w);
    w->s.level = level_of(w);
    if (w->s.relative) kin_sph_for(f, jobs, lower_chunk, &w->s);
    w->s.beta = 0;
    return mean_error(f);
}

/* One step of conjugate gradients. Returns the mean residual after it; below 0: there is nowhere to go. */
static double iterate(solve* w)
{
    kin_sph* f = w->f;
    kin_jobs* jobs = w->tick->step->jobs;
    double rz = kin_sph_total(f, SLOT_RZ);
    kin_sph_for(f, jobs, direction_chunk, &w->s);
    kin_sph_backward(f, jobs, NULL, f->p4);
    if (w->gives) {
        kin_sph_forward(f, jobs, f->p4, false, w->s.q);
        kin_sph_walls_respond(f, w->tick, w->s.d, w->s.q);
    }
    kin_sph_for(f, jobs, image_chunk, w);
    double dq = kin_sph_total(f, SLOT_DQ);
    w->s.level = level_of(w);
    if (!(dq > 0) || !(rz > 0)) return -1;
    w->s.alpha = (float)(rz / dq);
    kin_sph_for(f, jobs, stride_chunk, &w->s);
    w->s.beta = (float)kin_clamp(-(double)w->s.alpha * kin_sph_total(f, SLOT_ZQ) / rz, 0, 10);
    return mean_error(f);
}

/* Until the residual is at most `enough`; at least one step. */
static void run_round(solve* w, kin_sph_projected* out, double enough)
{
    do {
        double error = iterate(w);
        out->iterations += 1;
        if (error < 0) return;
        out->error = error;
    } while (out->error > enough && out->iterations < w->p->most);
}

/* Whether what was put to 0 matters so little that the solve is over. */
static bool clip(solve* w, double enough)
{
    kin_sph* f = w->f;
    kin_sph_for(f, w->tick->step->jobs, clip_chunk, w);
    double clipped = kin_sph_total(f, 0) / kin_max(1, (double)f->count);
    if (clipped > 0 && w->p->aim != KIN_SPH_AIM_ORDER) add_pressures(w);
    return !(clipped > enough);
}

double kin_sph_enough(const kin_sph* f, const kin_sph_tick* tick, double tolerance, double first)
{
    double motion = (double)tick->h * f->seen.rms / (double)f->spacing;
    return kin_min(tolerance, kin_max(SHARE_OF_FIRST * first, SHARE_OF_MOTION * motion));
}

kin_sph_projected kin_sph_project(kin_sph* f, kin_sph_tick* tick, const kin_sph_projection* p)
{
    solve w = {.f = f, .tick = tick, .p = p, .gives = p->aim != KIN_SPH_AIM_ORDER && kin_sph_walls_give(f)};
    w.s = (kin_sph_descent){.k = p->k, .r = f->work[0], .d = f->work[1], .q = f->work[2], .v4_push = f->p4, .h = tick->h, .h2 = tick->h * tick->h};
    w.s.aim = p->aim, w.s.share = p->aim == KIN_SPH_AIM_ORDER ? p->share : kin_sph_share_to_mend(tick), w.s.band = (float)(KIN_SPH_BAND * p->tolerance);
    w.s.relative = f->full && p->aim != KIN_SPH_AIM_ORDER, w.s.rest = p->aim == KIN_SPH_AIM_ORDER ? p->rest : f->rest;
    w.s.least_factor = LEAST_SHARE / (f->support * f->support * f->phases[0].density);
    if (p->aim == KIN_SPH_AIM_ORDER) memset(w.s.k, 0, f->blocks * 8 * sizeof(float)), memset(w.s.q, 0, f->blocks * 8 * sizeof(float));
    if (is_rate(p)) {
        if (w.s.relative) w.s.level = kin_sph_mean(f, tick->step->jobs, p->k);
        kin_sph_for(f, tick->step->jobs, warm_chunk, &w);
        add_pressures(&w);
        if (w.gives && p->tension != NULL) { /* bodies had it from the divergence solve */
            kin_sph_for(f, tick->step->jobs, returned_chunk, &w);
            kin_sph_walls_push(f, tick, w.s.q);
        }
    }
    kin_sph_projected out = {1, find_residual(&w), false};
    double enough = kin_sph_enough(f, tick, p->tolerance, out.error);
    run_round(&w, &out, enough);
    bool clips = !w.s.relative && (p->last || w.gives); /* what bodies get of a tension could not be taken back later */
    while (clips && !clip(&w, enough) && is_rate(p) && out.iterations < p->most) {
        out.error = find_residual(&w);
        out.iterations += 1;
        run_round(&w, &out, enough);
    }
    out.capped = out.iterations >= p->most && out.error > p->tolerance;
    if (w.gives) kin_sph_walls_push(f, tick, p->k);
    return out;
}
