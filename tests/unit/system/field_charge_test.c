/* field_charge_test.c - uniform electric and magnetic fields. */
#include "field_lab.h"

static void forces_follow_the_charge(test* t)
{
    lab l;
    kin_electric_field e;
    kin_magnetic_field m;
    kin_field_default("electric", &e);
    kin_field_default("magnetic", &m);
    e.electric = kin_v(1, -2, 3);
    m.magnetic = kin_v(0.5, 4, -1);
    lab_begin(t, &l, kin_simd_best());
    EQUAL(t, lab_add(&l, "electric", &e, NULL), KIN_OK);
    EQUAL(t, lab_add(&l, "magnetic", &m, NULL), KIN_OK);
    CHECK(t, (l.fields.wants & KIN_FIELD_WANTS_CHARGE) != 0);
    lab_evaluate(&l);
    for (int i = 0; i < LAB; ++i) {
        kin_vec3 force = kin_scale(kin_add(e.electric, kin_cross(lab_vec(l.v, i), m.magnetic)), l.charge[i]);
        NEAR3(t, lab_vec(l.a, i), kin_scale(force, l.inv_mass[i]), 1e-14);
    }
    lab_end(&l);
}

/* Period 2 pi m / (q B), by turning the velocity exactly as the force would over small steps (midpoint: |v| errs by O(h^4), the phase by O(h^2)). */
static void a_magnet_makes_circles(test* t)
{
    lab l;
    kin_magnetic_field m;
    kin_field_default("magnetic", &m);
    m.magnetic = kin_v(0, 0, 2);
    lab_begin(t, &l, kin_simd_best());
    EQUAL(t, lab_add(&l, "magnetic", &m, NULL), KIN_OK);
    kin_vec3 x = {0, 0, 0}, v = {1, 0, 0.5};
    l.charge[0] = 3;
    const int steps = 4000;
    const double h = 2 * KIN_PI / (2 * 3) / steps;
    for (int i = 0; i < steps; ++i) {
        kin_vec3 half = kin_add_scaled(v, 0.5 * h, lab_at(&l, x, v));
        v = kin_add_scaled(v, h, lab_at(&l, x, half));
        x = kin_add_scaled(x, h, half);
    }
    NEAR3(t, v, kin_v(1, 0, 0.5), 1e-5);
    NEAR3(t, x, kin_v(0, 0, 0.5 * KIN_PI / 3), 1e-5);
    lab_end(&l);
}

static void without_charges_nothing_is_felt(test* t)
{
    lab l;
    kin_electric_field e;
    kin_field_default("electric", &e);
    e.electric = kin_v(1, 2, 3);
    lab_begin(t, &l, kin_simd_best());
    EQUAL(t, lab_add(&l, "electric", &e, NULL), KIN_OK);
    kin_field_batch b = lab_batch(&l);
    b.charge = NULL;
    kin_fields_evaluate(&l.fields, &b);
    for (int i = 0; i < LAB; ++i) NEAR3(t, lab_vec(l.a, i), kin_v(0, 0, 0), 0);
    lab_end(&l);
}

static void every_width_gives_the_same_bits(test* t)
{
    kin_electric_field e;
    kin_magnetic_field m;
    kin_field_default("electric", &e);
    kin_field_default("magnetic", &m);
    e.electric = m.magnetic = kin_v(0.3, -0.7, 0.9);
    lab_same_bits(t, "electric", &e);
    lab_same_bits(t, "magnetic", &m);
}

TEST_MAIN("field_charge", TEST(forces_follow_the_charge), TEST(a_magnet_makes_circles), TEST(without_charges_nothing_is_felt),
          TEST(every_width_gives_the_same_bits))
