/* anchors.c - what may be asked of an element and done to it, and motion and respond over any mix of systems: runs of one system make one call. Colliders move
 * and give nothing. */
#include "world/anchors.h"
#include "base/error.h"
#include "world/collider.h"
#include "world/world.h"
#include <string.h>

/* ---- which system takes which verb ---- */

/* How a refusal words it. */
static const char* const verb_words[KIN_ELEMENT_VERBS] = {
    [KIN_ELEMENT_ASK] = "be asked where they are",  [KIN_ELEMENT_HOLD] = "be held or attached",           [KIN_ELEMENT_PUSH] = "be pushed",
    [KIN_ELEMENT_PLACE] = "be placed by a command", [KIN_ELEMENT_MOBILITY] = "be made static or dynamic", [KIN_ELEMENT_ATTRIBUTE] = "have attributes",
};

bool kin_system_takes(const kin_system_ops* ops, kin_element_verb verb)
{
    switch (verb) {
    case KIN_ELEMENT_ASK: return ops->motion != NULL;
    case KIN_ELEMENT_HOLD: return ops->motion != NULL && ops->respond != NULL && ops->push != NULL;
    case KIN_ELEMENT_PUSH: return ops->push != NULL;
    case KIN_ELEMENT_PLACE: return ops->place != NULL;
    case KIN_ELEMENT_MOBILITY: return ops->set_mobility != NULL;
    case KIN_ELEMENT_ATTRIBUTE: return ops->set_attribute != NULL;
    case KIN_ELEMENT_VERBS: break;
    }
    return false;
}

static kin_result check_collider(const kin_world* world, uint32_t number, kin_element_verb verb, const char* where, kin_error* error)
{
    if (verb > KIN_ELEMENT_HOLD) return kin_fail(error, KIN_ERROR_ARGUMENT, where, "colliders cannot %s; systems count from 1", verb_words[verb]);
    if (number < world->collider_count && world->colliders[number].solid != UINT32_MAX) return KIN_OK;
    return kin_fail(error, KIN_ERROR_ARGUMENT, where, "there is no collider %u", number);
}

static bool is_element(const kin_system_slot* slot, uint32_t element)
{
    return element < slot->ops->count(slot->self) && (slot->ops->has == NULL || slot->ops->has(slot->self, element));
}

kin_result kin_world_check_anchor(const kin_world* world, kin_anchor a, kin_element_verb verb, const char* where, kin_error* error)
{
    if (a.system == KIN_WORLD_SYSTEM) return check_collider(world, a.element, verb, where, error);
    if (a.system > world->system_count)
        return kin_fail(error, KIN_ERROR_ARGUMENT, where, "there is no system %u; they count from 1 to %zu", a.system, world->system_count);
    const kin_system_slot* slot = &world->systems[a.system - 1];
    if (!kin_system_takes(slot->ops, verb))
        return kin_fail(error, KIN_ERROR_ARGUMENT, where, "the elements of %s, a system of type %s, cannot %s", slot->name, slot->ops->name, verb_words[verb]);
    size_t count = slot->ops->count(slot->self);
    if (a.element >= count) return kin_fail(error, KIN_ERROR_ARGUMENT, where, "%s has %zu elements, there is no %u", slot->name, count, a.element);
    if (!is_element(slot, a.element)) return kin_fail(error, KIN_ERROR_ARGUMENT, where, "element %u of %s has ended or was removed", a.element, slot->name);
    return kin_finite3(a.local) ? KIN_OK : kin_fail(error, KIN_ERROR_ARGUMENT, where, "the point on the element must be finite (m)");
}

kin_result kin_world_attribute(const kin_world* world, kin_anchor a, const char* name, double* out, kin_error* error)
{
    kin_result result = kin_world_check_anchor(world, a, KIN_ELEMENT_ATTRIBUTE, "", error);
    if (result != KIN_OK) return result;
    const kin_system_slot* slot = &world->systems[a.system - 1];
    if (slot->ops->attribute(slot->self, a.element, name, out)) return KIN_OK;
    return kin_fail(error, KIN_ERROR_ARGUMENT, "", "element %u of %s has no attribute \"%.80s\": its kind lists them under attributes", a.element, slot->name,
                    name);
}

bool kin_world_has(const kin_world* world, kin_anchor a)
{
    if (a.system == KIN_WORLD_SYSTEM) return check_collider(world, a.element, KIN_ELEMENT_ASK, "", NULL) == KIN_OK;
    if (a.system > world->system_count) return false;
    const kin_system_slot* slot = &world->systems[a.system - 1];
    return is_element(slot, a.element);
}

/* ---- batches ---- */

static int run_length(const kin_anchor* a, int n)
{
    int i = 1;
    while (i < n && a[i].system == a[0].system) ++i;
    return i;
}

/* A coupler of the host that did not check: the step fails with the error of the check, and the answer counts for nothing. */
static bool refuse(const kin_world* world, kin_anchor a, kin_element_verb verb)
{
    kin_error error = {0};
    if (kin_world_check_anchor(world, a, verb, "", &error) == KIN_OK) return false;
    kin_world_trouble((kin_world*)world, &error);
    return true;
}

static kin_motion collider_motion(const kin_world* world, kin_anchor a, double s)
{
    const kin_collider* c = &world->colliders[a.element];
    kin_transform start = kin_solids_pose(world->solids, c->solid, 0), end = kin_solids_pose(world->solids, c->solid, 1);
    kin_transform pose = kin_solids_pose(world->solids, c->solid, s);
    double rate = kin_solids_rate(world->solids);
    kin_vec3 spin = rate > 0 ? kin_quat_spin_between(start.orientation, end.orientation, 1 / rate) : kin_v(0, 0, 0);
    kin_vec3 velocity = kin_scale(kin_sub(end.position, start.position), rate);
    kin_vec3 arm = kin_rotate(pose.orientation, a.local);
    return (kin_motion){{kin_add(pose.position, arm), pose.orientation}, kin_add(velocity, kin_cross(spin, arm)), spin};
}

void kin_world_motion_at(const kin_world* world, const kin_anchor* a, int n, double s, kin_motion* out)
{
    for (int i = 0, count; i < n; i += count) {
        count = run_length(a + i, n - i);
        if (a[i].system == KIN_WORLD_SYSTEM) {
            for (int k = 0; k < count; ++k) out[i + k] = collider_motion(world, a[i + k], s);
            continue;
        }
        if (a[i].system > world->system_count || world->systems[a[i].system - 1].ops->motion == NULL) {
            for (int k = 0; k < count && refuse(world, a[i + k], KIN_ELEMENT_ASK); ++k) out[i + k] = (kin_motion){.pose.orientation = {0, 0, 0, 1}};
            continue;
        }
        const kin_system_slot* slot = &world->systems[a[i].system - 1];
        slot->ops->motion(slot->self, a + i, count, s, out + i);
    }
}

kin_result kin_world_motion(const kin_world* world, const kin_anchor* anchors, int count, kin_motion* out, kin_error* error)
{
    for (int i = 0; i < count; ++i) {
        kin_result result = kin_world_check_anchor(world, anchors[i], KIN_ELEMENT_ASK, "", error);
        if (result != KIN_OK) return result;
    }
    kin_world_motion_at(world, anchors, count, 1, out);
    return KIN_OK;
}

bool kin_world_element_motion(const void* world_, const char* system, uint32_t element, kin_motion* out)
{
    const kin_world* world = world_;
    for (uint32_t i = 0; i < world->system_count; ++i) {
        kin_anchor a = {i + 1, element, {0, 0, 0}};
        if (strcmp(world->systems[i].name, system) != 0) continue;
        if (kin_world_check_anchor(world, a, KIN_ELEMENT_ASK, "", NULL) != KIN_OK) return false;
        kin_world_motion_at(world, &a, 1, 1, out);
        return true;
    }
    return false;
}

void kin_world_respond(const kin_world* world, const kin_anchor* a, const kin_wrench* impulse, int n, kin_twist* dv)
{
    for (int i = 0, count; i < n; i += count) {
        count = run_length(a + i, n - i);
        if (a[i].system == KIN_WORLD_SYSTEM) {
            for (int k = 0; k < count; ++k) dv[i + k] = (kin_twist){0};
            continue;
        }
        if (a[i].system > world->system_count || world->systems[a[i].system - 1].ops->respond == NULL) {
            for (int k = 0; k < count && refuse(world, a[i + k], KIN_ELEMENT_HOLD); ++k) dv[i + k] = (kin_twist){0};
            continue;
        }
        const kin_system_slot* slot = &world->systems[a[i].system - 1];
        slot->ops->respond(slot->self, a + i, impulse + i, count, dv + i);
    }
}
