/* friction_test.c - friction of bodies that slide: it opposes the slip whatever the form, its yaw and its moments, and stops them where Coulomb's law says;
 * in both modes, but for what each test says. Tolerance: half a percent, which is what a substep is of the time that they slide. */
#include "base/rng.h"
#include "kinema/rigid.h"
#include "math/frame.h"
#include "math/quat.h"
#include "support/test.h"
#include "support/world.h"

#define G 9.81
#define DT (1.0 / 60)
#define SHARE 0.005 /* of the way: what may be wrong */

static const kin_rigid_mode modes[] = {KIN_RIGID_REALTIME, KIN_RIGID_EXACT};

typedef struct slide {
    test* t;
    kin_world* world;
    kin_system_id system;
    uint32_t body;
} slide;

typedef struct pair_friction {
    double ground[2], body[2];
} pair_friction;

static kin_material_id material(test* t, kin_world* world, const char* name, const double friction[2])
{
    kin_material_def def = kin_material_def_default();
    kin_material_id id = {0};
    def.name = name;
    def.restitution = 0;
    for (int i = 0; i < 2; ++i) def.static_friction[i] = def.dynamic_friction[i] = friction[i];
    CHECK(t, kin_world_add_material(world, &def, &id, NULL) == KIN_OK);
    return id;
}

/* A body of 2 kg on the plane y = 0, whose lowest point is `height` below the origin of its shape. */
static slide begin(test* t, kin_rigid_mode mode, pair_friction mu, kin_shape shape, double height, kin_quat turn, kin_vec3 velocity)
{
    slide s = {.t = t, .world = test_world(t, DT, kin_v(0, -G, 0))};
    kin_rigid_def rigid = kin_rigid_def_default();
    rigid.mode = mode;
    rigid.sleep = false;
    CHECK(t, kin_rigid_create(s.world, &rigid, &s.system, NULL) == KIN_OK);
    test_plane(t, s.world, kin_v(0, 0, 0), kin_v(0, 1, 0), material(t, s.world, "ground", mu.ground));
    kin_body_def def = kin_body_def_default();
    def.shape = shape;
    def.position = kin_v(0, height, 0);
    def.orientation = turn;
    def.velocity = velocity;
    def.mass = 2;
    def.material = material(t, s.world, "body", mu.body);
    s.body = test_body(t, s.world, s.system, &def);
    return s;
}

static void end(slide* s) { kin_world_destroy(s->world); }
static kin_body_state state(const slide* s) { return kin_rigid_state(s->world, s->system, s->body); }
static kin_quat yawed(double angle) { return kin_quat_axis_angle(kin_v(0, 1, 0), angle); }
static double draw(int i, int k, double low, double high) { return kin_rng_uniform(&(kin_rng_key){.seed = 17, .serial = (uint64_t)i}, (uint32_t)k, low, high); }

/* Straight along x, v^2 / (2 mu g), and not turned. */
static void check_stop(slide* s, double v, double mu)
{
    kin_vec3 from = state(s).center;
    kin_quat turn = state(s).pose.orientation;
    double way = v * v / (2 * mu * G);
    test_steps(s->t, s->world, (int)(1.2 * v / (mu * G) / DT));
    kin_body_state now = state(s);
    NEAR(s->t, now.center.x - from.x, way, SHARE * way);
    NEAR(s->t, now.center.z - from.z, 0, SHARE * way);
    NEAR(s->t, kin_length(kin_quat_rotation_vector(kin_quat_mul(now.pose.orientation, kin_quat_conj(turn)))), 0, 0.01);
    NEAR(s->t, kin_length(now.velocity), 0, 1e-3);
}

static void bricks_slide_straight(test* t)
{
    for (int m = 0; m < 2; ++m) {
        for (int i = 0; i < 6; ++i) {
            double mu = draw(i, 0, 0.2, 0.4), v = 6;
            kin_shape shape = {.kind = KIN_SHAPE_BOX, .size = {draw(i, 1, 0.3, 2), draw(i, 2, 0.1, 0.4), draw(i, 3, 0.3, 1)}};
            slide s = begin(t, modes[m], (pair_friction){{mu, mu}, {mu, mu}}, shape, 0.5 * shape.size.y, yawed(draw(i, 4, 0, 3)), kin_v(v, 0, 0));
            check_stop(&s, v, mu);
            end(&s);
        }
    }
}

/* A slab between an irregular base and a smaller top. */
static void hulls_slide_straight(test* t)
{
    enum { SIDES = 7 };
    for (int m = 0; m < 2; ++m) {
        for (int i = 0; i < 6; ++i) {
            kin_vec3 points[2 * SIDES];
            double mu = draw(i, 0, 0.2, 0.4), v = 6, height = draw(i, 1, 0.1, 0.3);
            for (int k = 0; k < SIDES; ++k) {
                double a = 2 * KIN_PI * (k + draw(i, 10 + k, -0.3, 0.3)) / SIDES, r = draw(i, 20 + k, 0.5, 0.8);
                points[k] = kin_v(1.5 * r * kin_cos(a), 0, r * kin_sin(a));
                points[SIDES + k] = kin_v(0.9 * r * kin_cos(a) + 0.1, height, 0.5 * r * kin_sin(a));
            }
            kin_shape shape = {.kind = KIN_SHAPE_HULL, .points = {points, 2 * SIDES}};
            slide s = begin(t, modes[m], (pair_friction){{mu, mu}, {mu, mu}}, shape, 0, yawed(draw(i, 4, 0, 3)), kin_v(v, 0, 0));
            check_stop(&s, v, mu);
            end(&s);
        }
    }
}

/* Slip (a, b) of a body that goes at (va, vb): friction takes g times its coefficients' point of the ellipse that opposes it most, (mu_a^2 a, mu_b^2 b) over
 * its size; the slip along b answers k times as much as the velocity does. By small steps. */
typedef struct course {
    double mu[2], k, slip[2], velocity[2], way[2];
} course;

static void follow(course* c, double time)
{
    const double h = 1e-4;
    for (double now = 0; now < time; now += h) {
        double a = c->mu[0] * c->slip[0], b = c->mu[1] * c->slip[1], size = kin_sqrt(a * a + b * b);
        double d[2] = {size > 0 ? h * G * c->mu[0] * a / size : 0, size > 0 ? h * G * c->mu[1] * b / size : 0}, stop[2] = {c->slip[0], c->slip[1] / c->k};
        for (int i = 0; i < 2; ++i) {
            if (kin_abs(d[i]) > kin_abs(stop[i])) d[i] = stop[i];
            c->way[i] += h * (c->velocity[i] - 0.5 * d[i]);
            c->velocity[i] -= d[i];
            c->slip[i] -= (i == 1 ? c->k : 1) * d[i];
        }
    }
}

static void check_course(slide* s, course* c, kin_vec3 axis, kin_vec3 across, double time)
{
    const kin_vec3 from = state(s).center, v = state(s).velocity;
    const double speed = kin_length(v);
    c->slip[0] = c->velocity[0] = kin_dot(v, axis), c->slip[1] = c->velocity[1] = kin_dot(v, across);
    follow(c, time);
    test_steps(s->t, s->world, (int)(time / DT + 0.5));
    const kin_body_state now = state(s);
    const kin_vec3 way = kin_sub(now.center, from);
    NEAR(s->t, kin_dot(way, axis), c->way[0], SHARE * kin_length(way));
    NEAR(s->t, kin_dot(way, across), c->way[1], SHARE * kin_length(way));
    NEAR(s->t, kin_dot(now.velocity, axis), c->velocity[0], SHARE * speed);
    NEAR(s->t, kin_dot(now.velocity, across), c->velocity[1], SHARE * speed);
}

/* A lying capsule slides along its axis and comes to roll across it: there the slip loses 1 + m r^2 / I times what the velocity does. Real time only, where friction
 * acts beneath the middle: that it shifts the load forward and turns the capsule is left out. */
static void capsules_come_to_roll(test* t)
{
    for (int i = 0; i < 6; ++i) {
        double mu = draw(i, 0, 0.2, 0.4), r = draw(i, 1, 0.1, 0.3), yaw = draw(i, 4, 0.2, 1.4);
        kin_shape shape = {.kind = KIN_SHAPE_CAPSULE, .radius = r, .length = draw(i, 2, 0.3, 1)};
        kin_quat lies = kin_quat_mul(yawed(yaw), kin_quat_axis_angle(kin_v(0, 0, 1), 0.5 * KIN_PI));
        slide s = begin(t, KIN_RIGID_REALTIME, (pair_friction){{mu, mu}, {mu, mu}}, shape, r, lies, kin_v(6, 0, 0));
        kin_body_state at = state(&s);
        course c = {.mu = {mu, mu}, .k = 1 + at.mass * r * r / kin_min(at.moments.x, kin_min(at.moments.y, at.moments.z))};
        check_course(&s, &c, kin_rotate(yawed(yaw), kin_v(1, 0, 0)), kin_rotate(yawed(yaw), kin_v(0, 0, 1)), 1.5);
        end(&s);
    }
}

/* A capsule on its two ends by Newton and Euler, in the plane of the ground: friction beneath the axis shifts the load to the leading end, where friction across
 * the axis is larger then and turns it. Axis e at yaw from x, p across it; spin w about e. Friction is ramped below EPS. */
typedef struct log_state {
    double x, z, yaw, vx, vz, turn, w;
} log_state;

typedef struct log_body {
    double mu, r, half, mass, along, across; /* half the distance between the ends; moments about e and across it */
} log_body;

static log_state log_rate(const log_body* b, const log_state* s)
{
    const double eps = 1e-4, ex = kin_cos(s->yaw), ez = -kin_sin(s->yaw), px = -kin_sin(s->yaw), pz = -kin_cos(s->yaw);
    const double ve = s->vx * ex + s->vz * ez, vp = s->vx * px + s->vz * pz;
    double c[2], d[2], force_e = 0, force_p = 0, moment = 0;
    for (int i = 0; i < 2; ++i) {
        const double beside = vp + (i == 0 ? 1 : -1) * s->turn * b->half + b->r * s->w, size = kin_max(kin_sqrt(ve * ve + beside * beside), eps);
        c[i] = ve / size, d[i] = beside / size;
    }
    /* Pitch: I w turn = -half (N0 - N1) - r F_e, with N0 + N1 = m g. */
    const double weight = b->mass * G;
    const double shift = (b->r * b->mu * weight * (c[0] + c[1]) / 2 - b->along * s->w * s->turn) / (b->half - b->r * b->mu * (c[0] - c[1]) / 2);
    const double load[2] = {0.5 * (weight + shift), 0.5 * (weight - shift)};
    for (int i = 0; i < 2; ++i) {
        force_e -= b->mu * load[i] * c[i], force_p -= b->mu * load[i] * d[i];
        moment -= (i == 0 ? 1 : -1) * b->half * b->mu * load[i] * d[i];
    }
    return (log_state){
        s->vx, s->vz, s->turn, (force_e * ex + force_p * px) / b->mass, (force_e * ez + force_p * pz) / b->mass, moment / b->across, b->r * force_p / b->along};
}

static log_state log_add(const log_state* s, double h, const log_state* d)
{
    return (log_state){s->x + h * d->x, s->z + h * d->z, s->yaw + h * d->yaw, s->vx + h * d->vx, s->vz + h * d->vz, s->turn + h * d->turn, s->w + h * d->w};
}

/* Midpoint rule; h resolves the ramp's rate, mu g (1 + m r^2 / I) / EPS. */
static void log_follow(const log_body* b, log_state* s, double time)
{
    const double h = 2e-6;
    for (int i = 0; i < (int)(time / h + 0.5); ++i) {
        log_state half = log_rate(b, s), middle = log_add(s, 0.5 * h, &half), rate = log_rate(b, &middle);
        *s = log_add(s, h, &rate);
    }
}

static void capsules_turn_as_they_slide(test* t)
{
    for (int i = 0; i < 6; ++i) {
        double mu = draw(i, 0, 0.2, 0.4), r = draw(i, 1, 0.1, 0.3), yaw = draw(i, 4, 0.2, 1.4), half = 0.5 * draw(i, 2, 0.6, 1.2), time = 1.5;
        kin_shape shape = {.kind = KIN_SHAPE_CAPSULE, .radius = r, .length = 2 * half};
        kin_quat lies = kin_quat_mul(yawed(yaw), kin_quat_axis_angle(kin_v(0, 0, 1), 0.5 * KIN_PI));
        slide s = begin(t, KIN_RIGID_EXACT, (pair_friction){{mu, mu}, {mu, mu}}, shape, r, lies, kin_v(6, 0, 0));
        kin_body_state at = state(&s);
        double low = kin_min(at.moments.x, kin_min(at.moments.y, at.moments.z)), high = kin_max(at.moments.x, kin_max(at.moments.y, at.moments.z));
        log_body b = {mu, r, half, at.mass, low, high};
        log_state log = {.yaw = yaw, .vx = 6};
        log_follow(&b, &log, time);
        test_steps(t, s.world, (int)(time / DT + 0.5));
        at = state(&s);
        kin_vec3 axis = kin_rotate(at.pose.orientation, kin_v(0, -1, 0));
        double way = kin_length(at.center);
        NEAR(t, at.center.x, log.x, SHARE * way);
        NEAR(t, at.center.z, log.z, SHARE * way);
        NEAR(t, at.velocity.x, log.vx, SHARE * 6);
        NEAR(t, at.velocity.z, log.vz, SHARE * 6);
        NEAR(t, kin_abs(axis.x * kin_sin(log.yaw) + axis.z * kin_cos(log.yaw)), 0, SHARE);
        CHECK(t, kin_abs(log.yaw - yaw) > 0.05);
        end(&s);
    }
}

/* Two coefficients along the tangents of the surface they belong to: the ground's stay, those of a body's underside turn with it. */
static void slide_over_grain(test* t, kin_rigid_mode mode, int i)
{
    const bool of_ground = i % 2 == 0;
    const double mu[2] = {draw(i, 0, 0.1, 0.5), draw(i, 1, 0.1, 0.5)}, plain[2] = {0.3, 0.3}, yaw = draw(i, 4, 0, 3), heading = draw(i, 5, 0, 6);
    pair_friction of = {{plain[0], plain[1]}, {plain[0], plain[1]}};
    for (int k = 0; k < 2; ++k) (of_ground ? of.ground : of.body)[k] = mu[k];
    kin_shape shape = {.kind = KIN_SHAPE_BOX, .size = {1.5, 0.2, 0.7}};
    slide s = begin(t, mode, of, shape, 0.1, yawed(yaw), kin_v(5 * kin_cos(heading), 0, 5 * kin_sin(heading)));
    const kin_quat turn = of_ground ? kin_quat_identity() : yawed(yaw);
    const kin_basis grain = kin_basis_from_normal(kin_v(0, of_ground ? 1 : -1, 0));
    course c = {.mu = {0.5 * (mu[0] + plain[0]), 0.5 * (mu[1] + plain[1])}, .k = 1};
    check_course(&s, &c, kin_rotate(turn, grain.t), kin_rotate(turn, grain.k), 1.5);
    end(&s);
}

static void friction_along_and_across_the_grain(test* t)
{
    for (int m = 0; m < 2; ++m) {
        for (int i = 0; i < 8; ++i) slide_over_grain(t, modes[m], i);
    }
}

/* At rest friction holds a pull within the same ellipse: a box stays 1 % below where the pull leaves it, and goes 1 % above. Gravity leans instead of the ground. */
static void grain_holds_within_its_ellipse(test* t)
{
    for (int i = 0; i < 24; ++i) {
        const kin_rigid_mode mode = modes[i % 2];
        const double mu[2] = {draw(i / 2, 0, 0.2, 0.6), draw(i / 2, 1, 0.2, 0.6)}, heading = draw(i / 2, 2, 0, 6.28);
        const kin_basis grain = kin_basis_from_normal(kin_v(0, 1, 0));
        const double a = kin_cos(heading), b = kin_sin(heading), holds = 1 / kin_sqrt(kin_square(a / mu[0]) + kin_square(b / mu[1]));
        const kin_vec3 way = kin_add_scaled(kin_scale(grain.t, a), b, grain.k);
        for (int above = 0; above < 2; ++above) {
            kin_shape shape = {.kind = KIN_SHAPE_BOX, .size = {1.5, 0.2, 0.9}};
            slide s = begin(t, mode, (pair_friction){{mu[0], mu[1]}, {mu[0], mu[1]}}, shape, 0.1, kin_quat_identity(), kin_v(0, 0, 0));
            CHECK(t, kin_world_add_gravity(s.world, kin_scale(way, G * holds * (above ? 1.01 : 0.99)), NULL, NULL) == KIN_OK);
            kin_vec3 from = state(&s).center;
            test_steps(t, s.world, 60);
            const double speed = kin_length(state(&s).velocity), went = kin_distance(state(&s).center, from);
            if (above)
                CHECK(t, speed > 0.5 * 0.01 * holds * G);
            else
                NEAR(t, went, 0, mode == KIN_RIGID_EXACT ? 1e-6 : 1e-3);
            end(&s);
        }
    }
}

/* A ball without spin that falls onto the floor at a slant: its slip loses (1 + e) v_n times the friction against it, by every way of resolving impacts. Micro-collisions
 * scale the slip's direction by the coefficients (Keller, Mirtich); the others take the point of the ellipse that dissipates most. Friction is too little to turn
 * the slip by more than mu v_n / v. */
static void grain_opposes_impacts(test* t)
{
    enum { WAYS = 4, MICRO = 2 };
    for (int i = 0; i < 8 * WAYS; ++i) {
        const int way = i % WAYS, k = i / WAYS;
        const double mu[2] = {draw(k, 0, 0.02, 0.1), draw(k, 1, 0.02, 0.1)}, heading = draw(k, 2, 0, 6.28), fall = 0.1, v = 5;
        const kin_basis grain = kin_basis_from_normal(kin_v(0, 1, 0));
        const double s[2] = {kin_cos(heading), kin_sin(heading)}, size = kin_sqrt(kin_square(mu[0] * s[0]) + kin_square(mu[1] * s[1]));
        slide b = {.t = t, .world = test_world(t, DT, kin_v(0, 0, 0))};
        kin_rigid_def rigid = kin_rigid_def_default();
        rigid.mode = KIN_RIGID_EXACT;
        rigid.impulses = way;
        CHECK(t, kin_rigid_create(b.world, &rigid, &b.system, NULL) == KIN_OK);
        kin_body_def def = kin_body_def_default();
        test_plane(t, b.world, kin_v(0, 0, 0), kin_v(0, 1, 0), material(t, b.world, "ground", mu));
        def.shape = (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 0.2};
        def.position = kin_v(0, 0.201, 0);
        def.velocity = kin_add_scaled(kin_add_scaled(kin_v(0, -fall, 0), v * s[0], grain.t), v * s[1], grain.k);
        def.mass = 2;
        def.material = material(t, b.world, "body", mu);
        b.body = test_body(t, b.world, b.system, &def);
        test_steps(t, b.world, 3);
        const kin_vec3 lost = kin_sub(def.velocity, state(&b).velocity);
        const double want[2] = {way == MICRO ? mu[0] * s[0] : mu[0] * mu[0] * s[0] / size, way == MICRO ? mu[1] * s[1] : mu[1] * mu[1] * s[1] / size};
        NEAR(t, kin_dot(lost, grain.t), fall * want[0], 2 * 0.1 * fall / v * 0.1 * fall);
        NEAR(t, kin_dot(lost, grain.k), fall * want[1], 2 * 0.1 * fall / v * 0.1 * fall);
        end(&b);
    }
}

TEST_MAIN("laws/friction", TEST(bricks_slide_straight), TEST(hulls_slide_straight), TEST(capsules_come_to_roll), TEST(capsules_turn_as_they_slide),
          TEST(friction_along_and_across_the_grain), TEST(grain_holds_within_its_ellipse), TEST(grain_opposes_impacts))
