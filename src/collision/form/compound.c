/* compound.c - several forms as one: a tree over the boxes of its parts, each asked in its own frame.
 *
 * Parts may overlap. What lies inside another part is not surface: such answers are left out, as far as there are others. */
#include "base/alloc.h"
#include "base/error.h"
#include "collision/form/make.h"
#include "math/aabb.h"
#include <stdio.h>

static kin_vec3 to_part(const kin_form_part* p, kin_vec3 v) { return p->upright ? v : kin_mat3_apply_transposed(p->axes, v); }
static kin_vec3 from_part(const kin_form_part* p, kin_vec3 v) { return p->upright ? v : kin_mat3_apply(p->axes, v); }
static kin_vec3 point_to_part(const kin_form_part* p, kin_vec3 x) { return to_part(p, kin_sub(x, p->pose.position)); }

static kin_touch touch_from_part(const kin_form* f, uint32_t part, kin_touch touch)
{
    const kin_form_part* p = &f->parts[part];
    touch.point = kin_add(from_part(p, touch.point), p->pose.position);
    touch.normal = from_part(p, touch.normal);
    touch.part = part;
    return touch;
}

/* Deeper than this inside another part is not on the surface: what rounding leaves of touching parts is less. */
static double slack_of(const kin_form* f) { return 1e-9 * f->reach; }

static bool covered(const kin_form* f, const kin_touch* touch)
{
    kin_bvh_walk walk;
    double slack = slack_of(f);
    for (kin_bvh_overlap_begin(&walk, &f->tree, (kin_aabb){touch->point, touch->point}); kin_bvh_overlap_next(&walk);) {
        for (uint32_t i = walk.begin; i < walk.end; ++i) {
            uint32_t part = f->tree.items[i];
            const kin_form* form = f->parts[part].form;
            kin_touch inner;
            if (part == touch->part || !form->has_inside) continue;
            if (form->ops->closest(form, point_to_part(&f->parts[part], touch->point), 0, &inner, 1) > 0 && inner.distance < -slack) return true;
        }
    }
    return false;
}

/* ---- the questions ---- */

static bool sweep(const kin_form* f, const kin_path* path, kin_touch* hit)
{
    kin_vec3 end = kin_add(path->a, path->d);
    kin_aabb box = kin_aabb_grow((kin_aabb){kin_min3(path->a, end), kin_max3(path->a, end)}, path->radius + path->depth + path->touch);
    kin_bvh_walk walk;
    *hit = (kin_touch){.t = 2};
    for (kin_bvh_overlap_begin(&walk, &f->tree, box); kin_bvh_overlap_next(&walk);) {
        for (uint32_t i = walk.begin; i < walk.end; ++i) {
            uint32_t part = f->tree.items[i];
            const kin_form_part* p = &f->parts[part];
            kin_path inner = *path;
            inner.a = point_to_part(p, path->a);
            inner.d = to_part(p, path->d);
            kin_touch touch;
            if (!p->form->ops->sweep(p->form, &inner, &touch)) continue;
            if (touch.t < hit->t || (touch.t == hit->t && part < hit->part)) *hit = touch_from_part(f, part, touch);
        }
    }
    return hit->t <= 1;
}

static bool nearer(const kin_touch* a, const kin_touch* b)
{
    if (a->distance != b->distance) return a->distance < b->distance;
    return a->part != b->part ? a->part < b->part : a->feature < b->feature;
}

static int insert(kin_touch* touches, int count, int most, const kin_touch* touch)
{
    int at = count;
    while (at > 0 && nearer(touch, &touches[at - 1])) at -= 1;
    if (at >= most) return count;
    if (count < most) count += 1;
    for (int k = count - 1; k > at; --k) touches[k] = touches[k - 1];
    touches[at] = *touch;
    return count;
}

static int closest(const kin_form* f, kin_vec3 x, double reach, kin_touch* touches, int most)
{
    if (most < 1) return 0;
    int count = 0;
    kin_touch buried = {.distance = 1e308}; /* the best of those inside another part: better than nothing */
    double margin = kin_max(reach, 0);
    kin_bvh_walk walk;
    for (kin_bvh_overlap_begin(&walk, &f->tree, kin_aabb_around(x, kin_v(margin, margin, margin))); kin_bvh_overlap_next(&walk);) {
        for (uint32_t i = walk.begin; i < walk.end; ++i) {
            uint32_t part = f->tree.items[i];
            const kin_form_part* p = &f->parts[part];
            kin_touch found[KIN_TRIMESH_CONTACTS];
            int n = p->form->ops->closest(p->form, point_to_part(p, x), reach, found, most < KIN_TRIMESH_CONTACTS ? most : KIN_TRIMESH_CONTACTS);
            for (int k = 0; k < n; ++k) {
                kin_touch touch = touch_from_part(f, part, found[k]);
                if (!covered(f, &touch))
                    count = insert(touches, count, most, &touch);
                else if (nearer(&touch, &buried))
                    buried = touch;
            }
        }
    }
    if (count == 0 && buried.distance < 1e308) touches[count++] = buried;
    return count;
}

/* The first crossing of a part's surface at t in [from, limit]. */
static bool ray_parts(const kin_form* f, kin_vec3 origin, kin_vec3 direction, double from, double limit, kin_touch* hit)
{
    kin_vec3 start = kin_add_scaled(origin, from, direction);
    kin_bvh_walk walk;
    *hit = (kin_touch){.t = limit, .part = UINT32_MAX};
    for (kin_bvh_path_begin(&walk, &f->tree, start, direction, 0, limit - from); kin_bvh_path_next(&walk); walk.limit = hit->t - from) {
        for (uint32_t i = walk.begin; i < walk.end; ++i) {
            uint32_t part = f->tree.items[i];
            const kin_form_part* p = &f->parts[part];
            kin_touch touch;
            if (!p->form->ops->ray(p->form, point_to_part(p, start), to_part(p, direction), hit->t - from, &touch)) continue;
            touch.t = touch.distance = touch.t + from;
            if (touch.t < hit->t || (touch.t == hit->t && part < hit->part)) *hit = touch_from_part(f, part, touch);
        }
    }
    return hit->part != UINT32_MAX;
}

/* From inside, walls between parts are passed. */
static bool ray(const kin_form* f, kin_vec3 origin, kin_vec3 direction, double limit, kin_touch* hit)
{
    double speed = kin_length(direction), from = 0;
    if (speed == 0) return false;
    for (uint32_t i = 0; i <= 4 * f->part_count; ++i) {
        if (from > limit || !ray_parts(f, origin, direction, from, limit, hit)) return false;
        if (!covered(f, hit)) return true;
        from = hit->t + 2 * slack_of(f) / speed;
    }
    return false;
}

static kin_mass mass(const kin_form* f)
{
    kin_mass sum = {0};
    if (!kin_form_is_assembled(f)) { /* pieces: of the mesh, so that approximate ones weigh no more */
        if (kin_mass_of_mesh(f->mesh->mesh, KIN_MASS_TETRAHEDRA, &sum, NULL) != KIN_OK) sum = (kin_mass){0};
        return sum;
    }
    for (uint32_t i = 0; i < f->part_count; ++i) {
        const kin_form* form = f->parts[i].form;
        sum = kin_mass_add(sum, kin_mass_transform(form->ops->mass(form), f->parts[i].pose));
    }
    return sum;
}

static void term(kin_form* f)
{
    for (uint32_t i = 0; i < f->part_count; ++i) kin_form_drop(f->parts[i].form);
    kin_free(&f->allocator, f->parts, f->part_count * sizeof *f->parts);
    kin_bvh_term(&f->tree);
    kin_trimesh_destroy(f->mesh);
}

static size_t bytes(const kin_form* f)
{
    size_t sum = f->part_count * sizeof *f->parts + kin_bvh_bytes(&f->tree) + (f->mesh != NULL ? kin_trimesh_bytes(f->mesh) : 0);
    for (uint32_t i = 0; i < f->part_count; ++i) sum += kin_form_bytes(f->parts[i].form);
    return sum;
}

static const kin_form_ops compound_ops = {.sweep = sweep, .closest = closest, .ray = ray, .mass = mass, .term = term, .bytes = bytes};

/* ---- making ---- */

/* The part's own offset within the compound's scale, turn and offset. */
static kin_transform part_pose(const kin_shape* whole, const kin_shape* part)
{
    kin_quat turn = kin_quat_dot(part->turn, part->turn) > 0 ? kin_quat_normalize(part->turn) : kin_quat_identity();
    kin_transform inner = {kin_scale(part->offset, whole->scale.x), turn};
    return kin_transform_mul((kin_transform){whole->offset, whole->turn}, inner);
}

static kin_result make_part(kin_form* f, const kin_shape* whole, uint32_t i, kin_error* error)
{
    kin_shape shape = whole->parts[i];
    kin_form_part* part = &f->parts[i];
    if (shape.kind == KIN_SHAPE_PLANE || shape.kind == KIN_SHAPE_COMPOUND || shape.kind == KIN_SHAPE_PIECES)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "shape", "a part may be neither a plane nor a compound nor pieces");
    if (!kin_finite3(shape.offset) || !kin_finite(kin_quat_dot(shape.turn, shape.turn)))
        return kin_fail(error, KIN_ERROR_ARGUMENT, "shape.offset", "offset and turn must be finite");
    part->pose = part_pose(whole, &shape);
    part->axes = kin_quat_to_matrix(part->pose.orientation);
    part->upright = part->pose.orientation.x == 0 && part->pose.orientation.y == 0 && part->pose.orientation.z == 0;
    shape.offset = kin_v(0, 0, 0);
    shape.turn = (kin_quat){0, 0, 0, 0};
    if (kin_length2(shape.scale) == 0) shape.scale = kin_v(1, 1, 1);
    shape.scale = kin_mul(shape.scale, whole->scale);
    return kin_form_create(&f->allocator, &shape, &part->form, error);
}

/* "shape.radius" of a part is "shape.parts[2].radius". */
static kin_result in_part(kin_result result, size_t i, kin_error* error)
{
    if (result == KIN_OK || error == NULL) return result;
    char where[sizeof error->where];
    const char* member = error->where[0] != 0 && error->where[5] == '.' ? error->where + 5 : "";
    snprintf(where, sizeof where, "shape.parts[%zu]%.400s", i, member);
    snprintf(error->where, sizeof error->where, "%s", where);
    return result;
}

static kin_result build_tree(kin_form* f, kin_error* error)
{
    kin_aabb* boxes = kin_alloc(&f->allocator, f->part_count * sizeof *boxes);
    bool ok = boxes != NULL;
    f->bounds = kin_aabb_empty();
    for (uint32_t i = 0; ok && i < f->part_count; ++i) {
        const kin_form_part* p = &f->parts[i];
        boxes[i] = kin_form_box(p->form, p->pose);
        boxes[i] = kin_aabb_grow(boxes[i], 1e-12 * (kin_length(p->pose.position) + p->form->reach));
        f->bounds = kin_aabb_union(f->bounds, boxes[i]);
        double corner = kin_length(kin_max3(kin_abs3(boxes[i].low), kin_abs3(boxes[i].high)));
        f->reach = kin_max(f->reach, kin_min(corner, kin_length(p->pose.position) + p->form->reach));
    }
    ok = ok && kin_bvh_build(&f->tree, boxes, f->part_count);
    kin_free(&f->allocator, boxes, f->part_count * sizeof *boxes);
    return ok ? KIN_OK : kin_fail_memory(error, "a shape of parts", f->part_count * sizeof *boxes);
}

kin_result kin_form_make_compound(kin_form* f, const kin_shape* shape, kin_error* error)
{
    if (shape->parts == NULL || shape->part_count == 0 || shape->part_count > UINT32_MAX / 2)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "shape.parts", "a compound has at least one part, not %zu", shape->part_count);
    kin_result result = kin_form_check_scale(shape->scale, true, "turned part what it was", error);
    if (result != KIN_OK) return result;
    f->ops = &compound_ops;
    f->parts = kin_alloc_zero(&f->allocator, kin_bytes(shape->part_count, sizeof *f->parts));
    if (f->parts == NULL) return kin_fail_memory(error, "a shape of parts", shape->part_count * sizeof *f->parts);
    f->part_count = (uint32_t)shape->part_count;
    f->has_inside = false;
    for (uint32_t i = 0; i < f->part_count; ++i) {
        result = in_part(make_part(f, shape, i, error), i, error);
        if (result != KIN_OK) return result;
        f->has_inside = f->has_inside || f->parts[i].form->has_inside;
    }
    return build_tree(f, error);
}
