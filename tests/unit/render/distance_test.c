/* distance_test.c - points, streaks, lines and sprites by their distance from the camera: widths, fading, and what a picture shows of it. */
#include "frames.h"
#include "render/stage.h"
#include <math.h>

/* A field of view whose picture is as high as its distance: 2 tan(fov / 2) = 1. */
static void hand_square_view(hand_frame* h)
{
    hand_begin(h);
    h->frame.camera.eye = (kin_vec3){0, 0, 0};
    h->frame.camera.target = (kin_vec3){0, 0, -1};
    h->frame.camera.field_of_view = 2 * atan(0.5);
    h->frame.light = (kin_light){.sun_direction = {0, 1, 0}, .sky = {1e-6f, 1e-6f, 1e-6f}, .horizon = {1e-6f, 1e-6f, 1e-6f}};
}

/* Beer's law: exp(-(d - start) / length), and nothing changes before the start. */
static void fading_follows_beers_law(test* t)
{
    kin_look look = {.fade_length = 4, .fade_start = 3};
    for (int k = 0; k < 20; ++k) {
        float d = 0.7f * (float)k;
        NEAR(t, (double)kin_distance_fade(&look, d), d < 3 ? 1 : exp(-(double)(d - 3) / 4), 1e-6);
    }
    look.fade_length = 0;
    NEAR(t, (double)kin_distance_fade(&look, 1e6f), 1, 0);
}

static void widths_are_a_share_of_the_picture(test* t)
{
    kin_stage stage = {.view_height = 1, .far = 1e15f};
    kin_look look = {.min_width = 0.01f};
    NEAR(t, (double)kin_distance_radius(&stage, &look, 0.02f, 1), 0.02, 1e-9);  /* 4 % of the picture: as it is */
    NEAR(t, (double)kin_distance_radius(&stage, &look, 0.02f, 100), 0.5, 1e-7); /* 1 m of 100 m across */
    NEAR(t, (double)kin_distance_radius(&stage, &look, 0.02f, 1e3f), 5, 1e-6);
}

/* Sum of the red light of a picture, in units of the tone curve's linear part. */
static double light_of(const uint8_t* rgb)
{
    double sum = 0;
    for (int i = 0; i < WIDTH * HEIGHT; ++i) {
        double s = rgb[3 * i] / 255.0;
        sum += s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4);
    }
    return sum;
}

static double light_of_streak(test* t, float distance, float radius, float min_width, float fade_length)
{
    hand_frame h;
    hand_square_view(&h);
    const float position[3] = {0.25f * distance, 0, -distance}, velocity[3] = {0.5f * distance, 0, 0};
    kin_layer* layer = hand_layer(&h, KIN_LAYER_POINTS, KIN_SURFACE_EMISSIVE, 1, 0, 0);
    layer->look.glow = 0.5f;
    layer->look.streak = 1;
    layer->look.min_width = min_width;
    layer->look.fade_length = fade_length;
    hand_array(&h, layer, "position", KIN_F32, 3, 1, position);
    hand_array(&h, layer, "velocity", KIN_F32, 3, 1, velocity);
    hand_array(&h, layer, "radius", KIN_F32, 1, 1, &radius);
    uint8_t* rgb = render(t, &h, 1);
    double sum = light_of(rgb);
    free(rgb);
    return sum;
}

/* A streak 3 pixels wide, and one a tenth as wide that min_width draws 3 pixels wide: a tenth of the light. 5 %: 8 bits a pixel, whose darkest step is 0.3 of 255 of what the
 * fainter one has. */
static void a_widened_streak_is_as_much_fainter(test* t)
{
    float pixel = 1.0f / HEIGHT;
    double wide = light_of_streak(t, 10, 15 * pixel, 0, 0), thin = light_of_streak(t, 10, 1.5f * pixel, 3 * pixel, 0);
    CHECK(t, wide > 1);
    NEAR(t, thin / wide, 0.1, 0.01);
}

/* The same streak in the picture, twice as far and twice as large: fading alone tells them apart. */
static void a_streak_fades_with_its_distance(test* t)
{
    float pixel = 1.0f / HEIGHT;
    double near = light_of_streak(t, 10, 20 * pixel, 0, 10), far = light_of_streak(t, 20, 40 * pixel, 0, 10);
    NEAR(t, far / near, exp(-1), 0.04);
}

/* Spheres, lines and sprites fade, too. */
static void all_that_is_drawn_from_points_fades(test* t)
{
    static const kin_layer_kind kinds[] = {KIN_LAYER_POINTS, KIN_LAYER_LINES, KIN_LAYER_SPRITES};
    for (int k = 0; k < 3; ++k) {
        double light[2];
        for (int i = 0; i < 2; ++i) {
            hand_frame h;
            float d = i == 0 ? 5 : 10;
            const float position[6] = {-0.2f * d, 0, -d, 0.2f * d, 0, -d}, radius[2] = {0.08f * d, 0.08f * d};
            const uint32_t line[2] = {0, 1};
            hand_square_view(&h);
            kin_layer* layer = hand_layer(&h, kinds[k], KIN_SURFACE_EMISSIVE, 1, 0, 0);
            layer->look.glow = 0.5f;
            layer->look.fade_length = 5;
            hand_array(&h, layer, "position", KIN_F32, 3, 2, position);
            hand_array(&h, layer, "radius", KIN_F32, 1, 2, radius);
            if (kinds[k] == KIN_LAYER_LINES) hand_array(&h, layer, "line", KIN_U32, 2, 1, line);
            uint8_t* rgb = render(t, &h, 1);
            light[i] = light_of(rgb);
            free(rgb);
        }
        CHECK(t, light[0] > 1);
        test_check(t, fabs(light[1] / light[0] - exp(-1)) < 0.04, __FILE__, __LINE__, "kind %d: %g of %g", k, light[1], light[0]);
    }
}

TEST_MAIN("distance", TEST(fading_follows_beers_law), TEST(widths_are_a_share_of_the_picture), TEST(a_widened_streak_is_as_much_fainter),
          TEST(a_streak_fades_with_its_distance), TEST(all_that_is_drawn_from_points_fades))
