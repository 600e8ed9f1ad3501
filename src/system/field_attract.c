/* field_attract.c - attractors: a point or a line that pulls by any power of the distance. House & Keyser 5.1.1. */
#include "base/error.h"
#include "math/vec3.h"
#include "system/curve.h"
#include "system/field_kinds.h"

/* Of the acceleration pull e^(-p-1) r with e = max(r, core), felt up to extent: flat beyond it, a bowl within the core. */
static double radial_potential(double pull, double p, double core, double extent, double r)
{
    double reach = kin_max(extent > 0 ? kin_min(r, extent) : r, core);
    double outside = p == 1 ? kin_ln(reach) : kin_pow(reach, 1 - p) / (1 - p);
    double bowl = r < core ? 0.5 * (core * core - r * r) * kin_pow(core, -p - 1) : 0;
    return pull * (outside - bowl);
}

static double attractor_potential(const kin_field* field, double mass, kin_vec3 x, double time)
{
    const kin_attractor_field* d = field->def;
    double c[3] = {0, 0, 0};
    kin_curve_at3(&d->toward, time, c);
    return mass * radial_potential(d->attractor, d->exponent, d->core, d->extent, kin_distance(x, kin_v(c[0], c[1], c[2])));
}

/* Where the field stops at planes through the ends it has none: a way round gains or loses energy. */
static double line_potential(const kin_field* field, double mass, kin_vec3 x, double time)
{
    (void)time;
    const kin_line_attractor_field* d = field->def;
    if (d->ends == KIN_LINE_IGNORE) return 0;
    kin_vec3 along = kin_sub(d->to, d->from), u = kin_normalize_or(along, kin_v(0, 0, 0));
    double s = kin_dot(kin_sub(x, d->from), u);
    if (d->ends == KIN_LINE_NEAREST) s = kin_clamp(s, 0, kin_length(along));
    return mass * radial_potential(d->line_attractor, d->exponent, d->core, d->extent, kin_distance(x, kin_add_scaled(d->from, s, u)));
}

static kin_result check_line(kin_fields* fields, const void* def, kin_arena* arena, void** made, kin_error* error)
{
    (void)fields, (void)arena, (void)made;
    const kin_line_attractor_field* d = def;
    double length = kin_distance(d->from, d->to);
    return length > 0 && kin_finite(length) ? KIN_OK : kin_fail(error, KIN_ERROR_ARGUMENT, "to", "must not be where \"from\" is, nor out of all reach (m)");
}

/* Common to both. */
#define EXPONENT(def)                                                                                                                                          \
    {                                                                                                                                                          \
        .name = "exponent", .type = KIN_PARAM_NUMBER, .offset = offsetof(def, exponent),                                                                       \
        .doc = "The pull falls with this power of the distance: 2 as gravity, 0 not at all, -1 grows like a spring's.", .low = -8, .high = 8, .preset = {2},   \
        .flags = KIN_PARAM_LIVE                                                                                                                                \
    }
#define CORE(def)                                                                                                                                              \
    {                                                                                                                                                          \
        .name = "core", .type = KIN_PARAM_NUMBER, .offset = offsetof(def, core), .unit = "m",                                                                  \
        .doc = "Nearer than this the pull is proportional to the distance: it has a greatest value.", .low = 1e-9, .high = 1e9, .preset = {1e-3},              \
        .flags = KIN_PARAM_LIVE                                                                                                                                \
    }
#define EXTENT(def)                                                                                                                                            \
    {                                                                                                                                                          \
        .name = "extent", .type = KIN_PARAM_NUMBER, .offset = offsetof(def, extent), .unit = "m", .doc = "Nothing is felt beyond this distance; 0: no limit.", \
        .high = 1e150, .flags = KIN_PARAM_LIVE                                                                                                                 \
    }

static const kin_param attractor_params[] = {
    {.name = "attractor",
     .type = KIN_PARAM_NUMBER,
     .offset = offsetof(kin_attractor_field, attractor),
     .unit = "m^(exponent+1)/s^2",
     .doc = "Acceleration at a distance of 1 m; below 0 it repels.",
     .flags = KIN_PARAM_LIVE | KIN_PARAM_REQUIRED},
    {.name = "toward",
     .type = KIN_PARAM_VECTOR_CURVE,
     .offset = offsetof(kin_attractor_field, toward),
     .unit = "m",
     .doc = "Where to; it may move by keys over time. The origin when not given."},
    EXPONENT(kin_attractor_field),
    CORE(kin_attractor_field),
    EXTENT(kin_attractor_field),
    KIN_FIELD_COMMON_ROWS,
};

static const char* const ends_names[] = {"infinite", "ignore", "nearest", NULL};
static const kin_param line_params[] = {
    {.name = "line_attractor",
     .type = KIN_PARAM_NUMBER,
     .offset = offsetof(kin_line_attractor_field, line_attractor),
     .unit = "m^(exponent+1)/s^2",
     .doc = "Acceleration at a distance of 1 m; below 0 it repels.",
     .flags = KIN_PARAM_LIVE | KIN_PARAM_REQUIRED},
    {.name = "from",
     .type = KIN_PARAM_VECTOR,
     .offset = offsetof(kin_line_attractor_field, from),
     .unit = "m",
     .doc = "A point of the line, or its beginning."},
    {.name = "to",
     .type = KIN_PARAM_VECTOR,
     .offset = offsetof(kin_line_attractor_field, to),
     .unit = "m",
     .doc = "Another point of the line, or its end.",
     .preset = {0, 1, 0}},
    {.name = "ends",
     .type = KIN_PARAM_ENUM,
     .offset = offsetof(kin_line_attractor_field, ends),
     .doc = "An infinite line; a segment that is ignored by who is beyond its ends; or one whose nearest end pulls them.",
     .names = ends_names,
     .flags = KIN_PARAM_LIVE},
    EXPONENT(kin_line_attractor_field),
    CORE(kin_line_attractor_field),
    EXTENT(kin_line_attractor_field),
    KIN_FIELD_COMMON_ROWS,
};

const kin_field_ops kin_field_attractor_ops = {
    .name = "attractor",
    .doc = "A point that pulls by a power of the distance, the same for every mass.",
    .params = attractor_params,
    .def_size = sizeof(kin_attractor_field),
    .force = KIN_WIDTHS(kin_field_attractor),
    .potential = attractor_potential,
};
const kin_field_ops kin_field_line_attractor_ops = {
    .name = "line_attractor",
    .doc = "A line that pulls by a power of the distance from it.",
    .params = line_params,
    .def_size = sizeof(kin_line_attractor_field),
    .force = KIN_WIDTHS(kin_field_line_attractor),
    .potential = line_potential,
    .make = check_line,
};
