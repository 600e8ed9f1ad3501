/* progress.c - the bar. One line of one terminal: the only state of this program outside its stack. */
#include "progress.h"
#include "base/clock.h"
#include "base/text.h"
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static struct {
    bool on, terminal, drawn;
    const char *what, *unit;
    uint64_t first, last;
    double begin, shown; /* wall time, s */
    bool has_start;
    double start; /* simulated time at the first report, s */
} bar;

void kin_progress_begin(const char* what, const char* unit, uint64_t first, uint64_t last, bool quiet)
{
    memset(&bar, 0, sizeof bar);
    bar.on = !quiet;
    bar.terminal = isatty(STDERR_FILENO);
    bar.what = what;
    bar.unit = unit;
    bar.first = first;
    bar.last = last;
    bar.begin = bar.shown = kin_clock_seconds();
}

static int columns(void)
{
    struct winsize size;
    bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 10;
    return known ? size.ws_col - 1 : 79;
}

static void append_left(char* text, size_t size, double seconds)
{
    if (!(seconds >= 0 && seconds < 360000)) return;
    int s = (int)(seconds + 0.5);
    if (s >= 3600)
        kin_text_append(text, size, "  %d:%02d:%02d left", s / 3600, s / 60 % 60, s % 60);
    else
        kin_text_append(text, size, "  %d:%02d left", s / 60, s % 60);
}

static void describe(char* text, size_t size, uint64_t at, double time, double now)
{
    double wall = now - bar.begin;
    uint64_t done = at - bar.first, all = bar.last - bar.first;
    kin_text_append(text, size, "%s %llu/%llu", bar.unit, (unsigned long long)at, (unsigned long long)bar.last);
    if (time >= 0) kin_text_append(text, size, "  %.2f s", time);
    if (time > bar.start && wall > 0) kin_text_append(text, size, "  %.3gx", (time - bar.start) / wall);
    if (done > 0) append_left(text, size, wall / (double)done * (double)(all - done));
}

static void draw_bar(uint64_t at, const char* text)
{
    enum { CELLS = 24 };
    uint64_t full = bar.last > 0 ? at * CELLS / bar.last : CELLS;
    char row[200];
    snprintf(row, sizeof row, "%s [", bar.what);
    for (uint64_t i = 0; i < CELLS; ++i) kin_text_append(row, sizeof row, "%s", i < full ? "#" : "-");
    kin_text_append(row, sizeof row, "] %s", text);
    fprintf(stderr, "\r%.*s\x1b[K", columns(), row);
    bar.drawn = true;
}

void kin_progress_at(uint64_t at, double time)
{
    if (!bar.on) return;
    if (!bar.has_start) {
        bar.has_start = true;
        bar.start = time;
    }
    double now = kin_clock_seconds();
    bool last = at >= bar.last && bar.terminal;
    if (now - bar.shown < (bar.terminal ? 0.1 : 2.0) && !last) return;
    bar.shown = now;
    char text[120] = "";
    describe(text, sizeof text, at, time, now);
    if (bar.terminal)
        draw_bar(at, text);
    else
        fprintf(stderr, "%s: %s\n", bar.what, text);
}

void kin_progress_clear(void)
{
    if (bar.drawn) fputs("\r\x1b[K", stderr);
    bar.drawn = false;
}

void kin_progress_end(void)
{
    if (bar.drawn) fputc('\n', stderr);
    memset(&bar, 0, sizeof bar);
}
