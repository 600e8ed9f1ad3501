/* bvh_pairs.c - tree against tree, and tree against itself. */
#include "geometry/bvh_pairs.h"
#include "math/aabb.h"
#include "math/mat3.h"

#define ROUND_OFF 0x1p-19 /* of the numbers involved: some thirty roundings of a float, 2^-24 each */

/* A box as the walk compares it: twice its centre from the root's, and its size. */
typedef struct boxed {
    kin_bvh_lanes at, size;
} boxed;

static inline kin_bvh_lanes load_low(const kin_bvh_node* n)
{
    kin_bvh_lanes out;
    __builtin_memcpy(&out, n, sizeof out);
    return out;
}

static inline kin_bvh_lanes load_high(const kin_bvh_node* n)
{
    kin_bvh_lanes out;
    __builtin_memcpy(&out, (const char*)n + sizeof out, sizeof out);
    return out;
}

/* Coordinates relative to the root's middle first: far from the origin they are exact, and small. */
static inline boxed box_of(const kin_bvh_node* n, kin_bvh_lanes middle)
{
    kin_bvh_lanes low = load_low(n) - middle, high = load_high(n) - middle;
    return (boxed){low + high, high - low};
}

static inline kin_bvh_lanes apply(const kin_bvh_lanes columns[3], kin_bvh_lanes v)
{
    kin_bvh_lanes x = {v[0], v[0], v[0], v[0]}, y = {v[1], v[1], v[1], v[1]}, z = {v[2], v[2], v[2], v[2]};
    return columns[0] * x + columns[1] * y + columns[2] * z;
}

/* |d| > reach along one of three axes; a fourth lane takes no part. Numbers that overflowed are not apart. */
static inline bool apart(kin_bvh_lanes d, kin_bvh_lanes reach)
{
    kin_bvh_halves any = (kin_bvh_halves)((d > reach) | (-d > reach));
    return (any[0] | (any[1] & 0xffffffff)) != 0;
}

static inline bool boxes_meet(const kin_bvh_pairs* w, const boxed* a, const boxed* b)
{
    kin_bvh_lanes d = apply(w->turn, b->at) + w->shift - a->at;
    if (apart(d, a->size + apply(w->turn_reach, b->size) + w->pad)) return false;
    return !apart(apply(w->back, d), b->size + apply(w->back_reach, a->size) + w->pad);
}

static inline float extent(kin_bvh_lanes size) { return size[0] + size[1] + size[2]; }

static kin_bvh_lanes lanes_of(kin_vec3 v) { return (kin_bvh_lanes){(float)v.x, (float)v.y, (float)v.z, 0}; }

static void set_columns(kin_bvh_lanes columns[3], kin_bvh_lanes reach[3], kin_mat3 m)
{
    for (int k = 0; k < 3; ++k) {
        columns[k] = lanes_of(kin_mat3_column(m, k));
        reach[k] = lanes_of(kin_abs3(kin_mat3_column(m, k)));
    }
}

static kin_vec3 middle_of(const kin_bvh_node* n)
{
    kin_vec3 low = {n->low[0], n->low[1], n->low[2]}, high = {n->high[0], n->high[1], n->high[2]};
    kin_bvh_lanes rounded = lanes_of(kin_lerp(low, high, 0.5)); /* exactly what the walk subtracts */
    return kin_v(rounded[0], rounded[1], rounded[2]);
}

static double size_of(const kin_bvh_node* n)
{
    return kin_max(kin_max((double)n->high[0] - n->low[0], (double)n->high[1] - n->low[1]), (double)n->high[2] - n->low[2]);
}

static inline void push(kin_bvh_pairs* walk, uint32_t a, uint32_t b) { walk->stack[walk->top++] = (kin_bvh_pair){a, b}; }

static inline bool leaves_found(kin_bvh_pairs* walk, const kin_bvh_node* a, const kin_bvh_node* b)
{
    walk->a_begin = a->first, walk->a_end = a->first + a->count;
    walk->b_begin = b->first, walk->b_end = b->first + b->count;
    return true;
}

void kin_bvh_pairs_begin(kin_bvh_pairs* walk, const kin_bvh* a, const kin_bvh* b, kin_mat3 turn, kin_vec3 shift, double margin)
{
    walk->a = a, walk->b = b;
    walk->self = false;
    walk->top = 0;
    if (a->node_count == 0 || b->node_count == 0) return;
    kin_vec3 a_middle = middle_of(a->nodes), b_middle = middle_of(b->nodes);
    kin_vec3 between = kin_sub(kin_add(kin_mat3_apply(turn, b_middle), shift), a_middle);
    double far = kin_max(kin_largest(kin_abs3(a_middle)), kin_max(kin_largest(kin_abs3(b_middle)), kin_largest(kin_abs3(shift)))); /* doubles round too */
    double scale = size_of(a->nodes) + size_of(b->nodes) + kin_largest(kin_abs3(between));
    float pad = kin_float_up(2 * margin + ROUND_OFF * scale + 1e-14 * far);
    set_columns(walk->turn, walk->turn_reach, turn);
    set_columns(walk->back, walk->back_reach, kin_mat3_transpose(turn));
    walk->a_middle = lanes_of(a_middle), walk->b_middle = lanes_of(b_middle);
    walk->shift = lanes_of(kin_scale(between, 2));
    walk->pad = (kin_bvh_lanes){pad, pad, pad, pad};
    boxed box_a = box_of(a->nodes, walk->a_middle), box_b = box_of(b->nodes, walk->b_middle);
    if (boxes_meet(walk, &box_a, &box_b)) push(walk, 0, 0);
}

/* The first of the two pairs below (a, b) ends on top. */
static inline void open_two(kin_bvh_pairs* walk, const kin_bvh_node* a, const kin_bvh_node* b, kin_bvh_pair pair)
{
    boxed box_a = box_of(a, walk->a_middle), box_b = box_of(b, walk->b_middle);
    if (b->count > 0 || (a->count == 0 && extent(box_a.size) >= extent(box_b.size))) {
        boxed left = box_of(&walk->a->nodes[a->first], walk->a_middle), right = box_of(&walk->a->nodes[a->first + 1], walk->a_middle);
        if (boxes_meet(walk, &right, &box_b)) push(walk, a->first + 1, pair.b);
        if (boxes_meet(walk, &left, &box_b)) push(walk, a->first, pair.b);
        return;
    }
    boxed left = box_of(&walk->b->nodes[b->first], walk->b_middle), right = box_of(&walk->b->nodes[b->first + 1], walk->b_middle);
    if (boxes_meet(walk, &box_a, &right)) push(walk, pair.a, b->first + 1);
    if (boxes_meet(walk, &box_a, &left)) push(walk, pair.a, b->first);
}

void kin_bvh_self_begin(kin_bvh_pairs* walk, const kin_bvh* bvh, double margin)
{
    walk->a = walk->b = bvh;
    walk->self = true;
    walk->top = 0;
    if (bvh->node_count == 0) return;
    double scale = kin_largest(kin_abs3(middle_of(bvh->nodes))) + size_of(bvh->nodes);
    float pad = margin > 0 ? kin_float_up(margin + 0x1p-22 * scale) : 0; /* what a sum of floats may lose; without a margin there is none */
    walk->pad = (kin_bvh_lanes){pad, pad, pad, pad};
    push(walk, 0, 0);
}

static inline bool sisters_meet(const kin_bvh_pairs* w, const kin_bvh_node* a, const kin_bvh_node* b)
{
    kin_bvh_halves any = (kin_bvh_halves)((load_low(a) - w->pad > load_high(b)) | (load_low(b) - w->pad > load_high(a)));
    return (any[0] | (any[1] & 0xffffffff)) == 0;
}

static inline float node_extent(const kin_bvh_node* n) { return extent(load_high(n) - load_low(n)); }

static inline void push_meeting(kin_bvh_pairs* walk, uint32_t a, uint32_t b)
{
    if (sisters_meet(walk, &walk->a->nodes[a], &walk->a->nodes[b])) push(walk, a, b);
}

static inline void open_one(kin_bvh_pairs* walk, const kin_bvh_node* a, const kin_bvh_node* b, kin_bvh_pair pair)
{
    if (pair.a == pair.b) {
        push(walk, a->first + 1, a->first + 1);
        push_meeting(walk, a->first, a->first + 1);
        push(walk, a->first, a->first);
    } else if (b->count > 0 || (a->count == 0 && node_extent(a) >= node_extent(b))) {
        push_meeting(walk, a->first + 1, pair.b);
        push_meeting(walk, a->first, pair.b);
    } else {
        push_meeting(walk, pair.a, b->first + 1);
        push_meeting(walk, pair.a, b->first);
    }
}

bool kin_bvh_pairs_next(kin_bvh_pairs* walk)
{
    while (walk->top > 0) {
        kin_bvh_pair pair = walk->stack[--walk->top];
        const kin_bvh_node *a = &walk->a->nodes[pair.a], *b = &walk->b->nodes[pair.b];
        if (a->count > 0 && b->count > 0) return leaves_found(walk, a, b);
        if (walk->self) {
            open_one(walk, a, b, pair);
        } else {
            open_two(walk, a, b, pair);
        }
    }
    return false;
}

/* Puts what is below parts[at] in its place; how many that is, or -1: no room. */
static int replace(kin_bvh_pairs* walk, kin_bvh_pair* parts, int count, int most, int at)
{
    kin_bvh_pair pair = parts[at];
    const kin_bvh_node *a = &walk->a->nodes[pair.a], *b = &walk->b->nodes[pair.b];
    if (a->count > 0 && b->count > 0) return 1;
    walk->top = 0;
    if (walk->self) {
        open_one(walk, a, b, pair);
    } else {
        open_two(walk, a, b, pair);
    }
    int found = (int)walk->top;
    if (count - 1 + found > most) return -1;
    __builtin_memmove(parts + at + found, parts + at + 1, (size_t)(count - at - 1) * sizeof *parts);
    for (int k = 0; k < found; ++k) parts[at + k] = walk->stack[found - 1 - k];
    return found;
}

int kin_bvh_pairs_split(const kin_bvh_pairs* walk, kin_bvh_pair* parts, int most)
{
    int count = (int)walk->top;
    for (int k = 0; k < count; ++k) parts[k] = walk->stack[count - 1 - k];
    kin_bvh_pairs scratch = *walk;
    for (int level = 0; level < 2 * KIN_BVH_MAX_DEPTH; ++level) {
        for (int at = 0; at < count;) {
            int found = replace(&scratch, parts, count, most, at);
            if (found < 0) return count;
            count += found - 1;
            at += found;
        }
    }
    return count;
}

void kin_bvh_pairs_part(kin_bvh_pairs* walk, kin_bvh_pair part)
{
    walk->top = 0;
    push(walk, part.a, part.b);
}
