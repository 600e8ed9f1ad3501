/* inside_test.c - particles that are found inside a solid (Coutinho 3.4.2): moved out, ended, or pulled out by a spring. */
#include "many.h"

/* A box of 2 m with a particle 0.3 m below its top and one 0.2 m inside its right side, one outside. */
static kin_system_id add_three(test* t, kin_world* w, kin_inside inside, kin_contacts contacts)
{
    many m;
    test_box(t, w, kin_v(0, 0, 0), kin_v(2, 2, 2), test_material(t, w, "stone", 0.5, 0));
    many_begin(&m, 1, 0, 3);
    m.def.inside = inside;
    m.def.contacts = contacts;
    for (int i = 0; i < 3; ++i) m.groups[i].radius = 0.05;
    m.groups[0].position = kin_v(0.1, 0.7, 0);
    m.groups[0].velocity = kin_v(0, 0, 0.25);
    m.groups[1].position = kin_v(0.8, -0.1, 0);
    m.groups[2].position = kin_v(3, 0, 0);
    return many_add(t, w, &m);
}

static void pushed_out_to_the_closest_point(test* t)
{
    kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
    kin_system_id id = add_three(t, w, KIN_INSIDE_PUSH_OUT, KIN_CONTACTS_NONE);
    test_steps(t, w, 1);
    NEAR3(t, kin_particle_position(w, id, 0), kin_v(0.1, 1.05, 0.0025), 1e-6);
    NEAR3(t, kin_particle_velocity(w, id, 0), kin_v(0, 0, 0.25), 1e-12);
    NEAR3(t, kin_particle_position(w, id, 1), kin_v(1.05, -0.1, 0), 1e-6);
    NEAR3(t, kin_particle_position(w, id, 2), kin_v(3, 0, 0), 0);
    kin_world_destroy(w);
}

static void deleted(test* t)
{
    for (int contacts = KIN_CONTACTS_NONE; contacts <= KIN_CONTACTS_EXACT; ++contacts) {
        kin_world* w = test_world(t, 0.01, kin_v(0, -10, 0));
        kin_system_id id = add_three(t, w, KIN_INSIDE_DELETE, (kin_contacts)contacts);
        test_steps(t, w, 1);
        EQUAL(t, alive(w, id), 1);
        EQUAL(t, (int)measured(w, id, "died"), 2);
        CHECK(t, slot_of(w, id, 2) == 2);
        EQUAL(t, kin_world_place(w, (kin_anchor){id.index1, 2, {0, 0, 0}}, kin_v(0, 0, 0), kin_v(0, 0, 0), NULL), KIN_OK);
        test_steps(t, w, 1);
        EQUAL(t, alive(w, id), 0);
        kin_world_destroy(w);
    }
}

/* Who only touches is not inside: it bounces as ever. */
static void who_touches_is_not_inside(test* t)
{
    many m;
    kin_world* w = test_world(t, 0.01, kin_v(0, -10, 0));
    test_box(t, w, kin_v(0, -1, 0), kin_v(20, 2, 20), test_material(t, w, "stone", 0.5, 0.3));
    many_begin(&m, 1, 0, 3);
    m.def.inside = KIN_INSIDE_DELETE;
    m.groups[0].position = kin_v(0, 0.5, 0);
    m.groups[1].position = kin_v(1, 0.02, 0); /* overlaps with its edge */
    m.groups[2].position = kin_v(2, 0.5, 0);
    m.groups[2].radius = 0;
    kin_system_id id = many_add(t, w, &m);
    test_steps(t, w, 500);
    EQUAL(t, alive(w, id), 3);
    EQUAL(t, (int)measured(w, id, "resting"), 3);
    kin_world_destroy(w);
}

/* X3.3: on schedule, monotonic, without a jump, about pull_time until it is out; it keeps what it does along the surface, and falls back on the box as any other. */
static void pulled_out_by_a_spring(test* t)
{
    for (int contacts = KIN_CONTACTS_NONE; contacts <= KIN_CONTACTS_EXACT; ++contacts) {
        kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
        kin_system_id id = add_three(t, w, KIN_INSIDE_PULL_OUT, (kin_contacts)contacts);
        double y = 0.7, out = 0;
        for (int step = 0; step < 60; ++step) {
            test_steps(t, w, 1);
            kin_vec3 x = kin_particle_position(w, id, 0);
            CHECK(t, x.y > y - 1e-12 && x.y - y < 0.03); /* at most twice the schedule's 0.35 m / 0.25 s */
            y = x.y;
            if (out == 0 && y >= 1.05) out = kin_world_time(w);
        }
        NEAR(t, out, 0.25, 0.1);
        NEAR(t, kin_particle_position(w, id, 0).z, 0.15, 1e-9);
        CHECK(t, kin_particle_position(w, id, 1).x > 1.05);
        NEAR3(t, kin_particle_position(w, id, 2), kin_v(3, 0, 0), 0);
        EQUAL(t, alive(w, id), 3);
        kin_world_destroy(w);
    }
}

static void pulled_out_against_gravity(test* t)
{
    static const double steps[] = {0.001, 1.0 / 60, 0.2};
    for (int i = 0; i < 3; ++i) { /* a spring of 32 /s: stable at any step */
        many m;
        kin_world* w = test_world(t, steps[i], kin_v(0, -9.81, 0));
        test_box(t, w, kin_v(0, -5, 0), kin_v(20, 10, 20), test_material(t, w, "stone", 0, 0.5));
        many_begin(&m, 1, 0, 2);
        m.def.inside = KIN_INSIDE_PULL_OUT;
        m.groups[0].position = kin_v(0, -1, 0);
        m.groups[0].velocity = kin_v(0, -3, 0);
        m.groups[1].position = kin_v(1, -0.06, 0);
        kin_system_id id = many_add(t, w, &m);
        test_steps(t, w, (int)(10 / steps[i]));
        for (size_t k = 0; k < 2; ++k) NEAR(t, kin_particle_position(w, id, k).y, 0.05, 1e-3);
        EQUAL(t, (int)measured(w, id, "resting"), 2);
        kin_world_destroy(w);
    }
}

/* Swallowed by a collider that jumps onto it. */
static void a_solid_that_jumps(test* t)
{
    for (int inside = KIN_INSIDE_DELETE; inside <= KIN_INSIDE_PULL_OUT; ++inside) {
        many m;
        kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
        kin_collider_id box = test_box(t, w, kin_v(9, 0, 0), kin_v(2, 2, 2), (kin_material_id){0});
        many_begin(&m, 1, 0, 1);
        m.def.inside = (kin_inside)inside;
        m.groups[0].position = kin_v(0, 0.8, 0);
        kin_system_id id = many_add(t, w, &m);
        test_steps(t, w, 3);
        kin_collider_set_pose(w, box, (kin_transform){{0, 0, 0}, {0, 0, 0, 1}});
        test_steps(t, w, 60);
        EQUAL(t, alive(w, id), inside == KIN_INSIDE_DELETE ? 0 : 1);
        if (inside == KIN_INSIDE_PULL_OUT) CHECK(t, kin_particle_position(w, id, 0).y >= 1.05);
        kin_world_destroy(w);
    }
}

TEST_MAIN("inside", TEST(pushed_out_to_the_closest_point), TEST(deleted), TEST(who_touches_is_not_inside), TEST(pulled_out_by_a_spring),
          TEST(pulled_out_against_gravity), TEST(a_solid_that_jumps))
