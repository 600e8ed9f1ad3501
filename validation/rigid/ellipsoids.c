/* ellipsoids.c - ellipsoids on a floor: rocking about their flattest place, rolling, and what they keep. */
#include "math/quat.h"
#include "validation/cases.h"
#include "validation/rigid/rig.h"
#include <math.h>

static uint32_t add_ellipsoid(kin_yard* y, kin_vec3 half, kin_vec3 position, kin_quat orientation, kin_vec3 velocity, kin_vec3 spin)
{
    kin_body_def def = y->body;
    def.shape = (kin_shape){.kind = KIN_SHAPE_ELLIPSOID, .semi_axes = half};
    def.position = position, def.orientation = orientation, def.velocity = velocity, def.spin = spin;
    return kin_yard_add(y, &def);
}

static kin_yard open_floor(kin_case_run* run, kin_rigid_mode mode, double h, double friction)
{
    kin_yard y = kin_yard_begin(run, mode, h);
    y.friction = friction;
    kin_yard_open(&y);
    kin_yard_plane(&y, (kin_vec3){0, 0, 0}, (kin_vec3){0, 1, 0});
    return y;
}

/* Height of the centre over a floor: how far the surface reaches down. */
static double height_of(kin_vec3 half, kin_quat turn) { return kin_length(kin_mul(half, kin_unrotate(turn, kin_v(0, 1, 0)))); }

static double lean(const kin_yard* y) { return kin_rotate(kin_yard_state(y, 0).pose.orientation, kin_v(1, 0, 0)).y; }

/* One period after the release at a small lean: rolling without slip about the centre of curvature, w^2 = m g (r - c) / (I + m c^2), r = a^2 / c. */
static double rate_of(kin_vec3 a) { return sqrt(9.81 * (a.x * a.x - a.y * a.y) / a.y / ((a.x * a.x + a.y * a.y) / 5 + a.y * a.y)); }

static double rocking(kin_case_run* run, kin_rigid_mode mode, kin_vec3 half)
{
    const double period = 2 * KIN_PI / rate_of(half);
    kin_yard y = open_floor(run, mode, period / 200, 1);
    const kin_quat turn =
        kin_quat_axis_angle(kin_v(0, 0, 1), 0.02 * half.y * half.y / (half.x * half.x)); /* its foot goes a fiftieth of the least axis at most */
    add_ellipsoid(&y, half, kin_v(0, height_of(half, turn), 0), turn, kin_v(0, 0, 0), kin_v(0, 0, 0));
    const double first = kin_yard_time_of(&y, lean, 2 * period);
    (void)kin_yard_time_of(&y, lean, 2 * period);
    const double third = kin_yard_time_of(&y, lean, 2 * period);
    kin_yard_close(&y);
    return (third - first) / period;
}

/* Steps of a 200th of a period: crossings are found on chords, (2 pi / 200)^2 / 8 of a step off, and amplitude counts by its square. Contacts of real time are soft, and
 * stay where they are for a step. */
static void rock(kin_case_run* run)
{
    const kin_vec3 shapes[] = {{1, 0.5, 0.7}, {0.3, 0.2, 0.25}, {0.002, 0.001, 0.001}, {300, 200, 100}, {0.5, 0.45, 3}, {2, 0.1, 1}};
    for (int m = 0; m < 2; ++m) {
        double worst = 0;
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
            const double off = rocking(run, m ? KIN_RIGID_EXACT : KIN_RIGID_REALTIME, shapes[i]) - 1;
            worst = off == off ? fmax(worst, fabs(off)) : NAN;
        }
        kin_case_row(run, m ? "exact" : "realtime", "period of rocking, six ellipsoids of 1 mm to 300 m, relative", worst, 0, m ? 2e-4 : 1e-2,
                     "w^2 = g (a^2 - c^2) / c / (I / m + c^2)");
    }
}

/* One that wobbles as it rolls: friction does no work where nothing slides. In real time the point of contact stays for an interval where it will be at the mean of its
 * substeps' starts; half a substep off, r w h / 8, the load would turn the body on by g r w^2 h / 8 a second and kilogramme. */
static void roll(kin_case_run* run)
{
    const double h = 1.0 / 240, seconds = 5;
    for (int m = 0; m < 2; ++m) {
        const kin_vec3 half = {0.5, 0.3, 0.4}, spin = {0.3, 0.2, -2};
        kin_yard y = open_floor(run, m ? KIN_RIGID_EXACT : KIN_RIGID_REALTIME, h, 1);
        const uint32_t body = add_ellipsoid(&y, half, kin_v(0, half.y, 0), kin_quat_identity(), kin_cross(spin, kin_v(0, half.y, 0)), spin);
        kin_body_state s = kin_yard_state(&y, body);
        const double start = kin_yard_kinetic(&s) + 9.81 * s.center.y, behind = 9.81 * half.x * half.x / half.y * kin_length2(spin) * h / 8 * seconds;
        double most = 0, least = 2, gap = 0;
        for (int i = 0; i < (int)(seconds / h); ++i) {
            kin_yard_step(&y);
            s = kin_yard_state(&y, body);
            const double energy = (kin_yard_kinetic(&s) + 9.81 * s.center.y) / start;
            most = fmax(most, energy), least = fmin(least, energy);
            gap = fmax(gap, fabs(s.center.y - height_of(half, s.pose.orientation)));
        }
        kin_yard_close(&y);
        const double allowed = m ? 1e-9 : behind / start;
        kin_case_row(run, m ? "exact" : "realtime", "energy above the start in 5 s of rolling, of the start's", most - 1, 0, allowed, "rolling takes none");
        kin_case_row(run, m ? "exact" : "realtime", "energy below it", 1 - least, 0, allowed, "rolling takes none");
        kin_case_row(run, m ? "exact" : "realtime", "its surface off the floor, m", gap, 0, m ? 1e-6 : 1e-3, "it rolls on it");
    }
}

const kin_case kin_cases_ellipsoids[] = {
    {"rigid/ellipsoid-rocking", "Ellipsoids rock on a floor with the period of their curvature.", rock},
    {"rigid/ellipsoid-rolling", "An ellipsoid that wobbles as it rolls keeps its energy and stays on the floor.", roll},
    {NULL, NULL, NULL},
};
