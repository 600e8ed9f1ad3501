/* gyration_test.c - charged particles in magnetic fields: however long the step and whatever else they do, the field does no work. */
#include "many.h"

static const char* const gyrating[] = {"semi_implicit", "average", "verlet", "velocity_verlet", "leapfrog", "block_leapfrog"};
enum { METHODS = sizeof gyrating / sizeof *gyrating, COUNT = 60 };

static void add_magnet(test* t, kin_world* w, kin_vec3 b, bool masked)
{
    kin_magnetic_field field;
    kin_error error = {0};
    kin_field_default("magnetic", &field);
    field.magnetic = b;
    if (masked) {
        field.common.region.kind = KIN_REGION_BOX;
        field.common.region.sizes = kin_v(3, 3, 3);
        field.common.drop = KIN_DROP_AXES;
    }
    EQUAL(t, kin_world_add_field(w, "magnetic", &field, NULL, &error), KIN_OK);
}

static kin_system_id add_charges(test* t, kin_world* w, const char* integrator, kin_contacts contacts, kin_material_id material)
{
    many m;
    many_begin(&m, 1, 0, 1);
    many_integrator(&m, integrator);
    m.groups[0].charge = 1.5;
    m.groups[0].mass = 0.5;
    m.groups[0].radius = 0.05;
    m.groups[0].material = material;
    m.groups[0].count = COUNT;
    m.groups[0].box = kin_v(3, 3, 3);
    m.groups[0].velocity = kin_v(1, 2, 0.5);
    m.def.contacts = contacts;
    m.def.rest_speed = 0;
    m.def.block_length = 0.01;
    return many_add(t, w, &m);
}

/* Two fields add, one of them with a mask that would make a force do work; steps are from a tenth of a radian to 3000. */
static void fields_do_no_work(test* t)
{
    for (int k = 0; k < METHODS; ++k) {
        for (double b = 1; b < 1e5; b *= 30) {
            kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
            add_magnet(t, w, kin_v(b, 2 * b, -b), false);
            add_magnet(t, w, kin_v(3 * b, b, b), true);
            kin_system_id id = add_charges(t, w, gyrating[k], KIN_CONTACTS_NONE, (kin_material_id){0});
            double before = measured(w, id, "kinetic_energy");
            test_steps(t, w, 200);
            double place = strcmp(gyrating[k], "verlet") == 0 ? 1e-11 : 0; /* its velocities are differences of places */
            NEAR(t, measured(w, id, "kinetic_energy") / before, 1, 200 * 4e-16 * 4 + place);
            kin_world_destroy(w);
        }
    }
}

/* The other ways to move them: tied by springs that do nothing, with collisions of their own, among walls that give all back. */
static void nor_among_walls_and_each_other(test* t)
{
    for (int k = 0; k < METHODS; ++k) {
        for (int contacts = KIN_CONTACTS_NONE; contacts <= KIN_CONTACTS_EXACT; ++contacts) {
            kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
            kin_material_id bouncy = test_material(t, w, "bouncy", 1, 0);
            for (int axis = 0; axis < 6; ++axis) {
                kin_vec3 n = kin_scale(kin_axis(axis / 2), axis % 2 == 0 ? 1 : -1);
                test_plane(t, w, kin_scale(n, -1.6), n, bouncy);
            }
            add_magnet(t, w, kin_v(30, 60, -20), false);
            kin_system_id id = add_charges(t, w, gyrating[k], (kin_contacts)contacts, bouncy);
            double before = measured(w, id, "kinetic_energy");
            test_steps(t, w, 100);
            CHECK(t, measured(w, id, "hits") > 50);
            double change = measured(w, id, "kinetic_energy") / before - 1;
            NEAR(t, change, 0,
                 contacts == KIN_CONTACTS_NONE ? 1e-9 : 0.05); /* contacts act for a step on what turns by 2 rad within it: Euler has a factor of 1e73 */
            CHECK(t, change <= 0.005);
            kin_world_destroy(w);
        }
    }
}

/* On a table without friction a charge runs in a circle, and keeps its speed. */
static void on_a_table_it_circles(test* t)
{
    for (int k = 0; k < METHODS; ++k) {
        for (int contacts = KIN_CONTACTS_NONE; contacts <= KIN_CONTACTS_EXACT; contacts += KIN_CONTACTS_EXACT) {
            kin_world* w = test_world(t, 0.01, kin_v(0, -10, 0));
            kin_material_id smooth = test_material(t, w, "smooth", 0, 0);
            test_plane(t, w, kin_v(0, 0, 0), kin_v(0, 1, 0), smooth);
            add_magnet(t, w, kin_v(0, 10, 0), false);
            many m;
            many_begin(&m, 1, 0, 1);
            many_integrator(&m, gyrating[k]);
            m.groups[0].charge = 1;
            m.groups[0].radius = 0.1;
            m.groups[0].material = smooth;
            m.groups[0].position = kin_v(0, 0.1, 0);
            m.groups[0].velocity = kin_v(2, 0, 0);
            m.def.contacts = (kin_contacts)contacts;
            m.def.rest_speed = 0.05;
            m.def.block_length = 0.01;
            kin_system_id id = many_add(t, w, &m);
            test_steps(t, w, 500);
            kin_particles_view v = kin_particles_state(w, id);
            NEAR(t, kin_length(kin_v(v.vx[0], v.vy[0], v.vz[0])), 2, 1e-9);
            CHECK(t, kin_abs(v.x[0]) < 0.45 && kin_abs(v.z[0]) < 0.45); /* its circle: 0.2 m */
            kin_world_destroy(w);
        }
    }
}

/* Springs that do nothing make all of them one system of equations. */
static void tied_together_too(test* t)
{
    for (int k = 0; k < METHODS; ++k) {
        kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
        add_magnet(t, w, kin_v(300, 600, -200), false);
        many m;
        kin_particle_spring spring = {.a = 0, .b = 1};
        many_begin(&m, 1, 0, 2);
        many_integrator(&m, gyrating[k]);
        for (int i = 0; i < 2; ++i) {
            m.groups[i].charge = 1;
            m.groups[i].position = kin_v(i, 0, 0);
            m.groups[i].velocity = kin_v(2, 1 - i, 3);
        }
        m.def.springs.data = &spring;
        m.def.springs.count = 1;
        m.def.block_length = 0.01;
        kin_system_id id = many_add(t, w, &m);
        double before = measured(w, id, "kinetic_energy");
        test_steps(t, w, 200);
        NEAR(t, measured(w, id, "kinetic_energy") / before, 1, 200 * 4e-16 * 4 + (strcmp(gyrating[k], "verlet") == 0 ? 1e-11 : 0));
        kin_world_destroy(w);
    }
}

TEST_MAIN("particles_gyration", TEST(fields_do_no_work), TEST(nor_among_walls_and_each_other), TEST(on_a_table_it_circles), TEST(tied_together_too))
