/* project.h - the pressure solve that solvers share. */
#pragma once
#include "domains/sph/fluid.h"

typedef enum kin_sph_aim {
    KIN_SPH_AIM_DENSITY,    /* nobody is compressed at the end of the tick */
    KIN_SPH_AIM_DIVERGENCE, /* nobody is being compressed now */
    KIN_SPH_AIM_PLACES, /* nobody is compressed where particles are now: velocities, and the warm start, have brought them there already; work[2] is added */
    KIN_SPH_AIM_ORDER,  /* in a full tank: a share of D - rest, by a displacement h^2 a(k); velocities stay, and bodies get nothing */
} kin_sph_aim;

typedef struct kin_sph_projection {
    kin_sph_aim aim;
    float* k;          /* in: warm start, of KIN_SPH_AIM_ORDER nothing; out: pressures; see `tension` */
    bool last;         /* solve of the tick: its k ends at least at 0; an earlier one may leave some below, which it hands to the last as `tension` */
    float* tension;    /* k of that earlier solve, or NULL */
    double tolerance;  /* of the mean residual, a share of the density in this tick */
    int most;          /* iterations */
    float share, rest; /* of KIN_SPH_AIM_ORDER */
} kin_sph_projection;

typedef struct kin_sph_projected {
    int iterations; /* applications of the operator */
    double error;   /* mean residual */
    bool capped;
} kin_sph_projected;

/* Changes velocities by h a(k), and pushes what gives way; but see KIN_SPH_AIM_ORDER. */
kin_sph_projected kin_sph_project(kin_sph* f, kin_sph_tick* tick, const kin_sph_projection* p);

#define KIN_SPH_BAND 4.0  /* in tolerances: room that is used up slowly */
#define KIN_SPH_GAIN 0.1f /* how slowly */
/* The share of a compression that a tick is to mend: half, or its part of a half that takes longer. What is mended is velocity times the tick: half in every tick,
 * however short, would throw the fluid apart, by pressures that ask for still shorter ones, or shake it out of its order. */
static inline float kin_sph_share_to_mend(const kin_sph_tick* tick) { return tick->mending > tick->h ? 0.5f * tick->h / tick->mending : 0.5f; }
/* Of an error of the density, what a tick is to mend: of a compression that share; of room all, but of a little room, within the band, only a small share.
 * In a full tank nothing: room there is only what others lack, so errors of both signs are those of the particles' order, and velocities that mended them would
 * be energy from nowhere, tick by tick. A displacement does it (physics/shift.c), and the velocities' solve is a projection: it only takes. */
static inline float kin_sph_error_to_mend(const kin_sph* f, float share, float band, float e)
{
    if (f->full) return 0;
    float little = e < -band ? -band : e > 0 ? 0 : e, more_room = e + band < 0 ? e + band : 0;
    return share * (e > 0 ? e : 0) + KIN_SPH_GAIN * little + more_room;
}
/* The residual at which a solve may stop that began with `first`. */
double kin_sph_enough(const kin_sph* f, const kin_sph_tick* tick, double tolerance, double first);

/* ---- kernels (project_lanes.c), for the blocks [begin, end) ---- */

#define KIN_SPH_NO_PART (-1e3f) /* residual of a particle that takes no part; others are far above */

typedef struct kin_sph_descent {
    float *k, *r, *d, *q; /* pressures, residual, direction, image h^2 A d */
    const float* v4_push; /* a(d) */
    float h, h2;          /* s, s^2 */
    float alpha, beta;    /* length of the step; share of the last direction */
    float share;          /* of compression, that is mended; of all errors, where order is the aim */
    float rest;           /* D that errors are from */
    float band;           /* room that is used up slowly */
    float least_factor;   /* below it there is nothing to push against */
    float level;          /* what r or q is taken relative to: 0, but where pressures are */
    bool relative;        /* pressures are known but for a constant, and have both signs (project.c) */
    kin_sph_aim aim;
} kin_sph_descent;

/* Sums of a chunk. */
typedef struct kin_sph_sums {
    double rz, zq, dq, error;
    double part, level; /* of 1 / factor, and of what has a level over it */
} kin_sph_sums;

/* The warm start, nothing for those who take no part; and in d all that velocities do not have yet: it, and the other solve's tension (or NULL) taken back; also into the
 * fourth of x4. */
typedef void kin_sph_warm_fn(const kin_sph* f, const kin_sph_descent* s, float* tension, size_t begin, size_t end);
/* r from L(v) in q; then the sums rz and error, part and level. */
typedef kin_sph_sums kin_sph_residual_fn(const kin_sph* f, const kin_sph_descent* s, size_t begin, size_t end);
/* d = z + beta d, also into the fourth of x4. */
typedef void kin_sph_direction_fn(const kin_sph* f, const kin_sph_descent* s, size_t begin, size_t end);
/* r -= level; then the sums rz and error. */
typedef kin_sph_sums kin_sph_lower_fn(const kin_sph* f, const kin_sph_descent* s, size_t begin, size_t end);
/* q = -h^2 q; the sums dq, part and level. */
typedef kin_sph_sums kin_sph_image_fn(const kin_sph* f, const kin_sph_descent* s, size_t begin, size_t end);
/* k += alpha d, r -= alpha (q - level), v += h alpha a(d); then rz, zq and error. */
typedef kin_sph_sums kin_sph_stride_fn(const kin_sph* f, const kin_sph_descent* s, size_t begin, size_t end);

kin_sph_warm_fn kin_sph_warm_none, kin_sph_warm_sse2, kin_sph_warm_avx2;
kin_sph_residual_fn kin_sph_residual_none, kin_sph_residual_sse2, kin_sph_residual_avx2;
kin_sph_lower_fn kin_sph_lower_none, kin_sph_lower_sse2, kin_sph_lower_avx2;
kin_sph_direction_fn kin_sph_direction_none, kin_sph_direction_sse2, kin_sph_direction_avx2;
kin_sph_image_fn kin_sph_image_none, kin_sph_image_sse2, kin_sph_image_avx2;
kin_sph_stride_fn kin_sph_stride_none, kin_sph_stride_sse2, kin_sph_stride_avx2;
