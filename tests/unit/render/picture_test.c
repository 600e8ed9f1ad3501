/* picture_test.c - frames in, pixels out: what is seen, where, how bright; and that nothing else changes. */
#include "zoo.h"
#include <math.h>
#include <stdlib.h>
#include <xmmintrin.h>

static const float middle[3] = {0, 1, 0}, one = 1;

static void sphere_has_its_colour(test* t)
{
    hand_frame h;
    hand_begin(&h);
    hand_ground(&h);
    hand_sphere(&h, KIN_SURFACE_MATTE, 0.6f, 0.06f, 0.06f, middle, &one);
    uint8_t* rgb = render(t, &h, 2);
    const uint8_t* p = pixel(rgb, WIDTH / 2, HEIGHT / 2);
    CHECK(t, reddish(p));
    NEAR(t, p[0], 195, 35); /* 0.6 under sun and sky of about 0.9, in sRGB */
    NEAR(t, (double)p[1] - p[2], 0, 12);
    CHECK(t, !reddish(pixel(rgb, 2, 2)) && brightness(rgb, 2, 2) > 90);
    int red = count_reddish(rgb); /* a disk of radius 1 at 10 m in a field of 0.6 rad: 10.3 pixels */
    NEAR(t, red, 3.14159 * 10.3 * 10.3, 60);
    free(rgb);
}

static void shadow_is_darker_than_ground(test* t)
{
    hand_frame h;
    hand_begin(&h);
    hand_ground(&h);
    const float high[3] = {0, 2.5f, 0};
    h.frame.camera.eye = (kin_vec3){0, 12, 0.01};
    h.frame.camera.target = (kin_vec3){0, 0, 0};
    h.frame.camera.up = (kin_vec3){0, 0, -1};
    h.frame.light.sun_direction = (kin_vec3){0.7, 0.7, 0};
    hand_sphere(&h, KIN_SURFACE_MATTE, 0.6f, 0.6f, 0.6f, high, &one);
    uint8_t* rgb = render(t, &h, 2);
    double scale = HEIGHT / 2 / (12 * tan(0.3)); /* pixels a metre on the ground: the shadow lies at x = -2.5 */
    int shade = brightness(rgb, WIDTH / 2 - (int)(2.5 * scale), HEIGHT / 2), lit = brightness(rgb, WIDTH / 2 + (int)(2.5 * scale), HEIGHT / 2);
    CHECK(t, shade < 0.75 * lit);
    CHECK(t, shade > 0.2 * lit); /* the sky still lights it */
    free(rgb);
}

static void point_colours_override(test* t)
{
    hand_frame h;
    hand_begin(&h);
    const float two[6] = {-1.5f, 1, 0, 1.5f, 1, 0}, radius[2] = {1, 1}, colors[6] = {0.7f, 0.05f, 0.05f, 0.05f, 0.05f, 0.7f};
    kin_layer* layer = hand_layer(&h, KIN_LAYER_POINTS, KIN_SURFACE_MATTE, 0.5f, 0.5f, 0.5f);
    hand_array(&h, layer, "position", KIN_F32, 3, 2, two);
    hand_array(&h, layer, "radius", KIN_F32, 1, 2, radius);
    hand_array(&h, layer, "color", KIN_F32, 3, 2, colors);
    uint8_t* rgb = render(t, &h, 2);
    CHECK(t, reddish(pixel(rgb, WIDTH / 2 - 15, HEIGHT / 2)));
    const uint8_t* p = pixel(rgb, WIDTH / 2 + 15, HEIGHT / 2);
    CHECK(t, p[2] > 2 * p[0]);
    free(rgb);
}

static void instances_stand_at_their_poses(test* t)
{
    hand_frame h;
    hand_begin(&h);
    const float pose[14] = {-2, 1, 0, 0, 0, 0, 1, 2, 1, 0, 0, 0, 0.38268f, 0.92388f}; /* the second turned by 45 degrees */
    kin_layer* layer = hand_square(&h);
    hand_array(&h, layer, "pose", KIN_F32, 7, 2, pose);
    uint8_t* rgb = render(t, &h, 2);
    double scale = HEIGHT / 2 / (10 * tan(0.3));
    int left = WIDTH / 2 - (int)(2 * scale), right = WIDTH / 2 + (int)(2 * scale), corner = (int)(0.62 * scale);
    CHECK(t, reddish(pixel(rgb, left, HEIGHT / 2)) && reddish(pixel(rgb, right, HEIGHT / 2)));
    CHECK(t, !reddish(pixel(rgb, WIDTH / 2, HEIGHT / 2)));
    CHECK(t, reddish(pixel(rgb, right + corner, HEIGHT / 2)) && !reddish(pixel(rgb, left + corner, HEIGHT / 2)));
    free(rgb);
}

static void kept_mesh_follows_its_hash(test* t)
{
    hand_frame h;
    hand_begin(&h);
    float pose[7] = {0, 1, 0, 0, 0, 0, 1}, small[12];
    for (int i = 0; i < 12; ++i) small[i] = 0.5f * square[i];
    kin_layer* layer = hand_square(&h);
    hand_array(&h, layer, "pose", KIN_F32, 7, 1, pose);
    kin_array* position = &h.arrays[0][0];
    position->hash = 11;
    h.arrays[0][1].hash = 12;
    studio s;
    studio_begin(t, &s, 2, 8);
    uint8_t* first = render_with(t, &s, &h.frame);
    uint8_t* again = render_with(t, &s, &h.frame);
    CHECK(t, same(first, again));
    position->data = small;
    position->hash = 13;
    uint8_t* shrunk = render_with(t, &s, &h.frame);
    CHECK(t, count_reddish(shrunk) < 0.4 * count_reddish(first));
    free(first);
    free(again);
    free(shrunk);
    studio_end(&s);
}

static void same_bytes_for_any_thread_count(test* t)
{
    hand_frame h;
    fill_zoo(&h);
    uint8_t* one_thread = render(t, &h, 1);
    for (int threads = 2; threads <= 3; ++threads) {
        uint8_t* other = render(t, &h, threads);
        CHECK(t, same(one_thread, other));
        free(other);
    }
    free(one_thread);
}

static void what_stands_still_does_not_flicker(test* t)
{
    hand_frame h;
    fill_zoo(&h);
    uint8_t* before = render(t, &h, 2);
    h.frame.index = 77;
    h.frame.time = 7.7;
    uint8_t* after = render(t, &h, 2);
    CHECK(t, same(before, after));
    free(before);
    free(after);
}

static void origin_moves_everything(test* t)
{
    hand_frame h;
    hand_begin(&h);
    hand_ground(&h);
    hand_sphere(&h, KIN_SURFACE_MATTE, 0.6f, 0.06f, 0.06f, middle, &one);
    uint8_t* here = render(t, &h, 2);
    h.frame.origin = (kin_vec3){0x1p20, 0, -0x1p21}; /* whole periods of the ground (pattern.h) */
    h.frame.camera.eye = (kin_vec3){0x1p20, 1, -0x1p21 + 10};
    h.frame.camera.target = (kin_vec3){0x1p20, 1, -0x1p21};
    uint8_t* there = render(t, &h, 2);
    int largest = 0;
    for (int i = 0; i < WIDTH * HEIGHT * 3; ++i) largest = abs(here[i] - there[i]) > largest ? abs(here[i] - there[i]) : largest;
    CHECK(t, largest <= 2);
    free(here);
    free(there);
}

static void motion_blur_widens(test* t)
{
    hand_frame h;
    hand_begin(&h);
    const float velocity[3] = {20, 0, 0};
    kin_layer* layer = hand_sphere(&h, KIN_SURFACE_EMISSIVE, 1, 0, 0, middle, &one);
    layer->look.glow = 1;
    hand_array(&h, layer, "velocity", KIN_F32, 3, 1, velocity);
    uint8_t* sharp = render(t, &h, 2);
    h.frame.camera.shutter = 1; /* 2 m in the 0.1 s to the next frame */
    uint8_t* blurred = render(t, &h, 2);
    double scale = HEIGHT / 2 / (10 * tan(0.3));
    int ahead = WIDTH / 2 + (int)(1.8 * scale), behind = WIDTH / 2 - (int)(1.3 * scale);
    CHECK(t, !reddish(pixel(sharp, ahead, HEIGHT / 2)));
    CHECK(t, pixel(blurred, ahead, HEIGHT / 2)[0] > pixel(sharp, ahead, HEIGHT / 2)[0] + 20);
    CHECK(t, abs(brightness(blurred, behind, HEIGHT / 2) - brightness(sharp, behind, HEIGHT / 2)) < 12); /* nothing behind it */
    free(sharp);
    free(blurred);
}

static void turning_instance_blurs(test* t)
{
    hand_frame h;
    hand_begin(&h);
    const float pose[7] = {0, 1, 0, 0, 0, 0, 1}, pose_end[7] = {2, 1, 0, 0, 0, 0, 1};
    kin_layer* layer = hand_square(&h);
    hand_array(&h, layer, "pose", KIN_F32, 7, 1, pose);
    hand_array(&h, layer, "pose_end", KIN_F32, 7, 1, pose_end);
    uint8_t* sharp = render(t, &h, 2);
    h.frame.camera.shutter = 0.5;
    uint8_t* blurred = render(t, &h, 2);
    double scale = HEIGHT / 2 / (10 * tan(0.3));
    int ahead = WIDTH / 2 + (int)(1.2 * scale);
    CHECK(t, !reddish(pixel(sharp, ahead, HEIGHT / 2)));
    CHECK(t, pixel(blurred, ahead, HEIGHT / 2)[0] > pixel(blurred, ahead, HEIGHT / 2)[1] + 10);
    free(sharp);
    free(blurred);
}

static void glowing_sphere_lights_the_ground(test* t)
{
    hand_frame h;
    hand_begin(&h);
    hand_ground(&h);
    h.frame.light = (kin_light){.sun_direction = {0, 1, 0}, .sky = {0.02f, 0.02f, 0.02f}, .horizon = {0.02f, 0.02f, 0.02f}};
    h.frame.camera.eye = (kin_vec3){0, 4, 10};
    const float at[3] = {0, 0.8f, 0}, radius = 0.5f;
    kin_layer* layer = hand_sphere(&h, KIN_SURFACE_EMISSIVE, 1, 0.9f, 0.8f, at, &radius);
    layer->look.glow = 0;
    uint8_t* off = render(t, &h, 2);
    layer->look.glow = 8;
    uint8_t* on = render(t, &h, 2);
    int x = WIDTH / 2 + 12, y = HEIGHT / 2 + 6;
    CHECK(t, brightness(on, x, y) > brightness(off, x, y) + 60);
    CHECK(t, brightness(on, WIDTH / 2, HEIGHT / 2) > 600);
    CHECK(t, brightness(on, x, y) > brightness(on, WIDTH - 2, y) + 20); /* less, farther away */
    free(off);
    free(on);
}

static void streaks_and_lines_are_drawn(test* t)
{
    hand_frame h;
    hand_begin(&h);
    const float at[3] = {1, 1, 0}, radius = 0.2f, velocity[3] = {10, 0, 0}, ends[6] = {-3, 2, 0, 3, 2, 0}, width[2] = {0.1f, 0.1f};
    const uint32_t line[4] = {0, 1, 0, 9};
    kin_layer* streak = hand_sphere(&h, KIN_SURFACE_MATTE, 0.7f, 0.05f, 0.05f, at, &radius);
    hand_array(&h, streak, "velocity", KIN_F32, 3, 1, velocity);
    streak->look.streak = 0.2f;
    kin_layer* lines = hand_layer(&h, KIN_LAYER_LINES, KIN_SURFACE_MATTE, 0.7f, 0.05f, 0.05f);
    hand_array(&h, lines, "position", KIN_F32, 3, 2, ends);
    hand_array(&h, lines, "line", KIN_U32, 2, 2, line); /* the second points nowhere */
    hand_array(&h, lines, "radius", KIN_F32, 1, 2, width);
    uint8_t* rgb = render(t, &h, 2);
    double scale = HEIGHT / 2 / (10 * tan(0.3));
    CHECK(t, reddish(pixel(rgb, WIDTH / 2 + (int)scale, HEIGHT / 2)));
    const uint8_t* trail = pixel(rgb, WIDTH / 2, HEIGHT / 2); /* halfway down, a quarter of it is left */
    CHECK(t, !reddish(trail) && trail[0] > trail[1] + 8);
    CHECK(t, !reddish(pixel(rgb, WIDTH / 2 + (int)(1.5 * scale), HEIGHT / 2)));
    CHECK(t, reddish(pixel(rgb, WIDTH / 2 + (int)(2.5 * scale), HEIGHT / 2 - (int)(scale + 0.9))));
    free(rgb);
}

static void odd_frames_do_no_harm(test* t)
{
    static const float nan_places[9] = {NAN, 0, 0, 0, INFINITY, 0, 0, 1, 0}, radii[3] = {1, 1, 1}, zero_radii[3] = {0, -1, NAN};
    static const float nan_velocity[9] = {NAN, NAN, NAN, 0, 0, 0, INFINITY, 0, 0}, bad_pose[14] = {NAN, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0};
    static const uint32_t bad_triangles[6] = {0, 1, 7, 4000000000u, 0, 0};
    hand_frame h;
    hand_begin(&h);
    free(render(t, &h, 2)); /* no layers */
    kin_layer* points = hand_layer(&h, KIN_LAYER_POINTS, KIN_SURFACE_MATTE, 0.7f, 0.05f, 0.05f);
    free(render(t, &h, 2)); /* no arrays */
    hand_array(&h, points, "position", KIN_F32, 3, 3, nan_places);
    hand_array(&h, points, "radius", KIN_F32, 1, 3, radii);
    hand_array(&h, points, "velocity", KIN_F32, 3, 3, nan_velocity);
    h.frame.camera.shutter = 1;
    uint8_t* rgb = render(t, &h, 2);
    CHECK(t, count_reddish(rgb) > 200); /* the one good sphere is there */
    free(rgb);
    h.arrays[0][1].data = zero_radii;
    rgb = render(t, &h, 2);
    EQUAL(t, count_reddish(rgb), 0);
    free(rgb);
    h.arrays[0][1].count = 1; /* too short: ignored */
    points->look.streak = 0.1f;
    free(render(t, &h, 2));
    h.arrays[0][0].width = 2; /* not positions */
    free(render(t, &h, 2));
    kin_layer* mesh = hand_layer(&h, KIN_LAYER_MESH, KIN_SURFACE_GLASS, 1, 1, 1);
    hand_array(&h, mesh, "position", KIN_F32, 3, 0, square);
    hand_array(&h, mesh, "triangle", KIN_U32, 3, 0, square_triangles);
    free(render(t, &h, 2)); /* an empty mesh */
    h.arrays[1][0].count = 4;
    h.arrays[1][1].count = 2;
    h.arrays[1][1].data = bad_triangles;
    hand_array(&h, mesh, "pose", KIN_F32, 7, 2, bad_pose);
    free(render(t, &h, 2)); /* triangles without vertices, poses without numbers */
    h.frame.camera = (kin_camera){.eye = {0, 5, 5}, .field_of_view = NAN, .aperture = NAN, .shutter = NAN};
    h.frame.light = (kin_light){.sun_direction = {NAN, 0, 0}, .exposure = NAN, .sun = {NAN, 0, 0}};
    free(render(t, &h, 2));
    h.frame.camera = (kin_camera){.eye = {0, 5, 0}, .target = {0, 0, 0}}; /* straight down along up, all else zero */
    h.frame.light = (kin_light){.exposure = 0};
    free(render(t, &h, 2));
}

static void options_are_checked(test* t)
{
    kin_jobs jobs;
    kin_renderer* renderer;
    kin_error error = {0};
    kin_jobs_init(&jobs, &t->allocator, NULL, 1, NULL);
    kin_render_options options = kin_render_options_default();
    EQUAL(t, options.width, 960);
    EQUAL(t, options.height, 540);
    const kin_render_options bad[] = {{0, 10, 1, 1}, {10, 100000, 1, 1}, {10, 10, 0, 1}, {10, 10, 1, -1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        EQUAL(t, kin_renderer_create(&t->allocator, &jobs, &bad[i], &renderer, &error), KIN_ERROR_ARGUMENT);
        HAS(t, error.message, "must be");
    }
    kin_renderer_destroy(NULL);
    kin_jobs_term(&jobs);
}

/* A scheduler that runs chunks as they come and looks whether one left the thread in another mode. */
static void watch_run(void* context, kin_chunk_fn* fn, void* argument, int chunk_count)
{
    int* changed = context;
    for (int i = 0; i < chunk_count; ++i) {
        unsigned before = _mm_getcsr() & ~0x3fu; /* the sticky flags may change */
        fn(argument, i, 0);
        if ((_mm_getcsr() & ~0x3fu) != before) *changed += 1;
    }
}

static void denormals_are_back_after_a_picture(test* t)
{
    int changed = 0;
    kin_scheduler watch = {.context = &changed, .worker_count = 1, .run = watch_run};
    kin_render_options options = {.width = WIDTH, .height = HEIGHT, .samples = 2, .bounces = 1};
    studio s;
    const kin_picture* picture;
    hand_frame h;
    fill_zoo(&h);
    unsigned before = _mm_getcsr() & ~0x3fu;
    EQUAL(t, kin_jobs_init(&s.jobs, &t->allocator, &watch, 1, NULL), KIN_OK);
    EQUAL(t, kin_renderer_create(&t->allocator, &s.jobs, &options, &s.renderer, NULL), KIN_OK);
    EQUAL(t, kin_render_frame(s.renderer, &h.frame, &picture, NULL), KIN_OK);
    studio_end(&s);
    EQUAL(t, changed, 0);
    EQUAL(t, _mm_getcsr() & ~0x3fu, before);
}

static bool render_once(test* t, void* context)
{
    studio s = {.renderer = NULL};
    kin_render_options options = {.width = 8, .height = 8, .samples = 1, .bounces = 1};
    const kin_picture* picture;
    bool done = kin_jobs_init(&s.jobs, &t->allocator, NULL, 1, NULL) == KIN_OK;
    if (!done) return false;
    done = kin_renderer_create(&t->allocator, &s.jobs, &options, &s.renderer, NULL) == KIN_OK;
    done = done && kin_render_frame(s.renderer, context, &picture, NULL) == KIN_OK;
    studio_end(&s);
    return done;
}

static void lack_of_memory_is_told(test* t)
{
    hand_frame h;
    fill_zoo(&h);
    test_fail_each_allocation(t, render_once, &h.frame);
}

TEST_MAIN("picture", TEST(sphere_has_its_colour), TEST(shadow_is_darker_than_ground), TEST(point_colours_override), TEST(instances_stand_at_their_poses),
          TEST(kept_mesh_follows_its_hash), TEST(same_bytes_for_any_thread_count), TEST(what_stands_still_does_not_flicker), TEST(origin_moves_everything),
          TEST(motion_blur_widens), TEST(turning_instance_blurs), TEST(glowing_sphere_lights_the_ground), TEST(streaks_and_lines_are_drawn),
          TEST(odd_frames_do_no_harm), TEST(options_are_checked), TEST(denormals_are_back_after_a_picture), TEST(lack_of_memory_is_told))
