/* groups.c - which meetings share bodies, joints included: union and find (C4.11.2, C5.6). */
#include "contact/impulse/cluster.h"

static uint32_t root_of(uint32_t* parent, uint32_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static bool moves(const kin_body* bodies, uint32_t i)
{
    if (i == KIN_NO_BODY) return false;
    kin_vec3 turns = bodies[i].inv_moments;
    return bodies[i].inv_mass > 0 || turns.x > 0 || turns.y > 0 || turns.z > 0;
}

/* Fixed bodies pass nothing on. */
static void join(const kin_body* bodies, uint32_t* parent, uint32_t a, uint32_t b)
{
    if (!moves(bodies, a) || !moves(bodies, b)) return;
    a = root_of(parent, a);
    b = root_of(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
}

uint32_t* kin_meetings_join(const kin_body* bodies, uint32_t body_count, const kin_meeting* meetings, int count, const kin_joint_at* joints, int joint_count,
                            kin_arena* scratch)
{
    uint32_t* parent = kin_arena_take(scratch, (size_t)body_count * sizeof *parent);
    if (!parent) return NULL;
    for (uint32_t i = 0; i < body_count; ++i) parent[i] = i;
    for (int i = 0; i < count; ++i) join(bodies, parent, meetings[i].a, meetings[i].b);
    for (int i = 0; i < joint_count; ++i) join(bodies, parent, joints[i].a, joints[i].b);
    return parent;
}

uint32_t kin_meeting_root(const kin_body* bodies, uint32_t* parent, uint32_t a, uint32_t b)
{
    return moves(bodies, a) ? root_of(parent, a) : moves(bodies, b) ? root_of(parent, b) : KIN_NO_BODY;
}

int kin_impulse_groups(const kin_body* bodies, uint32_t body_count, const kin_meeting* meetings, int count, const kin_joint_at* joints, int joint_count,
                       int* group, kin_arena* scratch)
{
    int groups = -1;
    kin_arena_mark mark = kin_arena_begin(scratch);
    uint32_t* parent = kin_meetings_join(bodies, body_count, meetings, count, joints, joint_count, scratch);
    int* number = kin_arena_take(scratch, (size_t)body_count * sizeof *number);
    if (parent && number) {
        groups = 0;
        for (uint32_t i = 0; i < body_count; ++i) number[i] = -1;
        for (int i = 0; i < count; ++i) {
            uint32_t root = kin_meeting_root(bodies, parent, meetings[i].a, meetings[i].b);
            if (root == KIN_NO_BODY) /* nothing can move: alone */
                group[i] = groups++;
            else
                group[i] = number[root] < 0 ? (number[root] = groups++) : number[root];
        }
    }
    kin_arena_end(scratch, mark);
    return groups;
}
