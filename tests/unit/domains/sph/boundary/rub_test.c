/* rub_test.c - friction at walls: channels with 20 particles across against closed forms, never a gain of energy, and bodies that are taken along. */
#include "shapes.h"

enum { ACROSS = 20 };

/* Velocity over the distance from the lower wall, in a channel between two planes: the lattice goes on without end along the walls, so one column of particles
 * is enough. Viscosity is Brookshaw's, explicit, then friction, as in a tick; relaxed until nothing changes. */
static void flow(tank* k, float nu, double push)
{
    kin_sph* f = &k->f;
    double l = (double)f->spacing, h = (double)k->tick.h, weight[2 * ACROSS + 1];
    float viscosity[ACROSS + 8];
    for (int dy = -ACROSS; dy <= ACROSS; ++dy) {
        weight[dy + ACROSS] = 0;
        for (int i = -3; i <= 3; ++i) {
            for (int j = -3; j <= 3; ++j) {
                double r = l * kin_sqrt((double)(i * i + j * j + dy * dy));
                weight[dy + ACROSS] += (double)f->volume * kin_sph_bell_slope(&f->walls->profile.gradient, r);
            }
        }
    }
    for (int i = 0; i < ACROSS; ++i) viscosity[i] = nu;
    for (int n = 0; n < 6000; ++n) {
        double a[ACROSS];
        for (int i = 0; i < ACROSS; ++i) {
            a[i] = push;
            for (int j = 0; j < ACROSS; ++j) {
                if (j != i) a[i] += 2 * (double)nu * weight[j - i + ACROSS] * ((double)f->v4[4 * i] - (double)f->v4[4 * j]);
            }
        }
        for (int i = 0; i < ACROSS; ++i) f->v4[4 * i] += (float)(h * a[i]);
        kin_sph_walls_rub(f, &k->tick, viscosity);
    }
}

static tank* channel(test* t, double upper_speed)
{
    kin_sph_def def = tank_def();
    tank* k = tank_open(t, &def, ACROSS, 1);
    tank_plane(k, kin_v(0, 0, 0), kin_v(0, 1, 0));
    uint32_t upper = tank_plane(k, kin_v(0, 0.1 * ACROSS, 0), kin_v(0, -1, 0));
    kin_vec3 at = {0, 0.1 * ACROSS, 0};
    k->step.h = k->tick.h = 0.02f;
    kin_solids_move(k->solids, upper, (kin_transform){at, {0, 0, 0, 1}},
                    (kin_transform){kin_add_scaled(at, upper_speed * k->step.h, kin_axis(0)), {0, 0, 0, 1}});
    for (int i = 0; i < ACROSS; ++i) tank_put(k, kin_v(0, 0.1 * (i + 0.5), 0), kin_v(0, 0, 0));
    tank_feel(k);
    return k;
}

/* u = U y / H: 2 % of the fastest. */
static void couette(test* t)
{
    tank* k = channel(t, 1);
    flow(k, 0.05f, 0);
    for (size_t i = 0; i < ACROSS; ++i) NEAR(t, tank_v(k, i).x, ((double)i + 0.5) / ACROSS, 0.02);
    tank_close(k);
}

/* u = a y (H - y) / (2 nu): 2 % of the fastest. */
static void poiseuille(test* t)
{
    tank* k = channel(t, 0);
    double height = 0.1 * ACROSS, nu = 0.05, push = 0.1, most = push * height * height / (8 * nu);
    flow(k, (float)nu, push);
    for (size_t i = 0; i < ACROSS; ++i) {
        double y = 0.1 * ((double)i + 0.5);
        NEAR(t, tank_v(k, i).x, push * y * (height - y) / (2 * nu), 0.02 * most);
    }
    tank_close(k);
}

static void no_friction_is_slip(test* t)
{
    tank* k = channel(t, 1);
    k->f.walls->friction = 0;
    flow(k, 0.05f, 0);
    for (size_t i = 0; i < ACROSS; ++i) NEAR(t, tank_v(k, i).x, 0, 0);
    tank_close(k);
}

/* However thick the fluid and near the wall: it slows down, it does not turn round, and what leaves the wall goes on leaving. */
static void honey_never_gains(test* t)
{
    kin_sph_def def = tank_def();
    tank* k = tank_open(t, &def, 8, 1);
    float nu[8];
    tank_plane(k, kin_v(0, 0, 0), kin_v(0, 1, 0));
    for (int i = 0; i < 8; ++i) tank_put(k, kin_v(0.1 * i, 0.005 + 0.012 * i, 0), kin_v(1, 0.5, -2)), nu[i] = 1e6f;
    tank_feel(k);
    kin_sph_walls_rub(&k->f, &k->tick, nu);
    for (size_t i = 0; i < 8; ++i) {
        kin_vec3 v = tank_v(k, i);
        CHECK(t, v.x >= 0 && v.x <= 1 && v.z <= 0 && v.z >= -2);
        NEAR(t, v.y, 0.5, 1e-7);
    }
    tank_close(k);
}

/* A light plate under a heavy stream of honey is taken along: to their common velocity, not beyond; momentum is kept, energy only falls. */
static void light_bodies_are_taken_along(test* t)
{
    kin_sph_def def = tank_def();
    tank* k = tank_open(t, &def, 64, 1);
    float nu[64];
    kin_shape shape = {.kind = KIN_SHAPE_BOX, .size = {2, 0.2, 2}};
    uint32_t plate = tank_solid(k, &shape, kin_v(0, -0.1, 0));
    tank_body(k, plate, 0.1, 0.1);
    tank_fill(k, kin_v(-0.35, 0.05, -0.35), (const int[3]){8, 1, 8});
    for (size_t i = 0; i < 64; ++i) k->f.v4[4 * i] = 1, nu[i] = 1e3f;
    tank_feel(k);
    CHECK(t, kin_sph_walls_give(&k->f));
    for (int n = 0; n < 3; ++n) kin_sph_walls_rub(&k->f, &k->tick, nu);
    const kin_sph_body* body = &k->f.walls->bodies[0];
    double mass = (double)k->phase.mass, momentum = 0.1 * body->given.velocity.x,
           energy = 0.05 * kin_length2(body->given.velocity) + 0.05 * kin_length2(body->given.spin);
    for (size_t i = 0; i < 64; ++i) momentum += mass * tank_v(k, i).x, energy += 0.5 * mass * kin_length2(tank_v(k, i));
    NEAR(t, momentum, 64 * mass, 1e-6 * 64 * mass);
    CHECK(t, energy <= 32 * mass * (1 + 1e-6));
    CHECK(t, body->given.velocity.x > 0.9 && body->given.velocity.x <= 1);
    kin_vec3 booked = k->f.reactions.items[0].total.impulse;
    NEAR(t, booked.x, 0.1 * body->given.velocity.x, 1e-12);
    tank_close(k);
}

TEST_MAIN("sph boundary rub", TEST(couette), TEST(poiseuille), TEST(no_friction_is_slip), TEST(honey_never_gains), TEST(light_bodies_are_taken_along))
