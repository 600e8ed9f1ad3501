/* colormap.h - numbers as colours: named scales for pictures of speed, pressure, temperature.
 *
 *     kin_colormap_capture(KIN_COLORMAP_VIRIDIS, speed, 1, count, 0, 5, capture);   // the color array of the present layer of points */
#pragma once
#include "system/capture.h"

typedef enum kin_colormap {
    KIN_COLORMAP_VIRIDIS,  /* violet, green, yellow: even steps to the eye */
    KIN_COLORMAP_INFERNO,  /* black, red, yellow */
    KIN_COLORMAP_COOLWARM, /* blue, grey, red: for numbers about a middle */
    KIN_COLORMAP_WATER,    /* deep blue to white: speed of water */
    KIN_COLORMAP_SPECTRUM, /* blue, green, yellow, red */
    KIN_COLORMAPS,
} kin_colormap;
extern const char* const kin_colormap_names[]; /* viridis inferno coolwarm water spectrum; NULL at the end: words of a parameter */

/* s from 0 to 1; beyond, and for what is no number, the nearer end. Linear rgb. */
void kin_colormap_at(kin_colormap map, double s, float rgb[3]);
/* values, stride floats apart, from low to high over the whole scale; three floats each into rgb. */
void kin_colormap_paint(kin_colormap map, const float* values, size_t stride, size_t count, double low, double high, float* rgb);
/* Adds the color array to the capture's present layer. */
void kin_colormap_capture(kin_colormap map, const float* values, size_t stride, size_t count, double low, double high, kin_capture* capture);
