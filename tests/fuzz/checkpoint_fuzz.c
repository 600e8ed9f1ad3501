/* checkpoint_fuzz.c - states with right checksums and wrong contents: single values of a snapshot are changed, then it is restored and run. It is refused, or it
 * runs or is refused by a step; the good state restores after it to the same bits. The input is a scene, a moment and edits: place, width, value. */
#include "base/alloc.h"
#include "fuzz/fuzz.h"
#include "kinema/kinema.h"
#include "support/features.h"
#include <unistd.h>

enum { MOMENTS = 2, SEED_ROOM = 64 };

typedef struct subject {
    kin_world* world;
    kin_scene* scene;
    kin_snapshot good[MOMENTS];
    uint64_t hash[MOMENTS];
} subject;

static kin_scene* load(const char* text)
{
    char path[64];
    kin_scene* scene = NULL;
    kin_scene_options options = kin_scene_options_default();
    snprintf(path, sizeof path, "/tmp/kinema_fuzz_%d.lua", (int)getpid());
    FILE* file = fopen(path, "w");
    FUZZ_CHECK(file != NULL);
    fprintf(file, "return {%s}", text);
    fclose(file);
    FUZZ_CHECK(kin_scene_load(path, &options, &scene, NULL) == KIN_OK);
    unlink(path);
    return scene;
}

static void step(subject* s, int count)
{
    for (int i = 0; i < count; ++i) {
        if (kin_scene_before_step(s->scene, s->world, NULL) != KIN_OK || kin_world_step(s->world, NULL, NULL) != KIN_OK) return;
    }
}

/* At its start, and when much of it has met. */
static subject* subject_of(unsigned number)
{
    static subject all[FEATURE_SCENES];
    subject* s = &all[number % FEATURE_SCENES];
    if (s->world != NULL) return s;
    kin_world_def def = kin_world_def_default();
    def.threads = 1;
    s->scene = load(feature_scenes[number % FEATURE_SCENES].text);
    FUZZ_CHECK(kin_scene_build(s->scene, &def, &s->world, NULL) == KIN_OK);
    for (int i = 0; i < MOMENTS; ++i) {
        FUZZ_CHECK(kin_world_snapshot(s->world, &s->good[i], NULL) == KIN_OK);
        s->hash[i] = kin_world_state_hash(s->world);
        step(s, feature_scenes[number % FEATURE_SCENES].steps / 2);
    }
    return s;
}

static uint64_t value_of(fuzz_bytes* b)
{
    static const uint64_t list[] = {0,
                                    1,
                                    2,
                                    255,
                                    65535,
                                    0x7fffffff,
                                    0x80000000,
                                    0xffffffff,
                                    0xfffffffe,
                                    1000,
                                    0x7ff8000000000000,
                                    0x7ff0000000000000,
                                    UINT64_MAX,
                                    INT64_MAX,
                                    0x7e37e43c8800759c /* 1e300 */,
                                    0x41cdcd6500000000 /* 1e9 */,
                                    0xc1cdcd6500000000};
    uint8_t kind = fuzz_byte(b);
    if (kind < sizeof list / sizeof *list) return list[kind];
    uint64_t value = 0;
    for (int i = 0; i < kind % 8 + 1; ++i) value = value << 8 | fuzz_byte(b);
    return value;
}

static void edit(uint8_t* data, size_t size, fuzz_bytes* b)
{
    static const size_t widths[] = {1, 4, 8, 4};
    size_t at = (size_t)fuzz_byte(b) << 16 | (size_t)fuzz_byte(b) << 8;
    at = (at | fuzz_byte(b)) % size;
    size_t width = widths[fuzz_byte(b) % 4];
    uint64_t value = value_of(b);
    if (width > size - at) width = size - at;
    memcpy(data + at, &value, width);
}

size_t fuzz_seed(uint32_t number, uint8_t* out, size_t room)
{
    if (number >= 2 * FEATURE_SCENES || room < SEED_ROOM) return 0;
    for (uint32_t i = 0; i < SEED_ROOM; ++i) out[i] = (uint8_t)(number * 37 + i * 101 + i * i * 7);
    out[0] = (uint8_t)(number / 2), out[1] = (uint8_t)(number % 2);
    return 2 + 6 * (1 + number % 4);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    fuzz_bytes b = {data, size};
    subject* s = subject_of(fuzz_byte(&b));
    const int moment = fuzz_byte(&b) % MOMENTS;
    kin_snapshot bad = s->good[moment];
    bad.data = malloc(bad.size); /* of its own size: the sanitiser sees a read past its end */
    FUZZ_CHECK(bad.data != NULL);
    memcpy(bad.data, s->good[moment].data, bad.size);
    for (int i = 0; i < 8 && b.left > 0; ++i) edit(bad.data, bad.size, &b);
    kin_error error = {0};
    if (kin_world_restore(s->world, &bad, &error) == KIN_OK) {
        const kin_frame* frame;
        kin_measure measures[100];
        step(s, 2);
        kin_world_capture(s->world, 0, 1.0 / 60, &frame, NULL);
        for (uint32_t i = 1; i <= kin_world_system_count(s->world); ++i) kin_world_measure(s->world, i, measures, 100);
    } else {
        FUZZ_CHECK(error.message[0] != '\0');
    }
    free(bad.data);
    if (kin_world_restore(s->world, &s->good[moment], &error) != KIN_OK) fprintf(stderr, "%s\n", error.message), abort();
    FUZZ_CHECK(kin_world_state_hash(s->world) == s->hash[moment]);
    return 0;
}
