/* history_test.c - the last hit of particles and their trails, against closed forms, for every way in which particles meet. */
#include "many.h"

/* Slots of the world's colliders. */
static void add_floor(kin_world* w, double height)
{
    kin_collider_def floor = kin_collider_def_default();
    floor.shape.kind = KIN_SHAPE_PLANE;
    floor.shape.normal = kin_v(0, 1, 0);
    floor.position = kin_v(0, height, 0);
    kin_collider_id id;
    kin_world_add_collider(w, &floor, &id, NULL);
}

static kin_system_id add_balls(test* t, kin_world* w, many* m, kin_contacts contacts, size_t count)
{
    m->kinds[0].keep_hits = true;
    m->def.contacts = contacts;
    m->def.group_count = count;
    for (int i = 0; kin_particles_integrators()[i] != NULL; ++i) { /* exact for parabolas */
        if (strcmp(kin_particles_integrators()[i], "average") == 0) m->def.integrator = i;
    }
    return many_add(t, w, m);
}

/* A ball dropped from h falls on a floor at sqrt(2 (h - r) / g) and next after 2 e times as long again: the integrator is exact for parabolas, so is the time. */
static void a_bounce_is_noted_with_time_place_and_collider(test* t)
{
    static const kin_hit_policy policies[] = {KIN_HIT_EXACT, KIN_HIT_APPROXIMATE, KIN_HIT_PROJECT, KIN_HIT_REFLECT};
    for (int k = 0; k < 4; ++k) {
        many m;
        double h = 0.01, fall = kin_sqrt(2 * 1.0 / 10);
        kin_world* w = test_world(t, h, kin_v(0, -10, 0));
        add_floor(w, 0);
        add_floor(w, -5);
        many_begin(&m, 1, 0, 1);
        m.groups[0].position = kin_v(0.3, 1.1, 0.2);
        m.groups[0].radius = 0.1;
        m.def.hits = policies[k];
        kin_system_id id = add_balls(t, w, &m, KIN_CONTACTS_NONE, 1);
        test_steps(t, w, 44);
        CHECK(t, !kin_particle_last_hit(w, id, 0).any);
        test_steps(t, w, 6);
        kin_particle_hit hit = kin_particle_last_hit(w, id, 0);
        CHECK(t, hit.any);
        NEAR(t, hit.time, fall, policies[k] == KIN_HIT_EXACT ? 1e-9 : h);
        NEAR(t, hit.position.x, 0.3, 1e-9);
        NEAR(t, hit.position.y, 0, 1e-9);
        EQUAL(t, hit.other.system, KIN_WORLD_SYSTEM);
        EQUAL(t, hit.other.element, 0);
        kin_world_destroy(w);
    }
}

/* Two balls, 1 m of gap, closing at 2 m/s: they meet halfway after 0.5 s, each with the other, whichever way contacts are solved. */
static void both_of_a_pair_note_each_other(test* t)
{
    static const kin_contacts ways[] = {KIN_CONTACTS_FAST, KIN_CONTACTS_EXACT};
    for (int k = 0; k < 2; ++k) {
        many m;
        kin_world* w = test_world(t, 0.02, kin_v(0, 0, 0));
        many_begin(&m, 1, 0, 3);
        for (int i = 0; i < 2; ++i) {
            m.groups[i].position = kin_v(i == 0 ? -0.6 : 0.6, 0, 0);
            m.groups[i].velocity = kin_v(i == 0 ? 1 : -1, 0, 0);
            m.groups[i].radius = 0.1;
        }
        m.groups[2].position = kin_v(0, 5, 0);
        kin_system_id id = add_balls(t, w, &m, ways[k], 3);
        test_steps(t, w, 30);
        for (size_t i = 0; i < 2; ++i) {
            kin_particle_hit hit = kin_particle_last_hit(w, id, i);
            CHECK(t, hit.any);
            NEAR(t, hit.time, 0.5, 1e-9);
            NEAR(t, hit.position.x, 0, 1e-9);
            EQUAL(t, hit.other.system, 1);
            EQUAL(t, hit.other.element, 1 - i);
        }
        CHECK(t, !kin_particle_last_hit(w, id, 2).any);
        kin_world_destroy(w);
    }
}

static void particles_of_two_systems_note_each_other(test* t)
{
    kin_world* w = test_world(t, 0.02, kin_v(0, 0, 0));
    kin_system_id ids[2];
    for (int i = 0; i < 2; ++i) {
        many m;
        many_begin(&m, 1, 0, 1);
        m.def.name = i == 0 ? "left" : "right";
        m.groups[0].position = kin_v(i == 0 ? -0.6 : 0.6, 0, 0);
        m.groups[0].velocity = kin_v(i == 0 ? 1 : -1, 0, 0);
        m.groups[0].radius = 0.1;
        ids[i] = add_balls(t, w, &m, KIN_CONTACTS_FAST, 1);
    }
    test_steps(t, w, 30);
    for (size_t i = 0; i < 2; ++i) {
        kin_particle_hit hit = kin_particle_last_hit(w, ids[i], 0);
        CHECK(t, hit.any);
        NEAR(t, hit.time, 0.5, 1e-9);
        NEAR(t, hit.position.x, 0, 1e-9);
        EQUAL(t, hit.other.system, 2 - i);
        EQUAL(t, hit.other.element, 0);
    }
    kin_world_destroy(w);
}

/* A touch slower than rest_speed is a contact, no collision; a kind that keeps no hits has none. */
static void rest_is_no_hit(test* t)
{
    many m;
    kin_world* w = test_world(t, 0.01, kin_v(0, -10, 0));
    add_floor(w, 0);
    many_begin(&m, 2, 0, 2);
    m.kinds[0].name = m.groups[0].kind = "kept";
    m.kinds[1].name = m.groups[1].kind = "other";
    m.groups[0].position = kin_v(0, 0.1, 0);
    m.groups[1].position = kin_v(2, 1, 0);
    m.groups[0].radius = m.groups[1].radius = 0.1;
    kin_system_id id = add_balls(t, w, &m, KIN_CONTACTS_NONE, 2);
    test_steps(t, w, 100);
    CHECK(t, !kin_particle_last_hit(w, id, 0).any);
    CHECK(t, kin_particles_state(w, id).resting[0]);
    kin_world_destroy(w);
}

static const kin_layer* layer_named(test* t, kin_world* w, const char* name, const kin_frame** frame)
{
    EQUAL(t, kin_world_capture(w, 0, 1.0 / 30, frame, NULL), KIN_OK);
    return kin_frame_layer(*frame, name);
}

/* color_by = "since_hit": the end of the curve before the first hit, its start at the hit. */
static void colour_runs_over_the_time_since_the_last_hit(test* t)
{
    static const kin_curve_key keys[] = {{0, {1, 0, 0}}, {0.5, {0, 0, 1}}};
    many m;
    const kin_frame* frame;
    kin_world* w = test_world(t, 0.01, kin_v(0, -10, 0));
    add_floor(w, 0);
    many_begin(&m, 1, 0, 1);
    m.groups[0].position = kin_v(0, 1.1, 0);
    m.groups[0].radius = 0.1;
    m.kinds[0].color = (kin_curve){keys, 2, KIN_CURVE_LINEAR};
    m.kinds[0].color_by = "since_hit";
    kin_system_id id = add_balls(t, w, &m, KIN_CONTACTS_NONE, 1);
    const kin_layer* layer = layer_named(t, w, "particles", &frame);
    NEAR(t, (double)((const float*)kin_layer_array(layer, "color")->data)[2], 1, 1e-6);
    NEAR(t, (double)((const float*)kin_layer_array(layer, "hit_age")->data)[0], -1, 1e-6);
    test_steps(t, w, 55);
    layer = layer_named(t, w, "particles", &frame);
    double age = 0.55 - kin_sqrt(0.2);
    NEAR(t, (double)((const float*)kin_layer_array(layer, "hit_age")->data)[0], age, 1e-6);
    NEAR(t, (double)((const float*)kin_layer_array(layer, "color")->data)[0], 1 - 2 * age, 1e-5);
    EQUAL(t, ((const uint32_t*)kin_layer_array(layer, "hit_other")->data)[0], 0);
    CHECK(t, kin_particle_last_hit(w, id, 0).any);
    kin_world_destroy(w);
}

/* A trail of 0.5 s at 3 m/s is 1.5 m long, whatever the step: finer and coarser than its places lie apart. */
static void a_trail_is_as_long_as_its_time(test* t)
{
    static const double steps[] = {1.0 / 1000, 1.0 / 60, 1.0 / 8};
    for (int k = 0; k < 3; ++k) {
        many m;
        const kin_frame* frame;
        kin_world* w = test_world(t, steps[k], kin_v(0, 0, 0));
        many_begin(&m, 1, 0, 1);
        m.kinds[0].trail[0] = 0.5;
        m.groups[0].velocity = kin_v(3, 0, 0);
        kin_system_id id = many_add(t, w, &m);
        test_steps(t, w, (int)(0.25 / steps[k] + 0.5));
        const kin_layer* layer = layer_named(t, w, "particles~trail", &frame);
        CHECK(t, layer != NULL);
        const kin_array* x = kin_layer_array(layer, "position");
        NEAR(t, (double)((const float*)x->data)[0], 0, 1e-6); /* not older than it is */
        test_steps(t, w, (int)(2 / steps[k] + 0.5));
        double end = kin_particle_position(w, id, 0).x;
        layer = layer_named(t, w, "particles~trail", &frame);
        x = kin_layer_array(layer, "position");
        const float* opacity = kin_layer_array(layer, "opacity")->data;
        NEAR(t, (double)((const float*)x->data)[0], end - 1.5, 1e-5);
        NEAR(t, (double)((const float*)x->data)[3 * (x->count - 1)], end, 1e-5);
        NEAR(t, (double)opacity[0], 0, 1e-6);
        NEAR(t, (double)opacity[x->count - 1], 1, 1e-6);
        CHECK(t, kin_layer_array(layer, "line")->count == x->count - 1);
        kin_vec3 places[64];
        double times[64];
        size_t count = kin_particle_trail(w, id, 0, places, times, 64);
        CHECK(t, count >= 5 && count <= 16);
        for (size_t i = 1; i < count; ++i) {
            CHECK(t, times[i] < times[i - 1]);
            NEAR(t, places[i].x, 3 * times[i], 1e-9);
        }
        kin_world_destroy(w);
    }
}

/* trail_width is a share of the particle's width. */
static void a_trail_has_a_width_of_its_own(test* t)
{
    many m;
    const kin_frame* frame;
    kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
    many_begin(&m, 1, 0, 1);
    m.kinds[0].trail[0] = 1;
    m.kinds[0].trail_width = 0.25;
    m.groups[0].velocity = kin_v(1, 0, 0);
    m.groups[0].radius = 0.2;
    many_add(t, w, &m);
    test_steps(t, w, 20);
    const kin_layer* layer = layer_named(t, w, "particles~trail", &frame);
    CHECK(t, layer != NULL);
    if (layer != NULL) NEAR(t, (double)((const float*)kin_layer_array(layer, "radius")->data)[0], 0.05, 1e-7);
    kin_world_destroy(w);
}

/* Where it was put is not where it flew. */
static void a_trail_begins_anew_where_a_particle_is_put(test* t)
{
    many m;
    kin_vec3 places[64];
    kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
    many_begin(&m, 1, 0, 1);
    m.kinds[0].trail[0] = 1;
    m.groups[0].velocity = kin_v(1, 0, 0);
    kin_system_id id = many_add(t, w, &m);
    test_steps(t, w, 50);
    EQUAL(t, kin_world_place(w, (kin_anchor){1, 0, {0, 0, 0}}, kin_v(0, 9, 0), kin_v(1, 0, 0), NULL), KIN_OK);
    test_steps(t, w, 20);
    size_t count = kin_particle_trail(w, id, 0, places, NULL, 64);
    CHECK(t, count >= 2);
    for (size_t i = 0; i < count; ++i) NEAR(t, places[i].y, 9, 1e-12);
    kin_world_destroy(w);
}

/* A world that takes over a snapshot has the same hits and trails, and goes on to the same; a particle that is born anew has neither. */
static void history_is_state(test* t)
{
    kin_world* w[2];
    kin_system_id id;
    for (int k = 0; k < 2; ++k) {
        many m;
        w[k] = test_world(t, 0.01, kin_v(0, -10, 0));
        add_floor(w[k], 0);
        many_begin(&m, 1, 0, 1);
        m.kinds[0].trail[0] = 0.3;
        m.groups[0].count = 5;
        m.groups[0].box = kin_v(1, 1, 1);
        m.groups[0].position = kin_v(0, 1, 0);
        m.groups[0].spread = kin_v(1, 1, 1);
        id = add_balls(t, w[k], &m, KIN_CONTACTS_NONE, 1);
        test_steps(t, w[k], k == 0 ? 70 : 3);
    }
    kin_snapshot snapshot = {0};
    EQUAL(t, kin_world_snapshot(w[0], &snapshot, NULL), KIN_OK);
    EQUAL(t, kin_world_restore(w[1], &snapshot, NULL), KIN_OK);
    kin_snapshot_free(&snapshot);
    for (int k = 0; k < 2; ++k) test_steps(t, w[k], 7);
    for (size_t i = 0; i < 5; ++i) {
        kin_vec3 places[2][16];
        double times[2][16];
        size_t counts[2];
        kin_particle_hit hits[2];
        for (int k = 0; k < 2; ++k) {
            counts[k] = kin_particle_trail(w[k], id, i, places[k], times[k], 16);
            hits[k] = kin_particle_last_hit(w[k], id, i);
        }
        CHECK(t, hits[0].any && hits[0].time == hits[1].time && hits[0].position.x == hits[1].position.x);
        CHECK(t, counts[0] == 16 && counts[1] == 16);
        CHECK(t, memcmp(places[0], places[1], sizeof places[0]) == 0 && memcmp(times[0], times[1], sizeof times[0]) == 0);
    }
    kin_world_destroy(w[0]);
    kin_world_destroy(w[1]);
}

static void unknown_variables_are_refused(test* t)
{
    many m;
    kin_error error = {0};
    kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
    many_begin(&m, 1, 0, 1);
    m.kinds[0].color_by = "mood";
    EQUAL(t, kin_particles_create(w, &m.def, NULL, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "kinds[0].color_by");
    kin_world_destroy(w);
}

TEST_MAIN("history", TEST(a_bounce_is_noted_with_time_place_and_collider), TEST(both_of_a_pair_note_each_other), TEST(particles_of_two_systems_note_each_other),
          TEST(rest_is_no_hit), TEST(colour_runs_over_the_time_since_the_last_hit), TEST(a_trail_is_as_long_as_its_time), TEST(a_trail_has_a_width_of_its_own),
          TEST(a_trail_begins_anew_where_a_particle_is_put), TEST(history_is_state), TEST(unknown_variables_are_refused))
