/* pictures.c - what the tables say, drawn: stability regions, springs and decays beside their truth, work against error for orbits. */
#include "base/alloc.h"
#include "base/error.h"
#include "io/file.h"
#include "lab/integrators.h"
#include "lab/probe.h"
#include "render/plot.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
enum { LINES_MAX = 12 };

static const double pi = 3.14159265358979323846;

static kin_result write_plot(kin_lab_study* study, const kin_plot* plot, const char* folder, const char* name, kin_error* error)
{
    char path[KIN_PATH_SIZE];
    kin_result result = kin_path_make(path, folder, name, error);
    if (result == KIN_OK) result = kin_plot_write(plot, path, error);
    if (result == KIN_OK) kin_lab_picture(study, path);
    return result;
}

/* From the study's arena, with room beside it for the steps that follow: none of them shall open a block of its own. */
static void* take(kin_lab_study* study, size_t count, size_t size)
{
    enum { STEP_ROOM = 16 * 1024 };
    bool room = kin_arena_reserve(&study->arena, count * size + STEP_ROOM);
    void* place = room ? kin_arena_take(&study->arena, kin_bytes(count, size)) : NULL;
    if (place == NULL) study->failed = true;
    return place;
}

static kin_result no_memory(kin_error* error) { return kin_fail(error, KIN_ERROR_MEMORY, "lab", "there is no memory for a picture"); }

/* ---- regions ---- */

/* z = h lambda of y' = lambda y, as the spring that has lambda and its mirror image as rates: what methods with positions and velocities are made for. */
enum { REGION_COLUMNS = 270, REGION_ROWS = 300 };
static const double region_left = -6, region_right = 3, region_top = 5;

static bool* region_of(kin_lab_study* study, const kin_integrator* row)
{
    bool* filled = take(study, REGION_COLUMNS * REGION_ROWS, sizeof *filled);
    if (filled == NULL) return NULL;
    for (int r = REGION_ROWS / 2; r < REGION_ROWS; ++r) { /* the lower half is its mirror image */
        for (int c = 0; c < REGION_COLUMNS; ++c) {
            double re = region_left + (c + 0.5) * (region_right - region_left) / REGION_COLUMNS, im = region_top * (2 * (r + 0.5) / REGION_ROWS - 1);
            kin_lab_problem spring = kin_lab_spring(re * re + im * im, -2 * re);
            kin_lab_map map = kin_lab_map_of(row, &spring, 1, &study->arena);
            bool stable = kin_lab_radius(&map) <= 1 + 1e-11;
            filled[r * REGION_COLUMNS + c] = filled[(REGION_ROWS - 1 - r) * REGION_COLUMNS + c] = stable;
        }
    }
    return filled;
}

static kin_plot_region region_with(const char* label, const bool* filled)
{
    return (kin_plot_region){label, region_left, region_right, -region_top, region_top, REGION_COLUMNS, REGION_ROWS, filled};
}

static kin_result write_regions(kin_lab_study* study, const kin_plot_region* regions, size_t count, const char* title, const char* folder, const char* name,
                                kin_error* error)
{
    kin_plot_panel panel = {.y_label = "Im(h lambda)", .regions = regions, .region_count = count};
    kin_plot plot = {.title = title, .x_label = "Re(h lambda)", .panels = &panel, .panel_count = 1, .width = 640, .height = 540};
    return write_plot(study, &plot, folder, name, error);
}

/* Each method alone, and the explicit ones over each other. */
kin_result kin_lab_draw_regions(kin_lab_study* study, const char* folder, kin_error* error)
{
    static const char* const together[] = {"rk45", "rk4", "midpoint", "euler"};
    kin_plot_region nested[COUNT(together)] = {0};
    kin_arena_mark mark = kin_arena_begin(&study->arena);
    kin_result result = KIN_OK;
    for (int i = 0; i < kin_integrator_count() && result == KIN_OK; ++i) {
        const kin_integrator* row = kin_integrator_at(i);
        if (!kin_lab_has_step(row)) continue;
        const bool* filled = region_of(study, row);
        if (filled == NULL) {
            result = no_memory(error);
            break;
        }
        kin_plot_region region = region_with("stable", filled);
        char name[64], title[96];
        snprintf(name, sizeof name, "region-%s.png", row->name);
        snprintf(title, sizeof title, "Where %s is stable", row->title);
        result = write_regions(study, &region, 1, title, folder, name, error);
        for (int k = 0; k < COUNT(together); ++k) {
            if (strcmp(together[k], row->name) == 0) nested[k] = region_with(row->title, filled);
        }
    }
    if (result == KIN_OK) result = write_regions(study, nested, COUNT(nested), "Where explicit methods are stable", folder, "regions.png", error);
    kin_arena_end(&study->arena, mark);
    return result;
}

/* ---- lines over time ---- */

/* x and energy of a run; what leaves the picture is not drawn on. */
typedef struct trace {
    double *t, *x, *energy;
    size_t count;
} trace;

static bool trace_make(kin_lab_study* study, trace* out, size_t count)
{
    double* block = take(study, 3 * count, sizeof *block);
    if (block == NULL) return false;
    *out = (trace){block, block + count, block + 2 * count, count};
    return true;
}

static void trace_put(trace* out, size_t k, double t, const double* y, double most)
{
    out->t[k] = t;
    out->x[k] = fabs(y[0]) <= most ? y[0] : NAN;
    out->energy[k] = fabs(y[0]) <= most ? 0.5 * (y[0] * y[0] + y[1] * y[1]) : NAN;
}

/* After one point beyond the edge nothing comes back, lest the line jump in and out. */
static bool trace_run(kin_lab_study* study, const char* name, kin_lab_problem* problem, double h, double time, double most, trace* out)
{
    if (!trace_make(study, out, (size_t)(time / h + 1.5))) return false;
    kin_lab_run run = kin_lab_run_whole(kin_integrator_named(name), problem, h, &study->arena);
    bool inside = true;
    for (size_t k = 0; k < out->count; ++k) {
        if (k > 0) kin_lab_run_step(&run, h);
        inside = inside && !run.failed && fabs(run.y[0]) <= most;
        trace_put(out, k, (double)k * h, run.y, inside ? most : -1);
    }
    return true;
}

static bool trace_truth(kin_lab_study* study, double (*x)(double), double (*v)(double), double time, trace* out)
{
    enum { POINTS = 400 };
    if (!trace_make(study, out, POINTS)) return false;
    for (size_t k = 0; k < POINTS; ++k) {
        double t = time * (double)k / (POINTS - 1);
        trace_put(out, k, t, (double[2]){x(t), v(t)}, 1e9);
    }
    return true;
}

static double minus_sin(double t) { return -sin(t); }
static double falling_off(double t) { return exp(-t); }
static double zero(double t) { return 0 * t; }

/* The truth first, then each method. */
static int make_traces(kin_lab_study* study, const char* const* names, int count, kin_lab_problem* problem, double h, double time, double most, trace* out)
{
    bool spring = problem->pairs > 0;
    bool made = trace_truth(study, spring ? cos : falling_off, spring ? minus_sin : zero, time, &out[0]);
    for (int i = 0; i < count && made; ++i) made = trace_run(study, names[i], problem, h, time, most, &out[i + 1]);
    return made ? count + 1 : 0;
}

static void lines_of(const trace* traces, int count, const char* const* names, bool energy, kin_plot_line* out)
{
    for (int i = 0; i < count; ++i) {
        const char* label = i == 0 ? "exact" : kin_integrator_named(names[i - 1])->title;
        out[i] = (kin_plot_line){label, traces[i].t, energy ? traces[i].energy : traces[i].x, traces[i].count};
    }
}

/* P4: place and energy of a spring at one step length. */
static kin_result draw_spring(kin_lab_study* study, double h, const char* title, const char* folder, const char* name, kin_error* error)
{
    static const char* const names[] = {"euler", "semi_implicit", "midpoint", "rk4", "velocity_verlet", "implicit_euler"};
    kin_lab_problem spring = kin_lab_spring(1, 0);
    trace traces[LINES_MAX];
    kin_plot_line place[LINES_MAX], energy[LINES_MAX];
    kin_arena_mark mark = kin_arena_begin(&study->arena);
    int count = make_traces(study, names, COUNT(names), &spring, h, 20, 2.5, traces);
    lines_of(traces, count, names, false, place);
    lines_of(traces, count, names, true, energy);
    const kin_plot_panel panels[] = {{.y_label = "x", .lines = place, .line_count = (size_t)count},
                                     {.y_label = "energy", .lines = energy, .line_count = (size_t)count}};
    kin_plot plot = {.title = title, .x_label = "w t", .panels = panels, .panel_count = 2};
    kin_result result = count > 0 ? write_plot(study, &plot, folder, name, error) : no_memory(error);
    kin_arena_end(&study->arena, mark);
    return result;
}

/* A panel for each step length: Fig 7.1 and 7.2. */
enum { RUNGS = 4 };
typedef struct ladder {
    kin_lab_problem problem;
    double h[RUNGS], time;
    const char* labels[RUNGS]; /* of each h */
    const char* const* names;  /* of methods */
    int name_count;
    const char *title, *x_label, *file;
} ladder;

static kin_result draw_ladder(kin_lab_study* study, ladder* l, const char* folder, kin_error* error)
{
    kin_plot_line lines[RUNGS][LINES_MAX];
    kin_plot_panel panels[RUNGS];
    kin_arena_mark mark = kin_arena_begin(&study->arena);
    bool made = true;
    for (int k = 0; k < RUNGS; ++k) {
        trace traces[LINES_MAX];
        int count = make_traces(study, l->names, l->name_count, &l->problem, l->h[k], l->time, 2.5, traces);
        made = made && count > 0;
        lines_of(traces, count, l->names, false, lines[k]);
        panels[k] = (kin_plot_panel){.y_label = l->labels[k], .lines = lines[k], .line_count = (size_t)count};
    }
    kin_plot plot = {.title = l->title, .x_label = l->x_label, .panels = panels, .panel_count = RUNGS, .height = 820};
    kin_result result = made ? write_plot(study, &plot, folder, l->file, error) : no_memory(error);
    kin_arena_end(&study->arena, mark);
    return result;
}

kin_result kin_lab_draw_springs(kin_lab_study* study, const char* folder, kin_error* error)
{
    static const char* const names[] = {"euler", "midpoint", "rk4"};
    ladder steps = {.problem = kin_lab_spring(1, 0),
                    .h = {pi, 0.5 * pi, 0.125 * pi, pi / 64},
                    .labels = {"h = P/2", "h = P/4", "h = P/16", "h = P/128"},
                    .time = 8 * pi,
                    .names = names,
                    .name_count = COUNT(names),
                    .title = "An oscillator, four step lengths",
                    .x_label = "w t",
                    .file = "oscillator.png"};
    kin_result result = draw_spring(study, 0.2, "A spring at h = 0.2/w", folder, "spring-0.2.png", error);
    if (result == KIN_OK) result = draw_spring(study, 1, "A spring at h = 1/w", folder, "spring-1.0.png", error);
    return result == KIN_OK ? draw_ladder(study, &steps, folder, error) : result;
}

kin_result kin_lab_draw_decay(kin_lab_study* study, const char* folder, kin_error* error)
{
    static const char* const names[] = {"euler", "midpoint", "rk4", "implicit_euler"};
    ladder steps = {.problem = kin_lab_decay(),
                    .h = {2, 1, 0.5, 0.25},
                    .labels = {"h = 2T", "h = T", "h = T/2", "h = T/4"},
                    .time = 8,
                    .names = names,
                    .name_count = COUNT(names),
                    .title = "A decay, four step lengths",
                    .x_label = "t / T",
                    .file = "decay.png"};
    return draw_ladder(study, &steps, folder, error);
}

/* ---- orbits: error over work, from the tables ---- */

static const kin_lab_sheet* sheet_named(const kin_lab_study* study, const char* key)
{
    for (int i = 0; i < study->sheet_count; ++i) {
        if (strcmp(study->sheets[i].key, key) == 0) return &study->sheets[i];
    }
    return NULL;
}

static int column_named(const kin_lab_sheet* sheet, const char* key)
{
    int c = 0;
    while (strcmp(sheet->columns[c].key, key) != 0) ++c;
    return c;
}

/* The rows of one method, work and error side by side. */
static bool line_from(kin_lab_study* study, const kin_lab_sheet* sheet, const char* method, kin_plot_line* out)
{
    size_t columns = (size_t)sheet->column_count, rows = sheet->count / columns, count = 0;
    double* block = take(study, 2 * rows, sizeof *block);
    if (block == NULL) return false;
    int off = column_named(sheet, "off"), work = column_named(sheet, "evaluations");
    for (size_t r = 0; r < rows; ++r) {
        const kin_lab_cell* cells = sheet->cells + r * columns;
        if (strcmp(cells[0].text, method) != 0) continue;
        block[count] = cells[work].number;
        block[rows + count++] = cells[off].number;
    }
    *out = (kin_plot_line){kin_integrator_named(method)->title, block, block + rows, count};
    return true;
}

kin_result kin_lab_draw_orbits(kin_lab_study* study, const char* folder, kin_error* error)
{
    static const char* const names[] = {"euler", "semi_implicit",     "midpoint",      "velocity_verlet", "rk4",
                                        "rk45",  "implicit_midpoint", "adaptive_rk45", "adaptive_rk4",    "bulirsch_stoer"};
    kin_plot_line lines[COUNT(names)];
    kin_arena_mark mark = kin_arena_begin(&study->arena);
    bool made = !study->failed;
    for (int i = 0; i < COUNT(names) && made; ++i) {
        const char* key = kin_integrator_named(names[i])->adaptive ? "kepler_tolerances" : "kepler_steps";
        made = line_from(study, sheet_named(study, key), names[i], &lines[i]);
    }
    const kin_plot_panel panel = {.y_label = "place off after ten orbits", .lines = lines, .line_count = COUNT(names), .log_y = true};
    kin_plot plot = {.title = "Kepler's problem, e = 0.6: error over work",
                     .x_label = "derivatives an orbit",
                     .log_x = true,
                     .panels = &panel,
                     .panel_count = 1,
                     .height = 420};
    kin_result result = made ? write_plot(study, &plot, folder, "orbits.png", error) : no_memory(error);
    kin_arena_end(&study->arena, mark);
    return result;
}
