/* loops.c - joints of closed loops yield where they cannot be fulfilled; those of trees, and of loops that close, are rigid.
 *
 * Rows of loops may say almost what others say: a taut rope, a flat net. Then no finite force fulfils C = 0, Newton's iteration does not converge, and what
 * the guard leaves of the step gains energy. From the first such substep on, the points that joints of loops hold are springs, C = -y h^2 F, implicit in F.
 * They do the work F . (C1 - C0) <= U0 - U1 with U = |C|^2 / (2 y h^2), lose energy only, and A + y is regular in every pose. y h^2 F is the share
 * KIN_JOINT_TREE_COMPLIANCE of the way that F alone would move both bodies in a substep (regularised constraints: Servin, Lacoursiere & Melin 2006). Nets of
 * 5 to 50 a side: with 1e-5 substeps are still halved, 1e-3 opens joints by 3 mm where 1e-4 opens them by 0.6. */
#include "base/alloc.h"
#include "contact/tree/state.h"

/* Mean of J M^-1 J^t over the three rows of a point. */
static double inv_mass_at(const kin_joint_tree_body* b, kin_vec3 lever)
{
    const kin_vec3 q = kin_mul(lever, lever), m = b->moments;
    const double turning = b->turns ? q.x * (1 / m.y + 1 / m.z) + q.y * (1 / m.z + 1 / m.x) + q.z * (1 / m.x + 1 / m.y) : 0;
    return (b->moves ? 1 / b->mass : 0) + turning / 3;
}

/* All anchors are one node, the last. */
static int node_of(const kin_joint_tree* t, int body) { return body < t->free ? body : t->free; }

static int other_end(const kin_joint_tree* t, int joint, int node)
{
    const int a = node_of(t, t->joint[joint].a), b = node_of(t, t->joint[joint].b);
    return a == node ? b : a;
}

/* The joint of a leaf that is still there; -1: none. Joints of anchors are not listed. */
static int last_joint(const kin_joint_tree* t, int node, const bool* gone)
{
    const int first = node < t->free ? t->by_body_first[node] : 0, end = node < t->free ? t->by_body_first[node + 1] : t->joints;
    for (int k = first; k < end; ++k) {
        const int joint = node < t->free ? t->by_body[k] : k;
        if (!gone[joint] && (node_of(t, t->joint[joint].a) == node || node_of(t, t->joint[joint].b) == node)) return joint;
    }
    return -1;
}

/* Leaves go, and what is a leaf then: a tree goes wholly, and what stays are loops and what lies between them. */
static void peel(const kin_joint_tree* t, int* degree, int* leaf, bool* gone)
{
    int count = 0;
    for (int i = 0; i < t->joints; ++i) degree[node_of(t, t->joint[i].a)] += 1, degree[node_of(t, t->joint[i].b)] += 1;
    for (int i = 0; i <= t->free; ++i) {
        if (degree[i] == 1) leaf[count++] = i;
    }
    while (count > 0) {
        const int node = leaf[--count], joint = last_joint(t, node, gone);
        if (joint < 0) continue; /* its neighbour was a leaf too */
        const int other = other_end(t, joint, node);
        gone[joint] = true;
        degree[node] = 0;
        if (--degree[other] == 1) leaf[count++] = other;
    }
}

void kin_joint_tree_yield(kin_joint_tree* t)
{
    t->yields = true;
    for (int i = 0; i < t->joints; ++i) {
        const kin_joint_tree_joint* j = &t->joint[i];
        for (int r = 0; j->yield > 0 && r < 3; ++r) t->force[j->first + r] = 0;
    }
}

bool kin_joint_tree_find_loops(kin_joint_tree* t, kin_arena* scratch)
{
    const size_t nodes = (size_t)t->free + 1;
    int *degree = kin_arena_take(scratch, kin_bytes(nodes, sizeof *degree)), *leaf = kin_arena_take(scratch, kin_bytes(nodes, sizeof *leaf));
    bool* gone = kin_arena_take(scratch, (size_t)t->joints + 1);
    if (!degree || !leaf || !gone) return false;
    for (size_t i = 0; i < nodes; ++i) degree[i] = 0;
    for (int i = 0; i < t->joints; ++i) gone[i] = false;
    peel(t, degree, leaf, gone);
    for (int i = 0; i < t->joints; ++i) {
        kin_joint_tree_joint* j = &t->joint[i];
        if (gone[i] || !j->point) continue;
        j->yield = KIN_JOINT_TREE_COMPLIANCE * (inv_mass_at(&t->body[j->a], j->anchor_a) + inv_mass_at(&t->body[j->b], j->anchor_b));
        t->has_loops = t->has_loops || j->yield > 0;
    }
    return true;
}
