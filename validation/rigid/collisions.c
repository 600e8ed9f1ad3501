/* collisions.c - impulses of bodies (H10.2, H10.3, H10.14, H10.15, C4.11.1, C4.11.2, C4.12, C4.13, C5.6.1, N1, N5): closed forms, and laws over random hits. */
#include "contact/impulse/impulse.h"
#include "contact/impulse/local.h"
#include "tests/unit/contact/impulse/hits.h"
#include "validation/cases.h"

static const struct {
    kin_impulse_method method;
    const char* name;
} ways[] = {{KIN_IMPULSE_SYSTEM, "system"}, {KIN_IMPULSE_LCP, "lcp"}, {KIN_IMPULSE_MICRO, "micro"}, {KIN_IMPULSE_SEQUENTIAL, "sequential"}};
enum { WAYS = sizeof ways / sizeof *ways };

static kin_arena open_arena(void)
{
    kin_arena arena;
    kin_allocator allocator = kin_allocator_default();
    kin_arena_init(&arena, &allocator);
    return arena;
}

static kin_impulse_report hit(kin_body* bodies, uint32_t count, const kin_meeting* m, int n, kin_impulse_method method, kin_impulse* out)
{
    kin_arena scratch = open_arena();
    kin_impulse_cluster c = {.bodies = bodies, .body_count = count, .meetings = m, .count = n, .method = method};
    kin_impulse_report report = kin_impulses_apply(&c, out, NULL, &scratch);
    kin_arena_term(&scratch);
    return report;
}

/* ---- N1 ---- */

static void impacts(kin_case_run* run)
{
    const double e = 0.4, vt = 2.5, vn = 1.7, critical = 2.0 / 7 * vt / ((1 + e) * vn);
    for (int k = 0; k < WAYS; ++k) {
        kin_impulse p;
        kin_body ball = ball_of(2, 0.3, kin_v(0, 0.3, 0), kin_v(vt, -vn, 0));
        kin_meeting floor = {.a = 0, .b = KIN_NO_BODY, .normal = {0, 1, 0}, .restitution = e, .friction = {2 * critical, 2 * critical}};
        hit(&ball, 1, &floor, 1, ways[k].method, &p);
        kin_case_row(run, ways[k].name, "friction at which a ball sticks", p.critical[0], critical, 1e-13, "Coutinho 4.11.1; N1");
        kin_case_row(run, ways[k].name, "its speed then, m/s: 5/7 of before", ball.velocity.x, 5.0 / 7 * vt, 1e-12, "N1");
        kin_case_row(run, ways[k].name, "and it rolls: slip, m/s", ball.velocity.x + 0.3 * ball.spin.z, 0, 1e-12, "N1");
        ball = ball_of(2, 0.3, kin_v(0, 0.3, 0), kin_v(vt, -vn, 0));
        floor.friction[0] = floor.friction[1] = 0.5 * critical;
        hit(&ball, 1, &floor, 1, ways[k].method, &p);
        kin_case_row(run, ways[k].name, "speed when it slides, m/s", ball.velocity.x, vt - 0.5 * critical * (1 + e) * vn, 1e-13, "Coutinho 4.11.1");
        kin_case_row(run, ways[k].name, "rebound, m/s", ball.velocity.y, e * vn, 1e-13, "House & Keyser 10.1.1");
        kin_body rod = rod_of(3, 2, kin_v(0, 0, 0), kin_v(0, -1.5, 0));
        kin_meeting end = {.a = 0, .b = KIN_NO_BODY, .point = {1, 0, 0}, .normal = {0, 1, 0}, .restitution = 0.6};
        hit(&rod, 1, &end, 1, ways[k].method, &p);
        kin_case_row(run, ways[k].name, "rod struck at its end, N s: (1 + e) m v / 4", p.n, 1.6 * 3 * 1.5 / 4, 1e-13, "House & Keyser 10.1.1; N1");
        kin_body pair[2] = {ball_of(1, 1, kin_v(-1, 0, 0), kin_v(2, 0, 0)), ball_of(1, 1, kin_v(1, 0, 0), kin_v(-0.5, 0, 0))};
        kin_meeting between = {.a = 1, .b = 0, .normal = {1, 0, 0}, .restitution = 1};
        hit(pair, 2, &between, 1, ways[k].method, &p);
        kin_case_row(run, ways[k].name, "equal balls swap: the first, m/s", pair[0].velocity.x, -0.5, 1e-14, "House & Keyser 10.1.2");
    }
}

static void three_balls(kin_case_run* run)
{
    const double want[2][3] = {{0, 0, 1}, {-1.0 / 3, 2.0 / 3, 2.0 / 3}};
    for (int k = 0; k < WAYS; ++k) {
        kin_body b[3];
        for (int i = 0; i < 3; ++i) b[i] = ball_of(1, 1, kin_v(2 * i, 0, 0), kin_v(i == 0, 0, 0));
        kin_meeting m[2] = {{.a = 1, .b = 0, .point = {1, 0, 0}, .normal = {1, 0, 0}, .restitution = 1},
                            {.a = 2, .b = 1, .point = {3, 0, 0}, .normal = {1, 0, 0}, .restitution = 1, .resting = true}};
        hit(b, 3, m, 2, ways[k].method, NULL);
        bool together = ways[k].method == KIN_IMPULSE_SYSTEM || ways[k].method == KIN_IMPULSE_LCP;
        for (int i = 0; i < 3; ++i) kin_case_row(run, ways[k].name, "three touching balls, m/s", b[i].velocity.x, want[together][i], 1e-13, "N1");
        kin_case_row(run, ways[k].name, "their energy, J", totals_of(b, 3).energy, 0.5, 1e-13, "N1");
    }
    for (int lifted = 1; lifted < 5; ++lifted) { /* as many leave as came */
        kin_body b[5];
        kin_meeting m[4];
        double wrong = 0;
        for (int i = 0; i < 5; ++i) b[i] = ball_of(1, 1, kin_v(2 * i, 0, 0), kin_v(i < lifted, 0, 0));
        for (int i = 0; i < 4; ++i)
            m[i] = (kin_meeting){
                .a = (uint32_t)i + 1, .b = (uint32_t)i, .point = {2 * i + 1, 0, 0}, .normal = {1, 0, 0}, .restitution = 1, .resting = i != lifted - 1};
        hit(b, 5, m, 4, KIN_IMPULSE_SEQUENTIAL, NULL);
        for (int i = 0; i < 5; ++i) wrong = fmax(wrong, fabs(b[i].velocity.x - (i >= 5 - lifted)));
        kin_case_row(run, "sequential", "cradle of five: as many leave as come, m/s", wrong, 0, 1e-13, "Newton's cradle");
    }
}

/* ---- three ways to one impulse ---- */

static double distance(kin_impulse a, kin_impulse b) { return (fabs(a.n - b.n) + fabs(a.t - b.t) + fabs(a.k - b.k)) / (1 + a.n); }

static void one_impulse(kin_case_run* run)
{
    kin_arena scratch = open_arena();
    double dense = 0, sparse = 0, bounce = 0;
    int gains = 0;
    for (uint64_t i = 0; i < 10000; ++i) {
        dice d = {.key = {.seed = 51, .serial = i}};
        kin_body b[2] = {random_body(&d), random_body(&d)};
        kin_meeting m = random_meeting(&d, b, 0, 1);
        kin_impulse p = kin_impulse_single(&m, &b[0], &b[1], KIN_SINGLE_CLOSED, &scratch);
        dense = fmax(dense, distance(p, kin_impulse_single(&m, &b[0], &b[1], KIN_SINGLE_DENSE, &scratch)));
        sparse = fmax(sparse, distance(p, kin_impulse_single(&m, &b[0], &b[1], KIN_SINGLE_SPARSE, &scratch)));
        double before = totals_of(b, 2).energy, un = kin_dot(velocity_between(b, &m), m.normal);
        kin_vec3 push = kin_add(kin_scale(m.normal, p.n), kin_add(kin_scale(p.tangent, p.t), kin_scale(kin_cross(m.normal, p.tangent), p.k)));
        kin_body_push(&b[0], m.point, push, kin_v(0, 0, 0));
        kin_body_push(&b[1], m.point, kin_neg(push), kin_v(0, 0, 0));
        gains += totals_of(b, 2).energy > before * (1 + 1e-12);
        bounce = fmax(bounce, fabs(kin_dot(velocity_between(b, &m), m.normal) + p.restitution * un));
    }
    kin_case_row(run, "15 x 15 dense", "from the closed form, worst of 10000", dense, 0, 1e-10, "Coutinho 4.11.1");
    kin_case_row(run, "15 x 15 sparse", "from the closed form, worst of 10000", sparse, 0, 1e-10, "Coutinho 4.11.1");
    kin_case_row(run, "closed form", "v_n' + e v_n, worst of 10000, m/s", bounce, 0, 1e-9, "Coutinho 4.11.1");
    kin_case_row(run, "closed form", "hits of 10000 that gain energy", gains, 0, 0, "Coutinho 4.11.1");
    kin_arena_term(&scratch);
}

/* ---- laws ---- */

static void momentum(kin_case_run* run)
{
    int hits = run->full ? 5000 : 300;
    for (int k = 0; k < WAYS; ++k) {
        double linear = 0, angular = 0, enters = 0;
        int gains = 0, lost = 0;
        for (int i = 0; i < hits; ++i) {
            dice d = {.key = {.seed = 52, .serial = (uint64_t)i}};
            kin_body b[4];
            for (int j = 0; j < 4; ++j) b[j] = random_body(&d);
            kin_meeting m[4] = {random_meeting(&d, b, 0, 1), random_meeting(&d, b, 1, 2), random_meeting(&d, b, 2, 3), random_meeting(&d, b, 0, 3)};
            totals before = totals_of(b, 4);
            lost += !hit(b, 4, m, 4, ways[k].method, NULL).converged;
            totals after = totals_of(b, 4);
            linear = fmax(linear, kin_distance(before.momentum, after.momentum));
            angular = fmax(angular, kin_distance(before.angular, after.angular));
            gains += after.energy > before.energy * (1 + 1e-11);
            for (int j = 0; j < 4; ++j) enters = fmax(enters, -kin_dot(velocity_between(b, &m[j]), m[j].normal));
        }
        kin_case_row(run, ways[k].name, "momentum of rings of four, change, kg m/s", linear, 0, 1e-12, "conservation");
        kin_case_row(run, ways[k].name, "angular momentum, change, kg m^2/s", angular, 0, 1e-12, "conservation");
        kin_case_row(run, ways[k].name, "clusters that gain energy", gains, 0, 0, "Coutinho 4.11.2");
        kin_case_row(run, ways[k].name, "clusters not solved", lost, 0, 0, "House & Keyser 10.3.2");
        kin_case_row(run, ways[k].name, "approach that is left, m/s", enters, 0, 1e-7, "House & Keyser 10.3.2");
    }
}

/* ---- K ---- */

static void matrices(kin_case_run* run)
{
    kin_arena scratch = open_arena();
    double worst = 0, skew = 0;
    for (uint64_t i = 0; i < 200; ++i) {
        dice d = {.key = {.seed = 53, .serial = i}};
        kin_body b[5]; /* a floor and four bodies, eight contacts: the figure of 10.3.1 */
        double k[24 * 24], by_tests[24 * 24];
        b[0] = kin_body_fixed();
        for (int j = 1; j < 5; ++j) b[j] = random_body(&d);
        const uint32_t pairs[8][2] = {{1, 0}, {1, 0}, {2, 0}, {2, 1}, {3, 1}, {3, 2}, {4, 2}, {4, 3}};
        kin_meeting m[8];
        for (int j = 0; j < 8; ++j) m[j] = random_meeting(&d, b, pairs[j][0], pairs[j][1]);
        kin_impulse_matrix(b, m, 8, true, k);
        kin_impulse_matrix_by_tests(b, 5, m, 8, true, by_tests, &scratch);
        for (int j = 0; j < 24 * 24; ++j) {
            worst = fmax(worst, fabs(k[j] - by_tests[j]));
            skew = fmax(skew, fabs(k[j] - k[j % 24 * 24 + j / 24]));
        }
    }
    kin_case_row(run, "test impulses", "K from the formula, worst", worst, 0, 1e-13, "House & Keyser 10.3.1");
    kin_case_row(run, "formula", "K from its transpose, worst", skew, 0, 1e-13, "House & Keyser 10.3.1");
    kin_arena_term(&scratch);
}

/* ---- N5 ---- */

static int ball_joint(const kin_body* bodies, uint32_t a, uint32_t b, kin_vec3 at, kin_joint_at* out)
{
    kin_joint_def def = {.kind = KIN_JOINT_BALL, .anchor = at, .axis = {0, 0, 1}};
    kin_joint joint;
    kin_joint_row rows[KIN_JOINT_ROWS];
    const kin_body* other = b == KIN_NO_BODY ? NULL : &bodies[b];
    if (kin_joint_make(&def, a, &bodies[a], b, other, &joint, NULL) != KIN_OK) return 0;
    int n = kin_joint_rows(&joint, &bodies[a], other, 0, rows);
    for (int i = 0; i < n; ++i) out[i] = (kin_joint_at){a, b, rows[i]};
    return n;
}

static void joints(kin_case_run* run)
{
    kin_arena scratch = open_arena();
    for (int k = 0; k < WAYS; ++k) {
        kin_joint_at rows[KIN_JOINT_ROWS];
        double answers[KIN_JOINT_ROWS] = {0}, pivot = 0;
        kin_impulse p;
        kin_body b[3] = {rod_of(2, 1.5, kin_v(0.75, 0, 0), kin_v(0, 0, 0)), point_of(0.5, kin_v(1, 0, 0), kin_v(0, 3, 0))};
        int n = ball_joint(b, 0, KIN_NO_BODY, kin_v(0, 0, 0), rows);
        kin_meeting m = {.a = 0, .b = 1, .point = {1, 0, 0}, .normal = {0, 1, 0}, .restitution = 0.5};
        kin_impulse_cluster c = {.bodies = b, .body_count = 2, .meetings = &m, .count = 1, .joints = rows, .joint_count = n, .method = ways[k].method};
        kin_impulses_apply(&c, &p, answers, &scratch);
        for (int i = 0; i < n; ++i) pivot = fmax(pivot, fabs(answers[i]));
        kin_case_row(run, ways[k].name, "hinged rod hit at 2/3: at the pivot, N s", pivot, 0, 1e-12, "N5");
        b[0] = rod_of(3, 1, kin_v(0.5, 0, 0), kin_v(0, 0, 0));
        b[1] = rod_of(3, 1, kin_v(1.5, 0, 0), kin_v(0, 0, 0));
        b[2] = point_of(1, kin_v(0, 0, 0), kin_v(0, 2, 0));
        c.body_count = 3;
        c.joint_count = ball_joint(b, 0, 1, kin_v(1, 0, 0), rows);
        m = (kin_meeting){.a = 0, .b = 2, .normal = {0, 1, 0}, .restitution = 0.3};
        kin_impulses_apply(&c, &p, answers, &scratch);
        kin_case_row(run, ways[k].name, "two jointed rods: v1 m / P", b[0].velocity.y * 3 / p.n, 5.0 / 4, 1e-12, "N5");
        kin_case_row(run, ways[k].name, "two jointed rods: v2 m / P", b[1].velocity.y * 3 / p.n, -1.0 / 4, 1e-12, "N5");
        kin_case_row(run, ways[k].name, "two jointed rods: w1 m L / P", b[0].spin.z * 3 / p.n, -9.0 / 2, 1e-12, "N5");
        kin_case_row(run, ways[k].name, "two jointed rods: w2 m L / P", b[1].spin.z * 3 / p.n, 3.0 / 2, 1e-12, "N5");
    }
    kin_arena_term(&scratch);
}

/* ---- C4.13 ---- */

static void courses(kin_case_run* run)
{
    /* a planar hit whose slip ends and turns about: straight pieces, each in closed form */
    const double n = 1, c = -0.8, k = 2, mu = 0.3;
    kin_local hit_once = {.matrix = {n, c, 0, c, k, 0, 0, 0, 1}, .velocity = {-2, 0.3, 0}, .restitution = 0.5, .friction = {mu, mu}};
    double p[3], p1 = 0.3 / (mu * k - c), un = -2 + (n - mu * c) * p1, w1 = p1 * (un - 2) / 2, rate = n + mu * c, p2 = -un / rate;
    double p3 = 0.5 * sqrt(-2 * (w1 + p2 * un / 2) / rate);
    kin_local_micro(&hit_once, p);
    kin_case_row(run, "micro", "P_n of slip that turns about, N s", p[0], p1 + p2 + p3, 1e-12, "Keller 1986");
    kin_case_row(run, "micro", "P_t of the same, N s", p[1], mu * (p2 + p3 - p1), 1e-12, "Keller 1986");
    int gains = 0, hits = run->full ? 20000 : 500;
    double work = 0;
    for (int i = 0; i < hits; ++i) {
        dice d = {.key = {.seed = 54, .serial = (uint64_t)i}};
        kin_body b[2] = {random_body(&d), random_body(&d)};
        kin_meeting m = random_meeting(&d, b, 0, 1);
        m.friction[1] = m.friction[0];
        double before = totals_of(b, 2).energy;
        kin_impulse out;
        hit(b, 2, &m, 1, KIN_IMPULSE_MICRO, &out);
        gains += totals_of(b, 2).energy > before * (1 + 1e-12);
        work = fmax(work, sqrt(out.t * out.t + out.k * out.k) - m.friction[0] * out.n);
    }
    kin_case_row(run, "micro", "courses that gain energy", gains, 0, 0, "Stronge");
    kin_case_row(run, "micro", "friction above its cone, N s", fmax(work, 0), 0, 1e-9, "Coulomb");
}

const kin_case kin_cases_collisions[] = {
    {"rigid/impacts", "A ball, a rod, two balls: closed forms by every method.", impacts},
    {"rigid/three-balls", "Three balls in a row, together and one after the other; the cradle.", three_balls},
    {"rigid/one-impulse", "Closed form, dense and sparse systems agree; energy.", one_impulse},
    {"rigid/collision-laws", "Momentum, energy and restitution of random clusters.", momentum},
    {"rigid/impulse-matrix", "K by formula and by test impulses.", matrices},
    {"rigid/joint-impulses", "Joints take part in collisions.", joints},
    {"rigid/micro-collisions", "Slip and stick over the course of an impact.", courses},
    {NULL, NULL, NULL},
};
