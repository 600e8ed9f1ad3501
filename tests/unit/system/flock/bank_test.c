/* bank_test.c - how a flying thing holds itself. */
#include "system/flock/bank.h"
#include "support/test.h"

static void axes_look_along_the_velocity(test* t)
{
    kin_quat q = kin_heading_orientation(kin_v(0, 0, 3), kin_v(0, 2, 0), 0); /* as the model is made */
    NEAR3(t, kin_rotate(q, kin_v(1, 2, 3)), kin_v(1, 2, 3), 1e-15);
    kin_vec3 v = {1, 0.5, -2};
    q = kin_heading_orientation(v, kin_v(0, 1, 0), 0);
    kin_vec3 up = kin_rotate(q, kin_axis(1));
    NEAR3(t, kin_rotate(q, kin_axis(2)), kin_normalize_or(v, kin_axis(0)), 1e-15);
    NEAR(t, kin_dot(up, v), 0, 1e-15);
    NEAR(t, kin_rotate(q, kin_axis(0)).y, 0, 1e-15); /* wings level */
    CHECK(t, up.y > 0);
}

/* A level curve: lift along the model's up carries the weight and gives the curve; tan phi = |a_T| / g. */
static void level_turn_banks_by_its_acceleration(test* t)
{
    double g = 9.81;
    for (int i = -4; i <= 4; ++i) {
        kin_vec3 v = {0, 0, 20}, a = {-1.7 * i, 0, 3}; /* to the right for i > 0; speeding up is no matter */
        kin_heading h = kin_heading_of(v, kin_v(0, 1, 0));
        double phi = kin_bank_angle(&h, a, 1 / g);
        NEAR(t, kin_tan(phi), 1.7 * i / g, 1e-14);
        kin_vec3 lift = kin_rotate(kin_heading_orientation(v, kin_v(0, 1, 0), phi), kin_axis(1)), needed = {a.x, g, 0};
        NEAR3(t, lift, kin_normalize_or(needed, kin_axis(0)), 1e-14);
    }
}

/* The opposite curve banks the other way and leaves up where it was. */
static void opposite_turns_mirror(test* t)
{
    kin_heading h = kin_heading_of(kin_v(3, 0, 0), kin_v(0, 1, 0));
    NEAR(t, kin_bank_angle(&h, kin_v(0, 0, 2), 0.1), -kin_bank_angle(&h, kin_v(0, 0, -2), 0.1), 0);
    CHECK(t, kin_bank_angle(&h, kin_v(0, 0, 2), 0.1) > 0);
    NEAR(t, kin_bank_angle(&h, kin_v(5, 0, 0), 0.1), 0, 0); /* a along v */
    NEAR3(t, h.up, kin_v(0, 1, 0), 0);
}

static void smoothing_closes_in(test* t)
{
    double average = 0;
    for (int i = 0; i < 10; ++i) average = kin_bank_smooth(average, 1, 0.25);
    NEAR(t, average, 1 - kin_pow(0.75, 10), 1e-15);
    NEAR(t, kin_bank_smooth(0.3, 0.7, 1), 0.7, 0);
}

/* Straight up, straight down and at rest there are axes all the same. */
static void degenerate_headings_have_axes(test* t)
{
    const kin_vec3 velocities[] = {{0, 5, 0}, {0, -5, 0}, {0, 0, 0}, {1e-12, 5, 0}, {1e-200, 0, 0}};
    for (int i = 0; i < 5; ++i) {
        kin_heading h = kin_heading_of(velocities[i], kin_v(0, 1, 0));
        NEAR(t, kin_length(h.forward), 1, 1e-14);
        NEAR(t, kin_length(h.up), 1, 1e-14);
        NEAR(t, kin_dot(h.forward, h.up), 0, 1e-14);
        NEAR3(t, kin_cross(h.forward, h.up), h.right, 1e-14);
        kin_quat q = kin_heading_orientation(velocities[i], kin_v(0, 1, 0), 0.4);
        NEAR(t, kin_quat_length(q), 1, 1e-14);
        NEAR3(t, kin_rotate(q, kin_axis(2)), h.forward, 1e-14);
    }
    CHECK(t, kin_finite3(kin_heading_of(kin_v(0, 0, 0), kin_v(0, 0, 0)).up));
}

/* Through a loop, up handed on turns no more than the velocity does; the world's up would flip at the top. */
static void persistent_up_never_jumps(test* t)
{
    kin_vec3 up = {0, 1, 0};
    for (int i = 1; i <= 200; ++i) {
        double s = 2 * KIN_PI * i / 200;
        kin_heading h = kin_heading_of(kin_v(0, kin_sin(s), kin_cos(s)), up);
        CHECK(t, kin_distance(h.up, up) < 1.001 * 2 * KIN_PI / 200);
        up = h.up;
    }
    NEAR3(t, up, kin_v(0, 1, 0), 1e-12); /* all the way round */
}

/* Directions that go once round a cone of half-angle a: what is carried along comes back turned by the solid angle inside, 2 pi (1 - cos a) (Gauss and Bonnet). With n steps
 * the polygon on the sphere has another solid angle by O(1 / n^2). */
static void carried_up_turns_by_the_solid_angle(test* t)
{
    for (int k = 1; k <= 5; ++k) {
        double a = 0.25 * k, errors[2];
        for (int fine = 0; fine < 2; ++fine) {
            int n = fine ? 400 : 200;
            kin_vec3 from = kin_v(kin_sin(a), kin_cos(a), 0), first = kin_heading_of(from, kin_v(0, 1, 0)).up, up = first;
            kin_vec3 begin = from;
            for (int i = 1; i <= n; ++i) {
                double s = 2 * KIN_PI * i / n;
                kin_vec3 to = i == n ? begin : kin_v(kin_sin(a) * kin_cos(s), kin_cos(a), kin_sin(a) * kin_sin(s));
                up = kin_heading_carry(up, kin_scale(from, 3), kin_scale(to, 7));
                NEAR(t, kin_dot(up, to), 0, 1e-13);
                NEAR(t, kin_length(up), 1, 1e-13);
                from = to;
            }
            errors[fine] = kin_abs(kin_dot(up, first) - kin_cos(2 * KIN_PI * (1 - kin_cos(a))));
        }
        CHECK(t, errors[0] < 4e-3 && (errors[1] < 0.27 * errors[0] || errors[1] < 1e-6));
    }
}

/* A bounce straight back leaves up where it is; without a direction nothing changes. */
static void reversals_keep_up(test* t)
{
    kin_vec3 up = kin_heading_carry(kin_v(0, 1, 0), kin_v(1, 0, 0.2), kin_v(-1, 0, -0.2));
    NEAR3(t, up, kin_v(0, 1, 0), 1e-15);
    NEAR3(t, kin_heading_carry(up, kin_v(1, 0, 0), kin_v(0, 0, 0)), up, 0);
    NEAR3(t, kin_heading_carry(up, kin_v(0, 0, 0), kin_v(1, 0, 0)), up, 1e-15);
}

TEST_MAIN("bank", TEST(axes_look_along_the_velocity), TEST(level_turn_banks_by_its_acceleration), TEST(opposite_turns_mirror), TEST(smoothing_closes_in),
          TEST(degenerate_headings_have_axes), TEST(persistent_up_never_jumps), TEST(carried_up_turns_by_the_solid_angle), TEST(reversals_keep_up))
