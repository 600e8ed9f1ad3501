/* map_test.c - forms that are no planes: flat ones are felt as planes, curved ones by what they hide, thin ones from both sides. */
#include "domains/sph/boundary/map.h"
#include "shapes.h"

/* lambda and b of one particle near one solid. */
typedef struct felt {
    double lambda;
    kin_vec3 b;
} felt;

static felt feel_one(test* t, const kin_sph_def* def, const kin_shape* shape, kin_vec3 x)
{
    tank* k = tank_open(t, def, 8, 1);
    tank_solid(k, shape, kin_v(0, 0, 0));
    tank_put(k, x, kin_v(0, 0, 0));
    tank_feel(k);
    felt one = {(double)k->f.lambda[0], tank_b(k, 0)};
    tank_close(k);
    return one;
}

static double flat_share(double distance)
{
    kin_sph_profile p;
    double slope;
    kin_sph_profile_make(&p, KIN_SPH_CUBIC, 3, 0.2, 0.1);
    return kin_sph_curve_at(&p.share, distance, &slope);
}

static void flat_faces_are_planes(test* t)
{
    kin_sph_def def = tank_def();
    kin_shape shapes[] = {{.kind = KIN_SHAPE_BOX, .size = {2, 2, 2}}, cube_mesh(6, 1), {.kind = KIN_SHAPE_CYLINDER, .radius = 1, .length = 2}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        felt one = feel_one(t, &def, &shapes[i], kin_v(0.1, 1.05, -0.2));
        NEAR(t, one.lambda, flat_share(0.05), 1e-6);
        NEAR(t, one.b.x, 0, 1e-5);
        CHECK(t, one.b.y < -1);
    }
}

/* Thin plates fill what is behind them, as seen from either side. */
static void thin_plates_are_planes_from_both_sides(test* t)
{
    kin_sph_def def = tank_def();
    kin_shape open = plate_mesh(1), closed = {.kind = KIN_SHAPE_BOX, .size = {2, 0.01, 2}};
    for (int side = -1; side <= 1; side += 2) {
        felt a = feel_one(t, &def, &open, kin_v(0.1, 0.05 * side, 0.3)), b = feel_one(t, &def, &closed, kin_v(0.1, 0.055 * side, 0.3));
        NEAR(t, a.lambda, flat_share(0.05), 1e-6);
        NEAR(t, b.lambda, flat_share(0.05), 1e-6);
        CHECK(t, a.b.y * side < -1 && b.b.y * side < -1);
    }
}

/* A tank made of one mesh is what five planes are, in its corners too. */
static void corners_of_a_mesh_are_corners_of_planes(test* t)
{
    kin_sph_def def = tank_def();
    tank *mesh = tank_open(t, &def, 64, 1), *planes = tank_open(t, &def, 64, 1);
    kin_shape shape = cube_mesh(5, 1);
    tank_solid(mesh, &shape, kin_v(0, 0, 0));
    tank_plane(planes, kin_v(-1, 0, 0), kin_v(1, 0, 0));
    tank_plane(planes, kin_v(0, -1, 0), kin_v(0, 1, 0));
    tank_plane(planes, kin_v(0, 0, -1), kin_v(0, 0, 1));
    for (int i = 0; i < 64; ++i) {
        kin_vec3 x = {-0.98 + 0.03 * (i % 4), -0.975 + 0.03 * (i / 4 % 4), -0.97 + 0.03 * (i / 16)};
        tank_put(mesh, x, kin_v(0, 0, 0));
        tank_put(planes, x, kin_v(0, 0, 0));
    }
    tank_feel(mesh);
    tank_feel(planes);
    for (size_t i = 0; i < 64; ++i) {
        NEAR(t, (double)mesh->f.lambda[i], (double)planes->f.lambda[i], 1e-6);
        NEAR3(t, tank_b(mesh, i), tank_b(planes, i), 1e-4);
    }
    tank_close(mesh);
    tank_close(planes);
}

/* What a sphere hides, by an integral over the angle; the map's rays are 24 rings: the midpoint rule, off where rings begin to miss. */
static double hidden_behind_sphere(const kin_sph_profile* p, double radius, double d, double* flat)
{
    double sum = 0, c0 = radius + d;
    const int n = 20000;
    *flat = 0;
    for (int i = 0; i < n; ++i) {
        double c = 1 - (2 * i + 1.0) / n, slope, disc = radius * radius - c0 * c0 * (1 - c * c);
        double t = c > 0 && disc >= 0 ? c0 * c - kin_sqrt(disc) : p->tail.end;
        sum += kin_sph_curve_at(&p->tail, kin_min(t, p->tail.end), &slope);
        *flat += kin_sph_curve_at(&p->tail, c > 0 ? kin_min(d / c, p->tail.end) : p->tail.end, &slope);
    }
    *flat /= n;
    return sum / n;
}

static void spheres_hide_less_than_planes(test* t)
{
    kin_sph_def def = tank_def();
    for (double radius = 0.15; radius < 1; radius *= 2) {
        kin_shape ball = {.kind = KIN_SHAPE_SPHERE, .radius = radius};
        tank* k = tank_open(t, &def, 8, 1);
        uint32_t solid = tank_solid(k, &ball, kin_v(0, 0, 0));
        for (double d = 0.02; d < 0.1; d += 0.025) {
            double flat, hidden = hidden_behind_sphere(&k->f.walls->profile, radius, d, &flat);
            double factor = kin_sph_map_factor(k->f.walls, kin_solids_form(k->solids, solid), kin_v(0, 0, radius + d), 0, 0.075);
            CHECK(t, factor < 1);
            NEAR(t, factor, hidden / flat, 0.03);
            felt one = feel_one(t, &def, &ball, kin_v(0.6 * (radius + d), 0, 0.8 * (radius + d)));
            NEAR(t, one.lambda, flat_share(d) * hidden / flat, 0.04 * flat_share(d)); /* and a trilinear grid of three quarters of a spacing */
        }
        tank_close(k);
    }
}

/* b is the gradient of lambda, also where the correction changes: over an edge of a box and beside a small ball. Steps stay within one cell of the map. */
static void b_is_the_gradient_of_what_is_interpolated(test* t)
{
    kin_sph_def def = tank_def();
    const kin_shape shapes[] = {{.kind = KIN_SHAPE_BOX, .size = {1, 1, 1}}, {.kind = KIN_SHAPE_SPHERE, .radius = 0.2}};
    const kin_vec3 places[] = {{0.53125, 0.515625, 0.1}, {0.13, 0.1875, 0.07}};
    const double e = 1.0 / 4096;
    for (int s = 0; s < 2; ++s) {
        felt middle = feel_one(t, &def, &shapes[s], places[s]);
        CHECK(t, middle.lambda > 0.02);
        for (int a = 0; a < 3; ++a) {
            double up = feel_one(t, &def, &shapes[s], kin_add_scaled(places[s], e, kin_axis(a))).lambda;
            double down = feel_one(t, &def, &shapes[s], kin_add_scaled(places[s], -e, kin_axis(a))).lambda;
            NEAR(t, kin_component(middle.b, a), (up - down) / (2 * e), 0.01);
        }
    }
}

static void every_shape_is_felt(test* t)
{
    kin_sph_def def = tank_def();
    for (int kind = 0; kind < KIT; ++kind) {
        double top;
        kin_shape shape = kit_shape(kind, &top);
        kin_vec3 x = {0, top + 0.04, 0};
        felt near = feel_one(t, &def, &shape, x), far = feel_one(t, &def, &shape, kin_v(0, top + 0.11, 0));
        CHECK(t, near.lambda > 0.1 * flat_share(0.04) && near.lambda < 1.2 * flat_share(0.04));
        CHECK(t, near.b.y < -0.5 && kin_finite3(near.b));
        EQUAL(t, far.lambda == 0, 1);
    }
}

static tank* ball_in_water(test* t, int threads)
{
    kin_sph_def def = tank_def();
    tank* k = tank_open(t, &def, 2000, threads);
    tank_solid(k, &(kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 0.3}, kin_v(0.5, 0.5, 0.5));
    tank_plane(k, kin_v(0, 0, 0), kin_v(0, 1, 0));
    tank_fill(k, kin_v(0, 0.05, 0), (const int[3]){12, 12, 12});
    tank_feel(k);
    return k;
}

static void threads_change_no_bit(test* t)
{
    tank* one = ball_in_water(t, 1);
    for (int threads = 2; threads <= 8; threads += threads == 2 ? 1 : 5) {
        tank* many = ball_in_water(t, threads);
        CHECK(t, tank_alike(one, many));
        tank_close(many);
    }
    tank_close(one);
}

/* Same places asked in another order, after other blocks were made. */
static void history_changes_no_bit(test* t)
{
    tank *fresh = ball_in_water(t, 1), *used = ball_in_water(t, 1);
    for (size_t i = 0; i < used->f.count; ++i) used->f.x4[4 * i] = (float)(1.1 - (double)used->f.x4[4 * i]);
    tank_feel(used);
    for (size_t i = 0; i < used->f.count; ++i) used->f.x4[4 * i] = fresh->f.x4[4 * i];
    tank_feel(used);
    CHECK(t, tank_alike(fresh, used));
    tank_close(fresh);
    tank_close(used);
}

TEST_MAIN("sph boundary map", TEST(flat_faces_are_planes), TEST(thin_plates_are_planes_from_both_sides), TEST(corners_of_a_mesh_are_corners_of_planes),
          TEST(spheres_hide_less_than_planes), TEST(b_is_the_gradient_of_what_is_interpolated), TEST(every_shape_is_felt), TEST(threads_change_no_bit),
          TEST(history_changes_no_bit))
