/* plot.h - lines over time, and regions of a plane, as a clean SVG or PNG (Cairo behind): axes, units, legend. */
#pragma once
#include "kinema/base.h"

typedef struct kin_plot_line {
    const char* label;
    const double* x;
    const double* y;
    size_t count;
} kin_plot_line;

typedef struct kin_plot_region { /* the filled cells of a grid over a part of the plane; on plain axes only */
    const char* label;
    double left, right, bottom, top;
    int columns, rows;
    const bool* filled; /* row after row, the lowest first */
} kin_plot_region;

typedef struct kin_plot_panel { /* one above the other, sharing x */
    const char* y_label;
    const kin_plot_line* lines;
    size_t line_count;
    bool log_y;
    const kin_plot_region* regions; /* behind the lines; a later one covers those before it */
    size_t region_count;
} kin_plot_panel;

typedef struct kin_plot {
    const char* title;
    const char* x_label;
    bool log_x;
    const kin_plot_panel* panels;
    size_t panel_count;
    int width, height; /* 0: 900 x (60 + 260 a panel) */
} kin_plot;

/* By extension: .svg or .png. Written beside and renamed. */
kin_result kin_plot_write(const kin_plot* plot, const char* path, kin_error* error);
