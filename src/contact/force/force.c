/* force.c - contact forces: the rows of all contacts and joints, b with every derivative term, and four ways to F. */
#include "contact/force/force.h"
#include "contact/friction.h"
#include "contact/impulse/rows.h"
#include "math/frame.h"
#include "numerics/lemke.h"
#include "numerics/qp.h"
#include <string.h>

#define CALM 1e-12       /* m/s^2, of the largest acceleration: no direction for a tangent */
#define NEAR_ENOUGH 0.01 /* of the largest acceleration without contact: a residual that is still an answer */
#define TOUCHES 1e-9     /* of the largest acceleration, or force: none */

typedef struct problem {
    const kin_force_cluster* cluster;
    kin_row_set set;
    double* offset;                        /* b */
    kin_vec3 *tangents, *linear, *angular; /* angular, linear: accelerations of the bodies without contact, m/s^2, rad/s^2 */
    kin_lcp_friction_contact* friction;
    double soft; /* of the answer's rows */
    bool alike;  /* the answer is by linear systems: those that press share alike */
    kin_arena* scratch;
} problem;

/* ---- accelerations without contact ---- */

/* dv = F / m, dw = I^-1 (tau + H x w), and what keys do. */
static void free_accelerations(problem* p)
{
    const kin_force_cluster* c = p->cluster;
    for (uint32_t i = 0; i < c->body_count; ++i) {
        const kin_body* b = &c->bodies[i];
        kin_vec3 torque = kin_cross(kin_body_angular_momentum(b), b->spin);
        p->linear[i] = c->force ? kin_scale(c->force[i], b->inv_mass) : kin_v(0, 0, 0);
        p->angular[i] = kin_body_inv_inertia_times(b, c->torque ? kin_add(torque, c->torque[i]) : torque);
        if (c->driven == NULL) continue;
        p->linear[i] = kin_add(p->linear[i], c->driven[i].velocity);
        p->angular[i] = kin_add(p->angular[i], c->driven[i].spin);
    }
}

static const kin_body* body_of(const kin_force_cluster* c, uint32_t i) { return i == KIN_NO_BODY ? NULL : &c->bodies[i]; }

kin_vec3 kin_touching_velocity(const kin_touching* c, const kin_body* bodies)
{
    kin_vec3 v = kin_v(0, 0, 0);
    if (c->a != KIN_NO_BODY) v = kin_body_velocity_at(&bodies[c->a], c->point);
    if (c->b != KIN_NO_BODY) v = kin_sub(v, kin_body_velocity_at(&bodies[c->b], c->point));
    return v;
}

/* dv + dw x r + w x (p' - v) of one body. */
static kin_vec3 carried(const problem* p, uint32_t i, kin_vec3 point, kin_vec3 point_rate)
{
    if (i == KIN_NO_BODY) return kin_v(0, 0, 0);
    const kin_body* b = &p->cluster->bodies[i];
    kin_vec3 turning = kin_cross(p->angular[i], kin_sub(point, b->position));
    return kin_add(p->linear[i], kin_add(turning, kin_cross(b->spin, kin_sub(point_rate, b->velocity))));
}

static kin_vec3 relative_rate(const problem* p, const kin_touching* c)
{
    const kin_body *a = body_of(p->cluster, c->a), *b = body_of(p->cluster, c->b);
    kin_vec3 rate = kin_touching_point_rate(c, a, b);
    return kin_sub(carried(p, c->a, c->point, rate), carried(p, c->b, c->point, rate));
}

/* ---- rows ---- */

static kin_vec3 across(kin_vec3 v, kin_vec3 n) { return kin_add_scaled(v, -kin_dot(v, n), n); }

/* Friction that sticks is bounded by a box along its tangents. With t along the pull the box holds as the cone does; of a surface with a grain as the ellipse
 * does, with its coefficients along these tangents in mu. Kokkevis' form has friction along t only: slip is opposed along t, with mu[0]. */
static kin_vec3 choose_tangent(const problem* p, const kin_touching* c, kin_vec3 acceleration, double mu[2])
{
    kin_vec3 any = kin_basis_from_normal(c->normal).t, v = kin_touching_velocity(c, p->cluster->bodies), slip = across(kin_add(v, c->surface), c->normal);
    bool given = kin_length2(c->tangent) > 0, slides = kin_length(slip) > p->cluster->slip_threshold;
    kin_vec3 grain = given ? kin_normalize_or(across(c->tangent, c->normal), any) : any, pull = across(acceleration, c->normal);
    bool pulled = kin_length(pull) > CALM * (1 + kin_length(acceleration)), one_way = p->cluster->method == KIN_FORCE_KOKKEVIS;
    if (slides && one_way) return kin_friction_way(c->mu_dynamic, c->normal, grain, slip, mu);
    if (slides && !given) return kin_normalize_or(across(slip, c->normal), any);
    if (slides || !pulled || (given && c->mu_static[0] == c->mu_static[1])) return grain;
    kin_vec3 t = kin_normalize_or(across(pull, c->normal), any);
    if (!given) return t;
    double along = kin_dot(t, grain), beside = kin_dot(t, kin_cross(c->normal, grain));
    mu[0] = kin_friction_along(c->mu_static, along, beside);
    mu[1] = kin_friction_along(c->mu_static, -beside, along);
    return t;
}

static void contact_rows(problem* p, int i)
{
    const kin_force_cluster* cluster = p->cluster;
    kin_touching c = cluster->touching[i];
    const kin_body *a = body_of(cluster, c.a), *b = body_of(cluster, c.b);
    kin_vec3 acceleration = relative_rate(p, &c), u = kin_touching_velocity(&c, cluster->bodies);
    double mu[2] = {c.mu_static[0], c.mu_static[1]};
    c.tangent = p->tangents[i] = choose_tangent(p, &c, acceleration, mu);
    kin_vec3 rate[3] = {kin_touching_normal_rate(&c, a, b)};
    rate[1] = kin_touching_tangent_rate(&c, a, b, rate[0]);
    rate[2] = kin_add(kin_cross(rate[0], c.tangent), kin_cross(c.normal, rate[1]));
    for (int k = 0; k < 3; ++k) {
        kin_vec3 d = kin_row_direction(c.normal, c.tangent, k);
        p->set.rows[3 * i + k] = kin_row_at_point(cluster->bodies, c.a, c.b, c.point, d);
        p->offset[3 * i + k] = kin_dot(d, acceleration) + kin_dot(rate[k], u) + (k > 0 ? kin_dot(d, c.creep) : 0);
    }
    p->offset[3 * i] += c.closing;
    kin_vec3 slip = kin_add(u, c.surface);
    kin_lcp_friction_contact* f = &p->friction[i];
    *f = (kin_lcp_friction_contact){.slip = {kin_dot(slip, c.tangent), kin_dot(slip, kin_cross(c.normal, c.tangent))}};
    memcpy(f->mu_static, mu, sizeof mu);
    kin_friction_against(c.mu_dynamic, f->slip, f->mu_dynamic);
}

/* C'' = J a + bias. */
static void joint_row(problem* p, int j)
{
    const kin_force_cluster* c = p->cluster;
    const kin_joint_row* row = &c->joint_rows[j];
    uint32_t a = c->joint_a[j], b = c->joint_b[j];
    int i = 3 * c->count + j;
    p->set.rows[i] = kin_row_of_joint(c->bodies, a, b, row);
    p->set.one_sided[j] = row->kind == KIN_ROW_LIMIT;
    p->offset[i] = row->bias;
    if (a != KIN_NO_BODY) p->offset[i] += kin_dot(row->linear_a, p->linear[a]) + kin_dot(row->angular_a, p->angular[a]);
    if (b != KIN_NO_BODY) p->offset[i] += kin_dot(row->linear_b, p->linear[b]) + kin_dot(row->angular_b, p->angular[b]);
}

static bool prepare(problem* p, const kin_force_cluster* c, kin_arena* scratch)
{
    *p = (problem){.cluster = c, .scratch = scratch};
    p->offset = kin_arena_take(scratch, (3 * (size_t)c->count + (size_t)c->joint_count) * sizeof *p->offset);
    p->tangents = kin_arena_take(scratch, (size_t)c->count * sizeof *p->tangents);
    p->linear = kin_arena_take(scratch, 2 * (size_t)c->body_count * sizeof *p->linear);
    p->friction = kin_arena_take(scratch, (size_t)c->count * sizeof *p->friction);
    if (!kin_row_set_init(&p->set, c->count, c->joint_count, scratch) || !p->offset || !p->tangents || !p->linear || !p->friction) return false;
    p->set.most_work = c->most_work;
    p->angular = p->linear + c->body_count;
    free_accelerations(p);
    for (int i = 0; i < c->count; ++i) contact_rows(p, i);
    for (int j = 0; j < c->joint_count; ++j) joint_row(p, j);
    return kin_row_set_couple(&p->set, scratch);
}

bool kin_forces_system(const kin_force_cluster* cluster, double* matrix, double* offset, kin_arena* scratch)
{
    kin_arena_mark mark = kin_arena_begin(scratch);
    problem p;
    bool good = prepare(&p, cluster, scratch);
    for (int i = 0; i < p.set.size && good; ++i) {
        offset[i] = p.offset[i];
        for (int j = 0; j < p.set.size; ++j) {
            size_t at = (size_t)i * (size_t)p.set.size + (size_t)j;
            matrix[at] = p.set.dead[i] && i == j ? 0 : kin_row_set_entry(&p.set, i, j);
        }
    }
    kin_arena_end(scratch, mark);
    return good;
}

/* ---- H10.16 ---- */

typedef struct part { /* of a variable of Lemke's problem */
    enum { NORMAL, FRICTION, MULTIPLIER, PLUS, MINUS } kind;
    int row;
} part;

/* [Knn Knt 0; Ktn Ktt 1; mu -1 0] for each contact with friction pushing against +t; joints that hold as a pair of forces. */
static int list_parts(const problem* p, part* out)
{
    int count = 0;
    for (int i = 0; i < p->set.contacts; ++i) {
        for (int k = NORMAL; k <= MULTIPLIER; ++k) out[count++] = (part){k, k == NORMAL ? 3 * i : 3 * i + 1};
    }
    for (int j = 0; j < p->set.joints; ++j) {
        int row = 3 * p->set.contacts + j;
        if (p->set.one_sided[j]) {
            out[count++] = (part){NORMAL, row};
            continue;
        }
        out[count++] = (part){PLUS, row};
        out[count++] = (part){MINUS, row};
    }
    return count;
}

static double sign_of(part q) { return q.kind == FRICTION || q.kind == MINUS ? -1 : 1; }

static double kokkevis_entry(const problem* p, part v, part u)
{
    if (v.kind == MULTIPLIER)
        return u.row == v.row - 1 && u.kind == NORMAL ? p->friction[v.row / 3].mu_static[0] : u.row == v.row && u.kind == FRICTION ? -1 : 0;
    if (u.kind == MULTIPLIER) return v.kind == FRICTION && v.row == u.row ? 1 : 0;
    return sign_of(v) * sign_of(u) * kin_row_set_entry(&p->set, v.row, u.row);
}

static double kokkevis_offset(const problem* p, part v)
{
    if (v.kind == MULTIPLIER || p->set.dead[v.row]) return 0;
    double b = p->offset[v.row];
    if (v.kind == FRICTION && p->cluster->h > 0) b += p->friction[v.row / 3].slip[0] / p->cluster->h;
    return sign_of(v) * b;
}

static kin_lcp_report by_kokkevis(problem* p, double* force)
{
    kin_lcp_report report = {.status = KIN_LCP_MEMORY};
    size_t most = 3 * (size_t)p->set.contacts + 2 * (size_t)p->set.joints;
    part* parts = kin_arena_take(p->scratch, most * sizeof *parts);
    double *matrix = kin_arena_take(p->scratch, most * most * sizeof *matrix), *room = kin_arena_take(p->scratch, 3 * most * sizeof *room);
    if (!parts || !matrix || !room) return report;
    int n = list_parts(p, parts);
    for (int i = 0; i < n; ++i) {
        room[i] = kokkevis_offset(p, parts[i]);
        for (int j = 0; j < n; ++j) matrix[(size_t)i * (size_t)n + (size_t)j] = kokkevis_entry(p, parts[i], parts[j]);
    }
    double* z = room + n;
    report = kin_lcp_lemke(n, matrix, room, 0, z, z + n, p->scratch);
    for (int i = 0; i < n && report.status == KIN_LCP_SOLVED; ++i) {
        if (parts[i].kind != MULTIPLIER) force[parts[i].row] += sign_of(parts[i]) * z[i];
    }
    return report;
}

/* ---- S-D, R6 ---- */

/* Least 1/2 F^t A F + b^t F over F_n >= 0 and free joint forces, under the joints' own rows A_j F = -b_j. */
static kin_lcp_report by_program(problem* p, double* force)
{
    kin_lcp_report report = {.status = KIN_LCP_MEMORY};
    int contacts = p->set.contacts, n = contacts + p->set.joints, rows = 0;
    size_t size = (size_t)n;
    double *matrix = kin_arena_take(p->scratch, 2 * size * size * sizeof *matrix), *room = kin_arena_take(p->scratch, 6 * size * sizeof *room);
    if (!matrix || !room) return report;
    double *equal = matrix + size * size, *linear = room, *target = room + n, *low = room + 2 * n, *high = room + 3 * n, *x = room + 4 * n, *y = room + 5 * n;
    for (int i = 0; i < n; ++i) {
        int row = i < contacts ? 3 * i : 2 * contacts + i;
        bool held = i >= contacts && !p->set.one_sided[i - contacts];
        linear[i] = p->set.dead[row] ? 0 : p->offset[row];
        low[i] = held ? -__builtin_inf() : 0;
        high[i] = __builtin_inf();
        for (int j = 0; j < n; ++j) matrix[(size_t)i * size + (size_t)j] = kin_row_set_entry(&p->set, row, j < contacts ? 3 * j : 2 * contacts + j);
        if (!held) continue;
        memcpy(equal + (size_t)rows * size, matrix + (size_t)i * size, size * sizeof *equal);
        target[rows++] = -linear[i];
    }
    kin_qp qp = {.size = n,
                 .rows = rows,
                 .matrix = matrix,
                 .linear = linear,
                 .row_matrix = rows ? equal : NULL,
                 .target = rows ? target : NULL,
                 .low = low,
                 .high = high};
    kin_qp_report found = kin_qp_solve(&qp, false, x, y, NULL, p->scratch);
    for (int i = 0; i < n; ++i) force[i < contacts ? 3 * i : 2 * contacts + i] = x[i];
    report.status = found.status == KIN_QP_SOLVED ? KIN_LCP_SOLVED : found.status == KIN_QP_LIMIT ? KIN_LCP_LIMIT : KIN_LCP_MEMORY;
    report.pivots = found.interior + found.moves;
    report.residual = kin_max(found.stationarity, found.feasibility);
    return report;
}

/* ---- forces ---- */

/* What was found a moment ago, if it is told; limits count as active. */
static const double* guess_of(const problem* p, double* room)
{
    if (!p->cluster->guess) return NULL;
    for (int i = 0; i < p->set.contacts; ++i) {
        for (int k = 0; k < 3; ++k) room[3 * i + k] = kin_dot(p->cluster->guess[i], kin_row_direction(p->cluster->touching[i].normal, p->tangents[i], k));
    }
    for (int i = 3 * p->set.contacts; i < p->set.size; ++i) room[i] = p->set.one_sided[i - 3 * p->set.contacts];
    return room;
}

static kin_lcp_report by_systems(problem* p, double* force, double* after, uint8_t* handed)
{
    double* room = kin_arena_take(p->scratch, (size_t)p->set.size * sizeof *room);
    if (!room) return (kin_lcp_report){.status = KIN_LCP_MEMORY};
    memset(handed, 0, (size_t)p->set.contacts);
    return kin_row_set_patient(&p->set, p->offset, p->friction, p->cluster->slip_threshold, p->cluster->enough, guess_of(p, room), force, after, p->scratch);
}

static kin_lcp_report by_rows(problem* p, bool lemke, double* force, double* after, uint8_t* handed)
{
    return kin_row_set_rough(&p->set, p->offset, p->friction, p->cluster->slip_threshold, lemke, force, after, handed, p->scratch);
}

static kin_lcp_report by_few_rounds(problem* p, double* force, double* after)
{
    enum { SWEEPS = 40, ROUNDS = 4 };
    double* room = kin_arena_take(p->scratch, (size_t)p->set.size * sizeof *room);
    if (!room) return (kin_lcp_report){.status = KIN_LCP_MEMORY};
    const double *guess = guess_of(p, room), soft = p->cluster->guess_soft;
    p->soft = guess ? soft : 0;
    if (guess && soft > 0)
        return kin_row_set_soften(&p->set, soft, p->offset, p->friction, p->cluster->slip_threshold, p->cluster->enough, guess, force, after, p->scratch);
    return kin_row_set_pivots(&p->set, p->offset, p->friction, p->cluster->slip_threshold, guess ? 0 : SWEEPS, ROUNDS, guess, force, after, p->scratch);
}

static kin_lcp_report by_hardening(problem* p, double* force, double* after)
{
    double* room = kin_arena_take(p->scratch, (size_t)p->set.size * sizeof *room);
    if (!room) return (kin_lcp_report){.status = KIN_LCP_MEMORY};
    return kin_row_set_harden(&p->set, p->offset, p->friction, p->cluster->slip_threshold, p->cluster->enough, guess_of(p, room), &p->soft, force, after,
                              p->scratch);
}

/* How the forces with friction are looked for, in this order. Few contacts: the sure method at once, as it costs no more than the quick one. More: linear systems
 * from the forces a moment before, which at rest agree in a few rounds; where they do not, from soft rows to hard ones; then Lemke's method, whose path cannot go
 * around in circles, and Baraff's, which names what diverges, as far as their work is bounded. What is only near enough (`enough`) without being smooth is noise
 * to the integrator, and comes last. */
static kin_lcp_report by_baraff(problem* p, double* force, double* after, uint8_t* handed)
{
    typedef enum method { FEW_ROUNDS, HARDEN, BARAFF, LEMKE, SYSTEMS, METHODS } method; /* those before BARAFF share redundant loads alike */
    const double sure = kin_row_set_sure_work(&p->set), lemke = kin_row_set_lemke_work(&p->set, p->friction, p->cluster->slip_threshold);
    const bool many = sure > KIN_ROWS_LITTLE;
    const method few[] = {BARAFF, SYSTEMS, METHODS}, more[] = {FEW_ROUNDS, HARDEN, LEMKE, BARAFF, SYSTEMS, METHODS};
    const size_t size = (size_t)p->set.size;
    double* other = kin_arena_take(p->scratch, 2 * size * sizeof *other);
    uint8_t* flags = kin_arena_take(p->scratch, (size_t)p->set.contacts);
    kin_lcp_report best = {.status = KIN_LCP_LIMIT, .residual = KIN_LCP_NOT_FINITE};
    if (!other || !flags) return (kin_lcp_report){.status = KIN_LCP_MEMORY};
    for (const method* m = many ? more : few; *m != METHODS; ++m) {
        const double left = p->set.most_work > 0 && best.residual < KIN_LCP_NOT_FINITE ? (double)(p->set.most_work - *p->set.work) : KIN_ROWS_MUCH;
        const double cost = *m == LEMKE ? lemke : *m == BARAFF ? sure : 0;
        if (cost > kin_min(left, KIN_ROWS_MUCH)) continue;
        memset(flags, 0, (size_t)p->set.contacts);
        kin_lcp_report report = *m == FEW_ROUNDS ? by_few_rounds(p, other, other + size)
                                : *m == HARDEN   ? by_hardening(p, other, other + size)
                                : *m == SYSTEMS  ? by_systems(p, other, other + size, flags)
                                                 : by_rows(p, *m == LEMKE, other, other + size, flags);
        if (report.status == KIN_LCP_MEMORY) return report;
        const bool answers = report.status == KIN_LCP_SOLVED || (report.status == KIN_LCP_UNBOUNDED && *m != LEMKE);
        if (!answers && !(report.residual < best.residual)) continue;
        if (*m == LEMKE && !answers) continue; /* a ray: it has no forces, and names nothing */
        report.pivots += best.pivots;
        best = report;
        memcpy(force, other, size * sizeof *force);
        memcpy(after, other + size, size * sizeof *after);
        memcpy(handed, flags, (size_t)p->set.contacts);
        p->alike = *m == FEW_ROUNDS || *m == HARDEN;
        if (!p->alike) p->soft = 0;
        if (answers) break;
    }
    return best;
}

static kin_lcp_report solve(problem* p, double* force, double* after, uint8_t* handed)
{
    memset(force, 0, (size_t)p->set.size * sizeof *force);
    memset(handed, 0, (size_t)p->set.contacts);
    switch (p->cluster->method) {
    case KIN_FORCE_DANTZIG: return kin_row_set_smooth(&p->set, p->offset, force, after, handed, p->scratch);
    case KIN_FORCE_BARAFF: return by_baraff(p, force, after, handed);
    case KIN_FORCE_LEMKE: return by_rows(p, true, force, after, handed);
    case KIN_FORCE_KOKKEVIS: return by_kokkevis(p, force);
    case KIN_FORCE_QP: return by_program(p, force);
    }
    return (kin_lcp_report){.status = KIN_LCP_LIMIT};
}

/* Redundant contacts may share their load in many ways, and where some slide the motion depends on the way: friction of a plate that turns as it slides has another
 * moment. Each pivoting method ends at a corner of its own, and jumps from corner to corner as the plate goes on. One way is the least of all (through.h), and
 * goes on smoothly: whatever the method found is shared out so. */
static void share_loads(problem* p, double* force, double* after)
{
    enum { ROUNDS = 8 };
    const kin_row_set* set = &p->set;
    kin_lcp_friction friction = {.contacts = set->contacts, .contact = p->friction, .slip_threshold = p->cluster->slip_threshold};
    bool slides = false;
    bool idle = false; /* one touches without a load */
    double fastest = 0;
    for (int i = 0; i < set->size; ++i) fastest = kin_max(fastest, set->dead[i] ? 0 : kin_abs(p->offset[i]));
    for (int i = 0; i < set->contacts; ++i) {
        slides = slides || kin_lcp_slides(&friction, i);
        idle = idle || (!(force[3 * i] > 0) && after[3 * i] <= TOUCHES * fastest);
    }
    if (!slides || set->contacts < 2 || (p->alike && !idle)) return;
    size_t size = (size_t)set->size;
    kin_arena_mark mark = kin_arena_begin(p->scratch);
    double* guess = kin_arena_take(p->scratch, 3 * size * sizeof *guess);
    if (guess) {
        double most = 0, *shared = guess + size, *then = shared + size;
        memcpy(guess, force, size * sizeof *guess);
        for (int i = 0; i < set->size; ++i) most = kin_max(most, kin_abs(force[i]));
        for (int i = 0; i < set->contacts; ++i) { /* what touches without a load may take some */
            if (after[3 * i] <= TOUCHES * fastest) guess[3 * i] = kin_max(guess[3 * i], TOUCHES * most);
        }
        for (int i = 3 * set->contacts; i < set->size; ++i) guess[i] = set->one_sided[i - 3 * set->contacts] ? force[i] > 0 : 0;
        kin_lcp_report report = kin_row_set_pivots(set, p->offset, p->friction, p->cluster->slip_threshold, 0, ROUNDS, guess, shared, then, p->scratch);
        if (report.status == KIN_LCP_SOLVED) memcpy(force, shared, size * sizeof *force), memcpy(after, then, size * sizeof *after);
    }
    kin_arena_end(p->scratch, mark);
}

/* A ray and no name: those that slide and are pressed are the ones whose forces may diverge; if none slides, all that are pressed. */
static void name_culprits(const problem* p, double* force, uint8_t* handed)
{
    int named = 0;
    for (int pass = 0; pass < 2 && named == 0; ++pass) {
        for (int i = 0; i < p->set.contacts; ++i) {
            const double* slip = p->friction[i].slip;
            bool slides = slip[0] * slip[0] + slip[1] * slip[1] > p->cluster->slip_threshold * p->cluster->slip_threshold;
            if (p->offset[3 * i] < 0 && !p->set.dead[3 * i] && (slides || pass > 0)) handed[i] = KIN_LCP_HANDED, ++named;
        }
    }
    memset(force, 0, (size_t)p->set.size * sizeof *force);
}

static bool is_with_friction(kin_force_method method) { return method == KIN_FORCE_BARAFF || method == KIN_FORCE_LEMKE; }

static bool is_far_off(const problem* p, const kin_lcp_report* report)
{
    double most = 0;
    for (int i = 0; i < p->set.size; ++i) most = kin_max(most, kin_abs(p->offset[i]));
    return report->status == KIN_LCP_LIMIT && !(report->residual <= NEAR_ENOUGH * most);
}

static int count_handed(const problem* p, double* force, uint8_t* handed)
{
    int count = 0;
    for (int i = 0; i < p->set.contacts; ++i) {
        handed[i] = handed[i] == KIN_LCP_HANDED;
        count += handed[i];
        for (int k = 0; k < 3 && handed[i]; ++k) force[3 * i + k] = 0;
    }
    return count;
}

kin_force_report kin_forces_find(const kin_force_cluster* c, double* out, kin_vec3* tangents, uint8_t* handed, double* joint_out, kin_arena* scratch)
{
    kin_force_report report = {.lcp = {.status = KIN_LCP_MEMORY}};
    kin_arena_mark mark = kin_arena_begin(scratch);
    problem p;
    size_t size = 3 * (size_t)c->count + (size_t)c->joint_count;
    double* force = kin_arena_take(scratch, 2 * size * sizeof *force);
    uint8_t* flags = kin_arena_take(scratch, (size_t)c->count);
    if (force && flags && prepare(&p, c, scratch)) {
        report.lcp = solve(&p, force, force + size, flags);
        if (report.lcp.status == KIN_LCP_SOLVED && report.lcp.handed == 0 && is_with_friction(c->method) && p.soft == 0) share_loads(&p, force, force + size);
        if (report.lcp.handed == 0 && report.lcp.status == KIN_LCP_UNBOUNDED) name_culprits(&p, force, flags);
        report.handed = count_handed(&p, force, flags);
        report.unsolved = report.handed == 0 && is_far_off(&p, &report.lcp);
        if (report.unsolved) memset(force, 0, size * sizeof *force);
        for (size_t i = 0; i < size; ++i) {
            double f = kin_finite(force[i]) ? force[i] : 0;
            if (i < 3 * (size_t)c->count)
                out[i] = f;
            else if (joint_out)
                joint_out[i - 3 * (size_t)c->count] = f;
        }
        report.work = *p.set.work + 10 * p.set.size; /* rows made */
        report.soft = p.soft;
        if (tangents) memcpy(tangents, p.tangents, (size_t)c->count * sizeof *tangents);
        if (handed) memcpy(handed, flags, (size_t)c->count);
    }
    kin_arena_end(scratch, mark);
    return report;
}

/* ---- back to the bodies ---- */

static void load(const kin_force_cluster* c, uint32_t i, kin_vec3 f, kin_vec3 m, kin_vec3* force, kin_vec3* torque)
{
    if (i == KIN_NO_BODY || i >= c->body_count) return;
    force[i] = kin_add(force[i], f);
    torque[i] = kin_add(torque[i], m);
}

void kin_forces_add(const kin_force_cluster* c, const double* out, const kin_vec3* tangents, const double* joint_out, kin_vec3* force, kin_vec3* torque)
{
    for (int i = 0; i < c->count; ++i) {
        const kin_touching* at = &c->touching[i];
        kin_vec3 f =
            kin_basis_to_world((kin_basis){at->normal, tangents[i], kin_cross(at->normal, tangents[i])}, kin_v(out[3 * i], out[3 * i + 1], out[3 * i + 2]));
        if (at->a != KIN_NO_BODY) load(c, at->a, f, kin_cross(kin_sub(at->point, c->bodies[at->a].position), f), force, torque);
        if (at->b != KIN_NO_BODY) load(c, at->b, kin_neg(f), kin_cross(f, kin_sub(at->point, c->bodies[at->b].position)), force, torque);
    }
    for (int j = 0; j < c->joint_count && joint_out; ++j) {
        const kin_joint_row* row = &c->joint_rows[j];
        load(c, c->joint_a[j], kin_scale(row->linear_a, joint_out[j]), kin_scale(row->angular_a, joint_out[j]), force, torque);
        load(c, c->joint_b[j], kin_scale(row->linear_b, joint_out[j]), kin_scale(row->angular_b, joint_out[j]), force, torque);
    }
}
