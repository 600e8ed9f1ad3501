/* samples_test.c - boundary particles: a sampled wall fills what a plane fills, b is its gradient, grain is not felt. */
#include "domains/sph/boundary/samples.h"
#include "shapes.h"

static kin_sph_def sampled(void)
{
    kin_sph_def def = tank_def();
    def.boundary = KIN_SPH_SAMPLES;
    return def;
}

/* A layer half a spacing above the plate, at 100 places. Blue noise is no lattice: single places see a tenth more or less of the wall; the mean is right, and
 * corrected volumes leave a grain of less than a fiftieth. */
static void a_sampled_plate_is_a_plane(test* t)
{
    kin_sph_def def = sampled();
    kin_shape shapes[] = {plate_mesh(1), {.kind = KIN_SHAPE_BOX, .size = {2, 0.6, 2}}};
    double slope;
    for (int s = 0; s < 2; ++s) {
        tank* k = tank_open(t, &def, 100, 1);
        tank_solid(k, &shapes[s], kin_v(0, s == 0 ? 0 : -0.3, 0));
        tank_fill(k, kin_v(-0.45, 0.05, -0.45), (const int[3]){10, 1, 10});
        tank_feel(k);
        double flat = kin_sph_curve_at(&k->f.walls->profile.share, 0.05, &slope), mean = 0, grain2 = 0, sideways = 0;
        for (size_t i = 0; i < 100; ++i) {
            mean += (double)k->f.lambda[i] / 100;
            grain2 += kin_square((double)k->f.lambda[i] / flat - 1) / 100;
            sideways = kin_max(sideways, kin_abs(tank_b(k, i).x / tank_b(k, i).y));
            NEAR(t, (double)k->f.lambda[i], flat, 0.1 * flat);
            CHECK(t, tank_b(k, i).y < 0);
        }
        NEAR(t, mean, flat, 0.01 * flat);
        CHECK(t, kin_sqrt(grain2) < 0.02);
        CHECK(t, sideways < 0.15);
        tank_close(k);
    }
}

static void check_gradient(test* t, const kin_shape* shape, kin_vec3 x)
{
    kin_sph_def def = sampled();
    tank* k = tank_open(t, &def, 8, 1);
    tank_solid(k, shape, kin_v(0, 0, 0));
    const double e = 1.0 / 2048;
    tank_put(k, x, kin_v(0, 0, 0));
    for (int a = 0; a < 3; ++a) tank_put(k, kin_add_scaled(x, e, kin_axis(a)), kin_v(0, 0, 0)), tank_put(k, kin_add_scaled(x, -e, kin_axis(a)), kin_v(0, 0, 0));
    tank_feel(k);
    CHECK(t, k->f.lambda[0] > 0.02f);
    for (size_t a = 0; a < 3; ++a)
        NEAR(t, kin_component(tank_b(k, 0), (int)a), ((double)k->f.lambda[1 + 2 * a] - (double)k->f.lambda[2 + 2 * a]) / (2 * e), 0.01);
    tank_close(k);
}

/* Over a ball; and over the face of a box close to its edge, behind the points of the next face. */
static void b_is_the_gradient(test* t)
{
    check_gradient(t, &(kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 0.4}, kin_v(0.25, 0.3125, 0.1875));
    for (int i = 1; i <= 4; ++i) check_gradient(t, &(kin_shape){.kind = KIN_SHAPE_BOX, .size = {0.8, 0.8, 0.8}}, kin_v(0.4 - i / 64.0, 0.4375, 0.125));
}

/* Every shape of the kit, felt where it is near and nowhere else; points of a slope are seen from beside it, up to the kernel's reach. */
static void every_shape_is_felt(test* t)
{
    kin_sph_def def = sampled();
    for (int kind = 0; kind < KIT; ++kind) {
        double top;
        kin_shape shape = kit_shape(kind, &top);
        tank* k = tank_open(t, &def, 8, 1);
        tank_solid(k, &shape, kin_v(0, 0, 0));
        tank_put(k, kin_v(0, top + 0.05, 0), kin_v(0, 0, 0));
        tank_put(k, kin_v(0, top + 0.21, 0), kin_v(0, 0, 0));
        tank_feel(k);
        CHECK(t, k->f.lambda[0] > 0.02f && k->f.lambda[0] < 0.9f && tank_b(k, 0).y < 0 && kin_finite3(tank_b(k, 0)));
        EQUAL(t, k->f.lambda[1] == 0, 1);
        tank_close(k);
    }
}

static double volume_by_area(test* t, double edge)
{
    kin_sph_def def = sampled();
    tank* k = tank_open(t, &def, 8, 1);
    uint32_t solid = tank_solid(k, &(kin_shape){.kind = KIN_SHAPE_BOX, .size = {edge, edge, edge}}, kin_v(0, 0, 0));
    const kin_sph_samples* s = kin_sph_samples_of(k->f.walls, kin_solids_form(k->solids, solid));
    double sum = 0;
    for (uint32_t i = 0; s != NULL && i < s->count; ++i) sum += (double)s->points[i].volume;
    tank_close(k);
    return sum / (6 * edge * edge);
}

/* It is right to feel less of a surface near its edge: points there stand for as much of it as others do, though a box be small. Points are pieces of 0.4 of a
 * spacing: 2 % of what is felt is within how well these tell. */
static void edges_weigh_as_faces_do(test* t)
{
    double large = volume_by_area(t, 2);
    NEAR(t, volume_by_area(t, 0.6), large, 0.02 * large);
}

/* The layers behind a point, as samples.c has them for who is outside. */
static double layers_behind(const kin_sph_profile* p, const kin_sph_sample* point, kin_vec3 x)
{
    kin_vec3 d = kin_sub(x, kin_sph_wide(point->x));
    double up = kin_dot(d, kin_sph_wide(point->normal)), sum = 0, slope, t = kin_clamp(1 + 2 * up / p->spacing, 0, 1);
    if (kin_length(d) >= p->bell.end) return 0;
    for (int k = 0; k < 3; ++k) {
        double s = 2 * up + k * p->spacing;
        sum += kin_sph_curve_at(&p->bell, kin_sqrt(kin_max(0, kin_length2(d) - up * up) + s * s), &slope);
    }
    return sum * (double)point->volume * t * t * (3 - 2 * t);
}

/* Points sorted into cells, found again: sums over cells are sums over all. */
static void cells_miss_nobody(test* t)
{
    kin_sph_def def = sampled();
    tank* k = tank_open(t, &def, 8, 1);
    uint32_t solid = tank_solid(k, &(kin_shape){.kind = KIN_SHAPE_BOX, .size = {1, 0.7, 0.5}}, kin_v(0, 0, 0));
    const kin_sph_walls* w = k->f.walls;
    const kin_sph_samples* s = kin_sph_samples_of(k->f.walls, kin_solids_form(k->solids, solid));
    CHECK(t, s != NULL && s->count > 500);
    for (int i = 0; i < 200; ++i) {
        kin_vec3 x = {-0.6 + 0.006 * i, 0.4 - 0.002 * i, 0.28};
        double sum = 0;
        kin_sph_felt felt = {0};
        for (uint32_t n = 0; n < s->count; ++n) sum += layers_behind(&w->profile, &s->points[n], x);
        bool near = kin_sph_samples_feel(w, s, x, &felt);
        NEAR(t, near ? felt.share : 0, kin_min(sum, 0.99), 1e-12);
    }
    tank_close(k);
}

TEST_MAIN("sph boundary samples", TEST(a_sampled_plate_is_a_plane), TEST(b_is_the_gradient), TEST(every_shape_is_felt), TEST(edges_weigh_as_faces_do),
          TEST(cells_miss_nobody))
