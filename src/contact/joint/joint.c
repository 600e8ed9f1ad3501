/* joint.c - joints are checked and made; rows, positions and whole turns by their kind (kinds.c). */
#include "contact/joint/joint.h"
#include "base/error.h"
#include "contact/joint/kinds.h"
#include <stdio.h>

#define BEVEL 1e-3 /* sine: axles that lean from each other by more are those of bevel gears */

static const kin_body world_body = {.orientation = {0, 0, 0, 1}};

/* ---- checks ---- */

static kin_result refuse(kin_error* error, const char* where, const char* what) { return kin_fail(error, KIN_ERROR_ARGUMENT, where, "%s", what); }

static kin_result refuse_freedom(kin_error* error, int which, const char* member, const char* what)
{
    char where[32];
    snprintf(where, sizeof where, "freedom[%d]%s%s", which, *member ? "." : "", member);
    return refuse(error, where, what);
}

static bool is_number(double x) { return x == x; } /* infinite ones too */
static bool is_positive_or_zero(double x) { return kin_finite(x) && x >= 0; }

static kin_result check_numbers(const kin_joint_freedom* f, int i, kin_error* error)
{
    if (f->limited && !is_number(f->low)) return refuse_freedom(error, i, "low", "must be a number");
    if (f->limited && !is_number(f->high)) return refuse_freedom(error, i, "high", "must be a number");
    if (f->limited && !(f->low <= f->high)) return refuse_freedom(error, i, "low", "must be <= high");
    if (f->limited && (f->low == __builtin_inf() || f->high == -__builtin_inf())) return refuse_freedom(error, i, "low", "nothing lies between low and high");
    if (!kin_finite(f->speed)) return refuse_freedom(error, i, "speed", "must be finite");
    if (!(f->most >= 0)) return refuse_freedom(error, i, "most", "must be >= 0");
    if (f->motor && !(f->most > 0)) return refuse_freedom(error, i, "most", "must be > 0 for a motor");
    if (!is_positive_or_zero(f->stiffness)) return refuse_freedom(error, i, "stiffness", "must be finite and >= 0");
    if (!is_positive_or_zero(f->damping)) return refuse_freedom(error, i, "damping", "must be finite and >= 0");
    if (!kin_finite(f->rest)) return refuse_freedom(error, i, "rest", "must be finite");
    if (!(f->friction >= 0)) return refuse_freedom(error, i, "friction", "must be >= 0");
    return KIN_OK;
}

static kin_result check_mouse(const kin_joint_freedom* f, kin_error* error)
{
    if (f->limited || f->motor || f->friction > 0 || f->rest != 0) return refuse_freedom(error, 0, "", "a mouse has a spring only, which pulls to its target");
    if (!(f->stiffness > 0)) return refuse_freedom(error, 0, "stiffness", "must be > 0 for a mouse (N/m)");
    return KIN_OK;
}

/* A swing is an angle without a sign, and its spring pulls to the middle. */
static kin_result check_swing(const kin_joint_freedom* f, kin_error* error)
{
    if (f->limited && f->high < 0) return refuse_freedom(error, 0, "high", "must be >= 0: a swing is never less");
    if (f->rest != 0) return refuse_freedom(error, 0, "rest", "must be 0: the spring of a swing pulls to the axis");
    return KIN_OK;
}

kin_result kin_joint_check_freedoms(kin_joint_kind kind, const kin_joint_freedom freedom[2], kin_error* error)
{
    const joint_kind* k = &kin_joint_kinds[kind];
    for (int i = 0; i < 2; ++i) {
        kin_result result = check_numbers(&freedom[i], i, error);
        if (result != KIN_OK) return result;
        if (i < k->freedoms || !freedom_used(&freedom[i])) continue;
        char what[80];
        snprintf(what, sizeof what, "a %s joint has %s", k->name, k->freedoms == 0 ? "no freedom to act on" : "one freedom only");
        return refuse_freedom(error, i, "", what);
    }
    if (kind == KIN_JOINT_MOUSE) return check_mouse(&freedom[0], error);
    return kind == KIN_JOINT_BALL ? check_swing(&freedom[0], error) : KIN_OK;
}

static bool has_two_points(kin_joint_kind k) { return k == KIN_JOINT_DISTANCE || k == KIN_JOINT_ROPE || k == KIN_JOINT_PULLEY || k == KIN_JOINT_GEAR; }
static bool has_two_axes(kin_joint_kind k) { return k == KIN_JOINT_UNIVERSAL || k == KIN_JOINT_WHEEL || k == KIN_JOINT_GEAR; }
static bool has_ratio(kin_joint_kind k) { return k == KIN_JOINT_GEAR || k == KIN_JOINT_PULLEY; }
/* A ball has an axis when something is asked of its freedoms. */
static bool has_axis(const kin_joint_def* d)
{
    if (d->kind == KIN_JOINT_BALL) return freedom_used(&d->freedom[0]) || freedom_used(&d->freedom[1]);
    return d->kind != KIN_JOINT_FIXED && (has_two_axes(d->kind) || kin_joint_kinds[d->kind].axes);
}

static bool is_direction(kin_vec3 v) { return kin_finite3(v) && kin_length2(kin_normalize_or(v, (kin_vec3){0, 0, 0})) > 0; }
static bool is_zero(kin_vec3 v) { return v.x == 0 && v.y == 0 && v.z == 0; }

static kin_result check_axes(const kin_joint_def* d, kin_error* error)
{
    if (has_axis(d) && !is_direction(d->axis)) return refuse(error, "axis", "must be finite and not zero");
    if (!has_two_axes(d->kind) || is_zero(d->axis_b)) return KIN_OK;
    if (!is_direction(d->axis_b)) return refuse(error, "axis_b", "must be finite");
    if (d->kind == KIN_JOINT_GEAR) return KIN_OK;
    kin_vec3 a = kin_normalize_or(d->axis, (kin_vec3){0}), b = kin_normalize_or(d->axis_b, (kin_vec3){0});
    if (d->kind == KIN_JOINT_UNIVERSAL && kin_length(kin_cross(a, b)) < 1e-6) return refuse(error, "axis_b", "must not be parallel to axis");
    return KIN_OK;
}

/* Parallel axles of a gear are apart. */
static bool has_line(const kin_joint_def* d)
{
    kin_vec3 a = kin_normalize_or(d->axis, (kin_vec3){0}), b = is_zero(d->axis_b) ? a : kin_normalize_or(d->axis_b, (kin_vec3){0});
    return kin_length(kin_cross(a, b)) > BEVEL || kin_length(kin_cross(a, kin_sub(d->anchor_b, d->anchor))) > 1e3 * JOINT_SHORT;
}

static kin_result check_points(const kin_joint_def* d, kin_error* error)
{
    if (!kin_finite3(d->anchor)) return refuse(error, "anchor", "must be finite (m)");
    if (d->has_anchor_b && !has_two_points(d->kind)) return refuse(error, "anchor_b", "only distance, rope, pulley and gear have a second point");
    if (d->has_anchor_b && !kin_finite3(d->anchor_b)) return refuse(error, "anchor_b", "must be finite (m)");
    if (d->kind == KIN_JOINT_MOUSE && !kin_finite3(d->target)) return refuse(error, "target", "must be finite (m)");
    if (d->kind == KIN_JOINT_GEAR && d->has_anchor_b && !has_line(d)) return refuse(error, "anchor_b", "must be on another axle than anchor: they are one (m)");
    if (d->kind != KIN_JOINT_PULLEY) return KIN_OK;
    kin_vec3 anchor_b = d->has_anchor_b ? d->anchor_b : d->anchor;
    if (!kin_finite3(d->ground_a) || !(kin_distance(d->ground_a, d->anchor) > JOINT_SHORT))
        return refuse(error, "ground_a", "must be finite, and apart from anchor (m)");
    if (!kin_finite3(d->ground_b) || !(kin_distance(d->ground_b, anchor_b) > JOINT_SHORT))
        return refuse(error, "ground_b", "must be finite, and apart from anchor_b (m)");
    return KIN_OK;
}

static kin_result check_rest(const kin_joint_def* d, kin_error* error)
{
    if (!is_positive_or_zero(d->length)) return refuse(error, "length", "must be finite and >= 0 (m; 0: as it stands)");
    double ratio = kin_abs(d->ratio);
    if (has_ratio(d->kind) && !(ratio >= 1e-9 && ratio <= 1e9)) return refuse(error, "ratio", "must not be zero: 1e-9 to 1e9 in size");
    if (d->kind == KIN_JOINT_PULLEY && d->ratio < 0) return refuse(error, "ratio", "must be > 0: ropes pull");
    if (!(d->break_force >= 0)) return refuse(error, "break_force", "must be >= 0 (N; 0: never)");
    if (!(d->break_torque >= 0)) return refuse(error, "break_torque", "must be >= 0 (N m; 0: never)");
    return KIN_OK;
}

static kin_result check_bodies(const kin_joint_def* d, uint32_t a, uint32_t b, kin_error* error)
{
    if (d->kind == KIN_JOINT_MOUSE) return a == KIN_NO_BODY ? refuse(error, "a", "must be a body: a mouse pulls it") : KIN_OK;
    if (a == KIN_NO_BODY && b == KIN_NO_BODY) return refuse(error, "a", "a and b are both the world: one must be a body");
    if (a == b) return refuse(error, "b", "a joint needs two different bodies");
    return KIN_OK;
}

static kin_result check(const kin_joint_def* d, uint32_t a, uint32_t b, kin_error* error)
{
    if ((unsigned)d->kind >= KIN_JOINT_KIND_COUNT) return refuse(error, "kind", "no such kind of joint");
    kin_result result = check_bodies(d, a, b, error);
    if (result == KIN_OK) result = check_points(d, error);
    if (result == KIN_OK) result = check_axes(d, error);
    if (result == KIN_OK) result = check_rest(d, error);
    if (result == KIN_OK) result = kin_joint_check_freedoms(d->kind, d->freedom, error);
    return result;
}

/* ---- making ---- */

/* A frame of the world with x along a direction, and y as near to another as can be; zero, or along x: any. */
static kin_quat frame_along(kin_vec3 x_axis, kin_vec3 y_axis)
{
    kin_vec3 x = kin_normalize_or(x_axis, (kin_vec3){1, 0, 0}), y = kin_normalize_or(y_axis, (kin_vec3){0, 0, 0});
    kin_vec3 z = kin_cross(x, y);
    if (kin_length2(z) < 1e-12) return kin_quat_between((kin_vec3){1, 0, 0}, x);
    z = kin_normalize_or(z, (kin_vec3){0, 0, 1});
    return kin_quat_normalize(kin_quat_from_matrix((kin_mat3){x, kin_cross(z, x), z}));
}

static kin_transform into(const kin_body* body, kin_vec3 anchor, kin_quat frame)
{
    return kin_transform_between(kin_body_pose(body), (kin_transform){anchor, frame});
}

/* On a frame that turns, wheels are known by each other: y of either frame points to the other's axle, or along it where axles are not parallel. */
static void place_gear(const kin_joint_def* d, kin_joint* j, kin_quat* frame_a, kin_quat* frame_b)
{
    kin_vec3 axis_a = kin_normalize_or(d->axis, kin_v(1, 0, 0)), axis_b = is_zero(d->axis_b) ? axis_a : kin_normalize_or(d->axis_b, kin_v(1, 0, 0));
    bool bevel = kin_length(kin_cross(axis_a, axis_b)) > BEVEL;
    kin_vec3 line = kin_sub(d->anchor_b, d->anchor);
    if (d->has_anchor_b) j->mount = bevel ? KIN_GEAR_ON_AXLES : KIN_GEAR_ON_LINE;
    *frame_a = frame_along(axis_a, j->mount == KIN_GEAR_ON_AXLES ? axis_b : j->mount == KIN_GEAR_ON_LINE ? line : kin_v(0, 0, 0));
    *frame_b = frame_along(axis_b, j->mount == KIN_GEAR_ON_AXLES ? axis_a : j->mount == KIN_GEAR_ON_LINE ? kin_neg(line) : kin_v(0, 0, 0));
    j->base[0] = *frame_a;
    j->base[1] = *frame_b;
}

static void place_frames(const kin_joint_def* d, const kin_body* a, const kin_body* b, kin_joint* j)
{
    bool wheel = d->kind == KIN_JOINT_WHEEL;
    kin_vec3 second = d->axis_b;
    kin_quat frame_a = has_axis(d) ? frame_along(d->axis, d->kind == KIN_JOINT_UNIVERSAL ? second : (kin_vec3){0}) : kin_quat_identity(), frame_b = frame_a;
    if (wheel) {
        kin_quat rail = frame_a, axle = frame_along(is_zero(second) ? kin_rotate(rail, (kin_vec3){0, 1, 0}) : second, d->axis);
        j->base[0] = kin_quat_mul(kin_quat_conj(axle), rail);
        frame_a = frame_b = axle;
    }
    if (d->kind == KIN_JOINT_GEAR) place_gear(d, j, &frame_a, &frame_b);
    j->frame_a = into(a, d->anchor, frame_a);
    j->frame_b = into(b, d->has_anchor_b ? d->anchor_b : d->anchor, frame_b);
}

/* The length as it stands; false: it has none. */
static bool measure_reach(const kin_joint_def* d, kin_joint* j)
{
    kin_vec3 anchor_b = d->has_anchor_b ? d->anchor_b : d->anchor;
    if (d->kind == KIN_JOINT_PULLEY) j->reach0 = kin_distance(d->anchor, d->ground_a) + d->ratio * kin_distance(anchor_b, d->ground_b);
    if (d->kind != KIN_JOINT_DISTANCE && d->kind != KIN_JOINT_ROPE) return true;
    j->reach0 = d->length > 0 ? d->length : kin_distance(d->anchor, anchor_b);
    bool sprung = d->kind == KIN_JOINT_DISTANCE && freedom_used(&d->freedom[0]); /* a spring may have no length */
    return sprung || j->reach0 > JOINT_SHORT;
}

kin_result kin_joint_make(const kin_joint_def* def, uint32_t a, const kin_body* body_a, uint32_t b, const kin_body* body_b, kin_joint* out, kin_error* error)
{
    *out = (kin_joint){.broken = true};
    kin_result result = check(def, a, b, error);
    if (result != KIN_OK) return result;
    if (def->kind == KIN_JOINT_MOUSE) b = KIN_NO_BODY;
    kin_joint joint = {.kind = def->kind, .a = a, .b = b, .base = {{0, 0, 0, 1}, {0, 0, 0, 1}}, .def = *def};
    place_frames(def, a == KIN_NO_BODY ? &world_body : body_a, b == KIN_NO_BODY ? &world_body : body_b, &joint);
    if (!measure_reach(def, &joint)) return refuse(error, "length", "its two points are one: give a length, or use a ball joint");
    *out = joint;
    return KIN_OK;
}

/* ---- rows and positions ---- */

static const kin_body* or_world(const kin_body* b) { return b != NULL ? b : &world_body; }

int kin_joint_rows(const kin_joint* joint, const kin_body* a, const kin_body* b, double look_ahead, kin_joint_row* rows)
{
    const joint_kind* kind = &kin_joint_kinds[joint->kind];
    const kin_joint_freedom* f = joint->def.freedom;
    bool loose = kind->loosen != NULL && (kind->freedoms == 0 || freedom_used(&f[0]) || freedom_used(&f[1]));
    joint_sides s;
    sides_points(joint, or_world(a), or_world(b), &s);
    if (kind->axes || loose) sides_axes(joint, &s);
    int n = kind->hold(joint, &s, rows);
    for (int i = 0; i < n; ++i) {
        rows[i].slot = (uint8_t)i;
        rows[i].most = __builtin_inf();
    }
    return loose ? n + kind->loosen(joint, &s, look_ahead, rows + n) : n;
}

int kin_joint_hold_count(kin_joint_kind kind) { return kin_joint_kinds[kind].holds; }

void kin_joint_rows_load(const kin_joint* joint, const kin_body* b, const kin_joint_row* rows, const double* x, int count, kin_vec3* force, kin_vec3* torque)
{
    bool mouse = joint->kind == KIN_JOINT_MOUSE; /* its b has no rows: the answer of its a */
    kin_vec3 f = {0, 0, 0}, m = {0, 0, 0};
    for (int i = 0; i < count; ++i) {
        f = kin_add_scaled(f, mouse ? -x[i] : x[i], mouse ? rows[i].linear_a : rows[i].linear_b);
        m = kin_add_scaled(m, x[i], rows[i].angular_b);
    }
    *force = f;
    *torque = mouse ? m : kin_sub(m, kin_cross(kin_rotate(or_world(b)->orientation, joint->frame_b.position), f));
}

static bool measure_now(const kin_joint* joint, const kin_body* a, const kin_body* b, int which, bool value, kin_joint_row* row)
{
    const joint_kind* kind = &kin_joint_kinds[joint->kind];
    if (which < 0 || which >= kind->measures) return false;
    joint_sides s;
    sides_points(joint, a, b, &s);
    sides_axes(joint, &s);
    *row = kind->measure(joint, &s, which, value);
    return true;
}

double kin_joint_position(const kin_joint* joint, const kin_body* a, const kin_body* b, int which)
{
    kin_joint_row row;
    return measure_now(joint, or_world(a), or_world(b), which, true, &row) ? row.error : 0;
}

double kin_joint_rate(const kin_joint* joint, const kin_body* a, const kin_body* b, int which)
{
    kin_joint_row row;
    return measure_now(joint, or_world(a), or_world(b), which, false, &row) ? kin_joint_row_rate(&row, or_world(a), or_world(b)) : 0;
}

void kin_joint_follow(kin_joint* joint, const kin_body* a, const kin_body* b)
{
    for (int i = 0; i < 2; ++i) {
        if (kin_joint_kinds[joint->kind].turns[i]) joint->turned[i] = kin_joint_position(joint, a, b, i);
    }
}
