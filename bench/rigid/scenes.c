/* scenes.c - wall, pyramid, pile, chain, ragdolls, towers, net. */
#include "bench/rigid/build.h"
#include "math/quat.h"
#include "math/vec3.h"

static void add_box(kin_bench_scene* s, kin_vec3 at, kin_vec3 size, double mass)
{
    kin_bench_add_body(s, (kin_bench_body){.shape = KIN_BENCH_BOX, .size = size, .mass = mass, .at = at});
}
static void add_ball(kin_bench_scene* s, kin_vec3 at, double radius, double mass)
{
    kin_bench_add_body(s, (kin_bench_body){.shape = KIN_BENCH_BALL, .radius = radius, .mass = mass, .at = at});
}
static void add_joint(kin_bench_scene* s, kin_bench_joint joint) { s->joints[s->joint_count++] = joint; }

kin_bench_scene kin_bench_wall(int base)
{
    kin_bench_scene s = kin_bench_make(base * (base + 1) / 2, 1, 0);
    for (int i = 0; s.bodies != NULL && i < base; ++i) {
        for (int j = 0; j < base - i; ++j) add_box(&s, kin_v((j + 0.5 * i - 0.5 * base) * 1.02, 0.5 + i, 0), kin_v(1, 1, 1), 1000);
    }
    if (s.bodies != NULL) kin_bench_add_ground(&s);
    return s;
}

kin_bench_scene kin_bench_pyramid(int height)
{
    const double apart = 2.04;
    kin_bench_scene s = kin_bench_make(height * (height + 1) * (2 * height + 1) / 6, 1, 0);
    for (int i = 0; s.bodies != NULL && i < height; ++i) {
        int side = height - i;
        double first = -0.5 * apart * (side - 1); /* odd layers are half a cube off by it */
        for (int k = 0; k < side * side; ++k) add_box(&s, kin_v(first + apart * (k / side), 1 + 2 * i, first + apart * (k % side)), kin_v(2, 2, 2), 8000);
    }
    if (s.bodies != NULL) kin_bench_add_ground(&s);
    return s;
}

/* ---- pile ---- */

/* 15 x 15 a layer over a pit of 10 x 10 m; a small pile 5 x 5 over 4 x 4 m, so that it is a pile. Of 1000 kg/m^3. */
kin_bench_scene kin_bench_pile(int count)
{
    const double apart = 0.6, jitter = 0.04;
    const int side = count < 1000 ? 5 : 15;
    kin_bench_scene s = kin_bench_make(count, 5, 0);
    for (int i = 0; s.bodies != NULL && i < count; ++i) {
        kin_rng_key key = {.seed = 5, .serial = (uint64_t)i};
        kin_vec3 at = {apart * (i % side - (side - 1) / 2), 0.5 + apart * (i / (side * side)), apart * (i / side % side - (side - 1) / 2)};
        at =
            kin_add(at, kin_v(kin_rng_uniform(&key, 0, -jitter, jitter), kin_rng_uniform(&key, 1, -jitter, jitter), kin_rng_uniform(&key, 2, -jitter, jitter)));
        if (i % 2 == 0)
            add_box(&s, at, kin_v(0.5, 0.5, 0.5), 125);
        else
            add_ball(&s, at, 0.25, 65.45);
    }
    if (s.bodies != NULL) kin_bench_add_pit(&s, side < 15 ? 2 : 5, 2 + apart * (count / (side * side) + 1));
    return s;
}

/* ---- chain ---- */

static kin_bench_scene chain(int links, kin_vec3 along)
{
    const kin_vec3 hook = {0, 30, 0};
    const kin_vec3 size = kin_add(kin_scale(kin_abs3(along), 0.8), kin_v(0.2, 0.2, 0.2));
    kin_bench_scene s = kin_bench_make(links + 1, 0, links + 1);
    s.collide = false;
    for (int i = 0; s.bodies != NULL && i <= links; ++i) {
        add_joint(&s, (kin_bench_joint){.a = i - 1, .b = i, .anchor = kin_add_scaled(hook, i, along)});
        if (i < links)
            add_box(&s, kin_add_scaled(hook, i + 0.5, along), size, 1);
        else
            add_ball(&s, kin_add_scaled(hook, links + 0.5, along), 0.5, 1000);
    }
    return s;
}

kin_bench_scene kin_bench_chain_down(int links) { return chain(links, kin_v(0, -1, 0)); }
kin_bench_scene kin_bench_chain_level(int links) { return chain(links, kin_v(1, 0, 0)); }

/* ---- ragdolls ---- */

kin_bench_scene kin_bench_ragdolls(int count)
{
    kin_bench_scene s = kin_bench_make(KIN_BENCH_LIMBS * count, 1, KIN_BENCH_LIMBS * count);
    for (int i = 0; s.bodies != NULL && i < count; ++i) {
        kin_rng_key key = {.seed = 7, .serial = (uint64_t)i};
        double x = i % 10 - 4.5 + kin_rng_uniform(&key, 0, -0.1, 0.1), z = i / 10 % 10 - 4.5 + kin_rng_uniform(&key, 1, -0.1, 0.1);
        kin_bench_add_ragdoll(&s, kin_v(x, 1.5 + 2 * (i / 100), z), false);
    }
    if (s.bodies != NULL) kin_bench_add_ground(&s);
    return s;
}

/* ---- asleep ---- */

static int side_of(int count)
{
    int side = 1;
    while (side * side < count) ++side;
    return side;
}

kin_bench_scene kin_bench_sleepers(int count)
{
    const double apart = 2.5;
    const int side = side_of(count);
    kin_bench_scene s = kin_bench_make(KIN_BENCH_LIMBS * count, 1, KIN_BENCH_LIMBS * count);
    s.sleep = true;
    for (int i = 0; s.bodies != NULL && i < count; ++i)
        kin_bench_add_ragdoll(&s, kin_v(apart * (i % side - side / 2), 1, apart * (i / side - side / 2)), false);
    if (s.bodies != NULL) kin_bench_add_ground(&s);
    return s;
}

kin_bench_scene kin_bench_sleeping_heap(int count)
{
    kin_bench_scene s = kin_bench_ragdolls(count);
    s.sleep = true;
    return s;
}

kin_bench_scene kin_bench_towers(int count)
{
    const int high = 5;
    const double apart = 1.5;
    const int side = side_of((count + high - 1) / high);
    kin_bench_scene s = kin_bench_make(count, 1, 0);
    s.sleep = true;
    for (int i = 0; s.bodies != NULL && i < count; ++i) {
        int tower = i / high;
        add_box(&s, kin_v(apart * (tower % side - side / 2), 0.5 + i % high, apart * (tower / side - side / 2)), kin_v(1, 1, 1), 1000);
    }
    if (s.bodies != NULL) kin_bench_add_ground(&s);
    return s;
}

kin_bench_scene kin_bench_large(int count)
{
    kin_bench_scene s = kin_bench_towers(count);
    s.sleep = false;
    return s;
}

/* ---- net ---- */

/* 50 a side: 2,500 balls, 4,900 joints between neighbours and 8 pins. Its balls of 5 cm are 20 cm apart and do not meet. */
kin_bench_scene kin_bench_net(int side)
{
    enum { PINS = 4 };
    const double apart = 0.2, radius = 0.05;
    kin_bench_scene s = kin_bench_make(side * side, 0, 2 * side * (side - 1) + 2 * PINS);
    s.collide = false;
    s.loops = true;
    for (int i = 0; s.bodies != NULL && i < side * side; ++i) {
        const int x = i % side, z = i / side;
        const kin_vec3 at = {apart * (x - 0.5 * (side - 1)), 30, apart * (z - 0.5 * (side - 1))};
        const bool pinned = z == 0 && (x < PINS || x >= side - PINS);
        add_ball(&s, at, radius, 0.5);
        if (pinned) add_joint(&s, (kin_bench_joint){.a = -1, .b = i, .anchor = at});
        if (x > 0) add_joint(&s, (kin_bench_joint){.a = i - 1, .b = i, .anchor = kin_add_scaled(at, -0.5 * apart, kin_v(1, 0, 0))});
        if (z > 0) add_joint(&s, (kin_bench_joint){.a = i - side, .b = i, .anchor = kin_add_scaled(at, -0.5 * apart, kin_v(0, 0, 1))});
    }
    return s;
}
