/* groups_test.c - the particles a system begins with, and the springs between them. */
#include "many.h"

static void forms_fill_their_space(test* t)
{
    static const kin_particle_form forms[] = {KIN_FORM_BOX, KIN_FORM_BALL, KIN_FORM_PLUMMER, KIN_FORM_DISK};
    for (int f = 0; f < 4; ++f) {
        many m;
        kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
        many_begin(&m, 1, 0, 1);
        m.groups[0].count = 2000;
        m.groups[0].form = forms[f];
        m.groups[0].box = kin_v(2, 2, 2);
        m.groups[0].position = kin_v(5, 0, 0);
        m.groups[0].mass = 0.0005;
        m.groups[0].center_mass = 3;
        kin_system_id id = many_add(t, w, &m);
        kin_particles_view view = kin_particles_state(w, id);
        kin_vec3 mean = {0, 0, 0}, spin = {0, 0, 0};
        double furthest = 0;
        EQUAL(t, view.count, 2000);
        for (size_t i = 0; i < view.count; ++i) {
            kin_vec3 r = kin_sub(kin_particle_position(w, id, i), kin_v(5, 0, 0));
            mean = kin_add_scaled(mean, 1.0 / 2000, r);
            spin = kin_add_scaled(spin, 1.0 / 2000, kin_cross(r, kin_particle_velocity(w, id, i)));
            furthest = kin_max(furthest, kin_length(r));
        }
        NEAR(t, kin_length(mean), 0, forms[f] == KIN_FORM_PLUMMER ? 0.3 : 0.15); /* five deviations over sqrt(n) */
        if (forms[f] == KIN_FORM_BALL) CHECK(t, furthest <= 1 && furthest > 0.95);
        if (forms[f] == KIN_FORM_BOX) CHECK(t, furthest <= kin_sqrt(3));
        if (forms[f] == KIN_FORM_DISK) CHECK(t, kin_abs(spin.y) > 1 && kin_abs(spin.x) < 0.1 * kin_abs(spin.y));
        NEAR(t, view.mass[0], forms[f] == KIN_FORM_DISK ? 3 : 0.0005, 0);
        kin_world_destroy(w);
    }
}

static void bad_springs_are_refused(test* t)
{
    many m;
    kin_particle_spring springs[2] = {{.a = 0, .b = 1, .stiffness = 10, .rest = -1}, {.a = 0, .b = 1, .stiffness = 10, .rest = -1}};
    many_begin(&m, 1, 0, 2);
    m.groups[1].position.x = 1;
    m.def.springs.data = springs;
    m.def.springs.count = 2;
    springs[1].b = 2;
    MANY_REFUSED(t, &m, "springs[1]", "joins 0 and 2, but the particles count from 0 to 1");
    springs[1].b = 0;
    MANY_REFUSED(t, &m, "springs[1]", "to itself");
    springs[1].b = 1;
    springs[0].relative = true;
    springs[0].rest = 0;
    MANY_REFUSED(t, &m, "springs[0]", "has no length");
    springs[0].relative = false;
    springs[0].stiffness = -1;
    MANY_REFUSED(t, &m, "springs[0].stiffness", "-1");
}

/* X3 1b: a damping ratio is of the two masses on their spring: x(t) of the relative motion is known. */
static void a_ratio_damps_as_it_says(test* t)
{
    static const double ratios[] = {0.1, 0.5};
    for (int i = 0; i < 2; ++i) {
        many m;
        kin_world* w = test_world(t, 0.001, kin_v(0, 0, 0));
        double k = 50, mu = 2.0 * 3 / 5, omega = kin_sqrt(k / mu), turning = omega * kin_sqrt(1 - ratios[i] * ratios[i]), time = 0.3;
        kin_particle_spring spring = {.a = 0, .b = 1, .stiffness = k, .ratio = ratios[i], .rest = 1};
        many_begin(&m, 1, 0, 2);
        many_integrator(&m, "rk4");
        m.groups[0].mass = 2;
        m.groups[1].mass = 3;
        m.groups[1].position.x = 1.2;
        m.def.springs.data = &spring;
        m.def.springs.count = 1;
        kin_system_id id = many_add(t, w, &m);
        NEAR(t, measured(w, id, "potential_energy"), 0.5 * k * 0.04, 1e-12);
        test_steps(t, w, 300);
        double decay = kin_exp(-ratios[i] * omega * time),
               stretch = 0.2 * decay * (kin_cos(turning * time) + ratios[i] * omega / turning * kin_sin(turning * time));
        NEAR(t, kin_distance(kin_particle_position(w, id, 0), kin_particle_position(w, id, 1)), 1 + stretch, 1e-9); /* rk4: (omega h)^4 */
        kin_world_destroy(w);
    }
}

/* Relative stiffness: two springs of half the length in a row are as one. */
static void relative_springs_may_be_cut(test* t)
{
    double length[2];
    for (int cut = 0; cut <= 1; ++cut) {
        many m;
        kin_world* w = test_world(t, 0.01, kin_v(0, -10, 0));
        kin_particle_spring springs[2] = {{.a = 0, .b = 1, .stiffness = 100, .relative = true, .ratio = 1, .rest = -1},
                                          {.a = 1, .b = 2, .stiffness = 100, .relative = true, .ratio = 1, .rest = -1}};
        many_begin(&m, 1, 0, cut ? 3 : 2);
        many_integrator(&m, "implicit_euler");
        for (int i = 1; i <= 1 + cut; ++i) m.groups[i].position.y = cut ? -0.5 * i : -1;
        m.groups[0].mobility = KIN_MOBILITY_STATIC;
        if (cut) m.groups[1].mass = 1e-6;
        m.def.springs.data = springs;
        m.def.springs.count = 1 + (size_t)cut;
        kin_system_id id = many_add(t, w, &m);
        test_steps(t, w, 3000);
        length[cut] = -kin_particle_position(w, id, 1 + (size_t)cut).y;
        kin_world_destroy(w);
    }
    NEAR(t, length[0], 1.1, 1e-6); /* m g / (k / L) */
    NEAR(t, length[1], length[0], 1e-6);
}

/* Springs end with their particles: a newborn in the slot is free. */
static void springs_die_with_their_ends(test* t)
{
    many m;
    kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
    kin_particle_spring spring = {.a = 0, .b = 1, .stiffness = 100, .rest = 0.5};
    many_begin(&m, 1, 1, 2);
    m.kinds[0].life[0] = 1000;
    m.groups[1].position.x = 1;
    m.groups[1].life = 0.05;
    m.emitters[0].burst = 1;
    m.emitters[0].start = 0.1;
    m.emitters[0].position = kin_v(7, 0, 0);
    m.def.springs.data = &spring;
    m.def.springs.count = 1;
    kin_system_id id = many_add(t, w, &m);
    test_steps(t, w, 15);
    size_t newborn = slot_of(w, id, 2);
    EQUAL(t, newborn, 1); /* the slot of the dead */
    kin_vec3 v = kin_particle_velocity(w, id, 0);
    test_steps(t, w, 50);
    NEAR3(t, kin_particle_position(w, id, newborn), kin_v(7, 0, 0), 0);
    NEAR3(t, kin_particle_velocity(w, id, 0), v, 0);
    NEAR(t, measured(w, id, "potential_energy"), 0, 0);
    kin_world_destroy(w);
}

/* Who is made inactive lets go of its springs, and takes them up again. */
static void springs_follow_who_takes_part(test* t)
{
    many m;
    kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
    kin_particle_spring springs[2] = {{.a = 0, .b = 1, .stiffness = 100, .rest = -1}, {.a = 1, .b = 2, .stiffness = 100, .rest = -1}};
    many_begin(&m, 1, 0, 3);
    for (int i = 0; i < 3; ++i) m.groups[i].position.x = i;
    m.def.springs.data = springs;
    m.def.springs.count = 2;
    kin_system_id id = many_add(t, w, &m);
    test_steps(t, w, 5);
    kin_anchor first = {id.index1, 0, {0, 0, 0}};
    EQUAL(t, kin_world_set_mobility(w, first, KIN_MOBILITY_INACTIVE, NULL), KIN_OK);
    test_steps(t, w, 50);
    for (size_t i = 0; i < 3; ++i) NEAR3(t, kin_particle_position(w, id, i), kin_v((double)i, 0, 0), 1e-12); /* nothing is stretched */
    EQUAL(t, kin_world_place(w, first, kin_v(-0.5, 0, 0), kin_v(0, 0, 0), NULL), KIN_OK);
    EQUAL(t, kin_world_set_mobility(w, first, KIN_MOBILITY_STATIC, NULL), KIN_OK);
    test_steps(t, w, 5);
    CHECK(t, kin_particle_velocity(w, id, 1).x < -0.1);
    kin_world_destroy(w);
}

TEST_MAIN("groups", TEST(forms_fill_their_space), TEST(bad_springs_are_refused), TEST(a_ratio_damps_as_it_says), TEST(relative_springs_may_be_cut),
          TEST(springs_die_with_their_ends), TEST(springs_follow_who_takes_part))
