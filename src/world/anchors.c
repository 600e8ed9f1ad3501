/* anchors.c - motion and respond over any mix of systems: runs of one system make one call. Colliders move and give nothing. */
#include "base/error.h"
#include "world/collider.h"
#include "world/world.h"

static int run_length(const kin_anchor* a, int n)
{
    int i = 1;
    while (i < n && a[i].system == a[0].system) ++i;
    return i;
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
        KIN_ASSERT(a[i].system <= world->system_count);
        const kin_system_slot* slot = &world->systems[a[i].system - 1];
        slot->ops->motion(slot->self, a + i, count, s, out + i);
    }
}

void kin_world_motion(const kin_world* world, const kin_anchor* anchors, int count, kin_motion* out) { kin_world_motion_at(world, anchors, count, 1, out); }

void kin_world_respond(const kin_world* world, const kin_anchor* a, const kin_wrench* impulse, int n, kin_twist* dv)
{
    for (int i = 0, count; i < n; i += count) {
        count = run_length(a + i, n - i);
        if (a[i].system == KIN_WORLD_SYSTEM) {
            for (int k = 0; k < count; ++k) dv[i + k] = (kin_twist){0};
            continue;
        }
        KIN_ASSERT(a[i].system <= world->system_count);
        const kin_system_slot* slot = &world->systems[a[i].system - 1];
        slot->ops->respond(slot->self, a + i, impulse + i, count, dv + i);
    }
}
