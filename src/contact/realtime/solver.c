/* solver.c - the substeps: kick, impacts, soft rows, drift, relaxed rows with friction. Colour by colour, the blocks of one side by side.
 *
 * A soft row of rate om (1/s) and damping ratio z over a substep h: with p = 2 z + h om and q = h om p the error is undone at om / p, the new impulse counts
 * q / (1 + q) and the old 1 / (1 + q). Contacts with what does not move are solved last, at twice the rate and half the damping: what rests on the ground
 * should not sink while it waits for the rest. */
#include "contact/realtime/realtime.h"
#include <string.h>

enum {
    SWEEPS_OF_IMPACTS = 24, /* rows of ten balls take as many */
    SWEEPS_OF_BLOWS = 2,
    SWEEPS_OF_PUSHES = 8,
    LITTLE = 16, /* blocks that are not worth handing over */
};

/* Blocks to a chunk: an even number of chunks, sixteen at most, none so small that handing it over costs more than it does. */
static int64_t grain_of(uint32_t blocks)
{
    const uint32_t least = 16;
    uint32_t chunks = blocks <= least ? 1 : blocks < 4 * least ? 2 : blocks / (2 * least) * 2;
    if (chunks > 16) chunks = 16;
    return (blocks + chunks - 1) / chunks;
}

typedef enum pass { WARM, IMPACT, SOFT, AGAIN, RELAX, CALM } pass;

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
    case IMPACT: job->kernels->impact(&rt->lines, rt->gain, r, x, flags, struck, count, job->soft); break;
    case SOFT: job->kernels->solve(&rt->lines, r, x, flags, struck, count, job->soft); break;
    case AGAIN: job->kernels->again(&rt->lines, r, x, flags, struck, count, job->soft); break;
    case RELAX: job->kernels->relax(&rt->lines, r, x, flags, struck, count, job->soft); break;
    case CALM: job->kernels->calm(&rt->lines, r, x, flags, struck, count, job->soft); break;
    }
}

/* ---- stages of a pass ---- */

typedef struct stage_job {
    const kin_rt_step* s;
    const kin_rt_stage* stage;
    pass pass;
} stage_job;

static colour_job colour_job_of(const stage_job* job, uint32_t colour)
{
    return (colour_job){job->s, &job->s->rt->colour[colour], &job->s->soft[kin_rt_is_static(colour)], job->s->rt->kernels, job->pass};
}

/* Nodes of a stage, each its colours one after the other. */
static void node_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const stage_job* job = argument;
    for (int64_t node = begin; node < end; ++node) {
        uint32_t first = KIN_RT_FIRST + (job->stage->node + (uint32_t)node) * KIN_RT_OF_NODE;
        for (uint32_t c = first + job->stage->begin; c < first + job->stage->end; ++c) {
            uint32_t blocks = kin_rt_blocks(job->s->rt, c);
            colour_job colour = colour_job_of(job, c);
            if (blocks > 0) colour_range(&colour, 0, blocks, chunk, scratch);
        }
    }
}

/* Nodes side by side; where there are fewer than threads, and much in them, the blocks of each colour. What comes out is the same. */
static void run_stage(kin_rt_step* s, const kin_rt_stage* stage, pass which)
{
    stage_job job = {s, stage, which};
    if (stage->nodes >= (uint32_t)s->step->jobs->scheduler.worker_count) {
        kin_parallel_for(s->step->jobs, stage->nodes, stage->blocks > LITTLE ? 1 : stage->nodes, node_range, &job);
        return;
    }
    for (uint32_t node = stage->node; node < stage->node + stage->nodes; ++node) {
        uint32_t first = KIN_RT_FIRST + node * KIN_RT_OF_NODE;
        for (uint32_t c = first + stage->begin; c < first + stage->end; ++c) {
            uint32_t blocks = kin_rt_blocks(s->rt, c);
            colour_job colour = colour_job_of(&job, c);
            if (blocks > 0) kin_parallel_for(s->step->jobs, blocks, grain_of(blocks), colour_range, &colour);
        }
    }
}

/* Overflow first, one after the other: by the kernels of one lane, which go through a block in order. Then the levels, and the static colours last. */
static void run_pass(kin_rt_step* s, pass which)
{
    uint32_t blocks = kin_rt_blocks(s->rt, KIN_RT_OVERFLOW);
    colour_job job = {s, &s->rt->colour[KIN_RT_OVERFLOW], &s->soft[0], &kin_rt_kernels_none, which};
    if (blocks > 0) kin_serial_for(s->step->jobs, blocks, blocks, colour_range, &job);
    for (int i = 0; i < KIN_RT_LEVELS + 1; ++i) {
        if (s->stage[i].blocks > 0) run_stage(s, &s->stage[i], which);
    }
}

static kin_rt_stage stage_of(const kin_realtime* rt, uint32_t level, uint32_t begin, uint32_t count)
{
    kin_rt_stage stage = {.node = kin_rt_level_first(level), .begin = begin, .end = begin};
    if (rt->leaf == KIN_RT_NONE)
        stage.nodes = level == 0;
    else
        stage.nodes = KIN_RT_LEAVES >> level;
    for (uint32_t i = 0; i < stage.nodes; ++i) {
        uint32_t first = KIN_RT_FIRST + (stage.node + i) * KIN_RT_OF_NODE;
        for (uint32_t c = begin; c < begin + count; ++c) {
            uint32_t blocks = kin_rt_blocks(rt, first + c);
            if (blocks > 0 && stage.end <= c) stage.end = c + 1;
            stage.blocks += blocks;
        }
    }
    return stage;
}

static void plan_stages(kin_rt_step* s)
{
    for (uint32_t level = 0; level < KIN_RT_LEVELS; ++level) s->stage[level] = stage_of(s->rt, level, 0, KIN_RT_DYNAMIC);
    s->stage[KIN_RT_LEVELS] = stage_of(s->rt, 0, KIN_RT_DYNAMIC, KIN_RT_STATIC);
}

static bool any_contact_struck(const kin_realtime* rt)
{
    for (uint32_t c = KIN_RT_OVERFLOW; c < rt->colour_count; ++c) {
        uint32_t blocks = kin_rt_blocks(rt, c);
        if (blocks > 0 && memchr(rt->colour[c].struck, 1, blocks) != NULL) return true;
    }
    return false;
}

static bool any_struck(const kin_realtime* rt) { return rt->joints_struck || any_contact_struck(rt); }

/* Impacts, one after the other, until no contact that bounces comes fast; what still does after that many is stopped. */
static void solve_impacts(kin_rt_step* s)
{
    for (int k = 0; k < SWEEPS_OF_IMPACTS; ++k) {
        run_pass(s, IMPACT);
        if (!any_contact_struck(s->rt)) return;
    }
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
    for (uint32_t c = KIN_RT_OVERFLOW; c < s->rt->colour_count; ++c) {
        const float most = -s->soft[kin_rt_is_static(c)].deep;
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
    for (uint32_t c = KIN_RT_OVERFLOW; c < rt->colour_count; ++c) {
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
    plan_stages(s);
    const bool bounces = any_bounces(s->rt);
    const int pushes = any_deep(s) ? SWEEPS_OF_PUSHES : 0;
    for (int k = 0; k < s->substeps; ++k) {
        kin_rt_kick(s, k == 0);
        if (k == 0) {
            kin_rt_joints_pass(s, KIN_RT_JOINT_WARM);
            run_pass(s, WARM);
        }
        if (bounces) solve_impacts(s);
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
        kin_rt_report_substep(s);
        kin_rt_forget_blows(s);
    }
}
