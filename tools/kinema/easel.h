/* easel.h - pictures of geometry: what is to be seen is put up piece by piece, then one frame of it is rendered by the engine's own renderer.
 *
 * Everything is brought to the size of a hand before it is drawn, so that a mesh of a micrometre and one of a planet look the same. Widths of lines and
 * radii of dots are fractions of the box that was named first. */
#pragma once
#include "geometry/mesh.h"
#include "render/render.h"
#include "system/capture.h"

typedef struct kin_easel {
    kin_allocator allocator;
    kin_jobs workers;
    bool has_workers;
    kin_renderer* renderer;
    kin_render_options options;
    kin_capture capture;
    kin_vec3 center; /* m: of the subject; drawn at the origin */
    double factor;   /* drawn size over true size */
} kin_easel;

extern const float kin_easel_palette[8][3]; /* linear rgb; far apart, none of them grey */
extern const float kin_easel_grey[3], kin_easel_dark[3], kin_easel_red[3];

/* threads 0: one per core. Term it also when this fails. */
kin_result kin_easel_init(kin_easel* easel, int width, int height, int threads, kin_error* error);
void kin_easel_term(kin_easel* easel);

/* A new picture of things of about this size (m). */
void kin_easel_begin(kin_easel* easel, kin_aabb subject);
/* Flat triangles, all moved by shift (m). */
void kin_easel_triangles(kin_easel* easel, const kin_vec3* vertices, size_t vertex_count, const uint32_t (*triangles)[3], size_t count, kin_vec3 shift,
                         const float color[3]);
void kin_easel_mesh(kin_easel* easel, const kin_mesh* mesh, kin_vec3 shift, const float color[3]);
void kin_easel_lines(kin_easel* easel, const kin_vec3* points, size_t point_count, const uint32_t (*edges)[2], size_t count, double width, kin_vec3 shift,
                     const float color[3]);
void kin_easel_dots(kin_easel* easel, const kin_vec3* points, size_t count, double radius, const float color[3]);
/* A line with a cone at its end. */
void kin_easel_arrow(kin_easel* easel, kin_vec3 from, kin_vec3 to, double width, const float color[3]);
/* Seen along -toward (unit not needed), all of it in the frame; y is up. */
kin_result kin_easel_finish(kin_easel* easel, kin_vec3 toward, const char* path, kin_error* error);
/* Two directions across a view: to the right and up in the picture, unit. */
void kin_easel_across(kin_vec3 toward, kin_vec3* right, kin_vec3* up);
