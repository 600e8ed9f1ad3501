/* picture_test.c - PNG files: pixels in linear light, top row first; what is not a picture is refused with its name. */
#include "io/picture_read.h"
#include "support/test.h"
#include <png.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char* write_png(const void* pixels, uint32_t width, uint32_t height, uint32_t format)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/kinema-picture-%d.png", (int)getpid());
    png_image png = {.version = PNG_IMAGE_VERSION, .width = width, .height = height, .format = format};
    return png_image_write_to_file(&png, path, 0, pixels, 0, NULL) != 0 ? path : NULL;
}

static void pixels_are_linear_and_top_first(test* t)
{
    const uint8_t pixels[2][2][4] = {{{255, 0, 0, 255}, {0, 128, 0, 51}}, {{0, 0, 10, 0}, {255, 255, 255, 128}}};
    kin_picture_view picture;
    kin_error error = {0};
    const char* path = write_png(pixels, 2, 2, PNG_FORMAT_RGBA);
    CHECK(t, path != NULL);
    EQUAL(t, kin_picture_read(&t->allocator, path, &picture, &error), KIN_OK);
    EQUAL(t, picture.width, 2);
    EQUAL(t, picture.height, 2);
    NEAR(t, (double)picture.rgba[0], 1, 1e-7);
    NEAR(t, (double)picture.rgba[5], 0.2158605, 1e-6); /* 128 of 255 in sRGB */
    NEAR(t, (double)picture.rgba[7], 0.2, 1e-7);       /* opacity is linear as it is */
    NEAR(t, (double)picture.rgba[10], 10 / 255.0 / 12.92, 1e-8);
    NEAR(t, (double)picture.rgba[15], 128 / 255.0, 1e-7);
    kin_picture_free(&t->allocator, &picture);
    remove(path);
}

static void what_is_no_picture_is_refused(test* t)
{
    kin_picture_view picture;
    kin_error error = {0};
    EQUAL(t, kin_picture_read(&t->allocator, "/nowhere/leaf.png", &picture, &error), KIN_ERROR_FORMAT);
    HAS(t, error.where, "leaf.png");
    CHECK(t, picture.rgba == NULL);
    FILE* file = fopen("/tmp/kinema-no-picture.png", "w");
    fputs("\x89PNG\r\n\x1a\n cut", file);
    fclose(file);
    EQUAL(t, kin_picture_read(&t->allocator, "/tmp/kinema-no-picture.png", &picture, &error), KIN_ERROR_FORMAT);
    remove("/tmp/kinema-no-picture.png");
}

TEST_MAIN("picture", TEST(pixels_are_linear_and_top_first), TEST(what_is_no_picture_is_refused))
