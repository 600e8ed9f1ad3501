/* rest.c - coming to rest and staying, and what must not rest (House & Keyser 3.3.2). */
#include "math/quat.h"
#include "math/scalar.h"
#include "validation/cases.h"
#include "validation/rig.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define G 10.0

/* ---- balls in a box ---- */

static kin_vec3* positions(const kin_rig* r)
{
    size_t count = kin_rig_count(r);
    kin_vec3* x = calloc(count + 1, sizeof *x);
    for (size_t i = 0; x != NULL && i < count; ++i) x[i] = kin_rig_x_at(r, i);
    return x;
}

/* Farthest that any has come from where it was; 0 means bit for bit where it was. NAN: out of memory. */
static double farthest(const kin_rig* r, const kin_vec3* was)
{
    double most = was != NULL && kin_rig_ok(r) ? 0 : NAN;
    for (size_t i = 0; was != NULL && i < kin_rig_count(r); ++i) most = kin_max(most, kin_distance(was[i], kin_rig_x_at(r, i)));
    return most;
}

static void settle(kin_case_run* run, const char* method, kin_quat turn, int64_t balls, double e, double seconds)
{
    kin_rig r = kin_rig_begin(run, method, 1.0 / 60);
    r.restitution = e;
    r.friction[0] = r.friction[1] = 0.3;
    r.dynamic_friction[0] = r.dynamic_friction[1] = 0.25;
    r.group.radius = 0.05;
    r.group.velocity = kin_v(1, 2, -1.5);
    kin_rig_open(&r);
    kin_rig_room(&r, kin_v(1, 1, 1), turn);
    kin_rig_balls(&r, balls, kin_v(0, 0, 0), kin_v(1.2, 1.2, 1.2), kin_v(2, 2, 2));
    kin_rig_steps(&r, (int64_t)(60 * seconds));
    kin_case_row(run, method, balls == 1 ? "one ball: at rest after it" : "200 balls: at rest after it", kin_rig_measure(&r, "resting"), (double)balls, 0,
                 "House & Keyser 3.3.2");
    kin_case_row(run, method, "kinetic energy then (J)", kin_rig_measure(&r, "kinetic_energy"), 0, 0, "House & Keyser 3.3.2");
    kin_vec3* was = positions(&r);
    kin_rig_steps(&r, run->full ? 36000 : 600);
    kin_case_row(run, method, "farthest move after that (m)", farthest(&r, was), 0, 0, "House & Keyser 3.3.2: no jitter");
    kin_case_row(run, method, "kinetic energy at the end (J)", kin_rig_measure(&r, "kinetic_energy"), 0, 0, "House & Keyser 3.3.2");
    free(was);
    kin_rig_close(&r);
}

void kin_case_box(kin_case_run* run)
{
    static const char* const methods[] = {"semi_implicit", "average", "midpoint", "heun", "rk4", "verlet", "velocity_verlet", "leapfrog"};
    kin_quat upright = kin_quat_identity(), tilted = kin_quat_axis_angle(kin_v(1, 0, 0.5), 0.15); /* floor flatter than friction holds */
    for (int i = 0; i < 8; ++i) {
        settle(run, methods[i], upright, 1, 0.6, 20);
        settle(run, methods[i], upright, 200, 0.6, 20);
    }
    settle(run, "rk4", tilted, 200, 0.6, 30);
    settle(run, "rk4", kin_quat_axis_angle(kin_v(1, 2, 3), 0.8), 200, 0.5, 30); /* into edges and a corner */
}

/* ---- what must not rest: no surface holds it against gravity, so it falls g t^2 / 2 ---- */

static void falls(kin_case_run* run, const char* method, kin_vec3 wall, kin_vec3 normal, kin_vec3 start, kin_vec3 v, const char* quantity)
{
    const double h = 0.01, t = 0.5;
    kin_rig r = kin_rig_begin(run, method, h);
    r.friction[0] = r.friction[1] = 1;
    r.group.radius = 0.1;
    kin_rig_open(&r);
    kin_rig_plane(&r, wall, normal);
    kin_rig_ball(&r, start, v);
    int rested = 0;
    for (int i = 0; i < 50; ++i) {
        kin_rig_step(&r);
        rested += kin_rig_resting(&r);
    }
    double way = start.y - kin_rig_x(&r).y, want = -v.y * t + 0.5 * G * t * t;
    double bound = strcmp(method, "semi_implicit") == 0 ? 0.5 * G * h * t : 2e-9; /* P4: g k h^2 / 2; else the skin */
    kin_case_row(run, method, quantity, way, want, bound + 1e-12, "House & Keyser 3.3.2");
    kin_case_row(run, method, "steps it was called resting", rested, 0, 0, "House & Keyser 3.3.2");
    kin_rig_close(&r);
}

void kin_case_no_rest(kin_case_run* run)
{
    static const char* const methods[] = {"semi_implicit", "average", "rk4", "verlet"};
    for (int i = 0; i < 4; ++i) {
        falls(run, methods[i], kin_v(0, -9, 0), kin_v(0, 1, 0), kin_v(0, 0, 0), kin_v(0, 0, 0), "apex, far above the floor: fall (m)");
        falls(run, methods[i], kin_v(0, -9, 0), kin_v(0, 1, 0), kin_v(0, 0, 0), kin_v(0, 2, 0), "thrown up, over its apex: fall (m)");
        falls(run, methods[i], kin_v(-0.1 - 1e-6, 0, 0), kin_v(1, 0, 0), kin_v(0, 0, 0), kin_v(0, 0, 0), "beside a wall: fall (m)");
        falls(run, methods[i], kin_v(0, 0.1 + 1e-6, 0), kin_v(0, -1, 0), kin_v(0, 0, 0), kin_v(0, 0, 0), "under a ceiling: fall (m)");
    }
}
