/* field_flow.c - steady potential flows that add: sources, drains and straight vortices; with wind, all of House & Keyser 13.4 (Wejchert and Haumann 1991). */
#include "system/field_kinds.h"

static bool source_acts(const void* def, kin_field_place place)
{
    return (((const kin_source_field*)def)->acts == KIN_FLOW_CARRY) == (place == KIN_FIELD_CARRY);
}

static bool vortex_line_acts(const void* def, kin_field_place place)
{
    return (((const kin_vortex_line_field*)def)->acts == KIN_FLOW_CARRY) == (place == KIN_FIELD_CARRY);
}

static const char* const form_names[] = {"point", "axis", "text", NULL};
static const char* const acts_names[] = {"air", "carry", NULL};

/* Common to both. */
#define PLACE(def)                                                                                                                                             \
    {.name = "at", .type = KIN_PARAM_VECTOR, .offset = offsetof(def, at), .unit = "m", .doc = "Where it is; a point of the line.", .flags = KIN_PARAM_LIVE},   \
        {.name = "axis",                                                                                                                                       \
         .type = KIN_PARAM_DIRECTION,                                                                                                                          \
         .offset = offsetof(def, axis),                                                                                                                        \
         .doc = "Direction of the line.",                                                                                                                      \
         .preset = {0, 1, 0},                                                                                                                                  \
         .flags = KIN_PARAM_LIVE},                                                                                                                             \
        {.name = "max_speed",                                                                                                                                  \
         .type = KIN_PARAM_NUMBER,                                                                                                                             \
         .offset = offsetof(def, max_speed),                                                                                                                   \
         .unit = "m/s",                                                                                                                                        \
         .doc = "No more than this near the middle, where the law has no limit.",                                                                              \
         .high = 1e300,                                                                                                                                        \
         .preset = {100},                                                                                                                                      \
         .flags = KIN_PARAM_LIVE | KIN_PARAM_OPEN_LOW},                                                                                                        \
    {                                                                                                                                                          \
        .name = "acts", .type = KIN_PARAM_ENUM, .offset = offsetof(def, acts),                                                                                 \
        .doc = "Moves the air, which is felt through drag; or carries points along with it, their momentum untouched.", .names = acts_names                    \
    }

static const kin_param source_params[] = {
    {.name = "source",
     .type = KIN_PARAM_NUMBER,
     .offset = offsetof(kin_source_field, source),
     .unit = "m^3/s (point), m^2/s",
     .doc = "What comes out of it; below 0 it drains.",
     .flags = KIN_PARAM_LIVE | KIN_PARAM_REQUIRED},
    {.name = "form",
     .type = KIN_PARAM_ENUM,
     .offset = offsetof(kin_source_field, form),
     .doc = "From a point by 1/(4 pi r^2); from a line by 1/(2 pi r); or from a point by 1/(2 pi r), the text's law, which makes air all around it.",
     .names = form_names,
     .flags = KIN_PARAM_LIVE},
    PLACE(kin_source_field),
    KIN_FIELD_COMMON_ROWS,
};
static const kin_param vortex_line_params[] = {
    {.name = "vortex_line",
     .type = KIN_PARAM_NUMBER,
     .offset = offsetof(kin_vortex_line_field, vortex_line),
     .unit = "m^2/s",
     .doc = "Circulation about the axis: the speed is this over 2 pi r.",
     .flags = KIN_PARAM_LIVE | KIN_PARAM_REQUIRED},
    PLACE(kin_vortex_line_field),
    KIN_FIELD_COMMON_ROWS,
};

const kin_field_ops kin_field_source_ops = {
    .name = "source",
    .doc = "Air that flows out of a point or a line, or drains there.",
    .params = source_params,
    .def_size = sizeof(kin_source_field),
    .medium = KIN_WIDTHS(kin_field_source_air),
    .carry = KIN_WIDTHS(kin_field_source_carry),
    .acts = source_acts,
};
const kin_field_ops kin_field_vortex_line_ops = {
    .name = "vortex_line",
    .doc = "Air that flows round an infinite line.",
    .params = vortex_line_params,
    .def_size = sizeof(kin_vortex_line_field),
    .medium = KIN_WIDTHS(kin_field_vortex_line_air),
    .carry = KIN_WIDTHS(kin_field_vortex_line_carry),
    .acts = vortex_line_acts,
};
