/* blocks.c - one interval of leapfrog with a step for each particle. Time is counted in ticks of h / 2^max_levels. */
#include "domains/particles/blocks.h"
#include "base/alloc.h"
#include "math/gyration.h"
#include <string.h>

enum { STILL = 255, LEVELS = 21 };

typedef struct interval {
    const kin_blocks* def;
    double t, h;
    uint32_t ticks, now;
    double *y, *dydt;  /* state and rates that forces see */
    double *v, *a, *w; /* m/s half a step on; m/s^2 and rad/s where the step began. w NULL: nothing turns */
    uint8_t* level;    /* of each particle; STILL: held */
    uint32_t* active;  /* whose step ends now */
    uint32_t active_count;
    uint32_t used[LEVELS]; /* particles of each level */
} interval;

static uint32_t step_of(const interval* b, int level) { return b->ticks >> level; }
static double seconds(const interval* b, double ticks) { return b->h * (ticks / b->ticks); }

/* ---- levels ---- */

static bool is_still(const interval* b, const double* dydt0, int i)
{
    int n = b->def->n;
    bool follows = true;
    for (int axis = 0; axis < 3; ++axis) follows = follows && dydt0[axis * n + i] == b->v[axis * n + i];
    return !follows;
}

static int level_for(const interval* b, int i)
{
    int n = b->def->n, level = 0;
    double size = kin_sqrt(kin_square(b->a[i]) + kin_square(b->a[n + i]) + kin_square(b->a[2 * n + i]));
    double longest = size > 0 ? b->def->accuracy * kin_sqrt(b->def->length / size) : b->h;
    for (double h = b->h; h > longest && level < b->def->max_levels; h *= 0.5) ++level;
    return level;
}

/* Shorter steps may begin anywhere, longer ones where they would have begun anyway. */
static void choose_level(interval* b, uint32_t i)
{
    int level = level_for(b, (int)i);
    while (b->now % step_of(b, level) != 0) ++level;
    b->level[i] = (uint8_t)level;
    b->used[level] += 1;
}

/* ---- kick, drift, kick ---- */

static kin_vec3 get3(const double* from, int n, int i) { return (kin_vec3){from[i], from[n + i], from[2 * n + i]}; }

static void put3(double* to, int n, int i, kin_vec3 v)
{
    to[i] = v.x;
    to[n + i] = v.y;
    to[2 * n + i] = v.z;
}

/* Half of what velocities turn in their steps: before the first kick of a step, and after its last. */
static void turn(interval* b)
{
    int n = b->def->n;
    for (uint32_t k = 0; b->w != NULL && k < b->active_count; ++k) {
        int i = (int)b->active[k];
        put3(b->v, n, i, kin_gyrate_half(get3(b->v, n, i), get3(b->w, n, i), seconds(b, step_of(b, b->level[i]))));
    }
}

/* Half a step's worth of acceleration. */
static void kick(interval* b)
{
    int n = b->def->n;
    for (uint32_t k = 0; k < b->active_count; ++k) {
        uint32_t i = b->active[k];
        double half = seconds(b, 0.5 * step_of(b, b->level[i]));
        for (int axis = 0; axis < 3; ++axis) b->v[axis * n + (int)i] += half * b->a[axis * n + (int)i];
    }
}

/* All, to where the next step ends. */
static void drift(interval* b)
{
    int n = b->def->n, finest = b->def->max_levels;
    while (finest > 0 && b->used[finest] == 0) --finest;
    uint32_t from = b->now, step = step_of(b, finest);
    b->now = (from / step + 1) * step;
    double h = seconds(b, b->now - from);
    for (int i = 0; i < n; ++i) {
        if (b->level[i] == STILL) continue;
        uint32_t own = step_of(b, b->level[i]), began = from / own * own;
        double late = seconds(b, (double)b->now - (began + 0.5 * own)); /* since the velocity's time */
        for (int k = i; k < 3 * n; k += n) {
            b->y[k] += h * b->v[k];
            b->y[3 * n + k] = b->v[k] + late * b->a[k];
        }
        if (b->w != NULL) put3(b->y + 3 * n, n, i, kin_gyrate(get3(b->y + 3 * n, n, i), get3(b->w, n, i), late));
    }
}

static void find_active(interval* b)
{
    b->active_count = 0;
    for (int i = 0; i < b->def->n; ++i) {
        if (b->level[i] != STILL && b->now % step_of(b, b->level[i]) == 0) b->active[b->active_count++] = (uint32_t)i;
    }
}

static void ask_forces(interval* b)
{
    int n = b->def->n;
    bool all = b->active_count == (uint32_t)n;
    b->def->derivative(b->def->context, b->t + seconds(b, b->now), b->y, b->dydt, all ? NULL : b->active, b->active_count);
    for (uint32_t k = 0; k < b->active_count; ++k) {
        for (int axis = 0; axis < 3; ++axis) b->a[axis * n + (int)b->active[k]] = b->dydt[(3 + axis) * n + (int)b->active[k]];
        if (b->w != NULL) put3(b->w, n, (int)b->active[k], get3(b->def->gyration, n, (int)b->active[k]));
    }
}

static void end_steps(interval* b)
{
    int n = b->def->n;
    kick(b);
    turn(b);
    for (uint32_t k = 0; k < b->active_count; ++k) {
        uint32_t i = b->active[k];
        for (int axis = 0; axis < 3; ++axis) b->y[(3 + axis) * n + (int)i] = b->v[axis * n + (int)i];
        b->used[b->level[i]] -= 1;
        choose_level(b, i);
    }
}

/* ---- the interval ---- */

static bool begin(interval* b, const double* y0, const double* dydt0, double* y1, kin_arena* scratch)
{
    size_t n = (size_t)b->def->n;
    double* room = kin_arena_take(scratch, kin_bytes(n, 15 * sizeof *room));
    b->active = kin_arena_take(scratch, kin_bytes(n, sizeof *b->active));
    b->level = kin_arena_take(scratch, n);
    if (room == NULL || b->active == NULL || b->level == NULL) return false;
    b->dydt = room, b->v = room + 6 * n, b->a = room + 9 * n, b->w = b->def->gyration != NULL ? room + 12 * n : NULL;
    if (b->w != NULL) memcpy(b->w, b->def->gyration, 3 * n * sizeof *b->w);
    b->y = y1;
    memcpy(b->y, y0, 6 * n * sizeof *y0);
    memcpy(b->v, y0 + 3 * n, 3 * n * sizeof *y0);
    memcpy(b->a, dydt0 + 3 * n, 3 * n * sizeof *y0);
    for (uint32_t i = 0; i < n; ++i) {
        b->level[i] = STILL;
        if (is_still(b, dydt0, (int)i)) continue;
        choose_level(b, i);
        b->active[b->active_count++] = i;
    }
    return true;
}

static kin_integrator_report look_for_holes(const interval* b, kin_integrator_report report)
{
    for (int i = 0; i < 6 * b->def->n; ++i) {
        if (!kin_finite(b->y[i]))
            return (kin_integrator_report){.result = KIN_ERROR_NUMERICS, .steps = report.steps, .worst = i, .ratio = __builtin_inf(), .time = b->t};
    }
    return report;
}

kin_integrator_report kin_blocks_advance(const kin_blocks* def, double t, double h, const double* y0, const double* dydt0, double* y1, kin_arena* scratch)
{
    interval b = {.def = def, .t = t, .h = h, .ticks = (uint32_t)1 << def->max_levels};
    kin_integrator_report report = {.result = KIN_OK, .worst = -1, .time = t + h};
    kin_arena_mark mark = kin_arena_begin(scratch);
    if (!begin(&b, y0, dydt0, y1, scratch)) report = (kin_integrator_report){.result = KIN_ERROR_MEMORY, .worst = -1, .time = t};
    while (report.result == KIN_OK && b.now < b.ticks && b.active_count > 0) {
        turn(&b);
        kick(&b);
        drift(&b);
        find_active(&b);
        ask_forces(&b);
        end_steps(&b);
        report.steps += 1;
    }
    kin_arena_end(scratch, mark);
    return report.result == KIN_OK ? look_for_holes(&b, report) : report;
}
