/* block.h - scenes for blocks of joints: bodies, joints, contacts that a test finds, and the substeps as the real-time solver takes them. */
#pragma once
#include "contact/tree/tree.h"
#include "support/test.h"

enum { SCENE_BODIES = 160, SCENE_JOINTS = 320, SCENE_CONTACTS = 64 };
#define WORLD KIN_NO_BODY

typedef struct scene scene;
/* Fills contacts as the bodies stand at the start of an interval; returns how many. */
typedef int scene_touch(scene* s, kin_joint_tree_contact* contacts);

struct scene {
    test* t;
    kin_body body[SCENE_BODIES];
    kin_joint joint[SCENE_JOINTS];
    kin_vec3 force[SCENE_BODIES], torque[SCENE_BODIES];
    uint32_t bodies, joints, outside; /* the last `outside` bodies are not the block's */
    kin_vec3 gravity;
    kin_joint_tree* tree;
    kin_joint_tree_settings settings;
    int substeps;
    double frame; /* s */
    scene_touch* touch;
    kin_joint_tree_contact contact[SCENE_CONTACTS], last[SCENE_CONTACTS];
    int contacts, last_contacts;
    bool touch_often; /* in every substep */
    void* extra;
    int halvings, projections;
    kin_arena scratch;
};

static inline void scene_init(scene* s, test* t)
{
    *s = (scene){.t = t, .gravity = {0, -9.81, 0}, .settings = {0.02, 3, 1, 5, 1e-5}, .substeps = 4, .frame = 1.0 / 60};
    kin_arena_init(&s->scratch, &t->allocator);
}

static inline void scene_term(scene* s)
{
    kin_joint_tree_destroy(s->tree);
    kin_arena_term(&s->scratch);
}

static inline uint32_t scene_body(scene* s, double mass, kin_vec3 moments, kin_vec3 position, kin_quat orientation)
{
    s->body[s->bodies] = (kin_body){.position = position,
                                    .orientation = orientation,
                                    .mass = mass,
                                    .inv_mass = mass > 0 ? 1 / mass : 0,
                                    .moments = moments,
                                    .inv_moments = mass > 0 ? kin_v(1 / moments.x, 1 / moments.y, 1 / moments.z) : kin_v(0, 0, 0)};
    return s->bodies++;
}

static inline uint32_t scene_box(scene* s, double mass, kin_vec3 size, kin_vec3 position, kin_quat orientation)
{
    kin_vec3 q = kin_mul(size, size);
    return scene_body(s, mass, kin_scale(kin_v(q.y + q.z, q.x + q.z, q.x + q.y), mass / 12), position, orientation);
}

static inline uint32_t scene_ball(scene* s, double mass, double radius, kin_vec3 position)
{
    double i = 0.4 * mass * radius * radius;
    return scene_body(s, mass, kin_v(i, i, i), position, kin_quat_identity());
}

static inline kin_joint* scene_joint(scene* s, kin_joint_def def, uint32_t a, uint32_t b)
{
    kin_error error;
    kin_joint* j = &s->joint[s->joints];
    if (kin_joint_make(&def, a, a == WORLD ? NULL : &s->body[a], b, b == WORLD ? NULL : &s->body[b], j, &error) != KIN_OK)
        test_check(s->t, false, __FILE__, __LINE__, "%s", error.message);
    ++s->joints;
    return j;
}

static inline kin_joint* scene_ball_joint(scene* s, uint32_t a, uint32_t b, kin_vec3 anchor)
{
    return scene_joint(s, (kin_joint_def){.kind = KIN_JOINT_BALL, .anchor = anchor, .axis = {1, 0, 0}}, a, b);
}

static inline kin_joint* scene_hinge(scene* s, uint32_t a, uint32_t b, kin_vec3 anchor, kin_vec3 axis)
{
    return scene_joint(s, (kin_joint_def){.kind = KIN_JOINT_HINGE, .anchor = anchor, .axis = axis}, a, b);
}

static inline bool scene_build(scene* s)
{
    uint32_t numbers[SCENE_JOINTS];
    kin_error error = {0};
    for (uint32_t i = 0; i < s->joints; ++i) numbers[i] = i;
    bool made = kin_joint_tree_create(&s->t->allocator, s->body, s->joint, numbers, (int)s->joints, &s->tree, &error) == KIN_OK;
    test_check(s->t, made, __FILE__, __LINE__, "%s", error.message);
    return made;
}

/* Impulses of the same pair of bodies go on as warm starts. */
static inline void scene_find_contacts(scene* s)
{
    for (int i = 0; i < s->contacts; ++i) s->last[i] = s->contact[i];
    s->last_contacts = s->contacts;
    s->contacts = s->touch ? s->touch(s, s->contact) : 0;
    for (int i = 0; i < s->contacts; ++i) {
        for (int j = 0; j < s->last_contacts; ++j) {
            kin_joint_tree_contact *c = &s->contact[i], *l = &s->last[j];
            if (c->a == l->a && c->b == l->b && kin_near3(c->local_a, l->local_a, 0.02)) c->n = l->n, c->t = l->t, c->k = l->k, c->largest = l->largest;
        }
    }
}

/* One interval. Bodies outside the block fall and drift by themselves. */
static inline void scene_step(scene* s)
{
    double h = s->frame / s->substeps;
    for (uint32_t i = 0; i < s->bodies; ++i) s->force[i] = kin_add(kin_scale(s->gravity, s->body[i].mass), kin_v(0, 0, 0));
    scene_find_contacts(s);
    kin_joint_tree_begin(s->tree, s->body, s->joint, s->force, s->torque, &s->settings);
    for (int k = 0; k < s->substeps; ++k) {
        for (uint32_t i = s->bodies - s->outside; i < s->bodies; ++i)
            s->body[i].velocity = kin_add_scaled(s->body[i].velocity, h * s->body[i].inv_mass, s->force[i]);
        if (k > 0 && s->touch_often) scene_find_contacts(s);
        kin_joint_tree_kick(s->tree, h);
        kin_joint_tree_contacts(s->tree, s->contact, s->contacts, h, &s->scratch);
        kin_joint_tree_drift(s->tree, h);
        for (uint32_t i = s->bodies - s->outside; i < s->bodies; ++i) {
            kin_body* b = &s->body[i];
            b->position = kin_add_scaled(b->position, h, b->velocity);
            b->orientation = kin_quat_integrate(b->orientation, b->spin, h);
        }
        kin_joint_tree_relax(s->tree, s->contact, s->contacts, k == s->substeps - 1, &s->scratch);
    }
    kin_joint_tree_end(s->tree, s->body, s->joint);
    kin_joint_tree_report r = kin_joint_tree_reports(s->tree);
    s->halvings += r.halvings;
    s->projections += r.projections;
}

static inline double scene_energy(const scene* s)
{
    double sum = 0;
    for (uint32_t i = 0; i < s->bodies; ++i) sum += kin_body_kinetic(&s->body[i]) - s->body[i].mass * kin_dot(s->gravity, s->body[i].position);
    return sum;
}

static inline kin_vec3 joint_gap(const scene* s, uint32_t i)
{
    const kin_joint* j = &s->joint[i];
    kin_vec3 a = j->a == WORLD ? j->frame_a.position : kin_apply(kin_body_pose(&s->body[j->a]), j->frame_a.position);
    kin_vec3 b = j->b == WORLD ? j->frame_b.position : kin_apply(kin_body_pose(&s->body[j->b]), j->frame_b.position);
    return kin_sub(b, a);
}

static inline double scene_error(const scene* s) /* sum of the gaps of joints with a point in common, m */
{
    double sum = 0;
    for (uint32_t i = 0; i < s->joints; ++i) sum += kin_length(joint_gap(s, i));
    return sum;
}

static inline kin_vec3 scene_momentum(const scene* s, kin_vec3* angular)
{
    kin_vec3 p = {0};
    *angular = (kin_vec3){0};
    for (uint32_t i = 0; i < s->bodies; ++i) {
        const kin_body* b = &s->body[i];
        p = kin_add_scaled(p, b->mass, b->velocity);
        *angular = kin_add(*angular, kin_add(kin_body_angular_momentum(b), kin_cross(b->position, kin_scale(b->velocity, b->mass))));
    }
    return p;
}

/* 20 links of 1 kg, 1 x 0.2 x 0.2 m, from the anchor (0, 30) along a direction, and a ball of r 0.5 m jointed at its rim. */
enum { LINKS = 20, BALL = 20 };
static inline void scene_chain(scene* s, double ball_mass, kin_quat turn, bool anchored)
{
    kin_vec3 anchor = {0, 30, 0}, along = kin_rotate(turn, kin_v(1, 0, 0));
    for (int i = 0; i < LINKS; ++i) scene_box(s, 1, kin_v(1, 0.2, 0.2), kin_add_scaled(anchor, i + 0.5, along), turn);
    scene_ball(s, ball_mass, 0.5, kin_add_scaled(anchor, LINKS + 0.5, along));
    s->body[BALL].orientation = turn;
    for (uint32_t i = anchored ? 0 : 1; i <= LINKS; ++i) scene_ball_joint(s, i == 0 ? WORLD : i - 1, i, kin_add_scaled(anchor, i, along));
}
