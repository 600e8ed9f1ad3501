/* direct_kernels.c - all pairs, lanes = targets; built once per width. Doubles, eight bodies at a time; or floats, sixteen at a time, summed in doubles over
 * blocks of sources. Pairs are taken from both sides: the forces are opposite to the last bit but one. */
#include "math/scalar.h"
#include "system/gravity/lanes.h"
#include "system/gravity/local.h"

#define COINCIDENT 1e-200 /* m^2: closer pairs are left out, as their cubes vanish */

/* ---- doubles ---- */

typedef struct lanes4d {
    lane4d x, y, z, ax, ay, az;
    mask4d hits;
} lanes4d;

INLINE void pull4d(lanes4d* t, lane4d px, lane4d py, lane4d pz, lane4d m, lane4d e2)
{
    lane4d dx = px - t->x, dy = py - t->y, dz = pz - t->z, r2 = dx * dx + dy * dy + dz * dz + e2;
    mask4d apart = r2 > all4d(COINCIDENT);
    lane4d f = (lane4d)(apart & (mask4d)(m / (r2 * sqrt4d(r2))));
    t->ax += f * dx, t->ay += f * dy, t->az += f * dz;
    t->hits += apart + 1; /* -1 where apart */
}

static void eight_targets(kin_gravity_sum* sum, const int64_t at[8], lanes4d t[2])
{
    const kin_mutual_cloud* c = sum->cloud;
    lane4d e2 = all4d(sum->softening * sum->softening);
    for (int h = 0; h < 2; ++h) {
        memset(&t[h], 0, sizeof t[h]);
        for (int k = 0; k < 4; ++k) t[h].x[k] = c->x[0][at[4 * h + k]], t[h].y[k] = c->x[1][at[4 * h + k]], t[h].z[k] = c->x[2][at[4 * h + k]];
    }
    lanes4d a = t[0], b = t[1];
    for (uint32_t j = 0; j < c->count; ++j) {
        lane4d px = all4d(c->x[0][j]), py = all4d(c->x[1][j]), pz = all4d(c->x[2][j]), m = all4d(c->mass[j]);
        pull4d(&a, px, py, pz, m, e2);
        pull4d(&b, px, py, pz, m, e2);
    }
    t[0] = a, t[1] = b;
}

/* begin and end count those that are asked for. */
void KIN_KERNEL(kin_gravity_direct)(kin_gravity_sum* sum, int64_t begin, int64_t end)
{
    const kin_mutual_cloud* c = sum->cloud;
    uint64_t hits = 0;
    for (int64_t i = begin; i < end; i += 8) {
        int64_t at[8];
        lanes4d t[2];
        for (int k = 0; k < 8; ++k) {
            at[k] = i + k < end ? i + k : end - 1;
            if (c->active != NULL) at[k] = c->active[at[k]];
        }
        eight_targets(sum, at, t);
        for (int k = 0; k < 8 && i + k < end; ++k) {
            const lanes4d* l = &t[k / 4];
            c->acceleration[0][at[k]] += sum->constant * l->ax[k % 4];
            c->acceleration[1][at[k]] += sum->constant * l->ay[k % 4];
            c->acceleration[2][at[k]] += sum->constant * l->az[k % 4];
            hits += (uint64_t)l->hits[k % 4];
        }
    }
    atomic_fetch_add_explicit(&sum->pairs, (uint64_t)(end - begin) * c->count, memory_order_relaxed);
    atomic_fetch_add_explicit(&sum->coincident, hits, memory_order_relaxed); /* each body met itself, each pair both ways: the caller knows */
}

/* ---- floats ---- */

enum { BLOCK = 1024 };

typedef struct lanes8 {
    lane8 x, y, z, ax, ay, az;
} lanes8;

INLINE void pull8(lanes8* t, lane8 px, lane8 py, lane8 pz, lane8 m, lane8 e2)
{
    lane8 dx = px - t->x, dy = py - t->y, dz = pz - t->z, r2 = dx * dx + dy * dy + dz * dz + e2;
    lane8 f = m / (r2 * sqrt8(r2));
    t->ax += f * dx, t->ay += f * dy, t->az += f * dz;
}

static void sixteen_targets(const float* const bodies[4], int64_t count, int64_t at, float e2, double sums[3][16])
{
    memset(sums, 0, sizeof(double[3][16]));
    lanes8 a = {.x = load8(bodies[0] + at), .y = load8(bodies[1] + at), .z = load8(bodies[2] + at)};
    lanes8 b = {.x = load8(bodies[0] + at + 8), .y = load8(bodies[1] + at + 8), .z = load8(bodies[2] + at + 8)};
    for (int64_t from = 0; from < count; from += BLOCK) {
        int64_t to = count - from < BLOCK ? count : from + BLOCK;
        a.ax = a.ay = a.az = b.ax = b.ay = b.az = all8(0);
        for (int64_t j = from; j < to; ++j) {
            lane8 px = all8(bodies[0][j]), py = all8(bodies[1][j]), pz = all8(bodies[2][j]), m = all8(bodies[3][j]);
            pull8(&a, px, py, pz, m, all8(e2));
            pull8(&b, px, py, pz, m, all8(e2));
        }
        for (int k = 0; k < 8; ++k) {
            sums[0][k] += a.ax[k], sums[1][k] += a.ay[k], sums[2][k] += a.az[k];
            sums[0][8 + k] += b.ax[k], sums[1][8 + k] += b.ay[k], sums[2][8 + k] += b.az[k];
        }
    }
}

void KIN_KERNEL(kin_gravity_direct_single)(kin_gravity_sum* sum, const float* const bodies[4], int64_t begin, int64_t end)
{
    const kin_gravity_tree* tree = sum->tree;
    double unit = sum->constant * tree->mass_unit / tree->side / tree->side;
    float e2 = (float)kin_max(kin_square(sum->softening / tree->side), 1e-24); /* see bodies.h */
    for (int64_t i = begin; i < end; i += 16) {
        double sums[3][16];
        sixteen_targets(bodies, sum->cloud->count, i, e2, sums);
        for (int k = 0; k < 16 && i + k < end; ++k) {
            for (int axis = 0; axis < 3; ++axis) sum->cloud->acceleration[axis][i + k] += unit * sums[axis][k];
        }
    }
    atomic_fetch_add_explicit(&sum->pairs, (uint64_t)(end - begin) * sum->cloud->count, memory_order_relaxed);
}
