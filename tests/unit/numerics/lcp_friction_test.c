/* lcp_friction_test.c - Baraff's method (I14.3, E20, E21, C4.11.3, C4.11.4). */
#include "lcp_problems.h"
#include "numerics/lcp_friction_lemke.h"
#include "numerics/lcp_sweep.h"
#include "support/test.h"

static kin_lcp_report solve(test* t, const kin_lcp_friction* lcp, double* force, double* accel, uint8_t* handed)
{
    kin_arena scratch;
    kin_arena_init(&scratch, &t->allocator);
    kin_lcp_report report = kin_lcp_baraff(lcp, force, accel, handed, &scratch);
    EQUAL(t, scratch.used, 0);
    kin_arena_term(&scratch);
    return report;
}

/* One particle, A = I / m. */
static kin_lcp_report particle(test* t, double m, const double b[3], const kin_lcp_friction_contact* contact, double* force, double* accel)
{
    double matrix[9] = {1 / m, 0, 0, 0, 1 / m, 0, 0, 0, 1 / m};
    kin_lcp_friction lcp = {.contacts = 1, .matrix = matrix, .offset = b, .contact = contact, .slip_threshold = 1e-6};
    return solve(t, &lcp, force, accel, NULL);
}

/* Holds iff tan <= mu_s, in either direction of t and k; sliding down it has mu_d whatever mu_s is. */
static void incline(test* t)
{
    double m = 3, g = 9.81, mu = 0.5, mu_d = 0.3, force[3], accel[3];
    for (int degrees = 1; degrees < 90; degrees += 2) {
        for (int way = 0; way < 4; ++way) {
            double angle = degrees * acos(-1) / 180, sign = way % 2 ? -1 : 1, b[3] = {-g * cos(angle), 0, 0};
            int down = 1 + way / 2;
            b[down] = sign * g * sin(angle);
            kin_lcp_friction_contact contact = {.mu_static = {mu, mu}, .mu_dynamic = {mu_d, mu_d}};
            EQUAL(t, particle(t, m, b, &contact, force, accel).status, KIN_LCP_SOLVED);
            NEAR(t, force[0], m * g * cos(angle), 1e-12);
            NEAR(t, accel[down], sign * (tan(angle) <= mu ? 0 : g * (sin(angle) - mu * cos(angle))), 1e-12);
            contact.slip[down - 1] = sign;
            EQUAL(t, particle(t, m, b, &contact, force, accel).status, KIN_LCP_SOLVED);
            NEAR(t, accel[down], sign * g * (sin(angle) - mu_d * cos(angle)), 1e-12);
            NEAR(t, force[3 - down], 0, 0);
        }
    }
}

/* F_t = -push while |push| <= mu_s m g, then stays at the limit; per axis. A contact that opens carries no friction. */
static void push(test* t)
{
    double m = 2, g = 10, force[3], accel[3];
    kin_lcp_friction_contact contact = {.mu_static = {0.4, 0.2}, .mu_dynamic = {0.3, 0.1}};
    for (double p = -15; p <= 15; p += 0.5) {
        double b[3] = {-g, p / m, -p / m}, q = fmin(fabs(p), 8), r = fmin(fabs(p), 4), sign = p < 0 ? -1 : 1;
        EQUAL(t, particle(t, m, b, &contact, force, accel).status, KIN_LCP_SOLVED);
        NEAR(t, force[1], -sign * q, 1e-14);
        NEAR(t, force[2], sign * r, 1e-14);
        NEAR(t, accel[1], sign * (fabs(p) - q) / m, 1e-14);
    }
    EQUAL(t, particle(t, m, (double[]){1, 5, 5}, &contact, force, accel).status, KIN_LCP_SOLVED);
    NEAR(t, fabs(force[0]) + fabs(force[1]) + fabs(force[2]), 0, 0);
    contact.slip[0] = -2, contact.slip[1] = 1; /* both axes slide */
    EQUAL(t, particle(t, m, (double[]){-g, 0, 0}, &contact, force, accel).status, KIN_LCP_SOLVED);
    NEAR(t, force[1], 0.3 * m * g, 1e-14);
    NEAR(t, force[2], -0.1 * m * g, 1e-14);
}

/* Without friction it is Dantzig's method: the pushed chain, and random problems. */
static void frictionless(test* t)
{
    kin_arena scratch;
    kin_arena_init(&scratch, &t->allocator);
    problem p = {.key = {.seed = 73}};
    for (int trial = 0; trial < 500; ++trial) {
        int n = 1 + trial % 8;
        double matrix[24 * 24] = {0}, offset[24] = {0}, force[24], accel[24], want[8], want_accel[8];
        kin_lcp_friction_contact contact[8] = {0};
        problem_psd(&p, n, (n + 1) / 2 + trial % 2 * (n / 2), true);
        if (trial == 0) {
            n = p.size = 2;
            double chain[4] = {1.5, -0.5, -0.5, 5.0 / 6};
            for (int i = 0; i < 4; ++i) p.matrix[i] = chain[i];
            p.offset[0] = -6, p.offset[1] = 0;
        }
        for (int i = 0; i < n; ++i) {
            offset[3 * i] = p.offset[i];
            for (int j = 0; j < n; ++j) matrix[3 * i * 3 * n + 3 * j] = p.matrix[i * n + j];
        }
        kin_lcp plain = {.size = n, .matrix = p.matrix, .offset = p.offset};
        kin_lcp_friction lcp = {.contacts = n, .matrix = matrix, .offset = offset, .contact = contact};
        EQUAL(t, kin_lcp_dantzig(&plain, want, want_accel, NULL, &scratch).status, KIN_LCP_SOLVED);
        EQUAL(t, solve(t, &lcp, force, accel, NULL).status, KIN_LCP_SOLVED);
        for (int i = 0; i < n; ++i) NEAR(t, accel[3 * i], want_accel[i], 1e-9);
        if (trial == 0) {
            NEAR(t, force[0], 5, 1e-14);
            NEAR(t, force[3], 3, 1e-14);
        }
    }
    kin_arena_term(&scratch);
}

/* Response of a rigid box (mass m, half sizes, about its centre) at its contacts with the floor: rows n = y, t = x, k = z. */
static void box_matrix(int n, double m, const double half[3], const double (*arm)[3], double* matrix)
{
    static const double axes[3][3] = {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}};
    double inertia[3];
    for (int d = 0; d < 3; ++d) inertia[d] = m / 3 * (half[(d + 1) % 3] * half[(d + 1) % 3] + half[(d + 2) % 3] * half[(d + 2) % 3]);
    for (int i = 0; i < 3 * n; ++i) {
        for (int j = 0; j < 3 * n; ++j) {
            const double *u = axes[i % 3], *v = axes[j % 3], *r = arm[i / 3], *s = arm[j / 3];
            double sum = 0;
            for (int d = 0; d < 3; ++d) {
                int e = (d + 1) % 3, f = (d + 2) % 3;
                sum += u[d] * v[d] / m + (r[e] * u[f] - r[f] * u[e]) * (s[e] * v[f] - s[f] * v[e]) / inertia[d];
            }
            matrix[i * 3 * n + j] = sum;
        }
    }
}

/* A box with four corners on an incline that tilts along x, z or both: 12 rows of rank 6. Below the limit it stands; above, it slides as a whole; sliding,
 * mu_d. It is flat enough not to tip. */
static void box_on_incline(test* t)
{
    double m = 5, g = 9.81, half[3] = {1, 0.2, 0.7}, mu = 0.4, mu_d = 0.25, matrix[144], offset[12], force[12], accel[12];
    double arm[4][3] = {{-1, -0.2, -0.7}, {1, -0.2, -0.7}, {-1, -0.2, 0.7}, {1, -0.2, 0.7}};
    box_matrix(4, m, half, arm, matrix);
    for (int degrees = -40; degrees <= 40; degrees += 5) {
        for (int way = 0; way < 6; ++way) {
            double angle = degrees * acos(-1) / 180, sum[3] = {0};
            int down = 1 + way % 2;
            bool sliding = way / 2 == 1 && degrees != 0, jitter = way / 2 == 2;
            kin_lcp_friction_contact contact[4];
            for (int c = 0; c < 4; ++c) {
                offset[3 * c] = -g * cos(angle), offset[3 * c + down] = g * sin(angle), offset[3 * c + 3 - down] = jitter ? 0.01 : 0;
                contact[c] = (kin_lcp_friction_contact){.mu_static = {mu, mu}, .mu_dynamic = {mu_d, mu_d}};
                if (sliding) contact[c].slip[down - 1] = degrees;
            }
            kin_lcp_friction lcp = {.contacts = 4, .matrix = matrix, .offset = offset, .contact = contact, .slip_threshold = 1e-3};
            kin_lcp_report report = solve(t, &lcp, force, accel, NULL);
            EQUAL(t, report.status, KIN_LCP_SOLVED);
            NEAR(t, report.residual, 0, 1e-10);
            for (int i = 0; i < 12; ++i) sum[i % 3] += force[i];
            NEAR(t, sum[0], m * g * cos(angle), 1e-9);
            double used = sliding ? mu_d : mu, want = fabs(tan(angle)) <= used && !sliding ? 0 : g * (sin(fabs(angle)) - used * cos(angle));
            if (!jitter) NEAR(t, accel[down], (degrees < 0 ? -1 : 1) * want, 1e-9);
        }
    }
}

/* The same box on 4 to 16 contacts, pushed in every direction and turned: up to 48 rows of rank 6. */
static void box_on_many_contacts(test* t)
{
    enum { MOST = 16 };
    static double matrix[9 * MOST * MOST];
    double m = 5, g = 9.81, half[3] = {1, 0.2, 0.7}, arm[MOST][3], offset[3 * MOST], force[3 * MOST], accel[3 * MOST];
    uint8_t handed[MOST];
    kin_lcp_friction_contact contact[MOST];
    kin_arena scratch;
    kin_arena_init(&scratch, &t->allocator);
    int limits = 0;
    for (int side = 2; side <= 4; ++side) {
        int n = side * side;
        for (int c = 0; c < n; ++c) {
            arm[c][0] = -1 + 2.0 * (c % side) / (side - 1), arm[c][1] = -0.2, arm[c][2] = -0.7 + 1.4 * (c / side) / (side - 1);
            contact[c] = (kin_lcp_friction_contact){.mu_static = {0.4, 0.4}};
        }
        box_matrix(n, m, half, arm, matrix);
        for (int trial = 0; trial < 60; ++trial) {
            double angle = trial * 0.7, push = trial % 6, turn = trial % 4 * 2 - 3.0; /* m/s^2 along, rad/s^2 about y */
            for (int c = 0; c < n; ++c) {
                offset[3 * c] = -g;
                offset[3 * c + 1] = push * cos(angle) + turn * arm[c][2];
                offset[3 * c + 2] = push * sin(angle) - turn * arm[c][0];
            }
            kin_lcp_friction lcp = {.contacts = n, .matrix = matrix, .offset = offset, .contact = contact};
            limits += solve(t, &lcp, force, accel, handed).status == KIN_LCP_LIMIT;
            kin_lcp_report report = kin_lcp_friction_solve(&lcp, force, accel, handed, &scratch);
            EQUAL(t, report.status, KIN_LCP_SOLVED);
            NEAR(t, report.residual, 0, 1e-9);
            double sum = 0;
            for (int c = 0; c < n; ++c) sum += force[3 * c];
            NEAR(t, sum, m * g, 1e-9);
        }
    }
    test_check(t, limits < 20, __FILE__, __LINE__, "%d of 180 went around", limits);
    kin_arena_term(&scratch);
}

/* A box of width 2 b and height 2 h with friction enough stands while tan < b / h, then tips about its lower edge: the upper corners leave. */
static void box_tips(test* t)
{
    double m = 5, g = 9.81, half[3] = {0.3, 1, 0.3}, matrix[144], offset[12], force[12], accel[12];
    double arm[4][3] = {{-0.3, -1, -0.3}, {0.3, -1, -0.3}, {-0.3, -1, 0.3}, {0.3, -1, 0.3}};
    kin_lcp_friction_contact contact[4];
    box_matrix(4, m, half, arm, matrix);
    for (int degrees = 1; degrees <= 45; degrees += 2) {
        double angle = degrees * acos(-1) / 180, lever = 0.3 * 0.3 + 1, inertia = m / 3 * lever + m * lever;
        bool tips = tan(angle) > 0.3;
        for (int c = 0; c < 4; ++c) {
            offset[3 * c] = -g * cos(angle), offset[3 * c + 1] = g * sin(angle), offset[3 * c + 2] = 0;
            contact[c] = (kin_lcp_friction_contact){.mu_static = {1.2, 1.2}};
        }
        kin_lcp_friction lcp = {.contacts = 4, .matrix = matrix, .offset = offset, .contact = contact};
        kin_lcp_report report = solve(t, &lcp, force, accel, NULL);
        EQUAL(t, report.status, KIN_LCP_SOLVED);
        NEAR(t, report.residual, 0, 1e-10);
        double turn = tips ? m * g * (sin(angle) - 0.3 * cos(angle)) / inertia : 0; /* rad/s^2 about the lower edge */
        for (int c = 0; c < 4; ++c) {
            NEAR(t, accel[3 * c], arm[c][0] < 0 ? 0.6 * turn : 0, 1e-10);
            NEAR(t, accel[3 * c + 1], 0, 1e-10);
        }
    }
}

/* Semidefinite response of c contacts, with b_n mostly negative. */
static void random_contacts(problem* p, int contacts, int rank, bool inside)
{
    problem_psd(p, 3 * contacts, rank, inside);
    for (int c = 0; c < contacts && !inside; ++c) p->offset[3 * c] -= 0.5;
}

/* Static friction always has a solution; the path does not always find it. What it calls solved is; and it nearly always is. */
static void random_static(test* t)
{
    problem p = {.key = {.seed = 79}};
    int solved = 0, count = 0;
    for (int trial = 0; trial < 3000; ++trial) {
        int n = 1 + trial % 8;
        double force[24], accel[24];
        uint8_t handed[8];
        kin_lcp_friction_contact contact[8];
        random_contacts(&p, n, trial % 2 ? 3 * n : (3 * n + 1) / 2, trial % 2 == 0);
        for (int c = 0; c < n; ++c) contact[c] = (kin_lcp_friction_contact){.mu_static = {problem_random(&p, 0, 0.5), problem_random(&p, 0, 0.5)}};
        kin_lcp_friction lcp = {.contacts = n, .matrix = p.matrix, .offset = p.offset, .contact = contact, .slip_threshold = 1e-9};
        kin_lcp_report report = solve(t, &lcp, force, accel, handed);
        ++count;
        solved += report.status == KIN_LCP_SOLVED;
        NEAR(t, kin_lcp_friction_residual(&lcp, force, handed), report.residual, 0);
        if (report.status == KIN_LCP_SOLVED || report.status == KIN_LCP_UNBOUNDED) NEAR(t, report.residual, 0, 1e-7);
    }
    test_check(t, solved > count * 0.97, __FILE__, __LINE__, "%d of %d solved", solved, count);
}

/* Lemke's method solves static friction always, singular or not, so the two together do; of several solutions they may find different ones, but small
 * friction leaves one. Contacts put off (I14.3.3) do get solved later. */
static void static_friction_is_always_solved(test* t)
{
    kin_arena scratch;
    kin_arena_init(&scratch, &t->allocator);
    problem p = {.key = {.seed = 101}};
    int put_off = 0, backed = 0;
    for (int trial = 0; trial < 1500; ++trial) {
        int n = 1 + trial % 7;
        bool regular = trial % 2;
        double force[24], accel[24], other[24], other_accel[24], mu = trial % 3 == 0 ? 0.05 : trial % 3 == 1 ? 0.5 : 1.5;
        uint8_t handed[8];
        kin_lcp_friction_contact contact[8];
        random_contacts(&p, n, regular ? 3 * n : (3 * n + 1) / 2, !regular);
        for (int i = 0; i < 3 * n && mu < 0.1; ++i) p.matrix[i * 3 * n + i] += 0.5;
        for (int c = 0; c < n; ++c) contact[c] = (kin_lcp_friction_contact){.mu_static = {mu, trial % 5 == 0 ? 0 : mu}};
        kin_lcp_friction lcp = {.contacts = n, .matrix = p.matrix, .offset = p.offset, .contact = contact};
        kin_lcp_report lemke = kin_lcp_friction_lemke(&lcp, other, other_accel, &scratch);
        EQUAL(t, lemke.status, KIN_LCP_SOLVED);
        NEAR(t, lemke.residual, 0, 1e-9);
        bool round = solve(t, &lcp, force, accel, handed).status == KIN_LCP_LIMIT;
        kin_lcp_report report = kin_lcp_friction_solve(&lcp, force, accel, handed, &scratch);
        EQUAL(t, report.status, KIN_LCP_SOLVED);
        NEAR(t, report.residual, 0, 1e-9);
        put_off += report.put_off > 0 && !round;
        backed += round;
        for (int i = 0; i < 3 * n && mu < 0.1; ++i) NEAR(t, force[i], other[i], 1e-9);
    }
    test_check(t, put_off > 50 && backed > 3 && backed < 40, __FILE__, __LINE__, "%d put off and solved, %d by Lemke", put_off, backed);
    kin_arena_term(&scratch);
}

/* Sliding and resting contacts mixed: solved, or handed over with the rest solved. */
static void random_sliding(test* t)
{
    problem p = {.key = {.seed = 83}};
    int count[4] = {0};
    for (int trial = 0; trial < 2000; ++trial) {
        int n = 1 + trial % 6;
        double force[24], accel[24];
        uint8_t handed[8];
        kin_lcp_friction_contact contact[8];
        random_contacts(&p, n, 3 * n, false);
        for (int c = 0; c < n; ++c) {
            double mu = problem_random(&p, 0, trial % 2 ? 0.4 : 1.5);
            contact[c] = (kin_lcp_friction_contact){.mu_static = {mu, mu}, .mu_dynamic = {mu, mu}};
            if (problem_random(&p, 0, 1) < 0.6) contact[c].slip[0] = problem_random(&p, -1, 1), contact[c].slip[1] = problem_random(&p, -1, 1);
        }
        kin_lcp_friction lcp = {.contacts = n, .matrix = p.matrix, .offset = p.offset, .contact = contact, .slip_threshold = 1e-9};
        kin_lcp_report report = solve(t, &lcp, force, accel, handed);
        ++count[report.status];
        if (report.status != KIN_LCP_LIMIT) NEAR(t, report.residual, 0, 1e-7);
        int out = 0;
        for (int c = 0; c < n; ++c) {
            if (handed[c] != KIN_LCP_HANDED) continue;
            ++out;
            NEAR(t, fabs(force[3 * c]) + fabs(force[3 * c + 1]) + fabs(force[3 * c + 2]), 0, 0);
        }
        EQUAL(t, out, report.handed);
    }
    test_check(t, count[KIN_LCP_SOLVED] > 1000 && count[KIN_LCP_UNBOUNDED] > 20 && count[KIN_LCP_LIMIT] < 60, __FILE__, __LINE__, "%d %d %d",
               count[KIN_LCP_SOLVED], count[KIN_LCP_UNBOUNDED], count[KIN_LCP_LIMIT]);
}

/* Painleve's rod, sliding with its tip pushed under: A_nn - mu A_nt < 0 and b_n < 0, so the normal force makes it worse. A contact beside it is solved. */
static void painleve(test* t)
{
    double angle = 1.1, mu = 1.5, m = 1, half = 1, inertia = m * half * half / 3, c = half * cos(angle), s = half * sin(angle);
    double nn = 1 / m + c * c / inertia, nt = -c * s / inertia, tt = 1 / m + s * s / inertia;
    double matrix[36] = {0}, offset[6] = {-9.81, 0, 0, -4, 0, 0}, force[6], accel[6];
    matrix[0] = nn, matrix[1] = matrix[6] = nt, matrix[7] = tt, matrix[14] = 1;
    matrix[21] = matrix[28] = matrix[35] = 2;
    uint8_t handed[2];
    kin_lcp_friction_contact contact[2] = {{.mu_static = {mu, mu}, .mu_dynamic = {mu, 0}, .slip = {-1, 0}}, {.mu_static = {0.5, 0.5}}};
    kin_lcp_friction lcp = {.contacts = 2, .matrix = matrix, .offset = offset, .contact = contact, .slip_threshold = 1e-6};
    CHECK(t, nn + mu * nt < 0);
    kin_lcp_report report = solve(t, &lcp, force, accel, handed);
    EQUAL(t, report.status, KIN_LCP_UNBOUNDED);
    EQUAL(t, report.handed, 1);
    EQUAL(t, handed[0], KIN_LCP_HANDED);
    EQUAL(t, handed[1], KIN_LCP_KEPT);
    NEAR(t, force[0], 0, 0);
    NEAR(t, force[3], 2, 1e-15);
    NEAR(t, report.residual, 0, 1e-15);
    double other[6], other_accel[6];
    kin_arena scratch;
    kin_arena_init(&scratch, &t->allocator);
    EQUAL(t, kin_lcp_friction_lemke(&lcp, other, other_accel, &scratch).status, KIN_LCP_UNBOUNDED);
    EQUAL(t, kin_lcp_friction_solve(&lcp, force, accel, handed, &scratch).status, KIN_LCP_UNBOUNDED);
    kin_arena_term(&scratch);
    contact[0].slip[0] = 1; /* dragged the other way it slides on */
    EQUAL(t, solve(t, &lcp, force, accel, handed).status, KIN_LCP_SOLVED);
    NEAR(t, force[0], 9.81 / (nn - mu * nt), 1e-12);
    NEAR(t, force[1], -mu * force[0], 1e-12);
}

/* Sweeps with the same boxes reach a solution too; the accelerations agree where the friction is small enough to leave one. */
static void sweeps_agree(test* t)
{
    kin_arena scratch;
    kin_arena_init(&scratch, &t->allocator);
    problem p = {.key = {.seed = 89}};
    for (int trial = 0; trial < 200; ++trial) {
        int n = 1 + trial % 5;
        double force[15], accel[15], swept[15] = {0};
        kin_lcp_friction_contact contact[5];
        kin_lcp_box boxes[15];
        random_contacts(&p, n, 3 * n, false);
        for (int i = 0; i < 3 * n; ++i) {
            p.matrix[i * 3 * n + i] += 0.5;
            boxes[i] = i % 3 ? (kin_lcp_box){-0.1, 0.1, i - i % 3} : (kin_lcp_box){0, HUGE_VAL, -1};
        }
        for (int c = 0; c < n; ++c) contact[c] = (kin_lcp_friction_contact){.mu_static = {0.1, 0.1}};
        kin_lcp_friction lcp = {.contacts = n, .matrix = p.matrix, .offset = p.offset, .contact = contact};
        EQUAL(t, solve(t, &lcp, force, accel, NULL).status, KIN_LCP_SOLVED);
        EQUAL(t, kin_lcp_sweeps(3 * n, p.matrix, p.offset, boxes, KIN_LCP_GAUSS_SEIDEL, 1, 10000, 1e-13, swept, &scratch).status, KIN_LCP_SOLVED);
        for (int i = 0; i < 3 * n; ++i) NEAR(t, swept[i], force[i], 1e-9);
    }
    kin_arena_term(&scratch);
}

/* Joints among contacts with friction: solved or named, repeated joints too. A contradiction between joints is handed over. */
static void joints(test* t)
{
    kin_arena scratch;
    kin_arena_init(&scratch, &t->allocator);
    problem p = {.key = {.seed = 103}};
    for (int trial = 0; trial < 600; ++trial) {
        int n = 2 + trial % 6;
        double force[24], accel[24], other[24];
        uint8_t handed[8];
        kin_lcp_friction_contact contact[8];
        random_contacts(&p, n, trial % 2 ? 3 * n : 3 * n - 2, true);
        for (int c = 0; c < n; ++c) contact[c] = (kin_lcp_friction_contact){.mu_static = {0.2, 0.2}, .joint = problem_random(&p, 0, 1) < 0.4};
        kin_lcp_friction lcp = {.contacts = n, .matrix = p.matrix, .offset = p.offset, .contact = contact};
        kin_lcp_report report = kin_lcp_friction_solve(&lcp, force, accel, handed, &scratch);
        EQUAL(t, report.status, KIN_LCP_SOLVED);
        NEAR(t, report.residual, 0, 1e-9);
        for (int c = 0; c < n; ++c)
            if (contact[c].joint) NEAR(t, fabs(accel[3 * c]) + fabs(accel[3 * c + 1]) + fabs(accel[3 * c + 2]), 0, 1e-9);
        kin_lcp_report lemke = kin_lcp_friction_lemke(&lcp, other, accel, &scratch);
        EQUAL(t, lemke.status, KIN_LCP_SOLVED);
        NEAR(t, lemke.residual, 0, 1e-8);
    }
    double matrix[36] = {0}, offset[6] = {-1, 2, 3, -1, 2, 3}, force[6], accel[6];
    uint8_t handed[2];
    for (int i = 0; i < 3; ++i) matrix[7 * i] = matrix[7 * i + 3] = matrix[7 * i + 18] = matrix[7 * i + 21] = 0.5;
    kin_lcp_friction_contact twice[2] = {{.joint = true}, {.joint = true}};
    kin_lcp_friction lcp = {.contacts = 2, .matrix = matrix, .offset = offset, .contact = twice};
    EQUAL(t, solve(t, &lcp, force, accel, handed).status, KIN_LCP_SOLVED);
    for (int i = 0; i < 3; ++i) NEAR(t, force[i] + force[i + 3], -2 * offset[i], 1e-14);
    offset[4] = 1;
    EQUAL(t, solve(t, &lcp, force, accel, handed).status, KIN_LCP_UNBOUNDED);
    EQUAL(t, handed[0], KIN_LCP_PARTNER);
    EQUAL(t, handed[1], KIN_LCP_HANDED);
    kin_arena_term(&scratch);
}

static void limit(test* t)
{
    problem p = {.key = {.seed = 97}};
    double force[24], accel[24];
    kin_lcp_friction_contact contact[8];
    random_contacts(&p, 8, 24, false);
    for (int c = 0; c < 8; ++c) contact[c] = (kin_lcp_friction_contact){.mu_static = {0.3, 0.3}};
    kin_lcp_friction lcp = {.contacts = 8, .matrix = p.matrix, .offset = p.offset, .contact = contact, .max_pivots = 3};
    kin_lcp_report report = solve(t, &lcp, force, accel, NULL);
    EQUAL(t, report.status, KIN_LCP_LIMIT);
    CHECK(t, report.residual > 0);
    lcp.contacts = 0;
    EQUAL(t, solve(t, &lcp, force, accel, NULL).status, KIN_LCP_SOLVED);
}

/* NaN comes out as LIMIT with no finite residual, never as solved. */
static void not_a_number(test* t)
{
    kin_arena scratch;
    kin_arena_init(&scratch, &t->allocator);
    for (int at = 0; at < 12; ++at) {
        double matrix[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, offset[3] = {-1, 0.1, 0.2}, force[3], accel[3];
        if (at < 9)
            matrix[at] = NAN;
        else
            offset[at - 9] = NAN;
        kin_lcp_friction_contact contact = {.mu_static = {0.4, 0.2}};
        kin_lcp_friction lcp = {.contacts = 1, .matrix = matrix, .offset = offset, .contact = &contact};
        CHECK(t, solve(t, &lcp, force, accel, NULL).status != KIN_LCP_SOLVED);
        CHECK(t, kin_lcp_friction_lemke(&lcp, force, accel, &scratch).status != KIN_LCP_SOLVED);
    }
    kin_arena_term(&scratch);
}

static bool solve_one(test* t, void* context)
{
    (void)context;
    kin_arena scratch;
    kin_arena_init(&scratch, &t->allocator);
    double force[3], accel[3], matrix[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, offset[3] = {-1, 0.1, 0};
    kin_lcp_friction_contact contact = {.mu_static = {0.4, 0.2}};
    kin_lcp_friction lcp = {.contacts = 1, .matrix = matrix, .offset = offset, .contact = &contact};
    kin_lcp_status baraff = kin_lcp_baraff(&lcp, force, accel, NULL, &scratch).status;
    kin_lcp_status lemke = kin_lcp_friction_lemke(&lcp, force, accel, &scratch).status;
    lcp.max_pivots = 1; /* too few, so that the second method is asked */
    kin_lcp_status both = kin_lcp_friction_solve(&lcp, force, accel, NULL, &scratch).status;
    CHECK(t, baraff == KIN_LCP_SOLVED || baraff == KIN_LCP_MEMORY);
    CHECK(t, lemke == KIN_LCP_SOLVED || lemke == KIN_LCP_MEMORY);
    CHECK(t, both == KIN_LCP_SOLVED || both == KIN_LCP_MEMORY);
    kin_arena_term(&scratch);
    return baraff == KIN_LCP_SOLVED && lemke == KIN_LCP_SOLVED && both == KIN_LCP_SOLVED;
}

static void allocation_faults(test* t) { test_fail_each_allocation(t, solve_one, NULL); }

TEST_MAIN("numerics_lcp_friction", TEST(incline), TEST(push), TEST(frictionless), TEST(box_on_incline), TEST(box_on_many_contacts), TEST(box_tips),
          TEST(random_static), TEST(static_friction_is_always_solved), TEST(random_sliding), TEST(painleve), TEST(sweeps_agree), TEST(joints), TEST(limit),
          TEST(not_a_number), TEST(allocation_faults))
