/* solver.c - the substeps: kick, soft rows, drift, relaxed rows with friction. Colour by colour, the blocks of one side by side.
 *
 * A soft row of rate om (1/s) and damping ratio z over a substep h: with p = 2 z + h om and q = h om p the error is undone at om / p, the new impulse counts
 * q / (1 + q) and the old 1 / (1 + q). Contacts with what does not move are solved last, at twice the rate and half the damping: what rests on the ground
 * should not sink while it waits for the rest. */
#include "contact/realtime/realtime.h"
#include <string.h>

enum { SWEEPS_OF_BLOWS = 2, SWEEPS_OF_PUSHES = 8 };

/* Blocks to a chunk: an even number of chunks, sixteen at most, none so small that handing it over costs more than it does. */
static int64_t grain_of(uint32_t blocks)
{
    const uint32_t least = 8;
    uint32_t chunks = blocks <= least ? 1 : blocks < 4 * least ? 2 : blocks / (2 * least) * 2;
    if (chunks > 16) chunks = 16;
    return (blocks + chunks - 1) / chunks;
}

typedef enum pass { WARM, SOFT, AGAIN, RELAX, CALM, BOUNCE } pass;

typedef struct colour_job {
    const kin_rt_step* s;
    kin_rt_colour* colour;
    const kin_rt_soft* soft;
    const kin_rt_kernels* kernels;
    pass pass;
} colour_job;

static void colour_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    const colour_job* job = argument;
    const kin_realtime* rt = job->s->rt;
    kin_rt_rows* r = job->colour->rows + begin;
    kin_rt_extra* x = job->colour->extra != NULL ? job->colour->extra + begin : NULL; /* not looked at where flags are 0 */
    const uint8_t* flags = job->colour->flags + begin;
    uint8_t* struck = job->colour->struck + begin;
    int count = (int)(end - begin);
    switch (job->pass) {
    case WARM: job->kernels->warm(&rt->lines, r, x, flags, count); break;
    case SOFT: job->kernels->solve(&rt->lines, r, x, flags, struck, count, job->soft); break;
    case AGAIN: job->kernels->again(&rt->lines, r, x, flags, struck, count, job->soft); break;
    case RELAX: job->kernels->relax(&rt->lines, r, x, flags, struck, count, job->soft); break;
    case CALM: job->kernels->calm(&rt->lines, r, x, flags, struck, count, job->soft); break;
    case BOUNCE: job->kernels->bounce(&rt->lines, r, x, flags, count, (float)rt->group->def.bounce_speed); break;
    }
}

/* Overflow first, one after the other: by the kernels of one lane, which go through a block in order. Then the colours, the static ones last. */
static void run_pass(kin_rt_step* s, pass which)
{
    for (int k = 0; k < KIN_RT_DIRECT; ++k) {
        int c = k == 0 ? KIN_RT_OVERFLOW : k - 1;
        uint32_t blocks = kin_rt_blocks(s->rt, c);
        if (blocks == 0) continue;
        bool is_static = c >= KIN_RT_DYNAMIC && c < KIN_RT_OVERFLOW;
        colour_job job = {s, &s->rt->colour[c], &s->soft[is_static], c == KIN_RT_OVERFLOW ? &kin_rt_kernels_none : s->rt->kernels, which};
        if (c == KIN_RT_OVERFLOW)
            kin_serial_for(s->step->jobs, blocks, blocks, colour_range, &job);
        else
            kin_parallel_for(s->step->jobs, blocks, grain_of(blocks), colour_range, &job);
    }
}

static bool any_struck(const kin_realtime* rt)
{
    if (rt->joints_struck) return true;
    for (int c = 0; c < KIN_RT_DIRECT; ++c) {
        uint32_t blocks = kin_rt_blocks(rt, c);
        if (blocks > 0 && memchr(rt->colour[c].struck, 1, blocks) != NULL) return true;
    }
    return false;
}

/* A blow goes from body to body, one a sweep: those that it struck are solved again before anything moves, or heaps give way where much comes down. */
static void solve_blows(kin_rt_step* s)
{
    for (int k = 1; k <= SWEEPS_OF_BLOWS && any_struck(s->rt); ++k) {
        s->soft[0].sweep = s->soft[1].sweep = s->joint_soft.sweep = (float)k;
        kin_rt_joints_pass(s, KIN_RT_JOINT_AGAIN);
        run_pass(s, AGAIN);
    }
    if (any_struck(s->rt)) kin_rt_shocks(s, false);
    s->soft[0].sweep = s->soft[1].sweep = s->joint_soft.sweep = 0;
    s->rt->joints_struck = false;
}

/* Whether anything overlapped deeply as the interval began. */
static bool any_deep(const kin_rt_step* s)
{
    for (int c = 0; c < KIN_RT_DIRECT; ++c) {
        const float most = -s->soft[c >= KIN_RT_DYNAMIC && c < KIN_RT_OVERFLOW].deep;
        const uint32_t blocks = kin_rt_blocks(s->rt, c);
        for (uint32_t i = 0; i < blocks; ++i) {
            const float* start = s->rt->colour[c].rows[i].start[0];
            for (int k = 0; k < KIN_RT_POINTS * KIN_RT_LANES; ++k) {
                if (start[k] < most) return true;
            }
        }
    }
    return false;
}

static bool any_bounces(const kin_realtime* rt)
{
    for (int c = 0; c < KIN_RT_DIRECT; ++c) {
        uint32_t blocks = kin_rt_blocks(rt, c);
        for (uint32_t i = 0; i < blocks; ++i) {
            if (rt->colour[c].flags[i] & KIN_RT_BOUNCES) return true;
        }
    }
    return false;
}

void kin_rt_substeps(kin_rt_step* s)
{
    s->rt->shaken.count = s->rt->shaken_first.count = 0;
    const int pushes = any_deep(s) ? SWEEPS_OF_PUSHES : 0;
    for (int k = 0; k < s->substeps; ++k) {
        kin_rt_kick(s, k == 0);
        if (k == 0) {
            kin_rt_joints_pass(s, KIN_RT_JOINT_WARM);
            run_pass(s, WARM);
        }
        kin_rt_joints_pass(s, KIN_RT_JOINT_SOFT);
        run_pass(s, SOFT);
        solve_blows(s);
        kin_rt_blocks_solve(s);
        kin_rt_drift(s);
        kin_rt_joints_pass(s, KIN_RT_JOINT_RELAX);
        run_pass(s, RELAX);
        for (int i = 0; i < pushes; ++i) run_pass(s, CALM); /* or a clump that overlaps is thrown apart */
        if (any_struck(s->rt)) kin_rt_shocks(s, true);
        kin_rt_blocks_relax(s, k + 1 == s->substeps);
        kin_rt_forget_blows(s);
    }
    if (any_bounces(s->rt)) run_pass(s, BOUNCE);
}
