/* form.c - making forms: numbers checked, scale filled in, then the maker of the kind. */
#include "collision/form/form.h"
#include "base/alloc.h"
#include "base/error.h"
#include "collision/form/make.h"
#include "math/aabb.h"
#include <stdio.h>
#include <string.h>

kin_result kin_form_check_length(const char* member, double value, bool zero_allowed, kin_error* error)
{
    if (kin_finite(value) && (value > 0 || (zero_allowed && value == 0))) return KIN_OK;
    return kin_fail(error, KIN_ERROR_ARGUMENT, member, "%g must be %s 0 (m)", value, zero_allowed ? ">=" : ">");
}

kin_result kin_form_check_scale(kin_vec3 s, bool all, const char* what, kin_error* error)
{
    if (s.x == s.z && (!all || s.x == s.y)) return KIN_OK;
    return kin_fail(error, KIN_ERROR_ARGUMENT, "shape.scale", "(%g, %g, %g) would not leave a %s; %s must be equal", s.x, s.y, s.z, what,
                    all ? "all three" : "x and z");
}

kin_result kin_form_named(kin_result result, const char* member, kin_error* error)
{
    if (result != KIN_OK && result != KIN_ERROR_MEMORY && error != NULL) snprintf(error->where, sizeof error->where, "%s", member);
    return result;
}

static bool is_zero(kin_vec3 v) { return v.x == 0 && v.y == 0 && v.z == 0; }
static bool is_none(kin_quat q) { return kin_quat_dot(q, q) == 0; }

/* The same shape with its scale and turn filled in. */
static kin_result fill_in(const kin_shape* given, kin_shape* out, kin_error* error)
{
    *out = *given;
    if (is_zero(out->scale)) out->scale = kin_v(1, 1, 1);
    kin_vec3 s = out->scale;
    if (!kin_finite3(s) || !(s.x > 0 && s.y > 0 && s.z > 0))
        return kin_fail(error, KIN_ERROR_ARGUMENT, "shape.scale", "(%g, %g, %g) must be > 0", s.x, s.y, s.z);
    if (!kin_finite3(out->offset)) return kin_fail(error, KIN_ERROR_ARGUMENT, "shape.offset", "must be finite (m)");
    if (!kin_finite(kin_quat_dot(out->turn, out->turn))) return kin_fail(error, KIN_ERROR_ARGUMENT, "shape.turn", "must be finite");
    out->turn = is_none(out->turn) ? kin_quat_identity() : kin_quat_normalize(out->turn);
    return KIN_OK;
}

typedef kin_result maker(kin_form* form, const kin_shape* shape, kin_error* error);

static maker* const makers[] = {
    [KIN_SHAPE_SPHERE] = kin_form_make_sphere,       [KIN_SHAPE_BOX] = kin_form_make_box,
    [KIN_SHAPE_CAPSULE] = kin_form_make_capsule,     [KIN_SHAPE_PLANE] = kin_form_make_plane,
    [KIN_SHAPE_MESH] = kin_form_make_mesh,           [KIN_SHAPE_CYLINDER] = kin_form_make_cylinder,
    [KIN_SHAPE_CONE] = kin_form_make_cone,           [KIN_SHAPE_HULL] = kin_form_make_hull,
    [KIN_SHAPE_HEIGHTS] = kin_form_make_heights,     [KIN_SHAPE_FIELD] = kin_form_make_field,
    [KIN_SHAPE_ELLIPSOID] = kin_form_make_ellipsoid, [KIN_SHAPE_NURBS] = kin_form_make_nurbs,
    [KIN_SHAPE_COMPOUND] = kin_form_make_compound,   [KIN_SHAPE_PIECES] = kin_form_make_pieces,
};

/* Meshes and hulls take their offset into their vertices; the others become compounds of one. */
static bool takes_offset(kin_shape_kind kind)
{
    return kind == KIN_SHAPE_MESH || kind == KIN_SHAPE_HULL || kind == KIN_SHAPE_FIELD || kind == KIN_SHAPE_NURBS || kind == KIN_SHAPE_COMPOUND
           || kind == KIN_SHAPE_PIECES || kind == KIN_SHAPE_PLANE;
}

static bool has_offset(const kin_shape* s) { return !is_zero(s->offset) || s->turn.x != 0 || s->turn.y != 0 || s->turn.z != 0; }

/* Who gave a shape without parts reads of "shape.radius", not of "shape.parts[0].radius". */
static kin_result without_part(kin_result result, kin_error* error)
{
    static const char part[] = "shape.parts[0]";
    if (result == KIN_OK || error == NULL || strncmp(error->where, part, sizeof part - 1) != 0) return result;
    const char* member = error->where + sizeof part - 1;
    memmove(error->where + 5, member, strlen(member) + 1);
    return result;
}

static kin_result make(kin_form* form, const kin_shape* shape, kin_error* error)
{
    if (!has_offset(shape) || takes_offset(shape->kind)) return makers[shape->kind](form, shape, error);
    kin_shape whole = {.kind = KIN_SHAPE_COMPOUND, .parts = shape, .part_count = 1, .scale = {1, 1, 1}, .turn = {0, 0, 0, 1}};
    form->kind = KIN_SHAPE_COMPOUND;
    return without_part(kin_form_make_compound(form, &whole, error), error);
}

kin_result kin_form_create(const kin_allocator* allocator, const kin_shape* given, kin_form** out, kin_error* error)
{
    kin_allocator malloc_free = kin_allocator_default();
    if (allocator == NULL) allocator = &malloc_free;
    *out = NULL;
    if ((unsigned)given->kind >= sizeof makers / sizeof *makers) return kin_fail(error, KIN_ERROR_ARGUMENT, "shape.kind", "%d is no shape", (int)given->kind);
    kin_shape shape;
    kin_result result = fill_in(given, &shape, error);
    if (result != KIN_OK) return result;
    kin_form* form = kin_alloc_zero(allocator, sizeof *form);
    if (form == NULL) return kin_fail_memory(error, "a shape", sizeof *form);
    form->kind = shape.kind;
    form->bounded = form->has_inside = true;
    form->material = shape.material;
    form->allocator = *allocator;
    atomic_init(&form->owners, 1);
    kin_bvh_init(&form->tree, allocator);
    result = make(form, &shape, error);
    if (result == KIN_OK)
        *out = form;
    else
        kin_form_drop(form);
    return result;
}

kin_form* kin_form_keep(kin_form* form)
{
    atomic_fetch_add(&form->owners, 1);
    return form;
}

void kin_form_drop(kin_form* form)
{
    if (form == NULL || atomic_fetch_sub(&form->owners, 1) > 1) return;
    if (form->ops != NULL) form->ops->term(form);
    kin_allocator allocator = form->allocator;
    kin_free(&allocator, form, sizeof *form);
}

size_t kin_form_bytes(const kin_form* form) { return sizeof *form + form->ops->bytes(form); }

kin_aabb kin_form_box(const kin_form* form, kin_transform pose)
{
    if (form->kind == KIN_SHAPE_SPHERE) return kin_aabb_around(pose.position, kin_v(form->reach, form->reach, form->reach));
    return kin_aabb_transform(pose, form->bounds);
}

kin_aabb kin_form_swept_box(const kin_form* form, const kin_screw* m)
{
    kin_aabb start = kin_form_box(form, m->start);
    if (m->angle <= 1e-14 && kin_length2(m->shift) == 0) return start;
    kin_aabb ends = kin_aabb_union(start, kin_form_box(form, m->end));
    if (m->angle <= 1e-14) return ends;
    kin_vec3 all = {form->reach, form->reach, form->reach};
    kin_aabb ball = kin_aabb_sweep(kin_aabb_around(m->start.position, all), m->shift); /* however it turns, it stays in this */
    return kin_aabb_intersection(ball, kin_aabb_grow(ends, form->reach * (1 - kin_cos(0.5 * m->angle))));
}
