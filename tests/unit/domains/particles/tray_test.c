/* tray_test.c - particles on a tray that hangs by springs: they come to rest, and once there nothing is lost any more. */
#include "base/rng.h"
#include "many.h"

enum { CASES = 6 };

typedef struct tray {
    kin_world* world;
    kin_system_id balls, body;
    double weight; /* N, of all balls */
} tray;

static tray begin(test* t, uint64_t seed, double lightest, double heaviest)
{
    kin_rng_key key = {.seed = seed};
    tray s = {.world = test_world(t, 1.0 / 60, kin_v(0, -10, 0))};
    kin_material_id material = test_material(t, s.world, "m", 0.3, 0.5);
    kin_rigid_def def = kin_rigid_def_default();
    kin_body_def body = kin_body_def_default();
    def.mode = seed % 2 == 0 ? KIN_RIGID_EXACT : KIN_RIGID_REALTIME;
    EQUAL(t, kin_rigid_create(s.world, &def, &s.body, NULL), KIN_OK);
    body.shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = {1.2, 0.1, 1.2}};
    body.mass = 2;
    body.material = material;
    body.stays_awake = true;
    test_body(t, s.world, s.body, &body);
    double stiffness = kin_rng_uniform(&key, 0, 100, 1000), ratio = kin_rng_uniform(&key, 1, 0.4, 1);
    for (int i = 0; i < 4; ++i) {
        kin_attachment_def held = kin_attachment_def_default();
        kin_vec3 corner = {i % 2 == 0 ? 0.5 : -0.5, 0, i / 2 == 0 ? 0.5 : -0.5};
        held.a = (kin_anchor){s.body.index1, 0, corner};
        held.to_point = true;
        held.point = kin_add(corner, kin_v(0, 1, 0));
        held.stiffness = stiffness;
        held.damping_ratio = ratio;
        held.rest = 1;
        EQUAL(t, kin_world_add_attachment(s.world, &held, NULL, NULL), KIN_OK);
    }
    many m;
    size_t count = 1 + seed % 3;
    many_begin(&m, 1, 0, count);
    m.def.contacts = (kin_contacts)(seed / 2 % 3);
    for (uint32_t i = 0; i < count; ++i) {
        m.groups[i].position = kin_v(0.2 * i - 0.2, kin_rng_uniform(&key, 10 + i, 0.1, 0.4), 0.05 * i);
        m.groups[i].radius = 0.05;
        m.groups[i].mass = kin_rng_uniform(&key, 20 + i, lightest, heaviest);
        m.groups[i].material = material;
        s.weight += 10 * m.groups[i].mass;
    }
    s.balls = many_add(t, s.world, &m);
    return s;
}

/* Before, a ball of m lost m (g h)^2 / 2 in every step for ever: m x 0.8 J/s. */
static void they_come_to_rest(test* t)
{
    for (uint64_t seed = 0; seed < CASES; ++seed) {
        tray s = begin(t, seed, 0.02, 0.2);
        test_steps(t, s.world, 300);
        double lost = measured(s.world, s.balls, "dissipated_energy");
        test_steps(t, s.world, 60);
        lost = measured(s.world, s.balls, "dissipated_energy") - lost;
        test_check(t, lost <= 1e-4 * s.weight && lost >= -1e-9, __FILE__, __LINE__, "seed %d: %g J in 1 s, of %g N", (int)seed, lost, s.weight);
        double moves = measured(s.world, s.balls, "kinetic_energy");
        double wait = 0.05 * s.weight * kin_square(10 / 60.0); /* several may wait at the tray for a part of an interval: slower than g h */
        test_check(t, moves < (seed % 3 == 0 ? 1e-4 * s.weight : wait), __FILE__, __LINE__, "seed %d: %g J, of %g N", (int)seed, moves, s.weight);
        kin_world_destroy(s.world);
    }
}

TEST_MAIN("particles_tray", TEST(they_come_to_rest))
