/* solids.c - the set of solids: adding, moving, and the tree over the boxes that bound each one's motion over the interval (C2.3).
 *
 * A solid turns about its own position while that goes straight. A point at distance r from it leaves the chord between its two places by at most
 * r (1 - cos(angle / 2)): boxes at both ends, joined and grown by that, hold every pose between. Memory is taken when a solid is added, so that a refit
 * never fails. */
#include "collision/solids.h"
#include "base/alloc.h"
#include "base/error.h"
#include "math/aabb.h"
#include <stdio.h>

kin_result kin_solids_create(const kin_allocator* allocator, kin_solids** out, kin_error* error)
{
    kin_solids* s = *out = kin_alloc_zero(allocator, sizeof *s);
    if (s == NULL) return kin_fail_memory(error, "the solids", sizeof *s);
    s->allocator = *allocator;
    kin_bvh_init(&s->tree, allocator);
    return KIN_OK;
}

void kin_solids_destroy(kin_solids* s)
{
    if (s == NULL) return;
    kin_allocator a = s->allocator;
    for (uint32_t i = 0; i < s->count; ++i) kin_trimesh_destroy(s->solids[i].mesh);
    kin_bvh_term(&s->tree);
    kin_free(&a, s->solids, s->capacity * sizeof *s->solids);
    kin_free(&a, s->planes, s->plane_capacity * sizeof *s->planes);
    kin_free(&a, s->members, s->member_capacity * sizeof *s->members);
    kin_free(&a, s->boxes, s->box_capacity * sizeof *s->boxes);
    kin_free(&a, s, sizeof *s);
}

static kin_result check_length(const char* field, double value, bool zero_allowed, kin_error* error)
{
    if (kin_finite(value) && (value > 0 || (zero_allowed && value == 0))) return KIN_OK;
    return kin_fail(error, KIN_ERROR_ARGUMENT, field, "%g must be %s 0 (m)", value, zero_allowed ? ">=" : ">");
}

static kin_result check_size(kin_vec3 size, kin_error* error)
{
    kin_result result = check_length("shape.size.x", size.x, false, error);
    if (result == KIN_OK) result = check_length("shape.size.y", size.y, false, error);
    if (result == KIN_OK) result = check_length("shape.size.z", size.z, false, error);
    return result;
}

static void set_rounded_box(kin_solid* s, kin_vec3 half, double core)
{
    s->half = half;
    s->core = core;
    s->bounds = kin_aabb_grow((kin_aabb){kin_neg(half), half}, core);
    s->reach = kin_length(half) + core;
}

static kin_result make_sphere(kin_solid* s, kin_error* error)
{
    kin_result result = check_length("shape.radius", s->shape.radius, false, error);
    if (result == KIN_OK) set_rounded_box(s, kin_v(0, 0, 0), s->shape.radius);
    return result;
}

static kin_result make_box(kin_solid* s, kin_error* error)
{
    kin_result result = check_size(s->shape.size, error);
    if (result == KIN_OK) set_rounded_box(s, kin_scale(s->shape.size, 0.5), 0);
    return result;
}

static kin_result make_capsule(kin_solid* s, kin_error* error)
{
    kin_result result = check_length("shape.radius", s->shape.radius, false, error);
    if (result == KIN_OK) result = check_length("shape.length", s->shape.length, true, error);
    if (result == KIN_OK) set_rounded_box(s, kin_v(0, 0.5 * s->shape.length, 0), s->shape.radius);
    return result;
}

static kin_result make_plane(kin_solid* s, kin_error* error)
{
    s->normal = kin_finite3(s->shape.normal) ? kin_normalize_or(s->shape.normal, kin_v(0, 0, 0)) : kin_v(0, 0, 0);
    s->reach = __builtin_inf();
    if (kin_length2(s->normal) > 0) return KIN_OK;
    kin_vec3 n = s->shape.normal;
    return kin_fail(error, KIN_ERROR_ARGUMENT, "shape.normal", "(%g, %g, %g) has no direction", n.x, n.y, n.z);
}

/* The shape's view is pointed at our copy, so that it outlives the caller's. */
static kin_result make_mesh(const kin_allocator* allocator, kin_solid* s, kin_error* error)
{
    kin_mesh* mesh;
    kin_result result = kin_mesh_create(allocator, &s->shape.mesh, &mesh, error);
    if (result == KIN_OK) result = kin_trimesh_create(allocator, mesh, &s->mesh, error);
    if (result != KIN_OK) {
        if (error != NULL && result != KIN_ERROR_MEMORY) snprintf(error->where, sizeof error->where, "shape.mesh");
        return result;
    }
    s->shape.mesh = (kin_mesh_view){mesh->vertices, mesh->vertex_count, NULL, &mesh->triangles[0][0], mesh->triangle_count};
    s->bounds = mesh->bounds;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) s->reach = kin_max(s->reach, kin_length2(mesh->vertices[mesh->triangles[t][k]]));
    }
    s->reach = kin_sqrt(s->reach);
    return KIN_OK;
}

static kin_result make_shape(const kin_allocator* allocator, kin_solid* s, kin_error* error)
{
    switch (s->shape.kind) {
    case KIN_SHAPE_SPHERE: return make_sphere(s, error);
    case KIN_SHAPE_BOX: return make_box(s, error);
    case KIN_SHAPE_CAPSULE: return make_capsule(s, error);
    case KIN_SHAPE_PLANE: return make_plane(s, error);
    case KIN_SHAPE_MESH: return make_mesh(allocator, s, error);
    }
    return kin_fail(error, KIN_ERROR_ARGUMENT, "shape.kind", "%d is no shape", (int)s->shape.kind);
}

static void set_poses(kin_solid* s, kin_transform start, kin_transform end)
{
    start.orientation = kin_quat_normalize(start.orientation);
    end.orientation = kin_quat_normalize(end.orientation);
    s->start = start;
    s->end = end;
    s->shift = kin_sub(end.position, start.position);
    s->turn = kin_quat_rotation_vector(kin_quat_mul(end.orientation, kin_quat_conj(start.orientation)));
    s->angle = kin_length(s->turn);
    s->turns = s->angle > 1e-14;
    s->moves = s->turns || kin_length2(s->shift) > 0;
    s->upright = start.orientation.x == 0 && start.orientation.y == 0 && start.orientation.z == 0;
    s->axes = (kin_mat3){kin_rotate(start.orientation, kin_axis(0)), kin_rotate(start.orientation, kin_axis(1)), kin_rotate(start.orientation, kin_axis(2))};
}

/* Room for one more solid in every list and in the tree. */
static bool reserve(kin_solids* s)
{
    uint32_t n = s->count + 1;
    return kin_reserve(&s->allocator, (void**)&s->solids, &s->capacity, n, sizeof *s->solids)
           && kin_reserve(&s->allocator, (void**)&s->planes, &s->plane_capacity, n, sizeof *s->planes)
           && kin_reserve(&s->allocator, (void**)&s->members, &s->member_capacity, n, sizeof *s->members)
           && kin_reserve(&s->allocator, (void**)&s->boxes, &s->box_capacity, n, sizeof *s->boxes)
           && kin_bvh_reserve(&s->tree, n <= s->tree.capacity ? n : n + n / 2);
}

kin_result kin_solids_add(kin_solids* s, const kin_shape* shape, kin_transform pose, uint32_t* index, kin_error* error)
{
    if (!kin_finite3(pose.position)) return kin_fail(error, KIN_ERROR_ARGUMENT, "position", "is not finite");
    kin_quat q = pose.orientation;
    if (!kin_finite(kin_quat_dot(q, q)) || kin_quat_dot(q, q) == 0) return kin_fail(error, KIN_ERROR_ARGUMENT, "orientation", "has no direction");
    if (!reserve(s)) return kin_fail_memory(error, "a solid", sizeof(kin_solid));
    kin_solid solid = {.shape = *shape, .alive = true};
    kin_result result = make_shape(&s->allocator, &solid, error);
    if (result != KIN_OK) return result;
    set_poses(&solid, pose, pose);
    *index = s->count++;
    s->solids[*index] = solid;
    if (shape->kind == KIN_SHAPE_PLANE)
        s->planes[s->plane_count++] = *index;
    else
        s->members[s->member_count++] = *index;
    s->stale = true;
    return KIN_OK;
}

/* Keeps the order. */
static void take_out(uint32_t* list, uint32_t* count, uint32_t value)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *count; ++i) {
        if (list[i] != value) list[kept++] = list[i];
    }
    *count = kept;
}

void kin_solids_remove(kin_solids* s, uint32_t index)
{
    KIN_ASSERT(index < s->count && s->solids[index].alive);
    kin_solid* solid = &s->solids[index];
    kin_trimesh_destroy(solid->mesh);
    solid->mesh = NULL;
    solid->shape.mesh = (kin_mesh_view){0};
    solid->alive = false;
    take_out(s->planes, &s->plane_count, index);
    take_out(s->members, &s->member_count, index);
    s->stale = true;
}

static void put_in(uint32_t* list, uint32_t* count, uint32_t value)
{
    uint32_t at = *count;
    for (; at > 0 && list[at - 1] > value; --at) list[at] = list[at - 1];
    list[at] = value;
    *count += 1;
}

void kin_solids_enable(kin_solids* s, uint32_t index, bool enabled)
{
    KIN_ASSERT(index < s->count && s->solids[index].alive);
    bool plane = s->solids[index].shape.kind == KIN_SHAPE_PLANE;
    uint32_t *list = plane ? s->planes : s->members, *count = plane ? &s->plane_count : &s->member_count;
    take_out(list, count, index);
    if (enabled) put_in(list, count, index);
    s->stale = true;
}

void kin_solids_move(kin_solids* s, uint32_t index, kin_transform start, kin_transform end)
{
    KIN_ASSERT(index < s->count);
    KIN_ASSERT(kin_finite3(start.position) && kin_finite3(end.position));
    set_poses(&s->solids[index], start, end);
}

/* Holds the solid at every pose of the interval. */
static kin_aabb swept_box(const kin_solid* s)
{
    kin_aabb start = kin_aabb_transform(s->start, s->bounds);
    if (!s->moves) return start;
    kin_aabb ends = kin_aabb_union(start, kin_aabb_transform(s->end, s->bounds));
    if (!s->turns) return ends;
    kin_vec3 all = {s->reach, s->reach, s->reach};
    kin_aabb ball = kin_aabb_sweep(kin_aabb_around(s->start.position, all), s->shift); /* whatever it turns, it stays in this */
    return kin_aabb_intersection(ball, kin_aabb_grow(ends, s->reach * (1 - kin_cos(0.5 * s->angle))));
}

/* Boxes are computed in rounded numbers: grown by more than they can be off. */
static kin_aabb safe(kin_aabb b)
{
    double largest = kin_max(kin_largest(kin_abs3(b.low)), kin_largest(kin_abs3(b.high)));
    return kin_aabb_grow(b, 1e-12 * largest);
}

double kin_solids_rate(const kin_solids* s) { return s->inv_interval; }

void kin_solids_refit(kin_solids* s, double interval)
{
    s->inv_interval = interval > 0 ? 1 / interval : 0;
    for (uint32_t i = 0; i < s->member_count; ++i) s->boxes[i] = safe(swept_box(&s->solids[s->members[i]]));
    if (s->stale)
        kin_bvh_build(&s->tree, s->boxes, s->member_count);
    else
        kin_bvh_refit(&s->tree, s->boxes);
    s->stale = false;
}

kin_transform kin_solids_pose(const kin_solids* s, uint32_t index, double fraction)
{
    KIN_ASSERT(index < s->count);
    const kin_solid* solid = &s->solids[index];
    if (!solid->moves || fraction == 0) return solid->start;
    if (fraction == 1) return solid->end; /* C1.3: both ends exact */
    return (kin_transform){kin_add_scaled(solid->start.position, fraction, solid->shift),
                           solid->turns ? kin_quat_slerp(solid->start.orientation, solid->end.orientation, fraction) : solid->start.orientation};
}

uint32_t kin_solids_count(const kin_solids* s) { return s->count; }

const struct kin_mesh* kin_solids_mesh(const kin_solids* s, uint32_t index)
{
    KIN_ASSERT(index < s->count);
    return s->solids[index].mesh != NULL ? s->solids[index].mesh->mesh : NULL;
}

const kin_shape* kin_solids_shape(const kin_solids* s, uint32_t index)
{
    KIN_ASSERT(index < s->count);
    return &s->solids[index].shape;
}

size_t kin_solids_bytes(const kin_solids* s)
{
    size_t bytes = sizeof *s + s->capacity * sizeof *s->solids + s->plane_capacity * sizeof *s->planes + s->member_capacity * sizeof *s->members
                   + s->box_capacity * sizeof *s->boxes + kin_bvh_bytes(&s->tree);
    for (uint32_t i = 0; i < s->count; ++i) bytes += s->solids[i].mesh != NULL ? kin_trimesh_bytes(s->solids[i].mesh) : 0;
    return bytes;
}
