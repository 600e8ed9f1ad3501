/* png.c - pictures to files. */
#include "base/alloc.h"
#include "base/error.h"
#include "io/file.h"
#include "render/render.h"
#include <png.h>

kin_result kin_picture_write_png(const kin_picture* picture, const char* path, kin_error* error)
{
    png_image image = {.version = PNG_IMAGE_VERSION, .width = (png_uint_32)picture->width, .height = (png_uint_32)picture->height, .format = PNG_FORMAT_RGB};
    const kin_allocator allocator = kin_allocator_default();
    png_alloc_size_t room = PNG_IMAGE_PNG_SIZE_MAX(image), size = room;
    void* bytes = kin_alloc(&allocator, room);
    if (bytes == NULL) return kin_fail_memory(error, "a PNG file", room);
    kin_result result;
    if (png_image_write_to_memory(&image, bytes, &size, 0, picture->rgb, 0, NULL) != 0)
        result = kin_file_write(path, bytes, size, error);
    else
        result = kin_fail(error, KIN_ERROR_FILE, path, "libpng could not make the picture: %s", image.message);
    kin_free(&allocator, bytes, room);
    return result;
}
