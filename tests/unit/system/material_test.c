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

static void pairs_of_their_own_replace_the_rule(test* t)
{
    kin_materials m = make(t, KIN_PAIR_AVERAGE);
    kin_material_id ids[5], none = {0};
    static const char* const names[] = {"a", "b", "c", "d", "e"};
    for (int i = 0; i < 5; ++i) ids[i] = add(t, &m, names[i], 0.1 * (i + 1), 0.2 * (i + 1));
    for (int i = 4; i >= 0; --i) { /* all pairs but those of neighbours, in an order that is not theirs */
        for (int j = 0; j <= i; ++j) {
            if (i - j == 1) continue;
            kin_material_pair_def def = kin_material_pair_def_default();
            def.a = ids[i];
            def.b = ids[j];
            def.restitution = 0.01 * (10 * i + j);
            def.dynamic_friction[1] = 5 + i + j;
            if (i == j) def.restitution = -1, def.static_friction[0] = 0.05, def.rolling_friction = 0.3;
            EQUAL(t, kin_materials_set_pair(&m, &def, NULL), KIN_OK);
        }
    }
    for (int i = 0; i < 5; ++i) {
        for (int j = 0; j < 5; ++j) {
            int high = i > j ? i : j, low = i > j ? j : i;
            kin_pair pair = kin_materials_pair(&m, ids[i], ids[j]);
            double rule_e = 0.05 * (i + j + 2), rule_mu = 0.1 * (i + j + 2);
            bool own = high - low != 1;
            NEAR(t, pair.restitution, own && i != j ? 0.01 * (10 * high + low) : rule_e, 1e-15);
            NEAR(t, pair.dynamic_friction[1], own ? 5 + i + j : rule_mu, 1e-15);
            NEAR(t, pair.static_friction[1], own ? 5 + i + j : rule_mu, 1e-15); /* not below the dynamic one */
            NEAR(t, pair.static_friction[0], i == j ? 0.05 : rule_mu, 1e-15);
            NEAR(t, pair.dynamic_friction[0], i == j ? 0.05 : rule_mu, 1e-15); /* not above the static one */
            NEAR(t, pair.rolling_friction, i == j ? 0.3 : 0, 0);
        }
    }
    NEAR(t, kin_materials_pair(&m, ids[2], none).static_friction[0], 0.05, 0); /* without a material: the other's, so the pair with itself */
    kin_material_pair_def again = kin_material_pair_def_default();
    again.a = ids[0];
    again.b = ids[2];
    again.restitution = 0.77;
    EQUAL(t, kin_materials_set_pair(&m, &again, NULL), KIN_OK);
    NEAR(t, kin_materials_pair(&m, ids[2], ids[0]).restitution, 0.77, 0);
    NEAR(t, kin_materials_pair(&m, ids[2], ids[0]).dynamic_friction[1], 0.4, 1e-15);
    kin_materials_term(&m);
}

static void bad_pairs_are_refused_by_name(test* t)
{
    kin_materials m = make(t, KIN_PAIR_AVERAGE);
    kin_error error = {0};
    kin_material_pair_def def = kin_material_pair_def_default();
    def.b.index1 = 7;
    EQUAL(t, kin_materials_set_pair(&m, &def, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "b");
    def.b.index1 = 0;
    def.static_friction[1] = 0.2;
    def.dynamic_friction[1] = 0.3;
    EQUAL(t, kin_materials_set_pair(&m, &def, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "dynamic_friction");
    def.dynamic_friction[1] = 0.1;
    def.restitution = 1e300 * 1e300;
    EQUAL(t, kin_materials_set_pair(&m, &def, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "restitution");
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

TEST_MAIN("material", TEST(pair_rules), TEST(pairs_of_their_own_replace_the_rule), TEST(bad_pairs_are_refused_by_name),
          TEST(without_a_material_the_other_counts), TEST(bad_numbers_are_refused), TEST(presets_by_name))
