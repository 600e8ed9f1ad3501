/* single.c - one meeting of two bodies: closed form, and the 15 x 15 system of P and all velocities after, dense and sparse (C4.11.1).
 *
 * Rows: restitution along n; per tangent either p_t = mu p_n (slide) or no slip after (stick), with -e on both bodies' terms and the third row (-mu_k, 0, 1)
 * (E6); and twelve of momentum, v' - M^-1 J^t P = v. Which case it is the critical coefficients have decided before. */
#include "contact/impulse/local.h"
#include "contact/impulse/rows.h"
#include "numerics/cg.h"
#include "numerics/dense.h"
#include "numerics/sparse.h"
#include <string.h>

enum { UNKNOWNS = 15 };

typedef struct single {
    kin_body bodies[2];
    kin_row rows[3];
    kin_vec3 tangent;
    kin_local hit;
} single;

static single prepare(const kin_meeting* m, const kin_body* a, const kin_body* b)
{
    single s = {.bodies = {a ? *a : kin_body_fixed(), b ? *b : kin_body_fixed()}};
    kin_meeting local = *m;
    local.a = 0;
    local.b = 1;
    kin_vec3 u = kin_meeting_velocity(&local, s.bodies);
    s.tangent = kin_meeting_tangent(m, u);
    for (int i = 0; i < 3; ++i) s.rows[i] = kin_row_at_point(s.bodies, 0, 1, m->point, kin_row_direction(m->normal, s.tangent, i));
    for (int i = 0; i < 9; ++i) s.hit.matrix[i] = kin_row_couple(&s.rows[i / 3], &s.rows[i % 3]);
    for (int i = 0; i < 3; ++i) s.hit.velocity[i] = kin_dot(u, kin_row_direction(m->normal, s.tangent, i));
    s.hit.restitution = m->resting ? 0 : m->restitution;
    for (int i = 0; i < 2; ++i) s.hit.friction[i] = m->friction[i];
    return s;
}

/* ---- 15 x 15 ---- */

static void twelve(const kin_vec3 part[KIN_ROW_PARTS], double out[12])
{
    for (int i = 0; i < 12; ++i) out[i] = kin_component(part[i / 3], i % 3);
}

/* Unknowns: p_n, p_t, p_k in units of 1 / K_nn, then the twelve velocities. p: the answer in closed form, for its case. */
static void fill_system(const single* s, const double p[3], kin_triplets* entries, double right[UNKNOWNS])
{
    double after[3], give[12], before[12], unit = 1 / s->hit.matrix[0],
                                           fastest = kin_abs(s->hit.velocity[0]) + kin_abs(s->hit.velocity[1]) + kin_abs(s->hit.velocity[2]);
    kin_local_after(&s->hit, p, after);
    kin_slip_case slip = kin_slip_of(after, 1e-9 * fastest);
    const kin_vec3 v[KIN_ROW_PARTS] = {s->bodies[0].velocity, s->bodies[0].spin, s->bodies[1].velocity, s->bodies[1].spin};
    twelve(v, before);
    const bool slides[3] = {false, slip == KIN_SLIDE_SLIDE || slip == KIN_SLIDE_STICK, slip == KIN_SLIDE_SLIDE || slip == KIN_STICK_SLIDE};
    for (int i = 0; i < 3; ++i) {
        double jacobian[12], bodies = 0;
        twelve(s->rows[i].jacobian, jacobian);
        twelve(s->rows[i].give, give);
        for (int j = 0; j < 12; ++j) {
            if (!slides[i] && jacobian[j] != 0) kin_triplets_add(entries, i, 3 + j, jacobian[j]);
            if (give[j] != 0) kin_triplets_add(entries, 3 + j, i, -unit * give[j]);
            bodies += jacobian[j] * before[j];
        }
        if (slides[i]) {
            kin_triplets_add(entries, i, i, 1);
            kin_triplets_add(entries, i, 0, -p[i] / p[0]);
            right[i] = 0;
        } else { /* u = bodies + surface; the surface keeps its velocity */
            double surface = s->hit.velocity[i] - bodies;
            right[i] = (i == 0 ? -s->hit.restitution * s->hit.velocity[0] : 0) - surface;
        }
    }
    for (int j = 0; j < 12; ++j) {
        kin_triplets_add(entries, 3 + j, 3 + j, 1);
        right[3 + j] = before[j];
    }
}

static bool solve_dense(const kin_triplets* entries, double* x)
{
    double matrix[UNKNOWNS * UNKNOWNS] = {0};
    int pivot[UNKNOWNS];
    for (int i = 0; i < entries->count; ++i) matrix[entries->items[i].row * UNKNOWNS + entries->items[i].column] += entries->items[i].value;
    if (!kin_lu_factor(UNKNOWNS, matrix, pivot)) return false;
    kin_lu_solve(UNKNOWNS, matrix, pivot, x);
    return true;
}

static void multiply(void* context, const double* x, double* y) { kin_sparse_multiply(context, x, y); }

/* BiCGSTAB ends within as many steps as there are different eigenvalues, but for rounding: a second call from where it got takes the rest. */
static bool solve_sparse(const kin_triplets* entries, double* x, kin_arena* scratch)
{
    kin_sparse matrix;
    if (!kin_sparse_assemble(entries, UNKNOWNS, scratch, &matrix)) return false;
    double room[KIN_BICGSTAB_VECTORS * UNKNOWNS], right[UNKNOWNS];
    memcpy(right, x, sizeof right);
    kin_krylov problem = {.size = UNKNOWNS, .matrix = multiply, .context = &matrix, .tolerance = 1e-15, .max_iterations = 4 * UNKNOWNS};
    kin_krylov_report report = {.residual = 1};
    for (int i = 0; i < 4 && !report.converged; ++i) report = kin_bicgstab(&problem, right, x, room);
    return report.residual < 1e-11;
}

static void by_system(const single* s, kin_single_method method, double p[3], kin_arena* scratch)
{
    kin_arena_mark mark = kin_arena_begin(scratch);
    kin_triplets entries = {.arena = scratch};
    double x[UNKNOWNS];
    fill_system(s, p, &entries, x);
    bool solved = !entries.failed && (method == KIN_SINGLE_DENSE ? solve_dense(&entries, x) : solve_sparse(&entries, x, scratch));
    for (int i = 0; i < 3 && solved; ++i) p[i] = x[i] / s->hit.matrix[0]; /* else the closed form stands */
    kin_arena_end(scratch, mark);
}

/* ---- the three ways ---- */

static void report_critical(const kin_local* hit, const double p[3], kin_impulse* out)
{
    const double d[3] = {-(1 + hit->restitution) * hit->velocity[0], -hit->velocity[1], -hit->velocity[2]};
    for (int axis = 0; axis < 2; ++axis) {
        double critical = kin_abs(kin_local_critical(hit->matrix, d, axis, p[2 - axis] / p[0]));
        out->critical[axis] = kin_finite(critical) ? critical : 0;
    }
}

kin_impulse kin_impulse_single(const kin_meeting* m, const kin_body* a, const kin_body* b, kin_single_method method, kin_arena* scratch)
{
    single s = prepare(m, a, b);
    kin_impulse out = {.tangent = s.tangent, .slip = KIN_SLIP_NONE};
    if (!(s.hit.velocity[0] < 0 && s.hit.matrix[0] > 0)) return out;
    double p[3], after[3];
    out.restitution = s.hit.restitution * kin_local_guarded(&s.hit, kin_local_closed, p);
    s.hit.restitution = out.restitution;
    if (method != KIN_SINGLE_CLOSED) by_system(&s, method, p, scratch);
    kin_local_after(&s.hit, p, after);
    out.n = p[0];
    out.t = p[1];
    out.k = p[2];
    out.slip = kin_slip_of(after, 1e-9 * (kin_abs(s.hit.velocity[0]) + kin_abs(s.hit.velocity[1]) + kin_abs(s.hit.velocity[2])));
    report_critical(&s.hit, p, &out);
    return out;
}
