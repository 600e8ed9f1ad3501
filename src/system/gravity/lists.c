/* lists.c - which cells act on a group of bodies as a whole, and which by their bodies: Barnes-Hut's opening rule, the adjacency rule of H6.4d, and the 27
 * cells of H6.4c. */
#include "math/scalar.h"
#include "system/gravity/local.h"

enum { STACK = 8 * (KIN_GRAVITY_DEPTH + 2) };

/* ---- opening angle ---- */

/* s / theta + r < d, and never a cell that the target lies in, whose centre may be far from it. Closer than half the target's side, powers overflow. */
static bool far_enough(const kin_gravity_node* t, const kin_gravity_node* s, double theta)
{
    if (s->begin <= t->begin && t->begin < s->begin + s->count) return false;
    double d2 = kin_square(s->x - t->x) + kin_square(s->y - t->y) + kin_square(s->z - t->z);
    return d2 > kin_square((double)s->side / theta + (double)t->radius) && 4 * d2 > kin_square((double)t->side);
}

void kin_gravity_lists_opening(const kin_gravity_tree* tree, uint32_t target, double theta, kin_gravity_lists* out)
{
    const kin_gravity_node *nodes = tree->nodes, *t = &nodes[target];
    uint32_t stack[STACK], top = 0;
    out->cell_count = out->near_count = 0;
    stack[top++] = 0;
    while (top > 0) {
        uint32_t at = stack[--top];
        const kin_gravity_node* s = &nodes[at];
        if (far_enough(t, s, theta)) {
            out->cells[out->cell_count++] = at;
        } else if (s->child_count == 0) {
            out->near[out->near_count++] = at;
        } else {
            for (uint32_t c = s->child + s->child_count; c-- > s->child;) stack[top++] = c;
        }
    }
}

/* ---- adjacency ---- */

static uint32_t every_third(uint64_t x)
{
    x &= 0x1249249249249249u;
    x = (x | x >> 2) & 0x10C30C30C30C30C3u;
    x = (x | x >> 4) & 0x100F00F00F00F00Fu;
    x = (x | x >> 8) & 0x001F0000FF0000FFu;
    x = (x | x >> 16) & 0x001F00000000FFFFu;
    return (uint32_t)(x | x >> 32) & 0x1FFFFF;
}

/* In cells as big as s: is s more than one away from all that the target covers? */
static bool apart(const kin_gravity_tree* tree, const kin_gravity_node* t, const kin_gravity_node* s)
{
    for (int axis = 0; axis < 3; ++axis) {
        uint32_t low = every_third(tree->keys[t->begin] >> axis) >> t->shift << t->shift, high = low + ((uint32_t)1 << t->shift) - 1;
        int64_t cell = every_third(tree->keys[s->begin] >> axis) >> s->shift;
        if (cell < (int64_t)(low >> s->shift) - 1 || cell > (int64_t)(high >> s->shift) + 1) return true;
    }
    return false;
}

/* At each level the cells that are not neighbours and whose parents were: so each body is met once. The rule knows no angle. */
void kin_gravity_lists_adjacency(const kin_gravity_tree* tree, uint32_t target, double theta, kin_gravity_lists* out)
{
    const kin_gravity_node *nodes = tree->nodes, *t = &nodes[target];
    uint32_t stack[STACK], top = 0;
    (void)theta;
    out->cell_count = out->near_count = 0;
    stack[top++] = 0;
    while (top > 0) {
        uint32_t at = stack[--top];
        const kin_gravity_node* s = &nodes[at];
        if (apart(tree, t, s)) {
            out->cells[out->cell_count++] = at;
        } else if (s->child_count == 0) {
            out->near[out->near_count++] = at;
        } else {
            for (uint32_t c = s->child + s->child_count; c-- > s->child;) stack[top++] = c;
        }
    }
}

/* ---- grid ---- */

static bool neighbours(uint32_t a, uint32_t b) { return a <= b + 1 && b <= a + 1; }

void kin_gravity_lists_grid(const kin_gravity_tree* tree, uint32_t target, double theta, kin_gravity_lists* out)
{
    uint32_t side = kin_gravity_grid_plan(tree->count).side, column = target % side, row = target / side % side, layer = target / side / side;
    (void)theta;
    out->cell_count = out->near_count = 0;
    for (uint32_t i = 0; i < tree->node_count; ++i) {
        if (tree->nodes[i].count == 0) continue;
        if (neighbours(i % side, column) && neighbours(i / side % side, row) && neighbours(i / side / side, layer))
            out->near[out->near_count++] = i;
        else
            out->cells[out->cell_count++] = i;
    }
}
