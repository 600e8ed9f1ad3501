/* text.h - small string work: nearest name, bounded formatting, colours. */
#pragma once
#include "kinema/base.h"

/* The closest of names[0..count) to word by edit distance, else one that begins alike, or NULL if none is close enough to suggest. */
const char* kin_text_nearest(const char* word, const char* const* names, size_t count);
/* "#rgb" or "#rrggbb" (sRGB) to linear rgb; false if it is not that. */
bool kin_text_color(const char* text, float rgb[3]);
/* snprintf onto the end of a terminated buffer; truncates. */
void kin_text_append(char* buffer, size_t size, const char* format, ...) KIN_PRINTF(3, 4);
