/* ghosts_test.c - mirrored particles at planes. */
#include "domains/sph/boundary/ghosts.h"
#include "shapes.h"

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
            if (j != i && kin_distance(tank_x(k, i), tank_x(k, j)) < (double)f->support && n < 64)
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

TEST_MAIN("sph boundary ghosts", TEST(a_lattice_goes_on), TEST(nothing_goes_through))
