/* system.c - J M^-1 J^t by the bodies that joints share (E13: of either joint its own arm), factored and solved. */
#include "contact/joint/system.h"
#include "base/sort.h"

static bool is_moved(const kin_body* b) { return b->inv_mass > 0 || b->inv_moments.x > 0 || b->inv_moments.y > 0 || b->inv_moments.z > 0; }

/* ---- once for a graph ---- */

/* All sides of nodes that are moved, sorted by body: key the body, value 2 node + side. */
static int list_sides(int nodes, const kin_joint_node* node, const kin_body* bodies, kin_arena* scratch, uint64_t** keys, uint32_t** values)
{
    size_t most = 2 * (size_t)nodes;
    *keys = kin_arena_take(scratch, most * sizeof **keys);
    *values = kin_arena_take(scratch, most * sizeof **values);
    uint64_t* spare_keys = kin_arena_take(scratch, most * sizeof *spare_keys);
    uint32_t* spare_values = kin_arena_take(scratch, most * sizeof *spare_values);
    if (*keys == NULL || *values == NULL || spare_keys == NULL || spare_values == NULL) return -1;
    size_t n = 0;
    for (int i = 0; i < nodes; ++i) {
        const uint32_t body[2] = {node[i].a, node[i].b};
        for (uint32_t side = 0; side < 2; ++side) {
            if (body[side] == KIN_NO_BODY || !is_moved(&bodies[body[side]])) continue;
            (*keys)[n] = body[side];
            (*values)[n++] = 2 * (uint32_t)i + side;
        }
    }
    kin_sort_keys(*keys, *values, spare_keys, spare_values, n);
    return (int)n;
}

/* Every pair of sides at a body, each with itself too. out NULL: only counts. */
static int list_meetings(int sides, const uint64_t* keys, const uint32_t* values, kin_joint_meeting* out)
{
    int n = 0;
    for (int p = 0; p < sides; ++p) {
        for (int q = p; q < sides && keys[q] == keys[p]; ++q, ++n) {
            if (out == NULL) continue;
            out[n] = (kin_joint_meeting){.i = (int)(values[p] / 2), .j = (int)(values[q] / 2), .side_i = (int)(values[p] % 2), .side_j = (int)(values[q] % 2)};
        }
    }
    return n;
}

static bool analyse(kin_joint_system* s, kin_arena* arena, kin_arena* scratch)
{
    int* sizes = kin_arena_take(scratch, (size_t)s->nodes * sizeof *sizes);
    kin_block_link* links = kin_arena_take(scratch, (size_t)s->meetings * sizeof *links);
    if (sizes == NULL || links == NULL) return false;
    for (int i = 0; i < s->nodes; ++i) sizes[i] = s->node[i].count;
    for (int k = 0; k < s->meetings; ++k) links[k] = (kin_block_link){s->meeting[k].i, s->meeting[k].j};
    if (!kin_block_ldl_analyse(s->nodes, sizes, s->meetings, links, arena, scratch, &s->ldl)) return false;
    for (int k = 0; k < s->meetings; ++k) s->meeting[k].slot = kin_block_ldl_slot(&s->ldl, s->meeting[k].i, s->meeting[k].j);
    s->rows = s->ldl.rows;
    s->answer = kin_arena_take(arena, 2 * (size_t)s->rows * sizeof *s->answer);
    return s->answer != NULL;
}

static bool make(int nodes, const kin_joint_node* node, const kin_body* bodies, kin_arena* arena, kin_arena* scratch, kin_joint_system* s)
{
    uint64_t* keys;
    uint32_t* values;
    int sides = list_sides(nodes, node, bodies, scratch, &keys, &values);
    if (sides < 0) return false;
    *s = (kin_joint_system){.nodes = nodes, .meetings = list_meetings(sides, keys, values, NULL)};
    s->node = kin_arena_take(arena, (size_t)nodes * sizeof *s->node);
    s->meeting = kin_arena_take(arena, (size_t)s->meetings * sizeof *s->meeting);
    if (s->node == NULL || s->meeting == NULL) return false;
    for (int i = 0; i < nodes; ++i) s->node[i] = node[i];
    list_meetings(sides, keys, values, s->meeting);
    return analyse(s, arena, scratch);
}

bool kin_joint_system_make(int nodes, const kin_joint_node* node, const kin_body* bodies, kin_arena* arena, kin_arena* scratch, kin_joint_system* out)
{
    kin_arena_mark mark = kin_arena_begin(scratch);
    bool ok = make(nodes, node, bodies, arena, scratch, out);
    if (arena != scratch) kin_arena_end(scratch, mark);
    return ok;
}

/* ---- as the bodies are now ---- */

static uint32_t body_of(const kin_joint_node* n, int side) { return side == 0 ? n->a : n->b; }
static kin_vec3 row_linear(const kin_joint_row* r, int side) { return side == 0 ? r->linear_a : r->linear_b; }
static kin_vec3 row_angular(const kin_joint_row* r, int side) { return side == 0 ? r->angular_a : r->angular_b; }

static void find_answers(kin_joint_system* s, const kin_body* bodies, const kin_joint_row* rows)
{
    for (int i = 0; i < s->nodes; ++i) {
        for (int side = 0; side < 2; ++side) {
            uint32_t k = body_of(&s->node[i], side);
            for (int r = s->ldl.first[i]; r < s->ldl.first[i + 1]; ++r) {
                s->answer[2 * r + side] = k == KIN_NO_BODY ? (kin_joint_answer){0}
                                                           : (kin_joint_answer){kin_scale(row_linear(&rows[r], side), bodies[k].inv_mass),
                                                                                kin_body_inv_inertia_times(&bodies[k], row_angular(&rows[r], side))};
            }
        }
    }
}

/* What row q of one node does to row p of the other through the body they share. */
static void add_meeting(kin_joint_system* s, const kin_joint_meeting* m, const kin_joint_row* rows)
{
    double block[KIN_BLOCK_MOST * KIN_BLOCK_MOST];
    int ni = s->node[m->i].count, nj = s->node[m->j].count;
    for (int p = 0; p < ni; ++p) {
        const kin_joint_row* row = &rows[s->ldl.first[m->i] + p];
        kin_vec3 linear = row_linear(row, m->side_i), angular = row_angular(row, m->side_i);
        for (int q = 0; q < nj; ++q) {
            const kin_joint_answer* a = &s->answer[2 * (s->ldl.first[m->j] + q) + m->side_j];
            block[p * nj + q] = kin_dot(linear, a->linear) + kin_dot(angular, a->angular);
        }
    }
    kin_block_ldl_add(&s->ldl, m->slot, block);
}

kin_block_report kin_joint_system_fill(kin_joint_system* s, const kin_body* bodies, const kin_joint_row* rows)
{
    find_answers(s, bodies, rows);
    kin_block_ldl_clear(&s->ldl);
    for (int k = 0; k < s->meetings; ++k) add_meeting(s, &s->meeting[k], rows);
    return kin_block_ldl_factor(&s->ldl, KIN_BLOCK_TOLERANCE);
}

/* ---- answers ---- */

/* J M^-1 Q of one side: what the body would do without joints, as the row sees it. */
static double free_rate(const kin_joint_row* r, int side, const kin_body* b, kin_vec3 force, kin_vec3 torque)
{
    kin_vec3 gyro = kin_cross(kin_body_angular_momentum(b), b->spin); /* -w x I w */
    kin_vec3 turn = kin_body_inv_inertia_times(b, kin_add(torque, gyro));
    return b->inv_mass * kin_dot(row_linear(r, side), force) + kin_dot(row_angular(r, side), turn);
}

double kin_joint_system_forces(const kin_joint_system* s, const kin_body* bodies, const kin_joint_row* rows, const kin_vec3* force, const kin_vec3* torque,
                               const kin_twist* driven, double* x)
{
    for (int i = 0; i < s->nodes; ++i) {
        for (int r = s->ldl.first[i]; r < s->ldl.first[i + 1]; ++r) {
            double rate = rows[r].bias;
            for (int side = 0; side < 2; ++side) {
                uint32_t k = body_of(&s->node[i], side);
                if (k == KIN_NO_BODY) continue;
                rate += free_rate(&rows[r], side, &bodies[k], force[k], torque[k]);
                if (driven != NULL) rate += kin_dot(row_linear(&rows[r], side), driven[k].velocity) + kin_dot(row_angular(&rows[r], side), driven[k].spin);
            }
            x[r] = -rate;
        }
    }
    return kin_block_ldl_solve(&s->ldl, 1, x);
}

double kin_joint_system_impulses(const kin_joint_system* s, const kin_body* bodies, const kin_joint_row* rows, const double* wanted, double* x)
{
    for (int i = 0; i < s->nodes; ++i) {
        for (int r = s->ldl.first[i]; r < s->ldl.first[i + 1]; ++r) {
            x[r] = wanted != NULL ? wanted[r] : 0;
            for (int side = 0; side < 2; ++side) {
                uint32_t k = body_of(&s->node[i], side);
                if (k == KIN_NO_BODY) continue;
                x[r] -= kin_dot(row_linear(&rows[r], side), bodies[k].velocity) + kin_dot(row_angular(&rows[r], side), bodies[k].spin);
            }
        }
    }
    return kin_block_ldl_solve(&s->ldl, 1, x);
}

void kin_joint_system_load(const kin_joint_system* s, const kin_joint_row* rows, const double* x, kin_vec3* force, kin_vec3* torque)
{
    for (int i = 0; i < s->nodes; ++i) {
        for (int side = 0; side < 2; ++side) {
            uint32_t k = body_of(&s->node[i], side);
            for (int r = s->ldl.first[i]; k != KIN_NO_BODY && r < s->ldl.first[i + 1]; ++r) {
                force[k] = kin_add_scaled(force[k], x[r], row_linear(&rows[r], side));
                torque[k] = kin_add_scaled(torque[k], x[r], row_angular(&rows[r], side));
            }
        }
    }
}

void kin_joint_system_push(const kin_joint_system* s, const double* x, kin_body* bodies)
{
    for (int i = 0; i < s->nodes; ++i) {
        for (int side = 0; side < 2; ++side) {
            uint32_t k = body_of(&s->node[i], side);
            for (int r = s->ldl.first[i]; k != KIN_NO_BODY && r < s->ldl.first[i + 1]; ++r) {
                bodies[k].velocity = kin_add_scaled(bodies[k].velocity, x[r], s->answer[2 * r + side].linear);
                bodies[k].spin = kin_add_scaled(bodies[k].spin, x[r], s->answer[2 * r + side].angular);
            }
        }
    }
}
