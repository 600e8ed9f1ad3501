/* blows_test.c - many bodies that come down at once with the real-time solver: what lies below is not pressed into itself, what lands is not thrown up
 * again, what joints hold stays together. */
#include "base/alloc.h"
#include "collision/manifold/manifold.h"
#include "kinema/collide.h"
#include "scenes.h"
#include "support/test.h"

static kin_body* body(scene* s, uint32_t i) { return &s->group->bodies.body[i]; }

/* m: of a pair, by the collision kit. */
static double overlap_of(const scene* s, uint32_t a, uint32_t b)
{
    const kin_bodies* bodies = &s->group->bodies;
    const kin_form *fa = bodies->skin[a].form, *fb = bodies->skin[b].form;
    kin_manifold m;
    int count = 0;
    if (kin_distance(bodies->body[a].position, bodies->body[b].position) > fa->reach + fb->reach) return 0;
    kin_forms_contacts(fa, kin_body_pose(&bodies->body[a]), fb, kin_body_pose(&bodies->body[b]), 0, &m, 1, &count, NULL);
    return count > 0 ? -m.points[kin_manifold_deepest(&m)].separation : 0;
}

static double deepest_overlap(const scene* s)
{
    double most = 0;
    for (uint32_t a = 0; a < s->group->bodies.count; ++a) {
        for (uint32_t b = a + 1; b < s->group->bodies.count; ++b) {
            bool free = s->group->bodies.motion[a] == KIN_BODY_FREE || s->group->bodies.motion[b] == KIN_BODY_FREE;
            if (free) most = kin_max(most, overlap_of(s, a, b));
        }
    }
    return most;
}

static void pit(scene* s, double half, kin_material_id m)
{
    scene_ground(s, m);
    for (int side = -1; side <= 1; side += 2) {
        scene_body wall = {.shape = {.kind = KIN_SHAPE_BOX, .size = {2, 40, 2 * half + 4}}, .motion = KIN_BODY_FIXED, .material = m};
        wall.position = kin_v(side * (half + 1), 20, 0);
        scene_add(s, wall);
        wall.shape.size = kin_v(2 * half + 4, 40, 2), wall.position = kin_v(0, 20, side * (half + 1));
        scene_add(s, wall);
    }
}

/* Boxes and balls of 0.5 m, twenty layers that fall onto each other. A body of 8 m/s goes 3.3 cm in a substep. */
static void heap_bears_what_comes_down(test* t)
{
    scene s;
    CHECK(t, scene_begin(&s, &t->allocator, 1));
    kin_material_id m = scene_material(&s, "m", 0.6, 0, 0, 0);
    pit(&s, 1.3, m);
    for (uint32_t i = 0; i < 320; ++i) {
        kin_vec3 at = {(i % 4 - 1.5) * 0.6 + 0.04 * scene_noise(i), 0.5 + 0.7 * (i / 16), (i / 4 % 4 - 1.5) * 0.6 + 0.04 * scene_noise(i + 1000)};
        i % 2 ? scene_ball(&s, 0.25, at, 1000, m) : scene_box(&s, kin_v(0.5, 0.5, 0.5), at, 1000, m);
    }
    double worst = 0;
    for (int k = 0; k < 100; ++k) {
        scene_step(&s);
        worst = kin_max(worst, deepest_overlap(&s));
    }
    CHECK(t, worst < 0.04);
    scene_end(&s);
}

static void add_stack(scene* s, int high, double gap, double x, kin_material_id m)
{
    for (int i = 0; i < high; ++i) body(s, scene_box(s, kin_v(1, 1, 1), kin_v(x, 2.03 + (1 + gap) * i, 0), 1000, m))->velocity = kin_v(0, -9, 0);
}

/* Boxes of 1 m one on the other, all at 9 m/s: 3.8 cm in a substep. */
static void stack_lands(test* t, int high, double gap)
{
    scene s;
    CHECK(t, scene_begin(&s, &t->allocator, 1));
    kin_material_id m = scene_material(&s, "m", 0.6, 0, 0, 0);
    scene_ground(&s, m);
    add_stack(&s, high, gap, 0, m);
    double worst = 0, up = 0;
    for (int k = 0; k < 120; ++k) {
        scene_step(&s);
        worst = kin_max(worst, deepest_overlap(&s));
        for (uint32_t i = 1; i < s.group->bodies.count; ++i) up = kin_max(up, body(&s, i)->velocity.y);
    }
    CHECK(t, worst < 0.01);
    CHECK(t, up < 0.3);
    scene_end(&s);
}

static void stacks_that_land_rest(test* t)
{
    for (int k = 0; k < 6; ++k) stack_lands(t, k % 2 ? 10 : 5, 0.005 * (k / 2));
}

static uint64_t stacks_hash(test* t, int threads, kin_simd simd)
{
    scene s;
    CHECK(t, scene_begin(&s, &t->allocator, threads));
    s.simd = simd;
    kin_material_id m = scene_material(&s, "m", 0.6, 0, 0, 0);
    scene_ground(&s, m);
    for (int k = 0; k < 12; ++k) add_stack(&s, 2 + k % 6, 0.003 * k, 1.3 * k, m);
    scene_steps(&s, 30);
    uint64_t hash = scene_hash(&s);
    scene_end(&s);
    return hash;
}

static void same_bits_when_stacks_land(test* t)
{
    const uint64_t want = stacks_hash(t, 1, KIN_SIMD_NONE);
    static const int threads[] = {1, 2, 3, 8};
    for (int k = 0; k < 4; ++k) EQUAL(t, stacks_hash(t, threads[k], kin_simd_best()), want);
    EQUAL(t, stacks_hash(t, 1, KIN_SIMD_SSE2), want);
}

/* ---- joints ---- */

static void join(scene* s, uint32_t a, uint32_t b, kin_vec3 at)
{
    kin_joint_def j = {.kind = KIN_JOINT_BALL, .anchor = at};
    uint32_t index;
    kin_group_add_joint(s->group, &j, a, b, (kin_anchor){1, a, {0, 0, 0}}, &index, NULL);
}

/* A trunk with four limbs of two parts each, 8 cm thick. */
static void doll(scene* s, kin_vec3 at, kin_material_id m)
{
    uint32_t trunk = scene_box(s, kin_v(0.34, 0.5, 0.22), at, 900, m);
    for (int k = 0; k < 4; ++k) {
        kin_vec3 hip = kin_add(at, kin_v(k % 2 ? 0.22 : -0.22, k < 2 ? 0.25 : -0.25, 0));
        uint32_t upper = scene_box(s, kin_v(0.08, 0.3, 0.08), kin_add(hip, kin_v(0, -0.15, 0)), 900, m);
        uint32_t lower = scene_box(s, kin_v(0.08, 0.3, 0.08), kin_add(hip, kin_v(0, -0.45, 0)), 900, m);
        join(s, trunk, upper, hip);
        join(s, upper, lower, kin_add(hip, kin_v(0, -0.3, 0)));
    }
}

static double worst_joint(const scene* s)
{
    double most = 0;
    for (uint32_t k = 0; k < s->group->joint_count; ++k) {
        const kin_joint* j = &s->group->joints[k];
        kin_vec3 a = kin_apply(kin_body_pose(&s->group->bodies.body[j->a]), j->frame_a.position);
        most = kin_max(most, kin_distance(a, kin_apply(kin_body_pose(&s->group->bodies.body[j->b]), j->frame_b.position)));
    }
    return most;
}

/* Dolls that fall on each other at 9 m/s and more: thin limbs go twice their thickness in an interval, so sweeps stop them, and with them all that
 * they hang on.
 * In a substep one goes 4 cm; trunks weigh 20 times as much as limbs. */
static void dolls_land_in_one_piece(test* t)
{
    scene s;
    CHECK(t, scene_begin(&s, &t->allocator, 1));
    kin_material_id m = scene_material(&s, "m", 0.6, 0, 0, 0);
    scene_ground(&s, m);
    for (uint32_t i = 0; i < 48; ++i)
        doll(&s, kin_v(0.8 * (i % 4) + 0.1 * scene_noise(i), 1.2 + 1.6 * (i / 16), 0.8 * (i / 4 % 4) + 0.1 * scene_noise(i + 100)), m);
    for (uint32_t i = 1; i < s.group->bodies.count; ++i) body(&s, i)->velocity = kin_v(0, -6, 0);
    double worst = 0;
    for (int k = 0; k < 120; ++k) {
        scene_step(&s);
        worst = kin_max(worst, worst_joint(&s));
    }
    test_check(t, worst < 0.02, __FILE__, __LINE__, "open by %g m", worst); /* a quarter of a limb */
    scene_end(&s);
}

TEST_MAIN("contact_realtime_blows", TEST(stacks_that_land_rest), TEST(same_bits_when_stacks_land), TEST(heap_bears_what_comes_down),
          TEST(dolls_land_in_one_piece))
