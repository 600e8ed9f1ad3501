/* soft_test.c - what light goes through: sprites, opacity, streaks, volumes (H4.5b-e); and coloured, scaled instances (H4.5d). */
#include "frames.h"
#include <math.h>

/* Radiance of a grey or coloured channel, back through the sRGB and filmic curves: good for 0.08 to 0.7 while no channel is below 0.08. */
static double radiance(const uint8_t* rgb, int x, int y, int channel)
{
    double s = pixel(rgb, x, y)[channel] / 255.0;
    return (s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4)) + 0.04;
}
static double mid_radiance(const uint8_t* rgb) { return radiance(rgb, WIDTH / 2, HEIGHT / 2, 1); }

/* An even sky of 0.6 and no sun. */
static void grey_begin(hand_frame* h)
{
    hand_begin(h);
    h->frame.light = (kin_light){.sun_direction = {0, 1, 0}, .sky = {0.6f, 0.6f, 0.6f}, .horizon = {0.6f, 0.6f, 0.6f}};
}

enum { MOST_SPRITES = 900 };
static const float full[4] = {1, 1, 1, 1};
static const uint32_t single[2] = {1, 1};

/* Plain squares of one colour, one behind the other. */
typedef struct cards {
    float position[3 * MOST_SPRITES], radius[MOST_SPRITES], opacity[MOST_SPRITES], color[3 * MOST_SPRITES];
} cards;

static kin_layer* hand_cards(hand_frame* h, cards* c, int count, float opacity, kin_surface surface, float grey)
{
    for (int i = 0; i < count; ++i) {
        c->position[3 * i] = 0;
        c->position[3 * i + 1] = 1;
        c->position[3 * i + 2] = 0.002f * (float)(i * 37 % count); /* in no order */
        c->radius[i] = 0.8f;
        c->opacity[i] = opacity;
    }
    kin_layer* layer = hand_layer(h, KIN_LAYER_SPRITES, surface, grey, grey, grey);
    hand_array(h, layer, "position", KIN_F32, 3, (uint64_t)count, c->position);
    hand_array(h, layer, "radius", KIN_F32, 1, (uint64_t)count, c->radius);
    hand_array(h, layer, "opacity", KIN_F32, 1, (uint64_t)count, c->opacity);
    hand_array(h, layer, "texture", KIN_F32, 4, 1, full);
    hand_array(h, layer, "texture_size", KIN_U32, 2, 1, single);
    return layer;
}

static void alpha_accumulates(test* t)
{
    static const struct {
        int count;
        float opacity;
    } stacks[] = {{1, 0.5f}, {2, 0.5f}, {3, 0.3f}, {100, 0.01f}, {900, 0.001f}}; /* the last: more than are gathered at a time */
    static cards c;
    for (size_t i = 0; i < sizeof stacks / sizeof *stacks; ++i) {
        hand_frame h;
        grey_begin(&h);
        hand_cards(&h, &c, stacks[i].count, stacks[i].opacity, KIN_SURFACE_MATTE, 0);
        uint8_t* rgb = render(t, &h, 2);
        NEAR(t, mid_radiance(rgb), 0.6 * pow(1 - (double)stacks[i].opacity, stacks[i].count), 0.006);
        NEAR(t, radiance(rgb, 4, 4, 1), 0.6, 0.006);
        free(rgb);
    }
}

static void emissive_sprites_add_their_light(test* t)
{
    static cards c;
    hand_frame h;
    grey_begin(&h);
    for (int i = 0; i < 3; ++i) h.frame.light.sky[i] = h.frame.light.horizon[i] = 0.2f;
    hand_cards(&h, &c, 2, 0.5f, KIN_SURFACE_EMISSIVE, 1)->look.glow = 0.3f;
    uint8_t* rgb = render(t, &h, 2);
    NEAR(t, mid_radiance(rgb), 0.2 + 2 * 0.5 * 0.3, 0.006);
    free(rgb);
}

/* Red in front of green, whatever the order of the rows; the sphere hides what is behind it and not what is before it. */
static void nearer_sprites_hide_farther_ones(test* t)
{
    static cards c;
    hand_frame h;
    hand_begin(&h);
    const float place[3] = {0, 1, 0}, small = 0.3f;
    kin_layer* layer = hand_cards(&h, &c, 2, 1, KIN_SURFACE_MATTE, 1);
    hand_array(&h, layer, "color", KIN_F32, 3, 2, memcpy(c.color, (float[6]){0.02f, 0.7f, 0.02f, 0.7f, 0.02f, 0.02f}, 6 * sizeof(float)));
    hand_sphere(&h, KIN_SURFACE_MATTE, 0.05f, 0.05f, 0.7f, place, &small);
    c.position[2] = 1.5f;
    c.position[5] = 2.5f;
    uint8_t* rgb = render(t, &h, 2);
    CHECK(t, reddish(pixel(rgb, WIDTH / 2, HEIGHT / 2)));
    free(rgb);
    c.position[2] = 3.5f;
    rgb = render(t, &h, 2);
    CHECK(t, pixel(rgb, WIDTH / 2, HEIGHT / 2)[1] > 2 * pixel(rgb, WIDTH / 2, HEIGHT / 2)[0]);
    free(rgb);
    c.position[2] = c.position[5] = -2;
    rgb = render(t, &h, 2);
    CHECK(t, pixel(rgb, WIDTH / 2, HEIGHT / 2)[2] > 2 * pixel(rgb, WIDTH / 2, HEIGHT / 2)[0]);
    free(rgb);
}

static void soft_sprites_fall_off(test* t)
{
    hand_frame h;
    grey_begin(&h);
    const float place[3] = {0, 1, 0}, radius = 2, black[3] = {0, 0, 0};
    kin_layer* layer = hand_layer(&h, KIN_LAYER_SPRITES, KIN_SURFACE_MATTE, 0, 0, 0);
    hand_array(&h, layer, "position", KIN_F32, 3, 1, place);
    hand_array(&h, layer, "radius", KIN_F32, 1, 1, &radius);
    hand_array(&h, layer, "color", KIN_F32, 3, 1, black);
    uint8_t* rgb = render(t, &h, 2);
    double scale = HEIGHT / 2 / (10 * tan(0.3)), before = 0;
    CHECK(t, brightness(rgb, WIDTH / 2, HEIGHT / 2) < 60);
    for (int x = 4; x < (int)(2.2 * scale); x += 4) {
        double now = radiance(rgb, WIDTH / 2 + x, HEIGHT / 2, 1), q = pow((x + 0.5) / (2 * scale), 2), rim = exp(-4);
        CHECK(t, now >= before);
        if (q > 0.09) NEAR(t, now, 0.6 * (1 - fmax(0, (exp(-4 * q) - rim) / (1 - rim))), 0.02);
        before = now;
    }
    free(rgb);
}

/* 2 m in the 0.1 s to the next frame: half the light where it comes to at half time, none behind. */
static void moving_sprites_blur(test* t)
{
    static cards c;
    static const float velocity[3] = {20, 0, 0};
    hand_frame h;
    grey_begin(&h);
    kin_layer* layer = hand_cards(&h, &c, 1, 1, KIN_SURFACE_MATTE, 0);
    hand_array(&h, layer, "velocity", KIN_F32, 3, 1, velocity);
    h.frame.camera.shutter = 1;
    uint8_t* rgb = render(t, &h, 2);
    double scale = HEIGHT / 2 / (10 * tan(0.3));
    NEAR(t, radiance(rgb, WIDTH / 2 + (int)(1.8 * scale), HEIGHT / 2, 1), 0.6 * 0.5, 0.05); /* the front edge is there after half the time */
    NEAR(t, radiance(rgb, WIDTH / 2 - (int)scale, HEIGHT / 2, 1), 0.6, 0.006);
    free(rgb);
}

static int strongest(const uint8_t* p) { return p[0] > p[1] ? (p[0] > p[2] ? 0 : 2) : (p[1] > p[2] ? 1 : 2); }

/* The picture is drawn upright, its first row on top, and rolls counter-clockwise. */
static void textures_stand_upright_and_roll(test* t)
{
    static const float texture[16] = {1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0}; /* red green / blue nothing */
    static const uint32_t size[2] = {2, 2};
    float place[3] = {0, 1, 0}, radius = 2, angle = 0;
    hand_frame h;
    hand_begin(&h);
    kin_layer* layer = hand_layer(&h, KIN_LAYER_SPRITES, KIN_SURFACE_EMISSIVE, 1, 1, 1);
    layer->look.glow = 0.6f;
    hand_array(&h, layer, "position", KIN_F32, 3, 1, place);
    hand_array(&h, layer, "radius", KIN_F32, 1, 1, &radius);
    hand_array(&h, layer, "angle", KIN_F32, 1, 1, &angle);
    hand_array(&h, layer, "texture", KIN_F32, 4, 4, texture);
    hand_array(&h, layer, "texture_size", KIN_U32, 2, 1, size);
    int d = (int)(1.5 * HEIGHT / 2 / (10 * tan(0.3)));
    static const int corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}; /* clockwise from the top left, y down */
    static const int colors[4] = {0, 1, -1, 2};
    for (int quarter = 0; quarter < 4; ++quarter) {
        angle = (float)quarter * 1.5707963f;
        uint8_t* rgb = render(t, &h, 2);
        for (int i = 0; i < 4; ++i) {
            int k = (i + 4 - quarter) % 4; /* where this corner has gone */
            const uint8_t* p = pixel(rgb, WIDTH / 2 + d * corner[k][0], HEIGHT / 2 + d * corner[k][1]);
            if (colors[i] < 0)
                NEAR(t, p[0], p[2], 2); /* the grey sky */
            else
                CHECK(t, strongest(p) == colors[i] && p[colors[i]] > 1.2 * p[(colors[i] + 1) % 3]);
        }
        free(rgb);
    }
}

/* A puff that is lit has the sun's side brighter, and the one in its shadow is darker. */
static void sprites_are_lit_and_shaded(test* t)
{
    static const float places[6] = {0, 3, 0, 0, 0, 0}, radius[2] = {0.8f, 0.8f};
    hand_frame h;
    hand_begin(&h);
    h.frame.light = (kin_light){.sun_direction = {0, 1, 0}, .sun = {2, 2, 2}, .sky = {0.1f, 0.1f, 0.1f}, .horizon = {0.1f, 0.1f, 0.1f}};
    h.frame.camera.eye.y = h.frame.camera.target.y = 1.5;
    kin_layer* layer = hand_layer(&h, KIN_LAYER_SPRITES, KIN_SURFACE_MATTE, 0.9f, 0.9f, 0.9f);
    hand_array(&h, layer, "position", KIN_F32, 3, 2, places);
    hand_array(&h, layer, "radius", KIN_F32, 1, 2, radius);
    uint8_t* rgb = render(t, &h, 2);
    double scale = HEIGHT / 2 / (10 * tan(0.3));
    int high = HEIGHT / 2 - (int)(1.5 * scale), low = HEIGHT / 2 + (int)(1.5 * scale), side = (int)(0.3 * scale);
    CHECK(t, brightness(rgb, WIDTH / 2, high - side) > brightness(rgb, WIDTH / 2, high + side) + 15);
    CHECK(t, brightness(rgb, WIDTH / 2, high) > brightness(rgb, WIDTH / 2, low) + 15);
    free(rgb);
}

static void points_let_light_through(test* t)
{
    hand_frame h;
    grey_begin(&h);
    const float place[6] = {0, 1, 0, 0, 1, -3}, radius[2] = {1, 1}, opacity[2] = {0.5f, 0.25f};
    kin_layer* layer = hand_layer(&h, KIN_LAYER_POINTS, KIN_SURFACE_EMISSIVE, 1, 1, 1); /* no glow: black */
    hand_array(&h, layer, "position", KIN_F32, 3, 2, place);
    hand_array(&h, layer, "radius", KIN_F32, 1, 2, radius);
    hand_array(&h, layer, "opacity", KIN_F32, 1, 2, opacity);
    uint8_t* rgb = render(t, &h, 2);
    NEAR(t, mid_radiance(rgb), 0.6 * 0.5 * 0.75, 0.006);
    free(rgb);
    layer->look = (kin_look){.surface = KIN_SURFACE_MATTE}; /* by chance, and the sky's light on black is little */
    rgb = render(t, &h, 2);
    NEAR(t, mid_radiance(rgb), 0.6 * 0.5 * 0.75, 0.06);
    free(rgb);
}

static void streaks_fade_from_head_to_tail(test* t)
{
    hand_frame h;
    grey_begin(&h);
    for (int i = 0; i < 3; ++i) h.frame.light.sky[i] = h.frame.light.horizon[i] = 0.1f;
    const float head[3] = {2, 1, 0}, radius = 0.4f, velocity[3] = {40, 0, 0}, color[3] = {1, 1, 1};
    kin_layer* layer = hand_sphere(&h, KIN_SURFACE_EMISSIVE, 0, 0, 0, head, &radius);
    layer->look.glow = 0.6f;
    layer->look.streak = 0.1f;
    hand_array(&h, layer, "velocity", KIN_F32, 3, 1, velocity);
    hand_array(&h, layer, "color", KIN_F32, 3, 1, color);
    uint8_t* rgb = render(t, &h, 2);
    double scale = HEIGHT / 2 / (10 * tan(0.3));
    for (int x = -1; x <= 1; ++x) { /* s goes from 0 at -2 to 1 at 2 */
        double s = (x + 2) / 4.0;
        NEAR(t, radiance(rgb, WIDTH / 2 + (int)(x * scale), HEIGHT / 2, 1), 0.1 * (1 - s * s) + 0.6 * s * s, 0.03);
    }
    free(rgb);
}

static void instances_have_colours_and_sizes(test* t)
{
    static const float square[12] = {-0.5f, -0.5f, 0, 0.5f, -0.5f, 0, 0.5f, 0.5f, 0, -0.5f, 0.5f, 0};
    static const uint32_t triangles[6] = {0, 1, 2, 0, 2, 3};
    static const float pose[14] = {-2, 1, 0, 0, 0, 0, 1, 2, 1, 0, 0, 0, 0, 1}, pose_end[14] = {-2.01f, 1, 0, 0, 0, 0, 1, 2.01f, 1, 0, 0, 0, 0, 1};
    static const float color[6] = {0.7f, 0.05f, 0.05f, 0.05f, 0.7f, 0.05f}, scale[2] = {1, 2};
    hand_frame h;
    hand_begin(&h);
    kin_layer* layer = hand_layer(&h, KIN_LAYER_MESH, KIN_SURFACE_MATTE, 0.5f, 0.5f, 0.5f);
    hand_array(&h, layer, "position", KIN_F32, 3, 4, square);
    hand_array(&h, layer, "triangle", KIN_U32, 3, 2, triangles);
    hand_array(&h, layer, "pose", KIN_F32, 7, 2, pose);
    hand_array(&h, layer, "color", KIN_F32, 3, 2, color);
    hand_array(&h, layer, "scale", KIN_F32, 1, 2, scale);
    hand_array(&h, layer, "pose_end", KIN_F32, 7, 2, pose_end);
    double side = HEIGHT / 2 / (10 * tan(0.3));
    for (int moving = 0; moving < 2; ++moving) { /* hardly, but by another way through Embree */
        h.frame.camera.shutter = moving;
        uint8_t* rgb = render(t, &h, 2);
        int red = count_reddish(rgb), green = 0;
        for (int i = 0; i < WIDTH * HEIGHT; ++i) green += rgb[3 * i + 1] > 2 * rgb[3 * i];
        NEAR(t, red, side * side, 0.2 * side * side);
        NEAR(t, green, 4 * side * side, 0.5 * side * side);
        free(rgb);
    }
}

/* ---- volumes ---- */

enum { SIDE = 8 };
typedef struct block {
    float density[SIDE * SIDE * SIDE], glow[SIDE * SIDE * SIDE], box[6];
    uint32_t dims[3];
} block;

/* A cube of 2 m about (0, 1, 0), the same all through. */
static kin_layer* hand_block(hand_frame* h, block* b, float density, float grey)
{
    memcpy(b->box, (float[6]){-1, 0, -1, 1, 2, 1}, sizeof b->box);
    for (int i = 0; i < 3; ++i) b->dims[i] = SIDE;
    for (int i = 0; i < SIDE * SIDE * SIDE; ++i) b->density[i] = density;
    kin_layer* layer = hand_layer(h, KIN_LAYER_VOLUME, KIN_SURFACE_MATTE, grey, grey, grey);
    hand_array(h, layer, "dims", KIN_U32, 3, 1, b->dims);
    hand_array(h, layer, "box", KIN_F32, 3, 2, b->box);
    hand_array(h, layer, "density", KIN_F32, 1, SIDE * SIDE * SIDE, b->density);
    return layer;
}

/* Beer and Lambert, also before a sphere, behind half a sprite, and for two volumes in one place. */
static void volumes_absorb_by_their_depth(test* t)
{
    static block b, second;
    static cards c;
    static const float depths[] = {0.2f, 0.7f, 1.5f};
    for (size_t i = 0; i < sizeof depths / sizeof *depths; ++i) {
        hand_frame h;
        grey_begin(&h);
        hand_block(&h, &b, depths[i], 0)->look.extinction = 0.5f; /* over 2 m */
        uint8_t* rgb = render(t, &h, 2);
        NEAR(t, mid_radiance(rgb) / 0.6, exp(-(double)depths[i]), 0.02 * exp(-(double)depths[i]));
        NEAR(t, radiance(rgb, 4, 4, 1), 0.6, 0.006);
        free(rgb);
    }
    hand_frame h;
    grey_begin(&h);
    hand_block(&h, &b, 0.2f, 0);
    hand_block(&h, &second, 0.1f, 0);
    hand_cards(&h, &c, 1, 0.5f, KIN_SURFACE_MATTE, 0); /* in the middle of both */
    const float behind[3] = {0, 1, -3}, radius = 1;
    hand_sphere(&h, KIN_SURFACE_EMISSIVE, 0.7f, 0.7f, 0.7f, behind, &radius)->look.glow = 1;
    uint8_t* rgb = render(t, &h, 2);
    NEAR(t, mid_radiance(rgb), 0.7 * 0.5 * exp(-0.6), 0.02 * 0.7 * 0.5 * exp(-0.6) + 0.003);
    free(rgb);
}

/* Smoke in the middle third only, thick, in a fine grid: what lies beside it is stepped over, it itself is not. */
static void empty_parts_are_stepped_over_and_full_ones_are_not(test* t)
{
    enum { FINE = 24 };
    static float density[FINE * FINE * FINE];
    static const float box[6] = {-1.5f, -0.5f, -1.5f, 1.5f, 2.5f, 1.5f};
    static const uint32_t dims[3] = {FINE, FINE, FINE};
    for (int i = 0; i < FINE * FINE * FINE; ++i) {
        const int at[3] = {i % FINE, i / FINE % FINE, i / FINE / FINE};
        bool inside = true;
        for (int k = 0; k < 3; ++k) inside = inside && at[k] >= 8 && at[k] < 16;
        density[i] = inside ? 1.5f : 0;
    }
    hand_frame h;
    grey_begin(&h);
    kin_layer* layer = hand_layer(&h, KIN_LAYER_VOLUME, KIN_SURFACE_MATTE, 0, 0, 0);
    hand_array(&h, layer, "dims", KIN_U32, 3, 1, dims);
    hand_array(&h, layer, "box", KIN_F32, 3, 2, box);
    hand_array(&h, layer, "density", KIN_F32, 1, FINE * FINE * FINE, density);
    uint8_t* rgb = render(t, &h, 2);
    double scale = HEIGHT / 2 / (10 * tan(0.3)); /* pixels a metre: the smoke is a cube of 1 m */
    for (int x = -3; x <= 3; ++x) {
        for (int y = -3; y <= 3; ++y) NEAR(t, radiance(rgb, WIDTH / 2 + x, HEIGHT / 2 + y, 1), 0.6 * exp(-1.5), 0.02 * 0.6);
    }
    for (int x = -1; x <= 1; x += 2) NEAR(t, radiance(rgb, WIDTH / 2 + x * (int)scale, HEIGHT / 2, 1), 0.6, 0.006);
    free(rgb);
}

static void a_surface_inside_a_volume_is_veiled_by_what_is_before_it(test* t)
{
    static block b;
    hand_frame h;
    grey_begin(&h);
    hand_block(&h, &b, 0.5f, 0);
    const float inside[3] = {0, 1, 0}, radius = 0.5f;
    hand_sphere(&h, KIN_SURFACE_EMISSIVE, 0.7f, 0.7f, 0.7f, inside, &radius)->look.glow = 1;
    uint8_t* rgb = render(t, &h, 2);
    NEAR(t, mid_radiance(rgb), 0.7 * exp(-0.25), 0.012);
    free(rgb);
}

/* Smoke that glows and does not absorb: radiance is glow times length. Voxels without anything are left out of it. */
static void volumes_glow(test* t)
{
    static block b;
    hand_frame h;
    grey_begin(&h);
    for (int i = 0; i < 3; ++i) h.frame.light.sky[i] = h.frame.light.horizon[i] = 0.1f;
    kin_layer* layer = hand_block(&h, &b, 0, 1);
    for (int i = 0; i < SIDE * SIDE * SIDE; ++i) b.glow[i] = 0.2f;
    hand_array(&h, layer, "glow", KIN_F32, 1, SIDE * SIDE * SIDE, b.glow);
    uint8_t* rgb = render(t, &h, 2);
    NEAR(t, mid_radiance(rgb), 0.1 + 0.2 * 2, 0.01);
    free(rgb);
}

/* Fire at night, seen from above: a small volume, and a sprite, of an intensity I (W/sr) light the ground at a distance d by I cos / d^2. */
static void flames_light_the_ground(test* t)
{
    static block b;
    static const float place[3] = {0, 2, 0}, radius = 0.2f;
    for (int kind = 0; kind < 2; ++kind) {
        hand_frame h;
        hand_begin(&h);
        h.frame.light = (kin_light){.sun_direction = {0, 1, 0}, .sky = {1e-6f, 0, 0}};
        h.frame.camera = (kin_camera){.eye = {0, 12, 0.01}, .target = {0, 0, 0}, .up = {0, 0, -1}, .field_of_view = 0.6};
        hand_ground(&h);
        double intensity = 20;
        if (kind == 0) {
            kin_layer* layer = hand_block(&h, &b, 0, 1);
            memcpy(b.box, (float[6]){-0.2f, 1.8f, -0.2f, 0.2f, 2.2f, 0.2f}, sizeof b.box);
            for (int i = 0; i < SIDE * SIDE * SIDE; ++i) b.glow[i] = (float)(intensity / 0.064);
            hand_array(&h, layer, "glow", KIN_F32, 1, SIDE * SIDE * SIDE, b.glow);
        } else {
            kin_layer* layer = hand_layer(&h, KIN_LAYER_SPRITES, KIN_SURFACE_EMISSIVE, 1, 1, 1);
            layer->look.glow = (float)(intensity / 0.16); /* a square of 0.4 m */
            hand_array(&h, layer, "position", KIN_F32, 3, 1, place);
            hand_array(&h, layer, "radius", KIN_F32, 1, 1, &radius);
            hand_array(&h, layer, "texture", KIN_F32, 4, 1, full);
            hand_array(&h, layer, "texture_size", KIN_U32, 2, 1, single);
        }
        uint8_t* rgb = render(t, &h, 2);
        double scale = HEIGHT / 2 / (12 * tan(0.3)), d2 = 4 + 1.5 * 1.5 + 0.5 * 0.5;
        double want = 0.5 * 0.87 / 3.14159 * intensity * 2 / (d2 * sqrt(d2)); /* Oren and Nayar's 0.87: light and view hardly lean the same way */
        NEAR(t, radiance(rgb, WIDTH / 2 + (int)(1.5 * scale), HEIGHT / 2 + (int)(0.5 * scale), 1), want, 0.1 * want); /* bloom adds a little */
        free(rgb);
    }
}

/* White smoke under the sun: bright above, darker below, and a shadow on the ground that thick smoke makes darker. */
static void volumes_scatter_and_throw_shadows(test* t)
{
    static block b;
    int shadow[2];
    for (int thick = 0; thick < 2; ++thick) {
        hand_frame h;
        hand_begin(&h);
        hand_ground(&h);
        h.frame.light.sun_direction = (kin_vec3){0, 1, 0};
        h.frame.camera.eye = (kin_vec3){0, 4, 10};
        hand_block(&h, &b, thick == 1 ? 3 : 0.5f, 0.95f);
        b.box[1] = 1.5f;
        b.box[4] = 3.5f;
        uint8_t* rgb = render(t, &h, 2);
        double scale = HEIGHT / 2 / (10.4 * tan(0.3));
        int top = HEIGHT / 2 - (int)(2 * scale), bottom = HEIGHT / 2 - (int)(0.8 * scale), ground = HEIGHT / 2 + (int)(0.9 * scale);
        if (thick == 1) CHECK(t, brightness(rgb, WIDTH / 2, top) > brightness(rgb, WIDTH / 2, bottom) + 60);
        shadow[thick] = brightness(rgb, WIDTH / 2, ground);
        CHECK(t, brightness(rgb, 6, ground) > shadow[thick] + 20);
        free(rgb);
    }
    CHECK(t, shadow[0] > shadow[1] + 30);
}

/* ---- nothing breaks ---- */

static void odd_layers_do_no_harm(test* t)
{
    static const float nan_places[6] = {NAN, 0, 0, 0, 1, 0}, radii[2] = {1, INFINITY}, odd[2] = {NAN, -3}, bad_box[6] = {0, 0, 0, 1, 0, 1},
                       voxels[8] = {NAN, -1, 1e30f};
    static const float box[6] = {-1, 0, -1, 1, 2, 1};
    static const uint32_t no_size[2] = {0, 5}, no_dims[3] = {0, 2, 2}, dims[3] = {2, 2, 2};
    hand_frame h;
    hand_begin(&h);
    kin_layer* sprites = hand_layer(&h, KIN_LAYER_SPRITES, KIN_SURFACE_MATTE, 1, 1, 1);
    free(render(t, &h, 1)); /* no arrays */
    hand_array(&h, sprites, "position", KIN_F32, 3, 2, nan_places);
    hand_array(&h, sprites, "radius", KIN_F32, 1, 2, radii);
    hand_array(&h, sprites, "opacity", KIN_F32, 1, 2, odd);
    hand_array(&h, sprites, "angle", KIN_F32, 1, 2, odd);
    hand_array(&h, sprites, "texture_size", KIN_U32, 2, 1, no_size);
    hand_array(&h, sprites, "texture", KIN_F32, 4, 0, radii);
    free(render(t, &h, 1));
    h.arrays[0][1].data = h.arrays[0][0].data; /* radii of NaN and 0 */
    free(render(t, &h, 1));
    kin_layer* volume = hand_layer(&h, KIN_LAYER_VOLUME, KIN_SURFACE_MATTE, 1, 1, 1);
    volume->look.anisotropy = NAN;
    volume->look.extinction = NAN;
    free(render(t, &h, 1));
    hand_array(&h, volume, "dims", KIN_U32, 3, 1, no_dims);
    hand_array(&h, volume, "box", KIN_F32, 3, 2, bad_box);
    hand_array(&h, volume, "density", KIN_F32, 1, 8, voxels);
    free(render(t, &h, 1));
    h.arrays[1][0].data = dims;
    free(render(t, &h, 1));
    h.arrays[1][1].data = box;
    uint8_t* rgb = render(t, &h, 1);
    CHECK(t, brightness(rgb, 4, 4) > 90); /* beside it all is as it was */
    free(rgb);
    h.frame.camera.eye = (kin_vec3){0, 1, 0.1}; /* within it */
    free(render(t, &h, 1));
}

TEST_MAIN("soft", TEST(alpha_accumulates), TEST(emissive_sprites_add_their_light), TEST(nearer_sprites_hide_farther_ones), TEST(soft_sprites_fall_off),
          TEST(moving_sprites_blur), TEST(textures_stand_upright_and_roll), TEST(sprites_are_lit_and_shaded), TEST(points_let_light_through),
          TEST(streaks_fade_from_head_to_tail), TEST(instances_have_colours_and_sizes), TEST(volumes_absorb_by_their_depth),
          TEST(empty_parts_are_stepped_over_and_full_ones_are_not), TEST(a_surface_inside_a_volume_is_veiled_by_what_is_before_it), TEST(volumes_glow),
          TEST(flames_light_the_ground), TEST(volumes_scatter_and_throw_shadows), TEST(odd_layers_do_no_harm))
