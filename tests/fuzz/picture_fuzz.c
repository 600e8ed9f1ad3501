/* picture_fuzz.c - PNG files from bytes: an error, or a picture of finite colours. The file is one in memory. */
#include "fuzz/fuzz.h"
#include "io/picture_read.h"
#include <sys/mman.h>
#include <unistd.h>

/* Two grey pixels side by side. */
static const uint8_t png[] = {137, 80, 78, 71,  13, 10, 26,  10,  0,   0,  0, 13, 73, 72, 68, 82, 0,  0,  0,   2,   0,  0,   0,
                              1,   8,  0,  0,   0,  0,  209, 73,  32,  86, 0, 0,  0,  11, 73, 68, 65, 84, 120, 156, 99, 112, 248,
                              15,  0,  1,  130, 1,  64, 169, 236, 215, 83, 0, 0,  0,  0,  73, 69, 78, 68, 174, 66,  96, 130};

size_t fuzz_seed(uint32_t number, uint8_t* out, size_t room)
{
    if (number > 0 || room < sizeof png) return 0;
    memcpy(out, png, sizeof png);
    return sizeof png;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    kin_allocator allocator = kin_allocator_default();
    kin_picture_view picture;
    kin_error error = {0};
    char path[64];
    int file = memfd_create("fuzz", 0);
    FUZZ_CHECK(file >= 0 && write(file, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (kin_picture_read(&allocator, path, &picture, &error) == KIN_OK) {
        size_t numbers = (size_t)picture.width * picture.height * 4;
        for (size_t i = 0; i < numbers; ++i) FUZZ_CHECK(picture.rgba[i] >= 0 && picture.rgba[i] <= 1);
        kin_picture_free(&allocator, &picture);
    } else {
        FUZZ_CHECK(error.message[0] != '\0');
    }
    close(file);
    return 0;
}
