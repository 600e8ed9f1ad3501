/* split_test.c - children of points that split: how many, when, how fast, where to (C3.7.2). */
#include "births.h"

enum { N = 20000, MOST = 16 };
static double values[N * 3];

static kin_rng_key key_of(int i) { return (kin_rng_key){.seed = 4, .serial = (uint64_t)i, .system = 1}; }

static void two_children_take_over(test* t)
{
    kin_split_def def = kin_split_def_default();
    kin_rng_key key = key_of(0);
    kin_newborn out[MOST];
    EQUAL(t, kin_split_number(&def, &key), 2);
    EQUAL(t, kin_split_children(&def, &key, kin_v(1, 2, 3), kin_v(0, 4, 0), out, MOST), 2);
    for (int i = 0; i < 2; ++i) {
        NEAR3(t, out[i].x, kin_v(1, 2, 3), 0);
        NEAR(t, kin_length(out[i].v), 4, 1e-14);
        CHECK(t, out[i].age == 0 && out[i].number == (uint64_t)i);
    }
    CHECK(t, kin_distance(out[0].v, out[1].v) > 1e-3);
    NEAR(t, kin_split_age(&def, &key), 1, 0);
    CHECK(t, def.size[0] == 0.5 && def.depth[0] == 1 && def.every[0] == 1 && !def.keep && def.into == NULL);
}

static void numbers_and_ages_deviate(test* t) /* 4 with 2: from 2 to 6 */
{
    kin_split_def def = kin_split_def_default();
    def.number[0] = 4;
    def.number[1] = 2;
    def.age[0] = 3;
    def.age[1] = 4;
    int seen[8] = {0};
    double sum = 0, least = 9;
    for (int i = 0; i < N; ++i) {
        kin_rng_key key = key_of(i);
        int number = kin_split_number(&def, &key);
        kin_newborn out[MOST];
        EQUAL(t, kin_split_children(&def, &key, kin_v(0, 0, 0), kin_v(1, 0, 0), out, MOST), number);
        if (CHECK(t, number >= 2 && number <= 6)) seen[number] += 1;
        sum += (double)number / N;
        least = fmin(least, kin_split_age(&def, &key));
        values[i] = bell_share((kin_split_age(&def, &key) - 3) / 4);
    }
    for (int n = 2; n <= 6; ++n) CHECK(t, seen[n] > 0);
    NEAR(t, sum, 4, 5 * 0.73 / sqrt(N));
    CHECK(t, least == 0); /* 3 - 4 would be before its birth */
    int inside = 0;
    for (int i = 0; i < N; ++i) inside += values[i] < 0.6827; /* within a deviation, a third of the largest */
    NEAR(t, inside / (double)N, 0.6827, 5 * 0.466 / sqrt(N));
}

static void children_spread_over_a_cone(test* t)
{
    static const double angles[] = {0.4, 2, KIN_PI};
    kin_split_def def = kin_split_def_default();
    def.number[0] = 3;
    def.speed[0] = 0.5;
    const kin_vec3 v = {3, 0, -4};
    for (int k = 0; k < 3; ++k) {
        def.direction = angles[k];
        for (int i = 0; i < N; ++i) {
            kin_rng_key key = key_of(i);
            kin_newborn out[MOST];
            EQUAL(t, kin_split_children(&def, &key, kin_v(0, 0, 0), v, out, MOST), 3);
            for (int c = 0; c < 3; ++c) {
                double phi = kin_angle(out[c].v, v);
                NEAR(t, kin_length(out[c].v), 2.5, 1e-13);
                CHECK(t, phi <= angles[k] * (1 + 1e-9));
                values[3 * i + c] = pow(sin(phi / 2) / sin(angles[k] / 2), 2);
            }
        }
        CHECK(t, ks_uniform(values, 3 * N) < 1.95);
    }
}

static void kicks_add_to_the_share_of_speed(test* t)
{
    kin_split_def def = kin_split_def_default();
    def.number[0] = 1;
    def.speed[0] = 0.25;
    def.kick[0] = 6;
    def.kick[1] = 3;
    def.direction = 0;
    for (int i = 0; i < N; ++i) {
        kin_rng_key key = key_of(i);
        kin_newborn out[MOST];
        kin_split_children(&def, &key, kin_v(0, 0, 0), kin_v(0, 0, 8), out, MOST);
        CHECK(t, out[0].v.x == 0 && out[0].v.y == 0 && out[0].v.z >= 2 + 3 && out[0].v.z <= 2 + 9);
        values[i] = bell_share((out[0].v.z - 8) / 3);
    }
    CHECK(t, ks_uniform(values, N) < 1.95);
}

static void a_resting_parent_bursts_to_all_sides(test* t)
{
    kin_split_def def = kin_split_def_default();
    def.number[0] = 1;
    def.kick[0] = 1;
    def.direction = 0.1;
    for (int i = 0; i < N; ++i) {
        kin_rng_key key = key_of(i);
        kin_newborn out[MOST];
        kin_split_children(&def, &key, kin_v(0, 0, 0), kin_v(0, 0, 0), out, MOST);
        values[i] = 0.5 + 0.5 * out[0].v.z;
    }
    CHECK(t, ks_uniform(values, N) < 1.95);
}

static void no_more_are_written_than_there_is_room_for(test* t)
{
    kin_split_def def = kin_split_def_default();
    def.number[0] = 9;
    kin_rng_key key = key_of(1);
    kin_newborn few[4] = {{.number = 77}, {.number = 77}, {.number = 77}, {.number = 77}}, all[MOST];
    EQUAL(t, kin_split_number(&def, &key), 9);
    EQUAL(t, kin_split_children(&def, &key, kin_v(0, 0, 0), kin_v(1, 0, 0), few, 3), 3);
    EQUAL(t, kin_split_children(&def, &key, kin_v(0, 0, 0), kin_v(1, 0, 0), all, MOST), 9);
    EQUAL(t, few[3].number, 77);
    for (int i = 0; i < 3; ++i) NEAR3(t, few[i].v, all[i].v, 0);
    def.number[0] = 0;
    EQUAL(t, kin_split_children(&def, &key, kin_v(0, 0, 0), kin_v(1, 0, 0), all, MOST), 0);
}

/* Share of speed and of size are drawn for each child, generations for each particle: within their deviations, with their means. */
static void shares_have_deviations(test* t)
{
    enum { PARENTS = 400, CHILDREN = 20 };
    double speed = 0, size = 0, depth = 0, square = 0;
    kin_split_def def = kin_split_def_default();
    def.number[0] = CHILDREN;
    def.direction = 0;
    def.speed[0] = 0.5, def.speed[1] = 0.3;
    def.size[0] = 0.4, def.size[1] = 0.2;
    def.depth[0] = 5, def.depth[1] = 3;
    for (uint64_t k = 0; k < PARENTS; ++k) {
        kin_newborn out[CHILDREN];
        kin_rng_key key = {.seed = 3, .serial = k};
        int deep = kin_split_depth(&def, &key);
        CHECK(t, deep >= 2 && deep <= 8);
        depth += deep;
        EQUAL(t, kin_split_children(&def, &key, kin_v(0, 0, 0), kin_v(2, 0, 0), out, CHILDREN), CHILDREN);
        for (int c = 0; c < CHILDREN; ++c) {
            double share = out[c].v.x / 2;
            CHECK(t, share >= 0.2 - 1e-12 && share <= 0.8 + 1e-12 && out[c].size >= 0.2 - 1e-12 && out[c].size <= 0.6 + 1e-12);
            speed += share;
            size += out[c].size;
            square += (out[c].size - 0.4) * (out[c].size - 0.4);
        }
    }
    const double n = PARENTS * CHILDREN; /* normal of a third of the deviation: four standard errors */
    NEAR(t, speed / n, 0.5, 4 * 0.1 / kin_sqrt(n));
    NEAR(t, size / n, 0.4, 4 * 0.2 / 3 / kin_sqrt(n));
    NEAR(t, kin_sqrt(square / n), 0.2 / 3, 0.05 * 0.2 / 3);
    NEAR(t, depth / PARENTS, 5, 4 * kin_sqrt(1 + 1.0 / 12) / kin_sqrt(PARENTS));
}

TEST_MAIN("system/emit/split", TEST(two_children_take_over), TEST(numbers_and_ages_deviate), TEST(children_spread_over_a_cone),
          TEST(kicks_add_to_the_share_of_speed), TEST(a_resting_parent_bursts_to_all_sides), TEST(no_more_are_written_than_there_is_room_for),
          TEST(shares_have_deviations))
