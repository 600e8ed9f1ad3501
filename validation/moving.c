/* moving.c - colliders moved by keys: a paddle that hits, one that turns, platforms that carry. The velocity of a surface is that of its screw path,
 * so for straight keys it is exact to the round-off of a difference of poses over h: 1e-12. */
#include "math/quat.h"
#include "math/scalar.h"
#include "validation/cases.h"
#include "validation/rig.h"
#include <math.h>
#include <stdio.h>

#define G 10.0

static kin_key key(double time, kin_vec3 position, kin_quat orientation) { return (kin_key){time, position, orientation}; }

/* ---- a paddle at v hits a ball at rest: it leaves at (1 + e) v, whatever its mass ---- */

static void paddle(kin_case_run* run, const char* method, double e)
{
    const double v = 2, h = 1.0 / 60;
    const kin_shape bat = {.kind = KIN_SHAPE_BOX, .size = {0.2, 1, 1}};
    kin_rig r = kin_rig_begin(run, method, h);
    r.def.gravity = kin_v(0, 0, 0);
    r.restitution = e;
    r.friction[0] = r.friction[1] = 0.5;
    r.group.radius = 0.1;
    kin_rig_open(&r);
    kin_rig_keyed(&r, &bat, (kin_key[]){key(0, kin_v(-1, 0, 0), kin_quat_identity()), key(2, kin_v(3, 0, 0), kin_quat_identity())}, 2);
    kin_rig_ball(&r, kin_v(0, 0, 0), kin_v(0, 0, 0)); /* met at t = 0.4, 24 steps */
    kin_rig_steps(&r, 60);
    char quantity[64];
    snprintf(quantity, sizeof quantity, "speed after a paddle at 2 m/s, e = %g", e);
    kin_case_row(run, method, quantity, kin_rig_v(&r).x, (1 + e) * v, 1e-12, "House & Keyser 3.2.1, moving wall");
    kin_case_row(run, method, "place after it (m)", kin_rig_x(&r).x, (1 + e) * v * 0.6, 1e-8, "House & Keyser 3.1.3: exact time of the hit"); /* skin */
    kin_rig_close(&r);
}

/* ---- a bat that turns at w: the ball leaves across its face at (1 + e) w rho, rho along the bat to where it touched ---- */

static void turning_paddle(kin_case_run* run, const char* method, double e)
{
    const double w = KIN_PI, half = 0.1, radius = 0.1, away = 1;
    const kin_shape bat = {.kind = KIN_SHAPE_BOX, .size = {4, 2 * half, 1}};
    kin_rig r = kin_rig_begin(run, method, 1.0 / 60);
    r.def.gravity = kin_v(0, 0, 0);
    r.restitution = e;
    r.group.radius = radius;
    kin_rig_open(&r);
    kin_quat quarter = kin_quat_axis_angle(kin_v(0, 0, 1), 0.5 * KIN_PI);
    kin_rig_keyed(&r, &bat, (kin_key[]){key(0, kin_v(0, 0, 0), kin_quat_identity()), key(0.5, kin_v(0, 0, 0), quarter)}, 2);
    kin_rig_ball(&r, kin_v(away * kin_cos(1), away * kin_sin(1), 0), kin_v(0, 0, 0));
    kin_rig_steps(&r, 29);
    double rho = kin_sqrt(away * away - (half + radius) * (half + radius));
    /* The place of a hit on a turning solid is found to 1e-6 m (particles/path.c), and with it rho. */
    kin_case_row(run, method, "speed after a turning bat", kin_length(kin_rig_v(&r)), (1 + e) * w * rho, (1 + e) * w * 1e-6, "rigid motion: w x r");
    kin_rig_close(&r);
}

/* ---- carried: a ball at rest on a platform moves with it ---- */

static void ride(kin_case_run* run, kin_vec3 velocity, const char* quantity)
{
    const double radius = 0.1;
    const kin_shape deck = {.kind = KIN_SHAPE_BOX, .size = {4, 0.2, 4}};
    kin_rig r = kin_rig_begin(run, "rk4", 1.0 / 60);
    r.friction[0] = r.friction[1] = 0.5;
    r.group.radius = radius;
    kin_rig_open(&r);
    kin_rig_keyed(&r, &deck, (kin_key[]){key(0, kin_v(0, 0, 0), kin_quat_identity()), key(10, kin_scale(velocity, 10), kin_quat_identity())}, 2);
    kin_rig_ball(&r, kin_v(0.3, 0.2 + 1e-6, 0.1), velocity);
    kin_rig_step(&r); /* sets it down */
    kin_vec3 off = kin_sub(kin_rig_x(&r), kin_scale(velocity, 1.0 / 60));
    kin_rig_steps(&r, 299);
    off = kin_sub(kin_sub(kin_rig_x(&r), kin_scale(velocity, 5)), off);
    kin_case_row(run, "rk4", quantity, kin_length(off), 0, 1e-9, "Coutinho 1.4.1: animated carries dynamic"); /* round-off of 300 rides, and a skin */
    kin_case_row(run, "rk4", "resting on it", kin_rig_resting(&r), 1, 0, "House & Keyser 3.3.2, relative to the surface");
    kin_rig_close(&r);
}

/* A ball set down on a belt at v slips until friction has brought it up to speed: v^2 / (2 mu g) behind. */
static void belt(kin_case_run* run)
{
    const double v = 2, mu = 0.4;
    const kin_shape deck = {.kind = KIN_SHAPE_BOX, .size = {40, 0.2, 4}};
    kin_rig r = kin_rig_begin(run, "rk4", 1.0 / 60);
    r.friction[0] = r.friction[1] = mu;
    r.group.radius = 0.1;
    kin_rig_open(&r);
    kin_rig_keyed(&r, &deck, (kin_key[]){key(0, kin_v(0, 0, 0), kin_quat_identity()), key(5, kin_v(5 * v, 0, 0), kin_quat_identity())}, 2);
    kin_rig_ball(&r, kin_v(0, 0.2 + 1e-6, 0), kin_v(0, 0, 0));
    kin_rig_steps(&r, 120);
    kin_case_row(run, "rk4", "slip on a belt at 2 m/s (m)", 2 * v - kin_rig_x(&r).x, v * v / (2 * mu * G), 1e-8, "Coulomb's law: v^2 / (2 mu g)");
    kin_case_row(run, "rk4", "speed on it then (m/s)", kin_rig_v(&r).x, v, 1e-12, "Coulomb's law");
    kin_rig_close(&r);
}

void kin_case_moving(kin_case_run* run)
{
    static const char* const methods[] = {"semi_implicit", "rk4"};
    for (int i = 0; i < 2; ++i) {
        paddle(run, methods[i], 0.5);
        paddle(run, methods[i], 1);
        turning_paddle(run, methods[i], 0.5);
    }
    ride(run, kin_v(1.5, 0, 0.5), "platform sideways: off its place (m)");
    ride(run, kin_v(0, 1, 0), "lift up: off its place (m)");
    ride(run, kin_v(0, -1, 0), "lift down: off its place (m)");
    belt(run);
}
