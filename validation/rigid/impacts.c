/* impacts.c - random impacts in free space. What real time may lose there is what restitution and friction take of energy; it may gain none, and momenta stay. */
#include "validation/rigid/impacts.h"
#include "base/rng.h"
#include "math/quat.h"
#include "math/scalar.h"
#include "validation/rigid/rig.h"
#include <math.h>
#include <stdio.h>

typedef struct totals {
    double kinetic;
    kin_vec3 momentum, angular; /* about the origin */
    double size, size_angular;  /* sums of their bodies' */
} totals;

double kin_impact_kinetic(const kin_body_state* s) { return kin_yard_kinetic(s); }

static totals totals_of(const kin_yard* y, int bodies)
{
    totals sum = {0};
    for (uint32_t i = 0; i < (uint32_t)bodies; ++i) {
        const kin_body_state s = kin_yard_state(y, i);
        const kin_vec3 p = kin_scale(s.velocity, s.mass), l = kin_add(kin_cross(s.center, p), kin_yard_angular(&s));
        sum.kinetic += kin_yard_kinetic(&s);
        sum.momentum = kin_add(sum.momentum, p), sum.angular = kin_add(sum.angular, l);
        sum.size += kin_length(p), sum.size_angular += kin_length(kin_cross(s.center, p)) + kin_length(kin_yard_angular(&s));
    }
    return sum;
}

static double draw(uint64_t seed, int i, int k, double low, double high)
{
    return kin_rng_uniform(&(kin_rng_key){.seed = seed, .serial = (uint64_t)i}, (uint32_t)k, low, high);
}

static kin_vec3 direction(uint64_t seed, int i, int k)
{
    const kin_vec3 v = {draw(seed, i, k, -1, 1), draw(seed, i, k + 1, -1, 1), draw(seed, i, k + 2, -1, 1)};
    return kin_normalize_or(v, kin_v(1, 0, 0));
}

/* Octahedra of three different axes: their own are the principal ones. points: room for six. */
static kin_shape hull_of(uint64_t seed, int i, kin_vec3* points)
{
    for (int k = 0; k < 6; ++k) points[k] = kin_scale(kin_axis(k / 2), (k % 2 ? 1 : -1) * draw(seed, i, 1 + k / 2, 0.2, 0.6));
    return (kin_shape){.kind = KIN_SHAPE_HULL, .points = {points, 6}};
}

static kin_shape shape_of(uint64_t seed, int i, kin_vec3* points)
{
    switch ((int)draw(seed, i, 0, 0, 7)) {
    case 0: return (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = draw(seed, i, 1, 0.2, 0.6)};
    case 1: return (kin_shape){.kind = KIN_SHAPE_BOX, .size = {draw(seed, i, 1, 0.3, 1), draw(seed, i, 2, 0.3, 1), draw(seed, i, 3, 0.3, 1)}};
    case 2: return (kin_shape){.kind = KIN_SHAPE_CAPSULE, .radius = draw(seed, i, 1, 0.15, 0.3), .length = draw(seed, i, 2, 0.2, 0.6)};
    case 3: return (kin_shape){.kind = KIN_SHAPE_CONE, .radius = draw(seed, i, 1, 0.2, 0.5), .length = draw(seed, i, 2, 0.3, 1)};
    case 4: return hull_of(seed, i, points);
    case 5: return (kin_shape){.kind = KIN_SHAPE_ELLIPSOID, .semi_axes = {draw(seed, i, 1, 0.2, 0.5), draw(seed, i, 2, 0.2, 0.5), draw(seed, i, 3, 0.2, 0.5)}};
    default: return (kin_shape){.kind = KIN_SHAPE_CYLINDER, .radius = draw(seed, i, 1, 0.2, 0.4), .length = draw(seed, i, 2, 0.3, 1)};
    }
}

/* Every second one joined to the one before, by a ball or a hinge between their middles. */
static void join_bodies(kin_yard* y, uint64_t seed, int bodies)
{
    for (int i = 1; i < bodies; i += 2) {
        kin_joint_def def = kin_joint_def_default();
        def.kind = i % 4 == 1 ? KIN_JOINT_BALL : KIN_JOINT_HINGE;
        def.a = i - 1, def.b = i;
        def.anchor = kin_lerp(kin_yard_state(y, (uint32_t)i - 1).center, kin_yard_state(y, (uint32_t)i).center, 0.5);
        def.axis = direction(seed, i, 50);
        kin_yard_join(y, &def);
    }
}

/* Bodies on a sphere round the origin, all on their way to near it; pairs: every second one beside the one before. */
static void add_bodies(kin_yard* y, uint64_t seed, int bodies, bool pairs)
{
    kin_vec3 points[6];
    kin_body_def before = {0};
    for (int i = 0; i < bodies; ++i) {
        const kin_vec3 out = bodies == 2 ? kin_v(i ? 1 : -1, 0, 0) : direction(seed, i, 10), aim = kin_scale(direction(seed, i, 20), draw(seed, i, 4, 0, 0.3));
        const double far = bodies == 2 ? 1.2 : 2 + 0.6 * i, speed = draw(seed, i, 5, 1, 8);
        kin_body_def def = kin_body_def_default();
        def.shape = shape_of(seed, i, points);
        def.position = kin_scale(out, far);
        def.orientation = kin_quat_from_rotation_vector(kin_scale(direction(seed, i, 30), 3));
        def.velocity = kin_scale(kin_normalize_or(kin_sub(aim, def.position), out), speed);
        def.spin = kin_scale(direction(seed, i, 40), draw(seed, i, 6, 0, 4));
        def.mass = kin_exp(draw(seed, i, 7, -1.5, 1.5));
        if (pairs && i % 2 == 1) def.position = kin_add_scaled(before.position, 1.2, direction(seed, i, 60)), def.velocity = before.velocity;
        before = def;
        kin_yard_add(y, &def);
    }
}

kin_impact_report kin_impact_run(uint64_t seed, int bodies, kin_impact_setup kind)
{
    kin_case_run run = {.threads = 1};
    const double rates[] = {30, 60, 120, 240};
    kin_yard y = kin_yard_begin(&run, KIN_RIGID_REALTIME, 1 / rates[(int)draw(seed, 1000, 0, 0, 4)]);
    y.restitution = draw(seed, 1000, 1, -0.3, 1.2), y.friction = draw(seed, 1000, 2, -0.5, 1);
    y.restitution = kin_clamp(y.restitution, 0, 1), y.friction = kin_max(y.friction, 0);
    y.def.gravity = kin_v(0, 0, 0);
    y.rigid.bounce_speed = draw(seed, 1000, 3, 0.01, 1);
    if (kind == KIN_IMPACT_BOUNCING) y.restitution = kin_max(y.restitution, 0.3), y.rigid.bounce_speed = 1e-3;
    kin_yard_open(&y);
    add_bodies(&y, seed, bodies, kind == KIN_IMPACT_JOINED);
    if (kind == KIN_IMPACT_JOINED) join_bodies(&y, seed, bodies);
    const totals start = totals_of(&y, bodies);
    totals before = start;
    kin_impact_report r = {.gain = 0};
    const int steps = (int)((bodies == 2 ? 1.2 : 3) / y.def.time_step);
    for (int i = 0; i < steps; ++i) {
        kin_yard_step(&y);
        const totals now = totals_of(&y, bodies);
        r.gain = kin_max(r.gain, (now.kinetic - before.kinetic) / start.kinetic);
        before = now;
    }
    r.momentum = kin_length(kin_sub(before.momentum, start.momentum)) / start.size;
    r.angular = kin_length(kin_sub(before.angular, start.angular)) / start.size_angular;
    r.left = before.kinetic / start.kinetic;
    r.ok = kin_yard_ok(&y) && kin_finite(r.gain) && kin_finite(r.angular);
    kin_world_destroy(y.world);
    return r;
}

/* Some runs: the worst of each quantity. */
static kin_impact_report runs(uint64_t first, int count, int bodies, kin_impact_setup kind)
{
    kin_impact_report worst = {.ok = true};
    for (int i = 0; i < count; ++i) {
        const kin_impact_report r = kin_impact_run(first + (uint64_t)i, bodies > 0 ? bodies : 2 + i % 9, kind);
        worst.ok &= r.ok;
        worst.gain = kin_max(worst.gain, r.gain), worst.left = kin_max(worst.left, r.left);
        worst.momentum = kin_max(worst.momentum, r.momentum), worst.angular = kin_max(worst.angular, r.angular);
    }
    return worst;
}

void kin_case_rt_impacts(kin_case_run* run)
{
    static const char* const names[] = {"", ", all hits bounce", ", in jointed pairs"};
    const int sizes[] = {2, 0, 12, 2, 0},
              counts[] = {run->full ? 3000 : 200, run->full ? 3000 : 100, run->full ? 300 : 20, run->full ? 2000 : 200, run->full ? 2000 : 100};
    const kin_impact_setup kinds[] = {KIN_IMPACT_ANY, KIN_IMPACT_ANY, KIN_IMPACT_ANY, KIN_IMPACT_BOUNCING, KIN_IMPACT_JOINED};
    for (int i = 0; i < 5; ++i) {
        char text[128], size[16];
        const kin_impact_report r = runs(40000 + 20000 * (uint64_t)i, counts[i], sizes[i], kinds[i]);
        snprintf(size, sizeof size, sizes[i] > 0 ? "%d" : "2-10", sizes[i]);
        snprintf(text, sizeof text, "%d runs of %s bodies%s: momentum lost", counts[i], size, names[kinds[i]]);
        kin_case_row(run, "realtime", text, r.ok ? r.momentum : NAN, 0, KIN_IMPACT_KEPT, "third law");
        kin_case_row(run, "realtime", "angular momentum lost", r.angular, 0, KIN_IMPACT_KEPT, "third law");
        if (kinds[i] == KIN_IMPACT_JOINED) continue;
        kin_case_row(run, "realtime", "most energy gained in a step", kin_max(r.gain, 0), 0, KIN_IMPACT_KEPT, "e <= 1");
        kin_case_row(run, "realtime", "most energy gained in all", kin_max(r.left - 1, 0), 0, KIN_IMPACT_KEPT, "e <= 1");
    }
}
