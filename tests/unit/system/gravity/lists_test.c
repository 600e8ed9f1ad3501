/* lists_test.c - who acts on whom: each body once, the grid of table 6.1, empty cells. */
#include "stars.h"
#include "system/gravity/local.h"

typedef struct planted {
    stars s;
    kin_gravity_tree tree;
    kin_gravity_lists lists;
    uint8_t* seen;
} planted;

static planted plant(test* t, shape kind, size_t n, uint32_t leaf, bool grid)
{
    planted p = {.s = stars_of(kind, n), .tree = {.allocator = t->allocator}, .seen = calloc(n, 1)};
    for (size_t i = 0; i < n; ++i) p.s.mass[i] = 1 + (double)(i % 5);
    EQUAL(t, kin_gravity_measure(&p.tree, &p.s.cloud, NULL), KIN_OK);
    CHECK(t, grid ? kin_gravity_grid_build(&p.tree, &p.s.cloud) : kin_gravity_tree_build(&p.tree, &p.s.cloud, leaf, NULL, 1));
    p.lists.cells = calloc(p.tree.node_count, sizeof(uint32_t));
    p.lists.near = calloc(p.tree.node_count, sizeof(uint32_t));
    return p;
}

static void uproot(planted* p)
{
    kin_gravity_tree_term(&p->tree);
    stars_free(&p->s);
    free(p->seen), free(p->lists.cells), free(p->lists.near);
}

static void mark(planted* p, const uint32_t* nodes, uint32_t count)
{
    for (uint32_t k = 0; k < count; ++k) {
        const kin_gravity_node* n = &p->tree.nodes[nodes[k]];
        for (uint32_t i = n->begin; i < n->begin + n->count; ++i) p->seen[i] += 1;
    }
}

/* Every body in one list, once; the target's own among the near ones. Masses seen are all but its own. */
static void check_target(test* t, planted* p, uint32_t target, kin_gravity_lists_fn* rule, double total)
{
    const kin_gravity_node* n = &p->tree.nodes[target];
    rule(&p->tree, target, 0.8, &p->lists);
    memset(p->seen, 0, p->tree.count);
    mark(p, p->lists.near, p->lists.near_count);
    for (uint32_t i = n->begin; i < n->begin + n->count; ++i) EQUAL(t, p->seen[i], 1);
    mark(p, p->lists.cells, p->lists.cell_count);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < p->tree.count; ++i) wrong += p->seen[i] != 1;
    EQUAL(t, wrong, 0);
    double seen = 0;
    for (uint32_t k = 0; k < p->lists.cell_count; ++k) seen += p->tree.nodes[p->lists.cells[k]].mass;
    for (uint32_t k = 0; k < p->lists.near_count; ++k) {
        const kin_gravity_node* s = &p->tree.nodes[p->lists.near[k]];
        for (uint32_t i = s->begin; i < s->begin + s->count; ++i) seen += i != n->begin ? p->tree.mass[i] : 0;
    }
    NEAR(t, seen, total - p->tree.mass[n->begin], 1e-6 * total);
}

static void each_body_is_counted_once(test* t) /* H6.4d */
{
    static kin_gravity_lists_fn* const rules[] = {kin_gravity_lists_adjacency, kin_gravity_lists_opening, kin_gravity_lists_grid};
    for (int kind = 0; kind < SHAPES; ++kind) {
        for (int r = 0; r < 4; ++r) {
            planted p = plant(t, (shape)kind, 1500, r == 3 ? 1 : 8, r == 2);
            double total = 0;
            for (uint32_t i = 0; i < p.tree.count; ++i) total += p.tree.mass[i];
            for (uint32_t i = 0; i < p.tree.node_count; i += 3) {
                if (p.tree.nodes[i].child_count == 0 && p.tree.nodes[i].count > 0) check_target(t, &p, i, rules[r % 3], total);
            }
            CHECK(t, p.lists.cell_count > 0);
            uproot(&p);
        }
    }
}

static void cells_know_their_bodies(test* t) /* masses bottom-up, centres, second moments about them, radii */
{
    planted p = plant(t, DISK, 2000, 8, false);
    for (uint32_t k = 0; k < p.tree.node_count; k += 7) {
        const kin_gravity_node* n = &p.tree.nodes[k];
        double mass = 0, x = 0, xy = 0, xyz = 0, far = 0;
        for (uint32_t i = n->begin; i < n->begin + n->count; ++i) {
            double m = p.tree.mass[i], dx = p.tree.x[i] - n->x, dy = p.tree.y[i] - n->y, dz = p.tree.z[i] - n->z;
            mass += m, x += m * dx, xy += m * dx * dy, xyz += m * dx * dy * dz;
            far = kin_max(far, kin_sqrt(dx * dx + dy * dy + dz * dz));
        }
        double r = n->radius;
        NEAR(t, n->mass, mass, 1e-6 * mass);
        NEAR(t, x, 0, 1e-6 * mass * r);
        NEAR(t, n->quadrupole[1], xy, 1e-5 * mass * r * r);
        NEAR(t, kin_gravity_octupole(n, 4), xyz, 1e-5 * mass * r * r * r);
        CHECK(t, far <= r * (1 + 1e-6) && r <= 1.7321 * n->side + 1e-6);
    }
    uproot(&p);
}

static void table_of_the_grid(test* t) /* table 6.1 */
{
    static const struct {
        double n, side, cells, work, direct;
    } rows[] = {{10, 2, 8, 1.48e2, 45},        {100, 3, 27, 1.00e4, 4.95e3},    {1e3, 5, 125, 3.14e5, 5.00e5},
                {1e4, 8, 512, 1.01e7, 5.00e7}, {1e5, 11, 1331, 3.33e8, 5.00e9}, {1e6, 17, 4913, 1.04e10, 5.00e11}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        kin_gravity_grid g = kin_gravity_grid_plan((uint64_t)rows[k].n);
        EQUAL(t, g.side, rows[k].side);
        EQUAL(t, g.cells, rows[k].cells);
        NEAR(t, g.work, rows[k].work, 0.005 * rows[k].work);
        NEAR(t, g.direct_work, rows[k].direct, 0.005 * rows[k].direct);
        double best = rows[k].n * (2 * kin_sqrt(27 * rows[k].n) - 27); /* M = sqrt(27 n), were it a cube */
        CHECK(t, g.work >= best && g.work < (k == 0 ? 30 : 1.4) * kin_abs(best));
    }
    EQUAL(t, kin_gravity_grid_plan(0).side, 1);
    EQUAL(t, kin_gravity_grid_plan(1).side, 1);
}

static void empty_cells_rest_in_their_middle(test* t) /* H6.4c */
{
    planted p = plant(t, PLUMMER, 1000, 0, true);
    uint32_t side = kin_gravity_grid_plan(1000).side, empty = 0;
    EQUAL(t, p.tree.node_count, side * side * side);
    for (uint32_t k = 0; k < p.tree.node_count; ++k) {
        const kin_gravity_node* n = &p.tree.nodes[k];
        if (n->count > 0) continue;
        empty += 1;
        NEAR(t, n->mass, 0, 0);
        NEAR(t, n->x, (k % side + 0.5) / side - 0.5, 1e-15);
        NEAR(t, n->y, (k / side % side + 0.5) / side - 0.5, 1e-15);
        NEAR(t, n->z, (k / side / side + 0.5) / side - 0.5, 1e-15);
    }
    CHECK(t, empty > 10);
    uproot(&p);
}

TEST_MAIN("system/gravity/lists", TEST(each_body_is_counted_once), TEST(cells_know_their_bodies), TEST(table_of_the_grid),
          TEST(empty_cells_rest_in_their_middle))
