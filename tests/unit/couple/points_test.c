/* points_test.c - particles of two systems that meet: the impulse of both, whatever their order, and nothing between systems that do not ask for it. */
#include "base/rng.h"
#include "math/random.h"
#include "points.h"
#include <math.h>

typedef struct crowd {
    kin_world* world;
    kin_system_id a, b;
} crowd;

/* n spheres of each, with masses, radii and speeds of their own; swapped: the second system is made first. */
static kin_system_id add_side(test* t, kin_world* w, const char* name, uint64_t seed, int n, double spread, kin_material_id material, kin_contacts contacts)
{
    kin_particle_group groups[32];
    kin_particles_def def = kin_particles_def_default();
    kin_system_id id = {0};
    for (int i = 0; i < n; ++i) {
        kin_rng_key key = {.seed = seed, .serial = (uint64_t)i};
        groups[i] = kin_particle_group_default();
        groups[i].position = kin_rng_sphere(&key, 1, spread);
        groups[i].velocity = kin_rng_sphere(&key, 2, 3);
        groups[i].mass = exp(kin_rng_uniform(&key, 3, -3, 3));
        groups[i].radius = kin_rng_uniform(&key, 4, 0.05, 0.15);
        groups[i].material = material;
    }
    def.name = name;
    def.contacts = contacts;
    def.groups = groups;
    def.group_count = (size_t)n;
    CHECK(t, kin_particles_create(w, &def, &id, NULL) == KIN_OK);
    return id;
}

static crowd begin(test* t, uint64_t seed, int n, double spread, double restitution, double friction, bool swapped, kin_contacts contacts)
{
    crowd c = {.world = test_world(t, 0.01, kin_v(0, 0, 0))};
    kin_material_id m = test_material(t, c.world, "m", restitution, friction);
    if (swapped) c.b = add_side(t, c.world, "b", 2 * seed + 1, n, spread, m, contacts);
    c.a = add_side(t, c.world, "a", 2 * seed, n, spread, m, contacts);
    if (!swapped) c.b = add_side(t, c.world, "b", 2 * seed + 1, n, spread, m, contacts);
    return c;
}

typedef struct sums {
    double energy;
    kin_vec3 momentum;
} sums;

static void add_sums(kin_world* w, kin_system_id id, sums* s)
{
    kin_particles_view v = kin_particles_state(w, id);
    for (size_t i = 0; i < v.count; ++i) {
        kin_vec3 u = {v.vx[i], v.vy[i], v.vz[i]};
        s->energy += 0.5 * v.mass[i] * kin_length2(u);
        s->momentum = kin_add_scaled(s->momentum, v.mass[i], u);
    }
}

static sums sums_of(const crowd* c)
{
    sums s = {0};
    add_sums(c->world, c->a, &s);
    add_sums(c->world, c->b, &s);
    return s;
}

static double booked(kin_world* w, kin_system_id id)
{
    kin_measure list[40];
    size_t count = kin_world_measure(w, id.index1, list, 40);
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(list[i].name, "dissipated_energy") == 0) return list[i].value;
    }
    return -1e300;
}

static kin_system_id add_one(test* t, kin_world* w, const char* name, kin_vec3 x, kin_vec3 v, double mass, double radius, kin_material_id material)
{
    kin_particle_group group = kin_particle_group_default();
    kin_particles_def def = kin_particles_def_default();
    kin_system_id id = {0};
    group.position = x;
    group.velocity = v;
    group.mass = mass;
    group.radius = radius;
    group.material = material;
    def.name = name;
    def.contacts = KIN_CONTACTS_EXACT;
    def.groups = &group;
    def.group_count = 1;
    CHECK(t, kin_particles_create(w, &def, &id, NULL) == KIN_OK);
    return id;
}

/* Coutinho 3.5.1: masses 2 and 1, closing at 3, e = 0.5: P = 3, and both numbers of the book; also across, sticking and sliding; and faster than a diameter a step. */
static void one_pair_by_the_book(test* t)
{
    static const struct {
        double mu, tangent[2];
    } rows[] = {{0, {2, 0}}, {0.2, {1.7, 0.6}}, {0.8, {4.0 / 3, 4.0 / 3}}};
    for (int row = 0; row < 3; ++row) {
        for (double h = 0.001; h < 2; h *= 10) {
            kin_world* w = test_world(t, h, kin_v(0, 0, 0));
            kin_material_id m = test_material(t, w, "m", 0.5, rows[row].mu);
            kin_system_id a = add_one(t, w, "a", kin_v(0.2 + 3e-4, -2e-4, 0), kin_v(-3, 2, 0), 2, 0.1, m),
                          b = add_one(t, w, "b", kin_v(0, 0, 0), kin_v(0, 0, 0), 1, 0.1, m);
            test_steps(t, w, 1);
            NEAR3(t, kin_particle_velocity(w, a, 0), kin_v(-1.5, rows[row].tangent[0], 0), 2e-3);
            NEAR3(t, kin_particle_velocity(w, b, 0), kin_v(-3, rows[row].tangent[1], 0), 2e-3);
            kin_world_destroy(w);
        }
    }
}

/* Momentum is exact, energy is not gained and what is lost is in the books, and the systems may be made in either order. */
static void crowds_keep_their_sums(test* t)
{
    for (uint64_t seed = 0; seed < 100; ++seed) {
        kin_rng_key key = {.seed = seed};
        double e = seed % 3 == 0 ? 1 : kin_rng_uniform(&key, 0, 0, 1), friction = seed % 2 == 0 ? 0 : kin_rng_uniform(&key, 1, 0, 1);
        crowd one = begin(t, seed, 16, 0.6, e, friction, false, KIN_CONTACTS_FAST), two = begin(t, seed, 16, 0.6, e, friction, true, KIN_CONTACTS_FAST);
        sums before = sums_of(&one);
        test_steps(t, one.world, 1);
        test_steps(t, two.world, 1);
        sums after = sums_of(&one);
        NEAR3(t, after.momentum, before.momentum, 1e-11);
        test_check(t, after.energy <= before.energy * (1 + 1e-9) + 0.01, __FILE__, __LINE__, "seed %d e %g mu %g: %g of %g", (int)seed, e, friction,
                   after.energy, before.energy);
        kin_particles_view va = kin_particles_state(one.world, one.a), vb = kin_particles_state(two.world, two.a);
        for (size_t i = 0; i < va.count; ++i) NEAR3(t, kin_v(va.vx[i], va.vy[i], va.vz[i]), kin_v(vb.vx[i], vb.vy[i], vb.vz[i]), 1e-9);
        kin_world_destroy(one.world);
        kin_world_destroy(two.world);
    }
}

/* One after the other, far apart: every loss is booked. */
static void losses_are_booked(test* t)
{
    for (uint64_t seed = 0; seed < 20; ++seed) {
        kin_rng_key key = {.seed = seed};
        kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
        kin_material_id m = test_material(t, w, "m", kin_rng_uniform(&key, 0, 0, 1), kin_rng_uniform(&key, 1, 0, 1));
        kin_vec3 aside = kin_rng_sphere(&key, 2, 0.05);
        crowd c = {.world = w};
        c.a = add_one(t, w, "a", kin_add(kin_v(0.5, 0, 0), aside), kin_v(-4, 0, 0), 1 + 5.0 * (double)(seed % 2), 0.1, m);
        c.b = add_one(t, w, "b", kin_v(0, 0, 0), kin_v(1, 0.5, 0), 2, 0.1, m);
        sums before = sums_of(&c);
        test_steps(t, w, 20);
        sums after = sums_of(&c);
        CHECK(t, before.energy - after.energy > 0 || seed == 0);
        NEAR(t, booked(w, c.a) + booked(w, c.b), before.energy - after.energy, 1e-9 * before.energy);
        NEAR3(t, after.momentum, before.momentum, 1e-12);
        kin_world_destroy(w);
    }
}

static void not_unless_both_ask(test* t)
{
    crowd c = begin(t, 3, 16, 0.3, 0.5, 0, false, KIN_CONTACTS_NONE);
    sums before = sums_of(&c);
    test_steps(t, c.world, 10);
    NEAR(t, sums_of(&c).energy, before.energy, 0);
    kin_world_destroy(c.world);
}

TEST_MAIN("points", TEST(one_pair_by_the_book), TEST(crowds_keep_their_sums), TEST(losses_are_booked), TEST(not_unless_both_ask))
