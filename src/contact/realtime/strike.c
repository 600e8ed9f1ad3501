/* strike.c - blows are not foretold. What a contact gave in one substep is its warm start in the next: right for loads, wrong for the impulse that stopped a
 * falling body, which one sweep takes back from a single box but not from a stack: that would be thrown up again at a third of its speed. So where bodies met
 * with a blow the warm start grows only as loads do, by the momentum of what is no blow; the rest stays in the velocities and is no part of any warm start. */
#include "contact/realtime/realtime.h"
#include <string.h>

enum { GRAIN = 64 };

/* The share of a struck contact's impulse that is no warm start. */
static double share_of(kin_rt_rows* r, uint32_t l, double growth)
{
    kin_vec3 n = kin_rt_vector(r->n, l), j_a = kin_cross(kin_rt_vector(r->arm_a, l), n), j_b = kin_cross(kin_rt_vector(r->arm_b, l), n);
    double response =
        (double)r->mass_a[l] + (double)r->mass_b[l] + kin_dot(j_a, kin_rt_turned(r->inertia_a, l, j_a)) + kin_dot(j_b, kin_rt_turned(r->inertia_b, l, j_b));
    double sum = 0, most = (double)r->carried[l] + (response > 0 ? growth / response : 0);
    for (int k = 0; k < KIN_RT_POINTS; ++k) sum += (double)r->normal[k][l];
    return sum > most ? 1 - most / sum : 0;
}

/* Into the velocity that the warm start of a body is measured from (kick of kernels.c). */
static void add_to_base(kin_realtime* rt, int32_t line, float inv_mass, kin_rt_lane* inertia, uint32_t l, kin_vec3 force, kin_vec3 moment)
{
    if (line < 0) return;
    float* base = rt->gain[line - 1].base;
    kin_vec3 v = kin_scale(force, (double)inv_mass), w = kin_rt_turned(inertia, l, moment);
    base[0] += (float)v.x, base[1] += (float)v.y, base[2] += (float)v.z;
    base[3] += (float)w.x, base[4] += (float)w.y, base[5] += (float)w.z;
}

/* What is taken of an impulse; the rest stays. */
static double take(float* impulse, double share)
{
    double taken = share * (double)*impulse;
    *impulse = (float)((double)*impulse - taken);
    return taken;
}

static void forget(kin_realtime* rt, kin_rt_rows* r, kin_rt_extra* x, uint32_t l, double share)
{
    kin_vec3 n = kin_rt_vector(r->n, l), t1 = kin_rt_vector(r->t, l), t2 = kin_cross(n, t1), arm_a = kin_rt_vector(r->arm_a, l),
             arm_b = kin_rt_vector(r->arm_b, l);
    double sum = 0, m1 = x != NULL ? take(&x->rolled[0][l], share) : 0, m2 = x != NULL ? take(&x->rolled[1][l], share) : 0;
    for (int k = 0; k < KIN_RT_POINTS; ++k) {
        double p = take(&r->normal[k][l], share);
        sum += p, m1 += (double)r->at_b[k][l] * p, m2 -= (double)r->at_a[k][l] * p;
    }
    kin_vec3 force = kin_add(kin_scale(n, sum), kin_scale(t1, take(&r->along[0][l], share)));
    force = kin_add_scaled(force, take(&r->along[1][l], share), t2);
    kin_vec3 torque = kin_add(kin_add_scaled(kin_scale(t1, m1), m2, t2), kin_scale(n, take(&r->twist[l], share)));
    add_to_base(rt, r->a[l], r->mass_a[l], r->inertia_a, l, kin_neg(force), kin_neg(kin_add(torque, kin_cross(arm_a, force))));
    add_to_base(rt, r->b[l], r->mass_b[l], r->inertia_b, l, force, kin_add(torque, kin_cross(arm_b, force)));
}

typedef struct blow_job {
    kin_realtime* rt;
    kin_rt_colour* colour;
    double growth; /* m/s */
} blow_job;

static void blow_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    const blow_job* job = argument;
    for (int64_t i = begin; i < end; ++i) {
        if (job->colour->struck[i] == 0) continue;
        kin_rt_rows* r = &job->colour->rows[i];
        kin_rt_extra* x = job->colour->flags[i] & KIN_RT_ROLLS ? &job->colour->extra[i] : NULL;
        for (uint32_t l = 0; l < KIN_RT_LANES; ++l) {
            double share = r->struck[l] > 0 ? share_of(r, l, job->growth) : 0;
            if (share > 0) forget(job->rt, r, x, l, share);
        }
    }
}

void kin_rt_forget_blows(kin_rt_step* s)
{
    for (uint32_t c = KIN_RT_OVERFLOW; c < s->rt->colour_count; ++c) {
        blow_job job = {s->rt, &s->rt->colour[c], (double)s->soft[0].strike};
        uint32_t blocks = kin_rt_blocks(s->rt, c);
        if (blocks == 0 || memchr(s->rt->colour[c].struck, 1, blocks) == NULL) continue; /* as most: not worth a loop */
        if (c == KIN_RT_OVERFLOW)
            kin_serial_for(s->step->jobs, blocks, blocks, blow_range, &job);
        else
            kin_parallel_for(s->step->jobs, blocks, GRAIN, blow_range, &job);
    }
}
