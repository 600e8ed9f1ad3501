/* easel.c - from geometry to layers of a frame, a camera that sees all of it, and the renderer. */
#include "easel.h"
#include "base/error.h"
#include "math/aabb.h"
#include "math/quat.h"
#include <stdio.h>
#include <string.h>

const float kin_easel_palette[8][3] = {{0.10f, 0.30f, 0.62f}, {0.82f, 0.34f, 0.06f}, {0.12f, 0.44f, 0.20f}, {0.66f, 0.10f, 0.14f},
                                       {0.36f, 0.18f, 0.58f}, {0.80f, 0.60f, 0.08f}, {0.05f, 0.46f, 0.52f}, {0.72f, 0.26f, 0.50f}};
const float kin_easel_grey[3] = {0.56f, 0.58f, 0.60f}, kin_easel_dark[3] = {0.04f, 0.05f, 0.07f}, kin_easel_red[3] = {0.80f, 0.04f, 0.03f};

static const double drawn_size = 2, view_angle = 0.42; /* m, diagonal; rad: narrow, so that rows of things look alike */

kin_result kin_easel_init(kin_easel* easel, int width, int height, int threads, kin_error* error)
{
    *easel = (kin_easel){.allocator = kin_allocator_default(), .options = kin_render_options_default()};
    easel->options.width = width;
    easel->options.height = height;
    easel->options.samples = 32;
    kin_capture_init(&easel->capture, &easel->allocator);
    kin_result result = kin_jobs_init(&easel->workers, &easel->allocator, NULL, threads, error);
    easel->has_workers = result == KIN_OK;
    return result == KIN_OK ? kin_renderer_create(&easel->allocator, &easel->workers, &easel->options, &easel->renderer, error) : result;
}

void kin_easel_term(kin_easel* easel)
{
    kin_renderer_destroy(easel->renderer);
    if (easel->has_workers) kin_jobs_term(&easel->workers);
    kin_capture_term(&easel->capture);
}

void kin_easel_begin(kin_easel* easel, kin_aabb subject)
{
    double size = kin_length(kin_aabb_size(subject));
    easel->center = kin_aabb_center(subject);
    easel->factor = size > 0 ? drawn_size / size : 1;
    kin_capture_begin(&easel->capture, 0, 0, 0, kin_v(0, 0, 0));
}

static void put(float out[3], kin_vec3 x)
{
    out[0] = (float)x.x;
    out[1] = (float)x.y;
    out[2] = (float)x.z;
}

static void begin_layer(kin_easel* easel, kin_layer_kind kind, const float color[3])
{
    char name[32];
    kin_look look = {.surface = KIN_SURFACE_MATTE, .color = {color[0], color[1], color[2]}};
    snprintf(name, sizeof name, "%zu", easel->capture.layer_count);
    kin_capture_layer(&easel->capture, name, kind, &look);
}

static void put_positions(kin_easel* easel, const kin_vec3* points, size_t count, kin_vec3 shift)
{
    float* out = kin_capture_array(&easel->capture, "position", KIN_F32, 3, count);
    for (size_t i = 0; out != NULL && i < count; ++i) {
        put(out + 3 * i, kin_scale(kin_sub(kin_add(points[i], shift), easel->center), easel->factor));
    }
}

static void put_radii(kin_easel* easel, size_t count, double radius)
{
    float* out = kin_capture_array(&easel->capture, "radius", KIN_F32, 1, count);
    for (size_t i = 0; out != NULL && i < count; ++i) out[i] = (float)(drawn_size * radius);
}

void kin_easel_triangles(kin_easel* easel, const kin_vec3* vertices, size_t vertex_count, const uint32_t (*triangles)[3], size_t count, kin_vec3 shift,
                         const float color[3])
{
    begin_layer(easel, KIN_LAYER_MESH, color);
    put_positions(easel, vertices, vertex_count, shift);
    uint32_t* rows = kin_capture_array(&easel->capture, "triangle", KIN_U32, 3, count);
    if (rows != NULL && count > 0) memcpy(rows, triangles, count * sizeof *triangles);
}

void kin_easel_mesh(kin_easel* easel, const kin_mesh* mesh, kin_vec3 shift, const float color[3])
{
    kin_easel_triangles(easel, mesh->vertices, mesh->vertex_count, mesh->triangles, mesh->triangle_count, shift, color);
}

void kin_easel_lines(kin_easel* easel, const kin_vec3* points, size_t point_count, const uint32_t (*edges)[2], size_t count, double width, kin_vec3 shift,
                     const float color[3])
{
    begin_layer(easel, KIN_LAYER_LINES, color);
    put_positions(easel, points, point_count, shift);
    put_radii(easel, point_count, 0.5 * width);
    uint32_t* rows = kin_capture_array(&easel->capture, "line", KIN_U32, 2, count);
    if (rows != NULL && count > 0) memcpy(rows, edges, count * sizeof *edges);
}

void kin_easel_dots(kin_easel* easel, const kin_vec3* points, size_t count, double radius, const float color[3])
{
    begin_layer(easel, KIN_LAYER_POINTS, color);
    put_positions(easel, points, count, kin_v(0, 0, 0));
    put_radii(easel, count, radius);
}

void kin_easel_arrow(kin_easel* easel, kin_vec3 from, kin_vec3 to, double width, const float color[3])
{
    enum { SIDES = 16 };
    kin_vec3 head[SIDES + 1], axis = kin_normalize_or(kin_sub(to, from), kin_v(0, 1, 0));
    kin_quat turn = kin_quat_between(kin_v(0, 1, 0), axis);
    uint32_t triangles[SIDES][3];
    double unit = width * drawn_size / easel->factor; /* m */
    head[SIDES] = to;
    for (uint32_t i = 0; i < SIDES; ++i) {
        double angle = 2 * KIN_PI * i / SIDES;
        kin_vec3 rim = kin_v(2 * unit * kin_cos(angle), -5 * unit, -2 * unit * kin_sin(angle));
        head[i] = kin_add(to, kin_rotate(turn, rim));
        memcpy(triangles[i], (uint32_t[3]){i, (i + 1) % SIDES, SIDES}, sizeof *triangles);
    }
    kin_easel_lines(easel, (kin_vec3[2]){from, kin_add_scaled(to, -4 * unit, axis)}, 2, (const uint32_t[1][2]){{0, 1}}, 1, width, kin_v(0, 0, 0), color);
    kin_easel_triangles(easel, head, SIDES + 1, triangles, SIDES, kin_v(0, 0, 0), color);
}

void kin_easel_across(kin_vec3 toward, kin_vec3* right, kin_vec3* up)
{
    kin_vec3 back = kin_normalize_or(toward, kin_v(0, 0, 1));
    *right = kin_normalize_or(kin_cross(kin_v(0, 1, 0), back), kin_v(1, 0, 0));
    *up = kin_cross(back, *right);
}

/* ---- the camera ---- */

typedef struct view {
    kin_vec3 right, up, back; /* axes */
    double wide, tall;        /* tangents of half the angles */
    kin_aabb extent;          /* of all points, along the axes */
    kin_vec3 middle;          /* in the same */
    double distance;
} view;

static void see_extent(view* v, kin_vec3 x) { v->extent = kin_aabb_add(v->extent, x); }

/* Each point needs |across| <= (distance - along) tan(half the angle). */
static void see_distance(view* v, kin_vec3 x)
{
    kin_vec3 from = kin_sub(x, v->middle);
    v->distance = kin_max(v->distance, from.z + kin_max(kin_abs(from.x) / v->wide, kin_abs(from.y) / v->tall));
}

static void see_all(const kin_easel* easel, view* v, void (*see)(view*, kin_vec3))
{
    for (size_t l = 0; l < easel->capture.layer_count; ++l) {
        const kin_array* array = kin_layer_array(&easel->capture.layers[l], "position");
        for (uint64_t i = 0; array != NULL && i < array->count; ++i) {
            const float* p = (const float*)array->data + 3 * i;
            kin_vec3 x = {p[0], p[1], p[2]};
            see(v, kin_v(kin_dot(x, v->right), kin_dot(x, v->up), kin_dot(x, v->back)));
        }
    }
}

/* As near as all points allow. */
static kin_camera fit_camera(const kin_easel* easel, kin_vec3 toward)
{
    view v = {.back = kin_normalize_or(toward, kin_v(0, 0, 1)), .extent = kin_aabb_empty(), .distance = 0.1};
    kin_easel_across(toward, &v.right, &v.up);
    v.tall = kin_sin(0.5 * view_angle) / kin_cos(0.5 * view_angle);
    v.wide = v.tall * easel->options.width / easel->options.height;
    see_all(easel, &v, see_extent);
    v.middle = kin_aabb_is_empty(v.extent) ? kin_v(0, 0, 0) : kin_aabb_center(v.extent);
    see_all(easel, &v, see_distance);
    kin_vec3 target = kin_add(kin_add(kin_scale(v.right, v.middle.x), kin_scale(v.up, v.middle.y)), kin_scale(v.back, v.middle.z));
    return (kin_camera){.eye = kin_add_scaled(target, 1.06 * v.distance, v.back), .target = target, .up = v.up, .field_of_view = view_angle};
}

/* A studio: soft light from the upper left of the viewer, an even pale ground behind. */
static kin_light studio_light(kin_vec3 toward)
{
    kin_vec3 right, up, back = kin_normalize_or(toward, kin_v(0, 0, 1));
    kin_easel_across(toward, &right, &up);
    kin_vec3 sun = kin_add(kin_add_scaled(kin_scale(back, 0.6), -0.55, right), kin_scale(up, 0.8));
    return (kin_light){.sun_direction = kin_normalize_or(sun, up),
                       .sun_angle = 0.35,
                       .sun = {1.9f, 1.85f, 1.75f},
                       .sky = {0.86f, 0.88f, 0.92f},
                       .horizon = {0.86f, 0.88f, 0.92f}};
}

kin_result kin_easel_finish(kin_easel* easel, kin_vec3 toward, const char* path, kin_error* error)
{
    easel->capture.frame.camera = fit_camera(easel, toward);
    easel->capture.frame.light = studio_light(toward);
    const kin_frame* frame = kin_capture_end(&easel->capture);
    if (frame == NULL) return kin_fail(error, KIN_ERROR_MEMORY, path, "there is no memory for the picture");
    const kin_picture* picture;
    kin_result result = kin_render_frame(easel->renderer, frame, &picture, error);
    return result == KIN_OK ? kin_picture_write_png(picture, path, error) : result;
}
