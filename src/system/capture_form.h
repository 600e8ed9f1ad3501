/* capture_form.h - a form as it is seen: the arrays of a mesh layer. */
#pragma once
#include "collision/form/form.h"
#include "system/capture.h"

/* position, normal and triangle, into the present layer: of a compound those of the parts of a material (kin_form_material). bevel: kin_skin_init_of. */
void kin_capture_form(kin_capture* capture, const kin_form* form, kin_material_id material, double bevel);
/* Whether no earlier part is of this part's material: a layer each. */
bool kin_form_is_first_of_material(const kin_form* form, uint32_t part);
