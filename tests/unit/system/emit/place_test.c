/* place_test.c - where points are born: distributions over every shape (H4.3b), directions and speeds (H4.2), grids (C3.7.1). */
#include "births.h"
#include "system/emit/emit_inside.h"

enum { N = 40000 };
static kin_newborn born[N];
static double values[N];

#define UNIFORM(t, values) CHECK(t, ks_uniform(values, N) < 1.95)

static void bear_n(test* t, const kin_emitter_def* def)
{
    kin_emit_step step = step_at(0, 0, 0.1);
    EQUAL(t, bear(t, def, &step, N, born), N);
}

static kin_vec3 mean_place(void)
{
    kin_vec3 sum = {0};
    for (int i = 0; i < N; ++i) sum = kin_add_scaled(sum, 1.0 / N, born[i].x);
    return sum;
}

/* ---- shapes ---- */

static void a_point_is_one_place(test* t)
{
    kin_emitter_def def = kin_emitter_def_default();
    def.position = kin_v(1, 2, 3);
    bear_n(t, &def);
    for (int i = 0; i < N; ++i) NEAR3(t, born[i].x, kin_v(1, 2, 3), 0);
    CHECK(t, kin_length(born[0].v) == 0 && born[0].age == 0 && born[7].number == 7);
}

static void disks_are_uniform_and_flat(test* t) /* E[r^2] = R^2 / 2 */
{
    kin_emitter_def def = kin_emitter_def_default();
    def.shape = (kin_emitter_form){.kind = KIN_EMIT_DISK, .radius = 2};
    bear_n(t, &def);
    double squares = 0;
    for (int i = 0; i < N; ++i) {
        CHECK(t, born[i].x.y == 0 && kin_length(born[i].x) <= 2 * (1 + 1e-15));
        squares += kin_length2(born[i].x) / N;
        values[i] = kin_length2(born[i].x) / 4;
    }
    NEAR(t, squares, 2, 5 * 1.155 / sqrt(N));
    UNIFORM(t, values);
    for (int i = 0; i < N; ++i) values[i] = 0.5 + atan2(born[i].x.z, born[i].x.x) / (2 * KIN_PI);
    UNIFORM(t, values);
}

static void normal_disks_are_cut_at_their_rim(test* t) /* E2: r = |normal| of R / 3 */
{
    kin_emitter_def def = kin_emitter_def_default();
    def.shape = (kin_emitter_form){.kind = KIN_EMIT_DISK, .radius = 2};
    def.spread = KIN_SPREAD_NORMAL;
    bear_n(t, &def);
    int rim = 0;
    for (int i = 0; i < N; ++i) {
        double r = kin_length(born[i].x) / 2;
        CHECK(t, r <= 1 + 1e-15);
        rim += r > 1 - 1e-12;
        values[i] = bell_share(r);
    }
    NEAR(t, rim / (double)N, 0.0027, 5 * 0.052 / sqrt(N));
    UNIFORM(t, values);
}

static void quads_are_uniform_and_turn(test* t)
{
    kin_emitter_def def = kin_emitter_def_default();
    def.shape = (kin_emitter_form){.kind = KIN_EMIT_QUAD, .sides = {4, 0.5}};
    def.orientation = kin_quat_axis_angle(kin_v(1, 0, 0), KIN_PI / 2); /* z to -y */
    bear_n(t, &def);
    for (int i = 0; i < N; ++i) {
        CHECK(t, fabs(born[i].x.z) < 1e-15);
        values[i] = 0.5 + born[i].x.x / 4;
    }
    UNIFORM(t, values);
    for (int i = 0; i < N; ++i) values[i] = 0.5 + born[i].x.y / 0.5;
    UNIFORM(t, values);
}

static const kin_vec3 corners[] = {{1, 0, 0}, {4, 1, 0}, {0, 2, 3}};

static void triangles_average_to_their_centroid(test* t)
{
    kin_emitter_def def = kin_emitter_def_default();
    def.shape = (kin_emitter_form){.kind = KIN_EMIT_TRIANGLE, .points = {corners, 3}};
    bear_n(t, &def);
    NEAR3(t, mean_place(), kin_v(5.0 / 3, 1, 1), 5 * 1.3 / sqrt(N));
    kin_vec3 n = kin_cross(kin_sub(corners[1], corners[0]), kin_sub(corners[2], corners[0]));
    for (int i = 0; i < N; ++i) { /* the share of the area nearer to a corner than a line across: the square of the weight left */
        kin_vec3 p = kin_sub(born[i].x, corners[0]);
        CHECK(t, fabs(kin_dot(p, n)) < 1e-12);
        double weight = kin_triple(n, kin_sub(corners[1], born[i].x), kin_sub(corners[2], born[i].x)) / kin_length2(n);
        values[i] = (1 - weight) * (1 - weight);
    }
    UNIFORM(t, values);
}

static void half_of_the_square_is_folded(test* t) /* the text's rejection rate */
{
    int folded = 0;
    for (int i = 0; i < N; ++i) {
        kin_rng_key key = {.serial = (uint64_t)i};
        double u = kin_rng_uniform(&key, 0, 0, 1), v = kin_rng_uniform(&key, 1, 0, 1);
        folded += kin_fold(&u, &v);
        CHECK(t, u >= 0 && v >= 0 && u + v <= 1);
    }
    NEAR(t, folded / (double)N, 0.5, 5 * 0.5 / sqrt(N));
}

/* A square of 2 m, and beside it one of 1 m that is a concave polygon: an arrow of area 0.75. */
static const kin_vec3 vertices[] = {{0, 0, 0}, {0, 0, 2}, {2, 0, 2}, {2, 0, 0}, {5, 0, 0}, {5, 0, 1}, {6, 0, 1}, {5.5, 0, 0.5}, {6, 0, 0}};
static const uint32_t face_sizes[] = {4, 5}, mesh_corners[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};

static void meshes_are_covered_by_area(test* t)
{
    kin_emitter_def def = kin_emitter_def_default();
    def.shape = (kin_emitter_form){.kind = KIN_EMIT_MESH, .mesh = {vertices, 9, face_sizes, mesh_corners, 2}};
    def.aim = KIN_AIM_NORMAL;
    def.speed[0] = 1;
    bear_n(t, &def);
    int second = 0, squares = 0;
    for (int i = 0; i < N; ++i) {
        NEAR3(t, born[i].v, kin_v(0, 1, 0), 1e-15);
        if (born[i].x.x > 3) {
            ++second;
            CHECK(t, born[i].x.x - 5 <= fmax(born[i].x.z, 1 - born[i].x.z) + 1e-12); /* not in the arrow's notch */
        } else {
            values[squares++] = born[i].x.x / 2;
        }
    }
    double share = 0.75 / 4.75;
    NEAR(t, second / (double)N, share, 5 * sqrt(share * (1 - share) / N));
    CHECK(t, ks_uniform(values, squares) < 1.95);
}

static void spheres_are_uniform(test* t)
{
    kin_emitter_def def = kin_emitter_def_default();
    def.shape = (kin_emitter_form){.kind = KIN_EMIT_SPHERE, .radius = 3};
    def.aim = KIN_AIM_NORMAL;
    def.speed[0] = 6;
    bear_n(t, &def);
    for (int i = 0; i < N; ++i) {
        NEAR(t, kin_length(born[i].x), 3, 1e-14);
        NEAR3(t, born[i].v, kin_scale(born[i].x, 2), 1e-13);
    }
    for (int axis = 0; axis < 3; ++axis) {
        for (int i = 0; i < N; ++i) values[i] = 0.5 + kin_component(born[i].x, axis) / 6;
        UNIFORM(t, values);
    }
}

static void balls_are_uniform(test* t) /* E[r] = 0.75 R */
{
    kin_emitter_def def = kin_emitter_def_default();
    def.shape = (kin_emitter_form){.kind = KIN_EMIT_BALL, .radius = 2};
    def.aim = KIN_AIM_NORMAL;
    def.speed[0] = 1;
    bear_n(t, &def);
    double sum = 0;
    for (int i = 0; i < N; ++i) {
        double r = kin_length(born[i].x);
        sum += r / N;
        values[i] = pow(r / 2, 3);
        NEAR3(t, kin_scale(born[i].v, r), born[i].x, 1e-14);
    }
    NEAR(t, sum, 1.5, 5 * 0.388 / sqrt(N));
    UNIFORM(t, values);
    for (int i = 0; i < N; ++i) values[i] = 0.5 + 0.5 * born[i].x.y / kin_length(born[i].x);
    UNIFORM(t, values);
}

static void boxes_are_uniform(test* t)
{
    kin_emitter_def def = kin_emitter_def_default();
    def.shape = (kin_emitter_form){.kind = KIN_EMIT_BOX, .size = {1, 2, 3}};
    def.position = kin_v(10, 0, 0);
    bear_n(t, &def);
    for (int axis = 0; axis < 3; ++axis) {
        for (int i = 0; i < N; ++i) values[i] = 0.5 + kin_component(kin_sub(born[i].x, def.position), axis) / (axis + 1);
        UNIFORM(t, values);
    }
}

static void curves_are_covered_by_length(test* t)
{
    static const kin_vec3 line[] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 0}, {1, 3, 0}}; /* 1 m, a doubled point, 3 m */
    kin_emitter_def def = kin_emitter_def_default();
    def.shape = (kin_emitter_form){.kind = KIN_EMIT_CURVE, .points = {line, 4}};
    bear_n(t, &def);
    for (int i = 0; i < N; ++i) {
        kin_vec3 p = born[i].x;
        CHECK(t, (p.y == 0 && p.x <= 1) || (fabs(p.x - 1) < 1e-15 && p.y <= 3));
        values[i] = (p.x + p.y) / 4;
    }
    UNIFORM(t, values);
}

/* ---- directions and speeds ---- */

static void cones_are_uniform_caps(test* t)
{
    static const double apertures[] = {1e-3, 0.7, 2.5, KIN_PI};
    kin_emitter_def def = kin_emitter_def_default();
    def.direction = kin_v(0, 0, -5);
    def.speed[0] = 2;
    for (int k = 0; k < 4; ++k) {
        def.aperture = apertures[k];
        bear_n(t, &def);
        for (int i = 0; i < N; ++i) {
            double phi = kin_angle(born[i].v, def.direction);
            NEAR(t, kin_length(born[i].v), 2, 1e-14);
            CHECK(t, phi <= apertures[k] * (1 + 1e-9));
            values[i] = pow(sin(phi / 2) / sin(apertures[k] / 2), 2);
        }
        UNIFORM(t, values);
        for (int i = 0; i < N; ++i) values[i] = 0.5 + atan2(born[i].v.y, born[i].v.x) / (2 * KIN_PI);
        UNIFORM(t, values);
    }
}

static void normal_cones_are_cut_at_the_aperture(test* t) /* E2 */
{
    kin_emitter_def def = kin_emitter_def_default();
    def.direction = kin_v(1, 0, 0);
    def.orientation = kin_quat_axis_angle(kin_v(0, 0, 1), KIN_PI / 2); /* direction turns with it: x to y */
    def.speed[0] = 1;
    def.aperture = 0.6;
    def.spread = KIN_SPREAD_NORMAL;
    bear_n(t, &def);
    for (int i = 0; i < N; ++i) {
        double phi = kin_angle(born[i].v, kin_v(0, 1, 0));
        CHECK(t, phi <= 0.6 + 1e-12);
        values[i] = bell_share(phi / 0.6);
    }
    UNIFORM(t, values);
}

static void all_directions_are_alike(test* t)
{
    kin_emitter_def def = kin_emitter_def_default();
    def.aim = KIN_AIM_ALL;
    def.speed[0] = 1;
    bear_n(t, &def);
    for (int axis = 0; axis < 3; ++axis) {
        for (int i = 0; i < N; ++i) values[i] = 0.5 + 0.5 * kin_component(born[i].v, axis);
        UNIFORM(t, values);
    }
}

static void speeds_lie_about_their_mean(test* t) /* C3.7.1: 4 with 2 lies in 2..6 */
{
    kin_emitter_def def = kin_emitter_def_default();
    def.speed[0] = 4;
    def.speed[1] = 2;
    bear_n(t, &def);
    double least = 9, most = 0, sum = 0;
    for (int i = 0; i < N; ++i) {
        double v = born[i].v.y;
        least = fmin(least, v);
        most = fmax(most, v);
        sum += v / N;
        values[i] = bell_share((v - 4) / 2);
    }
    CHECK(t, least == 2 && most == 6);
    NEAR(t, sum, 4, 5 * 0.667 / sqrt(N));
    UNIFORM(t, values);
    double low = 9;
    for (int i = 0; i < N; ++i) low = fmin(low, kin_rng_about(&(kin_rng_key){.serial = (uint64_t)i}, 0, (double[]){1, 2}, 0.25));
    CHECK(t, low == 0.25);
}

/* ---- grids ---- */

static double nearest_pair(int64_t count)
{
    double least = INFINITY;
    for (int64_t i = 0; i < count; ++i) {
        for (int64_t j = 0; j < i; ++j) least = fmin(least, kin_distance(born[i].x, born[j].x));
    }
    return least;
}

static double farthest(int64_t count)
{
    double most = 0;
    for (int64_t i = 0; i < count; ++i) most = fmax(most, fmax(fabs(born[i].x.x), fabs(born[i].x.z)));
    return most;
}

static int64_t grid(test* t, kin_emitter_form shape, double max_size, int64_t count, double radius)
{
    kin_emitter_def def = kin_emitter_def_default();
    def.shape = shape;
    def.placement = KIN_PLACE_GRID;
    def.max_size[0] = max_size;
    kin_emit_step step = step_at(0, 0, 0.1);
    step.radius = radius;
    return bear(t, &def, &step, count, born);
}

static void square_grids_have_a_point_in_each_cell(test* t) /* side 2 d sqrt(n), n rounded up to a square */
{
    const kin_emitter_form quad = {.kind = KIN_EMIT_QUAD, .sides = {1, 1}};
    for (int64_t n = 1; n <= 40; ++n) {
        EQUAL(t, grid(t, quad, 0, n, 0.05), n);
        double side = 2 * 0.05 * ceil(sqrt((double)n));
        if (n > 1) NEAR(t, nearest_pair(n), 0.1, 1e-14);
        CHECK(t, farthest(n) + 0.05 <= side / 2 + 1e-14);
    }
    EQUAL(t, grid(t, quad, 0, 25, 0.05), 25);
    NEAR(t, farthest(25), 0.2, 1e-15); /* all of the cells: centres at +- 0.2, sides 0.5 */
}

static void grids_stop_at_their_largest_size(test* t) /* n = floor((f / 2 d)^2), of whole cells */
{
    EQUAL(t, grid(t, (kin_emitter_form){.kind = KIN_EMIT_QUAD, .sides = {1, 1}}, 0.3, 100, 0.05), 9);
    EQUAL(t, grid(t, (kin_emitter_form){.kind = KIN_EMIT_QUAD, .sides = {1, 1}}, 0.39, 100, 0.05), 9);
    EQUAL(t, grid(t, (kin_emitter_form){.kind = KIN_EMIT_QUAD, .sides = {1, 1}}, 0.05, 100, 0.05), 0);
    EQUAL(t, grid(t, (kin_emitter_form){.kind = KIN_EMIT_DISK, .radius = 1}, 0.3, 100, 0.05), 5);
    EQUAL(t, grid(t, (kin_emitter_form){.kind = KIN_EMIT_DISK, .radius = 1}, 0.2, 100, 0.05), 1);
    EQUAL(t, grid(t, (kin_emitter_form){.kind = KIN_EMIT_SPHERE, .radius = 0.05}, 0.1, 100, 0.05), 2);
}

static void round_grids_stay_in_their_circle(test* t)
{
    const kin_emitter_form disk = {.kind = KIN_EMIT_DISK, .radius = 1};
    static const int64_t wholes[] = {1, 5, 13, 16};
    static const double sides[] = {1, 3, 5, 6};
    for (int k = 0; k < 4; ++k) {
        EQUAL(t, grid(t, disk, 0, wholes[k], 0.5), wholes[k]);
        double most = 0;
        for (int64_t i = 0; i < wholes[k]; ++i) most = fmax(most, kin_length(born[i].x));
        CHECK(t, most + 0.5 <= 0.5 * sides[k] + 1e-14);
    }
    for (int64_t n = 2; n <= 300; n += 7) {
        EQUAL(t, grid(t, disk, 0, n, 0.5), n);
        CHECK(t, nearest_pair(n) >= 1 - 1e-14);
    }
}

static void sphere_grids_do_not_overlap(test* t)
{
    for (int64_t n = 1; n <= 400; n += 7) {
        EQUAL(t, grid(t, (kin_emitter_form){.kind = KIN_EMIT_SPHERE, .radius = 1}, 0, n, 0.15), n); /* grows beyond about 130 */
        CHECK(t, nearest_pair(n) >= 0.3 * (1 - 1e-11));
        double r = kin_length(born[0].x);
        for (int64_t i = 0; i < n; ++i) NEAR(t, kin_length(born[i].x), r, 1e-14);
        if (n < 100) NEAR(t, r, 1, 1e-14);
        CHECK(t, r >= 1 - 1e-14 && r * r < 1 + 1.6 * (double)n * 0.15 * 0.15 / KIN_PI); /* packed to two thirds at least */
    }
    EQUAL(t, grid(t, (kin_emitter_form){.kind = KIN_EMIT_SPHERE, .radius = 1e6}, 0, 50, 1e-3), 50); /* nearly empty */
    CHECK(t, nearest_pair(50) > 1e4);
}

static void grids_are_laid_anew_for_every_release(test* t)
{
    kin_emitter_def def = kin_emitter_def_default();
    def.shape = (kin_emitter_form){.kind = KIN_EMIT_QUAD, .sides = {1, 1}};
    def.placement = KIN_PLACE_GRID;
    kin_emitters* emitters = emitter_of(t, &def);
    kin_emit_step step = step_at(0, 0, 0.1);
    step.radius = 0.5;
    kin_emitter_bear(emitters, 0, &step, 9, born);
    NEAR(t, farthest(9), 1, 1e-15);
    kin_emitter_bear(emitters, 0, &step, 1, born);
    NEAR(t, farthest(1), 0, 0);
    step.radius = 0; /* points have no cells */
    kin_emitter_bear(emitters, 0, &step, 2, born);
    CHECK(t, kin_distance(born[0].x, born[1].x) > 0);
    kin_emitters_destroy(emitters);
}

TEST_MAIN("system/emit/place", TEST(a_point_is_one_place), TEST(disks_are_uniform_and_flat), TEST(normal_disks_are_cut_at_their_rim),
          TEST(quads_are_uniform_and_turn), TEST(triangles_average_to_their_centroid), TEST(half_of_the_square_is_folded), TEST(meshes_are_covered_by_area),
          TEST(spheres_are_uniform), TEST(balls_are_uniform), TEST(boxes_are_uniform), TEST(curves_are_covered_by_length), TEST(cones_are_uniform_caps),
          TEST(normal_cones_are_cut_at_the_aperture), TEST(all_directions_are_alike), TEST(speeds_lie_about_their_mean),
          TEST(square_grids_have_a_point_in_each_cell), TEST(grids_stop_at_their_largest_size), TEST(round_grids_stay_in_their_circle),
          TEST(sphere_grids_do_not_overlap), TEST(grids_are_laid_anew_for_every_release))
