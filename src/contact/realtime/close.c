/* close.c - joints that a hit opened are closed after the substeps, by places alone: nonlinear Gauss-Seidel over the points of soft rows (Müller et al. 2007).
 *
 * A limb that a hit or a sweep stops leaves what hangs on it where it went, centimetres away at some m/s, and soft rows bring it back over many intervals. Velocities
 * stay, so nothing is thrown. A body is moved by no more than a share of the way it went in this interval: what rests is not stirred. */
#include "contact/realtime/realtime.h"

#define PLAY 2e-3     /* m: a gap of less is left to the soft rows, which open by as much under the loads of rest */
#define OPENING 5e-4  /* m an interval: more is a hit's; loads that set in slowly open hubs and limbs by less */
#define SHARE 0.5     /* of a body's way */
#define CLOSE_TO 1e-9 /* m: of no account */
enum { SWEEPS = 8 };  /* back and forth four times; a graph that no hit opened takes one */

static bool has_point(kin_joint_kind kind)
{
    return kind == KIN_JOINT_BALL || kind == KIN_JOINT_HINGE || kind == KIN_JOINT_UNIVERSAL || kind == KIN_JOINT_FIXED;
}

/* A body that is moved by soft rows now; NULL: none, and it stays. */
static kin_body* mover(kin_realtime* rt, uint32_t body)
{
    const bool moves = body != KIN_NO_BODY && kin_rt_moves(rt, body) && kin_rt_is_free(rt, body) && (rt->body[body].flags & KIN_RT_IN_BLOCK) == 0;
    return moves ? &rt->group->bodies.body[body] : NULL;
}

/* Adds 1/m - [r] I^-1 [r]. */
static void add_response(kin_sym3* k, const kin_body* b, kin_vec3 r)
{
    const kin_sym3 i = kin_body_inv_inertia(b);
    const kin_vec3 x = kin_sym3_apply(i, kin_v(0, r.z, -r.y)), y = kin_sym3_apply(i, kin_v(-r.z, 0, r.x)), z = kin_sym3_apply(i, kin_v(r.y, -r.x, 0));
    k->xx += b->inv_mass + r.z * x.y - r.y * x.z, k->yy += b->inv_mass + r.x * y.z - r.z * y.x, k->zz += b->inv_mass + r.y * z.x - r.x * z.y;
    k->xy += r.x * x.z - r.z * x.x, k->xz += r.y * x.x - r.x * x.y, k->yz += r.y * y.x - r.x * y.y;
}

static void shift(kin_body* b, kin_vec3 r, kin_vec3 p)
{
    const kin_vec3 turn = kin_body_inv_inertia_times(b, kin_cross(r, p));
    b->position = kin_add_scaled(b->position, b->inv_mass, p);
    b->orientation = kin_quat_normalize(kin_quat_mul((kin_quat){0.5 * turn.x, 0.5 * turn.y, 0.5 * turn.z, 1}, b->orientation)); /* Cayley */
}

/* m: how far the end of a joint may be moved. */
static double room_of(const kin_realtime* rt, uint32_t body, const kin_body* b)
{
    return b != NULL ? SHARE * kin_distance(b->position, rt->group->bodies.start[body].position) : 0;
}

/* The end of a joint, and its arm. What moves by keys is where it comes to: its body is still where it was. */
static kin_vec3 anchor_of(const kin_realtime* rt, uint32_t body, const kin_body* moves, kin_vec3 local, kin_vec3* arm)
{
    *arm = kin_v(0, 0, 0);
    if (body == KIN_NO_BODY) return local;
    if (moves == NULL) return kin_apply(rt->group->bodies.end[body], local);
    *arm = kin_rotate(moves->orientation, local);
    return kin_add(moves->position, *arm);
}

static kin_vec3 place_at_start(const kin_realtime* rt, uint32_t body, kin_vec3 local)
{
    return body == KIN_NO_BODY ? local : kin_apply(rt->group->bodies.start[body], local);
}

/* m: how much of a gap is to be closed. Loads that last open a joint slowly, and keep it open: that is the soft rows'. What a hit opened is closed to where it was
 * when the interval began, or to PLAY. */
static double to_close(kin_realtime* rt, uint32_t joint, double wide)
{
    const kin_joint* j = &rt->group->joints[joint];
    if (!(wide > PLAY)) return 0;
    const double start = kin_distance(place_at_start(rt, j->a, j->frame_a.position), place_at_start(rt, j->b, j->frame_b.position));
    rt->joint[joint].opened = rt->joint[joint].opened || wide > start + OPENING;
    return rt->joint[joint].opened ? wide - kin_max(PLAY, start) : 0;
}

/* False: it was closed already. */
static bool close_joint(kin_realtime* rt, uint32_t joint)
{
    const kin_joint* j = &rt->group->joints[joint];
    kin_body *a = mover(rt, j->a), *b = mover(rt, j->b);
    kin_vec3 arm_a, arm_b;
    const kin_vec3 at_a = anchor_of(rt, j->a, a, j->frame_a.position, &arm_a);
    const kin_vec3 at_b = anchor_of(rt, j->b, b, j->frame_b.position, &arm_b);
    const kin_vec3 gap = kin_sub(at_b, at_a);
    const double wide = kin_length(gap), room = room_of(rt, j->a, a) + room_of(rt, j->b, b), most = kin_min(to_close(rt, joint, wide), room);
    if (!(most > CLOSE_TO)) return false;
    kin_sym3 k = {0};
    kin_mat3 inverse;
    if (a != NULL) add_response(&k, a, arm_a);
    if (b != NULL) add_response(&k, b, arm_b);
    if (!kin_mat3_inverse(kin_sym3_matrix(k), &inverse)) return false;
    const kin_vec3 p = kin_mat3_apply(inverse, kin_scale(gap, most / wide));
    if (a != NULL) shift(a, arm_a, p);
    if (b != NULL) shift(b, arm_b, kin_neg(p));
    return true;
}

/* The ends of ways, and their bounds, once bodies were moved. */
static void note_end(kin_realtime* rt, uint32_t body)
{
    kin_bodies* all = &rt->group->bodies;
    if (mover(rt, body) == NULL) return;
    kin_body* b = &all->body[body];
    if (kin_distance(b->position, all->end[body].position) == 0) return;
    kin_rt_travel_between(rt, body, all->end[body], kin_body_pose(b));
    all->end[body] = kin_body_pose(b);
}

static uint32_t joints_of(const kin_realtime* rt, uint32_t body) { return body < rt->joint_bodies ? rt->joint_first[body + 1] - rt->joint_first[body] : 0; }

/* Between bodies of four joints or more each, as in a net: such joints open by their loads, all at once, and closing them takes as many sweeps as it is wide. */
static bool is_meshed(const kin_realtime* rt, const kin_joint* j) { return joints_of(rt, j->a) >= 4 && joints_of(rt, j->b) >= 4; }

static bool is_soft(const kin_realtime* rt, uint32_t k)
{
    const kin_joint* j = &rt->group->joints[k];
    return rt->joint[k].lane != KIN_RT_NONE && has_point(j->kind) && !is_meshed(rt, j);
}

void kin_rt_joints_close(kin_rt_step* s)
{
    kin_realtime* rt = s->rt;
    const uint32_t count = rt->group->joint_count;
    if (!rt->joints_work) return;
    bool any = true;
    for (uint32_t k = 0; k < count; ++k) rt->joint[k].opened = false;
    for (int sweep = 0; any && sweep < SWEEPS; ++sweep) {
        any = false;
        for (uint32_t i = 0; i < count; ++i) {
            const uint32_t k = sweep % 2 ? count - 1 - i : i;
            if (is_soft(rt, k) && !rt->group->joints[k].broken) any |= close_joint(rt, k);
        }
    }
    for (uint32_t k = 0; k < count; ++k) {
        if (is_soft(rt, k)) note_end(rt, rt->group->joints[k].a), note_end(rt, rt->group->joints[k].b);
    }
}
