/* attach.c - attachments of a world: made, moved and taken away by commands; and picking by a ray. */
#include "kinema/query.h"
#include "world/attach.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "math/vec3.h"

static bool is_there(const kin_world* world, kin_anchor a) { return kin_world_check_anchor(world, a, KIN_ELEMENT_HOLD, "", NULL) == KIN_OK; }

const kin_anchor_verbs kin_world_anchor_verbs = {is_there, kin_world_motion_at, kin_world_respond};

/* ---- what exists, and what waits in the queue ---- */

uint32_t kin_world_next_attachment(const kin_world* world)
{
    uint32_t last = world->attachments.last, queued = world->commands.last_attachment;
    return (queued > last ? queued : last) + 1;
}

/* Where a serial stands in the table, or the empty place for it. */
static kin_prospect* place_of(const kin_command_queue* q, uint32_t serial)
{
    size_t mask = q->prospect_capacity - 1, at = (size_t)(kin_hash(&serial, sizeof serial)) & mask;
    while (q->prospects[at].serial != 0 && q->prospects[at].serial != serial) at = (at + 1) & mask;
    return &q->prospects[at];
}

static bool grow_prospects(kin_command_queue* q)
{
    if (2 * (q->prospect_count + 1) <= q->prospect_capacity) return true;
    kin_command_queue larger = *q;
    larger.prospect_capacity = q->prospect_capacity > 0 ? 2 * q->prospect_capacity : 64;
    larger.prospects = kin_alloc_zero(&q->allocator, larger.prospect_capacity * sizeof *larger.prospects);
    if (larger.prospects == NULL) return false;
    for (size_t i = 0; i < q->prospect_capacity; ++i) {
        if (q->prospects[i].serial != 0) *place_of(&larger, q->prospects[i].serial) = q->prospects[i];
    }
    kin_free(&q->allocator, q->prospects, q->prospect_capacity * sizeof *q->prospects);
    *q = larger;
    return true;
}

static kin_prospect prospect_of(const kin_world* world, uint32_t serial)
{
    const kin_command_queue* q = &world->commands;
    const kin_prospect* queued = q->prospect_capacity > 0 ? place_of(q, serial) : NULL;
    if (queued != NULL && queued->serial == serial) return *queued;
    const kin_attachment* item = kin_attachments_find(&world->attachments, serial);
    if (item == NULL) return (kin_prospect){0};
    const kin_vec3 point = kin_attachments_point(&world->attachments, (size_t)(item - world->attachments.items), kin_world_time(world));
    return (kin_prospect){serial, true, item->def.to_point, point, item->def.facing};
}

bool kin_world_expect(kin_world* world, const kin_command* c)
{
    kin_command_queue* q = &world->commands;
    if (!grow_prospects(q)) return false;
    kin_prospect p = prospect_of(world, c->attachment), *place = place_of(q, c->attachment);
    if (c->kind == KIN_COMMAND_ATTACH) p = (kin_prospect){c->attachment, true, c->attach.to_point, c->attach.point, c->attach.facing};
    if (c->kind == KIN_COMMAND_DETACH) p.exists = false;
    if (c->kind == KIN_COMMAND_TARGET) p.point = c->a;
    q->prospect_count += place->serial == 0;
    *place = p;
    if (c->kind == KIN_COMMAND_ATTACH && c->attachment > q->last_attachment) q->last_attachment = c->attachment;
    return true;
}

/* ---- checks ---- */

static kin_result check_def(const kin_world* world, const kin_attachment_def* def, kin_error* error)
{
    if (def->a.system == KIN_WORLD_SYSTEM) return kin_fail(error, KIN_ERROR_ARGUMENT, "a", "must be an element of a system; a collider goes into b");
    kin_result result = kin_world_check_anchor(world, def->a, KIN_ELEMENT_HOLD, "a", error);
    if (result == KIN_OK && !def->to_point) result = kin_world_check_anchor(world, def->b, KIN_ELEMENT_HOLD, "b", error);
    return result == KIN_OK ? kin_attachment_check(def, error) : result;
}

static kin_result no_memory(kin_error* error) { return kin_fail_memory(error, "an attachment", sizeof(kin_attachment)); }

kin_result kin_world_check_attach(kin_world* world, const kin_attachment_def* def, kin_error* error)
{
    if (def->key_count > 0) return kin_fail(error, KIN_ERROR_ARGUMENT, "keys", "a running world takes no keys; move the target by commands");
    kin_result result = check_def(world, def, error);
    if (result != KIN_OK) return result;
    const kin_attachments* list = &world->attachments;
    return kin_attachments_reserve(&world->attachments, list->count + world->commands.count + 1, list->key_count) ? KIN_OK : no_memory(error);
}

kin_result kin_world_check_attached(const kin_world* world, const kin_command* c, kin_error* error)
{
    kin_prospect p = prospect_of(world, c->attachment);
    if (!p.exists) return kin_fail(error, KIN_ERROR_ARGUMENT, "attachment", "there is no attachment %u: it was detached, or broke", c->attachment);
    if (c->kind == KIN_COMMAND_DETACH) return KIN_OK;
    if (!p.to_point) return kin_fail(error, KIN_ERROR_ARGUMENT, "attachment", "attachment %u holds to no point of space that could be moved", c->attachment);
    kin_attachment_def probe = kin_attachment_def_default();
    probe.point = c->a;
    return kin_attachment_check(&probe, error);
}

void kin_world_apply_attach(kin_world* world, const kin_command* c)
{
    kin_attachments* list = &world->attachments;
    if (c->kind == KIN_COMMAND_ATTACH) kin_attachments_add(list, &c->attach, c->attachment);
    if (c->kind == KIN_COMMAND_DETACH) kin_attachments_drop(list, c->attachment);
    if (c->kind == KIN_COMMAND_TARGET) kin_attachments_move(list, c->attachment, c->a);
}

/* ---- the public face ---- */

kin_result kin_world_add_attachment(kin_world* world, const kin_attachment_def* def, kin_attachment_id* out, kin_error* error)
{
    if (out != NULL) out->serial = 0;
    kin_result result = check_def(world, def, error);
    if (result != KIN_OK) return result;
    uint32_t serial = kin_world_next_attachment(world);
    if (!kin_attachments_add(&world->attachments, def, serial)) return no_memory(error);
    if (out != NULL) out->serial = serial;
    return KIN_OK;
}

kin_result kin_world_attach(kin_world* world, const kin_attachment_def* def, kin_attachment_id* out, kin_error* error)
{
    if (out != NULL) out->serial = 0;
    uint32_t serial = kin_world_next_attachment(world);
    kin_result result = kin_world_command(world, &(kin_command){.kind = KIN_COMMAND_ATTACH, .attach = *def}, error);
    if (result == KIN_OK && out != NULL) out->serial = serial;
    return result;
}

kin_result kin_world_detach(kin_world* world, kin_attachment_id id, kin_error* error)
{
    return kin_world_command(world, &(kin_command){.kind = KIN_COMMAND_DETACH, .attachment = id.serial}, error);
}

kin_result kin_attachment_set_target(kin_world* world, kin_attachment_id id, kin_vec3 point, kin_error* error)
{
    return kin_world_command(world, &(kin_command){.kind = KIN_COMMAND_TARGET, .attachment = id.serial, .a = point}, error);
}

bool kin_attachment_look(const kin_world* world, kin_attachment_id id, kin_attachment_view* out)
{
    const kin_attachment* item = kin_attachments_find(&world->attachments, id.serial);
    *out = (kin_attachment_view){0};
    if (item == NULL || !is_there(world, item->def.a) || !(item->def.to_point || is_there(world, item->def.b))) return false;
    kin_motion motion;
    kin_world_motion_at(world, &item->def.a, 1, 1, &motion);
    out->a = motion.pose.position;
    out->b = kin_attachments_point(&world->attachments, (size_t)(item - world->attachments.items), kin_world_time(world));
    out->force = item->force;
    if (item->def.to_point) return true;
    kin_world_motion_at(world, &item->def.b, 1, 1, &motion);
    out->b = motion.pose.position;
    return true;
}

/* ---- the mouse ---- */

typedef struct pick {
    kin_vec3 origin, direction; /* unit */
    double distance;            /* m, off the ray; of the best so far */
    double depth;               /* m, along it */
    kin_anchor anchor;
    kin_vec3 point;
    bool found;
} pick;

static bool is_hidden(const kin_world* world, kin_vec3 origin, kin_vec3 point)
{
    kin_query_hit hit = kin_world_ray(world, origin, kin_sub(point, origin), 1);
    return hit.found && hit.distance < 1 - 1e-9;
}

/* Nearest the ray; of two as near the one in front, then the first. Only now is it worth asking whether it gives way and can be seen. */
static void consider(const kin_world* world, kin_anchor anchor, kin_vec3 point, pick* best)
{
    kin_vec3 from = kin_sub(point, best->origin);
    double depth = kin_dot(from, best->direction), distance = kin_length(kin_add_scaled(from, -depth, best->direction));
    if (!(depth > 0 && distance <= best->distance) || (best->found && distance == best->distance && depth >= best->depth)) return;
    kin_twist dv;
    kin_world_respond(world, &anchor, &(kin_wrench){.impulse = {1, 1, 1}}, 1, &dv);
    if (kin_length2(dv.velocity) == 0 || is_hidden(world, best->origin, point)) return;
    best->distance = distance;
    best->depth = depth;
    best->anchor = anchor;
    best->point = point;
    best->found = true;
}

/* Elements that can be held, in batches. */
static void pick_nearest(const kin_world* world, pick* best)
{
    enum { BATCH = 128 };
    kin_anchor anchors[BATCH];
    kin_motion motions[BATCH];
    for (uint32_t s = 0; s < world->system_count; ++s) {
        size_t count = world->systems[s].ops->count(world->systems[s].self);
        for (size_t element = 0; element < count;) {
            int n = 0;
            for (; element < count && n < BATCH; ++element) {
                anchors[n] = (kin_anchor){.system = s + 1, .element = (uint32_t)element};
                n += is_there(world, anchors[n]);
            }
            if (n > 0) kin_world_motion_at(world, anchors, n, 1, motions);
            for (int i = 0; i < n; ++i) consider(world, anchors[i], motions[i].pose.position, best);
        }
    }
}

static kin_result check_ray(kin_vec3 origin, kin_vec3 direction, kin_error* error)
{
    if (!kin_finite3(origin)) return kin_fail(error, KIN_ERROR_ARGUMENT, "origin", "must be finite (m)");
    if (!kin_finite3(direction) || kin_length2(kin_normalize_or(direction, kin_v(0, 0, 0))) == 0)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "direction", "must be finite and not zero");
    return KIN_OK;
}

kin_result kin_world_grab(kin_world* world, kin_vec3 origin, kin_vec3 direction, double reach, const kin_attachment_def* def, kin_attachment_id* out,
                          kin_error* error)
{
    out->serial = 0;
    kin_result result = check_ray(origin, direction, error);
    if (result != KIN_OK) return result;
    if (!(reach >= 0)) return kin_fail(error, KIN_ERROR_ARGUMENT, "reach", "%g must be >= 0 (m)", reach);
    pick best = {.origin = origin, .direction = kin_normalize_or(direction, kin_v(0, 0, 0)), .distance = reach};
    pick_nearest(world, &best);
    if (!best.found) return KIN_OK;
    kin_attachment_def hold = def != NULL ? *def : kin_attachment_def_default();
    hold.a = best.anchor;
    hold.to_point = true;
    hold.point = best.point;
    hold.facing = best.direction;
    hold.rest = 0;
    return kin_world_attach(world, &hold, out, error);
}

kin_result kin_world_drag(kin_world* world, kin_attachment_id id, kin_vec3 origin, kin_vec3 direction, kin_error* error)
{
    kin_result result = check_ray(origin, direction, error);
    if (result != KIN_OK) return result;
    kin_prospect p = prospect_of(world, id.serial);
    kin_vec3 along = kin_normalize_or(direction, kin_v(0, 0, 0)), normal = kin_normalize_or(p.facing, along);
    double slope = kin_dot(along, normal), depth = kin_dot(kin_sub(p.point, origin), normal);
    if (p.exists && !(depth * slope > 0 && kin_abs(slope) > 1e-6))
        return kin_fail(error, KIN_ERROR_ARGUMENT, "direction", "the ray does not meet the plane in which attachment %u is dragged", id.serial);
    return kin_attachment_set_target(world, id, kin_add_scaled(origin, depth / slope, along), error);
}

kin_result kin_world_release(kin_world* world, kin_attachment_id id, kin_error* error) { return kin_world_detach(world, id, error); }
