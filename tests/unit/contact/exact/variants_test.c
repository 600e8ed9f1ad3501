/* variants_test.c - other responses: springs in shells without going back (X1.2, C4.14 Ex3), response by depth with the whole step again (G12.4), and ticks that
 * see what is thin (X1.3). */
#include "unit/contact/exact/rig.h"

static kin_rigid_def variant(int response)
{
    kin_rigid_def def = rig_def();
    def.response = response;
    def.max_events = 20;
    return def;
}

/* Ex3: what comes with any speed and mass is stopped within the shell and gives back e^2 of its energy. */
static void springs_stop_what_comes(test* t)
{
    const double speeds[3] = {0.5, 5, 50}, masses[2] = {0.1, 1000};
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 2; ++k) {
            rig r;
            rig_begin(&r, t, variant(KIN_EXACT_PENALTY));
            r.fields.gravity = kin_v(0, 0, 0);
            kin_material_id m = rig_material(&r, 0.7, 0, 0);
            rig_box(&r, m, 0, kin_v(4, 1, 4), kin_v(0, -0.5, 0), kin_quat_identity());
            uint32_t ball = rig_ball(&r, m, masses[k], 0.5, kin_v(0, 0.5 + 0.1, 0));
            rig_body(&r, ball)->velocity = kin_v(0, -speeds[i], 0);
            double lowest = 1;
            for (int s = 0; s < 40; ++s) {
                rig_step(&r, s < 20 ? 0.01 : 0.02);
                lowest = kin_min(lowest, rig_body(&r, ball)->position.y);
            }
            CHECK(t, lowest > 0.5 - 1e-3);
            NEAR(t, rig_body(&r, ball)->velocity.y / speeds[i], 0.7, 0.06);
            rig_end(&r);
        }
    }
}

/* Rests within its shell, without jitter and without sinking; a pile of three too. */
static void springs_carry_a_pile(test* t)
{
    rig r;
    rig_begin(&r, t, variant(KIN_EXACT_PENALTY));
    kin_material_id m = rig_material(&r, 0.2, 0.5, 0.5);
    rig_box(&r, m, 0, kin_v(4, 1, 4), kin_v(0, -0.5, 0), kin_quat_identity());
    for (int i = 0; i < 3; ++i) rig_box(&r, m, 2, kin_v(1, 1, 1), kin_v(0, 0.5 + 1.01 * i + 0.01, 0), kin_quat_identity());
    rig_steps(&r, 120, 1.0 / 60);
    kin_vec3 at[3];
    for (uint32_t i = 0; i < 3; ++i) at[i] = rig_body(&r, 1 + i)->position;
    rig_steps(&r, 60, 1.0 / 60);
    for (uint32_t i = 0; i < 3; ++i) {
        NEAR3(t, rig_body(&r, 1 + i)->position, at[i], 1e-3);
        CHECK(t, at[i].y > 0.5 + i - 2e-3 && at[i].y < 0.5 + i + 0.01 * (i + 1) + 1e-3);
        CHECK(t, kin_length(rig_body(&r, 1 + i)->velocity) < 0.02);
    }
    rig_end(&r);
}

static void springs_give_friction(test* t)
{
    rig r;
    rig_begin(&r, t, variant(KIN_EXACT_PENALTY));
    kin_material_id m = rig_material(&r, 0, 0.3, 0.3);
    rig_box(&r, m, 0, kin_v(10, 1, 4), kin_v(0, -0.5, 0), kin_quat_identity());
    uint32_t box = rig_box(&r, m, 2, kin_v(1, 0.4, 1), kin_v(0, 0.2 + 0.003, 0), kin_quat_identity());
    rig_body(&r, box)->velocity = kin_v(2, 0, 0);
    rig_steps(&r, 60, 1.0 / 60);
    NEAR(t, rig_body(&r, box)->position.x, 4 / 6.0, 0.03);
    CHECK(t, kin_abs(rig_body(&r, box)->velocity.x) < 0.02);
    rig_end(&r);
}

/* Two free balls: springs keep momentum to the last digits. */
static void springs_keep_momentum(test* t)
{
    rig r;
    rig_begin(&r, t, variant(KIN_EXACT_PENALTY));
    r.fields.gravity = kin_v(0, 0, 0);
    kin_material_id m = rig_material(&r, 1, 0, 0);
    uint32_t a = rig_ball(&r, m, 1, 0.5, kin_v(-1.2, 0.2, 0)), b = rig_ball(&r, m, 3, 0.5, kin_v(0, 0, 0));
    rig_body(&r, a)->velocity = kin_v(3, 0, 0);
    double energy = rig_kinetic(&r);
    rig_steps(&r, 40, 1.0 / 60);
    NEAR3(t, rig_momentum(&r), kin_v(3, 0, 0), 1e-10);
    NEAR(t, rig_kinetic(&r) / energy, 1, 1e-2);
    CHECK(t, rig_body(&r, b)->velocity.x > 0.5);
    rig_end(&r);
}

/* ---- by depth ---- */

static void depth_bounces_a_ball(test* t)
{
    rig r;
    rig_begin(&r, t, variant(KIN_EXACT_FIELDS));
    kin_material_id m = rig_material(&r, 0.5, 0, 0);
    rig_floor(&r, m);
    uint32_t ball = rig_ball(&r, m, 1, 0.5, kin_v(0, 1.75, 0));
    double highest = 0, lowest = 9;
    for (int i = 0; i < 120; ++i) {
        EQUAL(t, rig_step(&r, 1.0 / 60), KIN_STATUS_OK);
        lowest = kin_min(lowest, rig_body(&r, ball)->position.y);
        if (i > 30 && rig_body(&r, ball)->velocity.y < 0) highest = kin_max(highest, rig_body(&r, ball)->position.y);
    }
    CHECK(t, lowest > 0.5 - 1e-5); /* it ends no step inside */
    NEAR(t, highest - 0.5, 0.25 * 1.25, 0.15);
    rig_end(&r);
}

/* A box on a terrain given as a field: rests within what gravity does in a step, and slides nowhere. */
static void depth_rests_on_a_field(test* t)
{
    static const kin_vec3 corners[8] = {{-2, -1, -2}, {2, -1, -2}, {2, 0, -2}, {-2, 0, -2}, {-2, -1, 2}, {2, -1, 2}, {2, 0, 2}, {-2, 0, 2}};
    static const uint32_t faces[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}, {0, 1, 5}, {0, 5, 4},
                                          {3, 6, 2}, {3, 7, 6}, {0, 4, 7}, {0, 7, 3}, {1, 2, 6}, {1, 6, 5}};
    rig r;
    rig_begin(&r, t, variant(KIN_EXACT_FIELDS));
    kin_material_id m = rig_material(&r, 0, 0.5, 0.5);
    kin_shape ground = {.kind = KIN_SHAPE_FIELD, .resolution = 16, .mesh = {.vertices = corners, .vertex_count = 8, .corners = faces[0], .face_count = 12}};
    rig_add(&r, rig_form(&r, ground), m, 0, kin_v(0, 0, 0), kin_quat_identity());
    uint32_t box = rig_box(&r, m, 1, kin_v(0.6, 0.6, 0.6), kin_v(0.1, 0.5, 0.2), kin_quat_identity());
    rig_steps(&r, 90, 1.0 / 60);
    NEAR(t, rig_body(&r, box)->position.y, 0.3, 0.02);
    NEAR(t, rig_body(&r, box)->position.x, 0.1, 0.02);
    CHECK(t, kin_length(rig_body(&r, box)->velocity) < 1);
    rig_end(&r);
}

static void depth_keeps_momentum(test* t)
{
    rig r;
    rig_begin(&r, t, variant(KIN_EXACT_FIELDS));
    r.fields.gravity = kin_v(0, 0, 0);
    kin_material_id m = rig_material(&r, 1, 0, 0);
    uint32_t a = rig_ball(&r, m, 1, 0.5, kin_v(-1.3, 0, 0)), b = rig_ball(&r, m, 1, 0.5, kin_v(0, 0, 0));
    rig_body(&r, a)->velocity = kin_v(3, 0, 0);
    rig_steps(&r, 30, 1.0 / 60);
    NEAR3(t, rig_momentum(&r), kin_v(3, 0, 0), 1e-12);
    NEAR(t, rig_body(&r, b)->velocity.x, 3, 1e-9); /* they swap */
    rig_end(&r);
}

TEST_MAIN("contact/exact/variants", TEST(springs_stop_what_comes), TEST(springs_carry_a_pile), TEST(springs_give_friction), TEST(springs_keep_momentum),
          TEST(depth_bounces_a_ball), TEST(depth_rests_on_a_field), TEST(depth_keeps_momentum))
