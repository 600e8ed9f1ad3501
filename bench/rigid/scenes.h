/* scenes.h - what rigid benches are made of: plain lists of bodies and joints, made once and fed to our engine and to every peer. */
#pragma once
#include "kinema/math.h"
#include "kinema/shape.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KIN_BENCH_FRICTION 0.6
#define KIN_BENCH_GRAVITY 9.81 /* m/s^2, along -y */
#define KIN_BENCH_STEP (1.0 / 60)

typedef enum kin_bench_shape {
    KIN_BENCH_BOX,     /* size */
    KIN_BENCH_BALL,    /* radius */
    KIN_BENCH_CAPSULE, /* radius, length along y between the centres */
    KIN_BENCH_HULL,    /* cloud: its points */
    KIN_BENCH_MESH,    /* cloud: its points and triangles; fixed only */
    KIN_BENCH_ROOM,    /* size inside, between six walls; fixed only */
} kin_bench_shape;

/* Its origin is the centre of mass, its axes are the principal ones. */
typedef struct kin_bench_body {
    kin_bench_shape shape;
    kin_vec3 size;         /* m, full */
    double radius, length; /* m */
    int cloud;             /* of the scene */
    double mass;           /* kg */
    kin_vec3 moments;      /* kg m^2 */
    kin_vec3 at;           /* m */
    kin_quat turn;
    kin_vec3 spin; /* rad/s: a fixed one turns about its origin at this rate for ever */
} kin_bench_body;

typedef struct kin_bench_cloud {
    kin_vec3* points; /* m */
    int point_count;
    uint32_t* corners; /* three a triangle, counter-clockwise from outside; NULL: a hull's */
    int triangle_count;
} kin_bench_cloud;

/* A ball joint or a hinge. A joint's b is larger than its a, and each body is the b of one joint at most: trees, root first; but in nets. */
typedef struct kin_bench_joint {
    int a, b; /* -1: the world */
    bool hinge;
    kin_vec3 anchor, axis; /* axis: of the hinge, or of the cone and the twist of a limited ball joint */
    double friction;       /* N m, against turning about any free axis */
    bool limited;
    double low, high;    /* rad, hinge */
    double swing, twist; /* rad, ball: half angles of the cone and of the twist */
} kin_bench_joint;

typedef struct kin_bench_scene {
    kin_bench_body* bodies; /* those that move, then `fixed` ones that do not, or turn; NULL: no memory */
    int count, fixed;
    kin_bench_cloud* clouds;
    int cloud_count;
    kin_bench_joint* joints; /* jointed bodies do not meet each other */
    int joint_count;
    bool loops;   /* its joints close some: a net */
    bool collide; /* false: nothing meets anything */
    bool sleep;
    bool plain;    /* boxes and balls that begin unturned, fixed ones at rest, joints without limits: any peer takes it */
    kin_aabb room; /* m: a centre outside has escaped */
} kin_bench_scene;

typedef kin_bench_scene kin_bench_scene_fn(int size);

kin_bench_scene kin_bench_wall(int base);           /* 2D pyramid of unit cubes: base (base + 1) / 2 of them */
kin_bench_scene kin_bench_pyramid(int height);      /* 3D pyramid of cubes of 2 m */
kin_bench_scene kin_bench_pile(int count);          /* boxes and balls by turns, above a 10 x 10 m pit */
kin_bench_scene kin_bench_chain_down(int links);    /* links of 1 kg with a ball of 1000 kg below, hung from (0, 30, 0) */
kin_bench_scene kin_bench_chain_level(int links);   /* the same, held level along x and let go */
kin_bench_scene kin_bench_ragdolls(int count);      /* of 11 bodies and 10 joints, ten by ten a storey */
kin_bench_scene kin_bench_sleepers(int count);      /* the same, each by itself on the ground, allowed to sleep */
kin_bench_scene kin_bench_sleeping_heap(int count); /* kin_bench_ragdolls, allowed to sleep */
kin_bench_scene kin_bench_towers(int count);        /* unit cubes, five on each other, allowed to sleep */
kin_bench_scene kin_bench_large(int count);         /* the same, awake: what many bodies cost that hardly move */
kin_bench_scene kin_bench_net(int side);            /* balls in a square, each with a ball joint to its neighbours; four pins at each of two corners */
kin_bench_scene kin_bench_tumbler(int count);       /* boxes of 0.5 m in a hollow box of 8 x 8 x 6 m that turns at 0.5 rad/s about its short axis */
kin_bench_scene kin_bench_hull_pile(int count);     /* hulls of 12 vertices above a bin of 8 x 8 m */
kin_bench_scene kin_bench_rain(int count);          /* capsules and hulls of 12 vertices by turns above a terrain of 100,352 triangles */
kin_bench_scene kin_bench_stairs(int count);        /* ragdolls of 11 capsules and 10 limited joints above 30 stairs of 45 degrees */
void kin_bench_scene_free(kin_bench_scene* scene);

enum { KIN_BENCH_WALLS = 6 };
/* A body's shape as our kit has it; a room's walls go into `walls`. It lives as long as the scene and they do. */
kin_shape kin_bench_shape_of(const kin_bench_scene* scene, const kin_bench_body* body, kin_shape walls[KIN_BENCH_WALLS]);
/* Its pose after a time: of fixed bodies that turn. */
kin_transform kin_bench_pose(const kin_bench_body* body, double time);

#ifdef __cplusplus
}
#endif
