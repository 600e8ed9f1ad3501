/* capture_form.h - a form as it is seen: the arrays of a mesh layer. */
#pragma once
#include "collision/form/form.h"
#include "system/capture.h"

/* position, normal and triangle, into the present layer. */
void kin_capture_form(kin_capture* capture, const kin_form* form);
