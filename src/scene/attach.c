/* attach.c - attachments as a scene or a script names them, to the anchors of a world. */
#include "base/error.h"
#include "base/text.h"
#include "scene/scene_inside.h"
#include "world/world.h"
#include <stdio.h>
#include <string.h>

typedef struct resolver {
    const kin_world* world;
    const char* path;
    kin_error* error;
} resolver;

static kin_result fail_at(const resolver* r, const char* key, const char* message)
{
    char where[512] = "";
    kin_text_append(where, sizeof where, "%s.%s", r->path, key);
    return kin_fail(r->error, KIN_ERROR_ARGUMENT, where, "%s", message);
}

enum { MOST_NAMES = 1000 };

static kin_result no_such(const resolver* r, const char* key, const char* what, const char* name, const char* const* names, size_t count)
{
    char message[256] = "";
    const char* nearest = kin_text_nearest(name, names, count);
    kin_text_append(message, sizeof message, "there is no %s \"%.80s\"", what, name);
    if (nearest != NULL) kin_text_append(message, sizeof message, "; did you mean \"%s\"?", nearest);
    return fail_at(r, key, message);
}

static kin_result find_element(const resolver* r, const char* key, const kin_scene_end* end, kin_anchor* out)
{
    kin_system_id id = kin_world_system(r->world, end->system);
    if (id.index1 == 0) {
        const char* names[MOST_NAMES];
        size_t count = 0;
        for (; count < r->world->system_count && count < MOST_NAMES; ++count) names[count] = r->world->systems[count].name;
        return no_such(r, key, "system", end->system, names, count);
    }
    *out = (kin_anchor){id.index1, (uint32_t)end->element, end->local};
    return KIN_OK;
}

static kin_result find_collider(const resolver* r, const kin_scene_end* end, kin_anchor* out)
{
    const char* names[MOST_NAMES];
    size_t count = 0;
    for (uint32_t i = 0; i < r->world->collider_count; ++i) {
        const kin_collider* c = &r->world->colliders[i];
        if (c->wall || c->solid == UINT32_MAX) continue;
        if (strcmp(c->name, end->collider) == 0) {
            *out = (kin_anchor){KIN_WORLD_SYSTEM, i, end->local};
            return KIN_OK;
        }
        if (count < MOST_NAMES) names[count++] = c->name;
    }
    return no_such(r, "b.collider", "collider", end->collider, names, count);
}

/* Exactly one of the three kinds, and what belongs to it. */
static kin_result check_kind(const resolver* r, const kin_node* b)
{
    int kinds = (kin_node_get(b, "point") != NULL) + (kin_node_get(b, "collider") != NULL) + (kin_node_get(b, "system") != NULL);
    if (kinds != 1) return fail_at(r, "b", "must have one of point, collider and system");
    if ((kin_node_get(b, "system") != NULL) != (kin_node_get(b, "element") != NULL)) return fail_at(r, "b", "system and element go together");
    if (kin_node_get(b, "point") != NULL && kin_node_get(b, "at") != NULL) return fail_at(r, "b.at", "a point of space has none");
    return KIN_OK;
}

kin_result kin_scene_resolve_attachment(const kin_world* world, const kin_node* node, const kin_scene_attachment* read, const char* path,
                                        kin_attachment_def* out, kin_error* error)
{
    const resolver r = {world, path, error};
    const kin_node *b = kin_node_get(node, "b"), *damping = kin_node_get(node, "damping");
    *out = read->def;
    out->to_point = b == NULL || kin_node_get(b, "point") != NULL;
    out->point = read->b.point;
    if (damping != NULL && kin_node_get(node, "damping_ratio") == NULL) out->damping_ratio = 0;
    if (b == NULL && out->key_count == 0) return fail_at(&r, "b", "is missing: what a is held to");
    kin_result result = b != NULL ? check_kind(&r, b) : KIN_OK;
    if (result == KIN_OK) result = find_element(&r, "a.system", &read->a, &out->a);
    if (result != KIN_OK || out->to_point) return result;
    return read->b.collider != NULL ? find_collider(&r, &read->b, &out->b) : find_element(&r, "b.system", &read->b, &out->b);
}
