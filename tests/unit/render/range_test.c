/* range_test.c - frames and cameras of any finite size: a picture or a named error, never an abort. */
#include "base/rng.h"
#include "zoo.h"
#include <math.h>

enum { FRAMES = 2000, MAX_NUMBERS = 64 };

typedef struct draws {
    kin_rng_key key;
    uint32_t next;
} draws;
static double draw(draws* d, double low, double high) { return kin_rng_uniform(&d->key, d->next++, low, high); }

/* 10^low to 10^high, either sign. */
static double any_size(draws* d, double low, double high) { return (draw(d, -1, 1) < 0 ? -1 : 1) * pow(10, draw(d, low, high)); }

/* A third of the arrays is scaled as a whole, of another third single numbers are replaced. */
static void stretch(draws* d, kin_array* array, float* copy)
{
    uint64_t count = array->count * array->width;
    if (array->type != KIN_F32 || count > MAX_NUMBERS) return;
    memcpy(copy, array->data, count * sizeof *copy);
    double kind = draw(d, 0, 3), scale = any_size(d, -40, 38);
    for (uint64_t i = 0; i < count; ++i) {
        if (kind < 1) copy[i] = (float)((double)copy[i] * scale);
        if (kind >= 1 && kind < 2 && draw(d, 0, 4) < 1) copy[i] = (float)any_size(d, -40, 38.4);
        if (!isfinite(copy[i])) copy[i] = 3e38f;
    }
    array->data = copy;
}

static kin_vec3 any_place(draws* d, double high) { return (kin_vec3){any_size(d, -30, high), any_size(d, -30, high), any_size(d, -30, high)}; }

static void stretch_camera(draws* d, hand_frame* h)
{
    double high = draw(d, 0, 2) < 1 ? 20 : 300; /* of the numbers of a camera: float or double range */
    kin_camera* c = &h->frame.camera;
    if (draw(d, 0, 2) < 1) c->eye = any_place(d, high);
    if (draw(d, 0, 2) < 1) c->target = any_place(d, high);
    if (draw(d, 0, 4) < 1) c->up = any_place(d, high);
    if (draw(d, 0, 4) < 1) c->field_of_view = any_size(d, -30, high);
    if (draw(d, 0, 4) < 1) c->aperture = any_size(d, -30, high);
    if (draw(d, 0, 4) < 1) c->shutter = any_size(d, -30, high);
    if (draw(d, 0, 4) < 1) h->frame.interval = any_size(d, -30, high);
    if (draw(d, 0, 8) < 1) h->frame.origin = any_place(d, high);
}

static void any_finite_frame_gives_a_picture_or_an_error(test* t)
{
    studio s;
    kin_render_options options = {.width = 16, .height = 12, .samples = 1, .bounces = 3};
    EQUAL(t, kin_jobs_init(&s.jobs, &t->allocator, NULL, 1, NULL), KIN_OK);
    EQUAL(t, kin_renderer_create(&t->allocator, &s.jobs, &options, &s.renderer, NULL), KIN_OK);
    int pictures = 0;
    for (int i = 0; i < FRAMES; ++i) {
        static float copies[MAX_LAYERS][MAX_ARRAYS][MAX_NUMBERS];
        draws d = {.key = {.seed = (uint64_t)i}};
        hand_frame h;
        fill_zoo(&h);
        for (uint32_t l = 0; l < h.frame.layer_count; ++l) {
            for (uint32_t a = 0; a < h.layers[l].array_count; ++a) stretch(&d, &h.arrays[l][a], copies[l][a]);
        }
        if (i % 2 == 1) stretch_camera(&d, &h);
        const kin_picture* picture = NULL;
        kin_error error = {0};
        bool done = kin_render_frame(s.renderer, &h.frame, &picture, &error) == KIN_OK;
        CHECK(t, done ? picture != NULL : error.message[0] != '\0');
        pictures += done;
        if (i % 2 == 0) CHECK(t, done); /* a camera within reach: always a picture */
    }
    CHECK(t, pictures > FRAMES / 2);
    studio_end(&s);
}

static void cameras_out_of_reach_are_refused_by_name(test* t)
{
    const kin_vec3 bad[] = {{NAN, 0, 0}, {0, INFINITY, 0}, {0, 0, -1e13}, {1e300, 0, 0}};
    studio s;
    studio_begin(t, &s, 1, 1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        hand_frame h;
        fill_zoo(&h);
        h.frame.camera.eye = bad[i];
        const kin_picture* picture;
        kin_error error = {0};
        EQUAL(t, kin_render_frame(s.renderer, &h.frame, &picture, &error), KIN_ERROR_ARGUMENT);
        CHECK(t, strcmp(error.where, "camera") == 0 && strstr(error.message, "eye") != NULL);
    }
    studio_end(&s);
}

/* A lost point far away leaves the rest of the picture as it is. */
static void far_points_take_nothing_away(test* t)
{
    static const float place[6] = {0, 1, 0, 1e25f, -3e30f, 2e38f}, radius[2] = {1, 1e20f};
    hand_frame alone, both;
    for (int count = 1; count <= 2; ++count) {
        hand_frame* h = count == 1 ? &alone : &both;
        hand_begin(h);
        hand_ground(h);
        kin_layer* layer = hand_layer(h, KIN_LAYER_POINTS, KIN_SURFACE_MATTE, 0.7f, 0.05f, 0.05f);
        hand_array(h, layer, "position", KIN_F32, 3, (uint64_t)count, place);
        hand_array(h, layer, "radius", KIN_F32, 1, (uint64_t)count, radius);
    }
    uint8_t *first = render(t, &alone, 1), *second = render(t, &both, 1);
    CHECK(t, count_reddish(first) > 200 && same(first, second));
    free(first);
    free(second);
}

TEST_MAIN("range", TEST(any_finite_frame_gives_a_picture_or_an_error), TEST(cameras_out_of_reach_are_refused_by_name), TEST(far_points_take_nothing_away))
