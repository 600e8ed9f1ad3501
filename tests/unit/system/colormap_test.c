#include "system/colormap.h"
#include "support/test.h"
#include <math.h>

static double luminance(const float* c) { return 0.2126 * (double)c[0] + 0.7152 * (double)c[1] + 0.0722 * (double)c[2]; }

static void scales_begin_and_end_as_they_should(test* t)
{
    float c[3];
    kin_colormap_at(KIN_COLORMAP_WATER, 1, c);
    for (int k = 0; k < 3; ++k) NEAR(t, (double)c[k], 1, 1e-6);
    kin_colormap_at(KIN_COLORMAP_VIRIDIS, 0, c); /* #440154 */
    NEAR(t, (double)c[0], pow((0x44 / 255.0 + 0.055) / 1.055, 2.4), 1e-6);
    NEAR(t, (double)c[1], 1 / 255.0 / 12.92, 1e-6);
    kin_colormap_at(KIN_COLORMAP_COOLWARM, 0.5, c); /* grey */
    NEAR(t, (double)c[0], (double)c[2], 1e-6);
    for (int map = 0; map < KIN_COLORMAPS; ++map) CHECK(t, kin_colormap_names[map] != NULL);
    CHECK(t, kin_colormap_names[KIN_COLORMAPS] == NULL);
}

static void lightness_grows_along_a_scale(test* t) /* but for the one about a middle, and the one by hue */
{
    for (int map = 0; map < KIN_COLORMAPS; ++map) {
        if (map == KIN_COLORMAP_COOLWARM || map == KIN_COLORMAP_SPECTRUM) continue;
        double last = -1;
        for (int i = 0; i <= 100; ++i) {
            float c[3];
            kin_colormap_at((kin_colormap)map, i / 100.0, c);
            CHECK(t, luminance(c) > last);
            last = luminance(c);
        }
    }
}

static void odd_values_take_an_end(test* t)
{
    const float values[6] = {-5, 2, 4, 6, 99, (float)NAN};
    float rgb[18], low[3], middle[3], high[3];
    kin_colormap_paint(KIN_COLORMAP_INFERNO, values, 1, 6, 2, 6, rgb);
    kin_colormap_at(KIN_COLORMAP_INFERNO, 0, low);
    kin_colormap_at(KIN_COLORMAP_INFERNO, 0.5, middle);
    kin_colormap_at(KIN_COLORMAP_INFERNO, 1, high);
    const float* wanted[6] = {low, low, middle, high, high, low};
    for (int i = 0; i < 18; ++i) NEAR(t, (double)rgb[i], (double)wanted[i / 3][i % 3], 1e-7);
    kin_colormap_paint(KIN_COLORMAP_INFERNO, values, 1, 6, 3, 3, rgb); /* no range: finite all the same */
    for (int i = 0; i < 18; ++i) CHECK(t, rgb[i] >= 0 && rgb[i] <= 1);
}

static void a_layer_gets_its_colours(test* t)
{
    kin_capture capture;
    kin_capture_init(&capture, &t->allocator);
    kin_capture_begin(&capture, 0, 0, 1, (kin_vec3){0, 0, 0});
    kin_capture_layer(&capture, "water", KIN_LAYER_POINTS, &(kin_look){.color = {1, 1, 1}});
    float* at = kin_capture_array(&capture, "position", KIN_F32, 3, 2);
    for (int i = 0; i < 6; ++i) at[i] = (float)i;
    const float speed[2] = {0, 3};
    kin_colormap_capture(KIN_COLORMAP_WATER, speed, 1, 2, 0, 3, &capture);
    const kin_frame* frame = kin_capture_end(&capture);
    const kin_array* color = kin_layer_array(&frame->layers[0], "color");
    CHECK(t, color != NULL && color->count == 2 && color->width == 3);
    NEAR(t, (double)((const float*)color->data)[3], 1, 1e-6);
    kin_capture_term(&capture);
}

TEST_MAIN("colormap", TEST(scales_begin_and_end_as_they_should), TEST(lightness_grows_along_a_scale), TEST(odd_values_take_an_end),
          TEST(a_layer_gets_its_colours))
