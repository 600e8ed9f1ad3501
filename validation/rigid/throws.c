/* throws.c - exact mode: bodies of all shapes thrown together in free flight, by every way of resolving collisions. Whatever happens, energy does not grow and both
 * momenta stay (Coutinho 4.11, 4.13; House & Keyser 10.2). With --full 10^4 throws.
 *
 * Tolerances: momenta are sums of thousands of roundings; energy may grow by what the gap's tolerance, 1e-6 m, moves bodies that turn. */
#include "base/rng.h"
#include "math/quat.h"
#include "math/random.h"
#include "math/scalar.h"
#include "validation/cases.h"
#include "validation/rigid/rig.h"

enum { WAYS = 4 };
static const char* const ways[WAYS] = {"system", "lcp", "micro", "sequential"};

typedef struct dice {
    kin_rng_key key;
    uint32_t draw;
} dice;

static double roll(dice* d, double low, double high) { return kin_rng_uniform(&d->key, d->draw++, low, high); }
static kin_vec3 roll3(dice* d, double size) { return kin_v(roll(d, -size, size), roll(d, -size, size), roll(d, -size, size)); }

static kin_shape any_shape(dice* d)
{
    double a = roll(d, 0.1, 0.4), b = roll(d, 0.2, 0.8);
    switch ((int)roll(d, 0, 5)) {
    case 0: return (kin_shape){.kind = KIN_SHAPE_BOX, .size = {2 * a, b, roll(d, 0.2, 0.8)}};
    case 1: return (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = a};
    case 2: return (kin_shape){.kind = KIN_SHAPE_CAPSULE, .radius = 0.5 * a, .length = b};
    case 3: return (kin_shape){.kind = KIN_SHAPE_CYLINDER, .radius = a, .length = b};
    default: return (kin_shape){.kind = KIN_SHAPE_CONE, .radius = a, .length = b};
    }
}

typedef struct sums {
    kin_vec3 linear, angular;
    double energy, size;
} sums;

static sums sum_up(const kin_yard* y, uint32_t count)
{
    sums s = {0};
    for (uint32_t i = 0; i < count; ++i) {
        kin_body_state b = kin_yard_state(y, i);
        s.linear = kin_add_scaled(s.linear, b.mass, b.velocity);
        s.angular = kin_add(s.angular, kin_add(kin_yard_angular(&b), kin_cross(b.center, kin_scale(b.velocity, b.mass))));
        s.energy += kin_yard_kinetic(&b);
        s.size += b.mass * kin_length(b.velocity);
    }
    return s;
}

typedef struct worst {
    double energy, linear, angular, collisions;
} worst;

static void throw_together(kin_case_run* run, int way, uint64_t serial, worst* w)
{
    dice d = {.key = {.seed = 41, .serial = serial}};
    uint32_t count = serial % 5 == 4 ? 5 : 2;
    kin_yard y = kin_yard_begin(run, KIN_RIGID_EXACT, 1.0 / 60);
    y.rigid.impulses = way;
    y.def.gravity = kin_v(0, 0, 0);
    y.restitution = serial % 4 == 0 ? 1 : serial % 4 == 1 ? 0 : roll(&d, 0, 1);
    y.friction = serial % 3 == 0 ? 0 : roll(&d, 0, 1.2);
    kin_yard_open(&y);
    for (uint32_t i = 0; i < count; ++i) {
        kin_body_def def = y.body;
        kin_vec3 at = count == 2 ? kin_v(i == 0 ? -1 : 1, 0, 0) : kin_scale(kin_rng_direction(&d.key, d.draw++), 1.5 + 0.5 * i);
        def.shape = any_shape(&d);
        def.mass = kin_exp(roll(&d, -1, 1));
        def.position = at;
        def.orientation = kin_quat_from_rotation_vector(roll3(&d, 2));
        def.velocity = kin_add(kin_scale(at, -2), roll3(&d, 0.3));
        def.spin = roll3(&d, 4);
        kin_yard_add(&y, &def);
    }
    sums first = sum_up(&y, count), before = first;
    for (int i = 0; i < 50; ++i) {
        kin_yard_step(&y);
        sums now = sum_up(&y, count);
        w->energy = kin_max(w->energy, (now.energy - before.energy) / first.energy);
        before = now;
    }
    w->linear = kin_max(w->linear, kin_distance(before.linear, first.linear) / first.size);
    w->angular = kin_max(w->angular, kin_distance(before.angular, first.angular) / first.size);
    w->collisions += kin_yard_measure(&y, "collisions");
    kin_yard_close(&y);
}

static void case_throws(kin_case_run* run)
{
    uint64_t throws = run->full ? 2500 : 12;
    for (int k = 0; k < WAYS; ++k) {
        worst w = {0};
        for (uint64_t i = 0; i < throws; ++i) throw_together(run, k, i, &w);
        kin_case_row(run, ways[k], "energy that a step gained, of the first", w.energy, 0, 1e-6, "none");
        kin_case_row(run, ways[k], "momentum off, of sum m |v|", w.linear, 0, 1e-12, "Newton's third law");
        kin_case_row(run, ways[k], "angular momentum off, of sum m |v| m", w.angular, 0, 1e-9, "Newton's third law");
        kin_case_row(run, ways[k], "every other throw has collided, 1 for yes", w.collisions >= 0.5 * (double)throws, 1, 0, "set-up");
    }
}

const kin_case kin_cases_throws[] = {
    {"rigid/throws", "Random impacts gain no energy and keep both momenta, by every way of resolving them.", case_throws},
    {NULL, NULL, NULL},
};
