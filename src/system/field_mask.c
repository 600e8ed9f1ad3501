/* field_mask.c - how much of a field a point feels: strength over time, region with drop-off (C3.3.4a), age, tags. */
#include "math/scalar.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "system/curve.h"
#include "system/field_common.h"

#define REGION(member) offsetof(kin_region, member)
const kin_param kin_region_params[] = {
    {.name = "sphere",
     .type = KIN_PARAM_NUMBER,
     .offset = REGION(radius),
     .unit = "m",
     .doc = "Within this radius of center.",
     .high = 1e300,
     .preset = {1},
     .flags = KIN_PARAM_OPEN_LOW},
    {.name = "box",
     .type = KIN_PARAM_VECTOR,
     .offset = REGION(sizes),
     .unit = "m",
     .doc = "Within these full sizes about center.",
     .high = 1e300,
     .preset = {1, 1, 1},
     .flags = KIN_PARAM_OPEN_LOW},
    {.name = "plane", .type = KIN_PARAM_DIRECTION, .offset = REGION(normal), .doc = "Behind the plane through center with this normal.", .preset = {0, 1, 0}},
    {0},
};
const char* const kin_drop_names[] = {"none", "linear", "axes", NULL};

#define KEY(member) offsetof(kin_key, member)
const kin_param kin_region_key_params[] = {
    {.name = "t", .type = KIN_PARAM_NUMBER, .offset = KEY(time), .unit = "s", .doc = "When. Times rise from key to key.", .flags = KIN_PARAM_REQUIRED},
    {.name = "center", .type = KIN_PARAM_VECTOR, .offset = KEY(position), .unit = "m", .doc = "Where its center then is."},
    {.name = "turned", .type = KIN_PARAM_ORIENTATION, .offset = KEY(orientation), .doc = "How it is then turned about it."},
    {0},
};

kin_transform kin_region_pose(kin_vec3 center, const kin_region_motion* motion, double time)
{
    const kin_key* keys = motion->keys.data;
    size_t n = motion->keys.count, i = 0;
    if (n == 0) return (kin_transform){center, kin_quat_normalize(motion->orientation)};
    while (i + 1 < n && keys[i + 1].time <= time) ++i;
    kin_transform from = {keys[i].position, kin_quat_normalize(keys[i].orientation)};
    if (i + 1 == n || time <= keys[i].time) return from;
    kin_transform to = {keys[i + 1].position, kin_quat_normalize(keys[i + 1].orientation)};
    return kin_transform_mix(from, to, (time - keys[i].time) / (keys[i + 1].time - keys[i].time));
}

bool kin_region_holds(const kin_region* region, kin_transform pose, kin_vec3 x)
{
    kin_vec3 r = kin_unapply(pose, x);
    switch (region->kind) {
    case KIN_REGION_SPHERE: return kin_length(r) <= region->radius;
    case KIN_REGION_BOX: return kin_abs(r.x) <= 0.5 * region->sizes.x && kin_abs(r.y) <= 0.5 * region->sizes.y && kin_abs(r.z) <= 0.5 * region->sizes.z;
    case KIN_REGION_PLANE: return kin_dot(r, region->normal) <= 0;
    default: return true;
    }
}

static double whole_or_none(bool inside) { return inside ? 1 : 0; }

/* Per component only for boxes with KIN_DROP_AXES; the texts use the full size where the half is meant. */
static double region_weight(const kin_field_common* c, kin_transform pose, kin_vec3 x, int axis)
{
    kin_vec3 r = kin_unapply(pose, x);
    double share; /* 0 at the centre, 1 at the edge */
    switch (c->region.kind) {
    case KIN_REGION_SPHERE: share = kin_length(r) / c->region.radius; break;
    case KIN_REGION_BOX: {
        double along[3] = {2 * kin_abs(r.x) / c->region.sizes.x, 2 * kin_abs(r.y) / c->region.sizes.y, 2 * kin_abs(r.z) / c->region.sizes.z};
        share = kin_max(along[0], kin_max(along[1], along[2]));
        if (c->drop == KIN_DROP_AXES && share < 1) return 1 - along[axis];
        break;
    }
    case KIN_REGION_PLANE: {
        double behind = -kin_dot(r, kin_normalize_or(c->region.normal, kin_v(0, 1, 0)));
        return c->drop == KIN_DROP_NONE ? whole_or_none(behind >= 0) : kin_clamp(behind / c->depth, 0, 1);
    }
    default: return 1;
    }
    return c->drop == KIN_DROP_NONE ? whole_or_none(share <= 1) : kin_clamp(1 - share, 0, 1);
}

/* From the first age to before the last, so that steps of any length that fit the span fill it; ages are sums of steps, known to rounding. */
static double age_weight(const kin_field_common* c, double age)
{
    const double rounding = 1e-9 * c->age[1];
    if (age < c->age[0] - rounding || age >= c->age[1] - rounding) return 0;
    if (c->fade == 0) return 1;
    return kin_min(1, kin_min(age - c->age[0], c->age[1] - age) / c->fade);
}

static bool has_ages(const kin_field_common* c) { return c->age[0] != 0 || c->age[1] != 0; }

bool kin_field_weights(const kin_field* field, const kin_field_batch* b, int axis, double* weight)
{
    const kin_field_common* c = kin_field_common_of(field);
    bool ages = has_ages(c) && b->age != NULL, tags = field->tags != 0 && b->tags != NULL;
    if (c->strength.count == 0 && c->region.kind == KIN_REGION_EVERYWHERE && !ages && !tags) return false;
    double strength = kin_curve_at(&c->strength, b->time, 1);
    kin_transform pose = kin_region_pose(c->center, &c->motion, b->time);
    for (int i = 0; i < b->count; ++i) {
        double w = strength;
        if (tags && (b->tags[i] & field->tags) == 0) w = 0;
        if (ages && w != 0) w *= age_weight(c, b->age[i]);
        if (c->region.kind != KIN_REGION_EVERYWHERE && w != 0)
            w *= region_weight(c, pose, kin_v(b->position[0][i], b->position[1][i], b->position[2][i]), axis);
        weight[i] = w;
    }
    return true;
}

uint32_t kin_field_mask_wants(const kin_field_common* c) { return (has_ages(c) ? KIN_FIELD_WANTS_AGE : 0u) | (c->tags.count > 0 ? KIN_FIELD_WANTS_TAGS : 0u); }
