/* project_lanes.c - what conjugate gradients do to every particle (project.c), in lanes. */
#include "domains/sph/project.h"
#include "domains/sph/pair_lanes.h"

#define ENOUGH 20.0f /* neighbours, walls counted in, that make a divergence */
#define ENOUGH_FLAT 6.0f
#define WALL_WEIGHT 33.0f /* neighbours that lambda = 1 stands for */
#define WALL_WEIGHT_FLAT 12.0f

typedef struct tally {
    double rz[8], zq[8], dq[8], error[8], part[8], level[8];
} __attribute__((aligned(64))) tally;

INLINE kin_sph_sums sums_of(const tally* t)
{
    return (kin_sph_sums){sum_of(t->rz), sum_of(t->zq), sum_of(t->dq), sum_of(t->error), sum_of(t->part), sum_of(t->level)};
}

/* z = r over the diagonal, of those who are pressed: with a pressure, or a residual above 0; all, where pressures are relative. */
INLINE lane scaled_residual(const kin_sph* f, const kin_sph_descent* s, size_t i, lane r, lane k)
{
    which pressed = r > all(0.1f * KIN_SPH_NO_PART);
    if (!s->relative) pressed &= (k > all(0)) | (r > all(0));
    return pick(pressed, r / (all(s->h2) * more(load(f->factor + i), all(1e-30f))), all(0));
}

/* |r| where there is pressure, r where it is above 0, nothing else: that is |r| wherever z is. */
INLINE void judge(const kin_sph* f, const kin_sph_descent* s, size_t i, int at, lane r, lane k, tally* t)
{
    lane z = scaled_residual(f, s, i, r, k), counted = pick(z == all(0), all(0), r);
    add_up(t->rz, at, widened(r) * widened(z));
    add_up(t->zq, at, widened(z) * widened(load(s->q + i)));
    add_up(t->error, at, widened(more(counted, all(0) - counted)));
}

/* Sums for the mean of x over the diagonal, of those who take part: r tells. */
INLINE void note_level(const kin_sph* f, const kin_sph_descent* s, size_t i, int at, lane r, lane x, tally* t)
{
    if (!s->relative) return;
    lane inverse = pick(r > all(0.1f * KIN_SPH_NO_PART), all(1) / more(load(f->factor + i), all(1e-30f)), all(0));
    add_up(t->part, at, widened(inverse));
    add_up(t->level, at, widened(inverse) * widened(x));
}

/* The divergence tells where there are neighbours enough. Of sand it tells nothing: grains that are not packed come closer, and bear nothing yet. */
INLINE which has_part(const kin_sph* f, const kin_sph_descent* s, size_t i)
{
    which part = load(f->factor + i) > all(s->least_factor);
    if (s->aim != KIN_SPH_AIM_DIVERGENCE) return part;
    lane around;
    for (int l = 0; l < LANES; ++l) around[l] = f->phases[f->phase[i + (size_t)l]].loose ? -1e3f : f->neighbours[i + (size_t)l];
    around += all(f->flat ? WALL_WEIGHT_FLAT : WALL_WEIGHT) * load(f->lambda + i);
    return part & (around >= all(f->flat ? ENOUGH_FLAT : ENOUGH));
}

INLINE lane error_to_mend(const kin_sph* f, const kin_sph_descent* s, lane e)
{
    if (f->full) return all(0);
    lane little = less(more(e, all(-s->band)), all(0)), more_room = less(e + all(s->band), all(0));
    return all(s->share) * more(e, all(0)) + all(KIN_SPH_GAIN) * little + more_room;
}

INLINE void put_direction(const kin_sph* f, const kin_sph_descent* s, size_t i, lane d)
{
    store(s->d + i, d);
    for (int l = 0; l < LANES; ++l) f->x4[4 * (i + (size_t)l) + 3] = d[l];
}

void KIN_KERNEL(kin_sph_warm)(const kin_sph* f, const kin_sph_descent* s, float* tension, size_t begin, size_t end)
{
    for (size_t i = 8 * begin; i < 8 * end; i += LANES) {
        lane k = pick(has_part(f, s, i), s->relative ? load(s->k + i) - all(s->level) : more(load(s->k + i), all(0)), all(0)), d = k;
        store(s->k + i, k);
        if (tension != NULL) {
            lane t = load(tension + i);
            d += more(all(0) - t, all(0));
            store(tension + i, more(t, all(0)));
        }
        put_direction(f, s, i, d);
    }
}

kin_sph_sums KIN_KERNEL(kin_sph_residual)(const kin_sph* f, const kin_sph_descent* s, size_t begin, size_t end)
{
    tally t = {0};
    for (size_t block = begin; block < end; ++block) {
        for (int at = 0; at < 8; at += LANES) {
            size_t i = 8 * block + (size_t)at;
            lane rate = load(s->q + i), e = load(f->density + i) - all(s->rest), r = all(s->h) * rate;
            if (s->aim == KIN_SPH_AIM_DENSITY) r += error_to_mend(f, s, e);
            if (s->aim == KIN_SPH_AIM_PLACES) r = e + rate;
            if (s->aim == KIN_SPH_AIM_ORDER) r = all(s->share) * e;
            r = pick(has_part(f, s, i), r, all(KIN_SPH_NO_PART));
            store(s->r + i, r);
            judge(f, s, i, at, r, load(s->k + i), &t);
            note_level(f, s, i, at, r, r, &t);
        }
    }
    return sums_of(&t);
}

kin_sph_sums KIN_KERNEL(kin_sph_lower)(const kin_sph* f, const kin_sph_descent* s, size_t begin, size_t end)
{
    tally t = {0};
    for (size_t block = begin; block < end; ++block) {
        for (int at = 0; at < 8; at += LANES) {
            size_t i = 8 * block + (size_t)at;
            lane r = load(s->r + i);
            r = pick(r > all(0.1f * KIN_SPH_NO_PART), r - all(s->level), r);
            store(s->r + i, r);
            judge(f, s, i, at, r, load(s->k + i), &t);
        }
    }
    return sums_of(&t);
}

void KIN_KERNEL(kin_sph_direction)(const kin_sph* f, const kin_sph_descent* s, size_t begin, size_t end)
{
    for (size_t block = begin; block < end; ++block) {
        for (int at = 0; at < 8; at += LANES) {
            size_t i = 8 * block + (size_t)at;
            lane d = scaled_residual(f, s, i, load(s->r + i), load(s->k + i));
            if (s->beta != 0) d += all(s->beta) * load(s->d + i);
            put_direction(f, s, i, d);
        }
    }
}

kin_sph_sums KIN_KERNEL(kin_sph_image)(const kin_sph* f, const kin_sph_descent* s, size_t begin, size_t end)
{
    tally t = {0};
    for (size_t block = begin; block < end; ++block) {
        for (int at = 0; at < 8; at += LANES) {
            size_t i = 8 * block + (size_t)at;
            lane q = all(-s->h2) * load(s->q + i);
            store(s->q + i, q);
            add_up(t.dq, at, widened(load(s->d + i)) * widened(q));
            note_level(f, s, i, at, load(s->r + i), q, &t);
        }
    }
    return sums_of(&t);
}

kin_sph_sums KIN_KERNEL(kin_sph_stride)(const kin_sph* f, const kin_sph_descent* s, size_t begin, size_t end)
{
    tally t = {0};
    lane alpha = all(s->alpha), by = all(s->aim == KIN_SPH_AIM_ORDER ? 0 : s->alpha * s->h);
    for (size_t block = begin; block < end; ++block) {
        for (int at = 0; at < 8; at += LANES) {
            size_t i = 8 * block + (size_t)at;
            lane k = load(s->k + i) + alpha * load(s->d + i), r = load(s->r + i);
            r = pick(r > all(0.1f * KIN_SPH_NO_PART), r - alpha * (load(s->q + i) - all(s->level)), r);
            store(s->k + i, k), store(s->r + i, r);
            judge(f, s, i, at, r, k, &t);
        }
        for (size_t n = 32 * block; n < 32 * block + 32; n += LANES) store(f->v4 + n, load(f->v4 + n) + by * load(s->v4_push + n));
    }
    return sums_of(&t);
}
