/* exchange_test.c - what particles and rigid bodies do to each other: momentum and angular momentum of both, with what is on its way in the ledger; hits by
 * effective mass; a particle's weight on what carries it. In both modes of bodies (C3.4.2, C3.6, C4.12). */
#include "kinema/rigid.h"
#include "math/quat.h"
#include "support/test.h"
#include "support/world.h"
#include "world/world.h"
#include <string.h>

static const kin_rigid_mode modes[] = {KIN_RIGID_REALTIME, KIN_RIGID_EXACT};
#define FLOAT_EPS 0x1p-23 /* real time keeps velocities as floats: what a step may round away, of each body's own */

typedef struct yard {
    test* t;
    kin_world* world;
    kin_system_id bodies, particles;
    kin_material_id material;
    kin_rigid_mode mode;
} yard;

static yard open_yard(test* t, kin_rigid_mode mode, kin_vec3 gravity, double restitution, double friction)
{
    yard y = {.t = t, .mode = mode};
    kin_rigid_def rigid = kin_rigid_def_default();
    rigid.mode = mode;
    rigid.sleep = false;
    y.world = test_world(t, 1.0 / 120, gravity);
    y.material = test_material(t, y.world, "stuff", restitution, friction);
    CHECK(t, kin_rigid_create(y.world, &rigid, &y.bodies, NULL) == KIN_OK);
    return y;
}

static uint32_t add_body(yard* y, kin_shape shape, double mass, kin_vec3 position, kin_vec3 velocity)
{
    return test_plain_body(y->t, y->world, y->bodies, y->material, shape, mass, position, velocity);
}

static void add_particles(yard* y, kin_particle_group group)
{
    kin_particles_def def = kin_particles_def_default();
    kin_error error = {0};
    group.material = y->material;
    def.groups = &group;
    def.group_count = 1;
    test_check(y->t, kin_particles_create(y->world, &def, &y->particles, &error) == KIN_OK, __FILE__, __LINE__, "%s", error.message);
}

static void add_particle(yard* y, double mass, kin_vec3 position, kin_vec3 velocity)
{
    kin_particle_group group = kin_particle_group_default();
    group.mass = mass;
    group.radius = 0;
    group.position = position;
    group.velocity = velocity;
    add_particles(y, group);
}

/* ---- totals ---- */

typedef struct totals {
    kin_vec3 momentum, angular;
} totals;

static void add_measured(const kin_world* world, kin_system_id system, totals* sum)
{
    static const char* const names[6] = {"momentum_x", "momentum_y", "momentum_z", "angular_momentum_x", "angular_momentum_y", "angular_momentum_z"};
    double* const to[6] = {&sum->momentum.x, &sum->momentum.y, &sum->momentum.z, &sum->angular.x, &sum->angular.y, &sum->angular.z};
    kin_measure list[64];
    size_t count = kin_world_measure(world, system.index1, list, 64);
    for (size_t i = 0; i < count && i < 64; ++i) {
        for (int k = 0; k < 6; ++k) {
            if (strcmp(list[i].name, names[k]) == 0) *to[k] += list[i].value;
        }
    }
}

/* What bodies are still owed, about the origin. */
static void add_carried(const kin_world* world, kin_system_id system, totals* sum)
{
    const kin_ledger* ledger = &world->ledger;
    for (size_t i = 0; i < ledger->count; ++i) {
        const kin_entry* e = &ledger->entries[i];
        if (e->a.system != system.index1) continue;
        kin_vec3 impulse = kin_sub(e->total.impulse, e->pushed_a.impulse), angular = kin_sub(e->total.angular, e->pushed_a.angular);
        sum->momentum = kin_add(sum->momentum, impulse);
        sum->angular = kin_add(sum->angular, kin_add(angular, kin_cross(e->point, impulse)));
    }
}

static totals totals_of(const yard* y)
{
    totals sum = {0};
    add_measured(y->world, y->bodies, &sum);
    add_measured(y->world, y->particles, &sum);
    add_carried(y->world, y->bodies, &sum);
    return sum;
}

/* ---- laws ---- */

/* Three hundred particles on a free cube, off its middle: it moves away and spins; nothing is lost. A cube, for then spin and angular momentum are parallel and
 * float spins are the only rounding. */
static void jet_law(test* t, kin_rigid_mode mode, double friction)
{
    enum { STEPS = 150 };
    yard y = open_yard(t, mode, kin_v(0, 0, 0), 0.4, friction);
    uint32_t cube = add_body(&y, (kin_shape){.kind = KIN_SHAPE_BOX, .size = {1, 1, 1}}, 2, kin_v(0.2, 0.1, -0.3), kin_v(0, 0, 0));
    kin_particle_group jet = kin_particle_group_default();
    jet.count = 300;
    jet.mass = 0.01;
    jet.radius = 0; /* a larger one is pushed at its middle and pushes with its skin: friction then turns a little too much */
    jet.position = kin_v(-4, 0.35, -0.2);
    jet.box = kin_v(5, 0.3, 0.3);
    jet.velocity = kin_v(5, 0, 0);
    add_particles(&y, jet);
    totals start = totals_of(&y);
    double scale = kin_length(start.momentum), bound = mode == KIN_RIGID_REALTIME ? STEPS * FLOAT_EPS * scale : 1e-12 * scale;
    double place = 1e-6 * scale; /* m: how well the place of a hit is known */
    for (int i = 0; i < STEPS; ++i) {
        test_steps(t, y.world, 1);
        totals now = totals_of(&y);
        if (!NEAR3(t, now.momentum, start.momentum, bound) || !NEAR3(t, now.angular, start.angular, 5 * bound + place)) break; /* 5 m: the arms */
    }
    kin_body_state s = kin_rigid_state(y.world, y.bodies, cube);
    CHECK(t, s.velocity.x > 1); /* 15 kg m/s came, most of it on the cube: it did happen */
    CHECK(t, kin_length(s.spin) > 0.3);
    kin_world_destroy(y.world);
}
static void a_jet_gives_a_box_what_it_loses(test* t)
{
    for (int m = 0; m < 2; ++m) jet_law(t, modes[m], 0), jet_law(t, modes[m], 0.5);
}

/* The carried part is seen: without it the sum is not even. */
static void what_is_on_its_way_counts(test* t)
{
    yard y = open_yard(t, KIN_RIGID_REALTIME, kin_v(0, 0, 0), 1, 0);
    add_body(&y, (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 0.5}, 1, kin_v(0, 0, 0), kin_v(0, 0, 0));
    add_particle(&y, 1, kin_v(-1, 0, 0), kin_v(3, 0, 0));
    bool seen = false;
    for (int i = 0; i < 60; ++i) {
        test_steps(t, y.world, 1);
        kin_wrench due = kin_ledger_carried(&y.world->ledger, y.bodies.index1);
        if (kin_length(due.impulse) > 0) {
            NEAR3(t, due.impulse, kin_v(3, 0, 0), 1e-12);
            NEAR3(t, kin_rigid_state(y.world, y.bodies, 0).velocity, kin_v(0, 0, 0), 0);
            NEAR3(t, kin_particle_velocity(y.world, y.particles, 0), kin_v(0, 0, 0), 1e-12);
            seen = true;
        }
        NEAR3(t, totals_of(&y).momentum, kin_v(3, 0, 0), 3 * FLOAT_EPS);
    }
    CHECK(t, seen);
    kin_world_destroy(y.world);
}

/* Head on: velocities by the two masses alone. m1 v1 + m2 v2 and -e of the approach give both. */
static void head_on_law(test* t, kin_rigid_mode mode, double mass, double body_mass, double e)
{
    yard y = open_yard(t, mode, kin_v(0, 0, 0), e, 0.4);
    double v = 3, u = -0.5;
    add_body(&y, (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 0.5}, body_mass, kin_v(0, 0, 0), kin_v(u, 0, 0));
    add_particle(&y, mass, kin_v(-1, 0, 0), kin_v(v, 0, 0));
    test_steps(t, y.world, 60);
    double middle = (mass * v + body_mass * u) / (mass + body_mass), away = e * (v - u) / (mass + body_mass);
    NEAR3(t, kin_particle_velocity(y.world, y.particles, 0), kin_v(middle - away * body_mass, 0, 0), 4 * FLOAT_EPS * v);
    NEAR3(t, kin_rigid_state(y.world, y.bodies, 0).velocity, kin_v(middle + away * mass, 0, 0), 60 * FLOAT_EPS * v);
    NEAR3(t, kin_rigid_state(y.world, y.bodies, 0).spin, kin_v(0, 0, 0), 1e-6);
    kin_world_destroy(y.world);
}
static void equal_masses_head_on_swap_velocities(test* t)
{
    for (int m = 0; m < 2; ++m) {
        head_on_law(t, modes[m], 1, 1, 1);
        head_on_law(t, modes[m], 0.1, 2, 0.5);
        head_on_law(t, modes[m], 0.5, 2, 0.8);
        head_on_law(t, modes[m], 5, 0.5, 0.2);
    }
}

/* Off the middle of a smooth box the mass that is met is 1 / (1/M + c^2/I). */
static void off_the_middle_a_box_is_lighter(test* t)
{
    for (int m = 0; m < 2; ++m) {
        const double M = 2, c = 0.3, mass = 0.5, v = 4, e = 0.6;
        yard y = open_yard(t, modes[m], kin_v(0, 0, 0), e, 0);
        uint32_t box = add_body(&y, (kin_shape){.kind = KIN_SHAPE_BOX, .size = {0.4, 1, 0.6}}, M, kin_v(0, 0, 0), kin_v(0, 0, 0));
        add_particle(&y, mass, kin_v(-1, c, 0), kin_v(v, 0, 0));
        double inertia = M * (0.4 * 0.4 + 1) / 12, impulse = (1 + e) * v / (1 / mass + 1 / M + c * c / inertia);
        for (int i = 0; i < 60 && kin_rigid_state(y.world, y.bodies, box).velocity.x == 0; ++i) test_steps(t, y.world, 1);
        NEAR(t, kin_rigid_state(y.world, y.bodies, box).velocity.x, impulse / M, 4 * FLOAT_EPS * v);
        NEAR3(t, kin_rigid_state(y.world, y.bodies, box).spin, kin_v(0, 0, -c * impulse / inertia), 1e-5);
        NEAR(t, kin_particle_velocity(y.world, y.particles, 0).x, v - impulse / mass, 4 * FLOAT_EPS * v);
        kin_world_destroy(y.world);
    }
}

/* A tray on a spring, with a particle that has come to rest on it: the spring bears both. */
static void tray_law(test* t, kin_rigid_mode mode)
{
    const double tray = 2, load = 1, k = 400, g = 9.81;
    yard y = open_yard(t, mode, kin_v(0, -g, 0), 0, 0.5);
    uint32_t plate = add_body(&y, (kin_shape){.kind = KIN_SHAPE_BOX, .size = {1, 0.1, 1}}, tray, kin_v(0, 0, 0), kin_v(0, 0, 0));
    kin_joint_def slider = kin_joint_def_default();
    slider.kind = KIN_JOINT_SLIDER;
    slider.a = plate;
    slider.b = -1;
    slider.axis = kin_v(0, 1, 0);
    slider.freedom[0] = (kin_joint_freedom){.stiffness = k, .damping = 60};
    CHECK(t, kin_rigid_add_joint(y.world, y.bodies, &slider, NULL, NULL) == KIN_OK);
    add_particle(&y, load, kin_v(0.2, 0.06, 0.1), kin_v(0, 0, 0));
    test_steps(t, y.world, 480);
    kin_vec3 x = kin_particle_position(y.world, y.particles, 0);
    NEAR(t, kin_rigid_state(y.world, y.bodies, plate).pose.position.y, -(tray + load) * g / k, 1e-3);
    NEAR(t, x.y - kin_rigid_state(y.world, y.bodies, plate).pose.position.y, 0.05, 1e-3);
    NEAR(t, x.x, 0.2, 1e-2);
    kin_world_destroy(y.world);
}
static void a_particle_at_rest_weighs_on_what_carries_it(test* t) { tray_law(t, KIN_RIGID_REALTIME); }

/* ---- grains: particles that meet each other ---- */

static void add_grains(yard* y, kin_contacts contacts, kin_particle_group group)
{
    kin_particles_def def = kin_particles_def_default();
    kin_error error = {0};
    group.material = y->material;
    def.groups = &group;
    def.group_count = 1;
    def.contacts = contacts;
    test_check(y->t, kin_particles_create(y->world, &def, &y->particles, &error) == KIN_OK, __FILE__, __LINE__, "%s", error.message);
}

/* A shower of them on a free cube: they crowd before it, and all that they lose it gets. */
static void shower_law(test* t, kin_rigid_mode mode, kin_contacts contacts, int count, double mass)
{
    enum { STEPS = 90 };
    yard y = open_yard(t, mode, kin_v(0, 0, 0), 0.4, 0.3);
    uint32_t cube = add_body(&y, (kin_shape){.kind = KIN_SHAPE_BOX, .size = {1, 1, 1}}, 2, kin_v(0.2, 0.1, -0.3), kin_v(0, 0, 0));
    kin_particle_group grains = kin_particle_group_default();
    grains.count = count;
    grains.mass = mass;
    grains.radius = 0.06;
    grains.position = kin_v(-1.4, 0.25, -0.2);
    grains.box = kin_v(1.2, 0.5, 0.5);
    grains.velocity = kin_v(4, 0, 0);
    add_grains(&y, contacts, grains);
    totals start = totals_of(&y);
    double scale = kin_length(start.momentum), bound = mode == KIN_RIGID_REALTIME ? STEPS * FLOAT_EPS * scale : 1e-11 * scale;
    for (int i = 0; i < STEPS; ++i) {
        test_steps(t, y.world, 1);
        if (!NEAR3(t, totals_of(&y).momentum, start.momentum, bound)) break;
    }
    double all = count * mass, common = all * 4 / (2 + all); /* m/s, had they stuck */
    kin_body_state s = kin_rigid_state(y.world, y.bodies, cube);
    CHECK(t, s.velocity.x > 0.8 * common && s.velocity.x < 2 * common);
    kin_world_destroy(y.world);
}
static void a_shower_of_grains_gives_a_box_what_it_loses(test* t)
{
    for (int m = 0; m < 2; ++m) {
        shower_law(t, modes[m], KIN_CONTACTS_FAST, 60, 0.02);
        shower_law(t, modes[m], KIN_CONTACTS_FAST, 60, 0.2);
        shower_law(t, modes[m], KIN_CONTACTS_EXACT, 25, 0.02);
        shower_law(t, modes[m], KIN_CONTACTS_EXACT, 25, 0.2);
    }
}

/* Two grains, side by side and near each other, head on into a box: the law of two masses. */
static void two_grains_law(test* t, kin_contacts contacts)
{
    const double M = 2, mass = 0.25, v = 3, e = 0.5;
    yard y = open_yard(t, KIN_RIGID_EXACT, kin_v(0, 0, 0), e, 0);
    uint32_t box = add_body(&y, (kin_shape){.kind = KIN_SHAPE_BOX, .size = {1, 1, 1}}, M, kin_v(0, 0, 0), kin_v(0, 0, 0));
    kin_particles_def def = kin_particles_def_default();
    kin_particle_group grains[2];
    for (int i = 0; i < 2; ++i) {
        grains[i] = kin_particle_group_default();
        grains[i].position = kin_v(-1, i == 0 ? 0.051 : -0.051, 0);
        grains[i].mass = mass;
        grains[i].radius = 0.05;
        grains[i].velocity = kin_v(v, 0, 0);
        grains[i].material = y.material;
    }
    def.groups = grains;
    def.group_count = 2;
    def.contacts = contacts;
    CHECK(t, kin_particles_create(y.world, &def, &y.particles, NULL) == KIN_OK);
    test_steps(t, y.world, 60);
    double common = 2 * mass * v / (2 * mass + M), away = e * v * 2 * mass / (2 * mass + M);
    NEAR(t, kin_rigid_state(y.world, y.bodies, box).velocity.x, common + away, 0.02 * v);
    kin_world_destroy(y.world);
}
static void two_grains_meet_a_box_by_its_mass(test* t) { two_grains_law(t, KIN_CONTACTS_FAST), two_grains_law(t, KIN_CONTACTS_EXACT); }

/* A heap on a box on the ground weighs what it weighs: the box stays, and so does the heap. Poured on one end of a seesaw it tips it. */
static uint32_t add_plank(yard* y)
{
    uint32_t plank = add_body(y, (kin_shape){.kind = KIN_SHAPE_BOX, .size = {3, 0.1, 0.6}}, 5, kin_v(0, 0.6, 0), kin_v(0, 0, 0));
    kin_joint_def pivot = kin_joint_def_default();
    pivot.kind = KIN_JOINT_HINGE;
    pivot.a = -1;
    pivot.b = plank;
    pivot.anchor = kin_v(0, 0.6, 0);
    pivot.axis = kin_v(0, 0, 1);
    CHECK(y->t, kin_rigid_add_joint(y->world, y->bodies, &pivot, NULL, NULL) == KIN_OK);
    return plank;
}

static void seesaw_law(test* t, kin_rigid_mode mode, kin_contacts contacts, int count)
{
    yard y = open_yard(t, mode, kin_v(0, -9.81, 0), 0.1, 0.6);
    test_plane(t, y.world, kin_v(0, 0, 0), kin_v(0, 1, 0), y.material);
    uint32_t plank = add_plank(&y);
    uint32_t stone = add_body(&y, (kin_shape){.kind = KIN_SHAPE_BOX, .size = {0.3, 0.3, 0.3}}, 1, kin_v(-1.2, 0.8, 0), kin_v(0, 0, 0));
    kin_particle_group sand = kin_particle_group_default();
    sand.count = count;
    sand.mass = 6.0 / count;
    sand.radius = 0.05;
    sand.position = kin_v(1.2, 2.6, 0);
    sand.box = kin_v(0.3, 1, 0.3);
    add_grains(&y, contacts, sand);
    double lowest = 1, highest = 0;
    for (int i = 0; i < 150; ++i) {
        test_steps(t, y.world, 1);
        kin_body_state s = kin_rigid_state(y.world, y.bodies, plank);
        double end = s.pose.position.y + 1.5 * kin_rotate(s.pose.orientation, kin_v(1, 0, 0)).y;
        lowest = kin_min(lowest, end), highest = kin_max(highest, end);
    }
    CHECK(t, highest > 0.7);                                                 /* the stone went down first */
    CHECK(t, lowest < 0.3);                                                  /* then the sand came */
    CHECK(t, kin_rigid_state(y.world, y.bodies, stone).pose.position.y < 3); /* and threw no one to the moon */
    kin_world_destroy(y.world);
}
static void sand_poured_on_a_seesaw_tips_it(test* t)
{
    for (int m = 0; m < 2; ++m) seesaw_law(t, modes[m], KIN_CONTACTS_FAST, 80);
    seesaw_law(t, KIN_RIGID_REALTIME, KIN_CONTACTS_EXACT, 12);
}

TEST_MAIN("laws_exchange", TEST(a_jet_gives_a_box_what_it_loses), TEST(what_is_on_its_way_counts), TEST(equal_masses_head_on_swap_velocities),
          TEST(off_the_middle_a_box_is_lighter), TEST(a_particle_at_rest_weighs_on_what_carries_it), TEST(a_shower_of_grains_gives_a_box_what_it_loses),
          TEST(two_grains_meet_a_box_by_its_mass), TEST(sand_poured_on_a_seesaw_tips_it))
