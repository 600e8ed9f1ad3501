/* gravity.c - the methods behind gravity.h: checks, dispatch, energy, state. */
#include "system/gravity/gravity.h"
#include "base/alloc.h"
#include "base/error.h"
#include "math/scalar.h"
#include "system/gravity/local.h"
#include <string.h>

enum {
    DIRECT_GRAIN = 64,
    TASKS = 64, /* a task has 1/64 of the bodies at most */
    LEAST_TASK = 256,
};

/* Targets that are not split, in bodies: they share a list, or a series. 64 by default: leaves of a few bodies would be worth a series each, but fill no lanes. */
static uint32_t group_of(const kin_gravity_def* def) { return 8 * def->leaf / 3; }

/* Without knowing |a| beforehand the openings must be tighter. */
static const double unsteered[3] = {0.55, 0.30, 0.45};

struct kin_gravity {
    kin_allocator allocator;
    kin_gravity_def def;
    kin_gravity_tree tree;
    kin_gravity_tasks tasks;
    kin_gravity_sum sum;
    uint32_t* groups;
    size_t group_count, group_capacity;
    double* history; /* |a| of each body of the last multipole walk */
    size_t history_count, history_capacity;
    double* energies;
    size_t energy_capacity;
    float* single; /* four arrays, of single direct sums */
    size_t single_capacity;
    uint32_t* asked; /* as in kin_gravity_sum */
    size_t asked_capacity;
};

static const kin_gravity_kernels kernels[KIN_SIMD_COUNT] = {
    {kin_gravity_direct_none, kin_gravity_direct_single_none, kin_gravity_group_none, kin_gravity_plan_none, kin_gravity_run_none},
    {kin_gravity_direct_sse2, kin_gravity_direct_single_sse2, kin_gravity_group_sse2, kin_gravity_plan_sse2, kin_gravity_run_sse2},
    {kin_gravity_direct_avx2, kin_gravity_direct_single_avx2, kin_gravity_group_avx2, kin_gravity_plan_avx2, kin_gravity_run_avx2},
};

/* ---- life ---- */

kin_gravity_def kin_gravity_def_default(void)
{
    return (kin_gravity_def){.method = KIN_GRAVITY_FMM,
                             .constant = KIN_GRAVITY_CONSTANT,
                             .theta = 0.5,
                             .opening = 0.85,
                             .opening_target = 0.50,
                             .tolerance = 5e-4,
                             .opening_body = 0.50,
                             .leaf = 24,
                             .direct_below = 2048};
}

static kin_result check_between(kin_error* error, const char* name, double value, double low, double high)
{
    if (value > low && value <= high) return KIN_OK;
    return kin_fail(error, KIN_ERROR_ARGUMENT, name, "%g must be > %g and <= %g", value, low, high);
}

static kin_result check_def(const kin_gravity_def* def, kin_error* error)
{
    kin_result result = KIN_OK;
    if ((unsigned)def->method > KIN_GRAVITY_FMM) return kin_fail(error, KIN_ERROR_ARGUMENT, "method", "%d is no method of gravity", (int)def->method);
    if (!kin_finite(def->constant)) return kin_fail(error, KIN_ERROR_ARGUMENT, "constant", "must be finite (m^3/(kg s^2))");
    if (!(def->softening >= 0 && kin_finite(def->softening))) return kin_fail(error, KIN_ERROR_ARGUMENT, "softening", "%g must be >= 0 (m)", def->softening);
    if (!(def->tolerance >= 0 && kin_finite(def->tolerance))) return kin_fail(error, KIN_ERROR_ARGUMENT, "tolerance", "%g must be >= 0", def->tolerance);
    if (def->leaf < 1 || def->leaf > 1024) return kin_fail(error, KIN_ERROR_ARGUMENT, "leaf", "%u must be 1 to 1024", (unsigned)def->leaf);
    if (result == KIN_OK) result = check_between(error, "theta", def->theta, 0, 1);
    if (result == KIN_OK) result = check_between(error, "opening", def->opening, 0, 0.95);
    if (result == KIN_OK) result = check_between(error, "opening_target", def->opening_target, 0, 0.95);
    if (result == KIN_OK) result = check_between(error, "opening_body", def->opening_body, 0, 0.95);
    return result;
}

static void fill_order(uint64_t order[256], uint8_t ones[256])
{
    for (unsigned bits = 0; bits < 256; ++bits) {
        unsigned place = 0;
        order[bits] = 0;
        for (unsigned k = 0; k < 8; ++k) {
            if ((bits >> k & 1) != 0) order[bits] |= (uint64_t)k << (8 * place++);
        }
        ones[bits] = (uint8_t)place;
    }
}

kin_result kin_gravity_create(const kin_allocator* allocator, const kin_gravity_def* def, kin_gravity** self, kin_error* error)
{
    *self = NULL;
    kin_result result = check_def(def, error);
    if (result != KIN_OK) return result;
    kin_gravity* g = kin_alloc_zero(allocator, sizeof *g);
    if (g == NULL) return kin_fail_memory(error, "gravity", sizeof *g);
    g->allocator = g->tree.allocator = g->tasks.allocator = *allocator;
    g->def = *def;
    fill_order(g->sum.order, g->sum.ones);
    *self = g;
    return KIN_OK;
}

void kin_gravity_destroy(kin_gravity* g)
{
    if (g == NULL) return;
    const kin_allocator allocator = g->allocator;
    kin_gravity_tree_term(&g->tree);
    kin_free(&allocator, g->tasks.items, g->tasks.capacity * sizeof *g->tasks.items);
    kin_free(&allocator, g->tasks.pool, g->tasks.pool_capacity * sizeof *g->tasks.pool);
    kin_free(&allocator, g->groups, g->group_capacity * sizeof *g->groups);
    kin_free(&allocator, g->history, g->history_capacity * sizeof *g->history);
    kin_free(&allocator, g->energies, g->energy_capacity * sizeof *g->energies);
    kin_free(&allocator, g->single, g->single_capacity * sizeof *g->single);
    kin_free(&allocator, g->asked, g->asked_capacity * sizeof *g->asked);
    kin_free(&allocator, g, sizeof *g);
}

/* ---- one call ---- */

typedef struct gravity_job {
    kin_gravity* gravity;
    const kin_gravity_kernels* kernels;
    kin_gravity_lists_fn* lists;
    double theta;
} gravity_job;

static gravity_job begin_sum(kin_gravity* g, const kin_mutual_cloud* cloud)
{
    kin_gravity_sum* s = &g->sum;
    s->tree = &g->tree;
    s->cloud = cloud;
    s->constant = g->def.constant;
    s->softening = g->def.softening;
    s->history = s->potential = NULL;
    s->asked = NULL;
    s->quadrupole = false;
    atomic_store(&s->pairs, 0);
    atomic_store(&s->cells, 0);
    atomic_store(&s->expansions, 0);
    atomic_store(&s->coincident, 0);
    atomic_store(&s->failed, false);
    return (gravity_job){.gravity = g, .kernels = &kernels[cloud->simd], .theta = g->def.theta};
}

static kin_result end_sum(kin_gravity* g, bool ok, kin_error* error)
{
    if (ok && !atomic_load(&g->sum.failed)) return KIN_OK;
    return kin_fail(error, KIN_ERROR_MEMORY, "gravity", "no memory for %u bodies", (unsigned)g->tree.count);
}

static void over(kin_gravity* g, int64_t n, int64_t grain, kin_range_fn* fn, gravity_job* job)
{
    kin_gravity_for(g->sum.cloud->jobs, &g->allocator, n, grain, fn, job);
}

/* ---- direct ---- */

static void direct_chunk(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const gravity_job* job = argument;
    (void)chunk, (void)scratch;
    job->kernels->direct(&job->gravity->sum, begin, end);
}

static void evaluate_direct(kin_gravity* g, gravity_job* job)
{
    uint32_t n = g->sum.cloud->active != NULL ? g->sum.cloud->active_count : g->tree.count;
    over(g, n, DIRECT_GRAIN, direct_chunk, job);
    uint64_t hits = atomic_load(&g->sum.coincident);                     /* with softening none; without, each body hit itself */
    atomic_store(&g->sum.coincident, hits > n ? (hits - n + 1) / 2 : 0); /* a pair of which one is asked for is met once */
}

static void single_chunk(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const gravity_job* job = argument;
    kin_gravity* g = job->gravity;
    size_t row = (size_t)g->tree.count + KIN_GRAVITY_PAD;
    (void)chunk, (void)scratch;
    job->kernels->direct_single(&g->sum, (const float* const[4]){g->single, g->single + row, g->single + 2 * row, g->single + 3 * row}, begin, end);
}

static bool evaluate_single(kin_gravity* g, gravity_job* job)
{
    size_t n = g->tree.count, row = n + KIN_GRAVITY_PAD;
    const kin_mutual_cloud* c = g->sum.cloud;
    if (!kin_reserve(&g->allocator, (void**)&g->single, &g->single_capacity, 4 * row, sizeof *g->single)) return false;
    memset(g->single, 0, 4 * row * sizeof *g->single);
    for (size_t i = 0; i < n; ++i) {
        for (size_t axis = 0; axis < 3; ++axis) g->single[axis * row + i] = (float)((c->x[axis][i] - g->tree.centre[axis]) / g->tree.side);
        g->single[3 * row + i] = (float)(c->mass[i] / g->tree.mass_unit);
    }
    over(g, (int64_t)n, DIRECT_GRAIN, single_chunk, job);
    return true;
}

/* ---- whom the tree is asked for ---- */

/* After the sort: marks by number in the cloud, then sums in tree order. */
static bool find_asked(kin_gravity* g)
{
    const kin_mutual_cloud* c = g->sum.cloud;
    size_t n = c->count;
    if (c->active == NULL || g->sum.potential != NULL) return true;
    if (!kin_reserve(&g->allocator, (void**)&g->asked, &g->asked_capacity, 2 * n + 1, sizeof *g->asked)) return false;
    uint32_t* marks = g->asked + n + 1;
    memset(marks, 0, n * sizeof *marks);
    for (uint32_t i = 0; i < c->active_count; ++i) marks[c->active[i]] = 1;
    g->asked[0] = 0;
    for (size_t i = 0; i < n; ++i) g->asked[i + 1] = g->asked[i] + marks[g->tree.id[i]];
    g->sum.asked = g->asked;
    return true;
}

/* ---- groups with lists ---- */

static bool add_group(kin_gravity* g, uint32_t node)
{
    if (!kin_reserve(&g->allocator, (void**)&g->groups, &g->group_capacity, g->group_count + 1, sizeof *g->groups)) return false;
    g->groups[g->group_count++] = node;
    return true;
}

/* The biggest cells of up to `most` bodies, in the order of the bodies. */
static bool find_groups(kin_gravity* g, uint32_t at, uint32_t most)
{
    const kin_gravity_node* n = &g->tree.nodes[at];
    if (!kin_gravity_is_asked(&g->sum, n)) return true;
    if (n->count <= most || n->child_count == 0) return add_group(g, at);
    for (uint32_t c = n->child; c < n->child + n->child_count; ++c) {
        if (!find_groups(g, c, most)) return false;
    }
    return true;
}

static void group_chunk(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const gravity_job* job = argument;
    kin_gravity* g = job->gravity;
    size_t room = kin_bytes(g->tree.node_count, sizeof(uint32_t));
    kin_gravity_lists lists = {.cells = kin_arena_take(scratch, room), .near = kin_arena_take(scratch, room)};
    (void)chunk;
    if (lists.cells == NULL || lists.near == NULL) {
        atomic_store(&g->sum.failed, true);
        return;
    }
    for (int64_t i = begin; i < end; ++i) {
        job->lists(&g->tree, g->groups[i], job->theta, &lists);
        kin_arena_mark mark = kin_arena_begin(scratch);
        job->kernels->group(&g->sum, g->groups[i], &lists, scratch);
        kin_arena_end(scratch, mark);
    }
}

static bool evaluate_groups(kin_gravity* g, gravity_job* job, kin_gravity_lists_fn* lists, uint32_t most)
{
    job->lists = lists;
    g->group_count = 0;
    if (!find_asked(g)) return false;
    for (uint32_t i = g->tree.level[0]; i < g->tree.level[1]; ++i) {
        if (!find_groups(g, i, most)) return false;
    }
    over(g, (int64_t)g->group_count, 16, group_chunk, job);
    return true;
}

static bool evaluate_tree(kin_gravity* g, gravity_job* job, kin_gravity_lists_fn* lists, uint32_t most)
{
    if (!kin_gravity_tree_build(&g->tree, g->sum.cloud, g->def.leaf, NULL, 1)) return false;
    return evaluate_groups(g, job, lists, most);
}

/* ---- multipoles ---- */

static void plan_chunk(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const gravity_job* job = argument;
    (void)begin, (void)end, (void)chunk;
    job->kernels->plan(&job->gravity->sum, &job->gravity->tasks, scratch);
}

static void task_chunk(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const gravity_job* job = argument;
    (void)end, (void)chunk;
    job->kernels->run(&job->gravity->sum, &job->gravity->tasks, (size_t)begin, scratch);
}

static void set_openings(kin_gravity* g, bool steered)
{
    const double asked[3] = {g->def.opening, g->def.opening_target, g->def.opening_body};
    for (int k = 0; k < 3; ++k) g->sum.opening[k] = steered ? asked[k] : kin_min(asked[k], unsteered[k]);
    g->sum.opening[3] = steered ? g->def.tolerance : 0;
}

static bool evaluate_multipoles(kin_gravity* g, gravity_job* job)
{
    uint32_t n = g->tree.count;
    bool steered = g->def.tolerance > 0 && g->history_count == n;
    double unit = g->def.constant * g->tree.mass_unit / g->tree.side / g->tree.side;
    steered = steered && kin_abs(unit) > 0;
    if (!kin_reserve(&g->allocator, (void**)&g->history, &g->history_capacity, n, sizeof *g->history)) return false;
    if (!kin_gravity_tree_build(&g->tree, g->sum.cloud, g->def.leaf, steered ? g->history : NULL, unit) || !find_asked(g)) return false;
    set_openings(g, steered);
    g->sum.group = group_of(&g->def);
    g->sum.history = g->history;
    g->tasks.limit = n / TASKS > LEAST_TASK ? n / TASKS : LEAST_TASK;
    over(g, 1, 1, plan_chunk, job);
    if (atomic_load(&g->sum.failed)) return false;
    bool whole = g->sum.asked == NULL || g->history_count == n; /* who is not asked for keeps what he had */
    g->history_count = 0;                                       /* until all are written */
    over(g, (int64_t)g->tasks.count, 1, task_chunk, job);
    g->history_count = whole && !atomic_load(&g->sum.failed) ? n : 0;
    return true;
}

/* ---- the interface ---- */

static bool evaluate_by_method(kin_gravity* g, gravity_job* job)
{
    const kin_gravity_def* def = &g->def;
    bool few = g->tree.count <= def->direct_below;
    g->tree.node_count = 0;
    if (def->method == KIN_GRAVITY_DIRECT && def->single && !few && g->sum.cloud->active == NULL) return evaluate_single(g, job);
    if (def->method == KIN_GRAVITY_DIRECT || few) {
        evaluate_direct(g, job);
        return true;
    }
    switch (def->method) {
    case KIN_GRAVITY_GRID: return kin_gravity_grid_build(&g->tree, g->sum.cloud) && evaluate_groups(g, job, kin_gravity_lists_grid, UINT32_MAX);
    case KIN_GRAVITY_TREE_QUADRUPOLE: g->sum.quadrupole = true; return evaluate_tree(g, job, kin_gravity_lists_opening, group_of(&g->def));
    case KIN_GRAVITY_TREE_ADJACENCY: return evaluate_tree(g, job, kin_gravity_lists_adjacency, 0);
    case KIN_GRAVITY_FMM: return evaluate_multipoles(g, job);
    default: return evaluate_tree(g, job, kin_gravity_lists_opening, group_of(&g->def));
    }
}

kin_result kin_gravity_evaluate(kin_gravity* g, const kin_mutual_cloud* cloud, kin_error* error)
{
    gravity_job job = begin_sum(g, cloud);
    kin_result result = kin_gravity_measure(&g->tree, cloud, error);
    if (result != KIN_OK || cloud->count == 0 || (cloud->active != NULL && cloud->active_count == 0)) return result;
    bool ok = evaluate_by_method(g, &job);
    if (ok && g->tree.node_count > 0 && g->def.softening == 0) atomic_store(&g->sum.coincident, kin_gravity_tree_coincident(&g->tree));
    return end_sum(g, ok, error);
}

/* ---- energy ---- */

static void energy_chunk(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const gravity_job* job = argument;
    const kin_gravity* g = job->gravity;
    const kin_mutual_cloud* c = g->sum.cloud;
    double e2 = kin_square(g->def.softening);
    (void)chunk, (void)scratch;
    for (int64_t i = begin; i < end; ++i) {
        double sum = 0;
        for (int64_t j = 0; j < i; ++j) {
            double r2 = kin_square(c->x[0][j] - c->x[0][i]) + kin_square(c->x[1][j] - c->x[1][i]) + kin_square(c->x[2][j] - c->x[2][i]) + e2;
            if (r2 > 1e-200) sum -= c->mass[j] / kin_sqrt(r2); /* as the force does */
        }
        g->energies[i] = g->def.constant * c->mass[i] * sum;
    }
}

static bool energies_by_tree(kin_gravity* g, gravity_job* job)
{
    job->theta = kin_min(g->def.theta, 0.5);
    g->sum.quadrupole = true;
    g->sum.potential = g->energies;
    return evaluate_tree(g, job, kin_gravity_lists_opening, group_of(&g->def));
}

kin_result kin_gravity_potential(kin_gravity* g, const kin_mutual_cloud* cloud, double* energy, kin_error* error)
{
    gravity_job job = begin_sum(g, cloud);
    *energy = 0;
    kin_result result = kin_gravity_measure(&g->tree, cloud, error);
    if (result != KIN_OK || cloud->count == 0) return result;
    if (!kin_reserve(&g->allocator, (void**)&g->energies, &g->energy_capacity, cloud->count, sizeof *g->energies)) return end_sum(g, false, error);
    bool ok = true;
    if (cloud->count <= g->def.direct_below)
        over(g, cloud->count, DIRECT_GRAIN, energy_chunk, &job);
    else
        ok = energies_by_tree(g, &job);
    result = end_sum(g, ok, error);
    if (result == KIN_OK) *energy = kin_sum(g->energies, cloud->count);
    return result;
}

uint64_t kin_gravity_coincident(const kin_gravity* g) { return atomic_load(&g->sum.coincident); }

kin_gravity_stats kin_gravity_statistics(const kin_gravity* g)
{
    size_t bytes = sizeof *g + g->tree.body_bytes + g->tree.walk_bytes + g->tree.node_capacity * sizeof *g->tree.nodes;
    bytes += g->tasks.capacity * sizeof *g->tasks.items + (g->tasks.pool_capacity + g->group_capacity + g->asked_capacity) * sizeof(uint32_t);
    bytes += (g->history_capacity + g->energy_capacity) * sizeof(double) + g->single_capacity * sizeof(float);
    return (kin_gravity_stats){atomic_load(&g->sum.pairs), atomic_load(&g->sum.cells), atomic_load(&g->sum.expansions), g->tree.node_count, bytes};
}

void kin_gravity_visit(kin_gravity* g, kin_visitor* v)
{
    size_t n = kin_visit_count(v, g->history_count);
    if (v->mode == KIN_VISIT_LOAD && !kin_reserve(&g->allocator, (void**)&g->history, &g->history_capacity, n, sizeof *g->history)) {
        kin_visit_fail(v, KIN_ERROR_MEMORY);
        return;
    }
    g->history_count = n;
    kin_visit_f64s(v, g->history, n);
}
