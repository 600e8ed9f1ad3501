/* group_kernels.c - what its lists say about the bodies of one cell; built once per width. */
#include "system/gravity/bodies.h"

/* A cell as its mass at its centre. */
static void add_point(targets* t, const kin_gravity_node* s)
{
    uint32_t k = t->point_count++;
    t->px[k] = (float)((s->x - t->node->x) * t->inverse);
    t->py[k] = (float)((s->y - t->node->y) * t->inverse);
    t->pz[k] = (float)((s->z - t->node->z) * t->inverse);
    t->pm[k] = s->mass;
    if (t->point_count == POINTS) work_off_points(t);
}

/* The target's bodies among themselves, in doubles, without their own: softened or not, nothing is subtracted afterwards. */
static double own_energy(const targets* t, uint32_t i)
{
    const kin_gravity_tree* tree = t->sum->tree;
    double e2 = kin_square(t->sum->softening / tree->side), sum = 0;
    for (uint32_t j = t->node->begin; j < t->node->begin + t->node->count; ++j) {
        double r2 = kin_square(tree->x[j] - tree->x[i]) + kin_square(tree->y[j] - tree->y[i]) + kin_square(tree->z[j] - tree->z[i]) + e2;
        if (j != i && r2 > 1e-40) sum -= tree->mass[j] / kin_sqrt(r2);
    }
    return sum;
}

/* Half of each pair: the other half is the other body's. */
static void give_potential(const targets* t)
{
    const kin_gravity_sum* s = t->sum;
    const kin_gravity_tree* tree = s->tree;
    double unit = 0.5 * s->constant * tree->mass_unit / tree->side;
    for (uint32_t i = 0; i < t->node->count; ++i) {
        uint32_t at = t->node->begin + i;
        s->potential[at] = unit * s->cloud->mass[tree->id[at]] * (t->ax[i] * t->inverse + own_energy(t, at));
    }
}

void KIN_KERNEL(kin_gravity_group)(kin_gravity_sum* sum, uint32_t target, const kin_gravity_lists* lists, kin_arena* scratch)
{
    const kin_gravity_node *nodes = sum->tree->nodes, *node = &nodes[target];
    if (node->count == 0) return;
    targets* t = kin_arena_take(scratch, sizeof *t);
    if (t != NULL) init_targets(t, sum);
    if (t == NULL || !begin_targets(t, node, scratch)) {
        atomic_store(&sum->failed, true);
        return;
    }
    for (uint32_t k = 0; k < lists->near_count; ++k) {
        const kin_gravity_node* s = &nodes[lists->near[k]];
        bool own = s->begin >= node->begin && s->begin < node->begin + node->count;
        if (sum->potential == NULL || !own) add_bodies(t, s->begin, s->begin + s->count);
    }
    for (uint32_t k = 0; k < lists->cell_count; ++k) {
        if (sum->quadrupole)
            add_cell(t, &nodes[lists->cells[k]]);
        else
            add_point(t, &nodes[lists->cells[k]]);
    }
    finish_targets(t);
    tell_counts(t);
    if (sum->potential != NULL)
        give_potential(t);
    else
        give_accelerations(t);
}
