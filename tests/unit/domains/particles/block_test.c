/* block_test.c - a block's box and settling at every lane width, against one particle at a time. */
#include "domains/particles/block.h"
#include "base/rng.h"
#include "base/simd.h"
#include "domains/particles/particles.h"
#include "math/aabb.h"
#include "support/test.h"
#include <string.h>

enum { MOST = 37 }; /* not a multiple of any width */

typedef struct cloud {
    double x[3][MOST], v[3][MOST], next_x[3][MOST], next_v[3][MOST], radius[MOST];
    uint8_t moved[MOST];
} cloud;

static kin_particle_box_fn* const boxes[] = {kin_particle_box_none, kin_particle_box_sse2, kin_particle_box_avx2};
static kin_particle_settle_fn* const settles[] = {kin_particle_settle_none, kin_particle_settle_sse2, kin_particle_settle_avx2};

static void fill(cloud* c, uint64_t seed)
{
    double* numbers = &c->x[0][0];
    for (uint32_t i = 0; i < 13 * MOST; ++i) numbers[i] = kin_rng_uniform(&(kin_rng_key){.seed = seed, .serial = i}, 0, -3, 3);
    for (int i = 0; i < MOST; ++i) {
        c->radius[i] = 0.1 * kin_abs(c->radius[i]);
        if (i % 5 == 0) memcpy((double*)&c->next_x[0][i], &c->x[0][i], sizeof(double)); /* some stay on one axis */
    }
    memset(c->moved, 0, sizeof c->moved);
}

static kin_particle_lanes lanes_of(cloud* c, int count, bool straight)
{
    kin_particle_lanes l = {.count = count, .radius = c->radius, .h = 0.7, .straight = straight, .moved = c->moved};
    for (int axis = 0; axis < 3; ++axis) {
        l.x[axis] = c->x[axis];
        l.v[axis] = c->v[axis];
        l.next_x[axis] = c->next_x[axis];
        l.next_v[axis] = c->next_v[axis];
    }
    return l;
}

static kin_vec3 at(double array[3][MOST], int i) { return (kin_vec3){array[0][i], array[1][i], array[2][i]}; }

static void boxes_hold_every_path(test* t)
{
    for (int count = 1; count <= MOST; ++count) {
        for (int straight = 0; straight < 2; ++straight) {
            cloud c;
            kin_aabb box, first;
            fill(&c, (uint64_t)count);
            kin_particle_lanes l = lanes_of(&c, count, straight != 0);
            boxes[0](&l, &first);
            for (int simd = 1; simd <= (int)kin_simd_best(); ++simd) {
                boxes[simd](&l, &box);
                CHECK(t, memcmp(&box, &first, sizeof box) == 0);
            }
            for (int i = 0; i < count; ++i) {
                kin_flight f = {at(c.x, i), at(c.v, i), at(c.next_x, i), at(c.next_v, i), .h = l.h, .straight = straight != 0};
                for (double s = 0; s <= 1; s += 0.125) {
                    kin_vec3 x = kin_flight_position(&f, s), r = {c.radius[i], c.radius[i], c.radius[i]};
                    CHECK(t, kin_aabb_contains_box(first, kin_aabb_around(x, r)));
                }
            }
        }
    }
}

static void settling_sees_what_moved_and_what_is_not_finite(test* t)
{
    for (int simd = 0; simd <= (int)kin_simd_best(); ++simd) {
        cloud c;
        fill(&c, 9);
        for (int axis = 0; axis < 3; ++axis) c.next_x[axis][4] = c.x[axis][4];
        kin_particle_lanes l = lanes_of(&c, MOST, true);
        CHECK(t, settles[simd](&l));
        for (int i = 0; i < MOST; ++i) EQUAL(t, c.moved[i] != 0, i != 4);
        for (int i = 0; i < MOST; ++i) {
            double keep = c.next_v[i % 3][i];
            c.next_v[i % 3][i] = i % 2 == 0 ? __builtin_inf() : __builtin_nan("");
            CHECK(t, !settles[simd](&l));
            c.next_v[i % 3][i] = keep;
            CHECK(t, settles[simd](&l));
        }
    }
}

TEST_MAIN("block", TEST(boxes_hold_every_path), TEST(settling_sees_what_moved_and_what_is_not_finite))
