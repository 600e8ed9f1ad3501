/* grid.c - H6.4c: one level of D^3 cells, as a tree without branches. */
#include "base/alloc.h"
#include "base/sort.h"
#include "math/scalar.h"
#include "system/gravity/local.h"

static bool fits(uint64_t side, uint64_t n) /* side^6 <= 27 n, in doubles, exact as far as it matters */
{
    double cube = (double)side * (double)side * (double)side;
    return cube * cube <= 27 * (double)n;
}

kin_gravity_grid kin_gravity_grid_plan(uint64_t n)
{
    uint32_t side = 1;
    while (fits(side + 1, n)) side += 1;
    double count = (double)n, cells = (double)side * side * side;
    return (kin_gravity_grid){side, side * side * side, count * (27 * count / cells + cells - 27), 0.5 * count * (count - 1)};
}

static uint32_t cell_along(const kin_gravity_tree* tree, uint32_t side, int axis, double x)
{
    double place = ((x - tree->centre[axis]) / tree->side + 0.5) * side;
    return (uint32_t)kin_clamp(place, 0, side - 1);
}

static void number_cells(kin_gravity_tree* tree, uint32_t side)
{
    double edge = 1.0 / side;
    for (uint32_t i = 0; i < tree->node_count; ++i) {
        double x = (i % side + 0.5) * edge - 0.5, y = (i / side % side + 0.5) * edge - 0.5, z = (i / side / side + 0.5) * edge - 0.5;
        tree->nodes[i] = (kin_gravity_node){.x = x, .y = y, .z = z, .side = (float)edge}; /* an empty cell: no mass, at its middle */
    }
    for (uint32_t i = 0; i < tree->count; ++i) tree->nodes[tree->keys[i]].count += 1;
    for (uint32_t i = 0, begin = 0; i < tree->node_count; ++i) {
        tree->nodes[i].begin = begin;
        begin += tree->nodes[i].count;
    }
}

bool kin_gravity_grid_build(kin_gravity_tree* tree, const kin_mutual_cloud* cloud)
{
    kin_gravity_grid plan = kin_gravity_grid_plan(cloud->count);
    if (!kin_gravity_tree_reserve(tree, cloud->count)) return false;
    if (!kin_reserve(&tree->allocator, (void**)&tree->nodes, &tree->node_capacity, plan.cells, sizeof *tree->nodes)) return false;
    for (uint32_t i = 0; i < cloud->count; ++i) {
        uint32_t x = cell_along(tree, plan.side, 0, cloud->x[0][i]), y = cell_along(tree, plan.side, 1, cloud->x[1][i]);
        tree->keys[i] = ((uint64_t)cell_along(tree, plan.side, 2, cloud->x[2][i]) * plan.side + y) * plan.side + x;
        tree->id[i] = i;
    }
    kin_sort_keys(tree->keys, tree->id, tree->key_scratch, tree->id_scratch, cloud->count);
    tree->node_count = plan.cells;
    tree->level_count = 1;
    tree->level[0] = 0, tree->level[1] = plan.cells;
    number_cells(tree, plan.side);
    kin_gravity_gather(tree, cloud, NULL, 1);
    kin_gravity_moments(tree, cloud->jobs, false);
    return true;
}
