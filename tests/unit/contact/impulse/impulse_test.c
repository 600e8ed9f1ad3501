/* impulse_test.c - collisions of bodies: the texts' numbers, three ways to one impulse, laws (momentum, energy, restitution, limits of friction). */
#include "contact/impulse/impulse.h"
#include "contact/impulse/local.h"
#include "support/test.h"
#include "unit/contact/impulse/hits.h"

static const kin_impulse_method methods[] = {KIN_IMPULSE_SYSTEM, KIN_IMPULSE_LCP, KIN_IMPULSE_MICRO, KIN_IMPULSE_SEQUENTIAL};
enum { METHODS = sizeof methods / sizeof *methods };

static kin_arena scratch_of(test* t)
{
    kin_arena a;
    kin_arena_init(&a, &t->allocator);
    return a;
}

static kin_impulse_report hit(test* t, kin_body* bodies, uint32_t count, const kin_meeting* m, int n, kin_impulse_method method, kin_impulse* out)
{
    kin_arena scratch = scratch_of(t);
    kin_impulse_cluster c = {.bodies = bodies, .body_count = count, .meetings = m, .count = n, .method = method};
    kin_impulse_report report = kin_impulses_apply(&c, out, NULL, &scratch);
    kin_arena_term(&scratch);
    return report;
}

/* ---- N1 ---- */

static kin_meeting floor_hit(kin_vec3 point, double e, double mu)
{
    return (kin_meeting){.a = 0, .b = KIN_NO_BODY, .point = point, .normal = {0, 1, 0}, .restitution = e, .friction = {mu, mu}};
}

static void ball_on_floor_sticks_above_two_sevenths(test* t)
{
    const double e = 0.5, vt = 3, vn = 2, critical = 2.0 / 7 * vt / ((1 + e) * vn);
    for (int k = 0; k < METHODS; ++k) {
        for (int side = -1; side <= 1; side += 2) {
            double mu = critical * (1 + 0.01 * side);
            kin_body ball = ball_of(2, 0.3, kin_v(0, 0.3, 0), kin_v(vt, -vn, 0));
            kin_meeting m = floor_hit(kin_v(0, 0, 0), e, mu);
            kin_impulse out;
            CHECK(t, hit(t, &ball, 1, &m, 1, methods[k], &out).converged);
            NEAR(t, out.critical[0], critical, 1e-14);
            NEAR(t, ball.velocity.y, e * vn, 1e-14);
            EQUAL(t, out.slip, side > 0 ? KIN_STICK_STICK : KIN_SLIDE_STICK);
            NEAR(t, ball.velocity.x, side > 0 ? 5.0 / 7 * vt : vt - mu * (1 + e) * vn, 1e-13);
            if (side > 0) NEAR(t, ball.velocity.x + 0.3 * ball.spin.z, 0, 1e-13); /* rolls */
        }
    }
}

static void rod_struck_at_its_end_gets_a_quarter(test* t)
{
    for (int k = 0; k < METHODS; ++k) {
        kin_body rod = rod_of(3, 2, kin_v(0, 0, 0), kin_v(0, -1.5, 0));
        kin_meeting m = floor_hit(kin_v(1, 0, 0), 0.6, 0);
        kin_impulse out;
        hit(t, &rod, 1, &m, 1, methods[k], &out);
        NEAR(t, out.n, 1.6 * 1.5 * 3 / 4, 1e-14);
    }
}

static void equal_balls_swap(test* t)
{
    for (int k = 0; k < METHODS; ++k) {
        kin_body b[2] = {ball_of(1, 1, kin_v(-1, 0, 0), kin_v(2, 0, 0)), ball_of(1, 1, kin_v(1, 0, 0), kin_v(-0.5, 0, 0))};
        kin_meeting m = {.a = 1, .b = 0, .normal = {1, 0, 0}, .restitution = 1};
        hit(t, b, 2, &m, 1, methods[k], NULL);
        NEAR3(t, b[0].velocity, kin_v(-0.5, 0, 0), 1e-15);
        NEAR3(t, b[1].velocity, kin_v(2, 0, 0), 1e-15);
    }
}

static void three_balls_both_ways(test* t)
{
    for (int k = 0; k < METHODS; ++k) {
        kin_body b[3] = {ball_of(1, 1, kin_v(-2, 0, 0), kin_v(1, 0, 0)), ball_of(1, 1, kin_v(0, 0, 0), kin_v(0, 0, 0)),
                         ball_of(1, 1, kin_v(2, 0, 0), kin_v(0, 0, 0))};
        kin_meeting m[2] = {{.a = 1, .b = 0, .point = {-1, 0, 0}, .normal = {1, 0, 0}, .restitution = 1},
                            {.a = 2, .b = 1, .point = {1, 0, 0}, .normal = {1, 0, 0}, .restitution = 1, .resting = true}};
        CHECK(t, hit(t, b, 3, m, 2, methods[k], NULL).converged);
        bool together = methods[k] == KIN_IMPULSE_SYSTEM || methods[k] == KIN_IMPULSE_LCP;
        const double want[2][3] = {{0, 0, 1}, {-1.0 / 3, 2.0 / 3, 2.0 / 3}};
        for (int i = 0; i < 3; ++i) NEAR(t, b[i].velocity.x, want[together][i], 1e-14);
        NEAR(t, totals_of(b, 3).energy, 0.5, 1e-14);
    }
}

/* The second pair parts while the first collides: the next pass takes what was pushed together. */
static void parting_meetings_are_struck_later(test* t)
{
    for (int k = 0; k < METHODS; ++k) {
        kin_body b[3] = {ball_of(1, 1, kin_v(-2, 0, 0), kin_v(1, 0, 0)), ball_of(1, 1, kin_v(0, 0, 0), kin_v(0, 0, 0)),
                         ball_of(1, 1, kin_v(2, 0, 0), kin_v(0.5, 0, 0))};
        kin_meeting m[2] = {{.a = 1, .b = 0, .point = {-1, 0, 0}, .normal = {1, 0, 0}, .restitution = 1},
                            {.a = 2, .b = 1, .point = {1, 0, 0}, .normal = {1, 0, 0}, .restitution = 1, .resting = true}};
        hit(t, b, 3, m, 2, methods[k], NULL);
        const double want[3] = {0, 0.5, 1};
        for (int i = 0; i < 3; ++i) NEAR(t, b[i].velocity.x, want[i], 1e-14);
    }
}

static void newtons_cradle(test* t)
{
    kin_body b[5];
    kin_meeting m[4];
    for (int i = 0; i < 5; ++i) b[i] = ball_of(1, 1, kin_v(2 * i, 0, 0), kin_v(i < 2, 0, 0));
    for (int i = 0; i < 4; ++i)
        m[i] = (kin_meeting){.a = (uint32_t)i + 1, .b = (uint32_t)i, .point = {2 * i + 1, 0, 0}, .normal = {1, 0, 0}, .restitution = 1, .resting = i != 1};
    CHECK(t, hit(t, b, 5, m, 4, KIN_IMPULSE_SEQUENTIAL, NULL).converged);
    for (int i = 0; i < 5; ++i) NEAR(t, b[i].velocity.x, i > 2, 1e-14); /* two in, two out */
}

/* ---- one meeting, three ways ---- */

static double impulse_error(kin_impulse a, kin_impulse b) { return (fabs(a.n - b.n) + fabs(a.t - b.t) + fabs(a.k - b.k)) / (1 + fabs(a.n)); }

static void single_three_ways(test* t)
{
    kin_arena scratch = scratch_of(t);
    int cases[KIN_SLIP_NONE + 1] = {0}, gave_way = 0;
    double worst[2] = {0};
    for (uint64_t i = 0; i < 10000; ++i) {
        dice d = {.key = {.seed = 1, .serial = i}};
        kin_body b[2] = {random_body(&d), random_body(&d)};
        kin_meeting m = random_meeting(&d, b, 0, 1);
        if (i % 4 == 0) b[1] = kin_body_fixed(), m = random_meeting(&d, b, 0, 1);
        if (i % 3 == 0) m.surface = kin_scale(kin_cross(m.normal, roll_direction(&d)), 0.5);
        kin_impulse closed = kin_impulse_single(&m, &b[0], &b[1], KIN_SINGLE_CLOSED, &scratch);
        worst[0] = fmax(worst[0], impulse_error(closed, kin_impulse_single(&m, &b[0], &b[1], KIN_SINGLE_DENSE, &scratch)));
        worst[1] = fmax(worst[1], impulse_error(closed, kin_impulse_single(&m, &b[0], &b[1], KIN_SINGLE_SPARSE, &scratch)));
        ++cases[closed.slip];
        gave_way += closed.restitution < m.restitution;
    }
    NEAR(t, worst[0], 0, 1e-10);
    NEAR(t, worst[1], 0, 1e-10);
    for (int i = 0; i < KIN_SLIP_NONE; ++i) CHECK(t, cases[i] > 100); /* all four are met */
    CHECK(t, gave_way > 0 && gave_way < 1000);
    kin_arena_term(&scratch);
}

/* Slides exactly when friction is below the critical coefficient, on either axis (E5). */
static void critical_coefficients_decide(test* t)
{
    kin_arena scratch = scratch_of(t);
    int slides = 0;
    for (uint64_t i = 0; i < 2000; ++i) {
        dice d = {.key = {.seed = 2, .serial = i}};
        kin_body b[2] = {random_body(&d), random_body(&d)};
        kin_meeting m = random_meeting(&d, b, 0, 1);
        m.restitution = 0;
        kin_impulse p = kin_impulse_single(&m, &b[0], &b[1], KIN_SINGLE_CLOSED, &scratch);
        if (p.slip == KIN_SLIP_NONE) continue;
        bool t_slides = p.slip == KIN_SLIDE_SLIDE || p.slip == KIN_SLIDE_STICK, k_slides = p.slip == KIN_SLIDE_SLIDE || p.slip == KIN_STICK_SLIDE;
        if (t_slides) NEAR(t, fabs(p.t), m.friction[0] * p.n, 1e-12);
        if (k_slides) NEAR(t, fabs(p.k), m.friction[1] * p.n, 1e-12);
        if (!t_slides) NEAR(t, fabs(p.t), p.critical[0] * p.n, 1e-9 * (1 + p.n));
        if (!t_slides) CHECK(t, p.critical[0] <= m.friction[0] * (1 + 1e-9));
        if (!k_slides) CHECK(t, p.critical[1] <= m.friction[1] * (1 + 1e-9));
        slides += t_slides;
        m.tangent = p.tangent;
        if (p.slip != KIN_SLIDE_STICK || p.critical[0] > 3) continue;
        m.friction[0] = p.critical[0] * (1 + 1e-6); /* the same, with just enough friction: it sticks */
        kin_impulse more = kin_impulse_single(&m, &b[0], &b[1], KIN_SINGLE_CLOSED, &scratch);
        CHECK(t, more.slip == KIN_STICK_STICK || more.slip == KIN_STICK_SLIDE || p.critical[0] < m.friction[0]);
    }
    CHECK(t, slides > 200);
    kin_arena_term(&scratch);
}

/* ---- laws ---- */

static void check_limits(test* t, const kin_meeting* m, const kin_impulse* p, bool box)
{
    CHECK(t, p->n >= 0);
    double x = m->friction[0] * p->n, y = m->friction[1] * p->n, slack = 1e-9 * (1 + p->n);
    CHECK(t, fabs(p->t) <= x + slack && fabs(p->k) <= y + slack);
    if (!box && x > 0 && y > 0) CHECK(t, (p->t / x) * (p->t / x) + (p->k / y) * (p->k / y) <= 1 + 1e-6);
}

static void random_pairs_keep_the_laws(test* t)
{
    for (uint64_t i = 0; i < 2000; ++i) {
        dice d = {.key = {.seed = 3, .serial = i}};
        kin_body start[2] = {random_body(&d), random_body(&d)};
        kin_meeting m = random_meeting(&d, start, 0, 1);
        totals before = totals_of(start, 2);
        double un = kin_dot(velocity_between(start, &m), m.normal);
        for (int k = 0; k < METHODS; ++k) {
            kin_body b[2] = {start[0], start[1]};
            kin_impulse p;
            CHECK(t, hit(t, b, 2, &m, 1, methods[k], &p).converged);
            totals after = totals_of(b, 2);
            NEAR3(t, after.momentum, before.momentum, 1e-13);
            NEAR3(t, after.angular, before.angular, 1e-13);
            CHECK(t, after.energy <= before.energy * (1 + 1e-12));
            check_limits(t, &m, &p, methods[k] != KIN_IMPULSE_MICRO);
            kin_vec3 u = velocity_between(b, &m);
            CHECK(t, kin_dot(u, m.normal) >= -1e-9);
            bool exact = methods[k] == KIN_IMPULSE_SYSTEM || methods[k] == KIN_IMPULSE_LCP;
            if (exact) NEAR(t, kin_dot(u, m.normal), -p.restitution * un, 1e-9);
            if (p.slip == KIN_STICK_STICK) NEAR(t, kin_length(kin_cross(u, m.normal)), 0, 1e-8);
        }
    }
}

static void system_is_the_single_way(test* t)
{
    kin_arena scratch = scratch_of(t);
    for (uint64_t i = 0; i < 1000; ++i) {
        dice d = {.key = {.seed = 4, .serial = i}};
        kin_body start[2] = {random_body(&d), random_body(&d)};
        kin_meeting m = random_meeting(&d, start, 0, 1);
        kin_impulse want = kin_impulse_single(&m, &start[0], &start[1], KIN_SINGLE_CLOSED, &scratch);
        kin_impulse_method ways[3] = {KIN_IMPULSE_SYSTEM, KIN_IMPULSE_LCP, KIN_IMPULSE_SEQUENTIAL};
        for (int k = 0; k < 3; ++k) {
            kin_body b[2] = {start[0], start[1]};
            kin_impulse p;
            hit(t, b, 2, &m, 1, ways[k], &p);
            NEAR(t, impulse_error(p, want), 0, 1e-7);
            NEAR3(t, p.tangent, want.tangent, 1e-15);
        }
    }
    kin_arena_term(&scratch);
}

/* ---- clusters ---- */

enum { BALLS = 8 };

/* A heap of balls, each touching some others and the floor. */
static int heap_of(dice* d, kin_body* b, kin_meeting* m, double e, double mu)
{
    int n = 0;
    for (int i = 0; i < BALLS; ++i) {
        b[i] = random_body(d);
        b[i].position = kin_v(i % 3, 1 + i / 3, roll(d, -0.3, 0.3));
    }
    for (uint32_t i = 0; i < BALLS; ++i) {
        if (i < 3) m[n++] = (kin_meeting){.a = i, .b = KIN_NO_BODY, .point = kin_sub(b[i].position, kin_v(roll(d, -0.3, 0.3), 0.5, 0)), .normal = {0, 1, 0}};
        for (uint32_t j = 0; j < i; ++j) {
            kin_vec3 apart = kin_sub(b[i].position, b[j].position);
            if (kin_length(apart) > 1.2) continue;
            m[n++] = (kin_meeting){.a = i,
                                   .b = j,
                                   .point = kin_add(kin_lerp(b[i].position, b[j].position, 0.5), roll3(d, 0.1)),
                                   .normal = kin_normalize_or(apart, kin_v(0, 1, 0))};
        }
    }
    for (int i = 0; i < n; ++i) {
        m[i].restitution = e < 0 ? roll(d, 0, 1) : e;
        m[i].friction[0] = m[i].friction[1] = mu < 0 ? roll(d, 0, 1) : mu;
    }
    return n;
}

static void heaps_keep_the_laws(test* t)
{
    int converged = 0, all = 0;
    for (uint64_t i = 0; i < 60; ++i) {
        dice d = {.key = {.seed = 5, .serial = i}};
        kin_body start[BALLS], b[BALLS];
        kin_meeting m[64];
        kin_impulse p[64];
        int n = heap_of(&d, start, m, -1, i % 2 ? -1 : 0);
        totals before = totals_of(start, BALLS);
        for (int k = 0; k < METHODS; ++k) {
            memcpy(b, start, sizeof b);
            kin_impulse_report report = hit(t, b, BALLS, m, n, methods[k], p);
            totals after = totals_of(b, BALLS);
            kin_vec3 floor_push = kin_v(0, 0, 0);
            for (int c = 0; c < n; ++c) {
                check_limits(t, &m[c], &p[c], true);
                if (m[c].b == KIN_NO_BODY)
                    floor_push = kin_add(floor_push, kin_add(kin_scale(m[c].normal, p[c].n), kin_add(kin_scale(p[c].tangent, p[c].t),
                                                                                                     kin_scale(kin_cross(m[c].normal, p[c].tangent), p[c].k))));
                CHECK(t, kin_dot(velocity_between(b, &m[c]), m[c].normal) >= -1e-7);
            }
            NEAR3(t, kin_sub(after.momentum, floor_push), before.momentum, 1e-11);
            CHECK(t, after.energy <= before.energy * (1 + 1e-11));
            converged += report.converged;
            ++all;
        }
    }
    EQUAL(t, converged, all);
}

static void order_does_not_matter(test* t)
{
    for (uint64_t i = 0; i < 40; ++i) {
        dice d = {.key = {.seed = 6, .serial = i}};
        kin_body start[BALLS], b[BALLS], c[BALLS];
        kin_meeting m[64], back[64];
        int n = heap_of(&d, start, m, 0.5, 0);
        for (int k = 0; k < n; ++k) back[k] = m[n - 1 - k];
        for (int k = 0; k < METHODS; ++k) {
            memcpy(b, start, sizeof b);
            memcpy(c, start, sizeof c);
            hit(t, b, BALLS, m, n, methods[k], NULL);
            hit(t, c, BALLS, back, n, methods[k], NULL);
            for (int j = 0; j < BALLS; ++j) NEAR3(t, c[j].velocity, b[j].velocity, 1e-7);
        }
    }
}

/* Towers of boxes of very different masses that come down spinning: more than sweeps can settle. What they leave is told, and no energy comes of it. */
static void sweeps_gain_nothing(test* t)
{
    enum { BOXES = 12 };
    int left = 0;
    kin_arena arena;
    kin_arena_init(&arena, &t->allocator);
    for (uint64_t i = 0; i < 100; ++i) {
        dice d = {.key = {.seed = 78, .serial = i}};
        kin_body bodies[BOXES];
        kin_meeting hits[4 * BOXES];
        double before = 0, after = 0, fastest = 0;
        for (uint32_t k = 0; k < BOXES; ++k) {
            bodies[k] = box_of(kin_exp(roll(&d, -7, 7)), kin_v(1, 1, 1), kin_v(0, 0.5 + k, 0));
            bodies[k].velocity = roll3(&d, 3), bodies[k].spin = roll3(&d, 3);
            before += kin_body_kinetic(&bodies[k]);
            double mu = roll(&d, 0, 3);
            for (uint32_t c = 0; c < 4; ++c)
                hits[4 * k + c] = (kin_meeting){
                    .a = k, .b = k > 0 ? k - 1 : KIN_NO_BODY, .point = {c & 1 ? 0.5 : -0.5, k, c & 2 ? 0.5 : -0.5}, .normal = {0, 1, 0}, .friction = {mu, mu}};
        }
        kin_impulse_cluster cluster = {
            .bodies = bodies, .body_count = BOXES, .meetings = hits, .count = 4 * BOXES, .method = KIN_IMPULSE_SWEEPS, .enough = 1e-5};
        kin_impulse_report report = kin_impulses_apply(&cluster, NULL, NULL, &arena);
        for (int k = 0; k < BOXES; ++k) after += kin_body_kinetic(&bodies[k]);
        for (int k = 0; k < 4 * BOXES; ++k) fastest = kin_max(fastest, -kin_dot(hits[k].normal, kin_meeting_velocity(&hits[k], bodies)));
        CHECK(t, after <= before * (1 + 1e-12));
        CHECK(t, fastest <= report.residual * (1 + 1e-9) + 1e-12);
        left += report.residual > 1e-5;
        kin_arena_reset(&arena);
    }
    CHECK(t, left > 0);
    kin_arena_term(&arena);
}

/* Two heaps far apart, given together in mixed order, and each alone: the same bits. */
static void clusters_are_solved_apart(test* t)
{
    for (uint64_t i = 0; i < 10; ++i) {
        dice d = {.key = {.seed = 7, .serial = i}};
        kin_body both[2 * BALLS], one[BALLS], two[BALLS];
        kin_meeting m1[64], m2[64], m[128];
        int n1 = heap_of(&d, one, m1, -1, -1), n2 = heap_of(&d, two, m2, -1, -1), n = 0;
        memcpy(both, one, sizeof one);
        memcpy(both + BALLS, two, sizeof two);
        for (int k = 0; k < n1 || k < n2; ++k) {
            if (k < n2) {
                m[n] = m2[k];
                m[n].a += BALLS;
                if (m[n].b != KIN_NO_BODY) m[n].b += BALLS;
                ++n;
            }
            if (k < n1) m[n++] = m1[k];
        }
        for (int k = 0; k < METHODS; ++k) {
            kin_body x[2 * BALLS], y[BALLS], z[BALLS];
            memcpy(x, both, sizeof x);
            memcpy(y, one, sizeof y);
            memcpy(z, two, sizeof z);
            hit(t, x, 2 * BALLS, m, n, methods[k], NULL);
            hit(t, y, BALLS, m1, n1, methods[k], NULL);
            hit(t, z, BALLS, m2, n2, methods[k], NULL);
            CHECK(t, memcmp(x, y, sizeof y) == 0);
            CHECK(t, memcmp(x + BALLS, z, sizeof z) == 0);
        }
    }
}

static void groups_are_numbered(test* t)
{
    kin_arena scratch = scratch_of(t);
    kin_body b[7];
    for (int i = 0; i < 7; ++i) b[i] = ball_of(1, 1, kin_v(i, 0, 0), kin_v(0, 0, 0));
    b[6].inv_mass = 0;
    b[6].inv_moments = kin_v(0, 0, 0);
    kin_meeting m[5] = {{.a = 3, .b = 6}, {.a = 0, .b = 1}, {.a = 4, .b = 6}, {.a = 1, .b = 2}, {.a = 5, .b = KIN_NO_BODY}};
    kin_joint_at j = {.a = 3, .b = 4};
    int group[5];
    EQUAL(t, kin_impulse_groups(b, 7, m, 5, NULL, 0, group, &scratch), 4);
    const int apart[5] = {0, 1, 2, 1, 3}, joined[5] = {0, 1, 0, 1, 2};
    for (int i = 0; i < 5; ++i) EQUAL(t, group[i], apart[i]);
    EQUAL(t, kin_impulse_groups(b, 7, m, 5, &j, 1, group, &scratch), 3);
    for (int i = 0; i < 5; ++i) EQUAL(t, group[i], joined[i]);
    kin_arena_term(&scratch);
}

/* Flat on four corners: singular, each takes a quarter. */
static void box_lands_on_four_corners(test* t)
{
    for (int k = 0; k < METHODS; ++k) {
        kin_body box = box_of(4, kin_v(1, 1, 1), kin_v(0, 0.5, 0));
        box.velocity = kin_v(1, -2, 0);
        kin_meeting m[4];
        kin_impulse p[4];
        double sum = 0;
        for (int i = 0; i < 4; ++i) m[i] = floor_hit(kin_v(i & 1 ? 0.5 : -0.5, 0, i & 2 ? 0.5 : -0.5), 0, 0.1);
        CHECK(t, hit(t, &box, 1, m, 4, methods[k], p).converged);
        for (int i = 0; i < 4; ++i) sum += p[i].n;
        bool together = methods[k] == KIN_IMPULSE_SYSTEM || methods[k] == KIN_IMPULSE_LCP;
        NEAR(t, sum, 8, together ? 1e-12 : 0.2); /* in turns it rocks */
        NEAR(t, box.velocity.y, 0, together ? 1e-12 : 0.05);
        if (methods[k] == KIN_IMPULSE_SYSTEM) NEAR(t, box.velocity.x, 1 - 0.1 * 2, 1e-12);
    }
}

/* Masses over five decades, speeds over eight, flat plates and needles: finite, solved, no energy gained. */
static void extremes_are_survived(test* t)
{
    int lost = 0;
    for (uint64_t i = 0; i < 30; ++i) {
        dice d = {.key = {.seed = 9, .serial = i}};
        kin_body start[BALLS], b[BALLS];
        kin_meeting m[64];
        int n = heap_of(&d, start, m, -1, -1);
        double speed = pow(10, roll(&d, -4, 4));
        for (int k = 0; k < BALLS; ++k) {
            double mass = pow(10, roll(&d, -2.5, 2.5)), thin = pow(10, roll(&d, -3, 0));
            kin_body* x = &start[k];
            *x = body_of(mass, kin_scale(kin_v(0.1, 0.1, 0.2 * thin), mass), x->position, kin_scale(x->velocity, speed));
            x->spin = kin_scale(roll3(&d, 1), speed);
        }
        double before = totals_of(start, BALLS).energy;
        for (int k = 0; k < METHODS; ++k) {
            memcpy(b, start, sizeof b);
            lost += !hit(t, b, BALLS, m, n, methods[k], NULL).converged;
            for (int j = 0; j < BALLS; ++j) CHECK(t, kin_finite3(b[j].velocity) && kin_finite3(b[j].spin));
            CHECK(t, totals_of(b, BALLS).energy <= before * (1 + 1e-9));
        }
    }
    EQUAL(t, lost, 0);
}

/* Walls that close on a ball: nothing can be done, and it is said. */
static void the_impossible_is_told(test* t)
{
    for (int k = 0; k < METHODS; ++k) {
        kin_body b[3] = {ball_of(1, 1, kin_v(0, 0, 0), kin_v(0, 0, 0)), kin_body_fixed(), kin_body_fixed()};
        b[1].velocity = kin_v(1, 0, 0);
        b[2].velocity = kin_v(-1, 0, 0);
        kin_meeting m[2] = {{.a = 0, .b = 1, .point = {-1, 0, 0}, .normal = {1, 0, 0}, .restitution = 0.5},
                            {.a = 0, .b = 2, .point = {1, 0, 0}, .normal = {-1, 0, 0}, .restitution = 0.5}};
        CHECK(t, !hit(t, b, 3, m, 2, methods[k], NULL).converged);
        for (int i = 0; i < 3; ++i) CHECK(t, kin_finite3(b[i].velocity) && kin_length(b[i].velocity) < 1e6);
        kin_meeting still = {.a = 1, .b = 2, .normal = {1, 0, 0}}; /* neither moves: nothing to do */
        CHECK(t, hit(t, b, 3, &still, 1, methods[k], NULL).converged);
    }
}

static bool hit_once(test* t, void* context)
{
    kin_impulse_method* method = context;
    dice d = {.key = {.seed = 10}};
    kin_body b[BALLS];
    kin_meeting m[64];
    int n = heap_of(&d, b, m, 0.5, 0.5);
    return hit(t, b, BALLS, m, n, *method, NULL).converged;
}

static void memory_may_fail(test* t)
{
    for (int k = 0; k < METHODS; ++k) test_fail_each_allocation(t, hit_once, (void*)&methods[k]);
}

/* ---- surfaces, particles ---- */

static void conveyor_drags(test* t)
{
    kin_body ball = ball_of(1, 0.5, kin_v(0, 0.5, 0), kin_v(0, -1, 0));
    kin_meeting m = floor_hit(kin_v(0, 0, 0), 0, 10);
    m.surface = kin_v(-2, 0, 0); /* of the ball against the belt: the belt runs along +x at 2 m/s */
    hit(t, &ball, 1, &m, 1, KIN_IMPULSE_SYSTEM, NULL);
    NEAR(t, kin_body_velocity_at(&ball, m.point).x, 2, 1e-14);
    NEAR(t, ball.velocity.x, 2.0 * 2 / 7, 1e-14);
}

/* C4.12: a particle is a body without moments; its impulse turns the plate. */
static void particle_strikes_plate(test* t)
{
    for (int k = 0; k < METHODS; ++k) {
        kin_body b[2] = {point_of(0.5, kin_v(0.4, 0, 0.2), kin_v(0.3, -3, 0)), box_of(2, kin_v(2, 0.1, 1), kin_v(0, -0.05, 0))};
        kin_meeting m = {.a = 0, .b = 1, .point = b[0].position, .normal = {0, 1, 0}, .restitution = 0.7, .friction = {0.2, 0.2}};
        totals before = totals_of(b, 2);
        kin_impulse p;
        hit(t, b, 2, &m, 1, methods[k], &p);
        totals after = totals_of(b, 2);
        NEAR3(t, after.momentum, before.momentum, 1e-15);
        NEAR3(t, after.angular, before.angular, 1e-15);
        NEAR3(t, b[0].spin, kin_v(0, 0, 0), 0);
        CHECK(t, after.energy < before.energy && p.t != 0);
        if (methods[k] != KIN_IMPULSE_MICRO) NEAR(t, kin_dot(velocity_between(b, &m), m.normal), 0.7 * 3, 1e-13);
    }
}

/* ---- K ---- */

static void matrix_two_ways(test* t)
{
    kin_arena scratch = scratch_of(t);
    dice d = {.key = {.seed = 8}};
    kin_body b[BALLS], copy[BALLS];
    kin_meeting m[64];
    static double k[192 * 192], tests[192 * 192];
    int n = heap_of(&d, b, m, -1, -1);
    memcpy(copy, b, sizeof copy);
    for (int tangents = 0; tangents < 2; ++tangents) {
        int size = tangents ? 3 * n : n;
        kin_impulse_matrix(b, m, n, tangents, k);
        CHECK(t, kin_impulse_matrix_by_tests(b, BALLS, m, n, tangents, tests, &scratch));
        double worst = 0, skew = 0;
        for (int i = 0; i < size * size; ++i) {
            worst = fmax(worst, fabs(k[i] - tests[i]));
            skew = fmax(skew, fabs(k[i] - k[i % size * size + i / size]));
        }
        NEAR(t, worst, 0, 1e-14);
        NEAR(t, skew, 0, 1e-14);
        for (uint32_t look = 0; look < 50; ++look) { /* semidefinite */
            double x[192], sum = 0;
            for (int i = 0; i < size; ++i) x[i] = roll(&d, -1, 1);
            for (int i = 0; i < size; ++i)
                for (int j = 0; j < size; ++j) sum += x[i] * k[i * size + j] * x[j];
            CHECK(t, sum >= -1e-12);
        }
    }
    CHECK(t, memcmp(copy, b, sizeof b) == 0); /* the bodies are as they were */
    kin_arena_term(&scratch);
}

/* A ball that falls on a floor while it rolls or spins. The load is (1 + e) m v, the couple its lever: spin loses lever (1 + e) m v / I; what rolls keeps
 * rolling, with 7/5 m r^2 for I. Where that is more than there is, it ends. By sweeps nothing bounces: e = 0. */
static void couples_slow_rolling_and_spinning(test* t)
{
    const double m = 2, radius = 0.5, v = 3, inertia = 0.4 * m * radius * radius;
    const kin_impulse_method ways[] = {KIN_IMPULSE_SYSTEM, KIN_IMPULSE_LCP, KIN_IMPULSE_SEQUENTIAL, KIN_IMPULSE_SWEEPS};
    kin_arena arena;
    kin_arena_init(&arena, &t->allocator);
    for (int k = 0; k < 4; ++k) {
        for (int huge = 0; huge < 2; ++huge) {
            double lever = huge ? 10 : 1e-3, w = 4, e = ways[k] == KIN_IMPULSE_SWEEPS ? 0 : 0.5, load = (1 + e) * m * v;
            kin_body ball = ball_of(m, radius, kin_v(0, radius, 0), kin_v(w * radius, -v, 0));
            ball.spin = kin_v(0, 7, -w); /* rolls along x, and spins */
            kin_meeting hit = {.a = 0, .b = KIN_NO_BODY, .normal = {0, 1, 0}, .restitution = 0.5, .friction = {2, 2}, .rolling = lever, .spinning = lever};
            kin_impulse_cluster cluster = {.bodies = &ball, .body_count = 1, .meetings = &hit, .count = 1, .method = ways[k], .enough = 1e-12};
            double energy = kin_body_kinetic(&ball);
            kin_impulse_report report = kin_impulses_apply(&cluster, NULL, NULL, &arena);
            CHECK(t, report.converged);
            NEAR(t, ball.velocity.y, e * v, 1e-9);
            NEAR(t, ball.velocity.x, -ball.spin.z * radius, 1e-9); /* still rolls */
            NEAR(t, ball.spin.y, huge ? 0 : 7 - lever * load / inertia, 1e-9);
            NEAR(t, -ball.spin.z, huge ? 0 : w - lever * load / (1.4 * m * radius * radius), 1e-9);
            CHECK(t, kin_body_kinetic(&ball) < energy);
            kin_arena_reset(&arena);
        }
    }
    kin_arena_term(&arena);
}

/* Random clusters with levers: no energy is gained, momentum is kept. */
static void couples_gain_nothing(test* t)
{
    enum { COUNT = 5 };
    kin_arena arena;
    kin_arena_init(&arena, &t->allocator);
    dice d = {.key = {.seed = 77}};
    for (int round = 0; round < 60; ++round) {
        kin_body bodies[COUNT];
        kin_meeting hits[COUNT];
        double before = 0, after = 0;
        kin_vec3 spun[2] = {{0, 0, 0}, {0, 0, 0}};
        for (int i = 0; i < COUNT; ++i) bodies[i] = random_body(&d);
        for (uint32_t i = 0; i < COUNT; ++i) {
            hits[i] = random_meeting(&d, bodies, i, (i + 1) % COUNT);
            hits[i].rolling = roll(&d, 0, 0.2), hits[i].spinning = roll(&d, 0, 0.2);
            before += kin_body_kinetic(&bodies[i]);
            spun[0] =
                kin_add(spun[0], kin_add(kin_body_angular_momentum(&bodies[i]), kin_cross(bodies[i].position, kin_scale(bodies[i].velocity, bodies[i].mass))));
        }
        kin_impulse_cluster cluster = {.bodies = bodies, .body_count = COUNT, .meetings = hits, .count = COUNT, .method = KIN_IMPULSE_SYSTEM};
        kin_impulses_apply(&cluster, NULL, NULL, &arena);
        for (int i = 0; i < COUNT; ++i) {
            after += kin_body_kinetic(&bodies[i]);
            spun[1] =
                kin_add(spun[1], kin_add(kin_body_angular_momentum(&bodies[i]), kin_cross(bodies[i].position, kin_scale(bodies[i].velocity, bodies[i].mass))));
        }
        CHECK(t, after <= before * (1 + 1e-9));
        NEAR3(t, spun[1], spun[0], 1e-10);
        kin_arena_reset(&arena);
    }
    kin_arena_term(&arena);
}

TEST_MAIN("contact/impulse", TEST(ball_on_floor_sticks_above_two_sevenths), TEST(rod_struck_at_its_end_gets_a_quarter), TEST(equal_balls_swap),
          TEST(three_balls_both_ways), TEST(parting_meetings_are_struck_later), TEST(newtons_cradle), TEST(single_three_ways),
          TEST(critical_coefficients_decide), TEST(random_pairs_keep_the_laws), TEST(system_is_the_single_way), TEST(heaps_keep_the_laws),
          TEST(order_does_not_matter), TEST(sweeps_gain_nothing), TEST(clusters_are_solved_apart), TEST(groups_are_numbered), TEST(box_lands_on_four_corners),
          TEST(extremes_are_survived), TEST(the_impossible_is_told), TEST(memory_may_fail), TEST(conveyor_drags), TEST(particle_strikes_plate),
          TEST(matrix_two_ways), TEST(couples_slow_rolling_and_spinning), TEST(couples_gain_nothing))
