/* contacts_test.c - what contacts report: forces of a stack are its weight, friction of a slide is mu N against the slip, a hit's impulse is what it does to the
 * momentum; per body they add up to the change of its momenta, whatever the shapes; from C, from scripts, after a restore. Both modes. */
#include "base/rng.h"
#include "kinema/rigid.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "support/test.h"
#include "support/world.h"

#define G 9.81
#define DT (1.0 / 60)

typedef struct place {
    kin_world* world;
    kin_system_id system;
    kin_material_id material;
} place;

static place begin(test* t, kin_rigid_mode mode, double h, kin_vec3 gravity, double e, double mu, bool sleeps)
{
    place p = {.world = test_world(t, h, gravity)};
    kin_rigid_def rigid = kin_rigid_def_default();
    rigid.mode = mode;
    rigid.report_contacts = true;
    rigid.sleep = sleeps;
    CHECK(t, kin_rigid_create(p.world, &rigid, &p.system, NULL) == KIN_OK);
    p.material = test_material(t, p.world, "m", e, mu);
    return p;
}

static kin_vec3 load(test* t, const place* p, uint32_t body, kin_vec3* torque)
{
    kin_vec3 force, none;
    CHECK(t, kin_rigid_contact_load(p->world, p->system, body, &force, torque != NULL ? torque : &none));
    return force;
}

static const kin_shape cube = {.kind = KIN_SHAPE_BOX, .size = {1, 1, 1}};

/* Five boxes of 1 to 5 kg: each joint of the stack carries all above it; in real time also when it sleeps, as in the last substep before. */
static void a_stack_weighs_what_it_weighs(test* t)
{
    enum { COUNT = 5 };
    for (int run = 0; run < 3; ++run) {
        const bool exact = run == 1, sleeps = run == 2;
        place p = begin(t, exact ? KIN_RIGID_EXACT : KIN_RIGID_REALTIME, DT, kin_v(0, -G, 0), 0, 0.5, sleeps);
        test_plane(t, p.world, kin_v(0, 0, 0), kin_v(0, 1, 0), p.material);
        for (int i = 0; i < COUNT; ++i) test_plain_body(t, p.world, p.system, p.material, cube, COUNT - i, kin_v(0, 0.5 + i, 0), kin_v(0, 0, 0));
        test_steps(t, p.world, exact ? 3 : 400);
        double above = 0, floor = 0;
        for (uint32_t i = COUNT; i-- > 0;) {
            const double weight = (COUNT - (double)i) * G;
            NEAR(t, load(t, &p, i, NULL).y, weight, 1e-3 * weight);
            above += weight;
        }
        size_t count;
        const kin_body_contact* all = kin_world_contacts(p.world, &count);
        for (size_t i = 0; i < count; ++i) floor += all[i].b.system == 0 ? all[i].impulse / DT : 0;
        NEAR(t, floor, above, 1e-3 * above);
        EQUAL(t, kin_rigid_state(p.world, p.system, 0).awake, !sleeps);
        kin_world_destroy(p.world);
    }
}

static void a_slide_rubs_by_mu_against_the_slip(test* t)
{
    for (int mode = 0; mode < 2; ++mode) {
        for (int i = 0; i < 6; ++i) {
            const double yaw = 0.3 * i, mu = 0.2 + 0.1 * i;
            const kin_vec3 way = kin_rotate(kin_quat_axis_angle(kin_v(0, 1, 0), yaw), kin_v(1, 0, 0));
            place p = begin(t, (kin_rigid_mode)mode, DT, kin_v(0, -G, 0), 0, mu, false);
            test_plane(t, p.world, kin_v(0, 0, 0), kin_v(0, 1, 0), p.material);
            const uint32_t b = test_plain_body(t, p.world, p.system, p.material, (kin_shape){.kind = KIN_SHAPE_BOX, .size = {1, 0.2, 0.6}}, 3, kin_v(0, 0.1, 0),
                                               kin_scale(way, 6));
            test_steps(t, p.world, 10);
            const kin_vec3 force = load(t, &p, b, NULL), want = kin_add(kin_scale(way, -mu * 3 * G), kin_v(0, 3 * G, 0));
            if (!NEAR3(t, force, want, 0.01 * 3 * G)) test_check(t, false, __FILE__, __LINE__, "mode %d, yaw %g", mode, yaw);
            kin_world_destroy(p.world);
        }
    }
}

/* m (1 + e) v; and nothing in the steps before and after. */
static void a_hit_has_its_impulse(test* t)
{
    for (int mode = 0; mode < 2; ++mode) {
        for (int i = 0; i < 5; ++i) {
            const double e = 0.25 * i, v = 3 + i;
            place p = begin(t, (kin_rigid_mode)mode, DT, kin_v(0, 0, 0), e, 0, false);
            test_plane(t, p.world, kin_v(0, 0, 0), kin_v(0, 1, 0), p.material);
            const uint32_t b =
                test_plain_body(t, p.world, p.system, p.material, (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 0.5}, 2, kin_v(0, 1, 0), kin_v(0, -v, 0));
            double sum = 0;
            int hits = 0;
            for (int k = 0; k < 30; ++k) {
                test_steps(t, p.world, 1);
                const double f = load(t, &p, b, NULL).y;
                sum += f * DT, hits += f > 0.01 * v / DT;
            }
            NEAR(t, sum, 2 * (1 + e) * v, 0.01 * 2 * (1 + e) * v);
            CHECK(t, hits <= 2); /* real time stops it where the step ends, and lets it bounce in the next */
            kin_world_destroy(p.world);
        }
    }
}

static double draw(uint64_t seed, int i, double low, double high) { return kin_rng_uniform(&(kin_rng_key){.seed = seed, .serial = (uint64_t)i}, 0, low, high); }

/* Six bodies of all shapes tumble over each other in a closed room: the force that is reported is the change of momentum, less weight; in floats. */
static void loads_are_changes_of_momentum(test* t)
{
    enum { COUNT = 6 };
    const kin_shape shapes[COUNT] = {{.kind = KIN_SHAPE_SPHERE, .radius = 0.4},
                                     {.kind = KIN_SHAPE_BOX, .size = {0.8, 0.5, 0.6}},
                                     {.kind = KIN_SHAPE_CAPSULE, .radius = 0.25, .length = 0.5},
                                     {.kind = KIN_SHAPE_CYLINDER, .radius = 0.3, .length = 0.7},
                                     {.kind = KIN_SHAPE_CONE, .radius = 0.4, .length = 0.7},
                                     {.kind = KIN_SHAPE_ELLIPSOID, .semi_axes = {0.5, 0.35, 0.25}}};
    for (uint64_t seed = 0; seed < 8; ++seed) {
        place p = begin(t, KIN_RIGID_REALTIME, DT, kin_v(0, -G, 0), draw(seed, 90, -0.3, 0.8) > 0 ? 0.5 : 0, 0.4, false);
        for (int k = 0; k < 6; ++k) {
            const kin_vec3 n = kin_scale(kin_axis(k / 2), k % 2 ? 1 : -1);
            test_plane(t, p.world, kin_scale(n, -1.3), n, p.material);
        }
        for (int i = 0; i < COUNT; ++i) {
            const kin_vec3 at = {0.9 * (i % 3) - 0.9, 0.9 * (i / 3) - 0.6, draw(seed, i, -0.3, 0.3)};
            test_plain_body(t, p.world, p.system, p.material, shapes[i], 1 + i, at, kin_v(draw(seed, 10 + i, -4, 4), draw(seed, 20 + i, -4, 4), 0));
        }
        for (int k = 0; k < 90; ++k) {
            kin_vec3 before[COUNT], sum = {0, 0, 0};
            double size = 0;
            for (uint32_t i = 0; i < COUNT; ++i) before[i] = kin_rigid_state(p.world, p.system, i).velocity;
            test_steps(t, p.world, 1);
            bool ok = true;
            for (uint32_t i = 0; i < COUNT; ++i) {
                const double m = 1 + (double)i;
                const kin_vec3 change = kin_add(kin_scale(kin_sub(kin_rigid_state(p.world, p.system, i).velocity, before[i]), m), kin_v(0, m * G * DT, 0));
                ok &= NEAR3(t, kin_scale(load(t, &p, i, NULL), DT), change, 1e-4 * m);
                size += m;
            }
            size_t count;
            const kin_body_contact* all = kin_world_contacts(p.world, &count);
            for (size_t i = 0; i < count; ++i) { /* third law: what bodies do to each other leaves the walls' share */
                if (all[i].b.system == 0) sum = kin_add(sum, kin_add_scaled(all[i].friction, all[i].impulse, all[i].normal));
            }
            kin_vec3 whole = {0, 0, 0};
            for (uint32_t i = 0; i < COUNT; ++i) whole = kin_add(whole, kin_scale(load(t, &p, i, NULL), DT));
            ok &= NEAR3(t, sum, whole, 1e-6 * size);
            if (!test_check(t, ok, __FILE__, __LINE__, "seed %d, step %d", (int)seed, k)) break;
        }
        kin_world_destroy(p.world);
    }
}

/* Torque about the centre: a box on its edge tips over by what its corner gives. Exact mode, to its tolerance; what angular momentum gains in a step. */
static void torques_are_changes_of_angular_momentum(test* t)
{
    for (int mode = 0; mode < 2; ++mode) {
        place p = begin(t, (kin_rigid_mode)mode, DT, kin_v(0, -G, 0), 0, 0.8, false);
        test_plane(t, p.world, kin_v(0, 0, 0), kin_v(0, 1, 0), p.material);
        const double lean = 0.3;
        kin_body_def def = kin_body_def_default();
        def.shape = cube;
        def.mass = 2;
        def.material = p.material;
        def.orientation = kin_quat_axis_angle(kin_v(0, 0, 1), lean);
        def.position = kin_v(0, 0.5 * (kin_sin(lean) + kin_cos(lean)), 0);
        const uint32_t b = test_body(t, p.world, p.system, &def);
        test_steps(t, p.world, 4);
        const double before = kin_rigid_state(p.world, p.system, b).spin.z;
        test_steps(t, p.world, 1);
        const double after = kin_rigid_state(p.world, p.system, b).spin.z;
        kin_vec3 torque;
        load(t, &p, b, &torque);
        /* Points are reported where they are at the end of the step, and act at arms as it began (real time) or in its middle: the spin times a step is an angle. */
        NEAR(t, torque.z * DT, 2.0 / 6 * (after - before), kin_abs(after * DT) * 2 * G * 0.71 * DT);
        kin_world_destroy(p.world);
    }
}

static void nothing_is_kept_unasked(test* t)
{
    kin_world* w = test_world(t, DT, kin_v(0, -G, 0));
    kin_rigid_def rigid = kin_rigid_def_default();
    kin_system_id system;
    size_t count;
    kin_vec3 force, torque;
    CHECK(t, kin_rigid_create(w, &rigid, &system, NULL) == KIN_OK);
    kin_material_id m = test_material(t, w, "m", 0, 0.5);
    test_plane(t, w, kin_v(0, 0, 0), kin_v(0, 1, 0), m);
    test_plain_body(t, w, system, m, cube, 1, kin_v(0, 0.5, 0), kin_v(0, 0, 0));
    test_steps(t, w, 3);
    kin_world_contacts(w, &count);
    EQUAL(t, count, 0);
    CHECK(t, !kin_rigid_contact_load(w, system, 0, &force, &torque));
    kin_world_destroy(w);
}

/* A clone has them too: scripts see them. */
static void contacts_are_state(test* t)
{
    for (int mode = 0; mode < 2; ++mode) {
        place p = begin(t, (kin_rigid_mode)mode, DT, kin_v(0, -G, 0), 0, 0.5, true);
        test_plane(t, p.world, kin_v(0, 0, 0), kin_v(0, 1, 0), p.material);
        for (int i = 0; i < 3; ++i) test_plain_body(t, p.world, p.system, p.material, cube, 2, kin_v(0.1 * i, 0.5 + i, 0), kin_v(0, 0, 0));
        test_steps(t, p.world, 5);
        kin_world* clone = NULL;
        CHECK(t, kin_world_clone(p.world, &clone, NULL) == KIN_OK);
        for (int k = 0; clone != NULL && k < 3; ++k) {
            size_t here, there;
            const kin_body_contact *x = kin_world_contacts(p.world, &here), *y = kin_world_contacts(clone, &there);
            CHECK(t, here > 0 && here == there);
            for (size_t i = 0; i < here && i < there; ++i) {
                CHECK(t, x[i].impulse == y[i].impulse && x[i].count == y[i].count && x[i].a.element == y[i].a.element && x[i].b.system == y[i].b.system);
                NEAR3(t, x[i].friction, y[i].friction, 0);
            }
            EQUAL(t, kin_world_state_hash(p.world), kin_world_state_hash(clone));
            test_steps(t, p.world, 1), test_steps(t, clone, 1);
        }
        kin_world_destroy(clone);
        kin_world_destroy(p.world);
    }
}

TEST_MAIN("laws/contacts", TEST(a_stack_weighs_what_it_weighs), TEST(a_slide_rubs_by_mu_against_the_slip), TEST(a_hit_has_its_impulse),
          TEST(loads_are_changes_of_momentum), TEST(torques_are_changes_of_angular_momentum), TEST(nothing_is_kept_unasked), TEST(contacts_are_state))
