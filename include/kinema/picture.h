/** @file picture.h
 * Pictures in memory: what sprites are covered with. */
#pragma once
#include "kinema/base.h"

/** Rows of pixels, the top one first. */
typedef struct kin_picture_view {
    const float* rgba;      /**< linear red, green, blue and opacity of each pixel, 0..1; NULL: no picture */
    uint32_t width, height; /**< pixels */
} kin_picture_view;
