/* moments.c - mass, centre of mass (H6.4b), second and third moments of cells, from the leaves up: the first moments about the centre vanish. Levels one after
 * another, the cells of a level in parallel. */
#include "math/scalar.h"
#include "system/gravity/local.h"

enum { EXACT = 1536 /* cells of up to so many bodies know their farthest one; above, a bound is as good */ };

typedef struct moment_job {
    kin_gravity_tree* tree;
    uint32_t first;
    bool walk;
} moment_job;

/* A cell or body of mass m at (x, y, z) from the centre. */
static void add_point(kin_gravity_node* n, float m, float x, float y, float z)
{
    float xx = m * x * x, xy = m * x * y, xz = m * x * z, yy = m * y * y, yz = m * y * z, zz = m * z * z;
    float *q = n->quadrupole, *o = n->octupole;
    q[0] += xx, q[1] += xy, q[2] += xz, q[3] += yy, q[4] += yz, q[5] += zz;
    o[0] += xx * x, o[1] += xx * y, o[2] += xx * z, o[3] += xy * y, o[4] += xy * z;
    o[5] += xz * z, o[6] += yy * y, o[7] += yy * z;
    n->yzz = (float)n->yzz + yz * z, n->zzz += zz * z;
}

/* What a child's own second and third moments add beside its mass. */
static void add_child(kin_gravity_node* n, const kin_gravity_node* child, float x, float y, float z)
{
    const float *q = child->quadrupole, *c = child->octupole;
    float* o = n->octupole;
    for (int k = 0; k < 6; ++k) n->quadrupole[k] += q[k];
    o[0] += c[0] + 3 * x * q[0];
    o[1] += c[1] + 2 * x * q[1] + y * q[0];
    o[2] += c[2] + 2 * x * q[2] + z * q[0];
    o[3] += c[3] + 2 * y * q[1] + x * q[3];
    o[4] += c[4] + x * q[4] + y * q[2] + z * q[1];
    o[5] += c[5] + 2 * z * q[2] + x * q[5];
    o[6] += c[6] + 3 * y * q[3];
    o[7] += c[7] + 2 * y * q[4] + z * q[3];
    n->yzz = (float)n->yzz + ((float)child->yzz + 2 * z * q[4] + y * q[5]);
    n->zzz += child->zzz + 3 * z * q[5];
}

static float farthest_body(const kin_gravity_tree* t, const kin_gravity_node* n)
{
    double most = 0;
    for (uint32_t i = n->begin; i < n->begin + n->count; ++i) {
        most = kin_max(most, kin_square(t->x[i] - n->x) + kin_square(t->y[i] - n->y) + kin_square(t->z[i] - n->z));
    }
    return (float)kin_sqrt(most);
}

/* Weightless bodies have a middle too. */
static void divide_centre(kin_gravity_node* n, double mass, double x, double y, double z, const double plain[3], double count)
{
    bool heavy = mass > 0;
    n->x = heavy ? x / mass : plain[0] / count;
    n->y = heavy ? y / mass : plain[1] / count;
    n->z = heavy ? z / mass : plain[2] / count;
    n->mass = (float)mass;
}

static void leaf_moments(const kin_gravity_tree* t, kin_gravity_node* n)
{
    double mass = 0, x = 0, y = 0, z = 0, plain[3] = {0};
    float weight = 0;
    uint32_t end = n->begin + n->count;
    for (uint32_t i = n->begin; i < end; ++i) {
        double m = t->mass[i];
        mass += m, x += m * t->x[i], y += m * t->y[i], z += m * t->z[i];
        plain[0] += t->x[i], plain[1] += t->y[i], plain[2] += t->z[i];
        weight += t->weight[i];
    }
    divide_centre(n, mass, x, y, z, plain, n->count);
    for (uint32_t i = n->begin; i < end; ++i) add_point(n, t->mass[i], (float)(t->x[i] - n->x), (float)(t->y[i] - n->y), (float)(t->z[i] - n->z));
    n->radius = farthest_body(t, n);
    n->weight = weight;
}

static void inner_moments(const kin_gravity_tree* t, kin_gravity_node* n)
{
    const kin_gravity_node *first = &t->nodes[n->child], *end = first + n->child_count;
    double mass = 0, x = 0, y = 0, z = 0, plain[3] = {0};
    for (const kin_gravity_node* c = first; c < end; ++c) {
        double m = c->mass;
        mass += m, x += m * c->x, y += m * c->y, z += m * c->z;
        plain[0] += c->x, plain[1] += c->y, plain[2] += c->z;
        n->weight += c->weight;
    }
    divide_centre(n, mass, x, y, z, plain, n->child_count);
    for (const kin_gravity_node* c = first; c < end; ++c) {
        float dx = (float)(c->x - n->x), dy = (float)(c->y - n->y), dz = (float)(c->z - n->z);
        add_point(n, c->mass, dx, dy, dz);
        add_child(n, c, dx, dy, dz);
        double reach = kin_sqrt(kin_square(c->x - n->x) + kin_square(c->y - n->y) + kin_square(c->z - n->z)) + c->radius;
        n->radius = (float)kin_max(n->radius, reach);
    }
    if (n->count <= EXACT) n->radius = (float)kin_min(n->radius, farthest_body(t, n));
}

static void show_to_walk(kin_gravity_tree* t, uint32_t i)
{
    const kin_gravity_node* n = &t->nodes[i];
    t->node_x[i] = (float)n->x;
    t->node_y[i] = (float)n->y;
    t->node_z[i] = (float)n->z;
    t->node_radius[i] = n->radius;
    t->node_mass[i] = n->mass;
    t->node_number[i] = n->child_count > 0 ? i : i | KIN_GRAVITY_LEAF;
}

static void level_chunk(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const moment_job* job = argument;
    (void)chunk, (void)scratch;
    for (int64_t k = begin; k < end; ++k) {
        uint32_t i = job->first + (uint32_t)k;
        kin_gravity_node* n = &job->tree->nodes[i];
        if (n->count == 0) continue; /* an empty cell of the grid keeps its middle */
        if (n->child_count == 0)
            leaf_moments(job->tree, n);
        else
            inner_moments(job->tree, n);
        if (job->walk) show_to_walk(job->tree, i);
    }
}

void kin_gravity_moments(kin_gravity_tree* tree, kin_jobs* jobs, bool walk)
{
    for (uint32_t k = tree->level_count; k-- > 0;) {
        moment_job job = {tree, tree->level[k], walk};
        kin_gravity_for(jobs, &tree->allocator, tree->level[k + 1] - tree->level[k], 128, level_chunk, &job);
    }
}
