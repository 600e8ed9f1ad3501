/* fmm_kernels.c - the multipole walk; built once per width. One target cell T at a time, depth first. T inherits the sources its parent could not settle and
 * tests eight at a time: far ones act on T's series, the rest are opened, left to T's children or, when T is not split further, act on its bodies.
 *
 * The walk's lists are stacked in one growing array: what T hands down begins where T's own list ends. */
#include "base/alloc.h"
#include "system/gravity/bodies.h"
#include "system/gravity/expansion.h"

enum {
    LIST = 256, /* sources gathered before they are worked off; more than 8 (DEPTH + 2) */
    FIRST_STACK = 4096,
};

typedef struct source_list {
    float *x, *y, *z, *radius, *mass;
    uint32_t* number;
} source_list;

typedef struct number_list {
    uint32_t count;
    uint32_t numbers[LIST + 2 * LANES]; /* packing writes past the end, prefetching reads there */
} number_list;

typedef struct walker {
    kin_gravity_sum* sum;
    const kin_gravity_tree* tree;
    kin_arena* scratch;
    kin_gravity_tasks* tasks; /* collecting them; NULL: working one off */
    source_list stack;
    size_t capacity;
    number_list far;   /* on the series of the target */
    number_list cells; /* on its bodies, as a whole */
    number_list near;  /* on its bodies, one by one */
    number_list open;  /* a stack: eight more per level at most */
    uint64_t expansions;
    kin_gravity_node pad; /* without mass */
    targets bodies;
} walker;

/* One target's visit. */
typedef struct visit {
    const kin_gravity_node* t;
    bool terminal;
    size_t end;                        /* of the list for its children */
    lane8 x, y, z, radius, own_radius; /* own: in units of the tree */
    lane8 inverse, inverse2;           /* 1 / side */
    lane8 opening2, nearest2, body, pull;
    float l[KIN_GRAVITY_LOCALS];
} visit;

/* ---- stack ---- */

static source_list list_at(source_list l, size_t k) { return (source_list){l.x + k, l.y + k, l.z + k, l.radius + k, l.mass + k, l.number + k}; }

static bool grow_stack(walker* w, size_t used, size_t wanted)
{
    if (wanted + LANES <= w->capacity) return true;
    size_t capacity = w->capacity * 2 > wanted + LANES ? w->capacity * 2 : wanted + LANES;
    capacity = (capacity + FIRST_STACK - 1) / FIRST_STACK * FIRST_STACK;
    float* memory = kin_arena_take(w->scratch, kin_bytes(capacity, 6 * sizeof(float)));
    if (memory == NULL) {
        atomic_store(&w->sum->failed, true);
        return false;
    }
    source_list to = {memory, memory + capacity, memory + 2 * capacity, memory + 3 * capacity, memory + 4 * capacity, (uint32_t*)(memory + 5 * capacity)};
    if (used > 0) {
        memcpy(to.x, w->stack.x, used * sizeof(float));
        memcpy(to.y, w->stack.y, used * sizeof(float));
        memcpy(to.z, w->stack.z, used * sizeof(float));
        memcpy(to.radius, w->stack.radius, used * sizeof(float));
        memcpy(to.mass, w->stack.mass, used * sizeof(float));
        memcpy(to.number, w->stack.number, used * sizeof(uint32_t));
    }
    w->stack = to, w->capacity = capacity;
    return true;
}

/* ---- far cells ---- */

static const kin_gravity_node* node_at(const walker* w, uint32_t number) { return &w->tree->nodes[number & ~KIN_GRAVITY_LEAF]; }

static void work_off_far(walker* w, visit* v)
{
    const kin_gravity_node* t = v->t;
    double inverse = 1 / (double)t->side;
    lane8 e2 = all8(softening_in(w->sum->softening / w->tree->side, t->side));
    series_sums sums;
    memset(&sums, 0, sizeof sums);
    w->pad.x = t->x + t->side, w->pad.y = t->y, w->pad.z = t->z;
    for (uint32_t k = 0; k < w->far.count; k += LANES) {
        const kin_gravity_node* from[LANES];
        for (uint32_t i = 0; i < LANES; ++i) from[i] = node_at(w, w->far.numbers[k + i]);
        for (uint32_t i = w->far.count - k; i < LANES; ++i) from[i] = &w->pad;
        for (uint32_t i = 0; i < LANES; ++i) __builtin_prefetch(node_at(w, w->far.numbers[k + LANES + i]));
        add_eight(&sums, t, from, inverse, e2);
    }
    merge_sums(&sums, v->l);
    w->expansions += w->far.count;
    w->far.count = 0;
}

/* ---- near cells ---- */

/* On the bodies of a target that is not split: cells as wholes, leaves body by body. */
static void work_off_near(walker* w)
{
    for (uint32_t k = 0; k < w->cells.count; ++k) add_cell(&w->bodies, node_at(w, w->cells.numbers[k]));
    for (uint32_t k = 0; k < w->near.count; ++k) {
        const kin_gravity_node* s = node_at(w, w->near.numbers[k]);
        add_bodies(&w->bodies, s->begin, s->begin + s->count);
    }
    w->cells.count = w->near.count = 0;
}

/* ---- tests ---- */

/* Appends without asking whether there is anything to append: a branch on it would be a guess. */
INLINE void keep(const walker* w, number_list* list, mask8 number, unsigned bits)
{
    pack8i(list->numbers + list->count, number, w->sum->order, bits);
    list->count += w->sum->ones[bits];
}

INLINE void hand_down(walker* w, visit* v, lane8 x, lane8 y, lane8 z, lane8 radius, lane8 mass, mask8 number, unsigned bits)
{
    source_list to = list_at(w->stack, v->end);
    const uint64_t* order = w->sum->order;
    pack8(to.x, x, order, bits), pack8(to.y, y, order, bits), pack8(to.z, z, order, bits);
    pack8(to.radius, radius, order, bits), pack8(to.mass, mass, order, bits), pack8i(to.number, number, order, bits);
    v->end += w->sum->ones[bits];
}

INLINE void test_eight(walker* w, visit* v, source_list from, unsigned valid)
{
    lane8 x = load8(from.x), y = load8(from.y), z = load8(from.z), radius = load8(from.radius), mass = load8(from.mass);
    mask8 number;
    memcpy(&number, from.number, sizeof number);
    lane8 dx = x - v->x, dy = y - v->y, dz = z - v->z, d2 = (dx * dx + dy * dy + dz * dz) * v->inverse2;
    lane8 s = radius * v->inverse + v->radius, s2 = s * s;
    mask8 far = (v->opening2 * d2 > s2) & (d2 > v->nearest2) & (mass * s2 * s2 < v->pull * d2 * d2 * d2);
    unsigned accepted = bits8(far) & valid, failed = valid & ~accepted, leaf = bits8(number);
    keep(w, &w->far, number, accepted);
    if (w->far.count >= LIST) work_off_far(w, v);
    if (v->terminal) {
        lane8 reach = radius * v->inverse * v->body + v->radius;
        unsigned cells = failed & bits8((d2 > reach * reach) & (d2 > all8(0.25f)));
        keep(w, &w->cells, number, cells);
        keep(w, &w->near, number, failed & leaf & ~cells);
        keep(w, &w->open, number, failed & ~leaf & ~cells);
        if (w->cells.count >= LIST || w->near.count >= LIST) work_off_near(w);
        return;
    }
    unsigned small = failed & (bits8(radius <= v->own_radius) | leaf);
    hand_down(w, v, x, y, z, radius, mass, number, small);
    keep(w, &w->open, number, failed & ~small);
}

static void test_sources(walker* w, visit* v, size_t first, size_t count)
{
    source_list children = {w->tree->node_x, w->tree->node_y, w->tree->node_z, w->tree->node_radius, w->tree->node_mass, w->tree->node_number};
    for (size_t k = 0; k < count; k += LANES) {
        unsigned valid = count - k >= LANES ? 0xFF : (1u << (count - k)) - 1;
        if (!grow_stack(w, v->end, v->end + LANES)) return;
        test_eight(w, v, list_at(w->stack, first + k), valid);
        while (w->open.count > 0) {
            const kin_gravity_node* s = &w->tree->nodes[w->open.numbers[--w->open.count]];
            if (!grow_stack(w, v->end, v->end + LANES)) return;
            test_eight(w, v, list_at(children, s->child), (1u << s->child_count) - 1);
        }
    }
    if (w->far.count > 0) work_off_far(w, v);
    work_off_near(w);
}

/* ---- the walk ---- */

static void begin_visit(walker* w, visit* v, const kin_gravity_node* t, size_t end)
{
    const kin_gravity_sum* sum = w->sum;
    float inverse = (float)(1 / (double)t->side), radius = t->radius * inverse;
    double target = kin_square(radius / sum->opening[1]);
    v->t = t;
    v->terminal = t->child_count == 0 || t->count <= sum->group;
    v->end = end;
    v->x = all8((float)t->x), v->y = all8((float)t->y), v->z = all8((float)t->z);
    v->own_radius = all8(t->radius), v->radius = all8(radius);
    v->inverse = all8(inverse), v->inverse2 = all8(inverse * inverse);
    v->opening2 = all8((float)(sum->opening[0] * sum->opening[0]));
    v->nearest2 = all8((float)kin_max(target, 0.25)); /* half a side: powers stay in range */
    v->body = all8((float)(1 / sum->opening[2]));
    bool steered = sum->opening[3] > 0 && t->weight > 0;
    v->pull = all8(steered ? (float)(sum->opening[3] * kin_sqrt(t->count / (double)t->weight) * t->side * t->side) : __builtin_inff());
}

static void finish_bodies(walker* w, visit* v)
{
    targets* b = &w->bodies;
    finish_targets(b);
    for (uint32_t i = 0; i < b->count; i += LANES) {
        lane8 a[3];
        series_at(v->l, load8(b->x + i), load8(b->y + i), load8(b->z + i), a);
        store8(b->ax + i, load8(b->ax + i) + a[0]);
        store8(b->ay + i, load8(b->ay + i) + a[1]);
        store8(b->az + i, load8(b->az + i) + a[2]);
    }
    give_accelerations(b);
}

static void walk(walker* w, uint32_t number, uint32_t parent, const float* above, size_t first, size_t count);

static bool keep_task(walker* w, uint32_t node, uint32_t parent, const float* l, size_t first, size_t count)
{
    kin_gravity_tasks* tasks = w->tasks;
    if (!kin_reserve(&tasks->allocator, (void**)&tasks->items, &tasks->capacity, tasks->count + 1, sizeof *tasks->items)) return false;
    kin_gravity_task* task = &tasks->items[tasks->count++];
    *task = (kin_gravity_task){.node = node, .parent = parent, .first = (uint32_t)first, .count = (uint32_t)count};
    memcpy(task->local, l, sizeof task->local);
    return true;
}

/* The open sources of a node whose children become tasks, by number. */
static bool keep_list(walker* w, size_t first, size_t count)
{
    kin_gravity_tasks* tasks = w->tasks;
    if (!kin_reserve(&tasks->allocator, (void**)&tasks->pool, &tasks->pool_capacity, tasks->pool_count + count, sizeof *tasks->pool)) return false;
    memcpy(tasks->pool + tasks->pool_count, w->stack.number + first, count * sizeof *tasks->pool);
    tasks->pool_count += count;
    return true;
}

static bool is_task(const walker* w, uint32_t number)
{
    const kin_gravity_node* n = &w->tree->nodes[number];
    return n->count <= w->tasks->limit || n->child_count == 0;
}

/* Big children are walked now, small ones kept for later. */
static void collect_children(walker* w, const visit* v, uint32_t number, size_t first)
{
    size_t count = v->end - first, kept = w->tasks->pool_count;
    bool ok = keep_list(w, first, count);
    for (uint32_t c = v->t->child; c < v->t->child + v->t->child_count; ++c) {
        if (!kin_gravity_is_asked(w->sum, &w->tree->nodes[c])) continue;
        if (!is_task(w, c))
            walk(w, c, number, v->l, first, count);
        else
            ok = ok && keep_task(w, c, number, v->l, kept, count);
    }
    if (!ok) atomic_store(&w->sum->failed, true);
}

/* parent equal to number: the root. */
static void walk(walker* w, uint32_t number, uint32_t parent, const float* above, size_t first, size_t count)
{
    const kin_gravity_node *t = &w->tree->nodes[number], *p = &w->tree->nodes[parent];
    visit v;
    begin_visit(w, &v, t, first + count);
    double inverse = 1 / (double)p->side;
    if (number != parent)
        shift_series(above, (float)((t->x - p->x) * inverse), (float)((t->y - p->y) * inverse), (float)((t->z - p->z) * inverse), (float)(t->side * inverse),
                     v.l);
    else
        memset(v.l, 0, sizeof v.l);
    if (v.terminal && !begin_targets(&w->bodies, t, w->scratch)) {
        atomic_store(&w->sum->failed, true);
        return;
    }
    test_sources(w, &v, first, count);
    if (v.terminal) {
        finish_bodies(w, &v);
    } else if (w->tasks != NULL) {
        collect_children(w, &v, number, first + count);
    } else {
        for (uint32_t c = t->child; c < t->child + t->child_count; ++c) {
            if (kin_gravity_is_asked(w->sum, &w->tree->nodes[c])) walk(w, c, number, v.l, first + count, v.end - first - count);
        }
    }
}

static walker* begin_walk(kin_gravity_sum* sum, kin_arena* scratch, size_t sources)
{
    walker* w = kin_arena_take(scratch, sizeof *w);
    if (w == NULL) {
        atomic_store(&sum->failed, true);
        return NULL;
    }
    w->sum = sum, w->tree = sum->tree, w->scratch = scratch, w->tasks = NULL;
    w->capacity = 0;
    w->far.count = w->cells.count = w->near.count = w->open.count = 0;
    w->expansions = 0;
    init_targets(&w->bodies, sum);
    memset(&w->far, 0, sizeof w->far);
    memset(&w->pad, 0, sizeof w->pad);
    return grow_stack(w, 0, sources + FIRST_STACK - LANES) ? w : NULL;
}

static void end_walk(const walker* w)
{
    tell_counts(&w->bodies);
    atomic_fetch_add_explicit(&w->sum->expansions, w->expansions, memory_order_relaxed);
}

void KIN_KERNEL(kin_gravity_plan)(kin_gravity_sum* sum, kin_gravity_tasks* tasks, kin_arena* scratch)
{
    static const float none[KIN_GRAVITY_LOCALS];
    walker* w = begin_walk(sum, scratch, 1);
    tasks->count = tasks->pool_count = 0;
    if (w == NULL) return;
    w->tasks = tasks;
    const kin_gravity_tree* tree = sum->tree;
    w->stack.x[0] = tree->node_x[0], w->stack.y[0] = tree->node_y[0], w->stack.z[0] = tree->node_z[0];
    w->stack.radius[0] = tree->node_radius[0], w->stack.mass[0] = tree->node_mass[0], w->stack.number[0] = tree->node_number[0];
    if (!is_task(w, 0))
        walk(w, 0, 0, none, 0, 1);
    else if (!keep_list(w, 0, 1) || !keep_task(w, 0, 0, none, 0, 1))
        atomic_store(&sum->failed, true);
    end_walk(w);
}

void KIN_KERNEL(kin_gravity_run)(kin_gravity_sum* sum, const kin_gravity_tasks* tasks, size_t index, kin_arena* scratch)
{
    const kin_gravity_task* task = &tasks->items[index];
    const kin_gravity_tree* tree = sum->tree;
    walker* w = begin_walk(sum, scratch, task->count);
    if (w == NULL) return;
    for (uint32_t k = 0; k < task->count; ++k) {
        uint32_t number = tasks->pool[task->first + k], i = number & ~KIN_GRAVITY_LEAF;
        w->stack.x[k] = tree->node_x[i], w->stack.y[k] = tree->node_y[i], w->stack.z[k] = tree->node_z[i];
        w->stack.radius[k] = tree->node_radius[i], w->stack.mass[k] = tree->node_mass[i], w->stack.number[k] = number;
    }
    walk(w, task->node, task->parent, task->local, 0, task->count);
    end_walk(w);
}
