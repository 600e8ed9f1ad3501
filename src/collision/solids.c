/* solids.c - the set of solids: adding, moving, and the tree over the boxes that bound each one's motion over the interval (C2.3). Memory is taken when a
 * solid is added, so that a refit never fails. */
#include "collision/solids.h"
#include "base/alloc.h"
#include "base/error.h"
#include "math/aabb.h"

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
    for (uint32_t i = 0; i < s->count; ++i) kin_form_drop(s->solids[i].form);
    kin_bvh_term(&s->tree);
    kin_free(&a, s->solids, s->capacity * sizeof *s->solids);
    kin_free(&a, s->planes, s->plane_capacity * sizeof *s->planes);
    kin_free(&a, s->members, s->member_capacity * sizeof *s->members);
    kin_free(&a, s->boxes, s->box_capacity * sizeof *s->boxes);
    kin_free(&a, s, sizeof *s);
}

static void set_poses(kin_solid* s, kin_transform start, kin_transform end)
{
    s->motion = kin_screw_between(start, end);
    kin_quat q = s->motion.start.orientation;
    s->turns = s->motion.angle > 1e-14;
    s->moves = s->turns || kin_length2(s->motion.shift) > 0;
    s->upright = q.x == 0 && q.y == 0 && q.z == 0;
    s->axes = (kin_mat3){kin_rotate(q, kin_axis(0)), kin_rotate(q, kin_axis(1)), kin_rotate(q, kin_axis(2))};
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

kin_result kin_solids_add(kin_solids* s, const kin_solid_def* def, uint32_t* index, kin_error* error)
{
    kin_transform pose = def->pose;
    if (!kin_finite3(pose.position)) return kin_fail(error, KIN_ERROR_ARGUMENT, "position", "is not finite");
    kin_quat q = pose.orientation;
    if (!kin_finite(kin_quat_dot(q, q)) || kin_quat_dot(q, q) == 0) return kin_fail(error, KIN_ERROR_ARGUMENT, "orientation", "has no direction");
    if (!reserve(s)) return kin_fail_memory(error, "a solid", sizeof(kin_solid));
    kin_solid solid = {.material = def->material, .filter = def->filter, .owner = def->owner, .form = def->form};
    if (solid.form != NULL) {
        kin_form_keep(solid.form);
    } else {
        kin_result result = kin_form_create(&s->allocator, def->shape, &solid.form, error);
        if (result != KIN_OK) return result;
    }
    set_poses(&solid, pose, pose);
    *index = s->count++;
    s->solids[*index] = solid;
    if (solid.form->bounded)
        s->members[s->member_count++] = *index;
    else
        s->planes[s->plane_count++] = *index;
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
    KIN_ASSERT(index < s->count && s->solids[index].form != NULL);
    kin_solid* solid = &s->solids[index];
    kin_form_drop(solid->form);
    solid->form = NULL;
    s->giving -= solid->inv_mass > 0;
    solid->inv_mass = 0;
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
    KIN_ASSERT(index < s->count && s->solids[index].form != NULL);
    bool plane = !s->solids[index].form->bounded;
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

#define MOST_REFITS 32 /* then the tree is built anew: solids that part make its boxes large */

/* Boxes are computed in rounded numbers: grown by more than they can be off. */
static kin_aabb safe(kin_aabb b)
{
    double largest = kin_max(kin_largest(kin_abs3(b.low)), kin_largest(kin_abs3(b.high)));
    return kin_aabb_grow(b, 1e-12 * largest);
}

double kin_solids_rate(const kin_solids* s) { return s->inv_interval; }

void kin_solids_weigh(kin_solids* s, uint32_t index, double inv_mass, kin_sym3 inv_inertia, kin_vec3 center)
{
    KIN_ASSERT(index < s->count);
    kin_solid* solid = &s->solids[index];
    s->giving += (inv_mass > 0) - (solid->inv_mass > 0);
    solid->inv_mass = inv_mass;
    solid->inv_inertia = inv_inertia;
    solid->center = center;
}

bool kin_solids_gives(const kin_solids* s, uint32_t index) { return s->solids[index].inv_mass > 0; }
bool kin_solids_any_gives(const kin_solids* s) { return s->giving > 0; }

void kin_solids_load(kin_solids* s, uint32_t index, kin_twist change)
{
    KIN_ASSERT(index < s->count);
    s->solids[index].load = change;
}

kin_solid_give kin_solids_give(const kin_solids* s, uint32_t index)
{
    KIN_ASSERT(index < s->count);
    const kin_solid* solid = &s->solids[index];
    return (kin_solid_give){solid->inv_mass, solid->inv_inertia, solid->center, solid->load};
}

kin_vec3 kin_solids_respond(const kin_solids* s, uint32_t index, kin_vec3 from, kin_wrench impulse, kin_vec3 at)
{
    KIN_ASSERT(index < s->count);
    const kin_solid* solid = &s->solids[index];
    if (solid->inv_mass == 0) return kin_v(0, 0, 0);
    kin_vec3 moment = kin_add(impulse.angular, kin_cross(kin_sub(from, solid->center), impulse.impulse));
    kin_vec3 spin = kin_sym3_apply(solid->inv_inertia, moment);
    return kin_add_scaled(kin_cross(spin, kin_sub(at, solid->center)), solid->inv_mass, impulse.impulse);
}

void kin_solids_refit(kin_solids* s, double interval)
{
    s->inv_interval = interval > 0 ? 1 / interval : 0;
    for (uint32_t i = 0; i < s->member_count; ++i) s->boxes[i] = safe(kin_form_swept_box(s->solids[s->members[i]].form, &s->solids[s->members[i]].motion));
    if (s->stale || s->refits == MOST_REFITS) {
        kin_bvh_build(&s->tree, s->boxes, s->member_count);
        s->refits = 0;
    } else {
        kin_bvh_refit(&s->tree, s->boxes);
        s->refits += 1;
    }
    s->stale = false;
}

kin_transform kin_solids_pose(const kin_solids* s, uint32_t index, double fraction)
{
    KIN_ASSERT(index < s->count);
    const kin_solid* solid = &s->solids[index];
    return solid->moves ? kin_screw_at(&solid->motion, fraction) : solid->motion.start;
}

kin_twist kin_solids_twist(const kin_solids* s, uint32_t index)
{
    KIN_ASSERT(index < s->count);
    const kin_screw* m = &s->solids[index].motion;
    return (kin_twist){kin_scale(m->shift, s->inv_interval), kin_scale(m->turn, s->inv_interval)};
}

kin_aabb kin_solids_box(const kin_solids* s, uint32_t index)
{
    KIN_ASSERT(index < s->count);
    const kin_solid* solid = &s->solids[index];
    double inf = __builtin_inf();
    return solid->form->bounded ? safe(kin_form_swept_box(solid->form, &solid->motion)) : (kin_aabb){{-inf, -inf, -inf}, {inf, inf, inf}};
}

uint32_t kin_solids_count(const kin_solids* s) { return s->count; }

kin_anchor kin_solids_owner(const kin_solids* s, uint32_t index, kin_vec3 local)
{
    KIN_ASSERT(index < s->count);
    return (kin_anchor){s->solids[index].owner.system, s->solids[index].owner.element, local};
}

kin_form* kin_solids_form(const kin_solids* s, uint32_t index)
{
    KIN_ASSERT(index < s->count);
    return s->solids[index].form;
}

size_t kin_solids_bytes(const kin_solids* s)
{
    size_t bytes = sizeof *s + s->capacity * sizeof *s->solids + s->plane_capacity * sizeof *s->planes + s->member_capacity * sizeof *s->members
                   + s->box_capacity * sizeof *s->boxes + kin_bvh_bytes(&s->tree);
    for (uint32_t i = 0; i < s->count; ++i) bytes += s->solids[i].form != NULL ? kin_form_bytes(s->solids[i].form) : 0;
    return bytes;
}
