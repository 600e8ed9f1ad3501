/* samples.h - a form as boundary particles on its surface (Akinci 2012), in its own frame, sorted into cells. */
#pragma once
#include "domains/sph/boundary/walls.h"

typedef struct kin_sph_sample {
    float x[3], volume; /* m, m^3 */
    float normal[3];
} kin_sph_sample;

typedef struct kin_sph_samples {
    kin_form* form; /* kept */
    kin_sph_sample* points;
    uint32_t count;
    kin_vec3 origin;
    double cell; /* m: at least the support */
    uint32_t cells[3];
    uint32_t* first; /* by cell, and one */
    size_t cell_count;
} kin_sph_samples;

/* The samples of a form, new or old. NULL: out of memory, or the form has no surface to speak of (error says). */
kin_sph_samples* kin_sph_samples_of(kin_sph_walls* walls, kin_form* form);
/* x, and the answer, in the form's frame. */
bool kin_sph_samples_feel(const kin_sph_walls* walls, const kin_sph_samples* samples, kin_vec3 x, kin_sph_felt* out);
void kin_sph_samples_forget(kin_sph_walls* walls); /* those of forms that nobody else has any more */
void kin_sph_samples_term(kin_sph_walls* walls);
size_t kin_sph_samples_bytes(const kin_sph_walls* walls);
