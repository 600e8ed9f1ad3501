/* ticks.h - round numbers along an axis. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum { KIN_TICKS_MOST = 24 };

typedef struct kin_ticks {
    int count;
    double value[KIN_TICKS_MOST];
    char label[KIN_TICKS_MOST][40]; /* UTF-8 */
} kin_ticks;

/* What an axis shows. Always a real interval: high > low, and low > 0 when log. */
typedef struct kin_range {
    double low, high;
    bool log;
} kin_range;

/* The data's range with a little air; a constant gets some room around it. False when there is no data. */
bool kin_range_from(double low, double high, bool log, double air, kin_range* out);
double kin_range_place(const kin_range* range, double value); /* 0 at low, 1 at high */
/* About wanted of them, 1-2-5 apart; decades when log. */
kin_ticks kin_ticks_of(const kin_range* range, int wanted);
