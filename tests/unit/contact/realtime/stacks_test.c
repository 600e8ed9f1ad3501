/* stacks_test.c - many bodies with the real-time solver: stacks stand, the same bits come out for any thread count and lane width and after a restore,
 * steady steps allocate nothing, and nothing whatever makes a number that is not one. */
#include "base/alloc.h"
#include "contact/realtime/realtime.h"
#include "scenes.h"
#include "support/test.h"
#include <string.h>

static kin_body* body(scene* s, uint32_t i) { return &s->group->bodies.body[i]; }

static double farthest_aside(scene* s, const kin_vec3* from)
{
    double most = 0;
    for (uint32_t i = 1; i < s->group->bodies.count; ++i) {
        kin_vec3 d = kin_sub(body(s, i)->position, from[i]);
        most = kin_max(most, kin_sqrt(d.x * d.x + d.z * d.z));
    }
    return most;
}

static void wall_stands(test* t)
{
    scene s;
    CHECK(t, scene_begin(&s, &t->allocator, 1));
    scene_wall(&s, 20);
    kin_vec3 from[256];
    for (uint32_t i = 0; i < s.group->bodies.count; ++i) from[i] = body(&s, i)->position;
    scene_steps(&s, 300);
    CHECK(t, farthest_aside(&s, from) < 0.02);
    uint32_t top = s.group->bodies.count - 1;
    NEAR(t, body(&s, top)->position.y, from[top].y, 0.05);
    scene_end(&s);
}

static void pyramid_stands(test* t)
{
    scene s;
    CHECK(t, scene_begin(&s, &t->allocator, 1));
    scene_pyramid(&s, 7);
    kin_vec3 from[256];
    for (uint32_t i = 0; i < s.group->bodies.count; ++i) from[i] = body(&s, i)->position;
    scene_steps(&s, 200);
    CHECK(t, farthest_aside(&s, from) < 0.01);
    scene_end(&s);
}

static void tower_on_a_plane_stands(test* t)
{
    scene s;
    CHECK(t, scene_begin(&s, &t->allocator, 1));
    kin_material_id m = scene_material(&s, "m", 0.6, 0, 0, 0);
    scene_add(&s, (scene_body){.shape = {.kind = KIN_SHAPE_PLANE, .normal = {0, 1, 0}}, .motion = KIN_BODY_FIXED, .material = m, .skin = {.reach = 1e30}});
    for (int i = 0; i < 15; ++i) scene_box(&s, kin_v(1, 1, 1), kin_v(0, 0.5 + i, 0), 1000, m);
    scene_steps(&s, 300);
    for (uint32_t i = 1; i < 16; ++i) {
        NEAR(t, body(&s, i)->position.x, 0, 0.01);
        NEAR(t, body(&s, i)->position.y, i - 0.5, 0.05);
    }
    scene_end(&s);
}

/* Cylinders, capsules and a compound find rest on a box, on top of each other: the general narrow phase. */
static void other_forms_come_to_rest(test* t)
{
    scene s;
    CHECK(t, scene_begin(&s, &t->allocator, 1));
    kin_material_id m = scene_material(&s, "m", 0.6, 0, 0.005, 0);
    scene_ground(&s, m);
    kin_shape parts[2] = {{.kind = KIN_SHAPE_BOX, .size = {1, 0.2, 0.2}, .offset = {0, 0.4, 0}},
                          {.kind = KIN_SHAPE_BOX, .size = {0.2, 0.8, 0.2}, .offset = {0, -0.1, 0}}};
    scene_body kinds[4] = {{.shape = {.kind = KIN_SHAPE_CYLINDER, .radius = 0.3, .length = 0.6}},
                           {.shape = {.kind = KIN_SHAPE_CAPSULE, .radius = 0.2, .length = 0.6}},
                           {.shape = {.kind = KIN_SHAPE_COMPOUND, .parts = parts, .part_count = 2}},
                           {.shape = {.kind = KIN_SHAPE_CONE, .radius = 0.4, .length = 0.8}}};
    for (uint32_t i = 0; i < 12; ++i) {
        scene_body d = kinds[i % 4];
        d.position = kin_v(1.5 * (i % 4), 1 + 1.2 * (i / 4), 0), d.motion = KIN_BODY_FREE, d.density = 500, d.material = m;
        scene_add(&s, d);
    }
    scene_steps(&s, 500);
    for (uint32_t i = 1; i < s.group->bodies.count; ++i) {
        CHECK(t, body(&s, i)->position.y > 0.05);
        CHECK(t, kin_length(body(&s, i)->velocity) < 0.3);
    }
    scene_end(&s);
}

static void box_slides_over_a_mesh_without_tripping(test* t)
{
    scene s;
    CHECK(t, scene_begin(&s, &t->allocator, 1));
    kin_material_id m = scene_material(&s, "ice", 0, 0, 0, 0);
    double heights[21 * 21] = {0};
    scene_add(&s, (scene_body){.shape = {.kind = KIN_SHAPE_HEIGHTS, .heights = {.values = {heights, 441}, .columns = 21, .size = {20, 1, 20}}},
                               .motion = KIN_BODY_FIXED,
                               .material = m});
    uint32_t b = scene_box(&s, kin_v(0.7, 0.5, 0.7), kin_v(-5, 0.25, 0.13), 500, m);
    body(&s, b)->velocity = kin_v(3, 0, 0);
    scene_steps(&s, 180);
    NEAR(t, body(&s, b)->velocity.x, 3, 0.02);
    NEAR(t, body(&s, b)->position.x, 4, 0.05);
    NEAR(t, body(&s, b)->position.y, 0.25, 0.01);
    scene_end(&s);
}

/* ---- the same bits ---- */

static void mixed_scene(scene* s)
{
    kin_material_id m = scene_material(s, "mixed", 0.5, 0.3, 0.005, 0.002);
    scene_ground(s, m);
    for (uint32_t i = 0; i < 160; ++i) {
        kin_vec3 at = {(i % 5 - 2.0) * 0.6 + 0.1 * scene_noise(i), 0.5 + 0.6 * (i / 25), (i / 5 % 5 - 2.0) * 0.6 + 0.1 * scene_noise(i + 1000)};
        if (i % 3 == 0)
            scene_box(s, kin_v(0.5, 0.4, 0.3), at, 800, m);
        else if (i % 3 == 1)
            scene_ball(s, 0.25, at, 800, m);
        else
            scene_add(s, (scene_body){.shape = {.kind = KIN_SHAPE_CAPSULE, .radius = 0.15, .length = 0.3},
                                      .position = at,
                                      .motion = KIN_BODY_FREE,
                                      .density = 800,
                                      .material = m});
    }
    static const kin_joint_kind kinds[] = {KIN_JOINT_BALL, KIN_JOINT_HINGE, KIN_JOINT_FIXED, KIN_JOINT_DISTANCE, KIN_JOINT_UNIVERSAL};
    for (uint32_t i = 1; i + 1 < 60; i += 3) {
        kin_joint_def j = {.kind = kinds[i / 3 % 5], .anchor = kin_lerp(body(s, i)->position, body(s, i + 1)->position, 0.5), .axis = {1, 0, 0}};
        uint32_t index;
        if (j.kind == KIN_JOINT_DISTANCE) j.anchor_b = body(s, i + 1)->position, j.has_anchor_b = true;
        if (j.kind == KIN_JOINT_BALL || j.kind == KIN_JOINT_HINGE)
            j.freedom[0] = (kin_joint_freedom){.limited = true, .low = -0.3, .high = 0.4, .stiffness = 5, .damping = 0.1, .friction = 0.2};
        kin_group_add_joint(s->group, &j, i, i + 1, (kin_anchor){1, i, {0, 0, 0}}, &index, NULL);
    }
    uint32_t heavy = scene_ball(s, 0.3, kin_v(0, 5.5, 0), 20000, m), light = scene_box(s, kin_v(0.1, 0.6, 0.1), kin_v(0, 6.1, 0), 500, m), index;
    kin_joint_def j = {.kind = KIN_JOINT_BALL, .anchor = {0, 5.8, 0}}; /* masses that differ this much go into a direct block */
    kin_group_add_joint(s->group, &j, heavy, light, (kin_anchor){1, 99, {0, 0, 0}}, &index, NULL);
}

static uint64_t run(test* t, int threads, kin_simd simd, int steps, bool sleep)
{
    scene s;
    kin_rigid_def def = scene_def();
    def.sleep = sleep;
    CHECK(t, scene_begin_with(&s, &t->allocator, threads, &def));
    s.simd = simd;
    mixed_scene(&s);
    scene_steps(&s, steps);
    uint64_t hash = scene_hash(&s);
    scene_end(&s);
    return hash;
}

static void same_bits_for_threads_and_widths(test* t)
{
    for (int sleep = 0; sleep < 2; ++sleep) {
        uint64_t want = run(t, 1, KIN_SIMD_NONE, 90, sleep);
        EQUAL(t, run(t, 1, KIN_SIMD_SSE2, 90, sleep), want);
        if (kin_simd_best() >= KIN_SIMD_AVX2) EQUAL(t, run(t, 1, KIN_SIMD_AVX2, 90, sleep), want);
        static const int threads[] = {2, 3, 8};
        for (int k = 0; k < 3; ++k) EQUAL(t, run(t, threads[k], kin_simd_best(), 90, sleep), want);
    }
}

/* Many enough for bursts of threads, and for colours that are put in order again while contacts come and go. */
static void heap_more(scene* s, uint32_t begin, uint32_t end, kin_material_id dull, kin_material_id lively)
{
    for (uint32_t i = begin; i < end; ++i) {
        kin_vec3 at = {(i % 7 - 3.0) * 0.55 + 0.1 * scene_noise(i), 0.5 + 0.6 * (i / 49), (i / 7 % 7 - 3.0) * 0.55 + 0.1 * scene_noise(i + 1000)};
        if (i % 2 == 0)
            scene_box(s, kin_v(0.5, 0.5, 0.5), at, 800, i % 8 == 0 ? lively : dull);
        else
            scene_ball(s, 0.25, at, 800, dull);
    }
}

static void heap_scene(scene* s)
{
    kin_material_id dull = scene_material(s, "dull", 0.5, 0, 0, 0), lively = scene_material(s, "lively", 0.5, 0.5, 0.01, 0);
    scene_ground(s, dull);
    heap_more(s, 0, 400, dull, lively);
}

/* Every contact is where it says, with its bodies' lines, and a block's flags know its lanes. Returns how many are in order. */
static uint32_t check_slots(test* t, const kin_realtime* rt)
{
    uint32_t sorted = 0, wrong = 0;
    for (uint32_t c = KIN_RT_FIRST; c < rt->colour_count; ++c) {
        const kin_rt_colour* colour = &rt->colour[c];
        for (uint32_t i = 0; i < colour->count; ++i) {
            uint32_t block = i / KIN_RT_LANES, lane = i % KIN_RT_LANES, contact = colour->geometry[block].contact[lane];
            const kin_rt_pair* p = &rt->pairs[rt->contacts[contact].pair];
            int32_t a = colour->rows[block].a[lane], b = colour->rows[block].b[lane];
            wrong += rt->contacts[contact].slot != i || rt->contacts[contact].colour != c;
            wrong += (uint32_t)(a ^ (a >> 31)) != kin_rt_line(p->a) || (uint32_t)(b ^ (b >> 31)) != kin_rt_line(p->b);
            wrong += colour->extra != NULL && colour->extra[block].bounce[lane] > 0 && (colour->flags[block] & KIN_RT_BOUNCES) == 0;
            wrong += colour->extra != NULL && colour->extra[block].roll[lane] > 0 && (colour->flags[block] & KIN_RT_ROLLS) == 0;
        }
        if (colour->count >= 64) sorted += colour->count - (colour->strayed < colour->count ? colour->strayed : colour->count);
    }
    EQUAL(t, wrong, 0);
    return sorted;
}

static void slots_are_put_in_order_and_nothing_depends_on_it(test* t)
{
    uint64_t hash[3];
    for (int k = 0; k < 3; ++k) {
        scene s;
        CHECK(t, scene_begin(&s, &t->allocator, 1 + k));
        heap_scene(&s);
        uint32_t sorted = 0;
        for (int i = 0; i < 80; ++i) {
            scene_step(&s);
            sorted += check_slots(t, s.group->solver);
        }
        CHECK(t, sorted > 0);
        hash[k] = scene_hash(&s);
        scene_end(&s);
    }
    EQUAL(t, hash[1], hash[0]);
    EQUAL(t, hash[2], hash[0]);
}

static void restore_into(test* t, scene* from, scene* to)
{
    kin_visitor save = {.mode = KIN_VISIT_SAVE, .allocator = t->allocator};
    kin_group_visit(from->group, &save);
    EQUAL(t, save.result, KIN_OK);
    kin_visitor load = {.mode = KIN_VISIT_LOAD, .allocator = t->allocator, .data = save.data, .size = save.size};
    kin_group_visit(to->group, &load);
    EQUAL(t, load.result, KIN_OK);
    kin_free(&t->allocator, save.data, save.capacity);
}

static void restored_worlds_go_on_alike(test* t) /* restored after every step into a fresh world */
{
    kin_rigid_def def = scene_def();
    def.sleep = true;
    scene a;
    CHECK(t, scene_begin_with(&a, &t->allocator, 1, &def));
    mixed_scene(&a);
    scene b;
    CHECK(t, scene_begin_with(&b, &t->allocator, 1, &def));
    mixed_scene(&b);
    for (int i = 0; i < 80; ++i) {
        scene_step(&a);
        scene_step(&b);
        if (!test_check(t, scene_hash(&a) == scene_hash(&b), __FILE__, __LINE__, "step %d differs", i)) break;
        scene c;
        CHECK(t, scene_begin_with(&c, &t->allocator, 1, &def));
        mixed_scene(&c);
        restore_into(t, &b, &c);
        c.index = b.index;
        if (!test_check(t, scene_hash(&c) == scene_hash(&b), __FILE__, __LINE__, "restored after step %d differs", i)) i = 1000;
        scene_end(&b);
        b = c;
        b.group->events = &b.events;
        b.group->materials = &b.materials;
    }
    scene_end(&a);
    scene_end(&b);
}

/* Nodes of a level share no body that moves, and a colour has none twice. Returns how many contacts are in nodes above the leaves. */
static uint32_t check_nodes(test* t, const kin_realtime* rt)
{
    enum { BODIES = 1024 };
    uint32_t wrong = 0, above = 0;
    for (uint32_t level = 0; level < KIN_RT_LEVELS; ++level) {
        static uint32_t owner[BODIES], colour_seen[BODIES];
        memset(owner, 0, sizeof owner), memset(colour_seen, 0, sizeof colour_seen);
        const uint32_t first = KIN_RT_FIRST + kin_rt_level_first(level) * KIN_RT_OF_NODE, end = first + (KIN_RT_LEAVES >> level) * KIN_RT_OF_NODE;
        for (uint32_t c = first; c < end && c < rt->colour_count; ++c) {
            const uint32_t node = 1 + (c - first) / KIN_RT_OF_NODE;
            above += level > 0 ? rt->colour[c].count : 0;
            for (uint32_t i = 0; i < rt->colour[c].count; ++i) {
                const kin_rt_rows* r = &rt->colour[c].rows[i / KIN_RT_LANES];
                const int32_t both[2] = {r->a[i % KIN_RT_LANES], r->b[i % KIN_RT_LANES]};
                for (int k = 0; k < 2; ++k) {
                    if (both[k] <= 0) continue;
                    wrong += (owner[both[k]] != 0 && owner[both[k]] != node) || colour_seen[both[k]] == c;
                    owner[both[k]] = node, colour_seen[both[k]] = c;
                }
            }
        }
    }
    EQUAL(t, wrong, 0);
    return above;
}

/* 600 bodies are leaves of a tree; with 300 more they are divided anew, and one that was saved before that goes on alike. */
static void bodies_are_divided_as_they_come(test* t)
{
    uint64_t hash[4];
    static const int threads[] = {1, 2, 3, 8};
    for (int k = 0; k < 4; ++k) {
        scene s, saved;
        CHECK(t, scene_begin(&s, &t->allocator, threads[k]));
        CHECK(t, scene_begin(&saved, &t->allocator, 1));
        scene* both[2] = {&s, &saved};
        kin_material_id dull = {0}, lively = {0};
        for (int i = 0; i < 2; ++i) {
            dull = scene_material(both[i], "dull", 0.5, 0, 0, 0), lively = scene_material(both[i], "lively", 0.5, 0.5, 0.01, 0);
            scene_ground(both[i], dull);
            heap_more(both[i], 0, 600, dull, lively);
        }
        for (int i = 0; i < 40; ++i) scene_step(&s), check_nodes(t, s.group->solver);
        CHECK(t, check_nodes(t, s.group->solver) > 0);
        const uint32_t leaf = ((kin_realtime*)s.group->solver)->leaf;
        for (int i = 0; i < 2; ++i) heap_more(both[i], 600, 900, dull, lively);
        restore_into(t, &s, &saved);
        saved.index = s.index;
        for (int i = 0; i < 30; ++i) scene_step(&s), check_nodes(t, s.group->solver), check_slots(t, s.group->solver);
        scene_steps(&saved, 30);
        CHECK(t, ((kin_realtime*)s.group->solver)->leaf > leaf);
        hash[k] = scene_hash(&s);
        EQUAL(t, scene_hash(&saved), hash[k]);
        EQUAL(t, hash[k], hash[0]);
        scene_end(&s), scene_end(&saved);
    }
}

static void steady_steps_allocate_nothing(test* t)
{
    scene s;
    CHECK(t, scene_begin(&s, &t->allocator, 2));
    scene_wall(&s, 12);
    scene_steps(&s, 200);
    uint64_t before = t->allocations;
    scene_steps(&s, 50);
    EQUAL(t, t->allocations, before);
    scene_end(&s);
}

static bool build_and_step(test* t, void* context)
{
    (void)context;
    scene s;
    bool ok = scene_begin(&s, &t->allocator, 1);
    if (ok) {
        kin_material_id m = scene_material(&s, "m", 0.5, 0.2, 0, 0);
        ok = m.index1 != 0 && scene_ground(&s, m) != UINT32_MAX;
        for (int i = 0; ok && i < 12; ++i) ok = scene_box(&s, kin_v(0.5, 0.5, 0.5), kin_v(0.3 * (i % 3), 0.3 + 0.45 * i, 0), 500, m) != UINT32_MAX;
        for (int i = 0; ok && i < 20; ++i) {
            scene_step(&s);
            ok = s.status == KIN_STATUS_OK && !s.events.lost;
        }
    }
    if (s.group != NULL || s.jobs.arenas != NULL) scene_end(&s);
    return ok;
}

static void failing_allocations_leak_nothing(test* t) { test_fail_each_allocation(t, build_and_step, NULL); }

/* ---- torture (R1) ---- */

static void all_finite(test* t, scene* s)
{
    for (uint32_t i = 0; i < s->group->bodies.count; ++i) {
        const kin_body* b = body(s, i);
        if (!test_check(t, kin_finite3(b->position) && kin_finite3(b->velocity) && kin_finite3(b->spin) && kin_near(kin_quat_length(b->orientation), 1, 1e-9),
                        __FILE__, __LINE__, "body %u is not finite", i))
            return;
    }
}

static void many_bodies_at_one_point(test* t)
{
    scene s;
    CHECK(t, scene_begin(&s, &t->allocator, 2));
    kin_material_id m = scene_material(&s, "m", 0.5, 0.5, 0, 0);
    scene_ground(&s, m);
    for (uint32_t i = 0; i < 150; ++i) i % 2 ? scene_box(&s, kin_v(0.5, 0.5, 0.5), kin_v(0, 1, 0), 500, m) : scene_ball(&s, 0.25, kin_v(0, 1, 0), 500, m);
    scene_steps(&s, 60);
    all_finite(t, &s);
    for (uint32_t i = 1; i < s.group->bodies.count; ++i) CHECK(t, body(&s, i)->position.y > -1);
    scene_end(&s);
}

static void huge_forces_spins_and_mass_ratios(test* t)
{
    scene s;
    CHECK(t, scene_begin(&s, &t->allocator, 1));
    kin_material_id m = scene_material(&s, "m", 0.5, 0.5, 0, 0);
    scene_ground(&s, m);
    for (uint32_t i = 0; i < 30; ++i) scene_box(&s, kin_v(0.5, i % 3 ? 0.5 : 1e-9, 0.5), kin_v(0.6 * (i % 5), 0.3 + 0.6 * (i / 5), 0), i % 2 ? 1 : 1e5, m);
    for (uint32_t i = 1; i < 31; i += 3) body(&s, i)->spin = kin_v(1e4, 3e3, -2e3);
    for (int k = 0; k < 120; ++k) {
        if (k % 7 == 0) s.group->bodies.push[5] = kin_v(1e6, 1e6, 0);
        if (k == 50) body(&s, 9)->position = kin_v(0.1, 0.2, 0), s.group->ops->touched(s.group->solver, 9); /* a teleport into others */
        scene_step(&s);
        s.group->bodies.push[5] = kin_v(0, 0, 0);
    }
    all_finite(t, &s);
    scene_end(&s);
}

/* Thirty cubes that overlap by a tenth and by a third, on the ground: none is thrown faster than one pair of them would part, om / p of the overlap a second
 * (solver.c: damping 10, two thirteenths of the substep rate) and push_speed at most. In a clump the speeds of all pairs would add up. */
static void clumps_part_gently(test* t)
{
    for (int deep = 0; deep < 2; ++deep) {
        scene s;
        CHECK(t, scene_begin(&s, &t->allocator, 1));
        kin_material_id m = scene_material(&s, "m", 0.5, 0, 0, 0);
        const double over = deep ? 0.3 : 0.1, om = 2 * KIN_PI / 6.5, rate = om / (2 * 10 + om) / (s.h / 4);
        uint32_t first = scene_ground(&s, m) + 1;
        for (int i = 0; i < 30; ++i)
            scene_box(&s, kin_v(1, 1, 1), kin_v(i % 3 * (1 - over) + 0.01 * (i % 7), 0.5 + i / 3 % 5 * (1 - over), i / 15 * (1 - over) + 0.01 * (i % 5)), 1000,
                      m);
        double fastest = 0;
        for (int k = 0; k < 120; ++k) {
            scene_step(&s);
            for (uint32_t i = first; i < first + 30; ++i) fastest = kin_max(fastest, kin_length(s.group->bodies.body[i].velocity));
        }
        CHECK(t, fastest < kin_min(rate * over, s.group->def.push_speed));
        CHECK(t, s.group->bodies.body[first].position.y > 0.48);
        scene_end(&s);
    }
}

TEST_MAIN("contact_realtime_stacks", TEST(clumps_part_gently), TEST(wall_stands), TEST(pyramid_stands), TEST(tower_on_a_plane_stands),
          TEST(other_forms_come_to_rest), TEST(box_slides_over_a_mesh_without_tripping), TEST(same_bits_for_threads_and_widths),
          TEST(slots_are_put_in_order_and_nothing_depends_on_it), TEST(restored_worlds_go_on_alike), TEST(bodies_are_divided_as_they_come),
          TEST(steady_steps_allocate_nothing), TEST(failing_allocations_leak_nothing), TEST(many_bodies_at_one_point), TEST(huge_forces_spins_and_mass_ratios))
