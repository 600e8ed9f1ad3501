/* capture_test.c - what is seen of particles: a layer for each look, with what it must hold. */
#include "many.h"
#include "math/quat.h"

static const kin_frame* seen(test* t, kin_world* w)
{
    const kin_frame* frame = NULL;
    EQUAL(t, kin_world_capture(w, 0, 1.0 / 30, &frame, NULL), KIN_OK);
    return frame;
}

static const float* floats(test* t, const kin_layer* layer, const char* name, uint32_t width, uint64_t count)
{
    const kin_array* a = layer != NULL ? kin_layer_array(layer, name) : NULL;
    bool ok = a != NULL && a->type == KIN_F32 && a->width == width && a->count == count;
    test_check(t, ok, __FILE__, __LINE__, "%s: %s has %d x %d, not %d x %d", layer != NULL ? layer->name : "no layer", name, a != NULL ? (int)a->count : -1,
               a != NULL ? (int)a->width : -1, (int)count, (int)width);
    return ok ? a->data : NULL;
}

static const kin_layer* layer_of(const kin_frame* frame, kin_layer_kind kind)
{
    for (uint32_t i = 0; i < frame->layer_count; ++i) {
        if (frame->layers[i].kind == kind) return &frame->layers[i];
    }
    return NULL;
}

static const kin_vec3 arrow[] = {{-0.5, 0, 0}, {0.5, 0, 0}, {0, 0, 2}, {0, 0.3, 0}};
static const uint32_t faces[] = {0, 1, 2, 0, 2, 3, 2, 1, 3, 1, 0, 3};
static const kin_mesh_view dart = {arrow, 4, NULL, faces, 4};

/* Four kinds, four looks; who is inactive is not seen. */
static void a_layer_for_each_look(test* t)
{
    many m;
    kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
    static const char* const names[] = {"ball", "puff", "dart", "ghost"};
    static const int counts[] = {5, 7, 3, 4};
    many_begin(&m, 4, 0, 5);
    for (int i = 0; i < 4; ++i) {
        m.kinds[i].name = m.groups[i].kind = names[i];
        m.kinds[i].draw = (kin_particle_draw)i;
        m.groups[i].count = counts[i];
        m.groups[i].box = kin_v(1, 1, 1);
        m.groups[i].radius = 0.1 * (i + 1);
    }
    m.kinds[0].streak = 0.04;
    m.kinds[2].mesh = dart;
    m.kinds[2].mesh_size = 2;
    m.kinds[3].deposit = 1;
    m.groups[4].kind = "ball";
    m.groups[4].mobility = KIN_MOBILITY_INACTIVE;
    m.def.volume.box = kin_v(2, 2, 2);
    m.def.volume.resolution = 8;
    kin_system_id id = many_add(t, w, &m);
    test_steps(t, w, 10);
    const kin_frame* frame = seen(t, w);
    EQUAL(t, frame->layer_count, 4);
    const kin_layer *points = layer_of(frame, KIN_LAYER_POINTS), *sprites = layer_of(frame, KIN_LAYER_SPRITES), *meshes = layer_of(frame, KIN_LAYER_MESH),
                    *volume = layer_of(frame, KIN_LAYER_VOLUME);
    const float* x = floats(t, points, "position", 3, 5);
    const float* r = floats(t, sprites, "radius", 1, 7);
    floats(t, points, "velocity", 3, 5);
    floats(t, sprites, "position", 3, 7);
    const float* angle = floats(t, sprites, "angle", 1, 7);
    floats(t, meshes, "position", 3, 4);
    floats(t, meshes, "pose", 7, 3);
    floats(t, meshes, "pose_end", 7, 3);
    const float* scale = floats(t, meshes, "scale", 1, 3);
    const float* density = floats(t, volume, "density", 1, 8 * 8 * 8);
    if (x == NULL || r == NULL || angle == NULL || scale == NULL || density == NULL) return kin_world_destroy(w);
    NEAR(t, (double)points->look.streak, 0.04, 1e-6);
    NEAR(t, (double)x[3], (float)kin_particle_position(w, id, 1).x, 1e-6);
    NEAR(t, (double)r[0], 0.2, 1e-6);
    NEAR(t, (double)scale[0], 2 * 0.3, 1e-6);
    CHECK(t, angle[0] != angle[1]);
    EQUAL(t, kin_layer_array(meshes, "triangle")->count, 4);
    TEXT(t, points->name, "particles");
    TEXT(t, sprites->name, "particles/puff");
    TEXT(t, volume->name, "particles/volume");
    double mass = 0;
    for (int i = 0; i < 512; ++i) mass += (double)density[i] * 0.25 * 0.25 * 0.25;
    NEAR(t, mass, 4 * 0.1, 1e-4); /* kg/s times s, of four */
    kin_world_destroy(w);
}

static void colours_and_opacity_over_age(test* t)
{
    static const kin_curve_key colors[] = {{0, {1, 0, 0}}, {1, {0, 1, 0.5}}}, fade[] = {{0, {1}}, {0.5, {0}}};
    many m;
    kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
    many_begin(&m, 1, 1, 0);
    m.kinds[0].color = (kin_curve){colors, 2, KIN_CURVE_LINEAR};
    m.kinds[0].opacity = (kin_curve){fade, 2, KIN_CURVE_LINEAR};
    m.kinds[0].draw = KIN_DRAW_SPRITE;
    many_rate(&m, 0, 20);
    kin_system_id id = many_add(t, w, &m);
    test_steps(t, w, 80);
    kin_particles_view view = kin_particles_state(w, id);
    const kin_layer* layer = layer_of(seen(t, w), KIN_LAYER_SPRITES);
    const float *color = floats(t, layer, "color", 3, view.count), *opacity = floats(t, layer, "opacity", 1, view.count);
    EQUAL(t, view.count, 16);
    for (size_t i = 0; color != NULL && opacity != NULL && i < view.count; ++i) {
        double age = kin_world_time(w) - view.birth[i];
        NEAR(t, (double)color[3 * i], 1 - age, 1e-6);
        NEAR(t, (double)color[3 * i + 1], age, 1e-6);
        NEAR(t, (double)color[3 * i + 2], 0.5 * age, 1e-6);
        NEAR(t, (double)opacity[i], kin_max(1 - 2 * age, 0), 1e-6);
    }
    kin_world_destroy(w);
}

static kin_quat pose_turn(const float* pose) { return (kin_quat){(double)pose[3], (double)pose[4], (double)pose[5], (double)pose[6]}; }

/* Along its velocity, leaning into the turn: a charge that circles in a magnetic field. tan of the angle = bank a, the inner wing down. */
static void meshes_look_ahead_and_lean(test* t)
{
    for (int turn = -1; turn <= 1; ++turn) {
        many m;
        kin_magnetic_field field;
        kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
        CHECK(t, kin_field_default("magnetic", &field));
        field.magnetic = kin_v(0, turn, 0);
        EQUAL(t, kin_world_add_field(w, "magnetic", &field, NULL, NULL), KIN_OK);
        many_begin(&m, 1, 0, 1);
        many_integrator(&m, "rk4");
        m.kinds[0].draw = KIN_DRAW_MESH;
        m.kinds[0].orient = KIN_ORIENT_BANK;
        m.kinds[0].mesh = dart;
        m.kinds[0].bank = 0.1;
        m.kinds[0].bank_time = 0.1;
        m.groups[0].charge = 1;
        m.groups[0].velocity = kin_v(4, 0, 0); /* a = v B = 4 m/s^2 */
        kin_system_id id = many_add(t, w, &m);
        test_steps(t, w, 200);
        const float* pose = floats(t, layer_of(seen(t, w), KIN_LAYER_MESH), "pose", 7, 1);
        if (pose == NULL) return kin_world_destroy(w);
        kin_quat q = pose_turn(pose);
        kin_vec3 v = kin_particle_velocity(w, id, 0), ahead = kin_rotate(q, kin_v(0, 0, 1)), up = kin_rotate(q, kin_v(0, 1, 0));
        kin_vec3 inward = kin_cross(v, field.magnetic); /* where the force goes */
        NEAR3(t, ahead, kin_scale(v, 1 / kin_length(v)), 1e-5);
        NEAR(t, up.y, kin_cos(kin_atan(0.1 * 4 * kin_abs(turn))), 1e-3);
        if (turn != 0) CHECK(t, kin_dot(up, inward) > 0); /* its top leans to the inside, so the inner wing is down */
        kin_world_destroy(w);
    }
}

/* Tumbling turns with age about an axis of its own, without any state; fixed does not turn. */
static void leaves_tumble(test* t)
{
    for (int orient = KIN_ORIENT_TUMBLE; orient <= KIN_ORIENT_FIXED; ++orient) {
        many m;
        kin_world* w = test_world(t, 0.1, kin_v(0, 0, 0));
        many_begin(&m, 1, 0, 1);
        m.kinds[0].draw = KIN_DRAW_MESH;
        m.kinds[0].orient = (kin_particle_orient)orient;
        m.kinds[0].mesh = dart;
        m.kinds[0].spin[0] = 2;
        m.kinds[0].spin[1] = 0;
        m.groups[0].count = 2;
        many_add(t, w, &m);
        kin_quat q[2][2] = {0};
        for (int i = 0; i < 2; ++i) {
            const float* pose = floats(t, layer_of(seen(t, w), KIN_LAYER_MESH), "pose", 7, 2);
            for (int k = 0; pose != NULL && k < 2; ++k) q[i][k] = pose_turn(pose + 7 * k);
            test_steps(t, w, 1);
        }
        for (int k = 0; k < 2; ++k) {
            double half = kin_abs(q[0][k].x * q[1][k].x + q[0][k].y * q[1][k].y + q[0][k].z * q[1][k].z + q[0][k].w * q[1][k].w);
            NEAR(t, 2 * kin_acos(kin_min(half, 1)), orient == KIN_ORIENT_TUMBLE ? 0.2 : 0, 1e-3);
        }
        CHECK(t, (kin_abs(q[0][0].x - q[0][1].x) > 1e-3) == (orient == KIN_ORIENT_TUMBLE));
        kin_world_destroy(w);
    }
}

TEST_MAIN("capture", TEST(a_layer_for_each_look), TEST(colours_and_opacity_over_age), TEST(meshes_look_ahead_and_lean), TEST(leaves_tumble))
