/* waits_test.c - pairs that are not looked at because their bodies cannot have come near (kin_rt_wait): the bound of their distance holds while a crowd of all convex shapes
 * is stirred by a keyed paddle and bodies are put elsewhere, and what lies still is hardly looked at. */
#include "base/alloc.h"
#include "collision/narrow/distance.h"
#include "contact/realtime/realtime.h"
#include "scenes.h"
#include "support/test.h"

enum { COUNT = 120, STEPS = 300 };

static const kin_vec3 octahedron[6] = {{0.4, 0, 0}, {-0.4, 0, 0}, {0, 0.3, 0}, {0, -0.3, 0}, {0, 0, 0.35}, {0, 0, -0.35}};

static kin_shape shape_of(uint32_t i)
{
    switch (i % 5) {
    case 0: return (kin_shape){.kind = KIN_SHAPE_BOX, .size = {0.5, 0.3, 0.4}};
    case 1: return (kin_shape){.kind = KIN_SHAPE_CAPSULE, .radius = 0.15, .length = 0.4};
    case 2: return (kin_shape){.kind = KIN_SHAPE_HULL, .points = {octahedron, 6}};
    case 3: return (kin_shape){.kind = KIN_SHAPE_CYLINDER, .radius = 0.2, .length = 0.4};
    default: return (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 0.2};
    }
}

static void add_crowd(scene* s, kin_material_id m)
{
    for (uint32_t i = 0; i < COUNT; ++i) {
        const kin_vec3 at = {0.8 * (i % 5) - 1.6, 0.5 + 0.7 * (i / 25), 0.8 * (i / 5 % 5) - 1.6};
        scene_add(s, (scene_body){.shape = shape_of(i),
                                  .position = at,
                                  .velocity = {2 * scene_noise(i) - 1, 0, 2 * scene_noise(i + 500) - 1},
                                  .spin = {9 * scene_noise(i + 600), 5, -3},
                                  .orientation = kin_quat_from_rotation_vector(kin_v(3 * scene_noise(i + 700), 1, scene_noise(i + 800))),
                                  .density = 1000,
                                  .motion = KIN_BODY_FREE,
                                  .material = m});
    }
}

static kin_transform paddle_at(double t) { return (kin_transform){{0, 0.6, 0}, kin_quat_axis_angle(kin_v(0, 1, 0), 2 * t)}; }

/* How many bounds are kept that say something; none says too much. */
static int check_waits(test* t, const kin_realtime* rt)
{
    const kin_bodies* bodies = &rt->group->bodies;
    int known = 0, wrong = 0;
    for (uint32_t i = 0; i < rt->idle.count; ++i) {
        const kin_rt_wait* w = &rt->wait[i];
        const kin_rt_pair* p = &rt->pairs[rt->idle.data[i]];
        if (w->until == 0) continue;
        kin_gap gap;
        const kin_transform a = kin_bodies_form_pose(bodies, w->a), b = kin_bodies_form_pose(bodies, w->b);
        kin_convex_distance(&bodies->skin[w->a].form->convex, &bodies->skin[w->b].form->convex, kin_transform_between(a, b), NULL, &gap);
        const double left = w->until - rt->travel[w->a].gone - rt->travel[w->b].gone;
        wrong += gap.distance < kin_rt_margin_at_rest(rt, p) + left - 1e-9;
        known += 1;
    }
    EQUAL(t, wrong, 0);
    return known;
}

static void bounds_of_waiting_pairs_hold(test* t)
{
    scene s;
    int known = 0;
    scene_begin(&s, &t->allocator, 2);
    kin_material_id m = scene_material(&s, "crowd", 0.5, 0.2, 0, 0);
    scene_ground(&s, m);
    const uint32_t paddle =
        scene_add(&s, (scene_body){.shape = {.kind = KIN_SHAPE_BOX, .size = {4, 1, 0.2}}, .position = {0, 0.6, 0}, .motion = KIN_BODY_KEYED, .material = m});
    add_crowd(&s, m);
    for (int i = 0; i < STEPS; ++i) {
        const double from = i * s.h;
        kin_bodies_set_path(&s.group->bodies, paddle, paddle_at(from), paddle_at(from + s.h), s.h);
        if (i % 50 == 49) { /* one is put elsewhere */
            const uint32_t moved = 5 + (uint32_t)i / 5;
            s.group->bodies.body[moved].position = kin_v(0, 4, 0);
            kin_group_touch(s.group, moved);
        }
        scene_step(&s);
        kin_bodies_set_path(&s.group->bodies, paddle, paddle_at(from + s.h), paddle_at(from + 2 * s.h), s.h);
        known += check_waits(t, s.group->solver);
    }
    CHECK(t, known > 100 * STEPS);
    scene_end(&s);
}

static void a_heap_at_rest_is_hardly_looked_at(test* t)
{
    scene s;
    kin_rigid_def def = scene_def();
    def.sleep = false;
    scene_begin_with(&s, &t->allocator, 1, &def);
    kin_material_id m = scene_material(&s, "crowd", 0.8, 0, 0.01, 0.01);
    scene_ground(&s, m);
    add_crowd(&s, m);
    scene_steps(&s, 600);
    const kin_realtime* rt = s.group->solver;
    uint32_t looked = 0;
    for (uint32_t i = 0; i < rt->idle.count; ++i) looked += !(rt->travel[rt->wait[i].a].soon + rt->travel[rt->wait[i].b].soon < rt->wait[i].until);
    CHECK(t, rt->idle.count > 50);
    CHECK(t, 4 * looked < rt->idle.count);
    scene_end(&s);
}

TEST_MAIN("contact_realtime_waits", TEST(bounds_of_waiting_pairs_hold), TEST(a_heap_at_rest_is_hardly_looked_at))
