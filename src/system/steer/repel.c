/* repel.c - avoidance by potentials: House & Keyser 5.3.1. Everything repels as G / d^p along the line from its nearest place, d being the distance to a point, a
 * line, the outside of a sphere, the inside of a container, or a collider's surface. The force is the slope of a potential of d alone, so what does not move
 * keeps the energy. Singular at the surface, hence `closest`: from there on, and behind the surface, the force stays as it is there. */
#include "base/error.h"
#include "math/vec3.h"
#include "system/field_kinds.h"
#include "system/steer/steer.h"

enum { MOST_SOLIDS = 16 };

/* The way from the nearest place of a thing to a point. */
typedef struct separation {
    kin_vec3 away; /* unit; zero: none */
    double distance;
} separation;

static separation from_point(kin_vec3 x, kin_vec3 point)
{
    kin_vec3 r = kin_sub(x, point);
    return (separation){kin_normalize_or(r, kin_v(0, 0, 0)), kin_length(r)};
}

static separation from_line(kin_vec3 x, const kin_line* line)
{
    kin_vec3 along = kin_sub(line->to, line->from);
    double square = kin_length2(along), share = square > 0 ? kin_clamp(kin_dot(kin_sub(x, line->from), along) / square, 0, 1) : 0;
    return from_point(x, kin_add_scaled(line->from, share, along));
}

static separation from_sphere(kin_vec3 x, const kin_ball* ball)
{
    separation s = from_point(x, ball->center);
    s.distance -= ball->radius;
    return s;
}

/* a = -G / (r - d)^p: inside out. */
static separation from_container(kin_vec3 x, const kin_ball* ball)
{
    separation s = from_point(x, ball->center);
    return (separation){kin_neg(s.away), ball->radius - s.distance};
}

static bool felt(const kin_repel_field* def, double distance) { return def->reach == 0 || distance <= def->reach; }

static double power_of(double d, double p) { return p == 2 ? d * d : p == 1 ? d : kin_pow(d, p); }

static double pull(const kin_repel_field* def, double distance) { return def->repel / power_of(kin_max(distance, def->closest), def->power); }

/* The integral of G / d^p from d to 1 m: what is left of a constant drops out. */
static double integral(const kin_repel_field* def, double d)
{
    double p = def->power;
    return p == 1 ? -def->repel * kin_ln(d) : def->repel * (kin_pow(d, 1 - p) - 1) / (p - 1);
}

/* J/kg: zero at the reach; without one, at infinity (p > 1) or 1 m off (p <= 1). */
static double depth(const kin_repel_field* def, double distance)
{
    if (!felt(def, distance)) return 0;
    double d = kin_max(distance, def->closest), zero = 0;
    if (def->reach > 0)
        zero = integral(def, def->reach);
    else if (def->power > 1)
        zero = -def->repel / (def->power - 1);
    return integral(def, d) - zero + pull(def, distance) * (d - distance);
}

typedef struct sum {
    const kin_repel_field* def;
    kin_vec3 acceleration;
    double potential;
} sum;
typedef void take_fn(sum* to, separation s);

static void take_force(sum* to, separation s)
{
    if (felt(to->def, s.distance)) to->acceleration = kin_add_scaled(to->acceleration, pull(to->def, s.distance), s.away);
}

static void take_potential(sum* to, separation s) { to->potential += depth(to->def, s.distance); }

static void each_thing(sum* to, kin_vec3 x, take_fn* take)
{
    const kin_repel_field* def = to->def;
    for (size_t i = 0; i < def->points.count; ++i) take(to, from_point(x, def->points.data[i]));
    for (size_t i = 0; i < def->lines.count; ++i) take(to, from_line(x, &def->lines.data[i]));
    for (size_t i = 0; i < def->spheres.count; ++i) take(to, from_sphere(x, &def->spheres.data[i]));
    for (size_t i = 0; i < def->containers.count; ++i) take(to, from_container(x, &def->containers.data[i]));
}

/* Contacts come nearest first; of a mesh the first counts alone. */
static void each_solid(sum* to, const kin_field_batch* b, kin_vec3 x)
{
    kin_contact contacts[MOST_SOLIDS];
    int count = kin_solids_closest(b->solids, x, 0, to->def->reach, b->fraction, contacts, MOST_SOLIDS);
    for (int i = 0; i < count; ++i) {
        bool again = false;
        for (int k = 0; k < i; ++k) again = again || contacts[k].solid == contacts[i].solid;
        if (!again) take_force(to, (separation){contacts[i].normal, contacts[i].distance});
    }
}

static void repel_force(const kin_field* field, const kin_field_batch* b)
{
    const kin_repel_field* def = field->def;
    for (int i = 0; i < b->count; ++i) {
        sum s = {.def = def};
        kin_vec3 x = kin_v(b->position[0][i], b->position[1][i], b->position[2][i]);
        each_thing(&s, x, take_force);
        if (def->solids && b->solids != NULL) each_solid(&s, b, x);
        b->acceleration[0][i] += s.acceleration.x;
        b->acceleration[1][i] += s.acceleration.y;
        b->acceleration[2][i] += s.acceleration.z;
    }
}

/* Colliders move: they have none. */
static double repel_potential(const kin_field* field, double mass, kin_vec3 x, double time)
{
    (void)time;
    sum s = {.def = field->def};
    each_thing(&s, x, take_potential);
    return mass * s.potential;
}

static kin_result repel_make(kin_fields* fields, const void* d, kin_arena* arena, void** made, kin_error* error)
{
    const kin_repel_field* def = d;
    (void)fields, (void)arena, (void)made;
    size_t things = def->points.count + def->lines.count + def->spheres.count + def->containers.count;
    if (things == 0 && !def->solids)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "repel", "nothing to keep away from: give points, lines, spheres, containers or solids");
    if (def->solids && def->reach == 0) return kin_fail(error, KIN_ERROR_ARGUMENT, "reach", "must be > 0 to keep away from solids");
    if (def->reach > 0 && def->reach <= def->closest)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "reach", "must be more than closest (%g m), or 0", def->closest);
    return KIN_OK;
}

#define REPEL(member) offsetof(kin_repel_field, member)
static const kin_param line_params[] = {
    {.name = "from", .type = KIN_PARAM_VECTOR, .offset = offsetof(kin_line, from), .unit = "m", .doc = "One end.", .flags = KIN_PARAM_REQUIRED},
    {.name = "to", .type = KIN_PARAM_VECTOR, .offset = offsetof(kin_line, to), .unit = "m", .doc = "The other.", .flags = KIN_PARAM_REQUIRED},
    {0},
};
static const kin_param repel_params[] = {
    {.name = "repel",
     .type = KIN_PARAM_NUMBER,
     .offset = REPEL(repel),
     .unit = "m/s^2",
     .doc = "Acceleration at a distance of 1 m, away from each thing; below 0 it attracts.",
     .flags = KIN_PARAM_LIVE | KIN_PARAM_REQUIRED},
    {.name = "power",
     .type = KIN_PARAM_NUMBER,
     .offset = REPEL(power),
     .doc = "Falls with this power of the distance.",
     .high = 100,
     .preset = {2},
     .flags = KIN_PARAM_LIVE},
    {.name = "reach", .type = KIN_PARAM_NUMBER, .offset = REPEL(reach), .unit = "m", .doc = "Not felt beyond this distance; 0: no limit.", .high = 1e300},
    {.name = "closest",
     .type = KIN_PARAM_NUMBER,
     .offset = REPEL(closest),
     .unit = "m",
     .doc = "Nearer than this, and behind a surface, it is as strong as here.",
     .high = 1e300,
     .preset = {1e-3},
     .flags = KIN_PARAM_OPEN_LOW},
    {.name = "points", .type = KIN_PARAM_VECTORS, .offset = REPEL(points), .unit = "m", .doc = "Points to keep away from."},
    {.name = "lines",
     .type = KIN_PARAM_LIST,
     .offset = REPEL(lines),
     .doc = "Straight lines to keep away from.",
     .sub = line_params,
     .sub_size = sizeof(kin_line)},
    {.name = "spheres",
     .type = KIN_PARAM_LIST,
     .offset = REPEL(spheres),
     .doc = "Spheres to stay out of.",
     .sub = kin_ball_params,
     .sub_size = sizeof(kin_ball)},
    {.name = "containers",
     .type = KIN_PARAM_LIST,
     .offset = REPEL(containers),
     .doc = "Spheres to stay in.",
     .sub = kin_ball_params,
     .sub_size = sizeof(kin_ball)},
    {.name = "solids", .type = KIN_PARAM_BOOL, .offset = REPEL(solids), .doc = "Keep away from the closest place of every collider within reach."},
    KIN_FIELD_COMMON_ROWS,
};

const kin_field_ops kin_field_repel_ops = {
    .name = "repel",
    .doc = "Keeps points away from things, or in a sphere, by a potential.",
    .params = repel_params,
    .def_size = sizeof(kin_repel_field),
    .force = {repel_force, repel_force, repel_force},
    .potential = repel_potential,
    .make = repel_make,
};
