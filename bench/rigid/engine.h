/* engine.h - what a bench asks of an engine: ours, and every peer that is installed. */
#pragma once
#include "bench/rigid/scenes.h"
#include "kinema/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A body as it is now. */
typedef struct kin_bench_motion {
    kin_transform pose;
    kin_vec3 velocity, spin; /* m/s, rad/s, world axes */
    bool awake;
} kin_bench_motion;

typedef struct kin_bench_memory {
    uint64_t allocations; /* so far */
    size_t peak;          /* bytes held at once */
} kin_bench_memory;

/* Steps of KIN_BENCH_STEP, gravity KIN_BENCH_GRAVITY, friction KIN_BENCH_FRICTION, nothing bounces; settings of the engine otherwise as they come. */
typedef struct kin_bench_engine {
    const char* name;
    int most;                                                                     /* bodies; 0: any number */
    bool sleeps;                                                                  /* lets bodies sleep where the scene allows it */
    bool any;                                                                     /* takes every scene; false: plain ones */
    void* (*create)(const kin_bench_scene* scene, int threads, kin_error* error); /* NULL: it cannot. Peers take one thread only */
    bool (*step)(void* world, kin_error* error);                                  /* false: it failed */
    void (*read)(void* world, kin_bench_motion* out);                             /* of the scene's `count` bodies */
    void (*destroy)(void* world);
    kin_bench_memory (*memory)(const void* world); /* NULL: not known */
    double (*contacts)(const void* world);         /* pairs that touch, or nearly; NULL: not known */
} kin_bench_engine;

extern const kin_bench_engine kin_bench_kinema; /* engine_kinema.c */
extern const kin_bench_engine kin_bench_bullet; /* peer_bullet.cpp, where libbullet-dev is */
extern const kin_bench_engine kin_bench_ode;    /* peer_ode.c, where libode-dev is */
extern const kin_bench_engine kin_bench_mujoco; /* peer_mujoco.c, where libmujoco-dev is */

#ifdef __cplusplus
}
#endif
