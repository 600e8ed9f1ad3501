/* damper.c - a coupler: a dashpot between two anchors, F = c (v_b - v_a), taken at the end of the interval so that no c is too stiff. */
#include "damper.h"
#include "math/vec3.h"
#include "world/world.h"

/* What an impulse of 1 N s along an axis does to the speed between the two ends. Points answer alike along all axes. */
static double give(const kin_world* world, const kin_anchor ends[2])
{
    const kin_wrench unit[2] = {{{0, 1, 0}, {0, 0, 0}}, {{0, 1, 0}, {0, 0, 0}}};
    kin_twist dv[2];
    kin_world_respond(world, ends, unit, 2, dv);
    return dv[0].velocity.y + dv[1].velocity.y;
}

/* u is the speed with what was posted so far; u + K J the speed without it. J = c h (u + K J - K J') gives the new total J'. */
static kin_status exchange(void* self, kin_world* world, kin_step* step, int pass)
{
    (void)pass;
    const kin_damper* d = self;
    const kin_anchor ends[2] = {d->a, d->b};
    kin_entry_key key = {d->number, 0};
    kin_motion m[2];
    kin_world_motion_at(world, ends, 2, 1, m);
    double k = give(world, ends), ch = d->c * step->h;
    kin_wrench total = kin_ledger_total(step->ledger, key);
    kin_vec3 u = kin_add_scaled(kin_sub(m[1].velocity, m[0].velocity), k, total.impulse);
    total.impulse = kin_scale(u, ch / (1 + ch * k));
    kin_result result = kin_ledger_post(step->ledger, key, KIN_ENTRY_LOAD, ends[0], ends[1], m[0].pose.position, total);
    return result == KIN_OK ? KIN_STATUS_OK : kin_step_refuse(step, 0, 0, "no memory for a ledger entry");
}

const kin_coupler_ops kin_damper_ops = {.name = "damper", .exchange = exchange};
