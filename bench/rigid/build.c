/* build.c - storage of scenes, moments, floors, ragdolls. */
#include "bench/rigid/build.h"
#include "kinema/collide.h"
#include "math/quat.h"
#include "math/vec3.h"
#include <stdlib.h>

#define GROUND 200.0 /* m, a side */
#define THICK 2.0    /* m, of floors and walls */

kin_bench_scene kin_bench_make(int count, int fixed, int joints)
{
    kin_bench_scene s = {.collide = true, .plain = true};
    s.bodies = calloc((size_t)(count + fixed), sizeof *s.bodies);
    s.joints = calloc((size_t)joints + 1, sizeof *s.joints);
    s.room = (kin_aabb){{-GROUND / 2, -1, -GROUND / 2}, {GROUND / 2, 1e3, GROUND / 2}};
    if (s.bodies == NULL || s.joints == NULL) kin_bench_scene_free(&s);
    return s;
}

void kin_bench_scene_free(kin_bench_scene* s)
{
    for (int i = 0; i < s->cloud_count; ++i) {
        free(s->clouds[i].points);
        free(s->clouds[i].corners);
    }
    free(s->clouds);
    free(s->bodies);
    free(s->joints);
    *s = (kin_bench_scene){0};
}

/* ---- shapes ---- */

static kin_shape room_of(kin_vec3 size, kin_shape walls[KIN_BENCH_WALLS])
{
    for (int i = 0; i < KIN_BENCH_WALLS; ++i) {
        const kin_vec3 axis = kin_axis(i / 2), out = kin_scale(axis, 0.5 * (kin_dot(size, axis) + THICK));
        const kin_vec3 around = kin_add(size, kin_v(2 * THICK, 2 * THICK, 2 * THICK));
        const kin_vec3 across = kin_sub(around, kin_mul(around, axis));
        walls[i] = (kin_shape){.kind = KIN_SHAPE_BOX, .size = kin_add_scaled(across, THICK, axis), .offset = i % 2 == 0 ? out : kin_neg(out)};
    }
    return (kin_shape){.kind = KIN_SHAPE_COMPOUND, .parts = walls, .part_count = KIN_BENCH_WALLS};
}

kin_shape kin_bench_shape_of(const kin_bench_scene* scene, const kin_bench_body* b, kin_shape walls[KIN_BENCH_WALLS])
{
    const kin_bench_cloud* c = scene->clouds + b->cloud;
    switch (b->shape) {
    case KIN_BENCH_BALL: return (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = b->radius};
    case KIN_BENCH_CAPSULE: return (kin_shape){.kind = KIN_SHAPE_CAPSULE, .radius = b->radius, .length = b->length};
    case KIN_BENCH_HULL: return (kin_shape){.kind = KIN_SHAPE_HULL, .points = {c->points, (size_t)c->point_count}};
    case KIN_BENCH_MESH:
        return (kin_shape){
            .kind = KIN_SHAPE_MESH,
            .mesh = {.vertices = c->points, .vertex_count = (size_t)c->point_count, .corners = c->corners, .face_count = (size_t)c->triangle_count}};
    case KIN_BENCH_ROOM: return room_of(b->size, walls);
    case KIN_BENCH_BOX: break;
    }
    return (kin_shape){.kind = KIN_SHAPE_BOX, .size = b->size};
}

kin_transform kin_bench_pose(const kin_bench_body* b, double time)
{
    return (kin_transform){b->at, kin_quat_mul(kin_quat_from_rotation_vector(kin_scale(b->spin, time)), b->turn)};
}

/* ---- bodies ---- */

static bool is_plain(const kin_bench_body* b)
{
    return (b->shape == KIN_BENCH_BOX || b->shape == KIN_BENCH_BALL) && b->turn.w == 1 && kin_length2(b->spin) == 0;
}

static void put_body(kin_bench_scene* s, int i, kin_bench_body b)
{
    if (kin_quat_dot(b.turn, b.turn) == 0) b.turn = kin_quat_identity();
    s->bodies[i] = b;
    s->plain = s->plain && is_plain(&b);
}

void kin_bench_add_body(kin_bench_scene* s, kin_bench_body b)
{
    kin_shape walls[KIN_BENCH_WALLS], shape = kin_bench_shape_of(s, &b, walls);
    kin_form* form;
    kin_mass_properties mass;
    if (kin_form_create(NULL, &shape, &form, NULL) == KIN_OK && kin_form_mass(form, 1, &mass, NULL) == KIN_OK) {
        const kin_vec3 diagonal = {kin_mat3_at(mass.inertia, 0, 0), kin_mat3_at(mass.inertia, 1, 1), kin_mat3_at(mass.inertia, 2, 2)};
        b.moments = kin_scale(diagonal, b.mass / mass.mass);
    }
    kin_form_drop(form);
    put_body(s, s->count++, b);
}

void kin_bench_add_fixed(kin_bench_scene* s, kin_bench_body b) { put_body(s, s->count + s->fixed++, b); }
void kin_bench_add_floor(kin_bench_scene* s, kin_vec3 at, kin_vec3 size)
{
    kin_bench_add_fixed(s, (kin_bench_body){.shape = KIN_BENCH_BOX, .size = size, .at = at});
}
void kin_bench_add_ground(kin_bench_scene* s) { kin_bench_add_floor(s, kin_v(0, -THICK / 2, 0), kin_v(GROUND, THICK, GROUND)); }

void kin_bench_add_pit(kin_bench_scene* s, double half, double height)
{
    kin_bench_add_floor(s, kin_v(0, -THICK / 2, 0), kin_v(2 * half + 2 * THICK, THICK, 2 * half + 2 * THICK));
    for (int side = -1; side <= 1; side += 2) {
        double middle = side * (half + THICK / 2);
        kin_bench_add_floor(s, kin_v(middle, height / 2, 0), kin_v(THICK, height, 2 * half + 2 * THICK));
        kin_bench_add_floor(s, kin_v(0, height / 2, middle), kin_v(2 * half + 2 * THICK, height, THICK));
    }
    s->room = (kin_aabb){{-half, 0, -half}, {half, height, half}};
}

int kin_bench_add_cloud(kin_bench_scene* s, kin_bench_cloud cloud)
{
    kin_bench_cloud* clouds = cloud.points != NULL ? realloc(s->clouds, (size_t)(s->cloud_count + 1) * sizeof *clouds) : NULL;
    if (clouds == NULL) {
        free(cloud.points);
        free(cloud.corners);
        return -1;
    }
    s->clouds = clouds;
    s->clouds[s->cloud_count] = cloud;
    return s->cloud_count++;
}

/* ---- ragdolls ---- */

#define JOINT_FRICTION 0.5 /* N m: a head held out level weighs 7 on its neck; without any, those that hang free turn for ever */

/* A man who stands with his arms hanging; lengths from the middle of his hips. A limb hangs on its parent by a ball joint, shins and forearms by hinges about x,
 * which bend to one side. */
static const struct limb {
    int parent;
    kin_vec3 at, size; /* m */
    double radius;     /* the head's */
    double mass;       /* kg */
    kin_vec3 joint;    /* m, to the parent */
    double bend;       /* rad: how far a hinge turns; 0: a ball joint */
} limbs[KIN_BENCH_LIMBS] = {
    {-1, {0, 0, 0}, {0.32, 0.2, 0.2}, 0, 12, {0, 0, 0}, 0},
    {0, {0, 0.32, 0}, {0.34, 0.42, 0.22}, 0, 24, {0, 0.1, 0}, 0},
    {1, {0, 0.68, 0}, {0, 0, 0}, 0.12, 5, {0, 0.54, 0}, 0},
    {1, {-0.24, 0.36, 0}, {0.1, 0.3, 0.1}, 0, 2.5, {-0.24, 0.5, 0}, 0},
    {3, {-0.24, 0.06, 0}, {0.08, 0.28, 0.08}, 0, 2, {-0.24, 0.2, 0}, -2.4},
    {1, {0.24, 0.36, 0}, {0.1, 0.3, 0.1}, 0, 2.5, {0.24, 0.5, 0}, 0},
    {5, {0.24, 0.06, 0}, {0.08, 0.28, 0.08}, 0, 2, {0.24, 0.2, 0}, -2.4},
    {0, {-0.1, -0.32, 0}, {0.15, 0.42, 0.15}, 0, 7.5, {-0.1, -0.1, 0}, 0},
    {7, {-0.1, -0.75, 0}, {0.11, 0.42, 0.11}, 0, 4, {-0.1, -0.54, 0}, 2.4},
    {0, {0.1, -0.32, 0}, {0.15, 0.42, 0.15}, 0, 7.5, {0.1, -0.1, 0}, 0},
    {9, {0.1, -0.75, 0}, {0.11, 0.42, 0.11}, 0, 4, {0.1, -0.54, 0}, 2.4},
};

static kin_bench_body box_limb(const struct limb* l)
{
    return (kin_bench_body){.shape = l->radius > 0 ? KIN_BENCH_BALL : KIN_BENCH_BOX, .size = l->size, .radius = l->radius, .mass = l->mass};
}

/* As long as the box's longest side, as thick as the mean of its others; the head is nearly round. */
static kin_bench_body capsule_limb(const struct limb* l)
{
    kin_bench_body b = {.shape = KIN_BENCH_CAPSULE, .radius = l->radius, .length = 0.04, .mass = l->mass};
    if (l->radius > 0) return b;
    const bool level = l->size.x > l->size.y;
    const double longest = level ? l->size.x : l->size.y;
    b.radius = 0.25 * (l->size.x + l->size.y + l->size.z - longest);
    b.length = longest - 2 * b.radius;
    if (level) b.turn = kin_quat_axis_angle(kin_v(0, 0, 1), KIN_PI / 2);
    return b;
}

static kin_bench_joint joint_limb(const struct limb* l, int first, int i, kin_vec3 hips, bool limited)
{
    const bool hinge = l->bend != 0;
    kin_bench_joint j = {.a = first + l->parent, .b = first + i, .hinge = hinge, .anchor = kin_add(hips, l->joint), .friction = JOINT_FRICTION};
    j.limited = limited;
    j.axis = hinge ? kin_v(1, 0, 0) : kin_v(0, limited, 0);
    j.low = l->bend < 0 ? l->bend : -0.1;
    j.high = l->bend < 0 ? 0.1 : l->bend;
    j.swing = 0.8;
    j.twist = 0.4;
    return j;
}

void kin_bench_add_ragdoll(kin_bench_scene* s, kin_vec3 hips, bool limited)
{
    const int first = s->count;
    s->plain = s->plain && !limited;
    for (int i = 0; i < KIN_BENCH_LIMBS; ++i) {
        const struct limb* l = &limbs[i];
        kin_bench_body b = limited ? capsule_limb(l) : box_limb(l);
        b.at = kin_add(hips, l->at);
        kin_bench_add_body(s, b);
        if (l->parent >= 0) s->joints[s->joint_count++] = joint_limb(l, first, i, hips, limited);
    }
}
