/** @file filter.h
 * Which things meet, and which are found by a question. */
#pragma once
#include "kinema/base.h"

/** Who meets whom. Two things meet if each one's mask has a bit of the other's category; things of one group that is not 0 always meet if it is positive,
 * never if it is negative. All zero is everything with everything. */
typedef struct kin_filter {
    uint64_t category; /**< bits of what it is; 0: bit 0 alone */
    uint64_t mask;     /**< bits of what it meets; 0: all */
    int32_t group;     /**< 0: none */
} kin_filter;

/** Do two things meet? */
static inline bool kin_filter_meets(kin_filter a, kin_filter b)
{
    if (a.group != 0 && a.group == b.group) return a.group > 0;
    uint64_t category_a = a.category != 0 ? a.category : 1, category_b = b.category != 0 ? b.category : 1;
    return (a.mask == 0 || (a.mask & category_b) != 0) && (b.mask == 0 || (b.mask & category_a) != 0);
}
