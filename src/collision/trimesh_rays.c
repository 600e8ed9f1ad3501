/* trimesh_rays.c - rays against a mesh; built once per lane width.
 *
 * Eight boxes, then four triangles at a time, in floats and with their round-off on the safe side: what is left is decided in doubles (trimesh_ray.h). The
 * nearest t wins, then the lowest triangle: neither the tree nor the lane width can be seen in the answer.
 *
 * Floats are in the frame of the wide tree, all about 1 or less: the ray starts where it enters that. Its parameter there is tau = (t - start) |direction|,
 * with the largest component as length. Slab tests: Williams et al. 2005, with the bounds of Ize 2013. */
#include "base/kernel.h"
#include "collision/trimesh.h"
#include "collision/trimesh_ray.h"
#if KIN_WIDTH > 0
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))
typedef kin_bvh_lanes four;
typedef int32_t ints __attribute__((vector_size(16)));

#define STACK (KIN_BVH_MAX_DEPTH * (KIN_BVH_WIDE - 1) + 1)
#define ROUND_OFF 0x1p-24
#define STEEPEST 1e18 /* of 1/direction: a slower drift than this does not leave a slab, as its walls are grown by more */

#if KIN_WIDTH == 2
typedef __m256 lanes;
enum { LANES = 8 };
INLINE lanes all(float a) { return _mm256_set1_ps(a); }
INLINE lanes load(const float* from) { return _mm256_load_ps(from); }
INLINE void store(float* to, lanes a) { _mm256_store_ps(to, a); }
INLINE lanes lesser(lanes a, lanes b) { return _mm256_min_ps(a, b); }
INLINE lanes greater(lanes a, lanes b) { return _mm256_max_ps(a, b); }
INLINE unsigned at_most(lanes a, lanes b) { return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LE_OQ)); }
#elif KIN_WIDTH == 1
typedef __m128 lanes;
enum { LANES = 4 };
INLINE lanes all(float a) { return _mm_set1_ps(a); }
INLINE lanes load(const float* from) { return _mm_load_ps(from); }
INLINE void store(float* to, lanes a) { _mm_store_ps(to, a); }
INLINE lanes lesser(lanes a, lanes b) { return _mm_min_ps(a, b); }
INLINE lanes greater(lanes a, lanes b) { return _mm_max_ps(a, b); }
INLINE unsigned at_most(lanes a, lanes b) { return (unsigned)_mm_movemask_ps(_mm_cmple_ps(a, b)); }
#else
typedef float lanes;
enum { LANES = 1 };
INLINE lanes all(float a) { return a; }
INLINE lanes load(const float* from) { return *from; }
INLINE void store(float* to, lanes a) { *to = a; }
INLINE lanes lesser(lanes a, lanes b) { return a < b ? a : b; }
INLINE lanes greater(lanes a, lanes b) { return a > b ? a : b; }
INLINE unsigned at_most(lanes a, lanes b) { return a <= b; }
#endif

typedef struct cast {
    const kin_trimesh* mesh;
    kin_shear shear;
    double start, per_t;             /* t where tau is 0; tau per t */
    int near[3], far[3];             /* of a node's floats: the walls met first and last */
    float near_from[3], far_from[3]; /* the origin, rounded so that boxes grow */
    float inverse[3];                /* 1 / direction, per tau */
    float origin[3];                 /* nearest float */
    float by_x, by_y, slack;         /* shear, and what a sheared coordinate may be off */
    float limit;                     /* tau */
    kin_touch* hits;                 /* nearest first; t and feature only, until the end */
    int count, most;
    double limit_t;
} cast;

static float tau_limit(const cast* c) { return kin_float_up((c->limit_t - c->start) * c->per_t * (1 + 4 * ROUND_OFF)); }

/* Where the ray enters the box around all, t >= 0; what lies before it needs no search. Rounded down, as it may be anywhere before. */
static double find_start(const kin_bvh_wide* tree, kin_vec3 origin, kin_vec3 direction)
{
    double enter = 0;
    for (int k = 0; k < 3; ++k) {
        double d = kin_component(direction, k), o = kin_component(origin, k), middle = kin_component(tree->middle, k);
        double wall = d > 0 ? middle - tree->unit : middle + tree->unit;
        if (d != 0 && (wall - o) / d > enter) enter = (wall - o) / d;
    }
    return enter;
}

/* False: no ray. */
static bool begin(cast* c, kin_vec3 origin, kin_vec3 direction)
{
    const kin_bvh_wide* tree = &c->mesh->wide;
    if (tree->node_count == 0 || !kin_shear_begin(&c->shear, origin, direction)) return false;
    c->start = find_start(tree, origin, direction);
    c->per_t = kin_abs(c->shear.main) / tree->unit;
    if (!(c->start <= c->limit_t)) return false;
    kin_vec3 from = kin_scale(kin_sub(kin_add_scaled(origin, c->start, direction), tree->middle), 1 / tree->unit);
    /* what doubles lose on the way here, and in the test that decides */
    double grow = 1e-12 * (kin_max(c->mesh->scale, kin_largest(kin_abs3(origin))) / tree->unit + 1);
    for (int k = 0; k < 3; ++k) {
        double d = kin_component(direction, k) / kin_abs(c->shear.main), o = kin_component(from, k);
        float up = kin_float_up(o + grow), down = kin_float_down(o - grow);
        bool falls = d < 0;
        double steep = kin_min(1 / kin_abs(d), STEEPEST);
        c->inverse[k] = (float)(falls ? -steep : steep);
        c->near[k] = (falls ? 3 + k : k) * KIN_BVH_WIDE, c->far[k] = (falls ? k : 3 + k) * KIN_BVH_WIDE;
        c->near_from[k] = falls ? down : up, c->far_from[k] = falls ? up : down;
        c->origin[k] = (float)o;
    }
    c->by_x = (float)c->shear.by_x, c->by_y = (float)c->shear.by_y;
    c->slack = kin_float_up(32 * ROUND_OFF * kin_max(1, kin_largest(kin_abs3(from))) + 4 * grow);
    c->limit = tau_limit(c);
    return true;
}

/* Which of the eight boxes are met within the limit, and where. A wall is off by three roundings, relatively. */
INLINE unsigned enter_boxes(const cast* c, const kin_bvh_wide_node* node, float entry[KIN_BVH_WIDE])
{
    const float* walls = &node->low[0][0];
    unsigned met = 0;
    for (int i = 0; i < KIN_BVH_WIDE; i += LANES) {
        lanes in_x = (load(walls + c->near[0] + i) - all(c->near_from[0])) * all(c->inverse[0]);
        lanes in_y = (load(walls + c->near[1] + i) - all(c->near_from[1])) * all(c->inverse[1]);
        lanes in_z = (load(walls + c->near[2] + i) - all(c->near_from[2])) * all(c->inverse[2]);
        lanes out_x = (load(walls + c->far[0] + i) - all(c->far_from[0])) * all(c->inverse[0]);
        lanes out_y = (load(walls + c->far[1] + i) - all(c->far_from[1])) * all(c->inverse[1]);
        lanes out_z = (load(walls + c->far[2] + i) - all(c->far_from[2])) * all(c->inverse[2]);
        lanes in = greater(greater(in_x, in_y), greater(in_z, all(0)));
        lanes out = lesser(lesser(out_x, out_y), lesser(out_z, all(c->limit)));
        met |= at_most(in, out * all(1 + 8 * (float)ROUND_OFF)) << i;
        store(entry + i, in);
    }
    return met;
}

/* Which of four triangles may be crossed: the test of trimesh_ray.h, with `slack` for each coordinate. */
INLINE unsigned maybe_crossed(const cast* c, const kin_trimesh_block* block)
{
    four x[3], y[3], size = {0, 0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        four z = block->p[k][c->shear.z] - c->origin[c->shear.z];
        x[k] = (block->p[k][c->shear.x] - c->origin[c->shear.x]) - c->by_x * z;
        y[k] = (block->p[k][c->shear.y] - c->origin[c->shear.y]) - c->by_y * z;
        ints sign = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};
        size += (four)((ints)x[k] & sign) + (four)((ints)y[k] & sign);
    }
    four off = (size + c->slack * 2) * c->slack;
    four u = x[2] * y[1] - y[2] * x[1], v = x[0] * y[2] - y[0] * x[2], w = x[1] * y[0] - y[1] * x[0];
    ints apart = ((u < -off) | (v < -off) | (w < -off)) & ((u > off) | (v > off) | (w > off));
#if KIN_WIDTH > 0
    return ~(unsigned)_mm_movemask_ps((__m128)apart) & ((1u << block->count) - 1);
#else
    unsigned may = 0;
    for (uint32_t k = 0; k < block->count; ++k) may |= apart[k] == 0 ? 1u << k : 0;
    return may;
#endif
}

static bool before(double t, uint32_t triangle, const kin_touch* hit) { return t < hit->t || (t == hit->t && triangle < hit->feature); }

/* Keeps the nearest in order. */
static void keep(cast* c, double t, uint32_t triangle)
{
    if (c->count == c->most && !before(t, triangle, &c->hits[c->most - 1])) return;
    int at = c->count < c->most ? c->count++ : c->most - 1;
    for (; at > 0 && before(t, triangle, &c->hits[at - 1]); --at) c->hits[at] = c->hits[at - 1];
    c->hits[at].t = t;
    c->hits[at].feature = triangle;
    if (c->count == c->most) {
        c->limit_t = c->hits[c->most - 1].t;
        c->limit = tau_limit(c);
    }
}

INLINE void cross_leaf(cast* c, uint32_t block, uint32_t count)
{
    for (uint32_t done = 0; done < count; done += KIN_BVH_BLOCK, ++block) {
        const kin_trimesh_block* b = &c->mesh->blocks[block];
        for (unsigned may = maybe_crossed(c, b); may != 0; may &= may - 1) {
            const kin_facet* f = &c->mesh->corners[b->first + (uint32_t)__builtin_ctz(may)];
            double t;
            if (kin_shear_cross(&c->shear, f->p, &t) && t >= 0 && t <= c->limit_t) keep(c, t, f->triangle);
        }
    }
}

typedef struct place {
    uint32_t child, count;
    float entry;
} place;

/* Puts the boxes that were met on the stack, the nearest on top. */
INLINE place* push_met(place* top, const kin_bvh_wide_node* node, unsigned met, const float entry[KIN_BVH_WIDE])
{
    place* bottom = top;
    for (; met != 0; met &= met - 1) {
        int k = __builtin_ctz(met);
        place* at = top++;
        for (; at > bottom && at[-1].entry < entry[k]; --at) *at = at[-1];
        *at = (place){node->child[k], node->count[k], entry[k]};
    }
    return top;
}

static void walk(cast* c)
{
    place stack[STACK], *top = stack;
    _Alignas(32) float entry[KIN_BVH_WIDE];
    *top++ = (place){0, 0, 0};
    while (top > stack) {
        place p = *--top;
        if (p.entry > c->limit) continue;
        if (p.count > 0) {
            cross_leaf(c, p.child, p.count);
        } else {
            const kin_bvh_wide_node* node = &c->mesh->wide.nodes[p.child];
            top = push_met(top, node, enter_boxes(c, node, entry), entry);
        }
    }
}

int KIN_KERNEL(kin_trimesh_cast)(const kin_trimesh* mesh, const kin_ray3* ray, kin_touch* hits, int most)
{
    cast c = {.mesh = mesh, .hits = hits, .most = most, .limit_t = ray->limit};
    if (most <= 0 || !begin(&c, ray->origin, ray->direction)) return 0;
    walk(&c);
    for (int i = 0; i < c.count; ++i) {
        double t = hits[i].t;
        kin_vec3 normal = mesh->mesh->normals[hits[i].feature];
        bool outward = mesh->mesh->closed || kin_dot(normal, ray->direction) < 0;
        hits[i] = (kin_touch){t, t, kin_add_scaled(ray->origin, t, ray->direction), kin_scale(normal, outward ? 1 : -1), hits[i].feature};
    }
    return c.count;
}
