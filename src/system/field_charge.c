/* field_charge.c - uniform electric and magnetic fields, felt by points with a charge. Their energy depends on the charge, so they give no potential. */
#include "system/field_kinds.h"

static const kin_param electric_params[] = {
    {.name = "electric",
     .type = KIN_PARAM_VECTOR,
     .offset = offsetof(kin_electric_field, electric),
     .unit = "V/m",
     .doc = "A uniform electric field: F = charge E.",
     .flags = KIN_PARAM_LIVE | KIN_PARAM_REQUIRED},
    KIN_FIELD_COMMON_ROWS,
};
static const kin_param magnetic_params[] = {
    {.name = "magnetic",
     .type = KIN_PARAM_VECTOR,
     .offset = offsetof(kin_magnetic_field, magnetic),
     .unit = "T",
     .doc = "A uniform magnetic field: F = charge v x B.",
     .flags = KIN_PARAM_LIVE | KIN_PARAM_REQUIRED},
    KIN_FIELD_COMMON_ROWS,
};

const kin_field_ops kin_field_electric_ops = {
    .name = "electric",
    .doc = "Pulls charges along a direction.",
    .params = electric_params,
    .def_size = sizeof(kin_electric_field),
    .wants = KIN_FIELD_WANTS_CHARGE,
    .force = KIN_WIDTHS(kin_field_electric),
};
const kin_field_ops kin_field_magnetic_ops = {
    .name = "magnetic",
    .doc = "Turns moving charges about a direction; it does no work.",
    .params = magnetic_params,
    .def_size = sizeof(kin_magnetic_field),
    .wants = KIN_FIELD_WANTS_CHARGE,
    .gyration = KIN_WIDTHS(kin_field_magnetic),
};
