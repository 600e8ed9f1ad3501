/* canvas.h - lines and words on an SVG page (as text one can search and edit) or in a PNG picture (drawn by Cairo). */
#pragma once
#include "kinema/base.h"

typedef struct kin_canvas kin_canvas;
typedef enum kin_align { KIN_ALIGN_LEFT, KIN_ALIGN_CENTRE, KIN_ALIGN_RIGHT } kin_align;

typedef struct kin_pen {
    const char* color; /* "#rrggbb" */
    double width;
    bool dashed;
} kin_pen;

typedef struct kin_words {
    double size; /* pixels */
    kin_align align;
    bool bold, upward; /* upward: reads from below to above */
    const char* color;
} kin_words;

kin_result kin_canvas_create(bool svg, int width, int height, kin_canvas** out, kin_error* error);
void kin_canvas_destroy(kin_canvas* canvas);
double kin_canvas_width(kin_canvas* canvas, const char* text, const kin_words* words);
void kin_canvas_text(kin_canvas* canvas, double x, double y, const char* text, const kin_words* words); /* y is the base line */
void kin_canvas_line(kin_canvas* canvas, double x0, double y0, double x1, double y1, const kin_pen* pen);
void kin_canvas_path(kin_canvas* canvas, const double* xy, size_t count, const kin_pen* pen);                 /* one point is a dot */
void kin_canvas_fill(kin_canvas* canvas, double x, double y, double width, double height, const char* color); /* without soft edges: neighbours meet */
/* What is drawn until the end stays inside. */
void kin_canvas_clip_begin(kin_canvas* canvas, double x, double y, double width, double height);
void kin_canvas_clip_end(kin_canvas* canvas);
/* Says what went wrong while drawing, too. */
kin_result kin_canvas_write(kin_canvas* canvas, const char* path, kin_error* error);
