/* keyed.c - paths of keyed bodies from their keys. */
#include "contact/keyed.h"

#define SHARE 0.01        /* of the tolerance: how far a stretch may be off the keys' path */
#define FAR_TURN 1.0      /* rad: a stretch turns by less */
#define SHORTEST 1e-6     /* of the interval: breaks nearer to each other than this are one, as rates are differences of poses over part of a stretch */
enum { MOST_HALVES = 8 }; /* a stretch is halved so often at most: each takes its error to a 16th */

typedef struct follower {
    kin_group* group;
    uint32_t body;
    const kin_keys* keys;
    bool smooth;
    double time; /* s: of the interval's start */
} follower;

/* A form's pose as that of the body. */
static kin_transform body_pose(const kin_body_skin* skin, kin_transform form_pose)
{
    kin_transform pose = kin_transform_mul(form_pose, kin_transform_inverse(skin->place));
    pose.orientation = kin_quat_normalize(pose.orientation);
    return pose;
}

static kin_transform pose_at(const follower* f, double t) { return body_pose(&f->group->bodies.skin[f->body], kin_keys_pose(f->keys, f->smooth, f->time + t)); }

/* Of the body's origin, where the rate is that of the form's. */
static kin_twist rate_at(const follower* f, double from, double to, bool begin)
{
    const double t = f->time + (begin ? from : to);
    kin_twist rate = kin_keys_rate(f->keys, f->smooth, f->time + from, f->time + to, begin);
    const kin_transform form = kin_keys_pose(f->keys, f->smooth, t), body = body_pose(&f->group->bodies.skin[f->body], form);
    rate.velocity = kin_add(rate.velocity, kin_cross(rate.spin, kin_sub(body.position, form.position)));
    return rate;
}

static bool is_near(const follower* f, const kin_pose_path* path, double from)
{
    const kin_body_skin* skin = &f->group->bodies.skin[f->body];
    const kin_transform on = kin_pose_path_at(path, 0.5 * path->duration).pose, keys = pose_at(f, from + 0.5 * path->duration);
    const double reach = skin->form != NULL && skin->form->bounded ? skin->reach : 1;
    const double turned = kin_quat_angle(kin_quat_mul(on.orientation, kin_quat_conj(keys.orientation)));
    const double turn = kin_quat_angle(kin_quat_mul(path->end.orientation, kin_quat_conj(path->start.orientation)));
    return turn < FAR_TURN && kin_distance(on.position, keys.position) + reach * turned <= SHARE * f->group->def.tolerance;
}

static bool add_stretch(const follower* f, double from, double to, int halves)
{
    kin_body_leg leg = {from, to, kin_pose_path_between(pose_at(f, from), rate_at(f, from, to, true), pose_at(f, to), rate_at(f, from, to, false), to - from)};
    if (halves == 0 || is_near(f, &leg.path, from)) return kin_bodies_add_leg(&f->group->bodies, f->body, &leg);
    const double middle = 0.5 * (from + to);
    return add_stretch(f, from, middle, halves - 1) && add_stretch(f, middle, to, halves - 1);
}

bool kin_group_follow_keys(kin_group* g, uint32_t body, const kin_keys* keys, bool smooth, double time, double h)
{
    const follower f = {g, body, keys, smooth, time};
    kin_bodies_set_path(&g->bodies, body, pose_at(&f, 0), pose_at(&f, h), h);
    for (double t = 0; g->def.mode == KIN_RIGID_EXACT && t < h;) {
        double next = kin_keys_next_break(keys, time + t + SHORTEST * h, time + h) - time;
        if (next > h - SHORTEST * h) next = h;
        if (!add_stretch(&f, t, next, MOST_HALVES)) return false;
        t = next;
    }
    return true;
}
