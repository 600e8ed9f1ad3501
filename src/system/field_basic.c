/* field_basic.c - gravity, drag and wind. House & Keyser 2.7, 5.1.3. */
#include "math/vec3.h"
#include "system/field_kinds.h"

static double uniform_potential(const kin_field* field, double mass, kin_vec3 x, double time)
{
    (void)time;
    return -mass * kin_dot(((const kin_gravity_field*)field->def)->gravity, x);
}

static const kin_param gravity_params[] = {
    {.name = "gravity",
     .type = KIN_PARAM_VECTOR,
     .offset = offsetof(kin_gravity_field, gravity),
     .unit = "m/s^2",
     .doc = "A uniform acceleration, beside the world's own gravity.",
     .flags = KIN_PARAM_LIVE | KIN_PARAM_REQUIRED},
    KIN_FIELD_COMMON_ROWS,
};
static const kin_param drag_params[] = {
    {.name = "drag",
     .type = KIN_PARAM_NUMBER,
     .offset = offsetof(kin_drag_field, drag),
     .unit = "kg/s",
     .doc = "Force on a thing per speed relative to the air: F = drag (air - v). Below 0 it drives.",
     .flags = KIN_PARAM_LIVE | KIN_PARAM_REQUIRED},
    {.name = "quadratic",
     .type = KIN_PARAM_NUMBER,
     .offset = offsetof(kin_drag_field, quadratic),
     .unit = "kg/m",
     .doc = "Adds quadratic |air - v| to drag.",
     .flags = KIN_PARAM_LIVE},
    {.name = "top_speed",
     .type = KIN_PARAM_NUMBER,
     .offset = offsetof(kin_drag_field, top_speed),
     .unit = "m/s",
     .doc = "A drag below 0 drives nothing that is faster than this; 0: no limit.",
     .high = 1e300,
     .flags = KIN_PARAM_LIVE},
    KIN_FIELD_COMMON_ROWS,
};
static const kin_param wind_params[] = {
    {.name = "wind",
     .type = KIN_PARAM_VECTOR,
     .offset = offsetof(kin_wind_field, wind),
     .unit = "m/s",
     .doc = "Velocity of the air, felt through drag; several winds add.",
     .flags = KIN_PARAM_LIVE | KIN_PARAM_REQUIRED},
    KIN_FIELD_COMMON_ROWS,
};

const kin_field_ops kin_field_gravity_ops = {
    .name = "gravity",
    .doc = "A uniform pull, the same for every mass.",
    .params = gravity_params,
    .def_size = sizeof(kin_gravity_field),
    .force = KIN_WIDTHS(kin_field_gravity),
    .potential = uniform_potential,
};
const kin_field_ops kin_field_drag_ops = {
    .name = "drag",
    .doc = "Air resistance proportional to speed, to its square, or both; below 0 it drives.",
    .params = drag_params,
    .def_size = sizeof(kin_drag_field),
    .force = KIN_WIDTHS(kin_field_drag),
};
const kin_field_ops kin_field_wind_ops = {
    .name = "wind",
    .doc = "Air on the move.",
    .params = wind_params,
    .def_size = sizeof(kin_wind_field),
    .medium = KIN_WIDTHS(kin_field_wind),
};
