/* surface_test.c - walls that change their shape: an animated sheet of waves, a balloon that grows. */
#include "domains/sph/boundary/surface.h"
#include "shapes.h"

enum { GRID = 17, VERTICES = GRID * GRID, FACES = (GRID - 1) * (GRID - 1) };

static kin_vec3 vertices[2][VERTICES];
static uint32_t corners[4 * FACES], sizes[FACES];

/* A sheet of 2 x 2 m with waves of 0.1 m that run along x. */
static double height(double x, double time) { return 0.1 * kin_sin(3 * x - 4 * time); }

static void wave(kin_vec3* out, double time)
{
    for (int i = 0; i < VERTICES; ++i) {
        double x = -1 + 0.125 * (i % GRID), z = -1 + 0.125 * (i / GRID);
        out[i] = kin_v(x, height(x, time), z);
    }
}

static kin_mesh_view sheet(void)
{
    for (uint32_t f = 0; f < FACES; ++f) {
        uint32_t a = f % (GRID - 1) + GRID * (f / (GRID - 1));
        const uint32_t c[4] = {a, a + GRID, a + GRID + 1, a + 1};
        memcpy(corners + 4 * f, c, sizeof c);
        sizes[f] = 4;
    }
    return (kin_mesh_view){vertices[0], VERTICES, sizes, corners, FACES};
}

static uint32_t add(test* t, tank* k, kin_mesh_view view)
{
    uint32_t serial = 0;
    kin_sph_surface_def def = kin_sph_surface_def_default();
    def.mesh = view;
    EQUAL(t, kin_sph_walls_add_surface(k->f.walls, &def, &serial, NULL), KIN_OK);
    return serial;
}

static void move(test* t, tank* k, uint32_t serial, const kin_vec3* to, size_t count)
{
    EQUAL(t, kin_sph_walls_move_surface(k->f.walls, serial, to, count, NULL), KIN_OK);
}

static tank* over_waves(test* t, size_t room, uint32_t* serial)
{
    kin_sph_def def = tank_def();
    tank* k = tank_open(t, &def, room, 1);
    wave(vertices[0], 0);
    *serial = add(t, k, sheet());
    return k;
}

/* A flat sheet is a plane from both sides; what moves counts. */
static void a_sheet_is_felt_as_it_moves(test* t)
{
    uint32_t serial;
    tank* k = over_waves(t, 8, &serial);
    for (int i = 0; i < VERTICES; ++i) vertices[0][i].y = 0, vertices[1][i] = kin_add(vertices[0][i], kin_v(0, 0.001, 0));
    move(t, k, serial, vertices[0], VERTICES);
    kin_sph_walls_end(k->f.walls, &k->step);
    move(t, k, serial, vertices[1], VERTICES);
    tank_put(k, kin_v(0.02, 0.04, 0.03), kin_v(0, 0, 0));
    tank_put(k, kin_v(0.3, -0.04, 0.2), kin_v(0, 0, 0));
    tank_feel(k);
    double slope, flat = kin_sph_curve_at(&k->f.walls->profile.share, 0.04, &slope);
    for (size_t i = 0; i < 2; ++i) {
        NEAR(t, (double)k->f.lambda[i], flat, 1e-5);
        NEAR(t, tank_b(k, i).y, i == 0 ? slope : -slope, 1e-3);
        NEAR(t, (double)k->f.wall_rate[i], tank_b(k, i).y * 0.1, 1e-4);
    }
    EQUAL(t, kin_sph_walls_remove_surface(k->f.walls, serial, NULL), KIN_OK);
    tank_feel(k);
    EQUAL(t, k->f.lambda[0] == 0, 1);
    tank_close(k);
}

/* A floor that rises beside a wall that stands, in one mesh: who is in the corner, nearer to the wall, is pressed as by the floor alone. */
static void pieces_of_a_corner_go_their_own_ways(test* t)
{
    kin_sph_def def = tank_def();
    tank* k = tank_open(t, &def, 8, 1);
    kin_vec3 corner[8] = {{1e-4, 0, -1}, {1e-4, 0, 1}, {1, 0, 1}, {1, 0, -1}, {0, -1, -1}, {0, -1, 1}, {0, 1, 1}, {0, 1, -1}};
    const uint32_t faces[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    uint32_t serial = add(t, k, (kin_mesh_view){corner, 8, four, faces, 2});
    for (int i = 0; i < 4; ++i) corner[i].y += 0.001;
    move(t, k, serial, corner, 8);
    tank_put(k, kin_v(0.03, 0.04, 0), kin_v(0, 0, 0));
    tank_feel(k);
    CHECK(t, tank_b(k, 0).x < -1 && tank_b(k, 0).y < -1);
    NEAR(t, (double)k->f.wall_rate[0], tank_b(k, 0).y * 0.1, 1e-4);
    tank_close(k);
}

/* A step in four intervals: a quarter of the way each, and there at the end. */
static void a_call_is_for_the_whole_step(test* t)
{
    uint32_t serial;
    tank* k = over_waves(t, 8, &serial);
    for (int i = 0; i < VERTICES; ++i) vertices[1][i] = kin_add(vertices[0][i], kin_v(0, 0.004, 0));
    move(t, k, serial, vertices[1], VERTICES);
    k->step.intervals = 4;
    for (k->step.interval = 0; k->step.interval < 4; ++k->step.interval) {
        tank_begin(k);
        NEAR(t, k->f.walls->surfaces[0]->end[5].y - vertices[0][5].y, 0.001 * (k->step.interval + 1), 1e-15);
        kin_sph_walls_end(k->f.walls, &k->step);
    }
    CHECK(t, k->f.walls->surfaces[0]->start[5].y == vertices[1][5].y);
    tank_close(k);
}

static double over(const tank* k, size_t i, double time)
{
    kin_vec3 x = tank_x(k, i);
    double cell = (x.x + 1) / 0.125, left = kin_floor(cell), u = cell - left;
    return x.y - kin_mix(height(-1 + 0.125 * left, time), height(-1 + 0.125 * (left + 1), time), u); /* the mesh is straight between its vertices */
}

/* Waves run through particles that rest or fly: who was above stays above, and is carried; in 40 ticks nobody comes to the sheet's ends. */
static void nobody_passes_an_animated_sheet(test* t)
{
    uint32_t serial;
    tank* k = over_waves(t, 400, &serial);
    static float from[1600];
    static bool above[400];
    for (int i = 0; i < 400; ++i) {
        double x = -0.7 + 0.07 * (i % 20), z = -0.6 + 0.06 * (i / 20), y = height(x, 0) + (i % 2 ? 0.03 : -0.03);
        tank_put(k, kin_v(x, y, z), kin_v(0.2, i % 2 ? -1.5 : 1.5, 0));
        above[i] = i % 2;
    }
    for (int n = 0; n < 40; ++n) {
        double end = 0.01 * (n + 1);
        wave(vertices[1], end);
        move(t, k, serial, vertices[1], VERTICES);
        tank_feel(k);
        memcpy(from, k->f.x4, sizeof from);
        for (size_t i = 0; i < 400; ++i) {
            k->f.v4[4 * i + 1] += above[i] ? -0.1f : 0.1f;
            for (size_t a = 0; a < 3; ++a) k->f.x4[4 * i + a] += k->tick.h * k->f.v4[4 * i + a];
        }
        kin_sph_walls_hold(&k->f, &k->tick, from);
        kin_sph_walls_end(k->f.walls, &k->step);
        for (size_t i = 0; i < 400; ++i) CHECK(t, above[i] ? over(k, i, end) > 0.003 : over(k, i, end) < -0.003);
    }
    for (size_t i = 0; i < 400; ++i) CHECK(t, kin_finite3(tank_v(k, i)) && kin_length(tank_v(k, i)) < 3);
    tank_close(k);
}

/* A slanted sheet pushes a particle at a sheet that stands: it gives way along both. */
static void nobody_is_pushed_through_another_sheet(test* t)
{
    kin_sph_def def = tank_def();
    tank* k = tank_open(t, &def, 8, 1);
    static float from[32];
    const kin_vec3 stands[4] = {{0.05, -1, -1}, {0.05, 1, -1}, {0.05, 1, 1}, {0.05, -1, 1}};
    kin_vec3 slanted[4] = {{-1.02, 1, -1}, {0.98, -1, -1}, {0.98, -1, 1}, {-1.02, 1, 1}}; /* x + y = -0.02 */
    const uint32_t face[4] = {0, 1, 2, 3};
    add(t, k, (kin_mesh_view){stands, 4, four, face, 1});
    uint32_t serial = add(t, k, (kin_mesh_view){slanted, 4, four, face, 1});
    for (int v = 0; v < 4; ++v) slanted[v] = kin_add(slanted[v], kin_v(0.06, 0.06, 0));
    move(t, k, serial, slanted, 4);
    tank_put(k, kin_v(0, 0, 0), kin_v(0, 0, 0));
    tank_feel(k);
    memcpy(from, k->f.x4, sizeof from);
    kin_sph_walls_hold(&k->f, &k->tick, from);
    kin_vec3 x = tank_x(k, 0);
    CHECK(t, x.x < 0.0475 && x.x + x.y > 0.1); /* half way off the one that stands at least: each round halves what is missing */
    tank_close(k);
}

/* A closed cube that grows to twice its size in 20 ticks: all are outside at every tick's end. */
static void a_balloon_grows_and_nobody_is_inside(test* t)
{
    kin_sph_def def = tank_def();
    tank* k = tank_open(t, &def, 512, 1);
    kin_shape cube = cube_mesh(6, 1);
    static kin_vec3 small[8], large[8];
    static float from[2048];
    kin_mesh_view view = cube.mesh;
    view.vertices = small;
    for (int v = 0; v < 8; ++v) small[v] = kin_scale(cube_vertices[v], 0.2);
    uint32_t serial = add(t, k, view);
    for (int i = 0; i < 512; ++i) {
        kin_vec3 x = {0.11 * (i % 8) - 0.385, 0.11 * (i / 8 % 8) - 0.385, 0.11 * (i / 64) - 0.385};
        if (kin_largest(kin_abs3(x)) > 0.21) tank_put(k, x, kin_v(0, 0, 0));
    }
    for (int n = 0; n < 20; ++n) {
        double end = 0.2 + 0.01 * (n + 1);
        for (int v = 0; v < 8; ++v) large[v] = kin_scale(cube_vertices[v], end);
        move(t, k, serial, large, 8);
        tank_feel(k);
        memcpy(from, k->f.x4, sizeof from);
        kin_sph_walls_hold(&k->f, &k->tick, from);
        kin_sph_walls_end(k->f.walls, &k->step);
        for (size_t i = 0; i < k->f.count; ++i)
            CHECK(t, kin_largest(kin_abs3(tank_x(k, i))) > end + 0.0028); /* 0.005 off, or a root of three of that each way at its corners */
    }
    tank_close(k);
}

static bool add_and_feel(test* t, void* context)
{
    (void)context;
    kin_sph_def def = tank_def();
    kin_birth birth = {.allocator = t->allocator};
    kin_sph_walls* w;
    if (kin_sph_walls_create(&birth, &def, &w, NULL) != KIN_OK) return false;
    wave(vertices[0], 0);
    kin_sph_surface_def surface = kin_sph_surface_def_default();
    surface.mesh = sheet();
    uint32_t serial;
    bool ok = kin_sph_walls_add_surface(w, &surface, &serial, NULL) == KIN_OK;
    kin_sph_walls_destroy(w);
    return ok;
}

static void out_of_memory_leaks_nothing(test* t) { test_fail_each_allocation(t, add_and_feel, NULL); }

TEST_MAIN("sph boundary surface", TEST(a_sheet_is_felt_as_it_moves), TEST(pieces_of_a_corner_go_their_own_ways), TEST(a_call_is_for_the_whole_step),
          TEST(nobody_passes_an_animated_sheet), TEST(nobody_is_pushed_through_another_sheet), TEST(a_balloon_grows_and_nobody_is_inside),
          TEST(out_of_memory_leaks_nothing))
