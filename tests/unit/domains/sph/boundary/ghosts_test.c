/* ghosts_test.c - mirrored particles at planes. */
#include "domains/sph/boundary/ghosts.h"
#include "shapes.h"

static double apart_in_box(const kin_sph* f, kin_vec3 d)
{
    double size = (double)f->box_size[0];
    return kin_length(kin_v(size > 0 ? d.x - size * kin_floor(d.x / size + 0.5) : d.x, d.y, d.z));
}

/* Lists as the tank's own would be, by trying all. */
static void link_all(tank* k)
{
    kin_sph* f = &k->f;
    kin_sph_lists* lists = &f->lists;
    size_t rows = f->blocks * 64;
    lists->first = kin_alloc_zero(&k->t->allocator, (f->blocks + 1) * sizeof *lists->first);
    lists->far = kin_alloc_zero(&k->t->allocator, 8 * rows * sizeof *lists->far);
    lists->wide = true, lists->rows = rows;
    for (size_t i = 0; i < 8 * f->blocks; ++i) {
        size_t n = 0, block = i / 8;
        lists->first[block + 1] = 64 * (block + 1);
        for (size_t row = 64 * block; row < 64 * (block + 1); ++row) lists->far[8 * row + i % 8] = (int32_t)(i % 8);
        for (size_t j = 0; i < f->count && j < f->count; ++j) {
            if (j != i && apart_in_box(f, kin_sub(tank_x(k, i), tank_x(k, j))) < (double)f->support && n < 64)
                lists->far[8 * (64 * block + n++) + i % 8] = (int32_t)j - (int32_t)(8 * block);
        }
    }
}

static void unlink_all(tank* k)
{
    kin_free(&k->t->allocator, k->f.lists.first, (k->f.blocks + 1) * sizeof *k->f.lists.first);
    kin_free(&k->t->allocator, k->f.lists.far, 8 * k->f.lists.rows * sizeof *k->f.lists.far);
    k->f.lists = (kin_sph_lists){0};
}

static tank* mirrored(test* t)
{
    kin_sph_def def = tank_def();
    def.boundary = KIN_SPH_GHOSTS;
    tank* k = tank_open(t, &def, 512, 1);
    tank_plane(k, kin_v(0, 0, 0), kin_v(0, 1, 0));
    tank_fill(k, kin_v(-0.4, 0.05, -0.4), (const int[3]){8, 8, 8});
    for (size_t i = 0; i < k->f.count; ++i) kin_sph_narrow(k->f.v4 + 4 * i, kin_v(0.3, kin_sin(7.0 * (double)i), kin_cos(3.0 * (double)i)));
    link_all(k);
    tank_feel(k);
    return k;
}

/* The lattice goes on behind the plane: density 1, and even pressure moves nobody. To rounding: images are the lattice. */
static void a_lattice_goes_on(test* t)
{
    tank* k = mirrored(t);
    size_t i = 4 + 8 * (0 + 8 * 4);
    NEAR(t, tank_own_density(k, i) + (double)k->f.lambda[i], 1, 1e-6);
    NEAR(t, tank_b(k, i).y + 2 * tank_own_gradient(k, i).y, 0, 1e-4);
    EQUAL(t, k->f.lambda[4 + 8 * (3 + 8 * 4)] == 0, 1);
    unlink_all(k);
    tank_close(k);
}

/* C3.8: on a ghost plane the interpolated velocity has no normal part, whatever the particles do. */
static void nothing_goes_through(test* t)
{
    tank* k = mirrored(t);
    kin_vec3 n = {0, 1, 0}, u = {0, 0.25, 0};
    for (int p = 0; p < 20; ++p) {
        kin_vec3 x = {-0.3 + 0.03 * p, 0, 0.1}, sum = {0, 0, 0};
        double weight = 0;
        for (size_t i = 0; i < k->f.count; ++i) {
            double w = kin_sph_bell_w(&k->f.walls->profile.density, kin_distance(x, tank_x(k, i)));
            double image = kin_sph_bell_w(&k->f.walls->profile.density, kin_distance(x, kin_sph_mirror(n, 0, tank_x(k, i))));
            sum = kin_add_scaled(kin_add_scaled(sum, w, tank_v(k, i)), image, kin_sph_mirror_velocity(n, u, tank_v(k, i)));
            weight += w + image;
        }
        CHECK(t, weight > 0);
        NEAR(t, sum.y / weight, u.y, 1e-7);
        CHECK(t, sum.x / weight > 0.2);
    }
    unlink_all(k);
    tank_close(k);
}

/* Particles in disorder where two planes meet, of which the floor rises. */
static tank* cornered(test* t)
{
    kin_sph_def def = tank_def();
    def.boundary = KIN_SPH_GHOSTS;
    tank* k = tank_open(t, &def, 64, 1);
    uint32_t floor = tank_plane(k, kin_v(0, 0, 0), kin_v(0, 1, 0));
    tank_plane(k, kin_v(0, 0, 0), kin_v(1, 0, 0));
    kin_solids_move(k->solids, floor, (kin_transform){{0, -0.125 * k->step.h, 0}, {0, 0, 0, 1}}, (kin_transform){{0, 0.125 * k->step.h, 0}, {0, 0, 0, 1}});
    k->tick.begin = 0.5; /* it is at 0 then */
    tank_fill(k, kin_v(0.05, 0.05, 0.05), (const int[3]){4, 4, 4});
    for (size_t i = 0; i < k->f.count; ++i) {
        double n = (double)i;
        kin_sph_narrow(k->f.x4 + 4 * i, kin_add(tank_x(k, i), kin_v(0.02 * kin_sin(5 * n), 0.02 * kin_sin(11 * n), 0.02 * kin_sin(23 * n))));
        kin_sph_narrow(k->f.v4 + 4 * i, kin_v(kin_sin(7 * n), kin_sin(3 * n), kin_cos(13 * n)));
        k->f.inv_rho[i] = 1e-3f;
    }
    link_all(k);
    tank_feel(k);
    return k;
}

/* What planes add to L(v): by b, and by the motion of images. */
static void find_rates(tank* k, float* rate)
{
    for (size_t i = 0; i < k->f.count; ++i) rate[i] = (float)kin_dot(tank_b(k, i), tank_v(k, i)) - k->f.wall_rate[i];
    kin_sph_walls_image_rate(&k->f, &k->jobs, k->f.v4, rate);
}

/* lambda where all are a little later, and a little earlier: particles and the floor. */
static void rates_are_those_of_shares(test* t)
{
    tank* k = cornered(t);
    const double little = 2e-4; /* s: second order in it, and rounding over it: 1e-3 of a rate of 10 */
    float rate[64], before[64];
    kin_vec3 start[64];
    find_rates(k, rate);
    for (size_t i = 0; i < 64; ++i) start[i] = tank_x(k, i);
    for (int side = -1; side <= 1; side += 2) {
        for (size_t i = 0; i < 64; ++i) kin_sph_narrow(k->f.x4 + 4 * i, kin_add_scaled(start[i], side * little, tank_v(k, i)));
        CHECK(t, kin_sph_walls_feel_at(&k->f, &k->tick, 0.5 + side * little / k->step.h));
        for (size_t i = 0; i < 64 && side < 0; ++i) before[i] = k->f.lambda[i];
    }
    for (size_t i = 0; i < 64; ++i) NEAR(t, (double)(k->f.lambda[i] - before[i]) / (2 * little), (double)rate[i], 0.01);
    unlink_all(k);
    tank_close(k);
}

/* Work of the push is what the density takes: sum rho a.v = -sum k rate, for any pressures, planes at rest. To rounding of velocities. */
static void images_push_as_they_are_pushed(test* t)
{
    tank* k = cornered(t);
    float rate[64], was[4 * 64], pressure[64];
    double taken = 0, given = 0;
    for (size_t i = 0; i < 64; ++i) pressure[i] = (float)(1000 + 900 * kin_sin(31 * (double)i)), k->f.wall_rate[i] = 0;
    for (int64_t c = 0; c < kin_sph_wall_chunks(&k->f); ++c) {
        KIN_SPH_TOUCHES(k->f.walls, c, touch) memset(touch->near.velocity, 0, sizeof touch->near.velocity);
    }
    find_rates(k, rate);
    memcpy(was, k->f.v4, sizeof was);
    kin_sph_walls_image_press(&k->f, &k->jobs, pressure, 1e-3f);
    for (size_t i = 0; i < 64; ++i) {
        kin_vec3 v = kin_sph_wide(was + 4 * i), by_b = kin_scale(tank_b(k, i), -(double)pressure[i]);
        given += 1e6 * kin_dot(kin_sub(tank_v(k, i), v), v) + kin_dot(by_b, v);
        taken += (double)(pressure[i] * rate[i]);
    }
    CHECK(t, kin_abs(taken) > 1000);
    NEAR(t, given + taken, 0, 64 * 0x1p-24 * 1e6);
    unlink_all(k);
    tank_close(k);
}

/* A ring of particles over a plane: nobody is at the end of it. */
static void images_join_where_a_box_does(test* t)
{
    kin_sph_def def = tank_def();
    def.boundary = KIN_SPH_GHOSTS;
    tank* k = tank_open(t, &def, 16, 1);
    k->f.box_low[0] = -0.8f, k->f.box_size[0] = 1.6f;
    tank_plane(k, kin_v(0, 0, 0), kin_v(0, 1, 0));
    tank_fill(k, kin_v(-0.75, 0.05, 0), (const int[3]){16, 1, 1});
    link_all(k);
    tank_feel(k);
    for (size_t i = 0; i < 16; ++i) NEAR(t, (double)k->f.lambda[i], (double)k->f.lambda[8], 1e-6);
    unlink_all(k);
    tank_close(k);
}

TEST_MAIN("sph boundary ghosts", TEST(a_lattice_goes_on), TEST(nothing_goes_through), TEST(rates_are_those_of_shares), TEST(images_push_as_they_are_pushed),
          TEST(images_join_where_a_box_does))
