/* picture_read.c - PNG files by libpng, to linear light. */
#include "io/picture_read.h"
#include "base/alloc.h"
#include "base/error.h"
#include "math/scalar.h"
#include <png.h>

#define MOST_PIXELS 4096 /* a side: sprites need no more, and files are not trusted */

static size_t bytes_of(uint32_t width, uint32_t height) { return (size_t)width * height * 4 * sizeof(float); }

/* IEC 61966-2-1. */
static float from_srgb(uint8_t value)
{
    double c = value / 255.0;
    return (float)(c <= 0.04045 ? c / 12.92 : kin_pow((c + 0.055) / 1.055, 2.4));
}

static kin_result decode(const kin_allocator* allocator, png_image* png, const char* path, kin_picture_view* out, kin_error* error)
{
    size_t pixels = (size_t)png->width * png->height;
    uint8_t* bytes = kin_alloc(allocator, 4 * pixels);
    float* rgba = kin_alloc(allocator, bytes_of(png->width, png->height));
    png->format = PNG_FORMAT_RGBA;
    bool ok = bytes != NULL && rgba != NULL && png_image_finish_read(png, NULL, bytes, 0, NULL) != 0;
    for (size_t i = 0; ok && i < 4 * pixels; ++i) rgba[i] = i % 4 == 3 ? (float)(bytes[i] / 255.0) : from_srgb(bytes[i]);
    kin_free(allocator, bytes, 4 * pixels);
    if (ok) {
        *out = (kin_picture_view){rgba, png->width, png->height};
        return KIN_OK;
    }
    kin_free(allocator, rgba, bytes_of(png->width, png->height));
    if (bytes == NULL || rgba == NULL) return kin_fail_memory(error, "a picture", bytes_of(png->width, png->height));
    return kin_fail(error, KIN_ERROR_FORMAT, path, "%s", png->message);
}

kin_result kin_picture_read(const kin_allocator* allocator, const char* path, kin_picture_view* out, kin_error* error)
{
    png_image png = {.version = PNG_IMAGE_VERSION};
    *out = (kin_picture_view){0};
    if (png_image_begin_read_from_file(&png, path) == 0) return kin_fail(error, KIN_ERROR_FORMAT, path, "is not a PNG file that can be read: %s", png.message);
    kin_result result = KIN_OK;
    if (png.width > MOST_PIXELS || png.height > MOST_PIXELS)
        result = kin_fail(error, KIN_ERROR_FORMAT, path, "is %u x %u pixels; at most %d a side are taken", png.width, png.height, MOST_PIXELS);
    if (result == KIN_OK) result = decode(allocator, &png, path, out, error);
    png_image_free(&png);
    return result;
}

void kin_picture_free(const kin_allocator* allocator, kin_picture_view* picture)
{
    kin_free(allocator, (void*)picture->rgba, bytes_of(picture->width, picture->height));
    *picture = (kin_picture_view){0};
}
