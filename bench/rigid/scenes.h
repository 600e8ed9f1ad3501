/* scenes.h - what rigid benches are made of: plain lists of bodies and joints, made once and fed to our engine and to every peer. */
#pragma once
#include "kinema/math.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KIN_BENCH_FRICTION 0.6
#define KIN_BENCH_GRAVITY 9.81 /* m/s^2, along -y */
#define KIN_BENCH_STEP (1.0 / 60)

/* A box, or a ball where the radius is not 0. */
typedef struct kin_bench_body {
    kin_vec3 size; /* m, full */
    double radius; /* m */
    double mass;   /* kg */
    kin_vec3 at;   /* m; not turned */
} kin_bench_body;

/* A ball joint, or a hinge where the axis is not 0. A joint's b is larger than its a, and each body is the b of one joint at most: trees, root first; but in nets. */
typedef struct kin_bench_joint {
    int a, b; /* -1: the world */
    kin_vec3 anchor, axis;
    double friction; /* N m, against turning about any free axis */
} kin_bench_joint;

typedef struct kin_bench_scene {
    kin_bench_body* bodies; /* those that move, then `fixed` boxes that do not; NULL: no memory */
    int count, fixed;
    kin_bench_joint* joints; /* jointed bodies do not meet each other */
    int joint_count;
    bool loops;   /* its joints close some: a net */
    bool collide; /* false: nothing meets anything */
    bool sleep;
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
void kin_bench_scene_free(kin_bench_scene* scene);

kin_vec3 kin_bench_moments(const kin_bench_body* body); /* kg m^2, about its centre */

#ifdef __cplusplus
}
#endif
