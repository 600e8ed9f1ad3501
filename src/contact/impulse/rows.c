/* rows.c - Jacobian rows, their matrix and the complementarity problems on it. */
#include "contact/impulse/rows.h"
#include "numerics/dense.h"
#include "numerics/lcp_friction_lemke.h"
#include <string.h>

#define SOFT 1e-9 /* of a unit diagonal: what keeps a singular matrix solvable, and is taken back by refinement */
#define REFINEMENTS 8
#define DEAD 1e-20 /* of what a row might give: a turn about the axis of a thin rod, but for rounding */

/* ---- one row ---- */

static kin_row with_give(kin_row row, const kin_body* bodies)
{
    const uint32_t body[2] = {row.a, row.b};
    for (int side = 0; side < 2; ++side) {
        int at = 2 * side;
        row.give[at] = row.give[at + 1] = kin_v(0, 0, 0);
        if (body[side] == KIN_NO_BODY) continue;
        const kin_body* b = &bodies[body[side]];
        row.most += b->inv_mass * kin_length2(row.jacobian[at]) + kin_largest(b->inv_moments) * kin_length2(row.jacobian[at + 1]);
        row.give[at] = kin_scale(row.jacobian[at], b->inv_mass);
        row.give[at + 1] = kin_body_inv_inertia_times(b, row.jacobian[at + 1]);
    }
    return row;
}

kin_row kin_row_at_point(const kin_body* bodies, uint32_t a, uint32_t b, kin_vec3 point, kin_vec3 direction)
{
    kin_row row = {.a = a, .b = b};
    if (a != KIN_NO_BODY) {
        row.jacobian[KIN_ROW_LINEAR_A] = direction;
        row.jacobian[KIN_ROW_ANGULAR_A] = kin_cross(kin_sub(point, bodies[a].position), direction);
    }
    if (b != KIN_NO_BODY) {
        row.jacobian[KIN_ROW_LINEAR_B] = kin_neg(direction);
        row.jacobian[KIN_ROW_ANGULAR_B] = kin_cross(direction, kin_sub(point, bodies[b].position));
    }
    return with_give(row, bodies);
}

kin_row kin_row_of_joint(const kin_body* bodies, uint32_t a, uint32_t b, const kin_joint_row* joint)
{
    return with_give((kin_row){.a = a, .b = b, .jacobian = {joint->linear_a, joint->angular_a, joint->linear_b, joint->angular_b}}, bodies);
}

static double side_couple(const kin_row* p, int at, const kin_row* q, int from)
{
    return kin_dot(p->jacobian[at], q->give[from]) + kin_dot(p->jacobian[at + 1], q->give[from + 1]);
}

double kin_row_couple(const kin_row* p, const kin_row* q)
{
    double sum = 0;
    if (p->a != KIN_NO_BODY) {
        if (p->a == q->a) sum += side_couple(p, KIN_ROW_LINEAR_A, q, KIN_ROW_LINEAR_A);
        if (p->a == q->b) sum += side_couple(p, KIN_ROW_LINEAR_A, q, KIN_ROW_LINEAR_B);
    }
    if (p->b != KIN_NO_BODY) {
        if (p->b == q->a) sum += side_couple(p, KIN_ROW_LINEAR_B, q, KIN_ROW_LINEAR_A);
        if (p->b == q->b) sum += side_couple(p, KIN_ROW_LINEAR_B, q, KIN_ROW_LINEAR_B);
    }
    return sum;
}

double kin_row_rate(const kin_row* row, const kin_body* bodies)
{
    double sum = 0;
    if (row->a != KIN_NO_BODY)
        sum += kin_dot(row->jacobian[KIN_ROW_LINEAR_A], bodies[row->a].velocity) + kin_dot(row->jacobian[KIN_ROW_ANGULAR_A], bodies[row->a].spin);
    if (row->b != KIN_NO_BODY)
        sum += kin_dot(row->jacobian[KIN_ROW_LINEAR_B], bodies[row->b].velocity) + kin_dot(row->jacobian[KIN_ROW_ANGULAR_B], bodies[row->b].spin);
    return sum;
}

double kin_row_size(const kin_row* row, const kin_body* bodies)
{
    const uint32_t body[2] = {row->a, row->b};
    double sum = 0;
    for (int side = 0; side < 2; ++side) {
        if (body[side] == KIN_NO_BODY) continue;
        const kin_body* b = &bodies[body[side]];
        sum += kin_length(row->jacobian[2 * side]) * kin_length(b->velocity) + kin_length(row->jacobian[2 * side + 1]) * kin_length(b->spin);
    }
    return sum;
}

void kin_row_push(const kin_row* row, double amount, kin_body* bodies)
{
    const uint32_t body[2] = {row->a, row->b};
    for (int side = 0; side < 2; ++side) {
        if (body[side] == KIN_NO_BODY) continue;
        kin_body* b = &bodies[body[side]];
        b->velocity = kin_add_scaled(b->velocity, amount, row->give[2 * side]);
        b->spin = kin_add_scaled(b->spin, amount, row->give[2 * side + 1]);
    }
}

kin_vec3 kin_row_direction(kin_vec3 normal, kin_vec3 tangent, int row) { return row == 0 ? normal : row == 1 ? tangent : kin_cross(normal, tangent); }

/* ---- a set ---- */

bool kin_row_set_init(kin_row_set* set, int contacts, int joints, kin_arena* arena)
{
    size_t size = 3 * (size_t)contacts + (size_t)joints;
    *set = (kin_row_set){.contacts = contacts, .joints = joints, .size = (int)size};
    set->rows = kin_arena_take(arena, size * sizeof *set->rows);
    set->one_sided = kin_arena_take(arena, (size_t)joints);
    set->diagonal = kin_arena_take(arena, size * sizeof *set->diagonal);
    set->dead = kin_arena_take(arena, size);
    set->work = kin_arena_take(arena, sizeof *set->work);
    if (!set->rows || !set->one_sided || !set->diagonal || !set->dead || !set->work) return false;
    *set->work = 0;
    return true;
}

static bool gives(const kin_row* row, int side) { return kin_length2(row->give[2 * side]) + kin_length2(row->give[2 * side + 1]) > 0; }

/* Bodies that rows move, by the first row that does. False: no room. */
static bool number_nodes(kin_row_set* set, kin_arena* arena)
{
    uint32_t bodies = 0;
    for (int i = 0; i < set->size; ++i) {
        const uint32_t body[2] = {set->rows[i].a, set->rows[i].b};
        for (int side = 0; side < 2; ++side) bodies = body[side] != KIN_NO_BODY && body[side] >= bodies ? body[side] + 1 : bodies;
    }
    kin_arena_mark mark = kin_arena_begin(arena);
    uint32_t* number = kin_arena_take(arena, ((size_t)bodies + 1) * sizeof *number);
    if (number != NULL) memset(number, 0xff, bodies * sizeof *number); /* KIN_NO_BODY */
    for (int i = 0; i < set->size && number != NULL; ++i) {
        kin_row* row = &set->rows[i];
        const uint32_t body[2] = {row->a, row->b};
        for (int side = 0; side < 2; ++side) {
            row->node[side] = KIN_NO_BODY;
            if (body[side] == KIN_NO_BODY || !gives(row, side)) continue;
            if (number[body[side]] == KIN_NO_BODY) number[body[side]] = set->nodes++;
            row->node[side] = number[body[side]];
        }
    }
    kin_arena_end(arena, mark);
    return number != NULL;
}

bool kin_row_set_couple(kin_row_set* set, kin_arena* arena)
{
    for (int i = 0; i < set->size; ++i) {
        double give = kin_row_couple(&set->rows[i], &set->rows[i]);
        set->dead[i] = !(give > DEAD * set->rows[i].most);
        set->diagonal[i] = set->dead[i] ? 1 : give;
    }
    if (!number_nodes(set, arena)) return false;
    set->motion = kin_arena_take(arena, ((size_t)set->nodes + 1) * sizeof *set->motion);
    return set->motion != NULL;
}

double kin_row_set_entry(const kin_row_set* set, int i, int j)
{
    if (i == j) return set->diagonal[i];
    return set->dead[i] || set->dead[j] ? 0 : kin_row_couple(&set->rows[i], &set->rows[j]);
}

double* kin_row_set_matrix(const kin_row_set* set, kin_arena* arena)
{
    size_t size = (size_t)set->size;
    double* matrix = kin_arena_take(arena, size * size * sizeof *matrix);
    for (size_t i = 0; matrix != NULL && i < size; ++i) {
        for (size_t j = 0; j <= i; ++j) matrix[i * size + j] = matrix[j * size + i] = kin_row_set_entry(set, (int)i, (int)j);
    }
    return matrix;
}

void kin_row_set_multiply(const kin_row_set* set, const double* offset, const double* force, double* out)
{
    memset(set->motion, 0, set->nodes * sizeof *set->motion);
    for (int i = 0; i < set->size; ++i) {
        if (!set->dead[i] && force[i] != 0) kin_row_stir(&set->rows[i], force[i], set->motion);
    }
    for (int i = 0; i < set->size; ++i) {
        double along = set->dead[i] ? force[i] : offset[i] + kin_row_stirred(&set->rows[i], set->motion);
        out[i] = along + set->soft * set->diagonal[i] * force[i];
    }
    *set->work += 2 * set->size;
}

/* ---- complementarity ---- */

/* A problem on some of the rows: from[i] is the row of the set behind row i, -1 for one that only fills up. It is solved with diagonals near 1, whatever the
 * masses: F = scale y, with one scale for the three rows of a contact, whose forces friction compares. */
typedef struct part {
    int size;
    int* from;
    double *matrix, *offset, *force, *after, *scale;
    uint8_t *kinds, *handed;
} part;

static bool take_part(part* p, int size, kin_arena* scratch)
{
    size_t n = (size_t)size;
    p->size = size;
    p->from = kin_arena_take(scratch, n * sizeof *p->from);
    p->matrix = kin_arena_take(scratch, n * n * sizeof *p->matrix);
    p->offset = kin_arena_take(scratch, 4 * n * sizeof *p->offset);
    p->kinds = kin_arena_take(scratch, 2 * n);
    if (!p->from || !p->matrix || !p->offset || !p->kinds) return false;
    p->force = p->offset + n;
    p->after = p->offset + 2 * n;
    p->scale = p->offset + 3 * n;
    p->handed = p->kinds + n;
    return true;
}

static double scale_of(const kin_row_set* set, int row)
{
    if (row < 0) return 1;
    if (row >= 3 * set->contacts) return 1 / kin_sqrt(set->diagonal[row]);
    int first = row - row % 3;
    double most = 0;
    for (int k = 0; k < 3; ++k) most = kin_max(most, set->dead[first + k] ? 0 : set->diagonal[first + k]);
    return most > 0 ? 1 / kin_sqrt(most) : 1;
}

static void fill_part(part* p, const kin_row_set* set, const double* offset)
{
    for (int i = 0; i < p->size; ++i) p->scale[i] = scale_of(set, p->from[i]);
    for (int i = 0; i < p->size; ++i) {
        int row = p->from[i];
        bool alone = row < 0 || set->dead[row];
        p->offset[i] = alone ? 0 : offset[row] * p->scale[i];
        p->handed[i] = KIN_LCP_KEPT;
        for (int j = 0; j < p->size; ++j) {
            int column = p->from[j];
            double entry = i == j;
            if (!alone && column >= 0) entry = kin_row_set_entry(set, row, column) * p->scale[i] * p->scale[j];
            p->matrix[(size_t)i * (size_t)p->size + (size_t)j] = entry;
        }
    }
}

/* Back to the units of the set, so that the residual is an acceleration again. */
static void unscale(part* p)
{
    for (int i = 0; i < p->size; ++i) {
        p->offset[i] /= p->scale[i];
        p->force[i] *= p->scale[i];
        for (int j = 0; j < p->size; ++j) p->matrix[(size_t)i * (size_t)p->size + (size_t)j] /= p->scale[i] * p->scale[j];
    }
}

static void give_back(const part* p, const kin_row_set* set, const double* offset, bool good, double* force, double* after)
{
    memset(force, 0, (size_t)set->size * sizeof *force);
    for (int i = 0; i < p->size && good; ++i) {
        if (p->from[i] >= 0) force[p->from[i]] = p->force[i];
    }
    kin_row_set_multiply(set, offset, force, after);
}

/* What pivots cost, in visits of a row (some forty numbers multiplied): the square of the rows, or the cube where each solves anew. */
static int64_t visits_of(const kin_lcp_report* report, int rows, bool anew)
{
    int64_t n = rows;
    return (report->pivots + 1) * (anew ? n * n * n / 3 : n * n) / 40;
}

static int64_t lemke_visits(int pivots, int size) { return (int64_t)(pivots + 1) * 2 * size * size / 40; }

double kin_row_set_lemke_work(const kin_row_set* set, const kin_lcp_friction_contact* friction, double slip_threshold)
{
    const kin_lcp_friction lcp = {.contacts = set->contacts, .contact = friction, .slip_threshold = slip_threshold};
    const int size = kin_lcp_friction_lemke_size(&lcp) + 2 * set->joints;
    return (double)lemke_visits(size, size);
}

/* Over what was kept. */
static double smooth_residual(const part* p)
{
    double worst = 0;
    for (int i = 0; i < p->size; ++i) {
        const double* row = p->matrix + (size_t)i * (size_t)p->size;
        double sum = p->offset[i];
        for (int j = 0; j < p->size; ++j) sum += row[j] * p->force[j];
        if (p->handed[i] != KIN_LCP_HANDED) worst = kin_lcp_worse(worst, p->kinds[i] == KIN_LCP_JOINT ? sum : kin_min(sum, row[i] * p->force[i]));
    }
    return worst;
}

kin_lcp_report kin_row_set_smooth(const kin_row_set* set, const double* offset, double* force, double* after, uint8_t* handed, kin_arena* scratch)
{
    kin_lcp_report report = {.status = KIN_LCP_MEMORY};
    kin_arena_mark mark = kin_arena_begin(scratch);
    part p;
    if (take_part(&p, set->contacts + set->joints, scratch)) {
        for (int i = 0; i < p.size; ++i) {
            int joint = i - set->contacts;
            p.from[i] = joint < 0 ? 3 * i : 3 * set->contacts + joint;
            p.kinds[i] = joint < 0 || set->one_sided[joint] ? KIN_LCP_CONTACT : KIN_LCP_JOINT;
        }
        fill_part(&p, set, offset);
        report = kin_lcp_dantzig(&(kin_lcp){.size = p.size, .matrix = p.matrix, .offset = p.offset, .kinds = p.kinds}, p.force, p.after, p.handed, scratch);
        bool good = report.status != KIN_LCP_MEMORY && report.residual < KIN_LCP_NOT_FINITE;
        unscale(&p);
        if (good) report.residual = smooth_residual(&p);
        *set->work += visits_of(&report, p.size, false);
        give_back(&p, set, offset, good, force, after);
        for (int i = 0; handed && i < set->contacts; ++i) handed[i] = p.handed[i];
    }
    kin_arena_end(scratch, mark);
    return report;
}

/* Contacts as they are, joints that hold in threes, limits as contacts without friction. Returns how many blocks of three. */
static int list_blocks(const kin_row_set* set, const kin_lcp_friction_contact* friction, int* from, kin_lcp_friction_contact* blocks)
{
    int count = set->contacts, held = 0;
    for (int i = 0; i < count; ++i) {
        blocks[i] = friction[i];
        for (int k = 0; k < 3; ++k) from[3 * i + k] = 3 * i + k;
    }
    for (int sided = 0; sided < 2; ++sided) {
        for (int j = 0; j < set->joints; ++j) {
            if ((set->one_sided[j] != 0) != sided) continue;
            if (sided || held % 3 == 0) {
                blocks[count] = (kin_lcp_friction_contact){.joint = !sided};
                from[3 * count] = from[3 * count + 1] = from[3 * count + 2] = -1;
                ++count;
            }
            from[3 * (count - 1) + (sided ? 0 : held++ % 3)] = 3 * set->contacts + j;
        }
    }
    return count;
}

kin_lcp_report kin_row_set_rough(const kin_row_set* set, const double* offset, const kin_lcp_friction_contact* friction, double slip_threshold, bool lemke,
                                 double* force, double* after, uint8_t* handed, kin_arena* scratch)
{
    kin_lcp_report report = {.status = KIN_LCP_MEMORY};
    kin_arena_mark mark = kin_arena_begin(scratch);
    int most = set->contacts + set->joints;
    kin_lcp_friction_contact* blocks = kin_arena_take(scratch, (size_t)most * sizeof *blocks);
    part p;
    if (blocks && take_part(&p, 3 * most, scratch)) {
        int count = list_blocks(set, friction, p.from, blocks);
        p.size = 3 * count;
        fill_part(&p, set, offset);
        kin_lcp_friction lcp = {.contacts = count, .matrix = p.matrix, .offset = p.offset, .contact = blocks, .slip_threshold = slip_threshold};
        report = lemke ? kin_lcp_friction_lemke(&lcp, p.force, p.after, scratch) : kin_lcp_friction_solve(&lcp, p.force, p.after, p.handed, scratch);
        bool good = report.status != KIN_LCP_MEMORY && report.residual < KIN_LCP_NOT_FINITE;
        unscale(&p);
        if (good) report.residual = kin_lcp_friction_residual(&lcp, p.force, p.handed);
        *set->work += lemke ? lemke_visits(report.pivots, kin_lcp_friction_lemke_size(&lcp)) : visits_of(&report, p.size, true);
        give_back(&p, set, offset, good, force, after);
        for (int i = 0; handed && i < set->contacts; ++i) handed[i] = p.handed[i];
    }
    kin_arena_end(scratch, mark);
    return report;
}

static double miss_along(const kin_row_set* set, const kin_lcp_friction* friction, int row, const double* force, double left, bool loose)
{
    double give = set->diagonal[row], f = force[row], normal = force[row - row % 3];
    int axis = row % 3 - 1;
    if (axis < 0) return kin_min(left, loose ? 0 : give * f);
    if (loose) return 0;
    if (kin_lcp_slides(friction, row / 3)) return give * (f - kin_lcp_slide_ratio(friction, row / 3, axis) * normal);
    double limit = friction->contact[row / 3].mu_static[axis] * kin_max(normal, 0);
    return give * (f - kin_clamp(f - left / give, -limit, limit));
}

double kin_row_set_residual(const kin_row_set* set, const kin_lcp_friction_contact* contact, double slip_threshold, const double* force, const double* after,
                            bool loose)
{
    kin_lcp_friction friction = {.contacts = set->contacts, .contact = contact, .slip_threshold = slip_threshold};
    double worst = 0;
    for (int i = 0; i < set->size; ++i) {
        int joint = i - 3 * set->contacts;
        if (set->dead[i]) continue;
        if (joint >= 0)
            worst = kin_lcp_worse(worst, set->one_sided[joint] ? kin_min(after[i], loose ? 0 : set->diagonal[i] * force[i]) : after[i]);
        else
            worst = kin_lcp_worse(worst, miss_along(set, &friction, i, force, after[i], loose));
    }
    return worst;
}

/* ---- linear ---- */

static double miss_of(int n, const double* a, const double* d, const double* x, double* r)
{
    double worst = 0;
    for (int i = 0; i < n; ++i) {
        double sum = d[i];
        for (int j = 0; j < n; ++j) sum -= a[(size_t)i * (size_t)n + (size_t)j] * x[j];
        r[i] = sum;
        worst = kin_lcp_worse(worst, sum);
    }
    return worst;
}

/* (A + soft) dx = d - A x, a few times: what A reaches converges by the ratio of soft to its eigenvalues, what it does not reach stays 0. */
static double settle_column(int n, const double* a, const double* lu, const int* pivot, const double* scale, const double* d, double* x, double* room)
{
    double *right = room, *r = room + n, *y = room + 2 * n;
    for (int i = 0; i < n; ++i) {
        right[i] = d[i] * scale[i];
        y[i] = 0;
    }
    double most = miss_of(n, a, right, y, r), worst = most;
    for (int k = 0; k < REFINEMENTS && worst > 0; ++k) {
        kin_lu_solve(n, lu, pivot, r);
        for (int i = 0; i < n; ++i) r[i] += y[i];
        double* next = room + 3 * n;
        double miss = miss_of(n, a, right, r, next);
        if (!(miss < worst)) break;
        worst = miss;
        memcpy(y, r, (size_t)n * sizeof *y);
        memcpy(r, next, (size_t)n * sizeof *r);
    }
    for (int i = 0; i < n; ++i) x[i] = y[i] * scale[i];
    return most > 0 ? worst / most : 0;
}

double kin_rows_settle(int n, double* a, const double* scale, int columns, const double* d, double* x, kin_arena* scratch)
{
    kin_arena_mark mark = kin_arena_begin(scratch);
    size_t size = (size_t)n;
    double *lu = kin_arena_take(scratch, size * size * sizeof *lu), *room = kin_arena_take(scratch, 4 * size * sizeof *room), worst = -1;
    int* pivot = kin_arena_take(scratch, size * sizeof *pivot);
    if (lu && room && pivot) {
        for (size_t i = 0; i < size; ++i) {
            for (size_t j = 0; j < size; ++j) lu[i * size + j] = a[i * size + j] *= scale[i] * scale[j];
            lu[i * size + i] += SOFT;
        }
        bool good = kin_lu_factor(n, lu, pivot);
        worst = good ? 0 : KIN_LCP_NOT_FINITE;
        for (size_t c = 0; c < (size_t)columns; ++c) {
            if (good)
                worst = kin_lcp_worse(worst, settle_column(n, a, lu, pivot, scale, d + c * size, x + c * size, room));
            else
                memset(x + c * size, 0, size * sizeof *x);
        }
    }
    kin_arena_end(scratch, mark);
    return worst;
}
