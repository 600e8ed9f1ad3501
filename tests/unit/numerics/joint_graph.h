/* joint_graph.h - bodies and joints with J M^-1 J^t in blocks and as a whole: what block_ldl is made for. */
#pragma once
#include "base/rng.h"
#include "numerics/block_ldl.h"
#include <string.h>

enum { GRAPH_MOST = 64, GRAPH_ROWS = GRAPH_MOST * KIN_BLOCK_MOST };

typedef struct graph_body {
    double inverse[36]; /* M^-1, 6 x 6 */
} graph_body;

typedef struct graph_joint {
    int rows, body[2];               /* body -1: the world */
    double j[2][KIN_BLOCK_MOST * 6]; /* rows x 6 for either body */
} graph_joint;

typedef struct joint_graph {
    int bodies, joints, links;
    graph_body body[GRAPH_MOST + 1];
    graph_joint joint[GRAPH_MOST];
    int sizes[GRAPH_MOST];
    kin_block_link link[GRAPH_MOST * GRAPH_MOST];
    kin_rng_key key;
    uint32_t draw;
} joint_graph;

static inline double graph_random(joint_graph* g, double low, double high) { return kin_rng_uniform(&g->key, g->draw++, low, high); }
static inline int graph_choice(joint_graph* g, int count) { return (int)graph_random(g, 0, count); }

/* mass and the inertia of a round body of radius 1/2, times a matrix near 1 so that nothing is diagonal. */
static inline void graph_add_body(joint_graph* g, double mass)
{
    double skew[36];
    for (int i = 0; i < 36; ++i) skew[i] = graph_random(g, -0.1, 0.1) + (i % 7 == 0);
    for (int i = 0; i < 36; ++i) {
        double sum = 0;
        for (int k = 0; k < 6; ++k) sum += skew[i / 6 * 6 + k] * skew[i % 6 * 6 + k] / (k < 3 ? mass : 0.1 * mass);
        g->body[g->bodies].inverse[i] = sum;
    }
    ++g->bodies;
}

static inline graph_joint* graph_add_joint(joint_graph* g, int rows, int a, int b)
{
    graph_joint* joint = &g->joint[g->joints];
    *joint = (graph_joint){.rows = rows, .body = {a, b}};
    g->sizes[g->joints++] = rows;
    return joint;
}

static inline void graph_random_rows(joint_graph* g, graph_joint* joint)
{
    for (int side = 0; side < 2; ++side)
        for (int i = 0; i < joint->rows * 6; ++i) joint->j[side][i] = graph_random(g, -1, 1);
}

static inline void graph_link(joint_graph* g)
{
    g->links = 0;
    for (int i = 0; i < g->joints; ++i) {
        for (int j = 0; j < i; ++j) {
            bool shared = false;
            for (int s = 0; s < 4; ++s) shared = shared || (g->joint[i].body[s / 2] >= 0 && g->joint[i].body[s / 2] == g->joint[j].body[s % 2]);
            if (shared) g->link[g->links++] = (kin_block_link){i, j};
        }
    }
}

/* block += sum over shared bodies of J_i M^-1 J_j^t. */
static inline void graph_block(const joint_graph* g, int i, int j, double* block)
{
    const graph_joint *a = &g->joint[i], *b = &g->joint[j];
    memset(block, 0, KIN_BLOCK_MOST * KIN_BLOCK_MOST * sizeof *block);
    for (int s = 0; s < 4; ++s) {
        int body = a->body[s / 2];
        if (body < 0 || body != b->body[s % 2]) continue;
        for (int r = 0; r < a->rows; ++r) {
            for (int c = 0; c < b->rows; ++c) {
                double sum = 0;
                for (int k = 0; k < 36; ++k) sum += a->j[s / 2][r * 6 + k / 6] * g->body[body].inverse[k] * b->j[s % 2][c * 6 + k % 6];
                block[r * b->rows + c] += sum;
            }
        }
    }
}

static inline void graph_fill(const joint_graph* g, kin_block_ldl* l)
{
    double block[KIN_BLOCK_MOST * KIN_BLOCK_MOST];
    kin_block_ldl_clear(l);
    for (int i = 0; i < g->joints; ++i) {
        for (int j = 0; j <= i; ++j) {
            kin_block_slot slot = kin_block_ldl_slot(l, j, i); /* as it comes: some are kept turned */
            if (slot.begin < 0) continue;
            graph_block(g, j, i, block);
            kin_block_ldl_add(l, slot, block);
        }
    }
}

/* The same, row-major, all of it. */
static inline void graph_dense(const joint_graph* g, const kin_block_ldl* l, double* a)
{
    double block[KIN_BLOCK_MOST * KIN_BLOCK_MOST];
    for (int i = 0; i < g->joints; ++i) {
        for (int j = 0; j < g->joints; ++j) {
            graph_block(g, i, j, block);
            for (int k = 0; k < g->sizes[i] * g->sizes[j]; ++k) {
                a[(size_t)(l->first[i] + k / g->sizes[j]) * (size_t)l->rows + (size_t)(l->first[j] + k % g->sizes[j])] = block[k];
            }
        }
    }
    for (int i = 0; i < l->rows; ++i) a[(size_t)i * (size_t)l->rows + (size_t)i] += l->compliance[i];
}
