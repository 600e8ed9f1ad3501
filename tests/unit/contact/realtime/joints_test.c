/* joints_test.c - jointed bodies of the real-time solver: swings keep their energy, tops precess, momenta stay. */
#include "base/alloc.h"
#include "contact/joint/joint.h"
#include "scenes.h"
#include "support/test.h"

static kin_body* body(scene* s, uint32_t i) { return &s->group->bodies.body[i]; }

static uint32_t join(scene* s, kin_joint_def def, uint32_t a, uint32_t b)
{
    uint32_t index = UINT32_MAX;
    kin_group_add_joint(s->group, &def, a, b, (kin_anchor){.system = 1, .element = s->group->joint_count}, &index, NULL);
    return index;
}

static double energy_of(scene* s, uint32_t i) { return kin_body_kinetic(body(s, i)) - body(s, i)->mass * kin_dot(s->fields.gravity, body(s, i)->position); }

/* The largest energy in some steps: within a swing it goes up and down by w h, as of every semi-implicit rule. */
static double most_energy(scene* s, uint32_t i, int steps)
{
    double most = -1e300;
    for (int k = 0; k < steps; ++k) scene_step(s), most = kin_max(most, energy_of(s, i));
    return most;
}

/* Pendulums of random lengths, masses, amplitudes and numbers of substeps on every joint that lets them swing: the quality 2 pi E / (loss in a period). */
static void swings_keep_their_energy(test* t)
{
    static const kin_joint_kind kinds[] = {KIN_JOINT_BALL, KIN_JOINT_HINGE, KIN_JOINT_UNIVERSAL, KIN_JOINT_DISTANCE, KIN_JOINT_ROPE};
    for (int k = 0; k < 20; ++k) {
        scene s;
        kin_rigid_def def = scene_def();
        def.substeps = 4 + k % 5;
        CHECK(t, scene_begin_with(&s, &t->allocator, 1, &def));
        const double length = 0.5 + 0.1 * k, lean = 0.1 + 0.05 * k, radius = 0.05 + 0.02 * (k % 3), rate = kin_sqrt(9.81 / length);
        const kin_joint_kind kind = kinds[k % 5];
        const bool line = kind == KIN_JOINT_DISTANCE || kind == KIN_JOINT_ROPE;
        const kin_vec3 at = {length * kin_sin(lean), -length * kin_cos(lean), 0};
        const uint32_t b = scene_ball(&s, radius, at, 300 + 200 * (k % 7), (kin_material_id){0});
        const double bottom = -body(&s, b)->mass * 9.81 * length;
        join(&s, (kin_joint_def){.kind = kind, .anchor = line ? at : kin_v(0, 0, 0), .has_anchor_b = line, .axis = {0, 0, 1}, .axis_b = {1, 0, 0}, .ratio = 1},
             b, KIN_NO_BODY);
        const int period = (int)(60 * 2 * KIN_PI / rate) + 1, between = 1200;
        const double first = most_energy(&s, b, period) - bottom;
        scene_steps(&s, between);
        const double last = most_energy(&s, b, period) - bottom, quality = rate * (between + period) / 60 / kin_max(kin_abs(first / last - 1), 1e-9);
        test_check(t, quality > 1e4, __FILE__, __LINE__, "joint %d, length %g, lean %g, %d substeps: %g -> %g J, Q = %g", (int)kind, length, lean, def.substeps,
                   first, last, quality);
        scene_end(&s);
    }
}

/* A weight on a spring of a slider or a rod, its substep a tenth of the swing's radian or less. */
static void springs_swing_on(test* t)
{
    for (int k = 0; k < 10; ++k) {
        scene s;
        CHECK(t, scene_begin(&s, &t->allocator, 1));
        s.fields.gravity = kin_v(0, 0, 0);
        const uint32_t b = scene_box(&s, kin_v(0.2, 0.2, 0.2), kin_v(0, 0, 0), 125, (kin_material_id){0});
        const double stiffness = 20 * (1 << (k / 2)), rate = kin_sqrt(stiffness);
        kin_joint_def def = {.kind = k % 2 ? KIN_JOINT_DISTANCE : KIN_JOINT_SLIDER, .axis = {0, 1, 0}, .anchor_b = {0, 2, 0}, .has_anchor_b = k % 2};
        def.freedom[0] = (kin_joint_freedom){.stiffness = stiffness, .rest = 0.1};
        const uint32_t joint = join(&s, def, b, KIN_NO_BODY);
        double first = 0, last = 0;
        for (int i = 0; i < 1200; ++i) {
            scene_step(&s);
            const double off = kin_abs(kin_joint_position(&s.group->joints[joint], body(&s, b), NULL, 0) - 0.1);
            if (i < 120) first = kin_max(first, off);
            if (i >= 1080) last = kin_max(last, off);
        }
        const double quality = rate * 18 / 2 / kin_max(kin_abs(first / last - 1), 1e-9);
        test_check(t, quality > 1e4 || kin_abs(first / last - 1) < 2e-3, __FILE__, __LINE__, "k = %g N/m: %g -> %g m, Q = %g", stiffness, first, last, quality);
        scene_end(&s);
    }
}

/* A box on a hinge up to 0.3 m off its centre with a spring that turns it back, its substep a tenth of the swing's radian or less. */
static void hinge_springs_swing_on(test* t)
{
    for (int k = 0; k < 16; ++k) {
        scene s;
        CHECK(t, scene_begin(&s, &t->allocator, 1));
        s.fields.gravity = kin_v(0, 0, 0);
        const double arm = 0.1 * (k % 4), rate = 2 << (k / 4);
        const uint32_t b = scene_box(&s, kin_v(0.2, 0.3, 0.1), kin_v(0, 0, 0), 500, (kin_material_id){0});
        const double moment = body(&s, b)->moments.z + body(&s, b)->mass * arm * arm;
        kin_joint_def def = {.kind = KIN_JOINT_HINGE, .axis = {0, 0, 1}, .anchor = {arm, 0, 0}};
        def.freedom[0] = (kin_joint_freedom){.stiffness = moment * rate * rate, .rest = 0.1};
        const uint32_t joint = join(&s, def, b, KIN_NO_BODY);
        double first = 0, last = 0;
        const int period = (int)(60 * 2 * KIN_PI / rate) + 1;
        for (int i = 0; i < 1200 + period; ++i) {
            scene_step(&s);
            const double off = kin_abs(kin_joint_position(&s.group->joints[joint], body(&s, b), NULL, 0) - 0.1);
            if (i < period) first = kin_max(first, off);
            if (i >= 1200) last = kin_max(last, off);
        }
        const double quality = rate * 20 / 2 / kin_max(kin_abs(first / last - 1), 1e-9);
        test_check(t, quality > 1e4, __FILE__, __LINE__, "arm %g m, rate %g/s: %g -> %g rad, Q = %g", arm, rate, first, last, quality);
        scene_end(&s);
    }
}

/* ---- tops ---- */

static double joint_gap(scene* s, uint32_t joint)
{
    const kin_joint* j = &s->group->joints[joint];
    const kin_vec3 a = kin_apply(kin_body_pose(body(s, j->a)), j->frame_a.position);
    return kin_distance(a, j->b == KIN_NO_BODY ? j->frame_b.position : kin_apply(kin_body_pose(body(s, j->b)), j->frame_b.position));
}

/* A disc on a light rod, a ball joint at its foot, in steady precession at the rate W: A W^2 cos - C w W + m g l = 0, A about the foot, C about the axis.
 * Every other one has its foot on a stand, which stands on a table. */
static void heavy_tops_precess(test* t)
{
    for (int k = 0; k < 24; ++k) {
        scene s;
        CHECK(t, scene_begin(&s, &t->allocator, 1));
        uint32_t stand = KIN_NO_BODY;
        if (k >= 12) {
            const kin_material_id m = scene_material(&s, "m", 0.5, 0.3, 0, 0);
            scene_add(&s, (scene_body){.shape = {.kind = KIN_SHAPE_BOX, .size = {4, 1, 4}}, .position = {0, -0.7, 0}, .motion = KIN_BODY_FIXED, .material = m});
            stand = scene_box(&s, kin_v(0.6, 0.2, 0.6), kin_v(0, -0.1, 0), 1000, m);
            scene_steps(&s, 60);
        }
        const double spin = k % 12 < 3 ? 300 : 70 + 25 * (k % 12), lean = 0.2 + 0.1 * (k % 12), lever = 0.1 + 0.02 * (k % 12 % 10);
        const kin_vec3 axis = {kin_sin(lean), kin_cos(lean), 0};
        const uint32_t b = scene_add(&s, (scene_body){.shape = {.kind = KIN_SHAPE_CYLINDER, .radius = 0.2, .length = 0.05},
                                                      .position = kin_scale(axis, lever),
                                                      .orientation = kin_quat_between(kin_v(0, 1, 0), axis),
                                                      .motion = KIN_BODY_FREE,
                                                      .density = 500});
        kin_body* top = body(&s, b);
        const double c = top->moments.y, a = (top->moments.x + top->mass * lever * lever) * kin_cos(lean), m = top->mass * 9.81 * lever;
        const double rate = (c * spin - kin_sqrt(c * c * spin * spin - 4 * a * m)) / (2 * a);
        top->spin = kin_add(kin_scale(axis, spin - rate * kin_cos(lean)), kin_v(0, rate, 0));
        top->velocity = kin_cross(kin_v(0, rate, 0), top->position);
        const uint32_t joint = join(&s, (kin_joint_def){.kind = KIN_JOINT_BALL, .axis = {0, 1, 0}}, b, stand);
        double gone = 0, gap = 0;
        for (int i = 0; i < 180; ++i) {
            const kin_vec3 was = top->position;
            scene_step(&s);
            gap = kin_max(gap, joint_gap(&s, joint));
            gone += kin_atan2(kin_cross(was, top->position).y, was.x * top->position.x + was.z * top->position.z);
        }
        test_check(t, kin_abs(gone / 3 / rate - 1) < 0.02, __FILE__, __LINE__, "%g rad/s: goes round at %g, not %g rad/s", spin, gone / 3, rate);
        test_check(t, gap < 1e-3, __FILE__, __LINE__, "%g rad/s: joint open by %g m", spin, gap);
        scene_end(&s);
    }
}

/* A rotor in two rings on hinges, the outer one on the world; the inner ring is struck: the rotor keeps its axis within what the blow's angular impulse turns it. */
static void gimbals_hold_their_axis(test* t)
{
    scene s;
    CHECK(t, scene_begin(&s, &t->allocator, 1));
    uint32_t part[3], joint[3];
    const kin_vec3 sizes[3] = {{0.1, 0.5, 0.5}, {0.05, 0.6, 0.6}, {0.05, 0.7, 0.7}};
    const kin_vec3 axes[3] = {{1, 0, 0}, {0, 0, 1}, {0, 1, 0}};
    for (int i = 0; i < 3; ++i)
        part[i] = scene_add(&s, (scene_body){.shape = {.kind = KIN_SHAPE_BOX, .size = sizes[i]},
                                             .motion = KIN_BODY_FREE,
                                             .density = i == 0 ? 1000 : 100,
                                             .skin = {.filter = {1, 2, 0}}});
    for (int i = 0; i < 3; ++i) joint[i] = join(&s, (kin_joint_def){.kind = KIN_JOINT_HINGE, .axis = axes[i]}, part[i], i < 2 ? part[i + 1] : KIN_NO_BODY);
    body(&s, part[0])->spin = kin_v(300, 0, 0);
    scene_steps(&s, 2);
    const double momentum = body(&s, part[0])->moments.x * 300, blow = 0.05 * momentum;
    kin_group_push(s.group, part[1], kin_v(0, 0, 0), (kin_wrench){{0, 0, 0}, {0, 0, blow}});
    double gap = 0, least = 1;
    for (int i = 0; i < 180; ++i) {
        scene_step(&s);
        for (int k = 0; k < 3; ++k) gap = kin_max(gap, joint_gap(&s, joint[k]));
        least = kin_min(least, kin_rotate(body(&s, part[0])->orientation, kin_v(1, 0, 0)).x);
    }
    CHECK(t, gap < 1e-3);
    CHECK(t, least > kin_cos(3 * 0.05)); /* it nods and turns by about blow / L */
    CHECK(t, body(&s, part[0])->spin.x > 270);
    scene_end(&s);
}

/* ---- cars ---- */

/* A box on four cylinder wheels with motors: it comes to the speed they are set to, and stays on its wheels. Its weight is 10 to 90 times a wheel's, and wheels
 * turn slower and faster than tops that have a direct block. */
static void cars_drive(test* t)
{
    for (int k = 0; k < 8; ++k) {
        scene s;
        CHECK(t, scene_begin(&s, &t->allocator, 1));
        const kin_material_id m = scene_material(&s, "m", 0.9, 0, 0, 0);
        const double radius = k % 2 ? 0.3 : 0.35, mass = 17 * (10 + 25 * (k / 2));
        scene_ground(&s, m);
        const uint32_t car = scene_box(&s, kin_v(3, 0.4, 1.2), kin_v(0, 0.8, 0), mass / (3 * 0.4 * 1.2), m);
        uint32_t joint[4];
        for (int i = 0; i < 4; ++i) {
            const kin_vec3 at = {i < 2 ? 1.1 : -1.1, radius, i % 2 ? 0.75 : -0.75};
            const uint32_t wheel = scene_add(&s, (scene_body){.shape = {.kind = KIN_SHAPE_CYLINDER, .radius = radius, .length = 0.2},
                                                              .position = at,
                                                              .orientation = kin_quat_between(kin_v(0, 1, 0), kin_v(0, 0, 1)),
                                                              .motion = KIN_BODY_FREE,
                                                              .density = 17 / (KIN_PI * radius * radius * 0.2),
                                                              .material = m});
            kin_joint_def def = {.kind = KIN_JOINT_HINGE, .axis = {0, 0, 1}, .anchor = at};
            def.freedom[0] = (kin_joint_freedom){.motor = true, .speed = -8 / radius, .most = 0.25 * mass};
            joint[i] = join(&s, def, car, wheel);
        }
        double gap = 0, low = 1, high = 0;
        for (int i = 0; i < 420; ++i) {
            scene_step(&s);
            for (int w = 0; w < 4; ++w) gap = kin_max(gap, joint_gap(&s, joint[w]));
            if (i < 360) continue;
            low = kin_min(low, body(&s, car)->position.y), high = kin_max(high, body(&s, car)->position.y);
        }
        const double speed = body(&s, car)->velocity.x;
        test_check(t, kin_abs(speed - 8) < 0.05 && gap < 0.01 && high - low < 2e-3, __FILE__, __LINE__,
                   "%g kg, wheels of %g m: %g m/s, hubs open by %g m, up and down by %g m", mass, radius, speed, gap, high - low);
        scene_end(&s);
    }
}

/* ---- momenta ---- */

static void momenta(scene* s, kin_vec3* linear, kin_vec3* angular, double* energy)
{
    *linear = *angular = kin_v(0, 0, 0);
    *energy = 0;
    for (uint32_t i = 0; i < s->group->bodies.count; ++i) {
        const kin_body* b = body(s, i);
        const kin_vec3 p = kin_scale(b->velocity, b->mass);
        *linear = kin_add(*linear, p);
        *angular = kin_add(*angular, kin_add(kin_cross(b->position, p), kin_body_angular_momentum(b)));
        *energy += kin_body_kinetic(b);
    }
}

static double draw(uint64_t* state) { return (double)((*state = *state * 6364136223846793005u + 1442695040888963407u) >> 33) / 1073741824.0 - 1; } /* -1 to 1 */

/* Chains of random boxes on random joints, each body with a motion of its own, and a ball that comes flying, in empty space: whatever hits and swings. */
static void free_sets_keep_their_momenta(test* t)
{
    static const kin_joint_kind kinds[] = {KIN_JOINT_BALL,   KIN_JOINT_HINGE,    KIN_JOINT_UNIVERSAL,  KIN_JOINT_FIXED,
                                           KIN_JOINT_SLIDER, KIN_JOINT_DISTANCE, KIN_JOINT_CYLINDRICAL};
    for (uint64_t k = 1; k <= 12; ++k) {
        scene s;
        uint64_t random = k;
        kin_vec3 p0, l0, p, l;
        double e0, e, size = 0;
        uint32_t last = KIN_NO_BODY;
        CHECK(t, scene_begin(&s, &t->allocator, 1));
        s.fields.gravity = kin_v(0, 0, 0);
        const kin_material_id m = scene_material(&s, "m", 0.5, 0.3, 0, 0);
        for (int i = 0; i < 5; ++i) {
            const uint32_t b = scene_box(&s, kin_v(0.4, 0.1 + 0.1 * (i % 2), 0.2), kin_v(0.5 * i, 0, 0), 300 * (1.2 + draw(&random)), m);
            body(&s, b)->velocity = kin_v(draw(&random), draw(&random), draw(&random));
            body(&s, b)->spin = kin_scale(kin_v(draw(&random), draw(&random), draw(&random)), k % 3 == 0 ? 30 : 5);
            kin_joint_def def = {
                .kind = kinds[(k + (uint64_t)i) % 7], .anchor = {0.5 * i - 0.25, 0, 0}, .axis = {draw(&random), 1, draw(&random)}, .collide = i % 2 == 0};
            if (def.kind == KIN_JOINT_DISTANCE) def.anchor_b = kin_v(0.5 * i - 0.45, 0, 0), def.has_anchor_b = true;
            if (last != KIN_NO_BODY) join(&s, def, b, last);
            last = b;
        }
        const uint32_t ball = scene_ball(&s, 0.15, kin_v(0.3 * (double)(k % 4), 2, 0.1 * draw(&random)), 800, m);
        body(&s, ball)->velocity = kin_v(0, -4, 0);
        scene_step(&s); /* joints catch what does not fit them */
        momenta(&s, &p0, &l0, &e0);
        for (uint32_t i = 0; i < s.group->bodies.count; ++i) size = kin_max(size, body(&s, i)->mass * kin_length(body(&s, i)->velocity));
        for (int i = 0; i < 240; ++i) {
            scene_step(&s);
            momenta(&s, &p, &l, &e);
            const double dp = kin_distance(p, p0) / (size + kin_length(p0)), dl = kin_distance(l, l0) / (size + kin_length(l0));
            if (!test_check(t, dp < 1e-6 && dl < 1e-6 && e < e0 * (1 + 1e-3), __FILE__, __LINE__,
                            "set %d, step %d: momenta off by %g and %g, energy %g of %g J", (int)k, i, dp, dl, e, e0))
                break;
        }
        scene_end(&s);
    }
}

TEST_MAIN("contact_realtime_joints", TEST(free_sets_keep_their_momenta), TEST(heavy_tops_precess), TEST(gimbals_hold_their_axis),
          TEST(swings_keep_their_energy), TEST(springs_swing_on), TEST(hinge_springs_swing_on), TEST(cars_drive))
