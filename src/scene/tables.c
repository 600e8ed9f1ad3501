/* tables.c - what a scene can say on its top level, of colliders, attachments, materials, bounds and the camera. Everything else about these keys (checking,
 * help, schema, handbook) is made from the rows below. */
#include "scene/scene_inside.h"
#include "system/shape_params.h"

/* clang-format off */

static const char* const surface_names[] = {"matte", "glossy", "metal", "glass", "emissive", NULL};
static const char* const pattern_names[] = {"none", "speckle", "wood", "brick", "felt", "grains", "droplets", NULL};
static const char* const pair_names[] = {"average", "min", "max", "multiply", "geometric", NULL};
static const char* const policy_names[] = {"none", "deactivate", "bounce", NULL};

#define COLLIDER(member) offsetof(kin_collider_def, member)
const kin_param kin_scene_collider_params[] = {
    {.name = "name", .type = KIN_PARAM_TEXT, .offset = COLLIDER(name), .doc = "What it is called in frames; left out: \"collider\" and its number."},
    {.name = "shape", .type = KIN_PARAM_ONE_OF, .offset = COLLIDER(shape), .doc = "Its form.",
     .sub = kin_shape_params, .tag_offset = offsetof(kin_shape, kind), .flags = KIN_PARAM_REQUIRED},
    {.name = "position", .type = KIN_PARAM_VECTOR, .offset = COLLIDER(position), .unit = "m",
     .doc = "Where its centre is; of a plane, a point on it."},
    {.name = "orientation", .type = KIN_PARAM_ORIENTATION, .offset = COLLIDER(orientation), .doc = "How it is turned."},
    {.name = "material", .type = KIN_PARAM_MATERIAL, .offset = COLLIDER(material), .doc = "What it is made of: one of materials, or a preset. None: it takes the other's where it meets something."},
    {.name = "keys", .type = KIN_PARAM_LIST, .offset = COLLIDER(keys), .doc = "Poses over time: the collider is moved by them.",
     .sub = kin_key_params, .sub_size = sizeof(kin_key)},
    {.name = "path", .type = KIN_PARAM_TABLE, .offset = COLLIDER(path), .doc = "A curve that it follows, instead of keys.", .sub = kin_path_params},
    {.name = "filter", .type = KIN_PARAM_TABLE, .offset = COLLIDER(filter), .doc = "Which bodies and questions meet it; left out: all.", .sub = kin_filter_params},
    {.name = "smooth", .type = KIN_PARAM_BOOL, .offset = COLLIDER(smooth), .doc = "Between keys: true a spline, false straight lines.",
     .preset = {1}},
    {0},
};

#define MATERIAL(member) offsetof(kin_scene_material, member)
const kin_param kin_scene_material_params[] = {
    {.name = "preset", .type = KIN_PARAM_TEXT, .offset = MATERIAL(preset),
     .doc = "Begin with this preset (see the list of presets) instead of the plain defaults."},
    {.name = "density", .type = KIN_PARAM_NUMBER, .offset = MATERIAL(density), .unit = "kg/m^3", .doc = "Mass of a volume.",
     .low = 0, .high = 1e300, .preset = {1000},
     .flags = KIN_PARAM_OPEN_LOW},
    {.name = "restitution", .type = KIN_PARAM_NUMBER, .offset = MATERIAL(restitution),
     .doc = "How much of the approach speed comes back: 0 none, 1 all; above 1 gains energy.", .low = 0, .high = 1e300, .preset = {0.5}},
    {.name = "friction", .type = KIN_PARAM_PAIR, .offset = MATERIAL(friction),
     .doc = "Static and dynamic friction at once; two numbers for the two tangent axes.", .low = 0, .high = 1e300, .preset = {0.5, 0.5}},
    {.name = "static_friction", .type = KIN_PARAM_PAIR, .offset = MATERIAL(static_friction), .doc = "Coulomb coefficient of what is at rest.",
     .low = 0, .high = 1e300, .preset = {0.5, 0.5}},
    {.name = "dynamic_friction", .type = KIN_PARAM_PAIR, .offset = MATERIAL(dynamic_friction),
     .doc = "Coulomb coefficient of what slides; at most the static one.", .low = 0, .high = 1e300, .preset = {0.4, 0.4}},
    {.name = "rolling_friction", .type = KIN_PARAM_NUMBER, .offset = MATERIAL(rolling_friction), .unit = "m",
     .doc = "Lever by which the load resists rolling.", .low = 0, .high = 1e300},
    {.name = "spinning_friction", .type = KIN_PARAM_NUMBER, .offset = MATERIAL(spinning_friction), .unit = "m",
     .doc = "Lever by which the load resists spinning on the spot, beyond what the size of the contact gives.", .low = 0, .high = 1e300},
    {.name = "color", .type = KIN_PARAM_COLOR, .offset = MATERIAL(color), .doc = "Colour in pictures.", .preset = {0.6, 0.6, 0.6}},
    {.name = "surface", .type = KIN_PARAM_ENUM, .offset = MATERIAL(surface), .doc = "How light meets it.", .names = surface_names},
    {.name = "roughness", .type = KIN_PARAM_NUMBER, .offset = MATERIAL(roughness), .doc = "0 mirror, 1 dull; glossy and metal surfaces.",
     .low = 0, .high = 1, .preset = {0.6}},
    {.name = "glow", .type = KIN_PARAM_NUMBER, .offset = MATERIAL(glow), .doc = "Light that an emissive surface gives, times its colour.",
     .low = 0, .high = 1e9},
    {.name = "ior", .type = KIN_PARAM_NUMBER, .offset = MATERIAL(ior),
     .doc = "Index of refraction of a glass surface: water 1.333, glass 1.5. Where clear bodies overlap the highest counts.", .low = 1, .high = 4, .preset = {1.5}},
    {.name = "absorption", .type = KIN_PARAM_VECTOR, .offset = MATERIAL(absorption), .unit = "1/m",
     .doc = "Light lost inside a glass surface: exp(-absorption way) is left, of red, green and blue.", .low = 0, .high = 1e6},
    {.name = "pattern", .type = KIN_PARAM_ENUM, .offset = MATERIAL(pattern),
     .doc = "Variation of the colour over the surface; grains, droplets: particles are drawn as many small ones.", .names = pattern_names},
    {.name = "pattern_size", .type = KIN_PARAM_NUMBER, .offset = MATERIAL(pattern_size), .unit = "m",
     .doc = "Size of a patch, ring, brick or fibre; 0: the pattern's own.", .low = 0, .high = 1e9},
    {.name = "bevel", .type = KIN_PARAM_NUMBER, .offset = MATERIAL(bevel),
     .doc = "Rounding of the edges of boxes, cylinders and cones in pictures, as a part of their least side; they collide with sharp edges.", .low = 0, .high = 0.5,
     .preset = {0.03}},
    {0},
};

#define END(member) offsetof(kin_scene_end, member)
static const kin_param end_a_params[] = {
    {.name = "system", .type = KIN_PARAM_TEXT, .offset = END(system), .doc = "Name of a system; without one of its own, its type.", .flags = KIN_PARAM_REQUIRED},
    {.name = "element", .type = KIN_PARAM_COUNT, .offset = END(element), .doc = "Which of its elements, from 0.", .low = 0, .high = 4e9,
     .flags = KIN_PARAM_REQUIRED},
    {.name = "at", .type = KIN_PARAM_VECTOR, .offset = END(local), .unit = "m", .doc = "Where on it, in its own frame."},
    {0},
};
static const kin_param end_b_params[] = {
    {.name = "point", .type = KIN_PARAM_VECTOR, .offset = END(point), .unit = "m", .doc = "A point of space; or:"},
    {.name = "collider", .type = KIN_PARAM_TEXT, .offset = END(collider), .doc = "Name of a collider, with which it moves; or:"},
    {.name = "system", .type = KIN_PARAM_TEXT, .offset = END(system), .doc = "Name of a system."},
    {.name = "element", .type = KIN_PARAM_COUNT, .offset = END(element), .doc = "Which of the system's elements, from 0.", .low = 0, .high = 4e9},
    {.name = "at", .type = KIN_PARAM_VECTOR, .offset = END(local), .unit = "m", .doc = "Where on the collider or element, in its own frame."},
    {0},
};

#define TARGET_KEY(member) offsetof(kin_attachment_key, member)
static const kin_param target_key_params[] = {
    {.name = "t", .type = KIN_PARAM_NUMBER, .offset = TARGET_KEY(time), .unit = "s", .doc = "When. Times rise from key to key.",
     .flags = KIN_PARAM_REQUIRED},
    {.name = "position", .type = KIN_PARAM_VECTOR, .offset = TARGET_KEY(point), .unit = "m", .doc = "Where the point then is.",
     .flags = KIN_PARAM_REQUIRED},
    {0},
};

#define ATTACH(member) offsetof(kin_scene_attachment, member)
const kin_param kin_scene_attachment_params[] = {
    /* defaults: kin_attachment_def_default(), a test compares them */
    {.name = "a", .type = KIN_PARAM_TABLE, .offset = ATTACH(a), .doc = "The element that is held.", .sub = end_a_params, .flags = KIN_PARAM_REQUIRED},
    {.name = "b", .type = KIN_PARAM_TABLE, .offset = ATTACH(b), .doc = "What holds it: a point, a collider or another element; left out: keys do.",
     .sub = end_b_params},
    {.name = "rigid", .type = KIN_PARAM_BOOL, .offset = ATTACH(def.rigid), .doc = "Holds at rest length exactly; stiffness and damping do not count."},
    {.name = "stiffness", .type = KIN_PARAM_NUMBER, .offset = ATTACH(def.stiffness), .unit = "N/m", .doc = "Of the spring; none is too stiff.",
     .low = 0, .high = 1e300, .preset = {1000}, .flags = KIN_PARAM_OPEN_LOW},
    {.name = "damping_ratio", .type = KIN_PARAM_NUMBER, .offset = ATTACH(def.damping_ratio),
     .doc = "Of critical damping: 0 swings on, 1 comes to rest soonest; where only damping is given: 0.", .low = 0, .high = 1e300, .preset = {1}},
    {.name = "damping", .type = KIN_PARAM_NUMBER, .offset = ATTACH(def.damping), .unit = "N s/m", .doc = "Damping by its constant, in addition.",
     .low = 0, .high = 1e300},
    {.name = "rest", .type = KIN_PARAM_NUMBER, .offset = ATTACH(def.rest), .unit = "m", .doc = "Rest length; 0 pulls together from every side.",
     .low = 0, .high = 1e9},
    {.name = "max_force", .type = KIN_PARAM_NUMBER, .offset = ATTACH(def.max_force), .unit = "N", .doc = "Never pulls harder; 0: no limit.",
     .low = 0, .high = 1e300},
    {.name = "break_force", .type = KIN_PARAM_NUMBER, .offset = ATTACH(def.break_force), .unit = "N", .doc = "Breaks when it would have to pull harder; 0: never.",
     .low = 0, .high = 1e300},
    {.name = "keys", .type = KIN_PARAM_LIST, .offset = ATTACH(def.keys), .doc = "Where the point of space is over time, smooth between keys.",
     .sub = target_key_params, .sub_size = sizeof(kin_attachment_key)},
    {0},
};

#define BOUNDS(member) offsetof(kin_scene_bounds, member)
const kin_param kin_scene_bounds_params[] = {
    {.name = "low", .type = KIN_PARAM_VECTOR, .offset = BOUNDS(low), .unit = "m", .doc = "The world's lowest corner.", .flags = KIN_PARAM_REQUIRED},
    {.name = "high", .type = KIN_PARAM_VECTOR, .offset = BOUNDS(high), .unit = "m", .doc = "The world's highest corner.",
     .flags = KIN_PARAM_REQUIRED},
    {.name = "policy", .type = KIN_PARAM_ENUM, .offset = BOUNDS(policy), .doc = "What leaves is deactivated, or bounces off walls.",
     .names = policy_names, .preset = {KIN_BOUNDS_DEACTIVATE}},
    {0},
};

#define PAIR(member) offsetof(kin_scene_pair, member)
#define BY_RULE "Below 0, or left out: by the rule."
const kin_param kin_scene_pair_params[] = {
    /* defaults: kin_material_pair_def_default(), a test compares them */
    {.name = "a", .type = KIN_PARAM_MATERIAL, .offset = PAIR(def.a), .doc = "One material: of materials, or a preset.", .flags = KIN_PARAM_REQUIRED},
    {.name = "b", .type = KIN_PARAM_MATERIAL, .offset = PAIR(def.b), .doc = "The other; may be the same.", .flags = KIN_PARAM_REQUIRED},
    {.name = "restitution", .type = KIN_PARAM_NUMBER, .offset = PAIR(def.restitution), .doc = "Restitution of the pair. " BY_RULE, .low = -1, .high = 1e300,
     .preset = {-1}},
    {.name = "friction", .type = KIN_PARAM_PAIR, .offset = PAIR(friction),
     .doc = "Static and dynamic friction at once; two numbers for the two tangent axes. " BY_RULE, .low = -1, .high = 1e300, .preset = {-1, -1}},
    {.name = "static_friction", .type = KIN_PARAM_PAIR, .offset = PAIR(def.static_friction), .doc = "Coulomb coefficient at rest. " BY_RULE, .low = -1,
     .high = 1e300, .preset = {-1, -1}},
    {.name = "dynamic_friction", .type = KIN_PARAM_PAIR, .offset = PAIR(def.dynamic_friction), .doc = "Coulomb coefficient while sliding. " BY_RULE, .low = -1,
     .high = 1e300, .preset = {-1, -1}},
    {.name = "rolling_friction", .type = KIN_PARAM_NUMBER, .offset = PAIR(def.rolling_friction), .unit = "m",
     .doc = "Lever by which the load resists rolling. " BY_RULE, .low = -1, .high = 1e300, .preset = {-1}},
    {.name = "spinning_friction", .type = KIN_PARAM_NUMBER, .offset = PAIR(def.spinning_friction), .unit = "m",
     .doc = "Lever by which the load resists spinning on the spot. " BY_RULE, .low = -1, .high = 1e300, .preset = {-1}},
    {0},
};

#define PAIRS(member) offsetof(kin_scene_pairs, member)
const kin_param kin_scene_pairs_params[] = {
    {.name = "restitution", .type = KIN_PARAM_ENUM, .offset = PAIRS(restitution), .doc = "Rule for the restitution of a pair.", .names = pair_names},
    {.name = "friction", .type = KIN_PARAM_ENUM, .offset = PAIRS(friction), .doc = "Rule for the friction of a pair.", .names = pair_names},
    {.name = "values", .type = KIN_PARAM_LIST, .offset = PAIRS(values), .doc = "Pairs that have coefficients of their own.", .sub = kin_scene_pair_params,
     .sub_size = sizeof(kin_scene_pair)},
    {0},
};

#define CAMERA_KEY(member) offsetof(kin_camera_key, member)
static const kin_param camera_key_params[] = {
    {.name = "t", .type = KIN_PARAM_NUMBER, .offset = CAMERA_KEY(time), .unit = "s", .doc = "When. Times rise from key to key.",
     .flags = KIN_PARAM_REQUIRED},
    {.name = "eye", .type = KIN_PARAM_VECTOR, .offset = CAMERA_KEY(eye), .unit = "m", .doc = "Where it stands; left out: the camera's own eye.",
     .flags = KIN_PARAM_AS_OWNER},
    {.name = "target", .type = KIN_PARAM_VECTOR, .offset = CAMERA_KEY(target), .unit = "m",
     .doc = "What it looks at; left out: the camera's own target.", .flags = KIN_PARAM_AS_OWNER},
    {0},
};

#define CAMERA(member) offsetof(kin_scene_camera, member)
const kin_param kin_scene_camera_params[] = {
    /* defaults: kin_view_default(), a test compares them */
    {.name = "eye", .type = KIN_PARAM_VECTOR, .offset = CAMERA(eye), .unit = "m", .doc = "Where the camera stands.", .preset = {6, 4, 9}},
    {.name = "target", .type = KIN_PARAM_VECTOR, .offset = CAMERA(target), .unit = "m", .doc = "What it looks at.", .preset = {0, 1, 0}},
    {.name = "up", .type = KIN_PARAM_DIRECTION, .offset = CAMERA(up), .doc = "What is up in the picture.", .preset = {0, 1, 0}},
    {.name = "fov", .type = KIN_PARAM_NUMBER, .offset = CAMERA(fov), .unit = "rad", .doc = "Vertical field of view.",
     .low = 0, .high = 3.14159, .preset = {0.8},
     .flags = KIN_PARAM_OPEN_LOW},
    {.name = "aperture", .type = KIN_PARAM_NUMBER, .offset = CAMERA(aperture), .unit = "m",
     .doc = "Diameter of the lens: what is not at the target's distance blurs; 0 is a pinhole.", .low = 0, .high = 1000},
    {.name = "shutter", .type = KIN_PARAM_NUMBER, .offset = CAMERA(shutter), .doc = "Part of a frame that the shutter is open: motion blur.",
     .low = 0, .high = 1, .preset = {0.5}},
    {.name = "exposure", .type = KIN_PARAM_NUMBER, .offset = CAMERA(exposure), .unit = "stops", .doc = "Brightness of the picture; 1 more doubles it.",
     .low = -30, .high = 30},
    {.name = "clouds", .type = KIN_PARAM_NUMBER, .offset = CAMERA(clouds), .doc = "Share of the sky that clouds cover.", .low = 0, .high = 1, .preset = {0.35}},
    {.name = "sun", .type = KIN_PARAM_DIRECTION, .offset = CAMERA(sun), .doc = "Direction towards the sun.", .preset = {0.45, 0.75, 0.48}},
    {.name = "sun_angle", .type = KIN_PARAM_NUMBER, .offset = CAMERA(sun_angle), .unit = "rad",
     .doc = "Apparent diameter of the sun: softness of shadows.", .low = 0, .high = 3, .preset = {0.06}},
    {.name = "sun_color", .type = KIN_PARAM_COLOR, .offset = CAMERA(sun_color), .doc = "Light of the sun; may exceed 1.",
     .low = 0, .high = 1000, .preset = {3.0, 2.75, 2.4}},
    {.name = "sky_color", .type = KIN_PARAM_COLOR, .offset = CAMERA(sky_color), .doc = "Light from straight above.",
     .low = 0, .high = 1000, .preset = {0.32, 0.47, 0.72}},
    {.name = "horizon_color", .type = KIN_PARAM_COLOR, .offset = CAMERA(horizon_color), .doc = "Light from the horizon.",
     .low = 0, .high = 1000, .preset = {0.85, 0.88, 0.92}},
    {.name = "keys", .type = KIN_PARAM_LIST, .offset = CAMERA(keys), .doc = "Where the camera is over time.",
     .sub = camera_key_params, .sub_size = sizeof(kin_camera_key)},
    {0},
};

#define TOP(member) offsetof(kin_scene_def, member)
const kin_param kin_scene_top_params[] = {
    {.name = "title", .type = KIN_PARAM_TEXT, .offset = TOP(title), .doc = "What the scene is called; left out: its file."},
    {.name = "duration", .type = KIN_PARAM_NUMBER, .offset = TOP(duration), .unit = "s", .doc = "How long it runs.",
     .low = 0, .high = 1e9, .preset = {5}},
    {.name = "fps", .type = KIN_PARAM_NUMBER, .offset = TOP(fps), .unit = "1/s", .doc = "Frames a second.", .low = 0, .high = 1e6, .preset = {30},
     .flags = KIN_PARAM_OPEN_LOW},
    {.name = "steps_per_frame", .type = KIN_PARAM_INTEGER, .offset = TOP(steps_per_frame),
     .doc = "Steps in a frame; 0: the fewest of at most 1/60 s each.", .low = 0, .high = 1e6},
    {.name = "seed", .type = KIN_PARAM_SEED, .offset = TOP(seed), .doc = "Of all random numbers."},
    {.name = "gravity", .type = KIN_PARAM_VECTOR, .offset = TOP(gravity), .unit = "m/s^2", .doc = "Acceleration of everything that falls.",
     .preset = {0, -9.81, 0},
     .flags = KIN_PARAM_LIVE},
    {.name = "bounds", .type = KIN_PARAM_TABLE, .offset = TOP(bounds), .doc = "A box round the world; left out: endless.",
     .sub = kin_scene_bounds_params},
    {.name = "pairs", .type = KIN_PARAM_TABLE, .offset = TOP(pairs), .doc = "How two materials meet.", .sub = kin_scene_pairs_params},
    {.name = "max_intervals", .type = KIN_PARAM_INTEGER, .offset = TOP(max_intervals), .doc = "Parts a step may be cut into when a system refuses it.",
     .low = 1, .high = 65536, .preset = {64}},
    {.name = "max_passes", .type = KIN_PARAM_INTEGER, .offset = TOP(max_passes), .doc = "Exchanges between systems in one interval.",
     .low = 1, .high = 1000, .preset = {1}},
    {.name = "colliders", .type = KIN_PARAM_LIST, .offset = TOP(colliders), .doc = "Solids that things bounce off.",
     .sub = kin_scene_collider_params, .sub_size = sizeof(kin_collider_def)},
    {.name = "attachments", .type = KIN_PARAM_LIST, .offset = TOP(attachments),
     .doc = "Springs and rigid links between elements, colliders and points of space.", .sub = kin_scene_attachment_params,
     .sub_size = sizeof(kin_scene_attachment)},
    {.name = "camera", .type = KIN_PARAM_TABLE, .offset = TOP(camera), .doc = "How pictures are taken, and the light.",
     .sub = kin_scene_camera_params},
    {0},
};

const kin_scene_part kin_scene_parts[] = {
    {"materials", "table of materials by name", "What things are made of; a name that is not here may be a preset."},
    {"fields", "list of fields", "Forces felt by everything: each item has the name of one field."},
    {"systems", "list of systems", "What moves: each item has a type, and may have a name."},
    {"include", "list of file names",
     "Scenes merged below this one: lists of colliders, fields, systems and attachments are joined, materials merged, for all else this scene wins."},
    {NULL, NULL, NULL},
};
const char* const kin_scene_part_keys[] = {"materials", "fields", "systems", "include", NULL};
const char* const kin_scene_system_keys[] = {"type", "name", NULL};
