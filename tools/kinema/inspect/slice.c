/* slice.c - a slice through a signed distance field: colour by distance, lines of equal distance, the surface drawn thick. */
#include "base/alloc.h"
#include "base/error.h"
#include "inspect/inspection.h"
#include "math/aabb.h"
#include "render/canvas.h"
#include <math.h>
#include <stdio.h>

enum { PIXELS = 2, MARGIN = 40 }; /* of a cell; round the slice */

typedef struct slice {
    int across, up, through; /* axes: of the picture, and of the cut */
    double at;               /* m, along `through` */
    double left, bottom, cell, spacing;
    int columns, rows;
    double* values; /* (columns + 1) x (rows + 1), the lowest row first */
} slice;

/* Across the shortest side, through the middle. */
static slice plan_slice(const kin_inspection* i, const kin_easel* easel)
{
    kin_vec3 size = kin_aabb_size(i->mesh->bounds), middle = kin_aabb_center(i->mesh->bounds);
    int through = size.z <= size.x && size.z <= size.y ? 2 : size.y <= size.x ? 1 : 0;
    slice s = {.through = through, .across = through == 0 ? 2 : 0, .up = through == 1 ? 2 : 1, .at = kin_component(middle, through)};
    s.columns = easel->options.width / PIXELS;
    s.rows = easel->options.height / PIXELS;
    double wide = 1.3 * kin_component(size, s.across), tall = 1.3 * kin_component(size, s.up);
    s.cell = kin_max(wide / s.columns, tall / kin_max(1, s.rows - MARGIN / PIXELS));
    s.left = kin_component(middle, s.across) - 0.5 * s.columns * s.cell;
    s.bottom = kin_component(middle, s.up) - 0.5 * (s.rows + MARGIN / PIXELS) * s.cell; /* words stand below */
    double rough = kin_largest(size) / 24, power = pow(10, floor(log10(rough)));
    s.spacing = power * (rough < 2 * power ? 2 : rough < 5 * power ? 5 : 10);
    return s;
}

static size_t value_count(const slice* s) { return ((size_t)s->columns + 1) * ((size_t)s->rows + 1); }

static void sample(const slice* s, const kin_sdf* field)
{
    for (int r = 0; r <= s->rows; ++r) {
        for (int c = 0; c <= s->columns; ++c) {
            kin_vec3 x = kin_scale(kin_axis(s->through), s->at);
            x = kin_add_scaled(x, s->left + c * s->cell, kin_axis(s->across));
            x = kin_add_scaled(x, s->bottom + r * s->cell, kin_axis(s->up));
            s->values[(size_t)r * ((size_t)s->columns + 1) + (size_t)c] = kin_sdf_value(field, x);
        }
    }
}

static double value_at(const slice* s, int c, int r) { return s->values[(size_t)r * ((size_t)s->columns + 1) + (size_t)c]; }
static double pixel_y(const slice* s, double row) { return PIXELS * (s->rows - row); }

/* White at the surface, blue inwards, orange outwards; most of the change is near the surface. */
static void color_of(double value, double deepest, double farthest, char text[8])
{
    static const double blue[3] = {20, 70, 150}, orange[3] = {214, 112, 22};
    double s = fmin(value <= 0 ? value / deepest : value / farthest, 1), weight = 0.9 * s * (2 - s);
    const double* end = value <= 0 ? blue : orange;
    int rgb[3];
    for (int k = 0; k < 3; ++k) rgb[k] = (int)(252 + weight * (end[k] - 252));
    snprintf(text, 8, "#%02x%02x%02x", (unsigned)rgb[0] & 255, (unsigned)rgb[1] & 255, (unsigned)rgb[2] & 255);
}

static void paint(const slice* s, kin_canvas* canvas, double farthest)
{
    double deepest = -1e-300;
    for (size_t k = 0; k < value_count(s); ++k) deepest = fmin(deepest, s->values[k]);
    for (int r = 0; r < s->rows; ++r) {
        for (int c = 0; c < s->columns; ++c) {
            char color[8];
            double value = 0.25 * (value_at(s, c, r) + value_at(s, c + 1, r) + value_at(s, c, r + 1) + value_at(s, c + 1, r + 1));
            color_of(value, deepest, farthest, color);
            kin_canvas_fill(canvas, PIXELS * c, pixel_y(s, r + 1), PIXELS, PIXELS, color);
        }
    }
}

/* The line of one value through a cell: where it crosses the cell's sides, joined in order. */
static void draw_level(const slice* s, kin_canvas* canvas, int c, int r, double level, const kin_pen* pen)
{
    static const int corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    double points[8];
    int count = 0;
    for (int k = 0; k < 4; ++k) {
        const int *a = corner[k], *b = corner[(k + 1) % 4];
        double from = value_at(s, c + a[0], r + a[1]) - level, to = value_at(s, c + b[0], r + b[1]) - level;
        if ((from < 0) == (to < 0)) continue;
        double t = from / (from - to);
        points[2 * count] = PIXELS * (c + a[0] + t * (b[0] - a[0]));
        points[2 * count++ + 1] = pixel_y(s, r + a[1] + t * (b[1] - a[1]));
    }
    for (int k = 0; k + 1 < count; k += 2) kin_canvas_line(canvas, points[2 * k], points[2 * k + 1], points[2 * k + 2], points[2 * k + 3], pen);
}

static void draw_lines(const slice* s, kin_canvas* canvas)
{
    static const kin_pen thin = {.color = "#5a6470", .width = 0.8}, thick = {.color = "#000000", .width = 3};
    for (int r = 0; r < s->rows; ++r) {
        for (int c = 0; c < s->columns; ++c) {
            double low = INFINITY, high = -INFINITY;
            for (int k = 0; k < 4; ++k) {
                double value = value_at(s, c + (k & 1), r + (k >> 1));
                low = fmin(low, value);
                high = fmax(high, value);
            }
            for (double n = ceil(low / s->spacing); n * s->spacing <= high; n += 1) draw_level(s, canvas, c, r, n * s->spacing, n == 0 ? &thick : &thin);
        }
    }
}

static void caption(const slice* s, kin_canvas* canvas)
{
    static const kin_words words = {.size = 15, .color = "#1c2530"};
    char text[160];
    snprintf(text, sizeof text, "%c = %.4g m. Blue is inside, orange outside; a line every %.4g m, the thick one is the surface.", "xyz"[s->through], s -> at,
             s -> spacing);
    kin_canvas_fill(canvas, 0, pixel_y(s, (double)MARGIN / PIXELS) + 8, PIXELS * s->columns, MARGIN, "#ffffff");
    kin_canvas_text(canvas, 12, pixel_y(s, 0) - 11, text, &words);
}

/* The field of the report, but as wide as the picture and true to a good way from the surface. */
static kin_result make_field(kin_inspection* i, const slice* s, kin_sdf** out, kin_error* error)
{
    enum { BAND = 24 };
    kin_sdf_band_def def = {.cell = kin_sdf_cell(i->band), .band = BAND, .margin = 0.5 * s->cell * (s->columns > s->rows ? s->columns : s->rows)};
    return kin_sdf_create_band(&i->allocator, &i->workers, i->mesh, &def, out, error);
}

kin_result kin_inspect_draw_sdf(kin_inspection* i, kin_easel* easel, const char* path, kin_error* error)
{
    if (i->band == NULL) return kin_fail(error, KIN_ERROR_ARGUMENT, path, "there is nothing to draw: signed distances need a closed mesh, not inside out");
    slice s = plan_slice(i, easel);
    kin_canvas* canvas = NULL;
    kin_sdf* field = NULL;
    s.values = kin_alloc(&i->allocator, value_count(&s) * sizeof *s.values);
    kin_result result = s.values != NULL ? KIN_OK : kin_fail(error, KIN_ERROR_MEMORY, path, "there is no memory for the picture");
    if (result == KIN_OK) result = make_field(i, &s, &field, error);
    if (result == KIN_OK) result = kin_canvas_create(false, PIXELS * s.columns, PIXELS * s.rows, &canvas, error);
    if (result == KIN_OK) {
        sample(&s, field);
        paint(&s, canvas, 0.5 * kin_largest(kin_aabb_size(i->mesh->bounds)));
        draw_lines(&s, canvas);
        caption(&s, canvas);
        result = kin_canvas_write(canvas, path, error);
    }
    kin_canvas_destroy(canvas);
    kin_sdf_destroy(field);
    kin_free(&i->allocator, s.values, value_count(&s) * sizeof *s.values);
    return result;
}
