/* ticks.c - 1-2-5 steps, decades, and labels that are no longer than they need to be. */
#include "render/ticks.h"
#include "base/text.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static kin_range log_range(double low, double high, double air)
{
    double spread = high / low, room = spread < 1.0001 ? 2 : pow(spread, air);
    return (kin_range){low / room, high * room, true};
}

static kin_range linear_range(double low, double high, double air)
{
    double size = fmax(fabs(low), fabs(high)), spread = high - low;
    double room = spread > 1e-12 * size ? air * spread : (size > 0 ? 0.1 * size : 1);
    return (kin_range){low - room, high + room, false};
}

bool kin_range_from(double low, double high, bool log, double air, kin_range* out)
{
    if (low <= high && (!log || low > 0)) {
        *out = log ? log_range(low, high, air) : linear_range(low, high, air);
        double spread = log ? out->high / out->low : out->high - out->low;
        if (isfinite(spread) && out->high > out->low && (!log || out->low > 0)) return true;
    }
    *out = log ? (kin_range){1, 10, true} : (kin_range){0, 1, false};
    return false;
}

double kin_range_place(const kin_range* range, double value)
{
    if (range->log) return log(value / range->low) / log(range->high / range->low);
    return (value - range->low) / (range->high - range->low);
}

/* 3 -> "³" */
static void superscript(int number, char* text, size_t size)
{
    static const char* const digits[10] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char plain[16];
    snprintf(plain, sizeof plain, "%d", number);
    text[0] = 0;
    for (const char* c = plain; *c != 0; ++c) {
        const char* glyph = *c == '-' ? "⁻" : digits[*c - '0'];
        if (strlen(text) + strlen(glyph) < size) strcat(text, glyph);
    }
}

/* Digits enough to tell ticks a step apart; powers of ten beyond everyday sizes. */
static void label_number(double value, double step, char* text, size_t size)
{
    double largest = fmax(fabs(value), step);
    text[0] = 0;
    if (fabs(value) < 1e-9 * step) {
        snprintf(text, size, "0");
    } else if (largest < 1e-4 || largest >= 1e6) {
        int power = (int)floor(log10(fabs(value)) + 1e-9), digits = power - (int)floor(log10(step) + 1e-9);
        char exponent[32];
        superscript(power, exponent, sizeof exponent);
        double mantissa = value / pow(10, power);
        if (digits <= 0 && fabs(fabs(mantissa) - 1) < 1e-9)
            snprintf(text, size, "%s10%s", mantissa < 0 ? "−" : "", exponent);
        else
            kin_text_append(text, size, "%s%.*f×10%s", mantissa < 0 ? "−" : "", digits < 0 ? 0 : (digits > 12 ? 12 : digits), fabs(mantissa), exponent);
    } else {
        int digits = -(int)floor(log10(step) + 1e-9);
        snprintf(text, size, "%s%.*f", value < 0 ? "−" : "", digits < 0 ? 0 : (digits > 15 ? 15 : digits), fabs(value));
    }
}

static void add(kin_ticks* ticks, double value, double step)
{
    if (ticks->count >= KIN_TICKS_MOST) return;
    ticks->value[ticks->count] = value;
    label_number(value, step, ticks->label[ticks->count], sizeof ticks->label[0]);
    ticks->count += 1;
}

/* All alike: powers of ten when any of them is far from 1. */
static void add_decade(kin_ticks* ticks, int power, bool plain)
{
    double value = pow(10, power);
    add(ticks, value, value);
    if (plain || ticks->count == 0) return;
    char exponent[32];
    superscript(power, exponent, sizeof exponent);
    snprintf(ticks->label[ticks->count - 1], sizeof ticks->label[0], "10%s", exponent);
}

static double nice_step(double rough)
{
    double power = pow(10, floor(log10(rough))), part = rough / power;
    return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

static kin_ticks linear_ticks(const kin_range* range, int wanted)
{
    kin_ticks ticks = {.count = 0};
    double step = nice_step((range->high - range->low) / wanted), first = ceil(range->low / step - 1e-9);
    for (int i = 0; i < KIN_TICKS_MOST && (first + i) * step <= range->high + 1e-9 * step; ++i) add(&ticks, (first + i) * step, step);
    return ticks;
}

kin_ticks kin_ticks_of(const kin_range* range, int wanted)
{
    if (!range->log) return linear_ticks(range, wanted);
    int from = (int)ceil(log10(range->low) - 1e-9), to = (int)floor(log10(range->high) + 1e-9), decades = to - from + 1;
    if (decades < 2) return linear_ticks(range, wanted);
    kin_ticks ticks = {.count = 0};
    int stride = decades > wanted ? (decades + wanted - 1) / wanted : 1;
    for (int power = from; power <= to; power += stride) add_decade(&ticks, power, from >= -3 && to <= 5);
    return ticks;
}
