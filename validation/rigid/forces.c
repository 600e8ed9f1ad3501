/* forces.c - contact forces (H10.13, H10.15, H10.16, C4.11.3, C4.11.4, C4.12, C5.6.2, appendix I, N2, N3): closed forms, and the solvers against each other. */
#include "numerics/lcp_friction_lemke.h"
#include "numerics/lemke.h"
#include "numerics/qp.h"
#include "tests/unit/contact/force/touches.h"
#include "tests/unit/numerics/lcp_problems.h"
#include "validation/cases.h"

static const struct {
    kin_force_method method;
    const char* name;
} ways[] = {{KIN_FORCE_DANTZIG, "Dantzig"}, {KIN_FORCE_BARAFF, "Baraff"}, {KIN_FORCE_LEMKE, "Lemke"}, {KIN_FORCE_QP, "program"}};
enum { WAYS = sizeof ways / sizeof *ways };

static kin_arena open_arena(void)
{
    kin_arena arena;
    kin_allocator allocator = kin_allocator_default();
    kin_arena_init(&arena, &allocator);
    return arena;
}

static void solve(scene* s, kin_force_method method)
{
    kin_arena scratch = open_arena();
    scene_solve(s, method, &scratch);
    kin_arena_term(&scratch);
}

/* ---- N3, H10.13 ---- */

static void numbers(kin_case_run* run)
{
    const struct {
        double matrix[4], offset[2], force[2];
        const char* source;
    } cases[] = {{{2, 1, 1, 2}, {-3, -3}, {1, 1}, "N3"},
                 {{2, 1, 1, 2}, {-3, 0}, {1.5, 0}, "N3"},
                 {{1, 0.9, 0.9, 1}, {-1, -2}, {0, 2}, "N3: ZA to ZF"},
                 {{1, -0.5, -0.5, 1}, {0.2, -1}, {0.4, 1.2}, "N3: ZF to ZA"},
                 {{1, -0.5, -0.5, 1}, {-1, 0.2}, {1.2, 0.4}, "House & Keyser 10.3"},
                 {{1, 0.9, 0.9, 1}, {-1, -0.1}, {1, 0}, "House & Keyser 10.3"}};
    kin_arena scratch = open_arena();
    const double low[2] = {0, 0}, high[2] = {INFINITY, INFINITY};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        double f[3][2] = {{0}}, other[2];
        kin_lcp_dantzig(&(kin_lcp){.size = 2, .matrix = cases[i].matrix, .offset = cases[i].offset}, f[0], other, NULL, &scratch);
        kin_lcp_lemke(2, cases[i].matrix, cases[i].offset, 0, f[1], other, &scratch);
        kin_qp_solve(&(kin_qp){.size = 2, .matrix = cases[i].matrix, .linear = cases[i].offset, .low = low, .high = high}, false, f[2], other, NULL, &scratch);
        const char* names[3] = {"Dantzig", "Lemke", "program"};
        for (int k = 0; k < 3; ++k) {
            kin_case_row(run, names[k], "F_1 of two contacts", f[k][0], cases[i].force[0], 1e-8, cases[i].source);
            kin_case_row(run, names[k], "F_2 of two contacts", f[k][1], cases[i].force[1], 1e-8, cases[i].source);
        }
    }
    kin_arena_term(&scratch);
}

/* ---- random matrices ---- */

static double largest_gap(const problem* p, const double* f, const double* g)
{
    double worst = 0;
    for (int i = 0; i < p->size; ++i) {
        double sum = 0;
        for (int j = 0; j < p->size; ++j) sum += p->matrix[i * p->size + j] * (f[j] - g[j]);
        worst = fmax(worst, fabs(sum));
    }
    return worst;
}

/* Every second one is singular. Accelerations are unique, forces are not. */
static void random_problems(kin_case_run* run)
{
    int problems = run->full ? 10000 : 500, failed[3] = {0}, enumerated = 0;
    double gap[3] = {0}, residual = 0;
    kin_arena scratch = open_arena();
    for (int i = 0; i < problems; ++i) {
        problem p = {.key = {.seed = 61, .serial = (uint64_t)i}};
        int size = 2 + i % 9, rank = i % 2 ? size : 1 + i % size;
        double f[4][PROBLEM_MAX], other[PROBLEM_MAX], low[PROBLEM_MAX] = {0}, high[PROBLEM_MAX];
        problem_psd(&p, size, rank, rank < size);
        for (int k = 0; k < size; ++k) high[k] = INFINITY;
        kin_lcp lcp = {.size = size, .matrix = p.matrix, .offset = p.offset};
        failed[0] += kin_lcp_dantzig(&lcp, f[0], other, NULL, &scratch).status != KIN_LCP_SOLVED;
        failed[1] += kin_lcp_lemke(size, p.matrix, p.offset, 0, f[1], other, &scratch).status != KIN_LCP_SOLVED;
        failed[2] +=
            kin_qp_solve(&(kin_qp){.size = size, .matrix = p.matrix, .linear = p.offset, .low = low, .high = high}, false, f[2], other, NULL, &scratch).status
            != KIN_QP_SOLVED;
        residual = fmax(residual, kin_lcp_residual(&lcp, f[0]));
        for (int k = 1; k < 3; ++k) gap[k] = fmax(gap[k], largest_gap(&p, f[0], f[k]));
        if (size > 8 && i % 10 > 0) continue;
        if (enumerate(&p, 1e-9, f[3])) gap[0] = fmax(gap[0], largest_gap(&p, f[0], f[3])), ++enumerated;
    }
    const char* names[3] = {"Dantzig", "Lemke", "program"};
    for (int k = 0; k < 3; ++k) kin_case_row(run, names[k], "random problems without an answer", failed[k], 0, 0, "House & Keyser 10.3; I14.2");
    kin_case_row(run, "Dantzig", "accelerations from trying all 2^m sets, worst", gap[0], 0, 1e-9, "brute force");
    kin_case_row(run, "Dantzig", "problems of up to 10 contacts so tried, share", (double)enumerated / problems, 0.8, 0.2, "brute force");
    kin_case_row(run, "Lemke", "accelerations from Dantzig's, worst", gap[1], 0, 1e-9, "I14.2");
    kin_case_row(run, "program", "accelerations from Dantzig's, worst", gap[2], 0, 1e-9, "S-D, R6");
    kin_case_row(run, "Dantzig", "residual, worst", residual, 0, 1e-10, "I14.2");
    kin_arena_term(&scratch);
}

/* Friction: a body of random contacts; what both methods call solved satisfies all conditions. */
static void random_friction(kin_case_run* run)
{
    int problems = run->full ? 10000 : 500, failed = 0;
    double worst[2] = {0};
    kin_arena scratch = open_arena();
    for (int i = 0; i < problems; ++i) {
        dice d = {.key = {.seed = 62, .serial = (uint64_t)i}};
        enum { MOST = 6 };
        int n = 1 + i % MOST;
        kin_body b[2] = {random_body(&d), random_body(&d)};
        kin_meeting m[MOST];
        kin_lcp_friction_contact contact[MOST];
        double matrix[9 * MOST * MOST], offset[3 * MOST], force[3 * MOST], after[3 * MOST];
        for (int k = 0; k < n; ++k) {
            m[k] = random_meeting(&d, b, 0, i % 2 ? 1 : KIN_NO_BODY); /* many contacts between two bodies: singular from the third on */
            double mu = roll(&d, 0, 1);
            contact[k] = (kin_lcp_friction_contact){.mu_static = {mu, mu}};
        }
        kin_impulse_matrix(b, m, n, true, matrix);
        double wrench[6]; /* a motion of the body: consistent accelerations */
        for (int k = 0; k < 6; ++k) wrench[k] = roll(&d, -1, 1);
        for (int k = 0; k < 3 * n; ++k) {
            kin_vec3 t = kin_normalize_or(m[k / 3].tangent, kin_v(0, 0, 0)), normal = m[k / 3].normal;
            if (kin_length2(t) == 0) {
                kin_vec3 u = velocity_between(b, &m[k / 3]);
                t = kin_normalize_or(kin_sub(u, kin_scale(normal, kin_dot(u, normal))), kin_v(1, 0, 0));
            }
            kin_vec3 way = k % 3 == 0 ? normal : k % 3 == 1 ? t : kin_cross(normal, t);
            kin_vec3 a =
                kin_add(kin_v(wrench[0], wrench[1], wrench[2]), kin_cross(kin_v(wrench[3], wrench[4], wrench[5]), kin_sub(m[k / 3].point, b[0].position)));
            offset[k] = kin_dot(way, a);
        }
        kin_lcp_friction lcp = {.contacts = n, .matrix = matrix, .offset = offset, .contact = contact, .slip_threshold = 1e-3};
        kin_lcp_report first = kin_lcp_friction_solve(&lcp, force, after, NULL, &scratch);
        failed += first.status != KIN_LCP_SOLVED || first.handed > 0;
        worst[0] = fmax(worst[0], kin_lcp_friction_residual(&lcp, force, NULL));
        kin_lcp_report second = kin_lcp_friction_lemke(&lcp, force, after, &scratch);
        if (second.status == KIN_LCP_SOLVED) worst[1] = fmax(worst[1], kin_lcp_friction_residual(&lcp, force, NULL));
        failed += second.status != KIN_LCP_SOLVED;
    }
    kin_case_row(run, "Baraff", "residual over random contacts with friction", worst[0], 0, 1e-9, "I14.3");
    kin_case_row(run, "Lemke", "residual over the same", worst[1], 0, 1e-9, "House & Keyser 10.3.3");
    kin_case_row(run, "both", "problems without an answer", failed, 0, 0, "Anitescu & Potra 1997");
    kin_arena_term(&scratch);
}

/* ---- N2 ---- */

static void weights(kin_case_run* run)
{
    enum { HIGH = 5 };
    for (int k = 0; k < WAYS; ++k) {
        scene s = {.count = 0};
        for (uint32_t i = 0; i < HIGH; ++i) {
            scene_add(&s, box_of(1, kin_v(1, 1, 1), kin_v(0, 0.5 + i, 0)));
            scene_corners(&s, i, i == 0 ? KIN_NO_BODY : i - 1, kin_v(0, i, 0), 1, 0.5);
        }
        solve(&s, ways[k].method);
        double worst = 0, moves = 0, below = 0;
        for (int i = 0; i < HIGH; ++i) {
            double sum = 0;
            for (int c = 0; c < 4; ++c) sum += s.out[3 * (4 * i + c)];
            worst = fmax(worst, fabs(sum - (HIGH - i) * GRAVITY));
            moves = fmax(moves, kin_length(s.linear[i]) + kin_length(s.angular[i]));
            if (i == 0) below = sum;
        }
        kin_case_row(run, ways[k].name, "stack of five: on the floor, N", below, HIGH * GRAVITY, 1e-7, "House & Keyser 10.3.2; N2");
        kin_case_row(run, ways[k].name, "what is above each, worst error, N", worst, 0, 1e-7, "N2");
        kin_case_row(run, ways[k].name, "nothing moves, m/s^2", moves, 0, 1e-7, "N2");
        for (double a = 0.3; a < 1.3; a += 0.4) {
            scene v = {.count = 0};
            scene_add(&v, ball_of(2, 0.5, kin_v(0, 0, 0), kin_v(0, 0, 0)));
            for (int side = -1; side <= 1; side += 2) {
                kin_vec3 n = kin_v(side * kin_sin(a), kin_cos(a), 0);
                scene_touch(&v, 0, KIN_NO_BODY, kin_scale(n, -0.5), n, 0)->radius_a = 0.5;
            }
            solve(&v, ways[k].method);
            kin_case_row(run, ways[k].name, "ball in a groove, N: m g / (2 cos a)", v.out[0], 2 * GRAVITY / (2 * kin_cos(a)), 1e-8, "House & Keyser 10.3");
        }
    }
}

static double down_the_slope(kin_force_method method, double slope, double mu_static, double mu_dynamic, double speed)
{
    scene s = {.count = 0};
    kin_vec3 n = kin_v(kin_sin(slope), kin_cos(slope), 0), down = kin_v(kin_cos(slope), -kin_sin(slope), 0);
    kin_body box = box_of(2, kin_v(1, 0.2, 1), kin_scale(n, 0.1));
    box.orientation = kin_quat_from_rotation_vector(kin_v(0, 0, -slope));
    box.velocity = kin_scale(down, speed);
    scene_add(&s, box);
    for (int i = 0; i < 4; ++i) {
        kin_touching* c = scene_touch(&s, 0, KIN_NO_BODY, kin_add(kin_scale(down, i & 1 ? 0.5 : -0.5), kin_v(0, 0, i & 2 ? 0.5 : -0.5)), n, mu_static);
        c->mu_dynamic[0] = c->mu_dynamic[1] = mu_dynamic;
    }
    solve(&s, method);
    return kin_dot(s.linear[0], down);
}

static void slopes(kin_case_run* run)
{
    const double slope = 0.6, tangent = kin_tan(slope);
    for (int k = 1; k < 3; ++k) {
        kin_case_row(run, ways[k].name, "holds at mu = 1.0001 tan, m/s^2", down_the_slope(ways[k].method, slope, 1.0001 * tangent, 0.1, 0), 0, 1e-10, "N2");
        kin_case_row(run, ways[k].name, "starts at mu = 0.9999 tan, m/s^2", down_the_slope(ways[k].method, slope, 0.9999 * tangent, 0.1, 0),
                     0.0001 * GRAVITY * kin_sin(slope), 1e-10, "N2");
        kin_case_row(run, ways[k].name, "slides, m/s^2: g (sin - mu cos)", down_the_slope(ways[k].method, slope, 0.5, 0.3, 2),
                     GRAVITY * (kin_sin(slope) - 0.3 * kin_cos(slope)), 1e-10, "N2; House & Keyser 10.3.3");
        scene s = {.count = 0}; /* pushed below mu_s m g */
        scene_add(&s, box_of(2, kin_v(1, 1, 1), kin_v(0, 0.5, 0)));
        scene_corners(&s, 0, KIN_NO_BODY, kin_v(0, 0, 0), 1, 0.4);
        s.force[0].x = 5;
        s.torque[0] = kin_cross(kin_v(0, -0.4, 0), kin_v(5, 0, 0));
        solve(&s, ways[k].method);
        double sum = 0;
        for (int i = 0; i < 4; ++i) sum += s.out[3 * i + 1] * s.tangents[i].x + s.out[3 * i + 2] * kin_cross(s.touching[i].normal, s.tangents[i]).x;
        kin_case_row(run, ways[k].name, "friction against a push of 5 N", sum, -5, 1e-9, "N2");
    }
}

/* A box on a slope steeper than base / height turns over its lower edge though friction holds (H10.16). */
static void tipping(kin_case_run* run)
{
    for (int over = 0; over < 2; ++over) {
        double slope = kin_atan(0.5) + (over ? 0.02 : -0.02); /* base 1, height 2 */
        scene s = {.count = 0};
        kin_vec3 n = kin_v(kin_sin(slope), kin_cos(slope), 0), down = kin_v(kin_cos(slope), -kin_sin(slope), 0);
        kin_body box = box_of(2, kin_v(1, 2, 1), n);
        box.orientation = kin_quat_from_rotation_vector(kin_v(0, 0, -slope));
        scene_add(&s, box);
        for (int i = 0; i < 4; ++i) scene_touch(&s, 0, KIN_NO_BODY, kin_add(kin_scale(down, i & 1 ? 0.5 : -0.5), kin_v(0, 0, i & 2 ? 0.5 : -0.5)), n, 1);
        solve(&s, KIN_FORCE_BARAFF);
        double i = 2.0 / 12 * (1 + 4) + 2 * (0.25 + 1); /* about the lower edge */
        double torque = 2 * GRAVITY * (kin_sin(slope) - 0.5 * kin_cos(slope));
        kin_case_row(run, "Baraff", over ? "tips: rad/s^2 about the edge" : "stands", -s.angular[0].z, over ? torque / i : 0, 1e-9, "tan a > b / h");
    }
}

/* ---- slide to roll ---- */

/* Accelerations are constant until the slip ends: one evaluation tells when and how fast. */
static void rolling(kin_case_run* run)
{
    const double v0 = 3, mu = 0.2;
    for (int k = 1; k < 3; ++k) {
        scene s = {.count = 0};
        scene_add(&s, ball_of(1.5, 0.4, kin_v(0, 0.4, 0), kin_v(v0, 0, 0)));
        scene_touch(&s, 0, KIN_NO_BODY, kin_v(0, 0, 0), kin_v(0, 1, 0), mu)->radius_a = 0.4;
        solve(&s, ways[k].method);
        double slip_rate = s.linear[0].x + 0.4 * s.angular[0].z, time = -v0 / slip_rate;
        kin_case_row(run, ways[k].name, "ball slides for, s: 2 v / (7 mu g)", time, 2 * v0 / (7 * mu * GRAVITY), 1e-10, "House & Keyser 10.3.3");
        kin_case_row(run, ways[k].name, "then rolls at, m/s: 5/7 v", v0 + s.linear[0].x * time, 5.0 / 7 * v0, 1e-10, "House & Keyser 10.3.3");
        s.bodies[0].velocity = kin_v(2, 0, 0); /* rolling on: nothing acts along the floor */
        s.bodies[0].spin = kin_v(0, 0, -2 / 0.4);
        solve(&s, ways[k].method);
        kin_case_row(run, ways[k].name, "rolling it has no friction, N", fabs(s.out[1]) + fabs(s.out[2]), 0, 1e-10, "Coutinho 4.11.3");
    }
}

/* ---- Painleve ---- */

static void painleve(kin_case_run* run)
{
    const double theta = kin_atan(2);
    double low = 0.5, high = 3;
    for (int i = 0; i < 50; ++i) { /* the least mu that is handed over */
        double mu = 0.5 * (low + high);
        scene s = {.count = 0};
        kin_body rod = rod_of(1, 2, kin_v(kin_cos(theta), kin_sin(theta), 0), kin_v(-1, 0, 0));
        rod.orientation = kin_quat_from_rotation_vector(kin_v(0, 0, theta));
        scene_add(&s, rod);
        scene_touch(&s, 0, KIN_NO_BODY, kin_v(0, 0, 0), kin_v(0, 1, 0), mu);
        solve(&s, KIN_FORCE_BARAFF);
        if (s.report.handed > 0)
            high = mu;
        else
            low = mu;
    }
    kin_case_row(run, "Baraff", "mu at which a rod at tan = 2 is handed over", high, 4.0 / 3, 1e-9, "Painleve; N2");
}

/* ---- faces that turn ---- */

static double marble_gap(kin_touch_kind kind)
{
    const double spin = 2, h = 1e-3;
    double y[4] = {0.3, 0, 0, 0.6}, time = 0; /* place and velocity in the plane; the face turns about the origin */
    for (int step = 0; step < 500; ++step, time += h) {
        double k[4][4], along[4] = {0, 0.5, 0.5, 1};
        for (int stage = 0; stage < 4; ++stage) {
            double x[4], angle = spin * (time + h * along[stage]);
            for (int i = 0; i < 4; ++i) x[i] = y[i] + (stage ? h * along[stage] * k[stage - 1][i] : 0);
            scene s = {.count = 0};
            kin_body face = kin_body_fixed();
            face.spin = kin_v(0, 0, spin);
            scene_add(&s, point_of(1, kin_v(x[0], x[1], 0), kin_v(x[2], x[3], 0)));
            scene_add(&s, face);
            s.force[0] = kin_v(0, -1, 0);
            scene_touch(&s, 0, 1, s.bodies[0].position, kin_v(-kin_sin(angle), kin_cos(angle), 0), 0)->kind = kind;
            solve(&s, KIN_FORCE_DANTZIG);
            const double slope[4] = {x[2], x[3], s.linear[0].x, s.linear[0].y};
            memcpy(k[stage], slope, sizeof slope);
        }
        for (int i = 0; i < 4; ++i) y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
    return kin_cos(spin * time) * y[1] - kin_sin(spin * time) * y[0];
}

static void turning_faces(kin_case_run* run)
{
    kin_case_row(run, "2 v . n'", "gap of a marble on a turning face after 0.5 s, m", marble_gap(KIN_TOUCH_FACE_OF_B), 0, 1e-10, "Coutinho 4.11.3");
    kin_case_row(run, "without", "the same, as if n stood still: it leaves", fabs(marble_gap(KIN_TOUCH_FACE_OF_A)) > 0.05, 1, 0, "Coutinho 4.11.3");
}

/* ---- joints and particles ---- */

static void mixed(kin_case_run* run)
{
    for (int k = 0; k < WAYS; ++k) {
        scene s = {.count = 0};
        scene_add(&s, rod_of(2, 2, kin_v(0, 0, 0), kin_v(0, 0, 0)));
        scene_touch(&s, 0, KIN_NO_BODY, kin_v(1, 0, 0), kin_v(0, 1, 0), 0.5);
        scene_ball_joint(&s, 0, KIN_NO_BODY, kin_v(-1, 0, 0));
        solve(&s, ways[k].method);
        kin_case_row(run, ways[k].name, "rod on a hinge and the floor: floor, N", s.out[0], GRAVITY, 1e-9, "Coutinho 5.6.2");
        kin_case_row(run, ways[k].name, "rod on a hinge and the floor: hinge, N", s.multipliers[1], GRAVITY, 1e-9, "Coutinho 5.6.2");
        s = (scene){.count = 0};
        scene_add(&s, rod_of(2, 1.5, kin_v(0.75, 0, 0), kin_v(0, 0, 0))); /* no floor: it falls about the hinge */
        scene_ball_joint(&s, 0, KIN_NO_BODY, kin_v(0, 0, 0));
        solve(&s, ways[k].method);
        kin_case_row(run, ways[k].name, "hinged rod released level, rad/s^2: 3 g / 2 L", -s.angular[0].z, 1.5 * GRAVITY / 1.5, 1e-9, "N4");
        kin_case_row(run, ways[k].name, "its reaction, N: m g / 4", s.multipliers[1], 2 * GRAVITY / 4, 1e-9, "N4");
        s = (scene){.count = 0};
        scene_add(&s, point_of(0.5, kin_v(0, 0, 0), kin_v(0, 0, 0)));
        scene_add(&s, box_of(2, kin_v(2, 0.1, 1), kin_v(0, -0.05, 0)));
        scene_touch(&s, 0, 1, kin_v(0, 0, 0), kin_v(0, 1, 0), 0);
        s.force[1] = kin_v(0, 0, 0);
        solve(&s, ways[k].method);
        kin_case_row(run, ways[k].name, "particle on a free plate: both, m/s^2", s.linear[1].y, -0.5 * GRAVITY / 2.5, 1e-9, "Coutinho 4.12");
        kin_case_row(run, ways[k].name, "particle on a free plate: between, N", s.out[0], 0.5 * GRAVITY * 2 / 2.5, 1e-9, "Coutinho 4.12");
    }
}

const kin_case kin_cases_forces[] = {
    {"rigid/lcp-numbers", "Two contacts: the texts' numbers by three solvers.", numbers},
    {"rigid/lcp-random", "Solvers against each other and against trying everything.", random_problems},
    {"rigid/lcp-friction", "Friction by Baraff's and by Lemke's method.", random_friction},
    {"rigid/weights", "Stacks and grooves carry what lies on them.", weights},
    {"rigid/slopes", "Static and sliding friction.", slopes},
    {"rigid/tipping", "A box on a slope tips when its weight leaves its base.", tipping},
    {"rigid/slide-to-roll", "A sliding ball comes to roll.", rolling},
    {"rigid/painleve", "Forces that diverge are handed over.", painleve},
    {"rigid/turning-face", "The derivative of the normal keeps contacts closed.", turning_faces},
    {"rigid/contacts-and-joints", "Joints, particles and contacts in one problem.", mixed},
    {NULL, NULL, NULL},
};
