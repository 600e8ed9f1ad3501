/* canvas.c - the two kinds of page. Cairo's own SVG turns words into outlines; ours keeps them words, so SVG is written here
 * and Cairo measures. */
#include "render/canvas.h"
#include "base/alloc.h"
#include "base/error.h"
#include "io/file.h"
#include <cairo.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct kin_canvas {
    kin_allocator allocator;
    bool svg, failed;
    cairo_surface_t* surface; /* for SVG: one pixel, to measure with */
    cairo_t* cairo;
    char* text; /* SVG, or the bytes of the PNG */
    size_t length, capacity;
    int clips;
};

#if defined(__SANITIZE_ADDRESS__)
/* fontconfig, behind Cairo, keeps its tables until the process ends; that is no leak of ours. */
__attribute__((visibility("default"))) const char* __lsan_default_suppressions(void);
const char* __lsan_default_suppressions(void) { return "leak:libfontconfig\n"; }
#endif

static const char* const family = "DejaVu Sans";

static void append(kin_canvas* c, const char* bytes, size_t count)
{
    c->failed = c->failed || !kin_reserve(&c->allocator, (void**)&c->text, &c->capacity, c->length + count, 1);
    if (c->failed) return;
    memcpy(c->text + c->length, bytes, count);
    c->length += count;
}

static void emit(kin_canvas* c, const char* format, ...) KIN_PRINTF(2, 3);
static void emit(kin_canvas* c, const char* format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (n > 0) append(c, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
}

/* Bytes of the UTF-8 character at s, or 0 if it is none. */
static int utf8_length(const char* s)
{
    unsigned char c = (unsigned char)s[0];
    int n = c < 0x80 ? 1 : (c >= 0xc2 && c < 0xe0) ? 2 : (c >= 0xe0 && c < 0xf0) ? 3 : (c >= 0xf0 && c < 0xf5) ? 4 : 0;
    for (int i = 1; i < n; ++i) {
        if (((unsigned char)s[i] & 0xc0) != 0x80) return 0;
    }
    return n;
}

/* A copy that is UTF-8 and printable whatever came in: labels may be anything a file held. */
static void clean(const char* text, char* out, size_t size)
{
    size_t used = 0;
    while (text != NULL && *text != 0) {
        int n = utf8_length(text);
        bool fine = n > 1 || (n == 1 && (unsigned char)*text >= 0x20 && *text != 0x7f);
        if (used + (size_t)(fine ? n : 1) >= size) break;
        if (fine)
            memcpy(out + used, text, (size_t)n);
        else
            out[used] = '?';
        used += fine ? (size_t)n : 1;
        text += n > 0 ? n : 1;
    }
    out[used] = 0;
}

static void emit_escaped(kin_canvas* c, const char* text)
{
    for (; *text != 0; ++text) {
        switch (*text) {
        case '<': emit(c, "&lt;"); break;
        case '>': emit(c, "&gt;"); break;
        case '&': emit(c, "&amp;"); break;
        case '"': emit(c, "&quot;"); break;
        default: append(c, text, 1);
        }
    }
}

static void set_color(kin_canvas* c, const char* color)
{
    unsigned r = 0, g = 0, b = 0;
    sscanf(color, "#%2x%2x%2x", &r, &g, &b);
    cairo_set_source_rgb(c->cairo, r / 255.0, g / 255.0, b / 255.0);
}

static void set_font(kin_canvas* c, const kin_words* words)
{
    cairo_select_font_face(c->cairo, family, CAIRO_FONT_SLANT_NORMAL, words->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(c->cairo, words->size);
}

kin_result kin_canvas_create(bool svg, int width, int height, kin_canvas** out, kin_error* error)
{
    *out = NULL;
    const kin_allocator allocator = kin_allocator_default();
    kin_canvas* c = kin_alloc_zero(&allocator, sizeof *c);
    if (c == NULL) return kin_fail_memory(error, "a plot", sizeof *c);
    *c = (kin_canvas){.allocator = allocator, .svg = svg};
    c->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, svg ? 1 : width, svg ? 1 : height);
    c->cairo = cairo_create(c->surface);
    if (cairo_status(c->cairo) != CAIRO_STATUS_SUCCESS) {
        kin_result result = kin_fail(error, KIN_ERROR_MEMORY, "", "no plot of %d x %d: %s", width, height, cairo_status_to_string(cairo_status(c->cairo)));
        kin_canvas_destroy(c);
        return result;
    }
    cairo_set_source_rgb(c->cairo, 1, 1, 1);
    cairo_paint(c->cairo);
    if (svg) {
        emit(c,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"'%s', Helvetica, Arial, sans-serif\">\n",
             width, height, width, height, family);
        emit(c, "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n");
    }
    *out = c;
    return KIN_OK;
}

void kin_canvas_destroy(kin_canvas* c)
{
    if (c == NULL) return;
    cairo_destroy(c->cairo);
    cairo_surface_destroy(c->surface);
    const kin_allocator allocator = c->allocator;
    kin_free(&allocator, c->text, c->capacity);
    kin_free(&allocator, c, sizeof *c);
}

double kin_canvas_width(kin_canvas* c, const char* text, const kin_words* words)
{
    char label[256];
    clean(text, label, sizeof label);
    cairo_text_extents_t extents;
    set_font(c, words);
    cairo_text_extents(c->cairo, label, &extents);
    return extents.x_advance;
}

static void svg_text(kin_canvas* c, double x, double y, const char* label, const kin_words* words)
{
    static const char* const anchors[] = {"start", "middle", "end"};
    emit(c, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%g\" fill=\"%s\" text-anchor=\"%s\"", x, y, words->size, words->color, anchors[words->align]);
    if (words->bold) emit(c, " font-weight=\"bold\"");
    if (words->upward) emit(c, " transform=\"rotate(-90 %.2f %.2f)\"", x, y);
    emit(c, ">");
    emit_escaped(c, label);
    emit(c, "</text>\n");
}

void kin_canvas_text(kin_canvas* c, double x, double y, const char* text, const kin_words* words)
{
    char label[256];
    clean(text, label, sizeof label);
    if (label[0] == 0) return;
    if (c->svg) {
        svg_text(c, x, y, label, words);
        return;
    }
    double width = kin_canvas_width(c, label, words), shift = words->align == KIN_ALIGN_LEFT ? 0 : words->align == KIN_ALIGN_CENTRE ? -0.5 * width : -width;
    cairo_save(c->cairo);
    cairo_translate(c->cairo, x, y);
    if (words->upward) cairo_rotate(c->cairo, -1.57079632679489662);
    cairo_move_to(c->cairo, shift, 0);
    set_font(c, words);
    set_color(c, words->color);
    cairo_show_text(c->cairo, label);
    cairo_restore(c->cairo);
}

void kin_canvas_line(kin_canvas* c, double x0, double y0, double x1, double y1, const kin_pen* pen)
{
    const double xy[4] = {x0, y0, x1, y1};
    kin_canvas_path(c, xy, 2, pen);
}

static void svg_path(kin_canvas* c, const double* xy, size_t count, const kin_pen* pen)
{
    if (count == 1) {
        emit(c, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%g\" fill=\"%s\"/>\n", xy[0], xy[1], 1.5 * pen->width, pen->color);
        return;
    }
    emit(c, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"%g\" stroke-linejoin=\"round\"", pen->color, pen->width);
    if (pen->dashed) emit(c, " stroke-dasharray=\"6 4\"");
    emit(c, " points=\"");
    for (size_t i = 0; i < count; ++i) emit(c, "%.2f,%.2f ", xy[2 * i], xy[2 * i + 1]);
    emit(c, "\"/>\n");
}

void kin_canvas_path(kin_canvas* c, const double* xy, size_t count, const kin_pen* pen)
{
    if (count == 0) return;
    if (c->svg) {
        svg_path(c, xy, count, pen);
        return;
    }
    const double dash[2] = {6, 4};
    set_color(c, pen->color);
    cairo_new_path(c->cairo); /* words leave a point behind */
    if (count == 1) {
        cairo_arc(c->cairo, xy[0], xy[1], 1.5 * pen->width, 0, 6.283185307179586);
        cairo_fill(c->cairo);
        return;
    }
    for (size_t i = 0; i < count; ++i) cairo_line_to(c->cairo, xy[2 * i], xy[2 * i + 1]);
    cairo_set_line_width(c->cairo, pen->width);
    cairo_set_line_join(c->cairo, CAIRO_LINE_JOIN_ROUND);
    cairo_set_dash(c->cairo, dash, pen->dashed ? 2 : 0, 0);
    cairo_stroke(c->cairo);
}

void kin_canvas_fill(kin_canvas* c, double x, double y, double width, double height, const char* color)
{
    if (c->svg) {
        emit(c, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\" shape-rendering=\"crispEdges\"/>\n", x, y, width, height, color);
        return;
    }
    set_color(c, color);
    cairo_new_path(c->cairo);
    cairo_set_antialias(c->cairo, CAIRO_ANTIALIAS_NONE);
    cairo_rectangle(c->cairo, x, y, width, height);
    cairo_fill(c->cairo);
    cairo_set_antialias(c->cairo, CAIRO_ANTIALIAS_DEFAULT);
}

void kin_canvas_clip_begin(kin_canvas* c, double x, double y, double width, double height)
{
    c->clips += 1;
    if (c->svg) {
        emit(c, "<clipPath id=\"c%d\"><rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/></clipPath>\n<g clip-path=\"url(#c%d)\">\n", c->clips, x, y,
             width, height, c->clips);
        return;
    }
    cairo_save(c->cairo);
    cairo_rectangle(c->cairo, x, y, width, height);
    cairo_clip(c->cairo);
}

void kin_canvas_clip_end(kin_canvas* c)
{
    if (c->svg)
        emit(c, "</g>\n");
    else
        cairo_restore(c->cairo);
}

static cairo_status_t keep_bytes(void* closure, const unsigned char* data, unsigned length)
{
    append(closure, (const char*)data, length);
    return ((kin_canvas*)closure)->failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

kin_result kin_canvas_write(kin_canvas* c, const char* path, kin_error* error)
{
    cairo_status_t status = cairo_status(c->cairo);
    if (c->svg)
        emit(c, "</svg>\n");
    else if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_write_to_png_stream(c->surface, keep_bytes, c);
    if (c->failed) return kin_fail_memory(error, "a plot", c->length);
    if (status != CAIRO_STATUS_SUCCESS) return kin_fail(error, KIN_ERROR_FILE, path, "Cairo could not draw the plot: %s", cairo_status_to_string(status));
    return kin_file_write(path, c->text, c->length, error);
}
