/* attach_test.c - holding on by commands: grab, drag, release; recorded, replayed, restored; with any number of threads. */
#include "../couple/points.h"
#include <stdio.h>

static const point five[5] = {
    {{0, 0, 0}, {0, 0, 0}, 1}, {{0.3, 0, 0}, {0, 0, 0}, 1}, {{0, 0, -4}, {0, 0, 0}, 1}, {{0, 2, 0}, {0, 0, 0}, 1}, {{0.02, 2, 1}, {0, 0, 0}, 2},
};

static kin_world* scene(test* t)
{
    kin_world* w = test_world(t, 1.0 / 60, kin_v(0, 0, 0));
    add_points(t, w, "far", "semi_implicit", &(point){{9, 9, 9}, {0, 0, 0}, 1}, 1);
    add_points(t, w, "dots", "semi_implicit", five, 5);
    return w;
}

/* Which element of "dots" a ray takes hold of; -1: none. */
static int grabbed(test* t, kin_world* w, kin_vec3 origin, kin_vec3 direction, double reach)
{
    kin_attachment_id id;
    kin_error error = {0};
    EQUAL(t, kin_world_grab(w, origin, direction, reach, NULL, &id, &error), KIN_OK);
    if (id.serial == 0) return -1;
    test_steps(t, w, 1);
    const kin_attachment* item = kin_attachments_find(&w->attachments, id.serial);
    int element = item != NULL && item->def.a.system == 2 ? (int)item->def.a.element : -2;
    EQUAL(t, kin_world_release(w, id, &error), KIN_OK);
    test_steps(t, w, 1);
    EQUAL(t, w->attachments.count, 0);
    return element;
}

static void grabs_the_nearest_to_the_ray(test* t)
{
    kin_world* w = scene(t);
    EQUAL(t, grabbed(t, w, kin_v(0.29, 0, 5), kin_v(0, 0, -2), 0.1), 1);
    EQUAL(t, grabbed(t, w, kin_v(0.1, 0, 5), kin_v(0, 0, -2), 0.5), 0); /* as near as the one behind it: the front one */
    EQUAL(t, grabbed(t, w, kin_v(0.012, 2, 5), kin_v(0, 0, -1), 0.1), 4);
    EQUAL(t, grabbed(t, w, kin_v(0.002, 2, 5), kin_v(0, 0, -1), 0.1), 3);
    EQUAL(t, grabbed(t, w, kin_v(0, 0, 5), kin_v(0, 0, 1), 0.5), -1); /* behind the eye */
    EQUAL(t, grabbed(t, w, kin_v(1, 1, 5), kin_v(0, 0, -1), 0.1), -1);
    kin_world_destroy(w);
}

static void solids_hide_and_nails_hold(test* t)
{
    kin_world* w = scene(t);
    test_box(t, w, kin_v(0, 0, 2), kin_v(0.4, 0.4, 0.4), (kin_material_id){0}); /* before elements 0 and 2 */
    EQUAL(t, grabbed(t, w, kin_v(0.1, 0, 5), kin_v(0, 0, -1), 0.5), 1);
    EQUAL(t, grabbed(t, w, kin_v(0, 0, 5), kin_v(0, 0, -1), 0.1), -1);
    EQUAL(t, grabbed(t, w, kin_v(0, 5, 0), kin_v(0, -1, 0), 0.01), 3);
    EQUAL(t, kin_world_set_mobility(w, (kin_anchor){2, 3, {0, 0, 0}}, KIN_MOBILITY_STATIC, NULL), KIN_OK); /* nailed: out of reach */
    test_steps(t, w, 1);
    EQUAL(t, grabbed(t, w, kin_v(0, 5, 0), kin_v(0, -1, 0), 0.01), 0);
    kin_attachment_def pull = kin_attachment_def_default();
    pull.a = (kin_anchor){2, 3, {0, 0, 0}};
    pull.point = kin_v(50, 0, 0);
    pull.rigid = true;
    EQUAL(t, kin_world_attach(w, &pull, NULL, NULL), KIN_OK);
    test_steps(t, w, 30);
    NEAR3(t, kin_particle_position(w, (kin_system_id){2, 1}, 3), five[3].position, 0);
    kin_world_destroy(w);
}

static void drags_follow_in_the_plane(test* t)
{
    kin_world* w = scene(t);
    kin_attachment_id hand;
    kin_error error = {0};
    const kin_vec3 eye = {0, 0, 5};
    EQUAL(t, kin_world_grab(w, eye, kin_v(0, 0, -1), 0.1, NULL, &hand, NULL), KIN_OK);
    EQUAL(t, kin_world_drag(w, hand, eye, kin_v(0.1, 0.2, -1), NULL), KIN_OK); /* before the grab was even done */
    test_steps(t, w, 300);
    NEAR3(t, kin_particle_position(w, (kin_system_id){2, 1}, 0), kin_v(0.5, 1, 0), 1e-6);
    EQUAL(t, kin_world_drag(w, hand, eye, kin_v(-0.3, 0, -1), NULL), KIN_OK);
    EQUAL(t, kin_world_drag(w, hand, eye, kin_v(-0.2, 0, -1), NULL), KIN_OK);
    test_steps(t, w, 300);
    NEAR3(t, kin_particle_position(w, (kin_system_id){2, 1}, 0), kin_v(-1, 0, 0), 1e-6);
    EQUAL(t, kin_world_drag(w, hand, eye, kin_v(1, 0, 0), &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "does not meet the plane");
    EQUAL(t, kin_world_drag(w, hand, eye, kin_v(0, 0, 0), &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "direction");
    EQUAL(t, kin_world_release(w, hand, NULL), KIN_OK);
    EQUAL(t, kin_world_drag(w, hand, eye, kin_v(0, 0, -1), &error), KIN_ERROR_ARGUMENT); /* gone, as far as commands go */
    EQUAL(t, kin_world_release(w, hand, &error), KIN_ERROR_ARGUMENT);
    kin_world_destroy(w);
}

static void bad_commands_are_refused(test* t)
{
    kin_world* w = scene(t);
    kin_error error = {0};
    kin_attachment_def def = kin_attachment_def_default();
    static const kin_attachment_key key = {0, {0, 0, 0}};
    kin_attachment_id id;
    def.a = (kin_anchor){2, 0, {0, 0, 0}};
    def.keys = &key;
    def.key_count = 1;
    EQUAL(t, kin_world_attach(w, &def, &id, &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "takes no keys");
    EQUAL(t, id.serial, 0);
    def.key_count = 0;
    def.to_point = false;
    def.b = (kin_anchor){1, 0, {0, 0, 0}};
    EQUAL(t, kin_world_attach(w, &def, &id, NULL), KIN_OK);
    EQUAL(t, kin_attachment_set_target(w, id, kin_v(1, 0, 0), &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "no point of space");
    EQUAL(t, kin_attachment_set_target(w, (kin_attachment_id){77}, kin_v(1, 0, 0), &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "no attachment 77");
    def.to_point = true;
    EQUAL(t, kin_world_attach(w, &def, &id, NULL), KIN_OK);
    EQUAL(t, id.serial, 2);
    EQUAL(t, kin_attachment_set_target(w, id, kin_v(1, __builtin_inf(), 0), &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.where, "point");
    EQUAL(t, kin_world_grab(w, kin_v(0, 0, 5), kin_v(0, 0, -1), -1, NULL, &id, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "reach");
    test_steps(t, w, 1);
    EQUAL(t, w->attachments.count, 2);
    kin_world_destroy(w);
}

/* Attaches, moves, breaks and detaches, as a hand and a script would. */
static void act(test* t, kin_world* w, int step, kin_attachment_id ids[3])
{
    kin_attachment_def def = kin_attachment_def_default();
    def.a = (kin_anchor){2, 0, {0.1, 0, 0}};
    if (step == 2) EQUAL(t, kin_world_attach(w, &def, &ids[0], NULL), KIN_OK);
    def.a.element = 1;
    def.b = (kin_anchor){2, 4, {0, 0, 0}};
    def.to_point = false;
    def.rest = 0.7;
    def.break_force = 900;
    if (step == 3) EQUAL(t, kin_world_attach(w, &def, &ids[1], NULL), KIN_OK);
    if (step == 4) EQUAL(t, kin_world_grab(w, kin_v(0, 2, 5), kin_v(0, 0.01, -1), 0.3, NULL, &ids[2], NULL), KIN_OK);
    if (step > 4 && step < 20) EQUAL(t, kin_world_drag(w, ids[2], kin_v(0, 2, 5), kin_v(0.01 * step, 0.01, -1), NULL), KIN_OK);
    if (step == 9) EQUAL(t, kin_attachment_set_target(w, ids[0], kin_v(1.0 / 3, -7, 0.1), NULL), KIN_OK);
    if (step == 22) EQUAL(t, kin_world_release(w, ids[2], NULL), KIN_OK);
    test_steps(t, w, 1);
}

static void replays_and_restores_alike(test* t)
{
    kin_world *a = scene(t), *b = scene(t), *c = scene(t);
    kin_attachment_id ids[3];
    kin_world_record(a, true);
    for (int i = 0; i < 40; ++i) act(t, a, i, ids);
    size_t count, next = 0;
    const kin_command* log = kin_world_recorded(a, &count);
    EQUAL(t, count, 20);
    kin_tree tree;
    kin_tree_init(&tree, &t->allocator);
    for (int i = 0; i < 40; ++i) { /* through text, as a file would have it */
        for (; next < count && log[next].step == (uint64_t)i; ++next) {
            kin_command read;
            kin_node* node = kin_command_to_node(&tree, &log[next]);
            CHECK(t, node != NULL && kin_command_from_node(node, &read) && kin_world_command(b, &read, NULL) == KIN_OK);
            kin_node_remove(node, "attachment");
            CHECK(t, !kin_command_from_node(node, &read));
        }
        test_steps(t, b, 1);
    }
    CHECK(t, kin_world_state_hash(a) == kin_world_state_hash(b));
    for (int i = 0; i < 40; ++i) { /* restored into a fresh world after every step */
        kin_snapshot s = {0};
        act(t, c, i, ids);
        EQUAL(t, kin_world_snapshot(c, &s, NULL), KIN_OK);
        kin_world_destroy(c);
        c = scene(t);
        EQUAL(t, kin_world_restore(c, &s, NULL), KIN_OK);
        kin_snapshot_free(&s);
    }
    CHECK(t, kin_world_state_hash(a) == kin_world_state_hash(c));
    kin_tree_term(&tree);
    kin_world_destroy(a);
    kin_world_destroy(b);
    kin_world_destroy(c);
}

static void the_same_for_any_threads_and_lanes(test* t)
{
    static const int threads[] = {1, 2, 8};
    static const char* const lanes[] = {"none", "sse2", NULL};
    uint64_t hashes[3];
    for (int k = 0; k < 3; ++k) {
        kin_world_def def = kin_world_def_default();
        kin_world* w;
        kin_attachment_id ids[3];
        def.allocator = t->allocator;
        def.threads = threads[k];
        def.simd = lanes[k];
        EQUAL(t, kin_world_create(&def, &w, NULL), KIN_OK);
        add_points(t, w, "far", "rk4", &(point){{9, 9, 9}, {0, 0, 0}, 1}, 1);
        add_points(t, w, "dots", "rk4", five, 5);
        for (int i = 0; i < 40; ++i) act(t, w, i, ids);
        hashes[k] = kin_world_state_hash(w);
        kin_world_destroy(w);
    }
    CHECK(t, hashes[0] == hashes[1] && hashes[0] == hashes[2]);
}

/* Serials of what is added at once and of what waits in the queue never meet. */
static void ids_are_never_the_same(test* t)
{
    kin_world* w = scene(t);
    kin_attachment_def def = kin_attachment_def_default();
    kin_attachment_id waiting, now;
    def.a = (kin_anchor){2, 0, {0, 0, 0}};
    EQUAL(t, kin_world_attach(w, &def, &waiting, NULL), KIN_OK);
    EQUAL(t, kin_world_add_attachment(w, &def, &now, NULL), KIN_OK);
    CHECK(t, waiting.serial == 1 && now.serial == 2);
    EQUAL(t, kin_world_attach(w, &def, &waiting, NULL), KIN_OK);
    EQUAL(t, waiting.serial, 3);
    test_steps(t, w, 1);
    EQUAL(t, w->attachments.count, 3);
    EQUAL(t, kin_world_detach(w, waiting, NULL), KIN_OK);
    test_steps(t, w, 1);
    EQUAL(t, kin_world_attach(w, &def, &waiting, NULL), KIN_OK);
    EQUAL(t, waiting.serial, 4);
    kin_world_destroy(w);
}

TEST_MAIN("attach", TEST(grabs_the_nearest_to_the_ray), TEST(solids_hide_and_nails_hold), TEST(drags_follow_in_the_plane), TEST(bad_commands_are_refused),
          TEST(replays_and_restores_alike), TEST(the_same_for_any_threads_and_lanes), TEST(ids_are_never_the_same))
