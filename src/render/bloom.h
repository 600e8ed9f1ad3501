/* bloom.h - the glow around what is too bright for the picture, as in an eye or a lens. */
#pragma once
#include "render/film.h"

/* Adds to crisp. gain is the exposure's. */
void kin_bloom(kin_film* film, kin_jobs* jobs, float gain);
