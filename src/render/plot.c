/* plot.c - panels one above the other over one x axis. The legend stands beside its panel, so it never hides data; colours are
 * Okabe and Ito's, which colour-blind eyes tell apart. Long data is drawn as the extremes in each pixel column. */
#include "render/plot.h"
#include "base/alloc.h"
#include "base/error.h"
#include "render/canvas.h"
#include "render/ticks.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char* const palette[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#222222"};
enum { COLORS = sizeof palette / sizeof *palette };
static const char *const ink = "#333333", *const soft = "#666666";
static const kin_pen grid_pen = {"#e4e4e4", 1, false}, axis_pen = {"#8a8a8a", 1, false};
enum { TEXT = 12, LEGEND_ROW = 17, SWATCH = 18, GAP = 22 };

/* Where a panel is on the page, and what it shows. */
typedef struct area {
    double left, top, width, height;
    kin_range x, y;
    bool has_data;
} area;

typedef struct span {
    double low, high;
} span;

static bool shown(double value, bool log) { return isfinite(value) && (!log || value > 0); }

static void widen(span* s, double value)
{
    if (value < s->low) s->low = value;
    if (value > s->high) s->high = value;
}

/* Only points that can be drawn count, in both directions. */
static void spans_of(const kin_plot* plot, const kin_plot_panel* panel, span* x, span* y)
{
    for (size_t l = 0; l < panel->line_count; ++l) {
        const kin_plot_line* line = &panel->lines[l];
        for (size_t i = 0; i < line->count; ++i) {
            if (!shown(line->x[i], plot->log_x) || !shown(line->y[i], panel->log_y)) continue;
            widen(x, line->x[i]);
            widen(y, line->y[i]);
        }
    }
    for (size_t r = 0; r < panel->region_count; ++r) {
        const kin_plot_region* region = &panel->regions[r];
        widen(x, region->left);
        widen(x, region->right);
        widen(y, region->bottom);
        widen(y, region->top);
    }
}

static double place_x(const area* a, double x) { return a->left + a->width * kin_range_place(&a->x, x); }
static double place_y(const area* a, double y) { return a->top + a->height * (1 - kin_range_place(&a->y, y)); }
static double crisp(double x) { return floor(x) + 0.5; } /* a line one pixel wide on a whole pixel */

static kin_pen line_pen(size_t index) { return (kin_pen){palette[index % COLORS], 1.6, index / COLORS % 2 == 1}; }

/* A run of points between gaps, thinned while it is gathered. */
typedef struct stroke {
    double* xy;
    size_t count, capacity;
    int column;                       /* of pixels, of the points held back below */
    double x, first, low, high, last; /* held back: one column's */
    bool low_first, held;
} stroke;

static bool push(const kin_allocator* allocator, stroke* s, double x, double y)
{
    if (s->count > 0 && s->xy[2 * s->count - 2] == x && s->xy[2 * s->count - 1] == y) return true;
    if (!kin_reserve(allocator, (void**)&s->xy, &s->capacity, 2 * s->count + 2, sizeof *s->xy)) return false;
    s->xy[2 * s->count] = x;
    s->xy[2 * s->count + 1] = y;
    s->count += 1;
    return true;
}

static bool flush(const kin_allocator* allocator, stroke* s)
{
    if (!s->held) return true;
    s->held = false;
    return push(allocator, s, s->x, s->first) && push(allocator, s, s->x, s->low_first ? s->low : s->high)
           && push(allocator, s, s->x, s->low_first ? s->high : s->low) && push(allocator, s, s->x, s->last);
}

static bool add_point(const kin_allocator* allocator, stroke* s, double x, double y, bool thin)
{
    if (!thin) return push(allocator, s, x, y);
    int column = (int)x;
    if (!s->held || column != s->column) {
        if (!flush(allocator, s)) return false;
        *s = (stroke){
            .xy = s->xy, .count = s->count, .capacity = s->capacity, .column = column, .x = x, .first = y, .low = y, .high = y, .last = y, .held = true};
        return true;
    }
    if (y < s->low) {
        s->low = y;
        s->low_first = false;
    }
    if (y > s->high) {
        s->high = y;
        s->low_first = true;
    }
    s->last = y;
    return true;
}

static bool end_stroke(const kin_allocator* allocator, kin_canvas* canvas, stroke* s, const kin_pen* pen)
{
    if (!flush(allocator, s)) return false;
    kin_canvas_path(canvas, s->xy, s->count, pen);
    s->count = 0;
    return true;
}

static bool draw_line(kin_canvas* canvas, const area* a, const kin_plot_line* line, const kin_pen* pen)
{
    const kin_allocator allocator = kin_allocator_default();
    stroke s = {.count = 0};
    bool fits = true, thin = (double)line->count > 4 * a->width;
    for (size_t i = 0; i < line->count && fits; ++i) {
        if (shown(line->x[i], a->x.log) && shown(line->y[i], a->y.log))
            fits = add_point(&allocator, &s, place_x(a, line->x[i]), place_y(a, line->y[i]), thin);
        else
            fits = end_stroke(&allocator, canvas, &s, pen); /* a gap */
    }
    fits = fits && end_stroke(&allocator, canvas, &s, pen);
    kin_free(&allocator, s.xy, s.capacity * sizeof *s.xy);
    return fits;
}

/* Cells of a row that touch are drawn as one. */
static void draw_region(kin_canvas* canvas, const area* a, const kin_plot_region* region, const char* color)
{
    double width = (region->right - region->left) / region->columns, height = (region->top - region->bottom) / region->rows;
    for (int row = 0; row < region->rows; ++row) {
        const bool* filled = region->filled + (size_t)row * (size_t)region->columns;
        double low = place_y(a, region->bottom + row * height), high = place_y(a, region->bottom + (row + 1) * height);
        for (int begin = 0, end; begin < region->columns; begin = end + 1) {
            end = begin;
            while (end < region->columns && filled[end]) ++end;
            if (end == begin) continue;
            double x0 = place_x(a, region->left + begin * width), x1 = place_x(a, region->left + end * width);
            kin_canvas_fill(canvas, x0, high, x1 - x0, low - high, color);
        }
    }
}

/* A colour of the palette with white in it: lines and grid stay visible before it. */
static void tint(size_t index, char color[8])
{
    unsigned r = 0, g = 0, b = 0;
    sscanf(palette[index % COLORS], "#%2x%2x%2x", &r, &g, &b);
    snprintf(color, 8, "#%02x%02x%02x", (r + 255) / 2 & 255, (g + 255) / 2 & 255, (b + 255) / 2 & 255);
}

static void draw_regions(kin_canvas* canvas, const area* a, const kin_plot_panel* panel)
{
    char color[8];
    if (panel->region_count == 0) return;
    kin_canvas_clip_begin(canvas, a->left, a->top, a->width, a->height);
    for (size_t i = 0; i < panel->region_count; ++i) {
        tint(i, color);
        draw_region(canvas, a, &panel->regions[i], color);
    }
    kin_canvas_clip_end(canvas);
}

static void draw_axes(kin_canvas* canvas, const area* a, const kin_plot_panel* panel, const kin_ticks* x_ticks, const kin_ticks* y_ticks, double label_x)
{
    double right = a->left + a->width, bottom = a->top + a->height;
    for (int i = 0; i < x_ticks->count; ++i) {
        double x = crisp(place_x(a, x_ticks->value[i]));
        kin_canvas_line(canvas, x, a->top, x, bottom, &grid_pen);
    }
    const kin_words right_words = {TEXT, KIN_ALIGN_RIGHT, false, false, soft};
    for (int i = 0; i < y_ticks->count; ++i) {
        double y = crisp(place_y(a, y_ticks->value[i]));
        kin_canvas_line(canvas, a->left, y, right, y, &grid_pen);
        kin_canvas_text(canvas, a->left - 7, y + 4, y_ticks->label[i], &right_words);
    }
    kin_canvas_line(canvas, crisp(a->left), a->top, crisp(a->left), bottom, &axis_pen);
    kin_canvas_line(canvas, a->left, crisp(bottom), right, crisp(bottom), &axis_pen);
    const kin_words upward = {TEXT, KIN_ALIGN_CENTRE, false, true, ink};
    kin_canvas_text(canvas, label_x, a->top + 0.5 * a->height, panel->y_label, &upward);
}

/* Regions first, then lines. */
static const char* legend_label(const kin_plot_panel* panel, size_t index)
{
    return index < panel->region_count ? panel->regions[index].label : panel->lines[index - panel->region_count].label;
}

static void draw_swatch(kin_canvas* canvas, const kin_plot_panel* panel, size_t index, double x, double y)
{
    if (index < panel->region_count) {
        char color[8];
        tint(index, color);
        kin_canvas_fill(canvas, x, y - 5, SWATCH, 10, color);
    } else {
        kin_pen pen = line_pen(index - panel->region_count);
        pen.width = 2.5;
        kin_canvas_line(canvas, x, y, x + SWATCH, y, &pen);
    }
}

static void draw_legend(kin_canvas* canvas, const area* a, const kin_plot_panel* panel)
{
    const kin_words words = {TEXT, KIN_ALIGN_LEFT, false, false, ink};
    double x = a->left + a->width + 12;
    size_t all = panel->region_count + panel->line_count, room = (size_t)(a->height / LEGEND_ROW), count = all <= room ? all : (room > 0 ? room - 1 : 0);
    for (size_t i = 0; i < count; ++i) {
        double y = a->top + 8 + LEGEND_ROW * (double)i;
        draw_swatch(canvas, panel, i, x, y);
        kin_canvas_text(canvas, x + SWATCH + 6, y + 4, legend_label(panel, i), &words);
    }
    if (count == all) return;
    char more[48];
    snprintf(more, sizeof more, "and %zu more", all - count);
    kin_canvas_text(canvas, x, a->top + 12 + LEGEND_ROW * (double)count, more, &words);
}

static double legend_width(kin_canvas* canvas, const kin_plot* plot)
{
    const kin_words words = {TEXT, KIN_ALIGN_LEFT, false, false, ink};
    double widest = 0;
    for (size_t p = 0; p < plot->panel_count; ++p) {
        const kin_plot_panel* panel = &plot->panels[p];
        for (size_t l = 0; l < panel->region_count + panel->line_count; ++l) {
            const char* label = legend_label(panel, l);
            if (label != NULL && label[0] != 0) widest = fmax(widest, kin_canvas_width(canvas, label, &words) + SWATCH + 24);
        }
    }
    return widest;
}

static double tick_width(kin_canvas* canvas, const kin_ticks* ticks)
{
    const kin_words words = {TEXT, KIN_ALIGN_RIGHT, false, false, soft};
    double widest = 0;
    for (int i = 0; i < ticks->count; ++i) widest = fmax(widest, kin_canvas_width(canvas, ticks->label[i], &words));
    return widest;
}

/* Everything about a page that is known before drawing. */
typedef struct page {
    int width, height;
    kin_range x;
    double left, right, panel_height;
} page;

static int y_tick_count(double height) { return height < 120 ? 3 : 5; }

static area area_of(const kin_plot* plot, const page* sheet, size_t index)
{
    span x = {INFINITY, -INFINITY}, y = {INFINITY, -INFINITY};
    spans_of(plot, &plot->panels[index], &x, &y);
    area a = {.left = sheet->left,
              .top = 44 + (sheet->panel_height + GAP) * (double)index,
              .width = sheet->right - sheet->left,
              .height = sheet->panel_height,
              .x = sheet->x};
    a.has_data = kin_range_from(y.low, y.high, plot->panels[index].log_y, 0.06, &a.y);
    return a;
}

static page lay_out(kin_canvas* canvas, const kin_plot* plot, int width, int height)
{
    page p = {.width = width, .height = height};
    span x = {INFINITY, -INFINITY}, y = {INFINITY, -INFINITY};
    for (size_t i = 0; i < plot->panel_count; ++i) spans_of(plot, &plot->panels[i], &x, &y);
    kin_range_from(x.low, x.high, plot->log_x, 0, &p.x);
    double count = plot->panel_count > 0 ? (double)plot->panel_count : 1;
    p.panel_height = fmax((height - 44 - 52 - GAP * (count - 1)) / count, 20);
    p.right = fmax(width - 16 - legend_width(canvas, plot), 0.6 * width);
    double labels = 0;
    for (size_t i = 0; i < plot->panel_count; ++i) {
        area a = area_of(plot, &p, i);
        kin_ticks ticks = kin_ticks_of(&a.y, y_tick_count(a.height));
        labels = fmax(labels, tick_width(canvas, &ticks));
    }
    p.left = fmin(16 + TEXT + 14 + labels, 0.4 * width);
    return p;
}

static void draw_x_labels(kin_canvas* canvas, const kin_plot* plot, const area* a, const kin_ticks* ticks)
{
    const kin_words centred = {TEXT, KIN_ALIGN_CENTRE, false, false, soft}, title = {TEXT, KIN_ALIGN_CENTRE, false, false, ink};
    for (int i = 0; i < ticks->count; ++i) kin_canvas_text(canvas, place_x(a, ticks->value[i]), a->top + a->height + 18, ticks->label[i], &centred);
    kin_canvas_text(canvas, a->left + 0.5 * a->width, a->top + a->height + 40, plot->x_label, &title);
}

static bool draw_panel(kin_canvas* canvas, const kin_plot* plot, const page* sheet, size_t index)
{
    const kin_plot_panel* panel = &plot->panels[index];
    area a = area_of(plot, sheet, index);
    kin_ticks x_ticks = kin_ticks_of(&a.x, a.width < 400 ? 4 : 8), y_ticks = kin_ticks_of(&a.y, y_tick_count(a.height));
    draw_regions(canvas, &a, panel);
    draw_axes(canvas, &a, panel, &x_ticks, &y_ticks, 16 + 0.5 * TEXT);
    if (index + 1 == plot->panel_count) draw_x_labels(canvas, plot, &a, &x_ticks);
    const kin_words faint = {16, KIN_ALIGN_CENTRE, false, false, soft};
    if (!a.has_data) kin_canvas_text(canvas, a.left + 0.5 * a.width, a.top + 0.5 * a.height, "no data", &faint);
    bool fits = true;
    kin_canvas_clip_begin(canvas, a.left, a.top - 1, a.width + 1, a.height + 2);
    for (size_t i = 0; i < panel->line_count && a.has_data && fits; ++i) {
        kin_pen pen = line_pen(i);
        fits = draw_line(canvas, &a, &panel->lines[i], &pen);
    }
    kin_canvas_clip_end(canvas);
    draw_legend(canvas, &a, panel);
    return fits;
}

static bool draw(kin_canvas* canvas, const kin_plot* plot, int width, int height)
{
    page p = lay_out(canvas, plot, width, height);
    const kin_words heading = {16, KIN_ALIGN_LEFT, true, false, ink}, faint = {16, KIN_ALIGN_CENTRE, false, false, soft};
    kin_canvas_text(canvas, p.left, 27, plot->title, &heading);
    if (plot->panel_count == 0) kin_canvas_text(canvas, 0.5 * width, 0.5 * height, "no data", &faint);
    bool fits = true;
    for (size_t i = 0; i < plot->panel_count && fits; ++i) fits = draw_panel(canvas, plot, &p, i);
    return fits;
}

kin_result kin_plot_write(const kin_plot* plot, const char* path, kin_error* error)
{
    const char* slash = strrchr(path, '/');
    const char* dot = strrchr(slash != NULL ? slash : path, '.');
    bool svg = dot != NULL && strcasecmp(dot, ".svg") == 0, png = dot != NULL && strcasecmp(dot, ".png") == 0;
    if (!svg && !png) return kin_fail(error, KIN_ERROR_ARGUMENT, path, "a plot is written as .svg or .png: name it so");
    int width = plot->width > 0 ? plot->width : 900, height = plot->height > 0 ? plot->height : 60 + 260 * (int)(plot->panel_count > 0 ? plot->panel_count : 1);
    kin_canvas* canvas;
    kin_result result = kin_canvas_create(svg, width, height, &canvas, error);
    if (result != KIN_OK) return result;
    if (draw(canvas, plot, width, height))
        result = kin_canvas_write(canvas, path, error);
    else
        result = kin_fail(error, KIN_ERROR_MEMORY, path, "not enough memory for the plot");
    kin_canvas_destroy(canvas);
    return result;
}
