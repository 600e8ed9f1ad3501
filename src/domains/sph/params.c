/* params.c - what a scene can say of a tank of fluid. */
#include "domains/sph/face.h"
#include "system/field_common.h"
#include "system/shape_params.h"
#include <stddef.h>

/* clang-format off */

static const char* const mode_names[] = {"realtime", "exact", NULL};
static const char* const solver_names[] = {"by_mode", "wcsph", "pcisph", "iisph", "dfsph", "pbf", NULL};
static const char* const kernel_names[] = {"cubic", "quintic", "wendland2", "wendland4", "poly6", "quartic", NULL};
static const char* const equation_names[] = {"tait", "gas", NULL};
static const char* const gradient_names[] = {"symmetric", "plain", "mean", NULL};
static const char* const viscosity_names[] = {"auto", "explicit", "implicit", "text", NULL};
static const char* const tension_names[] = {"curvature", "cohesion", NULL};
static const char* const boundary_names[] = {"maps", "samples", "ghosts", NULL};
static const char* const matter_names[] = {"liquid", "gas", "sand", "elastic", NULL};
static const char* const draw_names[] = {"skin", "particles", "both", NULL};
static const char* const surface_names[] = {"mesh", "rays", NULL};
static const char* const skin_names[] = {"anisotropic", "zhu_bridson", "color", NULL};
static const char* const paint_names[] = {"phase", "speed", "pressure", "temperature", "density", NULL};

#define MOST 1e300
#define ROOM 293.15 /* K */
#define NUMBER(key, at, units, text, from, to, preset_value, bits) \
    {.name = key, .type = KIN_PARAM_NUMBER, .offset = at, .unit = units, .doc = text, .low = from, .high = to, .preset = {preset_value}, .flags = bits}
#define CHOICE(key, at, text, words, preset_value, bits) \
    {.name = key, .type = KIN_PARAM_ENUM, .offset = at, .doc = text, .names = words, .preset = {preset_value}, .flags = bits}
#define LIVE KIN_PARAM_LIVE
#define ABOVE KIN_PARAM_OPEN_LOW

/* ---- phases ---- */

#define PHASE(member) offsetof(kin_sph_phase_def, member)
const kin_param kin_sph_phase_params[] = {
    {.name = "name", .type = KIN_PARAM_TEXT, .offset = PHASE(name), .doc = "What blocks, inflows and the tags of fields call it; left out: as its fluid, or \"fluid\"."},
    {.name = "fluid", .type = KIN_PARAM_TEXT, .offset = PHASE(fluid), .doc = "A preset (kinema list fluids); left out: water. What is given below overrides it."},
    NUMBER("density", PHASE(density), "kg/m^3", "At rest; 0: the preset's.", 0, MOST, 0, 0),
    NUMBER("viscosity", PHASE(viscosity), "Pa s", "Dynamic; below 0: the preset's.", -1, MOST, -1, 0),
    NUMBER("tension", PHASE(tension), "N/m", "Of its surface; below 0: the preset's.", -1, MOST, -1, 0),
    CHOICE("matter", PHASE(matter), "What sort: liquid; gas, which fills what room it has; sand, which holds slopes; elastic, which remembers its form.", matter_names, 0, 0),
    NUMBER("friction", PHASE(friction), NULL, "Of sand: tangent of its angle of rest.", 0, 100, 0.6, 0),
    NUMBER("cohesion", PHASE(cohesion), "Pa", "Of sand: what it bears unpressed, as damp sand does.", 0, MOST, 0, 0),
    NUMBER("stiffness", PHASE(stiffness), "Pa", "Of elastic matter: Young's modulus.", 0, MOST, 1e4, ABOVE),
    {.name = "poisson", .type = KIN_PARAM_NUMBER, .offset = PHASE(poisson), .doc = "Of elastic matter: how far it narrows when it is drawn.",
     .low = 0, .high = 0.5, .preset = {0.3}, .flags = KIN_PARAM_OPEN_HIGH},
    NUMBER("conductivity", PHASE(conductivity), "W/(m K)", "Of heat; below 0: the preset's.", -1, MOST, -1, 0),
    NUMBER("heat_capacity", PHASE(heat_capacity), "J/(kg K)", "Of heat; 0: the preset's.", 0, MOST, 0, 0),
    NUMBER("expansion", PHASE(expansion), "1/K", "By volume: what is warm rises; below 0: the preset's.", -1, 1, -1, 0),
    NUMBER("reference", PHASE(reference), "K", "Temperature at which density and viscosity hold.", 0, 1e6, ROOM, ABOVE),
    {.name = "thickness", .type = KIN_PARAM_CURVE, .offset = PHASE(thickness), .unit = NULL,
     .doc = "Factor of the viscosity over temperature (t in K): what is thick when cold melts. Left out: 1.", .low = 0, .high = 1e12},
    {.name = "material", .type = KIN_PARAM_MATERIAL, .offset = PHASE(material), .doc = "Its look; left out: that of its fluid."},
    {0},
};

/* ---- what comes and goes ---- */

#define BLOCK(member) offsetof(kin_sph_block, member)
const kin_param kin_sph_block_params[] = {
    /* first: what follows is checked by its rows, the shape by what makes forms of shapes */
    {.name = "shape", .type = KIN_PARAM_ONE_OF, .offset = BLOCK(shape), .doc = "What is filled: anything closed.", .sub = kin_shape_params,
     .tag_offset = offsetof(kin_shape, kind), .flags = KIN_PARAM_REQUIRED},
    {.name = "phase", .type = KIN_PARAM_TEXT, .offset = BLOCK(phase), .doc = "Which fluid; left out: the first."},
    {.name = "position", .type = KIN_PARAM_VECTOR, .offset = BLOCK(position), .unit = "m", .doc = "Of the shape's origin."},
    {.name = "orientation", .type = KIN_PARAM_ORIENTATION, .offset = BLOCK(orientation), .doc = "Of the shape; the lattice stays along the world's axes."},
    {.name = "velocity", .type = KIN_PARAM_VECTOR, .offset = BLOCK(velocity), .unit = "m/s", .doc = "At its position."},
    {.name = "spin", .type = KIN_PARAM_VECTOR, .offset = BLOCK(spin), .unit = "rad/s", .doc = "About its position."},
    NUMBER("temperature", BLOCK(temperature), "K", "Heat is reckoned with where this differs from the reference of the phase, here or in an inflow.", 0, 1e6, ROOM, ABOVE),
    NUMBER("jitter", BLOCK(jitter), NULL, "Particles are moved off the lattice by up to this part of the spacing, on each axis.", 0, 0.5, 0, 0),
    {0},
};

#define INFLOW(member) offsetof(kin_sph_inflow, member)
const kin_param kin_sph_inflow_params[] = {
    {.name = "phase", .type = KIN_PARAM_TEXT, .offset = INFLOW(phase), .doc = "Which fluid; left out: the first."},
    {.name = "position", .type = KIN_PARAM_VECTOR, .offset = INFLOW(position), .unit = "m", .doc = "Middle of the opening; in the frame of what it is attached to."},
    {.name = "direction", .type = KIN_PARAM_DIRECTION, .offset = INFLOW(direction), .doc = "Out of it; in the same frame.", .preset = {0, -1, 0}},
    NUMBER("radius", INFLOW(radius), "m", "Of a round opening; 0: a rectangle.", 0, 1e9, 0, 0),
    {.name = "size", .type = KIN_PARAM_PAIR, .offset = INFLOW(size), .unit = "m", .doc = "Of a rectangle: its width, level where it can be, and its height.", .low = 0, .high = 1e9},
    NUMBER("speed", INFLOW(speed), "m/s", "Out of the opening.", 0, 1e6, 1, ABOVE),
    NUMBER("begin", INFLOW(begin), "s", "When it opens.", 0, MOST, 0, 0),
    NUMBER("end", INFLOW(end), "s", "When it closes; 0: never.", 0, MOST, 0, 0),
    NUMBER("temperature", INFLOW(temperature), "K", "Of what comes.", 0, 1e6, ROOM, ABOVE),
    {.name = "most", .type = KIN_PARAM_COUNT, .offset = INFLOW(most), .doc = "Particles in all; 0: no limit.", .low = 0, .high = 4e9},
    {.name = "attached", .type = KIN_PARAM_TEXT, .offset = INFLOW(attached), .doc = "A collider that it moves with; left out: it stands still."},
    {0},
};

#define SINK(member) offsetof(kin_sph_sink, member)
static const kin_param sink_params[] = {
    {.name = "region", .type = KIN_PARAM_ONE_OF, .offset = SINK(region), .doc = "Particles in it are gone at the end of the step.", .sub = kin_region_params,
     .sub_size = sizeof(kin_region), .tag_offset = offsetof(kin_region, kind), .flags = KIN_PARAM_REQUIRED},
    KIN_REGION_PLACE_ROWS(SINK(center), SINK(motion), 0),
    {0},
};

/* ---- deforming walls ---- */

#define SURFACE_KEY(member) offsetof(kin_sph_surface_key, member)
static const kin_param surface_key_params[] = {
    {.name = "t", .type = KIN_PARAM_NUMBER, .offset = SURFACE_KEY(time), .unit = "s", .doc = "When. Times rise from key to key.", .flags = KIN_PARAM_REQUIRED},
    {.name = "vertices", .type = KIN_PARAM_VECTORS, .offset = SURFACE_KEY(vertices), .unit = "m", .doc = "Where its vertices are then: all of them.", .flags = KIN_PARAM_REQUIRED},
    {0},
};

#define SURFACE(member) offsetof(kin_sph_surface_def, member)
const kin_param kin_sph_surface_params[] = {
    {.name = "mesh", .type = KIN_PARAM_MESH, .offset = SURFACE(mesh), .doc = "A mesh file; closed: nobody is inside; open: fluid may be on both sides. Or:"},
    {.name = "vertices", .type = KIN_PARAM_VECTORS, .offset = SURFACE(vertices), .unit = "m", .doc = "Its vertices, with triangles."},
    {.name = "triangles", .type = KIN_PARAM_NUMBERS, .offset = SURFACE(triangles), .doc = "Their vertices, three each, counted from 0.", .low = 0, .high = 4e9},
    {.name = "keys", .type = KIN_PARAM_LIST, .offset = SURFACE(keys), .doc = "Where it goes: vertices over time, straight between; left out: it stands, or a program moves it.",
     .sub = surface_key_params, .sub_size = sizeof(kin_sph_surface_key)},
    NUMBER("period", SURFACE(period), "s", "After which the keys repeat; 0: they do not.", 0, 1e9, 0, 0),
    {.name = "material", .type = KIN_PARAM_MATERIAL, .offset = SURFACE(material), .doc = "Its look."},
    {.name = "hidden", .type = KIN_PARAM_BOOL, .offset = SURFACE(hidden), .doc = "Whether it is in no picture."},
    {0},
};

/* ---- pictures ---- */

#define LOOKS(member) offsetof(kin_sph_look, member)
static const kin_param look_params[] = {
    CHOICE("draw", LOOKS(draw), "Its surface, its particles, or both.", draw_names, KIN_SPH_DRAW_SKIN, 0),
    CHOICE("skin", LOOKS(skin), "How the surface is found: by kernels that lie along it (Yu & Turk), by weighted means (Zhu & Bridson), or where the colour field falls.", skin_names, 0, 0),
    CHOICE("surface", LOOKS(surface), "How rays meet the surface: a mesh of it, or the field itself (rays: of the skins anisotropic and color), finer and slower.", surface_names, 0, 0),
    NUMBER("cell", LOOKS(cell), NULL, "Of the grid on which the surface is found, in spacings.", 0.0625, 1, 0.5, 0),
    {.name = "smoothing", .type = KIN_PARAM_INTEGER, .offset = LOOKS(smoothing), .doc = "Passes over the mesh; they keep its volume.", .low = 0, .high = 100},
    CHOICE("paint", LOOKS(paint), "What colours particles.", paint_names, 0, 0),
    {.name = "range", .type = KIN_PARAM_TWO, .offset = LOOKS(range), .doc = "Of the painted quantity, from the first colour to the last; both 0: what there is."},
    CHOICE("colors", LOOKS(colors), "Scale of the paint, from its low end to its high one.", kin_colormap_names, KIN_COLORMAP_SPECTRUM, 0),
    {.name = "spray", .type = KIN_PARAM_BOOL, .offset = LOOKS(spray), .doc = "Clumps of fewer than a dozen particles are drawn as droplets; else as surfaces: for thick fluids.", .preset = {1}},
    {0},
};

#define FOAM(member) offsetof(kin_sph_foam, member)
static const kin_param foam_params[] = {
    NUMBER("rate", FOAM(rate), "1/s", "Spray, foam and bubbles made by a particle where air is trapped, or on a breaking crest; 0: none.", 0, 1e6, 0, 0),
    {.name = "life", .type = KIN_PARAM_ABOUT, .offset = FOAM(life), .unit = "s", .doc = "Of foam, mean and deviation; spray and bubbles grow old more slowly.", .low = 0, .high = 1e5, .preset = {2, 1}},
    NUMBER("buoyancy", FOAM(buoyancy), NULL, "Bubbles rise with this many times gravity.", 0, 1000, 2, 0),
    NUMBER("drag", FOAM(drag), "1/s", "How fast bubbles take up the fluid's velocity.", 0, 1e6, 40, 0),
    {.name = "most", .type = KIN_PARAM_COUNT, .offset = FOAM(most), .doc = "At once.", .low = 0, .high = 1e8, .preset = {200000}},
    {0},
};

/* ---- the tank ---- */

#define DEF(member) offsetof(kin_sph_def, member)
#define SOME(key, at, text, rows, type_of) \
    {.name = key, .type = KIN_PARAM_LIST, .offset = at, .doc = text, .sub = rows, .sub_size = sizeof(type_of)}
const kin_param kin_sph_params[] = {
    {.name = "radius", .type = KIN_PARAM_NUMBER, .offset = DEF(radius), .unit = "m", .doc = "Half the distance between particles.",
     .high = 1e6, .flags = KIN_PARAM_REQUIRED | KIN_PARAM_OPEN_LOW},
    CHOICE("mode", DEF(mode), "realtime: position based fluids, with bounded work (in trouble it is slow motion); exact: DFSPH, solved to the tolerances.", mode_names, KIN_SPH_EXACT, LIVE),
    CHOICE("solver", DEF(solver), "How pressures are found, whatever the mode says.", solver_names, 0, LIVE),
    NUMBER("support", DEF(support), NULL, "Reach of the kernel, in radii.", 2.5, 10, 4, 0),
    CHOICE("kernel", DEF(kernel), "Smoothing kernel of densities and pressures; poly6 goes with the spiky one, as in the texts.", kernel_names, 0, 0),
    {.name = "flat", .type = KIN_PARAM_BOOL, .offset = DEF(flat), .doc = "Two dimensions: x and y. Everything is cut at the z of center, and a metre deep."},
    NUMBER("density_error", DEF(density_error), NULL, "Mean compression that is allowed, a share.", 0, 1, 0.0005, LIVE | ABOVE),
    NUMBER("divergence_error", DEF(divergence_error), NULL, "Mean rate of compression that is allowed, a share in a tick.", 0, 1, 0.001, LIVE | ABOVE),
    {.name = "max_iterations", .type = KIN_PARAM_INTEGER, .offset = DEF(max_iterations), .doc = "Of each solve, a tick.", .low = 1, .high = 100000, .preset = {100}, .flags = LIVE},
    NUMBER("cfl", DEF(cfl), NULL, "A particle goes at most this part of its spacing in a tick.", 0, 2, 0.4, LIVE | ABOVE),
    NUMBER("min_tick", DEF(min_tick), "s", "Ticks are no shorter; 0: no bound.", 0, 1e6, 0, LIVE),
    NUMBER("max_tick", DEF(max_tick), "s", "Ticks are no longer; 0: no bound but the method's.", 0, 1e6, 0, LIVE),
    CHOICE("equation", DEF(equation), "Of wcsph: pressure by Tait's equation, or in proportion to the density, below rest too.", equation_names, 0, LIVE),
    CHOICE("gradient", DEF(gradient), "Of wcsph: how the gradient of pressure is summed; plain does not keep momentum.", gradient_names, 0, LIVE),
    NUMBER("stiffness", DEF(stiffness), "m^2/s^2", "Of wcsph: k of the equation; 0: from sound_speed.", 0, MOST, 0, LIVE),
    NUMBER("exponent", DEF(exponent), NULL, "Of wcsph: gamma of Tait's equation.", 1, 20, 7, LIVE),
    NUMBER("sound_speed", DEF(sound_speed), "m/s", "Of wcsph; 0: ten times what fluid of the tank's height can reach.", 0, MOST, 0, LIVE),
    NUMBER("bulk_viscosity", DEF(bulk_viscosity), NULL, "Of wcsph: what takes energy from waves of sound, a part of spacing x speed of sound; changes a pressure by itself at most. 0: the plain equation.", 0, 1e6, 0.25, LIVE),
    CHOICE("viscosity", DEF(viscosity), "How viscosity is computed: auto is explicit, and implicit where that would need shorter ticks.", viscosity_names, 0, 0),
    NUMBER("smoothing", DEF(smoothing), NULL, "Share of its neighbours' mean velocity that a particle takes on while it moves by its spacing (XSPH).", 0, 1, 0.05, LIVE),
    NUMBER("shift", DEF(shift), NULL, "In a tank without a surface: how strongly particles are kept in order while they move; 0: not at all.", 0, 10, 3, LIVE),
    NUMBER("vorticity", DEF(vorticity), NULL, "Strength of confinement, which keeps eddies alive; 0: off.", 0, 1e6, 0, 0),
    NUMBER("micropolar", DEF(micropolar), NULL, "Share of the viscosity that is rotational; 0: off.", 0, 1e6, 0, 0),
    CHOICE("tension", DEF(tension), "How surface tension is computed: from curvature, which meets its value; or as the gradient of an energy of company, quicker, to some tens of per cent.", tension_names, 0, 0),
    NUMBER("tension_threshold", DEF(tension_threshold), NULL, "Where the colour's gradient, in 1/spacing, is below it, surface tension sees no surface.", 0, 1e6, 0.1, LIVE),
    NUMBER("adhesion", DEF(adhesion), NULL, "Of cohesion: to walls, as a part of the tension, the cosine of the angle of contact.", 0, 1, 0, 0),
    NUMBER("air_drag", DEF(air_drag), "kg/(s m)", "On particles with air around them, towards the wind, by metre of their size.", 0, MOST, 0, LIVE),
    CHOICE("boundary", DEF(boundary), "How solids are felt: by the volume they take, by particles on their surface, or by mirrored particles (planes alone).", boundary_names, 0, 0),
    NUMBER("wall_friction", DEF(wall_friction), NULL, "Viscosity at walls as a part of the fluid's; 0: it slips.", 0, 1e6, 1, LIVE),
    {.name = "periodic", .type = KIN_PARAM_VECTOR, .offset = DEF(periodic), .unit = "m", .low = 0, .high = 1e9,
     .doc = "Size of a periodic box about center: what leaves on one side comes in on the other; 0: not along this axis."},
    {.name = "center", .type = KIN_PARAM_VECTOR, .offset = DEF(center), .unit = "m", .doc = "Of the periodic box; its z is that of a flat tank."},
    {.name = "max_particles", .type = KIN_PARAM_COUNT, .offset = DEF(max_particles), .low = 0, .high = 2e9, .preset = {1e7},
     .doc = "At once; blocks beyond it are an error, and of what inflows bring what has no room is not born, which is said.", .flags = LIVE},
    SOME("phases", DEF(phases), "The fluids of the tank; left out: water.", kin_sph_phase_params, kin_sph_phase_def),
    SOME("blocks", DEF(blocks), "Fluid that is there at the start: shapes filled with particles.", kin_sph_block_params, kin_sph_block),
    SOME("inflows", DEF(inflows), "Openings that fluid comes out of.", kin_sph_inflow_params, kin_sph_inflow),
    SOME("sinks", DEF(sinks), "Places where fluid goes.", sink_params, kin_sph_sink),
    SOME("surfaces", DEF(surfaces), "Walls that deform: meshes whose vertices move. They push fluid and are not pushed.", kin_sph_surface_params, kin_sph_surface_def),
    {.name = "look", .type = KIN_PARAM_TABLE, .offset = DEF(look), .doc = "In pictures.", .sub = look_params},
    {.name = "foam", .type = KIN_PARAM_TABLE, .offset = DEF(foam), .doc = "Spray, foam and bubbles, for pictures: they move with the fluid and do not push it.", .sub = foam_params},
    {0},
};

/* clang-format on */

kin_sph_def kin_sph_def_default(void)
{
    kin_sph_def def = {0};
    kin_params_default(kin_sph_params, &def);
    return def;
}

kin_sph_phase_def kin_sph_phase_def_default(void)
{
    kin_sph_phase_def def = {0};
    kin_params_default(kin_sph_phase_params, &def);
    return def;
}

kin_sph_block kin_sph_block_default(void)
{
    kin_sph_block block = {0};
    kin_params_default(kin_sph_block_params, &block);
    return block;
}

kin_sph_inflow kin_sph_inflow_default(void)
{
    kin_sph_inflow inflow = {0};
    kin_params_default(kin_sph_inflow_params, &inflow);
    return inflow;
}

kin_sph_surface_def kin_sph_surface_def_default(void)
{
    kin_sph_surface_def def = {0};
    kin_params_default(kin_sph_surface_params, &def);
    return def;
}
