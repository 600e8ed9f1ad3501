/* query_test.c - questions about the solids of a world: each one, who is asked, how many answers, what is refused. And the parts of compounds: what they are made
 * of, how they bounce, how they are seen. */
#include "math/quat.h"
#include "support/test.h"
#include "support/world.h"
#include "unit/geometry/shapes.h"
#include <string.h>

static kin_collider_id add(test* t, kin_world* w, kin_shape shape, kin_vec3 position, kin_filter filter)
{
    kin_collider_def def = kin_collider_def_default();
    kin_collider_id id = {0};
    kin_error error = {0};
    def.shape = shape;
    def.position = position;
    def.filter = filter;
    kin_result result = kin_world_add_collider(w, &def, &id, &error);
    test_check(t, result == KIN_OK, __FILE__, __LINE__, "%s: %s", error.where, error.message);
    return id;
}

static kin_shape ball(double radius) { return (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = radius}; }
static kin_shape brick(double x, double y, double z) { return (kin_shape){.kind = KIN_SHAPE_BOX, .size = {x, y, z}}; }
static kin_transform at(double x, double y, double z) { return (kin_transform){{x, y, z}, {0, 0, 0, 1}}; }

/* Balls of radius 1 in a row along x, at 0, 4, 8, ..., of categories 1, 2, 4, ...; a floor at y = -3. */
static kin_world* row(test* t, int balls, kin_collider_id* ids)
{
    kin_world* w = test_world(t, 0.1, kin_v(0, 0, 0));
    for (int i = 0; i < balls; ++i) ids[i] = add(t, w, ball(1), kin_v(4 * i, 0, 0), (kin_filter){.category = UINT64_C(1) << (i % 60)});
    test_plane(t, w, kin_v(0, -3, 0), kin_v(0, 1, 0), (kin_material_id){0});
    return w;
}

/* ---- rays ---- */

static void a_ray_finds_the_first_surface(test* t)
{
    kin_collider_id ids[3];
    kin_world* w = row(t, 3, ids);
    kin_query_hit hit = kin_world_ray(w, kin_v(-3, 0, 0), kin_v(0.5, 0, 0), 100); /* distances are in units of the direction */
    CHECK(t, hit.found);
    NEAR(t, hit.distance, 4, 1e-12);
    NEAR3(t, hit.point, kin_v(-1, 0, 0), 1e-12);
    NEAR3(t, hit.normal, kin_v(-1, 0, 0), 1e-12);
    EQUAL(t, hit.anchor.system, KIN_WORLD_SYSTEM);
    EQUAL(t, hit.anchor.element, ids[0].index1 - 1);
    NEAR3(t, hit.anchor.local, kin_v(-1, 0, 0), 1e-12);
    CHECK(t, !kin_world_ray(w, kin_v(-3, 0, 0), kin_v(0.5, 0, 0), 3.9).found);
    hit = kin_world_ray(w, kin_v(2, 5, 0), kin_v(0, -1, 0), INFINITY); /* between the balls, as far as it goes */
    CHECK(t, hit.found);
    NEAR(t, hit.distance, 8, 1e-12);
    CHECK(t, !kin_world_ray(w, kin_v(2, 5, 0), kin_v(0, 1, 0), INFINITY).found);
    kin_world_destroy(w);
}

static void all_hits_come_nearest_first_and_no_more_than_asked(test* t)
{
    enum { BALLS = 70 };
    kin_collider_id ids[BALLS];
    kin_query_hit hits[BALLS + 5];
    kin_world* w = row(t, BALLS, ids);
    EQUAL(t, kin_world_ray_all(w, kin_v(-3, 0, 0), kin_v(1, 0, 0), 14, NULL, hits, 10), 4);
    for (int i = 0; i < 4; ++i) {
        NEAR(t, hits[i].distance, 2 + 4 * i, 1e-12);
        EQUAL(t, hits[i].anchor.element, ids[i].index1 - 1);
    }
    EQUAL(t, kin_world_ray_all(w, kin_v(-3, 0, 0), kin_v(1, 0, 0), 1e6, NULL, hits, 3), 3); /* the nearest three */
    NEAR(t, hits[2].distance, 10, 1e-12);
    EQUAL(t, kin_world_ray_all(w, kin_v(-3, 0, 0), kin_v(1, 0, 0), 1e6, NULL, hits, BALLS + 5), 64);
    EQUAL(t, kin_world_ray_all(w, kin_v(-3, 0, 0), kin_v(1, 0, 0), 1e6, NULL, hits, 0), 0);
    EQUAL(t, kin_world_closest_all(w, kin_v(140, 0, 0), 1e4, NULL, hits, BALLS + 5), 64);
    kin_world_destroy(w);
}

/* Two in the very same place: the one that was added first. */
static void ties_go_to_the_first(test* t)
{
    kin_world* w = test_world(t, 0.1, kin_v(0, 0, 0));
    kin_collider_id first = add(t, w, ball(1), kin_v(0, 0, 0), (kin_filter){0});
    add(t, w, ball(1), kin_v(0, 0, 0), (kin_filter){0});
    kin_query_hit hits[2];
    EQUAL(t, kin_world_ray(w, kin_v(5, 0, 0), kin_v(-1, 0, 0), 10).anchor.element, first.index1 - 1);
    EQUAL(t, kin_world_closest(w, kin_v(5, 0, 0), 10).anchor.element, first.index1 - 1);
    EQUAL(t, kin_world_ray_all(w, kin_v(5, 0, 0), kin_v(-1, 0, 0), 10, NULL, hits, 2), 2);
    EQUAL(t, hits[0].anchor.element, first.index1 - 1);
    kin_world_destroy(w);
}

static void a_batch_is_its_rays_one_by_one(test* t)
{
    enum { RAYS = 1500 };
    kin_collider_id ids[5];
    kin_world* w = row(t, 5, ids);
    static kin_ray rays[RAYS];
    static kin_query_hit hits[RAYS];
    dice d = {3};
    for (int i = 0; i < RAYS; ++i) rays[i] = (kin_ray){roll3(&d, 6), roll_direction(&d), roll(&d, 0, 30)};
    kin_query query = {.filter = {.mask = 1 | 4}};
    kin_world_rays(w, rays, RAYS, &query, hits);
    int found = 0, wrong = 0;
    for (int i = 0; i < RAYS; ++i) {
        kin_query_hit one = {0};
        kin_world_ray_all(w, rays[i].origin, rays[i].direction, rays[i].max_distance, &query, &one, 1);
        wrong += one.found != hits[i].found || one.distance != hits[i].distance || one.anchor.element != hits[i].anchor.element;
        found += one.found;
    }
    EQUAL(t, wrong, 0);
    CHECK(t, found > 100 && found < RAYS - 100);
    kin_world_rays(w, rays, 0, NULL, hits);
    kin_world_destroy(w);
}

/* ---- who is asked ---- */

static bool even(void* context, kin_anchor solid)
{
    *(int*)context += 1;
    return solid.element % 2 == 0;
}

static void filters_choose_who_is_asked(test* t)
{
    kin_collider_id ids[4];
    kin_query_hit hits[8];
    kin_world* w = row(t, 4, ids);
    kin_vec3 o = {-3, 0, 0}, d = {1, 0, 0};
    EQUAL(t, kin_world_ray_all(w, o, d, 100, &(kin_query){.filter = {.mask = 2 | 8}}, hits, 8), 2);
    EQUAL(t, hits[0].anchor.element, ids[1].index1 - 1);
    EQUAL(t, hits[1].anchor.element, ids[3].index1 - 1);
    EQUAL(t, kin_world_ray_all(w, o, d, 100, &(kin_query){.ignore = ids[0]}, hits, 8), 3);
    EQUAL(t, hits[0].anchor.element, ids[1].index1 - 1);
    int calls = 0;
    EQUAL(t, kin_world_ray_all(w, o, d, 100, &(kin_query){.accept = even, .context = &calls}, hits, 8), 2);
    CHECK(t, calls >= 4);
    EQUAL(t, hits[1].anchor.element, ids[2].index1 - 1);
    calls = 0;
    EQUAL(t, kin_world_closest_all(w, kin_v(4, 0, 0), 10, &(kin_query){.filter = {.mask = 1 | 2}, .accept = even, .context = &calls}, hits, 8),
          2);                                            /* floor: 1 */
    EQUAL(t, hits[0].anchor.element, ids[0].index1 - 1); /* as near as the floor, and added before it */
    EQUAL(t, hits[1].anchor.element, 4);
    kin_world_destroy(w);
}

/* The mask of the solid counts too, and groups come before both. */
static void solids_choose_their_askers(test* t)
{
    kin_world* w = test_world(t, 0.1, kin_v(0, 0, 0));
    add(t, w, ball(1), kin_v(0, 0, 0), (kin_filter){.category = 2, .mask = 8, .group = -5});
    kin_query_hit hit;
    kin_vec3 o = {-3, 0, 0}, d = {1, 0, 0};
    EQUAL(t, kin_world_ray_all(w, o, d, 9, &(kin_query){.filter = {.category = 8}}, &hit, 1), 1);
    EQUAL(t, kin_world_ray_all(w, o, d, 9, &(kin_query){.filter = {.category = 4}}, &hit, 1), 0);
    EQUAL(t, kin_world_ray_all(w, o, d, 9, &(kin_query){.filter = {.category = 8, .mask = 4}}, &hit, 1), 0);
    EQUAL(t, kin_world_ray_all(w, o, d, 9, &(kin_query){.filter = {.category = 8, .group = -5}}, &hit, 1), 0);
    EQUAL(t, kin_world_ray_all(w, o, d, 9, &(kin_query){.filter = {.category = 8, .group = 5}}, &hit, 1), 1);
    kin_world_destroy(w);
}

/* An id whose collider is gone ignores nobody, its successor in the same place least of all. */
static void a_stale_ignore_ignores_nobody(test* t)
{
    kin_world* w = test_world(t, 0.1, kin_v(0, 0, 0));
    kin_query_hit hit;
    kin_collider_id old = add(t, w, ball(1), kin_v(0, 0, 0), (kin_filter){0});
    kin_world_remove_collider(w, old);
    kin_collider_id next = add(t, w, ball(1), kin_v(0, 0, 0), (kin_filter){0});
    EQUAL(t, next.index1, old.index1);
    EQUAL(t, kin_world_ray_all(w, kin_v(-3, 0, 0), kin_v(1, 0, 0), 9, &(kin_query){.ignore = old}, &hit, 1), 1);
    EQUAL(t, kin_world_ray_all(w, kin_v(-3, 0, 0), kin_v(1, 0, 0), 9, &(kin_query){.ignore = next}, &hit, 1), 0);
    kin_world_destroy(w);
}

/* ---- nearest points ---- */

static void closest_points_are_sorted_and_within_reach(test* t)
{
    kin_collider_id ids[3];
    kin_query_hit hits[8];
    kin_world* w = row(t, 3, ids);
    EQUAL(t, kin_world_closest_all(w, kin_v(3, 0, 0), 3.5, NULL, hits, 8), 3); /* inside the second by 0, the first at 2, the floor at 3 */
    NEAR(t, hits[0].distance, 0, 1e-12);
    EQUAL(t, hits[0].anchor.element, ids[1].index1 - 1);
    NEAR(t, hits[1].distance, 2, 1e-12);
    NEAR(t, hits[2].distance, 3, 1e-12);
    EQUAL(t, hits[2].anchor.element, 3);
    CHECK(t, !kin_world_closest(w, kin_v(0, 20, 0), 5).found);
    kin_query_hit inside = kin_world_closest(w, kin_v(0.25, 0, 0), 0.1);
    NEAR(t, inside.distance, -0.75, 1e-12);
    NEAR3(t, inside.normal, kin_v(1, 0, 0), 1e-12);
    kin_world_destroy(w);
}

/* ---- shapes ---- */

static void overlaps_come_deepest_first(test* t)
{
    kin_collider_id ids[3];
    kin_query_hit hits[8];
    kin_world* w = row(t, 3, ids);
    kin_shape box = brick(7.4, 1, 1); /* from 0.6 to 8 about 4.3 */
    int count = -1;
    EQUAL(t, kin_world_overlap(w, &box, at(4.3, 0, 0), 0, NULL, hits, 8, &count, NULL), KIN_OK);
    EQUAL(t, count, 3);
    for (int i = 0; i < count; ++i) CHECK(t, hits[i].distance < 0 && (i == 0 || hits[i - 1].distance <= hits[i].distance));
    EQUAL(t, hits[2].anchor.element, ids[0].index1 - 1);
    NEAR(t, hits[2].distance, -0.4, 1e-9);
    NEAR3(t, hits[2].normal, kin_v(1, 0, 0), 1e-9); /* from the ball to the box */
    EQUAL(t, kin_world_overlap(w, &box, at(4.3, 0, 0), 0, NULL, hits, 1, &count, NULL), KIN_OK);
    EQUAL(t, count, 1);
    kin_shape small = ball(0.5);
    EQUAL(t, kin_world_overlap(w, &small, at(0, 2, 0), 0, NULL, hits, 8, &count, NULL), KIN_OK);
    EQUAL(t, count, 0); /* half a metre apart */
    EQUAL(t, kin_world_overlap(w, &small, at(0, 2, 0), 0.6, NULL, hits, 8, &count, NULL), KIN_OK);
    EQUAL(t, count, 1);
    NEAR(t, hits[0].distance, 0.5, 1e-9);
    NEAR3(t, hits[0].point, kin_v(0, 1, 0), 1e-9); /* on the solid */
    kin_shape half_space = {.kind = KIN_SHAPE_PLANE, .normal = {0, 1, 0}};
    EQUAL(t, kin_world_overlap(w, &half_space, at(0, -0.5, 0), 0, &(kin_query){.filter = {.mask = 2}}, hits, 8, &count, NULL), KIN_OK);
    EQUAL(t, count, 1); /* the second ball reaches below -0.5 */
    NEAR(t, hits[0].distance, -0.5, 1e-9);
    kin_world_destroy(w);
}

static void casts_meet_solids_in_order(test* t)
{
    kin_collider_id ids[3];
    kin_query_hit hits[8];
    kin_world* w = row(t, 3, ids);
    kin_shape probe = ball(0.5);
    int count = -1;
    EQUAL(t, kin_world_cast(w, &probe, at(-3.5, 0, 0), at(6.5, 0, 0), NULL, hits, 8, &count, NULL), KIN_OK);
    EQUAL(t, count, 3);
    for (int i = 0; i < 3; ++i) {
        EQUAL(t, hits[i].anchor.element, ids[i].index1 - 1);
        NEAR(t, hits[i].fraction, (2 + 4 * i) / 10.0, 1e-5);
        NEAR3(t, hits[i].normal, kin_v(-1, 0, 0), 1e-5);
        NEAR3(t, hits[i].point, kin_v(4 * i - 1, 0, 0), 1e-4);
    }
    EQUAL(t, kin_world_cast(w, &probe, at(0, 5, 0), at(0, -5, 0), &(kin_query){.ignore = ids[0]}, hits, 8, &count, NULL), KIN_OK);
    EQUAL(t, count, 1); /* the floor */
    NEAR(t, hits[0].fraction, 0.75, 1e-5);
    EQUAL(t, kin_world_cast(w, &probe, at(0, 5, 0), at(0, 4, 0), NULL, hits, 8, &count, NULL), KIN_OK);
    EQUAL(t, count, 0);
    kin_shape stick = brick(4, 0.1, 0.1); /* turns a quarter about z on the spot: its end meets the ball beside it */
    kin_transform turned = {{2, 2, 0}, kin_quat_axis_angle(kin_v(0, 0, 1), KIN_PI / 2)};
    EQUAL(t, kin_world_cast(w, &stick, at(2, 2, 0), turned, &(kin_query){.filter = {.mask = 1 | 2}}, hits, 8, &count, NULL), KIN_OK);
    CHECK(t, count >= 1 && hits[0].fraction > 0 && hits[0].fraction < 1);
    kin_world_destroy(w);
}

/* A door that opens towards a probe that stands still is met on its way, not where it ends. */
static void casts_can_follow_the_last_step(test* t)
{
    kin_world* w = test_world(t, 1, kin_v(0, 0, 0));
    kin_collider_def def = kin_collider_def_default();
    const kin_key keys[2] = {{0, {0, 0, 0}, {0, 0, 0, 1}}, {1, {10, 0, 0}, {0, 0, 0, 1}}};
    kin_query_hit hit;
    kin_shape probe = ball(0.5);
    int count;
    def.shape = ball(1);
    def.keys = keys;
    def.key_count = 2;
    def.smooth = false;
    EQUAL(t, kin_world_add_collider(w, &def, &(kin_collider_id){0}, NULL), KIN_OK);
    test_steps(t, w, 1);
    EQUAL(t, kin_world_cast(w, &probe, at(5, 0, 0), at(5, 0, 0), NULL, &hit, 1, &count, NULL), KIN_OK);
    EQUAL(t, count, 0); /* it has gone by */
    EQUAL(t, kin_world_cast(w, &probe, at(5, 0, 0), at(5, 0, 0), &(kin_query){.over_last_step = true}, &hit, 1, &count, NULL), KIN_OK);
    EQUAL(t, count, 1);
    NEAR(t, hit.fraction, 0.35, 1e-5);
    NEAR3(t, hit.velocity, kin_v(10, 0, 0), 1e-9);
    NEAR3(t, hit.normal, kin_v(1, 0, 0), 1e-5);
    kin_world_destroy(w);
}

static void bad_poses_are_refused(test* t)
{
    kin_world* w = test_world(t, 0.1, kin_v(0, 0, 0));
    kin_shape probe = ball(1);
    kin_query_hit hit;
    kin_error error = {0};
    int count;
    EQUAL(t, kin_world_overlap(w, &probe, at(NAN, 0, 0), 0, NULL, &hit, 1, &count, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "pose");
    EQUAL(t, kin_world_overlap(w, &probe, at(0, 0, 0), -1, NULL, &hit, 1, &count, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "margin");
    EQUAL(t, kin_world_cast(w, &probe, (kin_transform){{0, 0, 0}, {0, 0, 0, 0}}, at(0, 0, 0), NULL, &hit, 1, &count, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "from");
    EQUAL(t, kin_world_cast(w, &probe, at(0, 0, 0), at(0, INFINITY, 0), NULL, &hit, 1, &count, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "to");
    kin_world_destroy(w);
}

static void bad_shapes_are_refused(test* t)
{
    kin_world* w = test_world(t, 0.1, kin_v(0, 0, 0));
    kin_shape plane = {.kind = KIN_SHAPE_PLANE, .normal = {0, 1, 0}}, none = ball(-1);
    kin_query_hit hit;
    kin_error error = {0};
    int count = 7;
    EQUAL(t, kin_world_cast(w, &plane, at(0, 1, 0), at(0, 0, 0), NULL, &hit, 1, &count, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "shape");
    TEXT(t, error.message, "a plane cannot be cast");
    EQUAL(t, count, 0);
    EQUAL(t, kin_world_overlap(w, &none, at(0, 1, 0), 0, NULL, &hit, 1, &count, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "shape.radius");
    EQUAL(t, kin_world_cast(w, &none, at(0, 1, 0), at(0, 0, 0), NULL, &hit, 1, &count, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "shape.radius");
    kin_world_destroy(w);
}

/* Numbers that are none find nothing, and nothing that is found is none. */
static void nonsense_finds_nothing(test* t)
{
    kin_collider_id ids[2];
    kin_world* w = row(t, 2, ids);
    CHECK(t, !kin_world_ray(w, kin_v(NAN, 0, 0), kin_v(1, 0, 0), 10).found);
    CHECK(t, !kin_world_ray(w, kin_v(-3, 0, 0), kin_v(0, 0, 0), 10).found);
    CHECK(t, !kin_world_ray(w, kin_v(-3, 0, 0), kin_v(NAN, 0, 0), 10).found);
    CHECK(t, !kin_world_ray(w, kin_v(-3, 0, 0), kin_v(1, 0, 0), NAN).found);
    CHECK(t, !kin_world_ray(w, kin_v(-3, 0, 0), kin_v(1, 0, 0), -1).found);
    CHECK(t, !kin_world_closest(w, kin_v(0, NAN, 0), 10).found);
    CHECK(t, !kin_world_closest(w, kin_v(9, 9, 9), NAN).found);
    kin_world_destroy(w);
}

typedef struct shape_question {
    kin_world* world;
    bool cast;
} shape_question;

static bool ask_with_a_compound(test* t, void* context)
{
    const shape_question* q = context;
    const kin_shape parts[2] = {{.kind = KIN_SHAPE_SPHERE, .radius = 0.4, .offset = {0.5, 0, 0}}, {.kind = KIN_SHAPE_CONE, .radius = 0.3, .length = 1}};
    kin_shape shape = {.kind = KIN_SHAPE_COMPOUND, .parts = parts, .part_count = 2};
    kin_query_hit hits[4];
    kin_error error = {0};
    int count = 0;
    kin_result result = q->cast ? kin_world_cast(q->world, &shape, at(-4, 0, 0), at(3, 0, 0), NULL, hits, 4, &count, &error)
                                : kin_world_overlap(q->world, &shape, at(-1.2, 0, 0), 0.1, NULL, hits, 4, &count, &error);
    if (result == KIN_OK) CHECK(t, count >= 1);
    if (result != KIN_OK) CHECK(t, result == KIN_ERROR_MEMORY && error.message[0] != 0);
    return result == KIN_OK;
}

static void failing_allocations_leave_the_world_whole(test* t)
{
    kin_collider_id ids[2];
    kin_world* w = row(t, 2, ids);
    for (int cast = 0; cast < 2; ++cast) {
        shape_question q = {w, cast != 0};
        ask_with_a_compound(t, &q); /* once: what the world keeps for later */
        test_fail_each_allocation(t, ask_with_a_compound, &q);
    }
    kin_world_destroy(w);
}

/* ---- parts ---- */

/* A table of two materials: left dead, right lively. */
static kin_collider_id table(test* t, kin_world* w, kin_material_id dead, kin_material_id lively)
{
    const kin_shape parts[2] = {{.kind = KIN_SHAPE_BOX, .size = {2, 1, 2}, .offset = {-1, -0.5, 0}, .material = dead},
                                {.kind = KIN_SHAPE_BOX, .size = {2, 1, 2}, .offset = {1, -0.5, 0}, .material = lively}};
    return add(t, w, (kin_shape){.kind = KIN_SHAPE_COMPOUND, .parts = parts, .part_count = 2}, kin_v(0, 0, 0), (kin_filter){0});
}

static void hits_name_part_and_material(test* t)
{
    kin_world* w = test_world(t, 0.1, kin_v(0, 0, 0));
    kin_material_id dead = test_material(t, w, "dead", 0, 0), lively = test_material(t, w, "lively", 0.8, 0);
    table(t, w, dead, lively);
    kin_query_hit left = kin_world_ray(w, kin_v(-1, 5, 0), kin_v(0, -1, 0), 9), right = kin_world_ray(w, kin_v(1, 5, 0), kin_v(0, -1, 0), 9);
    EQUAL(t, left.part, 0);
    EQUAL(t, left.material.index1, dead.index1);
    EQUAL(t, right.part, 1);
    EQUAL(t, right.material.index1, lively.index1);
    kin_world_destroy(w);
}

/* A frictionless ball dropped from 1 m comes back with the pair's restitution: the mean of its own 1 and the part's. */
static void a_particle_bounces_by_the_parts_restitution(test* t)
{
    for (int side = -1; side <= 1; side += 2) {
        kin_world* w = test_world(t, 0.001, kin_v(0, -10, 0));
        table(t, w, test_material(t, w, "dead", 0.2, 0), test_material(t, w, "lively", 0.8, 0));
        kin_system_id id = test_ball(t, w, &(test_ball_setup){.position = {side, 1.1, 0}, .radius = 0.1, .restitution = 1});
        double fastest = 0, top = 0;
        for (int i = 0; i < 900; ++i) {
            test_steps(t, w, 1);
            double v = kin_particle_velocity(w, id, 0).y;
            fastest = fmin(fastest, v);
            top = fmax(top, v);
        }
        NEAR(t, -top / fastest, side < 0 ? 0.6 : 0.9, 0.01);
        kin_world_destroy(w);
    }
}

static void unknown_materials_of_parts_are_refused(test* t)
{
    kin_world* w = test_world(t, 0.1, kin_v(0, 0, 0));
    const kin_shape parts[2] = {ball(1), {.kind = KIN_SHAPE_SPHERE, .radius = 1, .material = {99}}};
    kin_collider_def def = kin_collider_def_default();
    kin_collider_id id;
    kin_error error = {0};
    def.shape = (kin_shape){.kind = KIN_SHAPE_COMPOUND, .parts = parts, .part_count = 2};
    EQUAL(t, kin_world_add_collider(w, &def, &id, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "shape.parts[1].material");
    TEXT(t, error.message, "no such material");
    def.shape = parts[1];
    EQUAL(t, kin_world_add_collider(w, &def, &id, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "shape.material");
    kin_world_destroy(w);
}

static kin_material_id colored(kin_world* w, const char* name, float red)
{
    kin_material_def def = kin_material_def_default();
    kin_material_id id = {0};
    def.name = name;
    def.look.color[0] = red;
    kin_world_add_material(w, &def, &id, NULL);
    return id;
}

/* Three parts, the outer two of one material of their own: two layers, each with its look and its triangles. */
enum { BOX_TRIANGLES = 12 + 2 * 12 + 8 }; /* faces, bevels of edges and of corners */

static void parts_are_seen_in_their_own_colours(test* t)
{
    kin_world* w = test_world(t, 0.1, kin_v(0, 0, 0));
    kin_material_id red = colored(w, "red", 0.875f), plain = colored(w, "plain", 0.25f);
    kin_shape parts[3] = {brick(1, 1, 1), brick(1, 1, 1), brick(1, 1, 1)};
    for (int i = 0; i < 3; ++i) parts[i].offset = kin_v(2 * i, 0, 0);
    parts[0].material = parts[2].material = red;
    kin_collider_def def = kin_collider_def_default();
    def.name = "wheel";
    def.material = plain;
    def.shape = (kin_shape){.kind = KIN_SHAPE_COMPOUND, .parts = parts, .part_count = 3};
    EQUAL(t, kin_world_add_collider(w, &def, &(kin_collider_id){0}, NULL), KIN_OK);
    add(t, w, (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 1, .material = red}, kin_v(0, 5, 0), (kin_filter){0});
    uint64_t hash = 0;
    for (int frame = 0; frame < 3; ++frame) { /* later frames are of kept arrays */
        const kin_frame* f = NULL;
        EQUAL(t, kin_world_capture(w, (uint64_t)frame, 0.1, &f, NULL), KIN_OK);
        if (!CHECK(t, f != NULL && f->layer_count == 3)) break;
        TEXT(t, f->layers[0].name, "wheel");
        TEXT(t, f->layers[1].name, "wheel/1");
        TEXT(t, f->layers[2].name, "collider1");
        NEAR(t, f->layers[0].look.color[0], 0.875, 0);
        NEAR(t, f->layers[1].look.color[0], 0.25, 0);
        NEAR(t, f->layers[2].look.color[0], 0.875, 0); /* a plain shape may have a material, too */
        EQUAL(t, kin_layer_array(&f->layers[0], "triangle")->count, 2 * BOX_TRIANGLES);
        EQUAL(t, kin_layer_array(&f->layers[1], "triangle")->count, BOX_TRIANGLES);
        EQUAL(t, kin_layer_array(&f->layers[1], "pose")->count, 1);
        if (frame > 0) CHECK(t, hash == kin_layer_array(&f->layers[1], "position")->hash);
        hash = kin_layer_array(&f->layers[1], "position")->hash;
        test_steps(t, w, 1);
    }
    kin_world_destroy(w);
}

static bool capture_parts(test* t, void* context)
{
    (void)context;
    const kin_shape parts[2] = {{.kind = KIN_SHAPE_CONE, .radius = 1, .length = 1},
                                {.kind = KIN_SHAPE_BOX, .size = {1, 1, 1}, .offset = {2, 0, 0}, .material = {1}}};
    kin_world_def def = kin_world_def_default();
    kin_collider_def collider = kin_collider_def_default();
    kin_material_def material = *kin_material_preset("steel");
    kin_material_id steel;
    kin_collider_id id;
    kin_world* w;
    const kin_frame* f;
    def.allocator = t->allocator;
    def.threads = 1;
    material.name = "plate";
    collider.shape = (kin_shape){.kind = KIN_SHAPE_COMPOUND, .parts = parts, .part_count = 2};
    if (kin_world_create(&def, &w, NULL) != KIN_OK) return false;
    bool ok = kin_world_add_material(w, &material, &steel, NULL) == KIN_OK && kin_world_add_collider(w, &collider, &id, NULL) == KIN_OK;
    ok = ok && kin_world_capture(w, 0, 0.1, &f, NULL) == KIN_OK && f->layer_count == 2;
    kin_world_destroy(w);
    return ok;
}

static void failing_captures_leak_nothing(test* t) { test_fail_each_allocation(t, capture_parts, NULL); }

TEST_MAIN("query", TEST(a_ray_finds_the_first_surface), TEST(all_hits_come_nearest_first_and_no_more_than_asked), TEST(ties_go_to_the_first),
          TEST(a_batch_is_its_rays_one_by_one), TEST(filters_choose_who_is_asked), TEST(solids_choose_their_askers), TEST(a_stale_ignore_ignores_nobody),
          TEST(closest_points_are_sorted_and_within_reach), TEST(overlaps_come_deepest_first), TEST(casts_meet_solids_in_order),
          TEST(casts_can_follow_the_last_step), TEST(bad_poses_are_refused), TEST(bad_shapes_are_refused), TEST(nonsense_finds_nothing),
          TEST(failing_allocations_leave_the_world_whole), TEST(hits_name_part_and_material), TEST(a_particle_bounces_by_the_parts_restitution),
          TEST(unknown_materials_of_parts_are_refused), TEST(parts_are_seen_in_their_own_colours), TEST(failing_captures_leak_nothing))
