/* colormap.c - nine colours a scale, mixed as light. The scales are those of van der Walt and Smith (viridis, inferno), Moreland 2009 (cool to warm) and Brewer
 * (blues), read at nine places. */
#include "system/colormap.h"
#include "math/scalar.h"

enum { STOPS = 9 };
const char* const kin_colormap_names[] = {"viridis", "inferno", "coolwarm", "water", "spectrum", NULL};

static const uint32_t stops[KIN_COLORMAPS][STOPS] = {
    {0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c, 0x28ae80, 0x5ec962, 0xaddc30, 0xfde725},
    {0x000004, 0x210c4a, 0x57106e, 0x8a226a, 0xbc3754, 0xe45a31, 0xf98e09, 0xf9cb35, 0xfcffa4},
    {0x3b4cc0, 0x6282ea, 0x8db0fe, 0xb8d0f9, 0xdddddd, 0xf5c4ad, 0xf49a7b, 0xde604d, 0xb40426},
    {0x08306b, 0x08519c, 0x2171b5, 0x4292c6, 0x6baed6, 0x9ecae1, 0xc6dbef, 0xdeebf7, 0xffffff},
    {0x303fa0, 0x2c7cb7, 0x27a0cb, 0x35b7ae, 0x3fcb89, 0xb7d66c, 0xf3e13f, 0xedab35, 0xe74527},
};

typedef struct scale {
    double rgb[STOPS][3];
} scale;

static double linear(uint32_t byte)
{
    double c = byte / 255.0;
    return c <= 0.04045 ? c / 12.92 : kin_pow((c + 0.055) / 1.055, 2.4);
}

static scale scale_of(kin_colormap map)
{
    scale s;
    for (int i = 0; i < STOPS; ++i) {
        for (int c = 0; c < 3; ++c) s.rgb[i][c] = linear(stops[map][i] >> (16 - 8 * c) & 0xFF);
    }
    return s;
}

static void read(const scale* colors, double s, float rgb[3])
{
    double at = (s > 0 ? kin_min(s, 1) : 0) * (STOPS - 1); /* NaN is 0 */
    int i = (int)kin_min(at, STOPS - 2);
    for (int c = 0; c < 3; ++c) rgb[c] = (float)kin_mix(colors->rgb[i][c], colors->rgb[i + 1][c], at - i);
}

void kin_colormap_at(kin_colormap map, double s, float rgb[3])
{
    scale colors = scale_of(map);
    read(&colors, s, rgb);
}

void kin_colormap_paint(kin_colormap map, const float* values, size_t stride, size_t count, double low, double high, float* rgb)
{
    scale colors = scale_of(map);
    double inverse = high != low ? 1 / (high - low) : 0;
    for (size_t i = 0; i < count; ++i) read(&colors, ((double)values[i * stride] - low) * inverse, rgb + 3 * i);
}

void kin_colormap_capture(kin_colormap map, const float* values, size_t stride, size_t count, double low, double high, kin_capture* capture)
{
    float* rgb = kin_capture_array(capture, "color", KIN_F32, 3, count);
    if (rgb != NULL) kin_colormap_paint(map, values, stride, count, low, high, rgb);
}
