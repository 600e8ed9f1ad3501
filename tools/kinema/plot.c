/* plot.c - kinema plot: lines of stats.csv over time. */
#include "render/plot.h"
#include "base/text.h"
#include "io/file.h"
#include "io/stats.h"
#include "report.h"
#include "verbs.h"
#include <stdlib.h>
#include <string.h>

/* A panel shows the columns whose measure contains one of the words, and not the other one. Several rows may serve one group: units must not mix. */
typedef struct group {
    const char* name;
    const char* words[4];
    const char* without;
    const char* label;
} group;

static const group groups[] = {
    {"energy", {"energy", "dissipated"}, NULL, "energy (J)"},
    {"momentum", {"momentum"}, "angular", "momentum (kg m/s)"},
    {"momentum", {"angular_momentum"}, NULL, "angular momentum (kg m^2/s)"},
    {"counts", {"count", "resting", "hits"}, NULL, "count"},
    {"residuals", {"residual", "iterations"}, NULL, "residual"},
    {0},
};

enum { PANELS_MAX = 16, CHOICES_MAX = 512 };

typedef struct chart {
    kin_stats stats;
    double* columns; /* column after column: stats holds rows */
    kin_plot_line* lines;
    size_t line_count;
    kin_plot_panel panels[PANELS_MAX];
    size_t panel_count;
} chart;

/* "balls.kinetic_energy" -> "kinetic_energy"; names of systems may have dots. */
static const char* measure_of(const char* column)
{
    const char* dot = strrchr(column, '.');
    return dot != NULL ? dot + 1 : column;
}

static bool belongs(const group* g, const char* measure)
{
    if (g->without != NULL && strstr(measure, g->without) != NULL) return false;
    for (int i = 0; i < 4 && g->words[i] != NULL; ++i) {
        if (strstr(measure, g->words[i]) != NULL) return true;
    }
    return false;
}

static const char* label_of(const char* measure)
{
    for (const group* g = groups; g->name != NULL; ++g) {
        if (belongs(g, measure)) return g->label;
    }
    return measure;
}

/* ---- making panels ---- */

static bool make_columns(chart* c)
{
    size_t rows = c->stats.row_count, columns = c->stats.column_count;
    c->columns = calloc(rows * columns + 1, sizeof *c->columns);
    c->lines = calloc(PANELS_MAX * columns + 1, sizeof *c->lines);
    if (c->columns == NULL || c->lines == NULL) return false;
    for (size_t i = 0; i < columns; ++i) {
        for (size_t j = 0; j < rows; ++j) c->columns[i * rows + j] = c->stats.values[j * columns + i];
    }
    return true;
}

/* Columns 0 and 1 are frame and time. */
static void add_line(chart* c, size_t column)
{
    size_t rows = c->stats.row_count;
    c->lines[c->line_count++] = (kin_plot_line){c->stats.columns[column], c->columns + rows, c->columns + column * rows, rows};
}

static bool close_panel(chart* c, const char* label, size_t first_line)
{
    if (c->line_count == first_line) return false;
    c->panels[c->panel_count++] = (kin_plot_panel){.y_label = label, .lines = c->lines + first_line, .line_count = c->line_count - first_line};
    return true;
}

static bool add_group(chart* c, const group* g)
{
    size_t first = c->line_count;
    for (size_t i = 2; i < c->stats.column_count; ++i) {
        if (belongs(g, measure_of(c->stats.columns[i]))) add_line(c, i);
    }
    return close_panel(c, g->label, first);
}

/* By its whole name, or by its measure for every system. */
static bool add_column(chart* c, const char* name)
{
    size_t first = c->line_count;
    for (size_t i = 2; i < c->stats.column_count; ++i) {
        const char* column = c->stats.columns[i];
        if (strcmp(column, name) == 0 || strcmp(measure_of(column), name) == 0) add_line(c, i);
    }
    return close_panel(c, label_of(measure_of(name)), first);
}

static int complain_choice(const chart* c, const char* name)
{
    const char* names[CHOICES_MAX];
    size_t count = 0;
    for (const group* g = groups; g->name != NULL; ++g) names[count++] = g->name;
    for (size_t i = 2; i < c->stats.column_count && count < CHOICES_MAX; ++i) names[count++] = c->stats.columns[i];
    for (size_t i = 2; i < c->stats.column_count && count < CHOICES_MAX; ++i) names[count++] = measure_of(c->stats.columns[i]);
    const char* nearest = kin_text_nearest(name, names, count);
    if (nearest != NULL && strcmp(nearest, name) == 0) return kin_complain_text(KIN_EXIT_WRONG, "plot: --of: this run measures nothing of %s", name);
    if (nearest != NULL) return kin_complain_text(KIN_EXIT_WRONG, "plot: --of: there is no \"%s\"; did you mean %s?", name, nearest);
    return kin_complain_text(KIN_EXIT_WRONG, "plot: --of: there is no \"%s\": energy, momentum, counts, residuals or a column of stats.csv", name);
}

static int add_choice(chart* c, const char* name)
{
    bool found = false;
    for (const group* g = groups; g->name != NULL && c->panel_count < PANELS_MAX; ++g) {
        if (strcmp(g->name, name) == 0 && add_group(c, g)) found = true;
    }
    if (!found && c->panel_count < PANELS_MAX) found = add_column(c, name);
    return found ? KIN_EXIT_DONE : complain_choice(c, name);
}

static int add_choices(chart* c, const char* of)
{
    int code = KIN_EXIT_DONE;
    while (code == KIN_EXIT_DONE && *of != 0) {
        char name[128];
        size_t length = strcspn(of, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, of);
        of += length + (of[length] == ',');
        if (c->panel_count == PANELS_MAX) return kin_complain_text(KIN_EXIT_WRONG, "plot: --of: at most %d panels fit", PANELS_MAX);
        code = add_choice(c, name);
    }
    return code;
}

/* ---- the verb ---- */

static int draw(chart* c, const kin_arguments* a)
{
    int code = add_choices(c, a->of != NULL ? a->of : "energy");
    if (code != KIN_EXIT_DONE) return code;
    kin_error error = {0};
    char path[KIN_PATH_SIZE];
    kin_result result = KIN_OK;
    if (a->output == NULL) result = kin_path_make(path, a->names[0], "plot.svg", &error);
    const char* output = a->output != NULL ? a->output : path;
    kin_plot plot = {.title = a->names[0], .x_label = "time (s)", .panels = c->panels, .panel_count = c->panel_count};
    if (result == KIN_OK) result = kin_plot_write(&plot, output, &error);
    if (result != KIN_OK) return kin_complain(result == KIN_ERROR_ARGUMENT ? KIN_EXIT_WRONG : KIN_EXIT_FAILED, &error);
    puts(output);
    return KIN_EXIT_DONE;
}

static int run(const kin_arguments* a)
{
    kin_allocator allocator = kin_allocator_default();
    kin_error error = {0};
    char path[KIN_PATH_SIZE];
    chart c = {0};
    if (!kin_file_exists(a->names[0])) return kin_complain_text(KIN_EXIT_WRONG, "%s: there is no such run folder", a->names[0]);
    kin_result result = kin_path_make(path, a->names[0], "stats.csv", &error);
    if (result == KIN_OK) result = kin_stats_read(&allocator, path, &c.stats, &error);
    if (result != KIN_OK) return kin_complain(KIN_EXIT_FAILED, &error);
    int code = c.stats.column_count < 2 ? kin_complain_text(KIN_EXIT_FAILED, "%s: has no columns", path) : KIN_EXIT_DONE;
    if (code == KIN_EXIT_DONE) code = make_columns(&c) ? draw(&c, a) : kin_complain_text(KIN_EXIT_FAILED, "there is no memory for the plot");
    free(c.columns);
    free(c.lines);
    kin_stats_free(&c.stats);
    return code;
}

static const kin_option options[] = {
    {.name = "of",
     .kind = KIN_OPTION_TEXT,
     .offset = KIN_ARGUMENT(of),
     .value = "WHAT,...",
     .doc = "energy, momentum, counts, residuals, or columns of stats.csv by name; a panel each. By default energy."},
    {.name = "output",
     .letter = 'o',
     .kind = KIN_OPTION_TEXT,
     .offset = KIN_ARGUMENT(output),
     .value = "FILE",
     .doc = "An .svg or .png file; by default plot.svg in the run's folder."},
    {0},
};

const kin_verb kin_verb_plot = {
    .name = "plot",
    .usage = "DIR",
    .least = 1,
    .most = 1,
    .operand = KIN_OPERAND_FOLDER,
    .options = options,
    .run = run,
    .summary = "Plot what a run measured over time.",
    .doc = "The path of what was written is printed.",
};
