/* build.h - how scenes are put together: storage, bodies with their moments, floors, pits, ragdolls. */
#pragma once
#include "base/rng.h"
#include "bench/rigid/scenes.h"

enum { KIN_BENCH_LIMBS = 11 }; /* of a ragdoll */

/* Room for so many bodies, fixed ones and joints; bodies NULL: no memory. Plain, and its bodies meet. */
kin_bench_scene kin_bench_make(int count, int fixed, int joints);
/* Moving bodies come before fixed ones. An unset turn is none; moments are those of an even solid of the body's mass. */
void kin_bench_add_body(kin_bench_scene* scene, kin_bench_body body);
void kin_bench_add_fixed(kin_bench_scene* scene, kin_bench_body body);
void kin_bench_add_floor(kin_bench_scene* scene, kin_vec3 at, kin_vec3 size); /* a fixed box */
void kin_bench_add_ground(kin_bench_scene* scene);
void kin_bench_add_pit(kin_bench_scene* scene, double half, double height); /* five fixed boxes, a square of 2 half inside; the scene's room */
/* Takes the points and corners, which malloc gave. Returns its index; -1: no memory. */
int kin_bench_add_cloud(kin_bench_scene* scene, kin_bench_cloud cloud);
/* A grown man of 73 kg with his hips here: of boxes and free joints, or of capsules and limited joints. */
void kin_bench_add_ragdoll(kin_bench_scene* scene, kin_vec3 hips, bool limited);
