/* params.c - what a scene can say of particles. */
#include "domains/particles/particles.h"
#include <stddef.h>

static const char* const hit_names[] = {"exact", "approximate", "project", "reflect", NULL};
static const char* const path_names[] = {"curve", "euler", NULL};
static const char* const friction_names[] = {"coulomb", "simple", NULL};
static const char* const contacts_names[] = {"none", "fast", "exact", NULL};
static const char* const mobility_names[] = {"inactive", "static", "dynamic", "animated", NULL};

#define GROUP(member) offsetof(kin_particle_group, member)
const kin_param kin_particle_group_params[] = {
    {.name = "position", .type = KIN_PARAM_VECTOR, .offset = GROUP(position), .unit = "m", .doc = "Place of the particle, or centre of the box of many."},
    {.name = "velocity", .type = KIN_PARAM_VECTOR, .offset = GROUP(velocity), .unit = "m/s", .doc = "Velocity at the start."},
    {.name = "mass",
     .type = KIN_PARAM_NUMBER,
     .offset = GROUP(mass),
     .unit = "kg",
     .doc = "Mass of each.",
     .low = 0,
     .high = 1e300,
     .preset = {1},
     .flags = KIN_PARAM_OPEN_LOW},
    {.name = "radius",
     .type = KIN_PARAM_NUMBER,
     .offset = GROUP(radius),
     .unit = "m",
     .doc = "Radius: it touches solids with this sphere, and is drawn with it.",
     .low = 0,
     .high = 1e9,
     .preset = {0.05}},
    {.name = "material",
     .type = KIN_PARAM_MATERIAL,
     .offset = GROUP(material),
     .doc = "What it is made of: restitution, friction, look. None: it takes the other's where it meets something."},
    {.name = "count", .type = KIN_PARAM_COUNT, .offset = GROUP(count), .doc = "How many, spread at random over the box.", .low = 1, .high = 4e9, .preset = {1}},
    {.name = "box",
     .type = KIN_PARAM_VECTOR,
     .offset = GROUP(box),
     .unit = "m",
     .doc = "Full sizes of the box that many are spread over.",
     .low = 0,
     .high = 1e12},
    {.name = "spread",
     .type = KIN_PARAM_VECTOR,
     .offset = GROUP(spread),
     .unit = "m/s",
     .doc = "Standard deviation of the velocity on each axis.",
     .low = 0,
     .high = 1e12},
    {.name = "status",
     .type = KIN_PARAM_ENUM,
     .offset = GROUP(mobility),
     .doc = "inactive: ignored; static: stays; dynamic: moved by forces; animated: keeps its velocity.",
     .names = mobility_names,
     .preset = {KIN_MOBILITY_DYNAMIC}},
    {0},
};

#define DEF(member) offsetof(kin_particles_def, member)
const kin_param kin_particles_params[] = {
    {.name = "integrator",
     .type = KIN_PARAM_ENUM,
     .offset = DEF(integrator),
     .doc = "How motion is advanced.",
     .names = kin_ode_method_names,
     .preset = {1},
     .flags = KIN_PARAM_LIVE},
    {.name = "hits",
     .type = KIN_PARAM_ENUM,
     .offset = DEF(hits),
     .doc = "What happens when a path meets a solid: exact goes back to the time of the hit; approximate stops there; project and reflect correct the end of "
            "the step.",
     .names = hit_names,
     .flags = KIN_PARAM_LIVE},
    {.name = "hit_path",
     .type = KIN_PARAM_ENUM,
     .offset = DEF(hit_path),
     .doc = "Where an exact hit is looked for: on the integrator's own curve, or on Euler's straight line.",
     .names = path_names,
     .flags = KIN_PARAM_LIVE},
    {.name = "friction_model",
     .type = KIN_PARAM_ENUM,
     .offset = DEF(friction),
     .doc = "Friction of a hit: Coulomb's law, or a fixed share of the tangential speed.",
     .names = friction_names,
     .flags = KIN_PARAM_LIVE},
    {.name = "simple_friction",
     .type = KIN_PARAM_NUMBER,
     .offset = DEF(simple_friction),
     .doc = "Share of the tangential speed that a hit takes in the simple model.",
     .low = 0,
     .high = 1,
     .preset = {0.2},
     .flags = KIN_PARAM_LIVE},
    {.name = "rest_speed",
     .type = KIN_PARAM_NUMBER,
     .offset = DEF(rest_speed),
     .unit = "m/s",
     .doc = "Slower hits do not bounce; slower particles may rest. Explicit Euler gains g h a bounce: it rests only with rest_speed above g h / (1 - "
            "restitution).",
     .low = 0,
     .high = 1e6,
     .preset = {0.01},
     .flags = KIN_PARAM_LIVE},
    {.name = "rest_distance",
     .type = KIN_PARAM_NUMBER,
     .offset = DEF(rest_distance),
     .unit = "m",
     .doc = "Nearer surfaces count as touched.",
     .low = 0,
     .high = 1e6,
     .preset = {1e-4},
     .flags = KIN_PARAM_LIVE | KIN_PARAM_OPEN_LOW},
    {.name = "max_hits",
     .type = KIN_PARAM_INTEGER,
     .offset = DEF(max_hits),
     .doc = "Hits of one particle in one step that bounce; later ones do not, and are reported.",
     .low = 1,
     .high = 10000,
     .preset = {32},
     .flags = KIN_PARAM_LIVE},
    {.name = "contacts",
     .type = KIN_PARAM_ENUM,
     .offset = DEF(contacts),
     .doc = "What particles do when they meet each other: none, they pass through; fast, sweeps of impulses once a step, for many; exact, hit by hit.",
     .names = contacts_names},
    {.name = "sweeps",
     .type = KIN_PARAM_INTEGER,
     .offset = DEF(sweeps),
     .doc = "Sweeps over all fast contacts a step: more are stiffer.",
     .low = 1,
     .high = 10000,
     .preset = {20}},
    {.name = "max_events",
     .type = KIN_PARAM_INTEGER,
     .offset = DEF(max_events),
     .doc =
         "Events a group of particles in exact contact may have in a step; then nothing bounces, and after as many again the rest of the step is dropped for "
         "it. Both are reported.",
     .low = 1,
     .high = 1e6,
     .preset = {1000}},
    {.name = "streak",
     .type = KIN_PARAM_NUMBER,
     .offset = DEF(streak),
     .unit = "s",
     .doc = "Each particle is drawn as the streak of this much of its motion; 0: as a sphere.",
     .low = 0,
     .high = 1000,
     .flags = KIN_PARAM_LIVE},
    {.name = "particles",
     .type = KIN_PARAM_LIST,
     .offset = DEF(groups),
     .doc = "The particles: one by one, or many at a time with count and box.",
     .sub = kin_particle_group_params,
     .sub_size = sizeof(kin_particle_group)},
    {0},
};

kin_particles_def kin_particles_def_default(void)
{
    kin_particles_def def = {0};
    kin_params_default(kin_particles_params, &def);
    return def;
}

kin_particle_group kin_particle_group_default(void)
{
    kin_particle_group group = {0};
    kin_params_default(kin_particle_group_params, &group);
    return group;
}

const char* const* kin_particles_integrators(void) { return kin_ode_method_names; }
