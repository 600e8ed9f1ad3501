/* fracture.c - bodies that come apart: Voronoi pieces round random points (C5.8). Pieces are bodies from the start, so that nothing is made in a step and a
 * snapshot holds numbers only: of a composite they are inactive until it breaks; held by joints they are active and the body they were cut from is not.
 *
 * A composite has the mass, centre and inertia of its pieces together. Breaking gives each piece v + w x r and w: then momentum, angular momentum and energy
 * are those of the whole to the last bits. */
#include "base/alloc.h"
#include "base/error.h"
#include "collision/form/skin.h"
#include "domains/rigid/rigid.h"
#include "geometry/tetra/voronoi.h"

/* ---- pieces ---- */

/* The body's surface, closed: its own, or the faces of its hull. */
static kin_result surface_of(const kin_allocator* allocator, const kin_form* form, kin_mesh** out, kin_error* error)
{
    kin_skin skin;
    *out = NULL;
    if (form->part_count > 1 && kin_form_is_assembled(form))
        return kin_fail(error, KIN_ERROR_ARGUMENT, "", "a compound of several parts cannot be cut: give it as one mesh");
    if (!form->has_inside || !form->bounded) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "the shape has no volume to be cut");
    if (!kin_skin_init(allocator, form, &skin)) return kin_fail_memory(error, "a surface", 0);
    kin_result result;
    const kin_form* inner = form->part_count == 1 && kin_form_is_assembled(form) ? form->parts[0].form : form;
    if (inner->is_convex) {
        kin_hull* hull;
        result = kin_hull_create(allocator, skin.positions, skin.vertex_count, 0, &hull, error);
        if (result == KIN_OK) result = kin_hull_mesh(hull, allocator, out, error);
        if (hull != NULL) kin_hull_destroy(hull);
    } else {
        kin_mesh_view view = {
            .vertices = skin.positions, .vertex_count = skin.vertex_count, .corners = &skin.triangles[0][0], .face_count = skin.triangle_count};
        result = kin_mesh_create(allocator, &view, out, error);
    }
    kin_skin_term(&skin);
    return result;
}

static kin_result shatter(const kin_allocator* allocator, const kin_form* form, const kin_fracture_def* def, kin_shards** out, kin_error* error)
{
    kin_mesh* mesh = NULL;
    uint32_t count = (uint32_t)def->pieces;
    kin_vec3* seeds = kin_alloc(allocator, kin_bytes(count, sizeof *seeds));
    *out = NULL;
    if (seeds == NULL) return kin_fail_memory(error, "the points of a fracture", count * sizeof *seeds);
    kin_result result = surface_of(allocator, form, &mesh, error);
    if (result == KIN_OK) result = kin_voronoi_scatter(allocator, mesh, def->seed, count, seeds, error);
    if (result == KIN_OK) result = kin_voronoi_break(allocator, mesh, seeds, count, out, error);
    kin_mesh_destroy(mesh);
    kin_free(allocator, seeds, count * sizeof *seeds);
    if (result == KIN_OK && (*out)->count < 2) {
        kin_shards_destroy(*out);
        *out = NULL;
        return kin_fail(error, KIN_ERROR_ARGUMENT, "pieces", "%d: fewer than two pieces come of it", def->pieces);
    }
    return result;
}

/* About its own centre, so that it is no farther round than it must be. */
static kin_shape piece_shape(const kin_shard* shard)
{
    kin_shape shape = {.kind = KIN_SHAPE_MESH, .offset = kin_neg(shard->mass.center)};
    if (shard->hull != NULL) {
        shape.kind = KIN_SHAPE_HULL;
        shape.points = (kin_points_view){shard->hull->vertices, shard->hull->vertex_count};
    } else {
        shape.mesh = (kin_mesh_view){.vertices = shard->mesh->vertices,
                                     .vertex_count = shard->mesh->vertex_count,
                                     .corners = &shard->mesh->triangles[0][0],
                                     .face_count = shard->mesh->triangle_count};
    }
    return shape;
}

/* Where the whole is now, and moving with it. */
static void follow_whole(kin_rigid* r, uint32_t piece, uint32_t whole, kin_vec3 at)
{
    kin_transform pose = kin_rigid_pose(r, whole);
    kin_body* b = kin_rigid_body_of(r, piece);
    const kin_body* w = kin_rigid_body_of(r, whole);
    kin_transform place = {kin_apply(pose, at), pose.orientation};
    kin_rigid_put(r, piece, place, kin_v(0, 0, 0), w->spin);
    b->velocity = kin_body_velocity_at(w, b->position);
}

/* What it shares with the whole: material, filter, drag by its part of the mass. */
static kin_result make_piece(kin_rigid* r, uint32_t whole, const kin_shard* shard, double density, double total, kin_mobility mobility, uint32_t* number,
                             kin_error* error)
{
    const kin_body_skin skin = *kin_rigid_skin_of(r, whole);
    double part = shard->mass.mass * density / total;
    kin_body_def def = kin_body_def_default();
    def.shape = piece_shape(shard);
    def.material = skin.material;
    def.density = density;
    def.mobility = mobility;
    def.filter = skin.filter;
    def.drag = part * skin.drag;
    def.angular_drag = part * skin.angular_drag;
    def.drag_area = part * skin.drag_area;
    def.gravity_scale = skin.gravity_scale;
    def.stays_awake = skin.stays_awake;
    kin_result result = kin_rigid_make_body(r, &def, number, error);
    if (result == KIN_OK) follow_whole(r, *number, whole, shard->mass.center);
    return result;
}

/* ---- the whole ---- */

/* Of the pieces together, in the frame of the whole's shape, where they stand unturned. */
static kin_mass sum_of_pieces(const kin_rigid* r, const kin_fracture* f)
{
    kin_mass sum = {0};
    for (uint32_t i = 0; i < f->count; ++i) {
        const kin_body* b = kin_rigid_body_of(r, f->first + i);
        kin_transform body_in_piece = kin_transform_inverse(kin_rigid_skin_of(r, f->first + i)->place);
        kin_transform body_in_whole = {kin_add(f->at[i], body_in_piece.position), body_in_piece.orientation};
        kin_mass m = kin_mass_transform((kin_mass){b->mass, {0, 0, 0}, kin_sym3_diagonal(b->moments)}, body_in_whole);
        sum = i > 0 ? kin_mass_add(sum, m) : m;
    }
    return sum;
}

/* Same place, same motion at every point; another centre. */
static void weigh_as_pieces(kin_rigid* r, const kin_fracture* f)
{
    kin_body* b = kin_rigid_body_of(r, f->body);
    kin_body_skin* skin = kin_rigid_skin_of(r, f->body);
    kin_transform pose = kin_rigid_pose(r, f->body);
    kin_mass sum = sum_of_pieces(r, f);
    kin_principal frame = kin_rigid_principal(sum);
    kin_transform body = kin_transform_mul(pose, frame.frame);
    kin_vec3 velocity = kin_body_velocity_at(b, body.position);
    skin->reach += kin_distance(body.position, b->position);
    skin->place = kin_transform_inverse(frame.frame);
    b->mass = sum.mass;
    b->moments = frame.moments;
    kin_rigid_put(r, f->body, pose, velocity, b->spin);
}

/* ---- glue ---- */

/* The face that a piece has towards another seed. */
typedef struct shared_face {
    double area;     /* m^2 */
    kin_vec3 middle; /* m */
} shared_face;

static shared_face face_towards(const kin_shard* shard, uint32_t seed)
{
    shared_face face = {0};
    const kin_mesh* m = shard->mesh;
    for (uint32_t t = 0; t < m->triangle_count; ++t) {
        if (shard->from[t] != (KIN_SHARD_INNER | seed)) continue;
        kin_vec3 a = m->vertices[m->triangles[t][0]], b = m->vertices[m->triangles[t][1]], c = m->vertices[m->triangles[t][2]];
        double area = 0.5 * kin_length(kin_cross(kin_sub(b, a), kin_sub(c, a)));
        face.area += area;
        face.middle = kin_add_scaled(face.middle, area / 3, kin_add(a, kin_add(b, c)));
    }
    if (face.area > 0) face.middle = kin_scale(face.middle, 1 / face.area);
    return face;
}

/* Pieces of cells that fell in several parts may have faces of one plane that lie far from each other: those are no neighbours. */
static bool share_a_face(const kin_shard* a, const kin_shard* b, shared_face* out)
{
    if (a->seed == b->seed) return false;
    *out = face_towards(a, b->seed);
    if (!(out->area > 0)) return false;
    shared_face other = face_towards(b, a->seed);
    if (!(other.area > 0) || kin_length2(kin_sub(out->middle, other.middle)) > kin_max(out->area, other.area)) return false;
    if (other.area < out->area) *out = other;
    return true;
}

/* A plate of side a breaks in bending at stress s under s a^3 / 6. */
static kin_result glue(kin_rigid* r, uint32_t whole, uint32_t a, uint32_t b, shared_face face, double strength, kin_error* error)
{
    kin_joint_def def = kin_joint_def_default();
    uint32_t number;
    def.kind = KIN_JOINT_FIXED;
    def.a = a;
    def.b = b;
    def.anchor = kin_apply(kin_rigid_pose(r, whole), face.middle);
    def.break_force = strength * face.area;
    def.break_torque = strength * face.area * kin_sqrt(face.area) / 6;
    return kin_rigid_make_joint(r, &def, &number, error);
}

static kin_result glue_all(kin_rigid* r, uint32_t whole, uint32_t first, const kin_shards* shards, double strength, kin_error* error)
{
    kin_result result = KIN_OK;
    for (uint32_t a = 0; a < shards->count; ++a) {
        for (uint32_t b = a + 1; b < shards->count && result == KIN_OK; ++b) {
            shared_face face;
            if (share_a_face(&shards->shards[a], &shards->shards[b], &face)) result = glue(r, whole, first + a, first + b, face, strength, error);
        }
    }
    return result;
}

/* ---- cutting ---- */

static kin_result make_pieces(kin_rigid* r, uint32_t whole, const kin_shards* shards, kin_mobility mobility, uint32_t* made, kin_error* error)
{
    double total = kin_rigid_body_of(r, whole)->mass, volume = 0;
    for (size_t i = 0; i < shards->count; ++i) volume += shards->shards[i].mass.mass;
    for (*made = 0; *made < shards->count; ++*made) {
        uint32_t number;
        kin_result result = make_piece(r, whole, &shards->shards[*made], total / volume, total, mobility, &number, error);
        if (result != KIN_OK) return result;
    }
    return KIN_OK;
}

static kin_result keep_places(kin_rigid* r, const kin_shards* shards, kin_fracture* f, kin_error* error)
{
    kin_vec3* at = kin_arena_take(&r->arena, shards->count * sizeof *at);
    if (at == NULL || !kin_reserve(&r->allocator, (void**)&r->fractures, &r->fracture_capacity, r->fracture_count + 1, sizeof *r->fractures))
        return kin_fail_memory(error, "a fracture", shards->count * sizeof *at);
    for (size_t i = 0; i < shards->count; ++i) at[i] = shards->shards[i].mass.center;
    f->at = at;
    return KIN_OK;
}

static bool has_joints(const kin_rigid* r, uint32_t index)
{
    for (uint32_t i = 0; i < r->group->joint_count; ++i) {
        const kin_joint* j = &r->group->joints[i];
        if (!j->broken && (j->a == index || j->b == index)) return true;
    }
    return false;
}

static kin_result check(const kin_rigid* r, uint32_t number, const kin_fracture_def* def, kin_error* error)
{
    kin_result result = kin_params_check(kin_fracture_params, def, "", error);
    if (result != KIN_OK) return result;
    if (def->pieces < 2) return kin_fail(error, KIN_ERROR_ARGUMENT, "pieces", "%d must be >= 2", def->pieces);
    if (r->bodies[number].fracture != 0) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "the body is cut already");
    if (r->bodies[number].mobility != KIN_MOBILITY_DYNAMIC) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "only a dynamic body can be cut");
    if (def->glue == KIN_GLUE_JOINTS && has_joints(r, r->bodies[number].index))
        return kin_fail(error, KIN_ERROR_ARGUMENT, "glue", "the body has joints, which none of its pieces would take over");
    return KIN_OK;
}

static kin_result cut(kin_rigid* r, kin_fracture* f, const kin_fracture_def* def, const kin_shards* shards, kin_error* error)
{
    bool composite = def->glue == KIN_GLUE_COMPOSITE;
    uint32_t made = 0;
    kin_result result = keep_places(r, shards, f, error);
    if (result == KIN_OK) result = make_pieces(r, f->body, shards, composite ? KIN_MOBILITY_INACTIVE : KIN_MOBILITY_DYNAMIC, &made, error);
    if (result == KIN_OK && !composite) result = glue_all(r, f->body, f->first, shards, def->strength, error);
    if (result == KIN_OK) {
        f->count = made;
        r->bodies[f->body].fracture = (uint32_t)r->fracture_count + 1;
        r->fractures[r->fracture_count++] = *f;
        if (composite)
            weigh_as_pieces(r, f);
        else
            kin_rigid_set_mobility(r, f->body, KIN_MOBILITY_INACTIVE);
        return KIN_OK;
    }
    for (uint32_t i = 0; i < made; ++i) kin_rigid_retire(r, f->first + i);
    return result;
}

kin_result kin_rigid_cut(kin_rigid* r, uint32_t number, const kin_fracture_def* def, kin_error* error)
{
    kin_shards* shards;
    kin_result result = check(r, number, def, error);
    if (result == KIN_OK) result = shatter(&r->allocator, kin_rigid_skin_of(r, number)->form, def, &shards, error);
    if (result != KIN_OK) return result;
    kin_fracture f = {.body = number, .first = (uint32_t)r->count, .strength = def->strength};
    result = cut(r, &f, def, shards, error);
    kin_shards_destroy(shards);
    return result;
}

kin_result kin_rigid_copy_fractures(kin_rigid* r, const kin_rigid* from, kin_error* error)
{
    for (size_t i = 0; i < from->fracture_count; ++i) {
        kin_fracture f = from->fractures[i];
        kin_vec3* at = kin_arena_take(&r->arena, f.count * sizeof *at);
        if (at == NULL || !kin_reserve(&r->allocator, (void**)&r->fractures, &r->fracture_capacity, i + 1, sizeof *r->fractures))
            return kin_fail_memory(error, "a fracture", f.count * sizeof *at);
        for (uint32_t k = 0; k < f.count; ++k) at[k] = f.at[k];
        f.at = at;
        r->fractures[r->fracture_count++] = f;
    }
    return KIN_OK;
}

/* ---- breaking ---- */

/* m: from a point to a piece; below 0 inside. */
static double distance_to(const kin_rigid* r, uint32_t piece, kin_vec3 point)
{
    const kin_form* form = kin_rigid_skin_of(r, piece)->form;
    kin_touch near;
    return form->ops->closest(form, kin_unapply(kin_rigid_pose(r, piece), point), 1e30, &near, 1) > 0 ? near.distance : 1e30;
}

static uint32_t piece_at(const kin_rigid* r, const kin_fracture* f, kin_vec3 point)
{
    uint32_t best = f->first;
    for (uint32_t i = 1; i < f->count; ++i) {
        if (distance_to(r, f->first + i, point) < distance_to(r, best, point)) best = f->first + i;
    }
    return best;
}

/* Each stays with the piece that it holds. */
static void hand_joints_on(kin_rigid* r, const kin_fracture* f)
{
    uint32_t index = r->bodies[f->body].index;
    kin_transform pose = kin_body_pose(kin_rigid_body_of(r, f->body));
    for (uint32_t i = 0; i < r->group->joint_count; ++i) {
        const kin_joint* j = &r->group->joints[i];
        if (j->broken || (j->a != index && j->b != index)) continue;
        uint32_t piece = piece_at(r, f, kin_apply(pose, j->a == index ? j->frame_a.position : j->frame_b.position));
        if (!kin_group_hand_joint(r->group, i, index, r->bodies[piece].index)) kin_group_break_joint(r->group, i, 0);
    }
}

static void come_apart(kin_rigid* r, const kin_fracture* f, const kin_touch_event* hit)
{
    for (uint32_t i = 0; i < f->count; ++i) {
        kin_rigid_set_mobility(r, f->first + i, KIN_MOBILITY_DYNAMIC);
        follow_whole(r, f->first + i, f->body, f->at[i]);
        r->bodies[f->first + i].moved = r->has_moved = true;
    }
    hand_joints_on(r, f);
    kin_rigid_set_mobility(r, f->body, KIN_MOBILITY_INACTIVE);
    kin_touch_event event = *hit;
    event.kind = KIN_BODY_BROKE;
    event.a = (kin_anchor){r->system, f->body, {0, 0, 0}};
    kin_group_event(r->group, &event);
}

static void try_to_break(kin_rigid* r, kin_anchor who, const kin_touch_event* hit)
{
    if (who.system != r->system || r->bodies[who.element].fracture == 0) return;
    const kin_fracture* f = &r->fractures[r->bodies[who.element].fracture - 1];
    bool whole = r->bodies[f->body].mobility == KIN_MOBILITY_DYNAMIC;
    if (whole && hit->impulse > f->strength) come_apart(r, f, hit);
}

void kin_rigid_break_hit(kin_rigid* r)
{
    size_t count = r->group->events->count; /* breaking adds some */
    for (size_t i = 0; i < count; ++i) {
        kin_touch_event event = r->group->events->items[i];
        if (event.kind != KIN_TOUCH_HIT) continue;
        try_to_break(r, event.a, &event);
        try_to_break(r, event.b, &event);
    }
}
