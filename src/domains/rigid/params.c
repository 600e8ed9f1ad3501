/* params.c - what a scene can say of rigid bodies, the joints between them and their fracture. */
#include "domains/rigid/rigid.h"
#include "collision/broad/broad.h"
#include "numerics/integrators.h"
#include "system/shape_params.h"
#include <stddef.h>
#include <string.h>

/* clang-format off */

static const char* const mode_names[] = {"realtime", "exact", NULL};
static const char* const mobility_names[] = {"inactive", "static", "dynamic", "animated", NULL};
static const char* const glue_names[] = {"composite", "joints", NULL};
static const char* const impulse_names[] = {"system", "lcp", "micro", "sequential", NULL};
static const char* const force_names[] = {"baraff", "dantzig", "lemke", "kokkevis", "qp", NULL};
static const char* const rule_names[] = {"pi", "house", "coutinho", "slides", NULL};
static const char* const response_names[] = {"events", "penalty", "sdf", NULL};

#define MOST 1e300
#define ADAPTIVE_RK45 10 /* its row in kin_integrator_names */

/* ---- bodies ---- */

#define FRACTURE(member) offsetof(kin_fracture_def, member)
const kin_param kin_fracture_params[] = {
    {.name = "pieces", .type = KIN_PARAM_INTEGER, .offset = FRACTURE(pieces), .doc = "Points it is cut round; 0: it never breaks.", .low = 0, .high = 10000},
    {.name = "seed", .type = KIN_PARAM_SEED, .offset = FRACTURE(seed), .doc = "Of the points."},
    {.name = "glue", .type = KIN_PARAM_ENUM, .offset = FRACTURE(glue),
     .doc = "composite: one body until a hit, then all pieces; joints: pieces held to their neighbours by joints that break one by one.", .names = glue_names},
    {.name = "strength", .type = KIN_PARAM_NUMBER, .offset = FRACTURE(strength),
     .doc = "composite: the hit that it bears, N s; joints: what the glue bears, N/m^2 of the face between two pieces.", .low = 0, .high = MOST},
    {0},
};

#define BODY(member) offsetof(kin_body_def, member)
const kin_param kin_body_params[] = {
    {.name = "name", .type = KIN_PARAM_TEXT, .offset = BODY(name), .doc = "What joints call it."},
    {.name = "shape", .type = KIN_PARAM_ONE_OF, .offset = BODY(shape), .doc = "What collides, and gives the mass.",
     .sub = kin_shape_params, .tag_offset = offsetof(kin_shape, kind), .flags = KIN_PARAM_REQUIRED},
    {.name = "visible", .type = KIN_PARAM_ONE_OF, .offset = BODY(visible), .doc = "What is seen instead of the shape.",
     .sub = kin_shape_params, .tag_offset = offsetof(kin_shape, kind), .told_offset = BODY(has_visible), .flags = KIN_PARAM_TELLS},
    {.name = "position", .type = KIN_PARAM_VECTOR, .offset = BODY(position), .unit = "m", .doc = "Where its shape's origin is."},
    {.name = "orientation", .type = KIN_PARAM_ORIENTATION, .offset = BODY(orientation), .doc = "How its shape is turned."},
    {.name = "velocity", .type = KIN_PARAM_VECTOR, .offset = BODY(velocity), .unit = "m/s", .doc = "Of its centre of mass."},
    {.name = "spin", .type = KIN_PARAM_VECTOR, .offset = BODY(spin), .unit = "rad/s", .doc = "Angular velocity, about the world's axes."},
    {.name = "mass", .type = KIN_PARAM_NUMBER, .offset = BODY(mass), .unit = "kg", .doc = "Of the whole; 0: from the density.", .low = 0, .high = MOST},
    {.name = "density", .type = KIN_PARAM_NUMBER, .offset = BODY(density), .unit = "kg/m^3", .doc = "0: that of its material, or of each part's.",
     .low = 0, .high = MOST},
    {.name = "moments", .type = KIN_PARAM_VECTOR, .offset = BODY(moments), .unit = "kg m^2",
     .doc = "Diagonal of the inertia tensor about the centre of mass, along the shape's axes; zero: from the shape.", .low = 0, .high = MOST},
    {.name = "products", .type = KIN_PARAM_VECTOR, .offset = BODY(products), .unit = "kg m^2",
     .doc = "Off-diagonal elements xy, xz, yz of the inertia tensor; they need moments.", .low = -MOST, .high = MOST},
    {.name = "center", .type = KIN_PARAM_VECTOR, .offset = BODY(center), .unit = "m",
     .doc = "Centre of mass in the shape's frame; left out: that of the shape. Without moments the shape's own inertia counts about it.", .low = -MOST, .high = MOST,
     .told_offset = BODY(has_center), .flags = KIN_PARAM_TELLS},
    {.name = "voxels", .type = KIN_PARAM_INTEGER, .offset = BODY(voxels),
     .doc = "Mass, centre and inertia from cells whose middles are inside, so many along its longest side; 0: by exact integrals.", .low = 0, .high = 512},
    {.name = "material", .type = KIN_PARAM_MATERIAL, .offset = BODY(material), .doc = "What it is made of: density, restitution, friction, look."},
    {.name = "mobility", .type = KIN_PARAM_ENUM, .offset = BODY(mobility), .doc = "What moves it; a body with keys is animated.", .names = mobility_names,
     .preset = {KIN_MOBILITY_DYNAMIC}},
    {.name = "keys", .type = KIN_PARAM_LIST, .offset = BODY(keys), .doc = "Poses over time: it is moved by them, whatever meets it.", .sub = kin_key_params,
     .sub_size = sizeof(kin_key)},
    {.name = "path", .type = KIN_PARAM_TABLE, .offset = BODY(path), .doc = "A curve that it follows, instead of keys.", .sub = kin_path_params},
    {.name = "smooth", .type = KIN_PARAM_BOOL, .offset = BODY(smooth), .doc = "Between keys: true a spline, false straight lines.", .preset = {1}},
    {.name = "filter", .type = KIN_PARAM_TABLE, .offset = BODY(filter), .doc = "Whom it meets; left out: all.", .sub = kin_filter_params},
    {.name = "drag", .type = KIN_PARAM_NUMBER, .offset = BODY(drag), .unit = "kg/s", .doc = "Force per speed through the air.", .low = 0, .high = MOST},
    {.name = "angular_drag", .type = KIN_PARAM_NUMBER, .offset = BODY(angular_drag), .unit = "kg m^2/s", .doc = "Torque per spin.", .low = 0, .high = MOST},
    {.name = "drag_area", .type = KIN_PARAM_NUMBER, .offset = BODY(drag_area), .unit = "m^2",
     .doc = "Area times coefficient of its drag by the square of its speed; below 0: the shape's mean shadow.", .low = -MOST, .high = MOST},
    {.name = "gravity_scale", .type = KIN_PARAM_NUMBER, .offset = BODY(gravity_scale), .doc = "Of the world's gravity.", .preset = {1}},
    {.name = "surface_velocity", .type = KIN_PARAM_VECTOR, .offset = BODY(surface_velocity), .unit = "m/s",
     .doc = "In its frame: what lies on it is carried along, as by a conveyor."},
    {.name = "one_way", .type = KIN_PARAM_VECTOR, .offset = BODY(one_way),
     .doc = "In its frame: what comes along this direction passes through, what comes against it is stopped; zero: solid from all sides."},
    {.name = "sensor", .type = KIN_PARAM_BOOL, .offset = BODY(sensor), .doc = "Reports what is in it, and pushes nothing."},
    {.name = "stays_awake", .type = KIN_PARAM_BOOL, .offset = BODY(stays_awake), .doc = "Never sleeps."},
    {.name = "fracture", .type = KIN_PARAM_TABLE, .offset = BODY(fracture), .doc = "How it comes apart; left out: it does not.", .sub = kin_fracture_params},
    {0},
};

/* ---- joints: rows of what is free, then a table a kind ---- */

#define FREEDOM(member) offsetof(kin_joint_freedom, member)
#define FROM(first, member) (FREEDOM(member) - FREEDOM(first))
#define MOTOR_ROWS(rate, force) \
    {.name = "speed", .type = KIN_PARAM_CURVE, .offset = FROM(speed, speeds), .unit = rate, .doc = "That it drives to: a number, or a curve over time.", \
     .low = -MOST, .high = MOST}, \
    {.name = "most", .type = KIN_PARAM_NUMBER, .offset = FROM(speed, most), .unit = force, .doc = "What it drives with, at most.", \
     .low = 0, .high = MOST, .flags = KIN_PARAM_REQUIRED}, \
    {0}
#define SPRING_ROWS(place, stiff, damp) \
    {.name = "stiffness", .type = KIN_PARAM_NUMBER, .offset = 0, .unit = stiff, .doc = "0: no spring.", .low = 0, .high = MOST}, \
    {.name = "damping", .type = KIN_PARAM_NUMBER, .offset = FROM(stiffness, damping), .unit = damp, .doc = "Beside the spring, or without one.", \
     .low = 0, .high = MOST}, \
    {.name = "rest", .type = KIN_PARAM_NUMBER, .offset = FROM(stiffness, rest), .unit = place, .doc = "Where it pulls to, from where it stood at first."}, \
    {0}
static const kin_param motor_params[] = {MOTOR_ROWS("m/s", "N")};
static const kin_param turn_motor_params[] = {MOTOR_ROWS("rad/s", "N m")};
static const kin_param spring_params[] = {SPRING_ROWS("m", "N/m", "N s/m")};
static const kin_param turn_spring_params[] = {SPRING_ROWS("rad", "N m/rad", "N m s/rad")};

#define FREEDOM_ROWS(base, place, force, motors, springs) \
    {.name = "limits", .type = KIN_PARAM_TWO, .offset = (base) + FREEDOM(low), .unit = place, .doc = "Stops: low and high, from where it stood at first.", \
     .told_offset = (base) + FREEDOM(limited), .flags = KIN_PARAM_TELLS}, \
    {.name = "motor", .type = KIN_PARAM_TABLE, .offset = (base) + FREEDOM(speed), .doc = "Drives it.", .sub = motors, \
     .told_offset = (base) + FREEDOM(motor), .flags = KIN_PARAM_TELLS}, \
    {.name = "spring", .type = KIN_PARAM_TABLE, .offset = (base) + FREEDOM(stiffness), .doc = "Pulls it to a place.", .sub = springs}, \
    {.name = "friction", .type = KIN_PARAM_NUMBER, .offset = (base) + FREEDOM(friction), .unit = force, .doc = "That has to be overcome.", .low = 0, .high = MOST}
#define SLIDE_ROWS(base) FREEDOM_ROWS(base, "m", "N", motor_params, spring_params)
#define TURN_ROWS(base) FREEDOM_ROWS(base, "rad", "N m", turn_motor_params, turn_spring_params)
static const kin_param slide_params[] = {SLIDE_ROWS(0), {0}};
static const kin_param turn_params[] = {TURN_ROWS(0), {0}};

#define JOINT(member) offsetof(kin_joint_def, member)
#define ANCHOR(text) {.name = "anchor", .type = KIN_PARAM_VECTOR, .offset = JOINT(anchor), .unit = "m", .doc = text, .flags = KIN_PARAM_REQUIRED}
#define AXIS(text) {.name = "axis", .type = KIN_PARAM_DIRECTION, .offset = JOINT(axis), .doc = text, .preset = {1, 0, 0}, .flags = KIN_PARAM_REQUIRED}
#define AXIS_B(text, must) {.name = "axis_b", .type = KIN_PARAM_VECTOR, .offset = JOINT(axis_b), .doc = text, .flags = must}
#define ENDS \
    ANCHOR("On a, in the world as it stands at first."), \
    {.name = "anchor_b", .type = KIN_PARAM_VECTOR, .offset = JOINT(anchor_b), .unit = "m", .doc = "On b.", \
     .told_offset = JOINT(has_anchor_b), .flags = KIN_PARAM_TELLS | KIN_PARAM_REQUIRED}
#define LENGTH(text) {.name = "length", .type = KIN_PARAM_NUMBER, .offset = JOINT(length), .unit = "m", .doc = text, .low = 0, .high = 1e9}
#define RATIO(text) {.name = "ratio", .type = KIN_PARAM_NUMBER, .offset = JOINT(ratio), .doc = text, .preset = {1}}
#define SUB(key, index, text, rows) {.name = key, .type = KIN_PARAM_TABLE, .offset = JOINT(freedom[index]), .doc = text, .sub = rows}

static const kin_param distance_params[] = {ENDS, LENGTH("How far apart; 0: as they stand."), SLIDE_ROWS(JOINT(freedom[0])), {0}};
static const kin_param ball_params[] = {
    ANCHOR("The point in common."),
    {.name = "axis", .type = KIN_PARAM_DIRECTION, .offset = JOINT(axis), .doc = "Swing leans away from it, twist turns about it.", .preset = {1, 0, 0}},
    SUB("swing", 0, "Leaning of b's axis from a's.", turn_params), SUB("twist", 1, "Turning about the axis.", turn_params), {0}};
static const kin_param hinge_params[] = {ANCHOR("A point of the axis."), AXIS("It turns about."), TURN_ROWS(JOINT(freedom[0])), {0}};
static const kin_param slider_params[] = {ANCHOR("A point of the axis."), AXIS("It slides along."), SLIDE_ROWS(JOINT(freedom[0])), {0}};
static const kin_param universal_params[] = {
    ANCHOR("Where the axes cross."), AXIS("Of a."), AXIS_B("Of b, at right angles to that of a; left out: chosen.", 0),
    SUB("first", 0, "Turning about the axis of a.", turn_params), SUB("second", 1, "Turning about the axis of b.", turn_params), {0}};
static const kin_param cylindrical_params[] = {
    ANCHOR("A point of the axis."), AXIS("It slides along and turns about."),
    SUB("slide", 0, "Along the axis.", slide_params), SUB("turn", 1, "About the axis.", turn_params), {0}};
static const kin_param fixed_params[] = {ANCHOR("Where its load is measured."), {0}};
static const kin_param wheel_params[] = {
    ANCHOR("The hub."), AXIS("It is sprung along, fixed to a."), AXIS_B("It turns about; left out: chosen, across the axis.", 0),
    SUB("slide", 0, "Suspension, along the axis.", slide_params), SUB("turn", 1, "Of the wheel.", turn_params), {0}};
static const kin_param gear_params[] = {
    {.name = "anchor", .type = KIN_PARAM_VECTOR, .offset = JOINT(anchor), .unit = "m", .doc = "A point of a's axle."},
    {.name = "anchor_b", .type = KIN_PARAM_VECTOR, .offset = JOINT(anchor_b), .unit = "m", .told_offset = JOINT(has_anchor_b), .flags = KIN_PARAM_TELLS,
     .doc = "A point of b's axle: turns then count against the line between the axles, or each other's where they are not parallel, so that what carries them may turn. Left out: against the world."},
    AXIS("Of a."), AXIS_B("Of b; left out: that of a.", 0), RATIO("Turns of a for one of b, the other way; below 0: the same way, as in a ring."), {0}};
static const kin_param pulley_params[] = {
    ENDS,
    {.name = "ground_a", .type = KIN_PARAM_VECTOR, .offset = JOINT(ground_a), .unit = "m", .doc = "Where the rope of a runs over.", .flags = KIN_PARAM_REQUIRED},
    {.name = "ground_b", .type = KIN_PARAM_VECTOR, .offset = JOINT(ground_b), .unit = "m", .doc = "Where the rope of b runs over.", .flags = KIN_PARAM_REQUIRED},
    RATIO("Length of a's rope + ratio times that of b's stays."), {0}};
static const kin_param rope_params[] = {ENDS, LENGTH("How far apart at most; 0: as they stand."), {0}};
static const kin_param mouse_params[] = {
    ANCHOR("The point of a that is pulled."),
    {.name = "target", .type = KIN_PARAM_VECTOR, .offset = JOINT(target), .unit = "m", .doc = "Where it is pulled to.", .flags = KIN_PARAM_REQUIRED},
    {.name = "stiffness", .type = KIN_PARAM_NUMBER, .offset = JOINT(freedom[0].stiffness), .unit = "N/m", .doc = "Of the spring.", .low = 0, .high = MOST},
    {.name = "damping", .type = KIN_PARAM_NUMBER, .offset = JOINT(freedom[0].damping), .unit = "N s/m", .doc = "Of the spring.", .low = 0, .high = MOST},
    {.name = "most", .type = KIN_PARAM_NUMBER, .offset = JOINT(freedom[0].most), .unit = "N", .doc = "What it pulls with, at most; 0: no limit.", .low = 0, .high = MOST},
    {0},
};

#define KIND(key, text, rows) {.name = key, .type = KIN_PARAM_TABLE, .offset = 0, .doc = text, .sub = rows}
/* In the order of kin_joint_kind. */
const kin_param kin_joint_params[] = {
    KIND("distance", "Two points stay a length apart, or within limits, or are held there by a spring.", distance_params),
    KIND("ball", "One point in common.", ball_params),
    KIND("hinge", "Turns about an axis.", hinge_params),
    KIND("slider", "Slides along an axis, without turning.", slider_params),
    KIND("universal", "Turns about two axes at right angles, one of each body.", universal_params),
    KIND("cylindrical", "Slides along an axis and turns about it.", cylindrical_params),
    KIND("fixed", "Nothing moves.", fixed_params),
    KIND("wheel", "A car's wheel (b) on its body (a): sprung along one axis, turning about another.", wheel_params),
    KIND("gear", "The turn of one goes with the turn of the other.", gear_params),
    KIND("pulley", "Ropes from two points over two others, one paid out as the other is drawn in.", pulley_params),
    KIND("rope", "Two points at most a length apart.", rope_params),
    KIND("mouse", "A point is pulled to a target by a damped spring of limited force.", mouse_params),
    {.name = "name", .type = KIN_PARAM_TEXT, .offset = JOINT(name), .doc = "What it is called.", .flags = KIN_PARAM_BESIDE},
    {.name = "a", .type = KIN_PARAM_WHICH, .offset = JOINT(a), .doc = "A body of this system.", .low = -1, .high = 4e9, .tag_offset = JOINT(body_a),
     .flags = KIN_PARAM_BESIDE | KIN_PARAM_REQUIRED},
    {.name = "b", .type = KIN_PARAM_WHICH, .offset = JOINT(b), .doc = "Another one; left out, or -1: the world. Values of the joint are those of b against a.", .low = -1, .high = 4e9, .preset = {-1},
     .tag_offset = JOINT(body_b), .flags = KIN_PARAM_BESIDE},
    {.name = "break_force", .type = KIN_PARAM_NUMBER, .offset = JOINT(break_force), .unit = "N", .doc = "It breaks when it has to hold more; 0: never.",
     .low = 0, .high = MOST, .flags = KIN_PARAM_BESIDE},
    {.name = "break_torque", .type = KIN_PARAM_NUMBER, .offset = JOINT(break_torque), .unit = "N m", .doc = "It breaks when it has to hold more; 0: never.",
     .low = 0, .high = MOST, .flags = KIN_PARAM_BESIDE},
    {.name = "collide", .type = KIN_PARAM_BOOL, .offset = JOINT(collide), .doc = "Its bodies still meet each other.", .flags = KIN_PARAM_BESIDE},
    {.name = "loose", .type = KIN_PARAM_BOOL, .offset = JOINT(loose), .doc = "Real time: always among the soft constraints, never solved directly.",
     .flags = KIN_PARAM_BESIDE},
    {0},
};

/* ---- systems ---- */

#define RIGID(member) offsetof(kin_rigid_def, member)
const kin_param kin_rigid_params[] = {
    {.name = "mode", .type = KIN_PARAM_ENUM, .offset = RIGID(mode),
     .doc = "realtime: fixed substeps, stable under anything; exact: collisions at their times, contact forces by complementarity.", .names = mode_names},
    {.name = "bodies", .type = KIN_PARAM_LIST, .offset = RIGID(bodies), .doc = "Numbered from 0.", .sub = kin_body_params, .sub_size = sizeof(kin_body_def)},
    {.name = "joints", .type = KIN_PARAM_LIST, .offset = RIGID(joints), .doc = "Between bodies, or a body and the world.", .sub = kin_joint_params,
     .sub_size = sizeof(kin_joint_def), .tag_offset = JOINT(kind), .flags = KIN_PARAM_CHOICE},
    {.name = "broad_phase", .type = KIN_PARAM_ENUM, .offset = RIGID(broad_phase),
     .doc = "How pairs of bodies whose boxes overlap are found: costs and memory differ, motion is the same to the bit.", .names = kin_broad_names},
    {.name = "substeps", .type = KIN_PARAM_INTEGER, .offset = RIGID(substeps), .doc = "Real time: parts of a step.", .low = 1, .high = 1000, .preset = {4},
     .flags = KIN_PARAM_LIVE},
    {.name = "contact_rate", .type = KIN_PARAM_NUMBER, .offset = RIGID(contact_rate), .unit = "1/s",
     .doc = "Real time: stiffness of contacts; 0: two thirteenths of the substep rate.", .low = 0, .high = 1e9, .flags = KIN_PARAM_LIVE},
    {.name = "contact_damping", .type = KIN_PARAM_NUMBER, .offset = RIGID(contact_damping), .doc = "Real time: of critical damping.", .low = 0, .high = 1e9,
     .preset = {10}, .flags = KIN_PARAM_LIVE},
    {.name = "push_speed", .type = KIN_PARAM_NUMBER, .offset = RIGID(push_speed), .unit = "m/s", .doc = "Real time: overlaps are undone no faster.",
     .low = 0, .high = 1e9, .preset = {3}, .flags = KIN_PARAM_LIVE},
    {.name = "bounce_speed", .type = KIN_PARAM_NUMBER, .offset = RIGID(bounce_speed), .unit = "m/s",
     .doc = "Slower meetings do not bounce; below 0: 1 in real time, 0.001 exact.", .low = -1, .high = 1e9, .preset = {-1}, .flags = KIN_PARAM_LIVE},
    {.name = "sleep", .type = KIN_PARAM_BOOL, .offset = RIGID(sleep), .doc = "Islands at rest are left out until something happens to them.", .preset = {1},
     .flags = KIN_PARAM_LIVE},
    {.name = "sleep_speed", .type = KIN_PARAM_NUMBER, .offset = RIGID(sleep_speed), .unit = "m/s", .doc = "Slower is at rest.", .low = 0, .high = 1e9,
     .preset = {0.05}, .flags = KIN_PARAM_LIVE},
    {.name = "sleep_time", .type = KIN_PARAM_NUMBER, .offset = RIGID(sleep_time), .unit = "s", .doc = "At rest for so long before it sleeps.", .low = 0,
     .high = 1e9, .preset = {0.5}, .flags = KIN_PARAM_LIVE},
    {.name = "continuous", .type = KIN_PARAM_BOOL, .offset = RIGID(continuous), .doc = "Real time: fast bodies are swept.", .preset = {1}, .flags = KIN_PARAM_LIVE},
    {.name = "integrator", .type = KIN_PARAM_ENUM, .offset = RIGID(integrator), .doc = "Exact: how bodies move between events.", .names = kin_integrator_names,
     .preset = {ADAPTIVE_RK45}},
    {.name = "integrator_tolerance", .type = KIN_PARAM_NUMBER, .offset = RIGID(integrator_tolerance),
     .doc = "Exact, adaptive integrators: error allowed in a step, of each number of the state (m, m/s, rad/s, N m s, parts of a quaternion): absolute, and of "
            "its size where that is above 1.",
     .low = 0, .high = 1, .preset = {1e-8}, .flags = KIN_PARAM_LIVE | KIN_PARAM_OPEN_LOW},
    {.name = "step_rule", .type = KIN_PARAM_ENUM, .offset = RIGID(step_rule),
     .doc = "Exact, adaptive integrators: how the next step is chosen: PI controller, or the rules of the texts.", .names = rule_names, .flags = KIN_PARAM_LIVE},
    {.name = "step_safety", .type = KIN_PARAM_NUMBER, .offset = RIGID(step_safety),
     .doc = "Exact, adaptive integrators: share of the step that would just meet the tolerance that is tried next.", .low = 0, .high = 1, .preset = {0.9},
     .flags = KIN_PARAM_LIVE | KIN_PARAM_OPEN_LOW},
    {.name = "impact_iterations", .type = KIN_PARAM_INTEGER, .offset = RIGID(impact_iterations),
     .doc = "Exact: steps of conservative advancement for a pair; one that has no answer by then counts as an impact.", .low = 1, .high = 1e9, .preset = {5000},
     .flags = KIN_PARAM_LIVE},
    {.name = "impact_parting", .type = KIN_PARAM_BOOL, .offset = RIGID(impact_parting),
     .doc = "Exact: a pair whose distance grows does not meet in this tick: quicker, and misses what turns back.", .flags = KIN_PARAM_LIVE},
    {.name = "tolerance", .type = KIN_PARAM_NUMBER, .offset = RIGID(tolerance), .unit = "m", .doc = "Exact: gap at a collision and at rest.", .low = 0,
     .high = 1, .preset = {1e-6}, .flags = KIN_PARAM_LIVE | KIN_PARAM_OPEN_LOW},
    {.name = "max_events", .type = KIN_PARAM_INTEGER, .offset = RIGID(max_events), .doc = "Exact: collisions in an interval, or rounds of the sdf response; after them nothing bounces.",
     .low = 1, .high = 1e9, .preset = {1000}, .flags = KIN_PARAM_LIVE},
    {.name = "max_ticks", .type = KIN_PARAM_INTEGER, .offset = RIGID(max_ticks), .doc = "Exact: parts that a body's interval may be cut into.", .low = 1,
     .high = 1e6, .preset = {64}, .flags = KIN_PARAM_LIVE},
    {.name = "impulses", .type = KIN_PARAM_ENUM, .offset = RIGID(impulses), .doc = "Exact: how collisions are resolved.", .names = impulse_names,
     .flags = KIN_PARAM_LIVE},
    {.name = "forces", .type = KIN_PARAM_ENUM, .offset = RIGID(forces), .doc = "Exact: how contact forces are found.", .names = force_names,
     .flags = KIN_PARAM_LIVE},
    {.name = "response", .type = KIN_PARAM_ENUM, .offset = RIGID(response),
     .doc = "Exact: collisions at their times; springs at overlaps, without going back; or vertices in distance fields, the whole step again.",
     .names = response_names},
    {.name = "shell", .type = KIN_PARAM_NUMBER, .offset = RIGID(shell), .unit = "m",
     .doc = "Exact, penalty: thickness of the springs about bodies; 0: 2 % of the thinner one, 0.1 to 50 mm.", .low = 0, .high = 1e9, .flags = KIN_PARAM_LIVE},
    {.name = "contact_speed", .type = KIN_PARAM_NUMBER, .offset = RIGID(contact_speed), .unit = "m/s",
     .doc = "Exact: slower along the normal is contact, not collision.", .low = 0, .high = 1e9, .preset = {1e-3}, .flags = KIN_PARAM_LIVE | KIN_PARAM_OPEN_LOW},
    {.name = "slip_speed", .type = KIN_PARAM_NUMBER, .offset = RIGID(slip_speed), .unit = "m/s",
     .doc = "Exact: slower along the surface is static friction.", .low = 0, .high = 1e9, .preset = {1e-3}, .flags = KIN_PARAM_LIVE | KIN_PARAM_OPEN_LOW},
    {.name = "show_joints", .type = KIN_PARAM_BOOL, .offset = RIGID(show_joints), .doc = "Frames have lines from the bodies to their joints.",
     .flags = KIN_PARAM_LIVE},
    {.name = "show_contacts", .type = KIN_PARAM_BOOL, .offset = RIGID(show_contacts), .doc = "Frames have the points of contact, each with its force as a line.",
     .flags = KIN_PARAM_LIVE},
    {.name = "report_contacts", .type = KIN_PARAM_BOOL, .offset = RIGID(report_contacts),
     .doc = "Contact forces and impulses are kept after each step, for world:contacts, world:contact_force and kin_world_contacts.", .flags = KIN_PARAM_LIVE},
    {0},
};

/* clang-format on */

kin_rigid_def kin_rigid_def_default(void)
{
    kin_rigid_def def = {0};
    kin_params_default(kin_rigid_params, &def);
    return def;
}

kin_body_def kin_body_def_default(void)
{
    kin_body_def def = {0};
    kin_params_default(kin_body_params, &def);
    return def;
}

kin_joint_def kin_joint_def_default(void)
{
    kin_joint_def def = {0};
    kin_params_default(kin_joint_params, &def);
    def.kind = KIN_JOINT_BALL;
    def.b = 1;
    return def;
}

const char* const* kin_rigid_integrators(void) { return kin_integrator_names; }
