/* denoise.h - smooths light, not texture or edges, so that few samples a pixel do. */
#pragma once
#include "render/film.h"

void kin_denoise(kin_film* film, kin_jobs* jobs);
