/* kinds_test.c - what particles of one sort have in common: growth, who meets whom, and names that mean nothing. */
#include "many.h"

/* Radius and mass follow their curves from birth on, over age in s or as a share of the life span. */
static void growth_follows_its_curves(test* t)
{
    static const kin_curve_key size[] = {{0, {0.5}}, {1, {2.5}}}, weight[] = {{0, {1}}, {0.5, {3}}};
    for (int relative = 0; relative <= 1; ++relative) {
        many m;
        kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
        many_begin(&m, 1, 0, 1);
        m.kinds[0].size = (kin_curve){size, 2, KIN_CURVE_LINEAR};
        m.kinds[0].weight = (kin_curve){weight, 2, KIN_CURVE_LINEAR};
        m.kinds[0].relative = relative;
        m.groups[0].radius = 0.2;
        m.groups[0].mass = 2;
        m.groups[0].life = 0.5;
        kin_system_id id = many_add(t, w, &m);
        for (int step = 0; step < 49; ++step) {
            double phase = kin_world_time(w) / (relative ? 0.5 : 1);
            kin_particles_view view = kin_particles_state(w, id);
            NEAR(t, view.radius[0], 0.2 * (0.5 + 2 * phase), 1e-7); /* first sizes are kept as floats */
            NEAR(t, view.mass[0], 2 * (1 + kin_min(phase, 0.5) * 4), 1e-6);
            test_steps(t, w, 1);
        }
        kin_world_destroy(w);
    }
}

/* A parent that grows and is kept keeps its share: mass is neither made nor lost. */
static void a_growing_parent_shares_its_mass(test* t)
{
    static const kin_curve_key size[] = {{0, {1}}, {1, {2}}};
    many m;
    kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
    many_begin(&m, 1, 0, 1);
    m.kinds[0].size = (kin_curve){size, 2, KIN_CURVE_LINEAR};
    m.kinds[0].splits.data = m.splits;
    m.kinds[0].splits.count = 1;
    m.splits[0].age[0] = 0.1;
    m.splits[0].number[0] = 3;
    m.splits[0].keep = true;
    m.splits[0].every[0] = 1000;
    kin_system_id id = many_add(t, w, &m);
    test_steps(t, w, 20);
    EQUAL(t, alive(w, id), 4);
    NEAR(t, measured(w, id, "mass"), 1, 1e-7);
    NEAR(t, kin_particles_state(w, id).mass[0], 0.25, 1e-7);
    kin_world_destroy(w);
}

/* meets_own and meets_others: two of kind a and one of kind b on a line; who passes through whom. */
static void kinds_choose_whom_they_meet(test* t)
{
    for (int contacts = KIN_CONTACTS_FAST; contacts <= KIN_CONTACTS_EXACT; ++contacts) {
        for (int own = 0; own <= 1; ++own) {
            many m;
            kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
            many_begin(&m, 2, 0, 4);
            m.def.contacts = (kin_contacts)contacts;
            m.kinds[0].name = "a";
            m.kinds[1].name = "b";
            m.kinds[0].material = m.kinds[1].material = test_material(t, w, "ball", 1, 0);
            m.kinds[0].meets_own = own;
            m.kinds[1].meets_others = !own;
            for (int i = 0; i < 4; ++i) {
                m.groups[i].kind = i == 3 ? "b" : "a";
                m.groups[i].radius = 0.1;
                m.groups[i].position = kin_v(i % 2 == 0 ? -0.3 : 0.3, i / 2, 0);
                m.groups[i].velocity.x = i % 2 == 0 ? 1 : -1;
            }
            kin_system_id id = many_add(t, w, &m);
            test_steps(t, w, 60);
            for (size_t pair = 0; pair < 2; ++pair) { /* a with a, then a with b */
                bool meet = pair == 0 ? own : !own;
                double v = kin_particle_velocity(w, id, 2 * pair).x;
                test_check(t, kin_abs(v - (meet ? -1 : 1)) < 1e-6, __FILE__, __LINE__, "contacts %d, own %d, pair %zu: v = %g", contacts, own, pair, v);
            }
            kin_world_destroy(w);
        }
    }
}

/* meets_solids = false: through the floor, alone or with another, whoever resolves contacts. */
static void ghosts_fall_through_floors(test* t)
{
    for (int contacts = KIN_CONTACTS_NONE; contacts <= KIN_CONTACTS_EXACT; ++contacts) {
        many m;
        kin_world* w = test_world(t, 0.01, kin_v(0, -10, 0));
        test_plane(t, w, kin_v(0, 0, 0), kin_v(0, 1, 0), test_material(t, w, "floor", 0.5, 0.2));
        many_begin(&m, 1, 0, 2);
        m.def.contacts = (kin_contacts)contacts;
        m.kinds[0].meets_solids = false;
        for (int i = 0; i < 2; ++i) {
            m.groups[i].position = kin_v(0.0, 0.3 + 0.2 * i, 0);
            m.groups[i].radius = 0.1;
        }
        kin_system_id id = many_add(t, w, &m);
        test_steps(t, w, 60);
        for (size_t i = 0; i < 2; ++i) CHECK(t, kin_particle_position(w, id, i).y < -1);
        kin_world_destroy(w);
    }
}

static void names_that_mean_nothing(test* t)
{
    many m;
    many_begin(&m, 2, 2, 1);
    m.kinds[0].name = "a";
    m.kinds[1].name = "b";
    m.kinds[1].splits.data = m.splits;
    m.kinds[1].splits.count = 1;
    m.splits[0].into = "c";
    MANY_REFUSED(t, &m, "kinds[1].splits", "no kind \"c\"");
    m.splits[0].into = "a";
    m.emitters[1].kind = "d";
    MANY_REFUSED(t, &m, "emitters[1].kind", "no kind \"d\"");
    m.emitters[1].kind = "b";
    m.emitters[0].collider = "wall";
    MANY_REFUSED(t, &m, "emitters[0].collider", "no collider \"wall\"");
    m.emitters[0].collider = NULL;
    m.groups[0].kind = "e";
    MANY_REFUSED(t, &m, "particles[0]", "no kind \"e\"");
    m.groups[0].kind = "b";
    m.kinds[0].draw = KIN_DRAW_MESH;
    MANY_REFUSED(t, &m, "kinds[0].mesh", "is missing");
    m.kinds[0].draw = KIN_DRAW_SPHERE;
    m.kinds[0].material.index1 = 99;
    MANY_REFUSED(t, &m, "kinds[0].material", "no such material");
    m.kinds[0].material.index1 = 0;
    m.kinds[1].life[0] = 0.5;
    m.splits[0].age[0] = 1;
    MANY_REFUSED(t, &m, "kinds[1].life", "ends before it splits");
}

static void numbers_out_of_range(test* t)
{
    many m;
    many_begin(&m, 1, 1, 0);
    m.kinds[0].splits.data = m.splits;
    m.kinds[0].splits.count = 1;
    m.splits[0].depth[0] = 65;
    MANY_REFUSED(t, &m, "kinds[0].splits[0].depth[0]", "64");
    m.splits[0].depth[0] = 1;
    m.splits[0].number[0] = 300;
    MANY_REFUSED(t, &m, "kinds[0].splits[0].number[0]", "300 must be >= 0 and <= 256");
    m.splits[0].number[0] = 2;
    m.emitters[0].aperture = 4;
    MANY_REFUSED(t, &m, "emitters[0].aperture", "3.14");
    m.emitters[0].aperture = 0;
    many_rate(&m, 0, -3);
    MANY_REFUSED(t, &m, "emitters[0].rate[0][0]", "-3");
    many_rate(&m, 0, 3);
    m.kinds[0].mass[0] = 0.0 / kin_abs(0.0);
    MANY_REFUSED(t, &m, "kinds[0].mass[0]", "nan");
}

/* A kind without mass is no particle: 1/m would not be a number. */
static void newborns_have_a_mass(test* t)
{
    many m;
    many_begin(&m, 1, 1, 0);
    m.kinds[0].mass[0] = 0;
    MANY_REFUSED(t, &m, "kinds[0].mass", "0 - 0 must be > 0");
    m.kinds[0].mass[0] = m.kinds[0].mass[1] = 2;
    MANY_REFUSED(t, &m, "kinds[0].mass", "2 - 2 must be > 0");
}

TEST_MAIN("kinds", TEST(growth_follows_its_curves), TEST(a_growing_parent_shares_its_mass), TEST(kinds_choose_whom_they_meet), TEST(ghosts_fall_through_floors),
          TEST(names_that_mean_nothing), TEST(numbers_out_of_range), TEST(newborns_have_a_mass))
