/* capture_test.c - what is seen of a tank: layers by phase, particles, paint, skins. */
#include "kinema/frame.h"
#include "tank.h"
#include <math.h>

typedef struct studio {
    kin_world* world;
    kin_sph_block blocks[2];
    kin_sph_phase_def phases[2];
    kin_sph_def def;
} studio;

/* Water to the left, mercury to the right, 5 cm apart; the right one moves at 2 m/s. */
static void set_up(test* t, studio* s)
{
    *s = (studio){.world = test_world(t, 0.01, kin_v(0, 0, 0))};
    for (int i = 0; i < 2; ++i) s->phases[i] = kin_sph_phase_def_default(), s->blocks[i] = tank_box(kin_v(0.25 * i, 0.3, 0), kin_v(0.2, 0.2, 0.2));
    s->phases[0].fluid = "water";
    s->phases[1].fluid = "mercury";
    s->blocks[1].phase = "mercury";
    s->blocks[1].velocity.x = 2;
    s->blocks[1].temperature = 400;
    s->def = tank_def(0.01, s->blocks, 2);
    s->def.phases.data = s->phases, s->def.phases.count = 2;
}

static const kin_frame* shoot(test* t, studio* s)
{
    const kin_frame* frame = NULL;
    tank_create(t, s->world, &s->def);
    CHECK(t, kin_world_capture(s->world, 0, 1.0 / 30, &frame, NULL) == KIN_OK);
    return frame;
}

static const float* floats(test* t, const kin_frame* frame, const char* layer, const char* name, size_t* count)
{
    const kin_layer* l = kin_frame_layer(frame, layer);
    const kin_array* a = l != NULL ? kin_layer_array(l, name) : NULL;
    test_check(t, a != NULL, __FILE__, __LINE__, "there is no %s of %s", name, layer);
    *count = a != NULL ? (size_t)a->count : 0;
    return a != NULL ? a->data : NULL;
}

static void particles_are_spheres_by_phase(test* t)
{
    studio s;
    size_t n;
    set_up(t, &s);
    s.def.look.draw = KIN_SPH_DRAW_PARTICLES;
    const kin_frame* frame = shoot(t, &s);
    EQUAL(t, frame->layer_count, 2);
    const float* x = floats(t, frame, "sph", "position", &n);
    EQUAL(t, n, 1000);
    NEAR3(t, kin_v((double)x[0], (double)x[1], (double)x[2]), kin_v(-0.09, 0.21, -0.09), 1e-7);
    const float* v = floats(t, frame, "sph/mercury", "velocity", &n);
    EQUAL(t, n, 1000);
    NEAR(t, (double)v[0], 2, 0);
    NEAR(t, (double)floats(t, frame, "sph", "radius", &n)[0], 0.01, 1e-9);
    EQUAL(t, kin_frame_layer(frame, "sph/mercury")->look.surface, KIN_SURFACE_METAL);
    CHECK(t, kin_layer_array(kin_frame_layer(frame, "sph"), "color") == NULL);
    kin_world_destroy(s.world);
}

static double redness(const float* rgb) { return (double)(rgb[0] - rgb[2]); }

/* The slow, cold phase is at the blue end of the ramp, the fast, warm one at the red end; a range that is given moves both. */
static void paint_tells_what_they_do(test* t)
{
    static const kin_sph_paint paints[] = {KIN_SPH_PAINT_SPEED, KIN_SPH_PAINT_TEMPERATURE};
    static const double ranges[2][2] = {{0, 4}, {293.15, 506.85}};
    for (int i = 0; i < 2; ++i) {
        for (int given = 0; given < 2; ++given) {
            studio s;
            size_t n;
            set_up(t, &s);
            s.def.look.draw = KIN_SPH_DRAW_PARTICLES;
            s.def.look.paint = paints[i];
            if (given) s.def.look.range[0] = ranges[i][0], s.def.look.range[1] = ranges[i][1];
            const kin_frame* frame = shoot(t, &s);
            const float* cold = floats(t, frame, "sph", "color", &n);
            CHECK(t, redness(cold) < -0.2);
            const float* warm = floats(t, frame, "sph/mercury", "color", &n);
            CHECK(t, given ? warm[1] > warm[0] && warm[1] > warm[2] : redness(warm) > 0.5); /* the middle of the ramp is green */
            kin_world_destroy(s.world);
        }
    }
}

/* Six times the signed volume of a closed mesh. */
static double volume_of(const float* x, const uint32_t* corners, size_t triangles)
{
    double sum = 0;
    for (size_t i = 0; i < triangles; ++i) {
        kin_vec3 p[3];
        for (size_t c = 0; c < 3; ++c) {
            const float* v = &x[3 * corners[3 * i + c]];
            p[c] = kin_v((double)v[0], (double)v[1], (double)v[2]);
        }
        sum += kin_triple(p[0], p[1], p[2]);
    }
    return sum / 6;
}

/* A skin encloses what the particles are worth: to 0.1 of the spacing of its surface (geometry/skin), 0.24 m^2 and two spacings of 2 cm make 6 %. */
static void skins_hold_the_fluid(test* t)
{
    static const kin_sph_skin skins[] = {KIN_SPH_SKIN_ANISOTROPIC, KIN_SPH_SKIN_ZHU_BRIDSON, KIN_SPH_SKIN_COLOR};
    for (int i = 0; i < 3; ++i) {
        studio s;
        size_t n, vertices;
        set_up(t, &s);
        s.def.look.skin = skins[i];
        const kin_frame* frame = shoot(t, &s);
        EQUAL(t, frame->layer_count, 2);
        const float* x = floats(t, frame, "sph", "position", &vertices);
        const uint32_t* corners = (const uint32_t*)floats(t, frame, "sph", "triangle", &n);
        NEAR(t, volume_of(x, corners, n), 0.008, 0.12 * 0.008); /* corners of the block are cut off besides */
        const float* v = floats(t, frame, "sph/mercury", "velocity", &n);
        for (size_t k = 0; k < n; k += 101) NEAR(t, (double)v[3 * k], 2, 1e-5);
        size_t particles;
        (void)floats(t, frame, "sph/mercury", "particle_position", &particles);
        const float* pv = floats(t, frame, "sph/mercury", "particle_velocity", &n); /* who is in the skin, for tables */
        EQUAL(t, n, particles);
        for (size_t k = 0; k < n; ++k) NEAR(t, (double)pv[3 * k], 2, 1e-5);
        CHECK(t, particles > 100 && kin_layer_array(kin_frame_layer(frame, "sph/mercury"), "particle_id")->count == particles);
        const float* normal = floats(t, frame, "sph", "normal", &n);
        EQUAL(t, n, vertices);
        for (size_t k = 0; k < n; k += 53) NEAR(t, hypot(hypot((double)normal[3 * k], (double)normal[3 * k + 1]), (double)normal[3 * k + 2]), 1, 1e-4);
        kin_world_destroy(s.world);
    }
}

static size_t vertices_with(test* t, double cell, int smoothing)
{
    studio s;
    size_t n;
    set_up(t, &s);
    s.def.look.cell = cell;
    s.def.look.smoothing = smoothing;
    floats(t, shoot(t, &s), "sph", "position", &n);
    kin_world_destroy(s.world);
    return n;
}

static void finer_cells_make_more_vertices(test* t)
{
    double ratio = (double)vertices_with(t, 0.25, 0) / (double)vertices_with(t, 0.5, 0);
    CHECK(t, ratio > 3 && ratio < 5);
    EQUAL(t, vertices_with(t, 0.5, 3), vertices_with(t, 0.5, 0)); /* smoothing moves them */
}

static void both_may_be_seen(test* t)
{
    studio s;
    size_t n;
    set_up(t, &s);
    s.def.look.draw = KIN_SPH_DRAW_BOTH;
    s.def.look.paint = KIN_SPH_PAINT_SPEED;
    const kin_frame* frame = shoot(t, &s);
    EQUAL(t, frame->layer_count, 4);
    floats(t, frame, "sph/particles", "color", &n);
    EQUAL(t, n, 1000);
    const float* colors = floats(t, frame, "sph/mercury", "vertex_color", &n);
    CHECK(t, n > 0 && redness(colors) > 0.5);
    kin_world_destroy(s.world);
}

TEST_MAIN("sph capture", TEST(particles_are_spheres_by_phase), TEST(paint_tells_what_they_do), TEST(skins_hold_the_fluid), TEST(finer_cells_make_more_vertices),
          TEST(both_may_be_seen))
