/* material_test.c - the table, presets, refusals and pair rules (H3.2). */
#include "math/scalar.h"
#include "support/test.h"
#include "system/material.h"
#include <string.h>

static kin_materials make(test* t, kin_pair_rule rule)
{
    kin_materials m;
    EQUAL(t, kin_materials_init(&m, &t->allocator, rule, rule, NULL), KIN_OK);
    return m;
}

static kin_material_id add(test* t, kin_materials* m, const char* name, double e, double mu)
{
    kin_material_def def = kin_material_def_default();
    kin_material_id id = {0};
    def.name = name;
    def.restitution = e;
    for (int i = 0; i < 2; ++i) def.static_friction[i] = def.dynamic_friction[i] = mu;
    EQUAL(t, kin_materials_add(m, &def, &id, NULL), KIN_OK);
    return id;
}

static void pair_rules(test* t)
{
    static const double want[] = {0.5 * (0.2 + 0.8), 0.2, 0.8, 0.16, 0.4};
    for (int rule = 0; rule < 5; ++rule) {
        kin_materials m = make(t, (kin_pair_rule)rule);
        kin_material_id a = add(t, &m, "a", 0.2, 0.2), b = add(t, &m, "b", 0.8, 0.8);
        kin_pair pair = kin_materials_pair(&m, a, b), other = kin_materials_pair(&m, b, a);
        NEAR(t, pair.restitution, want[rule], 1e-15);
        NEAR(t, pair.dynamic_friction[1], want[rule], 1e-15);
        NEAR(t, pair.static_friction[0], other.static_friction[0], 0);
        kin_materials_term(&m);
    }
}

static void without_a_material_the_other_counts(test* t)
{
    kin_materials m = make(t, KIN_PAIR_AVERAGE);
    kin_material_id a = add(t, &m, "a", 0.9, 0.7), none = {0};
    NEAR(t, kin_materials_pair(&m, a, none).restitution, 0.9, 0);
    NEAR(t, kin_materials_pair(&m, none, a).dynamic_friction[0], 0.7, 0);
    NEAR(t, kin_materials_pair(&m, none, none).restitution, kin_material_def_default().restitution, 0);
    kin_materials_term(&m);
}

static void bad_numbers_are_refused(test* t)
{
    kin_materials m = make(t, KIN_PAIR_AVERAGE);
    kin_material_def def = kin_material_def_default();
    kin_material_id id;
    kin_error error = {0};
    def.name = "x";
    def.restitution = -0.1;
    EQUAL(t, kin_materials_add(&m, &def, &id, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "restitution");
    def.restitution = 1.2; /* flubber is allowed */
    EQUAL(t, kin_materials_add(&m, &def, &id, &error), KIN_OK);
    EQUAL(t, kin_materials_add(&m, &def, &id, &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "already");
    def.name = "y";
    def.density = 0;
    EQUAL(t, kin_materials_add(&m, &def, &id, &error), KIN_ERROR_ARGUMENT);
    def.density = 1;
    def.dynamic_friction[1] = 2;
    EQUAL(t, kin_materials_add(&m, &def, &id, &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "static_friction");
    kin_materials_term(&m);
}

static void presets_by_name(test* t)
{
    kin_materials m = make(t, KIN_PAIR_AVERAGE);
    kin_material_id a, b;
    CHECK(t, kin_materials_find(&m, "teflon", &a) && kin_materials_find(&m, "teflon", &b) && a.index1 == b.index1);
    CHECK(t, kin_materials_at(&m, a)->dynamic_friction[0] < 0.05);
    CHECK(t, !kin_materials_find(&m, "unobtainium", &a));
    for (int i = 0; i < kin_material_preset_count; ++i) CHECK(t, kin_materials_find(&m, kin_material_presets[i].def.name, &a));
    const kin_material_def* tennis = kin_material_preset("tennis_ball");
    CHECK(t, tennis->restitution >= 0.73 && tennis->restitution <= 0.76);
    kin_materials_term(&m);
}

TEST_MAIN("material", TEST(pair_rules), TEST(without_a_material_the_other_counts), TEST(bad_numbers_are_refused), TEST(presets_by_name))
