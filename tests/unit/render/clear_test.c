/* Clear bodies against closed forms: single rays through the stage and the material, and pictures. */
#include "render/camera.h"
#include "render/film.h"
#include "render/material.h"
#include "render/shade.h"
#include "unit/render/frames.h"
#include <math.h>

/* A box as a mesh layer: 8 corners, facing out. */
typedef struct box {
    float corners[24];
} box;
static const uint32_t box_triangles[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4, 2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};

static kin_layer* hand_box(hand_frame* h, box* b, kin_surface surface, float x0, float y0, float z0, float x1, float y1, float z1)
{
    for (int i = 0; i < 8; ++i) {
        b->corners[3 * i] = i & 1 ? x1 : x0, b->corners[3 * i + 1] = i & 2 ? y1 : y0, b->corners[3 * i + 2] = i & 4 ? z1 : z0;
    }
    kin_layer* layer = hand_layer(h, KIN_LAYER_MESH, surface, 1, 1, 1);
    hand_array(h, layer, "position", KIN_F32, 3, 8, b->corners);
    hand_array(h, layer, "triangle", KIN_U32, 3, 12, box_triangles);
    return layer;
}

static kin_stage* stage_of(test* t, const hand_frame* h)
{
    kin_stage* stage;
    EQUAL(t, kin_stage_create(&t->allocator, &stage, NULL), KIN_OK);
    EQUAL(t, kin_stage_set(stage, &h->frame, NULL), KIN_OK);
    return stage;
}

/* One ray followed through clear bodies; every surface is passed, or the one numbered `mirror` reflects. Returns how many were met. */
typedef struct trip {
    kin_ray ray;
    kin_media media;
    kin_vec clear;
    const kin_look* in[16]; /* medium of each part of the way */
    int surfaces;
} trip;

static trip travel(const kin_stage* stage, kin_vec origin, kin_vec direction, int mirror)
{
    trip p = {.ray = {.origin = origin, .direction = direction, .reach = INFINITY}, .clear = vec_all(1)};
    kin_hit hit;
    while (p.surfaces < 16 && kin_stage_intersect(stage, &p.ray, &hit, &p.media)) {
        p.in[p.surfaces] = kin_media_here(&p.media);
        p.clear *= kin_medium_clear(p.in[p.surfaces], hit.distance);
        if (hit.look->surface != KIN_SURFACE_GLASS) break;
        kin_crossing crossing = kin_hit_crossing(&hit, &p.ray, &p.media);
        kin_material m = kin_material_at(&hit, &p.ray, &crossing);
        kin_scatter next;
        kin_material_scatter(&m, (kin_pair){p.surfaces == mirror ? 0 : 0.999999f, 0}, (kin_pair){0.5f, 0.5f}, &next);
        bool through = vec_dot(next.direction, m.facet) < 0;
        if (through) p.media = crossing.after;
        p.ray.origin = hit.position + m.facet * (through ? -1e-5f : 1e-5f), p.ray.direction = next.direction;
        p.surfaces += 1;
    }
    return p;
}

static void a_slab_displaces_a_ray_by_the_closed_form(test* t) /* d sin(i) (1 - cos i / sqrt(n^2 - sin^2 i)), and the direction is kept */
{
    for (int k = 0; k < 3; ++k) {
        hand_frame h;
        box b;
        hand_begin(&h);
        float index = (float[3]){1.333f, 1.5f, 2.4f}[k];
        hand_box(&h, &b, KIN_SURFACE_GLASS, -50, 0, -50, 50, 0.5f, 50)->look.ior = index;
        kin_stage* stage = stage_of(t, &h);
        for (double angle = 0.1; angle < 1.4; angle += 0.25) {
            kin_vec d = vec((float)sin(angle), -(float)cos(angle), 0), o = vec(0.1f, 3, 0.2f);
            trip p = travel(stage, o, d, -1);
            EQUAL(t, p.surfaces, 2);
            EQUAL(t, p.media.count, 0);
            for (int a = 0; a < 3; ++a) NEAR(t, (double)p.ray.direction[a], (double)d[a], 2e-5);
            kin_vec off = p.ray.origin - o;
            off -= d * vec_dot(off, d);
            double n2 = (double)index * (double)index, want = 0.5 * sin(angle) * (1 - cos(angle) / sqrt(n2 - sin(angle) * sin(angle)));
            NEAR(t, (double)vec_length(off), want, 5e-5);
        }
        kin_stage_destroy(stage);
    }
}

/* The share of choices that reflect. */
static double reflectance(const kin_stage* stage, kin_vec origin, kin_vec direction, kin_media media)
{
    kin_ray ray = {.origin = origin, .direction = direction, .reach = INFINITY};
    kin_hit hit;
    if (!kin_stage_intersect(stage, &ray, &hit, &media)) return -1;
    kin_crossing crossing = kin_hit_crossing(&hit, &ray, &media);
    kin_material m = kin_material_at(&hit, &ray, &crossing);
    int mirrored = 0;
    for (int i = 0; i < 10000; ++i) {
        kin_scatter next;
        kin_material_scatter(&m, (kin_pair){((float)i + 0.5f) / 10000, 0}, (kin_pair){0, 0}, &next);
        mirrored += vec_dot(next.direction, m.facet) > 0;
    }
    return mirrored / 10000.0;
}

static void reflection_follows_fresnel(test* t) /* ((n - 1) / (n + 1))^2 head on, nothing for p light at Brewster's angle, all beyond the critical angle */
{
    hand_frame h;
    box b;
    hand_begin(&h);
    hand_box(&h, &b, KIN_SURFACE_GLASS, -50, -5, -50, 50, 0, 50)->look.ior = 1.333f;
    kin_stage* stage = stage_of(t, &h);
    double n = (double)1.333f;
    kin_media air = {.count = 0}, water = kin_stage_media(stage, vec(0, -1, 0));
    EQUAL(t, water.count, 1);
    EQUAL(t, kin_stage_media(stage, vec(0, 1, 0)).count, 0);
    NEAR(t, reflectance(stage, vec(0, 1, 0), vec(0, -1, 0), air), (n - 1) * (n - 1) / (n + 1) / (n + 1), 1e-4);
    NEAR(t, reflectance(stage, vec(0, -1, 0), vec(0, 1, 0), water), (n - 1) * (n - 1) / (n + 1) / (n + 1), 1e-4);
    double brewster = atan(n), across = (n * n - 1) / (n * n + 1); /* r_s there */
    NEAR(t, reflectance(stage, vec(0, 1, 0), vec((float)sin(brewster), -(float)cos(brewster), 0), air), 0.5 * across * across, 2e-4);
    double critical = asin(1 / n);
    NEAR(t, reflectance(stage, vec(0, -1, 0), vec((float)sin(critical + 0.01), (float)cos(critical + 0.01), 0), water), 1, 0);
    CHECK(t, reflectance(stage, vec(0, -1, 0), vec((float)sin(critical - 0.05), (float)cos(critical - 0.05), 0), water) < 0.5);
    kin_stage_destroy(stage);
}

static void light_is_lost_with_the_way_inside(test* t) /* exp(-a d), on paths and in shadows */
{
    hand_frame h;
    box b;
    hand_begin(&h);
    kin_layer* layer = hand_box(&h, &b, KIN_SURFACE_GLASS, -5, 0, -5, 5, 2, 5);
    layer->look.ior = 1.333f;
    for (int c = 0; c < 3; ++c) layer->look.absorption[c] = (float[3]){0.5f, 0.1f, 0}[c];
    kin_stage* stage = stage_of(t, &h);
    trip p = travel(stage, vec(0.1f, 5, 0.2f), vec(0, -1, 0), -1);
    kin_media water = kin_stage_media(stage, vec(0.1f, 1, 0.2f)), air = {.count = 0};
    kin_ray above = {.origin = vec(0.1f, 5, 0.2f), .direction = vec(0, -1, 0), .reach = 20, .media = &air}, within = above;
    within.origin = vec(0.1f, 0.5f, 0.2f), within.direction = vec(0, 1, 0), within.media = &water;
    kin_vec shadow, from_within;
    CHECK(t, !kin_stage_occluded(stage, &above, &shadow) && !kin_stage_occluded(stage, &within, &from_within));
    for (int c = 0; c < 3; ++c) {
        double a = (double)layer->look.absorption[c];
        NEAR(t, (double)p.clear[c], exp(-a * 2), 1e-4);
        NEAR(t, (double)shadow[c], exp(-a * 2), 1e-4);
        NEAR(t, (double)from_within[c], exp(-a * 1.5), 1e-4);
    }
    within.reach = 0.25f; /* a lamp in the water */
    CHECK(t, !kin_stage_occluded(stage, &within, &from_within));
    NEAR(t, (double)from_within[0], exp(-0.5 * 0.25), 1e-4);
    kin_stage_destroy(stage);
}

/* A tumbler: glass from -1 to 1 with a hollow from -0.9, water in it that reaches half into the wall. */
static void water_stands_in_a_glass(test* t)
{
    for (int order = 0; order < 2; ++order) {
        hand_frame h;
        box outer, hollow, fill;
        hand_begin(&h);
        kin_layer* water = NULL;
        if (order == 0) water = hand_box(&h, &fill, KIN_SURFACE_GLASS, -0.95f, -0.95f, -0.95f, 0.95f, 0.5f, 0.95f);
        kin_layer* glass = hand_box(&h, &outer, KIN_SURFACE_GLASS, -1, -1, -1, 1, 1, 1);
        hand_box(&h, &hollow, KIN_SURFACE_GLASS, 0.9f, -0.9f, -0.9f, -0.9f, 0.9f, 0.9f); /* inside out */
        if (order == 1) water = hand_box(&h, &fill, KIN_SURFACE_GLASS, -0.95f, -0.95f, -0.95f, 0.95f, 0.5f, 0.95f);
        /* one body of glass: both skins in one layer */
        float corners[48];
        uint32_t triangles[72];
        memcpy(corners, outer.corners, sizeof outer.corners);
        memcpy(corners + 24, hollow.corners, sizeof hollow.corners);
        for (int i = 0; i < 36; ++i) triangles[i] = box_triangles[i], triangles[36 + i] = 8 + box_triangles[i];
        glass->array_count = 0;
        hand_array(&h, glass, "position", KIN_F32, 3, 16, corners);
        hand_array(&h, glass, "triangle", KIN_U32, 3, 24, triangles);
        uint32_t hollow_layer = order == 0 ? 2 : 1;
        h.layers[hollow_layer].array_count = 0; /* nothing to draw: it is in the glass now */
        water->look.ior = 1.333f;
        glass->look.ior = 1.5f;
        kin_stage* stage = stage_of(t, &h);
        trip p = travel(stage, vec(-3, 0.1f, 0.2f), vec(1, 0, 0), -1); /* air glass water glass air: the skins of the water in the wall are not there */
        EQUAL(t, p.surfaces, 4);
        CHECK(t, p.in[0] == NULL && p.in[1] == &glass->look && p.in[2] == &water->look && p.in[3] == &glass->look);
        EQUAL(t, p.media.count, 0);
        p = travel(stage, vec(0.1f, 3, 0.2f), vec(0, -1, 0), -1); /* lid, air in the glass, water, bottom */
        EQUAL(t, p.surfaces, 5);
        CHECK(t, p.in[1] == &glass->look && p.in[2] == NULL && p.in[3] == &water->look && p.in[4] == &glass->look);
        /* from water to glass light bends by 1.333 / 1.5, and all three sines follow Snell */
        double angle = 0.3;
        p = travel(stage, vec(-2, 0.4f, 0), vec((float)cos(angle), -(float)sin(angle), 0), -1);
        NEAR(t, (double)p.ray.direction[1], -sin(angle), 5e-5);
        NEAR(t, reflectance(stage, vec(0, 0, 0), vec(1, 0, 0), kin_stage_media(stage, vec(0, 0, 0))), pow((1.5 - 1.333) / (1.5 + 1.333), 2), 1e-4);
        kin_stage_destroy(stage);
    }
}

static void overlapping_drops_are_one_body(test* t)
{
    hand_frame h;
    hand_begin(&h);
    static const float two[6] = {-0.6f, 0, 0, 0.6f, 0, 0}, radius[2] = {1, 1};
    kin_layer* layer = hand_layer(&h, KIN_LAYER_POINTS, KIN_SURFACE_GLASS, 1, 1, 1);
    hand_array(&h, layer, "position", KIN_F32, 3, 2, two);
    hand_array(&h, layer, "radius", KIN_F32, 1, 2, radius);
    kin_stage* stage = stage_of(t, &h);
    trip p = travel(stage, vec(-5, 0, 0), vec(1, 0, 0), -1);
    EQUAL(t, p.surfaces, 2);
    EQUAL(t, p.media.count, 0);
    p = travel(stage, vec(-5, 0, 0), vec(1, 0, 0), 1); /* mirrored at the far side: back through both */
    EQUAL(t, p.surfaces, 3);
    EQUAL(t, p.media.count, 0);
    kin_stage_destroy(stage);
}

/* ---- pictures ---- */

static void even_light(hand_frame* h, float radiance) /* the same from everywhere */
{
    for (int c = 0; c < 3; ++c) h->frame.light.sun[c] = 0, h->frame.light.sky[c] = h->frame.light.horizon[c] = radiance;
}

static void a_clear_ball_is_not_seen_in_even_light(test* t) /* white furnace: no light is made and none is lost */
{
    for (int k = 0; k < 2; ++k) {
        hand_frame h;
        hand_begin(&h);
        even_light(&h, 0.5f);
        static const float at[3] = {0, 1, 0}, radius = 1.5f;
        hand_sphere(&h, KIN_SURFACE_GLASS, 1, 1, 1, at, &radius)->look.ior = k == 0 ? 1.333f : 2.2f;
        kin_stage* stage = stage_of(t, &h);
        kin_shader shader = {.stage = stage, .sky = kin_sky_from(&h.frame.light), .bounces = 2, .brightest = 4};
        kin_lens lens = kin_lens_from(&h.frame.camera, (kin_vec3){0, 0, 0}, 64, 64);
        for (int i = 0; i < 64 * 64; ++i) {
            kin_sampler sampler = kin_sampler_begin(i % 64, i / 64, 0, 1);
            kin_ray ray = kin_lens_ray(&lens, i % 64, i / 64, &sampler);
            kin_shot shot = kin_shoot(&shader, &ray, &sampler);
            for (int c = 0; c < 3; ++c) NEAR(t, (double)(shot.lit[c] + shot.crisp[c]), 0.5, 1e-5);
        }
        kin_stage_destroy(stage);
    }
}

static void fill_bath(hand_frame* h) /* a ball of water, one of glass in a pool, over the ground */
{
    static box pool;
    static const float drop[3] = {-1.2f, 1.5f, 0}, ball[3] = {1.2f, 1.2f, 0}, radius = 0.9f;
    hand_begin(h);
    hand_ground(h);
    kin_layer* water = hand_box(h, &pool, KIN_SURFACE_GLASS, 0.2f, 0.01f, -1, 2.4f, 1.2f, 1);
    water->look.ior = 1.333f, water->look.absorption[0] = 0.5f;
    kin_layer* clear = hand_sphere(h, KIN_SURFACE_GLASS, 1, 1, 1, drop, &radius);
    clear->look.ior = 1.333f, clear->look.absorption[1] = 2;
    hand_sphere(h, KIN_SURFACE_GLASS, 1, 1, 1, ball, &radius);
}

static void clear_bodies_give_the_same_bytes_for_any_threads(test* t)
{
    hand_frame h;
    fill_bath(&h);
    uint8_t* first = NULL;
    for (int threads = 1; threads <= 8; threads *= 2) {
        studio s;
        studio_begin(t, &s, threads, 4);
        uint8_t* rgb = render_with(t, &s, &h.frame);
        CHECK(t, first == NULL || same(first, rgb));
        if (first == NULL)
            first = rgb;
        else
            free(rgb);
        studio_end(&s);
    }
    free(first);
}

static double difference(const uint8_t* a, const uint8_t* b)
{
    double sum = 0;
    for (int i = 0; i < 3 * WIDTH * HEIGHT; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum / (3 * WIDTH * HEIGHT));
}

/* A pane of index 1 bends and reflects nothing: the balls behind it are as sharp as without it. What differs is noise, as between pictures of as many samples. */
static void a_pane_blurs_nothing(test* t)
{
    enum { BALLS = 60 };
    static float at[3 * BALLS], radius[BALLS], color[3 * BALLS];
    for (int i = 0; i < BALLS; ++i) {
        at[3 * i] = 0.5f * (float)(i % 10) - 2.25f, at[3 * i + 1] = 0.1f + 0.5f * (float)(i / 10), at[3 * i + 2] = 0, radius[i] = 0.13f;
        color[3 * i] = i % 2 ? 0.8f : 0.05f, color[3 * i + 1] = 0.3f, color[3 * i + 2] = i % 2 ? 0.05f : 0.8f;
    }
    uint8_t* rgb[3];
    for (int k = 0; k < 3; ++k) { /* without, without, with a pane */
        hand_frame h;
        box pane;
        hand_begin(&h);
        even_light(&h, 0.5f); /* a pane's shadow is that of glass, whatever its index */
        hand_ground(&h);
        kin_layer* balls = hand_layer(&h, KIN_LAYER_POINTS, KIN_SURFACE_MATTE, 1, 1, 1);
        hand_array(&h, balls, "position", KIN_F32, 3, BALLS, at);
        hand_array(&h, balls, "radius", KIN_F32, 1, BALLS, radius);
        hand_array(&h, balls, "color", KIN_F32, 3, BALLS, color);
        if (k == 2) hand_box(&h, &pane, KIN_SURFACE_GLASS, -4, -1, 1.0f, 4, 5, 1.1f)->look.ior = 1;
        studio s;
        studio_begin(t, &s, 1, k == 0 ? 24 : 16);
        rgb[k] = render_with(t, &s, &h.frame);
        studio_end(&s);
    }
    double noise = difference(rgb[0], rgb[1]), blur = difference(rgb[2], rgb[1]);
    test_check(t, blur < 2 * noise, __FILE__, __LINE__, "the pane changes %.2f of 255, noise %.2f", blur, noise);
    for (int k = 0; k < 3; ++k) free(rgb[k]);
}

/* Ten samples go through a pane, `far` of them on to a ground of albedo 0.2; the others are reflected by the pane's second face. */
static kin_exposure pane_before_ground(int far)
{
    kin_exposure e = {.samples = 0};
    for (int i = 0; i < 10; ++i) {
        kin_shot shot = {.lit = vec_all(0.4f), .albedo = vec_all(i < far ? 0.2f : 1), .surfaces = i < far ? 3 : 2, .guided = i < far};
        for (int k = 0; k < 2; ++k) shot.normal[k] = (kin_vec){0, 0, 1, 2};
        shot.normal[2] = (kin_vec){0, 1, 0, 4};
        kin_exposure_add(&e, &shot, 1);
    }
    return e;
}

static void light_is_smoothed_on_the_surface_that_most_samples_share(test* t)
{
    kin_film film;
    EQUAL(t, kin_film_init(&film, &t->allocator, 2, 1, NULL), KIN_OK);
    for (int x = 0; x < 2; ++x) { /* the ground; the pane, turned round so that it is not mixed with the ground */
        kin_exposure e = pane_before_ground(x == 0 ? 6 : 4);
        kin_film_put(&film, x, 0, &e);
        const kin_vec want = x == 0 ? (kin_vec){0, 1, 0, 0.25f} : (kin_vec){0, 0, -1, 0.5f};
        for (int k = 0; k < 4; ++k) NEAR(t, (double)film.guide[x][k], (double)want[k], 1e-6);
        NEAR(t, (double)film.albedo[x][0], x == 0 ? 0.2 : 1, 1e-6);
        NEAR(t, (double)(film.light[x][0] * film.albedo[x][0]), 0.4, 1e-6);
    }
    kin_film_term(&film);
}

static void colours_of_vertices_are_mixed(test* t)
{
    hand_frame h;
    box b;
    hand_begin(&h);
    float colors[24];
    for (int i = 0; i < 8; ++i) colors[3 * i] = i & 1 ? 0.8f : 0, colors[3 * i + 1] = 0.2f, colors[3 * i + 2] = i & 1 ? 0 : 0.8f;
    kin_layer* layer = hand_box(&h, &b, KIN_SURFACE_MATTE, -1, -1, -1, 1, 1, 1);
    hand_array(&h, layer, "vertex_color", KIN_F32, 3, 8, colors);
    kin_stage* stage = stage_of(t, &h);
    for (float x = -0.9f; x < 1; x += 0.3f) {
        kin_ray ray = {.origin = vec(x, 0.31f, 5), .direction = vec(0, 0, -1), .reach = INFINITY};
        kin_hit hit;
        kin_media air = {.count = 0};
        CHECK(t, kin_stage_intersect(stage, &ray, &hit, &air));
        NEAR(t, (double)hit.color[0], 0.4 * (1 + (double)x), 1e-5);
        NEAR(t, (double)hit.color[2], 0.4 * (1 - (double)x), 1e-5);
    }
    kin_stage_destroy(stage);
}

TEST_MAIN("clear", TEST(a_slab_displaces_a_ray_by_the_closed_form), TEST(reflection_follows_fresnel), TEST(light_is_lost_with_the_way_inside),
          TEST(water_stands_in_a_glass), TEST(overlapping_drops_are_one_body), TEST(a_clear_ball_is_not_seen_in_even_light),
          TEST(clear_bodies_give_the_same_bytes_for_any_threads), TEST(a_pane_blurs_nothing), TEST(light_is_smoothed_on_the_surface_that_most_samples_share),
          TEST(colours_of_vertices_are_mixed))
