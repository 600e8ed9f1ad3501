/* trimesh_rays.c - rays against a mesh; built once per lane width.
 *
 * Eight boxes, then four triangles at a time, in floats and with their round-off on the safe side: what is left is decided in doubles (geometry/triangle_ray.h). The
 * nearest t wins, then the lowest triangle: neither the tree nor the lane width can be seen in the answer.
 *
 * Floats are in the frame of the wide tree, all about 1 or less: the ray starts where it enters that. Its parameter there is tau = (t - start) |direction|,
 * with the largest component as length. Slab tests: Williams et al. 2005, with the bounds of Ize 2013. */
#include "base/kernel.h"
#include "collision/trimesh.h"
#include "geometry/triangle_ray.h"
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
    double lost;                     /* what doubles may be off: on the way here, and in the last test */
    int near[3], far[3];             /* of a node's floats: the walls met first and last */
    float near_from[3], far_from[3]; /* the origin, shifted so that boxes grow */
    float inverse[3];                /* 1 / direction, per tau */
    float origin[3];                 /* nearest float */
    float by_x, by_y, slack;         /* shear, and what a sheared coordinate may be off */
    double limit_t;
    float limit;     /* tau */
    kin_touch* hits; /* nearest first; t, and as feature the place in leaf order, until the end */
    int count, most;
} cast;

INLINE void set_limit(cast* c, double t)
{
    c->limit_t = t;
    c->limit = (float)kin_min((t - c->start) * c->per_t * (1 + 8 * ROUND_OFF) + c->lost, 3e38);
}

/* Where the ray enters the cube around all, t >= 0: no hit lies before. */
static double find_start(const kin_bvh_wide* tree, kin_vec3 origin, kin_vec3 direction)
{
    double start = 0;
    for (int k = 0; k < 3; ++k) {
        double d = kin_component(direction, k), from = kin_component(tree->middle, k) - kin_component(origin, k);
        double enter = d > 0 ? (from - tree->unit) / d : d < 0 ? (from + tree->unit) / d : 0;
        start = kin_max(enter, start);
    }
    return start;
}

/* Floats of a point far away say little: the ray is cut short, and starts at the cube. Returns its largest coordinate there. */
static double begin_far(cast* c, const kin_ray3* ray, kin_vec3* from)
{
    const kin_bvh_wide* tree = &c->mesh->wide;
    const double most = 1e30;
    c->start = find_start(tree, ray->origin, ray->direction);
    kin_vec3 at = kin_scale(kin_sub(kin_add_scaled(ray->origin, c->start, ray->direction), tree->middle), tree->per_metre);
    *from = kin_v(kin_clamp(at.x, -most, most), kin_clamp(at.y, -most, most), kin_clamp(at.z, -most, most));
    return kin_largest(kin_abs3(*from));
}

/* How the ray looks along one axis, in floats; `pad` is more than what its origin there and the walls are off. */
INLINE void begin_axis(cast* c, int k, double from, double inverse, float pad)
{
    float o = (float)from, steep = (float)kin_clamp(inverse, -STEEPEST, STEEPEST), grow = __builtin_copysignf(pad, steep);
    int falls = steep < 0;
    c->origin[k] = o;
    c->inverse[k] = steep;
    c->near_from[k] = o + grow, c->far_from[k] = o - grow;
    c->near[k] = (k + 3 * falls) * KIN_BVH_WIDE, c->far[k] = (k + 3 - 3 * falls) * KIN_BVH_WIDE;
}

/* False: no ray, or it ends too early. */
INLINE bool begin(cast* c, const kin_ray3* ray)
{
    const kin_bvh_wide* tree = &c->mesh->wide;
    kin_vec3 d = ray->direction, from = kin_scale(kin_sub(ray->origin, tree->middle), tree->per_metre);
    if (tree->node_count == 0 || !kin_shear_begin(&c->shear, ray->origin, d)) return false;
    double far = 2;
    c->start = 0;
    if (!(kin_largest(kin_abs3(from)) <= far)) far = 1 + begin_far(c, ray, &from);
    if (!(c->start <= ray->limit)) return false;
    double length = kin_abs(c->shear.main);
    c->per_t = length * tree->per_metre;
    c->lost = 2e-12 * (kin_max(c->mesh->scale, kin_largest(kin_abs3(ray->origin))) * tree->per_metre + 1);
    set_limit(c, ray->limit);
    float pad = (float)(c->lost + 4 * ROUND_OFF * far);
    begin_axis(c, 0, from.x, length / d.x, pad);
    begin_axis(c, 1, from.y, length / d.y, pad);
    begin_axis(c, 2, from.z, length / d.z, pad);
    c->by_x = (float)c->shear.by_x, c->by_y = (float)c->shear.by_y;
    c->slack = (float)(2 * c->lost + 32 * ROUND_OFF * far);
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

/* Ties are rare: then the triangles' numbers decide. */
INLINE bool before(const cast* c, double t, uint32_t place, const kin_touch* hit)
{
    return t < hit->t || (t == hit->t && c->mesh->corners[place].triangle < c->mesh->corners[hit->feature].triangle);
}

/* Keeps the nearest in order. */
INLINE void keep(cast* c, double t, uint32_t place)
{
    if (c->count == c->most && !before(c, t, place, &c->hits[c->most - 1])) return;
    int at = c->count < c->most ? c->count++ : c->most - 1;
    for (; at > 0 && before(c, t, place, &c->hits[at - 1]); --at) c->hits[at] = c->hits[at - 1];
    c->hits[at].t = t;
    c->hits[at].feature = place;
    if (c->count == c->most) set_limit(c, c->hits[c->most - 1].t);
}

/* What is likely to be read soon is asked for early: waiting for memory is most of a ray's time. */
INLINE void fetch(const void* memory, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += 64) __builtin_prefetch((const char*)memory + at);
}

INLINE void fetch_leaf(const kin_trimesh* mesh, uint32_t block, uint32_t item)
{
    fetch(&mesh->blocks[block], sizeof *mesh->blocks);
    fetch(&mesh->corners[item], KIN_BVH_BLOCK * sizeof *mesh->corners);
    fetch(&mesh->planes[item], KIN_BVH_BLOCK * sizeof *mesh->planes);
}

INLINE void cross_leaf(cast* c, uint32_t block)
{
    const kin_trimesh* mesh = c->mesh;
    const kin_trimesh_block* b = &mesh->blocks[block];
    do {
        for (unsigned may = maybe_crossed(c, b); may != 0; may &= may - 1) {
            uint32_t place = b->first + (uint32_t)__builtin_ctz(may);
            double t;
            if (kin_shear_cross(&c->shear, mesh->corners[place].p, &t) && t >= 0 && t <= c->limit_t) keep(c, t, place);
        }
    } while ((b++)->more);
}

typedef struct branch {
    uint32_t child, item;
    float entry;
} branch;

INLINE branch take(const kin_trimesh* mesh, const kin_bvh_wide_node* node, int k, const float entry[KIN_BVH_WIDE])
{
    branch b = {node->child[k], node->item[k], entry[k]};
    if (b.item != KIN_BVH_NO_ITEM) {
        fetch_leaf(mesh, b.child, b.item);
    } else {
        fetch(&mesh->wide.nodes[b.child], sizeof *node);
    }
    return b;
}

/* Puts the boxes that were met on the stack, the nearest on top. */
INLINE branch* push_met(const kin_trimesh* mesh, branch* top, const kin_bvh_wide_node* node, unsigned met, const float entry[KIN_BVH_WIDE])
{
    branch* bottom = top;
    for (; met != 0; met &= met - 1) {
        branch b = take(mesh, node, __builtin_ctz(met), entry), *at = top++;
        for (; at > bottom && at[-1].entry < b.entry; --at) *at = at[-1];
        *at = b;
    }
    return top;
}

INLINE void walk(cast* c)
{
    const kin_trimesh* mesh = c->mesh;
    branch stack[STACK], *top = stack, at = {0, KIN_BVH_NO_ITEM, 0};
    _Alignas(32) float entry[KIN_BVH_WIDE];
    for (;;) {
        if (at.item != KIN_BVH_NO_ITEM) {
            cross_leaf(c, at.child);
        } else {
            const kin_bvh_wide_node* node = &mesh->wide.nodes[at.child];
            unsigned met = enter_boxes(c, node, entry);
            if (met != 0 && (met & (met - 1)) == 0) { /* one: go on there */
                at = take(mesh, node, __builtin_ctz(met), entry);
                continue;
            }
            top = push_met(mesh, top, node, met, entry);
        }
        do {
            if (top == stack) return;
            at = *--top;
        } while (at.entry > c->limit);
    }
}

int KIN_KERNEL(kin_trimesh_cast)(const kin_trimesh* mesh, const kin_ray3* ray, kin_touch* hits, int most)
{
    cast c;
    c.mesh = mesh, c.hits = hits, c.most = most, c.count = 0;
    if (most <= 0 || !begin(&c, ray)) return 0;
    walk(&c);
    for (int i = 0; i < c.count; ++i) {
        double t = hits[i].t;
        uint32_t place = hits[i].feature;
        kin_vec3 normal = mesh->planes[place].normal;
        bool outward = mesh->mesh->closed || kin_dot(normal, ray->direction) < 0;
        hits[i] = (kin_touch){t, t, kin_add_scaled(ray->origin, t, ray->direction), kin_scale(normal, outward ? 1 : -1), mesh->corners[place].triangle};
    }
    return c.count;
}
