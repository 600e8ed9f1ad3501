/* bodies.h - forces on the bodies of one target cell, or on those that are asked for; lanes = bodies. Point masses and cells with second moments are gathered relative to the target, in
 * units of its side, and worked off when the buffers are full. For kernel files only. */
#pragma once
#include "math/scalar.h"
#include "system/gravity/lanes.h"
#include "system/gravity/local.h"

enum { POINTS = 512, CELLS = 128, CELL_ROW = 12 /* x y z m, six second moments, and what is loaded with them */ };

typedef struct targets {
    kin_gravity_sum* sum;
    const kin_gravity_node* node;
    double inverse;  /* 1 / side */
    float softening; /* squared */
    float* memory;   /* of the seven arrays; kept for the next target */
    uint32_t capacity;
    uint32_t count; /* bodies that are asked for; numbers of each in the tree: */
    uint32_t* at;
    float *x, *y, *z, *ax, *ay, *az; /* potential: ax alone */
    uint32_t point_count, cell_count;
    uint64_t pairs, cells;
    float px[POINTS + LANES], py[POINTS + LANES], pz[POINTS + LANES], pm[POINTS + LANES];
    float rows[CELLS][CELL_ROW];
} targets;

/* Without softening a body would pull itself by 0/0. This little (1e-12 of the side) keeps the quotient finite and changes nothing else a float can see. */
INLINE float softening_in(double length, double side) { return (float)kin_max(kin_square(length / side), 1e-24); }

static void init_targets(targets* t, kin_gravity_sum* sum)
{
    t->sum = sum;
    t->memory = NULL;
    t->capacity = 0;
    t->pairs = t->cells = 0;
}

/* Eight at a time: what lies after the last is overwritten or never read. */
INLINE void relative8(float* to, const double* from, lane4d centre, lane4d inverse)
{
    lane4 low = __builtin_convertvector((load4d(from) - centre) * inverse, lane4);
    lane4 high = __builtin_convertvector((load4d(from + 4) - centre) * inverse, lane4);
    memcpy(to, &low, sizeof low);
    memcpy(to + 4, &high, sizeof high);
}

static bool reserve_targets(targets* t, uint32_t count, kin_arena* scratch)
{
    size_t n = (count + 2 * LANES - 1) / (2 * LANES) * (2 * LANES); /* whole lanes */
    if (n > t->capacity) {
        t->memory = kin_arena_take(scratch, 7 * n * sizeof(float));
        t->capacity = t->memory != NULL ? (uint32_t)n : 0;
        if (t->memory == NULL) return false;
    }
    float* memory = t->memory;
    t->x = memory, t->y = memory + n, t->z = memory + 2 * n;
    t->ax = memory + 3 * n, t->ay = memory + 4 * n, t->az = memory + 5 * n;
    t->at = (uint32_t*)(memory + 6 * n);
    memset(t->ax, 0, 3 * n * sizeof(float));
    return true;
}

/* Lanes past the end repeat the last body. */
static void place_targets(targets* t)
{
    const kin_gravity_node* node = t->node;
    const kin_gravity_tree* tree = t->sum->tree;
    const uint32_t* asked = t->sum->asked;
    lane4d cx = all4d(node->x), cy = all4d(node->y), cz = all4d(node->z), inverse = all4d(t->inverse);
    uint32_t end = (node->count + LANES - 1) / LANES * LANES;
    t->count = 0;
    for (uint32_t i = node->begin; i < node->begin + node->count; ++i) {
        if (asked == NULL || asked[i + 1] > asked[i]) t->at[t->count++] = i;
    }
    for (uint32_t i = 0; i < end && t->count == node->count; i += LANES) {
        relative8(t->x + i, tree->x + node->begin + i, cx, inverse);
        relative8(t->y + i, tree->y + node->begin + i, cy, inverse);
        relative8(t->z + i, tree->z + node->begin + i, cz, inverse);
    }
    for (uint32_t i = 0; i < t->count && t->count < node->count; ++i) {
        t->x[i] = (float)((tree->x[t->at[i]] - node->x) * t->inverse);
        t->y[i] = (float)((tree->y[t->at[i]] - node->y) * t->inverse);
        t->z[i] = (float)((tree->z[t->at[i]] - node->z) * t->inverse);
    }
    for (uint32_t i = t->count; i < (t->count + 2 * LANES - 1) / (2 * LANES) * (2 * LANES); ++i) {
        t->x[i] = t->x[t->count - 1], t->y[i] = t->y[t->count - 1], t->z[i] = t->z[t->count - 1];
    }
}

/* Somebody in the cell is asked for. False: no scratch. */
static bool begin_targets(targets* t, const kin_gravity_node* node, kin_arena* scratch)
{
    const kin_gravity_tree* tree = t->sum->tree;
    t->node = node;
    t->inverse = 1 / (double)node->side;
    t->softening = softening_in(t->sum->softening / tree->side, node->side);
    t->point_count = t->cell_count = 0;
    if (!reserve_targets(t, node->count, scratch)) return false;
    place_targets(t);
    for (uint32_t i = 0; i < t->count && t->sum->potential == NULL; ++i) { /* the cloud has another order: call for its lines long before they are written */
        for (int axis = 0; axis < 3; ++axis) __builtin_prefetch(&t->sum->cloud->acceleration[axis][tree->id[t->at[i]]], 1);
        if (t->sum->history != NULL) __builtin_prefetch(&t->sum->history[tree->id[t->at[i]]], 1);
    }
    return true;
}

/* ---- accelerations ---- */

INLINE void pull_by_point(lane8 x, lane8 y, lane8 z, lane8 px, lane8 py, lane8 pz, lane8 m, lane8 e2, lane8* ax, lane8* ay, lane8* az)
{
    lane8 dx = px - x, dy = py - y, dz = pz - z, r2 = dx * dx + dy * dy + dz * dz + e2;
    lane8 f = m / (r2 * sqrt8(r2));
    *ax += f * dx, *ay += f * dy, *az += f * dz;
}

INLINE void points_on_two(const targets* t, uint32_t i)
{
    lane8 e2 = all8(t->softening);
    lane8 x = load8(t->x + i), y = load8(t->y + i), z = load8(t->z + i), ax = load8(t->ax + i), ay = load8(t->ay + i), az = load8(t->az + i);
    uint32_t k = i + LANES;
    lane8 u = load8(t->x + k), v = load8(t->y + k), w = load8(t->z + k), au = load8(t->ax + k), av = load8(t->ay + k), aw = load8(t->az + k);
    for (uint32_t j = 0; j < t->point_count; ++j) {
        lane8 px = all8(t->px[j]), py = all8(t->py[j]), pz = all8(t->pz[j]), m = all8(t->pm[j]);
        pull_by_point(x, y, z, px, py, pz, m, e2, &ax, &ay, &az);
        pull_by_point(u, v, w, px, py, pz, m, e2, &au, &av, &aw);
    }
    store8(t->ax + i, ax), store8(t->ay + i, ay), store8(t->az + i, az);
    store8(t->ax + k, au), store8(t->ay + k, av), store8(t->az + k, aw);
}

INLINE void points_on_one(const targets* t, uint32_t i)
{
    lane8 e2 = all8(t->softening);
    lane8 x = load8(t->x + i), y = load8(t->y + i), z = load8(t->z + i), ax = load8(t->ax + i), ay = load8(t->ay + i), az = load8(t->az + i);
    for (uint32_t j = 0; j < t->point_count; ++j) {
        pull_by_point(x, y, z, all8(t->px[j]), all8(t->py[j]), all8(t->pz[j]), all8(t->pm[j]), e2, &ax, &ay, &az);
    }
    store8(t->ax + i, ax), store8(t->ay + i, ay), store8(t->az + i, az);
}

/* d from body to cell: a = d (m g + 15/2 (d Q d) g/r^4 - 3/2 tr Q g/r^2) - 3 g/r^2 Q d, with g = r^-3. */
INLINE void cells_on_bodies(const targets* t, uint32_t i)
{
    lane8 e2 = all8(t->softening), x = load8(t->x + i), y = load8(t->y + i), z = load8(t->z + i);
    lane8 ax = load8(t->ax + i), ay = load8(t->ay + i), az = load8(t->az + i);
    for (uint32_t j = 0; j < t->cell_count; ++j) {
        const float* s = t->rows[j];
        lane8 dx = all8(s[0]) - x, dy = all8(s[1]) - y, dz = all8(s[2]) - z;
        lane8 i2 = all8(1) / (dx * dx + dy * dy + dz * dz + e2), g1 = i2 * sqrt8(i2), g2 = g1 * i2, g3 = g2 * i2;
        lane8 qx = all8(s[4]) * dx + all8(s[5]) * dy + all8(s[6]) * dz;
        lane8 qy = all8(s[5]) * dx + all8(s[7]) * dy + all8(s[8]) * dz;
        lane8 qz = all8(s[6]) * dx + all8(s[8]) * dy + all8(s[9]) * dz;
        lane8 f = all8(s[3]) * g1 + all8(7.5f) * (qx * dx + qy * dy + qz * dz) * g3 - all8(1.5f * (s[4] + s[7] + s[9])) * g2, c = all8(3) * g2;
        ax += f * dx - c * qx, ay += f * dy - c * qy, az += f * dz - c * qz;
    }
    store8(t->ax + i, ax), store8(t->ay + i, ay), store8(t->az + i, az);
}

/* ---- potentials ---- */

INLINE void potential_of_points(const targets* t, uint32_t i)
{
    lane8 e2 = all8(t->softening), x = load8(t->x + i), y = load8(t->y + i), z = load8(t->z + i), sum = all8(0);
    for (uint32_t j = 0; j < t->point_count; ++j) {
        lane8 dx = all8(t->px[j]) - x, dy = all8(t->py[j]) - y, dz = all8(t->pz[j]) - z;
        sum -= all8(t->pm[j]) / sqrt8(dx * dx + dy * dy + dz * dz + e2);
    }
    store8(t->ax + i, load8(t->ax + i) + sum);
}

INLINE void potential_of_cells(const targets* t, uint32_t i)
{
    lane8 e2 = all8(t->softening), x = load8(t->x + i), y = load8(t->y + i), z = load8(t->z + i), sum = all8(0);
    for (uint32_t j = 0; j < t->cell_count; ++j) {
        const float* s = t->rows[j];
        lane8 dx = all8(s[0]) - x, dy = all8(s[1]) - y, dz = all8(s[2]) - z;
        lane8 i2 = all8(1) / (dx * dx + dy * dy + dz * dz + e2), g0 = sqrt8(i2);
        lane8 qx = all8(s[4]) * dx + all8(s[5]) * dy + all8(s[6]) * dz;
        lane8 qy = all8(s[5]) * dx + all8(s[7]) * dy + all8(s[8]) * dz;
        lane8 qz = all8(s[6]) * dx + all8(s[8]) * dy + all8(s[9]) * dz;
        sum -= g0 * (all8(s[3]) + all8(1.5f) * (qx * dx + qy * dy + qz * dz) * i2 * i2 - all8(0.5f * (s[4] + s[7] + s[9])) * i2);
    }
    store8(t->ax + i, load8(t->ax + i) + sum);
}

/* ---- buffers ---- */

static void work_off_points(targets* t)
{
    uint32_t i = 0, used = (t->count + LANES - 1) / LANES * LANES;
    if (t->sum->potential != NULL) {
        for (; i < used; i += LANES) potential_of_points(t, i);
    } else {
        for (; i + LANES < used; i += 2 * LANES) points_on_two(t, i);
        if (i < used) points_on_one(t, i);
    }
    t->pairs += (uint64_t)t->point_count * t->count;
    t->point_count = 0;
}

static void work_off_cells(targets* t)
{
    for (uint32_t i = 0; i < t->count; i += LANES) {
        if (t->sum->potential != NULL)
            potential_of_cells(t, i);
        else
            cells_on_bodies(t, i);
    }
    t->cells += (uint64_t)t->cell_count * t->count;
    t->cell_count = 0;
}

INLINE void add_bodies(targets* t, uint32_t begin, uint32_t end)
{
    const kin_gravity_tree* tree = t->sum->tree;
    lane4d cx = all4d(t->node->x), cy = all4d(t->node->y), cz = all4d(t->node->z), inverse = all4d(t->inverse);
    while (begin < end) {
        uint32_t room = POINTS - t->point_count, count = end - begin < room ? end - begin : room, at = t->point_count;
        for (uint32_t i = 0; i < count; i += LANES) {
            relative8(t->px + at + i, tree->x + begin + i, cx, inverse);
            relative8(t->py + at + i, tree->y + begin + i, cy, inverse);
            relative8(t->pz + at + i, tree->z + begin + i, cz, inverse);
            store8(t->pm + at + i, load8(tree->mass + begin + i));
        }
        t->point_count += count;
        begin += count;
        if (t->point_count == POINTS) work_off_points(t);
    }
}

static void add_cell(targets* t, const kin_gravity_node* s)
{
    const kin_gravity_node* n = t->node;
    float *row = t->rows[t->cell_count++], k = (float)(t->inverse * t->inverse);
    lane4 place = __builtin_convertvector((load4d(&s->x) - (lane4d){n->x, n->y, n->z, 0}) * all4d(t->inverse), lane4);
    memcpy(row, &place, sizeof place);
    store8(row + 3, load8(&s->mass) * (lane8){1, k, k, k, k, k, k, 1}); /* over the fourth, which is yzz */
    if (t->cell_count == CELLS) work_off_cells(t);
}

static void finish_targets(targets* t)
{
    if (t->point_count > 0) work_off_points(t);
    if (t->cell_count > 0) work_off_cells(t);
}

static void tell_counts(const targets* t)
{
    atomic_fetch_add_explicit(&t->sum->pairs, t->pairs, memory_order_relaxed);
    atomic_fetch_add_explicit(&t->sum->cells, t->cells, memory_order_relaxed);
}

/* Back to SI, and to the order of the cloud. */
static void give_accelerations(const targets* t)
{
    const kin_gravity_sum* s = t->sum;
    const kin_gravity_tree* tree = s->tree;
    double length = tree->side * (double)t->node->side, unit = s->constant * tree->mass_unit / length / length;
    for (uint32_t i = 0; i < t->count; ++i) {
        uint32_t to = tree->id[t->at[i]];
        double x = t->ax[i] * unit, y = t->ay[i] * unit, z = t->az[i] * unit;
        s->cloud->acceleration[0][to] += x;
        s->cloud->acceleration[1][to] += y;
        s->cloud->acceleration[2][to] += z;
        if (s->history != NULL) s->history[to] = kin_sqrt(x * x + y * y + z * z);
    }
}
