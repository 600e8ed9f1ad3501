/* pairs_api_test.c - the public questions about one form or two. */
#include "kinema/collide.h"
#include "math/quat.h"
#include "support/test.h"
#include "unit/collision/pair.h"

static void contacts_gaps_and_impacts(test* t)
{
    stage s = set(t, box(1, 1, 1), box(4, 1, 4));
    kin_manifold m;
    kin_gap gap;
    kin_impact impact;
    int count;
    EQUAL(t, kin_forms_contacts(s.a, at(0, 0.98, 0), s.b, at(0, 0, 0), 0, &m, 1, &count, NULL), KIN_OK);
    EQUAL(t, count, 1);
    EQUAL(t, m.count, 4);
    NEAR3(t, m.normal, kin_v(0, 1, 0), 1e-14);
    EQUAL(t, kin_forms_gap(s.a, at(3, 3, 0), s.b, at(0, 0, 0), &gap, NULL), KIN_OK);
    NEAR(t, gap.distance, kin_sqrt(0.5 * 0.5 + 2 * 2), 1e-9);
    NEAR3(t, gap.on_b, kin_v(2, 0.5, gap.on_b.z), 1e-9);
    EQUAL(t, kin_forms_impact(s.a, at(0, 5, 0), at(0, 0, 0), s.b, at(0, 0, 0), at(0, 0, 0), NULL, &impact, NULL), KIN_OK);
    NEAR(t, impact.t, 0.8, 1e-6);
    EQUAL(t, kin_forms_impact(s.a, at(0, 5, 0), at(0, 2, 0), s.b, at(0, 0, 0), at(0, 0, 0), NULL, &impact, NULL), KIN_OK);
    EQUAL(t, impact.kind, KIN_IMPACT_NONE);
    clear(&s);
}

static void one_form_is_asked(test* t)
{
    stage s = set(t, (kin_shape){.kind = KIN_SHAPE_CYLINDER, .radius = 1, .length = 2}, (kin_shape){.kind = KIN_SHAPE_PLANE, .normal = {0, 1, 0}});
    kin_form_hit hit;
    CHECK(t, kin_form_ray(s.a, at(5, 0, 0), kin_v(0, 0, 0), kin_v(2, 0, 0), 10, &hit));
    NEAR(t, hit.distance, 2, 1e-12);
    NEAR3(t, hit.normal, kin_v(-1, 0, 0), 1e-12);
    CHECK(t, kin_form_closest(s.a, at(5, 0, 0), kin_v(5, 3, 0), 5, &hit));
    NEAR(t, hit.distance, 2, 1e-12);
    CHECK(t, !kin_form_closest(s.a, at(5, 0, 0), kin_v(5, 3, 0), 1, &hit));
    kin_mass_properties mass;
    EQUAL(t, kin_form_mass(s.a, 1000, &mass, NULL), KIN_OK);
    NEAR(t, mass.mass, 1000 * 2 * KIN_PI, 1e-9);
    NEAR(t, mass.inertia.cy.y, 0.5 * mass.mass, 1e-9);
    kin_error error = {0};
    CHECK(t, kin_form_mass(s.b, 1000, &mass, &error) != KIN_OK);
    HAS(t, error.message, "no volume");
    kin_gap gap;
    CHECK(t, kin_forms_gap(s.a, at(0, 0, 0), s.b, at(0, 0, 0), &gap, &error) != KIN_OK);
    TEXT(t, error.where, "b");
    clear(&s);
}

TEST_MAIN("pairs api", TEST(contacts_gaps_and_impacts), TEST(one_form_is_asked))
